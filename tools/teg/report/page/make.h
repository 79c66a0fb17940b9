/*
 * The page about one launch from its trace: replays it with all that the page
 * shows listening, measures the what-ifs, writes the page and the viewers'
 * files.
 *
 *     struct page_request r = {.job = job, .ranking = true};
 *
 *     status = page_make(&r);
 *     ... r.hints, r.waiting ...
 *     page_release(&r);
 */
#ifndef TEG_TOOLS_TEG_REPORT_PAGE_MAKE_H
#define TEG_TOOLS_TEG_REPORT_PAGE_MAKE_H

#include "tools/teg/report/hints.h"
#include "tools/teg/report/page/dygraphs.h"
#include "tools/teg/report/page/page.h"
#include "tools/teg/report/series.h"

struct page_request {
    struct job job;                /* one kernel chosen; job.out: of the page */
    struct dygraphs *library;      /* borrowed */
    const char *perfetto, *konata; /* as given, or NULL */
    struct window window;
    struct opt_list what_ifs;
    bool ranking, critical;
    bool
        promising; /* what-ifs: only what the launch itself lets expect most of */
    /* Of a launch that is simulated in part there are findings and no page,
     * whose charts would show a few SMs. */
    enum sampling sampling;
    /* With --caches carry what ran so far has left, NULL: nothing has run. */
    struct carried *carried;

    /* Gathered. */
    struct by_pc by_pc;
    char waiting[400]; /* most_waiting() */
    struct whatif rank;
    struct hints hints;          /* with `ranking` */
    struct verdict verdict;      /* of the page, with the findings */
    struct findings *findings;   /* owned; NULL: no page was written */
    struct timeline *chip, *one; /* owned */
    struct timeline *sub;        /* owned, [sub_cores] of that SM */
    uint32_t sub_cores;
    struct sm_load sms;
    struct critical_sequence sequence;
    bool sequenced; /* `sequence` is there */
    struct pc_trace points;
};

/* Says what is wrong and returns an exit status; release it in any case. */
int page_make(struct page_request *r);
void page_release(struct page_request *r);

#endif
