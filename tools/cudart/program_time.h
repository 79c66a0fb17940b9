/*
 * What the clocks that a program reads under `teg exec --time` show: written
 * by the runtime (tools/cudart/timeline.c), read by a preloaded library (loader/time.c).
 */
#ifndef TEG_TOOLS_CUDART_PROGRAM_TIME_H
#define TEG_TOOLS_CUDART_PROGRAM_TIME_H

#include <stdatomic.h>
#include <stdint.h>

/* The symbol. */
#define TEG_PROGRAM_TIME "teg_program_time"

struct teg_program_time {
    _Atomic int64_t shift_ns;  /* from the machine's monotonic clock */
    _Atomic int64_t frozen_ns; /* it stands there; 0: it runs */
};

#endif
