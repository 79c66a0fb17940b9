/*
 * L1 and shared memory divided between launches that are on the chip together.
 *
 * Models: an SM divides its memory while nothing runs on it, so all launches of
 * a busy period, from one moment when the chip is idle to the next, have the L1
 * that the one leaves which leaves the least.  Which launches these are, a play
 * has said that estimates how they get on.
 * Leaves out: SMs that are idle while others are not.
 */
#include "tools/teg/program/program.h"

#include <math.h>
#include <stdlib.h>

/* Tasks, by when they begin. */
struct turn {
    double start;
    uint32_t task;
};

static int compare(const void *a, const void *b)
{
    const struct turn *x = a, *y = b;

    if (x->start < y->start || x->start > y->start)
        return x->start < y->start ? -1 : 1;
    return x->task < y->task ? -1 : 1;
}

static bool is_launch(const struct sim_program_task *t)
{
    return t->kind == SIM_TASK_LAUNCH && t->end > t->start;
}

/* Of the launches `turn[0]` to `turn[count - 1]`, the first `*end` are a busy
 * period: each but the first comes before the others have ended, or may. */
static uint32_t period_of(const struct timed *p, const struct turn *turn,
                          uint32_t count)
{
    uint32_t n = 0;
    double end = 0;

    do {
        end = fmax(end, p->tasks.task[turn[n++].task].end);
    } while (n < count && (turn[n].start < end ||
                           p->tasks.task[turn[n].task].dependent == 1));
    return n;
}

static void divide(const struct timed *p, const struct turn *turn,
                   uint32_t count, uint32_t *l1_bytes)
{
    uint32_t least = UINT32_MAX;

    for (uint32_t i = 0; i < count; i++) {
        uint32_t left = p->kernel[p->tasks.task[turn[i].task].kernel].l1_bytes;

        least = left < least ? left : least;
    }
    for (uint32_t i = 0; i < count; i++)
        l1_bytes[turn[i].task] = least;
}

uint32_t *timed_divide(const struct timed *p)
{
    uint32_t *l1_bytes = calloc(p->tasks.tasks + 1, sizeof *l1_bytes);
    struct turn *turn = malloc((p->tasks.tasks + 1) * sizeof *turn);
    uint32_t count = 0, n;

    for (uint32_t i = 0; turn != NULL && i < p->tasks.tasks; i++) {
        if (is_launch(&p->tasks.task[i]))
            turn[count++] = (struct turn){p->tasks.task[i].start, i};
    }
    if (turn == NULL || l1_bytes == NULL) {
        free(turn);
        free(l1_bytes);
        return NULL;
    }
    qsort(turn, count, sizeof *turn, compare);
    for (uint32_t i = 0; i < count; i += n) {
        n = period_of(p, &turn[i], count - i);
        divide(p, &turn[i], n, l1_bytes);
    }
    free(turn);
    return l1_bytes;
}
