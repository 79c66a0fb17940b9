/*
 * Every field of every row of the decoder over all its values, for all
 * generations: what a table does not name is refused, as is a bit that no field
 * has, and nothing that runs crashes (`make sanitize` says so).
 */
#include "tests/help_suite.h"
#include "tests/traces/emulate/help_single.h"
#include "tests/traces/emulate/help_words.h"

#include <stdio.h>
#include <string.h>

#include "traces/emulate/core/control.h"
#include "traces/emulate/core/emulate.h"

struct tally {
    unsigned long ran, faulted, refused, bits;
};

static const uint64_t no_fill[2];

static int exists(const struct sass_row *row, unsigned form, uint32_t cc)
{
    return (row->forms >> form & 1) && cc >= row->first && cc <= row->last;
}

static const char *text_of(const uint64_t word[2], uint32_t cc)
{
    static char text[TEG_SASS_TEXT + 64];
    uint8_t bytes[TEG_SASS_BYTES];
    char what[TEG_SASS_TEXT];
    struct teg_sass s;

    help_word_bytes(word, bytes);
    teg_sass_decode(&s, bytes, 0, cc);
    teg_sass_text(&s, what);
    snprintf(text, sizeof text, "%016llx%016llx sm_%u %s",
             (unsigned long long)word[1], (unsigned long long)word[0], cc,
             what);
    return text;
}

/* What registers hold: addresses of shared memory, or of the buffer in pairs. */
static uint32_t registers[2][EMU_ROWS][EMU_LANES];

static void draw_registers(uint64_t buffer, int pairs)
{
    for (uint32_t r = 0; r < EMU_ROWS; r++) {
        for (uint32_t l = 0; l < EMU_LANES; l++) {
            uint32_t lane = r >= EMU_UNIFORM_ROW ? 0 : l;
            uint64_t at = buffer + 64 * (r % 4) + 16 * (uint64_t)lane;

            registers[pairs][r][l] = !pairs       ? 16 * lane
                                     : r % 2 == 0 ? (uint32_t)at
                                                  : (uint32_t)(at >> 32);
        }
    }
}

static void run(struct help_single *h, const uint64_t word[2], uint32_t cc,
                struct tally *t)
{
    static const uint32_t masks[] = {EMU_ALL, 0x00010105};

    for (int pairs = 0; pairs < 2; pairs++) {
        for (int plain = 0; plain < 2; plain++) {
            help_single_prepare(h, word, cc, plain);
            memcpy(h->warp.r, registers[pairs], sizeof h->warp.r);
            if (help_single_run(h, masks[plain]) == TEG_OK)
                t->ran++;
            else
                t->faulted++;
        }
    }
}

static void walk_field(struct help_single *h, const struct sass_row *row,
                       const struct help_field *f, const uint64_t base[2],
                       uint32_t cc, struct tally *t)
{
    for (uint32_t v = 0; v < help_field_values(f); v++) {
        uint64_t word[2] = {base[0], base[1]};
        size_t length;
        int named = sass_named_text(f->table, v, cc, &length) != NULL;
        int runs;

        help_set(word, f, v);
        if (!sass_row_fits(row, word, cc))
            continue; /* another row's value */
        runs = help_single_prepare(h, word, cc, 0);
        if (!named) {
            ck_assert_msg(!runs, "runs: %s", text_of(word, cc));
            t->refused++;
        } else if (runs) {
            run(h, word, cc, t);
        }
    }
}

/* Each bit that the word has no meaning for. */
static void walk_bits(struct help_single *h, const uint64_t base[2],
                      uint32_t cc, struct tally *t)
{
    uint8_t bytes[TEG_SASS_BYTES];
    struct teg_sass s;

    help_word_bytes(base, bytes);
    if (!teg_sass_decode(&s, bytes, 0, cc))
        return;
    for (unsigned b = 16; b < 105; b++) {
        uint64_t word[2] = {base[0], base[1]};

        if (b == 91 || (s.named[b / 64] >> b % 64 & 1))
            continue;
        word[b / 64] |= UINT64_C(1) << b % 64;
        ck_assert_msg(!help_single_prepare(h, word, cc, 0), "bit %u: %s", b,
                      text_of(word, cc));
        t->bits++;
    }
}

/* A first value of each field that its table names. */
static void settle(const struct help_field *field, unsigned fields,
                   uint64_t word[2])
{
    for (unsigned i = 0; i < fields; i++) {
        uint32_t v = 0;
        size_t length;

        while (sass_kind_text(field[i].table, v, &length) == NULL)
            v++;
        help_set(word, &field[i], v);
    }
}

START_TEST(what_nobody_has_named_is_refused)
{
    struct help_single *h = help_single_new();
    struct tally t = {0};
    size_t count;
    const struct sass_row *row = sass_rows(&count);
    uint32_t cc = help_generations[_i];

    ck_assert_ptr_nonnull(h);
    draw_registers(h->buffer, 0);
    draw_registers(h->buffer, 1);
    for (size_t r = 0; r < count; r++) {
        for (unsigned form = 0; form < 16; form++) {
            struct help_field field[HELP_FIELDS];
            unsigned fields = help_fields(&row[r], field);
            uint64_t word[2];

            if (!exists(&row[r], form, cc))
                continue;
            help_word(&row[r], form, cc, no_fill, word);
            settle(field, fields, word);
            for (unsigned i = 0; i < fields; i++)
                walk_field(h, &row[r], &field[i], word, cc, &t);
            if (fields == 0 && help_single_prepare(h, word, cc, 0))
                run(h, word, cc, &t);
            walk_bits(h, word, cc, &t);
        }
    }
    printf("sm_%u: %lu ran, %lu faulted, %lu values and %lu bits refused\n", cc,
           t.ran, t.faulted, t.refused, t.bits);
    ck_assert_uint_gt(t.ran, 5000);
    ck_assert_uint_gt(t.refused, 500);
    ck_assert_uint_gt(t.bits, 5000);
    help_single_free(h);
}
END_TEST

/* A kernel of the word and EXIT. */
static teg_status launch(const uint64_t word[2], uint32_t cc,
                         struct teg_diag *d)
{
    static const uint64_t leave[2] = {0x000000000000794d, 0x000fea0003800000};
    uint8_t code[2 * TEG_SASS_BYTES];
    char name[] = "one", path[] = "one.cubin";
    struct teg_cubin_kernel kernel = {
        .name = name, .is_entry = 1, .registers = 32, .param_base = 0x160};
    struct teg_cubin cubin = {
        .path = path, .sm = cc, .kernel = &kernel, .kernel_count = 1};
    struct emu_launch_facts facts = {
        .grid = {1, 1, 1}, .block = {32, 1, 1}, .limit.insts = 100};
    struct emu_device *device;
    struct teg_launch run;
    struct teg_block *block;
    teg_status status;

    help_word_bytes(word, code);
    help_word_bytes(leave, code + TEG_SASS_BYTES);
    kernel.code.data = code;
    kernel.code.size = sizeof code;
    ck_assert_int_eq(emu_device_new(&device, d), TEG_OK);
    status = emu_launch(&cubin, &kernel, device, &facts, &run, d);
    if (status == TEG_OK) {
        status = run.next(run.self, &block, d);
        if (status == TEG_OK)
            teg_block_free(block);
        run.close(run.self);
    }
    emu_device_free(device);
    return status;
}

/* Control flow has functions of its own, and a line that says what is wrong. */
START_TEST(control_flow_is_refused_too)
{
    size_t count;
    const struct sass_row *row = sass_rows(&count);
    uint32_t cc = help_generations[_i];
    unsigned tried = 0;

    for (size_t r = 0; r < count; r++) {
        for (unsigned form = 0; form < 16; form++) {
            uint64_t word[2];
            struct teg_diag d = {0};

            if (!exists(&row[r], form, cc) ||
                emu_control_of(row[r].name) == CONTROL_NONE)
                continue;
            help_word(&row[r], form, cc, no_fill, word);
            word[1] |= UINT64_C(1) << (104 - 64);
            ck_assert_int_eq(launch(word, cc, &d), TEG_LIMIT);
            ck_assert_msg(strstr(d.what, "a value that is not known") != NULL,
                          "%s: %s", text_of(word, cc), d.what);
            tried++;
        }
    }
    ck_assert_uint_gt(tried, 15);
}
END_TEST

HELP_MAIN("emulate fields", 120,
          {what_nobody_has_named_is_refused, HELP_DECODED},
          {control_flow_is_refused_too, HELP_DECODED})
