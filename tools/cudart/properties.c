#include "tools/cudart/properties.h"

#include <stdio.h>
#include <string.h>

#include "tools/cudart/limits.h"
#include "tools/cudart/memory.h"
#include "tools/cudart/stream.h"

enum {
    VERSION = 13000,
    STACK_MOST = 512 * 1024, /* (programming guide: local memory of a thread) */
};

/* ---- the device ----------------------------------------------------------------- */

static void fill(struct runtime *r, struct cuda_properties *p)
{
    const struct teg_gpu *g = r->gpu;
    size_t left, total;

    memory_left(r, &left, &total);
    *p = (struct cuda_properties){
        .total_global = total,
        .shared_per_block = shared_default(g),
        .registers_per_block = (int)g->sm.registers,
        .warp_size = 32,
        .pitch_max = INT32_MAX,
        .threads_per_block = (int)g->sm.threads_per_block_max,
        .block_max = {1024, 1024, 64},
        .grid_max = {INT32_MAX, 65535, 65535},
        .total_constant = 65536,
        .major = (int)g->chip.compute_capability / 10,
        .minor = (int)g->chip.compute_capability % 10,
        .texture_alignment = 512,
        .texture_pitch_alignment = 32,
        .sms = (int)g->chip.sms,
        .maps_host = 1,
        .concurrent_kernels = 1,
        .async_engines = 1,
        .unified_addressing = 1,
        .l2_bytes = (int)g->l2.bytes,
        .threads_per_sm = (int)g->sm.threads_max,
        .stream_priorities = 1,
        .global_l1 = 1,
        .local_l1 = 1,
        .shared_per_sm = g->sm.shared_bytes,
        .registers_per_sm = (int)g->sm.registers,
        .managed = 1,
        .concurrent_managed = 1,
        .host_pointer_registered = 1,
        .cooperative = 1,
        .shared_per_block_optin = shared_most(g),
        .blocks_per_sm = (int)g->sm.blocks_max,
        .shared_reserved = g->sm.shared_reserved,
        .host_register = 1,
        .memory_pools = 1,
        .clusters = has_clusters(g),
    };
    snprintf(p->name, sizeof p->name, "%s (teg)", g->title);
    memcpy(p->uuid, device_uuid(r), sizeof p->uuid);
}

const uint8_t *device_uuid(const struct runtime *r)
{
    static uint8_t uuid[UUID_BYTES];

    static const char prefix[] = "teg ";
    size_t length = strlen(r->gpu->name), room = UUID_BYTES - strlen(prefix);

    /* No zero among them: programs take the bytes for a string. */
    memset(uuid, ' ', sizeof uuid);
    memcpy(uuid, prefix, strlen(prefix));
    memcpy(uuid + strlen(prefix), r->gpu->name, length < room ? length : room);
    return uuid;
}

static int check_device(int device)
{
    return device == 0 ? cudaSuccess : cudaErrorInvalidDevice;
}

CALL(cudaGetDeviceProperties, struct cuda_properties *p, int device)
{
    BEGIN(r);
    if (p == NULL)
        return runtime_end(r, cudaErrorInvalidValue);
    if (device == 0)
        fill(r, p);
    return runtime_end(r, check_device(device));
}

int device_attribute(struct runtime *r, int number, int *value)
{
    const struct teg_gpu *g = r->gpu;

    switch (number) {
#define ATTRIBUTE(n, v)    \
    case n:                \
        *value = (int)(v); \
        return 1;
#include "tools/cudart/attributes.def"
#undef ATTRIBUTE
    default:
        *value = 0;
        return 0;
    }
}

CALL(cudaDeviceGetAttribute, int *value, int number, int device)
{
    BEGIN(r);
    if (value == NULL || number <= 0)
        return runtime_end(r, cudaErrorInvalidValue);
    device_attribute(r, number, value);
    return runtime_end(r, check_device(device));
}

CALL(cudaGetDeviceCount, int *count)
{
    BEGIN(r);
    if (count == NULL)
        return runtime_end(r, cudaErrorInvalidValue);
    *count = 1;
    return runtime_end(r, cudaSuccess);
}

CALL(cudaGetDevice, int *device)
{
    BEGIN(r);
    if (device == NULL)
        return runtime_end(r, cudaErrorInvalidValue);
    *device = 0;
    return runtime_end(r, cudaSuccess);
}

/* It makes the context since CUDA 12. */
CALL(cudaSetDevice, int device)
{
    BEGIN(r);
    int error = check_device(device);

    r->context |= error == cudaSuccess;
    return runtime_end(r, error);
}

CALL(cudaInitDevice, int device, unsigned flags, unsigned more)
{
    (void)flags, (void)more;
    return cudaSetDevice(device);
}

CALL(cudaChooseDevice, int *device, const struct cuda_properties *p)
{
    (void)p;
    return cudaGetDevice(device);
}

CALL(cudaSetValidDevices, int *devices, int count)
{
    BEGIN(r);
    (void)devices, (void)count;
    return runtime_end(r, cudaSuccess);
}

CALL(cudaSetDeviceFlags, unsigned flags)
{
    BEGIN(r);
    (void)flags;
    return runtime_end(r, cudaSuccess);
}

CALL(cudaGetDeviceFlags, unsigned *flags)
{
    BEGIN(r);
    if (flags != NULL)
        *flags = 0;
    return runtime_end(r, flags != NULL ? cudaSuccess : cudaErrorInvalidValue);
}

/* Nothing is ever under way. */
CALL(cudaDeviceSynchronize, void)
{
    BEGIN_WAITING(r);
    tracer_say(&r->tracer, "synchronize", 0);
    return runtime_end(r, cudaSuccess);
}

static int do_nothing(void)
{
    BEGIN(r);
    return runtime_end(r, cudaSuccess);
}

/* Memory stays: a program that resets is about to end. */
CALL(cudaDeviceReset, void)
{
    BEGIN_WAITING(r);
    r->context = 0;
    return runtime_end(r, cudaSuccess);
}

CALL(cudaDriverGetVersion, int *version)
{
    if (version == NULL)
        return cudaErrorInvalidValue;
    *version = VERSION;
    return cudaSuccess;
}

CALL(cudaRuntimeGetVersion, int *version)
{
    return cudaDriverGetVersion(version);
}

/* ---- settings ------------------------------------------------------------------------ */

/* Stack and heap are those of the launches to come; the others change nothing,
 * and are what the program set when it asks. */
CALL(cudaDeviceSetLimit, int limit, size_t value)
{
    BEGIN(r);
    if (limit < 0 || limit >= LIMITS)
        return runtime_end(r, cudaErrorUnsupportedLimit);
    if (limit == LIMIT_STACK && value > STACK_MOST)
        return runtime_end(r, cudaErrorInvalidValue);
    r->limit[limit] = value;
    r->setting_changes++;
    return runtime_end(r, cudaSuccess);
}

CALL(cudaDeviceGetLimit, size_t *value, int limit)
{
    BEGIN(r);
    if (limit < 0 || limit >= LIMITS || value == NULL)
        return runtime_end(r, cudaErrorUnsupportedLimit);
    *value = r->limit[limit];
    return runtime_end(r, cudaSuccess);
}

CALL(cudaDeviceSetCacheConfig, int config)
{
    BEGIN(r);
    if (config < 0 || config >= CACHE_PREFERENCES)
        return runtime_end(r, cudaErrorInvalidValue);
    r->cache = config;
    return runtime_end(r, cudaSuccess);
}

CALL(cudaDeviceGetCacheConfig, int *config)
{
    BEGIN(r);
    if (config != NULL)
        *config = r->cache;
    return runtime_end(r, config != NULL ? cudaSuccess : cudaErrorInvalidValue);
}

/* Banks of 8 bytes were Kepler's alone; nothing is there to be set. */
CALL(cudaDeviceSetSharedMemConfig, int config)
{
    (void)config;
    return do_nothing();
}

CALL(cudaDeviceGetSharedMemConfig, int *config)
{
    BEGIN(r);
    if (config != NULL)
        *config = 0;
    return runtime_end(r, config != NULL ? cudaSuccess : cudaErrorInvalidValue);
}

CALL(cudaFuncSetCacheConfig, const void *what, int config)
{
    BEGIN(r);
    int error = cudaSuccess;
    struct function *f = function_find(r, what, &error);

    if (f == NULL || config < 0 || config >= CACHE_PREFERENCES)
        return runtime_end(r, f == NULL ? error : cudaErrorInvalidValue);
    f->cache = config;
    return runtime_end(r, cudaSuccess);
}

CALL(cudaFuncSetSharedMemConfig, const void *what, int config)
{
    (void)what;
    return cudaDeviceSetSharedMemConfig(config);
}

CALL(cudaCtxResetPersistingL2Cache, void)
{
    return do_nothing();
}

CALL(cudaProfilerStart, void)
{
    return do_nothing();
}

CALL(cudaProfilerStop, void)
{
    return do_nothing();
}

/* ---- one device has no peers ------------------------------------------------------------ */

CALL(cudaDeviceCanAccessPeer, int *can, int device, int peer)
{
    BEGIN(r);
    (void)peer;
    if (can == NULL)
        return runtime_end(r, cudaErrorInvalidValue);
    *can = 0;
    return runtime_end(r, check_device(device));
}

CALL(cudaDeviceEnablePeerAccess, int peer, unsigned flags)
{
    BEGIN(r);
    (void)peer, (void)flags;
    return runtime_end(r, cudaErrorInvalidDevice);
}

CALL(cudaDeviceDisablePeerAccess, int peer)
{
    return cudaDeviceEnablePeerAccess(peer, 0);
}

CALL(cudaDeviceGetPCIBusId, char *text, int length, int device)
{
    BEGIN(r);
    if (text == NULL || length < 13)
        return runtime_end(r, cudaErrorInvalidValue);
    snprintf(text, (size_t)length, "0000:00:00.0");
    return runtime_end(r, check_device(device));
}

CALL(cudaDeviceGetStreamPriorityRange, int *least, int *greatest)
{
    BEGIN(r);
    if (least != NULL)
        *least = 0;
    if (greatest != NULL)
        *greatest = stream_priority_greatest(r);
    return runtime_end(r, cudaSuccess);
}
