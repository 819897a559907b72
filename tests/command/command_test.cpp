// SPDX-License-Identifier: MIT
// The command, run as a user runs it: how it is used, and what it says where there is no device.
#include <iterator>
#include <sstream>

#include <nlohmann/json.hpp>

#include "command_support.hpp"

namespace lanesort::test {
namespace {

using Json = nlohmann::json;
using namespace std::string_literals;

const Words commands = {"sort",  "argsort", "topk",    "group",  "merge", "check",
                        "stats", "plan",    "devices", "doctor", "tune"};

TEST_CASE("the command tells its version and how it is used") {
    const Scene scene;
    const Result version = scene.run({"--version"});
    CHECK(version.status == 0);
    CHECK(version.out.starts_with("lanesort "));
    CHECK(std::ranges::count(version.out, '.') == 2);

    for (const std::string& command : commands) {
        const Result help = scene.run({command, "--help"});
        CHECK(help.status == 0);
        CHECK(help.err.empty());
        CHECK(contains(help.out, "Example: lanesort " + command));
        CHECK(contains(scene.run({"--help"}).out, "\n  " + command + " "));
    }
}

TEST_CASE("help is for everyone, and all of it for those who ask") {
    const Scene scene;
    CHECK(scene.run({"help"}).out == scene.run({"--help"}).out);
    for (const std::string& command : commands) {
        const std::string help = scene.run({command, "--help"}).out, all = scene.run({command, "--help-all"}).out;
        CHECK(scene.run({"help", command}).out == help);
        for (const char* const raw : {"Needs:", "Excludes:", "{false}", "--lanes", "Shape ("})
            CHECK(!contains(help, raw));
        const bool has_shape = command == "sort" || command == "argsort" || command == "plan";
        CHECK(contains(all, "--lanes") == has_shape);
        CHECK(contains(help, "--help-all"));
    }
    CHECK(contains(scene.run({"--help-all"}).out, "--lanes"));
    require_refused(scene.run({"help", "unsort"}), "there is no sub-command \"unsort\"");
}

/// The words of every example in a help text.
std::vector<Words> examples_in(const std::string& help) {
    std::vector<Words> examples;
    std::istringstream lines(help);
    constexpr std::string_view mark = "Example: lanesort ";
    for (std::string line; std::getline(lines, line);)
        if (const std::size_t at = line.find(mark); at != std::string::npos) {
            std::istringstream words(line.substr(at + mark.size()));
            examples.emplace_back(std::istream_iterator<std::string>(words), std::istream_iterator<std::string>());
        }
    return examples;
}

TEST_CASE("the examples in the help texts work") {
    const Scene scene;
    const bool none = no_device();
    std::string help = scene.run({"--help"}).out;
    for (const std::string& command : commands) help += scene.run({command, "--help"}).out;
    const std::vector<Words> examples = examples_in(help);
    CHECK(examples.size() > commands.size());
    for (Words words : examples) {
        scene.file("numbers.bin", std::string(400, 'x'));
        scene.file("goods.csv", "name,price\ncup,3\nhat,20\n");
        for (std::string& word : words)
            if (word.ends_with(".bin") || word.ends_with(".csv")) word = scene.path(word);
        // What takes minutes is not run, but an option that is not known would still be refused.
        const bool takes_minutes = words.front() == "tune" || std::ranges::find(words, "--measure") != words.end();
        if (takes_minutes) words.insert(words.end(), {"--device", "no such device"});
        const Result result = scene.run(words);
        CAPTURE(words.front());
        CAPTURE(result.err);
        if (takes_minutes) CHECK((none || contains(result.err, "\"no such device\"")));
        else if (none) CHECK((result.status == 0 || contains(result.err, "device")));
        else CHECK(result.status == 0);
    }
}

TEST_CASE("wrong usage is refused in one sentence") {
    const Scene scene;
    const std::string in = scene.file("in", "12345678"), out = scene.path("out");
    const std::pair<Words, std::string> wrong[] = {
        {{}, "nothing to do"},
        {{"unsort"}, "unsort"},
        {{"--fast"}, "--fast"},
        {{"sort"}, "--type is required: standard input is no .npy file"},
        {{"sort", in, out}, "--type is required"},
        {{"sort", "--type", "u32", in, out + ".gz"}, "would not be compressed"},
        {{"sort", "--type", "u32", "--order", "asc", "-r", in, out}, "--order cannot be used with --reverse"},
        {{"sort", "--type", "float", in, out}, "\"float\" is not one of"},
        {{"sort", "--type", "u32", "--count", in, out}, "--count is for use with --text or --by-column"},
        {{"sort", "--text", "--count", "--unique", in, out}, "cannot be used with"},
        {{"sort", "--text", in, out, "-o", out}, "--output may be given once; see lanesort sort --help"},
        {{"sort", "--text", "--order", "asc", "--order", "desc", in, out}, "--order may be given once"},
        {{"merge"}, "IN is required"},
        {{"merge", "--text", "-", "-"}, "may be given once"},
        {{"sort", "--type", "u32", in, out, "third"}, "third"},
        {{"sort", "--type", "u33", in, out}, "\"u33\" is not one of u8 i8 u16 i16 u32 i32 u64 i64 f16 f32 f64"},
        {{"sort", "--type"}, "--type"},
        {{"sort", "--type", "u32", "--order", "up", in, out}, "\"up\" is not asc or desc"},
        {{"sort", "--type", "u32", "--lanes", "many", in, out}, "--lanes"},
        {{"sort", "--by-column", "0", in, out},
         "there is no column 0: columns count from 1 (if it is a name, say so by --header)"},
        {{"sort", "--by-column", "99999999999999999999", in, out},
         "there is no column 99999999999999999999: columns count"},
        {{"sort", "--by-column", "1", "--delimiter", "ab", in, out}, "\"ab\" is not one character"},
        {{"sort", "--by-column", "1", "--delimiter", "\"", in, out}, "is not one character"},
        {{"sort", "--by-column", "1", "--delimiter", "\n", in, out}, "is not one character"},
        {{"sort", "--by-column", "1", "--text", in, out}, "--text cannot be used with --by-column"},
        {{"sort", "--type", "u32", "--header", in, out}, "--header is only for use with --by-column"},
        {{"sort", "--type", "u32", "--delimiter", "tab", in, out}, "--delimiter is only for use with --by-column"},
        {{"sort", "--type", "u32", "--missing", "NA", in, out}, "--missing is only for use with --by-column"},
        {{"sort", "--by-column", "1", "--missing-as", "first", in, out}, "\"first\" is not last, nan or error"},
        {{"sort", "--type", "u32", "--no-quotes", in, out}, "--no-quotes is only for use with --by-column"},
        {{"argsort", in, out}, "--type is required"},
        {{"argsort", "--type", "u32", "--index-bytes", "2", in, out}, "\"2\" is not 4 or 8"},
        {{"stats"}, "--count is required"},
        {{"stats", "--count", "12x"}, "\"12x\" is not a count"},
        {{"stats", "--count", "-1"}, "--count"},
        {{"stats", "--count", "2^64"}, "\"2^64\" is not a count"},
        {{"stats", "--count", "99999999999G"}, "is not a count"},
        {{"stats", "--count", "2^63"}, "2^62"},
        {{"stats", "--count", "10", "--format", "xml"}, "\"xml\" is not one of table csv json svg"},
        {{"plan", "--count", "10", "--format", "csv"}, "\"csv\" is not one of table json svg"},
        {{"plan", "--count", "10", "--lanes", "3"}, "lanes is 3"},
        {{"plan", "--count", "10", "--steps-per-pass", "0"}, "steps_per_pass is 0"},
        {{"plan", "--count", "10", "--vectors", "0"}, "vectors is 0"},
        {{"devices", "all"}, "all"},
    };
    for (const auto& [words, part] : wrong) require_refused(scene.run(words), part);
    CHECK(scene.files() == 1);
    CHECK(read_file(in) == "12345678");
}

TEST_CASE("no OpenCL platform at all") {
    const Scene scene;
    const ScopedVariable nowhere("OCL_ICD_VENDORS", "/nonexistent"), hidden("CUDA_VISIBLE_DEVICES", "-1");
    if (scene.run({"devices", "--format", "json"}).out != "[]\n") return;  // not every loader knows the variable
    const std::string in = scene.file("in", "zyxa"), out = scene.path("out");
    constexpr const char* sentence = "OpenCL cannot be used: no platform is installed";

    const Result list = scene.run({"devices"});
    CHECK(list.status == 0);
    CHECK(contains(list.out, sentence));
    CHECK(Json::parse(scene.run({"devices", "--format", "json"}).out) == Json::array());
    require_refused(scene.run({"sort", "--type", "u8", "--device", "0", in, out}), sentence, 1);
    require_refused(scene.run({"argsort", "--type", "u8", "--device", "0", in, out}), sentence, 1);
    require_refused(scene.run({"stats", "--count", "100", "--measure"}), sentence, 1);
    require_refused(scene.run({"stats", "--count", "100", "--device", "0"}), sentence, 1);
    require_refused(scene.run({"plan", "--count", "100", "--device", "0"}), sentence, 1);

    const Result plan = scene.run({"plan", "--count", "2^24"});
    CHECK(plan.status == 0);
    CHECK(contains(plan.err, "planning for a GPU with 32 KB of local memory"));
    CHECK(contains(plan.out, "L=1 M=8 ITEMS=256"));
    CHECK(scene.files() == 1);
}

TEST_CASE("a device that does not exist is refused") {
    if (no_device()) return;
    const Scene scene;
    const std::string in = scene.file("in", "zyxa");
    for (const char* const device : {"abacus", "99"}) {
        const std::string sentence = "no device is called \""s + device + "\"; the devices are 0: ";
        require_refused(scene.run({"sort", "--type", "u8", "--device", device, in, scene.path("out")}), sentence);
        require_refused(scene.run({"plan", "--count", "5", "--device", device}), sentence);
        require_refused(scene.run({"stats", "--count", "5", "--device", device}), sentence);
    }
    CHECK(scene.files() == 1);
    CHECK(scene.run({"sort", "--type", "u8", "--device", "0", in, in}).status == 0);
    CHECK(read_file(in) == "axyz");
}

}  // namespace
}  // namespace lanesort::test
