/*
 * Teg's kernels for matrix products, in place of those of cuBLAS.  Compiled by
 * tools/make_kernels.sh; which one a product gets: tools/cublas/product.c.
 *
 *   sum   D = A B by a thread's own multiply-adds: tiles through registers into
 *         shared memory, two buffers; float, double, bytes, and what a
 *         generation has no tensor instruction for
 *   mma   by tensor instructions: tiles of 64 bytes of k, swizzled so that
 *         ldmatrix has no bank conflicts; three buffers by cp.async, or two
 *         through registers on sm_75
 *
 * The rows of D lie side by side in memory, so its transpose is what the tensor
 * instructions make: their rows are D's columns.
 * An operand is `rows` if its rows (of op(A), or columns of op(B)) lie side by
 * side in memory, else its k does.
 */
#include "product.cuh"

/* ---- by multiply-adds -------------------------------------------------------------- */

/* A thread's share of a tile of R rows and BK of k: pieces of four elements
 * that lie side by side in memory. */
template <class In, int R, int BK, int THREADS, bool ROWS> struct Share {
    enum { COUNT = R * BK / 4 / THREADS };
    const In *at[COUNT];
    int valid[COUNT]; /* rows from the piece's first; of k: all or none */
    int k[COUNT];     /* left from the piece's first */
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

    __device__ Share(const In *p, long long ld, int row, int rows, int from,
                     int to)
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
    __device__ void load(long long ld)
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

template <class In, class Sum, int BM, int BN, int BK, int TM, int TN,
          bool A_ROWS, bool B_ROWS>
__device__ void sums(const Args &g)
{
    constexpr int ACROSS = BM / TM, THREADS = ACROSS * (BN / TN);
    constexpr int PAD = 16 / sizeof(Sum);
    __shared__ union {
        struct {
            Sum a[2][BK][BM + PAD], b[2][BK][BN + PAD];
        } tile;
        Four<Sum> put[THREADS * TM / 4];
    } s;
    const Part<BM, BN> part(g);
    const int tm = threadIdx.x % ACROSS * 4, tn = threadIdx.x / ACROSS * 4;
    Share<In, BM, BK, THREADS, A_ROWS> a(
        operand<In>(g.a, g, part.batch, g.stride_a), g.lda, part.row, g.m,
        part.from, part.to);
    Share<In, BN, BK, THREADS, B_ROWS> b(
        operand<In>(g.b, g, part.batch, g.stride_b), g.ldb, part.column, g.n,
        part.from, part.to);
    Sum sum[TN][TM] = {};
    int buffer = 0;

    a.load(g.lda);
    b.load(g.ldb);
    a.keep(s.tile.a[0]);
    b.keep(s.tile.b[0]);
    __syncthreads();
    for (int k = part.from; k < part.to; k += BK) {
        bool more = k + BK < part.to;

        if (more) {
            a.load(g.lda);
            b.load(g.ldb);
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
    Output<Sum> out(g, part.batch, part.slot);
#pragma unroll 1
    for (int n = 0; n < TN; n++) {
        int column = part.column + n / 4 * (BN / TN) * 4 + tn + n % 4;

#pragma unroll
        for (int i = 0; i < TN; i++)
            if (i == n)
#pragma unroll
                for (int j = 0; j < TM / 4; j++)
                    s.put[j * THREADS + threadIdx.x] =
                        *(Four<Sum> *)&sum[i][j * 4];
        if (column < g.n)
#pragma unroll 1
            for (int j = 0; j < TM / 4; j++) {
                Four<Sum> four = s.put[j * THREADS + threadIdx.x];
                int row = part.row + j * ACROSS * 4 + tm;

                if (row < g.m)
                    out.put(g, row, column, four.x);
            }
    }
}

/* ---- by tensor instructions ----------------------------------------------------------- */

#if __CUDA_ARCH__ >= 800
#define BUFFERS 3
#else
#define BUFFERS 2
#endif

__device__ unsigned shared_address(const void *p)
{
    return (unsigned)__cvta_generic_to_shared(p);
}

template <bool TRANSPOSED>
__device__ void load_matrices(unsigned (&x)[4], unsigned at)
{
    if (TRANSPOSED)
        asm volatile(
            "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 "
            "{%0,%1,%2,%3}, [%4];"
            : "=r"(x[0]), "=r"(x[1]), "=r"(x[2]), "=r"(x[3])
            : "r"(at));
    else
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 "
                     "{%0,%1,%2,%3}, [%4];"
                     : "=r"(x[0]), "=r"(x[1]), "=r"(x[2]), "=r"(x[3])
                     : "r"(at));
}

/* A tile of R rows: lines of k if that lies side by side (four pieces of 16
 * bytes), else lines of rows, one for each k. */
template <class T, int R, bool ROWS> struct Tile {
    enum {
        EACH = 16 / sizeof(T), /* elements of a piece */
        BK = 64 / sizeof(T),
        PIECES = ROWS ? R / EACH : 4, /* of a line */
        BYTES = R * 64,
    };

    /* Where piece `c` of line `l` lies. */
    static __device__ int offset(int l, int c)
    {
        if (!ROWS)
            c ^= l >> 1 & 3;
        else if (sizeof(T) == 4)
            c ^= (l & 3) << 1;
        else
            c ^= l & 7;
        return (l * PIECES + c) * 16;
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
    bool wide;
    uint4 got[COUNT]; /* without cp.async */

    __device__ Pieces(const T *p, long long ld, int row, int rows, int from,
                      int end)
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
    __device__ void load(char *tile, long long ld)
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

/* A tile has been asked for. */
__device__ void commit()
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.commit_group;");
#endif
}

/* The oldest tile asked for is there, for all warps. */
__device__ void arrive()
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_group %0;" ::"n"(BUFFERS - 2) : "memory");
#endif
    __syncthreads();
}

/* A warp's operand from a tile, sixteen rows and two pieces of k at a time, as
 * four matrices of eight rows and a piece: `LEFT` as the left operand takes
 * them (rows first), else as two right ones do (k first).  What swizzling makes
 * of the address is found once. */
template <class T, int R, bool ROWS, bool LEFT> struct Fragments {
    typedef Tile<T, R, ROWS> Layout;
    unsigned at[4];

    /* From row `row` on. */
    __device__ Fragments(int row)
    {
        const int lane = threadIdx.x % 32;
        const int inner = lane >> 3 & 1, outer = lane >> 4;
        const int eights = LEFT ? inner : outer, ks = LEFT ? outer : inner;

#pragma unroll
        for (int i = 0; i < 4; i++) {
            if (!ROWS)
                at[i] = Layout::offset(row + eights * 8 + lane % 8,
                                       (i & 1) * 2 + ks);
            else if (sizeof(T) == 2)
                at[i] = Layout::offset(ks * 8 + lane % 8,
                                       row / 8 + i * 2 + eights);
            else
                at[i] = Layout::offset(lane % 4, row / 4 + (i >> 1) * 4 +
                                                     (i & 1) * 2 + lane / 16) +
                        lane / 4 % 4 * 4;
        }
    }

    /* All rows, pieces c and c + 1; c is even. */
    template <int COUNT>
    __device__ void load(unsigned (&x)[COUNT][4], const char *tile, int c)
    {
#pragma unroll
        for (int i = 0; i < COUNT; i++)
            load(x[i], tile, i, c);
    }

    __device__ void load(unsigned (&x)[4], const char *tile, int i, int c)
    {
        const unsigned base = shared_address(tile);

        if (!ROWS) {
            load_matrices<false>(x, base + at[c / 2] + i * 16 * 64);
        } else if (sizeof(T) == 2) {
            load_matrices<true>(x, base + at[i] + c * 8 * Layout::PIECES * 16);
        } else {
#pragma unroll
            for (int j = 0; j < 4; j++) {
                int e = LEFT ? j & 1 : j >> 1, q = LEFT ? j >> 1 : j & 1;

                asm volatile("ld.shared.u32 %0, [%1];"
                             : "=r"(x[j])
                             : "r"(base + at[(i & 1) * 2 + e] +
                                   (i >> 1) * 8 * 16 +
                                   (c + q) * 4 * Layout::PIECES * 16));
            }
        }
    }
};

template <class T>
__device__ void multiply(float (&d)[4], const unsigned (&a)[4], unsigned b0,
                         unsigned b1);

#define MULTIPLY(type, shape)                                               \
    template <>                                                             \
    __device__ void multiply<type>(float(&d)[4], const unsigned(&a)[4],     \
                                   unsigned b0, unsigned b1)                \
    {                                                                       \
        asm volatile("mma.sync.aligned." shape                              \
                     " {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "             \
                     "{%0,%1,%2,%3};"                                       \
                     : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])       \
                     : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), \
                       "r"(b1));                                            \
    }
#if __CUDA_ARCH__ >= 800
MULTIPLY(__half, "m16n8k16.row.col.f32.f16.f16.f32")
MULTIPLY(__nv_bfloat16, "m16n8k16.row.col.f32.bf16.bf16.f32")
MULTIPLY(float, "m16n8k8.row.col.f32.tf32.tf32.f32")
#else
template <>
__device__ void multiply<__half>(float (&d)[4], const unsigned (&a)[4],
                                 unsigned b0, unsigned b1)
{
    const unsigned b[2] = {b0, b1};

#pragma unroll
    for (int i = 0; i < 2; i++)
        asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 "
                     "{%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};"
                     : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                     : "r"(a[i * 2]), "r"(a[i * 2 + 1]), "r"(b[i]));
}
#endif

/* A warp makes WM rows and WN columns of D. */
template <class T, int BM, int BN, int WM, int WN, bool A_ROWS, bool B_ROWS>
__device__ void tensors(const Args &g)
{
    constexpr int THREADS = BM / WM * (BN / WN) * 32;
    constexpr int LINE = WM + 4; /* words */
    typedef Tile<T, BM, A_ROWS> TileA;
    typedef Tile<T, BN, B_ROWS> TileB;
    constexpr int STAGE = TileA::BYTES + TileB::BYTES, BK = TileA::BK;
    extern __shared__ __align__(128) char s[];
    const Part<BM, BN> part(g);
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const int wm = warp % (BM / WM) * WM, wn = warp / (BM / WM) * WN;
    Pieces<T, BM, THREADS, A_ROWS> a(operand<T>(g.a, g, part.batch, g.stride_a),
                                     g.lda, part.row, g.m, part.from, part.to);
    Pieces<T, BN, THREADS, B_ROWS> b(operand<T>(g.b, g, part.batch, g.stride_b),
                                     g.ldb, part.column, g.n, part.from,
                                     part.to);
    Fragments<T, BN, B_ROWS, true> lefts(wn);
    Fragments<T, BM, A_ROWS, false> rights(wm);
    const int steps = (part.to - part.from + BK - 1) / BK;
    float sum[WN / 16][WM / 8][4] = {};
    unsigned left[2][WN / 16][4], right[2][WM / 16][4];
    const char *tile = s;
    int reads = 0, writes = BUFFERS - 1;

#pragma unroll
    for (int i = 0; i < BUFFERS - 1; i++) {
        a.load(s + i * STAGE, g.lda);
        b.load(s + i * STAGE + TileA::BYTES, g.ldb);
        a.keep(s);
        b.keep(s + TileA::BYTES);
        commit();
    }
    arrive();
    lefts.load(left[0], tile + TileA::BYTES, 0);
    rights.load(right[0], tile, 0);
    for (int step = 0; step < steps; step++) {
        char *next = s + writes * STAGE;

        /* While one half of the tile's k is multiplied, the next is read; in
         * the first one, the tile after the next ones is asked for, and in the
         * second all warps have read this one. */
#pragma unroll
        for (int half = 0; half < 2; half++) {
            if (half == 1) {
                if (step + 1 < steps) {
                    a.keep(next);
                    b.keep(next + TileA::BYTES);
                }
                arrive();
                reads = reads + 1 == BUFFERS ? 0 : reads + 1;
                writes = writes + 1 == BUFFERS ? 0 : writes + 1;
                tile = s + reads * STAGE;
            }
            lefts.load(left[half ^ 1], tile + TileA::BYTES, (half ^ 1) * 2);
            rights.load(right[half ^ 1], tile, (half ^ 1) * 2);
            if (half == 0) {
                if (step + BUFFERS - 1 < steps) {
                    a.load(next, g.lda);
                    b.load(next + TileA::BYTES, g.ldb);
                }
                commit();
            }
#pragma unroll
            for (int i = 0; i < WN / 16; i++)
#pragma unroll
                for (int j = 0; j < WM / 8; j++)
                    multiply<T>(sum[i][j], left[half][i],
                                right[half][j / 2][j % 2 * 2],
                                right[half][j / 2][j % 2 * 2 + 1]);
        }
    }
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_group 0;" ::: "memory");
#endif
    __syncthreads();

    /* Sixteen columns at a time through the warp's own shared memory: lanes
     * then have rows side by side, and what becomes of a sum is written
     * once. */
    float(*lines)[LINE] = (float(*)[LINE])(s + warp * 16 * LINE * 4);
    Output<float> out(g, part.batch, part.slot);
#pragma unroll 1
    for (int pass = 0; pass < WN / 16; pass++) {
#pragma unroll
        for (int i = 0; i < WN / 16; i++)
            if (i == pass)
#pragma unroll
                for (int j = 0; j < WM / 8; j++)
#pragma unroll
                    for (int h = 0; h < 2; h++)
                        *(float2 *)&lines[h * 8 + lane / 4]
                                         [j * 8 + lane % 4 * 2] =
                            make_float2(sum[i][j][h * 2],
                                        sum[i][j][h * 2 + 1]);
        __syncwarp();
        out.lines<WM, LINE>(g, &lines[0][0], part.row + wm,
                            part.column + wn + pass * 16);
        __syncwarp();
    }
}

/* ---- kernels: one for each type, tile and pair of operations ------------------------------- */

/* `blocks` is for how many an SM has registers. */
#define KERNEL(name, threads, blocks, ...)                        \
    extern "C" __global__ void __launch_bounds__(threads, blocks) \
        teg_cublas_##name(const __grid_constant__ Args g)         \
    {                                                             \
        __VA_ARGS__(g);                                           \
    }
#define OPERATIONS(name, threads, blocks, function, ...)                    \
    KERNEL(name##_nn, threads, blocks, function<__VA_ARGS__, true, false>)  \
    KERNEL(name##_nt, threads, blocks, function<__VA_ARGS__, true, true>)   \
    KERNEL(name##_tn, threads, blocks, function<__VA_ARGS__, false, false>) \
    KERNEL(name##_tt, threads, blocks, function<__VA_ARGS__, false, true>)

OPERATIONS(sgemm_128x128, 256, 2, sums, float, float, 128, 128, 8, 8, 8)
OPERATIONS(sgemm_64x64, 128, 4, sums, float, float, 64, 64, 16, 4, 8)
OPERATIONS(dgemm_64x64, 128, 3, sums, double, double, 64, 64, 8, 4, 8)
OPERATIONS(igemm_64x64, 128, 4, sums, int8_t, int, 64, 64, 16, 4, 8)
OPERATIONS(hgemm_128x128, 128, 2, tensors, __half, 128, 128, 64, 64)
OPERATIONS(hgemm_64x64, 128, 4, tensors, __half, 64, 64, 32, 32)
#if __CUDA_ARCH__ >= 800 || !defined __CUDA_ARCH__
OPERATIONS(bgemm_128x128, 128, 2, tensors, __nv_bfloat16, 128, 128, 64, 64)
OPERATIONS(bgemm_64x64, 128, 4, tensors, __nv_bfloat16, 64, 64, 32, 32)
OPERATIONS(tf32gemm_128x128, 128, 2, tensors, float, 128, 128, 64, 64)
OPERATIONS(tf32gemm_64x64, 128, 4, tensors, float, 64, 64, 32, 32)
#else
OPERATIONS(bgemm_64x64, 128, 4, sums, __nv_bfloat16, float, 64, 64, 16, 4, 8)
#endif

/* The slices of a product's k, added up and finished. */
extern "C" __global__ void __launch_bounds__(64)
    teg_cublas_add_slices(const __grid_constant__ Args g)
{
    const int batch = g.first + blockIdx.z;
    const int row = (blockIdx.x * blockDim.x + threadIdx.x) * 4;
    const float *part = (const float *)g.a +
                        (long long)blockIdx.z * g.slices * g.m * g.n + row;
    Output<float> out(g, batch, batch);
    float sum[4] = {};

    if (row >= g.m)
        return;
    for (long long n = blockIdx.y; n < g.n; n += gridDim.y) {
        for (int i = 0; i < 4; i++)
            sum[i] = 0;
        for (int slice = 0; slice < g.slices; slice++)
            for (int i = 0; i < 4; i++)
                if (row + i < g.m)
                    sum[i] += part[((long long)slice * g.n + n) * g.m + i];
        out.put(g, row, (int)n, sum);
    }
}
