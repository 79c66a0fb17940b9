/*
 * What passes without a clock, and launches that an earlier one stands for: reads
 * and evictions are counted as a simulation counts them, and one that finds more or
 * less in L2, or in translations, is simulated.
 */
#include "sim/sample/past.h"
#include "sim/sample/recall.h"
#include "sim/sample/skipped.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/engine/engine.h"
#include "tests/help_suite.h"

enum {
    BLOCKS = 512,
    THREADS = 128,
    BYTES = 4 * BLOCKS * THREADS, /* of a buffer */
    KIND = 7,
};

static const char *const chips[] = {"config/rtx4090.cfg", "config/a100.cfg"};
static struct teg_gpu *gpu;
static struct teg_diag d;
static struct teg_trace *trace;

/* y = x + x, of BYTES each, on the chip. */
static void make(const char *chip, unsigned long long x, unsigned long long y)
{
    char text[400];

    snprintf(text, sizeof text,
             "sketch 1\nisa sm_80\ngrid %d\nblock %d\nregisters 16\n"
             "LDG.E R2, [R2 : %llu + 4*gtid]\nFADD R2, R2, R2\n"
             "STG.E [R4 : %llu + 4*gtid], R2\nEXIT\n",
             BLOCKS, THREADS, x, y);
    ck_assert_msg(teg_gpu_load(chip, &gpu, &d) == TEG_OK &&
                      teg_trace_open_memory("test", (const uint8_t *)text,
                                            strlen(text), NULL, &trace,
                                            &d) == TEG_OK,
                  "%s: %s", d.where, d.what);
}

static void unmake(void)
{
    teg_trace_close(trace);
    teg_gpu_free(gpu);
}

static teg_status open_launch(void *self, struct teg_launch *launch,
                              struct teg_diag *diag)
{
    (void)self;
    return teg_trace_launch(trace, 0, launch, diag);
}

static struct sim_memory *new_memory(void)
{
    struct sim_memory *m;

    ck_assert(sim_memory_new(gpu, gpu->chip.sms, 0, &m, &d) == TEG_OK);
    return m;
}

static struct sim_passed pass(struct sim_memory *m)
{
    struct sim_passed p;
    struct teg_launch launch;

    ck_assert(open_launch(NULL, &launch, &d) == TEG_OK);
    ck_assert(sim_engine_pass(&launch, gpu, m, &p, &d) == TEG_OK);
    if (launch.close != NULL)
        launch.close(launch.self);
    return p;
}

/* Bytes over DRAM; what it leaves is `*after`. */
static uint64_t simulate(const struct sim_memory *before,
                         struct sim_memory **after, uint64_t *cycles)
{
    const struct teg_simulation_options options = {.before = before,
                                                   .after = after};
    struct teg_statistics *s = calloc(1, sizeof *s);
    struct teg_launch launch;
    uint64_t bytes;

    ck_assert(open_launch(NULL, &launch, &d) == TEG_OK);
    ck_assert(teg_simulate(&launch, gpu, &options, s, &d) == TEG_OK);
    if (launch.close != NULL)
        launch.close(launch.self);
    bytes = s->memory.dram_bytes;
    *cycles = s->cycles;
    free(s);
    return bytes;
}

START_TEST(what_passes_moves_what_a_simulation_moves)
{
    struct sim_memory *m, *after = NULL;
    struct sim_passed p;
    uint64_t cycles;

    make(chips[_i], 1 << 28, 1 << 29);
    m = new_memory();
    p = pass(m);
    ck_assert_uint_eq(p.asked, 2 * BYTES / TEG_SECTOR_BYTES);
    ck_assert_uint_eq(p.read * TEG_SECTOR_BYTES,
                      simulate(NULL, &after, &cycles));
    ck_assert_uint_eq(p.read, BYTES / TEG_SECTOR_BYTES);
    ck_assert_uint_eq(p.written, 0);
    ck_assert_uint_ne(p.pages, 0);
    ck_assert_uint_eq(p.sms, gpu->chip.sms);
    p = pass(m); /* all is there */
    ck_assert_uint_eq(p.read + p.written + p.far + p.pages + p.regions, 0);
    sim_memory_free(m);
    sim_memory_free(after);
    unmake();
}
END_TEST

/* Dirty lines make room for what is read. */
START_TEST(what_is_driven_out_is_written)
{
    struct sim_memory *m;
    struct sim_passed p;

    make(chips[_i], 1 << 28, 1 << 29);
    m = new_memory();
    sim_memory_write(m, 1ull << 32, 4ull * gpu->l2.bytes);
    p = pass(m);
    ck_assert_uint_eq(p.read, BYTES / TEG_SECTOR_BYTES);
    ck_assert_uint_ge(p.written, BYTES / TEG_SECTOR_BYTES);
    ck_assert_uint_le(p.written, 3 * BYTES / TEG_SECTOR_BYTES);
    sim_memory_free(m);
    unmake();
}
END_TEST

static uint32_t opened; /* by open_any */

static teg_status open_any(void *self, uint32_t number,
                           struct teg_launch *launch, struct teg_diag *diag)
{
    ck_assert_uint_lt(number, 100);
    opened++;
    return open_launch(self, launch, diag);
}

/* What is skipped leaves what passing leaves; of launches of a trace the last counts,
 * and nothing that came before much that was written. */
START_TEST(what_is_skipped_leaves_its_traces)
{
    struct teg_skipped *s;
    struct sim_memory *m = NULL;
    struct sim_passed p;

    make(chips[_i], 1 << 28, 1 << 29);
    s = teg_skipped_new(gpu);
    opened = 0;
    ck_assert(teg_skipped_do(s, open_any, NULL, &m, &d) == TEG_OK);
    ck_assert_ptr_null(m);
    teg_skipped_rest(s);
    teg_skipped_launch(s, 3);
    teg_skipped_launch(s, 99);
    teg_skipped_write(s, 1 << 28, 64);
    teg_skipped_launch(s, 3);
    ck_assert(teg_skipped_do(s, open_any, NULL, &m, &d) == TEG_OK);
    ck_assert_uint_eq(opened, 2);
    p = pass(m);
    ck_assert_uint_eq(p.read + p.written + p.far + p.pages + p.regions, 0);
    teg_skipped_launch(s, 3);
    teg_skipped_write(s, 1ull << 32, 5ull * gpu->l2.bytes);
    ck_assert(teg_skipped_do(s, open_any, NULL, &m, &d) == TEG_OK);
    ck_assert_uint_eq(opened, 2);
    p = pass(m);
    ck_assert_uint_eq(p.read, BYTES / TEG_SECTOR_BYTES);
    /* What has been done is not done again. */
    ck_assert(teg_skipped_do(s, open_any, NULL, &m, &d) == TEG_OK);
    ck_assert_uint_eq(opened, 2);
    for (uint32_t i = 0; i < 20000; i++)
        teg_skipped_launch(s, i % 2);
    ck_assert(teg_skipped_do(s, open_any, NULL, &m, &d) == TEG_OK);
    ck_assert_uint_eq(opened, 4);
    teg_skipped_free(s);
    sim_memory_free(m);
    unmake();
}
END_TEST

/* The same stretch of a program is known again, wherever it is. */
START_TEST(the_same_past_is_known_again)
{
    static const uint8_t what[] = {1, 2, 3, 3, 1, 2, 1, 2, 3, 3, 1, 2};
    struct teg_past at[sizeof what + 1] = {{0}};
    int alike = 0;

    for (size_t i = 0; i < sizeof what; i++) {
        at[i + 1] = at[i];
        teg_past_add(&at[i + 1], TEG_PAST_LAUNCH, what[i], 1);
    }
    for (size_t i = 0; i <= sizeof what; i++) {
        for (size_t j = 0; j <= i; j++) {
            for (size_t k = 0; k <= j && k + i - j <= sizeof what; k++) {
                int same = memcmp(what + k, what + j, i - j) == 0;

                ck_assert_int_eq(
                    teg_past_compare(teg_past_since(at[i], at[j]),
                                     teg_past_since(at[k + i - j], at[k])) == 0,
                    same);
                alike += same;
            }
        }
    }
    ck_assert_int_gt(alike, 100);
}
END_TEST

static uint32_t ask(const struct teg_recall *r, uint64_t kind,
                    const struct sim_memory *before, struct teg_recalled *found)
{
    ck_assert(teg_recall_ask(r, kind, open_launch, NULL, gpu, before, found,
                             &d) == TEG_OK);
    ck_assert((found->after != NULL) == (found->number != TEG_RECALL_NONE));
    sim_memory_free(found->after);
    return found->number;
}

/* Two states, each simulated once. */
START_TEST(an_earlier_one_stands_for_it_if_as_much_is_there)
{
    struct teg_recall *r = teg_recall_new();
    struct teg_recalled found;
    struct sim_memory *after = NULL, *last = NULL, *dirty;
    uint64_t cold, later;

    make(chips[_i], 1 << 28, 1 << 29);
    ck_assert_uint_eq(ask(r, KIND, NULL, &found), TEG_RECALL_NONE);
    simulate(NULL, &after, &cold);
    ck_assert(teg_recall_add(r, KIND, &found, cold, 3, &d) == TEG_OK);
    ck_assert_uint_eq(ask(r, KIND, NULL, &found), 3);
    ck_assert_uint_eq(ask(r, KIND + 1, NULL, &found), TEG_RECALL_NONE);
    /* its buffers are there, and translations */
    ck_assert_uint_eq(ask(r, KIND, after, &found), TEG_RECALL_NONE);
    simulate(after, &last, &later);
    ck_assert_uint_lt(later, cold);
    ck_assert(teg_recall_add(r, KIND, &found, later, 4, &d) == TEG_OK);
    ck_assert_uint_eq(ask(r, KIND, last, &found), 4);
    ck_assert_uint_eq(ask(r, KIND, NULL, &found), 3);
    /* what has to be written back first takes time */
    dirty = new_memory();
    sim_memory_write(dirty, 1ull << 32, 4ull * gpu->l2.bytes);
    ck_assert_uint_eq(ask(r, KIND, dirty, &found), TEG_RECALL_NONE);
    sim_memory_free(dirty);
    sim_memory_free(after);
    sim_memory_free(last);
    teg_recall_free(r);
    unmake();
}
END_TEST

HELP_MAIN("sim/sample/recall", 0,
          {what_passes_moves_what_a_simulation_moves, 2},
          {what_is_driven_out_is_written, 2},
          {what_is_skipped_leaves_its_traces, 2},
          {the_same_past_is_known_again, 0},
          {an_earlier_one_stands_for_it_if_as_much_is_there, 2})
