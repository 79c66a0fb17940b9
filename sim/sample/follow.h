/*
 * What the SMs that are not stepped ask of the memory system: the blocks that
 * run there, each behind one on an SM that is, its leader.  A follower's warp
 * makes its nth request of global or local memory when its leader's makes its
 * nth, each a little later than the one before: they are spread over the time
 * from one leader's block to the next.  What a follower has left when its
 * leader's block ends is made by and by, in the place of followers that have
 * none left.
 */
#ifndef TEG_SIM_SAMPLE_FOLLOW_H
#define TEG_SIM_SAMPLE_FOLLOW_H

#include "sim/memory/memory.h"

struct sample_followers;

/* At most `count` behind each of the blocks that lead on `sms` SMs of `gpu`. */
teg_status sample_followers_new(const struct teg_gpu *gpu,
                                const struct teg_kernel *kernel, uint32_t sms,
                                uint32_t count, struct sample_followers **f,
                                struct teg_diag *d);
void sample_followers_free(struct sample_followers *f);

/* `block` follows the next leader that is announced; it becomes `f`'s, also
 * when that fails. */
teg_status sample_followers_add(struct sample_followers *f,
                                struct teg_block *block, struct teg_diag *d);
/* The next leader, of `warps` streams, gets its place, `interval` cycles after
 * the one before on the average.  Leaders are numbered from 0 on. */
teg_status sample_followers_lead(struct sample_followers *f, uint32_t warps,
                                 double interval, struct teg_diag *d);
/* It has ended. */
void sample_followers_end(struct sample_followers *f, uint64_t leader);

/* What became of followers' requests so far. */
struct sample_followed {
    uint64_t l2_sectors, l2_hits, l2_joined, dram_bytes;
};
struct sample_followed sample_followers_sum(const struct sample_followers *f);
/* By how much the share of sectors that came without a wait for DRAM, found in L2
 * or under way to another SM, is larger of followers than of leaders. */
double sample_followers_find_more(const struct sample_followers *f);

/* What the memory asks; lives as long as `f`. */
const struct sim_followers *sample_followers_of_memory(
    const struct sample_followers *f);

#endif
