# SPDX-License-Identifier: MIT
"""Sorts of keys, of pairs and of indices; merges; whether keys are in order."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Concatenate, Generic, NamedTuple, Protocol, SupportsIndex, cast, overload

import numpy as np

from ._arguments import (
    VALUE_BYTES, are_several, axis_from_end, check_apart, check_moved, check_no_gradient, check_target, choose_way,
    counted, covers_all, deliver, index_out, new_call, out_array, pair_out, place_segments, same_elements, taken_beside,
    truth, values_beside, without,
)  # fmt: skip
from ._arrays import Arrays, taken, taken_with_missing
from ._calls import Calls, Task, then
from ._errors import Error
from ._types import Comparator
from ._typing import ArrayT, First, Given, Method, OtherT, P, S, Second, same_library, same_type


class SortedPairs(NamedTuple, Generic[First, Second]):
    """Keys in order, and the values that belong to them."""

    keys: First
    values: Second


class _SamePair(Protocol[P]):
    @overload
    def __call__(
        self, keys: ArrayT, values: OtherT, /, *args: P.args, **options: P.kwargs
    ) -> SortedPairs[ArrayT, OtherT]: ...
    @overload
    def __call__(
        self, keys: ArrayT, values: Any, /, *args: P.args, **options: P.kwargs
    ) -> SortedPairs[ArrayT, Any]: ...
    @overload
    def __call__(self, keys: Any, values: Any, /, *args: P.args, **options: P.kwargs) -> SortedPairs[Any, Any]: ...


def same_pair(method: Callable[Concatenate[S, Any, Any, P], Any]) -> Method[_SamePair[P]]:
    """The results are a pair of the types of the first two arrays."""
    return cast("Method[_SamePair[P]]", method)


How = tuple[bool, str | Comparator | None, str, bool, SupportsIndex]
"""The options descending, comparator, schedule, data_independent and extra_bytes."""
Pair = Sequence[Any]


def _target(lib: Arrays, given: Any, source: Any, out: Any, name: str) -> Any:
    """Where the caller wants what was given under that name, and `source` was taken from; None: in a new array."""
    if out is None:
        return None
    if out is not given:
        name = "out"
    target = source if out is source else out_array(lib, out, name)
    check_target(lib, source, target, name)
    return target


def _call(operation: str, lib: Arrays, keys: Any, how: How) -> Any:
    descending, comparator, schedule, data_independent, extra_bytes = how
    call = new_call(operation, lib, keys, descending, comparator)
    choose_way(call, schedule, data_independent, extra_bytes)
    return call


def _check_differentiated(out: Any, segments: Any, how: How, first: int | None = None) -> None:
    if out is not None or segments is not None or how[1] is not None or first is not None:
        raise Error("a gradient goes through new arrays only, not through out=, segments or a comparator")


class Sorts(Calls):
    def _sort_keys(
        self, x: Any, axis: SupportsIndex, stable: bool, out: Any, segments: Any, first: int | None, how: How
    ) -> Task:
        lib, source = taken(x)
        axis = axis_from_end(source, axis)
        stable = truth("stable", stable)
        if lib.is_differentiated(source):
            _check_differentiated(out, segments, how, first)
            return self._in_order(lib, [source], axis, how, lambda arrays: arrays[0])
        target = _target(lib, x, source, out, "x")
        keys, results = self._place(lib, source, target, axis)
        return self._sorting(
            lib, keys, results, None, None, stable and how[1] is not None, segments, first, how,
            partial(deliver, lib, results, source, target, axis, out),
        )  # fmt: skip

    def _sort_pairs(
        self, x: Any, values: Any, axis: SupportsIndex, stable: bool, out: Any, segments: Any, how: How
    ) -> Task:
        if values is None:
            raise Error("there are no values; sort() sorts keys alone")
        lib, source = taken(x)
        axis = axis_from_end(source, axis)
        stable = truth("stable", stable)
        if out is not None and (not isinstance(out, tuple | list) or len(out) != 2):
            raise Error("out= of keys with values is a pair of the two")
        if are_several(values):
            return self._sort_several(lib, x, source, list(values), axis, out, segments, how)
        moved = values_beside(lib, values, source)
        key_out, value_out = (None, None) if out is None else out
        if lib.item_bytes(moved) not in VALUE_BYTES or lib.is_differentiated(source) or lib.is_differentiated(moved):
            pairs = self._sort_several(
                lib, x, source, [values], axis, None if out is None else (key_out, [value_out]), segments, how
            )
            return then(pairs, lambda pairs: SortedPairs(pairs.keys, pairs.values[0]))
        key_target = _target(lib, x, source, key_out, "keys")
        value_target = _target(lib, values, moved, value_out, "values")
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
            check_apart(lib, key_target, value_target)
        return self._sorting(
            lib, keys, key_results, work, value_results, stable, segments, None, how,
            partial(
                deliver_pair, SortedPairs, lib, (key_results, value_results), (source, moved),
                (key_target, value_target), axis, out,
            ),
        )  # fmt: skip

    def _sort_several(
        self, lib: Arrays, x: Any, source: Any, values: list[Any], axis: int, out: Any, segments: Any, how: How
    ) -> Task:
        """By indices: values that no sort takes with the keys."""
        outs = [None] * (1 + len(values))
        if out is not None:
            outs = [out[0], *(out[1] if isinstance(out[1], tuple | list) else [out[1]])]
        if len(outs) != 1 + len(values):
            raise Error(f"out= has {len(outs) - 1} arrays of values, but there are {len(values)}")
        sources = [source, *(values_beside(lib, value, source) for value in values)]
        if any(lib.is_differentiated(array) for array in sources):
            _check_differentiated(out, segments, how)
            return self._in_order(lib, sources, axis, how, _pairs)
        if segments is not None:
            raise Error("segments can have one array of values, of 1, 2, 4, 8 or 16 bytes")
        targets = [
            _target(lib, given, array, place, name)
            for given, array, place, name in zip([x, *values], sources, outs, ["keys"] + ["values"] * len(values), strict=True)
        ]
        check_apart(lib, *targets)

        def finish(order: Any) -> SortedPairs:
            # All before the first is delivered, which may be to where another came from.
            works = [lib.take(self._direct(lib, array, axis), order) for array in sources]
            places = zip(works, sources, targets, outs, strict=True)
            return _pairs([deliver(lib, work, array, target, axis, out) for work, array, target, out in places])

        return self._indices(lib, source, axis, how, None, None, finish)

    def _sorting(
        self, lib: Arrays, keys: Any, results: Any, values: Any, value_results: Any, stable: bool, segments: Any,
        first: int | None, how: How, finish: Callable[[], Any],
    ) -> Task:  # fmt: skip
        """Sorts direct arrays to others, or in place where they are the same."""
        call = _call("sort", lib, keys, how)
        if call.count == 0:
            return lib, None, (), False, finish
        arrays = [keys] if segments is None else [keys, *place_segments(lib, call, keys, segments)]
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
        return lib, call, arrays, how[1] is not None, finish

    def _indices(
        self, lib: Arrays, source: Any, axis: int, how: How, out: Any, segments: Any, finish: Callable[[Any], Any]
    ) -> Task:
        """What is made of the indices that sort along the axis, which is the last of theirs."""
        keys = self._direct(lib, source, axis)
        leaves = segments is not None and not covers_all(segments, keys.shape[-1])
        index = "int64" if lib.index_bytes == 8 else "int32"
        indices = self._result(lib, keys, out, keys.shape, axis, index, -1 if leaves else None)
        call = _call("argsort", lib, keys, how)
        if call.count == 0:
            return lib, None, (), False, partial(finish, indices)
        others = [] if segments is None else place_segments(lib, call, keys, segments)
        written = self._place_indices(lib, call, indices, keys, others, leaves)
        done = partial(finish, indices)
        if written is not indices:
            done = partial(widen, lib, written, indices, done)
        return lib, call, [keys, written, *others], how[1] is not None, done

    def _in_order(self, lib: Arrays, sources: list[Any], axis: int, how: How, make: Callable[[list[Any]], Any]) -> Task:
        """What is made of tensors in the order of the first one, through which a gradient goes."""

        def finish(indices: Any) -> Any:
            order = _deliver_indices(lib, None, axis, None, indices)
            return make([source.take_along_dim(order, axis) for source in sources])

        return self._indices(lib, sources[0].detach(), axis, how, None, None, finish)

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
        how = descending, comparator, schedule, data_independent, extra_bytes
        return self._do(self._sort_keys(x, axis, stable, out, segments, None, how))

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
        how = descending, comparator, schedule, data_independent, extra_bytes
        result: Given = self._do(self._sort_keys(x, axis, stable, x, segments, None, how))
        return result

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
        how = descending, comparator, "automatic", False, 0
        return self._do(self._sort_keys(x, axis, stable, out, segments, first, how))

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
        how = descending, comparator, "automatic", False, 0
        return self._do(self._sort_keys(x, axis, stable, out, segments, 0 if first > length else first, how))

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
        how = descending, comparator, schedule, data_independent, extra_bytes
        result: SortedPairs = self._do(self._sort_pairs(keys, values, axis, stable, out, segments, how))
        return result

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
        how = descending, comparator, schedule, data_independent, extra_bytes
        result: SortedPairs = self._do(self._sort_pairs(keys, values, axis, stable, (keys, values), segments, how))
        return result

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
        how = descending, comparator, schedule, data_independent, extra_bytes
        column = taken_with_missing(x)
        lib, source = taken(x) if column is None else taken(column[1])
        axis = axis_from_end(source, axis)
        truth("stable", stable)
        if lib.is_differentiated(source):
            source = source.detach()
        target = index_out(lib, out, tuple(source.shape))
        finish = partial(_deliver_indices, lib, target, axis, out)
        if column is None:
            return self._do(self._indices(lib, source, axis, how, target, segments, finish))
        if segments is not None:
            raise Error("the segments of a column with missing values cannot be sorted; drop these first")
        present, missing = column
        return self._do(self._indices(
            lib, present, -1, how, None, None,
            lambda order: finish(np.concatenate((np.flatnonzero(~missing)[order], np.flatnonzero(missing)))),
        ))  # fmt: skip

    @overload
    def merge(
        self, a: ArrayT, b: Any, /, *, values: None = None, descending: bool = ..., stable: bool = ..., out: Any = ...,
        comparator: str | Comparator | None = ...,
    ) -> ArrayT: ...  # fmt: skip
    @overload
    def merge(
        self, a: Any, b: Any, /, *, values: tuple[Any, Any] | None = ..., descending: bool = ..., stable: bool = ...,
        out: Any = ..., comparator: str | Comparator | None = ...,
    ) -> Any: ...  # fmt: skip
    def merge(
        self, a: Any, b: Any, /, *, values: tuple[Any, Any] | None = None, descending: bool = False,
        stable: bool = True, out: Any = None, comparator: str | Comparator | None = None,
    ) -> Any:  # fmt: skip
        """Merges two sorted arrays of one axis into a third.

        Result: a new array, in the byte order of `a`, or `out`; with `values`, a pair of arrays for `a` and `b`, the pair
        of keys and values.
        Order: both must be in the order that is asked for. Equal keys come as in `sort_by_key`; those of `a` come first.
        Memory: the result, and with values and `stable` an index of 4 bytes each. Cost: one phase of a sort.

        >>> import lanesort, numpy
        >>> lanesort.merge(numpy.array([1, 4]), numpy.array([2, 3, 5]))
        array([1, 2, 3, 4, 5])
        """
        lib, first = taken(a)
        descending, stable = truth("descending", descending), truth("stable", stable)
        second = taken_beside(lib, b, "the second array")
        for array in (first, second):
            if array.ndim != 1:
                raise Error(f"arrays of one axis are merged, but one has {array.ndim}")
        check_no_gradient(lib, "a merge", first, second)
        if not same_elements(first, second):
            raise Error(f"keys of type {first.dtype} cannot be merged with keys of type {second.dtype}")
        refusal = "values= of a merge are two arrays of one type, for the first keys and for the second"
        if values is not None and (not isinstance(values, tuple | list) or len(values) != 2):
            raise Error(refusal)
        sources = [taken_beside(lib, array, "values") for array in values or ()]
        if sources and not same_elements(*sources):
            raise Error(refusal)
        for array, keys in zip(sources, (first, second), strict=False):
            if array.shape != keys.shape:
                raise Error(f"there are {keys.shape[0]} keys, but values of shape {tuple(array.shape)}")
            check_moved(array)
        shape = (first.shape[0] + second.shape[0],)
        likes = (first, *sources[:1])
        targets = (out_array(lib, out),) if values is None else pair_out(lib, out, "keys and values")
        for array, like in zip(targets, likes, strict=True):
            if array is not None:
                if tuple(array.shape) != shape or array.dtype != like.dtype:
                    raise Error(f"out must have shape {shape} and type {like.dtype}")
                lib.check_written(array, "out")
        parts = [self._direct(lib, array, -1) for array in (first, second, *sources)]
        merged = tuple(
            self._result(lib, like, array, shape, -1, None) for array, like in zip(targets, likes, strict=True)
        )
        if values is None:
            finish = partial(deliver, lib, merged[0], first, targets[0], -1, out)
        else:
            finish = partial(deliver_pair, SortedPairs, lib, merged, likes, targets, -1, out)
        if shape[0] == 0:
            return self._do((lib, None, (), False, finish))
        call = new_call("merge", lib, merged[0], descending, comparator)
        places = [lib.at(part) if part.shape[0] > 0 else (0, 0) for part in parts]
        call.keys, call.second_keys, call.results = places[0], places[1], lib.at(merged[0])
        call.apart, call.middle = True, first.shape[0]
        if sources:
            call.value_bytes = lib.item_bytes(sources[0])
            call.values, call.second_values, call.result_values = places[2], places[3], lib.at(merged[1])
        if stable and (sources or comparator is not None):
            call.stable = True
        return self._do((lib, call, [*parts, *merged], comparator is not None, finish))

    @overload
    def merge_(
        self, x: Given, middle: SupportsIndex, /, *, values: None = None, descending: bool = ..., stable: bool = ...,
        comparator: str | Comparator | None = ...,
    ) -> Given: ...  # fmt: skip
    @overload
    def merge_(
        self, x: Any, middle: SupportsIndex, /, *, values: Any, descending: bool = ..., stable: bool = ...,
        comparator: str | Comparator | None = ...,
    ) -> Any: ...  # fmt: skip
    def merge_(
        self, x: Any, middle: SupportsIndex, /, *, values: Any = None, descending: bool = False, stable: bool = True,
        comparator: str | Comparator | None = None,
    ) -> Any:  # fmt: skip
        """Merges two sorted ranges that lie side by side, in place. The second begins at key `middle`.

        Result: `x`; with `values`, one for each key, the pair of both.
        Order: as `merge`. Memory: none; with values or a comparator, and `stable`, an index of 4 bytes each.
        Cost: one phase of a sort.

        >>> import lanesort, numpy
        >>> lanesort.merge_(numpy.array([1, 4, 2, 3, 5]), 2)
        array([1, 2, 3, 4, 5])
        """
        lib, source = taken(x)
        if source.ndim != 1:
            raise Error(f"arrays of one axis are merged, but this one has {source.ndim}")
        descending, stable = truth("descending", descending), truth("stable", stable)
        middle = counted("middle", middle, source.shape[0])
        sources = [source] if values is None else [source, values_beside(lib, values, source)]
        check_no_gradient(lib, "a merge", *sources)
        names = ("x", "values")
        for array, given, name in zip(sources, (x, values), names, strict=False):
            if array is not given:
                out_array(lib, given, name)
        check_apart(lib, *sources)
        works = [self._in_place(lib, array, name) for array, name in zip(sources, names, strict=False)]

        def finish() -> Any:
            for work, array in zip(works, sources, strict=True):
                deliver(lib, work, array, array, -1)
            return x if values is None else SortedPairs(x, values)

        if middle in (0, source.shape[0]):
            return self._do((lib, None, (), False, finish))
        call = new_call("merge", lib, works[0], descending, comparator)
        call.middle = middle
        if values is not None:
            call.values, call.value_bytes = lib.at(works[1]), lib.item_bytes(works[1])
        if stable and (values is not None or comparator is not None):
            call.stable = True
        return self._do((lib, call, works, comparator is not None, finish))

    @overload
    def is_sorted(
        self, x: np.ndarray[Any, Any], /, *, axis: SupportsIndex = ..., descending: bool = ...,
        comparator: str | Comparator | None = ...,
    ) -> bool | Any: ...  # fmt: skip
    @overload
    def is_sorted(
        self, x: Any, /, *, axis: SupportsIndex = ..., descending: bool = ..., comparator: str | Comparator | None = ...
    ) -> Any: ...
    def is_sorted(
        self, x: Any, /, *, axis: SupportsIndex = -1, descending: bool = False, comparator: str | Comparator | None = None
    ) -> Any:
        """Whether the keys along an axis are in the order that `sort` would give them.

        Result: truth values, of the shape of `x` without the axis; of one axis in host memory a bool. On a queue or
        stream it is an array, so that nothing waits; pyopencl's has 1 and 0.
        Memory: the result, and 8 bytes for each block of keys; what is not contiguous is copied.
        Cost: reads all keys once.

        >>> import lanesort, numpy
        >>> lanesort.is_sorted(numpy.array([1, 2, 2]))
        True
        >>> lanesort.is_sorted(numpy.array([[1, 2], [2, 1]]))
        array([ True, False])
        """
        return self._do(self._order_check("is_sorted", x, axis, descending, comparator))

    @overload
    def is_sorted_until(
        self, x: np.ndarray[Any, Any], /, *, axis: SupportsIndex = ..., descending: bool = ...,
        comparator: str | Comparator | None = ...,
    ) -> int | Any: ...  # fmt: skip
    @overload
    def is_sorted_until(
        self, x: Any, /, *, axis: SupportsIndex = ..., descending: bool = ..., comparator: str | Comparator | None = ...
    ) -> Any: ...
    def is_sorted_until(
        self, x: Any, /, *, axis: SupportsIndex = -1, descending: bool = False, comparator: str | Comparator | None = None
    ) -> Any:
        """How many keys along an axis, from the first on, are in order.

        Result: integers of 64 bits (of 32 in jax without its 64-bit types), in the form of those of `is_sorted`.
        Memory, cost: as `is_sorted`.

        >>> import lanesort, numpy
        >>> lanesort.is_sorted_until(numpy.array([1, 3, 2]))
        2
        """
        return self._do(self._order_check("is_sorted_until", x, axis, descending, comparator))

    def _order_check(
        self, operation: str, x: Any, axis: SupportsIndex, descending: bool, comparator: str | Comparator | None
    ) -> Task:
        lib, source = taken(x)
        axis = axis_from_end(source, axis)
        descending = truth("descending", descending)
        if lib.is_differentiated(source):
            source = source.detach()
        keys = self._direct(lib, source, axis)
        shape = without(source.shape, axis)
        has_keys, is_truth = math.prod(source.shape) > 0, operation == "is_sorted"
        if not has_keys and comparator is None:
            lib.key_type(keys)
        count = math.prod(shape)
        answers = self._answers(lib, keys, count) if has_keys else lib.filled(source, (count,), "int64", int(is_truth))

        def finish() -> Any:
            if source.ndim == 1 and lib.backend == "host":
                return bool(lib.truth(answers)[0]) if is_truth else lib.number(answers)
            told = lib.truth(answers) if is_truth else lib.wide(answers, "int64")
            return lib.given(lib.reshaped(told, shape))

        if not has_keys:
            return lib, None, (), False, finish
        call = new_call(operation, lib, keys, descending, comparator)
        call.answers = lib.at(answers)
        return lib, call, [keys, answers], comparator is not None, finish


def _pairs(arrays: list[Any]) -> SortedPairs:
    return SortedPairs(arrays[0], tuple(arrays[1:]))


def deliver_pair(
    make: Callable[[Any, Any], Any], lib: Arrays, works: Pair, likes: Pair, targets: Pair, axis: int, outs: Pair | None
) -> Any:
    first_out, second_out = (None, None) if outs is None else outs
    first = deliver(lib, works[0], likes[0], targets[0], axis, first_out)
    return make(first, deliver(lib, works[1], likes[1], targets[1], axis, second_out))


def widen(lib: Arrays, narrow: Any, indices: Any, finish: Callable[[], Any]) -> Any:
    """The result of a call that wrote narrow indices in place of those that were asked for."""
    lib.assign(indices, narrow)
    return finish()


def _deliver_indices(lib: Arrays, target: Any, axis: int, out: Any, indices: Any) -> Any:
    return deliver(lib, indices, indices, target, axis, out)


_default = Sorts._default()
sort, sort_, partial_sort, nth_element = _default.sort, _default.sort_, _default.partial_sort, _default.nth_element
sort_by_key, sort_by_key_, argsort = _default.sort_by_key, _default.sort_by_key_, _default.argsort
merge, merge_, is_sorted, is_sorted_until = _default.merge, _default.merge_, _default.is_sorted, _default.is_sorted_until

__all__ = [
    "SortedPairs", "argsort", "is_sorted", "is_sorted_until", "merge", "merge_", "nth_element", "partial_sort", "sort",
    "sort_", "sort_by_key", "sort_by_key_",
]  # fmt: skip
