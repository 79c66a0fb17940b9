/*
 * Which launches of a list are simulated and which are represented, for
 * `teg run` and `teg sweep` (sim/sample/cluster.h; docs/sweep.md).
 *
 * Finding out takes a walk through the traces of those launches that have the
 * name and shape of another one.
 */
#ifndef TEG_TOOLS_TEG_REPLAY_CLUSTERS_H
#define TEG_TOOLS_TEG_REPLAY_CLUSTERS_H

#include "sim/sample/cluster.h"
#include "tools/teg/replay/simulate.h"

struct cluster_request {
    uint32_t count; /* launches */
    /* Opens the launch at its first block. */
    teg_status (*open)(void *self, uint32_t launch, struct teg_launch *opened,
                       struct teg_diag *d);
    void *self;
    const struct teg_gpu *const *gpu; /* [gpus], borrowed */
    uint32_t gpus;
    int same_blocks;        /* as in struct teg_cluster_options */
    enum sampling sampling; /* NEVER: every launch is simulated */
    const char *similar;    /* --similar as given, NULL: the default */
    uint32_t workers;       /* processes that walk */
    const char *label;      /* of the progress line; NULL: none */
};

struct clusters {
    uint32_t count;                /* 0: every launch is simulated */
    struct teg_portrait *portrait; /* owned, [count] */
    struct teg_represented *of;    /* owned, [count] */
    uint32_t *next; /* owned, [count]: of the cluster, 0: it is the last */
};

/* EXIT_DONE, also if a launch cannot be read: whoever simulates it says so. */
int clusters_find(struct clusters *c, const struct cluster_request *request);
void clusters_release(struct clusters *c);
/* The one that is simulated for `launch`. */
uint32_t clusters_by(const struct clusters *c, uint32_t launch);
/* Launches of its cluster, the one that is simulated too. */
uint32_t clusters_members(const struct clusters *c, uint32_t launch);

/* The launch's next of its cluster, 0 after the last. */
uint32_t clusters_next(const struct clusters *c, uint32_t launch);

/* --similar PERCENT: what is wrong with it is said. */
int similar_parse(const char *text, double *error_most);

/* clang-format off */
#define CLUSTER_OPTION(similar)                                                \
    {"similar", 0, OPT_TEXT, &(similar), "PERCENT",                            \
     "let a launch stand for others that take as long to within PERCENT by "   \
     "what they execute (default: 5 where the launches have 20 million warp "  \
     "instructions or more, else 0: for those that are the same)", NULL}
/* clang-format on */

/* Makes `r` of what was simulated for it: `by` of `by_kernel` (from 1) of the
 * trace `by_path`.  `launch` is the represented one's, opened, and becomes the
 * replay's. */
int replay_represent(struct replay *r, const struct replay *by,
                     const struct clusters *c, uint32_t index,
                     const char *by_path, uint32_t by_kernel,
                     struct teg_launch *launch);

#endif
