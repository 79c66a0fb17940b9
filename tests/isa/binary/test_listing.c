/*
 * Listings of cuobjdump and nvdisasm: what they hold is what the cubins hold
 * that they were made from; damaged ones are refused with a line or read.
 */
#include "isa/binary/listing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/sass/sass.h"
#include "tests/help_suite.h"

#define FIXTURES "tests/fixtures/"

static teg_status open_text(struct teg_listing *l, const char *text,
                            struct teg_diag *d)
{
    return teg_listing_open_memory(l, "t", (const uint8_t *)text, strlen(text),
                                   d);
}

/* ---- against cubins ---------------------------------------------------- */

static void expect_same_code(const struct teg_cubin *c,
                             const struct teg_cubin_kernel *theirs,
                             const struct teg_cubin_kernel *mine, int has_words)
{
    ck_assert_uint_eq(mine->code.size, theirs->code.size);
    if (has_words) {
        ck_assert_mem_eq(mine->code.data, theirs->code.data, mine->code.size);
        return;
    }
    for (uint64_t pc = 0; pc < mine->code.size; pc += TEG_SASS_BYTES) {
        char a[TEG_SASS_TEXT], b[TEG_SASS_TEXT];
        struct teg_sass s;

        teg_sass_decode(&s, theirs->code.data + pc, pc, c->sm);
        teg_sass_text(&s, a);
        teg_sass_decode(&s, mine->code.data + pc, pc, c->sm);
        teg_sass_text(&s, b);
        ck_assert_str_eq(a, b);
    }
}

static const struct {
    const char *cubin, *listing;
    int has_words, has_facts;
} pairs[] = {
    {"lines.sm_75", "lines.sm_75.nvdisasm", 0, 1},
    {"lines.sm_80", "lines.sm_80.cuobjdump", 1, 0},
    {"lines.sm_90", "lines.sm_90.nvdisasm", 1, 1},
    {"lines_debug.sm_86", "lines_debug.sm_86.nvdisasm", 0, 1},
};

START_TEST(a_listing_holds_the_code_of_its_cubin)
{
    struct teg_listing l;
    struct teg_cubin c;
    struct teg_diag d;
    char path[128];

    snprintf(path, sizeof path, FIXTURES "%s.cubin", pairs[_i].cubin);
    ck_assert_int_eq(teg_cubin_open(&c, path, &d), TEG_OK);
    snprintf(path, sizeof path, FIXTURES "%s.sass", pairs[_i].listing);
    ck_assert_msg(teg_listing_open(&l, path, &d) == TEG_OK, "%s: %s", d.where,
                  d.what);
    ck_assert_uint_eq(l.count, 1);
    ck_assert_uint_eq(l.unread_count, 0);
    ck_assert_uint_eq(l.cubin[0].sm, c.sm);
    ck_assert_int_eq(l.cubin[0].origin,
                     pairs[_i].has_words ? CUBIN_FROM_WORDS : CUBIN_FROM_TEXT);
    ck_assert_uint_eq(l.cubin[0].kernel_count, c.kernel_count);
    for (uint32_t k = 0; k < c.kernel_count; k++) {
        const struct teg_cubin_kernel *mine = &l.cubin[0].kernel[k];
        const struct teg_cubin_kernel *theirs = teg_cubin_find(&c, mine->name);

        ck_assert_msg(theirs != NULL, "%s", mine->name);
        expect_same_code(&c, theirs, mine, pairs[_i].has_words);
        if (pairs[_i].has_facts)
            ck_assert_int_eq(mine->is_entry, theirs->is_entry);
        if (pairs[_i].has_facts && c.sm < 90 && theirs->is_entry)
            ck_assert_uint_eq(mine->registers, theirs->registers);
    }
    teg_listing_release(&l);
    teg_cubin_release(&c);
}
END_TEST

/* The positions nvdisasm -gi printed are those of the table it read. */
static void expect_same_position(const struct teg_lines *a,
                                 const struct teg_line *x,
                                 const struct teg_lines *b,
                                 const struct teg_line *y)
{
    uint32_t i, j;

    ck_assert_str_eq(a->file[x->file], b->file[y->file]);
    ck_assert_uint_eq(x->line, y->line);
    for (i = x->call, j = y->call; i != 0 && j != 0;
         i = a->call[i - 1].outer, j = b->call[j - 1].outer) {
        ck_assert_str_eq(a->file[a->call[i - 1].file],
                         b->file[b->call[j - 1].file]);
        ck_assert_uint_eq(a->call[i - 1].line, b->call[j - 1].line);
    }
    ck_assert_uint_eq(i, j);
}

START_TEST(source_lines_are_those_nvdisasm_prints)
{
    static const char *const names[] = {"lines.sm_90", "lines_debug.sm_86"};
    struct teg_listing l;
    struct teg_cubin c;
    struct teg_diag d;
    char path[128];
    unsigned compared = 0, inlined = 0;

    snprintf(path, sizeof path, FIXTURES "%s.cubin", names[_i]);
    ck_assert_int_eq(teg_cubin_open(&c, path, &d), TEG_OK);
    snprintf(path, sizeof path, FIXTURES "%s.nvdisasm.sass", names[_i]);
    ck_assert_int_eq(teg_listing_open(&l, path, &d), TEG_OK);
    for (uint32_t k = 0; k < l.cubin[0].kernel_count; k++) {
        const struct teg_cubin_kernel *mine = &l.cubin[0].kernel[k];
        uint32_t theirs = (uint32_t)(teg_cubin_find(&c, mine->name) - c.kernel);

        for (uint64_t pc = 0; pc < mine->code.size; pc += TEG_SASS_BYTES) {
            const struct teg_line *x = teg_lines_at(&c.lines, theirs, pc);
            const struct teg_line *y = teg_lines_at(&l.cubin[0].lines, k, pc);

            ck_assert_msg((x == NULL) == (y == NULL), "%s:%x", mine->name,
                          (unsigned)pc);
            if (x == NULL)
                continue;
            expect_same_position(&c.lines, x, &l.cubin[0].lines, y);
            compared++;
            inlined += x->call != 0;
        }
    }
    ck_assert_uint_gt(compared, 60);
    ck_assert_int_eq(inlined > 0, _i == 0);
    teg_listing_release(&l);
    teg_cubin_release(&c);
}
END_TEST

/* ---- forms -------------------------------------------------------------- */

#define WORDS                                                            \
    "        /*0000*/  S2R R0, SR_TID.X ;  /* 0x0000000000007919 */\n"   \
    "                                      /* 0x000e280000002100 */\n"   \
    "        /*0010*/  EXIT ;              /* 0x000000000000794d */\r\n" \
    "                                      /* 0x000fea0003800000 */\n"

static const char program[] =
    "\nFatbin ptx code:\n================\narch = sm_90\n\n"
    "Fatbin elf code:\n================\narch = sm_75\nhost = linux\n\n"
    "\tcode for sm_75\n\t\tFunction : one\n"
    "\t.headerflags\t@\"EF_CUDA_SM75 EF_CUDA_PTX_SM(EF_CUDA_SM75)\"\n" WORDS
    "\t\t..........\n\n"
    "Fatbin elf code:\n================\narch = sm_80\n\n"
    "\tcode for sm_80\n\t.target\tsm_80\n\n\t\tFunction : one\n" WORDS
    "\t\tFunction : two\n" WORDS;

START_TEST(a_program_has_a_piece_for_each_architecture)
{
    struct teg_listing l;
    struct teg_diag d;

    ck_assert(teg_listing_recognise((const uint8_t *)program, strlen(program)));
    ck_assert_msg(open_text(&l, program, &d) == TEG_OK, "%s", d.what);
    ck_assert_uint_eq(l.count, 2);
    ck_assert_uint_eq(l.cubin[0].sm, 75);
    ck_assert_uint_eq(l.cubin[0].kernel_count, 1);
    ck_assert_uint_eq(l.cubin[1].sm, 80);
    ck_assert_uint_eq(l.cubin[1].kernel_count, 2);
    ck_assert_str_eq(l.cubin[1].kernel[1].name, "two");
    ck_assert_uint_eq(l.cubin[1].kernel[1].code.size, 32);
    ck_assert_mem_eq(l.cubin[1].kernel[1].code.data,
                     l.cubin[0].kernel[0].code.data, 32);
    teg_listing_release(&l);
}
END_TEST

static const char old[] =
    "\t.headerflags\t@\"EF_CUDA_TEXMODE_UNIFIED EF_CUDA_SM70 "
    "EF_CUDA_VIRTUAL_SM(EF_CUDA_SM70)\"\n"
    "\t.section\t.debug_frame,\"\",@progbits\n"
    "        /*0000*/ \t.byte\t0xff, 0xff\n"
    "//--------------------- .text.f --------------------------\n"
    "\t.section\t.text.f,\"ax\",@progbits\n"
    "\t.sectionflags\t@\"SHF_BARRIERS=1\"\n"
    "\t.sectioninfo\t@\"SHI_REGISTERS=12\"\n"
    "        .other          f,@\"STO_CUDA_ENTRY STV_DEFAULT\"\n"
    "f:\n.text.f:\n"
    "        /*0000*/                   BSSY B0, `(.L_1) ;\n"
    ".L_2:\n"
    "        /*0010*/              @!P0 BRA `(.L_2) ;\n"
    "        /*0020*/                   MOV R20, 32@lo((f + .L_1@srel)) ;\n"
    "        /*0030*/                   CALL.REL.NOINC `(g) ;\n"
    ".L_1:\n"
    "        /*0040*/                   FROB.X R1, R2 ;\n"
    "        /*0050*/                   BRX R2 -0x60 "
    "(*\"BRANCH_TARGETS .L_2,.L_1\"*);\n";

START_TEST(places_become_numbers)
{
    static const char *const want[] = {"BSSY B0, 0x40 ;",
                                       "@!P0 BRA 0x10 ;",
                                       "MOV R20, 0x0 ;",
                                       "CALL.REL.NOINC 0x0 ;",
                                       NULL,
                                       "BRX R2 -0x60 ;"};
    const struct teg_cubin_kernel *k;
    struct teg_listing l;
    struct teg_diag d;

    ck_assert_msg(open_text(&l, old, &d) == TEG_OK, "%s", d.what);
    k = &l.cubin[0].kernel[0];
    ck_assert_uint_eq(l.cubin[0].sm, 70);
    ck_assert_uint_eq(k->registers, 12);
    ck_assert_uint_eq(k->barriers, 1);
    ck_assert_int_eq(k->is_entry, 1);
    ck_assert_uint_eq(k->code.size, 6 * TEG_SASS_BYTES);
    for (uint64_t i = 0; i < 6; i++) {
        char text[TEG_SASS_TEXT];
        struct teg_sass s;

        teg_sass_decode(&s, k->code.data + 16 * i, 16 * i, 70);
        teg_sass_text(&s, text);
        if (want[i] != NULL)
            ck_assert_str_eq(text, want[i]);
        else
            ck_assert_ptr_null(s.name);
    }
    teg_listing_release(&l);
}
END_TEST

START_TEST(what_nobody_can_read_keeps_its_text_and_line)
{
    const struct teg_listing_unread *u;
    struct teg_listing l;
    struct teg_diag d;

    ck_assert_int_eq(open_text(&l, old, &d), TEG_OK);
    ck_assert_uint_eq(l.unread_count, 1);
    u = teg_listing_unread_at(&l, 0, 0, 0x40);
    ck_assert_ptr_nonnull(u);
    ck_assert_uint_eq(u->line, 17);
    ck_assert_str_eq(u->text, "FROB.X R1, R2 ");
    ck_assert_ptr_null(teg_listing_unread_at(&l, 0, 0, 0x50));
    teg_listing_release(&l);
}
END_TEST

/* ---- what is refused ----------------------------------------------------- */

#define HEAD "\tcode for sm_80\n\t\tFunction : f\n"

static const struct {
    const char *text, *where, *what;
} refused[] = {
    {"", "t", "found no function"},
    {"code for sm_80\n", "t", "found no function"},
    {"Function : f\n", "t:1", "expected the architecture"},
    {"code for sm_80\n/*0000*/ EXIT ;\n", "t:2", "expected a function"},
    {HEAD "/*0010*/ EXIT ;\n", "t:3",
     "expected the instruction at 0x0000 of f, found that at 0x0010"},
    {HEAD "/*0000*/ EXIT\n", "t:3", "ends with ';'"},
    {HEAD "/*0000*/ EXIT ; /* 0x000000000000794d */\n", "t:3",
     "two halves, found one half"},
    {HEAD WORDS "/*0020*/ EXIT ;\n", "t:7", "two halves, found none"},
};

START_TEST(damage_is_said_with_its_line)
{
    struct teg_listing l;
    struct teg_diag d;

    ck_assert_int_eq(open_text(&l, refused[_i].text, &d), TEG_FORMAT);
    ck_assert_str_eq(d.where, refused[_i].where);
    ck_assert_msg(strstr(d.what, refused[_i].what) != NULL, "%s", d.what);
}
END_TEST

static void read_damaged(const uint8_t *bytes, size_t size)
{
    struct teg_listing l;
    struct teg_diag d = {0};

    if (teg_listing_open_memory(&l, "t", bytes, size, &d) == TEG_OK) {
        ck_assert_uint_gt(l.count, 0);
        teg_listing_release(&l);
    } else {
        ck_assert_int_eq(d.status, TEG_FORMAT);
        ck_assert_uint_gt(strlen(d.what), 0);
        ck_assert_ptr_null(l.cubin);
    }
}

START_TEST(any_cut_or_flipped_byte_is_read_or_refused)
{
    static const char *const texts[] = {program, old};
    uint8_t bytes[2048];

    for (int t = 0; t < 2; t++) {
        size_t size = strlen(texts[t]);

        ck_assert_uint_le(size, sizeof bytes);
        memcpy(bytes, texts[t], size);
        for (size_t n = 0; n < size; n++)
            read_damaged(bytes, n);
        for (size_t n = 0; n < 8 * size; n++) {
            bytes[n / 8] ^= (uint8_t)(1 << n % 8);
            read_damaged(bytes, size);
            bytes[n / 8] ^= (uint8_t)(1 << n % 8);
        }
    }
}
END_TEST

START_TEST(other_files_are_no_listings)
{
    static const char ptx[] = "//\n.version 8.0\n.target sm_80\n"
                              ".address_size 64\n.visible .entry f()\n{\n}\n";
    static const char elf[] = "\177ELF\2\1\1\0code for sm_80\n";
    struct teg_listing l;
    struct teg_diag d;

    ck_assert(!teg_listing_recognise((const uint8_t *)ptx, sizeof ptx - 1));
    ck_assert(!teg_listing_recognise((const uint8_t *)elf, sizeof elf - 1));
    ck_assert(!teg_listing_recognise(NULL, 0));
    ck_assert(teg_listing_recognise((const uint8_t *)old, sizeof old - 1));
    ck_assert_int_eq(open_text(&l, ptx, &d), TEG_FORMAT);
    ck_assert_int_eq(teg_listing_open(&l, "/no/such.sass", &d), TEG_IO);
}
END_TEST

HELP_MAIN("listing", 60,
          {a_listing_holds_the_code_of_its_cubin,
           sizeof pairs / sizeof pairs[0]},
          {source_lines_are_those_nvdisasm_prints, 2},
          {a_program_has_a_piece_for_each_architecture, 0},
          {places_become_numbers, 0},
          {what_nobody_can_read_keeps_its_text_and_line, 0},
          {damage_is_said_with_its_line, sizeof refused / sizeof refused[0]},
          {any_cut_or_flipped_byte_is_read_or_refused, 0},
          {other_files_are_no_listings, 0})
