#include "isa/binary/cubin.h"

#include <gelf.h>
#include <libelf.h>
#include <stdlib.h>
#include <string.h>

#include "isa/base/buffer.h"
#include "isa/base/printable.h"
#include "isa/binary/dwarf.h"

enum {
    EM_CUDA_ = 190,
    ABI_OLD = 0x33,
    ABI_CUDA13 = 0x41,
    ENTRY = 0x10, /* st_other of a kernel */
    PARAMS_MAX = 4096,
    SECTIONS_MAX = 1 << 20,
    SM_HOPPER = 90,
    SHARED_RESERVED = 0x400,
};

/* Attributes of .nv.info. */
enum {
    ATTR_MAX_THREADS = 0x05,
    ATTR_PARAM_CBANK = 0x0a,
    ATTR_REQNTID = 0x10,
    ATTR_FRAME_SIZE = 0x11,
    ATTR_MIN_STACK_SIZE = 0x12,
    ATTR_KPARAM_INFO = 0x17,
    ATTR_CBANK_PARAM_SIZE = 0x19,
    ATTR_REGCOUNT = 0x2f,
    ATTR_CLUSTER = 0x3d,
    ATTR_KPARAM_INFO_V2 = 0x45, /* of kernels with more than 4 KB */
    ATTR_NUM_BARRIERS = 0x4c,
};

/* One section as far as it is known to be sound. */
struct section {
    const char *name;
    GElf_Shdr header;
    Elf_Data *data; /* raw bytes, NULL for those that are not in the file */
    int kernel;     /* index of the kernel it belongs to, -1: none */
};

struct reader {
    struct teg_cubin *c;
    struct section *section; /* owned */
    size_t section_count;
    struct teg_diag *d;
};

static teg_status fail(struct reader *r, const char *what)
{
    const char *reason = elf_errmsg(elf_errno());

    return teg_fail(r->d, TEG_FORMAT, r->c->path, "%s%s%s", what,
                    reason != NULL ? ": " : "", reason != NULL ? reason : "");
}

int teg_cubin_recognise(const uint8_t *bytes, size_t size)
{
    return size >= EI_NIDENT + 4 && memcmp(bytes, ELFMAG, SELFMAG) == 0 &&
           (bytes[EI_OSABI] == ABI_OLD || bytes[EI_OSABI] == ABI_CUDA13 ||
            (bytes[18] == EM_CUDA_ && bytes[19] == 0));
}

/* ---- header and sections ------------------------------------------- */

static teg_status read_header(struct reader *r)
{
    struct teg_cubin *c = r->c;
    GElf_Ehdr e;

    if (elf_kind(c->elf) != ELF_K_ELF || gelf_getehdr(c->elf, &e) == NULL)
        return fail(r, "expected a cubin, found no readable ELF header");
    if (e.e_ident[EI_CLASS] != ELFCLASS64 || e.e_ident[EI_DATA] != ELFDATA2LSB)
        return teg_fail(r->d, TEG_FORMAT, c->path,
                        "expected a 64-bit little-endian cubin, found another "
                        "kind of ELF");
    if (e.e_machine != EM_CUDA_)
        return teg_fail(r->d, TEG_FORMAT, c->path,
                        "expected a cubin (ELF machine 190), found machine %u",
                        e.e_machine);
    if (e.e_ident[EI_OSABI] != ABI_OLD && e.e_ident[EI_OSABI] != ABI_CUDA13)
        return teg_fail(r->d, TEG_FORMAT, c->path,
                        "expected OS/ABI 0x33 or 0x41, found 0x%02x",
                        e.e_ident[EI_OSABI]);
    c->is_cuda13 = e.e_ident[EI_OSABI] == ABI_CUDA13;
    c->sm = c->is_cuda13 ? e.e_flags >> 8 & 0xff : e.e_flags & 0xff;
    c->is_relocatable = e.e_type == ET_REL;
    return TEG_OK;
}

/* libelf checks that a section lies within the file when its data is asked
 * for; one that does not is no section of ours. */
static teg_status read_section(struct reader *r, size_t i, size_t names)
{
    struct section *s = &r->section[i];
    Elf_Scn *scn = elf_getscn(r->c->elf, i);

    s->kernel = -1;
    if (scn == NULL || gelf_getshdr(scn, &s->header) == NULL)
        return fail(r, "section header cannot be read");
    s->name = elf_strptr(r->c->elf, names, s->header.sh_name);
    if (s->name == NULL)
        return fail(r, "name of a section cannot be read");
    if (s->header.sh_type == SHT_NOBITS || s->header.sh_type == SHT_NULL ||
        s->header.sh_size == 0)
        return TEG_OK;
    if (s->header.sh_offset > r->c->file_size ||
        s->header.sh_size > r->c->file_size - s->header.sh_offset)
        return teg_fail_byte(r->d, TEG_FORMAT, r->c->path, s->header.sh_offset,
                             "expected %llu bytes of section %s, the file ends "
                             "before",
                             (unsigned long long)s->header.sh_size, s->name);
    s->data = elf_rawdata(scn, NULL);
    if (s->data == NULL || s->data->d_buf == NULL ||
        s->data->d_size != s->header.sh_size)
        return fail(r, "contents of a section cannot be read");
    return TEG_OK;
}

static teg_status read_sections(struct reader *r)
{
    size_t names;

    if (elf_getshdrnum(r->c->elf, &r->section_count) != 0 ||
        elf_getshdrstrndx(r->c->elf, &names) != 0)
        return fail(r, "expected section headers");
    if (r->section_count == 0 || r->section_count > SECTIONS_MAX)
        return teg_fail(r->d, TEG_FORMAT, r->c->path,
                        "expected sections, found %zu", r->section_count);
    r->section = calloc(r->section_count, sizeof *r->section);
    if (r->section == NULL)
        return teg_fail_memory(r->d);
    for (size_t i = 0; i < r->section_count; i++)
        TRY(read_section(r, i, names));
    return TEG_OK;
}

static struct teg_cubin_bytes bytes_of(const struct section *s)
{
    return (struct teg_cubin_bytes){.data =
                                        s->data != NULL ? s->data->d_buf : NULL,
                                    .size = s->header.sh_size};
}

/* What follows `prefix` in the section's name, or NULL. */
static const char *after(const struct section *s, const char *prefix)
{
    size_t length = strlen(prefix);

    return strncmp(s->name, prefix, length) == 0 ? s->name + length : NULL;
}

static int find_kernel(const struct teg_cubin *c, const char *name)
{
    for (uint32_t i = 0; i < c->kernel_count; i++) {
        if (strcmp(c->kernel[i].name, name) == 0)
            return (int)i;
    }
    return -1;
}

/* The kernel or function of that name that a section is about, whose header
 * says which; -1: none.  Functions of a file's own may have one name. */
static int owner_of(const struct reader *r, const struct section *s,
                    const char *name)
{
    size_t text = s->header.sh_info;

    if (text < r->section_count && r->section[text].kernel >= 0 &&
        strcmp(r->c->kernel[r->section[text].kernel].name, name) == 0)
        return r->section[text].kernel;
    return find_kernel(r->c, name);
}

/* ---- kernels --------------------------------------------------------- */

static teg_status add_kernel(struct reader *r, size_t index, const char *name)
{
    struct teg_cubin *c = r->c;
    struct section *s = &r->section[index];
    struct teg_cubin_kernel *k = &c->kernel[c->kernel_count];

    k->name = teg_printable_copy(name);
    if (k->name == NULL)
        return teg_fail_memory(r->d);
    s->kernel = (int)c->kernel_count++;
    k->section = (uint32_t)index;
    k->is_entry = 1;
    k->code = bytes_of(s);
    /* Before Hopper the section's header counts registers too. */
    if (c->sm < SM_HOPPER)
        k->registers = (uint32_t)s->header.sh_info >> 24;
    if (!c->is_cuda13)
        k->barriers = s->header.sh_flags >> 20 & 0x7f;
    return TEG_OK;
}

static teg_status find_kernels(struct reader *r)
{
    struct teg_cubin *c = r->c;
    size_t count = 0;

    for (size_t i = 0; i < r->section_count; i++)
        count += after(&r->section[i], ".text.") != NULL;
    c->kernel = calloc(count + 1, sizeof *c->kernel);
    if (c->kernel == NULL)
        return teg_fail_memory(r->d);
    for (size_t i = 0; i < r->section_count; i++) {
        const char *name = after(&r->section[i], ".text.");

        if (name != NULL && r->section[i].header.sh_type == SHT_PROGBITS)
            TRY(add_kernel(r, i, name));
    }
    return TEG_OK;
}

/* Hopper keeps the first bytes of a block's shared memory to itself. */
static void set_shared(const struct teg_cubin *c, struct teg_cubin_kernel *k,
                       uint64_t size)
{
    if (c->sm >= SM_HOPPER && size >= SHARED_RESERVED)
        k->shared_reserved = SHARED_RESERVED;
    k->shared_bytes = size - k->shared_reserved;
}

/* Sections that belong to a kernel by name. */
static void attach(struct reader *r, struct section *s)
{
    struct teg_cubin *c = r->c;
    const char *name;

    if ((name = after(s, ".nv.shared.")) != NULL &&
        (s->kernel = owner_of(r, s, name)) >= 0)
        set_shared(c, &c->kernel[s->kernel], s->header.sh_size);
    else if ((name = after(s, ".nv.constant0.")) != NULL &&
             (s->kernel = owner_of(r, s, name)) >= 0)
        c->kernel[s->kernel].constant0 = bytes_of(s);
    else if ((name = after(s, ".nv.constant2.")) != NULL &&
             (s->kernel = owner_of(r, s, name)) >= 0)
        c->kernel[s->kernel].constant2 = bytes_of(s);
}

static void find_memory(struct reader *r)
{
    struct teg_cubin *c = r->c;
    const struct {
        const char *name;
        struct teg_cubin_bytes *bytes;
    } regions[] = {
        {".nv.constant3", &c->constant3},
        {".nv.constant4", &c->constant4},
        {".nv.global.init", &c->global_init},
        {".nv.global", &c->global_zero},
        {".debug_line", &c->lines_table},
        {".nv_debug_line_sass", &c->ptx_lines_table},
    };

    for (size_t i = 0; i < r->section_count; i++) {
        for (size_t p = 0; p < sizeof regions / sizeof regions[0]; p++) {
            if (strcmp(r->section[i].name, regions[p].name) == 0)
                *regions[p].bytes = bytes_of(&r->section[i]);
        }
        attach(r, &r->section[i]);
    }
}

/* ---- symbols --------------------------------------------------------- */

static enum teg_cubin_region region_of(const struct section *s)
{
    static const struct {
        const char *prefix;
        enum teg_cubin_region region;
    } regions[] = {
        {".text.", CUBIN_CODE},
        {".nv.constant2.", CUBIN_CONSTANT2},
        {".nv.constant3", CUBIN_CONSTANT3},
        {".nv.constant4", CUBIN_CONSTANT4},
        {".nv.global.init", CUBIN_GLOBAL},
        {".nv.global", CUBIN_ZEROED},
        {".debug_line", CUBIN_LINES},
        {".nv_debug_line_sass", CUBIN_PTX_LINES},
    };

    for (size_t i = 0; i < sizeof regions / sizeof regions[0]; i++) {
        if (after(s, regions[i].prefix) != NULL)
            return regions[i].region;
    }
    return CUBIN_ELSEWHERE;
}

static void set_symbol(struct reader *r, struct teg_cubin_symbol *to,
                       const GElf_Sym *sym, const char *name)
{
    const struct section *s =
        sym->st_shndx != SHN_UNDEF && sym->st_shndx < r->section_count
            ? &r->section[sym->st_shndx]
            : NULL;

    *to = (struct teg_cubin_symbol){.name = name != NULL ? name : "",
                                    .value = sym->st_value,
                                    .size = sym->st_size,
                                    .region = CUBIN_ELSEWHERE,
                                    .kernel = -1};
    if (s == NULL)
        return;
    to->is_defined = 1;
    to->region = region_of(s);
    to->kernel = s->kernel;
    /* Where there are symbols, they tell kernels from device functions. */
    if (to->region == CUBIN_CODE && s->kernel >= 0 &&
        GELF_ST_TYPE(sym->st_info) == STT_FUNC &&
        teg_printable_is(r->c->kernel[s->kernel].name, to->name,
                         strlen(to->name)))
        r->c->kernel[s->kernel].is_entry = (sym->st_other & ENTRY) != 0;
}

static teg_status read_symbols(struct reader *r, size_t index)
{
    struct teg_cubin *c = r->c;
    const struct section *s = &r->section[index];
    Elf_Data *data = elf_getdata(elf_getscn(c->elf, index), NULL);
    size_t count = s->header.sh_size / sizeof(Elf64_Sym);

    if (data == NULL || data->d_size < count * sizeof(Elf64_Sym) ||
        c->symbol != NULL)
        return fail(r, "symbols cannot be read");
    c->symbol = calloc(count + 1, sizeof *c->symbol);
    if (c->symbol == NULL)
        return teg_fail_memory(r->d);
    for (size_t i = 0; i < count; i++) {
        GElf_Sym sym;

        if (gelf_getsym(data, (int)i, &sym) == NULL)
            return fail(r, "a symbol cannot be read");
        set_symbol(r, &c->symbol[i], &sym,
                   elf_strptr(c->elf, s->header.sh_link, sym.st_name));
    }
    c->symbol_count = (uint32_t)count;
    return TEG_OK;
}

/* ---- .nv.info -------------------------------------------------------- */

struct record {
    uint8_t format, attribute;
    uint32_t size;       /* of `data` */
    const uint8_t *data; /* little endian */
};

static uint32_t u16_at(const struct record *a, uint32_t offset)
{
    return offset + 2 <= a->size
               ? a->data[offset] | (uint32_t)a->data[offset + 1] << 8
               : 0;
}

static uint32_t u32_at(const struct record *a, uint32_t offset)
{
    return u16_at(a, offset) | u16_at(a, offset + 2) << 16;
}

/* Formats 1 to 3 keep their value in two bytes, 4 says how many follow. */
static teg_status next_record(struct teg_walk *w, struct record *a,
                              struct teg_diag *d)
{
    TRY(teg_walk_u8(w, &a->format, d));
    TRY(teg_walk_u8(w, &a->attribute, d));
    a->size = 2;
    TRY(teg_walk_bytes(w, 2, &a->data, d));
    if (a->format != 4)
        return TEG_OK;
    a->size = u16_at(a, 0);
    return teg_walk_bytes(w, a->size, &a->data, d);
}

static void set_three(uint32_t to[3], const struct record *a)
{
    for (uint32_t i = 0; i < 3; i++)
        to[i] = u32_at(a, 4 * i);
}

static teg_status add_param(struct reader *r, struct teg_cubin_kernel *k,
                            const struct record *a)
{
    struct teg_cubin_param *grown;
    uint32_t at = k->param_count;
    struct teg_cubin_param p = {
        .ordinal = u16_at(a, 4), .offset = u16_at(a, 6), .size = u32_at(a, 8)};

    if (a->attribute == ATTR_KPARAM_INFO)
        p.size >>= 18;

    if (a->size < 12 || k->param_count >= PARAMS_MAX)
        return teg_fail(r->d, TEG_FORMAT, r->c->path,
                        "kernel %s: description of a parameter is damaged",
                        k->name);
    grown = realloc(k->param, (at + 1) * sizeof *grown);
    if (grown == NULL)
        return teg_fail_memory(r->d);
    k->param = grown;
    k->has_params = 1;
    for (; at > 0 && grown[at - 1].ordinal > p.ordinal; at--)
        grown[at] = grown[at - 1];
    grown[at] = p;
    k->param_count++;
    return TEG_OK;
}

static teg_status kernel_record(struct reader *r, struct teg_cubin_kernel *k,
                                const struct record *a)
{
    switch (a->attribute) {
    case ATTR_MAX_THREADS:
        set_three(k->max_threads, a);
        break;
    case ATTR_REQNTID:
        set_three(k->required_threads, a);
        break;
    case ATTR_CLUSTER:
        set_three(k->cluster, a);
        break;
    case ATTR_PARAM_CBANK:
        k->param_base = u16_at(a, 4);
        k->param_bytes = u16_at(a, 6);
        k->has_params = 1;
        break;
    case ATTR_CBANK_PARAM_SIZE:
        k->param_bytes = u16_at(a, 0);
        break;
    case ATTR_NUM_BARRIERS:
        k->barriers = a->data[0];
        break;
    case ATTR_KPARAM_INFO:
    case ATTR_KPARAM_INFO_V2:
        return add_param(r, k, a);
    default:
        break;
    }
    return TEG_OK;
}

/* Attributes of all functions name theirs by its symbol. */
static void file_record(struct reader *r, const struct record *a)
{
    struct teg_cubin *c = r->c;
    uint32_t symbol = u32_at(a, 0);
    struct teg_cubin_kernel *k;

    if (symbol >= c->symbol_count || c->symbol[symbol].kernel < 0 ||
        c->symbol[symbol].region != CUBIN_CODE)
        return;
    k = &c->kernel[c->symbol[symbol].kernel];
    if (a->attribute == ATTR_REGCOUNT)
        k->registers = u32_at(a, 4);
    else if (a->attribute == ATTR_MIN_STACK_SIZE && u32_at(a, 4) == UINT32_MAX)
        k->stack_is_open = 1;
    else if (a->attribute == ATTR_MIN_STACK_SIZE ||
             (a->attribute == ATTR_FRAME_SIZE && k->local_bytes == 0))
        k->local_bytes = u32_at(a, 4);
}

static teg_status read_info(struct reader *r, const struct section *s)
{
    const char *name = after(s, ".nv.info.");
    int kernel = name != NULL ? owner_of(r, s, name) : -1;
    struct teg_walk w;

    if (s->data == NULL || (name != NULL && kernel < 0))
        return TEG_OK;
    teg_walk_init(&w, s->data->d_buf, s->data->d_size, r->c->path,
                  s->header.sh_offset);
    while (teg_walk_left(&w) >= 4) {
        struct record a;

        TRY(next_record(&w, &a, r->d));
        if (kernel >= 0)
            TRY(kernel_record(r, &r->c->kernel[kernel], &a));
        else if (a.format == 4)
            file_record(r, &a);
    }
    return TEG_OK;
}

/* ---- relocations ------------------------------------------------------ */

/* The section a relocation section speaks of, NULL if there is none. */
static const struct section *target_of(const struct reader *r,
                                       const struct section *s)
{
    return s->header.sh_info < r->section_count ? &r->section[s->header.sh_info]
                                                : NULL;
}

static teg_status add_reloc(struct reader *r, const struct section *target,
                            const GElf_Rela *rel)
{
    struct teg_cubin *c = r->c;
    uint32_t symbol = (uint32_t)GELF_R_SYM(rel->r_info);

    /* Lines whose function a stripped file no longer names are no loss. */
    if (symbol >= c->symbol_count && (region_of(target) == CUBIN_LINES ||
                                      region_of(target) == CUBIN_PTX_LINES))
        return TEG_OK;
    if (symbol >= c->symbol_count || rel->r_offset >= target->header.sh_size)
        return teg_fail(r->d, TEG_FORMAT, c->path,
                        "a relocation of %s points out of it", target->name);
    c->reloc[c->reloc_count++] = (struct teg_cubin_reloc){
        .region = region_of(target),
        .kernel = target->kernel >= 0 ? (uint32_t)target->kernel : 0,
        .offset = rel->r_offset,
        .type = (uint32_t)GELF_R_TYPE(rel->r_info),
        .symbol = symbol,
        .addend = rel->r_addend};
    return TEG_OK;
}

static teg_status read_relocs(struct reader *r, size_t index)
{
    struct teg_cubin *c = r->c;
    const struct section *s = &r->section[index];
    const struct section *target = target_of(r, s);
    int has_addend = s->header.sh_type == SHT_RELA;
    size_t entry = has_addend ? sizeof(Elf64_Rela) : sizeof(Elf64_Rel);
    size_t count = s->header.sh_size / entry;
    Elf_Data *data = elf_getdata(elf_getscn(c->elf, index), NULL);
    struct teg_cubin_reloc *grown;

    if (target == NULL || region_of(target) == CUBIN_ELSEWHERE || count == 0)
        return TEG_OK;
    if (data == NULL || data->d_size < count * entry)
        return fail(r, "relocations cannot be read");
    grown = realloc(c->reloc, (c->reloc_count + count) * sizeof *grown);
    if (grown == NULL)
        return teg_fail_memory(r->d);
    c->reloc = grown;
    for (size_t i = 0; i < count; i++) {
        GElf_Rela rela = {0};
        GElf_Rel rel;

        if (has_addend ? gelf_getrela(data, (int)i, &rela) == NULL
                       : gelf_getrel(data, (int)i, &rel) == NULL)
            return fail(r, "a relocation cannot be read");
        if (!has_addend)
            rela = (GElf_Rela){.r_offset = rel.r_offset, .r_info = rel.r_info};
        TRY(add_reloc(r, target, &rela));
    }
    return TEG_OK;
}

/* ---- the whole --------------------------------------------------------- */

/* A launch names its kernel. */
static teg_status check_names(const struct reader *r)
{
    const struct teg_cubin *c = r->c;

    for (uint32_t i = 0; i < c->kernel_count; i++) {
        for (uint32_t k = 0; k < i && c->kernel[i].is_entry; k++) {
            if (c->kernel[k].is_entry &&
                strcmp(c->kernel[k].name, c->kernel[i].name) == 0)
                return teg_fail(r->d, TEG_FORMAT, c->path,
                                ".text.%s: a second section",
                                c->kernel[i].name);
        }
    }
    return TEG_OK;
}

static teg_status read_all(struct reader *r)
{
    TRY(read_header(r));
    TRY(read_sections(r));
    TRY(find_kernels(r));
    find_memory(r);
    for (size_t i = 0; i < r->section_count; i++) {
        if (r->section[i].header.sh_type == SHT_SYMTAB)
            TRY(read_symbols(r, i));
    }
    TRY(check_names(r));
    for (size_t i = 0; i < r->section_count; i++) {
        const struct section *s = &r->section[i];

        if (strcmp(s->name, ".nv.info") == 0 || after(s, ".nv.info.") != NULL)
            TRY(read_info(r, s));
        if (s->header.sh_type == SHT_REL || s->header.sh_type == SHT_RELA)
            TRY(read_relocs(r, i));
    }
    return teg_dwarf_lines(&r->c->lines, r->c, r->d);
}

/* Takes `bytes`, which libelf may not change but wants writable. */
static teg_status open_owned(struct teg_cubin *c, const char *path,
                             uint8_t *bytes, size_t size, struct teg_diag *d)
{
    struct reader r = {.c = c, .d = d};
    teg_status status;

    *c = (struct teg_cubin){.file = bytes, .file_size = size};
    c->path = strdup(path);
    if (c->path == NULL) {
        status = teg_fail_memory(d);
    } else if (size < sizeof(Elf64_Ehdr)) {
        status = teg_fail(d, TEG_FORMAT, path,
                          "expected a cubin, found only %zu bytes", size);
    } else if (elf_version(EV_CURRENT) == EV_NONE ||
               (c->elf = elf_memory((char *)bytes, size)) == NULL) {
        status = fail(&r, "cannot be read as ELF");
    } else {
        status = read_all(&r);
    }
    free(r.section);
    if (status != TEG_OK)
        teg_cubin_release(c);
    return status;
}

teg_status teg_cubin_open_memory(struct teg_cubin *c, const char *path,
                                 const uint8_t *bytes, size_t size,
                                 struct teg_diag *d)
{
    uint8_t *copy = malloc(size + 1);

    *c = (struct teg_cubin){0};
    if (copy == NULL)
        return teg_fail_memory(d);
    if (size > 0)
        memcpy(copy, bytes, size);
    return open_owned(c, path, copy, size, d);
}

teg_status teg_cubin_open(struct teg_cubin *c, const char *path,
                          struct teg_diag *d)
{
    struct teg_buffer b = {0};
    teg_status status = teg_buffer_file(&b, path, d);

    *c = (struct teg_cubin){0};
    if (status != TEG_OK)
        return status;
    return open_owned(c, path, b.data, b.size, d);
}

void teg_cubin_release(struct teg_cubin *c)
{
    for (uint32_t i = 0; i < c->kernel_count; i++) {
        free(c->kernel[i].name);
        free(c->kernel[i].param);
    }
    free(c->kernel);
    free(c->reloc);
    free(c->symbol);
    teg_lines_release(&c->lines);
    if (c->elf != NULL)
        elf_end(c->elf);
    free(c->file);
    free(c->path);
    *c = (struct teg_cubin){0};
}

const struct teg_cubin_kernel *teg_cubin_find(const struct teg_cubin *c,
                                              const char *name)
{
    int i = find_kernel(c, name);

    return i >= 0 ? &c->kernel[i] : NULL;
}
