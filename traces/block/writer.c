/*
 * Building a block: accesses come in, warp after warp, the compact form goes
 * out (predictor.h says how it looks).
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "isa/base/hash.h"
#include "traces/block/opened.h"
#include "traces/block/shape.h"

enum {
    NO_SLOT = -1,
};
#define NO_NUMBER UINT32_MAX

struct building_slot {
    struct block_slot slot; /* learnt when the block ends */
    uint32_t record;        /* in the program */
    uint32_t number;        /* in the block, from 0; not yet: NO_NUMBER */
    int step_known, delta_known;
};

/* What a slot was last in a stream. */
struct building_record {
    struct teg_predictor now;
    uint32_t met; /* accesses, up to 2 */
};

/* A stream's first or second access of a slot.  What is expected of these two follows
 * from all streams, so how they differ from it is written when the block ends; where
 * they belong the stream's records have the shape alone. */
struct early_access {
    size_t at; /* in the stream's records */
    uint32_t slot;
    int second, same_shape;  /* as the one before */
    struct teg_predictor is; /* `last` and the shape */
    size_t shape_bytes;
};

/* A warp's stream; whoever adds to the block goes from one to another as it likes. */
struct building_stream {
    uint32_t warp_id;
    uint32_t run_start, run_length, run_mask;
    uint32_t path_end;        /* where the run before ended */
    uint32_t path_mask;       /* of the run before */
    uint32_t last, last_mask; /* instruction, whose */
    uint32_t values_left;     /* are to come */
    uint64_t runs;
    struct teg_buffer path; /* its runs */
    struct teg_buffer records;
    struct building_record *record; /* owned, [known], by slot */
    size_t known, room;
    struct early_access *early; /* owned, [earlies] */
    size_t earlies, early_room;
};

struct path_entry {
    size_t at, size; /* in the builder's paths */
    uint64_t hash;
};

struct teg_block_builder {
    const struct teg_program *program; /* borrowed */
    uint32_t position[3];
    uint64_t insts;

    int32_t *slot_of; /* owned, [slot_of_size], by number of the record */
    size_t slot_of_size;
    struct building_slot *slot; /* owned */
    size_t slots, slot_capacity;
    uint32_t *numbered; /* owned, [slot_capacity]: the slot of each number */
    uint32_t numbers;

    struct building_stream *stream; /* owned, [stream_room] */
    uint32_t streams, stream_room;
    uint32_t at; /* the stream that is added to */

    struct teg_buffer paths;       /* all distinct ones, each with its count */
    struct path_entry *path_entry; /* owned */
    size_t path_count, path_capacity;
    struct teg_buffer joined;        /* a stream's records */
    struct teg_buffer streams_bytes; /* the streams */
    struct teg_buffer out;
    int failed;
};

static int grow_streams(struct teg_block_builder *b)
{
    uint32_t room = b->stream_room * 2 + 8;
    struct building_stream *stream = realloc(b->stream, room * sizeof *stream);

    if (stream == NULL)
        return 0;
    memset(stream + b->stream_room, 0,
           (room - b->stream_room) * sizeof *stream);
    b->stream = stream;
    b->stream_room = room;
    return 1;
}

teg_status teg_block_builder_new(const struct teg_program *program,
                                 struct teg_block_builder **b,
                                 struct teg_diag *d)
{
    *b = calloc(1, sizeof **b);
    if (*b == NULL)
        return teg_fail_memory(d);
    (*b)->program = program;
    if (!grow_streams(*b)) {
        free(*b);
        *b = NULL;
        return teg_fail_memory(d);
    }
    return TEG_OK;
}

void teg_block_builder_free(struct teg_block_builder *b)
{
    if (b == NULL)
        return;
    free(b->slot_of);
    free(b->slot);
    free(b->numbered);
    free(b->path_entry);
    for (uint32_t i = 0; i < b->stream_room; i++) {
        teg_buffer_release(&b->stream[i].path);
        teg_buffer_release(&b->stream[i].records);
        free(b->stream[i].record);
        free(b->stream[i].early);
    }
    free(b->stream);
    teg_buffer_release(&b->paths);
    teg_buffer_release(&b->joined);
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
    b->failed = 0;
    b->paths.size = b->streams_bytes.size = b->out.size = 0;
    memcpy(b->position, position, sizeof b->position);
}

static void end_run(struct building_stream *s)
{
    if (s->run_length == 0)
        return;
    teg_buffer_zigzag(&s->path, (int64_t)s->run_start - s->path_end);
    teg_buffer_varint(&s->path, s->run_length);
    if (s->runs != 0 && s->run_mask == s->path_mask) {
        teg_buffer_u8(&s->path, MASK_SAME);
    } else if (s->run_mask == UINT32_MAX) {
        teg_buffer_u8(&s->path, MASK_FULL);
    } else {
        teg_buffer_u8(&s->path, MASK_GIVEN);
        teg_buffer_u32(&s->path, s->run_mask);
    }
    s->path_end = s->run_start + s->run_length;
    s->path_mask = s->run_mask;
    s->run_length = 0;
    s->runs++;
}

/* Returns the number of a path equal to the stream's; out of memory, any
 * number. */
static size_t share_path(struct teg_block_builder *b,
                         const struct building_stream *s)
{
    uint64_t hash = TEG_HASH_START;
    struct path_entry *entry;

    if (s->path.failed || b->paths.failed)
        return 0;
    teg_hash_bytes(&hash, s->path.data, s->path.size);
    for (size_t i = 0; i < b->path_count; i++) {
        entry = &b->path_entry[i];
        if (entry->hash == hash && entry->size == s->path.size &&
            (entry->size == 0 ||
             memcmp(b->paths.data + entry->at, s->path.data, entry->size) == 0))
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
    teg_buffer_varint(&b->paths, s->runs);
    b->path_entry[b->path_count] =
        (struct path_entry){b->paths.size, s->path.size, hash};
    teg_buffer_bytes(&b->paths, s->path.data, s->path.size);
    return b->paths.failed ? 0 : b->path_count++;
}

/* Out of memory the builder has failed, and what comes goes into the stream before. */
void teg_block_builder_warp(struct teg_block_builder *b, uint32_t warp_id)
{
    struct building_stream *s;

    if (b->streams == b->stream_room && !grow_streams(b)) {
        b->failed = 1;
        return;
    }
    b->at = b->streams++;
    s = &b->stream[b->at];
    s->warp_id = warp_id;
    s->values_left = 0;
    s->run_length = 0;
    s->path_end = 0;
    s->runs = 0;
    s->path.size = s->records.size = 0;
    s->known = s->earlies = 0;
}

void teg_block_builder_turn(struct teg_block_builder *b, uint32_t stream)
{
    assert(stream < b->streams || b->failed);
    if (stream < b->streams)
        b->at = stream;
}

static void add_to_path(struct teg_block_builder *b, struct building_stream *s,
                        uint32_t inst, uint32_t mask)
{
    b->insts++;
    if (s->run_length != 0 && inst == s->run_start + s->run_length &&
        mask == s->run_mask) {
        s->run_length++;
        return;
    }
    end_run(s);
    s->run_start = inst;
    s->run_length = 1;
    s->run_mask = mask;
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
        uint32_t *numbered;

        if (slot == NULL)
            return NULL;
        b->slot = slot;
        numbered = realloc(b->numbered, capacity * sizeof *numbered);
        if (numbered == NULL)
            return NULL;
        b->numbered = numbered;
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
                                        uint32_t inst, uint32_t record)
{
    struct building_slot *s =
        record < b->slot_of_size ? new_slot(b, record) : NULL;

    if (s == NULL) {
        b->failed = 1;
        return NULL;
    }
    *s = (struct building_slot){
        .slot = {.inst = inst}, .record = record, .number = NO_NUMBER};
    return s;
}

/* What the slot was in the stream; NULL out of memory. */
static struct building_record *record_in(struct building_stream *s, size_t slot)
{
    if (slot >= s->room) {
        size_t room = slot * 2 + 16;
        struct building_record *record =
            realloc(s->record, room * sizeof *record);

        if (record == NULL)
            return NULL;
        s->record = record;
        s->room = room;
    }
    for (; s->known <= slot; s->known++)
        s->record[s->known] = (struct building_record){0};
    return &s->record[slot];
}

static struct early_access *new_early(struct building_stream *s)
{
    if (s->earlies == s->early_room) {
        size_t room = s->early_room * 2 + 16;
        struct early_access *early = realloc(s->early, room * sizeof *early);

        if (early == NULL)
            return NULL;
        s->early = early;
        s->early_room = room;
    }
    return &s->early[s->earlies++];
}

static void put_early(struct teg_block_builder *b, struct building_stream *s,
                      uint32_t slot, struct building_record *r,
                      const struct teg_access *a, const uint64_t *lane)
{
    int same = r->met != 0 && teg_predictor_has_shape(&r->now, a);
    size_t at = s->records.size;
    struct early_access *e = new_early(s);

    if (e == NULL) {
        b->failed = 1;
        return;
    }
    if (!same)
        block_shape_put(&s->records, a, lane);
    teg_predictor_advance(&r->now, a);
    *e = (struct early_access){.at = at,
                               .slot = slot,
                               .second = r->met != 0,
                               .same_shape = same,
                               .is = r->now,
                               .shape_bytes = s->records.size - at};
    r->met++;
}

/* `same`: the shape is as expected. */
static uint8_t control_of(int expected, int same, unsigned shape)
{
    return (uint8_t)((expected ? BASE_EXPECTED : BASE_DISTANCE) |
                     (same ? SHAPE_SAME : 1u + shape) << BASE_BITS);
}

static void put_record(struct teg_buffer *records, struct teg_predictor *p,
                       const struct teg_access *a, const uint64_t *lane)
{
    int expected = a->base == teg_predictor_expected(p);
    int same = teg_predictor_has_shape(p, a);

    teg_buffer_u8(records, control_of(expected, same, a->shape));
    if (!expected)
        teg_buffer_zigzag(records, (int64_t)(a->base - p->last));
    if (!same)
        block_shape_put(records, a, lane);
    teg_predictor_advance(p, a);
}

/* Adds an access whose shape is known; `lane` is for a list. */
static void add_shape(struct teg_block_builder *b, uint32_t inst,
                      uint32_t record, struct building_slot *s,
                      const struct teg_access *a, const uint64_t *lane)
{
    struct building_stream *stream = &b->stream[b->at];
    struct building_record *r;

    if (s == NULL)
        s = begin_slot(b, inst, record);
    if (s == NULL)
        return;
    r = record_in(stream, (size_t)(s - b->slot));
    if (r == NULL)
        b->failed = 1;
    else if (r->met < 2)
        put_early(b, stream, (uint32_t)(s - b->slot), r, a, lane);
    else
        put_record(&stream->records, &r->now, a, lane);
}

/* What has the shape that is tried first: the record's last in the stream, if any. */
static const struct teg_predictor *tried_first(
    const struct teg_block_builder *b, const struct building_slot *s)
{
    const struct building_stream *stream = &b->stream[b->at];
    size_t slot = s != NULL ? (size_t)(s - b->slot) : stream->known;

    return slot < stream->known && stream->record[slot].met != 0
               ? &stream->record[slot].now
               : NULL;
}

static void add_record(struct teg_block_builder *b, uint32_t inst,
                       uint32_t record, uint32_t mask, const uint64_t *lane)
{
    struct building_slot *s = find_slot(b, record);
    struct teg_access a;

    a.mask = mask;
    block_shape_fit(&a, lane, tried_first(b, s));
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
    uint64_t lane[TEG_LANES];

    if (block_shape_is_found(a, tried_first(b, s))) {
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
    struct building_stream *s = &b->stream[b->at];

    assert((b->streams != 0 || b->failed) && inst < b->program->count &&
           s->values_left == 0);
    add_to_path(b, s, inst, mask);
    s->last = inst;
    s->last_mask = mask;
    s->values_left = mask != 0 ? teg_inst_values(facts) : 0;
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
static uint32_t next_value(const struct teg_block_builder *b,
                           struct building_stream *s)
{
    const struct teg_inst *inst = &b->program->inst[s->last];

    assert(s->values_left != 0);
    return inst->record_index + inst->records - s->values_left--;
}

void teg_block_builder_value(struct teg_block_builder *b,
                             const uint64_t lane[TEG_LANES])
{
    struct building_stream *s = &b->stream[b->at];

    add_record(b, s->last, next_value(b, s), s->last_mask, lane);
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
    while (teg_cursor_value(c, &a)) {
        struct building_stream *s = &b->stream[b->at];

        add_access(b, s->last, next_value(b, s), &a);
    }
}

/* ---- the end ------------------------------------------------------------ */

/* Learns, once each and from the first streams that show it, where the slot begins,
 * how it moves from stream to stream and from one execution to the next. */
static void learn(struct teg_block_builder *b, uint32_t stream,
                  const struct early_access *e)
{
    struct building_slot *s = &b->slot[e->slot];

    if (s->number == NO_NUMBER) {
        b->numbered[b->numbers] = e->slot;
        s->number = b->numbers++;
        s->slot.first = stream;
        s->slot.base = e->is.last;
        s->slot.stride = e->is.stride;
        s->slot.pitch = e->is.pitch;
        s->slot.shape = e->is.shape;
        s->slot.group_log2 = e->is.group_log2;
    } else if (e->second && !s->delta_known) {
        s->slot.delta = e->is.delta;
        s->delta_known = 1;
    } else if (!e->second && !s->step_known) {
        int64_t streams = (int64_t)stream - s->slot.first;
        int64_t distance = (int64_t)(e->is.last - s->slot.base);

        if (distance % streams == 0)
            s->slot.step = distance / streams;
        s->step_known = 1;
    }
}

/* Numbers the slots in the order in which streams, one after the other, have them. */
static void learn_slots(struct teg_block_builder *b)
{
    b->numbers = 0;
    for (uint32_t i = 0; i < b->streams; i++) {
        const struct building_stream *s = &b->stream[i];

        for (size_t k = 0; k < s->earlies; k++)
            learn(b, i, &s->early[k]);
    }
}

/* The stream's records from byte `from` to `to`; a stream may have none at all. */
static void join_part(struct teg_block_builder *b,
                      const struct building_stream *s, size_t from, size_t to)
{
    if (from != to)
        teg_buffer_bytes(&b->joined, s->records.data + from, to - from);
}

/* An early access as a record, by what its slot has come to be. */
static void join_early(struct teg_block_builder *b, uint32_t stream,
                       const struct early_access *e)
{
    const struct building_stream *s = &b->stream[stream];
    struct teg_predictor p = teg_predictor_of(&b->slot[e->slot].slot, stream);
    uint64_t first = e->is.last - (uint64_t)e->is.delta;
    int expected, same = e->same_shape;

    if (e->second) {
        p.delta = (int64_t)(first - p.last);
        p.last = first;
    } else {
        same = teg_predictor_alike(&p, &e->is);
    }
    expected = e->is.last == teg_predictor_expected(&p);
    teg_buffer_u8(&b->joined, control_of(expected, same, e->is.shape));
    if (!expected)
        teg_buffer_zigzag(&b->joined, (int64_t)(e->is.last - p.last));
    if (!same)
        join_part(b, s, e->at, e->at + e->shape_bytes);
}

static void join_records(struct teg_block_builder *b, uint32_t stream)
{
    const struct building_stream *s = &b->stream[stream];
    size_t from = 0;

    b->joined.size = 0;
    for (size_t i = 0; i < s->earlies; i++) {
        const struct early_access *e = &s->early[i];

        join_part(b, s, from, e->at);
        join_early(b, stream, e);
        from = e->at + e->shape_bytes;
    }
    join_part(b, s, from, s->records.size);
}

static void put_stream(struct teg_block_builder *b, uint32_t stream)
{
    struct building_stream *s = &b->stream[stream];

    end_run(s);
    teg_buffer_varint(&b->streams_bytes, s->warp_id);
    teg_buffer_varint(&b->streams_bytes, share_path(b, s));
    if (!s->records.failed)
        join_records(b, stream);
    teg_buffer_varint(&b->streams_bytes, b->joined.size);
    teg_buffer_bytes(&b->streams_bytes, b->joined.data, b->joined.size);
    b->failed |= s->path.failed | s->records.failed;
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
    learn_slots(b);
    for (uint32_t i = 0; i < b->streams; i++)
        put_stream(b, i);
    for (int i = 0; i < 3; i++)
        teg_buffer_varint(&b->out, b->position[i]);
    teg_buffer_varint(&b->out, b->path_count);
    teg_buffer_bytes(&b->out, b->paths.data, b->paths.size);
    teg_buffer_varint(&b->out, b->slots);
    for (size_t i = 0; i < b->slots; i++)
        put_slot(&b->out, &b->slot[b->numbered[i]].slot);
    teg_buffer_varint(&b->out, b->streams);
    teg_buffer_bytes(&b->out, b->streams_bytes.data, b->streams_bytes.size);
    if (b->failed || b->out.failed || b->paths.failed || b->joined.failed ||
        b->streams_bytes.failed)
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
    return block_open_built(b->program, bytes, size, path, block, d);
}
