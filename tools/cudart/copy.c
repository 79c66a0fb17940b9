/* Copies and sets of device memory. */
#include "tools/cudart/managed.h"
#include "tools/cudart/memory.h"
#include "tools/cudart/stream.h"

#include <string.h>

enum {
    BYTES_PER_US = 16000, /* nominal: a link of 16 GB/s */
};

/* Host pointer of one side of a copy.  `device` 1: must be device memory, 0:
 * must not be the device's alone, -1: either. */
static const void *side(struct runtime *r, const void *address, size_t bytes,
                        int device)
{
    const void *found = device_peek(r, address, bytes);
    uint64_t left;

    if (found != NULL)
        return device == 0 && shared_find(r, address) == NULL &&
                       found != address
                   ? NULL
                   : found;
    if (device == 1 ||
        emu_device_find(r->device, (uint64_t)address, &left) != NULL)
        return NULL;
    return address;
}

/* The side that is written. */
static void *target_side(struct runtime *r, void *address, size_t bytes,
                         int device)
{
    void *found = device_bytes(r, address, bytes);

    if (side(r, address, bytes, device) == NULL)
        return NULL;
    return found != NULL ? found : address;
}

static int to_device(int kind)
{
    return kind == COPY_DEFAULT
               ? -1
               : kind == COPY_HOST_TO_DEVICE || kind == COPY_DEVICE_TO_DEVICE;
}

static int from_device(int kind)
{
    return kind == COPY_DEFAULT
               ? -1
               : kind == COPY_DEVICE_TO_HOST || kind == COPY_DEVICE_TO_DEVICE;
}

/* Memory that lies on the device: neither the host's nor managed, which is
 * where it was used last. */
static int is_resident(struct runtime *r, const void *address)
{
    return device_peek(r, address, 1) != NULL &&
           shared_find(r, address) == NULL;
}

static void note_copy(struct runtime *r, const void *to, const void *from,
                      size_t bytes)
{
    if (is_resident(r, to))
        tracer_event(&r->tracer,
                     is_resident(r, from) ? "device-to-device"
                                          : "host-to-device",
                     to, bytes, shared_find(r, from) != NULL);
    else if (is_resident(r, from))
        tracer_event(&r->tracer, "device-to-host", from, bytes,
                     shared_find(r, to) != NULL);
}

void memory_note_set(struct runtime *r, const void *to, size_t bytes)
{
    if (is_resident(r, to))
        tracer_event(&r->tracer, "set", to, bytes, 0);
}

/* Whether the program goes on only when the copy is done; the rule of
 * sim/program. */
static int holds_host(struct runtime *r, const void *to, const void *from)
{
    int to_device = is_resident(r, to), from_device = is_resident(r, from);

    if (to_device && from_device)
        return 0;
    return !r->tracer.at.async || (to_device && shared_find(r, from) == NULL) ||
           (from_device && shared_find(r, to) == NULL);
}

int memory_copy(struct runtime *r, void *to, const void *from, size_t bytes,
                int kind)
{
    void *target;
    const void *source;

    if (kind < 0 || kind > COPY_DEFAULT)
        return cudaErrorInvalidMemcpyDirection;
    if (bytes == 0)
        return cudaSuccess;
    target = target_side(r, to, bytes, to_device(kind));
    source = side(r, from, bytes, from_device(kind));
    if (target == NULL || source == NULL)
        return cudaErrorInvalidValue;
    if (r->fault != cudaSuccess)
        return holds_host(r, to, from) ? runtime_wait(r) : cudaSuccess;
    memmove(target, source, bytes);
    note_copy(r, to, from, bytes);
    r->nominal_us += (double)bytes / BYTES_PER_US;
    return cudaSuccess;
}

int memory_set(struct runtime *r, void *to, uint32_t value, size_t width,
               size_t count)
{
    uint8_t *target;

    if (count == 0)
        return cudaSuccess;
    target =
        count <= SIZE_MAX / width ? device_bytes(r, to, count * width) : NULL;
    if (target == NULL || (uint64_t)to % width != 0)
        return cudaErrorInvalidValue;
    if (r->fault != cudaSuccess)
        return cudaSuccess;
    if (width == 1)
        memset(target, (int)value, count);
    for (size_t i = 0; i < count && width > 1; i++)
        memcpy(target + i * width, &value, width);
    memory_note_set(r, to, count * width);
    r->nominal_us += (double)(count * width) / BYTES_PER_US;
    return cudaSuccess;
}

int memory_copy_alone(struct runtime *r, void *to, const void *from,
                      size_t bytes, int kind)
{
    r->nominal_us += 1;
    return memory_copy(r, to, from, bytes, kind);
}

CALL(cudaMemcpy, void *to, const void *from, size_t bytes, int kind)
{
    BEGIN(r);
    return runtime_end(r, memory_copy_alone(r, to, from, bytes, kind));
}
ALSO(cudaMemcpy, cudaMemcpy_ptds);

CALL(cudaMemcpyAsync, void *to, const void *from, size_t bytes, int kind,
     void *stream)
{
    BEGIN(r);
    SUBMIT(r, stream, operation_copy(to, from, bytes, kind));
}
ALSO(cudaMemcpyAsync, cudaMemcpyAsync_ptsz);

CALL(cudaMemcpyPeer, void *to, int to_gpu, const void *from, int from_gpu,
     size_t bytes)
{
    BEGIN(r);
    if (to_gpu != 0 || from_gpu != 0)
        return runtime_end(r, cudaErrorInvalidDevice);
    return runtime_end(
        r, memory_copy_alone(r, to, from, bytes, COPY_DEVICE_TO_DEVICE));
}

CALL(cudaMemcpyPeerAsync, void *to, int to_gpu, const void *from, int from_gpu,
     size_t bytes, void *stream)
{
    BEGIN(r);
    if (to_gpu != 0 || from_gpu != 0)
        return runtime_end(r, cudaErrorInvalidDevice);
    SUBMIT(r, stream, operation_copy(to, from, bytes, COPY_DEVICE_TO_DEVICE));
}

int memory_copy_box(struct runtime *r, const struct copy_box *b, int kind)
{
    if (b->width > b->to_pitch || b->width > b->from_pitch)
        return cudaErrorInvalidPitchValue;
    r->nominal_us += 1;
    for (size_t z = 0; z < b->depth; z++) {
        for (size_t y = 0; y < b->height; y++) {
            int error =
                memory_copy(r, b->to + z * b->to_plane + y * b->to_pitch,
                            b->from + z * b->from_plane + y * b->from_pitch,
                            b->width, kind);

            if (error != cudaSuccess)
                return error;
        }
    }
    return cudaSuccess;
}

CALL(cudaMemcpy2D, void *to, size_t to_pitch, const void *from,
     size_t from_pitch, size_t width, size_t height, int kind)
{
    BEGIN(r);
    struct copy_box b = {.to = to,
                         .from = from,
                         .to_pitch = to_pitch,
                         .from_pitch = from_pitch,
                         .width = width,
                         .height = height,
                         .depth = 1};

    return runtime_end(r, memory_copy_box(r, &b, kind));
}
ALSO(cudaMemcpy2D, cudaMemcpy2D_ptds);

CALL(cudaMemcpy2DAsync, void *to, size_t to_pitch, const void *from,
     size_t from_pitch, size_t width, size_t height, int kind, void *stream)
{
    BEGIN(r);
    SUBMIT(
        r, stream,
        operation_copy_2d(to, to_pitch, from, from_pitch, width, height, kind));
}
ALSO(cudaMemcpy2DAsync, cudaMemcpy2DAsync_ptsz);

/* ---- setting ------------------------------------------------------------------------ */

CALL(cudaMemset, void *to, int value, size_t bytes)
{
    BEGIN(r);
    r->nominal_us += 1;
    return runtime_end(r, memory_set(r, to, (uint32_t)value, 1, bytes));
}
ALSO(cudaMemset, cudaMemset_ptds);

CALL(cudaMemsetAsync, void *to, int value, size_t bytes, void *stream)
{
    BEGIN(r);
    SUBMIT(r, stream, operation_set(to, bytes, (unsigned)value, 1, bytes, 1));
}
ALSO(cudaMemsetAsync, cudaMemsetAsync_ptsz);

static int set_planes(struct runtime *r, const struct cuda_pitched *to,
                      int value, const struct cuda_extent *extent)
{
    int error = cudaSuccess;

    r->nominal_us += 1;
    for (size_t z = 0; z < extent->depth; z++) {
        for (size_t y = 0; y < extent->height && error == cudaSuccess; y++)
            error = memory_set(
                r, (char *)to->data + to->pitch * (y + to->height * z),
                (uint32_t)value, 1, extent->width);
    }
    return error;
}

CALL(cudaMemset3D, struct cuda_pitched to, int value, struct cuda_extent extent)
{
    BEGIN(r);
    return runtime_end(r, set_planes(r, &to, value, &extent));
}
ALSO(cudaMemset3D, cudaMemset3D_ptds);

CALL(cudaMemset3DAsync, struct cuda_pitched to, int value,
     struct cuda_extent extent, void *stream)
{
    BEGIN(r);
    /* Planes without rows between them are one. */
    if (extent.depth <= 1 || to.height == extent.height)
        SUBMIT(r, stream,
               operation_set(to.data, to.pitch, (unsigned)value, 1,
                             extent.width, extent.height * extent.depth));
    if (stream_is_captured(r, stream, "cudaMemset3DAsync"))
        return runtime_end(r, cudaErrorStreamCaptureUnsupported);
    return runtime_end(r, set_planes(r, &to, value, &extent));
}
ALSO(cudaMemset3DAsync, cudaMemset3DAsync_ptsz);

CALL(cudaMemset2D, void *to, size_t pitch, int value, size_t width,
     size_t height)
{
    return cudaMemset3D((struct cuda_pitched){to, pitch, width, height}, value,
                        (struct cuda_extent){width, height, 1});
}
ALSO(cudaMemset2D, cudaMemset2D_ptds);

CALL(cudaMemset2DAsync, void *to, size_t pitch, int value, size_t width,
     size_t height, void *stream)
{
    BEGIN(r);
    SUBMIT(r, stream,
           operation_set(to, pitch, (unsigned)value, 1, width, height));
}
ALSO(cudaMemset2DAsync, cudaMemset2DAsync_ptsz);

/* ---- managed memory ----------------------------------------------------- */

struct location {
    int type, id;
};

enum {
    LOCATION_DEVICE = 1,
};

CALL(cudaMemPrefetchAsync, const void *address, size_t bytes,
     struct location where, unsigned flags, void *stream)
{
    BEGIN(r);
    (void)flags;
    stream_enter(r, stream);
    managed_prefetch(r, address, bytes, where.type == LOCATION_DEVICE);
    return runtime_end(r, cudaSuccess);
}
ALSO(cudaMemPrefetchAsync, cudaMemPrefetchAsync_ptsz);

CALL(cudaMemAdvise, const void *address, size_t bytes, int advice,
     struct location where)
{
    BEGIN(r);
    managed_advise(r, address, bytes, advice, where.type != LOCATION_DEVICE);
    return runtime_end(r, cudaSuccess);
}
