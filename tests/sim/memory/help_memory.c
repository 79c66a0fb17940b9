#include "tests/sim/memory/help_memory.h"

#include "tests/help_gpu.h"
#include "tests/help_suite.h"

void help_memory_gpu(struct teg_gpu *gpu)
{
    help_gpu_plain(gpu);
    gpu->chip.sms = 16;
    gpu->l2.bytes = 128 * 4 * 16;
    gpu->l2.latency = 40;
    gpu->dram.latency = 100;
}

struct sim_memory *help_memory_open(const struct teg_gpu *gpu, uint32_t sms)
{
    struct sim_memory *m;
    struct teg_diag d;

    ck_assert(sim_memory_new(gpu, sms, 0, &m, &d) == TEG_OK);
    return m;
}

struct sim_plan help_memory_plan(uint64_t line, uint32_t sectors,
                                 enum help_access access)
{
    uint32_t bytes = 32 * (uint32_t)__builtin_popcount(sectors);

    return (struct sim_plan){
        .request = {.space = SPACE_GLOBAL,
                    .is_store = access == HELP_STORE,
                    .is_atomic = access == HELP_ATOMIC,
                    .bytes = bytes,
                    .transactions = 1},
        .count = 1,
        .groups = 1,
        .transaction = {{.address = line * 128,
                         .bytes = (uint16_t)bytes,
                         .sectors = (uint8_t)sectors}},
    };
}

uint64_t help_memory_line(struct sim_memory *m, uint32_t sm, uint64_t line,
                          enum help_access access, uint64_t now)
{
    struct sim_plan plan = help_memory_plan(line, 15, access);

    return sim_memory_issue(m, sm, now, &plan, 0) - now;
}
