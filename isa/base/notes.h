/*
 * Notes: remarks that do not stop the work ("header says 0 registers",
 * "3 unknown opcodes").  Collected by the readers as data, one entry per kind
 * with a count and the first occurrence; printed by tools/ at the end.
 */
#ifndef TEG_ISA_BASE_NOTES_H
#define TEG_ISA_BASE_NOTES_H

#include "isa/base/status.h"

struct teg_note {
    char kind[48];   /* stable key, e.g. "insts-count" */
    char where[192]; /* first occurrence */
    char what[320];  /* first occurrence */
    uint64_t count;  /* occurrences */
};

struct teg_notes {
    struct teg_note *note; /* owned */
    size_t count;
    int failed; /* memory ran out, and a note is missing */
};

/* Adds an occurrence of `kind`; only the first keeps its text.  Out of memory
 * drops the note silently: a remark is not worth a failure. */
void teg_notes_add(struct teg_notes *notes, const char *kind, const char *where,
                   const char *format, ...) TEG_PRINTF(4, 5);
/* Returns how often `kind` was added. */
uint64_t teg_notes_count(const struct teg_notes *notes, const char *kind);
void teg_notes_release(struct teg_notes *notes);

#endif
