/* What a tensor product costs, found by trying one cycle after the other:
 * the smallest interval in which all that it needs has happened. */
#ifndef TEG_TESTS_SIM_ENGINE_HELP_NAIVE_TENSOR_H
#define TEG_TESTS_SIM_ENGINE_HELP_NAIVE_TENSOR_H

#include "config/gpu.h"
#include "isa/inst/inst.h"

struct teg_timing naive_timing(const struct teg_gpu *gpu,
                               const struct teg_inst *inst);

/* Bits of factors that a warp group's product has in shared memory, of all four
 * warps. */
double naive_shared_factor_bits(const struct teg_gpu *gpu,
                                const struct teg_tensor *t);

/* A product of any type, shape and kind for one of the classes' instructions,
 * and rates and floors for a chip, of which some say nothing. */
struct teg_tensor help_tensor_random(uint64_t *state);
void help_tensor_rates_random(struct teg_gpu *gpu, uint64_t *state);

/* When a product of tensor memory is done that its unit begins with; *free is
 * when the cores are. */
uint64_t naive_product_done(const struct teg_gpu *gpu,
                            const struct teg_timing *t, uint64_t value,
                            uint64_t begin, uint64_t *free);

#endif
