// SPDX-License-Identifier: MIT
// lanesort tune: finds the fastest shapes for a device and from how many keys on a distribution is faster, and stores
// that where sorters look for it.
#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <limits>
#include <memory>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <vector>

#include <fmt/core.h>

#include <lanesort/device.hpp>
#include <lanesort/error.hpp>
#include <lanesort/sorter.hpp>
#include <lanesort/tuning.hpp>

#include "arguments.hpp"
#include "command.hpp"
#include "files.hpp"
#include "options.hpp"
#include "progress.hpp"
#include "schedule_search.hpp"
#include "shape_search.hpp"
#include "table.hpp"

namespace {

using namespace lanesort;
using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

/// How many times as fast as the built-in shape another must be to take its place, and a distribution as other
/// schedules.
constexpr double needed_gain = 1.03;

/// Of so many keys or more schedules are compared, too.
constexpr std::uint64_t many_keys = std::uint64_t{1} << 24;

/// Keys to sort, and how they must end up.
struct Input {
    std::uint64_t count;
    std::vector<std::byte> keys, sorted;
};

/// The bits that a key may have set if it is to be neither negative nor a NaN. Such keys are in the order of their
/// bits, whatever their type.
std::uint64_t usable_bits(KeyType type) {
    switch (type) {
        case KeyType::u8: return 0xff;
        case KeyType::i8: return 0x7f;
        case KeyType::u16: return 0xffff;
        case KeyType::i16: return 0x7fff;
        case KeyType::f16: return 0x7bff;
        case KeyType::u32: return 0xffff'ffff;
        case KeyType::i32: return 0x7fff'ffff;
        case KeyType::f32: return 0x7f7f'ffff;
        case KeyType::u64: return 0xffff'ffff'ffff'ffff;
        case KeyType::i64: return 0x7fff'ffff'ffff'ffff;
        case KeyType::f64: return 0x7fef'ffff'ffff'ffff;
    }
    return 0;
}

/// Calls visit(span) for such keys as unsigned integers.
template <class Visit>
auto as_integers(KeyType type, std::vector<std::byte>& keys, Visit visit) {
    const auto integers = [&]<class Bits>(Bits) {
        return visit(std::span(reinterpret_cast<Bits*>(keys.data()), keys.size() / sizeof(Bits)));
    };
    switch (key_bytes(type)) {
        case 1: return integers(std::uint8_t{});
        case 2: return integers(std::uint16_t{});
        case 4: return integers(std::uint32_t{});
        default: return integers(std::uint64_t{});
    }
}

std::vector<std::byte> random_keys(KeyType type, std::uint64_t count) {
    std::vector<std::byte> bytes(count * key_bytes(type));
    as_integers(type, bytes, [&]<class Bits>(std::span<Bits> keys) {
        std::mt19937_64 random(count);
        std::ranges::generate(keys, [&, bits = usable_bits(type)] { return static_cast<Bits>(random() & bits); });
    });
    return bytes;
}

Input random_input(KeyType type, std::uint64_t count) {
    Input input{count, random_keys(type, count), {}};
    input.sorted = input.keys;
    as_integers(type, input.sorted, [](auto keys) { std::ranges::sort(keys); });
    return input;
}

double median(std::vector<double> values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::ranges::nth_element(values, middle);
    return *middle;
}

/// The search for one type of keys and some counts.
class Tuning {
public:
    /// A shape that was tried.
    struct Candidate {
        Shape shape;
        std::unique_ptr<Sorter> sorter;              ///< as long as it may be the fastest for some count
        std::vector<std::optional<double>> seconds;  ///< for each count
        std::string failure;                         ///< why it has no times
    };

    /// What was found for one count.
    struct Outcome {
        std::uint64_t count;
        Shape built_in, best;
        double built_in_seconds, best_seconds;

        double gain() const { return built_in_seconds / best_seconds; }
    };

    Tuning(const Device& device, KeyType type, const std::vector<std::uint64_t>& counts, Seconds limit)
        : device_(device), type_(type), limit_(limit) {
        for (const std::uint64_t count : counts) inputs_.push_back(random_input(type, count));
        work_.resize(inputs_.back().keys.size());
        const CompilingNotice notice;
        Sorter untuned(device, SorterOptions{.use_tuned = false});
        for (const std::uint64_t count : counts) built_in_.push_back(untuned.shape(type, count));
    }

    /// Tries shapes, in any case these and the built-in ones, then times the best again, in turns with the built-in
    /// one.
    void run(const std::vector<Shape>& known) {
        constexpr double share_of_search = 0.7;
        const CompilingNotice notice;
        std::vector<Shape> first = built_in_;
        first.insert(first.end(), known.begin(), known.end());
        ShapeSearch search(first, inputs_.size(), [this](const Shape& shape, std::size_t i) {
            return neighbours(shape, device_.info(), key_bytes(type_), inputs_[i].count);
        });
        while (const std::optional<Shape> shape = search.next()) {
            if (std::ranges::count(first, *shape) == 0 && elapsed() > share_of_search * limit_) break;
            candidates_.push_back(attempt(*shape));
            search.tried(*shape, candidates_.back().seconds);
            close_losers(search);
            show_progress();
        }
        for (std::size_t i = 0; i < inputs_.size(); ++i) outcomes_.push_back(compare_best(search, i));
    }

    const std::vector<Candidate>& candidates() const { return candidates_; }
    const std::vector<Outcome>& outcomes() const { return outcomes_; }

private:
    static constexpr std::size_t finalists = 3;

    Seconds elapsed() const { return Clock::now() - start_; }

    bool is_built_in(const Shape& shape) const { return std::ranges::count(built_in_, shape) > 0; }

    Candidate& candidate(const Shape& shape) { return *std::ranges::find(candidates_, shape, &Candidate::shape); }

    void show_progress() {
        const auto part = [](Seconds time) { return static_cast<std::size_t>(1000 * time.count()); };
        progress_(std::min(part(elapsed()), part(limit_) - 1), part(limit_));
    }

    /// The time of one sort of fresh keys, with its result checked. It is the wall time of the passes alone, which the
    /// report of a host-range sort has for every backend: copying the keys takes equally long in every shape, and not
    /// at all where they are in the caller's buffer.
    double sort(Sorter& sorter, const Input& input) {
        std::ranges::copy(input.keys, work_.begin());
        // Not by distribution: tables are for smaller counts, too.
        const SortReport report = sorter.sort({work_.data(), input.count, type_}, {.data_independent = true});
        if (std::memcmp(work_.data(), input.sorted.data(), input.sorted.size()) != 0)
            throw Error(ErrorCode::device_failed, fmt::format("{} sorted {} keys of type {} wrongly",
                                                              device_.info().name, input.count, name(type_)));
        return report.sort_seconds;
    }

    /// The median of a few sorts; of one where that is far from the best time.
    double measure(Sorter& sorter, const Input& input, std::optional<double> best) {
        constexpr std::size_t fewest = 3, most = 31;
        constexpr Seconds patience{0.1};
        constexpr double hopeless = 1.5;
        sort(sorter, input);  // compiles and warms up
        const Clock::time_point start = Clock::now();
        std::vector<double> times;
        do times.push_back(sort(sorter, input));
        while ((!best || times.front() < hopeless * *best) && times.size() < most &&
               (times.size() < fewest || Clock::now() - start < patience));
        return median(std::move(times));
    }

    /// The shape, tried with all counts. Only the built-in shapes must not fail.
    Candidate attempt(const Shape& shape) {
        Candidate tried{shape, nullptr, std::vector<std::optional<double>>(inputs_.size()), {}};
        try {
            tried.sorter = std::make_unique<Sorter>(device_, SorterOptions{.shape = shape});
            for (std::size_t i = 0; i < inputs_.size(); ++i)
                tried.seconds[i] = measure(*tried.sorter, inputs_[i], best_seconds(i));
        } catch (const Error& error) {
            if (is_built_in(shape)) throw;
            tried = {shape, nullptr, std::vector<std::optional<double>>(inputs_.size()), error.what()};
        }
        return tried;
    }

    std::optional<double> best_seconds(std::size_t i) const {
        std::optional<double> best;
        for (const Candidate& other : candidates_)
            if (other.seconds[i] && (!best || *other.seconds[i] < *best)) best = other.seconds[i];
        return best;
    }

    /// Opened devices take memory, so only those that are needed in the end stay open.
    void close_losers(const ShapeSearch& search) {
        std::vector<Shape> needed = built_in_;
        for (std::size_t i = 0; i < inputs_.size(); ++i)
            std::ranges::copy(search.fastest(i, finalists), std::back_inserter(needed));
        for (Candidate& candidate : candidates_)
            if (std::ranges::count(needed, candidate.shape) == 0) candidate.sorter.reset();
    }

    /// Times the fastest shapes for a count and the built-in one again, more often, and in turns, so that whatever else
    /// the machine does meets all of them.
    Outcome compare_best(const ShapeSearch& search, std::size_t i) {
        constexpr std::size_t fewest = 5, most = 101;
        std::vector<Shape> shapes = search.fastest(i, finalists);
        if (std::ranges::count(shapes, built_in_[i]) == 0) shapes.push_back(built_in_[i]);
        const Seconds patience = std::max(limit_ - elapsed(), Seconds(0)) / (inputs_.size() - i);
        const Clock::time_point start = Clock::now();
        std::vector<std::vector<double>> times(shapes.size());
        for (std::size_t round = 0; round < fewest || (round < most && Clock::now() - start < patience); ++round) {
            for (std::size_t k = 0; k < shapes.size(); ++k)
                times[k].push_back(sort(*candidate(shapes[k]).sorter, inputs_[i]));
            show_progress();
        }
        for (std::size_t k = 0; k < shapes.size(); ++k) candidate(shapes[k]).seconds[i] = median(times[k]);

        const auto seconds = [&](const Shape& shape) { return *candidate(shape).seconds[i]; };
        const Shape best = *std::ranges::min_element(shapes, {}, seconds);
        return {inputs_[i].count, built_in_[i], best, seconds(built_in_[i]), seconds(best)};
    }

    const Device& device_;
    KeyType type_;
    Seconds limit_;
    Clock::time_point start_ = Clock::now();
    Progress progress_{fmt::format("tuning {}", name(type_))};
    std::vector<Input> inputs_;
    std::vector<std::byte> work_;
    std::vector<Shape> built_in_;  ///< for each count
    std::vector<Candidate> candidates_;
    std::vector<Outcome> outcomes_;
};

/// Sorts by distribution and by the other schedules, in turns, in the shapes of a table.
class ScheduleRace {
public:
    /// Times of one count.
    struct Result {
        std::uint64_t count;
        double other_seconds, distribution_seconds;

        double gain() const { return other_seconds / distribution_seconds; }
    };

    ScheduleRace(const Device& device, KeyType type, const ShapeTable& table, Seconds limit)
        : device_(device), type_(type), table_(table), limit_(limit) {}

    /// How many times as fast a distribution is, as find_distribution_limit() asks: the first time however long it
    /// takes.
    std::optional<double> gain(std::uint64_t count) {
        constexpr std::size_t fewest = 3, most = 31;
        constexpr Seconds patience{0.3};
        if (!results_.empty() && Clock::now() - start_ > limit_) return std::nullopt;
        const CompilingNotice notice;
        take_shape_for(count);
        const std::vector<std::byte> keys = random_keys(type_, count);
        const SortOptions other{.data_independent = true}, distribution{.schedule = Schedule::distribution};
        std::vector<std::byte> by_other = keys, work = keys;
        sort(by_other, other);
        try {
            sort(work, distribution);
        } catch (const Error& error) {
            if (error.code() == ErrorCode::unsupported || error.code() == ErrorCode::out_of_memory) return std::nullopt;
            throw;
        }
        const bool in_order = as_integers(type_, by_other, [](auto sorted) { return std::ranges::is_sorted(sorted); });
        if (!in_order || work != by_other)
            throw Error(ErrorCode::device_failed,
                        fmt::format("{} sorted {} keys of type {} wrongly", device_.info().name, count, name(type_)));
        std::vector<double> of_other, of_distribution;
        const Clock::time_point start = Clock::now();
        while (of_other.size() < fewest || (of_other.size() < most && Clock::now() - start < patience)) {
            std::ranges::copy(keys, work.begin());
            of_other.push_back(sort(work, other));
            std::ranges::copy(keys, work.begin());
            of_distribution.push_back(sort(work, distribution));
        }
        results_.push_back({count, median(std::move(of_other)), median(std::move(of_distribution))});
        return results_.back().gain();
    }

    const std::vector<Result>& results() const { return results_; }

private:
    /// Opens the device in the shape that sorts of so many keys take.
    void take_shape_for(std::uint64_t count) {
        const std::optional<Shape> shape = table_.find(key_bytes(type_), count);
        if (sorter_ && shape == shape_) return;
        shape_ = shape;
        sorter_ = std::make_unique<Sorter>(device_, SorterOptions{.shape = shape, .use_tuned = false});
    }

    /// Takes the wall time of the launches alone, as in Tuning::sort().
    double sort(std::vector<std::byte>& keys, const SortOptions& options) {
        return sorter_->sort({keys.data(), keys.size() / key_bytes(type_), type_}, options).sort_seconds;
    }

    const Device& device_;
    KeyType type_;
    const ShapeTable& table_;
    Seconds limit_;
    Clock::time_point start_ = Clock::now();
    std::optional<Shape> shape_;
    std::unique_ptr<Sorter> sorter_;
    std::vector<Result> results_;
};

std::string to_table(const std::vector<ScheduleRace::Result>& results) {
    std::vector<Row> rows;
    for (const ScheduleRace::Result& result : results)
        rows.push_back({std::to_string(result.count), fmt::format("{:.4f} ms", 1e3 * result.other_seconds),
                        fmt::format("{:.4f} ms", 1e3 * result.distribution_seconds),
                        fmt::format("{:.2f}", result.gain())});
    const std::vector<Column> columns = {{"keys"}, {"network or columns"}, {"distribution"}, {"speed"}};
    return table(columns, rows);
}

std::string to_table(const Tuning& tuning, std::size_t i) {
    const Tuning::Outcome& outcome = tuning.outcomes()[i];
    std::vector<const Tuning::Candidate*> candidates;
    for (const Tuning::Candidate& candidate : tuning.candidates()) candidates.push_back(&candidate);
    std::ranges::stable_sort(candidates, {}, [&](const Tuning::Candidate* candidate) {
        return candidate->seconds[i].value_or(std::numeric_limits<double>::infinity());
    });
    std::vector<Row> rows;
    for (const Tuning::Candidate* candidate : candidates) {
        const std::optional<double> seconds = candidate->seconds[i];
        std::string remark = candidate->failure;
        if (candidate->shape == outcome.best) remark = "the fastest, timed again";
        if (candidate->shape == outcome.built_in) remark = "built-in";
        rows.push_back({to_string(candidate->shape), seconds ? fmt::format("{:.4f} ms", 1e3 * *seconds) : "-",
                        seconds ? fmt::format("{:.2f}", outcome.built_in_seconds / *seconds) : "-", remark});
    }
    const std::vector<Column> columns = {{"shape", "", true}, {"time"}, {"speed"}, {"", "", true}};
    return table(columns, rows);
}

/// Makes a folder and those around it, for this user only, as the XDG standard wants caches.
void make_private_folder(const std::filesystem::path& folder) {
    const mode_t mask = ::umask(S_IRWXG | S_IRWXO);
    std::error_code failure;
    std::filesystem::create_directories(folder, failure);
    ::umask(mask);
    if (failure) throw BadInput(fmt::format("cannot make the folder {}: {}", folder.string(), failure.message()));
}

class TuneCommand {
public:
    explicit TuneCommand(SubCommand& command) {
        add_device(command, device_);
        add_types(command, types_);
        add_counts(command, counts_);
        command.add({.names = "--time-limit",
                     .value = "S",
                     .help = "about how many seconds to take for each type (60)",
                     .target = &seconds_,
                     .range = {{1, 86400}}});
        command.add_flag("--dry-run", dry_run_, "store nothing");
        command.add_text("--output", "FILE", output_, "store the shapes in this file instead of the cache");
        command.footer =
            "Tries shapes for random keys and checks every result. What is at least 3 % faster than the built-in "
            "shape\n"
            "is stored in $XDG_CACHE_HOME/lanesort or $HOME/.cache/lanesort, where every sorter of this user finds "
            "it.\n"
            "With counts of 2^24 or more it also finds from how many keys on a distribution is faster.\n"
            "Without --device it tunes the first GPU, or else the first device of OpenCL: then sorts, which take the\n"
            "built-in device, use what was found with --device compiling alone.\n"
            "Shapes are for all types of one width, and for counts up to 4 times as small or large as a measured one.\n"
            "Example: lanesort tune --type u32 --count 2^16 2^20";
    }

    void run() const {
        const Device device = find_device(device_.empty() ? "compiling" : device_);
        if (!device.info().compiles)
            throw BadInput(
                fmt::format("{} has kernels of its own shapes only: there is nothing to tune", device.info().name));
        const std::filesystem::path file = destination(device.info());
        ShapeTable table = known_shapes(device.info());
        for (const KeyType type : types_) {
            std::optional<OutputFile> out;
            if (!file.empty()) out.emplace(file);
            const ShapeTable before = table;
            tune(device, type, table);
            if (dry_run_) continue;
            if (table.rows == before.rows && table.distribution_from == before.distribution_from) {
                print("Nothing new to store.\n\n");
                continue;
            }
            const std::string text = to_text(table);
            out->write(text.data(), text.size());
            out->commit();
            print(fmt::format("Stored in {}\n\n", file.string()));
        }
        if (const DeviceInfo usual = find_device().info(); device_.empty() && !usual.compiles)
            print(
                fmt::format("Sorts take {}, which has nothing to tune, unless they are told to take {}: --device "
                            "compiling.\n",
                            usual.name, device.info().name));
    }

private:
    /// Where the shapes go; nowhere in a dry run. Its folder is made now: a search takes long, and would be lost.
    std::filesystem::path destination(const DeviceInfo& info) const {
        if (dry_run_) return {};
        if (!output_.empty()) return output_;
        std::filesystem::path file = tuned_file(info);
        if (file.empty())
            throw BadInput(
                "there is no place to store shapes in: neither XDG_CACHE_HOME nor HOME is an absolute path, or "
                "LANESORT_TUNED is 0; see --output and --dry-run");
        make_private_folder(file.parent_path());
        return file;
    }

    /// The table to which the new shapes are added.
    ShapeTable known_shapes(const DeviceInfo& info) const {
        if (!output_.empty()) return {identity(info), {}};
        const TunedShapes tuned = find_tuned(info);
        if (!tuned.note.empty()) tell(fmt::format("lanesort: {}\n", tuned.note));
        return tuned.table;
    }

    std::vector<std::uint64_t> counts(const DeviceInfo& info, KeyType type) const {
        const std::uint64_t most = info.max_allocation_bytes / key_bytes(type);
        std::vector<std::uint64_t> counts = counts_;
        if (counts.empty()) {
            counts = {1 << 12, 1 << 16, 1 << 20, 1 << 24};
            std::erase_if(counts, [=](std::uint64_t count) { return count > most; });
        }
        for (const std::uint64_t count : counts)
            if (count < 2 || count > most)
                throw BadInput(fmt::format("--count is {}, but {} can be tuned for 2 to {} keys of type {}", count,
                                           info.name, most, name(type)));
        std::ranges::sort(counts);
        counts.erase(std::unique(counts.begin(), counts.end()), counts.end());
        return counts;
    }

    /// Prints what was found for the type, and puts the shapes that are worth it into the table.
    void tune(const Device& device, KeyType type, ShapeTable& table) const {
        const std::size_t bytes = key_bytes(type);
        const std::vector<std::uint64_t> counts = this->counts(device.info(), type);
        std::vector<Shape> known;
        for (const ShapeTable::Row& row : table.rows)
            if (row.key_bytes == bytes) known.push_back(row.shape);
        const bool compares_schedules = counts.back() >= many_keys;
        Tuning tuning(device, type, counts, Seconds(compares_schedules ? 0.7 * seconds_ : seconds_));
        tuning.run(known);

        // A stored shape that failed once is of no use for other counts either.
        for (const Tuning::Candidate& candidate : tuning.candidates())
            if (!candidate.failure.empty())
                std::erase_if(table.rows, [&](const ShapeTable::Row& row) {
                    return row.key_bytes == bytes && row.shape == candidate.shape;
                });

        const std::vector<CountRange> ranges = ranges_around(counts);
        for (std::size_t i = 0; i < counts.size(); ++i) {
            const Tuning::Outcome& outcome = tuning.outcomes()[i];
            const bool worth_it = outcome.gain() >= needed_gain;
            if (worth_it) table.put({bytes, ranges[i].from, ranges[i].below, outcome.best});
            else table.remove(bytes, ranges[i].from, ranges[i].below);
            print(fmt::format("{} keys of type {} on {}\n{}", counts[i], name(type), device.info().name,
                              to_table(tuning, i)) +
                  (worth_it ? fmt::format("The fastest shape is {:.2f} times as fast as the built-in one.\n\n",
                                          outcome.gain())
                            : "No shape is 3 % faster than the built-in one, which stays.\n\n"));
        }
        if (compares_schedules) tune_schedule(device, type, table);
    }

    /// Finds from how many keys on a distribution is faster in the shapes of the table, and puts that there.
    void tune_schedule(const Device& device, KeyType type, ShapeTable& table) const {
        constexpr std::uint64_t least = 1 << 20, most_bytes = std::uint64_t{1} << 29;
        const std::size_t bytes = key_bytes(type);
        const std::uint64_t most = std::min(most_bytes, device.info().max_allocation_bytes) / bytes;
        ScheduleRace race(device, type, table, Seconds(0.3 * seconds_));
        const std::optional<std::uint64_t> limit =
            find_distribution_limit(least, most, needed_gain, [&](std::uint64_t count) { return race.gain(count); });
        std::string found = "No distribution can sort them.";
        if (limit) {
            table.distribution_from[bytes] = *limit;
            found = *limit == ShapeTable::no_end ? "The distribution is not 3 % faster: none sorts."
                                                 : fmt::format("The distribution sorts {} keys and more.", *limit);
        } else table.distribution_from.erase(bytes);
        print(fmt::format("keys of type {} on {}, schedules\n{}{}\n\n", name(type), device.info().name,
                          race.results().empty() ? "" : to_table(race.results()), found));
    }

    std::string device_, output_;
    std::vector<KeyType> types_ = {KeyType::u32};
    std::vector<std::uint64_t> counts_;
    unsigned seconds_ = 60;
    bool dry_run_ = false;
};

}  // namespace

SubCommand tune_command() {
    return make_command<TuneCommand>(
        "tune", "Find the fastest shapes and schedules for a device, and store them for all sorts");
}
