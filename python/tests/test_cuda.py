# SPDX-License-Identifier: MIT
"""Arrays on CUDA: those of torch, cupy, jax, and of anything with __cuda_array_interface__. Skipped where there are none."""

import gc
import itertools

import numpy as np
import pytest
from conftest import keys_of, nans, order_of, same, sorted_of

import lanesort

LIBRARIES = []
try:
    import torch

    if torch.cuda.is_available():
        LIBRARIES.append(("torch", lambda x: torch.from_numpy(x).cuda(), lambda x: x.cpu().numpy()))
except ImportError:
    pass
try:
    import cupy

    cupy.cuda.Device(0).compute_capability
    LIBRARIES.append(("cupy", cupy.asarray, cupy.asnumpy))
except Exception:  # cupy has one of its own for each way to fail
    pass
try:
    import jax

    if jax.default_backend() == "gpu":
        LIBRARIES.append(("jax", lambda x: jax.numpy.asarray(x), np.asarray))
except Exception:
    pass

pytestmark = pytest.mark.skipif(not LIBRARIES, reason="no library has a CUDA device here")
with_torch = pytest.mark.skipif("torch" not in [name for name, *_ in LIBRARIES], reason="torch has no CUDA device here")


def each(*arrays):
    """The arrays in each library, and the way back."""
    for name, to, back in LIBRARIES:
        yield name, [to(array) for array in arrays], back


def test_sort_argsort_and_top_k():
    for dtype in ("f4", "u1", "f2", "i8", "f8"):
        for shape in ((100_003,), (50, 1001), (0,), (1,)):
            x = keys_of(dtype, shape)
            for name, (given,), back in each(x):
                if name == "jax" and np.asarray(back(given)).dtype != x.dtype:
                    continue  # without its types of 64 bits
                kind = type(given)
                result = lanesort.sort(given)
                assert isinstance(result, kind), (name, kind)
                assert same(back(result), sorted_of(x)), (name, dtype, shape)
                assert same(back(given), x)
                assert (back(lanesort.argsort(given)) == order_of(x)).all(), (name, dtype, shape)
                k = min(7, shape[-1])
                values, indices = lanesort.top_k(given, k)
                first = sorted_of(x, descending=True)[..., :k]
                assert same(back(values), first), (name, dtype, shape)
                assert (back(indices) == order_of(x, descending=True)[..., :k]).all()


def test_reductions():
    for dtype in ("f4", "u1", "i4", "u4"):
        # Sums that 32 bits hold, which is what jax has.
        x = (keys_of("i1", (50, 1001)) if dtype in ("f4", "i4") else keys_of("u1", (50, 1001)) % 100).astype(dtype)
        y = (keys_of("i1", (50, 1001), 2) % 3).astype(dtype)
        for name, (given, factors), back in each(x, y):
            for axis in (None, 0, -1):
                sums = np.sum(x, axis=axis, dtype="f4" if dtype == "f4" else "i8")
                assert (back(lanesort.sum(given, axis=axis)) == sums).all(), (name, dtype, axis)
                assert same(back(lanesort.min(given, axis=axis)), np.min(x, axis=axis)), (name, dtype, axis)
                assert (back(lanesort.argmax(given, axis=axis)) == np.argmax(x, axis=axis)).all(), (name, dtype, axis)
                products = np.sum(x.astype(sums.dtype) * y.astype(sums.dtype), axis=axis)
                assert (back(lanesort.vecdot(given, factors, axis=axis)) == products).all(), (name, dtype, axis)


def test_what_stands_beside_a_sort():
    x, needles, flags = keys_of("i4", 50_000) % 1000, keys_of("i4", 700, 2) % 1000, keys_of("bool", 50_000)
    keys, order = sorted_of(x), np.random.default_rng(1).permutation(50_000).astype("i4")
    left, right = (np.searchsorted(keys, needles, side) for side in ("left", "right"))
    for name, (given, ordered, asked, chosen, places), back in each(x, keys, needles, flags, order):
        for result, expected in (
            (lanesort.cumulative_sum(given), np.cumsum(x)), (lanesort.exclusive_scan(given), np.cumsum(x) - x),
            (lanesort.searchsorted(ordered, asked), left), (lanesort.searchsorted(ordered, asked, side="right"), right),
            (lanesort.equal_range(ordered, asked), np.stack((left, right), -1)),
            (lanesort.histogram(given, 2000, range=(-1000, 999)), np.bincount(x + 1000, minlength=2000)),
            (lanesort.select(given, chosen), x[flags]), (lanesort.gather(given, places), x[order]),
            (lanesort.partition(given, chosen).keys, np.concatenate((x[flags], x[~flags]))),
            (lanesort.partition(given, chosen, inverted=True).count, (~flags).sum()),
        ):  # fmt: skip
            assert isinstance(result, type(given)) and (back(result) == expected).all(), name
        if name == "jax":
            continue  # its arrays never change
        out = lanesort.scatter(given, places, out=0 * given)
        assert same(back(lanesort.permute_(out, places)), x), name


def test_operators_and_segments():
    x, y = keys_of("i4", 50_000) % 100, keys_of("i4", 50_000, 2) % 100
    x[x <= 50] = 0
    last = lanesort.BinaryOperator("b > 0 ? b : a", "0")
    keys, offsets = np.repeat(np.arange(3, dtype="i4"), [7, 40_000, 9993]), [0, 7, 7, 40_007, 50_000]

    def up_to_each(part):
        return np.array(list(itertools.accumulate(part.tolist(), lambda a, b: b if b > 0 else a)), "i4")

    parts = np.concatenate([up_to_each(x[begin:end]) for begin, end in itertools.pairwise(offsets)])
    sums = [int(x[begin:end].sum()) for begin, end in itertools.pairwise(offsets)]
    distance = lanesort.BinaryOperator("a > b ? a : b", "0", transform="a > b ? a - b : b - a")
    for name, (given, other, equal, ends), back in each(x, y, keys, np.array(offsets, "i4")):
        for result, expected in (
            (lanesort.inclusive_scan(given, last), up_to_each(x)), (lanesort.reduce(given, last), up_to_each(x)[-1]),
            (lanesort.inclusive_scan_by_key(equal, given, last), parts),
            (lanesort.inclusive_scan(given, last, segments=offsets), parts),
            (lanesort.inclusive_scan(given, last, segments=ends), parts),
            (lanesort.reduce(given, last, segments=ends), np.array([parts[6], 0, parts[40_006], parts[-1]])),
            (lanesort.sum(given, segments=ends), np.array(sums)), (lanesort.sum(given, segments=offsets), np.array(sums)),
            (lanesort.cumulative_sum(given, segments=offsets), lanesort.inclusive_scan_by_key(keys, x)),
            (lanesort.argmin(given, segments=offsets)[1], -1), (lanesort.reduce(given[:0], last), 0),
            (lanesort.transform_reduce(given, other, distance), np.abs(x - y).max()),
        ):  # fmt: skip
            assert isinstance(result, type(given)) and (back(result) == expected).all(), name


def test_more_selections():
    x = keys_of("f4", 50_000)
    order = order_of(x, descending=True)
    for name, (given, values), back in each(x, np.arange(50_000, dtype="i4")):
        best = lanesort.top_k_by_key(given, values, 9)
        assert same(back(best.keys), x[order[:9]]) and (back(best.values) == order[:9]).all(), name
        values, indices = (back(part) for part in lanesort.top_k(given, 3, segments=[0, 1, 50_000]))
        assert indices[0].tolist() == [0, -1, -1] and same(values[1], sorted_of(x[1:], descending=True)[:3]), name
        assert same(back(lanesort.nth_element(given, 777))[777], sorted_of(x)[777]), name


def test_indices_of_many_keys_are_widened():
    x = keys_of("f4", (2, 1 << 20))
    for name, (given,), back in each(x):
        if name != "jax":
            assert same(back(lanesort.argsort(given)), order_of(x)), name
            assert same(back(lanesort.argsort(given.T, axis=0)), order_of(x).T), name
            assert same(back(lanesort.top_k(given, 50).indices), order_of(x, descending=True)[:, :50]), name


@with_torch
def test_a_limit_is_read_when_the_call_runs():
    x, limit = torch.from_numpy(keys_of("f4", 50_000)).cuda(), torch.tensor([0], device="cuda")
    lanesort.top_k(x, 5, limit=limit)
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        torch.cuda._sleep(100_000_000)
        limit.fill_(3)
        indices = lanesort.top_k(x, 5, limit=limit).indices
    stream.synchronize()
    assert indices.cpu().tolist() == [*order_of(x.cpu().numpy(), descending=True)[:3], -1, -1]


def test_axes_and_layouts():
    x = keys_of("f4", (30, 40, 50))
    for name, (given,), back in each(x):
        for axis in (0, 1, -1):
            assert same(back(lanesort.sort(given, axis=axis, descending=True)), sorted_of(x, axis, True)), (name, axis)
        assert same(back(lanesort.sort(given[::2, :, 5:], axis=0)), sorted_of(x[::2, :, 5:], 0)), name


def test_in_place():
    x = keys_of("f4", (100, 1000))
    for name, (given,), back in each(x):
        if name == "jax":
            with pytest.raises(lanesort.Error, match="never change"):
                lanesort.sort_(given)
            continue
        part = given[10:20]
        assert lanesort.sort_(part) is part
        expected = x.copy()
        expected[10:20] = sorted_of(x[10:20])
        assert same(back(given), expected)
        lanesort.sort_(given[:, ::3])
        expected[:, ::3] = sorted_of(expected[:, ::3])
        assert same(back(given), expected)


def test_pairs_merges_and_sorted_ranges():
    x, values = keys_of("f4", 20_001), np.arange(20_001, dtype="i4")
    order = order_of(x)
    a, b = sorted_of(x[:9000]), sorted_of(x[9000:])
    numbers = keys_of("u1", 5000).astype("i4")
    unique, counts = np.unique(numbers, return_counts=True)
    for name, (keys, given, first, second, many), back in each(x, values, a, b, numbers):
        result = lanesort.sort_by_key(keys, given)
        assert same(back(result.keys), x[order]) and same(back(result.values), values[order]), name
        several = lanesort.sort_by_key(keys, (given, keys))
        assert same(back(several.values[0]), values[order]) and same(back(several.values[1]), x[order]), name
        assert same(back(lanesort.merge(first, second)), sorted_of(x)), name
        assert back(lanesort.is_sorted(first)) and not back(lanesort.is_sorted(keys)), name
        got = lanesort.unique(many, return_counts=True)
        assert same(back(got.keys), unique) and (back(got.counts) == counts).all(), name
        groups = lanesort.group_by(many, many)
        assert same(back(groups.keys), unique) and (back(groups.values) == unique * counts).all(), name
        groups = lanesort.group_by(many, many, "count", descending=True)
        assert same(back(groups.keys), unique[::-1]) and (back(groups.values) == counts[::-1]).all(), name
        runs = lanesort.reduce_by_key(first, first, "mean")
        distinct = lanesort.group_by(first, first, "min")
        assert same(back(runs.keys), back(distinct.keys)) and same(back(distinct.keys), back(distinct.values)), name
        segments = [0, 5, 5, 20_001]
        expected = x.copy()
        expected[:5], expected[5:] = sorted_of(x[:5]), sorted_of(x[5:])
        assert same(back(lanesort.sort(keys, segments=segments)), expected), name


def test_records_by_a_comparator():
    x = keys_of("i4", 3000)
    for name, (given,), back in each(x):
        result = back(lanesort.sort(given, comparator="(a & 15) < (b & 15)"))
        assert same(result, x[np.argsort(x & 15, kind="stable")]), name


def test_all_nans_are_one_key():
    for dtype in ("f2", "f4"):  # jax has f8 only if it is told to
        keys = np.concatenate((nans(dtype), np.array([1], dtype), nans(dtype)))
        for name, (given, values), back in each(keys, np.arange(9, dtype="i4")):
            distinct = lanesort.unique(given, return_counts=True)
            assert same(back(distinct.keys), keys[[4, 0]]), (name, dtype)
            assert back(distinct.counts).tolist() == [1, 8], (name, dtype)
            assert back(lanesort.run_lengths(given).lengths).tolist() == [4, 1, 4], (name, dtype)
            assert back(lanesort.group_by(given, values).values).tolist() == [4, 32], (name, dtype)
            sums = back(lanesort.inclusive_scan_by_key(given, values))
            assert sums.tolist() == [0, 1, 3, 6, 4, 5, 11, 18, 26], (name, dtype)
            assert same(back(given), keys), (name, dtype)


def test_what_has_the_interface_alone():
    class Holder:
        def __init__(self, x):
            self.x = x
            self.__cuda_array_interface__ = x.__cuda_array_interface__

    x = keys_of("f4", 5000)
    for name, (given,), back in each(x):
        if name == "jax":
            continue
        if name == "torch":
            torch.cuda.synchronize()
        else:
            cupy.cuda.Device().synchronize()
        held = Holder(given)
        assert lanesort.sort_(held) is held
        if name == "torch":
            torch.cuda.synchronize()
        else:
            cupy.cuda.Device().synchronize()
        assert same(back(given), sorted_of(x))
        with pytest.raises(lanesort.Error, match="no new ones can be made"):
            lanesort.sort(held)
        if name == "torch":
            for device in range(torch.cuda.device_count()):
                there = torch.from_numpy(x).to(f"cuda:{device}")
                torch.cuda.synchronize(device)
                lanesort.sort_(Holder(there))
                torch.cuda.synchronize(device)
                assert same(back(there), sorted_of(x)), device


@with_torch
def test_a_call_goes_on_the_current_stream_and_waits_for_nothing():
    x = keys_of("f4", 1 << 20)
    source = torch.from_numpy(x).cuda()
    # What is compiled now is not compiled below.
    lanesort.is_sorted(lanesort.sort(source))
    lanesort.top_k(source, 100)
    torch.cuda.synchronize()
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        late = torch.zeros_like(source)
        torch.cuda._sleep(200_000_000)
        late.copy_(source)
        result = lanesort.sort(late)
        indices = lanesort.top_k(late, 100).indices
        sorted_ = lanesort.is_sorted(result)
        assert not stream.query()
        assert bool(sorted_)
    assert same(result.cpu().numpy(), sorted_of(x))
    assert (indices.cpu().numpy() == order_of(x, descending=True)[:100]).all()


@with_torch
def test_a_captured_call_becomes_part_of_the_graph():
    first, second = keys_of("f4", 50_000), keys_of("f4", 50_000, 2)
    x = torch.from_numpy(first).cuda()
    for call in (lambda: lanesort.sort_(x), lambda: lanesort.top_k(x, 64), lambda: lanesort.argsort(x)):
        call()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        best = lanesort.top_k(x, 64)
        order = lanesort.argsort(x)
        lanesort.sort_(x)
    for keys in (first, second):
        x.copy_(torch.from_numpy(keys))
        graph.replay()
        assert same(x.cpu().numpy(), sorted_of(keys))
        assert (order.cpu().numpy() == order_of(keys)).all()
        assert (best.indices.cpu().numpy() == order_of(keys, descending=True)[:64]).all()


@with_torch
def test_recorded():
    x = torch.from_numpy(keys_of("f4", 70_000)).cuda()
    recorded = lanesort.Sorter().record("sort", x, out=x)
    for seed in range(3):
        keys = keys_of("f4", 70_000, seed)
        x.copy_(torch.from_numpy(keys))
        recorded()
        assert same(x.cpu().numpy(), sorted_of(keys))
    assert recorded.is_replayed


@with_torch
def test_in_place_takes_no_memory():
    x = torch.rand(1 << 24, device="cuda")
    for options in ({}, {"data_independent": True}):
        lanesort.sort_(x.clone(), **options)
        gc.collect()
        torch.cuda.synchronize()
        torch.cuda.empty_cache()
        torch.cuda.reset_peak_memory_stats()
        before = torch.cuda.memory_allocated()
        sorter = lanesort.Sorter()
        sorter.sort_(x, **options)
        assert torch.cuda.max_memory_allocated() == before
        assert sorter.report["device_bytes"] == 0 or not options
        x = torch.rand(1 << 24, device="cuda")


@with_torch
def test_gradients_go_through():
    for device in ("cpu", "cuda"):
        x = torch.rand(30, 50, device=device, requires_grad=True)
        weights = torch.rand(30, 50, device=device)
        for ours, theirs in (
            (lanesort.sort(x, axis=0), torch.sort(x, dim=0).values),
            (lanesort.sort_by_key(x, x * 2).values, torch.sort(x).values * 2),
            (lanesort.top_k(x, 50).values, torch.topk(x, 50).values),
        ):
            mine = torch.autograd.grad((ours * weights).sum(), x, retain_graph=True)[0]
            assert torch.equal(mine, torch.autograd.grad((theirs * weights).sum(), x, retain_graph=True)[0])
        with pytest.raises(lanesort.Error, match="gradient"):
            lanesort.sort_(x)
        with torch.no_grad():
            lanesort.sort_(x)


@with_torch
def test_mistakes_of_torch_are_told(failing):
    x = torch.rand(5, device="cuda")
    failing("invalid_argument", "bfloat16", lanesort.sort, x.bfloat16())
    failing("invalid_argument", "layout", lanesort.sort, x.to_sparse())
    failing("invalid_argument", "no axis to go along", lanesort.sort, x[0])
    failing("wrong_context", "lies in CUDA's memory", lanesort.Sorter("built-in").sort, x)
    failing("invalid_argument", "array of numpy", lanesort.sort_by_key, x, np.arange(5))
