/*
 * The throughput model as a pure function.
 *
 * Models: the throughput a kernel reaches, as the share of the peak of its
 * instruction mix that is left by instructions that are not useful, by
 * dependences and by memory time that no other warp hides; and advice on the
 * number of cores, of warps and on the core clock.
 * Leaves out: bank conflicts, barriers, divergence, DRAM scheduling.
 *
 * S. Hong, PhD thesis, 2012, chapter V.  docs/models.md says where the source
 * is silent and what is done there.
 */
#ifndef TEG_SIM_MODELS_THROUGHPUT_H
#define TEG_SIM_MODELS_THROUGHPUT_H

#include "isa/base/status.h"

#define THROUGHPUT_FIELD(field, rule, fallback, unit, help) double field;
struct throughput_device {
#define DEVICE THROUGHPUT_FIELD
#include "sim/models/throughput.def"
};

/* Counts of one warp (GPU) or thread (CPU). */
struct throughput_kernel {
#define KERNEL THROUGHPUT_FIELD
#include "sim/models/throughput.def"
};
#undef THROUGHPUT_FIELD

/* What keeps MWP from being larger. */
enum throughput_limiter {
    THROUGHPUT_LIMITER_NONE, /* no memory instruction: MWP is undefined */
    THROUGHPUT_LIMITER_N,    /* too few warps */
    THROUGHPUT_LIMITER_APP,  /* the kernel asks for no more */
    THROUGHPUT_LIMITER_BW,
    THROUGHPUT_LIMITER_PROC,
    THROUGHPUT_LIMITERS
};

/* NAN where a value is undefined. */
struct throughput_result {
#define RESULT(field, symbol, unit, equation, help) double field;
#include "sim/models/throughput.def"
    enum throughput_limiter limiter; /* of MWP */
};

/* TEG_LIMIT, with the input's name in the diagnostic, for values no device or
 * kernel can have. */
teg_status throughput(const struct throughput_device *device,
                      const struct throughput_kernel *kernel,
                      struct throughput_result *result, struct teg_diag *d);

/* "bw", as the golden vectors spell it; "" for none. */
const char *throughput_limiter_name(enum throughput_limiter limiter);

/* Findings and advice of a category, 1 to 10.  (Figures 114 and 115) */
struct throughput_category {
    const char *finding, *advice;
};

const struct throughput_category *throughput_category(uint32_t category);

#endif
