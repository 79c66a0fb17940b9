/*
 * Operands: how many registers each stands for, and what stands in for those a
 * trace leaves out (docs/dependences.md; fragments: NVIDIA's PTX ISA).
 */
#include "tests/isa/inst/opcodes.h"

START_TEST(wide_operands_are_widened)
{
    expect("DFMA", 80, "R4", "R8 R10 R12", "R4*2", "R8*6");
    expect("DADD", 13, "R0", "R2 R4", "R0*2", "R2*4");
    expect("DSETP.GT.AND", 80, "", "R8 R12", "P?*1", "R8*2 R12*2");
    expect("LDG.E.128.SYS", 70, "R72", "R4", "R72*4", "R4*2");
    expect("LDG.E.64", 80, "R6", "R28", "R6*2", "R28*2");
    expect("LDG.E.U8", 80, "R0", "R4", "R0*1", "R4*2");
    expect("STG.E.64", 80, "", "R12 R8", "", "R12*2 R8*2");
    expect("STG.E.128", 80, "", "R26 R8", "", "R26*2 R8*4");
    expect("STS.128", 80, "", "R13 R16", "", "R13*1 R16*4");
    expect("LDS.64", 80, "R22", "R2", "R22*2", "R2*1");
    expect("LDL.64", 90, "R22", "R1", "R22*2", "R1*1");
    expect("LDSM.16.M88.4", 80, "R92", "R3", "R92*4", "R3*1");
    expect("LDGSTS.E.BYPASS.LTC128B.128", 80, "", "R9 R12", "", "R9*1 R12*2");
    expect("GLD.U128", 13, "R4", "R2", "R4*4", "R2*1");
    expect("GST.U64", 13, "", "R2 R4", "", "R2*1 R4*2");
    expect("CS2R", 80, "R70", "", "R70*2", "");
    expect("CS2R.32", 80, "R70", "", "R70*1", "");
    expect("I2F.S64", 80, "R0", "R4", "R0*1", "R4*2");
    expect("I2F.F64", 80, "R2", "R4", "R2*2", "R4*1");
    expect("F2I.F64.TRUNC", 80, "R0", "R4", "R0*1", "R4*2");
    expect("F2I.S64.F64", 80, "R2", "R4", "R2*2", "R4*2");
    expect("F2F.F64.F32", 80, "R2", "R4", "R2*2", "R4*1");
    expect("F2F.F32.F64", 80, "R2", "R4", "R2*1", "R4*2");
    expect("RET.REL.NODEC", 80, "", "R20", "", "R20*2");
    expect("ATOMG.E.ADD.64.STRONG.GPU", 80, "", "R6 R2 R4", "R6*2", "R2*4");
    expect("RED.E.ADD.STRONG.GPU", 80, "", "R2 R5", "", "R2*2 R5*1");
    /* No hardware pair starts at an odd register: it was a 32-bit address. */
    expect("LDG.E", 75, "R0", "R3", "R0*1", "R3*1");
}
END_TEST

START_TEST(tensor_fragments_follow_the_shape)
{
    expect("HMMA.884.F32.F32.STEP0", 70, "R8", "R72 R64 R8", "R8*2",
           "R72*2 R64*2 R8*2");
    expect("HMMA.1688.F32", 75, "R8", "R20 R24 R8", "R8*4", "R20*2 R24*1 R8*4");
    expect("HMMA.1688.F16", 75, "R8", "R20 R24 R8", "R8*2", "R20*2 R24*1 R8*2");
    expect("HMMA.16816.F32", 80, "R20", "R40 R46 R20", "R20*4",
           "R40*4 R46*2 R20*4");
    expect("HMMA.16816.F16", 80, "R140", "R16 R94 RZ", "R140*2", "R16*4 R94*2");
    expect("HMMA.1688.F32.TF32", 80, "R0", "R8 R14 R0", "R0*4",
           "R8*4 R14*2 R0*4");
    expect("HMMA.1688.F32.BF16", 80, "R0", "R8 R12 R0", "R0*4",
           "R8*2 R12*1 R0*4");
    expect("IMMA.8816.S8.S8", 75, "R0", "R8 R12 R0", "R0*2", "R8*1 R12*1 R0*2");
    expect("IMMA.16832.S8.S8", 80, "R0", "R8 R12 R16", "R0*4", "R8*6 R16*4");
    expect("IMMA.16832.S4.S4", 80, "R0", "R8 R12 R16", "R0*4",
           "R8*2 R12*1 R16*4");
    expect("DMMA.884", 80, "R0", "R8 R12 R0", "R0*4", "R8*2 R12*2 R0*4");
    /* 64 x 128 results of 32 bits over 128 threads. */
    expect("HGMMA.64x128x16.F32", 90, "R24", "", "R24*64", "");
    expect("HGMMA.64x256x16.F16", 90, "R24", "", "R24*64", "");
}
END_TEST

START_TEST(operands_listed_in_full_are_not_widened)
{
    expect("HMMA.16816.F32", 80, "R20 R21 R22 R23", "R20 R24 R26", "R20*4",
           "R20*10");
    expect("LDG.E.64", 80, "R6 R7", "R28 R29", "R6*2", "R28*2");
    expect("DFMA", 80, "R4 R5", "R8 R9 R10 R11 R12 R13", "R4*2", "R8*6");
}
END_TEST

START_TEST(zero_register_keeps_the_places_of_the_others)
{
    /* The third operand is the pair, not the second. */
    expect("IMAD.WIDE", 80, "R2", "R6 RZ R8", "R2*2 C0*1", "R6*1 R8*2");
    expect("IMAD.WIDE", 80, "R2", "R6 R8", "R2*2 C0*1", "R6*1 R8*1");
    expect("STG.E.128", 80, "", "R4 RZ", "", "R4*2");
    expect("STS.64", 80, "", "RZ R4", "", "R4*2");
}
END_TEST

START_TEST(destination_behind_a_predicate_is_found)
{
    expect("SHFL.DOWN", 70, "", "R6 R9 R4", "R6*1", "R9*1 R4*1");
    expect("SHFL.BFLY", 80, "", "R96 R97", "R96*1", "R97*1");
    expect("ATOMG.E.ADD.STRONG.GPU", 80, "", "R0 R2 R5", "R0*1", "R2*2 R5*1");
    /* LOP3.LUT P0, RZ, R3, 0x1, RZ, 0xc0 */
    expect("LOP3.LUT", 80, "", "RZ R3 RZ", "P?*1", "R3*1");
    expect("LOP3.LUT", 80, "", "R1 R3 R2", "R1*1 P?*1", "R3*1 R2*1");
    /* without one nothing moves */
    expect("LOP3.LUT", 80, "R1", "R3 R2", "R1*1", "R3*1 R2*1");
    expect("ATOMS.ADD", 80, "R1", "R3 R2", "R1*1", "R3*1 R2*1");
}
END_TEST

START_TEST(predicates_not_listed_get_a_stand_in)
{
    expect("ISETP.GE.AND", 80, "", "R1 R2", "P?*1", "R1*2");
    expect("FSETP.NEU.AND", 80, "", "R1 RZ", "P?*1", "R1*1");
    expect("HSETP2.NEU.AND", 80, "", "R33", "P?*1", "R33*1");
    expect("PLOP3.LUT", 80, "", "", "P?*1", "P?*1");
    expect("R2P", 80, "", "R5", "P?*1", "R5*1");
    expect("FCHK", 80, "", "R5 R6", "P?*1", "R5*2");
    expect("ISETP.EQ.AND.EX", 80, "", "R10", "P?*1", "R10*1 P?*1");
    expect("BRA", 80, "", "", "", "P?*1");
    expect("EXIT", 80, "", "", "", "P?*1");
    expect("SEL", 80, "R1", "R2 R3", "R1*1", "R2*2 P?*1");
    expect("FSEL", 80, "R1", "R2 R3", "R1*1", "R2*2 P?*1");
    expect("P2R", 80, "R1", "RZ", "R1*1", "P?*1");
    expect("VOTE.ANY", 80, "R1", "", "R1*1", "P?*1");
    expect("VOTE.ALL", 80, "", "", "P?*1", "P?*1");
    ck_assert(inst_of("ISETP.GE.AND", 80, "", "").flags & INST_SETS_P);
    ck_assert(inst_of("BRA", 80, "", "").flags & INST_READS_P);
    ck_assert(inst_of("LOP3.LUT", 80, "", "RZ R1").flags & INST_SETS_P);
    ck_assert(!(inst_of("LOP3.LUT", 80, "R0", "R1").flags & INST_SETS_P));
}
END_TEST

START_TEST(listed_predicates_need_no_stand_in)
{
    expect("ISETP.GE.AND", 80, "P1", "R1 R2", "P1*1", "R1*2");
    expect("BRA", 80, "", "P1", "", "P1*1");
    expect("SEL", 80, "R1", "R2 R3 P2", "R1*1", "R2*2 P2*1");
    expect("UISETP.GE.AND", 80, "UP1", "UR4", "UP1*1", "UR4*1");
    expect("IADD3", 80, "R1 P0", "R2 R3 RZ", "R1*1 P0*1", "R2*2");
}
END_TEST

START_TEST(gt200_listings_get_no_stand_ins)
{
    expect("BRA", 13, "", "C0", "", "C0*1");
    expect("BRA", 13, "", "", "", "");
    expect("ISET.S32.C0", 13, "C0", "R1 R2", "C0*1", "R1*2");
    expect("IADD", 13, "R0", "R1", "R0*1", "R1*1");
    expect("R2A", 13, "A1", "R0", "A1*1", "R0*1");
}
END_TEST

START_TEST(carries_get_a_stand_in)
{
    expect("IADD3", 80, "R4", "R2 R3 RZ", "R4*1 C0*1", "R2*2");
    expect("IADD3.X", 80, "R5", "R7 RZ RZ", "R5*1 C0*1", "R7*1 C0*1");
    expect("LEA.HI.X", 80, "R5", "R7 R8 R9", "R5*1 C0*1", "R7*3 C0*1");
    expect("IMAD.X", 80, "R5", "RZ RZ R7", "R5*1", "R7*1 C0*1");
    expect("UIADD3.X", 80, "UR5", "UR7 UR9", "UR5*1", "UR7*1 UR9*1");
    expect("IADD.X", 61, "R19", "R0", "R19*1 C0*1", "R0*1 C0*1");
}
END_TEST

START_TEST(uniform_registers_not_listed_get_a_stand_in)
{
    expect("UIADD3", 90, "", "", "UR?*1", "UR?*1");
    expect("UISETP.GE.AND", 80, "", "", "UR?*1", "UR?*1");
    expect("ULDC.64", 80, "", "", "UR?*1", "");
    expect("UMOV", 80, "", "", "UR?*1", "");
    expect("S2UR", 80, "", "", "UR?*1", "");
    expect("R2UR", 80, "", "R4", "UR?*1", "R4*1");
    expect("VOTEU.ANY", 80, "", "", "UR?*1", "P?*1");
    expect("ULDC.64", 90, "UR8", "", "UR8*2", "");
    expect("UIMAD.WIDE", 80, "UR4", "UR8 UR13 UR10", "UR4*2",
           "UR8*1 UR13*1 UR10*2");
    /* IMAD.U32 Rd, RZ, RZ, URx is the move from a uniform register. */
    expect("IMAD.U32", 80, "R5", "RZ RZ", "R5*1", "UR?*1");
    expect("IMAD.U32", 80, "R5", "RZ RZ UR4", "R5*1", "UR4*1");
}
END_TEST

START_TEST(sixteen_operands_on_each_side_are_survived)
{
    struct teg_operands o = {.dst_count = 16, .src_count = 16};
    struct teg_inst inst = {0};

    for (uint16_t i = 0; i < 16; i++) {
        o.dst[i] = (uint16_t)(2 * i);
        o.src[i] = (uint16_t)(100 + 2 * i);
    }
    teg_inst_from_opcode(&inst, "FADD", 80, &o);
    ck_assert_uint_eq(inst.dst_count, TEG_INST_DST_MAX);
    ck_assert_uint_eq(inst.src_count, TEG_INST_SRC_MAX);
}
END_TEST

START_TEST(register_names_are_read_and_written)
{
    static const struct {
        const char *text;
        int number;
    } list[] = {
        {"R0", 0},
        {"R254", 254},
        {"R255", -1},
        {"RZ", -1},
        {"P0", TEG_REG_P},
        {"P6", TEG_REG_P + 6},
        {"P7", -1},
        {"PT", -1},
        {"UR4", TEG_REG_UR + 4},
        {"URZ", -1},
        {"UP6", TEG_REG_UP + 6},
        {"UPT", -1},
        {"A1", TEG_REG_A + 1},
        {"A4", TEG_REG_A + 4},
        {"C3", TEG_REG_C + 3},
        {"R256", -2},
        {"R", -2},
        {"", -2},
        {"R1x", -2},
        {"A5", -2},
        {"C4", -2},
        {"X1", -2},
        {"R0012", -2},
        {"P8", -2},
        {"R-1", -2},
        {"SR1", -2},
        {"g", -2},
    };
    char name[8];

    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
        int r = teg_register_parse(list[i].text, strlen(list[i].text));

        ck_assert_msg(r == list[i].number, "%s is %d", list[i].text, r);
        if (r >= 0)
            ck_assert_str_eq(teg_register_name((uint16_t)r, name),
                             list[i].text);
    }
    ck_assert_int_eq(teg_register_parse("R12, R3", 3), 12);
    ck_assert_int_eq(teg_register_parse("R0L", 3), 0);
    ck_assert_int_eq(teg_register_parse("R12H", 4), 12);
    for (unsigned i = 0; i < 65536; i++)
        ck_assert_uint_lt(strlen(teg_register_name((uint16_t)i, name)), 8);
}
END_TEST

HELP_MAIN("opcode operands", 60, {wide_operands_are_widened, 0},
          {tensor_fragments_follow_the_shape, 0},
          {operands_listed_in_full_are_not_widened, 0},
          {zero_register_keeps_the_places_of_the_others, 0},
          {destination_behind_a_predicate_is_found, 0},
          {predicates_not_listed_get_a_stand_in, 0},
          {listed_predicates_need_no_stand_in, 0},
          {gt200_listings_get_no_stand_ins, 0}, {carries_get_a_stand_in, 0},
          {uniform_registers_not_listed_get_a_stand_in, 0},
          {sixteen_operands_on_each_side_are_survived, 0},
          {register_names_are_read_and_written, 0})
