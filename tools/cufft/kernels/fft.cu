/*
 * Teg's kernels in place of cuFFT's: Stockham's transform with radices up to 13,
 * between registers and shared memory.  Compiled by
 * tools/make_kernels.sh; launched by tools/cufft/run.c.
 */
#include "fft.h"

typedef struct fft_pass Pass;

template <class T> struct Complex;
template <> struct Complex<float> {
    typedef float2 Of;
    enum {
        BITS = FFT_PAD_BITS_32
    };
};
template <> struct Complex<double> {
    typedef double2 Of;
    enum {
        BITS = FFT_PAD_BITS_64
    };
};
template <class T> using Z = typename Complex<T>::Of;

template <class T> __device__ __forceinline__ Z<T> make(T x, T y)
{
    Z<T> z;
    z.x = x;
    z.y = y;
    return z;
}
template <class T> __device__ __forceinline__ Z<T> times(Z<T> a, Z<T> b)
{
    return make<T>(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}
template <class T> __device__ __forceinline__ Z<T> plus(Z<T> a, Z<T> b)
{
    return make<T>(a.x + b.x, a.y + b.y);
}
template <class T> __device__ __forceinline__ Z<T> minus(Z<T> a, Z<T> b)
{
    return make<T>(a.x - b.x, a.y - b.y);
}

__device__ __forceinline__ void turn(float angle, float *s, float *c)
{
    sincospif(angle, s, c);
}
__device__ __forceinline__ void turn(double angle, double *s, double *c)
{
    sincospi(angle, s, c);
}

/* ---- radices --------------------------------------------------------------------- */

/* cos(2 pi j / r), of constants. */
__host__ __device__ constexpr double cosine(int j, int r)
{
    double x = 2 * 3.14159265358979323846 * (2 * j > r ? r - j : j) / r;
    double term = 1, sum = 1;

    for (int i = 1; i <= 16; i++) {
        term *= -x * x / ((2 * i - 1) * (2 * i));
        sum += term;
    }
    return sum;
}
__host__ __device__ constexpr double sine(int j, int r)
{
    return cosine((4 * j + 3 * r) % (4 * r), 4 * r);
}

/* Odd ones. */
template <class T, int R> struct Butterfly {
    static __device__ __forceinline__ void of(Z<T> *v)
    {
        constexpr int H = R / 2;
        Z<T> sum[H], difference[H], first = v[0];

#pragma unroll
        for (int i = 0; i < H; i++) {
            sum[i] = plus<T>(v[1 + i], v[R - 1 - i]);
            difference[i] = minus<T>(v[1 + i], v[R - 1 - i]);
            v[0] = plus<T>(v[0], sum[i]);
        }
#pragma unroll
        for (int k = 1; k <= H; k++) {
            Z<T> a = first, b = make<T>(0, 0);

#pragma unroll
            for (int i = 0; i < H; i++) {
                const T c = (T)cosine(k * (i + 1) % R, R);
                const T s = (T)sine(k * (i + 1) % R, R);

                a = make<T>(a.x + c * sum[i].x, a.y + c * sum[i].y);
                b = make<T>(b.x + s * difference[i].x,
                            b.y + s * difference[i].y);
            }
            v[k] = make<T>(a.x + b.y, a.y - b.x);
            v[R - k] = make<T>(a.x - b.y, a.y + b.x);
        }
    }
};

template <class T> struct Butterfly<T, 1> {
    static __device__ __forceinline__ void of(Z<T> *v)
    {
        (void)v;
    }
};

template <class T> struct Butterfly<T, 2> {
    static __device__ __forceinline__ void of(Z<T> *v)
    {
        Z<T> a = v[0];

        v[0] = plus<T>(a, v[1]);
        v[1] = minus<T>(a, v[1]);
    }
};

template <class T> struct Butterfly<T, 4> {
    static __device__ __forceinline__ void of(Z<T> *v)
    {
        Z<T> a = plus<T>(v[0], v[2]), b = minus<T>(v[0], v[2]);
        Z<T> c = plus<T>(v[1], v[3]), d = minus<T>(v[1], v[3]);

        v[0] = plus<T>(a, c);
        v[2] = minus<T>(a, c);
        v[1] = make<T>(b.x + d.y, b.y - d.x);
        v[3] = make<T>(b.x - d.y, b.y + d.x);
    }
};

template <class T> struct Butterfly<T, 8> {
    static __device__ __forceinline__ void of(Z<T> *v)
    {
        const T half = (T)0.70710678118654752440;
        Z<T> even[4] = {v[0], v[2], v[4], v[6]};
        Z<T> odd[4] = {v[1], v[3], v[5], v[7]};

        Butterfly<T, 4>::of(even);
        Butterfly<T, 4>::of(odd);
        odd[1] = make<T>(half * (odd[1].x + odd[1].y),
                         half * (odd[1].y - odd[1].x));
        odd[2] = make<T>(odd[2].y, -odd[2].x);
        odd[3] = make<T>(half * (odd[3].y - odd[3].x),
                         -half * (odd[3].x + odd[3].y));
#pragma unroll
        for (int i = 0; i < 4; i++) {
            v[i] = plus<T>(even[i], odd[i]);
            v[i + 4] = minus<T>(even[i], odd[i]);
        }
    }
};

/* ---- memory ------------------------------------------------------------------------ */

/* What the block's lines share, and which line a thread is at. */
struct Place {
    long long in, out;
    unsigned in_index, out_index, twiddle;
    unsigned line, lines;
};

template <class T> __device__ Z<T> swapped(Z<T> z, int flags)
{
    return (flags & FFT_INVERSE) != 0 ? make<T>(z.y, z.x) : z;
}

/* X[k] of a real line of 2 n, and X[n - k], from the transform Z of its pairs. */
template <class T>
__device__ __forceinline__ void apart(Z<T> a, Z<T> b, Z<T> w, Z<T> *x, Z<T> *y)
{
    Z<T> even = make<T>((a.x + b.x) / 2, (a.y - b.y) / 2);
    Z<T> odd = make<T>((a.y + b.y) / 2, (b.x - a.x) / 2);
    Z<T> turned = times<T>(odd, w);

    *x = plus<T>(even, turned);
    *y = make<T>(even.x - turned.x, turned.y - even.y);
}

/* The other way: twice Z[k], from X[k] and X[n - k]. */
template <class T>
__device__ __forceinline__ Z<T> together(Z<T> a, Z<T> b, Z<T> w)
{
    Z<T> even = make<T>(a.x + b.x, a.y - b.y);
    Z<T> odd = times<T>(make<T>(a.x - b.x, a.y + b.y), make<T>(w.x, -w.y));

    return make<T>(even.x - odd.y, even.y + odd.x);
}

template <class T>
__device__ __forceinline__ Z<T> complex_at(const Pass &p, long long at)
{
    return ((const Z<T> *)p.from)[at];
}

/* Of the ends of a half only the real parts count. */
template <class T>
__device__ Z<T> half_at(const Pass &p, long long base, unsigned k)
{
    Z<T> z = complex_at<T>(p, base + k * p.in.stride);

    if (k == 0 || k == p.in.whole)
        z.y = 0;
    return z;
}

template <class T, bool ANY>
__device__ __forceinline__ Z<T> load(const Pass &p, const Place &at, unsigned i)
{
    long long base = at.in + at.line * p.loop[0].in;
    const T *real = (const T *)p.from;
    unsigned index = 0;
    Z<T> z = make<T>(0, 0);

    if (at.line >= at.lines)
        return z;
    if (!ANY)
        return swapped<T>(complex_at<T>(p, base + i * p.in.stride), p.flags);
    index = at.in_index + at.line * p.loop[0].in_index + i * p.in.index;
    if ((p.flags & FFT_LOAD_TABLE) != 0 && index >= p.in.kept)
        return z;
    switch (p.in.form) {
    case FFT_COMPLEX:
        z = complex_at<T>(p, base + i * p.in.stride);
        break;
    case FFT_REAL:
        z.x = real[base + i * p.in.stride];
        break;
    case FFT_PAIRS:
        base += i * p.in.stride;
        if ((p.flags & FFT_ALIGNED) != 0)
            z = *(const Z<T> *)(real + base);
        else
            z = make<T>(real[base], real[base + p.in.second]);
        break;
    case FFT_HERMITE:
        /* base is the line's: what has these forms is one line of whole
           elements, wherever a pass begins in it */
        if (2 * index <= p.in.whole) {
            z = complex_at<T>(p, base + index * p.in.stride);
        } else {
            z = complex_at<T>(p, base + (p.in.whole - index) * p.in.stride);
            z.y = -z.y;
        }
        break;
    case FFT_HALF:
        z = together<T>(half_at<T>(p, base, index),
                        half_at<T>(p, base, p.in.whole - index),
                        ((const Z<T> *)p.halves)[index]);
        break;
    }
    z = swapped<T>(z, p.flags);
    if ((p.flags & FFT_LOAD_TABLE) != 0)
        z = times<T>(z, ((const Z<T> *)p.load_table)[index]);
    return z;
}

template <class T, bool ANY>
__device__ __forceinline__ void store(const Pass &p, const Place &at,
                                      unsigned k, Z<T> z)
{
    long long base = at.out + at.line * p.loop[0].out;
    T *real = (T *)p.to;
    Z<T> *complex = (Z<T> *)p.to;
    unsigned index = 0;

    if (at.line >= at.lines)
        return;
    if ((p.flags & FFT_TWIDDLE) != 0) {
        unsigned turns = k * (at.twiddle + at.line * p.loop[0].twiddle);
        Z<T> w;

        turn((T)-2 * (T)turns / (T)p.whole, &w.y, &w.x);
        z = times<T>(z, w);
    }
    if (ANY) {
        index = at.out_index + at.line * p.loop[0].out_index + k * p.out.index;
        if ((p.flags & FFT_STORE_TABLE) != 0) {
            Z<T> w;

            if (index >= p.out.kept)
                return;
            w = ((const Z<T> *)p.store_table)[index];
            if ((p.flags & FFT_CONJUGATE) != 0)
                w.y = -w.y;
            z = times<T>(z, w);
        }
    }
    z = swapped<T>(z, p.flags);
    if (ANY && p.out.form == FFT_REAL) {
        real[base + k * p.out.stride] = z.x;
    } else if (ANY && p.out.form == FFT_PAIRS) {
        base += k * p.out.stride;
        if ((p.flags & FFT_ALIGNED) != 0) {
            *(Z<T> *)(real + base) = z;
        } else {
            real[base] = z.x;
            real[base + p.out.second] = z.y;
        }
    } else if (!ANY || p.out.form != FFT_HERMITE || 2 * index <= p.out.whole) {
        complex[base + k * p.out.stride] = z;
    }
}

/* ---- passes ----------------------------------------------------------------------- */

/* Which lines are the block's. */
__device__ Place place(const Pass &p)
{
    Place at = {};
    unsigned block = blockIdx.x;
    unsigned tiles =
        (p.loop[0].count + (1u << p.tile_bits) - 1) >> p.tile_bits;
    unsigned first = block;

    if (gridDim.x == tiles) {
        block = 0;
    } else {
        block /= tiles;
        first -= block * tiles;
    }
    first <<= p.tile_bits;
    at.lines = min(1u << p.tile_bits, p.loop[0].count - first);
#pragma unroll
    for (int i = 0; i < FFT_LOOPS; i++) {
        const struct fft_loop &l = p.loop[i];
        unsigned index = first;

        if (i > 0) {
            if (l.count == 1)
                continue;
            index = block;
            block /= l.count;
            index -= block * l.count;
        }
        at.in += index * l.in;
        at.out += index * l.out;
        at.in_index += index * l.in_index;
        at.out_index += index * l.out_index;
        at.twiddle += index * l.twiddle;
    }
    return at;
}

__device__ __forceinline__ unsigned over(unsigned i, unsigned d, unsigned part)
{
    return d == 1 ? i : __umulhi(i, part);
}

template <class T> __device__ __forceinline__ unsigned spot(unsigned i)
{
    return FFT_PADDED(i, Complex<T>::BITS);
}

/* Which elements a thread's work w is of, j and those n / radix further each, at
 * line; k: which roots they are multiplied by. */
struct Work {
    unsigned line, j, k;
};

__device__ __forceinline__ Work work_of(const Pass &p, int s, unsigned w)
{
    const unsigned rest = p.at[s].rest, before = p.at[s].before;
    Work i;

    if ((p.flags & (s == 0 ? FFT_IN_ACROSS : FFT_OUT_ACROSS)) != 0) {
        i.j = w >> p.tile_bits;
        i.line = w - (i.j << p.tile_bits);
    } else {
        i.line = over(w, rest, p.at[s].rest_part);
        i.j = w - i.line * rest;
    }
    i.k = i.j - over(i.j, before, p.at[s].before_part) * before;
    return i;
}

template <class T>
__device__ __forceinline__ Z<T> root_of(const Pass &p, int s, const Work &i)
{
    return ((const Z<T> *)p.roots)[i.k * p.at[s].step];
}

/* Element q is multiplied by w^q, which is made of few factors. */
template <class T, int R>
__device__ __forceinline__ void turn_by(Z<T> *v, Z<T> w)
{
    Z<T> fourth = make<T>(1, 0), square = times<T>(w, w);

#pragma unroll
    for (int q = 0; q < R; q += 4) {
        if (q == 4)
            fourth = times<T>(square, square);
        else if (q > 4)
            fourth = times<T>(fourth, times<T>(square, square));
        if (q > 0)
            v[q] = times<T>(v[q], fourth);
        if (q + 1 < R)
            v[q + 1] = times<T>(v[q + 1], times<T>(fourth, w));
        if (q + 2 < R)
            v[q + 2] = times<T>(v[q + 2], times<T>(fourth, square));
        if (q + 3 < R)
            v[q + 3] =
                times<T>(v[q + 3], times<T>(times<T>(fourth, square), w));
    }
}

/* One radix: from memory or a tile to memory or a tile.  `root`: of the thread's
 * first work, if s is not 0. */
template <class T, bool ANY, int R>
__device__ __forceinline__ void step(const Pass &p, Place at, int s, Z<T> root,
                                     bool to_memory, const Z<T> *from, Z<T> *to)
{
    constexpr int WORKS = FFT_WORKS(R);
    const unsigned rest = p.at[s].rest, before = p.at[s].before;
    const unsigned all = rest << p.tile_bits;

    for (unsigned first = 0; first < all; first += WORKS * blockDim.x) {
        Z<T> v[WORKS][R];
        Work i[WORKS];

#pragma unroll
        for (int u = 0; u < WORKS; u++) {
            const unsigned w = first + u * blockDim.x + threadIdx.x;

            if (w >= all)
                continue;
            i[u] = work_of(p, s, w);
            at.line = i[u].line;
            if (s == 0) {
#pragma unroll
                for (int q = 0; q < R; q++)
                    v[u][q] = load<T, ANY>(p, at, i[u].j + q * rest);
            } else {
#pragma unroll
                for (int q = 0; q < R; q++)
                    v[u][q] =
                        from[spot<T>(i[u].line * p.pitch + i[u].j + q * rest)];
                turn_by<T, R>(v[u], u == 0 && first == 0
                                        ? root
                                        : root_of<T>(p, s, i[u]));
            }
            Butterfly<T, R>::of(v[u]);
        }
        if (from == to && s > 0 && !to_memory)
            __syncthreads();
#pragma unroll
        for (int u = 0; u < WORKS; u++) {
            const unsigned k = i[u].k + (i[u].j - i[u].k) * R;

            if (first + u * blockDim.x + threadIdx.x >= all)
                continue;
            at.line = i[u].line;
            if (to_memory) {
#pragma unroll
                for (int q = 0; q < R; q++)
                    store<T, ANY>(p, at, k + q * before, v[u][q]);
            } else {
#pragma unroll
                for (int q = 0; q < R; q++)
                    to[spot<T>(i[u].line * p.pitch + k + q * before)] =
                        v[u][q];
            }
        }
    }
}

/* A prime radix of any size, from a tile: each element of the result by itself. */
template <class T, bool ANY>
__device__ void prime_step(const Pass &p, Place at, int s, bool to_memory,
                           const Z<T> *from, Z<T> *to)
{
    const unsigned r = p.at[s].radix, rest = p.at[s].rest;
    const unsigned before = p.at[s].before;

    for (unsigned w = threadIdx.x; w < p.n << p.tile_bits; w += blockDim.x) {
        /* those of an element side by side, as others' works are */
        const unsigned q = w / (rest << p.tile_bits);
        const Work i = work_of(p, s, w - q * (rest << p.tile_bits));
        const unsigned turn = i.k * p.at[s].step + q * rest;
        const unsigned k = i.k + (i.j - i.k) * r + q * before;
        Z<T> sum = make<T>(0, 0);
        unsigned root = 0;

        at.line = i.line;
        for (unsigned e = 0; e < r; e++) {
            Z<T> x = from[spot<T>(i.line * p.pitch + i.j + e * rest)];

            sum = plus<T>(sum, times<T>(x, ((const Z<T> *)p.roots)[root]));
            root += turn;
            root -= root >= p.n ? p.n : 0;
        }
        if (to_memory)
            store<T, ANY>(p, at, k, sum);
        else
            to[spot<T>(i.line * p.pitch + k)] = sum;
    }
}

/* The transform Z of pairs in a tile, n elements a line, is made that of the
 * 2 n real ones. */
template <class T>
__device__ void split(const Pass &p, Place at, const Z<T> *tile)
{
    const unsigned half = p.n / 2 + 1;
    Z<T> *out = (Z<T> *)p.to;

    for (unsigned w = threadIdx.x; w < half << p.tile_bits; w += blockDim.x) {
        unsigned k;
        long long base;
        Z<T> x, y;

        at.line = w / half;
        k = w - at.line * half;
        if (at.line >= at.lines)
            break;
        base = at.out + at.line * p.loop[0].out;
        apart<T>(tile[spot<T>(at.line * p.pitch + k)],
                 tile[spot<T>(at.line * p.pitch + (k == 0 ? 0 : p.n - k))],
                 ((const Z<T> *)p.halves)[k], &x, &y);
        out[base + k * p.out.stride] = x;
        out[base + (p.n - k) * p.out.stride] = y;
    }
}

/* ANY: elements of all forms, and tables.  ODD: radices that are no powers of
 * two, whose constants take registers of all. */
template <class T, bool ANY, bool ODD>
__device__ __forceinline__ void transform(const Pass &p)
{
    extern __shared__ __align__(16) char shared[];
    Z<T> *tile = (Z<T> *)shared;
    Z<T> *other =
        p.tiles == 1 ? tile : tile + spot<T>(p.pitch << p.tile_bits) + 1;
    const bool halves = ANY && p.out.form == FFT_HALF;
    const Place at = place(p);
    Z<T> root = make<T>(1, 0);

    for (int s = 0; s < p.radices; s++) {
        bool last = s == p.radices - 1 && !halves;
        Z<T> *swap = tile;

        switch (p.at[s].radix) {
#define RADIX(r, where)                                         \
    case r:                                                     \
        if constexpr (where)                                    \
            step<T, ANY, r>(p, at, s, root, last, tile, other); \
        break;
            RADIX(1, true)
            RADIX(2, true)
            RADIX(3, ODD)
            RADIX(4, true)
            RADIX(5, ODD)
            RADIX(7, ODD)
            RADIX(8, true)
            RADIX(11, ODD)
            RADIX(13, ODD)
        default:
            if constexpr (ODD)
                prime_step<T, ANY>(p, at, s, last, tile, other);
            break;
#undef RADIX
        }
        /* what comes from memory is asked for before others are waited for */
        if (s + 1 < p.radices)
            root = root_of<T>(p, s + 1, work_of(p, s + 1, threadIdx.x));
        if (!last)
            __syncthreads();
        tile = other;
        other = swap;
    }
    if (halves)
        split<T>(p, at, tile);
}

/* In place, of lines that several passes transformed. */
template <class T> __device__ void split_lines(const Pass &p)
{
    const unsigned half = p.n / 2 + 1;
    const Place at = place(p);
    Z<T> *out = (Z<T> *)p.to;

    for (unsigned k = threadIdx.x + blockIdx.y * blockDim.x; k < half;
         k += blockDim.x * gridDim.y) {
        unsigned mirrored = k == 0 ? 0 : p.n - k;
        Z<T> x, y;

        apart<T>(out[at.out + k * p.out.stride],
                 out[at.out + mirrored * p.out.stride],
                 ((const Z<T> *)p.halves)[k], &x, &y);
        out[at.out + k * p.out.stride] = x;
        out[at.out + (p.n - k) * p.out.stride] = y;
    }
}

#define KERNEL(name, threads, ...)                                    \
    extern "C" __global__ void __launch_bounds__(threads, 1) name(    \
        const __grid_constant__ Pass p)                               \
    {                                                                 \
        __VA_ARGS__(p);                                               \
    }
KERNEL(teg_cufft_complex_32, FFT_THREADS_COMPLEX_32,
       transform<float, false, false>)
KERNEL(teg_cufft_complex_64, FFT_THREADS, transform<double, false, false>)
KERNEL(teg_cufft_real_32, FFT_THREADS, transform<float, true, false>)
KERNEL(teg_cufft_real_64, FFT_THREADS, transform<double, true, false>)
KERNEL(teg_cufft_any_32, FFT_THREADS, transform<float, true, true>)
KERNEL(teg_cufft_any_64, FFT_THREADS, transform<double, true, true>)
KERNEL(teg_cufft_split_32, FFT_THREADS, split_lines<float>)
KERNEL(teg_cufft_split_64, FFT_THREADS, split_lines<double>)
