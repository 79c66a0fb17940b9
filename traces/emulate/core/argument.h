/*
 * A kernel argument written as text:
 *
 *   i32:-5  u32:7  i64:1  u64:0x10  f32:0.5  f64:1e-3
 *   buf:TYPE:COUNT:FILL   a buffer on the device; its address is the argument
 *       TYPE  i8 u8 i16 u16 i32 u32 i64 u64 f16 bf16 f32 f64
 *       FILL  zeros | iota (0 1 2 ...) | random[,seed=N] | file=PATH (raw)
 *             random: floats in [0, 1), integers of all values
 *
 * Knows nothing of the emulator: tools/measure/kernels.c runs the same kernels
 * with the same data on a GPU.
 */
#ifndef TEG_TRACES_EMULATE_CORE_ARGUMENT_H
#define TEG_TRACES_EMULATE_CORE_ARGUMENT_H

#include "isa/base/status.h"

struct emu_value_type;

struct emu_argument {
    const struct emu_value_type *type;
    uint64_t bytes;   /* of the scalar, or of the whole buffer */
    const char *fill; /* borrowed from the text; NULL: a scalar */
    uint8_t value[8]; /* of a scalar, little endian */
};

/* Reads `text`, which must outlive `a`.  A text that is neither form fails
 * with what was expected and found. */
teg_status emu_argument_parse(struct emu_argument *a, const char *text,
                              struct teg_diag *d);
/* Fills `data`, a->bytes zeroed bytes, as the buffer's text says. */
teg_status emu_argument_fill(const struct emu_argument *a, uint8_t *data,
                             struct teg_diag *d);

#endif
