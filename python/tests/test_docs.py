# SPDX-License-Identifier: MIT
"""The Python in docs/python.md and README.md runs as it stands."""

import pathlib
import re

import numpy as np
import pytest
from conftest import keys_of, sorted_of

import lanesort

FOLDER = pathlib.Path(__file__).parent.parent
GUIDE = FOLDER.parent / "docs" / "python.md"


def blocks(path):
    return re.findall(r"^```python\n(.*?)^```", path.read_text(), re.DOTALL | re.MULTILINE)


@pytest.mark.skipif(not GUIDE.exists(), reason="the guide is not there")
@pytest.mark.parametrize("block", [*(blocks(GUIDE) if GUIDE.exists() else []), *blocks(FOLDER / "README.md")])
def test_the_code_of_the_guide_runs(block):
    if "dask" in block:
        pytest.importorskip("dask.array")
    x = keys_of("f4", 3000)

    def fill(x):
        x[...] = keys_of("f4", x.size)

    names = {
        "lanesort": lanesort, "numpy": np, "x": x, "keys": x.copy(), "values": np.arange(3000), "numbers": x.copy(),
        "a": sorted_of(x), "b": sorted_of(x[:7]), "steps": range(2), "fill": fill, "needles": x[:9], "flags": x > 0,
        "indices": np.arange(9), "operator": lanesort.BinaryOperator("a + b", "0"),
    }  # fmt: skip
    exec(block, names)  # noqa: S102
