#include "tools/teg/formats/flat.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

struct row {
    json_t *cells; /* borrowed */
    flat_member *member;
};

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
        json_object_set(row->cells, path, value);
        return;
    }
    json_object_foreach(value, key, member)
    {
        json_t *taken;

        if (but != NULL && strcmp(key, but) == 0)
            continue;
        taken = row->member != NULL ? row->member(value, key, member)
                                    : json_incref(member);
        if (taken == NULL)
            continue;
        descend(row, path, key, taken, NULL);
        json_decref(taken);
    }
}

/* An object of scalars is its own row: a long table is not copied again. */
static bool is_flat(json_t *tree)
{
    const char *key;
    json_t *member;

    json_object_foreach(tree, key, member)
    {
        if (json_is_object(member) || json_is_array(member))
            return false;
    }
    return json_is_object(tree);
}

json_t *flat_row(json_t *tree, flat_member *member)
{
    struct row row = {.member = member};

    if (member == NULL && is_flat(tree))
        return json_incref(tree);
    row.cells = json_object();
    if (row.cells != NULL)
        flatten(&row, "", tree, NULL);
    return row.cells;
}
