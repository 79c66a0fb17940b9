/* Products of matrices: what brings a block its tiles of them. */
#ifndef TEG_TOOLS_VENDOR_KERNELS_MATRIX_CUH
#define TEG_TOOLS_VENDOR_KERNELS_MATRIX_CUH

#include "sums.cuh"
#include "tensor.cuh"

/* A thread's share of a tile of R rows and BK of k: pieces of four elements
 * that lie side by side in memory. */
template <class In, int R, int BK, int THREADS, bool ROWS> struct Share {
    enum { COUNT = R * BK / 4 / THREADS };
    const In *at[COUNT];
    int valid[COUNT]; /* rows from the piece's first; of k: all or none */
    int k[COUNT];     /* left from the piece's first */
    const long long &ld;
    bool wide;
    Four<In> got[COUNT];

    static __device__ int row_of(int piece)
    {
        return ROWS ? piece % (R / 4) * 4 : piece / (BK / 4);
    }
    static __device__ int k_of(int piece)
    {
        return ROWS ? piece / (R / 4) : piece % (BK / 4) * 4;
    }

    __device__ Share(const In *p, const long long &ld, int row, int rows,
                     int from, int to)
        : ld(ld)
    {
        wide = (uintptr_t)p % sizeof(Four<In>) == 0 && ld % 4 == 0;
#pragma unroll
        for (int i = 0; i < COUNT; i++) {
            int piece = threadIdx.x + i * THREADS;
            int r = row + row_of(piece), x = from + k_of(piece);

            at[i] = ROWS ? p + r + x * ld : p + x + r * ld;
            valid[i] = rows - r;
            k[i] = to - x;
        }
    }

    /* The next tile. */
    __device__ void load()
    {
#pragma unroll
        for (int i = 0; i < COUNT; i++) {
            int along = ROWS ? valid[i] : k[i];

            if ((ROWS ? k[i] : valid[i]) <= 0)
                along = 0;
            if (wide && along >= 4) {
                got[i] = fetch(at[i]);
            } else {
#pragma unroll
                for (int j = 0; j < 4; j++)
                    got[i].x[j] = j < along ? fetch_one(&at[i][j]) : zero<In>();
            }
            at[i] += ROWS ? BK * ld : BK;
            k[i] -= BK;
        }
    }

    /* Into a tile of BK lines of R and a pad. */
    template <class Sum, int LINE>
    __device__ void keep(Sum (*tile)[LINE])
    {
#pragma unroll
        for (int i = 0; i < COUNT; i++) {
            int piece = threadIdx.x + i * THREADS;
            int r = row_of(piece), x = k_of(piece);

            if (ROWS) {
                Four<Sum> four;
#pragma unroll
                for (int j = 0; j < 4; j++)
                    four.x[j] = to<Sum>(got[i].x[j]);
                *(Four<Sum> *)&tile[x][r] = four;
            } else {
#pragma unroll
                for (int j = 0; j < 4; j++)
                    tile[x + j][r] = to<Sum>(got[i].x[j]);
            }
        }
    }
};

/* A thread's share of a tile, piece by piece: every so many lines of it. */
template <class T, int R, int THREADS, bool ROWS> struct Pieces {
    typedef Tile<T, R, ROWS> Layout;
    enum {
        COUNT = Layout::BYTES / 16 / THREADS,
        EACH = Layout::EACH,
        BK = Layout::BK,
        LINES = THREADS / Layout::PIECES, /* from one to the next */
    };
    const T *at[COUNT];
    int bytes[COUNT]; /* of a piece that lies within the matrix's rows */
    int k, left;      /* of k: the first piece's, up to the end */
    unsigned to;      /* the first piece's place in the tile */
    const long long &ld;
    bool wide;
    uint4 got[COUNT]; /* without cp.async */

    __device__ Pieces(const T *p, const long long &ld, int row, int rows,
                      int from, int end)
        : ld(ld)
    {
        int line = threadIdx.x / Layout::PIECES;
        int piece = threadIdx.x % Layout::PIECES;

        wide = (uintptr_t)p % 16 == 0 && ld % EACH == 0;
        from -= BK;
        k = ROWS ? line : piece * EACH;
        left = end - from;
        to = Layout::offset(line, piece);
#pragma unroll
        for (int i = 0; i < COUNT; i++) {
            int l = line + i * LINES;
            int r = row + (ROWS ? piece * EACH : l);

            /* Of rows that are none, another's elements: their sums are not
             * stored. */
            at[i] = ROWS ? p + r + (from + l) * ld
                         : p + from + k + min(r, rows - 1) * ld;
            bytes[i] = ROWS ? max(0, min(rows - r, (int)EACH)) * sizeof(T) : 16;
        }
    }

    static __device__ uint4 gather(const T *p, int count)
    {
        union {
            T x[EACH];
            uint4 all;
        } u;

        u.all = make_uint4(0, 0, 0, 0);
#pragma unroll
        for (int i = 0; i < EACH; i++)
            if (i < count)
                u.x[i] = fetch_one(&p[i]);
        return u.all;
    }

    /* Of a piece that may reach over the end of k. */
    __device__ int bytes_left(int i)
    {
        int more = left - k;

        if (ROWS)
            return more - i * LINES > 0 ? bytes[i] : 0;
        return min(bytes[i], max(0, min(more, (int)EACH)) * (int)sizeof(T));
    }

    /* The next tile: into `tile`, or into registers until keep().  Addresses
     * are those of the tile before, for copies still read them when it has
     * been asked for. */
    __device__ void load(char *tile)
    {
#pragma unroll
        for (int i = 0; i < COUNT; i++)
            at[i] += ROWS ? BK * ld : BK;
        left -= BK;
        if (wide && left >= BK) {
#pragma unroll
            for (int i = 0; i < COUNT; i++)
                move(tile, i, bytes[i]);
        } else {
#pragma unroll
            for (int i = 0; i < COUNT; i++) {
                if (wide)
                    move(tile, i, bytes_left(i));
                else
                    place(tile, i, gather(at[i], bytes_left(i) / sizeof(T)));
            }
        }
    }

    __device__ void move(char *tile, int i, int size)
    {
#if __CUDA_ARCH__ >= 800
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(
                         shared_address(tile) + to + i * THREADS * 16),
                     "l"(at[i]), "r"(size)
                     : "memory");
#else
        got[i] = size == 16 ? __ldg((const uint4 *)at[i])
                            : gather(at[i], size / sizeof(T));
#endif
    }

    __device__ void place(char *tile, int i, uint4 x)
    {
#if __CUDA_ARCH__ >= 800
        *(uint4 *)(tile + to + i * THREADS * 16) = x;
#else
        got[i] = x;
#endif
    }

    __device__ void keep(char *tile)
    {
#if __CUDA_ARCH__ < 800
#pragma unroll
        for (int i = 0; i < COUNT; i++)
            *(uint4 *)(tile + to + i * THREADS * 16) = got[i];
#endif
    }
};

/* ---- products of matrices --------------------------------------------------------- */

template <class In, class Sum, int BM, int BN, int BK, int TM, int TN,
          bool A_ROWS, bool B_ROWS>
__device__ void by_sums(const Args &g)
{
    constexpr int THREADS = BM / TM * (BN / TN);
    const Part<BM, BN> part(g);
    Share<In, BM, BK, THREADS, A_ROWS> a(
        operand<In>(g.a, g, part.batch, g.stride_a), g.lda, part.row, g.m,
        part.from, part.to);
    Share<In, BN, BK, THREADS, B_ROWS> b(
        operand<In>(g.b, g, part.batch, g.stride_b), g.ldb, part.column, g.n,
        part.from, part.to);

    sums<Sum, BM, BN, BK, TM, TN>(
        a, b, part.to - part.from, part.row, part.column,
        [&] { return Output<Sum>(g, part.batch, part.slot); });
}

template <class T, int BM, int BN, int WM, int WN, bool A_ROWS, bool B_ROWS>
__device__ void by_tensors(const Args &g)
{
    constexpr int THREADS = BM / WM * (BN / WN) * 32;
    constexpr int BK = Tile<T, BM, A_ROWS>::BK;
    const Part<BM, BN> part(g);
    Pieces<T, BM, THREADS, A_ROWS> a(operand<T>(g.a, g, part.batch, g.stride_a),
                                     g.lda, part.row, g.m, part.from, part.to);
    Pieces<T, BN, THREADS, B_ROWS> b(operand<T>(g.b, g, part.batch, g.stride_b),
                                     g.ldb, part.column, g.n, part.from,
                                     part.to);

    tensors<T, BM, BN, WM, WN, A_ROWS, B_ROWS>(
        a, b, (part.to - part.from + BK - 1) / BK, part.row, part.column,
        [&] { return Output<float>(g, part.batch, part.slot); });
}

#endif
