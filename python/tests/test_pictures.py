# SPDX-License-Identifier: MIT
"""The example that draws pictures, and those of the guide."""

import importlib.util
import pathlib
import struct
import subprocess
import sys
import zlib

import numpy as np
import pytest

import lanesort

EXAMPLE = pathlib.Path(__file__).parent.parent / "examples" / "pictures.py"
DOCS = EXAMPLE.parent.parent.parent / "docs"
pytestmark = pytest.mark.skipif(not EXAMPLE.exists(), reason="the example is not there")


@pytest.fixture(scope="module")
def example():
    spec = importlib.util.spec_from_file_location("pictures", EXAMPLE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def read_png(path):
    """Pixels of a file of one chunk of data without filters, as the example writes them."""
    data = path.read_bytes()
    width, height = struct.unpack(">II", data[16:24])
    (size,) = struct.unpack(">I", data[33:37])
    rows = np.frombuffer(zlib.decompress(data[41 : 41 + size]), "u1").reshape(height, -1)
    assert (rows[:, 0] == 0).all()
    return rows[:, 1:].reshape(height, width, 3)


def test_the_pictures_are_drawn(tmp_path):
    ran = subprocess.run([sys.executable, EXAMPLE, tmp_path, "60"], capture_output=True, text=True, check=True)
    assert "particles.png: 640 x 240" in ran.stdout and "scores.png: 640 x 192" in ran.stdout
    for name in ("particles", "scores"):
        assert len(np.unique(read_png(tmp_path / f"{name}.png"))) > 9
        if DOCS.exists():
            assert "python/examples/pictures.py" in (DOCS / "python.md").read_text()
            assert read_png(DOCS / f"{name}.png").shape == read_png(tmp_path / f"{name}.png").shape


def test_near_particles_hide_far_ones(example):
    places = np.zeros((2, 2))
    colours = np.array([[1.0, 0, 0], [0, 1.0, 0]])
    depth = np.array([3.0, 5.0], "f4")
    farthest, order = lanesort.sort_by_key(depth, np.arange(2, dtype="u4"), descending=True)
    picture = example.draw(places[order], farthest, colours[order])
    row, column = example.HEIGHT // 2 - 24, example.WIDTH // 2
    assert picture[row, column, 0] > 200 and picture[row, column, 1] == 0
    assert example.draw(places, depth, colours)[row, column, 1] > 0


def test_each_row_has_its_best_marked(example):
    cells = example.scores()[:: example.CELL, :: example.CELL]
    assert ((cells == (255, 150, 0)).all(axis=2).sum(axis=1) == example.BEST).all()
