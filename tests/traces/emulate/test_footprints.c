/*
 * What a trace has of fetches from textures and accesses to surfaces: the
 * texels that the programming guide says they read, where they lie.
 */
#include "tests/traces/emulate/pictures.h"

enum {
    WARPS = THREADS / TEG_LANES,
    PER_BLOCK = 2, /* warps */
    CORNERS = TEG_TEXELS_MAX,
};

#define NOTHING UINT64_MAX

/* The values of each thread of the first access of `space`. */
struct footprint {
    uint64_t value[THREADS][TEG_VALUES_MAX];
};

static void read_block(struct footprint *f, struct teg_launch *launch,
                       struct teg_block *block, uint32_t number, int stores)
{
    for (uint32_t w = 0; w < teg_block_warps(block); w++) {
        struct teg_cursor c;
        struct teg_access a;
        uint32_t seen = 0;

        teg_cursor_init(&c, block, w);
        while (teg_cursor_next(&c)) {
            const struct teg_inst *inst = &launch->kernel->program.inst[c.inst];

            if (inst->values != VALUES_TEXELS || c.mask == 0 ||
                !(inst->flags & INST_STORE) != !stores || seen++ != 0)
                continue;
            ck_assert_uint_eq(inst->space, SPACE_TEXTURE);
            for (uint32_t v = 0; teg_cursor_value(&c, &a); v++) {
                for (uint32_t l = 0; l < TEG_LANES; l++)
                    f->value[(number * PER_BLOCK + w) * TEG_LANES + l][v] =
                        teg_access_lane(&a, l);
            }
        }
        ck_assert_uint_ge(seen, 1);
    }
}

static void trace(struct setting *s, struct footprint *f, int stores)
{
    struct help_kernel *k = &s->k;
    struct teg_launch launch;
    struct teg_block *block;

    k->facts.from = 0;
    ck_assert(emu_launch(&k->cubin, k->code, k->device, &k->facts, &launch,
                         &k->d) == TEG_OK);
    for (uint32_t b = 0; b < WARPS / PER_BLOCK; b++) {
        ck_assert_msg(launch.next(launch.self, &block, &k->d) == TEG_OK,
                      "%s: %s", k->d.where, k->d.what);
        ck_assert_ptr_nonnull(block);
        read_block(f, &launch, block, b, stores);
        teg_block_free(block);
    }
    launch.close(launch.self);
}

/* Where a texel lies: as a program has it, or, of an array, in GOBs of 64 bytes
 * by 8 rows, of which one block holds all rows and planes here. */
static uint64_t place(const struct emu_texture *t, const int at[3], int layer)
{
    uint64_t bytes = t->channels * (t->bits / 8u);
    uint64_t x = (uint64_t)at[0] * bytes, y = (uint64_t)at[1], gob;

    if (!t->tiling.is_tiled)
        return t->address + x + y * t->pitch +
               (uint64_t)(at[2] + layer) * t->slice;
    gob = x / 64 * (t->dimensions == 3 ? 8 : 1) + (uint64_t)at[2];
    return t->address + (uint64_t)layer * t->tiling.layer + 512 * gob +
           256 * (x / 32 % 2) + 64 * (y / 2) + 32 * (x / 16 % 2) +
           16 * (y % 2) + x % 16;
}

/* What a thread touches: those of the corners from `low` on that are no
 * border. */
static unsigned corners(const struct emu_texture *t, const double low[3],
                        int is_linear, int layer, uint64_t out[CORNERS])
{
    unsigned n = 0;

    for (int c = 0; c < 1 << (is_linear ? t->dimensions : 0); c++) {
        int at[3] = {0}, outside = 0;

        for (int a = 0; a < t->dimensions; a++) {
            at[a] = find(t, a, low[a] + (c >> a & 1));
            outside |= at[a] < 0;
        }
        if (!outside)
            out[n++] = place(t, at, layer);
    }
    return n;
}

static int by_number(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

static void expect_texels(const struct emu_texture *t,
                          const uint64_t value[TEG_VALUES_MAX], int is_filtered,
                          const uint64_t *want, unsigned count)
{
    uint64_t found[CORNERS], sorted[CORNERS];

    ck_assert_uint_eq(value[0],
                      t->channels * t->bits / 8u + (is_filtered ? 256 : 0));
    memcpy(found, &value[1], sizeof found);
    memset(sorted, 0xff, sizeof sorted);
    memcpy(sorted, want, count * sizeof *want);
    qsort(found, CORNERS, sizeof *found, by_number);
    qsort(sorted, CORNERS, sizeof *sorted, by_number);
    ck_assert_mem_eq(found, sorted, sizeof found);
}

static void low_of(const struct emu_texture *t, const float at[3],
                   int is_linear, double low[3])
{
    for (int a = 0; a < t->dimensions; a++)
        low[a] = floor((double)at[a] * (t->is_relative ? t->size[a] : 1) -
                       (is_linear ? 0.5 : 0));
}

static const struct kind {
    const char *kernel;
    uint8_t dimensions, layers, channels;
} kinds[] = {
    {"line", 1, 1, 1},
    {"line_layers", 1, LAYERS, 1},
    {"picture", 2, 1, 1},
    {"picture4", 2, 1, 4},
    {"picture_layers", 2, LAYERS, 1},
    {"space", 3, 1, 1},
};

enum {
    KINDS = sizeof kinds / sizeof kinds[0],
    WAYS = 8, /* border or repeated; filter; array */
};

START_TEST(fetches_touch_what_they_weigh)
{
    const struct kind *kind = &kinds[_i / WAYS];
    static struct footprint f;
    struct setting s;
    struct picture p;

    open_setting(&s, 80, kind->kernel);
    fill_picture(&s, &p, kind->dimensions, kind->layers, kind->channels);
    memset(p.item.mode, _i & 1 ? ADDRESS_BORDER : ADDRESS_WRAP,
           sizeof p.item.mode);
    p.item.is_relative = 1;
    p.item.is_linear = (_i & 2) != 0;
    if (_i & 4)
        p.item.tiling =
            emu_tiling_of(p.item.pitch, p.item.size[1], p.item.size[2]);
    pass(&s, &p.item, 4u * kind->channels);
    run(&s);
    trace(&s, &f, 0);
    for (int i = 0; i < THREADS; i++) {
        int layer = kind->layers > 1 ? (int)s.at[i][3] : 0;
        uint64_t want[CORNERS];
        double low[3] = {0};
        unsigned n;

        low_of(&p.item, s.at[i], p.item.is_linear, low);
        n = corners(&p.item, low, p.item.is_linear,
                    layer < kind->layers ? layer : kind->layers - 1, want);
        expect_texels(&p.item, f.value[i], p.item.is_linear, want, n);
    }
    close_setting(&s);
}
END_TEST

/* Always the four that a filter would weigh, whatever is asked for. */
START_TEST(gathering_touches_four)
{
    static struct footprint f;
    struct setting s;
    struct picture p;

    open_setting(&s, 80, "gathered");
    fill_picture(&s, &p, 2, 1, 2);
    p.item.mode[0] = p.item.mode[1] = ADDRESS_WRAP;
    p.item.is_relative = 1;
    pass(&s, &p.item, 16);
    run(&s);
    trace(&s, &f, 0);
    for (int i = 0; i < THREADS; i++) {
        uint64_t want[CORNERS];
        double low[3] = {0};

        low_of(&p.item, s.at[i], 1, low);
        ck_assert_uint_eq(corners(&p.item, low, 1, 0, want), 4);
        expect_texels(&p.item, f.value[i], 0, want, 4);
    }
    close_setting(&s);
}
END_TEST

/* By index, in linear memory: beyond it nothing. */
START_TEST(fetching_by_index_touches_one)
{
    static struct footprint f;
    struct setting s;
    struct picture p;

    open_setting(&s, 80, "fetched");
    fill_picture(&s, &p, 1, 1, 2);
    pass(&s, &p.item, 8);
    run(&s);
    trace(&s, &f, 0);
    for (int i = 0; i < THREADS; i++) {
        int at[3] = {(int)s.at[i][0], 0, 0};
        int is_there = at[0] >= 0 && at[0] < WIDTH;
        uint64_t want = is_there ? place(&p.item, at, 0) : NOTHING;

        expect_texels(&p.item, f.value[i], 0, &want, (unsigned)is_there);
    }
    close_setting(&s);
}
END_TEST

/* Elements of a surface that is an array; none where there is none. */
START_TEST(surfaces_touch_their_element)
{
    static struct footprint f;
    const int shift[2] = {-2, 1};
    struct setting s;
    struct picture p;
    uint64_t handle;

    open_setting(&s, 80, "surface2");
    fill_picture(&s, &p, 2, 1, 1);
    p.item.tiling = emu_tiling_of(p.item.pitch, HEIGHT, 1);
    handle = add(&s, &p.item);
    help_value(&s.k, &handle, sizeof handle);
    help_value(&s.k, &handle, sizeof handle);
    help_int(&s.k, shift[0]);
    help_int(&s.k, shift[1]);
    help_int(&s.k, 0);
    help_run_kernel(&s.k, 4, 1, 64, 1);
    trace(&s, &f, _i);
    for (int i = 0; i < THREADS; i++) {
        int at[3] = {i % 64 + shift[0], i / 64 + shift[1], 0};
        int is_there = at[0] >= 0 && at[0] < WIDTH && at[1] < HEIGHT;
        uint64_t want = is_there ? place(&p.item, at, 0) : NOTHING;

        if (_i == 0 || is_there)
            expect_texels(&p.item, f.value[i], 0, &want, (unsigned)is_there);
    }
    close_setting(&s);
}
END_TEST

HELP_MAIN("traces/footprints", 60, {fetches_touch_what_they_weigh, KINDS *WAYS},
          {gathering_touches_four, 1}, {fetching_by_index_touches_one, 1},
          {surfaces_touch_their_element, 2})
