/*
 * CSV (RFC 4180): a header and the rows of the view's table, flat (flat.h).
 * Rows are gathered until all columns are known, unless the view says that
 * they go out as they come.
 */
#include "tools/teg/formats/writer.h"

#include "tools/teg/cli/teg.h"
#include "tools/teg/formats/flat.h"

static bool takes(const struct view *v)
{
    return v->rows != NULL || v->table != NULL;
}

static void print_cell(FILE *f, const json_t *value)
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

static void end_row(const struct writer *w)
{
    fputs(w->view->row_end != NULL ? w->view->row_end : "\r\n", w->out.file);
}

static void print_head(const struct writer *w, json_t *columns)
{
    const char *name, *comma = "";
    json_t *ignored;

    json_object_foreach(columns, name, ignored)
    {
        fputs(comma, w->out.file);
        print_csv_text(w->out.file, name);
        comma = ",";
    }
    end_row(w);
}

/* The cells of `flat` under `columns`; one that it has not is empty. */
static void print_row(const struct writer *w, json_t *columns, json_t *flat)
{
    const char *name, *comma = "";
    json_t *ignored;

    json_object_foreach(columns, name, ignored)
    {
        const json_t *value = json_object_get(flat, name);

        fputs(comma, w->out.file);
        if (value != NULL)
            print_cell(w->out.file, value);
        comma = ",";
    }
    end_row(w);
}

static void print_columns(const struct writer *w)
{
    if (w->view->columns == NULL)
        return;
    fputs(w->view->columns, w->out.file);
    end_row(w);
}

static int begin(struct writer *w)
{
    const struct view *v = w->view;

    if (v->all_columns != NULL) {
        w->columns = v->all_columns(w->self);
        if (w->columns == NULL)
            return say_memory();
        print_head(w, w->columns);
    } else if (v->streamed) {
        print_columns(w);
    } else {
        w->parts = json_array();
        if (w->parts == NULL)
            return say_memory();
    }
    return EXIT_DONE;
}

/* Takes the reference. */
static int take_row(struct writer *w, json_t *flat)
{
    const struct view *v = w->view;

    if (flat == NULL)
        return say_memory();
    if (w->parts != NULL)
        return json_array_append_new(w->parts, flat) == 0 ? EXIT_DONE
                                                          : say_memory();
    if (v->all_columns == NULL && w->columns == NULL) {
        w->columns = json_incref(flat);
        if (v->columns == NULL)
            print_head(w, flat);
    }
    print_row(w, w->columns, flat);
    json_decref(flat);
    return EXIT_DONE;
}

static int part(struct writer *w, const void *one)
{
    json_t *rows = view_rows(w->view, one);
    int status = rows != NULL ? EXIT_DONE : say_memory();

    for (size_t i = 0; status == EXIT_DONE && i < json_array_size(rows); i++)
        status = take_row(w, flat_row(json_array_get(rows, i), NULL));
    json_decref(rows);
    return status;
}

/* In the order in which they come up. */
static json_t *columns_of(json_t *rows)
{
    json_t *columns = json_object(), *row;
    size_t i;

    json_array_foreach(rows, i, row) json_object_update_missing(columns, row);
    return columns;
}

static int end(struct writer *w)
{
    json_t *row;
    size_t i;

    if (w->parts == NULL)
        return EXIT_DONE;
    if (json_array_size(w->parts) == 0) {
        print_columns(w);
        return EXIT_DONE;
    }
    w->columns = columns_of(w->parts);
    if (w->columns == NULL)
        return say_memory();
    print_head(w, w->columns);
    json_array_foreach(w->parts, i, row) print_row(w, w->columns, row);
    return EXIT_DONE;
}

const struct format csv_format = {"csv", takes, begin, part, end};
