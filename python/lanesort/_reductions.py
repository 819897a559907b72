"""Sums of all and up to each number, and the smallest and the largest keys or where they are."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ._arrays import taken
from ._calls import OPERATIONS, Calls, axis_from_end, without
from ._errors import Error

_REDUCTIONS = {name: number for number, name in enumerate(("sum", "min", "max", "argmin", "argmax"))}


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
        return self._scan("inclusive_scan", x, axis, out)

    def exclusive_scan(self, x: Any, /, *, axis: int | None = None, out: Any = None) -> Any:
        """The sums of the numbers in front of each one, along an axis: of lengths, where each part begins.

        The first of a row is 0. The rest is as in `cumulative_sum`.

        >>> import lanesort, numpy
        >>> lanesort.exclusive_scan(numpy.array([1, 2, 3]))
        array([0, 1, 3])
        """
        return self._scan("exclusive_scan", x, axis, out)

    def _scan(self, operation: str, x: Any, axis: int | None, out: Any) -> Any:
        lib, source = taken(x)
        if axis is None and source.ndim > 1:
            raise Error(f"numbers are added along one axis, but there are {source.ndim}; give axis=")
        axis = axis_from_end(source, -1 if axis is None else axis)
        if lib.is_differentiated(source):
            raise Error("no gradient goes through a cumulative sum; detach the array")
        key_type = lib.key_type(source)
        given = lib.numpy_dtype(source).newbyteorder("=")
        dtype = given if given.kind == "f" else np.dtype(lib.sum_type(source, key_type))
        if dtype.kind != "f" and lib.index_bytes == 4:
            dtype = np.dtype(dtype.name.replace("64", "32"))
        target = self._out(lib, out)
        if target is not None:
            kind = lib.numpy_dtype(target).newbyteorder("=")
            if tuple(target.shape) != tuple(source.shape) or kind != dtype:
                raise Error(
                    f"out has shape {tuple(target.shape)} and type {kind}, but must have {tuple(source.shape)} and "
                    f"{dtype}"
                )
            lib.check_written(target, "out")
        if given == dtype:
            keys = self._direct(lib, source, axis)
            work = self._result(lib, keys, target, keys.shape, axis, None)
        else:
            # The copy is ours, so the sums take its place.
            keys = work = self._widened(lib, source, axis, dtype.name)
        if math.prod(keys.shape) > 0:
            call = self._call(OPERATIONS[operation], lib, keys, False, None)
            if lib.at(work) == call.keys:
                call.in_place = True
            else:
                call.results = lib.at(work)
            self._run(lib, call, [keys] if work is keys else [keys, work], False)
        result = self._deliver(lib, work, source, target, axis)
        return result if out is None else out

    def _reduce(self, reduction: str, x: Any, axis: int | None, keepdims: bool, out: Any) -> Any:
        lib, source = taken(x)
        shape: tuple[int, ...]
        if axis is None:
            shape = (1,) * source.ndim if keepdims else ()
        else:
            axis = axis_from_end(source, axis)
            shape = without(source.shape, axis)
            if keepdims:
                place = len(shape) + 1 + axis
                shape = (*shape[:place], 1, *shape[place:])
        if lib.is_differentiated(source):
            if reduction in ("min", "max") and out is None:
                places = self._reduce("arg" + reduction, source, axis, True, None)
                along = source.reshape(-1) if axis is None else source
                best = along.take_along_dim(places.reshape(-1) if axis is None else places, -1 if axis is None else axis)
                return best.reshape(shape)
            if reduction in ("sum", "min", "max"):
                raise Error("no gradient goes through a sum or through out=; detach the array")
            source = source.detach()
        keys = self._flat(lib, source) if axis is None else self._direct(lib, source, axis)
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
            call = self._call(OPERATIONS["reduce"], lib, keys, False, None)
            call.reduction = _REDUCTIONS[reduction]
            call.results = lib.at(work)
            self._run(lib, call, [keys, work], False)
        result = work if work is target else lib.reshaped(work if dtype is None else lib.wide(work, dtype), shape)
        result = self._deliver(lib, result, source if dtype is None else result, target, -1)
        if out is not None:
            return out
        return result[()] if shape == () and isinstance(result, np.ndarray) else result
