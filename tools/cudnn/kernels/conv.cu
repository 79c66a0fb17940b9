/*
 * Teg's kernels for convolutions, in place of those of cuDNN.  Compiled by
 * tools/make_kernels.sh; which one a convolution gets: tools/cudnn/convolution.c.
 * What brings tiles of images is here, the rest is a product's.
 */
#include "../../vendor/kernels/matrix.cuh"
#include "pixel.cuh"

typedef struct conv_args Conv;

/* ---- pixels ----------------------------------------------------------------------- */

/* Columns of a result: its pixels, or those of a part. */
struct Columns {
    const Conv &v;
    const conv_part &p;
    const int n;

    __device__ Columns(const Conv &v, const conv_part &p) : v(v), p(p), n(p.n)
    {
    }
    __device__ long long operator()(int column) const
    {
        if (v.parts == 0)
            return column;
        Pixel x(p.grid, column);
        long long place = x.image;

#pragma unroll
        for (int i = 0; i < CONV_DIMS; i++)
            place = place * v.result[i] + x.at[i] * v.apart[i] + p.first[i];
        return place;
    }
    __device__ int biased(int row, int) const
    {
        return row;
    }
};

/* Taps and channels in turn, as many elements on as a tile has of k; what a
 * tap needs of a pixel's mask. */
struct Walk {
    const Conv &v;
    const conv_part &p;
    int channel, tap[CONV_DIMS], on;
    int left; /* of k */

    __device__ Walk(const Conv &v, const conv_part &p, int from, int to)
        : v(v), p(p), left(to - from)
    {
        int t = from / v.channels;

        channel = from - t * v.channels;
        on = channel;
#pragma unroll
        for (int i = CONV_DIMS - 1; i >= 0; i--) {
            int more = t / p.taps[i];

            tap[i] = t - more * p.taps[i];
            t = more;
        }
        on += ((tap[0] * p.each[0] * v.image[1] + tap[1] * p.each[1]) *
                   v.image[2] +
               tap[2] * p.each[2]) *
              v.pixel;
    }

    __device__ unsigned needs() const
    {
        if (left <= 0)
            return ~0u;
        return 1u << tap[0] | 1u << p.taps[0] << tap[1] |
               1u << (p.taps[0] + p.taps[1]) << tap[2];
    }

    __device__ void next(int by)
    {
        left -= by;
        channel += by;
        on += by;
#pragma unroll 1
        while (channel >= v.channels) {
            channel -= v.channels;
            on += p.jump[2];
            if (++tap[2] == p.taps[2]) {
                tap[2] = 0;
                on += p.jump[1];
                if (++tap[1] == p.taps[1]) {
                    tap[1] = 0;
                    on += p.jump[0];
                    tap[0]++;
                }
            }
        }
    }
};

/* Which taps of a dimension find something, from where the first one is: bits
 * of those from the first to the last. */
__device__ unsigned taps_within(const Conv &v, const conv_part &p, int i, int at)
{
    int from, to;

    if (p.each[i] > 0) {
        from = at < 0 ? over(p.reach[i].by - 1 - at, p.reach[i]) : 0;
        to = at < v.image[i] ? over(v.image[i] - 1 - at, p.reach[i]) + 1 : 0;
    } else {
        from = at < v.image[i] ? 0 : over(at - v.image[i], p.reach[i]) + 1;
        to = at < 0 ? 0 : over(at, p.reach[i]) + 1;
    }
    to = min(to, p.taps[i]);
    return from < to ? (1u << to) - (1u << from) : 0;
}

/* What is around a pixel: where its first tap would be, and a bit for each tap
 * of each dimension that finds something. */
struct Around {
    int at; /* elements from the image's first */
    unsigned mask;

    __device__ void place(const Conv &v, const conv_part &p, int number)
    {
        const Pixel x(p.grid, number);
        int pixel = x.image, shift = 0;

        mask = 0;
#pragma unroll
        for (int i = 0; i < CONV_DIMS; i++) {
            int c = x.at[i] * v.step[i] + p.add[i];

            pixel = pixel * v.image[i] + c;
            mask |= taps_within(v, p, i, c) << shift;
            shift += p.taps[i];
        }
        at = pixel * v.pixel;
        if (number >= p.n)
            mask = 0;
    }
    __device__ bool has(unsigned needs) const
    {
        return (needs & ~mask) == 0;
    }
};

/* ---- tiles for tensor instructions ---------------------------------------------------- */

/* Sixteen bytes into a tile at `to`; `valid`: or zeros. */
__device__ void move_piece(char *tile, unsigned to, const void *from, bool valid,
                           uint4 &got)
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(
                     shared_address(tile) + to),
                 "l"(from), "r"(valid ? 16 : 0)
                 : "memory");
#else
    got = valid ? __ldg((const uint4 *)from) : make_uint4(0, 0, 0, 0);
#endif
}

template <int COUNT, int APART>
__device__ void keep_pieces(char *tile, unsigned to, const uint4 (&got)[COUNT])
{
#if __CUDA_ARCH__ < 800
#pragma unroll
    for (int i = 0; i < COUNT; i++)
        *(uint4 *)(tile + to + i * APART) = got[i];
#endif
}

/* Lines of k: what taps find around R pixels. */
template <class T, int R, int THREADS> struct Pixels {
    typedef Tile<T, R, false> Layout;
    enum {
        COUNT = Layout::BYTES / 16 / THREADS,
        LINES = THREADS / Layout::PIECES,
        APART = THREADS * 16, /* bytes from piece to piece of a thread */
    };
    const T *const image;
    Around around[COUNT];
    Walk walk;
    unsigned to;
    uint4 got[COUNT];

    __device__ Pixels(const Conv &v, const conv_part &p, const T *image,
                      int pixel, int from, int end)
        : image(image),
          walk(v, p, from + threadIdx.x % Layout::PIECES * Layout::EACH, end)
    {
        int line = threadIdx.x / Layout::PIECES;

        to = Layout::offset(line, threadIdx.x % Layout::PIECES);
#pragma unroll
        for (int i = 0; i < COUNT; i++)
            around[i].place(v, p, pixel + line + i * LINES);
    }

    __device__ void load(char *tile)
    {
        const unsigned needs = walk.needs();

#pragma unroll
        for (int i = 0; i < COUNT; i++)
            move_piece(tile, to + i * APART, image + (around[i].at + walk.on),
                       around[i].has(needs), got[i]);
        walk.next(Layout::BK);
    }
    __device__ void keep(char *tile)
    {
        keep_pieces<COUNT, APART>(tile, to, got);
    }
};

/* Of a matrix whose lines are whole pieces: lines of k, or, ROWS, lines of rows,
 * one for each k. */
template <class T, int R, int THREADS, bool ROWS> struct Lines {
    typedef Tile<T, R, ROWS> Layout;
    enum {
        COUNT = Layout::BYTES / 16 / THREADS,
        LINES = THREADS / Layout::PIECES,
        APART = THREADS * 16,
    };
    const T *const matrix;
    int at[COUNT], left; /* of k, from the first piece's */
    const int on;        /* from tile to tile */
    bool is_one;
    unsigned to;
    uint4 got[COUNT];

    /* Rows and k count in elements, from the matrix's first. */
    __device__ Lines(const T *matrix, int ld, int row, int rows, int from,
                     int end)
        : matrix(matrix), on(ROWS ? Layout::BK * ld : Layout::BK)
    {
        const int line = threadIdx.x / Layout::PIECES;
        const int piece = threadIdx.x % Layout::PIECES * Layout::EACH;

        to = Layout::offset(line, threadIdx.x % Layout::PIECES);
        is_one = !ROWS || row + piece < rows;
        left = end - from - (ROWS ? line : piece);
#pragma unroll
        for (int i = 0; i < COUNT; i++) {
            int l = line + i * LINES;

            /* Of rows that are none, another's: their sums are not stored. */
            at[i] = ROWS ? row + piece + (from + l) * ld
                         : from + piece + min(row + l, rows - 1) * ld;
        }
    }

    __device__ void load(char *tile)
    {
#pragma unroll
        for (int i = 0; i < COUNT; i++) {
            move_piece(tile, to + i * APART, matrix + at[i],
                       is_one && left > (ROWS ? i * LINES : 0), got[i]);
            at[i] += on;
        }
        left -= Layout::BK;
    }
    __device__ void keep(char *tile)
    {
        keep_pieces<COUNT, APART>(tile, to, got);
    }
};

/* A tap's place in the image and a channel, for which pixels are added up. */
template <class T> struct Tap {
    const Conv &v;
    const conv_part &p;
    const T *image;
    int add[CONV_DIMS];
    bool is_one;

    __device__ Tap(const Conv &v, const conv_part &p, const T *image, int row)
        : v(v), p(p), image(image), is_one(row < v.g.m)
    {
        int t = row / v.channels;

        this->image += row - t * v.channels;
#pragma unroll
        for (int i = CONV_DIMS - 1; i >= 0; i--) {
            int more = t / p.taps[i];

            add[i] = p.add[i] + (t - more * p.taps[i]) * p.each[i];
            t = more;
        }
    }

    /* false: there is none. */
    __device__ bool find(int number, int end, const T *&at) const
    {
        Pixel x(p.grid, number);
        long long pixel = x.image;
        bool valid = is_one && number < end;

#pragma unroll
        for (int i = 0; i < CONV_DIMS; i++) {
            int c = x.at[i] * v.step[i] + add[i];

            valid = valid && (unsigned)c < (unsigned)v.image[i];
            pixel = pixel * v.image[i] + c;
        }
        at = valid ? image + pixel * v.pixel : image;
        return valid;
    }
};

/* Lines of taps and channels, one for each pixel. */
template <class T, int R, int THREADS> struct Taps {
    typedef Tile<T, R, true> Layout;
    enum {
        COUNT = Layout::BYTES / 16 / THREADS,
        LINES = THREADS / Layout::PIECES,
        APART = THREADS * 16,
    };
    const Tap<T> tap;
    int pixel;
    const int end;
    unsigned to;
    uint4 got[COUNT];

    __device__ Taps(const Conv &v, const conv_part &p, const T *image, int row,
                    int from, int end)
        : tap(v, p, image,
              row + threadIdx.x % Layout::PIECES * Layout::EACH),
          end(end)
    {
        int line = threadIdx.x / Layout::PIECES;

        pixel = from + line;
        to = Layout::offset(line, threadIdx.x % Layout::PIECES);
    }

    __device__ void load(char *tile)
    {
#pragma unroll
        for (int i = 0; i < COUNT; i++) {
            const T *at;
            bool valid = tap.find(pixel + i * LINES, end, at);

            move_piece(tile, to + i * APART, at, valid, got[i]);
        }
        pixel += Layout::BK;
    }
    __device__ void keep(char *tile)
    {
        keep_pieces<COUNT, APART>(tile, to, got);
    }
};

/* ---- tiles for multiply-adds ------------------------------------------------------------ */

template <class In> __device__ Four<In> none()
{
    return Four<In>{{zero<In>(), zero<In>(), zero<In>(), zero<In>()}};
}

/* The same two, four elements at a time, through registers. */
template <class In, int R, int BK, int THREADS> struct PixelsOfSums {
    enum { COUNT = R * BK / 4 / THREADS, LINES = THREADS / (BK / 4) };
    const In *const image;
    Around around[COUNT];
    Walk walk;
    Four<In> got[COUNT];

    __device__ PixelsOfSums(const Conv &v, const conv_part &p, const In *image,
                            int pixel, int from, int end)
        : image(image),
          walk(v, p, from + threadIdx.x % (BK / 4) * 4, end)
    {
#pragma unroll
        for (int i = 0; i < COUNT; i++)
            around[i].place(v, p, pixel + threadIdx.x / (BK / 4) + i * LINES);
    }

    __device__ void load()
    {
        const unsigned needs = walk.needs();

#pragma unroll
        for (int i = 0; i < COUNT; i++)
            got[i] = around[i].has(needs)
                         ? fetch(image + (around[i].at + walk.on))
                         : none<In>();
        walk.next(BK);
    }
    template <class Sum, int LINE> __device__ void keep(Sum (*tile)[LINE])
    {
#pragma unroll
        for (int i = 0; i < COUNT; i++)
#pragma unroll
            for (int j = 0; j < 4; j++)
                tile[threadIdx.x % (BK / 4) * 4 + j]
                    [threadIdx.x / (BK / 4) + i * LINES] =
                        to<Sum>(got[i].x[j]);
    }
};

template <class In, int R, int BK, int THREADS> struct TapsOfSums {
    enum { COUNT = R * BK / 4 / THREADS, LINES = THREADS / (R / 4) };
    const Tap<In> tap;
    int pixel;
    const int end;
    Four<In> got[COUNT];

    __device__ TapsOfSums(const Conv &v, const conv_part &p, const In *image,
                          int row, int from, int end)
        : tap(v, p, image, row + threadIdx.x % (R / 4) * 4),
          pixel(from + threadIdx.x / (R / 4)), end(end)
    {
    }

    __device__ void load()
    {
#pragma unroll
        for (int i = 0; i < COUNT; i++) {
            const In *at;

            got[i] = tap.find(pixel + i * LINES, end, at) ? fetch(at)
                                                          : none<In>();
        }
        pixel += BK;
    }
    template <class Sum, int LINE> __device__ void keep(Sum (*tile)[LINE])
    {
#pragma unroll
        for (int i = 0; i < COUNT; i++) {
            Four<Sum> four;

#pragma unroll
            for (int j = 0; j < 4; j++)
                four.x[j] = to<Sum>(got[i].x[j]);
            *(Four<Sum> *)&tile[threadIdx.x / (R / 4) + i * LINES]
                               [threadIdx.x % (R / 4) * 4] = four;
        }
    }
};

/* ---- convolutions ------------------------------------------------------------------ */

/* Filters by pixels. */
template <class T, int BM, int BN, int WM, int WN>
__device__ void forward(const Conv &v)
{
    constexpr int THREADS = BM / WM * (BN / WN) * 32;
    constexpr int BK = Tile<T, BM, false>::BK;
    const conv_part &p = v.part[blockIdx.y];
    const Part<BM, BN> part(v.g, p.n, p.k);

    if (part.column >= p.n)
        return;
    Lines<T, BM, THREADS, false> a((const T *)p.filters + part.batch * p.group,
                                   (int)p.ld, part.row, v.g.m, part.from,
                                   part.to);
    Pixels<T, BN, THREADS> b(v, p,
                             (const T *)v.g.b + part.batch * v.g.stride_b,
                             part.column, part.from, part.to);

    tensors<T, BM, BN, WM, WN, false, false>(
        a, b, (part.to - part.from + BK - 1) / BK, part.row, part.column, [&] {
            return Output<float, Columns>(v.g, part.batch, part.slot,
                                          Columns(v, p));
        });
}

template <class In, class Sum, int BM, int BN, int BK, int TM, int TN>
__device__ void forward_sums(const Conv &v)
{
    constexpr int THREADS = BM / TM * (BN / TN);
    const conv_part &p = v.part[blockIdx.y];
    const Part<BM, BN> part(v.g, p.n, p.k);

    if (part.column >= p.n)
        return;
    Share<In, BM, BK, THREADS, false> a((const In *)p.filters +
                                            part.batch * p.group,
                                        p.ld, part.row, v.g.m, part.from,
                                        part.to);
    PixelsOfSums<In, BN, BK, THREADS> b(
        v, p, (const In *)v.g.b + part.batch * v.g.stride_b, part.column,
        part.from, part.to);

    sums<Sum, BM, BN, BK, TM, TN>(
        a, b, part.to - part.from, part.row, part.column, [&] {
            return Output<Sum, Columns>(v.g, part.batch, part.slot,
                                        Columns(v, p));
        });
}

/* Taps and channels by filters, over pixels. */
template <class T, int BM, int BN, int WM, int WN>
__device__ void by_filter(const Conv &v)
{
    constexpr int THREADS = BM / WM * (BN / WN) * 32;
    constexpr int BK = Tile<T, BM, true>::BK;
    const Part<BM, BN> part(v.g);
    Taps<T, BM, THREADS> a(v, v.part[0],
                           (const T *)v.g.a + part.batch * v.g.stride_a,
                           part.row, part.from, part.to);
    Lines<T, BN, THREADS, true> b((const T *)v.g.b + part.batch * v.g.stride_b,
                                  (int)v.g.ldb, part.column, v.g.n, part.from,
                                  part.to);

    tensors<T, BM, BN, WM, WN, true, true>(
        a, b, (part.to - part.from + BK - 1) / BK, part.row, part.column,
        [&] { return Output<float>(v.g, part.batch, part.slot); });
}

template <class In, class Sum, int BM, int BN, int BK, int TM, int TN>
__device__ void by_filter_sums(const Conv &v)
{
    constexpr int THREADS = BM / TM * (BN / TN);
    const Part<BM, BN> part(v.g);
    TapsOfSums<In, BM, BK, THREADS> a(
        v, v.part[0], (const In *)v.g.a + part.batch * v.g.stride_a, part.row,
        part.from, part.to);
    Share<In, BN, BK, THREADS, true> b((const In *)v.g.b +
                                           part.batch * v.g.stride_b,
                                       v.g.ldb, part.column, v.g.n, part.from,
                                       part.to);

    sums<Sum, BM, BN, BK, TM, TN>(
        a, b, part.to - part.from, part.row, part.column,
        [&] { return Output<Sum>(v.g, part.batch, part.slot); });
}

/* `blocks` is for how many an SM has registers. */
#define KERNEL(name, threads, blocks, ...)                        \
    extern "C" __global__ void __launch_bounds__(threads, blocks) \
        teg_cudnn_##name(const __grid_constant__ Conv v)          \
    {                                                             \
        __VA_ARGS__(v);                                           \
    }
/* Filters of one tap, of images whose pixels lie side by side: a product for each
 * image, whose rows are pixels. */
#define POINT(name, threads, blocks, ...)                         \
    extern "C" __global__ void __launch_bounds__(threads, blocks) \
        teg_cudnn_##name(const __grid_constant__ Conv v)          \
    {                                                             \
        __VA_ARGS__(v.g);                                         \
    }
#define ALL(kind, tile, threads, blocks, how, by, ...)                   \
    BOTH(kind, tile, threads, blocks, how, __VA_ARGS__)                  \
    POINT(kind##point_##tile, threads, blocks, by<__VA_ARGS__, true, false>) \
    POINT(kind##point_back_##tile, threads, blocks, by<__VA_ARGS__, true, true>)
#define BOTH(kind, tile, threads, blocks, how, ...)               \
    KERNEL(kind##conv_##tile, threads, blocks, forward##how<__VA_ARGS__>) \
    KERNEL(kind##wgrad_##tile, threads, blocks,              \
           by_filter##how<__VA_ARGS__>)
#define TENSORS(kind, type)                                     \
    ALL(kind, 128x128, 128, 2, , by_tensors, type, 128, 128, 64, 64) \
    ALL(kind, 64x128, 128, 3, , by_tensors, type, 64, 128, 32, 64)   \
    ALL(kind, 64x64, 128, 4, , by_tensors, type, 64, 64, 32, 32)

ALL(s, 128x128, 256, 2, _sums, by_sums, float, float, 128, 128, 8, 8, 8)
ALL(s, 64x64, 128, 4, _sums, by_sums, float, float, 64, 64, 16, 4, 8)
ALL(d, 64x64, 128, 3, _sums, by_sums, double, double, 64, 64, 8, 4, 8)
TENSORS(h, __half)
#if __CUDA_ARCH__ >= 800 || !defined __CUDA_ARCH__
TENSORS(b, __nv_bfloat16)
TENSORS(tf32, float)
#else
ALL(b, 64x64, 128, 4, _sums, by_sums, __nv_bfloat16, float, 64, 64, 16, 4, 8)
#endif

/* The slices of sums, added up and finished. */
extern "C" __global__ void __launch_bounds__(64)
    teg_cudnn_add_slices(const __grid_constant__ Conv v)
{
    const Args &g = v.g;
    const int row = (blockIdx.x * blockDim.x + threadIdx.x) * 4;
    const float *part = (const float *)g.a +
                        (long long)blockIdx.z * g.slices * g.m * g.n + row;
    Output<float> out(g, blockIdx.z, blockIdx.z);
    float sum[4];

    if (row >= g.m)
        return;
    for (long long n = blockIdx.y; n < g.n; n += gridDim.y) {
        for (int i = 0; i < 4; i++)
            sum[i] = 0;
        for (int slice = 0; slice < g.slices; slice++)
            for (int i = 0; i < 4; i++)
                if (row + i < g.m)
                    sum[i] += part[((long long)slice * g.n + n) * g.m + i];
        out.put(row, (int)n, sum);
    }
}
