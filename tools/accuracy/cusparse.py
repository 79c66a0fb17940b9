#!/usr/bin/env python3
"""How far the products by which teg stands for cuSPARSE are from published times
of cuSPARSE (docs/exec.md).

    cusparse.py [--teg build/release/teg] [--library FOLDER] [ROW ...]

A program that makes a matrix and multiplies with it twice is compiled by cc and
linked with the libraries in FOLDER (default /usr/local/cuda/lib64), runs under `teg
exec` and is replayed by `teg run`, caches carried from launch to launch; the second
product's launches are added up, without gaps between them.  Of large grids a part is
run (fewer lines or planes) from cold caches, from which the time is extended: these
are far larger than L2.  ROW: those whose number is named, from 1.  Prints a row of
Markdown as each is done.
"""
import sys
import tempfile

import common
import standin

HOST = """
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
int cudaMalloc(void **, unsigned long);
int cudaMemcpy(void *, const void *, unsigned long, int);
int cudaDeviceSynchronize(void);
int cusparseCreate(void **);
int cusparseCreateCsr(void **, int64_t, int64_t, int64_t, void *, void *, void *,
                      int, int, int, int);
int cusparseCsrSetStridedBatch(void *, int, int64_t, int64_t);
int cusparseCreateDnVec(void **, int64_t, void *, int);
int cusparseCreateDnMat(void **, int64_t, int64_t, int64_t, void *, int, int);
int cusparseDnMatSetStridedBatch(void *, int, int64_t);
int cusparseSpMV(void *, int, void *, void *, void *, void *, void *, int, int,
                 void *);
int cusparseSpMM(void *, int, int, void *, void *, void *, void *, void *, int, int,
                 void *);
static unsigned long state = 1;
static double drawn(void)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (state >> 33) / (double)(1u << 31);
}
static int *offsets, *column, nnz;
/* A grid's point and those around it: of a cross, or all. */
static void stencil(int nx, int ny, int nz, int all)
{
    int reach = nz > 1;

    offsets = malloc(((long)nx * ny * nz + 1) * 4);
    column = malloc((long)nx * ny * nz * (all ? 27 : 7) * 4);
    for (int z = 0, row = 0; z < nz; z++)
        for (int y = 0; y < ny; y++)
            for (int x = 0; x < nx; x++, offsets[row] = nnz) {
                if (row == 0)
                    offsets[0] = 0;
                row++;
                for (int c = z - reach; c <= z + reach; c++)
                    for (int b = y - 1; b <= y + 1; b++)
                        for (int a = x - 1; a <= x + 1; a++)
                            if (a >= 0 && a < nx && b >= 0 && b < ny && c >= 0 &&
                                c < nz && (all || (a != x) + (b != y) + (c != z) < 2))
                                column[nnz++] = (c * ny + b) * nx + a;
            }
}
static int less(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}
static void scattered(int rows, int degree)
{
    offsets = malloc((rows + 1) * 4L);
    column = malloc((long)rows * degree * 4);
    for (int i = 0; i < rows; i++) {
        offsets[i] = nnz;
        for (int k = 0; k < degree; k++)
            column[nnz++] = drawn() * rows;
        qsort(column + offsets[i], degree, 4, less);
    }
    offsets[rows] = nnz;
}
static void *device(const void *from, long bytes)
{
    void *to;

    if (cudaMalloc(&to, bytes) || (from && cudaMemcpy(to, from, bytes, 1)))
        exit(1);
    return to;
}
int main(int argc, char **argv)
{
    int kind = atoi(argv[1]), a = atoi(argv[2]), b = atoi(argv[3]);
    int c = atoi(argv[4]), columns = atoi(argv[5]), batch = atoi(argv[6]);
    int type = atoi(argv[7]), op = atoi(argv[8]);
    long rows, bytes = type ? 8 : 4;
    double one = 1, zero = 0;
    float onef = 1;
    void *alpha = type ? (void *)&one : (void *)&onef, *h, *m, *x, *y;

    if (kind < 2)
        stencil(a, b, c, kind), rows = (long)a * b * c;
    else
        scattered(a, b), rows = a;
    if (cusparseCreate(&h) ||
        cusparseCreateCsr(&m, rows, rows, nnz, device(offsets, (rows + 1) * 4),
                          device(column, nnz * 4L), device(0, nnz * bytes), 2, 2, 0,
                          type))
        return 1;
    if (batch > 1) { /* each with its own */
        char *o = device(0, (rows + 1) * 4 * batch), *i = device(0, nnz * 4L * batch);

        for (long k = 0; k < batch; k++)
            if (cudaMemcpy(o + k * (rows + 1) * 4, offsets, (rows + 1) * 4, 1) ||
                cudaMemcpy(i + k * nnz * 4, column, nnz * 4L, 1))
                return 1;
        if (cusparseCreateCsr(&m, rows, rows, nnz, o, i,
                              device(0, nnz * bytes * batch), 2, 2, 0, type) ||
            cusparseCsrSetStridedBatch(m, batch, rows + 1, nnz))
            return 1;
    }
    for (int turn = 0; turn < 2; turn++) {
        if (columns == 1 && turn == 0 &&
            (cusparseCreateDnVec(&x, rows, device(0, rows * bytes), type) ||
             cusparseCreateDnVec(&y, rows, device(0, rows * bytes), type)))
            return 1;
        if (columns > 1 && turn == 0) {
            long n = rows * columns;

            if (cusparseCreateDnMat(&x, rows, columns, rows,
                                    device(0, n * batch * bytes), type, 1) ||
                cusparseCreateDnMat(&y, rows, columns, rows,
                                    device(0, n * batch * bytes), type, 1) ||
                cusparseDnMatSetStridedBatch(x, batch, n) ||
                cusparseDnMatSetStridedBatch(y, batch, n))
                return 1;
        }
        if ((columns == 1 ? cusparseSpMV(h, op, alpha, m, x, &zero, y, type, 0, 0)
                          : cusparseSpMM(h, op, 0, alpha, m, x, &zero, y, type, 0,
                                         0)) ||
            cudaDeviceSynchronize())
            return 1;
    }
    return 0;
}
"""

CROSS, CUBE, RANDOM = range(3)
SPMV = "1fni/cuda-spmv-benchmark"
LAB = "cuda-solver-lab, CUDA 12.9"
LAS = "BatchLAS, docs/perf/spmm.md"
# GPU, what, kind, its numbers, those of the part that is run, columns, batch (run),
# double, transposed, published us, the whole's share of what is run, by whom
ROWS = [
    ("a100_80", "5 points, 10,000 x 10,000", CROSS, (10000, 200, 1), 1, 1, 1, 0,
     5740, 50, SPMV + ", CUDA 13.0"),
    ("a100_80", "7 points, 256 x 256 x 256", CROSS, (256, 256, 32), 1, 1, 1, 0,
     1320, 8, SPMV + ", CUDA 13.0"),
    ("a100_80", "27 points, 256 x 256 x 256", CUBE, (256, 256, 16), 1, 1, 1, 0,
     3910, 16, SPMV + ", CUDA 13.0"),
    ("h100nvl", "5 points, 16,279 x 16,279", CROSS, (16279, 130, 1), 1, 1, 1, 0,
     8250, 125.22, SPMV + ", before 2026"),
    ("l4", "5 points, 4,096 x 4,096", CROSS, (4096, 512, 1), 1, 1, 1, 0,
     5443, 8, LAB),
    ("rtx4090", "1,024 rows of 3, 2 columns, 512 of them", RANDOM, (1024, 3, 1), 2,
     512, 0, 0, 164.61, 1, LAS),
    ("rtx4090", "2,048 rows of 16, 25 columns, 128 of them", RANDOM, (2048, 16, 1),
     25, 128, 0, 0, 911.18, 1, LAS),
    ("rtx4090", "2,048 rows of 16, 25 columns, 128 of them, transposed", RANDOM,
     (2048, 16, 1), 25, 128, 0, 1, 1995.02, 1, LAS),
]


def microseconds(a, program, row):
    """Of each launch of the second product."""
    gpu, _, kind, grid, columns, batch, double, op, _, share = row[:10]
    launches = standin.launches(a, gpu, program,
                                (kind, *grid, columns, batch, double, op),
                                "--caches=" + ("cold" if share > 1 else "carry"))
    return [float(l["time_us"]) for l in launches[len(launches) // 2:]]


def main():
    a = standin.arguments(__doc__)
    errors = []
    print("| GPU | matrix | type | launches | published, us | here, us | error | of |")
    print("| --- | --- | --- | ---: | ---: | ---: | ---: | --- |")
    with tempfile.TemporaryDirectory() as work:
        program = standin.build(a, work, HOST, "cusparse")
        for i, row in enumerate(ROWS, 1):
            if a.rows and i not in a.rows:
                continue
            gpu, what, *_, double, _, measured, share, whose = row
            launches = microseconds(a, program, row)
            us = sum(launches) * share
            errors.append(us / measured - 1)
            print(f"| {gpu} | {what} | {'double' if double else 'float'} | "
                  f"{len(launches)} | {measured:,.1f} | {us:,.1f} | "
                  f"{errors[-1]:+.1%} | {whose} |".replace("%", " %"))
            sys.stdout.flush()
    common.print_mean(errors, "products")


if __name__ == "__main__":
    main()
