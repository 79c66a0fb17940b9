/*
 * The instruction that a what-if is about: the one that has most of what it
 * takes away, in the source line that has most of it, and what is told of it.
 *
 *     struct subjects s;
 *
 *     status = subjects_init(&s, by_pc, gpu, resident);
 *     subject_find(&s, "no-bank-conflicts", where, sizeof where);
 *         "LDS R7, [R0] at transpose.cu:9, 32-way bank conflicts"
 *     subjects_release(&s);
 */
#ifndef TEG_TOOLS_TEG_REPORT_SUBJECTS_H
#define TEG_TOOLS_TEG_REPORT_SUBJECTS_H

#include <stdbool.h>

#include "config/gpu.h"
#include "sim/collect/by_pc.h"

/* What is asked about instructions. */
struct subjects {
    const struct by_pc *b;     /* borrowed */
    const struct teg_gpu *gpu; /* borrowed */
    double *waited;  /* owned, [b->count]: warp-cycles for the one's result */
    double *sum;     /* in its memory, [b->count]: by line, for one question */
    uint32_t *first; /* owned, [b->count]: the first instruction of its line */
    double resident, bytes;
};

/* `resident`: warp-cycles of the kernel.  An exit status; what is wrong has
 * been said. */
int subjects_init(struct subjects *s, const struct by_pc *b,
                  const struct teg_gpu *gpu, uint64_t resident);
void subjects_release(struct subjects *s);

/* Whether both instructions are of one source line, and of one call if they were
 * inlined; of two without a line: whether they are one. */
bool subjects_of_one_line(const struct by_pc *b, uint32_t i, uint32_t k);

/* "" where `what_if` is about no one instruction.  Returns its index in the
 * program, UINT32_MAX if there is none. */
uint32_t subject_find(const struct subjects *s, const char *what_if, char *out,
                      size_t size);

#endif
