/*
 * Teg's kernels for eigenvalues of symmetric matrices, in place of those of
 * cuSOLVER.  Compiled by tools/make_kernels.sh; launched by
 * tools/cusolver/eigen.c.
 *
 *   syevj         Jacobi: a block has a matrix, and turns pairs of its rows and
 *                 columns until nothing is left beside the diagonal
 *   sytrd_column  a column becomes tridiagonal by a reflection v
 *   sytrd_product the matrix times v: what remains to be done to it is A - V W'
 *                 - W V' until a panel of columns is done
 *   steqr         eigenvalues of a tridiagonal matrix by implicit QL: a block
 *                 has 128 rows of the vectors; another warp of it finds the
 *                 rotations (as every other block's does) while they apply those before
 */
#include "jacobi.cuh"

/* ---- Jacobi ------------------------------------------------------------------------ */

/* What a round does to each pair. */
template <class T> struct Plan {
    T *c, *s, *pp, *qq; /* c 0: it is left alone */
    int *p, *q;

    __device__ Plan(T *room, int pairs)
        : c(room), s(c + pairs), pp(s + pairs), qq(pp + pairs),
          p((int *)(qq + pairs)), q(p + pairs)
    {
    }
    /* What lies behind it. */
    static __device__ T *end(T *room, int pairs)
    {
        return room + 4 * pairs + 2 * pairs * sizeof(int) / sizeof(T);
    }
};

/* Returns how many pairs have been turned in a sweep. */
template <class T>
__device__ int sweep(T *a, long long lda, T *v, long long ldv, int n, T least,
                     const Plan<T> &plan)
{
    const Pairs pairs(n);
    int turned = 0;

    for (int round = 0; round < pairs.rounds(); round++) {
        int mine = 0;

        for (int i = threadIdx.x; i < pairs.count(); i += blockDim.x) {
            int p, q;

            plan.c[i] = 0;
            if (!pairs.find(round, i, p, q))
                continue;
            const T pp = a[p + p * lda], qq = a[q + q * lda];
            const T pq = a[p + q * lda];

            if (!(fabs(pq) > least))
                continue;
            const Turn<T> turn(pp, qq, pq);
            plan.c[i] = turn.c;
            plan.s[i] = turn.s;
            plan.pp[i] = pp - turn.t * pq;
            plan.qq[i] = qq + turn.t * pq;
            plan.p[i] = p;
            plan.q[i] = q;
            mine = 1;
        }
        mine = __syncthreads_count(mine);
        turned += mine;
        if (mine == 0)
            continue;
        for (int i = warp_of(); i < pairs.count(); i += warps_of()) {
            const T c = plan.c[i], s = plan.s[i];
            const int p = plan.p[i], q = plan.q[i];

            if (c == 0)
                continue;
            for (int r = lane_of(); r < n; r += 32) {
                const T x = a[r + p * lda], y = a[r + q * lda];

                a[r + p * lda] = c * x - s * y;
                a[r + q * lda] = s * x + c * y;
                if (v != nullptr) {
                    const T x = v[r + p * ldv], y = v[r + q * ldv];

                    v[r + p * ldv] = c * x - s * y;
                    v[r + q * ldv] = s * x + c * y;
                }
            }
        }
        __syncthreads();
        for (int column = warp_of(); column < n; column += warps_of())
            for (int i = lane_of(); i < pairs.count(); i += 32) {
                const T c = plan.c[i], s = plan.s[i];
                const int p = plan.p[i], q = plan.q[i];

                if (c == 0)
                    continue;
                const T x = a[p + column * lda], y = a[q + column * lda];
                const bool own = column == p || column == q;

                a[p + column * lda] = own ? (column == p ? plan.pp[i] : T(0))
                                          : c * x - s * y;
                a[q + column * lda] = own ? (column == q ? plan.qq[i] : T(0))
                                          : s * x + c * y;
            }
        __syncthreads();
    }
    return turned;
}

template <class T>
__device__ T beside(const T *a, long long lda, int n, bool diagonal)
{
    T sum = 0;

    for (int i = threadIdx.x; i < n * n; i += blockDim.x)
        if (diagonal || i % n != i / n) {
            const T x = a[i % n + i / n * lda];

            sum += x * x;
        }
    return sqrt(block_sum(sum));
}

/* On the SM behind the plan: a and, if it is wanted, v. */
template <class T> __device__ void syevj(const jacobi_args &g)
{
    extern __shared__ double shared[];
    const int n = g.n, line = n | 1, pairs = (n + 1) / 2;
    const Plan<T> plan((T *)shared, pairs);
    T *a = matrix_of<T>(g.a, blockIdx.x);
    T *v = g.v.at != nullptr ? matrix_of<T>(g.v, blockIdx.x) : nullptr;
    T *own_a = Plan<T>::end((T *)shared, pairs), *own_v = own_a + n * line;
    int sweeps = 0, turned = 1;
    T norm;

    if (g.staged) {
        for (int i = threadIdx.x; i < n * n; i += blockDim.x) {
            own_a[i % n + i / n * line] = a[i % n + i / n * g.a.column];
            if (v != nullptr)
                own_v[i % n + i / n * line] = i % n == i / n;
        }
    } else if (v != nullptr) {
        for (int i = threadIdx.x; i < n * n; i += blockDim.x)
            v[i % n + i / n * g.v.column] = i % n == i / n;
    }
    __syncthreads();
    norm = g.staged ? beside(own_a, line, n, true)
                    : beside(a, g.a.column, n, true);
    while (turned != 0 && sweeps < g.sweeps) {
        const T least = (T)g.tolerance * norm / n;

        turned = g.staged ? sweep(own_a, line, v != nullptr ? own_v : nullptr,
                                  line, n, least, plan)
                          : sweep(a, g.a.column, v, g.v.column, n, least, plan);
        sweeps++;
    }
    if (g.staged)
        for (int i = threadIdx.x; i < n * n; i += blockDim.x) {
            a[i % n + i / n * g.a.column] = own_a[i % n + i / n * line];
            if (v != nullptr)
                v[i % n + i / n * g.v.column] = own_v[i % n + i / n * line];
        }
    __syncthreads();
    const T rest = beside(a, g.a.column, n, false);
    if (threadIdx.x == 0 && g.info != nullptr)
        g.info[blockIdx.x] = turned != 0 ? n + 1 : 0;
    if (threadIdx.x == 0 && g.report != nullptr)
        g.report[blockIdx.x] = {(double)rest, sweeps, turned};
}

/* ---- tridiagonal ---------------------------------------------------------------------- */

/* W's column of the reflection before. */
template <class T> __device__ void finish_column(const tridiagonal_args &g)
{
    const int column = g.column - 1, at = g.first + column;
    const T *v = (const T *)g.v.at, *product = (const T *)g.product;
    const T *dots = (const T *)g.dots;
    const T tau = ((const T *)g.tau)[at];
    T *w = (T *)g.w.at, sum = 0;

    for (int r = at + 1 + threadIdx.x; r < g.n; r += blockDim.x) {
        T x = product[r];

        for (int k = 0; k < column; k++)
            x -= v[r + k * g.v.column] * dots[k] +
                 w[r + k * g.w.column] * dots[PANEL + k];
        x *= tau;
        w[r + column * g.w.column] = x;
        sum += x * v[r + column * g.v.column];
    }
    sum = -tau / 2 * block_sum(sum);
    for (int r = at + 1 + threadIdx.x; r < g.n; r += blockDim.x)
        w[r + column * g.w.column] += sum * v[r + column * g.v.column];
    __syncthreads();
}

template <class T> __device__ void sytrd_column(const tridiagonal_args &g)
{
    const int at = g.first + g.column;
    T *a = (T *)g.a.at + at * g.a.column;
    T *v = (T *)g.v.at, *w = (T *)g.w.at, *own = v + g.column * g.v.column;
    double square = 0, head, beta, scale = 0;
    T tau = 0;

    if (g.column > 0)
        finish_column<T>(g);
    if (g.column == g.columns)
        return;
    for (int r = at + threadIdx.x; r < g.n; r += blockDim.x) {
        T x = a[r];

        for (int k = 0; k < g.column; k++)
            x -= v[r + k * g.v.column] * w[at + k * g.w.column] +
                 w[r + k * g.w.column] * v[at + k * g.v.column];
        a[r] = x;
        if (r > at + 1)
            square += (double)x * x;
    }
    square = block_sum(square);
    __syncthreads();
    if (threadIdx.x == 0)
        ((T *)g.d)[at] = a[at];
    if (at + 1 >= g.n)
        return;
    head = beta = a[at + 1];
    if (square != 0) {
        beta = head > 0 ? -sqrt(head * head + square)
                        : sqrt(head * head + square);
        tau = (T)((beta - head) / beta);
        scale = 1 / (head - beta);
    }
    __syncthreads();
    for (int r = g.first + threadIdx.x; r < g.n; r += blockDim.x) {
        const T x = r <= at       ? T(0)
                    : r == at + 1 ? T(1)
                                  : (T)(a[r] * scale);

        own[r] = x;
        if (r > at + 1)
            a[r] = x;
    }
    if (threadIdx.x == 0) {
        a[at + 1] = (T)beta;
        ((T *)g.e)[at] = (T)beta;
        ((T *)g.tau)[at] = tau;
    }
}

/* A warp has a column of A, or one of W or V. */
template <class T> __device__ void sytrd_product(const tridiagonal_args &g)
{
    const int from = g.first + g.column + 1, rows = g.n - from;
    const int i = blockIdx.x * warps_of() + warp_of();
    const T *v = (const T *)g.v.at + g.column * g.v.column;
    const T *other;
    T sum = 0, *to;

    if (i < rows) {
        other = (const T *)g.a.at + (from + i) * g.a.column;
        to = (T *)g.product + from + i;
    } else if (i < rows + g.column) {
        other = (const T *)g.w.at + (i - rows) * g.w.column;
        to = (T *)g.dots + i - rows;
    } else if (i < rows + 2 * g.column) {
        other = (const T *)g.v.at + (i - rows - g.column) * g.v.column;
        to = (T *)g.dots + PANEL + i - rows - g.column;
    } else {
        return;
    }
    for (int r = from + lane_of(); r < g.n; r += 32)
        sum += other[r] * v[r];
    sum = warp_sum(sum);
    if (lane_of() == 0)
        *to = sum;
}

/* ---- eigenvalues of a tridiagonal matrix -------------------------------------------------- */

template <class T> struct Least;
template <> struct Least<float> {
    static constexpr float EPSILON = 5.9604645e-8f;
};
template <> struct Least<double> {
    static constexpr double EPSILON = 1.1102230246251565e-16;
};

/* One step of QL from `end` to `begin`, by one thread; returns how far it got.  Of
 * numbers up to 1: squares that are 0 are of none that count. */
template <class T>
__device__ int find_rotations(T *d, T *e, T *cosine, T *sine, int begin,
                              int end)
{
    T g = (d[begin + 1] - d[begin]) / (2 * e[begin]), s = 1, c = 1, p = 0;
    T above = d[end], own = d[end - 1], off = e[end - 1];
    int i;

    g = above - d[begin] + e[begin] / (g + copysign(sqrt(1 + g * g), g));
    for (i = end - 1; i >= begin; i--) {
        const T f = s * off, b = c * off, square = f * f + g * g;
        const T next = i > begin ? d[i - 1] : T(0);
        const T next_off = i > begin ? e[i - 1] : T(0);
        T r;

        if (square == 0) { /* it falls apart here */
            e[i + 1] = 0;
            d[i + 1] = above - p;
            e[end] = 0;
            return i + 1;
        }
        r = rsqrt(square);
        e[i + 1] = square * r;
        s = f * r;
        c = g * r;
        g = above - p;
        r = (own - g) * s + 2 * c * b;
        p = s * r;
        d[i + 1] = g + p;
        g = c * r - b;
        cosine[i] = c;
        sine[i] = s;
        above = own;
        own = next;
        off = next_off;
    }
    d[begin] = above - p;
    e[begin] = g;
    e[end] = 0;
    return begin;
}

/* Where the matrix falls apart first from `begin` on, by a warp. */
template <class T>
__device__ int find_end(const T *d, const T *e, int begin, int n)
{
    for (int i = begin; i < n - 1; i += 32) {
        const int k = i + lane_of();
        const unsigned small = __ballot_sync(
            ~0u, k >= n - 1 || fabs(e[k]) <= Least<T>::EPSILON *
                                                 (fabs(d[k]) + fabs(d[k + 1])));

        if (small != 0)
            return i + __ffs(small) - 1;
    }
    return n - 1;
}

enum {
    AHEAD = 8, /* columns of Z that are asked for before they are turned */
};

/* Columns from `end` to `begin`, each with the one before it. */
template <class T>
__device__ void turn_row(T *z, long long step, const T *cosine, const T *sine,
                         int begin, int end)
{
    T x = z[end * step];
    int i = end - 1;

    for (; i - AHEAD + 1 >= begin; i -= AHEAD) {
        T y[AHEAD];

#pragma unroll
        for (int k = 0; k < AHEAD; k++)
            y[k] = z[(i - k) * step];
#pragma unroll
        for (int k = 0; k < AHEAD; k++) {
            const T c = cosine[i - k], s = sine[i - k];

            z[(i - k + 1) * step] = s * y[k] + c * x;
            x = c * y[k] - s * x;
        }
    }
    for (; i >= begin; i--) {
        const T y = z[i * step], c = cosine[i], s = sine[i];

        z[(i + 1) * step] = s * y + c * x;
        x = c * y - s * x;
    }
    z[begin * step] = x;
}

/* A power of 2 by which all numbers become 1 at most. */
template <class T> __device__ T scale_for(const T *d, const T *e, int n)
{
    T most = 0;
    int where = 0;

    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        const T x = max(fabs(d[i]), i + 1 < n ? fabs(e[i]) : T(0));

        if (x > most) {
            most = x;
            where = i;
        }
    }
    where = block_largest(most, where);
    most = max(fabs(d[where]), where + 1 < n ? fabs(e[where]) : T(0));
    return most > 0 && most < T(INFINITY) ? ldexp(T(1), -1 - ilogb(most))
                                          : T(1);
}

enum {
    STEPS_MOST = 60, /* for an eigenvalue */
};

/* Rotations of a step, and the columns that they are of. */
template <class T> struct Step {
    T *cosine, *sine;
    int first, end; /* end 0: there are no more */
};

/* The first warp finds the rotations of a step while the others apply those of the
 * one before. */
template <class T> __device__ void steqr(const rotate_args &g)
{
    extern __shared__ double shared[];
    __shared__ Step<T> steps[2];
    const int n = g.n, row = blockIdx.x * ROTATE_ROWS + threadIdx.x - 32;
    T *values = (T *)g.values, *room = (T *)shared;
    const T scale = scale_for((const T *)g.d, (const T *)g.e, n);
    int begin = 0, count = 0, left = 0;

    if (!g.staged)
        room = (T *)g.room + (long long)blockIdx.x * ROTATE_NUMBERS * n;
    T *d = room, *e = d + n;
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        d[i] = ((const T *)g.d)[i] * scale;
        e[i] = i + 1 < n ? ((const T *)g.e)[i] * scale : T(0);
    }
    if (threadIdx.x == 0) {
        steps[0] = {e + n, e + 2 * n, 0, 0};
        steps[1] = {e + 3 * n, e + 4 * n, 0, 0};
    }
    __syncthreads();
    for (int now = 0;; now ^= 1) {
        Step<T> &step = steps[now], &before = steps[now ^ 1];

        if (warp_of() == 0) {
            int end = n - 1;

            while (begin < n) {
                end = find_end(d, e, begin, n);
                if (end != begin && count < STEPS_MOST)
                    break;
                left += end != begin;
                begin++;
                count = 0;
            }
            if (lane_of() == 0) {
                step.end = begin < n ? end : 0;
                if (begin < n)
                    step.first = find_rotations(d, e, step.cosine, step.sine,
                                                begin, end);
            }
            count++;
            __syncwarp();
        } else if (row < g.rows && before.end != 0) {
            turn_row((T *)g.z.at + row, g.z.column, before.cosine, before.sine,
                     before.first, before.end);
        }
        __syncthreads();
        if (step.end == 0)
            break;
    }
    if (blockIdx.x != 0)
        return;
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        values[i] = d[i] / scale;
    if (threadIdx.x == 0 && g.info != nullptr)
        *g.info = left;
}

/* ---- order --------------------------------------------------------------------------- */

template <class T> __device__ void order(const order_args &g)
{
    const int i = blockIdx.y * warps_of() + warp_of();
    const T *values = matrix_of<T>(g.values, blockIdx.x);
    int place = 0;

    if (i >= g.n)
        return;
    const T own = values[i * g.values.row];
    for (int k = lane_of(); k < g.n; k += 32) {
        const T x = values[k * g.values.row];

        place += x == own ? k < i : g.down ? x > own : x < own;
    }
    place = g.keep ? i : warp_sum(place);
    if (place >= g.kept)
        return;
    if (lane_of() == 0 && g.out.at != nullptr)
        matrix_of<T>(g.out, blockIdx.x)[place * g.out.row] = own;
    if (g.m == 0)
        return;
    const T *from = matrix_of<T>(g.from, blockIdx.x) + i * g.from.column;
    T *to = matrix_of<T>(g.to, blockIdx.x) + place * g.to.column;
    for (int r = lane_of(); r < g.m; r += 32)
        to[r * g.to.row] = from[r * g.from.row];
}

#define KERNELS(letter, T)                                              \
    KERNEL(letter##syevj, FACTOR_THREADS, jacobi_args, syevj<T>)        \
    KERNEL(letter##sytrd_column, FACTOR_THREADS, tridiagonal_args,      \
           sytrd_column<T>)                                             \
    KERNEL(letter##sytrd_product, FACTOR_THREADS, tridiagonal_args,     \
           sytrd_product<T>)                                            \
    KERNEL(letter##steqr, ROTATE_ROWS + 32, rotate_args, steqr<T>)           \
    KERNEL(letter##order, FACTOR_THREADS, order_args, order<T>)
#define KERNEL(name, threads, Given, function)               \
    extern "C" __global__ void __launch_bounds__(threads)    \
        teg_cusolver_##name(const __grid_constant__ Given g) \
    {                                                        \
        function(g);                                         \
    }
KERNELS(s, float)
KERNELS(d, double)
