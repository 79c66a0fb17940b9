#include "traces/emulate/core/share.h"

#include <stdlib.h>

#include "isa/base/minmax.h"
#include "traces/emulate/core/flow.h"

teg_status emu_share_init(struct emu_share *s, struct emu_gang *gang,
                          uint32_t places, uint32_t cluster_blocks,
                          struct teg_diag *d)
{
    *s = (struct emu_share){
        .gang = gang, .places = places, .cluster_blocks = cluster_blocks};
    s->place = calloc(places, sizeof *s->place);
    return s->place != NULL ? TEG_OK : teg_fail_memory(d);
}

void emu_share_release(struct emu_share *s)
{
    free(s->place);
    *s = (struct emu_share){0};
}

static uint32_t earliest(const struct emu_share *s)
{
    uint64_t clock = UINT64_MAX;
    uint32_t found = EMU_NO_PLACE;

    for (uint32_t i = 0; i < s->places; i++) {
        const struct emu_place *p = &s->place[i];

        if (p->state <= PLACE_RUNS && p->clock < clock) {
            clock = p->clock;
            found = i;
        }
    }
    return found;
}

/* Those who asked in vain ask again. */
static void ask_again(struct emu_share *s)
{
    for (uint32_t i = 0; i < s->places; i++) {
        if (s->place[i].state == PLACE_WAITS)
            s->place[i].state = PLACE_RUNS;
    }
    s->turns = 0;
    s->ran = 0;
}

/* Who waits for another cluster's store is not seen to be released: all ask again
 * when nobody else gets on, and otherwise so seldom that it costs little. */
uint32_t emu_share_next(struct emu_share *s)
{
    uint32_t found = s->turns < s->places ? earliest(s) : EMU_NO_PLACE;

    if (found != EMU_NO_PLACE || !s->ran)
        return found;
    ask_again(s);
    return earliest(s);
}

void emu_share_begin(struct emu_share *s, uint32_t place, uint64_t number)
{
    struct emu_block *first = emu_share_block(s, place);

    for (uint32_t k = 0; k < s->cluster_blocks; k++)
        emu_block_begin(&first[k], s->place[place].clock);
    s->place[place].state = PLACE_RUNS;
    s->place[place].number = number;
}

void emu_share_close(struct emu_share *s, uint32_t place)
{
    s->place[place].state = PLACE_CLOSED;
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
    struct emu_warp *w = earliest_warp(first, s->cluster_blocks);

    if (w != NULL && w->fetch == FETCH_STANDS)
        w->fetch = FETCH_MAY;
    s->ran |= emu_cluster_run(first);
    w = earliest_warp(first, s->cluster_blocks);
    if (has_ended(first, s->cluster_blocks)) {
        p->state = PLACE_FREE;
        p->clock = latest_clock(first, s->cluster_blocks);
        s->turns++;
        return 1;
    }
    if (w != NULL) {
        p->state = PLACE_RUNS;
        p->clock = emu_clock(w);
        s->turns++;
        return 0;
    }
    p->state = PLACE_WAITS;
    return 0;
}
