/* Constants, line by line: caches are lists of lines and of when each was used
 * last. */
#include "tests/sim/engine/help_naive_state.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

/* The line's place in the cache of `bytes`: its own, an empty one of its set,
 * or that of the line not used for longest, which it takes. */
static struct naive_line *find(struct naive_constants *c,
                               struct naive_line *cache, uint32_t launch,
                               uint64_t line, uint32_t bytes,
                               uint32_t line_bytes, uint32_t ways)
{
    struct naive_line *set = cache + line % (bytes / line_bytes / ways) * ways;
    struct naive_line *place = set;

    for (uint32_t i = 0; i < ways; i++) {
        if (set[i].used != 0 && set[i].line == line && set[i].launch == launch)
            return &set[i];
        if (set[i].used < place->used)
            place = &set[i];
    }
    *place = (struct naive_line){.line = line, .launch = launch};
    c->entered = 1;
    return place;
}

/* What DRAM adds where nobody of the SM has read the line. */
static uint64_t from_dram(const struct teg_gpu *gpu, struct naive_constants *c,
                          uint64_t line)
{
    if (!c->cold)
        return 0;
    for (uint32_t i = 0; i < c->seen_count; i++) {
        if (c->seen[i] == line)
            return 0;
    }
    ck_assert_uint_lt(c->seen_count, SEEN_MAX);
    c->seen[c->seen_count++] = line;
    return gpu->dram.latency > gpu->l2.latency
               ? gpu->dram.latency - gpu->l2.latency
               : 0;
}

/* The cycle in which the constant is where it is wanted, `near` cycles from
 * the cache behind. */
static uint64_t fetch(const struct teg_gpu *gpu, struct naive_constants *c,
                      struct naive_line *cache, uint32_t launch,
                      uint64_t address, uint64_t now, uint64_t near)
{
    struct naive_line *own, *behind;
    uint64_t from = now;
    int is_bank0 = address < 1ull << 32;

    c->entered = 0;
    own = find(c, cache, launch, address / gpu->constant.line_bytes,
               gpu->constant.l1_bytes, gpu->constant.line_bytes,
               gpu->constant.ways);
    own->used = ++c->uses;
    if (!c->entered)
        return naive_max(own->ready, now);
    if (!gpu->constant.brings_bank0 || !is_bank0 || c->cold) {
        c->entered = 0;
        behind =
            find(c, c->behind, launch, address / gpu->constant.l15_line_bytes,
                 gpu->constant.l15_bytes, gpu->constant.l15_line_bytes,
                 gpu->constant.l15_ways);
        behind->used = ++c->uses;
        if (c->entered)
            behind->ready =
                now + gpu->constant.miss_latency - gpu->constant.l15_latency +
                from_dram(gpu, c, address / gpu->constant.l15_line_bytes);
        from = naive_max(behind->ready, now);
    }
    own->ready = from + near;
    return own->ready;
}

/* Whether the instruction names a constant. */
static int named(const struct naive *n, const struct warp *w,
                 const struct teg_inst *inst, uint64_t *address)
{
    const char *at = strstr(teg_program_text(w->of->program, inst), "c[0x");
    unsigned bank, byte;

    if (n->gpu->constant.l1_bytes == 0 || at == NULL ||
        sscanf(at, "c[%x][%x", &bank, &byte) != 2)
        return 0;
    *address = ((uint64_t)bank << 32) + byte;
    return 1;
}

void naive_ask_for_operand(struct naive *n, struct sm *sm, struct warp *w,
                           uint32_t scheduler)
{
    const struct teg_inst *inst = naive_head(n, w);
    uint64_t address;

    if (w->asked_operand || inst->op_class == CLASS_LDC ||
        !named(n, w, inst, &address))
        return;
    w->asked_operand = 1;
    w->operand_at =
        fetch(n->gpu, &sm->constants, sm->constants.operands[scheduler],
              w->of->number, address, n->now, n->gpu->constant.l15_latency);
}

uint64_t naive_constants_later(struct naive *n, struct sm *sm,
                               const struct warp *w, uint64_t begin)
{
    const struct teg_gpu *gpu = n->gpu;
    const struct teg_inst *inst = naive_head(n, w);
    uint64_t near = gpu->constant.l15_latency - gpu->timing[CLASS_LDC].latency;
    uint64_t there = begin, address;
    struct teg_access a;

    if (inst->op_class != CLASS_LDC || w->cursor.mask == 0 ||
        gpu->constant.l1_bytes == 0)
        return 0;
    if ((inst->flags & INST_INDEXED) == 0) {
        if (named(n, w, inst, &address))
            there = fetch(gpu, &sm->constants, sm->constants.loads,
                          w->of->number, address, begin, near);
        return there - begin;
    }
    a = w->access;
    for (uint32_t l = 0; l < TEG_LANES; l++) {
        uint32_t before = 0;

        if (!(w->cursor.mask >> l & 1))
            continue;
        address = teg_access_lane(&a, l);
        while (before < l && (!(w->cursor.mask >> before & 1) ||
                              teg_access_lane(&a, before) != address))
            before++;
        if (before == l)
            there =
                naive_max(there, fetch(gpu, &sm->constants, sm->constants.loads,
                                       w->of->number, address, begin, near));
    }
    return there - begin;
}
