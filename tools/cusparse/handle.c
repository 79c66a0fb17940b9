/* Entry points of cuSPARSE: handles, what is said of the library, descriptors of
 * before. */
#include "tools/cusparse/sparse.h"

#include <stdlib.h>

#include "tools/cudart/say.h"
#include "tools/vendor/launch.h"

/* In place of every entry point that teg does not have. */
int teg_cusparse_lacks(const char *name);
__attribute__((visibility("default"))) int teg_cusparse_lacks(const char *name)
{
    runtime_say("", "%s is not implemented", name);
    return SPARSE_NOT_SUPPORTED;
}

/* ---- statuses, versions ---------------------------------------------------------- */

ENTRY(const char *, cusparseGetErrorName, int status)
{
    switch (status) {
#define STATUS(name, number, text) \
    case number:                   \
        return "CUSPARSE_STATUS_" #name;
#include "tools/cusparse/status.def"
#undef STATUS
    default:
        return "unrecognized error code";
    }
}

ENTRY(const char *, cusparseGetErrorString, int status)
{
    switch (status) {
#define STATUS(name, number, text) \
    case number:                   \
        return text;
#include "tools/cusparse/status.def"
#undef STATUS
    default:
        return "unrecognized error code";
    }
}

/* The library of CUDA 12 has the same name; it goes with that runtime. */
static const int *version(void)
{
    static const int of_12[] = {12, 5, 10}, of_13[] = {12, 6, 3};

    return vendor_version("libcudart.so.12", of_12, of_13);
}

CALL(cusparseGetVersion, const struct sparse *s, int *out)
{
    if (s == NULL || out == NULL)
        return s == NULL ? SPARSE_NOT_INITIALIZED : SPARSE_INVALID_VALUE;
    *out = version()[0] * 1000 + version()[1] * 100 + version()[2];
    return SPARSE_SUCCESS;
}

CALL(cusparseGetProperty, int which, int *out)
{
    if (out == NULL || which < 0 || which >= VENDOR_PARTS)
        return SPARSE_INVALID_VALUE;
    *out = version()[which];
    return SPARSE_SUCCESS;
}

/* ---- handles ---------------------------------------------------------------------- */

CALL(cusparseCreate, struct sparse **out)
{
    struct sparse *s;

    if (out == NULL)
        return SPARSE_INVALID_VALUE;
    if (vendor_device()->sms == 0)
        return SPARSE_NOT_INITIALIZED;
    s = calloc(1, sizeof *s);
    if (s == NULL || cudaMalloc((void **)&s->sum, sizeof *s->sum) != 0) {
        free(s);
        return SPARSE_ALLOC_FAILED;
    }
    *out = s;
    return SPARSE_SUCCESS;
}

CALL(cusparseDestroy, struct sparse *s)
{
    if (s != NULL)
        cudaFree(s->sum);
    free(s);
    return SPARSE_SUCCESS;
}

CALL(cusparseSetStream, struct sparse *s, void *stream)
{
    if (s == NULL)
        return SPARSE_NOT_INITIALIZED;
    s->stream = stream;
    return SPARSE_SUCCESS;
}

CALL(cusparseGetStream, const struct sparse *s, void **stream)
{
    if (s == NULL || stream == NULL)
        return s == NULL ? SPARSE_NOT_INITIALIZED : SPARSE_INVALID_VALUE;
    *stream = s->stream;
    return SPARSE_SUCCESS;
}

CALL(cusparseSetPointerMode, struct sparse *s, int mode)
{
    if (s == NULL || mode < 0 || mode > 1)
        return s == NULL ? SPARSE_NOT_INITIALIZED : SPARSE_INVALID_VALUE;
    s->scalars_on_device = mode;
    return SPARSE_SUCCESS;
}

CALL(cusparseGetPointerMode, const struct sparse *s, int *mode)
{
    if (s == NULL || mode == NULL)
        return s == NULL ? SPARSE_NOT_INITIALIZED : SPARSE_INVALID_VALUE;
    *mode = s->scalars_on_device;
    return SPARSE_SUCCESS;
}

/* Nothing is logged. */
CALL(cusparseLoggerSetCallback, void *callback)
{
    (void)callback;
    return SPARSE_SUCCESS;
}
ALSO(cusparseLoggerSetCallback, cusparseLoggerSetFile);
ALSO(cusparseLoggerSetCallback, cusparseLoggerOpenFile);

CALL(cusparseLoggerSetLevel, int level)
{
    (void)level;
    return SPARSE_SUCCESS;
}
ALSO(cusparseLoggerSetLevel, cusparseLoggerSetMask);

CALL(cusparseLoggerForceDisable, void)
{
    return SPARSE_SUCCESS;
}

/* ---- descriptors of before ---------------------------------------------------------- */

CALL(cusparseCreateMatDescr, struct matdescr **out)
{
    if (out == NULL)
        return SPARSE_INVALID_VALUE;
    *out = calloc(1, sizeof **out);
    return *out != NULL ? SPARSE_SUCCESS : SPARSE_ALLOC_FAILED;
}

CALL(cusparseDestroyMatDescr, struct matdescr *m)
{
    free(m);
    return SPARSE_SUCCESS;
}

/* A setting is a number from 0 to `most`; what asks for it gets it as it is. */
#define SETTING(set, get, field, most)                \
    CALL(set, struct matdescr *m, int value)          \
    {                                                 \
        if (m == NULL || value < 0 || value > (most)) \
            return SPARSE_INVALID_VALUE;              \
        m->field = value;                             \
        return SPARSE_SUCCESS;                        \
    }                                                 \
    CALL(get, const struct matdescr *m)               \
    {                                                 \
        return m != NULL ? m->field : 0;              \
    }
SETTING(cusparseSetMatType, cusparseGetMatType, type, 3)
SETTING(cusparseSetMatFillMode, cusparseGetMatFillMode, upper, 1)
SETTING(cusparseSetMatDiagType, cusparseGetMatDiagType, unit, 1)
SETTING(cusparseSetMatIndexBase, cusparseGetMatIndexBase, base, 1)
