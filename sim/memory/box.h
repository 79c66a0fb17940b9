/*
 * The rows of global memory that a copy of one thread moves, line after line:
 * one row of a bulk copy, those of a box by tensor map.  Rows that follow each
 * other without a gap are one; else each begins with a line of its own, even
 * where it shares it with the row before.  (inferred: how the unit that copies
 * joins rows is not published)
 */
#ifndef TEG_SIM_MEMORY_BOX_H
#define TEG_SIM_MEMORY_BOX_H

#include <stdint.h>

#include "isa/base/minmax.h"
#include "sim/memory/line.h"

enum {
    SIM_BOX_DIMENSIONS = 4, /* of rows */
};

struct sim_box {
    uint64_t next, row;                  /* where the next row is; its bytes */
    uint32_t count[SIM_BOX_DIMENSIONS];  /* rows, the nearest first */
    uint32_t index[SIM_BOX_DIMENSIONS];  /* of the next row */
    uint64_t stride[SIM_BOX_DIMENSIONS]; /* bytes */
    uint64_t at, end;                    /* what is left of the row at hand */
    uint64_t rows;                       /* that have not begun */
    uint32_t element;                    /* bytes; of a reduction, else 0 */
    int is_float; /* likewise: of floating-point numbers */
};

/* `bytes` at `at`. */
static inline struct sim_box sim_box_of_range(uint64_t at, uint64_t bytes)
{
    return (struct sim_box){
        .next = at, .row = bytes, .count = {1, 1, 1, 1}, .rows = bytes != 0};
}

/* To where the row after the next one begins. */
static inline void sim_box_step(struct sim_box *b)
{
    b->rows--;
    for (uint32_t i = 0; i < SIM_BOX_DIMENSIONS; i++) {
        b->next += b->stride[i];
        if (++b->index[i] < b->count[i])
            return;
        b->next -= b->stride[i] * b->count[i];
        b->index[i] = 0;
    }
}

/* Whether anything is left; then `at` and `end` are in the row at hand. */
static inline int sim_box_left(struct sim_box *b)
{
    if (b->at != b->end)
        return 1;
    if (b->rows == 0)
        return 0;
    b->at = b->end = b->next;
    while (b->rows != 0 && b->next == b->end) {
        b->end += b->row;
        sim_box_step(b);
    }
    return 1;
}

/* Takes what is in the next line: from the returned address to `*to`.  Requires
 * that something is left. */
static inline uint64_t sim_box_take(struct sim_box *b, uint64_t *to)
{
    uint64_t from = b->at;

    *to = teg_min(b->end, from - from % TEG_LINE_BYTES + TEG_LINE_BYTES);
    b->at = *to;
    return from;
}

#endif
