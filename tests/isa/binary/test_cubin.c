/*
 * Cubins: what is in them, and that damaged ones end with one sentence.
 *
 * Expected resources are those `ptxas -v` printed when the fixtures were
 * compiled; parameters follow from C's layout of the kernels' arguments.
 */
#include "isa/binary/cubin.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/help_suite.h"

#define FIXTURES "tests/fixtures/"

static const uint32_t sms[] = {75, 80, 86, 90};

enum {
    SMS = sizeof sms / sizeof sms[0]
};

static struct teg_cubin open_fixture(const char *name, uint32_t sm)
{
    struct teg_cubin c;
    struct teg_diag d;
    char path[128];

    snprintf(path, sizeof path, FIXTURES "%s.sm_%u.cubin", name, sm);
    ck_assert_msg(teg_cubin_open(&c, path, &d) == TEG_OK, "%s: %s", d.where,
                  d.what);
    return c;
}

static uint8_t *load(const char *name, size_t *size)
{
    FILE *f = fopen(name, "rb");
    uint8_t *bytes = malloc(1 << 20);

    ck_assert_ptr_nonnull(f);
    ck_assert_ptr_nonnull(bytes);
    *size = fread(bytes, 1, 1 << 20, f);
    fclose(f);
    return bytes;
}

START_TEST(generation_and_kernels_are_named)
{
    for (int i = 0; i < SMS; i++) {
        struct teg_cubin c = open_fixture("vector", sms[i]);

        ck_assert_uint_eq(c.sm, sms[i]);
        ck_assert(c.is_cuda13);
        ck_assert(!c.is_relocatable);
        ck_assert_uint_eq(c.kernel_count, 2);
        ck_assert_ptr_nonnull(teg_cubin_find(&c, "axpy"));
        ck_assert_ptr_nonnull(teg_cubin_find(&c, "mixed"));
        ck_assert_ptr_null(teg_cubin_find(&c, "axp"));
        teg_cubin_release(&c);
    }
}
END_TEST

START_TEST(resources_are_those_ptxas_prints)
{
    static const struct {
        const char *file, *kernel;
        uint32_t sm, registers, barriers, local, shared;
    } known[] = {
        {"vector", "axpy", 75, 12, 0, 0, 0},
        {"vector", "mixed", 75, 29, 0, 32, 0},
        {"vector", "axpy", 90, 14, 0, 0, 0},
        {"vector", "mixed", 90, 29, 0, 32, 0},
        {"block", "transpose", 75, 14, 1, 0, 1088},
        {"block", "reduce", 75, 13, 1, 0, 128},
        {"block", "transpose", 90, 14, 1, 0, 1088},
        {"block", "reduce", 90, 14, 1, 0, 128},
        {"flow", "flow", 75, 23, 0, 0, 0},
        {"flow", "product", 90, 22, 0, 0, 0},
    };

    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        struct teg_cubin c = open_fixture(known[i].file, known[i].sm);
        const struct teg_cubin_kernel *k = teg_cubin_find(&c, known[i].kernel);

        ck_assert_ptr_nonnull(k);
        ck_assert(k->is_entry);
        ck_assert_msg(k->registers == known[i].registers, "%s sm_%u: %u",
                      k->name, known[i].sm, k->registers);
        ck_assert_uint_eq(k->barriers, known[i].barriers);
        ck_assert_msg(k->local_bytes == known[i].local || i >= 8, "%s: %llu",
                      k->name, (unsigned long long)k->local_bytes);
        ck_assert_uint_eq(k->shared_bytes, known[i].shared);
        /* sm_90 reserves 1024 bytes where shared memory is used */
        ck_assert_uint_eq(k->shared_reserved,
                          known[i].sm == 90 && known[i].shared > 0 ? 1024 : 0);
        ck_assert_ptr_nonnull(k->code.data);
        ck_assert_uint_eq(k->code.size % 128, 0);
        teg_cubin_release(&c);
    }
}
END_TEST

START_TEST(parameters_lie_as_c_lays_them)
{
    /* mixed(pack, double *, const long long *, unsigned char):
     * pack is char, short, double, int[4] = 32 bytes */
    static const struct teg_cubin_param want[] = {
        {0, 0, 32}, {1, 32, 8}, {2, 40, 8}, {3, 48, 1}};

    for (int i = 0; i < SMS; i++) {
        struct teg_cubin c = open_fixture("vector", sms[i]);
        const struct teg_cubin_kernel *k = teg_cubin_find(&c, "mixed");

        ck_assert_uint_eq(k->param_count, 4);
        for (int p = 0; p < 4; p++) {
            ck_assert_uint_eq(k->param[p].ordinal, want[p].ordinal);
            ck_assert_uint_eq(k->param[p].offset, want[p].offset);
            ck_assert_uint_eq(k->param[p].size, want[p].size);
        }
        ck_assert_uint_eq(k->param_base, sms[i] < 90 ? 0x160 : 0x210);
        ck_assert_uint_eq(k->param_bytes, 49);
        ck_assert_uint_eq(k->constant0.size, k->param_base + 49);
        /* __launch_bounds__(128) */
        ck_assert_uint_eq(k->max_threads[0], 128);
        ck_assert_uint_eq(k->max_threads[1], 1);
        teg_cubin_release(&c);
    }
}
END_TEST

START_TEST(variables_and_their_relocations_are_found)
{
    for (int i = 0; i < SMS; i++) {
        struct teg_cubin c = open_fixture("block", sms[i]);
        int found = 0;

        ck_assert_uint_eq(c.constant3.size, 8 * sizeof(int));
        ck_assert_uint_eq(c.global_zero.size, sizeof(int));
        ck_assert_ptr_null(c.global_zero.data);
        for (uint32_t r = 0; r < c.reloc_count; r++) {
            const struct teg_cubin_reloc *reloc = &c.reloc[r];

            if (strcmp(c.symbol[reloc->symbol].name, "total") != 0)
                continue;
            found++;
            ck_assert_int_eq(reloc->region, CUBIN_CONSTANT4);
            ck_assert_uint_eq(reloc->type, 2);
            ck_assert_uint_lt(reloc->offset, c.constant4.size);
            ck_assert_int_eq(c.symbol[reloc->symbol].region, CUBIN_ZEROED);
        }
        ck_assert_int_eq(found, 1);
        teg_cubin_release(&c);
    }
}
END_TEST

START_TEST(jump_tables_belong_to_their_kernel)
{
    struct teg_cubin c = open_fixture("flow", 75);
    const struct teg_cubin_kernel *k = teg_cubin_find(&c, "flow");

    ck_assert_uint_eq(k->constant2.size, 24);
    ck_assert_uint_eq(teg_cubin_find(&c, "product")->constant2.size, 0);
    teg_cubin_release(&c);
}
END_TEST

static Elf64_Shdr *section_headers(uint8_t *bytes)
{
    return (Elf64_Shdr *)(void *)(bytes +
                                  ((Elf64_Ehdr *)(void *)bytes)->e_shoff);
}

START_TEST(layout_of_older_toolkits_is_read)
{
    /* The same file under the older header: SM number in the low byte. */
    size_t size;
    uint8_t *bytes = load(FIXTURES "vector.sm_75.cubin", &size);
    Elf64_Ehdr *e = (Elf64_Ehdr *)(void *)bytes;
    struct teg_cubin c;
    struct teg_diag d;

    e->e_ident[EI_OSABI] = 0x33;
    e->e_ident[EI_ABIVERSION] = 7;
    e->e_flags = 0x004b054b;
    ck_assert_int_eq(teg_cubin_open_memory(&c, "old", bytes, size, &d), TEG_OK);
    ck_assert(!c.is_cuda13);
    ck_assert_uint_eq(c.sm, 75);
    ck_assert_uint_eq(teg_cubin_find(&c, "axpy")->registers, 12);
    teg_cubin_release(&c);
    free(bytes);
}
END_TEST

START_TEST(stripped_files_keep_kernels_and_registers)
{
    size_t size;
    uint8_t *bytes = load(FIXTURES "vector.sm_75.cubin", &size);
    Elf64_Ehdr *e = (Elf64_Ehdr *)(void *)bytes;
    struct teg_cubin c;
    struct teg_diag d;

    for (unsigned i = 0; i < e->e_shnum; i++) {
        if (section_headers(bytes)[i].sh_type == SHT_SYMTAB)
            section_headers(bytes)[i].sh_type = SHT_NULL;
    }
    ck_assert_int_eq(teg_cubin_open_memory(&c, "bare", bytes, size, &d),
                     TEG_OK);
    ck_assert_uint_eq(c.symbol_count, 0);
    ck_assert_uint_eq(teg_cubin_find(&c, "axpy")->registers, 12);
    ck_assert(teg_cubin_find(&c, "axpy")->is_entry);
    ck_assert_uint_eq(teg_cubin_find(&c, "axpy")->param_count, 4);
    teg_cubin_release(&c);
    free(bytes);
}
END_TEST

/* Kernels with more than 4 KB of parameters say a size in 32 bits instead of
 * 14: attribute 0x45 in place of 0x17. */
START_TEST(large_parameters_have_a_record_of_their_own)
{
    enum {
        LARGE = 0x4178
    };
    size_t size;
    uint8_t *bytes = load(FIXTURES "vector.sm_80.cubin", &size);
    static const uint8_t record[] = {4, 0x17, 12, 0};
    const struct teg_cubin_kernel *k;
    struct teg_cubin c;
    struct teg_diag d;

    for (size_t i = 0; i + 16 <= size; i++) {
        uint32_t bits;

        if (memcmp(bytes + i, record, sizeof record) != 0)
            continue;
        bytes[i + 1] = 0x45;
        memcpy(&bits, bytes + i + 12, sizeof bits);
        bits = bits >> 18 == 32 ? LARGE : bits >> 18;
        memcpy(bytes + i + 12, &bits, sizeof bits);
    }
    ck_assert_int_eq(teg_cubin_open_memory(&c, "large", bytes, size, &d),
                     TEG_OK);
    k = teg_cubin_find(&c, "mixed");
    ck_assert_uint_eq(k->param_count, 4);
    ck_assert_uint_eq(k->param[0].size, LARGE);
    ck_assert_uint_eq(k->param[3].size, 1);
    ck_assert_uint_eq(k->param[3].offset, 48);
    teg_cubin_release(&c);
    free(bytes);
}
END_TEST

/* Opens and, if that works, touches everything a user would. */
static teg_status walk(const uint8_t *bytes, size_t size, struct teg_diag *d)
{
    struct teg_cubin c;
    teg_status status = teg_cubin_open_memory(&c, "damaged", bytes, size, d);
    unsigned sum = 0;

    if (status != TEG_OK)
        return status;
    for (uint32_t i = 0; i < c.kernel_count; i++) {
        const struct teg_cubin_kernel *k = &c.kernel[i];

        sum += (unsigned)strlen(k->name);
        for (uint64_t b = 0; k->code.data != NULL && b < k->code.size; b++)
            sum += k->code.data[b];
        for (uint64_t b = 0; k->constant0.data != NULL && b < k->constant0.size;
             b++)
            sum += k->constant0.data[b];
    }
    for (uint32_t i = 0; i < c.reloc_count; i++)
        sum += (unsigned)strlen(c.symbol[c.reloc[i].symbol].name);
    ck_assert_uint_ne(sum, 1u << 31);
    teg_cubin_release(&c);
    return TEG_OK;
}

static void expect_sentence(teg_status status, const struct teg_diag *d)
{
    if (status == TEG_OK)
        return;
    ck_assert_int_eq(d->status, status);
    ck_assert_uint_gt(strlen(d->what), 0);
    ck_assert_ptr_null(strchr(d->what, '\n'));
}

START_TEST(a_file_cut_anywhere_is_refused_or_still_whole)
{
    size_t size;
    uint8_t *bytes = load(FIXTURES "block.sm_75.cubin", &size);
    const Elf64_Ehdr *e = (const Elf64_Ehdr *)(const void *)bytes;
    size_t needed = e->e_shoff + (size_t)e->e_shnum * e->e_shentsize;

    for (size_t n = 0; n < size; n++) {
        struct teg_diag d = {0};
        teg_status status = walk(bytes, n, &d);

        expect_sentence(status, &d);
        if (n < needed)
            ck_assert_msg(status != TEG_OK, "cut to %zu", n);
    }
    free(bytes);
}
END_TEST

START_TEST(a_flipped_byte_never_crashes)
{
    static const char *const names[] = {FIXTURES "block.sm_75.cubin",
                                        FIXTURES "block.sm_90.cubin"};

    for (int f = 0; f < 2; f++) {
        size_t size;
        uint8_t *bytes = load(names[f], &size);

        for (size_t i = 0; i < size; i++) {
            for (int how = 0; how < 3; how++) {
                uint8_t old = bytes[i];
                struct teg_diag d = {0};

                bytes[i] ^= how == 0 ? 0xff : how == 1 ? 0x80 : 0x01;
                expect_sentence(walk(bytes, size, &d), &d);
                bytes[i] = old;
            }
        }
        free(bytes);
    }
}
END_TEST

START_TEST(other_files_are_refused_by_name)
{
    static const char text[] = "-kernel name = saxpy\n-kernel id = 1\n"
                               "-grid dim = (2,1,1)\n-block dim = (64,1,1)\n";
    struct teg_cubin c;
    struct teg_diag d;
    size_t size;
    uint8_t *bytes = load(FIXTURES "vector.sm_75.cubin", &size);

    ck_assert_int_eq(teg_cubin_open(&c, "/no/such.cubin", &d), TEG_IO);
    ck_assert_int_eq(
        teg_cubin_open_memory(&c, "t", (const uint8_t *)text, sizeof text, &d),
        TEG_FORMAT);
    ck_assert(!teg_cubin_recognise((const uint8_t *)text, sizeof text));
    ck_assert(teg_cubin_recognise(bytes, size));
    bytes[18] = 62; /* x86-64 */
    bytes[7] = 0;
    ck_assert(!teg_cubin_recognise(bytes, size));
    ck_assert_int_eq(teg_cubin_open_memory(&c, "t", bytes, size, &d),
                     TEG_FORMAT);
    ck_assert_ptr_nonnull(strstr(d.what, "machine 62"));
    free(bytes);
}
END_TEST

HELP_MAIN("cubin", 60, {generation_and_kernels_are_named, 0},
          {resources_are_those_ptxas_prints, 0},
          {parameters_lie_as_c_lays_them, 0},
          {large_parameters_have_a_record_of_their_own, 0},
          {variables_and_their_relocations_are_found, 0},
          {jump_tables_belong_to_their_kernel, 0},
          {layout_of_older_toolkits_is_read, 0},
          {stripped_files_keep_kernels_and_registers, 0},
          {a_file_cut_anywhere_is_refused_or_still_whole, 0},
          {a_flipped_byte_never_crashes, 0},
          {other_files_are_refused_by_name, 0})
