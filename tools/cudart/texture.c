/* Texture and surface objects: handles of the emulator's table, made of what a
 * program says of memory, format and reading. */
#include "tools/cudart/array.h"
#include "tools/cudart/memory.h"
#include "tools/cudart/say.h"

#include <string.h>

enum {
    RESOURCE_ARRAY = 0,
    RESOURCE_MIP_MAP = 1,
    RESOURCE_LINEAR = 2,
    RESOURCE_PITCH2D = 3,
    ARRAY_SURFACE = 2, /* flag of an array that surfaces may be bound to */
};

/* ---- what it looks into ------------------------------------------------------------ */

/* How many of these bytes there are from `data` to the end of its buffer. */
static size_t reachable(struct runtime *r, const void *data, size_t bytes)
{
    struct memory_range range;

    if (device_peek(r, data, bytes) != NULL)
        return bytes;
    if (!memory_range_of(r, data, &range))
        return 0;
    return (size_t)((const char *)range.base + range.bytes -
                    (const char *)data);
}

/* It may be said to be longer than its buffer, as on a GPU, which does not
 * look: what is read there is 0 here. */
static int take_linear(struct runtime *r, const struct cuda_resource *c,
                       struct emu_texture *t)
{
    int error = channel_check(&c->linear.channel, t);
    size_t texel = t->channels * (t->bits / 8u);
    size_t bytes;

    if (error != cudaSuccess)
        return error;
    bytes = reachable(r, c->linear.data, c->linear.bytes);
    if (bytes < texel || c->linear.bytes / texel > UINT32_MAX)
        return cudaErrorInvalidValue;
    if (bytes < c->linear.bytes)
        runtime_say("",
                    "a texture of %zu bytes begins %zu before the end of "
                    "its buffer: what is read behind that is 0",
                    c->linear.bytes, bytes);
    t->address = (uint64_t)c->linear.data;
    t->dimensions = 1;
    t->size[0] = (uint32_t)(bytes / texel);
    t->size[1] = t->size[2] = t->layers = 1;
    t->pitch = t->slice = bytes;
    return cudaSuccess;
}

static int take_pitched(struct runtime *r, const struct cuda_resource *c,
                        struct emu_texture *t)
{
    int error = channel_check(&c->pitched.channel, t);
    size_t row = c->pitched.width * (t->channels * (t->bits / 8u));

    if (error != cudaSuccess)
        return error;
    if (c->pitched.width == 0 || c->pitched.height == 0 ||
        c->pitched.width > UINT32_MAX / 16 ||
        c->pitched.height > UINT32_MAX / 16 || c->pitched.pitch < row ||
        device_peek(r, c->pitched.data,
                    c->pitched.pitch * (c->pitched.height - 1) + row) == NULL)
        return cudaErrorInvalidValue;
    t->address = (uint64_t)c->pitched.data;
    t->dimensions = 2;
    t->size[0] = (uint32_t)c->pitched.width;
    t->size[1] = (uint32_t)c->pitched.height;
    t->size[2] = t->layers = 1;
    t->pitch = c->pitched.pitch;
    t->slice = t->pitch * t->size[1];
    return cudaSuccess;
}

/* `below`: room for the levels of a mip map. */
static int take_resource(struct runtime *r, const struct cuda_resource *c,
                         struct emu_texture *t, struct emu_texture *below)
{
    const struct mip_map *m;
    const struct array *a;

    *t = (struct emu_texture){0};
    switch (c->type) {
    case RESOURCE_ARRAY:
        a = array_find(r, c->array);
        if (a == NULL)
            return cudaErrorInvalidResourceHandle;
        *t = a->shape;
        return cudaSuccess;
    case RESOURCE_LINEAR:
        return take_linear(r, c, t);
    case RESOURCE_PITCH2D:
        return take_pitched(r, c, t);
    case RESOURCE_MIP_MAP:
        m = mip_map_find(r, c->array);
        if (m == NULL)
            return cudaErrorInvalidResourceHandle;
        *t = m->level[0]->shape;
        for (unsigned i = 1; i < m->levels; i++)
            below[t->levels++] = m->level[i]->shape;
        t->level = below;
        return cudaSuccess;
    default:
        return cudaErrorInvalidValue;
    }
}

/* ---- how it is read ----------------------------------------------------------------- */

static int take_reading(const struct cuda_texture *how, struct emu_texture *t)
{
    for (int i = 0; i < 3; i++) {
        if (how->mode[i] < ADDRESS_WRAP || how->mode[i] > ADDRESS_BORDER)
            return cudaErrorInvalidValue;
        t->mode[i] = (uint8_t)how->mode[i];
    }
    t->is_linear = how->filter != 0;
    t->is_relative = how->relative != 0;
    t->is_fraction = how->fractions != 0 && t->kind != TEXEL_FLOAT;
    t->is_srgb = how->srgb != 0 && t->is_fraction && t->bits == 8 &&
                 t->kind == TEXEL_UNSIGNED;
    memcpy(t->border, how->border, sizeof t->border);
    t->blends_levels = how->mipmap_filter != 0;
    t->bias = how->mipmap[0];
    t->level_min = how->mipmap[1];
    t->level_max = how->mipmap[2];
    if (t->levels != 0 && how->anisotropy > 1) {
        runtime_say("", "anisotropic filters of mip maps are not implemented");
        return cudaErrorNotSupported;
    }
    /* Levels have sizes of their own. */
    if (t->level != NULL && !t->is_relative)
        return cudaErrorInvalidValue;
    /* Only floats can be weighed, and 32 bits are no fraction. */
    if ((t->is_fraction && t->bits == 32) ||
        (t->is_linear && t->kind != TEXEL_FLOAT && !t->is_fraction))
        return cudaErrorInvalidValue;
    return cudaSuccess;
}

/* ---- objects ------------------------------------------------------------------------ */

static int add(struct runtime *r, const struct emu_texture *t, uint64_t *handle)
{
    r->setting_changes++;
    return emu_textures_add(&r->textures, t, handle, NULL) == TEG_OK
               ? cudaSuccess
               : cudaErrorMemoryAllocation;
}

CALL(cudaCreateTextureObject, uint64_t *handle,
     const struct cuda_resource *resource, const struct cuda_texture *how,
     const void *view)
{
    BEGIN(r);
    struct emu_texture t, below[EMU_LEVELS_MAX];
    int error;

    if (handle == NULL || resource == NULL || how == NULL)
        return runtime_end(r, cudaErrorInvalidValue);
    if (view != NULL) {
        runtime_say("", "cudaCreateTextureObject with a resource view is not "
                        "implemented");
        return runtime_end(r, cudaErrorNotSupported);
    }
    error = take_resource(r, resource, &t, below);
    if (error == cudaSuccess)
        error = take_reading(how, &t);
    if (error == cudaSuccess)
        error = add(r, &t, handle);
    return runtime_end(r, error);
}

CALL(cudaCreateSurfaceObject, uint64_t *handle,
     const struct cuda_resource *resource)
{
    BEGIN(r);
    const struct array *a;

    if (handle == NULL || resource == NULL || resource->type != RESOURCE_ARRAY)
        return runtime_end(r, cudaErrorInvalidValue);
    a = array_find(r, resource->array);
    if (a == NULL || (a->flags & ARRAY_SURFACE) == 0)
        return runtime_end(r, cudaErrorInvalidValue);
    return runtime_end(r, add(r, &a->shape, handle));
}

static int destroy(uint64_t handle)
{
    BEGIN(r);
    int some = emu_textures_remove(&r->textures, handle);

    r->setting_changes++;
    return runtime_end(r, some || handle == 0 ? cudaSuccess
                                              : cudaErrorInvalidValue);
}

CALL(cudaDestroyTextureObject, uint64_t handle)
{
    return destroy(handle);
}

CALL(cudaDestroySurfaceObject, uint64_t handle)
{
    return destroy(handle);
}
