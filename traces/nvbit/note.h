/* Remarks of the NVBit readers, placed as "path:line", or as "path" for
 * line 0. */
#ifndef TEG_TRACES_NVBIT_NOTE_H
#define TEG_TRACES_NVBIT_NOTE_H

#include "traces/base/kernel.h"

/* Adds to a kernel's notes; cheap from the second of a kind on. */
void nvbit_note(struct teg_kernel *kernel, const char *kind, const char *path,
                uint64_t line, const char *format, ...) TEG_PRINTF(5, 6);

#endif
