#include "tools/teg/sweep/axis.h"

#include "config/param.h"
#include "sim/whatif/launch_change.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    VALUES_MAX = 1000000,
};

/* ---- values --------------------------------------------------------------- */

int sweep_axis_add(struct sweep_axis *axis, const char *value)
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
        status = sweep_axis_add(axis, value);
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
                                           : sweep_axis_add(axis, value);
        text += length;
        if (*text++ == '\0')
            break;
    }
    return status;
}

/* ---- axes ----------------------------------------------------------------- */

int sweep_axis_new(struct sweep_plan *plan, enum sweep_kind kind,
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

int sweep_split(const char *option, const char *text, const char *prefix,
                char key[SWEEP_KEY_SIZE], const char **values)
{
    size_t length = strcspn(text, "=");

    if (text[length] == '\0' || length == 0 ||
        strlen(prefix) + length >= SWEEP_KEY_SIZE)
        return say_usage("sweep", "%s: expected KEY=VALUES, found '%s'", option,
                         text);
    snprintf(key, SWEEP_KEY_SIZE, "%s%.*s", prefix, (int)length, text);
    *values = text + length + 1;
    return EXIT_DONE;
}

int sweep_axis_new_keyed(struct sweep_plan *plan, enum sweep_kind kind,
                         const char *option, const char *prefix,
                         const char *text)
{
    struct sweep_axis *axis = NULL;
    const char *values = NULL;
    char key[SWEEP_KEY_SIZE];
    int status = sweep_split(option, text, prefix, key, &values);

    if (status == EXIT_DONE && kind == SWEEP_KEY &&
        strncmp(key, "launch.", strlen("launch.")) == 0)
        kind = SWEEP_SHAPE;
    if (status == EXIT_DONE)
        status = sweep_axis_new(plan, kind, key, &axis);
    if (status == EXIT_DONE)
        status = sweep_values(axis, key, values);
    return status;
}

/* ---- what cannot be -------------------------------------------------------- */

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
    for (uint32_t i = 0; i < LAUNCH_KEYS; i++) {
        if (strcmp(launch_change_key(i), axis->key) == 0)
            return EXIT_DONE;
        teg_nearest_offer(&nearest, launch_change_key(i));
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

int sweep_axes_check(const struct sweep_plan *plan)
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
