# SPDX-License-Identifier: MIT
"""The package is typed, and its stub is that of the extension module. Skipped where mypy is missing."""

import pathlib
import subprocess
import sys

import pytest

import lanesort
from lanesort import _core

FOLDER = pathlib.Path(lanesort.__file__).parent
CONFIG = pathlib.Path(__file__).parents[2] / "pyproject.toml"

PROGRAM = """
import numpy
from numpy.typing import NDArray
import lanesort

def keys(x: NDArray[numpy.float32]) -> list[NDArray[numpy.float32]]:
    pairs = lanesort.sort_by_key(x, lanesort.argsort(x))
    return [
        lanesort.sort(x), lanesort.partial_sort(x, 1), lanesort.sort_(x), lanesort.merge(x, x), lanesort.merge_(x, 1),
        lanesort.unique(x), lanesort.select(x, x > 1), lanesort.gather(x, x), lanesort.top_k(x, 2).values, pairs.keys,
        lanesort.permute_(x, x), lanesort.scatter(x, x, out=x), lanesort.Sorter().sort(x),
    ]
def first(x: NDArray[numpy.float32]) -> NDArray[numpy.float32]: return lanesort.sort(x)
def indices(x: NDArray[numpy.float32]) -> NDArray[numpy.int64]: return lanesort.argsort(x)
def sums(x: NDArray[numpy.uint8]) -> NDArray[numpy.uint64]: return lanesort.cumulative_sum(x)
def order(x: NDArray[numpy.float32]) -> bool: return lanesort.is_sorted(x)
def until(x: NDArray[numpy.float32]) -> int: return lanesort.is_sorted_until(x)
def runs(x: NDArray[numpy.float32]) -> NDArray[numpy.float32]: return lanesort.run_lengths(x).values
def distinct(x: NDArray[numpy.float32]) -> NDArray[numpy.float32]: return lanesort.unique(x, return_counts=True).keys
def groups(x: NDArray[numpy.float32]) -> NDArray[numpy.float32]: return lanesort.group_by(x, x, "mean").keys
def wanted(x: NDArray[numpy.float32]) -> NDArray[numpy.float32]: return lanesort.select(x, "a > 1", values=x).values
def several(x: NDArray[numpy.float32]) -> NDArray[numpy.float32]: return lanesort.sort_by_key(x, (x, x)).keys
def parts(x: NDArray[numpy.float32]) -> NDArray[numpy.float32]: return lanesort.partition(x, x > 1).keys
numbers: NDArray[numpy.int64] = lanesort.sort([3, 1, 2])  # a list becomes an array
lanesort.unique(numpy.zeros(5), return_counts=True).counts.sum()
best: lanesort.TopK = lanesort.top_k(numpy.zeros(5), 2, largest=False)
lanesort.top_k_by_key(numpy.zeros(5), numpy.zeros(5), numpy.int64(2), axis=numpy.int64(0))
lanesort.sum(lanesort.nth_element(numpy.zeros(5), numpy.int64(2)), axis=numpy.int64(0))
pair: lanesort.SortedPairs = lanesort.sort_by_key(numpy.zeros(5), numpy.zeros(5), descending=True)
name: str = lanesort.devices()[0].name
launches: int = lanesort.plan("sort", numpy.zeros(5)).commands[0].groups
product: numpy.ndarray = lanesort.reduce(numpy.zeros(5), lanesort.BinaryOperator("a * b", "1"), segments=[0, 5])
def wrong(x: NDArray[numpy.float32]) -> NDArray[numpy.int64]: return lanesort.sort(x)
def wrong_runs(x: NDArray[numpy.float32]) -> NDArray[numpy.int64]: return lanesort.run_lengths(x).values  # wrong
def wrong_keys(x: NDArray[numpy.float32]) -> NDArray[numpy.int64]: return lanesort.group_by(x, x).keys  # wrong
def wrong_several(x: NDArray[numpy.float32]) -> NDArray[numpy.int64]: return lanesort.sort_by_key(x, (x, x)).keys  # wrong
lanesort.partition(numpy.zeros(5), "a > 1").values.sum()  # wrong
lanesort.sort(numpy.zeros(5), axis="first")  # wrong
lanesort.top_k(numpy.zeros(5))  # wrong
lanesort.transform_reduce(numpy.zeros(5), numpy.zeros(5), "sum")  # wrong
lanesort.sort_(numpy.zeros(5), decending=True)  # wrong
lanesort.sort_by_key_(numpy.zeros(5), numpy.zeros(5), axes=0)  # wrong
"""


def mypy(*arguments):
    pytest.importorskip("mypy")
    ran = subprocess.run([sys.executable, "-m", "mypy", "--config-file", CONFIG, "--cache-dir=/dev/null", *arguments],
                         capture_output=True, text=True, cwd=FOLDER.parent)  # fmt: skip
    return ran.stdout


def test_the_package_is_strictly_typed():
    assert mypy("-p", "lanesort").startswith("Success")


def test_a_program_is_checked(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    told = mypy(program)
    wrong = [number for number, line in enumerate(PROGRAM.splitlines(), 1) if "wrong" in line]
    found = {int(line.split(":")[1]) for line in told.splitlines() if ": error: " in line}
    # Of a wrong option of an overloaded function mypy says two.
    assert found == set(wrong) and f"Found {len(wrong) + 1} errors" in told, told


def test_the_stub_names_all_that_the_module_has():
    stub = (FOLDER / "_core.pyi").read_text()
    for name in dir(_core):
        thing = getattr(_core, name)
        if name.startswith("_"):
            continue
        assert name in stub
        if isinstance(thing, type):
            assert all(f"def {member}(" in stub for member in vars(thing) if not member.startswith("_")), name
