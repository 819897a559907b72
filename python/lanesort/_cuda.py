# SPDX-License-Identifier: MIT
"""Any other array in CUDA memory, by __cuda_array_interface__: sorted in place, or into arrays that the caller gives."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _core
from ._arrays import Arrays, Taken
from ._errors import Error


class _Seen:
    """What the interface says of an array."""

    def __init__(self, x: Any) -> None:
        interface = x.__cuda_array_interface__
        self.owner = x
        self.shape: tuple[int, ...] = tuple(interface["shape"])
        self.ndim = len(self.shape)
        self.dtype = np.dtype(interface["typestr"])
        self.address, self.is_read_only = interface["data"]
        if interface.get("mask") is not None:
            raise Error("a masked array has no order for what is masked")
        self.strides: tuple[int, ...] | None = interface.get("strides")
        expected = self.dtype.itemsize
        self.is_contiguous = True
        for length, stride in zip(reversed(self.shape), reversed(self.strides or ()), strict=False):
            self.is_contiguous &= length == 1 or stride == expected
            expected *= length
        self.stream = interface.get("stream") or 0


class CudaArrays(Arrays):
    name = "__cuda_array_interface__"
    backend = "CUDA"

    @staticmethod
    def taken(x: Any) -> Taken:
        return _cuda, x if isinstance(x, _Seen) else _Seen(x)

    def is_direct(self, x: Any) -> bool:
        return bool(x.is_contiguous)

    def check_written(self, out: Any, what: str) -> None:
        if out.is_read_only:
            raise Error(f"{what} is read-only", code="not_writable")

    def at(self, x: Any) -> tuple[int, int]:
        return x.address, 0

    def _refuse(self, *_: Any, **__: Any) -> Any:
        raise Error(
            "of this library's arrays no new ones can be made: give contiguous arrays, and out=, or take the array "
            "to cupy or torch first",
            code="unsupported",
        )

    ordered_copy = empty = filled = cast = one_nan = upload = reshaped = _refuse

    def assign(self, out: Any, x: Any) -> None:
        if out.address != x.address or out.shape != x.shape:
            self._refuse()

    def place(self, x: Any) -> Any:
        return _core.cuda_device_of(x.address) if x.address else 0

    def make_sorter(self, x: Any, compiles: bool) -> _core.Sorter:
        return _core.Sorter.cuda(self.place(x))

    def queue(self, x: Any) -> int:
        return int(x.stream)

    def given(self, x: Any) -> Any:
        return x.owner if isinstance(x, _Seen) else x


_cuda = CudaArrays()
