#include "traces/emulate/core/told.h"

#include <stdlib.h>

#include "isa/base/array.h"
#include "isa/base/minmax.h"
#include "isa/inst/values.h"
#include "traces/emulate/core/values.h"

enum {
    WORD_BYTES = 4
};

int emu_told_find(struct emu_op *op, struct teg_inst *inst, uint32_t insts)
{
    int tell = 0, await = 0;

    for (uint32_t i = 0; i < insts; i++) {
        tell |= teg_values_tells(&inst[i]);
        await |= teg_values_may_await(&inst[i]);
    }
    for (uint32_t i = 0; i < insts && tell && await; i++) {
        op[i].tells = teg_values_tells(&inst[i]) != 0;
        op[i].awaits = teg_values_may_await(&inst[i]) != 0;
        if (op[i].awaits)
            inst[i].values = VALUES_AWAITED;
    }
    return tell && await;
}

static uint64_t address_of(const struct emu_warp *w, uint32_t mask,
                           uint32_t lane)
{
    if (w->stride != 0 && mask == EMU_ALL)
        return w->address[0] + (uint64_t)((int64_t)w->stride * lane);
    return w->address[lane];
}

static uint64_t number_of(const struct emu_block *b)
{
    return teg_grid_number(b->grid, b->position);
}

/* Of parameters, local or shared memory, which generic addresses reach. */
static int is_in_window(uint64_t at)
{
    return at >= EMU_PARAM_WINDOW && at < EMU_SHARED_WINDOW + EMU_CLUSTER_BYTES;
}

/* Of writes in a row that one block makes to a word the first counts: who looks
 * back for a sum takes the block's own as soon as it is there, though here that
 * of all before it stands in its place by then. */
static void write_word(struct emu_told *told, uint64_t word, uint64_t block)
{
    const uint64_t *n = teg_number_map_find(&told->last, word);

    if (n != NULL && told->name[*n] >> TEG_AWAITED_BLOCK == block)
        return;
    if (!teg_number_map_put(&told->last, word, told->count))
        told->failed = 1;
}

static void tell(struct emu_warp *w, uint32_t mask)
{
    struct emu_told *told = w->block->gang->told;
    uint64_t *name = teg_array_room(told->name, told->count, &told->capacity,
                                    sizeof *told->name);

    w->tells++;
    if (name == NULL) {
        told->failed = 1;
        return;
    }
    told->name = name;
    name[told->count] = teg_awaited(number_of(w->block), w->number, w->tells);
    for (uint32_t rest = mask; rest != 0; rest &= rest - 1) {
        uint64_t at = address_of(w, mask, (uint32_t)__builtin_ctz(rest));

        if (!is_in_window(at))
            write_word(told, at / WORD_BYTES + 1,
                       name[told->count] >> TEG_AWAITED_BLOCK);
    }
    told->count++;
}

/* What was written last of the words that the lanes read; 0: nothing, or by the
 * block itself. */
static uint64_t seen_last(const struct emu_warp *w, uint32_t mask)
{
    const struct emu_told *told = w->block->gang->told;
    uint64_t own = number_of(w->block) + 1, last = 0;

    for (uint32_t rest = mask; rest != 0; rest &= rest - 1) {
        uint64_t at = address_of(w, mask, (uint32_t)__builtin_ctz(rest));
        const uint64_t *n =
            teg_number_map_find(&told->last, at / WORD_BYTES + 1);

        if (n != NULL && told->name[*n] >> TEG_AWAITED_BLOCK != own)
            last = teg_max(last, *n + 1);
    }
    return last != 0 ? told->name[last - 1] : 0;
}

void emu_told_note(struct emu_warp *w, const struct emu_op *op, uint32_t mask)
{
    if (op->tells)
        tell(w, mask);
    else
        emu_value_all(w, 0, seen_last(w, mask));
}

void emu_told_release(struct emu_told *told)
{
    teg_number_map_release(&told->last);
    free(told->name);
    *told = (struct emu_told){0};
}
