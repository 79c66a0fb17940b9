/*
 * Teg's kernels in place of cuSPARSE's: from one format to another, sorts.
 * Compiled by tools/make_kernels.sh; launched by tools/cusparse/convert.c, sort.c, product.c.
 */
#include "number.cuh"

typedef struct sparse_move Move;
typedef struct sparse_vector Vector;
typedef struct sparse_sort Sort;
typedef struct sparse_scan Scan;

__device__ __forceinline__ void move(void *to, long long i, const void *from,
                                     long long j, int bytes)
{
    switch (bytes) {
    case 1:
        ((char *)to)[i] = ((const char *)from)[j];
        break;
    case 2:
        ((short *)to)[i] = ((const short *)from)[j];
        break;
    case 4:
        ((int *)to)[i] = ((const int *)from)[j];
        break;
    case 8:
        ((int2 *)to)[i] = ((const int2 *)from)[j];
        break;
    default:
        ((int4 *)to)[i] = ((const int4 *)from)[j];
    }
}

/* Whether an element is 0, of either sign. */
__device__ __forceinline__ bool is_empty(const void *at, long long i,
                                         const Move &m)
{
    switch (m.bytes) {
    case 1:
        return ((const char *)at)[i] == 0;
    case 2:
        return (((const unsigned short *)at)[i] & 0x7fff) == 0;
    case 4:
        return m.is_real ? ((const float *)at)[i] == 0
                         : ((const int *)at)[i] == 0;
    case 8: {
        const float2 v = ((const float2 *)at)[i];

        return m.is_real ? ((const double *)at)[i] == 0 : v.x == 0 && v.y == 0;
    }
    default: {
        const double2 v = ((const double2 *)at)[i];

        return v.x == 0 && v.y == 0;
    }
    }
}

/* ---- vectors -------------------------------------------------------------------------- */

extern "C" __global__ void teg_cusparse_gather(Vector v)
{
    for (long long i = thread_at(); i < v.n; i += threads())
        move(v.values, i, v.dense,
             index_at<true>(v.indices, i, v.wide) - v.base, v.bytes);
}

extern "C" __global__ void teg_cusparse_scatter(Vector v)
{
    for (long long i = thread_at(); i < v.n; i += threads())
        move(v.dense, index_at<true>(v.indices, i, v.wide) - v.base, v.values,
             i, v.bytes);
}

/* ---- rows of entries, entries of rows --------------------------------------------------- */

/* A group of lanes has a row. */
extern "C" __global__ void teg_cusparse_rows_of(Move m)
{
    const int lanes = 1 << m.lane_bits, lane = threadIdx.x & (lanes - 1);
    const long long row = thread_at() >> m.lane_bits;

    if (row >= m.a.rows)
        return;
    const long long from =
        index_at<true>(m.a.offsets, row, m.a.wide_offsets) - m.a.base;
    const long long to =
        index_at<true>(m.a.offsets, row + 1, m.a.wide_offsets) - m.a.base;

    for (long long i = from + lane; i < to; i += lanes)
        set_index(m.major, i, m.wide, row + m.base);
}

/* Entry i begins the rows after that of entry i - 1, up to its own. */
extern "C" __global__ void teg_cusparse_offsets_of(Move m)
{
    for (long long i = thread_at(); i <= m.a.nnz; i += threads()) {
        const long long row =
            i < m.a.nnz ? index_at<true>(m.a.major, i, m.a.wide) - m.a.base
                        : m.a.rows;
        long long r =
            i > 0 ? index_at<true>(m.a.major, i - 1, m.a.wide) - m.a.base + 1
                  : 0;

        for (; r <= row; r++)
            set_index(m.offsets, r, m.wide_offsets, i + m.base);
    }
}

/* What was sorted: minor indices, values or both, in their new order. */
extern "C" __global__ void teg_cusparse_reorder(Move m)
{
    for (long long i = thread_at(); i < m.n; i += threads()) {
        const unsigned from = m.order[i];

        if (m.row_of != nullptr)
            set_index(m.minor, i, m.wide, m.row_of[from] + m.base);
        else if (m.minor != nullptr)
            set_index(m.minor, i, m.wide,
                      index_at<true>(m.a.minor, from, m.a.wide) - m.a.base +
                          m.base);
        if (m.major != nullptr)
            set_index(m.major, i, m.wide,
                      index_at<true>(m.a.major, from, m.a.wide) - m.a.base +
                          m.base);
        if (m.values != nullptr)
            move(m.values, i, m.a.values, from, m.bytes);
    }
}

/* Indices as sorts take them. */
extern "C" __global__ void teg_cusparse_keys(Move m)
{
    for (long long i = thread_at(); i < m.n; i += threads()) {
        const long long from = m.order != nullptr ? m.order[i] : i;

        ((unsigned *)m.minor)[i] =
            (unsigned)(index_at<true>(m.a.minor, from, m.a.wide) - m.a.base);
    }
}

extern "C" __global__ void teg_cusparse_identity(Move m)
{
    for (long long i = thread_at(); i < m.n; i += threads())
        set_index(m.minor, i, m.wide, i);
}

/* ---- dense matrices --------------------------------------------------------------------- */

extern "C" __global__ void teg_cusparse_to_dense(Move m)
{
    const int lanes = 1 << m.lane_bits, lane = threadIdx.x & (lanes - 1);
    const long long row = thread_at() >> m.lane_bits;

    if (row >= m.a.rows)
        return;
    const long long from =
        index_at<true>(m.a.offsets, row, m.a.wide_offsets) - m.a.base;
    const long long to =
        index_at<true>(m.a.offsets, row + 1, m.a.wide_offsets) - m.a.base;

    for (long long i = from + lane; i < to; i += lanes) {
        const long long column =
            index_at<true>(m.a.minor, i, m.a.wide) - m.a.base;

        move(m.dense.values, row * m.dense.row + column * m.dense.column,
             m.a.values, i, m.bytes);
    }
}

extern "C" __global__ void teg_cusparse_coo_to_dense(Move m)
{
    for (long long i = thread_at(); i < m.a.nnz; i += threads()) {
        const long long row = index_at<true>(m.a.major, i, m.a.wide);
        const long long column = index_at<true>(m.a.minor, i, m.a.wide);

        move(m.dense.values,
             (row - m.a.base) * m.dense.row +
                 (column - m.a.base) * m.dense.column,
             m.a.values, i, m.bytes);
    }
}

/* Rows' elements that are not 0: of a warp's row by all its lanes, or of a
 * thread's.  `take(i)`: the i-th of them that lie in front. */
template <class Take>
__device__ __forceinline__ long long row_entries(const Move &m, long long row,
                                                 Take take)
{
    const int lanes = 1 << m.lane_bits, lane = threadIdx.x & (lanes - 1);
    long long count = 0;

    for (long long first = 0; first < m.n; first += lanes) {
        const long long j = first + lane;
        const long long at = row * m.dense.row + j * m.dense.column;
        const bool is_one = j < m.n && !is_empty(m.dense.values, at, m);
        unsigned before = 0, all = is_one;

        if (lanes > 1) {
            const unsigned mask = __ballot_sync(~0u, is_one);

            before = __popc(mask & ((1u << lane) - 1));
            all = __popc(mask);
        }
        if (is_one)
            take(count + before, j, at);
        count += all;
    }
    return count;
}

extern "C" __global__ void teg_cusparse_count_dense(Move m)
{
    const long long row = thread_at() >> m.lane_bits;

    if (row >= m.majors)
        return;
    const long long count =
        row_entries(m, row, [](long long, long long, long long) {});

    if ((threadIdx.x & ((1 << m.lane_bits) - 1)) != 0)
        return;
    ((long long *)m.offsets)[row] = count;
    if (row == 0)
        ((long long *)m.offsets)[m.majors] = 0;
}

/* The same as they are, and their sum. */
extern "C" __global__ void teg_cusparse_nnz(Move m)
{
    const long long row = thread_at() >> m.lane_bits;

    if (row >= m.majors)
        return;
    const long long count =
        row_entries(m, row, [](long long, long long, long long) {});

    if ((threadIdx.x & ((1 << m.lane_bits) - 1)) != 0)
        return;
    ((int *)m.offsets)[row] = (int)count;
    atomicAdd((int *)m.values, (int)count);
}

/* a.offsets: where rows begin. */
extern "C" __global__ void teg_cusparse_from_dense(Move m)
{
    const long long row = thread_at() >> m.lane_bits;

    if (row >= m.majors)
        return;
    const long long begin = index_at<true>(m.a.offsets, row, 1);

    row_entries(m, row, [&](long long i, long long j, long long at) {
        if (m.major != nullptr)
            set_index(m.major, begin + i, m.wide, row + m.base);
        set_index(m.minor, begin + i, m.wide, j + m.base);
        move(m.values, begin + i, m.dense.values, at, m.bytes);
    });
}

/* Offsets of 64 bits, as a matrix has them. */
extern "C" __global__ void teg_cusparse_offsets(Move m)
{
    for (long long i = thread_at(); i < m.n; i += threads())
        set_index(m.offsets, i, m.wide_offsets,
                  ((const long long *)m.a.offsets)[i] + m.base);
}

/* ---- sums of all before ------------------------------------------------------------------ */

enum {
    SCAN_TILE = SPARSE_THREADS * SPARSE_SCAN_ITEMS,
};

template <class N> __device__ __forceinline__ N block_before(N own, N *all)
{
    __shared__ N warps[SPARSE_THREADS / SPARSE_WARP];
    const int lane = threadIdx.x % SPARSE_WARP;
    N sum = own, before = 0, whole = 0;

    for (int far = 1; far < SPARSE_WARP; far *= 2) {
        const N other = __shfl_up_sync(~0u, sum, far);

        sum += lane >= far ? other : 0;
    }
    if (lane == SPARSE_WARP - 1)
        warps[threadIdx.x / SPARSE_WARP] = sum;
    __syncthreads();
    for (unsigned i = 0; i < SPARSE_THREADS / SPARSE_WARP; i++) {
        before += i < threadIdx.x / SPARSE_WARP ? warps[i] : 0;
        whole += warps[i];
    }
    __syncthreads();
    *all = whole;
    return before + sum - own;
}

template <class N> __device__ __forceinline__ void scan_sums(Scan s)
{
    const long long first = (long long)blockIdx.x * SCAN_TILE;
    N sum = 0, all;

    for (int i = 0; i < SPARSE_SCAN_ITEMS; i++) {
        const long long at = first + i * SPARSE_THREADS + threadIdx.x;

        sum += at < s.n ? ((const N *)s.items)[at] : 0;
    }
    block_before(sum, &all);
    if (threadIdx.x == 0)
        ((N *)s.sums)[blockIdx.x] = all;
}

template <class N> __device__ __forceinline__ void scan(Scan s)
{
    const long long first = (long long)blockIdx.x * SCAN_TILE;
    N *items = (N *)s.items;
    N sum = 0, base;

    for (unsigned i = threadIdx.x; i < blockIdx.x; i += SPARSE_THREADS)
        sum += ((const N *)s.sums)[i];
    block_before(sum, &base);
    for (int i = 0; i < SPARSE_SCAN_ITEMS; i++) {
        const long long at = first + i * SPARSE_THREADS + threadIdx.x;
        const N own = at < s.n ? items[at] : 0;
        N all;
        const N before = block_before(own, &all);

        if (at < s.n)
            items[at] = base + before;
        base += all;
    }
}

extern "C" __global__ void teg_cusparse_scan_sums_32(Scan s)
{
    scan_sums<unsigned>(s);
}
extern "C" __global__ void teg_cusparse_scan_sums_64(Scan s)
{
    scan_sums<long long>(s);
}
extern "C" __global__ void teg_cusparse_scan_32(Scan s)
{
    scan<unsigned>(s);
}
extern "C" __global__ void teg_cusparse_scan_64(Scan s)
{
    scan<long long>(s);
}

/* ---- sorts ------------------------------------------------------------------------------- */

enum {
    SORT_WARPS = SPARSE_THREADS / SPARSE_WARP,
    SORT_TILE = SPARSE_THREADS * SPARSE_SORT_ITEMS,
    SORT_WARP_ITEMS = SPARSE_WARP * SPARSE_SORT_ITEMS,
};

__device__ __forceinline__ unsigned digit(unsigned key, int shift)
{
    return key >> shift & (SPARSE_DIGITS - 1);
}

extern "C" __global__ void __launch_bounds__(SPARSE_THREADS)
    teg_cusparse_sort_count(Sort s)
{
    __shared__ unsigned count[SPARSE_DIGITS];
    const unsigned first = blockIdx.x * SORT_TILE;

    count[threadIdx.x] = 0;
    __syncthreads();
    for (int i = 0; i < SPARSE_SORT_ITEMS; i++) {
        const unsigned at = first + i * SPARSE_THREADS + threadIdx.x;

        if (at < s.n)
            atomicAdd(&count[digit(s.keys[at], s.shift)], 1u);
    }
    __syncthreads();
    s.counts[threadIdx.x * gridDim.x + blockIdx.x] = count[threadIdx.x];
}

/* A warp's items lie side by side, so that its ranks keep their order; `counts`
 * are where digits of blocks begin. */
extern "C" __global__ void __launch_bounds__(SPARSE_THREADS)
    teg_cusparse_sort(Sort s)
{
    __shared__ unsigned count[SORT_WARPS][SPARSE_DIGITS];
    const unsigned lane = threadIdx.x % SPARSE_WARP;
    const unsigned warp = threadIdx.x / SPARSE_WARP;
    const unsigned first =
        blockIdx.x * SORT_TILE + warp * SORT_WARP_ITEMS + lane;
    unsigned key[SPARSE_SORT_ITEMS], rank[SPARSE_SORT_ITEMS];

#pragma unroll
    for (int i = 0; i < SPARSE_SORT_ITEMS; i++) {
        const unsigned at = first + i * SPARSE_WARP;

        key[i] = at < s.n ? s.keys[at] : ~0u;
    }
    for (unsigned w = 0; w < SORT_WARPS; w++)
        count[w][threadIdx.x] = 0;
    __syncthreads();
#pragma unroll
    for (int i = 0; i < SPARSE_SORT_ITEMS; i++) {
        const bool is_one = first + i * SPARSE_WARP < s.n;
        const unsigned d = is_one ? digit(key[i], s.shift) : SPARSE_DIGITS;
        const unsigned peers = __match_any_sync(~0u, d);
        const unsigned before = __popc(peers & ((1u << lane) - 1));

        rank[i] = is_one ? count[warp][d] + before : 0;
        __syncwarp();
        if (is_one && before == 0)
            count[warp][d] += __popc(peers);
        __syncwarp();
    }
    __syncthreads();
    unsigned begin = s.counts[threadIdx.x * gridDim.x + blockIdx.x];

    for (unsigned w = 0; w < SORT_WARPS; w++) {
        const unsigned own = count[w][threadIdx.x];

        count[w][threadIdx.x] = begin;
        begin += own;
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < SPARSE_SORT_ITEMS; i++) {
        const unsigned at = first + i * SPARSE_WARP;

        if (at < s.n) {
            const unsigned to = count[warp][digit(key[i], s.shift)] + rank[i];

            s.to_keys[to] = key[i];
            s.to_order[to] = s.order != nullptr ? s.order[at] : at;
        }
    }
}
