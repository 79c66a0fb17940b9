#include "tests/sim/engine/help_ring.h"

#include <stdlib.h>

enum {
    FULL = 0x100, /* where the mbarriers lie */
    EMPTY = 0x108,
    NAMED = 3,
    ROUNDS = 3,
};

#define NOBODY UINT64_MAX

void help_ring_program(struct help_ring *r, struct teg_program *p)
{
    r->values = 0;
    r->init = help_values(p, CLASS_ATOMS, SPACE_NONE, 0, VALUES_INIT);
    r->arrive = help_values(p, CLASS_ATOMS, SPACE_NONE, 0, VALUES_ARRIVE);
    r->test = help_values(p, CLASS_ATOMS, SPACE_NONE, 0, VALUES_TEST);
    r->load = help_values(p, CLASS_BULK, SPACE_NONE, INST_LOAD, VALUES_BULK);
    r->store = help_values(p, CLASS_BULK, SPACE_NONE, INST_STORE, VALUES_BULK);
    r->copy =
        help_values(p, CLASS_LDGSTS, SPACE_GLOBAL, INST_LOAD, VALUES_SHARED);
    r->sync =
        help_values(p, CLASS_BARRIER, SPACE_NONE, INST_BARRIER, VALUES_BARRIER);
    r->pass =
        help_values(p, CLASS_BARRIER, SPACE_NONE, INST_ARRIVE, VALUES_BARRIER);
    p->inst[r->copy].width = (uint16_t)(4u << help_below(r->state, 3));
}

struct stream {
    struct help_step *step;
    uint32_t count;
};

static void put(struct help_ring *r, struct stream *s, uint32_t inst,
                uint32_t mask, uint64_t a, uint64_t b, uint64_t c, uint64_t d)
{
    uint64_t *value = r->value[r->values++];

    if (r->values > HELP_RING_VALUES || s->count == HELP_RING_STEPS)
        abort();
    value[TEG_LANES] = a;
    value[TEG_LANES + 1] = b;
    value[TEG_LANES + 2] = c;
    value[TEG_LANES + 3] = d;
    s->step[s->count++] =
        (struct help_step){.inst = inst, .mask = mask, .lane = value};
}

/* Lanes far apart or side by side, in global and shared memory. */
static void put_copy(struct help_ring *r, struct stream *s)
{
    uint64_t apart = 4u << help_below(r->state, 6), *value;

    put(r, s, r->copy, UINT32_MAX, 4 * help_below(r->state, 64), 0, 0, 0);
    s->step[s->count - 1].stride = (int32_t)(4u << help_below(r->state, 6));
    value = r->value[r->values - 1];
    for (uint32_t l = 0; l < TEG_LANES; l++)
        value[l] = 0x4000 + l * apart;
}

static void fill(struct help_ring *r, struct stream *s)
{
    for (uint32_t n = help_below(r->state, 3); n != 0; n--) {
        if (help_below(r->state, 5) == 0)
            put_copy(r, s);
        else
            s->step[s->count++] = r->filler(r->self);
    }
}

/* Small and of several lines, and of more than a plan holds. */
static uint64_t random_bytes(struct help_ring *r)
{
    uint64_t most = help_below(r->state, 4) == 0 ? 700 : 30;

    return 16 * (1 + help_below(r->state, (uint32_t)most));
}

static void produce(struct help_ring *r, struct stream *s, uint32_t round,
                    uint32_t threads)
{
    uint64_t bytes[3], sum = 0;
    uint32_t copies = help_below(r->state, 4);

    for (uint32_t i = 0; i < copies; i++)
        sum += bytes[i] = random_bytes(r);
    if (threads != 0)
        put(r, s, r->test, 1, EMPTY, (round & 1) ^ 1, 0, 0);
    fill(r, s);
    put(r, s, r->arrive, 1, FULL, 1, sum, 0);
    for (uint32_t i = 0; i < copies; i++)
        put(r, s, r->load, 1, 0x400, 0x10000 + 16 * help_below(r->state, 4096),
            bytes[i], FULL);
    if (help_below(r->state, 3) == 0)
        put(r, s, r->store, 1, 0x400, 0x10000 + 16 * help_below(r->state, 4096),
            random_bytes(r), NOBODY);
    if (threads != 0)
        put(r, s, r->pass, UINT32_MAX, NAMED, threads, 0, 0);
    else
        put(r, s, r->test, 1, FULL, round & 1, 0, 0);
}

static void consume(struct help_ring *r, struct stream *s, uint32_t round,
                    uint32_t threads, uint32_t lanes)
{
    uint32_t asking = help_below(r->state, 2) ? UINT32_MAX : 1;

    if (help_below(r->state, 4) == 0)
        put(r, s, r->test, asking, FULL, 2, 0, 0);
    put(r, s, r->test, asking, FULL, round & 1, 0, 0);
    fill(r, s);
    put(r, s, r->sync, UINT32_MAX, NAMED, threads, 0, 0);
    put(r, s, r->arrive, lanes, EMPTY, 1, 0, 0);
}

void help_ring_block(struct help_ring *r, uint32_t warps,
                     struct help_step (*step)[HELP_RING_STEPS], uint32_t *count)
{
    uint32_t rounds = 1 + help_below(r->state, ROUNDS);
    uint32_t threads = warps > 1 ? TEG_LANES * warps : 0;
    uint32_t lanes = help_below(r->state, 2) ? 1 : 0xff;
    uint32_t arrivals = (uint32_t)__builtin_popcount(lanes) * (warps - 1);

    for (uint32_t w = 0; w < warps; w++) {
        struct stream s = {step[w], 0};

        if (w == 0) {
            put(r, &s, r->init, 1, FULL, 1, 0, 0);
            put(r, &s, r->init, 1, EMPTY, arrivals, 0, 0);
        }
        s.step[s.count++] =
            (struct help_step){.inst = r->block_barrier, .mask = UINT32_MAX};
        for (uint32_t i = 0; i < rounds; i++) {
            if (w == 0)
                produce(r, &s, i, threads);
            else
                consume(r, &s, i, threads, lanes);
        }
        if (w == 0)
            put(r, &s, r->test, 1, FULL, (rounds - 1) & 1, 0, 0);
        count[w] = s.count;
    }
}
