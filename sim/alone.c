#include "sim/alone.h"

#include <math.h>

#include "sim/models/peak.h"

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

void sim_alone_needs(const struct teg_gpu *gpu, uint32_t threads,
                     uint32_t registers, uint32_t shared_bytes,
                     struct sim_program_kernel *k)
{
    teg_block_needs(gpu, threads, registers, shared_bytes, &k->needs);
    teg_block_needs_fit(gpu, k->blocks_per_sm, &k->needs);
}

void sim_alone(const struct teg_statistics *s, const struct teg_gpu *gpu,
               struct sim_program_kernel *k)
{
    double cycles = (double)s->cycles;

    *k = (struct sim_program_kernel){
        .us = cycles / gpu->chip.sm_clock_mhz,
        .blocks = (uint64_t)s->grid[0] * s->grid[1] * s->grid[2],
    };
    if (k->blocks == 0)
        k->blocks = s->blocks;
    k->blocks_per_sm = s->occupancy.places != 0 ? s->occupancy.places : 1;
    sim_alone_needs(gpu, s->block[0] * s->block[1] * s->block[2], s->registers,
                    s->shared_bytes, k);
    k->use[SIM_USE_ISSUE] = share((double)s->warp_instructions,
                                  peak_issue(gpu) * gpu->chip.sms * cycles);
    k->use[SIM_USE_UNIT] = busiest_unit(s);
    k->use[SIM_USE_L2] = share(l2_work(s, gpu), peak_l2_bytes(gpu) * cycles);
    k->use[SIM_USE_DRAM] =
        share(dram_traffic(s), peak_dram_bytes(gpu) * cycles);
}
