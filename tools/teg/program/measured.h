/*
 * A real run as nsys exports it, a CSV (nsys.c) or the whole (nsys_sqlite.c):
 * what both make of it.
 */
#ifndef TEG_TOOLS_TEG_PROGRAM_MEASURED_H
#define TEG_TOOLS_TEG_PROGRAM_MEASURED_H

#include "tools/teg/program/program.h"

/* What is said of a launch's kernel. */
struct measured_facts {
    const char *name; /* borrowed */
    /* A grid of 0: nothing is known of its blocks. */
    uint32_t grid[3], block[3], registers, shared_bytes;
};

/* The number of that kernel, a new one where it is the first of it; `*fits` is
 * false where its block fits no SM. */
int measured_kernel(struct timed *p, const struct measured_facts *facts,
                    uint32_t *number, bool *fits);
/* When all launches are in. */
void measured_means(struct timed *p);

int timed_import_csv(struct timed *p, const char *path);
int timed_import_sqlite(struct timed *p, const char *path);

#endif
