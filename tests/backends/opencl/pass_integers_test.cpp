// SPDX-License-Identifier: MIT
// The integers of a pass, which the host lays out as an OpenCL compiler does kernels/sort/pass_arguments.h's structure.
#include <cstring>
#include <type_traits>

#include "host/opencl/program.hpp"
#include "support.hpp"

namespace lanesort::test {
namespace {

/// As kernels/sort/pass_arguments.h has them, up to what tells them apart: integers of every width between others of 4
/// and 8 bytes.
template <class Position, class Flip>
struct Pass {
    cl_ulong keys_offset;
    Position count;
    cl_ulong rows;
    cl_uint tile_bits, phases;
    Position front;
    cl_uint first_phase;
    Flip flip;
    cl_uint strip_stride;
    cl_ulong counters_offset;
    Position kept;
};

template <class Position, class Flip>
void check_layout() {
    CAPTURE(sizeof(Position));
    CAPTURE(sizeof(Flip));
    Pass<Position, Flip> pass;
    std::memset(&pass, 0, sizeof pass);
    opencl::PassIntegers integers;
    const auto add = [&](auto& member, std::uint64_t value) {
        member = static_cast<std::remove_reference_t<decltype(member)>>(value);
        integers.add(value, sizeof member);
    };
    add(pass.keys_offset, 0x1122334455667788);
    add(pass.count, 0x99aabbcc);
    add(pass.rows, 0xddeeff0123456789);
    add(pass.tile_bits, 0x12345678);
    add(pass.phases, 0x9abcdef0);
    add(pass.front, 0x13579bdf);
    add(pass.first_phase, 0x2468ace0);
    add(pass.flip, 0xfedcba9876543210);
    add(pass.strip_stride, 0x0f1e2d3c);
    add(pass.counters_offset, 0x4b5a69788796a5b4);
    add(pass.kept, 0xc3d2e1f0);
    integers.end();
    REQUIRE(integers.size == sizeof pass);
    CHECK(std::memcmp(integers.bytes.data(), &pass, sizeof pass) == 0);
}

TEST_CASE("a pass's integers lie as in a structure") {
    check_layout<cl_uint, cl_uchar>();
    check_layout<cl_uint, cl_ushort>();
    check_layout<cl_uint, cl_uint>();
    check_layout<cl_uint, cl_ulong>();
    check_layout<cl_ulong, cl_uchar>();
    check_layout<cl_ulong, cl_ushort>();
    check_layout<cl_ulong, cl_uint>();
    check_layout<cl_ulong, cl_ulong>();
}

}  // namespace
}  // namespace lanesort::test
