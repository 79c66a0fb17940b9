/*
 * The cells of a kernel in a table: the JSON object's scalars under the same
 * names (formats/flat.h).  Prose and the models' terms (but for Ryoo's two, and
 * those of models that were asked for) are left to JSON.
 */
#include "tools/teg/report/report.h"

#include "tools/teg/formats/flat.h"

#include <stdbool.h>
#include <string.h>

static const char kept[] = "terms_are_columns"; /* of a model, for take() */

static const char *const left_out[] = {
    kept, "notes", "verdict", "findings", "what_if", "why", "advice", "ranking"};

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
        return json_object_get(object, kept) != NULL ? json_incref(value)
                                                     : metrics(object, value);
    return is_left_out(key) ? NULL : json_incref(value);
}

json_t *result_cells(json_t *object)
{
    return flat_row(object, take);
}

/* Whether `name` is one of `list`, parted by commas. */
static bool is_listed(const char *list, const char *name)
{
    size_t length = strlen(name);

    for (const char *at = list; *at != '\0'; at += *at == ',') {
        size_t n = strcspn(at, ",");

        if (n == length && strncmp(at, name, n) == 0)
            return true;
        at += n;
    }
    return false;
}

void result_keep_terms(json_t *object, const char *models)
{
    json_t *model;
    size_t i;

    json_array_foreach(json_object_get(object, "models"), i, model)
    {
        const char *name = json_string_value(json_object_get(model, "name"));

        if (name != NULL && is_listed(models, name))
            json_object_set_new(model, kept, json_true());
    }
}
