# SPDX-License-Identifier: MIT
"""Values that move by indices."""

from __future__ import annotations

import math
from functools import partial
from typing import Any, cast

from . import _core
from ._arguments import (
    check_index_type, check_moved, check_no_gradient, deliver, deliver_in_shape, moved_width, out_array, taken_beside,
    untyped_call,
)  # fmt: skip
from ._arrays import KEY_TYPES, Arrays, taken
from ._calls import Calls, Task
from ._errors import Error
from ._typing import Given, same_library

_MOVED = "what flags or indices move"


class Moves(Calls):
    @same_library
    def gather(self, x: Any, indices: Any, /, *, out: Any = None) -> Any:
        """Values from where indices tell: ``result[i] = x[indices[i]]``.

        Result: `out`, or an array of the type of `x` and the shape of `indices`. An index that is negative or too large
        gives a value of zeros; nothing else tells of it.
        Memory: the result. Cost: reads each index and writes each result once.
        Errors: `x` has one axis, of values of 1, 2, 4, 8 or 16 bytes, whatever they are; indices are integers of 32 or
        64 bits; no gradient goes through.

        >>> import lanesort, numpy
        >>> lanesort.gather(numpy.array([1.5, 2.5, 3.5]), numpy.array([2, 0, 2]))
        array([3.5, 1.5, 3.5])
        """
        lib, source, places = _taken_to_move(x, indices)
        target = out_array(lib, out)
        check_no_gradient(lib, _MOVED, source, target)
        shape = tuple(places.shape)
        if target is not None:
            if tuple(target.shape) != shape or target.dtype != source.dtype:
                raise Error(
                    f"out has shape {tuple(target.shape)} and type {target.dtype}, but must have {shape} and "
                    f"{source.dtype}"
                )
            lib.check_written(target, "out")
            if out is x:
                raise Error("values are gathered to another array; permute_ brings them in order where they are")
        values, order = self._direct(lib, source, -1), self._flat(lib, places)
        work = self._result(lib, values, target, shape or (1,), -1, None)
        call = _moving("gather", lib, values, values.shape[0], order)
        if call is not None:
            call.values = lib.at(values) if values.shape[0] > 0 else (0, 0)
            call.result_values = lib.at(work)
        finish = partial(deliver_in_shape, lib, work, source, target, shape, out)
        return self._do((lib, call, [values, order, work], False, finish))

    def scatter(self, x: Any, indices: Any, /, *, out: Given) -> Given:
        """Values to where indices tell: ``out[indices[i]] = x[i]``.

        Result: `out`, an array of one axis and of the type of `x`. Its other values stay as they are; what has an index
        that is negative or too large is left out.
        Order: of values with the same index one is kept, and nobody knows which.
        Memory: none where all are contiguous. Cost: reads each index and value once.
        Errors: as `gather`; there is an index for each value.

        >>> import lanesort, numpy
        >>> lanesort.scatter(numpy.array([7, 8]), numpy.array([3, 0]), out=numpy.zeros(4, int))
        array([8, 0, 0, 7])
        """
        lib, source, places = _taken_to_move(x, indices)
        target = out_array(lib, out)
        if target is None:
            raise Error("out= is the array that values are scattered to")
        check_no_gradient(lib, _MOVED, source, target)
        if tuple(places.shape) != tuple(source.shape):
            raise Error(f"there are {source.shape[0]} values, but indices of shape {tuple(places.shape)}")
        if target.ndim != 1 or target.dtype != source.dtype:
            raise Error(
                f"out has shape {tuple(target.shape)} and type {target.dtype}, but must have one axis and type {source.dtype}"
            )
        if out is x:
            raise Error("values are scattered to another array")
        work = self._in_place(lib, target, "out")
        values, order = self._direct(lib, source, -1), self._flat(lib, places)
        call = _moving("scatter", lib, values, target.shape[0], order) if target.shape[0] > 0 else None
        if call is not None:
            call.values, call.result_values = lib.at(values), lib.at(work)
        return self._finish(lib, call, [values, order, work], work, target, out)

    def permute_(self, x: Given, indices: Any, /) -> Given:
        """Brings values into the order of indices, in place: ``x[:] = x[indices]``.

        So the indices of one sort bring any number of arrays in order. Result: `x`.
        Memory: a copy of the values, for the time of the call. Cost: that copy and `gather`.
        Errors: as `gather`; there is an index for each value.

        >>> import lanesort, numpy
        >>> lanesort.permute_(numpy.array([10, 30, 20]), numpy.array([0, 2, 1]))
        array([10, 20, 30])
        """
        lib, source, places = _taken_to_move(x, indices)
        check_no_gradient(lib, _MOVED, source)
        target = out_array(lib, x, "x")
        if tuple(places.shape) != tuple(source.shape):
            raise Error(f"there are {source.shape[0]} values, but indices of shape {tuple(places.shape)}")
        work, order = self._in_place(lib, target, "x"), self._flat(lib, places)
        call = _moving("permute", lib, work, work.shape[0], order)
        if call is not None:
            call.values, call.second_count = lib.at(work), 0
        return self._finish(lib, call, [work, order], work, target, x)

    def _finish(self, lib: Arrays, call: _core.Call | None, arrays: list[Any], work: Any, target: Any, out: Given) -> Given:
        result: Given = self._do((lib, call, arrays, False, partial(deliver, lib, work, target, target, -1, out)))
        return result


def _taken_to_move(x: Any, indices: Any) -> tuple[Arrays, Any, Any]:
    lib, source = taken(x)
    if source.ndim != 1:
        raise Error(f"values of one axis are moved by indices, but these have {source.ndim}")
    places = taken_beside(lib, indices, "indices")
    check_index_type(lib, places, "they are")
    check_moved(source)
    return lib, source, places


def _moving(operation: str, lib: Arrays, values: Any, count: int, order: Any) -> _core.Call | None:
    """None: nothing moves."""
    indices = math.prod(order.shape)
    if indices == 0:
        return None
    call = untyped_call(operation, KEY_TYPES["u32"], count)  # the type of keys, of which there are none
    call.value_bytes = moved_width(lib, values)
    call.second_count = indices
    call.indices, call.index_bytes = lib.at(order), lib.item_bytes(order)
    return call


_default = Moves._default()
gather, scatter, permute_ = _default.gather, _default.scatter, _default.permute_

__all__ = ["gather", "permute_", "scatter"]
