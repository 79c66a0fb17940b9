#include "tools/cublas/kernels.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "tools/cudart/say.h"
#include "traces/emulate/core/half.h"

enum {
    ATTRIBUTE_SMS = 16,
    ATTRIBUTE_MAJOR = 75,
    ATTRIBUTE_MINOR = 76,
    OLDEST = 75, /* generation with kernels */
    FUNCTION_SHARED_MOST = 8,
    SHARED_DEFAULT = 49152,
};

int cuModuleLoadData(void **module, const void *image);
int cuModuleGetFunction(void **function, void *module, const char *name);
int cuFuncSetAttribute(void *function, int attribute, int value);
int cuLaunchKernel(void *function, unsigned gx, unsigned gy, unsigned gz,
                   unsigned bx, unsigned by, unsigned bz, unsigned shared,
                   void *stream, void **args, void **extra);

/* Made by tools/make_cublas.sh. */
#define FATBIN(name)                                                       \
    extern const unsigned char name##_fatbin[];                            \
    __asm__(".pushsection .rodata\n"                                       \
            ".balign 16\n"                                                 \
            ".globl " #name "_fatbin\n"                                    \
            ".hidden " #name "_fatbin\n" #name                             \
            "_fatbin: .incbin \"tools/cublas/kernels/" #name ".fatbin\"\n" \
            ".popsection\n");
FATBIN(product)
FATBIN(hopper)
FATBIN(vector)

static const unsigned char *const fatbins[KERNELS] = {
    [KERNELS_PRODUCT] = product_fatbin,
    [KERNELS_HOPPER] = hopper_fatbin,
    [KERNELS_VECTOR] = vector_fatbin,
};

static struct blas_device device;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void find_device(void)
{
    int major = 0, minor = 0;

    cudaDeviceGetAttribute(&device.sms, ATTRIBUTE_SMS, 0);
    cudaDeviceGetAttribute(&major, ATTRIBUTE_MAJOR, 0);
    cudaDeviceGetAttribute(&minor, ATTRIBUTE_MINOR, 0);
    device.generation = major * 10 + minor;
}

const struct blas_device *blas_device(void)
{
    pthread_once(&once, find_device);
    return &device;
}

/* Loaded once something of it is wanted: not every file has code for every
 * device.  NULL: none. */
static void *module_of(enum blas_kernels file)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static struct {
        int tried;
        void *module;
    } loaded[KERNELS];
    void *module;

    if (blas_device()->generation < OLDEST)
        return NULL;
    pthread_mutex_lock(&lock);
    if (!loaded[file].tried &&
        cuModuleLoadData(&loaded[file].module, fatbins[file]) != 0)
        loaded[file].module = NULL;
    loaded[file].tried = 1;
    module = loaded[file].module;
    pthread_mutex_unlock(&lock);
    return module;
}

enum blas_status kernel_launch(const struct blas *b, enum blas_kernels file,
                               const char *name, const struct blas_grid *grid,
                               void *args)
{
    void *function = NULL, *module = module_of(file);

    if (module == NULL || cuModuleGetFunction(&function, module, name) != 0) {
        runtime_say("",
                    "cuBLAS: there are no kernels for sm_%d: sm_%d is the "
                    "oldest",
                    blas_device()->generation, OLDEST);
        return BLAS_ARCH_MISMATCH;
    }
    blas_say_whose();
    if (grid->shared > SHARED_DEFAULT &&
        cuFuncSetAttribute(function, FUNCTION_SHARED_MOST, (int)grid->shared) !=
            0)
        return BLAS_EXECUTION_FAILED;
    return cuLaunchKernel(function, grid->x, grid->y, grid->z, grid->threads, 1,
                          1, grid->shared, b->stream, &args, NULL) == 0
               ? BLAS_SUCCESS
               : BLAS_EXECUTION_FAILED;
}

int kernel_element(int type)
{
    static const struct {
        int data, element;
    } of[] = {
        {DATA_32F, PRODUCT_F32}, {DATA_64F, PRODUCT_F64},
        {DATA_16F, PRODUCT_F16}, {DATA_16BF, PRODUCT_BF16},
        {DATA_8I, PRODUCT_S8},   {DATA_32I, PRODUCT_S32},
    };

    for (size_t i = 0; i < sizeof of / sizeof of[0]; i++) {
        if (of[i].data == type)
            return of[i].element;
    }
    return PRODUCT_F32;
}

/* Sums are floats where scales are halves. */
struct product_scale kernel_scale(const struct blas *b, const void *value,
                                  int type)
{
    struct product_scale s = {0};
    uint16_t half;

    if (b->scalars_on_device) {
        s.at = value;
    } else if (type == DATA_16F) {
        memcpy(&half, value, sizeof half);
        s.value.f = half_value(half);
    } else {
        memcpy(&s.value, value, data_bytes(type));
    }
    return s;
}
