#include "tools/cusolver/solver.h"

#include <stdio.h>

#include "tools/cudart/say.h"

enum {
    ALIGNMENT = 256,
    PARTS_MOST = 65535, /* of a grid, in y */
    EACH = 4,           /* elements of a thread */
    BLAS_32F = 68,      /* cublasComputeType_t */
    BLAS_64F = 70,
};

/* cuBLAS's, which are teg's. */
int cublasGemmEx_64(void *, int op_a, int op_b, int64_t m, int64_t n, int64_t k,
                    const void *alpha, const void *a, int type_a, int64_t lda,
                    const void *b, int type_b, int64_t ldb, const void *beta,
                    void *c, int type_c, int64_t ldc, int compute,
                    int algorithm);
int cublasStrsm_v2_64(void *, int side, int upper, int op, int unit, int64_t m,
                      int64_t n, const void *alpha, const void *a, int64_t lda,
                      void *b, int64_t ldb);
int cublasDtrsm_v2_64(void *, int side, int upper, int op, int unit, int64_t m,
                      int64_t n, const void *alpha, const void *a, int64_t lda,
                      void *b, int64_t ldb);
int cublasSsyrk_v2_64(void *, int upper, int op, int64_t n, int64_t k,
                      const void *alpha, const void *a, int64_t lda,
                      const void *beta, void *c, int64_t ldc);
int cublasDsyrk_v2_64(void *, int upper, int op, int64_t n, int64_t k,
                      const void *alpha, const void *a, int64_t lda,
                      const void *beta, void *c, int64_t ldc);

/* Made by tools/make_kernels.sh. */
VENDOR_FATBIN(factor, "tools/cusolver/kernels/factor.fatbin")
VENDOR_FATBIN(eigen, "tools/cusolver/kernels/eigen.fatbin")
VENDOR_FATBIN(singular, "tools/cusolver/kernels/singular.fatbin")

/* ---- launches --------------------------------------------------------------------- */

int solver_launch(const struct solver *s, enum solver_kernels file,
                  const char *what, int type, int64_t x, int64_t y,
                  unsigned threads, unsigned shared, void *args)
{
    static const char whose[] =
        "teg's own kernels (teg_cusolver_...) stand for the library's; their "
        "times are their own, and but for a few factors compared with nothing "
        "(docs/exec.md)";
    static struct vendor_file files[KERNELS] = {
        [KERNELS_FACTOR] = {.library = "cuSOLVER", .fatbin = factor_fatbin},
        [KERNELS_EIGEN] = {.library = "cuSOLVER", .fatbin = eigen_fatbin},
        [KERNELS_SINGULAR] = {.library = "cuSOLVER", .fatbin = singular_fatbin},
    };
    const struct vendor_grid grid = {.x = (unsigned)x,
                                     .y = (unsigned)y,
                                     .z = 1,
                                     .threads = threads,
                                     .shared = shared};
    char name[64];

    if (x == 0 || y == 0)
        return SOLVER_SUCCESS;
    if (x > INT32_MAX || y > PARTS_MOST)
        return SOLVER_NOT_SUPPORTED;
    snprintf(name, sizeof name, "teg_cusolver_%c%s",
             type == DATA_64F ? 'd' : 's', what);
    switch (vendor_launch(&files[file], whose, name, &grid, s->stream, args)) {
    case VENDOR_OK:
        return SOLVER_SUCCESS;
    case VENDOR_NO_CODE:
        return SOLVER_ARCH_MISMATCH;
    default:
        return SOLVER_EXECUTION_FAILED;
    }
}

int solver_launch_each(const struct solver *s, const char *what, int type,
                       int64_t batch, int64_t all, void *args)
{
    int64_t blocks =
        (all + FACTOR_THREADS * EACH - 1) / (FACTOR_THREADS * EACH);

    return solver_launch(s, KERNELS_FACTOR, what, type, batch,
                         blocks < PARTS_MOST ? blocks : PARTS_MOST,
                         FACTOR_THREADS, 0, args);
}

int solver_factor(const struct solver *s, const char *what, int type,
                  int64_t batch, unsigned most, struct factor_args *args)
{
    const size_t bytes =
        ((size_t)args->m | 1) * (size_t)args->n * solver_bytes(type);

    args->staged = bytes <= FACTOR_SHARED;
    return solver_launch(s, KERNELS_FACTOR, what, type, batch, 1,
                         factor_threads(args->m, args->n, batch, most),
                         args->staged ? (unsigned)bytes : 0, args);
}

size_t solver_bytes(int type)
{
    return type == DATA_64F ? sizeof(double) : sizeof(float);
}

void *solver_at(int type, const void *p, int64_t elements)
{
    return (char *)p + elements * (int64_t)solver_bytes(type);
}

struct dense solver_dense(struct mat m)
{
    return (struct dense){.at = m.at, .row = 1, .column = m.ld};
}

struct mat solver_part(int type, struct mat m, int64_t row, int64_t column)
{
    return (struct mat){solver_at(type, m.at, row + column * m.ld), m.ld};
}

int solver_shape(const struct solver *s, int type, int64_t m, int64_t n,
                 struct mat from, struct mat to, int above, int diagonal,
                 int below)
{
    return solver_launch_each(s, "shape", type, 1, m * n,
                              &(struct shape_args){.from = solver_dense(from),
                                                   .to = solver_dense(to),
                                                   .m = (int)m,
                                                   .n = (int)n,
                                                   .above = above,
                                                   .diagonal = diagonal,
                                                   .below = below});
}

int solver_clear(const struct solver *s, void *at, size_t bytes)
{
    return at == NULL || bytes == 0 ||
                   cudaMemsetAsync(at, 0, bytes, s->stream) == 0
               ? SOLVER_SUCCESS
               : SOLVER_EXECUTION_FAILED;
}

int solver_fetch(const struct solver *s, void *to, const void *from,
                 size_t bytes)
{
    return cudaMemcpyAsync(to, from, bytes, COPY_DEVICE_TO_HOST, s->stream) ==
                       0 &&
                   cudaStreamSynchronize(s->stream) == 0
               ? SOLVER_SUCCESS
               : SOLVER_EXECUTION_FAILED;
}

/* ---- what a program brings for a call ------------------------------------------------- */

void *room_part(struct room *r, size_t bytes)
{
    char *at = r->at != NULL ? r->at + r->bytes : NULL;

    r->bytes += (bytes + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
    return at;
}

int room_elements(const struct room *r, int type, int *elements)
{
    size_t count = r->bytes / solver_bytes(type);

    if (count > INT32_MAX)
        return SOLVER_INVALID_VALUE;
    *elements = (int)count;
    return SOLVER_SUCCESS;
}

/* Nothing is wanted on the host. */
int room_bytes(const struct room *r, size_t *device, size_t *host)
{
    if (device == NULL || host == NULL)
        return SOLVER_INVALID_VALUE;
    *device = r->bytes;
    *host = 0;
    return SOLVER_SUCCESS;
}

int room_holds(const struct room *counted, const void *at, size_t bytes)
{
    return bytes >= counted->bytes && (at != NULL || counted->bytes == 0);
}

/* ---- products and triangles, by cuBLAS --------------------------------------------------- */

static int of_blas(int status)
{
    static const struct {
        int blas, solver;
    } of[] = {
        {0, SOLVER_SUCCESS},        {3, SOLVER_ALLOC_FAILED},
        {8, SOLVER_ARCH_MISMATCH},  {13, SOLVER_EXECUTION_FAILED},
        {15, SOLVER_NOT_SUPPORTED},
    };

    for (size_t i = 0; i < sizeof of / sizeof of[0]; i++) {
        if (of[i].blas == status)
            return of[i].solver;
    }
    return SOLVER_INTERNAL_ERROR;
}

/* A scale as a type has it. */
union scale {
    double d;
    float f;
};

static union scale scale_of(int type, double x)
{
    return type == DATA_64F ? (union scale){.d = x}
                            : (union scale){.f = (float)x};
}

int solver_multiply(const struct solver *s, int type, int op_a, int op_b,
                    int64_t m, int64_t n, int64_t k, double alpha, struct mat a,
                    struct mat b, double beta, struct mat c)
{
    union scale x = scale_of(type, alpha), y = scale_of(type, beta);

    if (m == 0 || n == 0)
        return SOLVER_SUCCESS;
    return of_blas(cublasGemmEx_64(s->blas, op_a, op_b, m, n, k, &x, a.at, type,
                                   a.ld, b.at, type, b.ld, &y, c.at, type, c.ld,
                                   type == DATA_64F ? BLAS_64F : BLAS_32F, -1));
}

int solver_triangle(const struct solver *s, int type, int side, int upper,
                    int op, int unit, int64_t m, int64_t n, struct mat a,
                    struct mat b)
{
    union scale one = scale_of(type, 1);

    return of_blas((type == DATA_64F ? cublasDtrsm_v2_64 : cublasStrsm_v2_64)(
        s->blas, side, upper, op, unit, m, n, &one, a.at, a.ld, b.at, b.ld));
}

int solver_square(const struct solver *s, int type, int upper, int op,
                  int64_t n, int64_t k, struct mat a, struct mat c)
{
    union scale minus = scale_of(type, -1), one = scale_of(type, 1);

    return of_blas((type == DATA_64F ? cublasDsyrk_v2_64 : cublasSsyrk_v2_64)(
        s->blas, upper, op, n, k, &minus, a.at, a.ld, &one, c.at, c.ld));
}

/* ---- checks ------------------------------------------------------------------------------ */

int is_matrix(int64_t m, int64_t n, int64_t ld)
{
    return m >= 0 && n >= 0 && m <= INT32_MAX && n <= INT32_MAX &&
           ld >= (m > 1 ? m : 1);
}

int type_is_known(const char *call, int type)
{
    if (type == DATA_32F || type == DATA_64F)
        return 1;
    runtime_say("", "%s: type %d (of cudaDataType) is not implemented", call,
                type);
    return 0;
}
