#include "traces/study/vliw.h"

#include <math.h>

#include <string.h>

/* The clause being filled. */
struct clause {
    uint8_t alus[VLIW_CLAUSE_BUNDLES]; /* slots filled in each bundle */
    uint8_t t[VLIW_CLAUSE_BUNDLES];
    uint32_t bundles;
    /* By register: the bundle behind the one that wrote it last in this
     * clause, or 0.  Valid where `written_in` is the clause's number. */
    uint16_t ready[TEG_REG_COUNT];
    uint64_t written_in[TEG_REG_COUNT];
    uint64_t number;
};

enum kind {
    KIND_ALU,   /* any slot */
    KIND_T,     /* only t */
    KIND_BREAK, /* ends the clause */
    KIND_NONE,  /* no operation */
};

static enum kind kind_of(const struct teg_inst *inst)
{
    if (inst->space != SPACE_NONE && inst->space != SPACE_CONST)
        return KIND_BREAK;
    switch ((enum teg_op_class)inst->op_class) {
    case CLASS_SFU:
    case CLASS_SFU_TRIG:
    case CLASS_CONVERT:
    case CLASS_CONVERT64:
        return KIND_T;
    case CLASS_BRANCH:
    case CLASS_CONVERGE:
    case CLASS_EXIT:
    case CLASS_BARRIER:
    case CLASS_SHUFFLE:
    case CLASS_BULK:
        return KIND_BREAK;
    case CLASS_S2R:
    case CLASS_NOP:
    case CLASS_MEMBAR:
        return KIND_NONE;
    default:
        return KIND_ALU;
    }
}

static void end_clause(struct clause *c, struct teg_vliw *v)
{
    for (uint32_t b = 0; b < c->bundles; b++) {
        v->alu_slots += c->alus[b];
        v->t_slots += c->t[b];
        v->filled[c->alus[b] + c->t[b]]++;
    }
    v->bundles += c->bundles;
    v->clauses += c->bundles > 0;
    c->bundles = 0;
    c->number++;
}

static uint32_t ready_of(const struct clause *c, const struct teg_regs *regs,
                         uint32_t count)
{
    uint32_t ready = 0;

    for (uint32_t i = 0; i < count; i++) {
        uint32_t end = (uint32_t)regs[i].first + regs[i].count;

        for (uint32_t r = regs[i].first; r < end && r < TEG_REG_COUNT; r++) {
            if (c->written_in[r] == c->number && c->ready[r] > ready)
                ready = c->ready[r];
        }
    }
    return ready;
}

static int has_room(const struct clause *c, uint32_t bundle, enum kind kind)
{
    if (bundle >= c->bundles)
        return 1;
    return c->t[bundle] == 0 ||
           (kind == KIND_ALU && c->alus[bundle] < VLIW_ALUS);
}

static void put(struct clause *c, uint32_t bundle, enum kind kind)
{
    for (; c->bundles <= bundle; c->bundles++)
        c->alus[c->bundles] = c->t[c->bundles] = 0;
    if (kind == KIND_ALU && c->alus[bundle] < VLIW_ALUS)
        c->alus[bundle]++;
    else
        c->t[bundle]++;
}

/* Behind the writers of what it reads, and of what it overwrites. */
static void schedule(struct clause *c, struct teg_vliw *v,
                     const struct teg_inst *inst, enum kind kind)
{
    uint32_t bundle = ready_of(c, inst->src, inst->src_count);
    uint32_t over = ready_of(c, inst->dst, inst->dst_count);

    bundle = over > bundle ? over : bundle;
    while (!has_room(c, bundle, kind))
        bundle++;
    if (bundle >= VLIW_CLAUSE_BUNDLES) {
        end_clause(c, v);
        bundle = 0;
    }
    put(c, bundle, kind);
    v->operations++;
    for (uint32_t i = 0; i < inst->dst_count; i++) {
        uint32_t end = (uint32_t)inst->dst[i].first + inst->dst[i].count;

        for (uint32_t r = inst->dst[i].first; r < end && r < TEG_REG_COUNT;
             r++) {
            c->ready[r] = (uint16_t)(bundle + 1);
            c->written_in[r] = c->number;
        }
    }
}

static void count_memory(struct teg_vliw *v, const struct teg_inst *inst,
                         uint32_t mask)
{
    uint64_t bytes = (uint64_t)__builtin_popcount(mask) * inst->width;
    int is_atomic = (inst->flags & INST_ATOMIC) != 0;

    if (inst->space != SPACE_GLOBAL && inst->space != SPACE_GENERIC)
        return;
    if (!is_atomic && !(inst->flags & INST_STORE)) {
        v->fetches++;
        return;
    }
    v->writes++;
    if (is_atomic || inst->width < 4)
        v->complete_bytes += bytes;
    else
        v->fast_bytes += bytes;
}

static void walk_warp(struct clause *c, struct teg_vliw *v,
                      const struct teg_program *program,
                      struct teg_block *block, uint32_t stream)
{
    struct teg_cursor cursor;

    teg_cursor_init(&cursor, block, stream);
    while (teg_cursor_next(&cursor)) {
        const struct teg_inst *inst = &program->inst[cursor.inst];
        enum kind kind = kind_of(inst);

        if (kind == KIND_BREAK) {
            end_clause(c, v);
            count_memory(v, inst, cursor.mask);
        } else if (kind != KIND_NONE) {
            schedule(c, v, inst, kind);
        }
    }
    end_clause(c, v);
}

teg_status teg_vliw_collect(struct teg_launch *launch, struct teg_vliw *v,
                            struct teg_diag *d)
{
    struct clause c = {.number = 1};

    *v = (struct teg_vliw){0};
    for (;;) {
        struct teg_block *block;

        TRY(launch->next(launch->self, &block, d));
        if (block == NULL)
            return TEG_OK;
        for (uint32_t i = 0; i < teg_block_warps(block); i++)
            walk_warp(&c, v, &launch->kernel->program, block, i);
        teg_block_free(block);
    }
}

double teg_vliw_packing(const struct teg_vliw *v)
{
    return v->bundles > 0 ? (double)(v->alu_slots + v->t_slots) /
                                ((double)v->bundles * VLIW_SLOTS)
                          : 0;
}

double teg_vliw_watts(const struct teg_vliw *v, const struct teg_vliw_power *p)
{
    double slots = (double)v->alu_slots + p->t_ratio * (double)v->t_slots;

    return p->base_watts +
           (v->bundles > 0 ? p->slot_watts * slots / (double)v->bundles : 0);
}

const struct teg_vliw_machine teg_vliw_hd5870 = {
    .simds = 20, .processors = 16, .clock_mhz = 850};

double teg_vliw_bundles_us(const struct teg_vliw *v,
                           const struct teg_vliw_machine *m)
{
    double threads = (double)v->bundles * TEG_LANES;

    return threads / (m->simds * m->processors * m->clock_mhz);
}

/* Nothing by a path takes no time on it, whatever its speed. */
static double path_us(uint64_t bytes, double gbs)
{
    if (bytes == 0)
        return 0;
    return gbs > 0 ? (double)bytes / (gbs * 1e3) : nan("");
}

double teg_vliw_stores_us(const struct teg_vliw *v,
                          const struct teg_vliw_machine *m)
{
    return path_us(v->fast_bytes, m->fast_gbs) +
           path_us(v->complete_bytes, m->complete_gbs);
}
