/*
 * Single instructions on a warp with chosen registers, each by the plain and
 * the vector function.  What they must give is worked out by hand from the PTX
 * ISA's descriptions (prmt, shf, bfe, bmsk, dp4a, add.cc ...), beyond what the
 * fixture kernels reach.
 */
#include "traces/emulate/core/warp.h"

#include <stdio.h>
#include <string.h>

#include "tests/help_suite.h"
#include "tests/traces/emulate/help_single.h"
#include "traces/emulate/core/barriers.h"
#include "traces/emulate/core/half.h"
#include "traces/emulate/core/lanes.h"

/* R1, R2, R3 and predicates P1, P2 in; R0 and P0 out. */
struct row {
    const char *text;
    uint32_t a, b, c;
    int p1, p2;
    uint32_t r0;
    int p0; /* -1: not written */
};

enum {
    BEFORE = 0x5eed,
    ADDEND = 3, /* in R6, whose upper half R7 is 0 */
    ODD_LANES = 0x55555555
};

static const struct row rows[] = {
    /* permutations of the bytes 77 66 55 44 33 22 11 00 */
    {"PRMT R0, R1, R2, R3", 0x33221100, 0x7531, 0x77665544, 0, 0, 0x77553311,
     -1},
    {"PRMT R0, R1, R2, R3", 0x332211f0, 0xb980, 0x7766554f, 0, 0, 0x0000fff0,
     -1},
    {"PRMT.F4E R0, R1, R2, R3", 0x33221100, 1, 0x77665544, 0, 0, 0x44332211,
     -1},
    {"PRMT.B4E R0, R1, R2, R3", 0x33221100, 1, 0x77665544, 0, 0, 0x66770011,
     -1},
    {"PRMT.RC8 R0, R1, R2, R3", 0x33221100, 2, 0x77665544, 0, 0, 0x22222222,
     -1},
    {"PRMT.ECL R0, R1, R2, R3", 0x33221100, 2, 0x77665544, 0, 0, 0x33222222,
     -1},
    {"PRMT.ECR R0, R1, R2, R3", 0x33221100, 1, 0x77665544, 0, 0, 0x11111100,
     -1},
    {"PRMT.RC16 R0, R1, R2, R3", 0x33221100, 1, 0x77665544, 0, 0, 0x33223322,
     -1},
    /* {R3, R1} shifted; amounts beyond the width are the width */
    {"SHF.R.U64 R0, R1, R2, R3", 0x89abcdef, 40, 0x81234567, 0, 0, 0x00812345,
     -1},
    {"SHF.R.U64 R0, R1, R2, R3", 0x89abcdef, 70, 0x81234567, 0, 0, 0, -1},
    {"SHF.R.S64 R0, R1, R2, R3", 0x89abcdef, 70, 0x81234567, 0, 0, 0xffffffff,
     -1},
    {"SHF.R.W.U64 R0, R1, R2, R3", 0x89abcdef, 68, 0x81234567, 0, 0, 0x789abcde,
     -1},
    {"SHF.L.U64.HI R0, R1, R2, R3", 0x89abcdef, 33, 0x81234567, 0, 0,
     0x13579bde, -1},
    {"SHF.R.U32 R0, R1, R2, R3", 0x89abcdef, 40, 0x81234567, 0, 0, 0x81234567,
     -1},
    {"SHF.R.W.U32 R0, R1, R2, R3", 0x89abcdef, 36, 0x81234567, 0, 0, 0x789abcde,
     -1},
    {"SHF.R.S32.HI R0, R1, R2, R3", 0, 40, 0x81234567, 0, 0, 0xffffffff, -1},
    {"SHF.L.U32 R0, R1, R2, R3", 0x89abcdef, 32, 0x81234567, 0, 0, 0, -1},
    /* sums whose carry comes from the addition, or from the negation's 1 */
    {"LEA R0, P0, R1, R2, 0x2", 0x3fffffff, 4, 0, 0, 0, 0, 1},
    {"LEA R0, P0, R1, R2, 0x2", 0x3fffffff, 3, 0, 0, 0, 0xffffffff, 0},
    {"LEA R0, P0, -R1, R2, 0x2", 0, 0, 0, 0, 0, 0, 1},
    {"LEA R0, P0, -R1, R2, 0x2", 1, 3, 0, 0, 0, 0xffffffff, 0},
    {"LEA.HI R0, R1, R2, R3, 0x4", 0xf0000000, 1, 0x0abcdef0, 0, 0, 0xabcdef10,
     -1},
    {"LEA.HI.SX32 R0, R1, R2, 0x1", 0x80000000, 1, 0, 0, 0, 0, -1},
    {"LEA.HI.X.SX32 R0, R1, R2, 0x1, P1", 0x80000000, 1, 0, 1, 0, 1, -1},
    {"IADD3 R0, P0, R1, R2, R3", 0xffffffff, 1, 0, 0, 0, 0, 1},
    {"IADD3 R0, P0, -R1, R2, RZ", 0, 0, 0, 0, 0, 0, 1},
    {"IADD3.X R0, P0, R1, R2, R3, P1, P2", 0xfffffffe, 0, 0, 1, 1, 0, 1},
    {"IADD3.X R0, P0, R1, R2, R3, P1, P2", 0xfffffffe, 0, 0, 1, 0, 0xffffffff,
     0},
    /* 64-bit comparisons by their upper words and the lower ones' result */
    {"ISETP.LT.AND.EX P0, PT, R1, R2, PT, P1", 5, 5, 0, 1, 0, BEFORE, 1},
    {"ISETP.LT.AND.EX P0, PT, R1, R2, PT, P1", 5, 5, 0, 0, 0, BEFORE, 0},
    {"ISETP.GE.AND.EX P0, PT, R1, R2, PT, P1", 6, 5, 0, 0, 0, BEFORE, 1},
    {"ISETP.NE.AND.EX P0, PT, R1, R2, PT, P1", 5, 5, 0, 1, 0, BEFORE, 1},
    /* fields and counts */
    {"SGXT R0, R1, R2", 0x1234ff80, 8, 0, 0, 0, 0xffffff80, -1},
    {"SGXT.U32 R0, R1, R2", 0x1234ff80, 8, 0, 0, 0, 0x80, -1},
    {"SGXT R0, R1, R2", 0x1234ff80, 40, 0, 0, 0, 0x1234ff80, -1},
    {"SGXT.W R0, R1, R2", 0x1234ff80, 40, 0, 0, 0, 0xffffff80, -1},
    {"BMSK R0, R1, R2", 4, 8, 0, 0, 0, 0xff0, -1},
    {"BMSK R0, R1, R2", 40, 8, 0, 0, 0, 0, -1},
    {"BMSK.W R0, R1, R2", 40, 8, 0, 0, 0, 0xff00, -1},
    {"FLO.U32 R0, R2", 0, 0x00010000, 0, 0, 0, 16, -1},
    {"FLO.U32.SH R0, R2", 0, 0x00010000, 0, 0, 0, 15, -1},
    {"FLO R0, R2", 0, 0xfffeffff, 0, 0, 0, 16, -1},
    {"FLO.U32 R0, R2", 0, 0, 0, 0, 0, 0xffffffff, -1},
    /* the units for special functions have no denormals (rcp.approx.ftz) */
    {"MUFU.RCP R0, R2", 0, 0x00400000, 0, 0, 0, 0x7f800000, -1},
    {"MUFU.RCP R0, R2", 0, 0x807fffff, 0, 0, 0, 0xff800000, -1},
    {"MUFU.RCP R0, R2", 0, 0x7e800001, 0, 0, 0, 0, -1},
    {"MUFU.RCP R0, R2", 0, 0x7e800000, 0, 0, 0, 0x00800000, -1},
    {"MUFU.RSQ R0, R2", 0, 0x80000001, 0, 0, 0, 0xff800000, -1},
    {"MUFU.SQRT R0, R2", 0, 0x00000001, 0, 0, 0, 0, -1},
    {"MUFU.LG2 R0, R2", 0, 0x00000001, 0, 0, 0, 0xff800000, -1},
    {"MUFU.RSQ R0, R2", 0, 0xbf800000, 0, 0, 0, 0x7fffffff, -1},
    {"MUFU.RCP R0, R2", 0, 0x7fc12345, 0, 0, 0, 0x7fffffff, -1},
    {"MUFU.RCP64H R0, R2", 0, 0x7ff80001, 0, 0, 0, 0x7ff80001, -1},
    {"MUFU.EX2 R0, R2", 0, 0xc2fe0000, 0, 0, 0, 0, -1},
    {"MUFU.EX2 R0, R2", 0, 0xc2fc0000, 0, 0, 0, 0x00800000, -1},
    /* 1*2 + -1*3 + 127*4 - 128*5, and unsigned */
    {"IDP.4A.S8.S8 R0, R1, R2, R3", 0x807fff01, 0x05040302, 10, 0, 0,
     (uint32_t)(2 - 3 + 508 - 640 + 10), -1},
    {"IDP.4A.U8.U8 R0, R1, R2, R3", 0x807fff01, 0x05040302, 10, 0, 0,
     2 + 765 + 508 + 640 + 10, -1},
    {"IDP.2A.LO.S16.S8 R0, R1, R2, R3", 0xffff0002, 0x05040302, 10, 0, 0,
     (uint32_t)(4 - 3 + 10), -1},
    {"IDP.2A.HI.S16.S8 R0, R1, R2, R3", 0xffff0002, 0x05040302, 10, 0, 0,
     (uint32_t)(8 - 5 + 10), -1},
    {"VABSDIFF4.U8.ACC R0, R1, R2, R3", 0xff008001, 0x00ff0102, 7, 0, 0,
     255 + 255 + 127 + 1 + 7, -1},
    {"IMAD.HI.U32 R0, R1, R2, R3", 0xffffffff, 0xffffffff, 5, 0, 0, 0xfffffffe,
     -1},
    /* the lower word of 2 * 5 + 3, and - 3 */
    {"IMAD.WIDE.U32 R0, R1, R3, R6", 2, 0, 5, 0, 0, 13, -1},
    {"IMAD.WIDE.U32 R0, R1, R3, -R6", 2, 0, 5, 0, 0, 7, -1},
    {"LOP3.LUT P0, R0, R1, R2, R3, 0x96, !PT", 0xff00ff00, 0xf0f0f0f0,
     0xcccccccc, 0, 0, 0xc33cc33c, 1},
    {"LOP3.LUT P0, R0, R1, R2, R3, 0x80, !PT", 0xf0, 0x0f, 0xff, 0, 0, 0, 0},
    /* lop3.or and lop3.and of PTX with a predicate that is true */
    {"LOP3.LUT P0, R0, R1, R2, R3, 0x80, PT", 0xf0, 0x0f, 0xff, 0, 0, 0, 1},
    {"LOP3.LUT.PAND P0, R0, R1, R2, R3, 0x80, PT", 0xf0, 0x0f, 0xff, 0, 0, 0,
     0},
};

/* Of one half of a register, by generations: 2^3, 2^-2, tanh 1 = 0.76159; 2^-127 is
 * a denormal bfloat16, 2^-14.5 a half, which has them. */
static const struct {
    uint32_t cc;
    struct row row;
} halves[] = {
    {75, {"MUFU.EX2.F16 R0, R2", 0, 0x4200, 0, 0, 0, 0x4800, -1}},
    {80, {"MUFU.EX2.F16 R0, -R2.H1", 0, 0x40000000, 0, 0, 0, 0x3400, -1}},
    {89, {"MUFU.TANH.F16 R0, R2", 0, 0x3c00, 0, 0, 0, 0x3a18, -1}},
    {90, {"MUFU.EX2.F16 R0, R2", 0, 0x4200, 0, 0, 0, 0x4800, -1}},
    {90, {"MUFU.TANH.BF16 R0, R2", 0, 0x3f80, 0, 0, 0, 0x3f43, -1}},
    {100, {"MUFU.EX2.BF16 R0, R2.H1", 0, 0x40400000, 0, 0, 0, 0x4100, -1}},
    {120, {"MUFU.EX2.BF16 R0, R2", 0, 0xc2fe, 0, 0, 0, 0, -1}},
    {120, {"MUFU.EX2.F16 R0, R2", 0, 0xcb40, 0, 0, 0, 0x02d4, -1}},
};

/* Narrow floats: 2.5 lies between 2 and 3, -7 beyond 6; 3 between powers of two;
 * 1 + 2^-11 drops 13 bits of which the first is set. */
static const struct {
    uint32_t cc;
    struct row row;
} conversions[] = {
    /* bytes: 255.5 beyond, 2.5 between, what is negative or no number */
    {86,
     {"F2IP.U8.F32.TRUNC.NTZ R0, RZ, R2, RZ", 0, 0x437f8000, 0, 0, 0, 255, -1}},
    {90,
     {"F2IP.U8.F32.TRUNC.NTZ R0, RZ, R2, RZ", 0, 0x4042ffff, 0, 0, 0, 3, -1}},
    {100, {"F2IP.U8.F32.NTZ R0, RZ, R2, RZ", 0, 0x40200000, 0, 0, 0, 2, -1}},
    {120, {"F2IP.U8.F32.NTZ R0, RZ, R2, RZ", 0, 0xc2c80000, 0, 0, 0, 0, -1}},
    {120, {"F2IP.U8.F32.NTZ R0, RZ, R2, RZ", 0, 0xffc00000, 0, 0, 0, 0, -1}},
    {100,
     {"F2FP.SATFINITE.E2M1.F32.PACK_AB_MERGE_C R0, R1, R2, R3", 0x40200000,
      0xc0e00000, 0x00abcdef, 0, 0, 0xabcdef4f, -1}},
    {120,
     {"F2FP.SATFINITE.E2M3.F32.PACK_AB_MERGE_C R0, R1, R2, R3.H1", 0x3f800000,
      0x7fc00000, 0x12345678, 0, 0, 0x1234081f, -1}},
    {103,
     {"F2FP.SATFINITE.RELU.E3M2.F32.PACK_AB_MERGE_C R0, R1, R2, RZ", 0xc1e00000,
      0x41e00000, 0, 0, 0, 0x0000001f, -1}},
    {100,
     {"F2FP.E8.F32.PACK_AB_MERGE_C.RP R0, R1, R2, R3", 0x40400000, 0x3f800000,
      0, 0, 0, 0x817f, -1}},
    {100,
     {"F2FP.SATFINITE.E8.F32.PACK_AB_MERGE_C.RZ R0, R1, R2, R3", 0xc0400000,
      0x7f800000, 0, 0, 0, 0x80fe, -1}},
    {120,
     {"F2FP.E8.BF16.UNPACK_B_MERGE_C.RZ R0, R2, R3", 0, 0x7f803f80, 0x55aa, 0,
      0, 0x55aaff7f, -1}},
    {120,
     {"F2FP.F16.E2M1.UNPACK_B R0, R2.B3", 0, 0xc7000000, 0, 0, 0, 0xc0004600,
      -1}},
    {100,
     {"F2FP.F16.E3M2.UNPACK_B R0, R2.H1", 0, 0x3f010000, 0, 0, 0, 0xcf002c00,
      -1}},
    {100, {"F2FP.BF16.E8.UNPACK_B R0, R2", 0, 0xff00, 0, 0, 0, 0x7fff0040, -1}},
    {100,
     {"F2FP.F16.F32.PACK_AB.RS R0, R1, R2, R3", 0x3f801000, 0x3f801000,
      0x10000fff, 0, 0, 0x3c013c00, -1}},
    /* just below 65536, and beyond */
    {103,
     {"F2FP.F16.F32.PACK_AB.RS R0, R1, R2, R3", 0x477fffff, 0xc77fffff,
      0xe0010000, 0, 0, 0x7c00fbff, -1}},
    {103,
     {"F2FP.SATFINITE.F16.F32.PACK_AB.RS R0, R1, R2, R3", 0x47800000,
      0xff800000, 0, 0, 0, 0x7bfffbff, -1}},
    {100,
     {"F2FP.RELU.BF16.F32.PACK_AB.RS R0, R1, R2, R3", 0xbf808000, 0x3f808000,
      0x80008000, 0, 0, 0x00003f81, -1}},
};

static struct emu_warp warp;
static uint32_t generation = 80;

static void set_row(unsigned r, uint32_t v)
{
    for (int l = 0; l < EMU_LANES; l++)
        warp.r[r][l] = v;
}

static void run(const struct row *row, int plain, uint32_t mask)
{
    char text[TEG_SASS_TEXT];
    uint8_t bytes[TEG_SASS_BYTES];
    struct emu_block block = {.cc = generation};
    struct emu_fixed fixed = {0};
    struct emu_op op;
    struct teg_sass s;
    struct teg_diag d;

    snprintf(text, sizeof text, "%s ;", row->text);
    ck_assert_msg(teg_sass_read(&s, text, 0, generation), "%s is not read",
                  text);
    for (unsigned i = 0; i < TEG_SASS_BYTES; i++)
        bytes[i] = (uint8_t)(s.word[i / 8] >> 8 * (i % 8));
    emu_op_prepare(&op, bytes, 0, generation, plain);
    ck_assert_msg(op.exec != NULL, "%s is not emulated", text);
    ck_assert_int_eq(emu_fixed_init(&fixed, &op, 1, &block, &d), TEG_OK);
    memset(&warp, 0, sizeof warp);
    warp.block = &block;
    warp.exists = EMU_ALL;
    warp.active = mask;
    warp.p[1] = row->p1 ? EMU_ALL : 0;
    warp.p[2] = row->p2 ? EMU_ALL : 0;
    warp.p[7] = EMU_ALL;
    set_row(0, BEFORE);
    set_row(1, row->a);
    set_row(2, row->b);
    set_row(3, row->c);
    set_row(6, ADDEND);
    op.exec(&warp, &op, mask);
    emu_fixed_release(&fixed);
}

static void check(const struct row *row, int plain, uint32_t mask)
{
    run(row, plain, mask);
    for (int l = 0; l < EMU_LANES; l++) {
        int in = mask >> l & 1;
        uint32_t want = in ? row->r0 : BEFORE;

        ck_assert_msg(warp.r[0][l] == want, "%s: R0 %08x, expected %08x",
                      row->text, warp.r[0][l], want);
        if (row->p0 >= 0)
            ck_assert_msg((int)(warp.p[0] >> l & 1) == (in && row->p0),
                          "%s: P0 of lane %d is not %d", row->text, l,
                          in && row->p0);
    }
}

/* Lanes outside the mask keep what they had. */
START_TEST(an_instruction_gives_what_its_description_says)
{
    for (int plain = 0; plain < 2; plain++) {
        check(&rows[_i], plain, EMU_ALL);
        check(&rows[_i], plain, ODD_LANES);
    }
}
END_TEST

START_TEST(special_functions_of_halves)
{
    generation = halves[_i].cc;
    for (int plain = 0; plain < 2; plain++) {
        check(&halves[_i].row, plain, EMU_ALL);
        check(&halves[_i].row, plain, ODD_LANES);
    }
    generation = 80;
}
END_TEST

START_TEST(narrow_floats_and_random_bits)
{
    generation = conversions[_i].cc;
    for (int plain = 0; plain < 2; plain++)
        check(&conversions[_i].row, plain, ODD_LANES);
    generation = 80;
}
END_TEST

/* What PTX leaves open ends with a fault: no lane's result is guessed. */
START_TEST(what_random_bits_decide_is_known_or_a_fault)
{
    static const struct {
        const char *text, *what;
        uint32_t a;
    } row[] = {
        {"F2FP.F16.F32.PACK_AB.RS R0, R1, R2, R3 ;", "a denormal half",
         0x387fffff},
        {"F2FP.SATFINITE.E4M3.F32.PACK_AB_MERGE_C.RS R0, R1, R2, R3 ;",
         "not emulated", 0x3f800000},
        {"F2FP.SATFINITE.E2M1.F32.PACK_AB_MERGE_C.RS R0, R1, R2, R3 ;",
         "not emulated", 0x3f800000},
        {"F2IP.U8.F32.NTZ R0, R1, R2, RZ ;", "not emulated", 0x3f800000},
        {"F2IP.S8.F32.TRUNC R0, RZ, R2, RZ ;", "not emulated", 0x3f800000},
    };
    struct help_single *h = help_single_new();

    ck_assert_ptr_nonnull(h);
    for (unsigned i = 0; i < sizeof row / sizeof *row; i++) {
        struct teg_sass s;

        ck_assert(teg_sass_read(&s, row[i].text, 0, 100));
        ck_assert(help_single_prepare(h, s.word, 100, 0));
        for (int l = 0; l < EMU_LANES; l++)
            h->warp.r[1][l] = row[i].a;
        ck_assert_int_ne(help_single_run(h, EMU_ALL), TEG_OK);
        ck_assert_msg(strstr(h->d.what, row[i].what) != NULL, "%s", h->d.what);
    }
    help_single_free(h);
}
END_TEST

/* Each lane has its own, of which guards leave some as they are. */
START_TEST(a_return_address_has_two_halves)
{
    static const struct {
        const char *text;
        uint32_t mask;
    } steps[] = {
        {"RPCMOV.32 Rpc.LO, R1", EMU_ALL},   {"RPCMOV.32 Rpc.HI, R2", EMU_ALL},
        {"RPCMOV.32 Rpc.LO, R2", ODD_LANES}, {"RPCMOV.32 R3, Rpc.LO", EMU_ALL},
        {"RPCMOV.32 R4, Rpc.HI", EMU_ALL},
    };
    struct help_single *h = help_single_new();

    ck_assert_ptr_nonnull(h);
    for (uint32_t l = 0; l < EMU_LANES; l++) {
        h->warp.r[1][l] = 100 + l;
        h->warp.r[2][l] = 200 + l;
    }
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        struct teg_sass s;

        ck_assert(teg_sass_read(&s, steps[i].text, 0, 120));
        ck_assert(help_single_prepare(h, s.word, 120, i % 2 == 0));
        ck_assert(help_single_run(h, steps[i].mask) == TEG_OK);
    }
    for (uint32_t l = 0; l < EMU_LANES; l++) {
        ck_assert_uint_eq(h->warp.r[3][l],
                          (ODD_LANES >> l & 1 ? 200 : 100) + l);
        ck_assert_uint_eq(h->warp.r[4][l], 200 + l);
    }
    help_single_free(h);
}
END_TEST

/* Down by 8 in segments of 16: the upper half of each reads its own lane. */
START_TEST(a_shuffle_stays_in_its_segment)
{
    static const struct row down = {.text = "SHFL.DOWN P0, R0, R1, 0x8, 0x101f",
                                    .a = 1};

    for (int plain = 0; plain < 2; plain++) {
        run(&down, plain, EMU_ALL);
        ck_assert_uint_eq(warp.p[0], 0x00ff00ff);
    }
}
END_TEST

/* Undefined, so not what its register happens to hold; and counted. */
START_TEST(a_shuffle_from_a_lane_that_takes_no_part_gives_nothing)
{
    static const struct row down = {.text = "SHFL.DOWN P0, R0, R1, 0x1, 0x1f",
                                    .a = 7};

    for (int plain = 0; plain < 2; plain++) {
        run(&down, plain, ODD_LANES);
        for (int l = 0; l < EMU_LANES; l += 2)
            ck_assert_uint_eq(warp.r[0][l], 0);
        ck_assert_uint_eq(warp.undefined[EMU_STRAY_SHUFFLES], EMU_LANES / 2);
        run(&down, plain, EMU_ALL);
        ck_assert_uint_eq(warp.r[0][0], 7);
        ck_assert_uint_eq(warp.undefined[EMU_STRAY_SHUFFLES], 0);
    }
}
END_TEST

static void come_to_warpsync(uint32_t lanes, uint32_t named)
{
    emu_set_state(&warp, lanes, LANE_AT_BSYNC);
    for (int l = 0; l < EMU_LANES; l++) {
        if (lanes >> l & 1) {
            warp.waits_at[l] = EMU_AT_WARPSYNC;
            warp.waits_for[l] = named;
        }
    }
    emu_release_converged(&warp);
}

/* A meeting of eight lanes is not the one that the others wait for. */
START_TEST(lanes_wait_for_those_who_name_the_same)
{
    memset(&warp, 0, sizeof warp);
    warp.exists = warp.in[LANE_RUNS] = EMU_ALL;
    come_to_warpsync(EMU_ALL & ~0xffu, EMU_ALL);
    ck_assert_uint_eq(warp.in[LANE_RUNS], 0xff);
    come_to_warpsync(0x0f, 0xff);
    ck_assert_uint_eq(warp.in[LANE_RUNS], 0xf0);
    come_to_warpsync(0xf0, 0xff);
    ck_assert_uint_eq(warp.in[LANE_RUNS], 0xff);
    come_to_warpsync(0xff, EMU_ALL);
    ck_assert_uint_eq(warp.in[LANE_RUNS], EMU_ALL);
}
END_TEST

/* Two lanes of a branch name all, the others wait where the branch ends; but
 * whoever may still come is waited for. */
START_TEST(lanes_go_on_without_those_who_wait_for_them)
{
    memset(&warp, 0, sizeof warp);
    warp.exists = warp.in[LANE_RUNS] = EMU_ALL;
    emu_meet(&warp, 1, EMU_ALL);
    emu_set_state(&warp, EMU_ALL & ~0x7u, LANE_AT_BSYNC);
    memset(warp.waits_at, 1, sizeof warp.waits_at);
    come_to_warpsync(0x3, EMU_ALL);
    ck_assert_uint_eq(emu_release_lone(&warp), 0);
    emu_set_state(&warp, 0x4, LANE_AT_BARRIER);
    ck_assert_uint_eq(emu_release_lone(&warp), 0);
    emu_set_state(&warp, 0x4, LANE_AT_BSYNC);
    ck_assert_uint_eq(emu_release_lone(&warp), 0x3);
    ck_assert_uint_eq(warp.in[LANE_RUNS], 0x3);
    ck_assert_uint_eq(warp.undefined[EMU_LONE_SYNCS], 1);
    /* Nobody at a WARPSYNC: it stays as it is. */
    emu_set_state(&warp, 0x3, LANE_AT_BSYNC);
    memset(warp.waits_at, 1, sizeof warp.waits_at);
    ck_assert_uint_eq(emu_release_lone(&warp), 0);
}
END_TEST

/* Halves near 1 are 2^-10 apart: what lies in the middle becomes even. */
START_TEST(ties_of_halves_become_even)
{
    ck_assert_uint_eq(half_bits(1 + 0x1p-11), 0x3c00);
    ck_assert_uint_eq(half_bits(1 + 0x1p-11 + 0x1p-30), 0x3c01);
    ck_assert_uint_eq(half_bits(1 + 3 * 0x1p-11), 0x3c02);
    ck_assert_uint_eq(half_bits(-1 - 3 * 0x1p-11), 0xbc02);
}
END_TEST

HELP_MAIN("emulate ops", 30,
          {an_instruction_gives_what_its_description_says,
           sizeof rows / sizeof rows[0]},
          {special_functions_of_halves, sizeof halves / sizeof halves[0]},
          {narrow_floats_and_random_bits,
           sizeof conversions / sizeof conversions[0]},
          {what_random_bits_decide_is_known_or_a_fault, 0},
          {a_return_address_has_two_halves, 0},
          {a_shuffle_stays_in_its_segment, 0},
          {a_shuffle_from_a_lane_that_takes_no_part_gives_nothing, 0},
          {lanes_wait_for_those_who_name_the_same, 0},
          {lanes_go_on_without_those_who_wait_for_them, 0},
          {ties_of_halves_become_even, 0})
