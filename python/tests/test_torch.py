# SPDX-License-Identifier: MIT
"""torch's tensors in host memory. Skipped where there is no torch."""

import numpy as np
import pytest
from conftest import keys_of, nans, order_of, same, sorted_of

import lanesort

torch = pytest.importorskip("torch")


def test_sort_argsort_and_top_k():
    for dtype in ("f4", "u1", "i1", "i2", "f2", "i4", "i8", "f8", "bool"):
        x = keys_of(dtype, (7, 301))
        given = torch.from_numpy(x.copy())
        assert same(lanesort.sort(given).numpy(), sorted_of(x))
        assert same(lanesort.sort(given, axis=0, descending=True).numpy(), sorted_of(x, 0, True))
        assert same(lanesort.argsort(given).numpy(), order_of(x))
        values, indices = lanesort.top_k(given, 5)
        assert isinstance(values, torch.Tensor)
        assert same(indices.numpy(), order_of(x, descending=True)[:, :5])
        assert same(given.numpy(), x)
        assert lanesort.sort_(given) is given
        assert same(given.numpy(), sorted_of(x))
        strided = torch.from_numpy(np.repeat(x, 2, axis=1))[:, ::2]
        lanesort.sort_(strided)
        assert same(strided.contiguous().numpy(), sorted_of(x))


def test_what_is_yet_to_be_negated():
    x = torch.complex(torch.zeros(100), torch.rand(100)).conj().imag
    assert x.is_neg()
    expected = torch.sort(x).values
    assert torch.equal(lanesort.sort(x), expected)
    lanesort.sort_(x)
    assert torch.equal(x, expected)


def test_what_is_yet_to_be_conjugated():
    keys, flags = torch.tensor([3, 2, 1]), torch.ones(3, dtype=torch.bool)
    lazy = torch.tensor([1 + 1j, 2 + 2j, 3 - 3j]).conj()
    assert lazy.is_conj()
    values = [1 - 1j, 2 - 2j, 3 + 3j]
    for result, expected in (
        (lanesort.sort_by_key(keys, lazy).values, values[::-1]), (lanesort.top_k_by_key(keys, lazy, 2).values, values[:2]),
        (lanesort.sort_by_key(keys, (lazy, keys)).values[0], values[::-1]),
        (lanesort.unique(keys, values=lazy).values, values[::-1]), (lanesort.select(lazy, flags), values),
        (lanesort.merge(keys[2:], keys[:2].flip(0), values=(lazy[:1], lazy[1:])).values, values),
        (lanesort.partition(keys, flags, values=lazy).values, values), (lanesort.gather(lazy, keys - 1), values[::-1]),
        (lanesort.gather(lazy, keys - 1, out=torch.zeros_like(lazy).conj()), values[::-1]),
        (lanesort.scatter(lazy, keys - 1, out=torch.zeros_like(lazy.resolve_conj())), values[::-1]),
        (lanesort.permute_(lazy, keys - 1), values[::-1]), (lazy, values[::-1]),
    ):  # fmt: skip
        assert result.tolist() == expected


def test_arrays_that_share_memory(failing):
    room, keys = torch.arange(60), torch.tensor([3, 1, 2])
    lanesort.sort(room[0:34:2], out=room[10:27])
    assert room[10:27].tolist() == list(range(0, 34, 2))
    lanesort.sort(room[10:27].flip(0), out=room[0:34:2])
    assert room[0:34:2].tolist() == list(range(0, 34, 2))
    before = room.clone()
    for first, second in ((room[:3], room[2:5]), (room[:6:2], room[2:8:2]), (room[:6:2], room[1:4])):
        failing("invalid_argument", "overlap", lanesort.sort_by_key, keys, keys, out=(first, second))
        failing("invalid_argument", "overlap", lanesort.top_k, keys, 3, out=(first, second))
    assert torch.equal(room, before)
    lanesort.sort_by_key(keys, keys * 10, out=(room[:6:2], room[1:6:2]))
    assert room[:6].tolist() == [1, 10, 2, 20, 3, 30]


def test_the_others():
    x = keys_of("f4", 3001)
    given = torch.from_numpy(x)
    order = order_of(x)
    pair = lanesort.sort_by_key(given, torch.arange(3001))
    assert same(pair.values.numpy(), order)
    several = lanesort.sort_by_key(given, (torch.arange(3001), given))
    assert same(several.values[1].numpy(), x[order])
    numbers = torch.from_numpy(keys_of("u1", 2000).astype("i4"))
    assert torch.equal(lanesort.unique(numbers), torch.unique(numbers))
    assert lanesort.is_sorted(pair.keys) is True
    assert lanesort.is_sorted(torch.tensor([[1, 2], [2, 1]])).tolist() == [True, False]
    assert lanesort.merge(torch.tensor([1, 4]), torch.tensor([2, 3])).tolist() == [1, 2, 3, 4]
    assert same(lanesort.sort(given, segments=torch.tensor([0, 100, 3001]))[:100].numpy(), sorted_of(x[:100]))


def test_reductions_and_selections():
    for dtype in ("f4", "u1", "i4", "f8", "bool"):
        x = keys_of("i1", (7, 301)).astype(dtype)
        given = torch.from_numpy(x)
        for axis in (None, 0, 1):
            total = lanesort.sum(given, axis=axis)
            assert torch.equal(total, given.sum() if axis is None else given.sum(axis)), (dtype, axis)
            assert same(lanesort.max(given, axis=axis).numpy(), np.max(x, axis=axis))
            assert same(lanesort.argmin(given, axis=axis, keepdims=True).numpy(), np.argmin(x, axis=axis, keepdims=True))
            squares = lanesort.sum(given.to(total.dtype) ** 2, axis=axis)
            assert torch.equal(lanesort.vecdot(given, given, axis=axis), squares)
    for dtype in ("f4", "u1", "i4", "f8", "bool"):
        keys, values = torch.from_numpy(keys_of("u1", 3001)), torch.from_numpy(keys_of("i1", 3001).astype(dtype))
        distinct, places, counts = torch.unique(keys, return_inverse=True, return_counts=True)
        groups = lanesort.group_by(keys, values)
        assert torch.equal(groups.keys, distinct)
        sums = torch.zeros(distinct.shape, dtype=values.sum().dtype)
        assert torch.equal(groups.values, sums.index_add_(0, places, values.to(sums.dtype)))
        assert torch.equal(lanesort.group_by(keys, values, "count").values, counts)
    x = torch.from_numpy(keys_of("f4", 5000))
    best = lanesort.top_k_by_key(x, torch.arange(5000), 7)
    assert torch.equal(best.values, lanesort.top_k(x, 7).indices)
    assert lanesort.top_k(x, 3, segments=[0, 1, 5000]).indices[0].tolist() == [0, -1, -1]
    assert lanesort.top_k(x, 3, limit=torch.tensor([2])).indices[2] == -1


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8"])
def test_all_nans_are_one_key(dtype):
    keys = np.concatenate((nans(dtype), np.array([1], dtype), nans(dtype)))
    given = torch.from_numpy(keys.copy())
    distinct = lanesort.unique(given, return_counts=True)
    assert same(distinct.keys.numpy(), keys[[4, 0]]) and distinct.counts.tolist() == [1, 8]
    assert lanesort.run_lengths(given).lengths.tolist() == [4, 1, 4]
    assert lanesort.group_by(given, torch.arange(9)).values.tolist() == [4, 32]
    assert same(given.numpy(), keys)


def test_what_stands_beside_a_sort(failing):
    x, flags = keys_of("i4", 3001), keys_of("bool", 3001)
    given, order = torch.from_numpy(x), torch.randperm(3001)
    assert torch.equal(lanesort.cumulative_sum(given), given.cumsum(0))
    rows = torch.from_numpy(keys_of("i1", (30, 40)).astype("f4"))
    assert torch.equal(lanesort.exclusive_scan(rows, axis=0), rows.cumsum(0) - rows)
    keys = torch.sort(given).values
    assert torch.equal(lanesort.searchsorted(keys, given, side="right"), torch.searchsorted(keys, given, right=True))
    assert lanesort.searchsorted(keys, keys[5]).shape == ()
    assert lanesort.histogram(rows, 8, range=(-128, 127)).sum() == 1200
    assert lanesort.histogram(rows, torch.tensor([-128.0, 0.0, 128.0])).sum() == 1200
    failing("invalid_argument", "not in order", lanesort.histogram, rows, torch.tensor([0.0, -1.0]))
    with torch.no_grad():
        bounds = torch.tensor([-128.0, 9.0, 0.0, 9.0, 128.0], requires_grad=True)[::2]
        assert lanesort.histogram(rows, bounds).sum() == 1200
    assert torch.equal(lanesort.select(given, torch.from_numpy(flags)), given[flags])
    for kind in (torch.bfloat16, torch.complex64):  # which have no order
        assert torch.equal(lanesort.select(given.to(kind), torch.from_numpy(flags)), given.to(kind)[flags])
    assert lanesort.partition(given, torch.from_numpy(flags)).count == flags.sum()
    assert torch.equal(lanesort.gather(given, order), given[order])
    out = torch.zeros_like(given)
    assert torch.equal(lanesort.permute_(lanesort.scatter(given, order, out=out), order), given)
    assert lanesort.searchsorted(rows[0].sort().values, 200.5) == 40
    truths = torch.tensor([True, False])
    assert same(lanesort.exclusive_scan(truths, "min").numpy(), np.array([True, True]))
    real = torch.rand(5, requires_grad=True)
    failing("invalid_argument", "no gradient", lanesort.cumulative_sum, real)
    failing("invalid_argument", "no gradient", lanesort.gather, real, torch.arange(5))
    failing("invalid_argument", "no gradient", lanesort.select, real, torch.ones(5, dtype=torch.bool))


def test_operators_and_segments(failing):
    x, later = torch.from_numpy(keys_of("i4", 3001) % 3), lanesort.BinaryOperator("b != 0 ? b : a", "0")
    ended = lanesort.inclusive_scan(x, later)
    assert isinstance(ended, torch.Tensor) and ended.dtype == x.dtype and ended[-1] == lanesort.reduce(x, later)
    assert torch.equal(ended[1:], torch.where(x[1:] != 0, x[1:], ended[:-1]))
    keys = torch.arange(3001) // 1000
    starts = torch.tensor([0, 1000, 2000, 3000, 3001])
    by_key = lanesort.inclusive_scan_by_key(keys, x, later)
    for segments in (starts, starts.tolist()):
        assert torch.equal(lanesort.inclusive_scan(x, later, segments=segments), by_key)
        assert torch.equal(lanesort.reduce(x, later, segments=segments), by_key[starts[1:] - 1])
        assert torch.equal(lanesort.sum(x, segments=segments), torch.bincount(keys, x.double()).long())
        assert torch.equal(lanesort.cumulative_sum(x, segments=segments), lanesort.inclusive_scan_by_key(keys, x))
    distance = lanesort.BinaryOperator("a > b ? a : b", "0", transform="a > b ? a - b : b - a")
    assert lanesort.transform_reduce(x, x.flip(0), distance) == (x - x.flip(0)).abs().max()
    real = torch.rand(5, requires_grad=True)
    failing("invalid_argument", "no gradient goes through an operator;", lanesort.reduce, real, later)
    failing("invalid_argument", "no gradient goes through an operator;", lanesort.transform_reduce, real, real, distance)
    failing("invalid_argument", "no gradient", lanesort.inclusive_scan, real, later)
    failing("invalid_argument", "no gradient goes through segments;", lanesort.min, real, segments=[0, 5])
    failing("invalid_argument", "no gradient goes through out=;", lanesort.min, real, out=torch.zeros(()))
    assert lanesort.argmin(real, segments=[0, 5]).shape == (1,)


def test_gradients_of_reductions():
    x = torch.rand(30, 50, requires_grad=True)
    for ours, theirs in (
        (lanesort.max(x, axis=0), torch.amax(x, 0)), (lanesort.min(x), torch.amin(x)),
        (lanesort.top_k_by_key(x, x * 2, 5).values, torch.topk(x, 5).values * 2),
    ):  # fmt: skip
        weights = torch.rand(ours.shape)
        mine = torch.autograd.grad((ours * weights).sum(), x, retain_graph=True)[0]
        assert torch.equal(mine, torch.autograd.grad((theirs * weights).sum(), x, retain_graph=True)[0])
    assert lanesort.argmax(x) == x.argmax()
    with pytest.raises(lanesort.Error, match="no gradient goes through a sum;"):
        lanesort.sum(x)
    with pytest.raises(lanesort.Error, match="no gradient goes through vecdot;"):
        lanesort.vecdot(x.detach(), x)
    with pytest.raises(lanesort.Error, match="no gradient"):
        lanesort.group_by(x[0].detach(), x[0])


def test_gradients_go_through():
    x = torch.rand(30, 50, requires_grad=True)
    weights = torch.rand(30, 50)
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
    assert lanesort.is_sorted(x.detach()).all()


def test_no_gradient_is_lost(failing):
    x, flat = torch.rand(50, requires_grad=True), torch.arange(50)
    for function, *arguments in (
        (lanesort.unique, x), (lanesort.run_lengths, x), (lanesort.reduce_by_key, x, flat), (lanesort.group_by, x, flat)
    ):
        failing("invalid_argument", "no gradient", function, *arguments)
    failing("invalid_argument", "no gradient", lanesort.unique, flat, values=x)
    forward = torch.autograd.forward_ad
    with forward.dual_level():
        dual = forward.make_dual(x.detach(), x.detach() * 2)
        for ours in (lanesort.sort(dual), lanesort.top_k(dual, 5).values, lanesort.max(dual)):
            assert torch.equal(forward.unpack_dual(ours).tangent, ours.detach() * 2)
        for function in (lanesort.sum, lanesort.sort_, lanesort.unique, lanesort.cumulative_sum):
            failing("invalid_argument", "gradient", function, dual)
        assert forward.unpack_dual(lanesort.sort(x.detach())).tangent is None
        assert lanesort.sum(x.detach()) > 0


def test_integers_in_a_list_are_not_rounded(failing):
    failing("invalid_argument", "9007199254740993", lanesort.sort, [torch.tensor(2**53 + 1), torch.tensor(0.5)])
    assert lanesort.sort([torch.tensor(2), torch.tensor(0.5)]).tolist() == [0.5, 2]


def test_mistakes_are_told(failing):
    failing("invalid_argument", "bfloat16", lanesort.sort, torch.rand(3).bfloat16())
    failing("invalid_argument", "layout", lanesort.sort, torch.eye(3).to_sparse())
    failing("invalid_argument", "no axis to go along", lanesort.sort, torch.tensor(3))
    failing("invalid_argument", "array of numpy", lanesort.sort_by_key, torch.rand(3), np.arange(3))
    for offsets in (torch.zeros(3), torch.zeros(3, dtype=torch.bool), torch.zeros(3, dtype=torch.complex64)):
        failing("invalid_argument", "but must be integers", lanesort.sort, torch.rand(3), segments=offsets)
    failing("invalid_argument", "bfloat16", lanesort.sort, torch.rand(3), segments=torch.zeros(3).bfloat16())
    failing("invalid_argument", "begins at key -5", lanesort.sort, torch.rand(3), segments=torch.tensor([-5, 2]))
    failing("out_of_range", "ends at key 4", lanesort.sort, torch.rand(3), segments=torch.tensor([0, 1, 4]))
    failing("invalid_argument", "meta", lanesort.sort, torch.empty(3, device="meta"))


def test_what_autograd_keeps_is_not_changed_unseen():
    for call in (lanesort.sort_, lambda x: lanesort.sort_by_key_(x, torch.arange(5))):
        x, weight = torch.rand(5), torch.rand(5, requires_grad=True)
        product = (x * weight).sum()
        call(x)
        with pytest.raises(RuntimeError, match="modified by an inplace operation"):
            product.backward()
    with torch.inference_mode():
        assert lanesort.sort_(torch.tensor([2, 1])).tolist() == [1, 2]


def test_what_torch_refuses_is_told(failing):
    x = torch.rand(5)
    expected = torch.sort(x[:4]).values
    assert torch.equal(lanesort.sort(x[:4], out=x[1:]), expected)
    failing("invalid_argument", "cannot be traced", torch.vmap(lanesort.sort), torch.rand(2, 3))
    failing("invalid_argument", "64 bits, but out is of type torch.bfloat16", lanesort.argsort, x,
            out=torch.empty(5).bfloat16())  # fmt: skip


def test_what_cannot_be_assigned_to(failing):
    keys = torch.tensor([3, 1, 2])
    for function, *before in (lanesort.sort_,), (lanesort.sort_by_key_, keys):
        failing("not_writable", "in one place", function, *before, torch.tensor([7]).expand(3))
    with torch.inference_mode():
        inferred = torch.arange(6)[::2]
    failing("not_writable", "inference_mode", lanesort.sort_by_key_, keys, inferred)
    assert keys.tolist() == [3, 1, 2]
    with torch.inference_mode():
        assert lanesort.sort_(inferred, descending=True).tolist() == [4, 2, 0]


@pytest.mark.filterwarnings("error")
def test_offsets_that_cannot_be_written_to():
    offsets = np.array([0, 2, 3])
    offsets.flags.writeable = False
    assert lanesort.sort(torch.tensor([2, 1, 0]), segments=offsets).tolist() == [1, 2, 0]


def test_how_what_has_a_gradient_is_sorted():
    x = torch.rand(1 << 20, requires_grad=True)
    sorter = lanesort.Sorter("built-in")
    sorter.sort(x, data_independent=True)
    assert sorter.report["schedule"] != "distribution"
