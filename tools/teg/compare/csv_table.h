/*
 * A table in CSV as other programs write it (RFC 4180: quotes, quotes doubled,
 * line ends of any kind), with whatever stands before and after it.
 *
 *     struct csv_table t;
 *
 *     status = csv_table_read(&t, path);
 *     for (uint32_t i = 0; i < t.row_count; i++)
 *         ... csv_cell(&t.row[i], 0) ...
 *     csv_table_release(&t);
 */
#ifndef TEG_TOOLS_TEG_COMPARE_CSV_TABLE_H
#define TEG_TOOLS_TEG_COMPARE_CSV_TABLE_H

#include <stdint.h>

struct csv_row {
    char **cell; /* borrowed from the table, [cell_count] */
    uint32_t cell_count;
    uint32_t line; /* of the file, from 1 */
};

struct csv_table {
    char *text;          /* owned: the cells */
    char **cell;         /* owned: of all rows */
    struct csv_row *row; /* owned, [row_count]: empty lines are none */
    uint32_t row_count;
};

/* An exit status; what is wrong has been said and nothing is to be
 * released. */
int csv_table_read(struct csv_table *t, const char *path);
void csv_table_release(struct csv_table *t);
/* "" where the row has no such cell. */
const char *csv_cell(const struct csv_row *row, uint32_t column);

#endif
