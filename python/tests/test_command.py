# SPDX-License-Identifier: MIT
"""python -m lanesort."""

import json
import subprocess
import sys

import lanesort


def ran(*arguments):
    return subprocess.run([sys.executable, "-m", "lanesort", *arguments], capture_output=True, text=True)


def test_the_doctor_finds_a_device_that_sorts():
    told = ran("doctor")
    assert told.returncode == 0 and "Devices that sort right: " in told.stdout and "built-in" in told.stdout
    found = json.loads(ran("doctor", "--format", "json").stdout)
    assert found["devices_that_sort"] >= 1
    assert {"verdict", "about", "found", "advice"} == set(found["findings"][0])


def test_devices_are_listed():
    told = ran("devices").stdout
    assert all(f"{device.name} ({device.platform})" in told for device in lanesort.devices())


def test_nobody_need_read_to_the_end():
    command = subprocess.Popen(
        [sys.executable, "-m", "lanesort", "devices"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    command.stdout.close()
    assert command.stderr.read() == "" and command.wait() != 0
    command.stderr.close()


def test_a_mistake_is_told():
    assert ran().returncode == 2


def test_the_version_is_told():
    assert ran("--version").stdout == f"lanesort {lanesort.__version__}\n"


def test_importing_needs_no_driver_and_no_other_library():
    """Nothing but numpy is imported, and no driver is loaded."""
    program = (
        "import sys, numpy; before = set(sys.modules); import lanesort; "
        "assert not {m.partition('.')[0] for m in set(sys.modules) - before} & "
        "{'torch', 'cupy', 'jax', 'pyopencl', 'dask'}; "
        "lanesort.sort_(numpy.zeros(5)); maps = open('/proc/self/maps').read(); "
        "assert 'libOpenCL' not in maps and 'libcuda' not in maps and 'libpocl' not in maps"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
