/*
 * A program in time: its score played on a chip.
 *
 * Models: streams, events and graphs as the CUDA programming guide has them
 * (tasks.c); a host that makes its calls one after the other; launches that
 * begin a gap after what they wait for and share SMs (floor.h); copies that
 * share a link (link.h).  Launches that are alike were simulated once, alone:
 * what they take beside each other follows from what each needs of the chip, or
 * is simulated.
 * Leaves out: more than one GPU.
 */
#ifndef TEG_SIM_PROGRAM_PROGRAM_H
#define TEG_SIM_PROGRAM_PROGRAM_H

#include "config/occupancy.h"
#include "traces/block/cursor.h"
#include "traces/list/score.h"

/* What launches beside each other contend for: shares of what the chip has. */
enum sim_use {
    SIM_USE_ISSUE, /* issue slots */
    SIM_USE_UNIT,  /* the unit that is busiest */
    SIM_USE_L2,
    SIM_USE_DRAM,
    SIM_USES
};

/* Launches that are alike: as one of them behaves alone. */
struct sim_program_kernel {
    double us;
    uint64_t blocks;        /* 0: nothing is known but the time */
    uint32_t blocks_per_sm; /* at most */
    struct teg_block_needs needs;
    double use[SIM_USES]; /* 0 to 1, on average */
};

enum sim_task_kind {
    SIM_TASK_LAUNCH,
    SIM_TASK_TO_DEVICE,
    SIM_TASK_FROM_DEVICE,
    SIM_TASK_ON_DEVICE,
    SIM_TASK_PEER,
    SIM_TASK_SET,
    SIM_TASK_HOST, /* a function of the host, in a stream */
    SIM_TASK_MARK, /* takes no time: an event, the end of a graph */
    SIM_TASK_KINDS
};

/* Why a task did not begin earlier. */
enum sim_wait {
    SIM_WAIT_START,  /* nothing: it is the first */
    SIM_WAIT_CALL,   /* the host had not called */
    SIM_WAIT_STREAM, /* what is before it in its stream or graph */
    SIM_WAIT_EVENT,
    SIM_WAIT_SPACE, /* other launches' blocks */
    SIM_WAIT_COPY,  /* a copy before it on the same engine */
    SIM_WAIT_QUEUE, /* what is before it in its queue */
    SIM_WAITS
};

struct sim_program_task {
    uint8_t kind; /* enum sim_task_kind */
    uint8_t pinned, in_graph, dependent;
    uint8_t records;  /* a mark that is the record of an event */
    uint8_t timed;    /* whose time can be read */
    uint8_t begins;   /* a mark with which a graph begins */
    uint8_t faults;   /* pages that the launch behind it touches first */
    uint32_t kernel;  /* of a launch */
    uint32_t primary; /* task that it depends on programmatically, so that it
                         may be on the chip before that has ended; or
                         TEG_SCORE_NONE */
    uint32_t stream;
    uint32_t entry; /* of the score */
    uint32_t node;  /* of its graph; TEG_SCORE_NONE: none */
    double bytes;
    uint64_t address;  /* that a copy or set writes, on the device */
    double us;         /* as given; < 0: from the model */
    uint32_t l1_bytes; /* of a launch that comes to an idle chip: what those of
                          its busy period leave to L1; 0: all that may come */
    uint32_t from;     /* first of its edges */
    uint32_t froms;
    /* found */
    double start, end;
    double ready;     /* when all but space was there */
    uint8_t why;      /* enum sim_wait */
    uint32_t because; /* task that it waited for; TEG_SCORE_NONE: the host */
};

struct sim_program_edge {
    uint32_t task;
    uint8_t why;        /* enum sim_wait */
    uint8_t from_start; /* after its start; else its end */
};

/* A call of a host: puts tasks [task, task + tasks) in, then waits. */
struct sim_program_call {
    uint32_t host, entry;
    uint32_t task, tasks;
    uint32_t wait; /* task; TEG_SCORE_NONE: does not */
    uint8_t busy;  /* the call takes host_us */
    uint8_t late;  /* it does not, but what it puts in begins as a launch */
    uint8_t graph; /* graph_host_us */
    double before; /* us with something else */
    /* found */
    double start, end;
};

struct sim_program {
    struct sim_program_task *task; /* owned, [tasks]: in the order of calls */
    uint32_t tasks, task_capacity;
    struct sim_program_edge *edge; /* owned, [edges] */
    uint32_t edges, edge_capacity;
    struct sim_program_call *call; /* owned, [calls]: in order */
    uint32_t calls, call_capacity;
    uint32_t hosts;
};

enum {
    SIM_PROGRAM_TASKS_MAX = 1 << 24,
    SIM_PROGRAM_EDGES_MAX = 1 << 28,
};

/* Launches to be simulated together, where they are on the chip at a time. */
struct sim_program_source {
    void *self;
    uint32_t kernels;
    /* Launch of kernel `kernel` ([kernels], as tasks name them) at its first
     * block, the caller's to close; and which program it is of. */
    teg_status (*open)(void *self, uint32_t kernel, struct teg_launch *launch,
                       struct teg_diag *d);
    uint32_t (*code)(void *self, uint32_t kernel);
    int cold; /* caches are empty whenever nothing is on the chip; else what
                 those before have left, and copies */
    uint32_t threads; /* of the host, at most; 0 is 1 */
    int (*progress)(void *self, uint64_t blocks_done, uint64_t cycle);
    void *progress_self;
};

/* Hears where blocks are: `blocks` more, or fewer, of `task` on an SM. */
struct sim_program_watch {
    void *self;
    void (*places)(void *self, uint32_t task, uint32_t sm, int blocks,
                   double us); /* NULL: nobody does */
};

/* How it is played, and what is changed for a what-if. */
struct sim_program_options {
    /* Borrowed; NULL: how launches get on beside each other is estimated from
     * what each needs alone (floor.h), as on an infinite chip always. */
    const struct sim_program_source *source;
    struct sim_program_watch watch;
    int serial;        /* one task after the other */
    int infinite_chip; /* launches and copies do not get in each other's way */
    int infinite_streams; /* order in a stream holds nobody up */
    int no_gaps;          /* launching takes no time */
    int one_graph;        /* all launches are nodes of graphs */
    uint32_t fused[2];    /* kernels: a launch of the second behind one of the
                             first is part of it; TEG_SCORE_NONE: none */
    uint32_t without;     /* launches of this kernel take no time */
    int without_copies;
};

struct sim_program_result {
    double us;               /* until the last task, and host, is done */
    double launch_us;        /* in launches, as if one after the other */
    double copy_us, busy_us; /* in copies and sets; something is under way */
    uint32_t last;           /* the task, or TEG_SCORE_NONE: the host */
    uint64_t beside; /* launches that came while another was there, or depend on
                        one programmatically */
};

/* The tasks of a score; `program` is to be released. */
teg_status sim_program_init(struct sim_program *program,
                            const struct teg_score *score,
                            const struct teg_gpu *gpu,
                            const struct sim_program_options *options,
                            struct teg_diag *d);
/* Plays it.  TEG_DEADLOCK says who waits for whom. */
teg_status sim_program_play(struct sim_program *program,
                            const struct teg_score *score,
                            const struct sim_program_kernel *kernel,
                            const struct teg_gpu *gpu,
                            const struct sim_program_options *options,
                            struct sim_program_result *result,
                            struct teg_diag *d);
void sim_program_release(struct sim_program *program);
/* Nothing is changed. */
struct sim_program_options sim_program_plain(void);
const char *sim_wait_name(enum sim_wait why);
const char *sim_task_name(enum sim_task_kind kind);
/* The same, or what else it is. */
const char *sim_task_word(const struct sim_program_task *task);

#endif
