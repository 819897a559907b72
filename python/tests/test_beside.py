# SPDX-License-Identifier: MIT
"""Scans, searches, histograms, and what flags and indices move, on numpy's arrays, against numpy and plain loops."""

import bisect
import itertools

import numpy as np
import pytest
from conftest import DTYPES, SIZES, keys_of, order_of, rank, same, sorted_of
from hypothesis import given, settings
from hypothesis import strategies as st

import lanesort

SUMS = {"u": "u8", "i": "i8", "b": "i8"}


def numbers_of(dtype, shape, seed=1):
    """Integers of any size; floating-point numbers that are small integers, whose sums are exact in whatever order."""
    if np.dtype(dtype).kind != "f":
        return keys_of(dtype, shape, seed)
    return np.random.default_rng(seed).choice([0, 0, 0, 0, 0, 0, 1, -1], shape).astype(dtype)


def in_layout(x, layout):
    if layout == "f":
        return np.asfortranarray(x)
    if layout == "strided":
        return np.repeat(x, 2, axis=-1)[..., ::2]
    return x.astype(x.dtype.newbyteorder()) if layout == "swapped" else x


@pytest.mark.parametrize("dtype", [*DTYPES, "bool"])
def test_scans_of_every_type_and_size(dtype):
    for size in SIZES:
        x = numbers_of(dtype, size, size)
        kind = SUMS.get(x.dtype.kind, dtype)
        sums = np.cumsum(x, dtype=kind)
        assert same(lanesort.cumulative_sum(x), sums), size
        in_front = np.concatenate((np.zeros(1, kind), sums))[:size]
        assert same(lanesort.exclusive_scan(x), in_front), size
        out = x.astype(kind)
        assert lanesort.cumulative_sum(out, out=out) is out and same(out, sums)
        out = x.astype(kind)
        assert same(lanesort.exclusive_scan(out[:], out=out[:]), in_front) and same(out, in_front)
    assert same(x, numbers_of(dtype, size, size))


@settings(max_examples=100, deadline=None)
@given(shape=st.lists(st.integers(0, 7), min_size=1, max_size=4).map(tuple), axis=st.integers(-4, 3),
       dtype=st.sampled_from(["u1", "i4", "u8", "f4", "f8"]), has_out=st.sampled_from(["no", "plain", "swapped"]),
       layout=st.sampled_from(["c", "f", "strided", "swapped"]), seed=st.integers(0, 99))  # fmt: skip
def test_scans_of_any_shape_and_axis(shape, axis, dtype, has_out, layout, seed):
    x = in_layout(numbers_of(dtype, shape, seed), layout)
    if not -x.ndim <= axis < x.ndim:
        with pytest.raises(lanesort.Error, match="no axis"):
            lanesort.cumulative_sum(x, axis=axis)
        return
    kind = np.dtype(SUMS.get(x.dtype.kind, dtype))
    sums = np.cumsum(x, axis=axis, dtype=kind)
    out = None if has_out == "no" else np.empty(shape, kind if has_out == "plain" else kind.newbyteorder())
    result = lanesort.cumulative_sum(x, axis=axis, out=out)
    assert (result == sums).all() and result.shape == shape and (out is None or result is out)
    if out is None:
        assert result.dtype.newbyteorder("=") == kind
    assert (lanesort.exclusive_scan(x, axis=axis) == sums - x).all()


@pytest.mark.parametrize("dtype", DTYPES)
def test_minima_and_maxima_so_far(dtype):
    x = numbers_of(dtype, 999, 5)
    for reduction, accumulate in (("min", np.minimum.accumulate), ("max", np.maximum.accumulate)):
        expected = accumulate(x)
        assert same(lanesort.inclusive_scan(x, reduction), expected)
        found = lanesort.exclusive_scan(x, reduction)
        assert same(found[1:], expected[:-1])
        kind, first = x.dtype, found[0]
        if kind.kind == "f":
            assert np.isnan(first)
        else:
            assert first == (np.iinfo(kind).max if reduction == "min" else np.iinfo(kind).min)
    rows = x.reshape(9, 111)
    assert same(lanesort.inclusive_scan(rows, "max", axis=0), np.maximum.accumulate(rows, axis=0))


@pytest.mark.parametrize("dtype", [*DTYPES, "bool"])
@pytest.mark.parametrize("offsets", [[0, 20_001], [3, 3, 4, 11, 11, 17_000, 19_999], [5], [0, 0, 1, 20_001, 20_001]])
def test_scans_of_segments(dtype, offsets):
    x = numbers_of(dtype, 20_001, 5)
    parts = [slice(begin, end) for begin, end in itertools.pairwise(offsets)]
    kind = SUMS.get(x.dtype.kind, dtype)

    def scanned(scan, before):
        expected = before.copy()
        for part in parts:
            expected[part] = scan(x[part])
        return expected

    def sums(part):
        return np.cumsum(part, dtype=kind)

    zeros = np.zeros(x.size, kind)
    assert same(lanesort.cumulative_sum(x, segments=offsets), scanned(sums, zeros))
    expected = scanned(lambda part: (sums(part) - part).astype(kind), zeros)
    assert same(lanesort.exclusive_scan(x, segments=np.array(offsets, "u4")), expected)
    # What lies in no segment stays as it is.
    for out in (np.full(x.size, 1, kind), np.full(2 * x.size, 1, kind)[::2], zeros.astype(zeros.dtype.newbyteorder())):
        expected = scanned(sums, out)
        assert lanesort.cumulative_sum(x, segments=offsets, out=out) is out and (out == expected).all()
    if dtype != "bool":
        in_place = x.copy()
        lanesort.inclusive_scan(in_place, "min", segments=offsets, out=in_place)
        assert same(in_place, scanned(np.minimum.accumulate, x))
        expected = scanned(np.maximum.accumulate, np.zeros(x.size, dtype))
        assert same(lanesort.inclusive_scan(x, "max", segments=offsets), expected)
    swapped = in_layout(x, "swapped")
    result = lanesort.inclusive_scan(swapped, segments=offsets)
    assert (result == scanned(sums, zeros)).all() and result.dtype.newbyteorder("=") == kind


def test_no_keys_in_segments():
    assert same(lanesort.cumulative_sum(np.empty(0, "i4"), segments=[0, 0]), np.empty(0, "i8"))
    assert same(lanesort.cumulative_sum(np.arange(3), segments=[2]), np.zeros(3, int))


@pytest.mark.parametrize("dtype", DTYPES)
def test_scans_of_values_of_equal_keys(dtype):
    keys = np.repeat([3, 1, 1, 3, 2], [1, 400, 2, 300, 1])
    values = numbers_of(dtype, keys.size, 6)
    begins = np.flatnonzero(np.diff(keys, prepend=0))
    kind = SUMS.get(values.dtype.kind, dtype)
    runs = [slice(begin, end) for begin, end in zip(begins, [*begins[1:], keys.size])]
    sums = np.concatenate([np.cumsum(values[run], dtype=kind) for run in runs])
    assert same(lanesort.inclusive_scan_by_key(keys, values), sums)
    assert same(lanesort.exclusive_scan_by_key(keys, values), (sums - values).astype(kind))
    largest = np.concatenate([np.maximum.accumulate(values[run]) for run in runs])
    assert lanesort.inclusive_scan_by_key(keys, values, "max", out=values) is values and same(values, largest)
    assert lanesort.inclusive_scan_by_key(keys[:0], values[:0]).shape == (0,)


def test_the_minimum_of_no_bools_is_true():
    x, keys = np.array([True, False, True, False]), np.array([1, 1, 2, 2])
    expected = np.array([True, True, False, False])
    assert same(lanesort.exclusive_scan(x, "min"), expected)
    assert same(lanesort.exclusive_scan(x.reshape(2, 2), "min", axis=0), np.array([[True, True], [True, False]]))
    assert same(lanesort.exclusive_scan_by_key(keys, x, "min"), np.array([True, True, True, True]))
    assert same(lanesort.exclusive_scan(x, "min", segments=[1, 3]), np.array([False, True, False, False]))
    for step in (1, 2):
        out = np.ones(4 * step, bool)[::step]
        assert lanesort.exclusive_scan(x, "min", segments=[1, 3], out=out) is out
        assert same(out, np.array([True, True, False, True]))
        out = np.zeros(2 * step, bool)[::step]
        assert lanesort.min(x, segments=[0, 0, 2], out=out) is out and same(out, np.array([True, False]))
    assert same(lanesort.min(x, segments=[0, 0, 2]), np.array([True, False]))
    assert same(lanesort.max(x, segments=[0, 0, 2]), np.array([False, True]))
    y = x.copy()
    assert lanesort.exclusive_scan(y, "min", out=y) is y and same(y, expected)
    y = x.copy()
    assert lanesort.exclusive_scan_by_key(keys, y, "min", out=y) is y and same(y, np.ones(4, bool))
    with pytest.raises(lanesort.Error, match="of uint8"):
        lanesort.Sorter().record("exclusive_scan", x, "min", out=y)
    with pytest.raises(lanesort.Error, match="of uint8"):
        lanesort.Sorter().record("min", x, segments=[0, 0], out=y[:1])


@pytest.mark.parametrize("dtype", [*DTYPES, "bool"])
def test_numbers_of_python_are_never_rounded(dtype, failing):
    """Whatever number it is, it has its place among the keys, which Python compares exactly."""
    kind = np.dtype(dtype)
    if kind.kind == "f":
        most = float(np.finfo(kind).max)
        keys = np.array([-np.inf, -most, -1, 0, 0.1, 1, 2, 2**15, most, np.inf] + ([2.0**53, 2.0**53 + 2] if dtype == "f8" else []), kind)
    else:
        most = int(np.iinfo(kind).max) if dtype != "bool" else 1
        keys = np.array([0, 0, 1, most] + ([int(np.iinfo(kind).min), -1] if kind.kind == "i" else []), kind)
    keys = sorted_of(keys)
    numbers = keys.tolist()
    for needle in (-1, 0, 1, 0.1, 0.5, -0.5, 1.5, 300, -(2**31) - 1, 2**53 + 1, 2**63, 2**64, 2**70, 10**400, -(10**400), 1e39, -1e39, 65519, 65520,
                   most, most + 1, most - 1, -most - 2, float("inf"), -float("inf"), True, False):  # fmt: skip
        left, right = bisect.bisect_left(numbers, needle), bisect.bisect_right(numbers, needle)
        for given in (keys, keys.astype(kind.newbyteorder())):
            assert lanesort.searchsorted(given, needle) == left, needle
            assert lanesort.searchsorted(given, needle, side="right") == right, needle
            assert lanesort.equal_range(given, needle).tolist() == [left, right], needle
            backwards = given[::-1].copy()
            assert lanesort.searchsorted(backwards, needle, descending=True) == keys.size - right, needle
            assert lanesort.equal_range(backwards, needle, descending=True).tolist() == [keys.size - right, keys.size - left], needle
    nan = float("nan")
    assert lanesort.searchsorted(keys, nan) == keys.size and lanesort.searchsorted(keys[::-1].copy(), nan, descending=True) == 0
    assert lanesort.searchsorted(keys, 10**400).shape == ()
    out = np.zeros((), int)
    assert lanesort.searchsorted(keys, 10**400, out=out) is out and out == bisect.bisect(numbers, 10**400)


def test_numbers_of_python_are_needles(failing):
    x = np.array([0.1, 0.5, 2.0], "f4")
    place = lanesort.searchsorted(x, 0.5)
    assert place == 1 and place.shape == ()
    assert lanesort.searchsorted(x, 0.1, side="right") == 0  # a float32 is no 0.1, as to numpy.searchsorted
    assert lanesort.searchsorted(x, np.float32(0.1), side="right") == 1
    assert lanesort.searchsorted(x.astype(">f4"), 2) == 2 and lanesort.searchsorted(x.astype("f2"), True) == 2
    assert lanesort.equal_range(np.array([1, 3, 3], "u8"), 3).tolist() == [1, 3]
    assert lanesort.searchsorted(np.array([False, True]), True) == 1
    for keys, number in ((x.astype("u1"), -1), (x.astype("i4"), 0.5), (x.astype("i4"), 2**31), (x, 1e39), (x, 0.1)):
        failing("invalid_argument", f"the needle {number} is no number of type {keys.dtype}", lanesort.searchsorted, keys,
                number, comparator="a < b")  # fmt: skip
    assert lanesort.searchsorted(x, float("inf")) == 3 and lanesort.searchsorted(x, float("nan")) == 3
    failing("invalid_argument", "of type float64", lanesort.searchsorted, x, np.float64(0.5))
    failing("invalid_argument", "of type int64", lanesort.searchsorted, x, [1])


@pytest.mark.parametrize("dtype", DTYPES)
def test_places_of_every_type_and_size(dtype):
    for size in SIZES:
        x, needles = sorted_of(keys_of(dtype, size, size)), keys_of(dtype, 501, size + 1)
        keys, asked = rank(x).tolist(), rank(needles).tolist()
        left = np.array([bisect.bisect_left(keys, needle) for needle in asked])
        right = np.array([bisect.bisect_right(keys, needle) for needle in asked])
        assert same(lanesort.searchsorted(x, needles), left), size
        assert same(lanesort.searchsorted(x, needles, side="right"), right), size
        assert same(lanesort.equal_range(x, needles), np.stack((left, right), -1)), size
        backwards = x[::-1].copy()
        assert same(lanesort.searchsorted(backwards, needles, descending=True), size - right), size


def test_needles_of_any_form(failing):
    x = np.array([1.0, 3.0, 3.0, 5.0])
    threes = np.full((2, 3), 3.0)
    for needles in (np.float64(3), threes, np.empty((0, 2)), np.full(8, 3.0)[::2], threes.astype(">f8")):
        assert same(lanesort.searchsorted(x, needles), np.searchsorted(x, needles))
        assert lanesort.equal_range(x.astype(">f8"), needles).shape == (*needles.shape, 2)
    out = np.empty((2, 3), ">u4")
    assert lanesort.searchsorted(x, np.full((2, 3), 4.0), out=out) is out and (out == 3).all()
    failing("invalid_argument", "needles are of type int64", lanesort.searchsorted, x, np.arange(3))
    failing("invalid_argument", "side is 'up'", lanesort.searchsorted, x, x, side="up")
    failing("invalid_argument", "one axis", lanesort.searchsorted, x.reshape(2, 2), x)
    failing("invalid_argument", "must have (4, 2)", lanesort.equal_range, x, x, out=np.empty(4, int))
    failing("invalid_argument", "out is of type float64", lanesort.searchsorted, x, x, out=np.empty(4))
    failing("not_writable", "read-only", lanesort.searchsorted, x, x[:1], out=np.frombuffer(bytes(8), int))


def test_records_are_looked_for_by_a_comparator():
    x = np.zeros(3000, np.dtype([("score", "f4"), ("id", "u4")], align=True))
    x["score"] = np.sort(np.random.default_rng(1).integers(0, 500, 3000))[::-1]
    needles = x[::-7].copy()
    keys, asked = -x["score"], -needles["score"]
    places = lanesort.equal_range(x, needles, comparator="a.score > b.score")
    assert same(places, np.stack((np.searchsorted(keys, asked), np.searchsorted(keys, asked, "right")), -1))


@pytest.mark.parametrize("dtype", DTYPES)
def test_histograms_of_every_type_and_size(dtype):
    real = np.dtype(dtype).kind == "f"
    for size in SIZES:
        x = keys_of(dtype, size, size)
        bounds = sorted_of(keys_of(dtype, 20, 3))
        places = np.searchsorted(rank(bounds), rank(x), side="right").astype("i8") - 1
        expected = np.bincount(places[(places >= 0) & (places < 19)], minlength=19)
        assert same(lanesort.histogram(x, bounds), expected), size
        low, high, bins = (-1, 1, 8) if real else (3, 99, 10)
        numbers = [v for v in x.tolist() if low <= v <= high]
        expected = [0] * bins
        for v in numbers:
            expected[min(int((v - low) * 4), 7) if real else (v - low) * bins // (high - low + 1)] += 1
        assert same(lanesort.histogram(x, bins, range=(low, high)), np.array(expected)), size


def test_histograms_of_any_form(failing):
    x = np.random.default_rng(1).random((50, 60))
    expected = np.histogram(x, 16, (0, 1))[0]  # a power of two, so both divide without rounding
    for form in ("f", "strided", "swapped"):
        assert same(lanesort.histogram(in_layout(x, form), 16, range=(0, 1)), expected)
    out = np.empty(16, ">u4")
    assert lanesort.histogram(x, 16, range=(0, 1), out=out) is out and (out == expected).all()
    failing("invalid_argument", "range= says", lanesort.histogram, x, 16)
    failing("invalid_argument", "range= says", lanesort.histogram, x, 16, range=(0, 1, 2))
    failing("invalid_argument", "of the keys' type, f64", lanesort.histogram, x, 16, range=("a", 1))
    failing("invalid_argument", "gives these their bounds", lanesort.histogram, x, x[0], range=(0, 1))
    failing("invalid_argument", "bounds are of type int64", lanesort.histogram, x, np.arange(3))
    failing("invalid_argument", "two or more", lanesort.histogram, x, x[0, :1])
    failing("invalid_argument", "one bin or more", lanesort.histogram, x, 0, range=(0, 1))
    for bounds in ([3.0, 1.0], [0.0, 2.0, 1.0], [np.nan, 1.0], [0.0, np.nan, 1.0]):
        failing("invalid_argument", "not in order", lanesort.histogram, x, np.array(bounds))
        failing("invalid_argument", "not in order", lanesort.histogram, x, np.array(bounds, ">f8"))
    failing("invalid_argument", "not in order", lanesort.histogram, x.astype("u1"), np.array([0, 3, 2], "u1"))
    # NaN comes last, so such a bin has no end.
    assert lanesort.histogram(np.array([1.0, 5.0, np.inf]), np.array([0, 2, 2, np.nan, np.nan])).tolist() == [1, 0, 2, 0]
    failing("invalid_argument", "of the keys' type, u8", lanesort.histogram, x.astype("u1"), 2, range=(0, 256))
    for number in (2**53 + 1, 10**400, np.int64(2**53 + 1)):
        failing("invalid_argument", "of the keys' type, f64", lanesort.histogram, x, 2, range=(0, number))
    failing("invalid_argument", "of the keys' type, f16", lanesort.histogram, x.astype("f2"), 2, range=(0, 2049))
    failing("invalid_argument", "of the keys' type, i64", lanesort.histogram, x.astype(int), 2, range=(0.5, 2))
    failing("invalid_argument", "", lanesort.histogram, x, 2, range=(1, 0))
    failing("invalid_argument", "", lanesort.histogram, x, 2, range=(0, float("inf")))
    failing("invalid_argument", "must have (2,)", lanesort.histogram, x, 2, range=(0, 1), out=np.empty(3, int))


@pytest.mark.parametrize("dtype", [*DTYPES, "bool"])
def test_flags_select_of_every_type_and_size(dtype):
    for size in SIZES:
        x, values = keys_of(dtype, size, size), np.arange(size, dtype="c16")
        flags = keys_of("bool", size, size + 1)
        for inverted in (False, True):
            first = flags ^ inverted
            order = np.concatenate((np.flatnonzero(first), np.flatnonzero(~first)))
            assert same(lanesort.select(x, flags, inverted=inverted), x[first]), size
            both = lanesort.select(x, flags.astype("u1") * 7, values=values, inverted=inverted)
            assert same(both.keys, x[first]) and same(both.values, values[first]), size
            keys, count, none = lanesort.partition(x, flags, inverted=inverted)
            assert same(keys, x[order]) and count == first.sum() and isinstance(count, int) and none is None, size
            assert same(lanesort.partition(x, flags, values=values, inverted=inverted).values, values[order]), size


def test_flags_of_any_form(failing):
    x = keys_of("f4", (20, 30))
    flags = keys_of("bool", (20, 30))
    for form in ("f", "strided"):
        assert same(lanesort.select(in_layout(x, form), in_layout(flags, form)), x[flags])
    assert (lanesort.select(np.arange(600).reshape(20, 30).astype(">i4"), flags) == np.flatnonzero(flags)).all()
    failing("invalid_argument", "one for each element", lanesort.select, x, flags[0])
    failing("invalid_argument", "of type int64", lanesort.partition, x, flags.astype(int))
    failing("invalid_argument", "one for each key", lanesort.select, x, flags, values=x[0])
    failing("invalid_argument", "Python's objects", lanesort.select, x, flags, values=x.astype(object))
    failing("invalid_argument", "have 12", lanesort.select, x, flags, values=np.zeros(x.shape, "V12"))
    failing("invalid_argument", "Python's objects", lanesort.select, x.astype(object), flags)
    failing("invalid_argument", "1, 2, 4 or 8 bytes, but those of type complex128 have 16", lanesort.partition,
            x.astype("c16"), flags)  # fmt: skip


@pytest.mark.parametrize("kind", ["S1", "S4", "U1", "V2", "c8", "M8[s]", "f2", [("a", "u1"), ("b", "u1")],
                                  [("a", ">i4"), ("b", "<f4")]])  # fmt: skip
def test_flags_select_elements_that_have_no_order(kind):
    kind = np.dtype(kind)
    bits = np.random.default_rng(1).integers(1, 90, 1000 * kind.itemsize, "u1")
    x = np.arange(40, 1040).astype(kind) if kind.kind == "U" else bits.view(kind)
    flags = np.random.default_rng(2).random(1000) < 0.4
    selected, parted = lanesort.select(x, flags), lanesort.partition(x, flags)
    assert selected.tobytes() == x[flags].tobytes() and parted.count == flags.sum()
    order = np.concatenate([np.flatnonzero(flags), np.flatnonzero(~flags)])
    assert parted.keys.tobytes() == x[order].tobytes()


@pytest.mark.parametrize("dtype", ["u1", "i2", "u4", "f4", "i8"])
def test_a_predicate_selects(dtype):
    for size in SIZES:
        x, values = keys_of(dtype, size, size), np.arange(size, dtype="c16")
        for pivot in (0, 3, np.dtype(dtype).type(7)):
            first = x < pivot
            order = np.concatenate((np.flatnonzero(first), np.flatnonzero(~first)))
            assert same(lanesort.select(x, "a < p", parameter=pivot), x[first]), size
            both = lanesort.select(x, "a < p", parameter=np.array([pivot], dtype), values=values, inverted=True)
            assert same(both.keys, x[~first]) and same(both.values, values[~first]), size
            keys, count, _ = lanesort.partition(x, "a < p", parameter=pivot)
            assert same(keys, x[order]) and count == first.sum(), size
        if size:
            assert same(lanesort.select(x, "a < p", parameter=x[size // 2]), x[x < x[size // 2]])
        assert same(lanesort.select(x, "a != 0"), x[x != 0]), size


def test_a_predicate_of_records(failing):
    kind, bounds = np.dtype([("score", "f4"), ("id", "u4")]), np.dtype([("least", "f8"), ("id", "u4")], align=True)
    x = np.zeros(1000, kind)
    x["score"], x["id"] = np.random.default_rng(1).random(1000), np.arange(1000)
    wanted = np.array([(0.25, 800)], bounds)
    expected = x[(x["score"] > 0.25) & (x["id"] < 800)]
    for parameter in (wanted, wanted[0]):
        assert same(lanesort.select(x, "a.score > p.least && a.id < p.id", parameter=parameter), expected)
    by_name = lanesort.Predicate("a.x > p", "record", "typedef struct { float x; uint id; } record;", "float")
    half = np.array(0.5, "f4")
    assert same(lanesort.select(x, by_name, parameter=half), x[x["score"] > 0.5])
    swapped = x.astype([("score", ">f4"), ("id", "<u4")])
    least = np.array([(0.25, 800)], [("least", "<f4"), ("id", ">u4")])
    for given in (least, least[0]):
        chosen = lanesort.select(swapped, "a.score > p.least && a.id < p.id", parameter=given)
        assert same(chosen.astype(x.dtype), expected)
    assert same(lanesort.select(x["score"], "a < p", parameter=np.array([0.5], ">f4")), x["score"][x["score"] < 0.5])
    failing("invalid_argument", "there are flags", lanesort.select, x["score"], x["id"] > 3, parameter=1)
    failing("invalid_argument", "one element", lanesort.select, x, by_name, parameter=x["score"])
    for wrong in (2.5, 1 << 40, -1):
        failing("invalid_argument", "is no number of type", lanesort.select, x["id"], "a < p", parameter=wrong)
    failing("invalid_argument", "needs a type and a size", lanesort.select, x, by_name)
    failing("invalid_argument", "give a lanesort.Predicate", lanesort.select, x["score"].astype("f2"), "a > 1")
    failing("build_failed", "", lanesort.select, x, "a.nothing")


@pytest.mark.parametrize("index", ["i4", "u4", "i8", "u8"])
def test_indices_move_values_of_every_width(index):
    for size in SIZES[1:]:
        order = np.random.default_rng(size).permutation(size).astype(index)
        for dtype in ("u1", "f2", "f4", "M8[s]", "c16"):
            x = np.random.default_rng(1).integers(0, 255, size * np.dtype(dtype).itemsize).astype("u1").view(dtype)
            some = order[: size // 2 + 1]
            assert same(lanesort.gather(x, some), x[some]), (size, dtype)
            out, expected = np.zeros(size + 3, dtype), np.zeros(size + 3, dtype)
            expected[order] = x
            assert lanesort.scatter(x, order, out=out) is out and same(out, expected), (size, dtype)
            moved = x.copy()
            assert lanesort.permute_(moved, order) is moved and same(moved, x[order]), (size, dtype)


def test_indices_of_any_form(failing):
    x = np.array([1.5, 2.5, 3.5])
    assert same(lanesort.gather(x, np.array([[2, 0], [1, 1]])), np.array([[3.5, 1.5], [2.5, 2.5]]))
    assert same(lanesort.gather(x, np.array(1)), np.float64(2.5)) and lanesort.gather(x, np.empty(0, int)).shape == (0,)
    assert same(lanesort.gather(x, np.array([-1, 3, 0])), np.array([0, 0, 1.5]))
    assert same(lanesort.gather(x[:0], np.array([0, 1])), np.zeros(2))
    assert (lanesort.gather(x.astype(">f8"), np.array([2, 1], ">i4")) == [3.5, 2.5]).all()
    assert same(lanesort.scatter(x, np.array([5, -1, 0]), out=np.zeros(2)), np.array([3.5, 0]))
    wide = np.zeros(8)
    assert lanesort.scatter(x, np.array([3, 1, 0]), out=wide[::2]).tolist() == [3.5, 2.5, 0, 1.5]
    lanesort.permute_(wide[::2], np.array([3, 0, 1, 2]))
    assert wide.tolist() == [1.5, 0, 3.5, 0, 2.5, 0, 0, 0]
    failing("invalid_argument", "but they are of type int16", lanesort.gather, x, np.arange(3, dtype="i2"))
    failing("invalid_argument", "one axis", lanesort.gather, x.reshape(1, 3), np.arange(3))
    failing("invalid_argument", "must have (2,) and float64", lanesort.gather, x, np.arange(2), out=np.empty(3))
    failing("invalid_argument", "permute_", lanesort.gather, x, np.arange(3), out=x)
    failing("invalid_argument", "indices of shape (2,)", lanesort.scatter, x, np.arange(2), out=np.empty(3))
    failing("invalid_argument", "another array", lanesort.scatter, x, np.arange(3), out=x)
    failing("invalid_argument", "must have one axis and type float64", lanesort.scatter, x, np.arange(3), out=np.empty(3, "f4"))
    failing("invalid_argument", "indices of shape (2,)", lanesort.permute_, x, np.arange(2))
    failing("invalid_argument", "no memory to write to", lanesort.permute_, [1, 2], np.arange(2))
    failing("not_writable", "read-only", lanesort.permute_, np.frombuffer(bytes(8)), np.arange(1))
    failing("invalid_argument", "Python's objects", lanesort.gather, np.array([None]), np.arange(1))


def test_mistakes_of_scans_are_told(failing):
    x = np.arange(6.0).reshape(2, 3)
    failing("invalid_argument", "give axis=", lanesort.cumulative_sum, x)
    failing("invalid_argument", "no axis to go along", lanesort.cumulative_sum, np.float64(1))
    failing("invalid_argument", "must have (2, 3) and float64", lanesort.exclusive_scan, x, axis=1, out=np.empty(6))
    failing("invalid_argument", "and int64", lanesort.cumulative_sum, np.arange(3, dtype="i4"), out=np.empty(3, "i4"))
    failing("not_writable", "read-only", lanesort.cumulative_sum, x[0], out=np.frombuffer(bytes(24)))
    failing("invalid_argument", "complex128", lanesort.cumulative_sum, x.astype(complex), axis=0)
    failing("invalid_argument", "no scan 'mean'", lanesort.inclusive_scan, x[0], "mean")
    failing("invalid_argument", "no scan 'argmin'", lanesort.inclusive_scan_by_key, x[0], x[0], "argmin")
    failing("invalid_argument", "this one has 2", lanesort.cumulative_sum, x, axis=1, segments=[0, 3])
    failing("invalid_argument", "do not ascend", lanesort.cumulative_sum, x[0], segments=[0, 2, 1])
    failing("out_of_range", "ends at key 4", lanesort.cumulative_sum, x[0], segments=[0, 4])
    failing("out_of_range", "ends at key 1", lanesort.cumulative_sum, x[0, :0], segments=[0, 1])
    failing("invalid_argument", "of one axis", lanesort.inclusive_scan_by_key, x, x)
    failing("invalid_argument", "one for each key", lanesort.inclusive_scan_by_key, x[0], x[0, :2])


def test_prepared_planned_and_recorded(failing):
    sorter, x, order = lanesort.Sorter(), keys_of("i8", 5000), np.random.default_rng(1).permutation(5000)
    needles, places, counts = keys_of("i8", 300), np.empty(300, int), np.empty(4, int)
    bounds, sums, moved = sorted_of(keys_of("i8", 5)), np.empty(5000, int), np.empty(5000, int)
    parts = np.zeros(5000, int)
    calls = [
        ("cumulative_sum", (x,), {"out": sums}), ("searchsorted", (bounds, needles), {"out": places}),
        ("histogram", (x, bounds), {"out": counts}), ("gather", (x, order), {"out": moved}),
        ("exclusive_scan", (x, "max"), {"out": parts, "segments": [7, 5000]}),
    ]  # fmt: skip
    for name, arrays, options in calls:
        sorter.prepare(name, *arrays, **options)
        assert len(sorter.plan(name, *arrays).commands) > 0
    again = [sorter.record(name, *arrays, **options) for name, arrays, options in calls]
    for seed in range(3):
        x[...] = keys_of("i8", 5000, seed)
        for recorded in again:
            recorded()
        assert same(sums, np.cumsum(x)) and same(moved, x[order])
        assert same(places, np.searchsorted(bounds, needles)) and same(counts, lanesort.histogram(x, bounds))
        assert same(parts[8:], np.maximum.accumulate(x[7:-1])) and not parts[:7].any()
    permuted = sorter.record("permute_", x, order)
    expected = x[order]
    permuted()
    assert same(x, expected)
    narrow = np.arange(3, dtype="i4")
    failing("invalid_argument", "needs out=", sorter.record, "cumulative_sum", x, segments=[0, 9])
    failing("invalid_argument", "needs out=", sorter.record, "top_k", x, 2, segments=[0, 9])
    failing("invalid_argument", "of that type already", sorter.record, "cumulative_sum", narrow, out=np.empty(3, int))
    assert len(sorter.plan("cumulative_sum", narrow).commands) > 0


def test_bounds_that_are_copied_are_checked_as_they_are(failing):
    x, ends = np.arange(100), np.arange(100)
    for bounds in (ends[::7], ends.astype(">i8"), ends[::-1].copy()[::-1]):
        for _ in range(20):
            assert len(lanesort.plan("histogram", x, bounds).commands) > 0
            lanesort.Sorter().prepare("histogram", x, bounds)
    for bounds in (ends[::-7], ends[::-1].astype(">i8")):
        for function in (lanesort.plan, lanesort.Sorter().prepare):
            failing("invalid_argument", "not in order", function, "histogram", x, bounds)


def test_one_argsort_sorts_several_arrays():
    x, others = keys_of("f4", 5000), [np.arange(5000), keys_of("u1", 5000)]
    order = lanesort.argsort(x)
    expected = [array[order_of(x)] for array in others]
    for array in others:
        lanesort.permute_(array, order)
    assert all(same(a, b) for a, b in zip(others, expected, strict=True))
