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

from . import _core
from ._core import Device
from ._errors import Error
from ._operations import Sorter, default as _default
from ._recording import Recorded
from ._types import (
    BinaryOperator, Command, Comparator, Groups, Partition, Plan, Predicate, Runs, Selected, SortedPairs, TopK, Unique,
    check_texts,
)  # fmt: skip

__version__: str = _core.version

sort = _default.sort
sort_ = _default.sort_
sort_by_key = _default.sort_by_key
sort_by_key_ = _default.sort_by_key_
argsort = _default.argsort
top_k = _default.top_k
top_k_by_key = _default.top_k_by_key
partial_sort = _default.partial_sort
nth_element = _default.nth_element
merge = _default.merge
merge_ = _default.merge_
is_sorted = _default.is_sorted
is_sorted_until = _default.is_sorted_until
unique = _default.unique
run_lengths = _default.run_lengths
reduce_by_key = _default.reduce_by_key
group_by = _default.group_by
sum = _default.sum
min = _default.min
max = _default.max
argmin = _default.argmin
argmax = _default.argmax
vecdot = _default.vecdot
reduce = _default.reduce
transform_reduce = _default.transform_reduce
cumulative_sum = _default.cumulative_sum
inclusive_scan = _default.inclusive_scan
exclusive_scan = _default.exclusive_scan
inclusive_scan_by_key = _default.inclusive_scan_by_key
exclusive_scan_by_key = _default.exclusive_scan_by_key
searchsorted = _default.searchsorted
equal_range = _default.equal_range
histogram = _default.histogram
select = _default.select
partition = _default.partition
gather = _default.gather
scatter = _default.scatter
permute_ = _default.permute_
plan = _default.plan


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
    check_texts("selector", selector)
    return _core.find_device(selector)


__all__ = [
    "BinaryOperator", "Command", "Comparator", "Device", "Discovery", "Error", "Groups", "Partition", "Plan",
    "Predicate", "Recorded", "Runs", "Selected", "SortedPairs", "Sorter", "TopK", "Unique", "argmax", "argmin",
    "argsort", "cumulative_sum", "devices", "discover", "equal_range", "exclusive_scan", "exclusive_scan_by_key",
    "find_device", "gather", "group_by", "histogram", "inclusive_scan", "inclusive_scan_by_key", "is_sorted",
    "is_sorted_until", "max", "merge", "merge_", "min", "nth_element", "partial_sort", "partition", "permute_", "plan",
    "reduce", "reduce_by_key", "run_lengths", "scatter", "searchsorted", "select", "sort", "sort_", "sort_by_key",
    "sort_by_key_", "sum", "top_k", "top_k_by_key", "transform_reduce", "unique", "vecdot",
]  # fmt: skip
