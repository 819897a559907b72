// SPDX-License-Identifier: MIT
// Reductions: sums, also of products, the smallest and the largest key or where it is, and by an operator.
#include <cmath>

#include <lanesort/cpu.hpp>

#include "devices_made_up.hpp"
#include "error_support.hpp"
#include "run_everywhere.hpp"

namespace lanesort::test {
namespace {

constexpr Reduction all_reductions[] = {Reduction::sum, Reduction::min, Reduction::max, Reduction::arg_min,
                                        Reduction::arg_max};

/// The tree that reduce/combine.h states, in plain loops. `Number` is that of the sum.
template <class Number>
class Tree {
public:
    template <Key T>
    static Number sum(std::span<const T> keys) {
        std::vector<Number> numbers;
        for (const T key : keys) numbers.push_back(static_cast<Number>(number_of(key)));
        return sum_of(numbers, sizeof(T));
    }

    template <Key T>
    static Number sum_of_products(std::span<const T> keys, std::span<const T> others) {
        std::vector<Number> products;
        // Rounded here, and added there.
        for (std::size_t i = 0; i < keys.size(); ++i)
            products.push_back(static_cast<Number>(number_of(keys[i])) * static_cast<Number>(number_of(others[i])));
        return sum_of(products, sizeof(T));
    }

private:
    /// Of keys of so many bytes.
    static Number sum_of(const std::vector<Number>& numbers, std::size_t bytes) {
        const std::size_t tile = 4096 / bytes, tiles = (numbers.size() + tile - 1) / tile;
        const std::size_t share = std::max<std::size_t>((tiles + 4095) / 4096, 4) * tile;
        std::vector<Number> parts;
        for (std::size_t begin = 0; begin < numbers.size(); begin += share)
            parts.push_back(
                block(std::span(numbers).subspan(begin, std::min(share, numbers.size() - begin)), 16 / bytes));
        if (parts.size() <= 1) return parts.empty() ? 0 : parts[0];
        std::vector<Number> leaves(256, 0);
        for (std::size_t p = 0; p < parts.size(); ++p) leaves[p % 256] += parts[p];
        return halved(leaves, 0, 256, 1);
    }

    static Number block(std::span<const Number> numbers, std::size_t of_leaf) {
        std::vector<Number> columns(256 * of_leaf, 0), leaves;
        for (std::size_t i = 0; i < numbers.size(); ++i) columns[i % columns.size()] += numbers[i];
        for (std::size_t l = 0; l < 256; ++l) leaves.push_back(halved(columns, l * of_leaf, of_leaf, 1));
        return halved(leaves, 0, 256, 1);
    }

    static Number halved(std::vector<Number> numbers, std::size_t first, std::size_t count, std::size_t least) {
        for (std::size_t half = count / 2; half >= least; half /= 2)
            for (std::size_t i = first; i < first + half; ++i) numbers[i] += numbers[i + half];
        return numbers[first];
    }
};

template <Key T>
bool is_nan(T key) {
    if constexpr (is_floating<T>) return std::isnan(number_of(key));
    else return false;
}

template <Key T>
Problem reduction_of(Reduction reduction, const std::vector<T>& keys, std::size_t row_length = 0,
                     const Offsets& segments = {}, std::size_t offset_bytes = 8) {
    const Request request{.operation = Operation::reduce,
                          .row_length = row_length,
                          .offset_bytes = segments.empty() ? 0 : offset_bytes,
                          .reduction = reduction};
    const bool largest = reduction == Reduction::max || reduction == Reduction::arg_max;
    const auto is_before = [largest](T a, T b) {
        if (is_nan(a) != is_nan(b)) return is_nan(b);
        return largest ? before(b, a) : before(a, b);
    };
    Problem problem = problem_of(request, key_type_v<T>, keys, is_before, segments);
    if constexpr (is_floating<T>) {
        if (reduction != Reduction::sum) return problem;
        using Number = std::conditional_t<sizeof(T) == 8, double, float>;
        std::vector<Number> sums;
        for (const auto& [begin, end] : ranges_of(problem.request, problem.before.segments)) {
            const Number sum = Tree<Number>::template sum<T>(std::span(keys).subspan(begin, end - begin));
            sums.push_back(std::isnan(sum) ? std::numeric_limits<Number>::quiet_NaN() : sum);
        }
        problem.after.results = bytes_of(sums);
    }
    return problem;
}

/// The sum of products, or one for each row or segment.
template <Key T>
Problem products_of(const std::vector<T>& keys, const std::vector<T>& others, std::size_t row_length = 0,
                    const Offsets& segments = {}) {
    const Request request{.operation = Operation::transform_reduce, .row_length = row_length};
    Problem problem = problem_of(request, keys, segments, {}, 0, bytes_of(others));
    if constexpr (is_floating<T>) {
        using Number = std::conditional_t<sizeof(T) == 8, double, float>;
        std::vector<Number> sums;
        for (const auto& [begin, end] : ranges_of(problem.request, problem.before.segments)) {
            const Number sum = Tree<Number>::template sum_of_products<T>(std::span(keys).subspan(begin, end - begin),
                                                                         std::span(others).subspan(begin, end - begin));
            sums.push_back(std::isnan(sum) ? std::numeric_limits<Number>::quiet_NaN() : sum);
        }
        problem.after.results = bytes_of(sums);
    }
    return problem;
}

/// Affine maps of integers of other widths, which count themselves.
template <class T>
struct Counted {
    T factor, term, length;
};
template <class T>
Counted<T> composed(Counted<T> a, Counted<T> b) {
    return {static_cast<T>(a.factor * b.factor), static_cast<T>(a.term * b.factor + b.term),
            static_cast<T>(a.length + b.length)};
}
template <class T>
std::vector<Counted<T>> random_counted(std::size_t count, Random& random) {
    std::vector<Counted<T>> maps(count);
    for (auto& map : maps) map = {static_cast<T>(random() | 1), static_cast<T>(random()), 1};
    return maps;
}
/// With integers of that type, in the language of kernels.
BinaryOperator composition_of(const std::string& integer, std::size_t bytes) {
    return {.type = "counted",
            .bytes = 3 * bytes,
            .combine = "counted_of(a.factor * b.factor, a.term * b.factor + b.term, a.length + b.length)",
            .identity = "counted_of(1, 0, 0)",
            .declarations = "typedef " + integer + R"( part;
typedef struct { part factor, term, length; } counted;
inline counted counted_of(uint factor, uint term, uint length) {
    counted x;
    x.factor = (part)factor, x.term = (part)term, x.length = (part)length;
    return x;
})"};
}

/// Products of matrices, of 64 bytes.
struct Matrix {
    std::uint32_t at[4][4];
};
Matrix operator*(const Matrix& a, const Matrix& b) {
    Matrix product = {};
    for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j)
            for (int k = 0; k < 4; ++k) product.at[i][j] += a.at[i][k] * b.at[k][j];
    return product;
}
constexpr Matrix unit = {{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}}};
std::vector<Matrix> random_matrices(std::size_t count, Random& random) {
    std::vector<Matrix> all(count, unit);
    // Of determinant 1, or products of many would be 0.
    for (Matrix& matrix : all)
        for (int i = 0; i < 4; ++i)
            for (int j = 0; j < i; ++j) {
                Matrix shear = unit;
                shear.at[i][j] = static_cast<std::uint32_t>(random());
                shear.at[j][i] = 0;
                matrix = random() % 2 ? matrix * shear : shear * matrix;
                std::swap(shear.at[i][j], shear.at[j][i]);
                matrix = matrix * shear;
            }
    return all;
}
const BinaryOperator matrix_product{.type = "matrix",
                                    .bytes = sizeof(Matrix),
                                    .combine = "product_of_matrices(a, b)",
                                    .identity = "unit_matrix()",
                                    .declarations = R"(
typedef struct { uint at[4][4]; } matrix;
inline matrix unit_matrix(void) {
    matrix unit;
    for (int i = 0; i < 4; ++i) for (int j = 0; j < 4; ++j) unit.at[i][j] = i == j;
    return unit;
}
inline matrix product_of_matrices(matrix a, matrix b) {
    matrix product;
    for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j) {
            uint sum = 0;
            for (int k = 0; k < 4; ++k) sum += a.at[i][k] * b.at[k][j];
            product.at[i][j] = sum;
        }
    return product;
})"};

/// The first of bytes that is not 0.
const BinaryOperator first_set{.type = "uchar", .bytes = 1, .combine = "a ? a : b", .identity = "0"};

const BinaryOperator sum_of_floats{.type = "float", .bytes = 4, .combine = "a + b", .identity = "0"};
const BinaryOperator dot_product{.type = "uint", .bytes = 4, .combine = "a + b", .identity = "0", .transform = "a * b"};

/// The tree that reduce/operator_reduction.cl states, in plain loops.
float tree_of_floats(std::span<const float> elements) {
    const auto neighbours = [](std::vector<float> leaves) {
        while (leaves.size() > 1) {
            std::vector<float> next;
            for (std::size_t i = 0; i < leaves.size(); i += 2)
                next.push_back(i + 1 < leaves.size() ? leaves[i] + leaves[i + 1] : leaves[i]);
            leaves = next;
        }
        return leaves.empty() ? 0 : leaves[0];
    };
    const auto shared_out = [&](std::span<const float> all, std::size_t run) {
        std::vector<float> leaves;
        for (std::size_t i = 0; i < all.size(); i += run) {
            leaves.push_back(all[i]);
            for (std::size_t j = i + 1; j < std::min(i + run, all.size()); ++j) leaves.back() += all[j];
        }
        return neighbours(leaves);
    };
    const std::size_t run = std::max<std::size_t>((elements.size() + (1 << 20) - 1) >> 20, 16);
    std::vector<float> blocks;
    for (std::size_t i = 0; i < elements.size(); i += 256 * run)
        blocks.push_back(shared_out(elements.subspan(i, std::min(256 * run, elements.size() - i)), run));
    return shared_out(blocks, std::max<std::size_t>((blocks.size() + 255) / 256, 1));
}

Problem sum_by_operator(const std::vector<float>& keys, std::size_t row_length = 0, const Offsets& segments = {}) {
    Problem problem = reduction_by({.row_length = row_length}, sum_of_floats, keys, 0.0F, std::plus<float>(), segments);
    std::vector<float> sums;
    for (const auto& [begin, end] : ranges_of(problem.request, problem.before.segments))
        sums.push_back(tree_of_floats(std::span(keys).subspan(begin, end - begin)));
    problem.after.results = bytes_of(sums);
    return problem;
}

/// Many short segments, empty ones, one of `longest` keys among them, and keys that are in none.
Offsets ragged(std::size_t longest, Random& random) {
    Offsets offsets{7};
    for (int i = 0; i < 300; ++i) offsets.push_back(offsets.back() + (i == 100 ? longest : i % 3 ? random() % 90 : 0));
    return offsets;
}

bool can(const Target& target, KeyType type, Reduction reduction) {
    return reduction != Reduction::sum || type != KeyType::f64 || target.info.has_doubles;
}

TEST_SUITE("reduce") {
    TEST_CASE("reduce: keys of every type, among special values, of any number") {
        Random random(seed());
        for (Target& target : targets())
            for_each_key_type([&]<class T>() {
                for (const Reduction reduction : all_reductions) {
                    if (!can(target, key_type_v<T>, reduction)) continue;
                    for (const std::size_t count : {1, 2, 255, 4097, 20'011}) {
                        run_everywhere(target, target.sorter(),
                                       reduction_of(reduction, ordinary_keys<T>(count, random)), count % 5);
                        run_everywhere(target, target.sorter(),
                                       reduction_of(reduction, make_keys<T>(Pattern::special_values, count, random)),
                                       16);
                    }
                }
            });
    }

    TEST_CASE("reduce: many keys, from addresses that are multiples of 16 and from others") {
        Random random(seed());
        for (Target& target : targets())
            for (const Reduction reduction : all_reductions)
                for (const std::size_t offset : {0, 4, 3}) {
                    run_everywhere(target, target.sorter(),
                                   reduction_of(reduction, ordinary_keys<float>(300'007, random)), offset);
                    run_everywhere(target, target.sorter(),
                                   reduction_of(reduction, ordinary_keys<std::int16_t>(300'007, random)), offset);
                    // The most that one launch combines: by the tree, in larger blocks where there is none; and one
                    // more.
                    if (offset > 0) continue;
                    for (const std::size_t more : {0, 1}) {
                        run_everywhere(target, target.sorter(),
                                       reduction_of(reduction, ordinary_keys<float>((1 << 19) + more, random)));
                        for (const std::size_t count : {1 << 18, 1 << 19})
                            run_everywhere(target, target.sorter(),
                                           reduction_of(reduction, ordinary_keys<std::int64_t>(count + more, random)));
                    }
                }
    }

    TEST_CASE("reduce: the built-in device gives the same bits") {
        Random random(seed());
        Sorter sorter(built_in_device());
        for_each_key_type([&]<class T>() {
            for (const Reduction reduction : all_reductions) {
                for (const std::size_t count : {1, 2, 255, 4097, 60'011}) {
                    run_on_host(sorter, reduction_of(reduction, ordinary_keys<T>(count, random)), count % 5);
                    run_on_host(sorter, reduction_of(reduction, make_keys<T>(Pattern::special_values, count, random)));
                }
                for (const std::size_t length : {1, 7, 20'000})
                    run_on_host(sorter, reduction_of(reduction, ordinary_keys<T>(3 * length, random), length));
            }
        });
        run_on_host(sorter, reduction_of(Reduction::sum, std::vector<std::int32_t>()));
        const auto many = ordinary_keys<float>(1'100'003, random);
        float sum = 0;
        sorter.reduce(many, Reduction::sum, std::span(&sum, 1));
        CHECK(bits_of(sum) == bits_of(Tree<float>::sum<float>(many)));
    }

    TEST_CASE("reduce: the last group combines by itself what it does not see of the others" *
              doctest::test_suite("long")) {
        Random random(seed());
        const auto check = [&](Sorter& sorter) {
            for (const std::uint32_t tries : {0u, 1u}) {
                const auto keys = [&]<class T>(T, std::size_t count = 70'003) {
                    return ordinary_keys<T>(count, random);
                };
                for (const Reduction reduction : all_reductions)
                    run_with_tries(sorter, reduction_of(reduction, keys(float{})), tries);
                run_with_tries(sorter, reduction_of(Reduction::sum, keys(std::int64_t{})), tries);
                run_with_tries(sorter, reduction_of(Reduction::sum, keys(std::uint8_t{}, 1'100'003)), tries);
                run_with_tries(sorter, reduction_of(Reduction::max, keys(std::uint16_t{})), tries);
                run_with_tries(sorter, products_of(keys(float{}), keys(float{})), tries);
            }
        };
        Sorter built_in(built_in_device());
        check(built_in);
        for (Target& target : targets()) {
            CAPTURE(target.name);
            DeviceInfo card = graphics_card();
            card.max_work_items = std::min(32u, target.info.max_work_items);
            Sorter disguised = sorter_as(target.sorter(), card);
            check(disguised);
        }
    }

    TEST_CASE("reduce: products of keys of every type, of any number, in rows, from addresses of every kind" *
              doctest::test_suite("long")) {
        Random random(seed());
        for (Target& target : targets())
            for_each_key_type([&]<class T>() {
                if (!can(target, key_type_v<T>, Reduction::sum)) return;
                const auto keys = [&](std::size_t count) { return ordinary_keys<T>(count, random); };
                for (const std::size_t count : {1, 2, 255, 4097, 40'011})
                    run_everywhere(target, target.sorter(), products_of(keys(count), keys(count)), count % 5);
                run_everywhere(target, target.sorter(), products_of(keys(70'001), keys(70'001)), 16);
                const auto special = make_keys<T>(Pattern::special_values, 5001, random);
                run_everywhere(target, target.sorter(), products_of(special, keys(5001)));
                for (const std::size_t length : {1, 64, 20'000})
                    run_everywhere(target, target.sorter(), products_of(keys(3 * length), keys(3 * length), length));
            });
    }

    TEST_CASE("reduce: products by the built-in device; many; none") {
        Random random(seed());
        Sorter sorter(built_in_device());
        for_each_key_type([&]<class T>() {
            for (const std::size_t count : {1, 255, 4097, 60'011})
                run_on_host(sorter, products_of(ordinary_keys<T>(count, random), ordinary_keys<T>(count, random)),
                            count % 5);
        });
        run_on_host(sorter, products_of(std::vector<std::int32_t>(), {}));
        const auto many = ordinary_keys<float>(1'100'003, random), others = ordinary_keys<float>(1'100'003, random);
        float sum = 0;
        sorter.transform_reduce(many, others, std::span(&sum, 1));
        CHECK(bits_of(sum) == bits_of(Tree<float>::sum_of_products<float>(many, others)));
        sorter.transform_reduce(many, many, std::span(&sum, 1));
        CHECK(bits_of(sum) == bits_of(Tree<float>::sum_of_products<float>(many, many)));
        check_refused(ErrorCode::invalid_argument, "the first range has 1100003 keys, but the second has 3",
                      [&] { sorter.transform_reduce(many, std::span(others).first(3), std::span(&sum, 1)); });
        const std::vector<std::int32_t> integers(many.size());
        check_refused(ErrorCode::invalid_argument, "the second has keys of type i32",
                      [&] { sorter.transform_reduce(many, integers, std::span(&sum, 1)); });
        double wide = 0;
        check_refused(ErrorCode::invalid_argument, "results have 8 bytes, but those of this reduction have 4",
                      [&] { sorter.transform_reduce(many, others, std::span(&wide, 1)); });
    }

    TEST_CASE("reduce: rows, of one block and of several") {
        Random random(seed());
        for (Target& target : targets())
            for (const Reduction reduction : all_reductions)
                for (const std::size_t length : {1, 7, 64, 5001, 40'000}) {
                    const std::size_t rows = length < 100 ? 131 : 3;
                    run_everywhere(target, target.sorter(),
                                   reduction_of(reduction, ordinary_keys<float>(rows * length, random), length));
                    run_everywhere(target, target.sorter(),
                                   reduction_of(reduction, ordinary_keys<std::int64_t>(rows * length, random), length));
                }
    }

    TEST_CASE("reduce: of equal keys the first place, and a NaN only where all keys are") {
        const float nan = std::numeric_limits<float>::quiet_NaN();
        for (Target& target : targets()) {
            CAPTURE(target.name);
            std::vector<float> keys(50'000, 1);
            keys[0] = keys[49'999] = nan;
            keys[31'000] = keys[42'000] = 7;
            keys[17'000] = keys[8000] = -3;
            const auto place = [&](Reduction reduction) {
                std::uint64_t found = 0;
                target.sorter().reduce(keys, reduction, std::span(&found, 1));
                return found;
            };
            CHECK(place(Reduction::arg_max) == 31'000);
            CHECK(place(Reduction::arg_min) == 8000);
            keys.assign(50'000, nan);
            CHECK(place(Reduction::arg_max) == 0);
            CHECK(place(Reduction::arg_min) == 0);
        }
    }

    TEST_CASE("reduce: sums of floating-point numbers are near the exact ones") {
        Random random(seed());
        const auto keys = ordinary_keys<float>(200'003, random);
        long double exact = 0, all = 0;
        for (const float key : keys) exact += static_cast<long double>(key), all += std::fabs(key);
        for (Target& target : targets()) {
            float sum = 0;
            target.sorter().reduce(keys, Reduction::sum, std::span(&sum, 1));
            // A key takes part in at most 4 additions of its column (49 blocks of 4 tiles), and 2 + 8 + 1 + 8 of the
            // tree.
            CHECK(std::fabs(static_cast<long double>(sum) - exact) <= 24 * 0x1p-24L * all);
        }
    }

    TEST_CASE("reduce: more blocks than leaves, and more keys than blocks of four tiles have room for") {
        Random random(seed());
        for (const std::size_t count : {1'100'003, 17'000'003}) {
            std::vector<float> keys(count);
            for (float& key : keys) key = static_cast<float>(random() >> 40) * 0x1p-20f - 7;
            keys[count - 5] = keys[count - 3] = 100;
            const float expected = Tree<float>::sum<float>(keys);
            for (Target& target : targets()) {
                CAPTURE(target.name);
                float sum = 0, largest = 0;
                std::uint64_t place = 0;
                target.sorter().reduce(keys, Reduction::sum, std::span(&sum, 1));
                target.sorter().reduce(keys, Reduction::max, std::span(&largest, 1));
                target.sorter().reduce(keys, Reduction::arg_max, std::span(&place, 1));
                CHECK(bits_of(sum) == bits_of(expected));
                CHECK(largest == 100);
                CHECK(place == count - 5);
            }
        }
    }

    TEST_CASE("reduce: segments of every type: short, empty and one of many blocks among them" *
              doctest::test_suite("long")) {
        Random random(seed());
        for (Target& target : targets())
            for_each_key_type([&]<class T>() {
                for (const std::size_t longest : {500, 70'001}) {
                    const Offsets segments = ragged(longest, random);
                    const auto keys = ordinary_keys<T>(segments.back() + 5, random);
                    for (const Reduction reduction : all_reductions)
                        if (can(target, key_type_v<T>, reduction))
                            run_everywhere(target, target.sorter(),
                                           reduction_of(reduction, keys, 0, segments, sizeof(T) == 4 ? 4 : 8));
                    if (can(target, key_type_v<T>, Reduction::sum))
                        run_everywhere(target, target.sorter(),
                                       products_of(keys, ordinary_keys<T>(keys.size(), random), 0, segments));
                }
            });
    }

    TEST_CASE("reduce: segments by the built-in device; none; of no keys; of as many as there are") {
        Random random(seed());
        Sorter sorter(built_in_device());
        const auto check = [&](const Offsets& segments) {
            const auto keys = ordinary_keys<float>(segments.back(), random);
            const auto integers = ordinary_keys<std::int16_t>(segments.back(), random);
            for (const Reduction reduction : all_reductions) {
                run_on_host(sorter, reduction_of(reduction, keys, 0, segments));
                run_on_host(sorter, reduction_of(reduction, integers, 0, segments, 4));
            }
            run_on_host(sorter, products_of(keys, ordinary_keys<float>(keys.size(), random), 0, segments));
        };
        for (const Offsets& segments : {Offsets{0},
                                        {0, 0},
                                        {0, 0, 0, 0},
                                        {0, 1},
                                        {3, 3},
                                        {0, 50'000},
                                        {9, 9, 50'000},
                                        ragged(500, random),
                                        ragged(1'100'003, random)})
            check(segments);
        Offsets even;
        for (std::uint64_t i = 0; i < 50; ++i) even.push_back(i * 4096);
        check(even);
        // The fewest keys of a block, one more, and many blocks one after the other.
        check({0, 4096, 8193, 8193, 20'000, 40'000, 40'001, 90'000});
        const std::vector<float> keys(20, 2);
        std::vector<float> sums(3);
        const std::vector<std::uint64_t> offsets{1, 5, 5, 20};
        sorter.reduce(keys, Reduction::sum, sums, {.segments = offsets});
        CHECK(sums == std::vector<float>{8, 0, 30});
        sorter.transform_reduce(keys, keys, sums, {.segments = offsets});
        CHECK(sums == std::vector<float>{16, 0, 60});
        std::vector<std::uint64_t> other_offsets = offsets;
        KeyRange first{.memory = const_cast<float*>(keys.data()), .count = keys.size(), .type = KeyType::f32},
            second = first;
        first.segments = second.segments = {.memory = const_cast<std::uint64_t*>(offsets.data()), .count = 3, .bytes = 8};
        (void)transform_reduce(first, second, ValueRangeIn<void*>{sums.data()});
        second.segments.memory = other_offsets.data();
        check_refused(ErrorCode::invalid_argument, "the second range's segments are in another place than the first's",
                      [&] { (void)transform_reduce(first, second, ValueRangeIn<void*>{sums.data()}); });
        check_refused(ErrorCode::invalid_argument, "room for 3 results, but there are 2",
                      [&] { sorter.reduce(keys, Reduction::sum, sums, {.segments = std::span(offsets).first(3)}); });
        check_refused(ErrorCode::invalid_argument, "rows and segments at once",
                      [&] { sorter.reduce(keys, Reduction::sum, sums, {.row_length = 5, .segments = offsets}); });
        check_refused(ErrorCode::out_of_range, "the last segment ends at key 20, but there are 10",
                      [&] { sorter.reduce(std::span(keys).first(10), Reduction::sum, sums, {.segments = offsets}); });
    }

    TEST_CASE("reduce: offsets of segments that lie touch nothing else") {
        Random random(seed());
        constexpr std::size_t count = 60'000, results = count + 30, end = results + 20;
        for (Target& target : targets()) {
            CAPTURE(target.name);
            auto memory = random_keys<std::uint32_t>(end + 30, random);
            // Segments of one block, that go back, end beyond the keys, begin there, and are longer than was stated.
            const std::uint32_t offsets[] = {50'000, 100, 4000000000u, 3999999999u, 0, 0, 59'000, 7, 60'000, 60'001};
            std::ranges::copy(offsets, memory.begin() + count + 15);
            for (const std::size_t longest : {10, 4096, 4097, 30'000, 0}) {
                KeyRangeIn<void*> keys{.memory = here, .offset = 10, .count = count, .type = KeyType::u32};
                keys.segments = {here, count + 15, std::size(offsets) - 1, longest, 4};
                for (const Reduction reduction : {Reduction::max, Reduction::min}) {
                    const auto on_device = target.memory(bytes_of(memory));
                    on_device->enqueue(target.sorter(), reduce(keys, reduction, ValueRangeIn<void*>{here, results}));
                    auto after = keys_of<std::uint32_t>(on_device->read());
                    std::copy_n(memory.begin() + results, std::size(offsets) - 1, after.begin() + results);
                    require_same_bytes(after, memory);
                }
            }
        }
    }

    TEST_CASE("reduce: by operators that do not commute, of every size, of any number") {
        Random random(seed());
        const BinaryOperator bytes = composition_of("uchar", 1), words = composition_of("uint", 4);
        for (Target& target : targets())
            for (const std::size_t count : {0, 1, 2, 255, 257, 4097, 20'011}) {
                std::vector<std::uint8_t> mostly_zero(count);
                for (std::uint8_t& byte : mostly_zero) byte = random() % 700 ? 0 : static_cast<std::uint8_t>(random());
                run_everywhere(target, target.sorter(),
                               reduction_by({}, first_set, mostly_zero, std::uint8_t{0},
                                            [](std::uint8_t a, std::uint8_t b) { return a ? a : b; }),
                               count % 5);
                run_everywhere(target, target.sorter(),
                               reduction_by({}, bytes, random_counted<std::uint8_t>(count, random), {1, 0, 0},
                                            composed<std::uint8_t>),
                               count % 5);
                run_everywhere(target, target.sorter(),
                               reduction_by({}, composition, random_maps(count, random), {1, 0},
                                            [](Affine a, Affine b) { return test::composed(a, b); }),
                               count % 5);
                run_everywhere(target, target.sorter(),
                               reduction_by({}, words, random_counted<std::uint32_t>(count, random), {1, 0, 0},
                                            composed<std::uint32_t>),
                               count % 5);
                if (count < 10'000)
                    run_everywhere(target, target.sorter(),
                                   reduction_by({}, matrix_product, random_matrices(count, random), unit,
                                                std::multiplies<Matrix>()),
                                   count % 5);
            }
    }

    TEST_CASE("reduce: rows, segments and pairs by an operator, in order") {
        Random random(seed());
        const auto compose = [](Affine a, Affine b) { return test::composed(a, b); };
        const auto multiply = std::multiplies<std::uint32_t>();
        for (Target& target : targets()) {
            const auto check = [&](const Request& request, std::size_t count, const Offsets& segments = {}) {
                const std::vector<Affine> maps = random_maps(count, random), others = random_maps(count, random);
                run_everywhere(target, target.sorter(),
                               reduction_by(request, composition, maps, {1, 0}, compose, segments));
                run_everywhere(
                    target, target.sorter(),
                    reduction_by(request, composition_of_pairs, maps, {1, 0}, compose, segments, others, compose));
                const auto keys = random_keys<std::uint32_t>(count, random);
                run_everywhere(target, target.sorter(),
                               reduction_by(request, dot_product, keys, std::uint32_t{0}, std::plus<std::uint32_t>(),
                                            segments, random_keys<std::uint32_t>(count, random), multiply),
                               4);
            };
            for (const std::size_t count : {1, 2, 2049, 30'011}) check({}, count);
            for (const std::size_t length : {1, 7, 64, 5001})
                check({.row_length = length}, length * (length < 100 ? 131 : 3));
            for (const std::size_t longest : {500, 70'001}) {
                const Offsets segments = ragged(longest, random);
                check({.offset_bytes = longest == 500 ? std::size_t{4} : 8}, segments.back() + 5, segments);
            }
            run_everywhere(target, target.sorter(),
                           reduction_by({.row_length = 401}, matrix_product, random_matrices(3 * 401, random), unit,
                                        std::multiplies<Matrix>()));
        }
    }

    TEST_CASE("reduce: sums of floats by an operator have the bits of its tree") {
        Random random(seed());
        for (Target& target : targets()) {
            for (const std::size_t count : {1, 15, 16, 17, 4096, 4097, 300'007})
                run_everywhere(target, target.sorter(), sum_by_operator(ordinary_keys<float>(count, random)),
                               count % 5);
            run_everywhere(target, target.sorter(), sum_by_operator(ordinary_keys<float>(3 * 20'001, random), 20'001));
            const Offsets segments = ragged(90'001, random);
            run_everywhere(target, target.sorter(),
                           sum_by_operator(ordinary_keys<float>(segments.back(), random), 0, segments));
            // More blocks than leaves, and more elements than blocks of 16 a leaf have room for.
            for (const std::size_t count : {1'100'003, 17'000'003}) {
                const auto many = ordinary_keys<float>(count, random);
                float sum = 0;
                target.sorter().reduce({many, sum_of_floats}, std::span(&sum, 1));
                CHECK(bits_of(sum) == bits_of(tree_of_floats(many)));
            }
        }
    }

    TEST_CASE("reduce: of work-groups with less local memory than operators would like") {
        Random random(seed());
        for (Target& target : opencl_targets()) {
            DeviceInfo poor = target.info;
            poor.kind = DeviceKind::gpu;
            poor.local_bytes = 1000;
            poor.max_work_items = std::min(poor.max_work_items, 64u);
            Sorter sorter = sorter_as(target.sorter(), poor);
            for (const std::size_t count : {1, 300, 5003})
                run_on_host(sorter, reduction_by({}, matrix_product, random_matrices(count, random), unit,
                                                 std::multiplies<Matrix>()));
            run_on_host(sorter, sum_by_operator(ordinary_keys<float>(90'001, random)));
            const Offsets segments = ragged(70'001, random);
            run_on_host(sorter,
                        reduction_of(Reduction::sum, ordinary_keys<float>(segments.back(), random), 0, segments));
        }
    }

    TEST_CASE("reduce: what cannot be done by an operator") {
        std::vector<std::uint32_t> keys(100, 3);
        const std::vector<std::uint32_t> others(100, 5);
        const std::vector<std::uint16_t> narrow(4);
        const BinaryOperator sum{.type = "uint", .bytes = 4, .combine = "a + b", .identity = "0"};
        std::uint32_t result = 0;
        for (Target& target : targets()) {
            CAPTURE(target.name);
            Sorter& sorter = target.sorter();
            sorter.reduce({keys, sum}, std::span(&result, 1));
            CHECK(result == 300);
            sorter.transform_reduce({keys, dot_product}, {others, dot_product}, std::span(&result, 1));
            CHECK(result == 1500);
            const auto refused = [&](const char* sentence, auto call) {
                check_refused(ErrorCode::invalid_argument, sentence, call);
            };
            refused("an operator must say", [&] { sorter.reduce(keys, std::span(&result, 1)); });
            refused("does not use the operator's `transform`", [&] {
                sorter.reduce({keys, dot_product}, std::span(&result, 1));
            });
            refused("needs the operator's `transform`", [&] {
                sorter.transform_reduce({keys, sum}, {others, sum}, std::span(&result, 1));
            });
            refused("keys of uint of 4 bytes with an operator, but the second has keys of type u32", [&] {
                sorter.transform_reduce({keys, dot_product}, others, std::span(&result, 1));
            });
            refused("keys of type u32, but the second has keys of uint of 4 bytes with an operator", [&] {
                sorter.transform_reduce(keys, {others, dot_product}, std::span(&result, 1));
            });
            refused("the two ranges have an operator each, but not the same one", [&] {
                sorter.transform_reduce({keys, dot_product}, {others, sum}, std::span(&result, 1));
            });
            refused("no `reduction` can be asked for", [&] {
                sorter.reduce({keys, sum}, Reduction::max, std::span(&result, 1));
            });
            refused("sort does not use `binary_operator`", [&] { sorter.sort({keys, sum}); });
            refused("top_k does not use `binary_operator`", [&] { sorter.top_k({keys, sum}, std::span(&result, 1)); });
            refused("is_sorted does not use `binary_operator`", [&] { sorter.is_sorted({keys, sum}); });
            refused("the records have 2 bytes, but the text is for 4", [&] {
                sorter.reduce({narrow, sum}, std::span(&result, 1));
            });
            const auto refused_as = [&](const char* sentence, auto change) {
                BinaryOperator wrong = sum;
                change(wrong);
                refused(sentence,
                        [&] { sorter.reduce(ConstKeys(keys.data(), keys.size(), wrong), std::span(&result, 1)); });
            };
            refused_as("elements have 65 bytes", [](BinaryOperator& wrong) { wrong.bytes = 65; });
            refused_as("an identity", [](BinaryOperator& wrong) { wrong.identity = ""; });
            refused_as("an expression", [](BinaryOperator& wrong) { wrong.combine = ""; });
            refused_as("comment in the operator's identity", [](BinaryOperator& wrong) { wrong.identity += "/*"; });
            BinaryOperator wrong = sum;
            wrong.combine = "a.no_such_member";
            check_refused(ErrorCode::build_failed, "reduce/operator_reduction.cl, with the caller's operator in it",
                          [&] {
                              sorter.reduce({keys, wrong}, std::span(&result, 1));
                          });
            check_still_sorts(target, sorter);
        }
        Sorter sorter(built_in_device());
        check_refused(ErrorCode::unsupported, "no compiler for the text of an operator", [&] {
            sorter.reduce({keys, sum}, std::span(&result, 1));
        });
    }

    TEST_CASE("reduce: no keys, and what cannot be") {
        for (Target& target : targets()) {
            CAPTURE(target.name);
            Sorter& sorter = target.sorter();
            run_everywhere(target, sorter, reduction_of(Reduction::sum, std::vector<std::int32_t>()));
            run_everywhere(target, sorter, reduction_of(Reduction::sum, std::vector<float>()));
            const std::vector<float> none, keys(10);
            std::uint64_t place = 0;
            float number = 0;
            check_refused(ErrorCode::invalid_argument, "no keys have no minimum",
                          [&] { sorter.reduce(none, Reduction::max, std::span(&number, 1)); });
            check_refused(ErrorCode::invalid_argument, "results have 4 bytes, but those of this reduction have 8",
                          [&] { sorter.reduce(keys, Reduction::arg_min, std::span(&number, 1)); });
            check_refused(ErrorCode::invalid_argument, "room for 1 results, but there are 2",
                          [&] { sorter.reduce(keys, Reduction::arg_min, std::span(&place, 1), {.row_length = 5}); });
            check_refused(ErrorCode::invalid_argument, "no whole number of rows",
                          [&] { sorter.reduce(keys, Reduction::sum, std::span(&number, 1), {.row_length = 3}); });
            check_refused(ErrorCode::invalid_argument, "the keys and the results overlap",
                          [&] { sorter.reduce(keys, Reduction::sum, Results(const_cast<float*>(&keys[3]), 1, 4)); });
            Request request{.operation = Operation::reduce, .count = 10, .order = Order::descending};
            check_refused(ErrorCode::invalid_argument, "has no order", [&] { sorter.prepare(request); });
            request = {.operation = Operation::sort, .count = 10, .reduction = Reduction::max};
            check_refused(ErrorCode::invalid_argument, "does not use `reduction`", [&] { sorter.prepare(request); });
            check_still_sorts(target, sorter);
        }
    }
}

}  // namespace
}  // namespace lanesort::test
