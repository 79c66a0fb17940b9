/* Grouped NVBit text: what each kind of line means, and what happens to files
 * that are not what they say.  Samples are written here by hand. */
#include "traces/nvbit/grouped.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/help_dump.h"

#define HEADER                                                         \
    "-kernel name = axpy\n"                                            \
    "-kernel id = 1\n"                                                 \
    "-grid dim = (1,1,1)\n"                                            \
    "-block dim = (32,1,1)\n"                                          \
    "-shmem = 128\n"                                                   \
    "-nregs = 24\n"                                                    \
    "-binary version = 70\n"                                           \
    "-cuda stream id = 0\n"                                            \
    "-shmem base_addr = 0x00007f0000000000\n"                          \
    "-local mem base_addr = 0x00007e0000000000\n"                      \
    "-nvbit version = 1.5.5\n"                                         \
    "-accelsim tracer version = 4\n"                                   \
    "-enable lineinfo = 0\n"                                           \
    "\n"                                                               \
    "#traces format = [line_num] PC mask dest_num [reg_dests] opcode " \
    "src_num [reg_srcs] mem_width [adrrescompress?] [mem_addresses]\n\n\n"
#define BEGIN     "#BEGIN_TB\n\nthread block = 0,0,0\n\n"
#define END       "\n#END_TB\n\n"
#define EXIT_LINE "0100 ffffffff 0 EXIT 0 0 \n"

/* Reads `text` and compares its dump; `notes` may be NULL. */
static void expect_dump(const char *text, const char *expected,
                        struct teg_notes *notes)
{
    teg_status status;
    struct teg_diag d = {0};
    char *dump =
        help_dump_memory("t", text, strlen(text), NULL, notes, &status, &d);

    ck_assert_msg(dump != NULL, "%s: %s", d.where, d.what);
    ck_assert_str_eq(dump, expected);
    free(dump);
}

/* One warp with `line` and an EXIT. */
static void expect_line(const char *line, const char *expected)
{
    char text[4096], wanted[2048];

    snprintf(text, sizeof text, "%s%swarp = 0\ninsts = 2\n%s\n%s%s", HEADER,
             BEGIN, line, EXIT_LINE, END);
    snprintf(wanted, sizeof wanted,
             "block 0,0,0\nwarp 0\n%s\n0100 ffffffff EXIT\n", expected);
    expect_dump(text, wanted, NULL);
}

static void expect_error(const char *text, const char *where, const char *what)
{
    struct teg_diag d = {0};

    ck_assert_int_eq(help_walk_memory("t", text, strlen(text), &d), TEG_FORMAT);
    ck_assert_str_eq(d.where, where);
    ck_assert_msg(strstr(d.what, what) != NULL, "%s", d.what);
}

/* Opens the launch alone, for what the header says. */
static struct teg_launch open_launch(const char *text,
                                     const struct teg_trace_options *options)
{
    static struct teg_source source;
    struct teg_launch launch;
    struct teg_diag d = {0};

    source = (struct teg_source){"t", (const uint8_t *)text, strlen(text)};
    ck_assert_msg(nvbit_launch(&source, options, &launch, &d) == TEG_OK,
                  "%s: %s", d.where, d.what);
    return launch;
}

/* ---- the header -------------------------------------------------------------- */

static const char plain[] = HEADER BEGIN
    "warp = 0\ninsts = 2\n"
    "0000 0000000f 1 R4 LDG.E.SYS 1 R2 4 1 0x1000 4 \n" EXIT_LINE END;

START_TEST(the_header_describes_the_kernel)
{
    struct teg_launch l = open_launch(plain, NULL);
    const struct teg_kernel *k = l.kernel;

    ck_assert_str_eq(k->name, "axpy");
    ck_assert_uint_eq(k->grid[0] * k->grid[1] * k->grid[2], 1);
    ck_assert_uint_eq(k->block[0], 32);
    ck_assert_uint_eq(k->registers, 24);
    ck_assert_uint_eq(k->shared_bytes, 128);
    ck_assert_uint_eq(k->isa, 70);
    ck_assert_uint_eq(k->shared_base, 0x7f0000000000u);
    ck_assert_uint_eq(k->local_base, 0x7e0000000000u);
    ck_assert_uint_eq(k->notes.count, 0);
    l.close(l.self);
}
END_TEST

START_TEST(options_override_the_header)
{
    struct teg_trace_options options = {.isa = 86, .registers = 99};
    struct teg_launch l = open_launch(plain, &options);

    ck_assert_uint_eq(l.kernel->isa, 86);
    ck_assert_uint_eq(l.kernel->registers, 99);
    l.close(l.self);
}
END_TEST

START_TEST(garbage_in_the_header_is_unknown_and_noted)
{
    static const char text[] =
        "-kernel name = k\n-grid dim = (1,1,1)\n-block dim = (32,1,1)\n"
        "-shmem = 4294934528\n-nregs = 0\n-binary version = 0\n" BEGIN
        "warp = 0\ninsts = 1\n" EXIT_LINE END;
    struct teg_launch l = open_launch(text, NULL);
    const struct teg_notes *notes = &l.kernel->notes;

    ck_assert_uint_eq(l.kernel->shared_bytes, 0);
    ck_assert_uint_eq(l.kernel->registers, 0);
    ck_assert_uint_eq(l.kernel->isa, 0);
    ck_assert_str_eq(help_note(notes, "header-shared"),
                     "expected 0 to 262144 bytes of shared memory, found "
                     "'4294934528'");
    ck_assert_str_eq(help_note(notes, "header-registers"),
                     "expected 1 to 255 registers, found '0'");
    ck_assert_str_eq(help_note(notes, "header-isa"),
                     "expected an SM version such as 70 or 86, found '0'");
    l.close(l.self);
}
END_TEST

START_TEST(dimensions_the_header_lacks_come_from_the_blocks)
{
    static const char text[] =
        "-kernel name = k\n"
        "#BEGIN_TB\nthread block = 2,0,0\nwarp = 0\ninsts = 1\n" EXIT_LINE
        "warp = 2\ninsts = 1\n" EXIT_LINE END
        "#BEGIN_TB\nthread block = 0,3,0\nwarp = 0\ninsts = 1\n" EXIT_LINE END;
    struct teg_launch l = open_launch(text, NULL);
    struct help_totals totals;

    ck_assert_uint_eq(l.kernel->grid[0], 3);
    ck_assert_uint_eq(l.kernel->grid[1], 4);
    ck_assert_uint_eq(l.kernel->grid[2], 1);
    ck_assert_uint_eq(l.kernel->block[0], 96);
    ck_assert_uint_eq(l.kernel->block[1], 1);
    ck_assert_str_eq(help_note(&l.kernel->notes, "header-grid"),
                     "expected a header line '-grid dim = ...', found none");
    ck_assert_int_eq(help_walk(&l, &totals, NULL), TEG_OK);
    ck_assert_uint_eq(totals.blocks, 2);
    ck_assert_uint_eq(totals.insts, 3);
    l.close(l.self);
}
END_TEST

/* ---- a line ---------------------------------------------------------------------- */

/* The same instruction as tracers 1 to 6 write it: with and without block and
 * warp, cluster numbers, source line, immediates, values. */
START_TEST(every_tracer_version_writes_the_same_instruction)
{
    static const char *const before[] = {
        "",
        "117 ",
        "0 0 0 0 ",
        "0 0 0 0 117 ",
        "0 0 0 0 0 0 0 0 0 0 0 ",
        "0 0 0 0 0 0 0 0 0 0 0 117 ",
    };
    static const char *const after[] = {
        "",
        " ",
        " 7",
        " 0 -1",
        " 0x3f800000 0 NoVal",
        " 4 0 STORE_DATA F64 2 REG0:T0:0 T1:0",
    };

    for (size_t i = 0; i < 6; i++) {
        for (size_t j = 0; j < 6; j++) {
            char line[256];

            snprintf(line, sizeof line,
                     "%s0010 0000000c 1 R4 LDG.E.SYS 1 R2 4 1 0x1000 4%s",
                     before[i], after[j]);
            expect_line(line, "0010 0000000c LDG.E.SYS R4, R2 @ 1000 1004");
            snprintf(line, sizeof line, "%s0020 ffffffff 1 R9 MOV 0 0%s",
                     before[i], after[j]);
            expect_line(line, "0020 ffffffff MOV R9");
        }
    }
}
END_TEST

START_TEST(a_line_number_becomes_the_source_line)
{
    static const char text[] = HEADER BEGIN "warp = 0\ninsts = 2\n"
                                            "117 0000 ffffffff 1 R1 MOV 0 0 \n"
                                            "0100 ffffffff 0 EXIT 0 0 \n" END;
    struct teg_launch l = open_launch(text, NULL);
    struct help_totals totals;

    ck_assert_int_eq(help_walk(&l, &totals, NULL), TEG_OK);
    ck_assert_uint_eq(l.kernel->program.count, 2);
    ck_assert_uint_eq(l.kernel->program.inst[0].line, 117);
    ck_assert_uint_eq(l.kernel->program.inst[1].line, 0);
    l.close(l.self);
}
END_TEST

START_TEST(addresses_come_in_five_modes)
{
    static const char *const lines[][2] = {
        {"0 0x100 0x9000 0xfffffffffffffffc", "100 9000 fffffffffffffffc"},
        {"0 100 9000 a", "100 9000 a"},
        {"1 0x100 8", "100 108 110"},
        {"1 0x100 -8", "100 f8 f0"},
        {"1 0x100 0 7 7", "100 100 100"},
        /* one difference fewer than active lanes, then an immediate */
        {"2 0x100 16 -4 999", "100 110 10c"},
        /* as many as active lanes */
        {"2 0x100 16 -4 0", "100 110 10c"},
        {"2 0x100 16 -4", "100 110 10c"},
        {"3 3 0x100 0x200 0x300", "100 200 300"},
        {"3 1 0x100", "100 100 100"},
        {"3 5 0x1 0x2 0x3 0x4 0x5", "1 2 3"},
        {"4 0x100 2 16 16", "100 110 120"},
        {"4 0x100 3 16 16 0", "100 110 120"},
    };

    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        char line[256], expected[256];

        snprintf(line, sizeof line, "0010 000000e0 1 R4 LDG.E.SYS 1 R2 4 %s ",
                 lines[i][0]);
        snprintf(expected, sizeof expected,
                 "0010 000000e0 LDG.E.SYS R4, R2 @ %s", lines[i][1]);
        expect_line(line, expected);
    }
}
END_TEST

START_TEST(one_active_lane_needs_no_difference)
{
    expect_line("0010 80000000 0 STS.64 2 R18 R2 8 2 0x20 0 ",
                "0010 80000000 STS.64 R18, R2 @ 20");
    expect_line("0010 80000000 0 STS.64 2 R18 R2 8 2 0x20",
                "0010 80000000 STS.64 R18, R2 @ 20");
}
END_TEST

START_TEST(a_mask_of_zero_touches_no_memory)
{
    expect_line("0010 00000000 1 R4 LDG.E.SYS 1 R2 4 1 0x0 0 ",
                "0010 00000000 LDG.E.SYS R4, R2");
    expect_line("0010 00000000 1 R4 LDG.E.SYS 1 R2 4 2 0x7777 ",
                "0010 00000000 LDG.E.SYS R4, R2");
}
END_TEST

/* Reads `text`; returns instruction `i` of its program. */
static struct teg_inst program_inst(const char *text, uint32_t i)
{
    struct teg_launch l = open_launch(text, NULL);
    struct help_totals totals;
    struct teg_inst inst;

    ck_assert_int_eq(help_walk(&l, &totals, NULL), TEG_OK);
    ck_assert_uint_gt(l.kernel->program.count, i);
    inst = l.kernel->program.inst[i];
    l.close(l.self);
    return inst;
}

START_TEST(the_width_is_the_opcodes)
{
    struct teg_inst inst = program_inst(
        HEADER BEGIN "warp = 0\ninsts = 1\n"
                     "0010 00000001 1 R4 LDG.E.128.SYS 1 R2 2 1 0x100 0\n" END,
        0);

    ck_assert_uint_eq(inst.width, 16);
    ck_assert_int_eq(inst.space, SPACE_GLOBAL);
    ck_assert_uint_eq(inst.dst[0].count, 4);
}
END_TEST

/* A load the tracer missed stays a load, but is not timed by address; where
 * the same place has addresses it is another static instruction. */
START_TEST(accesses_without_addresses_are_noted)
{
    struct teg_notes notes = {0};

    expect_dump(HEADER BEGIN "warp = 0\ninsts = 4\n"
                             "0010 0000000f 1 R4 LDG.E 1 R2 4\n"
                             "0010 0000000f 1 R4 LDG.E 1 R2 4 1 0x100 0\n"
                             "0010 0000000f 1 R4 LDG.E 1 R2 4\n"
                             "0020 0000000f 1 R4 LDG.E 1 R2 0 0 0\n" END,
                "block 0,0,0\nwarp 0\n"
                "0010 0000000f LDG.E R4, R2\n"
                "0010 0000000f LDG.E R4, R2 @ 100 100 100 100\n"
                "0010 0000000f LDG.E R4, R2\n"
                "0020 0000000f LDG.E R4, R2\n",
                &notes);
    ck_assert_uint_eq(teg_notes_count(&notes, "memory-without-addresses"), 1);
    ck_assert_uint_eq(teg_notes_count(&notes, "memory-width-0"), 1);
    teg_notes_release(&notes);
}
END_TEST

START_TEST(a_place_and_its_operands_make_an_instruction)
{
    static const char text[] =
        HEADER BEGIN "warp = 0\ninsts = 6\n"
                     "0010 ffffffff 1 R4 FADD 2 R1 R2 0 7\n"
                     "0010 0000ffff 1 R4 FADD 2 R1 R2 0 8\n"
                     "0010 ffffffff 1 R5 FADD 2 R1 R2 0 7\n"
                     "0020 ffffffff 1 R4 FADD 2 R1 R2 0 7\n"
                     "0010 ffffffff 1 R4 FADD.FTZ 2 R1 R2 0 7\n"
                     "0010 ffffffff 1 R4 FADD 2 R1 R2 0\n" END;
    struct teg_launch l = open_launch(text, NULL);
    struct help_totals totals;

    ck_assert_int_eq(help_walk(&l, &totals, NULL), TEG_OK);
    ck_assert_uint_eq(totals.insts, 6);
    ck_assert_uint_eq(l.kernel->program.count, 4);
    l.close(l.self);
}
END_TEST

START_TEST(zero_registers_carry_no_dependence)
{
    struct teg_inst inst = program_inst(
        HEADER BEGIN "warp = 0\ninsts = 1\n"
                     "0010 ffffffff 1 R255 MOV 2 R255 UR63 0\n" END,
        0);

    ck_assert_uint_eq(inst.dst_count, 0);
    ck_assert_uint_eq(inst.src_count, 0);
}
END_TEST

/* The last of 64 uniform registers is URZ up to Hopper and one like the others
 * from Blackwell on, which has 255 of them. */
START_TEST(ur63_is_zero_before_blackwell)
{
    static const struct {
        const char *version;
        uint8_t sources;
    } rows[] = {{"75", 0}, {"89", 0}, {"90", 0}, {"100", 1}, {"120", 1}};
    static const char body[] = BEGIN "warp = 0\ninsts = 1\n"
                                     "0010 ffffffff 1 R4 MOV 1 UR63 0\n" END;

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[2048], *at;
        struct teg_inst inst;

        snprintf(text, sizeof text, "%s%s", HEADER, body);
        at = strstr(text, "version = 70") + strlen("version = ");
        memmove(at + strlen(rows[i].version), at + 2, strlen(at + 2) + 1);
        memcpy(at, rows[i].version, strlen(rows[i].version));
        inst = program_inst(text, 0);
        ck_assert_uint_eq(inst.src_count, rows[i].sources);
        if (rows[i].sources == 1)
            ck_assert_uint_eq(inst.src[0].first, TEG_REG_UR + 63);
    }
}
END_TEST

/* The tracer writes an LDGSTS with its shared address, then again with its
 * global one; the grouped form may have kept both. */
START_TEST(an_ldgsts_written_twice_is_one)
{
    struct teg_notes notes = {0};

    expect_dump(HEADER BEGIN
                "warp = 0\ninsts = 6\n"
                "0010 00000003 0 LDGSTS.E.128 2 R9 R10 16 1 0x40 16 0\n"
                "0010 00000003 0 LDGSTS.E.128 2 R9 R10 16 1 0x7f00 16 0\n"
                "0020 00000003 0 LDGSTS.E.128 2 R9 R10 16 1 0x8f00 16 0\n"
                "0030 00000000 0 LDGSTS.E.128 2 R9 R10 16 1 0x0 0 0\n"
                "0030 00000000 0 LDGSTS.E.128 2 R9 R10 16 1 0x0 0 0\n"
                "0040 00000003 0 NOP 0 0\n" END,
                "block 0,0,0\nwarp 0\n"
                "0010 00000003 LDGSTS.E.128 R9, R10 @ 7f00 7f10\n"
                "0020 00000003 LDGSTS.E.128 R9, R10 @ 8f00 8f10\n"
                "0030 00000000 LDGSTS.E.128 R9, R10\n"
                "0040 00000003 NOP\n",
                &notes);
    ck_assert_uint_eq(teg_notes_count(&notes, "ldgsts-twice"), 2);
    teg_notes_release(&notes);
}
END_TEST

/* ---- blocks ------------------------------------------------------------------------ */

START_TEST(blank_lines_comments_and_crlf_mean_nothing)
{
    expect_dump("\r\n-grid dim = (2,1,1)\r\n-block dim = (64,1,1)\r\n"
                "-shmem = 0\r\n-nregs = 9\r\n-binary version = 80\r\n\r\n"
                "#traces format = lies\r\n#BEGIN_TB\r\n\r\n"
                "thread block = 1,0,0\r\ncluster id = 0,0,0\r\n"
                "cluster cta = 0,0,0\r\ncluster rank = 0\r\n\r\n\r\n"
                "warp = 1\r\ninsts = 1\r\n\r\n#remark\r\n"
                "c000 ffffffff 0 EXIT 0 0\r\n\r\n#END_TB\r\n\r\n"
                "#BEGIN_TB\r\nthread block = 0,0,0\r\nwarp = 0\r\n"
                "insts = 1\r\n0100 ffffffff 0 EXIT 0 0\r\n#END_TB\r\n",
                "block 1,0,0\nwarp 1\nc000 ffffffff EXIT\n"
                "block 0,0,0\nwarp 0\n0100 ffffffff EXIT\n",
                NULL);
}
END_TEST

START_TEST(counts_that_lie_are_noted)
{
    struct teg_notes notes = {0};

    expect_dump(HEADER BEGIN "warp = 0\ninsts = 7\n" EXIT_LINE
                             "warp = 1\ninsts = 0\n" EXIT_LINE
                             "warp = 2\n" EXIT_LINE END,
                "block 0,0,0\nwarp 0\n0100 ffffffff EXIT\n"
                "warp 1\n0100 ffffffff EXIT\n"
                "warp 2\n0100 ffffffff EXIT\n",
                &notes);
    ck_assert_uint_eq(teg_notes_count(&notes, "insts-count"), 2);
    ck_assert_str_eq(help_note(&notes, "insts-count"),
                     "expected 7 instructions of block (0,0,0) warp 0 as "
                     "declared, found 1");
    ck_assert_uint_eq(teg_notes_count(&notes, "insts-missing"), 1);
    ck_assert_uint_eq(teg_notes_count(&notes, "warp-outside-block"), 2);
    teg_notes_release(&notes);
}
END_TEST

START_TEST(empty_warps_and_blocks_are_left_out_and_noted)
{
    struct teg_notes notes = {0};

    expect_dump("-grid dim = (3,1,1)\n-block dim = (64,1,1)\n-shmem = 0\n"
                "-nregs = 9\n-binary version = 80\n"
                "#BEGIN_TB\nthread block = 0,0,0\n#END_TB\n"
                "#BEGIN_TB\nthread block = 1,0,0\nwarp = 0\ninsts = 0\n"
                "warp = 1\ninsts = 1\n" EXIT_LINE "#END_TB\n"
                "#BEGIN_TB\nthread block = 2,0,0\nwarp = 0\ninsts = 0\n"
                "#END_TB\n",
                "block 1,0,0\nwarp 1\n0100 ffffffff EXIT\n", &notes);
    ck_assert_uint_eq(teg_notes_count(&notes, "empty-warp"), 2);
    ck_assert_uint_eq(teg_notes_count(&notes, "empty-block"), 2);
    ck_assert_str_eq(help_note(&notes, "partial-grid"),
                     "expected the 3 blocks of the grid, found 1");
    teg_notes_release(&notes);
}
END_TEST

START_TEST(instructions_after_exit_stay_and_are_noted)
{
    struct teg_notes notes = {0};

    expect_dump(HEADER BEGIN "warp = 0\ninsts = 4\n"
                             "0000 0000000f 0 EXIT 0 0\n"
                             "0010 fffffff0 0 NOP 0 0\n"
                             "0100 fffffff0 0 EXIT 0 0\n"
                             "0110 00000001 0 NOP 0 0\n" END,
                "block 0,0,0\nwarp 0\n"
                "0000 0000000f EXIT\n0010 fffffff0 NOP\n"
                "0100 fffffff0 EXIT\n0110 00000001 NOP\n",
                &notes);
    /* A warp that goes on without the exited lanes is as it should be. */
    ck_assert_uint_eq(teg_notes_count(&notes, "after-exit"), 1);
    teg_notes_release(&notes);
}
END_TEST

START_TEST(a_missing_end_mark_is_noted)
{
    struct teg_notes notes = {0};

    expect_dump(HEADER BEGIN "warp = 0\ninsts = 1\n" EXIT_LINE BEGIN
                             "warp = 0\ninsts = 1\n" EXIT_LINE END,
                "block 0,0,0\nwarp 0\n0100 ffffffff EXIT\n"
                "block 0,0,0\nwarp 0\n0100 ffffffff EXIT\n",
                &notes);
    ck_assert_uint_eq(teg_notes_count(&notes, "end-missing"), 1);
    teg_notes_release(&notes);
}
END_TEST

/* ---- damage -------------------------------------------------------------------------- */

START_TEST(a_cut_file_names_what_is_missing)
{
    expect_error(HEADER BEGIN "warp = 3\ninsts = 113\n" EXIT_LINE
                              "0110 0000000f 1 R8",
                 "t:25",
                 "expected 112 more instructions of block (0,0,0) warp 3, "
                 "found the end of the file");
    expect_error(HEADER BEGIN "warp = 0\ninsts = 1\n" EXIT_LINE, "t:24",
                 "expected '#END_TB' of block (0,0,0), found the end");
    expect_error(HEADER, "t", "expected at least one thread block");
}
END_TEST

START_TEST(a_line_that_is_none_is_an_error)
{
    static const char *const lines[][2] = {
        {"0110 fffffff 1 R1 MOV 0 0", "expected an instruction"},
        {"hello world", "expected an instruction"},
        {"0110 ffffffff 1 R1", "an opcode, found the end of the line"},
        {"0110 ffffffff 1 R1 7MOV 0 0", "expected an opcode, found '7MOV'"},
        {"0110 ffffffff 1 R1 MOV x 0", "source registers, found 'x'"},
        {"0110 ffffffff 1 Q1 MOV 0 0", "expected a register, found 'Q1'"},
        {"0110 ffffffff 1 R1 MOV 0", "the memory width, found the end"},
        {"0110 ffffffff 1 R1 LDG 0 4 9 0", "an address mode of 0 to 4"},
        {"0110 ffffffff 1 R1 LDG 0 4 1 zz 4", "a base address, found 'zz'"},
        {"0110 0000000f 1 R1 LDG 0 4 2 0x0 1 2", "a difference for each"},
        {"0110 0000000f 1 R1 LDG 0 4 0 0x0 0x4", "an address for each"},
        {"0110 ffffffff 17 R1 MOV 0 0", "destination registers, found '17'"},
    };

    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        char text[4096];

        snprintf(text, sizeof text, "%s%swarp = 0\ninsts = 3\n%s%s\n%s%s",
                 HEADER, BEGIN, EXIT_LINE, lines[i][0], EXIT_LINE, END);
        expect_error(text, "t:25", lines[i][1]);
    }
}
END_TEST

START_TEST(lines_out_of_place_are_errors)
{
    expect_error(HEADER "#BEGIN_TB\nwarp = 0\n", "t:19",
                 "expected 'thread block = x,y,z', found 'warp = 0'");
    expect_error(HEADER BEGIN EXIT_LINE, "t:22", "expected 'warp = W'");
    expect_error(HEADER "0000 ffffffff 0 EXIT 0 0\n", "t:18",
                 "expected #BEGIN_TB");
    expect_error(HEADER BEGIN "warp = 99999999999999999999\n", "t:22",
                 "expected a warp number below 1024, found 4294967295");
    expect_error(HEADER "#BEGIN_TB\nthread block = 0;0,0\n", "t:19",
                 "expected 'thread block = x,y,z'");
}
END_TEST

static const char rich[] =
    "-kernel name = k\n-grid dim = (2,1,1)\n-block dim = (64,1,1)\n"
    "-shmem = 0\n-nregs = 9\n-binary version = 80\n\n"
    "#BEGIN_TB\nthread block = 0,0,0\nwarp = 0\ninsts = 3\n"
    "0000 0000000f 1 R4 LDG.E 1 R2 4 2 0x7f0000001000 4 -8 4 0\n"
    "7 0010 00000007 1 R4 LDS.U 1 R2 4 0 0x10 0x20 0x30\n"
    "0020 ffffffff 0 EXIT 0 0 0\n"
    "warp = 1\ninsts = 2\n"
    "0 0 0 1 0008 80000001 0 LDGSTS.E.128 2 R9 R10 16 3 2 0x40 0x80\n"
    "0020 ffffffff 0 EXIT 0 0 0\n#END_TB\n"
    "#BEGIN_TB\nthread block = 1,0,0\nwarp = 0\ninsts = 1\n"
    "0030 ffffffff 0 STG.E 2 R1 R2 4 4 0x100 31 4 4 4 4 4 4 4 4 4 4 4 4 4 4 4 "
    "4 4 4 4 4 4 4 4 4 4 4 4 4 4 4 4\n#END_TB\n";

START_TEST(damage_anywhere_ends_in_an_error_or_in_a_trace)
{
    ck_assert_int_eq(help_walk_memory("t", rich, strlen(rich), NULL), TEG_OK);
    help_damage(rich, strlen(rich));
}
END_TEST

/* The tables that grow: more instructions and longer texts than their first
 * capacity. */
START_TEST(many_static_instructions_are_told_apart)
{
    enum {
        INSTS = 5000
    };
    char *text = malloc(INSTS * 2 * 64 + sizeof HEADER + 256), *at = text;
    struct teg_launch l;
    struct help_totals totals;

    ck_assert_ptr_nonnull(text);
    at += sprintf(at, "%s%swarp = 0\ninsts = %d\n", HEADER, BEGIN, 2 * INSTS);
    for (int i = 0; i < 2 * INSTS; i++)
        at += sprintf(at, "%04x ffffffff 1 R%d FADD 1 R7 0\n",
                      i % INSTS / 2 * 16, i % 2);
    sprintf(at, "%s", END);
    l = open_launch(text, NULL);
    ck_assert_int_eq(help_walk(&l, &totals, NULL), TEG_OK);
    ck_assert_uint_eq(totals.insts, 2 * INSTS);
    ck_assert_uint_eq(l.kernel->program.count, INSTS);
    l.close(l.self);
    free(text);
}
END_TEST

START_TEST(a_launch_can_be_opened_again)
{
    struct teg_trace *trace;
    struct teg_launch a, b;
    struct help_totals first, second;

    ck_assert_int_eq(teg_trace_open_memory("t", (const uint8_t *)plain,
                                           strlen(plain), NULL, &trace, NULL),
                     TEG_OK);
    ck_assert_int_eq(teg_trace_launch(trace, 0, &a, NULL), TEG_OK);
    ck_assert_int_eq(help_walk(&a, &first, NULL), TEG_OK);
    ck_assert_int_eq(teg_trace_launch(trace, 0, &b, NULL), TEG_OK);
    a.close(a.self);
    ck_assert_int_eq(help_walk(&b, &second, NULL), TEG_OK);
    b.close(b.self);
    ck_assert_mem_eq(&first, &second, sizeof first);
    ck_assert_uint_eq(first.insts, 2);
    teg_trace_close(trace);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("traces/nvbit");
    TCase *tcase = tcase_create("nvbit");
    SRunner *runner = srunner_create(suite);
    int failed;

    tcase_set_timeout(tcase, 120);
    tcase_add_test(tcase, the_header_describes_the_kernel);
    tcase_add_test(tcase, options_override_the_header);
    tcase_add_test(tcase, garbage_in_the_header_is_unknown_and_noted);
    tcase_add_test(tcase, dimensions_the_header_lacks_come_from_the_blocks);
    tcase_add_test(tcase, every_tracer_version_writes_the_same_instruction);
    tcase_add_test(tcase, a_line_number_becomes_the_source_line);
    tcase_add_test(tcase, addresses_come_in_five_modes);
    tcase_add_test(tcase, one_active_lane_needs_no_difference);
    tcase_add_test(tcase, a_mask_of_zero_touches_no_memory);
    tcase_add_test(tcase, the_width_is_the_opcodes);
    tcase_add_test(tcase, accesses_without_addresses_are_noted);
    tcase_add_test(tcase, a_place_and_its_operands_make_an_instruction);
    tcase_add_test(tcase, zero_registers_carry_no_dependence);
    tcase_add_test(tcase, ur63_is_zero_before_blackwell);
    tcase_add_test(tcase, an_ldgsts_written_twice_is_one);
    tcase_add_test(tcase, blank_lines_comments_and_crlf_mean_nothing);
    tcase_add_test(tcase, counts_that_lie_are_noted);
    tcase_add_test(tcase, empty_warps_and_blocks_are_left_out_and_noted);
    tcase_add_test(tcase, instructions_after_exit_stay_and_are_noted);
    tcase_add_test(tcase, a_missing_end_mark_is_noted);
    tcase_add_test(tcase, a_cut_file_names_what_is_missing);
    tcase_add_test(tcase, a_line_that_is_none_is_an_error);
    tcase_add_test(tcase, lines_out_of_place_are_errors);
    tcase_add_test(tcase, damage_anywhere_ends_in_an_error_or_in_a_trace);
    tcase_add_test(tcase, many_static_instructions_are_told_apart);
    tcase_add_test(tcase, a_launch_can_be_opened_again);
    suite_add_tcase(suite, tcase);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? 1 : 0;
}
