#include "tools/teg/power/measure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Warp instructions that a sweep replays without being asked: seconds. */
static const double sweep_unasked_max = 10e6;

const char power_from_replay[] = "simulated";

/* ---- one kernel -------------------------------------------------------------- */

int power_set_inputs(const struct power_request *ask, struct power_inputs *in)
{
    uint32_t count;
    const struct teg_parameter *p = power_parameters(&count);

    return settings_apply(&ask->settings, in, p, count, "power", "set");
}

/* Without a clock, for models. */
static int walk(struct replay *r, const struct job *job, uint32_t kernel)
{
    struct teg_diag d;

    *r = (struct replay){.launches =
                             teg_trace_kernel_launches(job->trace, kernel)};
    r->s = calloc(1, sizeof *r->s);
    if (r->s == NULL)
        return say_memory();
    if (teg_gpu_copy(job->gpu, &r->gpu, &d) != TEG_OK ||
        teg_trace_launch(job->trace, kernel, &r->launch, &d) != TEG_OK ||
        teg_profile(&r->launch, r->gpu, r->s, &d) != TEG_OK)
        return say_fault(&d);
    return EXIT_DONE;
}

/* How many SMs a walked launch would use. */
static uint32_t sms_to_use(const struct power_request *ask,
                           const struct teg_statistics *s)
{
    uint32_t sms = ask->job.gpu->chip.sms;

    if (ask->cores != 0 && ask->cores < sms)
        sms = ask->cores;
    return s->blocks < sms ? (uint32_t)s->blocks : sms;
}

static int take_predicted(const struct power_request *ask,
                          struct power_measured *m)
{
    const struct teg_model *model = teg_model_find(m->from);
    uint32_t sms = sms_to_use(ask, m->replay.s);
    struct teg_diag d;

    if (power_predict_cycles(model, m->replay.s, m->replay.gpu, sms,
                             &m->in.launch.exec_cycles, &d) != TEG_OK)
        return say_fault(&d);
    m->in.launch.active_sms = sms;
    return EXIT_DONE;
}

static int replay_on(const struct power_request *ask, uint32_t kernel,
                     uint32_t sms, struct replay *replay)
{
    char label[48];
    const struct replay_options options = {.sms = sms, .label = label};

    snprintf(label, sizeof label, "kernel %u", kernel + 1);
    if (sms != 0)
        snprintf(label, sizeof label, "%u, %u SMs", kernel + 1, sms);
    return replay_init(replay, &ask->job, kernel, &options);
}

/* Fills `m->in` from `m->replay`. */
static int take_counts(const struct power_request *ask,
                       struct power_measured *m)
{
    struct teg_diag d;

    power_inputs_init(&m->in);
    if (power_inputs_machine(&m->in, m->replay.gpu, &d) != TEG_OK ||
        power_inputs_measure(&m->in, m->replay.s, m->replay.gpu, &d) != TEG_OK)
        return say_fault(&d);
    m->in.run.start_temp = ask->celsius;
    return EXIT_DONE;
}

int power_measure(const struct power_request *ask, struct power_measured *m,
                  uint32_t kernel)
{
    int status;

    *m = (struct power_measured){.from = ask->cycles};
    status = ask->cycles == power_from_replay
                 ? replay_on(ask, kernel, ask->cores, &m->replay)
                 : walk(&m->replay, &ask->job, kernel);
    if (status == EXIT_DONE)
        status = take_counts(ask, m);
    if (status == EXIT_DONE && ask->cycles != power_from_replay)
        status = take_predicted(ask, m);
    if (settings_has(&ask->settings, "exec_cycles"))
        m->from = "given";
    if (status == EXIT_DONE)
        status = power_set_inputs(ask, &m->in);
    return status;
}

/* ---- number of SMs ----------------------------------------------------------- */

static int add_point(struct power_curve *c, const struct power_inputs *in)
{
    struct power_estimate e;
    struct teg_diag d;

    if (power_evaluate(in, &e, &d) != TEG_OK)
        return say_usage("power", "--set: %s: %s", d.where, d.what);
    power_point_fill(&c->point[c->count++], &in->launch, &e.power);
    return EXIT_DONE;
}

static int replay_point(const struct power_request *ask, struct power_curve *c,
                        uint32_t kernel, uint32_t sms)
{
    struct power_measured m = {.from = power_from_replay};
    int status = replay_on(ask, kernel, sms, &m.replay);

    if (status != EXIT_DONE && status != EXIT_INTERRUPTED)
        return status;
    if (status == EXIT_DONE)
        status = take_counts(ask, &m);
    if (status == EXIT_DONE)
        status = power_set_inputs(ask, &m.in);
    if (status == EXIT_DONE)
        status = add_point(c, &m.in);
    replay_release(&m.replay);
    return status;
}

/* Returns 0, and says why in the curve, if the model does not apply. */
static int predict_point(struct power_curve *c, const struct power_measured *m,
                         const struct teg_model *model, uint32_t sms,
                         int *status)
{
    struct power_inputs in = m->in;
    struct teg_diag d;

    if (power_predict_cycles(model, m->replay.s, m->replay.gpu, sms,
                             &in.launch.exec_cycles, &d) != TEG_OK) {
        snprintf(c->why, sizeof c->why, "%.60s: %.130s", d.where, d.what);
        return 0;
    }
    in.launch.active_sms = sms;
    *status = add_point(c, &in);
    return 1;
}

static int sweep(const struct power_request *ask, struct power_curve *c,
                 const struct power_measured *m, uint32_t kernel, uint32_t most)
{
    const struct teg_model *model = teg_model_find(c->from);
    int status = EXIT_DONE;

    c->point = calloc(most, sizeof *c->point);
    if (c->point == NULL)
        return say_memory();
    for (uint32_t sms = 1; status == EXIT_DONE && sms <= most; sms++) {
        if (model == NULL) {
            status = replay_point(ask, c, kernel, sms);
        } else if (!predict_point(c, m, model, sms, &status)) {
            c->count = 0;
            break;
        }
    }
    return status;
}

/* What the sweep's cycles come from; NULL, and why, for no sweep. */
static const char *sweep_source(const struct power_request *ask,
                                struct power_curve *c,
                                const struct power_measured *m, uint32_t most)
{
    double replayed = (double)m->replay.s->warp_instructions * most;

    if (settings_has(&ask->settings, "exec_cycles") ||
        settings_has(&ask->settings, "active_sms")) {
        snprintf(c->why, sizeof c->why, "cycles or SMs were given by hand");
        return NULL;
    }
    if (strcmp(ask->sweep, "off") == 0) {
        snprintf(c->why, sizeof c->why, "--sweep off");
        return NULL;
    }
    if (strcmp(ask->sweep, "auto") != 0)
        return ask->sweep;
    if (ask->cycles != power_from_replay)
        return ask->cycles;
    return replayed <= sweep_unasked_max ? power_from_replay : "mwp-cwp";
}

int power_find_curve(const struct power_request *ask, struct power_report *r,
                     const struct power_measured *m, uint32_t kernel)
{
    const struct teg_statistics *s = m->replay.s;
    uint32_t sms = ask->job.gpu->chip.sms;
    uint32_t most = s->blocks < sms ? (uint32_t)s->blocks : sms;
    struct power_curve *c = &r->curve;
    struct teg_diag d;
    int status;

    c->goal = ask->goal;
    c->from = sweep_source(ask, c, m, most);
    if (c->from == NULL)
        return EXIT_DONE;
    status = sweep(ask, c, m, kernel, most);
    if (status != EXIT_DONE || c->count == 0)
        return status;
    power_gate(c->point, c->count);
    for (enum power_goal g = 0; g < POWER_GOALS; g++)
        c->best[g] = power_best(c->point, c->count, g);
    c->has_rule = power_rule_cores(s, m->replay.gpu, POWER_CORES_RESOLVED,
                                   &c->rule, &d) == TEG_OK;
    if (ask->job.gpu->chip.sms_per_cluster > 1) {
        r->sms = (uint32_t)c->point[c->best[c->goal]].active_sms;
        if (power_place(ask->job.gpu, r->sms, r->sm, &r->tpcs, &d) != TEG_OK)
            r->sms = 0;
    }
    return EXIT_DONE;
}

/* ---- the report ------------------------------------------------------------- */

/* Identical launches follow each other: for that time, unless told how long,
 * the kernel runs. */
static teg_status evaluate(const struct power_report *r,
                           struct power_inputs *in, struct power_estimate *e,
                           struct teg_diag *d)
{
    uint32_t launches =
        r->result != NULL ? replay_launches(r->result->replay) : 1;

    TRY(power_evaluate(in, e, d));
    if (launches == 1 || !isnan(in->run.t_s))
        return TEG_OK;
    in->run.t_s = launches * e->power.time_s;
    return power_evaluate(in, e, d);
}

int power_fill(const struct power_request *ask, struct power_report *r,
               struct power_inputs *in)
{
    struct teg_diag d;

    r->gpu = ask->job.gpu;
    r->launch = in->launch;
    r->machine = in->machine;
    r->thermal = in->thermal;
    r->to_celsius = ask->to_celsius;
    if (evaluate(r, in, &r->e, &d) != TEG_OK)
        return say_usage("power", "--set: %s: %s", d.where, d.what);
    if (!isnan(r->to_celsius) && !r->e.has_thermal) {
        say(r->gpu->name, "the description has no thermal section, which "
                          "--time-to needs");
        return EXIT_FAULT;
    }
    if (!isnan(r->to_celsius))
        r->to_seconds =
            thermal_seconds_to(&in->thermal, r->e.run.start_temp,
                               r->e.thermal.max_temp, r->to_celsius);
    return EXIT_DONE;
}
