/*
 * cuRAND's host API for programs under `teg exec`: the public entry points that
 * lead here (tools/cudart/loader/patch.c) become launches of teg's own kernels
 * (kernels/).  Numbers of the API, from its documentation.
 */
#ifndef TEG_TOOLS_CURAND_RAND_H
#define TEG_TOOLS_CURAND_RAND_H

#include "tools/cudart/abi.h"
#include "tools/curand/kernels/rand.h"

enum rand_status {
#define STATUS(name, number) RAND_##name = number,
#include "tools/curand/status.def"
#undef STATUS
};

/* curandRngType */
enum rand_type {
    RAND_PSEUDO_DEFAULT = 100,
    RAND_XORWOW = 101,
    RAND_MRG32K3A = 121,
    RAND_MTGP32 = 141,
    RAND_MT19937 = 142,
    RAND_PHILOX = 161,
    RAND_QUASI_DEFAULT = 200,
    RAND_SOBOL_32 = 201,
    RAND_SCRAMBLED_SOBOL_32 = 202,
    RAND_SOBOL_64 = 203,
    RAND_SCRAMBLED_SOBOL_64 = 204,
};

/* curandOrdering */
enum rand_order {
    RAND_ORDER_BEST = 100,
    RAND_ORDER_DEFAULT = 101,
    RAND_ORDER_SEEDED = 102,
    RAND_ORDER_LEGACY = 103,
    RAND_ORDER_DYNAMIC = 104,
    RAND_ORDER_QUASI = 201,
};

enum {
    RAND_DIMENSIONS_MOST = 20000,
};

int cudaMalloc(void **address, size_t bytes);
int cudaFree(void *address);
int cudaMemcpy(void *to, const void *from, size_t bytes, int kind);

#endif
