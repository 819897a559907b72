# SPDX-License-Identifier: MIT
"""Sorters, devices, plans; threads and forks."""

import os
import pickle
import subprocess
import sys
import threading

import numpy as np
import pytest
from conftest import keys_of, same, sorted_of

import lanesort
from lanesort._operations import ONE_CALL


def test_devices():
    assert lanesort.devices()[-1].name.startswith("built-in")
    assert lanesort.find_device("built-in").host_unified_memory
    assert "built-in" in repr(lanesort.find_device("built-in"))
    assert isinstance(lanesort.discover().absences, list)


def test_errors_say_how_devices_are_named(failing):
    for device in lanesort.devices():
        failing("unknown_device", f"{device.name} ({device.platform})", lanesort.Sorter, "no such thing")
    failing("invalid_argument", 'given as text, "1"', lanesort.Sorter, 1)
    failing("invalid_argument", "type float is none", lanesort.Sorter, 1.5)


def test_a_sorter_on_each_device():
    x = keys_of("f4", 3000)
    for device in lanesort.devices():
        sorter = lanesort.Sorter(device)
        assert same(sorter.sort(x), sorted_of(x))
        assert sorter.report["launches"] > 0
        sorter.release()
        assert same(sorter.sort(x), sorted_of(x))


def test_arrays_that_exceed_the_device_go_in_parts(failing):
    device = lanesort.find_device("compiling")
    if device.backend == "CPU":
        pytest.skip("the built-in device takes no memory")
    x = keys_of("u4", 1 << 17)
    sorter = lanesort.Sorter(device, device_bytes=x.nbytes // 4)
    assert same(sorter.sort(x), sorted_of(x)) and sorter.report["device_bytes"] <= x.nbytes // 4
    failing("invalid_argument", "device_bytes=", lanesort.Sorter, device_bytes=1000)
    failing("invalid_argument", "device_bytes is -1", lanesort.Sorter, device, device_bytes=-1)


def test_prepare_record_and_plan(failing):
    sorter = lanesort.Sorter()
    x, order = keys_of("u4", 5000), np.empty(5000, "i8")
    sorter.prepare("sort_by_key", x, order)
    recorded = sorter.record("sort", x, out=x)
    by_index = sorter.record("argsort", x, out=order)
    elsewhere = np.empty_like(x)
    to_another_place = sorter.record("sort", x, out=elsewhere)
    for seed in range(3):
        x[...] = keys_of("u4", 5000, seed)
        expected = sorted_of(x)
        by_index()
        assert same(x[order], expected)
        to_another_place()
        assert same(elsewhere, expected)
        recorded()
        assert same(x, expected)
    failing("invalid_argument", "needs out=", sorter.record, "sort", x)
    for operation in ("is_sorted", "is_sorted_until"):
        failing("invalid_argument", "cannot be recorded", sorter.record, operation, x)
    failing("invalid_argument", "no operation 'run'", sorter.record, "run", x)
    many = np.empty(1 << 24, "f4")
    plan = lanesort.plan("sort", many, data_independent=True)
    assert plan.report["device_bytes"] == 0 and plan.commands[0].name == "copy" and plan.commands[-1].groups > 0
    assert len(lanesort.plan("top_k", many, 64).commands) > 0
    assert "launches" in lanesort.plan("argsort", many).report


KEYS, OTHERS = keys_of("f4", 1 << 15), keys_of("f4", 1 << 15, 2)
PLACES, RISING = np.arange(1 << 15), np.sort(np.random.default_rng(1).random(1 << 15, "f4"))
EVERY_CALL = {
    "sort": (KEYS,), "sort_": (KEYS,), "partial_sort": (KEYS, 10), "nth_element": (KEYS, 10), "argsort": (KEYS,),
    "sort_by_key": (KEYS, PLACES), "sort_by_key_": (KEYS, PLACES), "merge": (RISING, RISING), "merge_": (RISING, 100),
    "is_sorted": (RISING,), "is_sorted_until": (RISING,), "top_k": (KEYS, 10_000), "top_k_by_key": (KEYS, PLACES, 10_000),
    "sum": (KEYS,), "min": (KEYS,), "max": (KEYS,), "argmin": (KEYS,), "argmax": (KEYS,), "vecdot": (KEYS, OTHERS),
    "reduce": (KEYS, "max"), "transform_reduce": (KEYS, OTHERS, lanesort.BinaryOperator("a + b", "0", transform="a * b")),
    "cumulative_sum": (KEYS,), "inclusive_scan": (KEYS,), "exclusive_scan": (KEYS,),
    "inclusive_scan_by_key": (RISING, KEYS), "exclusive_scan_by_key": (RISING, KEYS), "searchsorted": (RISING, KEYS),
    "equal_range": (RISING, KEYS), "histogram": (KEYS, RISING[::1000]), "gather": (KEYS, PLACES),
    "scatter": (KEYS, PLACES), "permute_": (KEYS, PLACES),
}  # fmt: skip


@pytest.mark.parametrize("device", ["built-in", "compiling"])
def test_a_plan_tells_what_the_call_takes(device):
    assert set(EVERY_CALL) == set(ONE_CALL)
    sorter = lanesort.Sorter(lanesort.find_device(device))
    calls = [(name, arguments, {}) for name, arguments in EVERY_CALL.items()]
    calls += [
        ("sort_by_key", (KEYS, (PLACES, PLACES)), {}), ("top_k", (KEYS, 10), {}), ("argsort", (KEYS[:1],), {}),
        ("argsort", (KEYS,), {"segments": [0, 1000, 30_000]}), ("argsort", (KEYS.reshape(-1, 128),), {"axis": 0}),
        ("sort", (KEYS[:1],), {}),
    ]  # fmt: skip
    for name, arguments, options in calls:
        if name == "transform_reduce" and device == "built-in":
            continue  # it compiles nothing
        arguments = [array.copy() if isinstance(array, np.ndarray) else array for array in arguments]
        if name == "scatter":
            options = {"out": np.empty_like(KEYS)}
        planned = sorter.plan(name, *arguments, **options).report
        getattr(sorter, name)(*arguments, **options)
        did = sorter.report
        for figure in "launches", "device_bytes", "schedule":
            assert planned[figure] == did[figure], (name, options, figure)


@pytest.mark.parametrize("device", [None, "built-in", "compiling"])
def test_a_call_on_no_keys_reports_itself(device, failing):
    none = np.zeros(0, "f4")
    places = np.zeros(0, "i8")
    calls = {name: [none if array is KEYS or array is OTHERS or array is RISING else array for array in arguments]
             for name, arguments in EVERY_CALL.items() if name not in ("histogram", "min", "max", "argmin", "argmax")}  # fmt: skip
    calls |= {
        "sort_by_key": (none, places), "sort_by_key_": (none, places), "partial_sort": (none, 0), "top_k": (KEYS, 0),
        "nth_element": (none, 0), "merge_": (none, 0), "top_k_by_key": (none, places, 0), "reduce": (none, "sum"),
        "gather": (KEYS, places), "scatter": (none, places), "permute_": (none, places), "searchsorted": (RISING, none),
        "equal_range": (RISING, none), "unique": (none,), "run_lengths": (none,), "group_by": (none, none),
        "reduce_by_key": (none, none), "select": (none, none > 0), "partition": (none, none > 0),
    }  # fmt: skip
    del calls["transform_reduce"]  # of no elements its result is made by a launch
    for name, arguments in calls.items():
        sorter = lanesort.Sorter(None if device is None else lanesort.find_device(device))
        options = {"out": np.zeros(5, "f4")} if name == "scatter" else {}
        for _ in range(2):
            getattr(sorter, name)(*arguments, **options)
            report = sorter.report
            assert report.pop("schedule") == "automatic" and set(report.values()) == {0}, (name, report)
            sorter.sort(KEYS)
            assert sorter.report["launches"] > 0
        if name in ONE_CALL:
            failing("invalid_argument", "nothing to do", sorter.plan, name, *arguments, **options)
            assert sorter.report["launches"] > 0


def test_threads_share_a_sorter():
    sorter = lanesort.Sorter("built-in")
    arrays = [keys_of("f8", 20_000, seed) for seed in range(16)]
    results = [None] * len(arrays)

    def work(i):
        for _ in range(5):
            results[i] = sorter.sort(arrays[i]) if i % 2 else lanesort.sort(arrays[i])

    threads = [threading.Thread(target=work, args=(i,)) for i in range(len(arrays))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(same(result, sorted_of(x)) for result, x in zip(results, arrays, strict=True))


def test_other_threads_run_while_it_sorts():
    """Python's lock is released: another thread counts while one call sorts."""
    x = np.random.default_rng(1).random(1 << 23)
    counted, over = [0], threading.Event()

    def count():
        while not over.is_set():
            counted[0] += 1

    thread = threading.Thread(target=count)
    lanesort.sort(x[:1000])
    thread.start()
    y = x.copy()
    before = counted[0]
    lanesort.sort_(y, data_independent=True)
    during = counted[0] - before
    over.set()
    thread.join()
    assert during > 1000


def test_a_process_ends_quietly_while_a_daemon_thread_sorts():
    program = """
import threading
import numpy, lanesort
x = numpy.random.default_rng(1).random(1 << 24)
started = threading.Event()
def work():
    while True:
        started.set()
        lanesort.sort(x)
threading.Thread(target=work, daemon=True).start()
started.wait()
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=200)
    assert done.returncode == 0 and done.stderr == "", done.stderr


@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_a_forked_process_sorts_by_itself_and_not_with_its_parents_sorter():
    x = keys_of("f4", 50_000)
    own = lanesort.Sorter("built-in")
    own.sort(x), lanesort.sort(x)
    child = os.fork()
    if child == 0:
        try:
            is_right = same(lanesort.sort(x), sorted_of(x)) and same(lanesort.Sorter("built-in").sort(x), sorted_of(x))
            try:
                own.sort(x)
                is_right = False
            except lanesort.Error as refused:
                is_right &= refused.code == "unsupported" and "forked" in str(refused)
            os._exit(0 if is_right else 1)
        finally:
            os._exit(2)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert same(own.sort(x), sorted_of(x))


DRIVERS_IN_A_CHILD = """
import os, signal, sys
import numpy, lanesort
device = next(device for device in lanesort.devices() if device.backend != "CPU")
keys = numpy.array([3.0, 1.0, 2.0])
if "sorts" in sys.argv:  # before it forks
    own = lanesort.Sorter(device)
    out = numpy.empty_like(keys)
    recorded = own.record("sort", keys, out=out)
    recorded(), lanesort.sort(keys, comparator="a > b")
elif "finds" in sys.argv:
    lanesort.find_device()
child = os.fork()
if child == 0:
    signal.alarm(60)  # ends it where it waits for a driver
    def refused(function, *arguments, **options):
        try:
            function(*arguments, **options)
        except lanesort.Error as error:
            assert error.code == "unsupported" and '"spawn" or "forkserver"' in str(error), error
        else:
            raise AssertionError(function)
    for _ in range(2):
        refused(lanesort.sort, keys, comparator="a > b")
        refused(lanesort.select, keys, "a > 1")
        refused(lanesort.find_device, "compiling")
        refused(lanesort.find_device, device.name)
        refused(lanesort.Sorter, device)
        refused(lanesort._core.examine)
    assert lanesort.sort(keys).tolist() == [1, 2, 3]
    found = lanesort.discover()
    assert found.platforms == ["built-in"] and "spawn" in found.absences[0]
    assert [device.backend for device in found.devices] == ["CPU"]
    for selector in "", "default", "0", "Built-In", found.devices[0].name:
        assert lanesort.find_device(selector).backend == "CPU"
    assert lanesort.Sorter(found.devices[0]).sort(keys).tolist() == [1, 2, 3]
    grandchild = os.fork()
    if grandchild == 0:
        refused(lanesort.find_device, "compiling")
        os._exit(0)
    assert os.waitpid(grandchild, 0)[1] == 0
    # What the parent made goes without a call of a driver.
    device = own = recorded = None
    sys.exit()
assert os.waitpid(child, 0)[1] == 0
assert lanesort.sort(keys, comparator="a > b").tolist() == [3, 2, 1]
"""


@pytest.mark.parametrize("used", ["looks", "finds", "sorts"])
def test_a_forked_process_has_no_drivers_if_its_parent_used_them(used):
    """The child waits forever, otherwise."""
    if all(device.backend == "CPU" for device in lanesort.devices()):
        pytest.skip("no driver has a device")
    done = subprocess.run([sys.executable, "-c", DRIVERS_IN_A_CHILD, used], capture_output=True, text=True, timeout=200)
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_forked_process_has_drivers_if_its_parent_used_none():
    compiling = [device for device in lanesort.devices() if device.compiles]
    if not compiling:
        pytest.skip("no device compiles")
    program = """
import os, signal
import numpy, lanesort
lanesort.sort(numpy.zeros(3)), lanesort.find_device("built-in")
child = os.fork()
if child == 0:
    signal.alarm(60)
    assert lanesort.sort(numpy.array([3, 1, 2]), comparator="a > b").tolist() == [3, 2, 1]
    os._exit(0)
assert os.waitpid(child, 0)[1] == 0
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=200)
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_forked_process_misses_no_drivers_where_there_are_none(tmp_path):
    if any(device.backend == "CUDA" for device in lanesort.devices()):
        pytest.skip("CUDA's driver cannot be hidden")
    program = """
import os
import lanesort
name = lanesort.discover().devices[-1].name
child = os.fork()
if child == 0:
    found = lanesort.discover()
    assert not any("forked" in absence for absence in found.absences), found.absences
    assert lanesort.find_device().backend == lanesort.find_device(name).backend == "CPU"
    os._exit(0)
assert os.waitpid(child, 0)[1] == 0
"""
    hidden = {**os.environ, "OCL_ICD_VENDORS": str(tmp_path), "OPENCL_VENDOR_PATH": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", program], env=hidden, capture_output=True, text=True, timeout=200)
    assert done.returncode == 0, done.stdout + done.stderr


def test_an_error_leaves_the_sorter_usable(failing):
    sorter = lanesort.Sorter(lanesort.find_device("compiling"))
    x = np.arange(5)
    for _ in range(3):
        failing("build_failed", "", sorter.sort, x, comparator="nonsense")
    assert sorter.sort(x, comparator="a > b").tolist() == [4, 3, 2, 1, 0]
    with pytest.raises(lanesort.Error) as caught:
        sorter.sort(x, comparator="nonsense")
    assert "nonsense" in caught.value.build_log
    # The sentence quotes its first line of an error.
    assert "nonsense" in str(caught.value) and "\n" not in str(caught.value)


def test_functions_and_sorters_are_pickled(failing):
    """As a pool of processes and Dask's workers need."""
    x = keys_of("f4", 100)
    assert same(pickle.loads(pickle.dumps(lanesort.sort))(x), sorted_of(x))
    assert pickle.loads(pickle.dumps(lanesort.sort)).__self__ is lanesort.sort.__self__
    assert same(pickle.loads(pickle.dumps(lanesort.Sorter())).sort(x), sorted_of(x))
    failing("unsupported", "stays in its process", pickle.dumps, lanesort.Sorter("built-in"))
