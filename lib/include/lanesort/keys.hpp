// SPDX-License-Identifier: MIT
/// @file
/// Views of arrays in host memory: any contiguous range of the standard library's, or a pointer with a count. They are
/// made where a call needs them (`sorter.sort(numbers)`), refer to the range, and must not outlive it.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <ranges>
#include <span>
#include <type_traits>

#include <lanesort/comparator.hpp>
#include <lanesort/request.hpp>

namespace lanesort::inline v0_1 {

namespace detail {

/// Throw Error(invalid_argument).
[[noreturn]] void throw_sizes_differ(std::size_t keys, std::size_t others);
[[noreturn]] void throw_too_few(std::size_t keys, std::size_t others);
[[noreturn]] void throw_no_numbers();
[[noreturn]] void throw_record_size(std::size_t bytes, std::size_t stated);
[[noreturn]] void throw_parameter_size(std::size_t bytes, std::size_t stated);

template <class R>
using Element = std::remove_reference_t<std::ranges::range_reference_t<R>>;

/// A range whose elements stay where they are when the expression has ended.
template <class R>
concept Lasting = std::ranges::contiguous_range<R> && std::ranges::sized_range<R> && std::ranges::borrowed_range<R>;

/// Elements of a range whose type tells how many they are; 0 for any other.
template <class R>
inline constexpr std::size_t extent = 0;
template <class T, std::size_t n>
inline constexpr std::size_t extent<T[n]> = n;
template <class T, std::size_t n>
inline constexpr std::size_t extent<std::array<T, n>> = n;
template <class T, std::size_t n>
inline constexpr std::size_t extent<std::span<T, n>> = n == std::dynamic_extent ? 0 : n;

/// Both types tell how many elements they have: not as many, or fewer in the first.
template <class A, class B, std::size_t a = extent<std::remove_cvref_t<A>>,
          std::size_t b = extent<std::remove_cvref_t<B>>>
inline constexpr bool differ = a != 0 && b != 0 && a != b;
template <class A, class B, std::size_t a = extent<std::remove_cvref_t<A>>,
          std::size_t b = extent<std::remove_cvref_t<B>>>
inline constexpr bool is_smaller = differ<A, B> && (a < b);

/// All three types tell how many elements they have, and the last one has no room for those of the others.
template <class A, class B, class R, std::size_t a = extent<std::remove_cvref_t<A>>,
          std::size_t b = extent<std::remove_cvref_t<B>>, std::size_t r = extent<std::remove_cvref_t<R>>>
inline constexpr bool lacks_room = a != 0 && b != 0 && r != 0 && (r < a + b);

/// Both are ranges of numbers, but not of the same.
template <class A, class B>
inline constexpr bool other_numbers = false;
template <std::ranges::range A, std::ranges::range B>
requires Key<std::remove_cv_t<Element<A>>> && Key<std::remove_cv_t<Element<B>>>
inline constexpr bool other_numbers<A, B> =
    key_type_v<std::remove_cv_t<Element<A>>> != key_type_v<std::remove_cv_t<Element<B>>>;

/// Numbers, and enumerations by their underlying type.
template <class T>
consteval KeyType number_type() {
    using Plain = std::remove_const_t<T>;
    static_assert(!std::same_as<Plain, bool>, "bool is no key: sort the same bytes as std::uint8_t");
    if constexpr (std::is_enum_v<Plain>) return key_type_v<std::underlying_type_t<Plain>>;
    else {
        static_assert(Key<Plain>,
                      "this type is no key. Records need an order: {records, comparator}. For pairs of a key and a "
                      "value, put the two into arrays of their own and use sort_by_key");
        return key_type_v<Plain>;
    }
}

/// What the caller says of records or elements as text.
template <class T>
concept Text = std::same_as<T, Comparator> || std::same_as<T, Predicate> || std::same_as<T, BinaryOperator>;

template <class T>
const auto& checked_for(const Text auto& text) {
    static_assert(Record<std::remove_const_t<T>>, "records are trivially copyable and have 64 bytes at most");
    if (text.bytes != sizeof(T)) throw_record_size(sizeof(T), text.bytes);
    return text;
}

template <class P>
const void* parameter_for(const Predicate& predicate, const P& parameter) {
    static_assert(Record<P>, "parameters are trivially copyable and have 64 bytes at most");
    if (predicate.parameter_bytes != sizeof(P)) throw_parameter_size(sizeof(P), predicate.parameter_bytes);
    return std::addressof(parameter);
}

/// A function or a function object that says whether one record comes before another.
template <class Function, class T>
concept Orders = std::predicate<const Function&, const T&, const T&>;

/// The order of numbers that a function object of the standard library stands for; nothing for any other.
template <class Function, class T>
inline constexpr std::optional<Order> order_of = std::nullopt;
template <Key T>
inline constexpr std::optional<Order> order_of<std::less<>, T> = Order::ascending;
template <Key T>
inline constexpr std::optional<Order> order_of<std::less<T>, T> = Order::ascending;
template <Key T>
inline constexpr std::optional<Order> order_of<std::ranges::less, T> = Order::ascending;
template <Key T>
inline constexpr std::optional<Order> order_of<std::greater<>, T> = Order::descending;
template <Key T>
inline constexpr std::optional<Order> order_of<std::greater<T>, T> = Order::descending;
template <Key T>
inline constexpr std::optional<Order> order_of<std::ranges::greater, T> = Order::descending;

/// Numbers whose type C++ knows, which may be a temporary.
template <class R>
concept NumberRange =
    std::ranges::contiguous_range<R> && std::ranges::sized_range<R> && Key<std::remove_cv_t<Element<R>>>;

template <KeyType type>
struct NumberOf;
template <>
struct NumberOf<KeyType::u64> {
    using Type = std::uint64_t;
};
template <>
struct NumberOf<KeyType::i64> {
    using Type = std::int64_t;
};
template <>
struct NumberOf<KeyType::f32> {
    using Type = float;
};
template <>
struct NumberOf<KeyType::f64> {
    using Type = double;
};

/// What a reduction gives of the numbers of a range.
template <class R, Reduction reduction, class T = std::remove_cv_t<Element<R>>>
struct ReducedOf : NumberOf<reduced_type(key_type_v<T>, reduction)> {};
template <class R, class T>
struct ReducedOf<R, Reduction::min, T> {
    using Type = T;
};
template <class R, class T>
struct ReducedOf<R, Reduction::max, T> {
    using Type = T;
};
template <class R, Reduction reduction>
using Reduced = typename ReducedOf<R, reduction>::Type;

/// What is compiled for it, by lanesort/cpu.hpp.
template <class T, class Function>
struct OrderedBy {
    static_assert(sizeof(T) == 0, "include lanesort/cpu.hpp to order records by a C++ function");
};

}  // namespace detail

/// Keys that a call only reads: integers of 1 to 8 bytes, enumerations, float, double, half, or, with a comparator,
/// records.
class ConstKeys {
public:
    /// Numbers.
    template <detail::Lasting R>
    ConstKeys(R&& range)
        : data_(std::ranges::data(range)),
          count_(std::ranges::size(range)),
          kind_(detail::number_type<detail::Element<R>>()) {}
    /// Records in the order of a comparator; or elements of any type, of which a predicate says whether they are
    /// wanted, or that an operator combines. The text must last as long as the view. Throws Error(invalid_argument) for
    /// a text for another size.
    template <detail::Lasting R, detail::Text T>
    ConstKeys(R&& range, const T& text)
        : data_(std::ranges::data(range)),
          count_(std::ranges::size(range)),
          kind_(detail::checked_for<detail::Element<R>>(text)) {}
    /// The same with the predicate's parameter, which must last as long as the view, too. Throws
    /// Error(invalid_argument) for one of another size.
    template <detail::Lasting R, class P>
    ConstKeys(R&& range, const Predicate& predicate, const P& parameter)
        : data_(std::ranges::data(range)),
          count_(std::ranges::size(range)),
          kind_(detail::checked_for<detail::Element<R>>(predicate), detail::parameter_for(predicate, parameter)) {}
    /// Records in the order of a C++ function, which must last as long as the view: see cpu.hpp.
    template <detail::Lasting R, detail::Orders<detail::Element<R>> Function>
    ConstKeys(R&& range, const Function& order)
        : data_(std::ranges::data(range)),
          count_(std::ranges::size(range)),
          kind_(detail::OrderedBy<std::remove_const_t<detail::Element<R>>, Function>::compiled,
                (const void*)std::addressof(order)) {}
    /// Keys of a type that is known at run time.
    ConstKeys(const void* keys, std::size_t count, const KeyKind& kind) : data_(keys), count_(count), kind_(kind) {}

    const void* data() const noexcept { return data_; }     ///< the first key
    std::size_t size() const noexcept { return count_; }    ///< keys
    const KeyKind& kind() const noexcept { return kind_; }  ///< what they are

private:
    const void* data_;
    std::size_t count_;
    KeyKind kind_;
};

/// Keys that a call changes.
class Keys : public ConstKeys {
public:
    /// Numbers.
    template <detail::Lasting R>
    Keys(R&& range) : ConstKeys(range) {
        static_assert(!std::is_const_v<detail::Element<R>>, "the keys are const, but this call changes them");
    }
    /// Records, or elements that an operator combines, as ConstKeys says.
    template <detail::Lasting R, detail::Text T>
    requires(!std::same_as<T, Predicate>) Keys(R&& range, const T& text) : ConstKeys(range, text) {
        static_assert(!std::is_const_v<detail::Element<R>>, "the records are const, but this call changes them");
    }
    /// Records in the order of a C++ function, as ConstKeys says.
    template <detail::Lasting R, detail::Orders<detail::Element<R>> Function>
    Keys(R&& range, const Function& order) : ConstKeys(range, order) {
        static_assert(!std::is_const_v<detail::Element<R>>, "the records are const, but this call changes them");
    }
    /// Keys of a type that is known at run time.
    Keys(void* keys, std::size_t count, const KeyKind& kind) : ConstKeys(keys, count, kind) {}

    void* data() const noexcept { return const_cast<void*>(ConstKeys::data()); }  ///< the first key
};

namespace detail {
template <class T>
consteval std::size_t value_bytes() {
    constexpr std::size_t bytes = sizeof(T);
    static_assert(std::is_trivially_copyable_v<T>, "elements are moved as bytes");
    static_assert(bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8 || bytes == 16,
                  "values have 1, 2, 4, 8 or 16 bytes: sort larger ones by argsort, or as indices");
    return bytes;
}

template <class T>
consteval std::size_t index_bytes() {
    using Integer = std::remove_const_t<T>;
    static_assert(std::unsigned_integral<Integer> && (sizeof(Integer) == 4 || sizeof(Integer) == 8),
                  "indices and lengths are unsigned integers of 32 or 64 bits");
    return sizeof(T);
}

/// The type of elements that are numbers; nothing of bytes and all others.
template <class T>
consteval std::optional<KeyType> element_type() {
    if constexpr (std::same_as<T, std::byte>) return std::nullopt;
    else if constexpr (std::is_enum_v<T>) return key_type_of<std::underlying_type_t<T>>();
    else return key_type_of<T>();
}

/// Elements of one width.
class ConstElements {
public:
    /// Elements of a width that is known at run time, and of a type if they are numbers.
    ConstElements(const void* elements, std::size_t count, std::size_t bytes, std::optional<KeyType> type = {}) noexcept
        : data_(elements), count_(count), bytes_(bytes), type_(type) {}
    template <Lasting R>
    explicit ConstElements(R&& range)
        : ConstElements(std::ranges::data(range), std::ranges::size(range), sizeof(Element<R>),
                        element_type<std::remove_const_t<Element<R>>>()) {}

    const void* data() const noexcept { return data_; }
    std::size_t size() const noexcept { return count_; }
    std::size_t bytes() const noexcept { return bytes_; }
    std::optional<KeyType> type() const noexcept { return type_; }

private:
    const void* data_;
    std::size_t count_, bytes_;
    std::optional<KeyType> type_;
};
}  // namespace detail

/// Memory for elements of one width, which a call changes.
class Elements : public detail::ConstElements {
public:
    /// Any trivially copyable type.
    template <detail::Lasting R>
    Elements(R&& range) : ConstElements(range) {
        static_assert(std::is_trivially_copyable_v<detail::Element<R>>, "elements are moved as bytes");
        static_assert(!std::is_const_v<detail::Element<R>>, "the elements are const, but this call changes them");
    }
    /// Elements of a width that is known at run time, and of a type if they are numbers.
    Elements(void* elements, std::size_t count, std::size_t bytes, std::optional<KeyType> type = {}) noexcept
        : ConstElements(elements, count, bytes, type) {}

    void* data() const noexcept { return const_cast<void*>(ConstElements::data()); }  ///< the first element
};

/// Values that belong to keys, of 1, 2, 4, 8 or 16 bytes.
class Values : public Elements {
public:
    /// Any trivially copyable type of such a size.
    template <detail::Lasting R>
    Values(R&& range) : Elements(range) {
        static_assert(detail::value_bytes<detail::Element<R>>() > 0);
    }
    using Elements::Elements;
};

/// Values that a call only reads.
class ConstValues : public detail::ConstElements {
public:
    /// Any trivially copyable type of 1, 2, 4, 8 or 16 bytes.
    template <detail::Lasting R>
    ConstValues(R&& range) : ConstElements(range) {
        static_assert(detail::value_bytes<detail::Element<R>>() > 0);
    }
    /// Those that another call may change.
    ConstValues(const Values& values) noexcept : ConstElements(values) {}
    using ConstElements::ConstElements;
};

/// Indices of keys, or lengths of runs: unsigned integers of 4 or 8 bytes.
class Indices : public Elements {
public:
    /// Of such a type.
    template <detail::Lasting R>
    Indices(R&& range) : Elements(range) {
        static_assert(detail::index_bytes<detail::Element<R>>() > 0);
    }
    using Elements::Elements;
};

/// Indices that a call only reads: unsigned integers of 4 or 8 bytes.
class ConstIndices : public detail::ConstElements {
public:
    /// Of such a type.
    template <detail::Lasting R>
    ConstIndices(R&& range) : ConstElements(range) {
        static_assert(detail::index_bytes<detail::Element<R>>() > 0);
    }
    using ConstElements::ConstElements;
};

/// Where keys that are found go; they have the type of those that were looked through.
using Results = Elements;

}  // namespace lanesort::inline v0_1
