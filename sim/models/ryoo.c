#include "sim/models/ryoo.h"

#include <stdio.h>

#include "sim/models/peak.h"

double ryoo_efficiency(double instr, double threads)
{
    return 1 / (instr * threads);
}

double ryoo_utilization(double instr, double regions, double w_tb, double b_sm)
{
    return instr / regions * ((w_tb - 1) / 2 + (b_sm - 1) * w_tb);
}

static int dominates(const struct ryoo_point *a, const struct ryoo_point *b)
{
    return a->efficiency >= b->efficiency && a->utilization >= b->utilization &&
           (a->efficiency > b->efficiency || a->utilization > b->utilization);
}

uint32_t ryoo_pareto(const struct ryoo_point *point, uint32_t count,
                     uint8_t *keep)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < count; i++) {
        keep[i] = 1;
        for (uint32_t k = 0; k < count; k++)
            keep[i] &= !dominates(&point[k], &point[i]);
        kept += keep[i];
    }
    return kept;
}

/* ---- from a trace ---------------------------------------------------------- */

enum {
    RYOO_TERMS = 7
};

static const struct teg_term_facts ryoo_terms[RYOO_TERMS] = {
    {"Instr", "insts", "warp instructions / warps", "of a thread"},
    {"Threads", "threads", "blocks x threads of a block", "of the launch"},
    {"Regions", "", "1 + (barriers + groups of global accesses) / warps",
     "intervals of a thread's instructions between blocking ones"},
    {"W_TB", "warps", "warps / blocks", "of a block"},
    {"B_SM", "blocks", "resident on an SM", "active blocks"},
    {"Efficiency", "1/insts", "1 / (Instr x Threads)",
     "fewer instructions in all are better; Lai 2013, 1.5"},
    {"Utilization", "insts",
     "Instr / Regions x ((W_TB - 1) / 2 + (B_SM - 1) x W_TB)",
     "work of other warps while one is blocked; Lai 2013, 1.6"},
};

static void find(double *t, const struct teg_statistics *s,
                 const struct teg_gpu *gpu)
{
    double warps = (double)s->warps;
    double threads = (double)s->block[0] * s->block[1] * s->block[2];

    t[0] = (double)s->warp_instructions / warps;
    t[3] = warps / (double)s->blocks;
    t[1] = (double)s->blocks * (threads > 0 ? threads : TEG_LANES * t[3]);
    t[2] = 1 + (double)(s->barriers + s->memory.access_groups) / warps;
    t[4] = resident_warps(s, gpu) / t[3];
    t[5] = ryoo_efficiency(t[0], t[1]);
    t[6] = ryoo_utilization(t[0], t[2], t[3], t[4]);
}

struct ryoo_point ryoo_measure(const struct teg_statistics *s,
                               const struct teg_gpu *gpu)
{
    double t[RYOO_TERMS];

    find(t, s, gpu);
    return (struct ryoo_point){t[5], t[6]};
}

static void ryoo_estimate(const struct teg_statistics *s,
                          const struct teg_gpu *gpu, struct teg_estimate *e)
{
    double t[RYOO_TERMS];

    *e = (struct teg_estimate){.model = "ryoo", .cycles = nan("")};
    if (s->warps == 0 || s->warp_instructions == 0) {
        snprintf(e->why, sizeof e->why, "the trace has no instructions");
        return;
    }
    find(t, s, gpu);
    e->applicable = 1;
    snprintf(e->limiter, sizeof e->limiter,
             "no time: efficiency %.3g, utilization %.3g", t[5], t[6]);
    snprintf(e->advice, sizeof e->advice,
             "compare with other configurations of this kernel: worth a try "
             "is what no other beats in both");
    for (int i = 0; i < RYOO_TERMS; i++)
        teg_estimate_finite_term(e, ryoo_terms[i].name, t[i],
                                 ryoo_terms[i].unit);
}

const struct teg_model ryoo_model = {
    .name = "ryoo",
    .title = "efficiency and utilization of a configuration",
    .source = "Ryoo et al. 2008; Lai 2013, 1.4.1",
    .estimate = ryoo_estimate,
    .terms = ryoo_terms,
    .term_count = RYOO_TERMS,
};
