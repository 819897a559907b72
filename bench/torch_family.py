#!/usr/bin/env python3
"""Medians of device time of torch.topk and torch.sort, for comparison with lanesort_family_bench."""
import statistics

import torch


def median_ms(call, repetitions=9):
    times = []
    for repetition in range(repetitions + 1):
        start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        start.record()
        call()
        end.record()
        end.synchronize()
        if repetition > 0:
            times.append(start.elapsed_time(end))
    return statistics.median(times)


def main():
    print(torch.__version__, torch.cuda.get_device_name())
    for exponent in (16, 20, 24, 27):
        keys = torch.rand(1 << exponent, device="cuda")
        for k in (1, 16, 64, 256):
            print(f"torch.topk top-{k} of {1 << exponent}: {median_ms(lambda: torch.topk(keys, k)):.4f} ms")
    for length in (1024, 65536):
        keys = torch.rand((1 << 26) // length, length, device="cuda")
        print(f"torch.topk top-64 of {(1 << 26) // length} x {length}: {median_ms(lambda: torch.topk(keys, 64)):.4f} ms")
    for exponent in range(5, 17):
        keys = torch.randint(-(2**31), 2**31 - 1, (1 << (26 - exponent), 1 << exponent), device="cuda", dtype=torch.int32)
        print(f"torch.sort rows of {1 << exponent}: {median_ms(lambda: torch.sort(keys, dim=1)):.4f} ms")


if __name__ == "__main__":
    main()
