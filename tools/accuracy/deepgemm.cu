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
    /* On the host. */
    std::vector<uint8_t> left, right;
    std::vector<float> left_scale, right_scale;
    std::vector<int>
        layout; /* each row's group, or how many rows a group has */
    std::vector<uint16_t> result;
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
static void map(CUtensorMap *to, CUtensorMapDataType type, int size, void *at,
                uint64_t inner, uint64_t outer, uint32_t box_inner,
                uint32_t box_outer, CUtensorMapSwizzle swizzle)
{
    const uint64_t shape[2] = {inner, outer}, stride[1] = {inner * size};
    const uint32_t box[2] = {box_inner, box_outer}, step[2] = {1, 1};

    TRY(cuTensorMapEncodeTiled(to, type, 2, at, shape, stride, box, step,
                               CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle,
                               CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
                               CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE));
}

static struct product draw_product(char **argv)
{
    struct product p;

    p.type = atoi(argv[0]);
    p.groups = strtoull(argv[1], NULL, 10);
    p.m = strtoull(argv[2], NULL, 10);
    p.n = strtoull(argv[3], NULL, 10);
    p.k = strtoull(argv[4], NULL, 10);
    p.block_m = (uint32_t)atoi(argv[5]);
    p.block_n = (uint32_t)atoi(argv[6]);
    p.rows = p.m * p.groups;
    p.steps = p.k / SCALED;
    p.columns = (p.n + SCALED - 1) / SCALED;
    p.left.resize(p.rows * p.k);
    p.right.resize(p.groups * p.n * p.k);
    p.left_scale.resize(p.rows * p.steps);
    p.right_scale.resize(p.groups * p.columns * p.steps);
    p.layout.resize(p.type == MASKED ? p.groups : p.rows);
    p.result.resize(p.rows * p.n);
    for (uint8_t &x : p.left)
        x = draw_fp8();
    for (uint8_t &x : p.right)
        x = draw_fp8();
    for (float &x : p.left_scale)
        x = .5f + (float)(draw() & 255) / 256;
    for (float &x : p.right_scale)
        x = .5f + (float)(draw() & 255) / 256;
    for (uint64_t i = 0; i < p.layout.size(); i++)
        p.layout[i] = (int)(p.type == MASKED ? p.m : i / p.m);
    return p;
}

/* The right factor's cast is the last to move much before the product. */
static void multiply(struct product *p, CUfunction kernel, unsigned multicast,
                     unsigned shared_bytes, unsigned sms)
{
    /* Groups in one matrix count as its rows; masked ones have a matrix each. */
    uint32_t rows = (uint32_t)(p->type == CONTIGUOUS ? p->rows : p->m);
    size_t bytes = p->result.size() * sizeof p->result[0];
    CUlaunchAttribute cluster = {};
    CUlaunchConfig config = {};
    alignas(64) CUtensorMap maps[4]; /* as the driver wants them */
    void *left, *right, *left_scale, *right_scale, *layout, *result;
    void *arguments[] = {&result,  &right_scale, &layout,  &rows,
                         &maps[0], &maps[1],     &maps[2], &maps[3]};

    left = device(p->left.data(), p->left.size());
    right = device_cast(p->right);
    right_scale =
        device(p->right_scale.data(), p->right_scale.size() * sizeof(float));
    left_scale =
        device(p->left_scale.data(), p->left_scale.size() * sizeof(float));
    layout = device(p->layout.data(), p->layout.size() * sizeof(int));
    TRY(cudaMalloc(&result, bytes));
    map(&maps[0], CU_TENSOR_MAP_DATA_TYPE_UINT8, 1, left, p->k, p->rows, SCALED,
        p->block_m, CU_TENSOR_MAP_SWIZZLE_128B);
    map(&maps[1], CU_TENSOR_MAP_DATA_TYPE_UINT8, 1, right, p->k,
        p->groups * p->n, SCALED, p->block_n, CU_TENSOR_MAP_SWIZZLE_128B);
    map(&maps[2], CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 4, left_scale, rows,
        p->rows / rows * p->steps, p->block_m, 1, CU_TENSOR_MAP_SWIZZLE_NONE);
    map(&maps[3], CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2, result, p->n, p->rows,
        p->block_n, p->block_m, CU_TENSOR_MAP_SWIZZLE_NONE);
    cluster.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
    cluster.value.clusterDim.x = multicast;
    cluster.value.clusterDim.y = cluster.value.clusterDim.z = 1;
    config.gridDimX = sms;
    config.gridDimY = config.gridDimZ = 1;
    config.blockDimX = p->block_m == 64 ? 256 : 384;
    config.blockDimY = config.blockDimZ = 1;
    config.sharedMemBytes = shared_bytes;
    config.attrs = &cluster;
    config.numAttrs = 1;
    TRY(cuFuncSetAttribute(kernel,
                           CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                           (int)shared_bytes));
    TRY(cuLaunchKernelEx(&config, kernel, arguments, NULL));
    TRY(cudaMemcpy(p->result.data(), result, bytes, cudaMemcpyDeviceToHost));
}

/* Whether an element is what its row and column give, as bfloat16 has it. */
static bool is_right(const struct product *p, uint64_t row, uint64_t column)
{
    uint64_t group = row / p->m, right = group * p->n + column;
    double sum = 0, size = 0;

    for (uint64_t step = 0; step < p->steps; step++) {
        uint64_t left_scale =
            p->type == MASKED ? (group * p->steps + step) * p->m + row % p->m
                              : step * p->rows + row;
        uint64_t right_scale =
            (group * p->columns + column / SCALED) * p->steps + step;
        double part = 0;

        for (uint64_t at = step * SCALED; at < (step + 1) * SCALED; at++)
            part += fp8_value(p->left[row * p->k + at]) *
                    fp8_value(p->right[right * p->k + at]);
        part *= (double)p->left_scale[left_scale] * p->right_scale[right_scale];
        sum += part;
        size += fabs(part);
    }
    return fabs(bfloat_value(p->result[row * p->n + column]) - sum) <=
           size / 256;
}

int main(int argc, char **argv)
{
    struct product p;
    CUmodule module;
    CUfunction kernel;
    int wrong = 0;

    if (argc != 13) {
        fprintf(stderr, "deepgemm: twelve operands, see deepgemm.cu\n");
        return 2;
    }
    TRY(cudaFree(NULL));
    TRY(cuModuleLoad(&module, argv[1]));
    TRY(cuModuleGetFunction(&kernel, module, argv[2]));
    p = draw_product(&argv[3]);
    multiply(&p, kernel, (unsigned)atoi(argv[10]), (unsigned)atoi(argv[11]),
             (unsigned)atoi(argv[12]));
    for (int i = 0; i < CHECKED; i++) {
        uint64_t row = draw() % p.rows;

        wrong += !is_right(&p, row, draw() % p.n);
    }
    if (wrong > 0)
        fprintf(stderr, "deepgemm: %d of %d elements are wrong\n", wrong,
                CHECKED);
    return wrong > 0;
}
