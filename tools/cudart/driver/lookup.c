/* Entry points of the driver by name and version. */
#define _GNU_SOURCE /* RTLD_DEFAULT, dladdr */
#include "tools/cudart/runtime.h"
#include "tools/cudart/say.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

enum {
    SYMBOL_BYTES = 128,
    FOUND = 0, /* enum CUdriverProcAddressQueryResult */
    NOT_FOUND = 1,
};

/* Names whose meaning changed since CUDA 11, the newest first: the version of
 * CUDA from which the name stands for the variant.  (cudaTypedefs.h) */
static const struct {
    const char *name, *variant;
    int since;
} variants[] = {
    {"cuCtxCreate", "_v4", 12050},
    {"cuCtxCreate", "_v3", 11040},
    {"cuCtxCreate", "_v2", 3020},
    {"cuCtxGetDevice", "_v2", 13000},
    {"cuCtxSynchronize", "_v2", 13000},
    {"cuDeviceGetUuid", "_v2", 11040},
    {"cuEventElapsedTime", "_v2", 12080},
    {"cuGetProcAddress", "_v2", 12000},
    {"cuGraphAddDependencies", "_v2", 12030},
    {"cuGraphAddKernelNode", "_v2", 12000},
    {"cuGraphAddNode", "_v2", 12030},
    {"cuGraphExecKernelNodeSetParams", "_v2", 12000},
    {"cuGraphExecUpdate", "_v2", 12000},
    {"cuGraphGetEdges", "_v2", 12030},
    {"cuGraphInstantiate", "WithFlags", 12000},
    {"cuGraphKernelNodeGetParams", "_v2", 12000},
    {"cuGraphKernelNodeSetParams", "_v2", 12000},
    {"cuGraphNodeGetDependencies", "_v2", 12030},
    {"cuGraphNodeGetDependentNodes", "_v2", 12030},
    {"cuGraphRemoveDependencies", "_v2", 12030},
    {"cuMemAdvise", "_v2", 12020},
    {"cuMemPrefetchAsync", "_v2", 12020},
    {"cuMemcpy3DBatchAsync", "_v2", 13000},
    {"cuMemcpyBatchAsync", "_v2", 13000},
    {"cuStreamGetCaptureInfo", "_v3", 12030},
    {"cuStreamGetCaptureInfo", "_v2", 11030},
    {"cuStreamGetCtx", "_v2", 12050},
    {"cuStreamUpdateCaptureDependencies", "_v2", 12030},
};

/* Names of calls come without the suffix of the thread's default stream. */
static void *symbol(const char *name, const char *variant)
{
    char text[SYMBOL_BYTES];

    if (strncmp(name, "cu", 2) != 0 ||
        snprintf(text, sizeof text, "%s%s", name, variant) >= SYMBOL_BYTES)
        return NULL;
    return dlsym(RTLD_DEFAULT, text);
}

static void *find_entry(const char *name, int version)
{
    int known = 0;
    void *found;

    for (size_t i = 0; i < sizeof variants / sizeof variants[0]; i++) {
        if (strcmp(variants[i].name, name) != 0)
            continue;
        known = 1;
        if (version >= variants[i].since)
            return symbol(name, variants[i].variant);
    }
    /* What was changed before stands for the newest. */
    found = known ? NULL : symbol(name, "_v2");
    return found != NULL ? found : symbol(name, "");
}

static int give_entry(const char *name, int version, void **entry, int *status)
{
    if (name == NULL || entry == NULL)
        return cudaErrorInvalidValue;
    *entry = name[0] != '\0' ? find_entry(name, version) : NULL;
    if (status != NULL)
        *status = *entry != NULL ? FOUND : NOT_FOUND;
    return *entry != NULL || status != NULL ? cudaSuccess
                                            : cudaErrorSymbolNotFound;
}

CALL(cuGetProcAddress_v2, const char *name, void **entry, int version,
     uint64_t flags, int *status)
{
    (void)flags;
    return give_entry(name, version, entry, status);
}

CALL(cuGetProcAddress, const char *name, void **entry, int version,
     uint64_t flags)
{
    (void)flags;
    return give_entry(name, version, entry, NULL);
}

CALL(cudaGetDriverEntryPointByVersion, const char *name, void **entry,
     unsigned version, uint64_t flags, int *status)
{
    BEGIN(r);
    (void)flags;
    return runtime_end(r, give_entry(name, (int)version, entry, status));
}
ALSO(cudaGetDriverEntryPointByVersion, cudaGetDriverEntryPointByVersion_ptsz);

/* The older call, of the runtime's own version. */
CALL(cudaGetDriverEntryPoint, const char *name, void **entry, uint64_t flags,
     int *status)
{
    return cudaGetDriverEntryPointByVersion(name, entry, 13000, flags, status);
}
ALSO(cudaGetDriverEntryPoint, cudaGetDriverEntryPoint_ptsz);

/* ---- tables that are not documented ---------------------------------------------- */

/* Who asks first is the vendor's runtime inside a library, which cannot do
 * without: what it is in will fail, and should not do so without a word. */
CALL(cuGetExportTable, const void **table, const void *id)
{
    static int said;
    const char *name = NULL;
    Dl_info from;

    (void)id;
    if (table != NULL)
        *table = NULL;
    if (dladdr(__builtin_return_address(0), &from) != 0 &&
        from.dli_fname != NULL)
        name = strrchr(from.dli_fname, '/');
    name = name != NULL ? name + 1 : "a library";
    /* The compilers ask too, and do without. */
    if (strncmp(name, "libnvrtc", 8) == 0 ||
        strncmp(name, "libnvJitLink", 12) == 0)
        return cudaErrorSymbolNotFound;
    if (!said)
        runtime_say("",
                    "%s carries the vendor's runtime inside, which needs a "
                    "driver's undocumented tables: what it computes on the "
                    "device will not work",
                    name);
    said = 1;
    return cudaErrorSymbolNotFound;
}
