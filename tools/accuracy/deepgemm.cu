/*
 * One product of DeepGEMM's kernel, as its test times it (deepgemm.py says of
 * what): the right factor, cast from 32 to 8 bits just before, is what is in L2.
 *
 *     deepgemm CUBIN KERNEL TYPE GROUPS M N K BLOCK_M BLOCK_N MULTICAST SHARED SMS
 *
 * A few hundred elements of the result are computed again.
 */
#include <cuda.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <vector>

enum {
    NORMAL,
    CONTIGUOUS,
    MASKED
};
enum {
    SCALED = 128, /* numbers of K, or of N, that share a factor */
    CHECKED = 256
};

#define TRY(call)                                              \
    do {                                                       \
        int status_ = (int)(call);                             \
        if (status_ != 0) {                                    \
            fprintf(stderr, "%s: error %d\n", #call, status_); \
            exit(1);                                           \
        }                                                      \
    } while (0)

struct product {
    int type;
    uint64_t groups, m, n, k;
    uint32_t block_m, block_n;
    uint64_t rows;           /* of all groups */
    uint64_t steps, columns; /* factors along K, and along N of a matrix */
};

static uint32_t draw(void)
{
    static uint32_t state = 1;

    state = state * 1664525 + 1013904223;
    return state >> 8;
}

/* Between 0.03 and 0.5, either sign. */
static uint8_t draw_fp8(void)
{
    return (uint8_t)((draw() & 0x80) | (0x10 + draw() % 0x20));
}

static double fp8_value(uint8_t bits)
{
    int exponent = bits >> 3 & 15, fraction = bits & 7;
    double value =
        exponent ? ldexp(1 + fraction / 8., exponent - 7) : ldexp(fraction, -9);

    return bits & 0x80 ? -value : value;
}

static double bfloat_value(uint16_t bits)
{
    uint32_t word = (uint32_t)bits << 16;
    float value;

    memcpy(&value, &word, sizeof value);
    return value;
}

/* Reads 16 bytes and writes 4, as a cast of four numbers does. */
static __global__ void cast(const uint4 *from, uint32_t *to, uint64_t count)
{
    uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;

    if (i < count)
        to[i] = from[i].x ^ from[i].y ^ from[i].z ^ from[i].w;
}

static void *device(const void *from, size_t bytes)
{
    void *at;

    TRY(cudaMalloc(&at, bytes));
    TRY(cudaMemcpy(at, from, bytes, cudaMemcpyHostToDevice));
    return at;
}

static void *device_cast(const std::vector<uint8_t> &numbers)
{
    uint64_t count = numbers.size() / 4;
    std::vector<uint32_t> wide(count * 4);
    void *from, *to;

    for (uint64_t i = 0; i < count; i++) {
        uint32_t four;

        memcpy(&four, &numbers[4 * i], sizeof four);
        for (int j = 1; j < 4; j++)
            four ^= wide[4 * i + j] = draw();
        wide[4 * i] = four;
    }
    from = device(wide.data(), wide.size() * sizeof wide[0]);
    TRY(cudaMalloc(&to, numbers.size()));
    cast<<<(unsigned)((count + 255) / 256), 256>>>((const uint4 *)from,
                                                   (uint32_t *)to, count);
    TRY(cudaGetLastError());
    return to;
}

/* A matrix whose lines are `inner` numbers side by side, by boxes. */
static CUtensorMap map(CUtensorMapDataType type, int size, void *at,
                       uint64_t inner, uint64_t outer, uint32_t box_inner,
                       uint32_t box_outer, CUtensorMapSwizzle swizzle)
{
    const uint64_t shape[2] = {inner, outer}, stride[1] = {inner * size};
    const uint32_t box[2] = {box_inner, box_outer}, step[2] = {1, 1};
    CUtensorMap result;

    TRY(cuTensorMapEncodeTiled(&result, type, 2, at, shape, stride, box, step,
                               CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle,
                               CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
                               CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE));
    return result;
}

int main(int argc, char **argv)
{
    struct product p = {0};
    CUmodule module;
    CUfunction kernel;
    int wrong = 0;

    if (argc != 13) {
        fprintf(stderr, "deepgemm: twelve operands, see deepgemm.cu\n");
        return 2;
    }
    p.type = atoi(argv[3]);
    p.groups = strtoull(argv[4], NULL, 10);
    p.m = strtoull(argv[5], NULL, 10);
    p.n = strtoull(argv[6], NULL, 10);
    p.k = strtoull(argv[7], NULL, 10);
    p.block_m = (uint32_t)atoi(argv[8]);
    p.block_n = (uint32_t)atoi(argv[9]);
    p.rows = p.m * p.groups;
    p.steps = p.k / SCALED;
    p.columns = (p.n + SCALED - 1) / SCALED;

    TRY(cudaFree(NULL));
    TRY(cuModuleLoad(&module, argv[1]));
    TRY(cuModuleGetFunction(&kernel, module, argv[2]));

    std::vector<uint8_t> left(p.rows * p.k), right(p.groups * p.n * p.k);
    std::vector<float> left_scale(p.rows * p.steps),
        right_scale(p.groups * p.columns * p.steps);
    std::vector<int> layout(p.type == MASKED ? p.groups : p.rows);
    std::vector<uint16_t> result(p.rows * p.n);

    for (uint8_t &x : left)
        x = draw_fp8();
    for (uint8_t &x : right)
        x = draw_fp8();
    for (float &x : left_scale)
        x = .5f + (float)(draw() & 255) / 256;
    for (float &x : right_scale)
        x = .5f + (float)(draw() & 255) / 256;
    for (uint64_t i = 0; i < layout.size(); i++)
        layout[i] = (int)(p.type == MASKED ? p.m : i / p.m);

    void *d_left = device(left.data(), left.size());
    void *d_right = device_cast(right);
    void *d_right_scale =
        device(right_scale.data(), right_scale.size() * sizeof(float));
    void *d_left_scale =
        device(left_scale.data(), left_scale.size() * sizeof(float));
    void *d_layout = device(layout.data(), layout.size() * sizeof(int));
    void *d_result;
    TRY(cudaMalloc(&d_result, result.size() * sizeof(uint16_t)));

    /* Groups in one matrix count as its rows; masked ones have a matrix each. */
    uint32_t rows = (uint32_t)(p.type == CONTIGUOUS ? p.rows : p.m);
    CUtensorMap maps[4] = {
        map(CU_TENSOR_MAP_DATA_TYPE_UINT8, 1, d_left, p.k, p.rows, SCALED,
            p.block_m, CU_TENSOR_MAP_SWIZZLE_128B),
        map(CU_TENSOR_MAP_DATA_TYPE_UINT8, 1, d_right, p.k, p.groups * p.n,
            SCALED, p.block_n, CU_TENSOR_MAP_SWIZZLE_128B),
        map(CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 4, d_left_scale, rows,
            p.rows / rows * p.steps, p.block_m, 1, CU_TENSOR_MAP_SWIZZLE_NONE),
        map(CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2, d_result, p.n, p.rows,
            p.block_n, p.block_m, CU_TENSOR_MAP_SWIZZLE_NONE)};
    void *arguments[] = {&d_result, &d_right_scale, &d_layout, &rows,
                         &maps[0],  &maps[1],       &maps[2],  &maps[3]};
    CUlaunchAttribute cluster = {};
    CUlaunchConfig config = {};

    cluster.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
    cluster.value.clusterDim.x = (unsigned)atoi(argv[10]);
    cluster.value.clusterDim.y = cluster.value.clusterDim.z = 1;
    config.gridDimX = (unsigned)atoi(argv[12]);
    config.gridDimY = config.gridDimZ = 1;
    config.blockDimX = p.block_m == 64 ? 256 : 384;
    config.blockDimY = config.blockDimZ = 1;
    config.sharedMemBytes = (unsigned)atoi(argv[11]);
    config.attrs = &cluster;
    config.numAttrs = 1;
    TRY(cuFuncSetAttribute(kernel,
                           CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                           (int)config.sharedMemBytes));
    TRY(cuLaunchKernelEx(&config, kernel, arguments, NULL));
    TRY(cudaMemcpy(result.data(), d_result, result.size() * sizeof(uint16_t),
                   cudaMemcpyDeviceToHost));

    for (int i = 0; i < CHECKED; i++) {
        uint64_t row = draw() % p.rows, column = draw() % p.n;
        uint64_t group = row / p.m;
        double sum = 0, size = 0,
               got = bfloat_value(result[row * p.n + column]);

        for (uint64_t step = 0; step < p.steps; step++) {
            double part = 0;
            uint64_t scale = p.type == MASKED
                                 ? (group * p.steps + step) * p.m + row % p.m
                                 : step * p.rows + row;

            for (uint64_t at = step * SCALED; at < (step + 1) * SCALED; at++)
                part += fp8_value(left[row * p.k + at]) *
                        fp8_value(right[(group * p.n + column) * p.k + at]);
            part *=
                (double)left_scale[scale] *
                right_scale[(group * p.columns + column / SCALED) * p.steps +
                            step];
            sum += part;
            size += fabs(part);
        }
        wrong += !(fabs(got - sum) <= size / 256);
    }
    if (wrong > 0)
        fprintf(stderr, "deepgemm: %d of %d elements are wrong\n", wrong,
                CHECKED);
    return wrong > 0;
}
