/* Any text as a kernel sketch, whose first blocks are walked.  A few letters can
 * ask for any number of instructions, so warps are cut short. */
#include "tests/fuzz/common.h"
#include "traces/sketch/sketch.h"

enum {
    STEPS_MAX = 5000, /* of a warp */
    BLOCKS_MAX = 4,
};

static void walk(struct teg_launch *launch)
{
    struct teg_block *block;
    struct teg_diag d;

    for (int n = 0; n < BLOCKS_MAX; n++) {
        if (launch->next(launch->self, &block, &d) != TEG_OK || block == NULL)
            return;
        fuzz_walk_block(block);
        teg_block_free(block);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct teg_sketch_options options = {.steps_max = STEPS_MAX};
    struct teg_launch launch;
    struct teg_sketch *sketch;
    struct teg_diag d;

    if (teg_sketch_parse("fuzz.sketch", (const char *)data, size, &options,
                         &sketch, &d) != TEG_OK)
        return 0;
    if (teg_sketch_launch(sketch, &launch, &d) == TEG_OK) {
        walk(&launch);
        if (launch.close != NULL)
            launch.close(launch.self);
    }
    teg_sketch_close(sketch);
    return 0;
}
