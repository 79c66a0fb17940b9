/* The kernels of a program, each simulated once for each state that matters. */
#include "tools/teg/program/program.h"

#include <stdlib.h>
#include <string.h>

#include "sim/alone.h"
#include "tools/teg/pool/pool.h"

/* A launch that finds what others have left stands behind its first one. */
static uint32_t place_of(uint32_t kernel, bool later)
{
    return 2 * kernel + later;
}

static int note(void *self, struct replay *r, uint32_t kernel)
{
    struct timed *p = self;
    uint32_t place = place_of(kernel, r->later);
    struct timed_kernel *k = &p->kernel[place];
    const struct teg_statistics *s = r->s;

    k->name = strdup(s->name);
    if (k->name == NULL)
        return say_memory();
    p->recalled += r->recalled ? replay_launches(r) : 0;
    memcpy(k->grid, s->grid, sizeof k->grid);
    memcpy(k->block, s->block, sizeof k->block);
    k->later = r->later;
    k->cycles = (double)s->cycles;
    k->instructions = s->warp_instructions;
    k->l1_bytes = s->occupancy.l1_bytes;
    k->error_bound = r->sample.used ? r->sample.error_bound : 0;
    sim_alone(s, r->gpu, &p->alone[place]);
    return EXIT_DONE;
}

/* A state that no launch was simulated in is as the other one. */
static int fill_up(struct timed *p)
{
    for (uint32_t i = 0; i < p->kernels; i++) {
        uint32_t other = i ^ 1;

        if (p->kernel[i].name != NULL || p->kernel[other].name == NULL)
            continue;
        p->kernel[i] = p->kernel[other];
        p->kernel[i].later = i & 1;
        p->alone[i] = p->alone[other];
        p->kernel[i].name = strdup(p->kernel[other].name);
        if (p->kernel[i].name == NULL)
            return say_memory();
    }
    return EXIT_DONE;
}

int timed_simulate(struct timed *p)
{
    const struct replay_options options = {
        .sampling = p->exact ? SAMPLING_NEVER : SAMPLING_BY_SIZE,
        .threads = p->jobs != 0 ? p->jobs : pool_cores(),
    };
    int status;

    p->kernels = 2 * teg_trace_kernels(p->job.trace);
    p->kernel = calloc(p->kernels, sizeof *p->kernel);
    p->alone = calloc(p->kernels, sizeof *p->alone);
    if (p->kernel == NULL || p->alone == NULL)
        return say_memory();
    status = replay_each(&p->job, &options, note, p);
    return status == EXIT_DONE ? fill_up(p) : status;
}
