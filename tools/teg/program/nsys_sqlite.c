/*
 * The score of a real run, of the whole that nsys exports of it:
 *
 *     nsys export --type sqlite report.nsys-rep
 *
 * Tables of calls of the host and of what ran on the device name each other by
 * a correlation (NVIDIA, Nsight Systems User Guide: SQLite Schema Reference).
 * Calls are made when they were, so gaps of the host stay; launches, copies and
 * sets take what was measured; what a call waited for, it waits for.  Where the
 * host waits, and between calls and their launches, the play takes the medians
 * of the run in place of the description's.
 * Leaves out: other devices than the first; pages of managed memory; edges of
 * graphs, whose nodes come after the one that had ended last when each began.
 */
#include "tools/teg/program/measured.h"

#include <inttypes.h>
#include <math.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "isa/base/array.h"

/* CUPTI's numbers. */
enum {
    SYNC_EVENT = 1,
    SYNC_WAIT = 2, /* of a stream for an event */
    SYNC_STREAM = 3,

    STREAM_DEFAULT = 1, /* waits for the null stream, and that for it */
    STREAM_NONBLOCKING = 2,
    STREAM_NULL = 3,

    MEMORY_PAGEABLE = 0,

    PROCESS_BITS = 24, /* below them in a "global" number: the thread */
    EVENTS_MAX = 1 << 24,
};

/* Of the device. */
struct op {
    int64_t start, end, process, correlation;
    uint64_t bytes;
    uint32_t stream, kernel;
    uint8_t kind; /* enum teg_score_kind */
    uint8_t pinned, node;
    uint8_t called; /* a call has it */
};

enum call_kind {
    CALL_OTHER,
    CALL_SYNCHRONIZE,
    CALL_WAIT,
    CALL_RECORD,
    CALL_ASYNC, /* puts things in */
    CALL_BLOCKING,
};

struct call {
    int64_t start, end, process, correlation;
    uint8_t kind;
    uint32_t stream, event; /* of a synchronisation, a wait or a record */
    uint32_t op, ops;
};

/* A call's stream and event, which other tables have. */
struct detail {
    int64_t process, correlation;
    uint32_t type, stream, event;
};

struct whole {
    struct timed *p;
    const char *path;
    sqlite3 *db;   /* owned */
    struct op *op; /* owned, [ops]: by call, then by start */
    size_t ops, op_room;
    struct call *call; /* owned, [calls]: by start */
    size_t calls, call_room;
    struct detail *detail; /* owned, [details]: by call */
    size_t details, detail_room;
    uint8_t *recorded;           /* owned, [EVENTS_MAX / 8] */
    int64_t first;               /* ns, of the first call */
    double host;                 /* us, where the play's host is then */
    int64_t device, null_stream; /* < 0: not known */
    size_t graph_room;
    uint64_t left_out, migrations, orphans;
};

/* ---- the tables ------------------------------------------------------------ */

static int fail(const struct whole *w, const char *what)
{
    say(w->path, "%s", what);
    return EXIT_FAULT;
}

static int fail_sqlite(const struct whole *w)
{
    char what[300];

    snprintf(what, sizeof what, "SQLite: %.250s", sqlite3_errmsg(w->db));
    return fail(w, what);
}

static bool has_column(const struct whole *w, const char *table,
                       const char *column)
{
    return sqlite3_table_column_metadata(w->db, NULL, table, column, NULL, NULL,
                                         NULL, NULL, NULL) == SQLITE_OK;
}

static bool has_table(const struct whole *w, const char *table)
{
    return has_column(w, table, NULL);
}

/* A query's rows, each handed to `visit`; EXIT_DONE at their end. */
static int each_row(struct whole *w, const char *query,
                    int (*visit)(struct whole *w, sqlite3_stmt *row))
{
    sqlite3_stmt *row;
    int status = EXIT_DONE, step = SQLITE_ROW;

    if (sqlite3_prepare_v2(w->db, query, -1, &row, NULL) != SQLITE_OK)
        return fail_sqlite(w);
    while (status == EXIT_DONE && (step = sqlite3_step(row)) == SQLITE_ROW)
        status = visit(w, row);
    sqlite3_finalize(row);
    return status != EXIT_DONE || step == SQLITE_DONE ? status : fail_sqlite(w);
}

/* A whole number of the row's column `at`. */
static int get(const struct whole *w, sqlite3_stmt *row, int at, int64_t least,
               int64_t most, int64_t *value)
{
    char what[200];

    *value = sqlite3_column_int64(row, at);
    if (sqlite3_column_type(row, at) == SQLITE_INTEGER && *value >= least &&
        *value <= most)
        return EXIT_DONE;
    snprintf(what, sizeof what,
             "expected a whole number from %" PRId64 " to %" PRId64
             " for '%.60s' of %.60s",
             least, most, sqlite3_column_name(row, at),
             sqlite3_column_table_name(row, at) != NULL
                 ? sqlite3_column_table_name(row, at)
                 : "a row");
    return fail(w, what);
}

static int get_unsigned(const struct whole *w, sqlite3_stmt *row, int at,
                        int64_t least, int64_t most, uint32_t *value)
{
    int64_t wide = 0;
    int status = get(w, row, at, least, most, &wide);

    *value = (uint32_t)wide;
    return status;
}

/* ---- what ran on the device ------------------------------------------------ */

/* Columns that all tables of operations begin with. */
enum {
    OP_START,
    OP_END,
    OP_DEVICE,
    OP_STREAM,
    OP_CORRELATION,
    OP_PROCESS,
    OP_NODE,
    OP_OWN, /* further ones */
};

static const int64_t latest = INT64_C(1) << 62; /* ns */

/* `*op`: a new one with what they have in common, NULL: of another device. */
static int add_op(struct whole *w, sqlite3_stmt *row, struct op **op)
{
    struct op *more = teg_array_room(w->op, w->ops, &w->op_room, sizeof *more);
    int64_t device = 0;
    int status = get(w, row, OP_DEVICE, 0, INT32_MAX, &device);

    *op = NULL;
    if (more == NULL)
        return say_memory();
    w->op = more;
    if (status != EXIT_DONE)
        return status;
    if (device != w->device) {
        w->left_out++;
        return EXIT_DONE;
    }
    *op = &w->op[w->ops];
    **op = (struct op){.process = sqlite3_column_int64(row, OP_PROCESS) >>
                                  PROCESS_BITS,
                       .node = sqlite3_column_int64(row, OP_NODE) != 0};
    status = get(w, row, OP_START, 0, latest, &(*op)->start);
    if (status == EXIT_DONE)
        status = get(w, row, OP_END, (*op)->start, latest, &(*op)->end);
    if (status == EXIT_DONE)
        status = get_unsigned(w, row, OP_STREAM, 0, UINT32_MAX, &(*op)->stream);
    if (status == EXIT_DONE)
        status =
            get(w, row, OP_CORRELATION, 0, UINT32_MAX, &(*op)->correlation);
    return status;
}

static int add_kernel(struct whole *w, sqlite3_stmt *row)
{
    static const int64_t most[] = {INT32_MAX, UINT16_MAX, UINT16_MAX,
                                   1024,      1024,       64};
    struct measured_facts f = {0};
    uint32_t *const to[] = {&f.grid[0],  &f.grid[1],  &f.grid[2],
                            &f.block[0], &f.block[1], &f.block[2]};
    int64_t shared = 0, dynamic = 0;
    bool fits = true;
    struct op *op;
    int status = add_op(w, row, &op);

    if (status != EXIT_DONE || op == NULL)
        return status;
    for (int i = 0; i < 6 && status == EXIT_DONE; i++)
        status = get_unsigned(w, row, OP_OWN + i, 1, most[i], to[i]);
    if (status == EXIT_DONE)
        status = get_unsigned(w, row, OP_OWN + 6, 0, 255, &f.registers);
    if (status == EXIT_DONE)
        status = get(w, row, OP_OWN + 7, 0, INT32_MAX, &shared);
    if (status == EXIT_DONE)
        status = get(w, row, OP_OWN + 8, 0, INT32_MAX, &dynamic);
    f.shared_bytes = (uint32_t)(shared + dynamic);
    f.name = (const char *)sqlite3_column_text(row, OP_OWN + 9);
    if (f.name == NULL)
        f.name = "kernel";
    op->kind = TEG_SCORE_LAUNCH;
    if (status == EXIT_DONE)
        status = measured_kernel(w->p, &f, &op->kernel, &fits);
    w->ops++;
    return fits ? status
                : fail(w, "the block of a launch fits no SM of the GPU that -g "
                          "names");
}

/* A graph that was traced as a whole. */
static int add_graph_op(struct whole *w, sqlite3_stmt *row)
{
    char name[48];
    struct measured_facts f = {.name = name};
    bool fits;
    struct op *op;
    int status = add_op(w, row, &op);

    if (status != EXIT_DONE || op == NULL)
        return status;
    snprintf(name, sizeof name, "graph %lld",
             sqlite3_column_int64(row, OP_OWN));
    op->kind = TEG_SCORE_LAUNCH;
    w->ops++;
    return measured_kernel(w->p, &f, &op->kernel, &fits);
}

/* CUPTI's kinds of copies, from 1; 0: none of the device's own. */
static const uint8_t copies[] = {
    0,
    TEG_SCORE_COPY_TO_DEVICE,
    TEG_SCORE_COPY_FROM_DEVICE,
    TEG_SCORE_COPY_TO_DEVICE, /* to an array, from one, ... */
    TEG_SCORE_COPY_FROM_DEVICE,
    TEG_SCORE_COPY_ON_DEVICE,
    TEG_SCORE_COPY_ON_DEVICE,
    TEG_SCORE_COPY_ON_DEVICE,
    TEG_SCORE_COPY_ON_DEVICE,
    0,
    TEG_SCORE_COPY_PEER,
};

static int add_copy(struct whole *w, sqlite3_stmt *row)
{
    int64_t kind = sqlite3_column_int64(row, OP_OWN + 1), bytes = 0;
    int64_t host;
    struct op *op;
    int status;

    if (kind < 0 || kind >= (int64_t)sizeof copies || copies[kind] == 0) {
        w->migrations += kind > (int64_t)sizeof copies - 1;
        return EXIT_DONE;
    }
    status = add_op(w, row, &op);
    if (status != EXIT_DONE || op == NULL)
        return status;
    status = get(w, row, OP_OWN, 0, INT64_MAX, &bytes);
    op->bytes = (uint64_t)bytes;
    op->kind = copies[kind];
    host = sqlite3_column_int64(
        row, OP_OWN + (op->kind == TEG_SCORE_COPY_TO_DEVICE ? 2 : 3));
    op->pinned = host != MEMORY_PAGEABLE;
    w->ops++;
    return status;
}

static int add_set(struct whole *w, sqlite3_stmt *row)
{
    int64_t bytes = 0;
    struct op *op;
    int status = add_op(w, row, &op);

    if (status != EXIT_DONE || op == NULL)
        return status;
    status = get(w, row, OP_OWN, 0, INT64_MAX, &bytes);
    op->bytes = (uint64_t)bytes;
    op->kind = TEG_SCORE_SET;
    w->ops++;
    return status;
}

static const struct {
    const char *table, *own;
    int (*add)(struct whole *w, sqlite3_stmt *row);
} tables[] = {
    {"CUPTI_ACTIVITY_KIND_KERNEL",
     "gridX, gridY, gridZ, blockX, blockY, blockZ, registersPerThread, "
     "staticSharedMemory, dynamicSharedMemory, "
     "(SELECT value FROM StringIds WHERE id = demangledName)",
     add_kernel},
    {"CUPTI_ACTIVITY_KIND_MEMCPY", "bytes, copyKind, srcKind, dstKind",
     add_copy},
    {"CUPTI_ACTIVITY_KIND_MEMSET", "bytes", add_set},
    {"CUPTI_ACTIVITY_KIND_GRAPH_TRACE", "graphId", add_graph_op},
};

static int see_device(struct whole *w, sqlite3_stmt *row)
{
    int64_t device = sqlite3_column_int64(row, 0);

    if (sqlite3_column_type(row, 0) == SQLITE_INTEGER &&
        (w->device < 0 || device < w->device))
        w->device = device;
    return EXIT_DONE;
}

static int compare_ops(const void *a, const void *b)
{
    const struct op *x = a, *y = b;

    if (x->process != y->process)
        return x->process < y->process ? -1 : 1;
    if (x->correlation != y->correlation)
        return x->correlation < y->correlation ? -1 : 1;
    return x->start != y->start ? (x->start < y->start ? -1 : 1)
                                : x->kind - y->kind;
}

static int load_ops(struct whole *w)
{
    char query[600];
    int status = EXIT_DONE;

    w->device = -1;
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        if (status != EXIT_DONE || !has_table(w, tables[i].table))
            continue;
        snprintf(query, sizeof query, "SELECT min(deviceId) FROM %s",
                 tables[i].table);
        status = each_row(w, query, see_device);
    }
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        const char *table = tables[i].table;

        if (status != EXIT_DONE || !has_table(w, table))
            continue;
        snprintf(query, sizeof query,
                 "SELECT start, end, deviceId, streamId, correlationId, %s, "
                 "%s, %s FROM %s ORDER BY start",
                 has_column(w, table, "globalPid") ? "globalPid" : "0",
                 has_column(w, table, "graphNodeId") ? "graphNodeId" : "0",
                 tables[i].own, table);
        status = each_row(w, query, tables[i].add);
    }
    if (status == EXIT_DONE && w->ops == 0)
        status = fail(w, "expected tables of `nsys export --type sqlite`, with "
                         "launches or copies in CUPTI_ACTIVITY_KIND_KERNEL and "
                         "_MEMCPY; found none");
    if (w->ops != 0)
        qsort(w->op, w->ops, sizeof *w->op, compare_ops);
    return status;
}

/* ---- calls of the host ------------------------------------------------------ */

static int add_detail(struct whole *w, sqlite3_stmt *row)
{
    struct detail *more = teg_array_room(w->detail, w->details, &w->detail_room,
                                         sizeof *more),
                  *t;
    int64_t event = sqlite3_column_int64(row, 4);

    if (more == NULL)
        return say_memory();
    w->detail = more;
    t = &more[w->details++];
    *t = (struct detail){
        .process = sqlite3_column_int64(row, 0) >> PROCESS_BITS,
        .correlation = sqlite3_column_int64(row, 1),
        .type = (uint32_t)sqlite3_column_int64(row, 2),
        .event =
            event >= 0 && event < EVENTS_MAX ? (uint32_t)event : TEG_SCORE_NONE,
    };
    return get_unsigned(w, row, 3, INT32_MIN, UINT32_MAX, &t->stream);
}

static int compare_details(const void *a, const void *b)
{
    const struct detail *x = a, *y = b;

    if (x->process != y->process)
        return x->process < y->process ? -1 : 1;
    return x->correlation != y->correlation
               ? (x->correlation < y->correlation ? -1 : 1)
               : 0;
}

static int load_details(struct whole *w)
{
    int status = EXIT_DONE;

    if (has_table(w, "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION"))
        status =
            each_row(w,
                     "SELECT globalPid, correlationId, syncType, streamId, "
                     "eventId FROM CUPTI_ACTIVITY_KIND_SYNCHRONIZATION",
                     add_detail);
    if (status == EXIT_DONE && has_table(w, "CUPTI_ACTIVITY_KIND_CUDA_EVENT"))
        status =
            each_row(w,
                     "SELECT globalPid, correlationId, 0, streamId, eventId "
                     "FROM CUPTI_ACTIVITY_KIND_CUDA_EVENT",
                     add_detail);
    if (w->details != 0)
        qsort(w->detail, w->details, sizeof *w->detail, compare_details);
    return status;
}

static const struct detail *detail_of(const struct whole *w,
                                      const struct call *c)
{
    const struct detail key = {.process = c->process,
                               .correlation = c->correlation};

    return w->details != 0 ? bsearch(&key, w->detail, w->details,
                                     sizeof *w->detail, compare_details)
                           : NULL;
}

/* What calls do that begin so; the first that fits counts.  Versions stand at
 * the end of nsys's names, and the driver's are cu...  */
static const struct {
    const char *begins;
    enum call_kind kind;
} names[] = {
    {"DeviceSynchronize", CALL_SYNCHRONIZE},
    {"ThreadSynchronize", CALL_SYNCHRONIZE},
    {"CtxSynchronize", CALL_SYNCHRONIZE},
    {"StreamSynchronize", CALL_SYNCHRONIZE},
    {"EventSynchronize", CALL_SYNCHRONIZE},
    {"FreeAsync", CALL_OTHER},
    {"FreeHost", CALL_OTHER},
    {"Free", CALL_SYNCHRONIZE},
    {"MemFreeAsync", CALL_OTHER},
    {"MemFreeHost", CALL_OTHER},
    {"MemFree", CALL_SYNCHRONIZE},
    {"StreamWaitEvent", CALL_WAIT},
    {"EventRecord", CALL_RECORD},
};

static enum call_kind kind_of(const char *name)
{
    const char *rest = strncmp(name, "cuda", 4) == 0 ? name + 4
                       : strncmp(name, "cu", 2) == 0 ? name + 2
                                                     : "";

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strncmp(rest, names[i].begins, strlen(names[i].begins)) == 0)
            return names[i].kind;
    }
    return strncmp(rest, "Memcpy", 6) == 0 && strstr(rest, "Async") == NULL
               ? CALL_BLOCKING
               : CALL_ASYNC;
}

/* The call's operations are those of its correlation, if no call before has
 * them: one of the runtime may stand beside the driver's that it made. */
static void find_ops(struct whole *w, struct call *c)
{
    const struct op key = {.process = c->process,
                           .correlation = c->correlation,
                           .start = INT64_MIN};
    size_t low = 0, high = w->ops;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (compare_ops(&w->op[middle], &key) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    c->op = (uint32_t)low;
    while (low < w->ops && w->op[low].process == c->process &&
           w->op[low].correlation == c->correlation && !w->op[low].called)
        w->op[low++].called = 1;
    c->ops = (uint32_t)low - c->op;
}

static int add_call(struct whole *w, sqlite3_stmt *row)
{
    struct call *more =
        teg_array_room(w->call, w->calls, &w->call_room, sizeof *more);
    const char *name = (const char *)sqlite3_column_text(row, 4);
    const struct detail *detail;
    struct call c = {.stream = TEG_SCORE_NONE, .event = TEG_SCORE_NONE};
    int status = get(w, row, 0, 0, latest, &c.start);

    if (more == NULL)
        return say_memory();
    w->call = more;
    if (status == EXIT_DONE)
        status = get(w, row, 1, c.start, latest, &c.end);
    c.correlation = sqlite3_column_int64(row, 2);
    c.process = sqlite3_column_int64(row, 3) >> PROCESS_BITS;
    c.kind = (uint8_t)kind_of(name != NULL ? name : "");
    find_ops(w, &c);
    detail = c.kind != CALL_OTHER && c.ops == 0 ? detail_of(w, &c) : NULL;
    if (detail != NULL && (detail->type == SYNC_STREAM ||
                           detail->type == SYNC_WAIT || c.kind == CALL_RECORD))
        c.stream = detail->stream;
    if (detail != NULL && (detail->type == SYNC_EVENT ||
                           detail->type == SYNC_WAIT || c.kind == CALL_RECORD))
        c.event = detail->event;
    /* Of others only the time is known, which is the host's own. */
    if (status == EXIT_DONE &&
        (c.ops != 0 || c.kind == CALL_SYNCHRONIZE ||
         ((c.kind == CALL_RECORD || c.kind == CALL_WAIT) &&
          c.event != TEG_SCORE_NONE && c.stream != TEG_SCORE_NONE)))
        w->call[w->calls++] = c;
    return status;
}

static int load_calls(struct whole *w)
{
    if (!has_table(w, "CUPTI_ACTIVITY_KIND_RUNTIME"))
        return fail(w, "expected the host's calls in "
                       "CUPTI_ACTIVITY_KIND_RUNTIME, found no such table");
    return each_row(w,
                    "SELECT start, end, correlationId, globalTid, "
                    "(SELECT value FROM StringIds WHERE id = nameId) "
                    "FROM CUPTI_ACTIVITY_KIND_RUNTIME ORDER BY start, end",
                    add_call);
}

/* ---- streams ----------------------------------------------------------------- */

/* The null stream is the score's first; of one that the file says nothing of
 * it is not known what it waits for. */
static int find_stream(struct whole *w, uint32_t name, uint32_t *stream)
{
    struct teg_score *s = &w->p->own;
    uint32_t known = s->streams;
    struct teg_diag d;

    if (teg_score_stream(s, 0, w->null_stream == name ? 0 : name, stream, &d) !=
        TEG_OK)
        return say_fault(&d);
    if (s->streams != known)
        s->stream[*stream].nonblocking = 1;
    return EXIT_DONE;
}

static int see_null(struct whole *w, sqlite3_stmt *row)
{
    w->null_stream = sqlite3_column_int64(row, 0);
    return EXIT_DONE;
}

static int see_stream(struct whole *w, sqlite3_stmt *row)
{
    struct teg_score_stream *s;
    int64_t flag = sqlite3_column_int64(row, 2);
    uint32_t name = 0, stream = 0;
    int status = get_unsigned(w, row, 0, 0, UINT32_MAX, &name);

    if (status == EXIT_DONE)
        status = find_stream(w, name, &stream);
    if (status != EXIT_DONE)
        return status;
    s = &w->p->own.stream[stream];
    s->priority = (int32_t)sqlite3_column_int64(row, 1);
    s->nonblocking = flag != STREAM_NULL && flag != STREAM_DEFAULT;
    return EXIT_DONE;
}

static int load_streams(struct whole *w)
{
    char query[200];
    uint32_t standard;
    struct teg_diag d;
    int status = EXIT_DONE;

    w->null_stream = -1;
    if (teg_score_stream(&w->p->own, 0, 0, &standard, &d) != TEG_OK)
        return say_fault(&d);
    w->p->own.stream[standard].nonblocking = 1;
    if (!has_table(w, "TARGET_INFO_CUDA_STREAM"))
        return status;
    snprintf(query, sizeof query,
             "SELECT streamId FROM TARGET_INFO_CUDA_STREAM WHERE flag = %d "
             "ORDER BY streamId DESC",
             STREAM_NULL);
    status = each_row(w, query, see_null);
    return status != EXIT_DONE
               ? status
               : each_row(w,
                          "SELECT streamId, priority, flag FROM "
                          "TARGET_INFO_CUDA_STREAM ORDER BY streamId",
                          see_stream);
}

/* ---- medians ----------------------------------------------------------------- */

static int compare_numbers(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return x < y ? -1 : x > y;
}

/* In place of what the description says, where there is one and --set has not
 * said it. */
static void take_median(const struct whole *w, const char *key, double *value,
                        double *sample, size_t samples)
{
    const struct opt_list *set = &w->p->job.set;

    for (uint32_t i = 0; i < set->count; i++) {
        if (strncmp(set->item[i], key, strlen(key)) == 0)
            return;
    }
    if (samples == 0)
        return;
    qsort(sample, samples, sizeof *sample, compare_numbers);
    *value = sample[samples / 2] / 1e3;
}

/* What is measured of launches: a sample each. */
enum {
    CALLED, /* what a call takes the host */
    BEGUN,  /* from it to the launch, on a device that is idle */
    WAITED, /* from the end of all until the host goes on */
    GAP,    /* behind what is before it in its stream */
    NODE_GAP,
    MEASURES
};

struct samples {
    double *of[MEASURES]; /* [count] ns, in one piece */
    size_t count[MEASURES];
};

static void note(struct samples *s, int of, int64_t ns)
{
    s->of[of][s->count[of]++] = (double)ns;
}

/* The node that had ended last when this one began; `nodes`: none had. */
static uint32_t last_before(const struct op *op, uint32_t nodes, uint32_t node)
{
    uint32_t last = nodes;

    for (uint32_t i = 0; i < nodes; i++) {
        if (i != node && op[i].end <= op[node].start &&
            (last == nodes || op[i].end > op[last].end))
            last = i;
    }
    return last;
}

static void measure_nodes(const struct whole *w, const struct call *c,
                          struct samples *s)
{
    const struct op *op = &w->op[c->op];

    for (uint32_t i = 0; i < c->ops; i++) {
        uint32_t last = last_before(op, c->ops, i);

        if (last != c->ops && op[i].kind == TEG_SCORE_LAUNCH)
            note(s, NODE_GAP, op[i].start - op[last].end);
    }
}

/* `*end` is that of all before, `before` of the stream. */
static void measure_call(const struct whole *w, const struct call *c,
                         int64_t before, int64_t end, struct samples *s)
{
    const struct op *op = &w->op[c->op];

    if (c->ops == 0) {
        if (c->kind == CALL_SYNCHRONIZE && end > c->start && end <= c->end)
            note(s, WAITED, c->end - end);
        return;
    }
    if (c->ops > 1 || op->node)
        measure_nodes(w, c, s);
    if (c->ops > 1 || op->kind != TEG_SCORE_LAUNCH)
        return;
    note(s, CALLED, c->end - c->start);
    if (end <= c->start && op->start >= c->start)
        note(s, BEGUN, op->start - c->start);
    if (before > c->end && op->start >= before)
        note(s, GAP, op->start - before);
}

static int measure_calls(struct whole *w, struct samples *s, int64_t *before)
{
    int64_t end = INT64_MIN;
    int status = EXIT_DONE;

    for (size_t i = 0; i < w->calls && status == EXIT_DONE; i++) {
        const struct call *c = &w->call[i];
        uint32_t stream = 0;

        if (c->ops != 0)
            status = find_stream(w, w->op[c->op].stream, &stream);
        measure_call(w, c, before[stream], end, s);
        for (uint32_t k = 0; k < c->ops; k++) {
            before[stream] = w->op[c->op + k].end;
            end = before[stream] > end ? before[stream] : end;
        }
    }
    return status;
}

static void take_medians(const struct whole *w, struct samples *s)
{
    struct teg_gpu *gpu = w->p->job.gpu;

    take_median(w, "launch.host_us", &gpu->launch.host_us, s->of[CALLED],
                s->count[CALLED]);
    take_median(w, "launch.latency_us", &gpu->launch.latency_us, s->of[BEGUN],
                s->count[BEGUN]);
    take_median(w, "launch.sync_us", &gpu->launch.sync_us, s->of[WAITED],
                s->count[WAITED]);
    take_median(w, "launch.gap_us", &gpu->launch.gap_us, s->of[GAP],
                s->count[GAP]);
    take_median(w, "launch.graph_gap_us", &gpu->launch.graph_gap_us,
                s->of[NODE_GAP], s->count[NODE_GAP]);
}

static int measure(struct whole *w)
{
    size_t most = w->calls + w->ops + 1;
    double *all = malloc(MEASURES * most * sizeof *all);
    int64_t *before = malloc((TEG_SCORE_STREAMS_MAX + 1) * sizeof *before);
    struct samples s = {0};
    int status = EXIT_DONE;

    if (all == NULL || before == NULL) {
        free(all);
        free(before);
        return say_memory();
    }
    for (int i = 0; i < MEASURES; i++)
        s.of[i] = all + (size_t)i * most;
    for (int i = 0; i <= TEG_SCORE_STREAMS_MAX; i++)
        before[i] = INT64_MIN;
    status = measure_calls(w, &s, before);
    if (status == EXIT_DONE)
        take_medians(w, &s);
    free(all);
    free(before);
    return status;
}

/* ---- the score --------------------------------------------------------------- */

static struct teg_score_entry entry_of(const struct op *op)
{
    return (struct teg_score_entry){
        .kind = op->kind,
        .async = 1,
        .pinned = op->pinned,
        .number = op->kind == TEG_SCORE_LAUNCH ? op->kernel : TEG_SCORE_NONE,
        .times = 1,
        .bytes = op->bytes,
        .us = (double)(op->end - op->start) / 1e3,
    };
}

static int add_graph(struct whole *w, const struct call *c,
                     struct teg_score_entry *e)
{
    struct teg_score *s = &w->p->own;
    struct teg_score_graph *more = teg_array_room(s->graph, s->graphs,
                                                  &w->graph_room, sizeof *more),
                           *g;
    uint32_t edges = 0;

    if (more == NULL)
        return say_memory();
    s->graph = more;
    g = &more[s->graphs];
    *g = (struct teg_score_graph){.node = calloc(c->ops, sizeof *g->node),
                                  .edge = calloc(c->ops, sizeof *g->edge),
                                  .nodes = c->ops};
    e->kind = TEG_SCORE_GRAPH;
    e->number = s->graphs++;
    if (g->node == NULL || g->edge == NULL)
        return say_memory();
    for (uint32_t i = 0; i < c->ops; i++) {
        uint32_t last = last_before(&w->op[c->op], c->ops, i);

        g->node[i] = entry_of(&w->op[c->op + i]);
        g->node[i].after = edges;
        g->node[i].afters = last != c->ops;
        if (last != c->ops)
            g->edge[edges++] = last;
    }
    return EXIT_DONE;
}

static bool is_recorded(const struct whole *w, uint32_t event)
{
    return event != TEG_SCORE_NONE &&
           (w->recorded[event / 8] >> event % 8 & 1) != 0;
}

/* What the host asks for besides launches and copies.  An event that was
 * recorded before the trace began is over. */
static void describe(struct whole *w, const struct call *c,
                     struct teg_score_entry *e)
{
    e->number = c->event;
    if (c->kind == CALL_RECORD) {
        e->kind = TEG_SCORE_RECORD;
        w->recorded[c->event / 8] |= (uint8_t)(1 << c->event % 8);
    } else if (c->kind == CALL_WAIT) {
        e->kind = is_recorded(w, c->event) ? TEG_SCORE_WAIT : TEG_SCORE_NOTHING;
    } else {
        e->kind = TEG_SCORE_SYNCHRONIZE;
        if (!is_recorded(w, c->event))
            e->number = TEG_SCORE_NONE;
    }
}

/* The host is where it was when it called, if the play's is not behind. */
static double wait_for(struct whole *w, int64_t start)
{
    double at = (double)(start - w->first) / 1e3;
    double before = at > w->host ? at - w->host : 0;

    w->host += before;
    return before;
}

static int add_entry(struct whole *w, const struct call *c)
{
    const struct teg_gpu *gpu = w->p->job.gpu;
    const struct op *op = &w->op[c->op];
    struct teg_score_entry e = {.async = c->kind != CALL_BLOCKING,
                                .number = TEG_SCORE_NONE,
                                .times = 1,
                                .us = -1,
                                .place = (uint32_t)(c - w->call)};
    int graph = c->ops > 1 || (c->ops == 1 && op->node);
    struct teg_diag d;
    int status = EXIT_DONE;

    if (c->ops == 0) {
        describe(w, c, &e);
    } else if (graph) {
        status = add_graph(w, c, &e);
    } else {
        e = entry_of(op);
        e.async = c->kind != CALL_BLOCKING;
        e.place = (uint32_t)(c - w->call);
    }
    e.host_us = wait_for(w, c->start);
    e.stream = TEG_SCORE_NONE;
    if (status == EXIT_DONE && (c->ops != 0 || c->stream != TEG_SCORE_NONE))
        status =
            find_stream(w, c->ops != 0 ? op->stream : c->stream, &e.stream);
    if (e.kind == TEG_SCORE_NOTHING && e.stream == TEG_SCORE_NONE)
        e.stream = 0;
    /* What it waits for ends when it did, so the host goes on then. */
    w->host = c->kind == CALL_SYNCHRONIZE || c->kind == CALL_BLOCKING
                  ? (double)(c->end - w->first) / 1e3
                  : w->host + (c->ops != 0 ? gpu->launch.host_us : 0);
    if (status != EXIT_DONE)
        return status;
    return teg_score_add(&w->p->own, e, &d) == TEG_OK ? EXIT_DONE
                                                      : say_fault(&d);
}

static int make_score(struct whole *w)
{
    int status = EXIT_DONE;
    int64_t end;

    w->recorded = calloc(EVENTS_MAX / 8, 1);
    if (w->recorded == NULL)
        return say_memory();
    w->orphans = w->ops;
    for (size_t i = 0; i < w->calls; i++)
        w->orphans -= w->call[i].ops;
    if (w->orphans == w->ops)
        return fail(w, "expected calls of the host with the correlations of "
                       "launches and copies, found none");
    w->first = w->call[0].start;
    end = w->call[w->calls - 1].end;
    for (size_t i = 0; i < w->calls && status == EXIT_DONE; i++) {
        const struct call *c = &w->call[i];

        status = add_entry(w, c);
        for (uint32_t k = 0; k < c->ops; k++)
            end = w->op[c->op + k].end > end ? w->op[c->op + k].end : end;
    }
    w->p->measured_us = (double)(end - w->first) / 1e3;
    return status;
}

static void say_what_is_left_out(const struct whole *w)
{
    if (w->left_out != 0)
        say(w->path,
            "launches and copies of other devices than %" PRId64 " (%" PRIu64
            ") are left out",
            w->device, w->left_out);
    if (w->orphans != 0)
        say(w->path,
            "launches and copies whose calls are not in the file (%" PRIu64
            ") are left out",
            w->orphans);
    if (w->migrations != 0)
        say(w->path,
            "copies of pages of managed memory (%" PRIu64
            ") are left out; what launches took has them in it",
            w->migrations);
}

static int load(struct whole *w)
{
    int status = EXIT_DONE;

    if (sqlite3_open_v2(w->path, &w->db, SQLITE_OPEN_READONLY, NULL) !=
        SQLITE_OK)
        return fail_sqlite(w);
    if (!has_table(w, "StringIds"))
        return fail(w, "expected what `nsys export --type sqlite` writes, "
                       "found no table StringIds");
    status = load_ops(w);
    if (status == EXIT_DONE)
        status = load_details(w);
    if (status == EXIT_DONE)
        status = load_calls(w);
    if (status == EXIT_DONE)
        status = load_streams(w);
    if (status == EXIT_DONE)
        status = measure(w);
    if (status == EXIT_DONE)
        status = make_score(w);
    return status;
}

int timed_import_sqlite(struct timed *p, const char *path)
{
    struct whole w = {.p = p, .path = path};
    int status = load(&w);

    if (status == EXIT_DONE) {
        measured_means(p);
        say_what_is_left_out(&w);
    }
    sqlite3_close(w.db);
    free(w.op);
    free(w.call);
    free(w.detail);
    free(w.recorded);
    return status;
}
