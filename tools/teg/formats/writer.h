/*
 * A result in any format.  A command says what there is, as a view: values
 * under names, the rows of a table, a page for people made by hand.  A format
 * says how that is written: a file of this folder and a row of formats.def.
 * No command asks which one was chosen.
 *
 *     static const struct view view = {.text = print_toggles,
 *                                      .values = ranking_json,
 *                                      .table = "toggles",
 *                                      .columns = "name,cycles"};
 *
 *     return view_write(&view, &ranking, job->format, job->out);
 *
 * A result of many parts (kernels, points) is written as they come:
 *
 *     status = writer_open(&w, &view, &run, job->format, job->out);
 *     for (...; status == EXIT_DONE && ...)
 *         status = writer_add(&w, &part);
 *     return writer_end(&w, status);
 *
 * Nothing in a view fails but for want of memory: what can go wrong is found
 * before a part is added.
 */
#ifndef TEG_TOOLS_TEG_FORMATS_WRITER_H
#define TEG_TOOLS_TEG_FORMATS_WRITER_H

#include "tools/teg/cli/output.h"

#include <stdbool.h>

struct view {
    /* A page for people.  Each returns an exit status; head and foot, before
     * and after the parts, may be NULL. */
    int (*head)(FILE *f, const void *self);
    int (*text)(FILE *f, const void *part);
    int (*foot)(FILE *f, const void *self);
    bool spaced; /* an empty line between the parts */

    /* What there is of a part, under names: a new reference; NULL out of
     * memory. */
    json_t *(*values)(const void *part);
    /* What stands around the values of all parts, an array that it does not
     * take; NULL: there is one part, and its values are all. */
    json_t *(*whole)(const void *self, json_t *parts);
    bool full_digits; /* of reals; else ten */
    /* The values of a part as a line of JSON that is there already, borrowed
     * from the part.  Then each part is a line, instead of all one tree. */
    const char *(*line)(const void *part);

    /* The rows of a part's table: the member of its values of that name, ""
     * for the values themselves.  An object is one row. */
    const char *table;
    /* Instead, where rows say something else: a new array; NULL as above. */
    json_t *(*rows)(const void *part);
    const char *columns; /* the head where there is no row; NULL: none */
    /* Rows go out as they come, under the head of the first (`columns`, if
     * given): parts have the same columns, and half a table is of use. */
    bool streamed;
    /* Likewise, under the members of this: a new object; NULL out of memory.
     */
    json_t *(*all_columns)(const void *self);
    const char *row_end; /* NULL: as RFC 4180 has it */
};

/* A result under way. */
struct writer {
    const struct view *view;     /* borrowed */
    const struct format *format; /* borrowed */
    const void *self;            /* borrowed: what the view's functions get */
    struct output out;
    uint32_t count;  /* of parts so far */
    json_t *parts;   /* owned: what a format gathers */
    json_t *columns; /* owned: likewise */
};

/* What a format is.  Each returns an exit status, having said what is wrong.
 */
struct format {
    const char *name;
    bool (*takes)(const struct view *v); /* the view has what it writes */
    int (*begin)(struct writer *w);
    int (*part)(struct writer *w, const void *part);
    int (*end)(struct writer *w);
};

/* `format` is an index into format_names; `path` NULL: standard output. */
int writer_open(struct writer *w, const struct view *view, const void *self,
                uint32_t format, const char *path);
int writer_add(struct writer *w, const void *part);
/* Completes the result if `status` says that all is well, else throws it
 * away; returns the exit status. */
int writer_end(struct writer *w, int status);

/* A result of one part, which is also the view's self. */
int view_write(const struct view *view, const void *part, uint32_t format,
               const char *path);

/* The rows of a part (rows.c), a new array; NULL as the view's functions. */
json_t *view_rows(const struct view *view, const void *part);

/* ---- the option ------------------------------------------------------------ */

enum {
#define FORMAT(name, words, lines) FORMAT_INDEX_##name,
#include "tools/teg/formats/formats.def"
#undef FORMAT
    FORMATS
};

extern const char *const format_names[FORMATS + 1]; /* NULL ends them */
/* What --help says of --format; `lines`: of a long table of rows. */
extern const char format_help[], format_lines_help[];

/* The formats that a view can be written in, `first` before the others. */
struct format_choice {
    const char *name[FORMATS + 1]; /* NULL ends them */
    char help[96];
};

void format_choose(struct format_choice *c, const struct view *view,
                   const char *first);
/* Index into format_names of one that is there. */
uint32_t format_index(const char *name);

#endif
