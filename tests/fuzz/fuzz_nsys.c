/* Any text as what nsys exports of a run, in time on a V100, printed in every
 * format. */
#include <stdlib.h>
#include <string.h>

#include "tests/fuzz/common.h"
#include "tools/teg/program/program.h"

static void run(const char *path, uint32_t format, struct teg_gpu *gpu)
{
    struct timed p = {.title = path, .measured = true, .rows = 5};

    p.job.gpu = gpu;
    p.job.format = format;
    if (timed_import(&p, path) == EXIT_DONE && timed_play(&p) == EXIT_DONE)
        timed_write(&p);
    timed_release(&p);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct teg_gpu gpu;
    const char *path = fuzz_file(data, size);
    struct fuzz_voices voices = fuzz_hush();

    gpu = *fuzz_chip();
    run(path, (uint32_t)(size % 4), &gpu);
    fuzz_unhush(voices);
    return 0;
}
