#include "traces/list/kernelsjson.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "isa/base/buffer.h"
#include "traces/list/scorejson.h"

int teg_kernelsjson_recognise(const uint8_t *bytes, size_t size)
{
    static const char blank[] = " \t\r\n";
    size_t i = 0;

    while (i < size && bytes[i] != '\0' && strchr(blank, bytes[i]) != NULL)
        i++;
    if (i == size || bytes[i] != '{')
        return 0;
    for (i++; i < size && bytes[i] != '\0' && strchr(blank, bytes[i]) != NULL;)
        i++;
    return i == size || bytes[i] == '"' || bytes[i] == '}';
}

static const char *type_name(const json_t *v)
{
    static const char *const names[] = {
        [JSON_OBJECT] = "an object", [JSON_ARRAY] = "an array",
        [JSON_STRING] = "a string",  [JSON_INTEGER] = "a number",
        [JSON_REAL] = "a number",    [JSON_TRUE] = "true",
        [JSON_FALSE] = "false",      [JSON_NULL] = "null",
    };

    return v != NULL ? names[json_typeof(v)] : "none";
}

static const char *entry_where(const char *path, size_t i, char out[384])
{
    snprintf(out, 384, "%.320s: kernels[%zu]", path, i);
    return out;
}

static teg_status read_launches(const char *path, size_t i, const json_t *v,
                                uint32_t *launches, struct teg_diag *d)
{
    char where[384];

    *launches = 1;
    if (v == NULL)
        return TEG_OK;
    if (!json_is_integer(v))
        return teg_fail(d, TEG_FORMAT, entry_where(path, i, where),
                        "expected a whole number for \"launches\", found %s",
                        json_is_real(v) ? "a fraction" : type_name(v));
    if (json_integer_value(v) < 1 || json_integer_value(v) > UINT32_MAX)
        return teg_fail(d, TEG_FORMAT, entry_where(path, i, where),
                        "expected \"launches\" from 1 to %" PRIu32
                        ", found %" JSON_INTEGER_FORMAT,
                        UINT32_MAX, json_integer_value(v));
    *launches = (uint32_t)json_integer_value(v);
    return TEG_OK;
}

/* An earlier entry, itself the first of its kind. */
static teg_status read_alike(const char *path, size_t i, const json_t *v,
                             struct teg_kernelslist *list, struct teg_diag *d)
{
    char where[384];

    if (v == NULL)
        return TEG_OK;
    if (!json_is_integer(v) || json_integer_value(v) < 0 ||
        (uint64_t)json_integer_value(v) >= i ||
        list->alike[json_integer_value(v)] != json_integer_value(v))
        return teg_fail(d, TEG_FORMAT, entry_where(path, i, where),
                        "expected for \"alike\" the number of an earlier entry "
                        "that has none, found something else");
    list->alike[i] = (uint32_t)json_integer_value(v);
    return TEG_OK;
}

static teg_status read_entry(const char *path, size_t i, const json_t *entry,
                             struct teg_kernelslist *list, struct teg_diag *d)
{
    const json_t *trace = json_object_get(entry, "trace");
    const char *name = json_string_value(trace);
    uint32_t launches;
    char where[384];

    if (!json_is_object(entry))
        return teg_fail(d, TEG_FORMAT, entry_where(path, i, where),
                        "expected an object with \"trace\", found %s",
                        type_name(entry));
    if (name == NULL || name[0] == '\0' ||
        strlen(name) != json_string_length(trace))
        return teg_fail(d, TEG_FORMAT, entry_where(path, i, where),
                        "expected a file's name for \"trace\", found %s",
                        name == NULL      ? type_name(trace)
                        : name[0] == '\0' ? "an empty one"
                                          : "one with a NUL in it");
    TRY(read_launches(path, i, json_object_get(entry, "launches"), &launches,
                      d));
    TRY(teg_kernelslist_add(list, path, name, strlen(name), launches, d));
    TRY(read_alike(path, i, json_object_get(entry, "alike"), list, d));
    if (!teg_kernelslist_is_file(path, name, strlen(name)))
        return teg_fail(d, TEG_IO, entry_where(path, i, where),
                        "expected the file '%.300s' beside the list, found "
                        "none",
                        name);
    return TEG_OK;
}

/* ---- the order ------------------------------------------------------------ */

static teg_status add_step(const struct teg_score_entry *e,
                           struct teg_kernelslist *list, struct teg_diag *d)
{
    struct teg_step step = {0};

    if (e->kind == TEG_SCORE_LAUNCH) {
        step.kernel = e->number;
        step.launches = e->times;
    } else if (e->kind == TEG_SCORE_COPY_TO_DEVICE ||
               e->kind == TEG_SCORE_COPY_ON_DEVICE ||
               e->kind == TEG_SCORE_SET) {
        step.address = e->address;
        step.bytes = e->bytes;
    } else if (e->kind == TEG_SCORE_SYNCHRONIZE) {
        step.rests = 1;
    } else {
        return TEG_OK;
    }
    return teg_kernelslist_step(list, step, d);
}

/* Of a graph its nodes, in the order of the list.  Counts them in `*all`. */
static teg_status add_steps(const char *path, const struct teg_score_entry *e,
                            uint64_t *all, struct teg_kernelslist *list,
                            struct teg_diag *d)
{
    const struct teg_score_graph *g = NULL;

    if (e->kind == TEG_SCORE_GRAPH)
        g = &list->score.graph[e->number];
    *all += g != NULL ? (uint64_t)e->times * g->nodes : 1;
    if (*all > TEG_SCORE_ENTRIES_MAX)
        return teg_fail(d, TEG_LIMIT, path,
                        "expected at most %d launches and copies, those of "
                        "graphs counted as often as these are launched",
                        TEG_SCORE_ENTRIES_MAX);
    if (g == NULL)
        return add_step(e, list, d);
    for (uint32_t i = 0; i < e->times; i++) {
        for (uint32_t n = 0; n < g->nodes; n++)
            TRY(add_step(&g->node[n], list, d));
    }
    return TEG_OK;
}

/* An entry that does not say how often it was launched is so as often as the
 * order has it. */
static void take_launches(const json_t *root, const uint64_t *launches,
                          struct teg_kernelslist *list)
{
    const json_t *kernels = json_object_get(root, "kernels");

    for (uint32_t k = 0; k < list->count; k++) {
        if (json_object_get(json_array_get(kernels, k), "launches") == NULL &&
            launches[k] != 0 && launches[k] <= UINT32_MAX)
            list->launches[k] = (uint32_t)launches[k];
    }
}

static teg_status check_order(const char *path, const json_t *root,
                              int64_t schema, struct teg_kernelslist *list,
                              struct teg_diag *d)
{
    uint64_t *launches = calloc(list->count, sizeof *launches);
    teg_status status = launches != NULL ? TEG_OK : teg_fail_memory(d);

    for (size_t i = 0; status == TEG_OK && i < list->steps; i++)
        launches[list->step[i].kernel] += list->step[i].launches;
    if (status == TEG_OK && schema >= TEG_SCORE_SCHEMA)
        take_launches(root, launches, list);
    for (uint32_t k = 0; status == TEG_OK && k < list->count; k++) {
        char where[384];

        if (launches[k] != list->launches[k])
            status = teg_fail(d, TEG_FORMAT, entry_where(path, k, where),
                              "expected as many launches as in \"order\", "
                              "%" PRIu64 ", found %" PRIu32,
                              launches[k], list->launches[k]);
    }
    free(launches);
    return status;
}

/* What ran when, as far as caches keep it, and all there is of it. */
static teg_status read_order(const char *path, const json_t *root,
                             int64_t schema, struct teg_kernelslist *list,
                             struct teg_diag *d)
{
    const json_t *order = json_object_get(root, "order");
    uint64_t all = 0;

    if (order == NULL)
        return TEG_OK;
    if (!json_is_array(order))
        return teg_fail(d, TEG_FORMAT, path,
                        "expected an array for \"order\", found %s",
                        type_name(order));
    TRY(teg_scorejson_read(path, root, schema, list->count, &list->score, d));
    for (size_t i = 0; i < list->score.entries; i++)
        TRY(add_steps(path, &list->score.entry[i], &all, list, d));
    return check_order(path, root, schema, list, d);
}

/* ---- all of it ------------------------------------------------------------ */

static teg_status check_schema(const char *path, const json_t *root,
                               int64_t *number, struct teg_diag *d)
{
    const json_t *schema =
        json_object_get(json_object_get(root, "teg"), "schema");

    *number = json_integer_value(schema);
    if (schema == NULL || (*number >= 1 && *number <= TEG_KERNELSJSON_SCHEMA))
        return TEG_OK;
    if (json_is_integer(schema))
        return teg_fail(d, TEG_FORMAT, path,
                        "expected \"teg\": {\"schema\": %d}, found schema "
                        "%" JSON_INTEGER_FORMAT,
                        TEG_KERNELSJSON_SCHEMA, json_integer_value(schema));
    return teg_fail(d, TEG_FORMAT, path,
                    "expected \"teg\": {\"schema\": %d}, found %s",
                    TEG_KERNELSJSON_SCHEMA, type_name(schema));
}

static teg_status read_root(const char *path, const json_t *root,
                            struct teg_kernelslist *list, struct teg_diag *d)
{
    const json_t *kernels = json_object_get(root, "kernels"), *entry;
    int64_t schema;
    size_t i;

    if (!json_is_array(kernels))
        return teg_fail(d, TEG_FORMAT, path,
                        "expected a kernels.json, an object with an array "
                        "\"kernels\", found %s there",
                        type_name(kernels));
    TRY(check_schema(path, root, &schema, d));
    json_array_foreach(kernels, i, entry)
        TRY(read_entry(path, i, entry, list, d));
    if (list->count == 0)
        return teg_fail(d, TEG_FORMAT, path,
                        "expected at least one kernel, found none");
    return read_order(path, root, schema, list, d);
}

static teg_status load(const struct teg_source *source,
                       struct teg_buffer *owned, const uint8_t **bytes,
                       size_t *size, struct teg_diag *d)
{
    struct stat facts;

    *bytes = source->bytes;
    *size = source->size;
    if (source->bytes == NULL && stat(source->path, &facts) == 0 &&
        facts.st_size > TEG_KERNELSJSON_BYTES_MAX)
        return teg_fail(d, TEG_LIMIT, source->path,
                        "expected a list of at most %d MB, found %" PRIu64,
                        TEG_KERNELSJSON_BYTES_MAX >> 20,
                        (uint64_t)facts.st_size >> 20);
    if (source->bytes == NULL) {
        TRY(teg_buffer_file(owned, source->path, d));
        *bytes = owned->data;
        *size = owned->size;
    }
    return TEG_OK;
}

static teg_status parse(const struct teg_source *source, json_t **root,
                        struct teg_diag *d)
{
    struct teg_buffer owned = {0};
    const uint8_t *bytes;
    json_error_t error;
    size_t size;

    TRY(load(source, &owned, &bytes, &size, d));
    *root = json_loadb((const char *)bytes, size, 0, &error);
    teg_buffer_release(&owned);
    if (*root == NULL)
        return teg_fail_line(d, TEG_FORMAT, source->path,
                             error.line > 0 ? (uint64_t)error.line : 1,
                             "expected JSON: %s", error.text);
    return TEG_OK;
}

teg_status teg_kernelsjson_read(const struct teg_source *source,
                                struct teg_kernelslist *list,
                                struct teg_diag *d)
{
    json_t *root;
    teg_status status;

    *list = (struct teg_kernelslist){0};
    TRY(parse(source, &root, d));
    status = read_root(source->path, root, list, d);
    json_decref(root);
    if (status != TEG_OK)
        teg_kernelslist_release(list);
    return status;
}
