// SPDX-License-Identifier: MIT
// Sorts that are recorded once and enqueued many times.
#include "run_everywhere.hpp"

namespace lanesort::test {
namespace {

TEST_CASE("recorded sort: sorts the present keys each time") {
    Random random(seed());
    for (Target& target : targets())
        for (const std::size_t count : {0, 1, 2, 1000, 100003}) {
            CAPTURE(target.name);
            CAPTURE(count);
            const auto memory = target.memory(Bytes(count * sizeof(std::uint32_t)));
            KeyRange range{here, 0, count, KeyType::u32};
            const auto by_choice = memory->record(target.sorter(), sort(range));
            range.data_independent = true;
            const auto recording = memory->record(target.sorter(), sort(range));
            const std::size_t passes = count < 2 ? 0 : target.sorter().plan(KeyType::u32, count).passes.size();
            for (int repetition = 0; repetition < 3; ++repetition) {
                const auto keys = random_keys<std::uint32_t>(count, random);
                memory->write(bytes_of(keys));
                CHECK(recording->enqueue().launches == passes);
                require_same_bytes(keys_of<std::uint32_t>(memory->read()), sorted(keys, Order::ascending));
                memory->write(bytes_of(keys));
                const std::size_t launches = by_choice->enqueue().launches;
                if (target.most_quicksort_bytes() == 0) CHECK(launches == passes);
                require_same_bytes(keys_of<std::uint32_t>(memory->read()), sorted(keys, Order::ascending));
            }
        }
}

TEST_CASE("recorded sort: its sorter may sort otherwise before it is replayed") {
    Random random(seed());
    for (Target& target : targets()) {
        CAPTURE(target.name);
        Sorter& sorter = target.sorter();
        const auto keys = random_keys<std::int32_t>(4000, random);
        const auto memory = target.memory(bytes_of(keys));
        const auto recording =
            memory->record(sorter, sort(KeyRange{here, 0, keys.size(), KeyType::i32, Order::descending}));
        check_sort(target, sorter, random_keys<float>(777, random), Order::ascending, 3);
        recording->enqueue();
        require_same_bytes(keys_of<std::int32_t>(memory->read()), sorted(keys, Order::descending));
        check_sort(target, sorter, random_keys<std::uint32_t>(333, random), Order::descending, 1);
    }
}

TEST_CASE("recorded sort: those enqueued without a pause run one after the other") {
    Random random(seed());
    for (Target& target : targets()) {
        CAPTURE(target.name);
        const auto keys = random_keys<std::uint32_t>(30000, random);
        const auto memory = target.memory(bytes_of(keys));
        const auto up = memory->record(target.sorter(), sort(KeyRange{here, 0, keys.size(), KeyType::u32}));
        const auto down =
            memory->record(target.sorter(), sort(KeyRange{here, 0, keys.size(), KeyType::u32, Order::descending}));
        for (int repetition = 0; repetition < 5; ++repetition) up->enqueue(), down->enqueue();
        require_same_bytes(keys_of<std::uint32_t>(memory->read()), sorted(keys, Order::descending));
    }
}

TEST_CASE("recorded sort: it stays when its sorter frees its programs") {
    Random random(seed());
    for (Target& target : targets()) {
        CAPTURE(target.name);
        Sorter sorter = target.new_sorter();
        const auto keys = random_keys<std::uint32_t>(30000, random);
        const auto memory = target.memory(bytes_of(keys)), once = target.memory(bytes_of(keys));
        const auto recording = memory->record(sorter, sort(KeyRange{here, 0, keys.size(), KeyType::u32}));
        check_sort(target, sorter, random_keys<std::uint8_t>(777, random), Order::ascending, 3);
        once->enqueue(sorter, sort(KeyRange{here, 0, keys.size(), KeyType::u32}));
        sorter.release();
        require_same_bytes(keys_of<std::uint32_t>(once->read()), sorted(keys, Order::ascending));
        recording->enqueue();
        require_same_bytes(keys_of<std::uint32_t>(memory->read()), sorted(keys, Order::ascending));
        check_sort(target, sorter, random_keys<std::uint8_t>(333, random), Order::descending, 1);
        sorter.release();
    }
}

}  // namespace
}  // namespace lanesort::test
