/*
 * Textures: kernels of tests/fixtures/kernels/k34_texture.cu
 * against what the programming guide says they give, in plain C and double
 * precision.  Where texels are weighed, weights of 8 bits may make a difference
 * of half a step in each direction.
 */
#include "tests/traces/emulate/pictures.h"

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

HELP_MAIN("traces/textures", 60, {texture_lines, HELP_GENERATIONS},
          {pictures, HELP_GENERATIONS}, {spaces, HELP_GENERATIONS},
          {channels, HELP_GENERATIONS}, {some_channels, HELP_GENERATIONS},
          {gathered_texels, HELP_GENERATIONS},
          {fetched_texels, HELP_GENERATIONS}, {integers, HELP_GENERATIONS},
          {bytes_and_halves, HELP_GENERATIONS}, {srgb, HELP_GENERATIONS},
          {cube_maps, HELP_GENERATIONS},
          {handles_from_memory, HELP_GENERATIONS},
          {handles_that_stand_for_nothing, HELP_GENERATIONS})
