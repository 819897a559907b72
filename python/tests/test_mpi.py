# SPDX-License-Identifier: MIT
"""Sorts across ranks, against numpy's of everything gathered. Run by pytest, it starts ranks of itself."""

import os
import pathlib
import shutil
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
from conftest import keys_of, order_of, same, sorted_of
from test_cuda import LIBRARIES

import lanesort
import lanesort.mpi

# What OpenMPI must be told of more ranks than cores and of the user root of a container.
ENVIRONMENT = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1",
    "OMPI_MCA_hwloc_base_binding_policy": "none", "OMPI_MCA_mpi_yield_when_idle": "1",
    # jax would take most of the memory of a GPU that ranks share.
    "XLA_PYTHON_CLIENT_PREALLOCATE": "false",
}  # fmt: skip


@pytest.mark.parametrize("ranks", [1, 2, 3])
def test_ranks(ranks):
    pytest.importorskip("mpi4py")
    mpiexec = shutil.which("mpiexec")
    if mpiexec is None:
        pytest.skip("there is no mpiexec")
    done = subprocess.run(
        [mpiexec, "-n", str(ranks), sys.executable, __file__, str(ranks)],
        env=os.environ | ENVIRONMENT, capture_output=True, text=True, timeout=300, cwd=pathlib.Path(__file__).parent,
    )  # fmt: skip
    if "this is another MPI" in done.stdout:
        pytest.skip("mpi4py is of another MPI than mpiexec")
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("all is well") == ranks


def refused(part, function, *arguments, code="invalid_argument", **options):
    try:
        function(*arguments, **options)
    except lanesort.Error as error:
        assert part in str(error), error
        assert error.code == code, error.code
        return
    raise AssertionError(f"not refused: {part}")


def on_ranks():
    from mpi4py import MPI

    world = MPI.COMM_WORLD
    size, rank = world.size, world.rank
    if size != int(sys.argv[1]):
        print("this is another MPI")
        return
    for lengths in ([1000] * size, [3 * i * i for i in range(size)], [0] * size, [7] + [0] * (size - 1)):
        begin, end = sum(lengths[:rank]), sum(lengths[: rank + 1])
        for dtype in ("f4", "i8", "u1", ">i4", "f2"):
            x = keys_of(np.dtype(dtype).newbyteorder("=").str, sum(lengths)).astype(dtype)
            native = x.astype(x.dtype.newbyteorder("="))
            mine = x[begin:end]
            for schedule in ("automatic", "network", "distribution"):
                for descending in (False, True):
                    how = {"descending": descending, "schedule": schedule, "piece_bytes": 1000}
                    wanted = sorted_of(native, descending=descending)[begin:end].astype(dtype)
                    assert same(lanesort.mpi.sort(world, mine, **how), wanted)
                    places = order_of(native, descending=descending)
                    assert same(lanesort.mpi.argsort(world, mine, **how), places[begin:end])
                    strided = np.repeat(mine, 2)
                    assert lanesort.mpi.sort_(world, strided[::2], **how) is not None
                    assert same(np.ascontiguousarray(strided[::2]), wanted)
                    keys, values = lanesort.mpi.sort_by_key(world, mine, np.arange(begin, end), **how)
                    assert same(keys, wanted)
                    assert same(values, places[begin:end])
            k = min(5, x.size)
            best = lanesort.mpi.top_k(world, mine, k)
            assert same(best.indices, order_of(native, descending=True)[:k])
            assert same(best.values, x[best.indices])
    x = np.arange(10.0)[::-1].copy()
    values = np.zeros(10, "u2")
    pair = lanesort.mpi.sort_by_key_(world, x, values, sorter=lanesort.Sorter("built-in"))
    assert pair.keys is x
    room = np.arange(9)
    refused("overlap", lanesort.mpi.sort_by_key_, world, room[:6:2], room[2:8:2])
    assert same(room, np.arange(9))
    # What one rank gets wrong is an error on all.
    odd = rank == size - 1
    for array in (x.astype(object), x.reshape(2, 5), x.astype("c8")):
        refused("", lanesort.mpi.sort, world, array if odd else x)
    refused("" if odd else "refused", lanesort.mpi.sort_by_key, world, x, values[:3] if odd else values)
    refused("sorter" if odd else "refused", lanesort.mpi.sort, world, x, sorter="built-in" if odd else None)
    locked = x.copy()
    locked.flags.writeable = False
    refused("" if odd else "refused", lanesort.mpi.sort_, world, locked if odd else x, code="not_writable")
    if size > 1:
        refused("disagree", lanesort.mpi.sort, world, x, descending=odd)
        refused("disagree", lanesort.mpi.sort, world, x.astype("f4") if odd else x)
        # The code is that of the first rank that is refused.
        refused("", lanesort.mpi.sort_, world, x if odd else locked, code="not_writable", sorter="" if odd else None)
        threads_that_share_a_sorter(world)
    refused("no schedule", lanesort.mpi.sort, world, x, schedule="quick")
    refused("wanted", lanesort.mpi.top_k, world, x, 10 * size + 1)
    refused("Intracomm", lanesort.mpi.sort, None, x)
    lanesort.mpi.sort_(world, x)
    refused("no messages", lanesort.mpi.sort, world, x, device_messages="by hand")
    assert lanesort.mpi.takes_cuda_memory() in (True, False)
    for library in libraries():
        on_devices(world, *library)
    print("all is well")


class Late:
    """An array that is not to be had before an event."""

    def __init__(self, array, event):
        self.array, self.event = array, event

    @property
    def __array_interface__(self):
        self.event.wait()
        return self.array.__array_interface__


def threads_that_share_a_sorter(world):
    """Each would wait for the other for ever; the second is refused."""
    from mpi4py import MPI

    if MPI.Query_thread() < MPI.THREAD_MULTIPLE:
        return
    communicators = world.Dup(), world.Dup()
    sorter, event, results = lanesort.Sorter("built-in"), threading.Event(), []
    x = np.arange(100 * world.rank, 100 * world.rank + 100)
    given = x[::-1].copy() if world.rank == 0 else Late(x[::-1].copy(), event)
    other = threading.Thread(target=lambda: results.append(lanesort.mpi.sort(communicators[0], given, sorter=sorter)))
    other.start()
    world.Barrier()
    time.sleep(0.5)  # rank 0's thread waits for the other ranks then
    part = "another thread" if world.rank == 0 else "rank 0 was refused"
    refused(part, lanesort.mpi.sort, communicators[1], x, sorter=sorter)
    event.set()
    other.join()
    assert same(results[0], x)
    assert same(lanesort.mpi.sort(communicators[1], x[::-1].copy(), sorter=sorter), x)


def libraries():
    """Arrays on devices, of the libraries that are here: how numpy's become theirs, and come back."""
    yield from LIBRARIES
    try:
        import pyopencl
        import pyopencl.array

        queue = pyopencl.CommandQueue(pyopencl.create_some_context(interactive=False))
    except Exception:  # no library, no driver, or no device
        return
    yield "pyopencl", lambda x: pyopencl.array.to_device(queue, x), lambda x: x.get()


def on_devices(world, name, to, back):
    size, rank = world.size, world.rank
    for lengths in ([1000] * size, [3 * i * i for i in range(size)], [7] + [0] * (size - 1)):
        begin, end = sum(lengths[:rank]), sum(lengths[: rank + 1])
        for dtype in ("f4", "u1"):
            x = keys_of(dtype, sum(lengths))
            mine = to(x[begin:end])
            for schedule in ("automatic", "distribution"):
                how = {"descending": dtype == "u1", "schedule": schedule, "piece_bytes": 1000}
                how["device_messages"] = "staged" if dtype == "u1" else "automatic"
                wanted = sorted_of(x, descending=dtype == "u1")[begin:end]
                places = order_of(x, descending=dtype == "u1")[begin:end]
                result = lanesort.mpi.sort(world, mine, **how)
                assert type(result) is type(mine), (name, type(result))
                assert same(back(result), wanted), (name, lengths, dtype, schedule)
                indices = lanesort.mpi.argsort(world, mine, **how)
                assert type(indices) is type(mine)
                assert (back(indices) == places).all(), (name, lengths, dtype, schedule)
                assert same(back(mine), x[begin:end])
                keys, values = lanesort.mpi.sort_by_key(world, mine, to(np.arange(begin, end, dtype="i4")), **how)
                assert same(back(keys), wanted) and (back(values) == places).all(), (name, lengths, dtype, schedule)
                if name != "jax":  # whose arrays never change
                    copy = to(x[begin:end])
                    assert lanesort.mpi.sort_(world, copy, **how) is copy
                    assert same(back(copy), wanted)
            for k in (0, min(5, x.size), x.size):
                best = lanesort.mpi.top_k(world, mine, k)
                assert (back(best.indices) == order_of(x, descending=True)[:k]).all(), (name, lengths, dtype, k)
                assert same(back(best.values), sorted_of(x, descending=True)[:k])
    # What one rank gets wrong, and host memory beside a device's.
    x = np.arange(10, dtype="f4")[::-1].copy()
    odd = rank == size - 1
    refused("" if odd else "refused", lanesort.mpi.sort, world, to(x.reshape(2, 5) if odd else x))
    refused("" if odd else "refused", lanesort.mpi.sort_by_key, world, to(x), x if odd else to(x))
    if size > 1:
        refused("disagree", lanesort.mpi.sort, world, x if odd else to(x))
        refused("disagree", lanesort.mpi.top_k, world, to(x), 1 if odd else 2)
    assert same(back(lanesort.mpi.sort(world, to(x))), np.repeat(x[::-1], size)[10 * rank : 10 * rank + 10])


if __name__ == "__main__":
    on_ranks()
