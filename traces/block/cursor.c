/* Walking an opened block: no checks, teg_block_open made them. */
#include "traces/block/cursor.h"

#include "traces/block/opened.h"

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
    const struct block_stream *s = &block->stream[stream];
    const struct block_path *path = &block->path[s->path];

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
        c->predictor[i] = teg_predictor_of(&block->slot[i], stream);
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
        a->lane[__builtin_ctz(rest)] = address;
        if (count != 0) {
            address += (uint64_t)take_zigzag(&c->address);
            count--;
        }
    }
    for (; count != 0; count--)
        take_zigzag(&c->address);
}

/* The instruction's next record. */
static void take_record(struct teg_cursor *c, struct teg_access *a)
{
    const struct teg_block *block = c->block;
    const struct teg_inst *inst = &block->program->inst[c->inst];
    uint32_t number = inst->records - c->records_left--;
    struct teg_predictor *p =
        &c->predictor[block->slot_of[inst->record_index + number]];
    uint8_t control = *c->address++;

    a->mask = c->mask;
    a->base = (control & 1) == BASE_DISTANCE
                  ? p->last + (uint64_t)take_zigzag(&c->address)
                  : teg_predictor_expected(p);
    take_shape(c, control >> BASE_BITS, p, a);
    if (a->shape == SHAPE_LIST)
        take_list(c, a, control >> BASE_BITS != SHAPE_SAME);
    teg_predictor_advance(p, a);
}

int teg_cursor_next(struct teg_cursor *c)
{
    while (c->records_left != 0) {
        struct teg_access skipped;

        take_record(c, &skipped);
    }
    if (c->run_left != 0) {
        c->run_left--;
        c->inst++;
    } else if (c->path != c->path_end) {
        next_run(c);
    } else {
        return 0;
    }
    c->records_left =
        c->mask != 0 ? c->block->program->inst[c->inst].records : 0;
    return 1;
}

int teg_cursor_access(struct teg_cursor *c, struct teg_access *a)
{
    const struct teg_inst *inst = &c->block->program->inst[c->inst];

    if (!teg_inst_has_addresses(inst) || c->records_left != inst->records)
        return 0;
    take_record(c, a);
    return 1;
}

int teg_cursor_value(struct teg_cursor *c, struct teg_access *a)
{
    if (c->records_left > teg_inst_values(&c->block->program->inst[c->inst]))
        take_record(c, a);
    if (c->records_left == 0)
        return 0;
    take_record(c, a);
    return 1;
}
