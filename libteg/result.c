#include "libteg/result.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "config/gpu.h"
#include "isa/base/nearest.h"

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

static const struct {
    const char *name, *unit, *help;
} counters[] = {
#define COUNTER(name, unit, value, help) {name, unit, help},
#include "libteg/counters.def"
#undef COUNTER
};

enum {
    COUNTERS = sizeof counters / sizeof *counters
};

static double ratio(double part, double whole)
{
    return whole != 0 ? part / whole : (double)NAN;
}

#define RATIO(part, whole)   ratio((double)(part), (double)(whole))
#define TIMED(value)         (s->simulated ? (double)(value) : (double)NAN)
#define CACHED(bytes, value) ((bytes) != 0 ? (double)(value) : (double)NAN)

double teg_result_counter(const struct teg_result *result, uint32_t i)
{
    const struct teg_statistics *s = &result->s;
    const struct teg_memory_statistics *m = &s->memory;
    const struct teg_gpu *gpu = result->gpu;
    const double values[COUNTERS] = {
#define COUNTER(name, unit, value, help) (double)(value),
#include "libteg/counters.def"
#undef COUNTER
    };

    return i < COUNTERS ? values[i] : 0;
}

uint32_t teg_counter_count(void)
{
    return COUNTERS;
}

const char *teg_counter_name(uint32_t i)
{
    return i < COUNTERS ? counters[i].name : NULL;
}

const char *teg_counter_unit(uint32_t i)
{
    return i < COUNTERS ? counters[i].unit : NULL;
}

const char *teg_counter_help(uint32_t i)
{
    return i < COUNTERS ? counters[i].help : NULL;
}

teg_status teg_result_value(const struct teg_result *result, const char *name,
                            double *value, struct teg_diag *d)
{
    struct teg_nearest nearest;

    teg_nearest_init(&nearest, name);
    for (uint32_t i = 0; i < COUNTERS; i++) {
        if (strcmp(counters[i].name, name) == 0) {
            *value = teg_result_counter(result, i);
            return TEG_OK;
        }
        teg_nearest_offer(&nearest, counters[i].name);
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
