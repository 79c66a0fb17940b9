#include "tests/traces/emulate/help_single.h"

#include <stdlib.h>
#include <string.h>

#include "tests/traces/emulate/help_words.h"
#include "traces/emulate/core/tensor_memory.h"

struct help_single *help_single_new(void)
{
    static char name[] = "one instruction";
    size_t size = (sizeof(struct help_single) + 63) / 64 * 64;
    struct help_single *h = aligned_alloc(64, size);

    if (h == NULL)
        return NULL;
    memset(h, 0, size);
    if (emu_device_new(&h->block.device, &h->d) != TEG_OK ||
        emu_device_alloc(h->block.device, HELP_BUFFER_BYTES, &h->buffer,
                         &h->d) != TEG_OK) {
        help_single_free(h);
        return NULL;
    }
    h->kernel.name = name;
    h->module.cubin = &h->cubin;
    h->module.device = h->block.device;
    h->gang.block = &h->block;
    h->gang.blocks = 1;
    h->block.gang = &h->gang;
    h->block.cluster = &h->block;
    h->block.cluster_blocks = 1;
    h->block.alive = EMU_LANES;
    h->block.kernel = &h->kernel;
    h->block.module = &h->module;
    h->block.bank[0].data = h->bank;
    h->block.bank[0].size = sizeof h->bank;
    h->block.shared = h->shared;
    h->block.shared_bytes = sizeof h->shared;
    h->block.local = h->local;
    h->block.tensor = calloc(1, sizeof *h->block.tensor);
    if (h->block.tensor == NULL) {
        help_single_free(h);
        return NULL;
    }
    h->block.tensor->taken = 0x00ff; /* half of it is allocated */
    h->block.local_bytes = HELP_LOCAL_BYTES;
    h->block.warp = &h->warp;
    h->block.warps = 1;
    h->block.d = &h->d;
    for (unsigned i = 0; i < 3; i++)
        h->block.dim[i] = h->block.grid[i] = 1;
    h->block.dim[0] = EMU_LANES;
    h->warp.block = &h->block;
    h->warp.exists = EMU_ALL;
    h->warp.p[7] = EMU_ALL;
    h->warp.up[7] = 1;
    return h;
}

void help_single_free(struct help_single *h)
{
    if (h != NULL) {
        emu_device_free(h->block.device);
        free(h->block.tensor);
    }
    free(h);
}

int help_single_prepare(struct help_single *h, const uint64_t word[2],
                        uint32_t cc, int plain)
{
    uint8_t bytes[TEG_SASS_BYTES];

    help_word_bytes(word, bytes);
    h->block.cc = cc;
    h->kernel.isa = cc;
    emu_op_prepare(&h->op, bytes, 0x40, cc, plain);
    return h->op.exec != NULL;
}

teg_status help_single_run(struct help_single *h, uint32_t mask)
{
    struct emu_fixed fixed = {0};
    teg_status status = emu_fixed_init(&fixed, &h->op, 1, &h->block, &h->d);

    if (status == TEG_OK) {
        h->block.status = TEG_OK;
        h->warp.active = mask;
        h->warp.in[LANE_RUNS] = mask;
        h->op.exec(&h->warp, &h->op, mask);
        status = h->block.status;
        h->block.status = TEG_OK;
    }
    emu_fixed_release(&fixed);
    return status;
}
