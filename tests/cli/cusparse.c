/*
 * A program that calls cuSPARSE, linked with a library of its name whose functions
 * all fail: what it computes is teg's (tests/cli/cusparse.sh).  Argument: which
 * test; the exit status is 0 if it holds.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/cli/vendor.h"

/* The API's, of which only what is needed. */
int cusparseCreate(void **handle);
int cusparseDestroy(void *handle);
int cusparseGetVersion(void *handle, int *version);
const char *cusparseGetErrorName(int status);
int cusparseSetStream(void *handle, void *stream);
int cusparseSetPointerMode(void *handle, int mode);
int cusparseCreateMatDescr(void **d);
int cusparseSetMatIndexBase(void *d, int base);
int cusparseGetMatIndexBase(void *d);
int cusparseCreateSpVec(void **v, int64_t size, int64_t nnz, void *indices,
                        void *values, int index, int base, int type);
int cusparseCreateDnVec(void **v, int64_t size, void *values, int type);
int cusparseCreateDnMat(void **m, int64_t rows, int64_t columns, int64_t ld,
                        void *values, int type, int order);
int cusparseDnMatSetStridedBatch(void *m, int count, int64_t stride);
int cusparseCreateCsr(void **m, int64_t rows, int64_t columns, int64_t nnz,
                      void *offsets, void *indices, void *values, int offset,
                      int index, int base, int type);
int cusparseCreateConstCsr(const void **m, int64_t rows, int64_t columns,
                           int64_t nnz, const void *offsets,
                           const void *indices, const void *values, int offset,
                           int index, int base, int type);
int cusparseCreateCsc(void **m, int64_t rows, int64_t columns, int64_t nnz,
                      void *offsets, void *indices, void *values, int offset,
                      int index, int base, int type);
int cusparseCreateCoo(void **m, int64_t rows, int64_t columns, int64_t nnz,
                      void *row, void *column, void *values, int index,
                      int base, int type);
int cusparseCreateBlockedEll(void **m, int64_t rows, int64_t columns,
                             int64_t size, int64_t width, void *column,
                             void *values, int index, int base, int type);
int cusparseCsrGet(void *m, int64_t *rows, int64_t *columns, int64_t *nnz,
                   void **offsets, void **indices, void **values, int *offset,
                   int *index, int *base, int *type);
int cusparseCsrSetPointers(void *m, void *offsets, void *indices, void *values);
int cusparseCscSetPointers(void *m, void *offsets, void *indices, void *values);
int cusparseCooSetPointers(void *m, void *row, void *column, void *values);
int cusparseCsrSetStridedBatch(void *m, int count, int64_t offsets,
                               int64_t entries);
int cusparseDestroySpMat(const void *m);
int cusparseDestroyDnMat(const void *m);
int cusparseDestroyDnVec(const void *v);
int cusparseDestroySpVec(const void *v);
int cusparseSpMatGetSize(const void *m, int64_t *rows, int64_t *columns,
                         int64_t *nnz);
int cusparseSpMatSetAttribute(void *m, int which, void *data, size_t bytes);
int cusparseSpMV_bufferSize(void *h, int op, const void *alpha, const void *a,
                            const void *x, const void *beta, void *y,
                            int compute, int algorithm, size_t *bytes);
int cusparseSpMV_preprocess(void *h, int op, const void *alpha, const void *a,
                            const void *x, const void *beta, void *y,
                            int compute, int algorithm, void *buffer);
int cusparseSpMV(void *h, int op, const void *alpha, const void *a,
                 const void *x, const void *beta, void *y, int compute,
                 int algorithm, void *buffer);
int cusparseSpMM_bufferSize(void *h, int op_a, int op_b, const void *alpha,
                            const void *a, const void *b, const void *beta,
                            void *c, int compute, int algorithm, size_t *bytes);
int cusparseSpMM(void *h, int op_a, int op_b, const void *alpha, const void *a,
                 const void *b, const void *beta, void *c, int compute,
                 int algorithm, void *buffer);
int cusparseSDDMM_bufferSize(void *h, int op_a, int op_b, const void *alpha,
                             const void *a, const void *b, const void *beta,
                             void *c, int compute, int algorithm,
                             size_t *bytes);
int cusparseSDDMM(void *h, int op_a, int op_b, const void *alpha, const void *a,
                  const void *b, const void *beta, void *c, int compute,
                  int algorithm, void *buffer);
int cusparseSpVV_bufferSize(void *h, int op, const void *x, const void *y,
                            const void *result, int compute, size_t *bytes);
int cusparseSpVV(void *h, int op, const void *x, const void *y, void *result,
                 int compute, void *buffer);
int cusparseGather(void *h, const void *y, void *x);
int cusparseScatter(void *h, const void *x, void *y);
int cusparseAxpby(void *h, const void *alpha, const void *x, const void *beta,
                  void *y);
int cusparseRot(void *h, const void *c, const void *s, void *x, void *y);
int cusparseSparseToDense_bufferSize(void *h, const void *a, void *b, int alg,
                                     size_t *bytes);
int cusparseSparseToDense(void *h, const void *a, void *b, int alg,
                          void *buffer);
int cusparseDenseToSparse_bufferSize(void *h, const void *a, void *b, int alg,
                                     size_t *bytes);
int cusparseDenseToSparse_analysis(void *h, const void *a, void *b, int alg,
                                   void *buffer);
int cusparseDenseToSparse_convert(void *h, const void *a, void *b, int alg,
                                  void *buffer);
int cusparseXcsr2coo(void *h, const int *offsets, int nnz, int rows, int *row,
                     int base);
int cusparseXcoo2csr(void *h, const int *row, int nnz, int rows, int *offsets,
                     int base);
int cusparseCsr2cscEx2_bufferSize(void *h, int rows, int columns, int nnz,
                                  const void *values, const int *offsets,
                                  const int *indices, void *to, int *to_offsets,
                                  int *to_indices, int type, int action,
                                  int base, int alg, size_t *bytes);
int cusparseCsr2cscEx2(void *h, int rows, int columns, int nnz,
                       const void *values, const int *offsets,
                       const int *indices, void *to, int *to_offsets,
                       int *to_indices, int type, int action, int base, int alg,
                       void *buffer);
int cusparseDnnz(void *h, int along, int rows, int columns, void *d,
                 const double *a, int ld, int *counts, int *total);
int cusparseCreateIdentityPermutation(void *h, int n, int *p);
int cusparseXcoosort_bufferSizeExt(void *h, int rows, int columns, int nnz,
                                   const int *row, const int *column,
                                   size_t *bytes);
int cusparseXcoosortByRow(void *h, int rows, int columns, int nnz, int *row,
                          int *column, int *p, void *buffer);
int cusparseXcoosortByColumn(void *h, int rows, int columns, int nnz, int *row,
                             int *column, int *p, void *buffer);
int cusparseXcsrsort_bufferSizeExt(void *h, int rows, int columns, int nnz,
                                   const int *offsets, const int *column,
                                   size_t *bytes);
int cusparseXcsrsort(void *h, int rows, int columns, int nnz, void *d,
                     const int *offsets, int *column, int *p, void *buffer);
int cusparseSpGEMM_createDescr(void **d);
int cusparseSpGEMM_destroyDescr(void *d);
int cusparseSpGEMM_workEstimation(void *h, int op_a, int op_b,
                                  const void *alpha, const void *a,
                                  const void *b, const void *beta, void *c,
                                  int compute, int alg, void *d, size_t *bytes,
                                  void *buffer);
int cusparseSpGEMM_compute(void *h, int op_a, int op_b, const void *alpha,
                           const void *a, const void *b, const void *beta,
                           void *c, int compute, int alg, void *d,
                           size_t *bytes, void *buffer);
int cusparseSpGEMM_copy(void *h, int op_a, int op_b, const void *alpha,
                        const void *a, const void *b, const void *beta, void *c,
                        int compute, int alg, void *d);
int cusparseSpGEMMreuse_workEstimation(void *h, int op_a, int op_b,
                                       const void *a, const void *b, void *c,
                                       int alg, void *d, size_t *bytes,
                                       void *buffer);
int cusparseSpGEMMreuse_nnz(void *h, int op_a, int op_b, const void *a,
                            const void *b, void *c, int alg, void *d,
                            size_t *bytes2, void *buffer2, size_t *bytes3,
                            void *buffer3, size_t *bytes4, void *buffer4);
int cusparseSpGEMMreuse_copy(void *h, int op_a, int op_b, const void *a,
                             const void *b, void *c, int alg, void *d,
                             size_t *bytes, void *buffer);
int cusparseSpGEMMreuse_compute(void *h, int op_a, int op_b, const void *alpha,
                                const void *a, const void *b, const void *beta,
                                void *c, int compute, int alg, void *d);
int cusparseSpSV_createDescr(void **d);
int cusparseSpSV_bufferSize(void *h, int op, const void *alpha, const void *a,
                            const void *x, void *y, int compute, int alg,
                            void *d, size_t *bytes);
int cusparseSpSV_analysis(void *h, int op, const void *alpha, const void *a,
                          const void *x, void *y, int compute, int alg, void *d,
                          void *buffer);
int cusparseSpSV_solve(void *h, int op, const void *alpha, const void *a,
                       const void *x, void *y, int compute, int alg, void *d);
int cusparseSpSM_createDescr(void **d);
int cusparseSpSM_bufferSize(void *h, int op_a, int op_b, const void *alpha,
                            const void *a, const void *b, void *c, int compute,
                            int alg, void *d, size_t *bytes);
int cusparseSpSM_analysis(void *h, int op_a, int op_b, const void *alpha,
                          const void *a, const void *b, void *c, int compute,
                          int alg, void *d, void *buffer);
int cusparseSpSM_solve(void *h, int op_a, int op_b, const void *alpha,
                       const void *a, const void *b, void *c, int compute,
                       int alg, void *d);
int cusparseCreateCsrilu02Info(void **info);
int cusparseCreateCsric02Info(void **info);
int cusparseXcsrilu02_zeroPivot(void *h, void *info, int *position);
int cusparseXcsric02_zeroPivot(void *h, void *info, int *position);
int cusparseDcsrilu02_bufferSize(void *h, int rows, int nnz, void *d, double *a,
                                 const int *offsets, const int *column,
                                 void *info, int *bytes);
int cusparseDcsrilu02_analysis(void *h, int rows, int nnz, void *d,
                               const double *a, const int *offsets,
                               const int *column, void *info, int policy,
                               void *buffer);
int cusparseDcsrilu02(void *h, int rows, int nnz, void *d, double *a,
                      const int *offsets, const int *column, void *info,
                      int policy, void *buffer);
int cusparseDcsric02_bufferSize(void *h, int rows, int nnz, void *d, double *a,
                                const int *offsets, const int *column,
                                void *info, int *bytes);
int cusparseDcsric02_analysis(void *h, int rows, int nnz, void *d,
                              const double *a, const int *offsets,
                              const int *column, void *info, int policy,
                              void *buffer);
int cusparseDcsric02(void *h, int rows, int nnz, void *d, double *a,
                     const int *offsets, const int *column, void *info,
                     int policy, void *buffer);
int cusparseDcsrgeam2_bufferSizeExt(
    void *h, int rows, int columns, const double *alpha, void *da, int nnz_a,
    const double *a, const int *a_offsets, const int *a_column,
    const double *beta, void *db, int nnz_b, const double *b,
    const int *b_offsets, const int *b_column, void *dc, const double *c,
    const int *c_offsets, const int *c_column, size_t *bytes);
int cusparseXcsrgeam2Nnz(void *h, int rows, int columns, void *da, int nnz_a,
                         const int *a_offsets, const int *a_column, void *db,
                         int nnz_b, const int *b_offsets, const int *b_column,
                         void *dc, int *c_offsets, int *nnz, void *buffer);
int cusparseDcsrgeam2(void *h, int rows, int columns, const double *alpha,
                      void *da, int nnz_a, const double *a,
                      const int *a_offsets, const int *a_column,
                      const double *beta, void *db, int nnz_b, const double *b,
                      const int *b_offsets, const int *b_column, void *dc,
                      double *c, const int *c_offsets, int *c_column,
                      void *buffer);

enum {
    CSR = 1,
    CSC = 2,
    COO = 3,
    BY_COLUMNS = 1,
    BY_ROWS = 2,
    INDEX_32 = 2,
    INDEX_64 = 3,
    R_32F = 0,
    R_64F = 1,
    R_16F = 2,
    C_32F = 4,
    C_64F = 5,
    R_16BF = 14,
    INVALID_VALUE = 3,
    ZERO_PIVOT = 9,
    NOT_SUPPORTED = 10,
};

/* A multiple of 1/8 from -2 to 2, which halves have exactly, and is not 0. */
static double eighths(void)
{
    int n = (int)(bits_drawn() % 32) - 16;

    return (n >= 0 ? n + 1 : n) / 8.0;
}

static void *device(const void *from, size_t bytes)
{
    void *to = NULL;

    if (cudaMalloc(&to, bytes + 256) != 0 ||
        (from != NULL && cudaMemcpy(to, from, bytes, TO_DEVICE) != 0))
        exit(failed("cudaMalloc", 1, 0));
    return to;
}

#define OK(call)                              \
    do {                                      \
        int status_ = (call);                 \
        if (status_ != 0)                     \
            return failed(#call, status_, 0); \
    } while (0)

/* ---- numbers as they lie in memory ----------------------------------------------------- */

static int bytes_of(int type)
{
    switch (type) {
    case R_16F:
    case R_16BF:
        return 2;
    case R_32F:
        return 4;
    case C_64F:
        return 16;
    default:
        return 8;
    }
}

static int is_complex(int type)
{
    return type == C_32F || type == C_64F;
}

/* What sums are of. */
static int sum_type(int type)
{
    return bytes_of(type) == 2 ? R_32F : type;
}

static uint16_t half_bits(double x)
{
    float f = (float)x;
    uint32_t b;
    int e;

    memcpy(&b, &f, sizeof b);
    if (x == 0)
        return 0;
    e = (int)(b >> 23 & 255) - 112;
    return (uint16_t)(b >> 16 & 0x8000) | (uint16_t)(e << 10) |
           (uint16_t)(b >> 13 & 0x3ff);
}

static double half_value(uint16_t h)
{
    double m = (h & 0x3ff) / 1024.0;
    int e = h >> 10 & 31;
    double x = e == 0 ? ldexp(m, -14) : ldexp(1 + m, e - 15);

    return h & 0x8000 ? -x : x;
}

/* z[0], z[1]: its parts. */
static void write_number(void *to, int64_t i, int type, const double *z)
{
    float f[2] = {(float)z[0], (float)z[1]};
    uint32_t b;
    uint16_t h;

    switch (type) {
    case R_16F:
        h = half_bits(z[0]);
        memcpy((char *)to + 2 * i, &h, 2);
        break;
    case R_16BF:
        memcpy(&b, f, 4);
        h = (uint16_t)(b >> 16);
        memcpy((char *)to + 2 * i, &h, 2);
        break;
    case R_32F:
    case C_32F:
        memcpy((char *)to + bytes_of(type) * i, f, (size_t)bytes_of(type));
        break;
    default:
        memcpy((char *)to + bytes_of(type) * i, z, (size_t)bytes_of(type));
    }
}

static void read_number(const void *from, int64_t i, int type, double *z)
{
    float f[2] = {0, 0};
    uint32_t b;
    uint16_t h;

    z[0] = z[1] = 0;
    switch (type) {
    case R_16F:
        memcpy(&h, (const char *)from + 2 * i, 2);
        z[0] = half_value(h);
        break;
    case R_16BF:
        memcpy(&h, (const char *)from + 2 * i, 2);
        b = (uint32_t)h << 16;
        memcpy(f, &b, 4);
        z[0] = f[0];
        break;
    case R_32F:
    case C_32F:
        memcpy(f, (const char *)from + bytes_of(type) * i,
               (size_t)bytes_of(type));
        z[0] = f[0];
        z[1] = f[1];
        break;
    default:
        memcpy(z, (const char *)from + bytes_of(type) * i,
               (size_t)bytes_of(type));
    }
}

static double tolerance(int type)
{
    return type == R_16F                              ? 2e-3
           : type == R_16BF                           ? 1.6e-2
           : sum_type(type) == R_64F || type == C_64F ? 1e-12
                                                      : 1e-4;
}

/* An array of so many numbers, on the host and on the device. */
struct numbers {
    int64_t n;
    int type;
    double *z; /* parts */
    void *host, *device;
};

static void put_numbers(struct numbers *x)
{
    for (int64_t i = 0; i < x->n; i++)
        write_number(x->host, i, x->type, x->z + 2 * i);
    if (cudaMemcpy(x->device, x->host, (size_t)(x->n * bytes_of(x->type)),
                   TO_DEVICE) != 0)
        exit(failed("cudaMemcpy", 1, 0));
}

static struct numbers make_numbers(int64_t n, int type)
{
    struct numbers x = {n, type, calloc((size_t)n * 2 + 2, sizeof(double)),
                        calloc((size_t)n + 1, 16),
                        device(NULL, (size_t)n * 16)};

    for (int64_t i = 0; i < n; i++) {
        x.z[2 * i] = eighths();
        x.z[2 * i + 1] = is_complex(type) ? eighths() : 0;
    }
    put_numbers(&x);
    return x;
}

static void drop_numbers(struct numbers *x)
{
    cudaFree(x->device);
    free(x->host);
    free(x->z);
}

/* Whether the device's are those of x->z now. */
static int compare(const char *what, const struct numbers *x)
{
    double got[2];

    if (cudaMemcpy(x->host, x->device, (size_t)(x->n * bytes_of(x->type)),
                   TO_HOST) != 0)
        return failed(what, 1, 0);
    for (int64_t i = 0; i < x->n; i++) {
        read_number(x->host, i, x->type, got);
        for (int part = 0; part < 2; part++) {
            double want = x->z[2 * i + part];

            if (!(fabs(got[part] - want) <=
                  tolerance(x->type) * (fabs(want) + 16)))
                return failed(what, got[part], want);
        }
    }
    return 0;
}

static void add_product(double *sum, const double *a, const double *b)
{
    sum[0] += a[0] * b[0] - a[1] * b[1];
    sum[1] += a[0] * b[1] + a[1] * b[0];
}

/* c = alpha sum + beta c */
static void finish(double *c, const double *alpha, const double *sum,
                   const double *beta)
{
    double z[2] = {0, 0};

    add_product(z, alpha, sum);
    add_product(z, beta, c);
    memcpy(c, z, sizeof z);
}

/* ---- sparse matrices ---------------------------------------------------------------------- */

/* As a dense one, and as the API takes it. */
struct matrix {
    int rows, columns, format, base, index;
    int64_t nnz;
    double *dense;  /* [rows][columns], parts */
    int64_t *place; /* of entries in that */
    struct numbers values;
    void *first, *second; /* on the device */
    void *descriptor;
};

static void *device_indices(const int64_t *from, int64_t n, int index, int base)
{
    int *narrow = malloc((size_t)n * sizeof *narrow + 8);
    int64_t *wide = malloc((size_t)n * sizeof *wide + 8);
    void *to;

    for (int64_t i = 0; i < n; i++)
        narrow[i] = (int)(wide[i] = from[i] + base);
    to = index == INDEX_32 ? device(narrow, (size_t)n * sizeof *narrow)
                           : device(wide, (size_t)n * sizeof *wide);
    free(narrow);
    free(wide);
    return to;
}

/* Some rows are empty, and one is full. */
static double *draw_dense(int rows, int columns, int percent, int type)
{
    double *dense = calloc((size_t)rows * columns * 2 + 2, sizeof *dense);

    for (int i = 0; i < rows; i++) {
        for (int j = 0; j < columns; j++) {
            double *z = dense + 2 * (i * columns + j);

            if (i % 5 != 3 &&
                (i == rows / 2 || (int)(bits_drawn() % 100) < percent)) {
                z[0] = eighths();
                z[1] = is_complex(type) ? eighths() : 0;
            }
        }
    }
    return dense;
}

/* Entries in order, with all arrays that any format has. */
static struct matrix take_matrix(int rows, int columns, double *dense,
                                 int format, int index, int base, int type)
{
    int by_columns = format == CSC;
    int majors = by_columns ? columns : rows;
    int minors = by_columns ? rows : columns;
    size_t most = (size_t)rows * columns + 1;
    struct matrix m = {rows,  columns, format, base,
                       index, 0,       dense,  malloc(most * sizeof *m.place),
                       {0},   NULL,    NULL,   NULL};
    int64_t *offsets = malloc(((size_t)majors + 1) * sizeof *offsets);
    int64_t *major = malloc(most * sizeof *major);
    int64_t *minor = malloc(most * sizeof *minor);

    for (int i = 0; i < majors; i++) {
        offsets[i] = m.nnz;
        for (int j = 0; j < minors; j++) {
            int64_t at = by_columns ? (int64_t)j * columns + i
                                    : (int64_t)i * columns + j;

            if (dense[2 * at] == 0 && dense[2 * at + 1] == 0)
                continue;
            m.place[m.nnz] = at;
            major[m.nnz] = i;
            minor[m.nnz++] = j;
        }
    }
    offsets[majors] = m.nnz;
    m.values = make_numbers(m.nnz, type);
    for (int64_t i = 0; i < m.nnz; i++)
        memcpy(m.values.z + 2 * i, dense + 2 * m.place[i], 2 * sizeof *dense);
    put_numbers(&m.values);
    m.first = format == COO ? device_indices(major, m.nnz, index, base)
                            : device_indices(offsets, majors + 1, index, base);
    m.second = device_indices(minor, m.nnz, index, base);
    if ((format == CSR ? cusparseCreateCsr(&m.descriptor, rows, columns, m.nnz,
                                           m.first, m.second, m.values.device,
                                           index, index, base, type)
         : format == CSC
             ? cusparseCreateCsc(&m.descriptor, rows, columns, m.nnz, m.first,
                                 m.second, m.values.device, index, index, base,
                                 type)
             : cusparseCreateCoo(&m.descriptor, rows, columns, m.nnz, m.first,
                                 m.second, m.values.device, index, base,
                                 type)) != 0)
        exit(failed("cusparseCreate...", 1, 0));
    free(offsets);
    free(major);
    free(minor);
    return m;
}

static struct matrix make_matrix(int rows, int columns, int percent, int format,
                                 int index, int base, int type)
{
    return take_matrix(rows, columns, draw_dense(rows, columns, percent, type),
                       format, index, base, type);
}

static void drop_matrix(struct matrix *m)
{
    cusparseDestroySpMat(m->descriptor);
    drop_numbers(&m->values);
    cudaFree(m->first);
    cudaFree(m->second);
    free(m->dense);
    free(m->place);
}

/* Element of op(A). */
static const double *element(const struct matrix *m, int op, int i, int j,
                             double *z)
{
    const double *at = op == 0 ? m->dense + 2 * ((int64_t)i * m->columns + j)
                               : m->dense + 2 * ((int64_t)j * m->columns + i);

    z[0] = at[0];
    z[1] = op == 2 ? -at[1] : at[1];
    return z;
}

struct scalars {
    double alpha[2], beta[2];
    char a[16], b[16]; /* as they are passed */
};

static struct scalars make_scalars(int type, int beta)
{
    struct scalars s = {0};

    s.alpha[0] = 1.5;
    s.alpha[1] = is_complex(type) ? -0.5 : 0;
    s.beta[0] = beta == 0 ? 0 : beta == 1 ? 1 : -0.25;
    write_number(s.a, 0, sum_type(type), s.alpha);
    write_number(s.b, 0, sum_type(type), s.beta);
    return s;
}

/* ---- a matrix and a vector ------------------------------------------------------------------ */

static int mv(void *h, const struct matrix *m, int op, int beta, int type_y)
{
    int rows = op == 0 ? m->rows : m->columns;
    int columns = op == 0 ? m->columns : m->rows, type = m->values.type;
    struct numbers x = make_numbers(columns, type);
    struct numbers y = make_numbers(rows, type_y);
    struct scalars s = make_scalars(type, beta);
    void *dx, *dy, *buffer;
    size_t bytes;
    char what[100];

    OK(cusparseCreateDnVec(&dx, columns, x.device, type));
    OK(cusparseCreateDnVec(&dy, rows, y.device, type_y));
    OK(cusparseSpMV_bufferSize(h, op, s.a, m->descriptor, dx, s.b, dy,
                               sum_type(type), 0, &bytes));
    buffer = device(NULL, bytes);
    OK(cusparseSpMV_preprocess(h, op, s.a, m->descriptor, dx, s.b, dy,
                               sum_type(type), 0, buffer));
    OK(cusparseSpMV(h, op, s.a, m->descriptor, dx, s.b, dy, sum_type(type), 0,
                    buffer));
    for (int i = 0; i < rows; i++) {
        double sum[2] = {0, 0}, z[2];

        for (int j = 0; j < columns; j++)
            add_product(sum, element(m, op, i, j, z), x.z + 2 * j);
        finish(y.z + 2 * i, s.alpha, sum, s.beta);
    }
    snprintf(what, sizeof what, "SpMV %dx%d format %d op %d type %d base %d",
             m->rows, m->columns, m->format, op, type, m->base);
    if (compare(what, &y))
        return 1;
    cusparseDestroyDnVec(dx);
    cusparseDestroyDnVec(dy);
    cudaFree(buffer);
    drop_numbers(&x);
    drop_numbers(&y);
    return 0;
}

static const int all_types[] = {R_32F, R_64F, R_16F, R_16BF, C_32F, C_64F};
enum {
    TYPES = sizeof all_types / sizeof *all_types
};

static int vector_products(void *h)
{
    static const int sizes[][3] = {{0, 7, 50},   {7, 0, 50},   {1, 1, 100},
                                   {37, 61, 15}, {90, 300, 3}, {900, 900, 0}};

    for (int format = CSR; format <= COO; format++) {
        for (int size = 0; size < 6; size++) {
            for (int t = 0; t < (size == 3 ? TYPES : 2); t++) {
                struct matrix m = make_matrix(
                    sizes[size][0], sizes[size][1], sizes[size][2], format,
                    t == 1 ? INDEX_64 : INDEX_32, t & 1, all_types[t]);

                for (int op = 0; op < (is_complex(all_types[t]) ? 3 : 2);
                     op++) {
                    if (mv(h, &m, op, (op + t) % 3, all_types[t]) ||
                        (t >= 2 && t < 4 && mv(h, &m, op, 2, R_32F)))
                        return 1;
                }
                drop_matrix(&m);
            }
        }
    }
    return 0;
}

/* ---- a matrix and a matrix -------------------------------------------------------------------- */

static int64_t dense_at(int i, int j, int ld, int order)
{
    return order == BY_ROWS ? (int64_t)i * ld + j : (int64_t)j * ld + i;
}

static int mm(void *h, const struct matrix *m, int op_a, int op_b, int n,
              int order_b, int order_c, int batches, int type_c)
{
    int rows = op_a == 0 ? m->rows : m->columns;
    int depth = op_a == 0 ? m->columns : m->rows, type = m->values.type;
    int b_rows = op_b == 0 ? depth : n, b_columns = op_b == 0 ? n : depth;
    int ldb = (order_b == BY_ROWS ? b_columns : b_rows) + 3;
    int ldc = (order_c == BY_ROWS ? n : rows) + 1;
    int64_t b_size = (int64_t)ldb * (order_b == BY_ROWS ? b_rows : b_columns);
    int64_t c_size = (int64_t)ldc * (order_c == BY_ROWS ? rows : n);
    struct numbers b = make_numbers(b_size * batches, type);
    struct numbers c = make_numbers(c_size * batches, type_c);
    struct scalars s = make_scalars(type, 1 + (n & 1));
    void *db, *dc, *buffer;
    size_t bytes;
    char what[120];

    OK(cusparseCreateDnMat(&db, b_rows, b_columns, ldb, b.device, type,
                           order_b));
    OK(cusparseCreateDnMat(&dc, rows, n, ldc, c.device, type_c, order_c));
    OK(cusparseDnMatSetStridedBatch(db, batches, b_size));
    OK(cusparseDnMatSetStridedBatch(dc, batches, c_size));
    OK(cusparseSpMM_bufferSize(h, op_a, op_b, s.a, m->descriptor, db, s.b, dc,
                               sum_type(type), 0, &bytes));
    buffer = device(NULL, bytes);
    OK(cusparseSpMM(h, op_a, op_b, s.a, m->descriptor, db, s.b, dc,
                    sum_type(type), 0, buffer));
    for (int k = 0; k < batches; k++) {
        for (int i = 0; i < rows; i++) {
            for (int j = 0; j < n; j++) {
                double sum[2] = {0, 0}, z[2], y[2];

                for (int l = 0; l < depth; l++) {
                    int64_t at = op_b == 0 ? dense_at(l, j, ldb, order_b)
                                           : dense_at(j, l, ldb, order_b);

                    y[0] = b.z[2 * (k * b_size + at)];
                    y[1] = b.z[2 * (k * b_size + at) + 1];
                    y[1] = op_b == 2 ? -y[1] : y[1];
                    add_product(sum, element(m, op_a, i, l, z), y);
                }
                finish(c.z + 2 * (k * c_size + dense_at(i, j, ldc, order_c)),
                       s.alpha, sum, s.beta);
            }
        }
    }
    snprintf(what, sizeof what,
             "SpMM format %d op %d %d n %d orders %d %d type %d batches %d",
             m->format, op_a, op_b, n, order_b, order_c, type, batches);
    if (compare(what, &c))
        return 1;
    cusparseDestroyDnMat(db);
    cusparseDestroyDnMat(dc);
    cudaFree(buffer);
    drop_numbers(&b);
    drop_numbers(&c);
    return 0;
}

static int matrix_products(void *h)
{
    static const int columns[] = {1, 5, 70};

    for (int format = CSR; format <= COO; format++) {
        for (int t = 0; t < TYPES; t++) {
            struct matrix m =
                make_matrix(37, 29, 20, format, t == 1 ? INDEX_64 : INDEX_32,
                            t & 1, all_types[t]);

            for (int i = 0; i < 3; i++) {
                for (int op = 0; op < 2; op++) {
                    int order = BY_COLUMNS + (i + t + op) % 2;

                    if (mm(h, &m, op, i % 2, columns[i], order, BY_ROWS, 1,
                           all_types[t]) ||
                        mm(h, &m, op, 0, columns[i], order, BY_COLUMNS, 2,
                           all_types[t]))
                        return 1;
                }
            }
            if (is_complex(all_types[t]) &&
                mm(h, &m, 2, 2, 5, BY_ROWS, BY_ROWS, 1, all_types[t]))
                return 1;
            if (t == 2 && mm(h, &m, 0, 0, 5, BY_ROWS, BY_ROWS, 1, R_32F))
                return 1;
            drop_matrix(&m);
        }
    }
    return 0;
}

/* Each of a batch has its own entries in the same places. */
static int batches(void *h)
{
    struct matrix m = make_matrix(20, 30, 20, CSR, INDEX_32, 0, R_32F),
                  other = m;
    struct numbers all = make_numbers(2 * m.nnz, R_32F);
    struct numbers b = make_numbers(30 * 8, R_32F),
                   c = make_numbers(2 * 160, R_32F);
    int *twice = malloc((size_t)m.nnz * 2 * sizeof *twice);
    struct scalars s = make_scalars(R_32F, 0);
    void *db, *dc;

    if (cudaMemcpy(twice, m.second, (size_t)m.nnz * 4, TO_HOST) != 0)
        return failed("copy", 1, 0);
    memcpy(twice + m.nnz, twice, (size_t)m.nnz * 4);
    OK(cusparseCsrSetPointers(m.descriptor, m.first,
                              device(twice, (size_t)m.nnz * 8), all.device));
    OK(cusparseCsrSetStridedBatch(m.descriptor, 2, 0, m.nnz));
    OK(cusparseCreateDnMat(&db, 30, 8, 8, b.device, R_32F, BY_ROWS));
    OK(cusparseDnMatSetStridedBatch(db, 2, 0));
    OK(cusparseCreateDnMat(&dc, 20, 8, 8, c.device, R_32F, BY_ROWS));
    OK(cusparseDnMatSetStridedBatch(dc, 2, 160));
    OK(cusparseSpMM(h, 0, 0, s.a, m.descriptor, db, s.b, dc, R_32F, 0, NULL));
    memset(c.z, 0, 2 * 320 * sizeof *c.z);
    for (int k = 0; k < 2; k++) {
        for (int64_t i = 0; i < m.nnz; i++) {
            int64_t row = m.place[i] / 30, column = m.place[i] % 30;

            for (int j = 0; j < 8; j++)
                c.z[2 * (k * 160 + row * 8 + j)] += 1.5 *
                                                    all.z[2 * (k * m.nnz + i)] *
                                                    b.z[2 * (column * 8 + j)];
        }
    }
    (void)other;
    return compare("SpMM of a batch", &c);
}

static int sampled_products(void *h)
{
    for (int t = 0; t < TYPES; t++) {
        int type = all_types[t];

        for (int depth = 3; depth < 50; depth += 40) {
            for (int op = 0; op < 2; op++) {
                struct matrix m =
                    make_matrix(23, 31, 20, CSR, INDEX_32 + op, op, type);
                struct numbers a = make_numbers(23 * depth, type);
                struct numbers b = make_numbers(31 * depth, type);
                struct scalars s = make_scalars(type, 2);
                void *da, *db, *buffer;
                size_t bytes;

                /* rows of A and columns of B lie side by side, or neither */
                OK(cusparseCreateDnMat(&da, op ? depth : 23, op ? 23 : depth,
                                       op ? 23 : depth, a.device, type,
                                       BY_ROWS));
                OK(cusparseCreateDnMat(&db, op ? 31 : depth, op ? depth : 31,
                                       op ? 31 : depth, b.device, type,
                                       BY_COLUMNS));
                OK(cusparseSDDMM_bufferSize(h, op, op, s.a, da, db, s.b,
                                            m.descriptor, sum_type(type), 0,
                                            &bytes));
                buffer = device(NULL, bytes);
                OK(cusparseSDDMM(h, op, op, s.a, da, db, s.b, m.descriptor,
                                 sum_type(type), 0, buffer));
                for (int64_t i = 0; i < m.nnz; i++) {
                    int row = (int)(m.place[i] / 31);
                    int column = (int)(m.place[i] % 31);
                    double sum[2] = {0, 0};

                    for (int k = 0; k < depth; k++)
                        add_product(
                            sum,
                            a.z + 2 * (op ? k * 23 + row : row * depth + k),
                            b.z + 2 * (op ? k * 31 + column
                                          : column * depth + k));
                    finish(m.values.z + 2 * i, s.alpha, sum, s.beta);
                }
                if (compare("SDDMM", &m.values))
                    return 1;
                drop_matrix(&m);
            }
        }
    }
    return 0;
}

/* ---- sparse vectors ------------------------------------------------------------------------- */

static int vectors(void *h)
{
    enum {
        N = 1000,
        NNZ = 300
    };

    for (int t = 0; t < TYPES; t++) {
        int type = all_types[t], base = t & 1;
        int index = t & 2 ? INDEX_64 : INDEX_32;
        struct numbers x = make_numbers(NNZ, type), y = make_numbers(N, type);
        struct scalars s = make_scalars(type, 2);
        int64_t at[NNZ];
        double sum[2] = {0, 0}, got[2];
        char result[16];
        void *dx, *dy, *buffer;
        size_t bytes;

        for (int i = 0; i < NNZ; i++)
            at[i] = i * 3 + (int)(bits_drawn() % 3);
        OK(cusparseCreateSpVec(&dx, N, NNZ,
                               device_indices(at, NNZ, index, base), x.device,
                               index, base, type));
        OK(cusparseCreateDnVec(&dy, N, y.device, type));
        OK(cusparseSpVV_bufferSize(h, 2, dx, dy, result, sum_type(type),
                                   &bytes));
        buffer = device(NULL, bytes);
        OK(cusparseSpVV(h, 2, dx, dy, result, sum_type(type), buffer));
        read_number(result, 0, sum_type(type), got);
        for (int i = 0; i < NNZ; i++) {
            double z[2] = {x.z[2 * i], -x.z[2 * i + 1]};

            add_product(sum, z, y.z + 2 * at[i]);
        }
        if (fabs(got[0] - sum[0]) > 1e-3 || fabs(got[1] - sum[1]) > 1e-3)
            return failed("SpVV", got[0], sum[0]);

        OK(cusparseAxpby(h, s.a, dx, s.b, dy));
        for (int i = 0; i < N; i++) {
            double z[2] = {0, 0};

            add_product(z, s.beta, y.z + 2 * i);
            memcpy(y.z + 2 * i, z, sizeof z);
        }
        for (int i = 0; i < NNZ; i++)
            add_product(y.z + 2 * at[i], s.alpha, x.z + 2 * i);
        if (compare("Axpby", &y))
            return 1;
        put_numbers(&y); /* as they are exactly */
        if (bytes_of(type) > 2) {
            OK(cusparseRot(h, s.b, s.a, dx, dy));
            for (int i = 0; i < NNZ; i++) {
                double *px = x.z + 2 * i, *py = y.z + 2 * at[i];
                double zx[2] = {0, 0}, zy[2] = {0, 0};
                double minus[2] = {-s.alpha[0], s.alpha[1]};

                add_product(zx, s.beta, px);
                add_product(zx, s.alpha, py);
                add_product(zy, s.beta, py);
                add_product(zy, minus, px);
                memcpy(px, zx, sizeof zx);
                memcpy(py, zy, sizeof zy);
            }
            if (compare("Rot, x", &x) || compare("Rot, y", &y))
                return 1;
        }
        OK(cusparseScatter(h, dx, dy));
        for (int i = 0; i < NNZ; i++)
            memcpy(y.z + 2 * at[i], x.z + 2 * i, 2 * sizeof *x.z);
        if (compare("Scatter", &y))
            return 1;
        for (int i = 0; i < N; i++)
            y.z[2 * i] = eighths();
        put_numbers(&y);
        OK(cusparseGather(h, dy, dx));
        for (int i = 0; i < NNZ; i++)
            memcpy(x.z + 2 * i, y.z + 2 * at[i], 2 * sizeof *x.z);
        if (compare("Gather", &x))
            return 1;
        OK(cusparseDestroySpVec(dx));
    }
    return 0;
}

/* ---- formats ----------------------------------------------------------------------------------- */

static int compare_indices(const char *what, const void *at,
                           const int64_t *want, int64_t n, int index, int base)
{
    int64_t *wide = calloc((size_t)n + 1, sizeof *wide);
    int *narrow = calloc((size_t)n + 1, sizeof *narrow);
    int status = 0;

    if (cudaMemcpy(index == INDEX_32 ? (void *)narrow : wide, at,
                   (size_t)n * (index == INDEX_32 ? 4 : 8), TO_HOST) != 0)
        return failed(what, 1, 0);
    for (int64_t i = 0; i < n && status == 0; i++) {
        int64_t got = index == INDEX_32 ? narrow[i] : wide[i];

        if (got != want[i] + base)
            status = failed(what, (double)got, (double)(want[i] + base));
    }
    free(wide);
    free(narrow);
    return status;
}

static int dense_and_back(void *h, int format, int index, int type, int order)
{
    int rows = 45, columns = 33, base = index == INDEX_64;
    struct matrix m = make_matrix(rows, columns, 20, format, index, base, type);
    int ld = (order == BY_ROWS ? columns : rows) + 2;
    int majors = format == CSC ? columns : rows;
    struct numbers d =
        make_numbers((int64_t)ld * (order == BY_ROWS ? rows : columns), type);
    int64_t *indices = calloc((size_t)m.nnz + 64, sizeof *indices);
    int64_t *offsets = calloc((size_t)majors + 1, sizeof *offsets);
    struct numbers values = make_numbers(m.nnz, type);
    void *dense, *sparse, *buffer;
    void *first = device(NULL, (size_t)(m.nnz + 64) * 8);
    void *second = device(NULL, (size_t)(m.nnz + 64) * 8);
    int64_t n_rows, n_columns, nnz;
    size_t bytes;

    OK(cusparseCreateDnMat(&dense, rows, columns, ld, d.device, type, order));
    OK(cusparseSparseToDense_bufferSize(h, m.descriptor, dense, 0, &bytes));
    buffer = device(NULL, bytes);
    OK(cusparseSparseToDense(h, m.descriptor, dense, 0, buffer));
    for (int i = 0; i < rows; i++) {
        for (int j = 0; j < columns; j++)
            memcpy(d.z + 2 * dense_at(i, j, ld, order),
                   m.dense + 2 * (i * columns + j), 2 * sizeof *d.z);
    }
    if (compare("SparseToDense", &d))
        return 1;
    d.z[0] = -0.0; /* row 3 is empty: one of them is no entry either */
    if (m.dense[0] != 0)
        d.z[0] = m.dense[0];
    put_numbers(&d);
    OK(format == CSR ? cusparseCreateCsr(&sparse, rows, columns, 0, first, NULL,
                                         NULL, index, index, base, type)
       : format == CSC ? cusparseCreateCsc(&sparse, rows, columns, 0, first,
                                           NULL, NULL, index, index, base, type)
                       : cusparseCreateCoo(&sparse, rows, columns, 0, NULL,
                                           NULL, NULL, index, base, type));
    OK(cusparseDenseToSparse_bufferSize(h, dense, sparse, 0, &bytes));
    buffer = device(NULL, bytes);
    OK(cusparseDenseToSparse_analysis(h, dense, sparse, 0, buffer));
    OK(cusparseSpMatGetSize(sparse, &n_rows, &n_columns, &nnz));
    if (nnz != m.nnz)
        return failed("DenseToSparse, entries", (double)nnz, (double)m.nnz);
    OK(format == CSR
           ? cusparseCsrSetPointers(sparse, first, second, values.device)
       : format == CSC
           ? cusparseCscSetPointers(sparse, first, second, values.device)
           : cusparseCooSetPointers(sparse, first, second, values.device));
    OK(cusparseDenseToSparse_convert(h, dense, sparse, 0, buffer));
    memcpy(values.z, m.values.z, (size_t)m.nnz * 2 * sizeof *values.z);
    if (compare("DenseToSparse", &values))
        return 1;
    for (int64_t i = 0; i < m.nnz; i++) {
        int64_t row = m.place[i] / columns, column = m.place[i] % columns;
        int64_t major = format == CSC ? column : row;

        indices[i] = format == CSC ? row : column;
        for (int64_t k = major + 1; k <= majors; k++)
            offsets[k]++;
    }
    if (compare_indices("DenseToSparse, indices", second, indices, m.nnz, index,
                        base))
        return 1;
    if (format != COO)
        return compare_indices("DenseToSparse, offsets", first, offsets,
                               majors + 1, index, base);
    for (int64_t i = 0; i < m.nnz; i++)
        indices[i] = m.place[i] / columns;
    return compare_indices("DenseToSparse, rows", first, indices, m.nnz, index,
                           base);
}

/* Rows, columns and numbers of entries in any order. */
struct item {
    int row, column, number;
};

static int by_row(const void *a, const void *b)
{
    const struct item *x = a, *y = b;

    return x->row != y->row ? (x->row > y->row) - (x->row < y->row)
           : x->column != y->column
               ? (x->column > y->column) - (x->column < y->column)
               : x->number - y->number;
}

static int by_column(const void *a, const void *b)
{
    const struct item *x = a, *y = b;
    struct item u = {x->column, x->row, x->number};
    struct item v = {y->column, y->row, y->number};

    return by_row(&u, &v);
}

static int sorted(void *h, int n, int rows, int columns, int is_by_column)
{
    struct item *items = malloc(((size_t)n + 1) * sizeof *items);
    int *parts[3], *devices[3];
    int64_t *want = malloc(((size_t)n + 1) * sizeof *want);
    size_t bytes;
    void *buffer;

    for (int i = 0; i < n; i++)
        items[i] = (struct item){(int)(bits_drawn() % (unsigned)rows),
                                 (int)(bits_drawn() % (unsigned)columns), i};
    for (int k = 0; k < 3; k++) {
        parts[k] = malloc(((size_t)n + 1) * sizeof *parts[k]);
        for (int i = 0; i < n; i++)
            parts[k][i] = k == 0 ? items[i].row : items[i].column;
        devices[k] = device(parts[k], (size_t)n * sizeof *parts[k]);
    }
    OK(cusparseXcoosort_bufferSizeExt(h, rows, columns, n, devices[0],
                                      devices[1], &bytes));
    buffer = device(NULL, bytes);
    OK(cusparseCreateIdentityPermutation(h, n, devices[2]));
    OK((is_by_column ? cusparseXcoosortByColumn : cusparseXcoosortByRow)(
        h, rows, columns, n, devices[0], devices[1], devices[2], buffer));
    qsort(items, (size_t)n, sizeof *items, is_by_column ? by_column : by_row);
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < n; i++)
            want[i] = k == 0   ? items[i].row
                      : k == 1 ? items[i].column
                               : items[i].number;
        if (compare_indices("Xcoosort", devices[k], want, n, INDEX_32, 0))
            return 1;
    }
    return 0;
}

static int csr_sorted(void *h)
{
    int offsets[] = {1, 4, 4, 9}, column[] = {3, 1, 2, 5, 4, 1, 3, 2};
    int64_t want[] = {1, 2, 3, 1, 2, 3, 4, 5};
    int64_t numbers[] = {1, 2, 0, 5, 7, 6, 4, 3};
    void *o = device(offsets, sizeof offsets),
         *c = device(column, sizeof column);
    void *p = device(NULL, sizeof column), *d;
    size_t bytes;

    OK(cusparseCreateMatDescr(&d));
    OK(cusparseSetMatIndexBase(d, 1));
    if (cusparseGetMatIndexBase(d) != 1)
        return failed("GetMatIndexBase", 0, 1);
    OK(cusparseXcsrsort_bufferSizeExt(h, 3, 5, 8, o, c, &bytes));
    OK(cusparseCreateIdentityPermutation(h, 8, p));
    OK(cusparseXcsrsort(h, 3, 5, 8, d, o, c, p, device(NULL, bytes)));
    return compare_indices("Xcsrsort", c, want, 8, INDEX_32, 0) ||
           compare_indices("Xcsrsort, numbers", p, numbers, 8, INDEX_32, 0);
}

static int columns_of(void *h, int rows, int columns, int percent, int base)
{
    double *dense = draw_dense(rows, columns, percent, R_64F);
    double *copy = malloc((size_t)rows * columns * 2 * sizeof *copy + 16);
    struct matrix m, other;
    struct numbers values;
    void *to_first = device(NULL, (size_t)(columns + 1) * 4), *to_second,
         *buffer;
    void *row_of, *offsets = device(NULL, (size_t)(rows + 1) * 4);
    int64_t *want = calloc((size_t)rows * columns + (unsigned)(rows + columns),
                           sizeof *want);
    size_t bytes;

    memcpy(copy, dense, (size_t)rows * columns * 2 * sizeof *copy);
    m = take_matrix(rows, columns, dense, CSR, INDEX_32, base, R_64F);
    other = take_matrix(rows, columns, copy, CSC, INDEX_32, base, R_64F);
    values = make_numbers(m.nnz, R_64F);
    to_second = device(NULL, (size_t)m.nnz * 4);
    row_of = device(NULL, (size_t)m.nnz * 4);
    OK(cusparseCsr2cscEx2_bufferSize(
        h, rows, columns, (int)m.nnz, m.values.device, m.first, m.second,
        values.device, to_first, to_second, R_64F, 1, base, 1, &bytes));
    buffer = device(NULL, bytes);
    OK(cusparseCsr2cscEx2(h, rows, columns, (int)m.nnz, m.values.device,
                          m.first, m.second, values.device, to_first, to_second,
                          R_64F, 1, base, 1, buffer));
    memcpy(values.z, other.values.z, (size_t)m.nnz * 2 * sizeof *values.z);
    if (compare("Csr2csc", &values))
        return 1;
    for (int64_t i = 0; i < m.nnz; i++)
        want[i] = other.place[i] / columns;
    if (compare_indices("Csr2csc, rows", to_second, want, m.nnz, INDEX_32,
                        base))
        return 1;
    memset(want, 0, (size_t)(columns + 1) * sizeof *want);
    for (int64_t i = 0; i < m.nnz; i++) {
        for (int64_t k = other.place[i] % columns + 1; k <= columns; k++)
            want[k]++;
    }
    if (compare_indices("Csr2csc, offsets", to_first, want, columns + 1,
                        INDEX_32, base))
        return 1;

    OK(cusparseXcsr2coo(h, m.first, (int)m.nnz, rows, row_of, base));
    for (int64_t i = 0; i < m.nnz; i++)
        want[i] = m.place[i] / columns;
    if (compare_indices("Xcsr2coo", row_of, want, m.nnz, INDEX_32, base))
        return 1;
    OK(cusparseXcoo2csr(h, row_of, (int)m.nnz, rows, offsets, base));
    memset(want, 0, (size_t)(rows + 1) * sizeof *want);
    for (int64_t i = 0; i < m.nnz; i++) {
        for (int64_t k = m.place[i] / columns + 1; k <= rows; k++)
            want[k]++;
    }
    return compare_indices("Xcoo2csr", offsets, want, rows + 1, INDEX_32, base);
}

/* By rows and by columns, of a matrix with a gap behind its columns. */
static int counted(void *h)
{
    enum {
        ROWS = 45,
        COLUMNS = 33,
        LD = 47
    };

    double *dense = draw_dense(ROWS, COLUMNS, 20, R_64F);
    double *a = calloc(LD * COLUMNS, sizeof *a);
    int64_t counts[2][ROWS] = {{0}};
    void *d, *at, *to = device(NULL, ROWS * sizeof(int));
    int n = 0, total;

    for (int i = 0; i < ROWS; i++) {
        for (int j = 0; j < COLUMNS; j++) {
            a[j * LD + i] = dense[2 * (i * COLUMNS + j)];
            counts[0][i] += a[j * LD + i] != 0;
            counts[1][j] += a[j * LD + i] != 0;
            n += a[j * LD + i] != 0;
        }
    }
    for (int j = 0; j < COLUMNS; j++)
        a[j * LD + ROWS] = 1; /* in the gap */
    at = device(a, LD * COLUMNS * sizeof *a);
    OK(cusparseCreateMatDescr(&d));
    for (int along = 0; along < 2; along++) {
        OK(cusparseDnnz(h, along, ROWS, COLUMNS, d, at, LD, to, &total));
        if (total != n)
            return failed("nnz", total, n);
        if (compare_indices("nnz, each", to, counts[along],
                            along == 0 ? ROWS : COLUMNS, INDEX_32, 0))
            return 1;
    }
    return 0;
}

static int formats(void *h)
{
    for (int format = CSR; format <= COO; format++) {
        for (int t = 0; t < TYPES; t++) {
            if (dense_and_back(h, format, t & 1 ? INDEX_64 : INDEX_32,
                               all_types[t], BY_COLUMNS) ||
                dense_and_back(h, format, INDEX_32, all_types[t], BY_ROWS))
                return 1;
        }
    }
    return sorted(h, 1, 1, 1, 0) || sorted(h, 9000, 700, 30, 0) ||
           sorted(h, 5000, 7, 100000, 1) || csr_sorted(h) || counted(h) ||
           columns_of(h, 40, 70, 20, 0) || columns_of(h, 70, 300, 30, 1) ||
           columns_of(h, 4, 9, 0, 1);
}

/* ---- products of sparse matrices ------------------------------------------------------------------ */

/* Entries that are 0 by chance stay. */
static int compare_product(const char *what, const struct matrix *a,
                           const struct matrix *b, void *offsets, void *indices,
                           struct numbers *values, int64_t nnz)
{
    int64_t *want = calloc((size_t)(a->rows + 1), sizeof *want);
    int64_t *columns = calloc((size_t)nnz + 1, sizeof *columns);
    int64_t n = 0;

    for (int i = 0; i < a->rows; i++) {
        for (int j = 0; j < b->columns; j++) {
            double sum[2] = {0, 0}, zero[2] = {0, 0}, alpha[2] = {1.5, 0};
            double x[2], y[2];
            int has = 0;

            alpha[1] = is_complex(values->type) ? -0.5 : 0;
            for (int k = 0; k < a->columns; k++) {
                element(a, 0, i, k, x);
                element(b, 0, k, j, y);
                has |= (x[0] != 0 || x[1] != 0) && (y[0] != 0 || y[1] != 0);
                add_product(sum, x, y);
            }
            if (!has)
                continue;
            if (n == nnz)
                return failed(what, (double)nnz, (double)n + 1);
            columns[n] = j;
            finish(values->z + 2 * n++, alpha, sum, zero);
        }
        want[i + 1] = n;
    }
    if (n != nnz)
        return failed(what, (double)nnz, (double)n);
    return compare(what, values) ||
           compare_indices(what, offsets, want, a->rows + 1, a->index,
                           a->base) ||
           compare_indices(what, indices, columns, nnz, a->index, a->base);
}

static int gemm(void *h, int rows, int depth, int columns, int percent,
                int type, int index)
{
    int base = index == INDEX_64;
    struct matrix a = make_matrix(rows, depth, percent, CSR, index, base, type);
    struct matrix b = make_matrix(depth, columns, percent, CSR, index, 0, type);
    struct scalars s = make_scalars(type, 0);
    struct numbers values;
    void *c, *d, *one, *two, *indices;
    void *offsets = device(NULL, (size_t)(rows + 1) * 8);
    size_t bytes;
    int64_t n_rows, n_columns, nnz;

    s.alpha[1] = is_complex(type) ? -0.5 : 0;
    OK(cusparseCreateCsr(&c, rows, columns, 0, offsets, NULL, NULL, index,
                         index, base, type));
    OK(cusparseSpGEMM_createDescr(&d));
    OK(cusparseSpGEMM_workEstimation(h, 0, 0, s.a, a.descriptor, b.descriptor,
                                     s.b, c, sum_type(type), 0, d, &bytes,
                                     NULL));
    one = device(NULL, bytes);
    OK(cusparseSpGEMM_workEstimation(h, 0, 0, s.a, a.descriptor, b.descriptor,
                                     s.b, c, sum_type(type), 0, d, &bytes,
                                     one));
    OK(cusparseSpGEMM_compute(h, 0, 0, s.a, a.descriptor, b.descriptor, s.b, c,
                              sum_type(type), 0, d, &bytes, NULL));
    two = device(NULL, bytes);
    OK(cusparseSpGEMM_compute(h, 0, 0, s.a, a.descriptor, b.descriptor, s.b, c,
                              sum_type(type), 0, d, &bytes, two));
    OK(cusparseSpMatGetSize(c, &n_rows, &n_columns, &nnz));
    indices = device(NULL, (size_t)nnz * 8);
    values = make_numbers(nnz, type);
    OK(cusparseCsrSetPointers(c, offsets, indices, values.device));
    OK(cusparseSpGEMM_copy(h, 0, 0, s.a, a.descriptor, b.descriptor, s.b, c,
                           sum_type(type), 0, d));
    OK(cusparseSpGEMM_destroyDescr(d));
    return compare_product("SpGEMM", &a, &b, offsets, indices, &values, nnz);
}

/* Twice, with other values. */
static int gemm_again(void *h)
{
    struct matrix a = make_matrix(30, 40, 15, CSR, INDEX_32, 0, R_32F);
    struct matrix b = make_matrix(40, 300, 15, CSR, INDEX_32, 0, R_32F);
    struct scalars s = make_scalars(R_32F, 0);
    struct numbers values;
    void *c, *d, *buffer[6], *indices, *offsets = device(NULL, 31 * 4);
    size_t bytes[6];
    int64_t rows, columns, nnz;

    OK(cusparseCreateCsr(&c, 30, 300, 0, offsets, NULL, NULL, INDEX_32,
                         INDEX_32, 0, R_32F));
    OK(cusparseSpGEMM_createDescr(&d));
    for (int i = 0; i < 6; i++)
        buffer[i] = NULL;
    for (int turn = 0; turn < 2; turn++) {
        OK(cusparseSpGEMMreuse_workEstimation(h, 0, 0, a.descriptor,
                                              b.descriptor, c, 0, d, &bytes[1],
                                              buffer[1]));
        buffer[1] = device(NULL, bytes[1]);
    }
    for (int turn = 0; turn < 2; turn++) {
        OK(cusparseSpGEMMreuse_nnz(h, 0, 0, a.descriptor, b.descriptor, c, 0, d,
                                   &bytes[2], buffer[2], &bytes[3], buffer[3],
                                   &bytes[4], buffer[4]));
        for (int i = 2; i < 5 && turn == 0; i++)
            buffer[i] = device(NULL, bytes[i]);
    }
    for (int i = 1; i < 3; i++)
        cudaFree(buffer[i]);
    OK(cusparseSpMatGetSize(c, &rows, &columns, &nnz));
    indices = device(NULL, (size_t)nnz * 4);
    values = make_numbers(nnz, R_32F);
    OK(cusparseCsrSetPointers(c, offsets, indices, values.device));
    OK(cusparseSpGEMMreuse_copy(h, 0, 0, a.descriptor, b.descriptor, c, 0, d,
                                &bytes[5], NULL));
    OK(cusparseSpGEMMreuse_copy(h, 0, 0, a.descriptor, b.descriptor, c, 0, d,
                                &bytes[5], device(NULL, bytes[5])));
    for (int turn = 0; turn < 2; turn++) {
        OK(cusparseSpGEMMreuse_compute(h, 0, 0, s.a, a.descriptor, b.descriptor,
                                       s.b, c, R_32F, 0, d));
        if (compare_product("SpGEMMreuse", &a, &b, offsets, indices, &values,
                            nnz))
            return 1;
        for (int64_t i = 0; i < a.nnz; i++)
            a.values.z[2 * i] = a.dense[2 * a.place[i]] = eighths();
        put_numbers(&a.values);
    }
    return 0;
}

static int sparse_sum(void *h)
{
    struct matrix a = make_matrix(40, 50, 20, CSR, INDEX_32, 1, R_64F);
    struct matrix b = make_matrix(40, 50, 20, CSR, INDEX_32, 0, R_64F);
    double alpha = 1.5, beta = -0.25;
    struct numbers values;
    void *da, *db, *offsets = device(NULL, 41 * 4), *indices, *buffer;
    int64_t want[41] = {0}, *columns;
    int nnz, n = 0;
    size_t bytes;

    OK(cusparseCreateMatDescr(&da));
    OK(cusparseCreateMatDescr(&db));
    OK(cusparseSetMatIndexBase(da, 1));
    OK(cusparseDcsrgeam2_bufferSizeExt(
        h, 40, 50, &alpha, da, (int)a.nnz, a.values.device, a.first, a.second,
        &beta, db, (int)b.nnz, b.values.device, b.first, b.second, da, NULL,
        offsets, NULL, &bytes));
    buffer = device(NULL, bytes);
    OK(cusparseXcsrgeam2Nnz(h, 40, 50, da, (int)a.nnz, a.first, a.second, db,
                            (int)b.nnz, b.first, b.second, da, offsets, &nnz,
                            buffer));
    indices = device(NULL, (size_t)nnz * 4);
    values = make_numbers(nnz, R_64F);
    columns = calloc((size_t)nnz + 1, sizeof *columns);
    OK(cusparseDcsrgeam2(h, 40, 50, &alpha, da, (int)a.nnz, a.values.device,
                         a.first, a.second, &beta, db, (int)b.nnz,
                         b.values.device, b.first, b.second, da, values.device,
                         offsets, indices, buffer));
    for (int i = 0; i < 2000; i++) {
        if (a.dense[2 * i] != 0 || b.dense[2 * i] != 0) {
            if (n == nnz)
                return failed("csrgeam2, entries", nnz, n + 1);
            columns[n] = i % 50;
            values.z[2 * n++] = 1.5 * a.dense[2 * i] - 0.25 * b.dense[2 * i];
        }
        want[i / 50 + 1] = n;
    }
    if (n != nnz)
        return failed("csrgeam2, entries", nnz, n);
    return compare("csrgeam2", &values) ||
           compare_indices("csrgeam2, offsets", offsets, want, 41, INDEX_32,
                           1) ||
           compare_indices("csrgeam2, columns", indices, columns, nnz, INDEX_32,
                           1);
}

static int sparse_products(void *h)
{
    for (int t = 0; t < TYPES; t++) {
        if (gemm(h, 30, 40, 50, 15, all_types[t], t & 1 ? INDEX_64 : INDEX_32))
            return 1;
    }
    return gemm(h, 5, 5, 5, 0, R_32F, INDEX_32) ||
           gemm(h, 60, 20, 500, 25, R_32F, INDEX_32) || gemm_again(h) ||
           sparse_sum(h);
}

/* ---- rows that wait for others --------------------------------------------------------------------- */

/* A matrix with a heavy diagonal; `same`: it is its own mirror image. */
static double *draw_heavy(int n, int percent, int type, int same)
{
    double *dense = draw_dense(n, n, percent, type);

    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n && same; j++) {
            if (j < i)
                dense[2 * (i * n + j)] = dense[2 * (j * n + i)];
        }
        dense[2 * (i * n + i)] = 3.0 * n + i;
        dense[2 * (i * n + i) + 1] = 0;
    }
    return dense;
}

static void divide(double *z, const double *by)
{
    double d = by[0] * by[0] + by[1] * by[1];
    double x = (z[0] * by[0] + z[1] * by[1]) / d;

    z[1] = (z[1] * by[0] - z[0] * by[1]) / d;
    z[0] = x;
}

/* Of a triangle of op(A), one column of the right side, in place. */
static void solve(const struct matrix *m, int op, int upper, int unit,
                  double *z, int stride)
{
    int n = m->rows, down = upper == (op == 0);

    for (int turn = 0; turn < n; turn++) {
        int i = down ? n - 1 - turn : turn;
        double a[2], minus[2];

        for (int j = 0; j < n; j++) {
            if (down ? j <= i : j >= i)
                continue;
            element(m, op, i, j, a);
            minus[0] = -a[0];
            minus[1] = -a[1];
            add_product(z + 2 * i * stride, minus, z + 2 * j * stride);
        }
        if (!unit)
            divide(z + 2 * i * stride, element(m, op, i, i, a));
    }
}

static int triangle(void *h, int format, int op, int upper, int unit, int type)
{
    enum {
        N = 75,
        COLUMNS = 35
    };
    int index = op == 1 ? INDEX_64 : INDEX_32;
    struct matrix m = take_matrix(N, N, draw_heavy(N, 10, type, 0), format,
                                  index, op == 1, type);
    struct numbers b = make_numbers(N * COLUMNS, type);
    struct numbers c = make_numbers(N * COLUMNS, type);
    struct scalars s = make_scalars(type, 0);
    void *dx, *dy, *db, *dc, *d;
    size_t bytes;

    if (unit) { /* so that sums stay small */
        for (int64_t i = 0; i < m.nnz; i++) {
            double *z = m.dense + 2 * m.place[i];

            z[0] /= 64;
            z[1] /= 64;
            memcpy(m.values.z + 2 * i, z, 2 * sizeof *z);
        }
        put_numbers(&m.values);
    }
    OK(cusparseSpMatSetAttribute(m.descriptor, 0, &upper, sizeof upper));
    OK(cusparseSpMatSetAttribute(m.descriptor, 1, &unit, sizeof unit));
    OK(cusparseCreateDnVec(&dx, N, b.device, type));
    OK(cusparseCreateDnVec(&dy, N, c.device, type));
    OK(cusparseSpSV_createDescr(&d));
    OK(cusparseSpSV_bufferSize(h, op, s.a, m.descriptor, dx, dy, type, 0, d,
                               &bytes));
    OK(cusparseSpSV_analysis(h, op, s.a, m.descriptor, dx, dy, type, 0, d,
                             device(NULL, bytes)));
    OK(cusparseSpSV_solve(h, op, s.a, m.descriptor, dx, dy, type, 0, d));
    OK(cusparseSpSV_solve(h, op, s.a, m.descriptor, dx, dy, type, 0, d));
    for (int i = 0; i < N; i++) {
        c.z[2 * i] = c.z[2 * i + 1] = 0;
        add_product(c.z + 2 * i, s.alpha, b.z + 2 * i);
    }
    solve(&m, op, upper, unit, c.z, 1);
    if (compare("SpSV", &c))
        return 1;

    OK(cusparseCreateDnMat(&db, COLUMNS, N, N, b.device, type, BY_ROWS));
    OK(cusparseCreateDnMat(&dc, N, COLUMNS, COLUMNS, c.device, type, BY_ROWS));
    OK(cusparseSpSM_createDescr(&d));
    OK(cusparseSpSM_bufferSize(h, op, 1, s.a, m.descriptor, db, dc, type, 0, d,
                               &bytes));
    OK(cusparseSpSM_analysis(h, op, 1, s.a, m.descriptor, db, dc, type, 0, d,
                             device(NULL, bytes)));
    OK(cusparseSpSM_solve(h, op, 1, s.a, m.descriptor, db, dc, type, 0, d));
    for (int j = 0; j < COLUMNS; j++) {
        for (int i = 0; i < N; i++) {
            double *z = c.z + 2 * (i * COLUMNS + j);

            z[0] = z[1] = 0;
            add_product(z, s.alpha, b.z + 2 * (j * N + i));
        }
        solve(&m, op, upper, unit, c.z + 2 * j, COLUMNS);
    }
    if (compare("SpSM", &c))
        return 1;
    drop_matrix(&m);
    drop_numbers(&b);
    drop_numbers(&c);
    return 0;
}

/* Factors where A has entries, by its definition. */
static void factor(double *a, int n, int is_cholesky)
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            double sum = a[2 * (i * n + j)];
            int least = i < j ? i : j;

            if (sum == 0 || (is_cholesky && j > i))
                continue;
            for (int k = 0; k < least; k++)
                sum -= a[2 * (i * n + k)] *
                       (is_cholesky ? a[2 * (j * n + k)] : a[2 * (k * n + j)]);
            if (is_cholesky)
                sum = i == j ? sqrt(sum) : sum / a[2 * (j * n + j)];
            else if (j < i)
                sum /= a[2 * (j * n + j)];
            a[2 * (i * n + j)] = sum;
        }
    }
}

static int factors(void *h)
{
    enum {
        N = 70
    };

    for (int base = 0; base < 2; base++) {
        for (int is_cholesky = 0; is_cholesky < 2; is_cholesky++) {
            struct matrix m =
                take_matrix(N, N, draw_heavy(N, 12, R_64F, is_cholesky), CSR,
                            INDEX_32, base, R_64F);
            void *d, *info, *buffer;
            int bytes, pivot;

            OK(cusparseCreateMatDescr(&d));
            OK(cusparseSetMatIndexBase(d, base));
            if (is_cholesky) {
                OK(cusparseCreateCsric02Info(&info));
                OK(cusparseDcsric02_bufferSize(h, N, (int)m.nnz, d,
                                               m.values.device, m.first,
                                               m.second, info, &bytes));
                buffer = device(NULL, (size_t)bytes);
                OK(cusparseDcsric02_analysis(h, N, (int)m.nnz, d,
                                             m.values.device, m.first, m.second,
                                             info, 1, buffer));
                OK(cusparseDcsric02(h, N, (int)m.nnz, d, m.values.device,
                                    m.first, m.second, info, 1, buffer));
                OK(cusparseXcsric02_zeroPivot(h, info, &pivot));
            } else {
                OK(cusparseCreateCsrilu02Info(&info));
                OK(cusparseDcsrilu02_bufferSize(h, N, (int)m.nnz, d,
                                                m.values.device, m.first,
                                                m.second, info, &bytes));
                buffer = device(NULL, (size_t)bytes);
                OK(cusparseDcsrilu02_analysis(h, N, (int)m.nnz, d,
                                              m.values.device, m.first,
                                              m.second, info, 1, buffer));
                OK(cusparseDcsrilu02(h, N, (int)m.nnz, d, m.values.device,
                                     m.first, m.second, info, 1, buffer));
                OK(cusparseXcsrilu02_zeroPivot(h, info, &pivot));
            }
            if (pivot != -1)
                return failed("zeroPivot", pivot, -1);
            factor(m.dense, N, is_cholesky);
            for (int64_t i = 0; i < m.nnz; i++)
                m.values.z[2 * i] = m.dense[2 * m.place[i]];
            if (compare(is_cholesky ? "csric02" : "csrilu02", &m.values))
                return 1;
        }
    }
    return 0;
}

/* A diagonal's element that is missing, and one that is 0. */
static int pivots(void *h)
{
    int offsets[] = {0, 1, 2, 3}, column[] = {0, 2, 2};
    double missing[] = {1, 1, 1}, zero[] = {1, 1, 0};
    void *o = device(offsets, sizeof offsets),
         *c = device(column, sizeof column);
    void *d, *info, *a = device(missing, sizeof missing);
    void *buffer = device(NULL, 1024);
    int pivot = -1, status;

    OK(cusparseCreateMatDescr(&d));
    OK(cusparseCreateCsrilu02Info(&info));
    OK(cusparseDcsrilu02_analysis(h, 3, 3, d, a, o, c, info, 0, buffer));
    status = cusparseXcsrilu02_zeroPivot(h, info, &pivot);
    if (status != ZERO_PIVOT || pivot != 1)
        return failed("zeroPivot of a missing element", pivot, 1);
    column[1] = 1;
    c = device(column, sizeof column);
    a = device(zero, sizeof zero);
    OK(cusparseDcsrilu02_analysis(h, 3, 3, d, a, o, c, info, 0, buffer));
    OK(cusparseXcsrilu02_zeroPivot(h, info, &pivot));
    OK(cusparseDcsrilu02(h, 3, 3, d, a, o, c, info, 0, buffer));
    status = cusparseXcsrilu02_zeroPivot(h, info, &pivot);
    return status != ZERO_PIVOT || pivot != 2
               ? failed("zeroPivot of a 0", pivot, 2)
               : 0;
}

static int triangles(void *h)
{
    static const int types[] = {R_32F, R_64F, C_32F, C_64F};

    for (int format = CSR; format <= COO; format++) {
        for (int op = 0; op < 3; op++) {
            for (int i = 0; i < 4; i++) {
                if (triangle(h, format, op, i & 1, i >> 1, types[i]))
                    return 1;
            }
        }
    }
    return factors(h) || pivots(h);
}

/* ---- handles --------------------------------------------------------------------------------------- */

/* Numbers on the device, and a product that a graph repeats. */
static int handles(void *h)
{
    struct matrix m = make_matrix(50, 40, 20, CSC, INDEX_32, 0, R_32F);
    struct numbers x = make_numbers(40, R_32F), y = make_numbers(50, R_32F);
    float one = 1, half = 0.5f;
    void *alpha = device(&one, 4), *beta = device(&half, 4);
    void *dx, *dy, *stream, *graph, *exec, *got[3];
    const void *same;
    int version, kinds[4];
    int64_t sizes[3];

    OK(cusparseGetVersion(h, &version));
    if (version / 1000 != 12 ||
        strcmp(cusparseGetErrorName(ZERO_PIVOT), "CUSPARSE_STATUS_ZERO_PIVOT"))
        return failed("version", version, 12000);
    OK(cudaStreamCreate(&stream));
    OK(cusparseSetStream(h, stream));
    OK(cusparseSetPointerMode(h, 1));
    OK(cusparseCreateDnVec(&dx, 40, x.device, R_32F));
    OK(cusparseCreateDnVec(&dy, 50, y.device, R_32F));
    OK(cudaStreamBeginCapture(stream, 0));
    OK(cusparseSpMV(h, 0, alpha, m.descriptor, dx, beta, dy, R_32F, 0, NULL));
    OK(cudaStreamEndCapture(stream, &graph));
    OK(cudaGraphInstantiate(&exec, graph, 0));
    for (int turn = 0; turn < 2; turn++) {
        OK(cudaGraphLaunch(exec, stream));
        for (int i = 0; i < 50; i++) {
            double z[2];

            y.z[2 * i] *= 0.5;
            for (int j = 0; j < 40; j++)
                y.z[2 * i] += element(&m, 0, i, j, z)[0] * x.z[2 * j];
        }
    }
    OK(cudaDeviceSynchronize());
    if (compare("SpMV in a graph", &y))
        return 1;
    OK(cusparseCreateConstCsr(&same, 3, 5, 4, m.first, m.second, NULL, INDEX_64,
                              INDEX_32, 1, R_64F));
    OK(cusparseCsrGet((void *)same, sizes, sizes + 1, sizes + 2, got, got + 1,
                      got + 2, kinds, kinds + 1, kinds + 2, kinds + 3));
    if (sizes[0] != 3 || sizes[1] != 5 || sizes[2] != 4 || got[0] != m.first ||
        got[1] != m.second || got[2] != NULL || kinds[0] != INDEX_64 ||
        kinds[1] != INDEX_32 || kinds[2] != 1 || kinds[3] != R_64F)
        return failed("CsrGet", (double)sizes[0], 3);
    return 0;
}

static int refusals(void *h)
{
    struct matrix m = make_matrix(5, 4, 50, CSR, INDEX_32, 0, R_32F);
    struct scalars s = make_scalars(R_32F, 1);
    void *x, *y, *d, *ell;
    size_t bytes;
    int status;

    OK(cusparseCreateDnVec(&x, 4, device(NULL, 64), R_32F));
    OK(cusparseCreateDnVec(&y, 5, device(NULL, 64), R_32F));
    OK(cusparseCreateDnVec(&d, 5, device(NULL, 64), R_64F));
    status = cusparseSpMV(h, 1, s.a, m.descriptor, x, s.b, y, R_32F, 0, NULL);
    if (status != INVALID_VALUE)
        return failed("SpMV of other sizes", status, INVALID_VALUE);
    status = cusparseSpMV_bufferSize(h, 0, s.a, m.descriptor, x, s.b, d, R_64F,
                                     0, &bytes);
    if (status != NOT_SUPPORTED)
        return failed("SpMV to doubles", status, NOT_SUPPORTED);
    status = cusparseCreateBlockedEll(&ell, 4, 4, 2, 2, NULL, NULL, INDEX_32, 0,
                                      R_32F);
    return status != NOT_SUPPORTED
               ? failed("CreateBlockedEll", status, NOT_SUPPORTED)
               : 0;
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        int (*test)(void *);
    } tests[] = {
        {"vector_products", vector_products},
        {"matrix_products", matrix_products},
        {"batches", batches},
        {"sampled_products", sampled_products},
        {"vectors", vectors},
        {"formats", formats},
        {"sparse_products", sparse_products},
        {"triangles", triangles},
        {"handles", handles},
        {"refusals", refusals},
    };
    void *h;
    int status;

    if (cusparseCreate(&h) != 0)
        return failed("cusparseCreate", 1, 0);
    for (size_t i = 0; argc > 1 && i < sizeof tests / sizeof tests[0]; i++) {
        if (strcmp(argv[1], tests[i].name) == 0) {
            status = tests[i].test(h);
            return status != 0 || cudaDeviceSynchronize() != 0 ||
                   cusparseDestroy(h) != 0;
        }
    }
    return 2;
}
