// SPDX-License-Identifier: MIT
// Sorts structs in an order that the caller writes down: the bids of an order book, where the best price comes first,
// and of equal prices the earliest bid. Then by the price alone, where a stable sort keeps the order of arrival.
//
//     build/release/examples/records
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <random>
#include <span>
#include <tuple>
#include <vector>

#include <lanesort/lanesort.hpp>

namespace {

struct Bid {
    float price;
    std::uint32_t quantity;
    std::uint64_t time;
    friend bool operator==(const Bid&, const Bid&) = default;
};

// The order as text, for the device's own compiler: OpenCL C or CUDA C++, which is the same here. The struct must have
// the same size and layout on both sides.
const lanesort::Comparator best_first{
    .type = "order_book_bid",
    .bytes = sizeof(Bid),
    .before = "a.price > b.price || (a.price == b.price && a.time < b.time)",
    .declarations = "typedef struct { float price; uint quantity; ulong time; } order_book_bid;"};

const lanesort::Comparator by_price{.type = best_first.type,
                                    .bytes = sizeof(Bid),
                                    .before = "a.price > b.price",
                                    .declarations = best_first.declarations};

}  // namespace

int main() try {
    std::mt19937 random(1);
    std::uniform_int_distribution<std::uint32_t> ticks(0, 200), quantity(1, 999);
    std::vector<Bid> arrived(100'000);
    for (std::size_t i = 0; i < arrived.size(); ++i)
        arrived[i] = {100 + 0.25f * static_cast<float>(ticks(random)), quantity(random), 1000 + i};

    lanesort::Sorter sorter(lanesort::find_device("compiling"));  // the comparators are text
    std::vector<Bid> book = arrived;
    sorter.sort({book, best_first});

    // Bids arrive in the order of their times, so a stable sort by the price alone gives the same book.
    std::vector<Bid> stable = arrived;
    sorter.sort({stable, by_price}, {.stable = true});

    std::ranges::sort(arrived, [](const Bid& a, const Bid& b) {
        return std::tuple(-a.price, a.time) < std::tuple(-b.price, b.time);
    });
    const bool right = book == arrived && stable == arrived;
    std::printf("%zu bids, on %s: %s\n", book.size(), sorter.device().name.c_str(), right ? "sorted" : "WRONG");
    for (const Bid& bid : std::span(book).first(3))
        std::printf("%8.2f for %3u, at %llu\n", static_cast<double>(bid.price), bid.quantity,
                    static_cast<unsigned long long>(bid.time));
    return right ? 0 : 1;
} catch (const lanesort::Error& error) {
    // A mistake in a comparator's text is told with the compiler's log, which counts the lines of that text.
    std::fprintf(stderr, "records: %s\n%s", error.what(), error.build_log().c_str());
    return 1;
} catch (const std::exception& error) {
    std::fprintf(stderr, "records: %s\n", error.what());
    return 1;
}
