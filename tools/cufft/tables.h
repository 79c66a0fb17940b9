/* What transforms multiply by, on the device. */
#ifndef TEG_TOOLS_CUFFT_TABLES_H
#define TEG_TOOLS_CUFFT_TABLES_H

#include "tools/cufft/fft.h"

enum fft_table {
    TABLE_ROOTS,    /* w^k, w = exp(-2 pi i / n), k < n */
    TABLE_HALVES,   /* exp(-pi i k / n), k < n: the first half of 2 n's roots */
    TABLE_CHIRP,    /* exp(-pi i k^2 / n), k < n */
    TABLE_SPECTRUM, /* the transform of what the chirp mirrors, over
                       length_around(n) elements and that many times smaller */
};

struct tables;

/* A table; made when it is first asked for.  NULL: no memory. */
const void *tables_get(struct tables **t, enum fft_table kind, unsigned n,
                       int is_double);
void tables_free(struct tables *t);

#endif
