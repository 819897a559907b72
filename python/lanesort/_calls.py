# SPDX-License-Identifier: MIT
"""A call as data, where calls run, and how arrays get into a call."""

from __future__ import annotations

import math
import os
import threading
import weakref
from collections.abc import Callable, Sequence
from typing import Any, Self, SupportsIndex, TypeVar

from . import _core
from ._arguments import MOST, counted
from ._arrays import Arrays
from ._errors import Error
from ._types import Comparator, check_texts

_MOST_NARROW_INDICES = (1 << 32) - 1
_MOST_NARROWED = 1 << 31
# Of fewer keys, another array and its copy take longer than what they save.
_WORTH_NARROWING = 1 << 20


Task = tuple[Arrays, _core.Call | None, Sequence[Any], bool, Callable[[], Any]]
"""What an operation makes of its arguments. It can be run, or its call prepared, recorded or planned. Its members are:

lib: the library of its arrays.
call: as data; None where there is nothing to do, as of empty arrays.
arrays: what the call reads and writes.
compiles: the call needs a device that compiles.
finish: gives the result, when the call has run.
"""


def then(task: Task, more: Callable[[Any], Any]) -> Task:
    """The same call, of whose result something else is made."""
    *same, finish = task
    return (*same, lambda: more(finish()))  # type: ignore[return-value]


Function = TypeVar("Function", bound=Callable[..., Any])


def several_calls(operation: Function) -> Function:
    """Marks an operation that is no one call: how much it gives is known when it has run."""
    operation.__dict__["is_several"] = True
    return operation


class _Nothing:
    """What ran last, where a call had no keys."""

    @property
    def report(self) -> dict[str, Any]:
        return _core.report_of_nothing()


class Devices:
    """Where calls run: on one device or, without one, where the arrays are. Keeps what it compiled for them."""

    def __init__(self, core: _core.Sorter | None) -> None:
        self.core = core
        self.forget()
        _all_devices.add(self)

    def forget(self) -> None:
        self._lock = threading.Lock()
        self._cores: dict[Any, _core.Sorter] = {}
        self.last: _core.Sorter | _Nothing | None = self.core

    def core_for(self, lib: Arrays, x: Any, compiles: bool) -> _core.Sorter:
        if self.core is not None:
            if lib.backend not in ("host", self.core.backend):
                raise Error(
                    f"the array of {lib.name} lies in {lib.backend}'s memory, but the sorter's device is one of "
                    f"{self.core.backend}",
                    code="wrong_context",
                )
            self.last = self.core
            return self.core
        key = lib.backend, lib.place(x), compiles
        core = self._cores.get(key)
        if core is None:
            with self._lock:
                core = self._cores.get(key)
                if core is None:
                    core = self._cores[key] = lib.make_sorter(x, compiles)
        self.last = core
        return core

    def release(self) -> None:
        for core in [self.core, *self._cores.values()]:
            if core is not None:
                core.release()


_all_devices: weakref.WeakSet[Devices] = weakref.WeakSet()


def _after_fork() -> None:
    for devices in list(_all_devices):
        devices.forget()


os.register_at_fork(after_in_child=_after_fork)

default_devices = Devices(None)
"""Those of the package's functions."""
_defaults: dict[type[Calls], Calls] = {}


class Calls:
    """Devices, and how calls get there. The families of operations are made of it."""

    _widens = True
    """Something may be done behind a call."""

    def __init__(self, device: Any = None, *, device_bytes: SupportsIndex = 0) -> None:
        core: _core.Sorter | None = None
        if device_bytes and not isinstance(device, str | _core.Device):
            raise Error("device_bytes= is of a device that arrays in host memory are copied to; name one")
        if device is not None:
            if isinstance(device, str):
                check_texts("device", device)
                device = _core.find_device(device)
            if isinstance(device, _core.Device):
                core = _core.Sorter(device, counted("device_bytes", device_bytes, MOST))
            elif hasattr(device, "context") and hasattr(device, "device"):
                core = _core.Sorter.opencl(device.context.int_ptr, device.device.int_ptr)
            else:
                hint = f'; a number is given as text, "{device}"' if isinstance(device, int) else ""
                raise Error(f"a device of type {type(device).__name__} is none that lanesort knows{hint}")
        self._devices = Devices(core)

    @classmethod
    def _default(cls) -> Self:
        """The one whose methods are functions of the package."""
        found = _defaults.get(cls)
        if found is None:
            found = _defaults[cls] = cls.__new__(cls)
            found._devices = default_devices
        assert isinstance(found, cls)
        return found

    def __reduce__(self) -> Any:
        if self._devices.core is not None:
            raise Error("a sorter for a device stays in its process; make another one there", code="unsupported")
        return (type(self)._default if self._devices is default_devices else type(self), ())

    def __repr__(self) -> str:
        core = self._devices.core
        return "<lanesort.Sorter where the arrays are>" if core is None else f"<lanesort.Sorter on '{core.device_name}' ({core.backend})>"

    def _do(self, task: Task) -> Any:
        """Runs it, and gives its result."""
        lib, call, arrays, compiles, finish = task
        if call is None:
            self._devices.last = _Nothing()
        else:
            lib.run(self._devices.core_for(lib, arrays[0], compiles), call, arrays)
        return finish()

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

    def _answers(self, lib: Arrays, like: Any, count: int) -> Any:
        """Room for what a call answers to its caller."""
        return lib.empty(like, (count,), "int64")

    def _place_indices(
        self, lib: Arrays, call: _core.Call, indices: Any, keys: Any, others: Sequence[Any], leaves: bool = False
    ) -> Any:
        """Says where the call writes indices, and gives that array: it is one of its own where narrower indices take less
        time. The call's other arrays are those besides the keys. With `leaves`, not all of the indices are written."""
        width = lib.item_bytes(indices)
        on_host = lib.backend == "host"
        if on_host:
            narrows = keys.shape[-1] < _MOST_NARROW_INDICES
        else:
            narrows = lib.narrows and self._widens and _WORTH_NARROWING <= call.count <= _MOST_NARROWED
        narrows = narrows and width == 8 and not leaves
        # The library sees narrow ones alone. What the wide ones overlap it is to see, too, and to refuse.
        for array in (keys, *others):
            narrows = narrows and not lib.share_memory(indices, array)
        if narrows:
            if on_host:
                call.set_narrow_indices(lib.at(indices)[0], math.prod(indices.shape))
                return indices
            narrow = lib.empty(keys, indices.shape, "int32")
            call.indices = lib.at(narrow)
            call.index_bytes = 4
            return narrow
        call.indices = lib.at(indices)
        call.index_bytes = width
        return indices

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
        if self._devices.last is None:
            raise Error("this sorter was not called yet")
        return self._devices.last.report

    def release(self) -> None:
        """Frees the programs that were compiled; a later call compiles anew. On CUDA it waits."""
        self._devices.release()
