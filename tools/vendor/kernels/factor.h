/*
 * What kernels that factor and solve dense systems are given, by the host and on
 * the device.
 */
#ifndef TEG_TOOLS_VENDOR_KERNELS_FACTOR_H
#define TEG_TOOLS_VENDOR_KERNELS_FACTOR_H

#include "product.h"

enum {
    FACTOR_THREADS = 256, /* of a block at most, but for triangles and */
    PANEL_THREADS = 512,  /* for LU and QR, where a warp has a column */
    TRIANGLE_THREADS = 128,
    TRIANGLE_COLUMNS = 32,    /* of B that a block solves */
    FACTOR_SHARED = 46 << 10, /* bytes of a matrix that are kept on the SM */
};

/* A launch has a block or several of them (y) for each matrix of a batch (x). */

/* Matrices of a batch.  Steps are in elements; a matrix that is looked at from
 * its last element on, backwards, has negative ones. */
struct dense {
    void *at;              /* the first one's (0, 0); or pointers to them */
    long long row, column; /* from one to the next */
    long long batch;       /* from one matrix to the next */
    long long first;       /* with pointers: where (0, 0) is behind one */
    int arrays;            /* pointers, on the device */
};

/* Of a matrix, whole or a panel of one, by one block. */
struct factor_args {
    struct dense a, tau; /* tau: a column */
    int *pivots;         /* NULL: rows stay where they are */
    int *info;           /* one of each matrix; NULL: it is not told */
    long long pivots_batch;
    int m, n;
    int first; /* the panel's first row and column, counted in info and pivots */
    int staged; /* it fits FACTOR_SHARED and has that much as its own */
};

/* Threads of its block, at most `most`: of many small ones a warp each. */
static inline unsigned factor_threads(int m, int n, long long batch,
                                      unsigned most)
{
    const long long all = (long long)m * n;

    return batch > 1 && all <= 32 * 32               ? 32
           : batch > 1 && all <= 64 * 64             ? 128
           : all <= 128 * 64 || most < PANEL_THREADS ? FACTOR_THREADS
                                                     : PANEL_THREADS;
}

/* Of rows that change places: a thread for each column. */
struct swap_args {
    struct dense a;
    const void *pivots; /* rows that 0 and so on change with, from 1 */
    long long pivots_batch;
    int from, to; /* rows, from 0 */
    int columns;
    int backwards; /* the last one first */
    int wide;      /* pivots have 64 bits */
};

/* Of a lower triangle and what is solved by it. */
struct triangle_args {
    struct dense a, b;
    struct product_scale alpha;
    int n, columns;
    int unit; /* of ones on the diagonal */
};

/* Of reflections that lie below a diagonal, and what they are applied to: a warp
 * for each column of B. */
struct reflect_args {
    struct dense a, tau, b;
    int m, columns, k;
    int backwards; /* the last one first: Q, and not its transpose */
};

/* What an element of a part becomes. */
enum shape {
    SHAPE_KEEP, /* it stays */
    SHAPE_ZERO,
    SHAPE_ONE,
    SHAPE_COPY,
    SHAPE_MIRROR, /* that across the diagonal */
};

/* Of a matrix that is made of another. */
struct shape_args {
    struct dense from, to;
    int m, n;
    int above, diagonal, below; /* enum shape */
};

#endif
