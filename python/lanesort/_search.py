# SPDX-License-Identifier: MIT
"""Where keys belong in sorted ones."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from ._arguments import deliver_in_shape, index_out, new_call, same_elements, taken_beside, truth
from ._arrays import Arrays, taken
from ._calls import Calls, Task
from ._errors import Error
from ._types import Comparator
from ._typing import same_library


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
        Order: the keys must be sorted by this package: unlike in numpy's order, -0 comes before +0, and a NaN is found by its
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
        return self._do(self._bounds(operation, x, needles, descending, comparator, out))

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
        return self._do(self._bounds("equal_range", x, needles, descending, comparator, out))

    def _bounds(
        self, operation: str, x: Any, needles: Any, descending: bool, comparator: str | Comparator | None, out: Any
    ) -> Task:
        lib, source = taken(x)
        if source.ndim != 1:
            raise Error(f"keys are looked for in an array of one axis, but this one has {source.ndim}")
        if type(needles) in (bool, int, float) and lib.numpy_dtype(source).kind in "biuf":
            operation, wanted = _needle(operation, lib, needles, source, truth("descending", descending), comparator)
        else:
            wanted = taken_beside(lib, needles, "needles")
        if not same_elements(source, wanted):
            raise Error(f"the needles are of type {wanted.dtype}, but the keys of {source.dtype}")
        shape = (*wanted.shape, 2) if operation == "equal_range" else tuple(wanted.shape)
        target = index_out(lib, out, shape)
        keys, asked = self._flat(lib, source), self._flat(lib, wanted)
        work = self._result(lib, asked, target, shape or (1,), -1, "int64" if lib.index_bytes == 8 else "int32")
        call = new_call(operation, lib, keys, descending, comparator)
        has_needles = asked.shape[0] > 0
        if has_needles:
            call.second_count, call.second_keys = asked.shape[0], lib.at(asked)
            call.indices, call.index_bytes = lib.at(work), lib.item_bytes(work)
        finish = partial(deliver_in_shape, lib, work, None, target, shape, out)
        return lib, call if has_needles else None, [keys, asked, work], comparator is not None, finish


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


_default = Searches._default()
searchsorted, equal_range = _default.searchsorted, _default.equal_range

__all__ = ["equal_range", "searchsorted"]
