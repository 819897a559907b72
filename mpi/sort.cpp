// Sorts across ranks: blocks.hpp says which keys go where; here they go. What is sent depends on the counts alone, so a
// rank whose sorter fails goes on with its part of the messages, and none waits for it in vain.
#include <algorithm>
#include <cstring>
#include <exception>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

#include "blocks.hpp"
#include "communicator.hpp"
#include "elements.hpp"

namespace lanesort::mpi {
namespace {

enum class Verb : std::uint32_t { sort, argsort, top_k };

/// What the ranks must agree on, and what each needs to know of the others.
struct Description {
    std::uint64_t count, wanted, piece_bytes, value_bytes;
    Verb verb;
    KeyType type;
    Order order;
    std::uint8_t is_record, is_refused, refusal;
    std::uint8_t unused[19];

    /// Both are parts of one call.
    bool agrees(const Description& other) const noexcept {
        return wanted == other.wanted && piece_bytes == other.piece_bytes && value_bytes == other.value_bytes &&
               verb == other.verb && type == other.type && order == other.order;
    }
    std::string text() const {
        static constexpr const char* verbs[] = {"sorts", "sorts indices of", "selects from"};
        return fmt::format("{} {} keys of type {}, {}, with values of {} bytes, k = {} and pieces of {} bytes",
                           verbs[static_cast<std::uint32_t>(verb)], count, name(type),
                           order == Order::ascending ? "ascending" : "descending", value_bytes, wanted, piece_bytes);
    }
};
static_assert(sizeof(Description) == 64 && std::is_trivially_copyable_v<Description>);

void require(bool holds, const char* sentence) {
    if (!holds) throw Error(ErrorCode::invalid_argument, sentence);
}

Description describe(Verb verb, const ConstKeys& keys, std::size_t value_bytes, std::uint64_t wanted,
                     const Options& options) {
    return {.count = keys.size(),
            .wanted = wanted,
            .piece_bytes = options.piece_bytes,
            .value_bytes = value_bytes,
            .verb = verb,
            .type = keys.kind().type(),
            .order = options.order.value_or(verb == Verb::top_k ? Order::descending : Order::ascending),
            .is_record = keys.kind().is_record(),
            .is_refused = 0,
            .refusal = 0,
            .unused = {}};
}

/// Runs steps that may fail on one rank alone; after the first that did it runs none.
class Attempts {
public:
    template <class Step>
    void operator()(const Step& step) noexcept {
        if (failure_) return;
        try {
            step();
        } catch (...) {
            failure_ = std::current_exception();
        }
    }
    /// Throws on all ranks if a step failed on any.
    void agree(const Communicator& ranks) {
        const bool any = ranks.any(failure_ != nullptr);
        if (failure_) std::rethrow_exception(failure_);
        if (any) throw Error(ErrorCode::device_failed, "the sort failed on another rank, which says why");
    }
    const std::exception_ptr& failure() const noexcept { return failure_; }

private:
    std::exception_ptr failure_;
};

/// Throws on all ranks unless they all ask for the same, and none is refused by `check`. Returns what they ask for.
template <class Check>
std::vector<Description> agreed(const Communicator& ranks, Description mine, const Check& check) {
    Attempts attempts;
    attempts([&] {
        require(!mine.is_record, "keys are records; across ranks, numbers are sorted");
        require(mine.piece_bytes > 0 && mine.piece_bytes <= std::size_t{1} << 30,
                "pieces have no bytes, or more than 2^30");
        check();
    });
    if (attempts.failure()) {
        mine.is_refused = 1;
        mine.refusal = static_cast<std::uint8_t>(ErrorCode::device_failed);
        try {
            std::rethrow_exception(attempts.failure());
        } catch (const Error& error) {
            mine.refusal = static_cast<std::uint8_t>(error.code());
        } catch (...) {
        }
    }
    std::vector<Description> all = ranks.gather(mine);
    if (attempts.failure()) std::rethrow_exception(attempts.failure());
    for (std::size_t i = 0; i < all.size(); ++i)
        if (all[i].is_refused)
            throw Error(static_cast<ErrorCode>(all[i].refusal),
                        fmt::format("rank {} was refused, and its error says why", i));
    for (std::size_t i = 1; i < all.size(); ++i)
        if (!all[i].agrees(all[0]))
            throw Error(ErrorCode::invalid_argument,
                        fmt::format("the ranks disagree: rank 0 {}, and rank {} {}", all[0].text(), i, all[i].text()));
    return all;
}

std::vector<std::uint64_t> counts_of(const std::vector<Description>& all) {
    std::vector<std::uint64_t> counts;
    for (const Description& one : all) counts.push_back(one.count);
    return counts;
}

Blocks blocks_of(std::span<const std::uint64_t> counts) {
    std::uint64_t sum = 0;
    for (const std::uint64_t count : counts) sum += count;
    return {.count = sum, .blocks = counts.size()};
}

/// Elements of one rank's share in a piece of an all-to-all, and of a piece of an exchange with one rank.
std::uint64_t share_in_piece(const Blocks& blocks, std::size_t bytes, std::size_t piece_bytes) {
    return std::clamp<std::uint64_t>(piece_bytes / (blocks.blocks * bytes), 1,
                                     std::max<std::uint64_t>(blocks.largest_share(), 1));
}
std::uint64_t piece_of_exchange(const Blocks& blocks, std::size_t bytes, std::size_t piece_bytes) {
    return std::clamp<std::uint64_t>(piece_bytes / bytes, 1, std::max<std::uint64_t>(blocks.length, 1));
}

/// The keys of all ranks become one order.
class Sort {
public:
    Sort(const Communicator& ranks, Sorter& sorter, const std::vector<Description>& all, const Elements& given)
        : ranks_(ranks),
          sorter_(sorter),
          type_(all[0].type),
          order_(all[0].order),
          counts_(counts_of(all)),
          blocks_(blocks_of(counts_)),
          evening_(blocks_, counts_),
          me_(ranks.rank()),
          given_(given),
          own_(given),
          before_(type_, order_),
          share_(share_in_piece(blocks_, given.bytes(), all[0].piece_bytes)),
          piece_(piece_of_exchange(blocks_, given.bytes(), all[0].piece_bytes)) {
        // Counts that are not even leave no room, and a short block has none for what passes through it.
        const bool in_place = evening_.is_needless() && (!blocks_.by_columns() || blocks_.size(me_) == blocks_.length);
        attempt_([&] {
            if (!in_place) {
                copy_ = std::make_unique_for_overwrite<std::byte[]>(blocks_.length * given.bytes());
                own_ = given.at(copy_.get(), blocks_.length);
            }
            if (blocks_.blocks > 1) {
                const std::uint64_t most = std::max(blocks_.by_columns() ? share_ * blocks_.blocks : 0,
                                                    std::min(piece_, blocks_.by_columns() ? blocks_.window() : piece_));
                sent_ = std::make_unique_for_overwrite<std::byte[]>(most * given.bytes());
                received_ = std::make_unique_for_overwrite<std::byte[]>(most * given.bytes());
            }
        });
        attempt_.agree(ranks_);
    }

    void run() {
        even_out();
        sort_block(size());
        if (blocks_.by_columns()) columns();
        else
            for (const std::uint64_t with : blocks_.partners(me_)) merge_split(with, blocks_.length, true);
        restore();
        attempt_.agree(ranks_);
    }

private:
    std::uint64_t size() const noexcept { return blocks_.size(me_); }

    void sort_block(std::uint64_t count) {
        attempt_([&] {
            const Keys keys(own_.keys, count, type_);
            if (own_.value_bytes)
                sorter_.sort_by_key(keys, Values(own_.values, count, own_.value_bytes), {.order = order_});
            else sorter_.sort(keys, {.order = order_});
        });
    }

    /// Merges two sorted ranges of the block, the first from `begin` on.
    void merge(std::uint64_t begin, std::uint64_t middle, std::uint64_t end) {
        attempt_([&] {
            const Elements from = own_.from(begin);
            const std::uint64_t count = end - begin;
            const Keys keys(from.keys, count, type_);
            if (own_.value_bytes)
                sorter_.merge_by_key(keys, Values(from.values, count, own_.value_bytes), middle - begin,
                                     {.order = order_});
            else sorter_.merge(keys, middle - begin, {.order = order_});
        });
    }

    // ---- Counts that are not even ----

    /// Interval `from[i]` of each rank i goes to the ranks whose intervals of `to` overlap with it.
    void redistribute(const Intervals& from, const Elements& source, const Intervals& to, const Elements& target) {
        Communicator::Pending pending(ranks_);
        for (std::uint64_t i = 0; i < blocks_.blocks; ++i) {
            const auto get = overlap(from, i, to, me_), give = overlap(from, me_, to, i);
            if (i == me_) {
                source.from(get.first - from[me_]).copy(target.from(get.first - to[me_]), get.second - get.first);
                continue;
            }
            if (get.second > get.first) {
                const Elements at = target.from(get.first - to[me_]);
                at.each(at, [&](std::byte* data, std::byte*, std::size_t width) {
                    pending.receive(i, data, (get.second - get.first) * width);
                });
            }
            if (give.second > give.first) {
                const Elements at = source.from(give.first - from[me_]);
                at.each(at, [&](const std::byte* data, std::byte*, std::size_t width) {
                    pending.send(i, data, (give.second - give.first) * width);
                });
            }
        }
        pending.wait();
    }
    void even_out() {
        if (own_.keys == given_.keys) return;
        const std::uint64_t kept = std::min(counts_[me_], size());
        given_.copy(own_, kept);
        redistribute(evening_.surplus, given_.from(kept), evening_.lack, own_.from(kept));
    }
    void restore() {
        if (own_.keys != given_.keys) redistribute(evening_.even, own_, evening_.given, given_);
    }

    // ---- Columns ----

    void columns() {
        const std::uint64_t last = blocks_.blocks - 1;
        transpose([&](std::uint64_t to) { return blocks_.to_class(me_, to); },
                  [&](std::uint64_t from) { return blocks_.to_class(from, me_); },
                  [&](std::uint64_t from) { return from == last ? blocks_.size(last) : blocks_.length; });
        sort_block(blocks_.class_size(me_));
        transpose([&](std::uint64_t to) { return blocks_.to_block(me_, to); },
                  [&](std::uint64_t from) { return blocks_.to_block(from, me_); },
                  [&](std::uint64_t from) { return blocks_.class_size(from); });
        sort_block(size());
        // Block 0 with 1, 2 with 3, and then 1 with 2.
        for (const std::uint64_t first : {0, 1}) {
            const std::uint64_t with = me_ % 2 == first ? me_ + 1 : me_ - 1;
            if (with < blocks_.blocks) merge_split(with, blocks_.window(), false);
        }
    }

    /// Gives each rank its share and puts what comes where that was. `sizes` are the keys of each rank's block, whose
    /// places behind them are empty; what comes from there leaves a hole, and the last keys fill the holes.
    template <class Give, class Get, class Sizes>
    void transpose(const Give& give, const Get& get, const Sizes& sizes) {
        std::vector<std::uint64_t> holes;
        for (std::uint64_t begin = 0; begin < blocks_.largest_share(); begin += share_) {
            const std::uint64_t count = std::min(share_, blocks_.largest_share() - begin);
            const std::uint64_t message = count * own_.bytes();
            // The part of a share that is in this piece.
            const auto part = [&](const Share& share) {
                const std::uint64_t skipped = std::min(begin, share.count);
                return Share{share.first + skipped * share.stride, share.stride,
                             std::min(count, share.count - skipped)};
            };
            for (std::uint64_t to = 0; to < blocks_.blocks; ++to) {
                const Share sent = part(give(to));
                own_.from(sent.first)
                    .each(own_.at(sent_.get() + to * message, count),
                          [&](const std::byte* from, std::byte* place, std::size_t width) {
                              with_width(width, [&](auto element) {
                                  constexpr std::size_t bytes = sizeof(element);
                                  for (std::uint64_t k = 0; k < sent.count; ++k)
                                      std::memcpy(place + k * bytes, from + k * sent.stride * bytes, bytes);
                              });
                          });
            }
            ranks_.all_to_all(sent_.get(), received_.get(), message);
            std::uint64_t from = 0, taken = 0;
            for (std::uint64_t to = 0; to < blocks_.blocks; ++to) {
                const Share vacated = part(give(to));
                for (std::uint64_t filled = 0; filled < vacated.count;) {
                    const Share came = part(get(from));
                    const std::uint64_t n = std::min(vacated.count - filled, came.count - taken);
                    place(own_.at(received_.get() + from * message, count).from(taken),
                          {vacated.first + filled * vacated.stride, vacated.stride, n});
                    for (std::uint64_t k = taken; k < taken + n; ++k)
                        if (came.first + k * came.stride >= sizes(from))
                            holes.push_back(vacated.first + (filled + k - taken) * vacated.stride);
                    filled += n, taken += n;
                    if (taken == came.count) ++from, taken = 0;
                }
            }
        }
        fill(holes);
    }

    void place(const Elements& came, const Share& to) const {
        came.each(own_.from(to.first), [&](const std::byte* from, std::byte* place, std::size_t width) {
            with_width(width, [&](auto element) {
                constexpr std::size_t bytes = sizeof(element);
                for (std::uint64_t k = 0; k < to.count; ++k)
                    std::memcpy(place + k * to.stride * bytes, from + k * bytes, bytes);
            });
        });
    }

    void fill(std::vector<std::uint64_t>& holes) const {
        std::sort(holes.begin(), holes.end());
        std::uint64_t end = blocks_.length;
        for (std::size_t low = 0, high = holes.size(); low < high; --end) {
            if (holes[high - 1] == end - 1) --high;
            else own_.from(end - 1).copy(own_.from(holes[low++]), 1);
        }
    }

    // ---- Merges with another rank ----

    /// The rank of the lower number keeps the first keys of both, within the `most` keys at the ends that meet.
    /// `whole`: what is kept may belong anywhere in the block, else within these keys.
    void merge_split(std::uint64_t with, std::uint64_t most, bool whole) {
        if (with == me_) return;
        const bool is_low = me_ < with;
        const std::uint64_t low = size();
        const std::uint64_t meet = std::min({most, low, blocks_.size(with)});
        // Key k of the upper rank meets the k-th from the end of the lower rank. The keys that change places are a
        // number of first ones; they go in so that the others' order is reversed.
        std::uint64_t moved = 0;
        for (std::uint64_t begin = 0; begin < meet; begin += piece_) {
            const std::uint64_t count = std::min(piece_, meet - begin);
            const std::uint64_t first = is_low ? low - begin - count : begin;
            own_.from(first).copy(own_.at(sent_.get(), count), count);
            ranks_.exchange(with, sent_.get(), received_.get(), count * own_.bytes());
            const Elements theirs = own_.at(received_.get(), count), mine = own_.from(first);
            const auto changes = [&](std::uint64_t k) {
                return is_low ? before_(theirs, k, mine, count - 1 - k) : before_(mine, k, theirs, count - 1 - k);
            };
            std::uint64_t from = 0, to = count;
            while (from < to) {
                const std::uint64_t middle = from + (to - from) / 2;
                if (changes(middle)) from = middle + 1;
                else to = middle;
            }
            for (std::uint64_t k = 0; k < from; ++k) {
                const std::uint64_t mirrored = count - 1 - k;
                theirs.from(is_low ? k : mirrored).copy(mine.from(is_low ? mirrored : k), 1);
            }
            moved += from;
        }
        if (moved == 0) return;
        const std::uint64_t first = is_low ? low - moved : 0;
        const Elements turned = own_.from(first);
        turned.each(turned, [&](std::byte* data, std::byte*, std::size_t width) {
            with_width(width, [&](auto element) {
                auto* const elements = reinterpret_cast<decltype(element)*>(data);
                std::reverse(elements, elements + moved);
            });
        });
        if (is_low) merge(whole ? 0 : low - meet, first, low);
        else merge(0, moved, whole ? low : meet);
    }

    const Communicator& ranks_;
    Sorter& sorter_;
    KeyType type_;
    Order order_;
    std::vector<std::uint64_t> counts_;
    Blocks blocks_;
    Evening evening_;
    std::uint64_t me_;
    Elements given_;  ///< the caller's
    Elements own_;    ///< the rank's block: the caller's, or a copy
    Before before_;
    std::uint64_t share_;  ///< elements for each rank in a piece of an all-to-all
    std::uint64_t piece_;  ///< elements in a piece of an exchange
    Attempts attempt_;
    std::unique_ptr<std::byte[]> copy_, sent_, received_;
};

Elements elements(void* keys, std::size_t key_bytes, void* values = nullptr, std::size_t value_bytes = 0) {
    return {static_cast<std::byte*>(keys), static_cast<std::byte*>(values), key_bytes, value_bytes};
}

void require_memory(const void* memory, std::size_t count, const char* sentence) {
    require(memory || count == 0, sentence);
}

void sort_pairs(MPI_Comm communicator, Sorter& sorter, Keys keys, const Values* given, const Options& options) {
    const Communicator ranks(communicator);
    const Values values = given ? *given : Values(nullptr, 0, 0);
    const auto all = agreed(ranks, describe(Verb::sort, keys, values.bytes(), 0, options), [&] {
        require_memory(keys.data(), keys.size(), "there are keys, but the pointer to them is null");
        if (!given) return;
        require(keys.size() == values.size(), "there is not one value for each key");
        require_memory(values.data(), values.size(), "there are values, but the pointer to them is null");
        const auto widths = {1, 2, 4, 8, 16};
        require(std::find(widths.begin(), widths.end(), static_cast<int>(values.bytes())) != widths.end(),
                "values have 1, 2, 4, 8 or 16 bytes");
    });
    Sort(ranks, sorter, all, elements(keys.data(), keys.kind().bytes(), values.data(), values.bytes())).run();
}

/// The best keys of all ranks, with their indices where `indices` has bytes.
void select(MPI_Comm communicator, Sorter& sorter, ConstKeys keys, Results best, Indices indices,
            const Options& options) {
    const Communicator ranks(communicator);
    const std::size_t width = keys.kind().bytes();
    const std::uint64_t wanted = best.size();
    const auto all = agreed(ranks, describe(Verb::top_k, keys, indices.bytes(), wanted, options), [&] {
        require_memory(keys.data(), keys.size(), "there are keys, but the pointer to them is null");
        require_memory(best.data(), best.size(), "keys are wanted, but the pointer to the results is null");
        require(best.bytes() == width, "results have not the keys' width");
        if (indices.bytes() == 0) return;
        require(indices.bytes() == 8, "indices across ranks have 8 bytes");
        require(indices.size() == best.size(), "there is not one index for each key that is selected");
        require_memory(indices.data(), indices.size(), "indices are wanted, but the pointer to them is null");
    });
    const std::vector<std::uint64_t> counts = counts_of(all);
    const Intervals begins = intervals(ranks.size(), [&](auto i) { return counts[i]; });
    if (wanted > begins.back())
        throw Error(ErrorCode::invalid_argument,
                    fmt::format("{} keys are wanted, and all ranks have {}", wanted, begins.back()));
    const std::uint64_t me = ranks.rank();
    const Order order = all[0].order;
    std::uint64_t have = std::min<std::uint64_t>(wanted, keys.size());
    std::unique_ptr<std::byte[]> memory;
    Elements mine;
    Attempts attempt;
    attempt([&] {
        memory = std::make_unique_for_overwrite<std::byte[]>(2 * wanted * (width + indices.bytes()));
        mine = elements(nullptr, width, nullptr, indices.bytes()).at(memory.get(), 2 * wanted);
        const Results found(mine.keys, have, width);
        if (have == 0) return;
        if (mine.value_bytes == 0) {
            sorter.top_k(keys, found, TopKOptions{.order = order});
            return;
        }
        sorter.top_k(keys, found, Indices(mine.values, have, 8), TopKOptions{.order = order});
        auto* const places = reinterpret_cast<std::uint64_t*>(mine.values);
        for (std::uint64_t i = 0; i < have; ++i) places[i] += begins[me];
    });
    attempt.agree(ranks);

    // A rank takes what another, `distance` above it, has found among as many ranks, or gives its own and is done.
    for (std::uint64_t distance = 1; distance < ranks.size(); distance *= 2) {
        if (me % (2 * distance) == distance) {
            mine.each(mine, [&](const std::byte* data, std::byte*, std::size_t bytes) {
                ranks.send(me - distance, data, have * bytes);
            });
            break;
        }
        if (me + distance >= ranks.size()) continue;
        const std::uint64_t end = std::min(ranks.size(), me + 2 * distance);
        const std::uint64_t come = std::min(wanted, begins[end] - begins[me + distance]);
        const Elements behind = mine.from(have);
        behind.each(behind, [&](std::byte* data, std::byte*, std::size_t bytes) {
            ranks.receive(me + distance, data, come * bytes);
        });
        attempt([&] {
            const Keys both(mine.keys, have + come, keys.kind());
            if (mine.value_bytes) sorter.sort_by_key(both, Values(mine.values, have + come, 8), {.order = order});
            else sorter.sort(both, {.order = order});
        });
        have = std::min(wanted, have + come);
    }
    mine.each(mine, [&](std::byte* data, std::byte*, std::size_t bytes) { ranks.broadcast(data, wanted * bytes); });
    attempt.agree(ranks);
    mine.copy(elements(best.data(), width, indices.data(), indices.bytes()), wanted);
}

}  // namespace

void sort(MPI_Comm communicator, Sorter& sorter, Keys keys, const Options& options) {
    sort_pairs(communicator, sorter, keys, nullptr, options);
}

void sort_by_key(MPI_Comm communicator, Sorter& sorter, Keys keys, Values values, const Options& options) {
    sort_pairs(communicator, sorter, keys, &values, options);
}

void argsort(MPI_Comm communicator, Sorter& sorter, ConstKeys keys, Indices indices, const Options& options) {
    const Communicator ranks(communicator);
    const std::size_t width = keys.kind().bytes();
    std::unique_ptr<std::byte[]> copy;
    const auto all = agreed(ranks, describe(Verb::argsort, keys, indices.bytes(), 0, options), [&] {
        require_memory(keys.data(), keys.size(), "there are keys, but the pointer to them is null");
        require(indices.bytes() == 8, "indices across ranks have 8 bytes");
        require(keys.size() == indices.size(), "there is not one index for each key");
        require_memory(indices.data(), indices.size(), "there are indices, but the pointer to them is null");
        try {
            copy = std::make_unique_for_overwrite<std::byte[]>(keys.size() * width);
        } catch (const std::bad_alloc&) {
            throw Error(ErrorCode::out_of_memory, "there is no memory for a copy of the keys");
        }
    });
    std::uint64_t first = 0;
    for (std::uint64_t i = 0; i < ranks.rank(); ++i) first += all[i].count;
    auto* const places = static_cast<std::uint64_t*>(indices.data());
    for (std::size_t i = 0; i < indices.size(); ++i) places[i] = first + i;
    if (keys.size() > 0) std::memcpy(copy.get(), keys.data(), keys.size() * width);
    Sort(ranks, sorter, all, elements(copy.get(), width, indices.data(), 8)).run();
}

void top_k(MPI_Comm communicator, Sorter& sorter, ConstKeys keys, Results best, const Options& options) {
    select(communicator, sorter, keys, best, Indices(nullptr, 0, 0), options);
}

void top_k(MPI_Comm communicator, Sorter& sorter, ConstKeys keys, Results best, Indices indices,
           const Options& options) {
    select(communicator, sorter, keys, best, indices, options);
}

Traffic traffic(std::span<const std::uint64_t> counts, std::uint64_t rank, std::size_t key_bytes,
                std::size_t value_bytes, const Options& options) {
    const Blocks blocks = blocks_of(counts);
    const std::size_t bytes = key_bytes + value_bytes;
    Traffic all;
    const auto message = [&](std::uint64_t of) {
        all.messages += Communicator::messages(of);
        all.message_bytes += of;
    };
    const auto merge_split = [&](std::uint64_t with, std::uint64_t most) {
        const std::uint64_t piece = piece_of_exchange(blocks, bytes, options.piece_bytes);
        const std::uint64_t meet = std::min({most, blocks.size(rank), blocks.size(with)});
        for (std::uint64_t begin = 0; begin < meet && with != rank; begin += piece)
            message(std::min(piece, meet - begin) * bytes);
    };
    if (blocks.by_columns()) {
        const std::uint64_t share = share_in_piece(blocks, bytes, options.piece_bytes),
                            all_shares = blocks.largest_share();
        all.all_to_alls = 2 * ((all_shares + share - 1) / share);
        all.all_to_all_bytes = 2 * all_shares * (blocks.blocks - 1) * bytes;
        for (const std::uint64_t with : {rank - 1, rank + 1})
            if (with < blocks.blocks) merge_split(with, blocks.window());
    } else
        for (const std::uint64_t with : blocks.partners(rank)) merge_split(with, blocks.length);
    const Evening evening(blocks, {counts.begin(), counts.end()});
    if (evening.is_needless()) return all;
    for (std::uint64_t i = 0; i < blocks.blocks; ++i)
        for (const auto& [from, to] : {std::pair{&evening.surplus, &evening.lack}, {&evening.even, &evening.given}}) {
            const auto part = overlap(*from, rank, *to, i);
            if (i == rank) continue;
            message((part.second - part.first) * key_bytes);
            message((part.second - part.first) * value_bytes);
        }
    return all;
}

}  // namespace lanesort::mpi
