#include "tools/teg/sweep/sweep.h"

#include "config/param.h"
#include "tools/teg/cli/gpu_path.h"
#include "tools/teg/pool/pool.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    VALUES_MAX = 1000000,
    KEY_SIZE = 96,
    HASHED_BYTES = 64 << 20, /* of a trace */
};

#define POINTS_MAX ((uint64_t)1 << 32)

/* ---- values --------------------------------------------------------------- */

static int add_value(struct sweep_axis *axis, const char *value)
{
    char **more, *copy;

    if (axis->count == VALUES_MAX) {
        say(axis->key, "expected at most %d values", VALUES_MAX);
        return EXIT_USAGE;
    }
    more = realloc(axis->value, (axis->count + 1) * sizeof *more);
    if (more == NULL)
        return say_memory();
    axis->value = more;
    copy = strdup(value);
    if (copy == NULL)
        return say_memory();
    axis->value[axis->count++] = copy;
    return EXIT_DONE;
}

/* "400:1600:200"; returns whether `text` is of that form. */
static bool parse_range(const char *text, double v[3])
{
    for (int i = 0; i < 3; i++) {
        char *end;

        v[i] = strtod(text, &end);
        if (end == text || *end != (i < 2 ? ':' : '\0') || !isfinite(v[i]))
            return false;
        text = end + 1;
    }
    return true;
}

static int add_range(struct sweep_axis *axis, const char *what,
                     const char *text, const double v[3])
{
    double steps = (v[1] - v[0]) / v[2];
    int status = EXIT_DONE;

    if (!isfinite(steps) || steps < 0) {
        say(what,
            "expected FROM:TO:STEP with a step from FROM towards TO, found "
            "'%s', which steps nowhere",
            text);
        return EXIT_USAGE;
    }
    if (steps >= VALUES_MAX) {
        say(what, "expected at most %d values, found '%s'", VALUES_MAX, text);
        return EXIT_USAGE;
    }
    /* TO counts even when 0.1 + 0.2 is a little more than 0.3. */
    for (uint32_t i = 0; status == EXIT_DONE && i <= steps + 1e-9; i++) {
        char value[32];

        snprintf(value, sizeof value, "%.10g", v[0] + i * v[2]);
        status = add_value(axis, value);
    }
    return status;
}

int sweep_values(struct sweep_axis *axis, const char *what, const char *text)
{
    int status = EXIT_DONE;

    while (status == EXIT_DONE) {
        size_t length = strcspn(text, ",");
        char value[SWEEP_VALUE_SIZE];
        double range[3];

        if (length == 0 || length >= sizeof value) {
            say(what,
                "expected values joined by commas, or FROM:TO:STEP, "
                "found '%s'",
                text);
            return EXIT_USAGE;
        }
        snprintf(value, sizeof value, "%.*s", (int)length, text);
        status = parse_range(value, range) ? add_range(axis, what, value, range)
                                           : add_value(axis, value);
        text += length;
        if (*text++ == '\0')
            break;
    }
    return status;
}

/* ---- axes ----------------------------------------------------------------- */

static int new_axis(struct sweep_plan *plan, enum sweep_kind kind,
                    const char *key, struct sweep_axis **axis)
{
    for (uint32_t i = 0; i < plan->axes; i++) {
        if (strcmp(plan->axis[i].key, key) == 0)
            return say_usage("sweep", "'%s' is varied twice", key);
    }
    if (plan->axes == SWEEP_AXES_MAX)
        return say_usage("sweep", "expected at most %d axes", SWEEP_AXES_MAX);
    *axis = &plan->axis[plan->axes++];
    **axis = (struct sweep_axis){.kind = kind};
    snprintf((*axis)->key, sizeof(*axis)->key, "%s", key);
    return EXIT_DONE;
}

/* "KEY=VALUES", the key behind `prefix`. */
static int split(const char *option, const char *text, const char *prefix,
                 char key[KEY_SIZE], const char **values)
{
    size_t length = strcspn(text, "=");

    if (text[length] == '\0' || length == 0 ||
        strlen(prefix) + length >= KEY_SIZE)
        return say_usage("sweep", "%s: expected KEY=VALUES, found '%s'", option,
                         text);
    snprintf(key, KEY_SIZE, "%s%.*s", prefix, (int)length, text);
    *values = text + length + 1;
    return EXIT_DONE;
}

static int add_keyed(struct sweep_plan *plan, enum sweep_kind kind,
                     const char *option, const char *prefix, const char *text)
{
    struct sweep_axis *axis = NULL;
    const char *values = NULL;
    char key[KEY_SIZE];
    int status = split(option, text, prefix, key, &values);

    if (status == EXIT_DONE && kind == SWEEP_KEY &&
        strncmp(key, "launch.", strlen("launch.")) == 0)
        kind = SWEEP_SHAPE;
    if (status == EXIT_DONE)
        status = new_axis(plan, kind, key, &axis);
    if (status == EXIT_DONE)
        status = sweep_values(axis, key, values);
    return status;
}

/* ---- hashes --------------------------------------------------------------- */

/* FNV-1a, 64 bits. */
static void hash_bytes(uint64_t *hash, const void *bytes, size_t size)
{
    const uint8_t *at = bytes;

    for (size_t i = 0; i < size; i++)
        *hash = (*hash ^ at[i]) * 0x100000001b3u;
}

/* With the final NUL, so that "ab" "c" is not "a" "bc". */
static void hash_text(uint64_t *hash, const char *text)
{
    hash_bytes(hash, text, strlen(text) + 1);
}

static void hash_number(uint64_t *hash, uint64_t v)
{
    hash_bytes(hash, &v, sizeof v);
}

/* A worker is told what comes of it. */
static int hash_file(uint64_t *hash, const char *path)
{
    static uint8_t bytes[1 << 16];
    FILE *f;
    struct stat st;
    struct teg_diag d;
    size_t left = HASHED_BYTES, n;

    if (pool_is_worker())
        return EXIT_DONE;
    f = fopen(path, "rb");
    if (f == NULL || fstat(fileno(f), &st) != 0) {
        if (f != NULL)
            fclose(f);
        teg_fail_errno(&d, path, "read");
        return say_fault(&d);
    }
    hash_number(hash, (uint64_t)st.st_size);
    while (left > 0 && (n = fread(bytes, 1, sizeof bytes, f)) > 0) {
        hash_bytes(hash, bytes, n);
        left -= n < left ? n : left;
    }
    fclose(f);
    return EXIT_DONE;
}

/* ---- traces --------------------------------------------------------------- */

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

/* What a list names belongs to the sweep as the list does.  A file that is
 * missing is the point's fault. */
static int hash_listed(struct sweep_plan *plan, const struct job *job)
{
    int status = EXIT_DONE;

    for (uint32_t i = 0; status == EXIT_DONE && i < job->kernel_count &&
                         teg_trace_is_list(job->trace);
         i++) {
        const char *path = teg_trace_kernel_path(job->trace, job->kernel[i]);

        if (access(path, R_OK) == 0)
            status = hash_file(&plan->listed, path);
    }
    return status;
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
        status = add_value(axis, job->path);
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
            status = hash_listed(plan, &job);
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
        status = new_axis(plan, SWEEP_GPU, "gpu", &axis);
    for (uint32_t i = 0; status == EXIT_DONE && i < plan->gpus; i++)
        status = add_value(axis, plan->gpu[i]->name);
    for (uint32_t i = 0; i < names.count; i++)
        free(names.value[i]);
    free(names.value);
    return status;
}

/* --set holds for every point. */
static int set_all(struct sweep_plan *plan)
{
    for (uint32_t g = 0; g < plan->gpus; g++) {
        for (uint32_t i = 0; i < plan->request->set.count; i++) {
            const char *text = plan->request->set.item[i], *value = NULL;
            struct teg_diag d;
            char key[KEY_SIZE];
            int status = split("--set", text, "", key, &value);

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

/* A key must mean something to one of the GPUs; whether a value is possible
 * is the point's affair. */
static int check_key(const struct sweep_plan *plan,
                     const struct sweep_axis *axis)
{
    struct teg_diag d = {0};

    for (uint32_t g = 0; g < plan->gpus; g++) {
        struct teg_gpu *copy;
        teg_status status;

        if (teg_gpu_copy(plan->gpu[g], &copy, &d) != TEG_OK)
            return say_fault(&d);
        status = teg_gpu_set(copy, axis->key, axis->value[0], &d);
        teg_gpu_free(copy);
        if (status != TEG_UNKNOWN)
            return EXIT_DONE;
    }
    say("--vary", "%s: %s", axis->key, d.what);
    return EXIT_USAGE;
}

static int check_shape(const struct sweep_axis *axis)
{
    struct teg_nearest nearest;
    char hint[96];

    teg_nearest_init(&nearest, axis->key);
    for (const struct sweep_shape *s = sweep_shapes; s->key != NULL; s++) {
        if (strcmp(s->key, axis->key) == 0)
            return EXIT_DONE;
        teg_nearest_offer(&nearest, s->key);
    }
    say("--vary", "'%s' is nothing of a launch%s", axis->key,
        did_you_mean(&nearest, "", hint));
    return EXIT_USAGE;
}

static bool what_if_known(const struct sweep_plan *plan, const char *name,
                          size_t length)
{
    for (uint32_t g = 0; g < plan->gpus; g++) {
        if (teg_whatif_known(name, length, plan->gpu[g]))
            return true;
    }
    return false;
}

/* Every what-if must be known for one of the GPUs. */
static int check_what_if(const struct sweep_plan *plan, const char *names)
{
    const char *name;
    size_t length;

    while ((name = teg_whatif_next(&names, &length)) != NULL) {
        uint32_t count;
        const struct teg_whatif *known = teg_whatifs(&count);
        struct teg_nearest nearest;
        char typed[256], hint[96];

        if (what_if_known(plan, name, length))
            continue;
        snprintf(typed, sizeof typed, "%.*s", (int)length, name);
        teg_nearest_init(&nearest, typed);
        for (uint32_t i = 0; i < count; i++)
            teg_nearest_offer(&nearest, known[i].name);
        say("--what-if", "unknown name '%.*s'%s", (int)length, name,
            did_you_mean(&nearest, "", hint));
        return EXIT_USAGE;
    }
    return EXIT_DONE;
}

static int check_axes(const struct sweep_plan *plan)
{
    int status = EXIT_DONE;

    for (uint32_t i = 0; status == EXIT_DONE && i < plan->axes; i++) {
        const struct sweep_axis *axis = &plan->axis[i];

        if (axis->kind == SWEEP_KEY)
            status = check_key(plan, axis);
        if (axis->kind == SWEEP_SHAPE)
            status = check_shape(axis);
        for (uint32_t v = 0; axis->kind == SWEEP_WHAT_IF &&
                             status == EXIT_DONE && v < axis->count;
             v++)
            status = check_what_if(plan, axis->value[v]);
    }
    return status;
}

/* ---- the digest ----------------------------------------------------------- */

static void hash_gpu(uint64_t *hash, const struct teg_gpu *gpu)
{
    hash_text(hash, gpu->name);
    for (uint32_t i = 0; i < gpu->fact_count; i++) {
        hash_text(hash, gpu->fact[i].key);
        hash_text(hash, gpu->fact[i].value);
    }
}

static int find_digest(struct sweep_plan *plan)
{
    const struct sweep_request *r = plan->request;
    uint64_t hash = 0xcbf29ce484222325u;
    int status = EXIT_DONE;

    hash_text(&hash, TEG_VERSION);
    hash_number(&hash, TEG_JSON_SCHEMA);
    hash_number(&hash, r->registers);
    hash_number(&hash, r->sms);
    hash_number(&hash, r->sampling);
    hash_text(&hash, r->similar != NULL ? r->similar : "");
    hash_text(&hash, r->isa != NULL ? r->isa : "");
    for (uint32_t a = 0; a < plan->axes; a++) {
        hash_text(&hash, plan->axis[a].key);
        for (uint32_t v = 0; v < plan->axis[a].count; v++)
            hash_text(&hash, plan->axis[a].value[v]);
    }
    for (uint32_t i = 0; i < plan->axis[0].count; i++)
        hash_number(&hash, plan->launch[i].kernel);
    for (uint32_t g = 0; g < plan->gpus; g++)
        hash_gpu(&hash, plan->gpu[g]);
    hash_number(&hash, plan->listed);
    for (int i = 0; status == EXIT_DONE && i < r->traces; i++)
        status = hash_file(&hash, r->trace[i]);
    snprintf(plan->digest, sizeof plan->digest, "%016" PRIx64, hash);
    return status == EXIT_DONE ? pool_share(plan->digest, sizeof plan->digest)
                               : status;
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
        if (plan->points > POINTS_MAX)
            return say_usage("sweep", "expected at most %" PRIu64 " points",
                             POINTS_MAX);
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
    status = new_axis(plan, SWEEP_WHAT_IF, "what-if", &axis);
    if (status == EXIT_DONE)
        status = add_value(axis, "");
    for (uint32_t i = 0; status == EXIT_DONE && i < list->count; i++)
        status = add_value(axis, list->item[i]);
    return status;
}

static int add_active_warps(struct sweep_plan *plan)
{
    struct sweep_axis *axis = NULL;
    int status;

    if (plan->request->active_warps == NULL)
        return EXIT_DONE;
    status = new_axis(plan, SWEEP_SHAPE, "launch.warps", &axis);
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
    int status = new_axis(plan, SWEEP_LAUNCH, "trace", &axis);

    for (uint32_t i = 0; status == EXIT_DONE && i < r->param.count; i++)
        status =
            add_keyed(plan, SWEEP_PARAM, "--param", "param.", r->param.item[i]);
    if (status == EXIT_DONE)
        status = add_traces(plan);
    if (status == EXIT_DONE)
        status = add_gpus(plan);
    if (status == EXIT_DONE)
        status = set_all(plan);
    for (uint32_t i = 0; status == EXIT_DONE && i < r->vary.count; i++)
        status = add_keyed(plan, SWEEP_KEY, "--vary", "", r->vary.item[i]);
    if (status == EXIT_DONE)
        status = add_what_ifs(plan);
    if (status == EXIT_DONE)
        status = add_active_warps(plan);
    if (status == EXIT_DONE)
        status = check_axes(plan);
    if (status == EXIT_DONE)
        status = count_points(plan);
    if (status == EXIT_DONE)
        status = find_digest(plan);
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
