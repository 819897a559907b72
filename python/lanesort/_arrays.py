# SPDX-License-Identifier: MIT
"""Arrays as the operations see them: one `Arrays` for each library that arrays come from."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import numpy as np

from . import _core
from ._conversions import as_numpy, missing_in
from ._errors import Error, wrong_type

KEY_TYPES = {name: number for number, name in enumerate(_core.key_types)}


class Arrays:
    """What an operation asks of a library of arrays. `backend` says where they lie: "host", "CUDA" or "OpenCL"."""

    name: ClassVar[str]
    backend: str
    index_bytes = 8
    narrows: ClassVar[bool] = False
    """Indices of 8 bytes are made of ones of 4, which `assign` widens, where that takes less time."""
    unsigned_sums: ClassVar[str] = "uint64"
    """The type of sums of unsigned integers."""

    def key_type(self, x: Any) -> int:
        """The number of its key type. Raises Error."""
        raise NotImplementedError

    def is_direct(self, x: Any) -> bool:
        """Whether it can be sorted where it is: contiguous, aligned, in the machine's byte order."""
        raise NotImplementedError

    def check_written(self, out: Any, what: str) -> None:
        """Raises Error for an array that must not be changed, or whose elements share memory, as broadcast ones do."""
        if self.is_direct(out) or 0 in out.shape:
            return
        end = self.item_bytes(out)
        for stride, length in sorted((abs(stride), length) for stride, length in zip(self.strides(out) or (), out.shape, strict=False)):
            if length > 1 and stride < end:
                raise Error(f"{what} has several elements in one place of memory", code="not_writable")
            end += stride * (length - 1)

    def at(self, x: Any) -> tuple[int, int]:
        """Its address or the handle of its memory, and the elements before its first one."""
        raise NotImplementedError

    def distance(self, x: Any, y: Any) -> int | None:
        """The bytes from the first element of one array to that of another; None where they lie in different memory."""
        return self.at(y)[0] - self.at(x)[0]

    def strides(self, x: Any) -> tuple[int, ...] | None:
        """In bytes, as numpy has them; None: it is contiguous."""
        strides: tuple[int, ...] | None = x.strides
        return strides

    def share_memory(self, x: Any, y: Any) -> bool:
        """Whether a byte is of both arrays, which need not be direct."""
        distance = self.distance(x, y)
        if distance is None:
            return False
        if self.is_direct(x) and self.is_direct(y):
            first, second = (x, y) if distance >= 0 else (y, x)
            return bool(abs(distance) < math.prod(first.shape) * self.item_bytes(first)) and math.prod(second.shape) > 0
        return np.shares_memory(_Extent(self, x, 0), _Extent(self, y, distance))

    def item_bytes(self, x: Any) -> int:
        return int(x.dtype.itemsize)

    def ordered_copy(self, x: Any, axis: int) -> Any:
        """A direct copy, with that axis last."""
        raise NotImplementedError

    def direct(self, x: Any, axis: int) -> Any:
        """The same, but no copy where none is needed."""
        return x if axis in (-1, x.ndim - 1) and self.is_direct(x) else self.ordered_copy(x, axis)

    def moved(self, x: Any, axis: int) -> Any:
        """A view with the last axis at that place."""
        raise NotImplementedError

    def empty(self, like: Any, shape: Sequence[int], dtype: str | None = None) -> Any:
        """A new direct array, of the same type unless one is named."""
        raise NotImplementedError

    def filled(self, like: Any, shape: Sequence[int], dtype: str | None, value: int) -> Any:
        """The same, with that value in every place."""
        raise NotImplementedError

    def assign(self, out: Any, x: Any) -> None:
        raise NotImplementedError

    def written(self, out: Any) -> None:
        """Takes notice that an array of the caller's was written to where it is."""

    def restored(self, x: Any, like: Any) -> Any:
        """A result in the form of the array that it was made of."""
        return x

    def wide(self, x: Any, dtype: str) -> Any:
        """Numbers of 64 bits, as `empty` made room for them, as the caller gets them."""
        return x

    def sum_type(self, x: Any, key_type: int) -> str:
        """The type of sums of such keys."""
        kind = _core.key_types[key_type][0]
        if kind == "f":
            return "float64" if self.item_bytes(x) == 8 else "float32"
        return "int64" if kind == "i" or self.numpy_dtype(x).kind == "b" else self.unsigned_sums

    def truth(self, x: Any) -> Any:
        """Of integers, whether they are not 0."""
        return x != 0

    def cast(self, x: Any, dtype: str) -> Any:
        """A direct array of numbers of another type, from a direct one."""
        return x.astype(dtype)

    def one_nan(self, x: Any) -> Any:
        """Floating-point numbers with the same NaN in place of each: a new array, or x itself if it has none."""
        raise NotImplementedError

    def head(self, x: Any, count: int) -> Any:
        """A copy of the first elements."""
        return x[:count].copy()

    def reshaped(self, x: Any, shape: Sequence[int]) -> Any:
        return x.reshape(shape)

    def numpy_dtype(self, x: Any) -> np.dtype[Any]:
        dtype: np.dtype[Any] = np.dtype(x.dtype)
        return dtype

    def is_differentiated(self, x: Any) -> bool:
        """Whether a gradient is to go through what is made of it."""
        return False

    def seen(self, x: Any) -> np.ndarray[Any, Any]:
        """What lies in host memory, for numpy to read."""
        return np.asarray(x)

    def number(self, x: Any) -> int:
        """Of an array of one integer: waits for it."""
        return int(x[0])

    def take(self, x: Any, indices: Any) -> Any:
        """Along the last axis."""
        raise NotImplementedError

    def upload(self, x: np.ndarray[Any, Any], like: Any) -> Any:
        """Numbers, beside that array; of integers of 64 bits, where the library has none, the lower halves."""
        return x

    def place(self, x: Any) -> Any:
        """What tells apart the sorters that arrays in different places need."""
        return None

    def make_sorter(self, x: Any, compiles: bool) -> _core.Sorter:
        raise NotImplementedError

    def queue(self, x: Any) -> int:
        """The caller's current queue or stream."""
        return 0

    def await_content(self, arrays: Sequence[Any]) -> None:
        """Returns when what the library itself does with them is done, as far as that is on no queue of the caller's."""

    def run(self, sorter: _core.Sorter, call: _core.Call, arrays: Sequence[Any]) -> None:
        """Enqueues the call on the caller's queue, or runs it on host memory."""
        sorter.enqueue(call, self.queue(arrays[0]))

    def ended(self, arrays: Sequence[Any], event: int) -> None:
        """Takes the event of a call's end, where the queue gives one."""

    def given(self, x: Any) -> Any:
        """A result as the caller gets it."""
        return x


class _Extent:
    """Where an array lies, for numpy, which is not to read from there."""

    def __init__(self, lib: Arrays, x: Any, place: int) -> None:
        self.__array_interface__ = {
            "version": 3, "data": ((1 << 62) + place, True), "shape": tuple(x.shape), "strides": lib.strides(x),
            "typestr": f"|V{lib.item_bytes(x)}",
        }  # fmt: skip


class NumpyArrays(Arrays):
    """numpy's, and all that numpy can look at without a copy."""

    name = "numpy"
    backend = "host"
    _types: ClassVar[dict[Any, int]] = {
        np.dtype(np_name): KEY_TYPES[name]
        for np_name, name in {
            "bool": "u8", "u1": "u8", "i1": "i8", "u2": "u16", "i2": "i16", "u4": "u32", "i4": "i32",
            "u8": "u64", "i8": "i64", "f2": "f16", "f4": "f32", "f8": "f64",
        }.items()
    }  # fmt: skip

    def key_type(self, x: Any) -> int:
        found = self._types.get(x.dtype)
        if found is None:
            found = self._types.get(x.dtype.newbyteorder("="))
            if found is None:
                raise wrong_type(x.dtype)
        return found

    def is_direct(self, x: Any) -> bool:
        flags = x.flags
        return bool(flags.c_contiguous and flags.aligned and x.dtype.isnative)

    def check_written(self, out: Any, what: str) -> None:
        if not out.flags.writeable:
            raise Error(f"{what} is read-only", code="not_writable")
        super().check_written(out, what)

    def at(self, x: Any) -> tuple[int, int]:
        try:
            return _core.address(x), 0
        except (BufferError, ValueError):  # values of a type that buffers have no name for
            return x.ctypes.data, 0

    def share_memory(self, x: Any, y: Any) -> bool:
        return np.shares_memory(x, y)

    def ordered_copy(self, x: Any, axis: int) -> Any:
        if axis == -1 and x.dtype.isnative:
            return x.copy()
        moved = x if axis in (-1, x.ndim - 1) else np.moveaxis(x, axis, -1)
        return np.array(moved, dtype=moved.dtype.newbyteorder("="), order="C", copy=True)

    def moved(self, x: Any, axis: int) -> Any:
        return np.moveaxis(x, -1, axis)

    def empty(self, like: Any, shape: Sequence[int], dtype: str | None = None) -> Any:
        if dtype is None:
            dtype = like.dtype if like.dtype.isnative else like.dtype.newbyteorder("=")
        return np.empty(shape, dtype)

    def filled(self, like: Any, shape: Sequence[int], dtype: str | None, value: int) -> Any:
        kind = like.dtype.newbyteorder("=") if dtype is None else dtype
        return np.zeros(shape, kind) if value == 0 else np.full(shape, value, kind)  # of texts numpy would make "0"

    def assign(self, out: Any, x: Any) -> None:
        np.copyto(out, x)

    def restored(self, x: Any, like: Any) -> Any:
        if like.dtype.isnative or x.dtype != like.dtype.newbyteorder("="):
            return x
        # Fields of records need not all have one byte order.
        return x.astype(like.dtype) if like.dtype.names else x.byteswap(inplace=True).view(like.dtype)

    def one_nan(self, x: Any) -> Any:
        is_nan = np.isnan(x)
        return np.where(is_nan, x.dtype.type(np.nan), x) if is_nan.any() else x

    def take(self, x: Any, indices: Any) -> Any:
        return np.take_along_axis(x, indices, -1)

    def make_sorter(self, x: Any, compiles: bool) -> _core.Sorter:
        return _core.Sorter(_core.find_device("compiling") if compiles else _core.built_in_device())

    def run(self, sorter: _core.Sorter, call: _core.Call, arrays: Sequence[Any]) -> None:
        sorter.run(call)


class JaxHostArrays(NumpyArrays):
    """jax's in host memory: read where they are; results are given back to jax, for the same device of its."""

    name = "jax"

    def __init__(self, device: Any) -> None:
        self._device = device

    def check_written(self, out: Any, what: str) -> None:
        raise Error(f"{what} is of jax, whose arrays never change", code="not_writable")

    def given(self, x: Any) -> Any:
        import jax

        # Else they would go to jax's first device, which may be a GPU.
        return jax.device_put(x, self._device)


_numpy = NumpyArrays()
_jax_on_host: dict[Any, JaxHostArrays] = {}

Taken = tuple[Arrays, Any]
_by_type: dict[type, Callable[[Any], Taken]] = {np.ndarray: lambda x: (_numpy, x)}


def _take_any(x: Any) -> Taken:
    """What numpy can look at, or what lies on CUDA."""
    if hasattr(x, "__cuda_array_interface__"):
        from ._cuda import CudaArrays

        return CudaArrays.taken(x)
    if hasattr(x, "__dlpack__") and not hasattr(x, "__array_interface__") and not hasattr(x, "__array__"):
        try:
            return _numpy, np.from_dlpack(x)
        except (BufferError, RuntimeError, TypeError, ValueError) as cause:
            raise Error(f"an array of type {type(x).__name__} cannot be looked at: {cause}") from cause
    if isinstance(x, bytes | bytearray):
        return _numpy, np.frombuffer(x, "u1")
    return _numpy, as_numpy(x)


def _take_jax(x: Any) -> Taken:
    import jax

    if isinstance(x, jax.core.Tracer):
        raise Error("lanesort cannot be traced by jax: call it outside of jit, grad and vmap")
    if len(x.devices()) > 1:
        raise Error("the jax array lies on several devices; sort its shards", code="unsupported")
    device = next(iter(x.devices()))
    if device.platform == "cpu":
        # One for each device, also where two threads come at once: what is compared is which one it is.
        lib = _jax_on_host.get(device) or _jax_on_host.setdefault(device, JaxHostArrays(device))
        return lib, np.asarray(x)
    from ._jax import JaxArrays

    return JaxArrays.taken(x)


def _taker_for(kind: type) -> Callable[[Any], Taken]:
    roots = {base.__module__.partition(".")[0] for base in kind.__mro__}
    if "torch" in roots:
        from ._torch import TorchArrays

        return TorchArrays.taken
    if "cupy" in roots or "cupy" in sys.modules and issubclass(kind, sys.modules["cupy"].ndarray):
        from ._cupy import CupyArrays

        return CupyArrays.taken
    if "jax" in roots or "jaxlib" in roots:
        return _take_jax
    if "pyopencl" in roots:
        from ._opencl import OpenclArrays

        return OpenclArrays.taken
    return _take_any


def _taker(kind: type) -> Callable[[Any], Taken]:
    take = _by_type.get(kind)
    if take is None:
        take = _by_type[kind] = _taker_for(kind)
    return take


def taken(x: Any) -> Taken:
    """The library that an array is of, and the array as that library's. Raises Error for what is no array."""
    return _taker(type(x))(x)


def taken_with_missing(x: Any) -> tuple[Any, Any] | None:
    """Returns the values of a column that are there, and for each place whether its value is missing.

    None: nothing is missing, or it is no column.
    """
    found = missing_in(x) if _taker(type(x)) is _take_any else None
    return found if found is not None and found[0].ndim == 1 else None
