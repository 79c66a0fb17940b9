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

static int replay_one(const struct job *job, uint32_t place,
                      struct carried *carried, json_t **out)
{
    static const struct opt_list none;
    const uint32_t kernel = job->kernel[place];
    const struct replay_options options = {.label = "replay",
                                           .what_ifs = &none,
                                           .sampling = SAMPLING_BY_SIZE,
                                           .threads = pool_cores(),
                                           .place = place,
                                           .carried = carried};
    struct result result = {.number = kernel + 1, .what_ifs = &none};
    struct replay replay;
    int status = replay_init(&replay, job, kernel, &options);

    if (status == EXIT_INTERRUPTED)
        replay_release(&replay);
    if (status != EXIT_DONE)
        return status;
    status = result_init(&result, &replay);
    if (status == EXIT_DONE)
        *out = result_json(&result);
    result_release(&result);
    replay_release(&replay);
    return status;
}

int stored_replay(const struct job *job, json_t **results)
{
    struct carried carried = {0};
    int status = EXIT_DONE;

    *results = json_array();
    for (uint32_t i = 0; status == EXIT_DONE && i < job->kernel_count; i++) {
        json_t *one = NULL;

        status = replay_one(job, i, &carried, &one);
        if (status == EXIT_DONE)
            json_array_append_new(*results, one);
    }
    carried_release(&carried);
    if (status == EXIT_DONE)
        status = check_json();
    if (status != EXIT_DONE) {
        json_decref(*results);
        *results = NULL;
    }
    return status;
}
