# SPDX-License-Identifier: MIT
"""Arrays that share memory: a result is of what the arrays held before the call, or the call is refused and changes nothing."""

import itertools

import numpy as np
import pytest
from conftest import keys_of, order_of

import lanesort
from lanesort._arrays import taken

TYPES = ("u1", "u2", "i4", "u4", "i8", "u8")


class Room:
    """One buffer, and arrays at any places in it."""

    def __init__(self, random):
        self.random = random
        self.bytes = random.integers(0, (4, 256)[random.integers(2)], int(random.choice((400, 900, 2000, 6000)))).astype("u1")
        self.order = random.choice(("<", "<", "<", ">"))

    def array(self, dtype, count):
        dtype = np.dtype(dtype).newbyteorder(self.order)
        step = int(self.random.choice((1, 1, 1, 2, 3, -1, -2))) * dtype.itemsize
        reach = (count - 1) * abs(step) + dtype.itemsize if count > 0 else 0
        if reach > self.bytes.size:
            step, reach = dtype.itemsize, count * dtype.itemsize
        begin = int(self.random.integers(0, self.bytes.size - reach + 1))
        if self.random.random() < 0.9:
            begin -= begin % dtype.itemsize
        first = begin if step > 0 else begin + reach - dtype.itemsize
        return np.ndarray((count,), dtype, self.bytes, first if count > 0 else 0, (step,))


def plain(x):
    """A copy, in the machine's byte order."""
    return np.array(x, x.dtype.newbyteorder("="))


def sort(room, count):
    kind = room.random.choice(TYPES)
    x, out = room.array(kind, count), room.array(kind, count)
    calls = lanesort.sort, lambda x, out: lanesort.partial_sort(x, count, out=out)
    return [x], [out], [np.sort(plain(x))], lambda: calls[room.random.integers(2)](x, out=out)


def sort_by_key(room, count):
    kinds = room.random.choice(TYPES, 2)
    (x, v), outs = ((room.array(kind, count) for kind in kinds) for _ in range(2))
    outs = [given if room.random.random() < 0.2 else out for given, out in zip((x, v), outs, strict=True)]
    order = order_of(plain(x))
    return [x, v], outs, [x[order], v[order]], lambda: lanesort.sort_by_key(x, v, out=outs)


def several(room, count):
    kinds = [room.random.choice(TYPES)] * 3
    (x, v, w), outs = ([room.array(kind, count) for kind in kinds] for _ in range(2))
    if room.random.random() < 0.3:
        outs = [w, v, x]
    order = order_of(plain(x))
    expected = [x[order], v[order], w[order]]
    return [x, v, w], outs, expected, lambda: lanesort.sort_by_key(x, (v, w), out=(outs[0], outs[1:]))


def top_k(room, count):
    kind, k = room.random.choice(TYPES), int(room.random.integers(count + 1))
    x, outs = room.array(kind, count), [room.array(kind, k), room.array(room.random.choice(("u4", "i8")), k)]
    order = order_of(plain(x), descending=True)[:k]
    return [x], outs, [x[order], order], lambda: lanesort.top_k(x, k, out=outs)


def top_k_by_key(room, count):
    kinds, k = room.random.choice(TYPES, 2), int(room.random.integers(count + 1))
    x, v = (room.array(kind, count) for kind in kinds)
    outs = [room.array(kind, k) for kind in kinds]
    order = order_of(plain(x), descending=True)[:k]
    return [x, v], outs, [x[order], v[order]], lambda: lanesort.top_k_by_key(x, v, k, out=outs)


def merge(room, count):
    kinds, middle = room.random.choice(TYPES, 2), int(room.random.integers(count + 1))
    sizes = middle, count - middle
    a, b, v, w = (room.array(kind, size) for kind in kinds for size in sizes)
    for keys in (a, b):
        keys[...] = np.sort(plain(keys))
    if not (lanesort.is_sorted(a) and lanesort.is_sorted(b)):  # they overlap
        return None
    outs = [room.array(kind, count) for kind in kinds]
    order = order_of(np.concatenate([plain(a), plain(b)]))
    expected = [np.concatenate([plain(x), plain(y)])[order] for x, y in ((a, b), (v, w))]
    return [a, b, v, w], outs, expected, lambda: lanesort.merge(a, b, values=(v, w), out=outs)


@pytest.mark.parametrize("operation", [sort, sort_by_key, several, top_k, top_k_by_key, merge])
def test_any_places_in_one_buffer(operation):
    done = refused = 0
    for seed in range(600):
        room = Room(np.random.default_rng(seed))
        case = operation(room, int(room.random.choice((0, 1, 2, 3, 8, 17, 40))))
        if case is None:
            continue
        sources, outs, expected, call = case
        before = room.bytes.copy()
        among = any(np.shares_memory(x, y) for x, y in itertools.combinations(outs, 2))
        try:
            call()
        except lanesort.Error as error:
            assert "overlap in memory" in str(error), seed
            # Sorts read a copy of what overlaps out=.
            with_sources = any(np.shares_memory(x, y) for x in sources for y in outs)
            assert among or with_sources and operation not in (sort, sort_by_key, several), seed
            assert (room.bytes == before).all(), seed
            refused += 1
            continue
        assert not among, seed
        for out, right in zip(outs, expected, strict=True):
            assert (out == right).all(), seed
        done += 1
    print(operation.__name__, done, "done", refused, "refused")
    assert done > 50 and (refused > 20 or operation is sort)


def test_outs_between_each_other():
    room, x = np.zeros((50, 2), "i4"), keys_of("i4", 50)
    order = order_of(x)
    lanesort.sort_by_key(x, x, out=(room[:, 0], room[:, 1]))
    assert (room[:, 0] == x[order]).all() and (room[:, 1] == x[order]).all()
    lanesort.top_k(x, 50, out=(room[::-1, 1], room[:, 0]))
    assert (room[::-1, 1] == x[order][::-1]).all() and (room[:, 0] == order_of(x, descending=True)).all()


def test_in_place_side_by_side(failing):
    room = np.array([3, 1, 0, 4, 1, 5])
    before = room.copy()
    failing("invalid_argument", "overlap", lanesort.merge_, room[:4:2], 1, values=room[2::2])
    failing("invalid_argument", "overlap", lanesort.sort_by_key_, room[:4:2], room[2::2])
    assert (room == before).all()
    lanesort.merge_(room[::2], 1, values=room[1::2])
    assert room.tolist() == [0, 4, 1, 5, 3, 1]


def test_a_refused_call_leaves_its_out_as_it_was(failing):
    out = np.full(5, 7)
    for x, options in (
        (np.arange(10)[::2], {"segments": [0, 6]}), (np.arange(10)[::2], {"schedule": "none"}),
        (np.arange(10)[::-2], {"extra_bytes": -1}),
    ):  # fmt: skip
        for function in (lanesort.sort, lambda x, out, **options: lanesort.sort_by_key(x, x, out=(out, None), **options)):
            with pytest.raises(lanesort.Error):
                function(x, out=out, **options)
            assert (out == 7).all()


def test_what_is_known_of_memory_that_cannot_be_read():
    """As on a graphics card: from addresses, shapes and strides alone."""

    class OnCard:
        def __init__(self, x):
            self.__cuda_array_interface__ = {
                "shape": x.shape, "typestr": x.dtype.str, "data": (x.ctypes.data, False), "version": 3,
                "strides": None if x.flags.c_contiguous else x.strides,
            }  # fmt: skip

    random, found = np.random.default_rng(5), [0, 0]
    for _ in range(500):
        room = Room(random)
        x, y = (room.array(random.choice(TYPES), random.integers(40)) for _ in range(2))
        (lib, seen), (_, other) = taken(OnCard(x)), taken(OnCard(y))
        shared = np.shares_memory(x, y)
        found[shared] += 1
        assert lib.share_memory(seen, other) == shared
    assert min(found) > 50
    x = np.arange(9)
    assert not any(lib.share_memory(taken(OnCard(x))[1], taken(OnCard(x[i:i]))[1]) for i in range(9))


def test_elements_in_one_place(failing):
    as_strided = np.lib.stride_tricks.as_strided
    keys, one, rows = np.array([3, 1, 2]), np.array([7]), np.arange(9)
    broadcast = as_strided(one, (3,), (0,))
    for function, *arguments in (
        (lanesort.sort_, broadcast), (lanesort.sort_, as_strided(rows, (3, 2), (8, 8))),
        (lanesort.sort_by_key_, keys, broadcast), (lanesort.merge_, keys, 1),
    ):  # fmt: skip
        options = {"values": broadcast} if function is lanesort.merge_ else {}
        failing("not_writable", "in one place", function, *arguments, **options)
    failing("not_writable", "in one place", lanesort.sort, keys, out=broadcast)
    assert keys.tolist() == [3, 1, 2] and one == 7 and (rows == np.arange(9)).all()
    # Whatever lies between them.
    lanesort.sort_(rows[::-2])
    assert rows.tolist() == [8, 1, 6, 3, 4, 5, 2, 7, 0]


def test_how_several_arrays_are_sorted(failing):
    keys = keys_of("u4", 1 << 20)
    values = np.arange(keys.size)
    sorter = lanesort.Sorter("built-in")
    for data_independent in (False, True):
        sorter.sort_by_key(keys, (values, values), data_independent=data_independent)
        assert not data_independent or sorter.report["schedule"] != "distribution"
    sorter.sort_by_key(keys, (values, values), schedule="network")
    assert sorter.report["schedule"] == "network"
    for empty in (keys, keys[:0]):
        failing("invalid_argument", "no schedule", lanesort.sort, empty, schedule="none")
        failing("invalid_argument", "no schedule", lanesort.argsort, empty, schedule="none")
        beside = np.zeros((empty.size, 3), "u1").view("V3").reshape(-1)
        failing("invalid_argument", "no schedule", lanesort.sort_by_key, empty, (beside, beside), schedule="none")
    assert lanesort.sort_by_key([], []).values.size == 0
    assert lanesort.sort_by_key([], ()).values == ()
