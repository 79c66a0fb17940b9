/* Entry points of cuSPARSE: solutions of triangles. */
#include "tools/cusparse/convert.h"

#include <stdlib.h>

#include "tools/cudart/say.h"

/* What cusparseSpSV_createDescr and cusparseSpSM_createDescr make. */
struct triangle {
    struct sparse_rows rows; /* of op(A) */
    const unsigned *order;   /* values' places; NULL: in order */
    unsigned *done;          /* [tiles][rows] */
    int is_analysed;
    const void *values; /* in place of the matrix's; NULL: none */
};

enum {
    ROOM_LEAST = 8,
};

CALL(cusparseSpSV_createDescr, struct triangle **out)
{
    if (out == NULL)
        return SPARSE_INVALID_VALUE;
    *out = calloc(1, sizeof **out);
    return *out != NULL ? SPARSE_SUCCESS : SPARSE_ALLOC_FAILED;
}
ALSO(cusparseSpSV_createDescr, cusparseSpSM_createDescr);

CALL(cusparseSpSV_destroyDescr, struct triangle *t)
{
    free(t);
    return SPARSE_SUCCESS;
}
ALSO(cusparseSpSV_destroyDescr, cusparseSpSM_destroyDescr);

static int check(const char *call, const struct sparse *s, int op,
                 const struct spmat *a, const struct triangle *d, int type_b,
                 int type_c, int compute)
{
    const struct type_facts *t;

    if (s == NULL)
        return SPARSE_NOT_INITIALIZED;
    if (a == NULL || d == NULL || a->rows != a->columns || op < SPARSE_N ||
        op > SPARSE_C)
        return SPARSE_INVALID_VALUE;
    t = type_of(a->type);
    if (t->letter != 0 && t->sum == a->type && type_b == a->type &&
        type_c == a->type && compute == a->type)
        return SPARSE_SUCCESS;
    runtime_say("",
                "%s: a solution of %s is not implemented, or not in "
                "another type",
                call, t->name);
    return SPARSE_NOT_SUPPORTED;
}

/* ---- rows of it ------------------------------------------------------------------------- */

/* Entries of COO lie by rows, so that those need offsets only. */
struct analysis {
    unsigned *done;
    int *offsets;
    struct turned turned;
    int is_turned;
};

static size_t analysis_room(struct analysis *n, const struct spmat *a, int op,
                            int64_t columns, void *buffer)
{
    struct sparse_room room = {.at = buffer};
    struct sparse_rows rows;
    enum sparse_view view = sparse_view(&rows, a, op);
    uint64_t tiles = (uint64_t)(columns + SPARSE_WARP - 1) / SPARSE_WARP;

    *n = (struct analysis){0};
    n->done = sparse_part(&room, tiles * (uint64_t)a->rows * sizeof *n->done);
    n->is_turned =
        view == VIEW_ACROSS || (view == VIEW_ENTRIES && op != SPARSE_N);
    if (n->is_turned)
        turned_init(&n->turned, a->rows, a->nnz, &room);
    else if (view == VIEW_ENTRIES)
        n->offsets =
            sparse_part(&room, (uint64_t)(a->rows + 1) * sizeof *n->offsets);
    return room.bytes + ROOM_LEAST;
}

static int analyse(const struct sparse *s, const struct spmat *a, int op,
                   int64_t columns, struct triangle *d, void *buffer)
{
    struct analysis n;
    struct sparse_rows *r = &d->rows;
    enum sparse_view view = sparse_view(r, a, op);

    if (buffer == NULL)
        return SPARSE_INVALID_VALUE;
    analysis_room(&n, a, op, columns, buffer);
    d->done = n.done;
    d->order = NULL;
    d->is_analysed = 1;
    if (n.is_turned) {
        NEED(turned_make(s, &n.turned, r, view, a->rows));
        d->order = n.turned.order;
        r->offsets = n.turned.offsets;
        r->minor = n.turned.minor;
        r->base = r->wide = r->wide_offsets = 0;
    } else if (view == VIEW_ENTRIES) {
        NEED(convert_offsets_of(s, r->major, r->wide, r->base, r->nnz, r->rows,
                                n.offsets, 0, r->base));
        r->offsets = n.offsets;
        r->wide_offsets = 0;
    }
    return SPARSE_SUCCESS;
}

static struct sparse_solve solution(const struct sparse *s,
                                    const struct spmat *a, int op,
                                    const void *alpha, const struct triangle *d)
{
    struct sparse_solve p = {
        .a = d->rows,
        .order = d->order,
        .alpha = sparse_scale(s, alpha, type_of(a->type)),
        .done = d->done,
        .upper = a->upper ^ (op != SPARSE_N),
        .unit = a->unit,
    };

    p.a.values = d->values != NULL ? d->values : a->values;
    return p;
}

CALL(cusparseSpSV_updateMatrix, const struct sparse *s, struct triangle *d,
     void *values, int part)
{
    if (s == NULL)
        return SPARSE_NOT_INITIALIZED;
    if (d == NULL || values == NULL)
        return SPARSE_INVALID_VALUE;
    if (part != 0) {
        runtime_say("", "a solution's matrix gets all of its values anew: of "
                        "its diagonal alone is not implemented");
        return SPARSE_NOT_SUPPORTED;
    }
    d->values = values;
    return SPARSE_SUCCESS;
}
ALSO(cusparseSpSV_updateMatrix, cusparseSpSM_updateMatrix);

/* ---- of a vector --------------------------------------------------------------------------- */

static int check_vector(const struct sparse *s, int op, const struct spmat *a,
                        const struct dnvec *x, const struct dnvec *y,
                        int compute, const struct triangle *d)
{
    if (x == NULL || y == NULL ||
        (a != NULL && (x->size != a->rows || y->size != a->rows)))
        return SPARSE_INVALID_VALUE;
    return check("cusparseSpSV", s, op, a, d, x->type, y->type, compute);
}

CALL(cusparseSpSV_bufferSize, const struct sparse *s, int op, const void *alpha,
     const struct spmat *a, const struct dnvec *x, const struct dnvec *y,
     int compute, int algorithm, const struct triangle *d, size_t *bytes)
{
    struct analysis n;

    (void)alpha, (void)algorithm;
    NEED(check_vector(s, op, a, x, y, compute, d));
    if (bytes == NULL)
        return SPARSE_INVALID_VALUE;
    *bytes = analysis_room(&n, a, op, 1, NULL);
    return SPARSE_SUCCESS;
}

CALL(cusparseSpSV_analysis, const struct sparse *s, int op, const void *alpha,
     const struct spmat *a, const struct dnvec *x, const struct dnvec *y,
     int compute, int algorithm, struct triangle *d, void *buffer)
{
    (void)alpha, (void)algorithm;
    NEED(check_vector(s, op, a, x, y, compute, d));
    return analyse(s, a, op, 1, d, buffer);
}

CALL(cusparseSpSV_solve, const struct sparse *s, int op, const void *alpha,
     const struct spmat *a, const struct dnvec *x, struct dnvec *y, int compute,
     int algorithm, const struct triangle *d)
{
    struct sparse_solve p;
    struct sparse_grid grid = {.lane_bits = 5};

    (void)algorithm;
    NEED(check_vector(s, op, a, x, y, compute, d));
    if (!d->is_analysed || alpha == NULL)
        return SPARSE_INVALID_VALUE;
    p = solution(s, a, op, alpha, d);
    p.b = (struct sparse_dense){x->values, 1, 0, 0};
    p.c = (struct sparse_dense){y->values, 1, 0, 0};
    grid.items = a->rows;
    NEED(sparse_clear(s, d->done, (size_t)a->rows * sizeof *d->done));
    return sparse_launch(s, KERNELS_SOLVE, "teg_cusparse_solve",
                         type_of(a->type)->letter, &grid, &p);
}

/* ---- of a matrix --------------------------------------------------------------------------- */

static int check_matrix(const struct sparse *s, int op_a, int op_b,
                        const struct spmat *a, const struct dnmat *b,
                        const struct dnmat *c, int compute,
                        const struct triangle *d)
{
    if (b == NULL || c == NULL || op_b < SPARSE_N || op_b > SPARSE_C ||
        (a != NULL && c->rows != a->rows) ||
        (op_b == SPARSE_N ? b->rows : b->columns) != c->rows ||
        (op_b == SPARSE_N ? b->columns : b->rows) != c->columns)
        return SPARSE_INVALID_VALUE;
    return check("cusparseSpSM", s, op_a, a, d, b->type, c->type, compute);
}

CALL(cusparseSpSM_bufferSize, const struct sparse *s, int op_a, int op_b,
     const void *alpha, const struct spmat *a, const struct dnmat *b,
     const struct dnmat *c, int compute, int algorithm,
     const struct triangle *d, size_t *bytes)
{
    struct analysis n;

    (void)alpha, (void)algorithm;
    NEED(check_matrix(s, op_a, op_b, a, b, c, compute, d));
    if (bytes == NULL)
        return SPARSE_INVALID_VALUE;
    *bytes = analysis_room(&n, a, op_a, c->columns, NULL);
    return SPARSE_SUCCESS;
}

CALL(cusparseSpSM_analysis, const struct sparse *s, int op_a, int op_b,
     const void *alpha, const struct spmat *a, const struct dnmat *b,
     const struct dnmat *c, int compute, int algorithm, struct triangle *d,
     void *buffer)
{
    (void)alpha, (void)algorithm;
    NEED(check_matrix(s, op_a, op_b, a, b, c, compute, d));
    return analyse(s, a, op_a, c->columns, d, buffer);
}

CALL(cusparseSpSM_solve, const struct sparse *s, int op_a, int op_b,
     const void *alpha, const struct spmat *a, const struct dnmat *b,
     struct dnmat *c, int compute, int algorithm, const struct triangle *d)
{
    struct sparse_solve p;
    struct sparse_grid grid = {.lane_bits = 5};

    (void)algorithm;
    NEED(check_matrix(s, op_a, op_b, a, b, c, compute, d));
    if (!d->is_analysed || alpha == NULL)
        return SPARSE_INVALID_VALUE;
    if (c->columns == 0)
        return SPARSE_SUCCESS;
    p = solution(s, a, op_a, alpha, d);
    p.b = sparse_dense(b, op_b);
    p.c = sparse_dense(c, SPARSE_N);
    p.columns = c->columns;
    p.conjugate_b = op_b == SPARSE_C;
    grid.items = a->rows;
    grid.y = (c->columns + SPARSE_WARP - 1) / SPARSE_WARP;
    NEED(
        sparse_clear(s, d->done, (size_t)(grid.y * a->rows) * sizeof *d->done));
    return sparse_launch(s, KERNELS_SOLVE, "teg_cusparse_solve_columns",
                         type_of(a->type)->letter, &grid, &p);
}
