#include "tools/teg/power/report.h"

#include <math.h>

double power_sms_watts(const struct power_report *r)
{
    return r->e.power.max_sm * r->e.power.core_scale;
}

double power_memory_watts(const struct power_report *r)
{
    return r->e.power.rp_memory * r->e.power.core_scale;
}

double power_chip_watts(const struct power_report *r)
{
    return r->e.power.rp_chip * r->e.power.core_scale;
}

static void put(json_t *o, const char *name, double value)
{
    json_object_set_new(o, name, number_json(value));
}

static json_t *watts_json(const struct power_report *r)
{
    const struct power_result *p = &r->e.power;
    json_t *o = json_object();

    put(o, "gpu_watts", p->gpu_power_0);
    put(o, "runtime_watts", p->runtime_power_0);
    put(o, "idle_watts", p->idle_power);
    put(o, "activation_watts", p->activation_power);
    put(o, "sms_watts", power_sms_watts(r));
    put(o, "memory_watts", power_memory_watts(r));
    put(o, "l2_watts", power_chip_watts(r));
    put(o, "instructions_watts", p->rp_instructions);
    put(o, "dram_watts", p->rp_dram);
    put(o, "error_percent",
        r->gpu->power.error_percent > 0 ? r->gpu->power.error_percent
                                        : nan(""));
    put(o, "warp_gips", p->warp_gips);
    put(o, "gips_per_watt", p->gips_per_w);
    json_object_set_new(o, "calibrated",
                        json_boolean(r->gpu->power.calibrated != 0));
    return o;
}

static json_t *energy_json(const struct power_report *r)
{
    json_t *o = json_object();

    put(o, "total_j", r->e.power.energy_total_j);
    put(o, "runtime_j", r->e.power.energy_runtime_j);
    put(o, "edp_js", r->e.power.edp_js);
    put(o, "seconds", r->e.run.t_s);
    put(o, "over_seconds_j", r->e.energy_j);
    return o;
}

/* A component without watts in the description has null for them. */
static json_t *component_json(const struct power_report *r, uint32_t u)
{
    const struct power_result *p = &r->e.power;
    int given = r->machine.unit[u].given;
    json_t *o = json_object();

    json_object_set_new(o, "name", json_text(teg_power_unit_facts(u)->key));
    put(o, "insts_per_thread", power_count_of(&r->e.counts, u));
    put(o, "rate", p->rate[u]);
    put(o, "effective_rate", given ? p->effective[u] : nan(""));
    put(o, "watts_each", given ? p->watts[u] : nan(""));
    put(o, "watts", given ? p->share[u] : nan(""));
    put(o, "percent", given ? 100 * p->share[u] / p->gpu_power_0 : nan(""));
    return o;
}

static json_t *components_json(const struct power_report *r)
{
    json_t *array = json_array();

    for (uint32_t u = 0; u < TEG_POWER_UNITS; u++)
        json_array_append_new(array, component_json(r, u));
    return array;
}

/* Until the kernel's repetitions are over, or the chip is as warm as it gets. */
static json_t *over_time_json(const struct power_report *r)
{
    enum {
        POINTS = 21
    };
    const struct thermal_machine *m = &r->thermal;
    const struct thermal_result *t = &r->e.thermal;
    double whole = fmax(r->e.run.t_s, 5 * m->rc_rise);
    json_t *points = json_array();

    for (int i = 0; i < POINTS; i++) {
        double seconds = whole * i / (POINTS - 1);
        double celsius =
            thermal_at(m, r->e.run.start_temp, t->max_temp, seconds);
        json_t *o = json_object();

        put(o, "seconds", seconds);
        put(o, "celsius", celsius);
        put(o, "gpu_watts",
            r->e.power.gpu_power_0 + m->sigma * (celsius - m->idle_temp));
        json_array_append_new(points, o);
    }
    return points;
}

static json_t *temperature_json(const struct power_report *r)
{
    const struct thermal_result *t = &r->e.thermal;
    json_t *o;

    if (!r->e.has_thermal)
        return json_null();
    o = json_object();
    put(o, "seconds", r->e.run.t_s);
    put(o, "start_celsius", r->e.run.start_temp);
    put(o, "celsius", t->temp_t);
    put(o, "gpu_watts", t->runtime_power_t + r->e.power.idle_power);
    put(o, "steady_celsius", t->max_temp);
    put(o, "steady_gpu_watts", t->runtime_power_steady + r->e.power.idle_power);
    put(o, "static_energy_j", t->static_energy_j);
    put(o, "to_celsius", r->to_celsius);
    put(o, "to_seconds", isnan(r->to_celsius) ? nan("") : r->to_seconds);
    json_object_set_new(o, "over_time", over_time_json(r));
    return o;
}

static json_t *point_json(const struct power_point *p)
{
    json_t *o = json_object();

    put(o, "active_sms", p->active_sms);
    put(o, "cycles", p->exec_cycles);
    put(o, "seconds", p->time_s);
    put(o, "gpu_watts", p->gpu_power_w);
    put(o, "runtime_watts", p->runtime_power_w);
    put(o, "gated_watts", p->gated_power_w);
    put(o, "energy_j", p->energy_total_j);
    put(o, "runtime_energy_j", p->energy_runtime_j);
    put(o, "gated_energy_j", p->energy_powergated_j);
    put(o, "edp_js", p->edp_js);
    put(o, "warp_gips", p->warp_gips);
    put(o, "gips_per_watt", p->gips_per_w);
    return o;
}

static json_t *best_json(const struct power_curve *c)
{
    json_t *o = json_object();

    for (enum power_goal g = 0; g < POWER_GOALS; g++)
        json_object_set_new(
            o, power_goal_name(g),
            json_integer((json_int_t)c->point[c->best[g]].active_sms));
    return o;
}

static json_t *place_json(const struct power_report *r)
{
    json_t *array = json_array();

    for (uint32_t i = 0; i < r->sms; i++)
        json_array_append_new(array, json_integer(r->sm[i]));
    return json_pack("{s:o, s:i}", "sms", array, "tpcs", (int)r->tpcs);
}

static json_t *curve_json(const struct power_report *r)
{
    const struct power_curve *c = &r->curve;
    json_t *points = json_array(), *o = json_object();

    if (c->count == 0) {
        json_decref(points);
        json_object_set_new(o, "from", json_null());
        json_object_set_new(o, "why", json_text(c->why));
        return o;
    }
    for (uint32_t i = 0; i < c->count; i++)
        json_array_append_new(points, point_json(&c->point[i]));
    json_object_set_new(o, "from", json_text(c->from));
    json_object_set_new(o, "points", points);
    json_object_set_new(o, "goal", json_text(power_goal_name(c->goal)));
    json_object_set_new(o, "best", best_json(c));
    json_object_set_new(
        o, "rule",
        c->has_rule ? json_pack("{s:i, s:f, s:b}", "advised",
                                (int)c->rule.advised, "exact", c->rule.exact,
                                "bandwidth_limited", c->rule.bandwidth_limited)
                    : json_null());
    json_object_set_new(o, "placement",
                        r->sms > 0 ? place_json(r) : json_null());
    return o;
}

static json_t *terms_json(const struct power_report *r)
{
    json_t *o = json_object();

#define MACHINE(field, rule, fallback, unit, help) \
    put(o, #field, r->machine.field);
#define LAUNCH(field, rule, fallback, unit, help) \
    put(o, #field, r->launch.field);
#define COUNTS(field, rule, fallback, unit, help) \
    put(o, #field, r->e.counts.field);
#define RESULT(field, unit, equation, help) put(o, #field, r->e.power.field);
#include "sim/models/power.def"
    if (!r->e.has_thermal)
        return o;
#define RUN(field, rule, fallback, unit, help) put(o, #field, r->e.run.field);
#define RESULT(field, unit, equation, help)    put(o, #field, r->e.thermal.field);
#include "sim/models/thermal.def"
    return o;
}

json_t *power_rows(const struct power_report *r)
{
    json_t *rows = json_array();
    const struct power_curve *c = &r->curve;
    struct power_point only;

    power_point_fill(&only, &r->launch, &r->e.power);
    only.gated_power_w = only.energy_powergated_j = nan("");
    for (uint32_t i = 0; i < (c->count > 0 ? c->count : 1); i++) {
        json_t *row = json_object();
        json_t *point = point_json(c->count > 0 ? &c->point[i] : &only);

        json_object_set_new(row, "kernel",
                            r->result != NULL
                                ? json_text(r->result->replay->s->name)
                                : json_null());
        json_object_set_new(row, "number",
                            r->result != NULL ? json_integer(r->result->number)
                                              : json_null());
        json_object_set_new(row, "cycles_from",
                            json_text(c->count > 0 ? c->from : r->cycles_from));
        json_object_update(row, point);
        json_decref(point);
        json_array_append_new(rows, row);
    }
    return rows;
}

json_t *power_json(const struct power_report *r)
{
    json_t *o = json_object();

    json_object_set_new(o, "teg", teg_json());
    json_object_set_new(o, "gpu", gpu_json(r->gpu));
    json_object_set_new(
        o, "kernel", r->result != NULL ? kernel_json(r->result) : json_null());
    json_object_set_new(o, "cycles_from", json_text(r->cycles_from));
    put(o, "cycles", r->launch.exec_cycles);
    put(o, "time_us", 1e6 * r->e.power.time_s);
    put(o, "active_sms", r->launch.active_sms);
    json_object_set_new(o, "power", watts_json(r));
    json_object_set_new(o, "components", components_json(r));
    json_object_set_new(o, "energy", energy_json(r));
    json_object_set_new(o, "temperature", temperature_json(r));
    json_object_set_new(o, "curve", curve_json(r));
    json_object_set_new(o, "terms", terms_json(r));
    return o;
}
