// SPDX-License-Identifier: MIT
/// @file
/// Records, and what the caller says of them as text: their order, which are wanted, and what two are combined to.
#pragma once

#include <cstddef>
#include <string>
#include <type_traits>

#include <lanesort/compiled.hpp>
#include <lanesort/key_types.hpp>

namespace lanesort::inline v0_1 {

/// A strict weak order of a type of the caller's, as text for the device's compiler:
///
///     const Comparator by_score{.type = "particle",
///                               .bytes = sizeof(Particle),
///                               .before = "a.score > b.score || (a.score == b.score && a.id < b.id)",
///                               .declarations = "typedef struct { float score; uint id; } particle;"};
///
/// The text is compiled as OpenCL C 1.2 or as CUDA C++, with uchar, ushort, uint and ulong (64 bits) defined in both.
/// Names of types and functions must not be those that the kernels declare (kernels/*.h): one of your own project in
/// front of each is enough. Nothing of it is checked but by the compiler: it is code, to be trusted as such. A comment
/// without an end, which would go on in the kernels' text, is Error(invalid_argument). Any other mistake is
/// Error(build_failed), whose log counts the lines of `before` in a file "before" and those of `declarations` in a file
/// "declarations".
///
/// Records of which neither comes before the other are ordered by their bits, so the result is the same on every
/// device: as unsigned integers of 8, 4, 2 or 1 bytes, whichever is the first to divide the size, from the first one
/// on. In a stable sort, and in a selection of the first k, they keep their order.
struct Comparator {
    std::string type;               ///< the name of the type
    std::size_t bytes = 0;          ///< its size, 1 to 64, which must be the same on the device
    std::string before;             ///< an expression of `a` and `b`: whether a comes before b
    std::string declarations = {};  ///< what comes before it: the type's definition, functions

    friend bool operator==(const Comparator&, const Comparator&) = default;
};

/// Which elements are wanted, as text for the device's compiler, of numbers and of any other type of the caller's:
///
///     const Predicate is_fast{.type = "particle",
///                             .bytes = sizeof(Particle),
///                             .holds = "a.speed > 3",
///                             .declarations = "typedef struct { float speed; uint id; } particle;"};
///
/// What Comparator says of its text is true of this one, whose expression is in a file "holds". It must say the same
/// whenever it is asked of the same element.
///
/// What changes from call to call, such as a pivot, is its parameter, so that it is compiled once:
///
///     const Predicate is_below{.type = "float", .bytes = 4, .holds = "a < p", .parameter_type = "float",
///                              .parameter_bytes = 4};
///
/// Its bytes are taken as they are: for a "float" give 2.0F, not 2. Several are members of one type. On a queue or a
/// stream it lies in device memory (KeyRange::parameter), written ahead by an operation, or is one of the elements.
struct Predicate {
    std::string type;                 ///< the name of the type
    std::size_t bytes = 0;            ///< its size, 1 to 64, which must be the same on the device
    std::string holds;                ///< an expression of `a`, and of `p`, its parameter: whether a is wanted
    std::string declarations = {};    ///< what comes before it: the types' definitions, functions
    std::string parameter_type = {};  ///< the name of the parameter's type; empty: it has none
    std::size_t parameter_bytes = 0;  ///< its size, 1 to 64, which must be the same on the device; 0: it has none

    friend bool operator==(const Predicate&, const Predicate&) = default;
};

/// What two elements are combined to, as text for the device's compiler, of numbers and of any other type of the
/// caller's:
///
///     const BinaryOperator composed{.type = "affine",
///                                   .bytes = 8,
///                                   .combine = "composed(a, b)",
///                                   .identity = "affine_of(1, 0)",
///                                   .declarations = R"(
///         typedef struct { uint factor, term; } affine;
///         inline affine affine_of(uint factor, uint term) { affine x; x.factor = factor; x.term = term; return x; }
///         inline affine composed(affine a, affine b) {
///             return affine_of(a.factor * b.factor, a.term * b.factor + b.term);
///         })"};
///
/// What Comparator says of its text is true of this one, whose expressions are in files "combine", "identity" and
/// "transform". It must be associative, as far as its results are to mean something, but need not be commutative: a is
/// always of elements in front of those of b. The trees that operations combine by are the same on every device, so an
/// operator that gives the same bits everywhere gives the same results everywhere. The identity must leave others as
/// they are: a scan combines it with them, and a reduction gives it of no elements.
///
/// With a `transform`, it combines what pairs of elements become, which is for pairs alone.
struct BinaryOperator {
    std::string type;       ///< the name of the type
    std::size_t bytes = 0;  ///< its size, 1 to 64, which must be the same on the device
    std::string combine;    ///< an expression of `a` and `b`, of the type: what a, then b, are combined to
    std::string identity;   ///< an expression: what no elements are combined to, which leaves others as they are
    std::string declarations = {};  ///< what comes before them: the type's definition, functions
    /// An expression of `a` and `b`, of the type: what a of the first range and b of the second become. Empty: none.
    std::string transform = {};

    friend bool operator==(const BinaryOperator&, const BinaryOperator&) = default;
};

/// A C++ type that a comparator can order: moved as bytes, 64 of them at most.
template <class T>
concept Record = std::is_trivially_copyable_v<T> && sizeof(T) <= 64;

/// What keys are: numbers of a type that the library orders, records that a comparator or a C++ function orders,
/// elements of which a predicate says whether they are wanted, or elements that an operator combines. Refers to the
/// comparator, predicate, operator or function, which must outlive it.
class KeyKind {
public:
    KeyKind() = delete;  // say what the keys are, as in `.type = KeyType::f32`
    /// Numbers of that type.
    KeyKind(KeyType type) noexcept : type_(type) {}
    /// Records in the order of that comparator, which must not be a temporary.
    KeyKind(const Comparator& comparator) noexcept : comparator_(&comparator) {}
    KeyKind(Comparator&&) = delete;
    /// Elements of which that predicate, which must not be a temporary, says whether they are wanted.
    /// Its parameter, if it has one, is that of a call on host memory; it must last as long.
    KeyKind(const Predicate& predicate, const void* parameter = nullptr) noexcept
        : predicate_(&predicate), parameter_(parameter) {}
    KeyKind(Predicate&&, const void* = nullptr) = delete;
    /// Elements that this operator, which must not be a temporary, combines.
    KeyKind(const BinaryOperator& combining) noexcept : operator_(&combining) {}
    KeyKind(BinaryOperator&&) = delete;
    /// Records in the order of a function, with what was compiled for it: cpu.hpp has both.
    KeyKind(const detail::CompiledOrder& compiled, const void* function) noexcept
        : compiled_(&compiled), function_(function) {}

    /// Bytes of one key or record.
    std::size_t bytes() const noexcept {
        return comparator_  ? comparator_->bytes
               : predicate_ ? predicate_->bytes
               : operator_  ? operator_->bytes
               : compiled_  ? compiled_->bytes
                            : key_bytes(type_);
    }
    /// They are records, or what a predicate or an operator takes as such.
    bool is_record() const noexcept { return comparator_ || predicate_ || operator_ || compiled_; }
    /// The type of the numbers; without meaning for records.
    KeyType type() const noexcept { return type_; }
    /// The order of records as text; null for any other.
    const Comparator* comparator() const noexcept { return comparator_; }
    /// What says whether elements are wanted; null for any other.
    const Predicate* predicate() const noexcept { return predicate_; }
    const void* parameter() const noexcept { return parameter_; }  ///< the predicate's, in host memory; or null
    /// What combines elements; null for any other.
    const BinaryOperator* binary_operator() const noexcept { return operator_; }
    /// What was compiled with the function that orders records, and that function; null for any other.
    const detail::CompiledOrder* compiled_order() const noexcept { return compiled_; }
    const void* function() const noexcept { return function_; }  ///< see compiled_order()
    /// "type f32", or the name of the records' type, for a person.
    std::string name() const;

    /// The same numbers, records in the order of equal comparators or of functions of one type, or elements for equal
    /// predicates, whatever their parameters are, or for equal operators.
    friend bool operator==(const KeyKind& a, const KeyKind& b) noexcept {
        const auto are_same = [](const auto* x, const auto* y) { return x == y || (x && y && *x == *y); };
        return a.compiled_ == b.compiled_ && a.type_ == b.type_ && are_same(a.comparator_, b.comparator_) &&
               are_same(a.predicate_, b.predicate_) && are_same(a.operator_, b.operator_);
    }

private:
    KeyType type_{};
    const Comparator* comparator_ = nullptr;
    const Predicate* predicate_ = nullptr;
    const void* parameter_ = nullptr;
    const BinaryOperator* operator_ = nullptr;
    const detail::CompiledOrder* compiled_ = nullptr;
    const void* function_ = nullptr;
};

}  // namespace lanesort::inline v0_1
