/* Rows of entries, entries of rows, and columns in place of rows. */
#ifndef TEG_TOOLS_CUSPARSE_CONVERT_H
#define TEG_TOOLS_CUSPARSE_CONVERT_H

#include "tools/cusparse/sort.h"

/* The row of each entry, by its offsets. */
int convert_rows_of(const struct sparse *s, const struct sparse_rows *a,
                    void *rows, int wide, int64_t base);
/* Where the rows of entries that are in order begin. */
int convert_offsets_of(const struct sparse *s, const void *rows, int wide,
                       int64_t base, int64_t nnz, int64_t row_count,
                       void *offsets, int wide_offsets, int64_t offsets_base);

/* A matrix by rows, of one by columns or one whose entries are in any order;
 * values stay where they are.  Indices of it begin with 0 and are of 32 bits. */
struct turned {
    struct sorter sorter;
    unsigned *row_of;      /* as entries were */
    int *offsets;          /* [rows + 1] */
    int *minor;            /* [nnz] */
    const unsigned *order; /* places of their values */
};
void turned_init(struct turned *t, int64_t rows, int64_t nnz,
                 struct sparse_room *room);
/* `rows`: as it will have; `columns` likewise. */
int turned_make(const struct sparse *s, struct turned *t,
                const struct sparse_rows *a, enum sparse_view view,
                int64_t rows);

#endif
