// Reductions: sums, also of products, and the smallest and the largest key or where it is.
#include <cmath>

#include "error_support.hpp"
#include "run_everywhere.hpp"

namespace lanesort::test {
namespace {

constexpr Reduction all_reductions[] = {Reduction::sum, Reduction::min, Reduction::max, Reduction::arg_min,
                                        Reduction::arg_max};

/// The tree that combine.h states, in plain loops. `Number` is that of the sum.
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
Problem reduction_of(Reduction reduction, const std::vector<T>& keys, std::size_t row_length = 0) {
    const Request request{.operation = Operation::reduce, .row_length = row_length, .reduction = reduction};
    const bool largest = reduction == Reduction::max || reduction == Reduction::arg_max;
    Problem problem = problem_of(request, key_type_v<T>, keys, [largest](T a, T b) {
        if (is_nan(a) != is_nan(b)) return is_nan(b);
        return largest ? before(b, a) : before(a, b);
    });
    if constexpr (is_floating<T>) {
        if (reduction != Reduction::sum) return problem;
        using Number = std::conditional_t<sizeof(T) == 8, double, float>;
        const std::size_t length = row_length > 0 ? row_length : keys.size();
        std::vector<Number> sums;
        for (std::size_t row = 0; row < problem.request.row_count(); ++row) {
            const Number sum = Tree<Number>::template sum<T>(std::span(keys).subspan(row * length, length));
            sums.push_back(std::isnan(sum) ? std::numeric_limits<Number>::quiet_NaN() : sum);
        }
        problem.after.results = bytes_of(sums);
    }
    return problem;
}

/// The sum of products, or one for each row.
template <Key T>
Problem products_of(const std::vector<T>& keys, const std::vector<T>& others, std::size_t row_length = 0) {
    const Request request{.operation = Operation::transform_reduce, .row_length = row_length};
    Problem problem = problem_of(request, keys, {}, {}, 0, bytes_of(others));
    if constexpr (is_floating<T>) {
        using Number = std::conditional_t<sizeof(T) == 8, double, float>;
        const std::size_t length = row_length > 0 ? row_length : keys.size();
        std::vector<Number> sums;
        for (std::size_t row = 0; row < problem.request.row_count(); ++row) {
            const Number sum = Tree<Number>::template sum_of_products<T>(
                std::span(keys).subspan(row * length, length), std::span(others).subspan(row * length, length));
            sums.push_back(std::isnan(sum) ? std::numeric_limits<Number>::quiet_NaN() : sum);
        }
        problem.after.results = bytes_of(sums);
    }
    return problem;
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

    TEST_CASE("reduce: products of keys of every type, of any number, in rows, from addresses of every kind") {
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
                          [&] { sorter.reduce(keys, Reduction::arg_min, std::span(&place, 1), 5); });
            check_refused(ErrorCode::invalid_argument, "no whole number of rows",
                          [&] { sorter.reduce(keys, Reduction::sum, std::span(&number, 1), 3); });
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
