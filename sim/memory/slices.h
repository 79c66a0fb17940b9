/*
 * Which slice of L2 has a line, and its number among that slice's lines.
 *
 * Line after line goes round all slices, or, with l2.piece_bytes, pieces of so
 * many bytes go round the channels, and the lines of a piece round the slices
 * of its channel: so it is on a GTX 1070, a GTX 1080 and a V100, whose modules
 * have an L2 of their own and are chosen by bit 10 of an address and those above
 * (Jain, Fractional GPUs, RTAS 2019).
 */
#ifndef TEG_SIM_MEMORY_SLICES_H
#define TEG_SIM_MEMORY_SLICES_H

#include "config/gpu.h"
#include "sim/memory/interleave.h"

struct sim_slices {
    struct sim_divisor by_slices;
    struct sim_divisor by_piece, by_channels, by_each; /* with pieces */
    uint64_t lines;                                    /* of a piece; 0: none */
    uint64_t each;                                     /* slices of a channel */
    uint64_t rows; /* of a piece, of a line in each of these */
    uint32_t hash;
};

struct sim_slice_line {
    uint64_t slice, number;
};

static inline struct sim_slices sim_slices_of(const struct teg_gpu *gpu)
{
    struct sim_slices s = {.by_slices = sim_divisor_of(gpu->l2.slices),
                           .lines = gpu->l2.piece_bytes / TEG_LINE_BYTES,
                           .each = gpu->l2.slices / gpu->dram.channels,
                           .hash = gpu->dram.hash};

    s.by_piece = sim_divisor_of(s.lines);
    s.by_channels = sim_divisor_of(gpu->dram.channels);
    s.by_each = sim_divisor_of(s.each);
    s.rows = sim_quotient(s.lines, &s.by_each);
    return s;
}

/* Which of its channel's slices has line `within` of a piece.  With a hash its
 * digits, to the base of the slices, and the piece turn it, so that strides
 * within a piece and of pieces spread; each row of as many lines as slices still
 * has one for each. */
static inline uint64_t sim_slice_of_channel(const struct sim_slices *s,
                                            uint64_t piece, uint64_t within)
{
    uint64_t turned = within;

    if (!s->hash || s->each == 1)
        return sim_remainder(within, &s->by_each);
    while ((within = sim_quotient(within, &s->by_each)) != 0)
        turned += within;
    turned += sim_remainder(sim_fold(piece), &s->by_each);
    return sim_remainder(turned, &s->by_each);
}

static inline struct sim_slice_line sim_slice_of_piece(
    const struct sim_slices *s, uint64_t line)
{
    uint64_t piece = sim_quotient(line, &s->by_piece);
    uint64_t run = sim_quotient(piece, &s->by_channels);
    uint64_t channel = sim_interleave_in(piece, run, &s->by_channels, s->hash);
    uint64_t within = line - piece * s->lines;

    return (struct sim_slice_line){
        .slice = channel * s->each + sim_slice_of_channel(s, piece, within),
        .number = run * s->rows + sim_quotient(within, &s->by_each)};
}

static inline struct sim_slice_line sim_slice_of(const struct sim_slices *s,
                                                 uint64_t line)
{
    uint64_t run;

    if (s->lines != 0)
        return sim_slice_of_piece(s, line);
    run = sim_quotient(line, &s->by_slices);
    return (struct sim_slice_line){
        .slice = sim_interleave_in(line, run, &s->by_slices, s->hash),
        .number = run};
}

#endif
