#include "traces/nvbit/raw.h"

#include "traces/nvbit/feed.h"
#include "traces/nvbit/gather.h"
#include "traces/nvbit/header.h"
#include "traces/nvbit/line.h"
#include "traces/nvbit/note.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/*
 * One instruction in a stream:
 *
 *   record    := front [mask] [addresses]
 *   front     := varint of zigzag(instruction - the one before - 1) << 2 |
 *                mask given << 1 | addresses given
 *   addresses := z(first - last first) { z(next lane - this lane) }
 */
enum {
    MASK_GIVEN = 2,
    ADDRESSES_GIVEN = 1,
    FRONT_BITS = 2,
};

struct raw {
    struct teg_kernel kernel;
    struct teg_source source;
    struct teg_input *in;
    struct nvbit_lines lines;
    struct nvbit_feed feed;
    struct nvbit_group group;
    struct teg_buffer record; /* being written, or a stream being read */
    int grouped;
    uint32_t at; /* next stream to hand out */
    char *line;  /* borrowed from `in`; the first behind the header */
};

/* ---- grouping -------------------------------------------------------------- */

static uint64_t zigzag(int64_t v)
{
    return (uint64_t)v << 1 ^ (uint64_t)(v >> 63);
}

static void put_addresses(struct teg_buffer *b, struct nvbit_stream *s,
                          const struct nvbit_inst *inst)
{
    uint64_t before = s->last_address;

    for (uint32_t rest = inst->mask; rest != 0; rest &= rest - 1) {
        uint64_t lane = inst->lane[__builtin_ctz(rest)];

        teg_buffer_zigzag(b, (int64_t)(lane - before));
        before = lane;
    }
    s->last_address = inst->lane[__builtin_ctz(inst->mask)];
}

static void put_record(struct teg_buffer *b, struct nvbit_stream *s,
                       const struct nvbit_inst *inst)
{
    uint64_t front = zigzag((int64_t)inst->inst - (int64_t)s->last_inst - 1)
                     << FRONT_BITS;

    if (inst->mask != s->last_mask)
        front |= MASK_GIVEN;
    if (inst->addresses)
        front |= ADDRESSES_GIVEN;
    b->size = 0;
    teg_buffer_varint(b, front);
    if (front & MASK_GIVEN)
        teg_buffer_u32(b, inst->mask);
    if (inst->addresses)
        put_addresses(b, s, inst);
    s->last_inst = inst->inst;
    s->last_mask = inst->mask;
}

static teg_status take_line(struct raw *r, struct teg_diag *d)
{
    struct nvbit_inst inst;
    struct nvbit_stream *stream;
    teg_status status;

    if (r->line[0] == '\0' || r->line[0] == '#' || r->line[0] == '-')
        return TEG_OK;
    r->lines.line = teg_input_line_number(r->in);
    status = nvbit_lines_parse(&r->lines, r->line, &inst, d);
    if (status == TEG_FORMAT && teg_input_line_cut(r->in))
        return teg_fail_line(d, TEG_FORMAT, r->source.path, r->lines.line,
                             "expected the rest of the instruction, found the "
                             "end of the file");
    if (status != TEG_OK)
        return status;
    if (inst.leads < NVBIT_LEAD_RAW)
        return teg_fail_line(d, TEG_FORMAT, r->source.path, r->lines.line,
                             "expected block and warp 'x y z warp' before the "
                             "pc, found '%.60s'",
                             r->line);
    TRY(nvbit_group_find(&r->group, inst.lead, inst.lead[3], &stream, d));
    put_record(&r->record, stream, &inst);
    if (r->record.failed)
        return teg_fail_memory(d);
    return nvbit_group_append(&r->group, stream, r->record.data, r->record.size,
                              d);
}

static teg_status group_lines(struct raw *r, struct teg_diag *d)
{
    size_t length;

    while (r->line != NULL) {
        TRY(take_line(r, d));
        TRY(teg_input_line(r->in, &r->line, &length, d));
    }
    nvbit_group_sort(&r->group);
    r->grouped = 1;
    return TEG_OK;
}

/* ---- handing out ------------------------------------------------------------- */

static teg_status take_addresses(struct teg_walk *w, uint64_t *last,
                                 struct nvbit_inst *inst, struct teg_diag *d)
{
    uint64_t before = *last;

    for (uint32_t rest = inst->mask; rest != 0; rest &= rest - 1) {
        int64_t distance;

        TRY(teg_walk_zigzag(w, &distance, d));
        before += (uint64_t)distance;
        inst->lane[__builtin_ctz(rest)] = before;
    }
    *last = inst->lane[__builtin_ctz(inst->mask)];
    return TEG_OK;
}

static teg_status feed_stream(struct raw *r, const struct nvbit_stream *s,
                              struct teg_diag *d)
{
    struct teg_walk w;
    struct nvbit_inst inst = {0};
    uint64_t front, last = 0;

    TRY(nvbit_feed_warp(&r->feed, s->warp, 0, d));
    TRY(nvbit_group_read(&r->group, s, &r->record, d));
    teg_walk_init(&w, r->record.data, r->record.size, r->source.path, 0);
    while (teg_walk_left(&w) != 0) {
        int64_t step;

        TRY(teg_walk_varint(&w, &front, d));
        step = (int64_t)(front >> (FRONT_BITS + 1)) ^
               -(int64_t)(front >> FRONT_BITS & 1);
        inst.inst = (uint32_t)((int64_t)inst.inst + 1 + step);
        if (front & MASK_GIVEN)
            TRY(teg_walk_u32(&w, &inst.mask, d));
        inst.addresses = (front & ADDRESSES_GIVEN) != 0;
        if (inst.addresses)
            TRY(take_addresses(&w, &last, &inst, d));
        nvbit_feed_inst(&r->feed, &inst, 0);
    }
    return TEG_OK;
}

static teg_status next_block(struct raw *r, struct teg_block **block,
                             struct teg_diag *d)
{
    const struct nvbit_stream *first = &r->group.stream[r->at], *s;
    const struct nvbit_stream *end = r->group.stream + r->group.streams;

    nvbit_feed_block(&r->feed, first->block);
    for (s = first;
         s < end && memcmp(s->block, first->block, sizeof s->block) == 0; s++)
        TRY(feed_stream(r, s, d));
    r->at = (uint32_t)(s - r->group.stream);
    return nvbit_feed_end(&r->feed, 0, block, d);
}

static teg_status raw_next(void *self, struct teg_block **block,
                           struct teg_diag *d)
{
    struct raw *r = self;

    *block = NULL;
    if (!r->grouped)
        TRY(group_lines(r, d));
    while (*block == NULL && r->at < r->group.streams)
        TRY(next_block(r, block, d));
    return *block == NULL ? nvbit_feed_finish(&r->feed, d) : TEG_OK;
}

static void raw_close(void *self)
{
    struct raw *r = self;

    teg_input_close(r->in);
    nvbit_lines_release(&r->lines);
    nvbit_feed_release(&r->feed);
    nvbit_group_release(&r->group);
    teg_buffer_release(&r->record);
    teg_kernel_release(&r->kernel);
    free(r);
}

/* ---- opening ------------------------------------------------------------------- */

static teg_status read_header(struct raw *r,
                              const struct teg_trace_options *options,
                              struct teg_diag *d)
{
    struct nvbit_header header;
    size_t length;

    nvbit_header_init(&header, &r->kernel, r->source.path);
    for (;;) {
        TRY(teg_input_line(r->in, &r->line, &length, d));
        if (r->line == NULL)
            break;
        if (r->line[0] == '-')
            TRY(nvbit_header_line(&header, r->line,
                                  teg_input_line_number(r->in), d));
        else if (r->line[0] != '\0' && r->line[0] != '#')
            break;
    }
    nvbit_header_finish(&header, options);
    return TEG_OK;
}

/* A header without dimensions leaves them to the lines. */
static teg_status derive_dimensions(struct raw *r, struct teg_diag *d)
{
    struct teg_kernel *k = &r->kernel;
    int grid = k->grid[0] == 0, block = k->block[0] == 0;

    if (!grid && !block)
        return TEG_OK;
    TRY(group_lines(r, d));
    if (block)
        k->block[0] = k->block[1] = k->block[2] = 1;
    for (uint32_t i = 0; i < r->group.streams; i++) {
        const struct nvbit_stream *s = &r->group.stream[i];

        for (int c = 0; c < 3 && grid; c++) {
            if (s->block[c] >= k->grid[c] && s->block[c] != UINT32_MAX)
                k->grid[c] = s->block[c] + 1;
        }
        if (block && s->warp < NVBIT_WARPS_MAX &&
            (s->warp + 1) * TEG_LANES > k->block[0])
            k->block[0] = (s->warp + 1) * TEG_LANES;
    }
    return TEG_OK;
}

static teg_status raw_open(struct raw *r,
                           const struct teg_trace_options *options,
                           struct teg_diag *d)
{
    r->kernel.name = strdup("");
    if (r->kernel.name == NULL)
        return teg_fail_memory(d);
    nvbit_lines_init(&r->lines, &r->kernel, r->source.path);
    TRY(nvbit_feed_init(&r->feed, &r->kernel, r->source.path, d));
    TRY(teg_input_open(&r->source, &r->in, d));
    TRY(read_header(r, options, d));
    return derive_dimensions(r, d);
}

teg_status nvbit_raw_launch(const struct teg_source *source,
                            const struct teg_trace_options *options,
                            size_t budget, struct teg_launch *launch,
                            struct teg_diag *d)
{
    struct raw *r = calloc(1, sizeof *r);
    const char *directory = options != NULL ? options->spill_directory : NULL;
    teg_status status;

    if (r == NULL)
        return teg_fail_memory(d);
    nvbit_group_init(&r->group, directory != NULL ? directory : "/tmp", budget);
    r->source = *source;
    status = raw_open(r, options, d);
    if (status != TEG_OK) {
        raw_close(r);
        return status;
    }
    *launch = (struct teg_launch){
        .kernel = &r->kernel,
        .self = r,
        .next = raw_next,
        .close = raw_close,
    };
    return TEG_OK;
}
