/*
 * Quantitative throughput model: the slowest of instruction pipeline, shared
 * memory and global memory takes all the time, the others hide behind it.
 *
 * Leaves out: interaction of the components, latency.
 *
 * Y. Zhang and J. Owens, HPCA 2011, as told by J. Lai, PhD thesis, 2013,
 * 1.3.3.
 */
#ifndef TEG_SIM_MODELS_THREE_COMPONENT_H
#define TEG_SIM_MODELS_THREE_COMPONENT_H

#include "sim/models/model.h"

enum three_component {
    COMPONENT_PIPELINE,
    COMPONENT_SHARED,
    COMPONENT_GLOBAL,
    COMPONENTS
};

/* Throughput at so many active warps of an SM; what benchmarks measure.
 * Between points it is interpolated, beyond the ends it is constant. */
struct throughput_point {
    double warps, throughput;
};

enum {
    THROUGHPUT_POINTS_MAX = 16
};

struct throughput_table {
    struct throughput_point point[THROUGHPUT_POINTS_MAX]; /* rising warps */
    uint32_t count;
};

double throughput_table_at(const struct throughput_table *t, double warps);

/* All of one chip, in seconds or cycles alike. */
struct three_component_inputs {
    double count[TEG_CLASSES]; /* warp instructions, not of memory */
    double rate[TEG_CLASSES];  /* warp instructions per time: T_I, 1.4 */
    double shared_transactions, global_transactions;
    struct throughput_table shared, global; /* transactions per time */
    double warps;                           /* active, of an SM */
};

struct three_component_result {
    double time[COMPONENTS];
    double total; /* the largest */
    enum three_component bottleneck, second;
    double ratio_to_second; /* NAN if that takes no time */
};

/* T_I of a type of instruction.  (1.4) */
double pipeline_throughput(double units, double frequency, double sms);
void three_component(const struct three_component_inputs *in,
                     struct three_component_result *r);

#endif
