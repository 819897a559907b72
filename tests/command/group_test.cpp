// SPDX-License-Identifier: MIT
// lanesort group: beside maps of the same lines and plain loops over their values.
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "command_support.hpp"

namespace lanesort::test {
namespace {

using namespace std::string_literals;
__extension__ typedef __int128 Wide;

const std::string i64_max = std::to_string(std::numeric_limits<std::int64_t>::max());
const std::string i64_min = std::to_string(std::numeric_limits<std::int64_t>::min());
const std::string u64_max = std::to_string(std::numeric_limits<std::uint64_t>::max());

std::string group(const Scene& scene, Words words, std::string_view table) {
    words.insert(words.begin(), "group");
    const Result result = scene.run(words, table);
    CHECK_MESSAGE(result.status == 0, result.err);
    return result.out;
}

template <class T>
std::string shortest(T number) {
    char text[32];
    char* const end = text + sizeof text;
    if constexpr (std::floating_point<T>) {
        const T size = std::abs(number);
        if (size >= T(1e-4) && size < 1 / std::numeric_limits<T>::epsilon())
            return {text, std::to_chars(text, end, number, std::chars_format::fixed).ptr};
    }
    return {text, std::to_chars(text, end, number).ptr};
}

/// A missing number comes last.
struct Key {
    std::optional<int> number;
    std::string text;
};

/// By the numbers, then by the texts, which descend; or by the texts first.
struct KeyOrder {
    bool text_first, descends;
    bool operator()(const Key& a, const Key& b) const {
        const auto number_of = [&](const Key& key) {
            return std::pair{!key.number, key.number.value_or(0) * (descends ? -1 : 1)};
        };
        const auto number_a = number_of(a), number_b = number_of(b);
        if (text_first ? a.text == b.text : number_a != number_b) return number_a < number_b;
        return b.text < a.text;
    }
};

struct Line {
    Key key;
    std::optional<std::int64_t> integer;
    std::optional<double> decimal;
};

std::vector<Line> random_lines(std::size_t count, Random& random) {
    std::vector<Line> lines(count);
    for (Line& line : lines) {
        if (random() % 10 > 0) line.key.number = static_cast<int>(random() % 41) - 20;
        line.key.text = "2013-";
        for (std::uint64_t length = random() % 4; length > 0; --length) line.key.text += "ab"[random() % 2];
        if (random() % 3 > 0) line.integer = static_cast<std::int64_t>(random() % 2001) - 1000;
        // Their sums are exact in any order.
        if (random() % 3 > 0) line.decimal = 0.25 * (static_cast<double>(random() % 4001) - 2000);
    }
    return lines;
}

std::string as_in_table(std::int64_t integer) { return std::to_string(integer); }
std::string as_in_table(double decimal) { return fmt::format("{:.2f}", decimal); }

std::string table_of(const std::vector<Line>& lines) {
    std::string table = "number,text,integer,decimal\n";
    for (const Line& line : lines) {
        table += line.key.number ? std::to_string(*line.key.number) : "NA";
        table += ",\"" + line.key.text + "\"," + (line.integer ? std::to_string(*line.integer) : "") + ',';
        table += (line.decimal ? as_in_table(*line.decimal) : "null") + '\n';
    }
    return table;
}

/// Of the values that are there: how many they are, their sum, the least, the largest, and the mean.
template <class T>
std::string reduced(const std::vector<T>& values) {
    if (values.empty()) return "0,,,,";
    T sum{}, least = values.front(), largest = least;
    for (const T value : values) {
        sum += value;
        least = std::min(least, value);
        largest = std::max(largest, value);
    }
    const double mean = static_cast<double>(sum) / static_cast<double>(values.size());
    return fmt::format("{},{},{},{},{}", values.size(), shortest(sum), as_in_table(least), as_in_table(largest),
                       shortest(mean));
}

std::string expected_groups(const std::vector<Line>& lines, KeyOrder order) {
    struct Values {
        std::size_t lines = 0;
        std::vector<std::int64_t> integers;
        std::vector<double> decimals;
    };
    std::map<Key, Values, KeyOrder> groups(order);
    for (const Line& line : lines) {
        Values& values = groups[line.key];
        ++values.lines;
        if (line.integer) values.integers.push_back(*line.integer);
        if (line.decimal) values.decimals.push_back(*line.decimal);
    }
    std::string expected = order.text_first ? "text,number" : "number,text";
    for (const std::string name : {"integer", "decimal"})
        expected += fmt::format(",count_{0},sum_{0},min_{0},max_{0},mean_{0}", name);
    expected += ",count\n";
    for (const auto& [key, values] : groups) {
        const std::string number = key.number ? std::to_string(*key.number) : "NA", text = '"' + key.text + '"';
        expected += (order.text_first ? text + ',' + number : number + ',' + text) + ',' + reduced(values.integers) +
                    ',' + reduced(values.decimals) + ',' + std::to_string(values.lines) + '\n';
    }
    return expected;
}

TEST_CASE("group: all reductions by two columns, as a map of the lines has them") {
    if (no_device()) return;
    const Scene scene;
    Random random(seed());
    // Beyond the last, IN is no longer small.
    for (const std::size_t count : {0u, 1u, 2u, 3u, 257u, 4099u, 70'000u}) {
        const std::vector<Line> lines = random_lines(count, random);
        const std::string table = table_of(lines);
        for (const bool text_first : {false, true})
            for (const bool descends : {false, true}) {
                CAPTURE(count);
                CAPTURE(text_first);
                CAPTURE(descends);
                const std::string number = descends ? "number:desc" : "1";
                Words words = {"--header", "--by-column", text_first ? "2:text:desc" : number, "--by-column",
                               text_first ? number : "2:text:desc"};
                for (const std::string column : {"3", "decimal"})
                    for (const std::string what : {"count", "sum", "min", "max", "mean"})
                        words.insert(words.end(), {"--reduce", what + ":" + column});
                words.insert(words.end(), {"--reduce", "count"});
                CHECK((group(scene, words, table) == expected_groups(lines, {text_first, descends})));
            }
    }
}

TEST_CASE("group: the columns of the first line of each group, as they stand") {
    const Scene scene;
    const Words by = {"--by-column", "1:text"};
    const auto of = [&](Words more, std::string_view table) {
        more.insert(more.begin(), by.begin(), by.end());
        return group(scene, more, table);
    };
    CHECK(of({}, "").empty());
    CHECK(of({"--header"}, "").empty());
    CHECK(of({}, "a") == "a,1\n");
    CHECK(of({}, "b\na\nb\n") == "a,1\nb,2\n");
    CHECK(of({}, "a\na\na\n") == "a,3\n");
    CHECK(of({}, "\"a\"\na\n") == "\"a\",2\n");
    CHECK(of({}, "a\n\"a\"\n") == "a,2\n");
    CHECK(of({}, "\"x,\n\"\"y\",1\n\"x,\n\"\"y\",2\n") == "\"x,\n\"\"y\",2\n");
    CHECK(of({"--no-quotes"}, "\"a\n\"a\na\n") == "\"a,2\na,1\n");
    CHECK(of({"-t", "tab", "--reduce", "sum:2"}, "a,\t1\na,\t2\n") == "a,\t3\n");
    CHECK(of({"--header"}, "k\r\nb\r\na\r\nb") == "k,count\r\na,1\r\nb,2\r\n");
    CHECK(of({"--header"}, "k,v\n") == "k,count\n");
    CHECK(of({"--header"}, "\xef\xbb\xbfk,v\nb\n") == "\xef\xbb\xbfk,count\nb,1\n");
    CHECK(of({},
             "\xef\xbb\xbf"
             "b\nb\n") ==
          "\xef\xbb\xbf"
          "b,2\n");
    CHECK(group(scene, {"--by-column", "v"}, "k,v\na,2\nb,1\nc,2.0\n") == "v,count\n1,1\n2,2\n");
    CHECK(group(scene, {"--by-column", "v", "--by-column", "k:text", "-r"}, "k,v\na,2\nb,3\na,2\n") ==
          "v,k,count\n3,b,1\n2,a,2\n");
    CHECK(group(scene, {"--by-column", "1", "--by-column", "1"}, "1\n1.0\n") == "1,1,2\n");
}

TEST_CASE("group: reductions are called by their columns, whose names keep their quotes where these are needed") {
    const Scene scene;
    const std::string table = "k,\"a,\"\"b\"\"\",c:d,\"e\"\n1,2,3,4\n";
    CHECK(group(scene, {"--by-column", "k", "--reduce", "sum:2", "--reduce", "max:c:d", "--reduce", "mean:e"}, table) ==
          "k,\"sum_a,\"\"b\"\"\",max_c:d,mean_e\n1,2,3,4\n");
    CHECK(group(scene,
                {"--by-column", "1", "--header", "--reduce", "min:3", "--reduce", "min:3", "--reduce", "count:3"},
                table) == "k,min_c:d,min_c:d_2,count_c:d\n1,3,3,1\n");
    CHECK(group(scene, {"--by-column", "count", "--by-column", "#2:text"}, "count,count_2\n1,x\n1,x\n") ==
          "count,count_2,count_3\n1,x,2\n");
    CHECK(group(scene, {"--by-column", "k", "--reduce", "count:count", "--reduce", "count"}, "k,count\n1,x\n1,\n") ==
          "k,count_count,count\n1,1,2\n");
    CHECK(group(scene, {"--by-column", "1", "--no-quotes", "--header", "--reduce", "sum:2"}, "k,\"v\n1,2\n") ==
          "k,sum_\"v\n1,2\n");
    // A name asks for a header as it does in --by-column.
    CHECK(group(scene, {"--by-column", "1", "--reduce", "sum:v"}, "k,v\n1,2\n1,3\n") == "k,sum_v\n1,5\n");
    CHECK(group(scene, {"--by-column", "1", "--reduce", "sum:2"}, "1,2\n1,3\n") == "1,5\n");
}

TEST_CASE("group: keys that are missing are equal, and all NaNs; zeros are told apart by their signs") {
    const Scene scene;
    const Words by = {"--by-column", "1", "--reduce", "count", "--reduce", "sum:2"};
    CHECK(group(scene, by, "NA,1\n2,1\n,1\n\n1,1\nnull,1\n") == "1,1,1\n2,1,1\nNA,4,3\n");
    CHECK(group(scene, by, "nan,1\n0.0,1\n-0.0,1\n-nan,1\n0,1\nNaN,1\n-0,1\ninf,1\n") ==
          "-0.0,2,2\n0.0,2,2\ninf,1,1\nnan,3,3\n");
    CHECK(group(scene, by, "-NAN,1\nnan,1\n2,\n") == "2,1,\n-NAN,2,2\n");
    CHECK(group(scene, {"--by-column", "1", "--by-column", "2"}, "-nan,1\nnan,2\n-nan,2\nnan,1\n") ==
          "-nan,1,2\nnan,2,2\n");
    CHECK(group(scene, by, "-0,1\n0,1\n") == "-0,2,2\n");
    CHECK(group(scene, {"--by-column", "1", "--missing-as", "nan", "--reduce", "sum:2"}, "NA,1\nnan,\n1.5,\n") ==
          "1.5,\nNA,1\n");
    CHECK(group(scene, {"--by-column", "1", "--by-column", "2:text", "--missing", "-", "--reduce", "count:3"},
                "-,a,-\n1,-,x\n-,-,-\n1,-,\n-,a,1\n") == "1,-,1\n-,a,1\n-,-,0\n");
    require_refused(scene.run({"group", "--by-column", "1", "--missing-as", "error"}, "1\nNA\n"),
                    "line 2, column 1 is missing");
}

TEST_CASE("group: values that are missing are left out") {
    const Scene scene;
    Words words = {"--by-column", "1:text"};
    for (const std::string what : {"count", "count:2", "sum:2", "min:2", "max:2", "mean:2", "count:3"})
        words.insert(words.end(), {"--reduce", what});
    const std::string table = "a,NA,x\nb,1,\na\nb,,\"\"\nc, 2 ,n/a\nb,\"4\",y\n";
    CHECK(group(scene, words, table) == "a,2,0,,,,,1\nb,3,2,5,1,4,2.5,1\nc,1,1,2,2,2,2,0\n");
    // What is missing of the keys may be an error; of the values it is none.
    words.insert(words.end(), {"--missing-as", "error"});
    CHECK(group(scene, words, table) == "a,2,0,,,,,1\nb,3,2,5,1,4,2.5,1\nc,1,1,2,2,2,2,0\n");
    words.back() = "nan";
    CHECK(group(scene, words, table) == "a,2,0,,,,,1\nb,3,2,5,1,4,2.5,1\nc,1,1,2,2,2,2,0\n");
    words.insert(words.end(), {"--missing", "x,y"});
    CHECK(group(scene, words, "a,x,x\na,y,z\n") == "a,2,0,,,,,1\n");
    CHECK(group(scene, {"--by-column", "1", "--reduce", "sum:2"}, "1,NA\n2,\n") == "1,\n2,\n");
}

TEST_CASE("group: sums of integers are exact, and their means the nearest f64") {
    const Scene scene;
    const auto of = [&](const std::vector<std::string>& values) {
        std::string table;
        for (const std::string& value : values) table += "1," + value + "\n2,1\n";
        const std::string out = group(scene, {"--by-column", "1", "--reduce", "sum:2", "--reduce", "mean:2"}, table);
        return out.substr(0, out.find('\n'));
    };
    CHECK(of({i64_max, "1"}) == "1,9223372036854775808,4611686018427387904");
    CHECK(of({i64_min, "-1"}) == "1,-9223372036854775809,-4611686018427387904");
    CHECK(of({i64_min, i64_min, i64_min}) == "1,-27670116110564327424,-9223372036854775808");
    CHECK(of({i64_min, i64_max}) == "1,-1,-0.5");
    CHECK(of({i64_min, i64_max, "1"}) == "1,0,0");
    CHECK(of({i64_max, i64_min, "2"}) == "1,1,0.3333333333333333");
    CHECK(of({u64_max, u64_max, "1"}) == "1,36893488147419103231,12297829382473033728");
    CHECK(of({u64_max}) == "1," + u64_max + ",18446744073709551616");
    CHECK(of({"4294967296", "-1"}) == "1,4294967295,2147483647.5");
    CHECK(of({"2147483647", "2147483647", "-2147483648"}) == "1,2147483646,715827882");
    // Between two f64 the mean goes to the even one, and to the nearest where it is no longer between them.
    CHECK(of({"9007199254740993"}) == "1,9007199254740993,9007199254740992");
    CHECK(of({"9007199254740993", "9007199254740993", "9007199254740994"}) == "1,27021597764222980,9007199254740994");
    // Integers that no integer type holds are f64 if that holds them exactly.
    CHECK(of({"36893488147419103232", "-1.5"}) == "1,36893488147419103232,18446744073709551616");
    CHECK(of({"36893488147419103232", "-8"}) == "1,36893488147419103232,18446744073709551616");
}

TEST_CASE("group: no f64 is nearer to the mean of large integers, and no sum is rounded") {
    if (no_device()) return;
    const Scene scene;
    Random random(seed());
    for (const bool is_signed : {false, true}) {
        struct Sum {
            Wide sum = 0;
            int count = 0;
        };
        std::map<std::uint64_t, Sum> sums;
        std::string table;
        for (int i = 0; i < 30'000; ++i) {
            const std::uint64_t key = random() % 4001, value = random() | std::uint64_t{1} << 62;
            sums[key].sum += is_signed ? Wide{static_cast<std::int64_t>(value)} : Wide{value};
            ++sums[key].count;
            table += fmt::format("{},", key) +
                     (is_signed ? std::to_string(static_cast<std::int64_t>(value)) : std::to_string(value)) + '\n';
        }
        std::istringstream lines(group(scene, {"--by-column", "1", "--reduce", "sum:2", "--reduce", "mean:2"}, table));
        const auto distance = [](const Sum& sum, double mean) {
            const Wide difference = sum.sum - static_cast<Wide>(mean) * sum.count;
            return difference < 0 ? -difference : difference;
        };
        int far = 0, wrong = 0;
        for (const auto& [key, sum] : sums) {
            std::string line;
            REQUIRE(std::getline(lines, line));
            const std::string head = fmt::format("{},{},", key, sum.sum);
            wrong += line.starts_with(head) ? 0 : 1;
            const double mean = std::strtod(line.c_str() + head.size(), nullptr);
            if (std::fabs(mean) < 0x1p53) continue;
            for (const double other : {std::nextafter(mean, -INFINITY), std::nextafter(mean, INFINITY)})
                far += distance(sum, mean) > distance(sum, other) ? 1 : 0;
        }
        CHECK(wrong == 0);
        CHECK(far == 0);
        CHECK(lines.peek() == std::char_traits<char>::eof());
    }
}

TEST_CASE("group: floating-point values, as the library reduces them") {
    const Scene scene;
    const auto of = [&](std::string_view values) {
        Words words = {"--by-column", "1"};
        for (const std::string what : {"count:2", "sum:2", "min:2", "max:2", "mean:2"})
            words.insert(words.end(), {"--reduce", what});
        return group(scene, words, values);
    };
    CHECK(of("1,0.5\n1,nan\n1,-1\n") == "1,3,nan,-1,0.5,nan\n");
    CHECK(of("1,nan\n1,nan\n") == "1,2,nan,nan,nan,nan\n");
    CHECK(of("1,inf\n1,-inf\n2,1e308\n2,1e308\n") == "1,2,nan,-inf,inf,nan\n2,2,inf,1e308,1e308,inf\n");
    CHECK(of("1,-0.0\n1,0\n2,5e-324\n") == "1,2,0,-0.0,0,0\n2,1,5e-324,5e-324,5e-324,5e-324\n");
    CHECK(of("1,007\n1,+9\n") == "1,2,16,007,+9,8\n");
    CHECK(of("1,0.10\n1,0.1\n1,0.10000000000000000001\n1,0.1000000000000000000\n") ==
          "1,4,0.4,0.10,0.10000000000000000001,0.1\n");
    CHECK(of("1,100000.0\n1,200000\n") == "1,2,300000,100000.0,200000,150000\n");
    CHECK(of("1,0.1\n1,0.2\n") == "1,2,0.30000000000000004,0.1,0.2,0.15000000000000002\n");
}

/// What `group` is to write of numbers, of which the bits tell two apart that are not both NaN.
template <class T>
std::string counted(const std::vector<T>& numbers, Order order) {
    std::string expected;
    const std::vector<T> ordered = sorted(numbers, order);
    for (std::size_t begin = 0, end = 0; begin < ordered.size(); begin = end) {
        const auto is_equal = [&](const T& other) {
            return std::memcmp(&other, &ordered[begin], sizeof(T)) == 0 ||
                   (other != other && ordered[begin] != ordered[begin]);
        };
        for (; end < ordered.size() && is_equal(ordered[end]);) ++end;
        expected += shortest(ordered[begin]) + ',' + std::to_string(end - begin) + '\n';
    }
    return expected;
}

TEST_CASE("group: distinct numbers and how often each comes, of every type") {
    if (no_device()) return;
    const Scene scene;
    Random random(seed());
    const auto check = [&]<class T>(T) {
        std::vector<T> numbers = special_values<T>();
        for (const std::size_t count : {0u, 1u, 500u, 300'000u}) {
            const std::vector<T> drawn = drawn_from(numbers, count, random);
            const std::string type(name(key_type_v<T>)), in = scene.file("in", bytes_of(drawn));
            CAPTURE(type);
            for (const Order order : both_orders) {
                const std::string asked = order == Order::ascending ? "asc" : "desc";
                CHECK((scene.run({"group", "--type", type, "--order", asked, in}).out == counted(drawn, order)));
            }
            CHECK(scene.run({"group", "--type", type, in, in}).status == 0);
            CHECK((read_file(in) == counted(drawn, Order::ascending)));
            for (const T one : random_keys<T>(700, random)) numbers.push_back(one);
        }
    };
    check(std::uint8_t{});
    check(std::int16_t{});
    check(std::uint32_t{});
    check(float{});
    check(std::int64_t{});
    check(double{});
}

TEST_CASE("group: numbers as text, and arrays of any shape") {
    const Scene scene;
    CHECK(group(scene, {"--text"}, "").empty());
    CHECK(group(scene, {"--text"}, "7").starts_with("7,1\n"));
    CHECK(group(scene, {"--text"}, "2\r\n10\r\n2\r\n") == "2,2\r\n10,1\r\n");
    CHECK(group(scene, {"--text", "-r"}, "2\n1.5\n2.0\n-0\n0\n") == "2,2\n1.5,1\n0,1\n-0,1\n");
    CHECK(group(scene, {"--text"}, "nan\n-nan\n1.5\nNaN\n") == "1.5,1\nnan,3\n");
    CHECK(group(scene, {"--text", "--type", "f16", "-r"}, "nan\n-nan\n1.5\n") == "nan,2\n1.5,1\n");
    CHECK(group(scene, {"--text", "--type", "f16"}, "0.1\n0.10000\n65504\n") == "0.1,2\n65504,1\n");
    CHECK(group(scene, {"--text"},
                "\xef\xbb\xbf"
                "1\n1\n") ==
          "\xef\xbb\xbf"
          "1,2\n");
    std::string header = "{'descr': '<u2', 'fortran_order': False, 'shape': (2, 3)}";
    header.resize(117, ' ');
    const std::string npy = "\x93NUMPY\x01\x00\x76\x00"s + header + '\n';
    CHECK(group(scene, {}, npy + bytes_of(std::vector<std::uint16_t>{3, 1, 9, 1, 9, 9})) == "1,2\n3,1\n9,3\n");
}

TEST_CASE("group: what it cannot do is refused in a sentence, and leaves OUT as it was") {
    const Scene scene;
    const std::string in = scene.file("in.csv", "k,v,t\n1,2,x\n1,3,y\n"), out = scene.file("out", "before");
    const std::string not_known = " is not count, nor count, sum, min, max or mean of a column, as in mean:price";
    const std::pair<Words, std::string> wrong[] = {
        {{"--by-column", "k", "--reduce", "median:v"}, "\"median:v\"" + not_known},
        {{"--by-column", "k", "--reduce", "sum"}, "\"sum\"" + not_known},
        {{"--by-column", "k", "--reduce", ""}, "\"\"" + not_known},
        {{"--by-column", "k", "--reduce", "sum:#0"}, "\"sum:#0\"" + not_known},
        {{"--by-column", "k", "--reduce", "sum:0"}, "in.csv, line 1 names no column \"0\", but \"k\""},
        {{"--by-column", "k", "--reduce", "Sum:v"}, "\"Sum:v\"" + not_known},
        {{"--by-column", "k", "--reduce", "sum:w"},
         "in.csv, line 1 names no column \"w\", but \"k\", \"v\", \"t\" (by number, the last is #3)\n"},
        {{"--by-column", "k", "--reduce", "count:w"}, "names no column \"w\""},
        {{"--by-column", "k", "--reduce", "sum:"}, "names no column \"\""},
        {{"--by-column", "k", "--reduce", "sum:4"}, "in.csv, line 1 names no column \"4\", but \"k\", \"v\", \"t\""},
        {{"--by-column", "k", "--reduce", "sum:#4"}, "in.csv, line 1 has 3 columns, so it has no column 4\n"},
        {{"--by-column", "w"}, "names no column \"w\""},
        {{"--by-column", "k", "--reduce", "max:t"},
         "in.csv, line 2, column 3 (\"t\") is no number: \"x\" (--missing gives words for what is missing)\n"},
        {{"--by-column", "1", "--reduce", "sum:2"}, "(if it is a header, say so by --header)"},
        {{"--type", "u8", "--reduce", "count"}, "--reduce is only for use with --by-column"},
        {{"--text", "--by-column", "k"}, "cannot be used with"},
        {{"--by-column", "k", "--memory", "4M"}, "--memory"},
        {{}, "--type is required"},
    };
    for (const auto& [options, part] : wrong) {
        Words words = {"group", in, out};
        words.insert(words.end(), options.begin(), options.end());
        require_refused(scene.run(words), part);
        CHECK(read_file(out) == "before");
    }
    require_refused(scene.run({"group", "--by-column", "k", in, out + ".gz"}), "would not be compressed");
    require_refused(scene.run({"group", "--by-column", "1", "--reduce", "sum:2"}, "1,9007199254740993\n1,0.5\n"),
                    "line 1, column 2 is an integer that f64 does not hold exactly");
    require_refused(scene.run({"group", "--by-column", "1", "--reduce", "sum:2"}, "1,1e999\n"), "is out of range");
    require_refused(scene.run({"group", "--by-column", "1", "--reduce", "sum:3"}, "1,2\n1\n"),
                    "line 1 has 2 columns, so it has no column 3");
    CHECK(scene.files() == 2);
}

TEST_CASE("group: files, their names, a device and --stats, as in a sort") {
    if (no_device()) return;
    const Scene scene;
    const std::string in = scene.file("in.tsv", "k\tv\nb\t1\na\t2\nb\t4\n");
    const Words words = {"group", in, in, "--by-column", "k:text", "--reduce", "sum:v", "--device", "0", "--stats"};
    const Result result = scene.run(words);
    CHECK(result.status == 0);
    CHECK(read_file(in) == "k\tsum_v\na\t2\nb\t5\n");
    for (const char* const part : {"device ", "keys                3 of type u64\n", "launches "})
        CHECK_MESSAGE(contains(result.err, part), result.err);
    const Result numbers = scene.run({"group", "--text", "--stats"}, "1\n2\n1\n");
    CHECK(numbers.out == "1,2\n2,1\n");
    CHECK_MESSAGE(contains(numbers.err, "keys                3 of type i64\n"), numbers.err);
    CHECK(scene.files() == 1);
}

}  // namespace
}  // namespace lanesort::test
