/*
 * Levels of detail: kernels of tests/fixtures/kernels/k54_levels.cu against the
 * levels filtered one by one in plain C (pictures.h) and weighed; sizes that a
 * texture is asked for.
 */
#include "tests/traces/emulate/pictures.h"

enum {
    LEVELS = 4, /* 16 x 8 (x 4) texels, 8 x 4 (x 2), 4 x 2 (x 1), 2 x 1 */
};

struct map {
    struct setting s;
    struct picture level[LEVELS];
    struct emu_texture below[LEVELS - 1];
};

static uint32_t shrunk(uint32_t n, int level)
{
    return n >> level != 0 ? n >> level : 1;
}

static void fill_level(struct map *m, int l, unsigned dimensions,
                       unsigned layers)
{
    const uint32_t size[3] = {shrunk(layers == 6 ? 8 : 16, l), shrunk(8, l),
                              dimensions > 2 ? shrunk(4, l) : 1};
    struct emu_texture *t = &m->level[l].item;
    size_t count = (size_t)size[0] * size[1] * size[2] * layers;
    float *texel;

    *t = (struct emu_texture){
        .pitch = size[0] * sizeof *texel,
        .slice = size[0] * size[1] * sizeof *texel,
        .layers = layers,
        .dimensions = (uint8_t)dimensions,
        .channels = 1,
        .bits = 32,
        .kind = TEXEL_FLOAT,
        .mode = {ADDRESS_WRAP, ADDRESS_WRAP, ADDRESS_WRAP},
        .is_relative = 1,
        .is_linear = 1,
        .blends_levels = 1,
        .level_max = 100,
    };
    memcpy(t->size, size, sizeof size);
    ck_assert(emu_device_alloc(m->s.k.device, count * sizeof *texel,
                               &t->address, &m->s.k.d) == TEG_OK);
    texel = emu_device_at(m->s.k.device, t->address, count * sizeof *texel);
    m->level[l].texel = texel;
    for (size_t i = 0; i < count; i++)
        texel[i] = help_draw_float();
}

static void open_map(struct map *m, unsigned sm, const char *kernel,
                     unsigned dimensions, unsigned layers)
{
    struct emu_texture *first = &m->level[0].item;

    memset(m, 0, sizeof *m);
    help_kernel_open(&m->s.k, sm, "k54_levels", kernel);
    m->s.k.facts.textures = &m->s.textures;
    for (int l = 0; l < LEVELS; l++) {
        fill_level(m, l, dimensions, layers);
        if (l > 0)
            m->below[l - 1] = m->level[l].item;
    }
    first->level = m->below;
    first->levels = LEVELS - 1;
}

static double weighed(const struct map *m, const float at[3], int layer,
                      double lod)
{
    const struct emu_texture *t = &m->level[0].item;
    double bound, part;
    int level;

    bound = fmax(lod + (double)t->bias, fmax((double)t->level_min, 0));
    bound = fmin(bound, fmin((double)t->level_max, LEVELS - 1));
    if (!t->blends_levels)
        bound = floor(bound + 0.5);
    level = (int)bound;
    part = bound - level;
    return (1 - part) * filtered(&m->level[level], at, layer, 0) +
           (part > 0 ? part * filtered(&m->level[level + 1], at, layer, 0) : 0);
}

static void expect_near(const struct map *m, float found, double want)
{
    ck_assert_double_eq_tol((double)found, want,
                            step(&m->level[0].item) + 1.0 / 256);
}

/* Levels between which a place lies, and ones of which no half is in doubt. */
static float draw_level(int blends)
{
    float any = 6 * help_draw_float() - 1;

    return blends ? any : floorf(any) + 0.4f * help_draw_float();
}

/* Given, by slopes, and none; with and without a shift and bounds. */
START_TEST(levels_are_weighed)
{
    int blends = _i / HELP_GENERATIONS % 2;
    struct map m;
    struct emu_texture *first = &m.level[0].item;
    const float *out;

    open_map(&m, help_generation[_i % HELP_GENERATIONS], "levels", 2, 1);
    first->blends_levels = (uint8_t)blends;
    if (_i / HELP_GENERATIONS >= 2) {
        first->bias = 0.25f;
        first->level_min = 0.25f;
        first->level_max = 2;
    }
    pass(&m.s, first, 3 * sizeof *out);
    for (int i = 0; i < THREADS; i++) {
        m.s.at[i][2] = draw_level(blends);
        m.s.at[i][3] = exp2f(draw_level(blends)) / 16;
    }
    run(&m.s);
    out = m.s.out;
    for (int i = 0; i < THREADS; i++) {
        const float *at = m.s.at[i];

        expect_near(&m, out[3 * i], weighed(&m, at, 0, (double)at[2]));
        expect_near(&m, out[3 * i + 1],
                    weighed(&m, at, 0, log2(16 * (double)at[3])));
        expect_near(&m, out[3 * i + 2], weighed(&m, at, 0, 0));
    }
    close_setting(&m.s);
}
END_TEST

/* Rooms and layers, whose number is a thread's modulo 3. */
START_TEST(levels_of_every_shape)
{
    for (int layered = 0; layered < 2; layered++) {
        struct map m;
        const float *out;

        open_map(&m, SM, layered ? "layers" : "spaces", layered ? 2 : 3,
                 layered ? 3 : 1);
        pass(&m.s, &m.level[0].item, sizeof *out);
        for (int i = 0; i < THREADS; i++)
            m.s.at[i][3] = draw_level(1);
        run(&m.s);
        out = m.s.out;
        for (int i = 0; i < THREADS; i++)
            expect_near(&m, out[i],
                        weighed(&m, m.s.at[i], layered ? i % 3 : 0,
                                (double)m.s.at[i][3]));
        close_setting(&m.s);
    }
}
END_TEST

/* The middle of a face's texel of a level. */
START_TEST(levels_of_cubes)
{
    struct map m;
    const float *out;
    double want[THREADS];

    open_map(&m, SM, "cubes", 2, 6);
    m.level[0].item.is_linear = 0;
    m.level[0].item.blends_levels = 0;
    pass(&m.s, &m.level[0].item, sizeof *out);
    for (int i = 0; i < THREADS; i++) {
        int level = i % LEVELS, n = 8 >> level;
        int x = (int)(help_draw() % (unsigned)n),
            y = (int)(help_draw() % (unsigned)n);
        const double index[3] = {x, y, 0};

        /* +z: s is x, t is -y (programming guide) */
        m.s.at[i][0] = 3 * ((float)(2 * x + 1) / (float)n - 1);
        m.s.at[i][1] = -3 * ((float)(2 * y + 1) / (float)n - 1);
        m.s.at[i][2] = 3;
        m.s.at[i][3] = (float)level;
        want[i] = texel(&m.level[level], index, 4, 0);
    }
    run(&m.s);
    out = m.s.out;
    for (int i = 0; i < THREADS; i++)
        ck_assert_double_eq((double)out[i], want[i]);
    close_setting(&m.s);
}
END_TEST

/* By whole numbers: what lies outside the level is 0, as is a level that is
 * not there. */
START_TEST(texels_of_a_level)
{
    struct map m;
    const float *out;

    open_map(&m, SM, "fetched", 2, 1);
    pass(&m.s, &m.level[0].item, sizeof *out);
    for (int i = 0; i < THREADS; i++) {
        m.s.at[i][0] = (float)(i % 17);
        m.s.at[i][1] = (float)(i / 17 % 9);
        m.s.at[i][2] = (float)(i % 5);
    }
    run(&m.s);
    out = m.s.out;
    for (int i = 0; i < THREADS; i++) {
        int x = i % 17, y = i / 17 % 9, l = i % 5;
        const double index[3] = {x, y, 0};
        int is_there = l < LEVELS && x < 16 >> l && y < 8 >> l;

        ck_assert_double_eq((double)out[i],
                            is_there ? texel(&m.level[l], index, 0, 0) : 0);
    }
    close_setting(&m.s);
}
END_TEST

/* Of a volume and of layers; the levels that there are, and one more. */
START_TEST(sizes)
{
    struct map m;
    struct picture line;
    uint64_t *all, one;
    const int *out;

    open_map(&m, SM, "sizes", 3, 1);
    all = help_buffer(&m.s.k, 3 * sizeof *all);
    all[0] = one = add(&m.s, &m.level[0].item);
    fill_picture(&m.s, &line, 2, LAYERS, 1);
    all[1] = add(&m.s, &line.item);
    fill_picture(&m.s, &line, 1, 1, 1);
    all[2] = add(&m.s, &line.item);
    help_value(&m.s.k, &one, sizeof one);
    help_int(&m.s.k, 3);
    out = help_buffer(&m.s.k, 15 * 5 * sizeof *out);
    help_run_kernel(&m.s.k, 1, 1, 15, 1);
    for (int i = 0; i < 15; i++) {
        int l = i / 3, plain = l == 0;
        const int want[3][2] = {
            {l < LEVELS ? 16 >> l : 0, l < LEVELS ? (int)shrunk(4, l) : 0},
            {plain ? WIDTH : 0, plain ? LAYERS : 0},
            {plain ? WIDTH : 0, plain}};

        ck_assert_int_eq(out[5 * i], 16);
        ck_assert_int_eq(out[5 * i + 1], 8);
        ck_assert_int_eq(out[5 * i + 2], 4);
        ck_assert_int_eq(out[5 * i + 3], want[i % 3][0]);
        ck_assert_int_eq(out[5 * i + 4], want[i % 3][1]);
    }
    close_setting(&m.s);
}
END_TEST

/* Offsets are refused, in the bits that each generation has for them. */
START_TEST(places_beside_are_refused)
{
    struct map m;

    open_map(&m, SM, "beside", 2, 1);
    pass(&m.s, &m.level[0].item, sizeof(float));
    ck_assert(help_try_kernel(&m.s.k) == TEG_LIMIT);
    ck_assert_msg(strstr(m.s.k.d.what, "this form is not emulated"), "%s",
                  m.s.k.d.what);
    close_setting(&m.s);
}
END_TEST

HELP_MAIN("traces/levels", 60, {levels_are_weighed, 4 * HELP_GENERATIONS},
          {levels_of_every_shape, HELP_GENERATIONS},
          {levels_of_cubes, HELP_GENERATIONS},
          {texels_of_a_level, HELP_GENERATIONS}, {sizes, HELP_GENERATIONS},
          {places_beside_are_refused, HELP_GENERATIONS})
