"""Sorts what lies on the ranks of an MPI communicator of mpi4py's, in host memory. The package itself needs no MPI.

Every rank calls the same function with an array of one axis; their lengths may differ, and be 0. Rank 0 has the first
keys of the order then, and each rank as many as before. The result has the same bytes for any number of ranks.

>>> import lanesort.mpi  # and in a program that mpirun starts:
>>> # from mpi4py import MPI
>>> # x = lanesort.mpi.sort(MPI.COMM_WORLD, numpy.random.random(1_000_000))

How ranks come to one order is `schedule`: "automatic" and "columns" send messages that depend on the lengths alone, in two
all-to-alls where there are enough keys; "network" merges with one rank after the other; "distribution" sends each key once,
to where splitters say, and so what is sent depends on the keys.

Errors: what one rank gets wrong is an Error on all of them, before anything moves. Those of MPI are mpi4py's own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from . import _core
from ._arrays import taken
from ._calls import OPERATIONS, VALUE_BYTES, counted
from ._errors import Error
from ._operations import Sorter, default
from ._types import SortedPairs, TopK

_PIECE_BYTES = 8 << 20


class _Ranks:
    """What the library asks of MPI, on a duplicate of the caller's communicator. Memory comes as addresses."""

    def __init__(self, communicator: Any) -> None:
        from mpi4py import MPI

        if not isinstance(communicator, MPI.Intracomm):
            raise Error(f"a sort takes the ranks of an mpi4py.MPI.Intracomm, not a {type(communicator).__name__}")
        self.mpi: Any = MPI
        self._memory: Any = getattr(MPI, "buffer", None) or MPI.memory
        self.communicator: Any = communicator.Dup()
        self.rank = self.communicator.rank
        self.size = self.communicator.size

    def __enter__(self) -> _Ranks:
        return self

    def __exit__(self, *_: object) -> None:
        self.communicator.Free()

    def _bytes(self, address: int, count: int) -> list[Any]:
        return [self._memory.fromaddress(address, count), self.mpi.BYTE]

    def _numbers(self, address: int, count: int) -> list[Any]:
        return [self._memory.fromaddress(address, 8 * count), self.mpi.UINT64_T]

    def gather(self, mine: int, every: int, count: int) -> None:
        self.communicator.Allgather(self._bytes(mine, count), self._bytes(every, count * self.size))

    def add(self, numbers: int, count: int) -> None:
        self.communicator.Allreduce(self.mpi.IN_PLACE, self._numbers(numbers, count), self.mpi.SUM)

    def add_below(self, numbers: int, count: int) -> None:
        self.communicator.Exscan(self.mpi.IN_PLACE, self._numbers(numbers, count), self.mpi.SUM)
        if self.rank == 0:
            np.frombuffer(self._memory.fromaddress(numbers, 8 * count), np.uint64)[:] = 0

    def all_to_all(self, source: int, target: int, count: int) -> None:
        self.communicator.Alltoall(self._bytes(source, count * self.size), self._bytes(target, count * self.size))

    def all_to_all_parts(
        self, source: int, sent: Sequence[int], sent_at: Sequence[int], target: int, received: Sequence[int],
        received_at: Sequence[int], width: int,
    ) -> None:  # fmt: skip
        element = self.mpi.BYTE.Create_contiguous(width).Commit()
        try:
            self.communicator.Alltoallv(
                [self._memory.fromaddress(source, sum(sent) * width), (sent, sent_at), element],
                [self._memory.fromaddress(target, sum(received) * width), (received, received_at), element],
            )
        finally:
            element.Free()

    def broadcast(self, data: int, count: int) -> None:
        self.communicator.Bcast(self._bytes(data, count), 0)

    def exchange(self, received: Sequence[tuple[int, int, int]], sent: Sequence[tuple[int, int, int]]) -> None:
        requests = [self.communicator.Irecv(self._bytes(at, count), rank) for rank, at, count in received]
        requests += [self.communicator.Isend(self._bytes(at, count), rank) for rank, at, count in sent]
        self.mpi.Request.Waitall(requests)


def _keys(x: Any) -> Any:
    """The caller's array as numpy's, of one axis."""
    lib, array = taken(x)
    if lib.backend != "host":
        raise Error(f"across ranks, arrays lie in host memory, but this one of {lib.name} lies in {lib.backend}'s")
    if not isinstance(array, np.ndarray) or array.ndim != 1:
        raise Error("across ranks, arrays are those that numpy can look at, of one axis")
    return array


def _direct(array: Any, *, copies: bool) -> Any:
    """A contiguous array in the machine's byte order: a copy, or what is given where it need not be one."""
    lib, _ = taken(array)
    return lib.ordered_copy(array, -1) if copies or not lib.is_direct(array) else array


def _call(operation: int, keys: Any, descending: bool, schedule: str) -> _core.Call:
    call = default._call(operation, taken(keys)[0], keys, descending, None)
    default._choose(call, schedule, False, 0)
    return call


def _run(
    communicator: Any, sorter: Sorter | None, piece_bytes: int, prepare: Callable[[], tuple[_core.Call, list[Any]]]
) -> list[Any]:
    """Runs the call that a rank prepares, or tells the other ranks that it is refused. Gives the call's arrays."""
    with _Ranks(communicator) as ranks:
        try:
            call, arrays = prepare()
            piece_bytes = counted("piece_bytes", piece_bytes, 1 << 30)
            core = (sorter or default)._core_for(taken(arrays[0])[0], arrays[0], False)
        except Exception as error:
            try:
                _core.refuse_on_ranks(ranks, str(error))
            except Error:
                raise error from None
        core.run_on_ranks(call, ranks, piece_bytes)
    return arrays


def _restored(work: Any, like: Any, in_place: bool) -> Any:
    lib, _ = taken(like)
    if not in_place:
        return lib.restored(work, like)
    if work is not like:
        lib.assign(like, work)
    return like


def _sort(
    communicator: Any, x: Any, values: Any, in_place: bool, descending: bool, schedule: str, sorter: Sorter | None,
    piece_bytes: int,
) -> list[Any]:  # fmt: skip
    given: list[Any] = []

    def prepare() -> tuple[_core.Call, list[Any]]:
        given.append(_keys(x))
        if values is not None:
            given.append(_keys(values))
            Sorter._check_moved(given[1])
            if given[1].shape != given[0].shape or given[1].dtype.itemsize not in VALUE_BYTES:
                raise Error("values are as many as keys, of 1, 2, 4, 8 or 16 bytes")
        if in_place:
            for array, theirs in zip(given, (x, values), strict=False):
                lib = taken(theirs)[0]
                default._out(lib, theirs)
                lib.check_written(array, "what is sorted in place")
        arrays = [_direct(array, copies=not in_place) for array in given]
        call = _call(OPERATIONS["sort"], arrays[0], descending, schedule)
        if values is not None:
            call.values, call.value_bytes = (arrays[1].ctypes.data, 0), arrays[1].dtype.itemsize
        return call, arrays

    arrays = _run(communicator, sorter, piece_bytes, prepare)
    return [_restored(work, like, in_place) for work, like in zip(arrays, given, strict=True)]


def sort(
    communicator: Any, x: Any, /, *, descending: bool = False, schedule: str = "automatic",
    sorter: Sorter | None = None, piece_bytes: int = _PIECE_BYTES,
) -> Any:  # fmt: skip
    """The keys of all ranks, sorted: on each rank as many as it gave.

    Result: a new array of the type of `x`. Order: that of `lanesort.sort`. Memory: the result, two buffers of
    `piece_bytes`, and an array like `x` where the lengths differ or `schedule` is "distribution".
    """
    return _sort(communicator, x, None, False, descending, schedule, sorter, piece_bytes)[0]


def sort_(
    communicator: Any, x: Any, /, *, descending: bool = False, schedule: str = "automatic",
    sorter: Sorter | None = None, piece_bytes: int = _PIECE_BYTES,
) -> Any:  # fmt: skip
    """The same in place: gives `x`."""
    _sort(communicator, x, None, True, descending, schedule, sorter, piece_bytes)
    return x


def sort_by_key(
    communicator: Any, keys: Any, values: Any, /, *, descending: bool = False, schedule: str = "automatic",
    sorter: Sorter | None = None, piece_bytes: int = _PIECE_BYTES,
) -> SortedPairs:  # fmt: skip
    """Keys with one value each, of 1, 2, 4, 8 or 16 bytes.

    Order: pairs of equal keys come in the order of their values' bits, taken as unsigned integers and ascending.
    """
    return SortedPairs(*_sort(communicator, keys, values, False, descending, schedule, sorter, piece_bytes))


def sort_by_key_(
    communicator: Any, keys: Any, values: Any, /, *, descending: bool = False, schedule: str = "automatic",
    sorter: Sorter | None = None, piece_bytes: int = _PIECE_BYTES,
) -> SortedPairs:  # fmt: skip
    """The same in place."""
    _sort(communicator, keys, values, True, descending, schedule, sorter, piece_bytes)
    return SortedPairs(keys, values)


def argsort(
    communicator: Any, x: Any, /, *, descending: bool = False, schedule: str = "automatic",
    sorter: Sorter | None = None, piece_bytes: int = _PIECE_BYTES,
) -> Any:  # fmt: skip
    """The indices that would sort the keys of all ranks, counted from rank 0's first key on. Stable.

    Result: integers of 64 bits, on each rank as many as keys. Memory: besides, a copy of the keys.
    """

    def prepare() -> tuple[_core.Call, list[Any]]:
        keys = _direct(_keys(x), copies=False)
        indices = np.empty(keys.shape, np.int64)
        call = _call(OPERATIONS["argsort"], keys, descending, schedule)
        call.indices, call.index_bytes = (indices.ctypes.data, 0), 8
        return call, [keys, indices]

    return _run(communicator, sorter, piece_bytes, prepare)[1]


def top_k(
    communicator: Any, x: Any, k: int, /, *, largest: bool = True, sorter: Sorter | None = None,
    piece_bytes: int = _PIECE_BYTES,
) -> TopK:  # fmt: skip
    """The `k` largest keys of all ranks, or the smallest, with their indices, on every rank.

    Order: that of a stable sort. Indices count from rank 0's first key on.
    """

    def prepare() -> tuple[_core.Call, list[Any]]:
        keys = _direct(_keys(x), copies=False)
        best, indices = np.empty(k, keys.dtype), np.empty(k, np.int64)
        call = _call(OPERATIONS["top_k"], keys, largest, "automatic")
        call.first, call.index_bytes = k, 8
        call.results, call.indices = (best.ctypes.data, 0), (indices.ctypes.data, 0)
        return call, [keys, best, indices]

    return TopK(*_run(communicator, sorter, piece_bytes, prepare)[1:])


__all__ = ["argsort", "sort", "sort_", "sort_by_key", "sort_by_key_", "top_k"]
