#include "tools/cublas/triangle.h"
#include "tools/cublas/kernels.h"
#include "tools/cublas/product.h"

#include <limits.h>
#include <stdio.h>

#include "tools/vendor/kernels/factor.h"

enum {
    /* Larger triangles are solved by blocks on the diagonal of that many rows,
     * with products between them. */
    SOLVED_AT_ONCE = 128,
    SYRK_TILE = 64,
    SYRK_THREADS = 128,
    ROWS_MOST = 65535, /* of a grid, in y */
};

static int64_t over(int64_t a, int64_t b)
{
    return (a + b - 1) / b;
}

static void *at(const struct triangle *t, const void *p, int64_t elements)
{
    return (char *)p + elements * (int64_t)data_bytes(t->type);
}

static int is_left(const struct triangle *t)
{
    return t->side == BLAS_LEFT;
}

/* Rows of the triangle. */
static int64_t order(const struct triangle *t)
{
    return is_left(t) ? t->m : t->n;
}

/* Whether A has to be turned so that it is L of L X = B; X is B's transpose if
 * the triangle stands right of it. */
static int is_turned(const struct triangle *t)
{
    return (t->op != BLAS_N) != !is_left(t);
}

/* Whether the first row is solved first. */
static int is_forward(const struct triangle *t)
{
    return t->upper == is_turned(t);
}

/* ---- solving at once ------------------------------------------------------------ */

/* What goes from the last row to the first is a lower triangle, too, seen from
 * its end. */
static enum blas_status solve_at_once(const struct blas *b,
                                      const struct triangle *t)
{
    const int64_t n = order(t), columns = is_left(t) ? t->n : t->m;
    const int64_t blocks = over(columns, TRIANGLE_COLUMNS);
    struct triangle_args args = {
        .a = {.row = is_turned(t) ? t->lda : 1,
              .column = is_turned(t) ? 1 : t->lda,
              .arrays = t->arrays},
        .b = {.row = is_left(t) ? 1 : t->ldb,
              .column = is_left(t) ? t->ldb : 1,
              .arrays = t->arrays},
        .alpha = kernel_scale(b, t->alpha, t->type),
        .n = (int)n,
        .columns = (int)columns,
        .unit = t->unit,
    };
    const struct vendor_grid grid = {.x = (unsigned)t->batch,
                                     .y = (unsigned)blocks,
                                     .z = 1,
                                     .threads = TRIANGLE_THREADS};

    if (blocks > ROWS_MOST)
        return BLAS_NOT_SUPPORTED;
    if (!is_forward(t)) {
        args.a.first = (n - 1) * (args.a.row + args.a.column);
        args.b.first = (n - 1) * args.b.row;
        args.a.row = -args.a.row;
        args.a.column = -args.a.column;
        args.b.row = -args.b.row;
    }
    args.a.at = t->arrays ? (void *)t->a : at(t, t->a, args.a.first);
    args.b.at = t->arrays ? t->b : at(t, t->b, args.b.first);
    return kernel_launch(b, KERNELS_TRIANGLE,
                         t->type == DATA_64F ? "teg_cublas_dtrsm"
                                             : "teg_cublas_strsm",
                         &grid, &args);
}

/* ---- solving by blocks ---------------------------------------------------------- */

static const double one_d = 1, minus_one_d = -1;
static const float one_s = 1, minus_one_s = -1;

static const void *one_of(int type)
{
    return type == DATA_64F ? (const void *)&one_d : &one_s;
}

/* B's rows (columns) `row` and so on, `rows` of them, less what those at `from`
 * have to do with them. */
static enum blas_status take_away(const struct blas *b,
                                  const struct triangle *t, int64_t from,
                                  int64_t k, int64_t row, int64_t rows)
{
    struct product p = {
        .name = "trsm",
        .m = is_left(t) ? rows : t->m,
        .n = is_left(t) ? t->n : rows,
        .k = k,
        .batch = 1,
        .compute = t->type == DATA_64F ? BLAS_COMPUTE_64F : BLAS_COMPUTE_32F,
        .alpha =
            t->type == DATA_64F ? (const void *)&minus_one_d : &minus_one_s,
        .beta = t->alpha,
        .scale_type = t->type,
    };
    const struct product_matrix triangle = {
        .data = at(t, t->a,
                   is_turned(t) ? from + row * t->lda : row + from * t->lda),
        .type = t->type,
        .ld = t->lda};
    const struct product_matrix solved = {
        .data = at(t, t->b, is_left(t) ? from : from * t->ldb),
        .type = t->type,
        .ld = t->ldb};

    p.a = is_left(t) ? triangle : solved;
    p.b = is_left(t) ? solved : triangle;
    p.op_a = is_left(t) ? t->op : BLAS_N;
    p.op_b = is_left(t) ? BLAS_N : t->op;
    p.c = (struct product_matrix){
        .data = at(t, t->b, is_left(t) ? row : row * t->ldb),
        .type = t->type,
        .ld = t->ldb};
    p.d = p.c;
    return product_launch(b, &p);
}

/* The first product scales what is left of B, too. */
static enum blas_status solve_by_blocks(const struct blas *b,
                                        const struct triangle *t)
{
    const int64_t n = order(t), blocks = over(n, SOLVED_AT_ONCE);
    struct triangle rest = *t;
    enum blas_status status = BLAS_SUCCESS;

    for (int64_t i = 0; i < blocks && status == BLAS_SUCCESS; i++) {
        const int64_t from =
            (is_forward(t) ? i : blocks - 1 - i) * SOLVED_AT_ONCE;
        const int64_t end =
            from + SOLVED_AT_ONCE < n ? from + SOLVED_AT_ONCE : n;
        struct triangle part = rest;

        part.a = at(t, t->a, from * (t->lda + 1));
        part.b = at(t, t->b, is_left(t) ? from : from * t->ldb);
        *(is_left(t) ? &part.m : &part.n) = end - from;
        status = solve_at_once(b, &part);
        if (status == BLAS_SUCCESS && i + 1 < blocks)
            status = is_forward(t)
                         ? take_away(b, &rest, from, end - from, end, n - end)
                         : take_away(b, &rest, from, end - from, 0, from);
        rest.alpha = one_of(t->type);
    }
    return status;
}

/* Blocks are for scales that the host knows. */
enum blas_status triangle_solve(const struct blas *b, const struct triangle *t)
{
    const int64_t n = order(t);
    struct blas exact;

    if ((t->side != BLAS_LEFT && t->side != BLAS_RIGHT) || t->upper < 0 ||
        t->upper > 1 || t->op < BLAS_N || t->op > BLAS_C || t->unit < 0 ||
        t->unit > 1 || t->m < 0 || t->n < 0 || t->batch < 0 ||
        t->lda < (n > 1 ? n : 1) || t->ldb < (t->m > 1 ? t->m : 1) ||
        t->alpha == NULL)
        return BLAS_INVALID_VALUE;
    if (t->m > INT_MAX || t->n > INT_MAX || t->batch > INT_MAX)
        return BLAS_NOT_SUPPORTED;
    if (t->m == 0 || t->n == 0 || t->batch == 0)
        return BLAS_SUCCESS;
    if (t->arrays || b->scalars_on_device || n <= SOLVED_AT_ONCE)
        return solve_at_once(b, t);
    exact = *b;
    exact.math = 0; /* of floats as they are */
    return solve_by_blocks(&exact, t);
}

static int trsm(const struct blas *b, const struct triangle *t)
{
    return b == NULL ? BLAS_NOT_INITIALIZED : (int)triangle_solve(b, t);
}

/* ---- a triangle of a product ------------------------------------------------------ */

static int syrk(const struct blas *b, int type, int upper, int op, int64_t n,
                int64_t k, const void *alpha, const void *a, int64_t lda,
                const void *beta, void *c, int64_t ldc)
{
    const int64_t rows = op == BLAS_N ? n : k, tiles = over(n, SYRK_TILE);
    const struct vendor_grid grid = {.x = (unsigned)(tiles * tiles),
                                     .y = 1,
                                     .z = 1,
                                     .threads = SYRK_THREADS};
    char name[64];

    if (b == NULL)
        return BLAS_NOT_INITIALIZED;
    if (upper < 0 || upper > 1 || op < BLAS_N || op > BLAS_C || n < 0 ||
        k < 0 || lda < (rows > 1 ? rows : 1) || ldc < (n > 1 ? n : 1) ||
        alpha == NULL || beta == NULL)
        return BLAS_INVALID_VALUE;
    if (tiles * tiles > INT_MAX || k > INT_MAX)
        return BLAS_NOT_SUPPORTED;
    if (n == 0)
        return BLAS_SUCCESS;
    snprintf(name, sizeof name, "teg_cublas_%csyrk_%dx%d_%c",
             type == DATA_64F ? 'd' : 's', SYRK_TILE, SYRK_TILE,
             op == BLAS_N ? 'n' : 't');
    return (int)kernel_launch(
        b, KERNELS_TRIANGLE, name, &grid,
        &(struct product_args){.a = a,
                               .d = c,
                               .alpha = kernel_scale(b, alpha, type),
                               .beta = kernel_scale(b, beta, type),
                               .lda = lda,
                               .ldd = ldc,
                               .m = (int)n,
                               .n = (int)n,
                               .k = (int)k,
                               .slice = (int)k,
                               .slices = 1,
                               .scale = kernel_element(type),
                               .finish = upper});
}

#define INT      int
#define NAME(x)  x##_v2
#define PLAIN(x) x
#include "tools/cublas/triangle.inc"
#undef INT
#undef NAME
#undef PLAIN

#define INT      int64_t
#define NAME(x)  x##_v2_64
#define PLAIN(x) x##_64
#include "tools/cublas/triangle.inc"
