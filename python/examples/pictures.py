#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Draws two pictures of what lanesort is used for: a cloud of particles, and the best of a matrix of scores.

    python3 pictures.py [FOLDER [PARTICLES]]

particles.png: on the left a cloud drawn as its particles came, on the right from the farthest to the nearest, which
sort_by_key finds. Where particles hide each other, only the right one is a ring. scores.png: a row for each query and a
column for each key, with the 8 largest scores of each row marked, which top_k finds. Needs nothing but numpy.
"""

import pathlib
import struct
import sys
import zlib

import numpy as np

import lanesort

WIDTH, HEIGHT = 320, 240
QUERIES, KEYS, BEST, CELL = 48, 160, 8, 4


def write_png(path, pixels):
    """Writes rows of pixels of three bytes."""

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    height, width, _ = pixels.shape
    rows = np.zeros((height, 1 + width * 3), np.uint8)
    rows[:, 1:] = pixels.reshape(height, -1)
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    data = zlib.compress(rows.tobytes(), 9)
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", data) + chunk(b"IEND", b""))


def cloud(count, seed=1):
    """Particles on a tilted ring: where each is seen, how far away it is, and its colour."""
    random = np.random.default_rng(seed)
    around, across = random.random((2, count)) * 2 * np.pi
    distance = 1 + 0.38 * np.cos(across)
    x, y, z = distance * np.cos(around), distance * np.sin(around), 0.38 * np.sin(across)
    tilt = 1.0
    height, depth = y * np.cos(tilt) - z * np.sin(tilt), y * np.sin(tilt) + z * np.cos(tilt)
    colours = 0.55 + 0.45 * np.cos(around[:, None] + np.array([0.0, 2.1, 4.2]))
    return np.stack([x, height], axis=1), (depth + 4).astype("f4"), colours


def draw(places, depth, colours):
    """Each particle over those before it: a disc, smaller and darker the farther it is."""
    picture = np.full((HEIGHT, WIDTH, 3), 16.0)
    near, far = depth.min(), depth.max()
    for (x, y), away, colour in zip(places, depth, colours, strict=True):
        light = 1 - 0.75 * (away - near) / max(far - near, 1e-6)
        radius = 24 / away
        column, row = WIDTH / 2 + x * 420 / away, HEIGHT / 2 - 24 - y * 420 / away
        top, left = int(row - radius), int(column - radius)
        bottom, right = int(row + radius) + 2, int(column + radius) + 2
        top, left = max(top, 0), max(left, 0)
        rows, columns = np.ogrid[top : min(bottom, HEIGHT), left : min(right, WIDTH)]
        squares = (rows - row) ** 2 + (columns - column) ** 2
        part = picture[top:bottom, left:right]
        part[squares <= radius**2] = 255 * light * colour * 0.5
        part[squares <= (0.8 * radius) ** 2] = 255 * light * colour
    return picture.astype(np.uint8)


def particles(count):
    """The cloud twice: as it came, and by depth."""
    places, depth, colours = cloud(count)
    # The farthest first. The values are the numbers of the particles, which say where the rest of each is.
    farthest, order = lanesort.sort_by_key(depth, np.arange(count, dtype="u4"), descending=True)
    sorted_ = draw(places[order], farthest, colours[order])
    return np.concatenate([draw(places, depth, colours), sorted_], axis=1)


def scores(seed=1):
    """A matrix of scores, and the same with the best of each row marked."""
    random = np.random.default_rng(seed)
    queries, keys = random.standard_normal((QUERIES, 6)), random.standard_normal((KEYS, 6))
    queries = (queries + np.roll(queries, 1, axis=0) + np.roll(queries, 2, axis=0)) / 2
    matrix = (queries @ keys.T).astype("f4")
    indices = lanesort.top_k(matrix, BEST).indices
    grey = np.interp(matrix, (matrix.min(), matrix.max()), (0, 190)).astype(np.uint8)
    cells = np.repeat(grey[:, :, None], 3, axis=2)
    np.put_along_axis(cells, indices[:, :, None], np.array([255, 150, 0], np.uint8), axis=1)
    return cells.repeat(CELL, axis=0).repeat(CELL, axis=1)


def main():
    folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".")
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 2500
    for name, picture in (("particles", particles(count)), ("scores", scores())):
        path = folder / f"{name}.png"
        write_png(path, picture)
        print(f"{path}: {picture.shape[1]} x {picture.shape[0]}, {path.stat().st_size} bytes")


if __name__ == "__main__":
    main()
