#!/usr/bin/env python3
"""How far the convolutions by which teg stands for cuDNN are from published times
of cuDNN (docs/exec.md).

    cudnn.py [--teg build/release/teg] [--library FOLDER] [ROW ...]

A program that makes a convolution's descriptors and runs it twice is compiled by cc
and linked with the libraries in FOLDER (default /usr/local/cuda/lib64), runs under
`teg exec` and is replayed by `teg run`, caches carried from launch to launch; the
second run's launches are added up, without gaps between them.  Where the caches were
flushed before, there is one run, and the clock is what its card was held at.  ROW: those
whose number is named, from 1.  Prints a row of Markdown as each is done.
"""
import sys
import tempfile

import common
import standin

HOST = """
#include <stdlib.h>
int cudaMalloc(void **, unsigned long);
int cudaDeviceSynchronize(void);
int cudnnCreate(void **);
int cudnnCreateTensorDescriptor(void **);
int cudnnSetTensorNdDescriptor(void *, int, int, const int *, const int *);
int cudnnCreateFilterDescriptor(void **);
int cudnnSetFilterNdDescriptor(void *, int, int, int, const int *);
int cudnnCreateConvolutionDescriptor(void **);
int cudnnSetConvolutionNdDescriptor(void *, int, const int *, const int *,
                                    const int *, int, int);
int cudnnSetConvolutionGroupCount(void *, int);
int cudnnGetConvolutionForwardWorkspaceSize(void *, void *, void *, void *, void *,
                                            int, unsigned long *);
int cudnnGetConvolutionBackwardDataWorkspaceSize(void *, void *, void *, void *,
                                                 void *, int, unsigned long *);
int cudnnGetConvolutionBackwardFilterWorkspaceSize(void *, void *, void *, void *,
                                                   void *, int, unsigned long *);
int cudnnConvolutionForward(void *, const void *, void *, void *, void *, void *,
                            void *, int, void *, unsigned long, const void *, void *,
                            void *);
int cudnnConvolutionBackwardData(void *, const void *, void *, void *, void *, void *,
                                 void *, int, void *, unsigned long, const void *,
                                 void *, void *);
int cudnnConvolutionBackwardFilter(void *, const void *, void *, void *, void *,
                                   void *, void *, int, void *, unsigned long,
                                   const void *, void *, void *);

/* A tensor of n images, dense. */
static void *tensor(int type, int nhwc, int rank, const int *size, void **data)
{
    int stride[5], along = 1;
    unsigned long all = 1;
    void *t;

    if (nhwc)
        stride[1] = 1, along = size[1];
    for (int i = rank - 1; i >= 0; i--) {
        all *= size[i];
        if (nhwc && i == 1)
            continue;
        stride[i] = along;
        along *= size[i];
    }
    cudnnCreateTensorDescriptor(&t);
    if (cudaMalloc(data, all * 4) ||
        cudnnSetTensorNdDescriptor(t, type, rank, size, stride))
        exit(1);
    return t;
}

int main(int argc, char **argv)
{
    int op = atoi(argv[1]), type = atoi(argv[2]), nhwc = atoi(argv[3]);
    int times = atoi(argv[4]), dims = atoi(argv[5]);
    int n = atoi(argv[6]), c = atoi(argv[7]), k = atoi(argv[8]);
    int groups = atoi(argv[9]), set[5][3], status = 0;
    int x_size[5] = {n, c}, w_size[5] = {k, c / groups}, y_size[5] = {n, k};
    void *d, *x_is, *w_is, *y_is, *v, *x, *w, *y, *work;
    unsigned long bytes, all = 1;
    float one = 1, zero = 0;

    for (int s = 0; s < 5; s++)
        for (int i = 0; i < dims; i++)
            set[s][i] = atoi(argv[10 + s * dims + i]);
    for (int i = 0; i < dims; i++) {
        x_size[2 + i] = set[0][i];
        w_size[2 + i] = set[1][i];
        y_size[2 + i] = (set[0][i] + 2 * set[2][i] -
                         ((set[1][i] - 1) * set[4][i] + 1)) / set[3][i] + 1;
    }
    for (int i = 0; i < dims + 2; i++)
        all *= w_size[i];
    if (cudnnCreate(&d))
        return 1;
    x_is = tensor(type, nhwc, dims + 2, x_size, &x);
    y_is = tensor(type, nhwc, dims + 2, y_size, &y);
    cudnnCreateFilterDescriptor(&w_is);
    cudnnCreateConvolutionDescriptor(&v);
    if (cudaMalloc(&w, all * 4) ||
        cudnnSetFilterNdDescriptor(w_is, type, nhwc, dims + 2, w_size) ||
        cudnnSetConvolutionNdDescriptor(v, dims, set[2], set[3], set[4], 1, 0) ||
        cudnnSetConvolutionGroupCount(v, groups))
        return 1;
    status = op == 0   ? cudnnGetConvolutionForwardWorkspaceSize(
                             d, x_is, w_is, v, y_is, 1, &bytes)
             : op == 1 ? cudnnGetConvolutionBackwardDataWorkspaceSize(
                             d, w_is, y_is, v, x_is, 1, &bytes)
                       : cudnnGetConvolutionBackwardFilterWorkspaceSize(
                             d, x_is, y_is, v, w_is, 1, &bytes);
    if (status || cudaMalloc(&work, bytes + 256))
        return 1;
    while (times-- > 0 && !status)
        status = op == 0   ? cudnnConvolutionForward(d, &one, x_is, x, w_is, w, v, 1,
                                                     work, bytes, &zero, y_is, y)
                 : op == 1 ? cudnnConvolutionBackwardData(d, &one, w_is, w, y_is, y,
                                                          v, 1, work, bytes, &zero,
                                                          x_is, x)
                           : cudnnConvolutionBackwardFilter(d, &one, x_is, x, y_is, y,
                                                            v, 1, work, bytes, &zero,
                                                            w_is, w);
    return status || cudaDeviceSynchronize();
}
"""

OPERATIONS = {"fprop": 0, "dgrad": 1, "wgrad": 2}
TYPES = {"float": 0, "half": 2, "bfloat16": 9}
# By whom; whether caches were flushed before, and at which clock the card was held.
SOURCES = {
    "TILE": ("tile-ai/TileOPs, nightly, cuDNN 9.20", True, 1500),
    "LADDER": ("Ladder's artifact (microsoft/BitBLAS)", False, None),
    "BENCH": ("ScalingIntelligence/KernelBench, level 1, TF32", False, None),
    "MASAHI": ("masahi/tvm-cutlass-eval, cuDNN 8", False, None),
    "DEEP": ("baidu-research/DeepBench, cuDNN 7.6", False, None),
    "XWANG": ("xwang233/code-snippet, cuDNN 8.0, with a bias", False, None),
}
# GPU, operation, type, layout, images, channels, filters, groups, image, filter,
# pads, strides, dilations, us, by whom
ROWS = """
h200       fprop half     NCHW   1   80 1280  1 3000       3     0     1     1         56.8 TILE
h200       fprop half     NCHW   1    1  512  1 16000      10    0     5     1         18.6 TILE
h200       fprop half     NCHW   1    1   32  1 24000      7     0     1     1          6.7 TILE
h200       fprop half     NCHW   1  128  256  1 600        10    0     1     1         17.0 TILE
h200       fprop half     NCHW   2   64   64  1 56x56      3x3   1x1   1x1   1x1       14.7 TILE
h200       fprop half     NCHW   1    3   64  1 112x112    3x3   1x1   2x2   1x1        6.5 TILE
h200       fprop half     NCHW   1  128  256  1 56x56      3x3   1x1   2x2   1x1       17.0 TILE
h200       fprop half     NCHW   1  256  512  1 112x112    3x3   1x1   1x1   1x1       94.7 TILE
h200       fprop half     NCHW   1   64  128  1 56x56      5x5   2x2   1x1   1x1       19.5 TILE
h200       fprop half     NCHW   1  128  256  1 56x56      5x5   2x2   2x2   1x1       25.5 TILE
h200       fprop bfloat16 NCHW   1  128  128  1 28x28      3x3   1x1   2x2   1x1       14.8 TILE
h200       fprop half     NCHW   2   64  256  1 56x56      1x1   0x0   1x1   1x1        4.2 TILE
h200       fprop half     NCHW   2  128  512  1 28x28      1x1   0x0   1x1   1x1        4.0 TILE
h200       fprop half     NCHW   2  512  128  1 28x28      1x1   0x0   1x1   1x1        4.3 TILE
h200       fprop half     NCHW   1  256 1024  1 14x14      1x1   0x0   1x1   1x1        6.3 TILE
h200       fprop half     NCHW   1  512 2048  1 7x7        1x1   0x0   1x1   1x1        9.0 TILE
h200       fprop half     NCHW   1 2048  256  1 32x32      3x3   12x12 1x1   12x12    119.0 TILE
h200       fprop half     NCHW   1   32   32 32 56x56      3x3   1x1   1x1   1x1        3.0 TILE
h200       fprop half     NCHW   1  128  256 32 28x28      3x3   1x1   1x1   1x1       19.0 TILE
h200       fprop half     NCHW   1    3   64  1 16x112x112 3x3x3 1x1x1 1x1x1 1x1x1    114.8 TILE
h200       fprop half     NCHW   1   64  128  1 8x56x56    3x3x3 1x1x1 2x2x2 1x1x1     26.4 TILE
h200       fprop bfloat16 NCHW   1   32   64  1 32x64x64   3x3x3 1x1x1 1x1x1 1x1x1    115.1 TILE
h200       fprop half     NCHW   1  256  256  1 8x16x16    3x3x3 6x6x6 1x1x1 6x6x6     37.6 TILE
h200       fprop half     NCHW   1   64  128 32 8x28x28    3x3x3 1x1x1 1x1x1 1x1x1    281.4 TILE
a100       fprop half     NCHW 128   64   64  1 56x56      3x3   1x1   1x1   1x1      342.2 LADDER
a100       fprop half     NCHW 128   64   64  1 56x56      1x1   0x0   1x1   1x1      132.3 LADDER
a100       fprop half     NCHW 128  128  128  1 28x28      3x3   1x1   1x1   1x1      246.8 LADDER
a100       fprop half     NCHW 128  512  128  1 28x28      1x1   0x0   1x1   1x1      114.9 LADDER
a100_80    fprop float    NCHW  16    3   64  1 128x256    3x3   0x0   1x1   1x1      242.0 BENCH
a100_80    fprop float    NCHW  16    3   64  1 256x256    3x3   0x0   1x1   1x1      430.0 BENCH
a100_80    dgrad float    NCHW  16   64   32  1 130x258    3x3   0x0   1x1   1x1      645.0 BENCH
a100_80    dgrad float    NCHW  16   64   32  1 27x59x59   3x3x3 3x3x3 2x2x2 1x1x1   1400.0 BENCH
h100       fprop float    NCHW  16    3   64  1 256x256    3x3   0x0   1x1   1x1      238.0 BENCH
rtx3070    wgrad half     NHWC 256   64   64  1 56x56      3x3   1x1   1x1   1x1     2044.3 MASAHI
rtx3070    wgrad half     NHWC 256  256  512  1 56x56      1x1   0x0   2x2   1x1     1525.3 MASAHI
rtx3070    wgrad half     NHWC 256  512  128  1 28x28      1x1   0x0   1x1   1x1      776.0 MASAHI
rtx3070    wgrad half     NHWC 256  512  512  1 7x7        3x3   1x1   1x1   1x1     1664.8 MASAHI
t4         fprop half     NHWC  16  256  512  1 28x28      3x3   1x1   1x1   1x1      740.0 DEEP
t4         dgrad half     NHWC  16  256  512  1 28x28      3x3   1x1   1x1   1x1      720.0 DEEP
t4         wgrad half     NHWC  16  256  512  1 28x28      3x3   1x1   1x1   1x1      851.0 DEEP
t4         fprop half     NHWC  16  512  512  1 14x14      3x3   1x1   1x1   1x1      439.0 DEEP
t4         dgrad half     NHWC  16  512  512  1 14x14      3x3   1x1   1x1   1x1      478.0 DEEP
t4         wgrad half     NHWC  16  512  512  1 14x14      3x3   1x1   1x1   1x1      561.0 DEEP
t4         fprop half     NHWC   8   64  256  1 56x56      1x1   0x0   2x2   1x1       36.0 DEEP
t4         dgrad half     NHWC   8   64  256  1 56x56      1x1   0x0   2x2   1x1       32.0 DEEP
t4         wgrad half     NHWC   8   64  256  1 56x56      1x1   0x0   2x2   1x1       71.0 DEEP
t4         fprop half     NHWC  16   64   64  1 56x56      3x3   1x1   1x1   1x1      151.0 DEEP
t4         dgrad half     NHWC  16   64   64  1 56x56      3x3   1x1   1x1   1x1      161.0 DEEP
t4         wgrad half     NHWC  16   64   64  1 56x56      3x3   1x1   1x1   1x1      378.0 DEEP
t4         fprop half     NHWC   8   64  256  1 56x56      1x1   0x0   1x1   1x1       84.0 DEEP
t4         dgrad half     NHWC   8   64  256  1 56x56      1x1   0x0   1x1   1x1       82.0 DEEP
t4         wgrad half     NHWC   8   64  256  1 56x56      1x1   0x0   1x1   1x1      142.0 DEEP
t4         fprop half     NHWC  16  512 2048  1 7x7        1x1   0x0   1x1   1x1       74.0 DEEP
t4         dgrad half     NHWC  16  512 2048  1 7x7        1x1   0x0   1x1   1x1       75.0 DEEP
t4         wgrad half     NHWC  16  512 2048  1 7x7        1x1   0x0   1x1   1x1       96.0 DEEP
t4         fprop half     NHWC  16 1024 2048  1 14x14      1x1   0x0   2x2   1x1      131.0 DEEP
t4         dgrad half     NHWC  16 1024 2048  1 14x14      1x1   0x0   2x2   1x1      292.0 DEEP
t4         wgrad half     NHWC  16 1024 2048  1 14x14      1x1   0x0   2x2   1x1      187.0 DEEP
a100       fprop half     NCHW   2   64  128  1 64x64x64   3x3x3 1x1x1 2x2x2 1x1x1    343.1 XWANG
a100       fprop half     NHWC   2   64  128  1 64x64x64   3x3x3 1x1x1 2x2x2 1x1x1    186.1 XWANG
a100       fprop half     NCHW   2  256  256  1 16x16x16   3x3x3 1x1x1 1x1x1 1x1x1    183.2 XWANG
a100       fprop half     NHWC   2  256  256  1 16x16x16   3x3x3 1x1x1 1x1x1 1x1x1    156.4 XWANG
a100       fprop half     NCHW   2  512  512  1 8x8x8      3x3x3 1x1x1 1x1x1 1x1x1    147.3 XWANG
a100       fprop half     NCHW   2  128   64  1 64x64x64   3x3x3 1x1x1 1x1x1 1x1x1   1582.9 XWANG
"""


def ints(text):
    return [int(x) for x in text.split("x")]


def microseconds(a, program, row):
    """Of each launch of the last run."""
    gpu, op, type_, layout, n, c, k, groups, *sizes, _, whose = row
    _, cold, clock = SOURCES[whose]
    times = 1 if cold else 2
    sizes = [ints(s) for s in sizes]
    launches = standin.launches(
        a, gpu, program,
        (OPERATIONS[op], TYPES[type_], int(layout == "NHWC"), times,
         len(sizes[0]), n, c, k, groups, *sum(sizes, [])),
        "--caches=carry", *(["--clock", str(clock)] if clock else []))
    return [float(l["time_us"]) for l in launches[-(len(launches) // times):]]


def main():
    a = standin.arguments(__doc__)
    errors = []
    print("| GPU | convolution | launches | published, us | here, us | error | of |")
    print("| --- | --- | ---: | ---: | ---: | ---: | --- |")
    with tempfile.TemporaryDirectory() as work:
        program = standin.build(a, work, HOST, "cudnn")
        for i, line in enumerate(ROWS.split("\n")[1:-1], 1):
            if a.rows and i not in a.rows:
                continue
            row = line.split()
            (gpu, op, type_, layout, n, c, k, groups, x, w, pad, stride,
             dilation, measured, whose) = row
            launches = microseconds(a, program, row)
            us, measured = sum(launches), float(measured)
            errors.append(us / measured - 1)
            said = [f"{op}, {type_}, {layout}, {n} x {c} x {x} to {k} by {w}"]
            for name, value in (("stride", stride), ("pad", pad),
                                ("dilation", dilation), ("groups", groups)):
                if set(ints(value)) != {0 if name == "pad" else 1}:
                    said.append(f"{name} {ints(value)[0]}"
                                if len(set(ints(value))) == 1
                                else f"{name} {value}")
            print(f"| {gpu} | {', '.join(said)} | {len(launches)} | "
                  f"{measured:,.1f} | {us:,.1f} | {errors[-1]:+.1%} | "
                  f"{SOURCES[whose][0]} |".replace("%", " %"))
            sys.stdout.flush()
    common.print_mean(errors, "convolutions")


if __name__ == "__main__":
    main()
