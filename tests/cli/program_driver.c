/* What the program does with code that it loads: by the driver, cooperatively, in
 * clusters, with textures and surfaces. */
#include "tests/cli/program.h"

#include <stdlib.h>
#include <string.h>

/* The driver's own calls: a cubin and a fatbin loaded by name and by address. */
void test_driver(void)
{
    int device, host[64], status = 9;
    char uuid[16];
    const char *text = NULL;
    void *context, *module, *function, *asked = NULL;
    uint64_t data, variable;
    size_t bytes;
    void *args[] = {&data};
    struct {
        uint64_t data;
    } packed;
    size_t packed_size = sizeof packed;
    void *extra[] = {(void *)1, &packed, (void *)2, &packed_size, NULL};

    CHECK(cuInit(0) == 0);
    CHECK(cuDeviceGet(&device, 1) == 101);
    CHECK(cuDeviceGet(&device, 0) == 0);
    CHECK(cuDeviceGetUuid_v2(uuid, device) == 0);
    CHECK(memchr(uuid, 0, sizeof uuid) == NULL);
    CHECK(cuGetErrorName(700, &text) == 0);
    CHECK(strcmp(text, "CUDA_ERROR_ILLEGAL_ADDRESS") == 0);
    CHECK(cuGetErrorString(700, &text) == 0);
    CHECK(strcmp(text, "an illegal memory access was encountered") == 0);
    CHECK(cuLogsRegisterCallback(uuid, NULL, &context) == 0);
    CHECK(cuLogsUnregisterCallback(context) == 0);
    bytes = sizeof uuid;
    CHECK(cuLogsDumpToMemory(NULL, uuid, &bytes, 0) == 0 && bytes == 0);
    CHECK(cuLogsDumpToMemory(NULL, uuid, &bytes, 0) == 1);
    /* A number of the runtime's alone. */
    CHECK(cuGetErrorName(9, &text) == 1 && text == NULL);
    CHECK(cuCtxCreate_v2(&context, 0, device) == 0);
    CHECK(cuModuleLoad(&module, "tests/fixtures/exec.sm_80.cubin") == 0);
    CHECK(cuModuleGetFunction(&function, module, "nothing") == 500);
    CHECK(cuModuleGetFunction(&function, module, "reverse") == 0);
    CHECK(cuModuleGetGlobal_v2(&variable, &bytes, module, "start") == 0);
    CHECK(bytes == 4);
    CHECK(cuMemcpyDtoH_v2(host, variable, 4) == 0 && host[0] == 40);
    CHECK(cuMemAlloc_v2(&data, sizeof host) == 0);
    CHECK(cuMemsetD32_v2(data, 7, 64) == 0);
    CHECK(cuMemcpyDtoH_v2(host, data, sizeof host) == 0 && host[63] == 7);
    for (int i = 0; i < 64; i++)
        host[i] = i;
    CHECK(cuMemcpyHtoD_v2(data, host, sizeof host) == 0);
    CHECK(cuLaunchKernel(function, 1, 1, 1, 64, 1, 1, 256, NULL, args, NULL) ==
          0);
    CHECK(cuMemcpyDtoH_v2(host, data, sizeof host) == 0);
    CHECK(host[0] == 63 && host[63] == 0);
    CHECK(cuLaunchKernel(function, 1, 1, 1, 2048, 1, 1, 0, NULL, args, NULL) ==
          1);
    CHECK(cuModuleLoadData(&module, program_fatbin) == 0);
    CHECK(cuModuleGetFunction(&function, module, "reverse") == 0);
    packed.data = data;
    CHECK(cuLaunchKernel(function, 1, 1, 1, 64, 1, 1, 256, NULL, NULL, extra) ==
          0);
    CHECK(cuMemcpyDtoH_v2(host, data, sizeof host) == 0);
    CHECK(host[0] == 0 && host[63] == 63);
    CHECK(cuMemFree_v2(data) == 0);
    CHECK(cuModuleLoad(&module, "nosuch.cubin") == 301);
    CHECK(cudaGetDriverEntryPoint("cuMemAlloc", &asked, 0, &status) == 0);
    CHECK(asked != NULL && status == 0);
    CHECK(cudaGetDriverEntryPoint("cuNoSuchCall", &asked, 0, &status) == 0);
    CHECK(asked == NULL && status == 1);
}

static void *load(const char *file, const char *kernel)
{
    void *module, *function = NULL;

    CHECK(cuModuleLoad(&module, file) == 0);
    CHECK(cuModuleGetFunction(&function, module, kernel) == 0);
    return function;
}

/* Blocks that wait for each other: all of the grid. */
void test_cooperative(void)
{
    void *shares = load("tests/fixtures/kernels/k33_grid.fatbin", "shares");
    struct launch_attribute cooperative = {.id = 2, .value.number = 1};
    struct driver_launch_config config = {.grid = {5, 1, 1},
                                          .block = {64, 1, 1},
                                          .attribute = &cooperative,
                                          .attributes = 1};
    struct dim3 grid = {5, 1, 1}, block = {64, 1, 1};
    int *in, *partial, *out, host[320], value, sum = 0, blocks;
    void *args[] = {&in, &partial, &out};

    CHECK(cudaDeviceGetAttribute(&value, 95, 0) == 0 && value == 1);
    CHECK(cudaDeviceGetAttribute(&value, 16, 0) == 0);
    CHECK(cudaMalloc((void **)&in, sizeof host) == 0);
    CHECK(cudaMalloc((void **)&out, sizeof host) == 0);
    CHECK(cudaMalloc((void **)&partial, 20) == 0);
    for (int i = 0; i < 320; i++)
        sum += host[i] = 3 * i % 50;
    CHECK(cudaMemcpy(in, host, sizeof host, TO_DEVICE) == 0);
    CHECK(cudaLaunchCooperativeKernel(shares, grid, block, args, 0, NULL) == 0);
    CHECK(cudaMemcpy(host, out, sizeof host, TO_HOST) == 0);
    for (int i = 0; i < 320; i++)
        CHECK(host[i] == 3 * i % 50 * 1000 / sum);
    CHECK(cuLaunchKernelEx(&config, shares, args, NULL) == 0);
    /* as many as the occupancy query says, and one more */
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, shares, 64,
                                                        0) == 0);
    grid.x = (unsigned)(value * blocks + 1);
    CHECK(cudaLaunchCooperativeKernel(shares, grid, block, args, 0, NULL) ==
          720);
}

/* Blocks of a cluster, where the GPU has them. */
void test_clusters(void)
{
    void *ring;
    struct launch_attribute cluster = {.id = 4, .value.shape = {4, 1, 1}};
    struct launch_config config = {.grid = {8, 1, 1},
                                   .block = {64, 1, 1},
                                   .attribute = &cluster,
                                   .attributes = 1};
    int *in, *out, host[512], result[3], rounds = 3, value;
    void *args[] = {&in, &out, &rounds};

    CHECK(cudaDeviceGetAttribute(&value, 120, 0) == 0);
    if (value == 0) {
        void *shares = load("tests/fixtures/kernels/k33_grid.fatbin", "shares");

        CHECK(cudaLaunchKernelExC(&config, shares, args) == NOT_SUPPORTED);
        CHECK(cudaOccupancyMaxActiveClusters(&value, shares, &config) == 912);
        printf("no clusters\n");
        return;
    }
    ring = load("tests/fixtures/kernels/k32_cluster.fatbin", "ring");
    CHECK(cudaMalloc((void **)&in, sizeof host) == 0);
    CHECK(cudaMalloc((void **)&out, 3 * sizeof host) == 0);
    for (int i = 0; i < 512; i++)
        host[i] = 7 * i;
    CHECK(cudaMemcpy(in, host, sizeof host, TO_DEVICE) == 0);
    CHECK(cudaLaunchKernelExC(&config, ring, args) == 0);
    CHECK(cudaMemcpy(result, out, sizeof result, TO_HOST) == 0);
    CHECK(result[0] == 7 * 64 + 3 && result[1] == 13 && result[2] == 3);
    CHECK(cudaOccupancyMaxPotentialClusterSize(&value, ring, &config) == 0);
    CHECK(value == 8);
    CHECK(cudaOccupancyMaxActiveClusters(&value, ring, &config) == 0);
    printf("clusters at once %d\n", value);
    config.grid.x = 16;
    cluster.value.shape.x = 16;
    CHECK(cudaLaunchKernelExC(&config, ring, args) == 912);
    CHECK(cudaFuncSetAttribute(ring, 14, 1) == 0);
    config.grid.x = 8;
    CHECK(cudaLaunchKernelExC(&config, ring, args) == 912);
    cluster.value.shape.x = 3;
    CHECK(cudaLaunchKernelExC(&config, ring, args) == 912);
}

enum {
    IN_ARRAY = 0,
    IN_LINEAR = 2,
    IN_PITCHED = 3,
    LAYERED = 1,
    SURFACES = 2,
};

static const char *const texture_kernels =
    "tests/fixtures/kernels/k34_texture.fatbin";

/* Runs a sampling kernel at places {x, y, z, w}. */
static void sample(const char *kernel, uint64_t object, const float (*at)[4],
                   unsigned count, void *out, size_t bytes)
{
    void *places, *found, *function = load(texture_kernels, kernel);
    void *args[] = {&object, &places, &found};

    CHECK(cudaMalloc(&places, count * sizeof *at) == 0);
    CHECK(cudaMalloc(&found, count * bytes) == 0);
    CHECK(cudaMemcpy(places, at, count * sizeof *at, TO_DEVICE) == 0);
    CHECK(launch(function, 1, count, 0, args) == 0);
    CHECK(cudaMemcpy(out, found, count * bytes, TO_HOST) == 0);
    CHECK(cudaFree(places) == 0 && cudaFree(found) == 0);
}

/* Arrays, linear and pitched memory, seen as textures. */
void test_textures(void)
{
    struct channel one = cudaCreateChannelDesc(32, 0, 0, 0, 2), asked;
    struct channel bad = {32, 8, 0, 0, 2}, whole = {32, 0, 0, 0, 0};
    struct texture how = {.mode = {1, 1, 1}};
    struct resource in = {.type = IN_ARRAY};
    static const float at[3][4] = {
        {1.5f, 2.5f, 1.5f, 1}, {9, 0.5f, 0.5f, 0}, {2, 2, 1, 7}};
    float host[3][4][5], pair[6], got[3];
    uint64_t object, other;
    void *array;
    size_t pitch;
    struct extent extent = {5, 4, 3};
    unsigned flags;
    struct copy3d copy = {.from = {host, 5 * sizeof(float), 5, 4},
                          .extent = {5, 4, 3},
                          .kind = TO_DEVICE};

    for (int i = 0; i < 60; i++)
        host[i / 20][i / 5 % 4][i % 5] = (float)(100 * (i / 20) + i % 20);
    /* a plane, in an array and in pitched memory */
    CHECK(cudaMallocArray(&array, &bad, 5, 4, 0) == 20);
    CHECK(cudaMallocArray(&array, &one, 5, 4, 0) == 0);
    CHECK(cudaMemcpy2DToArray(array, 0, 0, host, 20, 24, 4, TO_DEVICE) == 1);
    CHECK(cudaMemcpy2DToArray(array, 0, 0, host, 20, 20, 4, TO_DEVICE) == 0);
    in.of.array = array;
    CHECK(cudaCreateTextureObject(&object, &in, &how, NULL) == 0);
    sample("picture", object, at, 3, got, 4);
    CHECK(got[0] == 11 && got[1] == 4 && got[2] == 12);
    how.filter = 1;
    CHECK(cudaCreateTextureObject(&other, &in, &how, NULL) == 0);
    sample("picture", other, at, 3, got, 4);
    CHECK(got[0] == 11 && got[1] == 4 && got[2] == (6 + 7 + 11 + 12) / 4.0f);
    CHECK(cudaDestroyTextureObject(other) == 0);
    CHECK(cudaDestroyTextureObject(other) == 1);
    CHECK(cudaMemcpyToArray(array, 8, 1, pair, 4, TO_DEVICE) == 0);
    pair[0] = -1;
    CHECK(cudaMemcpyToArray(array, 4, 2, pair, 4, TO_DEVICE) == 0);
    CHECK(cudaMemcpy2DFromArray(pair, 8, array, 4, 2, 8, 2, TO_HOST) == 0);
    CHECK(pair[0] == -1 && pair[1] == 12 && pair[2] == 16 && pair[3] == 17);
    CHECK(cudaFreeArray(array) == 0 && cudaFreeArray(array) == 400);
    CHECK(cudaMallocPitch(&in.of.pitched.data, &pitch, 20, 4) == 0);
    CHECK(cudaMemcpy2D(in.of.pitched.data, pitch, host, 20, 20, 4, TO_DEVICE) ==
          0);
    in.type = IN_PITCHED;
    in.of.pitched.channel = one;
    in.of.pitched.width = 5;
    in.of.pitched.height = 4;
    in.of.pitched.pitch = pitch;
    CHECK(cudaCreateTextureObject(&object, &in, &how, NULL) == 0);
    sample("picture", object, at, 3, got, 4);
    CHECK(got[0] == 11 && got[1] == 4 && got[2] == (6 + 7 + 11 + 12) / 4.0f);
    in.of.pitched.channel = whole;
    CHECK(cudaCreateTextureObject(&object, &in, &how, NULL) == 1);
    /* linear memory by index */
    how.filter = 0;
    in.type = IN_LINEAR;
    CHECK(cudaMalloc(&in.of.linear.data, sizeof host) == 0);
    CHECK(cudaMemcpy(in.of.linear.data, host, sizeof host, TO_DEVICE) == 0);
    in.of.linear.channel = (struct channel){32, 32, 0, 0, 2};
    in.of.linear.bytes = 4;
    CHECK(cudaCreateTextureObject(&object, &in, &how, NULL) == 1);
    /* said to be longer than it is */
    in.of.linear.bytes = sizeof host + 800;
    CHECK(cudaCreateTextureObject(&object, &in, &how, NULL) == 0);
    sample("fetched", object, at, 3, pair, 8);
    CHECK(pair[0] == 2 && pair[1] == 3 && pair[2] == 18 && pair[3] == 19);
    /* space and layers */
    for (unsigned layered = 0; layered < 2; layered++) {
        CHECK(cudaMalloc3DArray(&array, &one, extent, layered ? LAYERED : 0) ==
              0);
        CHECK(cudaArrayGetInfo(&asked, &extent, &flags, array) == 0);
        CHECK(asked.x == 32 && extent.depth == 3 && flags == layered);
        copy.to_array = array;
        CHECK(cudaMemcpy3D(&copy) == 0);
        in.type = IN_ARRAY;
        in.of.array = array;
        CHECK(cudaCreateTextureObject(&object, &in, &how, NULL) == 0);
        sample(layered ? "picture_layers" : "space", object, at, 3, got, 4);
        CHECK(got[0] == 111 && got[1] == 4 && got[2] == (layered ? 212 : 112));
        CHECK(cudaDestroyTextureObject(object) == 0);
        CHECK(cudaFreeArray(array) == 0);
    }
    /* a object that is gone */
    {
        void *places, *picture = load(texture_kernels, "picture");
        void *args[] = {&object, &places, &places};

        CHECK(cudaMalloc(&places, 64) == 0);
        CHECK(launch(picture, 1, 1, 0, args) == 0);
        CHECK(cudaDeviceSynchronize() == 18);
    }
}

/* An array that kernels write. */
void test_surfaces(void)
{
    struct channel one = {32, 0, 0, 0, 2};
    struct resource in = {.type = IN_ARRAY};
    uint64_t from, to;
    int zero = 0, how = 2;
    void *arrays[2], *function = load(texture_kernels, "surface2");
    void *args[] = {&from, &to, &zero, &zero, &how};
    float host[6][8];

    for (int i = 0; i < 2; i++)
        CHECK(cudaMallocArray(&arrays[i], &one, 8, 6, i ? SURFACES : 0) == 0);
    in.of.array = arrays[0];
    CHECK(cudaCreateSurfaceObject(&from, &in) == 1);
    CHECK(cudaMallocArray(&arrays[0], &one, 8, 6, SURFACES) == 0);
    in.of.array = arrays[0];
    CHECK(cudaCreateSurfaceObject(&from, &in) == 0);
    in.of.array = arrays[1];
    CHECK(cudaCreateSurfaceObject(&to, &in) == 0);
    for (int i = 0; i < 48; i++)
        host[i / 8][i % 8] = (float)i;
    CHECK(cudaMemcpy2DToArray(arrays[0], 0, 0, host, 32, 32, 6, TO_DEVICE) ==
          0);
    CHECK(launch(function, 6, 8, 0, args) == 0);
    CHECK(cudaMemcpy2DFromArray(host, 32, arrays[1], 0, 0, 32, 6, TO_HOST) ==
          0);
    for (int i = 0; i < 48; i++)
        CHECK(host[i / 8][i % 8] == (float)i + 1);
    CHECK(cudaDestroySurfaceObject(from) == 0);
    CHECK(launch(function, 6, 9, 0, args) == 0);
    CHECK(cudaDeviceSynchronize() == 37);
}
