/*
 * Makes tests/config/occupancy.csv: blocks of an SM by the vendor's own
 * arithmetic, cuda_occupancy.h of the CUDA toolkit.
 *
 *     cc -I/usr/local/cuda/include tests/config/make_occupancy.c -o make &&
 *         ./make >tests/config/occupancy.csv
 *
 * Not built by make: the toolkit is not needed for anything else.
 */
#include <cuda_occupancy.h>
#include <stdio.h>

/* What the driver would say of the chip; shared memory in KB. */
static const struct chip {
    const char *name;
    int major, minor, threads_per_sm, shared_per_sm, shared_per_block, reserved;
} chips[] = {
    {"k20", 3, 5, 2048, 48, 48, 0},      {"gtx1080ti", 6, 1, 2048, 96, 48, 0},
    {"p100", 6, 0, 2048, 64, 48, 0},     {"v100", 7, 0, 2048, 96, 96, 0},
    {"t4", 7, 5, 1024, 64, 64, 0},       {"a100", 8, 0, 2048, 164, 163, 1},
    {"rtx3070", 8, 6, 1536, 100, 99, 1}, {"rtx4090", 8, 9, 1536, 100, 99, 1},
    {"h100", 9, 0, 2048, 228, 227, 1},
};

static const int warps[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 15, 16, 20, 24, 32};
static const int registers[] = {16, 24, 32, 40, 63, 72, 96, 128, 168, 255};
static const int shared[] = {0, 1000, 5000, 16384, 40000};

/* Percent of its shared memory that a launch prefers. */
static const int carveouts[] = {0, 5, 25, 50, 75, 100};

static int blocks_of(const struct chip *c, int threads, int regs, int bytes,
                     int carveout)
{
    cudaOccDeviceProp properties = {0};
    cudaOccFuncAttributes kernel = {0};
    cudaOccDeviceState state = {0};
    cudaOccResult result;

    properties.computeMajor = c->major;
    properties.computeMinor = c->minor;
    properties.maxThreadsPerBlock = 1024;
    properties.maxThreadsPerMultiprocessor = c->threads_per_sm;
    properties.regsPerBlock = properties.regsPerMultiprocessor = 65536;
    properties.warpSize = 32;
    properties.sharedMemPerBlock = 49152;
    properties.sharedMemPerMultiprocessor = (size_t)c->shared_per_sm * 1024;
    properties.sharedMemPerBlockOptin = (size_t)c->shared_per_block * 1024;
    properties.reservedSharedMemPerBlock = (size_t)c->reserved * 1024;
    properties.numSms = 1;
    kernel.maxThreadsPerBlock = 1024;
    kernel.numRegs = regs;
    kernel.sharedSizeBytes = (size_t)bytes;
    kernel.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
    kernel.maxDynamicSharedSizeBytes = properties.sharedMemPerBlockOptin;
    state.cacheConfig = CACHE_PREFER_NONE;
    state.carveoutConfig = carveout;
    if (cudaOccMaxActiveBlocksPerMultiprocessor(&result, &properties, &kernel,
                                                &state, threads,
                                                0) != CUDA_OCC_SUCCESS)
        return -1;
    return result.activeBlocksPerMultiprocessor;
}

static void print_row(const struct chip *c, int threads, int regs, int bytes,
                      int carveout)
{
    printf("%s,%d,%d,%d,%d,%d\n", c->name, threads, regs, bytes, carveout,
           blocks_of(c, threads, regs, bytes, carveout));
}

int main(void)
{
    printf("gpu,threads,registers,shared,carveout,blocks\n");
    for (size_t c = 0; c < sizeof chips / sizeof chips[0]; c++) {
        for (size_t w = 0; w < sizeof warps / sizeof warps[0]; w++) {
            /* Every second number of registers, every fifth of bytes. */
            for (size_t r = (c + w) % 2; r < 10; r += 2) {
                int threads = 32 * warps[w] - (int)(r % 3);
                int bytes = shared[(c + w + r) % 5];

                print_row(&chips[c], threads, registers[r], bytes, -1);
                if (chips[c].major >= 7)
                    print_row(&chips[c], threads, registers[r], bytes,
                              carveouts[(w + r / 2) % 6]);
            }
        }
    }
    return 0;
}
