# SPDX-License-Identifier: MIT
"""Prints times and memory of lanesort beside torch and cupy, on CUDA. Run by hand: python measure_cuda.py."""

import gc
import statistics
import time

import torch

import lanesort

try:
    import cupy
except ImportError:
    cupy = None


def milliseconds(call, reset=lambda: None, repeats=15):
    """The median, by events on the current stream."""
    times = []
    for _ in range(repeats):
        reset()
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        call()
        end.record()
        torch.cuda.synchronize()
        times.append(begin.elapsed_time(end))
    return statistics.median(times)


def extra_megabytes(call):
    """What torch allocates at its peak, and what lanesort takes besides."""
    gc.collect()
    torch.cuda.synchronize()
    torch.cuda.empty_cache()
    torch.cuda.reset_peak_memory_stats()
    before = torch.cuda.memory_allocated()
    call()
    torch.cuda.synchronize()
    return (torch.cuda.max_memory_allocated() - before) / 1e6


def own_megabytes(sorter, call):
    return extra_megabytes(call) + sorter.report["device_bytes"] / 1e6


def row(what, time_, memory):
    print(f"{what:<44}{time_:>10.3f} ms{memory:>12.1f} MB more", flush=True)


def measure_sorts(sorter):
    for dtype in (torch.float32, torch.int64):
        x = torch.randn(1 << 24, device="cuda") if dtype is torch.float32 else torch.randint(-(1 << 62), 1 << 62, (1 << 24,), device="cuda")
        y = x.clone()
        print(f"2^24 {dtype}, {x.nbytes / 1e6:.0f} MB")
        for name, call in {
            "sort_(y)": lambda: sorter.sort_(y),
            "sort_(y, data_independent=True)": lambda: sorter.sort_(y, data_independent=True),
        }.items():
            call()
            row("  lanesort " + name, milliseconds(call, lambda: y.copy_(x)), own_megabytes(sorter, call))
        try:
            call = lambda: sorter.sort_(y, schedule="distribution")
            call()
            row("  lanesort sort_(y, schedule='distribution')", milliseconds(call, lambda: y.copy_(x)), own_megabytes(sorter, call))
        except lanesort.Error as error:
            print("  distribution:", error)
        call = lambda: sorter.sort(x)
        row("  lanesort sort(x)", milliseconds(call), own_megabytes(sorter, call))
        call = lambda: sorter.argsort(x)
        call()
        row("  lanesort argsort(x)", milliseconds(call), own_megabytes(sorter, call))
        for kind in (torch.int64, torch.int32):
            out = torch.empty(x.shape, dtype=kind, device="cuda")
            sorter._widens = False
            call = lambda: sorter.argsort(x, out=out)
            call()
            row(f"  as one call, to {kind}", milliseconds(call), own_megabytes(sorter, call))
            del sorter._widens
        call = lambda: torch.sort(x)
        call()
        row("  torch.sort(x)", milliseconds(call), extra_megabytes(call))
        call = lambda: torch.sort(x, stable=True)
        row("  torch.sort(x, stable=True)", milliseconds(call), extra_megabytes(call))
        if cupy is not None:
            try:
                z, pool = cupy.asarray(x), cupy.get_default_memory_pool()
                stream = cupy.cuda.ExternalStream(torch.cuda.current_stream().cuda_stream)
                with stream:
                    for name, call in {"cupy.sort(x)": lambda: cupy.sort(z), "x.sort()": lambda: w.sort()}.items():
                        w = z.copy()
                        call()
                        stream.synchronize()
                        pool.free_all_blocks()
                        before = pool.total_bytes()
                        call()
                        stream.synchronize()
                        memory = (pool.total_bytes() - before) / 1e6
                        row("  cupy " + name, milliseconds(call, lambda: w.__setitem__(Ellipsis, z)), memory)
            except Exception as error:
                print("  cupy:", type(error).__name__, error)


def measure_top_k(sorter):
    x = torch.randn(4096, 200_000, device="cuda")
    print("64 of 4096 x 200,000 f32")
    call = lambda: sorter.top_k(x, 64)
    call()
    row("  lanesort top_k(x, 64)", milliseconds(call, repeats=7), own_megabytes(sorter, call))
    sorter._widens = False
    call()
    row("  as one call", milliseconds(call, repeats=7), own_megabytes(sorter, call))
    del sorter._widens
    call = lambda: torch.topk(x, 64)
    call()
    row("  torch.topk(x, 64)", milliseconds(call, repeats=7), extra_megabytes(call))


class Caught(lanesort.Sorter):
    """Keeps its last call, as data, with the arrays that it is of."""

    def _do(self, task):
        lib, call, arrays, compiles, _ = task
        self.caught = self._devices.core_for(lib, arrays[0], compiles), call, arrays
        return super()._do(task)


def microseconds(runs):
    """Of the host, the least of each. By turns, since its clock may be slower for seconds."""
    best = [1e9] * len(runs)
    for _ in range(25):
        for place, run in enumerate(runs):
            torch.cuda.synchronize()
            begin = time.perf_counter()
            for _ in range(100):
                run()
            best[place] = min(best[place], (time.perf_counter() - begin) / 100 * 1e6)
    return best


def measure_calls():
    small, values = torch.randn(1024, device="cuda"), torch.arange(1024, device="cuda")
    stream = torch.cuda.current_stream().cuda_stream
    sorter = lanesort.Sorter()
    calls = {
        "sort_(x)": lambda of: of.sort_(small),
        "sort(x)": lambda of: of.sort(small),
        "argsort(x)": lambda of: of.argsort(small),
        "top_k(x, 8)": lambda of: of.top_k(small, 8),
        "sort_by_key_(x, i64)": lambda of: of.sort_by_key_(small, values),
        "sort_by_key(x, i64)": lambda of: of.sort_by_key(small, values),
        "max(x)": lambda of: of.max(small),
    }
    runs, kept = {}, []
    for name, run in calls.items():
        caught = Caught()
        run(caught)
        core, call, _ = caught.caught
        kept.append(caught)
        runs[name] = lambda run=run: run(sorter)
        runs[name, "C++"] = lambda core=core, call=call: core.enqueue(call, stream)
    recorded = lanesort.Sorter().record("sort", small, out=small)
    others = {
        "a recorded sort": recorded,
        "x.clone(), a part of sort(x)": lambda: small.clone(),
        "x.new_empty(1024)": lambda: small.new_empty(1024),
        "torch.sort(x)": lambda: torch.sort(small),
        "torch.topk(x, 8)": lambda: torch.topk(small, 8),
    }
    for run in (runs | others).values():
        run()
    times = dict(zip(runs | others, microseconds(list((runs | others).values())), strict=True))
    print(f"{'a call on 1024 f32, us of the host':<44}{'all':>9}{'C++':>9}{'over it':>9}")
    for name in calls:
        all_, own = times[name], times[name, "C++"]
        print(f"  {name:<42}{all_:>9.2f}{own:>9.2f}{all_ - own:>9.2f}")
    for name in others:
        print(f"  {name:<42}{times[name]:>9.2f}", flush=True)


def measure_reductions(sorter):
    x = torch.randn(1 << 28, device="cuda")
    print("2^28 f32")
    for name in ("sum", "max", "argmax"):
        call = lambda: getattr(sorter, name)(x)
        call()
        row(f"  lanesort {name}(x)", milliseconds(call), own_megabytes(sorter, call))
        call = lambda: getattr(torch, name)(x)
        call()
        row(f"  torch.{name}(x)", milliseconds(call), extra_megabytes(call))


def main():
    print(torch.cuda.get_device_name(), "torch", torch.__version__)
    sorter = lanesort.Sorter()
    measure_calls()
    measure_top_k(sorter)
    measure_sorts(sorter)
    measure_reductions(sorter)


if __name__ == "__main__":
    main()
