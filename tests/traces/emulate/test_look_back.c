/* k59 of tests/fixtures/kernels/: blocks that wait for what others write. */
#include <string.h>

#include "tests/help_kernel.h"
#include "tests/help_suite.h"

#define SM   help_generation[_i]
#define FILE "k59_look_back"

enum {
    BLOCKS = 40,
    LANES = 32,
};

/* The sums of all before, and how far each block has looked for them. */
struct scan {
    struct help_kernel k;
    int *in, *out, *depth;
};

static void open_scan(struct scan *s, unsigned sm)
{
    help_kernel_open(&s->k, sm, FILE, "look_back");
    s->in = help_buffer(&s->k, BLOCKS * LANES * sizeof *s->in);
    help_buffer(&s->k, BLOCKS * sizeof(uint64_t));
    s->out = help_buffer(&s->k, BLOCKS * sizeof *s->out);
    s->depth = help_buffer(&s->k, BLOCKS * sizeof *s->depth);
    for (int i = 0; i < BLOCKS * LANES; i++)
        s->in[i] = (int)(help_draw() % 100);
    s->k.ordered = 1;
}

static void expect_sums(const struct scan *s)
{
    int sum = 0;

    for (int b = 0; b < BLOCKS; b++) {
        for (int l = 0; l < LANES; l++)
            sum += s->in[b * LANES + l];
        ck_assert_int_eq(s->out[b], sum);
    }
}

static int deepest(const struct scan *s)
{
    int most = 0;

    for (int b = 0; b < BLOCKS; b++)
        most = s->depth[b] > most ? s->depth[b] : most;
    return most;
}

/* Blocks that began together come to their neighbors' words together, so that
 * these have no more than their own sums yet. */
START_TEST(who_began_together_looks_far_back)
{
    struct scan s;

    open_scan(&s, SM);
    help_run_kernel(&s.k, BLOCKS, 1, LANES, 1);
    expect_sums(&s);
    ck_assert_int_ge(deepest(&s), 4);
    help_expect_turns(&s.k, "its 40 blocks, 40 at once, went on to");
    help_kernel_close(&s.k);
}
END_TEST

/* One after the other each finds the sum of all right before it. */
START_TEST(blocks_apart_look_once)
{
    struct scan s;

    open_scan(&s, SM);
    ck_assert(emu_order_parse(&s.k.facts.order, "blocks"));
    help_run_kernel(&s.k, BLOCKS, 1, LANES, 1);
    expect_sums(&s);
    ck_assert_int_eq(deepest(&s), 1);
    help_expect_turns(&s.k, NULL);
    help_kernel_close(&s.k);
}
END_TEST

/* As far as there are places, whatever the threads. */
START_TEST(two_places_look_back_by_two)
{
    static const uint32_t jobs[] = {1, 2, 7};
    int depth[BLOCKS];

    for (int j = 0; j < 3; j++) {
        struct scan s;

        open_scan(&s, SM);
        s.k.facts.held_blocks = 2;
        s.k.facts.jobs = jobs[j];
        help_run_kernel(&s.k, BLOCKS, 1, LANES, 1);
        expect_sums(&s);
        ck_assert_int_le(deepest(&s), 2);
        if (j == 0)
            memcpy(depth, s.depth, sizeof depth);
        ck_assert_mem_eq(depth, s.depth, sizeof depth);
        help_kernel_close(&s.k);
    }
}
END_TEST

static void open_meeting(struct help_kernel *k, unsigned sm)
{
    help_kernel_open(k, sm, FILE, "meet");
    help_buffer(k, sizeof(int));
    help_buffer(k, BLOCKS * 64 * sizeof(int));
    k->facts.grid[0] = BLOCKS;
    k->facts.block[0] = 64;
    k->facts.limit.insts = 10000;
    k->ordered = 1;
}

/* A GPU that holds all blocks lets them meet without a cooperative launch; one
 * that does not would never end, and neither do blocks apart. */
START_TEST(blocks_meet_that_are_there_together)
{
    struct help_kernel k;

    open_meeting(&k, SM);
    ck_assert_msg(help_try_kernel(&k) == TEG_OK, "%s", k.d.what);
    help_kernel_close(&k);

    open_meeting(&k, SM);
    k.facts.held_blocks = BLOCKS - 1;
    ck_assert(help_try_kernel(&k) != TEG_OK);
    ck_assert_msg(strstr(k.d.what, "endless loop?") != NULL, "%s", k.d.what);
    help_kernel_close(&k);

    open_meeting(&k, SM);
    ck_assert(emu_order_parse(&k.facts.order, "blocks"));
    ck_assert(help_try_kernel(&k) != TEG_OK);
    help_kernel_close(&k);
}
END_TEST

HELP_MAIN("emulate look-back", 120,
          {who_began_together_looks_far_back, HELP_GENERATIONS},
          {blocks_apart_look_once, HELP_GENERATIONS},
          {two_places_look_back_by_two, HELP_GENERATIONS},
          {blocks_meet_that_are_there_together, HELP_GENERATIONS})
