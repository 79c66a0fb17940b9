/*
 * The table per static instruction, `teg run --by-pc`:
 *
 *   instruction axpy.cu:line     issued stalled of time most of it         for
 *   0x030 FFMA R5, R4, R6, R5 :8      4    2812  48.6 % long_scoreboard    0x020
 *
 * "for" is the instruction whose result was waited for longest.
 */
#ifndef TEG_TOOLS_TEG_REPORT_INSTRUCTIONS_H
#define TEG_TOOLS_TEG_REPORT_INSTRUCTIONS_H

#include "sim/collect/by_pc.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Whether any of its instructions says from which source line it comes. */
bool has_lines(const struct teg_program *p);
/* `resident`: warp-cycles of the whole kernel. Returns EXIT_DONE, or a fault
 * after saying so. */
int print_instructions(FILE *f, const struct by_pc *b, uint64_t resident);
/* instructions[] of docs/json.md, in the program's order. */
json_t *instructions_json(const struct by_pc *b);
/* Its source line and file, null where not known. */
json_t *line_json(const struct teg_inst *inst);
json_t *file_json(const struct teg_program *p, const struct teg_inst *inst);
/* The same as rows of a table, `kernel` the number in the first column. */
json_t *instructions_rows(const struct by_pc *b, uint32_t kernel);

/* Where an instruction comes from: "axpy.cu:12", ":12" if all come from one
 * file, none is known or its name is too long, "" if nothing is known. */
const char *source_position(const struct teg_program *p,
                            const struct teg_inst *inst, char out[24]);

/* For the head of such a column: "axpy.cu:line", or "" if there is no one file.
 */
const char *source_column(const struct teg_program *p, char out[24]);

/* "LDS R5, [R4] at transpose.cu:25", or without a place where none is known. */
void instruction_title(const struct teg_program *p, const struct teg_inst *inst,
                       char *out, size_t size);
/* "LDS R5, [R4] at transpose.cu:25, 43 % of the warps' time": before which
 * instruction warps waited longest, of `resident` warp-cycles; "" if nobody
 * waited. */
void most_waiting(const struct by_pc *b, uint64_t resident, char *out,
                  size_t size);

/* "1.23M": `v` in at most six characters. */
const char *short_count(uint64_t v, char out[24]);

#endif
