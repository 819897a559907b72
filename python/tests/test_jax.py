# SPDX-License-Identifier: MIT
"""jax's arrays in host memory. Skipped where there is no jax."""

import numpy as np
import pytest
from conftest import keys_of, nans, order_of, same, sorted_of

import lanesort

jax = pytest.importorskip("jax")


def test_results_are_jax_arrays():
    x = keys_of("f4", (5, 200))
    given = jax.device_put(x, jax.devices("cpu")[0])
    result = lanesort.sort(given, axis=0)
    assert isinstance(result, jax.Array) and same(result, sorted_of(x, 0))
    assert (np.asarray(lanesort.argsort(given)) == order_of(x)).all()
    values, indices = lanesort.top_k(given, 3)
    assert isinstance(indices, jax.Array) and same(values, sorted_of(x, descending=True)[:, :3])
    assert isinstance(lanesort.unique(given), jax.Array)
    assert lanesort.is_sorted(result[0:0]).shape == (0,)


def test_results_lie_where_the_array_did():
    device = jax.devices("cpu")[-1]
    assert device != jax.devices()[0]
    x = jax.device_put(np.array([3, 1, 3, 2], "i4"), device)
    distinct = lanesort.unique(x, return_counts=True)
    assert distinct.keys.tolist() == [1, 2, 3] and distinct.counts.tolist() == [1, 1, 2]
    firsts = lanesort.unique(x, values=x).values
    groups, means = lanesort.group_by(x, x), lanesort.group_by(x, x, "mean")
    assert groups.values.tolist() == [1, 2, 6] and means.values.tolist() == [1, 2, 3]
    results = (
        lanesort.sort(x), *lanesort.top_k(x, 2), distinct.keys, distinct.counts, firsts, lanesort.sum(x, axis=0), *groups,
        *means, lanesort.vecdot(x, x),
    )  # fmt: skip
    for result in results:
        assert result.devices() == {device}


def test_all_nans_are_one_key():
    keys = np.concatenate((nans("f4"), np.array([1], "f4"), nans("f4")))
    given = jax.device_put(keys, jax.devices("cpu")[-1])
    distinct = lanesort.unique(given, return_counts=True)
    assert same(distinct.keys, keys[[4, 0]]) and distinct.counts.tolist() == [1, 8]
    assert lanesort.run_lengths(given).lengths.tolist() == [4, 1, 4]
    assert distinct.keys.devices() == given.devices() and same(given, keys)


def test_what_jax_forbids_is_told(failing):
    x = jax.device_put(np.arange(5.0, dtype="f4"), jax.devices("cpu")[0])
    failing("not_writable", "never change", lanesort.sort_, x)
    failing("invalid_argument", "traced", jax.jit(lanesort.sort), x)
    failing("invalid_argument", "traced", jax.grad(lambda x: lanesort.sort(x).sum()), x)


def test_what_stands_beside_a_sort(failing):
    def to(array):
        return jax.device_put(np.ascontiguousarray(array), jax.devices("cpu")[-1])

    x, needles, flags = keys_of("i4", 3001), keys_of("i4", 700, 2), keys_of("bool", 3001)
    keys, order = sorted_of(x), np.random.default_rng(1).permutation(3001).astype("i4")
    small = x % 100
    for result, expected in (
        (lanesort.cumulative_sum(to(small)), np.cumsum(small)),
        (lanesort.exclusive_scan(to(small)), np.cumsum(small) - small),
        (lanesort.searchsorted(to(keys), to(needles)), np.searchsorted(keys, needles)),
        (lanesort.histogram(to(small), 50, range=(0, 99)), np.bincount(small // 2, minlength=50)),
        (lanesort.select(to(x), to(flags)), x[flags]),
        (lanesort.partition(to(x), to(flags)).keys, np.concatenate((x[flags], x[~flags]))),
        (lanesort.gather(to(x), to(order)), x[order]),
    ):  # fmt: skip
        assert isinstance(result, jax.Array) and (np.asarray(result) == expected).all()
    assert lanesort.partition(to(x), to(flags)).count == flags.sum()
    failing("not_writable", "never change", lanesort.permute_, to(x), to(order))
    failing("not_writable", "never change", lanesort.scatter, to(x), to(order), out=to(x))


def test_operators_and_segments(failing):
    def to(array):
        return jax.device_put(np.ascontiguousarray(array), jax.devices("cpu")[-1])

    x, product = keys_of("u4", 3001) | np.uint32(1), lanesort.BinaryOperator("a * b", "1")
    so_far = np.multiply.accumulate(x, dtype="u4")
    parts = np.concatenate((np.multiply.accumulate(x[:700], dtype="u4"), np.multiply.accumulate(x[700:], dtype="u4")))
    for result, expected in (
        (lanesort.inclusive_scan(to(x), product), so_far), (lanesort.reduce(to(x), product), so_far[-1]),
        (lanesort.inclusive_scan(to(x), product, segments=[0, 700, 3001]), parts),
        (lanesort.reduce(to(x), product, segments=to(np.array([0, 700, 3001], "i4"))), parts[[699, 3000]]),
        (lanesort.inclusive_scan_by_key(to(np.arange(3001, dtype="i4") // 700 > 0), to(x), product), parts),
        (lanesort.max(to(x), segments=[0, 700, 3001]), np.maximum.reduceat(x, [0, 700])),
    ):  # fmt: skip
        assert isinstance(result, jax.Array) and (np.asarray(result) == expected).all()
    failing("not_writable", "never change", lanesort.inclusive_scan, to(x), product, out=to(x))
