/*
 * Pictures in device memory, kernels of tests/fixtures/kernels/k34_texture.cu
 * on them, and what these should find.
 */
#ifndef TEG_TESTS_TRACES_EMULATE_PICTURES_H
#define TEG_TESTS_TRACES_EMULATE_PICTURES_H

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

static inline void open_setting(struct setting *s, unsigned sm,
                                const char *kernel)
{
    memset(s, 0, sizeof *s);
    help_kernel_open(&s->k, sm, "k34_texture", kernel);
    s->k.facts.textures = &s->textures;
}

static inline void close_setting(struct setting *s)
{
    emu_textures_release(&s->textures);
    help_kernel_close(&s->k);
}

static inline void fill_picture(struct setting *s, struct picture *p,
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

static inline uint64_t add(struct setting *s, const struct emu_texture *item)
{
    uint64_t handle;

    ck_assert(emu_textures_add(&s->textures, item, &handle, &s->k.d) == TEG_OK);
    return handle;
}

/* The arguments of a sampling kernel: places from -1.5 to 2.5 sizes, or as much
 * in texels. */
static inline void pass(struct setting *s, const struct emu_texture *item,
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

static inline void run(struct setting *s)
{
    help_run_kernel(&s->k, THREADS / 64, 1, 64, 1);
}

/* ---- what it should be --------------------------------------------------------- */

/* Where index i of n lies; -1: on the border. */
static inline int find(const struct emu_texture *t, int axis, double i)
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

static inline double texel(const struct picture *p, const double index[3],
                           int layer, int channel)
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

static inline double filtered(const struct picture *p, const float at[3],
                              int layer, int channel)
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
static inline double step(const struct emu_texture *t)
{
    return t->is_linear ? 2.0 * t->dimensions / 512 + 1e-5 : 0;
}

static inline void expect(const struct emu_texture *t, float found, double want)
{
    ck_assert_double_eq_tol((double)found, want, step(t) + 1e-7);
}

#endif
