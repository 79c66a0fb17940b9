#include "tools/teg/replay/caches.h"

#include "sim/memory/memory.h"
#include "tools/teg/replay/job.h"
#include "tools/teg/replay/recalls.h"

const char *const caches_names[] = {"cold", "warm", "carry", NULL};

void carried_release(struct carried *c)
{
    sim_memory_free(c->memory);
    recalls_free(c->recalls);
    *c = (struct carried){0};
}

int carried_write(struct carried *c, const struct job *job, uint32_t step)
{
    const struct step *s = &job->steps[step];
    size_t count;
    const struct teg_step *did = teg_trace_steps(job->trace, &count);
    struct teg_diag d;

    if (c->written) {
        c->written = false;
        return EXIT_DONE;
    }
    for (size_t i = s->from; i < s->to; i++) {
        if (did[i].launches != 0 || (did[i].rests && c->memory == NULL))
            continue;
        if (c->memory == NULL &&
            sim_memory_new(job->gpu, 1, 0, &c->memory, &d) != TEG_OK)
            return say_fault(&d);
        if (did[i].rests)
            sim_memory_rest(c->memory);
        else
            sim_memory_write(c->memory, did[i].address, did[i].bytes);
    }
    return EXIT_DONE;
}
