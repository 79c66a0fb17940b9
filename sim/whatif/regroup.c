/*
 * regrouped: the threads of a block in warps by what they execute, as if the
 * program had sorted them: those with the longest loops together, those of one
 * side of a branch together.
 *
 * The k-th execution of an instruction in all warps of the block counts as one
 * step of all its threads: as many warps execute it as its active lanes fill,
 * with all lanes.  Which: those that execute the instruction most often, so
 * that one warp keeps the longest of all paths; among equals the sides of a
 * branch take warps in turn.
 *
 * Instructions with an effect beyond their registers stay as they are, as in
 * compact.c.  Unlike there no chain of dependences gets shorter.
 */
#include "sim/whatif/stream_change.h"

#include <stdlib.h>

enum {
    SIDES_MAX = 64 /* further ones begin with the first warp */
};

/* Instructions whose first step is of the same lanes. */
struct side {
    uint64_t lanes; /* a hash of them */
    uint32_t first; /* warp */
};

struct grouping {
    struct teg_block *from;
    const struct teg_program *program;
    uint32_t warps;
    uint32_t full;   /* lanes of a warp that is full */
    uint32_t all;    /* lanes of all warps */
    uint32_t *count; /* owned, [inst * warps + warp]: executions */
    uint64_t *begin; /* owned, [program->count + 1]: of its steps */
    uint32_t *lanes; /* owned, [step]: active, of all warps */
    uint64_t *hash;  /* owned, [inst]: of the lanes of its first step */
    uint32_t *rank;  /* owned, [inst * warps + warp] */
    struct side side[SIDES_MAX];
    uint32_t sides, next_warp;
};

/* One under a predicate is issued whether or not any lane executes it. */
static int must_stay(const struct teg_program *p, const struct teg_inst *inst)
{
    return teg_program_text(p, inst)[0] == '@' || inst->space != SPACE_NONE ||
           inst->records != 0 || teg_inst_meets_others(inst) ||
           inst->op_class == CLASS_GMMA || (inst->flags & INST_EXIT) != 0;
}

static uint32_t lanes_of(uint32_t mask)
{
    return (uint32_t)__builtin_popcount(mask);
}

static uint32_t *of_warp(const struct grouping *g, uint32_t *table,
                         uint32_t inst, uint32_t warp)
{
    return &table[(size_t)inst * g->warps + warp];
}

/* Adds up executions and what is active at all. */
static void count_warp(struct grouping *g, uint32_t warp)
{
    struct teg_cursor c;
    uint32_t mask = 0;

    teg_cursor_init(&c, g->from, warp);
    while (teg_cursor_next(&c)) {
        mask |= c.mask;
        *of_warp(g, g->count, c.inst, warp) += c.mask != 0;
    }
    g->full = lanes_of(mask) > g->full ? lanes_of(mask) : g->full;
    g->all += lanes_of(mask);
}

static void find_steps(struct grouping *g)
{
    for (uint32_t i = 0; i < g->program->count; i++) {
        uint32_t most = 0;

        for (uint32_t w = 0; w < g->warps; w++) {
            uint32_t own = *of_warp(g, g->count, i, w);

            most = own > most ? own : most;
        }
        g->begin[i + 1] = g->begin[i] + most;
    }
}

/* `count` counts anew, up to what it was. */
static void add_lanes(struct grouping *g, uint32_t warp)
{
    struct teg_cursor c;

    for (uint32_t i = 0; i < g->program->count; i++)
        *of_warp(g, g->count, i, warp) = 0;
    teg_cursor_init(&c, g->from, warp);
    while (teg_cursor_next(&c)) {
        uint32_t *step = of_warp(g, g->count, c.inst, warp);

        if (c.mask == 0)
            continue;
        if (*step == 0)
            g->hash[c.inst] =
                (g->hash[c.inst] ^ ((uint64_t)warp << 32 | c.mask)) *
                0x9e3779b97f4a7c15u;
        g->lanes[g->begin[c.inst] + (*step)++] += lanes_of(c.mask);
    }
}

static uint32_t warps_for(const struct grouping *g, uint32_t lanes)
{
    return (lanes + g->full - 1) / g->full;
}

/* The warp that the instruction's side of a branch begins with. */
static uint32_t first_warp(struct grouping *g, uint32_t inst)
{
    uint32_t lanes = g->lanes[g->begin[inst]], i = 0;

    if (lanes == g->all)
        return 0;
    while (i < g->sides && g->side[i].lanes != g->hash[inst])
        i++;
    if (i == SIDES_MAX)
        return 0;
    if (i == g->sides) {
        g->side[g->sides++] = (struct side){g->hash[inst], g->next_warp};
        g->next_warp = (g->next_warp + warps_for(g, lanes)) % g->warps;
    }
    return g->side[i].first;
}

/* Whether `a` executes it before `b`. */
static int comes_before(const struct grouping *g, uint32_t inst, uint32_t first,
                        uint32_t a, uint32_t b)
{
    uint32_t own = *of_warp(g, g->count, inst, a);
    uint32_t others = *of_warp(g, g->count, inst, b);

    if (own != others)
        return own > others;
    return (a + g->warps - first) % g->warps <
           (b + g->warps - first) % g->warps;
}

static void rank_warps(struct grouping *g, uint32_t inst)
{
    uint32_t first;

    if (g->begin[inst + 1] == g->begin[inst] ||
        must_stay(g->program, &g->program->inst[inst]))
        return;
    first = first_warp(g, inst);
    for (uint32_t a = 0; a < g->warps; a++) {
        for (uint32_t b = 0; b < g->warps; b++)
            *of_warp(g, g->rank, inst, a) +=
                (uint32_t)comes_before(g, inst, first, b, a);
    }
}

static void write_warp(struct grouping *g, uint32_t warp,
                       struct teg_block_builder *b)
{
    struct teg_cursor c;
    uint32_t full = 0;

    for (uint32_t i = 0; i < g->program->count; i++)
        *of_warp(g, g->count, i, warp) = 0;
    teg_block_builder_warp(b, teg_block_warp_id(g->from, warp));
    teg_cursor_init(&c, g->from, warp);
    while (full != UINT32_MAX && teg_cursor_next(&c))
        full |= c.mask;
    teg_cursor_init(&c, g->from, warp);
    while (teg_cursor_next(&c)) {
        uint32_t step;

        if (must_stay(g->program, &g->program->inst[c.inst])) {
            teg_block_builder_copy(b, c.inst, &c);
            continue;
        }
        if (c.mask == 0)
            continue;
        step = (*of_warp(g, g->count, c.inst, warp))++;
        if (*of_warp(g, g->rank, c.inst, warp) <
            warps_for(g, g->lanes[g->begin[c.inst] + step]))
            teg_block_builder_inst(b, c.inst, full, NULL);
    }
}

static teg_status grouping_init(struct grouping *g, struct teg_diag *d)
{
    size_t insts = g->program->count, cells = insts * g->warps + 1;

    g->count = calloc(cells, sizeof *g->count);
    g->rank = calloc(cells, sizeof *g->rank);
    g->begin = calloc(insts + 1, sizeof *g->begin);
    g->hash = calloc(insts + 1, sizeof *g->hash);
    if (g->count == NULL || g->rank == NULL || g->begin == NULL ||
        g->hash == NULL)
        return teg_fail_memory(d);
    for (uint32_t w = 0; w < g->warps; w++)
        count_warp(g, w);
    find_steps(g);
    g->lanes = calloc(g->begin[insts] + 1, sizeof *g->lanes);
    if (g->lanes == NULL)
        return teg_fail_memory(d);
    for (uint32_t w = 0; w < g->warps; w++)
        add_lanes(g, w);
    for (uint32_t i = 0; i < insts; i++)
        rank_warps(g, i);
    return TEG_OK;
}

static void grouping_release(struct grouping *g)
{
    free(g->count);
    free(g->rank);
    free(g->begin);
    free(g->hash);
    free(g->lanes);
}

teg_status stream_change_regrouped(struct teg_block *from,
                                   const struct teg_program *program,
                                   struct teg_block_builder *b,
                                   struct teg_diag *d)
{
    struct grouping g = {
        .from = from, .program = program, .warps = teg_block_warps(from)};
    teg_status status = grouping_init(&g, d);

    for (uint32_t w = 0; status == TEG_OK && w < g.warps; w++)
        write_warp(&g, w, b);
    grouping_release(&g);
    return status;
}
