/*
 * What `teg power` found out about one kernel, as text and as JSON.
 *
 *     matmul on gtx280
 *       ...
 *       cycles             124,984  = 96.44 us, simulated, on 30 of 30 SMs
 *       power              171.8 W  = 83.0 idle + 58.2 SMs + 30.7 memory
 *       energy            16.57 mJ  energy x time 1.598 uJ s
 *       perf/W           0.03568 G  warp instructions per joule; 6.132 G per ...
 *       temperature         57.0 C  after 96.44 us from 57.0 C, then 171.8 W;
 *                           75.0 C  steady, then 180.0 W (8.2 W more leakage)
 *
 *       component    insts/thread    rate  effective   W of GPU     share
 *       idle                                              83.00    48.3 %
 *       gmem                    6  0.0492       0.59      30.69    17.9 %
 *       ...
 *
 *        SMs     simulated      time       W     energy      gated  G insts/J
 *          1     3,749,520  2.893 ms    95.9   277.4 mJ   16.57 mJ   0.002131
 *       ...
 *       best              25 SMs: least energy, 2.5 % below 30 SMs; ...
 */
#ifndef TEG_TOOLS_TEG_POWER_REPORT_H
#define TEG_TOOLS_TEG_POWER_REPORT_H

#include "sim/models/power_model.h"
#include "tools/teg/report/report.h"

struct power_curve {
    const char *from;          /* "simulated" or a model; NULL: none */
    char why[200];             /* there is none */
    struct power_point *point; /* owned, [count], by rising active_sms */
    uint32_t count;
    uint32_t best[POWER_GOALS]; /* indices */
    enum power_goal goal;       /* the one that text shows */
    int has_rule;
    struct power_cores rule; /* [T] 63 */
};

struct power_report {
    const struct result *result; /* borrowed; NULL: given by hand */
    const struct teg_gpu *gpu;   /* borrowed */
    const char *cycles_from;     /* "simulated", a model, "given" */
    struct power_launch launch;
    struct power_machine machine;
    struct power_estimate e;
    struct thermal_machine thermal; /* if e.has_thermal */
    double to_celsius;              /* NAN: nobody asked */
    double to_seconds;              /* HUGE_VAL: never */
    struct power_curve curve;
    uint32_t sm[THERMAL_SMS_MAX]; /* [sms] to use for the best count */
    uint32_t sms, tpcs;           /* sms 0: TPCs are unknown */
};

void power_text(FILE *f, const struct power_report *r);
json_t *power_json(const struct power_report *r);
/* A row is a number of SMs. */
json_t *power_rows(const struct power_report *r);

/* Watts of the whole GPU. */
double power_sms_watts(const struct power_report *r);
double power_memory_watts(const struct power_report *r);
double power_chip_watts(const struct power_report *r);

/* "28.9 us" in `out`. */
const char *seconds_text(double seconds, char out[24]);

#endif
