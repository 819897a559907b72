// SPDX-License-Identifier: MIT
// Rows in host memory and on a device that is made up, whose memory is the host's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "core/backend.hpp"

namespace lanesort::test {

inline void copy_rows(const lanesort::detail::Rows& all, const lanesort::detail::Binding& binding, bool up) {
    each_slice(all, binding, [&](const lanesort::detail::Rows& rows, const lanesort::detail::Binding& there) {
        for (std::uint64_t row = 0; row < rows.height; ++row) {
            std::byte* const here = static_cast<std::byte*>(rows.host) + row * rows.pitch;
            std::byte* const on_device = static_cast<std::byte*>(there.memory) + there.offset + row * rows.device_pitch;
            std::memcpy(up ? on_device : here, up ? here : on_device, rows.width);
        }
    });
}

}  // namespace lanesort::test
