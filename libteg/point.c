#include "libteg/point.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/memory/memory.h"
#include "sim/sample/warm_up.h"
#include "sim/whatif/launch_change.h"

enum {
    WORD_SIZE = 256,     /* "sm.policy=gto" */
    WHAT_IFS_SIZE = 1024 /* of one point */
};

struct point {
    struct source *source;
    const struct manner *manner;
    struct teg_gpu *gpu; /* borrowed from the result */
    struct launch_change launch;
    char what_ifs[WHAT_IFS_SIZE]; /* this point's own, joined by commas */
};

const char *point_next_word(const char **list, size_t *length)
{
    const char *word = *list + strspn(*list, ", ");

    *length = strcspn(word, ",");
    *list = word + *length;
    while (*length > 0 && word[*length - 1] == ' ')
        --*length;
    return *length != 0 ? word : NULL;
}

/* ---- changes of the GPU and the launch ------------------------------------ */

static teg_status take_word(struct point *p, char *word, struct teg_diag *d)
{
    char *equals = strchr(word, '=');
    size_t used = strlen(p->what_ifs);

    if (equals == NULL) {
        if (used + strlen(word) + 2 > sizeof p->what_ifs)
            return teg_fail(d, TEG_LIMIT, word, "too many what-ifs");
        snprintf(p->what_ifs + used, sizeof p->what_ifs - used, "%s%s",
                 used > 0 ? "," : "", word);
        return TEG_OK;
    }
    *equals = '\0';
    if (strncmp(word, "launch.", strlen("launch.")) == 0)
        return launch_change_set(&p->launch, word, equals + 1, d);
    return teg_gpu_vary(p->gpu, word, equals + 1, d);
}

static teg_status take_changes(struct point *p, const char *text,
                               struct teg_diag *d)
{
    char word[WORD_SIZE];
    const char *from;
    size_t length;

    while ((from = point_next_word(&text, &length)) != NULL) {
        snprintf(word, sizeof word, "%.*s",
                 length < sizeof word ? (int)length : WORD_SIZE - 1, from);
        if (length >= sizeof word)
            return teg_fail(d, TEG_LIMIT, word,
                            "expected at most %d characters, found %zu",
                            WORD_SIZE - 1, length);
        TRY(take_word(p, word, d));
    }
    return teg_gpu_check(p->gpu, d);
}

/* ---- opening ---------------------------------------------------------------- */

/* Opens the launch as the point has it; what-ifs also change `gpu`. */
static teg_status open_changed(struct point *p, struct teg_gpu *gpu,
                               struct teg_launch *launch, struct teg_diag *d)
{
    teg_status status;

    TRY(source_open(p->source, launch, d));
    launch_change_apply(&p->launch, launch);
    status = teg_whatif_apply(p->manner->what_ifs, gpu, launch, d);
    if (status == TEG_OK)
        status = teg_whatif_apply(p->what_ifs, gpu, launch, d);
    if (status != TEG_OK)
        launch_end(launch);
    return status;
}

/* Opens it once more; the GPU has been changed already. */
static teg_status open_again(void *self, struct teg_launch *launch,
                             struct teg_diag *d)
{
    struct point *p = self;
    struct teg_gpu *unused;
    teg_status status;

    TRY(teg_gpu_copy(p->gpu, &unused, d));
    status = open_changed(p, unused, launch, d);
    teg_gpu_free(unused);
    return status;
}

/* ---- simulating ------------------------------------------------------------- */

static struct teg_simulation_options options_of(const struct point *p)
{
    const struct manner *m = p->manner;
    struct teg_simulation_options options = {
        .sms = m->sms,
        .warps_per_sm = m->warps,
        .threads = m->threads,
        .progress = m->progress,
        .progress_self = m->progress_self,
    };

    launch_change_limit(&p->launch, &options);
    return options;
}

/* Warp instructions below which it is simulated in full. */
static uint64_t instructions_min(const struct manner *m)
{
    return m->sampling == TEG_SAMPLING_NEVER  ? TEG_SAMPLE_NEVER
           : m->sampling == TEG_SAMPLING_LONG ? 0
                                              : TEG_SAMPLE_INSTRUCTIONS_MIN;
}

/* A part of the launch if it is long enough: `r->sample` says so.  What its
 * blocks are is found once; a what-if may change them. */
static teg_status simulate_part(struct point *p, struct teg_launch *launch,
                                const struct teg_simulation_options *options,
                                struct teg_result *r, struct teg_diag *d)
{
    int as_it_is = p->what_ifs[0] == '\0' && p->manner->what_ifs[0] == '\0';
    struct teg_sample_facts *changed = NULL;
    teg_status status;

    if (p->manner->sampling == TEG_SAMPLING_NEVER)
        return TEG_OK;
    launch_end(launch);
    status = teg_sample_simulate(
        open_again, p, r->gpu, options, instructions_min(p->manner),
        as_it_is ? &p->source->facts : &changed, &r->s, &r->sample, d);
    teg_sample_facts_free(changed);
    return status == TEG_OK ? open_again(p, launch, d) : status;
}

teg_status teg_result_keep_notes(struct teg_result *r,
                                 const struct teg_notes *from,
                                 struct teg_diag *d)
{
    if (from->count == 0)
        return TEG_OK;
    r->notes.note = malloc(from->count * sizeof *from->note);
    if (r->notes.note == NULL)
        return teg_fail_memory(d);
    memcpy(r->notes.note, from->note, from->count * sizeof *from->note);
    r->notes.count = from->count;
    return TEG_OK;
}

/* What-if "warm-caches": the launch once before it counts. */
static teg_status warm_up(struct point *p, struct teg_launch *launch,
                          struct teg_result *r, struct sim_memory **warm,
                          struct teg_diag *d)
{
    const struct teg_simulation_options options = options_of(p);
    struct teg_sample_facts *changed = NULL;
    teg_status status;

    if (!teg_whatif_warms(p->what_ifs) &&
        !teg_whatif_warms(p->manner->what_ifs))
        return TEG_OK;
    launch_end(launch);
    status = teg_warm_up(open_again, p, r->gpu, &options,
                         instructions_min(p->manner), &changed, &r->s, warm, d);
    teg_sample_facts_free(changed);
    return status == TEG_OK ? open_again(p, launch, d) : status;
}

static teg_status simulate_warm(struct point *p, struct teg_launch *launch,
                                const struct sim_memory *warm,
                                struct teg_result *r, struct teg_diag *d)
{
    struct teg_simulation_options options = options_of(p);

    options.before = warm;
    TRY(simulate_part(p, launch, &options, r, d));
    return r->sample.used ? TEG_OK
                          : teg_simulate(launch, r->gpu, &options, &r->s, d);
}

static teg_status simulate(struct point *p, struct teg_launch *launch,
                           struct teg_result *r, struct teg_diag *d)
{
    struct sim_memory *warm = NULL;
    teg_status status;

    if (p->manner->walk)
        return teg_profile(launch, r->gpu, &r->s, d);
    status = warm_up(p, launch, r, &warm, d);
    if (status == TEG_OK)
        status = simulate_warm(p, launch, warm, r, d);
    sim_memory_free(warm);
    return status;
}

/* The engine knows blocks, not files: says whose they are. */
static void say_whose(const struct point *p, struct teg_diag *d)
{
    char where[sizeof d->where];

    if (d->status != TEG_DEADLOCK && d->status != TEG_LIMIT)
        return;
    snprintf(where, sizeof where, "%.200s: kernel %u%s%.128s",
             teg_trace_kernel_path(p->source->trace, p->source->number),
             p->source->number + 1, d->where[0] != '\0' ? ": " : "", d->where);
    memcpy(d->where, where, sizeof where);
}

static teg_status run(struct point *p, const char *text, struct teg_result *r,
                      struct teg_diag *d)
{
    struct teg_launch launch;
    teg_status status;

    TRY(take_changes(p, text, d));
    TRY(open_changed(p, r->gpu, &launch, d));
    status = simulate(p, &launch, r, d);
    if (status == TEG_OK)
        status = teg_result_keep_notes(r, &launch.kernel->notes, d);
    launch_end(&launch);
    if (status != TEG_OK)
        say_whose(p, d);
    r->incomplete = status == TEG_INTERRUPTED;
    return status;
}

teg_status point_run(struct source *source, const struct manner *manner,
                     const struct teg_gpu *gpu, const char *text,
                     struct teg_result **result, struct teg_diag *d)
{
    struct teg_result *r = calloc(1, sizeof *r);
    struct point p = {.source = source, .manner = manner};
    struct teg_diag fault;
    teg_status status;

    *result = NULL;
    if (r == NULL)
        return teg_fail_memory(d);
    status = teg_gpu_copy(gpu, &r->gpu, &fault);
    p.gpu = r->gpu;
    if (status == TEG_OK)
        status = run(&p, text, r, &fault);
    if (status != TEG_OK && d != NULL)
        *d = fault;
    if (status == TEG_OK || status == TEG_INTERRUPTED)
        *result = r;
    else
        teg_result_free(r);
    return status;
}
