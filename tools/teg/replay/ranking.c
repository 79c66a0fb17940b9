#include "tools/teg/replay/ranking.h"

#include "isa/base/minmax.h"
#include "sim/memory/memory.h"
#include "tools/teg/pool/pool.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Moves the trial of that name, if there is one, to place `to`. */
static bool move(struct whatif *w, const char *name, uint32_t to)
{
    for (uint32_t i = to; i < w->count; i++) {
        const struct toggle found = w->toggle[i];

        if (strcmp(found.name, name) != 0)
            continue;
        memmove(w->toggle + to + 1, w->toggle + to,
                (i - to) * sizeof *w->toggle);
        w->toggle[to] = found;
        return true;
    }
    return false;
}

/* Workers say nothing: whether the kernels have that line is asked before. */
static int check_line(const struct whatif *w, const char *name)
{
    struct teg_gpu gpu = *w->job.gpu;
    struct teg_launch launch;
    struct teg_diag d;
    teg_status status = TEG_OK;

    for (uint32_t i = 0; status == TEG_OK && i < w->job.kernel_count; i++) {
        status = teg_trace_launch(w->job.trace, w->job.kernel[i], &launch, &d);
        if (status != TEG_OK)
            break;
        status = teg_whatif_apply(name, &gpu, &launch, &d);
        if (launch.close != NULL)
            launch.close(launch.self);
    }
    return status == TEG_OK ? EXIT_DONE : say_fault(&d);
}

/* Those of one source line. */
static int list_at_line(struct whatif *w)
{
    uint32_t count;
    const struct teg_whatif *row = teg_whatifs_at_line(&count);

    w->toggle = calloc(count, sizeof *w->toggle);
    if (w->toggle == NULL)
        return say_memory();
    w->count = count;
    for (uint32_t i = 0; i < count; i++) {
        struct toggle *t = &w->toggle[i];
        size_t length = (size_t)snprintf(t->name, sizeof t->name, "%s@%s",
                                         row[i].name, w->at);

        t->trial = i;
        if (length >= sizeof t->name ||
            !teg_whatif_known(t->name, length, w->job.gpu)) {
            say("--at", "expected FILE:LINE, found '%s'", w->at);
            return EXIT_USAGE;
        }
    }
    return check_line(w, w->toggle[0].name);
}

static int list_toggles(struct whatif *w)
{
    uint32_t count = teg_whatif_trials(w->job.gpu), first = 0;

    w->toggle = calloc(count, sizeof *w->toggle);
    if (w->toggle == NULL)
        return say_memory();
    w->count = count;
    for (uint32_t i = 0; i < w->count; i++) {
        w->toggle[i].trial = i;
        teg_whatif_trial(w->job.gpu, i, w->toggle[i].name);
    }
    for (uint32_t i = 0; w->first != NULL && i < w->first->count; i++)
        first += move(w, w->first->name[i], first);
    if (w->first != NULL && w->first->only)
        w->count = first;
    return EXIT_DONE;
}

/* Adds what the kernel promises behind what those before it did. */
static int add_promising(const struct whatif *w, const struct replay *replay,
                         struct trials *all)
{
    struct trials own = {0};
    int status = w->promising(replay, &own);

    for (uint32_t i = 0; i < own.count && all->count < WHATIF_FIRST_MAX; i++)
        memcpy(all->name[all->count++], own.name[i], sizeof own.name[i]);
    return status;
}

/* Takes note which what-ifs change nothing for one more kernel, the first of
 * them if `first`.  Of a part not all is known, nor of the launch that warmed
 * the caches. */
static void note_idle(struct whatif *w, const struct replay *r, bool first)
{
    bool known =
        !r->sample.used && r->caches != CACHES_WARM && r->launch.kernel != NULL;

    for (uint32_t i = 0; i < w->count; i++) {
        struct toggle *t = &w->toggle[i];

        t->idle = (first || t->idle) && known &&
                  teg_whatif_is_idle(t->name, r->gpu, r->launch.kernel, r->s);
    }
}

/* What a worker replies. */
struct measured {
    uint64_t cycles;
    double error;   /* of samples: cycles */
    int64_t status; /* exit status of the replays */
};

static void add_replay(struct measured *m, const struct whatif *w,
                       const struct replay *r)
{
    uint64_t cycles = (w->one_launch ? 1 : replay_launches(r)) * r->s->cycles;

    m->cycles += cycles;
    if (r->sample.used)
        m->error += r->sample.error_bound * (double)cycles;
}

static void note_error(struct whatif *w, const struct measured *m)
{
    if (m->cycles != 0 && m->error > w->error_bound * (double)m->cycles)
        w->error_bound = m->error / (double)m->cycles;
}

/* Hears of each replay of a measurement. */
struct hearer {
    struct whatif *w;
    struct trials promising;
};

static int hear(struct hearer *h, struct replay *r, bool first)
{
    note_idle(h->w, r, first);
    if (r->after != NULL) {
        sim_memory_free(h->w->left);
        h->w->warm = h->w->left = r->after;
        r->after = NULL;
    }
    return h->w->promising != NULL && h->w->at == NULL
               ? add_promising(h->w, r, &h->promising)
               : EXIT_DONE;
}

/* Whether with what-ifs `names` the kernel runs as the baseline did, but for what that
 * has left in caches. */
static bool finds_as_left(const struct whatif *w, const char *names)
{
    return names != NULL && strcmp(names, "warm-caches") == 0 &&
           (w->always == NULL || w->always->count == 0);
}

/* Cycles of all chosen kernels; `names` and `hearer` may be NULL. */
static int measure(const struct whatif *w, const char *names, uint32_t threads,
                   struct measured *m, struct hearer *hearer)
{
    struct opt_list list = {0};
    struct carried carried = {0};
    int status = EXIT_DONE, heard = EXIT_DONE;
    struct replay_options options = {
        .carried = &carried,
        .before = w->before,
        .warm = finds_as_left(w, names) ? w->warm : NULL,
        .keep_after = hearer != NULL && w->job.kernel_count == 1,
        .sampling = w->sampling,
        .sms = w->sms,
        .warps_per_sm = w->warps_per_sm,
        .threads = threads,
        .cycles_only = hearer == NULL,
        .what_ifs = &list,
    };

    if (w->always != NULL)
        list = *w->always;
    if (names != NULL && list.count < OPT_LIST_MAX)
        list.item[list.count++] = names;
    for (uint32_t i = 0; status == EXIT_DONE && i < w->job.kernel_count; i++) {
        struct replay replay;

        options.store = w->store[i];
        options.facts = &w->facts[i];
        options.place = i;
        status = replay_init(&replay, &w->job, w->job.kernel[i], &options);
        if (status == EXIT_DONE)
            add_replay(m, w, &replay);
        if (status == EXIT_DONE && hearer != NULL)
            heard = hear(hearer, &replay, i == 0);
        if (status == EXIT_DONE || status == EXIT_INTERRUPTED)
            replay_release(&replay);
        if (heard != EXIT_DONE)
            status = heard;
    }
    carried_release(&carried);
    return status;
}

/* The kernels as they are, on all cores: what is wrong with them is said
 * here, and what is promising comes first from now on. */
static int measure_baseline(struct whatif *w, uint32_t cores)
{
    struct hearer first = {.w = w};
    struct measured m = {0};
    uint32_t moved = 0;
    int status;

    if (w->baseline_cycles != 0 && w->baseline != NULL)
        note_idle(w, w->baseline, true);
    if (w->baseline_cycles != 0)
        return EXIT_DONE;
    status = measure(w, NULL, cores, &m, &first);
    if (status == EXIT_DONE) {
        w->baseline_cycles = m.cycles;
        note_error(w, &m);
    }
    for (uint32_t i = 0; status == EXIT_DONE && i < first.promising.count; i++)
        moved += move(w, first.promising.name[i], moved);
    return status;
}

/* What changes nothing is known then. */
static uint32_t settle_idle(struct whatif *w)
{
    uint32_t left = 0;

    for (uint32_t i = 0; i < w->count; i++) {
        struct toggle *t = &w->toggle[i];

        if (t->idle) {
            t->cycles = w->baseline_cycles;
            t->done = true;
            w->done++;
        }
        left += !t->idle;
    }
    return left;
}

/* Whether the what-if finds all kernels' blocks as it would have them; who cannot
 * tell simulates. */
static bool finds_alike(const struct whatif *w, const char *name)
{
    int alike = w->at == NULL && (w->always == NULL || w->always->count == 0);

    for (uint32_t i = 0; alike && i < w->job.kernel_count; i++) {
        struct teg_launch launch;
        struct teg_diag d;

        if (!teg_store_holds(w->store[i]) ||
            teg_store_launch(w->store[i], &launch, &d) != TEG_OK)
            return false;
        if (teg_whatif_is_alike(name, w->job.gpu, &launch, &alike, &d) !=
            TEG_OK)
            alike = 0;
        if (launch.close != NULL)
            launch.close(launch.self);
    }
    return alike;
}

/* ---- the pool's questions: job i is toggle i ------------------------------ */

static bool next_job(void *self, uint32_t worker, uint64_t *job)
{
    struct whatif *w = self;

    (void)worker;
    while (w->next < w->count && w->toggle[w->next].idle)
        w->next++;
    *job = w->next;
    return w->next++ < w->count;
}

/* What is wrong with the kernel has been said of the baseline; others would
 * only repeat it. */
static int work(void *self, uint64_t job, uint32_t cores,
                struct teg_buffer *reply)
{
    const struct whatif *w = self;
    char name[TEG_WHATIF_NAME_SIZE];
    struct measured m = {0};
    const char *names = w->toggle[job].name;

    if (freopen("/dev/null", "w", stderr) == NULL)
        return EXIT_FAULT;
    if (w->at == NULL)
        names = teg_whatif_trial(w->job.gpu, w->toggle[job].trial, name);
    if (finds_alike(w, w->toggle[job].name))
        m.cycles = w->baseline_cycles;
    else
        m.status = measure(w, names, cores, &m, NULL);
    if (m.status == EXIT_INTERRUPTED)
        return EXIT_INTERRUPTED;
    teg_buffer_bytes(reply, &m, sizeof m);
    return EXIT_DONE;
}

/* One above the other, to be taken away for the table. */
static void show_line(struct whatif *w, const struct toggle *t)
{
    char cycles[28];

    if (!w->live || !w->terminal)
        return;
    fprintf(stderr, "\r%-28s %16s %10.2fx\033[K\n", t->name,
            with_commas(t->cycles, cycles),
            t->cycles > 0 ? (double)w->baseline_cycles / (double)t->cycles : 0);
    w->lines++;
}

static int done(void *self, uint64_t job, const uint8_t *reply, size_t size)
{
    struct whatif *w = self;
    struct toggle *t = &w->toggle[job];
    struct measured m;

    if (size != sizeof m)
        return say_memory();
    memcpy(&m, reply, sizeof m);
    t->cycles = m.cycles;
    /* A last wave that takes less than its share of the others' time, which
     * have found the caches cold, is no tail. */
    if (strcmp(t->name, "no-tail") == 0)
        t->cycles = teg_min(m.cycles, w->baseline_cycles);
    t->done = m.status == EXIT_DONE;
    if (!t->done) {
        w->broken = t->name;
        return EXIT_DONE;
    }
    w->done++;
    note_error(w, &m);
    if (strcmp(t->name, "all") != 0 &&
        (w->best == NULL || m.cycles < w->best->cycles))
        w->best = t;
    show_line(w, t);
    return EXIT_DONE;
}

static void lost(void *self, uint64_t job, const char *why)
{
    struct whatif *w = self;

    w->broken = w->toggle[job].name;
    say(w->broken, "%s", why);
}

static void tick(void *self)
{
    struct whatif *w = self;

    if (!w->terminal || job_clock() < w->job.started + 1)
        return;
    fprintf(stderr, "\r%u of %u replays", w->done + 1, w->count + 1);
    if (w->best != NULL && w->baseline_cycles > w->best->cycles)
        fprintf(stderr, ", so far %s %.2fx", w->best->name,
                (double)w->baseline_cycles / (double)w->best->cycles);
    fputs("\033[K", stderr);
    w->shown = true;
}

/* Fastest first, those not done last; ties in the order of the table. */
static int by_gain(const void *a, const void *b)
{
    const struct toggle *x = a, *y = b;

    if (x->done != y->done)
        return x->done ? -1 : 1;
    if (x->cycles != y->cycles)
        return (x->cycles > y->cycles) - (x->cycles < y->cycles);
    return (x->trial > y->trial) - (x->trial < y->trial);
}

/* The budget is for all kernels together. */
static int read_blocks(struct whatif *w)
{
    const struct job *job = &w->job;
    struct teg_diag d;

    w->store = calloc(job->kernel_count, sizeof *w->store);
    w->facts = calloc(job->kernel_count, sizeof *w->facts);
    if (w->store == NULL || w->facts == NULL)
        return say_memory();
    if (job->kernel_count == 1)
        w->facts[0] = w->known;
    for (uint32_t i = 0; i < job->kernel_count; i++) {
        if (interrupted())
            return EXIT_INTERRUPTED;
        if (teg_store_new(job->trace, job->kernel[i],
                          TEG_STORE_BUDGET / job->kernel_count, &w->store[i],
                          &d) != TEG_OK)
            return say_fault(&d);
    }
    return EXIT_DONE;
}

static void forget_blocks(struct whatif *w)
{
    for (uint32_t i = 0; i < w->job.kernel_count; i++) {
        if (w->store != NULL)
            teg_store_free(w->store[i]);
        if (w->facts != NULL && w->facts[i] != w->known)
            teg_sample_facts_free(w->facts[i]);
    }
    free(w->store);
    free(w->facts);
    w->store = NULL;
    w->facts = NULL;
}

static int replay_all(struct whatif *w)
{
    uint32_t jobs = w->jobs != 0 ? w->jobs : pool_cores(), left = 0;
    struct pool pool = {
        .cores = jobs,
        .self = w,
        .next = next_job,
        .work = work,
        .done = done,
        .lost = lost,
        .tick = tick,
    };
    int status = read_blocks(w);

    w->terminal = isatty(STDERR_FILENO) == 1;
    if (status == EXIT_DONE)
        status = measure_baseline(w, jobs);
    if (status == EXIT_DONE)
        left = settle_idle(w);
    pool.workers = jobs < left ? jobs : left;
    if (status == EXIT_DONE && left != 0)
        status = pool_run(&pool);
    for (uint32_t i = 0; status == EXIT_DONE && i < w->count; i++) {
        if (w->toggle[i].idle)
            show_line(w, &w->toggle[i]);
    }
    if (w->shown)
        fputs("\r\033[K", stderr);
    if (w->lines != 0)
        fprintf(stderr, "\033[%uA\033[J", w->lines);
    forget_blocks(w);
    sim_memory_free(w->left);
    w->warm = w->left = NULL;
    return status;
}

/* Workers read no trace: whoever is to be simulated has to be chosen. */
static int check_steps(const struct whatif *w)
{
    const struct job *job = &w->job;

    if (job->steps == NULL ||
        job->step[job->kernel_count - 1] + 1 == job->kernel_count)
        return EXIT_DONE;
    say(job->path, "what-ifs with --caches carry need all kernels up to the "
                   "last one chosen: --kernel 1-N");
    return EXIT_USAGE;
}

int whatif_measure(struct whatif *w)
{
    int status = check_steps(w);

    if (status == EXIT_DONE)
        status = w->at != NULL ? list_at_line(w) : list_toggles(w);
    if (status == EXIT_DONE)
        status = replay_all(w);
    if (status == EXIT_DONE && w->broken != NULL) {
        say(w->broken, "the replay failed; `teg run --what-if` says why");
        return EXIT_FAULT;
    }
    w->incomplete = status == EXIT_INTERRUPTED;
    w->best = NULL;
    if (w->count != 0)
        qsort(w->toggle, w->count, sizeof *w->toggle, by_gain);
    return status;
}

int whatif_measure_one(struct whatif *w, uint32_t kernel,
                       const struct sim_memory *before)
{
    int status;

    w->job.kernel = &kernel;
    w->job.kernel_count = 1;
    if (w->job.caches == CACHES_CARRY) {
        w->job.caches = CACHES_COLD;
        w->job.steps = NULL;
    }
    w->before = before;
    w->one_launch = true;
    status = whatif_measure(w);
    w->before = NULL;
    w->job.kernel = NULL;
    return status;
}

void whatif_follow(struct whatif *w, const struct replay *replay,
                   enum sampling sampling)
{
    bool by_size = sampling == SAMPLING_BY_SIZE && !replay->sample.used;

    w->sampling = by_size ? SAMPLING_OFTEN : sampling;
    w->known = replay->facts;
    if (by_size && replay->s->warp_instructions >=
                       sampling_instructions_min(SAMPLING_OFTEN))
        return;
    w->baseline_cycles = replay->s->cycles;
    w->baseline = replay;
    w->warm = replay->after;
    if (replay->sample.used)
        w->error_bound = replay->sample.error_bound;
}

uint32_t whatif_best(const struct whatif *w, uint32_t count,
                     const struct toggle *best[])
{
    uint32_t found = 0;

    for (uint32_t i = 0; i < w->done && found < count; i++) {
        if (strcmp(w->toggle[i].name, "all") != 0 &&
            w->toggle[i].cycles < w->baseline_cycles)
            best[found++] = &w->toggle[i];
    }
    return found;
}
