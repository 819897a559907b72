"""Sums of all, of products and up to each number, the smallest and the largest keys or where they are, and groups."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ._arrays import taken
from ._calls import OPERATIONS, Calls, axis_from_end, without
from ._errors import Error
from ._types import Comparator, Groups

_REDUCTIONS = {
    name: number for number, name in enumerate(("sum", "min", "max", "argmin", "argmax", "count", "mean"))
}
_OF_GROUPS = ("sum", "min", "max", "count", "mean")
_OF_SCANS = ("sum", "min", "max")


class Reductions(Calls):
    def sum(self, x: Any, /, *, axis: int | None = None, keepdims: bool = False, out: Any = None) -> Any:
        """The sum of all numbers, or of those along an axis.

        Result: `out`, or of the library of `x` without the axis: integers of 64 bits, signed as those of `x` are (torch's
        always; of 32 bits in jax without its 64-bit types), which wrap; float32 of float16 and float32; float64.
        Order: floating-point numbers are added by a tree that their count and type give, so a sum has the same bits in
        every run and on every device that keeps subnormal numbers. numpy's and torch's have other roundings.
        Memory: the result, and up to 4096 partial sums for each row; what is not contiguous is copied. Cost: reads all
        once. Errors: no gradient goes through a sum.

        Args:
            axis: None: all of the array.
            keepdims: the axes that are gone stay, at length 1.

        >>> import lanesort, numpy
        >>> lanesort.sum(numpy.array([[1, 2], [3, 4]], "u1"), axis=0)
        array([4, 6], dtype=uint64)
        """
        return self._reduce("sum", x, axis, keepdims, out)

    def min(self, x: Any, /, *, axis: int | None = None, keepdims: bool = False, out: Any = None) -> Any:
        """The smallest number, or the smallest along an axis.

        Result: of the type of `x`, and without the axis. A NaN only where all are, as of numpy's nanmin, where numpy's and
        torch's min take any; -0 is smaller than +0. Memory, cost, arguments: as `sum`. Errors: there must be a number.

        >>> import lanesort, numpy
        >>> lanesort.min(numpy.array([[3.0, 1.0], [numpy.nan, 4.0]]), axis=1)
        array([1., 4.])
        """
        return self._reduce("min", x, axis, keepdims, out)

    def max(self, x: Any, /, *, axis: int | None = None, keepdims: bool = False, out: Any = None) -> Any:
        """The largest number, or the largest along an axis. The rest is as in `min`.

        >>> import lanesort, numpy
        >>> int(lanesort.max(numpy.array([3, 1, 4])))
        4
        """
        return self._reduce("max", x, axis, keepdims, out)

    def argmin(self, x: Any, /, *, axis: int | None = None, keepdims: bool = False, out: Any = None) -> Any:
        """Where the smallest number is; of equal ones where the first is.

        Result: integers of 64 bits (of 32 in jax without its 64-bit types): along the axis, or in all of the array as it
        is read row by row. The rest is as in `min`.

        >>> import lanesort, numpy
        >>> lanesort.argmin(numpy.array([[3, 1, 1], [0, 2, 2]]), axis=1)
        array([1, 0])
        """
        return self._reduce("argmin", x, axis, keepdims, out)

    def argmax(self, x: Any, /, *, axis: int | None = None, keepdims: bool = False, out: Any = None) -> Any:
        """Where the largest number is; of equal ones where the first is. The rest is as in `argmin`.

        >>> import lanesort, numpy
        >>> int(lanesort.argmax(numpy.array([3, 9, 9])))
        1
        """
        return self._reduce("argmax", x, axis, keepdims, out)

    def vecdot(self, x: Any, y: Any, /, *, axis: int | None = -1, out: Any = None) -> Any:
        """The sum of the products of two arrays along an axis: the dot product, or that of each row.

        Result: of the type of `sum`, and without the axis.
        Order: integers are multiplied in 64 bits, and wrap. Floating-point numbers are multiplied in the type of the
        result, rounded, and added by the tree of `sum`. Memory: as `sum`. Cost: reads both arrays once.
        Errors: both must have one shape and type; nothing is broadcast. No gradient goes through it.

        Args:
            axis: None: all of both arrays.

        >>> import lanesort, numpy
        >>> lanesort.vecdot(numpy.array([[1, 2], [3, 4]]), numpy.array([[5, 6], [7, 8]]))
        array([17, 53])
        """
        return self._reduce("sum", x, axis, False, out, (y,))

    def reduce_by_key(
        self, keys: Any, values: Any, /, reduction: str = "sum", *, comparator: str | Comparator | None = None
    ) -> Groups:
        """Each of sorted keys once, and what a reduction gives of its values.

        Result: two arrays of one axis, as long as there are runs of equal neighbours. Sums have the type of `sum`,
        minima and maxima that of the values, counts are integers of 64 bits; means are float64, of float16 and float32
        float32 (jax on a GPU has means of integers only with its 64-bit types).
        Order: that of the keys, which are not sorted first. Equal is as in `unique`. Floating-point numbers are added by
        a tree that the places of the keys give, so sums have the same bits in every run and on every device that keeps
        subnormal numbers. A minimum or a maximum is as in `min`. A mean is the number nearest to the sum divided by the
        count.
        Memory: the results at the length of the keys; but for counts a bit for each key, and a little for each 4096.
        Cost: reads keys and values once, for means the sums once more. Waits for the number of results.
        Errors: no gradient goes through it.

        Args:
            reduction: "sum", "min", "max", "count" or "mean".

        >>> import lanesort, numpy
        >>> lanesort.reduce_by_key(numpy.array([1, 1, 7, 1]), numpy.array([10, 20, 30, 40]))
        Groups(keys=array([1, 7, 1]), values=array([30, 30, 40]))
        """
        return self._groups("reduce_by_key", keys, values, reduction, False, False, comparator)

    def group_by(
        self, keys: Any, values: Any, /, reduction: str = "sum", *, descending: bool = False, stable: bool = False,
        comparator: str | Comparator | None = None,
    ) -> Groups:  # fmt: skip
        """Each distinct key once, in order, and what a reduction gives of its values.

        Result: as `reduce_by_key`, as long as there are distinct keys.
        Order: the keys come as in `sort`. The values of equal numbers are reduced in the order of their bits, so sums of
        floating-point numbers do not depend on where the values were; with `stable` in that in which they came. Of equal
        records `stable` keeps the first. Memory: as `reduce_by_key` and, for what is sorted, as `sort_by_key`.
        Cost: that of both.

        >>> import lanesort, numpy
        >>> lanesort.group_by(numpy.array([7, 1, 7]), numpy.array([1.0, 2.0, 4.0]), "mean")
        Groups(keys=array([1, 7]), values=array([2. , 2.5]))
        """
        return self._groups("group_by", keys, values, reduction, descending, stable, comparator)

    def cumulative_sum(self, x: Any, /, *, axis: int | None = None, out: Any = None) -> Any:
        """The sums of all numbers up to each one, with it, along an axis.

        Result: `out`, or an array of the shape of `x`: floating-point numbers of its type (float16 is added in float32),
        integers of 64 bits as those of `sum`. ``cumulative_sum(x, out=x)`` is in place.
        Order: floating-point numbers are added by a tree that their count and type give, so sums have the same bits in
        every run and on every device that keeps subnormal numbers, in place or not.
        Memory: the result; integers of fewer bits are widened in it. Of 64 bits on a graphics card also a thousandth of
        the array, along several rows up to 4096 sums for each. What is not contiguous is copied.
        Cost: reads all once or twice. Errors: no gradient goes through it.

        Args:
            axis: None: the only one.

        >>> import lanesort, numpy
        >>> lanesort.cumulative_sum(numpy.array([1, 2, 3]))
        array([1, 3, 6])
        """
        return self._scan("inclusive_scan", x, "sum", axis, out)

    def inclusive_scan(self, x: Any, /, reduction: str = "sum", *, axis: int | None = None, out: Any = None) -> Any:
        """The sums, minima or maxima of all numbers up to each one, with it, along an axis.

        A minimum or a maximum is of the type of `x`, and a NaN only where all numbers so far are; -0 is smaller than +0. The
        rest is as in `cumulative_sum`.

        Args:
            reduction: "sum", "min" or "max".

        >>> import lanesort, numpy
        >>> lanesort.inclusive_scan(numpy.array([3, 1, 4, 1, 5]), "max")
        array([3, 3, 4, 4, 5])
        """
        return self._scan("inclusive_scan", x, reduction, axis, out)

    def exclusive_scan(self, x: Any, /, reduction: str = "sum", *, axis: int | None = None, out: Any = None) -> Any:
        """The same of the numbers in front of each one: of lengths, the sums are where each part begins.

        The first of a row is 0; as a minimum the largest number of the type, as a maximum the smallest, and NaN of
        floating-point numbers. The rest is as in `inclusive_scan`.

        >>> import lanesort, numpy
        >>> lanesort.exclusive_scan(numpy.array([1, 2, 3]))
        array([0, 1, 3])
        """
        return self._scan("exclusive_scan", x, reduction, axis, out)

    def inclusive_scan_by_key(
        self, keys: Any, values: Any, /, reduction: str = "sum", *, comparator: str | Comparator | None = None,
        out: Any = None,
    ) -> Any:  # fmt: skip
        """The sums, minima or maxima of all values up to each one, with it, as far as the keys in front are equal to its own.

        Result: `out`, or an array as long as `values`, of the type that `inclusive_scan` has. ``out=values`` is in place,
        where that is the same type. Keys come in any order; they are equal if they are so in every bit, records if none
        of two comes before the other.
        Order: sums of floating-point numbers have the same bits in every run and on every device, but the last bits depend
        on where in the array a run lies. Memory: as `cumulative_sum`, and a bit for each key. Cost: reads the keys once,
        the values once or twice. Errors: no gradient goes through it.

        Args:
            comparator: as in `sort`, for keys that are records.

        >>> import lanesort, numpy
        >>> lanesort.inclusive_scan_by_key(numpy.array([1, 1, 7, 1]), numpy.array([10, 20, 30, 40]))
        array([10, 30, 30, 40])
        """
        return self._scan_by_key("inclusive_scan_by_key", keys, values, reduction, comparator, out)

    def exclusive_scan_by_key(
        self, keys: Any, values: Any, /, reduction: str = "sum", *, comparator: str | Comparator | None = None,
        out: Any = None,
    ) -> Any:  # fmt: skip
        """The same of the values in front of each one, which begin as those of `exclusive_scan`.

        >>> import lanesort, numpy
        >>> lanesort.exclusive_scan_by_key(numpy.array([1, 1, 7, 1]), numpy.array([10, 20, 30, 40]))
        array([ 0, 10,  0,  0])
        """
        return self._scan_by_key("exclusive_scan_by_key", keys, values, reduction, comparator, out)

    def _scanned_type(self, lib: Any, source: Any, reduction: str) -> np.dtype[Any]:
        """The type of a scan's results."""
        if reduction not in _OF_SCANS:
            raise Error(f"there is no scan of {reduction!r}, only of {', '.join(_OF_SCANS)}")
        key_type = lib.key_type(source)
        given = lib.numpy_dtype(source).newbyteorder("=")
        if reduction != "sum" or given.kind == "f":
            return given
        dtype = np.dtype(lib.sum_type(source, key_type))
        return np.dtype(dtype.name.replace("64", "32")) if lib.index_bytes == 4 else dtype

    def _scan_out(self, lib: Any, source: Any, dtype: np.dtype[Any], out: Any) -> Any:
        """An array of the caller's for the results of a scan."""
        target = self._out(lib, out)
        if target is not None:
            kind = lib.numpy_dtype(target).newbyteorder("=")
            if tuple(target.shape) != tuple(source.shape) or kind != dtype:
                raise Error(
                    f"out has shape {tuple(target.shape)} and type {kind}, but must have {tuple(source.shape)} and "
                    f"{dtype}"
                )
            lib.check_written(target, "out")
        return target

    def _scan_by_key(
        self, operation: str, keys: Any, values: Any, reduction: str, comparator: str | Comparator | None, out: Any
    ) -> Any:  # fmt: skip
        lib, source = taken(keys)
        if source.ndim != 1:
            raise Error(f"keys and values are arrays of one axis, but these keys have {source.ndim}")
        beside = self._values_beside(lib, values, source)
        if lib.is_differentiated(beside):
            raise Error("no gradient goes through scans of values; detach them")
        dtype = self._scanned_type(lib, beside, reduction)
        target = self._scan_out(lib, beside, dtype, out)
        compared = self._flat(lib, source)
        if lib.numpy_dtype(beside).newbyteorder("=") == dtype:
            scanned = self._direct(lib, beside, -1)
            work = self._result(lib, scanned, target, scanned.shape, -1, None)
        else:
            # The copy is ours, so the sums take its place.
            scanned = work = self._widened(lib, beside, -1, dtype.name)
        if source.shape[0] > 0:
            call = self._call(OPERATIONS[operation], lib, compared, False, comparator)
            call.reduction = _REDUCTIONS[reduction]
            call.values, call.value_type = lib.at(scanned), lib.key_type(scanned)
            call.value_bytes = lib.item_bytes(scanned)
            if lib.at(work) == call.values:
                call.in_place = True
            else:
                call.result_values = lib.at(work)
            arrays = [compared, scanned] if work is scanned else [compared, scanned, work]
            self._run(lib, call, arrays, comparator is not None)
        result = self._deliver(lib, work, beside, target, -1)
        return result if out is None else out

    def _scan(self, operation: str, x: Any, reduction: str, axis: int | None, out: Any) -> Any:
        lib, source = taken(x)
        if axis is None and source.ndim > 1:
            raise Error(f"numbers are scanned along one axis, but there are {source.ndim}; give axis=")
        axis = axis_from_end(source, -1 if axis is None else axis)
        if lib.is_differentiated(source):
            raise Error("no gradient goes through a cumulative sum; detach the array")
        dtype = self._scanned_type(lib, source, reduction)
        target = self._scan_out(lib, source, dtype, out)
        if lib.numpy_dtype(source).newbyteorder("=") == dtype:
            keys = self._direct(lib, source, axis)
            work = self._result(lib, keys, target, keys.shape, axis, None)
        else:
            # The copy is ours, so the sums take its place.
            keys = work = self._widened(lib, source, axis, dtype.name)
        if math.prod(keys.shape) > 0:
            call = self._call(OPERATIONS[operation], lib, keys, False, None)
            call.reduction = _REDUCTIONS[reduction]
            if lib.at(work) == call.keys:
                call.in_place = True
            else:
                call.results = lib.at(work)
            self._run(lib, call, [keys] if work is keys else [keys, work], False)
        result = self._deliver(lib, work, source, target, axis)
        return result if out is None else out

    def _groups(
        self, operation: str, keys: Any, values: Any, reduction: str, descending: bool, stable: bool,
        comparator: str | Comparator | None,
    ) -> Groups:  # fmt: skip
        lib, source = taken(keys)
        if source.ndim != 1:
            raise Error(f"keys and values are arrays of one axis, but these keys have {source.ndim}")
        beside = self._values_beside(lib, values, source)
        if reduction not in _OF_GROUPS:
            raise Error(f"there is no reduction {reduction!r} of equal keys, only {', '.join(_OF_GROUPS)}")
        if lib.is_differentiated(beside):
            raise Error("no gradient goes through reductions of equal keys; detach the values")
        # What is sorted for it are copies.
        works = [
            self._copied(lib, array, -1) if operation == "group_by" else self._flat(lib, array)
            for array in (source, beside)
        ]
        size, value_type = source.shape[0], lib.key_type(works[1])
        if size == 0 and comparator is None:
            lib.key_type(works[0])
        dtype: str | None = None
        if reduction == "count":
            dtype = "int64"
        elif reduction not in ("min", "max"):
            dtype = lib.sum_type(works[1], value_type)
            if reduction == "mean" and not dtype.startswith("float"):
                dtype = "float64"
        distinct, reduced = lib.empty(works[0], (size,)), lib.empty(works[1], (size,), dtype)
        number = 0
        if size > 0:
            answers = lib.empty(works[0], (1,), "int64")
            call = self._call(OPERATIONS[operation], lib, works[0], descending, comparator)
            call.reduction, call.stable = _REDUCTIONS[reduction], stable
            call.values, call.value_type, call.value_bytes = lib.at(works[1]), value_type, lib.item_bytes(works[1])
            call.results, call.result_values, call.answers = lib.at(distinct), lib.at(reduced), lib.at(answers)
            self._run(lib, call, [*works, distinct, reduced, answers], comparator is not None)
            number = lib.number(answers)
        if dtype is not None:
            reduced = lib.wide(reduced, dtype)
        return Groups(lib.given(lib.head(distinct, number)), lib.given(lib.head(reduced, number)))

    def _reduce(
        self, reduction: str, x: Any, axis: int | None, keepdims: bool, out: Any, factors: tuple[Any, ...] = ()
    ) -> Any:  # fmt: skip
        lib, source = taken(x)
        others = [self._taken_beside(lib, array, "the second array") for array in factors]
        for array in others:
            if tuple(array.shape) != tuple(source.shape) or array.dtype != source.dtype:
                raise Error(
                    f"the second array has shape {tuple(array.shape)} and type {array.dtype}, but must have "
                    f"{tuple(source.shape)} and {source.dtype}"
                )
        shape: tuple[int, ...]
        if axis is None:
            shape = (1,) * source.ndim if keepdims else ()
        else:
            axis = axis_from_end(source, axis)
            shape = without(source.shape, axis)
            if keepdims:
                place = len(shape) + 1 + axis
                shape = (*shape[:place], 1, *shape[place:])
        if any(lib.is_differentiated(array) for array in (source, *others)):
            if reduction in ("min", "max") and out is None:
                places = self._reduce("arg" + reduction, source, axis, True, None)
                along = source.reshape(-1) if axis is None else source
                best = along.take_along_dim(places.reshape(-1) if axis is None else places, -1 if axis is None else axis)
                return best.reshape(shape)
            if reduction in ("sum", "min", "max"):
                raise Error("no gradient goes through a sum or through out=; detach the array")
            source = source.detach()
        keys, *others = (
            self._flat(lib, array) if axis is None else self._direct(lib, array, axis)
            for array in (source, *others)
        )
        key_type, length, rows = lib.key_type(keys), keys.shape[-1], math.prod(keys.shape[:-1])
        dtype = None if reduction in ("min", "max") else "int64" if reduction != "sum" else lib.sum_type(keys, key_type)
        target = self._out(lib, out)
        if target is not None:
            kind = lib.numpy_dtype(target)
            if tuple(target.shape) != shape or kind.newbyteorder("=") != np.dtype(dtype or lib.numpy_dtype(keys)):
                raise Error(
                    f"out has shape {tuple(target.shape)} and type {kind}, but must have {shape} and "
                    f"{dtype or source.dtype}"
                )
            lib.check_written(target, "out")
        if length == 0:
            if reduction != "sum":
                raise Error("no keys have no minimum and no maximum, but their sum is 0")
            work = lib.filled(keys, (rows,), dtype, 0)
        else:
            work = self._result(lib, keys, target, (rows,), -1, dtype)
        if length > 0 and rows > 0:
            call = self._call(OPERATIONS["transform_reduce" if others else "reduce"], lib, keys, False, None)
            call.reduction = _REDUCTIONS[reduction]
            if others:
                call.second_keys = lib.at(others[0])
            call.results = lib.at(work)
            self._run(lib, call, [keys, *others, work], False)
        result = work if work is target else lib.reshaped(work if dtype is None else lib.wide(work, dtype), shape)
        result = self._deliver(lib, result, source if dtype is None else result, target, -1)
        if out is not None:
            return out
        return result[()] if shape == () and isinstance(result, np.ndarray) else result
