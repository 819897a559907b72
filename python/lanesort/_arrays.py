# SPDX-License-Identifier: MIT
"""Arrays as the operations see them: one `Arrays` for each library that arrays come from.

numpy's is here; the others' are adapters, which `_adapters.py` enters in the registry at the end.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from . import _core
from ._conversions import as_numpy, missing_in
from ._errors import Error, wrong_type

KEY_TYPES = {name: number for number, name in enumerate(_core.key_types) if number}
_NUMPY_TYPES = {
    np.dtype(numpy_name): KEY_TYPES[name]
    for numpy_name, name in {
        "bool": "u8", "u1": "u8", "i1": "i8", "u2": "u16", "i2": "i16", "u4": "u32", "i4": "i32",
        "u8": "u64", "i8": "i64", "f2": "f16", "f4": "f32", "f8": "f64",
    }.items()
}  # fmt: skip


class Arrays:
    """What an operation asks of a library of arrays. `backend` says where they lie: "host", "CUDA" or "OpenCL"."""

    name: ClassVar[str]
    backend: str
    index_bytes = 8
    narrows: ClassVar[bool] = False
    """Indices of 8 bytes are made of ones of 4, which `assign` widens, where that takes less time."""
    unsigned_sums: ClassVar[str] = "uint64"
    """The type of sums of unsigned integers."""
    types: ClassVar[Mapping[Any, int]] = _NUMPY_TYPES
    """The numbers of the key types, by the library's own types."""

    def key_type(self, x: Any) -> int:
        """The number of its key type. Raises Error."""
        found = self.types.get(x.dtype)
        if found is None:
            raise wrong_type(x.dtype)
        return found

    def is_direct(self, x: Any) -> bool:
        """Whether it can be used where it is: contiguous, aligned, in the machine's byte order."""
        return bool(x.flags.c_contiguous)

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


_DIRECT = 0x101  # of numpy's flags: C-contiguous and aligned


class NumpyArrays(Arrays):
    """numpy's, and all that numpy can look at without a copy."""

    name = "numpy"
    backend = "host"
    def key_type(self, x: Any) -> int:
        found = self.types.get(x.dtype)
        if found is None:
            found = self.types.get(x.dtype.newbyteorder("="))
        return super().key_type(x) if found is None else found

    def is_direct(self, x: Any) -> bool:
        direct: bool = x.flags.num & _DIRECT == _DIRECT and x.dtype.isnative
        return direct

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


_numpy = NumpyArrays()

Taken = tuple[Arrays, Any]
Taker = Callable[[Any], Taken]
_by_type: dict[type, Taker] = {np.ndarray: lambda x: (_numpy, x)}

by_library: dict[str, Callable[[], Taker]] = {}
"""By the module of a library, what loads its adapter. An adapter imports its library."""
by_protocol: dict[str, Taker] = {}
"""By an attribute, who takes what has it and is of no such library."""


def _take_any(x: Any) -> Taken:
    """What has a protocol, or what numpy can look at."""
    for protocol, take in by_protocol.items():
        if hasattr(x, protocol):
            return take(x)
    if hasattr(x, "__dlpack__") and not hasattr(x, "__array_interface__") and not hasattr(x, "__array__"):
        try:
            return _numpy, np.from_dlpack(x)
        except (BufferError, RuntimeError, TypeError, ValueError) as cause:
            raise Error(f"an array of type {type(x).__name__} cannot be looked at: {cause}") from cause
    if isinstance(x, bytes | bytearray):
        return _numpy, np.frombuffer(x, "u1")
    return _numpy, as_numpy(x)


def _taker(kind: type) -> Taker:
    take = _by_type.get(kind)
    if take is None:
        libraries = {base.__module__.split(".")[0] for base in kind.__mro__}
        load = next((load for library, load in by_library.items() if library in libraries), None)
        take = _by_type[kind] = _take_any if load is None else load()
    return take


def taken(x: Any) -> Taken:
    """The library that an array is of, and the array as that library's. Raises Error for what is no array."""
    take = _by_type.get(type(x))
    return _taker(type(x))(x) if take is None else take(x)


def taken_with_missing(x: Any) -> tuple[Any, Any] | None:
    """Returns the values of a column that are there, and for each place whether its value is missing.

    None: nothing is missing, or it is no column.
    """
    if _taker(type(x)) is not _take_any:
        return None
    found = missing_in(x)
    return found if found is not None and found[0].ndim == 1 else None
