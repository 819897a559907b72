# SPDX-License-Identifier: MIT
"""Sums, and the smallest and the largest keys, on numpy's arrays, against plain loops and numpy."""

import itertools
import math

import numpy as np
import pytest
from conftest import DTYPES, SIZES, keys_of, rank, same
from hypothesis import given, settings
from hypothesis import strategies as st

import lanesort


def place_of(keys, largest):
    """Of one axis: the first of the best, NaNs only where there is nothing else."""
    ranks = rank(keys, largest)
    numbers = np.flatnonzero(~np.isnan(keys)) if keys.dtype.kind == "f" else np.arange(keys.size)
    return int(numbers[np.argmin(ranks[numbers])]) if numbers.size else 0


@pytest.mark.parametrize("dtype", [*DTYPES, "bool"])
def test_the_best_and_their_places_of_every_type_and_size(dtype):
    for size in SIZES[1:]:
        x = keys_of(dtype, size, size)
        for largest, best, place in ((False, lanesort.min, lanesort.argmin), (True, lanesort.max, lanesort.argmax)):
            expected = place_of(x, largest)
            assert place(x) == expected and isinstance(place(x), np.int64), size
            assert same(best(x), x[expected]), size


@pytest.mark.parametrize("dtype", [*DTYPES, "bool"])
def test_sums_of_every_type_and_size(dtype):
    kind = np.dtype(dtype).kind
    for size in SIZES:
        x = keys_of(dtype, size, size)
        if kind == "f":
            # Sums of small integers are exact, whatever their order is.
            x = keys_of("i1", size, size).astype(dtype) if dtype != "f2" else (keys_of("i1", size, size) % 3).astype(dtype)
            assert same(lanesort.sum(x), np.sum(x, dtype="f8").astype("f8" if dtype == "f8" else "f4"))
        else:
            assert same(lanesort.sum(x), np.sum(x, dtype="u8" if kind == "u" else "i8"))


def test_a_sum_is_near_the_exact_one():
    x = np.random.default_rng(1).standard_normal(100_001).astype("f4")
    exact = math.fsum(x.tolist())
    assert abs(float(lanesort.sum(x)) - exact) < 1e-6 * float(np.abs(x).sum())
    assert same(lanesort.sum(x), lanesort.sum(x.copy()[:])) and same(lanesort.sum(x[::-1].copy()[::-1]), lanesort.sum(x))


shapes = st.lists(st.integers(1, 7), min_size=0, max_size=4).map(tuple)


@settings(max_examples=100, deadline=None)
@given(shape=shapes, axis=st.integers(-4, 3) | st.none(), dtype=st.sampled_from(["u1", "i4", "u8", "f4", "f8"]),
       keepdims=st.booleans(), layout=st.sampled_from(["c", "f", "strided", "swapped"]), has_out=st.booleans(),
       seed=st.integers(0, 99))  # fmt: skip
def test_any_shape_and_axis(shape, axis, dtype, keepdims, layout, has_out, seed):
    x = keys_of("i1", shape, seed).astype(dtype)
    if layout == "f":
        x = np.asfortranarray(x)
    elif layout == "strided" and x.ndim:
        x = np.repeat(x, 2, axis=-1)[..., ::2]
    elif layout == "swapped":
        x = x.astype(x.dtype.newbyteorder())
    if axis is not None and not -x.ndim <= axis < x.ndim:
        with pytest.raises(lanesort.Error, match="axis"):
            lanesort.sum(x, axis=axis)
        return
    sums = {"u": "u8", "i": "i8", "f": dtype}[np.dtype(dtype).kind]
    for ours, theirs, kind in (
        (lanesort.sum, lambda *a, **o: np.sum(*a, dtype=sums, **o), sums), (lanesort.min, np.min, x.dtype),
        (lanesort.max, np.max, x.dtype), (lanesort.argmin, np.argmin, "i8"), (lanesort.argmax, np.argmax, "i8"),
    ):  # fmt: skip
        expected = np.asarray(theirs(x, axis=axis, keepdims=keepdims)).astype(kind)
        out = np.empty(expected.shape, kind) if has_out else None
        result = ours(x, axis=axis, keepdims=keepdims, out=out)
        assert same(result, expected if has_out else expected[()])  # a scalar has the machine's byte order
        assert result is out or not has_out


@pytest.mark.parametrize("dtype", [*DTYPES, "bool"])
def test_sums_of_products_of_every_type_and_size(dtype):
    kind = np.dtype(dtype).kind
    wide = {"u": "u8", "f": "f8" if dtype == "f8" else "f4"}.get(kind, "i8")
    for size in SIZES:
        if kind == "f":
            x, y = ((keys_of("i1", size, seed) % 3).astype(dtype) for seed in (1, 2))
        else:
            x, y = keys_of(dtype, size, 1), keys_of(dtype, size, 2)
        assert same(lanesort.vecdot(x, y), np.sum(x.astype(wide) * y.astype(wide), dtype=wide)), size
        assert same(lanesort.vecdot(x, x), np.sum(x.astype(wide) * x.astype(wide), dtype=wide)), size


def test_sums_of_products():
    x = np.array([300, 1], "f2")
    assert same(lanesort.vecdot(x, x), np.float32(90_001))  # more than a float16 holds
    assert lanesort.vecdot(np.array([1 << 62, 3]), np.array([4, 5])) == 15
    assert np.isnan(lanesort.vecdot(np.array([0.0, 1.0]), np.array([np.inf, 1.0])))
    random = np.random.default_rng(1)
    x, y = random.standard_normal((2, 100_001)).astype("f4")
    exact = math.fsum(a * b for a, b in zip(x.tolist(), y.tolist(), strict=True))
    assert abs(float(lanesort.vecdot(x, y)) - exact) < 1e-6 * float(np.abs(x * y).sum())


@settings(max_examples=100, deadline=None)
@given(shape=st.lists(st.integers(0, 7), min_size=1, max_size=4).map(tuple), axis=st.integers(-4, 3) | st.none(),
       layout=st.sampled_from(["c", "f", "strided", "swapped", "one swapped"]), has_out=st.booleans())  # fmt: skip
def test_sums_of_products_of_any_shape_and_axis(shape, axis, layout, has_out):
    x, y = keys_of("i2", shape, 1), keys_of("i2", shape, 2)
    if layout == "f":
        x = np.asfortranarray(x)
    elif layout == "strided":
        y = np.repeat(y, 2, axis=-1)[..., ::2]
    elif layout == "swapped":
        x, y = (array.astype(array.dtype.newbyteorder()) for array in (x, y))
    elif layout == "one swapped":
        y = y.astype(y.dtype.newbyteorder())
    x.flags.writeable = False
    if axis is not None and not -x.ndim <= axis < x.ndim:
        with pytest.raises(lanesort.Error, match="axis"):
            lanesort.vecdot(x, y, axis=axis)
        return
    expected = np.asarray(np.sum(x.astype("i8") * y, axis=axis))
    out = np.empty(expected.shape, "i8") if has_out else None
    result = lanesort.vecdot(x, y, axis=axis, out=out)
    assert same(result, expected) and (result is out or not has_out)


OFFSETS = [[0, 20_001], [3, 3, 4, 11, 11, 17_000, 19_999], [5], [0, 0, 1, 20_001, 20_001]]


@pytest.mark.parametrize("dtype", [*DTYPES, "bool"])
@pytest.mark.parametrize("offsets", OFFSETS)
def test_segments_of_every_type(dtype, offsets):
    x = keys_of(dtype, 20_001)
    parts = [x[begin:end] for begin, end in itertools.pairwise(offsets)]
    for largest, best, place in ((False, lanesort.min, lanesort.argmin), (True, lanesort.max, lanesort.argmax)):
        expected = [place_of(part, largest) if part.size else -1 for part in parts]
        assert same(place(x, segments=offsets), np.array(expected, "i8"))
        found = best(x, segments=np.array(offsets, "u4"))
        assert found.dtype == x.dtype and found.shape == (len(parts),)
        for result, part, place_of_it in zip(found, parts, expected, strict=True):
            if part.size:
                assert same(result, part[place_of_it])
            elif x.dtype.kind == "f":
                assert np.isnan(result)
            elif x.dtype.kind in "iu":
                assert result == (np.iinfo(dtype).min if largest else np.iinfo(dtype).max)
    kind = {"u": "u8", "f": "f8" if dtype == "f8" else "f4"}.get(x.dtype.kind, "i8")
    if x.dtype.kind == "f":
        x = (keys_of("i1", x.size) % 3).astype(dtype)
    y = x[::-1].copy()
    for values, result in (
        (x.astype(kind), lanesort.sum(x, segments=offsets)),
        (x.astype(kind) * y.astype(kind), lanesort.vecdot(x, y, segments=offsets)),
    ):
        expected = np.array([values[b:e].sum(dtype=kind) for b, e in itertools.pairwise(offsets)], kind)
        assert same(result, expected)
        out = np.empty(2 * len(parts), expected.dtype.newbyteorder())[::2]
        assert lanesort.sum(values, segments=offsets, out=out) is out and (out == expected).all()


def test_sums_of_segments_are_those_of_each():
    x = np.random.default_rng(1).standard_normal(30_001).astype("f4")
    offsets = [1, 20_002, 20_003, 30_001]
    alone = [lanesort.sum(x[begin:end]) for begin, end in itertools.pairwise(offsets)]
    assert same(lanesort.sum(x, segments=offsets), np.array(alone))
    whole = np.add.reduceat(x.astype("f8"), offsets[:-1])
    assert np.abs(lanesort.sum(x, segments=offsets) - whole).max() < 0.01
    swapped = x.astype(">f4")
    assert same(lanesort.sum(swapped, axis=0, segments=offsets), np.array(alone))
    assert same(lanesort.sum(np.repeat(x, 2)[::2], segments=offsets), np.array(alone))


def test_no_keys(failing):
    assert same(lanesort.sum(np.empty(0, "u4")), np.uint64(0)) and same(lanesort.sum(np.empty(0, "f4")), np.float32(0))
    assert same(lanesort.sum(np.empty((3, 0)), axis=1), np.zeros(3))
    assert same(lanesort.sum(np.empty((3, 0)), axis=0), np.zeros(0))
    assert same(lanesort.max(np.empty((3, 0)), axis=0), np.zeros(0))
    assert same(lanesort.sum(np.empty(0, "i4"), segments=[0, 0, 0]), np.zeros(2, "i8"))
    assert same(lanesort.min(np.empty(0, "u1"), segments=[0, 0]), np.full(1, 255, "u1"))
    assert same(lanesort.argmax(np.empty(0, "u1"), segments=[0, 0]), np.full(1, -1))
    for function in (lanesort.min, lanesort.max, lanesort.argmin, lanesort.argmax):
        assert function(np.empty(0), segments=[0]).shape == (0,)
        failing("invalid_argument", "no minimum", function, np.empty(0))
        failing("invalid_argument", "no minimum", function, np.empty((3, 0)), axis=1)


def test_nans_and_zeros():
    nan = np.nan
    assert lanesort.min(np.array([nan, 2, 1, nan])) == 1 and lanesort.argmax(np.array([nan, 2, 1, nan])) == 1
    assert np.isnan(lanesort.max(np.array([nan, nan]))) and lanesort.argmin(np.array([nan, nan])) == 0
    assert np.isnan(lanesort.sum(np.array([1.0, nan])))
    zeros = np.array([0.0, -0.0, 0.0])
    assert np.signbit(lanesort.min(zeros)) and not np.signbit(lanesort.max(zeros))
    assert lanesort.argmin(zeros) == 1 and lanesort.argmax(zeros) == 0
    assert not np.signbit(lanesort.sum(np.array([-0.0, -0.0])))
    assert lanesort.sum(np.array([1 << 63, 1 << 63, 3], "u8")) == 3


def test_mistakes_are_told(failing):
    x = np.arange(6.0).reshape(2, 3)
    failing("invalid_argument", "no axis 2", lanesort.sum, x, axis=2)
    failing("invalid_argument", "must have (2,) and float64", lanesort.sum, x, axis=1, out=np.empty(3))
    failing("invalid_argument", "must have (2,) and int64", lanesort.argmin, x, axis=1, out=np.empty(2, "i4"))
    failing("not_writable", "read-only", lanesort.sum, x, axis=1, out=np.frombuffer(bytes(16)))
    failing("invalid_argument", "complex128", lanesort.sum, x.astype(complex))
    failing("invalid_argument", "no minimum", lanesort.min, [])
    failing("invalid_argument", "this one has 2", lanesort.sum, x, segments=[0, 3])
    failing("invalid_argument", "this one has 2", lanesort.vecdot, x, x, segments=[0, 3])
    failing("invalid_argument", "keepdims=", lanesort.sum, x[0], segments=[0, 3], keepdims=True)
    failing("invalid_argument", "no axis 1", lanesort.sum, x[0], segments=[0, 3], axis=1)
    failing("invalid_argument", "do not ascend", lanesort.max, x[0], segments=[0, 2, 1])
    failing("invalid_argument", "where each begins", lanesort.argmax, x[0], segments=[])
    failing("invalid_argument", "must be integers", lanesort.sum, x[0], segments=[0.0, 1.0])
    failing("out_of_range", "ends at key 4", lanesort.sum, x[0], segments=[0, 4])
    failing("invalid_argument", "must have (1,) and float64", lanesort.sum, x[0], segments=[0, 3], out=np.empty(2))
    failing("invalid_argument", "must have (2, 3) and float64", lanesort.vecdot, x, x[:1])
    failing("invalid_argument", "type NoneType is no array", lanesort.vecdot, x, None)
    failing("invalid_argument", "must have (2, 3) and float64", lanesort.vecdot, x, x.astype("f4"))
    failing("invalid_argument", "must have (2,) and float64", lanesort.vecdot, x, x, out=np.empty(3))
    failing("not_writable", "read-only", lanesort.vecdot, x, x, out=np.frombuffer(bytes(16)))
    failing("invalid_argument", "complex128", lanesort.vecdot, x.astype(complex), x.astype(complex))


def test_prepared_planned_and_recorded():
    sorter, x, out = lanesort.Sorter(), keys_of("i4", 5000), np.empty((), "i8")
    sorter.prepare("max", x)
    assert len(lanesort.plan("sum", x).commands) > 0
    again = sorter.record("sum", x, out=out)
    y = keys_of("i4", 5000, 7)
    product = np.empty((), "i8")
    multiply = sorter.record("vecdot", x, y, axis=None, out=product)
    parts = np.empty(2, "i4")
    assert len(lanesort.plan("min", x, segments=[0, 5000]).commands) > len(lanesort.plan("min", x, segments=[0, 9]).commands)
    of_parts = sorter.record("min", x, segments=[0, 7, 5000], out=parts)
    for seed in range(3):
        x[...] = keys_of("i4", 5000, seed)
        again()
        assert out == np.sum(x, dtype="i8")
        of_parts()
        assert same(parts, np.minimum.reduceat(x, [0, 7]))
        multiply()
        assert product == np.sum(x.astype("i8") * y)
