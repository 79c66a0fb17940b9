#include "tools/teg/replay/caches.h"

#include "sim/memory/memory.h"
#include "sim/sample/skipped.h"
#include "tools/teg/replay/job.h"
#include "tools/teg/replay/recalls.h"

const char *const caches_names[] = {"cold", "warm", "carry", NULL};

void carried_release(struct carried *c)
{
    sim_memory_free(c->memory);
    recalls_free(c->recalls);
    teg_skipped_free(c->skipped);
    *c = (struct carried){0};
}

static teg_status open_kernel(void *self, uint32_t kernel,
                              struct teg_launch *launch, struct teg_diag *d)
{
    return teg_trace_launch(self, kernel, launch, d);
}

int carried_skip(struct carried *c, const struct job *job, uint32_t step)
{
    const struct step *s = &job->steps[step];
    size_t count;
    const struct teg_step *did = teg_trace_steps(job->trace, &count);
    struct teg_diag d;

    if (c->written || (s->from >= s->to && !s->itself)) {
        c->written = false;
        return EXIT_DONE;
    }
    if (c->skipped == NULL)
        c->skipped = teg_skipped_new(job->gpu);
    if (c->skipped == NULL)
        return say_memory();
    for (size_t i = s->from; i < s->to; i++) {
        if (did[i].launches != 0)
            teg_skipped_launch(c->skipped, did[i].kernel);
        else if (did[i].rests)
            teg_skipped_rest(c->skipped);
        else
            teg_skipped_write(c->skipped, did[i].address, did[i].bytes);
    }
    if (s->itself)
        teg_skipped_launch(c->skipped, s->kernel);
    return teg_skipped_do(c->skipped, open_kernel, job->trace, &c->memory,
                          &d) == TEG_OK
               ? EXIT_DONE
               : say_fault(&d);
}
