/*
 * A launch as text, one line per executed instruction, for tests that compare
 * with what they expect:
 *
 *   block 0,0,0
 *   warp 0
 *   0010 0000000f LDG.E R4, R2 @ 1000 1004 1008 100c
 */
#ifndef TEG_TESTS_HELP_DUMP_H
#define TEG_TESTS_HELP_DUMP_H

#include "traces/trace.h"

/* What a walk over all blocks met. */
struct help_totals {
    uint64_t blocks, warps, insts, accesses;
    uint64_t address_sum;
};

/* Walks a launch to its end; `totals` is filled in any case. */
teg_status help_walk(struct teg_launch *launch, struct help_totals *totals,
                     struct teg_diag *d);

/* A trace of one kernel in memory, opened and read to the end.  Returns its
 * dump (caller frees), or NULL and `*status`.  `notes` may be NULL, else gets
 * the kernel's; `options` may be NULL. */
char *help_dump_memory(const char *name, const void *bytes, size_t size,
                       const struct teg_trace_options *options,
                       struct teg_notes *notes, teg_status *status,
                       struct teg_diag *d);
char *help_dump_launch(struct teg_launch *launch, teg_status *status,
                       struct teg_diag *d);

/* Opens and walks `bytes`, whatever they hold, and closes again. */
teg_status help_walk_memory(const char *name, const void *bytes, size_t size,
                            struct teg_diag *d);

/* Every truncation and one flipped bit per byte of `bytes` must end in an
 * error with a text or in a normal end; crashes are the sanitizer's to find. */
void help_damage(const void *bytes, size_t size);

/* The text of the first note of `kind`, "" if there is none. */
const char *help_note(const struct teg_notes *notes, const char *kind);

#endif
