/*
 * Reports on replayed kernels: text, JSON and CSV are renderings of the same
 * struct result.  A format is a row of the writer table (report.c).
 */
#ifndef TEG_TOOLS_TEG_REPORT_REPORT_H
#define TEG_TOOLS_TEG_REPORT_REPORT_H

#include "sim/collect/by_pc.h"
#include "tools/teg/cli/output.h"
#include "tools/teg/replay/ranking.h"
#include "tools/teg/replay/simulate.h"
#include "tools/teg/report/verdict.h"

#define TEG_JSON_SCHEMA 1 /* docs/json.md */

/* One replayed kernel with all that is said about it. */
struct result {
    const struct replay *replay;     /* borrowed */
    uint32_t number;                 /* of the kernel in the trace, from 1 */
    const struct opt_list *what_ifs; /* borrowed; NULL: none */
    const struct teg_notes *trace_notes; /* borrowed */
    const struct by_pc *by_pc;           /* borrowed; NULL: not asked for */
    const struct whatif *ranking;        /* borrowed; NULL: not asked for */
    struct verdict verdict;
    struct teg_estimate *estimate; /* owned, [estimate_count] */
    uint32_t estimate_count;
};

/* Asks the models; `replay` must outlive the result. */
int result_init(struct result *r, const struct replay *replay);
void result_release(struct result *r);

/* How unknown opcodes were timed: "3 unknown opcodes (FOO ...), 0.2 % of warp
 * instructions, timed as iadd"; returns false if there were none. */
bool result_unknown_opcodes(const struct result *r, char *out, size_t size);

/* What was assumed about code of another generation than the GPU's; returns
 * false if it is the GPU's own. */
bool result_generation(const struct result *r, char *out, size_t size);

struct totals {
    uint32_t kernels;
    uint64_t launches; /* an entry of a list may stand for many */
    uint64_t cycles, warp_instructions;
    double time_us;
    uint32_t represented_kernels;    /* not simulated: others were for them */
    uint64_t simulated_instructions; /* of warp_instructions */
    double error_cycles;             /* that `cycles` may be off by */
    bool incomplete;
};

/* How far the cycles may be off, relative; 0: not at all. */
double replay_error_bound(const struct replay *r);

struct report_writer;

struct report {
    struct output out;
    const struct report_writer *writer;
    uint32_t expected; /* kernels that were chosen */
    struct totals total;
    json_t *kernels; /* owned; what JSON and CSV gather */
};

struct report_writer {
    int (*kernel)(struct report *report, const struct result *result);
    int (*finish)(struct report *report); /* may be NULL */
};

extern const struct report_writer text_writer, json_writer, csv_writer;

/* Each says what is wrong and returns an exit status. */
int report_open(struct report *report, enum format format, const char *path,
                uint32_t expected);
int report_add(struct report *report, const struct result *result);
int report_close(struct report *report);
void report_abandon(struct report *report);

/* The JSON object of one kernel: docs/json.md. */
json_t *result_json(const struct result *r);
/*
 * What a command prints of the `chosen` kernels of a trace: the object of a
 * single one, else {"teg", "kernels"} and, if not NULL, "total".  Takes
 * `total`, not `kernels`; NULL out of memory.
 */
json_t *kernels_json(json_t *kernels, uint32_t chosen, json_t *total);
/* {"version": ..., "schema": ...} */
json_t *teg_json(void);
json_t *gpu_json(const struct teg_gpu *gpu);
/* Name, shape and counts of the result's kernel. */
json_t *kernel_json(const struct result *r);
/* A row of models[]; `simulated` cycles 0: there were none to compare with. */
json_t *model_json(const struct teg_estimate *e, double simulated);
/* The first lines of the text report: kernel, GPU, counts. */
void text_head(FILE *f, const struct result *r);
/* A number, null if it is none. */
json_t *number_json(double v);

/* The cells of a CSV row by their columns, owned by the caller; NULL out of
 * memory. */
json_t *csv_flat(json_t *object);
/* Writes a row of the cells under `columns`, an object of the same names; the
 * header where `flat` is NULL. */
void csv_cells(FILE *f, json_t *columns, json_t *flat);
/* A cell, empty for null. */
void csv_value(FILE *f, const json_t *value);
/*
 * Opens, writes an array of alike objects as CSV, a row each, closes.  Takes
 * the reference.  `columns` is the header where there is no row.
 */
int output_csv(const char *path, const char *columns, json_t *rows);

#endif
