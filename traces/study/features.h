/*
 * The portable feature vector of a launch: what the kernel and its input do,
 * whatever chip runs it.  (Braun et al. 2020, "A Simple Model for Portable and
 * Fast Prediction of Execution Time and Power Consumption of GPU Kernels",
 * section 3)
 *
 * The paper counts PTX instructions.  A trace holds machine instructions, so
 * what only the machine code of one generation has is left out of the groups:
 * register moves, dependence waits, convergence marks, hints.  An instruction
 * of the uniform datapath counts once for each active lane, as the instruction
 * it replaces did on older chips.  A parameter counts once in each thread that
 * uses it, as PTX loads it, however often machine code names it.
 *
 * Leaves out: what the compiler does differently by generation (unrolling,
 * divisions); docs/learning.md shows how much that is.  Register counts,
 * spills and caches are no features by design.
 */
#ifndef TEG_TRACES_STUDY_FEATURES_H
#define TEG_TRACES_STUDY_FEATURES_H

#include "traces/block/cursor.h"

enum teg_feature {
#define FEATURE(name, use, unit, help) FEATURE_##name,
#include "traces/study/features.def"
#undef FEATURE
    TEG_FEATURES
};

struct teg_feature_facts {
    const char *name, *unit, *help;
    int is_detail; /* no model is trained on it */
};

struct teg_features {
    double value[TEG_FEATURES];
    /* 0: the trace does not say (parameters, in a trace without operands);
     * the value is 0 then. */
    uint8_t known[TEG_FEATURES];
    uint64_t blocks_traced; /* counts are of these */
    uint64_t unknown;       /* thread instructions of no known opcode, in
                                the group their class suggests */
    uint64_t without_bytes; /* thread accesses of a space above whose width
                                the trace does not say */
    uint64_t bulk;          /* bulk copies and those by tensor maps, which
                                count no bytes */
};

/* Never NULL. */
const struct teg_feature_facts *teg_feature_facts(enum teg_feature f);
/* Returns the feature of that name, or TEG_FEATURES. */
enum teg_feature teg_feature_find(const char *name);

/* Walks all blocks of `launch`, which it leaves open and at its end. */
teg_status teg_features_collect(struct teg_launch *launch,
                                struct teg_features *features,
                                struct teg_diag *d);

#endif
