#include "tools/teg/report/subjects.h"

#include <stdlib.h>
#include <string.h>

#include "tools/teg/cli/teg.h"
#include "tools/teg/report/instructions.h"

/* How much of it an instruction has, and the figure that is told of it. */
typedef double measure(const struct subjects *s, uint32_t i);

static double bank_conflicts(const struct subjects *s, uint32_t i)
{
    return (double)s->b->row[i].passes - (double)s->b->row[i].groups;
}

static double conflict_degree(const struct subjects *s, uint32_t i)
{
    return (double)s->b->row[i].passes / (double)s->b->row[i].groups;
}

static double wasted_bytes(const struct subjects *s, uint32_t i)
{
    return (double)s->b->row[i].bytes - (double)s->b->row[i].useful_bytes;
}

static double wasted_percent(const struct subjects *s, uint32_t i)
{
    return 100 * wasted_bytes(s, i) / (double)s->b->row[i].bytes;
}

static double constant_conflicts(const struct subjects *s, uint32_t i)
{
    return (double)s->b->row[i].constant_addresses -
           (double)s->b->row[i].constant_requests;
}

static double constant_addresses(const struct subjects *s, uint32_t i)
{
    return (double)s->b->row[i].constant_addresses /
           (double)s->b->row[i].constant_requests;
}

static double atomic_lanes(const struct subjects *s, uint32_t i)
{
    bool atomic = (s->b->program->inst[i].flags & INST_ATOMIC) != 0;

    return atomic ? (double)s->b->row[i].lanes : 0;
}

static double waited_for(const struct subjects *s, uint32_t i)
{
    return s->waited[i];
}

static double waited_for_memory(const struct subjects *s, uint32_t i)
{
    const struct teg_inst *inst = &s->b->program->inst[i];
    bool load = (inst->flags & INST_LOAD) != 0 &&
                (inst->space == SPACE_GLOBAL || inst->space == SPACE_LOCAL ||
                 inst->space == SPACE_GENERIC);

    return load ? s->waited[i] : 0;
}

static double local_bytes(const struct subjects *s, uint32_t i)
{
    bool local = s->b->program->inst[i].space == SPACE_LOCAL;

    return local ? (double)s->b->row[i].bytes : 0;
}

static double idle_lanes(const struct subjects *s, uint32_t i)
{
    return TEG_LANES * (double)s->b->row[i].issued - (double)s->b->row[i].lanes;
}

static double mean_lanes(const struct subjects *s, uint32_t i)
{
    return (double)s->b->row[i].lanes / (double)s->b->row[i].issued;
}

static double waited_percent(const struct subjects *s, uint32_t i)
{
    return 100 * s->waited[i] / s->resident;
}

#define STALLED(name, reason)                                          \
    static double name(const struct subjects *s, uint32_t i)           \
    {                                                                  \
        return 100 * (double)s->b->row[i].stall[reason] / s->resident; \
    }
STALLED(at_barriers, STALL_BARRIER)
STALLED(without_instruction, STALL_NO_INSTRUCTION)
STALLED(without_constant, STALL_IMC_MISS)
STALLED(behind_itself, STALL_SAME_WARP)
STALLED(at_fences, STALL_MEMBAR)
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
    {"free-atomics", atomic_lanes, atomic_lanes, " lanes"},
    {"no-spills", local_bytes, local_bytes, " bytes of local memory"},
    {"no-fences", at_fences, at_fences, " % of the warps' time is before it"},
    {"no-divergence", idle_lanes, mean_lanes, " of 32 lanes active"},
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

static void count_waits(const struct by_pc *b, double *waited)
{
    for (uint32_t i = 0; i < b->count; i++) {
        for (uint32_t p = 0; p < b->row[i].producers; p++) {
            const struct by_pc_producer *producer = &b->row[i].producer[p];

            waited[producer->inst] += (double)producer->cycles;
        }
    }
}

int subjects_init(struct subjects *s, const struct by_pc *b, uint64_t resident)
{
    *s = (struct subjects){.b = b, .resident = (double)resident};
    s->waited = calloc(b->count + 1, sizeof *s->waited);
    if (s->waited == NULL)
        return say_memory();
    count_waits(b, s->waited);
    return EXIT_DONE;
}

void subjects_release(struct subjects *s)
{
    free(s->waited);
    *s = (struct subjects){0};
}

uint32_t subject_find(const struct subjects *s, const char *what_if, char *out,
                      size_t size)
{
    const struct subject *subject = subject_of(what_if);
    const struct by_pc *b = s->b;
    char name[300], figure[80];
    uint32_t most = 0;

    out[0] = '\0';
    if (subject == NULL || b->count == 0)
        return UINT32_MAX;
    for (uint32_t i = 1; i < b->count; i++) {
        if (subject->amount(s, i) > subject->amount(s, most))
            most = i;
    }
    if (subject->amount(s, most) <= 0)
        return UINT32_MAX;
    instruction_title(b->program, &b->program->inst[most], name, sizeof name);
    snprintf(figure, sizeof figure,
             subject->figure(s, most) < 999.5 ? "%.3g%s" : "%.0f%s",
             subject->figure(s, most), subject->text);
    snprintf(out, size, "%s, %s", name, figure);
    return most;
}
