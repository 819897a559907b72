# The kernels for the processor that the library runs on: each kernel file compiled as C++ for every kind of elements and
# several instruction sets, of which the device chooses one when it runs. Shapes are those that cpu_shape() and
# make_selection() choose (a test compares them).

set(cpu_flags_avx512 -mavx512f -mavx512bw -mavx512dq -mavx512vl -mbmi2 -mprefer-vector-width=512)
set(cpu_flags_avx2 -mavx2 -mbmi2)
set(cpu_flags_baseline)
set(cpu_vector_bytes_avx512 64)
set(cpu_vector_bytes_avx2 32)
set(cpu_vector_bytes_baseline 16)
set(cpu_instructions baseline)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|amd64|AMD64)$")
  list(PREPEND cpu_instructions avx512 avx2)
endif()

# Kernels have parameters that some of them do not use, and vectors of other widths than the processor's.
set(cpu_options $<$<NOT:$<CONFIG:Debug>>:-O2> -Wno-unused-parameter -Wno-ignored-attributes -Wno-psabi
                $<$<CXX_COMPILER_ID:Clang,AppleClang>:-Wno-align-mismatch>
                $<$<CXX_COMPILER_ID:Clang,AppleClang>:-Wno-conversion>
                # GCC 12's own functions of AVX-512 take vectors whose content does not matter.
                $<$<CXX_COMPILER_ID:GNU>:-Wno-uninitialized> $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)

# Adds one file of the table, in which `name` is what tells it from others. The definitions are of parameters.h.
function(add_cpu_program name instructions file kernels)
  string(PREPEND name "${instructions}_")
  set(text "#define KERNEL_FILE \"../../kernels/${file}\"\n#define KERNEL_NAME \"${file}\"\n")
  string(APPEND text "#define INSTRUCTIONS Instructions::${instructions}\n#define COMPILED ${name}\n#define KERNELS")
  foreach(kernel IN LISTS kernels)
    string(APPEND text " KERNEL_NAMED(${kernel})")
  endforeach()
  foreach(definition IN ITEMS WORK_ITEMS=1 POSITION_BITS=64 COUNT_SYNC=1 ${ARGN})
    string(REPLACE "=" " " definition ${definition})
    string(APPEND text "\n#define ${definition}")
  endforeach()
  string(APPEND text "\n#include \"${PROJECT_SOURCE_DIR}/host/cpu/unit.hpp\"\n")
  set(path ${PROJECT_BINARY_DIR}/cpu/${name}.cpp)
  file(CONFIGURE OUTPUT ${path} CONTENT "${text}" @ONLY)
  set_source_files_properties(${path} PROPERTIES COMPILE_OPTIONS "${cpu_flags_${instructions}};${cpu_options}")
  set_property(GLOBAL APPEND PROPERTY lanesort_cpu_programs ${name})
endfunction()

# set_to_smaller(OUT A B), set_to_larger(OUT A B): the smaller and the larger number.
macro(set_to_smaller out a b)
  if(${a} LESS ${b})
    set(${out} ${a})
  else()
    set(${out} ${b})
  endif()
endmacro()

macro(set_to_larger out a b)
  if(${a} GREATER ${b})
    set(${out} ${a})
  else()
    set(${out} ${b})
  endif()
endmacro()

# set_to_lanes(OUT VECTOR_BYTES WIDEST MOST): elements of so many bytes that a vector holds, from 1 to `most`.
macro(set_to_lanes out vector_bytes widest most)
  math(EXPR lanes "${vector_bytes} / ${widest}")
  set_to_larger(lanes ${lanes} 1)
  set_to_smaller(${out} ${lanes} ${most})
endmacro()

# The network for keys of so many bytes, with values or indices of so many, or 0.
function(add_cpu_network instructions key value index)
  set(vector_bytes ${cpu_vector_bytes_${instructions}})
  set_to_larger(widest ${value} ${index})
  set_to_larger(widest ${widest} ${key})
  set(register_vectors 8)
  if(widest EQUAL key AND value EQUAL 0 AND index EQUAL 0)
    set_to_lanes(lanes ${vector_bytes} ${key} 16)
    set_to_larger(register_vectors ${lanes} 8)
    if(vector_bytes EQUAL 64)
      set(register_vectors 16)
    endif()
  elseif(vector_bytes LESS 32 OR value EQUAL 16)
    set(lanes 1)
  else()
    if(index EQUAL 8)
      set(vector_bytes 32)
    endif()
    math(EXPR ties "${value} + ${index}")
    if(ties EQUAL key AND key LESS_EQUAL 4)  # packed, in integers of twice the size
      math(EXPR widest "2 * ${widest}")
    endif()
    set_to_lanes(lanes ${vector_bytes} ${widest} 8)
  endif()
  math(EXPR key_bits "${key} * 8")
  math(EXPR value_bits "${value} * 8")
  math(EXPR index_bits "${index} * 8")
  set(elements "${key}_${value}_${index}")
  set(definitions KEY_BITS=${key_bits} VALUE_BITS=${value_bits} INDEX_BITS=${index_bits} LANES=${lanes}
                  VECTORS=${register_vectors} REGISTER_VECTORS=${register_vectors})
  set(kernels sort_tiles merge_strips merge_tiles merge_columns merge_tile_columns merge_borders)
  math(EXPR beside_key "${value} + ${index}")
  if(NOT instructions STREQUAL baseline AND ((key GREATER_EQUAL 4 AND beside_key EQUAL 0) OR
                                       (key EQUAL 4 AND beside_key EQUAL 4)))
    list(APPEND kernels choose_pivots part_stripes exchange_misplaced part_ranges sort_ranges)
  endif()
  add_cpu_program(sort_${elements} ${instructions} tile_in_cache.cl "${kernels}" ${definitions} FIRST_ONLY=1
                  TWO_RANGES=1)
endfunction()

# The selections of keys of so many bytes, with indices of so many, or 0.
function(add_cpu_selections instructions key index)
  set_to_larger(widest ${key} ${index})
  set(most 16)
  set(kernels select_best)
  if(index GREATER 0)
    set(most 8)
    list(APPEND kernels best_of_buckets bring_to_front)
  endif()
  if(instructions STREQUAL baseline)
    set(lanes 1)
  else()
    set_to_lanes(lanes 32 ${widest} ${most})
  endif()
  math(EXPR key_bits "${key} * 8")
  math(EXPR index_bits "${index} * 8")
  foreach(vectors IN ITEMS 8 128)
    add_cpu_program(select_${key}_${index}_${vectors} ${instructions} select_in_registers.cl "${kernels}"
                    KEY_BITS=${key_bits} VALUE_BITS=0 INDEX_BITS=${index_bits} LANES=${lanes} VECTORS=${vectors}
                    REGISTER_VECTORS=8)
  endforeach()
endfunction()

foreach(key IN ITEMS 1 2 4 8)
  foreach(instructions IN LISTS cpu_instructions)
    add_cpu_network(${instructions} ${key} 0 0)
    add_cpu_network(${instructions} ${key} 0 4)
    if(NOT instructions STREQUAL avx512)
      add_cpu_network(${instructions} ${key} 0 8)
      foreach(index IN ITEMS 0 4 8)
        add_cpu_selections(${instructions} ${key} ${index})
      endforeach()
    endif()
    foreach(value IN ITEMS 1 2 4 8)
      add_cpu_network(${instructions} ${key} ${value} 0)
    endforeach()
  endforeach()
  # These have no vectors, so wider instructions are of no use to them.
  math(EXPR key_bits "${key} * 8")
  set(definitions KEY_BITS=${key_bits} LANES=1 VECTORS=2048 REGISTER_VECTORS=2)
  add_cpu_network(baseline ${key} 16 0)
  add_cpu_program(order_${key} baseline order.cl "first_descents;least_descents" ${definitions} VALUE_BITS=0
                  INDEX_BITS=0)
  # With the lengths of runs, or with values.
  foreach(length_bits IN ITEMS 32 64)
    add_cpu_program(equal_runs_${key}_0_${length_bits} baseline equal_runs.cl "count_runs;scan_shares;write_runs"
                    ${definitions} VALUE_BITS=0 INDEX_BITS=${length_bits})
  endforeach()
  foreach(value_bits IN ITEMS 0 8 16 32 64 128)
    add_cpu_program(equal_runs_${key}_${value_bits}_0 baseline equal_runs.cl "count_runs;scan_shares;write_runs"
                    ${definitions} VALUE_BITS=${value_bits} INDEX_BITS=0)
  endforeach()
endforeach()
foreach(key IN ITEMS 1 2 4 8)
  math(EXPR key_bits "${key} * 8")
  foreach(instructions IN LISTS cpu_instructions)
    foreach(reduction IN ITEMS least least_place integer_sum float_sum)
      if(NOT instructions STREQUAL avx512 AND NOT (reduction STREQUAL float_sum AND key EQUAL 1))
        add_cpu_program(${reduction}_${key} ${instructions} ${reduction}.cl "combine_blocks;combine_parts"
                        KEY_BITS=${key_bits} LANES=1 VECTORS=1 REGISTER_VECTORS=2 VALUE_BITS=0 INDEX_BITS=0)
      endif()
    endforeach()
  endforeach()
endforeach()
foreach(key_bits IN ITEMS 8 16 32 64)
  foreach(value_bits IN ITEMS 0 8 16 32 64 128)
    add_cpu_program(exchange_${key_bits}_${value_bits} baseline exchange.cl exchange_ends KEY_BITS=${key_bits} LANES=1
                    VECTORS=1 REGISTER_VECTORS=2 VALUE_BITS=${value_bits} INDEX_BITS=0)
  endforeach()
endforeach()
foreach(value_bits IN ITEMS 8 16 32 64 128)
  foreach(index_bits IN ITEMS 32 64)
    add_cpu_program(permute_${value_bits}_${index_bits} baseline permute.cl "walk_from_cuts;walk_cycles" KEY_BITS=8
                    LANES=1 VECTORS=1 REGISTER_VECTORS=2 VALUE_BITS=${value_bits} INDEX_BITS=${index_bits})
  endforeach()
endforeach()
foreach(word_bits IN ITEMS 8 16 32 64)
  foreach(index_bits IN ITEMS 32 64)
    add_cpu_program(gather_${word_bits}_${index_bits} baseline gather.cl gather_elements KEY_BITS=${word_bits} LANES=1
                    VECTORS=1 REGISTER_VECTORS=2 VALUE_BITS=0 INDEX_BITS=${index_bits})
  endforeach()
endforeach()

get_property(cpu_programs GLOBAL PROPERTY lanesort_cpu_programs)
set(text "#include \"${PROJECT_SOURCE_DIR}/host/cpu/table.hpp\"\n\nnamespace lanesort::cpu {\n")
set(rows "")
set(cpu_sources "")
foreach(program IN LISTS cpu_programs)
  string(APPEND text "extern const Compiled ${program};\n")
  string(APPEND rows "    &${program},\n")
  list(APPEND cpu_sources ${PROJECT_BINARY_DIR}/cpu/${program}.cpp)
endforeach()
string(APPEND text "\nnamespace {\nconstexpr const Compiled* programs[] = {\n${rows}};\n}\n\n"
                   "std::span<const Compiled* const> all_compiled() noexcept { return programs; }\n\n"
                   "}  // namespace lanesort::cpu\n")
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/cpu/table.cpp CONTENT "${text}" @ONLY)
list(APPEND cpu_sources ${PROJECT_BINARY_DIR}/cpu/table.cpp)
