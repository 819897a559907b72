// SPDX-License-Identifier: MIT
/// @file
/// The devices that can sort.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <lanesort/key_types.hpp>
#include <lanesort/shape.hpp>

namespace lanesort::inline v0_1 {

/// The kind of a device, which decides about the shapes that are chosen for it.
enum class DeviceKind : std::uint8_t {
    cpu,    ///< a processor: one work-item walks a tile in the cache
    gpu,    ///< a graphics card: a work-group shares a tile through local memory
    other,  ///< an accelerator of another kind, treated as a graphics card
};

/// What is known of a device; the limits are those that decide about shapes and sizes.
struct DeviceInfo {
    std::string backend;                     ///< "CUDA", "OpenCL" or "CPU", the built-in one
    std::string platform;                    ///< the implementation, e.g. "Portable Computing Language"
    std::string name;                        ///< of the device, as its driver gives it
    std::string vendor;                      ///< who made it, as its driver gives it
    std::string version;                     ///< of the device, e.g. "OpenCL 3.0 PoCL ..."
    std::string driver;                      ///< the driver's version
    DeviceKind kind = DeviceKind::other;     ///< processor, graphics card or neither
    unsigned compute_units = 1;              ///< cores, or multiprocessors
    unsigned max_work_items = 1;             ///< in a work-group
    unsigned native_vector_bytes = 4;        ///< width of the device's own integer vectors
    std::uint64_t global_bytes = 0;          ///< all of its memory
    std::uint64_t max_allocation_bytes = 0;  ///< of it, in one buffer
    std::uint64_t local_bytes = 0;           ///< local memory of a work-group; of a processor, what its caches hold
    bool host_unified_memory = false;        ///< host memory can be sorted where it is, without a copy
    bool parts_vectors = false;              ///< kernels can bring the lanes of a mask together: a processor's quicksort
    bool has_doubles = true;                 ///< it adds floating-point numbers of 64 bits
    bool compiles = true;                    ///< it runs kernels of any shape; else only of those that are chosen
};

/// Returns the shape that the library chooses for `count` elements of such bytes (0: very many). It is from a table by
/// kind of device, clipped to the device's limits. There is one for every device with 32 work-items and 4 KB of local
/// memory; a processor needs neither.
Shape choose_shape(const DeviceInfo& device, ElementBytes bytes, std::uint64_t count = 0);

namespace detail {
class DeviceHandle;
}

/// A device of one of the backends; cheap to copy. Opens nothing: a Sorter does.
class Device {
public:
    /// For the library's own backends; devices() and find_device() give devices.
    explicit Device(std::shared_ptr<const detail::DeviceHandle> handle) noexcept;

    /// What is known of it. Lives as long as any copy of the device.
    const DeviceInfo& info() const noexcept;
    /// For the library itself.
    const detail::DeviceHandle& handle() const noexcept { return *handle_; }

private:
    std::shared_ptr<const detail::DeviceHandle> handle_;
};

/// What this machine has to sort on; of each, CUDA's come first.
struct Discovery {
    std::vector<std::string> platforms;  ///< their names, also of those without a device
    std::vector<Device> devices;         ///< of all platforms
    std::vector<std::string> absences;   ///< why there are not more: a sentence for each backend or platform
};

/// Asks all backends, and returns what there is. A backend that is missing, e.g. without its driver, or that fails is
/// among the absences. Any thread may call this and the two below at any time: they ask one after the other.
Discovery discover();

/// Returns every device of every platform, CUDA's first; none where there are none. discover() tells why there are not
/// more.
std::vector<Device> devices();

/// Returns the processor that the program runs on, with the kernels that were compiled with the library. It is there on
/// every machine and needs no driver; the call asks no other backend. It sorts host memory where it is. As many threads
/// work as the process may run on, or as the environment variable LANESORT_THREADS says if that is fewer.
Device built_in_device();

/// Returns the device that `selector` names: a number in the order of devices(), or a part of the name of the device or
/// of its platform, in any case of letters. "built-in" is built_in_device(). "" or "default" is the first GPU, or else
/// the built-in device; "compiling" is the first GPU, or else the first device that compiles kernels, which comparators
/// as text and shapes of one's own need.
///
/// Errors: Error(no_device) where none compiles, or Error(unknown_device) that lists what there is.
Device find_device(std::string_view selector = {});

}  // namespace lanesort::inline v0_1
