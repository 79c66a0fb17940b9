/*
 * Teg's kernels for matrix products on Hopper: tensor maps bring tiles, groups
 * of four warps multiply them out of shared memory (wgmma).  Compiled by
 * tools/make_kernels.sh for sm_90a; the rest is in product.cu.
 *
 * One warp asks for tiles, as long as a buffer is empty; two groups multiply
 * 64 columns of D each.  A tile lies in shared memory as the map's swizzle of
 * 128 bytes leaves it: lines of 64 of k if that lies side by side, else, for
 * every 64 rows, lines of these, one for each k.
 */
#include "../../vendor/kernels/product.cuh"

#if __CUDA_ARCH__ >= 900

enum {
    BK = 64,
    BN = 128,
    LINE_BYTES = 128,
    GROUPS = 2,
    THREADS = GROUPS * 128 + 32,
    ATOM = 8 * LINE_BYTES,      /* that the swizzle repeats after */
    BLOCK = 64 * LINE_BYTES,    /* 64 rows and 64 of k */
};

__device__ unsigned address_of(const void *p)
{
    return (unsigned)__cvta_generic_to_shared(p);
}

/* ---- barriers ------------------------------------------------------------------- */

__device__ void barrier_init(uint64_t *b, unsigned count)
{
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(address_of(b)),
                 "r"(count));
}
__device__ void barrier_expect(uint64_t *b, unsigned bytes)
{
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(
                     address_of(b)),
                 "r"(bytes)
                 : "memory");
}
__device__ void barrier_arrive(uint64_t *b)
{
    asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(address_of(b))
                 : "memory");
}
__device__ void barrier_wait(uint64_t *b, unsigned parity)
{
    asm volatile("{\n.reg .pred done;\n"
                 "again:\n"
                 "mbarrier.try_wait.parity.shared.b64 done, [%0], %1;\n"
                 "@done bra.uni over;\n"
                 "bra.uni again;\n"
                 "over:\n}" ::"r"(address_of(b)),
                 "r"(parity)
                 : "memory");
}

/* A box of a tensor: along its lines, across them, of the batch. */
__device__ void ask(char *to, const product_map *map, int along, int across,
                    int batch, uint64_t *b)
{
    asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::"
                 "complete_tx::bytes [%0], [%1, {%2, %3, %4}], [%5];" ::"r"(
                     address_of(to)),
                 "l"(map), "r"(along), "r"(across), "r"(batch),
                 "r"(address_of(b))
                 : "memory");
}

/* A tile of R rows from `row` and BK of k from `k`. */
template <int R, bool ROWS>
__device__ void ask_tile(char *to, const product_map *map, int row, int k,
                         int batch, uint64_t *b)
{
    if (!ROWS) {
        ask(to, map, k, row, batch, b);
    } else {
#pragma unroll
        for (int i = 0; i < R / 64; i++)
            ask(to + i * BLOCK, map, row + i * 64, k, batch, b);
    }
}

/* ---- products --------------------------------------------------------------------- */

/* What wgmma is told of an operand at `at`. */
template <bool ROWS> __device__ uint64_t descriptor(unsigned at)
{
    const uint64_t swizzle = 1ull << 62; /* of 128 bytes */
    const uint64_t leading = ROWS ? BLOCK : 16;

    return swizzle | (uint64_t)(ATOM >> 4) << 32 | (leading >> 4) << 16 |
           (at & 0x3ffff) >> 4;
}

/* Sixteen of k further. */
template <bool ROWS> __device__ uint64_t further(uint64_t d, int i)
{
    return d + i * (ROWS ? 2 * ATOM : 32) / 16;
}

#define R8(i)                                                              \
    "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3]),            \
        "+f"(d[i + 4]), "+f"(d[i + 5]), "+f"(d[i + 6]), "+f"(d[i + 7])
#define R64(i)                                                             \
    R8(i), R8(i + 8), R8(i + 16), R8(i + 24), R8(i + 32), R8(i + 40),      \
        R8(i + 48), R8(i + 56)

template <class T, bool LEFT_ROWS, bool RIGHT_ROWS> struct Wgmma;

#define WGMMA(type, name)                                                  \
    template <bool LEFT_ROWS, bool RIGHT_ROWS>                             \
    struct Wgmma<type, LEFT_ROWS, RIGHT_ROWS> {                            \
        static __device__ void multiply(float (&d)[64], uint64_t left,     \
                                        uint64_t right)                    \
        {                                                                  \
            asm volatile(                                                  \
                "{\n.reg .pred adds;\nsetp.eq.u32 adds, 1, 1;\n"            \
                "wgmma.mma_async.sync.aligned.m64n128k16.f32." name        \
                "." name " {" SUMS_64 "}, %64, %65, adds, 1, 1, %66, "     \
                "%67;\n}"                                                  \
                : R64(0)                                                   \
                : "l"(left), "l"(right), "n"((int)LEFT_ROWS),              \
                  "n"((int)RIGHT_ROWS));                                   \
        }                                                                  \
        static __device__ void multiply(float (&d)[128], uint64_t left,    \
                                        uint64_t right)                    \
        {                                                                  \
            asm volatile(                                                  \
                "{\n.reg .pred adds;\nsetp.eq.u32 adds, 1, 1;\n"            \
                "wgmma.mma_async.sync.aligned.m64n256k16.f32." name        \
                "." name " {" SUMS_128 "}, %128, %129, adds, 1, 1, %130, " \
                "%131;\n}"                                                 \
                : R64(0), R64(64)                                          \
                : "l"(left), "l"(right), "n"((int)LEFT_ROWS),              \
                  "n"((int)RIGHT_ROWS));                                   \
        }                                                                  \
    };
#define SUMS_64 \
    "%0,%1,%2,%3,%4,%5,%6,%7," \
    "%8,%9,%10,%11,%12,%13,%14,%15," \
    "%16,%17,%18,%19,%20,%21,%22,%23," \
    "%24,%25,%26,%27,%28,%29,%30,%31," \
    "%32,%33,%34,%35,%36,%37,%38,%39," \
    "%40,%41,%42,%43,%44,%45,%46,%47," \
    "%48,%49,%50,%51,%52,%53,%54,%55," \
    "%56,%57,%58,%59,%60,%61,%62,%63"
#define SUMS_128 \
    "%0,%1,%2,%3,%4,%5,%6,%7," \
    "%8,%9,%10,%11,%12,%13,%14,%15," \
    "%16,%17,%18,%19,%20,%21,%22,%23," \
    "%24,%25,%26,%27,%28,%29,%30,%31," \
    "%32,%33,%34,%35,%36,%37,%38,%39," \
    "%40,%41,%42,%43,%44,%45,%46,%47," \
    "%48,%49,%50,%51,%52,%53,%54,%55," \
    "%56,%57,%58,%59,%60,%61,%62,%63," \
    "%64,%65,%66,%67,%68,%69,%70,%71," \
    "%72,%73,%74,%75,%76,%77,%78,%79," \
    "%80,%81,%82,%83,%84,%85,%86,%87," \
    "%88,%89,%90,%91,%92,%93,%94,%95," \
    "%96,%97,%98,%99,%100,%101,%102,%103," \
    "%104,%105,%106,%107,%108,%109,%110,%111," \
    "%112,%113,%114,%115,%116,%117,%118,%119," \
    "%120,%121,%122,%123,%124,%125,%126,%127"
WGMMA(__half, "f16")
WGMMA(__nv_bfloat16, "bf16")

/* Keeps the compiler from moving sums across what it does not see. */
template <int COUNT> __device__ void fence(float (&d)[COUNT])
{
#pragma unroll
    for (int i = 0; i < COUNT; i++)
        asm volatile("" : "+f"(d[i])::"memory");
}

template <class T, int BM, int STAGES, bool A_ROWS, bool B_ROWS>
__device__ void groups(const product_mapped &h)
{
    constexpr int STAGE = (BM + BN) * LINE_BYTES;
    constexpr int LINE = BM + 4; /* words */
    extern __shared__ char room[];
    char *s = room + (-address_of(room) & (ATOM - 1));
    uint64_t *full = (uint64_t *)(s + STAGES * STAGE), *empty = full + STAGES;
    const Args &g = h.args;
    const Part<BM, BN> part(g);
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const int steps = (part.to - part.from + BK - 1) / BK;

    if (threadIdx.x == 0) {
        for (int i = 0; i < STAGES; i++) {
            barrier_init(&full[i], 1);
            barrier_init(&empty[i], GROUPS);
        }
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    __syncthreads();
    if (warp == GROUPS * 4) {
        for (int step = 0; lane == 0 && step < steps; step++) {
            int i = step % STAGES, k = part.from + step * BK;
            char *tile = s + i * STAGE;

            barrier_wait(&empty[i], step / STAGES % 2 ^ 1);
            barrier_expect(&full[i], STAGE);
            ask_tile<BM, A_ROWS>(tile, &h.a, part.row, k, part.batch, &full[i]);
            ask_tile<BN, B_ROWS>(tile + BM * LINE_BYTES, &h.b, part.column, k,
                                 part.batch, &full[i]);
        }
    } else {
        const int group = warp / 4;
        float sum[BM / 2] = {};

        for (int step = 0; step < steps; step++) {
            int i = step % STAGES;
            unsigned tile = address_of(s + i * STAGE);
            uint64_t right = descriptor<A_ROWS>(tile);
            uint64_t left =
                descriptor<B_ROWS>(tile + BM * LINE_BYTES + group * BLOCK);

            barrier_wait(&full[i], step / STAGES % 2);
            fence(sum);
            asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
            for (int c = 0; c < BK / 16; c++)
                Wgmma<T, B_ROWS, A_ROWS>::multiply(sum,
                                                   further<B_ROWS>(left, c),
                                                   further<A_ROWS>(right, c));
            asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
            /* Those of the step before have been multiplied. */
            asm volatile("wgmma.wait_group.sync.aligned 1;" ::: "memory");
            fence(sum);
            if (step > 0 && threadIdx.x % 128 == 0)
                barrier_arrive(&empty[(step - 1) % STAGES]);
        }
        asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
        fence(sum);
        /* Both groups: what they put lies where tiles were. */
        asm volatile("bar.sync 1, %0;" ::"n"(GROUPS * 128) : "memory");

        float(*lines)[LINE] = (float(*)[LINE])(s + warp * 16 * LINE * 4);
        Output<float> out(g, part.batch, part.slot);
#pragma unroll
        for (int j = 0; j < BM / 8; j++)
#pragma unroll
            for (int half = 0; half < 2; half++)
                *(float2 *)&lines[half * 8 + lane / 4][j * 8 + lane % 4 * 2] =
                    make_float2(sum[j * 4 + half * 2],
                                sum[j * 4 + half * 2 + 1]);
        __syncwarp();
        out.lines<BM, LINE>(&lines[0][0], part.row, part.column + warp * 16);
    }
}

#define KERNEL(name, blocks, ...)                                 \
    extern "C" __global__ void __launch_bounds__(THREADS, blocks) \
        teg_cublas_##name(const __grid_constant__ product_mapped h) \
    {                                                             \
        groups<__VA_ARGS__>(h);                                   \
    }
#else
#define KERNEL(name, blocks, ...)
#endif

#define OPERATIONS(name, blocks, ...)            \
    KERNEL(name##_nn, blocks, __VA_ARGS__, true, false)  \
    KERNEL(name##_nt, blocks, __VA_ARGS__, true, true)   \
    KERNEL(name##_tn, blocks, __VA_ARGS__, false, false) \
    KERNEL(name##_tt, blocks, __VA_ARGS__, false, true)

OPERATIONS(hgemm_wgmma_256x128, 1, __half, 256, 4)
OPERATIONS(hgemm_wgmma_128x128, 2, __half, 128, 3)
OPERATIONS(bgemm_wgmma_256x128, 1, __nv_bfloat16, 256, 4)
OPERATIONS(bgemm_wgmma_128x128, 2, __nv_bfloat16, 128, 3)
