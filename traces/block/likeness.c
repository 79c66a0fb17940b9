#include "traces/block/likeness.h"

#include <stdlib.h>

#include "isa/base/hash.h"
#include "isa/inst/values.h"
#include "traces/block/opened.h"

enum {
    LINE_BYTES = 128, /* in which ranges keep their place */
};

/* The addresses of a record of an instruction. */
struct placed {
    uint64_t first, low, high;
    uint32_t record;
};

struct teg_likeness {
    const struct teg_kernel *kernel; /* borrowed */
    uint64_t hash;
    struct placed *placed; /* owned, [count]: as they came up */
    uint32_t count, room;
    uint32_t *of; /* owned, [records]: 1 + its place there; 0: not yet */
    uint32_t records;
};

struct teg_likeness *teg_likeness_new(const struct teg_kernel *kernel)
{
    struct teg_likeness *l = calloc(1, sizeof *l);

    if (l != NULL)
        *l = (struct teg_likeness){.kernel = kernel, .hash = TEG_HASH_START};
    return l;
}

void teg_likeness_free(struct teg_likeness *l)
{
    if (l == NULL)
        return;
    free(l->placed);
    free(l->of);
    free(l);
}

/* ---- which records are addresses of buffers ---------------------------------------- */

/* Of an instruction's values: those from `first` on, `count` of them. */
static const struct {
    uint8_t first, count;
} global_values[TEG_VALUES] = {
    [VALUES_BULK] = {1, 1},
    [VALUES_TENSOR] = {1, 1},
    [VALUES_REDUCED] = {1, 1},
    [VALUES_TEXELS] = {1, TEG_TEXELS_MAX},
};

static int is_in_window(const struct teg_kernel *k, uint64_t address)
{
    return teg_kernel_in_shared(k, address) != UINT64_MAX ||
           (k->local_base != 0 && address - k->local_base < TEG_WINDOW_BYTES);
}

static int is_placed(const struct teg_kernel *k, const struct block_slot *s,
                     uint32_t record)
{
    const struct teg_inst *inst = &k->program.inst[s->inst];
    uint32_t number = record - inst->record_index;
    uint32_t addresses = teg_inst_has_addresses(inst) ? 1 : 0;

    if (number < addresses)
        return inst->space == SPACE_GLOBAL ||
               (inst->space == SPACE_GENERIC && !is_in_window(k, s->base));
    number -= addresses;
    return number - global_values[inst->values].first <
               global_values[inst->values].count &&
           s->base != UINT64_MAX;
}

/* ---- taking in blocks ------------------------------------------------------------------- */

static teg_status grow(struct teg_likeness *l, uint32_t records,
                       struct teg_diag *d)
{
    uint32_t *of;

    if (records <= l->records)
        return TEG_OK;
    of = realloc(l->of, records * sizeof *of);
    if (of == NULL)
        return teg_fail_memory(d);
    memset(of + l->records, 0, (records - l->records) * sizeof *of);
    l->of = of;
    l->records = records;
    return TEG_OK;
}

static teg_status add_placed(struct teg_likeness *l, uint32_t record,
                             uint64_t first, struct teg_diag *d)
{
    if (l->count == l->room) {
        uint32_t room = l->room * 2 + 16;
        struct placed *placed = realloc(l->placed, room * sizeof *placed);

        if (placed == NULL)
            return teg_fail_memory(d);
        l->placed = placed;
        l->room = room;
    }
    l->placed[l->count++] = (struct placed){first, first, first, record};
    l->of[record] = l->count;
    return TEG_OK;
}

static void widen(struct placed *p, uint64_t address)
{
    if (address < p->low)
        p->low = address;
    if (address > p->high)
        p->high = address;
}

static teg_status add_slot(struct teg_likeness *l, const struct block_slot *s,
                           uint32_t record, uint32_t streams,
                           struct teg_diag *d)
{
    uint64_t base = s->base;

    if (is_placed(l->kernel, s, record)) {
        struct placed *p;

        if (l->of[record] == 0)
            TRY(add_placed(l, record, base, d));
        p = &l->placed[l->of[record] - 1];
        widen(p, base);
        widen(p, base + (uint64_t)s->step * (streams - 1 - s->first));
        base -= p->first;
    }
    teg_hash_mix(&l->hash, (uint64_t)record << 32 | s->first);
    teg_hash_mix(&l->hash, base);
    teg_hash_mix(&l->hash, (uint64_t)s->step);
    teg_hash_mix(&l->hash, (uint64_t)s->delta);
    teg_hash_mix(&l->hash,
                 (uint64_t)(uint32_t)s->stride << 32 | (uint32_t)s->pitch);
    teg_hash_mix(&l->hash, (uint64_t)s->shape << 8 | s->group_log2);
    return TEG_OK;
}

/* Behind the first stream's head its records and all other streams follow, in which
 * addresses are distances. */
static void add_streams(struct teg_likeness *l, const struct teg_block *block)
{
    const struct block_stream *s = block->stream;

    teg_hash_mix(&l->hash, block->streams);
    if (block->streams == 0)
        return;
    teg_hash_mix(&l->hash, (uint64_t)s->warp_id << 32 | s->path);
    teg_hash_bytes(&l->hash, s->address,
                   (size_t)(block->bytes + block->size - s->address));
}

teg_status teg_likeness_add(struct teg_likeness *l,
                            const struct teg_block *block, struct teg_diag *d)
{
    TRY(grow(l, block->records, d));
    for (int i = 0; i < 3; i++)
        teg_hash_mix(&l->hash, block->position[i]);
    for (uint32_t i = 0; i < block->paths; i++)
        teg_hash_bytes(&l->hash, block->path[i].at,
                       (size_t)(block->path[i].end - block->path[i].at));
    for (uint32_t i = 0; i < block->records; i++) {
        if (block->slot_of[i] < block->slots)
            TRY(add_slot(l, &block->slot[block->slot_of[i]], i, block->streams,
                         d));
    }
    add_streams(l, block);
    return TEG_OK;
}

/* ---- where they are ----------------------------------------------------------------------- */

static int by_place(const void *a, const void *b)
{
    const struct placed *one = a, *other = b;

    if (one->low != other->low)
        return one->low < other->low ? -1 : 1;
    return one->record < other->record ? -1 : one->record > other->record;
}

/* The ranges from `at` on that overlap with those before them, one after the
 * other. */
static uint32_t overlapping(const struct teg_likeness *l, uint32_t at)
{
    uint64_t high = l->placed[at].high;
    uint32_t end = at + 1;

    for (; end < l->count && l->placed[end].low <= high; end++) {
        if (l->placed[end].high > high)
            high = l->placed[end].high;
    }
    return end;
}

/* Of groups of ranges that overlap it does not count which lies before which. */
uint64_t teg_likeness_digest(struct teg_likeness *l)
{
    uint64_t hash = l->hash, groups = 0;

    if (l->count != 0)
        qsort(l->placed, l->count, sizeof *l->placed, by_place);
    for (uint32_t at = 0, end; at < l->count; at = end) {
        uint64_t low = l->placed[at].low, group = TEG_HASH_START;

        end = overlapping(l, at);
        teg_hash_mix(&group, low % LINE_BYTES);
        for (uint32_t i = at; i < end; i++) {
            l->of[l->placed[i].record] = i + 1;
            teg_hash_mix(&group, l->placed[i].record);
            teg_hash_mix(&group, l->placed[i].first - low);
        }
        groups += group;
    }
    teg_hash_mix(&hash, groups);
    return hash;
}
