#include "traces/tegt/kernel.h"

#include <stdlib.h>
#include <string.h>

#include "isa/inst/nearby.h"
#include "isa/inst/opcode.h"
#include "isa/inst/values.h"
#include "traces/tegt/layout.h"

static void put_regs(struct teg_buffer *b, const struct teg_regs *r,
                     uint8_t count)
{
    teg_buffer_u8(b, count);
    for (uint8_t i = 0; i < count; i++) {
        teg_buffer_varint(b, r[i].first);
        teg_buffer_varint(b, r[i].count);
    }
}

static void put_inst(struct teg_buffer *b, const struct teg_program *p,
                     const struct teg_inst *inst, uint64_t pc_before)
{
    const struct teg_control *c = &inst->control;

    teg_buffer_zigzag(b, (int64_t)(inst->pc - pc_before));
    teg_buffer_u8(b, inst->op_class);
    teg_buffer_u8(b, inst->space);
    teg_buffer_varint(b, inst->width);
    teg_buffer_varint(b, inst->flags);
    teg_buffer_u8(b, inst->values);
    put_regs(b, inst->dst, inst->dst_count);
    put_regs(b, inst->src, inst->src_count);
    teg_buffer_u8(b, c->known);
    if (c->known) {
        const uint8_t fields[] = {c->stall, c->yield, c->write_barrier,
                                  c->read_barrier, c->wait_mask};

        teg_buffer_bytes(b, fields, sizeof fields);
    }
    teg_buffer_varint(b, inst->line);
    teg_buffer_string(b, teg_program_text(p, inst));
}

static void put_notes(struct teg_buffer *b, const struct teg_notes *notes)
{
    teg_buffer_varint(b, notes->count);
    for (size_t i = 0; i < notes->count; i++) {
        teg_buffer_string(b, notes->note[i].kind);
        teg_buffer_string(b, notes->note[i].where);
        teg_buffer_string(b, notes->note[i].what);
        teg_buffer_varint(b, notes->note[i].count);
    }
}

/* Where in the table of names that of an instruction is, from 1; 0: none. */
static uint32_t name_number(const uint32_t *table, uint32_t count, uint32_t at)
{
    while (count > 0 && table[count - 1] != at)
        count--;
    return count;
}

/* Which file an instruction comes from, if any is known. */
static void put_files(struct teg_buffer *b, const struct teg_program *p)
{
    teg_buffer_varint(b, p->file_count);
    for (uint32_t i = 0; i < p->file_count; i++)
        teg_buffer_string(b, p->text + p->file[i]);
    for (uint32_t i = 0; i < p->count && p->file_count != 0; i++)
        teg_buffer_varint(b,
                          name_number(p->file, p->file_count, p->inst[i].file));
}

/* Which calls an instruction was inlined for. */
static void put_calls(struct teg_buffer *b, const struct teg_program *p)
{
    teg_buffer_varint(b, p->call_count);
    for (uint32_t i = 0; i < p->call_count; i++)
        teg_buffer_string(b, p->text + p->call[i]);
    for (uint32_t i = 0; i < p->count && p->call_count != 0; i++)
        teg_buffer_varint(b,
                          name_number(p->call, p->call_count, p->inst[i].call));
}

/* What most kernels do not have, and older files never. */
static void put_rest(struct teg_buffer *b, const struct teg_kernel *k)
{
    int carveout = k->carveout != 0;
    int calls = k->program.call_count != 0 || carveout;
    int clusters = teg_kernel_cluster(k) > 1 || calls;

    if (k->program.file_count != 0 || clusters)
        put_files(b, &k->program);
    for (int i = 0; i < 3 && clusters; i++)
        teg_buffer_varint(b, k->cluster[i]);
    if (calls)
        put_calls(b, &k->program);
    if (carveout)
        teg_buffer_varint(b, k->carveout);
}

void tegt_put_kernel(struct teg_buffer *b, const struct teg_kernel *k)
{
    uint64_t pc = 0;

    teg_buffer_string(b, k->name);
    for (int i = 0; i < 3; i++)
        teg_buffer_varint(b, k->grid[i]);
    for (int i = 0; i < 3; i++)
        teg_buffer_varint(b, k->block[i]);
    teg_buffer_varint(b, k->registers);
    teg_buffer_varint(b, k->shared_bytes);
    teg_buffer_varint(b, k->isa);
    teg_buffer_varint(b, k->shared_base);
    teg_buffer_varint(b, k->local_base);
    put_notes(b, &k->notes);
    /* Classes by key, so that a later version may number them anew. */
    teg_buffer_varint(b, TEG_CLASSES);
    for (enum teg_op_class c = 0; c < TEG_CLASSES; c++)
        teg_buffer_string(b, teg_op_class_facts(c)->key);
    teg_buffer_varint(b, k->program.count);
    for (uint32_t i = 0; i < k->program.count; i++) {
        put_inst(b, &k->program, &k->program.inst[i], pc);
        pc = k->program.inst[i].pc;
    }
    put_rest(b, k);
}

static teg_status walk_regs(struct teg_walk *w, struct teg_regs *r, uint8_t max,
                            uint8_t *count, struct teg_diag *d)
{
    uint64_t position = teg_walk_position(w), first, n;

    TRY(teg_walk_bounded(w, max, "number of registers", &n, d));
    *count = (uint8_t)n;
    for (uint8_t i = 0; i < *count; i++) {
        TRY(teg_walk_bounded(w, TEG_REG_COUNT, "register", &first, d));
        TRY(teg_walk_bounded(w, TEG_REG_COUNT, "register count", &n, d));
        if (first + n > TEG_REG_COUNT)
            return teg_fail_byte(d, TEG_FORMAT, w->path, position,
                                 "expected registers below %d, found %llu",
                                 TEG_REG_COUNT,
                                 (unsigned long long)(first + n));
        r[i] = (struct teg_regs){(uint16_t)first, (uint16_t)n};
    }
    return TEG_OK;
}

static teg_status walk_control(struct teg_walk *w, struct teg_control *c,
                               struct teg_diag *d)
{
    const uint8_t *p = NULL;

    TRY(teg_walk_u8(w, &c->known, d));
    if (!c->known)
        return TEG_OK;
    TRY(teg_walk_bytes(w, 5, &p, d));
    c->known = 1;
    c->stall = p[0] & 15;
    c->yield = p[1] & 1;
    c->write_barrier = p[2] & 7;
    c->read_barrier = p[3] & 7;
    c->wait_mask = p[4] & 63;
    return TEG_OK;
}

struct class_map {
    uint64_t count;
    uint8_t to[256];
    uint8_t is_known[TEG_CLASSES]; /* to whoever wrote the file */
};

static teg_status walk_classes(struct teg_walk *w, struct class_map *map,
                               struct teg_notes *notes, struct teg_diag *d)
{
    char key[64];

    TRY(teg_walk_bounded(w, 255, "number of classes", &map->count, d));
    for (uint64_t i = 0; i < map->count; i++) {
        enum teg_op_class c;

        TRY(teg_walk_string(w, key, sizeof key, d));
        c = teg_op_class_find(key);
        if (c == TEG_CLASSES) {
            teg_notes_add(notes, "unknown-class", w->path,
                          "class '%s' is unknown here, timed as iadd", key);
            c = CLASS_IADD;
        }
        map->to[i] = (uint8_t)c;
        map->is_known[c] = 1;
    }
    return TEG_OK;
}

/* The class by an older file, or one that has been split off it since. */
static uint8_t class_now(const struct class_map *map, uint8_t written,
                         const char *text, uint32_t cc)
{
    enum teg_op_class then = map->to[written], now = teg_text_class(text, cc);

    return now != TEG_CLASSES && !map->is_known[now] &&
                   teg_op_class_facts(now)->fallback == then
               ? (uint8_t)now
               : (uint8_t)then;
}

/* Older files have no values. */
static teg_status walk_values(struct teg_walk *w, uint32_t version,
                              uint8_t *values, struct teg_diag *d)
{
    uint64_t position = teg_walk_position(w);

    if (version < TEGT_VERSION_VALUES)
        return TEG_OK;
    TRY(teg_walk_u8(w, values, d));
    if (*values >= TEG_VALUES)
        return teg_fail_byte(d, TEG_FORMAT, w->path, position,
                             "expected values of a kind below %d, found %u",
                             TEG_VALUES, *values);
    return TEG_OK;
}

static teg_status walk_inst(struct teg_walk *w, uint32_t version,
                            const struct class_map *map, struct teg_kernel *k,
                            uint64_t *pc, struct teg_diag *d)
{
    struct teg_inst inst = {0};
    char text[TEGT_TEXT_MAX];
    uint64_t position = teg_walk_position(w), number;
    int64_t distance;
    uint32_t index;

    TRY(teg_walk_zigzag(w, &distance, d));
    inst.pc = *pc += (uint64_t)distance;
    TRY(teg_walk_u8(w, &inst.op_class, d));
    TRY(teg_walk_u8(w, &inst.space, d));
    if (inst.op_class >= map->count || inst.space > SPACE_GENERIC)
        return teg_fail_byte(d, TEG_FORMAT, w->path, position,
                             "expected a class below %llu and a space of at "
                             "most %d, found %u and %u",
                             (unsigned long long)map->count, SPACE_GENERIC,
                             inst.op_class, inst.space);
    TRY(teg_walk_bounded(w, 1024, "access width", &number, d));
    inst.width = (uint16_t)number;
    TRY(teg_walk_bounded(w, UINT16_MAX, "flags", &number, d));
    inst.flags = (uint16_t)number;
    TRY(walk_values(w, version, &inst.values, d));
    TRY(walk_regs(w, inst.dst, TEG_INST_DST_MAX, &inst.dst_count, d));
    TRY(walk_regs(w, inst.src, TEG_INST_SRC_MAX, &inst.src_count, d));
    TRY(walk_control(w, &inst.control, d));
    TRY(teg_walk_bounded(w, UINT32_MAX, "source line", &number, d));
    inst.line = (uint32_t)number;
    TRY(teg_walk_string(w, text, sizeof text, d));
    inst.op_class = class_now(map, inst.op_class, text, k->isa);
    if (version < TEGT_VERSION_VALUES)
        teg_values_note(&k->notes, &inst, text, w->path);
    return teg_program_add(&k->program, &inst, text, &index, d);
}

typedef teg_status set_name(struct teg_program *p, uint32_t index,
                            const char *name, struct teg_diag *d);

/* Names of `what`, and for each instruction which of them, handed to `set`. */
static teg_status walk_names(struct teg_walk *w, struct teg_program *p,
                             const char *what, set_name *set,
                             struct teg_diag *d)
{
    char(*name)[TEGT_TEXT_MAX];
    teg_status status = TEG_OK;
    uint64_t count, number;

    TRY(teg_walk_bounded(w, TEG_PROGRAM_FILES, what, &count, d));
    if (count == 0)
        return TEG_OK;
    name = calloc(count + 1, sizeof *name);
    if (name == NULL)
        return teg_fail_memory(d);
    for (uint64_t i = 1; status == TEG_OK && i <= count; i++)
        status = teg_walk_string(w, name[i], sizeof name[i], d);
    for (uint32_t i = 0; status == TEG_OK && i < p->count; i++) {
        status = teg_walk_bounded(w, count, what, &number, d);
        if (status == TEG_OK)
            status = set(p, i, name[number], d);
    }
    free(name);
    return status;
}

static teg_status walk_notes(struct teg_walk *w, struct teg_notes *notes,
                             struct teg_diag *d)
{
    uint64_t n;

    TRY(teg_walk_bounded(w, teg_walk_left(w) / 4, "number of notes", &n, d));
    for (uint64_t i = 0; i < n; i++) {
        struct teg_note note;

        TRY(teg_walk_string(w, note.kind, sizeof note.kind, d));
        TRY(teg_walk_string(w, note.where, sizeof note.where, d));
        TRY(teg_walk_string(w, note.what, sizeof note.what, d));
        TRY(teg_walk_varint(w, &note.count, d));
        teg_notes_add(notes, note.kind, note.where, "%s", note.what);
        if (notes->count != 0)
            notes->note[notes->count - 1].count = note.count;
    }
    return TEG_OK;
}

static teg_status walk_u32s(struct teg_walk *w, uint32_t *out, int count,
                            struct teg_diag *d)
{
    for (int i = 0; i < count; i++) {
        uint64_t v;

        TRY(teg_walk_bounded(w, UINT32_MAX, "launch fact", &v, d));
        out[i] = (uint32_t)v;
    }
    return TEG_OK;
}

teg_status tegt_walk_kernel(struct teg_walk *w, uint32_t version,
                            struct teg_kernel *k, struct teg_diag *d)
{
    struct class_map map = {0};
    char name[TEGT_TEXT_MAX];
    uint64_t n, pc = 0;

    TRY(teg_walk_string(w, name, sizeof name, d));
    k->name = strdup(name);
    if (k->name == NULL)
        return teg_fail_memory(d);
    TRY(walk_u32s(w, k->grid, 3, d));
    TRY(walk_u32s(w, k->block, 3, d));
    TRY(walk_u32s(w, &k->registers, 1, d));
    TRY(walk_u32s(w, &k->shared_bytes, 1, d));
    TRY(walk_u32s(w, &k->isa, 1, d));
    TRY(teg_walk_varint(w, &k->shared_base, d));
    TRY(teg_walk_varint(w, &k->local_base, d));
    TRY(walk_notes(w, &k->notes, d));
    TRY(walk_classes(w, &map, &k->notes, d));
    TRY(teg_walk_bounded(w, teg_walk_left(w) / 9, "number of instructions", &n,
                         d));
    for (uint64_t i = 0; i < n; i++)
        TRY(walk_inst(w, version, &map, k, &pc, d));
    teg_program_find_nearby(&k->program);
    if (teg_walk_left(w) != 0)
        TRY(walk_names(w, &k->program, "number of source files",
                       teg_program_set_file, d));
    if (teg_walk_left(w) != 0)
        TRY(walk_u32s(w, k->cluster, 3, d));
    if (teg_walk_left(w) != 0)
        TRY(walk_names(w, &k->program, "number of inlined calls",
                       teg_program_set_call, d));
    if (teg_walk_left(w) != 0) {
        TRY(teg_walk_bounded(w, 101, "carve-out", &n, d));
        k->carveout = (uint32_t)n;
    }
    return TEG_OK;
}
