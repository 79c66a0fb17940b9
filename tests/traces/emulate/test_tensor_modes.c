/*
 * Copies by tensor map of pixels (im2col) and of rows that coordinates name
 * (gather4, scatter4), k57_tensor_modes.cu (sm_100a), on random tensors.  Pixels
 * are those of a convolution: an output's number, divided into its place, says
 * which input it is of; the map's corners come from padding, filter and dilation
 * as CUTLASS's do.
 */
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "tests/help_kernel.h"
#include "tests/help_suite.h"
#include "traces/emulate/core/tensor_map.h"

#define FILE_OF_KERNELS "k57_tensor_modes"

enum {
    SM = 100,
    BOX_BYTES = 16384,
    UNTOUCHED = 0x5a,
    SPACES = EMU_MAP_SPACES,
};

static int draw_to(int below)
{
    return (int)(help_draw() % (uint32_t)below);
}

/* ---- tensors -------------------------------------------------------------------- */

static void make_tensor(struct help_kernel *k, struct emu_tensor_map *m,
                        uint8_t **tensor, uint64_t *bytes)
{
    uint8_t object[EMU_MAP_BYTES];

    m->stride[0] = emu_map_element(m);
    *bytes = m->size[0] * m->stride[0];
    for (uint32_t i = 1; i < m->rank; i++) {
        m->stride[i] = (*bytes + 15) / 16 * 16 + 16 * (uint64_t)draw_to(3);
        *bytes = m->stride[i] * m->size[i];
    }
    ck_assert(emu_device_alloc(k->device, *bytes, &m->address, &k->d) ==
              TEG_OK);
    *tensor = emu_device_at(k->device, m->address, *bytes);
    for (uint64_t i = 0; i < *bytes; i++)
        (*tensor)[i] = (uint8_t)(help_draw() >> 24);
    ck_assert_msg(emu_map_check(m, &k->d) == TEG_OK, "%s", k->d.what);
    emu_map_write(m, object);
    help_value(k, object, sizeof object);
}

/* A row's element of so many bytes in shared memory. */
static uint32_t place_of(const struct emu_tensor_map *m, uint32_t row,
                         uint32_t byte)
{
    static const uint32_t patterns[] = {0, 32, 64, 128};
    uint32_t pitch = m->box[0] * emu_map_element(m), at;

    if (pitch < patterns[m->swizzle])
        pitch = patterns[m->swizzle];
    at = row * pitch + byte;
    return at ^ (at / 128 % (1u << m->swizzle)) << 4;
}

/* An element at coordinates of the tensor, or NULL. */
static uint8_t *element_at(const struct emu_tensor_map *m, uint8_t *tensor,
                           const int64_t at[EMU_MAP_RANKS])
{
    for (uint32_t i = 0; i < m->rank; i++) {
        if (at[i] < 0 || at[i] >= (int64_t)m->size[i])
            return NULL;
        tensor += at[i] * (int64_t)m->stride[i];
    }
    return tensor;
}

/* ---- pixels ---------------------------------------------------------------------- */

struct convolution {
    struct emu_tensor_map map;
    int padding[SPACES], filter[SPACES], dilation[SPACES];
    int outputs[SPACES]; /* of an image */
    int tap[SPACES];     /* of the filter: the one whose inputs are copied */
    int first;           /* output */
    int channel;
};

static void draw_convolution(struct convolution *c, uint32_t rank)
{
    struct emu_tensor_map *m = &c->map;
    uint32_t spaces = rank - 2;
    int all = 1;

    memset(c, 0, sizeof *c);
    m->rank = rank;
    m->type = draw_to(2) ? MAP_F16 : MAP_F32;
    m->swizzle = (uint32_t)draw_to(4);
    m->size[0] = 8 + (uint64_t)draw_to(90);
    m->size[rank - 1] = 1 + (uint64_t)draw_to(3);
    m->box[0] = (m->swizzle != 0 ? 16u << m->swizzle : 32) / emu_map_element(m);
    m->step[0] = m->step[rank - 1] = 1;
    m->pixels = 1 + (uint32_t)draw_to(100);
    for (uint32_t i = 0; i < spaces; i++) {
        m->size[1 + i] = 5 + (uint64_t)draw_to(9);
        m->box[1 + i] = 1;
        m->step[1 + i] = 1 + (uint32_t)draw_to(3);
        c->filter[i] = 1 + draw_to(3);
        c->dilation[i] = 1 + draw_to(2);
        c->padding[i] = draw_to(3);
        m->lower[i] = -c->padding[i];
        m->upper[i] = c->padding[i] - (c->filter[i] - 1) * c->dilation[i];
        c->outputs[i] = ((int)m->size[1 + i] + 2 * c->padding[i] -
                         (c->filter[i] - 1) * c->dilation[i] - 1) /
                            (int)m->step[1 + i] +
                        1;
        c->tap[i] = draw_to(c->filter[i]);
        all *= c->outputs[i];
    }
    m->box[rank - 1] = 1;
    c->first = draw_to(all * (int)m->size[rank - 1]);
    c->channel = draw_to((int)m->size[0]) - 4;
}

/* Coordinates of an output's place: of the input that the filter's `tap` meets, or
 * without it. */
static void input_of(const struct convolution *c, int output, int with_tap,
                     int64_t at[EMU_MAP_RANKS])
{
    const struct emu_tensor_map *m = &c->map;

    at[0] = c->channel;
    for (uint32_t i = 0; i + 2 < m->rank; i++) {
        at[1 + i] = output % c->outputs[i] * (int)m->step[1 + i] -
                    c->padding[i] + with_tap * c->tap[i] * c->dilation[i];
        output /= c->outputs[i];
    }
    at[m->rank - 1] = output;
}

static void give_coordinates(struct help_kernel *k, const int64_t at[5])
{
    for (int i = 0; i < EMU_MAP_RANKS; i++)
        help_int(k, (int)at[i]);
    k->facts.dynamic_shared = BOX_BYTES;
}

START_TEST(pixels_are_those_of_a_convolution)
{
    const uint32_t rank = (uint32_t)_i % 3 + 3;
    struct convolution c;
    struct emu_tensor_map *m = &c.map;
    int64_t at[EMU_MAP_RANKS] = {0};
    static uint8_t want[BOX_BYTES];
    struct help_kernel k;
    uint8_t *tensor, *out;
    uint64_t bytes;
    char name[16];

    help_draw_seed((uint32_t)_i + 5);
    draw_convolution(&c, rank);
    snprintf(name, sizeof name, "pixels%u", rank);
    help_kernel_open(&k, SM, FILE_OF_KERNELS, name);
    make_tensor(&k, m, &tensor, &bytes);
    out = help_buffer(&k, BOX_BYTES);
    help_int(&k, BOX_BYTES / 4);
    help_int(&k, (int)(m->pixels * m->box[0] * emu_map_element(m)));
    input_of(&c, c.first, 0, at);
    give_coordinates(&k, at);
    for (int i = 0; i < SPACES; i++) {
        int16_t offset = (int16_t)(c.tap[i] * c.dilation[i]);

        help_value(&k, &offset, sizeof offset);
    }
    help_run_kernel(&k, 1, 1, 64, 1);
    memset(want, UNTOUCHED, sizeof want);
    for (uint32_t p = 0; p < m->pixels; p++) {
        for (uint32_t e = 0; e < m->box[0]; e++) {
            uint32_t n = emu_map_element(m);
            const uint8_t *from;

            input_of(&c, c.first + (int)p, 1, at);
            at[0] += e;
            from = element_at(m, tensor, at);
            for (uint32_t i = 0; i < n; i++)
                want[place_of(m, p, e * n + i)] = from != NULL ? from[i] : 0;
        }
    }
    ck_assert_mem_eq(out, want, BOX_BYTES);
    help_kernel_close(&k);
}
END_TEST

START_TEST(pixels_are_put_where_they_come_from)
{
    struct convolution c;
    struct emu_tensor_map *m = &c.map;
    int64_t at[EMU_MAP_RANKS] = {0};
    struct help_kernel k;
    uint8_t *tensor, *in;
    uint64_t bytes;
    static uint8_t want[1 << 20];

    help_draw_seed((uint32_t)_i + 105);
    draw_convolution(&c, 4);
    help_kernel_open(&k, SM, FILE_OF_KERNELS, "put_pixels4");
    make_tensor(&k, m, &tensor, &bytes);
    ck_assert(bytes < sizeof want);
    memcpy(want, tensor, bytes);
    in = help_buffer(&k, BOX_BYTES);
    for (int i = 0; i < BOX_BYTES; i++)
        in[i] = (uint8_t)(help_draw() >> 24);
    help_int(&k, BOX_BYTES / 4);
    input_of(&c, c.first, 0, at);
    give_coordinates(&k, at);
    for (uint32_t p = 0; p < m->pixels; p++) {
        for (uint32_t e = 0; e < m->box[0]; e++) {
            uint32_t n = emu_map_element(m);
            uint8_t *to;

            input_of(&c, c.first + (int)p, 0, at);
            at[0] += e;
            to = element_at(m, want, at);
            for (uint32_t i = 0; to != NULL && i < n; i++)
                to[i] = in[place_of(m, p, e * n + i)];
        }
    }
    help_run_kernel(&k, 1, 1, 64, 1);
    ck_assert_mem_eq(tensor, want, bytes);
    help_kernel_close(&k);
}
END_TEST

/* ---- rows ------------------------------------------------------------------------- */

START_TEST(rows_are_those_that_are_named)
{
    const int loads = _i % 2;
    struct emu_tensor_map m = {.rank = 2, .step = {1, 1}};
    int64_t at[EMU_MAP_RANKS];
    static uint8_t want[1 << 20];
    struct help_kernel k;
    uint8_t *tensor, *box;
    uint64_t bytes;

    help_draw_seed((uint32_t)_i + 205);
    m.type = draw_to(2) ? MAP_BF16 : MAP_U8;
    m.swizzle = (uint32_t)draw_to(4);
    m.size[0] = 20 + (uint64_t)draw_to(200);
    m.size[1] = 5 + (uint64_t)draw_to(60);
    m.box[0] = (m.swizzle != 0 ? 16u << m.swizzle : 96) / emu_map_element(&m);
    m.box[1] = 1;
    help_kernel_open(&k, SM, FILE_OF_KERNELS, loads ? "gather" : "scatter");
    make_tensor(&k, &m, &tensor, &bytes);
    box = help_buffer(&k, BOX_BYTES);
    for (int i = 0; i < BOX_BYTES && !loads; i++)
        box[i] = (uint8_t)(help_draw() >> 24);
    help_int(&k, BOX_BYTES / 4);
    if (loads)
        help_int(&k, (int)(4 * m.box[0] * emu_map_element(&m)));
    at[0] = draw_to((int)m.size[0]) - 8;
    for (int i = 1; i < 5; i++) /* some outside; no two the same */
        at[i] = (int64_t)(7 * i + draw_to(6)) % (int64_t)(m.size[1] + 2) - 1;
    for (int i = 1; i < 5 && !loads; i++)
        at[i] = i * 3 - 4;
    give_coordinates(&k, at);
    for (int i = 0; i < 3 && loads; i++) {
        int16_t none = 0;

        help_value(&k, &none, sizeof none);
    }
    memset(want, UNTOUCHED, sizeof want);
    if (!loads)
        memcpy(want, tensor, bytes);
    for (uint32_t r = 0; r < 4; r++) {
        for (uint32_t e = 0; e < m.box[0]; e++) {
            const int64_t where[EMU_MAP_RANKS] = {at[0] + e, at[1 + r]};
            uint32_t n = emu_map_element(&m);
            uint8_t *there = element_at(&m, loads ? tensor : want, where);

            for (uint32_t i = 0; i < n; i++) {
                uint32_t place = place_of(&m, r, e * n + i);

                if (loads)
                    want[place] = there != NULL ? there[i] : 0;
                else if (there != NULL)
                    there[i] = box[place];
            }
        }
    }
    help_run_kernel(&k, 1, 1, 64, 1);
    ck_assert_mem_eq(loads ? box : tensor, want, loads ? BOX_BYTES : bytes);
    help_kernel_close(&k);
}
END_TEST

/* ---- what may not be ---------------------------------------------------------------- */

START_TEST(maps_of_another_kind_are_faults)
{
    static const struct {
        const char *kernel, *what;
        uint32_t rows;
    } rows[] = {
        {"pixels3", "expected a tensor map of im2col, found one of tiles", 1},
        {"gather", "expected a tensor map of boxes of one row, found 2", 2},
        {"gather", "expected a tensor map of 2 dimensions, found 3", 1},
    };
    struct emu_tensor_map m = {.rank = _i == 1 ? 2 : 3,
                               .type = MAP_F16,
                               .size = {64, 64, 64},
                               .box = {64, rows[_i].rows, 1},
                               .step = {1, 1, 1}};
    int64_t at[EMU_MAP_RANKS] = {0};
    struct help_kernel k;
    uint8_t *tensor;
    uint64_t bytes;
    int16_t none[3] = {0};

    help_kernel_open(&k, SM, FILE_OF_KERNELS, rows[_i].kernel);
    make_tensor(&k, &m, &tensor, &bytes);
    help_buffer(&k, BOX_BYTES);
    help_int(&k, BOX_BYTES / 4);
    help_int(&k, 128);
    give_coordinates(&k, at);
    for (int i = 0; i < 3; i++)
        help_value(&k, &none[i], sizeof none[i]);
    k.facts.grid[0] = k.facts.grid[1] = k.facts.grid[2] = 1;
    k.facts.block[0] = 32;
    k.facts.block[1] = k.facts.block[2] = 1;
    ck_assert(help_try_kernel(&k) != TEG_OK);
    ck_assert_msg(strstr(k.d.what, rows[_i].what) != NULL, "%s", k.d.what);
    ck_assert_msg(strstr(k.d.where, "block 0,0,0 warp 0") != NULL, "%s",
                  k.d.where);
    help_kernel_close(&k);
}
END_TEST

START_TEST(rules_of_maps_of_pixels)
{
    struct emu_tensor_map m = {.rank = 4,
                               .address = 64,
                               .type = MAP_F16,
                               .size = {64, 9, 9, 2},
                               .stride = {2, 128, 1152, 10368},
                               .box = {64, 1, 1, 1},
                               .step = {1, 1, 1, 1},
                               .pixels = 1024,
                               .lower = {-128, 3},
                               .upper = {127, -5}};
    struct emu_tensor_map again;
    uint8_t object[EMU_MAP_BYTES];
    struct teg_diag d;

    ck_assert(emu_map_check(&m, &d) == TEG_OK);
    emu_map_write(&m, object);
    ck_assert(emu_map_read(&again, object, &d) == TEG_OK);
    ck_assert_mem_eq(&again, &m, sizeof m);
    m.pixels = 1025;
    ck_assert(emu_map_check(&m, &d) != TEG_OK);
    m.pixels = 1;
    m.upper[0] = 128;
    ck_assert(emu_map_check(&m, &d) != TEG_OK);
    m.upper[0] = 0;
    m.lower[1] = -129;
    ck_assert(emu_map_check(&m, &d) != TEG_OK);
    m.lower[1] = 0;
    m.box[0] = 257;
    ck_assert(emu_map_check(&m, &d) != TEG_OK);
    m.box[0] = 64;
    m.rank = 2;
    ck_assert(emu_map_check(&m, &d) != TEG_OK);
}
END_TEST

HELP_MAIN("traces/tensor modes", 60,
          {pixels_are_those_of_a_convolution, HELP_ROUNDS(60)},
          {pixels_are_put_where_they_come_from, HELP_ROUNDS(20)},
          {rows_are_those_that_are_named, HELP_ROUNDS(30)},
          {maps_of_another_kind_are_faults, 3}, {rules_of_maps_of_pixels, 0})
