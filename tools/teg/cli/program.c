#include "tools/teg/cli/program.h"

#include "isa/binary/fatbin.h"
#include "tools/teg/cli/teg.h"
#include "traces/emulate/core/emulate.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- finding ---------------------------------------------------------------- */

static bool is_program(const char *path)
{
    struct stat s;

    return stat(path, &s) == 0 && S_ISREG(s.st_mode) && access(path, X_OK) == 0;
}

/* The file in the directories of $PATH; NULL if there is none. */
static char *search(const char *name)
{
    const char *at = getenv("PATH");

    while (at != NULL) {
        size_t length = strcspn(at, ":");
        char *path = malloc(length + strlen(name) + 2);

        if (path == NULL)
            return NULL;
        sprintf(path, "%.*s/%s", (int)length, at, name);
        if (is_program(path))
            return path;
        free(path);
        at = at[length] == ':' ? at + length + 1 : NULL;
    }
    errno = ENOENT;
    return NULL;
}

static int find(struct program *p, const char *name)
{
    if (strchr(name, '/') == NULL)
        p->path = search(name);
    else if (is_program(name))
        p->path = strdup(name);
    else if (access(name, X_OK) == 0)
        errno = EISDIR;
    if (p->path != NULL)
        return EXIT_DONE;
    say(name, "cannot run: %s", strerror(errno));
    return EXIT_FAULT;
}

/* ---- looking ------------------------------------------------------------------ */

static void read_dynamic(struct program *p, Elf *elf, Elf_Scn *scn,
                         const GElf_Shdr *header)
{
    Elf_Data *data = elf_getdata(scn, NULL);
    size_t count = header->sh_entsize > 0 && data != NULL
                       ? data->d_size / header->sh_entsize
                       : 0;
    GElf_Dyn entry;

    for (size_t i = 0; i < count; i++) {
        const char *name;

        if (gelf_getdyn(data, (int)i, &entry) == NULL)
            return;
        if (entry.d_tag != DT_NEEDED)
            continue;
        name = elf_strptr(elf, header->sh_link, entry.d_un.d_val);
        if (name != NULL && strncmp(name, "libcudart.so", 12) == 0)
            snprintf(p->runtime, sizeof p->runtime, "%s", name);
        p->has_driver |= name != NULL && strcmp(name, "libcuda.so.1") == 0;
    }
}

/* The runtime's functions that tell that it is linked into the program, and
 * which: CUDA 12 calls the properties by a second name, 11 has a call that 13
 * has no more (tools/cudart/loader/patch.c). */
static void read_symbols(struct program *p, Elf *elf, Elf_Scn *scn,
                         const GElf_Shdr *header)
{
    static const char *const names[] = {
        "__cudaRegisterFatBinary", "cudaLaunchCooperativeKernelMultiDevice",
        "cudaGetDeviceProperties_v2"};
    Elf_Data *data = elf_getdata(scn, NULL);
    size_t count = header->sh_entsize > 0 && data != NULL
                       ? data->d_size / header->sh_entsize
                       : 0;
    bool has[3] = {false};
    GElf_Sym symbol;

    p->has_symbols = true;
    for (size_t i = 0; i < count; i++) {
        const char *name;

        if (gelf_getsym(data, (int)i, &symbol) == NULL)
            return;
        name = elf_strptr(elf, header->sh_link, symbol.st_name);
        for (int n = 0; n < 3 && name != NULL; n++)
            has[n] |= symbol.st_shndx != SHN_UNDEF &&
                      GELF_ST_TYPE(symbol.st_info) == STT_FUNC &&
                      strcmp(name, names[n]) == 0;
    }
    if (has[0])
        p->inside = has[2] ? 12 : has[1] ? 11 : 13;
}

static void read_sections(struct program *p, Elf *elf)
{
    Elf_Scn *scn = NULL;
    size_t names;

    if (elf_kind(elf) != ELF_K_ELF || elf_getshdrstrndx(elf, &names) != 0)
        return;
    p->is_elf = true;
    while ((scn = elf_nextscn(elf, scn)) != NULL) {
        GElf_Shdr header;
        const char *name;

        if (gelf_getshdr(scn, &header) == NULL)
            continue;
        name = elf_strptr(elf, names, header.sh_name);
        if (header.sh_type == SHT_DYNAMIC)
            read_dynamic(p, elf, scn, &header);
        if (header.sh_type == SHT_SYMTAB)
            read_symbols(p, elf, scn, &header);
        p->has_loader |= name != NULL && strcmp(name, ".interp") == 0;
        p->has_code |= name != NULL && strcmp(name, ".nv_fatbin") == 0;
    }
}

static void add_cubin(struct program *p, uint32_t sm)
{
    uint32_t i = 0;

    while (i < p->cubins && p->cubin_sm[i] != sm)
        i++;
    if (i == PROGRAM_CUBINS_MAX)
        return;
    p->cubins += i == p->cubins;
    p->cubin_sm[i] = sm;
    p->cubin_many[i]++;
}

static void find_newest(struct program *p)
{
    uint32_t most = 0;

    for (uint32_t i = 0; i < p->cubins; i++) {
        if (p->cubin_many[i] < most ||
            (p->cubin_many[i] == most && p->cubin_sm[i] < p->newest) ||
            !emu_supports(p->cubin_sm[i]))
            continue;
        most = p->cubin_many[i];
        p->newest = p->cubin_sm[i];
    }
}

/* A damaged fatbin is said when a kernel of it is to run. */
static void read_cubins(struct program *p)
{
    struct teg_fatbin f;

    if (teg_fatbin_open(&f, p->path, NULL) != TEG_OK)
        return;
    for (uint32_t i = 0; i < f.count; i++) {
        if (!f.entry[i].is_ptx)
            add_cubin(p, f.entry[i].sm);
        else if (f.entry[i].sm > p->newest_ptx)
            p->newest_ptx = f.entry[i].sm;
    }
    find_newest(p);
    teg_fatbin_release(&f);
}

int program_open(struct program *p, const char *name)
{
    int file, status;
    Elf *elf;

    *p = (struct program){0};
    status = find(p, name);
    if (status != EXIT_DONE)
        return status;
    file = open(p->path, O_RDONLY);
    if (file < 0)
        return EXIT_DONE; /* runs, but cannot be read */
    elf = elf_version(EV_CURRENT) != EV_NONE ? elf_begin(file, ELF_C_READ, NULL)
                                             : NULL;
    if (elf != NULL)
        read_sections(p, elf);
    elf_end(elf);
    close(file);
    if (p->has_code)
        read_cubins(p);
    return EXIT_DONE;
}

void program_release(struct program *p)
{
    free(p->path);
    *p = (struct program){0};
}

bool program_runs_on(const struct program *p, uint32_t cc)
{
    for (uint32_t i = 0; i < p->cubins; i++) {
        if (p->cubin_sm[i] / 10 == cc / 10 && p->cubin_sm[i] <= cc)
            return true;
    }
    return false;
}

uint32_t program_nearest(const struct program *p, uint32_t cc)
{
    uint32_t below = 0, above = 0;

    for (uint32_t i = 0; i < p->cubins; i++) {
        uint32_t sm = p->cubin_sm[i];

        if (!emu_supports(sm))
            continue;
        if (sm <= cc && sm > below)
            below = sm;
        if (sm > cc && (above == 0 || sm < above))
            above = sm;
    }
    return below != 0 ? below : above;
}
