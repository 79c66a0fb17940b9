/*
 * What a program did on the device, in order, as far as its list says so.
 */
#ifndef TEG_TRACES_LIST_STEP_H
#define TEG_TRACES_LIST_STEP_H

#include <stdint.h>

struct teg_step {
    uint32_t kernel;   /* of the list, where `launches` is not 0 */
    uint32_t launches; /* one after the other; 0: no kernel */
    /* Else what is written: by a copy from the host or on the device, or by a
     * memory set. */
    uint64_t address, bytes;
    int rests; /* or the host waits for the device, which has nothing to do then */
};

#endif
