/*
 * Launches that would do again what an earlier one did: the same kernel with
 * the same shape and parameters, all memory that it used in the state in which
 * the earlier one left it, none of which it both read and wrote.  What such a
 * launch would write stands there already.  Programs that time a kernel launch
 * it hundreds of times so.
 */
#ifndef TEG_TOOLS_CUDART_REPEAT_H
#define TEG_TOOLS_CUDART_REPEAT_H

#include "tools/cudart/launch.h"

struct written; /* tracer.h */

/* All that a launch is, but for memory. */
struct launch_key {
    const struct function *function;
    struct launch_shape shape;
    const uint8_t *params; /* borrowed */
    size_t param_bytes;
    uint64_t settings; /* changes of texture objects and limits so far */
};

/* What is known of a launch that was run. */
struct launch_done {
    uint64_t warp_insts;
    struct written *trace; /* borrowed; NULL: not traced */
};

struct repeats;

/* NULL if there is no memory: then none is found. */
struct repeats *repeats_new(void);
/* The launch that this one would repeat, NULL if there is none. */
struct launch_done *repeats_find(struct repeats *r,
                                 const struct emu_device *device,
                                 const struct launch_key *key);
/* The launch has ended well, watched by emu_device_watch. */
void repeats_note(struct repeats *r, struct emu_device *device,
                  const struct launch_key *key, const struct launch_done *done);

#endif
