/* Blocks that walk alike, and records behind another block's walks. */
#include "traces/block/walks.h"

#include <check.h>
#include <string.h>

#include "tests/help_launch.h"
#include "tests/help_suite.h"

enum {
    WARPS = 3,
    STEPS = 60,
    ROUNDS = 40,
};

static struct teg_program program;
static uint32_t alu, load;
static struct teg_block_builder *builder;

static void setup(void)
{
    struct teg_diag d;

    program = (struct teg_program){0};
    alu = help_arith(&program, CLASS_FADD, 1, 2, 3, 255);
    load = help_memory(&program, CLASS_LDG, SPACE_GLOBAL, INST_LOAD, 4, 4, 5);
    help_memory(&program, CLASS_STG, SPACE_GLOBAL, INST_STORE, 4, 4, 5);
    help_exit(&program);
    ck_assert(teg_block_builder_new(&program, &builder, &d) == TEG_OK);
}

static void teardown(void)
{
    teg_block_builder_free(builder);
    teg_program_release(&program);
}

/* A block whose walks follow from `walks`, its addresses from `addresses`; without
 * every second addition if it is `thin`. */
static struct teg_block *make(uint64_t walks, uint64_t addresses, int thin)
{
    struct teg_block *block;
    struct teg_diag d;
    uint32_t additions = 0;

    teg_block_builder_begin(builder, (uint32_t[]){1, 2, (uint32_t)addresses});
    for (uint32_t w = 0; w < WARPS; w++) {
        teg_block_builder_warp(builder, w + 1);
        for (uint32_t i = 0; i < STEPS; i++) {
            uint32_t inst = help_below(&walks, program.count);
            uint32_t mask = help_below(&walks, 4) == 0
                                ? (uint32_t)help_random(&walks)
                                : UINT32_MAX;
            uint64_t base = help_random(&addresses), lane[TEG_LANES];
            uint32_t stride = help_below(&addresses, 100);

            for (uint32_t l = 0; l < TEG_LANES; l++)
                lane[l] = stride < 90 ? base + 4ull * stride * l
                                      : help_random(&addresses);
            if (!thin || inst != alu || additions++ % 2 == 0)
                teg_block_builder_inst(builder, inst, mask, lane);
        }
    }
    ck_assert(teg_block_builder_open(builder, "t", &block, &d) == TEG_OK);
    return block;
}

START_TEST(blocks_walk_alike_whatever_their_addresses)
{
    uint64_t walks = (uint64_t)_i + 1;
    struct teg_block *a = make(walks, 10, 0), *b = make(walks, 11, 0);
    struct teg_block *c = make(walks + 1, 10, 0), *thin = make(walks, 10, 1);

    ck_assert(teg_block_walk_alike(a, b));
    ck_assert(!teg_block_walk_alike(a, c));
    ck_assert(!teg_block_walk_alike(a, thin));
    teg_block_free(a);
    teg_block_free(b);
    teg_block_free(c);
    teg_block_free(thin);
}
END_TEST

static void check_same_stream(struct teg_block *a, struct teg_block *b,
                              uint32_t stream)
{
    struct teg_cursor x, y;
    int more;

    ck_assert_uint_eq(teg_block_warp_id(a, stream),
                      teg_block_warp_id(b, stream));
    ck_assert_uint_eq(teg_block_warp_insts(a, stream),
                      teg_block_warp_insts(b, stream));
    teg_cursor_init(&x, a, stream);
    teg_cursor_init(&y, b, stream);
    do {
        struct teg_access p, q;

        more = teg_cursor_next(&x);
        ck_assert_int_eq(more, teg_cursor_next(&y));
        ck_assert(!more || (x.inst == y.inst && x.mask == y.mask));
        if (!more || !teg_cursor_access(&x, &p))
            continue;
        ck_assert(teg_cursor_access(&y, &q));
        for (uint32_t l = 0; l < TEG_LANES; l++) {
            if (x.mask >> l & 1)
                ck_assert_uint_eq(teg_access_lane(&p, l),
                                  teg_access_lane(&q, l));
        }
    } while (more);
}

/* What was found of one block, put in front of another's records, is what the other
 * would have come to. */
START_TEST(records_go_behind_the_walks_of_another_block)
{
    uint64_t walks = (uint64_t)_i + 1;
    struct teg_block *walker = make(walks, 10, 1), *from = make(walks, 11, 0);
    struct teg_block *wanted = make(walks, 11, 1), *found;
    struct teg_diag d;

    ck_assert(teg_block_walk_as(walker, from, &program, &found, &d) == TEG_OK);
    teg_block_free(walker);
    teg_block_free(from);
    ck_assert_mem_eq(teg_block_position(found), teg_block_position(wanted),
                     3 * sizeof(uint32_t));
    ck_assert_uint_eq(teg_block_warps(found), WARPS);
    for (uint32_t w = 0; w < WARPS; w++)
        check_same_stream(found, wanted, w);
    teg_block_free(found);
    teg_block_free(wanted);
}
END_TEST

int main(void)
{
    const struct help_test tests[] = {
        {blocks_walk_alike_whatever_their_addresses, ROUNDS},
        {records_go_behind_the_walks_of_another_block, ROUNDS},
    };
    Suite *suite = suite_create("traces/block/walks");
    TCase *c = tcase_create("all");
    SRunner *runner;
    int failed;

    tcase_add_checked_fixture(c, setup, teardown);
    for (size_t i = 0; i < sizeof tests / sizeof tests[0]; i++)
        tcase_add_loop_test(c, tests[i].test, 0, tests[i].loops);
    suite_add_tcase(suite, c);
    runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
