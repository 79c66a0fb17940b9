/*
 * cuBLAS for programs under `teg exec`: the public entry points that lead here
 * (tools/cudart/loader/patch.c) become launches of teg's own kernels
 * (kernels/), by the driver's calls as a program's own are.
 * Numbers of the API, from its documentation.
 */
#ifndef TEG_TOOLS_CUBLAS_BLAS_H
#define TEG_TOOLS_CUBLAS_BLAS_H

#include "tools/cudart/abi.h"

enum blas_status {
#define STATUS(name, number, text) BLAS_##name = number,
#include "tools/cublas/status.def"
#undef STATUS
};

enum blas_operation {
    BLAS_N,
    BLAS_T,
    BLAS_C, /* of numbers that have no other part: as T */
};

enum blas_compute {
    BLAS_COMPUTE_16F = 64,
    BLAS_COMPUTE_32F = 68,
    BLAS_COMPUTE_64F = 70,
    BLAS_COMPUTE_32I = 72,
    BLAS_COMPUTE_32F_FAST_16F = 74,
    BLAS_COMPUTE_32F_FAST_16BF = 75,
    BLAS_COMPUTE_32F_FAST_TF32 = 77,
    BLAS_PEDANTIC = 1, /* added to the first four */
};

enum blas_math {
    BLAS_MATH_TF32 = 3, /* products of floats may be of TF32 */
    BLAS_MATH_FLAGS = 16,
};

/* cudaDataType */
enum data_type {
    DATA_32F = 0,
    DATA_64F = 1,
    DATA_16F = 2,
    DATA_8I = 3,
    DATA_32I = 10,
    DATA_16BF = 14,
};

enum {
    /* Bytes, as many as cuBLAS takes (on Hopper and newer four times that). */
    BLAS_WORKSPACE = 8 << 20,
};

/* What cublasCreate makes. */
struct blas {
    void *stream; /* borrowed */
    int scalars_on_device, atomics, math, sm_target;
    void *workspace; /* own or borrowed, on the device */
    size_t workspace_bytes;
    void *own_workspace;
};

/* Elements of a type; 0: one that is not known. */
size_t data_bytes(int type);
/* Name of a type as the API has it, without CUDA_R_. */
const char *data_name(int type);

/* What such a call needs of the runtime and driver; both are teg's. */
int cudaMalloc(void **address, size_t bytes);
int cudaFree(void *address);
int cudaMemcpyAsync(void *to, const void *from, size_t bytes, int kind,
                    void *stream);
int cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from,
                      size_t from_pitch, size_t width, size_t height, int kind,
                      void *stream);
int cudaStreamSynchronize(void *stream);

#endif
