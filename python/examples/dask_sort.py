#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Sorts a distributed array of Dask's: lanesort sorts the blocks, and what each worker gets of them.

    python3 dask_sort.py [KEYS]

A sample of the keys gives splitters. Each block is sorted and cut at them, and each range is brought together and sorted
in place. No worker holds more than its blocks and a range.
"""

import sys

import dask
import dask.array as da
import numpy as np

import lanesort

SAMPLES_OF_A_BLOCK = 256


def sample(block):
    """Some keys of a block."""
    return block[:: max(1, block.size // SAMPLES_OF_A_BLOCK)]


def cut(block, splitters):
    """The sorted block, in a part for each range."""
    block = lanesort.sort(block)
    return np.split(block, np.searchsorted(block, splitters))


def bring_together(parts, number):
    """A range, of the parts of all blocks."""
    return lanesort.sort_(np.concatenate([part[number] for part in parts]))


def sort_distributed(x, ranges=None):
    """Sorts an array of one axis. The blocks of the result are as many as those of `x` unless told, and of unknown
    lengths, since these depend on the keys. Takes a sample at once; the rest is done when the result is computed."""
    blocks = x.to_delayed().ravel()
    ranges = ranges or len(blocks)
    some = np.concatenate(dask.compute(*[dask.delayed(sample)(block) for block in blocks]))
    splitters = lanesort.sort_(some)[np.arange(1, ranges) * some.size // ranges] if some.size else some
    cuts = [dask.delayed(cut)(block, splitters) for block in blocks]
    together = [dask.delayed(bring_together)(cuts, number) for number in range(len(splitters) + 1)]
    return da.concatenate([da.from_delayed(part, (np.nan,), x.dtype) for part in together])


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 4_000_000
    numbers = da.random.default_rng(1).normal(size=count, chunks=max(1, count // 8)).astype("f4")
    result = sort_distributed(numbers).compute()
    is_right = np.array_equal(result, np.sort(numbers.compute()))
    print(f"{count} numbers in {numbers.numblocks[0]} blocks: {'sorted' if is_right else 'WRONG'}")
    return 0 if is_right else 1


if __name__ == "__main__":
    sys.exit(main())
