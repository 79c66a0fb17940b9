/* Entry points of cuBLAS: vectors, a matrix and a vector, copies of both. */
#include "tools/cublas/kernels/vector.h"
#include "tools/cublas/blas.h"
#include "tools/cublas/kernels.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "tools/cudart/say.h"

enum {
    THREADS = 256,
    BLOCKS_MOST = 512,
    ROWS_OF_GEMV = 32,
    GRID_Y_MAX = 65535,
    PARTS_BYTES = BLOCKS_MOST * (int)sizeof(struct vector_place),
    PLACE = -1, /* in place of a type: a whole number as wide as sizes are */
};

static const double one = 1; /* in place of a scale that no kernel reads */

static unsigned over(int64_t a, int64_t b, int64_t most)
{
    int64_t n = (a + b - 1) / b;

    return (unsigned)(n < most ? n : most);
}

/* What goes backwards begins at its end. */
static const void *start(const void *x, int64_t n, int64_t inc, int type)
{
    return inc < 0 && x != NULL
               ? (const char *)x + (1 - n) * inc * (int64_t)data_bytes(type)
               : x;
}

/* ---- element by element --------------------------------------------------------- */

static int elements(const struct blas *b, const char *kernel, int type,
                    const void *alpha, struct vector_args args)
{
    struct vendor_grid grid = {.x = over(args.n, THREADS, 1 << 20),
                             .y = 1,
                             .z = 1,
                             .threads = THREADS};

    if (b == NULL || alpha == NULL)
        return b == NULL ? BLAS_NOT_INITIALIZED : BLAS_INVALID_VALUE;
    if (args.n <= 0)
        return BLAS_SUCCESS;
    if (alpha != &one)
        args.alpha = kernel_scale(b, alpha, type);
    args.a = start(args.a, args.n, args.incx, type);
    args.x = (void *)start(args.x, args.n, args.incx, type);
    args.y = (void *)start(args.y, args.n, args.incy, type);
    return (int)kernel_launch(b, KERNELS_VECTOR, kernel, &grid, &args);
}

/* ---- results of a whole vector ---------------------------------------------------- */

struct result {
    const char *parts, *total; /* kernels */
    int type;                  /* of elements */
    int out;                   /* of the result; PLACE */
    void *to;                  /* on the host or the device */
    size_t place_bytes;        /* of PLACE */
};

/* Into the program's memory, which it may read when the call is done. */
static int deliver(const struct blas *b, void *to, const void *from,
                   size_t bytes)
{
    return cudaMemcpyAsync(to, from, bytes, COPY_DEVICE_TO_HOST, b->stream) !=
                       0 ||
                   cudaStreamSynchronize(b->stream) != 0
               ? BLAS_EXECUTION_FAILED
               : BLAS_SUCCESS;
}

/* Parts lie in the handle's workspace, and behind them the result that is for
 * the host. */
static int whole_of(const struct blas *b, const struct result *r,
                    struct vector_args args)
{
    struct vendor_grid grid = {.x = over(args.n, THREADS * 4, BLOCKS_MOST),
                             .y = 1,
                             .z = 1,
                             .threads = THREADS};
    size_t bytes = r->out == PLACE ? r->place_bytes : data_bytes(r->out);
    char *parts = b->own_workspace, *here = parts + PARTS_BYTES;
    int status;

    args.a = start(args.a, args.n, args.incx, r->type);
    args.y = (void *)start(args.y, args.n, args.incy, r->type);
    args.out = parts;
    status = (int)kernel_launch(b, KERNELS_VECTOR, r->parts, &grid, &args);
    if (status != BLAS_SUCCESS)
        return status;
    args.a = parts;
    args.parts = (int)grid.x;
    args.out = b->scalars_on_device ? r->to : here;
    args.out_type = r->out != PLACE       ? kernel_element(r->out)
                    : r->place_bytes == 8 ? PRODUCT_F64
                                          : PRODUCT_S32;
    grid.x = 1;
    status = (int)kernel_launch(b, KERNELS_VECTOR, r->total, &grid, &args);
    return status == BLAS_SUCCESS && !b->scalars_on_device
               ? deliver(b, r->to, here, bytes)
               : status;
}

/* Of no elements it is 0. */
static int whole(const struct blas *b, const struct result *r,
                 struct vector_args args)
{
    if (b == NULL || r->to == NULL)
        return b == NULL ? BLAS_NOT_INITIALIZED : BLAS_INVALID_VALUE;
    if (args.n <= 0 && !b->scalars_on_device) {
        memset(r->to, 0, r->out == PLACE ? r->place_bytes : data_bytes(r->out));
        return BLAS_SUCCESS;
    }
    if (args.n <= 0)
        args.n = 0;
    return whole_of(b, r, args);
}

static int dot_ex(const struct blas *b, struct vector_args args, int type_x,
                  int type_y, int type_result, int type_sum, void *result)
{
    static const struct {
        int type, sum;
        const char *parts, *total;
    } kinds[] = {
        {DATA_32F, DATA_32F, "teg_cublas_sdot", "teg_cublas_stotal"},
        {DATA_64F, DATA_64F, "teg_cublas_ddot", "teg_cublas_dtotal"},
        {DATA_16F, DATA_32F, "teg_cublas_hdot", "teg_cublas_stotal"},
        {DATA_16BF, DATA_32F, "teg_cublas_bdot", "teg_cublas_stotal"},
    };

    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (type_x == kinds[i].type && type_y == type_x &&
            type_result == type_x && type_sum == kinds[i].sum)
            return whole(b,
                         &(struct result){kinds[i].parts, kinds[i].total,
                                          type_x, type_result, result, 0},
                         args);
    }
    runtime_say("",
                "cublasDotEx: a product of vectors of %s and %s is not "
                "implemented",
                data_name(type_x), data_name(type_y));
    return BLAS_NOT_SUPPORTED;
}

/* ---- a matrix and a vector ---------------------------------------------------------- */

static int has_matrix(const struct vector_args *a, const void *alpha)
{
    return a->m >= 0 && a->n >= 0 && a->lda >= (a->m > 1 ? a->m : 1) &&
           a->incx != 0 && a->incy != 0 && alpha != NULL;
}

static int gemv(const struct blas *b, int op, const char *kernels, int type,
                const void *alpha, const void *beta, struct vector_args args)
{
    int64_t outs = op == 0 ? args.m : args.n, ins = op == 0 ? args.n : args.m;
    struct vendor_grid grid = {.x = op == 0 ? over(args.m, ROWS_OF_GEMV, INT_MAX)
                                          : over(args.n, 1, INT_MAX),
                             .y = 1,
                             .z = 1,
                             .threads = THREADS};
    char name[64];

    if (b == NULL)
        return BLAS_NOT_INITIALIZED;
    if (!has_matrix(&args, alpha) || beta == NULL || op < 0 || op > 2)
        return BLAS_INVALID_VALUE;
    if (args.m == 0 || args.n == 0)
        return BLAS_SUCCESS;
    snprintf(name, sizeof name, "%s%c", kernels, op == 0 ? 'n' : 't');
    args.alpha = kernel_scale(b, alpha, type);
    args.beta = kernel_scale(b, beta, type);
    args.x = (void *)start(args.x, ins, args.incx, type);
    args.y = (void *)start(args.y, outs, args.incy, type);
    return (int)kernel_launch(b, KERNELS_VECTOR, name, &grid, &args);
}

static int ger(const struct blas *b, const char *kernel, int type,
               const void *alpha, struct vector_args args)
{
    struct vendor_grid grid = {.x = over(args.m, THREADS, INT_MAX),
                             .y = over(args.n, 8, GRID_Y_MAX),
                             .z = 1,
                             .threads = THREADS};

    if (b == NULL)
        return BLAS_NOT_INITIALIZED;
    if (!has_matrix(&args, alpha))
        return BLAS_INVALID_VALUE;
    if (args.m == 0 || args.n == 0)
        return BLAS_SUCCESS;
    args.alpha = kernel_scale(b, alpha, type);
    args.x = (void *)start(args.x, args.m, args.incx, type);
    args.y = (void *)start(args.y, args.n, args.incy, type);
    return (int)kernel_launch(b, KERNELS_VECTOR, kernel, &grid, &args);
}

#define INT      int
#define NAME(x)  x##_v2
#define PLAIN(x) x
#include "tools/cublas/vector.inc"
#undef INT
#undef NAME
#undef PLAIN

#define INT      int64_t
#define NAME(x)  x##_v2_64
#define PLAIN(x) x##_64
#include "tools/cublas/vector.inc"

ALSO(cublasDotEx, cublasDotcEx);
ALSO(cublasDotEx_64, cublasDotcEx_64);

/* ---- copies -------------------------------------------------------------------------- */

/* Vectors are matrices of one row. */
static int copy(int64_t rows, int64_t columns, int64_t bytes, const void *from,
                int64_t from_ld, void *to, int64_t to_ld, int kind,
                void *stream)
{
    if (rows < 0 || columns < 0 || bytes <= 0 || from_ld < rows || to_ld < rows)
        return BLAS_INVALID_VALUE;
    if (rows == 0 || columns == 0)
        return BLAS_SUCCESS;
    return cudaMemcpy2DAsync(to, (size_t)(to_ld * bytes), from,
                             (size_t)(from_ld * bytes), (size_t)(rows * bytes),
                             (size_t)columns, kind, stream) == 0
               ? BLAS_SUCCESS
               : BLAS_MAPPING_ERROR;
}

#define COPIES(verb, kind)                                                    \
    CALL(cublas##verb##MatrixAsync, int rows, int columns, int bytes,         \
         const void *from, int from_ld, void *to, int to_ld, void *stream)    \
    {                                                                         \
        return copy(rows, columns, bytes, from, from_ld, to, to_ld, kind,     \
                    stream);                                                  \
    }                                                                         \
    CALL(cublas##verb##Matrix, int rows, int columns, int bytes,              \
         const void *from, int from_ld, void *to, int to_ld)                  \
    {                                                                         \
        int status =                                                          \
            copy(rows, columns, bytes, from, from_ld, to, to_ld, kind, NULL); \
                                                                              \
        return status == BLAS_SUCCESS && cudaStreamSynchronize(NULL) != 0     \
                   ? BLAS_MAPPING_ERROR                                       \
                   : status;                                                  \
    }                                                                         \
    CALL(cublas##verb##VectorAsync, int n, int bytes, const void *from,       \
         int from_inc, void *to, int to_inc, void *stream)                    \
    {                                                                         \
        return copy(n > 0, n, bytes, from, from_inc, to, to_inc, kind,        \
                    stream);                                                  \
    }                                                                         \
    CALL(cublas##verb##Vector, int n, int bytes, const void *from,            \
         int from_inc, void *to, int to_inc)                                  \
    {                                                                         \
        return cublas##verb##Matrix(n > 0, n, bytes, from, from_inc, to,      \
                                    to_inc);                                  \
    }
COPIES(Set, COPY_HOST_TO_DEVICE)
COPIES(Get, COPY_DEVICE_TO_HOST)
