/* Of everything that the rows of a sweep depend on, trace contents included. */
#ifndef TEG_TOOLS_TEG_SWEEP_DIGEST_H
#define TEG_TOOLS_TEG_SWEEP_DIGEST_H

#include "tools/teg/sweep/sweep.h"

/* Each says what is wrong and returns an exit status. */

/* What a list names belongs to the sweep as the list does.  A file that is
 * missing is the point's fault. */
int sweep_hash_listed(struct sweep_plan *plan, const struct job *job);
/* Sets `plan->digest`, the plan being complete. */
int sweep_find_digest(struct sweep_plan *plan);

#endif
