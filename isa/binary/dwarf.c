#include "isa/binary/dwarf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/base/buffer.h"

enum {
    VERSION_MIN = 2,
    VERSION_MAX = 4,
    /* standard opcodes */
    LNS_EXTENDED = 0,
    LNS_COPY = 1,
    LNS_ADVANCE_PC = 2,
    LNS_ADVANCE_LINE = 3,
    LNS_SET_FILE = 4,
    LNS_CONST_ADD_PC = 8,
    LNS_FIXED_ADVANCE_PC = 9,
    /* extended opcodes */
    LNE_END_SEQUENCE = 1,
    LNE_SET_ADDRESS = 2,
    LNE_NVIDIA_INLINED_CALL = 0x90,
};

/* Where the address at `offset` of the table is in the code. */
struct anchor {
    uint64_t offset, value;
    int kernel;
};

/* A unit's header. */
struct unit {
    uint8_t min_length, line_range, opcode_base;
    int8_t line_base;
    uint8_t operands[256];  /* of the standard opcodes */
    const char **directory; /* owned array of names in the section */
    uint32_t *file;         /* owned; by the unit's number, from 1 */
    size_t directories, files;
};

/* A row of the sequence that is being read. */
struct row {
    uint32_t file, line, call;
};

struct reader {
    const struct teg_cubin *c;
    const struct teg_cubin_bytes *table;
    enum teg_cubin_region region; /* the table's */
    struct teg_lines *l;
    struct anchor *anchor; /* owned; by offset */
    size_t anchors;
    struct unit unit;
    /* the state machine's registers */
    uint64_t address;
    int64_t line;
    uint64_t file, context;
    int kernel;      /* -1: unknown */
    struct row *row; /* owned; of this sequence */
    size_t rows, row_room;
    struct teg_diag *d;
};

/* ---- relocations ---------------------------------------------------------- */

static int by_offset(const void *a, const void *b)
{
    const struct anchor *x = a, *y = b;

    return (x->offset > y->offset) - (x->offset < y->offset);
}

static teg_status find_anchors(struct reader *r)
{
    const struct teg_cubin *c = r->c;

    r->anchor = calloc(c->reloc_count + (size_t)1, sizeof *r->anchor);
    if (r->anchor == NULL)
        return teg_fail_memory(r->d);
    for (uint32_t i = 0; i < c->reloc_count; i++) {
        const struct teg_cubin_reloc *rel = &c->reloc[i];
        const struct teg_cubin_symbol *s = &c->symbol[rel->symbol];

        if (rel->region == r->region && s->region == CUBIN_CODE)
            r->anchor[r->anchors++] =
                (struct anchor){.offset = rel->offset,
                                .value = s->value + (uint64_t)rel->addend,
                                .kernel = s->kernel};
    }
    qsort(r->anchor, r->anchors, sizeof *r->anchor, by_offset);
    return TEG_OK;
}

/* ---- numbers and texts ---------------------------------------------------- */

static teg_status signed_varint(struct teg_walk *w, int64_t *v,
                                struct teg_diag *d)
{
    uint64_t bits = 0;
    unsigned shift = 0;
    uint8_t byte;

    do {
        TRY(teg_walk_u8(w, &byte, d));
        if (shift < 64)
            bits |= (uint64_t)(byte & 0x7f) << shift;
        shift += 7;
    } while (byte & 0x80);
    if (byte & 0x40 && shift < 64)
        bits |= ~UINT64_C(0) << shift;
    *v = (int64_t)bits;
    return TEG_OK;
}

/* A NUL-terminated text of the section. */
static teg_status text(struct teg_walk *w, const char **out, struct teg_diag *d)
{
    const uint8_t *end = memchr(w->at, '\0', teg_walk_left(w));

    if (end == NULL)
        return teg_fail_byte(d, TEG_FORMAT, w->path, teg_walk_position(w),
                             "expected the end of a name in .debug_line");
    *out = (const char *)w->at;
    w->at = end + 1;
    return TEG_OK;
}

/* ---- a unit's header --------------------------------------------------------- */

static void release_unit(struct unit *u)
{
    free(u->directory);
    free(u->file);
    *u = (struct unit){0};
}

static teg_status read_directories(struct reader *r, struct teg_walk *w)
{
    struct unit *u = &r->unit;

    for (;;) {
        const char **more, *name;

        TRY(text(w, &name, r->d));
        if (*name == '\0')
            return TEG_OK;
        more = realloc(u->directory, (u->directories + 1) * sizeof *more);
        if (more == NULL)
            return teg_fail_memory(r->d);
        u->directory = more;
        more[u->directories++] = name;
    }
}

static teg_status add_file(struct reader *r, const char *name,
                           uint64_t directory)
{
    struct unit *u = &r->unit;
    uint32_t *more = realloc(u->file, (u->files + 1) * sizeof *more);
    char path[1024];

    if (more == NULL)
        return teg_fail_memory(r->d);
    u->file = more;
    if (name[0] == '/' || directory == 0 || directory > u->directories)
        snprintf(path, sizeof path, "%s", name);
    else
        snprintf(path, sizeof path, "%s/%s", u->directory[directory - 1], name);
    TRY(teg_lines_file(r->l, path, &more[u->files], r->d));
    u->files++;
    return TEG_OK;
}

static teg_status read_files(struct reader *r, struct teg_walk *w)
{
    for (;;) {
        uint64_t directory, unused;
        const char *name;

        TRY(text(w, &name, r->d));
        if (*name == '\0' && r->region == CUBIN_PTX_LINES)
            return add_file(r, "ptx", 0);
        if (*name == '\0')
            return TEG_OK;
        TRY(teg_walk_varint(w, &directory, r->d));
        TRY(teg_walk_varint(w, &unused, r->d)); /* when it was changed */
        TRY(teg_walk_varint(w, &unused, r->d)); /* its size */
        TRY(add_file(r, name, directory));
    }
}

/* Leaves `w` at the unit's program. */
static teg_status read_header(struct reader *r, struct teg_walk *w,
                              unsigned version)
{
    struct unit *u = &r->unit;
    uint32_t length;
    const uint8_t *program;
    uint8_t byte;

    TRY(teg_walk_u32(w, &length, r->d));
    if (length > teg_walk_left(w))
        return teg_fail_byte(r->d, TEG_FORMAT, w->path, teg_walk_position(w),
                             "expected a header of at most %zu bytes in "
                             ".debug_line, found %u",
                             teg_walk_left(w), length);
    program = w->at + length;
    TRY(teg_walk_u8(w, &u->min_length, r->d));
    if (version >= 4)
        TRY(teg_walk_u8(w, &byte, r->d)); /* operations of a word */
    TRY(teg_walk_u8(w, &byte, r->d));     /* is_stmt */
    TRY(teg_walk_u8(w, &byte, r->d));
    u->line_base = (int8_t)byte;
    TRY(teg_walk_u8(w, &u->line_range, r->d));
    TRY(teg_walk_u8(w, &u->opcode_base, r->d));
    if (u->line_range == 0 || u->opcode_base == 0)
        return teg_fail_byte(r->d, TEG_FORMAT, w->path, teg_walk_position(w),
                             "expected a line range and an opcode base of at "
                             "least 1 in .debug_line, found 0");
    for (unsigned i = 1; i < u->opcode_base; i++)
        TRY(teg_walk_u8(w, &u->operands[i], r->d));
    TRY(read_directories(r, w));
    TRY(read_files(r, w));
    w->at = program;
    return TEG_OK;
}

/* ---- its program --------------------------------------------------------------- */

static void begin_sequence(struct reader *r)
{
    r->address = 0;
    r->line = 1;
    r->file = 1;
    r->context = 0;
    r->rows = 0;
    /* With one function there is no doubt whose code it is. */
    r->kernel = r->c->kernel_count == 1 ? 0 : -1;
}

/* The call that the row's function was inlined for. */
static teg_status find_call(struct reader *r, uint32_t *number)
{
    const struct row *site;

    *number = 0;
    if (r->context == 0 || r->context > r->rows)
        return TEG_OK;
    site = &r->row[r->context - 1];
    return teg_lines_call(r->l,
                          &(struct teg_line_call){.file = site->file,
                                                  .line = site->line,
                                                  .outer = site->call},
                          number, r->d);
}

static teg_status keep_row(struct reader *r, const struct row *row)
{
    if (r->rows == r->row_room) {
        size_t room = r->row_room != 0 ? 2 * r->row_room : 64;
        struct row *more = realloc(r->row, room * sizeof *more);

        if (more == NULL)
            return teg_fail_memory(r->d);
        r->row = more;
        r->row_room = room;
    }
    r->row[r->rows++] = *row;
    return TEG_OK;
}

static teg_status add_row(struct reader *r, int ends)
{
    const struct unit *u = &r->unit;
    struct row row = {0};

    /* PTX has one file, which the rows call 0. */
    uint64_t file = r->region == CUBIN_PTX_LINES ? u->files : r->file;

    if (file >= 1 && file <= u->files && r->line > 0 && r->line <= UINT32_MAX) {
        row.file = u->file[file - 1];
        row.line = (uint32_t)r->line;
    }
    TRY(find_call(r, &row.call));
    TRY(keep_row(r, &row));
    if (r->kernel < 0)
        return TEG_OK;
    return teg_lines_add(r->l,
                         &(struct teg_line){.pc = r->address,
                                            .kernel = (uint32_t)r->kernel,
                                            .file = row.file,
                                            .line = row.line,
                                            .call = row.call,
                                            .ends = ends},
                         r->d);
}

static teg_status set_address(struct reader *r, struct teg_walk *w,
                              uint64_t offset)
{
    const struct anchor key = {.offset = offset}, *anchor;

    TRY(teg_walk_u64(w, &r->address, r->d));
    anchor = bsearch(&key, r->anchor, r->anchors, sizeof key, by_offset);
    if (anchor != NULL) {
        r->kernel = anchor->kernel;
        r->address += anchor->value;
    }
    return TEG_OK;
}

static teg_status extended(struct reader *r, struct teg_walk *w)
{
    uint64_t length;
    const uint8_t *bytes;
    struct teg_walk part;
    uint8_t opcode;

    TRY(teg_walk_varint(w, &length, r->d));
    TRY(teg_walk_bytes(w, length, &bytes, r->d));
    if (length == 0)
        return TEG_OK;
    teg_walk_init(&part, bytes, length, w->path, teg_walk_position(w) - length);
    TRY(teg_walk_u8(&part, &opcode, r->d));
    switch (opcode) {
    case LNE_END_SEQUENCE:
        TRY(add_row(r, 1));
        begin_sequence(r);
        return TEG_OK;
    case LNE_SET_ADDRESS:
        return set_address(r, &part, (uint64_t)(part.at - r->table->data));
    case LNE_NVIDIA_INLINED_CALL:
        return teg_walk_varint(&part, &r->context, r->d);
    default:
        return TEG_OK;
    }
}

static teg_status skip_operands(struct reader *r, struct teg_walk *w,
                                uint8_t opcode)
{
    uint64_t unused;

    for (unsigned i = 0; i < r->unit.operands[opcode]; i++)
        TRY(teg_walk_varint(w, &unused, r->d));
    return TEG_OK;
}

static teg_status standard(struct reader *r, struct teg_walk *w, uint8_t opcode)
{
    const struct unit *u = &r->unit;
    uint64_t v;
    int64_t lines;
    uint8_t low, high;

    switch (opcode) {
    case LNS_EXTENDED:
        return extended(r, w);
    case LNS_COPY:
        return add_row(r, 0);
    case LNS_ADVANCE_PC:
        TRY(teg_walk_varint(w, &v, r->d));
        r->address += v * u->min_length;
        return TEG_OK;
    case LNS_ADVANCE_LINE:
        TRY(signed_varint(w, &lines, r->d));
        r->line = (int64_t)((uint64_t)r->line + (uint64_t)lines);
        return TEG_OK;
    case LNS_SET_FILE:
        return teg_walk_varint(w, &r->file, r->d);
    case LNS_CONST_ADD_PC:
        r->address +=
            (uint64_t)((255 - u->opcode_base) / u->line_range) * u->min_length;
        return TEG_OK;
    case LNS_FIXED_ADVANCE_PC:
        TRY(teg_walk_u8(w, &low, r->d));
        TRY(teg_walk_u8(w, &high, r->d));
        r->address += low | (uint64_t)high << 8;
        return TEG_OK;
    default: /* columns, statements, blocks */
        return skip_operands(r, w, opcode);
    }
}

static teg_status run_program(struct reader *r, struct teg_walk *w)
{
    const struct unit *u = &r->unit;

    begin_sequence(r);
    while (teg_walk_left(w) > 0) {
        uint8_t opcode;
        unsigned step;

        TRY(teg_walk_u8(w, &opcode, r->d));
        if (opcode < u->opcode_base) {
            TRY(standard(r, w, opcode));
            continue;
        }
        step = opcode - (unsigned)u->opcode_base;
        r->address += (uint64_t)(step / u->line_range) * u->min_length;
        r->line = (int64_t)((uint64_t)r->line +
                            (uint64_t)(u->line_base +
                                       (int64_t)(step % u->line_range)));
        TRY(add_row(r, 0));
    }
    return TEG_OK;
}

static teg_status read_unit(struct reader *r, struct teg_walk *w)
{
    struct teg_walk unit;
    const uint8_t *bytes;
    uint32_t length;
    uint8_t low, high;

    TRY(teg_walk_u32(w, &length, r->d));
    TRY(teg_walk_bytes(w, length, &bytes, r->d));
    teg_walk_init(&unit, bytes, length, w->path, teg_walk_position(w) - length);
    TRY(teg_walk_u8(&unit, &low, r->d));
    TRY(teg_walk_u8(&unit, &high, r->d));
    if (high != 0 || low < VERSION_MIN || low > VERSION_MAX)
        return TEG_OK;
    TRY(read_header(r, &unit, low));
    return run_program(r, &unit);
}

static teg_status read_table(struct teg_lines *l, const struct teg_cubin *c,
                             const struct teg_cubin_bytes *table,
                             enum teg_cubin_region region, struct teg_diag *d)
{
    struct reader r = {
        .c = c, .table = table, .region = region, .l = l, .d = d};
    struct teg_walk w;
    teg_status status;

    if (table->data == NULL)
        return TEG_OK;
    teg_walk_init(&w, table->data, table->size, c->path,
                  (uint64_t)(table->data - c->file));
    status = find_anchors(&r);
    while (status == TEG_OK && teg_walk_left(&w) > 0) {
        status = read_unit(&r, &w);
        release_unit(&r.unit);
    }
    free(r.anchor);
    free(r.row);
    return status;
}

teg_status teg_dwarf_lines(struct teg_lines *l, const struct teg_cubin *c,
                           struct teg_diag *d)
{
    TRY(read_table(l, c, &c->lines_table, CUBIN_LINES, d));
    if (l->row_count == 0)
        TRY(read_table(l, c, &c->ptx_lines_table, CUBIN_PTX_LINES, d));
    teg_lines_sort(l);
    return TEG_OK;
}
