# SPDX-License-Identifier: MIT
"""Calls that are prepared, recorded or planned, in place of being run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from . import _core
from ._arrays import Arrays
from ._errors import Error
from ._operations import ONE_CALL, SEVERAL_CALLS, Sorter
from ._types import Command, Plan

_NEEDS_OUT = "what is recorded needs out=, and contiguous arrays along their last axis"


class Recorded:
    """A call that was recorded; calling it runs it. It keeps its arrays."""

    def __init__(self, lib: Arrays, core: _core.Sorter, recorded: Any, arrays: Sequence[Any]) -> None:
        self._lib, self._core, self._recorded, self._arrays = lib, core, recorded, arrays

    @property
    def is_replayed(self) -> bool:
        """Whether the device replays what was recorded; if not, the same commands are enqueued one by one."""
        return isinstance(self._recorded, _core.Recorded) and self._recorded.is_replayed

    def __call__(self) -> None:
        if isinstance(self._recorded, _core.Call):
            self._core.run(self._recorded)
            return
        waits = [event.int_ptr for array in self._arrays for event in getattr(array, "events", ())]
        event = self._recorded.enqueue(waits)
        if event:
            self._lib.ended(self._arrays, event)


class _Used(Exception):
    """The call is made; what would be done with its results is not."""


class OnlyThese(Sorter):
    """A sorter that does something else with its call than to run it."""

    def __init__(self, sorter: Sorter) -> None:
        self._sorter = sorter
        self._core = sorter._core

    def call(self, operation: str, arrays: Sequence[Any], options: dict[str, Any]) -> None:
        if operation in SEVERAL_CALLS:
            raise Error(f"{operation} cannot be prepared, recorded or planned: how much it gives is known when it has run")
        if operation not in ONE_CALL:
            raise Error(f"there is no operation {operation!r} to do this with, only {', '.join(ONE_CALL)}")
        try:
            getattr(self, operation)(*arrays, **options)
        except _Used:
            return
        raise Error(f"{operation} made no call of these arrays")

    def _copied(self, lib: Arrays, x: Any, axis: int) -> Any:
        shape = list(x.shape)
        shape.append(shape.pop(axis))
        return lib.empty(x, shape)

    def _with_one_nan(self, lib: Arrays, keys: Any) -> Any:
        return keys

    def _run(self, lib: Arrays, call: _core.Call, arrays: Sequence[Any], compiles: bool) -> None:
        self._use(lib, call, arrays, compiles)
        raise _Used

    def _ran_nothing(self) -> None:
        raise Error("there is nothing to do, as of empty arrays, so there is no such call")

    def _use(self, lib: Arrays, call: _core.Call, arrays: Sequence[Any], compiles: bool) -> None:
        raise NotImplementedError


class Preparing(OnlyThese):
    def _use(self, lib: Arrays, call: _core.Call, arrays: Sequence[Any], compiles: bool) -> None:
        self._sorter._core_for(lib, arrays[0], compiles).prepare(call)


class Planning(Preparing):
    plan_of_call: Plan

    def _use(self, lib: Arrays, call: _core.Call, arrays: Sequence[Any], compiles: bool) -> None:
        core = self._sorter._core_for(lib, arrays[0], compiles)
        commands, report = core.commands_of(call, lib.backend == "host")
        self.plan_of_call = Plan(tuple(Command(*command) for command in commands), report)


class Recording(OnlyThese):
    _widens = False
    lib: Arrays
    core: _core.Sorter
    recorded: Any
    arrays: Sequence[Any]

    def _copied(self, lib: Arrays, x: Any, axis: int) -> Any:
        raise Error(_NEEDS_OUT)

    def _with_one_nan(self, lib: Arrays, keys: Any) -> Any:
        raise Error("a recorded call cannot make NaNs equal: give the bits of the keys, as keys.view('i4') does")

    def _place(self, lib: Arrays, x: Any, target: Any, axis: int) -> tuple[Any, Any]:
        if target is None:
            raise Error(_NEEDS_OUT)
        return super()._place(lib, x, target, axis)

    def _answers(self, *_: Any) -> Any:
        raise Error("a call that gives an answer has no out=, so it cannot be recorded")

    def _widened(self, lib: Arrays, x: Any, axis: int, dtype: str) -> Any:
        raise Error(f"of {x.dtype} are made numbers of {dtype}, so what is recorded must be of that type already")

    def _result(
        self, lib: Arrays, like: Any, out: Any, shape: Sequence[int], axis: int, dtype: str | None, rest: int | None = None
    ) -> Any:
        if out is None or axis != -1 or not lib.is_direct(out):
            raise Error(_NEEDS_OUT)
        return out

    def _use(self, lib: Arrays, call: _core.Call, arrays: Sequence[Any], compiles: bool) -> None:
        self.lib, self.arrays = lib, arrays
        self.core = self._sorter._core_for(lib, arrays[0], compiles)
        self.recorded = call if lib.backend == "host" else _core.Recorded(self.core, call, lib.queue(arrays[0]))
