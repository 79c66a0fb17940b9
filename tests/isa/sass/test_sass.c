/*
 * SASS decoder: tables without overlap, text, registers.
 *
 * Expected text comes from NVIDIA's disassembler: listings of the kernels of
 * tests/fixtures/, and the labelled words of ../shared/isa.  Registers are
 * those the text names, with the counts of NVIDIA's PTX ISA.
 */
#include "isa/sass/sass.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/binary/cubin.h"
#include "isa/inst/opcode.h"
#include "isa/sass/row.h"
#include "tests/help_suite.h"

#define FIXTURES "tests/fixtures/"
#define LABELLED "../shared/isa/labelled-encodings.csv"

enum {
    BITS = 128
};

/* "000fca00..." of 32 digits, the high word first, as bytes. */
static void word_bytes(const char *hex, uint8_t out[TEG_SASS_BYTES])
{
    for (int i = 0; i < TEG_SASS_BYTES; i++) {
        char digits[3] = {hex[30 - 2 * i], hex[31 - 2 * i], '\0'};

        out[i] = (uint8_t)strtoul(digits, NULL, 16);
    }
}

static struct teg_sass decoded(const char *hex, uint32_t cc)
{
    uint8_t bytes[TEG_SASS_BYTES];
    struct teg_sass s;

    word_bytes(hex, bytes);
    teg_sass_decode(&s, bytes, 0, cc);
    return s;
}

/* Takes blanks, and reuse marks unless `keep_reuse`, out of `text`. */
static void normalise(char *text, int keep_reuse)
{
    char *to = text;

    for (const char *from = text; *from != '\0';) {
        if (!keep_reuse && strncmp(from, ".reuse", 6) == 0)
            from += 6;
        else if (*from == ' ' || *from == '\t' || *from == '\n')
            from++;
        else
            *to++ = *from++;
    }
    *to = '\0';
}

/* ---- the tables ----------------------------------------------------- */

/* What a row demands of each bit: 0, 1, or nothing (2). */
static void demands(const struct sass_row *row, uint8_t bit[BITS])
{
    memset(bit, 2, BITS);
    for (const char *at = row->modifiers; *at != '\0';) {
        const char *list = at;
        unsigned high, low, value;

        at += strcspn(at, " ");
        at += strspn(at, " ");
        if (sscanf(list, "%u:%u=%u", &high, &low, &value) != 3) {
            if (sscanf(list, "%u=%u", &high, &value) != 2)
                continue;
            low = high;
        }
        for (unsigned b = low; b <= high; b++)
            bit[b] = value >> (b - low) & 1;
    }
}

/* A word that fits `row` in the form `form`, its free bits from `fill`. */
static void example(const struct sass_row *row, unsigned form, uint64_t fill,
                    uint64_t word[2])
{
    uint8_t bit[BITS];

    demands(row, bit);
    word[0] = fill & ~UINT64_C(0xfff);
    word[1] = (fill * UINT64_C(0x9e3779b97f4a7c15)) & ~(UINT64_C(1) << 27);
    word[0] |= row->base | (uint64_t)(form & 7) << 9;
    word[1] |= (uint64_t)(form >> 3) << 27;
    for (unsigned b = 0; b < BITS; b++) {
        uint64_t one = UINT64_C(1) << (b % 64);

        if (bit[b] == 0)
            word[b / 64] &= ~one;
        else if (bit[b] == 1)
            word[b / 64] |= one;
    }
}

/* Two rows can fit one word unless they share no form, no generation, or
 * demand different values of a bit.  Rows that exclude a value ("!") are tried
 * on words instead. */
static int exclude_each_other(const struct sass_row *a,
                              const struct sass_row *b)
{
    uint8_t of_a[BITS], of_b[BITS];

    if (a->base != b->base || !(a->forms & b->forms) || a->last < b->first ||
        b->last < a->first)
        return 1;
    demands(a, of_a);
    demands(b, of_b);
    for (int i = 0; i < BITS; i++) {
        if (of_a[i] != 2 && of_b[i] != 2 && of_a[i] != of_b[i])
            return 1;
    }
    return strchr(a->modifiers, '!') != NULL ||
           strchr(b->modifiers, '!') != NULL;
}

START_TEST(no_two_rows_fit_the_same_word)
{
    size_t count;
    const struct sass_row *row = sass_rows(&count);

    for (size_t i = 0; i < count; i++) {
        for (size_t j = i + 1; j < count; j++)
            ck_assert_msg(exclude_each_other(&row[i], &row[j]),
                          "%s \"%s\" and %s \"%s\"", row[i].name,
                          row[i].modifiers, row[j].name, row[j].modifiers);
    }
}
END_TEST

static uint64_t random_step(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

START_TEST(a_word_made_for_a_row_fits_that_row_alone)
{
    static const uint32_t ccs[] = {70,  75,  80,  86,  89, 90,
                                   100, 103, 110, 120, 121};
    size_t count;
    const struct sass_row *row = sass_rows(&count);
    uint64_t state = 88172645463325252u;

    for (size_t i = 0; i < count; i++) {
        for (unsigned trial = 0; trial < 64; trial++) {
            uint64_t word[2];
            uint32_t cc = ccs[trial % 11];
            unsigned form = trial % 16, fits = 0;

            if (!(row[i].forms >> form & 1))
                continue;
            example(&row[i], form, random_step(&state), word);
            for (size_t j = 0; j < count; j++)
                fits += sass_row_fits(&row[j], word, cc) != 0;
            ck_assert_msg(fits <= 1, "%s \"%s\": %u rows", row[i].name,
                          row[i].modifiers, fits);
        }
    }
}
END_TEST

START_TEST(every_modifier_names_a_table)
{
    size_t count, kinds;
    const struct sass_row *row = sass_rows(&count);

    sass_kinds(&kinds);
    for (size_t i = 0; i < count; i++) {
        const char *at = row[i].modifiers;
        struct sass_token token;
        unsigned modifiers = 0;

        while (sass_token_next(&at, &token)) {
            if (token.bits == NULL)
                continue;
            ck_assert_msg(sass_kind_find(token.text, token.length) != 0,
                          "%s: %.*s", row[i].name, (int)token.length,
                          token.text);
            modifiers++;
        }
        ck_assert_uint_le(modifiers, TEG_SASS_MODIFIERS);
        for (at = strpbrk(row[i].operands, "{<"); at != NULL;
             at = strpbrk(at, "{<")) {
            at++;
            ck_assert_msg(sass_kind_find(at, strcspn(at, "@")) != 0, "%s: %s",
                          row[i].name, at);
        }
    }
    ck_assert_uint_le(kinds, 255);
}
END_TEST

START_TEST(any_word_decodes_or_says_it_does_not)
{
    size_t count;
    const struct sass_row *row = sass_rows(&count);
    uint64_t state = 7;
    unsigned known = 0;

    for (unsigned i = 0; i < 200000; i++) {
        char text[TEG_SASS_TEXT];
        uint8_t bytes[TEG_SASS_BYTES];
        struct teg_inst inst;
        struct teg_sass s;
        uint64_t word[2] = {random_step(&state), random_step(&state)};

        if (i % 4 != 0)
            example(&row[i % count], i / count % 16, word[0], word);
        memcpy(bytes, word, sizeof word);
        known += teg_sass_decode(&s, bytes, 16 * i,
                                 i % 3 == 0   ? 75
                                 : i % 3 == 1 ? 90
                                              : 120);
        teg_sass_text(&s, text);
        teg_sass_inst(&s, &inst);
        ck_assert_uint_lt(strlen(text), TEG_SASS_TEXT - 1);
        ck_assert_int_eq(text[strlen(text) - 1], ';');
    }
    ck_assert_uint_gt(known, 10000);
}
END_TEST

START_TEST(an_unknown_word_prints_as_such_and_is_counted_unknown)
{
    struct teg_sass s = decoded("000fca0000000000000000000000700f", 75);
    struct teg_inst inst;
    char text[TEG_SASS_TEXT];

    ck_assert_ptr_null(s.name);
    teg_sass_text(&s, text);
    ck_assert_str_eq(text, "UNKNOWN 0x000fca0000000000000000000000700f ;");
    teg_sass_inst(&s, &inst);
    ck_assert(inst.flags & INST_UNKNOWN);
    ck_assert_uint_eq(inst.control.stall, 5);
}
END_TEST

/* ---- text ------------------------------------------------------------- */

struct tally {
    unsigned lines, same;
    int keep_reuse; /* the marks count */
};

static void compare_line(struct tally *t, const char *where, const char *text,
                         const char *want)
{
    char mine[512], theirs[512];

    snprintf(mine, sizeof mine, "%s", text);
    snprintf(theirs, sizeof theirs, "%s", want);
    normalise(mine, t->keep_reuse);
    normalise(theirs, t->keep_reuse);
    t->lines++;
    if (strcmp(mine, theirs) == 0)
        t->same++;
    else
        printf("%s: %s, expected %s\n", where, text, want);
}

static void compare_listing(struct tally *t, const char *name)
{
    const struct teg_cubin_kernel *k = NULL;
    char path[256], line[512];
    struct teg_cubin c;
    struct teg_diag d;
    FILE *f;

    snprintf(path, sizeof path, FIXTURES "%s.cubin", name);
    ck_assert_msg(teg_cubin_open(&c, path, &d) == TEG_OK, "%s: %s", path,
                  d.what);
    snprintf(path, sizeof path, FIXTURES "%s.sass", name);
    f = fopen(path, "r");
    ck_assert_ptr_nonnull(f);
    while (fgets(line, sizeof line, f) != NULL) {
        char text[TEG_SASS_TEXT];
        struct teg_sass s;
        unsigned pc;

        if (strchr(line, ';') == NULL) {
            line[strcspn(line, ":")] = '\0';
            k = teg_cubin_find(&c, line);
            ck_assert_msg(k != NULL, "%s: no kernel %s", path, line);
            continue;
        }
        ck_assert_int_eq(sscanf(line, "%x", &pc), 1);
        ck_assert(k != NULL && pc + TEG_SASS_BYTES <= k->code.size);
        ck_assert_msg(teg_sass_decode(&s, k->code.data + pc, pc, c.sm),
                      "%s:%04x", k->name, pc);
        ck_assert_msg(!s.uncertain, "%s:%04x", k->name, pc);
        teg_sass_text(&s, text);
        compare_line(t, path, text, strchr(line, ' ') + 1);
    }
    fclose(f);
    teg_cubin_release(&c);
}

START_TEST(fixtures_read_as_nvidias_disassembler_prints_them)
{
    static const char *const kernels[] = {"vector", "block", "flow"};
    static const unsigned sms[] = {75, 80, 86, 90, 100, 120};
    struct tally t = {.keep_reuse = 1};

    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < 6; i++) {
            char name[64];

            snprintf(name, sizeof name, "%s.sm_%u", kernels[k], sms[i]);
            compare_listing(&t, name);
        }
    }
    compare_listing(&t, "tensor_memory.sm_100");
    compare_listing(&t, "scaled.sm_120");
    compare_listing(&t, "groups.sm_90");
    ck_assert_uint_eq(t.lines, 5328);
    ck_assert_uint_eq(t.same, t.lines);
}
END_TEST

/* sm,address,word,"text" with quotes where the text has a comma */
START_TEST(labelled_words_read_as_their_labels)
{
    FILE *f = fopen(LABELLED, "r");
    char line[1024];
    struct tally t = {0};

    if (f == NULL) {
        printf("skipped: no %s\n", LABELLED);
        return;
    }
    while (fgets(line, sizeof line, f) != NULL) {
        char hex[33], text[TEG_SASS_TEXT], *label;
        uint8_t bytes[TEG_SASS_BYTES];
        struct teg_sass s;
        unsigned sm, pc;

        if (sscanf(line, "%u,%x,%32[0-9a-f],", &sm, &pc, hex) != 3)
            continue;
        label = strstr(line, hex) + 33;
        label += *label == '"';
        label[strcspn(label, "\"\r\n")] = '\0';
        word_bytes(hex, bytes);
        teg_sass_decode(&s, bytes, pc, sm);
        teg_sass_text(&s, text);
        compare_line(&t, hex, text, label);
    }
    fclose(f);
    printf("labelled words reproduced: %u of %u\n", t.same, t.lines);
    ck_assert_uint_eq(t.lines, 7093);
    ck_assert_uint_eq(t.same, t.lines);
}
END_TEST

static void expect_text(const char *hex, uint32_t cc, const char *want)
{
    struct teg_sass s = decoded(hex, cc);
    char text[TEG_SASS_TEXT];

    teg_sass_text(&s, text);
    ck_assert_str_eq(text, want);
}

START_TEST(immediates_print_by_their_type)
{
    /* 0x3f800000 is 1.0f; as IADD3 it is a number, as MOV a bit pattern. */
    expect_text("000fca00000000003f80000002047421", 75, "FADD R4, R2, 1 ;");
    expect_text("000fca0000000000bf80000002047421", 75, "FADD R4, R2, -1 ;");
    expect_text("000fca00000000007f80000002047421", 75, "FADD R4, R2, +INF  ;");
    expect_text("000fca0000000000ffc0000002047421", 75,
                "FADD R4, R2, -QNAN  ;");
    expect_text("000fca00000000008000000002047421", 75, "FADD R4, R2, -0.0  ;");
    /* 2^30 needs ten digits. */
    expect_text("000fca00000000004e80000002047421", 75,
                "FADD R4, R2, 1.07374182400000000000e+09 ;");
    expect_text("000fca0007ffe0ffffffffff02047810", 75,
                "IADD3 R4, R2, -0x1, RZ ;");
    expect_text("000fca0000000f00ffffffff00047802", 75, "MOV R4, 0xffffffff ;");
}
END_TEST

START_TEST(what_other_code_showed_stays_right)
{
    expect_text("000fea0003c000000000000000007348", 80,
                "WARPSYNC.EXCLUSIVE R0 ;");
    expect_text("000fea0003a000000000000000007348", 90,
                "WARPSYNC.EXCLUSIVE R0 ;");
    expect_text("008fd40003a080070000000006007231", 80,
                "HFMA2.BF16_V2.RELU R0, R6, R0, R7 ;");
    expect_text("048fe40007fe0100fffffffc000a7848", 90,
                "VIMNMX R10, R0.reuse, -0x4, !PT ;");
    expect_text("000f6200089e0f16200004ff14147f63", 90,
                "TLD4.G R22, R20, R20, UR4, 0x0, 2D ;");
    expect_text("0003d80008000a06000000040a0073ba", 90,
                "UBLKCP.S.G.MULTICAST [UR4], [UR10], UR6 ;");
    expect_text("0003d8000800060500000006040073ba", 90,
                "UBLKCP.S.S [UR6], [UR4], UR5 ;");
    expect_text("0003e200080004050000000a040073ba", 90,
                "UBLKCP.G.S [UR10], [UR4], UR5 ;");
    expect_text("0001d800080a040500000006040073bb", 90,
                "UBLKRED.G.S.ADD.F32.RN [UR6], [UR4], UR5 ;");
    expect_text("0003e40008000004000000000a0073bc", 90,
                "UBLKPF.L2 [UR10], UR4 ;");
    expect_text("000fe2000840043f0000000005ff79a7", 90,
                "SYNCS.ARRIVE.TRANS64.RED.A0TX RZ, [R5+URZ], R0 ;");
    expect_text("004fe2000850083f0000000007ff79a7", 90,
                "SYNCS.ARRIVE.TRANS64.OPTOUT.ART0 RZ, [R7+URZ], R0 ;");
    expect_text("000fe8000c000a3f0000000806007dbd", 90,
                "STAS.64 [R6.64], R8 ;");
    expect_text("000fe2000880033f0000000806007dbe", 90,
                "REDAS.MIN.S32 [R6.64], R8 ;");
    expect_text("000fe20008000818e0000000081879f0", 90,
                "HGMMA.64x8x16.F32 R24, gdesc[UR8].negB.tnspA.tnspB, R24, "
                "gsb0 ;");
    expect_text("000fe2000c7008ff00000000041879f0", 90,
                "HGMMA.64x8x16.F32 R24, gdesc[UR4], RZ, !UPT ;");
    expect_text("000fe6000b80091800000000081879f0", 90,
                "HGMMA.64x8x16.F32 R24, gdesc[UR8].negA, R24, UP0, gsb0 ;");
    expect_text("000fe6000800281804000000081879f0", 90,
                "HGMMA.64x8x8.F32.TF32 R24, gdesc[UR8], R24, gsb0 ;");
    expect_text("000fe60008001918000000041c187df0", 90,
                "HGMMA.64x8x16.F32.BF16 R24, -R28, gdesc[UR4], R24, gsb0 ;");
    expect_text("000fe6000800081803e00000081879f0", 90,
                "HGMMA.64x256x16.F32 R24, gdesc[UR8], R24, gsb0 ;");
    expect_text("000fe6000804181800000000081879f1", 90,
                "IGMMA.64x8x32.S8.S8.SAT R24, gdesc[UR8], R24, gsb0 ;");
    /* three codes for each step of N, and what no step has */
    expect_text("000fe6000804101801800000081879f1", 90,
                "IGMMA.64x48x32.S8.S8 R24, gdesc[UR8], R24, gsb0 ;");
    expect_text("000fe6000804101806600000081879f1", 90,
                "IGMMA.64x256x32.S8.S8 R24, gdesc[UR8], R24, gsb0 ;");
    expect_text("000fe6000800181800000000081879f3", 90,
                "QGMMA.64x8x32.F32.E5M2.E4M3 R24, gdesc[UR8], R24, gsb0 ;");
    expect_text("000fe4000001030000008000000079c5", 90,
                "WARPGROUP.DEPBAR.LE gsb0, 0x3 ;");
    expect_text("000e240008000600000000f0000079c8", 90,
                "USETMAXREG.TRY_ALLOC.CTAPOOL UP0, 0xf0 ;");
}
END_TEST

/* All forms that the compiler makes of PTX's copies by tensor map. */
START_TEST(tensor_copies_read_as_nvidias_disassembler_prints_them)
{
    static const char *const words[][2] = {
        {"0001f000080000000000000c060075b4", "UTMALDG.1D [UR12], [UR6] ;"},
        {"0001f4000800900000001208100075b4",
         "UTMALDG.2D [UR8], [UR16], desc[UR18] ;"},
        {"0001f0000802080700000008100073b4",
         "UTMALDG.5D.MULTICAST [UR8], [UR16], UR7 ;"},
        {"0001f2000805100d00001008060073b4",
         "UTMALDG.3D.IM2COL [UR8], [UR6], UR13, desc[UR16] ;"},
        {"0001f2000805981400001008060073b4",
         "UTMALDG.4D.IM2COL.MULTICAST [UR8], [UR6], UR20, desc[UR16] ;"},
        {"0003e2000805800000000020040073b5",
         "UTMASTG.4D.IM2COL [UR32], [UR4] ;"},
        {"0003e2000802100000000e10040073b5",
         "UTMASTG.5D [UR16], [UR4], desc[UR14] ;"},
        {"0001d80008000000000000040e0073b6", "UTMAREDG.1D.ADD [UR4], [UR14] ;"},
        {"0001f20009051000000010080e0073b6",
         "UTMAREDG.3D.IM2COL.MAX [UR8], [UR14], desc[UR16] ;"},
        {"0001f20009818000000000080e0073b6", "UTMAREDG.4D.INC [UR8], [UR14] ;"},
        {"0001e20008008000000000080e0075b8", "UTMAPF.L2.2D [UR8], [UR14] ;"},
        {"0001e20008011000000004140e0075b8",
         "UTMAPF.L2.3D [UR20], [UR14], desc[UR4] ;"},
        {"0001e20008058010000000080e0073b8",
         "UTMAPF.L2.4D.IM2COL [UR8], [UR14], UR16 ;"},
        {"0001e20008040000000000000e0079b9", "UTMACCTL.PF [UR14] ;"},
        {"0001e2000800000000000000060079b9", "UTMACCTL.IV [UR6] ;"},
        {"0001e2000000000000000000000079b7", "UTMACMDFLUSH ;"},
    };

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        expect_text(words[i][0], 90, words[i][1]);
}
END_TEST

START_TEST(branch_targets_are_relative_to_the_next_instruction)
{
    /* The loop at the end of every kernel: -16 bytes, -4 words. */
    expect_text("000fc0000383fffffffffff000007947", 75, "BRA 0x0 ;");
    /* On sm_90 the low eight bits of the displacement stand in 23:16. */
    expect_text("000fc0000383fffffffffffc00fc7947", 90, "BRA 0x0 ;");
}
END_TEST

START_TEST(control_codes_are_read)
{
    /* 0x001fca: wait for barrier 0, stall 5, no barrier set or read. */
    struct teg_sass s = decoded("001fca0007ffe0ff0000000302047210", 75);
    char text[32];

    ck_assert_uint_eq(s.control.known, 1);
    ck_assert_uint_eq(s.control.stall, 5);
    ck_assert_uint_eq(s.control.yield, 1);
    ck_assert_uint_eq(s.control.wait_mask, 1);
    ck_assert_uint_eq(s.control.write_barrier, 7);
    ck_assert_uint_eq(s.control.read_barrier, 7);
    teg_control_text(&s.control, text);
    ck_assert_str_eq(text, "B0----- R- W- Y S05");
    /* 0x002ea8: waits for 1, sets 2 when done, stall 4; bit 109 set: stay */
    s = decoded("002ea8000c1e19000000000404047981", 80);
    teg_control_text(&s.control, text);
    ck_assert_str_eq(text, "B-1---- R- W2 - S04");
}
END_TEST

/* ---- registers ---------------------------------------------------------- */

static void list(const struct teg_regs *r, unsigned n, char *out)
{
    char name[8];

    *out = '\0';
    for (unsigned i = 0; i < n; i++)
        out += sprintf(out, "%s%s*%u", i ? " " : "",
                       teg_register_name(r[i].first, name), r[i].count);
}

static void expect_registers(const char *hex, uint32_t cc, const char *dst,
                             const char *src)
{
    struct teg_sass s = decoded(hex, cc);
    char text[256], what[TEG_SASS_TEXT];
    struct teg_inst inst;

    teg_sass_inst(&s, &inst);
    teg_sass_text(&s, what);
    list(inst.dst, inst.dst_count, text);
    ck_assert_msg(strcmp(text, dst) == 0, "%s: dst %s, expected %s", what, text,
                  dst);
    list(inst.src, inst.src_count, text);
    ck_assert_msg(strcmp(text, src) == 0, "%s: src %s, expected %s", what, text,
                  src);
}

START_TEST(registers_are_those_of_the_word)
{
    /* IADD3 R16, P0, R10, c[0x0][0x178], RZ */
    expect_registers("000fca0007f1e0ff00005e000a107a10", 86, "R16*1 P0*1",
                     "R10*1");
    /* @P0 IADD3.X R4, R5, R4, R5, P1, P2: carries and the guard are read */
    expect_registers("000fca0000fe44050000000405040210", 75, "R4*1",
                     "R5*1 R4*1 P1*1 P2*1 P0*1");
    /* LDG.E.128 R4, [R2.64]: descriptor in UR4, UR5 */
    expect_registers("000ea8000c1e1d000000000402047981", 80, "R4*4",
                     "R2*2 UR4*2");
    /* STG.E.64 [R4.64+0x438], R26 */
    expect_registers("000fca000c101b040000381a04007986", 86, "",
                     "R4*2 UR4*2 R26*2");
    /* HMMA.16816.F32 R4, R12, R28, R4 */
    expect_registers("000fca00000018040000001c0c04723c", 86, "R4*4",
                     "R12*4 R28*2 R4*4");
    /* DFMA R2, R4, R6, R8 */
    expect_registers("000fca0000000008000000060402722b", 75, "R2*2",
                     "R4*2 R6*2 R8*2");
    /* UIADD3 UR4, UR5, UR6, URZ */
    expect_registers("000fca000fffe03f0000000605047290", 75, "UR4*1",
                     "UR5*1 UR6*1");
}
END_TEST

/* The operands as a tracer lists them: first registers, results first. */
static struct teg_operands listed(const struct teg_sass *s)
{
    struct teg_operands o = {0};

    for (unsigned i = 0; i < s->operand_count; i++) {
        const struct teg_sass_operand *p = &s->operand[i];

        if (p->kind != SASS_REGISTER && p->kind != SASS_ADDRESS)
            continue;
        if (p->flags & SASS_DST)
            o.dst[o.dst_count++] = p->reg;
        else
            o.src[o.src_count++] = p->reg;
    }
    return o;
}

START_TEST(results_are_as_wide_as_the_table_of_opcodes_says)
{
    static const char *const names[] = {"vector", "block", "flow"};
    unsigned compared = 0;

    for (unsigned n = 0; n < 12; n++) {
        static const unsigned sms[] = {75, 80, 86, 90};
        struct teg_cubin c;
        struct teg_diag d;
        char path[256];

        snprintf(path, sizeof path, FIXTURES "%s.sm_%u.cubin", names[n / 4],
                 sms[n % 4]);
        ck_assert_int_eq(teg_cubin_open(&c, path, &d), TEG_OK);
        for (uint32_t k = 0; k < c.kernel_count; k++) {
            for (uint64_t pc = 0; pc < c.kernel[k].code.size; pc += 16) {
                struct teg_inst word, table = {0};
                struct teg_operands o;
                struct teg_sass s;
                char opcode[TEG_SASS_TEXT];

                teg_sass_decode(&s, c.kernel[k].code.data + pc, pc, c.sm);
                o = listed(&s);
                if (o.dst_count != 1 || o.dst[0] == TEG_SASS_RZ)
                    continue;
                teg_sass_opcode(&s, opcode);
                teg_sass_inst(&s, &word);
                teg_inst_from_opcode(&table, opcode, c.sm, &o);
                ck_assert_uint_eq(word.dst[0].first, o.dst[0]);
                ck_assert_msg(word.dst[0].count == table.dst[0].count,
                              "%s: %u and %u registers", opcode,
                              word.dst[0].count, table.dst[0].count);
                compared++;
            }
        }
        teg_cubin_release(&c);
    }
    ck_assert_uint_gt(compared, 1000);
}
END_TEST

START_TEST(all_predicates_are_named_at_once)
{
    /* R2P PR, R0, 0x6 */
    expect_registers("000fca00000000000000000600007804", 86, "P0*7", "R0*1");
    /* P2R R49, PR, RZ, 0x1 */
    expect_registers("000fca000000000000000001ff317803", 86, "R49*1", "P0*7");
}
END_TEST

START_TEST(class_space_and_width_are_those_of_a_trace)
{
    static const struct {
        const char *hex;
        uint32_t cc;
        const char *opcode;
    } words[] = {
        {"000ea8000c1e1d000000000402047981", 80, "LDG.E.128"},
        {"000fca0000000a000000680006127984", 86, "LDS.64"},
        {"000fca00000018040000001c0c04723c", 86, "HMMA.16816.F32"},
        {"000fca00001e092000000000582a0381", 86, "LDG.E.LTC128B"},
        {"000fca00000014000000000c00207308", 86, "MUFU.RSQ"},
        {"000fca000001ff000000000000187805", 86, "CS2R"},
        {"000fca0003800000000000000000794d", 86, "EXIT"},
    };
    static const struct teg_operands none;

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        struct teg_sass s = decoded(words[i].hex, words[i].cc);
        struct teg_inst from_word, from_text = {0};
        char opcode[TEG_SASS_TEXT];

        teg_sass_opcode(&s, opcode);
        ck_assert_str_eq(opcode, words[i].opcode);
        teg_sass_inst(&s, &from_word);
        teg_inst_from_opcode(&from_text, opcode, words[i].cc, &none);
        ck_assert_uint_eq(from_word.op_class, from_text.op_class);
        ck_assert_uint_eq(from_word.space, from_text.space);
        ck_assert_uint_eq(from_word.width, from_text.width);
        ck_assert(!(from_word.flags & INST_UNKNOWN));
    }
}
END_TEST

START_TEST(every_operation_is_in_the_table_of_opcodes)
{
    static const struct teg_operands none;
    size_t count;
    const struct sass_row *row = sass_rows(&count);

    for (size_t i = 0; i < count; i++) {
        struct teg_inst inst = {0};

        teg_inst_from_opcode(&inst, row[i].name, row[i].first, &none);
        ck_assert_msg(!(inst.flags & INST_UNKNOWN), "%s", row[i].name);
    }
}
END_TEST

HELP_MAIN("sass", 60, {no_two_rows_fit_the_same_word, 0},
          {a_word_made_for_a_row_fits_that_row_alone, 0},
          {every_modifier_names_a_table, 0},
          {any_word_decodes_or_says_it_does_not, 0},
          {an_unknown_word_prints_as_such_and_is_counted_unknown, 0},
          {fixtures_read_as_nvidias_disassembler_prints_them, 0},
          {labelled_words_read_as_their_labels, 0},
          {immediates_print_by_their_type, 0},
          {what_other_code_showed_stays_right, 0},
          {tensor_copies_read_as_nvidias_disassembler_prints_them, 0},
          {branch_targets_are_relative_to_the_next_instruction, 0},
          {control_codes_are_read, 0}, {registers_are_those_of_the_word, 0},
          {results_are_as_wide_as_the_table_of_opcodes_says, 0},
          {all_predicates_are_named_at_once, 0},
          {class_space_and_width_are_those_of_a_trace, 0},
          {every_operation_is_in_the_table_of_opcodes, 0})
