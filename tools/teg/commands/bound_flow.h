/*
 * teg bound FILE.flow and teg bound lattice-qcd: the throughput that each way
 * to move less data allows.
 *
 *     $ teg bound docs/examples/matmul.flow -g v100
 *     matrix product, single precision on v100: Tesla V100 SXM2 (GV100)
 *       8192 operations per element of C; peak 1.413e+04 Gflop/s
 *       dram 900 GB/s, shared 1.413e+04 GB/s
 *       ...
 *       patterns                    bytes     flop/B   Gflop/s of peak  limited by
 *       tile block                    516      15.88 1.413e+04 100.0 %  peak arithmetic
 *       tile                    3.277e+04       0.25      3533  25.0 %  shared
 *
 *       at most 1.413e+04 Gflop/s, by peak arithmetic, with tile block
 */
#ifndef TEG_TOOLS_TEG_COMMANDS_BOUND_FLOW_H
#define TEG_TOOLS_TEG_COMMANDS_BOUND_FLOW_H

#include "tools/teg/replay/job.h"

/* `set`: KEY=VALUE of the description (keys with a dot) and of parameters.
 * Each returns an exit status. */
int bound_flow(struct job *job, const struct opt_list *set, const char *path);
int bound_lattice(struct job *job, const struct opt_list *set);

#endif
