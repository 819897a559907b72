# SPDX-License-Identifier: MIT
"""python -m lanesort doctor: what is wrong with this machine's OpenCL and CUDA, and what to do about it."""

from __future__ import annotations

import argparse
import json
import signal
import sys

import lanesort

from . import _core


def doctor(as_json: bool) -> int:
    """Prints what is found. Returns 0 if a device sorts right, else 1."""
    findings, devices, sorting = _core.examine()
    if as_json:
        keys = ("verdict", "about", "found", "advice")
        found = [dict(zip(keys, finding, strict=True)) for finding in findings]
        print(json.dumps({"devices": devices, "devices_that_sort": sorting, "findings": found}, indent=2))
    else:
        for verdict, about, what, advice in findings:
            print(f"{verdict:<9}{about:<17}{what}")
            if advice:
                print(f"{'':<26}-> {advice}")
        print(f"\nDevices that sort right: {sorting} of {devices}")
    return 0 if sorting else 1


def devices() -> int:
    """Prints the devices, and why there are not more."""
    for number, device in enumerate(lanesort.devices()):
        print(f"{number}  {device.backend:<8}{device.name} ({device.platform})")
    for absence in lanesort.discover().absences:
        print(f"   {absence}")
    return 0


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m lanesort", description=f"lanesort {lanesort.__version__}")
    parser.add_argument("--version", action="version", version=f"lanesort {lanesort.__version__}")
    commands = parser.add_subparsers(dest="command", required=True)
    examine = commands.add_parser("doctor", help="find what is wrong with OpenCL and CUDA here, and tell what to do")
    examine.add_argument("--format", choices=("table", "json"), default="table")
    commands.add_parser("devices", help="list what sorts")
    arguments = parser.parse_args()
    return doctor(arguments.format == "json") if arguments.command == "doctor" else devices()


if __name__ == "__main__":
    # As other commands end whose output nobody reads any more.
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    sys.exit(main())
