#include "tests/sim/engine/help_naive_state.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

uint32_t naive_retire(struct naive *n, struct sm *sm)
{
    uint32_t ended = 0;

    for (uint32_t b = 0; b < BLOCKS_MAX; b++) {
        uint32_t live = 0;

        if (sm->block[b].block == NULL)
            continue;
        for (uint32_t i = 0; i < WARPS_MAX; i++)
            live += sm->warp[i].resident && sm->warp[i].block == b &&
                    !sm->warp[i].finished;
        if (live != 0 || sm->block[b].done > n->now)
            continue;
        for (uint32_t i = 0; i < WARPS_MAX; i++) {
            if (sm->warp[i].resident && sm->warp[i].block == b)
                sm->warp[i].resident = 0;
        }
        teg_block_free(sm->block[b].block);
        sm->block[b].block = NULL;
        ended++;
    }
    return ended;
}

static uint32_t free_places(const struct naive *n, const struct sm *sm,
                            uint32_t warps, uint32_t blocks_per_sm)
{
    uint32_t resident = 0, free_slots = 0;

    for (uint32_t i = 0; i < BLOCKS_MAX; i++)
        resident += sm->block[i].block != NULL;
    for (uint32_t i = 0; i < n->gpu->sm.warps_max; i++)
        free_slots += !sm->warp[i].resident;
    if (resident >= blocks_per_sm)
        return 0;
    return free_slots / warps < blocks_per_sm - resident
               ? free_slots / warps
               : blocks_per_sm - resident;
}

static int place(struct naive *n, struct sm *sm, struct teg_block *block,
                 uint64_t number, uint64_t at, uint32_t blocks_per_sm,
                 uint32_t warps_per_block, uint32_t cluster)
{
    uint32_t b = 0, slot = 0;

    if (free_places(n, sm, teg_block_warps(block), blocks_per_sm) == 0)
        return 0;
    while (sm->block[b].block != NULL)
        b++;
    sm->block[b].block = block;
    sm->block[b].cluster = cluster;
    sm->block[b].rank = n->cluster[cluster].blocks;
    n->cluster[cluster].place[n->cluster[cluster].blocks] = b;
    n->cluster[cluster].sm[n->cluster[cluster].blocks++] =
        (uint32_t)(sm - n->sm);
    sm->block[b].done = at + 1;
    sm->block[b].missing = sm->block[b].deeds = 0;
    memset(sm->block[b].named, 0, sizeof sm->block[b].named);
    for (uint32_t s = 0; s < teg_block_warps(block); s++) {
        struct warp *w;

        while (sm->warp[slot].resident)
            slot++;
        w = &sm->warp[slot];
        memset(w, 0, sizeof *w);
        w->resident = 1;
        w->block = b;
        w->stream = s;
        w->number = (uint32_t)number * warps_per_block + s;
        w->age = n->warps_started++;
        w->from = at;
        w->start = at + n->gpu->chip.dispatch_latency;
        teg_cursor_init(&w->cursor, block, s);
        w->finished = !teg_cursor_next(&w->cursor);
    }
    return 1;
}

/* Hands out the next cluster, or the next block where there are none; returns
 * 0 if there is none or no room. */
int naive_hand_out(struct naive *n, struct handing *h,
                   struct teg_launch *launch)
{
    const struct teg_gpu *gpu = n->gpu;
    uint32_t size = launch->kernel->cluster[0], sms = gpu->chip.sms;
    uint32_t groups = size > 1 ? gpu->chip.gpcs : 1, group;
    struct teg_diag d;

    if (size == 0)
        size = 1;
    while (h->waiting < size && !h->all_read) {
        if (h->waiting != 0 && (h->handed_out + h->waiting) % size == 0)
            break;
        if (launch->next(launch->self, &h->next[h->waiting], &d) != TEG_OK)
            abort();
        h->all_read = h->next[h->waiting] == NULL;
        h->waiting += !h->all_read;
    }
    if (h->waiting == 0)
        return 0;
    for (uint32_t g = 0;; g++) {
        uint32_t places = 0;

        if (g == groups)
            return 0;
        group = (h->turn * groups / sms + g) % groups;
        for (uint32_t i = 0; i < sms; i++) {
            if (i * groups / sms == group)
                places += free_places(n, &n->sm[i], h->warps_per_block,
                                      h->blocks_per_sm);
        }
        if (places >= h->waiting)
            break;
    }
    for (uint32_t b = 0; b < h->waiting; b++) {
        uint32_t first = 0, count = 0, i = 0, at;

        for (uint32_t s = sms; s-- > 0;) {
            if (s * groups / sms == group) {
                first = s;
                count++;
            }
        }
        h->from = fmax(h->from, (double)n->now);
        do {
            at = h->turn * groups / sms == group
                     ? first + (h->turn - first + i) % count
                     : first + i % count;
            i++;
        } while (!place(n, &n->sm[at], h->next[b], h->handed_out,
                        (uint64_t)ceil(h->from), h->blocks_per_sm,
                        h->warps_per_block, (uint32_t)h->handed_out / size));
        h->handed_out++;
        h->from += naive_256ths(gpu->chip.dispatch_interval);
        h->turn = (at + 1) % sms;
    }
    h->waiting = 0;
    return 1;
}
