// SPDX-License-Identifier: MIT
// The kernels of one set of parameters, compiled for one device.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "../../lib/src/core/work.hpp"
#include "clhpp.hpp"

namespace lanesort::inline v0_1::opencl {

/// The integers of a pass, as its kernel has them (kernels/sort/pass_arguments.h).
struct PassIntegers {
    /// The low bytes, behind those that are there, at a multiple of so many.
    void add(std::uint64_t value, std::size_t bytes) noexcept;
    /// As large as the kernel's, of which some have 8 bytes.
    void end() noexcept { size = (size + 7) / 8 * 8; }

    std::size_t size = 0;
    std::array<std::byte, 2 * detail::ArgumentTypes::most * sizeof(std::uint64_t)> bytes = {};

    bool operator==(const PassIntegers&) const = default;
};

/// What the arguments of a kernel were set to last; nothing where that must be done again: memory may be another's by
/// now.
struct LastArguments {
    std::array<std::optional<std::uint64_t>, 2 * detail::ArgumentTypes::most> each;
    std::optional<PassIntegers> of_pass;
};

class Program final : public detail::Program {
public:
    /// Compiles. Throws Error(build_failed) with the compiler's log, and cl::Error.
    Program(const cl::Context& context, const cl::Device& device, const detail::KernelParameters& parameters);

    bool integers_in_one;                               ///< those of a pass are one argument
    std::vector<cl::Kernel> kernels;                    ///< in the order of detail::kernel_names()
    mutable std::vector<LastArguments> last_arguments;  ///< of each

    /// Notes that a kernel is about to be launched with so many work-groups. False if a launch was noted before after
    /// which this one compiles nothing.
    bool is_first_launch(std::size_t kernel, std::uint64_t groups) const;

private:
    mutable std::vector<std::array<bool, 2>> launched_;  // each kernel, with few and with many work-items
};

/// PoCL compiles a kernel when it is first launched, and again when it is first launched with so many work-items.
inline constexpr std::uint64_t many_work_items = 65535;

/// That of a launch.
inline const Program& program_of(const detail::Work& work, const detail::Launch& launch) {
    return static_cast<const Program&>(*work.programs[launch.program]);
}

}  // namespace lanesort::inline v0_1::opencl
