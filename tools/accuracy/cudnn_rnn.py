#!/usr/bin/env python3
"""How far the recurrent layers by which teg stands for cuDNN are from published
times of cuDNN (docs/exec.md).

    cudnn_rnn.py [--teg build/release/teg] [--library FOLDER] [ROW ...]

A program that makes a layer's descriptors and runs it forward, as for inference, is
compiled by cc and linked with the libraries in FOLDER (default
/usr/local/cuda/lib64), runs under `teg exec` and is replayed by `teg run`, caches
carried from launch to launch; all launches are added up, without gaps between them.
It runs 8 and 16 steps: what the last 8 take, all further ones do.  ROW: those whose
number is named, from 1.  Prints a row of Markdown as each is done.
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
int cudnnCreateDropoutDescriptor(void **);
int cudnnSetDropoutDescriptor(void *, void *, float, void *, unsigned long,
                              unsigned long long);
int cudnnCreateRNNDescriptor(void **);
int cudnnSetRNNDescriptor_v8(void *, int, int, int, int, int, int, int, int, int,
                             int, int, int, void *, unsigned);
int cudnnCreateRNNDataDescriptor(void **);
int cudnnSetRNNDataDescriptor(void *, int, int, int, int, int, const int *, void *);
int cudnnGetRNNWeightSpaceSize(void *, void *, unsigned long *);
int cudnnGetRNNTempSpaceSizes(void *, void *, int, void *, unsigned long *,
                              unsigned long *);
int cudnnRNNForward(void *, void *, int, const int *, void *, const void *, void *,
                    void *, void *, const void *, void *, void *, const void *,
                    void *, unsigned long, const void *, unsigned long, void *,
                    unsigned long, void *);

int main(int argc, char **argv)
{
    int cell = atoi(argv[1]), both = atoi(argv[2]), batch = atoi(argv[3]);
    int input = atoi(argv[4]), hidden = atoi(argv[5]), layers = atoi(argv[6]);
    int steps = atoi(argv[7]), length[1024];
    int states = layers * (both + 1) * batch * hidden;
    unsigned long weight_bytes, work_bytes;
    void *d, *dropout, *r, *x_is, *y_is, *x, *y, *h, *c, *w, *work;

    for (int i = 0; i < batch; i++)
        length[i] = steps;
    return cudnnCreate(&d) || cudnnCreateDropoutDescriptor(&dropout) ||
           cudnnSetDropoutDescriptor(dropout, d, 0, 0, 0, 0) ||
           cudnnCreateRNNDescriptor(&r) ||
           cudnnSetRNNDescriptor_v8(r, 0, cell, 2, both, 0, 0, 0, 0, input, hidden,
                                    hidden, layers, dropout, 1) ||
           cudnnCreateRNNDataDescriptor(&x_is) ||
           cudnnCreateRNNDataDescriptor(&y_is) ||
           cudnnSetRNNDataDescriptor(x_is, 0, 0, steps, batch, input, length, 0) ||
           cudnnSetRNNDataDescriptor(y_is, 0, 0, steps, batch, hidden * (both + 1),
                                     length, 0) ||
           cudnnGetRNNWeightSpaceSize(d, r, &weight_bytes) ||
           cudnnGetRNNTempSpaceSizes(d, r, 0, x_is, &work_bytes, 0) ||
           cudaMalloc(&x, steps * batch * input * 4l) ||
           cudaMalloc(&y, steps * batch * hidden * 8l) ||
           cudaMalloc(&h, states * 4l) || cudaMalloc(&c, states * 4l) ||
           cudaMalloc(&w, weight_bytes) || cudaMalloc(&work, work_bytes) ||
           cudnnRNNForward(d, r, 0, 0, x_is, x, y_is, y, 0, h, h, 0, c, c,
                           weight_bytes, w, work_bytes, work, 0, 0) ||
           cudaDeviceSynchronize();
}
"""

CELLS = {"LSTM": 2, "GRU": 3}
# Whose machine, in KernelBench's results, and of which commit.
SOURCES = {
    "MODAL": "Modal",
    "GCP": "GCP",
    "MATX": "matx3",
    "BABEL": "babel",
    "LAMBDA": "LambdaLabs",
    "TOGETHER": "together",
}
# GPU, cell, ways, batch, input, hidden, layers, steps, ms, whose machine.  Of each
# GPU the fastest of its runs: others wait for their hosts (an L40S took 16.8 to
# 32.4 ms for the same layer).
ROWS = """
t4       GRU  1 10 128 256 6 512 26.6 MODAL
a10g     GRU  1 10 128 256 6 512 25.1 MODAL
a6000    GRU  1 10 128 256 6 512 24.5 BABEL
a6000    LSTM 1 10 128 256 6 512 26.7 BABEL
a6000    LSTM 2 10 128 256 6 512 51.2 BABEL
a6000    GRU  2 10 128 256 6 512 46.9 BABEL
a100_80  GRU  1 10 128 256 6 512 25.7 MODAL
l4       GRU  1 10 128 256 6 512 19.9 MODAL
l4       LSTM 1 10 128 256 6 512 31.0 GCP
l40s     GRU  1 10 128 256 6 512 16.8 MATX
l40s     LSTM 1 10 128 256 6 512 17.7 MODAL
l40s     LSTM 2 10 128 256 6 512 36.4 MODAL
h100pcie GRU  1 10 128 256 6 512 21.7 LAMBDA
h100pcie LSTM 1 10 128 256 6 512 29.4 LAMBDA
h100     GRU  1 10 128 256 6 512 29.2 TOGETHER
h100     LSTM 1 10 128 256 6 512 27.2 MODAL
b200     GRU  1 10 128 256 6 512 60.8 TOGETHER
"""
STEPS = 8


def microseconds(a, program, gpu, cell, ways, batch, size, steps):
    launches = standin.launches(
        a, gpu, program,
        (CELLS[cell], int(ways) - 1, batch, *size, steps), "--caches=carry")
    alike = [int(l["kernel.launches"]) for l in launches]
    return (sum(n * float(l["time_us"]) for n, l in zip(alike, launches)), sum(alike))


def main():
    a = standin.arguments(__doc__)
    errors = []
    print("| GPU | layer | launches | published, ms | here, ms | error | of |")
    print("| --- | --- | ---: | ---: | ---: | ---: | --- |")
    with tempfile.TemporaryDirectory() as work:
        program = standin.build(a, work, HOST, "cudnn")
        for i, line in enumerate(ROWS.split("\n")[1:-1], 1):
            if a.rows and i not in a.rows:
                continue
            gpu, cell, ways, batch, *size, steps, measured, whose = line.split()
            of = [microseconds(a, program, gpu, cell, ways, batch, size, n)
                  for n in (STEPS, 2 * STEPS)]
            further = int(steps) / STEPS - 2
            ms, launches = (late + further * (late - early)
                            for early, late in zip(*of))
            ms, measured = 1e-3 * ms, float(measured)
            errors.append(ms / measured - 1)
            print(f"| {gpu} | {cell}{', both ways' if ways == '2' else ''}, float, "
                  f"{size[2]} layers, {steps} x {batch} x {size[0]} to {size[1]} | "
                  f"{launches:,.0f} | {measured:,.1f} | {ms:,.1f} | "
                  f"{errors[-1]:+.1%} | {SOURCES[whose]} |".replace("%", " %"))
            sys.stdout.flush()
    common.print_mean(errors, "layers")


if __name__ == "__main__":
    main()
