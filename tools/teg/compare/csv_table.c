#include "tools/teg/compare/csv_table.h"

#include "isa/base/buffer.h"
#include "tools/teg/cli/teg.h"

#include <stdlib.h>
#include <string.h>

const char *csv_cell(const struct csv_row *row, uint32_t column)
{
    return column < row->cell_count ? row->cell[column] : "";
}

void csv_table_release(struct csv_table *t)
{
    free(t->text);
    free(t->cell);
    free(t->row);
    *t = (struct csv_table){0};
}

static bool ends_line(char c)
{
    return c == '\n' || c == '\r' || c == '\0';
}

/* Writes the cell at `*from` to `*to`, which is not behind it, and leaves
 * `*from` at what ended it.  Returns false if a quote is not closed. */
static bool take_cell(char **from, char **to, uint32_t *line)
{
    char *p = *from, *out = *to;

    if (*p == '"') {
        bool closed = false;

        for (p++; *p != '\0' && !closed; p++) {
            closed = *p == '"' && p[1] != '"';
            p += *p == '"' && !closed;
            *line += *p == '\n';
            if (!closed)
                *out++ = *p;
        }
        if (!closed)
            return false;
    }
    /* What other programs print between tables may have quotes anywhere. */
    while (*p != ',' && !ends_line(*p))
        *out++ = *p++;
    *from = p;
    *to = out;
    return true;
}

/* Cells are ended in place once what ended them has been read. */
static int take_rows(struct csv_table *t, const char *path)
{
    uint32_t line = 1, cells = 0;
    char *p = t->text;

    while (*p != '\0') {
        struct csv_row *row = &t->row[t->row_count];
        char end, *to = p;

        *row = (struct csv_row){.cell = &t->cell[cells], .line = line};
        do {
            t->cell[cells++] = to;
            row->cell_count++;
            if (!take_cell(&p, &to, &line)) {
                say(path, "line %u: a quote is not closed", row->line);
                return EXIT_FAULT;
            }
            end = *p;
            *to++ = '\0';
            p += end != '\0';
        } while (end == ',');
        if (end == '\r' && *p == '\n')
            p++;
        line++;
        if (row->cell_count > 1 || row->cell[0][0] != '\0')
            t->row_count++;
    }
    return EXIT_DONE;
}

/* As many cells and rows as there can be. */
static int make_room(struct csv_table *t, size_t length)
{
    size_t cells = 1, rows = 1;

    for (size_t i = 0; i < length; i++) {
        cells += t->text[i] == ',' || ends_line(t->text[i]);
        rows += ends_line(t->text[i]);
    }
    t->cell = calloc(cells, sizeof *t->cell);
    t->row = calloc(rows + 1, sizeof *t->row);
    return t->cell != NULL && t->row != NULL ? EXIT_DONE : say_memory();
}

/* The text without the mark that some programs begin UTF-8 with. */
static int take_text(struct csv_table *t, const char *path, size_t *length)
{
    static const char mark[] = "\xef\xbb\xbf";
    struct teg_buffer b = {0};
    struct teg_diag d;
    size_t skip;
    int status = EXIT_DONE;

    if (teg_buffer_file(&b, path, &d) != TEG_OK)
        return say_fault(&d);
    skip = b.size >= 3 && memcmp(b.data, mark, 3) == 0 ? 3 : 0;
    *length = b.size - skip;
    t->text = malloc(*length + 1);
    if (t->text == NULL) {
        status = say_memory();
    } else if (*length != 0 && memchr(b.data, '\0', b.size) != NULL) {
        say(path, "expected a table in CSV as UTF-8, found a zero byte");
        status = EXIT_FAULT;
    } else {
        if (*length != 0)
            memcpy(t->text, b.data + skip, *length);
        t->text[*length] = '\0';
    }
    teg_buffer_release(&b);
    return status;
}

int csv_table_read(struct csv_table *t, const char *path)
{
    size_t length = 0;
    int status;

    *t = (struct csv_table){0};
    status = take_text(t, path, &length);
    if (status == EXIT_DONE)
        status = make_room(t, length);
    if (status == EXIT_DONE)
        status = take_rows(t, path);
    if (status != EXIT_DONE)
        csv_table_release(t);
    return status;
}
