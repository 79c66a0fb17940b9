/*
 * The compact form of a block as its two directions share it, and how each
 * expects the next address of an instruction: writer and cursor go through
 * the same accesses in the same order, so they must learn the same from them.
 *
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
#ifndef TEG_TRACES_BLOCK_PREDICTOR_H
#define TEG_TRACES_BLOCK_PREDICTOR_H

#include "traces/block/cursor.h"

enum {
    MASK_SAME = 0,
    MASK_FULL = 1,
    MASK_GIVEN = 2,

    BASE_EXPECTED = 0,
    BASE_DISTANCE = 1,
    BASE_BITS = 1,

    SHAPE_SAME = 0, /* else 1 + enum teg_shape; never for a list */

    BLOCK_STREAMS_MAX = 4096,
    GROUP_LOG2_MAX = 4,
};

/* What one record of an instruction was like in one stream. */
struct teg_predictor {
    uint64_t last; /* base of the last access */
    int64_t delta; /* from the one before it to the last */
    int32_t stride, pitch;
    uint8_t shape, group_log2;
};

/* How one record of an instruction begins in every stream; an instruction's
 * records have theirs in order. */
struct block_slot {
    uint32_t inst;
    uint32_t first; /* stream */
    uint64_t base;
    int64_t step, delta;
    int32_t stride, pitch;
    uint8_t shape, group_log2;
};

/* Before the first access of the slot in `stream`. */
static inline struct teg_predictor teg_predictor_of(const struct block_slot *s,
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

/* The base of the next access if it keeps the pace. */
static inline uint64_t teg_predictor_expected(const struct teg_predictor *p)
{
    return p->last + (uint64_t)p->delta;
}

/* Whether an access of the shape of `p` after one of that of `before` needs none of
 * its own. */
static inline int teg_predictor_alike(const struct teg_predictor *before,
                                      const struct teg_predictor *p)
{
    return p->shape != SHAPE_LIST && before->shape == p->shape &&
           before->stride == p->stride && before->pitch == p->pitch &&
           before->group_log2 == p->group_log2;
}

/* The same of the next access. */
static inline int teg_predictor_has_shape(const struct teg_predictor *p,
                                          const struct teg_access *a)
{
    const struct teg_predictor is = {.stride = a->stride,
                                     .pitch = a->pitch,
                                     .shape = (uint8_t)a->shape,
                                     .group_log2 = (uint8_t)a->group_log2};

    return teg_predictor_alike(p, &is);
}

/* Learns the access: the next one is expected as far from it as it is from the
 * one before. */
static inline void teg_predictor_advance(struct teg_predictor *p,
                                         const struct teg_access *a)
{
    p->delta = (int64_t)(a->base - p->last);
    p->last = a->base;
    p->stride = a->stride;
    p->pitch = a->pitch;
    p->shape = (uint8_t)a->shape;
    p->group_log2 = (uint8_t)a->group_log2;
}

#endif
