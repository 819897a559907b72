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
import lanesort

best: lanesort.TopK = lanesort.top_k(numpy.zeros(5), 2, largest=False)
lanesort.top_k_by_key(numpy.zeros(5), numpy.zeros(5), numpy.int64(2), axis=numpy.int64(0))
lanesort.sum(lanesort.nth_element(numpy.zeros(5), numpy.int64(2)), axis=numpy.int64(0))
pair: lanesort.SortedPairs = lanesort.sort_by_key(numpy.zeros(5), numpy.zeros(5), descending=True)
name: str = lanesort.devices()[0].name
launches: int = lanesort.plan("sort", numpy.zeros(5)).commands[0].groups
product: numpy.ndarray = lanesort.reduce(numpy.zeros(5), lanesort.BinaryOperator("a * b", "1"), segments=[0, 5])
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
    assert "Found 5 errors" in told and all(f"program.py:{line}" in told for line in range(12, 17)), told


def test_the_stub_names_all_that_the_module_has():
    stub = (FOLDER / "_core.pyi").read_text()
    for name in dir(_core):
        thing = getattr(_core, name)
        if name.startswith("_"):
            continue
        assert name in stub
        if isinstance(thing, type):
            assert all(f"def {member}(" in stub for member in vars(thing) if not member.startswith("_")), name
