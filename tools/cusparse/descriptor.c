/* Entry points of cuSPARSE: descriptors of vectors and matrices. */
#include "tools/cusparse/sparse.h"

#include <stdlib.h>
#include <string.h>

/* Where one of the arguments of a question is missing, that is not answered. */
#define ANSWER(out, value)    \
    do {                      \
        if ((out) != NULL)    \
            *(out) = (value); \
    } while (0)

static int is_index(int index)
{
    return index == SPARSE_32 || index == SPARSE_64;
}

static int make(void **out, const void *what, size_t bytes)
{
    if (out == NULL)
        return SPARSE_INVALID_VALUE;
    *out = malloc(bytes);
    if (*out == NULL)
        return SPARSE_ALLOC_FAILED;
    memcpy(*out, what, bytes);
    return SPARSE_SUCCESS;
}

/* Where the program's values lie. */
#define VALUES(type, get, get_const, set)          \
    CALL(get, const struct type *d, void **values) \
    {                                              \
        if (d == NULL || values == NULL)           \
            return SPARSE_INVALID_VALUE;           \
        *values = d->values;                       \
        return SPARSE_SUCCESS;                     \
    }                                              \
    ALSO(get, get_const);                          \
    CALL(set, struct type *d, void *values)        \
    {                                              \
        if (d == NULL)                             \
            return SPARSE_INVALID_VALUE;           \
        d->values = values;                        \
        return SPARSE_SUCCESS;                     \
    }

#define DESTROY(type, name)    \
    CALL(name, struct type *d) \
    {                          \
        free(d);               \
        return SPARSE_SUCCESS; \
    }

/* ---- vectors ----------------------------------------------------------------------- */

CALL(cusparseCreateSpVec, void **out, int64_t size, int64_t nnz, void *indices,
     void *values, int index, int base, int type)
{
    struct spvec v = {size, nnz, indices, values, index, base, type};

    if (size < 0 || nnz < 0 || nnz > size || !is_index(index) ||
        type_of(type) == NULL)
        return SPARSE_INVALID_VALUE;
    return make(out, &v, sizeof v);
}
ALSO(cusparseCreateSpVec, cusparseCreateConstSpVec);
DESTROY(spvec, cusparseDestroySpVec)
VALUES(spvec, cusparseSpVecGetValues, cusparseConstSpVecGetValues,
       cusparseSpVecSetValues)

CALL(cusparseSpVecGet, const struct spvec *v, int64_t *size, int64_t *nnz,
     void **indices, void **values, int *index, int *base, int *type)
{
    if (v == NULL)
        return SPARSE_INVALID_VALUE;
    ANSWER(size, v->size);
    ANSWER(nnz, v->nnz);
    ANSWER(indices, v->indices);
    ANSWER(values, v->values);
    ANSWER(index, v->index);
    ANSWER(base, v->base);
    ANSWER(type, v->type);
    return SPARSE_SUCCESS;
}
ALSO(cusparseSpVecGet, cusparseConstSpVecGet);

CALL(cusparseSpVecGetIndexBase, const struct spvec *v, int *base)
{
    if (v == NULL || base == NULL)
        return SPARSE_INVALID_VALUE;
    *base = v->base;
    return SPARSE_SUCCESS;
}

CALL(cusparseCreateDnVec, void **out, int64_t size, void *values, int type)
{
    struct dnvec v = {size, values, type};

    if (size < 0 || type_of(type) == NULL)
        return SPARSE_INVALID_VALUE;
    return make(out, &v, sizeof v);
}
ALSO(cusparseCreateDnVec, cusparseCreateConstDnVec);
DESTROY(dnvec, cusparseDestroyDnVec)
VALUES(dnvec, cusparseDnVecGetValues, cusparseConstDnVecGetValues,
       cusparseDnVecSetValues)

CALL(cusparseDnVecGet, const struct dnvec *v, int64_t *size, void **values,
     int *type)
{
    if (v == NULL)
        return SPARSE_INVALID_VALUE;
    ANSWER(size, v->size);
    ANSWER(values, v->values);
    ANSWER(type, v->type);
    return SPARSE_SUCCESS;
}
ALSO(cusparseDnVecGet, cusparseConstDnVecGet);

/* ---- dense matrices ------------------------------------------------------------------ */

CALL(cusparseCreateDnMat, void **out, int64_t rows, int64_t columns, int64_t ld,
     void *values, int type, int order)
{
    struct dnmat m = {rows, columns, ld, values, type, order, 1, 0};

    if (rows < 0 || columns < 0 || type_of(type) == NULL ||
        (order != SPARSE_BY_COLUMNS && order != SPARSE_BY_ROWS) ||
        ld < (order == SPARSE_BY_ROWS ? columns : rows))
        return SPARSE_INVALID_VALUE;
    return make(out, &m, sizeof m);
}
ALSO(cusparseCreateDnMat, cusparseCreateConstDnMat);
DESTROY(dnmat, cusparseDestroyDnMat)
VALUES(dnmat, cusparseDnMatGetValues, cusparseConstDnMatGetValues,
       cusparseDnMatSetValues)

CALL(cusparseDnMatGet, const struct dnmat *m, int64_t *rows, int64_t *columns,
     int64_t *ld, void **values, int *type, int *order)
{
    if (m == NULL)
        return SPARSE_INVALID_VALUE;
    ANSWER(rows, m->rows);
    ANSWER(columns, m->columns);
    ANSWER(ld, m->ld);
    ANSWER(values, m->values);
    ANSWER(type, m->type);
    ANSWER(order, m->order);
    return SPARSE_SUCCESS;
}
ALSO(cusparseDnMatGet, cusparseConstDnMatGet);

CALL(cusparseDnMatSetStridedBatch, struct dnmat *m, int batches, int64_t batch)
{
    if (m == NULL || batches < 1 || batch < 0)
        return SPARSE_INVALID_VALUE;
    m->batches = batches;
    m->batch = batch;
    return SPARSE_SUCCESS;
}

CALL(cusparseDnMatGetStridedBatch, const struct dnmat *m, int *batches,
     int64_t *batch)
{
    if (m == NULL)
        return SPARSE_INVALID_VALUE;
    ANSWER(batches, m->batches);
    ANSWER(batch, m->batch);
    return SPARSE_SUCCESS;
}

/* ---- sparse matrices ------------------------------------------------------------------ */

static int make_matrix(void **out, const struct spmat *m)
{
    if (m->rows < 0 || m->columns < 0 || m->nnz < 0 ||
        !is_index(m->first_index) || !is_index(m->index) || m->base < 0 ||
        m->base > 1 || type_of(m->type) == NULL)
        return SPARSE_INVALID_VALUE;
    return make(out, m, sizeof *m);
}

/* Which has the same arguments for all formats with offsets. */
#define COMPRESSED(kind, create, create_const, get, get_const, set)         \
    CALL(create, void **out, int64_t rows, int64_t columns, int64_t nnz,    \
         void *offsets, void *indices, void *values, int offset, int index, \
         int base, int type)                                                \
    {                                                                       \
        return make_matrix(out, &(struct spmat){.format = kind,             \
                                                .rows = rows,               \
                                                .columns = columns,         \
                                                .nnz = nnz,                 \
                                                .first = offsets,           \
                                                .second = indices,          \
                                                .values = values,           \
                                                .first_index = offset,      \
                                                .index = index,             \
                                                .base = base,               \
                                                .type = type,               \
                                                .batches = 1});             \
    }                                                                       \
    ALSO(create, create_const);                                             \
    CALL(get, const struct spmat *m, int64_t *rows, int64_t *columns,       \
         int64_t *nnz, void **offsets, void **indices, void **values,       \
         int *offset, int *index, int *base, int *type)                     \
    {                                                                       \
        if (m == NULL || m->format != kind)                                 \
            return SPARSE_INVALID_VALUE;                                    \
        ANSWER(rows, m->rows);                                              \
        ANSWER(columns, m->columns);                                        \
        ANSWER(nnz, m->nnz);                                                \
        ANSWER(offsets, m->first);                                          \
        ANSWER(indices, m->second);                                         \
        ANSWER(values, m->values);                                          \
        ANSWER(offset, m->first_index);                                     \
        ANSWER(index, m->index);                                            \
        ANSWER(base, m->base);                                              \
        ANSWER(type, m->type);                                              \
        return SPARSE_SUCCESS;                                              \
    }                                                                       \
    ALSO(get, get_const);                                                   \
    CALL(set, struct spmat *m, void *first, void *second, void *values)     \
    {                                                                       \
        if (m == NULL || m->format != kind)                                 \
            return SPARSE_INVALID_VALUE;                                    \
        m->first = first;                                                   \
        m->second = second;                                                 \
        m->values = values;                                                 \
        return SPARSE_SUCCESS;                                              \
    }
COMPRESSED(SPARSE_CSR, cusparseCreateCsr, cusparseCreateConstCsr,
           cusparseCsrGet, cusparseConstCsrGet, cusparseCsrSetPointers)
COMPRESSED(SPARSE_CSC, cusparseCreateCsc, cusparseCreateConstCsc,
           cusparseCscGet, cusparseConstCscGet, cusparseCscSetPointers)

CALL(cusparseCreateCoo, void **out, int64_t rows, int64_t columns, int64_t nnz,
     void *first, void *second, void *values, int index, int base, int type)
{
    return make_matrix(out, &(struct spmat){.format = SPARSE_COO,
                                            .rows = rows,
                                            .columns = columns,
                                            .nnz = nnz,
                                            .first = first,
                                            .second = second,
                                            .values = values,
                                            .first_index = index,
                                            .index = index,
                                            .base = base,
                                            .type = type,
                                            .batches = 1});
}
ALSO(cusparseCreateCoo, cusparseCreateConstCoo);

CALL(cusparseCooGet, const struct spmat *m, int64_t *rows, int64_t *columns,
     int64_t *nnz, void **first, void **second, void **values, int *index,
     int *base, int *type)
{
    if (m == NULL || m->format != SPARSE_COO)
        return SPARSE_INVALID_VALUE;
    ANSWER(rows, m->rows);
    ANSWER(columns, m->columns);
    ANSWER(nnz, m->nnz);
    ANSWER(first, m->first);
    ANSWER(second, m->second);
    ANSWER(values, m->values);
    ANSWER(index, m->index);
    ANSWER(base, m->base);
    ANSWER(type, m->type);
    return SPARSE_SUCCESS;
}
ALSO(cusparseCooGet, cusparseConstCooGet);

CALL(cusparseCooSetPointers, struct spmat *m, void *first, void *second,
     void *values)
{
    if (m == NULL || m->format != SPARSE_COO)
        return SPARSE_INVALID_VALUE;
    m->first = first;
    m->second = second;
    m->values = values;
    return SPARSE_SUCCESS;
}

DESTROY(spmat, cusparseDestroySpMat)
VALUES(spmat, cusparseSpMatGetValues, cusparseConstSpMatGetValues,
       cusparseSpMatSetValues)

CALL(cusparseSpMatGetSize, const struct spmat *m, int64_t *rows,
     int64_t *columns, int64_t *nnz)
{
    if (m == NULL)
        return SPARSE_INVALID_VALUE;
    ANSWER(rows, m->rows);
    ANSWER(columns, m->columns);
    ANSWER(nnz, m->nnz);
    return SPARSE_SUCCESS;
}

CALL(cusparseSpMatGetFormat, const struct spmat *m, int *format)
{
    if (m == NULL || format == NULL)
        return SPARSE_INVALID_VALUE;
    *format = (int)m->format;
    return SPARSE_SUCCESS;
}

CALL(cusparseSpMatGetIndexBase, const struct spmat *m, int *base)
{
    if (m == NULL || base == NULL)
        return SPARSE_INVALID_VALUE;
    *base = m->base;
    return SPARSE_SUCCESS;
}

CALL(cusparseSpMatGetStridedBatch, const struct spmat *m, int *batches)
{
    if (m == NULL || batches == NULL)
        return SPARSE_INVALID_VALUE;
    *batches = m->batches;
    return SPARSE_SUCCESS;
}

CALL(cusparseCsrSetStridedBatch, struct spmat *m, int batches,
     int64_t first_batch, int64_t batch)
{
    if (m == NULL || batches < 1 || first_batch < 0 || batch < 0)
        return SPARSE_INVALID_VALUE;
    m->batches = batches;
    m->first_batch = first_batch;
    m->batch = batch;
    return SPARSE_SUCCESS;
}

CALL(cusparseCooSetStridedBatch, struct spmat *m, int batches, int64_t batch)
{
    return cusparseCsrSetStridedBatch(m, batches, batch, batch);
}

/* Which triangle, and whether its diagonal is 1: numbers of 0 and 1. */
static int *attribute(struct spmat *m, int which, const void *data,
                      size_t bytes)
{
    if (m == NULL || data == NULL || bytes != sizeof(int) || which < 0 ||
        which > 1)
        return NULL;
    return which == 0 ? &m->upper : &m->unit;
}

CALL(cusparseSpMatSetAttribute, struct spmat *m, int which, const int *data,
     size_t bytes)
{
    int *to = attribute(m, which, data, bytes);

    if (to == NULL || *data < 0 || *data > 1)
        return SPARSE_INVALID_VALUE;
    *to = *data;
    return SPARSE_SUCCESS;
}

CALL(cusparseSpMatGetAttribute, struct spmat *m, int which, int *data,
     size_t bytes)
{
    const int *from = attribute(m, which, data, bytes);

    if (from == NULL)
        return SPARSE_INVALID_VALUE;
    *data = *from;
    return SPARSE_SUCCESS;
}
