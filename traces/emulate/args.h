/*
 * Kernel arguments written as text, in the order of the parameters:
 *
 *   i32:-5  u32:7  i64:1  u64:0x10  f32:0.5  f64:1e-3
 *   buf:TYPE:COUNT:FILL   a buffer on the device; its address is the argument
 *       TYPE  i8 u8 i16 u16 i32 u32 i64 u64 f32 f64
 *       FILL  zeros | iota (0 1 2 ...) | random[,seed=N] | file=PATH (raw)
 *             random: floats in [0, 1), integers of all values
 */
#ifndef TEG_TRACES_EMULATE_ARGS_H
#define TEG_TRACES_EMULATE_ARGS_H

#include "isa/cubin.h"
#include "traces/emulate/device.h"

struct emu_args {
    uint8_t *params; /* owned, [param_bytes] as the constant bank has them */
    size_t param_bytes;
    struct emu_buffer {
        uint64_t address, bytes; /* 0 bytes: not a buffer */
    } * buffer;                  /* owned, [count], by argument */
    uint32_t count;
};

/* Fills the zeroed `args`, to be released even after a failure.  A wrong
 * number of arguments, a size that does not fit, a text that is no value: each
 * fails with what was expected and found. */
teg_status emu_args_parse(struct emu_args *args,
                          const struct teg_cubin_kernel *kernel,
                          struct emu_device *device, const char *const *text,
                          uint32_t count, struct teg_diag *d);
void emu_args_release(struct emu_args *args);

#endif
