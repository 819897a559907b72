// SPDX-License-Identifier: MIT
// Errors that a case expects.
#pragma once

#include <cstdlib>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <lanesort/error.hpp>

namespace lanesort::test {

/// The error that `call` throws, if it throws. Whatever is not an Error fails the case.
inline std::optional<Error> error_in(const std::function<void()>& call) {
    try {
        call();
    } catch (const Error& error) {
        return error;
    }
    return std::nullopt;
}

/// The error that `call` throws; fails if it throws none.
inline Error error_of(const std::function<void()>& call) {
    if (const std::optional<Error> error = error_in(call)) return *error;
    FAIL("no error was thrown");
    std::abort();  // FAIL throws
}

/// Checks that the error's sentence has all these parts.
inline void check_mentions(const Error& error, const std::vector<std::string>& parts) {
    const std::string sentence = error.what();
    for (const std::string& part : parts) {
        CAPTURE(sentence);
        CAPTURE(part);
        CHECK(sentence.find(part) != std::string::npos);
    }
}

/// Checks that the call throws that error, in a sentence with that part.
inline void check_refused(ErrorCode code, const std::string& part, const std::function<void()>& call) {
    const Error error = error_of(call);
    CHECK(error.code() == code);
    check_mentions(error, {part});
}

}  // namespace lanesort::test
