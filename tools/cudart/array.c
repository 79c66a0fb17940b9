/* Arrays: memory that textures and surfaces look into.  Rows lie one behind the
 * other, without gaps; a program cannot see that, and a trace has the texels
 * where hardware does (traces/emulate/core/tiling.h). */
#include "tools/cudart/array.h"
#include "tools/cudart/memory.h"
#include "tools/cudart/say.h"
#include "tools/cudart/stream.h"

#include <stdlib.h>
#include <string.h>

enum {
    CHANNEL_NV12 = 4, /* (enum cudaChannelFormatKind) */
    CHANNEL_LAST = 31,
    ARRAY_LAYERED = 1,
    ARRAY_CUBE = 4,
};

/* ---- formats ------------------------------------------------------------------- */

int channel_check(const struct cuda_channel *c, struct emu_texture *t)
{
    const int bits[4] = {c->x, c->y, c->z, c->w};
    unsigned channels = 0;

    if (c->kind >= CHANNEL_NV12 && c->kind <= CHANNEL_LAST) {
        runtime_say("", "arrays of NV12, of normalized channels and of "
                        "compressed blocks are not implemented");
        return cudaErrorNotSupported;
    }
    while (channels < 4 && bits[channels] == bits[0] && bits[0] != 0)
        channels++;
    for (unsigned i = channels; i < 4; i++) {
        if (bits[i] != 0)
            return cudaErrorInvalidChannelDescriptor;
    }
    if ((channels != 1 && channels != 2 && channels != 4) ||
        (bits[0] != 8 && bits[0] != 16 && bits[0] != 32) || c->kind < 0 ||
        c->kind > TEXEL_FLOAT || (c->kind == TEXEL_FLOAT && bits[0] == 8))
        return cudaErrorInvalidChannelDescriptor;
    t->channels = (uint8_t)channels;
    t->bits = (uint8_t)bits[0];
    t->kind = (uint8_t)c->kind;
    return cudaSuccess;
}

ENTRY(struct cuda_channel, cudaCreateChannelDesc, int x, int y, int z, int w,
      int kind)
{
    return (struct cuda_channel){x, y, z, w, kind};
}

/* ---- arrays -------------------------------------------------------------------- */

struct array *array_find(struct runtime *r, const void *handle)
{
    struct array *a = r->arrays;

    while (a != NULL && a != handle)
        a = a->next;
    return a;
}

static size_t texel_bytes(const struct array *a)
{
    return (size_t)a->shape.channels * (a->shape.bits / 8u);
}

/* The extent as the program gives it: elements, 0 for no such dimension, layers
 * and faces as depth. */
static int set_shape(struct array *a)
{
    const struct cuda_extent *e = &a->extent;
    int layered = (a->flags & (ARRAY_LAYERED | ARRAY_CUBE)) != 0;
    struct emu_texture *t = &a->shape;

    if (e->width == 0 || e->width > UINT32_MAX / 16 ||
        e->height > UINT32_MAX / 16 || e->depth > UINT32_MAX / 16 ||
        ((a->flags & ARRAY_CUBE) &&
         (e->width != e->height || e->depth == 0 || e->depth % 6 != 0)))
        return cudaErrorInvalidValue;
    t->dimensions = e->height == 0 ? 1 : e->depth == 0 || layered ? 2 : 3;
    t->size[0] = (uint32_t)e->width;
    t->size[1] = t->dimensions > 1 ? (uint32_t)e->height : 1;
    t->size[2] = t->dimensions > 2 ? (uint32_t)e->depth : 1;
    t->layers = layered && e->depth != 0 ? (uint32_t)e->depth : 1;
    t->pitch = t->size[0] * texel_bytes(a);
    t->slice = t->pitch * t->size[1];
    t->tiling = emu_tiling_of(t->pitch, t->size[1], t->size[2]);
    return cudaSuccess;
}

/* The bytes of an array: no fewer than the hardware's layout takes, for traces
 * have its texels there. */
static size_t array_bytes(const struct array *a)
{
    return a->shape.tiling.layer * a->shape.layers;
}

static int allocate(struct runtime *r, struct array **made,
                    const struct cuda_channel *channel,
                    struct cuda_extent extent, unsigned flags)
{
    struct array *a;
    void *address = NULL;
    int error;

    if (made == NULL || channel == NULL)
        return cudaErrorInvalidValue;
    *made = NULL;
    a = calloc(1, sizeof *a);
    if (a == NULL)
        return cudaErrorMemoryAllocation;
    a->channel = *channel;
    a->extent = extent;
    a->flags = flags;
    error = channel_check(channel, &a->shape);
    if (error == cudaSuccess)
        error = set_shape(a);
    if (error == cudaSuccess)
        error = memory_allocate(r, &address, array_bytes(a));
    if (error != cudaSuccess) {
        free(a);
        return error;
    }
    a->shape.address = (uint64_t)address;
    a->next = r->arrays;
    r->arrays = a;
    *made = a;
    return cudaSuccess;
}

CALL(cudaMalloc3DArray, struct array **made, const struct cuda_channel *channel,
     struct cuda_extent extent, unsigned flags)
{
    BEGIN(r);
    return runtime_end(r, allocate(r, made, channel, extent, flags));
}

CALL(cudaMallocArray, struct array **made, const struct cuda_channel *channel,
     size_t width, size_t height, unsigned flags)
{
    return cudaMalloc3DArray(made, channel,
                             (struct cuda_extent){width, height, 0}, flags);
}

static int free_array(struct runtime *r, struct array *array)
{
    struct array **at = &r->arrays;
    int error;

    while (*at != NULL && *at != array)
        at = &(*at)->next;
    if (*at == NULL)
        return cudaErrorInvalidResourceHandle;
    *at = array->next;
    error = memory_free(r, (void *)array->shape.address);
    free(array);
    return error;
}

CALL(cudaFreeArray, struct array *array)
{
    BEGIN_WAITING(r);
    return runtime_end(r, array != NULL ? free_array(r, array) : cudaSuccess);
}

/* ---- mip maps ------------------------------------------------------------------ */

struct mip_map *mip_map_find(struct runtime *r, const void *handle)
{
    struct mip_map *m = r->mip_maps;

    while (m != NULL && m != handle)
        m = m->next;
    return m;
}

static void free_levels(struct runtime *r, struct mip_map *m)
{
    for (unsigned i = 0; i < m->levels; i++)
        free_array(r, m->level[i]);
    free(m);
}

static size_t half(size_t n)
{
    return n > 1 ? n / 2 : n;
}

/* As many levels as asked for, down to one texel. */
static int make_levels(struct runtime *r, struct mip_map *m,
                       const struct cuda_channel *channel, struct cuda_extent e,
                       unsigned levels, unsigned flags)
{
    int layered = (flags & (ARRAY_LAYERED | ARRAY_CUBE)) != 0;
    int is_last = 0;

    while (!is_last && m->levels < levels && m->levels < EMU_LEVELS_MAX) {
        int error = allocate(r, &m->level[m->levels], channel, e, flags);

        if (error != cudaSuccess)
            return error;
        m->levels++;
        is_last = e.width <= 1 && e.height <= 1 && (layered || e.depth <= 1);
        e.width = half(e.width);
        e.height = half(e.height);
        e.depth = layered ? e.depth : half(e.depth);
    }
    return cudaSuccess;
}

CALL(cudaMallocMipmappedArray, struct mip_map **made,
     const struct cuda_channel *channel, struct cuda_extent extent,
     unsigned levels, unsigned flags)
{
    BEGIN(r);
    struct mip_map *m;
    int error;

    if (made == NULL || channel == NULL)
        return runtime_end(r, cudaErrorInvalidValue);
    m = calloc(1, sizeof *m);
    if (m == NULL)
        return runtime_end(r, cudaErrorMemoryAllocation);
    error = make_levels(r, m, channel, extent, levels > 0 ? levels : 1, flags);
    if (error != cudaSuccess) {
        free_levels(r, m);
        return runtime_end(r, error);
    }
    m->next = r->mip_maps;
    r->mip_maps = m;
    *made = m;
    return runtime_end(r, cudaSuccess);
}

CALL(cudaGetMipmappedArrayLevel, struct array **array,
     const struct mip_map *map, unsigned level)
{
    BEGIN(r);
    const struct mip_map *m = mip_map_find(r, map);

    if (m == NULL)
        return runtime_end(r, cudaErrorInvalidResourceHandle);
    if (array == NULL || level >= m->levels)
        return runtime_end(r, cudaErrorInvalidValue);
    *array = m->level[level];
    return runtime_end(r, cudaSuccess);
}

CALL(cudaFreeMipmappedArray, struct mip_map *map)
{
    BEGIN_WAITING(r);
    struct mip_map **at = &r->mip_maps;

    if (map == NULL)
        return runtime_end(r, cudaSuccess);
    while (*at != NULL && *at != map)
        at = &(*at)->next;
    if (*at == NULL)
        return runtime_end(r, cudaErrorInvalidResourceHandle);
    *at = map->next;
    free_levels(r, map);
    return runtime_end(r, cudaSuccess);
}

CALL(cudaArrayGetInfo, struct cuda_channel *channel, struct cuda_extent *extent,
     unsigned *flags, struct array *array)
{
    BEGIN(r);
    const struct array *a = array_find(r, array);

    if (a == NULL)
        return runtime_end(r, cudaErrorInvalidResourceHandle);
    if (channel != NULL)
        *channel = a->channel;
    if (extent != NULL)
        *extent = a->extent;
    if (flags != NULL)
        *flags = a->flags;
    return runtime_end(r, cudaSuccess);
}

CALL(cudaGetChannelDesc, struct cuda_channel *channel, struct array *array)
{
    return channel != NULL ? cudaArrayGetInfo(channel, NULL, NULL, array)
                           : cudaErrorInvalidValue;
}

/* ---- copies -------------------------------------------------------------------- */

/* One side of a copy: rows from a place in an array or in memory. */
struct side {
    char *data;
    size_t pitch, plane;
    size_t texel;   /* bytes, 0: memory */
    size_t room[3]; /* bytes of a row, rows, planes from the place on; memory:
                          unknown */
};

/* `x` counts elements. */
static int side_of_array(struct runtime *r, const void *handle, size_t x,
                         size_t y, size_t z, struct side *s)
{
    const struct array *a = array_find(r, handle);
    const struct emu_texture *t;
    size_t planes;

    if (a == NULL)
        return cudaErrorInvalidResourceHandle;
    t = &a->shape;
    planes = (size_t)t->size[2] * t->layers;
    if (x > t->size[0] || y > t->size[1] || z > planes)
        return cudaErrorInvalidValue;
    *s = (struct side){
        .pitch = t->pitch,
        .plane = t->slice,
        .texel = texel_bytes(a),
        .room = {(t->size[0] - x) * texel_bytes(a), t->size[1] - y, planes - z},
    };
    s->data = (char *)(t->address + x * s->texel + y * s->pitch + z * s->plane);
    return cudaSuccess;
}

/* An array is device memory, whatever the program says the kind is. */
static int kind_of(const struct side *to, const struct side *from, int kind)
{
    if (to->texel != 0 && from->texel != 0)
        return COPY_DEVICE_TO_DEVICE;
    return kind;
}

static int copy_sides(struct runtime *r, const struct side *to,
                      const struct side *from, size_t width, size_t height,
                      size_t depth, int kind)
{
    const size_t wanted[3] = {width, height, depth};
    struct copy_box b = {.to = to->data,
                         .from = from->data,
                         .to_pitch = to->pitch,
                         .from_pitch = from->pitch,
                         .to_plane = to->plane,
                         .from_plane = from->plane,
                         .width = width,
                         .height = height,
                         .depth = depth};

    for (int i = 0; i < 3; i++) {
        if ((to->texel != 0 && wanted[i] > to->room[i]) ||
            (from->texel != 0 && wanted[i] > from->room[i]))
            return cudaErrorInvalidValue;
    }
    return memory_copy_box(r, &b, kind_of(to, from, kind));
}

/* `x` counts bytes, which have to be whole elements. */
static int side_by_bytes(struct runtime *r, const void *handle, size_t x,
                         size_t y, struct side *s)
{
    int error = side_of_array(r, handle, 0, y, 0, s);

    if (error != cudaSuccess)
        return error;
    if (x % s->texel != 0 || x > s->room[0])
        return cudaErrorInvalidValue;
    s->data += x;
    s->room[0] -= x;
    return cudaSuccess;
}

CALL(cudaMemcpy2DToArray, struct array *to, size_t x, size_t y,
     const void *from, size_t pitch, size_t width, size_t height, int kind)
{
    BEGIN(r);
    struct side target, source = {.data = (char *)from, .pitch = pitch};
    int error = side_by_bytes(r, to, x, y, &target);

    if (error == cudaSuccess)
        error = copy_sides(r, &target, &source, width, height, 1, kind);
    return runtime_end(r, error);
}
ALSO(cudaMemcpy2DToArray, cudaMemcpy2DToArray_ptds);

CALL(cudaMemcpy2DToArrayAsync, struct array *to, size_t x, size_t y,
     const void *from, size_t pitch, size_t width, size_t height, int kind,
     void *stream)
{
    BEGIN(r);
    if (stream_is_captured(r, stream, "cudaMemcpy2DToArrayAsync"))
        return runtime_end(r, cudaErrorStreamCaptureUnsupported);
    runtime_unlock(r, 0);
    return cudaMemcpy2DToArray(to, x, y, from, pitch, width, height, kind);
}
ALSO(cudaMemcpy2DToArrayAsync, cudaMemcpy2DToArrayAsync_ptsz);

CALL(cudaMemcpy2DFromArray, void *to, size_t pitch, const struct array *from,
     size_t x, size_t y, size_t width, size_t height, int kind)
{
    BEGIN(r);
    struct side source, target = {.data = to, .pitch = pitch};
    int error = side_by_bytes(r, from, x, y, &source);

    if (error == cudaSuccess)
        error = copy_sides(r, &target, &source, width, height, 1, kind);
    return runtime_end(r, error);
}
ALSO(cudaMemcpy2DFromArray, cudaMemcpy2DFromArray_ptds);

CALL(cudaMemcpy2DFromArrayAsync, void *to, size_t pitch,
     const struct array *from, size_t x, size_t y, size_t width, size_t height,
     int kind, void *stream)
{
    BEGIN(r);
    if (stream_is_captured(r, stream, "cudaMemcpy2DFromArrayAsync"))
        return runtime_end(r, cudaErrorStreamCaptureUnsupported);
    runtime_unlock(r, 0);
    return cudaMemcpy2DFromArray(to, pitch, from, x, y, width, height, kind);
}
ALSO(cudaMemcpy2DFromArrayAsync, cudaMemcpy2DFromArrayAsync_ptsz);

CALL(cudaMemcpy2DArrayToArray, struct array *to, size_t to_x, size_t to_y,
     const struct array *from, size_t from_x, size_t from_y, size_t width,
     size_t height, int kind)
{
    BEGIN(r);
    struct side target, source;
    int error = side_by_bytes(r, to, to_x, to_y, &target);

    if (error == cudaSuccess)
        error = side_by_bytes(r, from, from_x, from_y, &source);
    if (error == cudaSuccess)
        error = copy_sides(r, &target, &source, width, height, 1, kind);
    return runtime_end(r, error);
}
ALSO(cudaMemcpy2DArrayToArray, cudaMemcpy2DArrayToArray_ptds);

/* `bytes` one behind the other, from row to row: there are no gaps. */
static int as_bytes(struct runtime *r, const void *handle, size_t x, size_t y,
                    size_t bytes, struct side *s)
{
    int error = side_by_bytes(r, handle, x, y, s);

    if (error != cudaSuccess)
        return error;
    if (bytes != 0 &&
        (s->room[1] == 0 || bytes > s->room[0] + s->pitch * (s->room[1] - 1)))
        return cudaErrorInvalidValue;
    return cudaSuccess;
}

CALL(cudaMemcpyToArray, struct array *to, size_t x, size_t y, const void *from,
     size_t bytes, int kind)
{
    BEGIN(r);
    struct side s;
    int error = as_bytes(r, to, x, y, bytes, &s);

    if (error == cudaSuccess)
        error = memory_copy(r, s.data, from, bytes, kind);
    return runtime_end(r, error);
}
ALSO(cudaMemcpyToArray, cudaMemcpyToArray_ptds);

CALL(cudaMemcpyToArrayAsync, struct array *to, size_t x, size_t y,
     const void *from, size_t bytes, int kind, void *stream)
{
    BEGIN(r);
    if (stream_is_captured(r, stream, "cudaMemcpyToArrayAsync"))
        return runtime_end(r, cudaErrorStreamCaptureUnsupported);
    runtime_unlock(r, 0);
    return cudaMemcpyToArray(to, x, y, from, bytes, kind);
}
ALSO(cudaMemcpyToArrayAsync, cudaMemcpyToArrayAsync_ptsz);

CALL(cudaMemcpyFromArray, void *to, const struct array *from, size_t x,
     size_t y, size_t bytes, int kind)
{
    BEGIN(r);
    struct side s;
    int error = as_bytes(r, from, x, y, bytes, &s);

    if (error == cudaSuccess)
        error = memory_copy(r, to, s.data, bytes, kind);
    return runtime_end(r, error);
}
ALSO(cudaMemcpyFromArray, cudaMemcpyFromArray_ptds);

CALL(cudaMemcpyFromArrayAsync, void *to, const struct array *from, size_t x,
     size_t y, size_t bytes, int kind, void *stream)
{
    BEGIN(r);
    if (stream_is_captured(r, stream, "cudaMemcpyFromArrayAsync"))
        return runtime_end(r, cudaErrorStreamCaptureUnsupported);
    runtime_unlock(r, 0);
    return cudaMemcpyFromArray(to, from, x, y, bytes, kind);
}
ALSO(cudaMemcpyFromArrayAsync, cudaMemcpyFromArrayAsync_ptsz);

CALL(cudaMemcpyArrayToArray, struct array *to, size_t to_x, size_t to_y,
     const struct array *from, size_t from_x, size_t from_y, size_t bytes,
     int kind)
{
    BEGIN(r);
    struct side target, source;
    int error = as_bytes(r, to, to_x, to_y, bytes, &target);

    (void)kind;
    if (error == cudaSuccess)
        error = as_bytes(r, from, from_x, from_y, bytes, &source);
    if (error == cudaSuccess)
        error = memory_copy(r, target.data, source.data, bytes,
                            COPY_DEVICE_TO_DEVICE);
    return runtime_end(r, error);
}
ALSO(cudaMemcpyArrayToArray, cudaMemcpyArrayToArray_ptds);

/* One side of a copy in three dimensions: places in memory count bytes, those
 * in an array its elements. */
static int side_3d(struct runtime *r, const void *array,
                   const struct cuda_pitched *p, const struct cuda_pos *at,
                   struct side *s)
{
    if (array != NULL)
        return side_of_array(r, array, at->x, at->y, at->z, s);
    *s = (struct side){
        .data =
            (char *)p->data + at->x + p->pitch * (at->y + p->height * at->z),
        .pitch = p->pitch,
        .plane = p->pitch * p->height,
    };
    return cudaSuccess;
}

int array_copy_3d(struct runtime *r, const struct cuda_copy3d *c)
{
    struct side to, from;
    size_t unit;
    int error = side_3d(r, c->to_array, &c->to, &c->to_at, &to);

    if (error == cudaSuccess)
        error = side_3d(r, c->from_array, &c->from, &c->from_at, &from);
    if (error != cudaSuccess)
        return error;
    unit = to.texel != 0 ? to.texel : from.texel != 0 ? from.texel : 1;
    return copy_sides(r, &to, &from, c->extent.width * unit, c->extent.height,
                      c->extent.depth, c->kind);
}

CALL(cudaMemcpy3D, const struct cuda_copy3d *c)
{
    BEGIN(r);
    return runtime_end(r,
                       c != NULL ? array_copy_3d(r, c) : cudaErrorInvalidValue);
}
ALSO(cudaMemcpy3D, cudaMemcpy3D_ptds);

CALL(cudaMemcpy3DAsync, const struct cuda_copy3d *c, void *stream)
{
    BEGIN(r);
    if (c == NULL)
        return runtime_end(r, cudaErrorInvalidValue);
    SUBMIT(r, stream, {.kind = OPERATION_COPY, .copy = *c});
}
ALSO(cudaMemcpy3DAsync, cudaMemcpy3DAsync_ptsz);
