/* Time, lists and caches of the naive memory. */
#include "tests/sim/memory/help_naive_parts.h"

#include <stdlib.h>
#include <string.h>

uint64_t naive_later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* `list` of `count` elements with room for one more. */
void *naive_one_more(void *list, size_t count, size_t size)
{
    void *longer = realloc(list, (count + 1) * size);

    if (longer == NULL)
        abort();
    return longer;
}

void *naive_zeroed(size_t count, size_t size)
{
    void *list = calloc(count, size);

    if (list == NULL)
        abort();
    return list;
}

/* ---- time ----------------------------------------------------------------- */

uint64_t naive_nearest(double x)
{
    return (uint64_t)(x + 0.5);
}

uint64_t naive_whole_cycles(uint64_t tick)
{
    return tick / TICKS + (tick % TICKS != 0);
}

/* Parts of a tick that a byte takes; 0 where there is no limit. */
uint64_t naive_byte_time(double bytes_per_cycle)
{
    return bytes_per_cycle > 0
               ? naive_nearest((double)TICKS * BYTE_PARTS / bytes_per_cycle)
               : 0;
}

/* Ticks. */
uint64_t naive_time_of(uint64_t bytes, uint64_t byte_time)
{
    return bytes * byte_time / BYTE_PARTS;
}

/* Waits at `at` until the place is free, and takes it; returns when. */
uint64_t naive_take(uint64_t *free_from, uint64_t at, uint64_t ticks)
{
    uint64_t from = naive_later(*free_from, at);

    *free_from = from + ticks;
    return from;
}

/* What the bits of a number come to when they are mixed. */
static uint64_t mixed(uint64_t x)
{
    x = (x ^ x / 8589934592) * 18397679294719823053u;
    return x ^ x / 8589934592;
}

/* Slice, channel or set of a near half: the number modulo the places, turned
 * by what the number of the row of places gives. */
uint64_t naive_place_of(uint32_t hash, uint64_t number, uint64_t places)
{
    uint64_t row = number / places, column = number % places;

    if (!hash)
        return column;
    return (column + mixed(row) % places) % places;
}

/* Stretches of lines belong to the halves in turn, of two side by side one to
 * either; a half's lines go round its slices, every second one. */
static struct home home_in_half(const struct teg_gpu *gpu, uint64_t number)
{
    uint64_t lines = gpu->l2.half_bytes / LINE_BYTES;
    uint64_t side = gpu->l2.slices / 2, two = number / (2 * lines);
    uint64_t half = number / lines % 2, of_half;

    of_half = two * lines + number % lines;
    if (gpu->dram.hash && mixed(two) % 2 == 1)
        half = 1 - half;
    return (struct home){naive_place_of(gpu->dram.hash, of_half, side) * 2 +
                             half,
                         of_half / side};
}

/* Pieces of lines go round the channels, the lines of a piece round the slices
 * of its channel, turned by the sum of the digits of their place in it and by
 * the piece. */
struct home naive_home_of(const struct teg_gpu *gpu, uint64_t number)
{
    uint64_t slices = gpu->l2.slices, channels = gpu->dram.channels;
    uint64_t lines = gpu->l2.piece_bytes / LINE_BYTES, each, piece, at, turn;

    if (gpu->l2.far_latency != 0 && gpu->l2.half_bytes != 0)
        return home_in_half(gpu, number);
    if (lines == 0)
        return (struct home){naive_place_of(gpu->dram.hash, number, slices),
                             number / slices};
    each = slices / channels;
    piece = number / lines;
    at = turn = number % lines;
    if (gpu->dram.hash && each > 1) {
        turn = mixed(piece) % each;
        for (uint64_t digits = at; digits != 0; digits /= each)
            turn += digits % each;
    }
    return (struct home){
        naive_place_of(gpu->dram.hash, piece, channels) * each + turn % each,
        piece / channels * (lines / each) + at / each};
}

/* Set of an L1: a run of as many lines as sets is turned by its number, and by
 * what the number of its sixteen runs gives. */
uint64_t naive_set_of(uint32_t hash, uint64_t number, uint64_t sets)
{
    uint64_t run = number / sets, runs = run / 16;

    if (!hash)
        return number % sets;
    return (number % sets + run % sets + mixed(runs) % sets) % sets;
}

/* ---- caches --------------------------------------------------------------- */

struct line *naive_find(struct cache *c, uint64_t number)
{
    for (size_t i = 0; i < c->lines; i++) {
        if (c->line[i].number == number)
            return &c->line[i];
    }
    return NULL;
}

/* A place for a line; the one whose last use is longest ago makes room, and
 * is copied to `gone`. */
static struct line *place_in(struct cache *c, uint64_t set, struct line *gone)
{
    struct line *oldest = NULL;
    uint64_t held = 0;

    for (size_t i = 0; i < c->lines; i++) {
        struct line *line = &c->line[i];

        if (line->set != set)
            continue;
        held++;
        if (oldest == NULL || line->used < oldest->used)
            oldest = line;
    }
    if (held == c->ways) {
        *gone = *oldest;
        return oldest;
    }
    c->line = naive_one_more(c->line, c->lines, sizeof *c->line);
    return &c->line[c->lines++];
}

/* The line, entered if it is not there; `gone` made room, or is all zeros. */
struct line *naive_find_or_enter(struct naive_memory *m, struct cache *c,
                                 uint64_t set, uint64_t number,
                                 struct line *gone)
{
    struct line *line = naive_find(c, number);

    memset(gone, 0, sizeof *gone);
    if (line == NULL) {
        line = place_in(c, set, gone);
        memset(line, 0, sizeof *line);
        line->number = number;
        line->set = set;
    }
    line->used = ++m->stamp;
    return line;
}

int naive_cleaned(struct naive_memory *m, struct cache *c, uint64_t set,
                  struct line *line)
{
    struct line *oldest = NULL;
    double most = m->gpu->l2.dirty_share * m->gpu->l2.ways;
    uint64_t dirty = 0;

    for (size_t i = 0; i < c->lines; i++) {
        if (c->line[i].set != set || naive_count(c->line[i].written) == 0)
            continue;
        dirty++;
        if (oldest == NULL || c->line[i].used < oldest->used)
            oldest = &c->line[i];
    }
    if (dirty <= 1 || (double)dirty <= most + 1e-9)
        return 0;
    *line = *oldest;
    memset(oldest->written, 0, sizeof oldest->written);
    memset(oldest->torn, 0, sizeof oldest->torn);
    return 1;
}

uint32_t naive_count(const int sectors[SECTORS])
{
    uint32_t n = 0;

    for (int s = 0; s < SECTORS; s++)
        n += sectors[s] != 0;
    return n;
}

/* Leaves of what is wanted what the line does not hold, and has it hold that
 * from now on; returns the hits. */
uint32_t naive_look(struct line *line, int wanted[SECTORS])
{
    uint32_t hits = 0;

    for (int s = 0; s < SECTORS; s++) {
        if (!wanted[s])
            continue;
        hits += line->held[s] != 0;
        wanted[s] = !line->held[s];
        line->held[s] = 1;
    }
    return hits;
}

/* What the trip fetched for the line arrives; the line with the last of it. */
void naive_fill(struct line *line, const struct trip *t)
{
    uint64_t cycle = naive_whole_cycles(t->at) + t->latency;

    line->arrives = naive_later(line->arrives, naive_later(cycle, t->arrival));
}
