/* Which launches are traced, and their traces. */
#ifndef TEG_TOOLS_CUDART_TRACER_H
#define TEG_TOOLS_CUDART_TRACER_H

#include "traces/block/block.h"

struct range {
    uint64_t from, to; /* to: behind the last; UINT64_MAX: no end */
};

struct tracer {
    const char *directory; /* NULL: no traces */
    const char *kernel;    /* pattern, NULL: all */
    struct range launches, blocks;
    uint32_t process; /* number of this process among those of the run */
    struct written *written;
};

int tracer_init(struct tracer *t);
/* True if launch `number` of a kernel of that name is to be traced. */
int tracer_wants(const struct tracer *t, const char *name, uint64_t number);
/* Runs the launch to its end, writing its trace and a line about it. */
teg_status tracer_write(struct tracer *t, struct teg_launch *launch,
                        uint64_t number, struct teg_diag *d);

#endif
