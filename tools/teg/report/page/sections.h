/*
 * The sections of a page, in the order in which they stand there.  Each
 * prints its heading and what belongs under it.
 */
#ifndef TEG_TOOLS_TEG_REPORT_PAGE_SECTIONS_H
#define TEG_TOOLS_TEG_REPORT_PAGE_SECTIONS_H

#include "tools/teg/report/chart.h"
#include "tools/teg/report/page/page.h"
#include "tools/teg/report/page/pieces.h"

enum {
    PAGE_CHARTS = 6
};

/* What it is bound by, and the figures one looks for first. */
void page_summary(FILE *f, const struct page *p);

void page_stalls(FILE *f, const struct teg_statistics *s);
void page_used(FILE *f, const struct result *r);
void page_ranking(FILE *f, const struct whatif *w);
void page_memory(FILE *f, const struct result *r);
void page_kernel_facts(FILE *f, const struct page *p);

/* Series over time; false out of memory, and then, too, each is to be
 * released. */
bool page_charts_init(struct chart chart[PAGE_CHARTS], const struct page *p);
void page_charts(FILE *f, const struct page *p,
                 const struct chart chart[PAGE_CHARTS]);

/* Each returns an exit status. */
int page_source(FILE *f, const struct page *p);
int page_instructions(FILE *f, const struct page *p);
/* The chain of instructions that bounds the warp which is done last. */
void page_critical(FILE *f, const struct critical_sequence *q);
/* Warps, the SM's memories, L2 and DRAM, and what went between them. */
void page_memory_chart(FILE *f, const struct result *r);
/* Warps over registers, shared memory and threads of a block. */
void page_occupancy(FILE *f, const struct result *r);
void page_roofline(FILE *f, const struct result *r);
void page_models(FILE *f, const struct result *r);
void page_units(FILE *f, const struct result *r);
void page_gpu_facts(FILE *f, const struct teg_gpu *gpu);
void page_remarks(FILE *f, const struct result *r);

#endif
