/*
 * What a launch needs of the chip, for plays of programs: its time and shares
 * of what launches contend for, of a simulation that had the chip to itself.
 */
#ifndef TEG_SIM_ALONE_H
#define TEG_SIM_ALONE_H

#include "sim/program/program.h"
#include "sim/teg.h"

void sim_alone(const struct teg_statistics *s, const struct teg_gpu *gpu,
               struct sim_program_kernel *kernel);
/* What a block of so many threads, registers each and bytes takes of an SM, of
 * which `kernel->blocks_per_sm` fit. */
void sim_alone_needs(const struct teg_gpu *gpu, uint32_t threads,
                     uint32_t registers, uint32_t shared_bytes,
                     struct sim_program_kernel *kernel);

#endif
