/*
 * Teg's kernels for forward convolutions on Hopper, and by data where there is one
 * part: tensor maps bring what a tap finds around a tile's pixels (im2col), groups
 * of four warps multiply it (wgmma).  Compiled by tools/make_kernels.sh for sm_90a;
 * which convolutions they take: tools/cudnn/hopper.c, the rest is in conv.cu.
 *
 * A sum's slices of k are blocks of one cluster, which add them up out of each
 * other's shared memory.
 */
#include "../../vendor/kernels/wgmma.cuh"
#include "pixel.cuh"

#if __CUDA_ARCH__ >= 900

typedef struct conv_mapped Conv;

enum {
    PIXELS = CONV_MAPPED_PIXELS,
    WARPS = GROUPS * 4,
    AT_ONCE = 4, /* columns that a warp stores */
    SLICES = 8,  /* at most */
};
static_assert(PIXELS == BN, "groups have these");

/* ---- a block's part ------------------------------------------------------------- */

struct Place {
    const Conv &v;
    int filter, pixel; /* the first ones */
    int group, image;
    int batch, from, to;

    /* Blocks that run at the same time have the same pixels. */
    __device__ Place(const Conv &v, int filters) : v(v)
    {
        const int across = ((v.turned ? v.g.n : v.g.m) + filters - 1) / filters;
        const int tile = blockIdx.x / across;

        pixel = tile * PIXELS;
        filter = (blockIdx.x - tile * across) * filters;
        batch = blockIdx.z / v.g.slices;
        from = (blockIdx.z - batch * v.g.slices) * v.g.slice;
        to = min(v.g.k, from + v.g.slice);
        image = v.turned ? batch / v.groups : 0;
        group = batch - image * v.groups;
    }
};

/* ---- what maps bring ------------------------------------------------------------ */

/* Channels `c` on of pixels from `at` on, moved by a tap's `by`. */
__device__ void ask_pixels(unsigned to, const Conv &v, int c, const Pixel &x,
                           const int (&by)[CONV_DIMS], unsigned b)
{
    if (v.rank == 3)
        asm volatile(
            "cp.async.bulk.tensor.3d.shared::cluster.global.im2col.mbarrier::"
            "complete_tx::bytes [%0], [%1, {%2, %3, %4}], [%5], {%6};" ::"r"(
                to),
            "l"(&v.image), "r"(c), "r"(x.at[2]), "r"(x.image), "r"(b),
            "h"((short)by[2])
            : "memory");
    else if (v.rank == 4)
        asm volatile(
            "cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::"
            "complete_tx::bytes [%0], [%1, {%2, %3, %4, %5}], [%6], {%7, "
            "%8};" ::"r"(to),
            "l"(&v.image), "r"(c), "r"(x.at[2]), "r"(x.at[1]), "r"(x.image),
            "r"(b), "h"((short)by[2]), "h"((short)by[1])
            : "memory");
    else
        asm volatile(
            "cp.async.bulk.tensor.5d.shared::cluster.global.im2col.mbarrier::"
            "complete_tx::bytes [%0], [%1, {%2, %3, %4, %5, %6}], [%7], "
            "{%8, %9, %10};" ::"r"(to),
            "l"(&v.image), "r"(c), "r"(x.at[2]), "r"(x.at[1]), "r"(x.at[0]),
            "r"(x.image), "r"(b), "h"((short)by[2]), "h"((short)by[1]),
            "h"((short)by[0])
            : "memory");
}

/* Taps and chunks of channels in turn: those of images, of which a pixel is
 * followed by the next in the result's order, and those of filters. */
template <int FILTERS, int CHUNK> struct Taps {
    typedef Operand<FILTERS, false, CHUNK> Right;
    typedef Operand<PIXELS, false, CHUNK> Left;
    const Conv &v;
    const Place &place;
    Pixel first;
    int chunk, number, tap[CONV_DIMS];

    __device__ Taps(const Place &p) : v(p.v), place(p), first(v.grid, p.pixel)
    {
        int t = p.from / CHUNK / v.chunks;

        first.image += p.image;
        chunk = p.from / CHUNK - t * v.chunks;
        number = t;
#pragma unroll
        for (int i = CONV_DIMS - 1; i >= 0; i--) {
            int more = t / v.taps[i];

            first.at[i] = first.at[i] * v.step[i] + v.add[i];
            tap[i] = t - more * v.taps[i];
            t = more;
        }
        tap[0] += t * v.taps[0];
    }

    __device__ void next()
    {
        if (++chunk < v.chunks)
            return;
        chunk = 0;
        number++;
        if (++tap[2] == v.taps[2]) {
            tap[2] = 0;
            if (++tap[1] == v.taps[1]) {
                tap[1] = 0;
                tap[0]++;
            }
        }
    }

    __device__ void operator()(unsigned right, unsigned left, int, unsigned b)
    {
#pragma unroll 1
        for (int i = 0; i < BK / CHUNK; i++) {
            /* After the last tap come zeros. */
            const bool is_one = tap[0] < v.taps[0];
            const int c = chunk * CHUNK;
            int by[CONV_DIMS];

#pragma unroll
            for (int d = 0; d < CONV_DIMS; d++)
                by[d] = is_one ? v.base[d] + tap[d] * v.each[d] : 0;
            ask(right + i * Right::PART, &v.filters, c, number,
                place.filter + place.group * v.count, b);
            ask_pixels(left + i * Left::PART, v,
                       is_one ? c + place.group * v.channels : v.outside, first,
                       by, b);
            next();
        }
    }
};

/* One tap of images that lie channel by channel: matrices. */
template <int FILTERS, bool BACK> struct Planes {
    typedef Operand<FILTERS, BACK> Right;
    typedef Operand<PIXELS, true> Left;
    const Conv &v;
    const Place &place;

    __device__ Planes(const Place &p) : v(p.v), place(p)
    {
    }
    __device__ void operator()(unsigned right, unsigned left, int step,
                               unsigned b)
    {
        const int k = place.from + step * BK;

        Right::load(right, &v.filters, place.filter, k, 0, b);
        Left::load(left, &v.image, place.pixel, k, place.image, b);
    }
};

/* ---- what becomes of sums ------------------------------------------------------- */

/* A bias is a filter's. */
struct Across {
    const int n;
    const bool turned;

    __device__ long long operator()(int column) const
    {
        return column;
    }
    __device__ int biased(int row, int column) const
    {
        return turned ? column : row;
    }
};

/* As put_columns does, but lines are of columns. */
template <int BM, int LINE>
__device__ void put_rows(float (*lines)[LINE], int column,
                         const float (&sum)[BM / 2])
{
#pragma unroll
    for (int i = 0; i < BM / 2; i++)
        lines[i / 4 * 8 + threadIdx.x % 4 * 2 + i % 2][column + i % 4 / 2 * 8] =
            sum[i];
}

__device__ void cluster_together()
{
    asm volatile("barrier.cluster.arrive.aligned;\n"
                 "barrier.cluster.wait.aligned;" ::
                     : "memory");
}

/* What lies at `p` in the cluster's other block. */
__device__ float4 of_block(const float4 *p, int block)
{
    unsigned at;
    float4 x;

    asm("mapa.shared::cluster.u32 %0, %1, %2;"
        : "=r"(at)
        : "r"(address_of(p)), "r"(block));
    asm volatile("ld.shared::cluster.v4.f32 {%0, %1, %2, %3}, [%4];"
                 : "=f"(x.x), "=f"(x.y), "=f"(x.z), "=f"(x.w)
                 : "r"(at));
    return x;
}

/* Sums of all slices, of which each block has a share of the lines; a warp's
 * reads are on their way together. */
template <int ROWS> __device__ void add_slices(float4 *lines, int slices)
{
    constexpr int ACROSS = ROWS / 4, LINE = ACROSS + 1, COUNT = 2;

#pragma unroll 1
    for (int first = threadIdx.x % 32; first < AT_ONCE * ACROSS;
         first += COUNT * 32) {
        float4 part[COUNT][SLICES];

#pragma unroll
        for (int i = 0; i < COUNT; i++)
#pragma unroll
            for (int s = 0; s < SLICES; s++) {
                const int at = first + i * 32;

                part[i][s] = make_float4(0, 0, 0, 0);
                if (s < slices && at < AT_ONCE * ACROSS)
                    part[i][s] =
                        of_block(&lines[at / ACROSS * LINE + at % ACROSS], s);
            }
#pragma unroll
        for (int i = 0; i < COUNT; i++) {
            const int at = first + i * 32;
            float4 sum = part[i][0];

#pragma unroll
            for (int s = 1; s < SLICES; s++) {
                sum.x += part[i][s].x;
                sum.y += part[i][s].y;
                sum.z += part[i][s].z;
                sum.w += part[i][s].w;
            }
            if (at < AT_ONCE * ACROSS)
                lines[at / ACROSS * LINE + at % ACROSS] = sum;
        }
    }
}

/* ROWS rows of COLUMNS columns, which lie in lines. */
template <int ROWS, int COLUMNS>
__device__ void store_lines(const Conv &v, const Place &place, float *lines,
                            int row, int column)
{
    constexpr int LINE = ROWS + 4; /* words */
    const int slice = v.g.slices > 1 ? blockIdx.z % v.g.slices : 0;
    Output<float, Across> out(v.g, place.batch, place.batch,
                              Across{v.g.n, v.turned != 0});

    if (v.g.slices > 1)
        cluster_together();
    else
        together();
#pragma unroll 1
    for (int c = (slice * WARPS + threadIdx.x / 32) * AT_ONCE; c < COLUMNS;
         c += v.g.slices * WARPS * AT_ONCE) {
        if (column + c >= v.g.n)
            break;
        if (v.g.slices > 1)
            add_slices<ROWS>((float4 *)(lines + c * LINE), v.g.slices);
        __syncwarp();
        out.template lines<ROWS, LINE, AT_ONCE>(lines + c * LINE, row,
                                                column + c);
    }
    if (v.g.slices > 1) /* others have read this block's */
        asm volatile("barrier.cluster.arrive.relaxed.aligned;\n"
                     "barrier.cluster.wait.aligned;" ::
                         : "memory");
}

template <class T, int FILTERS, class Load>
__device__ void convolve(const Conv &v)
{
    const Place place(v, FILTERS);

    by_groups<T, FILTERS, typename Load::Right, typename Load::Left, Load>(
        v.stages, (place.to - place.from) / BK, place,
        [&](char *s, float(&sum)[FILTERS / 2]) {
            const int pixel = threadIdx.x / 32 * 16 + threadIdx.x % 32 / 4;

            if (v.turned) {
                put_rows<FILTERS, PIXELS + 4>((float(*)[PIXELS + 4]) s, pixel,
                                              sum);
                store_lines<PIXELS, FILTERS>(v, place, (float *)s, place.pixel,
                                             place.filter);
            } else {
                put_columns<FILTERS, FILTERS + 4>((float(*)[FILTERS + 4]) s,
                                                  pixel, sum);
                store_lines<FILTERS, PIXELS>(v, place, (float *)s, place.filter,
                                             place.pixel);
            }
        });
}

#define KERNEL(name, blocks, ...)                                 \
    extern "C" __global__ void __launch_bounds__(THREADS, blocks) \
        teg_cudnn_##name(const __grid_constant__ Conv v)          \
    {                                                             \
        convolve<__VA_ARGS__>(v);                                 \
    }
#else
#define KERNEL(name, blocks, ...)
#endif

#define CHUNKS(kind, type, filters, blocks)                               \
    KERNEL(kind##conv_wgmma_##filters##x128_8, blocks, type, filters,     \
           Taps<filters, 8>)                                              \
    KERNEL(kind##conv_wgmma_##filters##x128_16, blocks, type, filters,    \
           Taps<filters, 16>)                                             \
    KERNEL(kind##conv_wgmma_##filters##x128_32, blocks, type, filters,    \
           Taps<filters, 32>)                                             \
    KERNEL(kind##conv_wgmma_##filters##x128_64, blocks, type, filters,    \
           Taps<filters, 64>)                                             \
    KERNEL(kind##point_wgmma_##filters##x128, blocks, type, filters,      \
           Planes<filters, false>)                                        \
    KERNEL(kind##point_back_wgmma_##filters##x128, blocks, type, filters, \
           Planes<filters, true>)
#define TILES(kind, type)      \
    CHUNKS(kind, type, 256, 1) \
    CHUNKS(kind, type, 128, 2) \
    CHUNKS(kind, type, 64, 2)

TILES(h, __half)
TILES(b, __nv_bfloat16)
