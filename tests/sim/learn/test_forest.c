/* A forest evaluates as scikit-learn does, and a damaged file is refused. */
#include "sim/learn/forest.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "isa/base/buffer.h"
#include "tests/help_launch.h"
#include "tests/help_suite.h"

#define FOREST "tests/golden/sklearn.forest"

static struct teg_diag diag;

static struct teg_buffer file_bytes(void)
{
    struct teg_buffer b = {0};

    ck_assert_int_eq(teg_buffer_file(&b, FOREST, &diag), TEG_OK);
    return b;
}

/* ---- evaluation --------------------------------------------------------------- */

/* Every row of sklearn.csv, bit by bit. */
START_TEST(predictions_are_those_of_scikit_learn)
{
    struct teg_forest *forest;
    char line[256];
    int rows = 0;
    FILE *f = fopen("tests/golden/sklearn.csv", "r");

    ck_assert_ptr_nonnull(f);
    ck_assert_int_eq(teg_forest_open(FOREST, &forest, &diag), TEG_OK);
    ck_assert_ptr_nonnull(fgets(line, sizeof line, f));
    while (fgets(line, sizeof line, f) != NULL) {
        struct teg_forest_estimate e;
        uint32_t model, bits[4];
        uint64_t expected, found;
        float x[4];

        ck_assert_int_eq(sscanf(line,
                                "%" SCNu32 ",%" SCNx32 ",%" SCNx32 ",%" SCNx32
                                ",%" SCNx32 ",%" SCNx64,
                                &model, &bits[0], &bits[1], &bits[2], &bits[3],
                                &expected),
                         6);
        memcpy(x, bits, sizeof x);
        teg_forest_evaluate(forest, model, x, &e);
        memcpy(&found, &e.mean, sizeof found);
        ck_assert_msg(found == expected, "row %d: %016" PRIx64, rows, found);
        rows++;
    }
    ck_assert_int_gt(rows, 400);
    fclose(f);
    teg_forest_free(forest);
}
END_TEST

START_TEST(the_file_says_what_it_holds)
{
    struct teg_forest *forest;
    const struct teg_forest_model *m;
    double least, greatest;

    ck_assert_int_eq(teg_forest_open(FOREST, &forest, &diag), TEG_OK);
    ck_assert_str_eq(teg_forest_trained_on(forest), "sixty made-up points");
    ck_assert_uint_eq(teg_forest_features(forest), 4);
    ck_assert_str_eq(teg_forest_feature(forest, 1), "global_bytes");
    ck_assert_uint_eq(teg_forest_models(forest), 5);
    m = teg_forest_model(forest, 0);
    ck_assert_str_eq(m->gpu, "a");
    ck_assert_str_eq(m->target, "time");
    ck_assert_str_eq(m->unit, "us");
    ck_assert_int_eq(m->is_log, 1);
    ck_assert_uint_eq(m->samples, 60);
    ck_assert_uint_eq(m->trees, 24);
    ck_assert_double_eq(m->sample_out_percent, 12.5);
    ck_assert(isnan(m->kernel_out_percent));
    teg_forest_range(forest, 0, 3, &least, &greatest);
    ck_assert_double_eq(least, 0);
    ck_assert_double_eq(greatest, 2);
    teg_forest_free(forest);
}
END_TEST

/* P8 and P9 of the specification: a constant target comes back; nothing lies
 * outside the targets, however far the features do. */
START_TEST(predictions_stay_within_the_training_targets)
{
    static const float far[][4] = {
        {0, 0, 0, 0}, {1e30f, 1e30f, 1e30f, 1e30f}, {-1e30f, 1e30f, -1e30f, 1}};
    struct teg_forest *forest;

    ck_assert_int_eq(teg_forest_open(FOREST, &forest, &diag), TEG_OK);
    for (uint32_t m = 0; m < teg_forest_models(forest); m++) {
        const struct teg_forest_model *facts = teg_forest_model(forest, m);

        for (int i = 0; i < 3; i++) {
            struct teg_forest_estimate e;

            teg_forest_evaluate(forest, m, far[i], &e);
            ck_assert_double_ge(e.value, facts->target_min * (1 - 1e-12));
            ck_assert_double_le(e.value, facts->target_max * (1 + 1e-12));
            ck_assert_double_le(e.low, e.value);
            ck_assert_double_ge(e.high, e.value);
        }
    }
    teg_forest_free(forest);
}
END_TEST

START_TEST(a_constant_target_is_returned)
{
    static const float x[4] = {5, 6, 7, 8};
    struct teg_forest *forest;
    struct teg_forest_estimate e;

    ck_assert_int_eq(teg_forest_open(FOREST, &forest, &diag), TEG_OK);
    teg_forest_evaluate(forest, 4, x, &e);
    ck_assert_double_eq(e.value, 7.25);
    ck_assert_double_eq(e.spread, 0);
    teg_forest_free(forest);
}
END_TEST

/* ---- damage ---------------------------------------------------------------------- */

static teg_status open_bytes(const uint8_t *bytes, size_t size)
{
    struct teg_forest *forest = NULL;
    teg_status status;

    diag.what[0] = '\0';
    status = teg_forest_open_memory("f", bytes, size, &forest, &diag);
    if (status == TEG_OK)
        teg_forest_free(forest);
    else
        ck_assert_int_ne(diag.what[0], '\0');
    return status;
}

START_TEST(a_truncated_file_is_refused_at_every_length)
{
    struct teg_buffer b = file_bytes();

    for (size_t n = 0; n < b.size; n++)
        ck_assert_int_eq(open_bytes(b.data, n), TEG_FORMAT);
    ck_assert_int_eq(open_bytes(b.data, b.size), TEG_OK);
    teg_buffer_release(&b);
}
END_TEST

START_TEST(an_altered_file_is_refused_at_every_byte)
{
    struct teg_buffer b = file_bytes();

    for (size_t i = 0; i < b.size; i++) {
        b.data[i] ^= (uint8_t)(1u << i % 8);
        ck_assert_int_eq(open_bytes(b.data, b.size), TEG_FORMAT);
        b.data[i] ^= (uint8_t)(1u << i % 8);
    }
    b.data[40] ^= 1;
    open_bytes(b.data, b.size);
    ck_assert_ptr_nonnull(strstr(diag.what, "altered"));
    teg_buffer_release(&b);
}
END_TEST

START_TEST(another_version_is_named)
{
    struct teg_buffer b = file_bytes();

    b.data[8] = 3;
    ck_assert_int_eq(open_bytes(b.data, b.size), TEG_FORMAT);
    ck_assert_ptr_nonnull(strstr(diag.what, "version 1 to 2"));
    ck_assert_ptr_nonnull(strstr(diag.what, "found 3"));
    b.data[8] = 0;
    ck_assert_int_eq(open_bytes(b.data, b.size), TEG_FORMAT);
    teg_buffer_release(&b);
}
END_TEST

/* A file whose checksum is right, whatever its payload is. */
static struct teg_buffer sealed_as(uint32_t version, const uint8_t *payload,
                                   size_t size)
{
    uLongf packed = compressBound((uLong)size);
    struct teg_buffer b = {0}, body = {0};

    teg_buffer_u64(&body, 0);
    teg_buffer_u64(&body, size);
    teg_buffer_grow(&body, packed);
    compress2(body.data + 16, &packed, payload, (uLong)size, 0);
    body.size = 16 + packed;
    for (int i = 0; i < 8; i++)
        body.data[i] = (uint8_t)(packed >> 8 * i);
    teg_buffer_bytes(&b, "tegtrees", 8);
    teg_buffer_u32(&b, version);
    teg_buffer_u32(&b, (uint32_t)crc32_z(0, body.data, body.size));
    teg_buffer_bytes(&b, body.data, body.size);
    teg_buffer_release(&body);
    return b;
}

static struct teg_buffer sealed(const uint8_t *payload, size_t size)
{
    return sealed_as(1, payload, size);
}

static struct teg_buffer payload(void)
{
    struct teg_buffer file = file_bytes(), b = {0};
    uLongf size = 1 << 20;

    teg_buffer_grow(&b, size);
    ck_assert_int_eq(
        uncompress(b.data, &size, file.data + 32, (uLong)file.size - 32), Z_OK);
    b.size = size;
    teg_buffer_release(&file);
    return b;
}

static teg_status open_payload(const uint8_t *bytes, size_t size)
{
    struct teg_buffer b = sealed(bytes, size);
    teg_status status = open_bytes(b.data, b.size);

    teg_buffer_release(&b);
    return status;
}

/* Damage that the checksum does not find, because whoever made it sealed it. */
START_TEST(a_wrong_payload_is_an_error_or_a_forest)
{
    struct teg_buffer p = payload();
    int refused = 0;

    ck_assert_int_eq(open_payload(p.data, p.size), TEG_OK);
    for (size_t n = 0; n < p.size; n += n < 600 ? 1 : 97)
        ck_assert_int_eq(open_payload(p.data, n), TEG_FORMAT);
    for (size_t i = 0; i < p.size; i += i < 600 ? 1 : 13) {
        p.data[i] ^= (uint8_t)(1u << i % 8);
        refused += open_payload(p.data, p.size) != TEG_OK;
        p.data[i] ^= (uint8_t)(1u << i % 8);
    }
    ck_assert_int_gt(refused, 100);
    teg_buffer_release(&p);
}
END_TEST

/* A minimal model up to its trees. */
static void begin_model(struct teg_buffer *b)
{
    teg_buffer_string(b, "t");
    teg_buffer_varint(b, 1); /* features */
    teg_buffer_string(b, "blocks");
    teg_buffer_u64(b, 0);
    teg_buffer_varint(b, 1); /* models */
    teg_buffer_string(b, "g");
    teg_buffer_string(b, "time");
    teg_buffer_string(b, "us");
    teg_buffer_u8(b, 0);
    teg_buffer_varint(b, 2);
    for (int i = 0; i < 6; i++) /* targets, errors, range */
        teg_buffer_u64(b, 0);
    teg_buffer_varint(b, 2); /* leaf values: 0 and 1 */
    teg_buffer_u64(b, 0);
    teg_buffer_u64(b, 0x3ff0000000000000);
}

static void split(struct teg_buffer *b, uint8_t feature, uint32_t threshold)
{
    teg_buffer_u8(b, (uint8_t)(feature + 1));
    teg_buffer_u32(b, threshold);
}

static void leaf(struct teg_buffer *b, uint64_t number)
{
    teg_buffer_u8(b, 0);
    teg_buffer_varint(b, number);
}

static void refused(struct teg_buffer *b, const char *because)
{
    ck_assert_int_eq(open_payload(b->data, b->size), TEG_FORMAT);
    ck_assert_msg(strstr(diag.what, because) != NULL, "'%s' instead of '%s'",
                  diag.what, because);
    teg_buffer_release(b);
}

START_TEST(a_billion_nodes_are_not_believed)
{
    struct teg_buffer b = {0};

    begin_model(&b);
    teg_buffer_varint(&b, 1);
    teg_buffer_varint(&b, 1000000000);
    for (int i = 0; i < 100; i++)
        leaf(&b, 0);
    refused(&b, "number of nodes");
    begin_model(&b);
    teg_buffer_varint(&b, 1000000000);
    leaf(&b, 0);
    refused(&b, "number of trees");
}
END_TEST

/* The head claims more bytes than a zlib stream of its size can hold. */
START_TEST(a_claim_beyond_what_zlib_packs_is_refused)
{
    struct teg_buffer p = payload(), b = sealed(p.data, p.size);
    uint32_t sum;

    b.data[24 + 5] = 1; /* 2^40 bytes */
    sum = (uint32_t)crc32_z(0, b.data + 16, b.size - 16);
    for (int i = 0; i < 4; i++)
        b.data[12 + i] = (uint8_t)(sum >> 8 * i);
    ck_assert_int_eq(open_bytes(b.data, b.size), TEG_FORMAT);
    ck_assert_ptr_nonnull(strstr(diag.what, "1032 times"));
    teg_buffer_release(&b);
    teg_buffer_release(&p);
}
END_TEST

START_TEST(what_is_no_tree_is_refused)
{
    struct teg_buffer b = {0};

    begin_model(&b);
    teg_buffer_varint(&b, 1);
    teg_buffer_varint(&b, 2); /* a leaf, and another beside it */
    leaf(&b, 0);
    leaf(&b, 1);
    refused(&b, "last leaf");
    begin_model(&b);
    teg_buffer_varint(&b, 1);
    teg_buffer_varint(&b, 2); /* a split with one child */
    split(&b, 0, 0);
    leaf(&b, 1);
    refused(&b, "two children");
    begin_model(&b);
    teg_buffer_varint(&b, 1);
    teg_buffer_varint(&b, 3);
    split(&b, 1, 0); /* only feature 0 is there */
    leaf(&b, 0);
    leaf(&b, 1);
    refused(&b, "a feature of the list");
    begin_model(&b);
    teg_buffer_varint(&b, 1);
    teg_buffer_varint(&b, 3);
    split(&b, 0, 0x7fc00000); /* not a number */
    leaf(&b, 0);
    leaf(&b, 1);
    refused(&b, "finite");
    begin_model(&b);
    teg_buffer_varint(&b, 1);
    teg_buffer_varint(&b, 3);
    split(&b, 0, 0);
    leaf(&b, 0);
    leaf(&b, 2); /* of two values */
    refused(&b, "number of a leaf's value");
    begin_model(&b);
    teg_buffer_varint(&b, 1);
    teg_buffer_varint(&b, 1);
    leaf(&b, 1);
    teg_buffer_u8(&b, 0);
    refused(&b, "the end");
}
END_TEST

/* A tree that is a chain, as deep as it has splits: x is split at 0, 1, 2 ... */
START_TEST(a_chain_of_splits_is_descended_to_its_end)
{
    enum {
        SPLITS = 5000
    };
    struct teg_buffer b = {0}, file;
    struct teg_forest *forest;
    struct teg_forest_estimate e;

    begin_model(&b);
    teg_buffer_varint(&b, 1);
    teg_buffer_varint(&b, 2 * SPLITS + 1);
    for (int i = 0; i < SPLITS; i++) {
        float threshold = (float)i;
        uint32_t bits;

        memcpy(&bits, &threshold, sizeof bits);
        split(&b, 0, bits);
        leaf(&b, 0);
    }
    leaf(&b, 1);
    file = sealed(b.data, b.size);
    ck_assert_int_eq(
        teg_forest_open_memory("f", file.data, file.size, &forest, &diag),
        TEG_OK);
    teg_forest_evaluate(forest, 0, (float[]){SPLITS - 1.0f}, &e);
    ck_assert_double_eq(e.value, 0);
    teg_forest_evaluate(forest, 0, (float[]){SPLITS - 0.5f}, &e);
    ck_assert_double_eq(e.value, 1);
    teg_forest_free(forest);
    teg_buffer_release(&file);
    teg_buffer_release(&b);
}
END_TEST

/* ---- over an estimate ------------------------------------------------------ */

static void put_double(struct teg_buffer *b, double v)
{
    uint64_t bits;

    memcpy(&bits, &v, sizeof bits);
    teg_buffer_u64(b, bits);
}

/* A model of two features, x and y, over an estimate of at least 2 whose terms
 * follow. */
static void begin_over(struct teg_buffer *b, uint32_t terms)
{
    teg_buffer_string(b, "t");
    teg_buffer_varint(b, 2);
    teg_buffer_string(b, "x");
    teg_buffer_u64(b, 0);
    teg_buffer_string(b, "y");
    teg_buffer_u64(b, 0);
    teg_buffer_varint(b, 1);
    teg_buffer_string(b, "g");
    teg_buffer_string(b, "time");
    teg_buffer_string(b, "us");
    teg_buffer_u8(b, 2);
    teg_buffer_varint(b, 2);
    put_double(b, 2); /* targets */
    put_double(b, 9);
    for (int i = 0; i < 6; i++) /* errors, ranges */
        teg_buffer_u64(b, 0);
    teg_buffer_varint(b, terms);
}

static void term(struct teg_buffer *b, double coefficient, uint32_t factors,
                 uint64_t first, uint64_t second)
{
    put_double(b, coefficient);
    teg_buffer_varint(b, factors);
    if (factors > 0)
        teg_buffer_varint(b, first);
    if (factors > 1)
        teg_buffer_varint(b, second);
}

/* One tree, a leaf. */
static void end_over(struct teg_buffer *b, double factor)
{
    teg_buffer_varint(b, 1);
    put_double(b, log(factor));
    teg_buffer_varint(b, 1);
    teg_buffer_varint(b, 1);
    leaf(b, 0);
}

static teg_status open_over(struct teg_buffer *b, struct teg_forest **forest)
{
    struct teg_buffer file = sealed_as(2, b->data, b->size);
    teg_status status =
        teg_forest_open_memory("f", file.data, file.size, forest, &diag);

    teg_buffer_release(&file);
    teg_buffer_release(b);
    return status;
}

/* Half of 1 + 3 y + x x y, and never of less than 2. */
START_TEST(an_estimate_grows_beyond_the_training_data)
{
    struct teg_buffer b = {0};
    struct teg_forest *forest;
    struct teg_forest_estimate e;

    begin_over(&b, 3);
    term(&b, 1, 0, 0, 0);
    term(&b, 3, 1, 1, 0);
    put_double(&b, 1);
    teg_buffer_varint(&b, 3);
    for (int i = 0; i < 3; i++)
        teg_buffer_varint(&b, i == 2);
    end_over(&b, 0.5);
    ck_assert_int_eq(open_over(&b, &forest), TEG_OK);
    ck_assert_int_eq(teg_forest_model(forest, 0)->is_over, 1);
    ck_assert_int_eq(teg_forest_model(forest, 0)->is_log, 1);
    teg_forest_evaluate(forest, 0, (float[]){10, 100}, &e);
    ck_assert_double_eq(e.over, 1 + 300 + 10000);
    ck_assert_double_eq_tol(e.value, e.over / 2, 1e-9);
    ck_assert_double_eq_tol(e.low, e.high, 1e-9);
    teg_forest_evaluate(forest, 0, (float[]){5, 0}, &e);
    ck_assert_double_eq(e.over, 2);
    ck_assert_double_eq_tol(e.value, 1, 1e-12);
    teg_forest_free(forest);
}
END_TEST

/* What multiplies to more than a double holds, or to no number. */
START_TEST(no_estimate_is_beyond_the_largest_number)
{
    static const float far[2] = {3e38f, 3e38f};
    struct teg_buffer b = {0};
    struct teg_forest *forest;
    struct teg_forest_estimate e;

    begin_over(&b, 1);
    term(&b, 1e300, 2, 0, 1);
    end_over(&b, 8);
    ck_assert_int_eq(open_over(&b, &forest), TEG_OK);
    teg_forest_evaluate(forest, 0, far, &e);
    ck_assert(isfinite(e.over) && isfinite(e.value) && isfinite(e.high));
    teg_forest_free(forest);
    begin_over(&b, 2);
    term(&b, 1e300, 2, 0, 1);
    term(&b, -1e300, 2, 0, 1);
    end_over(&b, 8);
    ck_assert_int_eq(open_over(&b, &forest), TEG_OK);
    teg_forest_evaluate(forest, 0, far, &e);
    ck_assert_double_eq(e.over, 2);
    teg_forest_free(forest);
}
END_TEST

static void refused_over(struct teg_buffer *b, const char *because)
{
    struct teg_forest *forest;

    ck_assert_int_eq(open_over(b, &forest), TEG_FORMAT);
    ck_assert_msg(strstr(diag.what, because) != NULL, "'%s' instead of '%s'",
                  diag.what, because);
}

START_TEST(a_wrong_estimate_is_refused)
{
    struct teg_buffer b = {0};

    begin_over(&b, 0);
    refused_over(&b, "number of an estimate's terms");
    begin_over(&b, 65);
    for (int i = 0; i < 65; i++)
        term(&b, 1, 0, 0, 0);
    refused_over(&b, "number of an estimate's terms");
    begin_over(&b, 1);
    term(&b, (double)INFINITY, 0, 0, 0);
    end_over(&b, 1);
    refused_over(&b, "finite");
    begin_over(&b, 1);
    term(&b, 1, 5, 0, 0);
    end_over(&b, 1);
    refused_over(&b, "number of a product's features");
    begin_over(&b, 1);
    term(&b, 1, 1, 2, 0);
    end_over(&b, 1);
    refused_over(&b, "number of a feature");
    /* A file of version 1 has none. */
    begin_over(&b, 1);
    term(&b, 1, 0, 0, 0);
    end_over(&b, 1);
    refused(&b, "0 or 1 for the scale");
}
END_TEST

/* A tree in the order of the file, as the test keeps it to descend it itself. */
struct plain {
    struct {
        int is_split;
        float threshold;
        uint32_t right; /* or, of a leaf, the number of its value */
    } node[6000];
    uint32_t count;
};

/* Splits [low, high] at random places until a part has `least` or fewer. */
static void grow_plain(struct plain *t, struct teg_buffer *b, uint32_t low,
                       uint32_t high, uint32_t least, uint32_t *random)
{
    uint32_t at = t->count++, bits;

    *random = *random * 1664525 + 1013904223;
    t->node[at].is_split = high - low > least;
    if (!t->node[at].is_split) {
        t->node[at].right = *random >> 31;
        leaf(b, t->node[at].right);
        return;
    }
    t->node[at].threshold = (float)(low + (*random >> 8) % (high - low));
    memcpy(&bits, &t->node[at].threshold, sizeof bits);
    split(b, 0, bits);
    grow_plain(t, b, low, (uint32_t)t->node[at].threshold, least, random);
    t->node[at].right = t->count;
    grow_plain(t, b, (uint32_t)t->node[at].threshold + 1, high, least, random);
}

/* More trees than are descended at once, of 1 to 4,000 nodes, which fill
 * several lines and pages: the mean is that of descending each as it stands. */
START_TEST(many_trees_of_any_size_give_the_mean_of_their_leaves)
{
    enum {
        TREES = 300,
        RANGE = 2000
    };
    static struct plain tree[TREES];
    struct teg_buffer b = {0}, file;
    struct teg_forest *forest;
    uint32_t random = 7, largest = 0;

    begin_model(&b);
    teg_buffer_varint(&b, TREES);
    for (uint32_t t = 0; t < TREES; t++) {
        struct teg_buffer nodes = {0};

        tree[t].count = 0;
        grow_plain(&tree[t], &nodes, 0, t % 7 == 0 ? 3 : RANGE, t % 40,
                   &random);
        teg_buffer_varint(&b, tree[t].count);
        teg_buffer_bytes(&b, nodes.data, nodes.size);
        teg_buffer_release(&nodes);
        largest = tree[t].count > largest ? tree[t].count : largest;
    }
    ck_assert_uint_gt(largest, 2000);
    file = sealed(b.data, b.size);
    ck_assert_int_eq(
        teg_forest_open_memory("f", file.data, file.size, &forest, &diag),
        TEG_OK);
    for (uint32_t i = 0; i < 500; i++) {
        float x = (float)(i * 9 % (2 * RANGE)) / 2;
        struct teg_forest_estimate e;
        double sum = 0;

        for (uint32_t t = 0; t < TREES; t++) {
            uint32_t at = 0;

            while (tree[t].node[at].is_split)
                at = x > tree[t].node[at].threshold ? tree[t].node[at].right
                                                    : at + 1;
            sum += tree[t].node[at].right;
        }
        teg_forest_evaluate(forest, 0, &x, &e);
        ck_assert_double_eq(e.mean, sum / TREES);
    }
    teg_forest_free(forest);
    teg_buffer_release(&file);
    teg_buffer_release(&b);
}
END_TEST

HELP_MAIN("forest", 60, {an_estimate_grows_beyond_the_training_data, 0},
          {no_estimate_is_beyond_the_largest_number, 0},
          {a_wrong_estimate_is_refused, 0},
          {predictions_are_those_of_scikit_learn, 0},
          {the_file_says_what_it_holds, 0},
          {predictions_stay_within_the_training_targets, 0},
          {a_constant_target_is_returned, 0},
          {a_truncated_file_is_refused_at_every_length, 0},
          {an_altered_file_is_refused_at_every_byte, 0},
          {another_version_is_named, 0},
          {a_wrong_payload_is_an_error_or_a_forest, 0},
          {a_billion_nodes_are_not_believed, 0},
          {a_claim_beyond_what_zlib_packs_is_refused, 0},
          {what_is_no_tree_is_refused, 0},
          {a_chain_of_splits_is_descended_to_its_end, 0},
          {many_trees_of_any_size_give_the_mean_of_their_leaves, 0})
