/*
 * Markdown, for an issue or a pull request: the view's table, flat (flat.h),
 * as GitHub reads it.  A table too wide for a page and wider than long is laid
 * on its side: a line for each column, a column for each row.
 *
 *     | name | cycles | speedup |
 *     | --- | ---: | ---: |
 *     | all | 12345 | 10 |
 */
#include "tools/teg/formats/writer.h"

#include "tools/teg/cli/teg.h"
#include "tools/teg/formats/flat.h"

#include <stdlib.h>
#include <string.h>

enum {
    WIDE = 12 /* columns that fit a page */
};

static bool takes(const struct view *v)
{
    return v->rows != NULL || v->table != NULL;
}

static int begin(struct writer *w)
{
    w->parts = json_array();
    w->columns = json_object();
    return w->parts != NULL && w->columns != NULL ? EXIT_DONE : say_memory();
}

static int part(struct writer *w, const void *one)
{
    json_t *rows = view_rows(w->view, one), *row;
    size_t i;

    if (rows == NULL)
        return say_memory();
    json_array_foreach(rows, i, row)
    {
        json_t *flat = flat_row(row, NULL);

        json_object_update_missing(w->columns, flat);
        json_array_append_new(w->parts, flat);
    }
    json_decref(rows);
    return EXIT_DONE;
}

/* What Markdown would take for markup keeps its meaning. */
static void print_text(FILE *f, const char *text)
{
    for (; *text != '\0'; text++) {
        if (strchr("\\|*`<[", *text) != NULL)
            fputc('\\', f);
        fputc(*text == '\n' || *text == '\r' ? ' ' : *text, f);
    }
}

/* Null is an empty cell, not a 0. */
static void print_cell(FILE *f, const json_t *value)
{
    fputc(' ', f);
    if (json_is_string(value))
        print_text(f, json_string_value(value));
    else if (json_is_integer(value))
        fprintf(f, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
    else if (json_is_real(value))
        fprintf(f, "%.6g", json_real_value(value));
    else if (json_is_boolean(value))
        fputs(json_is_true(value) ? "yes" : "no", f);
    fputs(" |", f);
}

static bool is_number(const json_t *value)
{
    const char *text = json_string_value(value);
    char *end;

    if (text == NULL)
        return !json_is_boolean(value);
    strtod(text, &end);
    return end != text && *end == '\0';
}

/* Numbers stand to the right. */
static bool all_numbers(json_t *rows, const char *column)
{
    json_t *row;
    size_t i;

    json_array_foreach(rows, i, row)
    {
        if (!is_number(json_object_get(row, column)))
            return false;
    }
    return json_array_size(rows) > 0;
}

static void print_upright(FILE *f, json_t *columns, json_t *rows)
{
    const char *name;
    json_t *ignored, *row;
    size_t i;

    fputc('|', f);
    json_object_foreach(columns, name, ignored)
    {
        fputc(' ', f);
        print_text(f, name);
        fputs(" |", f);
    }
    fputs("\n|", f);
    json_object_foreach(columns, name, ignored)
        fputs(all_numbers(rows, name) ? " ---: |" : " --- |", f);
    fputc('\n', f);
    json_array_foreach(rows, i, row)
    {
        fputc('|', f);
        json_object_foreach(columns, name, ignored)
            print_cell(f, json_object_get(row, name));
        fputc('\n', f);
    }
}

static void print_on_side(FILE *f, json_t *columns, json_t *rows)
{
    const char *name;
    json_t *ignored, *row;
    size_t i;

    fputs("| |", f);
    for (i = 1; i <= json_array_size(rows); i++)
        fprintf(f, " %zu |", i);
    fputs("\n| --- |", f);
    for (i = 0; i < json_array_size(rows); i++)
        fputs(" ---: |", f);
    fputc('\n', f);
    json_object_foreach(columns, name, ignored)
    {
        fputs("| ", f);
        print_text(f, name);
        fputs(" |", f);
        json_array_foreach(rows, i, row)
            print_cell(f, json_object_get(row, name));
        fputc('\n', f);
    }
}

/* Without a row the head says what could have been there. */
static void name_columns(json_t *columns, const char *names)
{
    while (names != NULL && *names != '\0') {
        size_t length = strcspn(names, ",");
        char name[64];

        snprintf(name, sizeof name, "%.*s", (int)length, names);
        json_object_set_new(columns, name, json_null());
        names += length + (names[length] == ',');
    }
}

static int end(struct writer *w)
{
    size_t rows = json_array_size(w->parts), columns;

    if (rows == 0)
        name_columns(w->columns, w->view->columns);
    columns = json_object_size(w->columns);
    if (columns > WIDE && columns > rows)
        print_on_side(w->out.file, w->columns, w->parts);
    else if (columns > 0)
        print_upright(w->out.file, w->columns, w->parts);
    return EXIT_DONE;
}

const struct format markdown_format = {"markdown", takes, begin, part, end};
