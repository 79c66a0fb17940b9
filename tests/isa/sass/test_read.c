/*
 * Text of instructions read back: the text of every word of the fixtures gives
 * an instruction with the same text, operands and registers.
 */
#include "isa/sass/sass.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/binary/fatbin.h"
#include "tests/help_suite.h"

struct tally {
    unsigned read, missed;
};

/* sm_80 to sm_89 do not print the descriptor of an address, so its register
 * is not among those the text names. */
static int is_hidden(const struct teg_sass *s, const struct teg_regs *r)
{
    for (unsigned i = 0; i < s->operand_count; i++) {
        const struct teg_sass_operand *o = &s->operand[i];

        if (o->kind == SASS_ADDRESS && o->flags & SASS_DESCRIPTOR &&
            s->cc < 90 && r->first == TEG_REG_UR + o->ureg)
            return 1;
    }
    return 0;
}

static void expect_same_registers(const struct teg_sass *s,
                                  const struct teg_inst *word,
                                  const struct teg_inst *read, const char *text)
{
    unsigned at = 0;

    ck_assert_msg(word->dst_count == read->dst_count &&
                      memcmp(word->dst, read->dst, sizeof word->dst) == 0,
                  "%s: results", text);
    for (unsigned i = 0; i < word->src_count; i++) {
        if (is_hidden(s, &word->src[i]))
            continue;
        ck_assert_msg(
            at < read->src_count &&
                memcmp(&word->src[i], &read->src[at], sizeof word->src[i]) == 0,
            "%s: source %u", text, i);
        at++;
    }
    ck_assert_msg(at == read->src_count, "%s: sources", text);
}

static void expect_same(const struct teg_sass *word,
                        const struct teg_sass *read, const char *text)
{
    struct teg_inst a, b;
    char again[TEG_SASS_TEXT];

    teg_sass_text(read, again);
    ck_assert_str_eq(again, text);
    ck_assert_str_eq(read->name, word->name);
    ck_assert_uint_eq(read->operand_count, word->operand_count);
    ck_assert_uint_eq(read->modifier_count, word->modifier_count);
    teg_sass_inst(word, &a);
    teg_sass_inst(read, &b);
    ck_assert_uint_eq(a.op_class, b.op_class);
    ck_assert_uint_eq(a.space, b.space);
    ck_assert_uint_eq(a.width, b.width);
    ck_assert_uint_eq(a.flags, b.flags);
    ck_assert_uint_eq(b.control.known, 0);
    expect_same_registers(word, &a, &b, text);
}

static void read_kernel(struct tally *t, const struct teg_cubin *c,
                        const struct teg_cubin_kernel *k)
{
    for (uint64_t pc = 0; pc + TEG_SASS_BYTES <= k->code.size;
         pc += TEG_SASS_BYTES) {
        struct teg_sass word, read;
        char text[TEG_SASS_TEXT];

        teg_sass_decode(&word, k->code.data + pc, pc, c->sm);
        teg_sass_text(&word, text);
        if (teg_sass_read(&read, text, pc, c->sm)) {
            expect_same(&word, &read, text);
            t->read++;
        } else {
            printf("%s sm_%u %s %04x: %s\n", c->path, c->sm, k->name,
                   (unsigned)pc, text);
            t->missed++;
        }
    }
}

static void read_file(struct tally *t, const char *path)
{
    struct teg_fatbin f;
    struct teg_diag d;

    ck_assert_msg(teg_fatbin_open(&f, path, &d) == TEG_OK, "%s", d.what);
    for (uint32_t i = 0; i < f.count; i++) {
        struct teg_cubin c;

        if (f.entry[i].is_ptx)
            continue;
        ck_assert_int_eq(teg_fatbin_cubin(&f, i, &c, &d), TEG_OK);
        for (uint32_t k = 0; k < c.kernel_count && teg_sass_supports(c.sm); k++)
            read_kernel(t, &c, &c.kernel[k]);
        teg_cubin_release(&c);
    }
    teg_fatbin_release(&f);
}

START_TEST(texts_of_all_fixtures_read_as_their_words)
{
    static const char *const patterns[] = {"tests/fixtures/*.cubin",
                                           "tests/fixtures/kernels/*.fatbin"};
    struct tally t = {0};

    for (int p = 0; p < 2; p++) {
        glob_t found;

        ck_assert_int_eq(glob(patterns[p], 0, NULL, &found), 0);
        for (size_t i = 0; i < found.gl_pathc; i++)
            read_file(&t, found.gl_pathv[i]);
        globfree(&found);
    }
    printf("texts read: %u, missed: %u\n", t.read, t.missed);
    ck_assert_uint_gt(t.read, 50000);
    ck_assert_uint_eq(t.missed, 0);
}
END_TEST

/* sm,address,word,"text" */
START_TEST(labels_of_a_public_collection_read)
{
    FILE *f = fopen("../shared/isa/labelled-encodings.csv", "r");
    char line[1024];
    struct tally t = {0};

    if (f == NULL) {
        printf("skipped: no ../shared/isa/labelled-encodings.csv\n");
        return;
    }
    while (fgets(line, sizeof line, f) != NULL) {
        struct teg_sass read;
        unsigned sm, pc;
        int at;

        if (sscanf(line, "%u,%x,%*32[0-9a-f],%n", &sm, &pc, &at) != 2)
            continue;
        if (teg_sass_read(&read, line + at + (line[at] == '"'), pc, sm))
            t.read++;
        else
            t.missed += (unsigned)printf("%s", line) > 0;
    }
    fclose(f);
    printf("labels read: %u of %u\n", t.read, t.read + t.missed);
    ck_assert_uint_eq(t.read, 7093);
    ck_assert_uint_eq(t.missed, 0);
}
END_TEST

static void expect_read(const char *text, uint32_t cc, const char *want)
{
    struct teg_sass s;
    char again[TEG_SASS_TEXT];

    ck_assert_int_eq(teg_sass_read(&s, text, 0x40, cc), want != NULL);
    if (want == NULL)
        ck_assert_ptr_null(s.name);
    else
        ck_assert_str_eq((teg_sass_text(&s, again), again), want);
}

START_TEST(blanks_do_not_count_but_between_words)
{
    expect_read("  @!P0   BRA  0x10 ;", 80, "@!P0 BRA 0x10 ;");
    expect_read("FADD R4,R2,+INF;", 75, "FADD R4, R2, +INF  ;");
    expect_read("RET.REL.NODEC R6 0x0 ;", 80, "RET.REL.NODEC R6 0x0 ;");
    expect_read("RET.REL.NODEC R60x0 ;", 80, NULL);
    expect_read("EX IT ;", 80, NULL);
}
END_TEST

START_TEST(immediates_of_every_format_read)
{
    static const char *const texts[] = {
        "FADD R4, R2, -QNAN  ;",
        "FADD R4, R2, 1.07374182400000000000e+09 ;",
        "DADD R4, R2, 0.5 ;",
        "HADD2 R4, R2, 1, -5.9604644775390625e-08 ;",
        "HFMA2.BF16_V2 R4, R2, 1, 1, R6 ;",
        "MUFU.RCP64H R4, 2 ;",
        "MUFU.RCP R4, 2 ;",
        "FSWZADD R4, R2, R6, PPPNNPZP ;",
        "DEPBAR {5,2,1} ;",
        "IADD3 R4, R2, -0x1, RZ ;",
        "S2R R4, SR86 ;",
        "LDGSTS.E.BYPASS.128 [R1+0x10], [R2.64+0x20], P0 ;",
        "LDS.U.64 R4, [R2.X8+UR4+0x10] ;",
    };

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        expect_read(texts[i], i == 12 ? 75 : 80, texts[i]);
}
END_TEST

START_TEST(what_no_word_prints_is_not_read)
{
    static const char *const texts[] = {
        "",
        ";",
        "@",
        "@P9 EXIT ;",
        "@P0",
        "FROB R1 ;",
        "EXIT R1 ;",
        "IADD3 R4, R2, R3 ;",
        "IADD3 R4, R2, R3, R5, R6 ;",
        "IADD3 R256, R2, R3, R5 ;",
        "IADD3.FTZ R4, R2, R3, R5 ;",
        "FADD R4, R2, 1.00000000001 ;",
        "LDG.E R2, [R4.128] ;",
        "LDG.E R2, [R4+ ;",
        "MOV R2, c[0x0][0x2 ;",
        "MOV R2, c[0x0][0x21] ;",
        "HFMA2.MMA R4, R2, 1, 1.0001, R6 ;",
        "BAR.SYNC 0x10 ;",
    };

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        expect_read(texts[i], 80, NULL);
}
END_TEST

/* All generations whose words are decoded have 63 uniform registers and URZ,
 * number 63; the first two have none. */
START_TEST(ur62_is_the_last_uniform_register)
{
    static const uint32_t sms[] = {75, 80, 86, 87, 89, 90};

    for (size_t i = 0; i < sizeof sms / sizeof *sms; i++) {
        struct teg_sass s, again;
        struct teg_inst inst;
        uint8_t bytes[TEG_SASS_BYTES];
        char text[TEG_SASS_TEXT];

        expect_read("UIADD3 UR62, UR61, UR62, URZ ;", sms[i],
                    "UIADD3 UR62, UR61, UR62, URZ ;");
        expect_read("UIADD3 UR63, UR61, UR62, URZ ;", sms[i], NULL);
        expect_read("UIADD3 UR4, UR61, UR63, URZ ;", sms[i], NULL);
        expect_read("UIADD3 UR4, UR61, UR64, URZ ;", sms[i], NULL);
        ck_assert(
            teg_sass_read(&s, "UIADD3 UR62, UR61, URZ, URZ ;", 0, sms[i]));
        teg_sass_inst(&s, &inst);
        ck_assert_uint_eq(inst.dst[0].first, TEG_REG_UR + 62);
        ck_assert_uint_eq(inst.src_count, 1);
        ck_assert_uint_eq(inst.src[0].first, TEG_REG_UR + 61);
        /* 63 as the destination, bits 23:16 */
        s.word[0] |= UINT64_C(1) << 16;
        for (unsigned b = 0; b < TEG_SASS_BYTES; b++)
            bytes[b] = (uint8_t)(s.word[b / 8] >> 8 * (b % 8));
        ck_assert(teg_sass_decode(&again, bytes, 0, sms[i]));
        teg_sass_text(&again, text);
        ck_assert_str_eq(text, "UIADD3 URZ, UR61, URZ, URZ ;");
        teg_sass_inst(&again, &inst);
        ck_assert_uint_eq(inst.dst_count, 0);
    }
}
END_TEST

/* A pair or more that would reach RZ ends before it. */
START_TEST(a_range_ends_before_the_zero_register)
{
    struct teg_sass s;
    struct teg_inst inst;

    ck_assert(teg_sass_read(&s, "LDG.E.128 R252, [R2.64] ;", 0, 80));
    teg_sass_inst(&s, &inst);
    ck_assert_uint_eq(inst.dst[0].first, 252);
    ck_assert_uint_eq(inst.dst[0].count, 3);
    ck_assert(teg_sass_read(&s, "LDG.E.128 R248, [R2.64] ;", 0, 80));
    teg_sass_inst(&s, &inst);
    ck_assert_uint_eq(inst.dst[0].count, 4);
}
END_TEST

/* Cut anywhere, or with any character replaced: no crash, and what reads has
 * the text that was given. */
START_TEST(damaged_texts_are_read_as_they_stand_or_not)
{
    static const char *const texts[] = {
        "@!UP3 UIADD3.X UR4, UP0, UP1, ~UR5, UR6, URZ, UP2, !UPT ;",
        "LDG.E.EL.128.STRONG.GPU R4, desc[UR6][R2.64+-0x10], !P0 ;",
        "HFMA2.RELU R4, -|R2|.H0_H0, c[0x0] [0x160].H1_H1, R6, P1 ;",
        "DEPBAR.LE SB0, 0x2, {4,3} ;",
    };
    static const char other[] = " ,.;|-~[]{}@!019RUPcxHS";

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        char text[TEG_SASS_TEXT];
        struct teg_sass s;

        for (size_t n = 0; texts[i][n] != '\0'; n++) {
            snprintf(text, sizeof text, "%.*s", (int)n, texts[i]);
            teg_sass_read(&s, text, 0, 90);
            for (size_t o = 0; other[o] != '\0'; o++) {
                snprintf(text, sizeof text, "%s", texts[i]);
                text[n] = other[o];
                teg_sass_read(&s, text, 0, 90);
            }
        }
    }
}
END_TEST

HELP_MAIN("sass_read", 60, {texts_of_all_fixtures_read_as_their_words, 0},
          {labels_of_a_public_collection_read, 0},
          {blanks_do_not_count_but_between_words, 0},
          {immediates_of_every_format_read, 0},
          {what_no_word_prints_is_not_read, 0},
          {ur62_is_the_last_uniform_register, 0},
          {a_range_ends_before_the_zero_register, 0},
          {damaged_texts_are_read_as_they_stand_or_not, 0})
