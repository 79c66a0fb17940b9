/*
 * What tools/measure printed: a JSON file of docs/measuring.md, read and
 * checked as far as a description is drafted from it.
 */
#ifndef TEG_TOOLS_TEG_GPU_DRAFT_MEASURED_H
#define TEG_TOOLS_TEG_GPU_DRAFT_MEASURED_H

#include "isa/base/status.h"

#include <jansson.h>
#include <stdbool.h>

struct measured {
    json_t *root;          /* owned */
    const json_t *device;  /* an object; borrowed, as all below */
    const json_t *results; /* an array of objects, each with the strings
                               section, name, quantity and unit and a median
                               above 0 */
    const char *name;      /* of the device */
    const char *driver;    /* its version */
    uint32_t capability;   /* x10 */
    bool synthetic, sass_checked;
};

/* Condition of a result, "at": {"warps": 4}. */
struct measured_at {
    const char *key; /* NULL: any */
    double value;
};

/* Fails with file and line; `m` is then released. */
teg_status measured_read(const char *path, struct measured *m,
                         struct teg_diag *d);
void measured_release(struct measured *m);

/* A number of `device`; false if it is not there or not above 0. */
bool measured_fact(const struct measured *m, const char *key, double *value);

/* True for a result whose kernel was found to hold other instructions than
 * it should. */
bool measured_is_doubtful(const json_t *result);

/* The last result of that section, name, quantity and unit under that
 * condition that is not doubtful, or NULL. */
const json_t *measured_find(const struct measured *m, const char *section,
                            const char *name, const char *quantity,
                            const char *unit, struct measured_at at);
/* The last one for an operation class, or NULL. */
const json_t *measured_of_class(const struct measured *m, const char *op_class,
                                const char *quantity);

double measured_median(const json_t *result);
const char *measured_name(const json_t *result);
/* Member of "at", or 0. */
double measured_condition(const json_t *result, const char *key);
/* Is it of that section, name, quantity and unit, and not doubtful? */
bool measured_is(const json_t *result, const char *section, const char *name,
                 const char *quantity, const char *unit);

#endif
