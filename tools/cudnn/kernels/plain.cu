/*
 * Teg's kernels for convolutions that the product's do not take (channels of a
 * group that 16 bytes do not divide, many taps), by the definition; and for
 * copies into the order that the product's want.  Compiled by
 * tools/make_kernels.sh.
 */
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <stdint.h>

#include "conv.h"

typedef struct conv_plain Plain;
typedef struct conv_view View;

/* ---- numbers ------------------------------------------------------------------ */

__device__ float value(__half x)
{
    return __half2float(x);
}
__device__ float value(__nv_bfloat16 x)
{
    return __bfloat162float(x);
}
__device__ float value(float x)
{
    return x;
}
__device__ double value(double x)
{
    return x;
}
__device__ void set(__half *to, float x)
{
    *to = __float2half(x);
}
__device__ void set(__nv_bfloat16 *to, float x)
{
    *to = __float2bfloat16(x);
}
template <class T> __device__ void set(T *to, T x)
{
    *to = x;
}

template <class T>
__device__ T *element(const View &v, int n, int c, int d, int h, int w)
{
    return (T *)v.data + n * v.stride[0] + c * v.stride[1] +
           d * v.stride[2] + h * v.stride[3] + w * v.stride[4];
}

template <class T, class Sum>
__device__ void put(const Plain &p, T *to, Sum sum, int k)
{
    sum *= (Sum)p.alpha;
    if (p.beta != 0)
        sum += (Sum)p.beta * (Sum)value(*to);
    if (p.bias != nullptr)
        sum += (Sum)value(((const T *)p.bias)[k]);
    set(to, p.relu && !(sum > Sum(0)) ? Sum(0) : sum);
}

/* ---- by the definition --------------------------------------------------------- */

/* A thread's element of a result: what lies side by side, goes to lanes. */
struct Place {
    int n, c, at[CONV_DIMS];
    bool valid;

    __device__ Place(const Plain &p, const View &v, int images)
    {
        unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
        const bool by_channel = v.stride[1] == 1;

        if (by_channel)
            next(i, p.by[1], c);
        for (int d = CONV_DIMS - 1; d >= 0; d--)
            next(i, p.by[2 + d], at[d]);
        if (!by_channel)
            next(i, p.by[1], c);
        n = (int)i;
        valid = i < images;
    }
    static __device__ void next(unsigned &i, const divisor &size, int &at)
    {
        const unsigned more = over(i, size);

        at = (int)(i - more * size.by);
        i = more;
    }
};

template <class T, class Sum> __device__ void plain_forward(const Plain &p)
{
    const Place y(p, p.y, p.n);
    const int group = y.c / p.k;
    Sum sum = 0;

    if (!y.valid)
        return;
    for (int r = 0; r < p.w_size[0]; r++) {
        int d = y.at[0] * p.stride[0] - p.pad[0] + r * p.dilation[0];

        if ((unsigned)d >= (unsigned)p.x_size[0])
            continue;
        for (int s = 0; s < p.w_size[1]; s++) {
            int h = y.at[1] * p.stride[1] - p.pad[1] + s * p.dilation[1];

            if ((unsigned)h >= (unsigned)p.x_size[1])
                continue;
            for (int t = 0; t < p.w_size[2]; t++) {
                int w = y.at[2] * p.stride[2] - p.pad[2] + t * p.dilation[2];
                const T *x = element<T>(p.x, y.n, group * p.c, d, h, w);
                const T *f = element<T>(p.w, y.c, 0, r, s, t);

                if ((unsigned)w >= (unsigned)p.x_size[2])
                    continue;
                for (int c = 0; c < p.c; c++)
                    sum += value(x[c * p.x.stride[1]]) *
                           value(f[c * p.w.stride[1]]);
            }
        }
    }
    put(p, element<T>(p.y, y.n, y.c, y.at[0], y.at[1], y.at[2]), sum, y.c);
}

/* Which pixel of the result tap `tap` of pixel `at` is of; -1: none. */
__device__ int reached(const Plain &p, int dim, int at, int tap)
{
    int c = at + p.pad[dim] - tap * p.dilation[dim];

    if (c < 0 || c % p.stride[dim] != 0 ||
        c / p.stride[dim] >= p.y_size[dim])
        return -1;
    return c / p.stride[dim];
}

template <class T, class Sum> __device__ void plain_by_data(const Plain &p)
{
    const Place x(p, p.x, p.n);
    const int group = x.c / p.c;
    Sum sum = 0;

    if (!x.valid)
        return;
    for (int r = 0; r < p.w_size[0]; r++) {
        int d = reached(p, 0, x.at[0], r);

        if (d < 0)
            continue;
        for (int s = 0; s < p.w_size[1]; s++) {
            int h = reached(p, 1, x.at[1], s);

            if (h < 0)
                continue;
            for (int t = 0; t < p.w_size[2]; t++) {
                int w = reached(p, 2, x.at[2], t);
                const T *y = element<T>(p.y, x.n, group * p.k, d, h, w);
                const T *f = element<T>(p.w, group * p.k, x.c - group * p.c,
                                        r, s, t);

                if (w < 0)
                    continue;
                for (int k = 0; k < p.k; k++)
                    sum += value(y[k * p.y.stride[1]]) *
                           value(f[k * p.w.stride[0]]);
            }
        }
    }
    put(p, element<T>(p.x, x.n, x.c, x.at[0], x.at[1], x.at[2]), sum, x.c);
}

/* A block's element of a filter: all pixels, one after the other. */
template <class T, class Sum> __device__ void plain_by_filter(const Plain &p)
{
    __shared__ Sum sums[32];
    const int k = blockIdx.x, c = blockIdx.y;
    int tap = blockIdx.z, at[CONV_DIMS];
    const int group = k / p.k;
    const long long pixels =
        (long long)p.y_size[0] * p.y_size[1] * p.y_size[2] * p.n;
    Sum sum = 0;

    for (int d = CONV_DIMS - 1; d >= 0; d--) {
        at[d] = tap % p.w_size[d];
        tap /= p.w_size[d];
    }
    for (long long i = threadIdx.x; i < pixels; i += blockDim.x) {
        long long left = i;
        int y[CONV_DIMS], x[CONV_DIMS];
        bool valid = true;

        for (int d = CONV_DIMS - 1; d >= 0; d--) {
            y[d] = (int)(left % p.y_size[d]);
            left /= p.y_size[d];
            x[d] = y[d] * p.stride[d] - p.pad[d] + at[d] * p.dilation[d];
            valid = valid && (unsigned)x[d] < (unsigned)p.x_size[d];
        }
        if (valid)
            sum += value(*element<T>(p.x, (int)left, group * p.c + c, x[0],
                                     x[1], x[2])) *
                   value(*element<T>(p.y, (int)left, k, y[0], y[1], y[2]));
    }
    for (int by = 16; by > 0; by /= 2)
        sum += __shfl_down_sync(~0u, sum, by);
    if (threadIdx.x % 32 == 0)
        sums[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x > 0)
        return;
    for (int i = 1; i < blockDim.x / 32; i++)
        sum += sums[i];
    put(p, element<T>(p.w, k, c, at[0], at[1], at[2]), sum, 0);
}

#define PLAIN(kind, type, sum)                                            \
    extern "C" __global__ void __launch_bounds__(256)                     \
        teg_cudnn_##kind##fprop_plain(const __grid_constant__ Plain p) \
    {                                                                     \
        plain_forward<type, sum>(p);                                      \
    }                                                                     \
    extern "C" __global__ void __launch_bounds__(256)                     \
        teg_cudnn_##kind##dgrad_plain(const __grid_constant__ Plain p) \
    {                                                                     \
        plain_by_data<type, sum>(p);                                      \
    }                                                                     \
    extern "C" __global__ void __launch_bounds__(256)                     \
        teg_cudnn_##kind##wgrad_plain(const __grid_constant__ Plain p) \
    {                                                                     \
        plain_by_filter<type, sum>(p);                                    \
    }

PLAIN(s, float, float)
PLAIN(d, double, double)
PLAIN(h, __half, float)
PLAIN(b, __nv_bfloat16, float)

/* ---- copies ----------------------------------------------------------------------- */

enum {
    TILE = CONV_COPY_TILE,
    SIDE = 64, /* of a tile of an image */
    THREADS = 256,
    AT_ONCE = 8, /* elements of a thread on their way */
};

/* Images whose pixels follow each other evenly on both sides, by tiles through
 * shared memory, so that both are read and written as their elements lie. */
template <class T> __device__ void copy_image(const conv_copy &v)
{
    __shared__ T tile[SIDE][SIDE + 1];
    const conv_copy_part &p = v.part[0];
    const int channel = blockIdx.y * SIDE, pixel = blockIdx.x * SIDE;
    const int x = threadIdx.x % SIDE, y = threadIdx.x / SIDE;
    constexpr int EACH = THREADS / SIDE, COUNT = SIDE / EACH;
    T got[COUNT];

    {
        const int c = channel + (v.by_width ? y : x);
        const int q = pixel + (v.by_width ? x : y);
        const long long on =
            EACH * (v.by_width ? p.from.stride[1] : p.from.stride[4]);
        const int left = v.by_width ? v.c_from - c : p.size[2] - q;
        const T *at = (const T *)p.from.data +
                      blockIdx.z * p.from.stride[0] + c * p.from.stride[1] +
                      q * p.from.stride[4];
        const bool is_one = v.by_width ? q < p.size[2] : c < v.c_from;

#pragma unroll
        for (int i = 0; i < COUNT; i++)
            got[i] = is_one && left > i * EACH ? at[i * on] : T(0);
#pragma unroll
        for (int i = 0; i < COUNT; i++) {
            if (v.by_width)
                tile[y + i * EACH][x] = got[i];
            else
                tile[x][y + i * EACH] = got[i];
        }
    }
    __syncthreads();
    {
        const bool to_width = p.to.stride[1] != 1;
        const int c = channel + (to_width ? y : x);
        const int q = pixel + (to_width ? x : y);
        const long long on =
            EACH * (to_width ? p.to.stride[1] : p.to.stride[4]);
        const int left = to_width ? v.c - c : p.size[2] - q;
        T *at = (T *)p.to.data + blockIdx.z * p.to.stride[0] +
                c * p.to.stride[1] + q * p.to.stride[4];

        if (to_width ? q >= p.size[2] : c >= v.c)
            return;
#pragma unroll
        for (int i = 0; i < COUNT; i++)
            if (left > i * EACH)
                at[i * on] = to_width ? tile[y + i * EACH][x]
                                      : tile[x][y + i * EACH];
    }
}

/* Images of few channels, whose pixels follow each other: a thread has a piece of
 * sixteen bytes of a pixel's. */
template <class T> __device__ void copy_few(const conv_copy &v)
{
    constexpr int EACH = 16 / sizeof(T);
    const conv_copy_part &p = v.part[0];
    const int pixel = blockIdx.x * THREADS + threadIdx.x;
    const int channel = blockIdx.y * EACH;
    const T *const from = (const T *)p.from.data +
                          blockIdx.z * p.from.stride[0] +
                          channel * p.from.stride[1] + pixel;
    T *const to = (T *)p.to.data + blockIdx.z * p.to.stride[0] +
                  pixel * p.to.stride[4] + channel;
    union {
        T x[EACH];
        uint4 all;
    } u;

    if (pixel >= p.size[2])
        return;
#pragma unroll
    for (int i = 0; i < EACH; i++)
        u.x[i] = channel + i < v.c_from ? from[i * p.from.stride[1]] : T(0);
    *(uint4 *)to = u.all;
}

/* Filters, or images of few pixels, that lie one behind the other, channel by
 * channel: a block turns as many channels as the host says. */
template <class T> __device__ void copy_taps(const conv_copy &v)
{
    constexpr int EACH = 16 / sizeof(T);
    __shared__ __align__(16) T tile[TILE];
    const conv_copy_part &p = v.part[0];
    const int taps = p.size[2], channel = blockIdx.x * v.tile_channels.by;
    const unsigned pieces = v.tile_channels.by / EACH;
    const int all = min((int)v.tile_channels.by, v.c_from - channel) * taps;
    const T *const from =
        (const T *)p.from.data + blockIdx.z * p.from.stride[0] + channel * taps;
    T *const to =
        (T *)p.to.data + blockIdx.z * p.to.stride[0] + channel;

    if ((uintptr_t)from % 16 == 0) {
#pragma unroll 4
        for (int i = threadIdx.x; i < all / EACH; i += THREADS)
            *(uint4 *)&tile[i * EACH] = *(const uint4 *)&from[i * EACH];
        for (int i = all / EACH * EACH + threadIdx.x; i < all; i += THREADS)
            tile[i] = from[i];
    } else {
#pragma unroll 8
        for (int i = threadIdx.x; i < all; i += THREADS)
            tile[i] = from[i];
    }
    __syncthreads();
#pragma unroll 2
    for (unsigned i = threadIdx.x; i < pieces * taps; i += THREADS) {
        const int tap = over(i, v.tile_pieces);
        const int c = (i - tap * pieces) * EACH;
        union {
            T x[EACH];
            uint4 all;
        } u;

#pragma unroll
        for (int j = 0; j < EACH; j++) {
            const int at = (c + j) * taps + tap;

            u.x[j] = at < all ? tile[at] : T(0);
        }
        if (channel + c < v.c)
            *(uint4 *)&to[tap * p.to.stride[4] + c] = u.all;
    }
}

/* Where element `i` of a tile is: its channel and pixel. */
struct Spot {
    int c, pixel;

    __device__ Spot(const conv_copy &v, bool by_width, unsigned i)
    {
        const divisor &d = by_width ? v.tile_pixels : v.tile_channels;
        const unsigned second = over(i, d), first = i - second * d.by;

        c = by_width ? second : first;
        pixel = by_width ? first : second;
    }
};

/* One side of a copy: what is read once of the launch's parameters. */
template <bool EVEN> struct Side {
    const int channel, width, height, depth; /* strides */
    const divisor by_width, by_height;

    __device__ Side(const conv_copy_part &p, const View &v)
        : channel((int)v.stride[1]), width((int)v.stride[4]),
          height((int)v.stride[3]), depth((int)v.stride[2]),
          by_width(p.by[1]), by_height(p.by[0])
    {
    }
    /* From an image's (or a filter's) first element. */
    __device__ int operator()(int c, int pixel) const
    {
        if (EVEN)
            return c * channel + pixel * width;
        const unsigned h = over(pixel, by_width), d = over(h, by_height);

        return c * channel + d * depth + (h - d * by_height.by) * height +
               (pixel - h * by_width.by) * width;
    }
};

/* Of filters and all else, by tiles of as many channels and pixels as the host
 * says; `EVEN`: their pixels follow each other evenly. */
template <class T, bool EVEN> __device__ void copy(const conv_copy &v)
{
    __shared__ T tile[TILE + TILE / 8];
    const conv_copy_part &p = v.part[blockIdx.y];
    const Side<EVEN> from(p, p.from), to(p, p.to);
    const int pixels = p.size[0] * p.size[1] * p.size[2];
    const int pitch = v.tile_pixels.by | 1;
    const unsigned all = v.tile_pixels.by * v.tile_channels.by;
    const int channel = blockIdx.x % v.across * v.tile_channels.by;
    const int pixel = blockIdx.x / v.across * v.tile_pixels.by;
    const int n = blockIdx.z % v.n, group = blockIdx.z / v.n;
    const bool to_width = to.channel != 1;
    const T *const source =
        (const T *)p.from.data + n * p.from.stride[0] + group * p.from_group;
    T *const result =
        (T *)p.to.data + n * p.to.stride[0] + group * p.to_group;

    if (pixel >= pixels)
        return;
    for (unsigned first = threadIdx.x; first < all;
         first += THREADS * AT_ONCE) {
        T got[AT_ONCE];

#pragma unroll
        for (int i = 0; i < AT_ONCE; i++) {
            const Spot s(v, v.by_width, first + i * THREADS);

            got[i] = T(0);
            if (first + i * THREADS < all && channel + s.c < v.c_from &&
                pixel + s.pixel < pixels)
                got[i] = source[from(channel + s.c, pixel + s.pixel)];
        }
#pragma unroll
        for (int i = 0; i < AT_ONCE; i++) {
            const Spot s(v, v.by_width, first + i * THREADS);

            if (first + i * THREADS < all)
                tile[s.c * pitch + s.pixel] = got[i];
        }
    }
    __syncthreads();
#pragma unroll 4
    for (unsigned i = threadIdx.x; i < all; i += THREADS) {
        const Spot s(v, to_width, i);

        if (channel + s.c < v.c && pixel + s.pixel < pixels)
            result[to(channel + s.c, pixel + s.pixel)] =
                tile[s.c * pitch + s.pixel];
    }
}

#define COPY(bytes, type)                                               \
    extern "C" __global__ void __launch_bounds__(256)                   \
        teg_cudnn_copy_##bytes(const __grid_constant__ conv_copy v)     \
    {                                                                   \
        copy<type, false>(v);                                           \
    }                                                                   \
    extern "C" __global__ void __launch_bounds__(256)                   \
        teg_cudnn_copy_even_##bytes(const __grid_constant__ conv_copy v) \
    {                                                                   \
        copy<type, true>(v);                                            \
    }                                                                   \
    extern "C" __global__ void __launch_bounds__(256)                   \
        teg_cudnn_copy_image_##bytes(const __grid_constant__ conv_copy v) \
    {                                                                   \
        copy_image<type>(v);                                            \
    }                                                                   \
    extern "C" __global__ void __launch_bounds__(256)                   \
        teg_cudnn_copy_few_##bytes(const __grid_constant__ conv_copy v) \
    {                                                                   \
        copy_few<type>(v);                                              \
    }                                                                   \
    extern "C" __global__ void __launch_bounds__(256)                   \
        teg_cudnn_copy_taps_##bytes(const __grid_constant__ conv_copy v) \
    {                                                                   \
        copy_taps<type>(v);                                             \
    }
COPY(2, uint16_t)
COPY(4, uint32_t)
COPY(8, uint64_t)
