#include "tools/teg/sweep/sweep.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A column to order by: "cycles" or "ipc:max". */
struct goal {
    char key[128];
    double sign; /* 1: less is better */
};

struct entry {
    uint64_t point;
    bool ok;
    double value[2];
};

struct table {
    const struct sweep_view *view;
    const struct sweep_journal *journal;
    struct goal goal[2];
    uint32_t goals;
    struct entry *entry; /* owned, [count] */
    uint64_t count;
};

/* ---- goals ---------------------------------------------------------------- */

static int parse_goal(const char *option, const char *text, size_t length,
                      struct goal *goal)
{
    static const char max[] = ":max", min[] = ":min";

    goal->sign = 1;
    if (length > 4 && (strncmp(text + length - 4, max, 4) == 0 ||
                       strncmp(text + length - 4, min, 4) == 0)) {
        goal->sign = text[length - 2] == 'a' ? -1 : 1;
        length -= 4;
    }
    if (length == 0 || length >= sizeof goal->key)
        return say_usage("sweep", "%s: expected a column, found '%s'", option,
                         text);
    snprintf(goal->key, sizeof goal->key, "%.*s", (int)length, text);
    return EXIT_DONE;
}

static int parse_goals(const struct sweep_view *view, struct goal goal[2],
                       uint32_t *goals)
{
    const char *comma;
    int status = EXIT_DONE;

    *goals = 0;
    if (view->pareto != NULL) {
        comma = strchr(view->pareto, ',');
        if (comma == NULL || strchr(comma + 1, ',') != NULL)
            return say_usage("sweep",
                             "--pareto: expected two columns X,Y, found '%s'",
                             view->pareto);
        status = parse_goal("--pareto", view->pareto,
                            (size_t)(comma - view->pareto), &goal[0]);
        if (status == EXIT_DONE)
            status =
                parse_goal("--pareto", comma + 1, strlen(comma + 1), &goal[1]);
        *goals = 2;
    } else if (view->rank_by != NULL) {
        status = parse_goal("--rank-by", view->rank_by, strlen(view->rank_by),
                            &goal[0]);
        *goals = 1;
    }
    return status;
}

static int check_goal(const struct goal *goal, json_t *flat)
{
    struct teg_nearest nearest;
    const char *key;
    char hint[96];
    json_t *value = json_object_get(flat, goal->key);

    if (json_is_number(value) || json_is_null(value))
        return EXIT_DONE;
    teg_nearest_init(&nearest, goal->key);
    json_object_foreach(flat, key, value)
    {
        if (json_is_number(value) || json_is_null(value))
            teg_nearest_offer(&nearest, key);
    }
    say("", "no column of numbers is called '%s'%s", goal->key,
        did_you_mean(&nearest, "", hint));
    return EXIT_USAGE;
}

int sweep_view_check(const struct sweep_view *view, const json_t *row)
{
    struct goal goal[2];
    uint32_t goals;
    int status = parse_goals(view, goal, &goals);
    json_t *flat = row != NULL ? csv_flat((json_t *)row) : NULL;

    for (uint32_t i = 0; status == EXIT_DONE && flat != NULL && i < goals; i++)
        status = check_goal(&goal[i], flat);
    json_decref(flat);
    return status;
}

/* ---- which rows, in which order ------------------------------------------- */

static bool row_ok(const json_t *row)
{
    const char *status = json_string_value(json_object_get(row, "status"));

    return status != NULL && strcmp(status, "ok") == 0;
}

static void read_entry(const struct table *t, struct entry *e, uint64_t point)
{
    json_t *row = t->goals > 0 ? sweep_journal_json(t->journal, point) : NULL;
    json_t *flat = row != NULL && row_ok(row) ? csv_flat(row) : NULL;

    *e = (struct entry){.point = point, .ok = flat != NULL};
    for (uint32_t i = 0; i < t->goals; i++) {
        json_t *value = json_object_get(flat, t->goal[i].key);

        e->value[i] = json_is_number(value)
                          ? t->goal[i].sign * json_number_value(value)
                          : HUGE_VAL;
    }
    json_decref(flat);
    json_decref(row);
}

static int compare(double a, double b)
{
    return (a > b) - (a < b);
}

/* Best first, failed ones last, ties in the order of the points. */
static int by_goal(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;

    if (x->ok != y->ok)
        return x->ok ? -1 : 1;
    if (compare(x->value[0], y->value[0]) != 0)
        return compare(x->value[0], y->value[0]);
    if (compare(x->value[1], y->value[1]) != 0)
        return compare(x->value[1], y->value[1]);
    return (x->point > y->point) - (x->point < y->point);
}

/* In the order of the first goal a point is worth keeping only if it is
 * better in the second than all before it, or equal to the last kept in
 * both. */
static void keep_pareto(struct table *t)
{
    const struct entry *last = NULL;
    uint64_t kept = 0;

    for (uint64_t i = 0; i < t->count && t->entry[i].ok; i++) {
        const struct entry *e = &t->entry[i];

        if (last != NULL && !(e->value[1] < last->value[1]) &&
            !(compare(e->value[0], last->value[0]) == 0 &&
              compare(e->value[1], last->value[1]) == 0))
            continue;
        t->entry[kept] = *e;
        last = &t->entry[kept++];
    }
    t->count = kept;
}

static int collect(struct table *t)
{
    const struct sweep_journal *j = t->journal;

    t->entry = calloc(j->done + 1, sizeof *t->entry);
    if (t->entry == NULL)
        return say_memory();
    for (uint64_t i = 0; i < j->points && t->count < j->done; i++) {
        if (j->row[i].size != 0)
            read_entry(t, &t->entry[t->count++], i);
    }
    if (t->goals > 0)
        qsort(t->entry, t->count, sizeof *t->entry, by_goal);
    if (t->view->pareto != NULL)
        keep_pareto(t);
    return EXIT_DONE;
}

/* ---- JSON lines and CSV --------------------------------------------------- */

static int lost_row(void)
{
    say("", "a finished row could not be read again");
    return EXIT_FAULT;
}

static int write_lines(const struct table *t, FILE *f)
{
    for (uint64_t i = 0; i < t->count; i++) {
        char *text = sweep_journal_text(t->journal, t->entry[i].point);

        if (text == NULL)
            return lost_row();
        fprintf(f, "%s\n", text);
        free(text);
    }
    return EXIT_DONE;
}

static json_t *flat_row(const struct table *t, uint64_t i)
{
    json_t *row = sweep_journal_json(t->journal, t->entry[i].point);
    json_t *flat = row != NULL ? csv_flat(row) : NULL;

    /* CSV leaves prose out; what a table says of a row it keeps. */
    if (flat != NULL)
        json_object_set(
            flat, "bound",
            json_object_get(json_object_get(row, "verdict"), "bound"));
    json_decref(row);
    return flat;
}

/* The columns of all rows, in the order in which they come up. */
static json_t *all_columns(const struct table *t)
{
    json_t *columns = json_object();

    for (uint64_t i = 0; i < t->count; i++) {
        json_t *flat = flat_row(t, i);

        json_object_update_missing(columns, flat);
        json_decref(flat);
    }
    return columns;
}

static int write_csv(const struct table *t, FILE *f)
{
    json_t *columns = all_columns(t);

    if (columns == NULL)
        return say_memory();
    csv_cells(f, columns, NULL);
    for (uint64_t i = 0; i < t->count; i++) {
        json_t *flat = flat_row(t, i);

        if (flat == NULL) {
            json_decref(columns);
            return lost_row();
        }
        csv_cells(f, columns, flat);
        json_decref(flat);
    }
    json_decref(columns);
    return EXIT_DONE;
}

/* ---- text ----------------------------------------------------------------- */

enum {
    TEXT_COLUMNS_MAX = 128,
    TEXT_CELL = 40,
};

struct text_table {
    const char *key[TEXT_COLUMNS_MAX]; /* borrowed from `columns` or static */
    const char *head[TEXT_COLUMNS_MAX];
    int width[TEXT_COLUMNS_MAX];
    uint32_t count;
};

static void cell_text(const json_t *flat, const char *key, char out[TEXT_CELL])
{
    const json_t *value = json_object_get(flat, key);

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

static void add_column(struct text_table *text, const char *key)
{
    static const char vary[] = "vary.";
    bool varied = strncmp(key, vary, strlen(vary)) == 0;

    for (uint32_t i = 0; i < text->count; i++) {
        if (strcmp(text->key[i], key) == 0)
            return;
    }
    if (text->count == TEXT_COLUMNS_MAX)
        return;
    text->head[text->count] = varied ? key + strlen(vary) : key;
    text->width[text->count] = (int)strlen(text->head[text->count]);
    text->key[text->count++] = key;
}

/* Whether a column says something that differs between rows. */
static bool differs(const struct table *t, const char *key)
{
    json_t *first = t->count > 0 ? flat_row(t, 0) : NULL;
    bool same = true;

    for (uint64_t i = 1; same && i < t->count; i++) {
        json_t *flat = flat_row(t, i);

        same = json_equal(json_object_get(first, key),
                          json_object_get(flat, key)) != 0;
        json_decref(flat);
    }
    json_decref(first);
    return !same;
}

static void choose_columns(struct text_table *text, const struct table *t,
                           json_t *columns)
{
    static const char *const before[] = {"trace", "kernel.number", "gpu.name"};
    static const char *const after[] = {"cycles", "time_us", "ipc", "bound"};
    static const char *const bounds[] = {"sampled.error_bound_percent",
                                         "represented.error_bound_percent"};
    const char *key;
    json_t *ignored;

    add_column(text, "point");
    for (size_t i = 0; i < sizeof before / sizeof before[0]; i++) {
        if (differs(t, before[i]))
            add_column(text, before[i]);
    }
    json_object_foreach(columns, key, ignored)
    {
        if (strncmp(key, "vary.", strlen("vary.")) == 0)
            add_column(text, key);
    }
    for (size_t i = 0; i < sizeof after / sizeof after[0]; i++)
        add_column(text, after[i]);
    for (size_t i = 0; i < sizeof bounds / sizeof bounds[0]; i++) {
        if (json_object_get(columns, bounds[i]) != NULL)
            add_column(text, bounds[i]);
    }
    for (uint32_t i = 0; i < t->goals; i++)
        add_column(text, t->goal[i].key);
}

static void measure(struct text_table *text, const json_t *flat)
{
    for (uint32_t i = 0; i < text->count; i++) {
        char cell[TEXT_CELL];

        cell_text(flat, text->key[i], cell);
        if ((int)strlen(cell) > text->width[i])
            text->width[i] = (int)strlen(cell);
    }
}

static void print_row(FILE *f, const struct text_table *text,
                      const json_t *flat)
{
    const char *reason = json_string_value(json_object_get(flat, "reason"));

    for (uint32_t i = 0; i < text->count; i++) {
        char cell[TEXT_CELL];

        if (reason != NULL && strcmp(text->key[i], "cycles") == 0) {
            fprintf(f, "  failed: %s", reason);
            break;
        }
        cell_text(flat, text->key[i], cell);
        fprintf(f, "%s%*s", i == 0 ? "" : "  ", text->width[i],
                flat == NULL ? text->head[i] : cell);
    }
    fputc('\n', f);
}

static int write_text(const struct table *t, FILE *f)
{
    struct text_table text = {0};
    json_t *columns = all_columns(t);

    if (columns == NULL)
        return say_memory();
    choose_columns(&text, t, columns);
    for (uint64_t i = 0; i < t->count; i++) {
        json_t *flat = flat_row(t, i);

        measure(&text, flat);
        json_decref(flat);
    }
    print_row(f, &text, NULL);
    for (uint64_t i = 0; i < t->count; i++) {
        json_t *flat = flat_row(t, i);

        print_row(f, &text, flat);
        json_decref(flat);
    }
    json_decref(columns);
    return EXIT_DONE;
}

/* ---- all of it ------------------------------------------------------------ */

static int write_table(struct table *t)
{
    static int (*const writers[])(const struct table *t, FILE *f) = {
        [FORMAT_TEXT] = write_text,
        [FORMAT_JSON] = write_lines,
        [FORMAT_CSV] = write_csv,
    };
    struct output out;
    int status = output_open(&out, t->view->out);

    if (status != EXIT_DONE)
        return status;
    status = writers[t->view->format](t, out.file);
    if (status == EXIT_DONE)
        return output_close(&out);
    output_abandon(&out);
    return status;
}

int sweep_view_write(const struct sweep_view *view,
                     const struct sweep_journal *j)
{
    struct table t = {.view = view, .journal = j};
    int status = parse_goals(view, t.goal, &t.goals);

    if (status == EXIT_DONE)
        status = collect(&t);
    if (status == EXIT_DONE)
        status = write_table(&t);
    free(t.entry);
    return status;
}
