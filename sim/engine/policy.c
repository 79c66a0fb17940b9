#include "sim/engine/policy.h"

static int lowest(uint64_t set)
{
    return set != 0 ? __builtin_ctzll(set) : SIM_NO_WARP;
}

/* The first of `set` after `last`, going round. */
static int next_after(uint64_t set, int last)
{
    uint64_t above = last >= 63 ? 0 : set & ~0ull << (last + 1);

    return lowest(above != 0 ? above : set);
}

static int pick_lrr(const struct sim_choice *c)
{
    return next_after(c->candidates, c->last);
}

/* The unfinished warps take turns, slot by slot, ready or not. */
static int pick_strict(const struct sim_choice *c)
{
    uint64_t set = c->alive;

    for (uint64_t skip = c->turn % (uint64_t)__builtin_popcountll(set);
         skip != 0; skip--)
        set &= set - 1;
    return c->candidates >> lowest(set) & 1 ? lowest(set) : SIM_NO_WARP;
}

/* The candidate that `before` puts first; equals go by index. */
static inline int first_of(const struct sim_choice *c,
                           int (*before)(const struct sim_choice *c, int v,
                                         int w))
{
    int best = lowest(c->candidates);

    for (uint64_t rest = c->candidates; rest != 0; rest &= rest - 1) {
        int w = lowest(rest);

        if (before(c, w, best))
            best = w;
    }
    return best;
}

/* Ages never tie: every warp has its own. */
static int is_older(const struct sim_choice *c, int v, int w)
{
    return c->age[v] < c->age[w];
}

static int is_younger(const struct sim_choice *c, int v, int w)
{
    return c->age[v] > c->age[w];
}

/* Those that have not issued yet come first. */
static int has_waited(const struct sim_choice *c, int v, int w)
{
    return c->free_from[v] < c->free_from[w];
}

static int is_of_older_block(const struct sim_choice *c, int v, int w)
{
    return c->block_age[v] != c->block_age[w]
               ? c->block_age[v] < c->block_age[w]
               : has_waited(c, v, w);
}

static int pick_oldest(const struct sim_choice *c)
{
    return first_of(c, is_older);
}

static int greedy(const struct sim_choice *c)
{
    return c->last != SIM_NO_WARP && c->candidates >> c->last & 1;
}

static int pick_gto(const struct sim_choice *c)
{
    if (greedy(c))
        return c->last;
    return first_of(c, is_older);
}

static int pick_gty(const struct sim_choice *c)
{
    if (greedy(c))
        return c->last;
    return first_of(c, is_younger);
}

static int pick_lri(const struct sim_choice *c)
{
    return first_of(c, has_waited);
}

/* Goes on with a warp as long as it leaves no slot empty or to others. */
static int pick_glri(const struct sim_choice *c)
{
    if (greedy(c) && c->free_from[c->last] == c->now)
        return c->last;
    return pick_lri(c);
}

static int pick_blri(const struct sim_choice *c)
{
    return first_of(c, is_of_older_block);
}

static int pick_gblri(const struct sim_choice *c)
{
    return greedy(c) ? c->last : pick_blri(c);
}

static const struct {
    sim_policy pick;
    int takes_turns;
} policies[] = {
    [POLICY_LRR] = {pick_lrr, 0},       [POLICY_STRICT] = {pick_strict, 1},
    [POLICY_GTO] = {pick_gto, 0},       [POLICY_GTY] = {pick_gty, 0},
    [POLICY_OLDEST] = {pick_oldest, 0}, [POLICY_LRI] = {pick_lri, 0},
    [POLICY_GLRI] = {pick_glri, 0},     [POLICY_BLRI] = {pick_blri, 0},
    [POLICY_GBLRI] = {pick_gblri, 0},
};

sim_policy sim_policy_of(enum teg_policy policy)
{
    return policies[policy].pick;
}

int sim_policy_takes_turns(enum teg_policy policy)
{
    return policies[policy].takes_turns;
}
