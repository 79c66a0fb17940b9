/*
 * Kinds of blocks: those whose warps execute the same numbers of instructions.
 */
#ifndef TEG_SIM_SAMPLE_KINDS_H
#define TEG_SIM_SAMPLE_KINDS_H

#include "traces/block/cursor.h"

enum {
    SAMPLE_KINDS = 256, /* told apart; further ones count as one */
};

/* Zeroed: none yet. */
struct sample_kinds {
    struct {
        uint64_t signature;
        uint64_t instructions; /* warp instructions of all blocks of the kind */
        uint64_t longest;      /* of a warp of such a block */
    } kind[SAMPLE_KINDS];
    uint32_t count;
    uint64_t instructions;
    uint64_t longest; /* warp instructions of any warp */
};

/* Warp instructions of the block. */
uint64_t sample_block_work(const struct teg_block *block);
/* Counts the block, of `*work` warp instructions, and returns its kind. */
uint16_t sample_kind_of(struct sample_kinds *k, const struct teg_block *block,
                        uint64_t *work);
/* Nearly all work is that of equal blocks. */
int sample_kinds_alike(const struct sample_kinds *k);
/* Times that such an equal block would last longer with the longest warp of all:
 * a single one that no sample need have seen, and that may come last.  0 where
 * blocks are not alike. */
double sample_kinds_lonely(const struct sample_kinds *k);

#endif
