#include "tests/help_sketch.h"

#include <check.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct out {
    char *text;
    size_t size;
};

static void TEG_PRINTF(2, 3) add(struct out *o, const char *format, ...)
{
    char piece[64];
    va_list arguments;
    int length;

    va_start(arguments, format);
    length = vsnprintf(piece, sizeof piece, format, arguments);
    va_end(arguments);
    o->text = realloc(o->text, o->size + (size_t)length + 1);
    ck_assert_ptr_nonnull(o->text);
    memcpy(o->text + o->size, piece, (size_t)length + 1);
    o->size += (size_t)length;
}

/* True if the active lanes' addresses lie `*stride` apart. */
static int evenly_spaced(const struct teg_access *a, int64_t *stride)
{
    uint64_t last = 0;
    uint32_t seen = 0;

    *stride = 0;
    for (uint32_t l = 0; l < TEG_LANES; l++) {
        uint64_t address;

        if ((a->mask >> l & 1) == 0)
            continue;
        address = teg_access_lane(a, l);
        if (seen == 1)
            *stride = (int64_t)(address - last);
        else if (seen > 1 && (int64_t)(address - last) != *stride)
            return 0;
        last = address;
        seen++;
    }
    return 1;
}

static void add_access(struct out *o, const struct teg_access *a)
{
    int64_t stride;
    int even = evenly_spaced(a, &stride);
    int first = 1;

    for (uint32_t l = 0; l < TEG_LANES; l++) {
        if ((a->mask >> l & 1) == 0)
            continue;
        add(o, "%s%" PRIx64, first ? "@" : ",", teg_access_lane(a, l));
        first = 0;
        if (even)
            break;
    }
    if (even && stride != 0)
        add(o, "%+" PRId64, stride);
}

static void add_warp(struct out *o, struct teg_block *block, uint32_t stream)
{
    struct teg_cursor c;
    struct teg_access access;

    add(o, " w%u:", teg_block_warp_id(block, stream));
    teg_cursor_init(&c, block, stream);
    while (teg_cursor_next(&c)) {
        add(o, " %u", c.inst);
        if (c.mask != 0xffffffff)
            add(o, "/%x", c.mask);
        if (teg_cursor_access(&c, &access))
            add_access(o, &access);
    }
}

static void expand(struct teg_sketch *s, struct out *o)
{
    struct teg_launch launch;
    struct teg_block *block;
    struct teg_diag d;

    ck_assert_msg(teg_sketch_launch(s, &launch, &d) == TEG_OK, "%s", d.what);
    for (;;) {
        const uint32_t *at;

        ck_assert_msg(launch.next(launch.self, &block, &d) == TEG_OK, "%s",
                      d.what);
        if (block == NULL)
            break;
        at = teg_block_position(block);
        add(o, "%s%u,%u,%u", o->size != 0 ? " " : "", at[0], at[1], at[2]);
        for (uint32_t i = 0; i < teg_block_warps(block); i++)
            add_warp(o, block, i);
        teg_block_free(block);
    }
    launch.close(launch.self);
}

char *help_sketch_expand_with(const char *text, const char *set)
{
    struct teg_sketch_options options = {.set = &set, .set_count = set != NULL};
    struct out o = {0};
    struct teg_sketch *s;
    struct teg_diag d;

    ck_assert_msg(teg_sketch_parse("test", text, strlen(text), &options, &s,
                                   &d) == TEG_OK,
                  "%s: %s", d.where, d.what);
    expand(s, &o);
    teg_sketch_close(s);
    return o.text;
}

char *help_sketch_expand(const char *text)
{
    return help_sketch_expand_with(text, NULL);
}

teg_status help_sketch_try(const char *text, size_t size, uint64_t blocks,
                           uint64_t steps_max, struct teg_diag *d)
{
    struct teg_sketch_options options = {.steps_max = steps_max};
    struct teg_launch launch;
    struct teg_sketch *s;
    struct teg_block *block = NULL;
    teg_status status = teg_sketch_parse("test", text, size, &options, &s, d);

    if (status != TEG_OK)
        return status;
    status = teg_sketch_launch(s, &launch, d);
    ck_assert_int_eq(status, TEG_OK);
    for (uint64_t i = 0; i < blocks && status == TEG_OK; i++) {
        status = launch.next(launch.self, &block, d);
        if (status == TEG_OK && block == NULL)
            break;
        teg_block_free(status == TEG_OK ? block : NULL);
    }
    launch.close(launch.self);
    teg_sketch_close(s);
    return status;
}
