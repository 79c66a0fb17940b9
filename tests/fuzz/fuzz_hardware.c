/* Any text as what a profiler measured: each value is one of teg's metrics, or
 * none. */
#include "tests/fuzz/common.h"
#include "tools/teg/compare/hardware.h"
#include "tools/teg/compare/metrics.h"
#include "tools/teg/compare/names.h"

static void read_table(const char *path)
{
    struct hardware measured;
    struct metric m;

    if (hardware_read(&measured, path) != 0)
        return;
    for (uint32_t i = 0; i < measured.values; i++) {
        const struct measured_value *v = &measured.value[i];

        metric_find(&m, v->name, v->unit);
        name_likeness("_ZN2ns5scaleIfLi4EEEvPfi",
                      measured.launch[v->launch].kernel);
    }
    hardware_release(&measured);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *path = fuzz_file(data, size);
    struct fuzz_voices voices = fuzz_hush();

    read_table(path);
    fuzz_unhush(voices);
    return 0;
}
