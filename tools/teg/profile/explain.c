/* The second pass: a page and the what-ifs of the kernels that take most. */
#include "tools/teg/profile/profile.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "tools/teg/report/page/make.h"

bool profile_too_long(const struct profile *p, const struct profile_group *g)
{
    return p->step[g->heaviest].sampled;
}

/* Step `place`, with what ran before it in `carried`. */
static int explain(struct profile *p, struct profile_group *g, uint32_t number,
                   struct carried *carried)
{
    uint32_t place = g->heaviest;
    char path[PATH_MAX];
    struct page_request page = {
        .job = p->job,
        .library = &p->library,
        .ranking = true,
        .promising = true,
        .sampling = p->exact ? SAMPLING_NEVER : SAMPLING_BY_SIZE,
        .carried = carried,
    };
    int status =
        window_parse(&page.window, p->job.gpu, p->job.gpu->sm.warps_max);

    snprintf(g->page, sizeof g->page, "kernel-%u.html", number);
    snprintf(path, sizeof path, "%.4000s/%s", p->directory, g->page);
    page.job.out = path;
    page.job.kernel = &p->job.kernel[place];
    page.job.kernel_count = 1;
    if (p->job.step != NULL)
        page.job.step = &p->job.step[place];
    page.rank.jobs = p->jobs;
    if (status == EXIT_DONE)
        status = page_make(&page);
    if (status == EXIT_DONE || status == EXIT_INTERRUPTED) {
        g->explained = true;
        if (profile_too_long(p, g))
            g->page[0] = '\0';
        memcpy(g->waiting, page.waiting, sizeof g->waiting);
        g->hints = page.hints;
        g->findings = page.findings;
        page.findings = NULL;
        if (g->findings != NULL)
            p->step[place].verdict = page.verdict;
    } else {
        g->page[0] = '\0';
    }
    page_release(&page);
    return status;
}

/* Of the first `top` kernels the one whose step comes next, or NULL. */
static struct profile_group *next_of(struct profile *p, uint32_t after,
                                     uint32_t *number)
{
    struct profile_group *next = NULL;

    for (uint32_t i = 0; i < p->groups && i < p->top; i++) {
        struct profile_group *g = &p->group[p->rank[i]];

        if (g->heaviest >= after &&
            (next == NULL || g->heaviest < next->heaviest)) {
            next = g;
            *number = i + 1;
        }
    }
    return next;
}

int profile_explain(struct profile *p)
{
    struct carried carried = {0};
    struct profile_group *g;
    uint32_t after = 0, number = 0;
    int status = EXIT_DONE;

    while (status == EXIT_DONE && (g = next_of(p, after, &number)) != NULL) {
        status = explain(p, g, number,
                         g->before.memory != NULL ? &g->before : &carried);
        carried_release(&g->before);
        after = g->heaviest + 1;
    }
    carried_release(&carried);
    p->incomplete |= status == EXIT_INTERRUPTED;
    return status;
}
