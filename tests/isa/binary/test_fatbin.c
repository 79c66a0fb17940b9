/*
 * Fatbins: built here from a fixture's cubin after the format's description,
 * in each packing, alone and inside a host program.
 */
#include "isa/binary/fatbin.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "tests/help_suite.h"

#define CUBIN "tests/fixtures/block.sm_86.cubin"

static uint8_t *cubin;
static size_t cubin_size;

static void load(void)
{
    FILE *f = fopen(CUBIN, "rb");

    ck_assert_ptr_nonnull(f);
    cubin = malloc(1 << 16);
    ck_assert_ptr_nonnull(cubin);
    cubin_size = fread(cubin, 1, 1 << 16, f);
    fclose(f);
}

/* ---- LZ4 as its description says it, the simplest way --------------------- */

static void put_length(struct teg_buffer *b, size_t length)
{
    for (length -= 15; length >= 255; length -= 255)
        teg_buffer_u8(b, 255);
    teg_buffer_u8(b, (uint8_t)length);
}

static void put_sequence(struct teg_buffer *b, const uint8_t *literals,
                         size_t count, size_t offset, size_t match)
{
    size_t more = match >= 4 ? match - 4 : 0;

    teg_buffer_u8(
        b, (uint8_t)((count < 15 ? count : 15) << 4 | (more < 15 ? more : 15)));
    if (count >= 15)
        put_length(b, count);
    teg_buffer_bytes(b, literals, count);
    if (match == 0)
        return;
    teg_buffer_u8(b, (uint8_t)offset);
    teg_buffer_u8(b, (uint8_t)(offset >> 8));
    if (more >= 15)
        put_length(b, more);
}

/* Runs of one byte become matches of offset 1; the end is literal. */
static void pack_lz4(struct teg_buffer *b, const uint8_t *data, size_t size)
{
    size_t start = 0, at = 1;

    while (at + 16 < size) {
        size_t run = 0;

        while (at + run + 16 < size && data[at + run] == data[at - 1])
            run++;
        if (run < 8) {
            at++;
            continue;
        }
        put_sequence(b, data + start, at - start, 1, run);
        at += run;
        start = at;
        at++;
    }
    put_sequence(b, data + start, size - start, 0, 0);
}

/* ---- fatbins ------------------------------------------------------------- */

static void put_u16(struct teg_buffer *b, uint32_t v)
{
    teg_buffer_u8(b, (uint8_t)v);
    teg_buffer_u8(b, (uint8_t)(v >> 8));
}

static void put_entry(struct teg_buffer *b, int kind, uint32_t sm,
                      enum teg_fatbin_packing packing)
{
    static const uint64_t flag[] = {0, 0x2000, 0x8000};
    struct teg_buffer p = {0};
    size_t packed;

    if (packing == FATBIN_PLAIN)
        teg_buffer_bytes(&p, cubin, cubin_size);
    else if (packing == FATBIN_LZ4)
        pack_lz4(&p, cubin, cubin_size);
    else {
        size_t room = ZSTD_compressBound(cubin_size);
        uint8_t *to = teg_buffer_grow(&p, room);

        p.size -= room - ZSTD_compress(to, room, cubin, cubin_size, 3);
    }
    packed = p.size;
    while (p.size % 8 != 0)
        teg_buffer_u8(&p, 0);
    put_u16(b, (uint32_t)kind);
    put_u16(b, 0x0101);
    teg_buffer_u32(b, 64);
    teg_buffer_u64(b, p.size);
    teg_buffer_u32(b, packing == FATBIN_PLAIN ? 0 : (uint32_t)packed);
    teg_buffer_u32(b, 0);
    teg_buffer_u32(b, 0x00080001);
    teg_buffer_u32(b, sm);
    teg_buffer_u64(b, 0);
    teg_buffer_u64(b, 0x11 | flag[packing]);
    teg_buffer_u64(b, 0);
    teg_buffer_u64(b, packing == FATBIN_PLAIN ? 0 : cubin_size);
    teg_buffer_bytes(b, p.data, p.size);
    teg_buffer_release(&p);
}

/* A PTX entry and the cubin in each packing. */
static struct teg_buffer fatbin(void)
{
    struct teg_buffer entries = {0}, b = {0};

    put_entry(&entries, 2, 86, FATBIN_PLAIN);
    put_entry(&entries, 1, 80, FATBIN_ZSTD);
    put_entry(&entries, 2, 86, FATBIN_LZ4);
    put_entry(&entries, 2, 86, FATBIN_ZSTD);
    teg_buffer_u32(&b, 0xBA55ED50u);
    put_u16(&b, 1);
    put_u16(&b, 16);
    teg_buffer_u64(&b, entries.size);
    teg_buffer_bytes(&b, entries.data, entries.size);
    teg_buffer_release(&entries);
    return b;
}

static void expect_all(const struct teg_fatbin *f)
{
    ck_assert_uint_eq(f->count, 4);
    ck_assert_int_eq(f->entry[1].is_ptx, 1);
    ck_assert_uint_eq(f->entry[1].sm, 80);
    for (uint32_t i = 0; i < f->count; i++) {
        struct teg_buffer b = {0};
        struct teg_diag d;

        ck_assert_msg(teg_fatbin_unpack(f, i, &b, &d) == TEG_OK, "%u: %s", i,
                      d.what);
        ck_assert_uint_eq(b.size, f->entry[i].size);
        ck_assert_uint_ge(b.size, cubin_size);
        ck_assert_mem_eq(b.data, cubin, cubin_size);
        teg_buffer_release(&b);
    }
}

START_TEST(every_packing_gives_the_same_cubin)
{
    struct teg_buffer b;
    struct teg_fatbin f;
    struct teg_cubin c;
    struct teg_diag d;

    load();
    b = fatbin();
    ck_assert_int_eq(teg_fatbin_open_memory(&f, "t", b.data, b.size, &d),
                     TEG_OK);
    ck_assert(!f.is_cubin);
    expect_all(&f);
    ck_assert_int_eq(f.entry[2].packing, FATBIN_LZ4);
    ck_assert_uint_lt(f.entry[2].packed_size, cubin_size);
    ck_assert_int_eq(teg_fatbin_cubin(&f, 2, &c, &d), TEG_OK);
    teg_fatbin_release(&f);
    ck_assert_uint_eq(c.sm, 86);
    ck_assert_ptr_nonnull(teg_cubin_find(&c, "reduce"));
    teg_cubin_release(&c);
    teg_buffer_release(&b);
    free(cubin);
}
END_TEST

/* A 64-bit ELF file of another machine with the fatbin in .nv_fatbin. */
static struct teg_buffer host_program(const struct teg_buffer *fat)
{
    static const char names[] = "\0.nv_fatbin\0.shstrtab";
    Elf64_Ehdr e = {
        .e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
        .e_type = ET_EXEC,
        .e_machine = EM_X86_64,
        .e_version = EV_CURRENT,
        .e_ehsize = sizeof e,
        .e_shentsize = sizeof(Elf64_Shdr),
        .e_shnum = 3,
        .e_shstrndx = 2};
    Elf64_Shdr s[3] = {{0}};
    struct teg_buffer b = {0};

    e.e_shoff = sizeof e;
    s[1] = (Elf64_Shdr){.sh_name = 1,
                        .sh_type = SHT_PROGBITS,
                        .sh_offset = sizeof e + sizeof s,
                        .sh_size = fat->size,
                        .sh_addralign = 8};
    s[2] = (Elf64_Shdr){.sh_name = 12,
                        .sh_type = SHT_STRTAB,
                        .sh_offset = sizeof e + sizeof s + fat->size,
                        .sh_size = sizeof names,
                        .sh_addralign = 1};
    teg_buffer_bytes(&b, &e, sizeof e);
    teg_buffer_bytes(&b, s, sizeof s);
    teg_buffer_bytes(&b, fat->data, fat->size);
    teg_buffer_bytes(&b, names, sizeof names);
    return b;
}

START_TEST(device_code_is_found_in_a_host_program)
{
    struct teg_buffer fat, host;
    struct teg_fatbin f;
    struct teg_diag d;

    load();
    fat = fatbin();
    host = host_program(&fat);
    ck_assert_msg(teg_fatbin_open_memory(&f, "t", host.data, host.size, &d) ==
                      TEG_OK,
                  "%s", d.what);
    expect_all(&f);
    teg_fatbin_release(&f);
    teg_buffer_release(&host);
    teg_buffer_release(&fat);
    free(cubin);
}
END_TEST

START_TEST(a_bare_cubin_is_one_entry)
{
    struct teg_fatbin f;
    struct teg_diag d;

    ck_assert_int_eq(teg_fatbin_open(&f, CUBIN, &d), TEG_OK);
    ck_assert(f.is_cubin);
    ck_assert_uint_eq(f.count, 1);
    ck_assert_uint_eq(f.entry[0].sm, 86);
    teg_fatbin_release(&f);
}
END_TEST

START_TEST(a_program_without_device_code_is_refused)
{
    struct teg_buffer none = {0}, host = host_program(&none);
    struct teg_fatbin f;
    struct teg_diag d;

    ck_assert_int_eq(teg_fatbin_open_memory(&f, "t", host.data, host.size, &d),
                     TEG_FORMAT);
    ck_assert_ptr_nonnull(strstr(d.what, "without any"));
    ck_assert_int_eq(teg_fatbin_open(&f, "tests", &d), TEG_IO);
    teg_buffer_release(&host);
}
END_TEST

static void unpack_all(const uint8_t *bytes, size_t size)
{
    struct teg_fatbin f;
    struct teg_diag d;

    if (teg_fatbin_open_memory(&f, "t", bytes, size, &d) != TEG_OK) {
        ck_assert_uint_gt(strlen(d.what), 0);
        return;
    }
    for (uint32_t i = 0; i < f.count; i++) {
        struct teg_buffer b = {0};

        /* A claim of hundreds of megabytes is only slow. */
        if (f.entry[i].size < 1 << 22)
            teg_fatbin_unpack(&f, i, &b, &d);
        teg_buffer_release(&b);
    }
    teg_fatbin_release(&f);
}

static void expect_damaged(const struct teg_fatbin *f, uint32_t i)
{
    struct teg_buffer b = {0};
    struct teg_diag d = {0};

    ck_assert_int_eq(teg_fatbin_unpack(f, i, &b, &d), TEG_FORMAT);
    ck_assert_str_eq(d.what, "compressed device code is damaged");
    ck_assert_ptr_nonnull(strstr(d.where, "t"));
    teg_buffer_release(&b);
}

/* Packed bytes cut short, and more or fewer bytes than they unpack to: told in
 * one sentence whatever the packing. */
START_TEST(a_damaged_packing_is_told)
{
    struct teg_buffer b;
    struct teg_fatbin f;
    struct teg_diag d;

    load();
    b = fatbin();
    ck_assert_int_eq(teg_fatbin_open_memory(&f, "t", b.data, b.size, &d),
                     TEG_OK);
    for (uint32_t i = 0; i < f.count; i++) {
        if (f.entry[i].packing == FATBIN_PLAIN)
            continue;
        f.entry[i].packed_size--;
        expect_damaged(&f, i);
        f.entry[i].packed_size++;
        f.entry[i].size--;
        expect_damaged(&f, i);
        f.entry[i].size += 2;
        expect_damaged(&f, i);
    }
    teg_fatbin_release(&f);
    teg_buffer_release(&b);
    free(cubin);
}
END_TEST

START_TEST(damaged_fatbins_never_crash)
{
    struct teg_buffer b;

    load();
    cubin_size = 2048; /* enough for runs, quick to unpack */
    b = fatbin();
    for (size_t n = 0; n < b.size; n++)
        unpack_all(b.data, n);
    for (size_t i = 0; i < b.size; i++) {
        for (int how = 0; how < 3; how++) {
            uint8_t old = b.data[i];

            b.data[i] ^= how == 0 ? 0xff : how == 1 ? 0x80 : 0x01;
            unpack_all(b.data, b.size);
            b.data[i] = old;
        }
    }
    teg_buffer_release(&b);
    free(cubin);
}
END_TEST

/* The first of two ends 4 bytes behind a multiple of 8: the next begins at
 * the multiple after. */
START_TEST(a_fatbin_begins_at_a_multiple_of_8)
{
    struct teg_buffer b, two = {0};
    struct teg_fatbin f;
    struct teg_diag d;

    load();
    b = fatbin();
    put_u16(&two, 0xED50);
    put_u16(&two, 0xBA55);
    put_u16(&two, 1);
    put_u16(&two, 20); /* a longer header, and no entry */
    teg_buffer_u64(&two, 0);
    for (int i = 0; i < 8; i++)
        teg_buffer_u8(&two, 0);
    teg_buffer_bytes(&two, b.data, b.size);
    ck_assert_int_eq(teg_fatbin_open_memory(&f, "t", two.data, two.size, &d),
                     TEG_OK);
    expect_all(&f);
    teg_fatbin_release(&f);
    teg_buffer_release(&two);
    teg_buffer_release(&b);
    free(cubin);
}
END_TEST

HELP_MAIN("fatbin", 60, {every_packing_gives_the_same_cubin, 0},
          {device_code_is_found_in_a_host_program, 0},
          {a_bare_cubin_is_one_entry, 0},
          {a_program_without_device_code_is_refused, 0},
          {a_damaged_packing_is_told, 0}, {damaged_fatbins_never_crash, 0},
          {a_fatbin_begins_at_a_multiple_of_8, 0})
