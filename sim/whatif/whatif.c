#include "isa/base/nearest.h"
#include "sim/teg.h"
#include "sim/whatif/alike.h"
#include "sim/whatif/gpu_change.h"
#include "sim/whatif/idle.h"
#include "sim/whatif/spread.h"
#include "sim/whatif/stream_change.h"

#include <stdio.h>
#include <string.h>

#define DOUBLE_PREFIX "double:"

static const struct teg_whatif list[] = {
#define WHATIF(name, gpu, inst, drop, block, idle, help)     {name, help},
#define PROGRAM(name, inst, drop, block, launch, idle, help) {name, help},
#include "sim/whatif/whatif.def"
#undef WHATIF
#undef PROGRAM
};

enum {
    WHATIFS = sizeof list / sizeof *list
};

#define gpu_change_NONE    NULL
#define stream_change_NONE NULL
#define stream_drop_NONE   NULL
#define NONE_wrap          NULL
#define idle_NONE          NULL
typedef teg_status launch_wrap(const struct teg_gpu *gpu,
                               struct teg_launch *launch, struct teg_diag *d);

static const struct change {
    gpu_change *gpu;
    struct stream_change stream;
    launch_wrap *launch;
    idle_rule *idle;
} changes[WHATIFS] = {
#define STREAM(inst_, drop_, block_)                                \
    {                                                               \
        .inst = stream_change_##inst_, .drop = stream_drop_##drop_, \
        .block = stream_change_##block_                             \
    }
#define WHATIF(name, gpu, inst, drop, block, idle, help) \
    {gpu_change_##gpu, STREAM(inst, drop, block), NULL, idle_##idle},
#define PROGRAM(name, inst, drop, block, launch, idle, help) \
    {NULL, STREAM(inst, drop, block), launch##_wrap, idle_##idle},
#include "sim/whatif/whatif.def"
#undef WHATIF
#undef PROGRAM
};

static const struct teg_whatif at_line[] = {
#define AT_LINE(name, inst, change, help) {name, help},
#include "sim/whatif/at_line.def"
#undef AT_LINE
};

enum {
    AT_LINES = sizeof at_line / sizeof *at_line
};

#define line_change_NONE NULL
static const struct stream_change line_changes[AT_LINES] = {
#define AT_LINE(name, inst_, change, help) \
    {.inst = stream_change_##inst_, .line = line_change_##change},
#include "sim/whatif/at_line.def"
#undef AT_LINE
};

/* ",no-bank-conflicts,coalesced": all that leave the program alone. */
static const char all_names[] =
#define WHATIF(name, gpu, inst, drop, block, idle, help) "," name
#define PROGRAM(name, inst, drop, block, launch, idle, help)
#include "sim/whatif/whatif.def"
#undef WHATIF
#undef PROGRAM
    ;

const struct teg_whatif *teg_whatifs_at_line(uint32_t *count)
{
    *count = AT_LINES;
    return at_line;
}

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

    if (stream->inst != NULL || stream->drop != NULL || stream->block != NULL)
        TRY(stream_change_wrap(stream, launch, d));
    if (changes[row].launch != NULL)
        TRY(changes[row].launch(gpu, launch, d));
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

/* Splits "coalesced@transpose.cu:25"; the row in line_changes, AT_LINES if it
 * is not of that form or has no such name. */
static uint32_t find_at_line(const char *name, size_t length,
                             struct line_place *place)
{
    const char *at = memchr(name, '@', length);
    const char *end = name + length, *colon = end;
    uint32_t row = 0;
    uint64_t line = 0;

    while (row < AT_LINES &&
           (at == NULL || !same(name, (size_t)(at - name), at_line[row].name)))
        row++;
    if (row == AT_LINES)
        return AT_LINES;
    while (colon > at && *colon != ':')
        colon--;
    if (colon <= at + 1 || colon + 1 == end ||
        (size_t)(colon - at - 1) >= sizeof place->file)
        return AT_LINES;
    for (const char *p = colon + 1; p < end; p++) {
        if (*p < '0' || *p > '9' || line > UINT32_MAX / 10)
            return AT_LINES;
        line = 10 * line + (uint64_t)(*p - '0');
    }
    *place = (struct line_place){.line = (uint32_t)line};
    memcpy(place->file, at + 1, (size_t)(colon - at - 1));
    return line != 0 ? row : AT_LINES;
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
    struct line_place place;

    return find_row(name, length) < WHATIFS ||
           find_at_line(name, length, &place) < AT_LINES ||
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

/* A program that is read with its blocks has none yet. */
static int has_line(const struct teg_program *p, const struct line_place *place)
{
    for (uint32_t i = 0; i < p->count; i++) {
        if (line_place_has(place, p, &p->inst[i]))
            return 1;
    }
    return p->count == 0;
}

static teg_status apply_at_line(uint32_t row, const struct line_place *place,
                                struct teg_launch *launch, struct teg_diag *d)
{
    struct stream_change change = line_changes[row];

    if (!has_line(&launch->kernel->program, place))
        return teg_fail(d, TEG_UNKNOWN, "what-if",
                        "expected a line that has instructions, found %s:%u",
                        place->file, place->line);
    change.place = *place;
    return stream_change_wrap(&change, launch, d);
}

static teg_status apply_one(const char *name, size_t length,
                            struct teg_gpu *gpu, struct teg_launch *launch,
                            struct teg_diag *d)
{
    uint32_t row = find_row(name, length);
    uint32_t unit = find_doubled(name, length, gpu);
    struct line_place place;

    if (row < WHATIFS)
        return apply_row(row, gpu, launch, d);
    row = find_at_line(name, length, &place);
    if (row < AT_LINES)
        return apply_at_line(row, &place, launch, d);
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

/* ---- those that change nothing ------------------------------------------- */

/* Copies of whole structs, so that what lies between members is the same. */
static int leaves_gpu(const struct change *c, const struct teg_gpu *gpu)
{
    struct teg_gpu changed;

    memcpy(&changed, gpu, sizeof changed);
    if (c->gpu != NULL)
        c->gpu(&changed);
    return memcmp(&changed, gpu, sizeof changed) == 0;
}

static int leaves_program(const struct change *c, const struct teg_program *p)
{
    struct teg_inst inst;

    for (uint32_t i = 0; i < p->count; i++) {
        memcpy(&inst, &p->inst[i], sizeof inst);
        if (c->stream.inst != NULL)
            c->stream.inst(&inst, p);
        if (memcmp(&inst, &p->inst[i], sizeof inst) != 0 ||
            (c->stream.drop != NULL && c->stream.drop(p, i)))
            return 0;
    }
    return 1;
}

/* Whether all it changes is which transactions accesses become. */
static int changes_coalescing(const struct change *c, const struct teg_gpu *gpu,
                              struct teg_gpu *changed)
{
    struct teg_gpu rest;

    memcpy(changed, gpu, sizeof *changed);
    if (c->gpu != NULL)
        c->gpu(changed);
    memcpy(&rest, changed, sizeof rest);
    rest.memory.coalescing = gpu->memory.coalescing;
    return changed->memory.coalescing != gpu->memory.coalescing &&
           memcmp(&rest, gpu, sizeof rest) == 0;
}

teg_status teg_whatif_is_alike(const char *name, const struct teg_gpu *gpu,
                               struct teg_launch *launch, int *alike,
                               struct teg_diag *d)
{
    uint32_t row = find_row(name, strlen(name));
    const struct change *c = &changes[row];
    struct teg_gpu changed;

    *alike = 0;
    if (row == WHATIFS || c->launch != NULL || c->stream.inst != NULL ||
        c->stream.drop != NULL)
        return TEG_OK;
    if (c->stream.block != NULL && leaves_gpu(c, gpu))
        return alike_blocks(c->stream.block, launch, alike, d);
    if (c->stream.block == NULL && changes_coalescing(c, gpu, &changed))
        return alike_transactions(gpu, &changed, launch, alike, d);
    return TEG_OK;
}

int teg_whatif_is_idle(const char *name, const struct teg_gpu *gpu,
                       const struct teg_kernel *kernel,
                       const struct teg_statistics *s)
{
    const struct idle_run run = {gpu, kernel, s};
    uint32_t row = find_row(name, strlen(name));
    uint32_t unit = find_doubled(name, strlen(name), gpu);
    const struct change *c;

    if (kernel->program.count == 0 || !s->simulated)
        return 0;
    if (row == WHATIFS)
        return unit != gpu->unit_count && idle_double_unit(&run, unit);
    c = &changes[row];
    if (teg_whatif_warms(name) || !leaves_program(c, &kernel->program))
        return 0;
    return (c->idle != NULL && c->idle(&run)) ||
           (c->stream.block == NULL && c->launch == NULL && leaves_gpu(c, gpu));
}
