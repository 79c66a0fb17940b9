/*
 * A trained regression forest, read from a file and evaluated: what time or
 * power a launch with these features takes on each GPU it was trained for.
 *
 * The file (docs/forest-format.md) is checked before anything of it is used:
 * checksum, every count against the bytes there are, every index, every tree
 * for being one.  Trees are then laid out for evaluation: 8 bytes a node,
 * siblings side by side, a few levels in each cache line; several trees are
 * descended at once, so that their cache misses overlap.
 *
 * Trees may hold by what factor a target differs from an estimate of it, a sum
 * of products of features, never below the least target of the training data.
 *
 * The trees' mean is scikit-learn's to the last bit: a feature is a 32-bit
 * float, it goes left if it is not above the threshold, and the trees' values
 * are added in double precision in the order of the trees, then divided by
 * their number.
 */
#ifndef TEG_SIM_LEARN_FOREST_H
#define TEG_SIM_LEARN_FOREST_H

#include "isa/base/status.h"

enum {
    TEG_FOREST_FEATURES_MAX = 250,
};

struct teg_forest;

/* What one forest of the file predicts, and how it was made. */
struct teg_forest_model {
    char gpu[64];
    char target[16]; /* "time", "power" */
    char unit[16];   /* "us", "W" */
    int is_log;      /* the trees hold natural logarithms of the target ... */
    int is_over;     /* ... over an estimate of it, a sum of products of
                        features, which grows beyond the training data */
    uint64_t samples;
    double target_min, target_max; /* of the training data, in `unit` */
    /* Mean absolute percentage error when each sample, and when each kernel
     * with all its sizes, was left out; NAN: not measured. */
    double sample_out_percent, kernel_out_percent;
    uint32_t trees;
    uint64_t nodes;
};

struct teg_forest_estimate {
    double mean;      /* of the trees, in the trees' scale */
    double spread;    /* their standard deviation, likewise */
    double value;     /* in the model's unit */
    double low, high; /* the value one standard deviation away */
    double over;      /* the estimate, in the model's unit; 1 without one */
};

teg_status teg_forest_open(const char *path, struct teg_forest **forest,
                           struct teg_diag *d);
/* The same from memory, which is not kept; `name` stands for the file. */
teg_status teg_forest_open_memory(const char *name, const uint8_t *bytes,
                                  size_t size, struct teg_forest **forest,
                                  struct teg_diag *d);
void teg_forest_free(struct teg_forest *forest);

/* What it was trained on, a sentence or two for people. */
const char *teg_forest_trained_on(const struct teg_forest *forest);

uint32_t teg_forest_features(const struct teg_forest *forest);
const char *teg_forest_feature(const struct teg_forest *forest, uint32_t i);
/* The median of the training data, for a feature that is not known. */
double teg_forest_usual(const struct teg_forest *forest, uint32_t i);

uint32_t teg_forest_models(const struct teg_forest *forest);
const struct teg_forest_model *teg_forest_model(const struct teg_forest *forest,
                                                uint32_t model);
/* The least and greatest value of feature `i` that `model` was trained on. */
void teg_forest_range(const struct teg_forest *forest, uint32_t model,
                      uint32_t i, double *least, double *greatest);

/* `x` are the features, none of them NAN.  Allocates nothing. */
void teg_forest_evaluate(const struct teg_forest *forest, uint32_t model,
                         const float *x, struct teg_forest_estimate *e);

#endif
