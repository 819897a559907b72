// lanesort sort: sorts the numbers of a file.
#include <chrono>
#include <cstdio>
#include <memory>
#include <string>

#include <fmt/format.h>

#include <lanesort/sorter.hpp>

#include "command.hpp"
#include "files.hpp"
#include "numbers.hpp"
#include "options.hpp"
#include "progress.hpp"

namespace {

using namespace lanesort;

class SortCommand {
public:
    explicit SortCommand(CLI::App& command) {
        add_type(command, type_)->required();
        add_order(command, order_);
        add_device(command, device_);
        command.add_flag("--text", text_, "the files are text, with one number a line");
        command.add_flag("--stats", stats_, "print what the sort did to standard error");
        command.add_option("IN", in_, "file of little-endian numbers, or - for standard input")
            ->type_name("")
            ->required();
        command.add_option("OUT", out_, "sorted file, or - for standard output; may be the same as IN")
            ->type_name("")
            ->required();
        shape_.add_to(command);
        command.footer(
            "OUT appears whole or not at all. NaNs come last, and first with --order desc.\n"
            "Example: lanesort sort --type f32 --order desc numbers.bin sorted.bin");
    }

    void run() const {
        const auto start = std::chrono::steady_clock::now();
        const Device device = find_device(device_);
        InputFile in(in_);
        OutputFile out(out_);
        Bytes keys = text_ ? read_text(in, type_) : read_raw(in, type_);
        const std::size_t count = keys.size() / key_bytes(type_);

        Progress progress("sorting");
        SorterOptions options;
        if (shape_.any()) options.shape = shape_.over(usual_shape(device.info(), type_, count));
        options.progress = [&](std::size_t done, std::size_t all) { progress(done, all); };
        Sorter sorter(device, options);
        const SortReport report = sorter.sort(keys.data(), count, type_, {.order = order_});
        if (text_) write_text(out, keys, type_);
        else out.write(keys.data(), keys.size());
        out.commit();

        const std::chrono::duration<double> all_seconds = std::chrono::steady_clock::now() - start;
        if (stats_) print_stats(report, sorter, count, all_seconds.count());
    }

private:
    void print_stats(const SortReport& report, Sorter& sorter, std::size_t count, double all_seconds) const {
        const double seconds = report.upload_seconds + report.sort_seconds + report.download_seconds;
        std::string text;
        const auto line = [&](const char* title, const std::string& value) {
            text += fmt::format("{:<20}{}\n", title, value);
        };
        line("device", sorter.device().name);
        if (count > 1) line("shape", to_string(sorter.plan(count, type_).shape));
        if (!sorter.note().empty()) line("note", sorter.note());
        line("keys", fmt::format("{} of type {}", count, name(type_)));
        line("time", fmt::format("{:.6f} s: {:.6f} to the device, {:.6f} sorting, {:.6f} back", seconds,
                                 report.upload_seconds, report.sort_seconds, report.download_seconds));
        line("time with files", fmt::format("{:.6f} s", all_seconds));
        line("keys/s", seconds > 0 ? fmt::format("{:.0f}", static_cast<double>(count) / seconds) : "-");
        line("launches", std::to_string(report.launches));
        line("hand-overs", std::to_string(report.hand_overs));
        line("barriers", std::to_string(report.barriers));
        line("extra device bytes", std::to_string(report.device_bytes));
        fmt::print(stderr, "{}", text);
    }

    KeyType type_ = KeyType::u32;
    Order order_ = Order::ascending;
    std::string device_, in_, out_;
    bool text_ = false, stats_ = false;
    ShapeOptions shape_;
};

}  // namespace

void add_sort(CLI::App& app) {
    CLI::App* const command = app.add_subcommand("sort", "Sort a file of numbers");
    const auto sort = std::make_shared<SortCommand>(*command);
    command->callback([sort] { sort->run(); });
}
