/*
 * What-ifs that find every block as they would have it: what-ifs that write blocks
 * anew and write what was there, accesses that are as few transactions as they can
 * be.  Seen by a look at each block before any is simulated, which ends with the
 * first that is not so.
 */
#ifndef TEG_SIM_WHATIF_ALIKE_H
#define TEG_SIM_WHATIF_ALIKE_H

#include "config/gpu.h"
#include "sim/whatif/stream_change.h"

/* Whether `change` leaves every block of `launch` as it is, the same program given;
 * uses the launch up. */
teg_status alike_blocks(block_change *change, struct teg_launch *launch,
                        int *alike, struct teg_diag *d);

/* Whether each global access of `launch` comes to the same transactions and takes the
 * pipeline as long on `changed`, another `gpu` in its rule of coalescing alone; uses
 * the launch up. */
teg_status alike_transactions(const struct teg_gpu *gpu,
                              const struct teg_gpu *changed,
                              struct teg_launch *launch, int *alike,
                              struct teg_diag *d);

#endif
