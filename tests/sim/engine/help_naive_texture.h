/* What an access to a texture or surface asks for, byte after byte. */
#ifndef TEG_TESTS_SIM_ENGINE_HELP_NAIVE_TEXTURE_H
#define TEG_TESTS_SIM_ENGINE_HELP_NAIVE_TEXTURE_H

#include "tests/sim/engine/help_naive_state.h"

/* Its lines; returns for how many cycles it keeps its unit. */
uint64_t naive_texture_plan(struct sim_plan *plan, const struct teg_gpu *gpu,
                            const struct teg_inst *inst, uint32_t mask,
                            const struct teg_access *value);
/* When it is done. */
uint64_t naive_texture_done(struct naive *n, uint32_t sm, struct sim_plan *plan,
                            const struct teg_inst *inst, uint64_t begin,
                            uint64_t latency);

#endif
