// What the C++ compiler made of the kernels. For files that are compiled for one instruction set: it includes nothing.
#pragma once

namespace lanesort::cpu {

/// Instructions beyond those that every processor of its kind has.
enum class Instructions : unsigned char { baseline, avx2, avx512 };

/// Runs work-groups first .. end - 1 of `groups`. Arguments are addresses and integers, each in 8 bytes.
using Kernel = void (*)(const unsigned long* arguments, unsigned long first, unsigned long end, unsigned long groups);

struct NamedKernel {
    const char* name;
    Kernel run;
};

/// A kernel file, compiled for some elements, and in which shape (parameters.h has the words).
struct Compiled {
    Instructions instructions;
    const char* file;
    bool two_ranges;
    unsigned key_bytes, value_bytes, index_bytes;
    unsigned lanes, vectors, register_vectors;
    NamedKernel kernels[3];
};

}  // namespace lanesort::cpu
