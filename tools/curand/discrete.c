#include "tools/curand/discrete.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/curand/poisson.h"

enum {
    METHOD_HISTOGRAM = 5, /* curandMethod */
    METHOD_NORMAL = 7,
    NORMAL_FROM = 2000, /* lambda */
};

/* What the program's kernels find: all in one piece of memory. */
struct histogram {
    void *level, *host_level;
    void *other, *host_other;
    unsigned host_gen;
};

struct shifted {
    void *histogram, *host_histogram;
    unsigned shift, length, host_gen;
};

struct discrete {
    void *self;
    void *shifted, *host_shifted;
    double deviation, mean;
    int method;
    unsigned host_gen;
};

struct piece {
    struct discrete discrete;
    struct shifted shifted;
    struct histogram histogram;
    double level[];
};

static void fill(struct piece *p, char *at, const struct rand_poisson *table)
{
    size_t levels = table->length * sizeof *table->level;

    p->discrete.shifted = at + offsetof(struct piece, shifted);
    p->shifted.histogram = at + offsetof(struct piece, histogram);
    p->shifted.shift = table->shift;
    p->shifted.length = table->length;
    p->histogram.level = at + offsetof(struct piece, level);
    p->histogram.other = at + offsetof(struct piece, level) + levels;
    memcpy(p->level, table->level, levels);
    memcpy((char *)p->level + levels, table->other,
           table->length * sizeof *table->other);
}

enum rand_status discrete_make_poisson(void **out, double lambda)
{
    enum rand_status status = RAND_ALLOCATION_FAILED;
    struct rand_poisson table = {0};
    struct piece *p;
    size_t bytes;

    if (!(lambda > 0 && lambda <= POISSON_MOST))
        return RAND_OUT_OF_RANGE;
    if (lambda < NORMAL_FROM && !poisson_make(&table, lambda, 0))
        return RAND_ALLOCATION_FAILED;
    bytes =
        sizeof *p + table.length * (sizeof *table.level + sizeof *table.other);
    p = calloc(1, bytes);
    if (p != NULL && cudaMalloc(out, bytes) == 0) {
        p->discrete.self = *out;
        p->discrete.mean = lambda;
        p->discrete.deviation = sqrt(lambda);
        p->discrete.method =
            table.length > 0 ? METHOD_HISTOGRAM : METHOD_NORMAL;
        if (table.length > 0)
            fill(p, *out, &table);
        status = cudaMemcpy(*out, p, bytes, COPY_HOST_TO_DEVICE) == 0
                     ? RAND_SUCCESS
                     : RAND_LAUNCH_FAILURE;
    }
    free(p);
    free((void *)table.level);
    free((void *)table.other);
    return status;
}

enum rand_status discrete_free(void *distribution)
{
    return cudaFree(distribution) == 0 ? RAND_SUCCESS : RAND_NOT_INITIALIZED;
}
