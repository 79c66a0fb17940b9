#include "libteg/result.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "config/gpu.h"
#include "isa/base/nearest.h"
#include "sim/collect/counters.h"

void teg_result_free(struct teg_result *result)
{
    if (result == NULL)
        return;
    teg_gpu_free(result->gpu);
    teg_notes_release(&result->notes);
    free(result);
}

uint64_t teg_result_cycles(const struct teg_result *result)
{
    return result->s.cycles;
}

double teg_result_time_us(const struct teg_result *result)
{
    return (double)result->s.cycles / result->gpu->chip.sm_clock_mhz;
}

uint64_t teg_result_warp_instructions(const struct teg_result *result)
{
    return result->s.warp_instructions;
}

uint32_t teg_result_blocks_per_sm(const struct teg_result *result)
{
    return result->s.occupancy.blocks_per_sm;
}

uint32_t teg_result_warps_per_sm(const struct teg_result *result)
{
    return result->s.occupancy.warps_per_sm;
}

const char *teg_result_limiter(const struct teg_result *result)
{
    return teg_occupancy_limit_name(result->s.occupancy.limit);
}

int teg_result_incomplete(const struct teg_result *result)
{
    return result->incomplete;
}

int teg_result_sampled(const struct teg_result *result)
{
    return result->sample.used;
}

double teg_result_error_bound(const struct teg_result *result)
{
    return result->sample.used ? result->sample.error_bound : 0;
}

double teg_result_simulated_share(const struct teg_result *result)
{
    const struct teg_sample *sample = &result->sample;

    return sample->used ? (double)sample->instructions_simulated /
                              (double)sample->instructions
                        : 1;
}

/* ---- counters -------------------------------------------------------------- */

/* A row of counters.def. */
static const struct row {
    const char *name, *unit, *help; /* NULL: those of `counted` */
    enum teg_counter_row counted;   /* where they are */
} rows[] = {
#define COUNTED(of, field, known)              {.counted = COUNTER_ROW_##of##_##field},
#define FORMED(name, unit, known, value, help) {name, unit, help, 0},
#include "libteg/counters.def"
#undef COUNTED
#undef FORMED
};

enum {
    COUNTERS = sizeof rows / sizeof *rows
};

static double ratio(double part, double whole)
{
    return whole != 0 ? part / whole : (double)NAN;
}

static double counted(const struct teg_statistics *s, enum teg_counter_row row)
{
    uint32_t count;

    return (double)teg_counter_get(&teg_counters(&count)[row], s, 0, 0);
}

#define RATIO(part, whole) ratio((double)(part), (double)(whole))
#define ALWAYS             1
#define TIMED              s->simulated
#define CACHED(cache)      gpu->cache.bytes != 0

double teg_result_counter(const struct teg_result *result, uint32_t i)
{
    const struct teg_statistics *s = &result->s;
    const struct teg_memory_statistics *m = &s->memory;
    const struct teg_gpu *gpu = result->gpu;
    const double values[COUNTERS] = {
#define COUNTED(of, field, known) \
    (known) ? counted(s, COUNTER_ROW_##of##_##field) : (double)NAN,
#define FORMED(name, unit, known, value, help) \
    (known) ? (double)(value) : (double)NAN,
#include "libteg/counters.def"
#undef COUNTED
#undef FORMED
    };

    return i < COUNTERS ? values[i] : 0;
}

uint32_t teg_counter_count(void)
{
    return COUNTERS;
}

/* What is said of counter `i`, with nothing left to look up. */
static struct row row(uint32_t i)
{
    uint32_t count;
    const struct teg_counter *all = teg_counters(&count), *c;

    if (i >= COUNTERS)
        return (struct row){0};
    if (rows[i].name != NULL)
        return rows[i];
    c = &all[rows[i].counted];
    return (struct row){
        .name = c->json[0] != '\0' ? c->json : c->name,
        .unit = c->measure,
        .help = c->help,
    };
}

const char *teg_counter_name(uint32_t i)
{
    return row(i).name;
}

const char *teg_counter_unit(uint32_t i)
{
    return row(i).unit;
}

const char *teg_counter_help(uint32_t i)
{
    return row(i).help;
}

teg_status teg_result_value(const struct teg_result *result, const char *name,
                            double *value, struct teg_diag *d)
{
    struct teg_nearest nearest;

    teg_nearest_init(&nearest, name);
    for (uint32_t i = 0; i < COUNTERS; i++) {
        if (strcmp(teg_counter_name(i), name) == 0) {
            *value = teg_result_counter(result, i);
            return TEG_OK;
        }
        teg_nearest_offer(&nearest, teg_counter_name(i));
    }
    *value = (double)NAN;
    return teg_fail(d, TEG_UNKNOWN, "",
                    "unknown counter '%.200s'; did you mean '%s'?", name,
                    nearest.best);
}

/* ---- units and stalls ------------------------------------------------------ */

uint32_t teg_result_units(const struct teg_result *result)
{
    return result->s.unit_count;
}

static const struct teg_unit_statistics *unit(const struct teg_result *result,
                                              uint32_t i)
{
    static const struct teg_unit_statistics none = {0};

    return i < result->s.unit_count ? &result->s.unit[i] : &none;
}

const char *teg_result_unit_name(const struct teg_result *result, uint32_t i)
{
    return i < result->s.unit_count ? result->gpu->unit[i].name : NULL;
}

uint64_t teg_result_unit_issued(const struct teg_result *result, uint32_t i)
{
    return unit(result, i)->issued;
}

uint64_t teg_result_unit_busy_cycles(const struct teg_result *result,
                                     uint32_t i)
{
    return unit(result, i)->busy_cycles;
}

double teg_result_unit_active(const struct teg_result *result, uint32_t i)
{
    const struct teg_unit_statistics *u = unit(result, i);

    return ratio((double)u->busy_cycles,
                 (double)(result->s.cycles * u->instances));
}

double teg_result_unit_mean_load(const struct teg_result *result, uint32_t i)
{
    return ratio((double)unit(result, i)->load_cycles,
                 (double)(result->s.cycles * result->s.sms));
}

uint32_t teg_result_stalls(const struct teg_result *result)
{
    (void)result;
    return TEG_STALLS;
}

const char *teg_result_stall_name(const struct teg_result *result, uint32_t i)
{
    (void)result;
    return i < TEG_STALLS ? teg_stall_label((enum teg_stall)i) : NULL;
}

const char *teg_result_stall_help(const struct teg_result *result, uint32_t i)
{
    (void)result;
    return i < TEG_STALLS ? teg_stall_help((enum teg_stall)i) : NULL;
}

uint64_t teg_result_stall_warp_cycles(const struct teg_result *result,
                                      uint32_t i)
{
    return i < TEG_STALLS ? result->s.stall[i] : 0;
}
