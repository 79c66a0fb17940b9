#include "tools/teg/power/report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    CURVE_ROWS = 8
};

/* ---- words -------------------------------------------------------------- */

static const char *scaled(double value, const char *unit, char out[24])
{
    static const struct {
        double scale;
        const char *prefix;
    } steps[] = {{1e3, "k"}, {1, ""}, {1e-3, "m"}, {1e-6, "u"}, {1e-9, "n"}};
    size_t i = 0;

    while (i < 4 && fabs(value) < steps[i].scale && fabs(value) > 0)
        i++;
    snprintf(out, 24, "%.4g %s%s", value / steps[i].scale, steps[i].prefix,
             unit);
    return out;
}

const char *seconds_text(double seconds, char out[24])
{
    return scaled(seconds, "s", out);
}

static const struct {
    const char *words;
} goal_words[POWER_GOALS] = {
    [POWER_GOAL_ENERGY] = {"least energy"},
    [POWER_GOAL_RUNTIME] = {"least energy above idle"},
    [POWER_GOAL_GATED] = {"least energy with idle SMs gated"},
    [POWER_GOAL_EDP] = {"least energy x time"},
    [POWER_GOAL_TIME] = {"least time"},
};

/* ---- text ----------------------------------------------------------------- */

static void print_addend(FILE *f, double watts, const char *name)
{
    if (watts > 0)
        fprintf(f, " + %.1f %s", watts, name);
}

static void print_time(FILE *f, const struct power_report *r)
{
    char cycles[28], time[24];

    fprintf(f, "\n  cycles      %14s  = %s, %s, on %.0f of %.0f SMs\n",
            with_commas((uint64_t)(r->launch.exec_cycles + 0.5), cycles),
            seconds_text(r->e.power.time_s, time), r->cycles_from,
            r->launch.active_sms, r->machine.sms);
}

static void print_power(FILE *f, const struct power_report *r)
{
    const struct power_result *p = &r->e.power;

    fprintf(f, "  power       %12.1f W  = %.1f idle", p->gpu_power_0,
            p->idle_power);
    print_addend(f, p->activation_power, "activation");
    print_addend(f, power_sms_watts(r), "SMs");
    print_addend(f, power_memory_watts(r), "memory");
    print_addend(f, power_chip_watts(r), "L2");
    print_addend(f, p->rp_instructions, "instructions");
    print_addend(f, p->rp_dram, "DRAM");
    fputc('\n', f);
}

static void print_energy(FILE *f, const struct power_report *r)
{
    const struct power_result *p = &r->e.power;
    char time[24], energy[24], edp[24], whole[24];

    fprintf(f, "  energy      %14s  energy x time %s\n",
            scaled(p->energy_total_j, "J", energy),
            scaled(p->edp_js, "J s", edp));
    if (r->e.run.t_s > p->time_s || r->e.run.t_s < p->time_s)
        fprintf(f, "              %14s  if repeated for %s\n",
                scaled(r->e.energy_j, "J", whole),
                seconds_text(r->e.run.t_s, time));
    fprintf(f,
            "  perf/W      %12.4g G  warp instructions per joule; %.4g G per "
            "second\n",
            p->gips_per_w, p->warp_gips);
}

static void print_reach(FILE *f, const struct power_report *r)
{
    char time[24];

    if (isnan(r->to_celsius))
        return;
    if (isinf(r->to_seconds))
        fprintf(f, "  %.1f C       %12s    the kernel ends at %.1f C\n",
                r->to_celsius, "never", r->e.thermal.max_temp);
    else
        fprintf(f, "  %.1f C       %12s    after the start at %.1f C\n",
                r->to_celsius, seconds_text(r->to_seconds, time),
                r->e.run.start_temp);
}

static void print_temperature(FILE *f, const struct power_report *r)
{
    const struct thermal_result *t = &r->e.thermal;
    double idle = r->e.power.idle_power;
    char time[24];

    if (!r->e.has_thermal) {
        fputs("  temperature          n/a    the description has no thermal "
              "section\n",
              f);
        return;
    }
    fprintf(f,
            "  temperature %12.1f C  after %s from %.1f C, then %.1f W;\n"
            "              %12.1f C  steady, then %.1f W (%.1f W more "
            "leakage)\n",
            t->temp_t, seconds_text(r->e.run.t_s, time), r->e.run.start_temp,
            t->runtime_power_t + idle, t->max_temp,
            t->runtime_power_steady + idle,
            t->runtime_power_steady - r->e.power.runtime_power_0);
    print_reach(f, r);
}

enum {
    ROWS_MAX = TEG_POWER_UNITS + 5
};

/* Whether a component has no watts because an instruction's energy has it. */
static int is_in_event(const struct power_report *r, uint32_t u)
{
    return r->machine.instruction_pj > 0 && !r->machine.unit[u].given;
}

struct row {
    const char *name;
    double count, rate, effective, watts;
    int is_component;
};

static int by_watts(const void *a, const void *b)
{
    const struct row *x = a, *y = b;

    return (x->watts < y->watts) - (x->watts > y->watts);
}

/* Returns how many of `row` were filled; the largest first. */
static int component_rows(const struct power_report *r,
                          struct row row[ROWS_MAX])
{
    const struct power_result *p = &r->e.power;
    int n = 0;

    row[n++] = (struct row){.name = "idle", .watts = p->idle_power};
    if (p->activation_power > 0)
        row[n++] =
            (struct row){.name = "activation", .watts = p->activation_power};
    if (p->const_sm_share > 0)
        row[n++] = (struct row){.name = "const_sm", .watts = p->const_sm_share};
    if (p->rp_instructions > 0)
        row[n++] =
            (struct row){.name = "instructions", .watts = p->rp_instructions};
    if (p->rp_dram > 0)
        row[n++] = (struct row){.name = "dram", .watts = p->rp_dram};
    for (uint32_t u = 0; u < TEG_POWER_UNITS; u++) {
        double count = power_count_of(&r->e.counts, u);

        if (count > 0 && !is_in_event(r, u))
            row[n++] = (struct row){teg_power_unit_facts(u)->key,
                                    count,
                                    p->rate[u],
                                    p->effective[u],
                                    p->share[u],
                                    1};
    }
    qsort(row, (size_t)n, sizeof *row, by_watts);
    return n;
}

static void print_components(FILE *f, const struct power_report *r)
{
    struct row row[ROWS_MAX];
    int n = component_rows(r, row);

    fprintf(f, "\n  %-12s %14s %9s %10s %10s %9s\n", "component",
            "insts/thread", "rate", "effective", "W of GPU", "share");
    for (int i = 0; i < n; i++) {
        fprintf(f, "  %-12s", row[i].name);
        if (row[i].is_component)
            fprintf(f, " %14.4g %9.3g %10.3g", row[i].count, row[i].rate,
                    row[i].effective);
        else
            fprintf(f, " %14s %9s %10s", "", "", "");
        fprintf(f, " %10.2f %7.1f %%\n", row[i].watts,
                100 * row[i].watts / r->e.power.gpu_power_0);
    }
}

static void print_point(FILE *f, const struct power_point *p)
{
    char cycles[28], time[24], energy[24], gated[24];

    fprintf(f, "  %4.0f %16s %10s %8.1f %10s %10s %10.4g\n", p->active_sms,
            with_commas((uint64_t)(p->exec_cycles + 0.5), cycles),
            seconds_text(p->time_s, time), p->gpu_power_w,
            scaled(p->energy_total_j, "J", energy),
            scaled(p->energy_powergated_j, "J", gated), p->gips_per_w);
}

/* "0-3, 7" */
static void print_ranges(FILE *f, const uint32_t *sm, uint32_t count)
{
    for (uint32_t i = 0; i < count;) {
        uint32_t end = i;

        while (end + 1 < count && sm[end + 1] == sm[end] + 1)
            end++;
        fprintf(f, "%s%u", i > 0 ? ", " : "", sm[i]);
        if (end > i)
            fprintf(f, "-%u", sm[end]);
        i = end + 1;
    }
}

static void print_best(FILE *f, const struct power_report *r)
{
    const struct power_curve *c = &r->curve;
    const struct power_point *best = &c->point[c->best[c->goal]];
    const struct power_point *all = &c->point[c->count - 1];
    double value = power_goal_value(best, c->goal);
    double most = power_goal_value(all, c->goal);

    fprintf(f, "  best        %12.0f SMs: %s", best->active_sms,
            goal_words[c->goal].words);
    if (best != all && most > 0)
        fprintf(f, ", %.3g %% below %.0f SMs", 100 * (1 - value / most),
                all->active_sms);
    fprintf(f, "; gated %.0f, EDP %.0f",
            c->point[c->best[POWER_GOAL_GATED]].active_sms,
            c->point[c->best[POWER_GOAL_EDP]].active_sms);
    if (c->has_rule)
        fprintf(f, "; rule (63) %u", c->rule.advised);
    fputc('\n', f);
    if (r->sms > 0 && best != all) {
        fprintf(f, "  place on    %12s SMs ", "");
        print_ranges(f, r->sm, r->sms);
        fprintf(f, ": %u TPC%s\n", r->tpcs, r->tpcs == 1 ? "" : "s");
    }
}

static void print_curve(FILE *f, const struct power_report *r)
{
    const struct power_curve *c = &r->curve;
    uint32_t step = (c->count + CURVE_ROWS - 2) / (CURVE_ROWS - 1);

    if (c->count == 0) {
        fprintf(f, "\n  best SMs             n/a    %s\n", c->why);
        return;
    }
    fprintf(f, "\n  %4s %16s %10s %8s %10s %10s %10s\n", "SMs", c->from, "time",
            "W", "energy", "gated", "G insts/J");
    for (uint32_t i = 0; i < c->count; i++) {
        if (i == 0 || i + 1 == c->count || i == c->best[c->goal] ||
            (i + 1) % step == 0)
            print_point(f, &c->point[i]);
    }
    print_best(f, r);
}

static void print_notes(FILE *f, const struct power_report *r)
{
    if (!r->gpu->power.calibrated)
        fprintf(f,
                "\n  uncalibrated: the watts or access functions of %s were "
                "not fitted to\n  measurements of it\n",
                r->gpu->name);
    if (r->gpu->power.error_percent > 0)
        fprintf(f,
                "\n  fitted to what others measured of other kernels; %.3g %% "
                "off in the mean on\n  those it was not fitted to (teg gpus "
                "%s)\n",
                r->gpu->power.error_percent, r->gpu->name);
    for (uint32_t u = 0; u < TEG_POWER_UNITS; u++) {
        const char *name = teg_power_unit_facts(u)->key;

        if (r->e.power.rate[u] > 1)
            fprintf(f,
                    "  %s is accessed %.2f times as often as its issue rate "
                    "allows: wrong\n  counts, cycles or power.issue_norm\n",
                    name, r->e.power.rate[u]);
        if (r->e.power.rate[u] > 0 && !r->machine.unit[u].given &&
            !is_in_event(r, u))
            fprintf(f, "  %s has no watts in the description: not counted\n",
                    name);
    }
}

void power_text(FILE *f, const struct power_report *r)
{
    if (r->result != NULL)
        text_head(f, r->result);
    else
        fprintf(f, "parameters given by hand, on %s\n", r->gpu->name);
    print_time(f, r);
    print_power(f, r);
    print_energy(f, r);
    print_temperature(f, r);
    print_components(f, r);
    print_curve(f, r);
    print_notes(f, r);
}
