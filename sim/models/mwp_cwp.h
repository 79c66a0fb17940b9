/*
 * The MWP-CWP model as a pure function.
 *
 * Models: warps of one SM that alternate computation and memory waiting
 * periods; MWP of them can wait for memory at the same time, CWP of them
 * compute while one waits.  Whichever is smaller sets the pace.
 * Leaves out: caches, bank conflicts, branch cost, DRAM scheduling, retirement
 * of single blocks.
 *
 * [T] S. Hong, PhD thesis, 2012, chapter II.
 * [I] S. Hong and H. Kim, ISCA 2009.
 * docs/models.md tells the equations and where this follows which.
 */
#ifndef TEG_SIM_MODELS_MWP_CWP_H
#define TEG_SIM_MODELS_MWP_CWP_H

#include "isa/base/status.h"

#define MWP_CWP_FIELD(field, rule, fallback, unit, help) double field;
struct mwp_cwp_machine {
#define MACHINE MWP_CWP_FIELD
#include "sim/models/mwp_cwp.def"
};

struct mwp_cwp_launch {
#define LAUNCH MWP_CWP_FIELD
#include "sim/models/mwp_cwp.def"
};

/* Counts per thread: records of that kind over all traced warps, divided by
 * the warps; they may be fractional. */
struct mwp_cwp_stats {
#define STATS   MWP_CWP_FIELD
#define LONG_OP MWP_CWP_FIELD
#include "sim/models/mwp_cwp.def"
};
#undef MWP_CWP_FIELD

/* Whose Mem_L_Coal and synchronization cost. */
enum mwp_cwp_eqset {
    MWP_CWP_THESIS,
    MWP_CWP_ISCA,
};

/* Which case `Comp_cycles > Mem_cycles` belongs to. */
enum mwp_cwp_cond {
    MWP_CWP_RESOLVED, /* Case 3, as the sources' text tells it */
    MWP_CWP_LITERAL,  /* Case 2, as printed */
};

/* How independent requests of one warp raise MWP. */
enum mwp_cwp_npw {
    MWP_CWP_NPW_OFF,
    MWP_CWP_NPW_PRINTED,   /* [T] 28 */
    MWP_CWP_NPW_CORRECTED, /* N x Mem_req / (Mem_req - Ind_mem_req) */
};

enum mwp_cwp_rep {
    MWP_CWP_REP_EXACT,
    MWP_CWP_REP_CEIL,
};

/* Zeroed: the defaults. */
struct mwp_cwp_options {
    enum mwp_cwp_eqset eqset;
    enum mwp_cwp_cond cond;
    enum mwp_cwp_npw npw;
    enum mwp_cwp_rep rep;
};

/* What keeps MWP from being larger. */
enum mwp_cwp_limiter {
    MWP_CWP_LIMITER_NONE,       /* no memory instruction: MWP is undefined */
    MWP_CWP_LIMITER_WITHOUT_BW, /* departure delay of the transactions */
    MWP_CWP_LIMITER_PEAK_BW,    /* bandwidth of the DRAM */
    MWP_CWP_LIMITER_N,          /* too few warps */
    MWP_CWP_LIMITER_NPW,        /* the same with independent requests */
    MWP_CWP_LIMITERS
};

/* NAN where a value is undefined (all that MWP needs, without a memory
 * instruction). */
struct mwp_cwp_result {
#define RESULT(field, column, symbol, unit, equation, help) double field;
#include "sim/models/mwp_cwp.def"
    enum mwp_cwp_limiter limiter; /* of MWP */
};

/*
 * TEG_LIMIT, with the input's name in the diagnostic, for values no machine,
 * launch or kernel can have.  `options` may be NULL: the defaults.
 */
teg_status mwp_cwp(const struct mwp_cwp_machine *machine,
                   const struct mwp_cwp_launch *launch,
                   const struct mwp_cwp_stats *stats,
                   const struct mwp_cwp_options *options,
                   struct mwp_cwp_result *result, struct teg_diag *d);

/* "without_bw", as the golden vectors spell it. */
const char *mwp_cwp_limiter_name(enum mwp_cwp_limiter limiter);

#endif
