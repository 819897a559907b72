# SPDX-License-Identifier: MIT
"""pyopencl's arrays, on their own queues."""

import numpy as np
import pytest
from conftest import DTYPES, keys_of, nans, order_of, same, sorted_of

import lanesort

pyopencl = pytest.importorskip("pyopencl")
import pyopencl.array as cl_array  # noqa: E402


@pytest.mark.parametrize("dtype", DTYPES)
def test_sort_argsort_and_top_k(opencl_queue, dtype):
    for shape in ((0,), (1,), (1000,), (7, 129)):
        x = keys_of(dtype, shape)
        given = cl_array.to_device(opencl_queue, x)
        result = lanesort.sort(given)
        assert isinstance(result, cl_array.Array) and result.queue == opencl_queue
        assert same(result.get(), sorted_of(x)) and same(given.get(), x)
        if dtype not in ("u1", "f2", "f4", "i8"):
            continue  # PoCL compiles for a while, and the library's own tests have every type
        assert same(lanesort.sort(given, descending=True).get(), sorted_of(x, descending=True))
        assert same(lanesort.argsort(given).get(), order_of(x))
        k = min(3, shape[-1])
        values, indices = lanesort.top_k(given, k)
        assert same(indices.get(), order_of(x, descending=True)[..., :k])
        assert same(values.get(), sorted_of(x, descending=True)[..., :k])


def test_in_place_in_the_middle_of_a_buffer(opencl_queue):
    x = keys_of("f4", 5000)
    given = cl_array.to_device(opencl_queue, x)
    part = given[1000:4001]
    assert lanesort.sort_(part) is part
    x[1000:4001] = sorted_of(x[1000:4001])
    assert same(given.get(), x)


def test_what_overlaps_is_sorted_from_a_copy(opencl_queue):
    x = cl_array.to_device(opencl_queue, keys_of("f4", 1000))
    for begin, out in ((0, 2), (2, 0), (0, 0), (0, 500), (7, 400)):
        expected = sorted_of(x.get()[begin : begin + 500])
        result = lanesort.sort(x[begin : begin + 500], out=x[out : out + 500])
        assert same(result.get(), expected) and same(x.get()[out : out + 500], expected)
        x.set(keys_of("f4", 1000, out))


def test_pairs_whose_places_overlap(opencl_queue, failing):
    room = cl_array.to_device(opencl_queue, np.arange(30, dtype="i4"))
    keys = cl_array.to_device(opencl_queue, np.arange(10, dtype="i4")[::-1].copy())
    lanesort.sort_by_key(keys, room[5:15], out=(room[:10], room[10:20]))
    assert (room.get()[:10] == np.arange(10)).all() and (room.get()[10:20] == np.arange(14, 4, -1)).all()
    before = room.get()
    failing("invalid_argument", "overlap", lanesort.sort_by_key, room[:10], keys, out=(room[5:15], room[10:20]))
    failing("invalid_argument", "overlap", lanesort.top_k, keys, 5, out=(room[:5], room[4:9]))
    assert same(room.get(), before)


def test_values_that_have_no_type_of_c_are_moved(opencl_queue):
    def to(array):
        return cl_array.to_device(opencl_queue, array)

    h, v = to(np.array([3, 1, 2], "f2")), to(np.arange(3, dtype="i4"))
    result = lanesort.sort_by_key(h, (v, h))
    assert same(result.keys.get(), np.array([1, 2, 3], "f2")) and same(result.values[1].get(), result.keys.get())
    assert result.values[0].get().tolist() == [1, 2, 0]
    records = to(np.array([(1, 2), (3, 4), (5, 6)], "f4,f4"))
    assert lanesort.sort_by_key(h, (records,)).values[0].get().tolist() == [(3, 4), (5, 6), (1, 2)]
    wide = to(np.zeros(3, "f4,f4,f4"))
    with pytest.raises(lanesort.Error, match="float32|f0"):
        lanesort.sort_by_key(h, (wide,))
    booleans = to(np.array([True, False]))
    assert same(lanesort.exclusive_scan(booleans, "min").get(), np.array([True, True]))
    assert same(lanesort.min(booleans, segments=[0, 0, 2]).get(), np.array([True, False]))
    assert lanesort.cumulative_sum(booleans).get().tolist() == [1, 1]
    out = to(np.full(4, -7))
    assert lanesort.argsort(to(np.array([2, 1, 5, 3], "i4")), segments=[1, 3], out=out).get().tolist() == [-7, 0, 1, -7]
    assert lanesort.searchsorted(to(np.array([1, 3], "f4")), 2.5).get() == 1


def test_the_other_operations(opencl_queue):
    def to(array):
        return cl_array.to_device(opencl_queue, np.ascontiguousarray(array))

    x = keys_of("f4", 3001)
    order = order_of(x)
    keys, values = lanesort.sort_by_key(to(x), to(np.arange(3001.0)))
    assert same(keys.get(), x[order]) and same(values.get(), order.astype("f8"))
    several = lanesort.sort_by_key(to(x), (to(x), to(np.arange(3001))))
    assert same(several.values[1].get(), order)
    a, b = sorted_of(x[:1000]), sorted_of(x[1000:])
    assert same(lanesort.merge(to(a), to(b)).get(), sorted_of(x))
    assert lanesort.is_sorted(keys).get() and not lanesort.is_sorted(to(x)).get()
    rows = to(np.array([[1, 2], [2, 1]]))
    assert lanesort.is_sorted(rows).get().tolist() == [1, 0]
    numbers = keys_of("u1", 3000).astype("i4")
    unique, counts = np.unique(numbers, return_counts=True)
    got = lanesort.unique(to(numbers), return_counts=True)
    assert same(got.keys.get(), unique) and same(got.counts.get(), counts)
    expected = x.copy()
    expected[:9], expected[9:] = sorted_of(x[:9]), sorted_of(x[9:])
    assert same(lanesort.sort(to(x), segments=[0, 9, 3001]).get(), expected)
    offsets = to(np.array([0, 9, 3001], "u4"))
    assert same(lanesort.sort(to(x), segments=offsets).get(), expected)
    assert same(lanesort.sort(to(numbers), comparator="(a & 3) < (b & 3)").get(),
                numbers[np.argsort(numbers & 3, kind="stable")])  # fmt: skip
    assert lanesort.partial_sort(to(x), 5).get()[:5].tobytes() == sorted_of(x)[:5].tobytes()


def test_reductions_of_equal_keys(opencl_queue):
    def to(array):
        return cl_array.to_device(opencl_queue, array)

    for size in (0, 1, 5001):
        keys = keys_of("f4", size)
        order = order_of(keys)
        for dtype in ("u1", "i8", "f2"):
            values = keys_of("u1", size, 2).astype(dtype)
            given = to(keys), to(values)
            sorted_given = to(keys[order]), to(values[order])
            for reduction in ("sum", "min", "max", "count", "mean"):
                # The built-in device has the tests of its own against numpy, and both have the same bits.
                expected = lanesort.group_by(keys, values, reduction)
                for got in (lanesort.group_by(*given, reduction), lanesort.reduce_by_key(*sorted_given, reduction)):
                    assert isinstance(got.values, cl_array.Array)
                    assert same(got.keys.get(), expected.keys) and same(got.values.get(), expected.values), (size, dtype)
            assert same(given[0].get(), keys) and same(given[1].get(), values)


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8"])
def test_all_nans_are_one_key(opencl_queue, dtype):
    keys = np.concatenate((nans(dtype), np.array([np.inf, -np.inf, -1], dtype), nans(dtype)[::-1]))
    given = cl_array.to_device(opencl_queue, keys)
    distinct = lanesort.unique(given, return_counts=True)
    assert same(distinct.keys.get(), np.concatenate((keys[[5, 6, 4]], nans(dtype)[:1])))
    assert distinct.counts.get().tolist() == [1, 1, 1, 8]
    assert lanesort.run_lengths(given).lengths.get().tolist() == [4, 1, 1, 1, 4]
    values = cl_array.to_device(opencl_queue, np.arange(11))
    assert lanesort.group_by(given, values, "count").values.get().tolist() == [1, 1, 1, 8]
    assert lanesort.inclusive_scan_by_key(given, values).get().tolist() == [0, 1, 3, 6, 4, 5, 6, 7, 15, 24, 34]
    assert same(given.get(), keys)


def test_reductions_and_selections(opencl_queue):
    x = keys_of("i1", (7, 301)).astype("f4")
    given = cl_array.to_device(opencl_queue, x)
    for axis in (None, -1):
        assert same(lanesort.sum(given, axis=axis).get(), np.sum(x, axis=axis, dtype="f4"))
        assert same(lanesort.max(given, axis=axis).get(), np.max(x, axis=axis))
        assert same(lanesort.argmin(given, axis=axis, keepdims=True).get(), np.argmin(x, axis=axis, keepdims=True))
    assert same(lanesort.vecdot(given, given).get(), np.sum(x * x, axis=-1, dtype="f4"))
    out = cl_array.zeros(opencl_queue, (7,), "f4")
    assert lanesort.min(given, axis=1, out=out) is out and same(out.get(), x.min(1))
    keys = keys_of("f4", 5000)
    given = cl_array.to_device(opencl_queue, keys)
    order = order_of(keys, descending=True)
    best = lanesort.top_k_by_key(given, cl_array.to_device(opencl_queue, np.arange(5000)), 5)
    assert same(best.keys.get(), keys[order[:5]]) and same(best.values.get(), order[:5])
    limit = cl_array.to_device(opencl_queue, np.array([2]))
    assert lanesort.top_k(given, 3, limit=limit).indices.get().tolist() == [*order[:2], -1]
    assert lanesort.top_k(given, 3, segments=[0, 1, 5000]).indices.get()[0].tolist() == [0, -1, -1]
    assert lanesort.is_sorted_until(cl_array.to_device(opencl_queue, np.array([1, 2, 1]))).get() == 2


def test_events_go_in_and_out(opencl_queue):
    """On an out-of-order queue nothing but events keeps the order."""
    properties = pyopencl.command_queue_properties.OUT_OF_ORDER_EXEC_MODE_ENABLE
    queue = pyopencl.CommandQueue(opencl_queue.context, properties=properties)
    x = keys_of("u4", 100_000)
    given = cl_array.to_device(queue, x)
    starts = pyopencl.UserEvent(queue.context)
    given.add_event(starts)
    result = lanesort.sort(given)
    lanesort.sort_(result, descending=True)
    assert len(result.events) > 0
    done = pyopencl.command_execution_status.COMPLETE
    assert result.events[-1].command_execution_status != done
    starts.set_status(done)
    assert same(result.get(), sorted_of(x, descending=True))


def test_recorded(opencl_queue):
    x = cl_array.to_device(opencl_queue, keys_of("f4", 5000))
    recorded = lanesort.Sorter(opencl_queue).record("sort", x, out=x)
    for seed in range(3):
        keys = keys_of("f4", 5000, seed)
        x.set(keys)
        recorded()
        assert same(x.get(), sorted_of(keys))


def test_mistakes_are_told(opencl_queue, failing):
    x = cl_array.to_device(opencl_queue, np.zeros((4, 6), "f4"))
    failing("unsupported", "last axis", lanesort.sort, x, axis=0)
    failing("unsupported", "contiguous", lanesort.sort, x[:, ::2])
    room = cl_array.to_device(opencl_queue, np.full(12, 7, "f4"))
    failing("unsupported", "contiguous", lanesort.sort, x[0], out=room[::2])
    failing("unsupported", "contiguous", lanesort.sort_by_key, x[0], x[1], out=(room[:6], room[::2]))
    assert (room.get() == 7).all()
    failing("invalid_argument", "has no queue", lanesort.sort, x.with_queue(None))
    failing("invalid_argument", "no type of its own", lanesort.sort, x.base_data)
    failing("wrong_context", "lies in OpenCL's memory", lanesort.Sorter("built-in").sort, x)
    failing("invalid_argument", "array of numpy", lanesort.sort_by_key, x, np.zeros((4, 6)))
    other = pyopencl.CommandQueue(pyopencl.Context([opencl_queue.device]))
    failing("wrong_context", "", lanesort.Sorter(other).sort, x)
    assert (lanesort.sort(x).get() == 0).all()
    for kind in ("f4", "u1", "f8"):
        failing("invalid_argument", "the offsets of segments are of type", lanesort.sort, x[0],
                segments=cl_array.to_device(opencl_queue, np.zeros(3, kind)))  # fmt: skip


def test_what_stands_beside_a_sort(opencl_queue, failing):
    def to(array):
        return cl_array.to_device(opencl_queue, np.ascontiguousarray(array))

    x, needles = keys_of("i4", 3001), keys_of("i4", 700, 2)
    sums = lanesort.cumulative_sum(to(x))
    assert isinstance(sums, cl_array.Array) and same(sums.get(), np.cumsum(x, dtype="i8"))
    rows = to(x[:3000].astype("i8").reshape(30, 100))
    assert lanesort.cumulative_sum(rows, axis=1, out=rows) is rows
    assert same(rows.get(), np.cumsum(x[:3000].reshape(30, 100), axis=1, dtype="i8"))
    keys, bounds = sorted_of(x), sorted_of(x[:9])
    left, right = (np.searchsorted(keys, needles, side) for side in ("left", "right"))
    assert same(lanesort.searchsorted(to(keys), to(needles)).get(), left)
    assert same(lanesort.equal_range(to(keys), to(needles)).get(), np.stack((left, right), -1))
    places = np.searchsorted(bounds, x, side="right") - 1
    counts = np.bincount(places[(places >= 0) & (places < 8)], minlength=8)
    assert same(lanesort.histogram(to(x), to(bounds)).get(), counts)
    small = x.astype("u1")
    assert same(lanesort.histogram(to(small), 256, range=(0, 255)).get(), np.bincount(small, minlength=256))
    flags, order = keys_of("bool", 3001).astype("u1"), np.random.default_rng(1).permutation(3001)
    assert same(lanesort.select(to(x), to(flags)).get(), x[flags > 0])
    parted = lanesort.partition(to(x), to(flags), values=to(order))
    assert parted.count.get() == flags.sum() and parted.count.shape == ()
    assert same(parted.values.get(), np.concatenate((order[flags > 0], order[flags == 0])))
    assert same(lanesort.gather(to(x), to(order)).get(), x[order])
    out = to(np.zeros(3001, "i4"))
    assert lanesort.scatter(to(x), to(order), out=out) is out
    assert same(lanesort.permute_(out, to(order)).get(), x)
    part = to(keys)[1000:2000]
    assert same(lanesort.searchsorted(part, to(needles)).get(), np.searchsorted(keys[1000:2000], needles))
    assert lanesort.histogram(to(x[:0]), to(bounds)).get().tolist() == [0] * 8
    assert lanesort.partition(to(x[:0]), to(flags[:0])).count.get() == 0
    failing("invalid_argument", "array of numpy", lanesort.searchsorted, to(keys), needles)


def test_operators_and_segments(opencl_queue, failing):
    def to(array):
        return cl_array.to_device(opencl_queue, array)

    x, offsets = keys_of("u8", 3001) | np.uint64(1), np.array([2, 2, 700, 3000])
    product = lanesort.BinaryOperator("a * b", "1")
    so_far = np.multiply.accumulate(x)
    result = lanesort.inclusive_scan(to(x), product)
    assert isinstance(result, cl_array.Array) and result.queue == opencl_queue and same(result.get(), so_far)
    whole = lanesort.reduce(to(x), product)
    assert isinstance(whole, cl_array.Array) and same(whole.get(), so_far[-1:].reshape(()))
    assert same(lanesort.reduce(to(x[:0]), product).get(), np.array(1, "u8"))
    assert same(lanesort.reduce(to(x[:3000].reshape(30, 100)), product, axis=1).get(),
                np.multiply.reduce(x[:3000].reshape(30, 100), axis=1))  # fmt: skip
    for segments in (offsets, to(offsets), to(offsets.astype("u4"))):
        products = lanesort.reduce(to(x), product, segments=segments).get()
        assert same(products, np.array([1, np.multiply.reduce(x[2:700]), np.multiply.reduce(x[700:3000])], "u8"))
        sums = lanesort.sum(to(x), segments=segments).get()
        assert same(sums, np.array([0, x[2:700].sum(dtype="u8"), x[700:3000].sum(dtype="u8")], "u8"))
        expected = np.concatenate([np.zeros(2, "u8"), *[np.cumsum(x[a:b], dtype="u8") for a, b in ((2, 700), (700, 3000))],
                                   np.zeros(1, "u8")])  # fmt: skip
        assert same(lanesort.cumulative_sum(to(x), segments=segments).get(), expected)
        out = to(x)
        assert lanesort.exclusive_scan(out, product, segments=segments, out=out) is out
        expected = np.concatenate([x[:2], *[np.append(np.uint64(1), np.multiply.accumulate(x[a : b - 1]))
                                            for a, b in ((2, 700), (700, 3000))], x[3000:]])  # fmt: skip
        assert same(out.get(), expected)
    keys = np.repeat([1, 2], [700, 2301]).astype("i4")
    expected = np.concatenate((np.multiply.accumulate(x[:700]), np.multiply.accumulate(x[700:])))
    assert same(lanesort.inclusive_scan_by_key(to(keys), to(x), product).get(), expected)
    pairs = product._replace(combine="a ^ b", identity="0", transform="a - 2 * b")
    y = keys_of("u8", 3001, 2)
    assert same(lanesort.transform_reduce(to(x), to(y), pairs).get(), np.array(np.bitwise_xor.reduce(x - 2 * y)))
    records = x[:500].view(np.dtype([("low", "u4"), ("high", "u4")]))
    later = lanesort.BinaryOperator(
        "b.low != 0 ? b : a", "none()",
        declarations="inline lanesort_python_record none(void) { lanesort_python_record x; x.low = x.high = 0; return x; }",
    )  # fmt: skip
    assert lanesort.reduce(to(records), later).get() == records[-1]
    assert same(lanesort.inclusive_scan(to(records), later, segments=[0, 400]).get()[:400], records[:400])
    assert not lanesort.inclusive_scan(to(records), later, segments=[0, 400]).get()[400:].view("u4").any()
    assert same(lanesort.min(to(x[:0]), segments=[0, 0]).get(), np.full(1, 2**64 - 1, "u8"))
    assert same(lanesort.reduce(to(x[:0]), product, segments=[0, 0]).get(), np.ones(1, "u8"))
    failing("invalid_argument", "lie elsewhere", lanesort.sum, x, segments=to(offsets))
    failing("invalid_argument", "this one has 2", lanesort.sum, to(x[:3000].reshape(30, 100)), segments=offsets)
    recorded = lanesort.Sorter(opencl_queue).record("reduce", out := to(x), product, out=(one := to(np.zeros((), "u8"))))
    for numbers in (x, y):
        out.set(numbers)
        recorded()
        assert one.get() == np.multiply.reduce(numbers)
