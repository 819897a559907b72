// The schedule of a selection.
#include <doctest/doctest.h>

#include "devices_made_up.hpp"
#include "selection.hpp"

namespace lanesort::detail {
namespace {

TEST_CASE("selection: one pass, or a second for what many work-groups leave") {
    for (const DeviceInfo& device : {test::graphics_card(), test::processor()})
        for (const ElementBytes bytes :
             {ElementBytes{4}, ElementBytes{4, 0, 4}, ElementBytes{8, 0, 8}, ElementBytes{64, 0, 4, true}})
            for (const std::uint64_t rows : {1, 10, 100'000})
                for (const std::uint64_t count : {2, 1000, 1 << 20}) {
                    CAPTURE(device.name);
                    CAPTURE(bytes.all());
                    CAPTURE(rows);
                    CAPTURE(count);
                    const std::uint64_t most = std::min(most_selected(device, bytes), count - 1);
                    for (const std::uint64_t k : {std::uint64_t{1}, most}) {
                        const Selection selection = make_selection(device, bytes, rows, count, k);
                        const Shape& shape = selection.shape;
                        CHECK(std::uint64_t{shape.vectors} * shape.lanes >= k);
                        CHECK(shape.register_vectors <= shape.vectors);
                        CHECK(shape.work_items <= device.max_work_items);
                        CHECK(selection_local_bytes(shape, bytes) <= device.local_bytes);
                        REQUIRE(selection.passes.size() <= 2);
                        CHECK(selection.passes.front().count == count);
                        CHECK(selection.passes.back().parts == 1);
                        // What is left must be much less than what was there.
                        if (selection.passes.size() == 2) {
                            CHECK(selection.passes[1].count == selection.passes[0].parts * k);
                            CHECK(selection.left_over() * 2 <= rows * count);
                        } else {
                            CHECK(selection.left_over() == 0);
                        }
                    }
                }
    CHECK(make_selection(test::graphics_card(), 4, 1, 1 << 24, 64).passes.size() == 2);
    CHECK(make_selection(test::graphics_card(), 4, 1 << 14, 1 << 10, 64).passes.size() == 1);
}

}  // namespace
}  // namespace lanesort::detail
