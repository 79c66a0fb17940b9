#include "sim/collect/statistics.h"

#include <stdlib.h>
#include <string.h>

#include "config/tensor.h"
#include "sim/collect/counters.h"
#include "sim/collect/in_flight.h"

/*
 * Invariants: timeline bins are 2^bin_log2 cycles wide and cover every cycle
 * announced so far; when one lies beyond, neighbours are added together and
 * the width doubles, so memory never depends on the kernel's length.
 */

enum {
    WARPS_MAX = 64
};

enum {
    REGISTER_WORDS = (TEG_REG_COUNT + 63) / 64
};

/* A resident warp: the global loads whose results it has not read yet. */
struct pending_load {
    uint64_t block;                 /* whose warp has the slot */
    uint64_t executed;              /* warp instructions of it */
    uint32_t load;                  /* index of the last + 1; 0 = none */
    int open;                       /* a group of accesses is */
    uint64_t group[REGISTER_WORDS]; /* registers its loads write */
};

/* How often an instruction of the program was executed.  All that follows from
 * that alone is worked out at the end (expand). */
struct executed {
    uint64_t issued;
    uint64_t idle_lanes;
    uint64_t idle;        /* without an active lane */
    uint64_t unit_cycles; /* initiation intervals */
    uint64_t operations;  /* of products of tensor memory */
};

/* Of a unit: what its instructions cover. */
struct covered {
    struct bins_ends busy, load;
};

/* A part, which hears some SMs on another host thread, has sums of its own and
 * uses the whole's records of its SMs. */
struct collect_statistics {
    struct teg_statistics *s;  /* borrowed; a part's is owned */
    const struct teg_gpu *gpu; /* borrowed */
    const struct teg_program *program;
    uint32_t sms;
    unsigned bin_log2;
    struct in_flight *in_flight;       /* the whole's, [sms][units] */
    struct pending_load *pending_load; /* the whole's, [sms][WARPS_MAX] */
    struct executed *executed;         /* owned, [executed_count] */
    uint32_t executed_count;
    struct covered *covered; /* owned, [units] */
    /* Stalls since they were last added to the sums, and at most how much one
     * of them can be. */
    uint32_t stall[TEG_STALLS];
    uint64_t stalled;
    uint8_t *active; /* the whole's, [sms]: ran a block */
    uint64_t *ended; /* likewise: cycle in which its last block ended */
    int failed;
};

teg_status collect_statistics_new(struct teg_statistics *s,
                                  struct collect_statistics **c,
                                  struct teg_diag *d)
{
    *c = calloc(1, sizeof **c);
    if (*c == NULL)
        return teg_fail_memory(d);
    (*c)->s = s;
    return TEG_OK;
}

static void release(struct collect_statistics *c)
{
    uint32_t units = c->gpu != NULL ? c->gpu->unit_count : 0;

    for (uint32_t sm = 0;
         c->in_flight != NULL && c->active != NULL && sm < c->sms; sm++) {
        for (uint32_t u = 0; c->active[sm] && u < units; u++)
            in_flight_release(&c->in_flight[(size_t)sm * units + u]);
    }
    free(c->in_flight);
    free(c->pending_load);
    free(c->executed);
    free(c->covered);
    free(c->active);
    free(c->ended);
}

void collect_statistics_free(struct collect_statistics *c)
{
    if (c == NULL)
        return;
    release(c);
    free(c);
}

teg_status collect_statistics_check(const struct collect_statistics *c,
                                    struct teg_diag *d)
{
    return c->failed ? teg_fail_memory(d) : TEG_OK;
}

static void on_start(void *self, const struct teg_gpu *gpu,
                     const struct teg_program *program, uint32_t sms)
{
    struct collect_statistics *c = self;
    struct teg_statistics *s = c->s;

    release(c);
    *c = (struct collect_statistics){
        .s = s, .gpu = gpu, .program = program, .sms = sms};
    c->in_flight =
        calloc((size_t)sms * gpu->unit_count + 1, sizeof *c->in_flight);
    c->pending_load = calloc((size_t)sms * WARPS_MAX, sizeof *c->pending_load);
    c->covered = calloc(gpu->unit_count + 1, sizeof *c->covered);
    c->active = calloc(sms, 1);
    c->ended = calloc(sms, sizeof *c->ended);
    c->failed = c->in_flight == NULL || c->pending_load == NULL ||
                c->covered == NULL || c->active == NULL || c->ended == NULL;
    memset(s, 0, sizeof *s);
    s->sms = sms;
    s->unit_count = gpu->unit_count;
    s->channels = gpu->dram.channels;
    s->timeline_bin_cycles = 1;
    for (uint32_t u = 0; u < gpu->unit_count; u++)
        s->unit[u].instances =
            sms * gpu->unit[u].count *
            (gpu->unit[u].scope == UNIT_SCOPE_SM ? 1 : gpu->sm.schedulers);
}

/* ---- time ----------------------------------------------------------------- */

static void settle_bins(struct collect_statistics *c)
{
    for (uint32_t u = 0; u < c->s->unit_count; u++) {
        bins_settle(c->s->unit[u].busy_bin, &c->covered[u].busy, c->bin_log2);
        bins_settle(c->s->unit[u].load_bin, &c->covered[u].load, c->bin_log2);
    }
}

static void widen(struct collect_statistics *c)
{
    settle_bins(c);
    for (uint32_t u = 0; u < c->s->unit_count; u++) {
        bins_halve(c->s->unit[u].busy_bin);
        bins_halve(c->s->unit[u].load_bin);
    }
    c->bin_log2++;
    c->s->timeline_bin_cycles *= 2;
}

static void cover(struct collect_statistics *c, uint64_t end)
{
    while (end > (uint64_t)TEG_TIMELINE_BINS << c->bin_log2)
        widen(c);
}

static void settle_stalls(struct collect_statistics *c)
{
    for (int r = 0; r < TEG_STALLS; r++)
        c->s->stall[r] += c->stall[r];
    memset(c->stall, 0, sizeof c->stall);
    c->stalled = 0;
}

/* In 32 bits as long as they hold them: half the work. */
static void add_stalls(struct collect_statistics *c, const struct sim_issue *e)
{
    uint64_t cycles = e->cycle - e->arrived;

    if (c->stalled + cycles > UINT32_MAX)
        settle_stalls(c);
    c->stalled += cycles;
    for (int r = 0; r < TEG_STALLS; r++)
        c->stall[r] += e->stall[r];
}

static void add_time(struct collect_statistics *c,
                     struct teg_unit_statistics *u, const struct sim_issue *e)
{
    struct teg_statistics *s = c->s;
    struct covered *covered = &c->covered[e->unit];
    uint64_t busy_end = e->cycle + e->queued + e->busy;
    struct bins_edge cycle, begin, end;

    u->busy_cycles += (uint64_t)e->busy * (1 + e->others);
    s->factor_parts += e->factors;
    u->load_cycles += e->done - e->cycle;
    cover(c, e->done > busy_end ? e->done : busy_end);
    cycle = begin = bins_edge_of(c->bin_log2, e->cycle);
    if (e->queued != 0)
        begin = bins_edge_of(c->bin_log2, e->cycle + e->queued);
    end = bins_edge_of(c->bin_log2, busy_end);
    for (uint32_t sm = 0; sm <= e->others; sm++)
        bins_cover(&covered->busy, &begin, &end);
    end = bins_edge_of(c->bin_log2, e->done);
    bins_cover(&covered->load, &cycle, &end);
    if (e->lines != 0) {
        s->unit[c->gpu->tag_unit].busy_cycles += e->lines;
        cover(c, e->cycle + e->lines);
        cycle = bins_edge_of(c->bin_log2, e->cycle);
        end = bins_edge_of(c->bin_log2, e->cycle + e->lines);
        bins_cover(&c->covered[c->gpu->tag_unit].busy, &cycle, &end);
    }
    if (!in_flight_enter(&c->in_flight[(size_t)e->sm * s->unit_count + e->unit],
                         e->cycle, e->done, &u->peak_load))
        c->failed = 1;
    s->resident_warp_cycles += e->cycle - e->arrived + 1;
    add_stalls(c, e);
}

/* ---- memory --------------------------------------------------------------- */

static void add_atomic(struct teg_memory_statistics *m,
                       const struct sim_request *r)
{
    m->global_atomics++;
    m->atomic_lanes += r->active;
    m->atomic_conflicts += r->atomic_conflicts;
    m->atomic_steps += r->atomic_steps;
    if (r->is_float)
        m->atomic_float_steps += r->atomic_steps;
}

static void add_shared(struct teg_memory_statistics *m,
                       const struct sim_request *r)
{
    m->shared_requests++;
    m->shared_passes += r->passes;
    m->shared_groups += r->groups;
    m->remote_requests += r->remote_bytes != 0;
    m->remote_bytes += r->remote_bytes;
    if (!r->is_atomic || r->groups == 0)
        return;
    m->shared_atomics++;
    m->shared_atomic_conflicts += r->atomic_conflicts;
    m->shared_atomic_passes += r->passes;
}

static void add_texture(struct teg_memory_statistics *m,
                        const struct sim_request *r)
{
    m->texture_requests++;
    m->texture_sectors += r->l1_sectors;
    m->texture_hits += r->l1_hits;
}

static void add_global(struct teg_memory_statistics *m,
                       const struct sim_request *r)
{
    m->global_requests++;
    if (r->is_atomic)
        add_atomic(m, r);
    else if (r->is_store)
        m->global_stores++;
    else
        m->global_loads++;
    if (r->coalesced) {
        m->coalesced_requests++;
        m->coalesced_transactions += r->transactions;
    } else {
        m->uncoalesced_transactions += r->transactions;
    }
    if (r->space == SPACE_TEXTURE)
        add_texture(m, r);
    if (r->is_store)
        m->store_bytes += r->bytes;
    else
        m->load_bytes += r->bytes;
#define REQUEST(type, field, ...) m->field += r->field;
#include "sim/collect/counters.def"
}

static void add_request(struct teg_memory_statistics *m,
                        const struct sim_request *r)
{
    if (sim_request_goes_out(r)) {
        add_global(m, r);
    } else if (r->space == SPACE_CONST) {
        m->constant_requests++;
        m->constant_addresses += r->passes;
    } else {
        add_shared(m, r);
    }
}

static void add_constants(struct teg_memory_statistics *m,
                          const struct sim_constant_finds *f)
{
    m->constant_lookups += f->lookups;
    m->constant_l1_hits += f->hits;
    m->constant_l15_hits += f->l15_hits;
}

static int overlap(const struct teg_regs *a, const struct teg_regs *b)
{
    return a->first < b->first + b->count && b->first < a->first + a->count;
}

static int reads_result_of(const struct teg_inst *inst,
                           const struct teg_inst *load)
{
    for (uint8_t i = 0; i < inst->src_count; i++) {
        for (uint8_t j = 0; j < load->dst_count; j++) {
            if (overlap(&inst->src[i], &load->dst[j]))
                return 1;
        }
    }
    return 0;
}

static void mark(uint64_t *set, const struct teg_regs *r)
{
    for (uint32_t i = r->first; i < (uint32_t)r->first + r->count; i++)
        set[i / 64] |= 1ull << (i % 64);
}

static int is_marked(const uint64_t *set, const struct teg_regs *r)
{
    for (uint32_t i = r->first; i < (uint32_t)r->first + r->count; i++) {
        if (set[i / 64] >> (i % 64) & 1)
            return 1;
    }
    return 0;
}

/* A first use of a loaded value closes the group.  (Hong 2012, 5.3.7) */
static void follow_group(struct collect_statistics *c, struct pending_load *p,
                         const struct teg_inst *inst, int is_access)
{
    for (uint8_t i = 0; p->open && i < inst->src_count; i++)
        p->open = !is_marked(p->group, &inst->src[i]);
    if (!is_access)
        return;
    c->s->memory.access_groups += !p->open;
    if ((inst->flags & INST_LOAD) == 0)
        return;
    if (!p->open)
        memset(p->group, 0, sizeof p->group);
    p->open = 1;
    for (uint8_t i = 0; i < inst->dst_count; i++)
        mark(p->group, &inst->dst[i]);
}

/* A load is independent of the warp's load before if nothing up to it has
 * read that one's result.  (Hong 2012, 2.6.3) */
static void follow_loads(struct collect_statistics *c,
                         const struct sim_issue *e)
{
    const struct teg_inst *inst;
    struct pending_load *p =
        &c->pending_load[(size_t)e->sm * WARPS_MAX + e->slot];
    int is_access = e->request != NULL && sim_request_goes_out(e->request);

    if (p->block != e->block) {
        p->load = 0;
        p->open = 0;
        p->block = e->block;
        p->executed = 0;
    }
    p->executed++;
    if (p->executed > c->s->warp_instructions_most)
        c->s->warp_instructions_most = p->executed;
    if (!is_access && p->load == 0 && !p->open)
        return;
    inst = &c->program->inst[e->inst];
    if (p->load != 0 && reads_result_of(inst, &c->program->inst[p->load - 1]))
        p->load = 0;
    follow_group(c, p, inst, is_access);
    if (!is_access || (inst->flags & INST_LOAD) == 0)
        return;
    c->s->memory.independent_loads += p->load != 0;
    p->load = e->inst + 1;
}

/* ---- dependences ------------------------------------------------------------ */

/* To the nearest instruction before it in the program that is no memory
 * access and makes an operand of it; 0: none that near. */
static uint8_t find_distance(const struct teg_program *p, uint32_t index)
{
    const struct teg_inst *inst = &p->inst[index];

    for (uint32_t i = 1; i < TEG_DEPENDENCE_MAX && i <= index; i++) {
        const struct teg_inst *before = &p->inst[index - i];

        if (teg_op_class_facts(before->op_class)->kind != RESULT_LONG &&
            reads_result_of(inst, before))
            return (uint8_t)i;
    }
    return 0;
}

/* ---- tensor products ------------------------------------------------------ */

static void add_tensor(struct collect_statistics *c,
                       const struct teg_inst *inst, uint64_t issued)
{
    uint64_t operations = 2 * teg_tensor_multiply_adds(&inst->tensor);

    c->s->tensor_operations += issued * operations;
    c->s->class_[inst->op_class].operations += issued * operations;
    if (!tensor_is_timed(c->gpu, inst))
        c->s->tensor_untimed += issued;
    if (operations == 0)
        c->s->tensor_uncounted += issued;
}

/* Of tensor memory: the shape is not in the text but a value of each. */
static void add_product(struct collect_statistics *c,
                        const struct teg_inst *inst, const struct executed *x)
{
    const char *text = teg_program_text(c->program, inst);

    if (teg_text_is(text, "UTCCP") || teg_text_is(text, "UTCSHIFT"))
        return;
    c->s->tensor_operations += x->operations;
    c->s->class_[inst->op_class].operations += x->operations;
    if (inst->values != VALUES_PRODUCT)
        c->s->tensor_untimed += x->issued;
    if (x->operations == 0)
        c->s->tensor_uncounted += x->issued;
}

/* ---- what follows from how often it was executed --------------------------- */

/* Whether it is a constant load that may have had different addresses: by a
 * register of the lanes. */
static int lacks_addresses(const struct teg_inst *inst)
{
    if (inst->op_class != CLASS_LDC || (inst->flags & INST_INDEXED) != 0)
        return 0;
    for (uint8_t i = 0; i < inst->src_count; i++) {
        if (inst->src[i].first < TEG_REG_P)
            return 1;
    }
    return 0;
}

/* Whether it reads or writes texels: one that asks about a texture does not. */
static int reaches_texels(const struct teg_program *p,
                          const struct teg_inst *inst)
{
    static const char *const queries[] = {"TXQ", "SUQ", "TMML"};
    const char *text = teg_program_text(p, inst);

    for (size_t i = 0; i < sizeof queries / sizeof queries[0]; i++) {
        if (teg_text_is(text, queries[i]))
            return 0;
    }
    return 1;
}

/* ---- register banks --------------------------------------------------------- */

/* (Lai 2013, 4.4.4) */
uint32_t collect_bank_ways(const struct teg_gpu *gpu,
                           const struct teg_inst *inst)
{
    uint64_t seen[(TEG_REG_P - TEG_REG_R) / 64 + 1] = {0};
    uint32_t reads[4] = {0}, most = 0;

    if (gpu->sm.register_banks == REGISTER_BANKS_NONE ||
        teg_op_class_is_tensor(inst->op_class) ||
        teg_op_class_facts(inst->op_class)->kind != RESULT_FIXED ||
        teg_inst_has_addresses(inst))
        return 0;
    for (uint8_t i = 0; i < inst->src_count; i++) {
        uint32_t end = inst->src[i].first + inst->src[i].count;

        for (uint32_t r = inst->src[i].first; r < end && r < TEG_REG_P; r++) {
            uint32_t *bank =
                &reads[teg_register_bank(gpu->sm.register_banks, r)];

            if (seen[r / 64] >> (r % 64) & 1)
                continue;
            seen[r / 64] |= 1ull << (r % 64);
            (*bank)++;
            if (*bank > most)
                most = *bank;
        }
    }
    return most;
}

static void add_bank_ways(struct collect_statistics *c,
                          const struct teg_inst *inst, uint64_t issued)
{
    uint32_t ways = collect_bank_ways(c->gpu, inst);

    if (ways == 2)
        c->s->register_conflicts_2 += issued;
    if (ways > 2)
        c->s->register_conflicts_3 += issued;
}

static void expand_one(struct collect_statistics *c, uint32_t index)
{
    const struct teg_inst *inst = &c->program->inst[index];
    const struct executed *x = &c->executed[index];
    struct teg_statistics *s = c->s;
    struct teg_class_statistics *of_class = &s->class_[inst->op_class];
    uint64_t lanes = TEG_LANES * x->issued - x->idle_lanes;
    uint64_t active = x->issued - x->idle;

    s->warp_instructions += x->issued;
    s->thread_instructions += lanes;
    of_class->issued += x->issued;
    of_class->lanes += lanes;
    of_class->unit_cycles += x->unit_cycles;
    if (inst->op_class == CLASS_TCMMA)
        add_product(c, inst, x);
    else if (teg_op_class_is_tensor(inst->op_class))
        add_tensor(c, inst, x->issued);
    add_bank_ways(c, inst, x->issued);
    if ((inst->flags & INST_BARRIER) != 0)
        s->barriers += active;
    if (inst->values == VALUES_TEST)
        s->phases += active;
    if ((inst->flags & INST_UNKNOWN) != 0)
        s->unknown_instructions += x->issued;
    if (lacks_addresses(inst))
        s->unaddressed_constants += active;
    if (inst->space == SPACE_TEXTURE && inst->values == VALUES_NONE &&
        reaches_texels(c->program, inst))
        s->unaddressed_textures += active;
    s->dependence[find_distance(c->program, index)] += x->issued;
}

/* Adds all that has been put off to the sums. */
static void expand(struct collect_statistics *c)
{
    for (uint32_t i = 0; i < c->executed_count; i++) {
        if (c->executed[i].issued != 0)
            expand_one(c, i);
    }
    free(c->executed);
    c->executed = NULL;
    c->executed_count = 0;
    settle_stalls(c);
    settle_bins(c);
}

/* ---- what the engine announces --------------------------------------------- */

/* The program may have grown since the last time. */
static int extend_executed(struct collect_statistics *c)
{
    uint32_t count = c->program->count;
    struct executed *executed = realloc(c->executed, count * sizeof *executed);

    if (executed == NULL)
        return 0;
    memset(executed + c->executed_count, 0,
           (count - c->executed_count) * sizeof *executed);
    c->executed = executed;
    c->executed_count = count;
    return 1;
}

static void count(struct executed *x, const struct sim_issue *e)
{
    x->issued++;
    x->unit_cycles += e->interval;
    if (e->mask != UINT32_MAX) {
        x->idle_lanes += TEG_LANES - (uint32_t)__builtin_popcount(e->mask);
        x->idle += e->mask == 0;
    }
    if (e->operations != 0)
        x->operations += e->operations;
}

/* A block was placed there before. */
static void on_issue(void *self, const struct sim_issue *e)
{
    struct collect_statistics *c = self;
    struct teg_unit_statistics *u;

    if (!c->failed && e->inst >= c->executed_count)
        c->failed = !extend_executed(c);
    if (c->failed)
        return;
    count(&c->executed[e->inst], e);
    u = &c->s->unit[e->unit];
    u->issued++;
    if (e->request != NULL)
        add_request(&c->s->memory, e->request);
    if (e->constants.lookups != 0)
        add_constants(&c->s->memory, &e->constants);
    follow_loads(c, e);
    if (e->done != 0)
        add_time(c, u, e);
}

static void on_block_start(void *self, uint64_t cycle, uint32_t sm,
                           uint64_t block, uint32_t warps)
{
    struct collect_statistics *c = self;

    (void)cycle;
    (void)block;
    if (c->failed)
        return;
    c->s->blocks++;
    c->s->warps += warps;
    c->s->active_sms += c->active[sm] == 0;
    c->active[sm] = 1;
}

static void on_block_end(void *self, uint64_t cycle, uint32_t sm,
                         uint64_t block)
{
    struct collect_statistics *c = self;

    (void)block;
    if (!c->failed && c->ended[sm] < cycle)
        c->ended[sm] = cycle;
}

/* ---- parts ------------------------------------------------------------------ */

static void *split(void *self)
{
    const struct collect_statistics *whole = self;
    struct collect_statistics *part = calloc(1, sizeof *part);

    if (part == NULL)
        return NULL;
    *part = *whole;
    part->executed = NULL;
    part->executed_count = 0;
    memset(part->stall, 0, sizeof part->stall);
    part->stalled = 0;
    part->bin_log2 = 0;
    part->s = calloc(1, sizeof *part->s);
    part->covered = calloc(whole->s->unit_count + 1, sizeof *part->covered);
    if (part->s == NULL || part->covered == NULL) {
        free(part->s);
        free(part->covered);
        free(part);
        return NULL;
    }
    part->s->unit_count = whole->s->unit_count;
    part->s->timeline_bin_cycles = 1;
    return part;
}

/* The bins become as wide as the wider ones. */
static void join(void *self, void *other)
{
    struct collect_statistics *c = self, *part = other;

    while (c->bin_log2 < part->bin_log2)
        widen(c);
    while (part->bin_log2 < c->bin_log2)
        widen(part);
    c->failed |= part->failed;
    expand(part);
    teg_statistics_join(c->s, part->s);
    free(part->covered);
    free(part->s);
    free(part);
}

/* ---- the end ---------------------------------------------------------------- */

static int named_before(const struct teg_program *p, uint32_t index)
{
    size_t length, other_length;
    const char *name =
        teg_text_mnemonic(teg_program_text(p, &p->inst[index]), &length);

    for (uint32_t i = 0; i < index; i++) {
        const char *other =
            teg_text_mnemonic(teg_program_text(p, &p->inst[i]), &other_length);

        if ((p->inst[i].flags & INST_UNKNOWN) != 0 && other_length == length &&
            strncmp(other, name, length) == 0)
            return 1;
    }
    return 0;
}

static void count_unknown(const struct teg_program *p, struct teg_statistics *s)
{
    for (uint32_t i = 0; i < p->count; i++) {
        size_t length;
        const char *name =
            teg_text_mnemonic(teg_program_text(p, &p->inst[i]), &length);

        if ((p->inst[i].flags & INST_UNKNOWN) == 0 || named_before(p, i))
            continue;
        if (s->unknown_opcodes++ != 0)
            continue;
        if (length >= sizeof s->unknown_first)
            length = sizeof s->unknown_first - 1;
        memcpy(s->unknown_first, name, length);
    }
}

static void count_busy(struct collect_statistics *c)
{
    for (uint32_t sm = 0; sm < c->sms; sm++) {
        c->s->sm_busy_cycles += c->ended[sm];
        c->s->late_sms += 3 * c->ended[sm] > 2 * c->s->cycles;
    }
}

static void on_finish(void *self, uint64_t cycles)
{
    struct collect_statistics *c = self;

    c->s->cycles = cycles;
    if (c->failed)
        return;
    expand(c);
    count_busy(c);
    count_unknown(c->program, c->s);
}

struct sim_listener collect_statistics_listener(struct collect_statistics *c)
{
    return (struct sim_listener){
        .self = c,
        .on_start = on_start,
        .on_issue = on_issue,
        .on_block_start = on_block_start,
        .on_block_end = on_block_end,
        .on_finish = on_finish,
        .split = split,
        .join = join,
    };
}
