#include "isa/base/nearest.h"
#include "sim/teg.h"
#include "sim/whatif/gpu_change.h"
#include "sim/whatif/stream_change.h"

#include <stdio.h>
#include <string.h>

#define DOUBLE_PREFIX "double:"

static const struct teg_whatif list[] = {
#define WHATIF(name, gpu, inst, block, help) {name, help},
#include "sim/whatif/whatif.def"
#undef WHATIF
};

enum {
    WHATIFS = sizeof list / sizeof *list
};

#define gpu_change_NONE    NULL
#define stream_change_NONE NULL
static const struct {
    gpu_change *gpu;
    struct stream_change stream;
} changes[WHATIFS] = {
#define WHATIF(name, gpu, inst, block, help) \
    {gpu_change_##gpu, {stream_change_##inst, stream_change_##block}},
#include "sim/whatif/whatif.def"
#undef WHATIF
};

const struct teg_whatif *teg_whatifs(uint32_t *count)
{
    *count = WHATIFS;
    return list;
}

static teg_status apply_row(uint32_t row, struct teg_gpu *gpu,
                            struct teg_launch *launch, struct teg_diag *d)
{
    const struct stream_change *stream = &changes[row].stream;

    if (stream->inst != NULL || stream->block != NULL)
        TRY(stream_change_wrap(stream, launch, d));
    if (changes[row].gpu != NULL)
        changes[row].gpu(gpu);
    return TEG_OK;
}

static teg_status unknown(const char *name, const struct teg_gpu *gpu,
                          struct teg_diag *d)
{
    char doubled[TEG_MAX_UNITS][sizeof DOUBLE_PREFIX + sizeof gpu->unit->name];
    struct teg_nearest nearest;

    teg_nearest_init(&nearest, name);
    for (uint32_t i = 0; i < WHATIFS; i++)
        teg_nearest_offer(&nearest, list[i].name);
    for (uint32_t i = 0; i < gpu->unit_count; i++) {
        snprintf(doubled[i], sizeof doubled[i], DOUBLE_PREFIX "%s",
                 gpu->unit[i].name);
        teg_nearest_offer(&nearest, doubled[i]);
    }
    return teg_fail(d, TEG_UNKNOWN, "what-if",
                    "unknown name '%s'; did you mean '%s'?", name,
                    nearest.best);
}

teg_status teg_whatif_apply(const char *name, struct teg_gpu *gpu,
                            struct teg_launch *launch, struct teg_diag *d)
{
    size_t prefix = strlen(DOUBLE_PREFIX);

    for (uint32_t i = 0; i < WHATIFS; i++) {
        if (strcmp(list[i].name, name) == 0)
            return apply_row(i, gpu, launch, d);
    }
    for (uint32_t i = 0; i < gpu->unit_count; i++) {
        if (strncmp(name, DOUBLE_PREFIX, prefix) == 0 &&
            strcmp(name + prefix, gpu->unit[i].name) == 0) {
            gpu_change_double_unit(gpu, i);
            return TEG_OK;
        }
    }
    return unknown(name, gpu, d);
}
