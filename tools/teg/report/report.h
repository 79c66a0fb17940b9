/*
 * Reports on replayed kernels: a page for people, named values and rows of a
 * table are made of the same struct result (report.c, struct view).
 */
#ifndef TEG_TOOLS_TEG_REPORT_REPORT_H
#define TEG_TOOLS_TEG_REPORT_REPORT_H

#include "sim/collect/by_pc.h"
#include "tools/teg/formats/writer.h"
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
    bool modeled;                        /* texts have the models too */
    bool ranked;                         /* `ranking` is told in full */
    /* Borrowed: what findings are placed by; NULL: nothing listened. */
    const struct by_pc *places;
    struct verdict verdict;
    struct findings *findings;     /* owned */
    struct teg_estimate *estimate; /* owned, [estimate_count] */
    uint32_t estimate_count;
};

/* Asks the models; `replay` must outlive the result. */
int result_init(struct result *r, const struct replay *replay);
void result_release(struct result *r);

/* How unknown opcodes were timed: "3 unknown opcodes (FOO ...), 0.2 % of warp
 * instructions, timed as iadd"; returns false if there were none. */
bool result_unknown_opcodes(const struct result *r, char *out, size_t size);

/* What is remarked of a replay, in the order of reports. */
struct result_remark {
    const char *kind; /* in JSON's notes */
    /* Writes the sentence; returns false if there is nothing to say. */
    bool (*say)(const struct result *r, char *out, size_t size);
    uint64_t (*count)(const struct result *r); /* NULL: once */
};

const struct result_remark *result_remarks(uint32_t *count);
/* What is said of a kernel that, by its symbol, is one of teg's in place of a
 * library's (tools/cublas and so on).  NULL: it is none. */
const char *stands_in(const char *name);

/* Of those: that the kernel's code is of another generation than the chip's. */
bool remark_generation(const struct teg_gpu *gpu, const struct teg_kernel *k,
                       char *out, size_t size);

struct totals {
    uint32_t kernels;
    uint64_t launches; /* an entry of a list may stand for many */
    uint64_t cycles, warp_instructions;
    double time_us;
    double as_measured_us;           /* 0: not asked for */
    uint32_t represented_kernels;    /* not simulated: others were for them */
    uint64_t simulated_instructions; /* of warp_instructions */
    double error_cycles;             /* that `cycles` may be off by */
    bool incomplete;
};

/* How far the cycles may be off, relative; 0: not at all. */
double replay_error_bound(const struct replay *r);

struct report {
    struct writer writer;
    uint32_t expected; /* kernels that were chosen */
    struct totals total;
};

/* Each says what is wrong and returns an exit status.  The report stays where
 * it is until its end.  `by_pc`: rows are instructions, not kernels. */
int report_open(struct report *report, uint32_t format, const char *path,
                uint32_t expected, bool by_pc);
int report_add(struct report *report, const struct result *result);
/* Completes it if `status` says that all is well, else throws it away. */
int report_end(struct report *report, int status);

/* The JSON object of one kernel: docs/json.md. */
json_t *result_json(const struct result *r);
/*
 * What stands around the `chosen` kernels of a trace: the object of a single
 * one, else {"teg", "kernels"} and, if not NULL, "total".  Takes `total`, not
 * `kernels`; NULL out of memory.
 */
json_t *kernels_json(json_t *kernels, uint32_t chosen, json_t *total);
/* {"version": ..., "schema": ...} */
json_t *teg_json(void);
json_t *gpu_json(const struct teg_gpu *gpu);
/* Name, shape and counts of the result's kernel. */
json_t *kernel_json(const struct result *r);
/* A row of models[]; `simulated` cycles 0: there were none to compare with. */
json_t *model_json(const struct teg_estimate *e, double simulated);
/* Of all kernels together. */
json_t *totals_json(const struct totals *t);
/* The first lines of the text report: kernel, GPU, counts. */
void text_head(FILE *f, const struct result *r);
/* All of it (a status, EXIT_DONE if all went well), and what ends the report on
 * several kernels. */
int text_result(FILE *f, const struct result *r);
void text_totals(FILE *f, const struct totals *t);
/* A number, null if it is none. */
json_t *number_json(double v);

/* What a table has of the JSON object of a kernel: its scalars as cells, but
 * for prose and most terms of the models; NULL out of memory. */
json_t *result_cells(json_t *object);
/* Before that: the terms of these models, names parted by commas, are columns,
 * too ("models.mwp-cwp.terms.CWP"). */
void result_keep_terms(json_t *object, const char *models);

#endif
