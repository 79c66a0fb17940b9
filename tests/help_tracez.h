/* Writes .tracez files for tests: the layout of docs/nvbit.md, from text. */
#ifndef TEG_TESTS_HELP_TRACEZ_H
#define TEG_TESTS_HELP_TRACEZ_H

#include "isa/base/buffer.h"

struct help_tracez_warp {
    uint32_t block;           /* x; warps of a block follow each other */
    const char *const *piece; /* instruction lines of each sub-chunk */
    uint32_t pieces;
    uint32_t insts; /* declared */
};

/* Appends the file to `out`.  `dictionary` may be NULL. */
void help_tracez(struct teg_buffer *out, const char *header,
                 const char *dictionary, const struct help_tracez_warp *warp,
                 uint32_t warps);

#endif
