/*
 * The cells of a kernel in a table: the JSON object's scalars under the same
 * names (formats/flat.h).  Prose and the models' terms (but for Ryoo's two)
 * are left to JSON.
 */
#include "tools/teg/report/report.h"

#include "tools/teg/formats/flat.h"

#include <string.h>

static const char *const left_out[] = {
    "notes", "verdict", "findings", "what_if", "why", "advice", "ranking"};

static bool is_left_out(const char *key)
{
    for (size_t i = 0; i < sizeof left_out / sizeof left_out[0]; i++) {
        if (strcmp(left_out[i], key) == 0)
            return true;
    }
    return false;
}

/* A model that predicts no time is in its terms; columns are the same where it
 * does not apply. */
static json_t *metrics(json_t *model, json_t *terms)
{
    static const char *const names[] = {"Efficiency", "Utilization"};
    const char *name = json_string_value(json_object_get(model, "name"));
    json_t *o;

    if (name == NULL || strcmp(name, "ryoo") != 0)
        return NULL;
    o = json_object();
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        json_t *value = json_object_get(terms, names[i]);

        json_object_set_new(o, names[i],
                            value != NULL ? json_incref(value) : json_null());
    }
    return o;
}

static json_t *take(json_t *object, const char *key, json_t *value)
{
    if (strcmp(key, "terms") == 0)
        return metrics(object, value);
    return is_left_out(key) ? NULL : json_incref(value);
}

json_t *result_cells(json_t *object)
{
    return flat_row(object, take);
}
