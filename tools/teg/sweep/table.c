#include "tools/teg/sweep/table.h"

#include <stdlib.h>
#include <string.h>

enum {
    TEXT_COLUMNS_MAX = 128,
    TEXT_CELL = 40,
};

struct columns {
    const char *key[TEXT_COLUMNS_MAX]; /* borrowed from `all` or static */
    const char *head[TEXT_COLUMNS_MAX];
    int width[TEXT_COLUMNS_MAX];
    uint32_t count;
    json_t *all; /* owned: names of all rows */
};

struct page {
    const struct sweep_table *table;
    struct columns *columns; /* of the page for people */
};

/* One that is written. */
struct row {
    const struct page *page;
    const char *text; /* compact JSON */
};

/* ---- values and cells ------------------------------------------------------ */

static const char *line(const void *part)
{
    const struct row *row = part;

    return row->text;
}

/* CSV leaves prose out; what a table says of a row it keeps. */
static json_t *cells_of(const struct sweep_table *t, const char *text)
{
    json_t *row = text != NULL ? json_loads(text, 0, NULL) : NULL;
    json_t *cells;

    if (row != NULL && t->choice->terms != NULL)
        result_keep_terms(row, t->choice->terms);
    cells = row != NULL ? result_cells(row) : NULL;

    if (cells != NULL)
        json_object_set(
            cells, "bound",
            json_object_get(json_object_get(row, "verdict"), "bound"));
    json_decref(row);
    return cells;
}

static json_t *cells_at(const struct sweep_table *t, uint64_t i)
{
    char *text = sweep_journal_text(t->journal, t->entry[i].point);
    json_t *cells = cells_of(t, text);

    free(text);
    return cells;
}

static json_t *rows(const void *part)
{
    const struct row *row = part;

    return json_pack("[o]", cells_of(row->page->table, row->text));
}

/* ---- text ----------------------------------------------------------------- */

static void cell_text(const json_t *cells, const char *key, char out[TEXT_CELL])
{
    const json_t *value = json_object_get(cells, key);

    if (json_is_string(value)) {
        const char *text = json_string_value(value);
        size_t length = strlen(text);

        /* Of a long path the end says more. */
        snprintf(out, TEXT_CELL, "%s%s", length >= TEXT_CELL ? "..." : "",
                 length >= TEXT_CELL ? text + length - TEXT_CELL + 4 : text);
    } else if (json_is_integer(value)) {
        snprintf(out, TEXT_CELL, "%" JSON_INTEGER_FORMAT,
                 json_integer_value(value));
    } else if (json_is_real(value)) {
        snprintf(out, TEXT_CELL, "%.4g", json_real_value(value));
    } else {
        snprintf(out, TEXT_CELL, value == NULL ? "" : "n/a");
    }
    if (out[0] == '\0')
        snprintf(out, TEXT_CELL, "-");
}

static void add_column(struct columns *c, const char *key)
{
    static const char vary[] = "vary.";
    bool varied = strncmp(key, vary, strlen(vary)) == 0;

    for (uint32_t i = 0; i < c->count; i++) {
        if (strcmp(c->key[i], key) == 0)
            return;
    }
    if (c->count == TEXT_COLUMNS_MAX)
        return;
    c->head[c->count] = varied ? key + strlen(vary) : key;
    c->width[c->count] = (int)strlen(c->head[c->count]);
    c->key[c->count++] = key;
}

/* Whether a column says something that differs between rows. */
static bool differs(const struct sweep_table *t, const char *key)
{
    json_t *first = t->count > 0 ? cells_at(t, 0) : NULL;
    bool same = true;

    for (uint64_t i = 1; same && i < t->count; i++) {
        json_t *cells = cells_at(t, i);

        same = json_equal(json_object_get(first, key),
                          json_object_get(cells, key)) != 0;
        json_decref(cells);
    }
    json_decref(first);
    return !same;
}

static void choose_columns(struct columns *c, const struct sweep_table *t)
{
    static const char *const before[] = {"trace", "kernel.number", "gpu.name"};
    static const char *const after[] = {"cycles", "time_us", "ipc", "bound"};
    static const char *const bounds[] = {"sampled.error_bound_percent",
                                         "represented.error_bound_percent"};
    const char *key;
    json_t *ignored;

    add_column(c, "point");
    for (size_t i = 0; i < sizeof before / sizeof before[0]; i++) {
        if (differs(t, before[i]))
            add_column(c, before[i]);
    }
    json_object_foreach(c->all, key, ignored)
    {
        if (strncmp(key, "vary.", strlen("vary.")) == 0)
            add_column(c, key);
    }
    for (size_t i = 0; i < sizeof after / sizeof after[0]; i++)
        add_column(c, after[i]);
    for (size_t i = 0; i < sizeof bounds / sizeof bounds[0]; i++) {
        if (json_object_get(c->all, bounds[i]) != NULL)
            add_column(c, bounds[i]);
    }
    for (uint32_t i = 0; i < t->goals; i++)
        add_column(c, t->goal[i].key);
}

static void measure(struct columns *c, const json_t *cells)
{
    for (uint32_t i = 0; i < c->count; i++) {
        char cell[TEXT_CELL];

        cell_text(cells, c->key[i], cell);
        if ((int)strlen(cell) > c->width[i])
            c->width[i] = (int)strlen(cell);
    }
}

static void print_row(FILE *f, const struct columns *c, const json_t *cells)
{
    const char *reason = json_string_value(json_object_get(cells, "reason"));

    for (uint32_t i = 0; i < c->count; i++) {
        char cell[TEXT_CELL];

        if (reason != NULL && strcmp(c->key[i], "cycles") == 0) {
            fprintf(f, "  failed: %s", reason);
            break;
        }
        cell_text(cells, c->key[i], cell);
        fprintf(f, "%s%*s", i == 0 ? "" : "  ", c->width[i],
                cells == NULL ? c->head[i] : cell);
    }
    fputc('\n', f);
}

/* Of all rows, in the order in which they come up. */
static json_t *all_columns(const void *self)
{
    const struct page *p = self;
    const struct sweep_table *t = p->table;
    json_t *all = json_object();

    for (uint64_t i = 0; i < t->count; i++) {
        json_t *cells = cells_at(t, i);

        json_object_update_missing(all, cells);
        json_decref(cells);
    }
    return all;
}

/* Widths are known when all rows are. */
static int head(FILE *f, const void *self)
{
    const struct page *p = self;

    p->columns->all = all_columns(p);
    if (p->columns->all == NULL)
        return say_memory();
    choose_columns(p->columns, p->table);
    for (uint64_t i = 0; i < p->table->count; i++) {
        json_t *cells = cells_at(p->table, i);

        measure(p->columns, cells);
        json_decref(cells);
    }
    print_row(f, p->columns, NULL);
    return EXIT_DONE;
}

static int text(FILE *f, const void *part)
{
    const struct row *row = part;
    json_t *cells = cells_of(row->page->table, row->text);

    print_row(f, row->page->columns, cells);
    json_decref(cells);
    return EXIT_DONE;
}

/* ---- all of it ------------------------------------------------------------ */

static int add_row(struct writer *w, const struct page *page, uint64_t i)
{
    const struct sweep_table *t = page->table;
    char *json = sweep_journal_text(t->journal, t->entry[i].point);
    int status;

    if (json == NULL) {
        say("", "a finished row could not be read again");
        return EXIT_FAULT;
    }
    status = writer_add(w, &(struct row){.page = page, .text = json});
    free(json);
    return status;
}

static int write_table(const struct sweep_table *t)
{
    static const struct view view = {
        .head = head,
        .text = text,
        .line = line,
        .rows = rows,
        .all_columns = all_columns,
    };
    struct columns columns = {0};
    const struct page page = {t, &columns};
    struct writer w;
    int status =
        writer_open(&w, &view, &page, t->choice->format, t->choice->out);

    if (status != EXIT_DONE)
        return status;
    for (uint64_t i = 0; status == EXIT_DONE && i < t->count; i++)
        status = add_row(&w, &page, i);
    status = writer_end(&w, status);
    json_decref(columns.all);
    return status;
}

int sweep_table_write(const struct sweep_choice *choice,
                      const struct sweep_journal *j)
{
    struct sweep_table t;
    int status = sweep_table_init(&t, choice, j);

    if (status == EXIT_DONE)
        status = write_table(&t);
    sweep_table_release(&t);
    return status;
}
