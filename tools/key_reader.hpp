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

/// Makes keys of texts. Where their type is not given it is i64 if all are integers, or u64 if one of them is above the
/// range of i64, else f64. What has a point or an exponent is no integer. Integers are never rounded: one that the type
/// does not hold to the last digit is refused.
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

    /// "is no number", and of which type if that was given.
    std::string no_number() const;

    /// Bytes of the keys until now.
    std::uint64_t key_bytes() const noexcept { return keys_.size(); }

    /// The keys until now, of the type that holds them all so far, and how many of them are zeros that a turn into
    /// f64 makes -0. Their memory is lent: forget_keys() has it used again.
    struct Run {
        Numbers numbers;
        std::uint64_t negative_zeros;
    };
    Run lend_keys();
    void forget_keys(Run&& run);
    /// Makes room for so many bytes of keys.
    void reserve(std::size_t bytes) { keys_.room(bytes); }

    /// What an earlier reader saw, of numbers that have one type with these. Where their type is not given.
    struct Seen {
        std::uint64_t place;
        std::string text;
    };
    struct Evidence {
        bool floats = false;          ///< neither i64 nor u64 holds all
        std::optional<Seen> decimal;  ///< the first that is no integer
        std::optional<Seen> negative,
            above_i64;                    ///< the first integers that u64 or i64 does not hold, but the other does
        std::optional<Seen> beyond_both;  ///< the first integer that neither of them holds
        std::optional<Seen> inexact;      ///< the first integer that f64 does not hold
    };
    const Evidence& evidence() const noexcept { return seen_; }
    /// Before any key.
    void begin_with(Evidence seen) { seen_ = std::move(seen); }

    /// All keys. Refuses the first of those that no type holds together. Integers that neither i64 nor u64 holds are f64
    /// if that is said, and f64 holds all of them exactly.
    Numbers finish(bool or_floats = false);

private:
    template <class T>
    void add_as(std::string_view text, std::uint64_t place);
    void add_and_find_type(std::string_view text, std::uint64_t place);
    bool add_integer(std::string_view text, std::string_view digits, std::uint64_t place);
    template <class T>
    void append(T value);
    static void note(std::optional<Seen>& seen, std::string_view text, std::uint64_t place);
    void turn_into_floats();

    std::optional<lanesort::KeyType> type_;
    Refuse refuse_;
    Bytes keys_;

    // Until a type is found: keys_ are integers of 8 bytes, or doubles as soon as neither i64 nor u64 holds them all.
    Evidence seen_;
    std::vector<std::size_t> negative_zeros_;  ///< which of the integers are -0, and would be -0.0 as doubles
};
