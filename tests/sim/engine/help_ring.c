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
    r->send = help_values(p, CLASS_STS, SPACE_NONE, 0, VALUES_SENT);
    r->load_box =
        help_values(p, CLASS_BULK, SPACE_NONE, INST_LOAD, VALUES_TENSOR);
    r->store_box =
        help_values(p, CLASS_BULK, SPACE_NONE, INST_STORE, VALUES_TENSOR);
    r->reduce_box =
        help_values(p, CLASS_BULK, SPACE_NONE, INST_ATOMIC, VALUES_REDUCED);
    r->add = help_values(p, CLASS_ATOMS, SPACE_NONE, INST_ATOMIC, VALUES_SENT);
    r->follow = help_inst(
        p, (struct teg_inst){.op_class = CLASS_ATOMS, .values = VALUES_ARRIVE},
        "ARRIVES.LDGSTSBAR.64 [UR5]");
    r->product = help_inst(
        p, (struct teg_inst){.op_class = CLASS_TCMMA, .values = VALUES_PRODUCT},
        "UTCHMMA gdesc[UR4], gdesc[UR6], tmem[UR8], tmem[UR4], idesc[UR5], "
        "UPT");
    r->commit = help_inst(
        p, (struct teg_inst){.op_class = CLASS_ATOMS, .values = VALUES_ARRIVE},
        "UTCBAR [UR4], URZ");
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

/* A box of `bytes` for the mbarrier, of which less may be in the tensor, or
 * nothing: rows side by side, close to each other, far apart. */
static void put_box(struct help_ring *r, struct stream *s, uint32_t inst,
                    uint64_t bytes, uint64_t mbarrier)
{
    uint64_t row = 1 + help_below(r->state, help_below(r->state, 4) ? 40 : 300);
    uint64_t *value, stride = row;

    put(r, s, inst, 1, 0x400, 0x10000 + help_below(r->state, 65536), bytes,
        mbarrier);
    value = &r->value[r->values - 1][TEG_LANES];
    value[4] = row;
    for (int i = 5; i < 9; i++) {
        uint64_t rows = 1 + help_below(r->state, i == 5 ? 20 : 2);

        if (help_below(r->state, 3) != 0)
            stride += help_below(r->state, 200);
        value[i] = rows << 48 | stride;
        stride *= rows;
    }
    if (help_below(r->state, 8) == 0) {
        value[1] = UINT64_MAX;
        for (int i = 4; i < 9; i++)
            value[i] = 0;
    }
}

/* A box that is combined with what is there. */
static void put_reduction(struct help_ring *r, struct stream *s)
{
    put_box(r, s, r->reduce_box, random_bytes(r), NOBODY);
    r->value[r->values - 1][TEG_LANES + 9] =
        (2u << help_below(r->state, 3)) + (help_below(r->state, 2) ? 256 : 0);
}

/* A shape and type, as isa/inst/product.h has them. */
static uint64_t random_product(struct help_ring *r)
{
    uint64_t rows = 64u << help_below(r->state, 2);
    uint64_t columns = 16 * (1 + help_below(r->state, 16));
    uint64_t depth = 8u << help_below(r->state, 4);
    uint64_t type = help_below(r->state, 10);

    return rows | columns << 16 | depth << 32 | type << 48 |
           (uint64_t)help_below(r->state, 4) << 56;
}

/* Copies or products that these lanes' news follow, which the phase waits for. */
static void put_followed(struct help_ring *r, struct stream *s, uint32_t lanes)
{
    int multiplies = help_below(r->state, 2) != 0;

    for (uint32_t n = help_below(r->state, 4); n != 0; n--) {
        if (multiplies)
            put(r, s, r->product, 1, random_product(r), 0, 0, 0);
        else
            put_copy(r, s);
    }
    put(r, s, multiplies ? r->commit : r->follow, lanes, FULL, 0, UINT64_MAX,
        0);
}

static void produce(struct help_ring *r, struct stream *s, uint32_t round,
                    uint32_t threads)
{
    uint64_t bytes[3], sum = 0;
    uint32_t copies = help_below(r->state, 4);
    uint32_t some = help_below(r->state, 2) ? UINT32_MAX : 0x1001;
    uint32_t followers = help_below(r->state, 3) == 0 ? some : 0;

    for (uint32_t i = 0; i < copies; i++)
        sum += bytes[i] = random_bytes(r);
    if (threads != 0)
        put(r, s, r->test, 1, EMPTY, (round & 1) ^ 1, 0, 0);
    fill(r, s);
    put(r, s, r->arrive, 1, FULL, 1,
        sum + (uint64_t)__builtin_popcount(followers), 0);
    if (followers != 0)
        put_followed(r, s, followers);
    for (uint32_t i = 0; i < copies; i++) {
        if (help_below(r->state, 2) == 0)
            put_box(r, s, r->load_box, bytes[i], FULL);
        else
            put(r, s, r->load, 1, 0x400,
                0x10000 + 16 * help_below(r->state, 4096), bytes[i], FULL);
    }
    if (help_below(r->state, 4) == 0)
        put_reduction(r, s);
    if (help_below(r->state, 4) == 0)
        put_box(r, s, r->store_box, random_bytes(r), NOBODY);
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

/* ---- across a cluster ---------------------------------------------------- */

enum { /* how a block fills the next one's buffer */
    FROM_GLOBAL,
    FROM_SHARED,
    BY_STORES,
    KINDS,
};

#define NEXT (UINT64_C(1) << 24)

static uint64_t stored(const struct help_ring_round *round)
{
    return 4 * (uint64_t)__builtin_popcount(round->lanes);
}

static void plan_rounds(struct help_ring *r)
{
    r->rounds = 1 + help_below(r->state, ROUNDS);
    for (uint32_t i = 0; i < r->rounds; i++) {
        struct help_ring_round *round = &r->round[i];

        round->copies = 1 + help_below(r->state, 3);
        round->lanes = help_below(r->state, 2) ? UINT32_MAX : 1;
        round->to_all = help_below(r->state, 3) == 0 ? random_bytes(r) : 0;
        round->twice = round->to_all % 3 == 0;
        for (uint32_t k = 0; k < round->copies; k++) {
            round->kind[k] = help_below(r->state, KINDS);
            round->bytes[k] =
                round->kind[k] == BY_STORES ? stored(round) : random_bytes(r);
        }
    }
}

static void put_fixed(struct stream *s, uint32_t inst)
{
    s->step[s->count++] = (struct help_step){.inst = inst, .mask = UINT32_MAX};
}

static void put_meeting(struct help_ring *r, struct stream *s)
{
    put_fixed(s, r->cluster_arrive);
    put_fixed(s, r->cluster_wait);
}

static void fill_next(struct help_ring *r, struct stream *s,
                      const struct help_ring_round *round)
{
    for (uint32_t k = 0; k < round->copies; k++) {
        uint64_t from = 0x10000 + 16 * help_below(r->state, 4096);

        if (round->kind[k] == BY_STORES)
            put(r, s, help_below(r->state, 2) ? r->send : r->add, round->lanes,
                NEXT + 0x400, 4, NEXT + FULL, 0);
        else
            put(r, s, r->load, 1, NEXT + 0x400,
                round->kind[k] == FROM_SHARED ? NOBODY : from, round->bytes[k],
                NEXT + FULL);
    }
}

static void produce_across(struct help_ring *r, struct stream *s, uint32_t i,
                           uint32_t rank, uint32_t blocks)
{
    const struct help_ring_round *round = &r->round[i];
    uint64_t sum = round->to_all * (round->twice ? 2 : 1);
    uint64_t all = (UINT64_C(1) << blocks) - 1;

    for (uint32_t k = 0; k < round->copies; k++)
        sum += round->bytes[k];
    if (i != 0)
        put(r, s, r->test, 1, FULL, (i - 1) & 1, 0, 0);
    put(r, s, r->test, 1, EMPTY, (i & 1) ^ 1, 0, 0);
    if (round->to_all != 0)
        put_meeting(r, s);
    fill(r, s);
    put(r, s, r->arrive, 1, FULL, 1, sum, 0);
    fill_next(r, s, round);
    if (round->to_all != 0 && rank == 0)
        put(r, s, r->load, 1, 0x400, 0x10000 + 16 * help_below(r->state, 4096),
            round->to_all, FULL | all << 32 | (round->twice ? all << 48 : 0));
}

static void consume_across(struct help_ring *r, struct stream *s, uint32_t i,
                           uint32_t blocks, uint32_t lanes)
{
    if (r->round[i].to_all != 0)
        put_meeting(r, s);
    put(r, s, r->test, help_below(r->state, 2) ? UINT32_MAX : 1, FULL, i & 1, 0,
        0);
    fill(r, s);
    put(r, s, r->arrive, lanes, NEXT * (blocks - 1) + EMPTY, 1, 0, 0);
}

void help_ring_cluster_block(struct help_ring *r, uint32_t warps, uint32_t rank,
                             uint32_t blocks,
                             struct help_step (*step)[HELP_RING_STEPS],
                             uint32_t *count)
{
    const uint32_t lanes = 0xff;
    int meets = help_below(r->state, 2);

    if (rank == 0)
        plan_rounds(r);
    for (uint32_t w = 0; w < warps; w++) {
        struct stream s = {step[w], 0};

        if (w == 0) {
            put(r, &s, r->init, 1, FULL, 1, 0, 0);
            put(r, &s, r->init, 1, EMPTY, 8 * (warps - 1), 0, 0);
        }
        put_meeting(r, &s);
        for (uint32_t i = 0; i < r->rounds; i++) {
            if (w == 0)
                produce_across(r, &s, i, rank, blocks);
            else
                consume_across(r, &s, i, blocks, lanes);
        }
        /* Else some leave before all has come that nobody waits for. */
        if (meets)
            put_meeting(r, &s);
        count[w] = s.count;
    }
}
