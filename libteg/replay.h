/* A launch made ready to be replayed (include/teg/replay.h). */
#ifndef TEG_LIBTEG_REPLAY_H
#define TEG_LIBTEG_REPLAY_H

#include "libteg/point.h"

struct teg_replay {
    struct source source; /* of the thread that replays; sweeps open more */
    struct manner manner;
    char *what_ifs; /* owned: the manner's, or NULL */
    /* What the trace says. */
    char *name; /* owned */
    uint32_t grid[3], block[3], registers, shared_bytes, isa, launches;
};

#endif
