/*
 * Inside the loader of GPU descriptions: one open file, and what every reader
 * of a value needs of it.  A value passes through a load_* function that knows
 * its setting and so the line.
 */
#ifndef TEG_CONFIG_LOAD_H
#define TEG_CONFIG_LOAD_H

#include <libconfig.h>

#include "config/gpu.h"
#include "config/param.h"
#include "isa/base/nearest.h"

enum {
    LOAD_PATH_SIZE = 4096,
    LOAD_WHERE_SIZE = 384,    /* as in struct teg_diag */
    LOAD_UNIT_NAME_SIZE = 16, /* of a unit */
};

/* A row of `timing` whose unit names are looked up when all files are read. */
struct load_units_named {
    uint8_t given;
    uint8_t unit_count;
    char unit[2][LOAD_UNIT_NAME_SIZE];
    char where[LOAD_WHERE_SIZE];
};

struct load {
    struct teg_gpu *gpu;
    struct teg_diag *d;
    const char *directory; /* of families and includes; NULL: beside a file */
    unsigned opened;       /* files of families, one inside another */
    unsigned depth;        /* files read, the outermost family first */
    struct teg_fact *param_fact; /* owned, [params] */
    struct teg_fact unit_fact[TEG_MAX_UNITS];
    unsigned unit_depth[TEG_MAX_UNITS]; /* file that named it last */
    struct teg_fact timing_fact[TEG_CLASSES];
    struct teg_fact m_fact[TEG_CLASSES];
    struct teg_fact power_fact[TEG_POWER_UNITS];
    struct teg_fact use_fact[TEG_CLASSES];
    struct teg_fact default_fact;
    struct teg_fact carveout_fact;
    struct load_units_named timing[TEG_CLASSES];
    struct load_units_named operand, tags; /* one unit each */
};

/* One file and its includes, open. */
struct load_file {
    struct load *l;
    const char *path;
    char directory[LOAD_PATH_SIZE];
    config_t config;
};

typedef const config_setting_t *load_setting;

/* ---- load_value.c --------------------------------------------------------- */

/* "config/family/volta.cfg:31"; returns `out`. */
const char *load_where(const struct load_file *a, load_setting s,
                       char out[LOAD_WHERE_SIZE]);
teg_status load_fail(const struct load_file *a, load_setting s,
                     const char *format, ...) TEG_PRINTF(3, 4);
const char *load_name(load_setting s);
/* "unknown field 'latenzy'; did you mean 'latency'?" */
teg_status load_unknown(const struct load_file *a, load_setting s,
                        const char *what, const struct teg_nearest *n);
int load_is_number(load_setting s);
double load_number(load_setting s);
/* What stands there, for a diagnostic; returns `out`. */
const char *load_found(load_setting s, char out[64]);
teg_status load_whole(const struct load_file *a, load_setting s,
                      const char *what, double min, double max, uint32_t *out);
/* Of 1 to size - 1 characters; borrowed from the file. */
teg_status load_string(const struct load_file *a, load_setting s,
                       const char *what, size_t size, const char **out);
/* "M Lai13 Table 3.1", and where it stands. */
teg_status load_source(const struct load_file *a, load_setting s,
                       const char *what, struct teg_fact *f);
/* ( ..., "CLASS source" ) of `length` elements. */
teg_status load_check_list(const struct load_file *a, load_setting s,
                           const char *what, int length, const char *form);
teg_status load_expect_group(const struct load_file *a, load_setting s);
/* The scalars of one group of params.def. */
teg_status load_group(const struct load_file *a, load_setting s);

/* ---- load_rows.c ---------------------------------------------------------- */

teg_status load_units(const struct load_file *a, load_setting s);
/* "sp" or "sp sfu": at most `max` names, looked up when all is read. */
teg_status load_unit_names(const struct load_file *a, load_setting s,
                           const char *what, unsigned max,
                           struct load_units_named *p);
/* Groups of a row for each operation class or component of the power model. */
teg_status load_timing(const struct load_file *a, load_setting s);
teg_status load_m_factor(const struct load_file *a, load_setting s);
teg_status load_power_unit(const struct load_file *a, load_setting s);
teg_status load_power_use(const struct load_file *a, load_setting s);

/* ---- load_finish.c -------------------------------------------------------- */

/* When all files are read: fallbacks, units by name, facts, checks. */
teg_status load_finish(struct load *l, const char *path);

#endif
