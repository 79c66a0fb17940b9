#include "tools/cublas/product.h"
#include "tools/cublas/kernels.h"
#include "tools/vendor/map.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "tools/cudart/say.h"

enum {
    NAME_MAX_ = 64,
    GRID_Z_MAX = 65535,
    SLICE_LEAST = 256, /* of k that is worth a block of its own */
    SLICES_MOST = 32,
    ROWS_OF_SLICES = 256, /* that a block of teg_cublas_add_slices adds */
};

/* ---- which kernel ------------------------------------------------------------- */

/* What can be multiplied, and by which kernels. */
static const struct kind {
    int compute, ab, c, scale;
    const char *kernels;
    int fast; /* only where floats may be rounded to TF32 */
} kinds[] = {
    {BLAS_COMPUTE_32F, DATA_32F, DATA_32F, DATA_32F, "tf32", 1},
    {BLAS_COMPUTE_32F, DATA_32F, DATA_32F, DATA_32F, "s", 0},
    {BLAS_COMPUTE_64F, DATA_64F, DATA_64F, DATA_64F, "d", 0},
    {BLAS_COMPUTE_16F, DATA_16F, DATA_16F, DATA_16F, "h", 0},
    {BLAS_COMPUTE_32F, DATA_16F, DATA_16F, DATA_32F, "h", 0},
    {BLAS_COMPUTE_32F, DATA_16F, DATA_32F, DATA_32F, "h", 0},
    {BLAS_COMPUTE_32F, DATA_16BF, DATA_16BF, DATA_32F, "b", 0},
    {BLAS_COMPUTE_32F, DATA_16BF, DATA_32F, DATA_32F, "b", 0},
    {BLAS_COMPUTE_32I, DATA_8I, DATA_32I, DATA_32I, "i", 0},
};

/* Tiles of D by kernels: what an SM gets done of it beside the largest, and on
 * which generations there are any. */
static const struct tile {
    const char *kernels, *how; /* parts of their names */
    int m, n, threads;
    int line; /* bytes of shared memory for a row or column of the tile */
    double speed;
    int from, to;
    int mapped; /* a tensor map brings the operands */
} tiles[] = {
    {"s", "", 128, 128, 256, 0, 1.0, 0, INT_MAX, 0},
    {"s", "", 64, 64, 128, 0, 0.8, 0, INT_MAX, 0},
    {"s", "", 32, 32, 64, 0, 0.5, 0, INT_MAX, 0},
    {"d", "", 64, 64, 128, 0, 1.0, 0, INT_MAX, 0},
    {"i", "", 64, 64, 128, 0, 1.0, 0, INT_MAX, 0},
    {"h", "_wgmma", 256, 128, 288, 4 * 128, 2.0, 90, 91, 1},
    {"h", "_wgmma", 128, 128, 288, 3 * 128, 1.7, 90, 91, 1},
    {"h", "", 128, 128, 128, 3 * 64, 1.0, 80, INT_MAX, 0},
    {"h", "", 64, 64, 128, 3 * 64, 0.6, 80, INT_MAX, 0},
    {"h", "", 128, 128, 128, 2 * 64, 1.0, 0, 80, 0},
    {"h", "", 64, 64, 128, 2 * 64, 0.6, 0, 80, 0},
    {"b", "_wgmma", 256, 128, 288, 4 * 128, 2.0, 90, 91, 1},
    {"b", "_wgmma", 128, 128, 288, 3 * 128, 1.7, 90, 91, 1},
    {"b", "", 128, 128, 128, 3 * 64, 1.0, 80, INT_MAX, 0},
    {"b", "", 64, 64, 128, 3 * 64, 0.6, 80, INT_MAX, 0},
    {"b", "", 64, 64, 128, 0, 1.0, 0, 80, 0},
    {"tf32", "", 128, 128, 128, 3 * 64, 1.0, 80, INT_MAX, 0},
    {"tf32", "", 64, 64, 128, 3 * 64, 0.6, 80, INT_MAX, 0},
};

/* What is launched for a product. */
struct plan {
    const struct kind *kind;
    const struct tile *tile;
    int64_t tiles; /* of one D */
    int slices;    /* of k */
};

static int64_t over(int64_t a, int64_t b)
{
    return (a + b - 1) / b;
}

static int has_tiles(const char *kernels)
{
    int generation = vendor_device()->generation;

    for (size_t i = 0; i < sizeof tiles / sizeof tiles[0]; i++) {
        if (strcmp(tiles[i].kernels, kernels) == 0 &&
            generation >= tiles[i].from && generation < tiles[i].to)
            return 1;
    }
    return 0;
}

/* Pedantic or fast ways to compute are the plain one; `*fast` in which floats
 * may be rounded. */
static int plain_compute(int compute, int math, int *fast)
{
    *fast = 0;
    switch (compute) {
    case BLAS_COMPUTE_32F:
        *fast = math % BLAS_MATH_FLAGS == BLAS_MATH_TF32;
        return compute;
    case BLAS_COMPUTE_32F_FAST_16F:
    case BLAS_COMPUTE_32F_FAST_16BF:
    case BLAS_COMPUTE_32F_FAST_TF32:
        *fast = 1;
        return BLAS_COMPUTE_32F;
    default:
        return compute & ~BLAS_PEDANTIC;
    }
}

static const struct kind *kind_of(const struct blas *b, const struct product *p)
{
    int fast, compute = plain_compute(p->compute, b->math, &fast);

    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        const struct kind *k = &kinds[i];

        if (k->compute == compute && k->ab == p->a.type && k->ab == p->b.type &&
            k->c == p->c.type && k->c == p->d.type &&
            (p->scale_type < 0 || k->scale == p->scale_type) &&
            (!k->fast || fast) && has_tiles(k->kernels))
            return k;
    }
    return NULL;
}

/* What a tensor map asks of a matrix. */
static int has_map(const struct product_matrix *x, int64_t batch)
{
    int64_t bytes = (int64_t)data_bytes(x->type);

    return (uintptr_t)x->data % 16 == 0 && x->ld * bytes % 16 == 0 &&
           (batch == 1 || (x->stride > 0 && x->stride * bytes % 16 == 0));
}

static int can_be_mapped(const struct product *p)
{
    return !p->arrays && p->k > 0 && has_map(&p->a, p->batch) &&
           has_map(&p->b, p->batch);
}

/* The tile by which the busiest SM is done first: it has as many tiles as the
 * others or one more, each of which takes by its size and speed. */
static const struct tile *tile_of(const char *kernels, const struct product *p,
                                  int sms)
{
    const struct tile *best = NULL;
    int generation = vendor_device()->generation;
    double best_time = 0;

    for (size_t i = 0; i < sizeof tiles / sizeof tiles[0]; i++) {
        const struct tile *t = &tiles[i];
        int64_t blocks = over(p->m, t->m) * over(p->n, t->n) * p->batch;
        double time = (double)over(blocks, sms) * t->m * t->n / t->speed;

        if (strcmp(t->kernels, kernels) != 0 || generation < t->from ||
            generation >= t->to || (t->mapped && !can_be_mapped(p)))
            continue;
        if (best == NULL || time < best_time) {
            best = t;
            best_time = time;
        }
    }
    return best;
}

/* In how many slices k is added up, so that every SM has a block: their sums
 * have to fit the workspace. */
static int slices_of(const struct blas *b, const struct product *p,
                     const struct plan *plan, int sms)
{
    int64_t blocks = plan->tiles * p->batch;
    int64_t slices = sms / blocks;
    int64_t sums = p->m * p->n * p->batch * (int64_t)sizeof(float);

    if (slices > p->k / SLICE_LEAST)
        slices = p->k / SLICE_LEAST;
    if (slices > SLICES_MOST)
        slices = SLICES_MOST;
    if (slices > (int64_t)b->workspace_bytes / sums)
        slices = (int64_t)b->workspace_bytes / sums;
    if (slices < 2 || p->arrays || b->workspace == NULL ||
        plan->kind->compute == BLAS_COMPUTE_64F ||
        plan->kind->compute == BLAS_COMPUTE_32I)
        return 1;
    return (int)slices;
}

static struct plan plan_of(const struct blas *b, const struct product *p,
                           const struct kind *kind)
{
    int sms = vendor_device()->sms;
    struct plan plan = {.kind = kind};

    if (b->sm_target > 0 && b->sm_target < sms)
        sms = b->sm_target;
    plan.tile = tile_of(kind->kernels, p, sms);
    plan.tiles = over(p->m, plan.tile->m) * over(p->n, plan.tile->n);
    plan.slices = slices_of(b, p, &plan, sms);
    return plan;
}

/* ---- checks ------------------------------------------------------------------- */

static int is_operation(int op)
{
    return op == BLAS_N || op == BLAS_T || op == BLAS_C;
}

/* Columns have to hold the matrix's rows. */
static int holds(const struct product_matrix *x, int64_t rows)
{
    return x->ld >= (rows > 1 ? rows : 1);
}

static int has_sizes(const struct product *p)
{
    return p->m >= 0 && p->n >= 0 && p->k >= 0 && p->batch >= 0 &&
           is_operation(p->op_a) && is_operation(p->op_b) &&
           holds(&p->a, p->op_a == BLAS_N ? p->m : p->k) &&
           holds(&p->b, p->op_b == BLAS_N ? p->k : p->n) &&
           holds(&p->c, p->m) && holds(&p->d, p->m) && p->alpha != NULL &&
           p->beta != NULL;
}

static void say_lack(const struct product *p)
{
    runtime_say("",
                "%s: a product of %s and %s into %s by computation %d (of "
                "cublasComputeType_t) is not implemented for sm_%d",
                p->name, data_name(p->a.type), data_name(p->b.type),
                data_name(p->d.type), p->compute, vendor_device()->generation);
}

enum blas_status product_check(const struct blas *b, const struct product *p)
{
    if (!has_sizes(p))
        return BLAS_INVALID_VALUE;
    if (p->m > INT_MAX || p->n > INT_MAX || p->k > INT_MAX ||
        p->batch > INT_MAX || kind_of(b, p) == NULL) {
        say_lack(p);
        return BLAS_NOT_SUPPORTED;
    }
    return BLAS_SUCCESS;
}

/* ---- launches ----------------------------------------------------------------- */

/* Boxes of 64 numbers that lie side by side: of k and all rows of a tile, or of
 * rows and 64 of k.  0: it cannot be. */
static int map_operand(struct product_map *map, const struct product_matrix *x,
                       int has_rows, int64_t rows, int64_t k, int tile,
                       int64_t batch)
{
    const int64_t bytes = (int64_t)data_bytes(x->type);
    const struct vendor_tensor t = {
        .type = kernel_element(x->type),
        .rank = 3,
        .data = x->data,
        .size = {(uint64_t)(has_rows ? rows : k),
                 (uint64_t)(has_rows ? k : rows), (uint64_t)batch},
        .stride = {(uint64_t)(x->ld * bytes),
                   (uint64_t)((batch > 1 ? x->stride : x->ld) * bytes)},
        .box = {64, has_rows ? 64 : (unsigned)tile, 1}};

    return vendor_map_boxes(map, &t);
}

/* A kernel and its launch. */
struct launch {
    char name[NAME_MAX_];
    struct vendor_grid grid;
    const struct product_map *map; /* of both operands; NULL: none */
};

/* A launch has only so many blocks in z: batches and their slices. */
static enum blas_status launch_batches(const struct blas *b,
                                       const struct launch *l,
                                       struct product_args *args, int64_t batch,
                                       int slices)
{
    int64_t most = GRID_Z_MAX / slices;
    struct product_mapped mapped;
    struct vendor_grid grid = l->grid;
    enum blas_status status = BLAS_SUCCESS;

    for (int64_t first = 0; first < batch && status == BLAS_SUCCESS;
         first += most) {
        int64_t count = batch - first < most ? batch - first : most;

        args->first = (int)first;
        grid.z = (unsigned)(count * slices);
        if (l->map == NULL) {
            status = kernel_launch(b, KERNELS_PRODUCT, l->name, &grid, args);
        } else {
            mapped = (struct product_mapped){l->map[0], l->map[1], *args};
            status = kernel_launch(b, KERNELS_HOPPER, l->name, &grid, &mapped);
        }
    }
    return status;
}

static enum blas_status launch_slices(const struct blas *b,
                                      struct product_args *args,
                                      const struct product *p)
{
    const struct launch l = {
        .name = "teg_cublas_add_slices",
        .grid = {.x = (unsigned)over(p->m, ROWS_OF_SLICES),
                 .y = (unsigned)(p->n < GRID_Z_MAX ? p->n : GRID_Z_MAX),
                 .threads = ROWS_OF_SLICES / 4},
    };

    args->a = b->workspace;
    return launch_batches(b, &l, args, p->batch, 1);
}

static enum blas_status launch(const struct blas *b, const struct product *p,
                               const struct kind *kind)
{
    const struct plan plan = plan_of(b, p, kind);
    const struct tile *t = plan.tile;
    struct product_args args = {
        .a = p->a.data,
        .b = p->b.data,
        .c = p->c.data,
        .d = (void *)p->d.data,
        .bias = p->bias,
        .alpha = kernel_scale(b, p->alpha, kind->scale),
        .beta = kernel_scale(b, p->beta, kind->scale),
        .lda = p->a.ld,
        .ldb = p->b.ld,
        .ldc = p->c.ld,
        .ldd = p->d.ld,
        .stride_a = p->a.stride,
        .stride_b = p->b.stride,
        .stride_c = p->c.stride,
        .stride_d = p->d.stride,
        .m = (int)p->m,
        .n = (int)p->n,
        .k = (int)p->k,
        .slice = (int)p->k,
        .slices = 1,
        .arrays = p->arrays,
        .out = kernel_element(p->d.type),
        .scale = kernel_element(kind->scale),
        .bias_type = kernel_element(p->bias_type),
        .finish = p->finish,
    };
    struct product_args part = args;
    struct product_map map[2];
    struct launch l = {
        .grid = {.x = (unsigned)plan.tiles,
                 .y = 1,
                 .threads = (unsigned)t->threads,
                 .shared = (unsigned)(t->line * (t->m + t->n))},
    };
    enum blas_status status;

    snprintf(l.name, sizeof l.name, "teg_cublas_%sgemm%s_%dx%d_%c%c",
             t->kernels, t->how, t->m, t->n, p->op_a == BLAS_N ? 'n' : 't',
             p->op_b == BLAS_N ? 'n' : 't');
    if (t->mapped) {
        l.map = map;
        l.grid.shared += PRODUCT_MAPPED_SHARED;
        if (!map_operand(&map[0], &p->a, p->op_a == BLAS_N, p->m, p->k, t->m,
                         p->batch) ||
            !map_operand(&map[1], &p->b, p->op_b != BLAS_N, p->n, p->k, t->n,
                         p->batch))
            return BLAS_INTERNAL_ERROR;
    }
    if (plan.slices == 1)
        return launch_batches(b, &l, &args, p->batch, 1);
    /* Every slice a whole number of the kernel's steps in k. */
    args.slices = part.slices = plan.slices;
    part.slice = (int)over(over(p->k, plan.slices), 64) * 64;
    part.c = part.d = b->workspace;
    part.ldc = part.ldd = p->m;
    part.stride_c = 0;
    part.stride_d = p->m * p->n;
    part.alpha = (struct product_scale){.value.f = 1};
    part.beta = (struct product_scale){.value.f = 0};
    part.out = PRODUCT_F32;
    part.finish = 0;
    status = launch_batches(b, &l, &part, p->batch, plan.slices);
    return status == BLAS_SUCCESS ? launch_slices(b, &args, p) : status;
}

enum blas_status product_launch(const struct blas *b, const struct product *p)
{
    enum blas_status status = product_check(b, p);

    if (status != BLAS_SUCCESS || p->m == 0 || p->n == 0 || p->batch == 0)
        return status;
    return launch(b, p, kind_of(b, p));
}
