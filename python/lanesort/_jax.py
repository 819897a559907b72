# SPDX-License-Identifier: MIT
"""jax's arrays in host memory. They never change: results are new arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._arrays import NumpyArrays, Taken
from ._errors import Error


class JaxHostArrays(NumpyArrays):
    """Read where they are; results are given back to jax, for the same device of its."""

    name = "jax"

    def __init__(self, device: Any) -> None:
        self._device = device

    def check_written(self, out: Any, what: str) -> None:
        raise Error(f"{what} is of jax, whose arrays never change", code="not_writable")

    def given(self, x: Any) -> Any:
        import jax

        # Else they would go to jax's first device, which may be a GPU.
        return jax.device_put(x, self._device)


_on_host: dict[Any, JaxHostArrays] = {}


def taken(x: Any) -> Taken:
    import jax

    if isinstance(x, jax.core.Tracer):
        raise Error("lanesort cannot be traced by jax: call it outside of jit, grad and vmap")
    if len(x.devices()) > 1:
        raise Error("the jax array lies on several devices; sort its shards", code="unsupported")
    device = next(iter(x.devices()))
    if device.platform == "cpu":
        # One for each device, also where two threads come at once: what is compared is which one it is.
        return _on_host.get(device) or _on_host.setdefault(device, JaxHostArrays(device)), np.asarray(x)
    from ._jax_cuda import taken as taken_on_cuda

    return taken_on_cuda(x)
