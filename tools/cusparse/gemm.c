/* Entry points of cuSPARSE: products of sparse matrices.  All products of
 * entries are written down, sorted by row and column, and those of an element
 * summed up, so that the sums have an order. */
#include "tools/cusparse/convert.h"

#include <stdlib.h>

#include "tools/cudart/say.h"

/* What cusparseSpGEMM_createDescr makes. */
struct spgemm {
    int64_t products, nnz;
    void *first_buffer, *buffer;
};

enum {
    ROOM_LEAST = 8,
};

CALL(cusparseSpGEMM_createDescr, struct spgemm **out)
{
    if (out == NULL)
        return SPARSE_INVALID_VALUE;
    *out = calloc(1, sizeof **out);
    return *out != NULL ? SPARSE_SUCCESS : SPARSE_ALLOC_FAILED;
}

CALL(cusparseSpGEMM_destroyDescr, struct spgemm *g)
{
    free(g);
    return SPARSE_SUCCESS;
}

CALL(cusparseSpGEMM_getNumProducts, const struct spgemm *g, int64_t *products)
{
    if (g == NULL || products == NULL)
        return SPARSE_INVALID_VALUE;
    *products = g->products;
    return SPARSE_SUCCESS;
}

static int check(const struct sparse *s, int op_a, int op_b,
                 const struct spmat *a, const struct spmat *b,
                 const struct spmat *c, int compute, const struct spgemm *g)
{
    const struct type_facts *t;

    if (s == NULL)
        return SPARSE_NOT_INITIALIZED;
    if (a == NULL || b == NULL || c == NULL || g == NULL ||
        a->columns != b->rows || a->rows != c->rows || b->columns != c->columns)
        return SPARSE_INVALID_VALUE;
    t = type_of(a->type);
    if (op_a == SPARSE_N && op_b == SPARSE_N && a->format == SPARSE_CSR &&
        b->format == SPARSE_CSR && c->format == SPARSE_CSR && t->letter != 0 &&
        b->type == a->type && c->type == a->type &&
        (compute == t->sum || compute == a->type))
        return SPARSE_SUCCESS;
    runtime_say("",
                "cusparseSpGEMM: a product of %s and %s is implemented of "
                "CSR as it is and of one type only",
                t->name, type_of(b->type)->name);
    return SPARSE_NOT_SUPPORTED;
}

/* ---- memory ------------------------------------------------------------------------------ */

/* What finds out how many products there are, and where they go. */
struct counts {
    int64_t *first; /* product of each entry of A, [nnz + 1] */
    unsigned *row_of;
    void *sums;
};

static size_t counts_room(struct counts *c, int64_t nnz, void *buffer)
{
    struct sparse_room room = {.at = buffer};

    c->first = sparse_part(&room, (uint64_t)(nnz + 1) * sizeof *c->first);
    c->row_of = sparse_part(&room, (uint64_t)nnz * sizeof *c->row_of);
    c->sums = sparse_part(&room, scan_bytes(nnz + 1));
    return room.bytes;
}

struct products {
    unsigned *rows, *columns, *place;
    void *values, *sums;
    void *scan_sums;
    struct sorter sorter;
};

static size_t products_room(struct products *p, int64_t n, int sum_bytes,
                            void *buffer)
{
    struct sparse_room room = {.at = buffer};
    uint64_t bytes = (uint64_t)n * sizeof *p->rows;

    p->rows = sparse_part(&room, bytes);
    p->columns = sparse_part(&room, bytes);
    p->place = sparse_part(&room, bytes + sizeof *p->place);
    p->values = sparse_part(&room, (uint64_t)n * (unsigned)sum_bytes);
    p->sums = sparse_part(&room, (uint64_t)n * (unsigned)sum_bytes);
    p->scan_sums = sparse_part(&room, scan_bytes(n + 1));
    sorter_init(&p->sorter, n, &room);
    return room.bytes + ROOM_LEAST;
}

/* ---- what is done -------------------------------------------------------------------------- */

/* Where the products of A's entries go. */
static int count(const struct sparse *s, const struct spmat *a,
                 const struct spmat *b, const struct counts *c)
{
    struct sparse_expand e = {.first = (long long *)c->first};
    struct sparse_grid grid = sparse_each(a->nnz + 1);

    sparse_view(&e.a, a, SPARSE_N);
    sparse_view(&e.b, b, SPARSE_N);
    NEED(convert_rows_of(s, &e.a, c->row_of, 0, 0));
    NEED(
        sparse_launch(s, KERNELS_SOLVE, "teg_cusparse_products", 0, &grid, &e));
    return scan(s, c->first, a->nnz + 1, 1, c->sums);
}

static int expand(const struct sparse *s, const struct spmat *a,
                  const struct spmat *b, const struct counts *c,
                  const struct products *p)
{
    struct sparse_expand e = {
        .row_of = c->row_of,
        .first = (long long *)c->first,
        .rows = p->rows,
        .columns = p->columns,
        .values = p->values,
        .lane_bits = sparse_lanes(b->nnz, b->rows),
    };
    struct sparse_grid grid = {.items = a->nnz, .lane_bits = e.lane_bits};

    sparse_view(&e.a, a, SPARSE_N);
    sparse_view(&e.b, b, SPARSE_N);
    return sparse_launch(s, KERNELS_SOLVE, "teg_cusparse_expand",
                         type_of(a->type)->letter, &grid, &e);
}

/* Their order, and places of the elements that they are of. */
static int arrange(const struct sparse *s, const struct spmat *c,
                   struct products *p, int64_t *nnz)
{
    struct sorter *o = &p->sorter;
    struct sparse_expand e = {
        .rows = p->rows, .columns = p->columns, .place = p->place, .n = o->n};
    struct sparse_grid grid = sparse_each(o->n + 1);
    unsigned found = 0;

    NEED(sorter_sort(s, o, p->columns, (uint64_t)c->columns, 0));
    NEED(sorter_take(s, o, p->rows, 0, 0));
    NEED(sorter_sort(s, o, NULL, (uint64_t)c->rows, 1));
    e.order = o->order[o->at];
    NEED(sparse_launch(s, KERNELS_SOLVE, "teg_cusparse_firsts", 0, &grid, &e));
    NEED(scan(s, p->place, o->n + 1, 0, p->scan_sums));
    NEED(sparse_fetch(s, &found, p->place + o->n, sizeof found));
    *nnz = found;
    return SPARSE_SUCCESS;
}

/* Keys are not needed any more: elements' rows and columns lie there. */
static int compress(const struct sparse *s, const struct type_facts *t,
                    const struct products *p)
{
    const struct sorter *o = &p->sorter;
    struct sparse_expand e = {
        .rows = p->rows,
        .columns = p->columns,
        .values = p->values,
        .order = o->order[o->at],
        .place = p->place,
        .to_rows = o->keys[0],
        .to_columns = o->keys[1],
        .to_values = p->sums,
        .n = o->n,
    };
    struct sparse_grid grid = sparse_each(o->n);

    return sparse_launch(s, KERNELS_SOLVE, "teg_cusparse_compress", t->letter,
                         &grid, &e);
}

/* Values, and offsets and columns. */
static int deliver(const struct sparse *s, const struct type_facts *t,
                   const void *alpha, const void *beta,
                   const struct products *p, struct spmat *c)
{
    struct sparse_expand e = {
        .columns = p->sorter.keys[1],
        .values = p->sums,
        .to_values = c->values,
        .minor = c->second,
        .wide = c->index == SPARSE_64,
        .base = c->base,
        .alpha = sparse_scale(s, alpha, t),
        .beta = sparse_scale(s, beta, t),
        .n = c->nnz,
    };
    struct sparse_grid grid = sparse_each(c->nnz);

    NEED(convert_offsets_of(s, p->sorter.keys[0], 0, 0, c->nnz, c->rows,
                            c->first, c->first_index == SPARSE_64, c->base));
    return sparse_launch(s, KERNELS_SOLVE, "teg_cusparse_deliver", t->letter,
                         &grid, &e);
}

/* ---- the calls ------------------------------------------------------------------------------ */

CALL(cusparseSpGEMM_workEstimation, const struct sparse *s, int op_a, int op_b,
     const void *alpha, const struct spmat *a, const struct spmat *b,
     const void *beta, const struct spmat *c, int compute, int algorithm,
     struct spgemm *g, size_t *bytes, void *buffer)
{
    struct counts counts;

    (void)alpha, (void)beta, (void)algorithm;
    NEED(check(s, op_a, op_b, a, b, c, compute, g));
    if (bytes == NULL)
        return SPARSE_INVALID_VALUE;
    *bytes = counts_room(&counts, a->nnz, buffer);
    if (buffer == NULL)
        return SPARSE_SUCCESS;
    g->first_buffer = buffer;
    NEED(count(s, a, b, &counts));
    NEED(sparse_fetch(s, &g->products, counts.first + a->nnz,
                      sizeof g->products));
    return g->products > INT32_MAX ? SPARSE_INSUFFICIENT_RESOURCES
                                   : SPARSE_SUCCESS;
}

/* The other algorithms go by parts, here by one. */
CALL(cusparseSpGEMM_estimateMemory, const struct sparse *s, int op_a, int op_b,
     const void *alpha, const struct spmat *a, const struct spmat *b,
     const void *beta, const struct spmat *c, int compute, int algorithm,
     struct spgemm *g, float part, size_t *bytes_3, void *buffer_3,
     size_t *bytes_2)
{
    struct products p;

    (void)alpha, (void)beta, (void)algorithm, (void)part;
    NEED(check(s, op_a, op_b, a, b, c, compute, g));
    if (bytes_3 == NULL || (buffer_3 != NULL && bytes_2 == NULL))
        return SPARSE_INVALID_VALUE;
    *bytes_3 = ROOM_LEAST;
    if (buffer_3 != NULL)
        *bytes_2 =
            products_room(&p, g->products, type_of(a->type)->sum_bytes, NULL);
    return SPARSE_SUCCESS;
}

CALL(cusparseSpGEMM_compute, const struct sparse *s, int op_a, int op_b,
     const void *alpha, const struct spmat *a, const struct spmat *b,
     const void *beta, struct spmat *c, int compute, int algorithm,
     struct spgemm *g, size_t *bytes, void *buffer)
{
    const struct type_facts *t;
    struct counts counts;
    struct products p;

    (void)alpha, (void)beta, (void)algorithm;
    NEED(check(s, op_a, op_b, a, b, c, compute, g));
    if (bytes == NULL || g->first_buffer == NULL)
        return SPARSE_INVALID_VALUE;
    t = type_of(a->type);
    *bytes = products_room(&p, g->products, t->sum_bytes, buffer);
    if (buffer == NULL)
        return SPARSE_SUCCESS;
    g->buffer = buffer;
    g->nnz = 0;
    if (g->products > 0) {
        counts_room(&counts, a->nnz, g->first_buffer);
        NEED(expand(s, a, b, &counts, &p));
        NEED(arrange(s, c, &p, &g->nnz));
        NEED(compress(s, t, &p));
    }
    c->nnz = g->nnz;
    return SPARSE_SUCCESS;
}

CALL(cusparseSpGEMM_copy, const struct sparse *s, int op_a, int op_b,
     const void *alpha, const struct spmat *a, const struct spmat *b,
     const void *beta, struct spmat *c, int compute, int algorithm,
     struct spgemm *g)
{
    struct products p;

    (void)algorithm;
    NEED(check(s, op_a, op_b, a, b, c, compute, g));
    if (g->buffer == NULL || alpha == NULL)
        return SPARSE_INVALID_VALUE;
    c->nnz = g->nnz;
    products_room(&p, g->products, type_of(a->type)->sum_bytes, g->buffer);
    return deliver(s, type_of(a->type), alpha, beta, &p, c);
}

/* ---- the same with other values later ---------------------------------------------------------- */

CALL(cusparseSpGEMMreuse_workEstimation, const struct sparse *s, int op_a,
     int op_b, const struct spmat *a, const struct spmat *b,
     const struct spmat *c, int algorithm, struct spgemm *g, size_t *bytes,
     void *buffer)
{
    return cusparseSpGEMM_workEstimation(s, op_a, op_b, NULL, a, b, NULL, c,
                                         a != NULL ? type_of(a->type)->sum : 0,
                                         algorithm, g, bytes, buffer);
}

/* All lies in the last buffer, which stays: where products go and in which
 * order. */
static size_t reuse_room(struct counts *c, struct products *p,
                         const struct spmat *a, const struct spgemm *g,
                         void *buffer)
{
    size_t bytes = counts_room(c, a->nnz, buffer);

    return bytes +
           products_room(p, g->products, type_of(a->type)->sum_bytes,
                         buffer != NULL ? (char *)buffer + bytes : NULL);
}

CALL(cusparseSpGEMMreuse_nnz, const struct sparse *s, int op_a, int op_b,
     const struct spmat *a, const struct spmat *b, struct spmat *c,
     int algorithm, struct spgemm *g, size_t *bytes_2, void *buffer_2,
     size_t *bytes_3, void *buffer_3, size_t *bytes_4, void *buffer_4)
{
    struct counts counts;
    struct products p;

    (void)algorithm, (void)buffer_2, (void)buffer_3;
    NEED(check(s, op_a, op_b, a, b, c, a != NULL ? a->type : 0, g));
    if (bytes_2 == NULL || bytes_3 == NULL || bytes_4 == NULL)
        return SPARSE_INVALID_VALUE;
    *bytes_2 = *bytes_3 = ROOM_LEAST;
    *bytes_4 = reuse_room(&counts, &p, a, g, buffer_4);
    if (buffer_4 == NULL)
        return SPARSE_SUCCESS;
    g->buffer = buffer_4;
    g->nnz = 0;
    NEED(count(s, a, b, &counts));
    if (g->products > 0) {
        NEED(expand(s, a, b, &counts, &p));
        NEED(arrange(s, c, &p, &g->nnz));
    }
    c->nnz = g->nnz;
    return SPARSE_SUCCESS;
}

/* The order, from where an arrangement left it: sorts of as many passes end where
 * they ended. */
static void arranged(const struct spmat *c, struct products *p)
{
    int passes = 0;
    const int64_t most[] = {c->columns, c->rows};

    for (int i = 0; i < 2; i++) {
        for (int shift = 0; shift == 0 || (shift < 32 && most[i] >> shift != 0);
             shift += SPARSE_SORT_BITS)
            passes++;
    }
    p->sorter.at = passes % 2;
}

CALL(cusparseSpGEMMreuse_copy, const struct sparse *s, int op_a, int op_b,
     const struct spmat *a, const struct spmat *b, struct spmat *c,
     int algorithm, struct spgemm *g, size_t *bytes, void *buffer)
{
    (void)algorithm, (void)buffer;
    NEED(check(s, op_a, op_b, a, b, c, a != NULL ? a->type : 0, g));
    if (bytes == NULL || g->buffer == NULL)
        return SPARSE_INVALID_VALUE;
    *bytes = ROOM_LEAST;
    c->nnz = g->nnz;
    return SPARSE_SUCCESS;
}

CALL(cusparseSpGEMMreuse_compute, const struct sparse *s, int op_a, int op_b,
     const void *alpha, const struct spmat *a, const struct spmat *b,
     const void *beta, struct spmat *c, int compute, int algorithm,
     struct spgemm *g)
{
    const struct type_facts *t;
    struct counts counts;
    struct products p;

    (void)algorithm;
    NEED(check(s, op_a, op_b, a, b, c, compute, g));
    if (g->buffer == NULL || alpha == NULL)
        return SPARSE_INVALID_VALUE;
    t = type_of(a->type);
    reuse_room(&counts, &p, a, g, g->buffer);
    arranged(c, &p);
    if (g->products > 0) {
        NEED(expand(s, a, b, &counts, &p));
        NEED(compress(s, t, &p));
    }
    return deliver(s, t, alpha, beta, &p, c);
}
