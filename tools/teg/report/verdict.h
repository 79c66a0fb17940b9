/*
 * One sentence on what bounds a kernel.
 *
 * Ask how much of each throughput the kernel used (issue slots, each unit,
 * the caches' and the DRAM's bandwidth).  Above VERDICT_BUSY the busiest one
 * bounds it; else nothing is busy and the warps wait: the most frequent stall
 * names for what.
 */
#ifndef TEG_TOOLS_TEG_REPORT_VERDICT_H
#define TEG_TOOLS_TEG_REPORT_VERDICT_H

#include "sim/collect/statistics.h"

#include <jansson.h>

#define VERDICT_BUSY 0.75

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
    LOAD_SHARES_MAX = TEG_MAX_UNITS + 5
};

struct verdict {
    char bound[32]; /* "dram", "unit sp", "issue", "latency", "grid" */
    char text[256]; /* one sentence */
    struct load_share share[LOAD_SHARES_MAX]; /* highest first */
    uint32_t share_count;
};

void verdict_init(struct verdict *v, const struct teg_statistics *s,
                  const struct teg_gpu *gpu);

/* GB/s the DRAM delivered. */
double dram_gbs(const struct teg_statistics *s, const struct teg_gpu *gpu);
/* Warp instructions the simulated SMs could have issued per cycle. */
double issue_slots(const struct teg_statistics *s, const struct teg_gpu *gpu);

#endif
