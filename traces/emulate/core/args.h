/* The arguments of a kernel, from texts (argument.h, map_argument.h) in the
 * order of its parameters.  A text behind a plus sign, "+i32:4", is the next
 * member of the struct that the text before it began. */
#ifndef TEG_TRACES_EMULATE_CORE_ARGS_H
#define TEG_TRACES_EMULATE_CORE_ARGS_H

#include "isa/binary/cubin.h"
#include "traces/emulate/core/device.h"

struct emu_args {
    uint8_t *params; /* owned, [param_bytes] as the constant bank has them */
    size_t param_bytes;
    struct emu_buffer {
        uint64_t address, bytes; /* 0 bytes: not a buffer */
    } * buffer;                  /* owned, [count], by text */
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
