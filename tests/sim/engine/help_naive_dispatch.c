#include "tests/sim/engine/help_naive_state.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void naive_let(const struct naive *n, struct block *b)
{
    if (b->lets)
        return;
    b->lets = 1;
    b->of->letting++;
    b->of->let_at = naive_max(b->of->let_at, n->now);
}

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
        sm->block[b].of->ended++;
        naive_let(n, &sm->block[b]);
        ended++;
    }
    return ended;
}

/* How many more of the launch's blocks the SM has room for. */
static uint32_t free_places(const struct naive *n, const struct sm *sm,
                            const struct handing *h)
{
    const struct teg_gpu *gpu = n->gpu;
    uint32_t own = 0, places = 0, slots = 0, blocks = 0;
    uint32_t registers = 0, shared_bytes = 0;

    for (uint32_t i = 0; i < BLOCKS_MAX; i++) {
        const struct block *b = &sm->block[i];

        if (b->block == NULL)
            continue;
        own += b->of == h;
        blocks++;
        slots += teg_block_warps(b->block);
        registers += b->of->launch.registers;
        shared_bytes += b->of->launch.shared_bytes;
    }
    for (;;) {
        own++;
        blocks++;
        slots += h->launch.warps_per_block;
        registers += h->launch.registers;
        shared_bytes += h->launch.shared_bytes;
        if (own > h->launch.blocks_per_sm || blocks > gpu->sm.blocks_max ||
            slots > gpu->sm.warps_max || registers > gpu->sm.registers ||
            shared_bytes > gpu->sm.shared_bytes)
            return places;
        places++;
    }
}

static int place(struct naive *n, struct sm *sm, struct teg_block *block,
                 struct handing *h, uint64_t at, uint32_t cluster)
{
    uint32_t b = 0, slot = 0;

    if (free_places(n, sm, h) == 0)
        return 0;
    while (sm->block[b].block != NULL)
        b++;
    sm->block[b].block = block;
    sm->block[b].of = h;
    sm->block[b].cluster = cluster;
    sm->block[b].rank = n->cluster[cluster].blocks;
    n->cluster[cluster].place[n->cluster[cluster].blocks] = b;
    n->cluster[cluster].sm[n->cluster[cluster].blocks++] =
        (uint32_t)(sm - n->sm);
    sm->block[b].done = at + 1;
    sm->block[b].missing = sm->block[b].deeds = 0;
    sm->block[b].lets = 0;
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
        w->of = &h->of;
        w->number = h->launch.first_warp +
                    (uint32_t)h->handed_out * h->launch.warps_per_block + s;
        w->age = n->warps_started++;
        w->from = at;
        w->start = at + n->gpu->chip.dispatch_latency +
                   (uint64_t)s * n->gpu->chip.dispatch_warp_interval;
        teg_cursor_init(&w->cursor, block, s);
        w->finished = !teg_cursor_next(&w->cursor);
        if (w->finished && naive_awaits(h->of.program))
            naive_tell(n, w, teg_block_position(block)[0], 0, at, at);
    }
    return 1;
}

/* Groups of whole TPCs, dealt out as evenly as they go.  All SMs are one where
 * blocks have their places singly. */
static uint32_t group_of(const struct teg_gpu *gpu, uint32_t groups,
                         uint32_t sm)
{
    double tpcs = ceil((double)gpu->chip.sms / gpu->chip.sms_per_tpc);
    uint32_t tpc = sm / gpu->chip.sms_per_tpc, group = 0;

    while (group + 1 < groups && ceil((group + 1) * tpcs / groups) <= tpc)
        group++;
    return group;
}

/* Hands out the next cluster, or the next block where there are none; returns
 * 0 if there is none or no room. */
int naive_hand_out(struct naive *n, struct handing *h)
{
    struct teg_launch *launch = h->launch.launch;
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
        group = (group_of(gpu, groups, n->turn) + g) % groups;
        for (uint32_t i = 0; i < sms; i++) {
            if (group_of(gpu, groups, i) == group)
                places += free_places(n, &n->sm[i], h);
        }
        if (places >= h->waiting)
            break;
    }
    for (uint32_t b = 0; b < h->waiting; b++) {
        uint32_t first = 0, count = 0, i = 0, at;

        for (uint32_t s = sms; s-- > 0;) {
            if (group_of(gpu, groups, s) == group) {
                first = s;
                count++;
            }
        }
        n->hand_from = fmax(n->hand_from, (double)n->now);
        do {
            at = group_of(gpu, groups, n->turn) == group
                     ? first + (n->turn - first + i) % count
                     : first + i % count;
            i++;
        } while (!place(n, &n->sm[at], h->next[b], h,
                        (uint64_t)ceil(n->hand_from), n->clusters));
        h->handed_out++;
        n->hand_from += naive_256ths(gpu->chip.dispatch_interval);
        n->turn = (at + 1) % sms;
    }
    h->waiting = 0;
    n->clusters++;
    return 1;
}
