/*
 * Entry points of the driver: device, contexts, errors.  There is one device
 * and one context, a name only.
 */
#include "tools/cudart/memory.h"
#include "tools/cudart/properties.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A context is a name: what it would own is the process'. */
struct context {
    unsigned flags;
};

enum {
    STACK_MAX = 64
};

static struct context primary;
static int retained; /* how often the primary one is */

/* The thread's, the current one on top. */
static _Thread_local struct {
    struct context *context[STACK_MAX];
    int depth;
    int used; /* the program has said which; else the primary one is current */
} stack;

CALL(cuInit, unsigned flags)
{
    BEGIN(r);
    return runtime_end(r, flags == 0 ? cudaSuccess : cudaErrorInvalidValue);
}

CALL(cuDeviceGet, int *device, int number)
{
    BEGIN(r);
    if (device == NULL || number != 0)
        return runtime_end(r, cudaErrorInvalidDevice);
    *device = 0;
    return runtime_end(r, cudaSuccess);
}

CALL(cuDeviceGetName, char *name, int bytes, int device)
{
    BEGIN(r);
    if (name == NULL || bytes <= 0 || device != 0)
        return runtime_end(r, cudaErrorInvalidValue);
    snprintf(name, (size_t)bytes, "%s (teg)", r->gpu->title);
    return runtime_end(r, cudaSuccess);
}

CALL(cuDeviceTotalMem_v2, size_t *bytes, int device)
{
    BEGIN(r);
    size_t left;

    if (bytes == NULL || device != 0)
        return runtime_end(r, cudaErrorInvalidValue);
    memory_left(r, &left, bytes);
    return runtime_end(r, cudaSuccess);
}

CALL(cuDeviceComputeCapability, int *major, int *minor, int device)
{
    BEGIN(r);
    if (major == NULL || minor == NULL || device != 0)
        return runtime_end(r, cudaErrorInvalidValue);
    *major = (int)r->gpu->chip.compute_capability / 10;
    *minor = (int)r->gpu->chip.compute_capability % 10;
    return runtime_end(r, cudaSuccess);
}

/* The same for every program: there is one device. */
CALL(cuDeviceGetUuid_v2, uint8_t uuid[UUID_BYTES], int device)
{
    BEGIN(r);
    if (uuid == NULL || device != 0)
        return runtime_end(r, cudaErrorInvalidValue);
    memcpy(uuid, device_uuid(r), UUID_BYTES);
    return runtime_end(r, cudaSuccess);
}
ALSO(cuDeviceGetUuid_v2, cuDeviceGetUuid);

/* enum CUdevprop of old: a struct of ints. */
CALL(cuDeviceGetProperties, int out[15], int device)
{
    static const int attribute[15] = {1, 2,  3,  4,  5,  6,  7, 8,
                                      9, 10, 11, 12, 13, 14, 0};
    BEGIN(r);

    if (out == NULL || device != 0)
        return runtime_end(r, cudaErrorInvalidValue);
    for (int i = 0; i < 14; i++)
        device_attribute(r, attribute[i], &out[i]);
    return runtime_end(r, cudaSuccess);
}

CALL(cuDeviceGetByPCIBusId, int *device, const char *text)
{
    BEGIN(r);
    if (device == NULL || text == NULL)
        return runtime_end(r, cudaErrorInvalidValue);
    *device = 0;
    return runtime_end(r, strstr(text, "00:00.0") != NULL
                              ? cudaSuccess
                              : cudaErrorInvalidDevice);
}
ALSO(cuDeviceGetByPCIBusId, cudaDeviceGetByPCIBusId);

/* What no peer has. */
CALL(cuDeviceGetP2PAttribute, int *value, int attribute, int from, int to)
{
    BEGIN(r);
    (void)attribute;
    if (value == NULL || from != 0 || to != 0)
        return runtime_end(r, cudaErrorInvalidDevice);
    *value = 0;
    return runtime_end(r, cudaSuccess);
}
ALSO(cuDeviceGetP2PAttribute, cudaDeviceGetP2PAttribute);

/* ---- contexts -------------------------------------------------------------- */

static int give(struct context **to, struct context *c)
{
    BEGIN(r);
    if (to != NULL)
        *to = c;
    return runtime_end(r, to != NULL ? cudaSuccess : cudaErrorInvalidValue);
}

static struct context *current_context(void)
{
    if (stack.depth > 0)
        return stack.context[stack.depth - 1];
    return stack.used ? NULL : &primary;
}

CALL(cuCtxPushCurrent_v2, struct context *c)
{
    BEGIN(r);
    if (c == NULL || stack.depth == STACK_MAX)
        return runtime_end(r, cudaErrorInvalidValue);
    stack.used = 1;
    stack.context[stack.depth++] = c;
    return runtime_end(r, cudaSuccess);
}

CALL(cuCtxPopCurrent_v2, struct context **c)
{
    BEGIN(r);
    if (stack.depth == 0)
        return runtime_end(r, cudaErrorDeviceUninitialized);
    stack.depth--;
    if (c != NULL)
        *c = stack.context[stack.depth];
    return runtime_end(r, cudaSuccess);
}

CALL(cuCtxGetCurrent, struct context **c)
{
    return give(c, current_context());
}

/* In place of the one on top; NULL: none. */
CALL(cuCtxSetCurrent, struct context *c)
{
    BEGIN(r);
    if (stack.depth > 0)
        stack.depth--;
    stack.used = 1;
    if (c != NULL)
        stack.context[stack.depth++] = c;
    return runtime_end(r, cudaSuccess);
}

CALL(cuCtxCreate_v2, struct context **made, unsigned flags, int device)
{
    BEGIN(r);
    struct context *c;

    if (made == NULL || device != 0)
        return runtime_end(r, device != 0 ? cudaErrorInvalidDevice
                                          : cudaErrorInvalidValue);
    c = calloc(1, sizeof *c);
    if (c == NULL)
        return runtime_end(r, cudaErrorMemoryAllocation);
    c->flags = flags;
    *made = c;
    return runtime_end(r, cuCtxPushCurrent_v2(c));
}

/* Affinities of version 3, parameters of version 4. */
CALL(cuCtxCreate_v3, struct context **made, void *how, int count,
     unsigned flags, int device)
{
    (void)how, (void)count;
    return cuCtxCreate_v2(made, flags, device);
}

CALL(cuCtxCreate_v4, struct context **made, void *how, unsigned flags,
     int device)
{
    (void)how;
    return cuCtxCreate_v2(made, flags, device);
}

CALL(cuCtxDestroy_v2, struct context *c)
{
    BEGIN_WAITING(r);
    if (c == NULL || c == &primary)
        return runtime_end(r, cudaErrorInvalidValue);
    if (current_context() == c)
        stack.depth--;
    free(c);
    return runtime_end(r, cudaSuccess);
}

CALL(cuCtxGetApiVersion, const struct context *c, unsigned *version)
{
    BEGIN(r);
    (void)c;
    if (version == NULL)
        return runtime_end(r, cudaErrorInvalidValue);
    *version = 3020; /* of the calls that end in _v2 */
    return runtime_end(r, cudaSuccess);
}

CALL(cuCtxGetId, const struct context *c, uint64_t *id)
{
    BEGIN(r);
    if (id == NULL)
        return runtime_end(r, cudaErrorInvalidValue);
    *id = (uint64_t)(c != NULL ? c : current_context());
    return runtime_end(r, cudaSuccess);
}

CALL(cuStreamGetCtx, void *stream, struct context **c)
{
    (void)stream;
    return give(c, current_context());
}

CALL(cuDevicePrimaryCtxRetain, struct context **c, int device)
{
    if (device == 0)
        retained++;
    return device == 0 ? give(c, &primary) : cudaErrorInvalidDevice;
}

static int release_primary(int device, int all)
{
    BEGIN(r);
    if (device != 0)
        return runtime_end(r, cudaErrorInvalidDevice);
    retained = all || retained == 0 ? 0 : retained - 1;
    r->context &= !all;
    return runtime_end(r, cudaSuccess);
}

CALL(cuDevicePrimaryCtxRelease_v2, int device)
{
    return release_primary(device, 0);
}

/* Memory stays: a program that resets is about to end. */
CALL(cuDevicePrimaryCtxReset_v2, int device)
{
    return release_primary(device, 1);
}

CALL(cuDevicePrimaryCtxSetFlags_v2, int device, unsigned flags)
{
    BEGIN(r);
    primary.flags = flags;
    return runtime_end(r, device == 0 ? cudaSuccess : cudaErrorInvalidDevice);
}

CALL(cuDevicePrimaryCtxGetState, int device, unsigned *flags, int *active)
{
    BEGIN(r);
    if (flags == NULL || active == NULL || device != 0)
        return runtime_end(r, cudaErrorInvalidValue);
    *flags = primary.flags;
    *active = retained > 0 || r->context;
    return runtime_end(r, cudaSuccess);
}

/* ---- one device has no peers ------------------------------------------------ */

CALL(cuCtxEnablePeerAccess, struct context *peer, unsigned flags)
{
    BEGIN(r);
    (void)peer, (void)flags;
    return runtime_end(r, cudaErrorInvalidDevice);
}

CALL(cuCtxDisablePeerAccess, struct context *peer)
{
    return cuCtxEnablePeerAccess(peer, 0);
}

/* ---- errors ----------------------------------------------------------------------- */

const char *cudaGetErrorString(int error);

/* The driver's name of a number; NULL: it has none. */
static const char *error_name(int error)
{
    static const struct {
        const char *name;
        int number;
    } names[] = {
#define ERROR(name, number) {#name, number},
#include "tools/cudart/driver/errors.def"
#undef ERROR
    };

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (names[i].number == error)
            return names[i].name;
    }
    return NULL;
}

CALL(cuGetErrorString, int error, const char **text)
{
    if (text == NULL)
        return cudaErrorInvalidValue;
    *text = error_name(error) != NULL ? cudaGetErrorString(error) : NULL;
    return *text != NULL ? cudaSuccess : cudaErrorInvalidValue;
}

CALL(cuGetErrorName, int error, const char **text)
{
    if (text == NULL)
        return cudaErrorInvalidValue;
    *text = error_name(error);
    return *text != NULL ? cudaSuccess : cudaErrorInvalidValue;
}
