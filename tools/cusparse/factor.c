/* Entry points of cuSPARSE: incomplete factors in a matrix's own place, of its
 * rows by offsets. */
#include "tools/cusparse/sparse.h"

#include <stdlib.h>
#include <string.h>

/* What cusparseCreateCsrilu02Info and ...Csric02Info make. */
struct factor {
    int *pivot; /* own, on the device: the first row without one, or INT_MAX */
    unsigned *done;
    int boosts;
    const double *boost_below;
    const void *boost;
};

enum {
    BYTE_OF_NONE = 0x7f, /* four of them are a row that no matrix has */
    ROOM_LEAST = 8,
};

CALL(cusparseCreateCsrilu02Info, struct factor **out)
{
    struct factor *f;

    if (out == NULL)
        return SPARSE_INVALID_VALUE;
    f = calloc(1, sizeof *f);
    if (f == NULL || cudaMalloc((void **)&f->pivot, sizeof *f->pivot) != 0) {
        free(f);
        return SPARSE_ALLOC_FAILED;
    }
    *out = f;
    return SPARSE_SUCCESS;
}
ALSO(cusparseCreateCsrilu02Info, cusparseCreateCsric02Info);

CALL(cusparseDestroyCsrilu02Info, struct factor *f)
{
    if (f != NULL)
        cudaFree(f->pivot);
    free(f);
    return SPARSE_SUCCESS;
}
ALSO(cusparseDestroyCsrilu02Info, cusparseDestroyCsric02Info);

/* Waits. */
CALL(cusparseXcsrilu02_zeroPivot, const struct sparse *s,
     const struct factor *f, int *position)
{
    int pivot = 0;

    if (s == NULL)
        return SPARSE_NOT_INITIALIZED;
    if (f == NULL || position == NULL)
        return SPARSE_INVALID_VALUE;
    NEED(sparse_fetch(s, &pivot, f->pivot, sizeof pivot));
    if (pivot >= BYTE_OF_NONE << 24)
        pivot = -1;
    if (s->scalars_on_device) {
        if (cudaMemcpyAsync(position, &pivot, sizeof pivot, COPY_HOST_TO_DEVICE,
                            s->stream) != 0 ||
            cudaStreamSynchronize(s->stream) != 0)
            return SPARSE_EXECUTION_FAILED;
    } else {
        *position = pivot;
    }
    return pivot >= 0 ? SPARSE_ZERO_PIVOT : SPARSE_SUCCESS;
}
ALSO(cusparseXcsrilu02_zeroPivot, cusparseXcsric02_zeroPivot);

static int boost(const struct sparse *s, struct factor *f, int on,
                 const double *below, const void *value)
{
    if (s == NULL)
        return SPARSE_NOT_INITIALIZED;
    if (f == NULL)
        return SPARSE_INVALID_VALUE;
    f->boosts = on;
    f->boost_below = below;
    f->boost = value;
    return SPARSE_SUCCESS;
}

static int room(const struct sparse *s, int rows, size_t *bytes)
{
    if (s == NULL)
        return SPARSE_NOT_INITIALIZED;
    if (rows < 0 || bytes == NULL)
        return SPARSE_INVALID_VALUE;
    *bytes = (size_t)rows * sizeof(unsigned) + ROOM_LEAST;
    return SPARSE_SUCCESS;
}

static int short_room(const struct sparse *s, int rows, int *bytes)
{
    size_t wide = 0;

    if (bytes == NULL)
        return SPARSE_INVALID_VALUE;
    NEED(room(s, rows, &wide));
    *bytes = (int)wide;
    return SPARSE_SUCCESS;
}

/* A matrix as these calls have it. */
struct plain {
    int rows, nnz;
    const struct matdescr *d;
    void *values;
    const int *offsets, *minor;
};

static int arguments(const struct sparse *s, const struct plain *a,
                     const struct factor *f, struct sparse_solve *p)
{
    if (s == NULL)
        return SPARSE_NOT_INITIALIZED;
    if (a->rows < 0 || a->nnz < 0 || a->d == NULL || f == NULL)
        return SPARSE_INVALID_VALUE;
    *p = (struct sparse_solve){
        .a = {.offsets = a->offsets,
              .minor = a->minor,
              .rows = a->rows,
              .nnz = a->nnz,
              .base = a->d->base},
        .factor = a->values,
        .pivot = f->pivot,
        .boosts = f->boosts,
        .boost_on_device = s->scalars_on_device,
    };
    return SPARSE_SUCCESS;
}

/* Rows without an entry on the diagonal are found here. */
static int analyse(const struct sparse *s, const struct plain *a,
                   const struct factor *f)
{
    struct sparse_solve p;
    struct sparse_grid grid = sparse_each(a->rows);

    NEED(arguments(s, a, f, &p));
    if (cudaMemsetAsync(f->pivot, BYTE_OF_NONE, sizeof *f->pivot, s->stream) !=
        0)
        return SPARSE_EXECUTION_FAILED;
    return sparse_launch(s, KERNELS_SOLVE, "teg_cusparse_diagonals", 0, &grid,
                         &p);
}

static int make(const struct sparse *s, const char *kernel, char letter,
                const struct plain *a, const struct factor *f, void *buffer)
{
    struct sparse_solve p;
    struct sparse_grid grid = {.items = a->rows, .lane_bits = 5};

    NEED(arguments(s, a, f, &p));
    if (buffer == NULL)
        return SPARSE_INVALID_VALUE;
    p.done = buffer;
    if (f->boosts && s->scalars_on_device) {
        p.boost_below = f->boost_below;
        p.boost = f->boost;
    } else if (f->boosts) {
        p.boost_below_value = *f->boost_below;
        memcpy(&p.boost_value, f->boost,
               letter == 'z'                    ? 16
               : letter == 'd' || letter == 'c' ? 8
                                                : 4);
    }
    NEED(sparse_clear(s, buffer, (size_t)a->rows * sizeof *p.done));
    return sparse_launch(s, KERNELS_SOLVE, kernel, letter, &grid, &p);
}

/* Of a type: what both kinds of factors have. */
#define FACTORS(LETTER, letter, kind, kernel, T)                               \
    CALL(cusparse##LETTER##kind##_bufferSize, const struct sparse *s,          \
         int rows, int nnz, const struct matdescr *d, T *values,               \
         const int *offsets, const int *minor, const struct factor *f,         \
         int *bytes)                                                           \
    {                                                                          \
        (void)nnz, (void)d, (void)values, (void)offsets, (void)minor, (void)f; \
        return short_room(s, rows, bytes);                                     \
    }                                                                          \
    CALL(cusparse##LETTER##kind##_bufferSizeExt, const struct sparse *s,       \
         int rows, int nnz, const struct matdescr *d, T *values,               \
         const int *offsets, const int *minor, const struct factor *f,         \
         size_t *bytes)                                                        \
    {                                                                          \
        (void)nnz, (void)d, (void)values, (void)offsets, (void)minor, (void)f; \
        return room(s, rows, bytes);                                           \
    }                                                                          \
    CALL(cusparse##LETTER##kind##_analysis, const struct sparse *s, int rows,  \
         int nnz, const struct matdescr *d, const T *values,                   \
         const int *offsets, const int *minor, const struct factor *f,         \
         int policy, void *buffer)                                             \
    {                                                                          \
        (void)values, (void)policy, (void)buffer;                              \
        return analyse(s, &(struct plain){rows, nnz, d, NULL, offsets, minor}, \
                       f);                                                     \
    }                                                                          \
    CALL(cusparse##LETTER##kind, const struct sparse *s, int rows, int nnz,    \
         const struct matdescr *d, T *values, const int *offsets,              \
         const int *minor, const struct factor *f, int policy, void *buffer)   \
    {                                                                          \
        (void)policy;                                                          \
        return make(s, kernel, letter,                                         \
                    &(struct plain){rows, nnz, d, values, offsets, minor}, f,  \
                    buffer);                                                   \
    }
#define BOTH(LETTER, letter, T)                                           \
    FACTORS(LETTER, letter, csrilu02, "teg_cusparse_lu", T)               \
    FACTORS(LETTER, letter, csric02, "teg_cusparse_cholesky", T)          \
    CALL(cusparse##LETTER##csrilu02_numericBoost, const struct sparse *s, \
         struct factor *f, int on, double *below, T *value)               \
    {                                                                     \
        return boost(s, f, on, below, value);                             \
    }
BOTH(S, 's', float)
BOTH(D, 'd', double)
BOTH(C, 'c', void)
BOTH(Z, 'z', void)
