#include "tools/teg/report/subjects.h"

#include <stdlib.h>
#include <string.h>

#include "sim/collect/statistics.h"
#include "tools/teg/cli/teg.h"
#include "tools/teg/report/instructions.h"

/* How much of it an instruction has, and the figure that is told of it. */
typedef double measure(const struct subjects *s, uint32_t i);

static double bank_conflicts(const struct subjects *s, uint32_t i)
{
    return (double)s->b->row[i].passes - (double)s->b->row[i].groups;
}

static double over(double part, double whole)
{
    return whole > 0 ? part / whole : 0;
}

static double conflict_degree(const struct subjects *s, uint32_t i)
{
    return over((double)s->b->row[i].passes, (double)s->b->row[i].groups);
}

static double wasted_bytes(const struct subjects *s, uint32_t i)
{
    return (double)s->b->row[i].bytes - (double)s->b->row[i].useful_bytes;
}

static double wasted_percent(const struct subjects *s, uint32_t i)
{
    return 100 * over(wasted_bytes(s, i), (double)s->b->row[i].bytes);
}

static double constant_conflicts(const struct subjects *s, uint32_t i)
{
    return (double)s->b->row[i].constant_addresses -
           (double)s->b->row[i].constant_requests;
}

static double constant_addresses(const struct subjects *s, uint32_t i)
{
    return over((double)s->b->row[i].constant_addresses,
                (double)s->b->row[i].constant_requests);
}

static double atomic_lanes(const struct subjects *s, uint32_t i)
{
    bool atomic = (s->b->program->inst[i].flags & INST_ATOMIC) != 0;

    return atomic ? (double)s->b->row[i].lanes : 0;
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

static double local_percent(const struct subjects *s, uint32_t i)
{
    return 100 * over(local_bytes(s, i), s->bytes);
}

static double conversions(const struct subjects *s, uint32_t i)
{
    bool wide = s->b->program->inst[i].op_class == CLASS_CONVERT64;

    return wide ? (double)s->b->row[i].issued : 0;
}

static double narrow_conversions(const struct subjects *s, uint32_t i)
{
    bool narrow = s->b->program->inst[i].op_class == CLASS_CONVERT;

    return narrow ? (double)s->b->row[i].issued : 0;
}

/* Of a branch the lanes are those that take it: all may have looked. */
static double idle_lanes(const struct subjects *s, uint32_t i)
{
    if (s->b->program->inst[i].flags & INST_BRANCH)
        return 0;
    return TEG_LANES * (double)s->b->row[i].issued - (double)s->b->row[i].lanes;
}

static double mean_lanes(const struct subjects *s, uint32_t i)
{
    return over((double)s->b->row[i].lanes, (double)s->b->row[i].issued);
}

static double bank_ways(const struct subjects *s, uint32_t i)
{
    return collect_bank_ways(s->gpu, &s->b->program->inst[i]);
}

/* Times that a bank is read more than once. */
static double bank_reads(const struct subjects *s, uint32_t i)
{
    double ways = bank_ways(s, i);

    return ways > 1 ? (ways - 1) * (double)s->b->row[i].issued : 0;
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
STALLED(behind_arithmetic, STALL_WAIT)
STALLED(at_fences, STALL_MEMBAR)
STALLED(asleep, STALL_SLEEPING)
#undef STALLED

/* A what-if, the source line it is about (the one with the largest amount, or
 * where no line is known the instruction), and what is told of that: of the
 * instruction that has most of it, or, where it ADDS up, of all of the line. */
enum {
    OF_ONE,
    ADDS
};

#define BEFORE " % of the warps' time is before it"
#define FOR_IT " % of the warps' time is for its result"

static const struct subject {
    const char *what_if;
    measure *amount, *figure;
    int adds;
    const char *text; /* behind the figure */
} subjects[] = {
    {"no-bank-conflicts", bank_conflicts, conflict_degree, OF_ONE,
     "-way bank conflicts"},
    {"coalesced", wasted_bytes, wasted_percent, OF_ONE,
     " % of the bytes it moves are not asked for"},
    {"no-constant-conflicts", constant_conflicts, constant_addresses, OF_ONE,
     " addresses a request"},
    {"no-atomic-conflicts", atomic_lanes, atomic_lanes, ADDS, " lanes"},
    {"free-atomics", atomic_lanes, atomic_lanes, ADDS, " lanes"},
    {"no-spills", local_bytes, local_percent, ADDS,
     " % of all bytes, of local memory"},
    {"local-in-shared", local_bytes, local_percent, ADDS,
     " % of all bytes, of local memory, each lane by an index of its own"},
    {"floats", conversions, conversions, ADDS, " conversions"},
    {"cheap-conversions", narrow_conversions, narrow_conversions, ADDS,
     " conversions"},
    {"no-fences", at_fences, at_fences, ADDS, BEFORE},
    {"no-sleep", asleep, asleep, ADDS, BEFORE},
    {"block-atomics", atomic_lanes, atomic_lanes, ADDS, " lanes"},
    {"no-register-conflicts", bank_reads, bank_ways, OF_ONE,
     " registers of one bank"},
    {"no-divergence", idle_lanes, mean_lanes, OF_ONE, " of 32 lanes active"},
    {"regrouped", idle_lanes, mean_lanes, OF_ONE, " of 32 lanes active"},
    {"more-loads", waited_for_memory, waited_percent, ADDS, FOR_IT},
    {"no-memory-latency", waited_for_memory, waited_percent, ADDS, FOR_IT},
    {"perfect-cache", waited_for_memory, waited_percent, ADDS, FOR_IT},
    {"warm-caches", waited_for_memory, waited_percent, ADDS, FOR_IT},
    {"unlimited-bandwidth", waited_for_memory, waited_percent, ADDS, FOR_IT},
    {"no-dependences", behind_arithmetic, behind_arithmetic, ADDS,
     BEFORE ", for arithmetic"},
    {"no-barriers", at_barriers, at_barriers, ADDS, BEFORE},
    {"no-instruction-misses", without_instruction, without_instruction, ADDS,
     BEFORE},
    {"no-constant-misses", without_constant, without_constant, ADDS, BEFORE},
    {"no-same-warp-gap", behind_itself, behind_itself, ADDS, BEFORE},
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

bool subjects_of_one_line(const struct by_pc *b, uint32_t i, uint32_t k)
{
    const struct teg_program *p = b->program;
    const struct teg_inst *x = &p->inst[i], *y = &p->inst[k];

    if (x->line == 0)
        return i == k;
    return x->line == y->line && x->call == y->call &&
           strcmp(teg_program_file(p, x), teg_program_file(p, y)) == 0;
}

/* `line` has room for the first instruction of each line. */
static void find_lines(struct subjects *s, uint32_t *line)
{
    uint32_t lines = 0;

    for (uint32_t i = 0; i < s->b->count; i++) {
        uint32_t k = s->b->program->inst[i].line != 0 ? lines : 0;

        s->first[i] = i;
        /* most often that of the one before */
        while (k > 0 && !subjects_of_one_line(s->b, i, line[k - 1]))
            k--;
        if (k > 0)
            s->first[i] = line[k - 1];
        else
            line[lines++] = i;
    }
}

int subjects_init(struct subjects *s, const struct by_pc *b,
                  const struct teg_gpu *gpu, uint64_t resident)
{
    uint32_t *line = calloc(b->count + 1, sizeof *line);

    *s = (struct subjects){.b = b, .gpu = gpu, .resident = (double)resident};
    s->waited = calloc(2 * ((size_t)b->count + 1), sizeof *s->waited);
    s->first = calloc(b->count + 1, sizeof *s->first);
    if (line == NULL || s->waited == NULL || s->first == NULL) {
        free(line);
        subjects_release(s);
        return say_memory();
    }
    s->sum = s->waited + b->count + 1;
    for (uint32_t i = 0; i < b->count; i++)
        s->bytes += (double)b->row[i].bytes;
    count_waits(b, s->waited);
    find_lines(s, line);
    free(line);
    return EXIT_DONE;
}

void subjects_release(struct subjects *s)
{
    free(s->waited);
    free(s->first);
    *s = (struct subjects){0};
}

/* The instruction with most of it in the line that has most of it; UINT32_MAX:
 * none has any. */
static uint32_t find_most(const struct subjects *s, measure *amount)
{
    uint32_t line = 0, most = UINT32_MAX;

    memset(s->sum, 0, s->b->count * sizeof *s->sum);
    for (uint32_t i = 0; i < s->b->count; i++) {
        double own = amount(s, i);

        s->sum[s->first[i]] += own > 0 ? own : 0;
    }
    for (uint32_t i = 1; i < s->b->count; i++)
        line = s->sum[i] > s->sum[line] ? i : line;
    for (uint32_t i = line; s->sum[line] > 0 && i < s->b->count; i++) {
        if (s->first[i] == line &&
            (most == UINT32_MAX || amount(s, i) > amount(s, most)))
            most = i;
    }
    return most;
}

/* Of all instructions of the line of `i`; `*count`: that have any. */
static double line_sum(const struct subjects *s, measure *of, uint32_t i,
                       uint32_t *count)
{
    double sum = 0;

    *count = 0;
    for (uint32_t k = s->first[i]; k < s->b->count; k++) {
        double own = s->first[k] == s->first[i] ? of(s, k) : 0;

        sum += own;
        *count += own > 0;
    }
    return sum;
}

uint32_t subject_find(const struct subjects *s, const char *what_if, char *out,
                      size_t size)
{
    const struct subject *subject = subject_of(what_if);
    const struct by_pc *b = s->b;
    char name[300], figure[80], others[40] = "";
    uint32_t most, count;
    double told;

    out[0] = '\0';
    if (subject == NULL || b->count == 0)
        return UINT32_MAX;
    most = find_most(s, subject->amount);
    if (most == UINT32_MAX)
        return UINT32_MAX;
    told = line_sum(s, subject->figure, most, &count);
    if (!subject->adds)
        told = subject->figure(s, most);
    else if (count > 1)
        snprintf(others, sizeof others, " and %u more there", count - 1);
    instruction_title(b->program, &b->program->inst[most], name, sizeof name);
    snprintf(figure, sizeof figure, told < 999.5 ? "%.3g%s" : "%.0f%s", told,
             subject->text);
    snprintf(out, size, "%s%s, %s", name, others, figure);
    return most;
}
