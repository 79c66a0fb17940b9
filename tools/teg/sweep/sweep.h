/*
 * The parts of `teg sweep`: the plan (which points there are), one point, the
 * journal (rows of finished points) and what is written of them.
 *
 * A point is one kernel launch under one value of each axis.  Points are
 * numbered from 0 through the axes as through the digits of a number, the
 * first axis slowest; a row is one line of compact JSON.  docs/sweep.md
 */
#ifndef TEG_TOOLS_TEG_SWEEP_SWEEP_H
#define TEG_TOOLS_TEG_SWEEP_SWEEP_H

#include "isa/base/buffer.h"
#include "tools/teg/replay/clusters.h"
#include "tools/teg/report/report.h"
#include "traces/store.h"

enum sweep_kind {
    SWEEP_LAUNCH,  /* a kernel of a trace */
    SWEEP_PARAM,   /* a parameter of a sketch */
    SWEEP_GPU,     /* a description */
    SWEEP_CLOCK,   /* the SMs' clock, of each description */
    SWEEP_KEY,     /* a value of the description */
    SWEEP_SHAPE,   /* a fact of the launch: launch.* */
    SWEEP_WHAT_IF, /* "" is as it is */
};

enum {
    SWEEP_AXES_MAX = 96,
    SWEEP_POINTS_MAX = 1 << 26, /* a journal's table has a row for each: 1 GB */
    SWEEP_DIGEST_SIZE = 17,
    SWEEP_VALUE_SIZE = 256,
};

struct sweep_axis {
    enum sweep_kind kind;
    char key[96]; /* "sm.warps_max", "param.N", "what-if" */
    char **value; /* owned, and so is each, [count] */
    uint32_t count;
};

/* The command line, borrowed from argv. */
struct sweep_request {
    char **trace; /* [traces] */
    int traces;
    const char *gpus;   /* joined by commas; NULL: by architecture */
    const char *clocks; /* values in MHz, or NULL: the descriptions' */
    const char *config_dir, *kernel_choice, *isa;
    const char *active_warps; /* values, or NULL */
    uint32_t registers, sms;
    enum sampling sampling;
    uint32_t caches;          /* CACHES_COLD or CACHES_WARM */
    const char *similar;      /* --similar, or NULL */
    uint32_t workers;         /* processes that look at the traces */
    struct opt_list set;      /* KEY=VALUE, for every point */
    struct opt_list vary;     /* KEY=VALUES */
    struct opt_list param;    /* NAME=VALUES */
    struct opt_list what_ifs; /* a value each, perhaps several joined */
};

/* A kernel of a trace. */
struct sweep_launch {
    const char *path; /* borrowed */
    uint32_t kernel;
};

struct sweep_plan {
    const struct sweep_request *request; /* borrowed */
    struct sweep_axis axis[SWEEP_AXES_MAX];
    uint32_t axes;
    struct sweep_launch *launch; /* owned, the values of the launch axis */
    struct teg_gpu **gpu;        /* owned, at each clock in turn */
    uint32_t gpus;
    uint64_t points;
    uint64_t listed;          /* hash of the files that lists name */
    struct clusters clusters; /* of the launch axis */
    /* Of everything that rows depend on, trace contents included. */
    char digest[SWEEP_DIGEST_SIZE];
};

/* Reads the request and checks what can be before the first point: names,
 * keys, ranges, files.  Says what is wrong and returns an exit status. */
int sweep_plan_init(struct sweep_plan *plan, const struct sweep_request *r);
void sweep_plan_release(struct sweep_plan *plan);
/* Index into `axis->value` at `point`. */
uint32_t sweep_plan_digit(const struct sweep_plan *plan, uint32_t axis,
                          uint64_t point);
/* How many points in a row are of one trace's launch as it is: what a worker
 * has open holds for the next one. */
uint64_t sweep_plan_stretch(const struct sweep_plan *plan);
/* The point that is simulated for `point`: its own, or that of the launch
 * which represents its launch, all else being equal. */
uint64_t sweep_plan_by(const struct sweep_plan *plan, uint64_t point);
/* The next point after `point` that the same one is simulated for; false if
 * there is none. */
bool sweep_plan_member(const struct sweep_plan *plan, uint64_t point,
                       uint64_t *member);

/* --isa as a number, 0 without; it was understood when the plan was made. */
uint32_t sweep_isa(const struct sweep_request *r);

/* The values of "16,32", "FROM:TO:STEP" or a mixture, added to the axis;
 * `what` names them in what is said of a fault. */
int sweep_values(struct sweep_axis *axis, const char *what, const char *text);

/* A trace's launch as it stays open from point to point in one process. */
struct sweep_source {
    bool open;
    uint32_t digit[SWEEP_AXES_MAX]; /* of the launch and param axes */
    const char *path;               /* of `trace`, borrowed from the plan */
    struct teg_trace *trace;        /* owned */
    struct teg_store *store;        /* owned */
    struct teg_sample_facts *facts; /* owned; of the launch as it is */
    /* Of the launch represented last, if that is in another trace. */
    const char *member_path;  /* borrowed from the plan */
    struct teg_trace *member; /* owned */
};

/* Reads the launch of `point` and looks at it, for processes to be forked; a
 * fault is left to whoever simulates the point. */
void sweep_source_read(struct sweep_source *s, const struct sweep_plan *plan,
                       uint64_t point);
void sweep_source_release(struct sweep_source *s);

/* Simulates a point on `threads` of the host and appends its row and a newline, and those of the points
 * it is simulated for; a point that cannot be has a row that says why.
 * EXIT_INTERRUPTED: no row. */
int sweep_point(const struct sweep_plan *plan, struct sweep_source *source,
                uint64_t point, uint32_t threads, struct teg_buffer *row);
/* The row of a point that could not be simulated. */
void sweep_point_failed(const struct sweep_plan *plan, uint64_t point,
                        const char *reason, struct teg_buffer *row);

/*
 * Rows of finished points in the order in which they ended, appended to a
 * file that an interrupted sweep goes on from.
 */
struct sweep_row {
    uint64_t at;   /* in the file */
    uint32_t size; /* without the newline; 0: not there */
};

struct sweep_journal {
    const char *path; /* borrowed; NULL: a temporary file, gone at the end */
    int fd;
    uint64_t size;
    char digest[SWEEP_DIGEST_SIZE]; /* "" before the first row of a merge */
    struct sweep_row *row;          /* owned, [points] */
    uint64_t points, done;
    bool dirty;       /* written since the last sync */
    double synced_at; /* job_clock() */
};

/* Opens the journal, or makes one; takes the rows that it holds.  A NULL
 * digest is that of the first file merged. */
int sweep_journal_open(struct sweep_journal *j, const char *path,
                       const char *digest, uint64_t points);
void sweep_journal_release(struct sweep_journal *j);
/* Takes the rows of another file of the same sweep. */
int sweep_journal_merge(struct sweep_journal *j, const char *path);
int sweep_journal_add(struct sweep_journal *j, uint64_t point,
                      const uint8_t *row, size_t size);
/* To the disk, at most a few times a second unless `now`. */
int sweep_journal_sync(struct sweep_journal *j, bool now);
/* The row of `point`, parsed, owned by the caller; NULL if there is none. */
json_t *sweep_journal_json(const struct sweep_journal *j, uint64_t point);
/* The row as it stands, owned by the caller. */
char *sweep_journal_text(const struct sweep_journal *j, uint64_t point);

/* What is made of the rows. */
struct sweep_choice {
    uint32_t format;     /* index into format_names */
    const char *rank_by; /* KEY or KEY:max; NULL: order of the points */
    const char *pareto;  /* KEY[:max],KEY[:max]: only the best trade-offs */
    const char *terms;   /* models whose terms are columns: A,B; NULL: none */
    const char *out;     /* NULL: standard output */
};

/* Is wrong when a key is in no row; `row` one of a point that succeeded. */
int sweep_choice_check(const struct sweep_choice *choice, const json_t *row);
/* Writes the table; missing rows are left out. */
int sweep_table_write(const struct sweep_choice *choice,
                      const struct sweep_journal *j);

/* clang-format off */
#define SWEEP_CHOICE_OPTIONS(choice)                                           \
    {"rank-by", 0, OPT_TEXT, &(choice).rank_by, "COLUMN[:max]",                \
     "best row first: the least of a column, or the most", NULL},              \
    {"pareto", 0, OPT_TEXT, &(choice).pareto, "X[:max],Y[:max]",               \
     "only rows that no other row beats in both columns", NULL},               \
    {"terms", 0, OPT_TEXT, &(choice).terms, "MODEL[,MODEL]",                   \
     "the terms of these analytical models are columns, too: "                 \
     "models.MODEL.terms.TERM", NULL}

#define SWEEP_OUTPUT_OPTIONS(choice)                                           \
    {"format", 'f', OPT_CHOICE, &(choice).format, "FORMAT",                    \
     format_lines_help, format_names},                                         \
    {"output", 'o', OPT_OUTPUT, &(choice).out, "FILE",                           \
     "write the result there instead, complete or not at all", NULL}
/* clang-format on */

#endif
