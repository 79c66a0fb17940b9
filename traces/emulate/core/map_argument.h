/*
 * A tensor map as a kernel's argument, written as text:
 *
 *   map:TYPE:SIZES:BOX[:OPTION...]:FILL
 *     TYPE    of the elements: u8 u16 u32 s32 u64 s64 f16 bf16 f32 f64
 *     SIZES   of the tensor in elements, the innermost first: 256x64
 *     BOX     elements of a box in each of these dimensions: 64x8
 *     OPTION  swizzle=32 | swizzle=64 | swizzle=128
 *             stride=BYTES[x...]  from the second dimension on; without it the
 *                                 tensor is dense
 *             step=N[x...]        every how manieth element, from the innermost
 *             nan                 what is outside the tensor reads as NaN
 *     FILL    as a buffer's (argument.h): the tensor is one of its own; or
 *             arg=N, the buffer of argument N before this one
 */
#ifndef TEG_TRACES_EMULATE_CORE_MAP_ARGUMENT_H
#define TEG_TRACES_EMULATE_CORE_MAP_ARGUMENT_H

#include "traces/emulate/core/argument.h"
#include "traces/emulate/core/tensor_map.h"

struct emu_map_argument {
    struct emu_tensor_map map; /* its address is to come */
    uint64_t bytes;            /* of the tensor */
    int has_own;
    struct emu_argument buffer; /* its own */
    uint32_t argument;          /* whose buffer else */
};

int emu_is_map_argument(const char *text);
/* Reads `text`, which must outlive `a`; fails with what was expected. */
teg_status emu_map_argument_parse(struct emu_map_argument *a, const char *text,
                                  struct teg_diag *d);

#endif
