#include "tools/teg/sweep/table.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- goals ---------------------------------------------------------------- */

static int parse_goal(const char *option, const char *text, size_t length,
                      struct sweep_goal *goal)
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

static int parse_goals(const struct sweep_choice *choice,
                       struct sweep_goal goal[2], uint32_t *goals)
{
    const char *comma;
    int status = EXIT_DONE;

    *goals = 0;
    if (choice->pareto != NULL) {
        comma = strchr(choice->pareto, ',');
        if (comma == NULL || strchr(comma + 1, ',') != NULL)
            return say_usage("sweep",
                             "--pareto: expected two columns X,Y, found '%s'",
                             choice->pareto);
        status = parse_goal("--pareto", choice->pareto,
                            (size_t)(comma - choice->pareto), &goal[0]);
        if (status == EXIT_DONE)
            status =
                parse_goal("--pareto", comma + 1, strlen(comma + 1), &goal[1]);
        *goals = 2;
    } else if (choice->rank_by != NULL) {
        status = parse_goal("--rank-by", choice->rank_by,
                            strlen(choice->rank_by), &goal[0]);
        *goals = 1;
    }
    return status;
}

static int check_goal(const struct sweep_goal *goal, json_t *flat)
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

/* Says which name of a list is no model's. */
static int check_terms(const char *list)
{
    struct teg_nearest nearest;
    uint32_t count;
    const struct teg_model *const *model = teg_models(&count);
    char name[64], hint[128];

    for (const char *at = list; at != NULL && *at != '\0'; at += *at == ',') {
        size_t n = strcspn(at, ",");

        snprintf(name, sizeof name, "%.*s", (int)n, at);
        at += n;
        if (teg_model_find(name) != NULL)
            continue;
        teg_nearest_init(&nearest, name);
        for (uint32_t i = 0; i < count; i++)
            teg_nearest_offer(&nearest, model[i]->name);
        say("", "--terms: no model is called '%s'%s", name,
            did_you_mean(&nearest, "", hint));
        return EXIT_USAGE;
    }
    return EXIT_DONE;
}

int sweep_choice_check(const struct sweep_choice *choice, const json_t *row)
{
    struct sweep_goal goal[2];
    uint32_t goals;
    int status = parse_goals(choice, goal, &goals);
    json_t *flat;

    if (status == EXIT_DONE)
        status = check_terms(choice->terms);
    if (row != NULL && choice->terms != NULL)
        result_keep_terms((json_t *)row, choice->terms);
    flat = row != NULL ? result_cells((json_t *)row) : NULL;
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

static void read_entry(const struct sweep_table *t, struct sweep_entry *e,
                       uint64_t point)
{
    json_t *row = t->goals > 0 ? sweep_journal_json(t->journal, point) : NULL;
    json_t *flat;

    if (row != NULL && t->choice->terms != NULL)
        result_keep_terms(row, t->choice->terms);
    flat = row != NULL && row_ok(row) ? result_cells(row) : NULL;
    *e = (struct sweep_entry){.point = point, .ok = flat != NULL};
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
    const struct sweep_entry *x = a, *y = b;

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
static void keep_pareto(struct sweep_table *t)
{
    const struct sweep_entry *last = NULL;
    uint64_t kept = 0;

    for (uint64_t i = 0; i < t->count && t->entry[i].ok; i++) {
        const struct sweep_entry *e = &t->entry[i];

        if (last != NULL && !(e->value[1] < last->value[1]) &&
            !(compare(e->value[0], last->value[0]) == 0 &&
              compare(e->value[1], last->value[1]) == 0))
            continue;
        t->entry[kept] = *e;
        last = &t->entry[kept++];
    }
    t->count = kept;
}

int sweep_table_init(struct sweep_table *t, const struct sweep_choice *choice,
                     const struct sweep_journal *j)
{
    int status;

    *t = (struct sweep_table){.choice = choice, .journal = j};
    status = parse_goals(choice, t->goal, &t->goals);
    if (status != EXIT_DONE)
        return status;

    t->entry = calloc(j->done + 1, sizeof *t->entry);
    if (t->entry == NULL)
        return say_memory();
    for (uint64_t i = 0; i < j->points && t->count < j->done; i++) {
        if (j->row[i].size != 0)
            read_entry(t, &t->entry[t->count++], i);
    }
    if (t->goals > 0)
        qsort(t->entry, t->count, sizeof *t->entry, by_goal);
    if (choice->pareto != NULL)
        keep_pareto(t);
    return EXIT_DONE;
}

void sweep_table_release(struct sweep_table *t)
{
    free(t->entry);
    *t = (struct sweep_table){0};
}
