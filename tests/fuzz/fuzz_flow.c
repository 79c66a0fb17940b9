/* Any text as a data flow: it describes itself on its own machine and on a plain
 * chip, or it is refused. */
#include "sim/models/flow_file.h"

#include <stdlib.h>

#include "tests/fuzz/common.h"
#include "tests/help_gpu.h"

static void describe(struct flow_file *f, const struct flow_machine *m)
{
    static struct dataflow flow;
    struct teg_diag d;

    flow_file_describe(f, m, &flow, &d);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct teg_gpu gpu;
    struct flow_machine m;
    struct flow_file *f;
    struct teg_diag d;

    if (flow_file_open(fuzz_file(data, size), &f, &d) != TEG_OK)
        return 0;
    if (flow_file_machine(f, &m, &d) == TEG_OK)
        describe(f, &m);
    help_gpu_plain(&gpu);
    flow_machine_of(&m, &gpu);
    describe(f, &m);
    flow_file_free(f);
    return 0;
}
