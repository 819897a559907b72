// A sort that can be measured beside others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <lanesort/key_types.hpp>

namespace lanesort::bench {

/// Random keys of one type and what sorting them gives, as bytes.
struct Input {
    KeyType type;
    std::size_t count;
    std::vector<std::byte> keys;
    std::vector<std::byte> sorted;
};

/// One sort of one input, ready to be repeated.
class Trial {
public:
    virtual ~Trial() = default;

    /// Restores the input, sorts it, and gives the seconds of the sort alone: on the device's clock where the keys are
    /// on a device, else wall time.
    virtual double run() = 0;

    /// The bytes that the last run made.
    virtual std::vector<std::byte> result() = 0;

    /// Device memory that the sort takes beside the keys.
    virtual std::size_t extra_bytes() const { return 0; }
};

/// Something that sorts.
class Peer {
public:
    virtual ~Peer() = default;
    virtual std::string name() const = 0;
    /// Null where the peer cannot sort that type.
    virtual std::unique_ptr<Trial> prepare(const Input& input) = 0;
};

/// The host's own sorts and lanesort on host ranges.
std::vector<std::unique_ptr<Peer>> host_peers();

/// lanesort on buffers of every OpenCL GPU.
std::vector<std::unique_ptr<Peer>> opencl_peers();

/// lanesort's stream and graph beside CUB's sorts, on the first CUDA device; none where there is no device.
std::vector<std::unique_ptr<Peer>> cuda_peers();

/// Calls `run` with a null pointer of the C++ type that has this key's size and order.
template <class Run>
auto with_type(KeyType type, Run&& run) {
    switch (type) {
        case KeyType::u8: return run(static_cast<std::uint8_t*>(nullptr));
        case KeyType::i8: return run(static_cast<std::int8_t*>(nullptr));
        case KeyType::u16: return run(static_cast<std::uint16_t*>(nullptr));
        case KeyType::i16: return run(static_cast<std::int16_t*>(nullptr));
        case KeyType::u64: return run(static_cast<std::uint64_t*>(nullptr));
        case KeyType::i64: return run(static_cast<std::int64_t*>(nullptr));
        case KeyType::i32: return run(static_cast<std::int32_t*>(nullptr));
        case KeyType::f32: return run(static_cast<float*>(nullptr));
        case KeyType::f64: return run(static_cast<double*>(nullptr));
        default: return run(static_cast<std::uint32_t*>(nullptr));
    }
}

}  // namespace lanesort::bench
