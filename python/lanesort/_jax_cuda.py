# SPDX-License-Identifier: MIT
"""jax's arrays on CUDA. They never change, and the streams are jax's own: results are new arrays, and a call waits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax
import jax.dlpack
import jax.numpy as jnp
import numpy as np

from . import _core
from ._arrays import Arrays, Taken
from ._errors import Error


class _Pending:
    """A result that jax takes over by DLPack. The first one that it asks for enqueues the call, on jax's stream."""

    def __init__(self, array: Any, start: Any) -> None:
        self._array = array
        self._start = start

    def __dlpack_device__(self) -> Any:
        return self._array.__dlpack_device__()

    def __dlpack__(self, *, stream: Any = None, **options: Any) -> Any:
        self._start(stream)
        return self._array.__dlpack__(stream=stream)


class _Box:
    """An array that is filled once."""

    def __init__(self, array: Any) -> None:
        self.array = array
        self.shape, self.ndim, self.dtype = array.shape, array.ndim, array.dtype


class JaxArrays(Arrays):
    name = "jax"
    backend = "CUDA"

    @property
    def index_bytes(self) -> int:  # type: ignore[override]
        return 8 if jax.config.jax_enable_x64 else 4

    def is_direct(self, x: Any) -> bool:
        return True

    def check_written(self, out: Any, what: str) -> None:
        raise Error(f"{what} is of jax, whose arrays never change", code="not_writable")

    def at(self, x: Any) -> tuple[int, int]:
        return x.array.unsafe_buffer_pointer(), 0

    def ordered_copy(self, x: Any, axis: int) -> Any:
        return _Box(jnp.array(jnp.moveaxis(x.array, axis, -1), copy=True))

    def moved(self, x: Any, axis: int) -> Any:
        return _Box(jnp.moveaxis(x.array, -1, axis))

    def empty(self, like: Any, shape: Sequence[int], dtype: str | None = None) -> Any:
        if dtype == "float64" and self.index_bytes == 4:
            raise Error("means of integers are float64, which jax has only with its 64-bit types (jax_enable_x64)")
        # Answers of 64 bits are two of 32 where jax knows no wider ones.
        wide = dtype in ("int64", "uint64") and self.index_bytes == 4
        shape = (*shape[:-1], 2 * shape[-1]) if wide and len(shape) > 0 else tuple(shape)
        kind = like.dtype if dtype is None else "int32" if wide else dtype
        return _Box(jax.device_put(jnp.zeros(shape, kind), next(iter(like.array.devices()))))

    def filled(self, like: Any, shape: Sequence[int], dtype: str | None, value: int) -> Any:
        result = self.empty(like, shape, dtype)
        return _Box(jnp.full_like(result.array, value))

    def wide(self, x: Any, dtype: str) -> Any:
        if self.index_bytes == 8 or not dtype.endswith("int64"):
            return x
        low = self._low(x)
        return _Box(low.astype(np.uint32) if dtype == "uint64" else low)

    def cast(self, x: Any, dtype: str) -> Any:
        return _Box(x.array.astype(dtype if self.index_bytes == 8 else dtype.replace("64", "32")))

    def one_nan(self, x: Any) -> Any:
        return _Box(jnp.where(jnp.isnan(x.array), np.array(np.nan, x.dtype), x.array))

    def head(self, x: Any, count: int) -> Any:
        return _Box(x.array[:count])

    def reshaped(self, x: Any, shape: Sequence[int]) -> Any:
        return _Box(x.array.reshape(shape))

    def truth(self, x: Any) -> Any:
        return _Box(self._low(x) != 0)

    def number(self, x: Any) -> int:
        return int(self._low(x)[0])

    def _low(self, x: Any) -> Any:
        return x.array[..., ::2] if self.index_bytes == 4 else x.array

    def take(self, x: Any, indices: Any) -> Any:
        return _Box(jnp.take_along_axis(x.array, indices.array, -1))

    def upload(self, x: np.ndarray[Any, Any], like: Any) -> Any:
        if self.index_bytes == 4 and x.dtype.itemsize == 8:
            x = x.astype(np.uint32)
        return _Box(jax.device_put(x, next(iter(like.array.devices()))))

    def place(self, x: Any) -> Any:
        return next(iter(x.array.devices())).local_hardware_id

    def make_sorter(self, x: Any, compiles: bool) -> _core.Sorter:
        return _core.Sorter.cuda(self.place(x))

    def await_content(self, arrays: Sequence[Any]) -> None:
        for box in arrays:
            box.array.block_until_ready()

    def run(self, sorter: _core.Sorter, call: _core.Call, arrays: Sequence[Any]) -> None:
        # What is written are our own new arrays, which nobody else has seen.
        kept: list[Any] = []

        def start(stream: Any) -> None:
            if kept:
                return
            kept.extend(box.array.__dlpack__(stream=stream) for box in arrays)
            sorter.enqueue(call, int(stream or 0))

        # Every array is taken over again, so that jax knows of the stream that its content waits for.
        for box in arrays:
            box.array = jax.dlpack.from_dlpack(_Pending(box.array, start))
        for box in arrays:
            box.array.block_until_ready()

    def given(self, x: Any) -> Any:
        return x.array if isinstance(x, _Box) else x


_on_cuda = JaxArrays()


def taken(x: Any) -> Taken:
    return _on_cuda, _Box(x)
