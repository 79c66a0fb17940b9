/* Entry points of cuDNN: handles, versions, what is said of the library. */
#define _GNU_SOURCE /* dlopen's RTLD_NOLOAD */
#include "tools/cudnn/dnn.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/cudart/say.h"

enum {
    SUMS_BYTES = 4 << 20,
};

/* In place of every entry point that teg does not have. */
int teg_cudnn_lacks(const char *name);
__attribute__((visibility("default"))) int teg_cudnn_lacks(const char *name)
{
    runtime_say("", "%s is not implemented", name);
    return DNN_NOT_SUPPORTED;
}

/* ---- versions, statuses ------------------------------------------------------------ */

ENTRY(size_t, cudnnGetCudartVersion, void)
{
    int version = 0;
    int cudaRuntimeGetVersion(int *);

    cudaRuntimeGetVersion(&version);
    return (size_t)version;
}

ENTRY(size_t, cudnnGetMaxDeviceVersion, void)
{
    return 1210; /* the newest generation with kernels */
}

/* The library's own, which needs no driver and stays as it is; 0: it is not
 * there. */
static size_t version(void)
{
    size_t (*get)(void) = NULL;
    void *library = dlopen("libcudnn.so.9", RTLD_LAZY | RTLD_NOLOAD);

    if (library == NULL)
        return 0;
    *(void **)&get = dlsym(library, "cudnnGetVersion");
    dlclose(library);
    return get != NULL ? get() : 0;
}

CALL(cudnnGetProperty, int which, int *out)
{
    const size_t all = version();
    const size_t part[VENDOR_PARTS] = {all / 10000, all / 100 % 100, all % 100};

    if (out == NULL || which < 0 || which >= VENDOR_PARTS)
        return DNN_BAD_PARAM;
    *out = (int)part[which];
    return DNN_SUCCESS;
}

CALL(cudnnGraphVersionCheck, void)
{
    return DNN_SUCCESS;
}
ALSO(cudnnGraphVersionCheck, cudnnOpsVersionCheck);
ALSO(cudnnGraphVersionCheck, cudnnCnnVersionCheck);
ALSO(cudnnGraphVersionCheck, cudnnAdvVersionCheck);

ENTRY(const char *, cudnnGetErrorString, int status)
{
    switch (status) {
#define STATUS(name, number) \
    case number:             \
        return "CUDNN_STATUS_" #name;
#include "tools/cudnn/status.def"
#undef STATUS
    default:
        return "CUDNN_UNKNOWN_STATUS";
    }
}

/* Everything there is to say was said on standard error. */
ENTRY(void, cudnnGetLastErrorString, char *text, size_t size)
{
    if (text != NULL && size > 0)
        text[0] = '\0';
}

CALL(cudnnQueryRuntimeError, struct dnn *d, int *status, int mode, void *tag)
{
    (void)mode, (void)tag;
    if (d == NULL || status == NULL)
        return DNN_BAD_PARAM;
    *status = DNN_SUCCESS;
    return DNN_SUCCESS;
}

CALL(cudnnSetCallback, unsigned mask, void *data, void *function)
{
    (void)mask, (void)data, (void)function; /* nothing is logged */
    return DNN_SUCCESS;
}

/* ---- handles ------------------------------------------------------------------------ */

CALL(cudnnCreate, struct dnn **out)
{
    if (out == NULL)
        return DNN_BAD_PARAM_NULL_POINTER;
    if (vendor_device()->sms == 0)
        return DNN_NOT_INITIALIZED;
    *out = calloc(1, sizeof **out);
    if (*out == NULL)
        return DNN_INTERNAL_ERROR_HOST_ALLOCATION_FAILED;
    if (cudaMalloc(&(*out)->sums, SUMS_BYTES) != 0) {
        free(*out);
        return DNN_NOT_INITIALIZED;
    }
    (*out)->sums_bytes = SUMS_BYTES;
    return DNN_SUCCESS;
}

CALL(cudnnDestroy, struct dnn *d)
{
    int cublasDestroy_v2(void *);

    if (d != NULL)
        cudaFree(d->sums);
    if (d != NULL && d->blas != NULL)
        cublasDestroy_v2(d->blas);
    free(d);
    return DNN_SUCCESS;
}

CALL(cudnnSetStream, struct dnn *d, void *stream)
{
    if (d == NULL)
        return DNN_BAD_PARAM;
    d->stream = stream;
    return DNN_SUCCESS;
}

CALL(cudnnGetStream, struct dnn *d, void **stream)
{
    if (d == NULL || stream == NULL)
        return DNN_BAD_PARAM;
    *stream = d->stream;
    return DNN_SUCCESS;
}

/* ---- what the rest needs -------------------------------------------------------------- */

static const struct {
    int type, bytes;
    const char *name;
    char letter; /* of its kernels */
} types[] = {
    {DNN_FLOAT, 4, "floats", 's'},     {DNN_DOUBLE, 8, "doubles", 'd'},
    {DNN_HALF, 2, "halves", 'h'},      {DNN_BFLOAT16, 2, "bfloat16", 'b'},
    {3, 0, "8-bit integers", 0},       {4, 0, "32-bit integers", 0},
    {12, 0, "8-bit floats (E4M3)", 0}, {13, 0, "8-bit floats (E5M2)", 0},
};

size_t dnn_bytes(int type)
{
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        if (types[i].type == type)
            return (size_t)types[i].bytes;
    }
    return 0;
}

const char *dnn_type_name(int type)
{
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        if (types[i].type == type)
            return types[i].name;
    }
    return "another type";
}

double dnn_scale(const void *value, int type)
{
    double d;
    float f;

    if (type == DNN_DOUBLE) {
        memcpy(&d, value, sizeof d);
        return d;
    }
    memcpy(&f, value, sizeof f);
    return (double)f;
}

/* Made by tools/make_kernels.sh. */
VENDOR_FATBIN(conv, "tools/cudnn/kernels/conv.fatbin")
VENDOR_FATBIN(hopper, "tools/cudnn/kernels/hopper.fatbin")
VENDOR_FATBIN(plain, "tools/cudnn/kernels/plain.fatbin")
VENDOR_FATBIN(layers, "tools/cudnn/kernels/layers.fatbin")
VENDOR_FATBIN(rnn, "tools/cudnn/kernels/rnn.fatbin")
VENDOR_FATBIN(dropout, "tools/cudnn/kernels/dropout.fatbin")

enum dnn_status dnn_launch(const struct dnn *d, enum dnn_files file,
                           const char *name, const struct vendor_grid *grid,
                           void *args)
{
    static const char whose[] =
        "teg's own kernels (teg_cudnn_...) stand for the library's; their "
        "times are their own (docs/exec.md)";
    static struct vendor_file files[DNN_FILES] = {
        [DNN_CONV] = {.library = "cuDNN", .fatbin = conv_fatbin},
        [DNN_HOPPER] = {.library = "cuDNN", .fatbin = hopper_fatbin},
        [DNN_PLAIN] = {.library = "cuDNN", .fatbin = plain_fatbin},
        [DNN_LAYERS] = {.library = "cuDNN", .fatbin = layers_fatbin},
        [DNN_RNN] = {.library = "cuDNN", .fatbin = rnn_fatbin},
        [DNN_DROPOUT] = {.library = "cuDNN", .fatbin = dropout_fatbin},
    };
    char full[96];

    snprintf(full, sizeof full, "teg_cudnn_%s", name);
    switch (vendor_launch(&files[file], whose, full, grid, d->stream, args)) {
    case VENDOR_OK:
        return DNN_SUCCESS;
    case VENDOR_NO_CODE:
        return DNN_NOT_SUPPORTED_ARCH_MISMATCH;
    default:
        return DNN_EXECUTION_FAILED;
    }
}

enum dnn_status dnn_launch_of(const struct dnn *d, enum dnn_files file,
                              const char *what, int type,
                              const struct vendor_grid *grid, void *args)
{
    char name[64];

    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        if (types[i].type == type && types[i].letter != 0) {
            snprintf(name, sizeof name, "%c%s", types[i].letter, what);
            return dnn_launch(d, file, name, grid, args);
        }
    }
    runtime_say("", "cuDNN: a layer of %s is not implemented",
                dnn_type_name(type));
    return DNN_NOT_SUPPORTED_DATA_TYPE;
}
