/* Entry points of cuBLAS: handles, their settings, what is said of the library. */
#include "tools/cublas/blas.h"
#include "tools/cublas/kernels.h"

#include <stdlib.h>

#include "tools/cudart/say.h"

/* ---- what is said --------------------------------------------------------------- */

/* In place of every entry point that teg does not have. */
int teg_cublas_lacks(const char *name);
__attribute__((visibility("default"))) int teg_cublas_lacks(const char *name)
{
    runtime_say("", "%s is not implemented", name);
    return BLAS_NOT_SUPPORTED;
}

static const struct {
    int data, bytes;
    const char *name;
} types[] = {
    {DATA_32F, 4, "32F"}, {DATA_64F, 8, "64F"}, {DATA_16F, 2, "16F"},
    {DATA_8I, 1, "8I"},   {DATA_32I, 4, "32I"}, {DATA_16BF, 2, "16BF"},
    {4, 8, "C_32F"},      {5, 16, "C_64F"},     {6, 4, "C_16F"},
    {8, 1, "8U"},         {28, 1, "8F_E4M3"},   {29, 1, "8F_E5M2"},
};

size_t data_bytes(int type)
{
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        if (types[i].data == type)
            return (size_t)types[i].bytes;
    }
    return 0;
}

const char *data_name(int type)
{
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        if (types[i].data == type)
            return types[i].name;
    }
    return "another type";
}

/* ---- statuses, versions ---------------------------------------------------------- */

ENTRY(const char *, cublasGetStatusName, int status)
{
    switch (status) {
#define STATUS(name, number, text) \
    case number:                   \
        return "CUBLAS_STATUS_" #name;
#include "tools/cublas/status.def"
#undef STATUS
    default:
        return "CUBLAS_STATUS_UNKNOWN";
    }
}
ALSO(cublasGetStatusName, cublasLtGetStatusName);

ENTRY(const char *, cublasGetStatusString, int status)
{
    switch (status) {
#define STATUS(name, number, text) \
    case number:                   \
        return text;
#include "tools/cublas/status.def"
#undef STATUS
    default:
        return "unknown status";
    }
}
ALSO(cublasGetStatusString, cublasLtGetStatusString);

/* Of the library in whose place this is: that of CUDA 12, or of 13. */
static const int *version(void)
{
    static const int of_12[] = {12, 9, 0}, of_13[] = {13, 1, 0};

    return vendor_version("libcublasLt.so.12", of_12, of_13);
}

ENTRY(size_t, cublasLtGetVersion, void)
{
    return (size_t)(version()[0] * 10000 + version()[1] * 100 + version()[2]);
}

ENTRY(size_t, cublasLtGetCudartVersion, void)
{
    return (size_t)(version()[0] * 1000);
}
ALSO(cublasLtGetCudartVersion, cublasGetCudartVersion);

CALL(cublasGetVersion_v2, const struct blas *b, int *out)
{
    (void)b; /* may be missing */
    if (out == NULL)
        return BLAS_INVALID_VALUE;
    *out = (int)cublasLtGetVersion();
    return BLAS_SUCCESS;
}

CALL(cublasGetProperty, int which, int *out)
{
    if (out == NULL || which < 0 || which >= VENDOR_PARTS)
        return BLAS_INVALID_VALUE;
    *out = version()[which];
    return BLAS_SUCCESS;
}
ALSO(cublasGetProperty, cublasLtGetProperty);

/* ---- handles ------------------------------------------------------------------- */

CALL(cublasCreate_v2, struct blas **out)
{
    struct blas *b;

    if (out == NULL)
        return BLAS_INVALID_VALUE;
    if (vendor_device()->sms == 0)
        return BLAS_NOT_INITIALIZED;
    b = calloc(1, sizeof *b);
    if (b == NULL)
        return BLAS_ALLOC_FAILED;
    if (cudaMalloc(&b->own_workspace, BLAS_WORKSPACE) != 0) {
        free(b);
        return BLAS_ALLOC_FAILED;
    }
    b->workspace = b->own_workspace;
    b->workspace_bytes = BLAS_WORKSPACE;
    *out = b;
    return BLAS_SUCCESS;
}
ALSO(cublasCreate_v2, cublasLtCreate);

CALL(cublasDestroy_v2, struct blas *b)
{
    if (b == NULL)
        return BLAS_NOT_INITIALIZED;
    cudaFree(b->own_workspace);
    free(b);
    return BLAS_SUCCESS;
}
ALSO(cublasDestroy_v2, cublasLtDestroy);

/* Which also gives the handle its own workspace back. */
CALL(cublasSetStream_v2, struct blas *b, void *stream)
{
    if (b == NULL)
        return BLAS_NOT_INITIALIZED;
    b->stream = stream;
    b->workspace = b->own_workspace;
    b->workspace_bytes = BLAS_WORKSPACE;
    return BLAS_SUCCESS;
}

CALL(cublasGetStream_v2, const struct blas *b, void **stream)
{
    if (b == NULL || stream == NULL)
        return b == NULL ? BLAS_NOT_INITIALIZED : BLAS_INVALID_VALUE;
    *stream = b->stream;
    return BLAS_SUCCESS;
}

CALL(cublasSetWorkspace_v2, struct blas *b, void *workspace, size_t bytes)
{
    if (b == NULL)
        return BLAS_NOT_INITIALIZED;
    if (workspace != NULL && (uintptr_t)workspace % 256 != 0)
        return BLAS_INVALID_VALUE;
    b->workspace = workspace;
    b->workspace_bytes = workspace != NULL ? bytes : 0;
    return BLAS_SUCCESS;
}

/* A setting is a number from 0 to `most`. */
#define SETTING(set, get, field, most)                                    \
    CALL(set, struct blas *b, int value)                                  \
    {                                                                     \
        if (b == NULL || value < 0 || value > (most))                     \
            return b == NULL ? BLAS_NOT_INITIALIZED : BLAS_INVALID_VALUE; \
        b->field = value;                                                 \
        return BLAS_SUCCESS;                                              \
    }                                                                     \
    CALL(get, const struct blas *b, int *value)                           \
    {                                                                     \
        if (b == NULL || value == NULL)                                   \
            return b == NULL ? BLAS_NOT_INITIALIZED : BLAS_INVALID_VALUE; \
        *value = b->field;                                                \
        return BLAS_SUCCESS;                                              \
    }
SETTING(cublasSetPointerMode_v2, cublasGetPointerMode_v2, scalars_on_device, 1)
SETTING(cublasSetAtomicsMode, cublasGetAtomicsMode, atomics, 1)
SETTING(cublasSetMathMode, cublasGetMathMode, math, 2 * BLAS_MATH_FLAGS - 1)
SETTING(cublasSetSmCountTarget, cublasGetSmCountTarget, sm_target, 1 << 20)

/* Nothing is logged. */
CALL(cublasLoggerConfigure, int on, int to_stdout, int to_stderr,
     const char *file)
{
    (void)on, (void)to_stdout, (void)to_stderr, (void)file;
    return BLAS_SUCCESS;
}

CALL(cublasSetLoggerCallback, void *callback)
{
    (void)callback;
    return BLAS_SUCCESS;
}
ALSO(cublasSetLoggerCallback, cublasLtLoggerSetCallback);
ALSO(cublasSetLoggerCallback, cublasLtLoggerSetFile);
ALSO(cublasSetLoggerCallback, cublasLtLoggerOpenFile);

CALL(cublasLtLoggerSetLevel, int level)
{
    (void)level;
    return BLAS_SUCCESS;
}
ALSO(cublasLtLoggerSetLevel, cublasLtLoggerSetMask);

CALL(cublasLtLoggerForceDisable, void)
{
    return BLAS_SUCCESS;
}
