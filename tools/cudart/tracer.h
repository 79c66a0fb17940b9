/* Which launches are traced, and their traces. */
#ifndef TEG_TOOLS_CUDART_TRACER_H
#define TEG_TOOLS_CUDART_TRACER_H

#include "tools/cudart/simulated.h"
#include "traces/block/block.h"

struct range {
    uint64_t from, to; /* to: behind the last; UINT64_MAX: no end */
};

/* Bytes of device memory that something other than a kernel touches. */
struct touched {
    const char *what; /* static; NULL: none */
    uint64_t address, bytes;
};

struct tracer {
    const char *directory; /* NULL: no traces */
    const char *kernel;    /* pattern, NULL: all */
    struct range launches, blocks;
    uint32_t process; /* number of this process among those of the run */
    struct written *written;
    struct simulated *clock; /* owned; NULL: time is nominal */
    struct touched event;    /* the latest, not noted yet */
    uint64_t untraced;       /* launches since the latest that was */
    int lost;                /* why a line could not be written, an errno */
};

int tracer_init(struct tracer *t);
/* `what` has touched the bytes; ranges that follow on each other are one.  Is
 * noted before the next launch that is traced: what follows the last one of
 * them matters to none. */
void tracer_event(struct tracer *t, const char *what, const void *address,
                  size_t bytes);
/* A launch is not traced. */
void tracer_pass(struct tracer *t);
/* True if launch `number` of a kernel of that name is to be traced. */
int tracer_wants(const struct tracer *t, const char *name, uint64_t number);
/* Runs the launch to its end, writing its trace and a line about it.  `*kept`
 * is the file that has its trace, the tracer's as long as it lives. */
teg_status tracer_write(struct tracer *t, struct teg_launch *launch,
                        uint64_t number, const struct written **kept,
                        struct teg_diag *d);
/* The same of a launch that is known to give that trace, without running it. */
teg_status tracer_repeat(struct tracer *t, const struct written *kept,
                         const uint32_t grid[3], const uint32_t block[3],
                         uint64_t number, struct teg_diag *d);
/* What the launch of that trace takes now, by the tracer's clock. */
teg_status tracer_time(struct tracer *t, const struct written *kept, double *us,
                       struct teg_diag *d);

#endif
