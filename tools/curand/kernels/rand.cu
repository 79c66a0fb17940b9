/*
 * Teg's kernels in place of cuRAND's: a thread for each stream whose turn comes.
 * Compiled by tools/make_kernels.sh; launched by tools/curand/generate.c.
 */
#include "streams.h"

#define KERNEL(generator, name)                                \
    extern "C" __global__ void __launch_bounds__(RAND_THREADS) \
        teg_curand_##generator##_##name(                       \
            const __grid_constant__ struct rand_run r)

#define DISTRIBUTION(NAME, name)                                   \
    KERNEL(xorwow, name)                                           \
    {                                                              \
        unsigned thread = blockIdx.x * RAND_THREADS + threadIdx.x; \
        if (thread < r.streams)                                    \
            rand_xorwow_run(&r, RAND_##NAME, thread);              \
    }                                                              \
    KERNEL(mrg32k3a, name)                                         \
    {                                                              \
        unsigned thread = blockIdx.x * RAND_THREADS + threadIdx.x; \
        if (thread < r.streams)                                    \
            rand_mrg_run(&r, RAND_##NAME, thread);                 \
    }                                                              \
    KERNEL(philox, name)                                           \
    {                                                              \
        unsigned thread = blockIdx.x * RAND_THREADS + threadIdx.x; \
        if (thread < r.streams)                                    \
            rand_philox_run(&r, RAND_##NAME, thread);              \
    }
RAND_DISTRIBUTIONS(DISTRIBUTION)
#undef DISTRIBUTION

/* All words of the streams of a warp anew, in place; eight threads take one. */
static __device__ void make_words(unsigned *words, unsigned lane)
{
    for (unsigned i = lane; i < RAND_MT_WORDS; i += RAND_MT_LANES) {
        unsigned next = rand_mt_next(words[i], words[(i + 1) % RAND_MT_WORDS],
                                     words[(i + 397) % RAND_MT_WORDS]);

        __syncwarp();
        words[i] = next;
        __syncwarp();
    }
}

template <int distribution>
static __device__ __forceinline__ void mt_run(const struct rand_run &r)
{
    unsigned column = blockIdx.x * RAND_THREADS + threadIdx.x;
    unsigned *words =
        (unsigned *)r.state + column / RAND_MT_LANES * RAND_MT_WORDS;
    unsigned long long row = r.first / RAND_MT_ROW, blocks = r.blocks;

    for (; row * RAND_MT_ROW < r.first + r.n; row++) {
        if (row / RAND_MT_ROWS >= blocks) {
            __syncwarp();
            make_words(words, column % RAND_MT_LANES);
            blocks++;
        }
        rand_mt_put(&r, distribution, words, row, column);
    }
}

#define DISTRIBUTION(NAME, name) \
    KERNEL(mt19937, name)        \
    {                            \
        mt_run<RAND_##NAME>(r);  \
    }
RAND_DISTRIBUTIONS(DISTRIBUTION)
#undef DISTRIBUTION

/* A block is some threads of one dimension, whose number is a power of two. */
#define DISTRIBUTION_OF(NAME, name, width, word)                            \
    KERNEL(sobol##width, name)                                              \
    {                                                                       \
        __shared__ word vectors[width];                                     \
        unsigned dimension = blockIdx.y;                                    \
                                                                            \
        if (threadIdx.x < width)                                            \
            vectors[threadIdx.x] =                                          \
                ((const word *)r.vectors)[dimension * width + threadIdx.x]; \
        __syncthreads();                                                    \
        rand_sobol_##width##_run(&r, RAND_##NAME, vectors, dimension,       \
                                 blockIdx.x *blockDim.x + threadIdx.x,      \
                                 31 - __clz(gridDim.x * blockDim.x));       \
    }
#define DISTRIBUTION(NAME, name)              \
    DISTRIBUTION_OF(NAME, name, 32, unsigned) \
    DISTRIBUTION_OF(NAME, name, 64, unsigned long long)
RAND_QUASI_DISTRIBUTIONS(DISTRIBUTION)
#undef DISTRIBUTION
