# SPDX-License-Identifier: MIT
"""What all operations have in common: arrays in and out, and the call as data."""

from __future__ import annotations

import itertools
import math
import operator
import os
import threading
import weakref
from collections.abc import Sequence
from typing import Any, SupportsIndex

import numpy as np

from . import _core
from ._arrays import KEY_TYPES, Arrays, taken
from ._errors import Error
from ._types import BinaryOperator, Comparator, check_texts, comparator_text, operator_text

OPERATIONS = {name: number for number, name in enumerate(_core.operations)}
VALUE_BYTES = frozenset((1, 2, 4, 8, 16))
_INDEX_TYPES = frozenset(KEY_TYPES[name] for name in ("u32", "i32", "u64", "i64"))
_MOST_NARROW_INDICES = (1 << 32) - 1
_MOST_NARROWED = 1 << 31
# Of fewer keys, another array and its copy take longer than what they save.
_WORTH_NARROWING = 1 << 20
MOST = (1 << 63) - 1
_SCHEDULES = {name: number for number, name in enumerate(_core.schedules)}


def _integer(name: str, number: Any) -> int:
    """An argument that is an integer. To Python True would be 1."""
    try:
        if not isinstance(number, bool):
            return operator.index(number)
    except TypeError:
        pass
    raise TypeError(f"{name} is of type {type(number).__name__}, but must be an integer")


def truth(name: str, given: Any) -> bool:
    """An argument that is a flag. To Python "no" and 2 would be true."""
    if given is True or given is False or isinstance(given, np.bool_):
        return bool(given)
    raise TypeError(f"{name} is of type {type(given).__name__}, but must be a bool")


def axis_from_end(x: Any, axis: SupportsIndex) -> int:
    """From the end: -1 is the last."""
    ndim: int = x.ndim
    if ndim == 0:
        raise Error("an array of 0 dimensions has no axis to go along")
    axis = _integer("axis", axis)
    if not -ndim <= axis < ndim:
        raise Error(f"there is no axis {axis} in an array of {ndim} dimensions")
    return axis if axis < 0 else axis - ndim


def counted(name: str, number: Any, most: int) -> int:
    whole = _integer(name, number)
    if not 0 <= whole <= most:
        raise Error(f"{name} is {whole}, but must be from 0 to {most}")
    return whole


def as_number(what: str, number: Any, dtype: np.dtype[Any]) -> np.ndarray[Any, Any]:
    """A number as one of that type, which it has to be one of. Only fractions are rounded, to floating-point numbers."""
    dtype = dtype.newbyteorder("=")
    try:
        with np.errstate(over="ignore"):
            result = np.asarray(number, dtype)
        if dtype.kind == "f":
            fits = math.isinf(number) or not math.isinf(result)
            if isinstance(number, int | np.integer):
                fits = float(result) == int(number)
        else:
            fits = dtype.kind not in "iub" or bool(result == number)
    except (OverflowError, TypeError, ValueError):
        fits = False
    if not fits:
        raise Error(f"{what} {number} is no number of type {dtype}")
    return result


def without(shape: Sequence[int], axis: int) -> tuple[int, ...]:
    place = len(shape) + axis
    return tuple(shape[:place]) + tuple(shape[place + 1 :])


def are_several(values: Any) -> bool:
    """Whether values are several arrays, and not one, such as a list of numbers."""
    if not isinstance(values, tuple | list):
        return False
    return not np.isscalar(values[0]) if values else isinstance(values, tuple)


class _Nothing:
    """What ran last, where a call had no keys."""

    @property
    def report(self) -> dict[str, Any]:
        return _core.report_of_nothing()


class Calls:
    """A device, or where the arrays are, and how calls get there. The operations are made of it."""

    _widens = True
    """Something may be done behind a call."""

    def __init__(self, device: Any = None, *, device_bytes: SupportsIndex = 0) -> None:
        self._core: _core.Sorter | None = None
        if device_bytes and not isinstance(device, str | _core.Device):
            raise Error("device_bytes= is of a device that arrays in host memory are copied to; name one")
        if device is not None:
            if isinstance(device, str):
                check_texts("device", device)
                device = _core.find_device(device)
            if isinstance(device, _core.Device):
                self._core = _core.Sorter(device, counted("device_bytes", device_bytes, MOST))
            elif hasattr(device, "context") and hasattr(device, "device"):
                self._core = _core.Sorter.opencl(device.context.int_ptr, device.device.int_ptr)
            else:
                hint = f'; a number is given as text, "{device}"' if isinstance(device, int) else ""
                raise Error(f"a device of type {type(device).__name__} is none that lanesort knows{hint}")
        self._forget()
        _all_sorters.add(self)

    def _forget(self) -> None:
        self._lock = threading.Lock()
        self._cores: dict[Any, _core.Sorter] = {}
        self._last: _core.Sorter | _Nothing | None = self._core

    def __repr__(self) -> str:
        if self._core is None:
            return "<lanesort.Sorter where the arrays are>"
        return f"<lanesort.Sorter on '{self._core.device_name}' ({self._core.backend})>"

    # What all operations have in common.

    def _core_for(self, lib: Arrays, x: Any, compiles: bool) -> _core.Sorter:
        if self._core is not None:
            if lib.backend not in ("host", self._core.backend):
                raise Error(
                    f"the array of {lib.name} lies in {lib.backend}'s memory, but the sorter's device is one of "
                    f"{self._core.backend}",
                    code="wrong_context",
                )
            self._last = self._core
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

    def _ran_nothing(self) -> None:
        self._last = _Nothing()

    def _copied(self, lib: Arrays, x: Any, axis: int) -> Any:
        return lib.ordered_copy(x, axis)

    def _direct(self, lib: Arrays, x: Any, axis: int) -> Any:
        return x if axis == -1 and lib.is_direct(x) else self._copied(lib, x, axis)

    def _in_place(self, lib: Arrays, x: Any, what: str) -> Any:
        """A direct array with the elements of x, which the caller wants changed: x itself where that can be."""
        lib.check_written(x, what)
        return self._direct(lib, x, -1)

    def _place(self, lib: Arrays, x: Any, target: Any, axis: int) -> tuple[Any, Any]:
        """Direct arrays, one with the elements of x and one for the results, which may be the same.

        Nothing is written to the target yet: a call may be refused, or read another array there.
        """
        if axis == -1 and lib.is_direct(x):
            if target is None:
                return x, lib.empty(x, x.shape)
            if target is x:
                return x, x
            if lib.is_direct(target):
                if lib.distance(x, target) == 0:  # another view of the same
                    return target, target
                if not lib.share_memory(x, target):
                    return x, target
        work = self._copied(lib, x, axis)
        return work, work

    @staticmethod
    def _check_target(lib: Arrays, x: Any, out: Any, what: str) -> None:
        if out is not x and (out.shape != x.shape or out.dtype != x.dtype):
            raise Error(
                f"{what} has shape {tuple(out.shape)} and type {out.dtype}, but must have {tuple(x.shape)} and {x.dtype}"
            )
        lib.check_written(out, what)

    @staticmethod
    def _check_apart(lib: Arrays, *targets: Any) -> None:
        for first, second in itertools.combinations([target for target in targets if target is not None], 2):
            if lib.share_memory(first, second):
                raise Error("two arrays that are written to overlap in memory, but have to be apart")

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

    def _result(
        self, lib: Arrays, like: Any, out: Any, shape: Sequence[int], axis: int, dtype: str | None, rest: int | None = None
    ) -> Any:
        """Where an operation writes: `out`, if that is direct, or a new array. With a `rest`, it may leave places as they
        are, which have this value in a new array."""
        if out is not None and axis == -1 and lib.is_direct(out):
            return out
        if rest is not None:
            return lib.filled(like, shape, dtype, rest) if out is None else self._copied(lib, out, axis)
        if out is not None and dtype is not None:
            dtype = lib.numpy_dtype(out).name
        return lib.empty(like, shape, dtype)

    def _call(
        self, operation: int, lib: Arrays, keys: Any, descending: bool, comparator: str | Comparator | None,
        combining: BinaryOperator | None = None,
    ) -> _core.Call:  # fmt: skip
        shape = keys.shape
        count = math.prod(shape)
        descending = truth("descending", descending)
        if combining is not None:
            call = _core.Call(operation, 0, count)
            self._set_operator(lib, call, keys, combining, False)
        elif comparator is None:
            call = _core.Call(operation, lib.key_type(keys), count)
            if descending or operation == OPERATIONS["top_k"]:
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

    @staticmethod
    def _set_operator(lib: Arrays, call: _core.Call, x: Any, combining: BinaryOperator, of_values: bool) -> None:
        text = operator_text(lib, x, combining)
        call.set_operator(
            text.type, lib.item_bytes(x), text.combine, text.identity, text.declarations, text.transform, of_values
        )

    def _taken_beside(self, lib: Arrays, x: Any, what: str) -> Any:
        other, array = taken(x)
        if other is not lib:
            raise Error(f"{what} is an array of {other.name}, but the first array is one of {lib.name}")
        return array

    def _out(self, lib: Arrays, out: Any, what: str = "out") -> Any:
        """An array of the caller's that is written to."""
        if out is None:
            return None
        array = self._taken_beside(lib, out, what)
        # What has to be copied to be seen is elsewhere each time.
        if lib.name == "numpy" and array is not out and array.size and not np.may_share_memory(array, taken(out)[1]):
            raise Error(f"{what} is of type {type(out).__name__}, which shows no memory to write to")
        return array

    @staticmethod
    def _same_type(a: Any, b: Any) -> bool:
        """Whether both are of one type, in whatever byte order: each is copied to the machine's."""
        if a.dtype == b.dtype:
            return True
        return isinstance(a, np.ndarray) and bool(a.dtype.newbyteorder("=") == b.dtype.newbyteorder("="))

    def _values_beside(self, lib: Arrays, values: Any, keys: Any) -> Any:
        """An array with one value for each key."""
        array = self._taken_beside(lib, values, "values")
        if array.shape != keys.shape:
            raise Error(
                f"the values have shape {tuple(array.shape)}, but the keys have {tuple(keys.shape)}; there must be one "
                "for each key"
            )
        self._check_moved(array)
        return array

    def _widened(self, lib: Arrays, x: Any, axis: int, dtype: str) -> Any:
        """A direct copy with that axis last, of another type."""
        return lib.cast(self._direct(lib, x, axis), dtype)

    def _flat(self, lib: Arrays, source: Any) -> Any:
        """All of an array along one axis, direct."""
        if lib.is_differentiated(source):
            source = source.detach()
        if source.ndim == 0:
            source = lib.reshaped(source, (1,))
        direct = self._direct(lib, source, -1)
        return direct if source.ndim == 1 else lib.reshaped(direct, (-1,))

    def _grouped(self, lib: Arrays, keys: Any, comparator: str | Comparator | None) -> Any:
        """Direct keys of which all NaNs are equal: to the library only those with the same bits are."""
        if comparator is not None or _core.key_types[lib.key_type(keys)][0] != "f" or math.prod(keys.shape) == 0:
            return keys
        return self._with_one_nan(lib, keys)

    def _with_one_nan(self, lib: Arrays, keys: Any) -> Any:
        return lib.one_nan(keys)

    def _pair_out(self, lib: Arrays, out: Any, what: str) -> list[Any]:
        """Two arrays of the caller's, either of which may be None."""
        if out is None:
            return [None, None]
        if not isinstance(out, tuple | list) or len(out) != 2:
            raise Error(f"out= is a pair of arrays, for {what}")
        targets = [self._out(lib, array) for array in out]
        self._check_apart(lib, *targets)
        return targets

    @staticmethod
    def _check_moved(values: Any) -> None:
        """Raises Error for values that are more than their bytes."""
        if isinstance(values, np.ndarray) and values.dtype.hasobject:
            raise Error("values that are Python's objects cannot be moved; sort their indices (argsort)")

    @staticmethod
    def _check_index_type(lib: Arrays, indices: Any, what: str = "out is") -> None:
        try:
            is_index = lib.key_type(indices) in _INDEX_TYPES
        except Error:  # a type of which there are no keys
            is_index = False
        if not is_index:
            raise Error(f"indices are integers of 32 or 64 bits, but {what} of type {indices.dtype}")

    def _segments(self, lib: Arrays, call: _core.Call, keys: Any, segments: Any) -> list[Any]:
        """Gives the arrays that the call reads besides."""
        if segments is None:
            return []
        if keys.ndim != 1:
            raise Error(f"segments are parts of an array of one dimension, but this one has {keys.ndim}")
        other, offsets = taken(segments)
        if math.prod(offsets.shape) > 0 and other.numpy_dtype(offsets).kind not in "iu":
            raise Error(f"the offsets of segments are of type {offsets.dtype}, but must be integers")
        if other.backend == "host":
            offsets = other.seen(offsets)
            if offsets.ndim != 1 or offsets.size == 0:
                raise Error("segments are given by where each begins, and where the last one ends")
            if offsets[0] < 0:
                raise Error(f"the first segment begins at key {offsets[0]}, but keys count from 0")
            end = int(offsets[-1])
            if offsets.dtype.kind == "u" and offsets.dtype.itemsize == 8:  # the largest would become negative
                offsets = np.minimum(offsets, np.uint64(MOST))
            offsets = np.ascontiguousarray(offsets, np.int64)
            lengths = np.diff(offsets)
            if lengths.size and lengths.min() < 0:
                raise Error("the offsets of segments do not ascend")
            if end > keys.shape[0]:
                raise Error(
                    f"the last segment ends at key {end}, but there are {keys.shape[0]}", code="out_of_range"
                )
            call.longest = max(int(lengths.max(initial=0)), 1)
            offsets = lib.upload(offsets, keys)
        elif other is not lib or offsets.ndim != 1 or not lib.is_direct(offsets):
            raise Error("the offsets of segments lie elsewhere than the keys, or are no contiguous array of one axis")
        else:
            self._check_index_type(lib, offsets, "the offsets of segments are")
        call.segments = offsets.shape[0] - 1
        call.offset_bytes = lib.item_bytes(offsets)
        if call.longest == 0:
            call.longest = keys.shape[0]
        call.segment_offsets = lib.at(offsets)
        return [offsets]

    @staticmethod
    def _covers(segments: Any, count: int) -> bool:
        """Whether segments are known to have all keys between them: those whose offsets lie in host memory."""
        lib, offsets = taken(segments)
        is_list = lib.backend == "host" and offsets.ndim == 1 and offsets.shape[0] > 0 and offsets.dtype.kind in "iu"
        return is_list and bool(offsets[0] == 0) and bool(offsets[-1] == count)

    @staticmethod
    def _check_no_gradient(lib: Arrays, what: str, *arrays: Any) -> None:
        if any(array is not None and lib.is_differentiated(array) for array in arrays):
            raise Error(f"no gradient goes through {what}; detach the arrays")

    @staticmethod
    def _check_differentiated(out: Any, segments: Any, comparator: Any, first: Any) -> None:
        if out is not None or segments is not None or comparator is not None or first is not None:
            raise Error("a gradient goes through new arrays only, not through out=, segments or a comparator")

    @staticmethod
    def _choose(call: _core.Call, schedule: str, data_independent: bool, extra_bytes: SupportsIndex) -> None:
        """What the caller says of how it is to be sorted."""
        if not isinstance(schedule, str) or schedule not in _SCHEDULES:
            raise Error(f"there is no schedule {schedule!r}, only {', '.join(_SCHEDULES)}")
        if schedule != "automatic":
            call.schedule = _SCHEDULES[schedule]
        if truth("data_independent", data_independent):
            call.data_independent = True
        if type(extra_bytes) is not int or extra_bytes != 0:
            call.extra_bytes = counted("extra_bytes", extra_bytes, MOST)

    def _place_indices(
        self, lib: Arrays, call: _core.Call, indices: Any, keys: Any, others: Sequence[Any], leaves: bool = False
    ) -> Any:
        """Says where the call writes indices. Gives None, or an array of its own for these, of which `_widen` is to make
        those that were asked for. The call's other arrays are those besides the keys. With `leaves`, not all of the
        indices are written."""
        width = lib.item_bytes(indices)
        on_host = lib.backend == "host"
        if on_host:
            narrows = keys.shape[-1] < _MOST_NARROW_INDICES
        else:
            narrows = lib.narrows and self._widens and _WORTH_NARROWING <= call.count <= _MOST_NARROWED
        # The library sees narrow ones alone. What the wide ones overlap it is to see, too, and to refuse.
        if narrows and width == 8 and not leaves and not any(lib.share_memory(indices, array) for array in (keys, *others)):
            if on_host:
                call.set_narrow_indices(lib.at(indices)[0], math.prod(indices.shape))
                return None
            narrow = lib.empty(keys, indices.shape, "int32")
            call.indices = lib.at(narrow)
            call.index_bytes = 4
            return narrow
        call.indices = lib.at(indices)
        call.index_bytes = width
        return None

    def _widen(self, lib: Arrays, indices: Any, narrow: Any) -> None:
        lib.assign(indices, narrow)

    @property
    def report(self) -> dict[str, Any]:
        """What the latest call of this sorter did: launches, hand_overs, barriers, device_bytes, upload_seconds,
        sort_seconds, download_seconds, schedule. All is 0 of a call on no keys, and the seconds are on a queue or stream.

        >>> import lanesort, numpy
        >>> sorter = lanesort.Sorter()
        >>> _ = sorter.sort(numpy.array([3, 1, 2]))
        >>> sorter.report["launches"], sorter.report["device_bytes"]
        (1, 0)
        """
        if self._last is None:
            raise Error("this sorter was not called yet")
        return self._last.report

    def release(self) -> None:
        """Frees the programs that were compiled; a later call compiles anew. On CUDA it waits."""
        for core in [self._core, *self._cores.values()]:
            if core is not None:
                core.release()


_all_sorters: weakref.WeakSet[Calls] = weakref.WeakSet()


def _after_fork() -> None:
    for sorter in list(_all_sorters):
        sorter._forget()


os.register_at_fork(after_in_child=_after_fork)
