"""Sums, and the smallest and the largest keys or where they are."""

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
