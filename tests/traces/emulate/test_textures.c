/*
 * Textures and surfaces: kernels of tests/fixtures/kernels/k34_texture.cu
 * against what the programming guide says they give, in plain C and double
 * precision.  Where texels are weighed, weights of 8 bits may make a difference
 * of half a step in each direction.
 */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/help_kernel.h"
#include "tests/help_suite.h"

#define SM help_generation[_i]

enum {
    THREADS = 256,
    WIDTH = 13,
    HEIGHT = 7,
    DEPTH = 5,
    LAYERS = 6,
    TEXELS = WIDTH * HEIGHT * LAYERS,
};

/* A texture of floats between 0 and 1 in device memory, `channels` each. */
struct picture {
    struct emu_texture item;
    float *texel;
};

struct setting {
    struct help_kernel k;
    struct emu_textures textures;
    float (*at)[4]; /* where each thread reads */
    void *out;
};

static void open_setting(struct setting *s, unsigned sm, const char *kernel)
{
    memset(s, 0, sizeof *s);
    help_kernel_open(&s->k, sm, "k34_texture", kernel);
    s->k.facts.textures = &s->textures;
}

static void close_setting(struct setting *s)
{
    emu_textures_release(&s->textures);
    help_kernel_close(&s->k);
}

static void fill_picture(struct setting *s, struct picture *p,
                         unsigned dimensions, unsigned layers,
                         unsigned channels)
{
    const uint32_t size[3] = {WIDTH, dimensions > 1 ? HEIGHT : 1,
                              dimensions > 2 ? DEPTH : 1};
    size_t count = (size_t)size[0] * size[1] * size[2] * layers * channels;
    uint64_t address;

    ck_assert(emu_device_alloc(s->k.device, count * sizeof *p->texel, &address,
                               &s->k.d) == TEG_OK);
    p->texel = emu_device_at(s->k.device, address, count * sizeof *p->texel);
    for (size_t i = 0; i < count; i++)
        p->texel[i] = help_draw_float();
    p->item = (struct emu_texture){
        .address = address,
        .pitch = (uint64_t)size[0] * channels * sizeof *p->texel,
        .layers = layers,
        .dimensions = (uint8_t)dimensions,
        .channels = (uint8_t)channels,
        .bits = 32,
        .kind = TEXEL_FLOAT,
        .mode = {ADDRESS_CLAMP, ADDRESS_CLAMP, ADDRESS_CLAMP},
        .border = {0.25f, 0.5f, 0.75f, 2},
    };
    p->item.slice = p->item.pitch * size[1];
    memcpy(p->item.size, size, sizeof size);
}

static uint64_t add(struct setting *s, const struct emu_texture *item)
{
    uint64_t handle;

    ck_assert(emu_textures_add(&s->textures, item, &handle, &s->k.d) == TEG_OK);
    return handle;
}

/* The arguments of a sampling kernel: places from -1.5 to 2.5 sizes, or as much
 * in texels. */
static void pass(struct setting *s, const struct emu_texture *item,
                 size_t out_bytes)
{
    uint64_t handle = add(s, item);

    help_value(&s->k, &handle, sizeof handle);
    s->at = help_buffer(&s->k, THREADS * sizeof *s->at);
    s->out = help_buffer(&s->k, THREADS * out_bytes);
    for (int i = 0; i < THREADS; i++) {
        for (int a = 0; a < 3; a++)
            s->at[i][a] = (4 * help_draw_float() - 1.5f) *
                          (item->is_relative ? 1 : (float)item->size[a]);
        s->at[i][3] = (float)(help_draw() % (item->layers + 1));
    }
}

static void run(struct setting *s)
{
    help_run_kernel(&s->k, THREADS / 64, 1, 64, 1);
}

/* ---- what it should be --------------------------------------------------------- */

/* Where index i of n lies; -1: on the border. */
static int find(const struct emu_texture *t, int axis, double i)
{
    double n = t->size[axis];

    switch (t->mode[axis]) {
    case ADDRESS_WRAP:
        return (int)(i - n * floor(i / n));
    case ADDRESS_MIRROR:
        i -= 2 * n * floor(i / (2 * n));
        return (int)(i < n ? i : 2 * n - 1 - i);
    case ADDRESS_BORDER:
        return i < 0 || i >= n ? -1 : (int)i;
    default:
        return (int)fmin(fmax(i, 0), n - 1);
    }
}

static double texel(const struct picture *p, const double index[3], int layer,
                    int channel)
{
    const struct emu_texture *t = &p->item;
    int at[3];

    for (int a = 0; a < 3; a++) {
        at[a] = a < t->dimensions ? find(t, a, index[a]) : 0;
        if (at[a] < 0)
            return (double)t->border[channel];
    }
    if (layer >= (int)t->layers)
        layer = (int)t->layers - 1;
    return (double)
        p->texel[(((size_t)(at[2] + layer) * t->size[1] + (size_t)at[1]) *
                      t->size[0] +
                  (size_t)at[0]) *
                     t->channels +
                 (size_t)channel];
}

static double filtered(const struct picture *p, const float at[3], int layer,
                       int channel)
{
    const struct emu_texture *t = &p->item;
    double x[3] = {0}, low[3] = {0}, sum = 0;

    for (int a = 0; a < t->dimensions; a++) {
        x[a] = (double)at[a] * (t->is_relative ? t->size[a] : 1);
        x[a] -= t->is_linear ? 0.5 : 0;
        low[a] = floor(x[a]);
    }
    if (!t->is_linear)
        return texel(p, low, layer, channel);
    for (int c = 0; c < 1 << t->dimensions; c++) {
        double weight = 1, index[3];

        for (int a = 0; a < 3; a++) {
            int up = c >> a & 1;

            index[a] = low[a] + up;
            if (a < t->dimensions)
                weight *= up ? x[a] - low[a] : 1 - (x[a] - low[a]);
        }
        sum += weight * texel(p, index, layer, channel);
    }
    return sum;
}

/* How far off eight bits of weight may be, texels being at most 2 apart. */
static double step(const struct emu_texture *t)
{
    return t->is_linear ? 2.0 * t->dimensions / 512 + 1e-5 : 0;
}

static void expect(const struct emu_texture *t, float found, double want)
{
    ck_assert_double_eq_tol((double)found, want, step(t) + 1e-7);
}

/* ---- reading ------------------------------------------------------------------- */

/* Each mode with each filter. */
static void for_each_mode(unsigned sm, const char *kernel, unsigned dimensions,
                          unsigned layers)
{
    static const uint8_t modes[][2] = {
        /* mode, relative */
        {ADDRESS_CLAMP, 0}, {ADDRESS_BORDER, 0}, {ADDRESS_WRAP, 1},
        {ADDRESS_CLAMP, 1}, {ADDRESS_MIRROR, 1}, {ADDRESS_BORDER, 1},
    };

    for (size_t m = 0; m < 2 * sizeof modes / sizeof modes[0]; m++) {
        struct setting s;
        struct picture p;
        const float *out;

        open_setting(&s, sm, kernel);
        fill_picture(&s, &p, dimensions, layers, 1);
        memset(p.item.mode, modes[m / 2][0], sizeof p.item.mode);
        p.item.is_relative = modes[m / 2][1];
        p.item.is_linear = m % 2;
        pass(&s, &p.item, sizeof *out);
        run(&s);
        out = s.out;
        for (int i = 0; i < THREADS; i++)
            expect(&p.item, out[i],
                   filtered(&p, s.at[i], layers > 1 ? (int)s.at[i][3] : 0, 0));
        close_setting(&s);
    }
}

START_TEST(texture_lines)
{
    for_each_mode(SM, "line", 1, 1);
    for_each_mode(SM, "line_layers", 1, LAYERS);
}
END_TEST

START_TEST(pictures)
{
    for_each_mode(SM, "picture", 2, 1);
    for_each_mode(SM, "picture_layers", 2, LAYERS);
    for_each_mode(SM, "picture_slopes", 2, 1);
}
END_TEST

START_TEST(spaces)
{
    for_each_mode(SM, "space", 3, 1);
}
END_TEST

/* Of one channel, two or four; a level of detail changes nothing. */
START_TEST(channels)
{
    for (unsigned count = 1; count <= 4; count *= 2) {
        struct setting s;
        struct picture p;
        const float *out;

        open_setting(&s, SM, "picture4");
        fill_picture(&s, &p, 2, 1, count);
        p.item.is_linear = 1;
        pass(&s, &p.item, 16);
        run(&s);
        out = s.out;
        for (int i = 0; i < 4 * THREADS; i++) {
            int c = i % 4;

            expect(&p.item, out[i],
                   c < (int)count ? filtered(&p, s.at[i / 4], 0, c) : c == 3);
        }
        close_setting(&s);
        open_setting(&s, SM, "picture_level");
        fill_picture(&s, &p, 2, 1, count);
        pass(&s, &p.item, 8);
        run(&s);
        out = s.out;
        for (int i = 0; i < 2 * THREADS; i++)
            expect(&p.item, out[i],
                   i % 2 < (int)count ? filtered(&p, s.at[i / 2], 0, i % 2)
                                      : 0);
        close_setting(&s);
    }
}
END_TEST

START_TEST(some_channels)
{
    struct setting s;
    struct picture p;
    const float *out;

    open_setting(&s, SM, "some");
    fill_picture(&s, &p, 2, 1, 4);
    pass(&s, &p.item, 20);
    run(&s);
    out = s.out;
    for (int i = 0; i < THREADS; i++) {
        const float *at = s.at[i], back[3] = {at[1], at[0], 0};
        static const int wanted[5] = {1, 3, 1, 2, 3};

        for (int c = 0; c < 5; c++)
            expect(&p.item, out[5 * i + c],
                   filtered(&p, c < 2 ? at : back, 0, wanted[c]));
    }
    close_setting(&s);
}
END_TEST

START_TEST(gathered_texels)
{
    struct setting s;
    struct picture p;
    const float *out;

    open_setting(&s, SM, "gathered");
    fill_picture(&s, &p, 2, 1, 2);
    p.item.mode[0] = p.item.mode[1] = ADDRESS_WRAP;
    p.item.is_relative = 1;
    pass(&s, &p.item, 16);
    run(&s);
    out = s.out;
    for (int i = 0; i < THREADS; i++) {
        double x = floor((double)s.at[i][0] * WIDTH - 0.5);
        double y = floor((double)s.at[i][1] * HEIGHT - 0.5);
        const double index[4][3] = {
            {x, y + 1, 0}, {x + 1, y + 1, 0}, {x + 1, y, 0}, {x, y, 0}};

        for (int c = 0; c < 4; c++)
            ck_assert_double_eq((double)out[4 * i + c],
                                texel(&p, index[c], 0, 1));
    }
    close_setting(&s);
}
END_TEST

/* By index, in linear memory: beyond it zeros. */
START_TEST(fetched_texels)
{
    struct setting s;
    struct picture p;
    const float *out;

    open_setting(&s, SM, "fetched");
    fill_picture(&s, &p, 1, 1, 2);
    pass(&s, &p.item, 8);
    run(&s);
    out = s.out;
    for (int i = 0; i < 2 * THREADS; i++) {
        int at = (int)s.at[i / 2][0];

        ck_assert(out[i] ==
                  (at < 0 || at >= WIDTH ? 0 : p.texel[2 * at + i % 2]));
    }
    close_setting(&s);
}
END_TEST

/* ---- formats --------------------------------------------------------------------- */

static void fill_bytes(struct setting *s, const struct emu_texture *item)
{
    uint64_t bytes = item->pitch * item->size[1];
    uint8_t *to = emu_device_at(s->k.device, item->address, bytes);

    for (uint64_t i = 0; i < bytes; i++)
        to[i] = (uint8_t)help_draw();
}

static int32_t raw_of(const struct setting *s, const struct emu_texture *t,
                      const float at[4], unsigned channel)
{
    unsigned bytes = t->bits / 8u;
    double index[2] = {floor((double)at[0]), floor((double)at[1])};
    const uint8_t *from =
        emu_device_at(s->k.device,
                      t->address + (uint64_t)find(t, 1, index[1]) * t->pitch +
                          (uint64_t)find(t, 0, index[0]) * bytes * t->channels +
                          (uint64_t)channel * bytes,
                      bytes);
    int32_t value = 0;

    if (channel >= t->channels)
        return channel == 3;
    memcpy(&value, from, bytes);
    if (t->kind == TEXEL_SIGNED && bytes < 4)
        value = (int32_t)((uint32_t)value << (32 - t->bits)) >> (32 - t->bits);
    return value;
}

/* Integers of all widths, as they are and as parts of the greatest. */
START_TEST(integers)
{
    for (unsigned bits = 8; bits <= 32; bits *= 2) {
        for (unsigned kind = TEXEL_SIGNED; kind <= TEXEL_UNSIGNED; kind++) {
            struct setting s;
            struct picture p;
            const int32_t *words;
            const float *parts;
            double most = pow(2, bits - (kind == TEXEL_SIGNED)) - 1;

            open_setting(&s, SM, "picture_words");
            fill_picture(&s, &p, 2, 1, 2);
            p.item.bits = (uint8_t)bits;
            p.item.kind = (uint8_t)kind;
            fill_bytes(&s, &p.item);
            pass(&s, &p.item, 8);
            run(&s);
            words = s.out;
            for (int i = 0; i < 2 * THREADS; i++)
                ck_assert_int_eq(words[i],
                                 raw_of(&s, &p.item, s.at[i / 2], i % 2));
            close_setting(&s);
            if (bits == 32)
                continue;
            open_setting(&s, SM, "picture4");
            fill_picture(&s, &p, 2, 1, 4);
            p.item.bits = (uint8_t)bits;
            p.item.kind = (uint8_t)kind;
            p.item.is_fraction = 1;
            fill_bytes(&s, &p.item);
            pass(&s, &p.item, 16);
            run(&s);
            parts = s.out;
            for (int i = 0; i < 4 * THREADS; i++) {
                double raw = raw_of(&s, &p.item, s.at[i / 4], i % 4);

                ck_assert_double_eq_tol((double)parts[i], fmax(raw / most, -1),
                                        1e-7);
            }
            close_setting(&s);
        }
    }
}
END_TEST

START_TEST(bytes_and_halves)
{
    struct setting s;
    struct picture p;
    const uint8_t *bytes;
    const float *halves;
    uint16_t *half;

    open_setting(&s, SM, "picture_bytes");
    fill_picture(&s, &p, 2, 1, 4);
    p.item.bits = 8;
    p.item.kind = TEXEL_UNSIGNED;
    fill_bytes(&s, &p.item);
    pass(&s, &p.item, 4);
    run(&s);
    bytes = s.out;
    for (int i = 0; i < 4 * THREADS; i++)
        ck_assert_int_eq(bytes[i], raw_of(&s, &p.item, s.at[i / 4], i % 4));
    close_setting(&s);
    open_setting(&s, SM, "picture");
    fill_picture(&s, &p, 2, 1, 1);
    p.item.bits = 16;
    half = (uint16_t *)p.texel;
    /* 1, 1 + 1/1024, ... */
    for (uint16_t i = 0; i < WIDTH * HEIGHT; i++)
        half[(size_t)i / WIDTH * (p.item.pitch / 2) + i % WIDTH] = 0x3c00 + i;
    pass(&s, &p.item, 4);
    run(&s);
    halves = s.out;
    for (int i = 0; i < THREADS; i++) {
        int x = find(&p.item, 0, floor((double)s.at[i][0]));
        int y = find(&p.item, 1, floor((double)s.at[i][1]));

        ck_assert(halves[i] == (1 + (float)(y * WIDTH + x) / 1024));
    }
    close_setting(&s);
}
END_TEST

/* Dark values of sRGB are the twelfth, others the known curve. */
START_TEST(srgb)
{
    struct emu_texture t = {.address = 1,
                            .size = {1, 1, 1},
                            .layers = 1,
                            .dimensions = 2,
                            .channels = 4,
                            .bits = 8,
                            .kind = TEXEL_UNSIGNED,
                            .is_fraction = 1,
                            .is_srgb = 1};
    struct setting s;
    uint8_t *texel_bytes;
    const float *out;

    open_setting(&s, SM, "picture4");
    ck_assert(emu_device_alloc(s.k.device, 4, &t.address, &s.k.d) == TEG_OK);
    texel_bytes = emu_device_at(s.k.device, t.address, 4);
    memcpy(texel_bytes, (uint8_t[]){5, 188, 255, 188}, 4);
    pass(&s, &t, 16);
    run(&s);
    out = s.out;
    ck_assert_double_eq_tol((double)out[0], 0.00151763, 1e-7);
    ck_assert_double_eq_tol((double)out[1], 0.50288, 1e-5);
    ck_assert_double_eq_tol((double)out[2], 1, 1e-7);
    ck_assert_double_eq_tol((double)out[3], 188 / 255.0, 1e-7);
    close_setting(&s);
}
END_TEST

/* ---- cubes ------------------------------------------------------------------------ */

/* A direction to a point of a face: which way its s and t go, by the guide's
 * table (s = +-x, y or z, and so on). */
static void direction(int face, float s, float t, float at[3])
{
    const float to[6][3] = {{1, -t, -s}, {-1, -t, s}, {s, 1, t},
                            {s, -1, -t}, {s, -t, 1},  {-s, -t, -1}};

    memcpy(at, to[face], sizeof to[face]);
}

START_TEST(cube_maps)
{
    for (int cubes = 1; cubes <= 2; cubes++) {
        struct setting s;
        struct picture p;
        const float *out;
        int face[THREADS], x[THREADS], y[THREADS];

        open_setting(&s, SM, cubes == 1 ? "cube" : "cube_layers");
        fill_picture(&s, &p, 2, 6 * (unsigned)cubes, 1);
        p.item.size[0] = HEIGHT; /* square */
        p.item.pitch = HEIGHT * sizeof *out;
        p.item.slice = HEIGHT * p.item.pitch;
        pass(&s, &p.item, sizeof *out);
        for (int i = 0; i < THREADS; i++) {
            float length = 1 + help_draw_float();

            face[i] = (int)(help_draw() % 6);
            x[i] = (int)(help_draw() % HEIGHT);
            y[i] = (int)(help_draw() % HEIGHT);
            direction(face[i], (float)(2 * x[i] + 1) / HEIGHT - 1,
                      (float)(2 * y[i] + 1) / HEIGHT - 1, s.at[i]);
            for (int a = 0; a < 3; a++)
                s.at[i][a] *= length;
            s.at[i][3] = (float)(i % cubes);
        }
        run(&s);
        out = s.out;
        for (int i = 0; i < THREADS; i++) {
            const double index[3] = {x[i], y[i], 0};

            ck_assert_double_eq((double)out[i],
                                texel(&p, index, face[i] + 6 * (i % cubes), 0));
        }
        close_setting(&s);
    }
}
END_TEST

/* ---- handles ----------------------------------------------------------------------- */

/* Each lane another texture: three of a space, one of which filters. */
START_TEST(handles_from_memory)
{
    struct setting s;
    struct picture p[3];
    uint64_t *handle;
    const float *out;

    open_setting(&s, SM, "handles");
    handle = help_buffer(&s.k, sizeof p / sizeof p[0] * sizeof *handle);
    help_int(&s.k, 3);
    s.at = help_buffer(&s.k, THREADS * sizeof *s.at);
    out = help_buffer(&s.k, THREADS * sizeof *out);
    for (int i = 0; i < 3; i++) {
        fill_picture(&s, &p[i], 2, 1, 1);
        p[i].item.is_linear = i == 1;
        handle[i] = add(&s, &p[i].item);
    }
    for (int i = 0; i < THREADS; i++) {
        s.at[i][0] = WIDTH * help_draw_float();
        s.at[i][1] = HEIGHT * help_draw_float();
    }
    run(&s);
    for (int i = 0; i < THREADS; i++) {
        const struct picture *q = &p[(i * 7 + i / 5) % 3];
        const float *at = s.at[i], back[3] = {at[1], at[0], 0};
        const double corner[3] = {floor((double)at[0] - 0.5) + 1,
                                  floor((double)at[1] - 0.5), 0};

        ck_assert_double_eq_tol((double)out[i],
                                2 * filtered(q, at, 0, 0) +
                                    filtered(q, back, 0, 0) +
                                    texel(q, corner, 0, 0),
                                3 * step(&q->item) + 1e-6);
    }
    close_setting(&s);
}
END_TEST

START_TEST(handles_that_stand_for_nothing)
{
    struct setting s;
    struct picture p;

    open_setting(&s, SM, "picture");
    fill_picture(&s, &p, 2, 1, 1);
    pass(&s, &p.item, 4);
    ck_assert_int_eq(emu_textures_remove(&s.textures, 1), 1);
    ck_assert_int_eq(emu_textures_remove(&s.textures, 1), 0);
    s.k.facts.block[0] = 32;
    ck_assert(help_try_kernel(&s.k) == TEG_LIMIT);
    ck_assert_ptr_nonnull(strstr(s.k.d.what, "0x1 is no texture object"));
    /* one whose memory is gone */
    ck_assert_uint_eq(add(&s, &p.item), 1);
    ck_assert(emu_device_remove(s.k.device, p.item.address));
    ck_assert(help_try_kernel(&s.k) == TEG_LIMIT);
    ck_assert_ptr_nonnull(strstr(s.k.d.what, "out of bounds"));
    close_setting(&s);
}
END_TEST

/* ---- surfaces ----------------------------------------------------------------------- */

enum beyond {
    IGNORED,
    CLAMPED,
    TRAPS
};

START_TEST(surfaces_and_their_edges)
{
    for (int how = IGNORED; how <= CLAMPED; how++) {
        struct setting s;
        struct picture in, out;
        uint64_t handle;

        open_setting(&s, SM, "surface2");
        fill_picture(&s, &in, 2, 1, 1);
        fill_picture(&s, &out, 2, 1, 1);
        memset(out.texel, 0, WIDTH * HEIGHT * sizeof *out.texel);
        handle = add(&s, &in.item);
        help_value(&s.k, &handle, 8);
        handle = add(&s, &out.item);
        help_value(&s.k, &handle, 8);
        help_int(&s.k, -2);
        help_int(&s.k, 3);
        help_int(&s.k, how);
        help_run_kernel(&s.k, HEIGHT, 1, WIDTH, 1);
        for (int i = 0; i < WIDTH * HEIGHT; i++) {
            int x = i % WIDTH, y = i / WIDTH;
            double index[3] = {x - 2, y + 3, 0};
            float want;

            if (how == CLAMPED)
                want = (float)texel(&in, index, 0, 0) + 1;
            else /* each element that a thread finds is written in its place */
                want = y >= 3 && x <= WIDTH - 3 ? in.texel[i] + 1 : 0;
            ck_assert(out.texel[i] == (want));
        }
        close_setting(&s);
    }
}
END_TEST

START_TEST(a_surface_ends)
{
    struct setting s;
    struct picture in;
    uint64_t handle;

    open_setting(&s, SM, "surface2");
    fill_picture(&s, &in, 2, 1, 1);
    handle = add(&s, &in.item);
    help_value(&s.k, &handle, 8);
    help_value(&s.k, &handle, 8);
    help_int(&s.k, 0);
    help_int(&s.k, 0);
    help_int(&s.k, TRAPS);
    s.k.facts.grid[0] = HEIGHT;
    s.k.facts.block[0] = WIDTH;
    ck_assert(help_try_kernel(&s.k) == TEG_OK);
    s.k.facts.block[0] = WIDTH + 1;
    ck_assert(help_try_kernel(&s.k) == TEG_LIMIT);
    ck_assert_ptr_nonnull(strstr(s.k.d.where, "lane 13"));
    ck_assert_ptr_nonnull(strstr(s.k.d.what,
                                 "4 bytes at 52,0,0 of a surface of 52 bytes x "
                                 "7 x 1 are out of bounds"));
    close_setting(&s);
}
END_TEST

START_TEST(widths_and_shapes_of_surfaces)
{
    struct setting s;
    struct picture line, space, layers, bytes;
    struct picture *all[] = {&line, &space, &layers, &bytes};
    int16_t *pairs, pair[2 * WIDTH * HEIGHT * DEPTH];
    float lines[4 * WIDTH], layer[2 * TEXELS];
    int8_t *small, row[WIDTH];

    open_setting(&s, SM, "surfaces");
    fill_picture(&s, &line, 1, 1, 4);
    fill_picture(&s, &space, 3, 1, 1);
    fill_picture(&s, &layers, 2, LAYERS, 2);
    fill_picture(&s, &bytes, 2, 1, 1);
    bytes.item.bits = 8;
    for (int i = 0; i < 4; i++) {
        uint64_t handle = add(&s, &all[i]->item);

        help_value(&s.k, &handle, 8);
    }
    pairs = (int16_t *)space.texel;
    small = (int8_t *)bytes.texel;
    memcpy(pair, pairs, sizeof pair);
    memcpy(lines, line.texel, sizeof lines);
    memcpy(layer, layers.texel, sizeof layer);
    memcpy(row, small, sizeof row);
    s.k.facts.block[0] = WIDTH;
    ck_assert_msg(help_try_kernel(&s.k) == TEG_OK, "%s", s.k.d.what);
    for (int x = 0; x < WIDTH; x++) {
        int p = 2 * (((x & 3) * HEIGHT + (x & 1)) * WIDTH + x);
        int l = 2 * ((x % 3 * HEIGHT + 1) * WIDTH + x);

        ck_assert(line.texel[4 * x] == (lines[4 * x] + lines[4 * x + 3]));
        ck_assert_int_eq(pairs[p], (int16_t)(pair[p] + 5));
        ck_assert_int_eq(pairs[p + 1], pair[p + 1]);
        ck_assert(layers.texel[l + 1] == (2 * layer[l + 1]));
        ck_assert_int_eq(small[(int)bytes.item.pitch + x],
                         (int8_t)(row[x] - 1));
    }
    close_setting(&s);
}
END_TEST

HELP_MAIN("traces/textures", 60, {texture_lines, HELP_GENERATIONS},
          {pictures, HELP_GENERATIONS}, {spaces, HELP_GENERATIONS},
          {channels, HELP_GENERATIONS}, {some_channels, HELP_GENERATIONS},
          {gathered_texels, HELP_GENERATIONS},
          {fetched_texels, HELP_GENERATIONS}, {integers, HELP_GENERATIONS},
          {bytes_and_halves, HELP_GENERATIONS}, {srgb, HELP_GENERATIONS},
          {cube_maps, HELP_GENERATIONS},
          {handles_from_memory, HELP_GENERATIONS},
          {handles_that_stand_for_nothing, HELP_GENERATIONS},
          {surfaces_and_their_edges, HELP_GENERATIONS},
          {a_surface_ends, HELP_GENERATIONS},
          {widths_and_shapes_of_surfaces, HELP_GENERATIONS})
