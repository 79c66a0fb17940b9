/*
 * A play under way: tasks, the host's calls, the SMs and the link, and what
 * happens next.
 *
 * A whole score is played at once (program.c), or as it is written: then time
 * stands still where the host's next call is not there yet (live.c), for all
 * that may be called then.
 */
#ifndef TEG_SIM_PROGRAM_PLAY_H
#define TEG_SIM_PROGRAM_PLAY_H

#include <stddef.h>

#include "sim/program/floor.h"
#include "sim/program/link.h"

/* Something at a time of its own. */
struct happening {
    double at;
    uint64_t sequence; /* of two at the same time the first comes first */
    uint8_t what;      /* enum */
    uint32_t number;   /* task, or host */
};

struct play_host {
    uint32_t next;  /* call, in the host's own */
    uint32_t *call; /* owned, [calls] */
    uint32_t calls;
    size_t capacity;
    uint32_t waits; /* call it is in, which waits; TEG_SCORE_NONE: none */
    double now;
    int prepared; /* has done what it does before its next call */
};

/* What is known of a task besides. */
struct play_task {
    uint32_t left; /* edges, and its call, not there yet */
    uint8_t begun, done, on_floor;
    uint32_t first, last; /* edges of those that come after it; or NONE */
    uint32_t waiter;      /* call that waits for it, or NONE */
};

struct play_edge {
    uint32_t owner; /* task whose edge it is */
    uint32_t next;  /* edge from the same task; or NONE */
};

struct play {
    struct sim_program *p;
    const struct teg_score *score;
    const struct sim_program_kernel *kernel;
    const struct teg_gpu *gpu;
    const struct sim_program_options *options;
    int live;                /* calls are still to come */
    int starved;             /* a host has none */
    int under_way;           /* in the moment `now` */
    struct sim_floor *floor; /* owned */
    struct sim_link link;
    struct happening *heap; /* owned */
    uint32_t heaped, heap_capacity;
    uint64_t sequence;
    struct play_task *task; /* owned, [tasks] */
    uint32_t tasks;
    size_t task_capacity;
    struct play_edge *edge; /* owned, [edges] */
    uint32_t edges;
    size_t edge_capacity;
    uint32_t calls;         /* that hosts have */
    struct play_host *host; /* owned, [hosts] */
    uint32_t hosts;
    /* What started and ended while time went on. */
    struct play_report {
        uint32_t task, after;
        double at;
        uint8_t ended;
    } * report; /* owned */
    uint32_t reports, report_capacity;
    int failed; /* no memory in a callback */
    uint32_t unfinished, on_floor;
    double now, busy_from;
    uint32_t running;
    struct sim_program_result *result;
    struct teg_diag *d;
};

/* With what it borrows filled in; to be released, also after an error. */
teg_status play_init(struct play *y);
void play_release(struct play *y);
/* Takes the tasks and calls that the program has got since. */
teg_status play_take(struct play *y);
/* As long as anything happens; of a play that is live, until a host has no
 * call. */
teg_status play_run(struct play *y);
/* The host makes its first call at the beginning; the one that had none has
 * got one. */
teg_status play_begin_host(struct play *y, uint32_t host);
teg_status play_go_on(struct play *y, uint32_t host);
teg_status play_fail_deadlock(const struct play *y);

#endif
