/* Any bytes as a trace of any kind, replayed on a V100 of few SMs: it ends with
 * every warp-cycle accounted for, or with a diagnostic. */
#include <stdlib.h>

#include "sim/teg.h"
#include "tests/fuzz/common.h"

enum {
    CYCLES_MAX = 1 << 20,
};

static int progress(void *self, uint64_t blocks, uint64_t cycle)
{
    (void)self;
    (void)blocks;
    return cycle > CYCLES_MAX;
}

static void replay(struct teg_launch *launch)
{
    static const struct teg_simulation_options options = {.sms = 2,
                                                          .progress = progress};
    static struct teg_statistics s;
    struct teg_diag d;
    uint64_t all;

    if (teg_simulate(launch, fuzz_chip(), &options, &s, &d) != TEG_OK)
        return;
    all = s.warp_instructions;
    for (uint32_t i = 0; i < TEG_STALLS; i++)
        all += s.stall[i];
    if (all != s.resident_warp_cycles)
        abort();
}

/* Whether launch `i` is one to replay. */
static int is_fit(struct teg_trace *trace, uint32_t i)
{
    struct teg_launch launch;
    int fit;

    if (teg_trace_launch(trace, i, &launch, NULL) != TEG_OK)
        return 0;
    fit = teg_kernel_blocks(launch.kernel) <= 64 &&
          fuzz_is_short(&launch, FUZZ_INSTS_MAX);
    if (launch.close != NULL)
        launch.close(launch.self);
    return fit;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct teg_trace_options options = {.isa = 70};
    struct teg_launch launch;
    struct teg_trace *trace;
    struct teg_diag d;

    if (teg_trace_open(fuzz_file(data, size), &options, &trace, &d) != TEG_OK)
        return 0;
    if (is_fit(trace, 0) && teg_trace_launch(trace, 0, &launch, &d) == TEG_OK) {
        replay(&launch);
        if (launch.close != NULL)
            launch.close(launch.self);
    }
    teg_trace_close(trace);
    return 0;
}
