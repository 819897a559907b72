// SPDX-License-Identifier: MIT
#include "opencl_trial.hpp"

#include <stdexcept>

#include "kernels.hpp"

namespace lanesort::bench {

OpenClDevice::OpenClDevice(const cl::Device& opened) : device(opened), context(device), queue(context, device) {}

cl::Program OpenClDevice::build(std::initializer_list<std::string_view> files, const std::string& options) const {
    std::string source;
    for (const std::string_view name : files)
        for (const EmbeddedFile& file : embedded_kernels())
            if (file.name == name) source += file.text;
    cl::Program program(context, source);
    try {
        program.build({device}, ("-cl-std=CL1.2 " + options).c_str());
    } catch (const cl::Error&) {
        throw std::runtime_error("a kernel does not compile:\n" + program.getBuildInfo<CL_PROGRAM_BUILD_LOG>(device));
    }
    return program;
}

cl::Buffer OpenClDevice::buffer(std::size_t bytes) const { return {context, CL_MEM_READ_WRITE, bytes}; }

std::string key_options(KeyType type) {
    const auto define = [](const std::string& key, const std::string& largest) {
        return "-DKEY=" + key + " -DLARGEST=" + largest + " ";
    };
    switch (type) {
        case KeyType::u8: return define("uchar", "UCHAR_MAX");
        case KeyType::i8: return define("char", "CHAR_MAX");
        case KeyType::u16: return define("ushort", "USHRT_MAX");
        case KeyType::i16: return define("short", "SHRT_MAX");
        case KeyType::i32: return define("int", "INT_MAX");
        case KeyType::u64: return define("ulong", "ULONG_MAX");
        case KeyType::i64: return define("long", "LONG_MAX");
        case KeyType::f32: return define("float", "INFINITY");
        case KeyType::f64: return define("double", "INFINITY");
        default: return define("uint", "UINT_MAX");
    }
}

std::string refusal_of(const OpenClDevice& device, const Problem& problem) {
    if (problem.bytes() > device.device.getInfo<CL_DEVICE_MAX_MEM_ALLOC_SIZE>())
        return "more keys than one buffer of the device holds";
    return {};
}

OpenClTrial::OpenClTrial(const OpenClDevice& device, const Input& input)
    : device_(device),
      input_(input),
      keys_(device.buffer(input.keys().size())),
      pristine_(device.buffer(input.keys().size())),
      result_(input.keys().size()) {
    queue().enqueueWriteBuffer(pristine_, CL_TRUE, 0, input.keys().size(), input.keys().data());
}

std::optional<double> OpenClTrial::device_seconds(std::size_t turn) {
    if (device_.device.getInfo<CL_DEVICE_TYPE>() & CL_DEVICE_TYPE_CPU) return std::nullopt;
    const auto seconds = [&](bool sorts) {
        restore(turn);
        finish();
        const auto start = std::chrono::steady_clock::now();
        queue().enqueueNDRangeKernel(work_, cl::NullRange, 1, 1);
        queue().flush();
        if (sorts) sort();
        finish();
        return seconds_since(start);
    };
    if (!work_()) {
        work_ = cl::Kernel(device_.build({"work.cl"}, ""), "work");
        number_ = device_.buffer(sizeof(cl_uint));
        work_.setArg(0, number_);
        seconds(false);  // the first time takes longer
    }
    const double of_work = seconds(false);
    return seconds(true) - of_work;
}

std::span<const std::byte> OpenClTrial::result() {
    queue().enqueueReadBuffer(keys_, CL_TRUE, 0, result_.size(), result_.data());
    return result_;
}

void OpenClTrial::restore(std::size_t turn) {
    const std::size_t bytes = result_.size(), turned = turn * key_bytes(input_.problem().type);
    if (turned > 0) queue().enqueueCopyBuffer(pristine_, keys_, 0, bytes - turned, turned);
    queue().enqueueCopyBuffer(pristine_, keys_, turned, 0, bytes - turned);
}

}  // namespace lanesort::bench
