#include "tools/cudnn/convolution.h"

#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "tools/cudart/say.h"
#include "tools/cudnn/hopper.h"

enum {
    NAME_MAX_ = 64,
    GRID_Z_MAX = 65535,
    SLICE_LEAST = 256, /* of k that is worth a block of its own */
    SLICES_MOST = 64,
    SLICES_BYTES = 256 << 20, /* of sums, at most */
    ROWS_OF_SLICES = 256,     /* that a block adds up */
    PIECE = 16,               /* bytes that are moved at once */
    SIDES = 2 + CONV_DIMS,
};

/* ---- shapes ------------------------------------------------------------------------ */

/* A tensor of images (or filters), channels, depth, height and width. */
struct shape {
    int size[SIDES];
    long long stride[SIDES];
};

static struct shape shape_of(const struct dnn_tensor *t)
{
    struct shape s = {.size = {t->size[0], t->size[1], 1, 1, 1},
                      .stride = {t->stride[0], t->stride[1], 0, 0, 0}};
    int missing = SIDES - t->rank;

    for (int i = 2; i < t->rank; i++) {
        s.size[missing + i] = t->size[i];
        s.stride[missing + i] = t->stride[i];
    }
    return s;
}

/* With the channels side by side and nothing between pixels. */
static struct shape by_pixels(const struct shape *s, int channels)
{
    struct shape out = *s;
    long long stride = channels;

    out.size[1] = channels;
    out.stride[1] = 1;
    for (int i = SIDES - 1; i >= 2; i--) {
        out.stride[i] = stride;
        stride *= s->size[i];
    }
    out.stride[0] = stride;
    return out;
}

/* A stride of a dimension that is one element long means nothing. */
static int lies_like(const struct shape *a, const struct shape *b)
{
    for (int i = 0; i < SIDES; i++) {
        if (a->size[i] != b->size[i] ||
            (a->size[i] > 1 && a->stride[i] != b->stride[i]))
            return 0;
    }
    return 1;
}

static long long pixels_of(const struct shape *s)
{
    return (long long)s->size[2] * s->size[3] * s->size[4];
}

static long long elements_of(const struct shape *s)
{
    return s->size[0] * s->size[1] * pixels_of(s);
}

/* ---- which kernels --------------------------------------------------------------------- */

/* What is computed by which kernels. */
static const struct kind {
    int type;
    const char *kernels;
    int from;    /* generation */
    int rounds;  /* floats, to TF32 */
    int tensors; /* by tensor instructions */
    int element; /* enum product_type */
} kinds[] = {
    {DNN_HALF, "h", 0, 0, 1, PRODUCT_F16},
    {DNN_BFLOAT16, "b", 80, 0, 1, PRODUCT_BF16},
    {DNN_BFLOAT16, "b", 0, 0, 0, PRODUCT_BF16},
    {DNN_FLOAT, "tf32", 80, 1, 1, PRODUCT_F32},
    {DNN_FLOAT, "s", 0, 0, 0, PRODUCT_F32},
    {DNN_DOUBLE, "d", 0, 0, 0, PRODUCT_F64},
};

/* Tiles by kernels: the blocks an SM has room for, and what it gets done of
 * one beside the largest. */
static const struct tile {
    const char *kernels;
    int tensors;
    int m, n, threads, blocks;
    double speed;
} tiles[] = {
    {"s", 0, 128, 128, 256, 2, 1.0},    {"s", 0, 64, 64, 128, 4, 0.8},
    {"d", 0, 64, 64, 128, 3, 1.0},      {"b", 0, 64, 64, 128, 4, 1.0},
    {"h", 1, 128, 128, 128, 2, 1.0},    {"h", 1, 64, 128, 128, 3, 0.85},
    {"h", 1, 64, 64, 128, 4, 0.6},      {"b", 1, 128, 128, 128, 2, 1.0},
    {"b", 1, 64, 128, 128, 3, 0.85},    {"b", 1, 64, 64, 128, 4, 0.6},
    {"tf32", 1, 128, 128, 128, 2, 1.0}, {"tf32", 1, 64, 128, 128, 3, 0.85},
    {"tf32", 1, 64, 64, 128, 4, 0.6},
};

static const struct kind *kind_of(const struct convolution *c)
{
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        const struct kind *k = &kinds[i];

        if (k->type == c->x.type && vendor_device()->generation >= k->from &&
            (!k->rounds || c->tensor_cores))
            return k;
    }
    return NULL;
}

/* Everything about a convolution but where its data lie. */
struct plan {
    const struct kind *kind;
    int plain;
    int by_images; /* pixels lie side by side, and a filter has one tap */
    struct shape x, w, y;
    int c, k; /* of a group */
    int taps[CONV_DIMS], all_taps;
    int pad[CONV_DIMS], stride[CONV_DIMS], dilation[CONV_DIMS];
    /* Images as kernels have them; `copy_`: in the work area, at `_at`. */
    struct shape x_in, w_in, y_in;
    int copy_x, copy_w, copy_y;
    size_t x_at, w_at, y_at, slices_at, bytes;
    int parts;
    int by_maps; /* by Hopper's kernels, as */
    struct hopper hopper;
    /* The product. */
    long long m, n, depth;
    const struct tile *tile;
    long long tiles;
    int slices;
};

static int over(long long a, long long b)
{
    return (int)((a + b - 1) / b);
}

static long long rounded(long long a, long long to)
{
    return (a + to - 1) / to * to;
}

static int gcd(int a, int b)
{
    return b == 0 ? a : gcd(b, a % b);
}

/* From one tap that reaches a pixel to the next that does, by data. */
static int taps_apart(const struct plan *p, int dim)
{
    return p->stride[dim] / gcd(p->stride[dim], p->dilation[dim]);
}

static void choose_tile(struct plan *p, int groups)
{
    int sms = vendor_device()->sms;
    double least = 0;

    for (size_t i = 0; i < sizeof tiles / sizeof tiles[0]; i++) {
        const struct tile *t = &tiles[i];
        long long blocks =
            (long long)over(p->m, t->m) * over(p->n, t->n) * groups * p->parts;
        long long most = p->depth / SLICE_LEAST;
        double rounds, time;

        if (strcmp(t->kernels, p->kind->kernels) != 0 ||
            t->tensors != p->kind->tensors)
            continue;
        if (blocks < sms && most > 1) {
            rounds = (double)blocks / sms;
            if (rounds < 1.0 / (double)most)
                rounds = 1.0 / (double)most;
        } else {
            rounds = over(blocks, sms);
        }
        time = rounds * t->m * t->n / t->speed;
        if (p->tile == NULL || time < least) {
            p->tile = t;
            least = time;
        }
    }
    p->tiles = (long long)over(p->m, p->tile->m) * over(p->n, p->tile->n);
}

/* In how many slices a sum is added up, so that every SM has its blocks. */
static void choose_slices(struct plan *p, int groups, long long sums)
{
    long long blocks = p->tiles * groups * p->parts;
    long long slices =
        (long long)vendor_device()->sms * p->tile->blocks / blocks;

    if (slices > p->depth / SLICE_LEAST)
        slices = p->depth / SLICE_LEAST;
    if (slices > SLICES_MOST)
        slices = SLICES_MOST;
    if (slices > SLICES_BYTES / (sums * 4))
        slices = SLICES_BYTES / (sums * 4);
    if (slices < 2 || p->kind->type == DNN_DOUBLE)
        slices = 1;
    p->slices = (int)slices;
}

static size_t room_for(struct plan *p, long long bytes)
{
    size_t at = p->bytes;

    p->bytes += (size_t)rounded(bytes, 256);
    return at;
}

/* Whether an operand has to be copied: pieces of channels are moved. */
static int lay_operand(struct shape *in, const struct shape *s, int groups,
                       int piece)
{
    *in =
        by_pixels(s, groups > 1 ? s->size[1] : (int)rounded(s->size[1], piece));
    return !lies_like(in, s);
}

static int is_product(const struct plan *p, const struct convolution *c,
                      int piece)
{
    long long parts = 1;
    int all = 0;

    for (int i = 0; i < CONV_DIMS; i++) {
        all += p->taps[i];
        parts *= p->stride[i];
    }
    if (all > CONV_TAPS || (c->what == CONV_DGRAD && parts > CONV_PARTS))
        return 0;
    if (c->groups > 1 &&
        (p->c % piece != 0 || p->k % piece != 0 || c->has_bias))
        return 0;
    /* Numbers of pixels, and what lies between taps. */
    return pixels_of(&p->x) * p->x.size[0] < INT_MAX / 2 &&
           pixels_of(&p->y) * p->y.size[0] < INT_MAX / 2 &&
           pixels_of(&p->x) * rounded(p->x.size[1], piece) < INT_MAX / 2 &&
           pixels_of(&p->y) * rounded(p->y.size[1], piece) < INT_MAX / 2;
}

/* With the pixels side by side, and channels and images behind each other. */
static int is_by_images(const struct shape *s)
{
    struct shape dense = *s;
    long long stride = 1;

    for (int i = SIDES - 1; i >= 0; i--) {
        dense.stride[i] = stride;
        stride *= s->size[i];
    }
    return lies_like(&dense, s);
}

/* A product for each image: its filters' one tap finds the pixel itself. */
static int is_one_tap(const struct plan *p, const struct convolution *c)
{
    int as_it_is = p->all_taps == 1;

    for (int i = 0; i < CONV_DIMS; i++)
        as_it_is = as_it_is && p->stride[i] == 1 && p->pad[i] == 0;
    return as_it_is && c->what != CONV_WGRAD && c->groups == 1 &&
           !c->has_bias && pixels_of(&p->x) > 1 && is_by_images(&p->x) &&
           is_by_images(&p->y) && is_by_images(&p->w) &&
           p->x.size[0] < GRID_Z_MAX / SLICES_MOST;
}

/* Where the first tap finds something, from a pixel times the stride, and how far
 * on the next: of x; by data, of y for pixels of x one after the other. */
static void place_tap(const struct plan *p, const struct convolution *c,
                      int dim, int *add, int *each)
{
    const int turned = c->mode == DNN_CONVOLUTION && c->what != CONV_DGRAD;
    const int dilation = p->dilation[dim];

    *each = turned ? -dilation : dilation;
    *add = -p->pad[dim] + (turned ? dilation * (p->taps[dim] - 1) : 0);
    if (c->what == CONV_DGRAD) { /* filters are turned by their copy */
        *each = -*each;
        *add = -*add;
    }
}

static int has_mapped_type(const struct plan *p)
{
    return p->kind->element == PRODUCT_F16 || p->kind->element == PRODUCT_BF16;
}

/* Filters of one tap as Hopper's kernels have them. */
static int is_planes(struct plan *p, const struct convolution *c)
{
    const int back = c->what == CONV_DGRAD;

    p->hopper = (struct hopper){
        .type = p->kind->element,
        .images = p->x.size[0],
        .groups = 1,
        .channels = back ? p->k : p->c,
        .filters = back ? p->c : p->k,
        .taps = {1, 1, 1},
        .step = {1, 1, 1},
        .each = {1, 1, 1},
        .point = 1,
        .back = back,
        .turned = 1,
    };
    memcpy(p->hopper.image, p->x.size + 2, sizeof p->hopper.image);
    memcpy(p->hopper.result, p->x.size + 2, sizeof p->hopper.result);
    return has_mapped_type(p) && hopper_takes(&p->hopper);
}

static void plan_images(struct plan *p, const struct convolution *c)
{
    long long sums;

    p->by_images = p->parts = 1;
    p->m = pixels_of(&p->x);
    p->n = c->what == CONV_FPROP ? p->k : p->c;
    p->depth = c->what == CONV_FPROP ? p->c : p->k;
    sums = p->m * p->n * p->x.size[0];
    choose_tile(p, p->x.size[0]);
    choose_slices(p, p->x.size[0], sums);
    if (p->slices > 1)
        p->slices_at = room_for(p, sums * p->slices * 4);
}

/* A product as Hopper's kernels have it: from `in` to `own`, or, if that lies channel
 * by channel, as it does. */
static int is_mapped(struct plan *p, const struct convolution *c,
                     const struct shape *in, const struct shape *own,
                     int copied)
{
    const int back = c->what == CONV_DGRAD;
    const int channels = back ? p->k : p->c;
    struct hopper *h = &p->hopper;

    *h = (struct hopper){
        .type = p->kind->element,
        .images = in->size[0],
        .groups = c->groups,
        .channels = c->groups > 1 ? channels : in->size[1],
        .filters = back ? p->c : p->k,
        .pixel = in->size[1],
        .turned = copied && is_by_images(own),
    };
    for (int i = 0; i < CONV_DIMS; i++) {
        h->image[i] = in->size[2 + i];
        h->result[i] = own->size[2 + i];
        h->taps[i] = p->taps[i];
        h->step[i] = back ? 1 : p->stride[i];
        place_tap(p, c, i, &h->add[i], &h->each[i]);
    }
    return p->parts == 1 && has_mapped_type(p) && hopper_takes(h);
}

static void plan_product(struct plan *p, const struct convolution *c, int piece,
                         int maps)
{
    const int bytes = (int)dnn_bytes(c->x.type);
    const int channels = (int)rounded(p->c, c->groups > 1 ? 1 : piece);
    const int filters = (int)rounded(p->k, c->groups > 1 ? 1 : piece);
    const long long x_pixels = pixels_of(&p->x) * p->x.size[0];
    const long long y_pixels = pixels_of(&p->y) * p->y.size[0];
    long long sums;

    p->parts = 1;
    switch (c->what) {
    case CONV_FPROP:
        p->copy_x = lay_operand(&p->x_in, &p->x, c->groups, piece);
        p->w_in = by_pixels(&p->w, channels);
        p->copy_w = !lies_like(&p->w_in, &p->w);
        p->y_in = by_pixels(&p->y, p->y.size[1]);
        p->copy_y = !lies_like(&p->y_in, &p->y);
        p->m = p->k;
        p->n = y_pixels;
        p->depth = (long long)p->all_taps * channels;
        break;
    case CONV_DGRAD:
        p->copy_y = lay_operand(&p->y_in, &p->y, c->groups, piece);
        p->copy_w = 1; /* other filters */
        p->x_in = by_pixels(&p->x, p->x.size[1]);
        p->copy_x = !lies_like(&p->x_in, &p->x);
        p->m = p->c;
        p->n = p->x.size[0]; /* this and k: of the largest part */
        p->depth = filters;
        for (int i = 0; i < CONV_DIMS; i++) {
            p->parts *= p->stride[i];
            p->n *= over(p->x.size[2 + i], p->stride[i]);
            p->depth *= over(p->taps[i], taps_apart(p, i));
        }
        break;
    case CONV_WGRAD:
        p->copy_x = lay_operand(&p->x_in, &p->x, c->groups, piece);
        p->copy_y = lay_operand(&p->y_in, &p->y, c->groups, piece);
        p->w_in = by_pixels(&p->w, channels);
        p->copy_w = !lies_like(&p->w_in, &p->w);
        p->m = (long long)p->all_taps * channels;
        p->n = p->k;
        p->depth = y_pixels;
        break;
    }
    if (maps && c->what == CONV_FPROP)
        p->by_maps = is_mapped(p, c, &p->x_in, &p->y, p->copy_y);
    else if (maps && c->what == CONV_DGRAD)
        p->by_maps = is_mapped(p, c, &p->y_in, &p->x, p->copy_x);
    if (p->by_maps && p->hopper.turned)
        *(c->what == CONV_FPROP ? &p->copy_y : &p->copy_x) = 0;
    if (p->copy_x)
        p->x_at = room_for(p, elements_of(&p->x_in) * bytes);
    if (p->copy_y)
        p->y_at = room_for(p, elements_of(&p->y_in) * bytes);
    if (p->copy_w)
        p->w_at = room_for(p, (c->what == CONV_DGRAD
                                   ? (long long)p->c * filters * c->groups
                                   : (long long)p->w.size[0] * channels) *
                                  p->all_taps * bytes);
    if (p->by_maps)
        return;
    sums = c->what == CONV_DGRAD ? x_pixels * p->x.size[1]
                                 : p->m * p->n * c->groups;
    choose_tile(p, c->groups);
    choose_slices(p, c->groups, sums);
    if (p->slices > 1)
        p->slices_at = room_for(p, sums * p->slices * 4);
}

/* `maps`: by Hopper's kernels, where they can. */
static void plan_of(struct plan *p, const struct convolution *c, int maps)
{
    int missing = CONV_DIMS - c->dims;
    int piece;

    *p = (struct plan){.kind = kind_of(c),
                       .x = shape_of(&c->x),
                       .w = shape_of(&c->w),
                       .y = shape_of(&c->y),
                       .all_taps = 1,
                       .slices = 1};
    p->c = p->w.size[1];
    p->k = p->w.size[0] / c->groups;
    for (int i = 0; i < CONV_DIMS; i++) {
        p->stride[i] = i < missing ? 1 : c->stride[i - missing];
        p->dilation[i] = i < missing ? 1 : c->dilation[i - missing];
        p->pad[i] = i < missing ? 0 : c->pad[i - missing];
        p->taps[i] = p->w.size[2 + i];
        p->all_taps *= p->taps[i];
    }
    piece = p->kind->tensors ? PIECE / (int)dnn_bytes(c->x.type) : 4;
    p->plain = !is_product(p, c, piece);
    if (p->plain)
        return;
    if (!is_one_tap(p, c)) {
        plan_product(p, c, piece, maps);
    } else if (maps && is_planes(p, c)) {
        p->by_images = p->by_maps = 1;
    } else {
        const struct plan none = *p;

        /* Lines that no map has are better copied than read one by one. */
        if (maps)
            plan_product(p, c, piece, maps);
        if (p->by_maps)
            return;
        *p = none;
        plan_images(p, c);
    }
}

/* ---- checks --------------------------------------------------------------------------- */

static int has_sizes(const struct convolution *c)
{
    if (c->dims < 1 || c->dims > CONV_DIMS || c->groups < 1 ||
        c->x.rank != c->dims + 2 || c->w.rank != c->dims + 2 ||
        c->y.rank != c->dims + 2 || c->x.size[0] != c->y.size[0] ||
        c->x.size[1] != c->w.size[1] * c->groups ||
        c->y.size[1] != c->w.size[0] || c->w.size[0] % c->groups != 0)
        return 0;
    for (int i = 0; i < c->dims; i++) {
        int x = c->x.size[2 + i], w = c->w.size[2 + i];

        /* Pads after the image may be others than those before it. */
        if (c->stride[i] < 1 || c->dilation[i] < 1 || c->pad[i] < 0 || x < 1 ||
            w < 1 || c->y.size[2 + i] < 1)
            return 0;
    }
    for (int i = 0; i < c->dims + 2; i++) {
        if (c->x.size[i] < 1 || c->w.size[i] < 1 || c->y.size[i] < 1)
            return 0;
    }
    return 1;
}

enum dnn_status conv_check(const struct convolution *c)
{
    if (!has_sizes(c))
        return DNN_BAD_PARAM;
    if (c->x.type != c->w.type || c->x.type != c->y.type ||
        kind_of(c) == NULL) {
        runtime_say("",
                    "%s: a convolution of %s with filters of %s into %s is not "
                    "implemented",
                    c->name, dnn_type_name(c->x.type), dnn_type_name(c->w.type),
                    dnn_type_name(c->y.type));
        return DNN_NOT_SUPPORTED_DATA_TYPE;
    }
    return DNN_SUCCESS;
}

enum dnn_status conv_work_bytes(const struct convolution *c, size_t *bytes)
{
    enum dnn_status status = conv_check(c);
    struct plan p;

    *bytes = 0;
    /* Where the data lie decides which. */
    for (int maps = 0; maps < 2 && status == DNN_SUCCESS; maps++) {
        plan_of(&p, c, maps);
        *bytes = p.bytes > *bytes ? p.bytes : *bytes;
    }
    return status;
}

/* ---- copies --------------------------------------------------------------------------- */

static struct conv_view view_of(const struct shape *s, const void *data)
{
    struct conv_view v = {.data = (void *)data};

    memcpy(v.stride, s->stride, sizeof v.stride);
    return v;
}

/* Tiles as wide as what lies side by side, as far as they hold it. */
static void choose_copy_tile(struct conv_copy *c, long long pixels)
{
    long long wide = pixels < 64 ? pixels : 64;
    long long high = CONV_COPY_TILE / (wide | 1); /* the kernel's pitch */

    if (c->c < high) {
        high = c->c;
        if (pixels >= 64)
            wide = CONV_COPY_TILE / high / 32 * 32;
        wide = wide < pixels ? wide : pixels;
    }
    c->tile_channels = divisor_of((int)high);
    c->tile_pixels = divisor_of((int)wide);
    c->across = over(c->c, high);
}

/* Whether whole pieces of a pixel's channels can be written, of what lies channel by
 * channel, pixel by pixel. */
static int is_by_pieces(const struct conv_copy *c, int piece)
{
    const struct conv_view *from = &c->part[0].from, *to = &c->part[0].to;

    return from->stride[4] == 1 && to->stride[1] == 1 && c->c % piece == 0 &&
           to->stride[0] % piece == 0 && to->stride[4] % piece == 0 &&
           (uintptr_t)to->data % PIECE == 0;
}

/* A kernel for one even part, of one group, and its grid; NULL: none. */
static const char *choose_copy(struct conv_copy *c, int bytes,
                               struct vendor_grid *grid)
{
    const int pixels = c->part[0].size[2], piece = PIECE / bytes;

    if (is_by_pieces(c, piece) && pixels >= 64 && c->c <= 2 * piece) {
        grid->x = (unsigned)over(pixels, grid->threads);
        grid->y = (unsigned)(c->c / piece);
        return "few_";
    }
    if (is_by_pieces(c, piece) && pixels > 1 && pixels < 64 &&
        c->part[0].from.stride[1] == pixels) {
        int channels = CONV_COPY_TILE / pixels / piece * piece;

        channels = channels < c->c ? channels : c->c;
        c->tile_channels = divisor_of(channels);
        c->tile_pieces = divisor_of(channels / piece);
        grid->x = (unsigned)over(c->c, channels);
        return "taps_";
    }
    if (c->c >= 32 && pixels >= 64) {
        grid->x = (unsigned)over(pixels, 64);
        grid->y = (unsigned)over(c->c, 64);
        return "image_";
    }
    return NULL;
}

/* `parts` of `c`, `groups` of them. */
static enum dnn_status launch_copy(const struct dnn *d, struct conv_copy *c,
                                   int parts, int groups, size_t bytes)
{
    long long pixels = 0, images = c->n;
    struct vendor_grid grid = {.y = (unsigned)parts, .threads = 256};
    const int *first = c->part[0].size;
    const int is_even = parts == 1 && first[0] == 1 && first[1] == 1;
    const char *how = NULL;
    enum dnn_status status = DNN_SUCCESS;
    char name[NAME_MAX_];

    for (int i = 0; i < parts; i++) {
        const int *size = c->part[i].size;
        long long n = (long long)size[0] * size[1] * size[2];

        pixels = n > pixels ? n : pixels;
        for (int s = 0; s < 2; s++)
            c->part[i].by[s] = divisor_of(size[1 + s] > 0 ? size[1 + s] : 1);
    }
    choose_copy_tile(c, pixels > 0 ? pixels : 1);
    grid.x = (unsigned)(c->across * over(pixels, c->tile_pixels.by));
    if (is_even && groups == 1)
        how = choose_copy(c, (int)bytes, &grid);
    if (how == NULL)
        how = is_even ? "even_" : "";
    snprintf(name, sizeof name, "copy_%s%zu", how, bytes);
    for (long long most = GRID_Z_MAX / groups;
         images > 0 && status == DNN_SUCCESS; images -= c->n) {
        c->n = (int)(images < most ? images : most);
        grid.z = (unsigned)(c->n * groups);
        status = dnn_launch(d, DNN_PLAIN, name, &grid, c);
        for (int i = 0; i < parts; i++) {
            struct conv_copy_part *p = &c->part[i];

            p->from.data = (char *)p->from.data +
                           p->from.stride[0] * c->n * (long long)bytes;
            p->to.data =
                (char *)p->to.data + p->to.stride[0] * c->n * (long long)bytes;
        }
    }
    return status;
}

/* Pixels that follow each other evenly. */
static int has_even_pixels(const struct shape *s)
{
    return (s->size[4] > 1 || pixels_of(s) == 1) &&
           (s->size[3] == 1 || s->stride[3] == s->stride[4] * s->size[4]) &&
           (s->size[2] == 1 ||
            s->stride[2] == (s->size[3] > 1 ? s->stride[3] * s->size[3]
                                            : s->stride[4] * s->size[4]));
}

/* All of `from` into `to`, whose channels are more (zeros) or fewer. */
static enum dnn_status copy_all(const struct dnn *d, const struct shape *from,
                                const void *data, const struct shape *to,
                                void *out, size_t bytes)
{
    struct conv_copy c = {
        .part[0] = {.from = view_of(from, data), .to = view_of(to, out)},
        .n = from->size[0],
        .c = to->size[1],
        .c_from = from->size[1],
        .by_width = from->stride[1] != 1,
    };

    memcpy(c.part[0].size, from->size + 2, sizeof c.part[0].size);
    if (has_even_pixels(from) && has_even_pixels(to)) { /* as one line */
        c.part[0].size[0] = c.part[0].size[1] = 1;
        c.part[0].size[2] = (int)pixels_of(from);
    }
    return launch_copy(d, &c, 1, 1, bytes);
}

/* ---- products ------------------------------------------------------------------------- */

/* What a part needs beside its filters, taps and places. */
static void finish_part(const struct conv_args *v, struct conv_part *part,
                        long long images, const int *grid)
{
    const int *e = part->each;

    part->n = (int)images;
    part->k = v->channels;
    for (int i = 0; i < CONV_DIMS; i++) {
        part->grid[i] = divisor_of(grid[i] > 0 ? grid[i] : 1);
        part->reach[i] = divisor_of(e[i] < 0 ? -e[i] : e[i]);
        part->n *= grid[i];
        part->k *= part->taps[i];
        if (part->taps[i] == 0)
            part->taps[i] = 1;
    }
    part->jump[2] = e[2] * v->pixel - v->channels;
    part->jump[1] = (e[1] * v->image[2] - part->taps[2] * e[2]) * v->pixel;
    part->jump[0] =
        (e[0] * v->image[1] - part->taps[1] * e[1]) * v->image[2] * v->pixel;
}

/* A tap's pixel of x, by the pixel of y. */
static void place_taps(const struct plan *p, const struct convolution *c,
                       struct conv_args *v, struct conv_part *part)
{
    for (int i = 0; i < CONV_DIMS; i++) {
        v->step[i] = p->stride[i];
        part->taps[i] = p->taps[i];
        place_tap(p, c, i, &part->add[i], &part->each[i]);
    }
}

/* Pixels of x that are `phase` modulo the strides: which taps reach them, from
 * which pixels of y, and these taps' filters of `w`. */
static void place_phase(const struct plan *p, const struct convolution *c,
                        const int *phase, struct conv_part *part,
                        struct conv_copy_part *filters, int *grid)
{
    for (int i = 0; i < CONV_DIMS; i++) {
        int stride = p->stride[i], dilation = p->dilation[i];
        int apart = taps_apart(p, i), first = 0, count;
        long long w = p->w.stride[2 + i];

        while (first < apart &&
               (phase[i] + p->pad[i] - first * dilation) % stride != 0)
            first++;
        count = first == apart ? 0 : over(p->taps[i] - first, apart);
        part->taps[i] = count > 0 ? count : 0;
        part->add[i] = (phase[i] + p->pad[i] - first * dilation) / stride;
        part->each[i] = -(apart * dilation / stride);
        part->first[i] = phase[i];
        grid[i] = over(p->x.size[2 + i] - phase[i], stride);
        if (p->x.size[2 + i] <= phase[i])
            grid[i] = 0;
        if (c->mode == DNN_CONVOLUTION) {
            first = p->taps[i] - 1 - first;
            apart = -apart;
        }
        filters->from.data = (char *)filters->from.data +
                             first * w * (long long)dnn_bytes(c->w.type);
        filters->from.stride[2 + i] = apart * w;
        filters->size[i] = part->taps[i];
    }
}

/* Parts of a result by data, and the copy of the filters that they take:
 * group, channel, taps of the part, filter. */
static int make_parts(const struct plan *p, const struct convolution *c,
                      struct conv_args *v, struct conv_copy *copy,
                      const void *w, void *work)
{
    const long long bytes = (long long)dnn_bytes(c->w.type);
    int count = 0, phase[CONV_DIMS], grid[CONV_DIMS];
    char *to = work;

    for (phase[0] = 0; phase[0] < p->stride[0]; phase[0]++)
        for (phase[1] = 0; phase[1] < p->stride[1]; phase[1]++)
            for (phase[2] = 0; phase[2] < p->stride[2]; phase[2]++) {
                struct conv_part *part = &v->part[count];
                struct conv_copy_part *f = &copy->part[count];
                long long k;

                f->from = view_of(&p->w, w);
                f->from.stride[0] = p->w.stride[1];
                f->from.stride[1] = p->w.stride[0];
                place_phase(p, c, phase, part, f, grid);
                finish_part(v, part, p->x.size[0], grid);
                k = part->k;
                part->filters = to;
                part->ld = k;
                part->group = k * p->c;
                f->from_group = p->w.stride[0] * p->k;
                f->to_group = part->group;
                f->to = (struct conv_view){
                    .data = to,
                    .stride = {
                        k, 1, (long long)f->size[1] * f->size[2] * v->channels,
                        (long long)f->size[2] * v->channels, v->channels}};
                to += part->group * c->groups * bytes;
                count++;
            }
    return count;
}

/* Where there is one part, all filters are turned as a matrix is, or one for each
 * tap: what lies side by side is read so. */
static void turn_whole(const struct plan *p, const struct conv_args *v,
                       struct conv_copy *copy)
{
    struct conv_copy_part *f = &copy->part[0];
    const long long taps = p->all_taps, k = v->channels;
    const long long *w = p->w.stride;
    const int by_channel = w[1] == 1 && taps > 1;
    int size = p->c;

    if (!has_even_pixels(&p->w) ||
        (!by_channel && (w[1] != taps || (taps > 1 && w[4] != 1))))
        return;
    f->from.stride[4] = 1;
    if (by_channel) {
        copy->n = (int)taps;
        f->from.stride[0] = w[4];
        f->to.stride[0] = k;
        f->to.stride[4] = taps * k;
    } else {
        copy->n = 1;
        size *= (int)taps;
        f->to.stride[4] = k;
    }
    f->size[0] = f->size[1] = 1;
    f->size[2] = size;
    copy->by_width = 1;
}

static enum dnn_status launch_slices(const struct dnn *d, struct conv_args *v,
                                     const void *slices, int groups)
{
    struct product_args *g = &v->g;
    const struct vendor_grid grid = {
        .x = (unsigned)over(g->m, ROWS_OF_SLICES),
        .y = (unsigned)(g->n < GRID_Z_MAX ? g->n : GRID_Z_MAX),
        .z = (unsigned)groups,
        .threads = ROWS_OF_SLICES / 4,
    };

    g->a = slices;
    return dnn_launch(d, DNN_CONV, "add_slices", &grid, v);
}

/* `count` products: groups or images. */
static enum dnn_status launch_product(const struct dnn *d, const struct plan *p,
                                      const char *what, int count,
                                      struct conv_args *v, void *work)
{
    void *slices = p->slices > 1 ? (char *)work + p->slices_at : NULL;
    const struct tile *t = p->tile;
    struct conv_args part = *v;
    struct vendor_grid grid = {
        .x = (unsigned)p->tiles,
        .y = (unsigned)p->parts,
        .z = (unsigned)(count * p->slices),
        .threads = (unsigned)t->threads,
        .shared = p->kind->tensors
                      ? (unsigned)((vendor_device()->generation >= 80 ? 3 : 2) *
                                   64 * (t->m + t->n))
                      : 0,
    };
    char name[NAME_MAX_];
    enum dnn_status status;

    snprintf(name, sizeof name, "%s%s_%dx%d", p->kind->kernels, what, t->m,
             t->n);
    if (p->slices == 1)
        return dnn_launch(d, DNN_CONV, name, &grid, v);
    /* Every slice a whole number of the kernel's steps in k. */
    v->g.slices = part.g.slices = p->slices;
    part.g.slice = over(over(p->depth, p->slices), 64) * 64;
    part.g.c = part.g.d = slices;
    part.g.ldc = part.g.ldd = v->g.m;
    part.g.stride_c = 0;
    part.g.stride_d = (long long)v->g.m * v->g.n;
    part.g.alpha = (struct product_scale){.value.f = 1};
    part.g.beta = (struct product_scale){.value.f = 0};
    part.g.out = PRODUCT_F32;
    part.g.finish = 0;
    status = dnn_launch(d, DNN_CONV, name, &grid, &part);
    return status == DNN_SUCCESS ? launch_slices(d, v, slices, count) : status;
}

static struct product_scale scale_of(const struct convolution *c, double value)
{
    struct product_scale s = {0};

    if (c->x.type == DNN_DOUBLE)
        s.value.d = value;
    else
        s.value.f = (float)value;
    return s;
}

/* What a convolution reads and writes, as its kernels have it. */
struct sides {
    const void *x, *w, *y;
    void *out;     /* the result: one of these */
    const void *z; /* that beta is the scale of */
};

/* The result's own, and whether it is copied. */
static int result_of(const struct plan *p, const struct convolution *c,
                     const struct conv_data *data, const struct shape **own,
                     const struct shape **in, const void **at)
{
    switch (c->what) {
    case CONV_FPROP:
        *own = &p->y, *in = &p->y_in, *at = data->y;
        return p->copy_y;
    case CONV_DGRAD:
        *own = &p->x, *in = &p->x_in, *at = data->x;
        return p->copy_x;
    default:
        *own = &p->w, *in = &p->w_in, *at = data->w;
        return p->copy_w;
    }
}

/* Copies operands, and the result if it is added to. */
static enum dnn_status copy_in(const struct dnn *d, const struct plan *p,
                               const struct convolution *c,
                               const struct conv_data *data, struct sides *s)
{
    const size_t bytes = dnn_bytes(c->x.type);
    char *work = data->work;
    const struct shape *own, *in;
    const void *at;
    int copied = result_of(p, c, data, &own, &in, &at);
    enum dnn_status status = DNN_SUCCESS;

    *s = (struct sides){data->x, data->w, data->y, (void *)at,
                        data->z != NULL ? data->z : at};
    if (p->copy_x)
        s->x = work + p->x_at;
    if (p->copy_y)
        s->y = work + p->y_at;
    if (p->copy_w)
        s->w = work + p->w_at;
    if (p->copy_x && c->what != CONV_DGRAD)
        status = copy_all(d, &p->x, data->x, &p->x_in, (void *)s->x, bytes);
    if (p->copy_y && c->what != CONV_FPROP && status == DNN_SUCCESS)
        status = copy_all(d, &p->y, data->y, &p->y_in, (void *)s->y, bytes);
    if (p->copy_w && c->what == CONV_FPROP && status == DNN_SUCCESS)
        status = copy_all(d, &p->w, data->w, &p->w_in, (void *)s->w, bytes);
    if (!copied)
        return status;
    s->out = (void *)(c->what == CONV_FPROP   ? s->y
                      : c->what == CONV_DGRAD ? s->x
                                              : s->w);
    if (c->beta != 0 && status == DNN_SUCCESS)
        status = copy_all(d, own, s->z, in, s->out, bytes);
    s->z = s->out;
    return status;
}

static struct product_args product_of(const struct plan *p,
                                      const struct convolution *c)
{
    return (struct product_args){
        .alpha = scale_of(c, c->alpha),
        .beta = scale_of(c, c->beta),
        .m = (int)p->m,
        .n = (int)p->n,
        .k = (int)p->depth,
        .slice = INT_MAX,
        .slices = 1,
        .out = p->kind->element,
        .bias_type = p->kind->element,
        .finish =
            (c->has_bias ? PRODUCT_BIAS : 0) | (c->relu ? PRODUCT_RELU : 0),
    };
}

static enum dnn_status by_images(const struct dnn *d, const struct plan *p,
                                 const struct convolution *c,
                                 const struct conv_data *data)
{
    const int is_back = c->what == CONV_DGRAD;
    const void *out = is_back ? data->x : data->y;
    struct conv_args v = {.g = product_of(p, c)};

    v.g.a = is_back ? data->y : data->x;
    v.g.b = data->w;
    v.g.c = data->z != NULL ? data->z : out;
    v.g.d = (void *)out;
    v.g.lda = v.g.ldc = v.g.ldd = p->m;
    v.g.ldb = p->c;
    v.g.stride_a = p->m * p->depth;
    v.g.stride_c = v.g.stride_d = p->m * p->n;
    if (p->by_maps)
        return hopper_launch(d, &p->hopper, v.g.a, v.g.b, &v.g);
    return launch_product(d, p, is_back ? "point_back" : "point", p->x.size[0],
                          &v, data->work);
}

static enum dnn_status by_product(const struct dnn *d, const struct plan *p,
                                  const struct convolution *c,
                                  const struct conv_data *data)
{
    const size_t bytes = dnn_bytes(c->x.type);
    const struct shape *own, *in;
    const void *at;
    const int copied = result_of(p, c, data, &own, &in, &at);
    char *work = data->work;
    struct conv_args v = {0};
    struct conv_copy filters = {0};
    struct sides s;
    enum dnn_status status = copy_in(d, p, c, data, &s);
    const struct shape *image = c->what == CONV_DGRAD ? &p->y_in : &p->x_in;
    int groups = c->groups;

    if (status != DNN_SUCCESS)
        return status;
    memcpy(v.image, image->size + 2, sizeof v.image);
    v.pixel = image->size[1];
    v.channels = groups > 1 ? (c->what == CONV_DGRAD ? p->k : p->c) : v.pixel;
    v.g = product_of(p, c);
    v.g.c = s.z;
    v.g.d = s.out;
    v.g.bias = data->bias;
    switch (c->what) {
    case CONV_FPROP:
        v.g.b = s.x;
        v.g.stride_b = p->c;
        v.g.ldd = p->y_in.size[1];
        v.g.stride_d = p->k;
        place_taps(p, c, &v, &v.part[0]);
        v.part[0].filters = s.w;
        v.part[0].ld = p->depth;
        v.part[0].group = p->depth * p->k;
        finish_part(&v, &v.part[0], p->y.size[0], p->y.size + 2);
        break;
    case CONV_DGRAD:
        v.g.b = s.y;
        v.g.stride_b = p->k;
        v.g.ldd = p->x_in.size[1];
        v.g.stride_d = p->c;
        v.g.n = (int)(pixels_of(&p->x) * p->x.size[0]);
        for (int i = 0; i < CONV_DIMS; i++) {
            v.step[i] = 1;
            v.apart[i] = p->stride[i];
            v.result[i] = p->x.size[2 + i];
        }
        filters = (struct conv_copy){
            .n = p->c,
            .c = v.channels,
            .c_from = p->k,
            .by_width = p->w.stride[0] != 1,
        };
        v.parts = make_parts(p, c, &v, &filters, data->w, work + p->w_at);
        if (v.parts == 1 && c->mode == DNN_CROSS_CORRELATION)
            turn_whole(p, &v, &filters);
        status = launch_copy(d, &filters, v.parts, groups, bytes);
        if (v.parts == 1)
            v.parts = 0;
        break;
    case CONV_WGRAD:
        v.g.a = s.x;
        v.g.b = s.y;
        v.g.stride_a = p->c;
        v.g.stride_b = p->k;
        v.g.ldb = p->y_in.size[1];
        v.g.ldd = p->m;
        v.g.stride_d = p->m * p->k;
        place_taps(p, c, &v, &v.part[0]);
        finish_part(&v, &v.part[0], p->y.size[0], p->y.size + 2);
        break;
    }
    v.g.ldc = v.g.ldd;
    v.g.stride_c = v.g.stride_d;
    if (status == DNN_SUCCESS && p->by_maps)
        status = hopper_launch(d, &p->hopper, v.g.b, v.part[0].filters, &v.g);
    else if (status == DNN_SUCCESS)
        status = launch_product(d, p, c->what == CONV_WGRAD ? "wgrad" : "conv",
                                groups, &v, work);
    if (copied && status == DNN_SUCCESS)
        status = copy_all(d, in, s.out, own, (void *)at, bytes);
    return status;
}

/* ---- by the definition ------------------------------------------------------------------ */

static enum dnn_status by_definition(const struct dnn *d, const struct plan *p,
                                     const struct convolution *c,
                                     const struct conv_data *data)
{
    static const char *const whats[] = {"fprop", "dgrad", "wgrad"};
    static const struct {
        int type;
        const char *kernels;
    } of[] = {{DNN_FLOAT, "s"},
              {DNN_DOUBLE, "d"},
              {DNN_HALF, "h"},
              {DNN_BFLOAT16, "b"}};
    const size_t bytes = dnn_bytes(c->x.type);
    struct conv_plain args = {
        .x = view_of(&p->x, data->x),
        .w = view_of(&p->w, data->w),
        .y = view_of(&p->y, data->y),
        .n = p->x.size[0],
        .c = p->c,
        .k = p->k,
        .groups = c->groups,
        .alpha = c->alpha,
        .beta = c->beta,
        .bias = c->has_bias ? data->bias : NULL,
        .relu = c->relu,
    };
    struct vendor_grid grid = {.y = 1, .z = 1, .threads = 256};
    const struct shape *own, *in;
    enum dnn_status status = DNN_SUCCESS;
    char name[NAME_MAX_];
    const void *at;

    result_of(p, c, data, &own, &in, &at);
    if (elements_of(own) > INT_MAX) {
        runtime_say("",
                    "%s: a result of more than 2^31 elements is not "
                    "implemented for these channels and filters",
                    c->name);
        return DNN_NOT_SUPPORTED_SHAPE;
    }
    for (int i = 0; i < CONV_DIMS; i++) {
        args.x_size[i] = p->x.size[2 + i];
        args.w_size[i] = p->w.size[2 + i];
        args.y_size[i] = p->y.size[2 + i];
        args.stride[i] = p->stride[i];
        args.pad[i] = p->pad[i];
        args.dilation[i] = p->dilation[i];
    }
    for (int i = 0; i < SIDES; i++)
        args.by[i] = divisor_of(own->size[i]);
    if (c->mode == DNN_CONVOLUTION)
        for (int i = 0; i < CONV_DIMS; i++) {
            long long to_last = args.w.stride[2 + i] * (p->taps[i] - 1);

            args.w.data = (char *)args.w.data + to_last * (long long)bytes;
            args.w.stride[2 + i] = -args.w.stride[2 + i];
        }
    if (data->z != NULL && data->z != at && c->beta != 0)
        status = copy_all(d, own, data->z, own, (void *)at, bytes);
    if (c->what == CONV_WGRAD) {
        grid.x = (unsigned)p->w.size[0];
        grid.y = (unsigned)p->c;
        grid.z = (unsigned)p->all_taps;
    } else {
        grid.x = (unsigned)over(elements_of(own), grid.threads);
    }
    for (size_t i = 0; i < sizeof of / sizeof of[0]; i++) {
        if (of[i].type == c->x.type)
            snprintf(name, sizeof name, "%s%s_plain", of[i].kernels,
                     whats[c->what]);
    }
    return status == DNN_SUCCESS ? dnn_launch(d, DNN_PLAIN, name, &grid, &args)
                                 : status;
}

/* Pieces that are moved at once begin at a multiple of their bytes. */
static int is_aligned(const struct plan *p, const struct conv_data *data)
{
    return (p->copy_x || (uintptr_t)data->x % PIECE == 0) &&
           (p->copy_y || (uintptr_t)data->y % PIECE == 0) &&
           (p->copy_w || (uintptr_t)data->w % PIECE == 0);
}

enum dnn_status conv_launch(const struct dnn *d, const struct convolution *c,
                            const struct conv_data *data)
{
    enum dnn_status status = conv_check(c);
    struct plan p;

    if (status != DNN_SUCCESS)
        return status;
    plan_of(&p, c, 1);
    if (p.by_maps && !is_aligned(&p, data))
        plan_of(&p, c, 0);
    if (p.bytes > 0 && (data->work == NULL || data->work_bytes < p.bytes))
        return DNN_BAD_PARAM_SIZE_INSUFFICIENT;
    if (p.by_images)
        return by_images(d, &p, c, data);
    return p.plain || !is_aligned(&p, data) ? by_definition(d, &p, c, data)
                                            : by_product(d, &p, c, data);
}
