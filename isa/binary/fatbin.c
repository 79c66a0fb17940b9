#include "isa/binary/fatbin.h"

#include <gelf.h>
#include <libelf.h>
#include <lz4.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#define MAGIC 0xBA55ED50u

enum {
    HEADER = 16,       /* bytes before the first entry */
    ENTRY_HEADER = 64, /* at least */
    KIND_PTX = 1,
    KIND_CUBIN = 2,
    FLAG_LZ4 = 0x2000,
    FLAG_ZSTD = 0x8000,
    ENTRIES_MAX = 1 << 16,
    UNPACKED_MAX = 1 << 28, /* bytes of one entry */
};

static uint64_t little(const uint8_t *bytes, unsigned count)
{
    uint64_t v = 0;

    while (count-- > 0)
        v = v << 8 | bytes[count];
    return v;
}

/* ---- entries ----------------------------------------------------------- */

static teg_status append(struct teg_fatbin *f,
                         const struct teg_fatbin_entry *entry,
                         struct teg_diag *d)
{
    struct teg_fatbin_entry *grown;

    if (f->count >= ENTRIES_MAX)
        return teg_fail(d, TEG_LIMIT, f->path, "more than %d entries",
                        ENTRIES_MAX);
    grown = realloc(f->entry, (f->count + 1) * sizeof *grown);
    if (grown == NULL)
        return teg_fail_memory(d);
    f->entry = grown;
    f->entry[f->count++] = *entry;
    return TEG_OK;
}

/*
 * One entry at `at`: kind at 0, header size at 4, payload size at 8,
 * compressed size at 16, generation at 28, flags at 40, unpacked size at 56.
 * `*used` is where the next one begins.
 */
static teg_status read_entry(struct teg_fatbin *f, const uint8_t *at,
                             uint64_t left, uint64_t *used, struct teg_diag *d)
{
    uint64_t origin = (uint64_t)(at - f->file);
    struct teg_fatbin_entry entry = {0};
    uint64_t header, payload, packed, flags, kind;

    if (left < ENTRY_HEADER)
        return teg_fail_byte(d, TEG_FORMAT, f->path, origin,
                             "expected an entry of a fatbin, the file ends");
    kind = little(at, 2);
    header = little(at + 4, 4);
    payload = little(at + 8, 8);
    packed = little(at + 16, 4);
    flags = little(at + 40, 8);
    if (header < ENTRY_HEADER || header > left || payload > left - header)
        return teg_fail_byte(d, TEG_FORMAT, f->path, origin,
                             "an entry of a fatbin is longer than the rest");
    *used = header + payload;
    if (kind != KIND_PTX && kind != KIND_CUBIN)
        return TEG_OK;
    entry.is_ptx = kind == KIND_PTX;
    entry.sm = (uint32_t)little(at + 28, 4);
    entry.payload = at + header;
    entry.origin = origin + header;
    entry.packing = flags & FLAG_ZSTD  ? FATBIN_ZSTD
                    : flags & FLAG_LZ4 ? FATBIN_LZ4
                                       : FATBIN_PLAIN;
    entry.packed_size = entry.packing != FATBIN_PLAIN ? packed : payload;
    entry.size = entry.packing != FATBIN_PLAIN ? little(at + 56, 8) : payload;
    if (entry.packed_size > payload)
        return teg_fail_byte(d, TEG_FORMAT, f->path, origin,
                             "compressed entry is longer than its place");
    return append(f, &entry, d);
}

/* Fatbins one after the other, each aligned to 8 bytes. */
static teg_status read_fatbins(struct teg_fatbin *f, const uint8_t *at,
                               uint64_t left, struct teg_diag *d)
{
    while (left >= HEADER && little(at, 4) == MAGIC) {
        uint64_t header = little(at + 6, 2), size = little(at + 8, 8);

        if (header < HEADER || header > left || size > left - header)
            return teg_fail_byte(d, TEG_FORMAT, f->path,
                                 (uint64_t)(at - f->file),
                                 "a fatbin is longer than the rest");
        at += header;
        left -= header;
        while (size > 0) {
            uint64_t used;

            TRY(read_entry(f, at, size, &used, d));
            at += used;
            left -= used;
            size -= used;
        }
        while (left > 0 && (uint64_t)(at - f->file) % 8 != 0) {
            at++;
            left--;
        }
    }
    return TEG_OK;
}

/* ---- files ---------------------------------------------------------------- */

static teg_status read_section(struct teg_fatbin *f, Elf *elf, Elf_Scn *scn,
                               size_t names, struct teg_diag *d)
{
    GElf_Shdr header;
    const char *name;

    if (gelf_getshdr(scn, &header) == NULL ||
        (name = elf_strptr(elf, names, header.sh_name)) == NULL ||
        header.sh_type == SHT_NOBITS)
        return TEG_OK;
    if (strcmp(name, ".nv_fatbin") != 0 && strcmp(name, "__nv_relfatbin") != 0)
        return TEG_OK;
    if (header.sh_offset > f->file_size ||
        header.sh_size > f->file_size - header.sh_offset)
        return teg_fail(d, TEG_FORMAT, f->path,
                        "section %s lies beyond the end of the file", name);
    return read_fatbins(f, f->file + header.sh_offset, header.sh_size, d);
}

static teg_status read_host(struct teg_fatbin *f, struct teg_diag *d)
{
    Elf *elf = elf_version(EV_CURRENT) != EV_NONE
                   ? elf_memory((char *)f->file, f->file_size)
                   : NULL;
    Elf_Scn *scn = NULL;
    teg_status status = TEG_OK;
    size_t names;

    if (elf == NULL || elf_kind(elf) != ELF_K_ELF ||
        elf_getshdrstrndx(elf, &names) != 0)
        status = teg_fail(d, TEG_FORMAT, f->path, "cannot be read as ELF: %s",
                          elf_errmsg(-1));
    while (status == TEG_OK && (scn = elf_nextscn(elf, scn)) != NULL)
        status = read_section(f, elf, scn, names, d);
    elf_end(elf);
    if (status == TEG_OK && f->count == 0)
        status = teg_fail(d, TEG_FORMAT, f->path,
                          "expected device code, found a program without any "
                          "(no .nv_fatbin section)");
    return status;
}

/* SM number of a cubin's header; teg_cubin_open checks it properly. */
static uint32_t sm_of(const uint8_t *bytes, size_t size)
{
    uint64_t flags = size >= sizeof(Elf64_Ehdr)
                         ? little(bytes + offsetof(Elf64_Ehdr, e_flags), 4)
                         : 0;

    return bytes[EI_OSABI] == 0x41 ? flags >> 8 & 0xff : flags & 0xff;
}

static teg_status read_all(struct teg_fatbin *f, struct teg_diag *d)
{
    if (teg_cubin_recognise(f->file, f->file_size)) {
        struct teg_fatbin_entry whole = {.sm = sm_of(f->file, f->file_size),
                                         .payload = f->file,
                                         .packed_size = f->file_size,
                                         .size = f->file_size};

        f->is_cubin = 1;
        return append(f, &whole, d);
    }
    if (f->file_size >= HEADER && little(f->file, 4) == MAGIC)
        return read_fatbins(f, f->file, f->file_size, d);
    if (f->file_size >= SELFMAG && memcmp(f->file, ELFMAG, SELFMAG) == 0)
        return read_host(f, d);
    return teg_fail(d, TEG_FORMAT, f->path,
                    "expected a cubin, a fatbin or a program with one, found "
                    "something else");
}

static teg_status open_owned(struct teg_fatbin *f, const char *path,
                             uint8_t *bytes, size_t size, struct teg_diag *d)
{
    teg_status status;

    *f = (struct teg_fatbin){.file = bytes, .file_size = size};
    f->path = strdup(path);
    status = f->path != NULL ? read_all(f, d) : teg_fail_memory(d);
    if (status != TEG_OK)
        teg_fatbin_release(f);
    return status;
}

teg_status teg_fatbin_open_memory(struct teg_fatbin *f, const char *path,
                                  const uint8_t *bytes, size_t size,
                                  struct teg_diag *d)
{
    uint8_t *copy = malloc(size + 1);

    *f = (struct teg_fatbin){0};
    if (copy == NULL)
        return teg_fail_memory(d);
    if (size > 0)
        memcpy(copy, bytes, size);
    return open_owned(f, path, copy, size, d);
}

teg_status teg_fatbin_open(struct teg_fatbin *f, const char *path,
                           struct teg_diag *d)
{
    struct teg_buffer b = {0};
    teg_status status = teg_buffer_file(&b, path, d);

    *f = (struct teg_fatbin){0};
    if (status != TEG_OK)
        return status;
    return open_owned(f, path, b.data, b.size, d);
}

void teg_fatbin_release(struct teg_fatbin *f)
{
    free(f->entry);
    free(f->file);
    free(f->path);
    *f = (struct teg_fatbin){0};
}

int teg_fatbin_recognise(const uint8_t *bytes, size_t size)
{
    return size >= HEADER &&
           (memcmp(bytes, ELFMAG, SELFMAG) == 0 || little(bytes, 4) == MAGIC);
}

/* ---- unpacking -------------------------------------------------------------- */

/* A raw LZ4 block, without a frame; whether it was whole. */
static int unpack_lz4(const struct teg_fatbin_entry *e, uint8_t *to)
{
    return e->packed_size <= LZ4_MAX_INPUT_SIZE &&
           LZ4_decompress_safe((const char *)e->payload, (char *)to,
                               (int)e->packed_size,
                               (int)e->size) == (int)e->size;
}

static int unpack(const struct teg_fatbin_entry *e, uint8_t *to)
{
    switch (e->packing) {
    case FATBIN_ZSTD:
        return ZSTD_decompress(to, e->size, e->payload, e->packed_size) ==
               e->size;
    case FATBIN_LZ4:
        return unpack_lz4(e, to);
    default:
        memcpy(to, e->payload, e->size);
        return 1;
    }
}

teg_status teg_fatbin_unpack(const struct teg_fatbin *f, uint32_t i,
                             struct teg_buffer *b, struct teg_diag *d)
{
    const struct teg_fatbin_entry *e = &f->entry[i];
    uint8_t *room;

    if (e->packing != FATBIN_PLAIN && e->size > UNPACKED_MAX)
        return teg_fail_byte(d, TEG_LIMIT, f->path, e->origin,
                             "expected at most %d unpacked bytes, found %llu",
                             UNPACKED_MAX, (unsigned long long)e->size);
    if (e->size == 0)
        return TEG_OK;
    room = teg_buffer_grow(b, e->size);
    if (room == NULL)
        return teg_fail_memory(d);
    if (!unpack(e, room))
        return teg_fail_byte(d, TEG_FORMAT, f->path, e->origin,
                             "compressed device code is damaged");
    return TEG_OK;
}

teg_status teg_fatbin_cubin(const struct teg_fatbin *f, uint32_t i,
                            struct teg_cubin *c, struct teg_diag *d)
{
    struct teg_buffer b = {0};
    teg_status status = teg_fatbin_unpack(f, i, &b, d);

    *c = (struct teg_cubin){0};
    if (status == TEG_OK)
        status = teg_cubin_open_memory(c, f->path, b.data, b.size, d);
    teg_buffer_release(&b);
    return status;
}
