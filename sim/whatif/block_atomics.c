/*
 * block-atomics: a block has added up before it touches a word of global
 * memory: of its atomics on a word the first is executed.  What the adding
 * takes, in shared memory or by shuffles, is not in it.
 */
#include "sim/whatif/stream_change.h"

#include <stdlib.h>

enum {
    WORD_BYTES = 4,
    FIRST_ROOM = 256
};

/* Words updated so far: open addressing, at most half full; 0 is none. */
struct words {
    uint64_t *word;
    size_t room, count;
};

static size_t place_of(const struct words *w, uint64_t word)
{
    size_t i = (size_t)(word * 0x9e3779b97f4a7c15u) & (w->room - 1);

    while (w->word[i] != 0 && w->word[i] != word)
        i = (i + 1) & (w->room - 1);
    return i;
}

static teg_status grow(struct words *w, struct teg_diag *d)
{
    struct words larger = {.room = w->room != 0 ? 2 * w->room : FIRST_ROOM,
                           .count = w->count};

    larger.word = calloc(larger.room, sizeof *larger.word);
    if (larger.word == NULL)
        return teg_fail_memory(d);
    for (size_t i = 0; i < w->room; i++) {
        if (w->word[i] != 0)
            larger.word[place_of(&larger, w->word[i])] = w->word[i];
    }
    free(w->word);
    *w = larger;
    return TEG_OK;
}

/* Whether nobody before wanted it. */
static teg_status add(struct words *w, uint64_t address, int *is_first,
                      struct teg_diag *d)
{
    uint64_t word = address / WORD_BYTES + 1;
    size_t i;

    if (2 * w->count >= w->room)
        TRY(grow(w, d));
    i = place_of(w, word);
    *is_first = w->word[i] == 0;
    w->count += (size_t)*is_first;
    w->word[i] = word;
    return TEG_OK;
}

static int is_global_atomic(const struct teg_inst *inst)
{
    return (inst->flags & INST_ATOMIC) != 0 && inst->values == 0 &&
           inst->space == SPACE_GLOBAL && teg_inst_has_addresses(inst);
}

static teg_status add_once(struct words *w, struct teg_cursor *c,
                           struct teg_block_builder *b, struct teg_diag *d)
{
    uint64_t lane[TEG_LANES] = {0};
    struct teg_access a;
    uint32_t kept = 0, inst = c->inst;

    if (!teg_cursor_access(c, &a)) {
        teg_block_builder_inst(b, inst, 0, NULL);
        return TEG_OK;
    }
    for (uint32_t rest = a.mask; rest != 0; rest &= rest - 1) {
        uint32_t i = (uint32_t)__builtin_ctz(rest);
        int is_first;

        lane[i] = teg_access_lane(&a, i);
        TRY(add(w, lane[i], &is_first, d));
        kept |= (uint32_t)is_first << i;
    }
    if (kept != 0)
        teg_block_builder_inst(b, inst, kept, lane);
    return TEG_OK;
}

static teg_status change_warp(struct teg_block *from, uint32_t stream,
                              const struct teg_program *program,
                              struct words *w, struct teg_block_builder *b,
                              struct teg_diag *d)
{
    struct teg_cursor c;

    teg_block_builder_warp(b, teg_block_warp_id(from, stream));
    teg_cursor_init(&c, from, stream);
    while (teg_cursor_next(&c)) {
        if (is_global_atomic(&program->inst[c.inst]))
            TRY(add_once(w, &c, b, d));
        else
            teg_block_builder_copy(b, c.inst, &c);
    }
    return TEG_OK;
}

teg_status stream_change_block_atomics(struct teg_block *from,
                                       const struct teg_program *program,
                                       struct teg_block_builder *b,
                                       struct teg_diag *d)
{
    struct words w = {0};
    teg_status status = TEG_OK;

    for (uint32_t i = 0; status == TEG_OK && i < teg_block_warps(from); i++)
        status = change_warp(from, i, program, &w, b, d);
    free(w.word);
    return status;
}
