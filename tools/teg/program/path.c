/*
 * The critical path: from the end of the program back along what each task,
 * and the host, waited for last.
 */
#include "tools/teg/program/program.h"

#include <math.h>

const char *timed_part_name(enum timed_part part)
{
    static const char *const names[TIMED_PARTS] = {
        [PART_COPIES] = "copies and sets", [PART_GAPS] = "gaps before launches",
        [PART_LATENCY] = "launch latency", [PART_HOST] = "the host",
        [PART_SYNC] = "synchronisations",
    };

    return names[part];
}

/* The call that put the task in: calls and tasks are in the same order. */
static uint32_t call_of(const struct sim_program *s, uint32_t task)
{
    uint32_t low = 0, high = s->calls;

    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;

        if (s->call[middle].task <= task)
            low = middle;
        else
            high = middle;
    }
    while (low > 0 && s->call[low].tasks == 0)
        low--;
    return low;
}

/* From `at` back over the host's calls to the last that had to wait; returns
 * the task that it waited for, TEG_SCORE_NONE at the beginning. */
static uint32_t follow_host(struct timed *p, uint32_t call, double at)
{
    const struct sim_program *s = &p->tasks;
    uint32_t host = s->call[call].host;

    for (uint32_t i = call; i > 0; i--) {
        const struct sim_program_call *c = &s->call[i - 1];

        if (c->host != host || c->wait == TEG_SCORE_NONE ||
            s->task[c->wait].end <= c->start)
            continue;
        p->part_us[PART_HOST] += fmax(at - c->end, 0);
        p->part_us[PART_SYNC] += fmax(c->end - s->task[c->wait].end, 0);
        return c->wait;
    }
    p->part_us[PART_HOST] += fmax(at, 0);
    return TEG_SCORE_NONE;
}

static void add_task(struct timed *p, const struct sim_program_task *t)
{
    double us = t->end - t->start;

    if (t->kind == SIM_TASK_LAUNCH)
        p->kernel[t->kernel].path_us += us;
    else if (t->kind == SIM_TASK_HOST)
        p->part_us[PART_HOST] += us;
    else if (t->kind != SIM_TASK_MARK)
        p->part_us[PART_COPIES] += us;
}

/* The task that the end of the program waited for: the last one, or what the
 * host waited for last. */
static uint32_t last_task(struct timed *p)
{
    const struct sim_program *s = &p->tasks;

    if (p->result.last != TEG_SCORE_NONE)
        return p->result.last;
    for (uint32_t i = s->calls; i > 0; i--) {
        const struct sim_program_call *c = &s->call[i - 1];

        if (c->wait == TEG_SCORE_NONE || c->end < p->result.us)
            continue;
        p->part_us[PART_SYNC] += fmax(c->end - s->task[c->wait].end, 0);
        return c->wait;
    }
    return TEG_SCORE_NONE;
}

void timed_find_path(struct timed *p)
{
    const struct sim_program *s = &p->tasks;
    uint32_t task = last_task(p);
    bool counts = true; /* else another task on the path ran beside it */

    for (uint32_t steps = 0; task != TEG_SCORE_NONE && steps <= s->tasks;
         steps++) {
        const struct sim_program_task *t = &s->task[task];
        const double from = t->start;

        if (counts)
            add_task(p, t);
        if (t->because == TEG_SCORE_NONE) {
            uint32_t call = call_of(s, task);

            p->part_us[PART_LATENCY] += fmax(from - s->call[call].start, 0);
            task = follow_host(p, call, s->call[call].start);
            counts = true;
            continue;
        }
        task = t->because;
        counts = s->task[task].end <= from;
        if (counts)
            p->part_us[PART_GAPS] += from - s->task[task].end;
    }
}
