/*
 * Building a block: accesses come in, warp after warp, the compact form goes
 * out (predictor.h says how it looks).
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "traces/block/opened.h"
#include "traces/block/shape.h"

enum {
    NO_SLOT = -1,
};

struct building_slot {
    struct block_slot slot;
    uint32_t record; /* in the program */
    int step_known, delta_known;
    uint32_t stream; /* `now` holds for this one */
    struct teg_predictor now;
};

struct path_entry {
    size_t at, size; /* in the builder's paths */
    uint64_t hash;
};

struct teg_block_builder {
    const struct teg_program *program; /* borrowed */
    uint32_t position[3];
    uint32_t streams;
    uint64_t insts;

    int32_t *slot_of; /* owned, [slot_of_size], by number of the record */
    size_t slot_of_size;
    struct building_slot *slot; /* owned */
    size_t slots, slot_capacity;

    /* the stream being built */
    uint32_t warp_id;
    int open;
    uint32_t run_start, run_length, run_mask;
    uint32_t path_end;        /* where the run before ended */
    uint32_t path_mask;       /* of the run before */
    uint32_t last, last_mask; /* instruction, whose */
    uint32_t values_left;     /* are to come */
    uint64_t runs;
    struct teg_buffer path; /* its runs */
    struct teg_buffer records;

    struct teg_buffer paths;       /* all distinct ones, each with its count */
    struct path_entry *path_entry; /* owned */
    size_t path_count, path_capacity;
    struct teg_buffer streams_bytes; /* finished streams */
    struct teg_buffer out;
    int failed;
};

teg_status teg_block_builder_new(const struct teg_program *program,
                                 struct teg_block_builder **b,
                                 struct teg_diag *d)
{
    *b = calloc(1, sizeof **b);
    if (*b == NULL)
        return teg_fail_memory(d);
    (*b)->program = program;
    return TEG_OK;
}

void teg_block_builder_free(struct teg_block_builder *b)
{
    if (b == NULL)
        return;
    free(b->slot_of);
    free(b->slot);
    free(b->path_entry);
    teg_buffer_release(&b->path);
    teg_buffer_release(&b->records);
    teg_buffer_release(&b->paths);
    teg_buffer_release(&b->streams_bytes);
    teg_buffer_release(&b->out);
    free(b);
}

void teg_block_builder_begin(struct teg_block_builder *b,
                             const uint32_t position[3])
{
    for (size_t i = 0; i < b->slots; i++)
        b->slot_of[b->slot[i].record] = NO_SLOT;
    b->slots = 0;
    b->path_count = 0;
    b->streams = 0;
    b->insts = 0;
    b->open = 0;
    b->failed = 0;
    b->path.size = b->records.size = b->paths.size = 0;
    b->streams_bytes.size = b->out.size = 0;
    memcpy(b->position, position, sizeof b->position);
}

static void end_run(struct teg_block_builder *b)
{
    if (b->run_length == 0)
        return;
    teg_buffer_zigzag(&b->path, (int64_t)b->run_start - b->path_end);
    teg_buffer_varint(&b->path, b->run_length);
    if (b->runs != 0 && b->run_mask == b->path_mask) {
        teg_buffer_u8(&b->path, MASK_SAME);
    } else if (b->run_mask == UINT32_MAX) {
        teg_buffer_u8(&b->path, MASK_FULL);
    } else {
        teg_buffer_u8(&b->path, MASK_GIVEN);
        teg_buffer_u32(&b->path, b->run_mask);
    }
    b->path_end = b->run_start + b->run_length;
    b->path_mask = b->run_mask;
    b->run_length = 0;
    b->runs++;
}

static uint64_t hash_bytes(const uint8_t *p, size_t n)
{
    uint64_t h = 14695981039346656037u; /* FNV-1a */

    for (size_t i = 0; i < n; i++)
        h = (h ^ p[i]) * 1099511628211u;
    return h;
}

/* Returns the number of a path equal to the one just walked; out of memory, any
 * number. */
static size_t share_path(struct teg_block_builder *b)
{
    uint64_t hash = hash_bytes(b->path.data, b->path.size);
    struct path_entry *entry;

    if (b->path.failed || b->paths.failed)
        return 0;
    for (size_t i = 0; i < b->path_count; i++) {
        entry = &b->path_entry[i];
        if (entry->hash == hash && entry->size == b->path.size &&
            (entry->size == 0 ||
             memcmp(b->paths.data + entry->at, b->path.data, entry->size) == 0))
            return i;
    }
    if (b->path_count == b->path_capacity) {
        size_t capacity = b->path_capacity * 2 + 8;

        entry = realloc(b->path_entry, capacity * sizeof *entry);
        if (entry == NULL) {
            b->failed = 1;
            return 0;
        }
        b->path_entry = entry;
        b->path_capacity = capacity;
    }
    teg_buffer_varint(&b->paths, b->runs);
    b->path_entry[b->path_count] =
        (struct path_entry){b->paths.size, b->path.size, hash};
    teg_buffer_bytes(&b->paths, b->path.data, b->path.size);
    return b->paths.failed ? 0 : b->path_count++;
}

static void end_stream(struct teg_block_builder *b)
{
    size_t path;

    if (!b->open)
        return;
    end_run(b);
    path = share_path(b);
    teg_buffer_varint(&b->streams_bytes, b->warp_id);
    teg_buffer_varint(&b->streams_bytes, path);
    teg_buffer_varint(&b->streams_bytes, b->records.size);
    teg_buffer_bytes(&b->streams_bytes, b->records.data, b->records.size);
    b->open = 0;
    b->streams++;
}

void teg_block_builder_warp(struct teg_block_builder *b, uint32_t warp_id)
{
    end_stream(b);
    b->open = 1;
    b->values_left = 0;
    b->warp_id = warp_id;
    b->run_length = 0;
    b->path_end = 0;
    b->runs = 0;
    b->path.size = b->records.size = 0;
}

static void add_to_path(struct teg_block_builder *b, uint32_t inst,
                        uint32_t mask)
{
    b->insts++;
    if (b->run_length != 0 && inst == b->run_start + b->run_length &&
        mask == b->run_mask) {
        b->run_length++;
        return;
    }
    end_run(b);
    b->run_start = inst;
    b->run_length = 1;
    b->run_mask = mask;
}
/* ---- slots while building ---------------------------------------------- */

static int grow_slot_of(struct teg_block_builder *b, size_t need)
{
    size_t size = b->slot_of_size * 2 + 16;
    int32_t *slot_of;

    if (size < need)
        size = need;
    slot_of = realloc(b->slot_of, size * sizeof *slot_of);
    if (slot_of == NULL)
        return 0;
    for (size_t i = b->slot_of_size; i < size; i++)
        slot_of[i] = NO_SLOT;
    b->slot_of = slot_of;
    b->slot_of_size = size;
    return 1;
}

static struct building_slot *new_slot(struct teg_block_builder *b,
                                      uint32_t record)
{
    if (b->slots == b->slot_capacity) {
        size_t capacity = b->slot_capacity * 2 + 16;
        struct building_slot *slot = realloc(b->slot, capacity * sizeof *slot);

        if (slot == NULL)
            return NULL;
        b->slot = slot;
        b->slot_capacity = capacity;
    }
    b->slot_of[record] = (int32_t)b->slots;
    return &b->slot[b->slots++];
}

static struct building_slot *find_slot(struct teg_block_builder *b,
                                       uint32_t record)
{
    if (record >= b->slot_of_size && !grow_slot_of(b, (size_t)record + 1))
        return NULL;
    if (b->slot_of[record] == NO_SLOT)
        return NULL;
    return &b->slot[b->slot_of[record]];
}

static struct building_slot *begin_slot(struct teg_block_builder *b,
                                        uint32_t inst, uint32_t record,
                                        const struct teg_access *a)
{
    struct building_slot *s =
        record < b->slot_of_size ? new_slot(b, record) : NULL;

    if (s == NULL) {
        b->failed = 1;
        return NULL;
    }
    *s = (struct building_slot){
        .slot = {.inst = inst,
                 .first = b->streams,
                 .base = a->base,
                 .stride = a->stride,
                 .pitch = a->pitch,
                 .shape = (uint8_t)a->shape,
                 .group_log2 = (uint8_t)a->group_log2},
        .record = record,
        .stream = b->streams,
    };
    s->now = teg_predictor_of(&s->slot, b->streams);
    return s;
}

/* Learns, once each, how the slot moves from stream to stream and from one
 * execution to the next; both are written at the end of the block, so what is
 * learnt late still serves the streams that come after.  Only a stream's first
 * distance is counted from where `delta` puts the access before it: once one
 * is written, `delta` can no longer change. */
static void learn_slot(struct teg_block_builder *b, struct building_slot *s,
                       uint64_t base)
{
    uint64_t streams = b->streams - s->slot.first;

    if (s->stream != b->streams) {
        int64_t distance = (int64_t)(base - s->slot.base);

        if (!s->step_known && distance % (int64_t)streams == 0)
            s->slot.step = distance / (int64_t)streams;
        s->step_known = 1;
        s->stream = b->streams;
        s->now = teg_predictor_of(&s->slot, b->streams);
        if (base != teg_predictor_expected(&s->now))
            s->delta_known = 1;
    } else if (!s->delta_known) {
        s->slot.delta = s->now.delta = (int64_t)(base - s->now.last);
        s->delta_known = 1;
    }
}

static void put_record(struct teg_block_builder *b, struct teg_predictor *p,
                       const struct teg_access *a, const uint64_t *lane)
{
    int expected = a->base == teg_predictor_expected(p);
    int same = teg_predictor_has_shape(p, a);
    unsigned control = expected ? BASE_EXPECTED : BASE_DISTANCE;

    control |= (same ? SHAPE_SAME : 1u + a->shape) << BASE_BITS;
    teg_buffer_u8(&b->records, (uint8_t)control);
    if (!expected)
        teg_buffer_zigzag(&b->records, (int64_t)(a->base - p->last));
    if (!same)
        block_shape_put(&b->records, a, lane);
    teg_predictor_advance(p, a);
}

/* Adds an access whose shape is known; `lane` is for a list. */
static void add_shape(struct teg_block_builder *b, uint32_t inst,
                      uint32_t record, struct building_slot *s,
                      const struct teg_access *a, const uint64_t *lane)
{
    if (s == NULL)
        s = begin_slot(b, inst, record, a);
    else
        learn_slot(b, s, a->base);
    if (s != NULL)
        put_record(b, &s->now, a, lane);
}

/* What has the shape that is tried first: the record's last, or first, if the slot
 * has any. */
static const struct teg_predictor *tried_first(
    const struct teg_block_builder *b, const struct building_slot *s,
    struct teg_predictor *first)
{
    if (s == NULL || s->stream == b->streams)
        return s != NULL ? &s->now : NULL;
    *first = (struct teg_predictor){.stride = s->slot.stride,
                                    .pitch = s->slot.pitch,
                                    .shape = s->slot.shape,
                                    .group_log2 = s->slot.group_log2};
    return first;
}

static void add_record(struct teg_block_builder *b, uint32_t inst,
                       uint32_t record, uint32_t mask, const uint64_t *lane)
{
    struct building_slot *s = find_slot(b, record);
    struct teg_predictor first;
    struct teg_access a;

    a.mask = mask;
    block_shape_fit(&a, lane, tried_first(b, s, &first));
    add_shape(b, inst, record, s, &a, lane);
}

static void lanes_of(const struct teg_access *a, uint64_t lane[TEG_LANES])
{
    for (uint32_t rest = a->mask; rest != 0; rest &= rest - 1) {
        uint32_t l = (uint32_t)__builtin_ctz(rest);

        lane[l] = teg_access_lane(a, l);
    }
}

/* The same of addresses whose shape is known, if that is what would be found. */
static void add_access(struct teg_block_builder *b, uint32_t inst,
                       uint32_t record, const struct teg_access *a)
{
    struct building_slot *s = find_slot(b, record);
    struct teg_predictor first;
    uint64_t lane[TEG_LANES];

    if (block_shape_is_found(a, tried_first(b, s, &first))) {
        add_shape(b, inst, record, s, a, NULL);
        return;
    }
    lanes_of(a, lane);
    add_record(b, inst, record, a->mask, lane);
}

/* Its addresses and values come now. */
static const struct teg_inst *begin_inst(struct teg_block_builder *b,
                                         uint32_t inst, uint32_t mask)
{
    const struct teg_inst *facts = &b->program->inst[inst];

    assert(b->open && inst < b->program->count && b->values_left == 0);
    add_to_path(b, inst, mask);
    b->last = inst;
    b->last_mask = mask;
    b->values_left = mask != 0 ? teg_inst_values(facts) : 0;
    return facts;
}

void teg_block_builder_inst(struct teg_block_builder *b, uint32_t inst,
                            uint32_t mask, const uint64_t lane[TEG_LANES])
{
    const struct teg_inst *facts = begin_inst(b, inst, mask);

    if (mask != 0 && teg_inst_has_addresses(facts)) {
        assert(lane != NULL);
        add_record(b, inst, facts->record_index, mask, lane);
    }
}

/* The record of the next further value. */
static uint32_t next_value(struct teg_block_builder *b)
{
    const struct teg_inst *inst = &b->program->inst[b->last];

    assert(b->values_left != 0);
    return inst->record_index + inst->records - b->values_left--;
}

void teg_block_builder_value(struct teg_block_builder *b,
                             const uint64_t lane[TEG_LANES])
{
    add_record(b, b->last, next_value(b), b->last_mask, lane);
}

/* What add_access would find: no grid is a line of all lanes. */
void teg_block_builder_line(struct teg_block_builder *b, uint32_t inst,
                            uint64_t base, int32_t stride)
{
    uint32_t record = begin_inst(b, inst, UINT32_MAX)->record_index;
    struct teg_access a;

    a.mask = UINT32_MAX;
    a.shape = SHAPE_LINE;
    a.base = base;
    a.stride = stride;
    a.pitch = 0;
    a.group_log2 = 0;
    add_shape(b, inst, record, find_slot(b, record), &a, NULL);
}

void teg_block_builder_access(struct teg_block_builder *b, uint32_t inst,
                              const struct teg_access *access)
{
    const struct teg_inst *facts = begin_inst(b, inst, access->mask);

    if (access->mask != 0 && teg_inst_has_addresses(facts))
        add_access(b, inst, facts->record_index, access);
}

void teg_block_builder_copy(struct teg_block_builder *b, uint32_t inst,
                            struct teg_cursor *c)
{
    struct teg_access a;

    if (teg_cursor_access(c, &a))
        teg_block_builder_access(b, inst, &a);
    else
        teg_block_builder_inst(b, inst, c->mask, NULL);
    while (teg_cursor_value(c, &a))
        add_access(b, b->last, next_value(b), &a);
}

static void put_slot(struct teg_buffer *b, const struct block_slot *s)
{
    teg_buffer_varint(b, s->inst);
    teg_buffer_varint(b, s->first);
    teg_buffer_zigzag(b, (int64_t)s->base);
    teg_buffer_zigzag(b, s->step);
    teg_buffer_zigzag(b, s->delta);
    teg_buffer_u8(b, s->shape);
    if (s->shape == SHAPE_GRID)
        teg_buffer_u8(b, s->group_log2);
    if (s->shape != SHAPE_LIST)
        teg_buffer_zigzag(b, s->stride);
    if (s->shape == SHAPE_GRID)
        teg_buffer_zigzag(b, s->pitch);
}

teg_status teg_block_builder_end(struct teg_block_builder *b,
                                 const uint8_t **bytes, size_t *size,
                                 struct teg_diag *d)
{
    end_stream(b);
    for (int i = 0; i < 3; i++)
        teg_buffer_varint(&b->out, b->position[i]);
    teg_buffer_varint(&b->out, b->path_count);
    teg_buffer_bytes(&b->out, b->paths.data, b->paths.size);
    teg_buffer_varint(&b->out, b->slots);
    for (size_t i = 0; i < b->slots; i++)
        put_slot(&b->out, &b->slot[i].slot);
    teg_buffer_varint(&b->out, b->streams);
    teg_buffer_bytes(&b->out, b->streams_bytes.data, b->streams_bytes.size);
    if (b->failed || b->out.failed || b->paths.failed || b->records.failed ||
        b->path.failed || b->streams_bytes.failed)
        return teg_fail_memory(d);
    *bytes = b->out.data;
    *size = b->out.size;
    return TEG_OK;
}

uint64_t teg_block_builder_insts(const struct teg_block_builder *b)
{
    return b->insts;
}

teg_status teg_block_builder_open(struct teg_block_builder *b, const char *path,
                                  struct teg_block **block, struct teg_diag *d)
{
    const uint8_t *bytes;
    size_t size;

    TRY(teg_block_builder_end(b, &bytes, &size, d));
    TRY(teg_block_open(b->program, bytes, size, path, 0, block, d));
    (*block)->built = 1;
    return TEG_OK;
}
