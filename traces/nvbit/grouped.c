#include "traces/nvbit/grouped.h"

#include "traces/nvbit/feed.h"
#include "traces/nvbit/header.h"
#include "traces/nvbit/line.h"
#include "traces/nvbit/note.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char begin_mark[] = "#BEGIN_TB";
static const char end_mark[] = "#END_TB";

struct text {
    struct teg_kernel kernel;
    struct teg_source source;
    struct teg_input *in;
    struct nvbit_lines lines;
    struct nvbit_feed feed;

    char *line;              /* borrowed from `in`; NULL after the last */
    int again;               /* `line` has not been dealt with */
    struct teg_block *ahead; /* owned; read before it was asked for */
    int finished;

    /* the block being read */
    int placed; /* its position is known */
    int warp_open;
    uint32_t warp;
    int declared_known;
    uint64_t declared, found; /* instructions of the warp */
};

static int starts_with(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

static teg_status next_line(struct text *t, struct teg_diag *d)
{
    size_t length;

    if (t->again) {
        t->again = 0;
        return TEG_OK;
    }
    do
        TRY(teg_input_line(t->in, &t->line, &length, d));
    while (t->line != NULL && t->line[0] == '\0');
    t->lines.line = teg_input_line_number(t->in);
    return TEG_OK;
}

static teg_status unexpected(struct text *t, const char *wanted,
                             struct teg_diag *d)
{
    return teg_fail_line(d, TEG_FORMAT, t->source.path, t->lines.line,
                         "expected %s, found '%.60s'", wanted, t->line);
}

/* ---- recognising ----------------------------------------------------------- */

enum nvbit_kind nvbit_recognise(const uint8_t *bytes, size_t size)
{
    const uint8_t *at = bytes, *end = bytes + size;
    int header = nvbit_header_recognise(bytes, size);

    while (at < end) {
        const uint8_t *eol = memchr(at, '\n', (size_t)(end - at));
        char line[256];
        size_t length;
        uint32_t leads;

        if (eol == NULL)
            eol = end;
        length = (size_t)(eol - at) < sizeof line ? (size_t)(eol - at)
                                                  : sizeof line - 1;
        memcpy(line, at, length);
        line[length] = '\0';
        if (starts_with(line, begin_mark))
            return NVBIT_GROUPED;
        if (line[0] != '-' && line[0] != '#' && line[0] != '\0' &&
            line[0] != '\r')
            return nvbit_line_shape(line, &leads) && leads >= NVBIT_LEAD_RAW
                       ? NVBIT_RAW
                       : (header ? NVBIT_GROUPED : NVBIT_NO);
        at = eol < end ? eol + 1 : end;
    }
    return header ? NVBIT_GROUPED : NVBIT_NO;
}

/* ---- one block --------------------------------------------------------------- */

/* Returns 1 and the three numbers of "key = x,y,z". */
static int parse_position(const char *text, uint32_t v[3])
{
    text = strchr(text, '=');
    if (text == NULL)
        return 0;
    for (int i = 0; i < 3; i++) {
        char *end;
        unsigned long long n;

        text++;
        while (*text == ' ')
            text++;
        if (*text < '0' || *text > '9')
            return 0;
        n = strtoull(text, &end, 10);
        if (n > UINT32_MAX || (i < 2 && *end != ','))
            return 0;
        v[i] = (uint32_t)n;
        text = end;
    }
    return 1;
}

/* Returns 1 and the number of "key = n". */
static int parse_number(const char *text, uint64_t *v)
{
    text = strchr(text, '=');
    if (text == NULL)
        return 0;
    text++;
    while (*text == ' ')
        text++;
    if (*text < '0' || *text > '9')
        return 0;
    *v = strtoull(text, NULL, 10);
    return 1;
}

static teg_status take_position(struct text *t, struct teg_diag *d)
{
    uint32_t position[3];

    if (t->placed && t->warp_open)
        return unexpected(t, end_mark, d);
    if (!parse_position(t->line, position))
        return unexpected(t, "'thread block = x,y,z'", d);
    nvbit_feed_block(&t->feed, position);
    t->placed = 1;
    return TEG_OK;
}

/* A count that disagrees with the lines is only worth a note: what belongs to
 * which warp is still plain. */
static void check_count(struct text *t)
{
    const uint32_t *at = t->feed.position;

    if (!t->warp_open)
        return;
    if (!t->declared_known)
        nvbit_note(&t->kernel, "insts-missing", t->source.path, t->lines.line,
                   "expected 'insts = N' for block (%u,%u,%u) warp %u, found "
                   "none",
                   at[0], at[1], at[2], t->warp);
    else if (t->declared != t->found)
        nvbit_note(&t->kernel, "insts-count", t->source.path, t->lines.line,
                   "expected %" PRIu64 " instructions of block (%u,%u,%u) "
                   "warp %u as declared, found %" PRIu64,
                   t->declared, at[0], at[1], at[2], t->warp, t->found);
    t->warp_open = 0;
}

static teg_status take_warp(struct text *t, struct teg_diag *d)
{
    uint64_t warp;

    if (!t->placed)
        return unexpected(t, "'thread block = x,y,z'", d);
    if (!parse_number(t->line, &warp))
        return unexpected(t, "'warp = W'", d);
    check_count(t);
    if (warp > UINT32_MAX)
        warp = UINT32_MAX;
    t->warp = (uint32_t)warp;
    t->warp_open = 1;
    t->declared_known = 0;
    t->declared = t->found = 0;
    return nvbit_feed_warp(&t->feed, t->warp, t->lines.line, d);
}

static teg_status take_count(struct text *t, struct teg_diag *d)
{
    if (!t->warp_open)
        return unexpected(t, "'warp = W'", d);
    if (!parse_number(t->line, &t->declared))
        return unexpected(t, "'insts = N'", d);
    t->declared_known = 1;
    return TEG_OK;
}

static teg_status ignore_line(struct text *t, struct teg_diag *d)
{
    (void)t;
    (void)d;
    return TEG_OK;
}

/* Lines of a block that are no instructions. */
static const struct {
    const char *start;
    teg_status (*take)(struct text *t, struct teg_diag *d);
} block_lines[] = {
    {"thread block", take_position}, {"warp", take_warp}, {"insts", take_count},
    {"cluster", ignore_line},        {"#", ignore_line},  {"-", ignore_line},
};

static teg_status cut_off(struct text *t, struct teg_diag *d)
{
    const uint32_t *at = t->feed.position;

    if (t->warp_open && t->declared > t->found)
        return teg_fail_line(d, TEG_FORMAT, t->source.path, t->lines.line,
                             "expected %" PRIu64 " more instructions of block "
                             "(%u,%u,%u) warp %u, found the end of the file",
                             t->declared - t->found, at[0], at[1], at[2],
                             t->warp);
    return teg_fail_line(d, TEG_FORMAT, t->source.path, t->lines.line,
                         "expected '%s' of block (%u,%u,%u), found the end of "
                         "the file",
                         end_mark, at[0], at[1], at[2]);
}

static teg_status take_inst(struct text *t, struct teg_diag *d)
{
    struct nvbit_inst inst;
    teg_status status;

    if (!t->warp_open)
        return unexpected(
            t, t->placed ? "'warp = W'" : "'thread block = x,y,z'", d);
    status = nvbit_lines_parse(&t->lines, t->line, &inst, d);
    if (status == TEG_FORMAT && teg_input_line_cut(t->in))
        return cut_off(t, d);
    if (status != TEG_OK)
        return status;
    nvbit_feed_inst(&t->feed, &inst, t->lines.line);
    t->found++;
    return TEG_OK;
}

/* True for what cannot begin any other line of a block: "c" is "cluster". */
static int begins_inst(const char *line)
{
    return (line[0] >= '0' && line[0] <= '9') ||
           (line[0] >= 'a' && line[0] <= 'f' && line[1] != 'l');
}

static teg_status take_line(struct text *t, struct teg_diag *d)
{
    size_t rows = sizeof block_lines / sizeof block_lines[0];

    if (begins_inst(t->line))
        return take_inst(t, d);
    for (size_t i = 0; i < rows; i++) {
        if (starts_with(t->line, block_lines[i].start))
            return block_lines[i].take(t, d);
    }
    return take_inst(t, d);
}

/* Reads from behind #BEGIN_TB to #END_TB. */
static teg_status read_block(struct text *t, struct teg_block **block,
                             struct teg_diag *d)
{
    static const uint32_t nowhere[3];

    nvbit_feed_block(&t->feed, nowhere);
    t->placed = t->warp_open = 0;
    for (;;) {
        TRY(next_line(t, d));
        if (t->line == NULL)
            return cut_off(t, d);
        if (starts_with(t->line, end_mark))
            break;
        if (starts_with(t->line, begin_mark)) {
            nvbit_note(&t->kernel, "end-missing", t->source.path, t->lines.line,
                       "expected '%s', found '%s'", end_mark, begin_mark);
            t->again = 1;
            break;
        }
        TRY(take_line(t, d));
    }
    check_count(t);
    return nvbit_feed_end(&t->feed, t->lines.line, block, d);
}

/* ---- the launch ---------------------------------------------------------------- */

/* Finds the next block with instructions; NULL after the last. */
static teg_status find_block(struct text *t, struct teg_block **block,
                             struct teg_diag *d)
{
    *block = NULL;
    while (*block == NULL && !t->finished) {
        TRY(next_line(t, d));
        if (t->line == NULL) {
            t->finished = 1;
            return nvbit_feed_finish(&t->feed, d);
        }
        if (starts_with(t->line, begin_mark))
            TRY(read_block(t, block, d));
        else if (t->line[0] != '#' && t->line[0] != '-')
            return unexpected(t, begin_mark, d);
    }
    return TEG_OK;
}

static teg_status text_next(void *self, struct teg_block **block,
                            struct teg_diag *d)
{
    struct text *t = self;

    if (t->ahead != NULL) {
        *block = t->ahead;
        t->ahead = NULL;
        return TEG_OK;
    }
    return find_block(t, block, d);
}

static void text_close(void *self)
{
    struct text *t = self;

    teg_block_free(t->ahead);
    teg_input_close(t->in);
    nvbit_lines_release(&t->lines);
    nvbit_feed_release(&t->feed);
    teg_kernel_release(&t->kernel);
    free(t);
}

static teg_status read_header(struct text *t,
                              const struct teg_trace_options *options,
                              struct teg_diag *d)
{
    struct nvbit_header header;

    nvbit_header_init(&header, &t->kernel, t->source.path);
    for (;;) {
        TRY(next_line(t, d));
        if (t->line == NULL || (t->line[0] != '-' && t->line[0] != '#') ||
            starts_with(t->line, begin_mark))
            break;
        if (t->line[0] == '-')
            TRY(nvbit_header_line(&header, t->line, t->lines.line, d));
    }
    t->again = 1;
    nvbit_header_finish(&header, options);
    return TEG_OK;
}

/* The smallest grid that holds all blocks of the file. */
static teg_status derive_grid(struct text *t, struct teg_diag *d)
{
    struct teg_input *in;
    char *line;
    size_t length;
    teg_status status;

    TRY(teg_input_open(&t->source, &in, d));
    do {
        uint32_t at[3];

        status = teg_input_line(in, &line, &length, d);
        if (status != TEG_OK || line == NULL)
            break;
        if (!starts_with(line, "thread block") || !parse_position(line, at))
            continue;
        for (int i = 0; i < 3; i++) {
            if (at[i] >= t->kernel.grid[i] && at[i] != UINT32_MAX)
                t->kernel.grid[i] = at[i] + 1;
        }
    } while (1);
    teg_input_close(in);
    return status;
}

/* A header without dimensions leaves them to the blocks. */
static teg_status derive_dimensions(struct text *t, struct teg_diag *d)
{
    if (t->kernel.grid[0] == 0)
        TRY(derive_grid(t, d));
    if (t->kernel.block[0] != 0)
        return TEG_OK;
    TRY(find_block(t, &t->ahead, d));
    if (t->ahead != NULL) {
        t->kernel.block[0] = (t->feed.warp_last + 1) * TEG_LANES;
        t->kernel.block[1] = t->kernel.block[2] = 1;
    }
    return TEG_OK;
}

static teg_status text_open(struct text *t,
                            const struct teg_trace_options *options,
                            struct teg_diag *d)
{
    t->kernel.name = strdup("");
    if (t->kernel.name == NULL)
        return teg_fail_memory(d);
    nvbit_lines_init(&t->lines, &t->kernel, t->source.path);
    TRY(nvbit_feed_init(&t->feed, &t->kernel, t->source.path, d));
    TRY(teg_input_open(&t->source, &t->in, d));
    TRY(read_header(t, options, d));
    return derive_dimensions(t, d);
}

teg_status nvbit_launch(const struct teg_source *source,
                        const struct teg_trace_options *options,
                        struct teg_launch *launch, struct teg_diag *d)
{
    struct text *t = calloc(1, sizeof *t);
    teg_status status;

    if (t == NULL)
        return teg_fail_memory(d);
    t->source = *source;
    status = text_open(t, options, d);
    if (status != TEG_OK) {
        text_close(t);
        return status;
    }
    *launch = (struct teg_launch){
        .kernel = &t->kernel,
        .self = t,
        .next = text_next,
        .close = text_close,
    };
    return TEG_OK;
}
