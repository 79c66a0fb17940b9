/*
 * Products on Hopper: what groups of four warps (wgmma) multiply out of shared
 * memory, into which tensor maps bring it.  What is asked for and what becomes of
 * sums is the caller's.
 *
 * One warp asks for tiles, as long as a buffer is empty; two groups multiply
 * 64 columns of D each.
 */
#ifndef TEG_TOOLS_VENDOR_KERNELS_WGMMA_CUH
#define TEG_TOOLS_VENDOR_KERNELS_WGMMA_CUH

#include "product.cuh"

#if __CUDA_ARCH__ >= 900

enum {
    BK = 64,
    BN = 128,
    LINE_BYTES = BK * 2,
    GROUPS = 2,
    THREADS = GROUPS * 128 + 32,
    ATOM = 8 * LINE_BYTES,   /* that the swizzle repeats after */
    BLOCK = 64 * LINE_BYTES, /* 64 rows and 64 of k */
};

__device__ unsigned address_of(const void *p)
{
    return (unsigned)__cvta_generic_to_shared(p);
}

/* ---- barriers, by their addresses in shared memory --------------------------------- */

__device__ void barrier_init(unsigned b, unsigned count)
{
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(b), "r"(count));
}
__device__ void barrier_expect(unsigned b, unsigned bytes)
{
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(b),
                 "r"(bytes)
                 : "memory");
}
__device__ void barrier_arrive(unsigned b)
{
    asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(b) : "memory");
}
__device__ void barrier_wait(unsigned b, unsigned parity)
{
    asm volatile("{\n.reg .pred done;\n"
                 "again:\n"
                 "mbarrier.try_wait.parity.shared.b64 done, [%0], %1;\n"
                 "@done bra.uni over;\n"
                 "bra.uni again;\n"
                 "over:\n}" ::"r"(b),
                 "r"(parity)
                 : "memory");
}

/* A box of a tensor: along its lines, across them, of the batch. */
__device__ void ask(unsigned to, const product_map *map, int along, int across,
                    int batch, unsigned b)
{
    asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::"
                 "complete_tx::bytes [%0], [%1, {%2, %3, %4}], [%5];" ::"r"(to),
                 "l"(map), "r"(along), "r"(across), "r"(batch), "r"(b)
                 : "memory");
}

/* ---- tiles ------------------------------------------------------------------------ */

/* R rows and BK of k in shared memory, as maps leave them, which swizzle lines of more
 * than 8: CHUNK of k after CHUNK of k, lines of these one for each row; or, ROWS, 64
 * rows after 64 rows, lines of these one for each k. */
template <int R, bool ROWS_, int CHUNK = BK> struct Operand {
    enum {
        ROWS = ROWS_,
        BYTES = R * LINE_BYTES,
        PART = R * CHUNK * 2,                  /* from chunk to chunk */
        GROUP = ROWS ? BLOCK : 64 * CHUNK * 2, /* from 64 rows to 64 rows */
    };

    /* What wgmma is told of one at `at`. */
    static __device__ uint64_t descriptor(unsigned at)
    {
        /* Of 128 bytes, 64 or 32, or none. */
        const uint64_t swizzle = CHUNK == 64   ? 1
                                 : CHUNK == 32 ? 2
                                 : CHUNK == 16 ? 3
                                               : 0;
        const uint64_t leading = ROWS ? BLOCK : CHUNK == 8 ? PART : 16;
        const uint64_t repeats = 8 * CHUNK * 2;

        return swizzle << 62 | (repeats >> 4) << 32 | (leading >> 4) << 16 |
               (at & 0x3ffff) >> 4;
    }

    /* The `i`-th sixteen of k. */
    static __device__ uint64_t further(uint64_t d, int i)
    {
        return d + (ROWS ? i * 2 * ATOM
                         : i * 16 / CHUNK * PART + i * 16 % CHUNK * 2) /
                       16;
    }

    /* A tile from `row` and `k` on of a matrix; without ROWS, a chunk of it. */
    static __device__ void load(unsigned to, const product_map *map, int row,
                                int k, int batch, unsigned b)
    {
        if (!ROWS) {
            ask(to, map, k, row, batch, b);
        } else {
#pragma unroll
            for (int i = 0; i < R / 64; i++)
                ask(to + i * BLOCK, map, row + i * 64, k, batch, b);
        }
    }
};

/* ---- products --------------------------------------------------------------------- */

#define R8(i)                                                   \
    "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3]), \
        "+f"(d[i + 4]), "+f"(d[i + 5]), "+f"(d[i + 6]), "+f"(d[i + 7])
#define R32(i) R8(i), R8(i + 8), R8(i + 16), R8(i + 24)
#define R64(i)                                                        \
    R8(i), R8(i + 8), R8(i + 16), R8(i + 24), R8(i + 32), R8(i + 40), \
        R8(i + 48), R8(i + 56)

template <class T, bool LEFT_ROWS, bool RIGHT_ROWS> struct Wgmma;

#define WGMMA(type, name)                                                    \
    template <bool LEFT_ROWS, bool RIGHT_ROWS>                               \
    struct Wgmma<type, LEFT_ROWS, RIGHT_ROWS> {                              \
        static __device__ void multiply(float (&d)[32], uint64_t left,       \
                                        uint64_t right)                      \
        {                                                                    \
            asm volatile("{\n.reg .pred adds;\nsetp.eq.u32 adds, 1, 1;\n"    \
                         "wgmma.mma_async.sync.aligned.m64n64k16.f32." name  \
                         "." name " {" SUMS_32                               \
                         "}, %32, %33, adds, 1, 1, %34, "                    \
                         "%35;\n}"                                           \
                         : R32(0)                                            \
                         : "l"(left), "l"(right), "n"((int)LEFT_ROWS),       \
                           "n"((int)RIGHT_ROWS));                            \
        }                                                                    \
        static __device__ void multiply(float (&d)[64], uint64_t left,       \
                                        uint64_t right)                      \
        {                                                                    \
            asm volatile("{\n.reg .pred adds;\nsetp.eq.u32 adds, 1, 1;\n"    \
                         "wgmma.mma_async.sync.aligned.m64n128k16.f32." name \
                         "." name " {" SUMS_64                               \
                         "}, %64, %65, adds, 1, 1, %66, "                    \
                         "%67;\n}"                                           \
                         : R64(0)                                            \
                         : "l"(left), "l"(right), "n"((int)LEFT_ROWS),       \
                           "n"((int)RIGHT_ROWS));                            \
        }                                                                    \
        static __device__ void multiply(float (&d)[128], uint64_t left,      \
                                        uint64_t right)                      \
        {                                                                    \
            asm volatile("{\n.reg .pred adds;\nsetp.eq.u32 adds, 1, 1;\n"    \
                         "wgmma.mma_async.sync.aligned.m64n256k16.f32." name \
                         "." name " {" SUMS_128                              \
                         "}, %128, %129, adds, 1, 1, %130, "                 \
                         "%131;\n}"                                          \
                         : R64(0), R64(64)                                   \
                         : "l"(left), "l"(right), "n"((int)LEFT_ROWS),       \
                           "n"((int)RIGHT_ROWS));                            \
        }                                                                    \
    };
#define SUMS_32                        \
    "%0,%1,%2,%3,%4,%5,%6,%7,"         \
    "%8,%9,%10,%11,%12,%13,%14,%15,"   \
    "%16,%17,%18,%19,%20,%21,%22,%23," \
    "%24,%25,%26,%27,%28,%29,%30,%31"
#define SUMS_64                        \
    "%0,%1,%2,%3,%4,%5,%6,%7,"         \
    "%8,%9,%10,%11,%12,%13,%14,%15,"   \
    "%16,%17,%18,%19,%20,%21,%22,%23," \
    "%24,%25,%26,%27,%28,%29,%30,%31," \
    "%32,%33,%34,%35,%36,%37,%38,%39," \
    "%40,%41,%42,%43,%44,%45,%46,%47," \
    "%48,%49,%50,%51,%52,%53,%54,%55," \
    "%56,%57,%58,%59,%60,%61,%62,%63"
#define SUMS_128                               \
    "%0,%1,%2,%3,%4,%5,%6,%7,"                 \
    "%8,%9,%10,%11,%12,%13,%14,%15,"           \
    "%16,%17,%18,%19,%20,%21,%22,%23,"         \
    "%24,%25,%26,%27,%28,%29,%30,%31,"         \
    "%32,%33,%34,%35,%36,%37,%38,%39,"         \
    "%40,%41,%42,%43,%44,%45,%46,%47,"         \
    "%48,%49,%50,%51,%52,%53,%54,%55,"         \
    "%56,%57,%58,%59,%60,%61,%62,%63,"         \
    "%64,%65,%66,%67,%68,%69,%70,%71,"         \
    "%72,%73,%74,%75,%76,%77,%78,%79,"         \
    "%80,%81,%82,%83,%84,%85,%86,%87,"         \
    "%88,%89,%90,%91,%92,%93,%94,%95,"         \
    "%96,%97,%98,%99,%100,%101,%102,%103,"     \
    "%104,%105,%106,%107,%108,%109,%110,%111," \
    "%112,%113,%114,%115,%116,%117,%118,%119," \
    "%120,%121,%122,%123,%124,%125,%126,%127"
WGMMA(__half, "f16")
WGMMA(__nv_bfloat16, "bf16")

/* Both groups have come here. */
__device__ void together()
{
    asm volatile("bar.sync 1, %0;" ::"n"(GROUPS * 128) : "memory");
}

/* Keeps the compiler from moving sums across what it does not see. */
template <int COUNT> __device__ void fence(float (&d)[COUNT])
{
#pragma unroll
    for (int i = 0; i < COUNT; i++)
        asm volatile("" : "+f"(d[i])::"memory");
}

/* A warp's sums, as wgmma leaves them, into lines of rows: the lane's first column
 * is `column` and its others follow. */
template <int BM, int LINE>
__device__ void put_columns(float (*lines)[LINE], int column,
                            const float (&sum)[BM / 2])
{
#pragma unroll
    for (int j = 0; j < BM / 8; j++)
#pragma unroll
        for (int half = 0; half < 2; half++)
            *(float2 *)&lines[column + half * 8][j * 8 + threadIdx.x % 4 * 2] =
                make_float2(sum[j * 4 + half * 2], sum[j * 4 + half * 2 + 1]);
}

/* Buffers of a ring in turn, and which time it is. */
template <int BYTES> struct Ring {
    const unsigned first, end;
    unsigned at, full, empty, parity;

    __device__ Ring(unsigned first, int stages)
        : first(first), end(first + stages * BYTES), parity(0)
    {
        begin();
    }
    __device__ void begin()
    {
        at = first;
        full = end;
        empty = end + (end - first) / BYTES * 8;
    }
    __device__ void next()
    {
        at += BYTES;
        full += 8;
        empty += 8;
        if (at == end) {
            begin();
            parity ^= 1;
        }
    }
};

/* Sums of `steps` tiles, of which `stages` are on their way: BM rows of the operand
 * Right by BN columns of Left.  One thread makes a Load of `how`, whose `(right,
 * left, step, barrier)` asks for a step's two; the groups' `finish(room, sum)` has
 * all shared memory. */
template <class T, int BM, class Right, class Left, class Load, class How,
          class Finish>
__device__ void by_groups(int stages, int steps, const How &how, Finish finish)
{
    constexpr int STAGE = Right::BYTES + Left::BYTES;
    extern __shared__ char room[];
    unsigned first = (address_of(room) + ATOM - 1) / ATOM * ATOM;
    /* Else it is found anew in every step. */
    asm volatile("" : "+r"(first));
    Ring<STAGE> ring(first, stages);
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;

    if (threadIdx.x == 0) {
        for (int i = 0; i < stages; i++) {
            barrier_init(ring.full + i * 8, 1);
            barrier_init(ring.empty + i * 8, GROUPS);
        }
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    __syncthreads();
    if (warp == GROUPS * 4) {
        if (lane != 0)
            return;
        Load load(how);

        for (int step = 0; step < steps; step++, ring.next()) {
            barrier_wait(ring.empty, ring.parity ^ 1);
            barrier_expect(ring.full, STAGE);
            load(ring.at, ring.at + Right::BYTES, step, ring.full);
        }
    } else {
        const unsigned group = warp / 4 * Left::GROUP;
        unsigned before = 0;
        float sum[BM / 2] = {};

        for (int step = 0; step < steps; step++, ring.next()) {
            uint64_t right = Right::descriptor(ring.at);
            uint64_t left = Left::descriptor(ring.at + Right::BYTES + group);

            barrier_wait(ring.full, ring.parity);
            fence(sum);
            asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
            for (int c = 0; c < BK / 16; c++)
                Wgmma<T, Left::ROWS, Right::ROWS>::multiply(
                    sum, Left::further(left, c), Right::further(right, c));
            asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
            /* Those of the step before have been multiplied. */
            asm volatile("wgmma.wait_group.sync.aligned 1;" ::: "memory");
            fence(sum);
            if (step > 0 && threadIdx.x % 128 == 0)
                barrier_arrive(before);
            before = ring.empty;
        }
        asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
        fence(sum);
        together();
        finish(room + (first - address_of(room)), sum);
    }
}

#endif
#endif
