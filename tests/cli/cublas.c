/*
 * A program that calls cuBLAS, linked with a library of its name whose
 * functions all fail: what it computes is teg's (tests/cli/cublas.sh).
 * Argument: which test; the exit status is 0 if it holds.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/cli/vendor.h"

/* The API's, of which only what is needed. */
int cudaPeekAtLastError(void);
int cublasCreate_v2(void **b);
int cublasDestroy_v2(void *b);
int cublasSetStream_v2(void *b, void *stream);
int cublasGetStream_v2(void *b, void **stream);
int cublasSetPointerMode_v2(void *b, int mode);
int cublasSetMathMode(void *b, int mode);
int cublasGetMathMode(void *b, int *mode);
int cublasSgemm_v2(void *b, int op_a, int op_b, int m, int n, int k,
                   const float *alpha, const float *x, int ldx, const float *y,
                   int ldy, const float *beta, float *z, int ldz);
int cublasGemmEx(void *b, int op_a, int op_b, int m, int n, int k,
                 const void *alpha, const void *x, int type_x, int ldx,
                 const void *y, int type_y, int ldy, const void *beta, void *z,
                 int type_z, int ldz, int compute, int algorithm);
int cublasGemmStridedBatchedEx(void *b, int op_a, int op_b, int m, int n, int k,
                               const void *alpha, const void *x, int type_x,
                               int ldx, long long sx, const void *y, int type_y,
                               int ldy, long long sy, const void *beta, void *z,
                               int type_z, int ldz, long long sz, int count,
                               int compute, int algorithm);
int cublasGemmBatchedEx(void *b, int op_a, int op_b, int m, int n, int k,
                        const void *alpha, const void *x, int type_x, int ldx,
                        const void *y, int type_y, int ldy, const void *beta,
                        void *z, int type_z, int ldz, int count, int compute,
                        int algorithm);
int cublasSsymm_v2(void *b, int side, int part, int m, int n,
                   const float *alpha, const float *x, int ldx, const float *y,
                   int ldy, const float *beta, float *z, int ldz);
int cublasDaxpy_v2(void *b, int n, const double *alpha, const double *x,
                   int incx, double *y, int incy);
int cublasDscal_v2(void *b, int n, const double *alpha, double *x, int incx);
int cublasDswap_v2(void *b, int n, double *x, int incx, double *y, int incy);
int cublasDcopy_v2(void *b, int n, const double *x, int incx, double *y,
                   int incy);
int cublasDdot_v2(void *b, int n, const double *x, int incx, const double *y,
                  int incy, double *result);
int cublasDnrm2_v2(void *b, int n, const double *x, int incx, double *result);
int cublasDasum_v2(void *b, int n, const double *x, int incx, double *result);
int cublasIdamax_v2(void *b, int n, const double *x, int incx, int *result);
int cublasIdamin_v2(void *b, int n, const double *x, int incx, int *result);
int cublasDgemv_v2(void *b, int op, int m, int n, const double *alpha,
                   const double *a, int lda, const double *x, int incx,
                   const double *beta, double *y, int incy);
int cublasDger_v2(void *b, int m, int n, const double *alpha, const double *x,
                  int incx, const double *y, int incy, double *a, int lda);
int cublasSetMatrix(int rows, int columns, int bytes, const void *from, int ldf,
                    void *to, int ldt);
int cublasGetVector(int n, int bytes, const void *from, int incf, void *to,
                    int inct);
const char *cublasGetStatusName(int status);
int cublasLtMatmulDescCreate(void **d, int compute, int scale);
int cublasLtMatmulDescSetAttribute(void *d, int which, const void *from,
                                   size_t bytes);
int cublasLtMatrixLayoutCreate(void **l, int type, uint64_t rows,
                               uint64_t columns, int64_t ld);
int cublasLtMatmulAlgoGetHeuristic(void *b, void *d, void *x, void *y, void *z,
                                   void *to, void *preference, int wanted,
                                   void *result, int *count);
int cublasLtMatmul(void *b, void *d, const void *alpha, const void *x, void *lx,
                   const void *y, void *ly, const void *beta, const void *z,
                   void *lz, void *to, void *lto, const void *algorithm,
                   void *workspace, size_t bytes, void *stream);

enum {
    F32 = 0,
    F64 = 1,
    F16 = 2,
    S8 = 3,
    S32 = 10,
    BF16 = 14,
    E4M3 = 28,
    COMPUTE_16F = 64,
    COMPUTE_32F = 68,
    COMPUTE_64F = 70,
    COMPUTE_32I = 72,
    COMPUTE_TF32 = 77,
    INVALID_VALUE = 7,
    NOT_INITIALIZED = 1,
    NOT_SUPPORTED = 15,
    BATCH = 3,
};

static void *blas;

/* Memory that stays until the end. */
static void *room(size_t bytes)
{
    static struct piece {
        struct piece *next;
        double data[];
    } * all;
    struct piece *p = malloc(sizeof *p + bytes);

    if (p == NULL)
        exit(99);
    p->next = all;
    all = p;
    return p->data;
}

/* ---- elements of all types -------------------------------------------------------- */

static int bytes_of(int type)
{
    return type == F64                  ? 8
           : type == F32 || type == S32 ? 4
           : type == S8                 ? 1
                                        : 2;
}

/* Of small whole numbers and halves, which every type has. */
static void put(void *to, int type, size_t i, double x)
{
    float f = (float)x;
    uint32_t bits;

    memcpy(&bits, &f, 4);
    if (type == F64)
        ((double *)to)[i] = x;
    else if (type == F32)
        ((float *)to)[i] = f;
    else if (type == S32)
        ((int32_t *)to)[i] = (int32_t)x;
    else if (type == S8)
        ((int8_t *)to)[i] = (int8_t)x;
    else if (type == BF16)
        ((uint16_t *)to)[i] = (uint16_t)(bits >> 16);
    else if (isnan(x))
        ((uint16_t *)to)[i] = 0x7e00;
    else
        ((uint16_t *)to)[i] =
            (uint16_t)(f == 0 ? 0
                              : (bits >> 16 & 0x8000) |
                                    (((bits >> 23 & 255) - 112) << 10) |
                                    (bits >> 13 & 1023));
}

static double take(const void *from, int type, size_t i)
{
    uint16_t h;
    uint32_t bits;
    float f;

    if (type == F64)
        return ((const double *)from)[i];
    if (type == F32)
        return (double)((const float *)from)[i];
    if (type == S32)
        return ((const int32_t *)from)[i];
    if (type == S8)
        return ((const int8_t *)from)[i];
    h = ((const uint16_t *)from)[i];
    if (type == F16 && (h & 0x7c00) == 0)
        return (h & 0x8000 ? -1 : 1) * ldexp(h & 1023, -24);
    bits = type == BF16 ? (uint32_t)h << 16
                        : (uint32_t)(h & 0x8000) << 16 |
                              ((uint32_t)(h >> 10 & 31) + 112) << 23 |
                              (uint32_t)(h & 1023) << 13;
    memcpy(&f, &bits, 4);
    return (double)f;
}

static void *to_device(const void *from, size_t bytes)
{
    void *p = NULL;

    if (cudaMalloc(&p, bytes) != 0 ||
        cudaMemcpy(p, from, bytes, TO_DEVICE) != 0)
        exit(99);
    return p;
}

/* ---- products --------------------------------------------------------------------- */

static const struct kind {
    const char *name;
    int ab, c, compute, scale;
    double tolerance; /* of the result's last digit */
} kinds[] = {
    {"float", F32, F32, COMPUTE_32F, F32, 0},
    {"TF32", F32, F32, COMPUTE_TF32, F32, 0},
    {"double", F64, F64, COMPUTE_64F, F64, 0},
    {"half", F16, F16, COMPUTE_32F, F32, 1.0 / 1024},
    {"half by halves", F16, F16, COMPUTE_16F, F16, 1.0 / 1024},
    {"half into float", F16, F32, COMPUTE_32F, F32, 0},
    {"bfloat16", BF16, BF16, COMPUTE_32F, F32, 1.0 / 128},
    {"bytes", S8, S32, COMPUTE_32I, S32, 0},
};

/* How the matrices are handed over. */
enum how {
    PLAIN,
    STRIDED,
    POINTERS,
};

struct matrix {
    int type, rows, columns, ld;
    void *host, *device, *pointers;
};

static struct matrix matrix_of(int type, int rows, int columns, int ld,
                               unsigned seed)
{
    struct matrix x = {
        .type = type, .rows = rows, .columns = columns, .ld = ld};
    size_t count = (size_t)ld * columns * BATCH, each = count / BATCH;
    void *pointer[BATCH];

    x.host = room(count * bytes_of(type) + 8);
    for (size_t i = 0; i < count; i++) {
        seed = seed * 1664525 + 1013904223;
        put(x.host, type, i, (int)(seed >> 28) - 8);
    }
    x.device = to_device(x.host, count * bytes_of(type) + 8);
    for (int i = 0; i < BATCH; i++)
        pointer[i] = (char *)x.device + i * each * bytes_of(type);
    x.pointers = to_device(pointer, sizeof pointer);
    return x;
}

static double element(const struct matrix *x, int batch, int op, int i, int j)
{
    size_t at = op == 0 ? i + (size_t)j * x->ld : j + (size_t)i * x->ld;

    return take(x->host, x->type, (size_t)batch * x->ld * x->columns + at);
}

struct problem {
    const struct kind *kind;
    int op_a, op_b, m, n, k, pad;
    double alpha, beta;
    enum how how;
    int on_device; /* alpha and beta */
    int every;     /* so many elements one is looked at; 0: all */
};

/* Columns further apart by `pad`, which decides what is aligned. */
static int product(const struct problem *p)
{
    const struct kind *k = p->kind;
    struct matrix a =
        matrix_of(k->ab, p->op_a ? p->k : p->m, p->op_a ? p->m : p->k,
                  (p->op_a ? p->k : p->m) + p->pad, 1);
    struct matrix b =
        matrix_of(k->ab, p->op_b ? p->n : p->k, p->op_b ? p->k : p->n,
                  (p->op_b ? p->n : p->k) + p->pad, 2);
    struct matrix c = matrix_of(k->c, p->m, p->n, p->m + p->pad, 3);
    size_t bytes = (size_t)c.ld * c.columns * BATCH * bytes_of(k->c);
    char alpha[8], beta[8], *got = room(bytes);
    void *x = alpha, *y = beta;
    int status, batches = p->how == PLAIN ? 1 : BATCH;

    put(alpha, k->scale, 0, p->alpha);
    put(beta, k->scale, 0, p->beta);
    if (p->on_device) {
        x = to_device(alpha, 8);
        y = to_device(beta, 8);
        cublasSetPointerMode_v2(blas, 1);
    }
    if (p->beta == 0 && k->c != S32) { /* what is there must not be read */
        memset(got, 0xff, bytes);
        cudaMemcpy(c.device, got, bytes, TO_DEVICE);
    }
    if (p->how == PLAIN)
        status = cublasGemmEx(blas, p->op_a, p->op_b, p->m, p->n, p->k, x,
                              a.device, k->ab, a.ld, b.device, k->ab, b.ld, y,
                              c.device, k->c, c.ld, k->compute, -1);
    else if (p->how == STRIDED)
        status = cublasGemmStridedBatchedEx(
            blas, p->op_a, p->op_b, p->m, p->n, p->k, x, a.device, k->ab, a.ld,
            (long long)a.ld * a.columns, b.device, k->ab, b.ld,
            (long long)b.ld * b.columns, y, c.device, k->c, c.ld,
            (long long)c.ld * c.columns, BATCH, k->compute, -1);
    else
        status = cublasGemmBatchedEx(blas, p->op_a, p->op_b, p->m, p->n, p->k,
                                     x, a.pointers, k->ab, a.ld, b.pointers,
                                     k->ab, b.ld, y, c.pointers, k->c, c.ld,
                                     BATCH, k->compute, -1);
    cublasSetPointerMode_v2(blas, 0);
    if (status != 0 || cudaMemcpy(got, c.device, bytes, TO_HOST) != 0)
        return failed(k->name, status, 0);
    for (int t = 0; t < batches; t++) {
        for (int j = 0; j < p->n; j++) {
            for (int i = 0; i < p->m; i++) {
                size_t at = ((size_t)t * c.columns + j) * c.ld + i;
                double want = 0, found = take(got, k->c, at);

                if (p->every != 0 && (i * 7 + j * 13) % p->every != 0)
                    continue;
                for (int l = 0; l < p->k; l++)
                    want += element(&a, t, p->op_a, i, l) *
                            element(&b, t, p->op_b, l, j);
                want *= p->alpha;
                if (p->beta != 0)
                    want += p->beta * element(&c, t, 0, i, j);
                if (!(fabs(found - want) <= k->tolerance * fabs(want))) {
                    fprintf(stderr,
                            "%s, ops %d %d, %d x %d x %d, pad %d, how %d, "
                            "batch %d, element %d, %d: ",
                            k->name, p->op_a, p->op_b, p->m, p->n, p->k, p->pad,
                            (int)p->how, t, i, j);
                    return failed("", found, want);
                }
            }
        }
    }
    return 0;
}

static int every_kind(const struct problem *like)
{
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        for (int ops = 0; ops < 4; ops++) {
            struct problem p = *like;

            p.kind = &kinds[i];
            p.op_a = ops & 1;
            p.op_b = ops >> 1;
            if (product(&p) != 0)
                return 1;
        }
    }
    return 0;
}

/* Sizes that fill no tile, with and without alignment. */
static int odd(void)
{
    return every_kind(&(struct problem){
               .m = 67, .n = 35, .k = 41, .pad = 0, .alpha = 1, .beta = 0}) ||
           every_kind(&(struct problem){
               .m = 72, .n = 40, .k = 24, .pad = 8, .alpha = 2, .beta = -1}) ||
           every_kind(&(struct problem){
               .m = 1, .n = 1, .k = 1, .pad = 3, .alpha = 1, .beta = 1});
}

static int batches(void)
{
    return every_kind(&(struct problem){.m = 33,
                                        .n = 18,
                                        .k = 20,
                                        .alpha = 1,
                                        .beta = 1,
                                        .how = STRIDED}) ||
           every_kind(&(struct problem){.m = 16,
                                        .n = 32,
                                        .k = 16,
                                        .alpha = 1,
                                        .how = POINTERS,
                                        .on_device = 1});
}

/* More tiles than one; a k that is added up in slices; none at all. */
static int large(void)
{
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (product(&(struct problem){.kind = &kinds[i],
                                      .op_b = 1,
                                      .m = 300,
                                      .n = 140,
                                      .k = 40,
                                      .pad = 4,
                                      .alpha = 1}) ||
            product(&(struct problem){.kind = &kinds[i],
                                      .op_a = 1,
                                      .m = 30,
                                      .n = 20,
                                      .k = 1100,
                                      .alpha = 0.5 + 0.5 * (kinds[i].c == S32),
                                      .beta = 2,
                                      .pad = 4}) ||
            product(&(struct problem){.kind = &kinds[i],
                                      .m = 30,
                                      .n = 20,
                                      .k = 0,
                                      .pad = 4,
                                      .alpha = 1,
                                      .beta = 3}))
            return 1;
    }
    return 0;
}

/* Large enough for the largest tiles, whose operands come by tensor maps where
 * there are any. */
static int huge(void)
{
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        for (int ops = 0; ops < 4 && bytes_of(kinds[i].ab) == 2; ops++) {
            if (product(&(struct problem){.kind = &kinds[i],
                                          .op_a = ops & 1,
                                          .op_b = ops >> 1,
                                          .m = ops == 1 ? 2040 : 504,
                                          .n = ops == 1 ? 2000 : 488,
                                          .k = 104,
                                          .alpha = 1,
                                          .every = 997,
                                          .how = ops == 1 ? PLAIN : STRIDED}))
                return 1;
        }
    }
    return 0;
}

/* ---- cuBLASLt ------------------------------------------------------------------- */

static double gelu(double x)
{
    return 0.5 * x * (1 + tanh(0.7978845608 * (x + 0.044715 * x * x * x)));
}

/* D = finish(A' B + bias), as a layer of a network is. */
static int layer(const struct kind *k, int epilogue)
{
    enum {
        M = 40,
        N = 24,
        K = 32,
    };
    struct matrix a = matrix_of(k->ab, K, M, K, 1);
    struct matrix b = matrix_of(k->ab, K, N, K, 2);
    struct matrix c = matrix_of(k->c, M, N, M, 3);
    struct matrix bias = matrix_of(k->c, M, 1, M, 4);
    void *d, *la, *lb, *lc;
    int op = 1, count = 0, status;
    char alpha[8], beta[8], *got = room(M * N * 8);
    uint64_t result[32];

    put(alpha, k->scale, 0, 0.125);
    put(beta, k->scale, 0, 0);
    cublasLtMatmulDescCreate(&d, k->compute, k->scale);
    cublasLtMatmulDescSetAttribute(d, 3, &op, sizeof op);
    cublasLtMatmulDescSetAttribute(d, 7, &epilogue, sizeof epilogue);
    cublasLtMatmulDescSetAttribute(d, 8, &bias.device, sizeof(void *));
    cublasLtMatrixLayoutCreate(&la, k->ab, K, M, K);
    cublasLtMatrixLayoutCreate(&lb, k->ab, K, N, K);
    cublasLtMatrixLayoutCreate(&lc, k->c, M, N, M);
    status = cublasLtMatmulAlgoGetHeuristic(blas, d, la, lb, lc, lc, NULL, 1,
                                            result, &count);
    if (status != 0 || count != 1)
        return status != 0 ? status : 99;
    status = cublasLtMatmul(blas, d, alpha, a.device, la, b.device, lb, beta,
                            c.device, lc, c.device, lc, result, NULL, 0, NULL);
    if (status != 0 ||
        cudaMemcpy(got, c.device, (size_t)M * N * bytes_of(k->c), TO_HOST) != 0)
        return status != 0 ? status : 98;
    for (int j = 0; j < N; j++) {
        for (int i = 0; i < M; i++) {
            double want = 0, found = take(got, k->c, i + (size_t)j * M);

            for (int l = 0; l < K; l++)
                want += element(&a, 0, 1, i, l) * element(&b, 0, 0, l, j);
            want /= 8;
            if (epilogue & 4)
                want += take(bias.host, k->c, i);
            if (epilogue & 2)
                want = want > 0 ? want : 0;
            if (epilogue & 32)
                want = gelu(want);
            if (!(fabs(found - want) <=
                  k->tolerance * fabs(want) + (epilogue & 32 ? 1e-3 : 0)))
                return failed("layer", found, want);
        }
    }
    return 0;
}

static int layers(void)
{
    static const int epilogues[] = {1, 2, 4, 6, 32, 36};

    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        for (size_t e = 0; e < sizeof epilogues / sizeof epilogues[0]; e++) {
            if (kinds[i].ab != S8 && layer(&kinds[i], epilogues[e]) != 0)
                return 1;
        }
    }
    return layer(&kinds[3], 136) != NOT_SUPPORTED; /* a derivative */
}

/* ---- vectors ---------------------------------------------------------------------- */

static int vectors(void)
{
    enum {
        N = 1500,
        M = 70,
        W = 45,
    };
    static double x[N], y[2 * N], got[2 * N], a[M * W];
    double *dx, *dy, *da, result = 0, want = 0, sum = 0, squares = 0, three = 3,
                          one = 1, half = 0.5;
    int where = 0;

    for (int i = 0; i < N; i++) {
        x[i] = i % 17 - 8;
        y[2 * i] = i % 5;
        want += x[i] * i;
        sum += fabs(x[i]);
        squares += x[i] * x[i];
    }
    for (int i = 0; i < M * W; i++)
        a[i] = i % 11 - 5;
    x[700] = -40;
    want += (-40 - (700 % 17 - 8)) * 700.0;
    sum += 40 - fabs(700 % 17 - 8.0);
    squares += 1600 - (700 % 17 - 8.0) * (700 % 17 - 8);
    for (int i = 0; i < N; i++)
        got[i] = i;
    dx = to_device(x, sizeof x);
    dy = to_device(got, sizeof got);
    if (cublasDdot_v2(blas, N, dx, 1, dy, 1, &result) || result != want)
        return failed("dot", result, want);
    if (cublasDasum_v2(blas, N, dx, 1, &result) || result != sum)
        return failed("asum", result, sum);
    if (cublasDnrm2_v2(blas, N, dx, 1, &result) ||
        fabs(result - sqrt(squares)) > 1e-12 * result)
        return failed("nrm2", result, sqrt(squares));
    if (cublasIdamax_v2(blas, N, dx, 1, &where) || where != 701)
        return failed("amax", where, 701);
    if (cublasIdamin_v2(blas, N, dx, 1, &where) || where != 9)
        return failed("amin", where, 9);
    /* every second element, backwards */
    cudaMemcpy(dy, y, sizeof y, TO_DEVICE);
    if (cublasDaxpy_v2(blas, N, &three, dx, 1, dy, -2) ||
        cublasDscal_v2(blas, N, &half, dy, 2) ||
        cublasGetVector(N, 8, dy, 2, got, 1))
        return 1;
    for (int i = 0; i < N; i++)
        if (got[i] != (y[2 * i] + 3 * x[N - 1 - i]) / 2)
            return failed("axpy", got[i], (y[2 * i] + 3 * x[N - 1 - i]) / 2);
    if (cublasDcopy_v2(blas, N, dx, 1, dy, 1) ||
        cublasDscal_v2(blas, N, &three, dx, 1) ||
        cublasDswap_v2(blas, N, dx, 1, dy, 1) ||
        cudaMemcpy(got, dy, sizeof x, TO_HOST))
        return 1;
    for (int i = 0; i < N; i++)
        if (got[i] != 3 * x[i])
            return failed("swap", got[i], 3 * x[i]);
    /* dx is x again */
    da = to_device(a, sizeof a);
    if (cublasSetMatrix(M, W, 8, a, M, da, M) ||
        cublasDger_v2(blas, M, W, &one, dx, 1, dx, 2, da, M))
        return 1;
    for (int op = 0; op < 2; op++) {
        int outs = op ? W : M, ins = op ? M : W;

        cudaMemcpy(dy, y, sizeof y, TO_DEVICE);
        if (cublasDgemv_v2(blas, op, M, W, &half, da, M, dx, 1, &three, dy,
                           2) ||
            cudaMemcpy(got, dy, sizeof got, TO_HOST))
            return 1;
        for (int i = 0; i < outs; i++) {
            double s = 0;

            for (int j = 0; j < ins; j++) {
                int row = op ? j : i, column = op ? i : j;

                s += (a[row + column * M] + x[row] * x[2 * column]) * x[j];
            }
            if (got[2 * i] != s / 2 + 3 * y[2 * i])
                return failed("gemv", got[2 * i], s / 2 + 3 * y[2 * i]);
        }
    }
    return 0;
}

/* ---- handles, streams, what is refused ------------------------------------------------ */

static int is(const char *what, int status, int wanted)
{
    return status == wanted ? 0 : failed(what, status, wanted);
}

static int refusals(void)
{
    static float z[16];
    const float one = 1;
    float *d = to_device(z, sizeof z);
    int math = 0;

    return is("no handle",
              cublasSgemm_v2(NULL, 0, 0, 1, 1, 1, &one, d, 1, d, 1, &one, d, 1),
              NOT_INITIALIZED) ||
           is("a negative size",
              cublasSgemm_v2(blas, 0, 0, -1, 1, 1, &one, d, 1, d, 1, &one, d,
                             1),
              INVALID_VALUE) ||
           is("a short column",
              cublasSgemm_v2(blas, 0, 0, 4, 1, 1, &one, d, 3, d, 1, &one, d, 4),
              INVALID_VALUE) ||
           is("no operation",
              cublasSgemm_v2(blas, 5, 0, 1, 1, 1, &one, d, 1, d, 1, &one, d, 1),
              INVALID_VALUE) ||
           is("no alpha",
              cublasSgemm_v2(blas, 0, 0, 1, 1, 1, NULL, d, 1, d, 1, &one, d, 1),
              INVALID_VALUE) ||
           is("nothing to do",
              cublasSgemm_v2(blas, 0, 0, 0, 1, 1, &one, d, 1, d, 1, &one, d, 1),
              0) ||
           is("floats of 8 bits",
              cublasGemmEx(blas, 0, 0, 1, 1, 1, &one, d, E4M3, 1, d, E4M3, 1,
                           &one, d, F32, 1, COMPUTE_32F, -1),
              NOT_SUPPORTED) ||
           is("what teg has not",
              cublasSsymm_v2(blas, 0, 0, 1, 1, &one, d, 1, d, 1, &one, d, 1),
              NOT_SUPPORTED) ||
           is("a mode", cublasSetMathMode(blas, 3), 0) ||
           is("the mode", cublasGetMathMode(blas, &math), 0) ||
           is("its value", math, 3) ||
           is("a name",
              strcmp(cublasGetStatusName(15), "CUBLAS_STATUS_NOT_SUPPORTED"),
              0) ||
           is("no error of the runtime", cudaPeekAtLastError(), 0);
}

/* A product that is captured runs when its graph does. */
static int captured(void)
{
    const float two = 2, zero = 0;
    float x[4] = {1, 2, 3, 4}, got[4] = {0};
    float *d = to_device(x, sizeof x), *out = to_device(got, sizeof got);
    void *stream, *same = NULL, *graph, *exec;

    if (cudaStreamCreate(&stream) || cublasSetStream_v2(blas, stream) ||
        cublasGetStream_v2(blas, &same) || same != stream ||
        cudaStreamBeginCapture(stream, 0) ||
        cublasSgemm_v2(blas, 0, 0, 2, 2, 2, &two, d, 2, d, 2, &zero, out, 2) ||
        cudaStreamEndCapture(stream, &graph) ||
        cudaMemcpy(got, out, sizeof got, TO_HOST) || got[0] != 0 ||
        cudaGraphInstantiate(&exec, graph, 0) ||
        cudaGraphLaunch(exec, stream) || cudaDeviceSynchronize() ||
        cudaMemcpy(got, out, sizeof got, TO_HOST))
        return 1;
    return got[0] != 14 || got[1] != 20 || got[2] != 30 || got[3] != 44;
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        int (*run)(void);
    } tests[] = {
        {"odd", odd},           {"batches", batches},   {"large", large},
        {"huge", huge},         {"layers", layers},     {"vectors", vectors},
        {"refusals", refusals}, {"captured", captured},
    };
    int status = cublasCreate_v2(&blas);

    if (status != 0)
        return 3;
    for (size_t i = 0; i < sizeof tests / sizeof tests[0]; i++) {
        if (strcmp(argv[argc - 1], tests[i].name) == 0)
            return tests[i].run() != 0 || cublasDestroy_v2(blas) != 0;
    }
    return 2;
}
