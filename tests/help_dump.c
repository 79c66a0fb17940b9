#include "tests/help_dump.h"

#include "isa/base/buffer.h"

#include <check.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void put(struct teg_buffer *b, const char *format, ...) TEG_PRINTF(2, 3);

static void put(struct teg_buffer *b, const char *format, ...)
{
    char text[512];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    teg_buffer_bytes(b, text, strlen(text));
}

/* Returns the sum of its lanes. */
static uint64_t put_record(const struct teg_access *a, struct teg_buffer *out)
{
    uint64_t sum = 0;

    if (out != NULL)
        put(out, " @");
    for (uint32_t rest = a->mask; rest != 0; rest &= rest - 1) {
        uint64_t lane = teg_access_lane(a, (uint32_t)__builtin_ctz(rest));

        sum += lane;
        if (out != NULL)
            put(out, " %" PRIx64, lane);
    }
    return sum;
}

static void walk_block(struct teg_block *block, struct help_totals *totals,
                       const struct teg_program *program,
                       struct teg_buffer *out)
{
    const uint32_t *at = teg_block_position(block);

    totals->blocks++;
    if (out != NULL)
        put(out, "block %u,%u,%u\n", at[0], at[1], at[2]);
    for (uint32_t s = 0; s < teg_block_warps(block); s++) {
        struct teg_cursor c;
        struct teg_access a;

        totals->warps++;
        if (out != NULL)
            put(out, "warp %u\n", teg_block_warp_id(block, s));
        teg_cursor_init(&c, block, s);
        while (teg_cursor_next(&c)) {
            const struct teg_inst *inst = &program->inst[c.inst];

            totals->insts++;
            if (out != NULL)
                put(out, "%04" PRIx64 " %08x %s", inst->pc, c.mask,
                    teg_program_text(program, inst));
            if (teg_cursor_access(&c, &a)) {
                totals->accesses++;
                totals->address_sum += put_record(&a, out);
            }
            while (teg_cursor_value(&c, &a))
                put_record(&a, out);
            if (out != NULL)
                put(out, "\n");
        }
    }
}

static teg_status walk(struct teg_launch *launch, struct help_totals *totals,
                       struct teg_buffer *out, struct teg_diag *d)
{
    *totals = (struct help_totals){0};
    for (;;) {
        struct teg_block *block;

        TRY(launch->next(launch->self, &block, d));
        if (block == NULL)
            return TEG_OK;
        walk_block(block, totals, &launch->kernel->program, out);
        teg_block_free(block);
    }
}

teg_status help_walk(struct teg_launch *launch, struct help_totals *totals,
                     struct teg_diag *d)
{
    return walk(launch, totals, NULL, d);
}

char *help_dump_launch(struct teg_launch *launch, teg_status *status,
                       struct teg_diag *d)
{
    struct teg_buffer out = {0};
    struct help_totals totals;

    *status = walk(launch, &totals, &out, d);
    teg_buffer_u8(&out, 0);
    if (*status == TEG_OK)
        return (char *)out.data;
    teg_buffer_release(&out);
    return NULL;
}

static void copy_notes(struct teg_notes *to, const struct teg_notes *from)
{
    for (size_t i = 0; i < from->count; i++) {
        for (uint64_t n = 0; n < from->note[i].count; n++)
            teg_notes_add(to, from->note[i].kind, from->note[i].where, "%s",
                          from->note[i].what);
    }
}

char *help_dump_memory(const char *name, const void *bytes, size_t size,
                       const struct teg_trace_options *options,
                       struct teg_notes *notes, teg_status *status,
                       struct teg_diag *d)
{
    struct teg_trace *trace;
    struct teg_launch launch;
    char *dump = NULL;

    *status = teg_trace_open_memory(name, bytes, size, options, &trace, d);
    if (*status != TEG_OK)
        return NULL;
    *status = teg_trace_launch(trace, 0, &launch, d);
    if (*status == TEG_OK) {
        dump = help_dump_launch(&launch, status, d);
        if (notes != NULL)
            copy_notes(notes, &launch.kernel->notes);
        launch.close(launch.self);
    }
    teg_trace_close(trace);
    return dump;
}

teg_status help_walk_memory(const char *name, const void *bytes, size_t size,
                            struct teg_diag *d)
{
    struct teg_trace *trace;
    struct teg_launch launch;
    struct help_totals totals;
    teg_status status;

    TRY(teg_trace_open_memory(name, bytes, size, NULL, &trace, d));
    status = teg_trace_launch(trace, 0, &launch, d);
    if (status == TEG_OK) {
        status = help_walk(&launch, &totals, d);
        launch.close(launch.self);
    }
    teg_trace_close(trace);
    return status;
}

static void check_damaged(const void *bytes, size_t size)
{
    struct teg_diag d = {0};
    teg_status status = help_walk_memory("t", bytes, size, &d);

    ck_assert(status == TEG_OK || d.what[0] != '\0');
}

void help_damage(const void *bytes, size_t size)
{
    uint8_t *copy = malloc(size + 1);

    ck_assert_ptr_nonnull(copy);
    for (size_t n = 0; n < size; n++) {
        /* Its own allocation, so that reading past the end is seen. */
        uint8_t *part = malloc(n + 1);

        ck_assert_ptr_nonnull(part);
        memcpy(part, bytes, n);
        check_damaged(part, n);
        free(part);
    }
    for (size_t i = 0; i < size; i++) {
        memcpy(copy, bytes, size);
        copy[i] ^= (uint8_t)(1u << i % 8);
        check_damaged(copy, size);
    }
    free(copy);
}

const char *help_note(const struct teg_notes *notes, const char *kind)
{
    for (size_t i = 0; i < notes->count; i++) {
        if (strcmp(notes->note[i].kind, kind) == 0)
            return notes->note[i].what;
    }
    return "";
}
