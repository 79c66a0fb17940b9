#include "tools/teg/sweep/sweep.h"

#include "tools/teg/cli/gpu_path.h"
#include "tools/teg/sweep/axis.h"
#include "tools/teg/sweep/digest.h"

#include <stdlib.h>
#include <string.h>

/* ---- traces --------------------------------------------------------------- */

uint32_t sweep_isa(const struct sweep_request *r)
{
    const char *text = r->isa;
    uint32_t v = 0;

    for (; text != NULL && *text != '\0'; text++) {
        if (*text >= '0' && *text <= '9')
            v = 10 * v + (uint32_t)(*text - '0');
    }
    return v;
}

/* Opens the trace with the first value of each parameter, to learn its
 * kernels. */
static int open_first(const struct sweep_plan *plan, const char *path,
                      struct job *job)
{
    const struct sweep_request *r = plan->request;
    static char first[OPT_LIST_MAX][SWEEP_VALUE_SIZE + 96];

    *job = (struct job){.gpu_name = NULL,
                        .config_dir = r->config_dir,
                        .kernel_choice = r->kernel_choice,
                        .isa = r->isa,
                        .registers = r->registers};
    for (uint32_t i = 0; i < plan->axes; i++) {
        const struct sweep_axis *axis = &plan->axis[i];
        uint32_t n = job->param.count;

        if (axis->kind != SWEEP_PARAM)
            continue;
        snprintf(first[n], sizeof first[n], "%s=%s",
                 axis->key + strlen("param."), axis->value[0]);
        job->param.item[job->param.count++] = first[n];
    }
    return job_open_trace(job, path);
}

static int add_launches(struct sweep_plan *plan, struct sweep_axis *axis,
                        const struct job *job)
{
    int status = EXIT_DONE;
    struct sweep_launch *more =
        realloc(plan->launch, (axis->count + job->kernel_count) * sizeof *more);

    if (more == NULL)
        return say_memory();
    plan->launch = more;
    for (uint32_t i = 0; status == EXIT_DONE && i < job->kernel_count; i++) {
        plan->launch[axis->count] =
            (struct sweep_launch){job->path, job->kernel[i]};
        status = sweep_axis_add(axis, job->path);
    }
    return status;
}

/* Without -g: of the first trace's architecture. */
static int add_default_gpu(struct sweep_plan *plan, struct job *job)
{
    int status;

    if (plan->request->gpus != NULL || plan->gpus != 0)
        return EXIT_DONE;
    plan->gpu = calloc(1, sizeof(struct teg_gpu *));
    if (plan->gpu == NULL)
        return say_memory();
    status = job_open_gpu(job);
    if (status != EXIT_DONE)
        return status;
    plan->gpu[plan->gpus++] = job->gpu;
    job->gpu = NULL;
    return EXIT_DONE;
}

static int add_traces(struct sweep_plan *plan)
{
    const struct sweep_request *r = plan->request;
    struct sweep_axis *axis = &plan->axis[0];
    int status = EXIT_DONE;

    for (int i = 0; status == EXIT_DONE && i < r->traces; i++) {
        struct job job;

        status = open_first(plan, r->trace[i], &job);
        if (status == EXIT_DONE)
            status = add_launches(plan, axis, &job);
        if (status == EXIT_DONE)
            status = sweep_hash_listed(plan, &job);
        if (status == EXIT_DONE)
            status = add_default_gpu(plan, &job);
        job_release(&job);
    }
    return status;
}

/* ---- GPUs and their keys -------------------------------------------------- */

static int add_gpus(struct sweep_plan *plan)
{
    const struct sweep_request *r = plan->request;
    struct sweep_axis names = {.key = "--gpu"}, *axis = NULL;
    int status = EXIT_DONE;

    if (r->gpus != NULL) {
        status = sweep_values(&names, "--gpu", r->gpus);
        plan->gpu = calloc(names.count + 1, sizeof(struct teg_gpu *));
        if (status == EXIT_DONE && plan->gpu == NULL)
            status = say_memory();
        for (uint32_t i = 0; status == EXIT_DONE && i < names.count; i++) {
            status = gpu_open(names.value[i], r->config_dir, &plan->gpu[i]);
            plan->gpus += status == EXIT_DONE;
        }
    }
    if (status == EXIT_DONE)
        status = sweep_axis_new(plan, SWEEP_GPU, "gpu", &axis);
    for (uint32_t i = 0; status == EXIT_DONE && i < plan->gpus; i++)
        status = sweep_axis_add(axis, plan->gpu[i]->name);
    for (uint32_t i = 0; i < names.count; i++)
        free(names.value[i]);
    free(names.value);
    return status;
}

/* Each description at each clock in the place of itself. */
static int clock_gpus(struct sweep_plan *plan, const struct sweep_axis *clocks)
{
    struct teg_gpu **at =
        calloc((size_t)plan->gpus * clocks->count, sizeof *at);
    struct teg_gpu **as_described = plan->gpu;
    uint32_t gpus = plan->gpus;
    int status = EXIT_DONE;
    struct teg_diag d;

    if (at == NULL)
        return say_memory();
    plan->gpu = at;
    plan->gpus = 0;
    for (uint32_t i = 0; status == EXIT_DONE && i < gpus * clocks->count; i++) {
        if (teg_gpu_copy(as_described[i / clocks->count], &at[i], &d) !=
            TEG_OK) {
            status = say_fault(&d);
            break;
        }
        plan->gpus++;
        if (teg_gpu_set_clock(at[i], clocks->value[i % clocks->count], &d) !=
            TEG_OK) {
            say("--clock", "%s", d.what);
            status = EXIT_USAGE;
        }
    }
    for (uint32_t i = 0; i < gpus; i++)
        teg_gpu_free(as_described[i]);
    free(as_described);
    return status;
}

static int add_clocks(struct sweep_plan *plan)
{
    struct sweep_axis *axis = NULL;
    int status;

    if (plan->request->clocks == NULL)
        return EXIT_DONE;
    status = sweep_axis_new(plan, SWEEP_CLOCK, "clock", &axis);
    if (status == EXIT_DONE)
        status = sweep_values(axis, "--clock", plan->request->clocks);
    return status == EXIT_DONE ? clock_gpus(plan, axis) : status;
}

/* --set holds for every point. */
static int set_all(struct sweep_plan *plan)
{
    for (uint32_t g = 0; g < plan->gpus; g++) {
        for (uint32_t i = 0; i < plan->request->set.count; i++) {
            const char *text = plan->request->set.item[i], *value = NULL;
            struct teg_diag d;
            char key[SWEEP_KEY_SIZE];
            int status = sweep_split("--set", text, "", key, &value);

            if (status != EXIT_DONE)
                return status;
            if (teg_gpu_set(plan->gpu[g], key, value, &d) != TEG_OK) {
                say("--set", "%s: %s", key, d.what);
                return EXIT_USAGE;
            }
        }
    }
    return EXIT_DONE;
}

/* ---- launches that are alike ------------------------------------------------ */

/* The trace of the launch looked at last. */
struct looking {
    const struct sweep_plan *plan;
    const char *path;
    struct teg_trace *trace; /* owned */
};

static teg_status open_planned(void *self, uint32_t i,
                               struct teg_launch *launch, struct teg_diag *d)
{
    struct looking *l = self;
    const struct sweep_launch *of = &l->plan->launch[i];
    const struct teg_trace_options options = {
        .registers = l->plan->request->registers,
        .isa = sweep_isa(l->plan->request),
        .spill_directory = getenv("TMPDIR")};

    if (l->path != of->path) {
        teg_trace_close(l->trace);
        l->trace = NULL;
        l->path = NULL;
        TRY(teg_trace_open(of->path, &options, &l->trace, d));
        l->path = of->path;
    }
    return teg_trace_launch(l->trace, of->kernel, launch, d);
}

static bool has_axis(const struct sweep_plan *plan, enum sweep_kind kind)
{
    for (uint32_t i = 0; i < plan->axes; i++) {
        if (plan->axis[i].kind == kind)
            return true;
    }
    return false;
}

/* A parameter of a sketch makes every point another launch. */
static int find_clusters(struct sweep_plan *plan)
{
    const struct sweep_request *r = plan->request;
    struct looking looking = {.plan = plan};
    const struct cluster_request request = {
        .count = plan->axis[0].count,
        .open = open_planned,
        .self = &looking,
        .gpu = (const struct teg_gpu *const *)plan->gpu,
        .gpus = plan->gpus,
        .same_blocks = r->sms != 0 || has_axis(plan, SWEEP_KEY) ||
                       has_axis(plan, SWEEP_SHAPE),
        .sampling = has_axis(plan, SWEEP_PARAM) ? SAMPLING_NEVER : r->sampling,
        .similar = r->similar,
        .workers = r->workers,
        .label = "sweep",
    };
    int status = clusters_find(&plan->clusters, &request);

    teg_trace_close(looking.trace);
    return status;
}

/* ---- the plan ------------------------------------------------------------- */

static int count_points(struct sweep_plan *plan)
{
    plan->points = 1;
    for (uint32_t i = 0; i < plan->axes; i++) {
        plan->points *= plan->axis[i].count;
        if (plan->points > SWEEP_POINTS_MAX)
            return say_usage("sweep", "expected at most %d points",
                             SWEEP_POINTS_MAX);
    }
    return EXIT_DONE;
}

/* As it is, then each one asked for. */
static int add_what_ifs(struct sweep_plan *plan)
{
    const struct opt_list *list = &plan->request->what_ifs;
    struct sweep_axis *axis = NULL;
    int status;

    if (list->count == 0)
        return EXIT_DONE;
    status = sweep_axis_new(plan, SWEEP_WHAT_IF, "what-if", &axis);
    if (status == EXIT_DONE)
        status = sweep_axis_add(axis, "");
    for (uint32_t i = 0; status == EXIT_DONE && i < list->count; i++)
        status = sweep_axis_add(axis, list->item[i]);
    return status;
}

static int add_active_warps(struct sweep_plan *plan)
{
    struct sweep_axis *axis = NULL;
    int status;

    if (plan->request->active_warps == NULL)
        return EXIT_DONE;
    status = sweep_axis_new(plan, SWEEP_SHAPE, "launch.warps", &axis);
    if (status == EXIT_DONE)
        status =
            sweep_values(axis, "--active-warps", plan->request->active_warps);
    return status;
}

/* The axes in their order; the source of the blocks changes slowest, so that
 * a trace is read once. */
static int make_plan(struct sweep_plan *plan)
{
    const struct sweep_request *r = plan->request;
    struct sweep_axis *axis = NULL;
    int status = sweep_axis_new(plan, SWEEP_LAUNCH, "trace", &axis);

    for (uint32_t i = 0; status == EXIT_DONE && i < r->param.count; i++)
        status = sweep_axis_new_keyed(plan, SWEEP_PARAM, "--param", "param.",
                                      r->param.item[i]);
    if (status == EXIT_DONE)
        status = add_traces(plan);
    if (status == EXIT_DONE)
        status = add_gpus(plan);
    if (status == EXIT_DONE)
        status = add_clocks(plan);
    if (status == EXIT_DONE)
        status = set_all(plan);
    for (uint32_t i = 0; status == EXIT_DONE && i < r->vary.count; i++)
        status = sweep_axis_new_keyed(plan, SWEEP_KEY, "--vary", "",
                                      r->vary.item[i]);
    if (status == EXIT_DONE)
        status = add_what_ifs(plan);
    if (status == EXIT_DONE)
        status = add_active_warps(plan);
    if (status == EXIT_DONE)
        status = sweep_axes_check(plan);
    if (status == EXIT_DONE)
        status = count_points(plan);
    if (status == EXIT_DONE)
        status = sweep_find_digest(plan);
    return status == EXIT_DONE ? find_clusters(plan) : status;
}

int sweep_plan_init(struct sweep_plan *plan, const struct sweep_request *r)
{
    *plan = (struct sweep_plan){.request = r};
    return make_plan(plan);
}

void sweep_plan_release(struct sweep_plan *plan)
{
    for (uint32_t a = 0; a < plan->axes; a++) {
        for (uint32_t v = 0; v < plan->axis[a].count; v++)
            free(plan->axis[a].value[v]);
        free(plan->axis[a].value);
    }
    clusters_release(&plan->clusters);
    for (uint32_t g = 0; g < plan->gpus; g++)
        teg_gpu_free(plan->gpu[g]);
    free(plan->gpu);
    free(plan->launch);
    *plan = (struct sweep_plan){0};
}

uint32_t sweep_plan_digit(const struct sweep_plan *plan, uint32_t axis,
                          uint64_t point)
{
    for (uint32_t i = plan->axes - 1; i > axis; i--)
        point /= plan->axis[i].count;
    return (uint32_t)(point % plan->axis[axis].count);
}

uint64_t sweep_plan_stretch(const struct sweep_plan *plan)
{
    uint64_t points = plan->points;

    for (uint32_t i = 0; i < plan->axes; i++) {
        if (plan->axis[i].kind == SWEEP_LAUNCH ||
            plan->axis[i].kind == SWEEP_PARAM)
            points /= plan->axis[i].count;
    }
    return points;
}

/* Points of one launch; the launch is the first axis. */
static uint64_t points_per_launch(const struct sweep_plan *plan)
{
    return plan->points / plan->axis[0].count;
}

uint64_t sweep_plan_by(const struct sweep_plan *plan, uint64_t point)
{
    uint64_t each = points_per_launch(plan);

    return clusters_by(&plan->clusters, (uint32_t)(point / each)) * each +
           point % each;
}

bool sweep_plan_member(const struct sweep_plan *plan, uint64_t point,
                       uint64_t *member)
{
    uint64_t each = points_per_launch(plan);
    uint32_t next = clusters_next(&plan->clusters, (uint32_t)(point / each));

    *member = next * each + point % each;
    return next != 0;
}
