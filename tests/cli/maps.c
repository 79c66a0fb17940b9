/*
 * A program that makes tensor maps through the driver and launches a kernel
 * that copies by one, for tests/cli/tensor_map.sh.  What must not be accepted
 * is row by row what cuda.h says of cuTensorMapEncodeTiled and ...Im2col.
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define KERNELS "tests/fixtures/kernels/k37_tensor_map.fatbin"

enum {
    MAP_BYTES = 128,
    INVALID_VALUE = 1, /* CUDA_ERROR_INVALID_VALUE */
    FLOAT32 = 7,
    INT32 = 3,
    WORDS = 24576 / 4,
};

int cuInit(unsigned flags);
int cuModuleLoad(void **module, const char *path);
int cuModuleGetFunction(void **function, void *module, const char *name);
int cuMemAlloc_v2(uint64_t *address, size_t bytes);
int cuMemcpyHtoD_v2(uint64_t to, const void *from, size_t bytes);
int cuMemcpyDtoH_v2(void *to, uint64_t from, size_t bytes);
int cuLaunchKernel(void *function, unsigned gx, unsigned gy, unsigned gz,
                   unsigned bx, unsigned by, unsigned bz, unsigned shared,
                   void *stream, void **args, void **extra);
int cudaGetDriverEntryPoint(const char *symbol, void **function, uint64_t flags,
                            int *status);

typedef int encode_tiled(void *map, int type, uint32_t rank, void *address,
                         const uint64_t *size, const uint64_t *stride,
                         const uint32_t *box, const uint32_t *step,
                         int interleave, int swizzle, int promotion, int fill);
typedef int encode_im2col(void *map, int type, uint32_t rank, void *address,
                          const uint64_t *size, const uint64_t *stride,
                          const int *lower, const int *upper, uint32_t channels,
                          uint32_t pixels, const uint32_t *step, int interleave,
                          int swizzle, int promotion, int fill);
typedef int replace_address(void *map, void *address);

static int failures;

#define CHECK(what)                                   \
    do {                                              \
        if (!(what)) {                                \
            failures++;                               \
            printf("line %d: %s\n", __LINE__, #what); \
        }                                             \
    } while (0)

/* All that cuTensorMapEncodeTiled is given. */
struct call {
    int type;
    uint32_t rank;
    uint64_t address, size[5], stride[4];
    uint32_t box[5], step[5];
    int interleave, swizzle, promotion, fill;
};

static const struct call good = {.type = FLOAT32,
                                 .rank = 2,
                                 .size = {40, 20},
                                 .stride = {160},
                                 .box = {32, 8},
                                 .step = {1, 1}};

static int encode(encode_tiled *tiled, void *map, const struct call *c)
{
    return tiled(map, c->type, c->rank, (void *)(uintptr_t)c->address, c->size,
                 c->stride, c->box, c->step, c->interleave, c->swizzle,
                 c->promotion, c->fill);
}

static void refuse(encode_tiled *tiled, uint64_t address)
{
    _Alignas(64) uint8_t map[MAP_BYTES + 64];
    struct call c;

#define REFUSED(field, value) \
    c = good;                 \
    c.address = address;      \
    c.field = value;          \
    CHECK(encode(tiled, map, &c) == INVALID_VALUE)
    REFUSED(type, 13); /* of 4 bits: from sm_100 on */
    REFUSED(type, 16);
    REFUSED(type, -1);
    REFUSED(rank, 0);
    REFUSED(rank, 6);
    REFUSED(address, address + 8);
    REFUSED(size[1], 0);
    REFUSED(size[1], (UINT64_C(1) << 32) + 1);
    REFUSED(stride[0], 168);
    REFUSED(stride[0], UINT64_C(1) << 40);
    REFUSED(box[0], 0);
    REFUSED(box[1], 257);
    REFUSED(box[0], 3);
    REFUSED(step[1], 0);
    REFUSED(step[1], 9);
    REFUSED(interleave, 1);
    REFUSED(swizzle, 1); /* rows of 128 bytes */
    REFUSED(swizzle, 4); /* by pieces of 32 bytes: likewise */
    REFUSED(swizzle, 7);
    REFUSED(promotion, 4);
    REFUSED(fill, 2);
    c = good;
    c.address = address;
    c.type = INT32;
    c.fill = 1;
    CHECK(encode(tiled, map, &c) == INVALID_VALUE);
    c.fill = 0;
    CHECK(encode(tiled, map, &c) == 0);
    CHECK(encode(tiled, map + 32, &c) == INVALID_VALUE);
    CHECK(encode(tiled, NULL, &c) == INVALID_VALUE);
}

struct pixels_call {
    uint32_t rank, channels, pixels;
    int lower[3], upper[3], swizzle;
    uint32_t step;
};

/* Images of 16 x 16 pixels of 64 floats. */
static int encode_pixels(encode_im2col *im2col, uint64_t address,
                         const struct pixels_call *c)
{
    _Alignas(64) uint8_t map[MAP_BYTES];
    const uint64_t size[5] = {64, 16, 16, 4, 1},
                   stride[4] = {256, 4096, 65536, 262144};
    const uint32_t step[5] = {1, c->step, 1, 1, 1};

    return im2col(map, FLOAT32, c->rank, (void *)(uintptr_t)address, size,
                  stride, c->lower, c->upper, c->channels, c->pixels, step, 0,
                  c->swizzle, 0, 0);
}

static void refuse_pixels(uint64_t address)
{
    static const struct pixels_call kept = {4,           32, 128, {-1, -1, 0},
                                            {-1, -1, 0}, 3,  2};
    struct pixels_call c;
    encode_im2col *im2col;
    void *entry;
    int status;

    CHECK(cudaGetDriverEntryPoint("cuTensorMapEncodeIm2col", &entry, 0,
                                  &status) == 0 &&
          status == 0);
    memcpy(&im2col, &entry, sizeof im2col);
    CHECK(encode_pixels(im2col, address, &kept) == 0);
#define REFUSED_PIXELS(field, value) \
    c = kept;                        \
    c.field = value;                 \
    CHECK(encode_pixels(im2col, address, &c) == INVALID_VALUE)
    REFUSED_PIXELS(rank, 2);
    REFUSED_PIXELS(rank, 6);
    REFUSED_PIXELS(channels, 0);
    REFUSED_PIXELS(channels, 257);
    REFUSED_PIXELS(channels, 33);
    REFUSED_PIXELS(channels, 64); /* rows longer than the swizzle */
    REFUSED_PIXELS(pixels, 0);
    REFUSED_PIXELS(pixels, 1025);
    REFUSED_PIXELS(lower[1], -129);
    REFUSED_PIXELS(upper[0], 128);
    REFUSED_PIXELS(step, 9);
}

/* A box of 32 x 8 floats from column 8, row 4 on. */
static void load(const void *map, float first)
{
    static float out[WORDS];
    int words = WORDS, bytes = 1024, skip = 0, at[5] = {8, 4, 0, 0, 0};
    void *module, *function;
    uint64_t to;
    void *args[] = {(void *)(uintptr_t)map,
                    &to,
                    &words,
                    &bytes,
                    &skip,
                    &at[0],
                    &at[1],
                    &at[2],
                    &at[3],
                    &at[4]};

    CHECK(cuModuleLoad(&module, KERNELS) == 0);
    CHECK(cuModuleGetFunction(&function, module, "load2") == 0);
    CHECK(cuMemAlloc_v2(&to, sizeof out) == 0);
    CHECK(cuLaunchKernel(function, 1, 1, 1, 128, 1, 1, sizeof out, NULL, args,
                         NULL) == 0);
    CHECK(cuMemcpyDtoH_v2(out, to, sizeof out) == 0);
    CHECK(out[0] == first + 4 * 40 + 8);
    CHECK(out[7 * 32 + 31] == first + 11 * 40 + 39);
}

int main(void)
{
    _Alignas(64) uint8_t map[MAP_BYTES];
    float numbers[40 * 20];
    encode_tiled *tiled;
    replace_address *replace;
    void *entry;
    struct call c = good;
    uint64_t first, second;
    int status;

    CHECK(cuInit(0) == 0);
    CHECK(cudaGetDriverEntryPoint("cuTensorMapEncodeTiled", &entry, 0,
                                  &status) == 0 &&
          status == 0);
    memcpy(&tiled, &entry, sizeof tiled);
    CHECK(cudaGetDriverEntryPoint("cuTensorMapReplaceAddress", &entry, 0,
                                  &status) == 0 &&
          status == 0);
    memcpy(&replace, &entry, sizeof replace);
    CHECK(cuMemAlloc_v2(&first, sizeof numbers) == 0);
    CHECK(cuMemAlloc_v2(&second, sizeof numbers) == 0);
    for (int i = 0; i < 40 * 20; i++)
        numbers[i] = (float)i;
    CHECK(cuMemcpyHtoD_v2(first, numbers, sizeof numbers) == 0);
    for (int i = 0; i < 40 * 20; i++)
        numbers[i] += 5000;
    CHECK(cuMemcpyHtoD_v2(second, numbers, sizeof numbers) == 0);
    c.address = first;
    if (encode(tiled, map, &c) == 801) {
        puts("no tensor maps");
        return 0;
    }
    load(map, 0);
    CHECK(replace(map, (void *)(uintptr_t)(second + 8)) == INVALID_VALUE);
    CHECK(replace(map, (void *)(uintptr_t)second) == 0);
    load(map, 5000);
    refuse(tiled, first);
    refuse_pixels(first);
    printf("%d failures\n", failures);
    return failures != 0;
}
