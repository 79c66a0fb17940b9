/*
 * Tensor maps: what a copy by tensor map knows of a tensor in global memory
 * and of the boxes that are copied.
 *
 * An object of 128 bytes in parameters, constant or global memory.  NVIDIA
 * documents what goes in (CUDA driver API, cuTensorMapEncodeTiled), not where
 * it stands.  Where it stands here is what ptxas 13.0 makes of PTX's
 * tensormap.replace on sm_90a, which writes each field of an object in memory,
 * so that kernels that make or change maps work too.  What tensormap.replace
 * cannot reach is 0, but for im2col, which has words of its own here.
 */
#ifndef TEG_TRACES_EMULATE_CORE_TENSOR_MAP_H
#define TEG_TRACES_EMULATE_CORE_TENSOR_MAP_H

#include <stdint.h>

#include "isa/base/status.h"

enum {
    EMU_MAP_BYTES = 128,
    EMU_MAP_ALIGNMENT = 64, /* of the object */
    EMU_MAP_RANKS = 5,
    EMU_MAP_SPACES = 3, /* dimensions between channels and images */
    EMU_MAP_PIXELS = 1024,
};

/* Numbers of enum CUtensorMapDataType. */
enum emu_map_type {
#define MAP_TYPE(NAME, name, unit, bytes, shared, is_float, code) MAP_##NAME,
#include "traces/emulate/core/tensor_map.def"
#undef MAP_TYPE
    EMU_MAP_TYPES
};

enum {
    EMU_INTERLEAVES = 3, /* none, 16 and 32 bytes */
    /* None, 32, 64 and 128 bytes, by pieces of 16; 128 by pieces of 32, the same
     * with halves of 16 bytes swapped in every other line, and by pieces of 64. */
    EMU_SWIZZLES = 7,
    EMU_SWIZZLE_WHOLE = 3, /* up to this one by pieces of 16 */
};

/* Sizes and strides beyond `rank` mean nothing. */
struct emu_tensor_map {
    uint64_t address;
    uint32_t rank;
    uint32_t type;                  /* enum emu_map_type */
    uint32_t interleave, swizzle;   /* CUtensorMapInterleave, ...Swizzle */
    uint32_t fills_nan;             /* outside the tensor, else 0 */
    uint64_t size[EMU_MAP_RANKS];   /* elements, the innermost first */
    uint64_t stride[EMU_MAP_RANKS]; /* bytes; of [0] an element's */
    uint32_t box[EMU_MAP_RANKS];    /* elements that a box spans */
    uint32_t step[EMU_MAP_RANKS];   /* every how manieth of them is copied */
    /* Of im2col: how many pixels a copy has, 0: not im2col; of each box[0]
     * elements are copied, other dimensions of the box are 1.  Pixels follow one
     * another in a part of the image: its first ones, and how far its end is
     * beyond the image's. */
    uint32_t pixels;
    int32_t lower[EMU_MAP_SPACES], upper[EMU_MAP_SPACES];
};

/* Fails with the first rule of the driver's that `m` breaks. */
teg_status emu_map_check(const struct emu_tensor_map *m, struct teg_diag *d);
/* The object of a map that keeps the rules. */
void emu_map_write(const struct emu_tensor_map *m,
                   uint8_t object[EMU_MAP_BYTES]);
/* Reads an object; fails if that is no map, or one that breaks a rule. */
teg_status emu_map_read(struct emu_tensor_map *m,
                        const uint8_t object[EMU_MAP_BYTES],
                        struct teg_diag *d);

/* Elements that stay together: 1, or of a packed type more. */
uint32_t emu_map_unit(const struct emu_tensor_map *m);
/* Bytes of such a unit in global and in shared memory. */
uint32_t emu_map_element(const struct emu_tensor_map *m);
uint32_t emu_map_shared(const struct emu_tensor_map *m);
/* Makes sizes and boxes of the innermost dimension count units, for who copies;
 * `m` keeps the rules. */
void emu_map_count_units(struct emu_tensor_map *m);
/* The type of that name ("f16"), or EMU_MAP_TYPES. */
uint32_t emu_map_type_find(const char *name, size_t length);
const char *emu_map_type_name(uint32_t type);
/* Whether its elements are floats, which may be filled with NaN. */
int emu_map_is_float(uint32_t type);
/* Bytes of shared memory that a swizzle has its pattern in; 0: none. */
uint32_t emu_map_swizzle_bytes(const struct emu_tensor_map *m);
/* Where the 16 bytes of `at` stand. */
uint64_t emu_map_swizzled(const struct emu_tensor_map *m, uint64_t at);
/* Whether the halves of those 16 bytes are swapped there. */
int emu_map_flips(const struct emu_tensor_map *m, uint64_t at);

#endif
