# SPDX-License-Identifier: MIT
"""Numpy's arrays of what is none yet, such as lists and columns of pandas, polars and pyarrow, with no value changed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ._errors import Error

_Array = np.ndarray[Any, Any]

_PLAIN = frozenset((bool, int, float, np.ndarray))
"""Elements of lists that hide nothing."""

_WHOLE = 2.0**53
"""Smaller integers are never rounded to a float64."""


def missing_in(x: Any) -> tuple[_Array, _Array] | None:
    """Returns the values of a column that are there, and for each place whether its value is missing.

    None: nothing is missing, or it is no column.
    """
    # polars has a method, pyarrow a number. A null in a dictionary is not counted as one.
    arrow_type: Any = getattr(x, "type", None)
    if hasattr(arrow_type, "index_type"):
        x = x.cast(arrow_type.value_type)
    nulls = getattr(x, "null_count", None)
    if callable(nulls):
        nulls = nulls()
    if isinstance(nulls, int):
        if nulls == 0:
            return None
        if not hasattr(x, "is_null"):
            raise Error(f"{nulls} values are missing, and an object of type {type(x).__name__} does not say which")
        missing = np.asarray(x.is_null())
    elif hasattr(x, "isna") and not isinstance(getattr(x, "dtype", np.dtype(object)), np.dtype):
        missing = np.asarray(x.isna())
        if not missing.any():
            return None
    else:
        return None
    return np.asarray(_without_missing(x)()), missing


def _without_missing(x: Any) -> Callable[[], Any]:
    """The method by which each library leaves out what is missing."""
    names = "drop_nulls", "drop_null", "dropna"
    drop: Callable[[], Any] = next(getattr(x, name) for name in names if hasattr(x, name))
    return drop


def _check_missing(x: Any) -> None:
    found = missing_in(x)
    if found is None:
        return
    present, missing = found
    # Floating-point numbers have NaN for it, dates NaT; all else is no array of numbers anyway.
    if present.dtype.kind in "biu":
        raise Error(
            f"{np.count_nonzero(missing)} of {missing.size} values are missing, but an array of type {present.dtype} has "
            f"no place for that: drop them (x.{_without_missing(x).__name__}()), or sort the column's indices, of "
            "which those of missing values come last"
        )


def _has_mask(x: Any) -> bool:
    """Whether it has a mask that numpy does not see."""
    interface = getattr(x, "__array_interface__", None)
    if isinstance(interface, dict) and interface.get("mask") is not None:
        return True
    return isinstance(getattr(x, "_meta", None), np.ma.MaskedArray)  # dask


def _refuse_mask() -> Error:
    return Error("a masked array has no order for what is masked; sort what it holds (x.compressed())")


def _columns(x: Any) -> list[Any] | None:
    """Those of a frame, unless it is one array of numpy's already."""
    if hasattr(x, "get_columns"):  # polars
        return list(x.get_columns())
    if hasattr(x, "schema") and hasattr(x, "columns"):  # pyarrow
        return list(x.columns)
    if hasattr(x, "iloc") and getattr(x, "ndim", 0) == 2:  # pandas
        types = set(x.dtypes)
        if len(types) > 1 or not all(isinstance(dtype, np.dtype) for dtype in types):
            return [x.iloc[:, place] for place in range(x.shape[1])]
    return None


def _check_elements(x: Any) -> None:
    """Raises Error for a list that holds masked arrays, or columns with missing values, however deep."""
    for kind in set(map(type, x)) - _PLAIN:
        if not issubclass(kind, np.generic):
            check = _check_elements if issubclass(kind, list | tuple) else _check_element
            for element in x:
                if type(element) is kind:
                    check(element)


def _check_element(x: Any) -> None:
    if isinstance(x, np.ma.MaskedArray):
        raise _refuse_mask()
    if missing_in(x) is not None:
        raise Error("the list has a column with missing values")


def _check_rounding(x: Any, array: _Array) -> None:
    """Raises Error where integers became floating-point numbers that they are not."""
    if array.dtype != np.float64 or not (np.abs(array) >= _WHOLE).any():
        return
    for element in np.asarray(x, object).flat:
        number = element.item() if hasattr(element, "item") else element
        if isinstance(number, int) and int(float(number)) != number:
            raise Error(
                f"beside other numbers {number} would become a float64, which rounds it: convert all of them to one "
                "type first"
            )


def as_numpy(x: Any) -> _Array:
    """Raises Error for what is no array, and for what numpy would change on the way."""
    columns = _columns(x)
    if columns is not None:
        return as_numpy([as_numpy(column) for column in columns]).T
    if isinstance(x, list | tuple):
        _check_elements(x)
    try:
        array = np.asanyarray(x)
    except MemoryError:
        raise
    except Exception as cause:  # each library has its own
        raise Error(f"an object of type {type(x).__name__} is no array: {cause}") from cause
    if isinstance(array, np.ma.MaskedArray) or _has_mask(x):
        raise _refuse_mask()
    array = np.asarray(array)
    if array.ndim == 0 and array.dtype.kind in "OUS":
        raise Error(f"an object of type {type(x).__name__} is no array")
    _check_missing(x)
    if array.ndim > 1 and hasattr(x, "null_count"):  # polars' arrays of arrays
        as_numpy(x.explode())
    if not hasattr(x, "dtype"):
        _check_rounding(x, array)
    return array
