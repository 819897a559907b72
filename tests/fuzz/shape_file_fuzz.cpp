// SPDX-License-Identifier: MIT
// Files of shapes: what is read is written to the same shapes again, and fits the device.
#include <lanesort/error.hpp>
#include <lanesort/tuning.hpp>

#include "core/fit.hpp"
#include "input.hpp"
#include "tests/support/devices_made_up.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const FileOf file({data, size});
    for (const lanesort::DeviceInfo& device : {lanesort::test::processor(), lanesort::test::graphics_card()}) {
        try {
            const lanesort::ShapeTable table = lanesort::read_shape_file(file.path(), device);
            for (const auto& row : table.rows) {
                check_shape(row.shape);
                require(lanesort::fit(row.shape, row.key_bytes, device) == row.shape);
                require(table.find(row.key_bytes, row.from == 0 ? 1 : row.from).has_value() || row.below == 1);
            }
            const std::string text = to_text(table);
            const FileOf again({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
            const lanesort::ShapeTable reread = lanesort::read_shape_file(again.path(), device);
            require(reread.rows == table.rows && reread.distribution_from == table.distribution_from);
        } catch (const lanesort::Error& error) {
            require(error.code() == lanesort::ErrorCode::invalid_argument);
        }
    }
    return 0;
}
