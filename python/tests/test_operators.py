# SPDX-License-Identifier: MIT
"""What operators make of elements, on numpy's arrays, against functools.reduce and itertools.accumulate."""

import functools
import itertools
import operator

import numpy as np
import pytest
from conftest import DTYPES, SIZES, keys_of, same

import lanesort

MASK = (1 << 32) - 1
# One affine map after another, each a factor below and a term above: associative, and not commutative.
COMPOSED = lanesort.BinaryOperator(
    "composed(a, b)", "1",
    declarations="""
    inline ulong composed(ulong a, ulong b) {
        const ulong mask = 0xffffffff;
        return ((a >> 32) * (b & mask) + (b >> 32)) << 32 | ((a & mask) * (b & mask) & mask);
    }""",
)  # fmt: skip
MAP = np.dtype([("factor", "u4"), ("term", "u4")])
OF_RECORDS = lanesort.BinaryOperator(
    "composed(a, b)", "map_of(1, 0)",
    declarations="""
    inline lanesort_python_record map_of(uint factor, uint term) {
        lanesort_python_record map;
        map.factor = factor;
        map.term = term;
        return map;
    }
    inline lanesort_python_record composed(lanesort_python_record a, lanesort_python_record b) {
        return map_of(a.factor * b.factor, a.term * b.factor + b.term);
    }""",
)  # fmt: skip
DISTANCE = lanesort.BinaryOperator("a > b ? a : b", "0", transform="a > b ? a - b : b - a")


def composed(a, b):
    return (((a >> 32) * (b & MASK) + (b >> 32)) & MASK) << 32 | ((a & MASK) * (b & MASK) & MASK)


def reduced(maps):
    return np.uint64(functools.reduce(composed, maps.tolist(), 1))


def up_to_each(maps, exclusive=False):
    results = list(itertools.accumulate(maps.tolist(), composed, initial=1))
    return np.array(results[: maps.size] if exclusive else results[1:], "u8")


def maps_of(size, seed=1):
    """Factors are odd, so that none makes the rest of no account."""
    return np.random.default_rng(seed).integers(0, 1 << 63, size, "u8") * np.uint64(2) + np.uint64(1)


def in_layout(x, layout):
    if layout == "strided":
        return np.repeat(x, 2, axis=-1)[..., ::2]
    return x.astype(x.dtype.newbyteorder()) if layout == "swapped" else x.copy()


@pytest.mark.parametrize("records", [False, True])
def test_operators_of_every_size(records):
    kind, combining = (MAP, OF_RECORDS) if records else ("u8", COMPOSED)
    for size in SIZES:
        x = maps_of(size, size)
        given, kept = x.view(kind), x.copy()
        assert same(lanesort.reduce(given, combining), reduced(x).view(kind)), size
        assert same(lanesort.inclusive_scan(given, combining), up_to_each(x).view(kind)), size
        assert same(lanesort.exclusive_scan(given, combining), up_to_each(x, True).view(kind)), size
        assert same(x, kept)
        assert lanesort.inclusive_scan(given, combining, out=given) is given and same(x, up_to_each(kept)), size


@pytest.mark.parametrize("dtype", [*(dtype for dtype in DTYPES if dtype != "f2"), "bool"])
def test_operators_of_every_type(dtype):
    last = lanesort.BinaryOperator("b != 0 ? b : a", "0")  # of those that are not 0
    x = np.where(np.random.default_rng(1).random(4097) < 0.7, np.zeros(1, dtype), keys_of(dtype, 4097))
    expected = np.array(list(itertools.accumulate(x, lambda a, b: b if b != 0 else a)), dtype)
    assert (expected[1:] != expected[:-1]).sum() > 100 or dtype == "bool"
    assert same(lanesort.inclusive_scan(x, last), expected)
    assert same(lanesort.exclusive_scan(x, last), np.concatenate((np.zeros(1, dtype), expected[:-1])))
    assert same(lanesort.inclusive_scan_by_key(np.zeros(x.size), x, last), expected)
    assert same(lanesort.reduce(x, last), expected[-1])
    assert same(lanesort.reduce(x[:0], last), np.zeros((), dtype))


@pytest.mark.parametrize("layout", ["plain", "strided", "swapped"])
def test_axes(layout):
    maps = maps_of(105).reshape(3, 5, 7)
    x = in_layout(maps, layout)
    for axis in (-3, 1, 2):
        expected = np.apply_along_axis(reduced, axis, maps)
        assert (lanesort.reduce(x, COMPOSED, axis=axis) == expected).all()
        out = np.empty(np.expand_dims(expected, axis).shape, x.dtype)
        assert lanesort.reduce(x, COMPOSED, axis=axis, keepdims=True, out=out) is out
        assert (out == np.expand_dims(expected, axis)).all()
        expected = np.apply_along_axis(up_to_each, axis, maps)
        result = lanesort.inclusive_scan(x, COMPOSED, axis=axis)
        assert (result == expected).all() and result.shape == x.shape
        out = np.zeros(x.shape, x.dtype)
        assert lanesort.exclusive_scan(x, COMPOSED, axis=axis, out=out) is out
        assert (out == np.apply_along_axis(up_to_each, axis, maps, True)).all()
    assert lanesort.reduce(x, COMPOSED) == reduced(maps.reshape(-1))


def test_no_elements():
    assert same(lanesort.reduce(np.empty((2, 0, 3), "u8"), COMPOSED, axis=1), np.ones((2, 3), "u8"))
    assert lanesort.reduce(np.empty((2, 0), "u8"), COMPOSED, axis=0).shape == (0,)
    assert same(lanesort.reduce(np.empty((2, 0), "u8"), COMPOSED, axis=1, keepdims=True), np.ones((2, 1), "u8"))
    assert same(lanesort.reduce(np.empty((2, 0), "u8"), COMPOSED), np.uint64(1))
    assert same(lanesort.reduce(np.empty(0, "u8"), COMPOSED, segments=[0, 0, 0]), np.ones(2, "u8"))
    assert lanesort.reduce(np.arange(3, dtype="u8"), COMPOSED, segments=[2]).shape == (0,)
    assert same(lanesort.transform_reduce(np.empty((2, 0)), np.empty((2, 0)), DISTANCE, axis=1), np.zeros(2))
    for scan in (lanesort.inclusive_scan, lanesort.exclusive_scan):
        assert scan(np.empty(0, MAP), OF_RECORDS).shape == (0,)
    assert lanesort.inclusive_scan_by_key(np.empty(0), np.empty(0, MAP), OF_RECORDS).shape == (0,)


@pytest.mark.parametrize("offsets", [[0, 20_001], [3, 3, 4, 11, 11, 17_000, 19_999], [5], [0, 0, 1, 20_001, 20_001]])
@pytest.mark.parametrize("index", ["i8", "u4"])
def test_segments(offsets, index):
    x, segments = maps_of(20_001), np.array(offsets, index)
    parts = [slice(begin, end) for begin, end in itertools.pairwise(offsets)]
    expected = np.array([reduced(x[part]) for part in parts], "u8")
    assert same(lanesort.reduce(x, COMPOSED, segments=segments), expected)
    assert same(lanesort.reduce(x.view(MAP), OF_RECORDS, segments=segments), expected.view(MAP))
    for scan, exclusive in ((lanesort.inclusive_scan, False), (lanesort.exclusive_scan, True)):
        for before in (np.zeros(x.size, "u8"), np.full(x.size, 7, "u8"), x.copy(), np.full(2 * x.size, 7, "u8")[::2]):
            expected = before.copy()
            for part in parts:
                expected[part] = up_to_each(x[part], exclusive)
            if not before.any():
                assert same(scan(x, COMPOSED, segments=segments), expected)
            assert scan(x, COMPOSED, segments=segments, out=before) is before and same(before, expected)
        in_place = x.copy()
        scan(in_place, COMPOSED, segments=segments, out=in_place)
        assert same(in_place, np.concatenate([x[: offsets[0]], *[up_to_each(x[part], exclusive) for part in parts],
                                              x[offsets[-1] :]]))  # fmt: skip


@pytest.mark.parametrize("records", [False, True])
def test_values_of_equal_keys(records):
    kind, combining = (MAP, OF_RECORDS) if records else ("u8", COMPOSED)
    keys = np.repeat([3.0, 1.0, 3.0, 2.0, 1.0], [1, 400, 5000, 300, 2])
    values = maps_of(keys.size)
    runs = [np.array([value for _, value in run], "u8") for _, run in itertools.groupby(zip(keys, values), lambda p: p[0])]
    for scan, exclusive in ((lanesort.inclusive_scan_by_key, False), (lanesort.exclusive_scan_by_key, True)):
        expected = np.concatenate([up_to_each(run, exclusive) for run in runs]).view(kind)
        assert same(scan(keys, values.view(kind), combining), expected)
        assert same(scan(keys[::-1][::-1], in_layout(values.view(kind), "strided"), combining), expected)
        out = values.copy().view(kind)
        assert scan(keys, out, combining, out=out) is out and same(out, expected)
    records = np.zeros(keys.size, np.dtype([("key", "f4"), ("id", "u4")]))
    records["key"], records["id"] = keys, np.arange(keys.size)
    expected = np.concatenate([up_to_each(run) for run in runs]).view(kind)
    assert same(lanesort.inclusive_scan_by_key(records, values.view(kind), combining, comparator="a.key < b.key"), expected)


def test_pairs():
    for size in SIZES:
        x, y = keys_of("u4", size, 1), keys_of("u4", size, 2)
        farthest = np.max(np.abs(x.astype("i8") - y), initial=0).astype("u4")
        assert same(lanesort.transform_reduce(x, y, DISTANCE), farthest), size
        if size % 3 == 0:
            rows = np.max(np.abs(x.astype("i8") - y).reshape(3, -1), axis=1, initial=0).astype("u4")
            assert same(lanesort.transform_reduce(x.reshape(3, -1), y.reshape(3, -1), DISTANCE, axis=1), rows), size
    x, y = keys_of("i2", 1000, 1), keys_of("i2", 1000, 2)
    product = lanesort.BinaryOperator("a + b", "0", transform="a * b")
    expected = [np.sum(x[begin:end] * y[begin:end], dtype="i2") for begin, end in ((1, 1), (1, 700), (700, 1000))]
    assert same(lanesort.transform_reduce(x, y, product, segments=[1, 1, 700, 1000]), np.array(expected))
    # Which are the first and the second is told apart, and they may be one array.
    difference = product._replace(transform="a - 2 * b")
    assert lanesort.transform_reduce(x, y, difference) == np.sum(x - 2 * y, dtype="i2")
    assert lanesort.transform_reduce(x, x, difference) == np.sum(-x, dtype="i2")


def test_a_type_of_your_own():
    x = (np.arange(1, 30) % 5 + 1j).astype("c8")
    product = lanesort.BinaryOperator(
        "times(a, b)", "complex_of(1, 0)", "complex_number",
        "typedef struct { float x, y; } complex_number;"
        "inline complex_number complex_of(float x, float y) { complex_number c; c.x = x; c.y = y; return c; }"
        "inline complex_number times(complex_number a, complex_number b)"
        "{ return complex_of(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); }",
    )  # fmt: skip
    assert same(lanesort.inclusive_scan(x[:9], product), np.array(list(itertools.accumulate(x[:9], operator.mul)), "c8"))
    assert same(lanesort.reduce(x[:0], product), np.complex64(1))


def test_names_are_those_of_functions():
    x = keys_of("i2", (3, 333))
    for name in ("sum", "min", "max", "argmin", "argmax"):
        assert same(lanesort.reduce(x, name, axis=1), getattr(lanesort, name)(x, axis=1))
        assert same(lanesort.reduce(x[0], name, segments=[1, 9]), getattr(lanesort, name)(x[0], segments=[1, 9]))


def test_mistakes_are_told(failing):
    x, plus = np.arange(6), lanesort.BinaryOperator("a + b", "0")
    failing("invalid_argument", "no reduction 'mean', only sum", lanesort.reduce, x, "mean")
    failing("invalid_argument", "a lanesort.BinaryOperator", lanesort.reduce, x, "a + b")
    failing("invalid_argument", "a lanesort.BinaryOperator", lanesort.reduce, x, np.add)
    failing("invalid_argument", "a lanesort.BinaryOperator", lanesort.inclusive_scan, x, x)
    failing("invalid_argument", "is of type str", lanesort.transform_reduce, x, x, "sum")
    failing("invalid_argument", "operator: 0 is no text", lanesort.reduce, x, lanesort.BinaryOperator("a + b", 0))
    failing("invalid_argument", "and an identity", lanesort.reduce, x, lanesort.BinaryOperator("a + b", ""))
    failing("invalid_argument", "does not use the operator's `transform`", lanesort.reduce, x, DISTANCE)
    failing("invalid_argument", "needs the operator's `transform`", lanesort.transform_reduce, x, x, plus)
    failing("invalid_argument", "no `transform`", lanesort.exclusive_scan, x, DISTANCE)
    failing("invalid_argument", "no `transform`", lanesort.exclusive_scan_by_key, x, x, DISTANCE)
    failing("invalid_argument", "must have (6,) and int64", lanesort.transform_reduce, x, x[:3], DISTANCE)
    failing("invalid_argument", "must have (6,) and int64", lanesort.transform_reduce, x, x * 1.0, DISTANCE)
    failing("invalid_argument", "give the operator a type", lanesort.reduce, x.astype("f2"), plus)
    failing("invalid_argument", "align=True", lanesort.reduce, np.zeros(3, "u1,u4"), plus)
    failing("invalid_argument", "Python's objects", lanesort.reduce, x.astype(object), plus._replace(type="ulong"))
    failing("invalid_argument", "Python's objects", lanesort.inclusive_scan, x.astype(object), plus)
    failing("invalid_argument", "must have () and int64", lanesort.reduce, x, plus, out=np.empty((), "f8"))
    failing("invalid_argument", "and int64", lanesort.inclusive_scan, x, plus, out=np.empty(6))
    failing("not_writable", "read-only", lanesort.inclusive_scan, x, plus, out=np.frombuffer(bytes(48), int))
    failing("invalid_argument", "no axis 1", lanesort.reduce, x, plus, axis=1)
    failing("invalid_argument", "", lanesort.reduce, np.zeros(3, "V65"), plus._replace(type="record"))
    failing("build_failed", "", lanesort.reduce, x, lanesort.BinaryOperator("a + nothing", "0"))
    failing("build_failed", "", lanesort.reduce, x, plus._replace(type="int"))  # of another size
    failing("unsupported", "", lanesort.Sorter("built-in").reduce, x, plus)
    try:
        lanesort.inclusive_scan(x, lanesort.BinaryOperator("a + b", "nothing"))
    except lanesort.Error as error:
        assert "identity" in error.build_log and "nothing" in error.build_log


def test_prepared_planned_and_recorded(failing):
    sorter, x, y = lanesort.Sorter(), maps_of(5000), maps_of(5000, 2)
    one, each, by_key, parts, pairs = (np.zeros(shape, "u8") for shape in ((), 5000, 5000, 3, ()))
    keys, segments = np.repeat([1, 2], 2500), [1, 1, 2000, 4999]
    calls = [
        ("reduce", (x, COMPOSED), {"out": one}), ("inclusive_scan", (x, COMPOSED), {"out": each}),
        ("inclusive_scan_by_key", (keys, x, COMPOSED), {"out": by_key}),
        ("reduce", (x, COMPOSED), {"out": parts, "segments": segments}),
        ("transform_reduce", (x, y, DISTANCE), {"out": pairs}),
    ]  # fmt: skip
    for name, arguments, options in calls:
        sorter.prepare(name, *arguments, **options)
        assert len(sorter.plan(name, *arguments, **options).commands) > 0
        options = {name: option for name, option in options.items() if name != "out"}
        failing("invalid_argument", "needs out=", sorter.record, name, *arguments, **options)
    again = [sorter.record(name, *arguments, **options) for name, arguments, options in calls]
    for seed in range(3):
        x[...] = maps_of(5000, seed)
        for recorded in again:
            recorded()
        assert one == reduced(x) and same(each, up_to_each(x))
        assert same(by_key, np.concatenate((up_to_each(x[:2500]), up_to_each(x[2500:]))))
        assert parts.tolist() == [1, reduced(x[1:2000]), reduced(x[2000:4999])]
        assert pairs == max(abs(a - b) for a, b in zip(x.tolist(), y.tolist(), strict=True))
    failing("invalid_argument", "needs out=", sorter.record, "inclusive_scan", x, COMPOSED, segments=segments)
