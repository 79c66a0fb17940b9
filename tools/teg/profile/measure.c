/* The first pass: every launch, and which kernels take most of the time. */
#include "tools/teg/profile/profile.h"

#include <stdlib.h>
#include <string.h>

#include "tools/teg/pool/pool.h"

double profile_share(const struct profile *p, double us)
{
    return p->us > 0 ? us / p->us : 0;
}

uint32_t profile_findings(const struct profile *p,
                          const struct profile_group *g)
{
    double share = profile_share(p, g->us);

    return share >= 0.2 ? FINDINGS_TOLD : share >= 0.05 ? 3 : 1;
}

void profile_shape(const struct profile_step *s, char *out, size_t size)
{
    snprintf(out, size, "grid %ux%ux%u, block %ux%ux%u", s->grid[0], s->grid[1],
             s->grid[2], s->block[0], s->block[1], s->block[2]);
}

static bool find_group(const struct profile *p, const char *name,
                       uint32_t *found)
{
    for (*found = 0; *found < p->groups; ++*found) {
        if (strcmp(p->group[*found].name, name) == 0)
            return true;
    }
    return false;
}

/* The kernel of that name, a new one if there is none yet. */
static int group_of(struct profile *p, const char *name, uint32_t *found)
{
    char *copy;

    if (find_group(p, name, found))
        return EXIT_DONE;
    copy = strdup(name);
    if (copy == NULL)
        return say_memory();
    p->group[p->groups++] = (struct profile_group){.name = copy};
    return EXIT_DONE;
}

enum {
    STATES_MORE =
        2, /* that are kept: of so many kernels more than are explained */
};

/* Whether the kernel may be one of those that are explained. */
static bool is_among_first(const struct profile *p,
                           const struct profile_group *g)
{
    uint32_t before = 0;

    for (uint32_t i = 0; i < p->groups; i++)
        before += p->group[i].us > g->us;
    return before < p->top + STATES_MORE;
}

/* What the last step found, if it is its kernel's heaviest. */
static void keep_state(struct profile *p, struct replay *r)
{
    uint32_t last = p->steps - 1;
    struct profile_group *g = &p->group[p->step[last].group];

    if (g->heaviest == last && p->job.step != NULL) {
        carried_release(&g->before);
        g->before = (struct carried){
            .memory = r->before, .next = p->job.step[last], .written = true};
        r->before = NULL;
    }
    for (uint32_t i = 0; i < p->groups; i++) {
        if (!is_among_first(p, &p->group[i]))
            carried_release(&p->group[i].before);
    }
}

static double step_us(const struct profile_step *s)
{
    return s->launches * s->us;
}

static void count(struct profile *p, const struct profile_step *step)
{
    struct profile_group *g = &p->group[step->group];

    if (g->launches == 0 || step_us(step) > step_us(&p->step[g->heaviest]))
        g->heaviest = p->steps;
    g->launches += step->launches;
    g->us += step_us(step);
    p->launches += step->launches;
    p->us += step_us(step);
    p->step[p->steps++] = *step;
}

static int add(void *self, struct replay *r, uint32_t kernel)
{
    struct profile *p = self;
    const struct teg_statistics *s = r->s;
    struct profile_step step = {
        .kernel = kernel,
        .launches = replay_launches(r),
        .later = r->later,
        .sampled = r->sample.used,
        .grid = {s->grid[0], s->grid[1], s->grid[2]},
        .block = {s->block[0], s->block[1], s->block[2]},
        .cycles = s->cycles,
        .warp_instructions = s->warp_instructions,
        .us = replay_as_measured_us(r),
        .error_bound = r->sample.used ? r->sample.error_bound : 0,
    };
    const struct evidence evidence = {
        .s = s, .gpu = r->gpu, .part = r->sample.used};
    struct findings *findings;
    int status = group_of(p, s->name, &step.group);

    if (status != EXIT_DONE)
        return status;
    findings = malloc(sizeof *findings);
    if (findings == NULL)
        return say_memory();
    status = verdict_init(&step.verdict, findings, &evidence);
    free(findings);
    count(p, &step);
    p->recalled += r->recalled ? step.launches : 0;
    keep_state(p, r);
    return status;
}

/* Most time first, ties in the order of the program. */
static void sort_groups(struct profile *p)
{
    for (uint32_t i = 0; i < p->groups; i++) {
        uint32_t at = i;

        for (; at > 0 && p->group[i].us > p->group[p->rank[at - 1]].us; at--)
            p->rank[at] = p->rank[at - 1];
        p->rank[at] = i;
    }
}

int profile_measure(struct profile *p)
{
    uint32_t most = p->job.kernel_count;
    const struct replay_options options = {
        .sampling = p->exact ? SAMPLING_NEVER : SAMPLING_BY_SIZE,
        .threads = p->jobs != 0 ? p->jobs : pool_cores(),
        .keep_before = p->job.caches == CACHES_CARRY && p->top != 0,
    };
    int status;

    p->step = calloc(most, sizeof *p->step);
    p->group = calloc(most, sizeof *p->group);
    p->rank = calloc(most, sizeof *p->rank);
    if (p->step == NULL || p->group == NULL || p->rank == NULL)
        return say_memory();
    status = replay_each(&p->job, &options, add, p);
    p->incomplete |= status == EXIT_INTERRUPTED;
    sort_groups(p);
    if (profile_find_streams(p) != EXIT_DONE)
        return EXIT_FAULT;
    return status;
}

void profile_release(struct profile *p)
{
    for (uint32_t i = 0; i < p->groups; i++) {
        free(p->group[i].name);
        free(p->group[i].findings);
        carried_release(&p->group[i].before);
    }
    free(p->group);
    free(p->step);
    free(p->rank);
    p->group = NULL;
    p->step = NULL;
    p->rank = NULL;
    p->groups = p->steps = 0;
}
