/* Which atomics decide how long a loop goes on: short listings, an instruction
 * every 16 bytes, registers as their texts have them. */
#include "traces/study/contest.h"

#include <check.h>
#include <string.h>

#include "tests/help_suite.h"

enum {
    R = TEG_REG_R,
    P = TEG_REG_P,
    ATOM = 1, /* an atomic on global memory: writes R2 */
    SATOM,    /* on shared memory */
    LDG,      /* a load past L1 from R4: writes R2 */
    LDG_L1,   /* the same through L1 */
    MOVE,     /* R4 from R4 */
    STS,      /* stores R2 there */
    ST,       /* stores R2, by a generic address */
    LDS,      /* loads R5 from there */
    ISETP,    /* P0 from R2 */
    ISETP5,   /* P0 from R5 */
    OTHER,    /* P0 from R9 */
    ANEW,     /* R4 from a constant */
    NOTE,     /* R10 likewise */
    ISETP10,  /* P0 from R10 */
    BRANCH,   /* if P0 */
    LEAVE,    /* EXIT if P0 */
    CAS,      /* R2 from [R4], R6, R8 and, if P0, the guard */
    KEEP,     /* R6 from R2 */
    ADD,      /* R8 from R2 */
    NEXT,     /* R4 from R2 */
};

struct line {
    int what;
    const char *text;
};

static struct teg_program program;

static void add(const struct line *l, uint32_t at)
{
    static const struct teg_inst known[] = {
        [ATOM] = {.space = SPACE_GLOBAL,
                  .flags = INST_ATOMIC,
                  .dst_count = 1,
                  .dst = {{R + 2, 1}}},
        [SATOM] = {.space = SPACE_SHARED,
                   .flags = INST_ATOMIC,
                   .dst_count = 1,
                   .dst = {{R + 2, 1}}},
        [LDG] = {.space = SPACE_GLOBAL,
                 .flags = INST_LOAD | INST_BYPASS_L1,
                 .dst_count = 1,
                 .dst = {{R + 2, 1}},
                 .src_count = 1,
                 .src = {{R + 4, 2}}},
        [LDG_L1] = {.space = SPACE_GLOBAL,
                    .flags = INST_LOAD,
                    .dst_count = 1,
                    .dst = {{R + 2, 1}},
                    .src_count = 1,
                    .src = {{R + 4, 2}}},
        [MOVE] = {.dst_count = 1,
                  .dst = {{R + 4, 1}},
                  .src_count = 1,
                  .src = {{R + 4, 1}}},
        [STS] = {.space = SPACE_SHARED,
                 .flags = INST_STORE,
                 .src_count = 1,
                 .src = {{R + 2, 1}}},
        [ST] = {.space = SPACE_GENERIC,
                .flags = INST_STORE,
                .src_count = 1,
                .src = {{R + 2, 1}}},
        [LDS] = {.space = SPACE_SHARED,
                 .flags = INST_LOAD,
                 .dst_count = 1,
                 .dst = {{R + 5, 1}}},
        [ISETP] = {.dst_count = 1,
                   .dst = {{P, 1}},
                   .src_count = 1,
                   .src = {{R + 1, 2}}},
        [ISETP5] = {.dst_count = 1,
                    .dst = {{P, 1}},
                    .src_count = 1,
                    .src = {{R + 5, 1}}},
        [OTHER] = {.dst_count = 1,
                   .dst = {{P, 1}},
                   .src_count = 1,
                   .src = {{R + 9, 1}}},
        [ANEW] = {.dst_count = 1, .dst = {{R + 4, 2}}},
        [NOTE] = {.dst_count = 1, .dst = {{R + 10, 1}}},
        [ISETP10] = {.dst_count = 1,
                     .dst = {{P, 1}},
                     .src_count = 1,
                     .src = {{R + 10, 1}}},
        [BRANCH] = {.flags = INST_BRANCH, .src_count = 1, .src = {{P, 1}}},
        [LEAVE] = {.flags = INST_EXIT, .src_count = 1, .src = {{P, 1}}},
        [CAS] = {.space = SPACE_GLOBAL,
                 .flags = INST_ATOMIC,
                 .dst_count = 1,
                 .dst = {{R + 2, 1}},
                 .src_count = 4,
                 .src = {{R + 4, 2}, {R + 6, 1}, {R + 8, 1}, {P, 1}}},
        [KEEP] = {.dst_count = 1,
                  .dst = {{R + 6, 1}},
                  .src_count = 1,
                  .src = {{R + 2, 1}}},
        [ADD] = {.dst_count = 1,
                 .dst = {{R + 8, 1}},
                 .src_count = 1,
                 .src = {{R + 2, 1}}},
        [NEXT] = {.dst_count = 1,
                  .dst = {{R + 4, 1}},
                  .src_count = 1,
                  .src = {{R + 2, 1}}},
    };
    struct teg_inst inst = known[l->what];
    uint32_t index;

    inst.pc = 16 * (uint64_t)at;
    ck_assert_int_eq(teg_program_add(&program, &inst, l->text, &index, NULL),
                     TEG_OK);
}

/* What the listing's instruction `at` is. */
static int contest(const struct line *lines, uint32_t count, uint32_t at)
{
    int found;

    for (uint32_t i = 0; i < count; i++)
        add(&lines[i], i);
    found = (int)teg_contest_of(&program, at);
    teg_program_release(&program);
    return found;
}

#define CONTEST(at, ...)                                                    \
    contest((const struct line[]){__VA_ARGS__},                             \
            sizeof(const struct line[]){__VA_ARGS__} / sizeof(struct line), \
            at)

START_TEST(a_lock_is_asked_until_it_is_free)
{
    ck_assert_int_eq(CONTEST(0, {ATOM, "ATOMG.E.CAS.STRONG.GPU PT, R2, [R4]"},
                             {ISETP, "ISETP.NE.AND P0, PT, R2, RZ, PT"},
                             {BRANCH, "@P0 BRA 0x0"}),
                     CONTEST_RETRY);
    ck_assert_int_eq(CONTEST(0, {ATOM, "ATOMG.E.EXCH.STRONG.GPU PT, R2, [R4]"},
                             {ISETP, "ISETP.NE.AND P0, PT, R2, RZ, PT"},
                             {BRANCH, "@P0 BRA 0x0"}),
                     CONTEST_RETRY);
    ck_assert_int_eq(CONTEST(0, {SATOM, "ATOMS.CAST.SPIN R2, [R4], R5, R6"},
                             {ISETP, "ISETP.NE.U32.AND P0, PT, R2, 0x1, PT"},
                             {BRANCH, "@P0 BRA 0x0"}),
                     CONTEST_RETRY);
}
END_TEST

/* A word is swapped for what it was given last, or for what comes of it; a lock, and
 * the next place of a table, are asked with what they always are. */
START_TEST(a_word_is_swapped_for_what_comes_of_it)
{
    static const struct {
        int what;
        enum teg_contest is;
    } rows[] = {{KEEP, CONTEST_SWAP},
                {ADD, CONTEST_SWAP},
                {NEXT, CONTEST_RETRY},
                {NOTE, CONTEST_RETRY}};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct line more = {rows[i].what, "MOV"};

        ck_assert_int_eq(CONTEST(1, more,
                                 {CAS, "ATOMG.E.CAS PT, R2, [R4], R6, R8"},
                                 {ISETP, "ISETP.NE.AND P0, PT, R2, R6, PT"},
                                 {BRANCH, "@P0 BRA 0x0"}),
                         rows[i].is);
        ck_assert_int_eq(CONTEST(0, {CAS, "ATOMG.E.CAS PT, R2, [R4], R6, R8"},
                                 {ISETP, "ISETP.NE.AND P0, PT, R2, R6, PT"},
                                 more, {BRANCH, "@P0 BRA 0x0"}),
                         rows[i].is);
    }
}
END_TEST

/* Out of the middle of the loop, which goes round whatever it was. */
START_TEST(a_loop_may_be_left_inside)
{
    for (int how = 0; how < 3; how++) {
        static const struct line out[] = {{BRANCH, "@P0 BRA 0x50"},
                                          {BRANCH, "@P0 BREAK B0"},
                                          {LEAVE, "@P0 EXIT"}};

        ck_assert_int_eq(CONTEST(0, {ATOM, "ATOMG.E.CAS PT, R2, [R4], R6, R7"},
                                 {ISETP, "ISETP.EQ.AND P0, PT, R2, R6, PT"},
                                 out[how], {OTHER, "ISETP P0, PT, R9"},
                                 {BRANCH, "@P0 BRA 0x0"}),
                         CONTEST_RETRY);
    }
    /* Around something inside. */
    ck_assert_int_eq(CONTEST(0, {ATOM, "ATOMG.E.CAS PT, R2, [R4], R6, R7"},
                             {ISETP, "ISETP.EQ.AND P0, PT, R2, R6, PT"},
                             {BRANCH, "@P0 BRA 0x30"},
                             {OTHER, "ISETP P0, PT, R9"},
                             {BRANCH, "@P0 BRA 0x0"}),
                     CONTEST_NONE);
}
END_TEST

START_TEST(a_loop_that_counts_is_none)
{
    ck_assert_int_eq(CONTEST(0, {ATOM, "ATOMG.E.CAS PT, R2, [R4], R6, R7"},
                             {ISETP, "ISETP.EQ.AND P0, PT, R2, R6, PT"},
                             {OTHER, "ISETP.NE.AND P0, PT, R9, RZ, PT"},
                             {BRANCH, "@P0 BRA 0x0"}),
                     CONTEST_NONE);
    ck_assert_int_eq(CONTEST(0, {ATOM, "ATOMG.E.CAS PT, R2, [R4], R6, R7"},
                             {ISETP, "ISETP.EQ.AND P0, PT, R2, R6, PT"},
                             {BRANCH, "@P0 BRA 0x30"}),
                     CONTEST_NONE);
    ck_assert_int_eq(CONTEST(0, {ATOM, "ATOMG.E.AND PT, R2, [R4], R6"},
                             {ISETP, "ISETP.EQ.AND P0, PT, R2, R6, PT"},
                             {BRANCH, "@P0 BRA 0x0"}),
                     CONTEST_NONE);
    ck_assert_int_eq(CONTEST(0, {ATOM, "ATOMG.E.CAS"}, {ISETP, "ISETP.EQ.AND"},
                             {BRANCH, "BRA"}),
                     CONTEST_NONE);
}
END_TEST

/* One lane asks for all of its block. */
START_TEST(work_is_handed_out_through_shared_memory)
{
    ck_assert_int_eq(CONTEST(0, {ATOM, "ATOMG.E.ADD.STRONG.GPU PT, R2, [R4]"},
                             {STS, "STS [RZ], R2"}, {LDS, "LDS R5, [RZ]"},
                             {ISETP5, "ISETP.GE.AND P0, PT, R5, R7, PT"},
                             {LEAVE, "@P0 EXIT"}, {OTHER, "BRA 0x0"}),
                     CONTEST_WORK);
    /* Of all of its cluster. */
    ck_assert_int_eq(CONTEST(0, {ATOM, "ATOMG.E.ADD.STRONG.GPU PT, R2, [R4]"},
                             {ST, "ST.E [R8.64], R2"}, {LDS, "LDS R5, [RZ]"},
                             {ISETP5, "ISETP.GE.AND P0, PT, R5, R7, PT"},
                             {LEAVE, "@P0 EXIT"}, {OTHER, "BRA 0x0"}),
                     CONTEST_WORK);
    /* The next piece is asked for behind the test of the last one. */
    ck_assert_int_eq(CONTEST(2, {ISETP, "ISETP.GE.AND P0, PT, R2, R7, PT"},
                             {LEAVE, "@P0 EXIT"},
                             {ATOM, "ATOMG.E.ADD.STRONG.GPU PT, R2, [R4]"},
                             {OTHER, "BRA 0x0"}),
                     CONTEST_WORK);
    /* A place to write to is no work. */
    ck_assert_int_eq(CONTEST(0, {ATOM, "ATOMG.E.ADD.STRONG.GPU PT, R2, [R4]"},
                             {STS, "STS [R2], R3"},
                             {OTHER, "ISETP.NE.AND P0, PT, R9, RZ, PT"},
                             {BRANCH, "@P0 BRA 0x0"}),
                     CONTEST_NONE);
    /* Warps of a block share what is theirs as the emulator's do. */
    ck_assert_int_eq(CONTEST(0, {SATOM, "ATOMS.ADD R2, [R4], R6"},
                             {ISETP, "ISETP.GE.AND P0, PT, R2, R7, PT"},
                             {BRANCH, "@P0 BRA 0x0"}),
                     CONTEST_NONE);
}
END_TEST

START_TEST(a_poll_asks_for_the_same_word)
{
    ck_assert_int_eq(CONTEST(0, {LDG, "LDG.E.STRONG.SYS R2, [R4.64]"},
                             {ISETP, "ISETP.NE.AND P0, PT, R2, R6, PT"},
                             {BRANCH, "@P0 BRA 0x0"}),
                     CONTEST_POLL);
    ck_assert_int_eq(CONTEST(0, {LDG_L1, "LDG.E R2, [R4.64]"},
                             {ISETP, "ISETP.NE.AND P0, PT, R2, R6, PT"},
                             {BRANCH, "@P0 BRA 0x0"}),
                     CONTEST_NONE);
    /* Along a list. */
    ck_assert_int_eq(CONTEST(0, {LDG, "LDG.E.STRONG.GPU R2, [R4.64]"},
                             {MOVE, "IADD3 R4, R4, 0x4, RZ"},
                             {ISETP, "ISETP.NE.AND P0, PT, R2, R6, PT"},
                             {BRANCH, "@P0 BRA 0x0"}),
                     CONTEST_NONE);
}
END_TEST

/* Sweeps over words until none of them asks for another sweep. */
static int sweep(int address, int counts, const char *back)
{
    return CONTEST(
        2, {address, "IMAD.WIDE R4, R0, R1, c[0x0][0x160]"},
        {NOTE, "MOV R10, RZ"}, {LDG, "LDG.E.U8.STRONG.SYS R2, [R4.64]"},
        {ISETP, "ISETP.NE.AND P0, PT, R2, RZ, PT"}, {BRANCH, "@P0 BRA 0x60"},
        {NOTE, "MOV R10, 0x1"}, {MOVE, "IADD3 R4, R4, 0x1, RZ"},
        {OTHER, "ISETP.LT.AND P0, PT, R9, R7, PT"}, {BRANCH, "@P0 BRA 0x20"},
        {counts, "ISETP.NE.AND P0, PT, R10, RZ, PT"}, {BRANCH, back});
}

START_TEST(a_sweep_over_words_polls)
{
    ck_assert_int_eq(sweep(ANEW, ISETP10, "@P0 BRA 0x0"), CONTEST_POLL);
    /* Once; a number of times; on and on behind where the last one ended. */
    ck_assert_int_eq(sweep(ANEW, ISETP10, "@P0 BRA 0xc0"), CONTEST_NONE);
    ck_assert_int_eq(sweep(ANEW, OTHER, "@P0 BRA 0x0"), CONTEST_NONE);
    ck_assert_int_eq(sweep(MOVE, ISETP10, "@P0 BRA 0x0"), CONTEST_NONE);
}
END_TEST

START_TEST(an_address_made_anew_is_the_same)
{
    ck_assert_int_eq(CONTEST(1, {ANEW, "MOV R4, c[0x0][0x160]"},
                             {LDG, "LDG.E.STRONG.SYS R2, [R4.64]"},
                             {ISETP, "ISETP.NE.AND P0, PT, R2, R6, PT"},
                             {BRANCH, "@P0 BRA 0x0"}),
                     CONTEST_POLL);
}
END_TEST

START_TEST(what_a_guard_may_skip_is_still_there)
{
    ck_assert_int_eq(CONTEST(0, {LDG, "LDG.E.STRONG.SYS R2, [R4.64]"},
                             {ISETP, "ISETP.NE.AND P0, PT, R2, R6, PT"},
                             {OTHER, "@P1 ISETP.NE.AND P0, PT, R9, R6, PT"},
                             {BRANCH, "@P0 BRA 0x0"}),
                     CONTEST_POLL);
    ck_assert_int_eq(CONTEST(0, {LDG, "LDG.E.STRONG.SYS R2, [R4.64]"},
                             {ISETP, "ISETP.NE.AND P0, PT, R2, R6, PT"},
                             {OTHER, "ISETP.NE.AND P0, PT, R9, R6, PT"},
                             {BRANCH, "@P0 BRA 0x0"}),
                     CONTEST_NONE);
}
END_TEST

HELP_MAIN("traces/study/contest", 10, {a_lock_is_asked_until_it_is_free, 0},
          {a_word_is_swapped_for_what_comes_of_it, 0},
          {a_loop_may_be_left_inside, 0}, {a_loop_that_counts_is_none, 0},
          {work_is_handed_out_through_shared_memory, 0},
          {a_poll_asks_for_the_same_word, 0}, {a_sweep_over_words_polls, 0},
          {an_address_made_anew_is_the_same, 0},
          {what_a_guard_may_skip_is_still_there, 0})
