/*
 * Shapes of tensor products: what the vendor's disassembler prints for PTX's
 * mma and wgmma of every generation, and that PTX's m x n x k is counted.
 */
#include <string.h>

#include "isa/inst/inst.h"
#include "isa/inst/opcode.h"
#include "tests/help_suite.h"

START_TEST(opcodes_say_shape_and_types)
{
    static const struct {
        const char *opcode;
        uint16_t m, n, k;
        enum teg_tensor_type type;
        uint8_t flags;
        uint64_t multiply_adds; /* of one warp */
    } list[] = {
        {"HMMA.16816.F32", 16, 8, 16, TENSOR_F16_F32, 0, 2048},
        {"HMMA.16816.F16", 16, 8, 16, TENSOR_F16, 0, 2048},
        {"HMMA.16816.F32.BF16", 16, 8, 16, TENSOR_F16_F32, 0, 2048},
        {"HMMA.1688.F32", 16, 8, 8, TENSOR_F16_F32, 0, 1024},
        {"HMMA.1688.F32.TF32", 16, 8, 8, TENSOR_TF32, 0, 1024},
        {"HMMA.1684.F32.TF32", 16, 8, 4, TENSOR_TF32, 0, 512},
        {"HMMA.SP.16832.F16", 16, 8, 32, TENSOR_F16, TENSOR_SPARSE, 4096},
        {"IMMA.8816.S8.U8.SAT", 8, 8, 16, TENSOR_S8, 0, 1024},
        {"IMMA.8832.U4.S4", 8, 8, 32, TENSOR_S4, 0, 2048},
        {"IMMA.16832.S8.S8.SAT", 16, 8, 32, TENSOR_S8, 0, 4096},
        {"IMMA.SP.16864.S8.S8", 16, 8, 64, TENSOR_S8, TENSOR_SPARSE, 8192},
        {"IMMA.16864.S4.U4", 16, 8, 64, TENSOR_S4, 0, 8192},
        {"BMMA.88128.XOR.POPC", 8, 8, 128, TENSOR_B1, 0, 8192},
        {"BMMA.168256.AND.POPC", 16, 8, 256, TENSOR_B1, 0, 32768},
        {"DMMA.884", 8, 8, 4, TENSOR_F64, 0, 256},
        {"DMMA.8x8x4", 8, 8, 4, TENSOR_F64, 0, 256},
        {"DMMA.16x8x16", 16, 8, 16, TENSOR_F64, 0, 2048},
        {"QMMA.16832.F32.E4M3.E5M2", 16, 8, 32, TENSOR_F8_F32, 0, 4096},
        {"QMMA.16832.F16.E4M3.E4M3", 16, 8, 32, TENSOR_F8, 0, 4096},
        {"QMMA.16832.F32.E2M1.E2M1", 16, 8, 32, TENSOR_F6, 0, 4096},
        {"QMMA.16832.F32.E4M3.E3M2", 16, 8, 32, TENSOR_F6, 0, 4096},
        {"QMMA.SF.16832.F32.E4M3.E5M2.E8", 16, 8, 32, TENSOR_F8_SCALED, 0,
         4096},
        {"QMMA.SF.16832.F32.E2M1.E5M2.E8", 16, 8, 32, TENSOR_F8_SCALED, 0,
         4096},
        {"QMMA.SF.16832.F32.E2M1.E3M2.E8", 16, 8, 32, TENSOR_F6, 0, 4096},
        {"OMMA.SF.16864.F32.E2M1.E2M1.UE4M3.4X", 16, 8, 64, TENSOR_F4_SCALED, 0,
         8192},
        /* m8n8k4 of each quad pair: 4 x 256, in four steps or two. */
        {"HMMA.884.F32.F32.STEP3", 8, 8, 4, TENSOR_F16_F32, 0, 256},
        {"HMMA.884.F16.F16.STEP1", 8, 8, 4, TENSOR_F16, 0, 512},
        /* a quarter of 64 x N x k */
        {"HGMMA.64x128x16.F32", 64, 128, 16, TENSOR_F16_F32, TENSOR_GROUP,
         32768},
        {"HGMMA.64x8x16.F16", 64, 8, 16, TENSOR_F16, TENSOR_GROUP, 2048},
        {"HGMMA.64x256x8.F32.TF32", 64, 256, 8, TENSOR_TF32, TENSOR_GROUP,
         32768},
        {"HGMMA.SP.64x64x32.F32.BF16", 64, 64, 32, TENSOR_F16_F32,
         TENSOR_GROUP | TENSOR_SPARSE, 32768},
        {"QGMMA.64x256x32.F32.E5M2.E4M3", 64, 256, 32, TENSOR_F8_F32,
         TENSOR_GROUP, 131072},
        {"IGMMA.64x24x32.S8.S8.SAT", 64, 24, 32, TENSOR_S8, TENSOR_GROUP,
         12288},
        {"BGMMA.64x8x256.AND.POPC", 64, 8, 256, TENSOR_B1, TENSOR_GROUP, 32768},
    };

    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
        struct teg_tensor t =
            teg_tensor_parse(list[i].opcode, strlen(list[i].opcode));

        ck_assert_msg(t.m == list[i].m && t.n == list[i].n && t.k == list[i].k,
                      "%s: %u x %u x %u", list[i].opcode, t.m, t.n, t.k);
        ck_assert_msg(t.type == list[i].type, "%s: type %u", list[i].opcode,
                      t.type);
        ck_assert_msg(t.flags == list[i].flags, "%s: flags %u", list[i].opcode,
                      t.flags);
        ck_assert_msg(teg_tensor_multiply_adds(&t) == list[i].multiply_adds,
                      "%s: %lu", list[i].opcode,
                      (unsigned long)teg_tensor_multiply_adds(&t));
    }
}
END_TEST

START_TEST(what_is_not_known_has_no_shape)
{
    static const char *const list[] = {
        "",
        "HMMA",
        "HMMA.",
        "HMMA..F32",
        "HMMA.16816",  /* sums of which size? */
        "HMMA.16.F32", /* cut */
        "HMMA.32816.F32",
        "HMMA.16x8.F32",
        "HMMA.64x8x16.F32", /* a group's */
        "HGMMA.16816.F32",  /* a warp's */
        "HGMMA.64xNx16.F32",
        "HGMMA.64x99999x16.F32",
        "OMMA.16864.F32.E2M1.E2M1", /* without scales there is none */
        "UTCHMMA",
        "FFMA.16816.F32",
    };

    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
        struct teg_tensor t = teg_tensor_parse(list[i], strlen(list[i]));

        ck_assert_msg(t.m == 0, "%s: %u x %u x %u", list[i], t.m, t.n, t.k);
        ck_assert_uint_eq(teg_tensor_multiply_adds(&t), 0);
    }
    /* Only so much of the text is looked at. */
    ck_assert_uint_eq(teg_tensor_parse("HMMA.16816.F32", 11).m, 0);
    ck_assert_uint_eq(teg_tensor_parse("HMMA.16816.F32 R4", 14).k, 16);
}
END_TEST

static uint8_t flags_of(const char *text, const char *opcode,
                        const uint16_t *src, uint8_t count)
{
    struct teg_operands o = {.dst = {24}, .dst_count = 1, .src_count = count};
    struct teg_program p = {0};
    struct teg_inst inst = {0};
    struct teg_diag d;
    uint32_t index;
    uint8_t flags;

    memcpy(o.src, src, count * sizeof *src);
    teg_inst_from_opcode(&inst, opcode, 90, &o);
    ck_assert_int_eq(teg_program_add(&p, &inst, text, &index, &d), TEG_OK);
    ck_assert_uint_eq(p.inst[0].tensor.m, 64);
    flags = p.inst[0].tensor.flags;
    teg_program_release(&p);
    return flags;
}

START_TEST(a_groups_factor_is_in_registers_where_others_than_the_sums_are_read)
{
    static const uint16_t sums[] = {24}, none[] = {TEG_OPERAND_ZERO},
                          both[] = {88, 24}, first[] = {88, TEG_OPERAND_ZERO},
                          described[] = {TEG_REG_UR + 8, 24};
    const char *op = "HGMMA.64x128x16.F32";

    ck_assert_uint_eq(flags_of(op, op, sums, 1), TENSOR_GROUP);
    ck_assert_uint_eq(flags_of(op, op, none, 1), TENSOR_GROUP);
    ck_assert_uint_eq(flags_of(op, op, described, 2), TENSOR_GROUP);
    ck_assert_uint_eq(flags_of(op, op, both, 2),
                      TENSOR_GROUP | TENSOR_REGISTERS);
    ck_assert_uint_eq(
        flags_of("@!P0 HGMMA.64x128x16.F32 R24, R88, gdesc[UR4], RZ", op, first,
                 2),
        TENSOR_GROUP | TENSOR_REGISTERS);
}
END_TEST

HELP_MAIN("isa/inst/tensor", 10, {opcodes_say_shape_and_types, 0},
          {what_is_not_known_has_no_shape, 0},
          {a_groups_factor_is_in_registers_where_others_than_the_sums_are_read,
           0})
