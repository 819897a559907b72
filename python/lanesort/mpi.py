# SPDX-License-Identifier: MIT
"""Sorts what lies on the ranks of an MPI communicator of mpi4py's. The package itself needs no MPI.

Every rank calls the same function with an array of one axis; their lengths may differ, and be 0. Rank 0 has the first
keys of the order then, and each rank as many as before. The result has the same bytes for any number of ranks.

>>> import lanesort.mpi  # and in a program that mpirun starts:
>>> # from mpi4py import MPI
>>> # x = lanesort.mpi.sort(MPI.COMM_WORLD, numpy.random.random(1_000_000))

How ranks come to one order is `schedule`: "automatic" and "columns" send messages that depend on the lengths alone, in two
all-to-alls where there are enough keys; "network" merges with one rank after the other; "distribution" sends each key once,
to where splitters say, and so what is sent depends on the keys.

Arrays are of any library that lanesort knows, on all ranks in host memory or on all of them on a device, and results lie
where they do. On CUDA, a call begins behind what is on the caller's stream, and returns when all is done. What MPI is given
of these is `device_messages`: "direct", addresses in device memory; "staged", copies in host memory; or "automatic", the first
where MPI says that it takes these. Arrays of pyopencl pass through host memory. The first keys of `top_k` do so everywhere.
Indices have 64 bits, but 32 where jax has no wider integers: for fewer than 2^31 keys of all ranks.

Threads: those that call at the same time need a communicator each and a sorter each (`sorter=`, where None is one for all).
A sorter's calls go one after the other, so with one sorter two threads would wait for each other for ever: the second call is
an Error on all of its ranks.

Errors: what one rank gets wrong is an Error on all of them, before anything moves. Those of MPI are mpi4py's own.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from typing import Any, SupportsIndex

import numpy as np

from . import _core
from ._arguments import VALUE_BYTES, check_apart, choose_way, counted, new_call, out_array, truth, values_beside
from ._arrays import Arrays, taken
from ._errors import Error
from ._operations import Sorter, default
from ._sort import SortedPairs
from ._top_k import TopK

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

    def all_gather(self, mine: int, every: int, count: int) -> None:
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


def takes_cuda_memory() -> bool:
    """Whether MPI says that it takes addresses in CUDA memory."""
    from mpi4py import MPI

    # mpi4py has no such question, but the MPI that it is linked with has.
    mpi = ctypes.CDLL(MPI.__file__)
    if hasattr(mpi, "MPIX_Query_cuda_support"):  # OpenMPI
        return bool(mpi.MPIX_Query_cuda_support() == 1)
    if hasattr(mpi, "MPIX_GPU_query_support"):  # MPICH, where CUDA is number 0
        answer = ctypes.c_int(0)
        return bool(mpi.MPIX_GPU_query_support(0, ctypes.byref(answer)) == 0 and answer.value)
    return False


def _is_staged(device_messages: str, lib: Arrays) -> bool:
    if device_messages not in ("automatic", "direct", "staged"):
        raise Error(f"there are no messages {device_messages!r}, only automatic, direct, staged")
    if lib.backend != "CUDA" or device_messages == "staged":
        return True
    return device_messages == "automatic" and not takes_cuda_memory()


def _keys(x: Any) -> tuple[Arrays, Any]:
    lib, array = taken(x)
    if array.ndim != 1:
        raise Error(f"across ranks, arrays have one axis, but this one has {array.ndim}")
    if lib.is_differentiated(array):
        raise Error("no gradient goes through a call across ranks: give what needs none (x.detach())")
    return lib, array


def _direct(lib: Arrays, array: Any, *, copies: bool) -> Any:
    """A contiguous array in the machine's byte order: a copy, or what is given where it need not be one."""
    return lib.ordered_copy(array, -1) if copies or not lib.is_direct(array) else array


def _call(operation: str, lib: Arrays, keys: Any, descending: bool, schedule: str) -> _core.Call:
    call = new_call(operation, lib, keys, descending)
    choose_way(call, schedule, False, 0)
    return call


_Prepared = tuple[Arrays, _core.Call, list[Any]]


def _run(
    communicator: Any, sorter: Sorter | None, piece_bytes: SupportsIndex, device_messages: str, prepare: Callable[[], _Prepared]
) -> _Prepared:
    """Runs the call that a rank prepares, or tells the other ranks that it is refused. Gives what was prepared."""
    with _Ranks(communicator) as ranks:
        try:
            lib, call, arrays = prepared = prepare()
            is_staged = _is_staged(device_messages, lib)
            bytes_of_piece = counted("piece_bytes", piece_bytes, 1 << 30)
            if not isinstance(sorter, Sorter | None):
                raise Error(f"the sorter is a lanesort.Sorter or None, not a {type(sorter).__name__}")
            core = (sorter or default)._devices.core_for(lib, arrays[0], False)
            lib.await_content(arrays)
        except Exception as error:
            usual = "out_of_memory" if isinstance(error, MemoryError) else "invalid_argument"
            try:
                _core.refuse_on_ranks(ranks, str(error), error.code if isinstance(error, Error) else usual)
            except Error as told:
                if isinstance(error, Error):
                    error.code = told.code  # the same on all ranks
                raise error from None
        if lib.backend == "host":
            core.run_on_ranks(call, ranks, bytes_of_piece)
        else:
            core.enqueue_on_ranks(call, ranks, bytes_of_piece, lib.queue(arrays[0]), is_staged)
    return prepared


def _restored(lib: Arrays, work: Any, like: Any, in_place: bool) -> Any:
    if not in_place:
        return lib.given(lib.restored(work, like))
    if work is like:
        lib.written(like)
    else:
        lib.assign(like, work)
    return like


def _sort(
    communicator: Any, x: Any, values: Any, in_place: bool, descending: bool, schedule: str, sorter: Sorter | None,
    piece_bytes: SupportsIndex, device_messages: str,
) -> list[Any]:  # fmt: skip
    given: list[Any] = []

    def prepare() -> _Prepared:
        lib, keys = _keys(x)
        given.append(keys)
        if values is not None:
            given.append(values_beside(lib, values, keys))
            if lib.is_differentiated(given[1]):
                raise Error("no gradient goes through a call across ranks: give what needs none (values.detach())")
            if lib.item_bytes(given[1]) not in VALUE_BYTES:
                raise Error("values are as many as keys, of 1, 2, 4, 8 or 16 bytes")
        if in_place:
            for array, theirs in zip(given, (x, values), strict=False):
                out_array(lib, theirs)
                lib.check_written(array, "what is sorted in place")
            check_apart(lib, *given)
        arrays = [_direct(lib, array, copies=not in_place) for array in given]
        call = _call("sort", lib, arrays[0], descending, schedule)
        if values is not None:
            call.values, call.value_bytes = lib.at(arrays[1]), lib.item_bytes(arrays[1])
        return lib, call, arrays

    lib, _, arrays = _run(communicator, sorter, piece_bytes, device_messages, prepare)
    return [_restored(lib, work, like, in_place) for work, like in zip(arrays, given, strict=True)]


def sort(
    communicator: Any, x: Any, /, *, descending: bool = False, schedule: str = "automatic",
    sorter: Sorter | None = None, piece_bytes: SupportsIndex = _PIECE_BYTES, device_messages: str = "automatic",
) -> Any:  # fmt: skip
    """The keys of all ranks, sorted: on each rank as many as it gave.

    Result: a new array of the type of `x`. Order: that of `lanesort.sort`. Memory: the result, two buffers of
    `piece_bytes`, and an array like `x` where the lengths differ or `schedule` is "distribution".
    """
    return _sort(communicator, x, None, False, descending, schedule, sorter, piece_bytes, device_messages)[0]


def sort_(
    communicator: Any, x: Any, /, *, descending: bool = False, schedule: str = "automatic",
    sorter: Sorter | None = None, piece_bytes: SupportsIndex = _PIECE_BYTES, device_messages: str = "automatic",
) -> Any:  # fmt: skip
    """The same in place: gives `x`."""
    _sort(communicator, x, None, True, descending, schedule, sorter, piece_bytes, device_messages)
    return x


def sort_by_key(
    communicator: Any, keys: Any, values: Any, /, *, descending: bool = False, schedule: str = "automatic",
    sorter: Sorter | None = None, piece_bytes: SupportsIndex = _PIECE_BYTES, device_messages: str = "automatic",
) -> SortedPairs:  # fmt: skip
    """Keys with one value each, of 1, 2, 4, 8 or 16 bytes.

    Order: pairs of equal keys come in the order of their values' bits, taken as unsigned integers and ascending.
    """
    return SortedPairs(*_sort(communicator, keys, values, False, descending, schedule, sorter, piece_bytes, device_messages))


def sort_by_key_(
    communicator: Any, keys: Any, values: Any, /, *, descending: bool = False, schedule: str = "automatic",
    sorter: Sorter | None = None, piece_bytes: SupportsIndex = _PIECE_BYTES, device_messages: str = "automatic",
) -> SortedPairs:  # fmt: skip
    """The same in place."""
    _sort(communicator, keys, values, True, descending, schedule, sorter, piece_bytes, device_messages)
    return SortedPairs(keys, values)


def argsort(
    communicator: Any, x: Any, /, *, descending: bool = False, schedule: str = "automatic",
    sorter: Sorter | None = None, piece_bytes: SupportsIndex = _PIECE_BYTES, device_messages: str = "automatic",
) -> Any:  # fmt: skip
    """The indices that would sort the keys of all ranks, counted from rank 0's first key on. Stable.

    Result: integers of 64 bits, on each rank as many as keys. Memory: besides, a copy of the keys.
    """

    def prepare() -> _Prepared:
        lib, given = _keys(x)
        keys = _direct(lib, given, copies=False)
        indices = lib.empty(keys, keys.shape, "int64")
        call = _call("argsort", lib, keys, descending, schedule)
        call.indices, call.index_bytes = lib.at(indices), 8
        return lib, call, [keys, indices]

    lib, _, arrays = _run(communicator, sorter, piece_bytes, device_messages, prepare)
    return lib.given(lib.wide(arrays[1], "int64"))


def top_k(
    communicator: Any, x: Any, k: SupportsIndex, /, *, largest: bool = True, sorter: Sorter | None = None,
    piece_bytes: SupportsIndex = _PIECE_BYTES, device_messages: str = "automatic",
) -> TopK:  # fmt: skip
    """The `k` largest keys of all ranks, or the smallest, with their indices, on every rank.

    Order: that of a stable sort. Indices count from rank 0's first key on.
    """

    likes: list[Any] = []

    def prepare() -> _Prepared:
        lib, given = _keys(x)
        likes.append(given)
        keys = _direct(lib, given, copies=False)
        wanted = counted("k", k, 1 << 62)
        best, indices = lib.empty(keys, (wanted,)), lib.empty(keys, (wanted,), "int64")
        call = _call("top_k", lib, keys, False, "automatic")
        call.set_descending(truth("largest", largest))
        call.first, call.index_bytes = wanted, 8
        call.results, call.indices = lib.at(best), lib.at(indices)
        return lib, call, [keys, best, indices]

    lib, _, (_, best, indices) = _run(communicator, sorter, piece_bytes, device_messages, prepare)
    return TopK(lib.given(lib.restored(best, likes[0])), lib.given(lib.wide(indices, "int64")))


__all__ = ["argsort", "sort", "sort_", "sort_by_key", "sort_by_key_", "takes_cuda_memory", "top_k"]
