/* The feature vector of launches small enough to count by hand. */
#include "traces/study/features.h"

#include <stdlib.h>
#include <string.h>

#include "isa/inst/opcode.h"
#include "tests/help_launch.h"
#include "tests/help_suite.h"

static struct help_launch h;
static struct teg_launch launch;
static struct teg_features f;
static struct teg_diag diag;

/* Adds an instruction as the opcode table knows it, with its whole text. */
static uint32_t add(const char *mnemonic, const char *operands)
{
    struct teg_operands none = {0};
    struct teg_inst inst = {.pc = 16 * h.kernel.program.count};
    char text[128];
    uint32_t index;

    teg_inst_from_opcode(&inst, mnemonic, h.kernel.isa, &none);
    inst.pc = 16 * h.kernel.program.count;
    strcpy(text, mnemonic);
    strcat(text, operands);
    ck_assert_int_eq(
        teg_program_add(&h.kernel.program, &inst, text, &index, &diag), TEG_OK);
    return index;
}

static void setup(void)
{
    h = (struct help_launch){0};
    h.kernel.name = strdup("k");
    h.kernel.isa = 80;
    for (int i = 0; i < 3; i++)
        h.kernel.grid[i] = h.kernel.block[i] = 1;
    h.kernel.block[0] = 32;
    h.blocks = h.warps_per_block = 1;
}

static void collect(const struct help_step *step, uint32_t steps)
{
    struct help_warp warp[4];

    for (uint32_t i = 0; i < 4; i++)
        warp[i] = (struct help_warp){step, steps};
    h.warp = warp;
    help_launch_open(&h, &launch);
    ck_assert_int_eq(teg_features_collect(&launch, &f, &diag), TEG_OK);
    help_launch_release(&h);
}

#define ALL 0xffffffffu
#define DO(index, lanes)                 \
    (struct help_step)                   \
    {                                    \
        .inst = (index), .mask = (lanes) \
    }
#define AT(index, lanes, from, by)                                       \
    (struct help_step)                                                   \
    {                                                                    \
        .inst = (index), .mask = (lanes), .base = (from), .stride = (by) \
    }
#define HAS(name, expected) \
    ck_assert_double_eq(f.value[FEATURE_##name], expected)

/* c[i] = a[i] + b[i] in 2 blocks of 32 + 16 threads; each thread: 4 integer
 * and 1 floating-point arithmetic, 1 comparison, 2 loads and 1 store of 4
 * bytes, 1 guarded exit nobody takes, 1 exit; n and 3 pointers: 28 bytes. */
START_TEST(vector_add_is_counted_by_hand)
{
    setup();
    uint32_t half = 0xffff;
    uint32_t s2r = add("S2R", " R0, SR_TID.X ;");
    uint32_t mad = add("IMAD", " R0, R1, c[0x0][0x0], R0 ;");
    uint32_t set = add("ISETP.GE.AND", " P0, PT, R0, c[0x0][0x178], PT ;");
    uint32_t exit0 = add("EXIT", " ;");
    uint32_t mov = add("MOV", " R7, 0x4 ;");
    uint32_t a = add("IMAD.WIDE", " R2, R0, R7, c[0x0][0x160] ;");
    uint32_t b = add("IMAD.WIDE", " R4, R0, R7, c[0x0][0x168] ;");
    uint32_t ld = add("LDG.E", " R2, [R2.64] ;");
    uint32_t c = add("IMAD.WIDE", " R8, R0, R7, c[0x0][0x170] ;");
    uint32_t sum = add("FADD", " R9, R2, R4 ;");
    uint32_t st = add("STG.E", " [R8.64], R9 ;");
    uint32_t exit = add("EXIT", " ;");
    struct help_step full[] = {
        DO(s2r, ALL),         DO(mad, ALL), DO(set, ALL), DO(exit0, 0),
        DO(mov, ALL),         DO(a, ALL),   DO(b, ALL),   AT(ld, ALL, 4096, 4),
        AT(ld, ALL, 8192, 4), DO(c, ALL),   DO(sum, ALL), AT(st, ALL, 12288, 4),
        DO(exit, ALL),
    };
    struct help_step part[sizeof full / sizeof full[0]];
    struct help_warp warp[4];

    memcpy(part, full, sizeof full);
    for (size_t i = 0; i < sizeof part / sizeof part[0]; i++)
        part[i].mask &= half;
    for (int i = 0; i < 4; i++)
        warp[i] = (struct help_warp){i % 2 ? part : full,
                                     sizeof full / sizeof full[0]};
    h.kernel.grid[0] = h.blocks = h.warps_per_block = 2;
    h.kernel.block[0] = 48;
    h.warp = warp;
    help_launch_open(&h, &launch);
    ck_assert_int_eq(teg_features_collect(&launch, &f, &diag), TEG_OK);
    HAS(arithmetic, 96 * 6);
    HAS(control, 96);
    HAS(memory, 96 * 3);
    HAS(instructions, 96 * 10);
    HAS(moves, 96 * 2);
    HAS(special, 0);
    HAS(global_bytes, 96 * 12);
    HAS(global_read, 96 * 8);
    HAS(global_written, 96 * 4);
    HAS(parameter_bytes, 96 * 28);
    HAS(intensity, 6.0 / 12);
    HAS(blocks, 2);
    HAS(threads_per_block, 48);
    HAS(block_width, 48);
    HAS(instructions_per_thread, 10);
    /* 13 each, of four warps, the guarded exit too */
    HAS(warp_instructions, 4 * 13);
    HAS(doubles, 0);
    HAS(tensor, 0);
    /* every warp the same three lines */
    ck_assert_double_eq_tol(f.value[FEATURE_touched_bytes], 3 * 128, 4);
    HAS(hottest_word, 0);
    HAS(atomic_turns, 0);
    /* no registers are listed; an exit waits for the last predicate */
    HAS(longest_warp, 13 + 4);
    HAS(warp_cycles, 13 + 4);
    HAS(block_issues, 2 * 13);
    HAS(block_passes, 2 * 3); /* an access is one line, whole or half */
    ck_assert_uint_eq(f.blocks_traced, 2);
    ck_assert_int_eq(f.known[FEATURE_parameter_bytes], 1);
    help_launch_release(&h);
}
END_TEST

/* On the uniform datapath or not: the same vector, but for the cycles: what stands
 * for results that are not listed is read by some and not by their twins. */
START_TEST(uniform_instructions_count_as_their_twins)
{
    static const char *const twins[][2] = {
        {"UIADD3", "IADD3"},
        {"ULOP3.LUT", "LOP3.LUT"},
        {"USHF.L.U32", "SHF.L.U32"},
        {"UISETP.GE.AND", "ISETP.GE.AND"},
        {"UMOV", "MOV"},
        {"UIMAD.WIDE", "IMAD.WIDE"},
        {"VOTEU.ANY", "VOTE.ANY"},
        {"UPOPC", "POPC"},
    };
    double sum[2][TEG_FEATURES];

    for (int side = 0; side < 2; side++) {
        struct help_step step[8];

        setup();
        for (int i = 0; i < 8; i++)
            step[i] = DO(add(twins[i][side], " X ;"), ALL);
        collect(step, 8);
        memcpy(sum[side], f.value, sizeof sum[side]);
        sum[side][FEATURE_warp_cycles] = sum[side][FEATURE_longest_warp] = 0;
    }
    ck_assert_mem_eq(sum[0], sum[1], sizeof sum[0]);
    HAS(instructions, 32 * 7);
    HAS(arithmetic, 32 * 4);
    HAS(logic, 32 * 2);
    HAS(exchange, 32);
    HAS(moves, 32);
}
END_TEST

START_TEST(marks_of_one_generation_count_nothing)
{
    static const char *const marks[] = {"BSSY", "BSYNC",     "WARPSYNC",
                                        "NOP",  "DEPBAR.LE", "YIELD"};
    struct help_step step[6];

    setup();
    for (int i = 0; i < 6; i++)
        step[i] = DO(add(marks[i], " ;"), ALL);
    collect(step, 6);
    for (uint32_t i = 0; i < FEATURE_blocks; i++)
        ck_assert_double_eq(f.value[i], 0);
}
END_TEST

/* 16-byte stores: 10 lanes to shared, 6 to local, 16 to global memory. */
START_TEST(generic_accesses_go_where_the_address_says)
{
    uint64_t lane[TEG_LANES];
    struct help_step step;

    setup();
    h.kernel.shared_base = 0x7f0000000000;
    h.kernel.local_base = 0x7f1000000000;
    for (int i = 0; i < TEG_LANES; i++)
        lane[i] = (i < 10   ? h.kernel.shared_base
                   : i < 16 ? h.kernel.local_base
                            : 0x10000000) +
                  16 * i;
    step = DO(add("ST.E.128", " [R2], R4 ;"), ALL);
    step.lane = lane;
    collect(&step, 1);
    HAS(shared_written, 160);
    HAS(local_bytes, 96);
    HAS(global_bytes, 256);
    HAS(intensity, 0);
}
END_TEST

START_TEST(a_copy_to_shared_memory_counts_on_both_sides)
{
    struct help_step step[2];

    setup();
    step[0] = AT(add("LDGSTS.E.128", " [R1], [R2.64] ;"), ALL, 0x10000, 16);
    step[1] = AT(add("ATOMS.ADD", " R1, [R2], R3 ;"), 0xf, 0, 4);
    collect(step, 2);
    HAS(global_read, 512);
    HAS(shared_written, 512);
    HAS(shared_atomic, 16);
    HAS(shared_bytes, 528);
}
END_TEST

/* Read again, or by other lanes of the warp: each thread once. */
START_TEST(a_parameter_counts_once_in_each_thread)
{
    struct help_step step[4];

    setup();
    step[0] = DO(add("MOV", " R0, c[0x0][0x160] ;"), 0xff);
    step[1] = DO(add("IADD3", " R0, R0, c[0x0][0x160], R3 ;"), ALL);
    step[2] = DO(add("DADD", " R2, R2, c[0x0][0x168] ;"), ALL);
    step[3] = DO(add("MOV", " R0, c[0x0][0x15c] ;"), ALL);
    collect(step, 4);
    HAS(parameter_bytes, 32 * 12);
}
END_TEST

START_TEST(without_operands_parameters_are_unknown)
{
    struct help_step step;

    setup();
    step = DO(add("MOV", ""), ALL);
    collect(&step, 1);
    ck_assert_int_eq(f.known[FEATURE_parameter_bytes], 0);
    ck_assert_int_eq(f.known[FEATURE_arithmetic], 1);
}
END_TEST

START_TEST(every_feature_is_found_by_its_name)
{
    for (uint32_t i = 0; i < TEG_FEATURES; i++)
        ck_assert_uint_eq(teg_feature_find(teg_feature_facts(i)->name), i);
    ck_assert_uint_eq(teg_feature_find("warmth"), TEG_FEATURES);
    /* those of the paper, in its order, before the others */
    ck_assert_int_eq(teg_feature_facts(FEATURE_shared_allocation)->is_detail,
                     0);
    ck_assert_uint_eq(FEATURE_shared_allocation, 12);
    ck_assert_int_eq(teg_feature_facts(FEATURE_memory)->is_detail, 1);
}
END_TEST

/* 8 lanes at each of 4 words of global memory, twice; 16 at each of two of
 * shared memory, also by generic addresses. */
START_TEST(atomics_are_counted_by_word)
{
    uint32_t red, atoms, generic;
    struct help_step steps[9];

    setup();
    h.kernel.shared_base = UINT64_C(1) << 40;
    red = add("RED.E.ADD", " [R2.64], R4 ;");
    atoms = add("ATOMS.ADD", " R0, [R2], R4 ;");
    generic = add("ATOM.E.ADD", " R0, [R2.64], R4 ;");
    for (uint32_t i = 0; i < 4; i++)
        steps[i] = AT(red, 0xffu << 8 * i, 4096 + 64 * i, 0);
    steps[4] = AT(red, 0xff, 4096, 0);
    steps[5] = AT(atoms, ALL, 0, 0);
    steps[6] = AT(atoms, ALL, 0, 4);
    steps[7] = AT(generic, 0xf, 4096, 0);
    /* which counts its lanes first */
    steps[8] = AT(add("ATOMS.POPC.INC.32", " R0, [R2] ;"), ALL, 0, 0);
    collect(steps, 9);
    HAS(hottest_word, 8 + 8 + 4);
    HAS(block_passes, 4 + 1 + 32 + 1 + 1 + 1);
    HAS(atomic_turns, 32 + 1 + 1);
    ck_assert_double_eq_tol(f.value[FEATURE_touched_bytes], 4 * 32, 2);
}
END_TEST

START_TEST(doubles_tensor_products_and_bulk_copies_are_told_apart)
{
    struct help_step steps[6];

    setup();
    steps[5] = DO(add("UBLKCP.S.G", " [UR8], [UR4], UR6 ;"), 1);
    steps[0] = DO(add("DFMA", " R2, R2, R2, R2 ;"), ALL);
    steps[1] = DO(add("DSETP.GT.AND", " P0, PT, R2, R4, PT ;"), 1);
    steps[2] = DO(add("I2F.F64", " R2, R4 ;"), 3);
    steps[3] = DO(add("HMMA.16816.F32", " R0, R4, R8, R0 ;"), ALL);
    steps[4] = DO(add("FFMA", " R2, R2, R2, R2 ;"), ALL);
    collect(steps, 6);
    HAS(doubles, 32 + 1 + 2);
    HAS(tensor, 32);
    HAS(warp_instructions, 6);
    HAS(touched_bytes, 0);
    ck_assert_uint_eq(f.bulk, 1); /* which count no bytes */
}
END_TEST

/* What stands before a generation's parameters is none: the same operand is
 * the first parameter of sm_90, and word 44 of those before. */
START_TEST(parameters_begin_where_the_generation_says)
{
    static const struct {
        uint32_t isa;
        const char *operands;
        uint32_t bytes;
    } rows[] = {
        {80, " R0, c[0x0][0x160] ;", 4}, {80, " R0, c[0x0][0x15c] ;", 0},
        {90, " R0, c[0x0][0x210] ;", 4}, {90, " R0, c[0x0][0x20c] ;", 0},
        {90, " R0, c[0x0][0x160] ;", 0},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct help_step step;

        setup();
        h.kernel.isa = rows[i].isa;
        step = DO(add("MOV", rows[i].operands), 1);
        collect(&step, 1);
        HAS(parameter_bytes, rows[i].bytes);
    }
}
END_TEST

HELP_MAIN("features", 10, {vector_add_is_counted_by_hand, 0},
          {uniform_instructions_count_as_their_twins, 0},
          {marks_of_one_generation_count_nothing, 0},
          {generic_accesses_go_where_the_address_says, 0},
          {a_copy_to_shared_memory_counts_on_both_sides, 0},
          {a_parameter_counts_once_in_each_thread, 0},
          {without_operands_parameters_are_unknown, 0},
          {every_feature_is_found_by_its_name, 0},
          {parameters_begin_where_the_generation_says, 0},
          {atomics_are_counted_by_word, 0},
          {doubles_tensor_products_and_bulk_copies_are_told_apart, 0})
