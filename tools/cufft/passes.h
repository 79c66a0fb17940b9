/* Which launches a transform takes. */
#ifndef TEG_TOOLS_CUFFT_PASSES_H
#define TEG_TOOLS_CUFFT_PASSES_H

#include "tools/cufft/tables.h"
#include "tools/vendor/launch.h"

enum fft_place {
    PLACE_IN,
    PLACE_OUT,
    PLACE_WORK,
    PLACES,
};

struct fft_launch {
    struct fft_pass pass; /* but for its addresses */
    enum fft_place from, to;
    size_t from_offset, to_offset; /* bytes */
    const char *kernel;
    struct vendor_grid grid;
};

struct fft_passes {
    struct fft_launch *launch; /* of forward transforms; of others
                                  FFT_INVERSE is the other way */
    int count;
    size_t work_bytes;
};

/* `in_place`: for shapes without a layout.  FFT_INVALID_SIZE: what is too long,
 * FFT_ALLOC_FAILED. */
enum fft_status passes_make(struct fft_passes *p, const struct fft_shape *shape,
                            int in_place, struct tables **tables);
void passes_free(struct fft_passes *p);

#endif
