/*
 * cuSOLVER for programs under `teg exec`: the public entry points that lead here
 * (tools/cudart/loader/patch.c) become launches of teg's own kernels
 * (kernels/) and, for what lies between panels, of those of cuBLAS's
 * products and triangles.  Numbers of the API, from its documentation.
 *
 * A file for each family of calls; what each does stands in functions that both
 * the typed entry points (cusolverDnSpotrf) and those of any type
 * (cusolverDnXpotrf) call.  Of float and double, column after column.
 */
#ifndef TEG_TOOLS_CUSOLVER_SOLVER_H
#define TEG_TOOLS_CUSOLVER_SOLVER_H

#include "tools/cudart/abi.h"
#include "tools/vendor/kernels/factor.h"
#include "tools/vendor/launch.h"

enum solver_status {
#define STATUS(name, number) SOLVER_##name = number,
#include "tools/cusolver/status.def"
#undef STATUS
};

/* Goes on if the call succeeded. */
#define NEED(call)                     \
    do {                               \
        int status_ = (int)(call);     \
                                       \
        if (status_ != SOLVER_SUCCESS) \
            return status_;            \
    } while (0)

/* cublasOperation_t, cublasSideMode_t, cublasFillMode_t */
enum {
    OP_N = 0,
    OP_T = 1,
    OP_C = 2, /* as T: numbers have no other part */
    LEFT = 0,
    RIGHT = 1,
    LOWER = 0,
    UPPER = 1,
};

/* cudaDataType */
enum data_type {
    DATA_32F = 0,
    DATA_64F = 1,
};

/* What cusolverDnCreate makes. */
struct solver {
    void *stream; /* borrowed */
    void *blas;   /* own */
    int deterministic, math;
};

/* A matrix on the device. */
struct mat {
    void *at;
    int64_t ld;
};

/* ---- launches --------------------------------------------------------------------- */

enum solver_kernels {
    KERNELS_FACTOR,
    KERNELS_EIGEN,
    KERNELS_SINGULAR,
    KERNELS,
};

/* Launches a kernel for a type (`what` without its letter) by blocks of so many
 * threads, `y` of them for each of `x`, with `shared` bytes each. */
int solver_launch(const struct solver *s, enum solver_kernels file,
                  const char *what, int type, int64_t x, int64_t y,
                  unsigned threads, unsigned shared, void *args);
/* FACTOR_THREADS each, `all` elements in all. */
int solver_launch_each(const struct solver *s, const char *what, int type,
                       int64_t batch, int64_t all, void *args);
/* One block for each matrix, of so many threads at most; its elements are on the SM
 * if they fit. */
int solver_factor(const struct solver *s, const char *what, int type,
                  int64_t batch, unsigned most, struct factor_args *args);

size_t solver_bytes(int type);
/* So many elements behind `p`. */
void *solver_at(int type, const void *p, int64_t elements);
struct dense solver_dense(struct mat m);
/* Part of a matrix. */
struct mat solver_part(int type, struct mat m, int64_t row, int64_t column);

/* D = from's part by `above`, `diagonal`, `below` (enum shape) of the diagonal. */
int solver_shape(const struct solver *s, int type, int64_t m, int64_t n,
                 struct mat from, struct mat to, int above, int diagonal,
                 int below);

/* Zeros; nothing at NULL. */
int solver_clear(const struct solver *s, void *at, size_t bytes);
/* To the host; waits. */
int solver_fetch(const struct solver *s, void *to, const void *from,
                 size_t bytes);

/* ---- what a program brings for a call ------------------------------------------------- */

/* Parts of it, one after the other; with NULL they are counted. */
struct room {
    char *at;
    size_t bytes;
};
void *room_part(struct room *r, size_t bytes);
/* What the calls that have no 64-bit form say: elements of the type. */
int room_elements(const struct room *r, int type, int *elements);
int room_bytes(const struct room *r, size_t *device, size_t *host);
/* Whether `bytes` of a program's are enough for what has been counted. */
int room_holds(const struct room *counted, const void *at, size_t bytes);

/* ---- products and triangles, by cuBLAS --------------------------------------------------- */

/* C = alpha op(A) op(B) + beta C */
int solver_multiply(const struct solver *s, int type, int op_a, int op_b,
                    int64_t m, int64_t n, int64_t k, double alpha, struct mat a,
                    struct mat b, double beta, struct mat c);
/* B = inverse(op(A)) B, or B inverse(op(A)) of RIGHT */
int solver_triangle(const struct solver *s, int type, int side, int upper,
                    int op, int unit, int64_t m, int64_t n, struct mat a,
                    struct mat b);
/* C = C - A A', or of OP_T A' A: one triangle */
int solver_square(const struct solver *s, int type, int upper, int op,
                  int64_t n, int64_t k, struct mat a, struct mat c);

/* ---- checks ------------------------------------------------------------------------------ */

int is_matrix(int64_t m, int64_t n, int64_t ld);
/* A type of the calls of any type; says so where there is none. */
int type_is_known(const char *call, int type);

/* What such calls need of the runtime; it is teg's. */
int cudaMalloc(void **address, size_t bytes);
int cudaFree(void *address);
int cudaMemcpyAsync(void *to, const void *from, size_t bytes, int kind,
                    void *stream);
int cudaMemsetAsync(void *at, int value, size_t bytes, void *stream);
int cudaStreamSynchronize(void *stream);

#endif
