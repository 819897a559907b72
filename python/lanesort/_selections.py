# SPDX-License-Identifier: MIT
"""The first keys of an order."""

from __future__ import annotations

import math
from typing import Any, SupportsIndex

from . import _core
from ._arrays import Arrays, taken
from ._calls import MOST, OPERATIONS, VALUE_BYTES, Calls, are_several, axis_from_end, counted, truth
from ._errors import Error
from ._types import Comparator, SortedPairs, TopK
from ._typing import best, same_pair

_MOST_SELECTED = 1 << 47  # more than any memory has


class Selections(Calls):
    @best
    def top_k(
        self, x: Any, k: SupportsIndex, /, *, axis: SupportsIndex = -1, largest: bool = True, out: Any = None, segments: Any = None,
        limit: Any = None, nan_last: bool = False, comparator: str | Comparator | None = None,
        data_independent: bool = False,
    ) -> TopK:  # fmt: skip
        """The `k` largest keys along an axis, in order, and their indices; or the smallest.

        Result: values and indices, as long as `k` along the axis; the indices are as those of `argsort`. With segments
        a row of `k` for each; its places behind the last key of a short one have the value 0 and the index -1, or stay
        as they are in `out`.
        Order: that of a stable sort, so of equal keys those with the lowest indices are taken, and come in that order,
        always. NaNs are larger than any number, unless `nan_last`. Records come in the order of their comparator.
        Memory: the results; on a graphics card room for what passes a threshold, a little more than k elements of each
        row, at most a quarter of the row; else for few of many keys less than these, for many a copy of them. On CUDA,
        of 2^20 keys or more, also indices of 4 bytes before they become 8.
        Cost: for few of many keys little more than to read all once.

        Args:
            out: a pair of arrays for values and indices.
            segments: of an array of one axis, as in `sort`: the largest of each.
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
        lib, source = taken(x)
        outs = [None, None] if out is None else self._pair_out(lib, out, "values and indices")
        if lib.is_differentiated(source):
            self._check_new(out, segments, limit)
            indices = self.top_k(
                source.detach(), k, axis=axis, largest=largest, nan_last=nan_last, comparator=comparator,
                data_independent=data_independent,
            ).indices
            return TopK(source.take_along_dim(indices, axis), indices)
        index = "int64" if lib.index_bytes == 8 else "int32"
        best, indices = self._select(
            lib, source, None, k, axis, largest, outs[0], index, outs[1], segments, limit, nan_last, comparator,
            data_independent,
        )  # fmt: skip
        if out is not None:
            best, indices = (
                result if given is None else given for result, given in zip((best, indices), out, strict=True)
            )
        return TopK(best, indices)

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
            values: one array of the keys' shape, or several, as in `sort_by_key`.
            out: a pair of arrays, for one array of values.

        >>> import lanesort, numpy
        >>> lanesort.top_k_by_key(numpy.array([1, 9, 5]), numpy.array([0.1, 0.9, 0.5]), 2)
        SortedPairs(keys=array([9, 5]), values=array([0.9, 0.5]))
        """
        lib, source = taken(keys)
        has_many = are_several(values)
        sources = [self._values_beside(lib, array, source) for array in (values if has_many else [values])]
        differs = lib.is_differentiated(source) or any(lib.is_differentiated(array) for array in sources)
        if differs:
            self._check_new(out, segments, limit)
        if differs or len(sources) != 1 or lib.item_bytes(sources[0]) not in VALUE_BYTES:
            if out is not None or segments is not None or limit is not None:
                raise Error("out=, segments and a limit go with one array of values, of 1, 2, 4, 8 or 16 bytes")
            chosen = self.top_k(
                keys, k, axis=axis, largest=largest, nan_last=nan_last, comparator=comparator, data_independent=data_independent
            )
            order = taken(chosen.indices)[1]
            place = axis_from_end(source, axis)
            moved = tuple(self._taken_along(lib, array, order, place) for array in sources)
            return SortedPairs(chosen.values, moved if has_many else moved[0])
        outs = [None, None] if out is None else self._pair_out(lib, out, "keys and values")
        best, moved = self._select(
            lib, source, sources[0], k, axis, largest, outs[0], None, outs[1], segments, limit, nan_last, comparator,
            data_independent,
        )  # fmt: skip
        if out is not None:
            best, moved = (result if given is None else given for result, given in zip((best, moved), out, strict=True))
        return SortedPairs(best, (moved,) if has_many else moved)

    @staticmethod
    def _check_new(out: Any, segments: Any, limit: Any) -> None:
        if out is not None or segments is not None or limit is not None:
            raise Error("a gradient goes through new arrays only, not through out=, segments or a limit")

    def _taken_along(self, lib: Arrays, x: Any, order: Any, axis: int) -> Any:
        """What the indices along an axis say of it."""
        if lib.is_differentiated(x):
            return x.take_along_dim(order, axis)
        result = lib.take(self._direct(lib, x, axis), order if axis == -1 else self._direct(lib, order, axis))
        result = lib.restored(result, x)
        return lib.given(result if axis == -1 else lib.moved(result, axis))

    def _select(
        self, lib: Arrays, source: Any, values: Any, k: SupportsIndex, axis: SupportsIndex, largest: bool, out: Any,
        index: str | None, second_out: Any, segments: Any, limit: Any, nan_last: bool,
        comparator: str | Comparator | None, data_independent: bool,
    ) -> tuple[Any, Any]:  # fmt: skip
        """The best keys, and their values, or indices of the type `index` where there are none."""
        axis = axis_from_end(source, axis)
        largest, nan_last = truth("largest", largest), truth("nan_last", nan_last)
        data_independent = truth("data_independent", data_independent)
        # A short segment is filled up, whatever all of them have.
        k = counted("k", k, source.shape[axis] if segments is None else MOST)
        if comparator is not None and not largest:
            raise Error("records have the order of their comparator, so the smallest cannot be asked for")
        keys = self._direct(lib, source, axis)
        call = self._call(OPERATIONS["top_k"], lib, keys, largest and comparator is None, comparator)
        others = [] if segments is None else self._segments(lib, call, keys, segments)
        *rows, _ = keys.shape
        shape: tuple[int, ...] = (*rows, k) if segments is None else (others[0].shape[0] - 1, k)
        if math.prod(shape) > _MOST_SELECTED:
            raise Error(f"{shape[0]} segments with {k} each are more than any memory has", code="out_of_memory")
        if out is not None or second_out is not None:
            self._check_selected(lib, out, source, shape, axis, "values" if values is None else "keys")
            self._check_selected(lib, second_out, values, shape, axis, "indices" if values is None else "values")
        # What is not written is to be 0 or, of an index, -1.
        leaves = segments is not None or limit is not None
        best = self._result(lib, keys, out, shape, axis, None, 0 if leaves else None)
        moved = None if values is None else self._direct(lib, values, axis)
        second = self._result(
            lib, keys if moved is None else moved, second_out, shape, axis, index,
            None if not leaves else -1 if moved is None else 0,
        )  # fmt: skip
        if math.prod(shape) > 0:
            call.first = k
            call.results = lib.at(best)
            if nan_last:
                call.nan_last = True
            if data_independent:
                call.data_independent = True
            if limit is not None:
                others.append(self._limit(lib, call, limit))
            if moved is None:
                narrow = self._place_indices(lib, call, second, keys, [best, *others], leaves)
                arrays = [keys, best, second if narrow is None else narrow, *others]
            else:
                narrow = None
                call.values, call.result_values = lib.at(moved), lib.at(second)
                call.value_bytes = lib.item_bytes(moved)
                arrays = [keys, best, moved, second, *others]
            self._run(lib, call, arrays, comparator is not None)
            if narrow is not None:
                self._widen(lib, second, narrow)
        else:
            self._ran_nothing()
        if segments is not None:
            axis = -1
        like = second if values is None else values
        return self._deliver(lib, best, source, out, axis), self._deliver(lib, second, like, second_out, axis)

    def _check_selected(self, lib: Arrays, out: Any, like: Any, last: tuple[int, ...], axis: int, what: str) -> None:
        if out is None:
            return
        shape = list(last)
        shape.insert(len(shape) + axis, shape.pop())
        if tuple(out.shape) != tuple(shape):
            raise Error(f"out has shape {tuple(out.shape)} for {what}, but must have {tuple(shape)}")
        if like is None:
            self._check_index_type(lib, out)
        elif out.dtype != like.dtype:
            raise Error(f"out has type {out.dtype} for {what}, but must have {like.dtype}")
        lib.check_written(out, "out")

    def _limit(self, lib: Arrays, call: _core.Call, limit: Any) -> Any:
        array = self._taken_beside(lib, limit, "limit")
        if math.prod(array.shape) != 1 or lib.item_bytes(array) != 8 or lib.numpy_dtype(array).kind not in "iu":
            raise Error("a limit is an array of one integer of 64 bits")
        if not lib.is_direct(array):
            raise Error("a limit is in the machine's byte order")
        call.limited = True
        call.limit = lib.at(array)
        return array
