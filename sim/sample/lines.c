#include "sim/sample/lines.h"

#include <stdlib.h>
#include <string.h>

enum {
    PLACES = 1 << 18,
    WINDOW_BITS = 24, /* of the generic windows of shared and local memory */
};

struct entry {
    uint64_t line;
    uint64_t block; /* that touched it last, from 1; 0: no entry */
};

struct sample_lines {
    struct entry entry[PLACES];
    struct entry old[PLACES]; /* while entries find new places */
    uint32_t count;
    uint32_t halvings; /* one line in 2^halvings is drawn */
    uint64_t block;    /* being shown, from 1 */
};

struct sample_lines *sample_lines_new(void)
{
    return calloc(1, sizeof(struct sample_lines));
}

void sample_lines_free(struct sample_lines *l)
{
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
    uint32_t i = (uint32_t)hash % PLACES;

    while (l->entry[i].block != 0 && l->entry[i].line != line)
        i = (i + 1) % PLACES;
    return &l->entry[i];
}

/* Draws half as many lines from now on and drops the others. */
static void halve(struct sample_lines *l)
{
    l->halvings++;
    l->count = 0;
    memcpy(l->old, l->entry, sizeof l->old);
    memset(l->entry, 0, sizeof l->entry);
    for (uint32_t i = 0; i < PLACES; i++) {
        uint64_t hash = mix(l->old[i].line);

        if (l->old[i].block == 0 || !drawn(l, hash))
            continue;
        *find(l, l->old[i].line, hash) = l->old[i];
        l->count++;
    }
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
    if (e->block == l->block)
        return;
    weight = (double)((uint64_t)1 << l->halvings);
    t->lines += weight;
    if (e->block == 0) {
        t->first += weight;
        l->count++;
    }
    *e = (struct entry){line, l->block};
    if (l->count > PLACES / 2 && l->halvings < 40)
        halve(l);
}

/* Lanes that lie side by side touch the lines from the first to the last. */
static void touch_access(struct sample_lines *l, const struct teg_access *a,
                         struct sample_touched *t)
{
    uint32_t first = (uint32_t)__builtin_ctz(a->mask);
    uint32_t last = 31 - (uint32_t)__builtin_clz(a->mask);
    uint64_t before = UINT64_MAX;

    if (a->shape == SHAPE_LINE && abs(a->stride) <= SAMPLE_LINE_BYTES) {
        uint64_t x = teg_access_lane(a, first) / SAMPLE_LINE_BYTES;
        uint64_t y = teg_access_lane(a, last) / SAMPLE_LINE_BYTES;

        for (uint64_t i = x < y ? x : y; i <= (x < y ? y : x); i++)
            touch(l, i, t);
        return;
    }
    for (uint32_t lane = first; lane <= last; lane++) {
        uint64_t line;

        if ((a->mask >> lane & 1) == 0)
            continue;
        line = teg_access_lane(a, lane) / SAMPLE_LINE_BYTES;
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
    return !in_window(k->shared_base, address) &&
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
