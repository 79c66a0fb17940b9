#include "tests/help_csv.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int cut(char *line, char **cell)
{
    int cells = 0;
    char *at = line;

    line[strcspn(line, "\r\n")] = '\0';
    while (cells < HELP_CSV_COLUMNS) {
        cell[cells++] = at;
        at = strchr(at, ',');
        if (at == NULL)
            break;
        *at++ = '\0';
    }
    return cells;
}

static int read_line(struct help_csv *csv, char *line)
{
    do {
        if (fgets(line, HELP_CSV_BYTES, csv->file) == NULL)
            return 0;
    } while (line[0] == '#');
    return 1;
}

void help_csv_open(struct help_csv *csv, const char *path)
{
    csv->path = path;
    csv->file = fopen(path, "r");
    ck_assert_msg(csv->file != NULL, "cannot open %s", path);
    ck_assert_msg(read_line(csv, csv->head_line), "%s is empty", path);
    csv->columns = cut(csv->head_line, csv->head);
}

int help_csv_next(struct help_csv *csv)
{
    if (!read_line(csv, csv->line)) {
        fclose(csv->file);
        csv->file = NULL;
        return 0;
    }
    ck_assert_msg(cut(csv->line, csv->cell) == csv->columns,
                  "%s: a row has not as many cells as the header", csv->path);
    return 1;
}

const char *help_csv(const struct help_csv *csv, const char *column)
{
    for (int i = 0; i < csv->columns; i++) {
        if (strcmp(csv->head[i], column) == 0)
            return csv->cell[i];
    }
    ck_abort_msg("no column '%s' in %s", column, csv->path);
}

double help_csv_number(const struct help_csv *csv, const char *column)
{
    const char *text = help_csv(csv, column);

    return *text != '\0' ? strtod(text, NULL) : nan("");
}

void help_close(double found, double expected, const char *id, const char *name)
{
    if (isnan(expected))
        ck_assert_msg(isnan(found), "%s %s: expected undefined, found %g", id,
                      name, found);
    else
        ck_assert_msg(fabs(found - expected) <= 1e-9 * fabs(expected),
                      "%s %s: expected %.12g, found %.12g", id, name, expected,
                      found);
}
