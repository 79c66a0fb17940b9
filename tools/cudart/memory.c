/* Device memory, host memory the device sees, copies. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "tools/cudart/memory.h"
#include "tools/cudart/managed.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
    PITCH = 512, /* bytes a row of cudaMallocPitch is rounded to */
};

#define SHARED_ALIGNMENT UINT64_C(0x200000)

/* ---- allocating --------------------------------------------------------------- */

void *device_bytes(struct runtime *r, const void *address, size_t bytes)
{
    return emu_device_at(r->device, (uint64_t)address, bytes);
}

const void *device_peek(const struct runtime *r, const void *address,
                        size_t bytes)
{
    return emu_device_peek(r->device, (uint64_t)address, bytes);
}

void memory_left(struct runtime *r, size_t *left, size_t *total)
{
    *total = (size_t)(r->gpu->dram.size_gb * (1 << 30));
    *left = r->allocated < *total ? *total - r->allocated : 0;
}

int memory_allocate(struct runtime *r, void **address, size_t bytes)
{
    uint64_t at;
    size_t left, total;

    if (address == NULL)
        return cudaErrorInvalidValue;
    *address = NULL;
    if (bytes == 0)
        return cudaSuccess;
    memory_left(r, &left, &total);
    if (bytes > left ||
        emu_device_alloc(r->device, bytes + 2 * r->margin, &at, NULL) != TEG_OK)
        return cudaErrorMemoryAllocation;
    r->context = 1;
    r->allocated += bytes;
    *address = (void *)(at + r->margin);
    tracer_event(&r->tracer, "allocate", *address, bytes, 0);
    return cudaSuccess;
}

struct shared_memory *shared_find(const struct runtime *r, const void *address)
{
    for (struct shared_memory *s = r->shared; s != NULL; s = s->next) {
        if ((uint64_t)address - (uint64_t)s->data < s->bytes)
            return s;
    }
    return NULL;
}

int memory_range_of(struct runtime *r, const void *address,
                    struct memory_range *range)
{
    const struct shared_memory *s = shared_find(r, address);
    struct emu_span span;

    if (s != NULL) {
        *range = (struct memory_range){s->data, s->bytes, s->kind};
        return 1;
    }
    if (!emu_device_span(r->device, (uint64_t)address, &span) ||
        (uint64_t)address - span.address >= span.bytes)
        return 0;
    *range =
        (struct memory_range){(void *)span.address, span.bytes, MEMORY_DEVICE};
    if (span.bytes > 2 * r->margin) {
        range->base = (char *)range->base + r->margin;
        range->bytes -= 2 * r->margin;
    }
    return 1;
}

static void drop_shared(struct runtime *r, struct shared_memory *s)
{
    struct shared_memory **at = &r->shared;

    while (*at != s)
        at = &(*at)->next;
    *at = s->next;
    managed_free(s->managed);
    emu_device_remove(r->device, (uint64_t)s->data);
    if (s->ours)
        munmap(s->data, s->bytes);
    free(s);
}

int memory_free(struct runtime *r, void *address)
{
    struct shared_memory *s = shared_find(r, address);
    uint64_t bytes = 0, at = (uint64_t)address - r->margin;

    if (address == NULL)
        return cudaSuccess;
    if (s != NULL) {
        if (s->data != address || s->kind != MEMORY_MANAGED)
            return cudaErrorInvalidValue;
        drop_shared(r, s);
        return cudaSuccess;
    }
    if (memory_is_graph(r, address))
        return memory_graph_use(r, address, 0);
    memory_forget_pooled(r, address);
    emu_device_find(r->device, at, &bytes);
    if (!emu_device_remove(r->device, at))
        return cudaErrorInvalidValue;
    bytes -= 2 * r->margin;
    tracer_event(&r->tracer, "free", address, bytes, 0);
    r->allocated -= bytes < r->allocated ? bytes : r->allocated;
    return cudaSuccess;
}

/* Makes host memory device memory at the same address. */
static int share(struct runtime *r, void *data, size_t bytes,
                 enum cuda_memory kind, int ours)
{
    struct shared_memory *s = calloc(1, sizeof *s);

    if (s == NULL || emu_device_map(r->device, (uint64_t)data, data, bytes,
                                    NULL) != TEG_OK) {
        free(s);
        return ours ? cudaErrorMemoryAllocation
                    : cudaErrorHostMemoryAlreadyRegistered;
    }
    *s = (struct shared_memory){data, bytes, kind, ours, NULL, r->shared};
    r->shared = s;
    return cudaSuccess;
}

/* At the same addresses in every run, so that traces are the same too. */
static int allocate_shared(struct runtime *r, void **address, size_t bytes,
                           enum cuda_memory kind)
{
    void *data;
    int error;

    if (address == NULL)
        return cudaErrorInvalidValue;
    *address = NULL;
    if (bytes == 0)
        return cudaSuccess;
    data = mmap((void *)r->next_shared, bytes, PROT_READ | PROT_WRITE,
                MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (data == MAP_FAILED)
        return cudaErrorMemoryAllocation;
    r->next_shared += (bytes + 2 * SHARED_ALIGNMENT - 1) / SHARED_ALIGNMENT *
                      SHARED_ALIGNMENT;
    error = share(r, data, bytes, kind, 1);
    if (error != cudaSuccess)
        munmap(data, bytes);
    else
        *address = data;
    return error;
}

CALL(cudaMalloc, void **address, size_t bytes)
{
    BEGIN(r);
    return runtime_end(r, memory_allocate(r, address, bytes));
}

CALL(cudaFree, void *address)
{
    BEGIN_WAITING(r);
    return runtime_end(r, memory_free(r, address));
}

CALL(cudaMallocManaged, void **address, size_t bytes, unsigned flags)
{
    BEGIN(r);
    (void)flags;
    return runtime_end(r, allocate_shared(r, address, bytes, MEMORY_MANAGED));
}

CALL(cudaHostAlloc, void **address, size_t bytes, unsigned flags)
{
    BEGIN(r);
    (void)flags;
    return runtime_end(r, allocate_shared(r, address, bytes, MEMORY_HOST));
}

CALL(cudaMallocHost, void **address, size_t bytes)
{
    return cudaHostAlloc(address, bytes, 0);
}

CALL(cudaFreeHost, void *address)
{
    BEGIN_WAITING(r);
    struct shared_memory *s = shared_find(r, address);

    if (address == NULL)
        return runtime_end(r, cudaSuccess);
    if (s == NULL || s->data != address || !s->ours || s->kind != MEMORY_HOST)
        return runtime_end(r, cudaErrorInvalidValue);
    drop_shared(r, s);
    return runtime_end(r, cudaSuccess);
}

CALL(cudaHostRegister, void *address, size_t bytes, unsigned flags)
{
    BEGIN(r);
    (void)flags;
    if (address == NULL || bytes == 0)
        return runtime_end(r, cudaErrorInvalidValue);
    return runtime_end(r, share(r, address, bytes, MEMORY_HOST, 0));
}

CALL(cudaHostUnregister, void *address)
{
    BEGIN_WAITING(r);
    struct shared_memory *s = shared_find(r, address);

    if (s == NULL || s->data != address || s->ours)
        return runtime_end(r, cudaErrorHostMemoryNotRegistered);
    drop_shared(r, s);
    return runtime_end(r, cudaSuccess);
}

CALL(cudaHostGetDevicePointer, void **device, void *host, unsigned flags)
{
    BEGIN(r);
    (void)flags;
    if (device == NULL || shared_find(r, host) == NULL)
        return runtime_end(r, cudaErrorInvalidValue);
    *device = host;
    return runtime_end(r, cudaSuccess);
}

CALL(cudaHostGetFlags, unsigned *flags, void *host)
{
    BEGIN(r);
    if (flags == NULL || shared_find(r, host) == NULL)
        return runtime_end(r, cudaErrorInvalidValue);
    *flags = 0;
    return runtime_end(r, cudaSuccess);
}

static size_t pitch_of(size_t width)
{
    return (width + PITCH - 1) / PITCH * PITCH;
}

CALL(cudaMallocPitch, void **address, size_t *pitch, size_t width,
     size_t height)
{
    BEGIN(r);
    if (pitch == NULL)
        return runtime_end(r, cudaErrorInvalidValue);
    *pitch = pitch_of(width);
    return runtime_end(r, memory_allocate(r, address, *pitch * height));
}

CALL(cudaMalloc3D, struct cuda_pitched *made, struct cuda_extent extent)
{
    BEGIN(r);
    if (made == NULL)
        return runtime_end(r, cudaErrorInvalidValue);
    made->pitch = pitch_of(extent.width);
    made->width = extent.width;
    made->height = extent.height;
    return runtime_end(
        r, memory_allocate(r, &made->data,
                           made->pitch * extent.height * extent.depth));
}

CALL(cudaMemGetInfo, size_t *left, size_t *total)
{
    BEGIN(r);
    if (left == NULL || total == NULL)
        return runtime_end(r, cudaErrorInvalidValue);
    memory_left(r, left, total);
    return runtime_end(r, cudaSuccess);
}

CALL(cudaPointerGetAttributes, struct cuda_pointer_attributes *a,
     const void *address)
{
    BEGIN(r);
    struct shared_memory *s = shared_find(r, address);

    if (a == NULL)
        return runtime_end(r, cudaErrorInvalidValue);
    *a = (struct cuda_pointer_attributes){.device = -2};
    if (s != NULL)
        *a = (struct cuda_pointer_attributes){
            s->kind, 0, (void *)address, (void *)address, {0}};
    else if (device_peek(r, address, 1) != NULL)
        *a = (struct cuda_pointer_attributes){
            MEMORY_DEVICE, 0, (void *)address, NULL, {0}};
    return runtime_end(r, cudaSuccess);
}
