/*
 * What passes without a clock, and launches that an earlier one stands for: reads
 * and evictions are counted as a simulation counts them, and one that finds more or
 * less in L2, or in translations, is simulated.
 */
#include "sim/sample/recall.h"

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
          {an_earlier_one_stands_for_it_if_as_much_is_there, 2})
