# SPDX-License-Identifier: MIT
"""cupy's arrays, on cupy's current stream."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import cupy
import numpy as np

from . import _core
from ._arrays import Arrays, Taken


class CupyArrays(Arrays):
    name = "cupy"
    backend = "CUDA"
    narrows = True

    def at(self, x: Any) -> tuple[int, int]:
        return x.data.ptr, 0

    def ordered_copy(self, x: Any, axis: int) -> Any:
        with x.device:
            moved = x if axis in (-1, x.ndim - 1) else cupy.moveaxis(x, axis, -1)
            return cupy.array(moved, copy=True, order="C")

    def moved(self, x: Any, axis: int) -> Any:
        return cupy.moveaxis(x, -1, axis)

    def empty(self, like: Any, shape: Sequence[int], dtype: str | None = None) -> Any:
        with like.device:
            return cupy.empty(tuple(shape), like.dtype if dtype is None else dtype)

    def filled(self, like: Any, shape: Sequence[int], dtype: str | None, value: int) -> Any:
        with like.device:
            return cupy.full(tuple(shape), value, like.dtype if dtype is None else dtype)

    def cast(self, x: Any, dtype: str) -> Any:
        with x.device:
            return x.astype(dtype)

    def one_nan(self, x: Any) -> Any:
        with x.device:
            return cupy.where(cupy.isnan(x), x.dtype.type(np.nan), x)

    def assign(self, out: Any, x: Any) -> None:
        with out.device:
            out[...] = x

    def take(self, x: Any, indices: Any) -> Any:
        with x.device:
            return cupy.take_along_axis(x, indices, -1)

    def upload(self, x: np.ndarray[Any, Any], like: Any) -> Any:
        with like.device:
            return cupy.asarray(x)

    def place(self, x: Any) -> Any:
        return x.device.id

    def make_sorter(self, x: Any, compiles: bool) -> _core.Sorter:
        return _core.Sorter.cuda(x.device.id)

    def queue(self, x: Any) -> int:
        with x.device:
            return int(cupy.cuda.get_current_stream().ptr)


_cupy = CupyArrays()


def taken(x: Any) -> Taken:
    return _cupy, x
