#include "sim/collect/statistics.h"

#include <stdlib.h>
#include <string.h>

#include "config/tensor.h"
#include "sim/collect/counters.h"

/*
 * Invariants: timeline bins are 2^bin_log2 cycles wide and cover every cycle
 * announced so far; when one lies beyond, neighbours are added together and
 * the width doubles, so memory never depends on the kernel's length.
 */

/* Completions of what is in flight in one unit of one SM, earliest first. */
struct in_flight {
    uint64_t *done; /* owned ring, [capacity], a power of two */
    uint32_t head, count, capacity;
};

enum {
    WARPS_MAX = 64,
    FIRST_RING = 16
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

/* Distance of a static instruction to its producer, once known. */
struct distances {
    uint8_t *of; /* owned, [count] */
    uint32_t count;
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
    struct distances distances;
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

    for (size_t i = 0; c->in_flight != NULL && i < (size_t)c->sms * units; i++)
        free(c->in_flight[i].done);
    free(c->in_flight);
    free(c->pending_load);
    free(c->distances.of);
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
    c->active = calloc(sms, 1);
    c->ended = calloc(sms, sizeof *c->ended);
    c->failed = c->in_flight == NULL || c->pending_load == NULL ||
                c->active == NULL || c->ended == NULL;
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

static void widen(struct collect_statistics *c)
{
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

static int grow_ring(struct in_flight *f)
{
    uint32_t capacity = f->capacity != 0 ? f->capacity * 2 : FIRST_RING;
    uint64_t *done = malloc(capacity * sizeof *done);

    if (done == NULL)
        return 0;
    for (uint32_t i = 0; i < f->count; i++)
        done[i] = f->done[(f->head + i) & (f->capacity - 1)];
    free(f->done);
    f->done = done;
    f->head = 0;
    f->capacity = capacity;
    return 1;
}

/* Enters an instruction; returns how many are now in flight. */
static uint32_t enter(struct in_flight *f, uint64_t now, uint64_t done)
{
    uint32_t mask, i;

    while (f->count != 0 && f->done[f->head] <= now) {
        f->head = (f->head + 1) & (f->capacity - 1);
        f->count--;
    }
    if (f->count == f->capacity && !grow_ring(f))
        return 0;
    mask = f->capacity - 1;
    for (i = f->count++; i != 0; i--) {
        uint64_t before = f->done[(f->head + i - 1) & mask];

        if (before <= done)
            break;
        f->done[(f->head + i) & mask] = before;
    }
    f->done[(f->head + i) & mask] = done;
    return f->count;
}

static void add_time(struct collect_statistics *c, const struct sim_issue *e)
{
    struct teg_statistics *s = c->s;
    struct teg_unit_statistics *u = &s->unit[e->unit];
    uint64_t begin = e->cycle + e->queued, busy_end = begin + e->busy;
    uint32_t load;

    u->busy_cycles += e->busy;
    u->load_cycles += e->done - e->cycle;
    cover(c, e->done > busy_end ? e->done : busy_end);
    bins_add(u->busy_bin, c->bin_log2, begin, busy_end);
    bins_add(u->load_bin, c->bin_log2, e->cycle, e->done);
    if (e->lines != 0) {
        struct teg_unit_statistics *tags = &s->unit[c->gpu->tag_unit];

        tags->busy_cycles += e->lines;
        cover(c, e->cycle + e->lines);
        bins_add(tags->busy_bin, c->bin_log2, e->cycle, e->cycle + e->lines);
    }
    load = enter(&c->in_flight[(size_t)e->sm * s->unit_count + e->unit],
                 e->cycle, e->done);
    c->failed |= load == 0;
    if (load > u->peak_load)
        u->peak_load = load;
    s->resident_warp_cycles += e->cycle - e->arrived + 1;
    for (int r = 0; r < TEG_STALLS; r++)
        s->stall[r] += e->stall[r];
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
                         const struct sim_issue *e, const struct teg_inst *inst)
{
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

/* The program may have grown since the last time. */
static int extend_distances(struct distances *d, const struct teg_program *p)
{
    uint8_t *of = realloc(d->of, p->count);

    if (of == NULL)
        return 0;
    d->of = of;
    for (; d->count < p->count; d->count++)
        of[d->count] = find_distance(p, d->count);
    return 1;
}

static void add_dependence(struct collect_statistics *c, uint32_t inst)
{
    if (inst >= c->distances.count &&
        !extend_distances(&c->distances, c->program))
        c->failed = 1;
    else
        c->s->dependence[c->distances.of[inst]]++;
}

/* ---- tensor products ------------------------------------------------------ */

static void add_tensor(struct collect_statistics *c, const struct sim_issue *e,
                       const struct teg_inst *inst)
{
    uint64_t operations = 2 * teg_tensor_multiply_adds(&inst->tensor);

    c->s->tensor_operations += operations;
    c->s->class_[e->op_class].operations += operations;
    c->s->tensor_untimed += !tensor_is_timed(c->gpu, inst);
    c->s->tensor_uncounted += operations == 0;
}

/* ---- what the engine announces --------------------------------------------- */

static uint32_t count_lanes(uint32_t mask)
{
    return mask == UINT32_MAX ? TEG_LANES : (uint32_t)__builtin_popcount(mask);
}

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

static void on_issue(void *self, const struct sim_issue *e)
{
    struct collect_statistics *c = self;
    struct teg_statistics *s = c->s;
    const struct teg_inst *inst = &c->program->inst[e->inst];
    uint32_t lanes = count_lanes(e->mask);

    if (c->failed)
        return;
    s->warp_instructions++;
    s->thread_instructions += lanes;
    s->class_[e->op_class].issued++;
    s->class_[e->op_class].lanes += lanes;
    s->class_[e->op_class].unit_cycles += e->interval;
    if (teg_op_class_is_tensor(e->op_class))
        add_tensor(c, e, inst);
    s->barriers += (inst->flags & INST_BARRIER) != 0 && e->mask != 0;
    s->unknown_instructions += (inst->flags & INST_UNKNOWN) != 0;
    s->unaddressed_constants += e->mask != 0 && lacks_addresses(inst);
    if (inst->space == SPACE_TEXTURE && inst->values == VALUES_NONE &&
        e->mask != 0)
        s->unaddressed_textures += reaches_texels(c->program, inst);
    s->unit[e->unit].issued++;
    if (e->request != NULL)
        add_request(&s->memory, e->request);
    add_constants(&s->memory, &e->constants);
    follow_loads(c, e, inst);
    add_dependence(c, e->inst);
    if (e->done != 0)
        add_time(c, e);
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
    part->distances = (struct distances){0};
    part->bin_log2 = 0;
    part->s = calloc(1, sizeof *part->s);
    if (part->s == NULL) {
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
    teg_statistics_join(c->s, part->s);
    free(part->distances.of);
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
