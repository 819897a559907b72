# SPDX-License-Identifier: MIT
"""How many numbers lie in each bin."""

from __future__ import annotations

import operator
from functools import partial
from typing import Any

import numpy as np

from . import _core
from ._arguments import counted, deliver, index_out, new_call, same_elements, taken_beside
from ._arrays import taken
from ._calls import Calls, Task
from ._errors import Error
from ._typing import same_library

_MOST_BINS = 1 << 30


class Histograms(Calls):
    @same_library
    def histogram(self, x: Any, /, bins: Any, *, range: tuple[Any, Any] | None = None, out: Any = None) -> Any:
        """How many numbers lie in each bin.

        Result: `out`, or integers of 64 bits (of 32 in jax without its 64-bit types), one for each bin. Counts are the
        same in every run and on every device that keeps subnormal numbers. What lies beyond the bounds, and NaN between
        even ones, is not counted.
        Memory: the result, and counters for each bin; what is not contiguous is copied.
        Cost: reads all once, or up to four times where a device has little room for so many bins.
        Errors: the bounds must be numbers of the type of `x`, sorted by this package. Those in host memory are checked,
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
        call = new_call("histogram", lib, keys)
        arrays = [keys]
        if isinstance(bins, int | float | np.number):
            call.bins = counted("bins", bins, _MOST_BINS)
            if not isinstance(range, tuple | list) or len(range) != 2:
                raise Error("range= says from where to where even bins are; min and max of the numbers are one choice")
            call.lower, call.upper = (_bits(number, lib.key_type(keys)) for number in range)
        else:
            if bins is None or isinstance(bins, str):
                raise Error(f"bins are a number of even ones, or an array of their bounds, but not {bins!r}")
            if range is not None:
                raise Error("range= is of even bins, but an array gives these their bounds")
            bounds = taken_beside(lib, bins, "bins")
            if bounds.ndim != 1 or bounds.shape[0] < 2:
                raise Error("the bounds of bins are an array of one axis, of two or more")
            if not same_elements(source, bounds):
                raise Error(f"the bounds are of type {bounds.dtype}, but the keys of {source.dtype}")
            arrays.append(self._flat(lib, bounds))
            if lib.backend == "host":
                _check_order(lib.seen(bounds))
            call.bounded, call.bins, call.second_keys = True, bounds.shape[0] - 1, lib.at(arrays[1])
        if call.bins == 0:
            raise Error("a histogram has one bin or more")
        target = index_out(lib, out, (call.bins,))
        work = self._result(lib, keys, target, (call.bins,), -1, "int64" if lib.index_bytes == 8 else "int32")
        call.lengths, call.length_bytes = lib.at(work), lib.item_bytes(work)
        return self._do((lib, call, [*arrays, work], False, partial(deliver, lib, work, work, target, -1, out)))


def _check_order(bounds: np.ndarray[Any, Any]) -> None:
    if not ((bounds[:-1] <= bounds[1:]) | np.isnan(bounds[1:])).all():
        raise Error("the bounds of bins are not in order")


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


histogram = Histograms._default().histogram

__all__ = ["histogram"]
