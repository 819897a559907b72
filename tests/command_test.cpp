// The command, run as a user runs it: its files, its text, its sentences and its exit status.
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include <lanesort/lanesort.hpp>

#include "support.hpp"

using namespace lanesort;
using namespace lanesort::test;
namespace fs = std::filesystem;
using Json = nlohmann::json;
using Words = std::vector<std::string>;
using namespace std::string_literals;

namespace {

void write_file(const fs::path& path, std::string_view bytes) {
    std::ofstream(path, std::ios::binary) << bytes;
    REQUIRE(fs::file_size(path) == bytes.size());
}

std::string read_file(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    REQUIRE_MESSAGE(file, path);
    return {std::istreambuf_iterator<char>(file), {}};
}

template <class T>
std::string bytes_of(const std::vector<T>& keys) {
    return {reinterpret_cast<const char*>(keys.data()), keys.size() * sizeof(T)};
}

template <class T>
std::vector<T> keys_in(const std::string& bytes) {
    std::vector<T> keys(bytes.size() / sizeof(T));
    std::memcpy(keys.data(), bytes.data(), keys.size() * sizeof(T));
    return keys;
}

/// The command, started with these files as its standard streams; returns its process.
pid_t start(const Words& words, const fs::path& in, const fs::path& out, const fs::path& err) {
    std::vector<char*> arguments = {const_cast<char*>(LANESORT_COMMAND)};
    for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    const pid_t process = fork();
    if (process == 0) {
        const auto redirect = [](int stream, const fs::path& path, int flags) {
            const int file = open(path.c_str(), flags, 0600);
            if (file < 0 || dup2(file, stream) < 0) _exit(126);
            close(file);
        };
        redirect(STDIN_FILENO, in, O_RDONLY);
        redirect(STDOUT_FILENO, out, O_WRONLY | O_CREAT | O_APPEND);
        redirect(STDERR_FILENO, err, O_WRONLY | O_CREAT | O_TRUNC);
        execv(LANESORT_COMMAND, arguments.data());
        _exit(127);
    }
    REQUIRE(process > 0);
    return process;
}

/// The exit status, or 128 and the number of the signal, as a shell has it.
int wait_for(pid_t process) {
    int status = 0;
    REQUIRE(waitpid(process, &status, 0) == process);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

struct Result {
    int status;
    std::string out, err;
};

/// A folder in which commands run, beside one for their standard streams.
class Scene {
public:
    fs::path folder() const { return folder_.path(); }
    std::string path(const std::string& name) const { return folder_.path() / name; }
    /// A new file of that name and contents.
    std::string file(const std::string& name, std::string_view bytes) const {
        write_file(path(name), bytes);
        return path(name);
    }
    std::size_t files() const {
        return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder()), fs::directory_iterator()));
    }
    fs::path err() const { return streams_.path() / "err"; }

    Result run(const Words& words, std::string_view input = {}) const {
        write_file(streams_.path() / "in", input);
        fs::remove(streams_.path() / "out");
        const int status = run_to(words, streams_.path() / "out");
        return {status, read_file(streams_.path() / "out"), read_file(err())};
    }
    /// With standard output to that file; gives the exit status.
    int run_to(const Words& words, const fs::path& out) const {
        const fs::path in = streams_.path() / "in";
        if (!fs::exists(in)) write_file(in, {});
        return wait_for(start(words, in, out, err()));
    }

private:
    TemporaryFolder folder_, streams_;
};

/// Counts the case as skipped where there is no device.
bool no_device() {
    static const bool none = devices().empty();
    if (none) ++skipped_device_cases();
    return none;
}

bool contains(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

/// Bad input: status 2, nothing on standard output, and one sentence that says this.
void require_refused(const Result& result, std::string_view part) {
    INFO(result.err);
    CHECK(result.status == 2);
    CHECK(result.out.empty());
    CHECK(result.err.starts_with("lanesort: "));
    CHECK(std::ranges::count(result.err, '\n') == 1);
    CHECK(result.err.ends_with('\n'));
    CHECK(contains(result.err, part));
}

Result sort_text(const Scene& scene, const std::string& type, std::string_view lines,
                 const std::string& order = "asc") {
    return scene.run({"sort", "--text", "--type", type, "--order", order, "-", "-"}, lines);
}

void require_text(const Scene& scene, const std::string& type, std::string_view lines, std::string_view expected) {
    const Result result = sort_text(scene, type, lines);
    INFO(type, " ", result.err);
    CHECK(result.status == 0);
    CHECK(result.out == expected);
}

}  // namespace

TEST_CASE("the command tells its version and how it is used") {
    const Scene scene;
    const Result version = scene.run({"--version"});
    CHECK(version.status == 0);
    CHECK(version.out.starts_with("lanesort "));
    CHECK(std::ranges::count(version.out, '.') == 2);

    for (const Words& words : {Words{}, {"sort"}, {"stats"}, {"plan"}, {"devices"}}) {
        Words asked = words;
        asked.push_back("--help");
        const Result help = scene.run(asked);
        CHECK(help.status == 0);
        CHECK(help.err.empty());
        CHECK(contains(help.out, "Example: lanesort " + (words.empty() ? "" : words[0])));
    }
}

TEST_CASE("wrong usage is refused in one sentence") {
    const Scene scene;
    const std::string in = scene.file("in", "12345678"), out = scene.path("out");
    const std::pair<Words, std::string> wrong[] = {
        {{}, "nothing to do"},
        {{"unsort"}, "unsort"},
        {{"--fast"}, "--fast"},
        {{"sort"}, "required"},
        {{"sort", in, out}, "--type is required"},
        {{"sort", "--type", "u32", in}, "OUT is required"},
        {{"sort", "--type", "u32", in, out, "third"}, "third"},
        {{"sort", "--type", "u33", in, out}, "\"u33\" is not one of u8 i8 u16 i16 u32 i32 u64 i64 f16 f32 f64"},
        {{"sort", "--type"}, "--type"},
        {{"sort", "--type", "u32", "--order", "up", in, out}, "\"up\" is not asc or desc"},
        {{"sort", "--type", "u32", "--lanes", "many", in, out}, "--lanes"},
        {{"stats"}, "--count is required"},
        {{"stats", "--count", "12x"}, "\"12x\" is not a count"},
        {{"stats", "--count", "-1"}, "--count"},
        {{"stats", "--count", "2^64"}, "\"2^64\" is not a count"},
        {{"stats", "--count", "99999999999G"}, "is not a count"},
        {{"stats", "--count", "2^63"}, "2^62"},
        {{"stats", "--count", "10", "--format", "xml"}, "\"xml\" is not one of table csv json"},
        {{"plan", "--count", "10", "--format", "csv"}, "\"csv\" is not one of table json"},
        {{"plan", "--count", "10", "--lanes", "3"}, "lanes is 3"},
        {{"plan", "--count", "10", "--steps-per-pass", "0"}, "steps_per_pass is 0"},
        {{"plan", "--count", "10", "--vectors", "0"}, "vectors is 0"},
        {{"devices", "all"}, "all"},
    };
    for (const auto& [words, part] : wrong) require_refused(scene.run(words), part);
    CHECK(scene.files() == 1);
    CHECK(read_file(in) == "12345678");
}

TEST_CASE("every type and order is sorted as std::sort does") {
    if (no_device()) return;
    const Scene scene;
    Random random(seed());
    for_each_key_type([&]<class T>() {
        std::vector<T> keys = random_keys<T>(3001, random);
        for (const T special : special_values<T>()) keys[random() % keys.size()] = special;
        const std::string in = scene.file("in", bytes_of(keys)), out = scene.path("out");
        for (const Order order : both_orders) {
            CAPTURE(name(key_type_v<T>));
            const Result result = scene.run({"sort", "--type", std::string(name(key_type_v<T>)), "--order",
                                             order == Order::ascending ? "asc" : "desc", in, out});
            REQUIRE_MESSAGE(result.status == 0, result.err);
            CHECK(result.out.empty());
            CHECK(result.err.empty());
            require_same_bytes(keys_in<T>(read_file(out)), sorted(keys, order));
        }
        CHECK(read_file(in) == bytes_of(keys));
    });
    CHECK(scene.files() == 2);
}

TEST_CASE("any shape can be tried and gives the same bytes") {
    if (no_device()) return;
    const Scene scene;
    Random random(seed());
    const auto keys = random_keys<std::uint32_t>(3001, random);
    const std::string in = scene.file("in", bytes_of(keys)), out = scene.path("out");
    const auto with = [&](Words options) {
        options.insert(options.begin(), {"sort", "--type", "u32", "--stats", in, out});
        return scene.run(options);
    };
    const Result patent =
        with({"--lanes", "4", "--vectors", "2", "--work-items", "64", "--steps-per-pass", "2", "--resident-groups", "1",
              "--remap", "--bank-swap", "--no-bank-padding", "--no-coalesced-store"});
    REQUIRE_MESSAGE(patent.status == 0, patent.err);
    CHECK(contains(patent.err, "L=4 M=2 ITEMS=64 r=2 remap bank-swap\n"));
    require_same_bytes(keys_in<std::uint32_t>(read_file(out)), sorted(keys, Order::ascending));
    fs::remove(out);

    require_refused(with({"--work-items", "3"}), "a power of two");
    require_refused(with({"--bank-swap", "--no-remap"}), "bank_swap");
    CHECK(!fs::exists(out));
}

TEST_CASE("--stats tells what the sort did") {
    if (no_device()) return;
    const Scene scene;
    const std::string in = scene.file("in", std::string(40000, 'x'));
    const Result result = scene.run({"sort", "--type", "u32", "--stats", in, scene.path("out")});
    CHECK(result.status == 0);
    CHECK(result.out.empty());
    for (const char* const part : {"keys                10000 of type u32\n", "time ", "keys/s ", "launches ",
                                   "barriers ", "extra device bytes "})
        CHECK_MESSAGE(contains(result.err, part), result.err);
}

TEST_CASE("integers as text") {
    if (no_device()) return;
    const Scene scene;
    require_text(scene, "u8", "255\n0\n7\n", "0\n7\n255\n");
    require_text(scene, "i8", "127\n-128\n0\n", "-128\n0\n127\n");
    require_text(scene, "u16", "65535\n1\n", "1\n65535\n");
    require_text(scene, "i16", "32767\n-32768\n", "-32768\n32767\n");
    require_text(scene, "u32", "4294967295\n0\n", "0\n4294967295\n");
    require_text(scene, "i32", "2147483647\n-2147483648\n", "-2147483648\n2147483647\n");
    require_text(scene, "u64", "18446744073709551615\n0\n", "0\n18446744073709551615\n");
    require_text(scene, "i64", "9223372036854775807\n-9223372036854775808\n",
                 "-9223372036854775808\n9223372036854775807\n");
}

TEST_CASE("lines as they come: CRLF, blanks, plus signs, no last new line, nothing at all") {
    if (no_device()) return;
    const Scene scene;
    require_text(scene, "u32", "3\r\n1\r\n2\r\n", "1\n2\n3\n");
    require_text(scene, "u32", "3\n1\n2", "1\n2\n3\n");
    require_text(scene, "u32", "3\n1\r", "1\n3\n");
    require_text(scene, "i32", " 3\n\t-1 \n+2\n-0\n", "-1\n0\n2\n3\n");
    require_text(scene, "u8", "-0\n007\n", "0\n7\n");
    require_text(scene, "u32", "5", "5\n");
    require_text(scene, "u32", "", "");
    CHECK(sort_text(scene, "u32", "1\n2\n3\n", "desc").out == "3\n2\n1\n");
}

TEST_CASE("floats as text") {
    if (no_device()) return;
    const Scene scene;
    const std::string lines = "nan\n1.5\n-inf\n-nan\ninf\n0\n-0\n-2e-3\n+.5\nInfinity\nNaN\n";
    const std::string expected = "-inf\n-0.002\n-0\n0\n0.5\n1.5\ninf\ninf\nnan\nnan\n-nan\n";
    for (const char* const type : {"f16", "f32", "f64"}) require_text(scene, type, lines, expected);

    // What is too small becomes 0 or subnormal, with its sign.
    require_text(scene, "f64", "1e-400\n-1e-400\n5e-324\n1.7976931348623157e+308\n",
                 "-0\n0\n5e-324\n1.7976931348623157e+308\n");
    require_text(scene, "f32", "1e-60\n1e-45\n-3.4028235e+38\n0.1\n16777217\n",
                 "-3.4028235e+38\n0\n1e-45\n0.1\n16777216\n");
}

TEST_CASE("halves are rounded to nearest, to even in the middle, and only once") {
    if (no_device()) return;
    const Scene scene;
    const std::pair<std::string, std::string> numbers[] = {
        {"65504", "65504"},                       // the largest
        {"65519.999999999999999999", "65504"},    // a double would be 65520, which overflows
        {"2049", "2048"},                         // the middle: to even, down
        {"2051", "2052"},                         // the middle: to even, up
        {"2049.0000000000000000000001", "2050"},  // a double would be in the middle
        {"2050.9999999999999999999999", "2050"},  // from below, too
        {"-2049.0000000000000000000001", "-2050"},
        {"1e-7", "1e-07"},                   // subnormal
        {"5.9604644775390625e-8", "6e-08"},  // the smallest
        {"2.98023223876953125e-8", "0"},     // half of it: to even
        {"2.980232238769531250000001e-8", "6e-08"},
        {"-1e-9", "-0"},
        {"6.1035e-05", "6.104e-05"},  // the smallest normal
        {"6.0976e-05", "6.1e-05"},    // the largest subnormal
        {"0.1", "0.1"},
        {"0.333333333", "0.3333"},
        {"1000", "1000"},
        {"4095.9", "4096"},  // carries into the exponent
    };
    for (const auto& [text, expected] : numbers) require_text(scene, "f16", text, expected + "\n");
    require_refused(sort_text(scene, "f16", "65520"),
                    "line 1 is out of range: \"65520\", but f16 holds -65504 to 65504");
    require_refused(sort_text(scene, "f16", "1\n-1e400"), "line 2 is out of range");
}

TEST_CASE("every half is written so that it reads back") {
    if (no_device()) return;
    const Scene scene;
    std::string exact;  // every finite half, exactly, as a float with enough digits
    std::vector<half> halves;
    for (std::uint32_t bits = 0; bits < 65536; ++bits) {
        const half value{static_cast<std::uint16_t>(bits)};
        if ((bits & 0x7c00) == 0x7c00) continue;
        char text[64];
        exact.append(text, std::to_chars(text, text + sizeof text, number_of(value)).ptr) += '\n';
        halves.push_back(value);
    }
    const Result once = sort_text(scene, "f16", exact);
    REQUIRE(once.status == 0);
    CHECK(sort_text(scene, "f16", once.out).out == once.out);

    std::istringstream lines(once.out);
    const std::vector<half> expected = sorted(halves, Order::ascending);
    std::size_t wrong = 0, longest = 0;
    for (const half value : expected) {
        std::string line;
        std::getline(lines, line);
        longest = std::max(longest, line.size());
        // Nearer to its own half than to any other: less than half of the distance to a neighbour.
        const double number = number_of(value), read = std::stod(line);
        const double next = number_of(half{static_cast<std::uint16_t>(value.bits ^ 1)});
        wrong += std::abs(read - number) > std::abs(next - number) / 2 || std::signbit(read) != std::signbit(number);
    }
    CHECK(wrong == 0);
    CHECK(longest == std::string_view("-6.1035e-05").size());  // five digits tell all halves apart
}

TEST_CASE("floats of every size are written so that they read back to the same bits") {
    if (no_device()) return;
    const Scene scene;
    Random random(seed());
    const auto check = [&]<class T>(T) {
        std::vector<T> keys = random_keys<T>(2000, random);
        std::erase_if(keys, [](T key) { return std::isnan(key); });
        std::string lines;
        for (const T key : keys) {
            char text[64];
            lines.append(text, std::to_chars(text, text + sizeof text, key).ptr) += '\n';
        }
        const Result result = sort_text(scene, std::string(name(key_type_v<T>)), lines);
        REQUIRE(result.status == 0);
        std::istringstream read(result.out);
        std::vector<T> back;
        for (std::string line; std::getline(read, line);)
            std::from_chars(line.data(), line.data() + line.size(), back.emplace_back());
        require_same_bytes(back, sorted(keys, Order::ascending));
    };
    check(float{});
    check(double{});
}

TEST_CASE("text over many chunks, with long runs of the same number") {
    if (no_device()) return;
    const Scene scene;
    Random random(seed());
    std::vector<std::uint64_t> keys(200000);
    for (auto& key : keys) key = random() % 4 == 0 ? random() : random() % 3;
    const auto text_of = [](const std::vector<std::uint64_t>& all) {
        std::string text;
        for (const auto key : all) text += std::to_string(key) + "\n";
        return text;
    };
    const std::string lines = text_of(keys);
    std::ranges::sort(keys);
    const Result result = sort_text(scene, "u64", lines);
    CHECK(result.status == 0);
    CHECK(result.out == text_of(keys));
}

TEST_CASE("a line that is no number, or out of range, is named") {
    if (no_device()) return;
    const Scene scene;
    struct Wrong {
        std::string type, lines, part;
    };
    const Wrong wrong[] = {
        {"u32", "1\n2\nthree\n", "in, line 3 is no number of type u32: \"three\"\n"},
        {"u32", "1\n1.5\n", "in, line 2 is no number of type u32: \"1.5\"\n"},
        {"u32", "1 2\n", "in, line 1 is no number of type u32: \"1 2\"\n"},
        {"u32", "+-1\n", "in, line 1 is no number of type u32: \"+-1\"\n"},
        {"u32", "--1\n", "in, line 1 is no number of type u32: \"--1\"\n"},
        {"u32", "-\n", "in, line 1 is no number of type u32: \"-\"\n"},
        {"u32", "0x10\n", "in, line 1 is no number"},
        {"u32", "1\n\x1b[31m\n", "in, line 2 is no number of type u32: \"\\x1b[31m\"\n"},
        {"u32", "1\n\n2\n", "in, line 2 is empty\n"},
        {"u32", "1\n \t\r\n2\n", "in, line 2 is empty\n"},
        {"u32", "1\n\n", "in, line 2 is empty\n"},
        {"u32", "1\n" + "2\0"s + "\n", "in, line 2 is no number"},
        {"f32", "1\nnan(1)\n", "in, line 2 is no number"},
        {"f32", "1e\n", "in, line 1 is no number"},
        {"f32", "1,5\n", "in, line 1 is no number"},
        {"f64", "infinite\n", "in, line 1 is no number"},
        {"u8", "0\n256\n", "in, line 2 is out of range: \"256\", but u8 holds 0 to 255\n"},
        {"u8", "0\n-1\n", "in, line 2 is out of range: \"-1\", but u8 holds 0 to 255\n"},
        {"i8", "128\n", "in, line 1 is out of range: \"128\", but i8 holds -128 to 127\n"},
        {"i8", "-129\n", "but i8 holds -128 to 127\n"},
        {"u16", "65536\n", "but u16 holds 0 to 65535\n"},
        {"i16", "-32769\n", "but i16 holds -32768 to 32767\n"},
        {"u32", "4294967296\n", "but u32 holds 0 to 4294967295\n"},
        {"i32", "2147483648\n", "but i32 holds -2147483648 to 2147483647\n"},
        {"u64", "18446744073709551616\n", "but u64 holds 0 to 18446744073709551615\n"},
        {"i64", "9223372036854775808\n", "but i64 holds -9223372036854775808 to 9223372036854775807\n"},
        {"f32", "1\n1e39\n", "in, line 2 is out of range: \"1e39\", but f32 holds -3.4028235e+38 to 3.4028235e+38"},
        {"f64", "-1e309\n", "but f64 holds -1.7976931348623157e+308 to 1.7976931348623157e+308"},
        {"u32", std::string(3000000, '1'), "line 1 is no number of type u32: it has more than 1048576 characters\n"},
        {"u32", "1\n" + std::string(100, '9'), "line 2 is out of range: \"" + std::string(40, '9') + "\"..., but"},
    };
    const std::string out = scene.file("out", "before");
    for (const auto& [type, lines, part] : wrong) {
        const std::string in = scene.file("in", lines);
        require_refused(scene.run({"sort", "--text", "--type", type, in, out}), part);
        CHECK(read_file(in) == lines);
    }
    // Far into the file, and from standard input.
    std::string many;
    for (int line = 1; line < 300000; ++line) many += "123456\n";
    require_refused(sort_text(scene, "u32", many + "x"), "standard input, line 300000 is no number of type u32: \"x\"");
    CHECK(read_file(out) == "before");
    CHECK(scene.files() == 2);
}

TEST_CASE("a file that cannot be read, or holds no whole number of keys, leaves OUT as it was") {
    if (no_device()) return;
    const Scene scene;
    const std::string out = scene.file("out", "before"), odd = scene.file("odd", "1234567890");
    require_refused(scene.run({"sort", "--type", "u32", odd, out}),
                    "odd has 10 bytes, which is no multiple of the 4 bytes of a u32: 2 left over at byte 8\n");
    require_refused(scene.run({"sort", "--type", "f64", odd, odd}), "2 left over at byte 8\n");
    require_refused(scene.run({"sort", "--type", "u32", "-", out}, "12345"), "standard input has 5 bytes");
    require_refused(scene.run({"sort", "--type", "u32", scene.path("none"), out}), "none: No such file or directory\n");
    require_refused(scene.run({"sort", "--type", "u8", scene.folder(), out}), ": Is a directory\n");
    require_refused(scene.run({"sort", "--text", "--type", "u8", scene.folder(), out}), ": Is a directory\n");
    CHECK(read_file(out) == "before");
    CHECK(read_file(odd) == "1234567890");
    CHECK(scene.files() == 2);
}

TEST_CASE("an OUT that cannot be written is named") {
    if (no_device()) return;
    const Scene scene;
    const std::string in = scene.file("in", "zyx");
    const auto sort_to = [&](const std::string& out) { return scene.run({"sort", "--type", "u8", in, out}); };
    require_refused(sort_to(scene.path("none/out")), "cannot write " + scene.path("none/out") + ": No such file");
    require_refused(sort_to(scene.folder()), ": Is a directory\n");
    require_refused(sort_to("/proc/lanesort"), "cannot write /proc/lanesort: ");
    require_refused(sort_to(in + "/out"), ": Not a directory\n");
    require_refused(sort_to("/dev/full"), "cannot write /dev/full: No space left on device\n");
    require_refused(sort_to(""), "cannot write ");
    fs::create_symlink("loop", scene.path("loop"));
    require_refused(sort_to(scene.path("loop")), ": Too many levels of symbolic links\n");

    if (geteuid() != 0) {
        const std::string locked = scene.file("locked", "before");
        fs::permissions(locked, fs::perms::owner_read);
        require_refused(sort_to(locked), ": Permission denied\n");
        CHECK(read_file(locked) == "before");
        fs::remove(locked);
    }
    CHECK(read_file(in) == "zyx");
    CHECK(scene.files() == 2);
}

TEST_CASE("IN and OUT may be the same file, which keeps its permissions") {
    if (no_device()) return;
    const Scene scene;
    const std::string file = scene.file("file", "zyxa");
    fs::permissions(file, fs::perms(0640));
    CHECK(scene.run({"sort", "--type", "u8", file, file}).status == 0);
    CHECK(read_file(file) == "axyz");
    CHECK(fs::status(file).permissions() == fs::perms(0640));
    CHECK(scene.files() == 1);

    const mode_t mask = umask(027);
    CHECK(scene.run({"sort", "--type", "u8", file, scene.path("new")}).status == 0);
    umask(mask);
    CHECK(fs::status(scene.path("new")).permissions() == fs::perms(0640));
}

TEST_CASE("a symbolic link keeps its target, which is sorted, or made") {
    if (no_device()) return;
    const Scene scene;
    fs::create_directory(scene.path("deep"));
    const std::string in = scene.file("in", "zyxa"), target = scene.file("deep/target", "before");
    fs::create_symlink("deep/second", scene.path("first"));
    fs::create_symlink("target", scene.path("deep/second"));
    CHECK(scene.run({"sort", "--type", "u8", in, scene.path("first")}).status == 0);
    CHECK(fs::is_symlink(scene.path("first")));
    CHECK(fs::is_symlink(scene.path("deep/second")));
    CHECK(!fs::is_symlink(target));
    CHECK(read_file(target) == "axyz");

    fs::create_symlink(scene.path("deep/made"), scene.path("dangling"));
    CHECK(scene.run({"sort", "--type", "u8", in, scene.path("dangling")}).status == 0);
    CHECK(fs::is_symlink(scene.path("dangling")));
    CHECK(read_file(scene.path("deep/made")) == "axyz");
}

TEST_CASE("OUT is a plain name in the current folder") {
    if (no_device()) return;
    const Scene scene;
    const std::string in = scene.file("in", "zyxa");
    const fs::path before = fs::current_path();
    fs::current_path(scene.folder());
    const Result result = scene.run({"sort", "--type", "u8", "in", "out"});
    fs::current_path(before);
    CHECK_MESSAGE(result.status == 0, result.err);
    CHECK(read_file(scene.path("out")) == "axyz");
    CHECK(scene.files() == 2);
}

TEST_CASE("standard streams, pipes and devices") {
    if (no_device()) return;
    const Scene scene;
    const Result both = scene.run({"sort", "--type", "u16", "-", "-"}, "b1a1");
    CHECK(both.status == 0);
    CHECK(both.out == "a1b1");
    const std::string in = scene.file("in", "zyxa");
    CHECK(scene.run({"sort", "--type", "u8", in, "/dev/null"}).status == 0);

    // What is redirected there already stays.
    const std::string log = scene.file("log", "head ");
    CHECK(scene.run_to({"sort", "--type", "u8", in, "/dev/stdout"}, log) == 0);
    CHECK(read_file(log) == "head axyz");

    const std::string pipe = scene.path("pipe");
    REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
    const pid_t sort = start({"sort", "--type", "u8", in, pipe}, "/dev/null", "/dev/null", scene.err());
    CHECK(read_file(pipe) == "axyz");
    CHECK(wait_for(sort) == 0);
    CHECK(fs::is_fifo(pipe));
}

TEST_CASE("the first numbers alone: none and one, raw") {
    if (no_device()) return;
    const Scene scene;
    for (const std::string bytes : {"", "1234"}) {
        const std::string in = scene.file("in", bytes);
        const Result result = scene.run({"sort", "--type", "u32", "--stats", in, scene.path("out")});
        CHECK_MESSAGE(result.status == 0, result.err);
        CHECK(read_file(scene.path("out")) == bytes);
    }
}

TEST_CASE("an interrupt leaves OUT as it was and no temporary file") {
    if (no_device()) return;
    const Scene scene;
    const std::string out = scene.file("out", "before"), pipe = scene.path("pipe");
    REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
    // The command waits for numbers that never come.
    const pid_t sort = start({"sort", "--type", "u8", pipe, out}, "/dev/null", "/dev/null", scene.err());
    const int writer = open(pipe.c_str(), O_WRONLY);
    REQUIRE(writer >= 0);
    for (int tries = 0; scene.files() < 3 && tries < 1000; ++tries)
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    CHECK(scene.files() == 3);
    // It may still be on its way from the temporary file to the wait.
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    kill(sort, SIGTERM);
    CHECK(wait_for(sort) == 128 + SIGTERM);
    close(writer);
    CHECK(scene.files() == 2);
    CHECK(read_file(out) == "before");
}

TEST_CASE("output that cannot be written is never taken for done") {
    const Scene scene;
    for (const Words& words :
         {Words{"--help"}, {"--version"}, {"devices"}, {"plan", "--count", "9"}, {"stats", "--count", "9"}}) {
        CAPTURE(words.front());
        CHECK(scene.run_to(words, "/dev/full") == 2);
        CHECK(read_file(scene.err()).ends_with("lanesort: cannot write standard output: No space left on device\n"));
    }
    if (no_device()) return;
    scene.file("in", "zyxa");
    CHECK(scene.run_to({"sort", "--type", "u8", scene.path("in"), "-"}, "/dev/full") == 2);
    CHECK(contains(read_file(scene.err()), "cannot write standard output: No space left on device"));
}

TEST_CASE("the command ends by the signal, as other tools do, when nobody reads on") {
    if (no_device()) return;
    const Scene scene;
    const std::string in = scene.file("in", std::string(1 << 20, 'x')), pipe = scene.path("pipe");
    REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
    // More than a pipe holds, so that the command is still writing when its reader leaves.
    const pid_t sort = start({"sort", "--type", "u8", in, "-"}, "/dev/null", pipe, scene.err());
    std::ifstream(pipe).get();
    CHECK(wait_for(sort) == 128 + SIGPIPE);
}

TEST_CASE("devices lists what the library finds") {
    const Scene scene;
    const auto found = devices();
    const Result list = scene.run({"devices", "--format", "json"});
    REQUIRE(list.status == 0);
    const Json json = Json::parse(list.out);
    REQUIRE(json.size() == found.size());
    const Result words = scene.run({"devices"});
    CHECK(words.status == 0);
    for (std::size_t i = 0; i < found.size(); ++i) {
        const DeviceInfo& info = found[i].info();
        CHECK(json[i]["name"] == info.name);
        CHECK(json[i]["platform"] == info.platform);
        CHECK(json[i]["local_bytes"] == info.local_bytes);
        CHECK(json[i]["max_allocation_bytes"] == info.max_allocation_bytes);
        CHECK(json[i]["max_work_items"] == info.max_work_items);
        for (const std::size_t bytes : {1, 2, 4, 8}) {
            CHECK(json[i]["shapes_by_key_bytes"][std::to_string(bytes)]["lanes"] == choose_shape(info, bytes).lanes);
            CHECK(contains(words.out, to_string(choose_shape(info, bytes))));
        }
        CHECK(contains(words.out, info.name));
    }
}

TEST_CASE("plan shows every pass") {
    const Scene scene;
    const Shape shape{.lanes = 2, .vectors = 2, .work_items = 64, .register_vectors = 4, .steps_per_pass = 3};
    const Words words = {"plan",
                         "--count",
                         "1M",
                         "--type",
                         "u64",
                         "--lanes",
                         "2",
                         "--vectors",
                         "2",
                         "--work-items",
                         "64",
                         "--registers",
                         "4",
                         "--steps-per-pass",
                         "3",
                         "--local-sync",
                         "--no-remap",
                         "--no-bank-swap",
                         "--no-coalesced-store"};
    const Plan plan = make_plan(1 << 20, shape);
    Words as_json = words;
    as_json.insert(as_json.end(), {"--format", "json"});
    const Result result = scene.run(as_json);
    REQUIRE_MESSAGE(result.status == 0, result.err);
    const Json json = Json::parse(result.out);
    CHECK(json["count"] == 1 << 20);
    CHECK(json["type"] == "u64");
    CHECK(json["shape"]["work_items"] == 64);
    REQUIRE(json["passes"].size() == plan.passes.size());
    std::uint64_t steps = 0;
    for (std::size_t i = 0; i < plan.passes.size(); ++i) {
        const Json& shown = json["passes"][i];
        const Pass& pass = plan.passes[i];
        constexpr const char* kernels[] = {"sort_tiles", "merge_rows", "merge_tiles"};
        CHECK(shown["kernel"] == kernels[static_cast<std::size_t>(pass.kind)]);
        CHECK(shown["last_phase"] == pass.last_phase);
        CHECK(shown["top_stride"] == std::uint64_t{1} << pass.top_stride);
        CHECK(shown["bottom_stride"] == std::uint64_t{1} << pass.bottom_stride);
        CHECK(shown["mirrored"] == pass.mirrored);
        CHECK(shown["rows"].get<std::uint64_t>() * shown["columns"].get<std::uint64_t>() == shape.tile_keys());
        CHECK(shown["groups"] == pass.groups);
        CHECK(shown["barriers"] == pass.barriers);
        steps += pass.steps;
    }
    CHECK(steps == 20 * 21 / 2);
    CHECK(json["steps"] == steps);
    CHECK(json["synchronisations"]["by_cpu"] == plan.passes.size() - 1);

    const Result table = scene.run(words);
    CHECK(table.status == 0);
    CHECK(std::ranges::count(table.out, '\n') == static_cast<std::ptrdiff_t>(plan.passes.size()) + 6);
    CHECK(contains(table.out, "steps: 210, synchronisations by the CPU: " + std::to_string(plan.passes.size() - 1)));

    for (const char* const count : {"0", "1"}) {
        const Result none = scene.run({"plan", "--count", count, "--format", "json"});
        CHECK(Json::parse(none.out)["passes"].empty());
    }
    const Result scalar = scene.run({"plan", "--count", "2^24", "--lanes", "1", "--vectors", "1", "--work-items", "256",
                                     "--steps-per-pass", "1", "--no-local-sync", "--no-remap"});
    CHECK(contains(scalar.out,
                   "passes: 300, steps: 300, synchronisations by the CPU: 299, of all kinds: 299, "
                   "barriers: 0"));
}

TEST_CASE("counts are written as people write them") {
    const Scene scene;
    const std::pair<const char*, std::uint64_t> counts[] = {
        {"1000", 1000},  {"3K", 3072},      {"16M", 1 << 24},
        {"1G", 1 << 30}, {"2^20", 1 << 20}, {"2^62", std::uint64_t{1} << 62},
    };
    for (const auto& [text, count] : counts)
        CHECK(Json::parse(scene.run({"plan", "--count", text, "--format", "json"}).out)["count"] == count);
    for (const char* const text : {"", "K", "2^", "2^^3", "1.5K", "0x10", " 1", "+1"})
        require_refused(scene.run({"plan", "--count", text}), "is not a count");
}

TEST_CASE("stats shows printed and exact figures without a device") {
    const Scene scene;
    const ScopedVariable nowhere("OCL_ICD_VENDORS", "/nonexistent"), hidden("CUDA_VISIBLE_DEVICES", "-1");
    if (scene.run({"devices", "--format", "json"}).out != "[]\n") return;  // not every loader knows the variable
    const auto variants = statistics_variants(4);

    const Json json = Json::parse(scene.run({"stats", "--count", "2^24", "--format", "json"}).out);
    REQUIRE(json.size() == variants.size());
    for (std::size_t i = 0; i < variants.size(); ++i) {
        const SyncCounts exact = exact_counts(make_plan(1 << 24, variants[i].shape));
        CHECK(json[i]["variant"] == variants[i].name);
        CHECK(json[i]["by_cpu"]["exact"] == exact.by_cpu);
        CHECK(json[i]["by_cpu"]["measured"].is_null());
        CHECK(json[i]["all"]["exact"] == exact.all);
        CHECK(json[i]["barriers"]["exact"] == exact.barriers);
    }
    CHECK(json[0]["by_cpu"]["exact"] == 299);
    CHECK(json[0]["by_cpu"]["printed"] == 299);

    const Result csv = scene.run({"stats", "--count", "2^24", "--format", "csv"});
    CHECK(
        csv.out.starts_with("variant,cpu_printed,cpu_exact,cpu_measured,all_printed,all_exact,all_measured,"
                            "barriers_exact,barriers_measured\n"
                            "\"scalar, every step by the CPU\",299,299,,299,299,,0,\n"));
    CHECK(std::ranges::count(csv.out, '\n') == static_cast<std::ptrdiff_t>(variants.size()) + 1);

    const Result table = scene.run({"stats", "--count", "2^24"});
    CHECK(table.status == 0);
    CHECK(table.err.empty());
    CHECK(contains(table.out, "synchronisations by the CPU"));
    CHECK(std::ranges::count(table.out, '\n') == static_cast<std::ptrdiff_t>(variants.size()) + 2);
    CHECK(scene.run({"stats", "--count", "0"}).status == 0);
}

TEST_CASE("stats --measure: what the device did is what the plan said") {
    if (no_device()) return;
    const Scene scene;
    const Result result = scene.run({"stats", "--count", "5000", "--measure", "--format", "json"});
    REQUIRE_MESSAGE(result.status == 0, result.err);
    CHECK(result.err.empty());
    const Json json = Json::parse(result.out);
    const DeviceInfo info = find_device().info();
    CHECK(json.size() == statistics_variants(4, info.local_bytes, info.max_work_items).size() + 1);
    CHECK(json.back()["variant"].get<std::string>().starts_with("chosen: L="));
    for (const Json& row : json) {
        CAPTURE(row["variant"].get<std::string>());
        for (const char* const kind : {"by_cpu", "all", "barriers"}) CHECK(row[kind]["measured"] == row[kind]["exact"]);
    }
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
    require_refused(scene.run({"sort", "--type", "u8", in, out}), sentence);
    require_refused(scene.run({"stats", "--count", "100", "--measure"}), sentence);
    require_refused(scene.run({"stats", "--count", "100", "--device", "0"}), sentence);
    require_refused(scene.run({"plan", "--count", "100", "--device", "0"}), sentence);

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
        const std::string sentence = "no device is called \""s + device + "\"; there are 0: ";
        require_refused(scene.run({"sort", "--type", "u8", "--device", device, in, scene.path("out")}), sentence);
        require_refused(scene.run({"plan", "--count", "5", "--device", device}), sentence);
        require_refused(scene.run({"stats", "--count", "5", "--device", device}), sentence);
    }
    CHECK(scene.files() == 1);
    CHECK(scene.run({"sort", "--type", "u8", "--device", "0", in, in}).status == 0);
    CHECK(read_file(in) == "axyz");
}

TEST_CASE("more keys than the device can hold") {
    if (no_device() || find_device().info().platform != "Portable Computing Language") return;
    const Scene scene;
    const ScopedVariable one_gigabyte("POCL_MEMORY_LIMIT", "1");
    const std::string in = scene.file("in", ""), out = scene.file("out", "before");
    const Json info = Json::parse(scene.run({"devices", "--format", "json"}).out)[0];
    fs::resize_file(in, info["max_allocation_bytes"].get<std::uintmax_t>() + 1);  // a hole: takes no room on the disk
    require_refused(scene.run({"sort", "--type", "u8", in, out}), "keys of type u8 exceed the");
    CHECK(read_file(out) == "before");
    CHECK(scene.files() == 2);
}

TEST_CASE("kernels that do not build: the device failed, and the log says why") {
    if (no_device()) return;
    const Scene scene;
    const TemporaryFolder kernels;
    for (const char* const name : {"tile_in_cache.cl", "tile_in_local.cl"})
        write_file(kernels.path() / name, "#error a kernel of no use\n");
    const std::string in = scene.file("in", "zyxa"), out = scene.file("out", "before");
    const ScopedVariable folder("LANESORT_KERNEL_DIR", kernels.path());
    const Result result = scene.run({"sort", "--type", "u8", in, out});
    CHECK(result.status == 1);
    CHECK(contains(result.err, "lanesort: the device's compiler refused tile_in_"));
    CHECK(contains(result.err, "a kernel of no use"));
    CHECK(read_file(out) == "before");
    CHECK(scene.files() == 2);
}
