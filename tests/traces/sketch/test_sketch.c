/* Kernel sketches become the instructions a warp would execute. */
#include "traces/sketch/sketch.h"

#include <check.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/inst/opcode.h"
#include "tests/help_sketch.h"
#include "traces/trace.h"

#define HEAD HELP_SKETCH_HEAD

static void expect_with(const char *text, const char *set, const char *expected)
{
    char *found = help_sketch_expand_with(text, set);

    ck_assert_str_eq(found, expected);
    free(found);
}

static void expect(const char *text, const char *expected)
{
    expect_with(text, NULL, expected);
}

static struct teg_sketch *parse(const char *text)
{
    struct teg_sketch *s;
    struct teg_diag d;

    ck_assert_msg(teg_sketch_parse("test", text, strlen(text), NULL, &s, &d) ==
                      TEG_OK,
                  "%s: %s", d.where, d.what);
    return s;
}

START_TEST(every_warp_executes_every_line)
{
    expect("sketch 1\nisa sm_70\nblock 64\nMOV R1, R2\nEXIT\n",
           "0,0,0 w0: 0 1 w1: 0 1");
}
END_TEST

START_TEST(threads_that_a_block_lacks_are_inactive)
{
    expect("sketch 1\nisa sm_70\nblock 35\nMOV R1, R2", "0,0,0 w0: 0 w1: 0/7");
}
END_TEST

START_TEST(blocks_come_in_grid_order_with_x_fastest)
{
    expect("sketch 1\nisa sm_70\ngrid 2 2 2\nblock 1\n"
           "LDG R1, [ctaid.x + 16*ctaid.y + 256*ctaid.z + 4096*ctaid]",
           "0,0,0 w0: 0/1@0 1,0,0 w0: 0/1@1001 0,1,0 w0: 0/1@2010 "
           "1,1,0 w0: 0/1@3011 0,0,1 w0: 0/1@4100 1,0,1 w0: 0/1@5101 "
           "0,1,1 w0: 0/1@6110 1,1,1 w0: 0/1@7111");
}
END_TEST

START_TEST(threads_are_numbered_x_then_y_then_z)
{
    /* 2 x 3 x 2 threads: thread 11 is (1, 2, 1). */
    expect("sketch 1\nisa sm_70\nblock 2 3 2\n"
           "LDG R1, [tid.x + 16*tid.y + 256*tid.z]",
           "0,0,0 w0: 0/fff@0,1,10,11,20,21,100,101,110,111,120,121");
}
END_TEST

START_TEST(variables_name_thread_warp_and_launch)
{
    expect("sketch 1\nisa sm_70\ngrid 3\nblock 64\n"
           "@{ctaid == 2 && warp == 1} LDG R1, [gtid]\n"
           "@{ctaid == 2 && warp == 1} LDG R1, [tid]\n"
           "@{ctaid == 2 && warp == 1} LDG R1, [lane + 256*ntid]\n"
           "@{ctaid == 2 && warp == 1} LDG R1, [nctaid.x*16 + ntid.y]\n",
           "0,0,0 w0: 0/0 1/0 2/0 3/0 w1: 0/0 1/0 2/0 3/0 "
           "1,0,0 w0: 0/0 1/0 2/0 3/0 w1: 0/0 1/0 2/0 3/0 "
           "2,0,0 w0: 0/0 1/0 2/0 3/0 w1: 0@a0+1 1@20+1 2@4000+1 3@31");
}
END_TEST

START_TEST(a_loop_executes_the_same_instructions_again)
{
    expect(HEAD "loop k 3\nLDG R1, [16*k]\nMOV R2, R1\nend\nEXIT",
           "0,0,0 w0: 0@0 1 0@10 1 0@20 1 2");
}
END_TEST

START_TEST(a_loop_has_first_bound_and_step)
{
    expect(HEAD "loop k in 1..6 step 2\nLDG R1, [k]\nend\n"
                "loop k in 3..0 step -1\nLDG R1, [k]\nend\n"
                "loop k in 5..5\nMOV R1, R2\nend\n"
                "loop 2\nMOV R1, R2\nend",
           "0,0,0 w0: 0@1 0@3 0@5 1@3 1@2 1@1 3 3");
}
END_TEST

START_TEST(inner_bounds_may_use_outer_counters)
{
    expect(HEAD "loop i 3\nloop j in 0..i\nLDG R1, [16*i + j + tid]\nend\nend",
           "0,0,0 w0: 0@10+1 0@20+1 0@21+1");
}
END_TEST

START_TEST(lanes_leave_a_loop_one_after_the_other)
{
    expect(HEAD "loop k lane/8\nLDG R1, [k]\nend\nEXIT",
           "0,0,0 w0: 0/ffffff00@0 0/ffff0000@1 0/ff000000@2 1");
}
END_TEST

START_TEST(a_counter_may_start_at_another_value_in_each_lane)
{
    expect("sketch 1\nisa sm_70\nblock 4\n"
           "loop k in lane..4 step 2\nLDG R1, [k]\nend",
           "0,0,0 w0: 0/f@0+1 0/3@2+1");
}
END_TEST

START_TEST(repeat_makes_new_instructions)
{
    struct teg_sketch *s =
        parse(HEAD "repeat i 3\nFADD R{4+i}, R1, R2\nend\nEXIT");
    const struct teg_kernel *kernel = teg_sketch_kernel(s);

    ck_assert_uint_eq(kernel->program.count, 4);
    for (uint32_t i = 0; i < 3; i++) {
        ck_assert_uint_eq(kernel->program.inst[i].pc, 16 * i);
        ck_assert_uint_eq(kernel->program.inst[i].dst[0].first, 4 + i);
    }
    ck_assert_str_eq(
        teg_program_text(&kernel->program, &kernel->program.inst[2]),
        "FADD R6, R1, R2");
    teg_sketch_close(s);
    expect(HEAD "repeat 2\nrepeat i 2\nLDG R1, [i]\nend\nend\nrepeat 0\nNOP\n"
                "end\nEXIT",
           "0,0,0 w0: 0@0 1@1 2@0 3@1 4");
}
END_TEST

START_TEST(a_guard_selects_lanes_and_an_empty_one_still_issues)
{
    expect(HEAD "@{lane < 4} LDG R1, [4*tid]\n@lane >= 32 FADD R1, R1, R2\n"
                "@P0 FADD R1, R1, R2\n@!P0 {lane == 1} FADD R1, R1, R2",
           "0,0,0 w0: 0/f@0+4 1/0 2 3/2");
}
END_TEST

START_TEST(a_guard_with_a_register_depends_on_it)
{
    struct teg_sketch *s =
        parse(HEAD "@!P2 {lane < 3} FADD R1, R4, R8\n@UP1 FADD R1, R4, R8\n"
                   "@{lane < 3} FADD R1, R4, R8");
    const struct teg_inst *inst = teg_sketch_kernel(s)->program.inst;

    ck_assert_uint_eq(inst[0].src_count, 3);
    ck_assert_uint_eq(inst[0].src[2].first, TEG_REG_P + 2);
    ck_assert_uint_eq(inst[1].src[2].first, TEG_REG_UP + 1);
    ck_assert_uint_eq(inst[2].src_count, 2);
    teg_sketch_close(s);
}
END_TEST

START_TEST(both_sides_of_a_divergent_if_serialise)
{
    expect(HEAD "if lane < 8\nMOV R1, R2\nelse\nMOV R3, R4\nend\nEXIT",
           "0,0,0 w0: 0/ff 1/ffffff00 2");
}
END_TEST

START_TEST(a_side_without_lanes_is_skipped)
{
    expect("sketch 1\nisa sm_70\nblock 64\n"
           "if warp == 0\nMOV R1, R2\nelse if tid < 48\nMOV R3, R4\n"
           "else\nNOP\nend\nEXIT",
           "0,0,0 w0: 0 3 w1: 1/ffff 2/ffff0000 3");
}
END_TEST

START_TEST(an_if_of_a_constant_leaves_no_trace_of_the_other_side)
{
    const char *text = HEAD "param A = 1\nif A == 1\nMOV R1, R2\n"
                            "else if A == 2\nNOP\nNOP\nelse\nFADD R1, R2, R3\n"
                            "NOP\nNOP\nend\nEXIT";

    expect_with(text, "A=1", "0,0,0 w0: 0 1");
    expect_with(text, "A=2", "0,0,0 w0: 0 1 2");
    expect_with(text, "A=3", "0,0,0 w0: 0 1 2 3");
}
END_TEST

START_TEST(exit_ends_its_lanes)
{
    expect(HEAD "@{lane >= 8} EXIT\nMOV R1, R2\nEXIT\nMOV R1, R2",
           "0,0,0 w0: 0/ffffff00 1/ff 2/ff");
    expect(HEAD "loop 1000\nif lane < 16\nEXIT\nend\nEXIT\nend",
           "0,0,0 w0: 0/ffff 1/ffff0000");
}
END_TEST

START_TEST(addresses_may_follow_any_expression)
{
    expect("sketch 1\nisa sm_70\nblock 4\nlet row = tid / 2\n"
           "let column = tid % 2\nLDG R1, [0x100*row + 4*column]\n"
           "LDG R1, [-4*tid + 0x40]\nLDG R1, [R2.64+UR4+0x10 : 7]",
           "0,0,0 w0: 0/f@0,4,100,104 1/f@40-4 2/f@7");
}
END_TEST

/* Banks are 4 GB apart; without a colon there is no address. */
START_TEST(a_constant_load_may_have_addresses_in_its_bank)
{
    expect("sketch 1\nisa sm_70\nblock 4\nLDC R1, c[0x3][R2+0x8 : 4*tid]\n"
           "LDC R1, c[0x2][R2]\nLDC R1, c[0x0][0x160]\n"
           "LDC.64 R2, c[0x4][R2 : 8]",
           "0,0,0 w0: 0/f@300000000+4 1/f 2/f 3/f@400000008");
}
END_TEST

START_TEST(strides_beyond_32_bits_are_kept)
{
    expect("sketch 1\nisa sm_70\nblock 3\nLDG R1, [tid << 36]",
           "0,0,0 w0: 0/7@0+68719476736");
}
END_TEST

/* What a listing line depends on, and what it touches. */
static const struct {
    const char *line, *dst, *src;
    uint32_t isa;
    uint8_t space;
    uint16_t width, flags;
} LISTING[] = {
    {"FADD32 R4, R4, R2", "R4", "R4 R2", 13, SPACE_NONE, 0, 0},
    {"FADD32 R2, g[A1+0xb : 4*tid], R2", "R2", "A1 R2", 13, SPACE_SHARED, 4,
     INST_OPERAND},
    {"DADD R2, g[0x10 + 8*tid], R4", "R2 R3", "R4 R5", 13, SPACE_SHARED, 8,
     INST_OPERAND},
    {"GLD.U32 R5, global14[R7 : tid]", "R5", "R7", 13, SPACE_GLOBAL, 4,
     INST_LOAD},
    {"GST.U32 global14[R7 : tid], R5", "", "R7 R5", 13, SPACE_GLOBAL, 4,
     INST_STORE},
    {"R2G.U32.U32 g[A1 : 4*tid], R5", "", "A1 R5", 13, SPACE_SHARED, 4,
     INST_STORE},
    {"R2A A1, R4, 0x2", "A1", "R4", 13, SPACE_NONE, 0, 0},
    {"ISET.S32.C0 o[0x7f], R1, R4, LT;", "C0", "R1 R4", 13, SPACE_NONE, 0, 0},
    {"@C0.NE IADD32 R0, R3L, R5H", "R0", "R3 R5 C0", 13, SPACE_NONE, 0, 0},
    {"LDG.E.128 R8, [R2.64+0x10 : tid]", "R8 R9 R10 R11", "R2 R3", 70,
     SPACE_GLOBAL, 16, INST_LOAD},
    {"LDGSTS.E.128 [R5], [R2.64 : 16*tid]", "", "R5 R2 R3", 80, SPACE_GLOBAL,
     16, INST_LOAD},
    {"LDG.E R8, desc[UR4][R2.64 : tid]", "R8", "R2 R3 UR4", 80, SPACE_GLOBAL, 4,
     INST_LOAD},
    {"STS.64 [R1+UR6 : 8*tid], R4", "", "R1 R4 R5 UR6", 80, SPACE_SHARED, 8,
     INST_STORE},
    {"ISETP.GE.AND P0, P1, R4, c[0x0][0x178], P2", "P0 P1", "R4 P2", 70,
     SPACE_NONE, 0, INST_SETS_P},
    {"SHFL.DOWN PT, R3, R5, 0x1, 0x1f", "R3", "R5", 70, SPACE_NONE, 0, 0},
    {"SEL R1, R3, R5, !P0", "R1", "R3 R5 P0", 70, SPACE_NONE, 0, INST_READS_P},
    {"FFMA R1, -R3.reuse, |R5|, -1.5e-3", "R1", "R3 R5", 70, SPACE_NONE, 0, 0},
    /* C0 stands for the carry (docs/dependences.md) */
    {"IMAD.WIDE R2, R5, RZ, R8", "R2 R3 C0", "R5 R8 R9", 70, SPACE_NONE, 0, 0},
    {"@P3 BRA `(.L_1)", "", "P3", 70, SPACE_NONE, 0,
     INST_BRANCH | INST_READS_P},
};

static void list_registers(const struct teg_regs *regs, uint32_t count,
                           char out[200])
{
    char name[8];

    out[0] = '\0';
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t r = 0; r < regs[i].count; r++)
            snprintf(out + strlen(out), 200 - strlen(out), "%s%s",
                     out[0] != '\0' ? " " : "",
                     teg_register_name((uint16_t)(regs[i].first + r), name));
}

START_TEST(operands_are_results_and_sources_as_in_a_listing)
{
    char text[300], dst[200], src[200];
    struct teg_sketch *s;
    const struct teg_inst *inst;

    snprintf(text, sizeof text, "sketch 1\nisa sm_%u\nblock 32\nshared 512\n%s",
             LISTING[_i].isa, LISTING[_i].line);
    s = parse(text);
    inst = teg_sketch_kernel(s)->program.inst;
    list_registers(inst->dst, inst->dst_count, dst);
    list_registers(inst->src, inst->src_count, src);
    ck_assert_str_eq(dst, LISTING[_i].dst);
    ck_assert_str_eq(src, LISTING[_i].src);
    ck_assert_uint_eq(inst->space, LISTING[_i].space);
    ck_assert_uint_eq(inst->width, LISTING[_i].width);
    ck_assert_uint_eq(inst->flags, LISTING[_i].flags);
    teg_sketch_close(s);
}
END_TEST

START_TEST(an_unknown_opcode_is_taken_with_what_is_written)
{
    struct teg_sketch *s = parse(HEAD "FROB.X R1, R2, [R4 : 4*tid]");
    const struct teg_inst *inst = teg_sketch_kernel(s)->program.inst;

    ck_assert_uint_ne(inst->flags & INST_UNKNOWN, 0);
    ck_assert_uint_eq(inst->space, SPACE_GLOBAL);
    teg_sketch_close(s);
    expect(HEAD "FROB.X R1, R2, [R4 : 4*tid]", "0,0,0 w0: 0@0+4");
}
END_TEST

START_TEST(annotations_fill_the_control_codes)
{
    struct teg_sketch *s =
        parse(HEAD "LDG R1, [0] {stall=4 wait=0,3 wr=2 yield}\n"
                   "NOP; {stall=15 rd=5}\nNOP");
    const struct teg_inst *inst = teg_sketch_kernel(s)->program.inst;

    ck_assert_uint_eq(inst[0].control.known, 1);
    ck_assert_uint_eq(inst[0].control.stall, 4);
    ck_assert_uint_eq(inst[0].control.wait_mask, 9);
    ck_assert_uint_eq(inst[0].control.write_barrier, 2);
    ck_assert_uint_eq(inst[0].control.read_barrier, 7);
    ck_assert_uint_eq(inst[0].control.yield, 1);
    ck_assert_uint_eq(inst[1].control.stall, 15);
    ck_assert_uint_eq(inst[1].control.read_barrier, 5);
    ck_assert_uint_eq(inst[1].control.write_barrier, 7);
    ck_assert_uint_eq(inst[2].control.known, 0);
    ck_assert_uint_eq(inst[1].line, HELP_SKETCH_HEAD_LINES + 2);
    teg_sketch_close(s);
}
END_TEST

START_TEST(the_head_describes_the_launch)
{
    struct teg_sketch *s = parse(
        "// a comment\n/* another\n one */ sketch 1\nkernel \"k one\"\n"
        "let N = 3\nisa gt200\ngrid N*2, 5\nblock 16 \\\n 4 2\n"
        "registers 12\nshared N << 10\nshared_base 0x1000\nlocal_base 1\nNOP");
    const struct teg_kernel *k = teg_sketch_kernel(s);

    ck_assert_str_eq(k->name, "k one");
    ck_assert_uint_eq(k->isa, 13);
    ck_assert_uint_eq(k->grid[0], 6);
    ck_assert_uint_eq(k->grid[1], 5);
    ck_assert_uint_eq(k->grid[2], 1);
    ck_assert_uint_eq(teg_kernel_threads_per_block(k), 128);
    ck_assert_uint_eq(k->registers, 12);
    ck_assert_uint_eq(k->shared_bytes, 3072);
    ck_assert_uint_eq(k->shared_base, 0x1000);
    ck_assert_uint_eq(k->local_base, 1);
    teg_sketch_close(s);
}
END_TEST

START_TEST(registers_left_out_are_those_the_instructions_use)
{
    struct teg_sketch *s =
        parse(HEAD "LDG.E.128 R8, [R2 : 0]\nFADD R1, R9, RZ");

    ck_assert_uint_eq(teg_sketch_kernel(s)->registers, 12);
    teg_sketch_close(s);
}
END_TEST

START_TEST(gt200_instructions_take_eight_bytes)
{
    struct teg_sketch *s = parse("sketch 1\nisa gt200\nblock 32\nNOP\nNOP");

    ck_assert_uint_eq(teg_sketch_kernel(s)->program.inst[1].pc, 8);
    teg_sketch_close(s);
}
END_TEST

START_TEST(parameters_can_be_given_from_outside)
{
    const char *text = HEAD "param N = 2\nparam M = N + 1\nloop N*M\nNOP\nend";
    const char *set[] = {"N=7", "N=0x1"}; /* the last one counts */
    struct teg_sketch_options options = {.set = set, .set_count = 2};
    const struct teg_sketch_param *param;
    struct teg_sketch *s;
    struct teg_diag d;
    uint32_t count;

    expect(text, "0,0,0 w0: 0 0 0 0 0 0");
    expect_with(text, "N=1", "0,0,0 w0: 0 0");
    ck_assert_int_eq(
        teg_sketch_parse("t", text, strlen(text), &options, &s, &d), TEG_OK);
    param = teg_sketch_params(s, &count);
    ck_assert_uint_eq(count, 2);
    ck_assert_str_eq(param[0].name, "N");
    ck_assert_int_eq(param[0].value, 1);
    ck_assert_int_eq(param[0].fallback, 2);
    ck_assert_str_eq(param[1].name, "M");
    ck_assert_int_eq(param[1].value, 2);
    teg_sketch_close(s);
}
END_TEST

START_TEST(launches_of_one_sketch_do_not_disturb_each_other)
{
    struct teg_sketch *s =
        parse("sketch 1\nisa sm_70\ngrid 2\nblock 32\nloop k ctaid + 1\n"
              "LDG R1, [k]\nend");
    struct teg_launch launch[2];
    struct teg_block *block[2];
    struct teg_diag d;

    for (int i = 0; i < 2; i++)
        ck_assert_int_eq(teg_sketch_launch(s, &launch[i], &d), TEG_OK);
    for (uint32_t round = 0; round < 2; round++)
        for (int i = 0; i < 2; i++) {
            ck_assert_int_eq(launch[i].next(launch[i].self, &block[i], &d),
                             TEG_OK);
            ck_assert_uint_eq(teg_block_warp_insts(block[i], 0), round + 1);
            teg_block_free(block[i]);
        }
    for (int i = 0; i < 2; i++)
        launch[i].close(launch[i].self);
    teg_sketch_close(s);
}
END_TEST

START_TEST(an_address_outside_of_shared_memory_is_remarked)
{
    struct teg_sketch *s = parse(HEAD "LDS R1, [0]\nLDS R1, [1024 + 4*tid]");
    struct teg_launch launch;
    struct teg_block *block;
    struct teg_diag d;

    ck_assert_int_eq(teg_sketch_launch(s, &launch, &d), TEG_OK);
    ck_assert_int_eq(launch.next(launch.self, &block, &d), TEG_OK);
    teg_block_free(block);
    ck_assert_uint_eq(launch.kernel->notes.count, 1);
    ck_assert_str_eq(launch.kernel->notes.note[0].where, "test:7");
    launch.close(launch.self);
    teg_sketch_close(s);
}
END_TEST

static int recognised(const char *text)
{
    return teg_sketch_recognise((const uint8_t *)text, strlen(text));
}

START_TEST(a_sketch_is_recognised_by_its_first_word)
{
    ck_assert(recognised("sketch 1\n"));
    ck_assert(recognised("# two\n // comments\n\n  sketch 1"));
    ck_assert(recognised("/* a\n b *//**/\tsketch\t1"));
    ck_assert(!recognised("/* sketch 1"));
    ck_assert(!recognised("sketches 1\n"));
    ck_assert(!recognised("sketch"));
    ck_assert(!recognised("-kernel name = sketch 1\n"));
    ck_assert(!recognised("# sketch 1"));
    ck_assert(!recognised(""));
}
END_TEST

START_TEST(a_sketch_is_a_trace)
{
    static const char TEXT[] =
        "sketch 1\nkernel \"k\"\nisa sm_70\nparam N = 1\nblock 32*N\nNOP";
    const char *set = "N=3";
    struct teg_trace_options options = {
        .isa = 75, .registers = 40, .set = &set, .set_count = 1};
    struct teg_trace *trace;
    struct teg_launch launch;
    struct teg_block *block;
    struct teg_diag d;

    ck_assert_msg(teg_trace_open_memory("m", (const uint8_t *)TEXT,
                                        sizeof TEXT - 1, &options, &trace,
                                        &d) == TEG_OK,
                  "%s", d.what);
    ck_assert_int_eq(teg_trace_format(trace), TRACE_SKETCH);
    ck_assert_uint_eq(teg_trace_kernels(trace), 1);
    ck_assert_str_eq(teg_trace_kernel_label(trace, 0), "k");
    ck_assert_int_eq(teg_trace_launch(trace, 0, &launch, &d), TEG_OK);
    ck_assert_uint_eq(launch.kernel->isa, 75);
    ck_assert_uint_eq(launch.kernel->registers, 40);
    ck_assert_int_eq(launch.next(launch.self, &block, &d), TEG_OK);
    ck_assert_uint_eq(teg_block_warps(block), 3);
    teg_block_free(block);
    launch.close(launch.self);
    teg_trace_close(trace);
}
END_TEST

START_TEST(only_sketches_have_parameters)
{
    static const char TEXT[] = "-kernel name = k\n-grid dim = (1,1,1)\n";
    const char *set = "N=3";
    struct teg_trace_options options = {.set = &set, .set_count = 1};
    struct teg_trace *trace;
    struct teg_diag d;

    ck_assert_int_ne(teg_trace_open_memory("m", (const uint8_t *)TEXT,
                                           sizeof TEXT - 1, &options, &trace,
                                           &d),
                     TEG_OK);
    ck_assert_ptr_nonnull(
        strstr(d.what, "expected a kernel sketch for the parameter 'N=3'"));
}
END_TEST

#define ROWS(table) ((int)(sizeof(table) / sizeof(table)[0]))

int main(void)
{
    Suite *suite = suite_create("sketch");
    TCase *expansion = tcase_create("expansion");
    TCase *lines = tcase_create("lines");
    SRunner *runner;
    int failed;

    tcase_add_test(expansion, every_warp_executes_every_line);
    tcase_add_test(expansion, threads_that_a_block_lacks_are_inactive);
    tcase_add_test(expansion, blocks_come_in_grid_order_with_x_fastest);
    tcase_add_test(expansion, threads_are_numbered_x_then_y_then_z);
    tcase_add_test(expansion, variables_name_thread_warp_and_launch);
    tcase_add_test(expansion, a_loop_executes_the_same_instructions_again);
    tcase_add_test(expansion, a_loop_has_first_bound_and_step);
    tcase_add_test(expansion, inner_bounds_may_use_outer_counters);
    tcase_add_test(expansion, lanes_leave_a_loop_one_after_the_other);
    tcase_add_test(expansion,
                   a_counter_may_start_at_another_value_in_each_lane);
    tcase_add_test(expansion, repeat_makes_new_instructions);
    tcase_add_test(expansion,
                   a_guard_selects_lanes_and_an_empty_one_still_issues);
    tcase_add_test(expansion, both_sides_of_a_divergent_if_serialise);
    tcase_add_test(expansion, a_side_without_lanes_is_skipped);
    tcase_add_test(expansion,
                   an_if_of_a_constant_leaves_no_trace_of_the_other_side);
    tcase_add_test(expansion, exit_ends_its_lanes);
    tcase_add_test(expansion, addresses_may_follow_any_expression);
    tcase_add_test(expansion, a_constant_load_may_have_addresses_in_its_bank);
    tcase_add_test(expansion, strides_beyond_32_bits_are_kept);
    tcase_add_test(expansion, launches_of_one_sketch_do_not_disturb_each_other);
    tcase_add_test(expansion, an_address_outside_of_shared_memory_is_remarked);
    suite_add_tcase(suite, expansion);

    tcase_add_loop_test(lines, operands_are_results_and_sources_as_in_a_listing,
                        0, ROWS(LISTING));
    tcase_add_test(lines, a_guard_with_a_register_depends_on_it);
    tcase_add_test(lines, an_unknown_opcode_is_taken_with_what_is_written);
    tcase_add_test(lines, annotations_fill_the_control_codes);
    tcase_add_test(lines, the_head_describes_the_launch);
    tcase_add_test(lines, registers_left_out_are_those_the_instructions_use);
    tcase_add_test(lines, gt200_instructions_take_eight_bytes);
    tcase_add_test(lines, parameters_can_be_given_from_outside);
    tcase_add_test(lines, a_sketch_is_recognised_by_its_first_word);
    tcase_add_test(lines, a_sketch_is_a_trace);
    tcase_add_test(lines, only_sketches_have_parameters);
    suite_add_tcase(suite, lines);

    runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? 1 : 0;
}
