#include "tools/teg/gpu_draft/measured.h"

#include "tools/teg/cli/output.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    SIZE_LIMIT = 64 << 20, /* bytes; a full run prints less than one million */
    VERSION = 1,
};

/* A file being checked: jansson forgets lines, so they are found again. */
struct reading {
    const char *path, *text;
    struct teg_diag *d;
};

/* ---- where a value stands ------------------------------------------------ */

/* The text is known to be JSON, so these need not defend themselves. */
static const char *skip_space(const char *at)
{
    return at + strspn(at, " \t\r\n");
}

static const char *skip_string(const char *at)
{
    for (at++; *at != '"'; at++)
        at += *at == '\\';
    return at + 1;
}

static const char *skip_value(const char *at)
{
    int depth = 0;

    do {
        at = skip_space(at);
        if (*at == '"') {
            at = skip_string(at);
        } else if (strchr("{[", *at) != NULL) {
            depth++;
            at++;
        } else if (strchr("}]", *at) != NULL) {
            depth--;
            at++;
        } else if (strchr(",:", *at) != NULL) {
            at++;
        } else {
            at += strcspn(at, ",:{}[] \t\r\n");
        }
    } while (depth > 0);
    return at;
}

/* The value of member `key` of the object at `at`, or `at`. */
static const char *find_member(const char *at, const char *key)
{
    const char *object = skip_space(at);
    size_t length = strlen(key);

    at = skip_space(object + 1);
    while (*at == '"') {
        const char *name = at + 1;

        at = skip_space(skip_string(at));
        at = skip_space(at + 1);
        if (strncmp(name, key, length) == 0 && name[length] == '"')
            return at;
        at = skip_space(skip_value(at));
        at = *at == ',' ? skip_space(at + 1) : at;
    }
    return object;
}

/* Element `index` of the array at `at`. */
static const char *find_element(const char *at, size_t index)
{
    at = skip_space(skip_space(at) + 1);
    while (index-- > 0) {
        at = skip_space(skip_value(at));
        at = skip_space(at + 1);
    }
    return at;
}

static uint64_t line_of(const struct reading *r, const char *at)
{
    uint64_t line = 1;

    for (const char *c = r->text; c < at; c++)
        line += *c == '\n';
    return line;
}

static teg_status fail_at(const struct reading *r, const char *at,
                          const char *what, const char *expected,
                          const json_t *found)
{
    char *text = found != NULL ? json_dumps(found, JSON_ENCODE_ANY) : NULL;
    teg_status status =
        teg_fail_line(r->d, TEG_FORMAT, r->path, line_of(r, at),
                      "%s: expected %s, found %.60s", what, expected,
                      found == NULL  ? "nothing"
                      : text != NULL ? text
                                     : "something else");

    free_json_text(text);
    return status;
}

/* ---- checking ------------------------------------------------------------ */

/* Member of the top level. */
static teg_status take_top(const struct reading *r, const json_t *root,
                           const char *key, bool fits, const char *expected)
{
    if (fits)
        return TEG_OK;
    return fail_at(r, find_member(r->text, key), key, expected,
                   json_object_get(root, key));
}

static teg_status check_header(const struct reading *r, struct measured *m)
{
    const json_t *schema = json_object_get(m->root, "schema");
    const json_t *version = json_object_get(m->root, "version");
    const char *text = json_string_value(schema);

    TRY(take_top(r, m->root, "schema",
                 text != NULL && strcmp(text, "teg-measurements") == 0,
                 "\"teg-measurements\""));
    TRY(take_top(r, m->root, "version", json_integer_value(version) == VERSION,
                 "1"));
    m->driver = json_string_value(json_object_get(m->root, "driver_version"));
    TRY(take_top(r, m->root, "driver_version", m->driver != NULL, "a string"));
    m->synthetic = json_is_true(json_object_get(m->root, "synthetic"));
    m->sass_checked = json_is_true(json_object_get(m->root, "sass_checked"));
    return TEG_OK;
}

static teg_status check_device(const struct reading *r, struct measured *m)
{
    const json_t *capability;
    const char *at;

    m->device = json_object_get(m->root, "device");
    TRY(take_top(r, m->root, "device", json_is_object(m->device), "an object"));
    at = find_member(r->text, "device");
    m->name = json_string_value(json_object_get(m->device, "name"));
    if (m->name == NULL || m->name[0] == '\0')
        return fail_at(r, find_member(at, "name"), "device.name", "a string",
                       json_object_get(m->device, "name"));
    capability = json_object_get(m->device, "compute_capability");
    if (!json_is_integer(capability) || json_integer_value(capability) < 10 ||
        json_integer_value(capability) > 999)
        return fail_at(r, find_member(at, "compute_capability"),
                       "device.compute_capability",
                       "a compute capability x10, 10 to 999", capability);
    m->capability = (uint32_t)json_integer_value(capability);
    return TEG_OK;
}

static teg_status check_result(const struct reading *r, const json_t *result,
                               const char *at, size_t i)
{
    static const char *const strings[] = {"section", "name", "quantity",
                                          "unit"};
    const json_t *median = json_object_get(result, "median");
    char what[64];

    snprintf(what, sizeof what, "results[%zu]", i);
    if (!json_is_object(result))
        return fail_at(r, at, what, "an object", result);
    for (size_t k = 0; k < sizeof strings / sizeof strings[0]; k++) {
        const json_t *text = json_object_get(result, strings[k]);

        snprintf(what, sizeof what, "results[%zu].%s", i, strings[k]);
        if (!json_is_string(text))
            return fail_at(r, find_member(at, strings[k]), what, "a string",
                           text);
    }
    snprintf(what, sizeof what, "results[%zu].median", i);
    if (!json_is_number(median) || !(json_number_value(median) > 0) ||
        !isfinite(json_number_value(median)))
        return fail_at(r, find_member(at, "median"), what, "a number above 0",
                       median);
    return TEG_OK;
}

static teg_status check_results(const struct reading *r, struct measured *m)
{
    const char *at;

    m->results = json_object_get(m->root, "results");
    TRY(take_top(r, m->root, "results", json_is_array(m->results), "an array"));
    at = find_element(find_member(r->text, "results"), 0);
    for (size_t i = 0; i < json_array_size(m->results); i++) {
        TRY(check_result(r, json_array_get(m->results, i), at, i));
        at = skip_space(skip_value(at));
        at = *at == ',' ? skip_space(at + 1) : at;
    }
    return TEG_OK;
}

/* ---- reading ------------------------------------------------------------- */

/* Reads the whole file into `*text`, owned by the caller, ending in 0. */
static teg_status read_text(const char *path, char **text, size_t *size,
                            struct teg_diag *d)
{
    FILE *f = fopen(path, "rb");
    size_t room = 1 << 16, n = 0;
    char *grown;

    *text = NULL;
    if (f == NULL)
        return teg_fail_errno(d, path, "open");
    do {
        room *= 2;
        grown = realloc(*text, room + 1);
        if (grown == NULL) {
            fclose(f);
            return teg_fail_memory(d);
        }
        *text = grown;
        errno = 0;
        n += fread(*text + n, 1, room - n, f);
    } while (n == room && room < SIZE_LIMIT);
    if (ferror(f)) {
        fclose(f);
        return teg_fail_errno(d, path, "read");
    }
    fclose(f);
    if (n == room)
        return teg_fail(d, TEG_FORMAT, path,
                        "expected measurements, found more than %d bytes",
                        SIZE_LIMIT);
    (*text)[n] = '\0';
    *size = n;
    return TEG_OK;
}

static teg_status read_checked(const struct reading *r, size_t size,
                               struct measured *m)
{
    json_error_t error;

    m->root = json_loadb(r->text, size, JSON_REJECT_DUPLICATES, &error);
    if (m->root == NULL)
        return teg_fail_line(r->d, TEG_FORMAT, r->path,
                             error.line > 0 ? (uint64_t)error.line : 1,
                             "expected JSON, found: %.200s", error.text);
    if (!json_is_object(m->root))
        return teg_fail_line(r->d, TEG_FORMAT, r->path, 1,
                             "expected an object, found something else");
    TRY(check_header(r, m));
    TRY(check_device(r, m));
    return check_results(r, m);
}

teg_status measured_read(const char *path, struct measured *m,
                         struct teg_diag *d)
{
    char *text;
    size_t size = 0;
    teg_status status = read_text(path, &text, &size, d);

    *m = (struct measured){.root = NULL};
    if (status == TEG_OK) {
        const struct reading r = {path, text, d};

        status = read_checked(&r, size, m);
    }
    free(text);
    if (status != TEG_OK)
        measured_release(m);
    return status;
}

void measured_release(struct measured *m)
{
    json_decref(m->root);
    *m = (struct measured){.root = NULL};
}

/* ---- looking up ---------------------------------------------------------- */

bool measured_fact(const struct measured *m, const char *key, double *value)
{
    const json_t *fact = json_object_get(m->device, key);

    *value = json_number_value(fact);
    return json_is_number(fact) && *value > 0;
}

bool measured_is_doubtful(const json_t *result)
{
    const char *sass = json_string_value(json_object_get(result, "sass"));

    return sass != NULL && strcmp(sass, "ok") != 0;
}

static bool member_is(const json_t *result, const char *key, const char *text)
{
    const char *found = json_string_value(json_object_get(result, key));

    return found != NULL && strcmp(found, text) == 0;
}

bool measured_is(const json_t *result, const char *section, const char *name,
                 const char *quantity, const char *unit)
{
    return member_is(result, "section", section) &&
           member_is(result, "name", name) &&
           member_is(result, "quantity", quantity) &&
           member_is(result, "unit", unit) && !measured_is_doubtful(result);
}

double measured_condition(const json_t *result, const char *key)
{
    return json_number_value(
        json_object_get(json_object_get(result, "at"), key));
}

const json_t *measured_find(const struct measured *m, const char *section,
                            const char *name, const char *quantity,
                            const char *unit, struct measured_at at)
{
    const json_t *found = NULL;

    for (size_t i = 0; i < json_array_size(m->results); i++) {
        const json_t *r = json_array_get(m->results, i);

        if (measured_is(r, section, name, quantity, unit) &&
            (at.key == NULL ||
             fabs(measured_condition(r, at.key) - at.value) < 0.5))
            found = r;
    }
    return found;
}

const json_t *measured_of_class(const struct measured *m, const char *op_class,
                                const char *quantity)
{
    const json_t *found = NULL;

    for (size_t i = 0; i < json_array_size(m->results); i++) {
        const json_t *r = json_array_get(m->results, i);

        if (member_is(r, "class", op_class) &&
            member_is(r, "quantity", quantity) && !measured_is_doubtful(r))
            found = r;
    }
    return found;
}

double measured_median(const json_t *result)
{
    return json_number_value(json_object_get(result, "median"));
}

const char *measured_name(const json_t *result)
{
    return json_string_value(json_object_get(result, "name"));
}
