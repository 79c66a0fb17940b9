/*
 * Teg's kernels for layers beside convolutions, in place of those of cuDNN:
 * element by element, pooling, softmax, batch normalization.  Compiled by
 * tools/make_kernels.sh.
 */
#include <float.h>

#include "layers.h"
#include "number.cuh"

typedef struct layer_view View;

/* ---- numbers ------------------------------------------------------------------ */

/* y = alpha x + beta y; of beta 0, y is not read. */
template <class T, class Sum>
__device__ void blend(T *y, Sum x, double alpha, double beta)
{
    x *= (Sum)alpha;
    if (beta != 0)
        x += (Sum)beta * (Sum)value(*y);
    set(y, x);
}

/* ---- places -------------------------------------------------------------------- */

/* A thread's element of a result: what lies side by side, goes to lanes. */
struct Place {
    int at[LAYER_SIDES];
    bool valid;

    __device__ Place(const View &v, const divisor (&size)[LAYER_SIDES])
    {
        unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
        const bool by_channel = v.stride[1] == 1;

        if (by_channel)
            next(i, size[1], at[1]);
        for (int d = LAYER_SIDES - 1; d >= 2; d--)
            next(i, size[d], at[d]);
        if (!by_channel)
            next(i, size[1], at[1]);
        at[0] = (int)i;
        valid = i < size[0].by;
    }
    static __device__ void next(unsigned &i, const divisor &size, int &at)
    {
        const unsigned more = over(i, size);

        at = (int)(i - more * size.by);
        i = more;
    }
};

template <class T>
__device__ T *element(const View &v, const int (&at)[LAYER_SIDES])
{
    long long i = 0;

    for (int d = 0; d < LAYER_SIDES; d++)
        i += at[d] * v.stride[d];
    return (T *)v.data + i;
}

/* ---- element by element ------------------------------------------------------------ */

template <class Sum> __device__ Sum sigmoid(Sum x)
{
    return Sum(1) / (Sum(1) + exp(-x));
}

template <class Sum>
__device__ Sum activated(const layer_points &p, Sum x)
{
    switch (p.activation) {
    case LAYER_SIGMOID: return sigmoid(x);
    case LAYER_RELU: return x > Sum(0) ? x : Sum(0);
    case LAYER_TANH: return tanh(x);
    case LAYER_CLIPPED_RELU:
        return x > Sum(0) ? min(x, (Sum)p.coefficient) : Sum(0);
    case LAYER_ELU:
        return x > Sum(0) ? x : (Sum)p.coefficient * (exp(x) - Sum(1));
    case LAYER_SWISH: return x * sigmoid((Sum)p.swish * x);
    default: return x;
    }
}

/* Its derivative at x, where it is y. */
template <class Sum>
__device__ Sum slope(const layer_points &p, Sum y, Sum x)
{
    Sum s;

    switch (p.activation) {
    case LAYER_SIGMOID: return y * (Sum(1) - y);
    case LAYER_RELU: return x > Sum(0) ? Sum(1) : Sum(0);
    case LAYER_TANH: return Sum(1) - y * y;
    case LAYER_CLIPPED_RELU:
        return x > Sum(0) && x < (Sum)p.coefficient ? Sum(1) : Sum(0);
    case LAYER_ELU: return x > Sum(0) ? Sum(1) : y + (Sum)p.coefficient;
    case LAYER_SWISH:
        s = sigmoid((Sum)p.swish * x);
        return s + (Sum)p.swish * x * s * (Sum(1) - s);
    default: return Sum(1);
    }
}

template <class T> __device__ void points(const layer_points &p)
{
    typedef typename Of<T>::Sum Sum;
    const Place at(p.y, p.size);
    Sum a = 0, b = 0, f;
    T *y;

    if (!at.valid)
        return;
    y = element<T>(p.y, at.at);
    if (p.a.data != nullptr)
        a = value(*element<T>(p.a, at.at));
    if (p.b.data != nullptr)
        b = value(*element<T>(p.b, at.at));
    switch (p.point) {
    case POINT_SET: set(y, (Sum)p.alpha); return;
    case POINT_FORWARD: f = activated(p, a); break;
    case POINT_BACKWARD:
        f = b * slope(p, a, (Sum)value(*element<T>(p.c, at.at)));
        break;
    case POINT_COPY: f = a; break;
    default: /* of scaled ones */
        a *= (Sum)p.alpha;
        b *= (Sum)p.alpha_b;
        switch (p.point) {
        case POINT_ADD: f = a + b; break;
        case POINT_MULTIPLY: f = a * b; break;
        case POINT_LEAST: f = min(a, b); break;
        case POINT_MOST: f = max(a, b); break;
        case POINT_ROOT: f = sqrt(a); break;
        default: f = Sum(1) - a;
        }
        blend(y, f, 1, p.beta);
        return;
    }
    blend(y, f, p.alpha, p.beta);
}

/* ---- pooling ------------------------------------------------------------------------ */

/* The window of an element of y, within the image. */
struct Window {
    int from[LAYER_SPACE], to[LAYER_SPACE];
    int all; /* elements, with what is beside the image */

    __device__ Window(const layer_pools &p, const int *y)
    {
        all = 1;
        for (int i = 0; i < LAYER_SPACE; i++) {
            from[i] = y[i] * p.step[i] - p.pad[i];
            to[i] = min(from[i] + p.window[i], p.x_size[i] + p.pad[i]);
            all *= to[i] - from[i];
            from[i] = max(from[i], 0);
            to[i] = min(to[i], p.x_size[i]);
        }
    }
    __device__ int there() const
    {
        int n = 1;

        for (int i = 0; i < LAYER_SPACE; i++)
            n *= max(0, to[i] - from[i]);
        return n;
    }
};

/* The largest element of a window, or their sum; where the largest is. */
template <class T>
__device__ typename Of<T>::Sum over_window(const layer_pools &p,
                                           const Window &w, int n, int c,
                                           int (&best)[LAYER_SIDES])
{
    typedef typename Of<T>::Sum Sum;
    Sum most = -FLT_MAX, sum = 0;
    bool first = true;

    for (int d = w.from[0]; d < w.to[0]; d++)
        for (int h = w.from[1]; h < w.to[1]; h++)
            for (int x = w.from[2]; x < w.to[2]; x++) {
                const int at[LAYER_SIDES] = {n, c, d, h, x};
                Sum v = value(*element<T>(p.x, at));

                sum += v;
                if (first || v > most) {
                    most = v;
                    for (int i = 0; i < LAYER_SIDES; i++)
                        best[i] = at[i];
                }
                first = false;
            }
    return p.pool == POOL_MOST ? most : sum;
}

template <class T> __device__ void pool_forward(const layer_pools &p)
{
    typedef typename Of<T>::Sum Sum;
    const Place y(p.y, p.size);
    int best[LAYER_SIDES];

    if (!y.valid)
        return;
    const Window w(p, y.at + 2);
    Sum v = over_window<T>(p, w, y.at[0], y.at[1], best);

    if (p.pool != POOL_MOST)
        v /= (Sum)(p.pool == POOL_MEAN_ALL ? w.all : max(w.there(), 1));
    blend(element<T>(p.y, y.at), v, p.alpha, p.beta);
}

/* What windows around an element of x leave it of their gradients. */
template <class T> __device__ void pool_backward(const layer_pools &p)
{
    typedef typename Of<T>::Sum Sum;
    const Place x(p.x_gradient, p.size);
    int from[LAYER_SPACE], to[LAYER_SPACE], best[LAYER_SIDES];
    Sum sum = 0;

    if (!x.valid)
        return;
    for (int i = 0; i < LAYER_SPACE; i++) {
        int last = x.at[2 + i] + p.pad[i];

        to[i] = min(last / p.step[i] + 1, p.y_size[i]);
        from[i] = last < p.window[i] ? 0
                                     : (last - p.window[i]) / p.step[i] + 1;
    }
    for (int d = from[0]; d < to[0]; d++)
        for (int h = from[1]; h < to[1]; h++)
            for (int v = from[2]; v < to[2]; v++) {
                const int at[LAYER_SIDES] = {x.at[0], x.at[1], d, h, v};
                const Window w(p, at + 2);
                Sum g = value(*element<T>(p.y_gradient, at));

                if (p.pool == POOL_MOST) {
                    over_window<T>(p, w, x.at[0], x.at[1], best);
                    if (best[2] == x.at[2] && best[3] == x.at[3] &&
                        best[4] == x.at[4])
                        sum += g;
                } else {
                    sum += g / (Sum)(p.pool == POOL_MEAN_ALL ? w.all
                                                             : w.there());
                }
            }
    blend(element<T>(p.x_gradient, x.at), sum, p.alpha, p.beta);
}

/* ---- sums of a block -------------------------------------------------------------------- */

template <class Sum> __device__ Sum block_sum(Sum x)
{
    __shared__ Sum part[LAYER_THREADS / 32];

    for (int by = 16; by > 0; by /= 2)
        x += __shfl_xor_sync(~0u, x, by);
    __syncthreads();
    if (threadIdx.x % 32 == 0)
        part[threadIdx.x / 32] = x;
    __syncthreads();
    x = 0;
    for (int i = 0; i < LAYER_THREADS / 32; i++)
        x += part[i];
    return x;
}

template <class Sum> __device__ Sum block_most(Sum x)
{
    __shared__ Sum part[LAYER_THREADS / 32];

    for (int by = 16; by > 0; by /= 2)
        x = max(x, __shfl_xor_sync(~0u, x, by));
    __syncthreads();
    if (threadIdx.x % 32 == 0)
        part[threadIdx.x / 32] = x;
    __syncthreads();
    x = part[0];
    for (int i = 1; i < LAYER_THREADS / 32; i++)
        x = max(x, part[i]);
    return x;
}

/* ---- softmax -------------------------------------------------------------------------------- */

/* A block's row, element by element. */
struct Row {
    const layer_softmax &p;
    int at[LAYER_SIDES];
    int along;

    __device__ Row(const layer_softmax &p) : p(p)
    {
        long long i = blockIdx.x;

        along = p.size[1];
        for (int d = LAYER_SIDES - 1; d >= 2; d--) {
            at[d] = p.by_pixel ? (int)(i % p.size[d]) : 0;
            if (p.by_pixel)
                i /= p.size[d];
            else
                along *= p.size[d];
        }
        at[0] = (int)i;
        at[1] = 0;
    }
    template <class T> __device__ T *operator()(const View &v, int i)
    {
        int here[LAYER_SIDES] = {at[0], i, at[2], at[3], at[4]};

        if (!p.by_pixel)
            for (int d = LAYER_SIDES - 1; d >= 1; d--) {
                here[d] = i % p.size[d];
                i /= p.size[d];
            }
        return element<T>(v, here);
    }
};

template <class T> __device__ void softmax(const layer_softmax &p)
{
    typedef typename Of<T>::Sum Sum;
    Row row(p);
    Sum most = -FLT_MAX, sum = 0;

    for (int i = threadIdx.x; i < row.along; i += blockDim.x)
        most = max(most, (Sum)value(*row.operator()<T>(p.y, i)));
    most = p.keep ? Sum(0) : block_most(most);
    for (int i = threadIdx.x; i < row.along; i += blockDim.x)
        sum += exp((Sum)value(*row.operator()<T>(p.y, i)) - most);
    sum = block_sum(sum);
    for (int i = threadIdx.x; i < row.along; i += blockDim.x) {
        Sum x = (Sum)value(*row.operator()<T>(p.y, i)) - most;

        blend(row.operator()<T>(p.out, i),
              p.logarithm ? x - log(sum) : exp(x) / sum, p.alpha, p.beta);
    }
}

template <class T> __device__ void softmax_backward(const layer_softmax &p)
{
    typedef typename Of<T>::Sum Sum;
    Row row(p);
    Sum sum = 0;

    for (int i = threadIdx.x; i < row.along; i += blockDim.x) {
        Sum g = value(*row.operator()<T>(p.gradient, i));

        sum += p.logarithm ? g : g * (Sum)value(*row.operator()<T>(p.y, i));
    }
    sum = block_sum(sum);
    for (int i = threadIdx.x; i < row.along; i += blockDim.x) {
        Sum g = value(*row.operator()<T>(p.gradient, i));
        Sum y = value(*row.operator()<T>(p.y, i));

        blend(row.operator()<T>(p.out, i),
              p.logarithm ? g - exp(y) * sum : y * (g - sum), p.alpha, p.beta);
    }
}

/* ---- batch normalization --------------------------------------------------------------------- */

/* A thread's elements of a channel: of a slice of images and pixels, every so
 * many; lanes have channels or pixels, whichever lie side by side. */
struct Share {
    const layer_norm &p;
    int channel;
    long long at, to, by;

    __device__ Share(const layer_norm &p) : p(p)
    {
        const bool by_channel = p.x.stride[1] == 1;
        const long long all =
            (long long)p.size[0] * p.size[2] * p.size[3] * p.size[4];
        const long long slice = (all + p.slices - 1) / p.slices;

        channel = by_channel ? blockIdx.x * NORM_CHANNELS + threadIdx.x % 32
                             : blockIdx.x;
        by = by_channel ? blockDim.x / 32 : blockDim.x;
        at = slice * blockIdx.y +
             (by_channel ? threadIdx.x / 32 : threadIdx.x);
        to = min(all, slice * (blockIdx.y + 1));
        if (channel >= p.size[1])
            to = 0;
    }
    __device__ long long all() const
    {
        return (long long)p.size[0] * p.size[2] * p.size[3] * p.size[4];
    }
    template <class T> __device__ T *operator()(const View &v, long long i)
    {
        unsigned left = (unsigned)i;
        int here[LAYER_SIDES];

        if (p.even) {
            const unsigned n = over(left, p.by[4]);

            return (T *)v.data + n * v.stride[0] + channel * v.stride[1] +
                   (left - n * p.by[4].by) * v.stride[4];
        }
        here[1] = channel;
        for (int d = LAYER_SIDES - 1; d >= 2; d--)
            Place::next(left, p.by[d], here[d]);
        here[0] = (int)left;
        return element<T>(v, here);
    }
    /* Whether this thread speaks for its channel. */
    __device__ bool is_first() const
    {
        return channel < p.size[1] &&
               threadIdx.x < (p.x.stride[1] == 1 ? 32 : 1);
    }
};

/* The sum of a channel's threads, for the first. */
template <class Sum> __device__ Sum channel_sum(const layer_norm &p, Sum x)
{
    __shared__ Sum part[LAYER_THREADS];

    if (p.x.stride[1] != 1)
        return block_sum(x);
    __syncthreads();
    part[threadIdx.x] = x;
    __syncthreads();
    x = 0;
    for (int i = threadIdx.x % 32; i < LAYER_THREADS; i += 32)
        x += part[i];
    return x;
}

/* Where the first element of a channel is kept, behind its sums: y may be x. */
template <class Sum>
__device__ Sum *first_element(const layer_norm &p, int channel)
{
    return (Sum *)p.sums + (long long)p.slices * p.size[1] * 2 + channel;
}

/* Two sums of each channel and slice: of x less its first element, and of that
 * squared; backward, of the gradient, and that times x normalized. */
template <class T> __device__ void norm_sums(const layer_norm &p)
{
    typedef typename Of<T>::Sum Sum;
    Share share(p);
    Sum one = 0, two = 0, less = 0, scale = 1;
    Sum *sums = (Sum *)p.sums;

    if (share.channel < p.size[1]) {
        if (p.backward) {
            less = ((const Sum *)p.mean)[share.channel];
            scale = ((const Sum *)p.inverse)[share.channel];
        } else {
            less = value(*share.operator()<T>(p.x, 0));
        }
    }
    for (long long i = share.at; i < share.to; i += share.by) {
        Sum x = ((Sum)value(*share.operator()<T>(p.x, i)) - less) * scale;
        Sum g = p.backward ? (Sum)value(*share.operator()<T>(p.y, i)) : x;

        one += g;
        two += g * x;
    }
    one = channel_sum(p, one);
    two = channel_sum(p, two);
    if (share.is_first()) {
        sums += ((long long)blockIdx.y * p.size[1] + share.channel) * 2;
        sums[0] = one;
        sums[1] = two;
        if (blockIdx.y == 0)
            *first_element<Sum>(p, share.channel) = less;
    }
}

template <class Sum> struct Two {
    Sum one, two;

    __device__ Two(const layer_norm &p, int channel)
    {
        const Sum *sums = (const Sum *)p.sums;

        one = two = 0;
        if (channel < p.size[1])
            for (int i = 0; i < p.slices; i++) {
                one += sums[((long long)i * p.size[1] + channel) * 2];
                two += sums[((long long)i * p.size[1] + channel) * 2 + 1];
            }
    }
};

template <class T> __device__ void norm_training(const layer_norm &p)
{
    typedef typename Of<T>::Sum Sum;
    Share share(p);
    const int c = min(share.channel, p.size[1] - 1);
    const Two<Sum> sums(p, c);
    const Sum count = (Sum)share.all(), apart = sums.one / count;
    const Sum mean = apart + *first_element<Sum>(p, c);
    const Sum variance = max(sums.two / count - apart * apart, Sum(0));
    const Sum inverse = Sum(1) / sqrt(variance + (Sum)p.epsilon);
    const Sum scale = ((const Sum *)p.scale)[c] * inverse,
              bias = ((const Sum *)p.bias)[c] - mean * scale;

    for (long long i = share.at; i < share.to; i += share.by)
        blend(share.operator()<T>(p.out, i),
              (Sum)value(*share.operator()<T>(p.x, i)) * scale + bias, p.alpha,
              p.beta);
    if (blockIdx.y > 0 || !share.is_first() || share.to == 0)
        return;
    if (p.mean_out != nullptr)
        ((Sum *)p.mean_out)[c] = mean;
    if (p.inverse_out != nullptr)
        ((Sum *)p.inverse_out)[c] = inverse;
    if (p.running_mean != nullptr)
        blend((Sum *)p.running_mean + c, mean, p.factor, 1 - p.factor);
    if (p.running_variance != nullptr)
        blend((Sum *)p.running_variance + c,
              variance * (count > 1 ? count / (count - 1) : Sum(1)), p.factor,
              1 - p.factor);
}

template <class T> __device__ void norm_inference(const layer_norm &p)
{
    typedef typename Of<T>::Sum Sum;
    const Place at(p.out, p.by);

    if (!at.valid)
        return;
    const int c = at.at[1];
    Sum inverse = ((const Sum *)p.inverse)[c];

    if (p.has_variance)
        inverse = Sum(1) / sqrt(inverse + (Sum)p.epsilon);
    blend(element<T>(p.out, at.at),
          ((Sum)value(*element<T>(p.x, at.at)) - ((const Sum *)p.mean)[c]) *
                  inverse * ((const Sum *)p.scale)[c] +
              ((const Sum *)p.bias)[c],
          p.alpha, p.beta);
}

template <class T> __device__ void norm_backward(const layer_norm &p)
{
    typedef typename Of<T>::Sum Sum;
    Share share(p);
    const int c = min(share.channel, p.size[1] - 1);
    const Two<Sum> sums(p, c);
    const Sum count = (Sum)share.all(), mean = ((const Sum *)p.mean)[c],
              inverse = ((const Sum *)p.inverse)[c];
    const Sum scale = ((const Sum *)p.scale)[c] * inverse;

    for (long long i = share.at; i < share.to; i += share.by) {
        Sum x = ((Sum)value(*share.operator()<T>(p.x, i)) - mean) * inverse;

        blend(share.operator()<T>(p.out, i),
              scale * ((Sum)value(*share.operator()<T>(p.y, i)) -
                       (sums.one + x * sums.two) / count),
              p.alpha, p.beta);
    }
    if (blockIdx.y > 0 || !share.is_first() || share.to == 0)
        return;
    blend((Sum *)p.scale_gradient + c, sums.two, p.alpha_of, p.beta_of);
    blend((Sum *)p.bias_gradient + c, sums.one, p.alpha_of, p.beta_of);
}

/* A channel's sum over images and pixels, by a block. */
template <class T> __device__ void bias_gradient(const layer_norm &p)
{
    typedef typename Of<T>::Sum Sum;
    Share share(p);
    Sum sum = 0;

    for (long long i = share.at; i < share.to; i += share.by)
        sum += (Sum)value(*share.operator()<T>(p.x, i));
    sum = channel_sum(p, sum);
    if (share.is_first())
        blend((T *)p.bias_gradient + share.channel, sum, p.alpha, p.beta);
}

/* ---- kernels ------------------------------------------------------------------------------- */

#define KERNEL(kind, type, name, args)                          \
    extern "C" __global__ void __launch_bounds__(LAYER_THREADS) \
        teg_cudnn_##kind##name(const __grid_constant__ args p)  \
    {                                                           \
        name<type>(p);                                          \
    }
#define KERNELS(kind, type)                              \
    KERNEL(kind, type, points, layer_points)             \
    KERNEL(kind, type, pool_forward, layer_pools)        \
    KERNEL(kind, type, pool_backward, layer_pools)       \
    KERNEL(kind, type, softmax, layer_softmax)           \
    KERNEL(kind, type, softmax_backward, layer_softmax)  \
    KERNEL(kind, type, norm_sums, layer_norm)            \
    KERNEL(kind, type, norm_training, layer_norm)        \
    KERNEL(kind, type, norm_inference, layer_norm)       \
    KERNEL(kind, type, norm_backward, layer_norm)        \
    KERNEL(kind, type, bias_gradient, layer_norm)

KERNELS(s, float)
KERNELS(d, double)
KERNELS(h, __half)
KERNELS(b, __nv_bfloat16)
