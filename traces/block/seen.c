#include "traces/block/seen.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

teg_status teg_seen_init(struct teg_seen *s, const uint32_t grid[3],
                         struct teg_diag *d)
{
    uint64_t plane = (uint64_t)grid[0] * grid[1]; /* cannot overflow */

    *s = (struct teg_seen){0};
    if (plane == 0 || grid[2] == 0 || plane > SEEN_BLOCKS_MAX ||
        plane * grid[2] > SEEN_BLOCKS_MAX)
        return TEG_OK;
    memcpy(s->grid, grid, sizeof s->grid);
    s->bit = calloc(1, (size_t)(plane * grid[2] / 8) + 1);
    return s->bit != NULL ? TEG_OK : teg_fail_memory(d);
}

void teg_seen_release(struct teg_seen *s)
{
    free(s->bit);
    *s = (struct teg_seen){0};
}

int teg_seen_again(struct teg_seen *s, const uint32_t position[3])
{
    const uint32_t *grid = s->grid;
    uint64_t number;
    uint8_t bit, *byte;
    int again;

    if (s->bit == NULL || position[0] >= grid[0] || position[1] >= grid[1] ||
        position[2] >= grid[2])
        return 0;
    number =
        ((uint64_t)position[2] * grid[1] + position[1]) * grid[0] + position[0];
    byte = &s->bit[number / 8];
    bit = (uint8_t)(1u << number % 8);
    again = (*byte & bit) != 0;
    *byte |= bit;
    return again;
}

/* ---- a launch under watch ------------------------------------------------- */

struct watch {
    struct teg_launch from; /* closed with this */
    struct teg_seen seen;
};

static void watch_close(void *self)
{
    struct watch *w = self;

    if (w->from.close != NULL)
        w->from.close(w->from.self);
    teg_seen_release(&w->seen);
    free(w);
}

static teg_status watch_next(void *self, struct teg_block **block,
                             struct teg_diag *d)
{
    struct watch *w = self;
    const uint32_t *at;
    char where[64];

    TRY(w->from.next(w->from.self, block, d));
    if (w->from.kernel->notes.failed) {
        teg_block_free(*block);
        *block = NULL;
        return teg_fail_memory(d);
    }
    if (*block == NULL)
        return TEG_OK;
    at = teg_block_position(*block);
    if (!teg_seen_again(&w->seen, at))
        return TEG_OK;
    snprintf(where, sizeof where, "block (%u,%u,%u)", at[0], at[1], at[2]);
    teg_notes_add(&w->from.kernel->notes, "block-repeated", where,
                  "expected each block once, found it again: it counts as "
                  "often as it is there");
    return TEG_OK;
}

teg_status teg_watch_blocks(struct teg_launch *launch, struct teg_diag *d)
{
    struct watch *w = calloc(1, sizeof *w);
    teg_status status = w != NULL
                            ? teg_seen_init(&w->seen, launch->kernel->grid, d)
                            : teg_fail_memory(d);

    if (status != TEG_OK || w->seen.bit == NULL) {
        free(w);
        if (status == TEG_OK)
            return TEG_OK;
        if (launch->close != NULL)
            launch->close(launch->self);
        *launch = (struct teg_launch){0};
        return status;
    }
    w->from = *launch;
    *launch = (struct teg_launch){w->from.kernel, w, watch_next, watch_close};
    return TEG_OK;
}
