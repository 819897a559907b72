# SPDX-License-Identifier: MIT
"""Sums of all, of products and up to each number, the smallest and the largest keys or where they are, what an operator
makes of elements, and groups."""

from __future__ import annotations

import math
from typing import Any, SupportsIndex

import numpy as np

from ._arrays import Arrays, taken
from ._calls import OPERATIONS, Calls, axis_from_end, truth, without
from ._errors import Error
from ._types import BinaryOperator, Comparator, Groups
from ._typing import grouped, same_library

_REDUCTIONS = {
    name: number for number, name in enumerate(("sum", "min", "max", "argmin", "argmax", "count", "mean"))
}
_OF_ARRAYS = ("sum", "min", "max", "argmin", "argmax")
_OF_GROUPS = ("sum", "min", "max", "count", "mean")
_OF_SCANS = ("sum", "min", "max")


def _check_name(reduction: Any, known: tuple[str, ...], what: str, instead: str = "") -> None:
    if not isinstance(reduction, str):
        raise Error(f"a {what} is one of {', '.join(known)}{instead}, but this is of type {type(reduction).__name__}")
    if reduction not in known:
        raise Error(f"there is no {what} {reduction!r}, only {', '.join(known)}{instead}")


def _named(reduction: str | BinaryOperator, known: tuple[str, ...], what: str) -> tuple[str, BinaryOperator | None]:
    """The name, or the operator."""
    if isinstance(reduction, BinaryOperator):
        return "", reduction
    _check_name(reduction, known, what, " or a lanesort.BinaryOperator")
    return reduction, None


class Reductions(Calls):
    def sum(
        self, x: Any, /, *, axis: SupportsIndex | None = None, keepdims: bool = False, out: Any = None, segments: Any = None
    ) -> Any:
        """The sum of all numbers, or of those along an axis.

        Result: `out`, or of the library of `x` without the axis: integers of 64 bits, signed as those of `x` are (torch's
        always; of 32 bits in jax without its 64-bit types), which wrap; float32 of float16 and float32; float64.
        Order: floating-point numbers are added by a tree that their count and type give, so a sum has the same bits in
        every run and on every device that keeps subnormal numbers. numpy's and torch's have other roundings.
        Memory: the result, and up to 4096 partial sums for each row; of segments, where one has more than 16 KB, one for
        each segment and for each 16 KB. What is not contiguous is copied. Cost: reads all once. Errors: no gradient
        goes through a sum.

        Args:
            axis: None: all of the array.
            keepdims: the axes that are gone stay, at length 1.
            segments: of an array of one axis, where each begins and where the last ends: there is a result for each.

        >>> import lanesort, numpy
        >>> lanesort.sum(numpy.array([[1, 2], [3, 4]], "u1"), axis=0)
        array([4, 6], dtype=uint64)
        >>> lanesort.sum(numpy.array([1, 2, 3, 4]), segments=[0, 1, 1, 4])
        array([1, 0, 9])
        """
        return self._reduce("sum", x, axis, keepdims, out, segments)

    def min(
        self, x: Any, /, *, axis: SupportsIndex | None = None, keepdims: bool = False, out: Any = None, segments: Any = None
    ) -> Any:
        """The smallest number, or the smallest along an axis.

        Result: of the type of `x`, and without the axis. A NaN only where all are, as of numpy's nanmin, where numpy's and
        torch's min take any; -0 is smaller than +0. Of an empty segment the largest integer of the type, True, or NaN.
        Memory, cost, arguments: as `sum`. Errors: without segments there must be a number.

        >>> import lanesort, numpy
        >>> lanesort.min(numpy.array([[3.0, 1.0], [numpy.nan, 4.0]]), axis=1)
        array([1., 4.])
        """
        return self._reduce("min", x, axis, keepdims, out, segments)

    def max(
        self, x: Any, /, *, axis: SupportsIndex | None = None, keepdims: bool = False, out: Any = None, segments: Any = None
    ) -> Any:
        """The largest number, or the largest along an axis. Of an empty segment the smallest integer of the type, False, or NaN.

        The rest is as in `min`.

        >>> import lanesort, numpy
        >>> int(lanesort.max(numpy.array([3, 1, 4])))
        4
        """
        return self._reduce("max", x, axis, keepdims, out, segments)

    def argmin(
        self, x: Any, /, *, axis: SupportsIndex | None = None, keepdims: bool = False, out: Any = None, segments: Any = None
    ) -> Any:
        """Where the smallest number is; of equal ones where the first is.

        Result: integers of 64 bits (of 32 in jax without its 64-bit types): along the axis, or in all of the array as it
        is read row by row. In a segment from its beginning, and -1 of an empty one. The rest is as in `min`.

        >>> import lanesort, numpy
        >>> lanesort.argmin(numpy.array([[3, 1, 1], [0, 2, 2]]), axis=1)
        array([1, 0])
        """
        return self._reduce("argmin", x, axis, keepdims, out, segments)

    def argmax(
        self, x: Any, /, *, axis: SupportsIndex | None = None, keepdims: bool = False, out: Any = None, segments: Any = None
    ) -> Any:
        """Where the largest number is; of equal ones where the first is. The rest is as in `argmin`.

        >>> import lanesort, numpy
        >>> int(lanesort.argmax(numpy.array([3, 9, 9])))
        1
        """
        return self._reduce("argmax", x, axis, keepdims, out, segments)

    def vecdot(
        self, x: Any, y: Any, /, *, axis: SupportsIndex | None = -1, out: Any = None, segments: Any = None
    ) -> Any:
        """The sum of the products of two arrays along an axis: the dot product, or that of each row.

        Result: of the type of `sum`, and without the axis.
        Order: integers are multiplied in 64 bits, and wrap. Floating-point numbers are multiplied in the type of the
        result, rounded, and added by the tree of `sum`. Memory: as `sum`. Cost: reads both arrays once.
        Errors: both must have one shape and type; nothing is broadcast. No gradient goes through it.

        Args:
            axis: None: all of both arrays.
            segments: as in `sum`, of both arrays.

        >>> import lanesort, numpy
        >>> lanesort.vecdot(numpy.array([[1, 2], [3, 4]]), numpy.array([[5, 6], [7, 8]]))
        array([17, 53])
        """
        return self._reduce("sum", x, axis, False, out, segments, (y,))

    def reduce(
        self, x: Any, reduction: str | BinaryOperator, /, *, axis: SupportsIndex | None = None, keepdims: bool = False,
        out: Any = None, segments: Any = None,
    ) -> Any:  # fmt: skip
        """What an operator makes of all elements, or of those along an axis, as ``functools.reduce``.

        Result: `out`, or of the library and the type of `x` without the axis; of no elements the identity, whose bits
        are combined with nothing.
        Order: the operator need not be commutative. It is applied in a tree that the count and the size of an element
        give: of floating-point numbers a result has the same bits in every run, and on every device whose compiler
        gives the expression the same.
        Memory, cost: as `sum`. Errors: an operator needs a device that compiles; no gradient goes through it.

        Args:
            reduction: a `BinaryOperator`; or "sum", "min", "max", "argmin" or "argmax", as the functions of these names.
            axis, keepdims, segments: as in `sum`.

        >>> import lanesort, numpy
        >>> digits = lanesort.BinaryOperator("a * b % 1000", "1")
        >>> lanesort.reduce(numpy.array([[3, 5], [400, 7]]), digits, axis=1)
        array([ 15, 800])
        """
        return self._reduce(reduction, x, axis, keepdims, out, segments)

    def transform_reduce(
        self, x: Any, y: Any, operator: BinaryOperator, /, *, axis: SupportsIndex | None = None, keepdims: bool = False,
        out: Any = None, segments: Any = None,
    ) -> Any:  # fmt: skip
        """What an operator makes of the pairs of elements of two arrays: a dot product of your own.

        Its `transform` makes an element of each pair, and these are combined as in `reduce`.
        Cost: reads both arrays once. Errors: both must have one shape and type; nothing is broadcast. The rest is as in
        `reduce`.

        >>> import lanesort, numpy
        >>> farthest = lanesort.BinaryOperator("fmax(a, b)", "0", transform="fabs(a - b)")
        >>> float(lanesort.transform_reduce(numpy.array([1.0, 5.0]), numpy.array([2.0, 2.0]), farthest))
        3.0
        """
        if not isinstance(operator, BinaryOperator):
            raise Error(f"the operator is of type {type(operator).__name__}, but must be a lanesort.BinaryOperator")
        return self._reduce(operator, x, axis, keepdims, out, segments, (y,))

    @grouped
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
        Memory: the results at the length of the keys; but for counts a bit for each key, and a little for each 4096; a
        copy for NaNs as in `unique`.
        Cost: reads keys and values once, for means the sums once more. Waits for the number of results.
        Errors: no gradient goes through it.

        Args:
            reduction: "sum", "min", "max", "count" or "mean".

        >>> import lanesort, numpy
        >>> lanesort.reduce_by_key(numpy.array([1, 1, 7, 1]), numpy.array([10, 20, 30, 40]))
        Groups(keys=array([1, 7, 1]), values=array([30, 30, 40]))
        """
        return self._groups("reduce_by_key", keys, values, reduction, False, False, comparator)

    @grouped
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
        return self._scan("inclusive_scan", x, "sum", axis, out, segments)

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
        return self._scan("inclusive_scan", x, reduction, axis, out, segments)

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
        return self._scan("exclusive_scan", x, reduction, axis, out, segments)

    @same_library
    def inclusive_scan_by_key(
        self, keys: Any, values: Any, /, reduction: str | BinaryOperator = "sum", *,
        comparator: str | Comparator | None = None, out: Any = None,
    ) -> Any:  # fmt: skip
        """The sums, minima or maxima of all values up to each one, with it, as far as the keys in front are equal to its
        own; or what an operator makes of them.

        Result: `out`, or an array as long as `values`, of the type that `inclusive_scan` has. ``out=values`` is in place,
        where that is the same type. Keys come in any order. Equal is as in `unique`.
        Order: sums of floating-point numbers have the same bits in every run and on every device, but the last bits depend
        on where in the array a run lies. Memory: as `cumulative_sum`, a bit for each key, and a copy for NaNs as in
        `unique`. Cost: reads the keys once, the values once or twice. Errors: an operator needs a device that compiles; no gradient goes through it.

        Args:
            reduction: as in `inclusive_scan`.
            comparator: as in `sort`, for keys that are records.

        >>> import lanesort, numpy
        >>> lanesort.inclusive_scan_by_key(numpy.array([1, 1, 7, 1]), numpy.array([10, 20, 30, 40]))
        array([10, 30, 30, 40])
        """
        return self._scan_by_key("inclusive_scan_by_key", keys, values, reduction, comparator, out)

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
        return self._scan_by_key("exclusive_scan_by_key", keys, values, reduction, comparator, out)

    def _scanned_type(self, lib: Arrays, source: Any, name: str) -> np.dtype[Any]:
        """The type of the results of a scan of that name, or by an operator."""
        given: np.dtype[Any] = lib.numpy_dtype(source).newbyteorder("=")
        if not name:
            return given
        key_type = lib.key_type(source)
        if name != "sum" or given.kind == "f":
            return given
        dtype = np.dtype(lib.sum_type(source, key_type))
        return np.dtype(dtype.name.replace("64", "32")) if lib.index_bytes == 4 else dtype

    @staticmethod
    def _type_within(operation: str, name: str, dtype: np.dtype[Any]) -> np.dtype[Any]:
        """The type of results of that type in the call. Of bools those of a minimum are bytes: in front of all it is 255,
        which is no bool, but becomes one."""
        is_byte = dtype.kind == "b" and name == "min" and operation.startswith("exclusive")
        return np.dtype(np.uint8) if is_byte else dtype

    def _scan_out(self, lib: Arrays, source: Any, dtype: np.dtype[Any], out: Any) -> Any:
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

    def _scan_places(
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

    def _scan_by_key(
        self, operation: str, keys: Any, values: Any, reduction: str | BinaryOperator,
        comparator: str | Comparator | None, out: Any,
    ) -> Any:  # fmt: skip
        name, combining = _named(reduction, _OF_SCANS, "scan")
        lib, source = taken(keys)
        if source.ndim != 1:
            raise Error(f"keys and values are arrays of one axis, but these keys have {source.ndim}")
        beside = self._values_beside(lib, values, source)
        self._check_no_gradient(lib, "a scan", beside)
        dtype = self._scanned_type(lib, beside, name)
        target = self._scan_out(lib, beside, dtype, out)
        compared = self._grouped(lib, self._flat(lib, source), comparator)
        within = self._type_within(operation, name, dtype)
        scanned, work = self._scan_places(lib, beside, -1, within, target, False)
        call = self._call(OPERATIONS[operation], lib, compared, False, comparator)
        if combining is not None:
            self._set_operator(lib, call, scanned, combining, True)
        else:
            call.reduction, call.value_type = _REDUCTIONS[name], lib.key_type(scanned)
        if source.shape[0] > 0:
            call.values, call.value_bytes = lib.at(scanned), lib.item_bytes(scanned)
            if lib.at(work) == call.values:
                call.in_place = True
            else:
                call.result_values = lib.at(work)
            arrays = [compared, scanned] if work is scanned else [compared, scanned, work]
            self._run(lib, call, arrays, comparator is not None or combining is not None)
        else:
            self._ran_nothing()
        if within != dtype:
            work = lib.cast(work, dtype.name)
        result = self._deliver(lib, work, work if name == "sum" else beside, target, -1)
        return result if out is None else out

    def _scan(
        self, operation: str, x: Any, reduction: str | BinaryOperator, axis: SupportsIndex | None, out: Any, segments: Any
    ) -> Any:
        name, combining = _named(reduction, _OF_SCANS, "scan")
        lib, source = taken(x)
        if axis is None and source.ndim > 1:
            raise Error(f"numbers are scanned along one axis, but there are {source.ndim}; give axis=")
        axis = axis_from_end(source, -1 if axis is None else axis)
        self._check_no_gradient(lib, "a scan", source)
        dtype = self._scanned_type(lib, source, name)
        target = self._scan_out(lib, source, dtype, out)
        within = self._type_within(operation, name, dtype)
        scanned, work = self._scan_places(lib, source, axis, within, target, segments is not None)
        call = self._call(OPERATIONS[operation], lib, scanned, False, None, combining)
        offsets = self._segments(lib, call, scanned, segments)
        if math.prod(scanned.shape) > 0:
            if combining is None:
                call.reduction = _REDUCTIONS[name]
            if lib.at(work) == call.keys:
                call.in_place = True
            else:
                call.results = lib.at(work)
            arrays = [scanned] if work is scanned else [scanned, work]
            self._run(lib, call, [*arrays, *offsets], combining is not None)
        else:
            self._ran_nothing()
        if within != dtype:
            work = lib.cast(work, dtype.name)
        result = self._deliver(lib, work, work if name == "sum" else source, target, axis)
        return result if out is None else out

    def _groups(
        self, operation: str, keys: Any, values: Any, reduction: str, descending: bool, stable: bool,
        comparator: str | Comparator | None,
    ) -> Groups:  # fmt: skip
        lib, source = taken(keys)
        if source.ndim != 1:
            raise Error(f"keys and values are arrays of one axis, but these keys have {source.ndim}")
        beside = self._values_beside(lib, values, source)
        _check_name(reduction, _OF_GROUPS, "reduction of equal keys")
        descending, stable = truth("descending", descending), truth("stable", stable)
        self._check_no_gradient(lib, "reductions of equal keys", source, beside)
        works = [self._grouped(lib, self._flat(lib, source), comparator), self._flat(lib, beside)]
        if operation == "group_by":  # which sorts them
            works = [
                self._copied(lib, work, -1) if work is array else work
                for work, array in zip(works, (source, beside), strict=True)
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
        else:
            self._ran_nothing()
        distinct, reduced = lib.head(distinct, number), lib.head(reduced if dtype is None else lib.wide(reduced, dtype), number)
        return Groups(
            lib.given(lib.restored(distinct, source)),
            lib.given(lib.restored(reduced, beside if dtype is None else reduced)),
        )

    def _reduce(
        self, reduction: str | BinaryOperator, x: Any, axis: SupportsIndex | None, keepdims: bool, out: Any, segments: Any,
        factors: tuple[Any, ...] = (),
    ) -> Any:  # fmt: skip
        name, combining = _named(reduction, _OF_ARRAYS, "reduction")
        keepdims = truth("keepdims", keepdims)
        lib, source = taken(x)
        others = [self._taken_beside(lib, array, "the second array") for array in factors]
        for array in others:
            if tuple(array.shape) != tuple(source.shape) or not self._same_type(array, source):
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
        has_segments = segments is not None
        if has_segments and source.ndim != 1:
            raise Error(f"segments are parts of an array of one dimension, but this one has {source.ndim}")
        if has_segments and keepdims:
            raise Error("keepdims= keeps axes, but segments have a result each")
        if lib.is_differentiated(source) or any([lib.is_differentiated(array) for array in others]):
            if name in ("min", "max") and out is None and not has_segments:
                places = self._reduce("arg" + name, source, axis, True, None, None)
                along = source.reshape(-1) if axis is None else source
                best = along.take_along_dim(places.reshape(-1) if axis is None else places, -1 if axis is None else axis)
                return best.reshape(shape)
            if name in ("sum", "min", "max", ""):
                what = "segments" if has_segments else "out="
                if name in ("sum", ""):
                    what = "an operator" if not name else "vecdot" if others else "a sum"
                raise Error(f"no gradient goes through {what}; detach the array")
            source = source.detach()
        keys, *others = [
            self._flat(lib, array) if axis is None else self._direct(lib, array, axis) for array in [source, *others]
        ]
        is_byte = name == "min" and has_segments and lib.numpy_dtype(keys).kind == "b"
        if is_byte:  # as _type_within has it
            keys = self._widened(lib, keys, -1, "uint8")
        *before, length = keys.shape
        rows = math.prod(before)
        if combining is not None and length == 0 and not has_segments:
            # Rows without elements are as many empty segments.
            keys, segments = lib.reshaped(keys, (0,)), np.zeros(rows + 1, np.int64)
        call = self._call(OPERATIONS["transform_reduce" if others else "reduce"], lib, keys, False, None, combining)
        offsets = self._segments(lib, call, keys, segments)
        if has_segments:
            rows = offsets[0].shape[0] - 1
            shape = (rows,)
        dtype: str | None = None
        if combining is None:
            call.reduction = _REDUCTIONS[name]
            if name not in ("min", "max"):
                dtype = "int64" if name != "sum" else lib.sum_type(keys, lib.key_type(keys))
        target = self._out(lib, out)
        if target is not None:
            kind, source_type = lib.numpy_dtype(target), lib.numpy_dtype(source).newbyteorder("=")
            if tuple(target.shape) != shape or kind.newbyteorder("=") != np.dtype(dtype or source_type):
                raise Error(
                    f"out has shape {tuple(target.shape)} and type {kind}, but must have {shape} and "
                    f"{dtype or source.dtype}"
                )
            lib.check_written(target, "out")
        # To reshape the result takes as long as to make it. What `wide` reads has one axis.
        written = shape if lib.index_bytes == 8 else (rows,)
        if length == 0 and not offsets:
            if name != "sum":
                raise Error("no keys have no minimum and no maximum, but their sum is 0")
            work = lib.filled(keys, written, dtype, 0)
        else:
            work = self._result(lib, keys, None if is_byte else target, written, -1, dtype)
        if rows > 0 and (length > 0 or offsets):
            if others:
                call.second_keys = lib.at(others[0])
            call.results = lib.at(work)
            self._run(lib, call, [keys, *others, work, *offsets], combining is not None)
        else:
            self._ran_nothing()
        if is_byte:
            work = lib.cast(work, "bool")
        result = work if written is shape else lib.reshaped(work if dtype is None else lib.wide(work, dtype), shape)
        result = self._deliver(lib, result, source if dtype is None else result, target, -1)
        if out is not None:
            return out
        return result[()] if shape == () and isinstance(result, np.ndarray) else result
