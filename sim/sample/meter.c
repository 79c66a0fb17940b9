#include "sim/sample/meter.h"

#include <stdlib.h>
#include <string.h>

static int reach(struct sample_meter *m, uint64_t bin)
{
    uint64_t count = m->count != 0 ? m->count : 1024, *more;

    while (count <= bin)
        count *= 2;
    if (count == m->count)
        return 1;
    more = realloc(m->bin, count * sizeof *more);
    if (more == NULL)
        return 0;
    memset(more + m->count, 0, (count - m->count) * sizeof *more);
    m->bin = more;
    m->count = count;
    return 1;
}

static void on_issue(void *self, const struct sim_issue *issue)
{
    struct sample_meter *m = self;
    uint64_t bin = issue->cycle / METER_BIN_CYCLES;

    if (bin >= m->count && !reach(m, bin)) {
        m->failed = 1;
        return;
    }
    m->bin[bin]++;
}

static void *split(void *self)
{
    (void)self;
    return calloc(1, sizeof(struct sample_meter));
}

static void join(void *self, void *other)
{
    struct sample_meter *m = self, *part = other;

    m->failed |= part->failed;
    if (part->count > m->count && !reach(m, part->count - 1))
        m->failed = 1;
    for (uint64_t i = 0; i < part->count && i < m->count; i++)
        m->bin[i] += part->bin[i];
    free(part->bin);
    free(part);
}

struct sim_listener sample_meter_listener(struct sample_meter *m)
{
    return (struct sim_listener){
        .self = m, .on_issue = on_issue, .split = split, .join = join};
}

void sample_meter_sum(struct sample_meter *m)
{
    for (uint64_t i = 1; i < m->count; i++)
        m->bin[i] += m->bin[i - 1];
}

double sample_meter_at(const struct sample_meter *m, uint64_t cycle)
{
    uint64_t bin = cycle / METER_BIN_CYCLES, before;
    double share = (double)(cycle % METER_BIN_CYCLES) / METER_BIN_CYCLES;

    if (m->count == 0)
        return 0;
    if (bin >= m->count)
        return (double)m->bin[m->count - 1];
    before = bin > 0 ? m->bin[bin - 1] : 0;
    return (double)before + share * (double)(m->bin[bin] - before);
}

void sample_meter_release(struct sample_meter *m)
{
    free(m->bin);
    *m = (struct sample_meter){0};
}
