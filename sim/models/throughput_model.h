/*
 * The throughput model as a row of the model registry: inputs from a trace's
 * statistics and a GPU description, the result in plain words.
 */
#ifndef TEG_SIM_MODELS_THROUGHPUT_MODEL_H
#define TEG_SIM_MODELS_THROUGHPUT_MODEL_H

#include "sim/models/model.h"
#include "sim/models/throughput.h"

struct throughput_inputs {
    struct throughput_device device;
    struct throughput_kernel kernel;
};

enum {
#define DEVICE(field, rule, fallback, unit, help) THROUGHPUT_INPUT_##field,
#define KERNEL(field, rule, fallback, unit, help) THROUGHPUT_INPUT_##field,
#include "sim/models/throughput.def"
    THROUGHPUT_INPUTS
};

enum {
#define RESULT(field, symbol, unit, equation, help) THROUGHPUT_TERM_##field,
#include "sim/models/throughput.def"
    THROUGHPUT_TERMS
};

extern const struct teg_model_inputs throughput_inputs_kind;

/* TEG_LIMIT if the statistics hold no warps.  On failure the device is filled
 * in. */
teg_status throughput_measure(struct throughput_inputs *in,
                              const struct teg_statistics *s,
                              const struct teg_gpu *gpu, struct teg_diag *d);
/* Cycles from the first to the last access of a group: those of one warp
 * follow each other no faster than those of two.  A period waits for the last;
 * the source, whose groups have two accesses, leaves that out. */
double throughput_group_wait(const struct throughput_inputs *in,
                             const struct teg_gpu *gpu);
void throughput_evaluate(const struct throughput_inputs *in,
                         struct teg_estimate *e);
void throughput_estimate(const struct teg_statistics *s,
                         const struct teg_gpu *gpu, struct teg_estimate *e);

#endif
