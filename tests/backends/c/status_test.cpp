// SPDX-License-Identifier: MIT
// What leaves the C interface in the place of an exception.
#include <new>
#include <set>
#include <stdexcept>
#include <string>

#include "c/call.hpp"
#include "support.hpp"

namespace lanesort::test {
namespace {

template <class Thrown>
lanesort_status status_of(const Thrown& thrown) {
    return c::guarded([&] { throw thrown; });
}

TEST_CASE("C interface: each code of an error has a status and a name of its own, and the thread keeps what it says") {
    std::set<std::string> names{lanesort_status_name(LANESORT_SUCCESS), lanesort_status_name(LANESORT_UNEXPECTED)};
    const int codes = static_cast<int>(ErrorCode::device_failed) + 1;
    for (int code = 0; code < codes; ++code) {
        CAPTURE(code);
        const std::string number = std::to_string(code);
        const Error error(static_cast<ErrorCode>(code), "sentence " + number, "call " + number, -code, "log " + number);
        CHECK(status_of(error) == code + 1);
        CHECK(lanesort_last_error() == "sentence " + number);
        CHECK(lanesort_last_device_call() == "call " + number);
        CHECK(lanesort_last_device_status() == -code);
        CHECK(lanesort_last_build_log() == "log " + number);
        names.insert(lanesort_status_name(code + 1));
    }
    CHECK(names.size() == static_cast<std::size_t>(codes) + 2);
    CHECK(std::string(lanesort_status_name(codes + 2)) == "unknown status");
}

TEST_CASE("C interface: no exception of another kind gets out") {
    CHECK(status_of(Error(ErrorCode::build_failed, "", "call", -11, "log")) == LANESORT_BUILD_FAILED);
    CHECK(status_of(std::bad_alloc()) == LANESORT_OUT_OF_MEMORY);
    CHECK(std::string(lanesort_last_error()) == "the host ran out of memory");
    CHECK(lanesort_last_device_status() == 0);
    CHECK(std::string(lanesort_last_build_log()).empty());
    CHECK(status_of(std::logic_error("a fault")) == LANESORT_UNEXPECTED);
    CHECK(std::string(lanesort_last_error()) == "a fault");
    CHECK(status_of(7) == LANESORT_UNEXPECTED);
    CHECK(std::string(lanesort_last_error()).find("no std::exception") != std::string::npos);
    CHECK(c::guarded([] {}) == LANESORT_SUCCESS);
    CHECK(!std::string(lanesort_last_error()).empty());
}

}  // namespace
}  // namespace lanesort::test
