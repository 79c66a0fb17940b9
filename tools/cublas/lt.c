/*
 * Entry points of cuBLASLt: a product whose matrices, types and last steps are
 * described by objects with attributes.
 */
#include "tools/cublas/kernels.h"
#include "tools/vendor/kernels/product.h"
#include "tools/cublas/product.h"

#include <stdlib.h>
#include <string.h>

#include "tools/cudart/say.h"

enum {
    ORDER_COLUMNS = 0, /* columns lie side by side */
    EPILOGUE_DEFAULT = 1,
    EPILOGUE_RELU = 2,
    EPILOGUE_BIAS = 4,
    EPILOGUE_GELU = 32,
    AS_D = -1, /* the bias is of D's type */
};

/* ---- objects with attributes -------------------------------------------------------- */

/* As large as the program's own ones, or smaller. */
struct lt_layout {
    int type, order;
    uint64_t rows, columns;
    int64_t ld;
    int batch, batch_mode;
    int64_t stride, plane;
};
_Static_assert(sizeof(struct lt_layout) <= 64, "room in the program");

struct lt_operation {
    int compute, scale_type, pointer_mode;
    int op_a, op_b, op_c;
    int epilogue, bias_type, sm_target, fast_sums;
    void *bias;
    int64_t bias_stride;
    void *scale_a, *scale_b, *scale_c, *scale_d, *largest;
    void *aux;
    int64_t aux_ld, aux_stride;
    int aux_type, fill;
    int scale_mode[4];
};
_Static_assert(sizeof(struct lt_operation) <= 23 * 8, "room in CUDA 12's");

struct lt_preference {
    int search;
    uint64_t workspace_bytes;
    uint32_t reductions;
    uint32_t alignment[4];
    float waves;
    uint64_t implementations;
};
_Static_assert(sizeof(struct lt_preference) <= 64, "room in the program");

/* An attribute is a field. */
struct attribute {
    int number;
    size_t at, bytes;
};
#define ATTRIBUTE(number, object, field)                 \
    {                                                    \
        number, offsetof(struct lt_##object, field),     \
            sizeof(((struct lt_##object *)NULL)->field), \
    }

static const struct attribute layout_attributes[] = {
    ATTRIBUTE(0, layout, type),       ATTRIBUTE(1, layout, order),
    ATTRIBUTE(2, layout, rows),       ATTRIBUTE(3, layout, columns),
    ATTRIBUTE(4, layout, ld),         ATTRIBUTE(5, layout, batch),
    ATTRIBUTE(6, layout, stride),     ATTRIBUTE(7, layout, plane),
    ATTRIBUTE(8, layout, batch_mode), {-1, 0, 0},
};

static const struct attribute operation_attributes[] = {
    ATTRIBUTE(0, operation, compute),
    ATTRIBUTE(1, operation, scale_type),
    ATTRIBUTE(2, operation, pointer_mode),
    ATTRIBUTE(3, operation, op_a),
    ATTRIBUTE(4, operation, op_b),
    ATTRIBUTE(5, operation, op_c),
    ATTRIBUTE(6, operation, fill),
    ATTRIBUTE(7, operation, epilogue),
    ATTRIBUTE(8, operation, bias),
    ATTRIBUTE(10, operation, bias_stride),
    ATTRIBUTE(11, operation, aux),
    ATTRIBUTE(12, operation, aux_ld),
    ATTRIBUTE(13, operation, aux_stride),
    ATTRIBUTE(15, operation, sm_target),
    ATTRIBUTE(17, operation, scale_a),
    ATTRIBUTE(18, operation, scale_b),
    ATTRIBUTE(19, operation, scale_c),
    ATTRIBUTE(20, operation, scale_d),
    ATTRIBUTE(21, operation, largest),
    ATTRIBUTE(22, operation, aux_type),
    ATTRIBUTE(25, operation, fast_sums),
    ATTRIBUTE(26, operation, bias_type),
    ATTRIBUTE(31, operation, scale_mode[0]),
    ATTRIBUTE(32, operation, scale_mode[1]),
    ATTRIBUTE(33, operation, scale_mode[2]),
    ATTRIBUTE(34, operation, scale_mode[3]),
    {-1, 0, 0},
};

static const struct attribute preference_attributes[] = {
    ATTRIBUTE(0, preference, search),
    ATTRIBUTE(1, preference, workspace_bytes),
    ATTRIBUTE(3, preference, reductions),
    ATTRIBUTE(5, preference, alignment[0]),
    ATTRIBUTE(6, preference, alignment[1]),
    ATTRIBUTE(7, preference, alignment[2]),
    ATTRIBUTE(8, preference, alignment[3]),
    ATTRIBUTE(9, preference, waves),
    ATTRIBUTE(12, preference, implementations),
    {-1, 0, 0},
};

static const struct attribute *find(const struct attribute *a, int number)
{
    for (; a->number >= 0; a++) {
        if (a->number == number)
            return a;
    }
    return NULL;
}

/* Some are one byte in newer programs (CUBLASLT_..._FAST_ACCUM). */
static int set(const struct attribute *all, void *object, int number,
               const void *from, size_t bytes)
{
    const struct attribute *a = find(all, number);

    if (object == NULL || from == NULL || a == NULL || bytes == 0 ||
        bytes > a->bytes)
        return BLAS_INVALID_VALUE;
    memset((char *)object + a->at, 0, a->bytes);
    memcpy((char *)object + a->at, from, bytes);
    return BLAS_SUCCESS;
}

static int get(const struct attribute *all, const void *object, int number,
               void *to, size_t bytes, size_t *written)
{
    const struct attribute *a = find(all, number);

    if (object == NULL || a == NULL || (to == NULL && bytes != 0) ||
        (bytes == 0 && written == NULL))
        return BLAS_INVALID_VALUE;
    if (written != NULL)
        *written = a->bytes;
    if (bytes != 0 && bytes < a->bytes)
        return BLAS_INVALID_VALUE;
    if (bytes != 0)
        memcpy(to, (const char *)object + a->at, a->bytes);
    return BLAS_SUCCESS;
}

/* Create, destroy, set and get of one kind of object. */
#define OBJECT(name, object)                                              \
    CALL(cublasLt##name##Destroy, struct lt_##object *o)                  \
    {                                                                     \
        free(o);                                                          \
        return BLAS_SUCCESS;                                              \
    }                                                                     \
    CALL(cublasLt##name##SetAttribute, struct lt_##object *o, int number, \
         const void *from, size_t bytes)                                  \
    {                                                                     \
        return set(object##_attributes, o, number, from, bytes);          \
    }                                                                     \
    CALL(cublasLt##name##GetAttribute, const struct lt_##object *o,       \
         int number, void *to, size_t bytes, size_t *written)             \
    {                                                                     \
        return get(object##_attributes, o, number, to, bytes, written);   \
    }
OBJECT(MatrixLayout, layout)
OBJECT(MatmulDesc, operation)
OBJECT(MatmulPreference, preference)

/* One that the program has room for, or a new one. */
static int place(void *object, size_t room, const void *as, size_t bytes)
{
    if (object == NULL || room < bytes)
        return BLAS_INVALID_VALUE;
    memcpy(object, as, bytes);
    return BLAS_SUCCESS;
}

static int make(void **out, const void *as, size_t bytes)
{
    if (out == NULL)
        return BLAS_INVALID_VALUE;
    *out = malloc(bytes);
    return *out != NULL ? place(*out, bytes, as, bytes) : BLAS_ALLOC_FAILED;
}

CALL(cublasLtMatrixLayoutInit_internal, void *o, size_t room, int type,
     uint64_t rows, uint64_t columns, int64_t ld)
{
    struct lt_layout l = {
        .type = type, .rows = rows, .columns = columns, .ld = ld, .batch = 1};

    return place(o, room, &l, sizeof l);
}

CALL(cublasLtMatrixLayoutCreate, void **out, int type, uint64_t rows,
     uint64_t columns, int64_t ld)
{
    struct lt_layout l;

    cublasLtMatrixLayoutInit_internal(&l, sizeof l, type, rows, columns, ld);
    return make(out, &l, sizeof l);
}

CALL(cublasLtMatmulDescInit_internal, void *o, size_t room, int compute,
     int scale_type)
{
    struct lt_operation d = {.compute = compute,
                             .scale_type = scale_type,
                             .epilogue = EPILOGUE_DEFAULT,
                             .bias_type = AS_D};

    return place(o, room, &d, sizeof d);
}

CALL(cublasLtMatmulDescCreate, void **out, int compute, int scale_type)
{
    struct lt_operation d;

    cublasLtMatmulDescInit_internal(&d, sizeof d, compute, scale_type);
    return make(out, &d, sizeof d);
}

CALL(cublasLtMatmulPreferenceInit_internal, void *o, size_t room)
{
    const struct lt_preference p = {0};

    return place(o, room, &p, sizeof p);
}

CALL(cublasLtMatmulPreferenceCreate, void **out)
{
    const struct lt_preference p = {0};

    return make(out, &p, sizeof p);
}

/* ---- products ------------------------------------------------------------------- */

/* What it is multiplied by, and how. */
struct lt_matmul {
    const struct lt_operation *op;
    const struct lt_layout *a, *b, *c, *d;
};

static struct product_matrix matrix_of(const void *data,
                                       const struct lt_layout *l)
{
    return (struct product_matrix){data, l->type, l->ld, l->stride};
}

/* Shapes that agree. */
static int agrees(const struct lt_matmul *x, const struct product *p)
{
    uint64_t k = p->op_b == BLAS_N ? x->b->rows : x->b->columns;
    uint64_t m = p->op_a == BLAS_N ? x->a->rows : x->a->columns;
    uint64_t n = p->op_b == BLAS_N ? x->b->columns : x->b->rows;

    return k == (uint64_t)p->k && m == x->d->rows && n == x->d->columns &&
           x->c->rows == x->d->rows && x->c->columns == x->d->columns &&
           x->a->batch == x->d->batch && x->b->batch == x->d->batch &&
           x->c->batch == x->d->batch;
}

static int finish_of(const struct lt_operation *op)
{
    return (op->epilogue & EPILOGUE_BIAS ? PRODUCT_BIAS : 0) |
           (op->epilogue & EPILOGUE_RELU ? PRODUCT_RELU : 0) |
           (op->epilogue & EPILOGUE_GELU ? PRODUCT_GELU : 0);
}

/* The first thing of a product that there is nothing for; NULL: none. */
static const char *lack_of(const struct lt_matmul *x)
{
    const int known =
        EPILOGUE_DEFAULT | EPILOGUE_RELU | EPILOGUE_BIAS | EPILOGUE_GELU;
    const struct {
        int lacks;
        const char *what;
    } of[] = {
        {(x->op->epilogue & ~known) != 0, "this epilogue"},
        {x->op->pointer_mode > 1, "a vector of alphas"},
        {x->op->op_c != BLAS_N, "a transposed C"},
        {x->op->bias != NULL && x->op->bias_stride != 0,
         "a bias for each of a batch"},
        {x->a->order != ORDER_COLUMNS || x->b->order != ORDER_COLUMNS ||
             x->c->order != ORDER_COLUMNS || x->d->order != ORDER_COLUMNS,
         "another order than by columns"},
        {x->a->batch_mode != 0 || x->d->batch_mode != 0, "a batch of pointers"},
    };

    for (size_t i = 0; i < sizeof of / sizeof of[0]; i++) {
        if (of[i].lacks)
            return of[i].what;
    }
    return NULL;
}

/* The product; data and scales are left out.  Says what is not there. */
static int describe(const struct lt_matmul *x, struct product *p)
{
    const struct lt_operation *op = x->op;
    const char *lack;

    if (op == NULL || x->a == NULL || x->b == NULL || x->c == NULL ||
        x->d == NULL)
        return BLAS_INVALID_VALUE;
    *p = (struct product){
        .name = "cublasLtMatmul",
        .op_a = op->op_a,
        .op_b = op->op_b,
        .m = (int64_t)x->d->rows,
        .n = (int64_t)x->d->columns,
        .k = (int64_t)(op->op_a == BLAS_N ? x->a->columns : x->a->rows),
        .batch = x->d->batch,
        .compute = op->compute,
        .scale_type = op->scale_type,
        .a = matrix_of(NULL, x->a),
        .b = matrix_of(NULL, x->b),
        .c = matrix_of(NULL, x->c),
        .d = matrix_of(NULL, x->d),
        .finish = finish_of(op),
        .bias = op->bias,
        .bias_type = op->bias_type == AS_D ? x->d->type : op->bias_type,
    };
    if (!agrees(x, p) || (p->finish & PRODUCT_BIAS && op->epilogue == 0))
        return BLAS_INVALID_VALUE;
    lack = lack_of(x);
    if (lack == NULL)
        return BLAS_SUCCESS;
    runtime_say("", "cublasLtMatmul: %s is not implemented", lack);
    return BLAS_NOT_SUPPORTED;
}

/* What cublasLtMatmulAlgoGetHeuristic tells of a way to compute. */
struct lt_algorithm {
    uint64_t data[8];
};

struct lt_result {
    struct lt_algorithm algorithm;
    size_t workspace_bytes;
    int status;
    float waves;
    int reserved[4];
};

/* There is one way; which kernel it is follows from the product. */
CALL(cublasLtMatmulAlgoGetHeuristic, const struct blas *b,
     const struct lt_operation *op, const struct lt_layout *la,
     const struct lt_layout *lb, const struct lt_layout *lc,
     const struct lt_layout *ld, const struct lt_preference *preference,
     int wanted, struct lt_result *result, int *count)
{
    static const double some;
    struct product p;
    int status;

    if (b == NULL)
        return BLAS_NOT_INITIALIZED;
    if (wanted < 1 || result == NULL || count == NULL)
        return BLAS_INVALID_VALUE;
    *count = 0;
    status = describe(&(struct lt_matmul){op, la, lb, lc, ld}, &p);
    if (status != BLAS_SUCCESS)
        return status;
    p.alpha = p.beta = &some;
    status = (int)product_check(b, &p);
    if (status != BLAS_SUCCESS)
        return status;
    memset(result, 0, sizeof *result);
    result->workspace_bytes =
        preference != NULL ? preference->workspace_bytes : 0;
    result->waves = 1;
    *count = 1;
    return BLAS_SUCCESS;
}

CALL(cublasLtMatmulAlgoCheck, const struct blas *b,
     const struct lt_operation *op, const struct lt_layout *la,
     const struct lt_layout *lb, const struct lt_layout *lc,
     const struct lt_layout *ld, const struct lt_algorithm *algorithm,
     struct lt_result *result)
{
    int count;

    if (algorithm == NULL)
        return BLAS_INVALID_VALUE;
    return cublasLtMatmulAlgoGetHeuristic(b, op, la, lb, lc, ld, NULL, 1,
                                          result, &count);
}

CALL(cublasLtMatmul, const struct blas *b, const struct lt_operation *op,
     const void *alpha, const void *x, const struct lt_layout *la,
     const void *y, const struct lt_layout *lb, const void *beta, const void *c,
     const struct lt_layout *lc, void *d, const struct lt_layout *ld,
     const struct lt_algorithm *algorithm, void *workspace, size_t bytes,
     void *stream)
{
    struct blas call;
    struct product p;
    int status;

    (void)algorithm;
    if (b == NULL)
        return BLAS_NOT_INITIALIZED;
    status = describe(&(struct lt_matmul){op, la, lb, lc, ld}, &p);
    if (status != BLAS_SUCCESS)
        return status;
    p.alpha = alpha;
    p.beta = beta;
    p.a.data = x;
    p.b.data = y;
    p.c.data = c;
    p.d.data = d;
    call = (struct blas){.stream = stream,
                         .scalars_on_device = op->pointer_mode == 1,
                         .sm_target = op->sm_target,
                         .workspace = workspace,
                         .workspace_bytes = workspace != NULL ? bytes : 0};
    return (int)product_launch(&call, &p);
}
