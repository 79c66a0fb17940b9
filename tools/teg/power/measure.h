/*
 * What one kernel costs: its cycles and counts from a replay or an analytical
 * model, and the same over the number of SMs.
 */
#ifndef TEG_TOOLS_TEG_POWER_MEASURE_H
#define TEG_TOOLS_TEG_POWER_MEASURE_H

#include "tools/teg/cli/settings.h"
#include "tools/teg/power/report.h"

extern const char power_from_replay[]; /* "simulated" */

/* What is asked of every kernel. */
struct power_request {
    struct job job;
    uint32_t cores;     /* use only so many SMs; 0: all */
    uint32_t goal;      /* enum power_goal */
    const char *cycles; /* power_from_replay itself, or a model */
    const char *sweep;  /* likewise, "auto" or "off" */
    double to_celsius;  /* NAN: nobody asked */
    double celsius;     /* of the chip before the kernel; NAN: idle */
    struct settings settings;
};

struct power_measured {
    struct replay replay;
    struct power_inputs in;
    const char *from;
};

/* Applies --set.  This and the others say what is wrong and return an exit
 * status. */
int power_set_inputs(const struct power_request *ask, struct power_inputs *in);
/* On failure, too, `m->replay` is to be released. */
int power_measure(const struct power_request *ask, struct power_measured *m,
                  uint32_t kernel);
/* Fills the report but for its curve; `r->result` and `r->cycles_from` are
 * set. */
int power_fill(const struct power_request *ask, struct power_report *r,
               struct power_inputs *in);
/* The curve over the number of SMs; `r->curve.point` is the caller's. */
int power_find_curve(const struct power_request *ask, struct power_report *r,
                     const struct power_measured *m, uint32_t kernel);

#endif
