/* Entry points of cuSPARSE: sums of sparse matrices, whose rows' entries are in
 * order. */
#include "tools/cusparse/sort.h"

/* A matrix as these calls have it. */
struct plain {
    const struct matdescr *d;
    int nnz;
    const void *values;
    const int *offsets, *minor;
};

static int view(struct sparse_rows *r, const struct plain *a, int rows)
{
    if (a->d == NULL || a->nnz < 0 || rows < 0)
        return SPARSE_INVALID_VALUE;
    *r = (struct sparse_rows){
        .offsets = a->offsets,
        .minor = a->minor,
        .values = a->values,
        .rows = rows,
        .nnz = a->nnz,
        .base = a->d->base,
    };
    return SPARSE_SUCCESS;
}

/* Besides, how many there are. */
CALL(cusparseXcsrgeam2Nnz, const struct sparse *s, int rows, int columns,
     const struct matdescr *a, int nnz_a, const int *offsets_a,
     const int *minor_a, const struct matdescr *b, int nnz_b,
     const int *offsets_b, const int *minor_b, const struct matdescr *c,
     int *offsets, int *nnz, void *buffer)
{
    struct sparse_sum p = {.offsets = offsets};
    struct sparse_grid grid = {.items = (int64_t)rows + 1};
    int found = 0;

    (void)columns;
    if (s == NULL)
        return SPARSE_NOT_INITIALIZED;
    if (c == NULL || offsets == NULL || buffer == NULL)
        return SPARSE_INVALID_VALUE;
    NEED(view(&p.a, &(struct plain){a, nnz_a, NULL, offsets_a, minor_a}, rows));
    NEED(view(&p.b, &(struct plain){b, nnz_b, NULL, offsets_b, minor_b}, rows));
    p.base = c->base;
    NEED(sparse_launch(s, KERNELS_SOLVE, "teg_cusparse_sum_counts", 0, &grid,
                       &p));
    NEED(scan(s, offsets, rows + 1, 0, buffer));
    if (nnz != NULL && s->scalars_on_device)
        NEED(sparse_copy(s, nnz, offsets + rows, sizeof *nnz));
    else if (nnz != NULL) {
        NEED(sparse_fetch(s, &found, offsets + rows, sizeof found));
        *nnz = found;
    }
    return p.base != 0 ? sparse_launch(s, KERNELS_SOLVE, "teg_cusparse_rebase",
                                       0, &grid, &p)
                       : SPARSE_SUCCESS;
}

static int sum_room(const struct sparse *s, int rows, size_t *bytes)
{
    if (s == NULL)
        return SPARSE_NOT_INITIALIZED;
    if (rows < 0 || bytes == NULL)
        return SPARSE_INVALID_VALUE;
    *bytes = scan_bytes((int64_t)rows + 1);
    return SPARSE_SUCCESS;
}

static int sum(const struct sparse *s, int type, int rows, const void *alpha,
               const struct plain *a, const void *beta, const struct plain *b,
               const struct matdescr *c, void *values, const int *offsets,
               int *minor)
{
    const struct type_facts *t = type_of(type);
    struct sparse_sum p = {
        .offsets = (void *)offsets, .minor = minor, .values = values};
    struct sparse_grid grid = {.items = rows};

    if (s == NULL)
        return SPARSE_NOT_INITIALIZED;
    if (c == NULL || alpha == NULL || beta == NULL)
        return SPARSE_INVALID_VALUE;
    NEED(view(&p.a, a, rows));
    NEED(view(&p.b, b, rows));
    p.base = c->base;
    p.alpha = sparse_scale(s, alpha, t);
    p.beta = sparse_scale(s, beta, t);
    return sparse_launch(s, KERNELS_SOLVE, "teg_cusparse_sum", t->letter, &grid,
                         &p);
}

#define SUMS(LETTER, type)                                                     \
    CALL(cusparse##LETTER##csrgeam2_bufferSizeExt, const struct sparse *s,     \
         int rows, int columns, const void *alpha, const struct matdescr *a,   \
         int nnz_a, const void *values_a, const int *offsets_a,                \
         const int *minor_a, const void *beta, const struct matdescr *b,       \
         int nnz_b, const void *values_b, const int *offsets_b,                \
         const int *minor_b, const struct matdescr *c, const void *values,     \
         const int *offsets, const int *minor, size_t *bytes)                  \
    {                                                                          \
        (void)columns, (void)alpha, (void)a, (void)nnz_a, (void)values_a;      \
        (void)offsets_a, (void)minor_a, (void)beta, (void)b, (void)nnz_b;      \
        (void)values_b, (void)offsets_b, (void)minor_b, (void)c;               \
        (void)values, (void)offsets, (void)minor;                              \
        return sum_room(s, rows, bytes);                                       \
    }                                                                          \
    CALL(cusparse##LETTER##csrgeam2, const struct sparse *s, int rows,         \
         int columns, const void *alpha, const struct matdescr *a, int nnz_a,  \
         const void *values_a, const int *offsets_a, const int *minor_a,       \
         const void *beta, const struct matdescr *b, int nnz_b,                \
         const void *values_b, const int *offsets_b, const int *minor_b,       \
         const struct matdescr *c, void *values, const int *offsets,           \
         int *minor, void *buffer)                                             \
    {                                                                          \
        (void)columns, (void)buffer;                                           \
        return sum(s, type, rows, alpha,                                       \
                   &(struct plain){a, nnz_a, values_a, offsets_a, minor_a},    \
                   beta,                                                       \
                   &(struct plain){b, nnz_b, values_b, offsets_b, minor_b}, c, \
                   values, offsets, minor);                                    \
    }
SUMS(S, DATA_32F)
SUMS(D, DATA_64F)
SUMS(C, DATA_C_32F)
SUMS(Z, DATA_C_64F)
