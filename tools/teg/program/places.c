/* Where launches are: from when to when each has blocks on an SM. */
#include "tools/teg/program/program.h"

#include <stdlib.h>

#include "isa/base/array.h"

enum {
    PLACES_MAX = 1 << 18, /* that a viewer can be asked to show */
};

/* A launch that has blocks somewhere. */
struct active {
    uint32_t task;
    uint32_t sms; /* that have blocks of it */
    struct {
        uint32_t blocks;
        double from;
    } on[]; /* by SM */
};

void timed_places_release(struct timed_places *t)
{
    for (size_t i = 0; i < t->actives; i++)
        free(t->active[i]);
    free(t->active);
    free(t->place);
    *t = (struct timed_places){.sms = t->sms};
}

static struct active *find(struct timed_places *t, uint32_t task)
{
    struct active **room, *a;

    for (size_t i = 0; i < t->actives; i++) {
        if (t->active[i]->task == task)
            return t->active[i];
    }
    room = teg_array_room(t->active, t->actives, &t->active_capacity,
                          sizeof *room);
    if (room == NULL)
        return NULL;
    t->active = room;
    a = calloc(1, sizeof *a + t->sms * sizeof a->on[0]);
    if (a == NULL)
        return NULL;
    a->task = task;
    t->active[t->actives++] = a;
    return a;
}

static void keep(struct timed_places *t, struct timed_place place)
{
    struct timed_place *room =
        t->places < PLACES_MAX
            ? teg_array_room(t->place, t->places, &t->capacity, sizeof *room)
            : NULL;

    if (room == NULL) {
        t->left_out++;
        return;
    }
    t->place = room;
    t->place[t->places++] = place;
}

static void forget(struct timed_places *t, const struct active *a)
{
    size_t at = 0;

    while (t->active[at] != a)
        at++;
    free(t->active[at]);
    t->active[at] = t->active[--t->actives];
}

static void on_places(void *self, uint32_t task, uint32_t sm, int blocks,
                      double us)
{
    struct timed_places *t = self;
    struct active *a = find(t, task);

    if (a == NULL) {
        t->left_out++;
        return;
    }
    if (a->on[sm].blocks == 0) {
        a->on[sm].from = us;
        a->sms++;
    }
    a->on[sm].blocks += (uint32_t)blocks;
    if (a->on[sm].blocks != 0)
        return;
    keep(t, (struct timed_place){task, sm, a->on[sm].from, us});
    if (--a->sms == 0)
        forget(t, a);
}

struct sim_program_watch timed_places_watch(struct timed_places *t)
{
    return (struct sim_program_watch){t, on_places};
}

static int by_sm_and_start(const void *a, const void *b)
{
    const struct timed_place *x = a, *y = b;

    if (x->sm != y->sm)
        return x->sm < y->sm ? -1 : 1;
    if (x->from < y->from || x->from > y->from)
        return x->from < y->from ? -1 : 1;
    return x->task < y->task ? -1 : x->task > y->task;
}

void timed_places_sort(struct timed_places *t)
{
    if (t->places != 0)
        qsort(t->place, t->places, sizeof *t->place, by_sm_and_start);
}
