// SPDX-License-Identifier: MIT
#include "executor.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>

#include "checked.hpp"

namespace lanesort::inline v0_1::cu {

using detail::Bindings, detail::Launch, detail::Slot, detail::Work;

CUdeviceptr place_of(const Work& work, const Bindings& bindings, Slot slot) noexcept {
    return reinterpret_cast<CUdeviceptr>(bindings[slot].memory) + bindings[slot].offset * work.arrays[slot].bytes;
}

void copy_rows(const CUDA_MEMCPY2D& rows, CUstream stream) {
    constexpr std::size_t most_pitch = (std::size_t{1} << 31) - 1;
    if (rows.Height > 1 && std::max(rows.srcPitch, rows.dstPitch) <= most_pitch) {
        LANESORT_CU(cuMemcpy2DAsync, &rows, stream);
        return;
    }
    for (std::size_t row = 0; row < rows.Height; ++row) {
        const std::size_t from = row * rows.srcPitch, to = row * rows.dstPitch;
        if (rows.srcMemoryType == CU_MEMORYTYPE_HOST)
            LANESORT_CU(cuMemcpyHtoDAsync, rows.dstDevice + to, static_cast<const std::byte*>(rows.srcHost) + from,
                        rows.WidthInBytes, stream);
        else if (rows.dstMemoryType == CU_MEMORYTYPE_HOST)
            LANESORT_CU(cuMemcpyDtoHAsync, static_cast<std::byte*>(rows.dstHost) + to, rows.srcDevice + from,
                        rows.WidthInBytes, stream);
        else LANESORT_CU(cuMemcpyDtoDAsync, rows.dstDevice + to, rows.srcDevice + from, rows.WidthInBytes, stream);
    }
}

void StreamExecutor::run(const Work& work, const Bindings& bindings) {
    for (const detail::Command& command : work.commands)
        std::visit([&](const auto& of_its_kind) { enqueue(work, bindings, of_its_kind); }, command);
}

void StreamExecutor::enqueue(const Work& work, const Bindings& bindings, const Launch& launch) {
    static_assert(std::endian::native == std::endian::little, "arguments are passed by the low bytes of an integer");
    std::array<std::uint64_t, 2 * detail::ArgumentTypes::most> values;
    std::array<void*, 2 * detail::ArgumentTypes::most> arguments;
    std::size_t count = 0;
    const auto add = [&](std::uint64_t value) {
        values[count] = value;
        arguments[count] = &values[count];
        ++count;
    };
    for (const detail::Argument& argument : launch.all_arguments()) {
        if (argument.bytes > 0) {
            add(argument.value);
        } else {
            const auto [memory, offset] = bindings[argument.slot];
            add(reinterpret_cast<CUdeviceptr>(memory));
            add(offset + argument.value);
        }
    }
    const auto& program = static_cast<const Program&>(*work.programs[launch.program]);
    program.launch(launch.kernel, launch.groups, stream_, arguments.data(), follows_ && launch.awaits && !after_launch);
    follows_ = true;
    ++launches_;
    if (after_launch) after_launch();
}

void StreamExecutor::enqueue(const Work& work, const Bindings& bindings, const detail::Copy& copy) {
    follows_ = false;
    const CUdeviceptr from = place_of(work, bindings, copy.from);
    const CUdeviceptr to = place_of(work, bindings, copy.to) + copy.front;
    CUDA_MEMCPY2D rows{};
    rows.srcMemoryType = rows.dstMemoryType = CU_MEMORYTYPE_DEVICE;
    rows.srcDevice = from;
    rows.srcPitch = copy.pitch;
    rows.dstDevice = to;
    rows.dstPitch = rows.WidthInBytes = copy.width;
    rows.Height = copy.height;
    copy_rows(rows, stream_);
}

void StreamExecutor::enqueue(const Work& work, const Bindings& bindings, const detail::Zero& zero) {
    follows_ = false;
    LANESORT_CU(cuMemsetD8Async, place_of(work, bindings, zero.array), 0, work.arrays[zero.array].size(), stream_);
}

}  // namespace lanesort::inline v0_1::cu
