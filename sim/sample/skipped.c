#include "sim/sample/skipped.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "config/gpu.h"
#include "sim/engine/engine.h"

enum {
    FILLS = 4,   /* of L2, after which what was there before is forgotten */
    MANY = 4096, /* things are noted; of more the older half is forgotten */
};

enum what {
    WRITE,
    REST,
    LAUNCH
};

struct thing {
    uint64_t address, bytes;
    uint32_t number;
    enum what what;
};

/* Of a trace. */
struct known {
    uint64_t asked; /* sectors of L2, when it passed last */
    bool taken;     /* its latest launch is among what is done */
};

struct teg_skipped {
    const struct teg_gpu *gpu;
    struct thing *thing; /* owned, [count], in order */
    uint32_t count, room;
    struct known *known; /* owned, [traces] */
    uint32_t traces;
};

struct teg_skipped *teg_skipped_new(const struct teg_gpu *gpu)
{
    struct teg_skipped *s = calloc(1, sizeof *s);

    if (s != NULL)
        s->gpu = gpu;
    return s;
}

void teg_skipped_free(struct teg_skipped *s)
{
    if (s == NULL)
        return;
    free(s->thing);
    free(s->known);
    free(s);
}

static void note(struct teg_skipped *s, struct thing thing)
{
    if (s->count == MANY) {
        s->count /= 2;
        memmove(s->thing, s->thing + s->count, s->count * sizeof *s->thing);
    }
    if (s->count == s->room) {
        uint32_t room = s->room * 2 + 16;
        struct thing *more = realloc(s->thing, room * sizeof *more);

        if (more == NULL)
            return;
        s->thing = more;
        s->room = room;
    }
    s->thing[s->count++] = thing;
}

void teg_skipped_write(struct teg_skipped *s, uint64_t address, uint64_t bytes)
{
    note(s, (struct thing){.what = WRITE, .address = address, .bytes = bytes});
}

void teg_skipped_rest(struct teg_skipped *s)
{
    if (s->count == 0 || s->thing[s->count - 1].what != REST)
        note(s, (struct thing){.what = REST});
}

static bool know(struct teg_skipped *s, uint32_t number)
{
    uint32_t traces = number + number / 2 + 16;
    struct known *known;

    if (number < s->traces)
        return true;
    known = realloc(s->known, traces * sizeof *known);
    if (known == NULL)
        return false;
    memset(known + s->traces, 0, (traces - s->traces) * sizeof *known);
    s->known = known;
    s->traces = traces;
    return true;
}

void teg_skipped_launch(struct teg_skipped *s, uint32_t number)
{
    if (s->gpu->l2.bytes > 0 && know(s, number))
        note(s, (struct thing){.what = LAUNCH, .number = number});
}

/* From where on things matter; launches that do not are made rests of none. */
static uint32_t choose(struct teg_skipped *s, bool *launches)
{
    uint64_t fills = FILLS * (uint64_t)s->gpu->l2.bytes / TEG_SECTOR_BYTES;
    uint64_t asked = 0;
    uint32_t from = s->count;

    *launches = false;
    while (from > 0 && asked < fills) {
        struct thing *t = &s->thing[--from];
        struct known *k;

        if (t->what == WRITE)
            asked += t->bytes / TEG_SECTOR_BYTES;
        if (t->what != LAUNCH)
            continue;
        k = &s->known[t->number];
        if (k->taken) {
            *t = (struct thing){.what = WRITE};
            continue;
        }
        asked += k->asked;
        *launches = k->taken = true;
    }
    return from;
}

static teg_status pass(struct teg_skipped *s, teg_skipped_open *open,
                       void *self, uint32_t number, struct sim_memory *memory,
                       struct teg_diag *d)
{
    struct sim_passed passed = {0};
    struct teg_launch launch;
    teg_status status;

    TRY(open(self, number, &launch, d));
    status = sim_engine_pass(&launch, s->gpu, memory, &passed, d);
    if (launch.close != NULL)
        launch.close(launch.self);
    s->known[number].asked = passed.asked;
    return status;
}

static teg_status do_one(struct teg_skipped *s, const struct thing *t,
                         teg_skipped_open *open, void *self,
                         struct sim_memory **memory, struct teg_diag *d)
{
    switch (t->what) {
    case WRITE:
        if (t->bytes == 0)
            return TEG_OK;
        if (*memory == NULL)
            TRY(sim_memory_new(s->gpu, 1, 0, memory, d));
        sim_memory_write(*memory, t->address, t->bytes);
        return TEG_OK;
    case REST:
        if (*memory != NULL)
            sim_memory_rest(*memory);
        return TEG_OK;
    case LAUNCH:
        return pass(s, open, self, t->number, *memory, d);
    }
    return TEG_OK;
}

/* Launches pass a memory of all SMs. */
static teg_status widen(const struct teg_skipped *s, struct sim_memory **memory,
                        struct teg_diag *d)
{
    struct sim_memory *all;

    TRY(sim_memory_new_behind(*memory, s->gpu, &all, d));
    sim_memory_free(*memory);
    *memory = all;
    return TEG_OK;
}

teg_status teg_skipped_do(struct teg_skipped *s, teg_skipped_open *open,
                          void *self, struct sim_memory **memory,
                          struct teg_diag *d)
{
    bool launches;
    uint32_t from = choose(s, &launches);
    teg_status status = launches ? widen(s, memory, d) : TEG_OK;

    for (uint32_t i = from; i < s->count; i++) {
        if (status == TEG_OK)
            status = do_one(s, &s->thing[i], open, self, memory, d);
        if (s->thing[i].what == LAUNCH)
            s->known[s->thing[i].number].taken = false;
    }
    s->count = 0;
    return status;
}
