#include "tools/teg/report/stored.h"

#include "tools/teg/pool/pool.h"
#include "tools/teg/report/report.h"

#include <ctype.h>

/* A kernels.json is JSON too. */
static bool lists_traces(const char *path)
{
    json_t *root = json_load_file(path, 0, NULL);
    const json_t *first = json_array_get(json_object_get(root, "kernels"), 0);
    bool lists = json_is_string(json_object_get(first, "trace")) &&
                 json_object_get(first, "cycles") == NULL;

    json_decref(root);
    return lists;
}

bool stored_is_result(const char *path)
{
    FILE *f = fopen(path, "rb");
    int c = EOF;

    if (f == NULL)
        return false;
    do
        c = getc(f);
    while (c != EOF && isspace(c));
    fclose(f);
    return c == '{' && !lists_traces(path);
}

/* Whether it is what a replay of one kernel gave, as far as those who read it
 * take for granted. */
static bool is_one(const json_t *o)
{
    const json_t *kernel = json_object_get(o, "kernel");
    const json_t *launches = json_object_get(kernel, "launches");
    const json_t *name = json_object_get(json_object_get(o, "gpu"), "name");

    return json_is_number(json_object_get(o, "cycles")) &&
           json_is_string(json_object_get(kernel, "name")) &&
           json_is_string(name) &&
           (launches == NULL || (json_integer_value(launches) > 0 &&
                                 json_integer_value(launches) <= UINT32_MAX));
}

/* Of one kernel, or of one at least. */
static bool is_result(const json_t *root)
{
    const json_t *kernels = json_object_get(root, "kernels");

    for (size_t i = 0; i < json_array_size(kernels); i++) {
        if (!is_one(json_array_get(kernels, i)))
            return false;
    }
    return json_array_size(kernels) != 0 || is_one(root);
}

int stored_load(const char *path, json_t **result)
{
    json_error_t error;

    *result = json_load_file(path, 0, &error);
    if (*result == NULL) {
        say(path, "line %d: %s", error.line, error.text);
        return EXIT_FAULT;
    }
    if (!is_result(*result)) {
        say(path, "expected a result of `teg run -f json`, found other JSON");
        json_decref(*result);
        *result = NULL;
        return EXIT_FAULT;
    }
    return EXIT_DONE;
}

/* Appends the result to the array. */
static int add_result(void *self, struct replay *r, uint32_t kernel)
{
    static const struct opt_list none;
    json_t *results = self;
    struct result result = {.number = kernel + 1, .what_ifs = &none};
    int status = result_init(&result, r);

    if (status == EXIT_DONE)
        json_array_append_new(results, result_json(&result));
    result_release(&result);
    return status;
}

int stored_replay(const struct job *job, json_t **results)
{
    static const struct opt_list none;
    const struct replay_options options = {.what_ifs = &none,
                                           .sampling = SAMPLING_BY_SIZE,
                                           .threads = pool_cores()};
    int status;

    *results = json_array();
    status = replay_each(job, &options, add_result, *results);
    if (status == EXIT_DONE)
        status = check_json();
    if (status != EXIT_DONE) {
        json_decref(*results);
        *results = NULL;
    }
    return status;
}
