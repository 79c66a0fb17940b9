#include "traces/tegt.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "traces/block.h"

/*
 *   file  := magic version { block chunks, index chunk, kernel chunk }
 *            directory chunk  trailer
 *   chunk := tag size packed crc {packed bytes}      four u32, then zlib; the
 *                                      crc is of the packed bytes
 *   trailer := u64 offset of the directory, end magic
 *
 * A kernel's program is complete only when its last block has been read, so
 * it stands after the blocks; the directory finds everything.
 */
enum {
    VERSION = 1,
    MAGIC_SIZE = 8,
    HEADER_SIZE = MAGIC_SIZE + 4,
    CHUNK_HEADER = 16,
    TRAILER_SIZE = 8 + MAGIC_SIZE,
    TAG_BLOCK = 0x4b4c4221,     /* "!BLK" */
    TAG_INDEX = 0x58444921,     /* "!IDX" */
    TAG_KERNEL = 0x4e524b21,    /* "!KRN" */
    TAG_DIRECTORY = 0x52494421, /* "!DIR" */
    CHUNK_MAX = 1 << 30,        /* bytes of one chunk, unpacked */
    KERNELS_MAX = 1 << 24,
    TEXT_MAX = 4096,
    PACK_RATIO_MAX = 1100, /* zlib packs at most 1032 to 1 */
};

static const uint8_t magic[MAGIC_SIZE] = {0x89, 'T',  'E',  'G',
                                          'T',  '\r', '\n', 0x1a};
static const uint8_t end_magic[MAGIC_SIZE] = {'T', 'E', 'G', 'T',
                                              'E', 'N', 'D', '\n'};

static uint32_t get_u32(const uint8_t *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 |
           (uint32_t)p[3] << 24;
}

static uint64_t get_u64(const uint8_t *p)
{
    return get_u32(p) | (uint64_t)get_u32(p + 4) << 32;
}

/* ---- writing ------------------------------------------------------------ */

struct entry {
    char *name; /* owned */
    uint64_t kernel, index, blocks, insts;
};

struct teg_tegt_writer {
    char *path, *temporary; /* owned */
    FILE *file;
    uint64_t offset;
    struct entry *entry; /* owned */
    size_t entries;
    struct teg_buffer packed, scratch;
};

static void writer_free(struct teg_tegt_writer *w)
{
    if (w->file != NULL)
        fclose(w->file);
    for (size_t i = 0; i < w->entries; i++)
        free(w->entry[i].name);
    free(w->entry);
    free(w->path);
    free(w->temporary);
    teg_buffer_release(&w->packed);
    teg_buffer_release(&w->scratch);
    free(w);
}

void teg_tegt_writer_abandon(struct teg_tegt_writer *w)
{
    if (w == NULL)
        return;
    unlink(w->temporary);
    writer_free(w);
}

static teg_status put(struct teg_tegt_writer *w, const void *data, size_t size,
                      struct teg_diag *d)
{
    if (size != 0 && fwrite(data, 1, size, w->file) != size)
        return teg_fail_errno(d, w->temporary, "write");
    w->offset += size;
    return TEG_OK;
}

/* Opens a new file beside `path`, readable as the umask says. */
static teg_status open_temporary(struct teg_tegt_writer *w, struct teg_diag *d)
{
    int file = mkstemp(w->temporary);
    mode_t mask;

    if (file < 0)
        return teg_fail_errno(d, w->temporary, "create");
    mask = umask(0);
    umask(mask);
    if (fchmod(file, 0666 & ~mask) != 0 ||
        (w->file = fdopen(file, "wb")) == NULL) {
        teg_status status = teg_fail_errno(d, w->temporary, "create");

        close(file);
        unlink(w->temporary);
        return status;
    }
    return TEG_OK;
}

teg_status teg_tegt_writer_new(const char *path,
                               struct teg_tegt_writer **writer,
                               struct teg_diag *d)
{
    struct teg_tegt_writer *w = calloc(1, sizeof *w);
    size_t length = strlen(path);
    uint8_t version[4] = {VERSION, 0, 0, 0};
    teg_status status;

    *writer = NULL;
    if (w == NULL)
        return teg_fail_memory(d);
    w->path = strdup(path);
    w->temporary = malloc(length + sizeof ".XXXXXX");
    if (w->path == NULL || w->temporary == NULL) {
        writer_free(w);
        return teg_fail_memory(d);
    }
    memcpy(w->temporary, path, length);
    memcpy(w->temporary + length, ".XXXXXX", sizeof ".XXXXXX");
    status = open_temporary(w, d);
    if (status != TEG_OK) {
        writer_free(w);
        return status;
    }
    status = put(w, magic, sizeof magic, d);
    if (status == TEG_OK)
        status = put(w, version, sizeof version, d);
    if (status != TEG_OK) {
        teg_tegt_writer_abandon(w);
        return status;
    }
    *writer = w;
    return TEG_OK;
}

static teg_status put_chunk(struct teg_tegt_writer *w, uint32_t tag,
                            const uint8_t *data, size_t size,
                            struct teg_diag *d)
{
    uLongf packed = compressBound((uLong)size);
    uint8_t *place;

    if (size > CHUNK_MAX)
        return teg_fail(d, TEG_LIMIT, w->path,
                        "expected a block of at most %d bytes when encoded, "
                        "found %zu",
                        CHUNK_MAX, size);
    w->packed.size = 0;
    place = teg_buffer_grow(&w->packed, packed);
    if (place == NULL || compress2(place, &packed, data, (uLong)size,
                                   Z_DEFAULT_COMPRESSION) != Z_OK)
        return teg_fail_memory(d);
    w->scratch.size = 0;
    teg_buffer_u32(&w->scratch, tag);
    teg_buffer_u32(&w->scratch, (uint32_t)size);
    teg_buffer_u32(&w->scratch, (uint32_t)packed);
    teg_buffer_u32(&w->scratch, (uint32_t)crc32(0, place, (uInt)packed));
    if (w->scratch.failed)
        return teg_fail_memory(d);
    TRY(put(w, w->scratch.data, w->scratch.size, d));
    return put(w, w->packed.data, packed, d);
}

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

static void put_kernel(struct teg_buffer *b, const struct teg_kernel *k)
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
}

/* Re-encodes a block: what was handed out may come from any reader. */
static void rebuild(struct teg_block_builder *b, struct teg_block *block)
{
    struct teg_cursor c;
    struct teg_access a;

    teg_block_builder_begin(b, teg_block_position(block));
    for (uint32_t s = 0; s < teg_block_warps(block); s++) {
        teg_block_builder_warp(b, teg_block_warp_id(block, s));
        teg_cursor_init(&c, block, s);
        while (teg_cursor_next(&c)) {
            uint32_t inst = c.inst, mask = c.mask;

            if (teg_cursor_access(&c, &a))
                teg_block_builder_access(b, inst, &a);
            else
                teg_block_builder_inst(b, inst, mask, NULL);
        }
    }
}

static teg_status put_blocks(struct teg_tegt_writer *w,
                             struct teg_launch *launch,
                             struct teg_block_builder *b,
                             struct teg_buffer *index, struct entry *entry,
                             struct teg_diag *d)
{
    uint64_t before = 0;

    for (;;) {
        struct teg_block *block;
        const uint8_t *bytes;
        size_t size;

        TRY(launch->next(launch->self, &block, d));
        if (block == NULL)
            return TEG_OK;
        rebuild(b, block);
        teg_block_free(block);
        TRY(teg_block_builder_end(b, &bytes, &size, d));
        teg_buffer_varint(index, w->offset - before);
        before = w->offset;
        entry->blocks++;
        entry->insts += teg_block_builder_insts(b);
        TRY(put_chunk(w, TAG_BLOCK, bytes, size, d));
    }
}

static teg_status put_launch(struct teg_tegt_writer *w,
                             struct teg_launch *launch, struct entry *entry,
                             struct teg_diag *d)
{
    struct teg_block_builder *b;
    struct teg_buffer index = {0}, kernel = {0};
    teg_status status = teg_block_builder_new(&launch->kernel->program, &b, d);

    if (status != TEG_OK)
        return status;
    status = put_blocks(w, launch, b, &index, entry, d);
    if (status == TEG_OK) {
        entry->index = w->offset;
        status = put_chunk(w, TAG_INDEX, index.data, index.size, d);
    }
    if (status == TEG_OK) {
        put_kernel(&kernel, launch->kernel);
        entry->kernel = w->offset;
        status = kernel.failed || index.failed
                     ? teg_fail_memory(d)
                     : put_chunk(w, TAG_KERNEL, kernel.data, kernel.size, d);
    }
    teg_buffer_release(&index);
    teg_buffer_release(&kernel);
    teg_block_builder_free(b);
    return status;
}

teg_status teg_tegt_writer_launch(struct teg_tegt_writer *w,
                                  struct teg_launch *launch, struct teg_diag *d)
{
    struct entry *entry = realloc(w->entry, (w->entries + 1) * sizeof *entry);

    if (entry == NULL)
        return teg_fail_memory(d);
    w->entry = entry;
    entry += w->entries;
    *entry = (struct entry){.name = strdup(launch->kernel->name)};
    if (entry->name == NULL)
        return teg_fail_memory(d);
    w->entries++;
    return put_launch(w, launch, entry, d);
}

static teg_status put_end(struct teg_tegt_writer *w, struct teg_diag *d)
{
    struct teg_buffer b = {0};
    uint64_t directory = w->offset;
    teg_status status;

    teg_buffer_varint(&b, w->entries);
    for (size_t i = 0; i < w->entries; i++) {
        teg_buffer_string(&b, w->entry[i].name);
        teg_buffer_varint(&b, w->entry[i].kernel);
        teg_buffer_varint(&b, w->entry[i].index);
        teg_buffer_varint(&b, w->entry[i].blocks);
        teg_buffer_varint(&b, w->entry[i].insts);
    }
    status = b.failed ? teg_fail_memory(d)
                      : put_chunk(w, TAG_DIRECTORY, b.data, b.size, d);
    b.size = 0;
    teg_buffer_u64(&b, directory);
    teg_buffer_bytes(&b, end_magic, sizeof end_magic);
    if (status == TEG_OK)
        status = b.failed ? teg_fail_memory(d) : put(w, b.data, b.size, d);
    teg_buffer_release(&b);
    return status;
}

teg_status teg_tegt_writer_finish(struct teg_tegt_writer *w, struct teg_diag *d)
{
    teg_status status = put_end(w, d);
    FILE *file = w->file;

    w->file = NULL;
    if (status == TEG_OK && fflush(file) != 0)
        status = teg_fail_errno(d, w->temporary, "write");
    if (status == TEG_OK && fsync(fileno(file)) != 0 && errno != EINVAL)
        status = teg_fail_errno(d, w->temporary, "write");
    if (fclose(file) != 0 && status == TEG_OK)
        status = teg_fail_errno(d, w->temporary, "write");
    if (status == TEG_OK && rename(w->temporary, w->path) != 0)
        status = teg_fail_errno(d, w->path, "replace");
    if (status != TEG_OK)
        unlink(w->temporary);
    writer_free(w);
    return status;
}

/* ---- reading ------------------------------------------------------------ */

struct teg_tegt {
    char *path; /* owned */
    FILE *file;
    uint64_t size;       /* of the file */
    struct entry *entry; /* owned */
    uint32_t entries;
};

/* One open launch: its own place in the file, so that several may be open. */
struct tegt_launch {
    struct teg_tegt *t; /* borrowed */
    struct teg_kernel kernel;
    struct teg_buffer index, raw, packed;
    struct teg_walk next; /* in `index` */
    uint64_t offset;      /* of the block before */
    uint64_t left;
};

int teg_tegt_recognise(const uint8_t *bytes, size_t size)
{
    /* The first byte after "TEGT" shows a file mangled by text mode too. */
    return size >= 5 && memcmp(bytes, magic, 5) == 0;
}

static teg_status read_at(struct teg_tegt *t, uint64_t offset, void *out,
                          size_t size, struct teg_diag *d)
{
    if (offset > t->size || t->size - offset < size)
        return teg_fail_byte(
            d, TEG_FORMAT, t->path, offset,
            "expected %zu bytes, found %llu: the file is cut", size,
            (unsigned long long)(offset > t->size ? 0 : t->size - offset));
    if (fseeko(t->file, (off_t)offset, SEEK_SET) != 0 ||
        fread(out, 1, size, t->file) != size)
        return teg_fail_errno(d, t->path, "read");
    return TEG_OK;
}

/* Reads and unpacks the chunk at `offset` into `raw`. */
static teg_status read_chunk(struct teg_tegt *t, uint64_t offset, uint32_t tag,
                             struct teg_buffer *raw, struct teg_buffer *packed,
                             struct teg_diag *d)
{
    uint8_t header[CHUNK_HEADER];
    uint32_t size, packed_size;
    uLongf got;
    uLong used;

    TRY(read_at(t, offset, header, sizeof header, d));
    size = get_u32(header + 4);
    packed_size = get_u32(header + 8);
    if (get_u32(header) != tag || size > CHUNK_MAX ||
        size / PACK_RATIO_MAX > packed_size)
        return teg_fail_byte(
            d, TEG_FORMAT, t->path, offset, "expected a chunk %.4s, found none",
            (const char *)&(const uint8_t[]){(uint8_t)tag, (uint8_t)(tag >> 8),
                                             (uint8_t)(tag >> 16),
                                             (uint8_t)(tag >> 24)});
    if (packed_size > t->size - offset)
        return teg_fail_byte(d, TEG_FORMAT, t->path, offset,
                             "expected %u bytes of a chunk, found %llu: the "
                             "file is cut",
                             packed_size,
                             (unsigned long long)(t->size - offset));
    raw->size = packed->size = 0;
    if (teg_buffer_grow(packed, packed_size) == NULL ||
        teg_buffer_grow(raw, (size_t)size + 1) == NULL)
        return teg_fail_memory(d);
    TRY(read_at(t, offset + CHUNK_HEADER, packed->data, packed_size, d));
    if (crc32(0, packed->data, packed_size) != get_u32(header + 12))
        return teg_fail_byte(d, TEG_FORMAT, t->path, offset,
                             "expected checksum %08x, found %08x: the file is "
                             "damaged",
                             get_u32(header + 12),
                             (unsigned)crc32(0, packed->data, packed_size));
    got = size + 1;
    used = packed_size;
    if (uncompress2(raw->data, &got, packed->data, &used) != Z_OK ||
        got != size || used != packed_size)
        return teg_fail_byte(d, TEG_FORMAT, t->path, offset + CHUNK_HEADER,
                             "expected a chunk that unpacks to %u bytes, found "
                             "damaged data",
                             size);
    raw->size = size;
    return TEG_OK;
}

static teg_status read_directory(struct teg_tegt *t, struct teg_buffer *raw,
                                 struct teg_buffer *packed, struct teg_diag *d)
{
    uint8_t head[HEADER_SIZE], tail[TRAILER_SIZE];
    struct teg_walk w;
    uint64_t n, at;

    TRY(read_at(t, 0, head, sizeof head, d));
    if (memcmp(head, magic, sizeof magic) != 0)
        return teg_fail_byte(d, TEG_FORMAT, t->path, 0,
                             "expected a .tegt, found other bytes");
    if (get_u32(head + MAGIC_SIZE) != VERSION)
        return teg_fail_byte(d, TEG_FORMAT, t->path, MAGIC_SIZE,
                             "expected container version %d, found %u", VERSION,
                             get_u32(head + MAGIC_SIZE));
    if (t->size < HEADER_SIZE + TRAILER_SIZE)
        return teg_fail_byte(d, TEG_FORMAT, t->path, t->size,
                             "expected a directory at the end, found the file "
                             "cut");
    TRY(read_at(t, t->size - TRAILER_SIZE, tail, sizeof tail, d));
    if (memcmp(tail + 8, end_magic, sizeof end_magic) != 0)
        return teg_fail_byte(d, TEG_FORMAT, t->path, t->size - MAGIC_SIZE,
                             "expected the end mark, found other bytes: the "
                             "file is cut or was not finished");
    at = get_u64(tail);
    TRY(read_chunk(t, at, TAG_DIRECTORY, raw, packed, d));
    teg_walk_init(&w, raw->data, raw->size, t->path, at);
    TRY(teg_walk_bounded(&w, KERNELS_MAX, "number of kernels", &n, d));
    if (n == 0 || n > teg_walk_left(&w) / 5)
        return teg_fail_byte(d, TEG_FORMAT, t->path, at,
                             "expected at least one kernel, found %llu",
                             (unsigned long long)(n == 0 ? 0 : n));
    t->entry = calloc((size_t)n, sizeof *t->entry);
    if (t->entry == NULL)
        return teg_fail_memory(d);
    for (uint64_t i = 0; i < n; i++) {
        struct entry *e = &t->entry[i];
        char name[TEXT_MAX];

        TRY(teg_walk_string(&w, name, sizeof name, d));
        e->name = strdup(name);
        if (e->name == NULL)
            return teg_fail_memory(d);
        t->entries++;
        TRY(teg_walk_varint(&w, &e->kernel, d));
        TRY(teg_walk_varint(&w, &e->index, d));
        TRY(teg_walk_varint(&w, &e->blocks, d));
        TRY(teg_walk_varint(&w, &e->insts, d));
    }
    return TEG_OK;
}

teg_status teg_tegt_open(const char *path, struct teg_tegt **out,
                         struct teg_diag *d)
{
    struct teg_tegt *t = calloc(1, sizeof *t);
    struct teg_buffer raw = {0}, packed = {0};
    teg_status status;
    struct stat facts;

    *out = NULL;
    if (t == NULL || (t->path = strdup(path)) == NULL) {
        free(t);
        return teg_fail_memory(d);
    }
    t->file = fopen(path, "rb");
    if (t->file == NULL || fstat(fileno(t->file), &facts) != 0) {
        status = teg_fail_errno(d, path, "open");
    } else {
        t->size = (uint64_t)facts.st_size;
        status = read_directory(t, &raw, &packed, d);
    }
    teg_buffer_release(&raw);
    teg_buffer_release(&packed);
    if (status != TEG_OK) {
        teg_tegt_close(t);
        return status;
    }
    *out = t;
    return TEG_OK;
}

void teg_tegt_close(struct teg_tegt *t)
{
    if (t == NULL)
        return;
    if (t->file != NULL)
        fclose(t->file);
    for (uint32_t i = 0; i < t->entries; i++)
        free(t->entry[i].name);
    free(t->entry);
    free(t->path);
    free(t);
}

uint32_t teg_tegt_kernels(const struct teg_tegt *t)
{
    return t->entries;
}

const char *teg_tegt_kernel_name(const struct teg_tegt *t, uint32_t i)
{
    return t->entry[i].name;
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
    }
    return TEG_OK;
}

static teg_status walk_inst(struct teg_walk *w, const struct class_map *map,
                            struct teg_program *p, uint64_t *pc,
                            struct teg_diag *d)
{
    struct teg_inst inst = {0};
    char text[TEXT_MAX];
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
    inst.op_class = map->to[inst.op_class];
    TRY(teg_walk_bounded(w, 1024, "access width", &number, d));
    inst.width = (uint16_t)number;
    TRY(teg_walk_bounded(w, UINT16_MAX, "flags", &number, d));
    inst.flags = (uint16_t)number;
    TRY(walk_regs(w, inst.dst, TEG_INST_DST_MAX, &inst.dst_count, d));
    TRY(walk_regs(w, inst.src, TEG_INST_SRC_MAX, &inst.src_count, d));
    TRY(walk_control(w, &inst.control, d));
    TRY(teg_walk_bounded(w, UINT32_MAX, "source line", &number, d));
    inst.line = (uint32_t)number;
    TRY(teg_walk_string(w, text, sizeof text, d));
    return teg_program_add(p, &inst, text, &index, d);
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

static teg_status walk_kernel(struct teg_walk *w, struct teg_kernel *k,
                              struct teg_diag *d)
{
    struct class_map map = {0};
    char name[TEXT_MAX];
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
        TRY(walk_inst(w, &map, &k->program, &pc, d));
    return TEG_OK;
}

static void launch_close(void *self)
{
    struct tegt_launch *l = self;

    teg_kernel_release(&l->kernel);
    teg_buffer_release(&l->index);
    teg_buffer_release(&l->raw);
    teg_buffer_release(&l->packed);
    free(l);
}

static teg_status launch_next(void *self, struct teg_block **block,
                              struct teg_diag *d)
{
    struct tegt_launch *l = self;
    uint64_t distance;

    *block = NULL;
    if (l->left == 0)
        return TEG_OK;
    TRY(teg_walk_varint(&l->next, &distance, d));
    l->offset += distance;
    TRY(read_chunk(l->t, l->offset, TAG_BLOCK, &l->raw, &l->packed, d));
    TRY(teg_block_open(&l->kernel.program, l->raw.data, l->raw.size, l->t->path,
                       l->offset, block, d));
    l->left--;
    return TEG_OK;
}

static teg_status launch_open(struct tegt_launch *l, const struct entry *e,
                              struct teg_diag *d)
{
    struct teg_walk w;

    TRY(read_chunk(l->t, e->kernel, TAG_KERNEL, &l->raw, &l->packed, d));
    teg_walk_init(&w, l->raw.data, l->raw.size, l->t->path, e->kernel);
    TRY(walk_kernel(&w, &l->kernel, d));
    TRY(read_chunk(l->t, e->index, TAG_INDEX, &l->index, &l->packed, d));
    teg_walk_init(&l->next, l->index.data, l->index.size, l->t->path, e->index);
    if (e->blocks > l->index.size)
        return teg_fail_byte(
            d, TEG_FORMAT, l->t->path, e->index,
            "expected an index of %llu blocks, found %zu bytes",
            (unsigned long long)e->blocks, l->index.size);
    l->left = e->blocks;
    return TEG_OK;
}

teg_status teg_tegt_launch(struct teg_tegt *t, uint32_t i,
                           struct teg_launch *launch, struct teg_diag *d)
{
    struct tegt_launch *l = calloc(1, sizeof *l);
    teg_status status;

    if (l == NULL)
        return teg_fail_memory(d);
    l->t = t;
    status = launch_open(l, &t->entry[i], d);
    if (status != TEG_OK) {
        launch_close(l);
        return status;
    }
    *launch = (struct teg_launch){
        .kernel = &l->kernel,
        .self = l,
        .next = launch_next,
        .close = launch_close,
    };
    return TEG_OK;
}
