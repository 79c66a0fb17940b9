#include "traces/block/block.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/*
 * Encoding, in the order of the bytes (all integers varint, "z" zigzag):
 *
 *   block  := position[3] paths {path} slots {slot} streams {stream}
 *   path   := runs {run}
 *   run    := z(start - end of the run before) length mask
 *   mask   := 0 as the run before | 1 all lanes | 2 and 4 bytes
 *   slot   := inst first z(base) z(step) z(delta) shape
 *   stream := warp path bytes {record}
 *   record := control [z(distance)] [shape]
 *   shape  := LINE: z(stride)
 *           | GRID: group_log2 z(stride) z(pitch)
 *           | LIST: count {z(difference)}
 *
 * Expected address of the instruction of a slot: in stream w, first
 * base + (w - first) * step, then the last one plus the last distance, which
 * begins as `delta`.  control = how the base is given | how the shape is.
 */
enum {
    MASK_SAME = 0,
    MASK_FULL = 1,
    MASK_GIVEN = 2,

    BASE_EXPECTED = 0,
    BASE_DISTANCE = 1,
    BASE_BITS = 1,

    SHAPE_SAME = 0, /* else 1 + enum teg_shape; never for a list */

    STREAMS_MAX = 4096,
    GROUP_LOG2_MAX = 4,
    NO_SLOT = -1,
};

struct teg_predictor {
    uint64_t last;
    int64_t delta;
    int32_t stride, pitch;
    uint8_t shape, group_log2;
};

/* How one memory instruction's addresses begin in every stream. */
struct slot {
    uint32_t inst;
    uint32_t first; /* stream */
    uint64_t base;
    int64_t step, delta;
    int32_t stride, pitch;
    uint8_t shape, group_log2;
};

static struct teg_predictor slot_predictor(const struct slot *s,
                                           uint32_t stream)
{
    uint64_t step = (uint64_t)s->step * ((uint64_t)stream - s->first);

    return (struct teg_predictor){
        .last = s->base + step - (uint64_t)s->delta,
        .delta = s->delta,
        .stride = s->stride,
        .pitch = s->pitch,
        .shape = s->shape,
        .group_log2 = s->group_log2,
    };
}

/* ---- building ---------------------------------------------------------- */

struct building_slot {
    struct slot slot;
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

    int32_t *slot_of; /* owned, [slot_of_size], by memory_index */
    size_t slot_of_size;
    struct building_slot *slot; /* owned */
    size_t slots, slot_capacity;

    /* the stream being built */
    uint32_t warp_id;
    int open;
    uint32_t run_start, run_length, run_mask;
    uint32_t path_end;  /* where the run before ended */
    uint32_t path_mask; /* of the run before */
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
        b->slot_of[b->program->inst[b->slot[i].slot.inst].memory_index] =
            NO_SLOT;
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

/* Returns the number of a path equal to the one just walked. */
static size_t share_path(struct teg_block_builder *b)
{
    uint64_t hash = hash_bytes(b->path.data, b->path.size);
    struct path_entry *entry;

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
    return b->path_count++;
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

/* ---- shapes ------------------------------------------------------------ */

static uint32_t first_lane(uint32_t mask)
{
    return (uint32_t)__builtin_ctz(mask);
}

/* Sets the base so that the first active lane fits, and tells whether all
 * others then do. */
static int shape_fits(struct teg_access *a, const uint64_t *lane)
{
    uint32_t first = first_lane(a->mask);

    a->base = 0;
    a->base = lane[first] - teg_access_lane(a, first);
    for (uint32_t rest = a->mask & (a->mask - 1); rest != 0; rest &= rest - 1) {
        uint32_t l = first_lane(rest);

        if (teg_access_lane(a, l) != lane[l])
            return 0;
    }
    return 1;
}

/* Returns 1 and `*step` if `to - from` is `lanes` equal 32-bit steps. */
static int even_step(uint64_t from, uint64_t to, uint32_t lanes, int32_t *step)
{
    int64_t distance = (int64_t)(to - from);
    int64_t one = distance / (int64_t)lanes;

    if (one * (int64_t)lanes != distance || one < INT32_MIN || one > INT32_MAX)
        return 0;
    *step = (int32_t)one;
    return 1;
}

static int fit_line(struct teg_access *a, const uint64_t *lane)
{
    uint32_t first = first_lane(a->mask), rest = a->mask & (a->mask - 1);

    a->shape = SHAPE_LINE;
    a->stride = a->pitch = 0;
    a->group_log2 = 0;
    if (rest != 0 && !even_step(lane[first], lane[first_lane(rest)],
                                first_lane(rest) - first, &a->stride))
        return 0;
    return shape_fits(a, lane);
}

/* A tile's rows: `1 << group_log2` lanes in a row, rows `pitch` apart. */
static int fit_grid(struct teg_access *a, const uint64_t *lane,
                    uint32_t group_log2)
{
    uint32_t group = 1u << group_log2;
    uint32_t first = first_lane(a->mask);
    uint32_t row = first >> group_log2;
    uint32_t same_row, other_row, second, third;
    uint64_t start;

    same_row = a->mask &
               (((group == 32 ? 0 : 1u << group) - 1) << (row << group_log2));
    other_row = a->mask & ~same_row;
    same_row &= same_row - 1;
    if (same_row == 0 || other_row == 0)
        return 0;
    a->shape = SHAPE_GRID;
    a->group_log2 = group_log2;
    second = first_lane(same_row);
    third = first_lane(other_row);
    if (!even_step(lane[first], lane[second], second - first, &a->stride))
        return 0;
    start =
        lane[first] - (uint64_t)((int64_t)a->stride * (first & (group - 1)));
    start += (uint64_t)((int64_t)a->stride * (third & (group - 1)));
    if (!even_step(start, lane[third], (third >> group_log2) - row, &a->pitch))
        return 0;
    return shape_fits(a, lane);
}

/* Finds the simplest shape, the one used before if it will do. */
static void fit_shape(struct teg_access *a, const uint64_t *lane,
                      const struct teg_predictor *before)
{
    if (before != NULL && before->shape != SHAPE_LIST) {
        a->shape = before->shape;
        a->stride = before->stride;
        a->pitch = before->pitch;
        a->group_log2 = before->group_log2;
        if (shape_fits(a, lane))
            return;
    }
    if (fit_line(a, lane))
        return;
    for (uint32_t group_log2 = GROUP_LOG2_MAX; group_log2 >= 1; group_log2--) {
        if (fit_grid(a, lane, group_log2))
            return;
    }
    a->shape = SHAPE_LIST;
    a->stride = a->pitch = 0;
    a->group_log2 = 0;
    a->base = lane[first_lane(a->mask)];
}

static void put_shape(struct teg_buffer *b, const struct teg_access *a,
                      const uint64_t *lane)
{
    uint32_t rest = a->mask & (a->mask - 1);
    uint64_t before = a->base;

    switch (a->shape) {
    case SHAPE_LINE:
        teg_buffer_zigzag(b, a->stride);
        break;
    case SHAPE_GRID:
        teg_buffer_u8(b, (uint8_t)a->group_log2);
        teg_buffer_zigzag(b, a->stride);
        teg_buffer_zigzag(b, a->pitch);
        break;
    case SHAPE_LIST:
        teg_buffer_u8(b, (uint8_t)__builtin_popcount(rest));
        for (; rest != 0; rest &= rest - 1) {
            uint64_t next = lane[first_lane(rest)];

            teg_buffer_zigzag(b, (int64_t)(next - before));
            before = next;
        }
        break;
    }
}

static void predictor_advance(struct teg_predictor *p,
                              const struct teg_access *a)
{
    p->delta = (int64_t)(a->base - p->last);
    p->last = a->base;
    p->stride = a->stride;
    p->pitch = a->pitch;
    p->shape = (uint8_t)a->shape;
    p->group_log2 = (uint8_t)a->group_log2;
}

static int same_shape(const struct teg_predictor *p, const struct teg_access *a)
{
    return a->shape != SHAPE_LIST && p->shape == a->shape &&
           p->stride == a->stride && p->pitch == a->pitch &&
           p->group_log2 == a->group_log2;
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
                                      uint32_t memory_index)
{
    if (b->slots == b->slot_capacity) {
        size_t capacity = b->slot_capacity * 2 + 16;
        struct building_slot *slot = realloc(b->slot, capacity * sizeof *slot);

        if (slot == NULL)
            return NULL;
        b->slot = slot;
        b->slot_capacity = capacity;
    }
    b->slot_of[memory_index] = (int32_t)b->slots;
    return &b->slot[b->slots++];
}

static struct building_slot *find_slot(struct teg_block_builder *b,
                                       uint32_t memory_index)
{
    if (memory_index >= b->slot_of_size &&
        !grow_slot_of(b, (size_t)memory_index + 1))
        return NULL;
    if (b->slot_of[memory_index] == NO_SLOT)
        return NULL;
    return &b->slot[b->slot_of[memory_index]];
}

static struct building_slot *begin_slot(struct teg_block_builder *b,
                                        uint32_t inst, uint32_t memory_index,
                                        const struct teg_access *a)
{
    struct building_slot *s =
        memory_index < b->slot_of_size ? new_slot(b, memory_index) : NULL;

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
        .stream = b->streams,
    };
    s->now = slot_predictor(&s->slot, b->streams);
    return s;
}

/* Learns, once each, how the slot moves from stream to stream and from one
 * execution to the next; both are written at the end of the block, so what is
 * learnt late still serves the streams that come after. */
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
        s->now = slot_predictor(&s->slot, b->streams);
    } else if (!s->delta_known) {
        s->slot.delta = s->now.delta = (int64_t)(base - s->now.last);
        s->delta_known = 1;
    }
}

static void put_record(struct teg_block_builder *b, struct teg_predictor *p,
                       const struct teg_access *a, const uint64_t *lane)
{
    int expected = a->base == p->last + (uint64_t)p->delta;
    int same = same_shape(p, a);
    unsigned control = expected ? BASE_EXPECTED : BASE_DISTANCE;

    control |= (same ? SHAPE_SAME : 1u + a->shape) << BASE_BITS;
    teg_buffer_u8(&b->records, (uint8_t)control);
    if (!expected)
        teg_buffer_zigzag(&b->records, (int64_t)(a->base - p->last));
    if (!same)
        put_shape(&b->records, a, lane);
    predictor_advance(p, a);
}

/* Adds an access whose shape is known; `lane` is for a list. */
static void add_shape(struct teg_block_builder *b, uint32_t inst,
                      struct building_slot *s, const struct teg_access *a,
                      const uint64_t *lane)
{
    if (s == NULL)
        s = begin_slot(b, inst, b->program->inst[inst].memory_index, a);
    else
        learn_slot(b, s, a->base);
    if (s != NULL)
        put_record(b, &s->now, a, lane);
}

static void add_access(struct teg_block_builder *b, uint32_t inst,
                       uint32_t mask, const uint64_t *lane)
{
    struct building_slot *s = find_slot(b, b->program->inst[inst].memory_index);
    struct teg_access a;

    a.mask = mask;
    fit_shape(&a, lane,
              s == NULL ? NULL
              : s->stream == b->streams
                  ? &s->now
                  : &(struct teg_predictor){.stride = s->slot.stride,
                                            .pitch = s->slot.pitch,
                                            .shape = s->slot.shape,
                                            .group_log2 = s->slot.group_log2});
    add_shape(b, inst, s, &a, lane);
}

void teg_block_builder_inst(struct teg_block_builder *b, uint32_t inst,
                            uint32_t mask, const uint64_t lane[TEG_LANES])
{
    assert(b->open && inst < b->program->count);
    add_to_path(b, inst, mask);
    if (mask != 0 && teg_inst_has_addresses(&b->program->inst[inst])) {
        assert(lane != NULL);
        add_access(b, inst, mask, lane);
    }
}

/* What add_access would find: no grid is a line of all lanes. */
void teg_block_builder_line(struct teg_block_builder *b, uint32_t inst,
                            uint64_t base, int32_t stride)
{
    struct teg_access a;

    assert(b->open && inst < b->program->count);
    add_to_path(b, inst, UINT32_MAX);
    a.mask = UINT32_MAX;
    a.shape = SHAPE_LINE;
    a.base = base;
    a.stride = stride;
    a.pitch = 0;
    a.group_log2 = 0;
    add_shape(b, inst, find_slot(b, b->program->inst[inst].memory_index), &a,
              NULL);
}

void teg_block_builder_access(struct teg_block_builder *b, uint32_t inst,
                              const struct teg_access *access)
{
    uint64_t lane[TEG_LANES];

    for (uint32_t rest = access->mask; rest != 0; rest &= rest - 1) {
        uint32_t l = first_lane(rest);

        lane[l] = teg_access_lane(access, l);
    }
    teg_block_builder_inst(b, inst, access->mask, lane);
}

static void put_slot(struct teg_buffer *b, const struct slot *s)
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

/* ---- an opened block ---------------------------------------------------- */

struct path {
    const uint8_t *at, *end;
    uint64_t insts;
    uint64_t records; /* accesses with an active lane */
};

struct stream {
    const uint8_t *address;
    uint32_t warp_id, path;
};

struct teg_block {
    const struct teg_program *program; /* borrowed */
    uint8_t *bytes;                    /* owned, [size] */
    size_t size;
    int kept;  /* teg_block_free leaves it alone */
    int built; /* by teg_block_builder_open */
    uint32_t position[3];
    uint32_t paths, streams, slots;
    struct path *path;     /* owned, [paths] */
    struct stream *stream; /* owned, [streams] */
    struct slot *slot;     /* owned, [slots] */
    uint32_t *slot_of;     /* owned, [memory_count], by memory_index; `slots`
                              for an instruction without a slot */
    struct teg_predictor *predictor; /* owned, [streams][slots + 1] */
};

static void release_block(struct teg_block *block)
{
    free(block->bytes);
    free(block->path);
    free(block->stream);
    free(block->slot);
    free(block->slot_of);
    free(block->predictor);
    free(block);
}

void teg_block_free(struct teg_block *block)
{
    if (block != NULL && !block->kept)
        release_block(block);
}

teg_status teg_launch_walk(struct teg_launch *launch,
                           teg_status (*visit)(void *self,
                                               struct teg_block *block,
                                               struct teg_diag *d),
                           void *self, struct teg_diag *d)
{
    for (;;) {
        struct teg_block *block;
        teg_status status = TEG_OK;

        TRY(launch->next(launch->self, &block, d));
        if (block == NULL)
            return TEG_OK;
        if (visit != NULL)
            status = visit(self, block, d);
        teg_block_free(block);
        TRY(status);
    }
}

void teg_block_keep(struct teg_block *block)
{
    block->kept = 1;
}

void teg_block_drop(struct teg_block *block)
{
    if (block != NULL)
        release_block(block);
}

size_t teg_block_memory(const struct teg_block *block)
{
    return sizeof *block + block->size + block->paths * sizeof *block->path +
           block->streams * sizeof *block->stream +
           block->slots * sizeof *block->slot +
           block->program->memory_count * sizeof *block->slot_of +
           (size_t)block->streams * ((size_t)block->slots + 1) *
               sizeof *block->predictor;
}

const uint32_t *teg_block_position(const struct teg_block *block)
{
    return block->position;
}

uint32_t teg_block_warps(const struct teg_block *block)
{
    return block->streams;
}

uint32_t teg_block_warp_id(const struct teg_block *block, uint32_t stream)
{
    return block->stream[stream].warp_id;
}

uint64_t teg_block_warp_insts(const struct teg_block *block, uint32_t stream)
{
    return block->path[block->stream[stream].path].insts;
}

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
                           const struct teg_program *program, struct path *p,
                           int64_t *end, uint32_t *mask, struct teg_diag *d)
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

        p->records += last->memory_index - first->memory_index +
                      (teg_inst_has_addresses(last) != 0);
    }
    *end += (int64_t)length;
    return TEG_OK;
}

static teg_status open_path(struct teg_walk *w,
                            const struct teg_program *program, struct path *p,
                            struct teg_diag *d)
{
    uint64_t runs;
    int64_t end = 0;
    uint32_t mask = 0;

    *p = (struct path){0};
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
                            const struct teg_program *program, struct slot *s,
                            struct teg_diag *d)
{
    uint64_t position = teg_walk_position(w), number;
    int64_t base;

    *s = (struct slot){0};
    TRY(teg_walk_bounded(w, UINT32_MAX, "instruction", &number, d));
    if (number >= program->count ||
        !teg_inst_has_addresses(&program->inst[number]))
        return teg_fail_byte(d, TEG_FORMAT, w->path, position,
                             "expected a memory instruction, found number %llu",
                             (unsigned long long)number);
    s->inst = (uint32_t)number;
    TRY(teg_walk_bounded(w, STREAMS_MAX, "stream", &number, d));
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

static teg_status open_record(struct teg_walk *w, uint8_t *shape,
                              struct teg_diag *d)
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
        for (uint8_t i = 0; i < count; i++)
            TRY(teg_walk_zigzag(w, &ignored, d));
        break;
    }
    *shape = (uint8_t)((control >> BASE_BITS) - 1);
    return TEG_OK;
}

static teg_status open_stream(struct teg_walk *w, struct teg_block *block,
                              struct stream *s, struct teg_diag *d)
{
    uint64_t number;
    const uint8_t *bytes;
    struct teg_walk records;
    uint8_t shape;

    TRY(teg_walk_bounded(w, UINT32_MAX, "warp number", &number, d));
    s->warp_id = (uint32_t)number;
    TRY(teg_walk_bounded(w, (uint64_t)block->paths - 1, "path number", &number,
                         d));
    s->path = (uint32_t)number;
    TRY(teg_walk_bounded(w, teg_walk_left(w), "record bytes", &number, d));
    s->address = w->at;
    TRY(teg_walk_bytes(w, (size_t)number, &bytes, d));
    teg_walk_init(&records, bytes, (size_t)number, w->path,
                  teg_walk_position(w) - number);
    for (uint64_t i = 0; i < block->path[s->path].records; i++)
        TRY(open_record(&records, &shape, d));
    if (teg_walk_left(&records) != 0)
        return teg_fail_byte(d, TEG_FORMAT, w->path,
                             teg_walk_position(&records),
                             "expected %llu address records, found %zu bytes "
                             "more",
                             (unsigned long long)block->path[s->path].records,
                             teg_walk_left(&records));
    return TEG_OK;
}

static teg_status open_slots(struct teg_walk *w, struct teg_block *block,
                             struct teg_diag *d)
{
    const struct teg_program *program = block->program;
    uint32_t memory_count = program->memory_count;

    TRY(count_items(w, 6, memory_count, "number of slots", &block->slots, d));
    block->slot = calloc((size_t)block->slots + 1, sizeof *block->slot);
    block->slot_of = malloc(((size_t)memory_count + 1) * sizeof(uint32_t));
    if (block->slot == NULL || block->slot_of == NULL)
        return teg_fail_memory(d);
    for (uint32_t i = 0; i < memory_count; i++)
        block->slot_of[i] = block->slots;
    for (uint32_t i = 0; i < block->slots; i++) {
        struct slot *s = &block->slot[i];

        TRY(open_slot(w, program, s, d));
        block->slot_of[program->inst[s->inst].memory_index] = i;
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
    TRY(count_items(w, 1, STREAMS_MAX, "number of paths", &block->paths, d));
    block->path = calloc((size_t)block->paths + 1, sizeof *block->path);
    if (block->path == NULL)
        return teg_fail_memory(d);
    for (uint32_t i = 0; i < block->paths; i++)
        TRY(open_path(w, block->program, &block->path[i], d));
    TRY(open_slots(w, block, d));
    TRY(count_items(w, 3, block->paths != 0 ? STREAMS_MAX : 0,
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

teg_status teg_block_open(const struct teg_program *program,
                          const uint8_t *bytes, size_t size, const char *path,
                          uint64_t origin, struct teg_block **block,
                          struct teg_diag *d)
{
    struct teg_block *b = calloc(1, sizeof *b);
    struct teg_walk w;
    teg_status status;

    *block = NULL;
    if (b == NULL)
        return teg_fail_memory(d);
    b->program = program;
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

const uint8_t *teg_block_built(const struct teg_block *block,
                               const struct teg_program *program, size_t *size)
{
    *size = block->size;
    return block->built && block->program == program ? block->bytes : NULL;
}

/* ---- the cursor: no checks, teg_block_open made them -------------------- */

static uint64_t take_varint(const uint8_t **at)
{
    const uint8_t *p = *at;
    uint64_t v = *p & 0x7f;

    for (unsigned shift = 7; *p++ & 0x80; shift += 7)
        v |= (uint64_t)(*p & 0x7f) << shift;
    *at = p;
    return v;
}

static int64_t take_zigzag(const uint8_t **at)
{
    uint64_t raw = take_varint(at);

    return (int64_t)(raw >> 1) ^ -(int64_t)(raw & 1);
}

void teg_cursor_init(struct teg_cursor *c, struct teg_block *block,
                     uint32_t stream)
{
    const struct stream *s = &block->stream[stream];
    const struct path *path = &block->path[s->path];

    *c = (struct teg_cursor){
        .path = path->at,
        .path_end = path->end,
        .address = s->address,
        .block = block,
        .predictor =
            block->predictor + (size_t)stream * ((size_t)block->slots + 1),
        /* so that the first run's start counts from 0 */
        .inst = UINT32_MAX,
    };
    for (uint32_t i = 0; i < block->slots; i++)
        c->predictor[i] = slot_predictor(&block->slot[i], stream);
    c->predictor[block->slots] = (struct teg_predictor){0};
}

static void next_run(struct teg_cursor *c)
{
    uint8_t token;

    c->inst = (uint32_t)((int64_t)c->inst + 1 + take_zigzag(&c->path));
    c->run_left = (uint32_t)take_varint(&c->path) - 1;
    token = *c->path++;
    if (token == MASK_FULL) {
        c->mask = UINT32_MAX;
    } else if (token == MASK_GIVEN) {
        const uint8_t *p = c->path;

        c->mask = (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 |
                  (uint32_t)p[3] << 24;
        c->path += 4;
    }
}

int teg_cursor_next(struct teg_cursor *c)
{
    if (c->addresses_pending) {
        struct teg_access skipped;

        teg_cursor_access(c, &skipped);
    }
    if (c->run_left != 0) {
        c->run_left--;
        c->inst++;
    } else if (c->path != c->path_end) {
        next_run(c);
    } else {
        return 0;
    }
    c->addresses_pending =
        c->mask != 0 &&
        teg_inst_has_addresses(&c->block->program->inst[c->inst]);
    return 1;
}

static void take_shape(struct teg_cursor *c, unsigned shape,
                       const struct teg_predictor *p, struct teg_access *a)
{
    switch (shape) {
    case SHAPE_SAME:
        a->shape = p->shape;
        a->stride = p->stride;
        a->pitch = p->pitch;
        a->group_log2 = p->group_log2;
        return;
    case 1 + SHAPE_LINE:
        a->shape = SHAPE_LINE;
        a->stride = (int32_t)take_zigzag(&c->address);
        a->pitch = 0;
        a->group_log2 = 0;
        return;
    case 1 + SHAPE_GRID:
        a->shape = SHAPE_GRID;
        a->group_log2 = *c->address++;
        a->stride = (int32_t)take_zigzag(&c->address);
        a->pitch = (int32_t)take_zigzag(&c->address);
        return;
    default:
        a->shape = SHAPE_LIST;
        a->stride = a->pitch = 0;
        a->group_log2 = 0;
    }
}

/* Lanes beyond the list's count, which only a damaged file has, repeat the
 * last address. */
static void take_list(struct teg_cursor *c, struct teg_access *a, int given)
{
    uint64_t address = a->base;
    uint32_t count = given ? *c->address++ : 0;

    for (uint32_t rest = a->mask; rest != 0; rest &= rest - 1) {
        a->lane[first_lane(rest)] = address;
        if (count != 0) {
            address += (uint64_t)take_zigzag(&c->address);
            count--;
        }
    }
    for (; count != 0; count--)
        take_zigzag(&c->address);
}

int teg_cursor_access(struct teg_cursor *c, struct teg_access *a)
{
    const struct teg_block *block = c->block;
    struct teg_predictor *p;
    uint8_t control;

    if (!c->addresses_pending)
        return 0;
    c->addresses_pending = 0;
    p = &c->predictor
             [block->slot_of[block->program->inst[c->inst].memory_index]];
    control = *c->address++;
    a->mask = c->mask;
    if ((control & 1) == BASE_DISTANCE)
        p->delta = take_zigzag(&c->address);
    a->base = p->last + (uint64_t)p->delta;
    take_shape(c, control >> BASE_BITS, p, a);
    if (a->shape == SHAPE_LIST)
        take_list(c, a, control >> BASE_BITS != SHAPE_SAME);
    p->last = a->base;
    p->stride = a->stride;
    p->pitch = a->pitch;
    p->shape = (uint8_t)a->shape;
    p->group_log2 = (uint8_t)a->group_log2;
    return 1;
}
