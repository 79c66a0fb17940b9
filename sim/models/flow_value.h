/*
 * Inside the reader of data-flow files: an open file, and the values in it.
 * Every number passes through flow_value, which knows the setting and so the
 * line, and may be an expression of the file's parameters.
 */
#ifndef TEG_SIM_MODELS_FLOW_VALUE_H
#define TEG_SIM_MODELS_FLOW_VALUE_H

#include <libconfig.h>

#include "sim/models/flow_file.h"

enum {
    FLOW_PATH_SIZE = 4096,
    FLOW_NAME_SIZE = 64,
};

typedef const config_setting_t *flow_setting;

struct flow_file {
    char path[FLOW_PATH_SIZE];
    config_t config;
    struct flow_parameter parameter[FLOW_PARAMETERS_MAX];
    uint32_t parameters;
    /* What a description borrows. */
    char flow_name[DATAFLOW_FLOWS_MAX][2 * FLOW_NAME_SIZE];
    char why[DATAFLOW_PATTERNS_MAX][128];
};

/* The root of a file stands in no line. */
const char *flow_where(const struct flow_file *f, flow_setting s,
                       char out[FLOW_PATH_SIZE]);

/* A number or an expression of at least `least`; NAN if a parameter is
 * unknown. */
teg_status flow_value(const struct flow_file *f, flow_setting s, double least,
                      double *out, struct teg_diag *d);

flow_setting flow_member(flow_setting s, const char *key);

/* A misspelt key must not pass for a default. */
teg_status flow_check_keys(const struct flow_file *f, flow_setting s,
                           const char *const *known, struct teg_diag *d);

/* `fallback` NULL: must be there. */
teg_status flow_text(const struct flow_file *f, flow_setting s, const char *key,
                     const char *fallback, const char **out,
                     struct teg_diag *d);

/* `fallback` NAN: must be there. */
teg_status flow_number(const struct flow_file *f, flow_setting s,
                       const char *key, double fallback, double least,
                       double *out, struct teg_diag *d);

teg_status flow_flag(const struct flow_file *f, flow_setting s, const char *key,
                     int *out, struct teg_diag *d);

/* The list `key` of at most `most` items; NULL in `*out` if it is not there. */
teg_status flow_list(const struct flow_file *f, flow_setting s, const char *key,
                     int most, flow_setting *out, struct teg_diag *d);

int flow_length(flow_setting list);

flow_setting flow_root(const struct flow_file *f);

#define FLOW_FAIL(f, s, d, ...)                                          \
    teg_fail(d, TEG_FORMAT, flow_where(f, s, (char[FLOW_PATH_SIZE]){0}), \
             __VA_ARGS__)

#endif
