#include "sim/whatif/stream_change.h"

#include <assert.h>
#include <stdlib.h>

#include "traces/block/walks.h"

struct changed_launch {
    struct stream_change change;
    struct teg_launch from;   /* owned: closed with this one */
    struct teg_kernel kernel; /* everything but the program is borrowed from
                                  `from` */
    struct teg_block_builder *builder; /* owned; NULL without block change */
    /* Owned; of a change that keeps records: the last block that was written anew,
     * and what that came to.  NULL: none so far. */
    struct teg_block *known, *known_as;
    uint8_t *dropped; /* owned, [kernel.program.count]; NULL without drops */
    int drops;        /* any of them */
};

/* Without them phases of an mbarrier run into each other, and who waits for one
 * waits for ever. */
void stream_change_no_barriers(struct teg_inst *inst,
                               const struct teg_program *program)
{
    if ((!(inst->flags & (INST_BARRIER | INST_ARRIVE)) &&
         inst->op_class != CLASS_BARRIER) ||
        teg_program_has(program, VALUES_INIT))
        return;
    inst->op_class = CLASS_NOP;
    inst->flags &= (uint16_t) ~(INST_BARRIER | INST_ARRIVE);
}

void stream_change_cheap_conversions(struct teg_inst *inst,
                                     const struct teg_program *program)
{
    (void)program;
    if (inst->op_class == CLASS_CONVERT || inst->op_class == CLASS_CONVERT64)
        inst->op_class = CLASS_MOV;
}

void stream_change_a_in_registers(struct teg_inst *inst,
                                  const struct teg_program *program)
{
    (void)program;
    if ((inst->tensor.flags & TENSOR_GROUP) != 0)
        inst->tensor.flags |= TENSOR_REGISTERS;
}

void stream_change_no_control(struct teg_inst *inst,
                              const struct teg_program *program)
{
    (void)program;
    inst->control = (struct teg_control){0};
}

void stream_change_no_dependences(struct teg_inst *inst,
                                  const struct teg_program *program)
{
    inst->src_count = inst->dst_count = 0;
    inst->flags &= (uint16_t) ~(INST_SETS_P | INST_READS_P);
    stream_change_no_control(inst, program);
}

/* 7 is no barrier: who waits for one finds it free. */
void stream_change_forget_result(struct teg_inst *inst,
                                 const struct teg_program *program)
{
    (void)program;
    inst->dst_count = 0;
    inst->flags &= (uint16_t)~INST_SETS_P;
    if (inst->control.known)
        inst->control.write_barrier = 7;
}

/* ---- what a block change goes by ------------------------------------------ */

static const struct {
    block_change *change;
    int keeps_records;
} by_walks[] = {
    {stream_change_no_divergence, 1},
    {stream_change_regrouped, 1},
    {stream_change_even_warps, 0},
    {stream_change_half_instructions, 0},
};

enum {
    BY_WALKS = sizeof by_walks / sizeof by_walks[0]
};

static int find_by_walks(block_change *change)
{
    int i = 0;

    while (i < BY_WALKS && by_walks[i].change != change)
        i++;
    return i;
}

int block_change_goes_by_walks(block_change *change)
{
    return find_by_walks(change) < BY_WALKS;
}

int block_change_keeps_records(block_change *change)
{
    int i = find_by_walks(change);

    return i < BY_WALKS && by_walks[i].keeps_records;
}

/* ---- the launch ------------------------------------------------------------ */

/* Decided once for each instruction. */
static teg_status follow_drops(struct changed_launch *c, uint32_t known,
                               struct teg_diag *d)
{
    uint32_t count = c->kernel.program.count;
    uint8_t *dropped;

    if (c->change.drop == NULL || count <= known)
        return TEG_OK;
    dropped = realloc(c->dropped, count);
    if (dropped == NULL)
        return teg_fail_memory(d);
    c->dropped = dropped;
    for (uint32_t i = known; i < count; i++) {
        dropped[i] = (uint8_t)c->change.drop(&c->from.kernel->program, i);
        c->drops |= dropped[i];
    }
    return TEG_OK;
}

/* The original's program grows with its blocks; follows it. */
static teg_status follow_program(struct changed_launch *c, struct teg_diag *d)
{
    const struct teg_program *from = &c->from.kernel->program;
    struct teg_program *to = &c->kernel.program;
    uint32_t known = to->count;

    while (to->count < from->count) {
        struct teg_inst inst = from->inst[to->count];
        const char *text = teg_program_text(from, &inst);
        uint32_t index;

        if (c->change.inst != NULL &&
            line_place_has(&c->change.place, from, &inst))
            c->change.inst(&inst, from);
        assert(!teg_inst_has_addresses(&inst) ==
                   !teg_inst_has_addresses(&from->inst[to->count]) &&
               inst.values == from->inst[to->count].values);
        TRY(teg_program_add(to, &inst, text, &index, d));
        /* Which the text does not say. */
        to->inst[index].tensor.flags |= inst.tensor.flags & TENSOR_REGISTERS;
        TRY(teg_program_set_file(
            to, index, teg_program_file(from, &from->inst[index]), d));
        TRY(teg_program_set_call(
            to, index, teg_program_call(from, &from->inst[index]), d));
    }
    return follow_drops(c, known, d);
}

/* The remarks grow while the trace is read. */
static void follow_kernel(struct changed_launch *c)
{
    struct teg_program program = c->kernel.program;

    c->kernel = *c->from.kernel;
    c->kernel.program = program;
}

static int may_rewrite(const struct changed_launch *c)
{
    return c->change.block != NULL || c->change.drop != NULL ||
           c->change.line != NULL;
}

/* A block of which nothing is dropped stays as it is. */
static int rewrites(const struct changed_launch *c)
{
    return c->change.block != NULL || c->drops || c->change.line != NULL;
}

static void drop(const struct changed_launch *c, struct teg_block *from)
{
    for (uint32_t i = 0; i < teg_block_warps(from); i++) {
        struct teg_cursor cursor;

        teg_block_builder_warp(c->builder, teg_block_warp_id(from, i));
        teg_cursor_init(&cursor, from, i);
        while (teg_cursor_next(&cursor)) {
            if (!c->dropped[cursor.inst])
                teg_block_builder_copy(c->builder, cursor.inst, &cursor);
        }
    }
}

static teg_status change_block(struct changed_launch *c, struct teg_block *from,
                               struct teg_diag *d)
{
    if (c->change.block != NULL)
        return c->change.block(from, &c->kernel.program, c->builder, d);
    if (c->change.line != NULL)
        line_change_block(c->change.line, &c->change.place, &c->kernel, from,
                          c->builder);
    else
        drop(c, from);
    return TEG_OK;
}

static teg_status write_anew(struct changed_launch *c, struct teg_block *from,
                             struct teg_block **block, struct teg_diag *d)
{
    teg_block_builder_begin(c->builder, teg_block_position(from));
    TRY(change_block(c, from, d));
    return teg_block_builder_open(c->builder, "what-if", block, d);
}

static void forget(struct changed_launch *c)
{
    teg_block_free(c->known);
    teg_block_free(c->known_as);
    c->known = c->known_as = NULL;
}

/* Most blocks of a launch walk as the one before them did. */
static teg_status write_walks(struct changed_launch *c, struct teg_block *from,
                              struct teg_block **block, struct teg_diag *d)
{
    if (c->known == NULL || !teg_block_walk_alike(c->known, from)) {
        forget(c);
        TRY(write_anew(c, from, &c->known_as, d));
        c->known = from;
    }
    return teg_block_walk_as(c->known_as, from, &c->kernel.program, block, d);
}

/* Replaces `*block`, which is freed. */
static teg_status rewrite(struct changed_launch *c, struct teg_block **block,
                          struct teg_diag *d)
{
    struct teg_block *from = *block;
    teg_status status;

    *block = NULL;
    status = block_change_keeps_records(c->change.block)
                 ? write_walks(c, from, block, d)
                 : write_anew(c, from, block, d);
    if (from != c->known)
        teg_block_free(from);
    return status;
}

static teg_status next(void *self, struct teg_block **block, struct teg_diag *d)
{
    struct changed_launch *c = self;
    teg_status status;

    TRY(c->from.next(c->from.self, block, d));
    follow_kernel(c);
    status = follow_program(c, d);
    if (status == TEG_OK && *block != NULL && rewrites(c))
        return rewrite(c, block, d);
    if (status != TEG_OK) {
        teg_block_free(*block);
        *block = NULL;
    }
    return status;
}

static void release(struct changed_launch *c)
{
    forget(c);
    teg_program_release(&c->kernel.program);
    teg_block_builder_free(c->builder);
    free(c->dropped);
    free(c);
}

static void close_changed(void *self)
{
    struct changed_launch *c = self;

    if (c->from.close != NULL)
        c->from.close(c->from.self);
    release(c);
}

static teg_status open_changed(struct changed_launch *c, struct teg_diag *d)
{
    follow_kernel(c);
    TRY(follow_program(c, d));
    if (may_rewrite(c))
        TRY(teg_block_builder_new(&c->kernel.program, &c->builder, d));
    return TEG_OK;
}

teg_status stream_change_wrap(const struct stream_change *change,
                              struct teg_launch *launch, struct teg_diag *d)
{
    struct changed_launch *c = calloc(1, sizeof *c);
    teg_status status;

    if (c == NULL)
        return teg_fail_memory(d);
    c->change = *change;
    c->from = *launch;
    status = open_changed(c, d);
    if (status != TEG_OK) {
        release(c);
        return status;
    }
    *launch = (struct teg_launch){
        .kernel = &c->kernel,
        .self = c,
        .next = next,
        .close = close_changed,
    };
    return TEG_OK;
}
