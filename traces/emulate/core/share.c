#include "traces/emulate/core/share.h"

#include <stdlib.h>

#include "isa/base/minmax.h"
#include "traces/emulate/core/flow.h"

/* ---- places by their clocks: a heap ------------------------------------------- */

static int is_before(const struct emu_share *s, uint32_t a, uint32_t b)
{
    const struct emu_place *p = &s->place[a], *q = &s->place[b];

    return p->clock != q->clock ? p->clock < q->clock : a < b;
}

static void add(struct emu_share *s, uint32_t place)
{
    uint32_t at = s->queued++;

    for (; at > 0 && is_before(s, place, s->queue[(at - 1) / 2]);
         at = (at - 1) / 2)
        s->queue[at] = s->queue[(at - 1) / 2];
    s->queue[at] = place;
}

/* EMU_NO_PLACE: there is none. */
static uint32_t take_earliest(struct emu_share *s)
{
    uint32_t found = s->queue[0], last, at = 0, child;

    if (s->queued == 0)
        return EMU_NO_PLACE;
    last = s->queue[--s->queued];
    while ((child = 2 * at + 1) < s->queued) {
        if (child + 1 < s->queued &&
            is_before(s, s->queue[child + 1], s->queue[child]))
            child++;
        if (!is_before(s, s->queue[child], last))
            break;
        s->queue[at] = s->queue[child];
        at = child;
    }
    s->queue[at] = last;
    return found;
}

/* ---- turns ---------------------------------------------------------------------- */

teg_status emu_share_init(struct emu_share *s, struct emu_gang *gang,
                          uint32_t places, uint32_t cluster_blocks,
                          struct teg_diag *d)
{
    *s = (struct emu_share){
        .gang = gang, .places = places, .cluster_blocks = cluster_blocks};
    s->place = calloc(places, sizeof *s->place);
    s->queue = calloc(places, sizeof *s->queue);
    if (s->place == NULL || s->queue == NULL)
        return teg_fail_memory(d);
    for (uint32_t i = 0; i < places; i++)
        add(s, i);
    return TEG_OK;
}

void emu_share_release(struct emu_share *s)
{
    free(s->place);
    free(s->queue);
    *s = (struct emu_share){0};
}

/* Those who asked in vain ask again. */
static void ask_again(struct emu_share *s)
{
    for (uint32_t i = 0; i < s->places; i++) {
        if (s->place[i].state != PLACE_WAITS)
            continue;
        s->place[i].state = PLACE_RUNS;
        add(s, i);
    }
    s->turns = 0;
    s->ran = 0;
}

/* Who waits for another cluster's store is not seen to be released: all ask again
 * when nobody else gets on, and otherwise so seldom that it costs little. */
uint32_t emu_share_next(struct emu_share *s)
{
    if (s->ran && (s->queued == 0 || s->turns >= s->places))
        ask_again(s);
    return take_earliest(s);
}

void emu_share_begin(struct emu_share *s, uint32_t place, uint64_t number)
{
    struct emu_block *first = emu_share_block(s, place);

    for (uint32_t k = 0; k < s->cluster_blocks; k++)
        emu_block_begin(&first[k], s->place[place].clock);
    s->place[place].state = PLACE_RUNS;
    s->place[place].earliest = NULL;
    s->place[place].number = number;
    add(s, place);
}

/* The warp of the cluster that has something to do, and did not ask in vain, with
 * the earliest clock; NULL: none. */
static struct emu_warp *earliest_warp(struct emu_block *first, uint32_t blocks)
{
    struct emu_warp *found = NULL;

    for (uint32_t k = 0; k < blocks; k++) {
        for (uint32_t i = 0; i < first[k].warps; i++) {
            struct emu_warp *w = &first[k].warp[i];

            if (w->in[LANE_RUNS] != 0 && !w->in_vain &&
                (found == NULL || emu_clock(w) < emu_clock(found)))
                found = w;
        }
    }
    return found;
}

/* When the last warp of the cluster was where it is. */
static uint64_t latest_clock(const struct emu_block *first, uint32_t blocks)
{
    uint64_t clock = 0;

    for (uint32_t k = 0; k < blocks; k++) {
        for (uint32_t i = 0; i < first[k].warps; i++)
            clock = teg_max(clock, emu_clock(&first[k].warp[i]));
    }
    return clock;
}

static int has_ended(const struct emu_block *first, uint32_t blocks)
{
    for (uint32_t k = 0; k < blocks; k++) {
        if (first[k].alive != 0)
            return 0;
    }
    return 1;
}

int emu_share_run(struct emu_share *s, uint32_t place)
{
    struct emu_block *first = emu_share_block(s, place);
    struct emu_place *p = &s->place[place];
    struct emu_warp *w = p->earliest;

    if (w != NULL && w->fetch == FETCH_STANDS)
        w->fetch = FETCH_MAY;
    s->ran |= emu_cluster_run(first);
    p->earliest = w = earliest_warp(first, s->cluster_blocks);
    p->state = has_ended(first, s->cluster_blocks) ? PLACE_FREE
               : w != NULL                         ? PLACE_RUNS
                                                   : PLACE_WAITS;
    if (p->state == PLACE_WAITS)
        return 0;
    p->clock =
        w != NULL ? emu_clock(w) : latest_clock(first, s->cluster_blocks);
    s->turns++;
    add(s, place);
    return p->state == PLACE_FREE;
}
