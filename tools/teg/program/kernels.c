/* The kernels of a program, each simulated once for each state that matters. */
#include "tools/teg/program/program.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/models/peak.h"
#include "tools/teg/pool/pool.h"

/* A launch that finds what others have left stands behind its first one. */
static uint32_t place_of(uint32_t kernel, bool later)
{
    return 2 * kernel + later;
}

static double share(double used, double most)
{
    double s = isfinite(most) && most > 0 ? used / most : 0;

    return s > 1 ? 1 : s;
}

static double busiest_unit(const struct teg_statistics *s)
{
    double most = 0;

    for (uint32_t i = 0; i < s->unit_count; i++)
        most = fmax(most, share((double)s->unit[i].busy_cycles,
                                (double)s->cycles * s->unit[i].instances));
    return most;
}

void timed_find_needs(const struct teg_gpu *gpu, uint32_t threads,
                      uint32_t registers, uint32_t shared_bytes,
                      struct sim_program_kernel *k)
{
    teg_block_needs(gpu, threads, registers, shared_bytes, &k->needs);
    teg_block_needs_fit(gpu, k->blocks_per_sm, &k->needs);
}

static void find_alone(const struct replay *r, struct sim_program_kernel *k)
{
    const struct teg_statistics *s = r->s;
    const struct teg_gpu *gpu = r->gpu;
    double cycles = (double)s->cycles;

    *k = (struct sim_program_kernel){
        .us = cycles / gpu->chip.sm_clock_mhz,
        .blocks = (uint64_t)s->grid[0] * s->grid[1] * s->grid[2],
    };
    if (k->blocks == 0)
        k->blocks = s->blocks;
    k->blocks_per_sm = s->occupancy.places != 0 ? s->occupancy.places : 1;
    timed_find_needs(gpu, s->block[0] * s->block[1] * s->block[2], s->registers,
                     s->shared_bytes, k);
    k->use[SIM_USE_ISSUE] = share((double)s->warp_instructions,
                                  peak_issue(gpu) * gpu->chip.sms * cycles);
    k->use[SIM_USE_UNIT] = busiest_unit(s);
    k->use[SIM_USE_L2] = share(l2_traffic(s), peak_l2_bytes(gpu) * cycles);
    k->use[SIM_USE_DRAM] =
        share(dram_traffic(s), peak_dram_bytes(gpu) * cycles);
}

static int note(void *self, const struct replay *r, uint32_t kernel)
{
    struct timed *p = self;
    uint32_t place = place_of(kernel, r->later);
    struct timed_kernel *k = &p->kernel[place];
    const struct teg_statistics *s = r->s;

    k->name = strdup(s->name);
    if (k->name == NULL)
        return say_memory();
    memcpy(k->grid, s->grid, sizeof k->grid);
    memcpy(k->block, s->block, sizeof k->block);
    k->later = r->later;
    k->cycles = (double)s->cycles;
    k->instructions = s->warp_instructions;
    k->error_bound = r->sample.used ? r->sample.error_bound : 0;
    find_alone(r, &p->alone[place]);
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
