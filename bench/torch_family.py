#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
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
    shapes = [(1, 1 << exponent, ks) for exponent in (16, 20, 27) for ks in [(1, 16, 64, 256)]]
    shapes += [
        (1, 1 << 24, (1000, 10000, 100000)),
        (65536, 1024, (8, 64, 512)),
        (1024, 32768, (1024, 2048, 4096)),
        (64, 262144, (64, 2048)),
        (4096, 200000, (128, 1024, 2048, 4096)),
    ]
    for rows, length, ks in shapes:
        keys = torch.rand(rows, length, device="cuda")
        for k in ks:
            print(f"torch.topk top-{k} of {rows} x {length}: {median_ms(lambda: torch.topk(keys, k)):.4f} ms")
    for exponent in range(5, 17):
        keys = torch.randint(-(2**31), 2**31 - 1, (1 << (26 - exponent), 1 << exponent), device="cuda", dtype=torch.int32)
        print(f"torch.sort rows of {1 << exponent}: {median_ms(lambda: torch.sort(keys, dim=1)):.4f} ms")


if __name__ == "__main__":
    main()
