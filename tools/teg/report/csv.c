/*
 * CSV (RFC 4180): a header and one row per kernel.  The columns are the JSON
 * object's scalars under the same names, joined by dots; lists are indexed by
 * their items' names ("units.sp.active_percent") or places ("kernel.grid.0").
 * Prose and the models' terms (but for Ryoo's two) are left to JSON.  With --by-pc the rows are the
 * instructions (instructions.h).
 */
#include "tools/teg/report/report.h"

#include "tools/teg/report/instructions.h"

#include <string.h>

/* What is not a column. */
static const char *const left_out[] = {"notes", "verdict", "what_if", "terms",
                                       "why",   "advice",  "ranking"};

struct row {
    FILE *file;
    bool header; /* names instead of values */
    bool first;
    bool prose;   /* with what else is left out */
    json_t *flat; /* borrowed: gathers the cells instead, if not NULL */
};

void csv_value(FILE *f, const json_t *value)
{
    switch (json_typeof(value)) {
    case JSON_STRING:
        print_csv_text(f, json_string_value(value));
        break;
    case JSON_INTEGER:
        fprintf(f, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
        break;
    case JSON_REAL:
        fprintf(f, "%.10g", json_real_value(value));
        break;
    case JSON_TRUE:
        fputc('1', f);
        break;
    case JSON_FALSE:
        fputc('0', f);
        break;
    default: /* null: an empty cell, not a 0 */
        break;
    }
}

static bool is_left_out(const char *key)
{
    for (size_t i = 0; i < sizeof left_out / sizeof left_out[0]; i++) {
        if (strcmp(left_out[i], key) == 0)
            return true;
    }
    return false;
}

/* The key that names an item of a list, NULL if none does. */
static const char *naming_key(const json_t *item)
{
    static const char *const keys[] = {"name", "reason"};

    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        if (json_is_string(json_object_get(item, keys[i])))
            return keys[i];
    }
    return NULL;
}

static void print_cell(struct row *row, const char *path, json_t *value)
{
    if (row->flat != NULL) {
        json_object_set(row->flat, path, value);
        return;
    }
    if (!row->first)
        fputc(',', row->file);
    row->first = false;
    if (row->header)
        print_csv_text(row->file, path);
    else
        csv_value(row->file, value);
}

static void flatten(struct row *row, const char *path, json_t *value,
                    const char *but);

static void descend(struct row *row, const char *path, const char *key,
                    json_t *value, const char *but)
{
    char longer[256];

    snprintf(longer, sizeof longer, "%s%s%s", path, path[0] != '\0' ? "." : "",
             key);
    flatten(row, longer, value, but);
}

/* The name of an item is its column's, so it is no cell. */
static void flatten_list(struct row *row, const char *path, json_t *list)
{
    for (size_t i = 0; i < json_array_size(list); i++) {
        json_t *item = json_array_get(list, i);
        const char *key = naming_key(item);
        char place[24];

        snprintf(place, sizeof place, "%zu", i);
        descend(row, path,
                key != NULL ? json_string_value(json_object_get(item, key))
                            : place,
                item, key);
    }
}

/* A model that predicts no time is in its terms; columns are the same where it
 * does not apply. */
static void print_metrics(struct row *row, const char *path, json_t *model,
                          json_t *terms)
{
    static const char *const metrics[] = {"Efficiency", "Utilization"};
    const char *name = json_string_value(json_object_get(model, "name"));
    json_t *none = json_null();

    if (name == NULL || strcmp(name, "ryoo") != 0)
        return;
    for (size_t i = 0; i < sizeof metrics / sizeof *metrics; i++) {
        json_t *value = json_object_get(terms, metrics[i]);
        char longer[256];

        snprintf(longer, sizeof longer, "%s.terms.%s", path, metrics[i]);
        print_cell(row, longer, value != NULL ? value : none);
    }
}

static void flatten(struct row *row, const char *path, json_t *value,
                    const char *but)
{
    const char *key;
    json_t *member;

    if (json_is_array(value)) {
        flatten_list(row, path, value);
        return;
    }
    if (!json_is_object(value)) {
        print_cell(row, path, value);
        return;
    }
    json_object_foreach(value, key, member)
    {
        if (strcmp(key, "terms") == 0 && !row->prose)
            print_metrics(row, path, value, member);
        if ((row->prose || !is_left_out(key)) &&
            (but == NULL || strcmp(key, but) != 0))
            descend(row, path, key, member, NULL);
    }
}

static void print_row(FILE *file, json_t *object, bool header, bool prose)
{
    struct row row = {file, header, true, prose, NULL};

    flatten(&row, "", object, NULL);
    fputs("\r\n", file);
}

json_t *csv_flat(json_t *object)
{
    struct row row = {.flat = json_object()};

    if (row.flat != NULL)
        flatten(&row, "", object, NULL);
    return row.flat;
}

void csv_cells(FILE *f, json_t *columns, json_t *flat)
{
    const char *key, *comma = "";
    json_t *ignored;

    json_object_foreach(columns, key, ignored)
    {
        const json_t *value = json_object_get(flat, key);

        fputs(comma, f);
        if (flat == NULL)
            print_csv_text(f, key);
        else if (value != NULL)
            csv_value(f, value);
        comma = ",";
    }
    fputs("\r\n", f);
}

int output_csv(const char *path, const char *columns, json_t *rows)
{
    struct output out;
    int status = rows != NULL ? output_open(&out, path) : say_memory();

    if (status == EXIT_DONE) {
        if (json_array_size(rows) == 0)
            fprintf(out.file, "%s\r\n", columns);
        else
            print_row(out.file, json_array_get(rows, 0), true, true);
        for (size_t i = 0; i < json_array_size(rows); i++)
            print_row(out.file, json_array_get(rows, i), false, true);
        status = output_close(&out);
    }
    json_decref(rows);
    return status;
}

/* With instructions asked for, they are the rows. */
static int add_kernel(struct report *report, const struct result *result)
{
    json_t *object, *flat;

    if (result->by_pc != NULL) {
        print_instructions_csv(report->out.file, result->by_pc, result->number,
                               report->total.kernels == 1);
        return EXIT_DONE;
    }
    object = result_json(result);
    if (report->kernels == NULL)
        report->kernels = json_array();
    flat = object != NULL ? csv_flat(object) : NULL;
    json_decref(object);
    return json_array_append_new(report->kernels, flat) == 0 ? EXIT_DONE
                                                             : say_memory();
}

/* Kernels that were sampled or represented have columns that others have
 * not: the header is known when all are. */
static int finish(struct report *report)
{
    json_t *columns, *row;
    size_t i;

    if (report->kernels == NULL)
        return EXIT_DONE;
    columns = json_object();
    json_array_foreach(report->kernels, i, row)
        json_object_update_missing(columns, row);
    csv_cells(report->out.file, columns, NULL);
    json_array_foreach(report->kernels, i, row)
        csv_cells(report->out.file, columns, row);
    json_decref(columns);
    return EXIT_DONE;
}

const struct report_writer csv_writer = {add_kernel, finish};
