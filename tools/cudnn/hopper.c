#include "tools/cudnn/hopper.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "tools/vendor/map.h"

enum {
    GENERATION = 90, /* sm_90a's code runs on no other */
    PIXELS = CONV_MAPPED_PIXELS,
    STEP = 64,       /* of k */
    SLICES_MOST = 8, /* blocks of a cluster */
    BESIDE = 2,      /* blocks of an SM, at most */
    GPCS = 8,        /* groups of SMs, of which a cluster has one */
    CLUSTER = 1800,  /* cycles that its barriers take */
    OF_CLUSTER = 20, /* bytes a cycle that a block gets of the others' */
    CHUNK_LEAST = 8,
    THREADS = 288,
    LINE_BYTES = STEP * 2,
    GRID_Z_MAX = 65535,
    ELEMENT = 2,          /* bytes */
    PIECE = 16 / ELEMENT, /* that lines of a map are a multiple of */
    STRIDE_MOST = 8,
    NAME_MAX_ = 64,
};

/* Tiles by their filters: how many can be on their way, and what one takes in
 * cycles, of which loads are more than products (measured by `teg run -g h200`): a
 * step in k, and its beginning and end. */
static const struct tile {
    int filters, stages, step, around;
} tiles[] = {
    {256, 4, 1200, 6500},
    {128, 6, 700, 5000},
    {64, 8, 500, 4200},
};

static long long over(long long a, long long b)
{
    return (a + b - 1) / b;
}

static int reaches_back(const struct hopper *h, int i)
{
    return h->each[i] < 0 ? (h->taps[i] - 1) * -h->each[i] : 0;
}

/* Where the first pixel's first tap in the image's order is. */
static int lower_of(const struct hopper *h, int i)
{
    return h->add[i] - reaches_back(h, i);
}

/* How far behind the image's last element the last pixel's is. */
static int upper_of(const struct hopper *h, int i)
{
    return lower_of(h, i) + (h->result[i] - 1) * h->step[i] + 1 - h->image[i];
}

/* Dimensions of space that are more than one pixel. */
static int dims_of(const struct hopper *h)
{
    int i = 0;

    while (i < CONV_DIMS - 1 && h->image[i] == 1 && h->result[i] == 1 &&
           h->taps[i] == 1 && lower_of(h, i) == 0)
        i++;
    return CONV_DIMS - i;
}

/* What a map by im2col has bits for: fewer the more dimensions there are. */
static int has_corners(const struct hopper *h)
{
    static const int corners[] = {1 << 15, 1 << 7, 1 << 4};
    static const int offsets[] = {1 << 16, 1 << 8, 1 << 5};
    const int dims = dims_of(h);

    for (int i = CONV_DIMS - dims; i < CONV_DIMS; i++) {
        const int each = h->each[i] < 0 ? -h->each[i] : h->each[i];
        const int most = corners[dims - 1];
        const int lower = lower_of(h, i), upper = upper_of(h, i);

        if (lower < -most || lower >= most || upper < -most || upper >= most ||
            (h->taps[i] - 1) * each >= offsets[dims - 1] ||
            h->step[i] > STRIDE_MOST)
            return 0;
    }
    return 1;
}

static long long pixels_of(const int *size)
{
    return (long long)size[0] * size[1] * size[2];
}

static int taps_of(const struct hopper *h)
{
    return h->taps[0] * h->taps[1] * h->taps[2];
}

static int steps_of(const struct hopper *h)
{
    const long long chunks = over(h->channels, h->chunk);

    return (int)over(chunks * taps_of(h), STEP / h->chunk);
}

/* Images and groups that are products of their own. */
static int batch_of(const struct hopper *h)
{
    return h->turned ? h->images * h->groups : h->groups;
}

/* Blocks that tiles make without slices. */
static long long tiles_of(const struct hopper *h, int filters)
{
    const long long pixels = pixels_of(h->result);

    return over(h->filters, filters) *
           over(h->turned ? pixels : pixels * h->images, PIXELS);
}

/* How a convolution is cut: `beside`, blocks an SM has side by side, each of which
 * has its part of the tiles on their way. */
struct cut {
    const struct tile *tile;
    int slices, beside;
};

/* Cycles until the busiest SM is done: its blocks, of so many slices.  Those beside
 * hide a block's beginning and end, but fewer of its tiles are on their way. */
static double cycles_of(const struct hopper *h, const struct cut *cut)
{
    const struct tile *t = cut->tile;
    const long long blocks = tiles_of(h, t->filters) * batch_of(h);
    const int sms = vendor_device()->sms, slices = cut->slices;
    const double steps = (double)over(steps_of(h), slices) * t->step;
    const double sums = (double)t->filters * PIXELS * (double)sizeof(float);

    if (cut->beside > 1)
        return (double)over(blocks, sms) * (steps * 1.2 + t->around / 2.0);
    if (slices == 1)
        return (double)over(blocks, sms) * (steps + t->around);
    return (double)over(blocks, GPCS * (sms / GPCS / slices)) *
           (steps + t->around + CLUSTER +
            sums * (slices - 1) / slices / OF_CLUSTER);
}

/* No slice is empty, a cluster finds room, and blocks are beside each other when all
 * SMs have one, and registers for two. */
static int is_possible(const struct hopper *h, const struct cut *cut)
{
    const int steps = steps_of(h), filters = cut->tile->filters;

    return over(steps, over(steps, cut->slices)) == cut->slices &&
           (cut->slices == 1 || cut->slices <= vendor_device()->sms / GPCS) &&
           (cut->beside == 1 ||
            (cut->slices == 1 && filters <= 128 &&
             tiles_of(h, filters) * batch_of(h) > vendor_device()->sms));
}

static void choose_cut(struct hopper *h)
{
    const int count = sizeof tiles / sizeof tiles[0];
    double least = 0;

    for (int i = 0; i < count * SLICES_MOST * BESIDE; i++) {
        const struct cut cut = {
            .tile = &tiles[i / (SLICES_MOST * BESIDE)],
            .slices = 1 + i / BESIDE % SLICES_MOST,
            .beside = 1 + i % BESIDE,
        };
        double cycles;

        if (!is_possible(h, &cut))
            continue;
        cycles = cycles_of(h, &cut);
        if (least == 0 || cycles < least) {
            h->filters_of_tile = cut.tile->filters;
            h->stages = cut.tile->stages / cut.beside;
            h->slices = cut.slices;
            least = cycles;
        }
    }
}

int hopper_takes(struct hopper *h)
{
    /* Whole chunks of a group: what lies behind is another's. */
    const int whole = h->groups > 1 ? STEP : 1;
    const int lines = h->back ? h->filters : h->channels;

    if (vendor_device()->generation != GENERATION ||
        h->channels < CHUNK_LEAST || h->channels % whole != 0 ||
        (h->point ? pixels_of(h->image) % PIECE != 0 || lines % PIECE != 0
                  : !has_corners(h)) ||
        (long long)batch_of(h) * SLICES_MOST > GRID_Z_MAX)
        return 0;
    h->chunk = STEP;
    while (!h->point && h->channels % h->chunk != 0)
        h->chunk /= 2;
    choose_cut(h);
    return 1;
}

/* ---- maps ----------------------------------------------------------------------- */

static int map_images(struct product_map *map, const struct hopper *h,
                      const void *data)
{
    const int dims = dims_of(h);
    struct vendor_tensor t = {.type = h->type,
                              .rank = 2 + dims,
                              .data = data,
                              .size[0] = (uint64_t)h->pixel,
                              .box[0] = (unsigned)h->chunk};
    uint64_t bytes = (uint64_t)h->pixel * ELEMENT;
    int lower[CONV_DIMS], upper[CONV_DIMS], step[CONV_DIMS];

    for (int i = 0; i < dims; i++) {
        const int dim = CONV_DIMS - 1 - i;

        t.size[1 + i] = (uint64_t)h->image[dim];
        t.stride[i] = bytes;
        bytes *= t.size[1 + i];
        lower[i] = lower_of(h, dim);
        upper[i] = upper_of(h, dim);
        step[i] = h->step[dim];
    }
    t.size[1 + dims] = (uint64_t)h->images;
    t.stride[dims] = bytes;
    return vendor_map_pixels(map, &t, PIXELS, lower, upper, step);
}

/* Pixels of channels of images. */
static int map_planes(struct product_map *map, const struct hopper *h,
                      const void *data)
{
    const uint64_t pixels = (uint64_t)pixels_of(h->image);
    const struct vendor_tensor t = {
        .type = h->type,
        .rank = 3,
        .data = data,
        .size = {pixels, (uint64_t)h->channels, (uint64_t)h->images},
        .stride = {pixels * ELEMENT, pixels * ELEMENT * (uint64_t)h->channels},
        .box = {STEP, STEP, 1},
    };

    return vendor_map_boxes(map, &t);
}

/* Channels of taps of filters. */
static int map_filters(struct product_map *map, const struct hopper *h,
                       const void *data)
{
    const uint64_t channels = (uint64_t)h->channels,
                   taps = (uint64_t)taps_of(h);
    const struct vendor_tensor t = {
        .type = h->type,
        .rank = 3,
        .data = data,
        .size = {channels, taps, (uint64_t)h->filters * (uint64_t)h->groups},
        .stride = {channels * ELEMENT, channels * taps * ELEMENT},
        .box = {(unsigned)h->chunk, 1, (unsigned)h->filters_of_tile},
    };

    return vendor_map_boxes(map, &t);
}

/* Of one tap, a matrix: channels of filters or, `back`, filters of channels. */
static int map_matrix(struct product_map *map, const struct hopper *h,
                      const void *data)
{
    const uint64_t channels = (uint64_t)h->channels,
                   filters = (uint64_t)h->filters;
    const uint64_t line = (h->back ? filters : channels) * ELEMENT;
    const struct vendor_tensor t = {
        .type = h->type,
        .rank = 3,
        .data = data,
        .size = {h->back ? filters : channels, h->back ? channels : filters, 1},
        .stride = {line, line},
        .box = {STEP, h->back ? STEP : (unsigned)h->filters_of_tile, 1},
    };

    return vendor_map_boxes(map, &t);
}

/* ---- the launch ----------------------------------------------------------------- */

static void place_taps(const struct hopper *h, struct conv_mapped *v)
{
    for (int i = 0; i < CONV_DIMS; i++) {
        v->grid[i] = divisor_of(h->result[i]);
        v->taps[i] = h->taps[i];
        v->step[i] = h->step[i];
        v->add[i] = lower_of(h, i);
        v->base[i] = reaches_back(h, i);
        v->each[i] = h->each[i];
    }
}

static struct product_args product_of(const struct hopper *h,
                                      const struct product_args *from)
{
    const long long pixels = pixels_of(h->result);
    struct product_args g = *from;

    g.slices = h->slices;
    g.slice = (int)over(steps_of(h), h->slices) * STEP;
    g.k = steps_of(h) * STEP;
    if (h->turned) {
        g.m = (int)pixels;
        g.n = h->filters;
        g.ldd = pixels;
        g.stride_d = pixels * h->filters;
    } else {
        g.m = h->filters;
        g.n = (int)(pixels * h->images);
        g.ldd = (long long)h->filters * h->groups;
        g.stride_d = h->filters;
    }
    g.ldc = g.ldd;
    g.stride_c = g.stride_d;
    return g;
}

enum dnn_status hopper_launch(const struct dnn *d, const struct hopper *h,
                              const void *image, const void *filters,
                              const struct product_args *g)
{
    const char *kind = h->type == PRODUCT_F16 ? "h" : "b";
    struct conv_mapped v = {
        .g = product_of(h, g),
        .turned = h->turned,
        .stages = h->stages,
        .rank = 2 + dims_of(h),
        .groups = h->groups,
        .channels = h->channels,
        .count = h->filters,
        .chunks = (int)over(h->channels, h->chunk),
        .outside = h->pixel,
    };
    struct vendor_grid grid = {
        .x = (unsigned)tiles_of(h, h->filters_of_tile),
        .y = 1,
        .z = (unsigned)(batch_of(h) * h->slices),
        .threads = THREADS,
        .cluster = (unsigned)h->slices,
        .shared =
            (unsigned)(h->stages * LINE_BYTES * (h->filters_of_tile + PIXELS) +
                       PRODUCT_MAPPED_SHARED),
    };
    char name[NAME_MAX_];

    place_taps(h, &v);
    if (!(h->point ? map_matrix : map_filters)(&v.filters, h, filters) ||
        !(h->point ? map_planes : map_images)(&v.image, h, image))
        return DNN_INTERNAL_ERROR;
    if (h->point)
        snprintf(name, sizeof name, "%spoint%s_wgmma_%dx%d", kind,
                 h->back ? "_back" : "", h->filters_of_tile, PIXELS);
    else
        snprintf(name, sizeof name, "%sconv_wgmma_%dx%d_%d", kind,
                 h->filters_of_tile, PIXELS, h->chunk);
    return dnn_launch(d, DNN_HOPPER, name, &grid, &v);
}
