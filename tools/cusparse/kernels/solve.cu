/*
 * Teg's kernels in place of cuSPARSE's: rows that wait for others (solutions of
 * triangles, incomplete factors), products and sums of sparse matrices.
 * Compiled by tools/make_kernels.sh; launched by tools/cusparse/solve.c, factor.c,
 * gemm.c, add.c.
 *
 * A row's warp waits for warps of the same block or of lower blocks only, in
 * which hardware starts and the emulator runs them.
 */
#include "number.cuh"

typedef struct sparse_solve Solve;
typedef struct sparse_expand Expand;
typedef struct sparse_sum Sums;

__device__ __forceinline__ void wait_for(const unsigned *done)
{
    while (*(const volatile unsigned *)done == 0)
        ;
    __threadfence();
}

__device__ __forceinline__ void is_done(unsigned *done)
{
    __threadfence();
    *(volatile unsigned *)done = 1;
}

__device__ __forceinline__ void row_range(const struct sparse_rows &a,
                                          long long row, long long *from,
                                          long long *to)
{
    *from = index_at<true>(a.offsets, row, a.wide_offsets) - a.base;
    *to = index_at<true>(a.offsets, row + 1, a.wide_offsets) - a.base;
}

__device__ __forceinline__ long long column_at(const struct sparse_rows &a,
                                               long long i)
{
    return index_at<true>(a.minor, i, a.wide) - a.base;
}

/* What others have written meanwhile is not in L1. */
template <class S> __device__ __forceinline__ S fresh(const S *at)
{
    return *(const volatile S *)at;
}
template <class R>
__device__ __forceinline__ Complex<R> fresh(const Complex<R> *at)
{
    return {fresh(&at->x), fresh(&at->y)};
}

/* ---- triangles -------------------------------------------------------------------------- */

template <class T>
__device__ __forceinline__ T solve_entry(const Solve &p, long long i)
{
    const T v = ((const T *)p.a.values)[p.order != nullptr ? p.order[i] : i];

    return p.a.conjugate ? mirrored(v) : v;
}

/* A warp has a row, its lanes have entries. */
template <class T> __device__ __forceinline__ void solve_vector(Solve p)
{
    const int lane = threadIdx.x % SPARSE_WARP;
    const long long turn = thread_at() / SPARSE_WARP;
    T sum = zero<T>(), diagonal = zero<T>();
    long long from, to;

    if (turn >= p.a.rows)
        return;
    const long long row = p.upper ? p.a.rows - 1 - turn : turn;

    row_range(p.a, row, &from, &to);
    for (long long i = from + lane; i < to; i += SPARSE_WARP) {
        const long long column = column_at(p.a, i);

        if (column == row)
            diagonal = solve_entry<T>(p, i);
        else if (p.upper ? column > row : column < row) {
            wait_for(p.done + column);
            sum = plus(sum, times(solve_entry<T>(p, i),
                                  fresh((T *)p.c.values + column)));
        }
    }
    sum = lanes_sum(sum, SPARSE_WARP);
    diagonal = lanes_sum(diagonal, SPARSE_WARP);
    if (lane != 0)
        return;
    sum = minus(times(scale<T>(p.alpha), ((const T *)p.b.values)[row]), sum);
    ((T *)p.c.values)[row] = p.unit ? sum : over(sum, diagonal);
    is_done(p.done + row);
}

/* A warp has a row, its lanes have columns of the right side. */
template <class T> __device__ __forceinline__ void solve_columns(Solve p)
{
    const int lane = threadIdx.x % SPARSE_WARP;
    const long long turn = thread_at() / SPARSE_WARP;
    const long long j = (long long)blockIdx.y * SPARSE_WARP + lane;
    const bool has = j < p.columns;
    unsigned *done = p.done + blockIdx.y * p.a.rows;
    T sum = zero<T>(), diagonal = zero<T>();
    long long from, to;

    if (turn >= p.a.rows)
        return;
    const long long row = p.upper ? p.a.rows - 1 - turn : turn;
    T *c = (T *)p.c.values + j * p.c.column;

    row_range(p.a, row, &from, &to);
    for (long long i = from; i < to; i++) {
        const long long column = column_at(p.a, i);
        const T v = solve_entry<T>(p, i);

        if (column == row)
            diagonal = plus(diagonal, v);
        else if (p.upper ? column > row : column < row) {
            wait_for(done + column);
            if (has)
                sum = plus(sum, times(v, fresh(c + column * p.c.row)));
        }
    }
    if (has) {
        T b = ((const T *)p.b.values)[row * p.b.row + j * p.b.column];

        b = p.conjugate_b ? mirrored(b) : b;
        sum = minus(times(scale<T>(p.alpha), b), sum);
        c[row * p.c.row] = p.unit ? sum : over(sum, diagonal);
    }
    __syncwarp();
    if (lane == 0)
        is_done(done + row);
}

/* ---- incomplete factors ------------------------------------------------------------------ */

/* Place of a column among a row's, in order; -1: none. */
__device__ __forceinline__ long long find(const struct sparse_rows &a,
                                          long long from, long long to,
                                          long long column)
{
    while (from < to) {
        const long long middle = (from + to) / 2;
        const long long c = column_at(a, middle);

        if (c == column)
            return middle;
        if (c < column)
            from = middle + 1;
        else
            to = middle;
    }
    return -1;
}

__device__ __forceinline__ void no_pivot(const Solve &p, long long row)
{
    atomicMin(p.pivot, (int)(row + p.a.base));
}

/* A pivot that is too small is another, if that was asked for. */
template <class T> __device__ __forceinline__ T boosted(const Solve &p, T pivot)
{
    if (!p.boosts || size(pivot) > (p.boost_on_device ? *p.boost_below
                                                      : p.boost_below_value))
        return pivot;
    return p.boost_on_device ? *(const T *)p.boost : *(const T *)&p.boost_value;
}

/* Row by row, each by those before it that it has entries for.  A warp's lanes
 * have entries of such a row. */
template <class T> __device__ __forceinline__ void factor_lu(Solve p)
{
    const int lane = threadIdx.x % SPARSE_WARP;
    const long long row = thread_at() / SPARSE_WARP;
    T *a = (T *)p.factor;
    long long from, to;

    if (row >= p.a.rows)
        return;
    row_range(p.a, row, &from, &to);
    for (long long i = from; i < to; i++) {
        const long long k = column_at(p.a, i);
        long long k_from, k_to;

        if (k >= row)
            break;
        wait_for(p.done + k);
        row_range(p.a, k, &k_from, &k_to);
        const long long pivot = find(p.a, k_from, k_to, k);

        if (pivot < 0)
            continue;
        const T l = over(fresh(a + i), fresh(a + pivot));

        __syncwarp();
        if (lane == 0)
            a[i] = l;
        for (long long n = pivot + 1 + lane; n < k_to; n += SPARSE_WARP) {
            const long long at = find(p.a, i + 1, to, column_at(p.a, n));

            if (at >= 0)
                a[at] = minus(fresh(a + at), times(l, fresh(a + n)));
        }
        __syncwarp();
    }
    if (lane != 0)
        return;
    const long long pivot = find(p.a, from, to, row);

    if (pivot >= 0)
        a[pivot] = boosted(p, fresh(a + pivot));
    if (pivot < 0 || is_zero(fresh(a + pivot)))
        no_pivot(p, row);
    is_done(p.done + row);
}

/* The lower triangle, as far as it has entries. */
template <class T> __device__ __forceinline__ void factor_cholesky(Solve p)
{
    const int lane = threadIdx.x % SPARSE_WARP;
    const long long row = thread_at() / SPARSE_WARP;
    T *a = (T *)p.factor;
    long long from, to;
    double squares = 0;

    if (row >= p.a.rows)
        return;
    row_range(p.a, row, &from, &to);
    for (long long i = from; i < to; i++) {
        const long long k = column_at(p.a, i);
        long long k_from, k_to;
        T sum = zero<T>();

        if (k >= row)
            break;
        wait_for(p.done + k);
        row_range(p.a, k, &k_from, &k_to);
        const long long pivot = find(p.a, k_from, k_to, k);

        if (pivot < 0)
            continue;
        for (long long n = k_from + lane; n < pivot; n += SPARSE_WARP) {
            const long long at = find(p.a, from, i, column_at(p.a, n));

            if (at >= 0)
                sum = plus(sum, times(fresh(a + at), mirrored(fresh(a + n))));
        }
        sum = lanes_sum(sum, SPARSE_WARP);
        const T l = over(minus(fresh(a + i), sum), fresh(a + pivot));

        __syncwarp();
        if (lane == 0)
            a[i] = l;
        __syncwarp();
        squares += real_part(times(l, mirrored(l)));
    }
    if (lane != 0)
        return;
    const long long pivot = find(p.a, from, to, row);
    double rest = pivot >= 0 ? real_part(fresh(a + pivot)) - squares : 0;

    if (pivot < 0 || !(rest > 0))
        no_pivot(p, row);
    if (pivot >= 0)
        a[pivot] = root_of<T>(rest);
    is_done(p.done + row);
}

/* Rows without an entry on the diagonal. */
extern "C" __global__ void teg_cusparse_diagonals(Solve p)
{
    for (long long row = thread_at(); row < p.a.rows; row += threads()) {
        long long from, to;

        row_range(p.a, row, &from, &to);
        if (find(p.a, from, to, row) < 0)
            no_pivot(p, row);
    }
}

/* ---- products of sparse matrices ---------------------------------------------------------- */

/* How many products each of a's entries has. */
extern "C" __global__ void teg_cusparse_products(Expand e)
{
    for (long long i = thread_at(); i <= e.a.nnz; i += threads()) {
        long long from = 0, to = 0;

        if (i < e.a.nnz)
            row_range(e.b, column_at(e.a, i), &from, &to);
        e.first[i] = to - from;
    }
}

template <class T> __device__ __forceinline__ void expand(Expand e)
{
    const int lanes = 1 << e.lane_bits, lane = threadIdx.x & (lanes - 1);
    const long long i = thread_at() >> e.lane_bits;
    long long from, to;

    if (i >= e.a.nnz)
        return;
    row_range(e.b, column_at(e.a, i), &from, &to);
    const Sum<T> v = widen(((const T *)e.a.values)[i]);

    for (long long k = from + lane; k < to; k += lanes) {
        const long long at = e.first[i] + k - from;

        e.rows[at] = e.row_of[i];
        e.columns[at] = (unsigned)column_at(e.b, k);
        ((Sum<T> *)e.values)[at] = times(v, widen(((const T *)e.b.values)[k]));
    }
}

/* Which products, in order, are the first of their element. */
extern "C" __global__ void teg_cusparse_firsts(Expand e)
{
    for (long long i = thread_at(); i <= e.n; i += threads()) {
        unsigned is_first = i < e.n;

        if (i > 0 && i < e.n) {
            const unsigned a = e.order[i], b = e.order[i - 1];

            is_first = e.rows[a] != e.rows[b] || e.columns[a] != e.columns[b];
        }
        e.place[i] = is_first;
    }
}

template <class T> __device__ __forceinline__ void compress(Expand e)
{
    for (long long i = thread_at(); i < e.n; i += threads()) {
        const unsigned to = e.place[i], from = e.order[i];
        Sum<T> sum = zero<Sum<T>>();

        if (e.place[i + 1] == to)
            continue;
        for (long long k = i; k == i || (k < e.n && e.place[k + 1] == to + 1);
             k++)
            sum = plus(sum, ((const Sum<T> *)e.values)[e.order[k]]);
        e.to_rows[to] = e.rows[from];
        e.to_columns[to] = e.columns[from];
        ((Sum<T> *)e.to_values)[to] = sum;
    }
}

/* c = alpha values + beta c */
template <class T> __device__ __forceinline__ void deliver(Expand e)
{
    const Sum<T> alpha = scale<Sum<T>>(e.alpha), beta = scale<Sum<T>>(e.beta);

    for (long long i = thread_at(); i < e.n; i += threads()) {
        const Sum<T> v = times(alpha, ((const Sum<T> *)e.values)[i]);
        T *c = (T *)e.to_values + i;

        set_index(e.minor, i, e.wide, e.columns[i] + e.base);
        put(c, is_zero(beta) ? v : plus(v, times(beta, widen(*c))));
    }
}

/* ---- sums of sparse matrices --------------------------------------------------------------- */

/* A thread has a row; `take(i, column, a's place, b's place)`, -1: none. */
template <class Take>
__device__ __forceinline__ long long merged(const Sums &s, long long row,
                                            Take take)
{
    long long i, j, i_to, j_to, count = 0;

    row_range(s.a, row, &i, &i_to);
    row_range(s.b, row, &j, &j_to);
    while (i < i_to || j < j_to) {
        const long long none = 1ll << 62;
        const long long ca = i < i_to ? column_at(s.a, i) : none;
        const long long cb = j < j_to ? column_at(s.b, j) : none;

        take(count++, ca < cb ? ca : cb, ca <= cb ? i : -1, cb <= ca ? j : -1);
        i += ca <= cb;
        j += cb <= ca;
    }
    return count;
}

extern "C" __global__ void teg_cusparse_sum_counts(Sums s)
{
    const long long row = thread_at();

    if (row < s.a.rows)
        ((unsigned *)s.offsets)[row] = (unsigned)merged(
            s, row, [](long long, long long, long long, long long) {});
    else if (row == s.a.rows)
        ((unsigned *)s.offsets)[row] = 0;
}

extern "C" __global__ void teg_cusparse_rebase(Sums s)
{
    const long long row = thread_at();

    if (row <= s.a.rows)
        ((int *)s.offsets)[row] += (int)s.base;
}

template <class T> __device__ __forceinline__ void sum(Sums s)
{
    const long long row = thread_at();
    const T alpha = scale<T>(s.alpha), beta = scale<T>(s.beta);

    if (row >= s.a.rows)
        return;
    const long long first = ((const int *)s.offsets)[row] - s.base;

    merged(s, row,
           [&](long long n, long long column, long long i, long long j) {
               T v = zero<T>();

               if (i >= 0)
                   v = plus(v, times(alpha, ((const T *)s.a.values)[i]));
               if (j >= 0)
                   v = plus(v, times(beta, ((const T *)s.b.values)[j]));
               ((int *)s.minor)[first + n] = (int)(column + s.base);
               ((T *)s.values)[first + n] = v;
           });
}

/* ---- as they are launched ------------------------------------------------------------------ */

#define LAUNCHED(name, argument, call)                           \
    extern "C" __global__ void __launch_bounds__(SPARSE_THREADS) \
        name(argument p)                                         \
    {                                                            \
        call(p);                                                 \
    }
#define SOLVES(letter, T)                                                    \
    LAUNCHED(teg_cusparse_solve_##letter, Solve, (solve_vector<T>))          \
    LAUNCHED(teg_cusparse_solve_columns_##letter, Solve, (solve_columns<T>)) \
    LAUNCHED(teg_cusparse_lu_##letter, Solve, (factor_lu<T>))                \
    LAUNCHED(teg_cusparse_cholesky_##letter, Solve, (factor_cholesky<T>))    \
    LAUNCHED(teg_cusparse_sum_##letter, Sums, (sum<T>))
#define EXPANDS(letter, T)                                          \
    LAUNCHED(teg_cusparse_expand_##letter, Expand, (expand<T>))     \
    LAUNCHED(teg_cusparse_compress_##letter, Expand, (compress<T>)) \
    LAUNCHED(teg_cusparse_deliver_##letter, Expand, (deliver<T>))

TYPES_OF_SUMS(SOLVES)
TYPES(EXPANDS)
