#include "sim/engine/board.h"

#include "isa/base/array.h"
#include "isa/inst/values.h"
#include "sim/engine/lsu.h"
#include "sim/engine/sm.h"
#include "sim/engine/values.h"

static void add(struct sim_sm *sm, const struct sim_warp *w, uint32_t n,
                uint64_t done, uint64_t floor)
{
    const struct sim_resident *b = &sm->resident[w->resident];
    struct sim_tellings *all = &sm->tellings;
    struct sim_telling *at =
        teg_array_room(all->at, all->count, &all->capacity, sizeof *at);

    if (at == NULL) {
        sm->pending.failed = 1;
        return;
    }
    all->at = at;
    at[all->count++] = (struct sim_telling){
        .grid = b->grid,
        .name = teg_awaited(b->place, w->warp_id, n),
        .done = done,
        .floor = floor,
    };
}

void sim_board_tell(struct sim_sm *sm, struct sim_warp *w, uint32_t lanes,
                    const struct sim_times *t)
{
    w->tells++;
    if (lanes != 0)
        add(sm, w, w->tells, t->done,
            t->start + sim_memory_first_way(sm->chip->gpu));
}

void sim_board_leave(struct sim_sm *sm, const struct sim_warp *w, uint64_t now)
{
    add(sm, w, 0, now, now + sim_memory_first_way(sm->chip->gpu));
}

/* The cycle from which it is seen; NULL if that is not up. */
static const uint64_t *find(const struct sim_grid *grid, uint64_t name)
{
    const uint64_t *at = teg_number_map_find(&grid->board.at, name);

    return at != NULL ? at
                      : teg_number_map_find(&grid->board.at,
                                            name >> TEG_AWAITED_WARP
                                                        << TEG_AWAITED_WARP);
}

int sim_board_ask(struct sim_sm *sm, struct sim_warp *w,
                  const struct sim_values *v)
{
    uint64_t name = sim_value_first(v, 0);
    const uint64_t *at;

    if (name == 0)
        return 1;
    at = find(w->grid, name);
    if (at == NULL) {
        w->parked = SIM_PARKED_WORD;
        w->waits_name = name;
        sm->awaiting++;
        return 0;
    }
    sim_warp_hold(w, STALL_LONG, *at);
    return 1;
}

void sim_board_close(struct sim_sm *sm)
{
    for (size_t i = 0; i < sm->tellings.count; i++) {
        struct sim_telling *t = &sm->tellings.at[i];

        if (t->done >= SIM_OPEN)
            t->done =
                sim_pending_at(&sm->pending, (uint32_t)(t->done - SIM_OPEN))
                    ->issue.done;
    }
}

static void let_go_on(struct sim_sm *sm, struct sim_warp *w, uint64_t at)
{
    w->parked = SIM_NOT_PARKED;
    sm->awaiting--;
    sim_warp_hold(w, STALL_LONG, at);
    sim_sm_await(sm, w);
    sm->wake = teg_min(sm->wake, sm->scheduler[w->scheduler].wake);
}

/* Those who wait: whom `at` says a cycle for goes on. */
static uint32_t look_at_parked(struct sim_sm *sm, uint64_t now)
{
    uint32_t some = 0, warps = sm->chip->gpu->sm.warps_max;

    for (uint32_t i = 0; i < warps && sm->awaiting != 0; i++) {
        struct sim_warp *w = &sm->warp[i];
        const uint64_t *at;

        if (w->parked != SIM_PARKED_WORD)
            continue;
        at = now != SIM_NEVER ? &now : find(w->grid, w->waits_name);
        if (at == NULL)
            continue;
        let_go_on(sm, w, *at);
        some++;
    }
    return some;
}

int sim_board_put_up(struct sim_sm *sm, uint32_t sms)
{
    size_t told = 0;

    for (uint32_t i = 0; i < sms; i++) {
        for (size_t k = 0; k < sm[i].tellings.count; k++, told++) {
            const struct sim_telling *t = &sm[i].tellings.at[k];

            if (!teg_number_map_put(&t->grid->board.at, t->name,
                                    teg_max(t->done, t->floor)))
                return 0;
        }
        sm[i].tellings.count = 0;
    }
    for (uint32_t i = 0; i < sms && told != 0; i++)
        look_at_parked(&sm[i], SIM_NEVER);
    return 1;
}

uint32_t sim_board_give_up(struct sim_sm *sm, uint32_t sms, uint64_t now)
{
    uint32_t some = 0;

    for (uint32_t i = 0; i < sms; i++)
        some += look_at_parked(&sm[i], now);
    return some;
}
