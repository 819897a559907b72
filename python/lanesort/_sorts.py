# SPDX-License-Identifier: MIT
"""Sorts of keys, of pairs and of indices."""

from __future__ import annotations

from typing import Any, SupportsIndex

import numpy as np

from . import _core
from ._arrays import Arrays, taken, taken_with_missing
from ._calls import OPERATIONS, VALUE_BYTES, Calls, are_several, axis_from_end, counted, truth
from ._errors import Error
from ._types import Comparator, SortedPairs
from ._typing import Given, same_library, same_pair, same_type


class Sorts(Calls):
    def _target(self, lib: Arrays, given: Any, source: Any, out: Any, name: str) -> Any:
        """Where the caller wants what was given under that name, and `source` was taken from; None: in a new array."""
        if out is None:
            return None
        if out is not given:
            name = "out"
        target = source if out is source else self._out(lib, out, name)
        self._check_target(lib, source, target, name)
        return target

    def _sort_keys(
        self, x: Any, axis: SupportsIndex, descending: bool, stable: bool, out: Any, segments: Any,
        comparator: str | Comparator | None, first: int | None, schedule: str, data_independent: bool, extra_bytes: SupportsIndex,
    ) -> Any:  # fmt: skip
        lib, source = taken(x)
        axis = axis_from_end(source, axis)
        stable = truth("stable", stable)
        if lib.is_differentiated(source):
            self._check_differentiated(out, segments, comparator, first)
            order = self.argsort(
                source.detach(), axis=axis, descending=descending, schedule=schedule, data_independent=data_independent,
                extra_bytes=extra_bytes,
            )  # fmt: skip
            return source.take_along_dim(order, axis)
        target = self._target(lib, x, source, out, "x")
        keys, results = self._place(lib, source, target, axis)
        self._run_sort(
            lib, keys, results, None, None, descending, stable and comparator is not None, segments, comparator, first,
            schedule, data_independent, extra_bytes,
        )  # fmt: skip
        result = self._deliver(lib, results, source, target, axis)
        return result if out is None else out

    def _sort_pairs(
        self, x: Any, values: Any, axis: SupportsIndex, descending: bool, stable: bool, out: Any, segments: Any,
        comparator: str | Comparator | None, schedule: str, data_independent: bool, extra_bytes: SupportsIndex,
    ) -> SortedPairs:  # fmt: skip
        if values is None:
            raise Error("there are no values; sort() sorts keys alone")
        lib, source = taken(x)
        axis = axis_from_end(source, axis)
        stable = truth("stable", stable)
        if out is not None and (not isinstance(out, tuple | list) or len(out) != 2):
            raise Error("out= of keys with values is a pair of the two")
        if are_several(values):
            return self._sort_several(
                lib, x, source, list(values), axis, descending, out, segments, comparator, schedule, data_independent,
                extra_bytes,
            )  # fmt: skip
        moved = self._values_beside(lib, values, source)
        if lib.item_bytes(moved) not in VALUE_BYTES or lib.is_differentiated(source) or lib.is_differentiated(moved):
            keys, results = self._sort_several(
                lib, x, source, [values], axis, descending, None if out is None else (out[0], [out[1]]), segments,
                comparator, schedule, data_independent, extra_bytes,
            )  # fmt: skip
            return SortedPairs(keys, results[0])
        key_target = value_target = None
        if out is not None:
            key_target = self._target(lib, x, source, out[0], "keys")
            value_target = self._target(lib, values, moved, out[1], "values")
        keys, key_results = self._place(lib, source, key_target, axis)
        work, value_results = self._place(lib, moved, value_target, axis)
        # Both are sorted where they are, or both to where neither comes from.
        if (keys is key_results) != (work is value_results) or out is not None and keys is not key_results and (
            lib.share_memory(work, key_results) or lib.share_memory(keys, value_results)
        ):
            if keys is not key_results:
                keys = key_results = self._copied(lib, source, axis)
            if work is not value_results:
                work = value_results = self._copied(lib, moved, axis)
        # What the call itself does not write to, it does not see.
        if out is not None and (key_results is not key_target or value_results is not value_target):
            self._check_apart(lib, key_target, value_target)
        self._run_sort(
            lib, keys, key_results, work, value_results, descending, stable, segments, comparator, None, schedule,
            data_independent, extra_bytes,
        )  # fmt: skip
        keys = self._deliver(lib, key_results, source, key_target, axis)
        work = self._deliver(lib, value_results, moved, value_target, axis)
        if out is not None:
            keys, work = keys if out[0] is None else out[0], work if out[1] is None else out[1]
        return SortedPairs(keys, work)

    def _sort_several(
        self, lib: Arrays, x: Any, source: Any, values: list[Any], axis: int, descending: bool, out: Any, segments: Any,
        comparator: str | Comparator | None, schedule: str, data_independent: bool, extra_bytes: SupportsIndex,
    ) -> SortedPairs:  # fmt: skip
        """By indices: values that no sort takes with the keys."""
        outs = [None] * (1 + len(values))
        if out is not None:
            outs = [out[0], *(out[1] if isinstance(out[1], tuple | list) else [out[1]])]
        if len(outs) != 1 + len(values):
            raise Error(f"out= has {len(outs) - 1} arrays of values, but there are {len(values)}")
        sources = [source, *(self._values_beside(lib, value, source) for value in values)]
        if any(lib.is_differentiated(array) for array in sources):
            self._check_differentiated(out, segments, comparator, None)
            order = self.argsort(
                source.detach(), axis=axis, descending=descending, schedule=schedule, data_independent=data_independent,
                extra_bytes=extra_bytes,
            )  # fmt: skip
            first, *others = (array.take_along_dim(order, axis) for array in sources)
            return SortedPairs(first, tuple(others))
        if segments is not None:
            raise Error("segments can have one array of values, of 1, 2, 4, 8 or 16 bytes")
        targets = [
            self._target(lib, given, array, place, name)
            for given, array, place, name in zip([x, *values], sources, outs, ["keys"] + ["values"] * len(values), strict=True)
        ]
        self._check_apart(lib, *targets)
        order = self._indices(
            lib, source, axis, descending, comparator, None, None, schedule, data_independent, extra_bytes
        )
        # All before the first is delivered, which may be to where another came from.
        sorted_arrays = [lib.take(self._direct(lib, array, axis), order) for array in sources]
        results = []
        for work, array, target, place in zip(sorted_arrays, sources, targets, outs, strict=True):
            result = self._deliver(lib, work, array, target, axis)
            results.append(result if place is None else place)
        return SortedPairs(results[0], tuple(results[1:]))

    def _run_sort(
        self, lib: Arrays, keys: Any, results: Any, values: Any, value_results: Any, descending: bool, stable: bool,
        segments: Any, comparator: str | Comparator | None, first: int | None, schedule: str, data_independent: bool,
        extra_bytes: SupportsIndex,
    ) -> None:  # fmt: skip
        """Sorts direct arrays to others, or in place where they are the same."""
        call = self._call(OPERATIONS["sort"], lib, keys, descending, comparator)
        self._choose(call, schedule, data_independent, extra_bytes)
        if call.count == 0:
            self._ran_nothing()
            return
        arrays = [keys, *self._segments(lib, call, keys, segments)]
        if values is not None:
            call.values = lib.at(values)
            call.value_bytes = lib.item_bytes(values)
            arrays.append(values)
        if results is not keys:
            call.apart = True
            call.results = lib.at(results)
            arrays.append(results)
            if values is not None:
                call.result_values = lib.at(value_results)
                arrays.append(value_results)
        if stable:
            call.stable = True
        if first is not None:
            call.first = first
        self._run(lib, call, arrays, comparator is not None)

    def _indices(
        self, lib: Arrays, source: Any, axis: int, descending: bool, comparator: str | Comparator | None,
        out: Any = None, segments: Any = None, schedule: str = "automatic", data_independent: bool = False,
        extra_bytes: SupportsIndex = 0,
    ) -> Any:  # fmt: skip
        """The indices that sort along the axis, which is the last of the result."""
        keys = self._direct(lib, source, axis)
        leaves = segments is not None and not self._covers(segments, keys.shape[-1])
        index = "int64" if lib.index_bytes == 8 else "int32"
        indices = self._result(lib, keys, out, keys.shape, axis, index, -1 if leaves else None)
        call = self._call(OPERATIONS["argsort"], lib, keys, descending, comparator)
        self._choose(call, schedule, data_independent, extra_bytes)
        if call.count > 0:
            others = self._segments(lib, call, keys, segments)
            narrow = self._place_indices(lib, call, indices, keys, others, leaves)
            written = indices if narrow is None else narrow
            self._run(lib, call, [keys, written, *others], comparator is not None)
            if narrow is not None:
                self._widen(lib, indices, narrow)
        else:
            self._ran_nothing()
        return indices

    @same_type
    def sort(
        self, x: Any, /, *, axis: SupportsIndex = -1, descending: bool = False, stable: bool = True, out: Any = None,
        segments: Any = None, comparator: str | Comparator | None = None, schedule: str = "automatic",
        data_independent: bool = False, extra_bytes: SupportsIndex = 0,
    ) -> Any:  # fmt: skip
        """Sorts along an axis.

        Result: an array of the library and shape of `x`, or `out`. ``sort(x, out=x)`` and ``sort_(x)`` are in place.
        Order: -0 before +0 and every NaN last; the exact reverse where descending. Equal numbers are equal in every
        bit; records that the comparator calls equal keep their order where `stable`.
        Memory: the result; along another axis than the last, or for what is not contiguous, one copy. In place, along
        the last axis of a contiguous array, none but what a distribution takes, unless it is to be data-independent: at most
        128 bytes a thread on the processor; on CUDA, of 64 MiB or more, up to 32 MiB or a hundredth of the array, and
        so through NVIDIA's OpenCL of 128 MiB of keys of 4 bytes. A stable sort of records takes 4 bytes each.
        Cost: neither blocks nor synchronises on a queue or stream, but to compile for the first call of a kind.

        Args:
            x: numbers; or records, with a comparator.
            axis: to sort along.
            descending: the largest first.
            stable: of records, those that the comparator calls equal keep their order.
            out: where the result goes, of the shape and type of `x`, which it may be; what overlaps it else is copied.
            segments: of an array of one axis, where each begins and where the last ends: each is sorted by itself.
            comparator: an order of records, as text (`Comparator`).
            schedule: "automatic", "network", "columns" or "distribution"; but for the first, of an array of one axis, and
                without segments.
            data_independent: the same positions are compared, whatever the keys are.
            extra_bytes: device memory that a distribution may take; 0: as above.
        Raises:
            Error: for what cannot be sorted, before anything is enqueued.
        Source: the array API standard of Python, for the names and what they default to.

        >>> import lanesort, numpy
        >>> lanesort.sort(numpy.array([[3, 1, 2], [0, -0.0, numpy.nan]]))
        array([[ 1.,  2.,  3.],
               [-0.,  0., nan]])
        >>> lanesort.sort(numpy.array([5, 1, 4, 2, 3], "u1"), descending=True, segments=[0, 2, 5])
        array([5, 1, 4, 3, 2], dtype=uint8)
        """
        return self._sort_keys(
            x, axis, descending, stable, out, segments, comparator, None, schedule, data_independent, extra_bytes
        )

    def sort_(
        self, x: Given, /, *, axis: SupportsIndex = -1, descending: bool = False, stable: bool = True, segments: Any = None,
        comparator: str | Comparator | None = None, schedule: str = "automatic", data_independent: bool = False,
        extra_bytes: SupportsIndex = 0,
    ) -> Given:  # fmt: skip
        """Sorts in place, and gives `x`: ``sort(x, out=x)``, with its options, order, memory, cost and errors.

        >>> import lanesort, numpy
        >>> x = numpy.array([3, 1, 2])
        >>> lanesort.sort_(x) is x, x
        (True, array([1, 2, 3]))
        """
        self._sort_keys(
            x, axis, descending, stable, x, segments, comparator, None, schedule, data_independent, extra_bytes
        )
        return x

    @same_type
    def partial_sort(
        self, x: Any, k: SupportsIndex, /, *, axis: SupportsIndex = -1, descending: bool = False, stable: bool = True,
        out: Any = None, segments: Any = None, comparator: str | Comparator | None = None,
    ) -> Any:  # fmt: skip
        """Brings the first `k` keys of the order to the front, in order.

        Order: that of `sort`, in front; the other keys follow in an order that depends on the device.
        Memory, errors: as `sort`. Cost: a fraction of a sort up to some thousand keys, else a sort.

        >>> import lanesort, numpy
        >>> lanesort.partial_sort(numpy.array([5, 3, 4, 1, 2]), 2)[:2]
        array([1, 2])
        """
        lib, source = taken(x)
        first = counted("k", k, source.shape[axis_from_end(source, axis)])
        return self._sort_keys(x, axis, descending, stable, out, segments, comparator, first, "automatic", False, 0)

    @same_type
    def nth_element(
        self, x: Any, n: SupportsIndex, /, *, axis: SupportsIndex = -1, descending: bool = False, stable: bool = True,
        out: Any = None, segments: Any = None, comparator: str | Comparator | None = None,
    ) -> Any:  # fmt: skip
        """Brings key `n` of the order, counted from 0, to its place, as numpy's partition.

        Order: those before it are in front of it, the others behind it. Nothing is done where `n` is the number of keys.
        Memory, cost, errors: as `partial_sort` of its first n + 1 keys.

        >>> import lanesort, numpy
        >>> int(lanesort.nth_element(numpy.array([5, 3, 4, 1, 2]), 2)[2])
        3
        """
        lib, source = taken(x)
        length = source.shape[axis_from_end(source, axis)]
        first = counted("n", n, length) + 1
        if first > length:
            first = 0
        return self._sort_keys(x, axis, descending, stable, out, segments, comparator, first, "automatic", False, 0)

    @same_pair
    def sort_by_key(
        self, keys: Any, values: Any, /, *, axis: SupportsIndex = -1, descending: bool = False, stable: bool = True,
        out: Any = None, segments: Any = None, comparator: str | Comparator | None = None, schedule: str = "automatic",
        data_independent: bool = False, extra_bytes: SupportsIndex = 0,
    ) -> SortedPairs:  # fmt: skip
        """Sorts keys together with the values that belong to them.

        Result: the pair of keys and values, new or `out`; ``sort_by_key(k, v, out=(k, v))`` is in place.
        Order: as `sort`. Pairs of equal keys keep their order where `stable`, else they come in the order of their
        values' bits.
        Memory: as `sort`, and where `stable` an index of 4 bytes for each pair, 8 from 2^32 pairs on. Where one of the two
        is sorted in place and the other is not, a copy of the other. Several arrays of values, or one of another width
        than 1, 2, 4, 8 or 16 bytes, go by argsort: indices of 8 bytes, a copy of the keys, and a copy of each array.
        Cost, errors: as `sort`.

        Args:
            values: one array of the keys' shape, which may be a list of numbers; or a tuple or list of several arrays.
            out: a pair: keys, and values in the form of `values`.

        >>> import lanesort, numpy
        >>> lanesort.sort_by_key(numpy.array([2, 1, 2]), numpy.array([10.0, 20.0, 30.0]))
        SortedPairs(keys=array([1, 2, 2]), values=array([20., 10., 30.]))
        """
        return self._sort_pairs(
            keys, values, axis, descending, stable, out, segments, comparator, schedule, data_independent, extra_bytes
        )

    @same_pair
    def sort_by_key_(
        self, keys: Any, values: Any, /, *, axis: SupportsIndex = -1, descending: bool = False, stable: bool = True,
        segments: Any = None, comparator: str | Comparator | None = None, schedule: str = "automatic",
        data_independent: bool = False, extra_bytes: SupportsIndex = 0,
    ) -> SortedPairs:  # fmt: skip
        """Sorts both in place: ``sort_by_key(keys, values, out=(keys, values))``.

        >>> import lanesort, numpy
        >>> keys, values = numpy.array([2, 1]), numpy.array([10, 20], "u1")
        >>> _ = lanesort.sort_by_key_(keys, values)
        >>> values
        array([20, 10], dtype=uint8)
        """
        return self._sort_pairs(
            keys, values, axis, descending, stable, (keys, values), segments, comparator, schedule, data_independent,
            extra_bytes,
        )  # fmt: skip

    @same_library
    def argsort(
        self, x: Any, /, *, axis: SupportsIndex = -1, descending: bool = False, stable: bool = True, out: Any = None,
        segments: Any = None, comparator: str | Comparator | None = None, schedule: str = "automatic",
        data_independent: bool = False, extra_bytes: SupportsIndex = 0,
    ) -> Any:  # fmt: skip
        """The indices that would sort along an axis.

        Result: integers of 64 bits (of 32 in jax without its 64-bit types), or of the type of `out`: 32 or 64 bits.
        With segments each index counts from the beginning of its own; of keys in none it is -1, or stays as it is in
        `out`.
        Order: that of `sort`; equal keys keep their order, also where descending and whatever `stable` says. The missing
        values of a column of pandas, polars or pyarrow come last, also where descending.
        Memory: the result, and a copy of the keys. Cost, errors: as `sort`.

        >>> import lanesort, numpy
        >>> lanesort.argsort(numpy.array([30, 10, 20, 10]))
        array([1, 3, 2, 0])
        """
        column = taken_with_missing(x)
        lib, source = taken(x) if column is None else taken(column[1])
        axis = axis_from_end(source, axis)
        truth("stable", stable)
        if lib.is_differentiated(source):
            source = source.detach()
        out_array = self._out(lib, out)
        if out_array is not None:
            if out_array.shape != source.shape:
                raise Error(f"out has shape {tuple(out_array.shape)}, but must have {tuple(source.shape)}")
            self._check_index_type(lib, out_array)
            lib.check_written(out_array, "out")
        if column is None:
            indices = self._indices(
                lib, source, axis, descending, comparator, out_array, segments, schedule, data_independent, extra_bytes
            )
        else:
            if segments is not None:
                raise Error("the segments of a column with missing values cannot be sorted; drop these first")
            present, missing = column
            order = self._indices(
                lib, present, -1, descending, comparator, schedule=schedule, data_independent=data_independent,
                extra_bytes=extra_bytes,
            )  # fmt: skip
            indices = np.concatenate((np.flatnonzero(~missing)[order], np.flatnonzero(missing)))
        result = self._deliver(lib, indices, indices, out_array, axis)
        return result if out is None else out
