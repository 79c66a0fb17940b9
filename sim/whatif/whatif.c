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

/* ",no-bank-conflicts,coalesced": all of them. */
static const char all_names[] =
#define WHATIF(name, gpu, inst, block, help) "," name
#include "sim/whatif/whatif.def"
#undef WHATIF
    ;

const struct teg_whatif *teg_whatifs(uint32_t *count)
{
    *count = WHATIFS;
    return list;
}

uint32_t teg_whatif_trials(const struct teg_gpu *gpu)
{
    return 1 + WHATIFS + gpu->unit_count;
}

const char *teg_whatif_trial(const struct teg_gpu *gpu, uint32_t i,
                             char name[TEG_WHATIF_NAME_SIZE])
{
    const char *prefix = i > WHATIFS ? DOUBLE_PREFIX : "";
    const char *rest = i == 0         ? "all"
                       : i <= WHATIFS ? list[i - 1].name
                                      : gpu->unit[i - WHATIFS - 1].name;

    snprintf(name, TEG_WHATIF_NAME_SIZE, "%s%s", prefix, rest);
    return i == 0 ? all_names + 1 : name;
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

static teg_status unknown(const char *name, size_t length,
                          const struct teg_gpu *gpu, struct teg_diag *d)
{
    char doubled[TEG_MAX_UNITS][sizeof DOUBLE_PREFIX + sizeof gpu->unit->name];
    char typed[256]; /* more of it makes no name nearer */
    struct teg_nearest nearest;

    snprintf(typed, sizeof typed, "%.*s", (int)length, name);
    teg_nearest_init(&nearest, typed);
    for (uint32_t i = 0; i < WHATIFS; i++)
        teg_nearest_offer(&nearest, list[i].name);
    for (uint32_t i = 0; i < gpu->unit_count; i++) {
        snprintf(doubled[i], sizeof doubled[i], DOUBLE_PREFIX "%s",
                 gpu->unit[i].name);
        teg_nearest_offer(&nearest, doubled[i]);
    }
    return teg_fail(d, TEG_UNKNOWN, "what-if",
                    "unknown name '%.*s'; did you mean '%s'?", (int)length,
                    name, nearest.best);
}

static int same(const char *name, size_t length, const char *known)
{
    return strlen(known) == length && memcmp(name, known, length) == 0;
}

/* Returns WHATIFS if it is none of the fixed ones. */
static uint32_t find_row(const char *name, size_t length)
{
    uint32_t row = 0;

    while (row < WHATIFS && !same(name, length, list[row].name))
        row++;
    return row;
}

/* The unit that "double:<unit>" names; gpu->unit_count if none. */
static uint32_t find_doubled(const char *name, size_t length,
                             const struct teg_gpu *gpu)
{
    size_t prefix = strlen(DOUBLE_PREFIX);
    uint32_t unit = 0;

    if (length < prefix || memcmp(name, DOUBLE_PREFIX, prefix) != 0)
        return gpu->unit_count;
    while (unit < gpu->unit_count &&
           !same(name + prefix, length - prefix, gpu->unit[unit].name))
        unit++;
    return unit;
}

const char *teg_whatif_next(const char **names, size_t *length)
{
    const char *name = *names + strspn(*names, ",");

    *length = strcspn(name, ",");
    *names = name + *length;
    return *length != 0 ? name : NULL;
}

int teg_whatif_known(const char *name, size_t length, const struct teg_gpu *gpu)
{
    return find_row(name, length) < WHATIFS ||
           find_doubled(name, length, gpu) < gpu->unit_count;
}

int teg_whatif_warms(const char *names)
{
    const char *name;
    size_t length;

    while ((name = teg_whatif_next(&names, &length)) != NULL) {
        if (same(name, length, "warm-caches"))
            return 1;
    }
    return 0;
}

static teg_status apply_one(const char *name, size_t length,
                            struct teg_gpu *gpu, struct teg_launch *launch,
                            struct teg_diag *d)
{
    uint32_t row = find_row(name, length);
    uint32_t unit = find_doubled(name, length, gpu);

    if (row < WHATIFS)
        return apply_row(row, gpu, launch, d);
    if (unit == gpu->unit_count)
        return unknown(name, length, gpu, d);
    gpu_change_double_unit(gpu, unit);
    return TEG_OK;
}

teg_status teg_whatif_apply(const char *names, struct teg_gpu *gpu,
                            struct teg_launch *launch, struct teg_diag *d)
{
    const char *name;
    size_t length;

    while ((name = teg_whatif_next(&names, &length)) != NULL)
        TRY(apply_one(name, length, gpu, launch, d));
    return TEG_OK;
}
