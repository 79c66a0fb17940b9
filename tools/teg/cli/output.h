/*
 * Where a result goes: standard output, or a file that is replaced in one
 * step once it is complete (isa/base/outfile.h), and that is none of the files
 * that the command reads (inputs.h).
 */
#ifndef TEG_TOOLS_TEG_CLI_OUTPUT_H
#define TEG_TOOLS_TEG_CLI_OUTPUT_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "isa/base/name.h"
#include "isa/base/outfile.h"

struct output {
    FILE *file;             /* standard output, or `out`'s */
    struct teg_outfile out; /* zero for standard output */
};

/* What names a result: "-" is standard output. */
const char *output_path(const char *text);
bool output_is_standard(const char *path);

/* Says what kept a result from being written, with errno as that left it; not
 * a word if it is standard output whose reader has seen enough. */
int output_fault(const char *path, const struct teg_diag *d);

/* Each says what is wrong and returns an exit status. */
int output_open(struct output *o, const char *path);
/* Completes the result; a full disk or a closed pipe is found here. */
int output_close(struct output *o);
/* Throws away what was written to a file. */
void output_abandon(struct output *o);
/* Whether something could not be written; output_close or main says what. */
bool output_failed(const struct output *o);

/* Has JSON remember when memory runs out, once for the process: a value that
 * could not be made would be missing without a word. */
void watch_json(void);
/* Frees what json_dumps gave. */
void free_json_text(char *text);
bool json_ran_out(void); /* whether it did */
/* The same as an exit status, having said so. */
int check_json(void);

/* Writes `value` as an indented tree of JSON; `flags` are Jansson's. */
int print_json(FILE *f, const json_t *value, size_t flags);
/* Makes the folder `path` with those it lies in, for `what` ("pages"). */
int output_directory(const char *path, const char *what);
/* Opens, writes `value` as indented JSON, closes.  Takes the reference. */
int output_json(const char *path, json_t *value);

/* Text as a CSV cell: quoted where it must be, behind a ' where a spreadsheet
 * would take it for a formula (docs/usage.md). */
void print_csv_text(FILE *f, const char *text);

/* A kernel's name for people: that of its source, without parameters, or
 * "(unnamed kernel)". */
const char *kernel_title(const char *name, char out[TEG_NAME_MAX]);
/* The same in at most `width` bytes: where it is longer, without the namespaces
 * it begins with, and then cut. */
const char *kernel_title_in(const char *name, size_t width,
                            char out[TEG_NAME_MAX]);
/* What follows the last slash. */
const char *base_name(const char *path);
/* A path for people: what could move a terminal as escapes. */
const char *path_title(const char *path, char out[TEG_NAME_MAX]);
/* What a C++ symbol stands for, with parameters; null for any other name. */
json_t *demangled_json(const char *name);

/* Text of a user or a file, with escapes where it is not UTF-8 or could move a
 * terminal (isa/base/printable.h). */
json_t *json_text(const char *text);

/* A ratio as JSON, null where `whole` is 0: not modelled is never 0. */
json_t *json_ratio(double part, double whole);

/* Prints `text` and a newline, wrapped between words at 79 columns; the first
 * line begins at `column`, the others are indented. */
void print_wrapped(FILE *f, const char *text, int column, int indent);

/* Writes `v` with thousands separators into `out`: "1,234,567". */
const char *with_commas(uint64_t v, char out[28]);

#endif
