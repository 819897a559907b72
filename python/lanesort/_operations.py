# SPDX-License-Identifier: MIT
"""The operations, on arrays of any library."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ._errors import Error
from ._moves import Moves
from ._reductions import Reductions
from ._searches import Searches
from ._selections import Selections
from ._sorted_ranges import SortedRanges
from ._sorts import Sorts
from ._types import Plan

if TYPE_CHECKING:
    from ._recording import Recorded

SEVERAL_CALLS = ("unique", "run_lengths", "reduce_by_key", "group_by", "select", "partition")

_functions = {
    name: function
    for operations in (Sorts, SortedRanges, Selections, Reductions, Searches, Moves)
    for name, function in vars(operations).items()
    if not name.startswith("_")
}
for _name, _function in _functions.items():
    _function.__qualname__ = f"Sorter.{_name}"  # which Python's own errors name

ONE_CALL = tuple(name for name in _functions if name not in SEVERAL_CALLS)
"""Those that are one call of the library, which can be prepared, recorded and planned."""


class Sorter(SortedRanges, Selections, Reductions, Searches, Moves):
    """Sorts on one device, or, without one, where the arrays are: those in host memory on the processor.

    Keeps what it compiled, so one that is used again compiles nothing. Threads may share it: calls on one device go one
    after the other, and Python's other threads run meanwhile. One for a device is refused in a forked process; one
    without a device is made anew there, and has the processor alone where the parent has used OpenCL or CUDA.

    Args:
        device: what `devices` gives; a text, as for `find_device`, such as "nvidia", or "portable" for PoCL; or a command
            queue of pyopencl. None: where the arrays are.
        device_bytes: device memory that a sort or argsort of arrays in host memory may take; where they are larger, they
            go through the device in parts. 0: most of what it has.

    >>> import lanesort, numpy
    >>> sorter = lanesort.Sorter("built-in")
    >>> sorter.sort(numpy.array([3.0, 1.0, 2.0]))
    array([1., 2., 3.])
    """

    def __reduce__(self) -> Any:
        if self._core is not None:
            raise Error("a sorter for a device stays in its process; make another one there", code="unsupported")
        return "default" if self is default else (Sorter, ())

    def prepare(self, operation: str, /, *arrays: Any, **options: Any) -> None:
        """Compiles now what a call of that name, on such arrays and with such options, needs. The arrays stay.

        >>> import lanesort, numpy
        >>> lanesort.Sorter("built-in").prepare("top_k", numpy.zeros((10, 1000), "f4"), 5)
        """
        from ._recording import Preparing

        Preparing(self).call(operation, arrays, options)

    def record(self, operation: str, /, *arrays: Any, **options: Any) -> Recorded:
        """Records a call, to be run many times on what its arrays hold then, for less than it costs anew.

        On CUDA it is a graph, on OpenCL a command buffer where the device has such, in host memory the call as it is
        planned. The arrays must be direct: contiguous, along the last axis, with ``out=`` given. `is_sorted` and
        `is_sorted_until` have no ``out=``, so they are not recorded. Offsets of segments in host memory must stay as
        they are.

        >>> import lanesort, numpy
        >>> x = numpy.array([3, 1, 2])
        >>> again = lanesort.Sorter().record("sort", x, out=x)
        >>> again()
        >>> x
        array([1, 2, 3])
        """
        from ._recording import Recorded, Recording

        recording = Recording(self)
        recording.call(operation, arrays, options)
        return Recorded(recording.lib, recording.core, recording.recorded, recording.arrays)

    def plan(self, operation: str, /, *arrays: Any, **options: Any) -> Plan:
        """What a call of that name, on such arrays and with such options, enqueues. Runs and compiles nothing.

        >>> import lanesort, numpy
        >>> plan = lanesort.plan("sort", numpy.empty(1000, "u4"))
        >>> len(plan.commands) >= plan.report["launches"]
        True
        """
        from ._recording import Planning

        planning = Planning(self)
        planning.call(operation, arrays, options)
        return planning.plan_of_call


default = Sorter()
