/* What-ifs of another program: what is executed, and by whom. */
#include "sim/teg.h"
#include "tests/help_gpu.h"
#include "tests/help_launch.h"
#include "traces/block/block.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

static const uint32_t FULL = 0xffffffffu, ODD = 0xaaaaaaaau, EVEN = 0x55555555u;

enum {
    STEPS_MAX = 64,
    WARPS = 4
};

static struct teg_gpu gpu;
static struct help_launch source;
static struct teg_launch launch;
static struct teg_diag diag;
static struct help_step step[WARPS][STEPS_MAX];
static struct help_warp warp[WARPS];
static struct {
    uint32_t add, other, sync, exit;
} inst;

static void setup(void)
{
    struct teg_program *p = &source.kernel.program;

    help_gpu_plain(&gpu);
    memset(&source, 0, sizeof source);
    memset(warp, 0, sizeof warp);
    for (uint32_t w = 0; w < WARPS; w++)
        warp[w].step = step[w];
    source.kernel.grid[0] = source.kernel.grid[1] = source.kernel.grid[2] = 1;
    source.kernel.block[0] = 128;
    source.kernel.block[1] = source.kernel.block[2] = 1;
    inst.add = help_arith(p, CLASS_IADD, 4, 5, 6, 255);
    inst.other = help_arith(p, CLASS_FMAD, 7, 8, 9, 10);
    inst.sync = help_barrier(p);
    inst.exit = help_exit(p);
}

static void teardown(void)
{
    if (launch.close != NULL)
        launch.close(launch.self);
    launch = (struct teg_launch){0};
    help_launch_release(&source);
}

static void add(uint32_t w, uint32_t i, uint32_t mask, uint32_t times)
{
    for (; times > 0; times--)
        step[w][warp[w].steps++] =
            (struct help_step){.inst = i, .mask = mask, .base = 64 * w};
}

static void open_with(const char *name, uint32_t warps)
{
    source.warp = warp;
    source.blocks = 1;
    source.warps_per_block = warps;
    help_launch_open(&source, &launch);
    ck_assert_msg(teg_whatif_apply(name, &gpu, &launch, &diag) == TEG_OK,
                  "%s: %s: %s", name, diag.where, diag.what);
}

/* NULL behind the last. */
static struct teg_block *take_block(void)
{
    struct teg_block *block;

    ck_assert_msg(launch.next(launch.self, &block, &diag) == TEG_OK, "%s: %s",
                  diag.where, diag.what);
    return block;
}

/* Executions of `i` in a stream, and how many lanes they have together. */
static uint32_t executions(struct teg_block *block, uint32_t stream, uint32_t i,
                           uint32_t *lanes)
{
    struct teg_cursor c;
    uint32_t count = 0, active = 0;

    teg_cursor_init(&c, block, stream);
    while (teg_cursor_next(&c)) {
        if (c.inst != i)
            continue;
        count++;
        active += (uint32_t)__builtin_popcount(c.mask);
    }
    if (lanes != NULL)
        *lanes = active;
    return count;
}

START_TEST(half_of_each_class_is_left)
{
    uint32_t load = help_memory(&source.kernel.program, CLASS_LDG, SPACE_GLOBAL,
                                INST_LOAD, 4, 5, 2);
    struct teg_block *block;

    add(0, inst.add, FULL, 6);
    add(0, load, FULL, 2);
    add(0, inst.other, FULL, 3);
    add(0, inst.sync, FULL, 2);
    add(0, inst.exit, FULL, 1);
    open_with("half-instructions", 1);
    block = take_block();
    ck_assert_uint_eq(executions(block, 0, inst.add, NULL), 3);
    ck_assert_uint_eq(executions(block, 0, inst.other, NULL), 2);
    ck_assert_uint_eq(executions(block, 0, load, NULL), 2);
    ck_assert_uint_eq(executions(block, 0, inst.sync, NULL), 2);
    ck_assert_uint_eq(executions(block, 0, inst.exit, NULL), 1);
    teg_block_free(block);
}
END_TEST

START_TEST(floats_take_the_place_of_doubles)
{
    struct teg_program *p = &source.kernel.program;
    const struct teg_inst wide = {.op_class = CLASS_DFMA},
                          convert = {.op_class = CLASS_CONVERT64};
    uint32_t fma = help_inst(p, wide, "DFMA R2, R4, R6, R8"),
             up = help_inst(p, convert, "F2F.F64.F32 R2, R4"),
             down = help_inst(p, convert, "@P0 F2F.F32.F64 R2, R4"),
             whole = help_inst(p, convert, "I2F.F64 R2, R4");
    struct teg_block *block;

    add(0, up, FULL, 1);
    add(0, fma, FULL, 1);
    add(0, down, FULL, 1);
    add(0, whole, FULL, 1);
    open_with("floats", 1);
    block = take_block();
    ck_assert_uint_eq(executions(block, 0, fma, NULL), 1);
    ck_assert_uint_eq(executions(block, 0, whole, NULL), 1);
    ck_assert_uint_eq(
        executions(block, 0, up, NULL) + executions(block, 0, down, NULL), 0);
    ck_assert_uint_eq(launch.kernel->program.inst[fma].op_class, CLASS_FMAD);
    ck_assert_uint_eq(launch.kernel->program.inst[whole].op_class,
                      CLASS_CONVERT);
    teg_block_free(block);
}
END_TEST

START_TEST(a_function_is_one_instruction_of_its_line)
{
    struct teg_program *p = &source.kernel.program;
    struct teg_inst mul = {.op_class = CLASS_FMUL, .line = 7},
                    special = {.op_class = CLASS_SFU_TRIG, .line = 7},
                    other = {.op_class = CLASS_FMUL, .line = 8},
                    inverse = {.op_class = CLASS_SFU, .line = 9};
    uint32_t scale = help_inst(p, mul, "FMUL R2, R4, R6"),
             power = help_inst(p, special, "MUFU.EX2 R2, R4"),
             apart = help_inst(p, other, "FMUL R2, R4, R6"),
             quotient = help_inst(p, inverse, "MUFU.RCP R2, R4"),
             check = help_inst(p, inverse, "FCHK P0, R2, R4");
    struct teg_block *block;

    add(0, scale, FULL, 1);
    add(0, power, FULL, 1);
    add(0, apart, FULL, 1);
    add(0, quotient, FULL, 1);
    add(0, check, FULL, 1);
    open_with("cheap-functions", 1);
    block = take_block();
    ck_assert_uint_eq(executions(block, 0, scale, NULL), 0);
    ck_assert_uint_eq(executions(block, 0, power, NULL), 1);
    ck_assert_uint_eq(executions(block, 0, apart, NULL), 1);
    ck_assert_uint_eq(executions(block, 0, quotient, NULL), 1);
    ck_assert_uint_eq(executions(block, 0, check, NULL), 0);
    ck_assert_uint_eq(launch.kernel->program.inst[power].op_class, CLASS_FMAD);
    ck_assert_uint_eq(launch.kernel->program.inst[quotient].op_class,
                      CLASS_SFU);
    teg_block_free(block);
}
END_TEST

START_TEST(a_conversion_is_a_move)
{
    struct teg_program *p = &source.kernel.program;
    struct teg_inst narrow = {.op_class = CLASS_CONVERT},
                    wide = {.op_class = CLASS_CONVERT64},
                    special = {.op_class = CLASS_SFU};
    uint32_t a = help_inst(p, narrow, "I2F R2, R4"),
             b = help_inst(p, wide, "F2F.F64.F32 R2, R4"),
             c = help_inst(p, special, "MUFU.RSQ R2, R4");
    struct teg_block *block;

    add(0, a, FULL, 1);
    add(0, b, FULL, 1);
    add(0, c, FULL, 1);
    open_with("cheap-conversions", 1);
    block = take_block();
    ck_assert_uint_eq(executions(block, 0, a, NULL), 1);
    ck_assert_uint_eq(launch.kernel->program.inst[a].op_class, CLASS_MOV);
    ck_assert_uint_eq(launch.kernel->program.inst[b].op_class, CLASS_MOV);
    ck_assert_uint_eq(launch.kernel->program.inst[c].op_class, CLASS_SFU);
    teg_block_free(block);
}
END_TEST

START_TEST(a_product_of_a_group_has_its_a_in_registers)
{
    struct teg_program *p = &source.kernel.program;
    struct teg_inst group = {.op_class = CLASS_GMMA},
                    single = {.op_class = CLASS_HMMA};
    uint32_t a = help_inst(p, group, "HGMMA.SP.64x8x32.F32 R24, gdesc[UR8]"),
             b = help_inst(p, single, "HMMA.16816.F32 R2, R4, R6, R2");

    add(0, a, FULL, 1);
    add(0, b, FULL, 1);
    open_with("a-in-registers", 1);
    teg_block_free(take_block());
    ck_assert_uint_eq(
        source.kernel.program.inst[a].tensor.flags & TENSOR_REGISTERS, 0);
    ck_assert_uint_ne(
        launch.kernel->program.inst[a].tensor.flags & TENSOR_REGISTERS, 0);
    ck_assert_uint_eq(
        launch.kernel->program.inst[b].tensor.flags & TENSOR_REGISTERS, 0);
}
END_TEST

START_TEST(fences_are_dropped_with_what_follows_them)
{
    struct teg_program *p = &source.kernel.program;
    const struct teg_inst fence = {.op_class = CLASS_MEMBAR};
    const char *const text[] = {"MEMBAR.SC.GPU", "ERRBAR", "CCTL.IVALL",
                                "DEPBAR.LE SB0, 0x0"};
    uint32_t index[4], left = 0;
    struct teg_block *block;

    for (uint32_t i = 0; i < 4; i++) {
        index[i] = help_inst(p, fence, text[i]);
        add(0, index[i], FULL, 1);
    }
    open_with("no-fences", 1);
    block = take_block();
    for (uint32_t i = 0; i < 3; i++)
        left += executions(block, 0, index[i], NULL);
    ck_assert_uint_eq(left, 0);
    ck_assert_uint_eq(executions(block, 0, index[3], NULL), 1);
    teg_block_free(block);
}
END_TEST

START_TEST(nobody_sleeps)
{
    struct teg_program *p = &source.kernel.program;
    const struct teg_inst nop = {.op_class = CLASS_NOP};
    const char *const text[] = {"NANOSLEEP 0x1c2", "@P0 NANOSLEEP R4", "YIELD"};
    struct teg_block *block;
    uint32_t index[3];

    for (uint32_t i = 0; i < 3; i++) {
        index[i] = help_inst(p, nop, text[i]);
        add(0, index[i], FULL, 1);
    }
    open_with("no-sleep", 1);
    block = take_block();
    ck_assert_uint_eq(executions(block, 0, index[0], NULL), 0);
    ck_assert_uint_eq(executions(block, 0, index[1], NULL), 0);
    ck_assert_uint_eq(executions(block, 0, index[2], NULL), 1);
    teg_block_free(block);
}
END_TEST

START_TEST(local_memory_becomes_shared_memory)
{
    struct teg_program *p = &source.kernel.program;
    uint32_t load = help_memory(p, CLASS_LDL, SPACE_LOCAL, INST_LOAD, 4, 5, 2);
    uint32_t store =
        help_memory(p, CLASS_STL, SPACE_LOCAL, INST_STORE, 4, 5, 2);

    open_with("local-in-shared", 0);
    ck_assert_uint_eq(launch.kernel->program.inst[load].op_class, CLASS_LDS);
    ck_assert_uint_eq(launch.kernel->program.inst[store].op_class, CLASS_STS);
    ck_assert_uint_eq(launch.kernel->program.inst[load].space, SPACE_SHARED);
    ck_assert_uint_eq(launch.kernel->program.inst[inst.add].op_class,
                      CLASS_IADD);
}
END_TEST

START_TEST(a_block_updates_a_word_once)
{
    struct teg_program *p = &source.kernel.program;
    uint32_t global = help_memory(p, CLASS_RED, SPACE_GLOBAL,
                                  INST_ATOMIC | INST_STORE, 4, 5, 2),
             shared = help_memory(p, CLASS_ATOMS, SPACE_SHARED,
                                  INST_ATOMIC | INST_STORE, 4, 5, 2),
             lanes;
    struct teg_block *block;

    /* 32 words, stride 4: those of the second warp begin 16 words later. */
    for (uint32_t w = 0; w < 2; w++) {
        for (int k = 0; k < 2; k++)
            step[w][warp[w].steps++] = (struct help_step){
                .inst = global, .mask = FULL, .base = 64 * w, .stride = 4};
        step[w][warp[w].steps++] =
            (struct help_step){.inst = shared, .mask = FULL};
    }
    open_with("block-atomics", 2);
    block = take_block();
    ck_assert_uint_eq(executions(block, 0, global, &lanes), 1);
    ck_assert_uint_eq(lanes, 32);
    ck_assert_uint_eq(executions(block, 1, global, &lanes), 1);
    ck_assert_uint_eq(lanes, 16);
    ck_assert_uint_eq(executions(block, 0, shared, &lanes), 1);
    ck_assert_uint_eq(lanes, 32);
    ck_assert_uint_eq(executions(block, 1, shared, NULL), 1);
    teg_block_free(block);
}
END_TEST

START_TEST(more_words_than_the_table_begins_with)
{
    uint32_t global =
                 help_memory(&source.kernel.program, CLASS_RED, SPACE_GLOBAL,
                             INST_ATOMIC | INST_STORE, 4, 5, 2),
             lanes;
    struct teg_block *block;

    for (uint32_t k = 0; k < 60; k++)
        step[0][warp[0].steps++] = (struct help_step){
            .inst = global, .mask = FULL, .base = 128 * (k % 30), .stride = 4};
    open_with("block-atomics", 1);
    block = take_block();
    ck_assert_uint_eq(executions(block, 0, global, &lanes), 30);
    ck_assert_uint_eq(lanes, 30 * 32);
    teg_block_free(block);
}
END_TEST

/* Both sides of a branch in each of four warps: two execute the one, two the
 * other. */
START_TEST(sides_of_a_branch_take_warps_in_turn)
{
    struct teg_block *block;

    for (uint32_t w = 0; w < WARPS; w++) {
        add(w, inst.sync, FULL, 1);
        add(w, inst.add, EVEN, 5);
        add(w, inst.other, ODD, 7);
        add(w, inst.exit, FULL, 1);
    }
    open_with("regrouped", WARPS);
    block = take_block();
    for (uint32_t w = 0; w < WARPS; w++) {
        uint32_t adds = executions(block, w, inst.add, NULL);
        uint32_t others = executions(block, w, inst.other, NULL);

        ck_assert(w < 2 ? adds == 5 && others == 0 : adds == 0 && others == 7);
        ck_assert_uint_eq(executions(block, w, inst.sync, NULL), 1);
        ck_assert_uint_eq(executions(block, w, inst.exit, NULL), 1);
    }
    teg_block_free(block);
}
END_TEST

/* A lane of each warp takes 20 rounds, the others 3: one warp takes them all,
 * and none loses the rounds that all its lanes have. */
START_TEST(the_longest_path_stays_in_one_warp)
{
    struct teg_block *block;

    for (uint32_t w = 0; w < WARPS; w++) {
        add(w, inst.add, FULL, 3);
        add(w, inst.add, 1, w == 2 ? 30 : 17);
    }
    open_with("regrouped", WARPS);
    block = take_block();
    for (uint32_t w = 0; w < WARPS; w++)
        ck_assert_uint_eq(executions(block, w, inst.add, NULL),
                          w == 2 ? 33 : 3);
    teg_block_free(block);
}
END_TEST

START_TEST(a_predicate_is_no_branch)
{
    const struct teg_inst plain = {.op_class = CLASS_IADD};
    uint32_t index =
        help_inst(&source.kernel.program, plain, "@P0 IADD3 R2, R4, R6, RZ");
    struct teg_block *block;

    for (uint32_t w = 0; w < 2; w++) {
        add(w, inst.add, FULL, 1);
        add(w, index, 1, 4);
    }
    open_with("regrouped", 2);
    block = take_block();
    ck_assert_uint_eq(executions(block, 0, index, NULL), 4);
    ck_assert_uint_eq(executions(block, 1, index, NULL), 4);
    teg_block_free(block);
}
END_TEST

START_TEST(others_execute_what_a_warp_has_more)
{
    struct teg_block *block;

    add(0, inst.add, FULL, 16);
    for (uint32_t w = 0; w < WARPS; w++) {
        add(w, inst.sync, FULL, 1);
        add(w, inst.other, FULL, 4); /* alike: nothing to deal */
        add(w, inst.exit, FULL, 1);
    }
    open_with("even-warps", WARPS);
    block = take_block();
    for (uint32_t w = 0; w < WARPS; w++) {
        struct teg_cursor c;

        ck_assert_uint_eq(executions(block, w, inst.add, NULL), 4);
        ck_assert_uint_eq(executions(block, w, inst.other, NULL), 4);
        ck_assert_uint_eq(executions(block, w, inst.exit, NULL), 1);
        teg_cursor_init(&c, block, w);
        for (uint32_t i = 0; i < 5; i++)
            ck_assert(teg_cursor_next(&c));
        ck_assert_uint_eq(c.inst, inst.sync);
    }
    teg_block_free(block);
}
END_TEST

/* Two warps with more, two with less: all of it is dealt once, addresses
 * too. */
START_TEST(what_is_dealt_is_all_there_was)
{
    uint32_t load = help_memory(&source.kernel.program, CLASS_LDG, SPACE_GLOBAL,
                                INST_LOAD, 4, 5, 2);
    uint64_t sum = 0;
    struct teg_block *block;

    for (uint32_t i = 0; i < 18; i++)
        step[1][warp[1].steps++] =
            (struct help_step){.inst = load, .mask = FULL, .base = i << 8};
    for (uint32_t i = 18; i < 30; i++)
        step[3][warp[3].steps++] =
            (struct help_step){.inst = load, .mask = FULL, .base = i << 8};
    add(0, inst.add, FULL, 2);
    for (uint32_t w = 0; w < WARPS; w++)
        add(w, inst.exit, FULL, 1);
    open_with("even-warps", WARPS);
    block = take_block();
    for (uint32_t w = 0; w < WARPS; w++) {
        struct teg_cursor c;

        teg_cursor_init(&c, block, w);
        while (teg_cursor_next(&c)) {
            struct teg_access a;

            if (teg_cursor_access(&c, &a))
                sum += 1u << (teg_access_lane(&a, 0) >> 8);
        }
        ck_assert_uint_eq(teg_block_warp_insts(block, w), 9);
    }
    ck_assert_uint_eq(sum, (1u << 30) - 1); /* each of the 30 once */
    teg_block_free(block);
}
END_TEST

/* A product is of a whole warp group: its warps keep theirs. */
START_TEST(products_stay_with_their_warps)
{
    struct teg_program *p = &source.kernel.program;
    uint32_t product =
        help_inst(p, (struct teg_inst){.op_class = CLASS_GMMA}, "HGMMA");
    uint32_t arrive = help_inst(p, (struct teg_inst){.op_class = CLASS_MEMBAR},
                                "WARPGROUP.ARRIVE");
    static const char *const names[] = {"even-warps", "regrouped"};

    for (size_t i = 0; i < 2; i++) {
        struct teg_block *block;

        memset(warp, 0, sizeof warp);
        for (uint32_t w = 0; w < WARPS; w++) {
            warp[w].step = step[w];
            add(w, inst.add, FULL, w == 0 ? 24 : 1);
            add(w, arrive, FULL, w < 2);
            add(w, product, FULL, w < 2 ? 3 : 0);
            add(w, inst.exit, FULL, 1);
        }
        if (launch.close != NULL)
            launch.close(launch.self);
        open_with(names[i], WARPS);
        block = take_block();
        for (uint32_t w = 0; w < WARPS; w++) {
            ck_assert_uint_eq(executions(block, w, arrive, NULL), w < 2);
            ck_assert_uint_eq(executions(block, w, product, NULL),
                              w < 2 ? 3 : 0);
        }
        teg_block_free(block);
    }
}
END_TEST

START_TEST(warps_that_meet_elsewhere_stay_as_they_are)
{
    struct teg_block *block;

    add(0, inst.add, FULL, 8);
    add(0, inst.sync, FULL, 1);
    add(1, inst.add, FULL, 1);
    open_with("even-warps", 2);
    block = take_block();
    ck_assert_uint_eq(executions(block, 0, inst.add, NULL), 8);
    ck_assert_uint_eq(executions(block, 1, inst.add, NULL), 1);
    teg_block_free(block);
}
END_TEST

START_TEST(few_blocks_are_cut_into_as_many_as_fill)
{
    uint32_t blocks = 0, adds = 0;
    struct teg_block *block;

    gpu.chip.sms = 3;
    gpu.sm.threads_per_block_max = 128;
    gpu.sm.warps_max = 8;
    gpu.sm.blocks_max = 8;
    gpu.sm.threads_max = 256;
    for (uint32_t w = 0; w < WARPS; w++) {
        add(w, inst.add, FULL, 12);
        add(w, inst.sync, FULL, 1);
        add(w, inst.exit, FULL, 1);
    }
    open_with("more-blocks", WARPS);
    ck_assert_uint_eq(launch.kernel->grid[0], 6);
    while ((block = take_block()) != NULL) {
        ck_assert_uint_eq(teg_block_position(block)[0], blocks);
        ck_assert_uint_eq(executions(block, 1, inst.add, NULL), 2);
        ck_assert_uint_eq(executions(block, 1, inst.sync, NULL), 1);
        ck_assert_uint_eq(executions(block, 1, inst.exit, NULL), 1);
        adds += executions(block, 3, inst.add, NULL);
        blocks++;
        teg_block_free(block);
    }
    ck_assert_uint_eq(blocks, 6);
    ck_assert_uint_eq(adds, 12);
}
END_TEST

START_TEST(enough_blocks_stay_as_they_are)
{
    struct teg_kernel *before = &source.kernel;

    gpu.chip.sms = 3;
    gpu.sm.threads_per_block_max = 128;
    gpu.sm.warps_max = 4;
    gpu.sm.blocks_max = 1;
    gpu.sm.threads_max = 128;
    before->grid[0] = 3;
    open_with("more-blocks", 0);
    ck_assert_ptr_eq(launch.kernel, before);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("program_change");
    TCase *rules = tcase_create("rules");
    SRunner *runner = srunner_create(suite);
    int failed;

    tcase_add_checked_fixture(rules, setup, teardown);
    tcase_add_test(rules, half_of_each_class_is_left);
    tcase_add_test(rules, floats_take_the_place_of_doubles);
    tcase_add_test(rules, a_function_is_one_instruction_of_its_line);
    tcase_add_test(rules, a_conversion_is_a_move);
    tcase_add_test(rules, a_product_of_a_group_has_its_a_in_registers);
    tcase_add_test(rules, fences_are_dropped_with_what_follows_them);
    tcase_add_test(rules, nobody_sleeps);
    tcase_add_test(rules, local_memory_becomes_shared_memory);
    tcase_add_test(rules, a_block_updates_a_word_once);
    tcase_add_test(rules, more_words_than_the_table_begins_with);
    tcase_add_test(rules, sides_of_a_branch_take_warps_in_turn);
    tcase_add_test(rules, the_longest_path_stays_in_one_warp);
    tcase_add_test(rules, a_predicate_is_no_branch);
    tcase_add_test(rules, others_execute_what_a_warp_has_more);
    tcase_add_test(rules, what_is_dealt_is_all_there_was);
    tcase_add_test(rules, products_stay_with_their_warps);
    tcase_add_test(rules, warps_that_meet_elsewhere_stay_as_they_are);
    tcase_add_test(rules, few_blocks_are_cut_into_as_many_as_fill);
    tcase_add_test(rules, enough_blocks_stay_as_they_are);
    suite_add_tcase(suite, rules);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? 1 : 0;
}
