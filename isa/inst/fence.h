/*
 * Fences: MEMBAR and its scope, FENCE.VIEW.ASYNC.
 */
#ifndef TEG_ISA_INST_FENCE_H
#define TEG_ISA_INST_FENCE_H

/* Whom a fence makes a warp's accesses visible to. */
enum teg_fence {
    FENCE_NONE, /* no fence */
    FENCE_BLOCK,
    FENCE_GPU,
    FENCE_SYSTEM,
    FENCE_ASYNC, /* what is in shared memory, to copies and products */
    TEG_FENCES
};

/* What an instruction of this text is. */
enum teg_fence teg_fence_of(const char *text);

#endif
