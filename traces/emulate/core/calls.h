/*
 * What device code calls outside its cubin: printf, malloc and free, a failed
 * assert.  Arguments and results are in registers from R4 on, 64-bit ones in
 * even pairs; the return address is in R20 and R21.
 */
#ifndef TEG_TRACES_EMULATE_CORE_CALLS_H
#define TEG_TRACES_EMULATE_CORE_CALLS_H

#include "traces/emulate/core/warp.h"

/* Carries out the function of that name for `lane`; a fault if it is not
 * known. */
void emu_call(struct emu_warp *w, const struct emu_op *op, int lane,
              const char *name);

#endif
