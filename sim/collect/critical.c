#include "sim/collect/critical.h"

#include <stdlib.h>
#include <string.h>

enum {
    NOBODY = -1
};

/* The operand that came last among those that came after `arrived`. */
static int64_t last_writer(const struct pc_trace *t, const struct pc_point *p,
                           const int64_t writer[TEG_REG_COUNT])
{
    const struct teg_inst *inst = &t->program->inst[p->inst];
    uint64_t arrived = p->cycle - p->stalled;
    int64_t last = NOBODY;

    for (uint8_t i = 0; i < inst->src_count; i++) {
        const struct teg_regs *regs = &inst->src[i];

        for (uint32_t r = regs->first; r < regs->first + regs->count; r++) {
            int64_t w = writer[r];

            if (w != NOBODY && t->point[w].done > arrived &&
                (last == NOBODY || t->point[w].done > t->point[last].done))
                last = w;
        }
    }
    return last;
}

static int waited_for_operands(const struct pc_point *p)
{
    return p->reason < TEG_STALLS && teg_stall_is_result(p->reason);
}

/* Whom each point follows: the writer of its operand if waiting for that held
 * it longest, else NOBODY. */
static void find_writers(const struct pc_trace *t, int64_t *follows)
{
    int64_t writer[TEG_REG_COUNT];

    for (int r = 0; r < TEG_REG_COUNT; r++)
        writer[r] = NOBODY;
    for (size_t i = 0; i < t->points; i++) {
        const struct pc_point *p = &t->point[i];
        const struct teg_inst *inst = &t->program->inst[p->inst];

        follows[i] =
            waited_for_operands(p) ? last_writer(t, p, writer) : NOBODY;
        for (uint8_t k = 0; k < inst->dst_count; k++) {
            const struct teg_regs *regs = &inst->dst[k];

            for (uint32_t r = regs->first; r < regs->first + regs->count; r++)
                writer[r] = (int64_t)i;
        }
    }
}

/* Rows by instruction and reason, TEG_STALLS + 1 for each. */
static void add(struct critical_step *row, uint32_t inst, uint8_t reason,
                uint64_t cycles)
{
    struct critical_step *s = &row[(size_t)inst * (TEG_STALLS + 1) + reason];

    s->inst = inst;
    s->reason = reason;
    s->times++;
    s->cycles += cycles;
}

static void walk_back(struct critical *c, const struct pc_trace *t,
                      const int64_t *follows, struct critical_step *row)
{
    size_t at = 0;

    for (size_t i = 1; i < t->points; i++) {
        if (t->point[i].done >= t->point[at].done)
            at = i;
    }
    c->first = t->point[0].cycle;
    c->done = t->point[at].done;
    c->instructions = 1;
    add(row, t->point[at].inst, TEG_STALLS,
        t->point[at].done - t->point[at].cycle);
    while (at > 0) {
        const struct pc_point *p = &t->point[at];
        size_t before = follows[at] != NOBODY ? (size_t)follows[at] : at - 1;
        uint64_t cycles = p->cycle - t->point[before].cycle;

        add(row, follows[at] != NOBODY ? t->point[before].inst : p->inst,
            p->reason, cycles);
        c->instructions++;
        at = before;
    }
}

static int by_cycles(const void *a, const void *b)
{
    const struct critical_step *x = a, *y = b;

    if (x->cycles != y->cycles)
        return x->cycles < y->cycles ? 1 : -1;
    if (x->inst != y->inst)
        return x->inst > y->inst ? 1 : -1;
    return (x->reason > y->reason) - (x->reason < y->reason);
}

teg_status critical_find(struct critical *c, const struct pc_trace *t,
                         struct teg_diag *d)
{
    size_t rows = (size_t)t->program->count * (TEG_STALLS + 1);
    int64_t *follows = calloc(t->points + 1, sizeof *follows);

    *c = (struct critical){0};
    c->step = calloc(rows + 1, sizeof *c->step);
    if (follows == NULL || c->step == NULL) {
        free(follows);
        critical_release(c);
        return teg_fail_memory(d);
    }
    find_writers(t, follows);
    walk_back(c, t, follows, c->step);
    free(follows);
    for (size_t i = 0; i < rows; i++) {
        if (c->step[i].times != 0)
            c->step[c->steps++] = c->step[i];
    }
    qsort(c->step, c->steps, sizeof *c->step, by_cycles);
    return TEG_OK;
}

void critical_release(struct critical *c)
{
    free(c->step);
    *c = (struct critical){0};
}

static void on_issue(void *self, const struct sim_issue *e)
{
    struct slowest_warp *s = self;

    if (e->done > s->done)
        *s = (struct slowest_warp){e->done, e->block, e->sm, e->warp_id};
}

struct sim_listener slowest_warp_listener(struct slowest_warp *s)
{
    *s = (struct slowest_warp){0};
    return (struct sim_listener){.self = s, .on_issue = on_issue};
}
