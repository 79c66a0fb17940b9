/*
 * A block's product by tensor instructions: tiles of 64 bytes of k, swizzled so
 * that ldmatrix has no bank conflicts; three buffers by cp.async, or two through
 * registers on sm_75.  Who brings the tiles is the caller's.
 */
#ifndef TEG_TOOLS_VENDOR_KERNELS_TENSOR_CUH
#define TEG_TOOLS_VENDOR_KERNELS_TENSOR_CUH

#include "product.cuh"

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

/* `steps` tiles of k, for the part of D that begins at (row, column); a warp
 * makes WM rows and WN columns of it.  `open` gives what sums are put into. */
template <class T, int BM, int BN, int WM, int WN, bool A_ROWS, bool B_ROWS,
          class A, class B, class Open>
__device__ void tensors(A &a, B &b, int steps, int row, int column, Open open)
{
    constexpr int LINE = WM + 4; /* words */
    typedef Tile<T, BM, A_ROWS> TileA;
    typedef Tile<T, BN, B_ROWS> TileB;
    constexpr int STAGE = TileA::BYTES + TileB::BYTES;
    extern __shared__ __align__(128) char s[];
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const int wm = warp % (BM / WM) * WM, wn = warp / (BM / WM) * WN;
    Fragments<T, BN, B_ROWS, true> lefts(wn);
    Fragments<T, BM, A_ROWS, false> rights(wm);
    float sum[WN / 16][WM / 8][4] = {};
    unsigned left[2][WN / 16][4], right[2][WM / 16][4];
    const char *tile = s;
    int reads = 0, writes = BUFFERS - 1;

#pragma unroll
    for (int i = 0; i < BUFFERS - 1; i++) {
        a.load(s + i * STAGE);
        b.load(s + i * STAGE + TileA::BYTES);
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
                    a.load(next);
                    b.load(next + TileA::BYTES);
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
    auto out = open();
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
        out.template lines<WM, LINE>(&lines[0][0], row + wm,
                                     column + wn + pass * 16);
        __syncwarp();
    }
}

#endif
