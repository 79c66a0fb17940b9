/* Which bytes of global memory a copy of one thread moves: its n-th, worked out
 * from the values of its execution (isa/inst/values.def) without a walk. */
#ifndef TEG_TESTS_SIM_ENGINE_HELP_NAIVE_COPY_H
#define TEG_TESTS_SIM_ENGINE_HELP_NAIVE_COPY_H

#include "isa/inst/inst.h"

/* 0 if it moves none. */
uint64_t naive_copied_bytes(const uint64_t *value, enum teg_values kind);
uint64_t naive_copied(const uint64_t *value, enum teg_values kind, uint64_t n);

#endif
