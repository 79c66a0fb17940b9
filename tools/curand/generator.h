/* What curandCreateGenerator makes. */
#ifndef TEG_TOOLS_CURAND_GENERATOR_H
#define TEG_TOOLS_CURAND_GENERATOR_H

#include "tools/curand/rand.h"
#include "tools/vendor/launch.h"

struct kind;

struct generator {
    const struct kind *kind;
    int on_host;
    enum rand_order order;
    unsigned long long seed;
    unsigned long long
        offset;          /* words before the next result, of all streams in
                                  turn; what the row it is in has begun is not
                                  counted */
    void *stream;        /* borrowed */
    int is_ready;        /* the memory below is made */
    struct rand_run run; /* owns state, vectors, scramble and tables */
    double lambda;       /* of the table; 0: there is none */
    int is_searched;
};

/* RAND_TYPE_ERROR: no such type, or teg has none, which is said. */
enum rand_status generator_make(struct generator *g, int type, int on_host);
void generator_clear(struct generator *g);

enum rand_status generator_set_seed(struct generator *g,
                                    unsigned long long seed);
enum rand_status generator_set_offset(struct generator *g,
                                      unsigned long long offset);
enum rand_status generator_set_order(struct generator *g, int order);
enum rand_status generator_set_dimensions(struct generator *g, unsigned n);

/* Makes the streams' states, which is done at the first results otherwise. */
enum rand_status generator_prepare(struct generator *g);

/* n results into `out`. */
enum rand_status generator_run(struct generator *g, enum rand_distribution d,
                               void *out, size_t n, double mean,
                               double deviation);
enum rand_status generator_run_poisson(struct generator *g, unsigned *out,
                                       size_t n, double lambda);
/* Words of 64 bits, of generators that have them; others have those of 32. */
int generator_is_wide(const struct generator *g);

#endif
