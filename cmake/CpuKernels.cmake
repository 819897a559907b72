# SPDX-License-Identifier: MIT
# The kernels for the CPU: each kernel file is compiled as C++, for several kinds of elements and one instruction set at a
# time, of which the device chooses one when it runs. Shapes are those that cpu_shape() and make_selection() choose (a test
# compares them).

set(LANESORT_CPU_KERNELS all CACHE STRING
    "Instruction sets of the CPU's kernels: all, host (the best of this machine) or minimal (what every CPU has)")
set_property(CACHE LANESORT_CPU_KERNELS PROPERTY STRINGS all host minimal)

set(cpu_flags_avx512 -mavx512f -mavx512bw -mavx512dq -mavx512vl -mbmi2 -mprefer-vector-width=512)
set(cpu_flags_avx2 -mavx2 -mbmi2)
set(cpu_flags_baseline)
set(cpu_instructions baseline)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|amd64|AMD64)$" AND NOT LANESORT_CPU_KERNELS STREQUAL "minimal")
  list(PREPEND cpu_instructions avx512 avx2)
endif()
if(LANESORT_CPU_KERNELS STREQUAL "host" AND EXISTS /proc/cpuinfo)
  file(STRINGS /proc/cpuinfo features REGEX "^flags" LIMIT_COUNT 1)
  foreach(instructions IN ITEMS avx512 avx2)
    string(REGEX MATCHALL "(avx|bmi)[a-z0-9]+" needed "${cpu_flags_${instructions}}")
    foreach(feature IN LISTS needed)
      if(NOT features MATCHES " ${feature} ")
        list(REMOVE_ITEM cpu_instructions ${instructions})
      endif()
    endforeach()
  endforeach()
endif()

# Kernels have parameters that some of them do not use, and vectors of other widths than the processor's. Functions are
# aligned, so that their speed does not depend on the programs in front of them in the file.
set(cpu_options $<$<NOT:$<CONFIG:Debug>>:-O2> -falign-functions=64 -Wno-unused-parameter -Wno-ignored-attributes -Wno-psabi
                $<$<CXX_COMPILER_ID:Clang,AppleClang>:-Wno-align-mismatch>
                $<$<CXX_COMPILER_ID:Clang,AppleClang>:-Wno-conversion>
                ${kernel_sanitizers})

# add_cpu_kernels(FILE [NAME name] FOR instruction set.. KERNELS kernel.. PROGRAMS "definition.."..): one source file for
# each instruction set, in which the kernel file is compiled once for each of these lists of definitions. These are
# explained in kernels/common/parameters.h; host/cpu/program.inc has the defaults.
function(add_cpu_kernels file)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "NAME" "FOR;KERNELS;PROGRAMS;OPTIONS")
  cmake_path(GET file STEM name)
  if(arg_NAME)
    set(name ${arg_NAME})
  endif()
  list(TRANSFORM arg_KERNELS REPLACE "(.+)" "KERNEL_NAMED(\\1)")
  list(JOIN arg_KERNELS " " kernels)
  set(programs "")
  set(table "")
  foreach(program IN LISTS arg_PROGRAMS)
    string(REGEX REPLACE "([A-Z_]+)=([^ ]+) *" "#define \\1 \\2\n" definitions "${program}")
    list(LENGTH table number)
    string(APPEND programs "namespace program_${number} {\n${definitions}#include \"program.inc\"\n}\n")
    list(APPEND table "&program_${number}::compiled")
  endforeach()
  list(JOIN table ", " table)
  get_property(added GLOBAL PROPERTY lanesort_cpu_names)
  foreach(instructions IN LISTS arg_FOR)
    # The best instruction set comes first.
    if(NOT instructions IN_LIST cpu_instructions OR (LANESORT_CPU_KERNELS STREQUAL "host" AND name IN_LIST added))
      continue()
    endif()
    list(APPEND added ${name})
    set_property(GLOBAL PROPERTY lanesort_cpu_names ${added})
    set(path ${PROJECT_BINARY_DIR}/cpu/${name}_${instructions}.cpp)
    file(CONFIGURE OUTPUT ${path} @ONLY CONTENT
"#include <lanesort/compiled.hpp>
#define KERNEL_FILE \"${file}\"
#define KERNEL_NAME \"${file}\"
#define INSTRUCTIONS Instructions::${instructions}
#define KERNELS ${kernels}

namespace lanesort::inline v0_1::cpu {
using detail::Compiled, detail::CompiledFile, detail::Instructions;
namespace {
${programs}constexpr const Compiled* programs[] = {${table}};
}  // namespace
extern const CompiledFile ${name}_${instructions};
const CompiledFile ${name}_${instructions}{programs, sizeof programs / sizeof *programs};
}  // namespace lanesort::inline v0_1::cpu
")
    set_source_files_properties(${path} PROPERTIES INCLUDE_DIRECTORIES "${PROJECT_SOURCE_DIR}/host/cpu;${kernel_folder}"
      COMPILE_OPTIONS "${cpu_flags_${instructions}};${cpu_options};${arg_OPTIONS}" SKIP_UNITY_BUILD_INCLUSION ON)
    set_property(GLOBAL APPEND PROPERTY lanesort_cpu_files ${name}_${instructions})
  endforeach()
endfunction()

set(key_widths 8 16 32 64)
set(keys KEY_BITS=8 KEY_BITS=16 KEY_BITS=32 KEY_BITS=64)
set(floats KEY_BITS=16 KEY_BITS=32 KEY_BITS=64)
list(TRANSFORM keys APPEND " INDEX_BITS=32" OUTPUT_VARIABLE keys_and_indices)
foreach(key IN LISTS keys)
  list(APPEND keys_and_indices "${key} INDEX_BITS=64")
endforeach()

# Sorts of keys alone fill registers. Where a key and its value or index have up to 4 bytes each, the two are one integer of
# twice their width, or of 8 bytes if their widths differ. A value or index of 8 bytes is a vector of its own, as is any one
# beside a key of 8 bytes. Values of 16 bytes have no vectors.
set(sort_kernels sort_tiles merge_strips merge_tiles merge_columns merge_tile_columns merge_borders)
set(lanes_avx512 16 16 16 8)
set(lanes_avx2 16 16 8 4)
set(lanes_baseline 16 8 4 2)
set(registers_avx512 16 16 16 16)
set(registers_avx2 16 16 8 8)
set(registers_baseline 16 8 8 8)
set(equal_lanes_avx512 8 8 8 8)
set(equal_lanes_avx2 8 8 4 4)
set(other_lanes_avx512 8)
set(other_lanes_avx2 4)
set(other_lanes_baseline 1)
foreach(instructions IN ITEMS avx512 avx2 baseline)
  foreach(key_bits lanes registers equal_lanes IN ZIP_LISTS key_widths lanes_${instructions} registers_${instructions}
                                                            equal_lanes_${instructions})
    set(key "KEY_BITS=${key_bits} FIRST_ONLY=1 TWO_RANGES=1")
    set(pair "${key} VECTORS=8 REGISTER_VECTORS=8")
    set(tied "${pair} VALUES_ARE_INDICES=1 LANES=${other_lanes_${instructions}}")
    # The first that serves is taken.
    set(programs "${key} LANES=${lanes} VECTORS=${registers} REGISTER_VECTORS=${registers}")
    if(key_bits EQUAL 64)
      list(APPEND programs "${tied} INDEX_BITS=64" "${tied} INDEX_BITS=64 ANY_WIDTH=1")
    else()
      if(NOT instructions STREQUAL baseline)
        list(APPEND programs "${pair} VALUES_ARE_INDICES=1 LANES=${equal_lanes} INDEX_BITS=${key_bits}")
      endif()
      list(APPEND programs "${tied} INDEX_BITS=32 ANY_WIDTH=1" "${tied} INDEX_BITS=64")
    endif()
    if(instructions STREQUAL baseline OR LANESORT_CPU_KERNELS STREQUAL "host")
      list(APPEND programs "${pair} VALUE_BITS=128")
    endif()
    add_cpu_kernels(sort/tile_in_cache.cl NAME sort_${key_bits} FOR ${instructions} KERNELS ${sort_kernels}
                    PROGRAMS ${programs})
  endforeach()
endforeach()

# Selections, in vectors of 32 bytes. Indices have 4 bytes there, or 8 beside keys of 8; those of 2^31 elements and more have
# no vectors. Where the best instruction set is alone, it has what others leave to the baseline.
set(selection "VECTORS=128 LEAST_VECTORS=8 REGISTER_VECTORS=8")
set(lanes_of_keys 16 16 8 4)
set(lanes_of_indexed 8 8 8 4)
set(bits_of_indices 32 32 32 64)
set(scalars "")
set(vectors "")
set(indexed "")
foreach(key lanes indexed_lanes index_bits IN ZIP_LISTS keys lanes_of_keys lanes_of_indexed bits_of_indices)
  list(APPEND scalars "${key} ${selection}")
  list(APPEND vectors "${key} ${selection} LANES=${lanes}")
  foreach(more IN ITEMS "" " ANY_WIDTH=1 VALUE_BITS=0")
    list(APPEND indexed "${key} ${selection} LANES=${indexed_lanes} INDEX_BITS=${index_bits}${more}")
  endforeach()
endforeach()
list(TRANSFORM keys_and_indices APPEND " ${selection}" OUTPUT_VARIABLE scalars_indexed)
set(top_k_indices select_best best_of_buckets bring_to_front)
add_cpu_kernels(top_k/top_k_in_registers.cl NAME top_k FOR avx2 KERNELS select_best PROGRAMS ${vectors})
add_cpu_kernels(top_k/top_k_in_registers.cl NAME top_k FOR baseline KERNELS select_best PROGRAMS ${scalars})
set(all_indexed ${indexed})
if(LANESORT_CPU_KERNELS STREQUAL "host")
  list(APPEND all_indexed ${scalars_indexed})
endif()
add_cpu_kernels(top_k/top_k_in_registers.cl NAME top_k_indices FOR avx2 KERNELS ${top_k_indices} PROGRAMS ${all_indexed})
add_cpu_kernels(top_k/top_k_in_registers.cl NAME top_k_indices FOR baseline KERNELS ${top_k_indices}
                PROGRAMS ${scalars_indexed})

# Ranges: keys alone, with values of any width, or with lengths or indices.
set(tile VECTORS=2048)
list(TRANSFORM keys APPEND " ${tile}" OUTPUT_VARIABLE ranges)
list(TRANSFORM keys APPEND " ANY_WIDTH=1 INDEX_BITS=0" OUTPUT_VARIABLE keys_and_values)
list(TRANSFORM keys_and_values APPEND " ${tile}" OUTPUT_VARIABLE ranges_and_values)
list(TRANSFORM keys_and_indices APPEND " ${tile}" OUTPUT_VARIABLE ranges_and_indices)
add_cpu_kernels(sort/is_sorted.cl FOR baseline KERNELS first_descents least_descents PROGRAMS ${ranges})
add_cpu_kernels(compact/equal_runs.cl FOR baseline KERNELS count_runs scan_shares write_runs mark_runs
                PROGRAMS ${ranges} ${ranges_and_values} ${ranges_and_indices})
add_cpu_kernels(search/binary_search.cl FOR baseline KERNELS find_places PROGRAMS ${ranges_and_indices})
add_cpu_kernels(sort/merge_across.cl FOR baseline KERNELS exchange_ends PROGRAMS ${keys_and_values})
# Keys, and values of up to 16 bytes by themselves.
add_cpu_kernels(compact/select.cl FOR avx2 baseline KERNELS count_wanted write_parts PROGRAMS ${ranges} "RECORD_BYTES=16 INDEX_BITS=0 ${tile}")

# Moves, whatever the elements are.
set(values "")
foreach(index_bits IN ITEMS 32 64)
  foreach(value_bits IN ITEMS 8 16 32 64 128)
    list(APPEND values "KEY_BITS=8 VALUE_BITS=${value_bits} INDEX_BITS=${index_bits}")
  endforeach()
endforeach()
add_cpu_kernels(move/permute.cl FOR baseline KERNELS walk_from_cuts walk_cycles PROGRAMS ${values})
add_cpu_kernels(move/gather.cl FOR baseline KERNELS gather_elements move_elements PROGRAMS ${keys_and_indices})

# append_numbers(OUT PROGRAMS NUMBERS..): those programs, for each of these kinds of numbers.
function(append_numbers out programs)
  foreach(numbers IN LISTS ARGN)
    list(TRANSFORM ${programs} APPEND " NUMBERS=${numbers}" OUTPUT_VARIABLE of_numbers)
    list(APPEND ${out} ${of_numbers})
  endforeach()
  set(${out} ${${out}} PARENT_SCOPE)
endfunction()

# Reductions and scans. A product is rounded before it is added.
append_numbers(sums keys INTEGER)
append_numbers(sums floats FLOATING)
append_numbers(least keys MIN_MAX)
append_numbers(places keys MIN_MAX_PLACE)
set(combine combine_blocks combine_parts combine_range)
add_cpu_kernels(reduce/reduce.cl NAME reduce_sums FOR avx2 baseline
                KERNELS ${combine} combine_products combine_product_range PROGRAMS ${sums} OPTIONS -ffp-contract=off)
add_cpu_kernels(reduce/reduce.cl NAME reduce_least FOR avx2 baseline KERNELS ${combine} PROGRAMS ${least} ${places})
add_cpu_kernels(reduce/reduce_runs.cl NAME reduce_runs_sums FOR baseline KERNELS reduce_runs close_runs divide_runs
                PROGRAMS ${sums})
add_cpu_kernels(reduce/reduce_runs.cl NAME reduce_runs_least FOR baseline KERNELS reduce_runs close_runs
                PROGRAMS ${least})
append_numbers(scanned keys INTEGER MIN_MAX)
append_numbers(scanned_floats floats FLOATING)
set(scan combine_blocks scan_blocks write_scans)
foreach(runs IN ITEMS 0 1)
  set(instructions baseline)
  if(runs EQUAL 0)
    list(PREPEND instructions avx2)
  endif()
  list(TRANSFORM scanned APPEND " VECTORS=32 HAS_RUNS=${runs}" OUTPUT_VARIABLE programs)
  add_cpu_kernels(scan/scan.cl NAME scan_${runs} FOR ${instructions} KERNELS ${scan} scan_tiles PROGRAMS ${programs})
  list(TRANSFORM scanned_floats APPEND " VECTORS=32 HAS_RUNS=${runs}" OUTPUT_VARIABLE programs)
  add_cpu_kernels(scan/scan.cl NAME scan_floats_${runs} FOR ${instructions} KERNELS ${scan} PROGRAMS ${programs})
endforeach()
add_cpu_kernels(scan/mark_segments.cl FOR baseline KERNELS mark_segments PROGRAMS KEY_BITS=8)

# Histograms.
append_numbers(binned keys_and_indices INTEGER BY_BOUNDS)
list(FILTER keys_and_indices EXCLUDE REGEX "^KEY_BITS=8 ")
append_numbers(binned keys_and_indices FLOATING)
add_cpu_kernels(histogram/histogram.cl FOR baseline KERNELS count_keys add_counts PROGRAMS ${binned})

get_property(cpu_files GLOBAL PROPERTY lanesort_cpu_files)
list(JOIN cpu_files ", " declared)
list(JOIN cpu_files ", &" table)
if(LANESORT_CPU_KERNELS STREQUAL "host")
  list(GET cpu_instructions 0 cpu_instructions)
endif()
list(TRANSFORM cpu_instructions PREPEND "Instructions::" OUTPUT_VARIABLE sets)
list(JOIN sets ", " sets)
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/cpu/table.cpp @ONLY CONTENT
"#include \"${PROJECT_SOURCE_DIR}/host/cpu/table.hpp\"

namespace lanesort::inline v0_1::cpu {
extern const CompiledFile ${declared};

std::span<const CompiledFile* const> all_compiled() noexcept {
    static constexpr const CompiledFile* files[] = {&${table}};
    return files;
}

std::span<const Instructions> compiled_instructions() noexcept {
    static constexpr Instructions all[] = {${sets}};
    return all;
}

}  // namespace lanesort::inline v0_1::cpu
")
list(TRANSFORM cpu_files REPLACE "(.+)" "${PROJECT_BINARY_DIR}/cpu/\\1.cpp" OUTPUT_VARIABLE cpu_sources)
list(APPEND cpu_sources ${PROJECT_BINARY_DIR}/cpu/table.cpp)
