/* Arrays: what textures and surfaces look into. */
#ifndef TEG_TOOLS_CUDART_ARRAY_H
#define TEG_TOOLS_CUDART_ARRAY_H

#include "tools/cudart/runtime.h"

/* What a texture or surface looks into. */
struct array {
    struct cuda_channel channel;
    struct cuda_extent extent; /* as the program gave it */
    unsigned flags;
    struct emu_texture shape; /* where it is, and how large */
    struct array *next;
};

/* An array for each level of detail, each half as large as the one before. */
struct mip_map {
    struct array *level[EMU_LEVELS_MAX]; /* owned, [levels] */
    unsigned levels;
    struct mip_map *next;
};

/* Channels and bits of the format into `t`; an error if there is no such. */
int channel_check(const struct cuda_channel *c, struct emu_texture *t);
/* NULL if the handle is no array. */
struct array *array_find(struct runtime *r, const void *handle);
struct mip_map *mip_map_find(struct runtime *r, const void *handle);
/* Between arrays and memory, in one to three dimensions. */
int array_copy_3d(struct runtime *r, const struct cuda_copy3d *c);

#endif
