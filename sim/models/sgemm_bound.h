/*
 * Upper bound of a single-precision matrix product.
 *
 * Models: the best multiply-add throughput that registers, shared memory, the
 * instruction mix of a blocked kernel and the memory bandwidth allow, over all
 * blocking factors.
 * Leaves out: barriers, address arithmetic, bank conflicts of any kind.
 *
 * J. Lai, PhD thesis, 2013, chapter 4.
 */
#ifndef TEG_SIM_MODELS_SGEMM_BOUND_H
#define TEG_SIM_MODELS_SGEMM_BOUND_H

#include "config/gpu.h"
#include "sim/models/model.h"

enum sgemm_load {
    SGEMM_LDS,
    SGEMM_LDS64,
    SGEMM_LDS128,
    SGEMM_LOADS
};

struct sgemm_machine {
#define MACHINE(field, rule, fallback, unit, help) double field;
#include "sim/models/sgemm_bound.def"
};

struct sgemm_result {
#define RESULT(field, symbol, unit, equation, help) double field;
#include "sim/models/sgemm_bound.def"
};

enum {
#define RESULT(field, symbol, unit, equation, help) SGEMM_TERM_##field,
#include "sim/models/sgemm_bound.def"
    SGEMM_TERMS
};

extern const struct teg_model_inputs sgemm_inputs_kind;
extern const struct teg_term_facts sgemm_terms[SGEMM_TERMS];

/* A chip whose mixed throughputs are published. */
struct sgemm_published {
    const char *name, *title, *source;
    struct sgemm_machine machine;
};

const struct sgemm_published *sgemm_published(const char *name);
/* What a description implies; nothing is measured then. */
void sgemm_machine_of(struct sgemm_machine *m, const struct teg_gpu *gpu);

/*
 * All of the result for given blocking factors.  TEG_LIMIT, naming the
 * constraint, if they do not fit.  `m` must have passed the rules.
 */
teg_status sgemm_evaluate(const struct sgemm_machine *m, uint32_t t_b,
                          uint32_t b_r, uint32_t l, enum sgemm_load load,
                          struct sgemm_result *r, struct teg_diag *d);

/*
 * Searches all blocking factors with loads of width `load`, or SGEMM_LOADS
 * for the best of all widths.  Among equals: blocks of 256 threads or near,
 * then most threads on an SM, then the largest L (Lai 2013, 4.3.5).
 * TEG_LIMIT if the machine makes no sense or nothing fits.
 */
teg_status sgemm_search(const struct sgemm_machine *m, enum sgemm_load load,
                        struct sgemm_result *best, struct teg_diag *d);
/* Step by which L may grow: 4.4. */
uint32_t sgemm_stride_step(uint32_t t_b, uint32_t b_r);

/* ---- register banks of Kepler GK104 (Lai 2013, 4.2.3) ---- */

/* 0 even0, 1 even1, 2 odd0, 3 odd1 */
uint32_t kepler_register_bank(uint32_t reg);
/* Most distinct source registers in one bank: 1 is free of conflicts. */
uint32_t kepler_register_ways(const uint32_t *source, uint32_t count);

#endif
