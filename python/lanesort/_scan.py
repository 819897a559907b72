# SPDX-License-Identifier: MIT
"""Sums, minima and maxima up to each element, or what an operator makes of them."""

from __future__ import annotations

import math
from functools import partial
from typing import Any, SupportsIndex

import numpy as np

from ._arguments import (
    axis_from_end, check_no_gradient, deliver, new_call, place_segments, set_operator, typed_out, values_beside,
)  # fmt: skip
from ._arrays import Arrays, taken
from ._calls import Calls, Task
from ._errors import Error
from ._reduce import REDUCTIONS, named
from ._types import BinaryOperator, Comparator
from ._typing import same_library

_OF_SCANS = ("sum", "min", "max")


class Scans(Calls):
    @same_library
    def cumulative_sum(self, x: Any, /, *, axis: SupportsIndex | None = None, out: Any = None, segments: Any = None) -> Any:
        """The sums of all numbers up to each one, with it, along an axis.

        Result: `out`, or an array of the shape of `x`: floating-point numbers of its type (float16 is added in float32),
        integers of 64 bits as those of `sum`. ``cumulative_sum(x, out=x)`` is in place.
        Order: floating-point numbers are added by a tree that their count and type give, so sums have the same bits in
        every run and on every device that keeps subnormal numbers, in place or not. In a segment the last bits depend on
        where in the array it lies.
        Memory: the result; integers of fewer bits are widened in it, of segments beside it. Of 64 bits on a graphics
        card also a thousandth of the array, along several rows up to 4096 sums for each; of segments a bit for each
        number, too. What is not contiguous is copied.
        Cost: reads all once or twice. Errors: no gradient goes through it.

        Args:
            axis: None: the only one.
            segments: of an array of one axis, where each begins and where the last ends: each is scanned by itself. What
                lies in none of them is 0 in a new result, and stays as it is in `out`.

        >>> import lanesort, numpy
        >>> lanesort.cumulative_sum(numpy.array([1, 2, 3]))
        array([1, 3, 6])
        >>> lanesort.cumulative_sum(numpy.array([1, 2, 3, 4]), segments=[0, 2, 4])
        array([1, 3, 3, 7])
        """
        return self._do(self._scan("inclusive_scan", x, "sum", axis, out, segments))

    @same_library
    def inclusive_scan(
        self, x: Any, /, reduction: str | BinaryOperator = "sum", *, axis: SupportsIndex | None = None, out: Any = None,
        segments: Any = None,
    ) -> Any:  # fmt: skip
        """The sums, minima or maxima of all numbers up to each one, with it, along an axis; or what an operator makes of
        elements.

        A minimum or a maximum is of the type of `x`, and a NaN only where all numbers so far are; -0 is smaller than +0. What
        an operator makes is of that type, too, and has the order and the errors of `reduce`. The rest is as in
        `cumulative_sum`.

        Args:
            reduction: "sum", "min", "max" or a `BinaryOperator`.
            axis, segments: as in `cumulative_sum`.

        >>> import lanesort, numpy
        >>> lanesort.inclusive_scan(numpy.array([3, 1, 4, 1, 5]), "max")
        array([3, 3, 4, 4, 5])
        >>> lanesort.inclusive_scan(numpy.array([3, 5, 7, 11]), lanesort.BinaryOperator("a * b % 100", "1"))
        array([ 3, 15,  5, 55])
        """
        return self._do(self._scan("inclusive_scan", x, reduction, axis, out, segments))

    @same_library
    def exclusive_scan(
        self, x: Any, /, reduction: str | BinaryOperator = "sum", *, axis: SupportsIndex | None = None, out: Any = None,
        segments: Any = None,
    ) -> Any:  # fmt: skip
        """The same of the numbers in front of each one: of lengths, the sums are where each part begins.

        The first of a row is 0; as a minimum the largest number of the type, as a maximum the smallest, and NaN of
        floating-point numbers; by an operator its identity. The rest is as in `inclusive_scan`.

        >>> import lanesort, numpy
        >>> lanesort.exclusive_scan(numpy.array([1, 2, 3]))
        array([0, 1, 3])
        """
        return self._do(self._scan("exclusive_scan", x, reduction, axis, out, segments))

    @same_library
    def inclusive_scan_by_key(
        self, keys: Any, values: Any, /, reduction: str | BinaryOperator = "sum", *,
        comparator: str | Comparator | None = None, out: Any = None,
    ) -> Any:  # fmt: skip
        """The sums, minima or maxima of all values up to each one, with it, as far as the keys in front are equal to its
        own; or what an operator makes of them.

        Result: `out`, or an array as long as `values`, of the type that `inclusive_scan` has. ``out=values`` is in place,
        where that is the same type. Keys come in any order. They are equal if all of
        their bits are, or if they are NaNs.
        Order: sums of floating-point numbers have the same bits in every run and on every device, but the last bits depend
        on where in the array a run lies. Memory: as `cumulative_sum`, a bit for each key, and a copy of keys that
        have NaNs. Cost: reads the keys once, the values once or twice. Errors: an operator needs a device that compiles;
        no gradient goes through it.

        Args:
            reduction: as in `inclusive_scan`.
            comparator: an order of keys that are records, as text (`Comparator`).

        >>> import lanesort, numpy
        >>> lanesort.inclusive_scan_by_key(numpy.array([1, 1, 7, 1]), numpy.array([10, 20, 30, 40]))
        array([10, 30, 30, 40])
        """
        return self._do(self._scan_by_key("inclusive_scan_by_key", keys, values, reduction, comparator, out))

    @same_library
    def exclusive_scan_by_key(
        self, keys: Any, values: Any, /, reduction: str | BinaryOperator = "sum", *,
        comparator: str | Comparator | None = None, out: Any = None,
    ) -> Any:  # fmt: skip
        """The same of the values in front of each one, which begin as those of `exclusive_scan`.

        >>> import lanesort, numpy
        >>> lanesort.exclusive_scan_by_key(numpy.array([1, 1, 7, 1]), numpy.array([10, 20, 30, 40]))
        array([ 0, 10,  0,  0])
        """
        return self._do(self._scan_by_key("exclusive_scan_by_key", keys, values, reduction, comparator, out))

    def _scan(
        self, operation: str, x: Any, reduction: str | BinaryOperator, axis: SupportsIndex | None, out: Any, segments: Any
    ) -> Task:
        name, combining = named(reduction, _OF_SCANS, "scan")
        lib, source = taken(x)
        if axis is None and source.ndim > 1:
            raise Error(f"numbers are scanned along one axis, but there are {source.ndim}; give axis=")
        axis = axis_from_end(source, -1 if axis is None else axis)
        check_no_gradient(lib, "a scan", source)
        dtype = _scanned_type(lib, source, name)
        target = typed_out(lib, out, tuple(source.shape), dtype)
        within = _type_within(operation, name, dtype)
        scanned, work = self._places(lib, source, axis, within, target, segments is not None)
        call = new_call(operation, lib, scanned, False, None, combining)
        offsets = place_segments(lib, call, scanned, segments)
        has_keys = math.prod(scanned.shape) > 0
        if has_keys:
            if combining is None:
                call.reduction = REDUCTIONS[name]
            if lib.at(work) == call.keys:
                call.in_place = True
            else:
                call.results = lib.at(work)
        arrays = [scanned, *offsets] if work is scanned else [scanned, work, *offsets]
        finish = partial(_finish, lib, work, within, dtype, None if name == "sum" else source, target, axis, out)
        return lib, call if has_keys else None, arrays, combining is not None, finish

    def _scan_by_key(
        self, operation: str, keys: Any, values: Any, reduction: str | BinaryOperator,
        comparator: str | Comparator | None, out: Any,
    ) -> Task:  # fmt: skip
        name, combining = named(reduction, _OF_SCANS, "scan")
        lib, source = taken(keys)
        if source.ndim != 1:
            raise Error(f"keys and values are arrays of one axis, but these keys have {source.ndim}")
        beside = values_beside(lib, values, source)
        check_no_gradient(lib, "a scan", beside)
        dtype = _scanned_type(lib, beside, name)
        target = typed_out(lib, out, tuple(beside.shape), dtype)
        compared = self._grouped(lib, self._flat(lib, source), comparator)
        within = _type_within(operation, name, dtype)
        scanned, work = self._places(lib, beside, -1, within, target, False)
        call = new_call(operation, lib, compared, False, comparator)
        if combining is not None:
            set_operator(lib, call, scanned, combining, True)
        else:
            call.reduction, call.value_type = REDUCTIONS[name], lib.key_type(scanned)
        has_keys = source.shape[0] > 0
        if has_keys:
            call.values, call.value_bytes = lib.at(scanned), lib.item_bytes(scanned)
            if lib.at(work) == call.values:
                call.in_place = True
            else:
                call.result_values = lib.at(work)
        finish = partial(_finish, lib, work, within, dtype, None if name == "sum" else beside, target, -1, out)
        arrays = [compared, scanned] if work is scanned else [compared, scanned, work]
        compiles = comparator is not None or combining is not None
        return lib, call if has_keys else None, arrays, compiles, finish

    def _places(
        self, lib: Arrays, source: Any, axis: int, dtype: np.dtype[Any], target: Any, leaves: bool
    ) -> tuple[Any, Any]:
        """What is scanned, direct and of the type of the results, and where these go, which may be the same. With
        `leaves`, not all of them are written."""
        widens = lib.numpy_dtype(source).newbyteorder("=") != dtype
        scanned = self._widened(lib, source, axis, dtype.name) if widens else self._direct(lib, source, axis)
        if leaves:
            if target is not None and lib.numpy_dtype(target).newbyteorder("=") != dtype:
                return scanned, self._widened(lib, target, axis, dtype.name)
            return scanned, self._result(lib, scanned, target, scanned.shape, axis, None, 0)
        # A widened copy is ours, so the sums take its place.
        return scanned, scanned if widens else self._result(lib, scanned, target, scanned.shape, axis, None)


def _finish(
    lib: Arrays, work: Any, within: np.dtype[Any], dtype: np.dtype[Any], like: Any, target: Any, axis: int, out: Any
) -> Any:
    result = work if within == dtype else lib.cast(work, dtype.name)
    return deliver(lib, result, result if like is None else like, target, axis, out)


def _scanned_type(lib: Arrays, source: Any, name: str) -> np.dtype[Any]:
    """The type of the results of a scan of that name, or by an operator."""
    given: np.dtype[Any] = lib.numpy_dtype(source).newbyteorder("=")
    if not name:
        return given
    key_type = lib.key_type(source)
    if name != "sum" or given.kind == "f":
        return given
    dtype = np.dtype(lib.sum_type(source, key_type))
    return np.dtype(dtype.name.replace("64", "32")) if lib.index_bytes == 4 else dtype


def _type_within(operation: str, name: str, dtype: np.dtype[Any]) -> np.dtype[Any]:
    """The type of results of that type in the call. Of bools those of a minimum are bytes: in front of all it is 255,
    which is no bool, but becomes one."""
    is_byte = dtype.kind == "b" and name == "min" and operation.startswith("exclusive")
    return np.dtype(np.uint8) if is_byte else dtype


_default = Scans._default()
cumulative_sum, inclusive_scan, exclusive_scan = _default.cumulative_sum, _default.inclusive_scan, _default.exclusive_scan
inclusive_scan_by_key, exclusive_scan_by_key = _default.inclusive_scan_by_key, _default.exclusive_scan_by_key

__all__ = [
    "cumulative_sum", "exclusive_scan", "exclusive_scan_by_key", "inclusive_scan", "inclusive_scan_by_key",
]  # fmt: skip
