#define _DEFAULT_SOURCE /* lgamma_r */
#include "tools/curand/poisson.h"

#include <math.h>
#include <stdlib.h>

static double share(double lambda, unsigned k)
{
    int sign;

    return exp(k * log(lambda) - lambda - lgamma_r(k + 1.0, &sign));
}

/* The numbers that a double has a share of more than 0 for. */
static void find_range(struct rand_poisson *p, double lambda)
{
    unsigned first = 0, end;

    while (share(lambda, first) <= 0)
        first++;
    end = first;
    while (share(lambda, end) > 0)
        end++;
    p->shift = first;
    p->length = end - first;
}

static void add_up(double *level, unsigned length)
{
    double sum = 0;

    for (unsigned i = 0; i < length; i++) {
        sum += level[i];
        level[i] = sum < 1 - 1e-15 ? sum : 1;
    }
}

/*
 * A column for each number, all of the same area: what a number wants of its own
 * is filled up by one that has too much (Marsaglia, Tsang, Wang 2004, "Fast
 * generation of discrete random variables", 2.4).  Which one, is the library's
 * choice, as its results show: numbers that want are taken in turn, again and
 * again, and of those that have too much the last.
 */
static void square(double *level, unsigned *other, unsigned length, char *done)
{
    const double area = 1.0 / length;
    unsigned giver = length, idle = 0;

    for (unsigned i = 0; i < length; i++)
        other[i] = i;
    for (unsigned i = 0; idle < length; i = (i + 1) % length, idle++) {
        if (done[i] || level[i] >= area)
            continue;
        while (giver > 0 && level[giver - 1] <= area)
            giver--;
        if (giver == 0)
            break;
        other[i] = giver - 1;
        level[giver - 1] -= area - level[i];
        done[i] = 1;
        idle = 0;
    }
    for (unsigned i = 0; i < length; i++)
        level[i] = i * area + (done[i] ? level[i] : area);
}

int poisson_make(struct rand_poisson *p, double lambda, int is_searched)
{
    double *level;
    unsigned *other;
    char *done;

    find_range(p, lambda);
    level = calloc(p->length, sizeof *level);
    other = calloc(p->length, sizeof *other);
    done = calloc(p->length, 1);
    p->level = level;
    p->other = other;
    if (level != NULL && other != NULL && done != NULL) {
        for (unsigned i = 0; i < p->length; i++)
            level[i] = share(lambda, p->shift + i);
        if (is_searched)
            add_up(level, p->length);
        else
            square(level, other, p->length, done);
        free(done);
        return 1;
    }
    free(level);
    free(other);
    free(done);
    return 0;
}
