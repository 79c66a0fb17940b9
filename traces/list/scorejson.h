/*
 * The score in a kernels.json: "order", "graphs" and "streams".
 */
#ifndef TEG_TRACES_LIST_SCOREJSON_H
#define TEG_TRACES_LIST_SCOREJSON_H

#include <jansson.h>

#include "traces/list/score.h"

enum {
    TEG_SCORE_SCHEMA = 3, /* the first in which words must be known */
};

/*
 * Reads them of `root`; launches are of `kernels` kernels.  `schema` is the
 * file's.  What is wrong is said with the entry: "app.json: order[3]".  The
 * score is the caller's to release, also after an error.
 */
teg_status teg_scorejson_read(const char *path, const json_t *root,
                              int64_t schema, uint32_t kernels,
                              struct teg_score *score, struct teg_diag *d);

/* An entry alone, of any kernel, event or graph; it may bring a stream. */
teg_status teg_scorejson_entry(const json_t *entry, struct teg_score *score,
                               struct teg_score_entry *read,
                               struct teg_diag *d);
/* A node behind the ones that `graph` has, of which it comes after some.
 * `*edges` is how many edges these have. */
teg_status teg_scorejson_node(const json_t *node, struct teg_score *score,
                              struct teg_score_graph *graph, uint32_t *edges,
                              struct teg_diag *d);

#endif
