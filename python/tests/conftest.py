# SPDX-License-Identifier: MIT
import os

os.environ.setdefault("LANESORT_TUNED", "0")
# jax makes two devices of a processor then, so that a test can tell where its arrays are.
os.environ.setdefault("XLA_FLAGS", "--xla_force_host_platform_device_count=2")

import numpy as np
import pytest

import lanesort



@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item):
    """Skips what needs a device that compiles kernels where there is none, unless LANESORT_REQUIRE_DEVICE says that there is."""
    try:
        return (yield)
    except lanesort.Error as error:
        if error.code != "no_device" or os.environ.get("LANESORT_REQUIRE_DEVICE") == "1":
            raise
        pytest.skip(str(error))


DTYPES = ["u1", "i1", "u2", "i2", "u4", "i4", "u8", "i8", "f2", "f4", "f8"]
SIZES = [0, 1, 2, 3, 17, 256, 1000, 4097, 20_001]


def keys_of(dtype, shape, seed=1):
    """Random keys, with both zeros, infinities and NaN of one sign among the reals, and many equal ones."""
    random = np.random.default_rng(seed)
    kind = np.dtype(dtype)
    if kind.kind == "b":
        return random.integers(0, 2, shape).astype(bool)
    if kind.kind in "iu":
        info = np.iinfo(kind)
        keys = random.integers(info.min, info.max, shape, kind, endpoint=True)
        return np.where(random.random(shape) < 0.3, keys % kind.type(7), keys).astype(kind)
    keys = random.standard_normal(shape).astype(kind)
    special = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1.0], kind)
    return np.where(random.random(shape) < 0.3, special[random.integers(0, special.size, shape)], keys).astype(kind)


def nans(dtype):
    """NaNs of both signs and of several payloads."""
    bits = {"f2": (0x7E00, 0xFE00, 0x7C01, 0xFFFF), "f4": (0x7FC00000, 0xFFC00000, 0x7F800001, 0xFFFFFFFF),
            "f8": (0x7FF8 << 48, 0xFFF8 << 48, (0x7FF0 << 48) + 1, 2**64 - 1)}[dtype]  # fmt: skip
    return np.array(bits, f"u{dtype[1]}").view(dtype)


def rank(keys, descending=False):
    """Integers in the order of the keys, of which the standard sorts make the reference: -0 before +0, NaN last."""
    kind = keys.dtype
    if kind.kind == "b":
        ranks = keys.astype(np.int64)
    elif kind.kind == "f":
        bits = keys.view(f"i{kind.itemsize}").astype(np.int64)
        ranks = np.where(bits < 0, np.iinfo(f"i{kind.itemsize}").min - bits - 1, bits)
        ranks = np.where(np.isnan(keys) & (bits < 0), np.iinfo(f"i{kind.itemsize}").max, ranks)
    elif kind.kind == "u":
        return ~keys if descending else keys
    else:
        ranks = keys.astype(np.int64)
    return ~ranks if descending else ranks


def order_of(keys, axis=-1, descending=False):
    """numpy's indices of a stable sort."""
    return np.argsort(rank(keys, descending), axis=axis, kind="stable")


def sorted_of(keys, axis=-1, descending=False):
    return np.take_along_axis(keys, order_of(keys, axis, descending), axis)


def same(a, b):
    """Equal in type, shape and every bit."""
    a, b = np.asarray(a), np.asarray(b)
    return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()


@pytest.fixture(scope="session")
def opencl_queue():
    pyopencl = pytest.importorskip("pyopencl")
    try:
        context = pyopencl.create_some_context(interactive=False)
    except (pyopencl.Error, RuntimeError):
        if os.environ.get("LANESORT_REQUIRE_DEVICE") == "1":
            raise
        pytest.skip("there is no OpenCL device")
    return pyopencl.CommandQueue(context)


@pytest.fixture
def failing():
    """A call that must fail: failing(code, "part of the sentence", function, ...)."""

    def check(code, part, function, *arguments, **options):
        with pytest.raises(lanesort.Error) as caught:
            function(*arguments, **options)
        if caught.value.code == "no_device":
            raise caught.value
        assert caught.value.code == code
        assert part in str(caught.value)

    return check
