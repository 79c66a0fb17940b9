/*
 * One sentence on what bounds a kernel: the first of its findings (findings.h),
 * and how much of each throughput of the chip it used (issue slots, each unit,
 * the caches' and the DRAM's bandwidth).
 *
 * `bound` is a name for tables: of a throughput or a cause, "latency" of all
 * that warps merely wait for.
 */
#ifndef TEG_TOOLS_TEG_REPORT_VERDICT_H
#define TEG_TOOLS_TEG_REPORT_VERDICT_H

#include "sim/collect/statistics.h"
#include "tools/teg/report/findings.h"

enum {
    /* Words that atomics update, up to which their number is told as it is:
     * more are a lower bound. */
    VERDICT_WORDS = 256
};

/* A throughput of the chip and the share of it that was used. */
struct load_share {
    char name[24];
    double share; /* 0..1 of the SMs that had work */
};

enum {
    LOAD_SHARES_MAX = TEG_MAX_UNITS + 7
};

struct verdict {
    char bound[32]; /* "dram", "unit sp", "issue", "tail", "latency" */
    char text[600]; /* one sentence */
    struct load_share share[LOAD_SHARES_MAX]; /* highest first */
    uint32_t share_count;
};

/* Fills `f` too.  An exit status; what is wrong has been said. */
int verdict_init(struct verdict *v, struct findings *f,
                 const struct evidence *e);
/* How far times that teg says of the chip were from measured ones. */
void compared_text(const struct teg_gpu *gpu, char *out, size_t size);
/* The what-ifs to measure first of a replay, by what it counted. */
int verdict_trials(const struct evidence *e, struct trials *t);
/* "82 % busy", without its name. */
void verdict_share_text(const struct load_share *share,
                        const struct teg_statistics *s, char *out, size_t size);

/* GB/s the DRAM delivered. */
double dram_gbs(const struct teg_statistics *s, const struct teg_gpu *gpu);
/* Warp instructions the simulated SMs could have issued per cycle. */
double issue_slots(const struct teg_statistics *s, const struct teg_gpu *gpu);

#endif
