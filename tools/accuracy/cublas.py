#!/usr/bin/env python3
"""How far the products by which teg stands for cuBLAS are from published times
of cuBLAS (docs/exec.md).

    cublas.py [--teg build/release/teg] [--library FOLDER] [ROW ...]

A program that calls cublasGemmEx once is compiled by cc and linked with the
libraries in FOLDER (default /usr/local/cuda/lib64), runs under `teg exec` and is
replayed by `teg run`; nothing is in caches before.  Products that take long are run with two
smaller k, from which the time is extended linearly.  ROW: those whose number
is named, from 1.  Prints a row of Markdown as each is done.
"""
import sys
import tempfile

import standin

HOST = """
int cublasCreate_v2(void **);
int cudaMalloc(void **, unsigned long);
int cudaDeviceSynchronize(void);
int cublasGemmEx(void *, int, int, int, int, int, const void *, const void *,
                 int, int, const void *, int, int, const void *, void *, int,
                 int, int, int);
#include <stdlib.h>
int main(int argc, char **argv)
{
    int type = atoi(argv[1]), ta = argv[2][0] == 't', tb = argv[2][1] == 't';
    int m = atoi(argv[3]), n = atoi(argv[4]), k = atoi(argv[5]);
    unsigned long bytes = type == 0 ? 4 : 2;
    float one = 1, zero = 0;
    void *b, *x, *y, *z;

    (void)argc;
    return cublasCreate_v2(&b) || cudaMalloc(&x, bytes * m * k) ||
           cudaMalloc(&y, bytes * k * n) || cudaMalloc(&z, bytes * m * n) ||
           cublasGemmEx(b, ta, tb, m, n, k, &one, x, type, ta ? k : m, y, type,
                        tb ? n : k, &zero, z, type, m, 68, -1) ||
           cudaDeviceSynchronize();
}
"""

TYPES = {"float": 0, "half": 2, "bfloat16": 14}
TRITON = "triton-lang/triton, issue 2339"
FAST = "pranjalssh/fast.cu"
LEARN = "gau-nernst/learn-cuda (cuBLAS 13.0)"
# GPU, type, operations, m, n, k, the two k that are run, TFLOP/s, by whom.
ROWS = [
    ("h100", "half", "tn", 512, 2048, 512, None, 102.6, TRITON),
    ("h100", "half", "tn", 1024, 2048, 1024, None, 243.1, TRITON),
    ("h100", "half", "tn", 2048, 2048, 2048, None, 515.2, TRITON),
    ("h100", "half", "tn", 4096, 2048, 4096, (512, 1024), 613.7, TRITON),
    ("h100", "half", "tn", 8192, 2048, 8192, (512, 1024), 721.6, TRITON),
    ("h100", "bfloat16", "tn", 6144, 6144, 6144, (512, 1024), 741.1, FAST),
    ("h100", "bfloat16", "tn", 8192, 8192, 8192, (256, 512), 797.8, FAST),
    ("a100_80", "bfloat16", "tn", 2048, 2048, 2048, None, 151.15, LEARN),
    ("a100_80", "bfloat16", "tn", 4096, 4096, 4096, (256, 512), 227.49, LEARN),
    ("rtxpro6000", "bfloat16", "tn", 2048, 2048, 2048, None, 199.36, LEARN),
    ("rtxpro6000", "bfloat16", "tn", 4096, 4096, 4096, (256, 512), 370.80,
     LEARN),
    ("a6000", "float", "nn", 4092, 4092, 4092, (64, 128), 23.2496,
     "siboehm/SGEMM_CUDA"),
]


def microseconds(a, program, row, k):
    gpu, type_, ops, m, n = row[:5]
    launches = standin.launches(a, gpu, program, (TYPES[type_], ops, m, n, k))
    return (sum(float(l["time_us"]) for l in launches),
            "` + `".join(l["kernel.name"] for l in launches))


def main():
    a = standin.arguments(__doc__)
    print("| GPU | product | by | published, us | here, us | error | of |")
    print("| --- | --- | --- | ---: | ---: | ---: | --- |")
    with tempfile.TemporaryDirectory() as work:
        program = standin.build(a, work, HOST, "cublas")
        for i, row in enumerate(ROWS, 1):
            if a.rows and i not in a.rows:
                continue
            gpu, type_, ops, m, n, k, short, rate, whose = row
            if short is None:
                us, name = microseconds(a, program, row, k)
            else:
                (less, name), (more, _) = (
                    microseconds(a, program, row, s) for s in short)
                us = more + (more - less) * (k - short[1]) / (short[1] -
                                                              short[0])
            measured = 2.0 * m * n * k / rate / 1e6
            print(f"| {gpu} | {m}x{n}x{k}, {type_}, {ops} | `{name}` | "
                  f"{measured:,.1f} | {us:,.1f} | {us / measured - 1:+.1%} | "
                  f"{whose} |".replace("%", " %"))
            sys.stdout.flush()


if __name__ == "__main__":
    main()
