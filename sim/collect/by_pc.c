#include "sim/collect/by_pc.h"

#include <stdlib.h>
#include <string.h>

/* Who wrote a register last, and when its value is there. */
struct written {
    uint64_t done;
    uint32_t inst; /* index + 1; 0: nobody yet */
};

struct by_pc_warp {
    uint64_t block; /* whose warp has the slot */
    uint32_t stream;
    struct written *written; /* owned, [capacity], by dense number */
    uint16_t capacity;
};

void by_pc_init(struct by_pc *b)
{
    *b = (struct by_pc){0};
}

static void release_warps(struct by_pc *b)
{
    for (uint32_t i = 0; b->warp != NULL && i < b->warps; i++)
        free(b->warp[i].written);
    free(b->warp);
    b->warp = NULL;
}

void by_pc_release(struct by_pc *b)
{
    release_warps(b);
    for (uint32_t i = 0; i < b->count; i++)
        free(b->row[i].producer);
    free(b->row);
    *b = (struct by_pc){0};
}

static void on_start(void *self, const struct teg_gpu *gpu,
                     const struct teg_program *program, uint32_t sms)
{
    struct by_pc *b = self;

    by_pc_release(b);
    b->program = program;
    b->warps_per_sm = gpu->sm.warps_max;
    b->warps = sms * gpu->sm.warps_max;
    b->warp = calloc(b->warps, sizeof *b->warp);
    b->failed = b->warp == NULL;
}

/* ---- the program grows ---------------------------------------------------- */

static void number_registers(struct by_pc *b, const struct teg_regs *regs,
                             uint8_t count)
{
    for (uint8_t i = 0; i < count; i++) {
        for (uint32_t r = regs[i].first; r < regs[i].first + regs[i].count;
             r++) {
            if (b->dense[r] == 0)
                b->dense[r] = ++b->registers;
        }
    }
}

static int grow(struct by_pc *b)
{
    uint32_t count = b->program->count;

    if (count > b->capacity) {
        uint32_t capacity = count + count / 2;
        struct by_pc_row *row = realloc(b->row, capacity * sizeof *row);

        if (row == NULL)
            return 0;
        b->row = row;
        b->capacity = capacity;
    }
    for (; b->count < count; b->count++) {
        const struct teg_inst *inst = &b->program->inst[b->count];

        b->row[b->count] = (struct by_pc_row){0};
        number_registers(b, inst->src, inst->src_count);
        number_registers(b, inst->dst, inst->dst_count);
    }
    return 1;
}

/* ---- producers ------------------------------------------------------------ */

/* The warp's registers, with room for all seen; forgotten where another warp
 * had the slot before.  NULL out of memory. */
static struct written *registers_of(struct by_pc *b, const struct sim_issue *e)
{
    struct by_pc_warp *w = &b->warp[(size_t)e->sm * b->warps_per_sm + e->slot];

    if (w->capacity < b->registers || w->written == NULL) {
        size_t size = (b->registers + 1u) * sizeof *w->written;
        struct written *written = realloc(w->written, size);

        if (written == NULL)
            return NULL;
        memset(written + w->capacity, 0,
               (b->registers + 1u - w->capacity) * sizeof *written);
        w->written = written;
        w->capacity = b->registers;
    }
    if (w->block != e->block || w->stream != e->stream) {
        memset(w->written, 0, (w->capacity + 1u) * sizeof *w->written);
        w->block = e->block;
        w->stream = e->stream;
    }
    return w->written;
}

/* The source that came last, if it came after the warp could have issued. */
static const struct written *last_source(const struct by_pc *b,
                                         const struct teg_inst *inst,
                                         const struct written *written,
                                         uint64_t arrived)
{
    const struct written *last = NULL;

    for (uint8_t i = 0; i < inst->src_count; i++) {
        const struct teg_regs *regs = &inst->src[i];

        for (uint32_t r = regs->first; r < regs->first + regs->count; r++) {
            const struct written *w = &written[b->dense[r] - 1];

            if (w->inst != 0 && w->done > arrived &&
                (last == NULL || w->done > last->done))
                last = w;
        }
    }
    return last;
}

/* They are few: as many as write its operands. */
static int charge(struct by_pc_row *row, uint32_t producer, uint64_t cycles)
{
    struct by_pc_producer *list;
    uint32_t at = 0;

    while (at < row->producers && row->producer[at].inst < producer)
        at++;
    if (at < row->producers && row->producer[at].inst == producer) {
        row->producer[at].cycles += cycles;
        return 1;
    }
    list = realloc(row->producer, (row->producers + 1u) * sizeof *list);
    if (list == NULL)
        return 0;
    memmove(list + at + 1, list + at, (row->producers - at) * sizeof *list);
    list[at] = (struct by_pc_producer){producer, cycles};
    row->producer = list;
    row->producers++;
    return 1;
}

static uint64_t waited_for_results(const struct sim_issue *e)
{
    uint64_t cycles = 0;

    for (int r = 0; r < TEG_STALL_RESULTS; r++)
        cycles += e->stall[TEG_STALL_RESULT_FIRST + r];
    return cycles;
}

static void follow_registers(struct by_pc *b, const struct sim_issue *e,
                             const struct teg_inst *inst)
{
    uint64_t waited = waited_for_results(e);
    struct written *written = registers_of(b, e);
    const struct written *last;

    if (written == NULL) {
        b->failed = 1;
        return;
    }
    last = waited != 0 ? last_source(b, inst, written, e->arrived) : NULL;
    if (last != NULL && !charge(&b->row[e->inst], last->inst - 1, waited))
        b->failed = 1;
    for (uint8_t i = 0; i < inst->dst_count; i++) {
        const struct teg_regs *regs = &inst->dst[i];

        for (uint32_t r = regs->first; r < regs->first + regs->count; r++)
            written[b->dense[r] - 1] = (struct written){e->done, e->inst + 1};
    }
}

/* ---- sums ----------------------------------------------------------------- */

static void add_request(struct by_pc_row *row, const struct sim_request *r)
{
    if (r->space == SPACE_CONST) {
        row->constant_requests++;
        row->constant_addresses += r->passes;
        return;
    }
    if (r->space == SPACE_SHARED) {
        row->shared_requests++;
        row->passes += r->passes;
        row->groups += r->groups;
        return;
    }
    row->requests++;
#define REQUEST(type, field, ...) row->field += r->field;
#include "sim/collect/counters.def"
}

static void on_issue(void *self, const struct sim_issue *e)
{
    struct by_pc *b = self;
    struct by_pc_row *row;

    if (!b->failed && e->inst >= b->count)
        b->failed = !grow(b);
    if (b->failed)
        return;
    row = &b->row[e->inst];
    row->issued++;
    row->lanes += e->mask == UINT32_MAX ? TEG_LANES
                                        : (uint64_t)__builtin_popcount(e->mask);
    for (int r = 0; r < TEG_STALLS; r++)
        row->stall[r] += e->stall[r];
    if (e->request != NULL)
        add_request(row, e->request);
    follow_registers(b, e, &b->program->inst[e->inst]);
}

/* ---- parts ---------------------------------------------------------------- */

/* A part has sums of its own and uses the whole's records of its SMs' warps;
 * it numbers registers as the whole does, in the order of the program. */
static void *split(void *self)
{
    const struct by_pc *whole = self;
    struct by_pc *part = malloc(sizeof *part);

    if (part == NULL)
        return NULL;
    *part = *whole;
    part->row = NULL;
    part->count = part->capacity = 0;
    part->registers = 0;
    memset(part->dense, 0, sizeof part->dense);
    return part;
}

static void join_row(struct by_pc *b, struct by_pc_row *to,
                     const struct by_pc_row *from)
{
    to->issued += from->issued;
    to->lanes += from->lanes;
    for (int r = 0; r < TEG_STALLS; r++)
        to->stall[r] += from->stall[r];
    to->requests += from->requests;
#define REQUEST(type, field, ...) to->field += from->field;
#include "sim/collect/counters.def"
    to->shared_requests += from->shared_requests;
    to->constant_requests += from->constant_requests;
    to->constant_addresses += from->constant_addresses;
    to->passes += from->passes;
    to->groups += from->groups;
    for (uint32_t i = 0; i < from->producers; i++) {
        if (!charge(to, from->producer[i].inst, from->producer[i].cycles))
            b->failed = 1;
    }
}

static void join(void *self, void *other)
{
    struct by_pc *b = self, *part = other;

    b->failed |= part->failed || !grow(b);
    for (uint32_t i = 0; !b->failed && i < part->count; i++)
        join_row(b, &b->row[i], &part->row[i]);
    part->warp = NULL; /* the whole's */
    by_pc_release(part);
    free(part);
}

/* Rows for what was never executed, too. */
static void on_finish(void *self, uint64_t cycles)
{
    struct by_pc *b = self;

    (void)cycles;
    if (!b->failed)
        b->failed = !grow(b);
    release_warps(b);
}

struct sim_listener by_pc_listener(struct by_pc *b)
{
    return (struct sim_listener){.self = b,
                                 .on_start = on_start,
                                 .on_issue = on_issue,
                                 .on_finish = on_finish,
                                 .split = split,
                                 .join = join};
}

/* ---- a part for the whole ------------------------------------------------- */

static void scale(uint64_t *sum, double factor)
{
    *sum = (uint64_t)((double)*sum * factor + 0.5);
}

static void scale_row(struct by_pc_row *row, double factor)
{
    scale(&row->issued, factor);
    scale(&row->lanes, factor);
    for (int r = 0; r < TEG_STALLS; r++)
        scale(&row->stall[r], factor);
    scale(&row->requests, factor);
#define REQUEST(type, field, ...) scale(&row->field, factor);
#include "sim/collect/counters.def"
    scale(&row->shared_requests, factor);
    scale(&row->passes, factor);
    scale(&row->groups, factor);
    scale(&row->constant_requests, factor);
    scale(&row->constant_addresses, factor);
    for (uint32_t i = 0; i < row->producers; i++)
        scale(&row->producer[i].cycles, factor);
}

void by_pc_scale(struct by_pc *b, double factor)
{
    for (uint32_t i = 0; i < b->count; i++)
        scale_row(&b->row[i], factor);
}

/* ---- reading -------------------------------------------------------------- */

uint64_t by_pc_stalled(const struct by_pc_row *row)
{
    uint64_t sum = 0;

    for (int r = 0; r < TEG_STALLS; r++)
        sum += row->stall[r];
    return sum;
}

uint32_t by_pc_most_stalled(const struct by_pc *b)
{
    uint64_t most = 0;
    uint32_t found = b->count;

    for (uint32_t i = 0; i < b->count; i++) {
        uint64_t stalled = by_pc_stalled(&b->row[i]);

        if (stalled > most) {
            most = stalled;
            found = i;
        }
    }
    return found;
}

struct by_pc_producer by_pc_longest(const struct by_pc_row *row)
{
    struct by_pc_producer longest = {0};

    for (uint32_t i = 0; i < row->producers; i++) {
        if (row->producer[i].cycles > longest.cycles)
            longest = row->producer[i];
    }
    return longest;
}

static int by_rank(const void *a, const void *b)
{
    const struct by_pc_rank *x = a, *y = b;

    if (x->issued != y->issued)
        return x->issued < y->issued ? 1 : -1;
    if (x->stalled != y->stalled)
        return x->stalled < y->stalled ? 1 : -1;
    return (x->index > y->index) - (x->index < y->index);
}

uint32_t by_pc_rank(const struct by_pc *b, struct by_pc_rank *rank)
{
    uint32_t issued = 0;

    for (uint32_t i = 0; i < b->count; i++) {
        rank[i] = (struct by_pc_rank){by_pc_stalled(&b->row[i]),
                                      b->row[i].issued != 0, i};
        issued += rank[i].issued;
    }
    qsort(rank, b->count, sizeof *rank, by_rank);
    return issued;
}
