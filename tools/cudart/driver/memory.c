/* Entry points of the driver: copies, pitched memory, what an address is. */
#include "tools/cudart/memory.h"
#include "tools/cudart/array.h"
#include "tools/cudart/stream.h"

#include <string.h>

/* ---- copies of bytes ---------------------------------------------------------- */

#define COPY(name, kind)                                                      \
    CALL(name, void *to, const void *from, size_t bytes)                      \
    {                                                                         \
        BEGIN(r);                                                             \
        return runtime_end(r, memory_copy_alone(r, to, from, bytes, kind));   \
    }                                                                         \
    CALL(name##Async, void *to, const void *from, size_t bytes, void *stream) \
    {                                                                         \
        BEGIN(r);                                                             \
        SUBMIT(r, stream, operation_copy(to, from, bytes, kind));             \
    }                                                                         \
    struct expects_a_semicolon
COPY(cuMemcpy, COPY_DEFAULT);
COPY(cuMemcpyHtoD, COPY_HOST_TO_DEVICE);
COPY(cuMemcpyDtoH, COPY_DEVICE_TO_HOST);
COPY(cuMemcpyDtoD, COPY_DEVICE_TO_DEVICE);
ALSO(cuMemcpyHtoD, cuMemcpyHtoD_v2);
ALSO(cuMemcpyDtoH, cuMemcpyDtoH_v2);
ALSO(cuMemcpyDtoD, cuMemcpyDtoD_v2);
ALSO(cuMemcpyHtoDAsync, cuMemcpyHtoDAsync_v2);
ALSO(cuMemcpyDtoHAsync, cuMemcpyDtoHAsync_v2);
ALSO(cuMemcpyDtoDAsync, cuMemcpyDtoDAsync_v2);

/* Contexts share one memory. */
CALL(cuMemcpyPeer, void *to, void *to_context, const void *from,
     void *from_context, size_t bytes)
{
    (void)to_context, (void)from_context;
    return cuMemcpyDtoD(to, from, bytes);
}

CALL(cuMemcpyPeerAsync, void *to, void *to_context, const void *from,
     void *from_context, size_t bytes, void *stream)
{
    (void)to_context, (void)from_context;
    return cuMemcpyDtoDAsync(to, from, bytes, stream);
}

/* ---- setting ------------------------------------------------------------------ */

#define FILL(name, type)                                                      \
    CALL(name##_v2, void *to, type value, size_t count)                       \
    {                                                                         \
        BEGIN(r);                                                             \
        r->nominal_us += 1;                                                   \
        return runtime_end(r, memory_set(r, to, value, sizeof value, count)); \
    }                                                                         \
    CALL(name##Async, void *to, type value, size_t count, void *stream)       \
    {                                                                         \
        BEGIN(r);                                                             \
        SUBMIT(r, stream,                                                     \
               operation_set(to, count * sizeof value, value, sizeof value,   \
                             count, 1));                                      \
    }                                                                         \
    struct expects_a_semicolon
#define FILL_2D(name, type)                                                   \
    CALL(name##_v2, void *to, size_t pitch, type value, size_t width,         \
         size_t height)                                                       \
    {                                                                         \
        BEGIN(r);                                                             \
        SUBMIT(r, NULL,                                                       \
               operation_set(to, pitch, value, sizeof value, width, height)); \
    }                                                                         \
    CALL(name##Async, void *to, size_t pitch, type value, size_t width,       \
         size_t height, void *stream)                                         \
    {                                                                         \
        BEGIN(r);                                                             \
        SUBMIT(r, stream,                                                     \
               operation_set(to, pitch, value, sizeof value, width, height)); \
    }                                                                         \
    struct expects_a_semicolon
FILL(cuMemsetD8, uint8_t);
FILL(cuMemsetD16, uint16_t);
FILL(cuMemsetD32, uint32_t);
FILL_2D(cuMemsetD2D8, uint8_t);
FILL_2D(cuMemsetD2D16, uint16_t);
FILL_2D(cuMemsetD2D32, uint32_t);

/* ---- copies of boxes ---------------------------------------------------------- */

enum memory_type {
    TYPE_HOST = 1,
    TYPE_DEVICE,
    TYPE_ARRAY,
    TYPE_UNIFIED,
};

/* One side of a box: a position in bytes, rows and planes. */
struct place_2d {
    size_t x, y;
    int type;
    void *host, *device, *array;
    size_t pitch;
};

struct copy_2d {
    struct place_2d from, to;
    size_t width, height; /* bytes, rows */
};

struct place_3d {
    size_t x, y, z, level;
    int type;
    void *host, *device, *array, *reserved;
    size_t pitch, height;
};

struct copy_3d {
    struct place_3d from, to;
    size_t width, height, depth;
};

_Static_assert(sizeof(struct copy_2d) == 128, "layout");
_Static_assert(sizeof(struct copy_3d) == 200, "layout");

/* The runtime counts elements of an array where the driver counts bytes. */
static int take_place(struct runtime *r, const struct place_3d *p, size_t width,
                      size_t rows, void **array, struct cuda_pos *at,
                      struct cuda_pitched *memory, size_t *texel)
{
    const struct array *a;

    *at = (struct cuda_pos){p->x, p->y, p->z};
    *array = NULL;
    if (p->type != TYPE_ARRAY) {
        *memory =
            (struct cuda_pitched){p->type == TYPE_HOST ? p->host : p->device,
                                  p->pitch != 0 ? p->pitch : width, width,
                                  p->height != 0 ? p->height : rows};
        return p->type >= TYPE_HOST && p->type <= TYPE_UNIFIED
                   ? cudaSuccess
                   : cudaErrorInvalidValue;
    }
    a = array_find(r, p->array);
    if (a == NULL)
        return cudaErrorInvalidResourceHandle;
    *array = p->array;
    *texel = a->shape.channels * (a->shape.bits / 8u);
    if (p->x % *texel != 0 || width % *texel != 0)
        return cudaErrorInvalidValue;
    at->x = p->x / *texel;
    return cudaSuccess;
}

static int copy_box(struct runtime *r, const struct copy_3d *c,
                    struct operation *o)
{
    struct cuda_copy3d *to = &o->copy;
    size_t texel = 1;
    int error;

    *o = (struct operation){.kind = OPERATION_COPY};
    error = take_place(r, &c->from, c->width, c->height, &to->from_array,
                       &to->from_at, &to->from, &texel);
    if (error == cudaSuccess)
        error = take_place(r, &c->to, c->width, c->height, &to->to_array,
                           &to->to_at, &to->to, &texel);
    to->extent = (struct cuda_extent){c->width / texel, c->height, c->depth};
    to->kind = COPY_DEFAULT;
    return error;
}

/* In `stream`, or at once where that is NULL. */
static int copy_boxes(const struct copy_3d *c, void *const *stream)
{
    BEGIN(r);
    struct operation o;
    int error = c != NULL ? copy_box(r, c, &o) : cudaErrorInvalidValue;

    if (error == cudaSuccess)
        error = stream != NULL ? stream_submit(r, *stream, &o)
                               : array_copy_3d(r, &o.copy);
    return runtime_end(r, error);
}

static struct place_3d raised(const struct place_2d *p)
{
    return (struct place_3d){.x = p->x,
                             .y = p->y,
                             .type = p->type,
                             .host = p->host,
                             .device = p->device,
                             .array = p->array,
                             .pitch = p->pitch};
}

static int copy_plane(const struct copy_2d *c, void *const *stream)
{
    struct copy_3d box;

    if (c == NULL)
        return cudaErrorInvalidValue;
    box = (struct copy_3d){raised(&c->from), raised(&c->to), c->width,
                           c->height, 1};
    return copy_boxes(&box, stream);
}

CALL(cuMemcpy2D_v2, const struct copy_2d *c)
{
    return copy_plane(c, NULL);
}
ALSO(cuMemcpy2D_v2, cuMemcpy2DUnaligned_v2);

CALL(cuMemcpy2DAsync_v2, const struct copy_2d *c, void *stream)
{
    return copy_plane(c, &stream);
}

CALL(cuMemcpy3D_v2, const struct copy_3d *c)
{
    return copy_boxes(c, NULL);
}

CALL(cuMemcpy3DAsync_v2, const struct copy_3d *c, void *stream)
{
    return copy_boxes(c, &stream);
}

int cudaGraphAddMemcpyNode(struct node **made, struct graph *g,
                           struct node *const *from, size_t froms,
                           const struct cuda_copy3d *p);

CALL(cuGraphAddMemcpyNode, struct node **made, struct graph *g,
     struct node *const *from, size_t froms, const struct copy_3d *c,
     void *context)
{
    BEGIN(r);
    struct operation o;
    int error = c != NULL ? copy_box(r, c, &o) : cudaErrorInvalidValue;

    (void)context;
    return runtime_end(
        r, error == cudaSuccess
               ? cudaGraphAddMemcpyNode(made, g, from, froms, &o.copy)
               : error);
}

/* ---- what an address is ------------------------------------------------------- */

CALL(cuMemGetAddressRange_v2, void **base, size_t *bytes, void *address)
{
    BEGIN(r);
    struct memory_range range;

    if (!memory_range_of(r, address, &range))
        return runtime_end(r, cudaErrorInvalidValue);
    if (base != NULL)
        *base = range.base;
    if (bytes != NULL)
        *bytes = range.bytes;
    return runtime_end(r, cudaSuccess);
}

/* enum CUpointer_attribute */
enum {
    POINTER_CONTEXT = 1,
    POINTER_TYPE,
    POINTER_DEVICE,
    POINTER_HOST,
    POINTER_SYNC = 6,
    POINTER_ID = 7,
    POINTER_IS_MANAGED = 8,
    POINTER_ORDINAL = 9,
    POINTER_START = 11,
    POINTER_SIZE = 12,
    POINTER_MAPPED = 13,
};

int cuCtxGetCurrent(void **c);

/* False: there is no such attribute of the address. */
static int pointer_attribute(struct runtime *r, void *address, int attribute,
                             void *out)
{
    struct memory_range range = {0};
    int known = memory_range_of(r, address, &range), number = -1;
    void *pointer = NULL;

    switch (attribute) {
    case POINTER_CONTEXT:
        return known ? cuCtxGetCurrent(out) == cudaSuccess : 0;
    case POINTER_TYPE:
        number = range.kind == MEMORY_HOST ? TYPE_HOST : TYPE_DEVICE;
        break;
    case POINTER_DEVICE:
    case POINTER_HOST:
        pointer = attribute == POINTER_HOST && range.kind == MEMORY_DEVICE
                      ? NULL
                      : address;
        memcpy(out, &pointer, sizeof pointer);
        return known && pointer != NULL;
    case POINTER_START:
        memcpy(out, &range.base, sizeof range.base);
        return known;
    case POINTER_SIZE:
        memcpy(out, &range.bytes, sizeof range.bytes);
        return known;
    case POINTER_ID:
        memcpy(out, &range.base, sizeof range.base);
        return known;
    case POINTER_IS_MANAGED:
    case POINTER_SYNC:
        /* a byte, as bool is */
        memset(out,
               attribute == POINTER_IS_MANAGED && range.kind == MEMORY_MANAGED,
               1);
        return known;
    case POINTER_ORDINAL:
        number = 0;
        break;
    case POINTER_MAPPED:
        memset(out, 1, 1);
        return known;
    default:
        return 0;
    }
    if (known)
        memcpy(out, &number, sizeof number);
    return known;
}

CALL(cuPointerGetAttribute, void *out, int attribute, void *address)
{
    BEGIN(r);
    return runtime_end(r, out != NULL &&
                                  pointer_attribute(r, address, attribute, out)
                              ? cudaSuccess
                              : cudaErrorInvalidValue);
}

/* What an address has not is 0. */
CALL(cuPointerGetAttributes, unsigned count, const int *attribute, void **out,
     void *address)
{
    BEGIN(r);
    if (attribute == NULL || out == NULL)
        return runtime_end(r, cudaErrorInvalidValue);
    for (unsigned i = 0; i < count; i++) {
        int wide = attribute[i] <= POINTER_HOST || attribute[i] == POINTER_ID ||
                   attribute[i] == POINTER_START ||
                   attribute[i] == POINTER_SIZE;

        if (pointer_attribute(r, address, attribute[i], out[i]))
            continue;
        memset(out[i], 0, attribute[i] == POINTER_TYPE ? 4 : wide ? 8 : 1);
        if (attribute[i] == POINTER_ORDINAL)
            memset(out[i], 0xff, sizeof(int));
    }
    return runtime_end(r, cudaSuccess);
}

CALL(cuPointerSetAttribute, const void *value, int attribute, void *address)
{
    BEGIN(r);
    (void)address;
    return runtime_end(r, value != NULL && attribute == POINTER_SYNC
                              ? cudaSuccess
                              : cudaErrorInvalidValue);
}
