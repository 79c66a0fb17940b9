#include "sim/sample/follow.h"

#include <stdlib.h>
#include <string.h>

#include "isa/base/array.h"
#include "isa/base/gcd.h"
#include "sim/engine/bulk.h"
#include "sim/memory/texels.h"

enum {
    FRACTION = 256, /* of a cycle */
    /* Cycles over which followers are spread, at most: farther apart requests
     * do not meet each other any less. */
    SPREAD_MAX = 512,
};

/* What a warp asks for: an access, of addresses or of texels, or a piece of a
 * bulk copy. */
struct asked {
    struct teg_access access;
    struct sim_values texels;
    struct sim_box box; /* of a copy, from this piece on; else empty */
};

/* A follower's warp. */
struct walk {
    struct teg_cursor cursor;
    struct sim_box box; /* the rest of a bulk copy that it has come to */
    uint32_t made;      /* requests so far */
    int ended;
};

struct follower {
    struct teg_block *block; /* owned */
    struct follower *next;   /* in the row of stragglers */
    uint32_t warps;
    uint32_t left; /* stragglers only: first warp that may not have ended */
    struct walk walk[];
};

/* A leader's block and those behind it. */
struct group {
    uint32_t warps;
    uint32_t followers;
    uint32_t interval; /* from follower to follower, fractions of a cycle */
    uint32_t due;      /* requests still to be followed */
    int ended;
    uint32_t *begun;             /* owned, [warps]: requests of the leader */
    struct follower *follower[]; /* owned, [count], NULL where there is none */
};

/* A leader's request that has still to be followed. */
struct trail {
    uint64_t due; /* fraction of a cycle: when the next follower makes it */
    uint32_t follower;
    uint32_t before;           /* followers that come before their leader */
    struct sim_misses *misses; /* owned */
};

struct sample_followers {
    struct sim_followers face;
    uint32_t count;                  /* behind each SM */
    const struct teg_gpu *gpu;       /* borrowed */
    const struct teg_kernel *kernel; /* borrowed */
    struct sim_windows windows;
    uint32_t sms;
    uint32_t turns;       /* SMs of the chip for each that leads */
    uint32_t step;        /* of these, from follower to follower */
    struct group **group; /* owned, [groups]: by leader; NULL once ended */
    uint64_t groups;
    size_t capacity;
    struct group *gathering; /* owned: the next leader's */
    uint32_t gathered;
    struct trail *trail; /* owned, [trails]: the earliest due on top */
    uint32_t trails, trail_capacity;
    struct sim_misses **idle; /* owned, [idles]: of trails that have ended */
    uint32_t idles;
    struct follower *first, **last; /* owned: stragglers in a row */
    struct sample_followed sum, leaders;
};

static uint32_t begin(void *self, const struct sim_request_of *of)
{
    struct sample_followers *f = self;
    struct group *g = f->group[of->block];

    return of->stream < g->warps ? g->begun[of->stream]++ : 0;
}

/* Whether the cursor stands at a request as a leader counts them: of global or
 * local memory, by any lane.  `a` is filled then. */
static int is_request(const struct sample_followers *f, struct teg_cursor *c,
                      struct teg_access *a)
{
    const struct teg_inst *inst = &f->kernel->program.inst[c->inst];

    return inst->space != SPACE_SHARED && inst->space != SPACE_CONST &&
           teg_cursor_access(c, a) &&
           sim_resolve_space(inst, a, &f->windows) != SPACE_SHARED;
}

/* Whether the cursor stands at an access to texels, which `v` has then. */
static int is_texels(const struct sample_followers *f, struct teg_cursor *c,
                     struct sim_values *v)
{
    if (f->kernel->program.inst[c->inst].values != VALUES_TEXELS ||
        c->mask == 0)
        return 0;
    sim_values_read(v, c);
    return 1;
}

/* Whether the cursor stands at a bulk copy, of which all is left then. */
static int begins_copy(const struct sample_followers *f, struct walk *w)
{
    const struct teg_inst *inst = &f->kernel->program.inst[w->cursor.inst];
    struct sim_values v;

    if (!teg_values_are_copy(inst->values) || w->cursor.mask == 0)
        return 0;
    sim_values_read(&v, &w->cursor);
    if (!sim_bulk_box(&v, inst->values, &w->box))
        w->box = (struct sim_box){0};
    return 1;
}

/* Steps to request `number` of the warp; returns 0 if it has none such. */
static int step_to(const struct sample_followers *f, struct walk *w,
                   uint32_t number, struct asked *a)
{
    while (!w->ended) {
        a->box = w->box;
        if (sim_box_left(&w->box)) {
            sim_plan_pass(&w->box);
            if (w->made++ == number)
                return 1;
            continue;
        }
        if (!teg_cursor_next(&w->cursor))
            w->ended = 1;
        else if (!begins_copy(f, w) &&
                 (is_texels(f, &w->cursor, &a->texels) ||
                  is_request(f, &w->cursor, &a->access)) &&
                 w->made++ == number)
            return 1;
    }
    return 0;
}

static void drop(struct follower *o)
{
    if (o == NULL)
        return;
    teg_block_free(o->block);
    free(o);
}

/* The next request of those whose leaders have ended. */
static struct walk *straggle(struct sample_followers *f, struct asked *a)
{
    struct follower *o;

    while ((o = f->first) != NULL) {
        for (; o->left < o->warps; o->left++) {
            struct walk *w = &o->walk[o->left];

            if (step_to(f, w, w->made, a))
                return w;
        }
        f->first = o->next;
        if (f->first == NULL)
            f->last = &f->first;
        drop(o);
    }
    return NULL;
}

/* ---- in the leaders' trails ----------------------------------------------- */

static void sift_down(struct sample_followers *f, uint32_t i)
{
    struct trail moved = f->trail[i];

    for (uint32_t child = 2 * i + 1; child < f->trails; child = 2 * i + 1) {
        if (child + 1 < f->trails &&
            f->trail[child + 1].due < f->trail[child].due)
            child++;
        if (f->trail[child].due >= moved.due)
            break;
        f->trail[i] = f->trail[child];
        i = child;
    }
    f->trail[i] = moved;
}

static void sift_up(struct sample_followers *f, uint32_t i)
{
    struct trail moved = f->trail[i];

    for (; i != 0 && f->trail[(i - 1) / 2].due > moved.due; i = (i - 1) / 2)
        f->trail[i] = f->trail[(i - 1) / 2];
    f->trail[i] = moved;
}

static int make_room(struct sample_followers *f)
{
    uint32_t capacity = f->trail_capacity * 2 + 64;
    struct trail *trail;
    struct sim_misses **idle;

    if (f->trails < f->trail_capacity)
        return 1;
    trail = realloc(f->trail, capacity * sizeof *trail);
    if (trail == NULL)
        return 0;
    f->trail = trail;
    idle = realloc(f->idle, capacity * sizeof(*idle));
    if (idle == NULL)
        return 0;
    f->idle = idle;
    f->trail_capacity = capacity;
    return 1;
}

/* Out of memory nobody follows, which the caller cannot act on any better. */
static void lead(void *self, const struct sim_misses *leader)
{
    struct sample_followers *f = self;
    struct group *g = f->group[leader->of.block];
    struct sim_misses *copy;

    if (g->followers == 0 || !make_room(f))
        return;
    copy = f->idles != 0 ? f->idle[--f->idles] : malloc(sizeof *copy);
    if (copy == NULL)
        return;
    memcpy(copy, leader, sim_misses_bytes(leader));
    g->due++;
    f->trail[f->trails] = (struct trail){
        .due = leader->now * FRACTION + g->interval, .misses = copy};
    /* Of what SMs ask in the same cycle the leader's part is anywhere. */
    if (g->interval == 0)
        f->trail[f->trails].before =
            (uint32_t)((leader->of.block + leader->number) %
                       (g->followers + 1));
    if (g->interval == 0 && f->trail[f->trails].before == 0)
        f->trail[f->trails].due += FRACTION;
    sift_up(f, f->trails++);
}

/* The SM of follower `i` behind one that leads: blocks that follow each other in
 * the grid are dealt to groups of SMs far apart. */
static uint32_t sm_of(const struct sample_followers *f, uint32_t leader,
                      uint32_t i)
{
    return leader + f->sms * ((i + 1) * f->step % f->turns);
}

/* Works out what follower `i` asks behind the leader. */
static int request_of(struct sample_followers *f,
                      const struct sim_misses *leader, uint32_t i,
                      struct sim_follower_request *r)
{
    struct follower *o = f->group[leader->of.block]->follower[i];
    const struct teg_inst *inst;
    struct asked asked;
    struct walk *w = NULL;

    if (o != NULL && leader->of.stream < o->warps &&
        step_to(f, &o->walk[leader->of.stream], leader->number, &asked))
        w = &o->walk[leader->of.stream];
    if (w == NULL)
        w = straggle(f, &asked);
    if (w == NULL)
        return 0;
    r->sm = sm_of(f, leader->sm, i);
    inst = &f->kernel->program.inst[w->cursor.inst];
    if (sim_box_left(&asked.box))
        sim_plan_bulk(&r->plan, f->gpu, inst->flags, &asked.box);
    else if (inst->values == VALUES_TEXELS)
        sim_plan_texels(&r->plan, f->gpu, inst->flags, asked.texels.mask,
                        asked.texels.value);
    else
        sim_plan_make(&r->plan, f->gpu, inst, &asked.access, &f->windows);
    sim_plan_place(&r->plan, r->sm, leader->of.place);
    return 1;
}

static void retire(struct sample_followers *f, uint64_t leader);

/* The trail on top has led its last follower. */
static void end_trail(struct sample_followers *f)
{
    struct sim_misses *misses = f->trail[0].misses;
    uint64_t leader = misses->of.block;
    struct group *g = f->group[leader];

    f->trail[0] = f->trail[--f->trails];
    if (f->trails != 0)
        sift_down(f, 0);
    f->idle[f->idles++] = misses;
    if (--g->due == 0 && g->ended)
        retire(f, leader);
}

static int next(void *self, uint64_t now, struct sim_follower_request *r)
{
    struct sample_followers *f = self;

    while (f->trails != 0 && f->trail[0].due / FRACTION <= now) {
        struct trail *t = &f->trail[0];
        uint32_t i = t->follower++;

        if (i == f->group[t->misses->of.block]->followers) {
            end_trail(f);
            continue;
        }
        r->leader = t->misses;
        r->cycle = t->due / FRACTION;
        t->due += f->group[t->misses->of.block]->interval;
        if (t->follower == t->before)
            t->due += FRACTION;
        sift_down(f, 0);
        if (request_of(f, r->leader, i, r))
            return 1;
    }
    return 0;
}

static void add(struct sample_followed *sum, const struct sim_request *r)
{
    sum->l2_sectors += r->l2_sectors;
    sum->l2_hits += r->l2_hits;
    sum->l2_joined += r->l2_joined;
    sum->dram_bytes += r->dram_bytes;
}

static void served(void *self, const struct sim_request *r)
{
    struct sample_followers *f = self;

    add(&f->sum, r);
}

static void led(void *self, const struct sim_request *r)
{
    struct sample_followers *f = self;

    add(&f->leaders, r);
}

static double found_share(const struct sample_followed *sum)
{
    return (double)(sum->l2_hits + sum->l2_joined) /
           (double)(sum->l2_sectors + sum->l2_joined);
}

double sample_followers_find_more(const struct sample_followers *f)
{
    if (f->sum.l2_sectors == 0 || f->leaders.l2_sectors == 0)
        return 0;
    return found_share(&f->sum) - found_share(&f->leaders);
}

struct sample_followed sample_followers_sum(const struct sample_followers *f)
{
    return f->sum;
}

/* A step that comes to each of so many before it comes to one again, and to parts
 * far apart. */
static uint32_t step_through(uint32_t count)
{
    uint32_t step = (uint32_t)(0.618 * count) + 1;

    while (teg_gcd(step, count) != 1)
        step++;
    return step;
}

/* ---- groups ---------------------------------------------------------------- */

teg_status sample_followers_new(const struct teg_gpu *gpu,
                                const struct teg_kernel *kernel, uint32_t sms,
                                uint32_t count, struct sample_followers **f,
                                struct teg_diag *d)
{
    *f = calloc(1, sizeof **f);
    if (*f == NULL)
        return teg_fail_memory(d);
    (*f)->face = (struct sim_followers){.self = *f,
                                        .begin = begin,
                                        .lead = lead,
                                        .next = next,
                                        .served = served,
                                        .led = led};
    (*f)->count = count;
    (*f)->gpu = gpu;
    (*f)->kernel = kernel;
    (*f)->windows = sim_windows_of(kernel, gpu);
    (*f)->sms = sms;
    (*f)->turns = (gpu->chip.sms + sms - 1) / sms; /* the last ones few */
    (*f)->step = step_through((*f)->turns);
    (*f)->last = &(*f)->first;
    return TEG_OK;
}

static void drop_group(const struct sample_followers *f, struct group *g)
{
    if (g == NULL)
        return;
    for (uint32_t i = 0; i < f->count; i++)
        drop(g->follower[i]);
    free(g->begun);
    free(g);
}

void sample_followers_free(struct sample_followers *f)
{
    if (f == NULL)
        return;
    for (uint64_t i = 0; i < f->groups; i++)
        drop_group(f, f->group[i]);
    drop_group(f, f->gathering);
    while (f->first != NULL) {
        struct follower *o = f->first;

        f->first = o->next;
        drop(o);
    }
    for (uint32_t i = 0; i < f->trails; i++)
        free(f->trail[i].misses);
    for (uint32_t i = 0; i < f->idles; i++)
        free(f->idle[i]);
    free(f->trail);
    free(f->idle);
    free(f->group);
    free(f);
}

static int gather(struct sample_followers *f)
{
    if (f->gathering == NULL) {
        f->gathering =
            calloc(1, sizeof *f->gathering +
                          f->count * sizeof f->gathering->follower[0]);
        f->gathered = 0;
    }
    return f->gathering != NULL;
}

teg_status sample_followers_add(struct sample_followers *f,
                                struct teg_block *block, struct teg_diag *d)
{
    uint32_t warps = teg_block_warps(block);
    struct follower *o = calloc(1, sizeof *o + warps * sizeof o->walk[0]);

    if (o == NULL || !gather(f)) {
        free(o);
        teg_block_free(block);
        return teg_fail_memory(d);
    }
    o->block = block;
    o->warps = warps;
    for (uint32_t i = 0; i < warps; i++)
        teg_cursor_init(&o->walk[i].cursor, block, i);
    f->gathering->follower[f->gathered++] = o;
    return TEG_OK;
}

teg_status sample_followers_lead(struct sample_followers *f, uint32_t warps,
                                 double interval, struct teg_diag *d)
{
    double spread = interval < SPREAD_MAX ? interval : SPREAD_MAX;
    struct group **room =
        teg_array_room(f->group, f->groups, &f->capacity, sizeof(*room));

    if (room != NULL)
        f->group = room;
    if (room == NULL || !gather(f))
        return teg_fail_memory(d);
    f->gathering->begun = calloc(warps, sizeof *f->gathering->begun);
    if (f->gathering->begun == NULL)
        return teg_fail_memory(d);
    f->gathering->warps = warps;
    f->gathering->followers = f->gathered;
    f->gathering->interval = (uint32_t)(spread * FRACTION / (f->gathered + 1));
    f->group[f->groups++] = f->gathering;
    f->gathering = NULL;
    return TEG_OK;
}

/* Followers lag behind where the leader's last requests stayed in its L1; only
 * what they have beyond the leader's is left. */
static int catch_up(const struct sample_followers *f, const struct group *g,
                    struct follower *o)
{
    struct asked asked;
    uint32_t left = o->warps;

    for (uint32_t i = o->warps; i-- != 0;) {
        uint32_t begun = i < g->warps ? g->begun[i] : 0;

        if (begun == 0 || o->walk[i].made >= begun ||
            step_to(f, &o->walk[i], begun - 1, &asked))
            left = o->walk[i].ended ? left : i;
    }
    o->left = left;
    return left < o->warps;
}

static void retire(struct sample_followers *f, uint64_t leader)
{
    struct group *g = f->group[leader];

    for (uint32_t i = 0; i < f->count; i++) {
        struct follower *o = g->follower[i];

        if (o == NULL || !catch_up(f, g, o))
            continue;
        *f->last = o;
        f->last = &o->next;
        g->follower[i] = NULL;
    }
    drop_group(f, g);
    f->group[leader] = NULL;
}

void sample_followers_end(struct sample_followers *f, uint64_t leader)
{
    f->group[leader]->ended = 1;
    if (f->group[leader]->due == 0)
        retire(f, leader);
}

const struct sim_followers *sample_followers_of_memory(
    const struct sample_followers *f)
{
    return &f->face;
}
