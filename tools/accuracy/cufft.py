#!/usr/bin/env python3
"""How far the transforms by which teg stands for cuFFT are from published times
of cuFFT (docs/exec.md).

    cufft.py [--teg build/release/teg] [--library FOLDER] [ROW ...]

A program that makes a plan and runs it twice is compiled by cc and linked with the
libraries in FOLDER (default /usr/local/cuda/lib64), runs under `teg exec` and is
replayed by `teg run`, caches carried from launch to launch; the second run's launches
are added up, without gaps between them.  Of large batches a part is run, from which
the time is extended: these are far larger than L2.  ROW: those whose number is named,
from 1.  Prints a row of Markdown as each is done.
"""
import sys
import tempfile

import common
import standin

HOST = """
int cudaMalloc(void **, unsigned long);
int cudaDeviceSynchronize(void);
int cufftPlanMany(int *, int, int *, int *, int, int, int *, int, int, int, int);
int cufftExecC2C(int, void *, void *, int);
int cufftExecZ2Z(int, void *, void *, int);
int cufftExecR2C(int, void *, void *);
int cufftExecD2Z(int, void *, void *);
#include <stdlib.h>
int main(int argc, char **argv)
{
    int type = atoi(argv[1]), in_place = atoi(argv[2]), times = atoi(argv[3]);
    int batch = atoi(argv[4]), rank = argc - 5, n[3], plan, status;
    unsigned long bytes = type & 0x40 ? 16 : 8;
    void *x, *y;

    for (int i = 0; i < rank; i++)
        bytes *= n[i] = atoi(argv[5 + i]);
    bytes = bytes * batch + (1 << 20);
    if (cudaMalloc(&x, bytes) || (y = x, !in_place && cudaMalloc(&y, bytes)) ||
        cufftPlanMany(&plan, rank, n, 0, 1, 0, 0, 1, 0, type, batch))
        return 1;
    while (times-- > 0) {
        status = type == 0x29   ? cufftExecC2C(plan, x, y, -1)
                 : type == 0x69 ? cufftExecZ2Z(plan, x, y, -1)
                 : type == 0x2a ? cufftExecR2C(plan, x, y)
                                : cufftExecD2Z(plan, x, y);
        if (status || cudaDeviceSynchronize())
            return 1;
    }
    return 0;
}
"""

TYPES = {"C2C": 0x29, "Z2Z": 0x69, "R2C": 0x2a, "D2Z": 0x6a}
SUPER = "a document in a repository, cuFFT of CUDA 13.3"
XEON = "mm-nikhil/xeon-fft-bench, CUDA 11.5"
PIM = "oleitersdorf/FourierPIM, CUDA 11.7"
TILE = "tile-ai/TileOPs, pull 1892, CUDA 13.2"
FLAG = "FlagFFT, CUDA 13.2"
# GPU, type, n, batch, the batch that is run, in place, from cold caches, us, by whom
ROWS = [
    ("rtx4070tisuper", "C2C", (256,), 65536, 65536, 1, 0, 423.6, SUPER),
    ("rtx4070tisuper", "C2C", (1024,), 16384, 16384, 1, 0, 441.3, SUPER),
    ("rtx4070tisuper", "C2C", (4096,), 4096, 4096, 1, 0, 438.3, SUPER),
    ("rtx4070tisuper", "C2C", (8192,), 2048, 2048, 1, 0, 435.1, SUPER),
    ("rtx4070tisuper", "C2C", (16384,), 1024, 1024, 1, 0, 440.9, SUPER),
    ("rtx4070tisuper", "C2C", (65536,), 256, 256, 1, 0, 877.6, SUPER),
    ("rtx4070tisuper", "C2C", (262144,), 64, 64, 1, 0, 880.7, SUPER),
    ("rtx3080", "C2C", (256,), 16, 16, 0, 0, 2.766, XEON),
    ("rtx3080", "C2C", (1024,), 16, 16, 0, 0, 3.899, XEON),
    ("rtx3080", "C2C", (4096,), 16, 16, 0, 0, 5.037, XEON),
    ("rtx3080", "C2C", (8192,), 16, 16, 0, 0, 8.427, XEON),
    ("rtx3080", "C2C", (16384,), 16, 16, 0, 0, 15.944, XEON),
    ("rtx3080", "C2C", (16384,), 256, 256, 0, 0, 129.271, XEON),
    ("rtx3080", "C2C", (65536,), 1, 1, 0, 0, 7.525, XEON),
    ("rtx3080", "C2C", (65536,), 16, 16, 0, 0, 54.004, XEON),
    ("rtx3080", "C2C", (262144,), 1, 1, 0, 0, 15.644, XEON),
    ("rtx3080", "C2C", (262144,), 16, 16, 0, 0, 205.449, XEON),
    ("rtx3080", "C2C", (1048576,), 1, 1, 0, 0, 61.446, XEON),
    ("rtx3080", "C2C", (1048576,), 4, 4, 0, 0, 222.54, XEON),
    ("rtx3080", "C2C", (4194304,), 1, 1, 0, 0, 261.743, XEON),
    ("a100", "C2C", (1024,), 2500000, 25000, 1, 0, 29900, PIM),
    ("a100", "C2C", (4096,), 625000, 6250, 1, 0, 29500, PIM),
    ("a100", "C2C", (8192,), 312500, 3125, 1, 0, 29800, PIM),
    ("rtx3070", "C2C", (1024,), 500000, 10000, 1, 0, 20300, PIM),
    ("rtx3070", "C2C", (4096,), 125000, 2500, 1, 0, 20300, PIM),
    ("rtx3070", "C2C", (8192,), 62500, 1250, 1, 0, 20300, PIM),
    ("h200", "C2C", (4096,), 1, 1, 0, 1, 4.608, TILE),
    ("h200", "C2C", (4096,), 64, 64, 0, 1, 4.896, TILE),
    ("h200", "Z2Z", (4096,), 64, 64, 0, 1, 7.392, TILE),
    ("a100", "C2C", (46189, 48), 1, 1, 0, 0, 206.8, FLAG),
    ("a100", "C2C", (32, 46189), 1, 1, 0, 0, 146.5, FLAG),
    ("a100", "Z2Z", (46189, 48), 1, 1, 0, 0, 308.4, FLAG),
    ("a100", "R2C", (46189, 48), 1, 1, 0, 0, 124.9, FLAG),
]


def microseconds(a, program, row):
    """Of each launch of the last run."""
    gpu, type_, n, _, batch, in_place, cold = row[:7]
    times = 1 if cold else 2
    launches = standin.launches(
        a, gpu, program, (TYPES[type_], in_place, times, batch, *n),
        "--caches=carry")
    return [float(l["time_us"]) for l in launches[-(len(launches) // times):]]


def main():
    a = standin.arguments(__doc__)
    errors = []
    print("| GPU | transform | launches | published, us | here, us | error | of |")
    print("| --- | --- | ---: | ---: | ---: | ---: | --- |")
    with tempfile.TemporaryDirectory() as work:
        program = standin.build(a, work, HOST, "cufft")
        for i, row in enumerate(ROWS, 1):
            if a.rows and i not in a.rows:
                continue
            gpu, type_, n, batch, part, in_place, _, measured, whose = row
            launches = microseconds(a, program, row)
            us = sum(launches) * batch / part
            errors.append(us / measured - 1)
            print(f"| {gpu} | {'x'.join(map(str, n))}, batch {batch:,}, {type_}"
                  f"{', in place' if in_place else ''} | {len(launches)} | "
                  f"{measured:,.1f} | {us:,.1f} | {errors[-1]:+.1%} | "
                  f"{whose} |".replace("%", " %"))
            sys.stdout.flush()
    common.print_mean(errors, "transforms")


if __name__ == "__main__":
    main()
