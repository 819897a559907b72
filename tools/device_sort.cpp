// SPDX-License-Identifier: MIT
#include "device_sort.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <utility>

#include <fmt/core.h>

#include <lanesort/sorter.hpp>

#include "arguments.hpp"
#include "command.hpp"
#include "formats.hpp"
#include "memory.hpp"
#include "numbers.hpp"

using namespace lanesort;

namespace {

/// Why a device's limit is what it is, to end a sentence.
const char* why_limited(const DeviceInfo& device) {
    return device.platform == "Portable Computing Language"
               ? "; PoCL's limit goes by the memory that is free when it starts, and by POCL_MEMORY_LIMIT (in GiB)"
               : "";
}

}  // namespace

void SortArguments::add_to(SubCommand& command, const std::string& text_help) {
    add_type(command, type);
    add_order(command, order);
    add_device(command, device);
    command.add_flag("--text", text, text_help);
    command.add_flag("--raw", raw, "IN is raw numbers of that type, also where it looks like a file of a known format")
        .needs = "--type";
    command.exclude("--raw", {"--text"});
    command.add_flag("--stats", stats, "print what the sort did to standard error");
    add_table(command, table);
    command.exclude("--by-column", {"--raw"});
}

void SortArguments::add_in(SubCommand& command) {
    command.add_text("IN", "", in,
                     "file of little-endian numbers, .npy, text or a table, also compressed by gzip; standard input if "
                     "it is - or not given");
}

void SortArguments::add_out(SubCommand& command, const std::string& help) {
    add_output(command, out, help + "; standard output if it is - or not given; may be the same as IN");
}

OutputFile SortArguments::open_out(bool for_raw_numbers) const {
    if (for_raw_numbers && out == "-" && ::isatty(STDOUT_FILENO) != 0)
        throw BadInput("raw numbers are not for a terminal: name a file for OUT, or give --text");
    if (out.ends_with(".gz"))
        throw BadInput(
            fmt::format("{} would not be compressed: take another name, or leave OUT out and put | gzip "
                        "behind",
                        out));
    return OutputFile(out);
}

std::optional<NpyHeader> SortArguments::inspect(InputFile& file) const {
    if (raw) return std::nullopt;
    file.decompress();
    if (text || is_table()) {
        refuse_other_formats(file, ReadAs::text);
        if (is_npy(file))
            throw BadInput(
                fmt::format("{} is a .npy file: leave out {}", file.name(), is_table() ? "--by-column" : "--text"));
        return std::nullopt;
    }
    refuse_other_formats(file, ReadAs::raw);
    std::optional<NpyHeader> npy = read_npy_header(file);
    if (!npy && !type)
        throw BadInput(fmt::format(
            "--type is required: {} is no .npy file, and neither --text nor --by-column is given", file.name()));
    if (npy && type && *type != npy->type)
        throw BadInput(fmt::format("{} is a .npy file of type {}, but --type says {}: leave it out", file.name(),
                                   name(npy->type), name(*type)));
    return npy;
}

TableOptions SortArguments::as_table() const {
    if (is_table()) return table;
    TableOptions lines;
    lines.lines = true;
    lines.columns.push_back({ColumnName{std::nullopt, 1}, ColumnKind::numbers, {}});
    lines.delimiter = '\n';  // which no line has
    lines.quotes = false;
    lines.missing.emplace();
    lines.missing_as = MissingAs::error;
    return lines;
}

std::optional<NumberFile> SortArguments::read_numbers(InputFile& file, const std::optional<NpyHeader>& npy) const {
    if (text) return read_plain_integers(file, type);
    return npy ? read_npy(file, *npy) : read_raw(file, *type);
}

void SortArguments::write_numbers(OutputFile& file, const std::string& head, const Bytes& numbers,
                                  KeyType type_of_numbers, const IndexArray* counts) const {
    file.write(head.data(), head.size());
    if (text) write_text(file, numbers, type_of_numbers, counts);
    else file.write(numbers.data(), numbers.size());
}

void DeviceSort::open(InputFile& in, const std::optional<NpyHeader>& npy, std::size_t index_bytes) {
    // As many bytes of keys are sorted before a driver has started.
    constexpr std::size_t few_bytes = std::size_t{1} << 20;
    const auto is_small = [&] { return in.known_size() <= few_bytes && in.peek(few_bytes + 1).size() <= few_bytes; };
    if (!options_.device.empty()) device_ = find_device(options_.device);
    else if (options_.shape.any()) device_ = find_device("compiling");
    else device_ = is_small() ? built_in_device() : find_device();
    const DeviceInfo& device = device_->info();
    // What is not known of the type allows most: the library looks again.
    const std::optional<KeyType> type = npy ? npy->type : options_.type;
    const std::size_t key_bytes = type ? lanesort::key_bytes(*type) : sizeof(std::uint64_t);
    const std::size_t widest = std::max(key_bytes, index_bytes);
    const std::uint64_t on_device = device.max_allocation_bytes / widest;
    // An argsort in host memory takes a copy of the keys.
    const bool copies = index_bytes > 0 && device.host_unified_memory;
    const std::size_t all_bytes = key_bytes + index_bytes + (copies ? key_bytes : 0);
    const std::uint64_t memory = available_memory(), in_memory = memory / all_bytes;
    if (in_memory < on_device)
        in.limit_keys(in_memory * key_bytes,
                      fmt::format("{} bytes of memory are available, and a key takes {}", memory, all_bytes));
    else
        in.limit_keys(on_device * key_bytes,
                      fmt::format("{} can allocate {} bytes at once, and a key takes {}{}", device.name,
                                  device.max_allocation_bytes, widest, why_limited(device)));
}

void DeviceSort::sort_keys(Numbers& keys, bool shows_progress) { run(sort(range_of(keys)), shows_progress); }

void DeviceSort::run(CallIn<void*> call, bool shows_progress) {
    call.request.in_host_memory = true;
    type_ = call.request.key.type();
    count_ += call.request.count;
    add(run_on_device(call, shows_progress));
}

SortReport DeviceSort::run_on_device(const CallIn<void*>& call, bool shows_progress) {
    const Request& request = call.request;
    const KeyType type = request.key.type();
    const std::size_t value_bytes = request.value_bytes + request.index_bytes;
    const Shape usual = usual_shape(device_->info(), type, request.count, value_bytes);
    if (options_.shape.any()) shape_ = options_.shape.over(usual);

    Progress progress("sorting");
    SorterOptions options{.shape = shape_};
    if (shows_progress) options.progress = [&](std::size_t done, std::size_t all) { progress(done, all); };
    Sorter sorter(*device_, options);
    if (device_->info().compiles) {
        const CompilingNotice notice;
        sorter.prepare(request);
    }
    const SortReport report = sorter.run(call);
    if (std::string note = sorter.note(); !note.empty()) note_ = std::move(note);
    // Only for keys without values and rows does a sorter tell how it fitted the shape to its kernels, and only for
    // those of the network and of columns.
    const bool has_plan = request.count > 1 && request.row_length == 0 &&
                          (report.schedule == Schedule::network || report.schedule == Schedule::columns);
    if (options_.stats && has_plan) {
        if (value_bytes == 0) shape_ = sorter.plan(type, request.count).shape;
        else if (!shape_) shape_ = usual;
    }
    return report;
}

void DeviceSort::add(const SortReport& report) noexcept {
    report_.launches += report.launches;
    report_.hand_overs += report.hand_overs;
    report_.barriers += report.barriers;
    report_.device_bytes = std::max(report_.device_bytes, report.device_bytes);
    report_.upload_seconds += report.upload_seconds;
    report_.sort_seconds += report.sort_seconds;
    report_.download_seconds += report.download_seconds;
    if (report.schedule != Schedule::automatic) report_.schedule = report.schedule;
}

void DeviceSort::sort_by_key(Numbers& keys, IndexArray& places, Order order) {
    KeyRangeIn<void*> range = range_of(keys);
    range.order = order;
    run(lanesort::sort_by_key(range, ValueRangeIn<void*>{.memory = places.data(), .bytes = places.width()}));
}

DeviceSort::Reduced DeviceSort::reduce_groups(IndexArray& keys, Numbers& values, Reduction reduction) {
    const std::size_t count = keys.size(), bytes = sizeof(std::uint64_t);
    Reduced reduced{IndexArray(keys.width()), {}};
    if (count == 0) return reduced;
    reduced.keys.grow(count);
    reduced.values.room(count * bytes);
    std::uint64_t number = 0;
    const KeyRangeIn<void*> range{.memory = keys.data(), .count = count, .type = keys.type()};
    KeyRangeIn<void*> of_values = range;
    if (reduction != Reduction::count) of_values = plain_range_of(values);
    CallIn<void*> call = lanesort::reduce_by_key(
        range, of_values, reduction, DistinctIn<void*>{.memory = reduced.keys.data(), .number = {.memory = &number}},
        ValueRangeIn<void*>{.memory = reduced.values.data()});
    call.request.in_host_memory = true;
    add(run_on_device(call, false));
    reduced.keys.shrink(number);
    reduced.values.grew(number * bytes);
    return reduced;
}

KeyRangeIn<void*> DeviceSort::range_of(Numbers& keys) const {
    return {.memory = keys.bytes.data(),
            .count = keys.count(),
            .type = keys.type,
            .order = options_.order,
            .row_length = keys.row_length,
            .schedule = options_.schedule.schedule,
            .data_independent = options_.schedule.data_independent};
}

KeyRangeIn<void*> DeviceSort::plain_range_of(Numbers& keys) const {
    return {.memory = keys.bytes.data(),
            .count = keys.count(),
            .type = keys.type,
            .order = options_.order,
            .row_length = keys.row_length};
}

void DeviceSort::print_stats() const {
    if (!options_.stats) return;
    const double all_seconds = time_.seconds();
    const double seconds = report_.upload_seconds + report_.sort_seconds + report_.download_seconds;
    std::string text;
    const auto line = [&](const char* title, const std::string& value) {
        text += fmt::format("{:<20}{}\n", title, value);
    };
    line("device", device_->info().name);
    if (shape_) line("shape", to_string(*shape_));
    if (report_.schedule != Schedule::automatic) line("schedule", name(report_.schedule));
    if (!note_.empty()) line("note", note_);
    line("keys", fmt::format("{} of type {}", count_, name(type_)));
    line("time", fmt::format("{:.6f} s: {:.6f} to the device, {:.6f} sorting, {:.6f} back", seconds,
                             report_.upload_seconds, report_.sort_seconds, report_.download_seconds));
    line("time with files", fmt::format("{:.6f} s", all_seconds));
    line("keys/s", seconds > 0 ? fmt::format("{:.0f}", static_cast<double>(count_) / seconds) : "-");
    line("launches", std::to_string(report_.launches));
    line("hand-overs", std::to_string(report_.hand_overs));
    line("barriers", std::to_string(report_.barriers));
    line("extra device bytes", std::to_string(report_.device_bytes));
    tell(text);
}
