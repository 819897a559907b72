// SPDX-License-Identifier: MIT
// Columns of times: ISO 8601 dates and times, in their order in time.
#include <algorithm>
#include <string>
#include <vector>

#include "command_support.hpp"

namespace lanesort::test {
namespace {

std::string run(const Scene& scene, Words words, const std::string& input) {
    const Result result = scene.run(words, input);
    CHECK(result.err.empty());
    CHECK(result.status == 0);
    return result.out;
}

const std::vector<std::string> times = {
    "0000-01-01",
    "1677-09-21T00:12:43",
    "1969-12-31T23:59:59.9999999999",
    "1970-01-01T00:00:00Z",
    "1970-01-01T00:00:00.0000000000000000000001Z",
    "2000-02-29 23:59:60",
    "2024-03-01T00:30+01:00",
    "2024-02-29T23:30:00.5Z",
    "2024-02-29T18:30:00.50000000000000001-0500",
    "2024-03-01t02:00:00z",
    "2024-03-01T00:00:00.000001-02:30",
    "2024-03-01T00:00:00.0000010001-02:30",
    "2024-03-02",
    "2024-03-02T00:00:00.25-00",
    "9999-12-31T23:59:59.999999",
};

TEST_CASE("times are in order whatever their width, their fraction and their offset") {
    const Scene scene;
    Random random(seed());
    std::vector<std::string> shuffled = times;
    std::ranges::shuffle(shuffled, random);
    std::string in = "when,what\n", sorted = in, descending = in;
    for (const std::string& time : shuffled) in += time + ",x\n";
    for (const std::string& time : times) sorted += time + ",x\n";
    for (auto time = times.rbegin(); time != times.rend(); ++time) descending += *time + ",x\n";
    CHECK(run(scene, {"sort", "--by-column", "when:time"}, in) == sorted);
    CHECK(run(scene, {"sort", "--by-column", "when:desc:time"}, in) == descending);
    CHECK(run(scene, {"sort", "--by-column", "when:time", "-S", "4M"}, in) == sorted);
    CHECK(run(scene, {"check", "--by-column", "when:time"}, sorted).empty());
    CHECK(run(scene, {"topk", "-n", "1", "--by-column", "when:time"}, in) == "when,what\n" + times.back() + ",x\n");
}

TEST_CASE("times are equal if they are the same moment") {
    const Scene scene;
    const std::string in =
        "2024-05-01T12:00:00Z\n2024-05-01T14:00+02:00\n2024-05-01 "
        "12:00:00.000000000000\n2024-05-01T12:00:00.0000000001\n";
    CHECK(run(scene, {"sort", "--by-column", "1:time", "-u"}, in) ==
          "2024-05-01T12:00:00Z\n2024-05-01T12:00:00.0000000001\n");
    CHECK(run(scene, {"group", "--by-column", "1:time"}, in) ==
          "2024-05-01T12:00:00Z,3\n2024-05-01T12:00:00.0000000001,1\n");
    CHECK(run(scene, {"sort", "--by-column", "1:time"}, "NA\n2024-05-02\n\n2024-05-01\n") ==
          "2024-05-01\n2024-05-02\nNA\n\n");
}

TEST_CASE("what is no time is refused with its line") {
    const Scene scene;
    for (const std::string wrong : {"2024",
                                    "2024-05",
                                    "2024-5-1",
                                    "2024-02-30",
                                    "2023-02-29",
                                    "2024-13-01",
                                    "2024-05-01T",
                                    "2024-05-01T24:00",
                                    "2024-05-01T12",
                                    "2024-05-01T12:60",
                                    "2024-05-01T12:00:61",
                                    "2024-05-01T12:00:00.",
                                    "2024-05-01T12:00:00,5",
                                    "2024-05-01T12:00:00ZZ",
                                    "2024-05-01T12:00:00+2",
                                    "2024-05-01T12:00:00+02:",
                                    "2024-05-01T12:00+02:60",
                                    "2024-05-01Z",
                                    "20240501",
                                    "-2024-05-01",
                                    "12:00:00",
                                    "1714564800",
                                    "noon"})
        require_refused(scene.run({"sort", "--by-column", "1:time", "-t", ";"}, "2024-05-01\n" + wrong + "\n"),
                        "standard input, line 2, column 1 is no ISO 8601 time: \"" + wrong + "\"");
    require_refused(scene.run({"sort", "--by-column", "1:time"}, "when\n"), "say so by --header");
}

}  // namespace
}  // namespace lanesort::test
