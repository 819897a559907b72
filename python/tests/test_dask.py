# SPDX-License-Identifier: MIT
"""The example that sorts a distributed array. Skipped where there is no Dask."""

import importlib.util
import pathlib

import numpy as np
import pytest
from conftest import keys_of, same, sorted_of

import lanesort

da = pytest.importorskip("dask.array")


@pytest.fixture(scope="module")
def example():
    path = pathlib.Path(__file__).parent.parent / "examples" / "dask_sort.py"
    spec = importlib.util.spec_from_file_location("dask_sort", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_a_distributed_array_is_sorted(example):
    for dtype in ("f4", "i8", "u1"):
        for size, chunks in ((100_003, 9000), (7, 3), (5000, 5000), (1, 1)):
            x = keys_of(dtype, size)
            if np.dtype(dtype).kind == "f":
                x = np.where(x == 0, 0, x).astype(dtype)  # splitters know no sign of zeros
            assert same(example.sort_distributed(da.from_array(x, chunks=chunks)).compute(), sorted_of(x))
    assert same(example.sort_distributed(da.from_array(x, chunks=1), ranges=3).compute(), sorted_of(x))


def test_blocks_by_themselves():
    x = np.random.default_rng(1).random(10_000)
    numbers = da.from_array(x, chunks=1000)
    assert same(numbers.map_blocks(lanesort.sort).compute(), np.sort(x.reshape(10, -1)).ravel())
    largest = numbers.map_blocks(lambda block: lanesort.top_k(block, 10).values, chunks=(10,), dtype=x.dtype)
    assert same(lanesort.top_k(largest.compute(), 10).values, np.sort(x)[:-11:-1])
