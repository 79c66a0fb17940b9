/*
 * A cubin on the device: its variables in device memory, its constant banks,
 * its addresses put in.  Kernels of one module share them from launch to
 * launch.
 *
 * Functions the device code calls but the cubin does not hold (vprintf,
 * malloc ...) get an address in a window of their own; calls.h answers there,
 * and in place of those of the device runtime that it knows.
 */
#ifndef TEG_TRACES_EMULATE_CORE_MODULE_H
#define TEG_TRACES_EMULATE_CORE_MODULE_H

#include "isa/binary/cubin.h"
#include "traces/emulate/core/device.h"

#define EMU_CALL_WINDOW 0x7c0000000000u
#define EMU_CALL_BYTES  16u
#define EMU_FUNCTIONS   0x40000000u /* where the first function begins */
/* What a pointer to a kernel is on the device: a number in this window. */
#define EMU_KERNEL_WINDOW 0x7d0000000000u

struct emu_prepared;

struct emu_module {
    const struct teg_cubin *cubin; /* borrowed */
    struct emu_device *device;     /* borrowed */
    uint64_t initialised, zeroed;  /* device addresses of variables, 0: none */
    uint64_t constants;            /* of bank 3 */
    uint8_t *bank4;                /* owned */
    /* Owned, [the cubin's kernels]: what launches leave the next (prepared.h);
     * NULL: nothing is kept. */
    struct emu_prepared *prepared;
};

/* Fills the zeroed `m`, to be released even after a failure. */
teg_status emu_module_init(struct emu_module *m, const struct teg_cubin *cubin,
                           struct emu_device *device, struct teg_diag *d);
void emu_module_release(struct emu_module *m);

/* Device address of a __device__ or __constant__ variable, 0 if there is none
 * of that name. */
uint64_t emu_module_variable(const struct emu_module *m, const char *name,
                             uint64_t *bytes);
/* Bytes of constant bank 3 or 4; NULL if the module has none. */
const uint8_t *emu_module_bank(const struct emu_module *m, unsigned bank,
                               uint64_t *bytes);
/* Device address of a symbol, variable or function; 0: there is none. */
uint64_t emu_module_address(const struct emu_module *m, uint32_t symbol);
/* What a pointer to the function is: of a kernel, which cannot be called, none
 * of its addresses. */
uint64_t emu_module_pointer(const struct emu_module *m, uint32_t symbol);
/* The kernel that the pointer is to; NULL: none. */
const struct teg_cubin_kernel *emu_module_kernel(const struct emu_module *m,
                                                 uint64_t pointer);
/* The pc at which a function begins that has a section of its own, by its index
 * among the cubin's kernels; 0: it is a kernel. */
uint64_t emu_module_function(const struct emu_module *m, uint32_t kernel);
/* Name of the function outside the cubin at `address`, or NULL. */
const char *emu_module_outside(const struct emu_module *m, uint64_t address);

#endif
