#include "tools/cudart/progress.h"
#include "tools/cudart/spent.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#define FIRST_AFTER 1.0 /* s */
#define EACH        0.2

void progress_begin(struct progress *p, const char *kernel, uint64_t blocks)
{
    *p = (struct progress){.kernel = kernel,
                           .blocks = blocks,
                           .began = spent_clock(),
                           .terminal = isatty(STDERR_FILENO) == 1};
}

void progress_step(void *self)
{
    struct progress *p = self;
    double now, left;

    p->done++;
    if (!p->terminal)
        return;
    now = spent_clock();
    if (now < p->began + FIRST_AFTER || now < p->shown_at + EACH)
        return;
    p->shown_at = now;
    left = (now - p->began) / (double)p->done * (double)(p->blocks - p->done);
    fprintf(stderr,
            "\rteg: %.40s: %" PRIu64 " of %" PRIu64 " blocks, %" PRIu64
            ":%02" PRIu64 " left\033[K",
            p->kernel, p->done, p->blocks, (uint64_t)left / 60,
            (uint64_t)left % 60);
}

void progress_hide(struct progress *p)
{
    if (p->shown_at > 0)
        fputs("\r\033[K", stderr);
    p->shown_at = 0;
}
