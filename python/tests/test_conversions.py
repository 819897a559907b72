# SPDX-License-Identifier: MIT
"""What is no array of numbers yet becomes one without a loss, or is refused: missing values, integers beside floats."""

import importlib
from collections import deque

import numpy as np
import pytest
from conftest import same

import lanesort

BIG = 2**53
NUMBERS = [BIG + 1, BIG, None, 1, None, BIG + 1]
ASCENDING, DESCENDING = [3, 1, 0, 5, 2, 4], [0, 5, 1, 3, 2, 4]


def library(name):
    """The module, or None where it is not installed."""
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def columns(kind, numbers):
    """The same column in every library that is installed. The kind is Arrow's name of it."""
    if kind == "bool":
        numbers = [None if number is None else bool(number) for number in numbers]
    pandas, polars, pyarrow = map(library, ("pandas", "polars", "pyarrow"))
    names = {"uint8": "UInt8", "int64": "Int64", "uint64": "UInt64", "bool": "boolean", "float": "Float32", "double": "Float64"}
    found = []
    if pandas:
        series = pandas.Series(numbers, dtype=names[kind])
        found += [series, pandas.Index(series), series.array]
    if polars:
        found.append(polars.Series(numbers, dtype=getattr(polars, names[kind].replace("boolean", "Boolean"))))
    if pyarrow:
        column = pyarrow.array(numbers, kind)
        found += [column, pyarrow.chunked_array([column[:2], column[2:]]), column.dictionary_encode()]
    if pandas and pyarrow:
        found.append(pandas.Series(numbers, dtype=f"{kind}[pyarrow]"))
    if not found:
        pytest.skip("neither pandas nor polars nor pyarrow is installed")
    return found


@pytest.mark.parametrize("kind", ["int64", "uint64"])
def test_indices_of_a_column_have_what_is_missing_last(kind, failing):
    for column in columns(kind, NUMBERS):
        assert lanesort.argsort(column).tolist() == ASCENDING
        assert lanesort.argsort(column, descending=True).tolist() == DESCENDING
        assert lanesort.argsort(column, axis=0, stable=False, schedule="network").tolist() == ASCENDING
        out = np.empty(6, ">i4")
        assert lanesort.argsort(column, out=out) is out and out.tolist() == ASCENDING
        failing("invalid_argument", "segments", lanesort.argsort, column, segments=[0, 6])
        failing("invalid_argument", "no axis 1", lanesort.argsort, column, axis=1)
        failing("invalid_argument", "out has shape (5,)", lanesort.argsort, column, out=out[:5])
        failing("invalid_argument", "out is of type float64", lanesort.argsort, column, out=np.empty(6))
        failing("invalid_argument", "of type list", lanesort.argsort, column, out=[0] * 6)
        failing("invalid_argument", "out=", lanesort.Sorter().record, "argsort", column, out=np.empty(6, int))
        with pytest.raises(TypeError, match="descending"):
            lanesort.argsort(column, descending="no")
    for column in columns(kind, [None, None]):
        assert same(lanesort.argsort(column), np.arange(2))


@pytest.mark.parametrize("kind", ["float", "double", "bool", "uint8"])
def test_indices_of_a_column_of_any_type(kind):
    for column in columns(kind, [1, None, 0, 1, None]):
        assert lanesort.argsort(column).tolist() == [2, 0, 3, 1, 4]
        assert lanesort.argsort(column, descending=True).tolist() == [0, 3, 2, 1, 4]


def test_indices_of_numbers_beside_nan_and_what_is_missing():
    polars = pytest.importorskip("polars")
    column = polars.Series([float("nan"), None, 2.0, float("inf")])
    assert lanesort.argsort(column).tolist() == [2, 3, 0, 1]
    assert lanesort.argsort(column, descending=True).tolist() == [0, 3, 2, 1]


@pytest.mark.parametrize("kind", ["uint8", "int64", "uint64", "bool"])
def test_a_column_with_nothing_missing_is_taken_as_it_is(kind):
    most = {"uint8": 255, "int64": 2**63 - 1, "uint64": 2**64 - 1, "bool": True}[kind]
    for column in columns(kind, [most, 0, most - 1]):
        assert same(lanesort.sort(column), np.array([0, most - 1, most], kind) if most - 1 else np.array([0, 0, 1], bool))
    for column in columns(kind, []):
        assert lanesort.sort(column).shape == (0,)


def test_what_is_missing_among_floating_point_numbers_is_nan():
    for kind, dtype in (("float", "f4"), ("double", "f8")):
        for column in columns(kind, [2.5, None, 1.5]):
            assert same(lanesort.sort(column), np.array([1.5, 2.5, np.nan], dtype))


@pytest.mark.parametrize("kind", ["int64", "uint8", "bool"])
def test_what_is_missing_is_refused_by_all_else(kind, failing):
    plain = np.arange(3)
    for column in columns(kind, [1, None, 0]):
        for call in (
            lambda x: lanesort.sort(x), lambda x: lanesort.sort_(x), lambda x: lanesort.partial_sort(x, 1),
            lambda x: lanesort.nth_element(x, 1), lambda x: lanesort.sort_by_key(x, plain),
            lambda x: lanesort.sort_by_key(plain, x), lambda x: lanesort.sort_by_key(plain, (x, plain)),
            lambda x: lanesort.top_k(x, 1), lambda x: lanesort.top_k_by_key(plain, x, 1), lambda x: lanesort.merge(plain, x),
            lambda x: lanesort.is_sorted(x), lambda x: lanesort.unique(x), lambda x: lanesort.unique(plain, values=x),
            lambda x: lanesort.run_lengths(x), lambda x: lanesort.reduce_by_key(plain, x), lambda x: lanesort.group_by(x, plain),
            lambda x: lanesort.sum(x), lambda x: lanesort.argmin(x), lambda x: lanesort.vecdot(plain, x),
            lambda x: lanesort.cumulative_sum(x), lambda x: lanesort.inclusive_scan_by_key(x, plain),
            lambda x: lanesort.searchsorted(plain, x), lambda x: lanesort.histogram(x, 2, range=(0, 1)),
            lambda x: lanesort.histogram(plain, x), lambda x: lanesort.select(plain, x), lambda x: lanesort.gather(plain, x),
            lambda x: lanesort.sum(plain, segments=x), lambda x: lanesort.argsort([x, x]),
        ):  # fmt: skip
            failing("invalid_argument", "missing", call, column)
        failing("invalid_argument", ".drop", lanesort.sort, column)


def test_dates_are_moved_with_what_is_missing():
    polars = pytest.importorskip("polars")
    dates = polars.Series([5, None, 3]).cast(polars.Datetime("ms"))
    moved = lanesort.sort_by_key(np.array([2, 1, 0]), dates).values
    assert same(moved, np.array([3, "NaT", 5], "M8[ms]"))


def test_parts_of_a_polars_array_that_are_missing(failing):
    polars = pytest.importorskip("polars")
    rows = polars.Series([[BIG + 1, 2], [3, None]], dtype=polars.Array(polars.Int64, 2))
    failing("invalid_argument", "missing", lanesort.sort, rows)
    whole = rows.head(1)
    assert lanesort.sort(whole).tolist() == [[2, BIG + 1]]
    failing("invalid_argument", "missing", lanesort.sort, polars.Series([[1], None], dtype=polars.Array(polars.Int64, 1)))


def test_frames(failing):
    """Of columns of several types one is made, if that rounds nothing."""
    for name, maker in (("pandas", "DataFrame"), ("polars", "DataFrame"), ("pyarrow", "table")):
        if library(name) is None:
            continue
        frame = getattr(library(name), maker)
        assert lanesort.sort(frame({"a": [BIG + 1, 1], "b": [3, 2]})).tolist() == [[3, BIG + 1], [1, 2]]
        assert lanesort.sort(frame({"a": [3, 1], "b": [0.5, 1e300]})).tolist() == [[0.5, 3], [1, 1e300]]
        failing("invalid_argument", str(BIG + 1), lanesort.sort, frame({"a": [BIG + 1, 1], "b": [0.5, 1]}))
        for numbers in columns("int64", [BIG + 1, None]):
            if type(numbers).__module__.partition(".")[0] == name:
                failing("invalid_argument", "missing", lanesort.sort, frame({"a": numbers, "b": numbers}))


@pytest.mark.parametrize("numbers", [
    [BIG + 1, BIG, 0.5], (BIG + 1, 0.5), [[BIG + 1, 1], [0.5, 1]], [np.int64(BIG + 1), np.float64(0.5)], deque([BIG + 1, 0.5]),
    [np.array([BIG + 1]), np.array([0.5])], [2**64 - 1, -1], [np.uint64(BIG + 1), np.int64(1)], [[[1.0, BIG + 1]]],
])  # fmt: skip
def test_integers_are_not_rounded_beside_floating_point_numbers(numbers, failing):
    for call in (lanesort.sort, lanesort.argsort, lanesort.unique, lanesort.sum):
        failing("invalid_argument", "float64", call, numbers)


def test_integers_that_floating_point_numbers_can_be():
    assert same(lanesort.sort([2**60, 0.5, 1e300, float("nan")]), np.array([0.5, 2**60, 1e300, np.nan]))
    assert same(lanesort.sort([[2, 0.5], [-1, 2**62]]), np.array([[0.5, 2], [-1, 2**62]]))
    assert same(lanesort.sort([2**63 + 1, 2**63]), np.array([2**63, 2**63 + 1], "u8"))


@pytest.mark.parametrize("x", [
    [1, None], [1.5, None], [2**70, 1], [10**400, 0.5], np.array([1, None]), [np.ma.masked, 1.0], [np.ma.array([1, 2], mask=[0, 1])],
    [[np.ma.array([1, 2], mask=[0, 1])]], np.ma.array([1, 2]), np.ma.masked,
])  # fmt: skip
def test_objects_and_masked_arrays_are_refused(x, failing):
    for call in (lanesort.sort, lanesort.argsort, lanesort.unique, lanesort.sum, lambda x: lanesort.gather(np.arange(3), x)):
        failing("invalid_argument", "", call, x)


def test_a_mask_that_only_an_interface_tells_of(failing):
    class Given:
        def __init__(self, **more):
            self.numbers = np.array([3, 1, 2])
            self.__array_interface__ = {**self.numbers.__array_interface__, **more}

    assert lanesort.sort(Given()).tolist() == [1, 2, 3]
    failing("invalid_argument", "masked", lanesort.sort, Given(mask=np.array([True, False, True])))

    class Masked:
        def __array__(self, dtype=None, copy=None):
            return np.ma.array([1, 2], mask=[0, 1])

    failing("invalid_argument", "masked", lanesort.sort, Masked())

    class Counted(Given):
        null_count = 1

    failing("invalid_argument", "1 values are missing", lanesort.sort, Counted())
    failing("invalid_argument", "1 values are missing", lanesort.argsort, Counted())
    dask = pytest.importorskip("dask.array")
    failing("invalid_argument", "masked", lanesort.sort, dask.ma.masked_array(dask.arange(3), mask=[0, 1, 0]))
