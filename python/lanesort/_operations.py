"""The operations, on arrays of any library."""

from __future__ import annotations

import math
import operator
import os
import threading
import weakref
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _core
from ._arrays import Arrays, taken
from ._errors import Error
from ._types import Comparator, Plan, Runs, SortedPairs, TopK, Unique, comparator_text

if TYPE_CHECKING:
    from ._recording import Recorded

_SORT, _ARGSORT, _MERGE, _TOP_K, _IS_SORTED, _IS_SORTED_UNTIL, _UNIQUE, _RUN_LENGTHS = range(8)
_MOST_NARROW_INDICES = (1 << 32) - 1
_MOST_BYTES = (1 << 63) - 1
_VALUE_BYTES = frozenset((1, 2, 4, 8, 16))
_SCHEDULES = {name: number for number, name in enumerate(_core.schedules)}


def _axis(x: Any, axis: int) -> int:
    """From the end: -1 is the last."""
    ndim: int = x.ndim
    if ndim == 0:
        raise Error("an array of 0 dimensions has no axis to go along")
    axis = operator.index(axis)
    if not -ndim <= axis < ndim:
        raise Error(f"there is no axis {axis} in an array of {ndim} dimensions")
    return axis if axis < 0 else axis - ndim


def _count(name: str, number: int, most: int) -> int:
    number = operator.index(number)
    if not 0 <= number <= most:
        raise Error(f"{name} is {number}, but must be from 0 to {most}")
    return number


def _without(shape: Sequence[int], axis: int) -> tuple[int, ...]:
    place = len(shape) + axis
    return tuple(shape[:place]) + tuple(shape[place + 1 :])


class Sorter:
    """Sorts on one device, or, without one, where the arrays are: those in host memory on the processor.

    Keeps what it compiled, so one that is used again compiles nothing. Threads may share it: calls on one device go one
    after the other, and Python's other threads run meanwhile. One for a device is refused in a forked process; one
    without a device is made anew there.

    Args:
        device: what `devices` gives; a text, as for `find_device`; or a command queue of pyopencl. None: where the
            arrays are.

    >>> import lanesort, numpy
    >>> sorter = lanesort.Sorter("built-in")
    >>> sorter.sort(numpy.array([3.0, 1.0, 2.0]))
    array([1., 2., 3.])
    """

    def __init__(self, device: Any = None) -> None:
        self._core: _core.Sorter | None = None
        if device is not None:
            if isinstance(device, str):
                device = _core.find_device(device)
            if isinstance(device, _core.Device):
                self._core = _core.Sorter(device)
            elif hasattr(device, "context") and hasattr(device, "device"):
                self._core = _core.Sorter.opencl(device.context.int_ptr, device.device.int_ptr)
            else:
                raise Error(f"a device of type {type(device).__name__} is none that lanesort knows")
        self._forget()
        _all_sorters.add(self)

    def _forget(self) -> None:
        self._lock = threading.Lock()
        self._cores: dict[Any, _core.Sorter] = {}
        self._last: _core.Sorter | None = self._core

    def __repr__(self) -> str:
        if self._core is None:
            return "<lanesort.Sorter where the arrays are>"
        return f"<lanesort.Sorter on '{self._core.device_name}' ({self._core.backend})>"

    def __reduce__(self) -> Any:
        if self._core is not None:
            raise Error("a sorter for a device stays in its process; make another one there", code="unsupported")
        return "default" if self is default else (Sorter, ())

    # What all operations have in common.

    def _core_for(self, lib: Arrays, x: Any, compiles: bool) -> _core.Sorter:
        if self._core is not None:
            if lib.backend not in ("host", self._core.backend):
                raise Error(
                    f"the array of {lib.name} lies in {lib.backend}'s memory, but the sorter's device is one of "
                    f"{self._core.backend}",
                    code="wrong_context",
                )
            return self._core
        key = lib.backend, lib.place(x), compiles
        core = self._cores.get(key)
        if core is None:
            with self._lock:
                core = self._cores.get(key)
                if core is None:
                    core = self._cores[key] = lib.make_sorter(x, compiles)
        self._last = core
        return core

    def _run(self, lib: Arrays, call: _core.Call, arrays: Sequence[Any], compiles: bool) -> None:
        lib.run(self._core_for(lib, arrays[0], compiles), call, arrays)

    def _copied(self, lib: Arrays, x: Any, axis: int) -> Any:
        return lib.ordered_copy(x, axis)

    def _direct(self, lib: Arrays, x: Any, axis: int) -> Any:
        return x if axis == -1 and lib.is_direct(x) else self._copied(lib, x, axis)

    def _target(self, lib: Arrays, x: Any, out: Any, axis: int, what: str) -> Any:
        """A direct array with the elements of x: `out` itself where that can be."""
        if out is None:
            return self._copied(lib, x, axis)
        if out.shape != x.shape or out.dtype != x.dtype:
            raise Error(
                f"{what} has shape {tuple(out.shape)} and type {out.dtype}, but must have {tuple(x.shape)} and {x.dtype}"
            )
        lib.check_written(out, what)
        if axis != -1 or not lib.is_direct(out):
            return self._copied(lib, x, axis)
        if out is not x:
            lib.assign(out, x)
        return out

    def _deliver(self, lib: Arrays, work: Any, like: Any, out: Any, axis: int) -> Any:
        """The result in its place: `out`, or a new array."""
        if work is out:
            lib.written(out)
            return lib.given(out)
        result = lib.restored(work, like)
        if axis != -1:
            result = lib.moved(result, axis)
        if out is None:
            return lib.given(result)
        lib.assign(out, result)
        return lib.given(out)

    def _result(self, lib: Arrays, like: Any, out: Any, shape: Sequence[int], axis: int, dtype: str | None) -> Any:
        """Where an operation writes: `out`, if that is direct, or a new array."""
        if out is not None and axis == -1 and lib.is_direct(out):
            return out
        if out is not None and dtype is not None:
            dtype = lib.numpy_dtype(out).name
        return lib.empty(like, shape, dtype)

    def _call(
        self, operation: int, lib: Arrays, keys: Any, descending: bool, comparator: str | Comparator | None
    ) -> _core.Call:
        shape = keys.shape
        count = math.prod(shape)
        if comparator is None:
            call = _core.Call(operation, lib.key_type(keys), count)
            if descending or operation == _TOP_K:
                call.set_descending(descending)
        else:
            if descending:
                raise Error("records have the order of their comparator, so no other can be asked for")
            text = comparator_text(lib, keys, comparator)
            call = _core.Call(operation, 0, count)
            call.set_comparator(text.type, lib.item_bytes(keys), text.before, text.declarations)
        if len(shape) > 1:
            call.row_length = shape[-1]
        if count > 0:
            call.keys = lib.at(keys)
        return call

    def _taken_beside(self, lib: Arrays, x: Any, what: str) -> Any:
        other, array = taken(x)
        if other is not lib:
            raise Error(f"{what} is an array of {other.name}, but the first array is one of {lib.name}")
        return array

    def _out(self, lib: Arrays, out: Any) -> Any:
        """An array of the caller's that is written to."""
        if out is None:
            return None
        array = self._taken_beside(lib, out, "out")
        if isinstance(array, np.ndarray) and array is not out and array.base is None and lib.name == "numpy":
            raise Error(f"out is of type {type(out).__name__}, which shows no memory to write to")
        return array

    def _pair_out(self, lib: Arrays, out: Any, what: str) -> list[Any]:
        """Two arrays of the caller's, either of which may be None."""
        if out is None:
            return [None, None]
        if not isinstance(out, tuple | list) or len(out) != 2:
            raise Error(f"out= is a pair of arrays, for {what}")
        return [self._out(lib, array) for array in out]

    @staticmethod
    def _check_moved(values: Any) -> None:
        """Raises Error for values that are more than their bytes."""
        if isinstance(values, np.ndarray) and values.dtype.hasobject:
            raise Error("values that are Python's objects cannot be moved; sort their indices (argsort)")

    @staticmethod
    def _check_index_type(lib: Arrays, out: Any) -> None:
        kind = lib.numpy_dtype(out)
        if kind.kind not in "iu" or kind.itemsize not in (4, 8):
            raise Error(f"indices are integers of 32 or 64 bits, but out is of type {kind}")

    def _segments(self, lib: Arrays, call: _core.Call, keys: Any, segments: Any) -> list[Any]:
        """Gives the arrays that the call reads besides."""
        if segments is None:
            return []
        if keys.ndim != 1:
            raise Error(f"segments are parts of an array of one dimension, but this one has {keys.ndim}")
        other, offsets = taken(segments)
        if other.backend == "host" and isinstance(offsets, np.ndarray):
            if offsets.dtype.kind not in "iu" and offsets.size > 0:
                raise Error(f"the offsets of segments are of type {offsets.dtype}, but must be integers")
            if offsets.ndim != 1 or offsets.size == 0 or offsets[0] < 0:
                raise Error("segments are given by where each begins, and where the last one ends")
            offsets = np.ascontiguousarray(offsets, np.int64)
            lengths = np.diff(offsets)
            if lengths.size and lengths.min() < 0:
                raise Error("the offsets of segments do not ascend")
            if offsets[-1] > keys.shape[0]:
                raise Error(
                    f"the last segment ends at key {offsets[-1]}, but there are {keys.shape[0]}", code="out_of_range"
                )
            if lib.backend != "host":
                call.longest = max(int(lengths.max(initial=0)), 1)
            offsets = lib.upload(offsets, keys)
        elif other is not lib or offsets.ndim != 1 or not lib.is_direct(offsets):
            raise Error("the offsets of segments lie elsewhere than the keys, or are no contiguous array of one axis")
        call.segments = offsets.shape[0] - 1
        call.offset_bytes = lib.item_bytes(offsets)
        if lib.backend != "host" and call.longest == 0:
            call.longest = keys.shape[0]
        call.segment_offsets = lib.at(offsets)
        return [offsets]

    def _sort_keys(
        self, x: Any, axis: int, descending: bool, stable: bool, out: Any, segments: Any,
        comparator: str | Comparator | None, first: int | None, schedule: str, data_independent: bool, extra_bytes: int,
    ) -> Any:  # fmt: skip
        lib, source = taken(x)
        axis = _axis(source, axis)
        target = source if out is source else self._out(lib, out)
        if lib.is_differentiated(source):
            self._check_differentiated(out, segments, comparator, first)
            return source.take_along_dim(self.argsort(source.detach(), axis=axis, descending=descending), axis)
        keys = self._target(lib, source, target, axis, "out")
        self._run_sort(
            lib, keys, None, descending, stable and comparator is not None, segments, comparator, first, schedule,
            data_independent, extra_bytes,
        )  # fmt: skip
        result = self._deliver(lib, keys, source, target, axis)
        return result if out is None else out

    def _sort_pairs(
        self, x: Any, values: Any, axis: int, descending: bool, stable: bool, out: Any, segments: Any,
        comparator: str | Comparator | None, schedule: str, data_independent: bool, extra_bytes: int,
    ) -> SortedPairs:  # fmt: skip
        lib, source = taken(x)
        axis = _axis(source, axis)
        has_many = isinstance(values, tuple | list)
        all_values = list(values) if has_many else [values]
        outs = [None] * (1 + len(all_values))
        if out is not None:
            if not isinstance(out, tuple | list) or len(out) != 2:
                raise Error("out= of keys with values is a pair of the two")
            outs = [out[0], *(out[1] if has_many else [out[1]])]
            if len(outs) != 1 + len(all_values):
                raise Error(f"out= has {len(outs) - 1} arrays of values, but there are {len(all_values)}")
        sources = [self._taken_beside(lib, value, "values") for value in all_values]
        for value in sources:
            if value.shape != source.shape:
                raise Error(
                    f"the values have shape {tuple(value.shape)}, but the keys have {tuple(source.shape)}; there must "
                    "be one for each key"
                )
            self._check_moved(value)
        targets = [
            array if place is given and array is given else self._out(lib, place)
            for array, place, given in zip([source, *sources], outs, [x, *all_values], strict=True)
        ]
        if lib.is_differentiated(source) or any(lib.is_differentiated(value) for value in sources):
            self._check_differentiated(out, segments, comparator, None)
            order = self.argsort(source.detach(), axis=axis, descending=descending)
            return self._pairs([array.take_along_dim(order, axis) for array in [source, *sources]], has_many)
        if len(sources) != 1 or lib.item_bytes(sources[0]) not in _VALUE_BYTES:
            return self._sort_by_indices(
                lib, source, sources, targets, has_many, axis, descending, segments, comparator
            )
        keys, moved = (
            self._target(lib, array, target, axis, "out")
            for array, target in zip([source, *sources], targets, strict=True)
        )
        self._run_sort(
            lib, keys, moved, descending, stable, segments, comparator, None, schedule, data_independent, extra_bytes
        )
        results = [
            self._deliver(lib, work, like, target, axis)
            for work, like, target in zip((keys, moved), [source, *sources], targets, strict=True)
        ]
        for place, (given, target) in enumerate(zip(outs, targets, strict=True)):
            if given is not None and target is not None:
                results[place] = given
        return self._pairs(results, has_many)

    def _run_sort(
        self, lib: Arrays, keys: Any, values: Any, descending: bool, stable: bool, segments: Any,
        comparator: str | Comparator | None, first: int | None, schedule: str, data_independent: bool, extra_bytes: int,
    ) -> None:  # fmt: skip
        """Sorts direct arrays in place."""
        call = self._call(_SORT, lib, keys, descending, comparator)
        if math.prod(keys.shape) == 0:
            return
        arrays = [keys, *self._segments(lib, call, keys, segments)]
        if values is not None:
            call.values = lib.at(values)
            call.value_bytes = lib.item_bytes(values)
            arrays.append(values)
        if stable:
            call.stable = True
        if first is not None:
            call.first = first
        self._choose(call, schedule, data_independent, extra_bytes)
        self._run(lib, call, arrays, comparator is not None)

    @staticmethod
    def _check_differentiated(out: Any, segments: Any, comparator: Any, first: Any) -> None:
        if out is not None or segments is not None or comparator is not None or first is not None:
            raise Error("a gradient goes through new arrays only, not through out=, segments or a comparator")

    @staticmethod
    def _choose(call: _core.Call, schedule: str, data_independent: bool, extra_bytes: int) -> None:
        """What the caller says of how it is to be sorted."""
        if schedule != "automatic":
            if schedule not in _SCHEDULES:
                raise Error(f"there is no schedule {schedule!r}, only {', '.join(_SCHEDULES)}")
            call.schedule = _SCHEDULES[schedule]
        if data_independent:
            call.data_independent = True
        if extra_bytes:
            call.extra_bytes = _count("extra_bytes", extra_bytes, _MOST_BYTES)

    @staticmethod
    def _pairs(results: list[Any], has_many: bool) -> SortedPairs:
        return SortedPairs(results[0], tuple(results[1:]) if has_many else results[1])

    def _sort_by_indices(
        self, lib: Arrays, source: Any, sources: list[Any], targets: list[Any], has_many: bool, axis: int,
        descending: bool, segments: Any, comparator: str | Comparator | None,
    ) -> SortedPairs:  # fmt: skip
        if segments is not None:
            raise Error("segments can have one array of values, of 1, 2, 4, 8 or 16 bytes")
        order = self._indices(lib, source, axis, descending, comparator)
        results = []
        for array, target in zip([source, *sources], targets, strict=True):
            work = lib.take(self._direct(lib, array, axis), order)
            if target is not None:
                lib.check_written(target, "out")
            results.append(self._deliver(lib, work, array, target, axis))
        return self._pairs(results, has_many)

    @staticmethod
    def _place_indices(lib: Arrays, call: _core.Call, indices: Any, keys: Any) -> None:
        width = lib.item_bytes(indices)
        if lib.backend == "host" and width == 8 and keys.shape[-1] < _MOST_NARROW_INDICES:
            call.set_narrow_indices(lib.at(indices)[0], math.prod(indices.shape))
        else:
            call.indices = lib.at(indices)
            call.index_bytes = width

    def _indices(
        self, lib: Arrays, source: Any, axis: int, descending: bool, comparator: str | Comparator | None,
        out: Any = None, segments: Any = None, schedule: str = "automatic", data_independent: bool = False,
        extra_bytes: int = 0,
    ) -> Any:  # fmt: skip
        """The indices that sort along the axis, which is the last of the result."""
        keys = self._direct(lib, source, axis)
        indices = self._result(lib, keys, out, keys.shape, axis, "int64" if lib.index_bytes == 8 else "int32")
        call = self._call(_ARGSORT, lib, keys, descending, comparator)
        if math.prod(keys.shape) > 0:
            others = self._segments(lib, call, keys, segments)
            self._place_indices(lib, call, indices, keys)
            self._choose(call, schedule, data_independent, extra_bytes)
            self._run(lib, call, [keys, indices, *others], comparator is not None)
        return indices

    # The operations.

    def sort(
        self, x: Any, /, *, axis: int = -1, descending: bool = False, stable: bool = True, out: Any = None,
        segments: Any = None, comparator: str | Comparator | None = None, schedule: str = "automatic",
        data_independent: bool = False, extra_bytes: int = 0,
    ) -> Any:  # fmt: skip
        """Sorts along an axis.

        Result: an array of the library and shape of `x`, or `out`. ``sort(x, out=x)`` and ``sort_(x)`` are in place.
        Order: -0 before +0 and every NaN last; the exact reverse where descending. Equal numbers are equal in every
        bit; records that the comparator calls equal keep their order where `stable`.
        Memory: the result; along another axis than the last, or for what is not contiguous, one copy. In place, along
        the last axis of a contiguous array, none on the processor and on OpenCL; CUDA takes up to 32 MiB or a hundredth
        of an array of 128 MiB or more, unless it is to be data-independent. A stable sort of records takes 4 bytes each.
        Cost: neither blocks nor synchronises on a queue or stream, but to compile for the first call of a kind.

        Args:
            x: numbers; or records, with a comparator.
            axis: to sort along.
            descending: the largest first.
            stable: of records, those that the comparator calls equal keep their order.
            out: where the result goes, of the shape and type of `x`, which it may be.
            segments: of an array of one axis, where each begins and where the last ends: each is sorted by itself.
            comparator: an order of records, as text (`Comparator`).
            schedule: "automatic", "network", "columns" or "distribution".
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

    def sort_(self, x: Any, /, **options: Any) -> Any:
        """Sorts in place, and gives `x`: ``sort(x, out=x)``, with its options, order, memory, cost and errors.

        >>> import lanesort, numpy
        >>> x = numpy.array([3, 1, 2])
        >>> lanesort.sort_(x) is x, x
        (True, array([1, 2, 3]))
        """
        return self.sort(x, out=x, **options)

    def partial_sort(
        self, x: Any, k: int, /, *, axis: int = -1, descending: bool = False, stable: bool = True, out: Any = None,
        segments: Any = None, comparator: str | Comparator | None = None,
    ) -> Any:  # fmt: skip
        """Brings the first `k` keys of the order to the front, in order.

        Order: that of `sort`, in front; the other keys follow in an order that depends on the device.
        Memory, errors: as `sort`. Cost: a fraction of a sort up to some thousand keys, else a sort.

        >>> import lanesort, numpy
        >>> lanesort.partial_sort(numpy.array([5, 3, 4, 1, 2]), 2)[:2]
        array([1, 2])
        """
        lib, source = taken(x)
        first = _count("k", k, source.shape[_axis(source, axis)])
        return self._sort_keys(x, axis, descending, stable, out, segments, comparator, first, "automatic", False, 0)

    def sort_by_key(
        self, keys: Any, values: Any, /, *, axis: int = -1, descending: bool = False, stable: bool = True,
        out: Any = None, segments: Any = None, comparator: str | Comparator | None = None, schedule: str = "automatic",
        data_independent: bool = False, extra_bytes: int = 0,
    ) -> SortedPairs:  # fmt: skip
        """Sorts keys together with the values that belong to them.

        Result: the pair of keys and values, new or `out`; ``sort_by_key(k, v, out=(k, v))`` is in place.
        Order: as `sort`. Pairs of equal keys keep their order where `stable`, else they come in the order of their
        values' bits.
        Memory: as `sort`, and where `stable` an index of 4 bytes for each pair, 8 from 2^32 pairs on. Several arrays of
        values, or one of another width than 1, 2, 4, 8 or 16 bytes, go by argsort: indices of 8 bytes, a copy of the
        keys, and a copy of each array.
        Cost, errors: as `sort`.

        Args:
            values: one array of the keys' shape, or a tuple of several.
            out: a pair: keys, and values in the form of `values`.

        >>> import lanesort, numpy
        >>> lanesort.sort_by_key(numpy.array([2, 1, 2]), numpy.array([10.0, 20.0, 30.0]))
        SortedPairs(keys=array([1, 2, 2]), values=array([20., 10., 30.]))
        """
        if values is None:
            raise Error("there are no values; sort() sorts keys alone")
        return self._sort_pairs(
            keys, values, axis, descending, stable, out, segments, comparator, schedule, data_independent, extra_bytes
        )

    def sort_by_key_(self, keys: Any, values: Any, /, **options: Any) -> SortedPairs:
        """Sorts both in place: ``sort_by_key(keys, values, out=(keys, values))``.

        >>> import lanesort, numpy
        >>> keys, values = numpy.array([2, 1]), numpy.array([10, 20], "u1")
        >>> _ = lanesort.sort_by_key_(keys, values)
        >>> values
        array([20, 10], dtype=uint8)
        """
        return self.sort_by_key(keys, values, out=(keys, values), **options)

    def argsort(
        self, x: Any, /, *, axis: int = -1, descending: bool = False, stable: bool = True, out: Any = None,
        segments: Any = None, comparator: str | Comparator | None = None, schedule: str = "automatic",
        data_independent: bool = False, extra_bytes: int = 0,
    ) -> Any:  # fmt: skip
        """The indices that would sort along an axis.

        Result: integers of 64 bits (of 32 in jax without its 64-bit types), or of the type of `out`: 32 or 64 bits.
        Order: that of `sort`; equal keys keep their order, also where descending and whatever `stable` says.
        Memory: the result, and a copy of the keys. Cost, errors: as `sort`.

        >>> import lanesort, numpy
        >>> lanesort.argsort(numpy.array([30, 10, 20, 10]))
        array([1, 3, 2, 0])
        """
        lib, source = taken(x)
        axis = _axis(source, axis)
        if lib.is_differentiated(source):
            source = source.detach()
        out_array = self._out(lib, out)
        if out_array is not None:
            if out_array.shape != source.shape:
                raise Error(f"out has shape {tuple(out_array.shape)}, but must have {tuple(source.shape)}")
            self._check_index_type(lib, out_array)
            lib.check_written(out_array, "out")
        indices = self._indices(
            lib, source, axis, descending, comparator, out_array, segments, schedule, data_independent, extra_bytes
        )
        result = self._deliver(lib, indices, indices, out_array, axis)
        return result if out is None else out

    def top_k(
        self, x: Any, k: int, /, *, axis: int = -1, largest: bool = True, out: Any = None,
        comparator: str | Comparator | None = None, data_independent: bool = False,
    ) -> TopK:  # fmt: skip
        """The `k` largest keys along an axis, in order, and their indices; or the smallest.

        Result: values and indices, as long as `k` along the axis; the indices are as those of `argsort`.
        Order: that of a stable sort, so of equal keys those with the lowest indices are taken, and come in that order,
        always. NaNs are larger than any number. Records come in the order of their comparator.
        Memory: the results; on a graphics card room for what passes a threshold, a little more than k elements of each
        row, at most a quarter of the row; else for few of many keys less than these, for many a copy of them.
        Cost: for few of many keys little more than to read all once.

        Args:
            out: a pair of arrays for values and indices.

        >>> import lanesort, numpy
        >>> lanesort.top_k(numpy.array([1.0, 9.0, 5.0, 9.0]), 3)
        TopK(values=array([9., 9., 5.]), indices=array([1, 3, 2]))
        """
        lib, source = taken(x)
        axis = _axis(source, axis)
        k = _count("k", k, source.shape[axis])
        if comparator is not None and not largest:
            raise Error("records have the order of their comparator, so the smallest cannot be asked for")
        shape = list(source.shape)
        shape[axis] = k
        outs = self._pair_out(lib, out, "values and indices")
        if lib.is_differentiated(source):
            if out is not None:
                raise Error("a gradient goes through new arrays only, not through out=")
            indices = self.top_k(source.detach(), k, axis=axis, largest=largest, comparator=comparator).indices
            return TopK(source.take_along_dim(indices, axis), indices)
        for array, what in zip(outs, ("values", "indices"), strict=True):
            if array is None:
                continue
            if tuple(array.shape) != tuple(shape):
                raise Error(f"out has shape {tuple(array.shape)} for {what}, but must have {tuple(shape)}")
            lib.check_written(array, "out")
        if outs[0] is not None and outs[0].dtype != source.dtype:
            raise Error(f"out has type {outs[0].dtype} for values, but must have {source.dtype}")
        if outs[1] is not None:
            self._check_index_type(lib, outs[1])
        keys = self._direct(lib, source, axis)
        last = (*keys.shape[:-1], k)
        best = self._result(lib, keys, outs[0], last, axis, None)
        indices = self._result(lib, keys, outs[1], last, axis, "int64" if lib.index_bytes == 8 else "int32")
        call = self._call(_TOP_K, lib, keys, largest and comparator is None, comparator)
        if math.prod(last) > 0:
            call.first = k
            call.results = lib.at(best)
            self._place_indices(lib, call, indices, keys)
            if data_independent:
                call.data_independent = True
            self._run(lib, call, [keys, best, indices], comparator is not None)
        results = [
            self._deliver(lib, best, source, outs[0], axis), self._deliver(lib, indices, indices, outs[1], axis),
        ]  # fmt: skip
        if out is not None:
            results = [result if given is None else given for result, given in zip(results, out, strict=True)]
        return TopK(*results)

    def merge(
        self, a: Any, b: Any, /, *, values: tuple[Any, Any] | None = None, descending: bool = False,
        stable: bool = True, out: Any = None, comparator: str | Comparator | None = None,
    ) -> Any:  # fmt: skip
        """Merges two sorted arrays of one axis into a third.

        Result: a new array or `out`; with `values`, a pair of arrays for `a` and `b`, the pair of keys and values.
        Order: both must be in the order that is asked for. Equal keys come as in `sort_by_key`; those of `a` come first.
        Memory: the result, and with values and `stable` an index of 4 bytes each. Cost: one phase of a sort.

        >>> import lanesort, numpy
        >>> lanesort.merge(numpy.array([1, 4]), numpy.array([2, 3, 5]))
        array([1, 2, 3, 4, 5])
        """
        lib, first = taken(a)
        second = self._taken_beside(lib, b, "the second array")
        for array in (first, second):
            if array.ndim != 1:
                raise Error(f"arrays of one axis are merged, but one has {array.ndim}")
            if lib.is_differentiated(array):
                raise Error("no gradient goes through a merge; detach the arrays")
        if first.dtype != second.dtype:
            raise Error(f"keys of type {first.dtype} cannot be merged with keys of type {second.dtype}")
        sources = [] if values is None else [self._taken_beside(lib, array, "values") for array in values]
        if sources and (len(sources) != 2 or sources[0].dtype != sources[1].dtype):
            raise Error("values= of a merge are two arrays of one type, for the first keys and for the second")
        for array, keys in zip(sources, (first, second), strict=False):
            if array.shape != keys.shape:
                raise Error(f"there are {keys.shape[0]} keys, but values of shape {tuple(array.shape)}")
        shape = (first.shape[0] + second.shape[0],)
        for array in sources:
            self._check_moved(array)
        outs = [self._out(lib, out)] if values is None else self._pair_out(lib, out, "keys and values")
        for array, like in zip(outs, (first, *sources[:1]), strict=True):
            if array is None:
                continue
            if tuple(array.shape) != shape or array.dtype != like.dtype:
                raise Error(f"out must have shape {shape} and type {like.dtype}")
            lib.check_written(array, "out")
        parts = [self._direct(lib, array, -1) for array in (first, second, *sources)]
        merged = [
            self._result(lib, like, array, shape, -1, None)
            for array, like in zip(outs, (first, *sources[:1]), strict=True)
        ]
        if shape[0] > 0:
            call = self._call(_MERGE, lib, parts[0], descending, comparator)
            both = self._call(_MERGE, lib, merged[0], descending, comparator)
            both.keys, both.apart, both.middle = call.keys, True, first.shape[0]
            both.second_keys = lib.at(parts[1]) if second.shape[0] else (0, 0)
            both.results = lib.at(merged[0])
            if sources:
                both.value_bytes = lib.item_bytes(sources[0])
                both.values = lib.at(parts[2]) if first.shape[0] else (0, 0)
                both.second_values = lib.at(parts[3]) if second.shape[0] else (0, 0)
                both.result_values = lib.at(merged[1])
            if stable and (sources or comparator is not None):
                both.stable = True
            self._run(lib, both, [*parts, *merged], comparator is not None)
        results = [
            self._deliver(lib, work, like, array, -1)
            for work, like, array in zip(merged, (first, *sources[:1]), outs, strict=True)
        ]
        if values is None:
            return results[0] if out is None else out
        if out is not None:
            results = [result if given is None else given for result, given in zip(results, out, strict=True)]
        return SortedPairs(*results)

    def is_sorted(
        self, x: Any, /, *, axis: int = -1, descending: bool = False, comparator: str | Comparator | None = None
    ) -> Any:
        """Whether the keys along an axis are in the order that `sort` would give them.

        Result: truth values, of the shape of `x` without the axis; of one axis in host memory a bool. On a queue or
        stream it is an array, so that nothing waits.
        Memory: the result, and 8 bytes for each block of keys; what is not contiguous is copied.
        Cost: reads all keys once.

        >>> import lanesort, numpy
        >>> lanesort.is_sorted(numpy.array([1, 2, 2]))
        True
        >>> lanesort.is_sorted(numpy.array([[1, 2], [2, 1]]))
        array([ True, False])
        """
        lib, source, answers = self._answers(_IS_SORTED, x, axis, descending, comparator)
        truth = lib.truth(answers)
        if source.ndim == 1 and lib.backend == "host":
            return bool(truth[0])
        return lib.given(lib.reshaped(truth, _without(source.shape, _axis(source, axis))))

    def _answers(
        self, operation: int, x: Any, axis: int, descending: bool, comparator: str | Comparator | None
    ) -> tuple[Arrays, Any, Any]:
        lib, source = taken(x)
        axis = _axis(source, axis)
        if lib.is_differentiated(source):
            source = source.detach()
        keys = self._direct(lib, source, axis)
        rows = math.prod(_without(source.shape, axis))
        if math.prod(source.shape) == 0:
            if comparator is None:
                lib.key_type(keys)
            return lib, source, lib.upload(np.full(rows, operation == _IS_SORTED, np.int64), source)
        answers = lib.empty(keys, (rows,), "int64")
        call = self._call(operation, lib, keys, descending, comparator)
        call.answers = lib.at(answers)
        self._run(lib, call, [keys, answers], comparator is not None)
        return lib, source, answers

    def _flat(self, lib: Arrays, source: Any) -> Any:
        if lib.is_differentiated(source):
            source = source.detach()
        direct = source if source.ndim == 0 else self._direct(lib, source, -1)
        return direct if source.ndim == 1 else lib.reshaped(direct, (-1,))

    def unique(
        self, x: Any, /, *, assume_sorted: bool = False, descending: bool = False, return_counts: bool = False,
        values: Any = None, comparator: str | Comparator | None = None,
    ) -> Any:  # fmt: skip
        """The distinct keys, in order.

        Result: an array of one axis; with `return_counts` or `values`, a triple of keys, how often each comes, and the
        value of the first of equal keys; None stands for what was not asked for.
        Order: that of `sort`. Numbers are equal if all of their bits are, so -0 and +0 are two. Records are equal if
        neither comes before the other, and the first is kept.
        Memory: the results at the length of `x`, and a sorted copy unless `assume_sorted`.
        Cost: a sort unless `assume_sorted`, then two reads. Waits for the number of results.

        Args:
            assume_sorted: the keys are sorted already: of each run of equal neighbours the first is kept.
            values: an array that belongs to the keys; not with `return_counts`.

        >>> import lanesort, numpy
        >>> lanesort.unique(numpy.array([3, 1, 3, 2]))
        array([1, 2, 3])
        >>> lanesort.unique(numpy.array([3, 1, 3]), return_counts=True).counts
        array([1, 2])
        """
        lib, source = taken(x)
        if values is not None and return_counts:
            raise Error("values and counts are not given by one call; run_lengths counts sorted keys")
        if values is not None:
            values = self._taken_beside(lib, values, "values")
            if values.shape != source.shape:
                raise Error(f"there are values of shape {tuple(values.shape)} for keys of {tuple(source.shape)}")
            self._check_moved(values)
            values = self._flat(lib, values)
        keys = self._flat(lib, source)
        if not assume_sorted:
            if values is None:
                keys = taken(self.sort(lib.given(keys), descending=descending, comparator=comparator))[1]
            else:
                keys, values = (
                    taken(part)[1]
                    for part in self.sort_by_key(
                        lib.given(keys), lib.given(values), descending=descending, comparator=comparator
                    )
                )
        distinct, lengths, kept = self._runs(lib, keys, values, return_counts, comparator)
        if values is None and not return_counts:
            return distinct
        return Unique(distinct, lengths, kept)

    def run_lengths(self, x: Any, /, *, comparator: str | Comparator | None = None) -> Runs:
        """Runs of equal neighbours of an array of one axis: the key of each, and how many they are.

        Result: two arrays as long as there are runs; the lengths are integers of 64 bits.
        Order: that of `x`, which is not sorted first. Equal is as in `unique`.
        Memory: the results at the length of `x`. Cost: two reads. Waits for the number of runs.

        >>> import lanesort, numpy
        >>> lanesort.run_lengths(numpy.array([7, 7, 1, 7]))
        Runs(values=array([7, 1, 7]), lengths=array([2, 1, 1]))
        """
        lib, source = taken(x)
        if source.ndim != 1:
            raise Error(f"runs are those of an array of one axis, but this one has {source.ndim}")
        return Runs(*self._runs(lib, self._flat(lib, source), None, True, comparator)[:2])

    def _runs(
        self, lib: Arrays, keys: Any, values: Any, counts: bool, comparator: str | Comparator | None
    ) -> tuple[Any, Any, Any]:
        size = keys.shape[0]
        if size == 0 and comparator is None:
            lib.key_type(keys)
        index = "int64" if lib.index_bytes == 8 else "int32"
        distinct = lib.empty(keys, (size,))
        lengths = lib.empty(keys, (size,), index) if counts else None
        kept = lib.empty(values, (size,)) if values is not None else None
        number = 0
        if size > 0:
            answers = lib.empty(keys, (1,), "int64")
            call = self._call(_RUN_LENGTHS if counts else _UNIQUE, lib, keys, False, comparator)
            call.results = lib.at(distinct)
            call.answers = lib.at(answers)
            arrays = [keys, distinct, answers]
            if lengths is not None:
                call.lengths = lib.at(lengths)
                call.length_bytes = lib.item_bytes(lengths)
                arrays.append(lengths)
            if kept is not None:
                call.values, call.value_bytes = lib.at(values), lib.item_bytes(values)
                call.result_values = lib.at(kept)
                arrays += [values, kept]
            self._run(lib, call, arrays, comparator is not None)
            number = lib.number(answers)
        return tuple(
            None if array is None else lib.given(lib.head(array, number)) for array in (distinct, lengths, kept)
        )  # type: ignore[return-value]

    # For those who call often.

    def prepare(self, operation: str, /, *arrays: Any, **options: Any) -> None:
        """Compiles now what a call of that name, on such arrays and with such options, needs. The arrays stay.

        >>> import lanesort, numpy
        >>> lanesort.Sorter("built-in").prepare("top_k", numpy.zeros((10, 1000), "f4"), 5)
        """
        from ._recording import Preparing

        Preparing(self).call(operation, arrays, options)

    def record(self, operation: str, /, *arrays: Any, **options: Any) -> Recorded:
        """Records a call, to be run many times on what its arrays hold then, for less than it costs anew.

        On CUDA it is a graph, on OpenCL a command buffer where the device has such, in host memory the call as it is
        planned. The arrays must be direct: contiguous, along the last axis, with ``out=`` given.

        >>> import lanesort, numpy
        >>> x = numpy.array([3, 1, 2])
        >>> again = lanesort.Sorter().record("sort", x, out=x)
        >>> again()
        >>> x
        array([1, 2, 3])
        """
        from ._recording import Recorded, Recording

        recording = Recording(self)
        recording.call(operation, arrays, options)
        return Recorded(recording.lib, recording.core, recording.recorded, recording.arrays)

    def plan(self, operation: str, /, *arrays: Any, **options: Any) -> Plan:
        """What a call of that name, on such arrays and with such options, enqueues. Runs and compiles nothing.

        >>> import lanesort, numpy
        >>> plan = lanesort.plan("sort", numpy.empty(1000, "u4"))
        >>> len(plan.commands) == plan.report["launches"]
        True
        """
        from ._recording import Planning

        planning = Planning(self)
        planning.call(operation, arrays, options)
        return planning.plan_of_call

    @property
    def report(self) -> dict[str, Any]:
        """What the latest call of this sorter did: launches, hand_overs, barriers, device_bytes, seconds, schedule."""
        if self._last is None:
            raise Error("this sorter was not called yet")
        return self._last.report

    def release(self) -> None:
        """Frees the programs that were compiled; a later call compiles anew. On CUDA it waits."""
        for core in [self._core, *self._cores.values()]:
            if core is not None:
                core.release()


_all_sorters: weakref.WeakSet[Sorter] = weakref.WeakSet()


def _after_fork() -> None:
    for sorter in list(_all_sorters):
        sorter._forget()


os.register_at_fork(after_in_child=_after_fork)
default = Sorter()
