# SPDX-License-Identifier: MIT
"""A sorter has all operations, and prepares, records and plans their calls."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from . import _core
from ._arrays import Arrays
from ._calls import Calls, Task
from ._compact import Compacts
from ._errors import Error
from ._histogram import Histograms
from ._move import Moves
from ._reduce import Reductions
from ._scan import Scans
from ._search import Searches
from ._sort import Sorts
from ._top_k import TopKs
from ._types import Command, Plan

_functions = {
    name: function
    for family in (Sorts, Compacts, TopKs, Reductions, Scans, Searches, Histograms, Moves)
    for name, function in vars(family).items()
    if not name.startswith("_")
}
for _name, _function in _functions.items():
    _function.__qualname__ = f"Sorter.{_name}"  # which Python's own errors name

ONE_CALL = tuple(name for name, function in _functions.items() if not hasattr(function, "is_several"))
"""Those that are one call of the library, which can be prepared, recorded and planned."""


class Recorded:
    """A call that was recorded; calling it runs it. It keeps its arrays."""

    def __init__(self, lib: Arrays, core: _core.Sorter, call: _core.Call, arrays: Sequence[Any]) -> None:
        self._lib, self._core, self._call, self._arrays = lib, core, call, arrays
        self._on_queue = None if lib.backend == "host" else _core.Recorded(core, call, lib.queue(arrays[0]))

    @property
    def is_replayed(self) -> bool:
        """Whether the device replays what was recorded; if not, the same commands are enqueued one by one."""
        return self._on_queue is not None and self._on_queue.is_replayed

    def __call__(self) -> None:
        if self._on_queue is None:
            self._core.run(self._call)
            return
        event = self._on_queue.enqueue([event.int_ptr for array in self._arrays for event in getattr(array, "events", ())])
        if event:
            self._lib.ended(self._arrays, event)


class Sorter(Compacts, TopKs, Reductions, Scans, Searches, Histograms, Moves):
    """Sorts on one device, or, without one, where the arrays are: those in host memory on the processor.

    Keeps what it compiled, so one that is used again compiles nothing. Threads may share it: calls on one device go one
    after the other, and Python's other threads run meanwhile. One for a device is refused in a forked process; one
    without a device is made anew there, and has the processor alone where the parent has used OpenCL or CUDA.

    Args:
        device: what `devices` gives; a text, as for `find_device`, such as "nvidia", or "portable" for PoCL; or a command
            queue of pyopencl. None: where the arrays are.
        device_bytes: device memory that calls on arrays in host memory may take; where these are larger, they go through
            the device in parts. 0: most of what it has.

    >>> import lanesort, numpy
    >>> sorter = lanesort.Sorter("built-in")
    >>> sorter.sort(numpy.array([3.0, 1.0, 2.0]))
    array([1., 2., 3.])
    """

    def prepare(self, operation: str, /, *arrays: Any, **options: Any) -> None:
        """Compiles now what a call of that name, on such arrays and with such options, needs. The arrays stay.

        >>> import lanesort, numpy
        >>> lanesort.Sorter("built-in").prepare("histogram", numpy.zeros(1000, "f4"), 5, range=(0, 1))
        """
        lib, call, used, compiles = _Planning().call_of(operation, arrays, options)
        self._devices.core_for(lib, used[0], compiles).prepare(call)

    def record(self, operation: str, /, *arrays: Any, **options: Any) -> Recorded:
        """Records a call, to be run many times on what its arrays hold then, for less than it costs anew.

        On CUDA it is a graph, on OpenCL a command buffer where the device has such, in host memory the call as it is
        planned. The arrays must be direct: contiguous, along the last axis, with ``out=`` given, so what has no
        ``out=`` is not recorded. Offsets of segments in host memory must stay as they are.

        >>> import lanesort, numpy
        >>> x = numpy.array([3, 1, 2])
        >>> again = lanesort.Sorter().record("sort", x, out=x)
        >>> again()
        >>> x
        array([1, 2, 3])
        """
        lib, call, used, compiles = _Recording().call_of(operation, arrays, options)
        return Recorded(lib, self._devices.core_for(lib, used[0], compiles), call, used)

    def plan(self, operation: str, /, *arrays: Any, **options: Any) -> Plan:
        """What a call of that name, on such arrays and with such options, enqueues. Runs and compiles nothing.

        >>> import lanesort, numpy
        >>> plan = lanesort.plan("sort", numpy.empty(1000, "u4"))
        >>> len(plan.commands) >= plan.report["launches"]
        True
        """
        lib, call, used, compiles = _Planning().call_of(operation, arrays, options)
        commands, report = self._devices.core_for(lib, used[0], compiles).commands_of(call, lib.backend == "host")
        return Plan(tuple(Command(*command) for command in commands), report)


class _Planning(Sorter):
    """Makes the call of an operation, on arrays that are only looked at, and does not run it."""

    def __init__(self) -> None:
        pass

    def call_of(
        self, operation: str, arrays: Sequence[Any], options: dict[str, Any]
    ) -> tuple[Arrays, _core.Call, Sequence[Any], bool]:
        """The library of the arrays, the call, the arrays that it uses, and whether it needs a device that compiles."""
        function = _functions.get(operation)
        if function is None:
            raise Error(f"there is no operation {operation!r} to do this with, only {', '.join(ONE_CALL)}")
        if operation not in ONE_CALL:
            raise Error(f"{operation} cannot be prepared, recorded or planned: how much it gives is known when it has run")
        lib, call, used, compiles, _ = function(self, *arrays, **options)
        if call is None:
            raise Error("there is nothing to do, as of empty arrays, so there is no such call")
        return lib, call, used, compiles

    def _do(self, task: Task) -> Task:
        return task

    def _copied(self, lib: Arrays, x: Any, axis: int) -> Any:
        shape = list(x.shape)
        shape.append(shape.pop(axis))
        return lib.empty(x, shape)

    def _with_one_nan(self, lib: Arrays, keys: Any) -> Any:
        return keys


_NEEDS_OUT = "what is recorded needs out=, and contiguous arrays along their last axis"


class _Recording(_Planning):
    """The same on arrays that stay those of the call: none may be a copy."""

    _widens = False

    def _copied(self, lib: Arrays, x: Any, axis: int) -> Any:
        raise Error(_NEEDS_OUT)

    def _with_one_nan(self, lib: Arrays, keys: Any) -> Any:
        raise Error("a recorded call cannot make NaNs equal: give the bits of the keys, as keys.view('i4') does")

    def _place(self, lib: Arrays, x: Any, target: Any, axis: int) -> tuple[Any, Any]:
        if target is None:
            raise Error(_NEEDS_OUT)
        return super()._place(lib, x, target, axis)

    def _answers(self, lib: Arrays, like: Any, count: int) -> Any:
        raise Error("a call that gives an answer has no out=, so it cannot be recorded")

    def _widened(self, lib: Arrays, x: Any, axis: int, dtype: str) -> Any:
        raise Error(f"of {x.dtype} are made numbers of {dtype}, so what is recorded must be of that type already")

    def _result(
        self, lib: Arrays, like: Any, out: Any, shape: Sequence[int], axis: int, dtype: str | None, rest: int | None = None
    ) -> Any:
        if out is None or axis != -1 or not lib.is_direct(out):
            raise Error(_NEEDS_OUT)
        return out


default = Sorter._default()
plan = default.plan

__all__ = ["Recorded", "Sorter", "plan"]
