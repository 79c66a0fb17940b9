/*
 * A draft being made: what was measured, the most similar known chip, and the
 * scalars that follow from both.  Inside draft*.c only.
 */
#ifndef TEG_TOOLS_TEG_GPU_DRAFT_VALUES_H
#define TEG_TOOLS_TEG_GPU_DRAFT_VALUES_H

#include "config/param.h"
#include "tools/teg/gpu_draft/measured.h"

#include <limits.h>
#include <stdio.h>

enum {
    DRAFT_PARAMS_MAX = 256,
    DRAFT_SOURCE_SIZE = 192, /* as in struct teg_fact */
};

/* A scalar that the draft gives. */
struct given {
    bool set;
    double value; /* an enumerator for a choice */
    char source[DRAFT_SOURCE_SIZE];
};

struct draft {
    struct measured m;
    struct teg_gpu *like; /* owned; the most similar known chip */
    char like_file[128];  /* "a100.cfg" */
    char like_directory[PATH_MAX];
    char family[256];                     /* as that chip names it, or "" */
    struct given param[DRAFT_PARAMS_MAX]; /* in the order of params.def */
    bool timing[TEG_CLASSES];             /* has a row in the draft */
    FILE *f;
};

/* Fills `param` from the measurements, the driver's report and the similar
 * chip, in this order of preference. */
void draft_gather(struct draft *a);

/* Does a fact stand in the similar chip's own file, not in its family's? */
bool draft_is_own(const struct draft *a, const struct teg_fact *f);

/* "M tools/measure on NVIDIA A100, driver 12.4" */
const char *draft_source(const struct draft *a, char out[DRAFT_SOURCE_SIZE]);

/* Instances of a class's units on an SM of the similar chip. */
double draft_instances(const struct draft *a, const struct teg_timing *t);

#endif
