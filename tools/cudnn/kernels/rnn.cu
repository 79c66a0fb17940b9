/*
 * Teg's kernels for recurrent layers, in place of those of cuDNN: what is done
 * with a step's products, forward and back.  The products are cuBLAS's.
 * Compiled by tools/make_kernels.sh.
 */
#include "number.cuh"
#include "rnn.h"

template <class Sum> __device__ Sum sigmoid(Sum x)
{
    return Sum(1) / (Sum(1) + exp(-x));
}

/* A number of one cell: its row and place there. */
struct Spot {
    unsigned row, j;
    bool valid;

    __device__ Spot(const divisor &width, int rows)
    {
        const unsigned i = blockIdx.x * RNN_THREADS + threadIdx.x;

        row = over(i, width);
        j = i - row * width.by;
        valid = row < rows;
    }
    /* In [row][count][width], the first of them. */
    __device__ long long of(const divisor &width, int count) const
    {
        return (long long)row * count * width.by + j;
    }
};

/* ---- forward ----------------------------------------------------------------- */

/* A gate's sum of the input, and that of the state, with their biases. */
template <class T, int GATES> struct Gates {
    typedef typename Of<T>::Sum Sum;
    Sum x[GATES], h[GATES];

    __device__ Gates(const rnn_forward &p, const Spot &s)
    {
        const unsigned hidden = p.hidden.by;
        const long long at = s.of(p.hidden, GATES);
        const Sum added =
            p.input ? (Sum)value(((const T *)p.input)[s.of(p.hidden, 1)])
                    : Sum(0);

#pragma unroll
        for (int g = 0; g < GATES; g++) {
            x[g] = p.input ? added : ((const Sum *)p.gates)[at + g * hidden];
            h[g] = ((const Sum *)p.sums)[at + g * hidden];
            if (p.bias)
                x[g] += (Sum)value(((const T *)p.bias)[g * hidden + s.j]);
            if (p.bias_of_state)
                h[g] +=
                    (Sum)value(((const T *)p.bias_of_state)[g * hidden + s.j]);
        }
    }
};

template <class Sum, int GATES>
__device__ void keep(void *kept, const rnn_forward &p, const Spot &s,
                     const Sum (&gate)[GATES])
{
    if (kept)
#pragma unroll
        for (int g = 0; g < GATES; g++)
            ((Sum *)kept)[s.of(p.hidden, GATES) + g * p.hidden.by] = gate[g];
}

/* The state that a cell gives out, or what is projected to it. */
template <class T, class Sum>
__device__ void give(const rnn_forward &p, const Spot &s, Sum h)
{
    T *state = (T *)p.h + (long long)s.row * p.state + s.j;

    if (p.h_before && s.j < p.state)
        ((T *)p.h_before)[(long long)s.row * p.state + s.j] = *state;
    if (p.y) {
        set(state, h);
        set((T *)p.y + s.row * p.y_line + s.j, h);
    } else {
        set((T *)p.out + s.of(p.hidden, 1), h);
    }
}

template <class T> __device__ void rnn_plain(const rnn_forward &p)
{
    typedef typename Of<T>::Sum Sum;
    const Spot s(p.hidden, p.rows);

    if (!s.valid)
        return;
    const Gates<T, 1> in(p, s);
    const Sum sum = in.x[0] + in.h[0];
    const Sum h[1] = {p.relu ? (sum > Sum(0) ? sum : Sum(0)) : tanh(sum)};

    keep(p.kept, p, s, h);
    give<T>(p, s, h[0]);
}

template <class T> __device__ void rnn_lstm(const rnn_forward &p)
{
    typedef typename Of<T>::Sum Sum;
    const Spot s(p.hidden, p.rows);

    if (!s.valid)
        return;
    const Gates<T, 4> in(p, s);
    const Sum gate[4] = {sigmoid(in.x[0] + in.h[0]), sigmoid(in.x[1] + in.h[1]),
                         tanh(in.x[2] + in.h[2]), sigmoid(in.x[3] + in.h[3])};
    const long long at = s.of(p.hidden, 1);
    const Sum before = ((const Sum *)p.c)[at];
    const Sum c = gate[1] * before + gate[0] * gate[2];

    if (p.c_before)
        ((Sum *)p.c_before)[at] = before;
    ((Sum *)p.c)[at] = c;
    keep(p.kept, p, s, gate);
    give<T>(p, s, gate[3] * tanh(c));
}

template <class T> __device__ void rnn_gru(const rnn_forward &p)
{
    typedef typename Of<T>::Sum Sum;
    const Spot s(p.hidden, p.rows);

    if (!s.valid)
        return;
    const Gates<T, 3> in(p, s);
    const Sum reset = sigmoid(in.x[0] + in.h[0]);
    const Sum update = sigmoid(in.x[1] + in.h[1]);
    const Sum gate[3] = {reset, update, tanh(in.x[2] + reset * in.h[2])};
    const long long at = s.of(p.hidden, 1);
    const Sum before = (Sum)value(((const T *)p.h)[at]);

    if (p.inner)
        ((Sum *)p.inner)[at] = in.h[2];
    keep(p.kept, p, s, gate);
    give<T>(p, s, (Sum(1) - update) * gate[2] + update * before);
}

/* ---- back --------------------------------------------------------------------- */

/* A cell's part of what the way back knows. */
template <class T, int GATES> struct Back {
    typedef typename Of<T>::Sum Sum;
    const rnn_backward &p;
    const Spot s;
    const long long at, first; /* of its number, of its first gate */
    Sum gate[GATES];
    Sum dh;

    __device__ Back(const rnn_backward &p)
        : p(p), s(p.hidden, p.rows), at(s.of(p.hidden, 1)),
          first(s.of(p.hidden, GATES))
    {
        if (!s.valid)
            return;
#pragma unroll
        for (int g = 0; g < GATES; g++)
            gate[g] = ((const Sum *)p.kept)[first + g * p.hidden.by];
        dh = ((const Sum *)p.dh)[at];
        if (p.dy)
            dh += (Sum)value(((const T *)p.dy)[s.row * p.y_line + s.j]);
    }
    __device__ void give(void *to, int g, Sum x) const
    {
        set((T *)to + first + g * p.hidden.by, x);
    }
};

template <class T> __device__ void rnn_plain_back(const rnn_backward &p)
{
    typedef typename Of<T>::Sum Sum;
    const Back<T, 1> b(p);
    const Sum h = b.gate[0];

    if (!b.s.valid)
        return;
    b.give(p.gates, 0,
           p.relu ? (h > Sum(0) ? b.dh : Sum(0)) : b.dh * (Sum(1) - h * h));
}

template <class T> __device__ void rnn_lstm_back(const rnn_backward &p)
{
    typedef typename Of<T>::Sum Sum;
    const Back<T, 4> b(p);

    if (!b.s.valid)
        return;
    const Sum i = b.gate[0], f = b.gate[1], g = b.gate[2], o = b.gate[3];
    const Sum before = ((const Sum *)p.c_before)[b.at];
    const Sum c = tanh(f * before + i * g);
    Sum *const dc = (Sum *)p.dc + b.at;
    const Sum d = *dc + b.dh * o * (Sum(1) - c * c);

    b.give(p.gates, 0, d * g * i * (Sum(1) - i));
    b.give(p.gates, 1, d * before * f * (Sum(1) - f));
    b.give(p.gates, 2, d * i * (Sum(1) - g * g));
    b.give(p.gates, 3, b.dh * c * o * (Sum(1) - o));
    *dc = d * f;
}

template <class T> __device__ void rnn_gru_back(const rnn_backward &p)
{
    typedef typename Of<T>::Sum Sum;
    const Back<T, 3> b(p);

    if (!b.s.valid)
        return;
    const Sum r = b.gate[0], z = b.gate[1], n = b.gate[2];
    const Sum before = (Sum)value(((const T *)p.h_before)[b.at]);
    const Sum dn = b.dh * (Sum(1) - z) * (Sum(1) - n * n);
    const Sum dz = b.dh * (before - n) * z * (Sum(1) - z);
    const Sum dr = dn * ((const Sum *)p.inner)[b.at] * r * (Sum(1) - r);

    b.give(p.gates, 0, dr);
    b.give(p.gates, 1, dz);
    b.give(p.gates, 2, dn);
    b.give(p.gates_of_state, 0, dr);
    b.give(p.gates_of_state, 1, dz);
    b.give(p.gates_of_state, 2, dn * r);
    ((Sum *)p.dh)[b.at] = b.dh * z;
}

/* ---- what is beside them --------------------------------------------------------- */

template <class From, class To> __device__ void moved(const rnn_move &p)
{
    const Spot s(p.width, p.rows);

    if (!s.valid)
        return;
    const long long from = p.from_row ? p.from_row[s.row] : s.row;
    const long long to = p.to_row ? p.to_row[s.row] : s.row;
    typename Of<To>::Sum x = value(*(const To *)&p.fill);

    if (p.from)
        x = value(
            ((const From *)
                 p.from)[blockIdx.y * p.from_group + from * p.from_line + s.j]);
    if (p.add)
        x += ((const typename Of<To>::Sum *)p.add)[s.of(p.width, 1)];
    set((To *)p.to + blockIdx.y * p.to_group + to * p.to_line + s.j, x);
}
template <class T> __device__ void rnn_move(const struct rnn_move &p)
{
    moved<T, T>(p);
}
template <class T> __device__ void rnn_widen(const struct rnn_move &p)
{
    moved<T, typename Of<T>::Sum>(p);
}
template <class T> __device__ void rnn_narrow(const struct rnn_move &p)
{
    moved<typename Of<T>::Sum, T>(p);
}

/* A block has 32 columns: its warps share the tokens. */
template <class T> __device__ void rnn_bias(const struct rnn_bias &p)
{
    typedef typename Of<T>::Sum Sum;
    enum {
        WARPS = RNN_THREADS / 32
    };
    __shared__ Sum part[WARPS][32];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const int column = blockIdx.x * 32 + lane;
    Sum sum = 0;

    const int tokens = column < p.columns ? p.tokens : 0;
    const T *const gates = (const T *)p.gates + column;
#pragma unroll 8
    for (int t = warp; t < tokens; t += WARPS)
        sum += (Sum)value(gates[(long long)t * p.columns]);
    part[warp][lane] = sum;
    __syncthreads();
    if (warp > 0 || column >= p.columns)
        return;
    for (int w = 1; w < WARPS; w++)
        sum += part[w][lane];
    T *const bias = (T *)p.bias + column;
    if (p.adds)
        sum += (Sum)value(*bias);
    set(bias, sum);
}

template <class T> __device__ void rnn_skip(const struct rnn_skip &p)
{
    typedef typename Of<T>::Sum Sum;
    const unsigned i = blockIdx.x * RNN_THREADS + threadIdx.x;
    const unsigned token = over(i, p.hidden), j = i - token * p.hidden.by;
    Sum sum = 0;

    if (i >= p.all)
        return;
    for (int w = 0; w < RNN_WAYS; w++)
        for (int g = 0; p.gates[w] && g < p.count; g++)
            sum += (Sum)value((
                (const T *)
                    p.gates[w])[((long long)token * p.count + g) * p.hidden.by +
                                j]);
    set((T *)p.dx + i, sum);
}

/* ---- kernels --------------------------------------------------------------------- */

#define KERNEL(kind, type, name, args)                         \
    extern "C" __global__ void __launch_bounds__(RNN_THREADS)  \
        teg_cudnn_##kind##name(const __grid_constant__ args p) \
    {                                                          \
        name<type>(p);                                         \
    }
#define KERNELS(kind, type)                          \
    KERNEL(kind, type, rnn_plain, rnn_forward)       \
    KERNEL(kind, type, rnn_lstm, rnn_forward)        \
    KERNEL(kind, type, rnn_gru, rnn_forward)         \
    KERNEL(kind, type, rnn_plain_back, rnn_backward) \
    KERNEL(kind, type, rnn_lstm_back, rnn_backward)  \
    KERNEL(kind, type, rnn_gru_back, rnn_backward)   \
    KERNEL(kind, type, rnn_move, struct rnn_move)    \
    KERNEL(kind, type, rnn_widen, struct rnn_move)   \
    KERNEL(kind, type, rnn_narrow, struct rnn_move)  \
    KERNEL(kind, type, rnn_bias, struct rnn_bias)    \
    KERNEL(kind, type, rnn_skip, struct rnn_skip)

KERNELS(s, float)
KERNELS(d, double)
KERNELS(h, __half)
KERNELS(b, __nv_bfloat16)
