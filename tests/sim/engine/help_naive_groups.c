#include "tests/sim/engine/help_naive_state.h"

static int is_with(const struct sm *sm, const struct warp *v,
                   const struct warp *w)
{
    struct teg_block *block = sm->block[w->block].block;

    return v->resident && !v->finished && v->block == w->block &&
           teg_block_warp_id(block, v->stream) / 4 ==
               teg_block_warp_id(block, w->stream) / 4;
}

void naive_release_group(struct naive *n, struct sm *sm, const struct warp *w)
{
    for (uint32_t i = 0; i < WARPS_MAX; i++) {
        const struct warp *v = &sm->warp[i];

        if (is_with(sm, v, w) && !v->waits_for_group)
            return;
    }
    for (uint32_t i = 0; i < WARPS_MAX; i++) {
        struct warp *v = &sm->warp[i];

        if (!is_with(sm, v, w))
            continue;
        v->waits_for_group = 0;
        v->met_at = n->now + 1;
    }
}

static int anybody_owes(const struct sm *sm)
{
    for (uint32_t i = 0; i < WARPS_MAX; i++) {
        if (sm->warp[i].owes)
            return 1;
    }
    return 0;
}

int naive_cores_take(const struct naive *n, const struct sm *sm,
                     const struct warp *w)
{
    return naive_head(n, w)->op_class != CLASS_GMMA || w->owes ||
           (!anybody_owes(sm) && n->now >= sm->products_from);
}

void naive_pay_product(struct naive *n, struct sm *sm, struct warp *w)
{
    if (!w->owes)
        return;
    w->owes = 0;
    if (!anybody_owes(sm))
        sm->products_from = n->now + 1;
}

void naive_note_product(struct naive *n, struct sm *sm, struct warp *w)
{
    int begins = !w->owes;

    for (uint32_t i = 0; begins && i < WARPS_MAX; i++)
        sm->warp[i].owes = is_with(sm, &sm->warp[i], w);
    naive_pay_product(n, sm, w);
}
