/* Entry points of cuSPARSE: products with dense vectors and matrices, sparse
 * vectors. */
#include "tools/cusparse/sparse.h"

#include "tools/cudart/say.h"

enum {
    ROOM_LEAST = 8,                 /* bytes: programs take none for an error */
    COLUMNS_WIDE = 2 * SPARSE_WARP, /* from here on a lane has several */
};

/* What a product computes with; NULL: said, there are no kernels for it. */
static const struct type_facts *product_type(const char *call, int a, int b,
                                             int c, int compute)
{
    const struct type_facts *t = type_of(a), *to = type_of(c);
    const struct type_facts *in = type_of(compute);

    if (t != NULL && t->letter != 0 && b == a && (c == a || c == t->sum) &&
        compute == t->sum)
        return t;
    runtime_say("",
                "%s: a product of %s to %s, computed in %s, is not "
                "implemented",
                call, t != NULL ? t->name : "another type",
                to != NULL ? to->name : "another type",
                in != NULL ? in->name : "another type");
    return NULL;
}

/* Sums of several warps cannot meet in elements that are shorter. */
static int needs_work(const struct type_facts *t, enum sparse_view view)
{
    return view != VIEW_ROWS && t->bytes < t->sum_bytes;
}

static size_t work_bytes(const struct type_facts *t, enum sparse_view view,
                         int64_t elements)
{
    return needs_work(t, view) && elements > 0
               ? (size_t)elements * sizeof(float)
               : ROOM_LEAST;
}

static int is_op(int op)
{
    return op >= SPARSE_N && op <= SPARSE_C;
}

static int is_one(const struct sparse *s, const void *beta,
                  const struct type_facts *t)
{
    static const union {
        float s[2];
        double d[2];
    } ones[] = {{.s = {1, 0}}, {.d = {1, 0}}};
    const unsigned char *one =
        (const unsigned char *)&ones[t->sum == DATA_64F ||
                                     t->sum == DATA_C_64F];
    const unsigned char *is = beta;
    int i = 0;

    while (!s->scalars_on_device && i < t->sum_bytes && is[i] == one[i])
        i++;
    return i == t->sum_bytes;
}

/* Before and after what several warps add to. */
static int meet(const struct sparse *s, struct sparse_product *p,
                const struct type_facts *t, int64_t batches)
{
    struct sparse_grid grid = sparse_each(p->rows * p->columns);

    grid.z = batches;
    return sparse_launch(s, KERNELS_PRODUCT, "teg_cusparse_meet", t->letter,
                         &grid, p);
}

/* `kernel` adds to c. */
static int across(const struct sparse *s, struct sparse_product *p,
                  const struct type_facts *t, const void *beta,
                  const char *kernel, const struct sparse_grid *grid)
{
    int64_t batches = grid->z > 0 ? grid->z : 1;
    int has_work = t->bytes < t->sum_bytes;

    if (has_work && p->work == NULL)
        return SPARSE_INVALID_VALUE;
    if (has_work)
        NEED(sparse_clear(s, p->work,
                          (size_t)(batches * p->rows * p->columns) *
                              sizeof *p->work));
    else if (!is_one(s, beta, t))
        NEED(meet(s, p, t, batches));
    NEED(sparse_launch(s, KERNELS_PRODUCT, kernel, t->letter, grid, p));
    return has_work ? meet(s, p, t, batches) : SPARSE_SUCCESS;
}

/* ---- a matrix and a vector ------------------------------------------------------------- */

static int check_mv(const struct sparse *s, int op, const struct spmat *a,
                    const struct dnvec *x, const struct dnvec *y)
{
    if (s == NULL)
        return SPARSE_NOT_INITIALIZED;
    if (!is_op(op) || a == NULL || x == NULL || y == NULL ||
        x->size != (op == SPARSE_N ? a->columns : a->rows) ||
        y->size != (op == SPARSE_N ? a->rows : a->columns))
        return SPARSE_INVALID_VALUE;
    return SPARSE_SUCCESS;
}

CALL(cusparseSpMV_bufferSize, const struct sparse *s, int op, const void *alpha,
     const struct spmat *a, const struct dnvec *x, const void *beta,
     const struct dnvec *y, int compute, int algorithm, size_t *bytes)
{
    const struct type_facts *t;
    struct sparse_rows rows;

    (void)alpha, (void)beta, (void)algorithm;
    NEED(check_mv(s, op, a, x, y));
    t = product_type("cusparseSpMV", a->type, x->type, y->type, compute);
    if (t == NULL || bytes == NULL)
        return t == NULL ? SPARSE_NOT_SUPPORTED : SPARSE_INVALID_VALUE;
    *bytes = work_bytes(t, sparse_view(&rows, a, op), y->size);
    return SPARSE_SUCCESS;
}

/* What the vendor would find out of the matrix is not needed. */
CALL(cusparseSpMV_preprocess, const struct sparse *s, int op, const void *alpha,
     const struct spmat *a, const struct dnvec *x, const void *beta,
     const struct dnvec *y, int compute, int algorithm, void *buffer)
{
    (void)alpha, (void)beta, (void)compute, (void)algorithm, (void)buffer;
    return check_mv(s, op, a, x, y);
}

CALL(cusparseSpMV, const struct sparse *s, int op, const void *alpha,
     const struct spmat *a, const struct dnvec *x, const void *beta,
     struct dnvec *y, int compute, int algorithm, void *buffer)
{
    const struct type_facts *t;
    struct sparse_product p = {0};
    enum sparse_view view;
    struct sparse_grid grid = {0};

    (void)algorithm;
    NEED(check_mv(s, op, a, x, y));
    if (alpha == NULL || beta == NULL)
        return SPARSE_INVALID_VALUE;
    t = product_type("cusparseSpMV", a->type, x->type, y->type, compute);
    if (t == NULL)
        return SPARSE_NOT_SUPPORTED;
    view = sparse_view(&p.a, a, op);
    p.b = (struct sparse_dense){x->values, 1, 0, 0};
    p.c = (struct sparse_dense){y->values, 1, 0, 0};
    p.alpha = sparse_scale(s, alpha, t);
    p.beta = sparse_scale(s, beta, t);
    p.rows = y->size;
    p.columns = 1;
    p.c_is_float = y->type != a->type;
    p.work = buffer;
    p.lane_bits = sparse_lanes(p.a.nnz, p.a.rows);
    if (view == VIEW_ENTRIES) {
        grid.items = (p.a.nnz + SPARSE_CHUNK - 1) / SPARSE_CHUNK;
        return across(s, &p, t, beta, "teg_cusparse_spmv_coo", &grid);
    }
    grid.items = p.a.rows;
    grid.lane_bits = p.lane_bits;
    if (view == VIEW_ACROSS)
        return across(s, &p, t, beta, "teg_cusparse_spmv_csr_across", &grid);
    return sparse_launch(s, KERNELS_PRODUCT,
                         p.a.wide || p.a.wide_offsets
                             ? "teg_cusparse_spmv_csr_any"
                             : "teg_cusparse_spmv_csr",
                         t->letter, &grid, &p);
}

/* ---- matrices --------------------------------------------------------------------------- */

static int check_mm(const struct sparse *s, int op_a, int op_b,
                    const struct spmat *a, const struct dnmat *b,
                    const struct dnmat *c)
{
    if (s == NULL)
        return SPARSE_NOT_INITIALIZED;
    if (!is_op(op_a) || !is_op(op_b) || a == NULL || b == NULL || c == NULL ||
        (op_a == SPARSE_N ? a->rows : a->columns) != c->rows ||
        (op_a == SPARSE_N ? a->columns : a->rows) !=
            (op_b == SPARSE_N ? b->rows : b->columns) ||
        (op_b == SPARSE_N ? b->columns : b->rows) != c->columns)
        return SPARSE_INVALID_VALUE;
    return SPARSE_SUCCESS;
}

CALL(cusparseSpMM_bufferSize, const struct sparse *s, int op_a, int op_b,
     const void *alpha, const struct spmat *a, const struct dnmat *b,
     const void *beta, const struct dnmat *c, int compute, int algorithm,
     size_t *bytes)
{
    const struct type_facts *t;
    struct sparse_rows rows;

    (void)alpha, (void)beta, (void)algorithm;
    NEED(check_mm(s, op_a, op_b, a, b, c));
    t = product_type("cusparseSpMM", a->type, b->type, c->type, compute);
    if (t == NULL || bytes == NULL)
        return t == NULL ? SPARSE_NOT_SUPPORTED : SPARSE_INVALID_VALUE;
    *bytes = work_bytes(t, sparse_view(&rows, a, op_a),
                        c->batches * c->rows * c->columns);
    return SPARSE_SUCCESS;
}

CALL(cusparseSpMM_preprocess, const struct sparse *s, int op_a, int op_b,
     const void *alpha, const struct spmat *a, const struct dnmat *b,
     const void *beta, const struct dnmat *c, int compute, int algorithm,
     void *buffer)
{
    (void)alpha, (void)beta, (void)compute, (void)algorithm, (void)buffer;
    return check_mm(s, op_a, op_b, a, b, c);
}

static int column_bits(int64_t columns)
{
    int bits = 0;

    while (bits < 5 && 1 << bits < columns)
        bits++;
    return bits;
}

static int by_rows(const struct sparse *s, struct sparse_product *p,
                   const struct type_facts *t, int64_t batches)
{
    int is_any = p->a.wide || p->a.wide_offsets;
    /* columns of which each lies by itself: lanes have entries instead */
    int apart = p->b.column != 1 && p->b.row == 1;
    int held = apart                                   ? SPARSE_SPMM_HELD
               : !is_any && p->columns >= COLUMNS_WIDE ? SPARSE_SPMM_HELD
                                                       : 1;
    int64_t tile;
    const char *name;
    struct sparse_grid grid = {.items = p->a.rows, .z = batches};

    if (apart) {
        p->lane_bits = sparse_lanes(p->a.nnz, p->a.rows);
        tile = held;
        name = is_any ? "teg_cusparse_spmm_columns_any"
                      : "teg_cusparse_spmm_columns";
    } else {
        p->lane_bits = column_bits(p->columns);
        tile = (int64_t)held << p->lane_bits;
        name = is_any     ? "teg_cusparse_spmm_rows_any"
               : held > 1 ? "teg_cusparse_spmm_rows_wide"
                          : "teg_cusparse_spmm_rows";
    }
    grid.lane_bits = p->lane_bits;
    grid.y = (p->columns + tile - 1) / tile;
    return sparse_launch(s, KERNELS_PRODUCT, name, t->letter, &grid, p);
}

CALL(cusparseSpMM, const struct sparse *s, int op_a, int op_b,
     const void *alpha, const struct spmat *a, const struct dnmat *b,
     const void *beta, struct dnmat *c, int compute, int algorithm,
     void *buffer)
{
    const struct type_facts *t;
    struct sparse_product p = {0};
    enum sparse_view view;
    struct sparse_grid grid = {0};

    (void)algorithm;
    NEED(check_mm(s, op_a, op_b, a, b, c));
    if (alpha == NULL || beta == NULL)
        return SPARSE_INVALID_VALUE;
    t = product_type("cusparseSpMM", a->type, b->type, c->type, compute);
    if (t == NULL)
        return SPARSE_NOT_SUPPORTED;
    view = sparse_view(&p.a, a, op_a);
    p.b = sparse_dense(b, op_b);
    p.c = sparse_dense(c, SPARSE_N);
    p.alpha = sparse_scale(s, alpha, t);
    p.beta = sparse_scale(s, beta, t);
    p.rows = c->rows;
    p.columns = c->columns;
    p.c_is_float = c->type != a->type;
    p.conjugate_b = op_b == SPARSE_C;
    p.work = buffer;
    if (c->rows == 0 || c->columns == 0)
        return SPARSE_SUCCESS;
    if (view == VIEW_ROWS)
        return by_rows(s, &p, t, c->batches);
    p.lane_bits = column_bits(p.columns);
    grid.lane_bits = p.lane_bits;
    grid.y = (p.columns + (1 << p.lane_bits) - 1) >> p.lane_bits;
    grid.z = c->batches;
    grid.items = view == VIEW_ACROSS ? p.a.rows
                                     : (p.a.nnz + SPARSE_SPMM_ENTRIES - 1) /
                                           SPARSE_SPMM_ENTRIES;
    return across(s, &p, t, beta,
                  view == VIEW_ACROSS ? "teg_cusparse_spmm_across"
                                      : "teg_cusparse_spmm_coo",
                  &grid);
}

/* ---- where a sparse matrix has entries --------------------------------------------------- */

static int check_sampled(const struct sparse *s, int op_a, int op_b,
                         const struct dnmat *a, const struct dnmat *b,
                         const struct spmat *c)
{
    if (s == NULL)
        return SPARSE_NOT_INITIALIZED;
    if (!is_op(op_a) || !is_op(op_b) || a == NULL || b == NULL || c == NULL ||
        (op_a == SPARSE_N ? a->rows : a->columns) != c->rows ||
        (op_a == SPARSE_N ? a->columns : a->rows) !=
            (op_b == SPARSE_N ? b->rows : b->columns) ||
        (op_b == SPARSE_N ? b->columns : b->rows) != c->columns)
        return SPARSE_INVALID_VALUE;
    return SPARSE_SUCCESS;
}

CALL(cusparseSDDMM_bufferSize, const struct sparse *s, int op_a, int op_b,
     const void *alpha, const struct dnmat *a, const struct dnmat *b,
     const void *beta, const struct spmat *c, int compute, int algorithm,
     size_t *bytes)
{
    (void)alpha, (void)beta, (void)compute, (void)algorithm;
    NEED(check_sampled(s, op_a, op_b, a, b, c));
    if (bytes == NULL)
        return SPARSE_INVALID_VALUE;
    *bytes = ROOM_LEAST;
    return SPARSE_SUCCESS;
}

CALL(cusparseSDDMM_preprocess, const struct sparse *s, int op_a, int op_b,
     const void *alpha, const struct dnmat *a, const struct dnmat *b,
     const void *beta, const struct spmat *c, int compute, int algorithm,
     void *buffer)
{
    (void)alpha, (void)beta, (void)compute, (void)algorithm, (void)buffer;
    return check_sampled(s, op_a, op_b, a, b, c);
}

CALL(cusparseSDDMM, const struct sparse *s, int op_a, int op_b,
     const void *alpha, const struct dnmat *a, const struct dnmat *b,
     const void *beta, struct spmat *c, int compute, int algorithm,
     void *buffer)
{
    const struct type_facts *t;
    struct sparse_product p = {0};
    struct sparse_grid grid = {0};

    (void)algorithm, (void)buffer;
    NEED(check_sampled(s, op_a, op_b, a, b, c));
    if (alpha == NULL || beta == NULL)
        return SPARSE_INVALID_VALUE;
    t = product_type("cusparseSDDMM", a->type, b->type, c->type, compute);
    if (t == NULL || c->type != a->type || c->format != SPARSE_CSR) {
        if (t != NULL)
            runtime_say("", "cusparseSDDMM: another format than CSR is not "
                            "implemented");
        return SPARSE_NOT_SUPPORTED;
    }
    sparse_view(&p.a, c, SPARSE_N);
    p.b = sparse_dense(a, op_a);
    p.c = sparse_dense(b, op_b);
    p.conjugate_b = op_a == SPARSE_C;
    p.conjugate_c = op_b == SPARSE_C;
    p.alpha = sparse_scale(s, alpha, t);
    p.beta = sparse_scale(s, beta, t);
    p.columns = op_a == SPARSE_N ? a->columns : a->rows;
    p.lane_bits = column_bits(p.columns);
    grid.items = p.a.nnz > 0 ? p.a.rows : 0;
    grid.lane_bits = 5;
    grid.z = c->batches;
    return sparse_launch(s, KERNELS_PRODUCT, "teg_cusparse_sddmm", t->letter,
                         &grid, &p);
}

/* ---- a sparse vector and a dense one -------------------------------------------------------- */

static int vector(const struct sparse *s, const struct spvec *x,
                  const struct dnvec *y, struct sparse_vector *v)
{
    if (s == NULL)
        return SPARSE_NOT_INITIALIZED;
    if (x == NULL || y == NULL || x->size != y->size || x->type != y->type)
        return SPARSE_INVALID_VALUE;
    *v = (struct sparse_vector){
        .values = x->values,
        .indices = x->indices,
        .dense = y->values,
        .n = x->nnz,
        .dense_n = y->size,
        .base = x->base,
        .wide = x->index == SPARSE_64,
        .bytes = type_of(x->type)->bytes,
    };
    return SPARSE_SUCCESS;
}

CALL(cusparseGather, const struct sparse *s, const struct dnvec *y,
     struct spvec *x)
{
    struct sparse_vector v;
    struct sparse_grid grid;

    NEED(vector(s, x, y, &v));
    grid = sparse_each(v.n);
    return sparse_launch(s, KERNELS_MOVE, "teg_cusparse_gather", 0, &grid, &v);
}

CALL(cusparseScatter, const struct sparse *s, const struct spvec *x,
     struct dnvec *y)
{
    struct sparse_vector v;
    struct sparse_grid grid;

    NEED(vector(s, x, y, &v));
    grid = sparse_each(v.n);
    return sparse_launch(s, KERNELS_MOVE, "teg_cusparse_scatter", 0, &grid, &v);
}

CALL(cusparseAxpby, const struct sparse *s, const void *alpha,
     const struct spvec *x, const void *beta, struct dnvec *y)
{
    const struct type_facts *t;
    struct sparse_vector v;
    struct sparse_grid grid;

    NEED(vector(s, x, y, &v));
    if (alpha == NULL || beta == NULL)
        return SPARSE_INVALID_VALUE;
    t = product_type("cusparseAxpby", x->type, y->type, y->type,
                     type_of(x->type)->sum);
    if (t == NULL)
        return SPARSE_NOT_SUPPORTED;
    v.alpha = sparse_scale(s, alpha, t);
    v.beta = sparse_scale(s, beta, t);
    grid = sparse_each(v.dense_n);
    if (!is_one(s, beta, t))
        NEED(sparse_launch(s, KERNELS_PRODUCT, "teg_cusparse_scale", t->letter,
                           &grid, &v));
    grid = sparse_each(v.n);
    return sparse_launch(s, KERNELS_PRODUCT, "teg_cusparse_add", t->letter,
                         &grid, &v);
}

CALL(cusparseRot, const struct sparse *s, const void *c, const void *sine,
     struct spvec *x, struct dnvec *y)
{
    const struct type_facts *t;
    struct sparse_vector v;
    struct sparse_grid grid;

    NEED(vector(s, x, y, &v));
    if (c == NULL || sine == NULL)
        return SPARSE_INVALID_VALUE;
    t = product_type("cusparseRot", x->type, y->type, y->type,
                     type_of(x->type)->sum);
    if (t == NULL)
        return SPARSE_NOT_SUPPORTED;
    v.alpha = sparse_scale(s, c, t);
    v.beta = sparse_scale(s, sine, t);
    grid = sparse_each(v.n);
    return sparse_launch(s, KERNELS_PRODUCT, "teg_cusparse_rotate", t->letter,
                         &grid, &v);
}

enum {
    SUM_BYTES_MOST = 16,
};

CALL(cusparseSpVV_bufferSize, const struct sparse *s, int op,
     const struct spvec *x, const struct dnvec *y, const void *result,
     int compute, size_t *bytes)
{
    struct sparse_vector v;

    (void)op, (void)result, (void)compute;
    NEED(vector(s, x, y, &v));
    if (bytes == NULL)
        return SPARSE_INVALID_VALUE;
    *bytes = (SPARSE_PARTS + 1) * SUM_BYTES_MOST;
    return SPARSE_SUCCESS;
}

/* Parts lie in the program's memory, and behind them what is for the host. */
CALL(cusparseSpVV, const struct sparse *s, int op, const struct spvec *x,
     const struct dnvec *y, void *result, int compute, void *buffer)
{
    const struct type_facts *t;
    struct sparse_vector v;
    struct sparse_grid grid;
    void *here = (char *)buffer + SPARSE_PARTS * SUM_BYTES_MOST;

    NEED(vector(s, x, y, &v));
    if (!is_op(op) || result == NULL || buffer == NULL)
        return SPARSE_INVALID_VALUE;
    t = product_type("cusparseSpVV", x->type, y->type, compute, compute);
    if (t == NULL)
        return SPARSE_NOT_SUPPORTED;
    v.parts = buffer;
    v.result = s->scalars_on_device ? result : here;
    v.conjugate = op == SPARSE_C;
    grid = sparse_each(v.n < SPARSE_PARTS * SPARSE_THREADS
                           ? v.n
                           : SPARSE_PARTS * SPARSE_THREADS);
    NEED(sparse_launch(s, KERNELS_PRODUCT, "teg_cusparse_dot", t->letter, &grid,
                       &v));
    v.n = (grid.items + SPARSE_THREADS - 1) / SPARSE_THREADS;
    grid.items = 1;
    NEED(sparse_launch(s, KERNELS_PRODUCT, "teg_cusparse_total",
                       type_of(t->sum)->letter, &grid, &v));
    return s->scalars_on_device
               ? SPARSE_SUCCESS
               : sparse_fetch(s, result, here, (size_t)t->sum_bytes);
}
