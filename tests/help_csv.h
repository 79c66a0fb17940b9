/* Golden vectors: lines that begin with # are comments, then a header, then
 * one row per vector; no quoted fields. */
#ifndef TEG_TESTS_HELP_CSV_H
#define TEG_TESTS_HELP_CSV_H

#include <stdio.h>

enum {
    HELP_CSV_COLUMNS = 96,
    HELP_CSV_BYTES = 8192
};

struct help_csv {
    const char *path;
    FILE *file;
    char head_line[HELP_CSV_BYTES], line[HELP_CSV_BYTES];
    char *head[HELP_CSV_COLUMNS], *cell[HELP_CSV_COLUMNS];
    int columns;
};

/* Ends the test if there is no such file. */
void help_csv_open(struct help_csv *csv, const char *path);
/* 0 at the end, which also closes. */
int help_csv_next(struct help_csv *csv);
/* The cell of this row; ends the test if there is no such column. */
const char *help_csv(const struct help_csv *csv, const char *column);
/* NAN where the cell is empty. */
double help_csv_number(const struct help_csv *csv, const char *column);

/* `found` is `expected` to nine digits, or both are NAN. */
void help_close(double found, double expected, const char *id,
                const char *name);

#endif
