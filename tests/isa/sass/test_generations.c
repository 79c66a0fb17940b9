/*
 * Words belong to generations: what one does not have is UNKNOWN there, never
 * another operation.  generations.def and row_words.def hold what NVIDIA's
 * disassembler says.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "isa/sass/row.h"
#include "tests/help_suite.h"

static const uint32_t generations[] = {75,  80,  86,  89,  90,
                                       100, 103, 110, 120, 121};

enum {
    GENERATIONS = sizeof generations / sizeof generations[0],
    ROWS_WITHOUT_WORD = 47, /* conversions mostly: type 0 is none */
};

static const struct {
    uint64_t upper, lower;
    unsigned known;
} words[] = {
#define GENERATION_WORD(upper, lower, known) {upper, lower, known},
#include "tests/isa/sass/generations.def"
#include "tests/isa/sass/row_words.def"
#undef GENERATION_WORD
};

static struct teg_sass decoded(uint64_t upper, uint64_t lower, uint32_t cc)
{
    uint8_t bytes[TEG_SASS_BYTES];
    struct teg_sass s;

    for (unsigned i = 0; i < 8; i++) {
        bytes[i] = (uint8_t)(lower >> 8 * i);
        bytes[8 + i] = (uint8_t)(upper >> 8 * i);
    }
    teg_sass_decode(&s, bytes, 0, cc);
    return s;
}

START_TEST(a_word_is_known_to_the_generations_that_have_it_alone)
{
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        for (unsigned n = 0; n < GENERATIONS; n++) {
            struct teg_sass s =
                decoded(words[i].upper, words[i].lower, generations[n]);
            int known = (words[i].known >> n & 1) != 0;

            ck_assert_msg((s.name != NULL) == known,
                          "0x%016" PRIx64 "%016" PRIx64 " on sm_%u: %s",
                          words[i].upper, words[i].lower, generations[n],
                          s.name != NULL ? s.name : "unknown");
        }
    }
}
END_TEST

/* Without that the list above would say nothing of a row: it has a word, but
 * where none with zeros in all fields is an instruction. */
START_TEST(rows_have_words_on_the_list)
{
    size_t count, missing = 0;
    const struct sass_row *row = sass_rows(&count);

    for (size_t r = 0; r < count; r++) {
        size_t found = 0;

        for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
            const uint64_t word[2] = {words[i].lower, words[i].upper};

            for (unsigned n = 0; n < GENERATIONS; n++)
                found += (words[i].known >> n & 1) != 0 &&
                         sass_row_fits(&row[r], word, generations[n]);
        }
        if (found == 0)
            printf("no word: %s %s\n", row[r].name, row[r].modifiers);
        missing += found == 0;
    }
    ck_assert_uint_le(missing, ROWS_WITHOUT_WORD);
}
END_TEST

/* Bits that mean nothing to a generation before, and places of fields that the
 * fixtures do not tell apart. */
START_TEST(fields_of_sm_100_are_where_the_vendor_has_them)
{
    static const struct {
        uint64_t upper, lower;
        uint32_t cc;
        const char *text;
    } expected[] = {
        {0x002fe20009000f00, 0x0000000700057c02, 90, "MOV R5, UR7 ;"},
        /* A bank has 64 KB: the last parameter of 32,764 bytes of them. */
        {0x000fc80007ffe0ff, 0x0025dc0000007a10, 80,
         "IADD3 R0, R0, c[0x0][0x9770], RZ ;"},
        {0x002fe20009000f00, 0x0000000700057c02, 100, "MOV.SPILL R5, UR7 ;"},
        {0x008fe400004e0000, 0x00000000050772ca, 90, "R2UR UR7, R5 ;"},
        {0x008fe400004e0000, 0x00000000050772ca, 120, "R2UR.FILL UR7, R5 ;"},
        {0x0007e2000821180e, 0x00001a10180073b4, 90,
         "UTMALDG.3D.MULTICAST [UR16], [UR24], UR14, desc[UR26] ;"},
        {0x0007e2000821180e, 0x00001a10180073b4, 100,
         "UTMALDG.3D.MULTICAST.2CTA [UR16], [UR24], UR14, desc[UR26] ;"},
        {0x0003f00008108000, 0x00000010060075b4, 100,
         "UTMALDG.2D.GATHER4 [UR16], [UR6] ;"},
        {0x0003f00008088000, 0x00000010060075b4, 100,
         "UTMALDG.2D.INVALID2 [UR16], [UR6] ;"},
        {0x0023e40008088000, 0x00000008140073b5, 120,
         "UTMASTG.2D.SCATTER4 [UR8], [UR20] ;"},
        {0x0003f00008088000, 0x00000010060073b4, 110,
         "UTMALDG.2D.W128 [UR16], [UR6], UR0 ;"},
        {0x000ea8000814180b, 0x840200040209797e, 100,
         "LDG.E.ELL2.256 R11, R9, desc[UR4][R2.64+0x4000], 0x42 ;"},
        {0x000ea8000812f91c, 0x8004000402ff797e, 120,
         "LDG.E.ENL2.256.STRONG.GPU R28, RZ, desc[UR4][R2.64+0x8000], 0xc0 ;"},
        {0x000ee20008521d10, 0xfe000004020c797e, 100,
         "LDG.E.NA.ENL2.LTC128B.256 R16, R12, desc[UR4][R2.64] ;"},
        {0x004e240000002600, 0x0000000600097308, 89, "MUFU.TANH.F16 R9, R6 ;"},
        {0x004e240000002600, 0x0000000600097308, 90, "MUFU.TANH.BF16 R9, R6 ;"},
        {0x000ea20000002500, 0x1000000a000c7308, 100,
         "MUFU.TANH.F16 R12, R10.H1 ;"},
        {0x0c0fe40008020008, 0x0000000809067e3e, 100,
         "F2FP.F16.F32.PACK_AB.RS R6, R9.reuse, R8.reuse, UR8 ;"},
        {0x000fe40004227011, 0x000000070011723e, 103,
         "F2FP.SATFINITE.E2M1.F32.PACK_AB_MERGE_C.RS R17, R0, R7, R17 ;"},
        {0x000fe2000cc922ff, 0x00000008ff077c3e, 120,
         "F2FP.SATFINITE.E8.BF16.UNPACK_B_MERGE_C.RP R7, UR8, RZ ;"},
        {0x000fe2000a040aff, 0x00000005ff177c3e, 120,
         "F2FP.RELU.F16.E2M1.UNPACK_B R23, UR5 ;"},
        {0x0001f00008100407, 0x00000004080073ba, 100,
         "UBLKCP.G.S.DST_G_BYTE_MASK [UR4], [UR8], UR7 ;"},
        {0x0001e4000800140a, 0x00000404080073ba, 90,
         "UBLKCP.G.S [UR4], [UR8], UR10, desc[UR4] ;"},
        {0x000fd80008210000, 0x00000000040079e6, 100,
         "UTCSHIFT.2CTA.DOWN tmem[UR4] ;"},
        {0x018ea40000000000, 0x00000000000079b1, 90, "SYNCS.CCTL.IVALL ;"},
        {0x001f6200080001ff, 0x0000040000007f6f, 100,
         "TXQ RZ, R0, R0, TEX_HEADER_DIMENSION, UR4, 0x0, 0x1 ;"},
        {0x0001e20008000004, 0x000000ff080073cb, 100,
         "UMEMSETS.64 [UR8], URZ, UR4 ;"},
        {0x0001d8000850000a, 0x00ff040e0c0075ea, 100,
         "UTCHMMA gdesc[UR12].A_REUSE.A_KEEP, gdesc[UR14], tmem[UR10], "
         "tmem[UR4], idesc[UR5], UP0 ;"},
        {0x0001d8000840040a, 0x00ff040e080079ea, 100,
         "UTCHMMA.ASHIFT tmem[UR8].A_REUSE, gdesc[UR14], tmem[UR10], "
         "tmem[UR4], idesc[UR5], UP0 ;"},
        {0x0001d8000800380a, 0x00ff040e080079ea, 103,
         "UTCHMMA tmem[UR8], gdesc[UR14], tmem[UR10], tmem[UR4], idesc[UR5], "
         "UP0, 0x7 ;"},
        {0x0001d800080e800a, 0x00ff040e0c0075ea, 110,
         "UTCHMMA.WS gdesc[UR12], gdesc[UR14].B_REUSE.B_KEEP.BUFFER1, "
         "tmem[UR10], tmem[UR4], idesc[UR5], UP0 ;"},
        {0x01e1d80008080006, 0x000c040a080075ea, 100,
         "UTCHMMA.WS gdesc[UR8], gdesc[UR10], tmem[UR6], tmem[UR4], "
         "idesc[UR5], UR12, UP0 ;"},
        {0x0001d8000808010a, 0x00ff040e0c0075ea, 100,
         "UTCIMMA.WS gdesc[UR12], gdesc[UR14], tmem[UR10], tmem[UR4], "
         "idesc[UR5], UP0 ;"},
        {0x0001d8000800030a, 0x0010040e08007fea, 100,
         "UTCQMMA tmem[UR8], gdesc[UR14], tmem[UR10], tmem[UR4], idesc[UR5], "
         "tmem[UR16], UP0 ;"},
        {0x0001d8000840000a, 0x8010040e0c0075ea, 100,
         "UTCOMMA.4X gdesc[UR12].A_REUSE, gdesc[UR14], tmem[UR10], tmem[UR4], "
         "idesc[UR5], tmem[UR16], UP0 ;"},
        {0x000fe40001180008, 0x0000000602067249, 100,
         "FFMA2 R6, R2.F32x2.HI_LO.NP, R6.F32, R8.F32x2.LO_HI ;"},
        {0x000fe40000e00008, 0x0000000602067249, 100,
         "FFMA2 R6, R2.F32x2.HI_LO, R6.F32x2.LO_HI, R8.F32.NP ;"},
        {0x000fe40000800008, 0x000000060206724a, 100,
         "FMUL2 R6, R2.F32x2.HI_LO, R6.F32x2.LO_HI ;"},
        {0x000fe40000500008, 0x000000060206724b, 100,
         "FADD2 R6, R2.F32x2.HI_LO, R6.F32x2.LO_HI.NP ;"},
        {0x004fc8000000c4ff, 0x00000002ff007243, 120,
         "F2IP.U8.F32.TRUNC.NTZ R0, RZ, R2, RZ ;"},
        {0x004fca0003a19006, 0x0000000700077231, 100,
         "HFMA2.BF16_V2.OOB.RELU R7, R0, R7, R6 ;"},
        {0x004fca0000013006, 0x0000000700077231, 90,
         "HFMA2.OOB.SAT R7, R0, R7, R6 ;"},
        {0x02016200081e0f10, 0xa1ff0604080c9f6c, 100,
         "@!P1 TXD.AOFFI R16, R12, R8, R4, UR6, ARRAY_2D ;"},
        {0x0003e20008114500, 0x08ff040407008f9f, 100,
         "@!P0 SURED.D.BA.1D.ADD.U64.STRONG.SYS [R7], R4, UR4 ;"},
        {0x004e280000010800, 0x0000000200007308, 103,
         "MUFU.EX2.BF16x2 R0, R2 ;"},
        {0x004e280000000b00, 0x0000000200007308, 103,
         "MUFU.EX2.F16x2 R0, R2 ;"},
        {0x0001e40008400008, 0x8004060a0c0075ea, 103,
         "UTCOMMA.BLOCK16 gdesc[UR12].A_REUSE, gdesc[UR10], tmem[UR8], "
         "tmem[UR6], idesc[UR7], tmem[UR4], UP0 ;"},
        {0x004fe20001114300, 0x08000004050073a0, 75,
         "SURED.D.BA.1D.MAX.S32.STRONG.GPU [R5], R4, R0 ;"},
        {0x004fe20001114300, 0x08000004050073a0, 90,
         "SURED.D.BA.1D.MAX.S32.STRONG.SYS [R5], R4, R0 ;"},
        {0x0003e20009114c00, 0x68ff040004008f9f, 120,
         "@!P0 SURED.D.2D.MAX.SD32.STRONG.SYS [R4], R0, UR4 ;"},
        {0x004e28000020a400, 0x0000000200077306, 90, "I2F.BF16.RP R7, R2 ;"},
        {0x000e240000202400, 0x000000ff00067306, 90, "I2F.BF16 R6, RZ ;"},
        {0x004e28000040b100, 0x0000000200077305, 100,
         "F2I.BF16.CEIL.NTZ R7, R2 ;"},
        {0x004e28000041d000, 0x0000000200077304, 120,
         "F2F.FTZ.F32.BF16.RZ R7, R2 ;"},
        {0x004e28000040a000, 0x0000000200077307, 90, "FRND.BF16.CEIL R7, R2 ;"},
        {0x004fca000241f8ff, 0x00000007ff07723e, 100,
         "F2FP.SATFINITE.RELU.TF32.F32.PACK_B.RZ R7, R7 ;"},
        {0x004fca0000005706, 0x0000000700077239, 80,
         "I2IP.S2.S32.SAT R7, R0, R7, R6.28 ;"},
        {0x004fca0000006406, 0x0000000700077239, 100,
         "I2IP.U4.S32.SAT R7, R0, R7, R6.INVALID0 ;"},
        {0x004fca00000010ff, 0x0000000900077239, 90,
         "I2IP.S8.S32 R7, R0, R9, RZ ;"},
        {0x004fe20000800000, 0x0000000002007990, 90, "CCTLL.PF2 [R2] ;"},
        {0x004fe2000a121804, 0xc80000060408797f, 120,
         "STG.E.ENL2.256 desc[UR4][R4.64], R6, R8, 0x59 ;"},
        {0x000fcc0003800000, 0x000000ff00007801, 75, "PMTRIG 0xff ;"},
        {0x001fcc0000000000, 0x0000000380009352, 90,
         "@!P1 RPCMOV.32 Rpc.HI, R3 ;"},
        {0x000fc80000000000, 0x0000000080039353, 120,
         "@!P1 RPCMOV.32 R3, Rpc.HI ;"},
        {0x0001e4000b041406, 0x00000408070073bb, 100,
         "UBLKRED.G.S.OR.U64 [UR8], [UR7], UR6, desc[UR4] ;"},
        {0x0001f00008001006, 0x00000400080073bc, 90,
         "UBLKPF.L2 [UR8], UR6, desc[UR4] ;"},
        {0x004ea8000a8347ff, 0x00000000020879a5, 100,
         "LDGMC.E.MAX.E5M2x16.RN.STRONG.SYS R8, [R2.64+URZ] ;"},
        {0x004ea8000b8341ff, 0x00000000020779a4, 120,
         "LDGMC.E.XOR.32.STRONG.SYS R7, [R2.64+URZ] ;"},
        {0x0023e2000808e400, 0x0000000604007378, 100,
         "UREDGR.E.ADD.NA.64.STRONG.GPU [UR4], UR6 ;"},
        {0x0023e20008094400, 0x0000000604007377, 100,
         "USTGR.E.NA.U16.STRONG.SYS [UR4], UR6 ;"},
        {0x000e240008500aff, 0x00000007080299a7, 100,
         "@!P1 SYNCS.ARRIVE.TRANS64.TMASK.OPTOUT.ART0 R2, [R8+URZ], R7 ;"},
        {0x000fe2000bffe600, 0x0000000604047285, 120,
         "UIMNMX.S64 UPT, UPT, UR4, UR4, UR6, UPT, !UPT ;"},
        {0x000fe2000810d000, 0x000000040005725a, 120, "UI2F.U16.RZ UR5, UR4 ;"},
        {0x000fe2000810e000, 0x000000040005725a, 120,
         "UI2F.BF16.U16.RZ UR5, UR4 ;"},
        {0x004fcc0008208800, 0x000000040004725b, 120,
         "UF2F.F16.F32.RP UR4, UR4 ;"},
        {0x004fcc0008108800, 0x000000040004725d, 120,
         "UFRND.F16.CEIL UR4, UR4 ;"},
        {0x004fe20008010806, 0x0000000004047254, 120,
         "UFADD.FTZ UR4, UR4, -UR6 ;"},
        {0x002fe20008118b04, 0x00000002ff007986, 90,
         "STG.E.64.MMIO.SYS [RZ.U32+UR4], R2 ;"},
        {0x002fe20008118b04, 0x00000002ff007986, 80,
         "STG.E.64.MMIO.SYS [UR4], R2 ;"},
        {0x002fe2000c10f904, 0x00000000ff007986, 120,
         "STG.E.STRONG.GPU desc[UR4][RZ.64], R0 ;"},
    };

    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        struct teg_sass s =
            decoded(expected[i].upper, expected[i].lower, expected[i].cc);
        char text[TEG_SASS_TEXT];

        teg_sass_text(&s, text);
        ck_assert_str_eq(text, expected[i].text);
    }
}
END_TEST

/* One word, three meanings: a product of halves up to Hopper, nothing on the
 * chips of sm_100, an addition of 64 bits on those of sm_120. */
START_TEST(one_word_is_what_its_generation_makes_of_it)
{
    static const struct {
        uint32_t cc;
        const char *text;
    } expected[] = {
        {75, "UNKNOWN 0x040fe400078e02000000100002087835 ;"},
        {90, "HFMA2.MMA R8, |R2|.reuse, 0, 0.00048828125, |R0| ;"},
        {100, "UNKNOWN 0x040fe400078e02000000100002087835 ;"},
        {110, "UNKNOWN 0x040fe400078e02000000100002087835 ;"},
        {120, "IADD.64 R8, R2.reuse, 0x1000 ;"},
        {121, "IADD.64 R8, R2.reuse, 0x1000 ;"},
    };

    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        struct teg_sass s =
            decoded(0x040fe400078e0200, 0x0000100002087835, expected[i].cc);
        char text[TEG_SASS_TEXT];

        teg_sass_text(&s, text);
        ck_assert_str_eq(text, expected[i].text);
    }
}
END_TEST

START_TEST(the_list_of_generations_is_what_is_supported)
{
    char list[TEG_SASS_TEXT], number[16];

    teg_sass_generations(list);
    for (unsigned n = 0; n < GENERATIONS; n++) {
        snprintf(number, sizeof number, "%u", generations[n]);
        ck_assert(teg_sass_supports(generations[n]));
        ck_assert_ptr_nonnull(strstr(list, number));
    }
    ck_assert(!teg_sass_supports(101));
    ck_assert(!teg_sass_supports(130));
    ck_assert(!teg_sass_supports(100 + 256));
}
END_TEST

HELP_MAIN("generations", 60,
          {a_word_is_known_to_the_generations_that_have_it_alone, 0},
          {rows_have_words_on_the_list, 0},
          {fields_of_sm_100_are_where_the_vendor_has_them, 0},
          {one_word_is_what_its_generation_makes_of_it, 0},
          {the_list_of_generations_is_what_is_supported, 0})
