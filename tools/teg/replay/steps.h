/*
 * The launches of a program in the order in which they ran, for caches that
 * one launch leaves to the next.
 *
 * A list says what ran when (traces/list/step.h); any other trace is its
 * kernels, one after the other.  A kernel that is launched many times is two
 * steps: the first launch, and one that stands for all later ones: of those that come
 * behind what most of them do, since the kernel's launch before, the first.
 */
#ifndef TEG_TOOLS_TEG_REPLAY_STEPS_H
#define TEG_TOOLS_TEG_REPLAY_STEPS_H

#include <stdbool.h>
#include <stddef.h>

#include "traces/trace.h"

struct step {
    uint32_t kernel;   /* of the trace */
    uint32_t launches; /* that it stands for */
    bool later;        /* it is one that stands for all but the first */
    bool itself;       /* a launch of its kernel comes right before it, too */
    /* What comes before it and is no step: of the trace's steps those that write, and
     * launches that an earlier step stands for. */
    size_t from, to;
};

/* `*steps` is the caller's to free.  Returns how many there are, 0 out of
 * memory. */
uint32_t steps_of(const struct teg_trace *trace, struct step **steps);

#endif
