/*
 * Textures and surfaces: what a handle stands for, and how texels are found,
 * read and filtered (CUDA C++ Programming Guide, Texture Fetching).
 *
 * Models: arrays and linear memory of one to three dimensions, layers, cube
 * maps, levels of detail; all channel formats of 8, 16 and 32 bits; nearest
 * texel and linear filter with weights of 8 bits, also between levels; the four
 * address modes.  Texels lie row after row; traces have those of arrays where
 * hardware does (tiling.h).
 * Leaves out: anisotropy, filtering across the edges of a cube,
 * block-compressed formats.
 */
#ifndef TEG_TRACES_EMULATE_CORE_TEXTURE_H
#define TEG_TRACES_EMULATE_CORE_TEXTURE_H

#include "isa/base/status.h"
#include "traces/emulate/core/tiling.h"

/* The numbers are those of CUDA's interface, here and below. */
enum emu_texel_kind {
    TEXEL_SIGNED,
    TEXEL_UNSIGNED,
    TEXEL_FLOAT,
};

enum emu_address_mode {
    ADDRESS_WRAP,
    ADDRESS_CLAMP,
    ADDRESS_MIRROR,
    ADDRESS_BORDER,
};

enum {
    EMU_LEVELS_MAX = 17, /* of detail: of 65536 texels one is left */
};

struct emu_texture {
    uint64_t address;    /* of the first texel, in device memory */
    uint64_t pitch;      /* bytes from row to row */
    uint64_t slice;      /* bytes from layer, or plane, to the next */
    uint32_t size[3];    /* texels; 1 beyond `dimensions` */
    uint32_t layers;     /* a cube map has six for each cube */
    uint8_t dimensions;  /* 1 to 3; 0: the handle stands for nothing */
    uint8_t channels;    /* 1, 2 or 4 */
    uint8_t bits;        /* of a channel: 8, 16 or 32 */
    uint8_t kind;        /* enum emu_texel_kind */
    uint8_t mode[3];     /* enum emu_address_mode */
    uint8_t is_linear;   /* filter; else the nearest texel */
    uint8_t is_relative; /* coordinates are parts of the size */
    uint8_t is_fraction; /* integers are read as parts of the greatest */
    uint8_t is_srgb;     /* the first three channels, of 8 bits */
    float border[4];
    struct emu_tiling tiling; /* of its array, in traces */
    /* Levels of detail below this one, each half as large: [levels]; only
     * place and size are theirs.  The table of handles has copies. */
    struct emu_texture *level;
    uint8_t levels;
    uint8_t blends_levels;            /* else the nearest */
    float bias, level_min, level_max; /* what is asked for: shifted, bound */
};

/* The handles of a program; the first is 1. */
struct emu_textures {
    struct emu_texture *item; /* owned, [count] */
    uint32_t count;
};

teg_status emu_textures_add(struct emu_textures *t,
                            const struct emu_texture *item, uint64_t *handle,
                            struct teg_diag *d);
/* NULL if the handle stands for nothing. */
const struct emu_texture *emu_textures_at(const struct emu_textures *t,
                                          uint64_t handle);
/* Makes the handle stand for nothing; 0 if it does already. */
int emu_textures_remove(struct emu_textures *t, uint64_t handle);
void emu_textures_release(struct emu_textures *t);

/* Where texels are read: `bytes` at a device address, or NULL.  `touch` hears
 * of each texel of the footprint, those of weight 0 too, where it lies in the
 * hardware's layout; what is filled with a border is not touched. */
struct emu_texels {
    const void *(*read)(void *self, uint64_t address, unsigned bytes);
    void (*touch)(void *self, uint64_t address);
    void *self;
};

/* Bytes of a texel. */
static inline unsigned emu_texel_bytes(const struct emu_texture *t)
{
    return t->channels * (t->bits / 8u);
}

/* The same byte of an array in the hardware's layout: `x` bytes into row `y`
 * of plane or layer `z`. */
uint64_t emu_texture_place(const struct emu_texture *t, uint64_t x, uint64_t y,
                           uint64_t z);

/* Whether the linear filter applies. */
int emu_texture_filters(const struct emu_texture *t);

/* All return 0 if a texel cannot be read; channels are words, floats by their
 * bits. */

/* The texture at `at`, of `dimensions` coordinates, in a layer, at level of
 * detail `lod`. */
int emu_texture_sample(const struct emu_texture *t,
                       const struct emu_texels *from, const float at[3],
                       unsigned dimensions, uint32_t layer, float lod,
                       uint32_t out[4]);
/* The cube map in direction `at`; `cube` counts cubes. */
int emu_texture_cube(const struct emu_texture *t, const struct emu_texels *from,
                     const float at[3], uint32_t cube, float lod,
                     uint32_t out[4]);
/* The level of detail at which a step of `slopes` (along x and along y of the
 * screen, for each coordinate) is a texel. */
float emu_texture_lod(const struct emu_texture *t, unsigned dimensions,
                      const float slopes[][2]);
/* One channel of the four texels that a linear filter would weigh. */
int emu_texture_gather(const struct emu_texture *t,
                       const struct emu_texels *from, const float at[3],
                       uint32_t layer, unsigned channel, uint32_t out[4]);
/* The texel of that index of a level; zeros if there is none. */
int emu_texture_fetch(const struct emu_texture *t,
                      const struct emu_texels *from, const int32_t at[3],
                      uint32_t layer, uint32_t level, uint32_t out[4]);
/* What a program may ask: width, height, depth or layers of a level (zeros if
 * there is none), and how many levels there are. */
void emu_texture_size(const struct emu_texture *t, uint32_t level,
                      uint32_t out[4]);

#endif
