# SPDX-License-Identifier: MIT
"""Every operation on numpy's arrays, against numpy."""

import array
import inspect
import sys
from types import SimpleNamespace

import numpy as np
import pytest
from conftest import DTYPES, SIZES, keys_of, order_of, same, sorted_of
from hypothesis import given, settings
from hypothesis import strategies as st

import lanesort


@pytest.mark.parametrize("dtype", [*DTYPES, "bool"])
@pytest.mark.parametrize("descending", [False, True])
def test_sort_and_argsort_of_every_type_and_size(dtype, descending):
    for size in SIZES:
        x = keys_of(dtype, size, size)
        before = x.copy()
        assert same(lanesort.sort(x, descending=descending), sorted_of(x, descending=descending)), size
        assert same(lanesort.argsort(x, descending=descending), order_of(x, descending=descending)), size
        assert same(x, before)
        assert lanesort.sort_(x, descending=descending) is x
        assert same(x, sorted_of(before, descending=descending))


def test_numbers_without_special_ones_are_sorted_as_by_numpy():
    x = np.random.default_rng(3).standard_normal(5000)
    assert same(lanesort.sort(x), np.sort(x))
    assert same(lanesort.argsort(x), np.argsort(x, kind="stable"))


shapes = st.lists(st.integers(0, 9), min_size=1, max_size=4).map(tuple)


@settings(max_examples=150, deadline=None)
@given(shape=shapes, axis=st.integers(-4, 3), dtype=st.sampled_from(DTYPES), descending=st.booleans(),
       layout=st.sampled_from(["c", "f", "strided", "reversed", "swapped", "read-only", "unaligned"]), data=st.data())  # fmt: skip
def test_any_shape_axis_and_layout(shape, axis, dtype, descending, layout, data):
    x = keys_of(dtype, shape, data.draw(st.integers(0, 99)))
    if not -x.ndim <= axis < x.ndim:
        with pytest.raises(lanesort.Error, match="there is no axis"):
            lanesort.sort(x, axis=axis)
        return
    expected, indices = sorted_of(x, axis, descending), order_of(x, axis, descending)
    if layout == "f":
        x = np.asfortranarray(x)
    elif layout == "strided":
        x = np.repeat(x, 2, axis=0)[::2]
    elif layout == "reversed":
        x = x[::-1].copy()[::-1]
    elif layout == "swapped":
        x = x.astype(x.dtype.newbyteorder())
        expected = expected.astype(x.dtype)
    elif layout == "read-only":
        x.flags.writeable = False
    elif layout == "unaligned":
        bytes_ = np.empty(x.nbytes + 1, "u1")[1:].view(x.dtype).reshape(x.shape)
        bytes_[...] = x
        x = bytes_
    assert same(lanesort.sort(x, axis=axis, descending=descending), expected)
    assert same(lanesort.argsort(x, axis=axis, descending=descending), indices)
    k = data.draw(st.integers(0, x.shape[axis]))
    largest, at = lanesort.top_k(x, k, axis=axis, largest=descending)
    first = tuple(slice(k) if i == axis % x.ndim else slice(None) for i in range(x.ndim))
    assert same(largest, expected[first]) and same(at, indices[first])
    values = np.arange(x.size, dtype="u4").reshape(x.shape)
    keys, moved = lanesort.sort_by_key(x, values, axis=axis, descending=descending)
    assert same(keys, expected) and same(moved, np.take_along_axis(values, indices, axis))
    if layout == "read-only":
        with pytest.raises(lanesort.Error, match="read-only"):
            lanesort.sort_(x, axis=axis)
    else:
        assert lanesort.sort(x, axis=axis, descending=descending, out=x) is x
        assert same(x, expected)


@pytest.mark.parametrize("value", ["u1", "u2", "f4", "f8", "c16", "c8", "S3", "S64", ">i4"])
def test_values_of_every_width(value):
    x = keys_of("f4", 3001)
    values = np.arange(x.size).astype("U12").astype(value) if value[0] == "S" else np.arange(x.size).astype(value)
    order = order_of(x)
    result = lanesort.sort_by_key(x, values)
    assert same(result.keys, x[order]) and result.values.tobytes() == values[order].tobytes()
    assert result.values.dtype == values.dtype
    several = lanesort.sort_by_key(x, (values, np.arange(x.size)))
    assert several.values[0].tobytes() == values[order].tobytes() and same(several.values[1], order)


def test_several_values_in_place():
    x, a, b = keys_of("i4", (7, 50)), keys_of("u1", (7, 50)), keys_of("f8", (7, 50), 5)
    order = order_of(x)
    expected = [np.take_along_axis(array, order, -1) for array in (x, a, b)]
    result = lanesort.sort_by_key(x, (a, b), out=(x, (a, b)))
    assert result.keys is x and result.values[0] is a
    assert all(same(*pair) for pair in zip((x, a, b), expected, strict=True))


def test_unstable_pairs_come_in_the_order_of_their_values():
    x, values = keys_of("u1", 5000), keys_of("u4", 5000, 2)
    order = np.lexsort((values, x))
    keys, moved = lanesort.sort_by_key(x, values, stable=False)
    assert same(keys, x[order]) and same(moved, values[order])


def test_out():
    x = keys_of("f4", (40, 30))
    out = np.empty_like(x)
    assert lanesort.sort(x, out=out) is out and same(out, sorted_of(x))
    wide = np.empty((40, 60), "f4")[:, ::2]
    assert lanesort.sort(x, out=wide, axis=0) is wide and same(wide, sorted_of(x, 0))
    for kind in ("i4", "u4", "i8", "u8"):
        indices = np.empty(x.shape, kind)
        assert lanesort.argsort(x, axis=0, out=indices) is indices
        assert (indices == order_of(x, 0)).all()
    values, indices = np.empty((40, 3), "f4"), np.empty((40, 3), "i4")
    result = lanesort.top_k(x, 3, out=(values, indices))
    assert result.values is values and same(values, sorted_of(x, descending=True)[:, :3])
    kept = x.copy()
    for stable in (False, True):
        pair = lanesort.sort_by_key(kept, kept[::-1], stable=stable)
        own = np.empty_like(x), np.empty_like(x)
        assert lanesort.sort_by_key(kept, kept[::-1].copy(), stable=stable, out=own)[0] is own[0]
        assert same(pair.keys, own[0]) and same(pair.values, own[1]) and same(kept, x)
    overlapping = keys_of("u4", 100)
    expected = sorted_of(overlapping[:50])
    lanesort.sort(overlapping[:50], out=overlapping[25:75])
    assert same(overlapping[25:75], expected)


def test_segments():
    x = keys_of("f8", 5000)
    offsets = np.array([3, 3, 100, 1700, 1701, 4990])
    expected, indices = x.copy(), lanesort.argsort(x, segments=offsets)
    for begin, end in zip(offsets[:-1], offsets[1:], strict=True):
        expected[begin:end] = sorted_of(x[begin:end])
        assert same(indices[begin:end], order_of(x[begin:end]))
    assert same(lanesort.sort(x, segments=offsets), expected)
    assert same(lanesort.sort(x, segments=list(offsets)), expected)


def test_partial_sort():
    x = keys_of("u4", (3, 10_000))
    result = lanesort.partial_sort(x, 10, descending=True)
    assert same(result[:, :10], sorted_of(x, descending=True)[:, :10]) and same(np.sort(result), np.sort(x))


def test_nth_element(failing):
    x = keys_of("f4", (3, 5000))
    for n in (0, 17, 4999):
        result, expected = lanesort.nth_element(x, n), sorted_of(x)
        assert same(result[:, n], expected[:, n]) and same(sorted_of(result), expected)
        assert same(sorted_of(result[:, :n]), expected[:, :n])
    assert same(lanesort.nth_element(x, 5000), x)
    y = x[0].copy()
    assert lanesort.nth_element(y, 100, descending=True, out=y) is y and same(y[100], sorted_of(x[0], -1, True)[100])
    failing("invalid_argument", "n is 5001", lanesort.nth_element, x, 5001)


def test_top_k_by_key():
    x = keys_of("f4", (7, 3001))
    order = order_of(x, descending=True)[:, :20]
    for kind in ("u1", "i2", "f4", "f8", "c16", "S3", "c8"):
        values = np.arange(x.size).reshape(x.shape).astype(kind)
        best = lanesort.top_k_by_key(x, values, 20)
        assert same(best.keys, np.take_along_axis(x, order, -1)) and same(best.values, np.take_along_axis(values, order, -1))
    numbers = np.arange(x.size, dtype="u4").reshape(x.shape)
    least = lanesort.top_k_by_key(x, (numbers, x), 3, axis=0, largest=False)
    order = order_of(x, 0)[:3]
    assert same(least.values[0], np.take_along_axis(numbers, order, 0)) and same(least.values[1], least.keys)
    out = np.empty((7, 4), "f4"), np.empty((7, 4), "u4")
    given_back = lanesort.top_k_by_key(x, numbers, 4, out=out)
    assert given_back.keys is out[0] and given_back.values is out[1]
    assert same(out[1], np.take_along_axis(numbers, order_of(x, -1, True)[:, :4], -1))


def test_top_k_of_segments(failing):
    x = keys_of("i4", 5000)
    offsets = np.array([3, 3, 5, 1700, 1701, 4990])
    values, indices = lanesort.top_k(x, 4, segments=offsets)
    moved = lanesort.top_k_by_key(x, np.arange(5000), 4, segments=offsets).values
    texts = lanesort.top_k_by_key(x[:3], np.array([b"a", b"b", b"c"]), 2, segments=[0, 1, 3]).values
    assert texts[0].tolist() == [b"a", b""]
    assert values.shape == indices.shape == (5, 4)
    for row, (begin, end) in enumerate(zip(offsets[:-1], offsets[1:], strict=True)):
        order = order_of(x[begin:end], descending=True)[:4]
        size = order.size
        assert same(values[row, :size], x[begin:end][order]) and same(indices[row, :size], order)
        assert same(moved[row, :size], begin + order)
        assert (values[row, size:] == 0).all() and (indices[row, size:] == -1).all() and (moved[row, size:] == 0).all()
    kept = np.full((5, 4), 77, "i4"), np.full((5, 4), 77, "i8")
    lanesort.top_k(x, 4, segments=offsets, largest=False, out=kept)
    assert (kept[0][0] == 77).all() and (kept[1][1, 2:] == 77).all()
    assert same(kept[0][2], np.sort(x[5:1700])[:4])
    failing("invalid_argument", "do not ascend", lanesort.top_k, x, 4, segments=[0, 3, 2])


def test_top_k_up_to_a_limit_and_without_nans():
    x = keys_of("f4", (3, 4000))
    for many in (0, 1, 5, 9):
        limit = np.array([many])
        values, indices = lanesort.top_k(x, 8, limit=limit)
        expected, order = sorted_of(x, descending=True)[:, :8], order_of(x, descending=True)[:, :8]
        wanted = min(many, 8)
        assert same(values[:, :wanted], expected[:, :wanted]) and same(indices[:, :wanted], order[:, :wanted])
        assert (values[:, wanted:] == 0).all() and (indices[:, wanted:] == -1).all()
    values, indices = lanesort.top_k(x, 8, nan_last=True)
    ranks = np.where(np.isnan(x), -np.inf, x)
    assert not np.isnan(values).any() and same(values, np.take_along_axis(x, indices, -1))
    assert same(values, -np.sort(-ranks)[:, :8].astype("f4"))
    assert np.isnan(lanesort.top_k(np.array([np.nan, 1.0]), 2, nan_last=True).values).tolist() == [False, True]


@pytest.mark.parametrize("dtype", DTYPES)
def test_merge_in_place(dtype):
    for n, m in [(0, 0), (0, 5), (5, 0), (1, 1), (1000, 3333)]:
        x = np.concatenate([sorted_of(keys_of(dtype, n, 1)), sorted_of(keys_of(dtype, m, 2))])
        values, order = np.arange(n + m), order_of(x)
        keys = x.copy()
        assert lanesort.merge_(keys, n) is keys and same(keys, sorted_of(x))
        keys = x.copy()
        assert lanesort.merge_(keys, n, values=values).values is values
        assert same(keys, sorted_of(x)) and same(values, order)
        strided = np.repeat(x, 2)[::2]
        lanesort.merge_(strided, n)
        assert same(strided, sorted_of(x))


def test_how_far_keys_are_in_order():
    assert lanesort.is_sorted_until(np.array([1, 2, 2, 1])) == 3
    assert lanesort.is_sorted_until(np.array([[1, 2], [2, 1]]), descending=True).tolist() == [1, 2]
    assert lanesort.is_sorted_until(np.empty(0)) == 0 and lanesort.is_sorted_until(np.empty((2, 0))).tolist() == [0, 0]


@pytest.mark.parametrize("dtype", DTYPES)
def test_merge(dtype):
    for n, m in [(0, 0), (0, 5), (5, 0), (1, 1), (1000, 3333)]:
        a, b = sorted_of(keys_of(dtype, n, 1)), sorted_of(keys_of(dtype, m, 2))
        assert same(lanesort.merge(a, b), sorted_of(np.concatenate([a, b])))
        values = np.arange(n + m)
        order = order_of(np.concatenate([a, b]))
        assert same(lanesort.merge(a, b, values=(values[:n], values[n:])).values, values[order])
        out = np.empty(n + m, dtype)
        assert lanesort.merge(a, b, out=out) is out and same(out, sorted_of(out))
        swapped = [array.astype(array.dtype.newbyteorder()) for array in (a, values[n:])]
        pair = lanesort.merge(swapped[0], b, values=(values[:n], swapped[1]))
        assert same(pair.keys, sorted_of(out).astype(swapped[0].dtype)) and same(pair.values, values[order])


def test_is_sorted():
    x = np.array([[1, 2, 3], [3, 2, 1], [2, 2, 2]])
    assert lanesort.is_sorted(x).tolist() == [True, False, True]
    assert lanesort.is_sorted(x, descending=True).tolist() == [False, True, True]
    assert lanesort.is_sorted(x, axis=0).tolist() == [False, True, False]
    assert lanesort.is_sorted(np.array([])) is True and lanesort.is_sorted(np.array([2, 1])) is False
    assert lanesort.is_sorted(np.empty((3, 0))).tolist() == [True] * 3
    assert lanesort.is_sorted(np.arange(100_000)) is True


@pytest.mark.parametrize("dtype", DTYPES)
def test_unique_and_run_lengths(dtype):
    for size in SIZES:
        x = keys_of(dtype, size) if np.dtype(dtype).kind != "f" else np.abs(keys_of("i1", size)).astype(dtype)
        keys, first, counts = np.unique(x, return_index=True, return_counts=True)
        assert same(lanesort.unique(x), keys)
        assert same(lanesort.unique(x, return_counts=True).counts, counts)
        assert same(lanesort.unique(x, values=np.arange(size)).values, first)
        values, lengths = lanesort.run_lengths(x)
        assert same(np.repeat(values, lengths), x)
        assert (values[1:] != values[:-1]).all()
    sorted_ = np.array([3, 3, 1, 1, 0], dtype)
    assert lanesort.unique(sorted_, assume_sorted=True).tolist() == [3, 1, 0]
    assert lanesort.unique(np.array([[3, 1], [1, 0]], dtype), descending=True).tolist() == [3, 1, 0]


def test_records():
    kind = np.dtype([("score", "f4"), ("id", "u4")], align=True)
    x = np.zeros(1000, kind)
    x["score"], x["id"] = np.random.default_rng(1).integers(0, 9, 1000), np.arange(1000)
    order = np.argsort(-x["score"], kind="stable")
    assert same(lanesort.sort(x, comparator="a.score > b.score"), x[order])
    by_score = lanesort.Comparator("a.score > b.score", "my_pair", "typedef struct { float score; uint id; } my_pair;")
    assert same(lanesort.argsort(x, comparator=by_score), order)
    assert same(lanesort.top_k(x, 5, comparator=by_score).values, x[order[:5]])
    lanesort.sort_(x, comparator=by_score)
    assert same(lanesort.unique(x, assume_sorted=True, comparator="a.score > b.score")["score"], np.arange(8.0, -1, -1).astype("f4"))
    numbers = np.array([-3.0, 1.0, 2.0], "f4")
    assert lanesort.sort(numbers, comparator="fabs(a) < fabs(b)").tolist() == [1, 2, -3]


@pytest.mark.parametrize("kind", ["i4", "f8", "u2"])
def test_results_have_the_byte_order_of_what_they_are_made_of(kind):
    """Keys and values keep it; indices, counts and what is added have the machine's."""
    native = np.random.default_rng(1).integers(0, 90, 500).astype(kind)
    values = np.arange(500).astype(kind)
    flags = native > 40
    x, y = native.astype(native.dtype.newbyteorder()), values.astype(values.dtype.newbyteorder())
    largest = lanesort.BinaryOperator("a > b ? a : b", "0")
    kept = {
        "sort": lambda x, y: lanesort.sort(x),
        "partial_sort": lambda x, y: lanesort.partial_sort(x, 500),
        "sort_by_key": lambda x, y: lanesort.sort_by_key(x, y),
        "sort_by_key of several": lambda x, y: lanesort.sort_by_key(x, (y, y)).values,
        "top_k": lambda x, y: lanesort.top_k(x, 9).values,
        "top_k_by_key": lambda x, y: lanesort.top_k_by_key(x, y, 9),
        "top_k_by_key of several": lambda x, y: lanesort.top_k_by_key(x, (y, y), 9).values,
        "top_k_by_key of rows": lambda x, y: lanesort.top_k_by_key(x.reshape(20, 25), (y.reshape(20, 25),), 9, axis=0).values,
        "merge": lambda x, y: lanesort.merge(np.sort(x).astype(x.dtype), np.sort(x).astype(x.dtype), values=(y, y)),
        "select": lambda x, y: lanesort.select(x, flags, values=y),
        "partition": lambda x, y: lanesort.partition(x, flags, values=y)[::2],
        "partition alone": lambda x, y: lanesort.partition(x, flags).keys,
        "unique": lambda x, y: lanesort.unique(x),
        "unique, values": lambda x, y: lanesort.unique(x, values=y)[::2],
        "unique, sorted": lambda x, y: lanesort.unique(x, return_counts=True, assume_sorted=True).keys,
        "run_lengths": lambda x, y: lanesort.run_lengths(x).values,
        "group_by": lambda x, y: lanesort.group_by(x, y, "max"),
        "group_by, sums": lambda x, y: lanesort.group_by(x, y).keys,
        "reduce_by_key": lambda x, y: lanesort.reduce_by_key(x, y, "min"),
        "min": lambda x, y: lanesort.min(x.reshape(20, 25), axis=0),
        "reduce": lambda x, y: lanesort.reduce(x.reshape(20, 25), largest, axis=0),
        "scan": lambda x, y: lanesort.inclusive_scan(x, "max"),
        "scan by an operator": lambda x, y: lanesort.inclusive_scan(x, largest),
        "scan by key": lambda x, y: lanesort.inclusive_scan_by_key(x, y, "max"),
        "gather": lambda x, y: lanesort.gather(x, np.array([3, 2])),
    }
    made = {
        "argsort": lambda x, y: lanesort.argsort(x),
        "top_k": lambda x, y: lanesort.top_k(x, 9).indices,
        "unique": lambda x, y: lanesort.unique(x, return_counts=True).counts,
        "run_lengths": lambda x, y: lanesort.run_lengths(x).lengths,
        "group_by": lambda x, y: lanesort.group_by(x, y).values,
        "group_by, mean": lambda x, y: lanesort.group_by(x, y, "mean").values,
        "group_by, count": lambda x, y: lanesort.group_by(x, y, "count").values,
        "sum": lambda x, y: lanesort.sum(x.reshape(20, 25), axis=0),
        "vecdot": lambda x, y: lanesort.vecdot(x.reshape(20, 25), y.reshape(20, 25)),
        "cumulative_sum": lambda x, y: lanesort.cumulative_sum(x),
        "scan of rows": lambda x, y: lanesort.exclusive_scan(x.reshape(20, 25), axis=0),
        "scan by key": lambda x, y: lanesort.inclusive_scan_by_key(x, y),
        "searchsorted": lambda x, y: lanesort.searchsorted(np.sort(x).astype(x.dtype), y),
        "histogram": lambda x, y: lanesort.histogram(x, 9, range=(0, 90)),
    }
    for name, call in kept.items():
        results, expected = call(x, y), call(native, values)
        for result, wanted in zip(*([r] if isinstance(r, np.ndarray) else r for r in (results, expected)), strict=True):
            assert result.dtype == x.dtype and (result == wanted).all(), name
    for name, call in made.items():
        assert same(call(x, y), call(native, values)), name
    swapped = np.empty(500, lanesort.cumulative_sum(x).dtype.newbyteorder())
    assert lanesort.cumulative_sum(x, out=swapped) is swapped and (swapped == lanesort.cumulative_sum(native)).all()


@pytest.mark.parametrize("fields", [
    [("a", ">i4"), ("b", "<i4")], [("a", "<i4"), ("b", ">i4")], [("a", ">i4"), ("b", ">i4")],
    [("a", ">i4"), ("b", [("c", "<i2"), ("d", ">i2")])], [("a", ">i4"), ("b", ">i2", (2,))], [("a", ">i4"), ("b", "<i8", 3)],
])  # fmt: skip
def test_records_of_mixed_byte_orders_keep_their_fields(fields):
    """And their type. Those of 8 bytes are moved, those of 28 are taken by indices."""
    x = np.random.default_rng(1).integers(0, 256, 50 * np.dtype(fields).itemsize, "u1").view(fields)
    keys = x["a"].astype("i4")
    order = order_of(keys)

    def check(result, expected):
        assert result.dtype == x.dtype and result.tobytes() == expected.tobytes()

    check(lanesort.sort_by_key(keys, x).values, x[order])
    check(lanesort.sort_by_key(keys, (x, keys)).values[0], x[order])
    largest = order_of(keys, descending=True)[:7]
    check(lanesort.top_k_by_key(keys, x, 7).values, x[largest])
    target = np.zeros_like(x)
    lanesort.sort_by_key(keys, x, out=(None, target))
    check(target, x[order])
    if x.itemsize in (1, 2, 4, 8, 16):
        check(lanesort.gather(x, order), x[order])
        check(lanesort.gather(x, order, out=target), x[order])
        check(lanesort.permute_(x.copy(), order), x[order])
        scattered = lanesort.scatter(x, order, out=np.zeros_like(x))
        assert scattered[order].tobytes() == x.tobytes()
        first, second = np.sort(keys[:20]), np.sort(keys[20:])
        place = order_of(np.concatenate([first, second]))
        check(lanesort.merge(first, second, values=(x[:20], x[20:])).values, x[place])
    if len(fields[1]) == 2 and isinstance(fields[1][1], str):
        check(lanesort.sort(x, comparator="a.a < b.a"), x[order])
        in_place = x.copy()
        lanesort.sort_(in_place, comparator="a.a < b.a")
        check(in_place, x[order])


def test_what_shows_a_buffer_or_an_array():
    assert same(lanesort.sort(array.array("d", [3, 1, 2])), np.array([1.0, 2, 3]))
    assert same(lanesort.sort(b"cab"), np.frombuffer(b"abc", "u1"))
    numbers = array.array("i", [3, 1, 2])
    lanesort.sort_(memoryview(numbers))
    assert list(numbers) == [1, 2, 3]
    assert lanesort.sort_(numbers, descending=True) is numbers
    assert list(numbers) == [3, 2, 1]
    text = bytearray(b"cab")
    lanesort.sort_(text)
    assert text == b"abc"
    assert lanesort.sort([3, 1, 2]).tolist() == [1, 2, 3]

    class Holder:
        def __init__(self, x):
            self.x = x
            self.__array_interface__ = x.__array_interface__

    x = keys_of("f4", 100)
    expected = sorted_of(x)
    lanesort.sort_(Holder(x))
    assert same(x, expected)


def test_what_is_copied_to_be_seen_is_not_written_to(failing):
    class Holder:
        def __init__(self, show):
            self.x, self.show = np.array([3, 1, 2]), show

        def __array__(self, dtype=None, copy=None):
            return self.show(self.x)

    for copies in (np.copy, lambda x: x.copy()[:], lambda x: x.astype("f8"), lambda x: np.array(x.tolist())):
        holder = Holder(copies)
        assert same(np.asarray(lanesort.sort(holder)), np.sort(copies(holder.x)))
        failing("invalid_argument", "x is of type Holder, which shows no memory", lanesort.sort_, holder)
        failing("invalid_argument", "out is of type Holder", lanesort.sort, copies(holder.x), out=holder)
        failing("invalid_argument", "values is of type Holder", lanesort.merge_, np.arange(3), 1, values=holder)
        assert holder.x.tolist() == [3, 1, 2]
    for own in (lambda x: x, lambda x: x[:]):
        holder = Holder(own)
        assert lanesort.sort_(holder) is holder and holder.x.tolist() == [1, 2, 3]
        assert lanesort.sort(np.array([5, 6, 4]), out=holder) is holder and holder.x.tolist() == [4, 5, 6]


def test_lists_of_numbers_are_values(failing):
    assert lanesort.sort_by_key([3, 1, 2], [10, 20, 30]).values.tolist() == [20, 30, 10]
    assert lanesort.sort_by_key(np.array([2, 1]), (np.float32(0.5), 1)).values.tolist() == [1, 0.5]
    assert lanesort.top_k_by_key([3, 1, 2], (True, False, True), 2).values.tolist() == [True, True]
    pair = lanesort.sort_by_key([3, 1, 2], ([10, 20, 30], np.arange(3)))
    assert [values.tolist() for values in pair.values] == [[20, 30, 10], [1, 2, 0]]
    assert lanesort.sort_by_key([2, 1], ()).values == ()
    x = np.arange(3)
    for outs in ((None, None), (x, np.arange(3)), (None, [None])):
        failing("invalid_argument", "out= has 1 arrays of values, but there are 2", lanesort.sort_by_key, x, (x, x), out=outs)


def test_results_are_given_back_to_the_device_of_a_jax_array(monkeypatch):
    """With a stand-in for jax, which test_jax.py needs itself."""

    class Array:
        def __init__(self, content, device):
            self.content, self.device = content, device

        def devices(self):
            return {self.device}

        def __array__(self, dtype=None, copy=None):
            return self.content

    Array.__module__ = "jax.standin"
    core = SimpleNamespace(Tracer=type("Tracer", (), {}))
    monkeypatch.setitem(sys.modules, "jax", SimpleNamespace(core=core, device_put=Array))
    first, second = (type("Device", (), {"platform": "cpu"})() for _ in range(2))
    for device in (first, second, first):
        x = Array(np.array([3, 1, 3], "f4"), device)
        distinct = lanesort.unique(x, return_counts=True)
        for result, expected in ((lanesort.sort(x), [1, 3, 3]), (distinct.keys, [1, 3]), (distinct.counts, [1, 2])):
            assert result.device is device and result.content.tolist() == expected


def test_mistakes_are_told(failing):
    x = np.arange(5)
    failing("invalid_argument", "no axis to go along", lanesort.sort, np.float64(3))
    for nothing in (None, "abc", {1: 2}, {1, 2}, (number for number in range(3)), len):
        kind = type(nothing).__name__
        failing("invalid_argument", f"an object of type {kind} is no array", lanesort.sort, nothing)
        failing("invalid_argument", f"an object of type {kind} is no array", lanesort.gather, x, nothing)
    failing("invalid_argument", "type complex128 cannot be sorted", lanesort.sort, np.zeros(3, complex))
    failing("invalid_argument", "type object cannot be sorted", lanesort.sort, np.array([None]))
    failing("invalid_argument", "type datetime64[s] cannot be sorted", lanesort.sort, np.zeros(3, "M8[s]"))
    failing("invalid_argument", "masked", lanesort.sort, np.ma.array([1, 2], mask=[0, 1]))
    failing("invalid_argument", "must have (5,) and int64", lanesort.sort, x, out=np.zeros(4, int))
    failing("invalid_argument", "must have (5,) and int64", lanesort.sort, x, out=np.zeros(5, "i4"))
    failing("invalid_argument", "shows no memory to write to", lanesort.sort, x, out=[1, 2, 3, 4, 5])
    failing("invalid_argument", "shows no memory to write to", lanesort.sort_, [3, 1, 2])
    failing("invalid_argument", "shows no memory", lanesort.sort_by_key, x, x, out=(x, [1, 2, 3, 4, 5]))
    failing("not_writable", "read-only", lanesort.sort_, b"cab")
    failing("invalid_argument", "smallest", lanesort.top_k, x, 1, largest=False, comparator="a < b")
    failing("not_writable", "read-only", lanesort.sort_, np.frombuffer(bytes(8), "u1"))
    failing("invalid_argument", "k is 6", lanesort.top_k, x, 6)
    failing("invalid_argument", "k is -1", lanesort.top_k, x, -1)
    failing("invalid_argument", "one for each key", lanesort.sort_by_key, x, np.zeros(4))
    failing("invalid_argument", "Python's objects", lanesort.sort_by_key, x, np.array([None] * 5))
    failing("invalid_argument", "order of their comparator", lanesort.sort, x, comparator="a < b", descending=True)
    failing("build_failed", "", lanesort.sort, x, comparator="a <")
    failing("invalid_argument", "is not where C has it", lanesort.sort,
            np.zeros(3, [("a", "u1"), ("b", "u4")]), comparator="a.b < b.b")  # fmt: skip
    failing("invalid_argument", "no schedule 'fast'", lanesort.sort, x, schedule="fast")
    failing("unsupported", "distribution", lanesort.sort, x.astype("u1"), schedule="distribution")
    failing("invalid_argument", "do not ascend", lanesort.sort, x, segments=[0, 3, 2])
    failing("out_of_range", "ends at key 6", lanesort.sort, x, segments=[0, 6])
    failing("invalid_argument", "there is no schedule", lanesort.sort, x, schedule=np.array(["network"] * 2))
    failing("invalid_argument", "side is array", lanesort.searchsorted, x, 1, side=np.array(["left"] * 2))
    failing("invalid_argument", "but not 'auto'", lanesort.histogram, x, "auto", range=(0, 1))
    failing("invalid_argument", "must be integers", lanesort.argsort, x, segments=np.zeros(2, [("begin", "i8")]))
    failing("invalid_argument", "cannot be merged", lanesort.merge, x, np.zeros(3))
    failing("unknown_device", "nowhere", lanesort.find_device, "nowhere")


def test_a_mistake_is_told_of_the_argument_that_has_it(failing):
    x = np.arange(5)
    for part, function, *arguments in [
        ("x is of type list", lanesort.sort_, [3, 1]), ("x is of type list", lanesort.permute_, [1, 2], [1, 0]),
        ("x is of type list", lanesort.merge_, [1, 2], 1), ("keys is of type list", lanesort.sort_by_key_, [3, 1], x[:2]),
        ("values is of type range", lanesort.sort_by_key_, x[:2].copy(), range(2)),
        ("values is of type range", lanesort.sort_by_key_, x[:2].copy(), (x[2:4].copy(), range(2))),
    ]:  # fmt: skip
        failing("invalid_argument", part, function, *arguments)
    failing("not_writable", "x is read-only", lanesort.sort_, b"cab")
    failing("invalid_argument", "begins at key -1", lanesort.sort, x, segments=[-1, 3])
    far = np.array([0, 2**63 + 5], "u8")
    failing("out_of_range", "ends at key 9223372036854775813", lanesort.sort, x, segments=far)
    failing("invalid_argument", "do not ascend", lanesort.sort, x, segments=np.array([0, 2**63 + 5, 3], "u8"))
    failing("invalid_argument", "complex64 cannot be sorted, reduced", lanesort.sum, np.zeros(3, "c8"))
    for function in (lanesort.plan, lanesort.Sorter().prepare, lanesort.Sorter().record):
        failing("invalid_argument", "unique cannot be prepared, recorded", function, "unique", x)
    for selector in (None, 3, "\ud800"):
        failing("invalid_argument", "is no text", lanesort.find_device, selector)
    for text in ("a < b \ud800", lanesort.Comparator("a < b", "int", "\ud800"), lanesort.Comparator(None, "int")):
        failing("invalid_argument", "is no text", lanesort.sort, x, comparator=text)
    failing("invalid_argument", "has the character 0", lanesort.sort, x, comparator="a > b\0")
    for text in ("a < 3 \ud800", lanesort.Predicate(3, "long")):
        failing("invalid_argument", "is no text", lanesort.select, x, text)
    failing("invalid_argument", "is no text", lanesort.reduce, x, lanesort.BinaryOperator("a + b", "\ud800"))


def test_arguments_of_a_wrong_type_are_told(failing):
    x, rows = np.arange(5), np.arange(6).reshape(2, 3)
    for function, arguments, options, part in [
        (lanesort.sort, (x,), {"axis": "x"}, "axis is of type str"),
        (lanesort.argsort, (x,), {"axis": 1.0}, "axis is of type float"),
        (lanesort.sort, (x,), {"axis": None}, "axis is of type NoneType"),
        (lanesort.sum, (rows,), {"axis": (0, 1)}, "axis is of type tuple"),
        (lanesort.top_k, (x, 2.0), {}, "k is of type float"),
        (lanesort.merge_, (x, "2"), {}, "middle is of type str"),
        (lanesort.sort, (x,), {"extra_bytes": [1]}, "extra_bytes is of type list"),
        (lanesort.sort, (x,), {"extra_bytes": None}, "extra_bytes is of type NoneType"),
        (lanesort.histogram, (x, 3.5), {"range": (0, 1)}, "bins is of type float"),
        (lanesort.histogram, (x, np.float64(3.5)), {}, "bins is of type float64"),
        (lanesort.sort, (x,), {"descending": "no"}, "descending is of type str"),
        (lanesort.argsort, (x,), {"descending": None}, "descending is of type NoneType"),
        (lanesort.sort_by_key_, (x.copy(), x.copy()), {"descending": [False]}, "descending is of type list"),
        (lanesort.merge, (x, x), {"descending": "ascending"}, "descending is of type str"),
        (lanesort.searchsorted, (x, x), {"descending": x}, "descending is of type ndarray"),
        (lanesort.top_k, (x, 2), {"largest": "no"}, "largest is of type str"),
        (lanesort.top_k_by_key, (x, x, 2), {"largest": ""}, "largest is of type str"),
        (lanesort.sort, (x,), {"stable": "no"}, "stable is of type str"),
        (lanesort.sort_by_key, (x, (x, x)), {"stable": "no"}, "stable is of type str"),
        (lanesort.argsort, (x,), {"stable": None}, "stable is of type NoneType"),
        (lanesort.sort_by_key, (x, x), {"stable": np.array([1, 2])}, "stable is of type ndarray"),
        (lanesort.merge, (x, x), {"stable": [], "values": (x, x)}, "stable is of type list"),
        (lanesort.group_by, (x, x), {"stable": "no"}, "stable is of type str"),
        # Also where there is nothing to do.
        (lanesort.group_by, (x[:0], x[:0]), {"stable": "no"}, "stable is of type str"),
        (lanesort.merge, (x[:0], x[:0]), {"stable": "no"}, "stable is of type str"),
        (lanesort.is_sorted, (x[:0],), {"descending": "no"}, "descending is of type str"),
        (lanesort.unique, (x,), {"descending": "no", "assume_sorted": True}, "descending is of type str"),
        (lanesort.merge_, (x.copy(), 0), {"descending": "no"}, "descending is of type str"),
        (lanesort.partition, (x[:0], x[:0] > 1), {"inverted": "no"}, "inverted is of type str"),
        (lanesort.top_k, (x, 0), {"nan_last": "no"}, "nan_last is of type str"),
        (lanesort.sort, (x,), {"data_independent": "no"}, "data_independent is of type str"),
        (lanesort.top_k, (x, 2), {"data_independent": []}, "data_independent is of type list"),
        (lanesort.top_k, (x, 2), {"nan_last": "no"}, "nan_last is of type str"),
        (lanesort.unique, (x,), {"assume_sorted": "no"}, "assume_sorted is of type str"),
        (lanesort.unique, (x,), {"return_counts": "no"}, "return_counts is of type str"),
        (lanesort.select, (x, x > 1), {"inverted": "no"}, "inverted is of type str"),
        (lanesort.sum, (x,), {"keepdims": "no"}, "keepdims is of type str"),
        (lanesort.top_k, (x, True), {}, "k is of type bool"),
        (lanesort.top_k, (x, np.True_), {}, "k is of type bool"),
        (lanesort.partial_sort, (x, True), {}, "k is of type bool"),
        (lanesort.nth_element, (x, False), {}, "n is of type bool"),
        (lanesort.merge_, (x, True), {}, "middle is of type bool"),
        (lanesort.sort, (rows,), {"axis": True}, "axis is of type bool"),
        (lanesort.sum, (rows,), {"axis": False}, "axis is of type bool"),
        (lanesort.histogram, (x, True), {"range": (0, 1)}, "bins is of type bool"),
        (lanesort.sort, (x,), {"extra_bytes": True}, "extra_bytes is of type bool"),
        (lanesort.Sorter, ("built-in",), {"device_bytes": True}, "device_bytes is of type bool"),
    ]:  # fmt: skip
        with pytest.raises(TypeError, match=part):
            function(*arguments, **options)
    for call in (lambda: lanesort.top_k(x), lambda: lanesort.Sorter().prepare("top_k", x)):
        with pytest.raises(TypeError, match=r"^Sorter.top_k\(\) missing 1 required positional argument: 'k'"):
            call()
    failing("invalid_argument", "no schedule []", lanesort.sort, x, schedule=[])
    for values in (3, (x,), (x, x.astype("f4")), x):
        failing("invalid_argument", "two arrays of one type", lanesort.merge, x, x, values=values)


def test_out_of_any_form(failing):
    x, merged = keys_of("f4", 100), np.sort(np.arange(6.0))
    order = order_of(x)
    swapped = np.empty(100, ">i8")
    assert lanesort.argsort(x, out=swapped) is swapped and (swapped == order).all()
    values, indices = np.empty(3, "f4"), np.empty(3, ">i4")
    lanesort.top_k(x, 3, out=(values, indices))
    largest = order_of(x, descending=True)[:3]
    assert (indices == largest).all() and same(values, x[largest])
    given = lanesort.top_k(x, 3, out=(values, None))
    assert given.values is values and same(given.indices, largest)
    pair = lanesort.merge(merged[:3], merged[3:], values=(merged[:3], merged[3:]), out=(None, np.empty(6)))
    assert same(pair.keys, merged) and same(pair.values, merged)
    failing("invalid_argument", "but out is of type float64", lanesort.top_k, x, 3, out=(values, np.empty(3)))
    failing("invalid_argument", "out= is a pair", lanesort.top_k, x, 3, out=(values,))
    failing("invalid_argument", "out= is a pair", lanesort.top_k, x, 3, out=values)
    failing("invalid_argument", "out= is a pair", lanesort.merge, x, x, values=(x, x), out=values)


@pytest.mark.parametrize("index", ["i4", "i8", ">i8"])
def test_indices_of_keys_in_no_segment_stay(index):
    x = np.array([5, 1, 9, 3, 2, 8, 7], "u1")
    for segments, expected in [
        ([1, 4, 6], [-7, 0, 2, 1, 0, 1, -7]), ([0, 0], [-7] * 7), ([4], [-7] * 7), ([2, 2, 2], [-7] * 7),
        ([0, 1], [0] + [-7] * 6), ([3, 3, 4, 5], [-7, -7, -7, 0, 0, -7, -7]), ([0, 0, 2], [1, 0] + [-7] * 5),
        ([0, 3, 7], [1, 0, 2, 1, 0, 3, 2]), ([0, 1, 2, 3, 4, 5, 6, 7], [0] * 7),
    ]:  # fmt: skip
        for step in (1, 2):  # the second one is not contiguous
            out = np.full(7 * step, -7, index)[::step]
            assert lanesort.argsort(x, segments=segments, out=out) is out
            assert out.tolist() == expected, segments
        if index != ">i8":
            out = np.full(7, -7, index)
            lanesort.Sorter().record("argsort", x, segments=segments, out=out)()
            assert out.tolist() == expected, segments
        new = lanesort.argsort(x, segments=segments)
        assert same(new, np.where(np.array(expected) == -7, -1, expected)), segments


def test_places_behind_a_short_segment_stay_in_any_out():
    best, indices = np.full((2, 6), 50)[:, ::2], np.full((2, 6), -7)[:, ::2]
    lanesort.top_k(np.array([4, 1, 7]), 3, segments=[0, 1, 3], out=(best, indices))
    assert best.tolist() == [[4, 50, 50], [7, 1, 50]] and indices.tolist() == [[0, -7, -7], [1, 0, -7]]


def test_more_than_there_are_is_wanted_of_segments(failing):
    best = lanesort.top_k(np.arange(3), 5, segments=[0, 3])
    assert best.values.tolist() == [[2, 1, 0, 0, 0]] and best.indices.tolist() == [[2, 1, 0, -1, -1]]
    pairs = lanesort.top_k_by_key(np.arange(3), np.arange(3.0), 5000, segments=[0, 1, 3])
    assert pairs.values.shape == (2, 5000) and pairs.values[1, :2].tolist() == [2, 1]
    assert lanesort.top_k(np.arange(0), 2, segments=[0, 0]).indices.tolist() == [[-1, -1]]
    failing("invalid_argument", "k is -1", lanesort.top_k, np.arange(3), -1, segments=[0, 3])
    for k in (2**62, 2**47 + 1):
        failing("out_of_memory", "more than any memory", lanesort.top_k, np.arange(3), k, segments=[0, 3])
    failing("out_of_memory", "more than any memory", lanesort.top_k, np.arange(3), 2**46, segments=[0, 1, 2, 3])


def test_several_values_whose_outs_overlap(failing):
    def arrays():
        return np.array([2, 1, 3]), np.array([10, 20, 30]), np.array([1, 2, 3])

    k, a, b = arrays()
    result = lanesort.sort_by_key(k, (a, b), out=(None, (b, a)))
    assert result.values[0] is b and b.tolist() == [20, 10, 30] and a.tolist() == [2, 1, 3]
    k, a, _ = arrays()
    result = lanesort.sort_by_key(k, (a,), out=(a, (None,)))
    assert a.tolist() == [1, 2, 3] and result.values[0].tolist() == [20, 10, 30]
    k, a, b = arrays()
    room = np.zeros(4, int)
    for outs in ((None, (room[:3], room[1:])), (room[:3], (room[1:], None)), (a, (a, None))):
        failing("invalid_argument", "overlap", lanesort.sort_by_key, k, (a, b), out=outs)
    words, texts = np.zeros(4, "S3"), np.array([b"abc", b"xyz", b"def"])
    failing("invalid_argument", "overlap", lanesort.sort_by_key, k, (texts, texts), out=(None, (words[:3], words[1:])))
    assert not room.any() and not words.any() and a.tolist() == [10, 20, 30]


def test_indices_that_overlap_are_refused(failing):
    """Wherever they do, though they are made in one half of their array alone."""
    room = np.zeros(300, "i8")
    x = room[100:200]
    x[...] = keys_of("i8", 100)
    before = x.copy()
    for begin in (1, 30, 60, 100, 140, 170, 199):
        failing("invalid_argument", "overlap in memory", lanesort.argsort, x, out=room[begin : begin + 100])
    assert same(x, before)
    for begin in (0, 200):
        assert same(lanesort.argsort(x, out=room[begin : begin + 100]), order_of(before))
    keys = np.arange(1000)
    for begin in (91, 95, 99, 101, 105, 109):
        failing("invalid_argument", "overlap in memory", lanesort.top_k, keys, 10,
                out=(room[100:110], room[begin : begin + 10]))  # fmt: skip
    offsets = np.array([0, 1, 3])
    failing("invalid_argument", "overlap in memory", lanesort.argsort, np.arange(3), out=offsets, segments=offsets[:2])
    assert offsets.tolist() == [0, 1, 3]


FLAGS = {
    (name, flag) for name, function in inspect.getmembers(lanesort.Sorter, inspect.isfunction)
    for flag, parameter in inspect.signature(function).parameters.items()
    if isinstance(parameter.default, bool) and not name.startswith("_")
}  # fmt: skip


@pytest.mark.parametrize("name, flag", sorted(FLAGS))
def test_a_flag_is_a_bool(name, flag):
    assert {("sort", "descending"), ("top_k", "nan_last"), ("sum", "keepdims"), ("select", "inverted")} <= FLAGS
    x = np.array([1, 1, 2, 3])
    for keys in (x, x[:0]):
        required = [parameter for parameter in inspect.signature(getattr(lanesort, name)).parameters.values()
                    if parameter.kind == parameter.POSITIONAL_ONLY and parameter.default is parameter.empty]  # fmt: skip
        arguments = [keys.copy(), keys.copy(), 0, 0][: len(required)]
        if name == "transform_reduce":
            arguments[2] = lanesort.BinaryOperator("a + b", "0", transform="a * b")
        elif name in ("select", "partition"):
            arguments[1] = keys > 1
        elif name == "reduce":
            arguments[1] = "sum"
        elif name in ("partial_sort", "nth_element", "top_k", "merge_"):
            arguments[1] = 0
        for wrong in (2, 1, 0, -1, 0.0, "no", None, [], np.array([True]), np.int8(1)):
            with pytest.raises(TypeError, match=f"^{flag} is of type {type(wrong).__name__}, but must be a bool"):
                getattr(lanesort, name)(*arguments, **{flag: wrong})


@pytest.mark.parametrize("true, false", [(True, False), (np.True_, np.False_)])
def test_flags(true, false):
    x = np.array([3, 1, 2, 1])
    ascending, sorted_keys = np.array([1, 1, 2, 3]), np.array([3, 2, 1, 1])
    assert same(lanesort.sort(x, descending=true), sorted_keys) and same(lanesort.sort(x, descending=false), ascending)
    assert same(lanesort.sort(x, stable=false, data_independent=true), ascending)
    assert lanesort.argsort(x, descending=true, stable=true).tolist() == [0, 2, 1, 3]
    assert lanesort.top_k(x, 1, largest=true, nan_last=true).values.tolist() == [3]
    assert lanesort.top_k(x, 1, largest=false).values.tolist() == [1]
    assert lanesort.unique(x, descending=true, assume_sorted=false).tolist() == [3, 2, 1]
    assert lanesort.unique(x, return_counts=true).counts.tolist() == [2, 1, 1]
    assert lanesort.searchsorted(sorted_keys, x, descending=true).tolist() == [0, 2, 1, 2]
    assert lanesort.merge(sorted_keys, sorted_keys[:1], descending=true, stable=true).tolist() == [3, 3, 2, 1, 1]
    assert lanesort.merge_(x.copy(), 4, descending=true) is not None
    assert lanesort.is_sorted(sorted_keys, descending=true) and lanesort.is_sorted_until(x, descending=true) == 2
    assert lanesort.group_by(x, x, descending=true, stable=true).keys.tolist() == [3, 2, 1]
    assert lanesort.select(x, x > 1, inverted=true).tolist() == [1, 1]
    assert lanesort.partition(x, x > 1, inverted=false).count == 2
    assert lanesort.sum(x, keepdims=true).shape == (1,)


def test_what_is_more_than_its_bytes_is_not_moved(failing):
    x, objects = np.arange(3.0), np.array([[], {}, "a"], object)
    failing("invalid_argument", "Python's objects", lanesort.sort_by_key, x, objects)
    failing("invalid_argument", "Python's objects", lanesort.merge, x, x, values=(objects, objects))
    failing("invalid_argument", "Python's objects", lanesort.unique, x, values=objects)
    failing("invalid_argument", "Python's objects", lanesort.unique, x, values=objects, assume_sorted=True)
    failing("invalid_argument", "type object", lanesort.run_lengths, objects[:0])
    failing("invalid_argument", "type object", lanesort.is_sorted, objects[:0])
    failing("invalid_argument", "not of type int", lanesort.sort, x, comparator=3)
    failing("invalid_argument", "extra_bytes is -1", lanesort.sort, x, extra_bytes=-1)


def test_in_place_takes_no_memory():
    """The peak of the process's memory, while half a hundred megabytes are sorted in them."""

    def peak():
        with open("/proc/self/status") as status:
            return next(int(line.split()[1]) for line in status if line.startswith("VmHWM:")) * 1024

    def forget():
        with open("/proc/self/clear_refs", "w") as refs:
            refs.write("5")

    try:
        forget()
    except OSError:
        pytest.skip("the peak cannot be asked for here")
    x = np.random.default_rng(1).random((64 << 20) // 4, "f4")
    for options in ({}, {"data_independent": True}, {"descending": True}):
        lanesort.sort_(x[:100_000].copy(), **options)
        forget()
        before = peak()
        lanesort.sort_(x, **options)
        assert peak() - before < x.nbytes // 32, options
        assert lanesort.is_sorted(x, descending=options.get("descending", False))
    rows = x.reshape(1 << 10, -1)
    forget()
    before = peak()
    lanesort.sort_(rows)
    lanesort.sort(x, out=x)
    assert peak() - before < x.nbytes // 32
    # And the measure does see a copy.
    forget()
    before = peak()
    lanesort.sort(x)
    assert peak() - before > x.nbytes * 3 // 4
