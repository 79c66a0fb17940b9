/*
 * Which slice of L2 has a line, and its number among that slice's lines.
 *
 * Line after line goes round all slices, or, with l2.piece_bytes, pieces of so
 * many bytes go round the channels, and the lines of a piece round the slices
 * of its channel: so it is on a GTX 1070, a GTX 1080 and a V100, whose modules
 * have an L2 of their own and are chosen by bit 10 of an address and those above
 * (Jain, Fractional GPUs, RTAS 2019).
 *
 * Where L2 is two halves, even slices are one and odd ones the other.  With
 * l2.half_bytes stretches of so many bytes belong to them in turn, of each two
 * side by side one to either, and the lines of a half go round its slices: an
 * A100's are of 8 KB, an H100's of 4 (GPUNetBench, BISECTION/A100-0.csv and
 * H100-0.csv: the kilobytes of one half come in runs of 8 and of 16, of 4 and of
 * 8).
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
    struct sim_divisor by_stretch, by_side; /* with half_bytes */
    uint64_t stretch;                       /* lines of one; 0: none */
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
                           .stretch = gpu->l2.far_latency != 0
                                          ? gpu->l2.half_bytes / TEG_LINE_BYTES
                                          : 0,
                           .hash = gpu->dram.hash};

    s.by_piece = sim_divisor_of(s.lines);
    s.by_channels = sim_divisor_of(gpu->dram.channels);
    s.by_each = sim_divisor_of(s.each);
    s.rows = sim_quotient(s.lines, &s.by_each);
    s.by_stretch = sim_divisor_of(s.stretch);
    s.by_side = sim_divisor_of(gpu->l2.slices / 2);
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

/* Of two stretches side by side, the first belongs to the half that the upper
 * bits choose, and the second to the other. */
static inline struct sim_slice_line sim_slice_of_half(
    const struct sim_slices *s, uint64_t line)
{
    uint64_t stretch = sim_quotient(line, &s->by_stretch), pair = stretch / 2;
    uint64_t half = (stretch ^ (s->hash ? sim_fold(pair) : 0)) & 1;
    uint64_t number = line - (stretch - pair) * s->stretch;
    uint64_t run = sim_quotient(number, &s->by_side);

    return (struct sim_slice_line){
        .slice =
            2 * sim_interleave_in(number, run, &s->by_side, s->hash) + half,
        .number = run};
}

static inline struct sim_slice_line sim_slice_of(const struct sim_slices *s,
                                                 uint64_t line)
{
    uint64_t run;

    if (s->lines != 0)
        return sim_slice_of_piece(s, line);
    if (s->stretch != 0)
        return sim_slice_of_half(s, line);
    run = sim_quotient(line, &s->by_slices);
    return (struct sim_slice_line){
        .slice = sim_interleave_in(line, run, &s->by_slices, s->hash),
        .number = run};
}

#endif
