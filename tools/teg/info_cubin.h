/* teg info of cubins, fatbins and programs with device code: kernels, their
 * resources and parameters. */
#ifndef TEG_TOOLS_INFO_CUBIN_H
#define TEG_TOOLS_INFO_CUBIN_H

#include <stdbool.h>
#include <stdint.h>

#include "config/gpu.h"

/* True if the file begins like one of those; a file that cannot be read does
 * not. */
bool info_is_cubin(const char *path);

/* Prints what is in the file at `path` in an enum format.  `gpu` (may be
 * NULL) is the chip whose occupancy is shown, for blocks of `threads`.
 * Returns an exit status. */
int info_cubin(const char *path, const struct teg_gpu *gpu, uint32_t threads,
               uint32_t format);

#endif
