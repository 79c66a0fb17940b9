/* What cufftCreate makes. */
#ifndef TEG_TOOLS_CUFFT_PLAN_H
#define TEG_TOOLS_CUFFT_PLAN_H

#include "tools/cufft/passes.h"

enum {
    PLAN_APART, /* from here to there */
    PLAN_IN_PLACE,
    PLAN_WAYS,
};

struct plan {
    struct fft_shape shape; /* rank 0: not made yet */
    struct fft_passes passes[PLAN_WAYS];
    struct tables *tables;
    void *stream;      /* borrowed */
    int no_allocation; /* the program brings a work area */
    void *work;        /* own or borrowed */
    void *own_work;
};

/* What the shape takes; a plan that is made already cannot be made again. */
enum fft_status plan_make(struct plan *p, const struct fft_shape *shape);
void plan_clear(struct plan *p);
size_t plan_work_bytes(const struct plan *p);

/* Launches it.  `direction`: FFT_FORWARD or FFT_BACKWARD. */
enum fft_status plan_run(const struct plan *p, const void *in, void *out,
                         int direction);

#endif
