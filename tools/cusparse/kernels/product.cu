/*
 * Teg's kernels in place of cuSPARSE's: products with dense vectors and matrices.
 * Compiled by tools/make_kernels.sh; launched by tools/cusparse/product.c.
 */
#include "number.cuh"

typedef struct sparse_product Product;

template <class T>
__device__ __forceinline__ Sum<T> entry(const Product &p, long long i)
{
    Sum<T> v = widen(((const T *)p.a.values)[i]);

    return p.a.conjugate ? mirrored(v) : v;
}

/* c = alpha sum + beta c */
template <class T>
__device__ __forceinline__ void finish(const Product &p, long long at,
                                       Sum<T> sum)
{
    Sum<T> beta = scale<Sum<T>>(p.beta);

    sum = times(scale<Sum<T>>(p.alpha), sum);
    if (p.c_is_float) { /* only where sums are */
        Sum<T> *c = (Sum<T> *)p.c.values + at;

        *c = is_zero(beta) ? sum : plus(sum, times(beta, *c));
    } else {
        T *c = (T *)p.c.values + at;

        put(c, is_zero(beta) ? sum : plus(sum, times(beta, widen(*c))));
    }
}

/* ---- vectors ---------------------------------------------------------------------- */

/* What every `lanes`-th entry adds up to. */
template <class T, bool ANY>
__device__ __forceinline__ Sum<T> row_sum(const Product &p, Int<ANY> from,
                                          Int<ANY> to, int lane, int lanes)
{
    const T *x = (const T *)p.b.values - p.a.base;
    Sum<T> sum = zero<Sum<T>>();

#pragma unroll 4
    for (Int<ANY> i = from + lane; i < to; i += lanes)
        sum = plus(sum, times(entry<T>(p, i),
                              widen(x[index_at<ANY>(p.a.minor, i, p.a.wide)])));
    return sum;
}

template <bool ANY>
__device__ __forceinline__ bool find_row(const Product &p, Int<ANY> row,
                                         Int<ANY> *from, Int<ANY> *to)
{
    const Int<ANY> base = (Int<ANY>)p.a.base;

    *from = *to = 0;
    if (row >= (Int<ANY>)p.a.rows)
        return false;
    *from = index_at<ANY>(p.a.offsets, row, p.a.wide_offsets) - base;
    *to = index_at<ANY>(p.a.offsets, row + 1, p.a.wide_offsets) - base;
    return true;
}

/* A group of lanes has a row; those that are far longer have the warp. */
template <class T, bool ANY> __device__ __forceinline__ void spmv_csr(Product p)
{
    typedef Int<ANY> I;
    const int lanes = 1 << p.lane_bits, lane = threadIdx.x & (lanes - 1);
    const I longest = (I)lanes * SPARSE_LONG;
    const I row = (I)(thread_at() >> p.lane_bits);
    I from, to;
    const bool has = find_row<ANY>(p, row, &from, &to);
    const bool is_long = to - from > longest && lanes < SPARSE_WARP;
    Sum<T> sum = row_sum<T, ANY>(p, from, is_long ? from : to, lane, lanes);

    sum = lanes_sum(sum, lanes);
    if (lane == 0 && has && !is_long)
        finish<T>(p, row, sum);
    for (unsigned left = __ballot_sync(~0u, is_long && lane == 0); left != 0;
         left &= left - 1) {
        const I its = __shfl_sync(~0u, row, __ffs(left) - 1);

        find_row<ANY>(p, its, &from, &to);
        sum = lanes_sum(row_sum<T, ANY>(p, from, to, threadIdx.x % SPARSE_WARP,
                                        SPARSE_WARP),
                        SPARSE_WARP);
        if (threadIdx.x % SPARSE_WARP == 0)
            finish<T>(p, its, sum);
    }
}

/* Where sums of several warps meet: c, or where its elements are too short for
 * that, floats. */
template <class T> struct Meeting {
    Sum<T> *at, factor;
    long long row, column;

    __device__ __forceinline__ Meeting(const Product &p, unsigned batch)
    {
        if (sizeof(T) < sizeof(Sum<T>)) {
            at = (Sum<T> *)p.work + batch * p.rows * p.columns;
            row = p.columns;
            column = 1;
            factor = zero<Sum<T>>();
        } else {
            at = (Sum<T> *)p.c.values + batch * p.c.batch;
            row = p.c.row;
            column = p.c.column;
            factor = scale<Sum<T>>(p.alpha);
        }
    }
    __device__ __forceinline__ void add(long long i, long long j, Sum<T> x)
    {
        if (sizeof(T) == sizeof(Sum<T>))
            x = times(factor, x);
        add_to(at + i * row + j * column, x);
    }
};

/* Columns of rows: what they add to is anywhere. */
template <class T> __device__ __forceinline__ void spmv_csr_across(Product p)
{
    const int lanes = 1 << p.lane_bits, lane = threadIdx.x & (lanes - 1);
    const long long row = thread_at() >> p.lane_bits;
    Meeting<T> y(p, 0);

    if (row >= p.a.rows)
        return;
    const long long from =
        index_at<true>(p.a.offsets, row, p.a.wide_offsets) - p.a.base;
    const long long to =
        index_at<true>(p.a.offsets, row + 1, p.a.wide_offsets) - p.a.base;
    const Sum<T> x = widen(((const T *)p.b.values)[row]);

    for (long long i = from + lane; i < to; i += lanes)
        y.add(index_at<true>(p.a.minor, i, p.a.wide) - p.a.base, 0,
              times(entry<T>(p, i), x));
}

/* A warp has so many entries; those of a row, which lie side by side, are summed
 * up before one of them is added. */
template <class T> __device__ __forceinline__ void spmv_coo(Product p)
{
    const int lane = threadIdx.x % SPARSE_WARP;
    const long long first =
        thread_at() / SPARSE_WARP * SPARSE_WARP * SPARSE_CHUNK;
    const T *x = (const T *)p.b.values - p.a.base;
    Meeting<T> y(p, 0);
    long long held_row = -1;
    Sum<T> held = zero<Sum<T>>();

    for (int turn = 0; turn < SPARSE_CHUNK; turn++) {
        const long long i = first + turn * SPARSE_WARP + lane;
        const bool is_one = i < p.a.nnz;
        Sum<T> sum = zero<Sum<T>>();
        long long row = -1;

        if (is_one) {
            row = index_at<true>(p.a.major, i, p.a.wide) - p.a.base;
            sum = times(entry<T>(p, i),
                        widen(x[index_at<true>(p.a.minor, i, p.a.wide)]));
        }
        if (lane == 0 && row == held_row)
            sum = plus(sum, held);
        else if (lane == 0 && held_row >= 0)
            y.add(held_row, 0, held);
        /* where its row begins, though entries may be in any order */
        const long long before = __shfl_up_sync(~0u, row, 1);
        const unsigned begins = __ballot_sync(~0u, lane == 0 || before != row);
        const int begin =
            SPARSE_WARP - 1 - __clz(begins & (~0u >> (31 - lane)));

        for (int far = 1; far < SPARSE_WARP; far *= 2) {
            const Sum<T> other = from_below(sum, far);

            if (lane - far >= begin)
                sum = plus(sum, other);
        }
        const long long next = __shfl_down_sync(~0u, row, 1);

        if (lane < SPARSE_WARP - 1 && row >= 0 && next != row)
            y.add(row, 0, sum);
        held_row = __shfl_sync(~0u, row, SPARSE_WARP - 1);
        held = from_lane(sum, SPARSE_WARP - 1);
    }
    if (lane == 0 && held_row >= 0)
        y.add(held_row, 0, held);
}

/* ---- matrices ---------------------------------------------------------------------- */

template <class T>
__device__ __forceinline__ Sum<T> element(const Product &p, const T *b,
                                          long long i, long long j)
{
    const Sum<T> v = widen(b[i * p.b.row + j * p.b.column]);

    return p.conjugate_b ? mirrored(v) : v;
}

__device__ __forceinline__ void take_batch(Product &p, unsigned batch,
                                           int bytes, int c_bytes)
{
    p.a.offsets = (const char *)p.a.offsets +
                  batch * p.a.offsets_step * (p.a.wide_offsets ? 8 : 4);
    p.a.minor =
        (const char *)p.a.minor + batch * p.a.entries_step * (p.a.wide ? 8 : 4);
    p.a.major =
        (const char *)p.a.major + batch * p.a.entries_step * (p.a.wide ? 8 : 4);
    p.a.values = (const char *)p.a.values + batch * p.a.entries_step * bytes;
    p.b.values = (char *)p.b.values + batch * p.b.batch * bytes;
    p.c.values = (char *)p.c.values + batch * p.c.batch * c_bytes;
}

/* A group of lanes has a row and columns side by side, HELD of them a lane. */
template <class T, bool ANY, int HELD>
__device__ __forceinline__ void spmm_rows(Product p)
{
    typedef Int<ANY> I;
    const int lanes = 1 << p.lane_bits, lane = threadIdx.x & (lanes - 1);
    const I row = (I)(thread_at() >> p.lane_bits);
    const long long first = (long long)blockIdx.y * lanes * HELD + lane;
    Sum<T> sum[HELD];

    take_batch(p, blockIdx.z, sizeof(T), p.c_is_float ? 4 : sizeof(T));
    if (row >= (I)p.a.rows)
        return;
    const T *b = (const T *)p.b.values + first * p.b.column;
    const I from = index_at<ANY>(p.a.offsets, row, p.a.wide_offsets);
    const I to = index_at<ANY>(p.a.offsets, row + 1, p.a.wide_offsets);
    bool has[HELD];

#pragma unroll
    for (int k = 0; k < HELD; k++) {
        sum[k] = zero<Sum<T>>();
        has[k] = first + k * lanes < p.columns;
    }
#pragma unroll 4
    for (I i = from - (I)p.a.base; i < to - (I)p.a.base; i++) {
        const long long at =
            index_at<ANY>(p.a.minor, i, p.a.wide) - (I)p.a.base;
        const Sum<T> v = entry<T>(p, i);

#pragma unroll
        for (int k = 0; k < HELD; k++) {
            if (has[k])
                sum[k] =
                    plus(sum[k], times(v, element<T>(p, b, at, k * lanes)));
        }
    }
#pragma unroll
    for (int k = 0; k < HELD; k++) {
        if (has[k])
            finish<T>(p, row * p.c.row + (first + k * lanes) * p.c.column,
                      sum[k]);
    }
}

/* A group of lanes has a row and HELD columns: those far from each other. */
template <class T, bool ANY>
__device__ __forceinline__ void spmm_columns(Product p)
{
    typedef Int<ANY> I;
    enum {
        HELD = SPARSE_SPMM_HELD
    };
    const int lanes = 1 << p.lane_bits, lane = threadIdx.x & (lanes - 1);
    const I row = (I)(thread_at() >> p.lane_bits);
    const long long first = (long long)blockIdx.y * HELD;
    Sum<T> sum[HELD];

    take_batch(p, blockIdx.z, sizeof(T), p.c_is_float ? 4 : sizeof(T));
    const T *b = (const T *)p.b.values + first * p.b.column;

#pragma unroll
    for (int k = 0; k < HELD; k++)
        sum[k] = zero<Sum<T>>();
    if (row < (I)p.a.rows) {
        const I from = index_at<ANY>(p.a.offsets, row, p.a.wide_offsets);
        const I to = index_at<ANY>(p.a.offsets, row + 1, p.a.wide_offsets);

#pragma unroll 2
        for (I i = from - (I)p.a.base + lane; i < to - (I)p.a.base;
             i += lanes) {
            const long long at =
                index_at<ANY>(p.a.minor, i, p.a.wide) - (I)p.a.base;
            const Sum<T> v = entry<T>(p, i);

#pragma unroll
            for (int k = 0; k < HELD; k++) {
                if (first + k < p.columns)
                    sum[k] = plus(sum[k], times(v, element<T>(p, b, at, k)));
            }
        }
    }
#pragma unroll
    for (int k = 0; k < HELD; k++) {
        sum[k] = lanes_sum(sum[k], lanes);
        if (lane == 0 && row < (I)p.a.rows && first + k < p.columns)
            finish<T>(p, row * p.c.row + (first + k) * p.c.column, sum[k]);
    }
}

/* A group of lanes has a row, or so many entries, and columns side by side. */
template <class T> __device__ __forceinline__ void spmm_across(Product p)
{
    const int lanes = 1 << p.lane_bits, lane = threadIdx.x & (lanes - 1);
    const long long row = thread_at() >> p.lane_bits;
    const long long j = (long long)blockIdx.y * lanes + lane;
    Meeting<T> c(p, blockIdx.z);

    take_batch(p, blockIdx.z, sizeof(T), 0);
    if (row >= p.a.rows || j >= p.columns)
        return;
    const long long from =
        index_at<true>(p.a.offsets, row, p.a.wide_offsets) - p.a.base;
    const long long to =
        index_at<true>(p.a.offsets, row + 1, p.a.wide_offsets) - p.a.base;
    const Sum<T> b = element<T>(p, (const T *)p.b.values, row, j);

    for (long long i = from; i < to; i++)
        c.add(index_at<true>(p.a.minor, i, p.a.wide) - p.a.base, j,
              times(entry<T>(p, i), b));
}

template <class T> __device__ __forceinline__ void spmm_coo(Product p)
{
    const int lanes = 1 << p.lane_bits, lane = threadIdx.x & (lanes - 1);
    const long long j = (long long)blockIdx.y * lanes + lane;
    const long long first = (thread_at() >> p.lane_bits) * SPARSE_SPMM_ENTRIES;
    Meeting<T> c(p, blockIdx.z);
    long long held_row = -1;
    Sum<T> sum = zero<Sum<T>>();

    take_batch(p, blockIdx.z, sizeof(T), 0);
    if (j >= p.columns)
        return;
    for (long long i = first; i < first + SPARSE_SPMM_ENTRIES && i < p.a.nnz;
         i++) {
        const long long row = index_at<true>(p.a.major, i, p.a.wide) - p.a.base;

        if (row != held_row) {
            if (held_row >= 0)
                c.add(held_row, j, sum);
            held_row = row;
            sum = zero<Sum<T>>();
        }
        sum = plus(
            sum,
            times(entry<T>(p, i),
                  element<T>(p, (const T *)p.b.values,
                             index_at<true>(p.a.minor, i, p.a.wide) - p.a.base,
                             j)));
    }
    if (held_row >= 0)
        c.add(held_row, j, sum);
}

/* What stands where sums of several warps meet: beta c before them, or of their
 * floats afterwards. */
template <class T> __device__ __forceinline__ void meet(Product p)
{
    const bool by_rows = p.c.column <= p.c.row;
    const long long width = by_rows ? p.columns : p.rows;
    const float *work = p.work + blockIdx.z * p.rows * p.columns;

    take_batch(p, blockIdx.z, 0, p.c_is_float ? 4 : sizeof(T));
    for (long long t = thread_at(); t < p.rows * p.columns; t += threads()) {
        const long long i = by_rows ? t / width : t % width;
        const long long j = by_rows ? t % width : t / width;
        Sum<T> sum = zero<Sum<T>>();

        if (sizeof(T) < sizeof(Sum<T>))
            sum = *(const Sum<T> *)(work + i * p.columns + j);
        finish<T>(p, i * p.c.row + j * p.c.column, sum);
    }
}

/* A warp has a row of entries that are computed, a group of lanes one of them. */
template <class T> __device__ __forceinline__ void sddmm(Product p)
{
    const int lanes = 1 << p.lane_bits, lane = threadIdx.x & (lanes - 1);
    const int groups = SPARSE_WARP >> p.lane_bits;
    const long long row = thread_at() / SPARSE_WARP;

    take_batch(p, blockIdx.z, sizeof(T), sizeof(T));
    if (row >= p.a.rows)
        return;
    const long long from =
        index_at<true>(p.a.offsets, row, p.a.wide_offsets) - p.a.base;
    const long long to =
        index_at<true>(p.a.offsets, row + 1, p.a.wide_offsets) - p.a.base;
    const int group = threadIdx.x % SPARSE_WARP >> p.lane_bits;
    const Sum<T> alpha = scale<Sum<T>>(p.alpha), beta = scale<Sum<T>>(p.beta);

    for (long long first = from; first < to; first += groups) {
        const long long i = first + group;
        Sum<T> sum = zero<Sum<T>>();

        if (i < to) {
            const long long column =
                index_at<true>(p.a.minor, i, p.a.wide) - p.a.base;
            const T *c = (const T *)p.c.values + column * p.c.column;

            for (long long k = lane; k < p.columns; k += lanes) {
                Sum<T> other = widen(c[k * p.c.row]);

                other = p.conjugate_c ? mirrored(other) : other;
                sum = plus(
                    sum,
                    times(element<T>(p, (const T *)p.b.values, row, k), other));
            }
        }
        sum = times(alpha, lanes_sum(sum, lanes));
        if (i < to && lane == 0) {
            T *at = (T *)p.a.values + i;

            put(at, is_zero(beta) ? sum : plus(sum, times(beta, widen(*at))));
        }
    }
}

/* ---- a sparse vector ------------------------------------------------------------------ */

typedef struct sparse_vector Vector;

template <class S> __device__ __forceinline__ S block_sum(S sum)
{
    __shared__ S parts[SPARSE_THREADS / SPARSE_WARP];

    sum = lanes_sum(sum, SPARSE_WARP);
    if (threadIdx.x % SPARSE_WARP == 0)
        parts[threadIdx.x / SPARSE_WARP] = sum;
    __syncthreads();
    sum = zero<S>();
    for (unsigned i = 0; i < blockDim.x / SPARSE_WARP; i++)
        sum = plus(sum, parts[i]);
    return sum;
}

template <class T> __device__ __forceinline__ void dot(Vector v)
{
    const T *y = (const T *)v.dense - v.base;
    Sum<T> sum = zero<Sum<T>>();

    for (long long i = thread_at(); i < v.n; i += threads()) {
        Sum<T> x = widen(((const T *)v.values)[i]);

        x = v.conjugate ? mirrored(x) : x;
        sum =
            plus(sum, times(x, widen(y[index_at<true>(v.indices, i, v.wide)])));
    }
    sum = block_sum(sum);
    if (threadIdx.x == 0)
        ((Sum<T> *)v.parts)[blockIdx.x] = sum;
}

template <class S> __device__ __forceinline__ void total(Vector v)
{
    S sum = zero<S>();

    for (long long i = threadIdx.x; i < v.n; i += blockDim.x)
        sum = plus(sum, ((const S *)v.parts)[i]);
    sum = block_sum(sum);
    if (threadIdx.x == 0)
        *(S *)v.result = sum;
}

/* y = beta y everywhere; alpha x is added to that by its entries. */
template <class T> __device__ __forceinline__ void scale_dense(Vector v)
{
    const Sum<T> beta = scale<Sum<T>>(v.beta);
    T *y = (T *)v.dense;

    for (long long i = thread_at(); i < v.dense_n; i += threads())
        put(y + i, is_zero(beta) ? zero<Sum<T>>() : times(beta, widen(y[i])));
}

template <class T> __device__ __forceinline__ void add_sparse(Vector v)
{
    const Sum<T> alpha = scale<Sum<T>>(v.alpha);
    T *y = (T *)v.dense - v.base;

    for (long long i = thread_at(); i < v.n; i += threads()) {
        T *at = y + index_at<true>(v.indices, i, v.wide);

        put(at,
            plus(times(alpha, widen(((const T *)v.values)[i])), widen(*at)));
    }
}

template <class T> __device__ __forceinline__ void rotate(Vector v)
{
    const Sum<T> c = scale<Sum<T>>(v.alpha), s = scale<Sum<T>>(v.beta);
    T *dense = (T *)v.dense - v.base;

    for (long long i = thread_at(); i < v.n; i += threads()) {
        T *px = (T *)v.values + i;
        T *py = dense + index_at<true>(v.indices, i, v.wide);
        const Sum<T> x = widen(*px), y = widen(*py);

        put(px, plus(times(c, x), times(s, y)));
        put(py, minus(times(c, y), times(mirrored(s), x)));
    }
}

/* ---- as they are launched ------------------------------------------------------------ */

#define LAUNCHED(name, argument, call)                           \
    extern "C" __global__ void __launch_bounds__(SPARSE_THREADS) \
        name(argument p)                                         \
    {                                                            \
        call(p);                                                 \
    }

#define PRODUCTS(letter, T)                                                    \
    LAUNCHED(teg_cusparse_spmv_csr_##letter, Product, (spmv_csr<T, false>))    \
    LAUNCHED(teg_cusparse_spmv_csr_any_##letter, Product, (spmv_csr<T, true>)) \
    LAUNCHED(teg_cusparse_spmv_csr_across_##letter, Product,                   \
             (spmv_csr_across<T>))                                             \
    LAUNCHED(teg_cusparse_spmv_coo_##letter, Product, (spmv_coo<T>))           \
    LAUNCHED(teg_cusparse_spmm_rows_##letter, Product,                         \
             (spmm_rows<T, false, 1>))                                         \
    LAUNCHED(teg_cusparse_spmm_rows_wide_##letter, Product,                    \
             (spmm_rows<T, false, SPARSE_SPMM_HELD>))                          \
    LAUNCHED(teg_cusparse_spmm_rows_any_##letter, Product,                     \
             (spmm_rows<T, true, 1>))                                          \
    LAUNCHED(teg_cusparse_spmm_columns_##letter, Product,                      \
             (spmm_columns<T, false>))                                         \
    LAUNCHED(teg_cusparse_spmm_columns_any_##letter, Product,                  \
             (spmm_columns<T, true>))                                          \
    LAUNCHED(teg_cusparse_spmm_across_##letter, Product, (spmm_across<T>))     \
    LAUNCHED(teg_cusparse_spmm_coo_##letter, Product, (spmm_coo<T>))           \
    LAUNCHED(teg_cusparse_meet_##letter, Product, (meet<T>))                   \
    LAUNCHED(teg_cusparse_sddmm_##letter, Product, (sddmm<T>))                 \
    LAUNCHED(teg_cusparse_dot_##letter, Vector, (dot<T>))                      \
    LAUNCHED(teg_cusparse_scale_##letter, Vector, (scale_dense<T>))            \
    LAUNCHED(teg_cusparse_add_##letter, Vector, (add_sparse<T>))               \
    LAUNCHED(teg_cusparse_rotate_##letter, Vector, (rotate<T>))
#define TOTALS(letter, T) \
    LAUNCHED(teg_cusparse_total_##letter, Vector, (total<T>))

TYPES(PRODUCTS)
TYPES_OF_SUMS(TOTALS)
