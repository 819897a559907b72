# SPDX-License-Identifier: MIT
"""Where keys belong in sorted ones, and how many lie in each bin."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from . import _core
from ._arrays import Arrays, taken
from ._calls import OPERATIONS, Calls, counted, truth
from ._errors import Error
from ._types import Comparator
from ._typing import same_library

_MOST_BINS = 1 << 30


def _beside(number: float, dtype: np.dtype[Any]) -> tuple[np.ndarray[Any, Any], int]:
    """Returns a number of that type with none between it and a number of Python's, and whether this is larger (1),
    equal (0) or smaller (-1)."""
    dtype = dtype.newbyteorder("=")
    least: float
    most: float
    converted: Callable[[float], float]
    if dtype.kind == "f":
        most, converted = float(np.finfo(dtype).max), float
        least = -most
    else:
        least, most = (0, 1) if dtype.kind == "b" else (int(np.iinfo(dtype).min), int(np.iinfo(dtype).max))
        converted = math.floor
    if number != number:
        return (np.asarray(number, dtype), 0) if dtype.kind == "f" else (np.asarray(most, dtype), 1)
    if dtype.kind == "f" and number in (math.inf, -math.inf):
        return np.asarray(number, dtype), 0
    nearest = np.asarray(most if number >= most else least if number <= least else converted(number), dtype)
    found = nearest.item()  # which Python compares exactly
    return nearest, int(number > found) - int(number < found)


class Searches(Calls):
    def searchsorted(
        self, x: Any, needles: Any, /, *, side: str = "left", descending: bool = False,
        comparator: str | Comparator | None = None, out: Any = None,
    ) -> Any:  # fmt: skip
        """Where each of the needles belongs in sorted keys of one axis: how many of these come before it.

        Result: `out`, or integers of 64 bits (of 32 in jax without its 64-bit types), of the shape of `needles`.
        Order: that of `sort`, in which the keys must be: unlike numpy's, -0 comes before +0, and a NaN is found by its
        bits. Needles come in any order, and are the fastest where they are sorted. Memory: the result.
        Cost: reads about lg(keys) keys for each needle. Errors: an array of needles must have the type of the keys.

        Args:
            needles: an array; or a number of Python's, which is never rounded: 300 comes after all keys of type uint8, and
                0.1 before ``numpy.float32(0.1)``, which is larger. With a comparator it must be a number of the keys' type.
            side: "left": ahead of equal keys, as std::lower_bound; "right": behind them, as std::upper_bound.

        >>> import lanesort, numpy
        >>> lanesort.searchsorted(numpy.array([1, 3, 3, 5]), numpy.array([3, 4]), side="right")
        array([3, 3])
        """
        if not isinstance(side, str) or side not in ("left", "right"):
            raise Error(f"side is {side!r}, but must be 'left' or 'right'")
        operation = "lower_bound" if side == "left" else "upper_bound"
        return self._bounds(operation, x, needles, descending, comparator, out)

    @same_library
    def equal_range(
        self, x: Any, needles: Any, /, *, descending: bool = False, comparator: str | Comparator | None = None,
        out: Any = None,
    ) -> Any:  # fmt: skip
        """Both sides of `searchsorted`: which sorted keys, or values that were sorted with them, are those of a needle.

        Result: as of `searchsorted`, with one more axis of length 2 behind its own: the first place, and that behind the
        last.
        Cost: twice that of `searchsorted`. The rest is as in it.

        >>> import lanesort, numpy
        >>> lanesort.equal_range(numpy.array([1, 3, 3, 5]), numpy.array([3, 4]))
        array([[1, 3],
               [3, 3]])
        """
        return self._bounds("equal_range", x, needles, descending, comparator, out)

    def _bounds(
        self, operation: str, x: Any, needles: Any, descending: bool, comparator: str | Comparator | None, out: Any
    ) -> Any:
        lib, source = taken(x)
        if source.ndim != 1:
            raise Error(f"keys are looked for in an array of one axis, but this one has {source.ndim}")
        if type(needles) in (bool, int, float) and lib.numpy_dtype(source).kind in "biuf":
            operation, wanted = self._needle(operation, lib, needles, source, truth("descending", descending), comparator)
        else:
            wanted = self._taken_beside(lib, needles, "needles")
        if not self._same_type(source, wanted):
            raise Error(f"the needles are of type {wanted.dtype}, but the keys of {source.dtype}")
        shape = (*wanted.shape, 2) if operation == "equal_range" else tuple(wanted.shape)
        target = self._out(lib, out)
        if target is not None:
            self._check_index_type(lib, target)
            if tuple(target.shape) != shape:
                raise Error(f"out has shape {tuple(target.shape)}, but must have {shape}")
            lib.check_written(target, "out")
        keys, asked = self._flat(lib, source), self._flat(lib, wanted)
        work = self._result(lib, asked, target, shape or (1,), -1, "int64" if lib.index_bytes == 8 else "int32")
        call = self._call(OPERATIONS[operation], lib, keys, descending, comparator)
        if asked.shape[0] > 0:
            call.second_count, call.second_keys = asked.shape[0], lib.at(asked)
            call.indices, call.index_bytes = lib.at(work), lib.item_bytes(work)
            self._run(lib, call, [keys, asked, work], comparator is not None)
        else:
            self._ran_nothing()
        result = work if work is target or shape else lib.reshaped(work, shape)
        result = self._deliver(lib, result, result, target, -1)
        if out is not None:
            return out
        return result[()] if shape == () and isinstance(result, np.ndarray) else result

    @staticmethod
    def _needle(
        operation: str, lib: Arrays, number: float, keys: Any, descending: bool, comparator: str | Comparator | None
    ) -> tuple[str, Any]:  # fmt: skip
        """Returns the operation and the needles that stand for a number of Python's."""
        nearest, side = _beside(number, lib.numpy_dtype(keys))
        if side != 0:
            if comparator is not None:
                raise Error(f"the needle {number} is no number of type {nearest.dtype}")
            # No key equals it, so both of its sides are that side of the nearest number.
            if operation == "equal_range":
                nearest = np.repeat(nearest, 2)
            operation = "lower_bound" if (side > 0) == descending else "upper_bound"
        return operation, lib.upload(nearest, keys)

    @same_library
    def histogram(self, x: Any, /, bins: Any, *, range: tuple[Any, Any] | None = None, out: Any = None) -> Any:
        """How many numbers lie in each bin.

        Result: `out`, or integers of 64 bits (of 32 in jax without its 64-bit types), one for each bin. Counts are the
        same in every run and on every device that keeps subnormal numbers. What lies beyond the bounds, and NaN between
        even ones, is not counted.
        Memory: the result, and counters for each bin; what is not contiguous is copied.
        Cost: reads all once, or up to four times where a device has little room for so many bins.
        Errors: the bounds must be numbers of the type of `x`, in the order of `sort`. Those in host memory are checked,
        but for the signs of zeros and NaNs; of others that are not in order, counts mean nothing.

        Args:
            bins: how many even ones; or an array of sorted bounds, one more than bins. A bin goes from its bound on and
                ends before the next: the last bound is not in the last bin, where it is in numpy's.
            range: of even bins, the first and the last number, both of which are counted. A fraction is rounded to the
                type of `x`. Floating-point numbers are
                divided as numpy does, but without its last comparison with the bound, so one that is within rounding of a
                bound may be counted on its other side: of two bins from -2 to 2, float32's -1e-9 is in the second one.
                Integers are divided exactly: the one at distance d from the first is in bin d * bins / (last - first + 1),
                rounded down, so 256 bins from 0 to 255 are those of bytes.

        >>> import lanesort, numpy
        >>> lanesort.histogram(numpy.array([0.0, 0.1, 0.6, 1.0, 7.0]), 2, range=(0, 1))
        array([2, 2])
        >>> lanesort.histogram(numpy.array([1, 2, 3, 20]), numpy.array([0, 3, 10]))
        array([2, 1])
        """
        lib, source = taken(x)
        keys = self._flat(lib, source)
        call = self._call(OPERATIONS["histogram"], lib, keys, False, None)
        arrays = [keys]
        if isinstance(bins, int | float | np.number):
            call.bins = counted("bins", bins, _MOST_BINS)
            if not isinstance(range, tuple | list) or len(range) != 2:
                raise Error("range= says from where to where even bins are; min and max of the numbers are one choice")
            call.lower, call.upper = (self._bits(number, lib.key_type(keys)) for number in range)
        else:
            if bins is None or isinstance(bins, str):
                raise Error(f"bins are a number of even ones, or an array of their bounds, but not {bins!r}")
            if range is not None:
                raise Error("range= is of even bins, but an array gives these their bounds")
            bounds = self._taken_beside(lib, bins, "bins")
            if bounds.ndim != 1 or bounds.shape[0] < 2:
                raise Error("the bounds of bins are an array of one axis, of two or more")
            if not self._same_type(source, bounds):
                raise Error(f"the bounds are of type {bounds.dtype}, but the keys of {source.dtype}")
            arrays.append(self._flat(lib, bounds))
            if lib.backend == "host":
                self._check_order(lib.seen(bounds))
            call.bounded, call.bins, call.second_keys = True, bounds.shape[0] - 1, lib.at(arrays[1])
        if call.bins == 0:
            raise Error("a histogram has one bin or more")
        target = self._out(lib, out)
        if target is not None:
            self._check_index_type(lib, target)
            if tuple(target.shape) != (call.bins,):
                raise Error(f"out has shape {tuple(target.shape)}, but must have {(call.bins,)}")
            lib.check_written(target, "out")
        work = self._result(lib, keys, target, (call.bins,), -1, "int64" if lib.index_bytes == 8 else "int32")
        call.lengths, call.length_bytes = lib.at(work), lib.item_bytes(work)
        self._run(lib, call, [*arrays, work], False)
        result = self._deliver(lib, work, work, target, -1)
        return result if out is None else out

    @staticmethod
    def _check_order(bounds: np.ndarray[Any, Any]) -> None:
        if not ((bounds[:-1] <= bounds[1:]) | np.isnan(bounds[1:])).all():
            raise Error("the bounds of bins are not in order")

    @staticmethod
    def _bits(number: Any, key_type: int) -> int:
        """Of a number as one of that type."""
        kind, width = _core.key_types[key_type][0], int(_core.key_types[key_type][1:]) // 8
        dtype = np.dtype(f"{kind}{width}")
        try:
            with np.errstate(over="ignore"):  # what is no finite number of it is refused as such
                found = np.array(float(number) if kind == "f" else operator.index(number), dtype)
            fits = not isinstance(number, int | np.integer) or found.item() == int(number)
        except (OverflowError, TypeError, ValueError):
            fits = False
        if not fits:
            raise Error(f"the bound {number!r} is no number of the keys' type, {kind}{8 * width}")
        return int(found.view(f"u{width}"))
