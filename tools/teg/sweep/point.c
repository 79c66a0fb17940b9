#include "tools/teg/sweep/sweep.h"

#include "sim/memory/memory.h"
#include "sim/whatif/launch_change.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* A point being simulated.  A reason that is not "" is why it cannot be. */
struct point {
    const struct sweep_plan *plan;
    uint64_t number;
    uint32_t threads; /* of the host */
    struct launch_change change;
    struct replay replay;
    struct opt_list what_ifs;        /* none or one, borrowed from the plan */
    struct teg_store *store;         /* borrowed from the source */
    struct teg_sample_facts **facts; /* the source's */
    char reason[1024];
};

static const char *value_at(const struct sweep_plan *plan, uint32_t axis,
                            uint64_t point)
{
    return plan->axis[axis].value[sweep_plan_digit(plan, axis, point)];
}

static const struct sweep_launch *launch_at(const struct sweep_plan *plan,
                                            uint64_t point)
{
    return &plan->launch[sweep_plan_digit(plan, 0, point)];
}

static bool failed(struct point *p, const struct teg_diag *d)
{
    snprintf(p->reason, sizeof p->reason, "%s%s%s", d->where,
             d->where[0] != '\0' ? ": " : "", d->what);
    return false;
}

/* ---- where the blocks come from ------------------------------------------- */

static void close_source(struct sweep_source *s)
{
    teg_store_free(s->store);
    teg_sample_facts_free(s->facts);
    s->store = NULL;
    s->facts = NULL;
    s->open = false;
}

void sweep_source_release(struct sweep_source *s)
{
    close_source(s);
    teg_trace_close(s->trace);
    teg_trace_close(s->member);
    *s = (struct sweep_source){0};
}

static bool is_source_axis(const struct sweep_axis *axis)
{
    return axis->kind == SWEEP_LAUNCH || axis->kind == SWEEP_PARAM;
}

static bool same_source(const struct sweep_source *s,
                        const struct sweep_plan *plan, uint64_t point)
{
    for (uint32_t i = 0; i < plan->axes; i++) {
        if (is_source_axis(&plan->axis[i]) &&
            s->digit[i] != sweep_plan_digit(plan, i, point))
            return false;
    }
    return s->open;
}

/* "N=8" for each parameter; returns how many. */
static uint32_t list_params(const struct sweep_plan *plan, uint64_t point,
                            char text[][SWEEP_VALUE_SIZE + 96],
                            const char **set)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < plan->axes; i++) {
        if (plan->axis[i].kind != SWEEP_PARAM)
            continue;
        snprintf(text[n], sizeof text[n], "%s=%s",
                 plan->axis[i].key + strlen("param."),
                 value_at(plan, i, point));
        set[n] = text[n];
        n++;
    }
    return n;
}

static bool open_source(struct point *p, struct sweep_source *s)
{
    const struct sweep_plan *plan = p->plan;
    const struct sweep_launch *launch = launch_at(plan, p->number);
    static char text[OPT_LIST_MAX][SWEEP_VALUE_SIZE + 96];
    const char *set[OPT_LIST_MAX];
    struct teg_trace_options options = {
        .isa = sweep_isa(plan->request),
        .registers = plan->request->registers,
        .spill_directory = getenv("TMPDIR"),
        .set = set,
        .set_count = list_params(plan, p->number, text, set),
    };
    struct teg_diag d;

    if (same_source(s, plan, p->number))
        return true;
    close_source(s);
    /* A list is read once; a sketch anew, with other parameters. */
    if (s->path != launch->path || options.set_count > 0) {
        sweep_source_release(s);
        if (teg_trace_open(launch->path, &options, &s->trace, &d) != TEG_OK)
            return failed(p, &d);
        s->path = launch->path;
    }
    if (teg_store_new(s->trace, launch->kernel, TEG_STORE_BUDGET, &s->store,
                      &d) != TEG_OK)
        return failed(p, &d);
    for (uint32_t i = 0; i < plan->axes; i++)
        s->digit[i] = sweep_plan_digit(plan, i, p->number);
    s->open = true;
    return true;
}

/* ---- what is simulated ---------------------------------------------------- */

static bool change_gpu(struct point *p)
{
    const struct sweep_plan *plan = p->plan;
    struct teg_diag d;

    for (uint32_t i = 0; i < plan->axes; i++) {
        const struct sweep_axis *axis = &plan->axis[i];
        const char *value = value_at(plan, i, p->number);

        if (axis->kind == SWEEP_KEY &&
            teg_gpu_vary(p->replay.gpu, axis->key, value, &d) != TEG_OK)
            return failed(p, &d);
        if (axis->kind == SWEEP_SHAPE &&
            launch_change_set(&p->change, axis->key, value, &d) != TEG_OK)
            return failed(p, &d);
    }
    return teg_gpu_check(p->replay.gpu, &d) == TEG_OK || failed(p, &d);
}

/* Opens the point's launch; what-ifs also change `gpu`. */
static teg_status open_launch(const struct point *p, struct teg_gpu *gpu,
                              struct teg_launch *launch, struct teg_diag *d)
{
    teg_status status = teg_store_launch(p->store, launch, d);

    if (status != TEG_OK)
        return status;
    launch_change_apply(&p->change, launch);
    if (p->what_ifs.count > 0)
        status = teg_whatif_apply(p->what_ifs.item[0], gpu, launch, d);
    if (status != TEG_OK && launch->close != NULL)
        launch->close(launch->self);
    if (status != TEG_OK)
        *launch = (struct teg_launch){0};
    return status;
}

static void close_launch(struct teg_launch *launch)
{
    if (launch->close != NULL)
        launch->close(launch->self);
    *launch = (struct teg_launch){0};
}

/* Opens it once more; the GPU has been changed already. */
static teg_status open_again(void *self, struct teg_launch *launch,
                             struct teg_diag *d)
{
    const struct point *p = self;
    struct teg_gpu *unused;
    teg_status status = teg_gpu_copy(p->replay.gpu, &unused, d);

    if (status != TEG_OK)
        return status;
    status = open_launch(p, unused, launch, d);
    teg_gpu_free(unused);
    return status;
}

/* The what-ifs of the point, if any. */
static void find_what_ifs(struct point *p)
{
    const struct sweep_plan *plan = p->plan;

    for (uint32_t i = 0; i < plan->axes; i++) {
        if (plan->axis[i].kind == SWEEP_WHAT_IF &&
            value_at(plan, i, p->number)[0] != '\0')
            p->what_ifs.item[p->what_ifs.count++] =
                value_at(plan, i, p->number);
    }
}

static const struct teg_gpu *gpu_at(const struct sweep_plan *plan,
                                    uint64_t point)
{
    uint32_t g = 0;

    for (uint32_t i = 0; i < plan->axes; i++) {
        if (plan->axis[i].kind == SWEEP_GPU ||
            plan->axis[i].kind == SWEEP_CLOCK)
            g = g * plan->axis[i].count + sweep_plan_digit(plan, i, point);
    }
    return plan->gpu[g];
}

static bool prepare(struct point *p, struct sweep_source *source)
{
    struct teg_diag d;

    p->replay.s = calloc(1, sizeof *p->replay.s);
    if (p->replay.s == NULL) {
        teg_fail_memory(&d);
        return failed(p, &d);
    }
    if (teg_gpu_copy(gpu_at(p->plan, p->number), &p->replay.gpu, &d) != TEG_OK)
        return failed(p, &d);
    if (!change_gpu(p) || !open_source(p, source))
        return false;
    find_what_ifs(p);
    p->store = source->store;
    p->facts = &source->facts;
    p->replay.launches = teg_trace_kernel_launches(
        source->trace, launch_at(p->plan, p->number)->kernel);
    return open_launch(p, p->replay.gpu, &p->replay.launch, &d) == TEG_OK ||
           failed(p, &d);
}

static int on_progress(void *self, uint64_t blocks, uint64_t cycle)
{
    (void)self;
    (void)blocks;
    (void)cycle;
    return interrupted();
}

static struct teg_simulation_options options_of(const struct point *p)
{
    struct teg_simulation_options options = {
        .sms = p->plan->request->sms,
        .threads = p->threads,
        .progress = on_progress,
    };

    launch_change_limit(&p->change, &options);
    return options;
}

void sweep_source_read(struct sweep_source *s, const struct sweep_plan *plan,
                       uint64_t point)
{
    struct point p = {.plan = plan, .number = point};
    struct teg_diag d;

    if (prepare(&p, s) && p.what_ifs.count == 0 &&
        plan->request->sampling != SAMPLING_NEVER) {
        const struct teg_simulation_options options = options_of(&p);

        close_launch(&p.replay.launch);
        teg_sample_look(open_again, &p, p.replay.gpu, &options, p.facts, &d);
    }
    replay_release(&p.replay);
}

/* Simulates a part of the launch if it is long enough.  What its blocks are is
 * found once; a what-if may change them. */
static teg_status simulate_part(struct point *p,
                                const struct teg_simulation_options *options,
                                struct teg_diag *d)
{
    enum sampling mode = p->plan->request->sampling;
    struct teg_sample_facts *changed = NULL;
    teg_status status;

    if (mode == SAMPLING_NEVER)
        return TEG_OK;
    close_launch(&p->replay.launch);
    status = teg_sample_simulate(open_again, p, p->replay.gpu, options,
                                 sampling_instructions_min(mode),
                                 p->what_ifs.count > 0 ? &changed : p->facts,
                                 p->replay.s, &p->replay.sample, d);
    teg_sample_facts_free(changed);
    return status == TEG_OK ? open_again(p, &p->replay.launch, d) : status;
}

/* The launch once before it counts; `*warm` is what it leaves. */
static teg_status warm_up(struct point *p,
                          const struct teg_simulation_options *options,
                          struct sim_memory **warm, struct teg_diag *d)
{
    enum sampling mode = p->plan->request->sampling;
    const char *what_ifs = p->what_ifs.count > 0 ? p->what_ifs.item[0] : "";
    struct teg_sample_facts *changed = NULL;
    teg_status status;

    if (p->plan->request->caches != CACHES_WARM && !teg_whatif_warms(what_ifs))
        return TEG_OK;
    p->replay.caches = CACHES_WARM;
    close_launch(&p->replay.launch);
    status = teg_warm_up(
        open_again, p, p->replay.gpu, options,
        mode == SAMPLING_NEVER ? TEG_SAMPLE_NEVER
                               : sampling_instructions_min(mode),
        p->what_ifs.count > 0 ? &changed : p->facts, p->replay.s, warm, d);
    teg_sample_facts_free(changed);
    return status == TEG_OK ? open_again(p, &p->replay.launch, d) : status;
}

/* Returns false if interrupted. */
static bool simulate(struct point *p)
{
    struct teg_simulation_options options = options_of(p);
    struct sim_memory *warm = NULL;
    struct teg_diag d;
    teg_status status = warm_up(p, &options, &warm, &d);

    options.before = warm;
    if (status == TEG_OK)
        status = simulate_part(p, &options, &d);

    if (status == TEG_OK && !p->replay.sample.used)
        status = teg_simulate(&p->replay.launch, p->replay.gpu, &options,
                              p->replay.s, &d);
    sim_memory_free(warm);
    if (status != TEG_OK && status != TEG_INTERRUPTED)
        failed(p, &d);
    return status != TEG_INTERRUPTED;
}

/* ---- the row -------------------------------------------------------------- */

/* A number where it is one. */
static json_t *value_json(const char *text)
{
    char *end;
    long long whole;
    double real;

    errno = 0;
    whole = strtoll(text, &end, 10);
    if (end != text && *end == '\0' && errno == 0)
        return json_integer(whole);
    real = strtod(text, &end);
    if (end != text && *end == '\0')
        return number_json(real);
    return json_text(text);
}

static json_t *head_json(const struct sweep_plan *plan, uint64_t point)
{
    const struct sweep_launch *launch = launch_at(plan, point);
    json_t *vary = json_object();

    for (uint32_t i = 0; i < plan->axes; i++) {
        const struct sweep_axis *axis = &plan->axis[i];

        if (axis->kind != SWEEP_LAUNCH && axis->kind != SWEEP_GPU)
            json_object_set_new(vary, axis->key,
                                axis->kind == SWEEP_WHAT_IF
                                    ? json_text(value_at(plan, i, point))
                                    : value_json(value_at(plan, i, point)));
    }
    return json_pack("{s:s, s:I, s:I, s:o, s:o}", "sweep", plan->digest,
                     "point", (json_int_t)point, "points",
                     (json_int_t)plan->points, "trace", json_text(launch->path),
                     "vary", vary);
}

/* Takes the reference to `object`. */
static void append_line(struct teg_buffer *row, json_t *object)
{
    char *text =
        object != NULL
            ? json_dumps(object, JSON_COMPACT | JSON_REAL_PRECISION(10))
            : NULL;

    if (text != NULL && !json_ran_out()) {
        teg_buffer_bytes(row, text, strlen(text));
        teg_buffer_u8(row, '\n');
    } else {
        row->failed = 1;
    }
    free_json_text(text);
    json_decref(object);
}

void sweep_point_failed(const struct sweep_plan *plan, uint64_t point,
                        const char *reason, struct teg_buffer *row)
{
    json_t *object = head_json(plan, point);
    json_t *rest =
        json_pack("{s:s, s:s, s:{s:s}, s:{s:i}}", "status", "failed", "reason",
                  reason, "gpu", "name", gpu_at(plan, point)->name, "kernel",
                  "number", (int)launch_at(plan, point)->kernel + 1);

    json_object_update(object, rest);
    json_decref(rest);
    append_line(row, object);
}

static int append_result(const struct point *p, uint64_t number,
                         const struct replay *replay,
                         const struct teg_trace *trace, struct teg_buffer *row)
{
    const struct sweep_plan *plan = p->plan;
    struct result result = {
        .number = launch_at(plan, number)->kernel + 1,
        .what_ifs = &p->what_ifs,
        .trace_notes = teg_trace_notes(trace),
    };
    int status = result_init(&result, replay);

    if (status == EXIT_DONE) {
        json_t *object = head_json(plan, number);
        json_t *rest = result_json(&result);

        json_object_set_new(object, "status", json_text("ok"));
        json_object_update(object, rest);
        json_decref(rest);
        append_line(row, object);
    }
    result_release(&result);
    return status;
}

/* ---- points that are represented ------------------------------------------- */

/* Of the launch's trace, `*trace`; what is simulated stays open. */
static teg_status open_member(const struct sweep_plan *plan, uint64_t member,
                              struct sweep_source *source,
                              struct teg_trace **trace,
                              struct teg_launch *launch, struct teg_diag *d)
{
    const struct sweep_launch *of = launch_at(plan, member);
    const struct teg_trace_options options = {
        .isa = sweep_isa(plan->request),
        .registers = plan->request->registers,
        .spill_directory = getenv("TMPDIR"),
    };

    if (source->path != of->path && source->member_path != of->path) {
        teg_trace_close(source->member);
        source->member = NULL;
        source->member_path = NULL;
        TRY(teg_trace_open(of->path, &options, &source->member, d));
        source->member_path = of->path;
    }
    *trace = source->path == of->path ? source->trace : source->member;
    return teg_trace_launch(*trace, of->kernel, launch, d);
}

static int append_member(struct point *p, uint64_t member,
                         struct sweep_source *source, struct teg_buffer *row)
{
    const struct sweep_plan *plan = p->plan;
    const struct sweep_launch *by = launch_at(plan, p->number);
    uint32_t index = sweep_plan_digit(plan, 0, member);
    struct replay replay = {0};
    struct teg_trace *trace;
    struct teg_launch launch;
    struct teg_diag d;
    int status;

    if (open_member(plan, member, source, &trace, &launch, &d) != TEG_OK) {
        failed(p, &d);
        sweep_point_failed(plan, member, p->reason, row);
        return EXIT_DONE;
    }
    replay.launches =
        teg_trace_kernel_launches(trace, launch_at(plan, member)->kernel);
    launch_change_apply(&p->change, &launch);
    status = replay_represent(&replay, &p->replay, &plan->clusters, index,
                              by->path, by->kernel + 1, &launch);
    if (status == EXIT_DONE)
        status = append_result(p, member, &replay, trace, row);
    replay_release(&replay);
    return status;
}

/* What cannot be cannot be for those it is simulated for. */
static int append_members(struct point *p, struct sweep_source *source,
                          struct teg_buffer *row)
{
    bool cannot = p->reason[0] != '\0';
    uint64_t member = p->number;
    int status = EXIT_DONE;

    while (status == EXIT_DONE && sweep_plan_member(p->plan, member, &member)) {
        if (cannot)
            sweep_point_failed(p->plan, member, p->reason, row);
        else
            status = append_member(p, member, source, row);
    }
    return status;
}

int sweep_point(const struct sweep_plan *plan, struct sweep_source *source,
                uint64_t point, uint32_t threads, struct teg_buffer *row)
{
    struct point p = {.plan = plan, .number = point, .threads = threads};
    int status = EXIT_DONE;

    p.replay.cluster_kernels =
        clusters_members(&plan->clusters, sweep_plan_digit(plan, 0, point));
    if (prepare(&p, source) && !simulate(&p))
        status = EXIT_INTERRUPTED;
    else if (p.reason[0] != '\0')
        sweep_point_failed(plan, point, p.reason, row);
    else
        status = append_result(&p, point, &p.replay, source->trace, row);
    replay_close_launch(&p.replay);
    if (status == EXIT_DONE)
        status = append_members(&p, source, row);
    replay_release(&p.replay);
    return status;
}
