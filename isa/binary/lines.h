/*
 * Source positions of code: which line of which file an instruction comes
 * from and, where a function was inlined, the calls around it.
 *
 * Filled from a cubin's .debug_line (isa/binary/dwarf.h) or a listing's comments.
 */
#ifndef TEG_ISA_BINARY_LINES_H
#define TEG_ISA_BINARY_LINES_H

#include "isa/base/status.h"

/* From this place of a kernel's code on, up to the next one. */
struct teg_line {
    uint64_t pc;
    uint32_t kernel; /* index in its cubin */
    uint32_t file;   /* index of its name */
    uint32_t line;   /* 0: not known */
    uint32_t call;   /* index of the call around it plus 1, 0: none */
    int ends;        /* nothing is known from here on */
    size_t order;    /* of rows of one place the last that was added counts */
};

struct teg_line_call {
    uint32_t file, line;
    uint32_t outer; /* as in struct teg_line */
};

struct teg_lines {
    char **file; /* owned, as are the names */
    size_t file_count, file_room;
    struct teg_line *row; /* owned; by kernel and pc once sorted */
    size_t row_count, row_room;
    struct teg_line_call *call; /* owned */
    size_t call_count, call_room;
};

/* Index of the file of that name, which is copied; one of the last few that
 * were added is not added again. */
teg_status teg_lines_file(struct teg_lines *l, const char *name,
                          uint32_t *index, struct teg_diag *d);
/* Number of that call, for `call` of a row or `outer` of another; a call once
 * more has the same number if it is the last that was added. */
teg_status teg_lines_call(struct teg_lines *l, const struct teg_line_call *call,
                          uint32_t *number, struct teg_diag *d);
teg_status teg_lines_add(struct teg_lines *l, const struct teg_line *row,
                         struct teg_diag *d);
/* To be called once, before looking for any. */
void teg_lines_sort(struct teg_lines *l);
/* Where the instruction comes from; NULL if that is not known. */
const struct teg_line *teg_lines_at(const struct teg_lines *l, uint32_t kernel,
                                    uint64_t pc);
void teg_lines_release(struct teg_lines *l);

#endif
