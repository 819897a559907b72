# SPDX-License-Identifier: MIT
"""Sums of all and of products, the smallest and the largest keys or where they are, what an operator makes of elements,
and groups."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any, Concatenate, Generic, NamedTuple, Protocol, SupportsIndex, cast, overload

import numpy as np

from ._arguments import (
    axis_from_end, check_no_gradient, deliver_in_shape, new_call, place_segments, same_elements, taken_beside, truth, typed_out,
    values_beside, without,
)  # fmt: skip
from ._arrays import Arrays, taken
from ._calls import Calls, Task, several_calls, then
from ._errors import Error
from ._types import BinaryOperator, Comparator
from ._typing import ArrayT, First, Method, Numpy, OtherT, P, S, Second, same_library

REDUCTIONS = {
    name: number for number, name in enumerate(("sum", "min", "max", "argmin", "argmax", "count", "mean"))
}
_OF_ARRAYS = ("sum", "min", "max", "argmin", "argmax")
_OF_GROUPS = ("sum", "min", "max", "count", "mean")


class Groups(NamedTuple, Generic[First, Second]):
    """What reduce_by_key and group_by give: one of each for every distinct key."""

    keys: First
    values: Second


class _Grouped(Protocol[P]):
    @overload
    def __call__(
        self, keys: ArrayT, values: Numpy, /, *args: P.args, **options: P.kwargs
    ) -> Groups[ArrayT, Numpy]: ...
    @overload
    def __call__(
        self, keys: ArrayT, values: OtherT, /, *args: P.args, **options: P.kwargs
    ) -> Groups[ArrayT, OtherT]: ...
    @overload
    def __call__(self, keys: Any, values: Any, /, *args: P.args, **options: P.kwargs) -> Groups[Any, Any]: ...


def grouped(method: Callable[Concatenate[S, Any, Any, P], Any]) -> Method[_Grouped[P]]:
    """The results are keys of the first array and, of the library of the second, what was made of its groups."""
    return cast("Method[_Grouped[P]]", method)


def _check_name(reduction: Any, known: tuple[str, ...], what: str, instead: str = "") -> None:
    if not isinstance(reduction, str):
        raise Error(f"a {what} is one of {', '.join(known)}{instead}, but this is of type {type(reduction).__name__}")
    if reduction not in known:
        raise Error(f"there is no {what} {reduction!r}, only {', '.join(known)}{instead}")


def named(reduction: str | BinaryOperator, known: tuple[str, ...], what: str) -> tuple[str, BinaryOperator | None]:
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
        return self._do(self._reduce("sum", x, axis, keepdims, out, segments))

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
        return self._do(self._reduce("min", x, axis, keepdims, out, segments))

    def max(
        self, x: Any, /, *, axis: SupportsIndex | None = None, keepdims: bool = False, out: Any = None, segments: Any = None
    ) -> Any:
        """The largest number, or the largest along an axis. Of an empty segment the smallest integer of the type, False, or NaN.

        The rest is as in `min`.

        >>> import lanesort, numpy
        >>> int(lanesort.max(numpy.array([3, 1, 4])))
        4
        """
        return self._do(self._reduce("max", x, axis, keepdims, out, segments))

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
        return self._do(self._reduce("argmin", x, axis, keepdims, out, segments))

    def argmax(
        self, x: Any, /, *, axis: SupportsIndex | None = None, keepdims: bool = False, out: Any = None, segments: Any = None
    ) -> Any:
        """Where the largest number is; of equal ones where the first is. The rest is as in `argmin`.

        >>> import lanesort, numpy
        >>> int(lanesort.argmax(numpy.array([3, 9, 9])))
        1
        """
        return self._do(self._reduce("argmax", x, axis, keepdims, out, segments))

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
        return self._do(self._reduce("sum", x, axis, False, out, segments, y))

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
        return self._do(self._reduce(reduction, x, axis, keepdims, out, segments))

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
        return self._do(self._reduce(operator, x, axis, keepdims, out, segments, y))

    @grouped
    @several_calls
    def reduce_by_key(
        self, keys: Any, values: Any, /, reduction: str = "sum", *, comparator: str | Comparator | None = None
    ) -> Groups:
        """Each of sorted keys once, and what a reduction gives of its values.

        Result: two arrays of one axis, as long as there are runs of equal neighbours. Sums have the type of `sum`,
        minima and maxima that of the values, counts are integers of 64 bits; means are float64, of float16 and float32
        float32 (jax on a GPU has means of integers only with its 64-bit types).
        Order: that of the keys, which are not sorted first. Keys are equal if all of their bits are, or if they are NaNs.
        Floating-point numbers are added by a tree that the places of the keys give, so sums have the same bits in every run and on every device that keeps
        subnormal numbers. A minimum or a maximum is as in `min`. A mean is the number nearest to the sum divided by the
        count.
        Memory: the results at the length of the keys; but for counts a bit for each key, and a little for each 4096; a
        copy of keys that have NaNs.
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
    @several_calls
    def group_by(
        self, keys: Any, values: Any, /, reduction: str = "sum", *, descending: bool = False, stable: bool = False,
        comparator: str | Comparator | None = None,
    ) -> Groups:  # fmt: skip
        """Each distinct key once, in order, and what a reduction gives of its values.

        Result: as `reduce_by_key`, as long as there are distinct keys.
        Order: the keys come sorted. The values of equal numbers are reduced in the order of their bits, so sums of
        floating-point numbers do not depend on where the values were; with `stable` in that in which they came. Of equal
        records `stable` keeps the first. Memory, cost: as `reduce_by_key`, and those of
        a sort of keys with values.

        >>> import lanesort, numpy
        >>> lanesort.group_by(numpy.array([7, 1, 7]), numpy.array([1.0, 2.0, 4.0]), "mean")
        Groups(keys=array([1, 7]), values=array([2. , 2.5]))
        """
        return self._groups("group_by", keys, values, reduction, descending, stable, comparator)

    def _groups(
        self, operation: str, keys: Any, values: Any, reduction: str, descending: bool, stable: bool,
        comparator: str | Comparator | None,
    ) -> Groups:  # fmt: skip
        lib, source = taken(keys)
        if source.ndim != 1:
            raise Error(f"keys and values are arrays of one axis, but these keys have {source.ndim}")
        beside = values_beside(lib, values, source)
        _check_name(reduction, _OF_GROUPS, "reduction of equal keys")
        descending, stable = truth("descending", descending), truth("stable", stable)
        check_no_gradient(lib, "reductions of equal keys", source, beside)
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
        call, answers = None, None
        if size > 0:
            answers = lib.empty(works[0], (1,), "int64")
            call = new_call(operation, lib, works[0], descending, comparator)
            call.reduction, call.stable = REDUCTIONS[reduction], stable
            call.values, call.value_type, call.value_bytes = lib.at(works[1]), value_type, lib.item_bytes(works[1])
            call.results, call.result_values, call.answers = lib.at(distinct), lib.at(reduced), lib.at(answers)

        def finish() -> Groups:
            number = 0 if answers is None else lib.number(answers)
            firsts, results = lib.head(distinct, number), lib.head(reduced if dtype is None else lib.wide(reduced, dtype), number)
            return Groups(
                lib.given(lib.restored(firsts, source)),
                lib.given(lib.restored(results, beside if dtype is None else results)),
            )

        task = (lib, call, [*works, distinct, reduced, answers], comparator is not None, finish)
        result: Groups = self._do(task)
        return result

    def _reduce(
        self, reduction: str | BinaryOperator, x: Any, axis: SupportsIndex | None, keepdims: bool, out: Any, segments: Any,
        *factors: Any,
    ) -> Task:  # fmt: skip
        name, combining = named(reduction, _OF_ARRAYS, "reduction")
        keepdims = truth("keepdims", keepdims)
        lib, source = taken(x)
        others = [_factor(lib, array, source) for array in factors] if factors else []
        axis, shape = _reduced(source, axis, keepdims, segments)
        if lib.is_differentiated(source) or others and lib.is_differentiated(others[0]):
            if name in ("min", "max") and out is None and segments is None:
                return self._extreme(name, source, axis, shape)
            _check_gradient(name, bool(others), segments)
            source = source.detach()
        keys, *others = [
            self._flat(lib, array) if axis is None else self._direct(lib, array, axis) for array in [source, *others]
        ]
        # Of bools, a minimum in an empty segment is a byte of 255, which becomes one.
        is_byte = name == "min" and segments is not None and lib.numpy_dtype(keys).kind == "b"
        if is_byte:
            keys = self._widened(lib, keys, -1, "uint8")
        *before, length = keys.shape
        rows = math.prod(before)
        parts = segments
        if combining is not None and length == 0 and segments is None:
            # Rows without elements are as many empty segments.
            keys, parts = lib.reshaped(keys, (0,)), np.zeros(rows + 1, np.int64)
        call = new_call("transform_reduce" if others else "reduce", lib, keys, False, None, combining)
        offsets = [] if parts is None else place_segments(lib, call, keys, parts)
        if segments is not None:
            rows = offsets[0].shape[0] - 1
            shape = (rows,)
        dtype: str | None = None
        if combining is None:
            call.reduction = REDUCTIONS[name]
            if name not in ("min", "max"):
                dtype = "int64" if name != "sum" else lib.sum_type(keys, lib.key_type(keys))
        target = None
        if out is not None:
            target = typed_out(lib, out, shape, np.dtype(dtype) if dtype else lib.numpy_dtype(source).newbyteorder("="))
        # To reshape the result takes as long as to make it. What `wide` reads has one axis.
        written = shape if lib.index_bytes == 8 else (rows,)
        if length == 0 and not offsets:
            if name != "sum":
                raise Error("no keys have no minimum and no maximum, but their sum is 0")
            rows, work = 0, lib.filled(keys, written, dtype, 0)
        else:
            work = self._result(lib, keys, None if is_byte else target, written, -1, dtype)
        if rows > 0:
            call.results = lib.at(work)
            if others:
                call.second_keys = lib.at(others[0])

        arrays = [keys, *others, work, *offsets]
        finish = partial(
            _deliver_truth if is_byte else deliver_in_shape, lib, work, source if dtype is None else None, target, shape,
            out, dtype,
        )  # fmt: skip
        return lib, call if rows > 0 else None, arrays, combining is not None, finish

    def _extreme(self, name: str, source: Any, axis: int | None, shape: tuple[int, ...]) -> Task:
        """A minimum or a maximum that a gradient goes through: what lies where it is."""
        along, place = (source.reshape(-1), -1) if axis is None else (source, axis)
        return then(
            self._reduce("arg" + name, source, axis, True, None, None),
            lambda places: along.take_along_dim(places.reshape(-1) if axis is None else places, place).reshape(shape),
        )


def _deliver_truth(lib: Arrays, work: Any, *place: Any) -> Any:
    return deliver_in_shape(lib, lib.cast(work, "bool"), *place)


def _factor(lib: Arrays, x: Any, source: Any) -> Any:
    array = taken_beside(lib, x, "the second array")
    if tuple(array.shape) != tuple(source.shape) or not same_elements(array, source):
        raise Error(
            f"the second array has shape {tuple(array.shape)} and type {array.dtype}, but must have "
            f"{tuple(source.shape)} and {source.dtype}"
        )
    return array


def _reduced(
    source: Any, axis: SupportsIndex | None, keepdims: bool, segments: Any
) -> tuple[int | None, tuple[int, ...]]:
    """The axis from the end, and the shape of the result; of segments it has one axis."""
    if axis is None:
        place, shape = None, (1,) * source.ndim if keepdims else ()
    else:
        place = axis_from_end(source, axis)
        shape = without(source.shape, place)
        if keepdims:
            before = len(shape) + 1 + place
            shape = (*shape[:before], 1, *shape[before:])
    if segments is not None and source.ndim != 1:
        raise Error(f"segments are parts of an array of one dimension, but this one has {source.ndim}")
    if segments is not None and keepdims:
        raise Error("keepdims= keeps axes, but segments have a result each")
    return place, shape


def _check_gradient(name: str, has_factors: bool, segments: Any) -> None:
    """Raises Error for a result that a gradient would have to go through. One of indices has none."""
    if name in ("min", "max"):
        what = "out=" if segments is None else "segments"
    elif name == "sum":
        what = "vecdot" if has_factors else "a sum"
    elif name == "":
        what = "an operator"
    else:
        return
    raise Error(f"no gradient goes through {what}; detach the array")


_default = Reductions._default()
vecdot, reduce, transform_reduce = _default.vecdot, _default.reduce, _default.transform_reduce
reduce_by_key, group_by, argmin, argmax = _default.reduce_by_key, _default.group_by, _default.argmin, _default.argmax
sum, min, max = _default.sum, _default.min, _default.max

__all__ = [
    "Groups", "argmax", "argmin", "group_by", "max", "min", "reduce", "reduce_by_key", "sum", "transform_reduce", "vecdot",
]  # fmt: skip
