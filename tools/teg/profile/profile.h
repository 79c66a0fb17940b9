/*
 * A whole program: its launches replayed in the order in which they ran, what
 * share of the time each kernel has, and, of the kernels that take most of it,
 * what bounds them, where, and what would help.
 *
 *     status = profile_measure(&p);    every launch once
 *     status = profile_explain(&p);    the first kernels, with a page each
 *     status = profile_write(&p, format, path);
 *     profile_release(&p);
 *
 * An interrupt leaves what there was: `incomplete`.
 */
#ifndef TEG_TOOLS_TEG_PROFILE_PROFILE_H
#define TEG_TOOLS_TEG_PROFILE_PROFILE_H

#include "tools/teg/replay/simulate.h"
#include "tools/teg/report/hints.h"
#include "tools/teg/report/page/dygraphs.h"
#include "tools/teg/report/verdict.h"

#define PROFILE_NO_STREAM UINT32_MAX

/* A launch, or several in a row that are the same. */
struct profile_step {
    uint32_t group;    /* whose launch it is */
    uint32_t kernel;   /* of the trace, from 0 */
    uint32_t launches; /* that it stands for; what follows is of one */
    bool later;        /* carry: not the first launch of its kernel */
    bool sampled;
    uint32_t stream; /* of the program's; PROFILE_NO_STREAM: several, or the
                        list does not say */
    uint32_t grid[3], block[3];
    uint64_t cycles, warp_instructions;
    double us;
    double error_bound; /* of the cycles, relative; 0: simulated in full */
    struct verdict verdict;
};

/* A kernel: all launches of one name. */
struct profile_group {
    char *name; /* owned; the symbol */
    uint64_t launches;
    double us;         /* of all of them */
    uint32_t heaviest; /* the step that takes most of it */
    /* What that step finds, owned, of kernels that seem to be among the first; without
     * memory: not kept. */
    struct carried before;
    /* Of that step, if it was explained. */
    bool explained;
    char waiting[400]; /* most_waiting(); "" */
    struct hints hints;
    struct findings *findings; /* owned; NULL: none */
    char page[32];             /* file in `directory`; "": none */
};

struct profile {
    /* Given. */
    struct job job;          /* opened */
    const char *title;       /* the program and its arguments; borrowed */
    const char *directory;   /* of the pages; borrowed */
    struct dygraphs library; /* of the pages; for the caller to release */
    uint32_t jobs;           /* host threads; 0: one per core */
    uint32_t top;            /* kernels that are explained */
    bool exact;              /* long launches in full, and explained, too */

    /* Found. */
    /* Owned, [steps], in order: step i is the job's i-th choice. */
    struct profile_step *step;
    uint32_t steps;
    struct profile_group *group; /* owned, [groups] */
    uint32_t groups;
    uint32_t *rank;              /* owned, [groups]: most time first */
    uint64_t launches, recalled; /* an earlier one stands for so many */
    double us;
    bool incomplete;
    uint32_t streams; /* that the program has; 0: the list does not say */
};

/* Each says what is wrong and returns an exit status. */
int profile_measure(struct profile *p);
int profile_explain(struct profile *p);
/* The summary; `path` NULL: standard output. */
int profile_write(const struct profile *p, uint32_t format, const char *path);
/* index.html in p->directory. */
int profile_write_page(const struct profile *p);
/* All but the job. */
void profile_release(struct profile *p);

/* Which stream each step is of, in p->step. */
int profile_find_streams(struct profile *p);
/* "stream 2"; "graphs or several streams" */
void profile_stream_name(const struct profile *p, uint32_t stream, char *out,
                         size_t size);
/* Its share of all time in kernels, 0 where there is none. */
double profile_share(const struct profile *p, double us);
/* Findings that are worth a look: fewer of a kernel that takes little. */
uint32_t profile_findings(const struct profile *p,
                          const struct profile_group *g);
/* Whether a heavy kernel has no page since it takes long. */
bool profile_too_long(const struct profile *p, const struct profile_group *g);
/* "grid 16x16x1, block 256x1x1" */
void profile_shape(const struct profile_step *s, char *out, size_t size);

#endif
