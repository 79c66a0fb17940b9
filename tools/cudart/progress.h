/*
 * How far a launch is, on a terminal, from its second second on:
 *
 *     teg: gemm_kernel: 1204 of 65536 blocks, 2:31 left
 *
 * which goes away when the launch has ended.
 */
#ifndef TEG_TOOLS_CUDART_PROGRESS_H
#define TEG_TOOLS_CUDART_PROGRESS_H

#include <stdint.h>

struct progress {
    const char *kernel; /* as it is printed; borrowed */
    uint64_t blocks, done;
    double began, shown_at; /* s of the machine's clock; 0: not shown */
    int terminal;
};

void progress_begin(struct progress *p, const char *kernel, uint64_t blocks);
/* One block more is done. */
void progress_step(void *self);
/* Takes the line away, before something else is printed or at the end. */
void progress_hide(struct progress *p);

#endif
