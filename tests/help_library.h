/* A launch and a GPU by the public functions alone. */
#ifndef TEG_TESTS_HELP_LIBRARY_H
#define TEG_TESTS_HELP_LIBRARY_H

#include "include/teg/teg.h"

#define HELP_MATMUL "tests/kernels/sm70/matmul.sketch"

/* Each ends the test on failure. */

struct teg_gpu *help_v100(void);
/* Blocks of 4 warps that load, add and meet at a barrier 20 times; 60 of them,
 * or as many as `param` says ("N=600").  The trace is closed. */
struct teg_replay *help_replay(const char *param);
uint64_t help_cycles(struct teg_replay *replay, const struct teg_gpu *gpu);

#endif
