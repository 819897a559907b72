# SPDX-License-Identifier: MIT
"""The first keys of an order."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any, Concatenate, Generic, NamedTuple, Protocol, SupportsIndex, cast, overload

import numpy as np

from . import _core
from ._arguments import (
    MOST, VALUE_BYTES, are_several, axis_from_end, check_index_type, counted, new_call, pair_out,
    place_segments, taken_beside, truth, values_beside,
)  # fmt: skip
from ._arrays import Arrays, taken
from ._calls import Calls, Task, then
from ._errors import Error
from ._sort import Pair, SortedPairs, deliver_pair, same_pair, widen
from ._types import Comparator
from ._typing import ArrayT, Elements, First, Method, Numpy, P, S, Second

_MOST_SELECTED = 1 << 47  # more than any memory has


class TopK(NamedTuple, Generic[First, Second]):
    """What top_k gives."""

    values: First
    indices: Second


class _Best(Protocol[P]):
    @overload
    def __call__(
        self, x: np.ndarray[Any, Elements], /, *args: P.args, **options: P.kwargs
    ) -> TopK[np.ndarray[Any, Elements], Numpy]: ...
    @overload
    def __call__(self, x: ArrayT, /, *args: P.args, **options: P.kwargs) -> TopK[ArrayT, ArrayT]: ...
    @overload
    def __call__(self, x: Any, /, *args: P.args, **options: P.kwargs) -> TopK[Any, Any]: ...


def best(method: Callable[Concatenate[S, Any, P], Any]) -> Method[_Best[P]]:
    """The results are keys of the first array and their indices."""
    return cast("Method[_Best[P]]", method)


How = tuple[bool, bool, str | Comparator | None, bool]
"""The options largest, nan_last, comparator and data_independent."""


class TopKs(Calls):
    @best
    def top_k(
        self, x: Any, k: SupportsIndex, /, *, axis: SupportsIndex = -1, largest: bool = True, out: Any = None, segments: Any = None,
        limit: Any = None, nan_last: bool = False, comparator: str | Comparator | None = None,
        data_independent: bool = False,
    ) -> TopK:  # fmt: skip
        """The `k` largest keys along an axis, in order, and their indices; or the smallest.

        Result: values and indices, as long as `k` along the axis. Indices have 64 bits (32 in jax without its 64-bit
        types), or the type of `out`, and count from the beginning of a segment. With segments there is a row of `k` for
        each; its places behind the last key of a short one have the value 0 and the index -1, or stay as they are in
        `out`.
        Order: sorted and stable: of equal keys those with the lowest indices are taken, and come in that order. NaNs are
        larger than any number, unless `nan_last`. Records come in the order of their comparator.
        Memory: the results; on a graphics card room for what passes a threshold, a little more than k elements of each
        row, at most a quarter of the row; else for few of many keys less than these, for many a copy of them. On CUDA,
        of 2^20 keys or more, also indices of 4 bytes before they become 8.
        Cost: for few of many keys little more than to read all once.

        Args:
            out: a pair of arrays for values and indices.
            segments: of an array of one axis, where each begins and where the last ends: the largest of each.
            limit: an array of one integer of 64 bits beside `x`, which says when the call runs how many of the `k` are
                wanted. It is unsigned, so a negative one is none. The places behind them are as in short segments.
            nan_last: no NaN comes before a number.

        >>> import lanesort, numpy
        >>> lanesort.top_k(numpy.array([1.0, 9.0, 5.0, 9.0]), 3)
        TopK(values=array([9., 9., 5.]), indices=array([1, 3, 2]))
        >>> lanesort.top_k(numpy.array([4, 1, 7, 8, 9]), 2, segments=[0, 2, 5]).values
        array([[4, 1],
               [9, 8]])
        """
        how = largest, nan_last, comparator, data_independent
        result: TopK = self._do(self._top_k(x, k, axis, out, segments, limit, how))
        return result

    @same_pair
    def top_k_by_key(
        self, keys: Any, values: Any, k: SupportsIndex, /, *, axis: SupportsIndex = -1, largest: bool = True, out: Any = None,
        segments: Any = None, limit: Any = None, nan_last: bool = False, comparator: str | Comparator | None = None,
        data_independent: bool = False,
    ) -> SortedPairs:  # fmt: skip
        """The `k` largest keys along an axis, in order, and the values that belong to them; or the smallest.

        Result: the pair of keys and values. Order, segments, `limit`: as `top_k`.
        Memory: as `top_k`, and indices of 4 bytes. Cost: as `top_k`, and a launch that reads these values alone.

        Args:
            values: one array of the keys' shape, or a tuple or list of several.
            out: a pair of arrays, for one array of values.

        >>> import lanesort, numpy
        >>> lanesort.top_k_by_key(numpy.array([1, 9, 5]), numpy.array([0.1, 0.9, 0.5]), 2)
        SortedPairs(keys=array([9, 5]), values=array([0.9, 0.5]))
        """
        lib, source = taken(keys)
        has_many = are_several(values)
        sources = [values_beside(lib, array, source) for array in (values if has_many else [values])]
        how = largest, nan_last, comparator, data_independent
        differs = lib.is_differentiated(source) or any(lib.is_differentiated(array) for array in sources)
        if differs:
            _check_new(out, segments, limit)
        if differs or len(sources) != 1 or lib.item_bytes(sources[0]) not in VALUE_BYTES:
            if out is not None or segments is not None or limit is not None:
                raise Error("out=, segments and a limit go with one array of values, of 1, 2, 4, 8 or 16 bytes")

            def finish(chosen: TopK) -> SortedPairs:
                order = taken(chosen.indices)[1]
                place = axis_from_end(source, axis)
                moved = tuple(self._taken_along(lib, array, order, place) for array in sources)
                return SortedPairs(chosen.values, moved if has_many else moved[0])

            task = then(self._top_k(keys, k, axis, None, None, None, how), finish)
        else:
            targets = pair_out(lib, out, "keys and values")
            task = self._selecting(
                lib, source, sources[0], k, axis, targets, out, segments, limit, how,
                lambda best, moved: SortedPairs(best, (moved,) if has_many else moved),
            )  # fmt: skip
        result: SortedPairs = self._do(task)
        return result

    def _top_k(
        self, x: Any, k: SupportsIndex, axis: SupportsIndex, out: Any, segments: Any, limit: Any, how: How
    ) -> Task:
        lib, source = taken(x)
        targets = (None, None) if out is None else pair_out(lib, out, "values and indices")
        if lib.is_differentiated(source):
            _check_new(out, segments, limit)
            return then(
                self._top_k(source.detach(), k, axis, None, None, None, how),
                lambda found: TopK(source.take_along_dim(found.indices, axis), found.indices),
            )
        return self._selecting(lib, source, None, k, axis, targets, out, segments, limit, how, TopK)

    def _taken_along(self, lib: Arrays, x: Any, order: Any, axis: int) -> Any:
        """What the indices along an axis say of it."""
        if lib.is_differentiated(x):
            return x.take_along_dim(order, axis)
        result = lib.take(self._direct(lib, x, axis), order if axis == -1 else self._direct(lib, order, axis))
        result = lib.restored(result, x)
        return lib.given(result if axis == -1 else lib.moved(result, axis))

    def _selecting(
        self, lib: Arrays, source: Any, values: Any, k: SupportsIndex, axis: SupportsIndex, targets: Pair, out: Any,
        segments: Any, limit: Any, how: How, make: Callable[[Any, Any], Any],
    ) -> Task:  # fmt: skip
        """What is made of the best keys and their values, or indices where there are none."""
        largest, nan_last, comparator, data_independent = how
        axis = axis_from_end(source, axis)
        largest, nan_last = truth("largest", largest), truth("nan_last", nan_last)
        data_independent = truth("data_independent", data_independent)
        # A short segment is filled up, whatever all of them have.
        k = counted("k", k, source.shape[axis] if segments is None else MOST)
        if comparator is not None and not largest:
            raise Error("records have the order of their comparator, so the smallest cannot be asked for")
        keys = self._direct(lib, source, axis)
        call = new_call("top_k", lib, keys, False, comparator)
        if comparator is None:
            call.set_descending(largest)
        others = [] if segments is None else place_segments(lib, call, keys, segments)
        *rows, _ = keys.shape
        shape: tuple[int, ...] = (*rows, k) if segments is None else (others[0].shape[0] - 1, k)
        if math.prod(shape) > _MOST_SELECTED:
            raise Error(f"{shape[0]} segments with {k} each are more than any memory has", code="out_of_memory")
        if out is not None:
            _check_selected(lib, targets[0], source, shape, axis, "values" if values is None else "keys")
            _check_selected(lib, targets[1], values, shape, axis, "indices" if values is None else "values")
        # What is not written is to be 0 or, of an index, -1.
        leaves = segments is not None or limit is not None
        first = self._result(lib, keys, targets[0], shape, axis, None, 0 if leaves else None)
        moved = keys if values is None else self._direct(lib, values, axis)
        index = None if values is not None else "int64" if lib.index_bytes == 8 else "int32"
        rest = None if not leaves else -1 if values is None else 0
        second = self._result(lib, moved, targets[1], shape, axis, index, rest)
        written = second
        arrays = [keys, first]
        has_results = math.prod(shape) > 0
        if has_results:
            call.first = k
            call.results = lib.at(first)
            if nan_last:
                call.nan_last = True
            if data_independent:
                call.data_independent = True
            if limit is not None:
                others.append(_place_limit(lib, call, limit))
            if values is None:
                written = self._place_indices(lib, call, second, keys, [first, *others], leaves)
            else:
                call.values, call.result_values = lib.at(moved), lib.at(second)
                call.value_bytes = lib.item_bytes(moved)
                arrays.append(moved)
            arrays += [written, *others]
        finish = partial(
            deliver_pair, make, lib, (first, second), (source, second if values is None else values), targets,
            axis if segments is None else -1, out,
        )  # fmt: skip
        if written is not second:
            finish = partial(widen, lib, written, second, finish)
        return lib, call if has_results else None, arrays, comparator is not None, finish


def _check_new(out: Any, segments: Any, limit: Any) -> None:
    if out is not None or segments is not None or limit is not None:
        raise Error("a gradient goes through new arrays only, not through out=, segments or a limit")


def _check_selected(lib: Arrays, out: Any, like: Any, last: tuple[int, ...], axis: int, what: str) -> None:
    if out is None:
        return
    shape = list(last)
    shape.insert(len(shape) + axis, shape.pop())
    if tuple(out.shape) != tuple(shape):
        raise Error(f"out has shape {tuple(out.shape)} for {what}, but must have {tuple(shape)}")
    if like is None:
        check_index_type(lib, out)
    elif out.dtype != like.dtype:
        raise Error(f"out has type {out.dtype} for {what}, but must have {like.dtype}")
    lib.check_written(out, "out")


def _place_limit(lib: Arrays, call: _core.Call, limit: Any) -> Any:
    array = taken_beside(lib, limit, "limit")
    if math.prod(array.shape) != 1 or lib.item_bytes(array) != 8 or lib.numpy_dtype(array).kind not in "iu":
        raise Error("a limit is an array of one integer of 64 bits")
    if not lib.is_direct(array):
        raise Error("a limit is in the machine's byte order")
    call.limited = True
    call.limit = lib.at(array)
    return array


_default = TopKs._default()
top_k, top_k_by_key = _default.top_k, _default.top_k_by_key

__all__ = ["TopK", "top_k", "top_k_by_key"]
