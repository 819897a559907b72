// SPDX-License-Identifier: MIT
// Keys from text: one number after the other, and the type that holds all of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <lanesort/key_types.hpp>

#include "files.hpp"

/// Numbers in memory, and their type.
struct Numbers {
    lanesort::KeyType type;
    Bytes bytes;
    std::size_t row_length = 0;  ///< they are rows of so many, each sorted by itself; 0: no rows

    std::size_t count() const noexcept { return bytes.size() / lanesort::key_bytes(type); }
};

constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";

/// The text without the spaces, tabs and carriage returns around it.
std::string_view without_blanks(std::string_view text);

/// The text in quotes, fit for a message: long ones are cut off.
std::string shown(std::string_view text);

/// Makes keys of texts. If their type is not given, it is i64 or u64 if that holds all of them and all are integers,
/// else f64. What has a point or an exponent is no integer. An f64 that was found may stand for several numbers: then
/// their texts decide. If the type is given, integers that it does not hold to the last digit are refused.
class KeyReader {
public:
    /// Has to throw: the text at that place is no key, for a reason in words that go after those for the place.
    using Refuse = std::function<void(std::uint64_t place, const std::string& words)>;

    KeyReader(std::optional<lanesort::KeyType> type, Refuse refuse);

    /// Takes the number that a text without blanks stands for; "nan", "inf" and their negatives are numbers. Refuses
    /// what is empty, no number of the type or out of its range, this text or, once the type is known, an earlier one.
    void add(std::string_view text, std::uint64_t place);

    /// Takes a place for a key that is missing: of some value, which does not change the type of the others.
    void add_placeholder();

    /// Takes an i64, which is the type that was given; it may be that only of a part of what its text says.
    void add_part(std::int64_t key, bool needs_digits);

    /// What was seen of numbers that have one type with these. Where their type is not given.
    struct Seen {
        std::uint64_t place;
        std::string text;
    };
    struct Evidence {
        bool floats = false;                           ///< neither i64 nor u64 holds all
        bool has_negative = false, above_i64 = false;  ///< integers that u64, or i64, does not hold
        bool needs_digits = false;                     ///< as f64 some numbers may be equal that are not
        std::optional<Seen> unfit;  ///< the first integer that f64 rounds, or number out of its range
    };
    const Evidence& evidence() const noexcept { return seen_; }
    /// Before any key.
    void begin_with(Evidence seen) { seen_ = std::move(seen); }

    /// All keys; of a piece of them, of the type that holds them all so far.
    Numbers finish();
    /// The same of numbers to compute with: refuses an integer that f64 rounds, and what is out of its range.
    Numbers finish_rounded();

private:
    /// "is no number", and of which type if that was given.
    std::string no_number() const;
    template <class T>
    void add_as(std::string_view text, std::uint64_t place);
    void add_and_find_type(std::string_view text, std::uint64_t place);
    bool add_integer(std::string_view text, std::string_view digits, std::uint64_t place);
    template <class T>
    void append(T value);
    void note_unfit(std::string_view text, std::uint64_t place);
    void turn_into_floats();

    std::optional<lanesort::KeyType> type_;
    Refuse refuse_;
    Bytes keys_;

    // Until a type is found: keys_ are integers of 8 bytes, or doubles as soon as neither i64 nor u64 holds them all.
    Evidence seen_;
    std::vector<std::size_t> negative_zeros_;  ///< which of the integers are -0, and would be -0.0 as doubles
};
