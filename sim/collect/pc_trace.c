#include "sim/collect/pc_trace.h"

#include <stdlib.h>
#include <string.h>

enum {
    FIRST_POINTS = 1024
};

void pc_trace_init(struct pc_trace *t, const struct pc_trace_choice *choice)
{
    *t = (struct pc_trace){.choice = *choice};
}

void pc_trace_release(struct pc_trace *t)
{
    free(t->point);
    *t = (struct pc_trace){0};
}

static void on_start(void *self, const struct teg_gpu *gpu,
                     const struct teg_program *program, uint32_t sms)
{
    struct pc_trace *t = self;

    (void)gpu, (void)sms;
    t->program = program;
    t->points = 0;
    t->dropped = 0;
    t->failed = 0;
}

static int is_chosen(const struct pc_trace_choice *c, const struct sim_issue *e)
{
    if (c->by_slot)
        return e->sm == c->sm && e->slot >= c->warp_first &&
               e->slot <= c->warp_last && e->arrived <= c->cycle_last &&
               e->done >= c->cycle_first;
    return e->block >= c->block_first && e->block <= c->block_last &&
           e->warp_id >= c->warp_first && e->warp_id <= c->warp_last;
}

/* Returns room for one more point, or NULL. */
static struct pc_point *next_point(struct pc_trace *t)
{
    if (t->points == t->choice.points_max)
        return NULL;
    if (t->points == t->capacity) {
        size_t capacity = t->capacity != 0 ? t->capacity * 2 : FIRST_POINTS;
        struct pc_point *point = realloc(t->point, capacity * sizeof *point);

        if (point == NULL) {
            t->failed = 1;
            return NULL;
        }
        t->point = point;
        t->capacity = capacity;
    }
    return &t->point[t->points++];
}

static uint8_t longest_stall(const struct sim_issue *e)
{
    uint8_t longest = TEG_STALLS;

    for (uint8_t r = 0; r < TEG_STALLS; r++) {
        if (e->stall[r] != 0 &&
            (longest == TEG_STALLS || e->stall[r] > e->stall[longest]))
            longest = r;
    }
    return longest;
}

static void on_issue(void *self, const struct sim_issue *e)
{
    struct pc_trace *t = self;
    struct pc_point *p;

    if (!is_chosen(&t->choice, e))
        return;
    p = next_point(t);
    if (p == NULL) {
        t->dropped++;
        return;
    }
    *p = (struct pc_point){
        .cycle = e->cycle,
        .done = e->done,
        .block = e->block,
        .pc = t->program->inst[e->inst].pc,
        .sm = e->sm,
        .warp = e->warp_id,
        .slot = e->slot,
        .inst = e->inst,
        .mask = e->mask,
        .stalled = (uint32_t)(e->cycle - e->arrived),
        .reason = longest_stall(e),
    };
    memcpy(p->stall, e->stall, sizeof p->stall);
}

struct sim_listener pc_trace_listener(struct pc_trace *t)
{
    return (struct sim_listener){
        .self = t, .on_start = on_start, .on_issue = on_issue};
}
