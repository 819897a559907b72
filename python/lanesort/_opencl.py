# SPDX-License-Identifier: MIT
"""pyopencl's arrays, on their own queues; events go in and out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyopencl
import pyopencl.array

from . import _core
from ._arrays import Arrays, Taken
from ._errors import Error


class OpenclArrays(Arrays):
    name = "pyopencl"
    backend = "OpenCL"

    def is_direct(self, x: Any) -> bool:
        return bool(x.flags.c_contiguous and x.offset % x.dtype.itemsize == 0)

    def check_written(self, out: Any, what: str) -> None:
        if not out.flags.c_contiguous:
            raise Error(f"arrays of pyopencl must be contiguous, but {what} is not", code="unsupported")

    def at(self, x: Any) -> tuple[int, int]:
        return (x.base_data.int_ptr, x.offset // x.dtype.itemsize) if x.size else (0, 0)

    def distance(self, x: Any, y: Any) -> int | None:
        return int(y.offset - x.offset) if self.at(x)[0] == self.at(y)[0] else None

    def ordered_copy(self, x: Any, axis: int) -> Any:
        if axis not in (-1, x.ndim - 1) or not x.flags.c_contiguous:
            raise Error(
                "arrays of pyopencl are sorted along their last axis and must be contiguous; copy this one first",
                code="unsupported",
            )
        return x.copy()

    def empty(self, like: Any, shape: Sequence[int], dtype: str | None = None) -> Any:
        kind = like.dtype if dtype is None else np.dtype(dtype)
        return pyopencl.array.empty(like.queue, tuple(shape), kind, allocator=like.allocator)

    def filled(self, like: Any, shape: Sequence[int], dtype: str | None, value: int) -> Any:
        if value == 0:  # of any type
            kind = like.dtype if dtype is None else np.dtype(dtype)
            return pyopencl.array.zeros(like.queue, tuple(shape), kind, allocator=like.allocator)
        return self.empty(like, shape, dtype).fill(value)

    def assign(self, out: Any, x: Any) -> None:
        out.setitem(slice(None), x)

    def truth(self, x: Any) -> Any:
        return x != 0

    def cast(self, x: Any, dtype: str) -> Any:
        # pyopencl has no type of C for bools.
        if dtype == "bool":
            return (x != 0).view(np.bool_)
        return (x.view(np.uint8) if x.dtype.kind == "b" else x).astype(dtype)

    def one_nan(self, x: Any) -> Any:
        # By their bits: not every device has float16 and float64. Without its sign, a NaN is above infinity.
        bits = x.view(f"u{x.dtype.itemsize}")
        nan, infinity = (np.array(number, x.dtype).view(bits.dtype)[()] for number in (np.nan, np.inf))
        is_nan = (bits & bits.dtype.type(np.iinfo(bits.dtype).max >> 1)) > infinity
        return pyopencl.array.if_positive(is_nan, nan, bits).view(x.dtype)

    def number(self, x: Any) -> int:
        return int(x.get()[0])

    def take(self, x: Any, indices: Any) -> Any:
        if x.ndim != 1:
            raise Error("several values of pyopencl must have one axis", code="unsupported")
        # pyopencl has a type of C for integers, but not for all that is as wide.
        bits = f"u{self.item_bytes(x)}"
        moved = x.view(bits) if bits in ("u1", "u2", "u4", "u8") else x
        try:
            result: Any = pyopencl.array.take(moved, indices, queue=x.queue)
        except ValueError as cause:
            raise Error(f"values of type {x.dtype} cannot be moved by pyopencl: {cause}", code="unsupported") from cause
        return result.view(x.dtype)

    def upload(self, x: np.ndarray[Any, Any], like: Any) -> Any:
        return pyopencl.array.to_device(like.queue, x, allocator=like.allocator)

    def place(self, x: Any) -> Any:
        return x.context.int_ptr, x.queue.device.int_ptr

    def make_sorter(self, x: Any, compiles: bool) -> _core.Sorter:
        return _core.Sorter.opencl(x.context.int_ptr, x.queue.device.int_ptr)

    def queue(self, x: Any) -> int:
        return int(x.queue.int_ptr)

    def await_content(self, arrays: Sequence[Any]) -> None:
        for array in arrays:
            for event in array.events:
                event.wait()

    def run(self, sorter: _core.Sorter, call: _core.Call, arrays: Sequence[Any]) -> None:
        waits = [event.int_ptr for array in arrays for event in array.events]
        self.ended(arrays, sorter.enqueue(call, self.queue(arrays[0]), waits))

    def ended(self, arrays: Sequence[Any], event: int) -> None:
        # pyopencl's own commands on these arrays wait for it.
        end = pyopencl.Event.from_int_ptr(event, retain=False)
        for array in arrays:
            array.add_event(end)


_opencl = OpenclArrays()


def taken(x: Any) -> Taken:
    if not isinstance(x, pyopencl.array.Array):
        raise Error(
            "a buffer of pyopencl has no type of its own: give pyopencl.array.Array(queue, shape, dtype, data=buffer)"
        )
    if x.queue is None:
        raise Error("the array has no queue: give it one (x.with_queue(queue))")
    return _opencl, x
