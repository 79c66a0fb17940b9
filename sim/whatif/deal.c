#include "sim/whatif/deal.h"

#include <stdlib.h>

/* Where a segment's work differs by less among warps it is left alone: a
 * factor of the mean. */
#define EVEN 1.125

struct deal {
    struct teg_block *from;
    const struct teg_program *program;
    uint32_t warps, segments;
    int alike; /* all warps meet at the same number of barriers, and nowhere
                  else */
    uint64_t *count; /* owned, [warp * segments + segment]: instructions that
                        can be dealt */
};

/* Where a stream is read. */
struct reader {
    struct teg_cursor c; /* on the last instruction read */
    uint32_t segment;
    uint64_t read; /* of the segment, that can be dealt */
    int begun;
};

static int is_barrier(const struct teg_inst *inst)
{
    return (inst->flags & (INST_BARRIER | INST_ARRIVE)) != 0;
}

static int is_dealt(const struct teg_inst *inst)
{
    return !teg_inst_meets_others(inst) && inst->op_class != CLASS_GMMA &&
           (inst->flags & INST_EXIT) == 0;
}

static uint64_t *of_segment(const struct deal *p, uint32_t warp,
                            uint32_t segment)
{
    return &p->count[(size_t)warp * p->segments + segment];
}

/* ---- segments -------------------------------------------------------------- */

int deal_meets_elsewhere(const struct teg_program *p)
{
    return teg_program_has(p, VALUES_INIT) ||
           teg_program_has(p, VALUES_AWAITED);
}

static uint32_t barriers_of(const struct deal *p, uint32_t warp)
{
    struct teg_cursor c;
    uint32_t count = 0;

    teg_cursor_init(&c, p->from, warp);
    while (teg_cursor_next(&c))
        count += (uint32_t)is_barrier(&p->program->inst[c.inst]);
    return count;
}

static void count_warp(struct deal *p, uint32_t warp)
{
    struct teg_cursor c;
    uint32_t segment = 0;

    teg_cursor_init(&c, p->from, warp);
    while (teg_cursor_next(&c)) {
        const struct teg_inst *inst = &p->program->inst[c.inst];

        if (is_barrier(inst))
            segment++;
        else
            *of_segment(p, warp, segment) += (uint64_t)is_dealt(inst);
    }
}

static teg_status deal_init(struct deal *p, struct teg_block *from,
                            const struct teg_program *program,
                            struct teg_diag *d)
{
    *p = (struct deal){.from = from,
                       .program = program,
                       .warps = teg_block_warps(from),
                       .alike = !deal_meets_elsewhere(program)};
    for (uint32_t w = 0; w < p->warps; w++) {
        uint32_t segments = barriers_of(p, w) + 1;

        p->alike &= w == 0 || segments == p->segments;
        p->segments = segments > p->segments ? segments : p->segments;
    }
    p->count = calloc((size_t)p->warps * p->segments + 1, sizeof *p->count);
    if (p->count == NULL)
        return teg_fail_memory(d);
    for (uint32_t w = 0; w < p->warps; w++)
        count_warp(p, w);
    return TEG_OK;
}

teg_status deal_new(struct teg_block *block, const struct teg_program *program,
                    struct deal **deal, struct teg_diag *d)
{
    struct deal *p = malloc(sizeof *p);
    teg_status status =
        p != NULL ? deal_init(p, block, program, d) : teg_fail_memory(d);

    *deal = status == TEG_OK ? p : NULL;
    if (status != TEG_OK)
        free(p);
    return status;
}

void deal_free(struct deal *deal)
{
    if (deal == NULL)
        return;
    free(deal->count);
    free(deal);
}

/* What each warp has of a segment if all have the same. */
static uint64_t share_of(const struct deal *p, uint32_t segment)
{
    uint64_t sum = 0, most = 0, share;

    for (uint32_t w = 0; w < p->warps; w++) {
        uint64_t own = *of_segment(p, w, segment);

        sum += own;
        most = own > most ? own : most;
    }
    share = (sum + p->warps - 1) / p->warps;
    return (double)most > EVEN * (double)share ? share : most;
}

/* ---- from warps with more to those with less ------------------------------- */

/* Moves to instruction `index` of those of `segment` that are dealt. */
static void seek(const struct deal *p, struct reader *r, uint32_t warp,
                 uint32_t segment, uint64_t index)
{
    if (!r->begun) {
        *r = (struct reader){.begun = 1};
        teg_cursor_init(&r->c, p->from, warp);
    }
    while ((r->segment < segment || r->read <= index) &&
           teg_cursor_next(&r->c)) {
        const struct teg_inst *inst = &p->program->inst[r->c.inst];

        if (is_barrier(inst)) {
            r->segment++;
            r->read = 0;
        } else {
            r->read += (uint64_t)is_dealt(inst);
        }
    }
}

/* Writes `count` of what is over in the segment, `skip` of it left out. */
static void take(const struct deal *p, struct reader *reader, uint32_t segment,
                 uint64_t share, uint64_t skip, uint64_t count,
                 struct teg_block_builder *b)
{
    for (uint32_t w = 0; w < p->warps && count > 0; w++) {
        uint64_t own = *of_segment(p, w, segment);
        uint64_t over = own > share ? own - share : 0;

        for (; skip < over && count > 0; skip++, count--) {
            seek(p, &reader[w], w, segment, share + skip);
            teg_block_builder_copy(b, reader[w].c.inst, &reader[w].c);
        }
        skip -= over < skip ? over : skip;
    }
}

/* What warps before this one have taken. */
static uint64_t taken_before(const struct deal *p, uint32_t warp,
                             uint32_t segment, uint64_t share)
{
    uint64_t taken = 0;

    for (uint32_t w = 0; w < warp; w++) {
        uint64_t own = *of_segment(p, w, segment);

        taken += own < share ? share - own : 0;
    }
    return taken;
}

/* Its own up to its share, then others', then what the segment ends with. */
static void write_even(const struct deal *p, struct reader *reader,
                       uint32_t warp, struct teg_block_builder *b)
{
    struct teg_cursor c;
    uint32_t segment = 0;
    uint64_t written = 0, share = share_of(p, 0);

    teg_block_builder_warp(b, teg_block_warp_id(p->from, warp));
    teg_cursor_init(&c, p->from, warp);
    while (teg_cursor_next(&c)) {
        const struct teg_inst *inst = &p->program->inst[c.inst];
        uint64_t own = *of_segment(p, warp, segment);

        if (is_dealt(inst)) {
            if (written++ < share)
                teg_block_builder_copy(b, c.inst, &c);
            continue;
        }
        if (written == own && own < share) {
            take(p, reader, segment, share,
                 taken_before(p, warp, segment, share), share - own, b);
            written++;
        }
        teg_block_builder_copy(b, c.inst, &c);
        if (is_barrier(inst) && segment + 1 < p->segments) {
            share = share_of(p, ++segment);
            written = 0;
        }
    }
}

teg_status stream_change_even_warps(struct teg_block *from,
                                    const struct teg_program *program,
                                    struct teg_block_builder *b,
                                    struct teg_diag *d)
{
    struct deal p;
    struct reader *reader = NULL;
    teg_status status = deal_init(&p, from, program, d);

    if (status == TEG_OK && !p.alike)
        deal_piece(&p, 0, 1, b);
    for (uint32_t w = 0; status == TEG_OK && p.alike && w < p.warps; w++) {
        free(reader);
        reader = calloc(p.warps, sizeof *reader);
        if (reader == NULL)
            status = teg_fail_memory(d);
        else
            write_even(&p, reader, w, b);
    }
    free(reader);
    free(p.count);
    return status;
}

/* ---- pieces ----------------------------------------------------------------- */

/* Of a segment's instructions that are dealt, those of a piece. */
struct share {
    uint64_t from, to;
};

static struct share share_of_piece(const struct deal *p, uint32_t warp,
                                   uint32_t segment, uint32_t piece,
                                   uint32_t pieces)
{
    uint64_t own = *of_segment(p, warp, segment);

    return (struct share){own * piece / pieces, own * (piece + 1) / pieces};
}

static void write_piece(const struct deal *p, uint32_t warp, uint32_t piece,
                        uint32_t pieces, struct teg_block_builder *b)
{
    struct share share = share_of_piece(p, warp, 0, piece, pieces);
    struct teg_cursor c;
    uint32_t segment = 0;
    uint64_t read = 0;

    teg_block_builder_warp(b, teg_block_warp_id(p->from, warp));
    teg_cursor_init(&c, p->from, warp);
    while (teg_cursor_next(&c)) {
        const struct teg_inst *inst = &p->program->inst[c.inst];
        int dealt = is_dealt(inst);

        if (!dealt || (read >= share.from && read < share.to))
            teg_block_builder_copy(b, c.inst, &c);
        read += (uint64_t)dealt;
        if (is_barrier(inst)) {
            share = share_of_piece(p, warp, ++segment, piece, pieces);
            read = 0;
        }
    }
}

void deal_piece(const struct deal *deal, uint32_t piece, uint32_t pieces,
                struct teg_block_builder *b)
{
    for (uint32_t w = 0; w < deal->warps; w++)
        write_piece(deal, w, piece, pieces, b);
}
