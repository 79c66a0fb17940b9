/*
 * The rows of params.def as a table: what the loader, teg_gpu_set and the
 * checks need to know of a scalar of a GPU description.
 */
#ifndef TEG_CONFIG_PARAM_H
#define TEG_CONFIG_PARAM_H

#include "config/gpu.h"

enum param_kind {
    PARAM_WHOLE,  /* uint32_t */
    PARAM_REAL,   /* double */
    PARAM_CHOICE, /* uint32_t, written as one of `choice` */
};

struct param {
    const char *group, *field;
    const char *key; /* "sm.warps_max" */
    enum param_kind kind;
    size_t offset; /* in struct teg_gpu */
    double min, max;
    double fallback; /* negative: required */
    const char *unit, *help;
    const char *const *choice; /* [choice_count] */
    uint32_t choice_count;
};

/* All rows in the order of params.def. */
const struct param *params(uint32_t *count);
/* Returns the row of "sm.warps_max", or NULL. */
const struct param *param_find(const char *key);
/* Returns the enumerator a name of a choice stands for, or -1. */
int param_choice(const struct param *p, const char *name);

/* Reads and writes the field, an enumerator as a number. */
double param_get(const struct param *p, const struct teg_gpu *gpu);
void param_put(const struct param *p, struct teg_gpu *gpu, double value);
/* Writes the value as a description would; returns `out`. */
const char *param_format(const struct param *p, const struct teg_gpu *gpu,
                         char out[64]);
/* "expected 1 to 64 warps"; returns `out`. */
const char *param_expected(const struct param *p, char out[256]);

#endif
