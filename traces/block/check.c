/*
 * Opening a block from bytes that may come from anywhere: every index, length
 * and record is looked at once, so that the cursor need not.
 */
#include <stdlib.h>
#include <string.h>

#include "traces/block/opened.h"

/* `count` items of at least `least` bytes each must still follow. */
static teg_status count_items(struct teg_walk *w, uint64_t least, uint64_t max,
                              const char *what, uint32_t *count,
                              struct teg_diag *d)
{
    uint64_t n, room = teg_walk_left(w) / least;

    TRY(teg_walk_bounded(w, room < max ? room : max, what, &n, d));
    *count = (uint32_t)n;
    return TEG_OK;
}

static teg_status open_run(struct teg_walk *w,
                           const struct teg_program *program,
                           struct block_path *p, int64_t *end, uint32_t *mask,
                           struct teg_diag *d)
{
    uint64_t position = teg_walk_position(w);
    int64_t jump;
    uint64_t length;
    uint8_t token;
    const struct teg_inst *inst = program->inst;

    TRY(teg_walk_zigzag(w, &jump, d));
    TRY(teg_walk_bounded(w, program->count, "run length", &length, d));
    if (jump > UINT32_MAX || jump < -(int64_t)UINT32_MAX || *end + jump < 0 ||
        length == 0 || *end + jump + (int64_t)length > program->count)
        return teg_fail_byte(d, TEG_FORMAT, w->path, position,
                             "expected a run inside the program of %u "
                             "instructions, found one that leaves it",
                             program->count);
    TRY(teg_walk_u8(w, &token, d));
    if (token == MASK_GIVEN)
        TRY(teg_walk_u32(w, mask, d));
    else if (token == MASK_FULL)
        *mask = UINT32_MAX;
    else if (token != MASK_SAME)
        return teg_fail_byte(d, TEG_FORMAT, w->path, position,
                             "expected a mask token of 0 to 2, found %u",
                             token);
    *end += jump;
    p->insts += length;
    if (*mask != 0) {
        const struct teg_inst *first = &inst[*end], *last = first + length - 1;

        p->records += last->record_index - first->record_index + last->records;
    }
    *end += (int64_t)length;
    return TEG_OK;
}

static teg_status open_path(struct teg_walk *w,
                            const struct teg_program *program,
                            struct block_path *p, struct teg_diag *d)
{
    uint64_t runs;
    int64_t end = 0;
    uint32_t mask = 0;

    *p = (struct block_path){0};
    TRY(teg_walk_bounded(w, teg_walk_left(w) / 3, "number of runs", &runs, d));
    p->at = w->at;
    for (uint64_t i = 0; i < runs; i++)
        TRY(open_run(w, program, p, &end, &mask, d));
    p->end = w->at;
    return TEG_OK;
}

static teg_status walk_i32(struct teg_walk *w, int32_t *v, struct teg_diag *d)
{
    uint64_t position = teg_walk_position(w);
    int64_t wide;

    TRY(teg_walk_zigzag(w, &wide, d));
    if (wide < INT32_MIN || wide > INT32_MAX)
        return teg_fail_byte(d, TEG_FORMAT, w->path, position,
                             "expected a 32-bit distance, found a longer one");
    *v = (int32_t)wide;
    return TEG_OK;
}

static teg_status walk_group(struct teg_walk *w, uint8_t *group_log2,
                             struct teg_diag *d)
{
    uint64_t position = teg_walk_position(w);

    TRY(teg_walk_u8(w, group_log2, d));
    if (*group_log2 < 1 || *group_log2 > GROUP_LOG2_MAX)
        return teg_fail_byte(d, TEG_FORMAT, w->path, position,
                             "expected a group of 2 to 16 lanes, found 2^%u",
                             *group_log2);
    return TEG_OK;
}

static teg_status open_slot(struct teg_walk *w,
                            const struct teg_program *program,
                            struct block_slot *s, struct teg_diag *d)
{
    uint64_t position = teg_walk_position(w), number;
    int64_t base;

    *s = (struct block_slot){0};
    TRY(teg_walk_bounded(w, UINT32_MAX, "instruction", &number, d));
    if (number >= program->count || program->inst[number].records == 0)
        return teg_fail_byte(d, TEG_FORMAT, w->path, position,
                             "expected an instruction with records, found "
                             "number %llu",
                             (unsigned long long)number);
    s->inst = (uint32_t)number;
    TRY(teg_walk_bounded(w, BLOCK_STREAMS_MAX, "stream", &number, d));
    s->first = (uint32_t)number;
    TRY(teg_walk_zigzag(w, &base, d));
    s->base = (uint64_t)base;
    TRY(teg_walk_zigzag(w, &s->step, d));
    TRY(teg_walk_zigzag(w, &s->delta, d));
    position = teg_walk_position(w);
    TRY(teg_walk_u8(w, &s->shape, d));
    if (s->shape > SHAPE_LIST)
        return teg_fail_byte(d, TEG_FORMAT, w->path, position,
                             "expected a shape of 0 to 2, found %u", s->shape);
    if (s->shape == SHAPE_GRID)
        TRY(walk_group(w, &s->group_log2, d));
    if (s->shape != SHAPE_LIST)
        TRY(walk_i32(w, &s->stride, d));
    if (s->shape == SHAPE_GRID)
        TRY(walk_i32(w, &s->pitch, d));
    return TEG_OK;
}

static teg_status open_record(struct teg_walk *w, struct teg_diag *d)
{
    uint64_t position = teg_walk_position(w);
    uint8_t control, count;
    int64_t ignored;
    int32_t ignored32;

    TRY(teg_walk_u8(w, &control, d));
    if (control >> BASE_BITS > 1 + SHAPE_LIST)
        return teg_fail_byte(d, TEG_FORMAT, w->path, position,
                             "expected an address record, found 0x%02x",
                             control);
    if ((control & 1) == BASE_DISTANCE)
        TRY(teg_walk_zigzag(w, &ignored, d));
    switch (control >> BASE_BITS) {
    case SHAPE_SAME:
        return TEG_OK;
    case 1 + SHAPE_LINE:
        TRY(walk_i32(w, &ignored32, d));
        break;
    case 1 + SHAPE_GRID:
        TRY(walk_group(w, &count, d));
        TRY(walk_i32(w, &ignored32, d));
        TRY(walk_i32(w, &ignored32, d));
        break;
    case 1 + SHAPE_LIST:
        TRY(teg_walk_u8(w, &count, d));
        if (count >= TEG_LANES)
            return teg_fail_byte(d, TEG_FORMAT, w->path, position,
                                 "expected at most 31 further lanes, found %u",
                                 count);
        if (teg_walk_pass_varints(w, count))
            break;
        for (uint8_t i = 0; i < count; i++)
            TRY(teg_walk_zigzag(w, &ignored, d));
        break;
    }
    return TEG_OK;
}

static teg_status check_records(const struct teg_walk *w,
                                const struct block_stream *s, uint64_t count,
                                struct teg_diag *d)
{
    size_t size = (size_t)(w->at - s->address);
    struct teg_walk records;

    teg_walk_init(&records, s->address, size, w->path,
                  teg_walk_position(w) - size);
    for (uint64_t i = 0; i < count; i++)
        TRY(open_record(&records, d));
    if (teg_walk_left(&records) != 0)
        return teg_fail_byte(
            d, TEG_FORMAT, w->path, teg_walk_position(&records),
            "expected %llu address records, found %zu bytes more",
            (unsigned long long)count, teg_walk_left(&records));
    return TEG_OK;
}

static teg_status open_stream(struct teg_walk *w, struct teg_block *block,
                              struct block_stream *s, struct teg_diag *d)
{
    uint64_t number;
    const uint8_t *bytes;

    TRY(teg_walk_bounded(w, UINT32_MAX, "warp number", &number, d));
    s->warp_id = (uint32_t)number;
    TRY(teg_walk_bounded(w, (uint64_t)block->paths - 1, "path number", &number,
                         d));
    s->path = (uint32_t)number;
    TRY(teg_walk_bounded(w, teg_walk_left(w), "record bytes", &number, d));
    s->address = w->at;
    TRY(teg_walk_bytes(w, (size_t)number, &bytes, d));
    /* What was just built need not be looked at. */
    return block->built ? TEG_OK
                        : check_records(w, s, block->path[s->path].records, d);
}

/* The slots of one instruction are of its records, in order. */
static int assign_slot(struct teg_block *block, const struct teg_inst *inst,
                       uint32_t slot)
{
    for (uint32_t i = 0; i < inst->records; i++) {
        uint32_t *of = &block->slot_of[inst->record_index + i];

        if (*of != block->slots)
            continue;
        *of = slot;
        return 1;
    }
    return 0;
}

static teg_status open_slots(struct teg_walk *w, struct teg_block *block,
                             struct teg_diag *d)
{
    const struct teg_program *program = block->program;
    uint32_t record_count = program->record_count;

    TRY(count_items(w, 6, record_count, "number of slots", &block->slots, d));
    block->records = record_count;
    block->slot = calloc((size_t)block->slots + 1, sizeof *block->slot);
    block->slot_of = malloc(((size_t)record_count + 1) * sizeof(uint32_t));
    if (block->slot == NULL || block->slot_of == NULL)
        return teg_fail_memory(d);
    for (uint32_t i = 0; i < record_count; i++)
        block->slot_of[i] = block->slots;
    for (uint32_t i = 0; i < block->slots; i++) {
        struct block_slot *s = &block->slot[i];
        uint64_t position = teg_walk_position(w);

        TRY(open_slot(w, program, s, d));
        if (!assign_slot(block, &program->inst[s->inst], i))
            return teg_fail_byte(d, TEG_FORMAT, w->path, position,
                                 "expected at most %u slots of instruction "
                                 "%u, found one more",
                                 program->inst[s->inst].records, s->inst);
    }
    return TEG_OK;
}

static teg_status open_bytes(struct teg_walk *w, struct teg_block *block,
                             struct teg_diag *d)
{
    for (int i = 0; i < 3; i++) {
        uint64_t at;

        TRY(teg_walk_bounded(w, UINT32_MAX, "block position", &at, d));
        block->position[i] = (uint32_t)at;
    }
    TRY(count_items(w, 1, BLOCK_STREAMS_MAX, "number of paths", &block->paths,
                    d));
    block->path = calloc((size_t)block->paths + 1, sizeof *block->path);
    if (block->path == NULL)
        return teg_fail_memory(d);
    for (uint32_t i = 0; i < block->paths; i++)
        TRY(open_path(w, block->program, &block->path[i], d));
    TRY(open_slots(w, block, d));
    TRY(count_items(w, 3, block->paths != 0 ? BLOCK_STREAMS_MAX : 0,
                    "number of warps", &block->streams, d));
    block->stream = calloc((size_t)block->streams + 1, sizeof *block->stream);
    block->predictor =
        malloc(((size_t)block->streams + 1) * ((size_t)block->slots + 1) *
               sizeof *block->predictor);
    if (block->stream == NULL || block->predictor == NULL)
        return teg_fail_memory(d);
    for (uint32_t i = 0; i < block->streams; i++)
        TRY(open_stream(w, block, &block->stream[i], d));
    if (teg_walk_left(w) != 0)
        return teg_fail_byte(d, TEG_FORMAT, w->path, teg_walk_position(w),
                             "expected the end of the block, found %zu bytes "
                             "more",
                             teg_walk_left(w));
    return TEG_OK;
}

static teg_status open_block(const struct teg_program *program,
                             const uint8_t *bytes, size_t size,
                             const char *path, uint64_t origin, int built,
                             struct teg_block **block, struct teg_diag *d)
{
    struct teg_block *b = calloc(1, sizeof *b);
    struct teg_walk w;
    teg_status status;

    *block = NULL;
    if (b == NULL)
        return teg_fail_memory(d);
    b->program = program;
    b->built = built;
    b->bytes = malloc(size + 1);
    if (b->bytes == NULL) {
        free(b);
        return teg_fail_memory(d);
    }
    memcpy(b->bytes, bytes, size);
    b->size = size;
    teg_walk_init(&w, b->bytes, size, path, origin);
    status = open_bytes(&w, b, d);
    if (status != TEG_OK) {
        teg_block_free(b);
        return status;
    }
    *block = b;
    return TEG_OK;
}

teg_status teg_block_open(const struct teg_program *program,
                          const uint8_t *bytes, size_t size, const char *path,
                          uint64_t origin, struct teg_block **block,
                          struct teg_diag *d)
{
    return open_block(program, bytes, size, path, origin, 0, block, d);
}

teg_status block_open_built(const struct teg_program *program,
                            const uint8_t *bytes, size_t size, const char *path,
                            struct teg_block **block, struct teg_diag *d)
{
    return open_block(program, bytes, size, path, 0, 1, block, d);
}
