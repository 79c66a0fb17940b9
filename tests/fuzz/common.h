/* What the fuzz programs share: bytes as a file, and a trace of any kind walked
 * or replayed to its end. */
#ifndef TEG_TESTS_FUZZ_COMMON_H
#define TEG_TESTS_FUZZ_COMMON_H

#include <stddef.h>
#include <stdint.h>

#include "traces/trace.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum {
    FUZZ_INSTS_MAX = 1 << 16, /* of a launch; longer ones are left */
};

/* The path of a file that holds these bytes, until the next call. */
const char *fuzz_file(const uint8_t *data, size_t size);

/* The V100's description. */
const struct teg_gpu *fuzz_chip(void);

/* Takes what is printed from whoever watches the fuzzer, until it is given
 * back what was returned. */
struct fuzz_voices {
    int out, err;
};
struct fuzz_voices fuzz_hush(void);
void fuzz_unhush(struct fuzz_voices voices);

/* Opens the bytes as a trace and, if its format is one of `formats` (bits of
 * enum teg_trace_format), walks every block of every launch. */
void fuzz_walk(const uint8_t *data, size_t size, unsigned formats);

/* Every instruction of a block, with its addresses and values. */
void fuzz_walk_block(struct teg_block *block);

/* Whether the launch has no more than `max` instructions, as its blocks tell:
 * the launch is walked. */
int fuzz_is_short(struct teg_launch *launch, uint64_t max);

#endif
