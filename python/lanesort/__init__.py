# SPDX-License-Identifier: MIT
"""Sorts in place, on the processor, on OpenCL devices and on NVIDIA's GPUs.

Arrays are sorted where they live: those of numpy, torch on the processor and all that shows a buffer, on the processor;
those of torch, cupy and jax on CUDA, on the caller's current stream; those of pyopencl on their own queue. Results are
arrays of the same library.

>>> import lanesort, numpy
>>> lanesort.sort(numpy.array([3, 1, 2]))
array([1, 2, 3])
"""

from typing import NamedTuple

from . import _adapters, _compact, _core, _histogram, _move, _operations, _reduce, _scan, _search, _sort, _top_k, _types
from ._compact import *
from ._core import Device
from ._errors import Error
from ._histogram import *
from ._move import *
from ._operations import *
from ._reduce import *
from ._scan import *
from ._search import *
from ._sort import *
from ._top_k import *
from ._types import *

__version__: str = _core.version


class Discovery(NamedTuple):
    """What `discover` gives."""

    platforms: list[str]
    """The names of what implements OpenCL or CUDA, also of those without a device."""
    devices: list[Device]
    """Of all platforms, CUDA's first."""
    absences: list[str]
    """Why there are not more: a sentence for each backend or platform."""


def discover() -> Discovery:
    """Asks all backends what there is to sort on. Needs no driver, and raises nothing for what is missing.

    In a process that was forked from one that had used OpenCL or CUDA there is the built-in device alone.
    """
    return Discovery(*_core.discover())


def devices() -> list[Device]:
    """Every device of every platform, CUDA's first and the built-in processor last.

    >>> import lanesort
    >>> lanesort.devices()[-1].backend
    'CPU'
    """
    return discover().devices


def find_device(selector: str = "") -> Device:
    """The device that a text names: a number in the order of `devices`, or a part of its name or its platform's.

    "built-in" is the processor; "" the first GPU, or else the processor; "compiling" the first GPU, or else the first
    device that compiles kernels, which comparators need. Raises Error for any other that there is not.

    >>> import lanesort
    >>> lanesort.find_device("built-in").kind
    'cpu'
    """
    _types.check_texts("selector", selector)
    return _core.find_device(selector)


__all__ = ["Device", "Discovery", "Error", "devices", "discover", "find_device"]
__all__ += _types.__all__
__all__ += _operations.__all__
__all__ += _sort.__all__
__all__ += _top_k.__all__
__all__ += _compact.__all__
__all__ += _reduce.__all__
__all__ += _scan.__all__
__all__ += _search.__all__
__all__ += _move.__all__
__all__ += _histogram.__all__
