/* teg info of cubins, fatbins, programs with device code and listings: kernels,
 * their resources and parameters. */
#ifndef TEG_TOOLS_TEG_COMMANDS_INFO_CUBIN_H
#define TEG_TOOLS_TEG_COMMANDS_INFO_CUBIN_H

#include <stdint.h>

#include "config/gpu.h"

/* Prints what is in the file at `path`, of `bytes`, in a format
 * of format_names.  `gpu`
 * (may be NULL) is the chip whose occupancy is shown, for blocks of `threads`.
 * Returns an exit status. */
int info_cubin(const char *path, const struct teg_gpu *gpu, uint32_t threads,
               uint64_t bytes, uint32_t format);

#endif
