/* What the sections of a page are made of. */
#ifndef TEG_TOOLS_TEG_REPORT_PAGE_PIECES_H
#define TEG_TOOLS_TEG_REPORT_PAGE_PIECES_H

#include <stdio.h>

#include "sim/collect/by_pc.h"
#include "tools/teg/report/findings.h"

void html_heading(FILE *f, const char *text);

/* ---- cells of a table ---- */

void html_text_cell(FILE *f, const char *text);
/* A number with the value to sort by. */
void html_number_cell(FILE *f, double value, const char *text);
void html_count_cell(FILE *f, uint64_t v);
/* "n/a" where `whole` is 0. */
void html_percent_cell(FILE *f, double part, double whole);
/* Empty where `whole` is 0. */
void html_ratio_cell(FILE *f, double part, double whole);
void html_bar_cell(FILE *f, double share);
/* The line an instruction comes from; sorts by it. */
void html_position_cell(FILE *f, const struct teg_program *p,
                        const struct teg_inst *inst);

/* "axpy.cu:12", the whole path when pointed at; "line 12" of no known file. */
void html_position(FILE *f, const struct teg_program *p,
                   const struct teg_inst *inst);
/* A row of two cells: a name, and what it is. */
void html_fact(FILE *f, const char *name, const char *format, ...)
    TEG_PRINTF(3, 4);
/* A large value with its name above and a remark below. */
void html_tile(FILE *f, const char *name, const char *value,
               const char *remark);
/* A list of what to change, the first first, `most` of them at most. */
void html_findings(FILE *f, const struct findings *findings, uint32_t most);

#endif
