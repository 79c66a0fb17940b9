/*
 * A block's product by a thread's own multiply-adds: tiles through registers
 * into shared memory, two buffers.  Who brings the tiles is the caller's.
 */
#ifndef TEG_TOOLS_VENDOR_KERNELS_SUMS_CUH
#define TEG_TOOLS_VENDOR_KERNELS_SUMS_CUH

#include "product.cuh"

/* Of `k` that there is, the part of D that begins at (row, column), by threads
 * that have TM rows and TN columns each.  `open` gives what sums are put into. */
template <class Sum, int BM, int BN, int BK, int TM, int TN, class A, class B,
          class Open>
__device__ void sums(A &a, B &b, int k, int row, int column, Open open)
{
    constexpr int ACROSS = BM / TM, THREADS = ACROSS * (BN / TN);
    constexpr int PAD = 16 / sizeof(Sum);
    __shared__ union {
        struct {
            Sum a[2][BK][BM + PAD], b[2][BK][BN + PAD];
        } tile;
        Four<Sum> put[THREADS * TM / 4];
    } s;
    const int tm = threadIdx.x % ACROSS * 4, tn = threadIdx.x / ACROSS * 4;
    Sum sum[TN][TM] = {};
    int buffer = 0;

    a.load();
    b.load();
    a.keep(s.tile.a[0]);
    b.keep(s.tile.b[0]);
    __syncthreads();
    for (; k > 0; k -= BK) {
        bool more = k > BK;

        if (more) {
            a.load();
            b.load();
        }
#pragma unroll
        for (int i = 0; i < BK; i++) {
            Sum x[TM], y[TN];

#pragma unroll
            for (int j = 0; j < TM / 4; j++)
                *(Four<Sum> *)&x[j * 4] =
                    *(Four<Sum> *)&s.tile.a[buffer][i][j * ACROSS * 4 + tm];
#pragma unroll
            for (int j = 0; j < TN / 4; j++)
                *(Four<Sum> *)&y[j * 4] =
                    *(Four<Sum> *)&s.tile
                         .b[buffer][i][j * (BN / TN) * 4 + tn];
#pragma unroll
            for (int n = 0; n < TN; n++)
#pragma unroll
                for (int m = 0; m < TM; m++)
                    sum[n][m] += x[m] * y[n];
        }
        buffer ^= 1;
        if (more) {
            a.keep(s.tile.a[buffer]);
            b.keep(s.tile.b[buffer]);
        }
        __syncthreads();
    }

    /* A column at a time through shared memory, so that what becomes of a sum
     * is written once and not for every register. */
    auto out = open();
#pragma unroll 1
    for (int n = 0; n < TN; n++) {
        int c = column + n / 4 * (BN / TN) * 4 + tn + n % 4;

#pragma unroll
        for (int i = 0; i < TN; i++)
            if (i == n)
#pragma unroll
                for (int j = 0; j < TM / 4; j++)
                    s.put[j * THREADS + threadIdx.x] =
                        *(Four<Sum> *)&sum[i][j * 4];
        if (c < out.place_of.n)
#pragma unroll 1
            for (int j = 0; j < TM / 4; j++) {
                Four<Sum> four = s.put[j * THREADS + threadIdx.x];
                int r = row + j * ACROSS * 4 + tm;

                if (r < out.g.m)
                    out.put(r, c, four.x);
            }
    }
}

#endif
