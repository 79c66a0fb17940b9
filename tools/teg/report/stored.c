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

int stored_load(const char *path, json_t **result)
{
    json_error_t error;

    *result = json_load_file(path, 0, &error);
    if (*result == NULL) {
        say(path, "line %d: %s", error.line, error.text);
        return EXIT_FAULT;
    }
    if (json_object_get(*result, "cycles") == NULL &&
        !json_is_array(json_object_get(*result, "kernels"))) {
        say(path, "expected a result of `teg run -f json`, found other JSON");
        json_decref(*result);
        *result = NULL;
        return EXIT_FAULT;
    }
    return EXIT_DONE;
}

/* Appends the result to the array. */
static int add_result(void *self, const struct replay *r, uint32_t kernel)
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
