/*
 * teg sweep: the cross product of traces, GPUs, values and what-ifs, a row
 * for each point, simulated by as many processes as there are cores.
 *
 * Rows of finished points go to a journal at once, so that an interrupted
 * sweep goes on where it stopped; the result is made of the journal when all
 * points are done, in the order of the points.
 */
#include "tools/teg/sweep/sweep.h"
#include "tools/teg/pool/pool.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Points that one worker goes through in their order. */
struct stretch {
    uint64_t next, end;
};

struct sweep {
    struct sweep_request request;
    struct sweep_choice choice;
    const char *journal_path, *shard_text;
    uint32_t jobs;
    bool sample, exact;

    struct sweep_plan plan;
    struct sweep_journal journal;
    struct sweep_source source; /* of a worker */
    char *partial;              /* owned: FILE.partial, or NULL */
    uint64_t shard, shards;     /* points with number % shards == shard */
    struct stretch *stretch;    /* owned, [workers] */
    uint32_t workers;
    uint64_t next; /* the first point that is in no stretch */
    uint64_t failed, lost, before;
    bool checked; /* the choice's columns, against a row */
    bool terminal;
    double started, shown_at;
};

/* ---- the pool's questions ------------------------------------------------- */

/* Whether the point is simulated here, for itself or for others. */
static bool is_ours(const struct sweep *w, uint64_t point)
{
    return sweep_plan_by(&w->plan, point) % w->shards == w->shard;
}

/* Points that `point` is simulated for, its own too, without a row. */
static uint64_t rows_missing(const struct sweep *w, uint64_t point)
{
    uint64_t member = point, missing = w->journal.row[point].size == 0;

    while (sweep_plan_member(&w->plan, member, &member))
        missing += w->journal.row[member].size == 0;
    return missing;
}

/* Whether it is to be simulated. */
static bool is_due(const struct sweep *w, uint64_t point)
{
    return is_ours(w, point) && sweep_plan_by(&w->plan, point) == point &&
           rows_missing(w, point) > 0;
}

/* Points that are due, counted up to `most`. */
static uint32_t count_due(const struct sweep *w, uint32_t most)
{
    uint32_t due = 0;

    for (uint64_t i = 0; i < w->plan.points && due < most; i++)
        due += is_due(w, i);
    return due;
}

/* Moves on to a point that is due; false if there is none. */
static bool find_due(const struct sweep *w, struct stretch *s)
{
    while (s->next < s->end && !is_due(w, s->next))
        s->next++;
    return s->next < s->end;
}

/* The points of a launch that no worker has begun. */
static bool take_launch(struct sweep *w, struct stretch *s)
{
    if (w->next == w->plan.points)
        return false;
    s->next = w->next;
    w->next += sweep_plan_stretch(&w->plan);
    s->end = w->next;
    return true;
}

/* Half of what the worker with the most points has left. */
static bool take_half(struct sweep *w, struct stretch *s)
{
    struct stretch *longest = s;

    for (uint32_t i = 0; i < w->workers; i++) {
        struct stretch *other = &w->stretch[i];

        if (other->end - other->next > longest->end - longest->next)
            longest = other;
    }
    s->end = longest->end;
    s->next = longest->next + (longest->end - longest->next) / 2;
    longest->end = s->next;
    return s->next < s->end;
}

/* A worker stays with a launch, which it has read and looked at, and workers
 * share one only when all have been begun. */
static bool next_point(void *self, uint32_t worker, uint64_t *job)
{
    struct sweep *w = self;
    struct stretch *own = &w->stretch[worker];

    while (!find_due(w, own)) {
        if (!take_launch(w, own) && !take_half(w, own))
            return false;
    }
    *job = own->next++;
    return true;
}

static int work(void *self, uint64_t job, uint32_t cores,
                struct teg_buffer *reply)
{
    struct sweep *w = self;

    return sweep_point(&w->plan, &w->source, job, cores, reply);
}

/* A column that is in no row is found with the first row, not the last. */
static int check_choice(struct sweep *w, uint64_t point)
{
    json_t *row = sweep_journal_json(&w->journal, point);
    const char *status = json_string_value(json_object_get(row, "status"));
    int found = EXIT_DONE;

    if (status != NULL && strcmp(status, "ok") == 0) {
        found = sweep_choice_check(&w->choice, row);
        w->checked = true;
    } else {
        w->failed++;
    }
    json_decref(row);
    return found;
}

static bool says_failed(const uint8_t *row, size_t size)
{
    static const char mark[] = "\"status\":\"failed\"";

    for (size_t i = 0; i + strlen(mark) <= size; i++) {
        if (row[i] == '"' && memcmp(row + i, mark, strlen(mark)) == 0)
            return true;
    }
    return false;
}

static int take_row(struct sweep *w, uint64_t point, const uint8_t *row,
                    size_t size)
{
    int status;

    if (w->journal.row[point].size != 0)
        return EXIT_DONE;
    status = sweep_journal_add(&w->journal, point, row, size);
    if (status == EXIT_DONE && !w->checked)
        return check_choice(w, point);
    w->failed += says_failed(row, size);
    return status;
}

/* A row for the point and each that it was simulated for, in their order. */
static int done(void *self, uint64_t job, const uint8_t *reply, size_t size)
{
    struct sweep *w = self;
    uint64_t point = job;
    int status = EXIT_DONE;

    while (status == EXIT_DONE && size > 0) {
        const uint8_t *end = memchr(reply, '\n', size);
        size_t length = end != NULL ? (size_t)(end - reply) + 1 : size;

        status = take_row(w, point, reply, length);
        reply += length;
        size -= length;
        if (size > 0 && !sweep_plan_member(&w->plan, point, &point))
            break;
    }
    return status;
}

static void lost(void *self, uint64_t job, const char *why)
{
    struct sweep *w = self;
    uint64_t points = rows_missing(w, job);

    w->lost += points;
    if (points > 1)
        say("", "point %" PRIu64 " and %" PRIu64 " like it are not done: %s",
            job, points - 1, why);
    else
        say("", "point %" PRIu64 " is not done: %s", job, why);
}

static void tick(void *self)
{
    struct sweep *w = self;
    double now = job_clock();

    if (!w->terminal || now < w->started + 1 || now < w->shown_at + 0.2)
        return;
    w->shown_at = now;
    fprintf(stderr, "\r%" PRIu64 " of %" PRIu64 " points, %.1f a second\033[K",
            w->journal.done, w->plan.points,
            (double)(w->journal.done - w->before) / (now - w->started));
}

/* ---- the sweep ------------------------------------------------------------ */

static int parse_shard(struct sweep *w)
{
    char *end = NULL;
    unsigned long i = 1, n = 1;

    if (w->shard_text != NULL) {
        i = strtoul(w->shard_text, &end, 10);
        n = *end == '/' ? strtoul(end + 1, &end, 10) : 0;
    }
    if (i < 1 || n < i || (end != NULL && *end != '\0'))
        return say_usage("sweep",
                         "--shard: expected I/N with I from 1 to N, found '%s'",
                         w->shard_text);
    w->shard = i - 1;
    w->shards = n;
    return EXIT_DONE;
}

/* Where the journal is unless --journal says so: beside the result, if that
 * is a file.  NULL: nowhere, the sweep cannot go on later. */
static int choose_journal(struct sweep *w)
{
    struct stat st;
    size_t size;

    if (w->journal_path != NULL || w->choice.out == NULL ||
        (stat(w->choice.out, &st) == 0 && !S_ISREG(st.st_mode)))
        return EXIT_DONE;
    size = strlen(w->choice.out) + sizeof ".partial";
    w->partial = malloc(size);
    if (w->partial == NULL)
        return say_memory();
    snprintf(w->partial, size, "%s.partial", w->choice.out);
    w->journal_path = w->partial;
    return EXIT_DONE;
}

static uint64_t points_of_shard(const struct sweep *w)
{
    uint64_t count = 0;

    if (w->plan.clusters.count == 0 || w->shards == 1)
        return (w->plan.points - w->shard + w->shards - 1) / w->shards;
    for (uint64_t i = 0; i < w->plan.points; i++)
        count += is_ours(w, i);
    return count;
}

/* Failed points that the journal had already. */
static void count_failed(struct sweep *w)
{
    w->before = w->journal.done;
    for (uint64_t i = 0; w->before > 0 && i < w->journal.points; i++) {
        char *text = w->journal.row[i].size != 0
                         ? sweep_journal_text(&w->journal, i)
                         : NULL;

        if (text != NULL)
            w->failed += says_failed((const uint8_t *)text, strlen(text));
        free(text);
    }
}

/* Of a single launch all workers need the same: it is read before they are
 * forked.  Of several each takes its own. */
static void read_single(struct sweep *w)
{
    uint64_t first = 0;

    if (!pool_is_here() || sweep_plan_stretch(&w->plan) != w->plan.points)
        return;
    while (!is_due(w, first))
        first++;
    sweep_source_read(&w->source, &w->plan, first);
}

static int simulate(struct sweep *w)
{
    const struct pool pool = {
        .workers = count_due(w, w->jobs),
        .cores = w->jobs,
        .self = w,
        .next = next_point,
        .work = work,
        .done = done,
        .lost = lost,
        .tick = tick,
    };
    int status, synced;

    if (pool.workers == 0)
        return EXIT_DONE;
    w->workers = pool_workers(pool.workers);
    w->stretch = calloc(w->workers, sizeof *w->stretch);
    if (w->stretch == NULL)
        return say_memory();
    if (w->before > 0)
        say(w->journal_path, "going on after %" PRIu64 " of %" PRIu64 " points",
            w->before, points_of_shard(w));
    read_single(w);
    status = pool_run(&pool);
    if (w->shown_at > 0)
        fputs("\r\033[K", stderr);
    synced = sweep_journal_sync(&w->journal, true);
    return status != EXIT_DONE ? status : synced;
}

static int say_stopped(const struct sweep *w, int status)
{
    if (status == EXIT_INTERRUPTED && w->journal_path != NULL)
        say("",
            "interrupted after %" PRIu64 " of %" PRIu64 " points, which "
            "are in %s; the same command goes on from there",
            w->journal.done, points_of_shard(w), w->journal_path);
    else if (status == EXIT_INTERRUPTED)
        say("",
            "interrupted after %" PRIu64 " of %" PRIu64
            " points; with -o FILE or --journal FILE the same command "
            "would go on from there",
            w->journal.done, points_of_shard(w));
    return status;
}

static int say_faults(const struct sweep *w)
{
    if (w->failed > 0)
        say("", "%" PRIu64 " of %" PRIu64 " points failed; their rows say why",
            w->failed, points_of_shard(w));
    if (w->lost > 0)
        say("", "%" PRIu64 " of %" PRIu64 " points are not done%s", w->lost,
            points_of_shard(w),
            w->journal_path != NULL ? "; the same command does them" : "");
    return w->failed + w->lost > 0 ? EXIT_FAULT : EXIT_DONE;
}

static int run(struct sweep *w)
{
    int status = simulate(w);

    if (status != EXIT_DONE)
        return say_stopped(w, status);
    status = sweep_table_write(&w->choice, &w->journal);
    if (status != EXIT_DONE)
        return status;
    if (w->partial != NULL && w->lost == 0)
        unlink(w->partial);
    return say_faults(w);
}

static int sweep(struct sweep *w)
{
    int status;

    /* Before anything is said of the command line. */
    pool_join();
    if (w->jobs == 0)
        w->jobs = pool_cores();
    w->request.workers = w->jobs;
    status = parse_shard(w);

    if (status == EXIT_DONE)
        status = sweep_choice_check(&w->choice, NULL);
    if (status == EXIT_DONE)
        status = sweep_plan_init(&w->plan, &w->request);
    if (status == EXIT_DONE && pool_is_worker())
        return pool_serve(
            &(struct pool){.cores = w->jobs, .self = w, .work = work});
    if (status == EXIT_DONE)
        status = choose_journal(w);
    if (status == EXIT_DONE)
        status = sweep_journal_open(&w->journal, w->journal_path,
                                    w->plan.digest, w->plan.points);
    if (status != EXIT_DONE)
        return status;
    count_failed(w);
    w->terminal = isatty(STDERR_FILENO) == 1;
    w->started = job_clock();
    return run(w);
}

/* Those of `teg run`, but for what one point leaves to the next: points are
 * simulated in any order, and some not at all. */
static const char *const sweep_caches[] = {"cold", "warm", NULL};

int cmd_sweep(int argc, char **argv)
{
    struct sweep w = {.journal.fd = -1};
    struct sweep_request *r = &w.request;
    const struct opt options[] = {
        {"gpu", 'g', OPT_TEXT, &r->gpus, "GPU[,GPU]",
         "names that `teg gpus` lists, or .cfg files; default: the one that "
         "stands for the first trace's architecture",
         NULL},
        {"clock", 0, OPT_TEXT, &r->clocks, "VALUES",
         "an axis: the SMs' clock in MHz, as in `teg run`", NULL},
        {"vary", 0, OPT_LIST, &r->vary, "KEY=VALUES",
         "an axis: values of a key of the GPU description (`teg gpus --keys`), "
         "or of launch.registers, launch.shared_bytes, launch.carveout, "
         "launch.warps, launch.sms; VALUES is A,B,C or FROM:TO:STEP",
         NULL},
        {"active-warps", 0, OPT_TEXT, &r->active_warps, "VALUES",
         "an axis: at most so many resident warps per SM", NULL},
        {"what-if", 0, OPT_LIST, &r->what_ifs, "NAME[,NAME]",
         "an axis: as it is, and as if this bottleneck were gone; each "
         "--what-if is one more value",
         NULL},
        {"param", 'p', OPT_LIST, &r->param, "NAME=VALUES",
         "an axis: a parameter of a kernel sketch", NULL},
        {"set", 0, OPT_LIST, &r->set, "KEY=VALUE",
         "change a value of every GPU description", NULL},
        {"config-dir", 0, OPT_TEXT, &r->config_dir, "DIR",
         "look for GPU descriptions here first", NULL},
        {"kernel", 'k', OPT_TEXT, &r->kernel_choice, "WHICH",
         "only these kernels of each trace, as in `teg run`", NULL},
        {"isa", 0, OPT_TEXT, &r->isa, "sm_XX",
         "architecture of the code, where the traces are wrong", NULL},
        {"registers", 0, OPT_COUNT, &r->registers, "N",
         "registers per thread, where the traces are wrong", NULL},
        {"sms", 0, OPT_COUNT, &r->sms, "N",
         "simulate only N SMs, which then run the whole grid", NULL},
        {"sample", 0, OPT_FLAG, &w.sample, NULL,
         "simulate only a part of every kernel of 20 waves of blocks or more "
         "and say how far off the cycles may be (default: of those of 20 "
         "million warp instructions or more)",
         NULL},
        {"caches", 0, OPT_CHOICE, &r->caches, "HOW",
         "what each launch finds in L2 and TLBs: cold (default), or warm: as "
         "if it had just run once",
         sweep_caches},
        CLUSTER_OPTION(r->similar),
        {"exact", 0, OPT_FLAG, &w.exact, NULL, "simulate every kernel, in full",
         NULL},
        {"jobs", 'j', OPT_COUNT, &w.jobs, "N",
         "cores to use (default: all), one for each point while there are "
         "enough points; rows do not depend on it",
         NULL},
        SWEEP_CHOICE_OPTIONS(w.choice),
        {"shard", 0, OPT_TEXT, &w.shard_text, "I/N",
         "only every Nth point, from the Ith on; `teg merge` joins the parts",
         NULL},
        {"journal", 0, OPT_OUTPUT, &w.journal_path, "FILE",
         "keep finished rows here and go on from there (default: OUTPUT"
         ".partial, until the sweep is complete)",
         NULL},
        SWEEP_OUTPUT_OPTIONS(w.choice),
        {0}};
    const struct usage usage = {
        .command = "sweep",
        .operands = "TRACE...",
        .summary = "Replays every combination of traces, GPUs, values and "
                   "what-ifs and reports a row for each. Interrupted, it goes "
                   "on where it stopped.",
        .options = options,
        .operands_min = 1,
        .operands_max = 1 << 20,
        .examples =
            "  teg sweep kernel.tegt -g v100,a100 --vary sm.warps_max=16,32,48 "
            "\\\n"
            "      --vary dram.bandwidth_gbs=400:1600:200 -f csv -o rows.csv\n"
            "  teg sweep kernel.sketch -g v100 -p BLOCKS=80:800:80\n"
            "  teg sweep variant*.tegt -g v100 --rank-by cycles\n"};
    struct operands operands;
    int status;

    if (!options_parse(&usage, argc, argv, &operands, &status))
        return status;
    r->trace = operands.item;
    r->traces = operands.count;
    if (w.sample && w.exact)
        return say_usage("sweep", "--sample and --exact exclude each other");
    if (r->similar != NULL && w.exact)
        return say_usage("sweep", "--similar and --exact exclude each other");
    status = similar_parse(r->similar, &(double){0});
    if (status != EXIT_DONE)
        return status;
    r->sampling = w.sample  ? SAMPLING_LONG
                  : w.exact ? SAMPLING_NEVER
                            : SAMPLING_BY_SIZE;
    catch_interrupt();
    status = sweep(&w);
    sweep_source_release(&w.source);
    sweep_journal_release(&w.journal);
    sweep_plan_release(&w.plan);
    free(w.partial);
    free(w.stretch);
    return status;
}
