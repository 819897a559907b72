"""Sorts across ranks, against numpy's of everything gathered. Run by pytest, it starts ranks of itself."""

import os
import pathlib
import shutil
import subprocess
import sys

import numpy as np
import pytest
from conftest import keys_of, order_of, same, sorted_of

import lanesort
import lanesort.mpi

# What OpenMPI must be told of more ranks than cores and of the user root of a container.
ENVIRONMENT = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1",
    "OMPI_MCA_hwloc_base_binding_policy": "none", "OMPI_MCA_mpi_yield_when_idle": "1",
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


def refused(part, function, *arguments, **options):
    try:
        function(*arguments, **options)
    except lanesort.Error as error:
        assert part in str(error), error
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
            assert same(best.values, native[best.indices])
    x = np.arange(10.0)[::-1].copy()
    values = np.zeros(10, "u2")
    pair = lanesort.mpi.sort_by_key_(world, x, values, sorter=lanesort.Sorter("built-in"))
    assert pair.keys is x
    # What one rank gets wrong is an error on all.
    odd = rank == size - 1
    for array in (x.astype(object), x.reshape(2, 5), x.astype("c8")):
        refused("", lanesort.mpi.sort, world, array if odd else x)
    refused("" if odd else "refused", lanesort.mpi.sort_by_key, world, x, values[:3] if odd else values)
    if size > 1:
        refused("disagree", lanesort.mpi.sort, world, x, descending=odd)
        refused("disagree", lanesort.mpi.sort, world, x.astype("f4") if odd else x)
    refused("no schedule", lanesort.mpi.sort, world, x, schedule="quick")
    refused("wanted", lanesort.mpi.top_k, world, x, 10 * size + 1)
    refused("Intracomm", lanesort.mpi.sort, None, x)
    lanesort.mpi.sort_(world, x)
    print("all is well")


if __name__ == "__main__":
    on_ranks()
