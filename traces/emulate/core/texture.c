#include "traces/emulate/core/texture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "traces/emulate/core/half.h"

enum {
    FACES = 6,
    WEIGHT_ONE = 256, /* weights have 8 bits behind the point */
    OUTSIDE = -1,
};

/* ---- handles ------------------------------------------------------------------ */

/* A copy of the levels below the first, NULL if there are none. */
static teg_status copy_levels(const struct emu_texture *item,
                              struct emu_texture **level, struct teg_diag *d)
{
    *level = NULL;
    if (item->levels == 0)
        return TEG_OK;
    *level = malloc(item->levels * sizeof **level);
    if (*level == NULL)
        return teg_fail_memory(d);
    memcpy(*level, item->level, item->levels * sizeof **level);
    return TEG_OK;
}

teg_status emu_textures_add(struct emu_textures *t,
                            const struct emu_texture *item, uint64_t *handle,
                            struct teg_diag *d)
{
    struct emu_texture *level;
    uint32_t i = 0;

    while (i < t->count && t->item[i].dimensions != 0)
        i++;
    if (i == t->count) {
        struct emu_texture *grown =
            realloc(t->item, ((size_t)t->count + 1) * sizeof *grown);

        if (grown == NULL)
            return teg_fail_memory(d);
        t->item = grown;
        t->count++;
    }
    TRY(copy_levels(item, &level, d));
    t->item[i] = *item;
    t->item[i].level = level;
    *handle = (uint64_t)i + 1;
    return TEG_OK;
}

const struct emu_texture *emu_textures_at(const struct emu_textures *t,
                                          uint64_t handle)
{
    if (t == NULL || handle == 0 || handle > t->count ||
        t->item[handle - 1].dimensions == 0)
        return NULL;
    return &t->item[handle - 1];
}

int emu_textures_remove(struct emu_textures *t, uint64_t handle)
{
    if (emu_textures_at(t, handle) == NULL)
        return 0;
    free(t->item[handle - 1].level);
    t->item[handle - 1] = (struct emu_texture){0};
    return 1;
}

void emu_textures_release(struct emu_textures *t)
{
    for (uint32_t i = 0; i < t->count; i++)
        free(t->item[i].level);
    free(t->item);
    *t = (struct emu_textures){0};
}

/* ---- texels ------------------------------------------------------------------- */

static int gives_floats(const struct emu_texture *t)
{
    return t->kind == TEXEL_FLOAT || t->is_fraction;
}

int emu_texture_filters(const struct emu_texture *t)
{
    return t->is_linear && gives_floats(t);
}

uint64_t emu_texture_place(const struct emu_texture *t, uint64_t x, uint64_t y,
                           uint64_t z)
{
    if (!t->tiling.is_tiled)
        return t->address + x + y * t->pitch + z * t->slice;
    if (t->dimensions < 3)
        return t->address + z * t->tiling.layer +
               emu_tiling_offset(&t->tiling, x, y, 0);
    return t->address + emu_tiling_offset(&t->tiling, x, y, z);
}

/* The value of a channel as its part of the greatest; the least signed one is
 * -1 as well as its neighbour. */
static float fraction(const struct emu_texture *t, uint32_t raw)
{
    double most = ldexp(1, t->bits - (t->kind == TEXEL_SIGNED)) - 1, v;

    v = t->kind == TEXEL_SIGNED ? (double)(int32_t)raw : (double)raw;
    return (float)fmax(v / most, -1);
}

static float linear_of_srgb(float v)
{
    double x = (double)v;

    return (float)(x <= 0.04045 ? x / 12.92 : pow((x + 0.055) / 1.055, 2.4));
}

static uint32_t channel(const struct emu_texture *t, const uint8_t *texel,
                        unsigned number)
{
    unsigned bytes = t->bits / 8u, missing = 32u - t->bits;
    uint32_t raw = 0;
    float value;

    memcpy(&raw, texel + (size_t)number * bytes, bytes);
    if (t->kind == TEXEL_FLOAT)
        return t->bits == 16 ? bits_of(half_value(raw)) : raw;
    if (t->kind == TEXEL_SIGNED)
        raw = (uint32_t)((int32_t)(raw << missing) >> missing);
    if (!t->is_fraction)
        return raw;
    value = fraction(t, raw);
    return bits_of(t->is_srgb && number < 3 ? linear_of_srgb(value) : value);
}

/* Channels the format lacks are 0, the last 1. */
static void fill_missing(const struct emu_texture *t, uint32_t out[4])
{
    for (unsigned i = t->channels; i < 4; i++)
        out[i] = i < 3 ? 0 : gives_floats(t) ? bits_of(1.0f) : 1;
}

static int is_outside(const int64_t at[3])
{
    return at[0] == OUTSIDE || at[1] == OUTSIDE || at[2] == OUTSIDE;
}

/* The texel of an index is one of those that are fetched. */
static void touch_texel(const struct emu_texture *t,
                        const struct emu_texels *from, const int64_t at[3],
                        uint32_t layer)
{
    if (from->touch != NULL && !is_outside(at))
        from->touch(from->self, emu_texture_place(
                                    t, (uint64_t)at[0] * emu_texel_bytes(t),
                                    (uint64_t)at[1], (uint64_t)at[2] + layer));
}

/* The texel of an index inside the texture, OUTSIDE in one of them: the border. */
static int read_texel(const struct emu_texture *t,
                      const struct emu_texels *from, const int64_t at[3],
                      uint32_t layer, uint32_t out[4])
{
    unsigned bytes = emu_texel_bytes(t);
    uint64_t address = t->address + (uint64_t)at[0] * bytes;
    const uint8_t *texel;

    if (is_outside(at)) {
        for (unsigned i = 0; i < 4; i++)
            out[i] = gives_floats(t) ? bits_of(t->border[i]) : 0;
        return 1;
    }
    address +=
        (uint64_t)at[1] * t->pitch + ((uint64_t)at[2] + layer) * t->slice;
    texel = from->read(from->self, address, bytes);
    if (texel == NULL)
        return 0;
    for (unsigned i = 0; i < t->channels; i++)
        out[i] = channel(t, texel, i);
    fill_missing(t, out);
    return 1;
}

/* ---- where they are ------------------------------------------------------------- */

static int64_t modulo(int64_t i, int64_t n)
{
    return i % n < 0 ? i % n + n : i % n;
}

/* The index that stands for `i` along an axis.  Modes that repeat want relative
 * coordinates, and clamp without. */
static int64_t index_by_mode(const struct emu_texture *t, unsigned axis,
                             int64_t i)
{
    int64_t n = t->size[axis];

    if (i >= 0 && i < n)
        return i;
    if (t->mode[axis] == ADDRESS_BORDER)
        return OUTSIDE;
    if (t->mode[axis] == ADDRESS_WRAP && t->is_relative)
        return modulo(i, n);
    if (t->mode[axis] == ADDRESS_MIRROR && t->is_relative) {
        i = modulo(i, 2 * n);
        return i < n ? i : 2 * n - 1 - i;
    }
    return i < 0 ? 0 : n - 1;
}

/* A coordinate in texels, and its part of a texel as a weight. */
struct tap {
    int64_t index;
    double weight;
};

static struct tap tap_of(const struct emu_texture *t, unsigned axis,
                         float coordinate, int is_linear)
{
    const double far = 1e9; /* beyond any texture, even repeated */
    double x = (double)coordinate * (t->is_relative ? t->size[axis] : 1);
    struct tap p;

    x = isnan(x) ? 0 : fmin(fmax(x, -far), far);
    if (is_linear)
        x -= 0.5;
    p.index = (int64_t)floor(x);
    p.weight =
        is_linear ? floor((x - floor(x)) * WEIGHT_ONE + 0.5) / WEIGHT_ONE : 0;
    return p;
}

static uint32_t clamp_layer(const struct emu_texture *t, uint32_t layer)
{
    return layer < t->layers ? layer : t->layers - 1;
}

/* ---- levels of detail ------------------------------------------------------------- */

static struct emu_texture at_level(const struct emu_texture *t, uint32_t level)
{
    struct emu_texture one = *t;

    if (level == 0)
        return one;
    one.address = t->level[level - 1].address;
    one.pitch = t->level[level - 1].pitch;
    one.slice = t->level[level - 1].slice;
    one.tiling = t->level[level - 1].tiling;
    memcpy(one.size, t->level[level - 1].size, sizeof one.size);
    return one;
}

void emu_texture_size(const struct emu_texture *t, uint32_t level,
                      uint32_t out[4])
{
    struct emu_texture one;

    memset(out, 0, 4 * sizeof *out);
    out[3] = t->levels + 1u;
    if (level > t->levels)
        return;
    one = at_level(t, level);
    out[0] = one.size[0];
    out[1] = one.size[1];
    out[2] = one.dimensions > 2 ? one.size[2] : one.layers;
}

float emu_texture_lod(const struct emu_texture *t, unsigned dimensions,
                      const float slopes[][2])
{
    double step[2] = {0};

    for (unsigned i = 0; i < dimensions && i < t->dimensions; i++) {
        for (int k = 0; k < 2; k++) {
            double texels = (double)slopes[i][k] * t->size[i];

            step[k] += texels * texels;
        }
    }
    return (float)(log2(fmax(step[0], step[1])) / 2);
}

/* ---- reading ---------------------------------------------------------------------- */

static int sample_level(const struct emu_texture *t,
                        const struct emu_texels *from, const float at[3],
                        unsigned dimensions, uint32_t layer, uint32_t out[4])
{
    int is_linear = emu_texture_filters(t);
    struct tap p[3] = {{0}};
    double sum[4] = {0};

    /* Compilers read a line as a picture of one row. */
    if (dimensions > t->dimensions)
        dimensions = t->dimensions;
    for (unsigned i = 0; i < dimensions; i++)
        p[i] = tap_of(t, i, at[i], is_linear);
    /* A filter fetches all its corners, whatever they weigh. */
    for (unsigned corner = 0; corner < (is_linear ? 1u << dimensions : 1u);
         corner++) {
        int64_t index[3];
        double weight = 1;

        for (unsigned i = 0; i < 3; i++) {
            int next = corner >> i & 1;

            weight *= next ? p[i].weight : 1 - p[i].weight;
            index[i] = index_by_mode(t, i, p[i].index + next);
        }
        touch_texel(t, from, index, clamp_layer(t, layer));
        if (weight == 0)
            continue;
        if (!read_texel(t, from, index, clamp_layer(t, layer), out))
            return 0;
        for (unsigned i = 0; i < 4 && is_linear; i++)
            sum[i] += weight * (double)float_of(out[i]);
    }
    for (unsigned i = 0; i < 4 && is_linear; i++)
        out[i] = bits_of((float)sum[i]);
    return 1;
}

int emu_texture_sample(const struct emu_texture *t,
                       const struct emu_texels *from, const float at[3],
                       unsigned dimensions, uint32_t layer, float lod,
                       uint32_t out[4])
{
    double wanted = (double)lod + (double)t->bias, weight;
    struct emu_texture near, far;
    uint32_t level, more[4];

    if (t->levels == 0)
        return sample_level(t, from, at, dimensions, layer, out);
    wanted = fmax(wanted, fmax((double)t->level_min, 0));
    wanted = fmin(wanted, fmin((double)t->level_max, t->levels));
    wanted = fmax(wanted, 0);
    if (!t->blends_levels || !gives_floats(t))
        wanted = floor(wanted + 0.5);
    level = (uint32_t)wanted;
    weight = floor((wanted - level) * WEIGHT_ONE + 0.5) / WEIGHT_ONE;
    near = at_level(t, level);
    if (!sample_level(&near, from, at, dimensions, layer, out))
        return 0;
    if (weight == 0 || level == t->levels)
        return 1;
    far = at_level(t, level + 1);
    if (!sample_level(&far, from, at, dimensions, layer, more))
        return 0;
    for (unsigned i = 0; i < 4; i++)
        out[i] = bits_of((float)((1 - weight) * (double)float_of(out[i]) +
                                 weight * (double)float_of(more[i])));
    return 1;
}

/* The face that `at` points to, and where on it, 0 to 1.  (Programming guide,
 * table of cube map faces) */
static uint32_t face_of(const float at[3], float on[2])
{
    float x = at[0], y = at[1], z = at[2], s, t, m;
    uint32_t face;

    if (fabsf(x) >= fabsf(y) && fabsf(x) >= fabsf(z)) {
        face = x >= 0 ? 0 : 1;
        m = fabsf(x), s = x >= 0 ? -z : z, t = -y;
    } else if (fabsf(y) >= fabsf(z)) {
        face = y >= 0 ? 2 : 3;
        m = fabsf(y), s = x, t = y >= 0 ? z : -z;
    } else {
        face = z >= 0 ? 4 : 5;
        m = fabsf(z), s = z >= 0 ? x : -x, t = -y;
    }
    on[0] = (s / m + 1) / 2;
    on[1] = (t / m + 1) / 2;
    return face;
}

int emu_texture_cube(const struct emu_texture *t, const struct emu_texels *from,
                     const float at[3], uint32_t cube, float lod,
                     uint32_t out[4])
{
    struct emu_texture face = *t;
    uint32_t cubes = t->layers / FACES, number;
    float on[3] = {0};

    number = face_of(at, on);
    face.is_relative = 1;
    face.mode[0] = face.mode[1] = ADDRESS_CLAMP;
    if (cubes != 0 && cube >= cubes)
        cube = cubes - 1;
    return emu_texture_sample(&face, from, on, 2, FACES * cube + number, lod,
                              out);
}

int emu_texture_gather(const struct emu_texture *t,
                       const struct emu_texels *from, const float at[3],
                       uint32_t layer, unsigned channel_number, uint32_t out[4])
{
    /* From the lower left one around. */
    static const uint8_t order[4][2] = {{0, 1}, {1, 1}, {1, 0}, {0, 0}};
    struct tap x = tap_of(t, 0, at[0], 1), y = tap_of(t, 1, at[1], 1);

    for (unsigned i = 0; i < 4; i++) {
        const int64_t index[3] = {index_by_mode(t, 0, x.index + order[i][0]),
                                  index_by_mode(t, 1, y.index + order[i][1]),
                                  0};
        uint32_t texel[4];

        touch_texel(t, from, index, clamp_layer(t, layer));
        if (!read_texel(t, from, index, clamp_layer(t, layer), texel))
            return 0;
        out[i] = texel[channel_number & 3];
    }
    return 1;
}

int emu_texture_fetch(const struct emu_texture *t,
                      const struct emu_texels *from, const int32_t at[3],
                      uint32_t layer, uint32_t level, uint32_t out[4])
{
    struct emu_texture one;
    int64_t index[3];

    memset(out, 0, 4 * sizeof *out);
    if (level > t->levels)
        return 1;
    one = at_level(t, level);
    for (unsigned i = 0; i < 3; i++) {
        index[i] = at[i];
        if (at[i] < 0 || (uint32_t)at[i] >= one.size[i])
            return 1;
    }
    touch_texel(&one, from, index, clamp_layer(t, layer));
    return read_texel(&one, from, index, clamp_layer(t, layer), out);
}
