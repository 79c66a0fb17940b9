#include "tools/cufft/passes.h"

#include <stdlib.h>

#include "tools/cufft/length.h"

enum {
    LINE_LOOPS = FFT_RANKS, /* other dimensions, batch */
    LAUNCHES = 4 * FFT_STEPS * FFT_RANKS,
    ALONG_MOST = 8192,  /* elements of a line that a block takes at once */
    ACROSS_MOST = 1024, /* the same where others lie between its elements */
    SECTOR_BYTES = 32,
    TILE_LEAST = 1024, /* elements, where there are enough lines */
    TILE_LINES = 64,
    SHARED_USUAL = 48 << 10,
    LONGEST = 1 << 28,
    ELEMENTS_A_THREAD = 8,
    WARP = 32,
};

/* Lines are not all in the same bank. */
#define PITCH(n) ((n) | 1)

struct builder {
    struct fft_passes *to;
    struct tables **tables;
    int is_double;
    size_t element; /* bytes of a complex one */
    size_t work;    /* bytes in use of the work area */
    enum fft_status status;
};

/* One side of lines: where, and how far it is from element to element and from
 * line to line. */
struct side {
    enum fft_place place;
    size_t offset;
    enum fft_form form;
    long long stride, second;
    long long step[LINE_LOOPS];
};

/* Which lines: all pairs (triples) of indices below these. */
struct lines {
    unsigned count[LINE_LOOPS];
};

/* What happens besides, before the first step and after the last one. */
struct besides {
    const void *load_table, *store_table;
    unsigned kept_in, kept_out; /* elements that are not 0, that are left */
    int flags;
};

static void fail(struct builder *b, enum fft_status status)
{
    if (b->status == FFT_SUCCESS)
        b->status = status;
}

static const void *table(struct builder *b, enum fft_table kind, unsigned n)
{
    const void *t = tables_get(b->tables, kind, n, b->is_double);

    if (t == NULL)
        fail(b, FFT_ALLOC_FAILED);
    return t;
}

static unsigned long long line_count(const struct lines *l)
{
    unsigned long long count = 1;

    for (int i = 0; i < LINE_LOOPS; i++)
        count *= l->count[i];
    return count;
}

/* ---- a launch ---------------------------------------------------------------------- */

/* Whose code a pass is: that of complex elements and powers of two, of all forms
 * of elements, or of all radices, too. */
enum code {
    CODE_COMPLEX,
    CODE_REAL,
    CODE_ANY,
    CODES,
};

static enum code code_of(unsigned n, enum fft_form in, enum fft_form out,
                         int has_tables)
{
    if ((n & (n - 1)) != 0)
        return CODE_ANY;
    return in != FFT_COMPLEX || out != FFT_COMPLEX || has_tables ? CODE_REAL
                                                                 : CODE_COMPLEX;
}

static unsigned thread_count(const struct builder *b, unsigned elements,
                             enum code code)
{
    unsigned most = code != CODE_COMPLEX || b->is_double
                        ? FFT_THREADS
                        : FFT_THREADS_COMPLEX_32;
    unsigned warps = (elements / ELEMENTS_A_THREAD + WARP - 1) / WARP;

    if (warps == 0)
        warps = 1;
    return warps * WARP < most ? warps * WARP : most;
}

/* Whether a block's threads hold all of its lines at once. */
static int is_held(const struct builder *b, unsigned n, unsigned bits,
                   enum code code)
{
    unsigned radix[FFT_RADICES], threads = thread_count(b, n << bits, code);
    int radices = length_radices(n, radix);

    for (int i = 0; i < radices; i++) {
        if (radix[i] > FFT_RADIX_HELD ||
            (n / radix[i]) << bits > threads * FFT_WORKS(radix[i]))
            return 0;
    }
    return 1;
}

static size_t tile_bytes(const struct builder *b, unsigned n, unsigned bits,
                         enum code code)
{
    unsigned pad = b->is_double ? FFT_PAD_BITS_64 : FFT_PAD_BITS_32;

    return (is_held(b, n, bits, code) ? 1u : 2u) * b->element *
           (FFT_PADDED(PITCH(n) << bits, pad) + 1);
}

/* Brings the loop whose lines a block takes to the front: that whose lines are
 * nearest each other in memory, where it is nearer than a line's elements. */
static void choose_loop(struct fft_pass *p)
{
    int best = 0, out = 0;
    struct fft_loop swap;

    for (int i = 1; i < FFT_LOOPS; i++) {
        if (p->loop[i].count > 1 &&
            (p->loop[best].count == 1 || p->loop[i].in < p->loop[best].in))
            best = i;
        if (p->loop[i].count > 1 &&
            (p->loop[out].count == 1 || p->loop[i].out < p->loop[out].out))
            out = i;
    }
    if (p->loop[best].in >= p->in.stride && p->loop[out].out < p->out.stride)
        best = out;
    swap = p->loop[0];
    p->loop[0] = p->loop[best];
    p->loop[best] = swap;
    if (p->loop[0].count > 1 && p->loop[0].in < p->in.stride)
        p->flags |= FFT_IN_ACROSS;
    if (p->loop[0].count > 1 && p->loop[0].out < p->out.stride)
        p->flags |= FFT_OUT_ACROSS;
}

static unsigned long long block_count(const struct fft_pass *p, unsigned bits)
{
    unsigned long long blocks = (p->loop[0].count + (1u << bits) - 1) >> bits;

    for (int i = 1; i < FFT_LOOPS; i++)
        blocks *= p->loop[i].count;
    return blocks;
}

/* How many lines a block takes: what fills a block and, across lines, sectors,
 * as long as each SM has a block. */
static void choose_tile(struct builder *b, struct fft_pass *p, enum code code)
{
    int across = (p->flags & (FFT_IN_ACROSS | FFT_OUT_ACROSS)) != 0;
    unsigned least = across ? SECTOR_BYTES / (unsigned)b->element : 1;
    unsigned bits = 0;

    while (1u << bits < TILE_LINES && 1u << bits < p->loop[0].count &&
           ((p->n << bits) < TILE_LEAST || (across && 1u << bits < 4 * least)))
        bits++;
    while (1u << bits > least && p->n << bits > ELEMENTS_A_THREAD * WARP &&
           block_count(p, bits) < (unsigned)vendor_device()->sms)
        bits--;
    while (1u << bits > least && tile_bytes(b, p->n, bits, code) > SHARED_USUAL)
        bits--;
    while (bits > 0 &&
           tile_bytes(b, p->n, bits, code) > (size_t)vendor_device()->shared)
        bits--;
    p->tile_bits = bits;
    p->tiles = is_held(b, p->n, bits, code) ? 1 : 2;
}

static unsigned part(unsigned d)
{
    return d == 1 ? 0 : (unsigned)(((1ull << 32) + d - 1) / d);
}

static void choose_radices(struct fft_pass *p)
{
    unsigned radix[FFT_RADICES], before = 1;

    p->radices = length_radices(p->n, radix);
    for (int i = 0; i < p->radices; i++) {
        p->at[i].radix = radix[i];
        p->at[i].before = before;
        p->at[i].before_part = part(before);
        p->at[i].rest = p->n / radix[i];
        p->at[i].rest_part = part(p->n / radix[i]);
        before *= radix[i];
        p->at[i].step = p->n / before;
    }
}

static int is_even(const struct fft_side *s, const struct fft_loop *loop,
                   int out)
{
    for (int i = 0; i < FFT_LOOPS; i++) {
        if (loop[i].count > 1 && (out ? loop[i].out : loop[i].in) % 2 != 0)
            return 0;
    }
    return s->second == 1 && s->stride % 2 == 0;
}

static struct fft_launch *add(struct builder *b, const struct fft_pass *p,
                              const struct side *from, const struct side *to)
{
    struct fft_launch *l;

    if (b->to->count == LAUNCHES) {
        fail(b, FFT_INTERNAL_ERROR);
        return NULL;
    }
    l = &b->to->launch[b->to->count++];
    *l = (struct fft_launch){.pass = *p,
                             .from = from->place,
                             .to = to->place,
                             .from_offset = from->offset,
                             .to_offset = to->offset};
    return l;
}

static void add_transform(struct builder *b, struct fft_pass p,
                          const struct side *from, const struct side *to)
{
    static const char *const kernel[CODES][2] = {
        [CODE_COMPLEX] = {"teg_cufft_complex_32", "teg_cufft_complex_64"},
        [CODE_REAL] = {"teg_cufft_real_32", "teg_cufft_real_64"},
        [CODE_ANY] = {"teg_cufft_any_32", "teg_cufft_any_64"},
    };
    enum code code = code_of(p.n, p.in.form, p.out.form,
                             p.load_table != NULL || p.store_table != NULL);
    unsigned long long blocks;
    struct fft_launch *l;

    p.pitch = PITCH(p.n);
    choose_loop(&p);
    choose_radices(&p);
    choose_tile(b, &p, code);
    if ((p.in.form == FFT_PAIRS && is_even(&p.in, p.loop, 0)) ||
        (p.out.form == FFT_PAIRS && is_even(&p.out, p.loop, 1)))
        p.flags |= FFT_ALIGNED;
    if (p.in.form == FFT_HALF || p.out.form == FFT_HALF)
        p.halves = table(b, TABLE_HALVES,
                         p.in.form == FFT_HALF ? p.in.whole : p.out.whole);
    p.roots = table(b, TABLE_ROOTS, p.n);
    blocks = block_count(&p, p.tile_bits);
    l = add(b, &p, from, to);
    if (l == NULL)
        return;
    if (blocks > INT32_MAX)
        fail(b, FFT_INVALID_SIZE);
    l->kernel = kernel[code][b->is_double];
    l->grid = (struct vendor_grid){
        .x = (unsigned)blocks,
        .y = 1,
        .z = 1,
        .threads = thread_count(b, p.n << p.tile_bits, code)};
    if (p.radices > 1 || p.out.form == FFT_HALF)
        l->grid.shared = (unsigned)tile_bytes(b, p.n, p.tile_bits, code);
}

/* ---- lines of a length that radices make up ------------------------------------------ */

static int is_along(const struct side *s, const struct lines *l)
{
    for (int i = 0; i < LINE_LOOPS; i++) {
        if (l->count[i] > 1 && s->step[i] < s->stride)
            return 0;
    }
    return 1;
}

static int takes_one_pass(const struct builder *b, unsigned n,
                          const struct lines *l, const struct side *from,
                          const struct side *to, int has_tables)
{
    enum code code = code_of(n, from->form, to->form, has_tables);

    return n <= ACROSS_MOST ||
           (is_along(from, l) && is_along(to, l) && n <= ALONG_MOST &&
            tile_bytes(b, n, 0, code) <= (size_t)vendor_device()->shared);
}

static void side_of(struct fft_side *s, const struct side *from,
                    long long weight, unsigned whole, unsigned kept)
{
    s->form = from->form;
    s->whole = whole;
    s->kept = kept;
    s->index = (unsigned)weight;
    s->second = from->second;
    s->stride = from->stride * weight;
}

/* What mirrors elements on the way in finds them by their index. */
static int is_indexed(const struct side *in)
{
    return in->form == FFT_HERMITE || in->form == FFT_HALF;
}

/* Lines in the work area, one behind the other. */
static struct side work_side(size_t offset, unsigned n, const struct lines *l)
{
    struct side s = {.place = PLACE_WORK, .offset = offset, .stride = 1};
    long long step = n;

    for (int i = 0; i < LINE_LOOPS; i++) {
        s.step[i] = step;
        step *= l->count[i];
    }
    return s;
}

static size_t take_work(struct builder *b, unsigned n, const struct lines *l)
{
    size_t offset = b->work;

    b->work += (size_t)line_count(l) * n * b->element;
    if (b->work > b->to->work_bytes)
        b->to->work_bytes = b->work;
    return offset;
}

/*
 * A line of n = n1 n2 n3 elements is taken as a block of n1 by n2 by n3.  Step t
 * transforms along its dimension t and multiplies by roots of what is left;
 * what the steps find is in the reverse order of dimensions.
 */
static void smooth_lines(struct builder *b, unsigned n, const struct lines *l,
                         const struct side *from, const struct side *to,
                         unsigned whole_in, unsigned whole_out,
                         const struct besides *besides)
{
    unsigned step[FFT_STEPS], weight_in[FFT_STEPS], weight_out[FFT_STEPS];
    int has_tables =
        besides->load_table != NULL || besides->store_table != NULL;
    int steps = takes_one_pass(b, n, l, from, to, has_tables)
                    ? length_steps(n, n, step)
                    : length_steps(n, ACROSS_MOST, step);
    size_t before = b->work;
    struct side between = {0};

    if (steps == 0) {
        fail(b, FFT_INVALID_SIZE);
        return;
    }
    if (steps > 1)
        between = work_side(take_work(b, n, l), n, l);
    weight_out[0] = weight_in[steps - 1] = 1;
    for (int t = 1; t < steps; t++) {
        weight_out[t] = weight_out[t - 1] * step[t - 1];
        weight_in[steps - 1 - t] = weight_in[steps - t] * step[steps - t];
    }
    for (int t = 0; t < steps; t++) {
        int first = t == 0, last = t == steps - 1, loops = 0;
        const struct side *in = first ? from : &between;
        const struct side *out = last ? to : &between;
        struct fft_pass p = {.n = step[t], .flags = besides->flags};

        side_of(&p.in, in, weight_in[t], whole_in, besides->kept_in);
        side_of(&p.out, out, last ? weight_out[t] : weight_in[t], whole_out,
                besides->kept_out);
        if (is_indexed(in))
            p.in.stride = in->stride;
        if (first && besides->load_table != NULL) {
            p.load_table = besides->load_table;
            p.flags |= FFT_LOAD_TABLE;
        }
        if (last && besides->store_table != NULL) {
            p.store_table = besides->store_table;
            p.flags |= FFT_STORE_TABLE;
        }
        if (!last) {
            p.flags |= FFT_TWIDDLE;
            p.whole = step[t] * weight_in[t];
            p.loop[loops++] =
                (struct fft_loop){.count = weight_in[t],
                                  .twiddle = 1,
                                  .in_index = 1,
                                  .in = is_indexed(in) ? 0 : in->stride,
                                  .out = 1};
        }
        for (int u = 0; u < t; u++)
            p.loop[loops++] = (struct fft_loop){
                .count = step[u],
                .out_index = last ? weight_out[u] : 0,
                .in = weight_in[u],
                .out = last ? out->stride * weight_out[u] : weight_in[u]};
        for (int i = 0; i < LINE_LOOPS; i++)
            p.loop[loops++] = (struct fft_loop){
                .count = l->count[i], .in = in->step[i], .out = out->step[i]};
        while (loops < FFT_LOOPS)
            p.loop[loops++].count = 1;
        add_transform(b, p, in, out);
    }
    b->work = before;
}

/* ---- lines of any length -------------------------------------------------------------- */

/* Bluestein's: X[k] = c[k] sum of (x[i] c[i]) / c[k - i], c the chirp, which is a
 * product of transforms of a longer line. */
static void any_lines(struct builder *b, unsigned n, const struct lines *l,
                      const struct side *from, const struct side *to)
{
    size_t before = b->work;
    unsigned around = length_around(n);
    struct besides there = {.kept_in = n, .kept_out = around};
    struct besides back = {.kept_in = around, .kept_out = n};
    struct side between;
    unsigned step[FFT_STEPS];

    /* not of more factors of 37 and more than there are steps */
    if (length_is_smooth(n) && length_steps(n, ACROSS_MOST, step) != 0) {
        smooth_lines(b, n, l, from, to, n, n, &(struct besides){0});
        return;
    }
    between = work_side(take_work(b, around, l), around, l);
    there.load_table = back.store_table = table(b, TABLE_CHIRP, n);
    back.flags = FFT_INVERSE | FFT_CONJUGATE;
    there.store_table = table(b, TABLE_SPECTRUM, n);
    smooth_lines(b, around, l, from, &between, n, around, &there);
    smooth_lines(b, around, l, &between, to, around, n, &back);
    b->work = before;
}

/* From n real numbers a line to n / 2 + 1 complex ones. */
static void real_lines(struct builder *b, unsigned n, const struct lines *l,
                       struct side from, struct side to)
{
    unsigned half = n / 2;
    struct fft_pass p = {.n = half};
    struct fft_launch *launch;

    if (n % 2 != 0) {
        from.form = FFT_REAL;
        to.form = FFT_HERMITE;
        any_lines(b, n, l, &from, &to);
        return;
    }
    from.form = FFT_PAIRS;
    from.second = from.stride;
    from.stride *= 2;
    if (length_is_smooth(half) && takes_one_pass(b, half, l, &from, &to, 0)) {
        to.form = FFT_HALF;
        smooth_lines(b, half, l, &from, &to, half, half, &(struct besides){0});
        return;
    }
    any_lines(b, half, l, &from, &to);
    p.out.stride = to.stride;
    p.halves = table(b, TABLE_HALVES, half);
    for (int i = 0; i < FFT_LOOPS; i++) {
        p.loop[i].count = i < LINE_LOOPS ? l->count[i] : 1;
        p.loop[i].out = i < LINE_LOOPS ? to.step[i] : 0;
    }
    launch = add(b, &p, &to, &to);
    if (launch == NULL)
        return;
    launch->kernel = b->is_double ? "teg_cufft_split_64" : "teg_cufft_split_32";
    launch->grid = (struct vendor_grid){
        .x = (unsigned)line_count(l), .y = 1, .z = 1, .threads = FFT_THREADS};
    while (launch->grid.y * 4 * FFT_THREADS < half && launch->grid.y < 1024)
        launch->grid.y *= 2;
}

/* The other way. */
static void hermite_lines(struct builder *b, unsigned n, const struct lines *l,
                          struct side from, struct side to)
{
    from.form = n % 2 != 0 ? FFT_HERMITE : FFT_HALF;
    to.form = n % 2 != 0 ? FFT_REAL : FFT_PAIRS;
    if (n % 2 == 0) {
        to.second = to.stride;
        to.stride *= 2;
    }
    any_lines(b, n % 2 != 0 ? n : n / 2, l, &from, &to);
}

/* ---- dimensions ---------------------------------------------------------------------- */

/* The lines along dimension d of an array of n[] elements, and one side of them. */
static struct side along(enum fft_place place, const struct fft_layout *o,
                         int rank, int d)
{
    struct side s = {.place = place};
    long long step[FFT_RANKS] = {0}, each = o->stride;
    int loops = 0;

    for (int i = rank - 1; i >= 0; i--) {
        step[i] = each;
        each *= o->across[i];
    }
    s.stride = step[d];
    for (int i = rank - 1; i >= 0; i--) {
        if (i != d)
            s.step[loops++] = step[i];
    }
    s.step[loops] = o->batch;
    return s;
}

static struct lines lines_of(const unsigned *n, int rank, int d, unsigned batch)
{
    struct lines l = {{1, 1, 1}};
    int loops = 0;

    for (int i = rank - 1; i >= 0; i--) {
        if (i != d)
            l.count[loops++] = n[i];
    }
    l.count[loops] = batch;
    return l;
}

/* Without gaps. */
static struct fft_layout dense(const unsigned *n, int rank, long long row)
{
    struct fft_layout o = {.stride = 1, .batch = 1};

    for (int i = rank - 1; i >= 0; i--) {
        o.across[i] = i == rank - 1 ? row : n[i];
        o.batch *= o.across[i];
    }
    return o;
}

static void dimensions(struct builder *b, const struct fft_shape *shape,
                       int in_place)
{
    int type = shape->type & ~FFT_DOUBLE, last = shape->rank - 1;
    unsigned n[FFT_RANKS] = {0}, half[FFT_RANKS] = {0};
    unsigned batch = (unsigned)shape->batch;
    struct fft_layout in = shape->in, out = shape->out, image;
    enum fft_place now = PLACE_IN;

    for (int i = 0; i <= last; i++)
        n[i] = half[i] = (unsigned)shape->n[i];
    half[last] = n[last] / 2 + 1;
    image = dense(n, shape->rank, half[last]);
    if (!shape->has_layout) {
        long long real = in_place ? 2 * (long long)half[last] : n[last];

        in = dense(n, shape->rank,
                   type == FFT_C2R   ? half[last]
                   : type == FFT_R2C ? real
                                     : n[last]);
        out = dense(n, shape->rank,
                    type == FFT_R2C   ? half[last]
                    : type == FFT_C2R ? real
                                      : n[last]);
    }
    if (image.batch > LONGEST) {
        fail(b, FFT_INVALID_SIZE);
        return;
    }
    if (type == FFT_C2R) {
        struct lines l;

        if (last > 0)
            take_work(b, 1, &(struct lines){{(unsigned)image.batch, batch, 1}});
        for (int d = 0; d < last; d++) {
            struct side from =
                along(now, now == PLACE_IN ? &in : &image, shape->rank, d);
            struct side to = along(PLACE_WORK, &image, shape->rank, d);

            l = lines_of(half, shape->rank, d, batch);
            any_lines(b, n[d], &l, &from, &to);
            now = PLACE_WORK;
        }
        l = lines_of(n, shape->rank, last, batch);
        hermite_lines(
            b, n[last], &l,
            along(now, now == PLACE_IN ? &in : &image, shape->rank, last),
            along(PLACE_OUT, &out, shape->rank, last));
        return;
    }
    for (int d = last; d >= 0; d--) {
        struct side from =
            along(now, now == PLACE_IN ? &in : &out, shape->rank, d);
        struct side to = along(PLACE_OUT, &out, shape->rank, d);
        struct lines l =
            lines_of(type == FFT_R2C ? half : n, shape->rank, d, batch);

        if (type == FFT_R2C && d == last)
            real_lines(b, n[d], &l, from, to);
        else if (n[d] > 1 || now == PLACE_IN)
            any_lines(b, n[d], &l, &from, &to);
        now = PLACE_OUT;
    }
}

enum fft_status passes_make(struct fft_passes *p, const struct fft_shape *shape,
                            int in_place, struct tables **tables)
{
    int is_double = (shape->type & FFT_DOUBLE) != 0;
    struct builder b = {.to = p,
                        .tables = tables,
                        .is_double = is_double,
                        .element = is_double ? 16 : 8};

    for (int i = 0; i < shape->rank; i++) {
        if (shape->n[i] < 1 || shape->n[i] > LONGEST)
            return FFT_INVALID_SIZE;
    }
    if (shape->batch < 1 || shape->batch > LONGEST)
        return FFT_INVALID_SIZE;
    *p = (struct fft_passes){.launch = calloc(LAUNCHES, sizeof *p->launch)};
    if (p->launch == NULL)
        return FFT_ALLOC_FAILED;
    dimensions(&b, shape, in_place);
    if (b.status != FFT_SUCCESS)
        passes_free(p);
    return b.status;
}

void passes_free(struct fft_passes *p)
{
    free(p->launch);
    *p = (struct fft_passes){0};
}
