/*
 * What device code calls outside its cubin: printf, malloc and free, a failed
 * assert, a graph's condition; and of the device runtime, which stands in the
 * cubin, launches by threads with what belongs to them.  Arguments and results
 * are in registers from R4 on, 64-bit ones in even pairs; the return address is in
 * R20 and R21.
 */
#ifndef TEG_TRACES_EMULATE_CORE_CALLS_H
#define TEG_TRACES_EMULATE_CORE_CALLS_H

#include "traces/emulate/core/warp.h"

/* Carries out the function of that name for `lane`; a fault if it is not
 * known. */
void emu_call(struct emu_warp *w, const struct emu_op *op, int lane,
              const char *name);

/* Whether the function is answered here though it stands in the cubin. */
int emu_call_stands_in(const char *name);

#endif
