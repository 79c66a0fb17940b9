/* Launches that differ in nothing but where their buffers are. */
#include "traces/block/likeness.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

#include "tests/help_suite.h"
#include "traces/trace.h"

enum {
    MB = 1 << 20,
};

static const char kernel[] =
    "sketch 1\nisa sm_80\nlet x = %llu\nlet y = %llu\ngrid %d\nblock 64\n"
    "shared 4096\nshared_base 0x7f0000000000\nlocal_base 0x7e0000000000\n"
    "LDG.E R2, [R2 : x + %d*gtid]\n"
    "LDG.E R3, [R2 : x + 65536 + rand(gtid, 7) %% 64 * 4]\n"
    "STS [R5 : %d + 4*tid], R2\n"
    "LD.E R4, [R8 : %s + 4*lane]\n"
    "@P0 {lane < %d} STG.E [R4 : y + 4*gtid], R2\n"
    "loop i 3\nSTG.E [R4 : y + 8192 + 1024*i + 4*tid], R3\nend\nEXIT\n";

/* What a launch depends on. */
struct form {
    unsigned long long x, y;
    int grid, stride, shared;
    const char *generic;
    int lanes;
};

static const struct form usual = {
    .x = 16ull * MB,
    .y = 64ull * MB,
    .grid = 9,
    .stride = 4,
    .shared = 0,
    .generic = "x",
    .lanes = 20,
};

static uint64_t digest_of(struct form f)
{
    char text[1024];
    struct teg_trace *trace;
    struct teg_launch launch;
    struct teg_likeness *l;
    struct teg_block *block;
    struct teg_diag d;
    uint64_t digest;

    snprintf(text, sizeof text, kernel, f.x, f.y, f.grid, f.stride, f.shared,
             f.generic, f.lanes);
    ck_assert_msg(teg_trace_open_memory("test", (const uint8_t *)text,
                                        strlen(text), NULL, &trace,
                                        &d) == TEG_OK &&
                      teg_trace_launch(trace, 0, &launch, &d) == TEG_OK,
                  "%s: %s", d.where, d.what);
    l = teg_likeness_new(launch.kernel);
    ck_assert_ptr_nonnull(l);
    do {
        ck_assert(launch.next(launch.self, &block, &d) == TEG_OK);
        if (block == NULL)
            break;
        ck_assert(teg_likeness_add(l, block, &d) == TEG_OK);
        teg_block_free(block);
    } while (1);
    digest = teg_likeness_digest(l);
    teg_likeness_free(l);
    if (launch.close != NULL)
        launch.close(launch.self);
    teg_trace_close(trace);
    return digest;
}

/* With buffers elsewhere, and which of them comes first. */
START_TEST(buffers_may_be_anywhere)
{
    static const unsigned long long x[] = {16, 17, 160, 1024, 33};
    static const unsigned long long y[] = {64, 200, 12, 4096, 77};

    for (size_t i = 0; i < sizeof x / sizeof x[0]; i++) {
        struct form moved = usual;

        moved.x = x[i] * MB;
        moved.y = y[i] * MB + 128 * i;
        ck_assert_msg(digest_of(moved) == digest_of(usual), "place %zu", i);
    }
}
END_TEST

/* All else counts. */
START_TEST(nothing_else_may_differ)
{
    struct form other[] = {usual, usual, usual, usual, usual,
                           usual, usual, usual, usual};
    enum {
        OTHERS = sizeof other / sizeof other[0]
    };
    uint64_t digest[OTHERS + 1] = {digest_of(usual)};

    other[0].grid = 10;
    other[1].stride = 8;
    other[2].shared = 4;
    other[3].lanes = 21;
    other[4].x += 32;                    /* in another sector of a line */
    other[5].generic = "y";              /* of another buffer */
    other[6].y = other[6].x;             /* what is read is written */
    other[7].y = other[7].x + 64;        /* likewise, some of it */
    other[8].generic = "0x7f0000000000"; /* shared memory */
    for (int i = 0; i < OTHERS; i++) {
        digest[i + 1] = digest_of(other[i]);
        for (int j = 0; j <= i; j++)
            ck_assert_msg(digest[j] != digest[i + 1], "%d like %d", i + 1, j);
    }
}
END_TEST

/* One buffer that is read and written, wherever. */
START_TEST(what_is_one_buffer_stays_one)
{
    struct form one = usual, moved = usual, apart = usual;

    one.y = one.x;
    moved.x = moved.y = 300ull * MB;
    apart.y = 128ull * MB;
    ck_assert_uint_eq(digest_of(one), digest_of(moved));
    ck_assert_uint_ne(digest_of(one), digest_of(apart));
}
END_TEST

HELP_MAIN("traces/block/likeness", 0, {buffers_may_be_anywhere, 0},
          {nothing_else_may_differ, 0}, {what_is_one_buffer_stays_one, 0})
