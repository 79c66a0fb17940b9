#include "sim/sample/lines.h"

#include <stdlib.h>
#include <string.h>

#include "config/gpu.h"

enum {
    SLOTS_FIRST = 1 << 12,
    SLOTS_MAX = 1 << 18,
    WINDOW_BITS = 24, /* of the generic windows of shared and local memory */
};

struct entry {
    uint64_t line;
    uint64_t block; /* that touched it last, from 1; 0: no entry */
};

struct sample_lines {
    struct entry *entry; /* owned, [slots] */
    uint32_t slots, count;
    uint32_t halvings; /* one line in 2^halvings is drawn */
    uint64_t block;    /* being shown, from 1 */
};

struct sample_lines *sample_lines_new(void)
{
    struct sample_lines *l = calloc(1, sizeof *l);

    if (l == NULL)
        return NULL;
    l->slots = SLOTS_FIRST;
    l->entry = calloc(l->slots, sizeof *l->entry);
    if (l->entry == NULL) {
        free(l);
        return NULL;
    }
    return l;
}

void sample_lines_free(struct sample_lines *l)
{
    if (l == NULL)
        return;
    free(l->entry);
    free(l);
}

/* A bijection of 64 bits that leaves none like the ones beside it. */
static uint64_t mix(uint64_t x)
{
    x ^= x >> 33;
    x *= 0xff51afd7ed558ccdu;
    x ^= x >> 33;
    x *= 0xc4ceb9fe1a85ec53u;
    return x ^ x >> 33;
}

static int drawn(const struct sample_lines *l, uint64_t hash)
{
    return l->halvings == 0 || hash >> (64 - l->halvings) == 0;
}

static struct entry *find(struct sample_lines *l, uint64_t line, uint64_t hash)
{
    uint32_t i = (uint32_t)hash % l->slots;

    while (l->entry[i].block != 0 && l->entry[i].line != line)
        i = (i + 1) % l->slots;
    return &l->entry[i];
}

/* Makes room: a table twice as large up to a size, then half as many lines,
 * drawn from now on, the others dropped.  Without memory for either none is
 * added. */
static void make_room(struct sample_lines *l)
{
    struct entry *old = l->entry;
    uint32_t slots = l->slots;
    uint32_t more = slots < SLOTS_MAX ? 2 * slots : slots;
    struct entry *entry = calloc(more, sizeof *entry);

    if (entry == NULL)
        return;
    l->halvings += more == slots;
    l->entry = entry;
    l->slots = more;
    l->count = 0;
    for (uint32_t i = 0; i < slots; i++) {
        uint64_t hash = mix(old[i].line);

        if (old[i].block == 0 || !drawn(l, hash))
            continue;
        *find(l, old[i].line, hash) = old[i];
        l->count++;
    }
    free(old);
}

static void touch(struct sample_lines *l, uint64_t line,
                  struct sample_touched *t)
{
    uint64_t hash = mix(line);
    struct entry *e;
    double weight;

    if (!drawn(l, hash))
        return;
    e = find(l, line, hash);
    if (e->block == l->block ||
        (e->block == 0 && l->count + 1 == l->slots)) /* no memory for more */
        return;
    weight = (double)((uint64_t)1 << l->halvings);
    t->lines += weight;
    if (e->block == 0) {
        t->first += weight;
        l->count++;
    }
    *e = (struct entry){line, l->block};
    if (l->count > l->slots / 2 && l->halvings < 40)
        make_room(l);
}

/* Lanes that lie side by side touch the lines from the first to the last. */
static void touch_access(struct sample_lines *l, const struct teg_access *a,
                         struct sample_touched *t)
{
    uint32_t first = (uint32_t)__builtin_ctz(a->mask);
    uint32_t last = 31 - (uint32_t)__builtin_clz(a->mask);
    uint64_t before = UINT64_MAX;

    if (a->shape == SHAPE_LINE && abs(a->stride) <= TEG_LINE_BYTES) {
        uint64_t x = teg_access_lane(a, first) / TEG_LINE_BYTES;
        uint64_t y = teg_access_lane(a, last) / TEG_LINE_BYTES;

        for (uint64_t i = x < y ? x : y; i <= (x < y ? y : x); i++)
            touch(l, i, t);
        return;
    }
    for (uint32_t lane = first; lane <= last; lane++) {
        uint64_t line;

        if ((a->mask >> lane & 1) == 0)
            continue;
        line = teg_access_lane(a, lane) / TEG_LINE_BYTES;
        if (line != before)
            touch(l, line, t);
        before = line;
    }
}

static int in_window(uint64_t base, uint64_t address)
{
    return base != 0 && address - base < (uint64_t)1 << WINDOW_BITS;
}

static int is_global(const struct teg_kernel *k, const struct teg_inst *inst,
                     const struct teg_access *a)
{
    uint64_t address;

    if (inst->space == SPACE_GLOBAL)
        return 1;
    if (inst->space != SPACE_GENERIC)
        return 0;
    address = teg_access_lane(a, (uint32_t)__builtin_ctz(a->mask));
    return teg_kernel_in_shared(k, address) == UINT64_MAX &&
           !in_window(k->local_base, address);
}

void sample_lines_block(struct sample_lines *l, const struct teg_kernel *kernel,
                        struct teg_block *block, struct sample_touched *t)
{
    *t = (struct sample_touched){0};
    l->block++;
    for (uint32_t i = 0; i < teg_block_warps(block); i++) {
        struct teg_cursor c;
        struct teg_access a;

        teg_cursor_init(&c, block, i);
        while (teg_cursor_next(&c)) {
            const struct teg_inst *inst = &kernel->program.inst[c.inst];

            if (teg_inst_has_addresses(inst) && teg_cursor_access(&c, &a) &&
                is_global(kernel, inst, &a)) {
                double lines = t->lines;

                touch_access(l, &a, t);
                if ((inst->flags & (INST_STORE | INST_ATOMIC)) != 0)
                    t->written += t->lines - lines;
            }
        }
    }
}
