#include "tests/sim/engine/help_naive_fetch.h"

#include <stdlib.h>

/* A use of a line by a cache, and since when the line is there. */
struct use {
    uint64_t line, ready;
};

/* All uses since the beginning: what a set holds are the different lines among
 * its latest uses, as many as it has ways. */
struct history {
    struct use *use;
    size_t count, capacity;
    uint64_t sets;
};

struct naive_fetch {
    const struct teg_gpu *gpu;
    struct history l0[4], l1;
};

struct naive_code naive_code_of(const struct teg_gpu *gpu, uint32_t number,
                                const struct teg_program *program)
{
    struct naive_code code = {.number = number};
    uint64_t line = gpu->fetch.line_bytes;

    for (uint32_t i = 0; line != 0 && i < program->count; i++) {
        uint64_t end = (program->inst[i].pc / line + 1) * line;

        code.bytes = end > code.bytes ? end : code.bytes;
    }
    return code;
}

struct naive_fetch *naive_fetch_new(const struct teg_gpu *gpu)
{
    uint64_t set = (uint64_t)gpu->fetch.line_bytes * gpu->fetch.ways;
    struct naive_fetch *f;

    if (gpu->fetch.l0_bytes == 0)
        return NULL;
    f = calloc(1, sizeof *f);
    f->gpu = gpu;
    for (int s = 0; s < 4; s++)
        f->l0[s].sets = gpu->fetch.l0_bytes / set;
    f->l1.sets = gpu->fetch.l1_bytes / set;
    return f;
}

void naive_fetch_free(struct naive_fetch *f)
{
    if (f == NULL)
        return;
    for (int s = 0; s < 4; s++)
        free(f->l0[s].use);
    free(f->l1.use);
    free(f);
}

/* The latest use of a line that its set still holds, or NULL. */
static const struct use *find(const struct history *h, uint64_t line,
                              uint32_t ways)
{
    for (size_t i = h->count; i-- > 0;) {
        uint32_t others = 0;

        if (h->use[i].line != line)
            continue;
        for (size_t j = i + 1; j < h->count; j++) {
            int again = 0;

            for (size_t k = j + 1; k < h->count; k++)
                again |= h->use[k].line == h->use[j].line;
            others += !again && h->use[j].line % h->sets == line % h->sets;
        }
        return others < ways ? &h->use[i] : NULL;
    }
    return NULL;
}

static void note(struct history *h, uint64_t line, uint64_t ready)
{
    if (h->count == h->capacity) {
        h->capacity = 2 * h->capacity + 64;
        h->use = realloc(h->use, h->capacity * sizeof *h->use);
    }
    h->use[h->count++] = (struct use){line, ready};
}

/* When a line that is not in a scheduler's cache comes from further away. */
static uint64_t comes(struct naive_fetch *f, const struct naive_code *code,
                      uint64_t line, uint64_t now)
{
    uint64_t near = f->gpu->fetch.l1_latency, far = f->gpu->fetch.miss_latency;
    const struct use *found;
    uint64_t there = now + far - near;

    if (!f->gpu->fetch.cold && code->bytes <= f->gpu->fetch.l1_bytes)
        return now + near;
    if (f->gpu->fetch.l1_bytes == 0)
        return now + far;
    found = find(&f->l1, line, f->gpu->fetch.ways);
    if (found != NULL)
        there = found->ready;
    note(&f->l1, line, there);
    return (there > now ? there : now) + near;
}

uint64_t naive_fetch_at(struct naive_fetch *f, uint32_t scheduler,
                        const struct naive_code *code, uint64_t pc,
                        uint64_t now)
{
    uint64_t line = pc / f->gpu->fetch.line_bytes + (code->number << 40);
    uint64_t ready = 0;
    uint32_t ahead = f->gpu->fetch.lines_ahead, asked = 0;
    struct history *h = &f->l0[scheduler];
    int was_there = find(h, line, f->gpu->fetch.ways) != NULL;

    if (!f->gpu->fetch.cold && code->bytes <= f->gpu->fetch.l0_bytes)
        return now;
    for (uint32_t i = 0; i <= ahead; i++) {
        const struct use *found;
        uint64_t at;

        if (was_there && i != 0 && i != ahead)
            continue; /* have been asked for with the line before */
        found = find(h, line + i, f->gpu->fetch.ways);
        at = found != NULL ? found->ready : comes(f, code, line + i, now);
        note(h, line + i, at);
        if (asked++ == 0)
            ready = at;
    }
    return ready > now ? ready : now;
}
