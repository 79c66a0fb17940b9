#include "traces/study/nominal.h"

#include "isa/base/minmax.h"
#include "isa/base/mix.h"

void teg_nominal_begin(struct teg_nominal *n)
{
    n->now = teg_max(n->now, teg_max(n->last_ready, n->port));
    n->began = n->now;
}

int teg_nominal_has(struct teg_nominal *n, uint64_t address)
{
    uint64_t line = address / TEG_NOMINAL_LINE;
    uint64_t *at = &n->line[line * TEG_MIX_STEP >> 56];
    uint64_t tag = (line << 20 ^ n->warps) + 1;
    int has = *at == tag;

    *at = tag;
    return has;
}

static uint64_t latency(const struct teg_inst *inst,
                        enum teg_nominal_source source)
{
    static const uint16_t of_source[] = {
        [NOMINAL_SM] = 25,
        [NOMINAL_CACHE] = 35,
        [NOMINAL_MEMORY] = 400,
    };

    switch (teg_op_class_facts(inst->op_class)->kind) {
    case RESULT_FIXED:
        return 5;
    case RESULT_SHORT:
        return of_source[NOMINAL_SM];
    case RESULT_LONG:
        break;
    }
    return of_source[source];
}

void teg_nominal_step(struct teg_nominal *n, const struct teg_inst *inst,
                      struct teg_nominal_access access)
{
    uint64_t at = n->now, done;

    for (uint32_t i = 0; i < inst->src_count; i++) {
        const struct teg_regs *r = &inst->src[i];

        for (uint32_t k = r->first; k < (uint32_t)r->first + r->count; k++)
            at = teg_max(at, n->ready[k]);
    }
    done = at + latency(inst, access.source);
    if (access.passes != 0) {
        n->port = teg_max(n->port, at) + access.passes;
        n->passes += access.passes;
        done += n->port - 1 - at;
    }
    for (uint32_t i = 0; i < inst->dst_count; i++) {
        const struct teg_regs *r = &inst->dst[i];

        for (uint32_t k = r->first; k < (uint32_t)r->first + r->count; k++)
            n->ready[k] = done;
        n->last_ready = teg_max(n->last_ready, done);
    }
    n->now = at + 1;
}

void teg_nominal_end(struct teg_nominal *n)
{
    uint64_t cycles = n->now - n->began;

    n->warps++;
    n->cycles += cycles;
    n->longest = teg_max(n->longest, cycles);
}

double teg_nominal_mean(const struct teg_nominal *n)
{
    return n->warps != 0 ? (double)n->cycles / (double)n->warps : 0;
}
