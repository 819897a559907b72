# SPDX-License-Identifier: MIT
"""torch's tensors, on the processor and on CUDA."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch
from torch.autograd import forward_ad

from . import _core
from ._arrays import KEY_TYPES, Arrays, Taken
from ._errors import Error

_TYPES = {
    getattr(torch, torch_name): KEY_TYPES[name]
    for torch_name, name in {
        "bool": "u8", "uint8": "u8", "int8": "i8", "uint16": "u16", "int16": "i16", "uint32": "u32", "int32": "i32",
        "uint64": "u64", "int64": "i64", "float16": "f16", "float32": "f32", "float64": "f64",
    }.items()
    if hasattr(torch, torch_name)
}  # fmt: skip

_STRIDED = torch.strided

# torch.cuda.current_stream makes an object each time, which takes longer than all the rest of a call. Its own compiler's
# output takes the handle itself from here.
_stream_of: Callable[[int], int] = getattr(torch._C, "_cuda_getCurrentRawStream", None) or (
    lambda device: int(torch.cuda.current_stream(device).cuda_stream)
)


class TorchArrays(Arrays):
    name = "torch"
    narrows = True
    types = _TYPES
    unsigned_sums = "int64"  # as torch has it, which knows little of its unsigned types

    def __init__(self, backend: str) -> None:
        self.backend = backend

    def is_direct(self, x: Any) -> bool:
        # Some tensors say that what is in memory is yet to be negated or conjugated.
        return bool(x.is_contiguous() and not x.is_neg() and not x.is_conj())

    def check_written(self, out: Any, what: str) -> None:
        if self.is_differentiated(out):
            raise Error(f"{what} requires a gradient, and is not changed in place: use torch.no_grad(), or a copy")
        if self.is_direct(out):
            return
        super().check_written(out, what)
        if out.is_inference() and not torch.is_inference_mode_enabled():
            raise Error(f"{what} was made in torch.inference_mode(), and is changed there alone", code="not_writable")

    def at(self, x: Any) -> tuple[int, int]:
        try:
            return x.data_ptr(), 0
        except RuntimeError as cause:
            raise Error("lanesort cannot be traced by torch: call it outside of torch.func, vmap and compile") from cause

    def strides(self, x: Any) -> tuple[int, ...]:
        return tuple(stride * x.element_size() for stride in x.stride())

    def item_bytes(self, x: Any) -> int:
        return int(x.element_size())

    def ordered_copy(self, x: Any, axis: int) -> Any:
        moved = x.detach() if x.requires_grad else x
        if axis == -1 and self.is_direct(x):
            return moved.clone()
        if axis not in (-1, x.ndim - 1):
            moved = moved.movedim(axis, -1)
        return moved.resolve_conj().resolve_neg().clone(memory_format=torch.contiguous_format)

    def moved(self, x: Any, axis: int) -> Any:
        return x.movedim(-1, axis)

    def empty(self, like: Any, shape: Sequence[int], dtype: str | None = None) -> Any:
        # Of all ways this one takes the least time.
        sizes = shape or ((),)
        return like.new_empty(*sizes) if dtype is None else like.new_empty(*sizes, dtype=getattr(torch, dtype))

    def filled(self, like: Any, shape: Sequence[int], dtype: str | None, value: int) -> Any:
        return like.new_full(shape, value, dtype=None if dtype is None else getattr(torch, dtype))

    def assign(self, out: Any, x: Any) -> None:
        try:
            out.copy_(x)
        except RuntimeError as cause:
            raise Error(f"out cannot be written to: {cause}") from cause

    def written(self, out: Any) -> None:
        # What autograd keeps of it for a gradient is no longer what it was: a backward pass then says so.
        if not out.is_inference():
            torch.autograd.graph.increment_version(out)

    def take(self, x: Any, indices: Any) -> Any:
        return torch.take_along_dim(x, indices, -1)

    def cast(self, x: Any, dtype: str) -> Any:
        return x.to(getattr(torch, dtype))

    def one_nan(self, x: Any) -> Any:
        return x.detach().masked_fill(x.isnan(), math.nan)

    def head(self, x: Any, count: int) -> Any:
        return x[:count].clone()

    def numpy_dtype(self, x: Any) -> np.dtype[Any]:
        try:
            return np.dtype(str(x.dtype).removeprefix("torch."))
        except TypeError:
            raise Error(f"numpy has no type {x.dtype}") from None

    def seen(self, x: Any) -> np.ndarray[Any, Any]:
        numbers: np.ndarray[Any, Any] = x.detach().resolve_conj().resolve_neg().numpy()
        return numbers

    def is_differentiated(self, x: Any) -> bool:
        if x.requires_grad and torch.is_grad_enabled():
            return True
        # In forward mode. Without a level there is none, which is faster to ask for.
        return forward_ad._current_level >= 0 and forward_ad.unpack_dual(x).tangent is not None

    def upload(self, x: np.ndarray[Any, Any], like: Any) -> Any:
        return torch.from_numpy(x if x.flags.writeable else x.copy()).to(like.device)

    def place(self, x: Any) -> Any:
        return x.get_device()

    def make_sorter(self, x: Any, compiles: bool) -> _core.Sorter:
        if x.is_cuda:
            return _core.Sorter.cuda(x.get_device())
        return _core.Sorter(_core.find_device("compiling") if compiles else _core.built_in_device())

    def queue(self, x: Any) -> int:
        return _stream_of(x.get_device())

    def run(self, sorter: _core.Sorter, call: _core.Call, arrays: Sequence[Any]) -> None:
        if self.backend == "host":
            sorter.run(call)
        else:
            sorter.enqueue(call, self.queue(arrays[0]))


_on_host = TorchArrays("host")
_on_cuda = TorchArrays("CUDA")


def taken(x: Any) -> Taken:
    if x.layout is not _STRIDED:
        raise Error(f"a tensor of layout {x.layout} cannot be sorted; make it dense (x.to_dense())")
    if x.is_cuda:
        return _on_cuda, x
    if not x.is_cpu:
        raise Error(f"tensors on {x.device} cannot be sorted, only those on the processor and on CUDA")
    return _on_host, x
