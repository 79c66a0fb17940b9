/*
 * Where a result goes: standard output, or a file that is replaced in one
 * step once it is complete, so that nobody ever reads half a result.
 */
#ifndef TEG_TOOLS_TEG_CLI_OUTPUT_H
#define TEG_TOOLS_TEG_CLI_OUTPUT_H

#include <jansson.h>
#include <stdint.h>
#include <stdio.h>

#include "isa/base/name.h"

struct output {
    FILE *file;
    const char *path; /* borrowed; NULL: standard output */
    char *temporary;  /* owned; NULL when written in place (a device) */
};

/* Each says what is wrong and returns an exit status. */
int output_open(struct output *o, const char *path);
/* Completes the result; a full disk or a closed pipe is found here. */
int output_close(struct output *o);
/* Throws away what was written to a file. */
void output_abandon(struct output *o);

/* Opens, writes `value` as indented JSON, closes.  Takes the reference. */
int output_json(const char *path, json_t *value);

/* Text as a CSV cell: quoted where it must be. */
void print_csv_text(FILE *f, const char *text);

/* A kernel's name for people: that of its source, without parameters, or
 * "(unnamed kernel)". */
const char *kernel_title(const char *name, char out[TEG_NAME_MAX]);
/* What a C++ symbol stands for, with parameters; null for any other name. */
json_t *demangled_json(const char *name);

/* Text for a cell of a table as it stands in a file, UTF-8 or not. */
json_t *json_cell(const char *text);

/* A ratio as JSON, null where `whole` is 0: not modelled is never 0. */
json_t *json_ratio(double part, double whole);

/* Prints `text` and a newline, wrapped between words at 79 columns; the first
 * line begins at `column`, the others are indented. */
void print_wrapped(FILE *f, const char *text, int column, int indent);

/* Writes `v` with thousands separators into `out`: "1,234,567". */
const char *with_commas(uint64_t v, char out[28]);

#endif
