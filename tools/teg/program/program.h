/*
 * A program in time: its kernels simulated once each, its score played with
 * them, and what comes of it: a time line, the critical path, what would make
 * it shorter.
 *
 *     status = timed_simulate(&p);   the kernels
 *     status = timed_play(&p);       the score, and what-ifs of it
 *     status = timed_write(&p);
 *     timed_release(&p);
 */
#ifndef TEG_TOOLS_TEG_PROGRAM_PROGRAM_H
#define TEG_TOOLS_TEG_PROGRAM_PROGRAM_H

#include "sim/program/program.h"
#include "tools/teg/replay/simulate.h"

enum {
    TIMED_WHATIFS_MAX = 16,
    /* Warp instructions of all launches up to which those beside each other are
     * simulated together without being asked: a play takes seconds then, and
     * there are some fifteen. */
    TIMED_TOGETHER_MAX = 2000000,
};

/* Launches of one kernel that find the same caches. */
struct timed_kernel {
    char *name; /* owned; the symbol */
    uint32_t grid[3], block[3];
    bool later;            /* not the first launch */
    double cycles;         /* alone */
    uint64_t instructions; /* of warps */
    double error_bound;
    uint32_t l1_bytes; /* that it leaves to L1 */
    uint64_t launches;
    /* In the play: */
    double us;         /* of all its launches, start to end */
    double path_us;    /* of them, on the critical path */
    double without_us; /* the whole, if they took no time; < 0: not tried */
};

/* What the critical path is made of besides kernels. */
enum timed_part {
    PART_COPIES,
    PART_GAPS,    /* between a launch and what it waited for */
    PART_LATENCY, /* between a call and its launch */
    PART_HOST,    /* calls, and what the host does between them */
    PART_SYNC,    /* until the host goes on behind what it waited for */
    TIMED_PARTS
};

/* A launch has blocks on an SM. */
struct timed_place {
    uint32_t task, sm;
    double from, to; /* us */
};

struct timed_places {
    uint32_t sms;
    struct timed_place *place; /* owned, [places]: in the order in which they
                                  end */
    size_t places, capacity;
    uint64_t left_out;      /* too many */
    struct active **active; /* owned, as are they, [actives] */
    size_t actives, active_capacity;
};

struct timed_whatif {
    char name[160];
    double us;
};

struct timed {
    /* Given. */
    struct job job;    /* opened */
    const char *title; /* borrowed */
    bool exact, estimate, serial, no_ranking;
    bool measured; /* what nsys has measured: nothing was simulated */
    uint32_t jobs;
    uint32_t rows;        /* of the text's table */
    const char *timeline; /* where the Perfetto file goes; NULL: nowhere */
    const char *page;     /* and the page */
    const struct opt_list *fused; /* "A,B" each; borrowed, or NULL */

    /* Found. */
    struct timed_kernel *kernel;      /* owned, [kernels]: two of each in the
                                       trace, the first launch and later ones */
    struct sim_program_kernel *alone; /* owned, [kernels] */
    uint64_t recalled; /* launches for which an earlier one stands */
    uint32_t kernels, kernel_room;
    double
        measured_us; /* of a real run, from its first call on; 0: not known */
    bool together;   /* launches beside each other were simulated so */
    struct sim_program_source source; /* of these */
    struct opening *openings;         /* owned */
    struct timed_places on;           /* owned; where the timeline wants them */
    struct teg_score own;             /* where the trace has none; owned */
    const struct teg_score *score;    /* borrowed */
    uint32_t *l1_bytes; /* owned, of each task: sim_program_task has it; NULL */
    struct sim_program tasks; /* owned */
    struct sim_program_result result;
    double serial_us, least_us;  /* one after the other; without waiting for
                                   places */
    double part_us[TIMED_PARTS]; /* on the critical path */
    double copies_without_us;
    struct timed_whatif whatif[TIMED_WHATIFS_MAX];
    uint32_t whatifs;
};

/* Each says what is wrong and returns an exit status. */
int timed_simulate(struct timed *p);
/* Instead of both, from what nsys exports of a real run; needs the GPU. */
bool timed_is_measured(const char *path);
int timed_import(struct timed *p, const char *path);
int timed_play(struct timed *p);
int timed_write(const struct timed *p);
int timed_write_timeline(const struct timed *p);
int timed_write_page(const struct timed *p);
void timed_release(struct timed *p);

/* What launches that are on the chip in one busy period leave to L1, by a play
 * that estimates them; the caller's to free, NULL: no memory. */
uint32_t *timed_divide(const struct timed *p);
/* The launches, to be simulated beside each other. */
struct sim_program_source timed_launches(struct timed *p);
void timed_launches_release(struct timed *p);
/* Hears where they are. */
struct sim_program_watch timed_places_watch(struct timed_places *places);
/* By SM, then by when they begin. */
void timed_places_sort(struct timed_places *places);
void timed_places_release(struct timed_places *places);

/* Fills the parts of the critical path. */
void timed_find_path(struct timed *p);
const char *timed_part_name(enum timed_part part);
/* What a task does, for people. */
const char *timed_task_title(const struct timed *p, uint32_t task,
                             char out[TEG_NAME_MAX]);
/* Whether it has anything to show. */
bool timed_has_tasks(const struct timed *p, uint32_t stream);

#endif
