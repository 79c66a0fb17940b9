/*
 * What a profiler measured on hardware, from the CSV that people export:
 *
 *     ncu --csv --page raw        a row a launch, a column a metric, units below
 *     ncu --csv [--metrics ...]   a row a metric (Metric Name, Unit, Value)
 *     nsys stats -r cuda_gpu_trace, cuda_gpu_kern_sum -f csv
 *     any table with a column of kernels (kernel, name) and columns of metrics,
 *     with units in parentheses or not: kernel,gpu__time_duration.sum (us)
 *
 * The head is the first row that names kernels and something else; what stands
 * before it is what programs print on the way.
 */
#ifndef TEG_TOOLS_TEG_COMPARE_HARDWARE_H
#define TEG_TOOLS_TEG_COMPARE_HARDWARE_H

#include "tools/teg/compare/csv_table.h"

#include <stdbool.h>

enum measured_by {
    MEASURED_PLAIN,
    MEASURED_NCU,
    MEASURED_NSYS
};

struct measured_value {
    uint32_t launch;   /* index of its launch */
    char *name, *unit; /* borrowed from the table; unit "" where none is said */
    double value;
};

struct measured_launch {
    const char *kernel; /* borrowed: as the tool writes it */
    const char *id;     /* borrowed: "" where there is none */
    uint32_t number;    /* which of its kernel's launches, from 1 */
    uint32_t line;      /* of the file */
    bool mean;          /* of all launches of the kernel, not one */
};

struct hardware {
    struct csv_table table;         /* owned */
    struct measured_launch *launch; /* owned, [launches] */
    struct measured_value *value;   /* owned, [values]: in order of the file */
    uint32_t launches, values;
    uint32_t not_numbers; /* cells that a metric has and that are none */
    enum measured_by by;
};

/* An exit status; what is wrong has been said and nothing is to be
 * released. */
int hardware_read(struct hardware *m, const char *path);
void hardware_release(struct hardware *m);

#endif
