/* Entry points of the driver: arrays, textures and surfaces. */
#include "tools/cudart/array.h"

#include <string.h>

/* enum CUarray_format, and what each is */
static const struct {
    int format, bits, kind; /* enum cudaChannelFormatKind */
} formats[] = {
    {0x01, 8, 1},  {0x02, 16, 1}, {0x03, 32, 1}, {0x08, 8, 0},
    {0x09, 16, 0}, {0x0a, 32, 0}, {0x10, 16, 2}, {0x20, 32, 2},
};

enum {
    FORMATS = sizeof formats / sizeof formats[0],
    READ_AS_INTEGER = 1, /* flags of a texture */
    READ_NORMALIZED = 2,
    READ_SRGB = 0x10,
    RESOURCE_ARRAY = 0, /* enum CUresourcetype */
    RESOURCE_MIP_MAP = 1,
    RESOURCE_LINEAR = 2,
    RESOURCE_PITCH2D = 3,
};

struct array_descriptor {
    size_t width, height;
    int format;
    unsigned channels;
};

struct array_descriptor_3d {
    size_t width, height, depth;
    int format;
    unsigned channels, flags;
};

struct resource_descriptor {
    int type;
    union {
        void *array;
        struct {
            void *data;
            int format;
            unsigned channels;
            size_t width, height, pitch; /* linear: width is the bytes */
        } memory;
        int reserved[32];
    };
    unsigned flags;
};

struct texture_descriptor {
    int mode[3], filter;
    unsigned flags, anisotropy;
    int mipmap_filter;
    float mipmap[3], border[4];
    int reserved[12];
};

_Static_assert(sizeof(struct resource_descriptor) == 144, "layout");
_Static_assert(sizeof(struct texture_descriptor) == 104, "layout");

/* False if there is no such format here. */
static int channel_of(int format, unsigned channels, struct cuda_channel *c)
{
    int bits[4] = {0};

    for (int i = 0; i < FORMATS; i++) {
        if (formats[i].format != format || channels > 4)
            continue;
        for (unsigned k = 0; k < channels; k++)
            bits[k] = formats[i].bits;
        *c = (struct cuda_channel){bits[0], bits[1], bits[2], bits[3],
                                   formats[i].kind};
        return 1;
    }
    return 0;
}

static int format_of(const struct cuda_channel *c)
{
    for (int i = 0; i < FORMATS; i++) {
        if (formats[i].bits == c->x && formats[i].kind == c->kind)
            return formats[i].format;
    }
    return 0;
}

/* ---- arrays ------------------------------------------------------------------- */

int cudaMalloc3DArray(struct array **made, const struct cuda_channel *channel,
                      struct cuda_extent extent, unsigned flags);
int cudaMallocMipmappedArray(struct mip_map **made,
                             const struct cuda_channel *channel,
                             struct cuda_extent extent, unsigned levels,
                             unsigned flags);
int cudaGetMipmappedArrayLevel(struct array **array, const struct mip_map *map,
                               unsigned level);
int cudaArrayGetInfo(struct cuda_channel *channel, struct cuda_extent *extent,
                     unsigned *flags, struct array *array);

CALL(cuArray3DCreate_v2, struct array **made,
     const struct array_descriptor_3d *d)
{
    struct cuda_channel c;

    if (d == NULL || !channel_of(d->format, d->channels, &c))
        return cudaErrorInvalidValue;
    return cudaMalloc3DArray(
        made, &c, (struct cuda_extent){d->width, d->height, d->depth},
        d->flags);
}

CALL(cuArrayCreate_v2, struct array **made, const struct array_descriptor *d)
{
    struct array_descriptor_3d more;

    if (d == NULL)
        return cudaErrorInvalidValue;
    more = (struct array_descriptor_3d){d->width,  d->height,   0,
                                        d->format, d->channels, 0};
    return cuArray3DCreate_v2(made, &more);
}

CALL(cuMipmappedArrayCreate, struct mip_map **made,
     const struct array_descriptor_3d *d, unsigned levels)
{
    struct cuda_channel c;

    if (d == NULL || !channel_of(d->format, d->channels, &c))
        return cudaErrorInvalidValue;
    return cudaMallocMipmappedArray(
        made, &c, (struct cuda_extent){d->width, d->height, d->depth}, levels,
        d->flags);
}

CALL(cuArray3DGetDescriptor_v2, struct array_descriptor_3d *d,
     struct array *array)
{
    struct cuda_channel c;
    struct cuda_extent e;
    unsigned flags;
    int error = d != NULL ? cudaArrayGetInfo(&c, &e, &flags, array)
                          : cudaErrorInvalidValue;

    if (error == cudaSuccess)
        *d = (struct array_descriptor_3d){
            e.width, e.height, e.depth, format_of(&c), array->shape.channels,
            flags};
    return error;
}

CALL(cuArrayGetDescriptor_v2, struct array_descriptor *d, struct array *array)
{
    struct array_descriptor_3d more;
    int error = d != NULL ? cuArray3DGetDescriptor_v2(&more, array)
                          : cudaErrorInvalidValue;

    if (error == cudaSuccess)
        *d = (struct array_descriptor){more.width, more.height, more.format,
                                       more.channels};
    return error;
}

/* ---- textures and surfaces ---------------------------------------------------- */

int cudaCreateTextureObject(uint64_t *handle,
                            const struct cuda_resource *resource,
                            const struct cuda_texture *how, const void *view);
int cudaCreateSurfaceObject(uint64_t *handle,
                            const struct cuda_resource *resource);

/* The runtime's of the same; types have the same numbers. */
static int take_resource(const struct resource_descriptor *d,
                         struct cuda_resource *c)
{
    struct cuda_channel channel = {0};

    *c = (struct cuda_resource){.type = d->type, .flags = d->flags};
    if (d->type == RESOURCE_ARRAY || d->type == RESOURCE_MIP_MAP)
        c->array = d->array;
    else if (!channel_of(d->memory.format, d->memory.channels, &channel))
        return cudaErrorInvalidValue;
    if (d->type == RESOURCE_LINEAR) {
        c->linear.data = d->memory.data;
        c->linear.channel = channel;
        c->linear.bytes = d->memory.width;
    }
    if (d->type == RESOURCE_PITCH2D) {
        c->pitched.data = d->memory.data;
        c->pitched.channel = channel;
        c->pitched.width = d->memory.width;
        c->pitched.height = d->memory.height;
        c->pitched.pitch = d->memory.pitch;
    }
    return cudaSuccess;
}

static int array_bits(struct array *array, int *bits)
{
    struct cuda_channel c = {0};
    int error = cudaArrayGetInfo(&c, NULL, NULL, array);

    *bits = c.x;
    return error;
}

CALL(cuTexObjectCreate, uint64_t *handle, const struct resource_descriptor *d,
     const struct texture_descriptor *t, const void *view)
{
    struct cuda_resource c;
    struct cuda_texture how;
    struct array *first;
    int error, bits;

    if (d == NULL || t == NULL)
        return cudaErrorInvalidValue;
    first = d->array;
    error = take_resource(d, &c);
    bits =
        d->type == RESOURCE_LINEAR ? c.linear.channel.x : c.pitched.channel.x;
    if (error == cudaSuccess && d->type == RESOURCE_MIP_MAP)
        error = cudaGetMipmappedArrayLevel(&first, d->array, 0);
    if (error == cudaSuccess &&
        (d->type == RESOURCE_ARRAY || d->type == RESOURCE_MIP_MAP))
        error = array_bits(first, &bits);
    how = (struct cuda_texture){
        .mode = {t->mode[0], t->mode[1], t->mode[2]},
        .filter = t->filter,
        /* 32 bits are no fraction, whatever the flag says */
        .fractions = (t->flags & READ_AS_INTEGER) == 0 && bits != 32,
        .srgb = (t->flags & READ_SRGB) != 0,
        .relative = (t->flags & READ_NORMALIZED) != 0,
        .anisotropy = t->anisotropy,
        .mipmap_filter = t->mipmap_filter,
        .mipmap = {t->mipmap[0], t->mipmap[1], t->mipmap[2]},
    };
    memcpy(how.border, t->border, sizeof how.border);
    return error == cudaSuccess
               ? cudaCreateTextureObject(handle, &c, &how, view)
               : error;
}

CALL(cuSurfObjectCreate, uint64_t *handle, const struct resource_descriptor *d)
{
    struct cuda_resource c;
    int error = d != NULL ? take_resource(d, &c) : cudaErrorInvalidValue;

    return error == cudaSuccess ? cudaCreateSurfaceObject(handle, &c) : error;
}
