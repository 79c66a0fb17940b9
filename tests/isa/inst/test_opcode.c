/*
 * Opcode tables: every mnemonic has its class, space and registers.
 *
 * Expected values come from opcodes.csv (../shared/isa), from NVIDIA's PTX
 * ISA (mma fragments) and from the rules of docs/dependences.md.
 */
#include "tests/isa/inst/opcodes.h"

#define OPCODES_CSV "../shared/isa/opcodes.csv"

struct known {
    const char *opcode;
    uint32_t cc;
    enum teg_op_class op_class;
    enum teg_space space;
    uint16_t width;
};

static void expect_known(const struct known *k)
{
    struct teg_inst inst = inst_of(k->opcode, k->cc, "", "");

    ck_assert_msg(!(inst.flags & INST_UNKNOWN), "%s", k->opcode);
    ck_assert_msg(inst.op_class == k->op_class, "%s is %s", k->opcode,
                  teg_op_class_facts(inst.op_class)->key);
    ck_assert_msg(inst.space == k->space, "%s: space %u", k->opcode,
                  inst.space);
    ck_assert_msg(inst.width == k->width, "%s: width %u", k->opcode,
                  inst.width);
}

START_TEST(table_is_sorted_and_names_each_generation_once)
{
    static const struct {
        const char *name;
        unsigned first, last;
    } rows[] = {
#define ANY                                              999
#define OP(name, class, space, regs, first, last, flags) {name, first, last},
#include "isa/inst/opcode.def"
#undef OP
#undef ANY
    };

    for (size_t i = 1; i < sizeof rows / sizeof rows[0]; i++) {
        int order = strcmp(rows[i - 1].name, rows[i].name);

        ck_assert_msg(order < 0 ||
                          (order == 0 && rows[i - 1].last < rows[i].first),
                      "%s before %s", rows[i - 1].name, rows[i].name);
        ck_assert(rows[i].first <= rows[i].last);
    }
}
END_TEST

START_TEST(sass_mnemonics_have_their_class)
{
    static const struct known list[] = {
        {"IADD3", 70, CLASS_IADD, SPACE_NONE, 0},
        {"IADD3.X", 70, CLASS_IADD, SPACE_NONE, 0},
        {"IMAD", 75, CLASS_IMAD, SPACE_NONE, 0},
        {"IMAD.MOV.U32", 80, CLASS_IMAD, SPACE_NONE, 0},
        {"IMAD.WIDE.U32", 80, CLASS_IMAD_WIDE, SPACE_NONE, 0},
        {"IMAD.HI.U32", 80, CLASS_IMAD_HIGH, SPACE_NONE, 0},
        {"IMAD.U32", 70, CLASS_IMAD, SPACE_NONE, 0},
        {"IMNMX.U32", 80, CLASS_SELECT, SPACE_NONE, 0},
        {"VIMNMX.S32", 90, CLASS_SELECT, SPACE_NONE, 0},
        {"ISETP.GE.U32.AND.EX", 80, CLASS_ISETP, SPACE_NONE, 0},
        {"PLOP3.LUT", 80, CLASS_ISETP, SPACE_NONE, 0},
        {"LOP3.LUT", 80, CLASS_LOGIC, SPACE_NONE, 0},
        {"PRMT", 80, CLASS_LOGIC, SPACE_NONE, 0},
        {"SHF.R.S32.HI", 80, CLASS_SHIFT, SPACE_NONE, 0},
        {"LEA.HI.X.SX32", 80, CLASS_LEA, SPACE_NONE, 0},
        {"FADD.FTZ", 80, CLASS_FADD, SPACE_NONE, 0},
        {"FMUL.RZ", 80, CLASS_FMUL, SPACE_NONE, 0},
        {"FFMA", 80, CLASS_FMAD, SPACE_NONE, 0},
        {"FMNMX", 80, CLASS_FCMP, SPACE_NONE, 0},
        {"FSETP.NEU.AND", 80, CLASS_FCMP, SPACE_NONE, 0},
        {"DADD", 80, CLASS_DADD, SPACE_NONE, 0},
        {"DMUL", 80, CLASS_DMUL, SPACE_NONE, 0},
        {"DFMA.RZ", 80, CLASS_DFMA, SPACE_NONE, 0},
        {"DSETP.GT.AND", 80, CLASS_DCMP, SPACE_NONE, 0},
        {"HFMA2.MMA", 80, CLASS_HALF, SPACE_NONE, 0},
        {"HADD2.F32", 80, CLASS_HALF, SPACE_NONE, 0},
        {"F2FP.F16.F32.PACK_AB", 80, CLASS_PACK, SPACE_NONE, 0},
        {"MUFU.RCP64H", 80, CLASS_SFU, SPACE_NONE, 0},
        {"MUFU.EX2.F16", 80, CLASS_SFU_TRIG, SPACE_NONE, 0},
        {"MUFU.SIN", 80, CLASS_SFU_TRIG, SPACE_NONE, 0},
        {"POPC", 80, CLASS_BITCOUNT, SPACE_NONE, 0},
        {"F2I.FTZ.U32.TRUNC.NTZ", 80, CLASS_CONVERT, SPACE_NONE, 0},
        {"I2F.S64", 80, CLASS_CONVERT64, SPACE_NONE, 0},
        {"F2F.F64.F32", 80, CLASS_CONVERT64, SPACE_NONE, 0},
        {"HMMA.884.F32.F32.STEP0", 70, CLASS_HMMA, SPACE_NONE, 0},
        {"HMMA.16816.F32.BF16", 80, CLASS_HMMA, SPACE_NONE, 0},
        {"IMMA.16832.S8.S8", 80, CLASS_IMMA, SPACE_NONE, 0},
        {"DMMA.884", 80, CLASS_DMMA, SPACE_NONE, 0},
        {"HGMMA.64x128x16.F32", 90, CLASS_GMMA, SPACE_NONE, 0},
        {"S2R", 80, CLASS_S2R, SPACE_NONE, 0},
        {"VOTE.ANY", 80, CLASS_VOTE, SPACE_NONE, 0},
        {"SHFL.BFLY", 80, CLASS_SHUFFLE, SPACE_NONE, 0},
        {"BRA", 80, CLASS_BRANCH, SPACE_NONE, 0},
        {"BSSY", 80, CLASS_BRANCH, SPACE_NONE, 0},
        {"WARPSYNC", 80, CLASS_CONVERGE, SPACE_NONE, 0},
        {"BSYNC", 80, CLASS_CONVERGE, SPACE_NONE, 0},
        {"CALL.REL.NOINC", 80, CLASS_BRANCH, SPACE_NONE, 0},
        {"EXIT", 80, CLASS_EXIT, SPACE_NONE, 0},
        {"BAR.SYNC.DEFER_BLOCKING", 80, CLASS_BARRIER, SPACE_NONE, 0},
        {"DEPBAR.LE", 80, CLASS_MEMBAR, SPACE_NONE, 0},
        {"LDGDEPBAR", 80, CLASS_MEMBAR, SPACE_NONE, 0},
        {"MEMBAR.SC.GPU", 80, CLASS_MEMBAR, SPACE_NONE, 0},
        {"ERRBAR", 80, CLASS_MEMBAR, SPACE_NONE, 0},
        {"UIADD3", 80, CLASS_UNIFORM, SPACE_NONE, 0},
        {"ULDC.64", 80, CLASS_UNIFORM, SPACE_CONST, 8},
        {"LDC.U8", 80, CLASS_LDC, SPACE_CONST, 1},
        {"LDG.E.SYS", 70, CLASS_LDG, SPACE_GLOBAL, 4},
        {"LDG.E.128.CONSTANT", 80, CLASS_LDG, SPACE_GLOBAL, 16},
        {"LDG.E.U8", 80, CLASS_LDG, SPACE_GLOBAL, 1},
        {"LDG.E.LTC128B.64", 80, CLASS_LDG, SPACE_GLOBAL, 8},
        {"STG.E.U16", 80, CLASS_STG, SPACE_GLOBAL, 2},
        {"LD.E.64", 80, CLASS_LD, SPACE_GENERIC, 8},
        {"ST.E", 20, CLASS_ST, SPACE_GENERIC, 4},
        {"LDL.64", 90, CLASS_LDL, SPACE_LOCAL, 8},
        {"LDS.U.128", 70, CLASS_LDS, SPACE_SHARED, 16},
        {"STS.S16", 70, CLASS_STS, SPACE_SHARED, 2},
        {"LDSM.16.M88.4", 80, CLASS_LDSM, SPACE_SHARED, 16},
        {"LDSM.16.MT88.2", 80, CLASS_LDSM, SPACE_SHARED, 8},
        {"LDSM.16.M88", 80, CLASS_LDSM, SPACE_SHARED, 4},
        {"LDGSTS.E.BYPASS.LTC128B.128", 80, CLASS_LDGSTS, SPACE_GLOBAL, 16},
        {"ATOMG.E.ADD.F64.RN.STRONG.GPU", 80, CLASS_ATOMG, SPACE_GLOBAL, 8},
        {"ATOM.E.ADD.F16x2.RN.STRONG.GPU", 80, CLASS_ATOMG, SPACE_GENERIC, 4},
        {"ATOMS.CAST.SPIN.64", 80, CLASS_ATOMS, SPACE_SHARED, 8},
        {"RED.E.ADD.F32.FTZ.RN.STRONG.GPU", 80, CLASS_RED, SPACE_GLOBAL, 4},
        {"TEX.SCR.LL", 80, CLASS_TEX, SPACE_TEXTURE, 4},
        {"UBLKCP", 90, CLASS_BULK, SPACE_NONE, 0},
        /* Maxwell and Pascal */
        {"XMAD.PSL.CBCC", 61, CLASS_IMAD16, SPACE_NONE, 0},
        {"IADD.X", 61, CLASS_IADD, SPACE_NONE, 0},
        {"IADD32I", 61, CLASS_IADD, SPACE_NONE, 0},
        {"ISCADD", 61, CLASS_LEA, SPACE_NONE, 0},
        {"LDS.U.32", 61, CLASS_LDS, SPACE_SHARED, 4},
        {"MEMBAR.CTA", 61, CLASS_MEMBAR, SPACE_NONE, 0},
        {"SYNC", 61, CLASS_BRANCH, SPACE_NONE, 0},
        {"LOP.AND", 61, CLASS_LOGIC, SPACE_NONE, 0},
        {"IMUL", 35, CLASS_IMUL, SPACE_NONE, 0},
    };

    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++)
        expect_known(&list[i]);
}
END_TEST

START_TEST(gt200_mnemonics_have_their_class)
{
    static const struct known list[] = {
        {"FADD32", 13, CLASS_FADD, SPACE_NONE, 0},
        {"FADD32I", 13, CLASS_FADD, SPACE_NONE, 0},
        {"FMUL32", 13, CLASS_FMUL, SPACE_NONE, 0},
        {"FMUL32I", 13, CLASS_FMUL, SPACE_NONE, 0},
        {"FMAD32", 13, CLASS_FMAD, SPACE_NONE, 0},
        {"FMAD32I", 13, CLASS_FMAD, SPACE_NONE, 0},
        {"FMAD", 13, CLASS_FMAD, SPACE_NONE, 0},
        {"FMIN", 13, CLASS_FCMP, SPACE_NONE, 0},
        {"FSET.C0", 13, CLASS_FCMP, SPACE_NONE, 0},
        {"IADD", 13, CLASS_IADD, SPACE_NONE, 0},
        {"IADD32", 13, CLASS_IADD, SPACE_NONE, 0},
        {"IADD32I", 13, CLASS_IADD, SPACE_NONE, 0},
        {"ISUB", 13, CLASS_IADD, SPACE_NONE, 0},
        {"ISAD", 13, CLASS_IADD, SPACE_NONE, 0},
        {"IMUL", 13, CLASS_IMUL, SPACE_NONE, 0},
        {"IMUL32", 13, CLASS_IMUL, SPACE_NONE, 0},
        {"IMUL.U16.U16", 13, CLASS_IMUL16, SPACE_NONE, 0},
        {"IMUL32.U24.U24", 13, CLASS_IMUL16, SPACE_NONE, 0},
        {"IMAD.U16", 13, CLASS_IMAD16, SPACE_NONE, 0},
        {"IMAD32.U16", 13, CLASS_IMAD16, SPACE_NONE, 0},
        {"IMAD.S24", 13, CLASS_IMAD16, SPACE_NONE, 0},
        {"IMAD", 13, CLASS_IMAD, SPACE_NONE, 0},
        {"IMIN", 13, CLASS_SELECT, SPACE_NONE, 0},
        {"ISET.S32.C0", 13, CLASS_ISETP, SPACE_NONE, 0},
        {"MOV", 13, CLASS_MOV, SPACE_NONE, 0},
        {"MOV32", 13, CLASS_MOV, SPACE_NONE, 0},
        {"MVI", 13, CLASS_MOV, SPACE_NONE, 0},
        {"MVC", 13, CLASS_MOV, SPACE_NONE, 0},
        {"R2A", 13, CLASS_MOV, SPACE_NONE, 0},
        {"A2R", 13, CLASS_MOV, SPACE_NONE, 0},
        {"C2R", 13, CLASS_MOV, SPACE_NONE, 0},
        {"ADA", 13, CLASS_IADD, SPACE_NONE, 0},
        {"R2G.U32.U32", 13, CLASS_STS, SPACE_SHARED, 4},
        {"S2R", 13, CLASS_S2R, SPACE_NONE, 0},
        {"SHL", 13, CLASS_SHIFT, SPACE_NONE, 0},
        {"SHR.S32", 13, CLASS_SHIFT, SPACE_NONE, 0},
        {"LOP.AND", 13, CLASS_LOGIC, SPACE_NONE, 0},
        {"I2F.F32.U32", 13, CLASS_CONVERT, SPACE_NONE, 0},
        {"F2I.S32.F32.TRUNC", 13, CLASS_CONVERT, SPACE_NONE, 0},
        {"F2F.F64.F32", 13, CLASS_CONVERT64, SPACE_NONE, 0},
        {"I2I.U32.U16", 13, CLASS_CONVERT, SPACE_NONE, 0},
        {"RCP", 13, CLASS_SFU, SPACE_NONE, 0},
        {"RSQ", 13, CLASS_SFU, SPACE_NONE, 0},
        {"LG2", 13, CLASS_SFU, SPACE_NONE, 0},
        {"SIN", 13, CLASS_SFU_TRIG, SPACE_NONE, 0},
        {"EX2", 13, CLASS_SFU_TRIG, SPACE_NONE, 0},
        {"RRO.SINCOS", 13, CLASS_SFU, SPACE_NONE, 0},
        {"GLD.U32", 13, CLASS_LDG, SPACE_GLOBAL, 4},
        {"GLD.U8", 13, CLASS_LDG, SPACE_GLOBAL, 1},
        {"GLD.S16", 13, CLASS_LDG, SPACE_GLOBAL, 2},
        {"GLD.S64", 13, CLASS_LDG, SPACE_GLOBAL, 8},
        {"GLD.U128", 13, CLASS_LDG, SPACE_GLOBAL, 16},
        {"GST.U32", 13, CLASS_STG, SPACE_GLOBAL, 4},
        {"GST.U64", 13, CLASS_STG, SPACE_GLOBAL, 8},
        {"LLD.U32", 13, CLASS_LDL, SPACE_LOCAL, 4},
        {"LST.U64", 13, CLASS_STL, SPACE_LOCAL, 8},
        {"GATOM.IADD.U32", 13, CLASS_ATOMG, SPACE_GLOBAL, 4},
        {"GRED.IADD", 13, CLASS_RED, SPACE_GLOBAL, 4},
        {"BAR.ARV.WAIT", 13, CLASS_BARRIER, SPACE_NONE, 0},
        {"DADD", 13, CLASS_DADD, SPACE_NONE, 0},
        {"DMUL", 13, CLASS_DMUL, SPACE_NONE, 0},
        {"DFMA", 13, CLASS_DFMA, SPACE_NONE, 0},
        {"DSET", 13, CLASS_DCMP, SPACE_NONE, 0},
        {"DMIN", 13, CLASS_DCMP, SPACE_NONE, 0},
        {"TEX", 13, CLASS_TEX, SPACE_TEXTURE, 4},
        {"CAL", 13, CLASS_BRANCH, SPACE_NONE, 0},
        {"SSY", 13, CLASS_BRANCH, SPACE_NONE, 0},
        {"PBK", 13, CLASS_BRANCH, SPACE_NONE, 0},
        {"PCNT", 13, CLASS_BRANCH, SPACE_NONE, 0},
        {"BRK", 13, CLASS_BRANCH, SPACE_NONE, 0},
        {"KIL", 13, CLASS_EXIT, SPACE_NONE, 0},
        {"RET", 13, CLASS_BRANCH, SPACE_NONE, 0},
        {"NOP", 13, CLASS_NOP, SPACE_NONE, 0},
        {"VOTE.ANY", 13, CLASS_VOTE, SPACE_NONE, 0},
    };

    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++)
        expect_known(&list[i]);
}
END_TEST

/* Field `n` (0-based) of a CSV line with quotes; returns 0 at its end. */
static int csv_field(const char *line, unsigned n, char *out, size_t size)
{
    int quoted = 0;
    size_t length = 0;

    for (; *line != '\0' && *line != '\n'; line++) {
        if (*line == '"') {
            quoted = !quoted;
        } else if (*line == ',' && !quoted) {
            if (n-- == 0)
                break;
        } else if (n == 0 && length + 1 < size) {
            out[length++] = *line;
        }
    }
    out[length] = '\0';
    return n == 0 || n == (unsigned)-1;
}

START_TEST(every_mnemonic_of_the_shared_list_is_known)
{
    FILE *f = fopen(OPCODES_CSV, "r");
    char line[2048], name[64], sm[64];
    unsigned checked = 0;

    if (f == NULL) {
        printf("skipped: no %s\n", OPCODES_CSV);
        return;
    }
    ck_assert(fgets(line, sizeof line, f) != NULL);
    while (fgets(line, sizeof line, f) != NULL) {
        uint32_t cc;

        ck_assert(csv_field(line, 1, name, sizeof name));
        ck_assert(csv_field(line, 6, sm, sizeof sm));
        /* "HMMA.884 (Volta)", "ATOMS.CAS / CAST.SPIN": the first word. */
        name[strcspn(name, " /")] = '\0';
        cc = (uint32_t)strtoul(sm, NULL, 10);
        ck_assert_msg(cc >= 70, "%s", line);
        ck_assert_msg(!(inst_of(name, cc, "", "").flags & INST_UNKNOWN), "%s",
                      name);
        checked++;
    }
    fclose(f);
    ck_assert_uint_ge(checked, 160);
}
END_TEST

START_TEST(longest_name_wins)
{
    expect("IMAD.WIDE.U32", 80, "R4", "R8 R13 R10", "R4*2 C0*1",
           "R8*1 R13*1 R10*2");
    expect("IMAD.MOV.U32", 80, "R4", "RZ RZ R10", "R4*1", "R10*1");
    /* A name that only begins another one is not a prefix of it. */
    ck_assert(inst_of("IADD3FOO", 80, "", "").flags & INST_UNKNOWN);
    ck_assert(inst_of("BARFOO.SYNC", 80, "", "").flags & INST_UNKNOWN);
}
END_TEST

START_TEST(generation_chooses_the_row)
{
    ck_assert_uint_eq(inst_of("IMAD.U16", 13, "", "").op_class, CLASS_IMAD16);
    ck_assert_uint_eq(inst_of("IMAD.U16", 75, "", "").op_class, CLASS_IMAD);
    /* A header that lies about the generation makes no opcode unknown. */
    ck_assert(!(inst_of("IADD3", 0, "", "").flags & INST_UNKNOWN));
    ck_assert(!(inst_of("FADD32", 90, "", "").flags & INST_UNKNOWN));
}
END_TEST

START_TEST(barriers_wait_or_arrive)
{
    static const struct {
        const char *opcode;
        uint32_t cc;
        uint16_t flags;
    } list[] = {
        {"BAR.SYNC", 80, INST_BARRIER},     {"BAR", 20, INST_BARRIER},
        {"BAR.RED.POPC", 80, INST_BARRIER}, {"BAR.ARV", 80, INST_ARRIVE},
        {"BAR.ARV.WAIT", 13, INST_BARRIER}, {"BAR", 13, INST_BARRIER},
    };

    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++)
        ck_assert_uint_eq(inst_of(list[i].opcode, list[i].cc, "", "").flags &
                              (INST_BARRIER | INST_ARRIVE),
                          list[i].flags);
}
END_TEST

START_TEST(what_looks_past_l1_says_so)
{
    static const struct {
        const char *opcode;
        int bypass;
    } list[] = {
        {"LDG.E.SYS", 0},        {"LDG.E.CONSTANT.SYS", 0},
        {"LDG.E.STRONG.GPU", 1}, {"LDG.E.64.STRONG.SYS", 1},
        {"LDG.E.STRONG.SM", 0},  {"LD.E.CG", 1},
        {"LDGSTS.E.128", 0},     {"LDGSTS.E.BYPASS.128", 1},
        {"ATOMG.E.ADD", 1},      {"RED.E.ADD", 1},
        {"MEMBAR.SC.GPU", 0},
    };

    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++)
        ck_assert_msg(!(inst_of(list[i].opcode, 80, "", "").flags &
                        INST_BYPASS_L1) == !list[i].bypass,
                      "%s", list[i].opcode);
}
END_TEST

START_TEST(unknown_mnemonics_take_the_class_their_letters_suggest)
{
    static const struct known list[] = {
        {"LDZ.E.64", 80, CLASS_LD, SPACE_GENERIC, 8},
        {"LDGX.128", 80, CLASS_LDG, SPACE_GENERIC, 16},
        {"STQ.U8", 80, CLASS_ST, SPACE_GENERIC, 1},
        {"ATOMQ.64", 80, CLASS_ATOMG, SPACE_GENERIC, 8},
        {"REDQ", 80, CLASS_RED, SPACE_GENERIC, 4},
        {"LDSX", 80, CLASS_LDS, SPACE_SHARED, 4},
        {"BARX", 80, CLASS_BARRIER, SPACE_NONE, 0},
        {"XYZBAR", 80, CLASS_MEMBAR, SPACE_NONE, 0},
        {"UFOO", 80, CLASS_UNIFORM, SPACE_NONE, 0},
        {"FFOO", 80, CLASS_FADD, SPACE_NONE, 0},
        {"DFOO", 80, CLASS_DADD, SPACE_NONE, 0},
        {"HFOO", 80, CLASS_HALF, SPACE_NONE, 0},
        {"UXHMMA", 100, CLASS_HMMA, SPACE_NONE, 0},
        {"QGMMAX", 100, CLASS_GMMA, SPACE_NONE, 0},
        {"ZZZ", 80, CLASS_IADD, SPACE_NONE, 0},
        {"", 80, CLASS_IADD, SPACE_NONE, 0},
        {".", 80, CLASS_IADD, SPACE_NONE, 0},
        {"...U8", 80, CLASS_IADD, SPACE_NONE, 0},
    };

    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
        struct teg_inst inst = inst_of(list[i].opcode, list[i].cc, "R4", "R2");

        ck_assert_msg(inst.flags & INST_UNKNOWN, "%s", list[i].opcode);
        ck_assert_msg(inst.op_class == list[i].op_class, "%s is %s",
                      list[i].opcode, teg_op_class_facts(inst.op_class)->key);
        ck_assert_msg(inst.space == list[i].space, "%s", list[i].opcode);
        ck_assert_msg(inst.width == list[i].width, "%s", list[i].opcode);
        ck_assert_uint_ge(inst.dst_count, 1);
    }
}
END_TEST

HELP_MAIN("opcode", 60, {table_is_sorted_and_names_each_generation_once, 0},
          {sass_mnemonics_have_their_class, 0},
          {gt200_mnemonics_have_their_class, 0},
          {every_mnemonic_of_the_shared_list_is_known, 0},
          {longest_name_wins, 0}, {generation_chooses_the_row, 0},
          {barriers_wait_or_arrive, 0}, {what_looks_past_l1_says_so, 0},
          {unknown_mnemonics_take_the_class_their_letters_suggest, 0})
