#include "tests/sim/engine/help_naive_state.h"

#include <stdlib.h>
#include <string.h>

static int is_candidate(const struct naive *n, const struct warp *w)
{
    return w->resident && !w->finished && w->from <= n->now &&
           naive_held(n, w) == -1 && !w->refused;
}

/* Does the warp that issued last go on? */
static int greedy(const struct naive *n, const struct warp *last,
                  uint32_t slots)
{
    switch (n->gpu->sm.policy) {
    case POLICY_GTO:
    case POLICY_GTY:
    case POLICY_GBLRI:
        return last != NULL && is_candidate(n, last);
    case POLICY_GLRI: /* unless a slot has gone by */
        return last != NULL && is_candidate(n, last) && last->issued_any &&
               slots == 1;
    default:
        return 0;
    }
}

static int issued_before(const struct warp *a, const struct warp *b)
{
    if (!a->issued_any || !b->issued_any)
        return !a->issued_any && b->issued_any;
    return a->last_issue < b->last_issue;
}

static int goes_before(const struct naive *n, const struct warp *a,
                       const struct warp *b)
{
    switch (n->gpu->sm.policy) {
    case POLICY_GTY:
        return a->age > b->age;
    case POLICY_BLRI:
    case POLICY_GBLRI:
        if (a->age - a->stream != b->age - b->stream)
            return a->age < b->age;
        return issued_before(a, b);
    case POLICY_LRI:
    case POLICY_GLRI:
        return issued_before(a, b);
    default:
        return a->age < b->age;
    }
}

/* The scheduler's slots are scheduler, scheduler + schedulers, ... */
static struct warp *choose(struct naive *n, struct sm *sm, uint32_t scheduler)
{
    uint32_t step = n->gpu->sm.schedulers, count = n->gpu->sm.warps_max / step;
    struct warp *best = NULL, *last = NULL;
    uint32_t alive = 0, turn;

    if (sm->last[scheduler] >= 0)
        last = &sm->warp[sm->last[scheduler]];
    switch (n->gpu->sm.policy) {
    case POLICY_LRR:
        for (uint32_t i = 1; i <= count; i++) {
            uint32_t from =
                last != NULL ? (uint32_t)(last - sm->warp) / step : count - 1;
            struct warp *w = &sm->warp[(from + i) % count * step + scheduler];

            if (is_candidate(n, w))
                return w;
        }
        return NULL;
    case POLICY_STRICT:
        for (uint32_t i = 0; i < count; i++) {
            const struct warp *w = &sm->warp[i * step + scheduler];

            alive += w->resident && !w->finished;
        }
        if (alive == 0)
            return NULL;
        turn = (uint32_t)(n->now / n->gpu->sm.issue_period % alive);
        for (uint32_t i = 0; i < count; i++) {
            struct warp *w = &sm->warp[i * step + scheduler];

            if (!w->resident || w->finished)
                continue;
            if (turn-- == 0)
                return is_candidate(n, w) ? w : NULL;
        }
        return NULL;
    default:
        break;
    }
    if (greedy(n, last, sm->slots[scheduler]))
        return last;
    for (uint32_t i = 0; i < count; i++) {
        struct warp *w = &sm->warp[i * step + scheduler];

        if (!is_candidate(n, w))
            continue;
        if (best == NULL || goes_before(n, w, best))
            best = w;
    }
    return best;
}

static void schedule(struct naive *n, uint32_t sm_number, uint32_t scheduler)
{
    struct sm *sm = &n->sm[sm_number];
    uint32_t step = n->gpu->sm.schedulers;
    struct instance *instance;
    struct warp *w;

    sm->reading[scheduler] = !naive_reads_fit(n, sm, scheduler);
    if (sm->reading[scheduler])
        return;
    sm->slots[scheduler]++;
    for (uint32_t i = scheduler; i < n->gpu->sm.warps_max; i += step) {
        w = &sm->warp[i];
        w->refused = 0;
        if (is_candidate(n, w))
            naive_ask_for_operand(n, sm, w, scheduler);
    }
    for (uint32_t i = scheduler; i < n->gpu->sm.warps_max; i += step) {
        w = &sm->warp[i];
        w->refused = is_candidate(n, w) &&
                     naive_open_instance(n, sm, w, scheduler) == NULL;
    }
    while ((w = choose(n, sm, scheduler)) != NULL) {
        if (naive_cores_take(n, sm, w) && naive_memory_takes(n, sm_number, w)) {
            naive_read(n, sm, scheduler, w);
            sm->slots[scheduler] = 0;
            w->issued_any = 1;
            w->last_inst = w->cursor.inst;
            instance = naive_open_instance(n, sm, w, scheduler);
            if (naive_is_shared(n, sm, instance))
                sm->first = (scheduler + 1) % step;
            naive_issue(n, sm, sm_number, w, scheduler, instance);
            sm->last[scheduler] = (int)(w - sm->warp);
            return;
        }
        w->refused = 1;
    }
}

/* Every resident warp's cycle gets its reason. */
static void account(struct naive *n, struct sm *sm)
{
    int slot = n->now % n->gpu->sm.issue_period == 0;

    for (uint32_t i = 0; i < n->gpu->sm.warps_max; i++) {
        struct warp *w = &sm->warp[i];
        int reason;

        if (!w->resident || w->from > n->now)
            continue;
        n->result->resident += w->issued_now || !w->finished;
        if (w->issued_now) {
            w->issued_now = 0;
            continue;
        }
        if (w->finished)
            continue;
        reason = naive_held(n, w);
        if (reason == -1 && slot)
            reason = sm->reading[i % n->gpu->sm.schedulers] ? STALL_REGISTERS
                     : w->refused ? naive_throttle(naive_head(n, w))
                                  : STALL_NOT_SELECTED;
        else if (reason == -1)
            reason = w->reason;
        w->reason = reason;
        n->result->warp[w->number].stall[reason]++;
    }
}

/* An answer is there at once if the phase was over when it was asked for. */
static int is_answered(const struct naive *n, const struct block *b,
                       struct warp *w)
{
    uint64_t end;

    if (w->answer_at == UINT64_MAX) {
        end = naive_phase_end(n, b, w->asked_mbarrier, w->asked_parity);
        if (end != UINT64_MAX)
            w->answer_at =
                end > w->phase_asked_at ? end + w->answer_takes : end;
    }
    return w->answer_at != UINT64_MAX && naive_over(n, w->answer_at);
}

/* Those who have asked for a phase look whether it is over. */
static void listen(struct naive *n, struct sm *sm)
{
    for (uint32_t i = 0; i < n->gpu->sm.warps_max; i++) {
        struct warp *w = &sm->warp[i];

        if (w->resident && !w->finished && w->asks)
            w->asks = !is_answered(n, &sm->block[w->block], w);
        if (w->resident && !w->finished && w->awaited != 0 &&
            naive_is_told(n, w))
            w->awaited = 0;
    }
}

static struct handing handing_of(const struct naive *n,
                                 const struct naive_launch *l, uint32_t number)
{
    const struct teg_kernel *k = l->launch->kernel;

    return (struct handing){
        .of = {.program = &k->program,
               .windows = {k->shared_base, k->local_base,
                           n->gpu->shared.remote_latency != 0 ? k->cluster[0]
                                                              : 1},
               .in_clusters = k->cluster[0] > 1,
               .number = number,
               .is_free = !l->early,
               .code = naive_code_of(n->gpu, l->code, &k->program)},
        .launch = *l,
    };
}

static int is_over(const struct handing *h)
{
    return h->all_read && h->waiting == 0;
}

/* One that depends on another, no sooner than that. */
static int has_ended(const struct handing *h)
{
    return is_over(h) && h->ended == h->handed_out && h->of.is_free;
}

/* The cycle in which the launch comes, as far as that is known. */
static uint64_t comes(const struct naive *n, const struct handing *h,
                      const struct handing *all)
{
    if (h->launch.after < 0)
        return h->launch.from;
    if (h->launch.early) {
        const struct handing *before = &all[h->launch.after];

        return is_over(before) && before->letting == before->handed_out
                   ? before->let_at + naive_max(h->launch.from, 1)
                   : UINT64_MAX;
    }
    if (!has_ended(&all[h->launch.after]))
        return UINT64_MAX;
    return h->launch.from + n->result->ended[h->launch.after];
}

/* Of those that have come and not all of whose blocks have places, the one to
 * go next that has not had its turn; NULL: none. */
static struct handing *next_of(const struct naive *n, struct handing *all,
                               uint32_t launches, const int *had)
{
    struct handing *best = NULL;
    uint32_t on_chip = 0;

    for (uint32_t i = 0; i < launches; i++)
        on_chip += all[i].handed_out != 0 && !has_ended(&all[i]);
    for (uint32_t i = 0; i < launches; i++) {
        struct handing *h = &all[i];

        if (had[i] || comes(n, h, all) > n->now || is_over(h))
            continue;
        if (h->handed_out == 0 && on_chip != 0 &&
            on_chip >= n->gpu->launch.grids_max)
            continue;
        if (best == NULL || h->launch.priority > best->launch.priority ||
            (h->launch.priority == best->launch.priority &&
             comes(n, h, all) < comes(n, best, all)))
            best = h;
    }
    return best;
}

/* Blocks get places, of one launch after the other, until one has to wait. */
static void hand_out(struct naive *n, struct handing *all, uint32_t launches)
{
    int had[NAIVE_LAUNCHES_MAX] = {0};
    struct handing *h;

    while ((h = next_of(n, all, launches, had)) != NULL) {
        uint32_t i = (uint32_t)(h - all);
        int is_new = h->handed_out == 0;

        had[i] = 1;
        while (naive_hand_out(n, h))
            ;
        if (is_new && (h->handed_out != 0 || is_over(h)))
            n->result->begun[i] = n->now;
        if (!is_over(h))
            return;
    }
}

/* Returns whether all have ended. */
static int note_ended(const struct naive *n, struct handing *all,
                      uint32_t launches)
{
    uint32_t ended = 0;

    for (uint32_t i = 0; i < launches; i++) {
        const struct naive_launch *l = &all[i].launch;

        if (l->early && !all[i].of.is_free && n->result->ended[l->after] != 0) {
            all[i].of.is_free = 1;
            all[i].of.seen = n->result->ended[l->after] +
                             naive_max(n->gpu->fence.gpu_latency, 1);
        }
        if (!has_ended(&all[i]))
            continue;
        if (n->result->ended[i] == 0)
            n->result->ended[i] = n->now;
        ended++;
    }
    return ended == launches;
}

int naive_run(const struct naive_launch *launch, uint32_t launches,
              const struct teg_gpu *gpu, uint64_t limit,
              struct naive_memory **memory, struct naive_result *result)
{
    struct naive n = {
        .gpu = gpu,
        .sm = calloc(gpu->chip.sms, sizeof *n.sm),
        .result = result,
    };
    struct handing all[NAIVE_LAUNCHES_MAX];

    memset(result, 0, sizeof *result);
    for (uint32_t i = 0; i < launches; i++)
        all[i] = handing_of(&n, &launch[i], i);
    for (uint32_t i = 0; i < gpu->chip.sms; i++)
        n.sm[i].constants.cold =
            *memory == NULL && gpu->constant.cold_from_dram;
    if (*memory == NULL)
        *memory = naive_memory_new(gpu, gpu->chip.sms, 0);
    else
        naive_memory_next_kernel(*memory, 0);
    n.memory = *memory;
    for (uint32_t i = 0; i < gpu->chip.sms; i++) {
        for (int s = 0; s < 4; s++)
            n.sm[i].last[s] = -1;
        n.sm[i].fetch = naive_fetch_new(gpu);
    }
    for (n.now = 0; n.now < limit; n.now++) {
        for (uint32_t i = 0; i < gpu->chip.sms; i++)
            naive_retire(&n, &n.sm[i]);
        if (note_ended(&n, all, launches))
            break;
        hand_out(&n, all, launches);
        for (uint32_t i = 0; i < gpu->chip.sms; i++) {
            listen(&n, &n.sm[i]);
            if (n.now % gpu->sm.issue_period == 0) {
                uint32_t first = n.sm[i].first;

                for (uint32_t s = 0; s < gpu->sm.schedulers; s++)
                    schedule(&n, i, (first + s) % gpu->sm.schedulers);
                naive_read_on(&n.sm[i]);
            }
            account(&n, &n.sm[i]);
        }
    }
    for (uint32_t i = 0; i < gpu->chip.sms; i++) {
        for (uint32_t b = 0; b < BLOCKS_MAX; b++)
            teg_block_free(n.sm[i].block[b].block);
        naive_fetch_free(n.sm[i].fetch);
    }
    result->cycles = n.cycles;
    for (uint32_t i = 0; i < launches; i++) {
        for (uint32_t b = 0; b < all[i].waiting; b++)
            teg_block_free(all[i].next[b]);
    }
    free(n.sm);
    return n.now < limit;
}
