/*
 * cuFFT for programs under `teg exec`: the public entry points that lead here
 * (tools/cudart/loader/patch.c) become launches of teg's own kernels
 * (kernels/).  Numbers of the API, from its documentation.
 */
#ifndef TEG_TOOLS_CUFFT_FFT_H
#define TEG_TOOLS_CUFFT_FFT_H

#include "tools/cudart/abi.h"
#include "tools/cufft/kernels/fft.h"

enum fft_status {
#define STATUS(name, number) FFT_##name = number,
#include "tools/cufft/status.def"
#undef STATUS
};

/* cufftType: of floats; of doubles, with FFT_DOUBLE. */
enum fft_type {
    FFT_C2C = 0x29,
    FFT_R2C = 0x2a,
    FFT_C2R = 0x2c,
    FFT_DOUBLE = 0x40,
};

enum {
    FFT_RANKS = 3,
    FFT_FORWARD = -1,
    FFT_BACKWARD = 1,
};

/* How one side of a transform lies in memory, in elements of its type: element
 * (x, y, z) of batch b at
 *     b * batch + ((x * across[1] + y) * across[2] + z) * stride. */
struct fft_layout {
    long long stride, batch;
    long long across[FFT_RANKS];
};

/* What is transformed. */
struct fft_shape {
    int type; /* enum fft_type */
    int rank;
    long long n[FFT_RANKS];
    long long batch;
    int has_layout; /* else rows and batches without a gap, and those of real
                       numbers in place with room for complex ones */
    struct fft_layout in, out;
};

int cudaMalloc(void **address, size_t bytes);
int cudaFree(void *address);
int cudaMemcpy(void *to, const void *from, size_t bytes, int kind);

#endif
