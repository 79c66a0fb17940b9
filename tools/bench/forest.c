/*
 * How long a prediction of 512 trees takes, by the size of the training data:
 * build/release/bench-forest
 *
 *     samples    trees        nodes       MB   depth   ms/prediction
 *         300      512      306,688        2    17.3          0.0142
 *
 * The forests are grown here as scikit-learn grows extremely randomised trees
 * with one candidate feature per split (random features, random thresholds
 * between the least and the greatest value, to the last sample), written in
 * the file format, and read back.  Each prediction has other features.
 */
#include "sim/learn/forest.h"

#include "isa/base/buffer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <zlib.h>

enum {
    FEATURES = 13,
    TREES = 512,
    PREDICTIONS = 2000,
};

struct growth {
    uint32_t samples;
    float (*x)[FEATURES]; /* owned, [samples] */
    uint32_t *order;      /* owned, [samples] */
    uint64_t random, nodes, depth_sum;
    struct teg_buffer *out;
};

static double uniform(struct growth *g)
{
    g->random ^= g->random >> 12;
    g->random ^= g->random << 25;
    g->random ^= g->random >> 27;
    return (double)(g->random * 0x2545f4914f6cdd1d >> 11) / 9007199254740992.0;
}

static void grow(struct growth *g, uint32_t *order, uint32_t n, uint32_t depth)
{
    uint32_t f = (uint32_t)(uniform(g) * FEATURES), left = 0, bits;
    float least, greatest, at;

    g->nodes++;
    if (n == 1) {
        g->depth_sum += depth;
        teg_buffer_u8(g->out, 0);
        teg_buffer_varint(g->out, order[0]);
        return;
    }
    least = greatest = g->x[order[0]][f];
    for (uint32_t i = 1; i < n; i++) {
        float v = g->x[order[i]][f];

        least = v < least ? v : least;
        greatest = v > greatest ? v : greatest;
    }
    at = least + (float)uniform(g) * (greatest - least);
    at = at < greatest ? at : least;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t sample = order[i];

        if (g->x[sample][f] > at)
            continue;
        order[i] = order[left];
        order[left++] = sample;
    }
    memcpy(&bits, &at, sizeof bits);
    teg_buffer_u8(g->out, (uint8_t)(f + 1));
    teg_buffer_u32(g->out, bits);
    grow(g, order, left, depth + 1);
    grow(g, order + left, n - left, depth + 1);
}

static void put_double(struct teg_buffer *b, double v)
{
    uint64_t bits;

    memcpy(&bits, &v, sizeof bits);
    teg_buffer_u64(b, bits);
}

static void write_payload(struct growth *g)
{
    struct teg_buffer *b = g->out, tree = {0};

    teg_buffer_string(b, "random points");
    teg_buffer_varint(b, FEATURES);
    for (int i = 0; i < FEATURES; i++) {
        teg_buffer_string(b, "f");
        put_double(b, 0.5);
    }
    teg_buffer_varint(b, 1);
    teg_buffer_string(b, "none");
    teg_buffer_string(b, "time");
    teg_buffer_string(b, "us");
    teg_buffer_u8(b, 1);
    teg_buffer_varint(b, g->samples);
    for (int i = 0; i < 4; i++)
        put_double(b, 1);
    for (int i = 0; i < FEATURES; i++) {
        put_double(b, 0);
        put_double(b, 1);
    }
    teg_buffer_varint(b, g->samples);
    for (uint32_t i = 0; i < g->samples; i++)
        put_double(b, uniform(g));
    teg_buffer_varint(b, TREES);
    g->out = &tree;
    for (int t = 0; t < TREES; t++) {
        uint64_t before = g->nodes;

        tree.size = 0;
        grow(g, g->order, g->samples, 0);
        teg_buffer_varint(b, g->nodes - before);
        teg_buffer_bytes(b, tree.data, tree.size);
    }
    teg_buffer_release(&tree);
    g->out = b;
}

/* Head and zlib stream around the payload. */
static void seal(struct teg_buffer *file, const struct teg_buffer *payload)
{
    struct teg_buffer body = {0};
    uLongf packed = compressBound((uLong)payload->size);

    teg_buffer_u64(&body, 0);
    teg_buffer_u64(&body, payload->size);
    teg_buffer_grow(&body, packed);
    compress2(body.data + 16, &packed, payload->data, (uLong)payload->size, 1);
    body.size = 16 + packed;
    for (int i = 0; i < 8; i++)
        body.data[i] = (uint8_t)((uint64_t)packed >> 8 * i);
    teg_buffer_bytes(file, "tegtrees", 8);
    teg_buffer_u32(file, 1);
    teg_buffer_u32(file, (uint32_t)crc32_z(0, body.data, body.size));
    teg_buffer_bytes(file, body.data, body.size);
    teg_buffer_release(&body);
}

/* Of the processor: other programs do not count. */
static double milliseconds(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

static double measure(struct growth *g, const struct teg_forest *forest)
{
    static float x[PREDICTIONS][FEATURES];
    double began, sum = 0;

    for (int i = 0; i < PREDICTIONS; i++) {
        for (int f = 0; f < FEATURES; f++)
            x[i][f] = (float)uniform(g);
    }
    began = milliseconds();
    for (int i = 0; i < PREDICTIONS; i++) {
        struct teg_forest_estimate e;

        teg_forest_evaluate(forest, 0, x[i], &e);
        sum += e.value;
    }
    return sum > 0 ? (milliseconds() - began) / PREDICTIONS : 0;
}

static int bench(uint32_t samples)
{
    struct teg_buffer payload = {0}, file = {0};
    struct growth g = {.samples = samples, .random = 9, .out = &payload};
    struct teg_forest *forest;
    struct teg_diag d;

    g.x = malloc(samples * sizeof *g.x);
    g.order = malloc(samples * sizeof *g.order);
    if (g.x == NULL || g.order == NULL)
        return 1;
    for (uint32_t i = 0; i < samples; i++) {
        g.order[i] = i;
        for (int f = 0; f < FEATURES; f++)
            g.x[i][f] = (float)uniform(&g);
    }
    write_payload(&g);
    seal(&file, &payload);
    if (teg_forest_open_memory("bench", file.data, file.size, &forest, &d) !=
        TEG_OK) {
        fprintf(stderr, "bench-forest: %s\n", d.what);
        return 1;
    }
    printf("%9u %8d %12llu %8.0f %7.1f %15.4f\n", samples, TREES,
           (unsigned long long)g.nodes, 8e-6 * (double)g.nodes,
           (double)g.depth_sum / samples / TREES, measure(&g, forest));
    teg_forest_free(forest);
    teg_buffer_release(&payload);
    teg_buffer_release(&file);
    free(g.x);
    free(g.order);
    return 0;
}

int main(void)
{
    static const uint32_t samples[] = {300, 2000, 21000};
    int status = 0;

    printf("%9s %8s %12s %8s %7s %15s\n", "samples", "trees", "nodes", "MB",
           "depth", "ms/prediction");
    for (size_t i = 0; status == 0 && i < sizeof samples / sizeof *samples; i++)
        status = bench(samples[i]);
    return status;
}
