# SPDX-License-Identifier: MIT
"""Reductions of the values of equal keys, on numpy's arrays, against numpy and Python's integers."""

import numpy as np
import pytest
from conftest import DTYPES, SIZES, keys_of, nans, order_of, rank, same

import lanesort

REDUCTIONS = ["sum", "min", "max", "count", "mean"]


def addable(dtype, size, seed=1):
    """Values whose sums no order of additions changes, and that wrap if they are integers."""
    if np.dtype(dtype).kind != "f":
        return keys_of(dtype, size, seed)
    return (keys_of("i1", size, seed) % 3 - 1).astype(dtype)


def reduced(keys, values, reduction):
    """Of runs of keys whose bits are equal: the key of each, and what is made of its values."""
    bits = keys.view(f"u{keys.itemsize}")
    begins = np.flatnonzero(np.concatenate(([True], bits[1:] != bits[:-1]))[: keys.size])
    counts = np.diff(np.append(begins, keys.size))
    kind = values.dtype.kind
    if reduction == "count":
        return keys[begins], counts.astype("i8")
    if reduction in ("min", "max"):
        # NaNs last, whichever is looked for.
        ranks = rank(values, reduction == "max")
        order = np.lexsort((ranks, np.isnan(values), np.repeat(np.arange(begins.size), counts)))
        return keys[begins], values[order[begins]]
    wide = {"u": "u8", "i": "i8", "b": "i8", "f": "f8" if values.itemsize == 8 else "f4"}[kind]
    sums = np.add.reduceat(values.astype(wide), begins) if begins.size else np.empty(0, wide)
    if reduction == "sum":
        return keys[begins], sums
    # Python's division of integers gives the number nearest to the quotient; of small ones in f8 f4's is, too.
    means = np.array([int(of_key) / int(count) for of_key, count in zip(sums, counts, strict=True)], "f8")
    return keys[begins], means.astype(wide if kind == "f" else "f8")


def agrees(groups, expected):
    return same(groups.keys, expected[0]) and same(groups.values, expected[1])


@pytest.mark.parametrize("reduction", REDUCTIONS)
@pytest.mark.parametrize("dtype", [*DTYPES, "bool"])
def test_values_of_every_type_and_size(dtype, reduction):
    for size in SIZES:
        keys = keys_of("i4", size, size) % 9
        values = keys_of(dtype, size, size + 1) if reduction in ("min", "max") else addable(dtype, size, size + 1)
        order = order_of(keys)
        expected = reduced(keys[order], values[order], reduction)
        kept = keys.copy(), values.copy()
        assert agrees(lanesort.group_by(keys, values, reduction), expected), size
        assert agrees(lanesort.group_by(keys, values, reduction, stable=True), expected), size
        assert same(keys, kept[0]) and same(values, kept[1])
        assert agrees(lanesort.reduce_by_key(keys[order], values[order], reduction), expected), size
        assert agrees(lanesort.reduce_by_key(keys, values, reduction), reduced(keys, values, reduction)), size


@pytest.mark.parametrize("dtype", DTYPES)
def test_keys_of_every_type(dtype):
    for size in SIZES:
        keys, values = keys_of(dtype, size, size), keys_of("i4", size, 2)
        for descending in (False, True):
            order = order_of(keys, descending=descending)
            groups = lanesort.group_by(keys, values, descending=descending)
            assert agrees(groups, reduced(keys[order], values[order], "sum")), size


def test_one_run_and_none_but_short_ones():
    for size in SIZES[1:]:
        values = keys_of("i2", size)
        assert agrees(lanesort.group_by(np.full(size, 7, "u1"), values), (np.array([7], "u1"), [values.sum(dtype="i8")]))
        keys = np.arange(size)[::-1].copy()
        assert agrees(lanesort.group_by(keys, values, "max"), (keys[::-1], values[::-1]))


def test_nans_and_zeros():
    nan = np.nan
    keys = np.array([2.0, nan, -0.0, 0.0, nan, 2.0])
    values = np.array([1.0, 2.0, nan, nan, 4.0, nan])
    groups = lanesort.group_by(keys, values, "max")
    assert same(groups.keys, np.array([-0.0, 0.0, 2.0, nan])) and same(groups.values, np.array([nan, nan, 1.0, 4.0]))
    assert np.isnan(lanesort.group_by(keys, values).values).tolist() == [True, True, True, False]
    assert np.isnan(lanesort.group_by(keys, values, "mean").values).tolist() == [True, True, True, False]
    assert lanesort.group_by(keys, values, "count").values.tolist() == [1, 1, 2, 2]
    zeros = lanesort.reduce_by_key(np.zeros(3, "u1"), np.array([0.0, -0.0, 0.0]), "min").values
    assert np.signbit(zeros).tolist() == [True]


def test_types_of_sums_and_means():
    keys = np.array([1, 1, 2], "u1")
    halves = np.array([60_000, 60_000, 1], "f2")
    assert same(lanesort.group_by(keys, halves).values, np.array([120_000, 1], "f4"))
    assert same(lanesort.group_by(keys, halves, "mean").values, np.array([60_000, 1], "f4"))
    most = np.array([(1 << 63) - 1, 1, 5], "i8")
    assert same(lanesort.group_by(keys, most).values, np.array([-(1 << 63), 5], "i8"))
    assert same(lanesort.group_by(keys, np.array([200, 100, 3], "u1")).values, np.array([300, 3], "u8"))
    assert same(lanesort.group_by(keys, np.array([1, 2, (1 << 53) + 1]), "mean").values, np.array([1.5, 1 << 53]))


def test_in_which_order_values_are_added():
    random = np.random.default_rng(1)
    keys, values = random.integers(0, 50, 20_001), random.standard_normal(20_001).astype("f4")
    mixed = random.permutation(keys.size)
    groups = lanesort.group_by(keys, values)
    assert same(lanesort.group_by(keys[mixed], values[mixed]).values, groups.values)
    assert np.allclose(groups.values, np.bincount(keys, values), rtol=1e-4, atol=1e-3)
    order = np.argsort(keys, kind="stable")
    as_they_came = lanesort.group_by(keys, values, stable=True)
    assert same(as_they_came.values, lanesort.reduce_by_key(keys[order], values[order]).values)
    assert not same(as_they_came.values, groups.values)


def test_layouts_that_are_copied():
    keys, values = keys_of("i4", 1001) % 9, addable("f4", 1001)
    order = order_of(keys)
    expected = reduced(keys[order], values[order], "sum")
    for change in (
        lambda x: np.repeat(x, 2)[::2], lambda x: x.astype(x.dtype.newbyteorder()), lambda x: x[::-1].copy()[::-1]
    ):  # fmt: skip
        for groups in (
            lanesort.group_by(change(keys), change(values)),
            lanesort.reduce_by_key(change(keys[order]), change(values[order])),
        ):
            assert groups.keys.dtype == change(keys).dtype
            assert agrees(groups._replace(keys=groups.keys.astype("i4")), expected)
    for array in (keys, values):
        array.flags.writeable = False
    assert agrees(lanesort.group_by(keys, values), expected)
    assert agrees(lanesort.Sorter("built-in").group_by(keys, values, reduction="sum"), expected)
    assert lanesort.group_by([2, 1, 2], [1, 2, 3]).values.tolist() == [2, 4]
    distinct, counts = np.unique(keys, return_counts=True)
    assert same(lanesort.group_by(keys, keys).values, distinct * counts)


def test_records():
    kind = np.dtype([("score", "f4"), ("id", "u4")], align=True)
    keys = np.zeros(1000, kind)
    # The first of equal records is not the one whose bytes come first.
    keys["score"], keys["id"] = np.random.default_rng(1).integers(0, 9, 1000), np.arange(1000)[::-1]
    scores, first = np.unique(keys["score"], return_index=True)
    groups = lanesort.group_by(keys, keys["id"], "max", stable=True, comparator="a.score < b.score")
    assert same(groups.keys, keys[first]) and same(groups.values, keys["id"][first])
    ordered = keys[np.argsort(keys["score"], kind="stable")]
    groups = lanesort.reduce_by_key(ordered, ordered["score"], "mean", comparator="a.score < b.score")
    assert same(groups.keys, keys[first]) and same(groups.values, scores)


def test_mistakes_are_told(failing):
    x, operator = np.arange(2), lanesort.BinaryOperator("a + b", "0")
    for reduction, part in ((np.arange(2), "of type ndarray"), (operator, "of type BinaryOperator"), ("all", "no reduction")):
        for function in (lanesort.group_by, lanesort.reduce_by_key):
            failing("invalid_argument", part, function, x, x, reduction)
    x = np.arange(6)
    for function in (lanesort.reduce_by_key, lanesort.group_by):
        failing("invalid_argument", "have 2", function, x.reshape(2, 3), x.reshape(2, 3))
        failing("invalid_argument", "have 0", function, np.int64(3), np.int64(3))
        failing("invalid_argument", "shape (5,)", function, x, x[1:])
        failing("invalid_argument", "only sum, min, max, count, mean", function, x, x, "argmin")
        failing("invalid_argument", "complex128", function, x, x.astype(complex))
        failing("invalid_argument", "complex128", function, x.astype(complex), x)
        failing("invalid_argument", "complex128", function, x[:0].astype(complex), x[:0])
        failing("invalid_argument", "Python's objects", function, x, x.astype(object))
    failing("invalid_argument", "order of their comparator", lanesort.group_by, x, x, descending=True, comparator="a < b")
    failing("invalid_argument", "group_by cannot be prepared", lanesort.plan, "group_by", x, x)


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8"])
def test_all_nans_are_one_key(dtype):
    one = nans(dtype)[0]
    keys = np.concatenate((nans(dtype)[1:], np.array([1, -0.0], dtype), nans(dtype)[::-1]))
    before, values = keys.copy(), np.arange(9)
    distinct = np.array([-0.0, 1, one], dtype)
    for given in (keys, keys.astype(keys.dtype.newbyteorder()), np.repeat(keys, 2)[::2]):
        kind = given.dtype
        assert same(lanesort.unique(given), distinct.astype(kind))
        assert same(lanesort.unique(given, descending=True), distinct[::-1].astype(kind))
        counted = lanesort.unique(given, return_counts=True)
        assert same(counted.keys, distinct.astype(kind)) and counted.counts.tolist() == [1, 1, 7]
        assert lanesort.unique(given, values=values).values.tolist() == [4, 3, 0]
        for stable in (False, True):
            groups = lanesort.group_by(given, values, stable=stable)
            assert same(groups.keys, distinct.astype(kind)) and groups.values.tolist() == [4, 3, 29]
        in_runs = np.array([one, 1, -0.0, one], dtype).astype(kind)
        assert same(lanesort.unique(given, assume_sorted=True), in_runs)
        runs = lanesort.run_lengths(given)
        assert same(runs.values, in_runs) and runs.lengths.tolist() == [3, 1, 1, 4]
        reduced = lanesort.reduce_by_key(given, values, "max")
        assert same(reduced.keys, in_runs) and reduced.values.tolist() == [2, 3, 4, 8]
        assert lanesort.inclusive_scan_by_key(given, values).tolist() == [0, 1, 3, 3, 4, 5, 11, 18, 26]
        assert lanesort.exclusive_scan_by_key(given, values).tolist() == [0, 0, 1, 0, 0, 0, 5, 11, 18]
        given.flags.writeable = False
        assert lanesort.unique(given).shape == (3,)
    assert same(keys, before)


def test_a_comparator_says_itself_which_nans_are_equal():
    keys = nans("f4")[:2]
    assert lanesort.run_lengths(keys, comparator="isnan(a) < isnan(b)").lengths.tolist() == [2]
    assert same(lanesort.unique(keys[::-1], assume_sorted=True, comparator="isnan(a) < isnan(b)"), keys[1:])


def test_a_recorded_call_has_no_keys_with_nans(failing):
    keys, values = nans("f4"), np.arange(4)
    record = lanesort.Sorter().record
    failing("invalid_argument", "keys.view", record, "inclusive_scan_by_key", keys, values, out=np.empty_like(values))
    record("inclusive_scan_by_key", keys.view("i4"), values, out=values)()
    assert values.tolist() == [0, 1, 2, 3]
    assert lanesort.plan("inclusive_scan_by_key", keys, values).commands
