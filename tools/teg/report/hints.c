#include "tools/teg/report/hints.h"

#include <stdlib.h>
#include <string.h>

#include "tools/teg/report/instructions.h"

/* What is asked about instructions. */
struct question {
    const struct by_pc *b;
    double *waited; /* [b->count]: warp-cycles for the instruction's result */
    double resident;
};

/* How much of it an instruction has, and the figure that is told of it. */
typedef double measure(const struct question *q, uint32_t i);

static double bank_conflicts(const struct question *q, uint32_t i)
{
    return (double)q->b->row[i].passes - (double)q->b->row[i].groups;
}

static double conflict_degree(const struct question *q, uint32_t i)
{
    return (double)q->b->row[i].passes / (double)q->b->row[i].groups;
}

static double wasted_bytes(const struct question *q, uint32_t i)
{
    return (double)q->b->row[i].bytes - (double)q->b->row[i].useful_bytes;
}

static double wasted_percent(const struct question *q, uint32_t i)
{
    return 100 * wasted_bytes(q, i) / (double)q->b->row[i].bytes;
}

static double constant_conflicts(const struct question *q, uint32_t i)
{
    return (double)q->b->row[i].constant_addresses -
           (double)q->b->row[i].constant_requests;
}

static double constant_addresses(const struct question *q, uint32_t i)
{
    return (double)q->b->row[i].constant_addresses /
           (double)q->b->row[i].constant_requests;
}

static double atomic_lanes(const struct question *q, uint32_t i)
{
    bool atomic = (q->b->program->inst[i].flags & INST_ATOMIC) != 0;

    return atomic ? (double)q->b->row[i].lanes : 0;
}

static double waited_for(const struct question *q, uint32_t i)
{
    return q->waited[i];
}

static double waited_for_memory(const struct question *q, uint32_t i)
{
    const struct teg_inst *inst = &q->b->program->inst[i];
    bool load = (inst->flags & INST_LOAD) != 0 &&
                (inst->space == SPACE_GLOBAL || inst->space == SPACE_LOCAL ||
                 inst->space == SPACE_GENERIC);

    return load ? q->waited[i] : 0;
}

static double waited_percent(const struct question *q, uint32_t i)
{
    return 100 * q->waited[i] / q->resident;
}

#define STALLED(name, reason)                                          \
    static double name(const struct question *q, uint32_t i)           \
    {                                                                  \
        return 100 * (double)q->b->row[i].stall[reason] / q->resident; \
    }
STALLED(at_barriers, STALL_BARRIER)
STALLED(without_instruction, STALL_NO_INSTRUCTION)
STALLED(without_constant, STALL_IMC_MISS)
STALLED(behind_itself, STALL_SAME_WARP)
#undef STALLED

/* A what-if, the instruction it is about (the one with the largest amount),
 * and what is told of that. */
static const struct subject {
    const char *what_if;
    measure *amount, *figure;
    const char *text; /* behind the figure */
} subjects[] = {
    {"no-bank-conflicts", bank_conflicts, conflict_degree,
     "-way bank conflicts"},
    {"coalesced", wasted_bytes, wasted_percent,
     " % of the bytes it moves are not asked for"},
    {"no-constant-conflicts", constant_conflicts, constant_addresses,
     " addresses a request"},
    {"no-atomic-conflicts", atomic_lanes, atomic_lanes, " lanes"},
    {"no-memory-latency", waited_for_memory, waited_percent,
     " % of the warps' time is for its result"},
    {"perfect-cache", waited_for_memory, waited_percent,
     " % of the warps' time is for its result"},
    {"warm-caches", waited_for_memory, waited_percent,
     " % of the warps' time is for its result"},
    {"unlimited-bandwidth", waited_for_memory, waited_percent,
     " % of the warps' time is for its result"},
    {"no-dependences", waited_for, waited_percent,
     " % of the warps' time is for its result"},
    {"no-barriers", at_barriers, at_barriers,
     " % of the warps' time is before it"},
    {"no-instruction-misses", without_instruction, without_instruction,
     " % of the warps' time is before it"},
    {"no-constant-misses", without_constant, without_constant,
     " % of the warps' time is before it"},
    {"no-same-warp-gap", behind_itself, behind_itself,
     " % of the warps' time is before it"},
};

static const struct subject *subject_of(const char *what_if)
{
    for (size_t i = 0; i < sizeof subjects / sizeof subjects[0]; i++) {
        if (strcmp(subjects[i].what_if, what_if) == 0)
            return &subjects[i];
    }
    return NULL;
}

static void find_where(struct hint *h, const struct question *q)
{
    const struct subject *s = subject_of(h->what_if);
    char name[300], figure[80];
    uint32_t most = 0;

    h->where[0] = '\0';
    if (s == NULL || q->b->count == 0)
        return;
    for (uint32_t i = 1; i < q->b->count; i++) {
        if (s->amount(q, i) > s->amount(q, most))
            most = i;
    }
    if (s->amount(q, most) <= 0)
        return;
    instruction_title(q->b->program, &q->b->program->inst[most], name,
                      sizeof name);
    snprintf(figure, sizeof figure, "%.3g%s", s->figure(q, most), s->text);
    snprintf(h->where, sizeof h->where, "%s, %s", name, figure);
}

static void count_waits(const struct by_pc *b, double *waited)
{
    for (uint32_t i = 0; i < b->count; i++) {
        for (uint32_t p = 0; p < b->row[i].producers; p++) {
            const struct by_pc_producer *producer = &b->row[i].producer[p];

            waited[producer->inst] += (double)producer->cycles;
        }
    }
}

int hints_find(struct hints *h, const struct whatif *w, const struct by_pc *b,
               uint64_t resident)
{
    const struct toggle *best[HINTS_MAX];
    struct question q = {.b = b, .resident = (double)resident};

    q.waited = calloc(b->count + 1, sizeof *q.waited);
    if (q.waited == NULL)
        return say_memory();
    count_waits(b, q.waited);
    h->count = whatif_best(w, HINTS_MAX, best);
    for (uint32_t i = 0; i < h->count; i++) {
        struct hint *hint = &h->hint[i];

        memcpy(hint->what_if, best[i]->name, sizeof hint->what_if);
        hint->speedup = (double)w->baseline_cycles / (double)best[i]->cycles;
        find_where(hint, &q);
    }
    free(q.waited);
    return EXIT_DONE;
}

void hint_text(const struct hint *h, char *out, size_t size)
{
    snprintf(out, size, "%s %.2fx%s%s", h->what_if, h->speedup,
             h->where[0] != '\0' ? ": " : "", h->where);
}
