#include "sim/engine/constants.h"

#include "isa/base/minmax.h"
#include "isa/inst/constant.h"
#include "sim/engine/level.h"

#include <stdlib.h>

enum {
    SCHEDULERS_MAX = 4,
    ADDRESS_BITS = 40, /* a bank's number has 8 */
    BANKS = 8,         /* that may be cold: code names those below */
    BANK_BYTES = 65536,
    BANK_LINES = BANK_BYTES / 16, /* at most */
};

struct first {
    struct sim_level level;
    /* Its line used last, and when that is there: it is asked for again and
     * again, which changes nothing. */
    uint64_t last, last_ready;
};

struct sim_constants {
    const struct teg_gpu *gpu; /* borrowed */
    unsigned line_log2, l15_line_log2;
    struct first operands[SCHEDULERS_MAX], loads;
    struct sim_level l15;
    /* Where L2 is cold: lines of l15 that this SM has read, a bit each, and what
     * the first time takes more; NULL: it is not. */
    uint8_t (*read)[BANK_LINES / 8]; /* owned, [BANKS] */
    uint64_t from_dram;
};

static int make_first(const struct teg_gpu *gpu, struct first *first)
{
    first->last = UINT64_MAX;
    return sim_level_init(&first->level, gpu->constant.l1_bytes,
                          gpu->constant.line_bytes, gpu->constant.ways);
}

/* Returns 0 out of memory. */
static int make_cold(struct sim_constants *c)
{
    uint32_t far = c->gpu->dram.latency, near = c->gpu->l2.latency;

    c->read = calloc(BANKS, sizeof *c->read);
    c->from_dram = far > near ? far - near : 0;
    return c->read != NULL;
}

teg_status sim_constants_new(const struct teg_gpu *gpu, int cold,
                             struct sim_constants **constants,
                             struct teg_diag *d)
{
    struct sim_constants *c;
    int made;

    *constants = NULL;
    if (gpu->constant.l1_bytes == 0)
        return TEG_OK;
    c = calloc(1, sizeof *c);
    if (c == NULL)
        return teg_fail_memory(d);
    c->gpu = gpu;
    c->line_log2 = (unsigned)__builtin_ctz(gpu->constant.line_bytes);
    c->l15_line_log2 = (unsigned)__builtin_ctz(gpu->constant.l15_line_bytes);
    made = make_first(gpu, &c->loads) &&
           sim_level_init(&c->l15, gpu->constant.l15_bytes,
                          gpu->constant.l15_line_bytes, gpu->constant.l15_ways);
    for (uint32_t s = 0; s < gpu->sm.schedulers; s++)
        made = made && make_first(gpu, &c->operands[s]);
    if (cold && gpu->constant.cold_from_dram)
        made = made && make_cold(c);
    if (!made) {
        sim_constants_free(c);
        return teg_fail_memory(d);
    }
    *constants = c;
    return TEG_OK;
}

void sim_constants_free(struct sim_constants *c)
{
    if (c == NULL)
        return;
    for (uint32_t s = 0; s < SCHEDULERS_MAX; s++)
        sim_level_release(&c->operands[s].level);
    sim_level_release(&c->loads.level);
    sim_level_release(&c->l15);
    free(c->read);
    free(c);
}

/* Lines of launches have numbers of their own, but fall into the same sets:
 * which launch it is may not matter. */
static uint64_t line_of(const struct sim_level *level, unsigned line_log2,
                        uint32_t launch, uint64_t address)
{
    return (address >> line_log2) +
           ((uint64_t)launch * level->sets << (ADDRESS_BITS - line_log2));
}

/* What the line takes more that has the address and is not in the L1.5. */
static uint64_t cold_latency(struct sim_constants *c, uint64_t address)
{
    uint32_t bank = teg_constant_bank(address);
    uint32_t line = (uint32_t)(address % BANK_BYTES >> c->l15_line_log2);
    uint8_t bit = (uint8_t)(1u << line % 8);

    if (c->read == NULL || bank >= BANKS || c->read[bank][line / 8] & bit)
        return 0;
    c->read[bank][line / 8] |= bit;
    return c->from_dram;
}

static int is_brought(const struct sim_constants *c, uint64_t address)
{
    return c->gpu->constant.brings_bank0 && c->read == NULL &&
           teg_constant_bank(address) == 0;
}

/* The cycle a line that a first cache misses in cycle `now` arrives there,
 * which takes `near` cycles from the L1.5. */
static uint64_t arrival(struct sim_constants *c, uint32_t launch,
                        uint64_t address, uint64_t now, uint64_t near,
                        struct sim_constant_finds *f)
{
    uint64_t beyond =
        c->gpu->constant.miss_latency - c->gpu->constant.l15_latency;
    uint64_t there = now;
    int missed = 0;

    if (!is_brought(c, address))
        there = sim_level_bring(
            &c->l15, line_of(&c->l15, c->l15_line_log2, launch, address), now,
            beyond + cold_latency(c, address), &missed);
    if (!missed)
        f->l15_hits++;
    return there + near;
}

static uint64_t bring(struct sim_constants *c, struct first *first,
                      uint32_t launch, uint64_t address, uint64_t now,
                      uint64_t near, struct sim_constant_finds *f)
{
    uint64_t line = line_of(&first->level, c->line_log2, launch, address);
    struct sim_cache_result found;

    f->lookups++;
    if (line != first->last) {
        found = sim_level_look_up(&first->level, line);
        first->last = line;
        if (found.hits == 0) {
            first->last_ready = arrival(c, launch, address, now, near, f);
            sim_cache_fill(first->level.cache, found.frame, first->last_ready);
            return first->last_ready;
        }
        first->last_ready = found.ready;
    }
    f->hits++;
    return teg_max(first->last_ready, now);
}

uint64_t sim_constants_operand(struct sim_constants *c, uint32_t launch,
                               uint32_t scheduler, uint64_t address,
                               uint64_t now, struct sim_constant_finds *f)
{
    return bring(c, &c->operands[scheduler], launch, address, now,
                 c->gpu->constant.l15_latency, f);
}

uint64_t sim_constants_load(struct sim_constants *c, uint32_t launch,
                            const uint64_t *address, uint32_t count,
                            uint64_t start, struct sim_constant_finds *f)
{
    uint64_t near =
        c->gpu->constant.l15_latency - c->gpu->timing[CLASS_LDC].latency;
    uint64_t last = start;

    for (uint32_t i = 0; i < count; i++)
        last = teg_max(last,
                       bring(c, &c->loads, launch, address[i], start, near, f));
    return last - start;
}
