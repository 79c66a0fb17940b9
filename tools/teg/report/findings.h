/*
 * What is wrong with a kernel, ranked: rules as data (findings.def) over what
 * was counted, joined with what the simulator measured that a cure would gain
 * (what-ifs) and with the instruction that it is about.
 *
 * Rank: the logarithm of the gain, in full where one knows what to change
 * (CAUSE), half of it as far as it is busy where something of the chip is used
 * up (RESOURCE), a quarter where warps merely wait (WAIT): of latencies and bandwidths a
 * what-if takes away all, a change of the program some.  Where a finding's
 * what-if was not measured, what its rule supposes stands for the gain; where
 * none was, a wait counts half.
 */
#ifndef TEG_TOOLS_TEG_REPORT_FINDINGS_H
#define TEG_TOOLS_TEG_REPORT_FINDINGS_H

#include "sim/collect/by_pc.h"
#include "tools/teg/replay/ranking.h"

#include <jansson.h>

struct verdict;

enum finding_tier {
    TIER_CAUSE,
    TIER_RESOURCE,
    TIER_WAIT,
    TIERS
};

/* What is known of a replay; all borrowed. */
struct evidence {
    const struct teg_statistics *s;
    const struct teg_gpu *gpu;
    bool part;                    /* of the launch: sampled */
    const struct by_pc *by_pc;    /* NULL: not listened to */
    const struct whatif *ranking; /* NULL: not measured */
};

/* The part of the chip, by this name among the shares of the verdict. */
#define FINDING_STAGE "data stage"

struct finding {
    char name[32];
    enum finding_tier tier;
    char what_if[TEG_WHATIF_NAME_SIZE]; /* "": none measures it */
    double speedup;  /* simulated, or, `at_most`, computed; 0: not known */
    bool at_most;    /* from the load of the SMs, or as its part of what a
                        what-if gains that takes more away */
    double share;    /* of the time, as the rule supposes; 0 to 1 */
    uint32_t inst;   /* index in the program; UINT32_MAX: of no one */
    char where[400]; /* "LDS R7, [R0] at t.cu:9, 32-way bank conflicts"; "" */
    char text[512];  /* one sentence, its gain included */
    const char *advice;
    bool does_less; /* its what-if gains elsewhere, too; private */
    bool told;      /* in texts for people */
    double score;
    uint32_t order; /* of the rules; private */
};

enum {
    FINDINGS_MAX = 64,
    FINDINGS_TOLD = 5 /* of them in texts for people */
};

struct findings {
    struct finding item[FINDINGS_MAX]; /* the one to look at first, first */
    uint32_t count;
};

/* `v` has its shares.  An exit status; what is wrong has been said. */
int findings_find(struct findings *f, const struct evidence *e,
                  const struct verdict *v);

/* What-ifs that may gain most, by what was counted: to be measured first. */
void findings_trials(const struct findings *f, struct trials *t);

/* Names and texts of all there are, for `teg explain`. */
struct finding_facts {
    const char *name, *advice;
};
const struct finding_facts *findings_facts(uint32_t *count);

/* What binds, without what the list of them says: the first one's name. */
const char *findings_first(const struct findings *f);

/* Those in texts for people: the first FINDINGS_TOLD that gain more than little,
 * one at least. */
uint32_t findings_told(const struct findings *f);
json_t *findings_json(const struct findings *f, const struct by_pc *b);

#endif
