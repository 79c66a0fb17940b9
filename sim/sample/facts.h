/*
 * What a walk through a launch, without a clock, tells about its blocks: how
 * much work each is, which are alike, which lines they share.
 */
#ifndef TEG_SIM_SAMPLE_FACTS_H
#define TEG_SIM_SAMPLE_FACTS_H

#include "sim/sample/kinds.h"
#include "sim/sample/sample.h"

struct teg_sample_facts {
    uint64_t *work;    /* owned, [capacity]: warp instructions */
    float *first;      /* owned, [capacity]: lines touched by none before */
    uint16_t *kind_of; /* owned, [capacity] */
    uint64_t blocks, capacity;
    double lines, first_lines; /* summed over the blocks */
    double written_lines;      /* of `lines` */
    struct sample_kinds kinds;
};

/* Walks through the launch that `open` opens and fills `*facts`; NULL on
 * failure.  TEG_INTERRUPTED if the options' progress says so. */
teg_status sample_facts_look(teg_sample_open *open, void *self,
                             const struct teg_simulation_options *options,
                             struct teg_sample_facts **facts,
                             struct teg_diag *d);
/* Whether blocks touch so many lines after another block did that those left
 * out of a sample are missed. */
int sample_facts_share_lines(const struct teg_sample_facts *f);

#endif
