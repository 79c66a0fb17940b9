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

#endif
