/* A warp in a block with some memory, on which single instructions run. */
#ifndef TEG_TESTS_TRACES_EMULATE_HELP_SINGLE_H
#define TEG_TESTS_TRACES_EMULATE_HELP_SINGLE_H

#include "traces/emulate/core/warp.h"

enum {
    HELP_BANK_BYTES = 0x10000,
    HELP_BUFFER_BYTES = 4096,
    HELP_SHARED_BYTES = 4096,
    HELP_LOCAL_BYTES = 512
};

struct help_single {
    struct emu_warp warp;
    struct emu_block block;
    struct emu_gang gang;
    struct emu_module module;
    struct teg_cubin cubin;
    struct teg_kernel kernel;
    struct teg_diag d;
    struct emu_op op;
    uint64_t buffer; /* an address of device memory */
    uint8_t bank[HELP_BANK_BYTES], shared[HELP_SHARED_BYTES],
        local[32 * HELP_LOCAL_BYTES];
};

/* NULL if there is no memory. */
struct help_single *help_single_new(void);
void help_single_free(struct help_single *h);

/* Prepares the word; returns whether there is a function for it. */
int help_single_prepare(struct help_single *h, const uint64_t word[2],
                        uint32_t cc, int plain);
/* Executes it for the lanes of `mask`, and forgets a fault. */
teg_status help_single_run(struct help_single *h, uint32_t mask);

#endif
