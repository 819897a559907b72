# SPDX-License-Identifier: MIT
"""The adapters of other libraries of arrays. One that imports its library is loaded with the first of its arrays."""

from functools import partial
from importlib import import_module

from ._arrays import Taker, by_library, by_protocol
from ._cuda import CudaArrays


def _load(adapter: str) -> Taker:
    take: Taker = import_module(adapter, __package__).taken
    return take


by_protocol["__cuda_array_interface__"] = CudaArrays.taken
for _library, _adapter in {
    "torch": "._torch", "cupy": "._cupy", "jax": "._jax", "jaxlib": "._jax", "pyopencl": "._opencl"
}.items():  # fmt: skip
    by_library[_library] = partial(_load, _adapter)
