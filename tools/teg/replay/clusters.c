#include "tools/teg/replay/clusters.h"

#include "tools/teg/pool/pool.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int similar_parse(const char *text, double *error_most)
{
    char *end;
    double v;

    if (text == NULL)
        return EXIT_DONE;
    v = strtod(text, &end);
    if (end == text || *end != '\0' || !(v >= 0 && v <= 100)) {
        say("--similar", "expected a percentage from 0 to 100, found '%s'",
            text);
        return EXIT_USAGE;
    }
    *error_most = v / 100;
    return EXIT_DONE;
}

/* ---- portraits ------------------------------------------------------------- */

/* A walk through the launches that may be like another one. */
struct walk {
    const struct cluster_request *request;
    struct clusters *clusters;
    const struct teg_portrait **portraits; /* owned, [count]; NULL: none */
    uint64_t *outline;                     /* owned, [count] */
    uint32_t *wanted; /* owned, [wanted_count]: launches to look at */
    uint32_t wanted_count, next, done;
    double started, shown_at;
};

static void close_launch(struct teg_launch *launch)
{
    if (launch->close != NULL)
        launch->close(launch->self);
}

static int on_progress(void *self, uint64_t blocks, uint64_t cycle)
{
    (void)self;
    (void)blocks;
    (void)cycle;
    return interrupted();
}

static void find_outlines(struct walk *w)
{
    for (uint32_t i = 0; i < w->request->count && !interrupted(); i++) {
        struct teg_launch launch;

        if (w->request->open(w->request->self, i, &launch, NULL) != TEG_OK)
            continue;
        w->outline[i] = teg_portrait_outline(launch.kernel);
        close_launch(&launch);
    }
}

struct outline_of {
    uint64_t outline;
    uint32_t launch;
};

static int by_outline(const void *a, const void *b)
{
    const struct outline_of *x = a, *y = b;

    if (x->outline != y->outline)
        return x->outline < y->outline ? -1 : 1;
    return (x->launch > y->launch) - (x->launch < y->launch);
}

static int by_number(const void *a, const void *b)
{
    const uint32_t *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

/* Launches of an outline that is there twice; 0 is one that was not read. */
static int find_wanted(struct walk *w)
{
    uint32_t count = w->request->count;
    struct outline_of *sorted = calloc(count, sizeof *sorted);

    if (sorted == NULL)
        return say_memory();
    for (uint32_t i = 0; i < count; i++)
        sorted[i] = (struct outline_of){w->outline[i], i};
    qsort(sorted, count, sizeof *sorted, by_outline);
    for (uint32_t i = 0; i < count; i++) {
        uint64_t own = sorted[i].outline;

        if (own != 0 && ((i > 0 && sorted[i - 1].outline == own) ||
                         (i + 1 < count && sorted[i + 1].outline == own)))
            w->wanted[w->wanted_count++] = sorted[i].launch;
    }
    free(sorted);
    qsort(w->wanted, w->wanted_count, sizeof *w->wanted, by_number);
    return EXIT_DONE;
}

static bool next_wanted(void *self, uint32_t worker, uint64_t *job)
{
    struct walk *w = self;

    (void)worker;
    if (w->next == w->wanted_count)
        return false;
    *job = w->wanted[w->next++];
    return true;
}

/* The portrait's bytes, none of a launch that cannot be read. */
static int look_at(void *self, uint64_t job, uint32_t cores,
                   struct teg_buffer *reply)
{
    const struct walk *w = self;
    struct teg_portrait portrait;
    struct teg_launch launch;
    teg_status status;

    (void)cores;
    if (w->request->open(w->request->self, (uint32_t)job, &launch, NULL) !=
        TEG_OK)
        return EXIT_DONE;
    status = teg_portrait_take(&launch, on_progress, NULL, &portrait, NULL);
    close_launch(&launch);
    if (status == TEG_OK)
        teg_buffer_bytes(reply, &portrait, sizeof portrait);
    return status == TEG_INTERRUPTED ? EXIT_INTERRUPTED : EXIT_DONE;
}

static int keep(void *self, uint64_t job, const uint8_t *reply, size_t size)
{
    struct walk *w = self;
    struct clusters *c = w->clusters;

    w->done++;
    if (size != sizeof *c->portrait)
        return EXIT_DONE;
    memcpy(&c->portrait[job], reply, size);
    w->portraits[job] = &c->portrait[job];
    return EXIT_DONE;
}

static void give_up(void *self, uint64_t job, const char *why)
{
    struct walk *w = self;

    (void)job;
    (void)why;
    w->done++;
}

/* A line on a terminal, from the second second on. */
static void show(void *self)
{
    struct walk *w = self;
    double now = job_clock();
    char path[TEG_NAME_MAX];

    if (w->request->label == NULL || isatty(STDERR_FILENO) != 1 ||
        now < w->started + 1 || now < w->shown_at + 0.2)
        return;
    w->shown_at = now;
    fprintf(stderr, "\r%s: looked at %" PRIu32 " of %" PRIu32 " launches\033[K",
            path_title(w->request->label, path), w->done, w->wanted_count);
}

static int walk_all(struct walk *w)
{
    uint32_t most = w->request->workers;
    const struct pool pool = {
        .workers = w->wanted_count < most ? w->wanted_count : most,
        .self = w,
        .next = next_wanted,
        .work = look_at,
        .done = keep,
        .lost = give_up,
        .tick = show};
    int status = w->wanted_count > 0 ? pool_run(&pool) : EXIT_DONE;

    if (w->shown_at > 0)
        fputs("\r\033[K", stderr);
    return status;
}

/* ---- clusters -------------------------------------------------------------- */

/* Launches that are only similar are worth an error where simulating all
 * takes long. */
static double default_error(const struct walk *w)
{
    double instructions = 0;

    for (uint32_t i = 0; i < w->wanted_count; i++) {
        const struct teg_portrait *p = w->portraits[w->wanted[i]];

        instructions += p != NULL ? p->part[PORTRAIT_INSTRUCTIONS] : 0;
    }
    return w->request->sampling == SAMPLING_LONG ||
                   instructions >= TEG_SAMPLE_INSTRUCTIONS_MIN
               ? TEG_CLUSTER_ERROR
               : 0;
}

/* Each launch's next of its cluster; backwards, so that a later one is
 * known. */
static void chain(struct clusters *c)
{
    for (uint32_t i = c->count; i-- > 0;) {
        uint32_t by = c->of[i].by;

        if (by == i)
            continue;
        c->next[i] = c->next[by];
        c->next[by] = i;
    }
}

static int find(struct walk *w)
{
    const struct cluster_request *r = w->request;
    struct teg_cluster_options options = {
        .gpu = r->gpu, .gpus = r->gpus, .same_blocks = r->same_blocks};
    int status;

    find_outlines(w);
    status = find_wanted(w);
    if (status == EXIT_DONE)
        status = walk_all(w);
    if (status == EXIT_DONE && interrupted())
        status = EXIT_INTERRUPTED;
    options.error_most = default_error(w);
    if (status == EXIT_DONE)
        status = similar_parse(r->similar, &options.error_most);
    if (status == EXIT_DONE)
        teg_clusters_find(w->portraits, r->count, &options, w->clusters->of);
    return status;
}

/* In a worker: helps to look, and is told what comes of it. */
static int serve(struct walk *w)
{
    return pool_serve(&(struct pool){.self = w, .work = look_at});
}

static int find_and_share(struct walk *w)
{
    struct clusters *c = w->clusters;
    int status = pool_is_worker() ? serve(w) : find(w);

    if (status == EXIT_DONE)
        status = pool_share(c->portrait, c->count * sizeof *c->portrait);
    if (status == EXIT_DONE)
        status = pool_share(c->of, c->count * sizeof *c->of);
    if (status == EXIT_DONE)
        chain(c);
    return status;
}

int clusters_find(struct clusters *c, const struct cluster_request *r)
{
    struct walk w = {.request = r, .clusters = c, .started = job_clock()};
    int status;

    *c = (struct clusters){0};
    if (r->sampling == SAMPLING_NEVER || r->count < 2)
        return EXIT_DONE;
    c->portrait = calloc(r->count, sizeof *c->portrait);
    c->of = calloc(r->count, sizeof *c->of);
    c->next = calloc(r->count, sizeof *c->next);
    w.portraits = calloc(r->count, sizeof(struct teg_portrait *));
    w.outline = calloc(r->count, sizeof *w.outline);
    w.wanted = calloc(r->count, sizeof *w.wanted);
    c->count = r->count;
    status = c->portrait != NULL && c->of != NULL && c->next != NULL &&
                     w.portraits != NULL && w.outline != NULL &&
                     w.wanted != NULL
                 ? find_and_share(&w)
                 : say_memory();
    free(w.portraits);
    free(w.outline);
    free(w.wanted);
    if (status != EXIT_DONE)
        clusters_release(c);
    return status;
}

void clusters_release(struct clusters *c)
{
    free(c->portrait);
    free(c->of);
    free(c->next);
    *c = (struct clusters){0};
}

uint32_t clusters_by(const struct clusters *c, uint32_t launch)
{
    return launch < c->count ? c->of[launch].by : launch;
}

uint32_t clusters_members(const struct clusters *c, uint32_t launch)
{
    return launch < c->count ? c->of[launch].members : 1;
}

uint32_t clusters_next(const struct clusters *c, uint32_t launch)
{
    return launch < c->count ? c->next[launch] : 0;
}

/* ---- a represented launch -------------------------------------------------- */

int replay_represent(struct replay *r, const struct replay *by,
                     const struct clusters *c, uint32_t index,
                     const char *by_path, uint32_t by_kernel,
                     struct teg_launch *launch)
{
    const struct teg_represented *of = &c->of[index];
    double own = by->sample.used ? by->sample.error_bound : 0;
    struct teg_diag d;

    r->launch = *launch;
    *launch = (struct teg_launch){0};
    r->s = calloc(1, sizeof *r->s);
    if (r->s == NULL)
        return say_memory();
    if (teg_gpu_copy(by->gpu, &r->gpu, &d) != TEG_OK)
        return say_fault(&d);
    teg_cluster_statistics(by->s, of, &c->portrait[index], r->launch.kernel,
                           r->s);
    r->represented = (struct replay_represented){
        .used = true,
        .trace = by_path,
        .kernel = by_kernel,
        .identical = of->identical != 0,
        .similarity = of->similarity,
        /* what the representative's own cycles may be off by comes on top */
        .error_bound = (1 + of->error_bound) * (1 + own) - 1,
    };
    r->cluster_kernels = of->members;
    r->caches = by->caches;
    return EXIT_DONE;
}
