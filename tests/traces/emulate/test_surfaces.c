/* Surfaces, as the programming guide has them (k34_texture.cu). */
#include "tests/traces/emulate/pictures.h"

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

HELP_MAIN("traces/surfaces", 60, {surfaces_and_their_edges, HELP_GENERATIONS},
          {a_surface_ends, HELP_GENERATIONS},
          {widths_and_shapes_of_surfaces, HELP_GENERATIONS})
