/*
 * Programs that carry the vendor's runtime inside, as nvcc links them by
 * default.  This library is preloaded, so it runs before the program's own
 * constructors, the first to call the runtime (__cudaRegisterFatBinary).  It
 * finds the runtime's entry points in the program's symbol table and makes
 * each a jump to teg's function of that name:
 *
 *   program  cudaMalloc:  jmp stub           5 bytes; near, +-2 GB
 *   stub                  jmp *[address]     a page of our own beside it
 *   teg      cudaMalloc
 *
 * Only functions teg's runtime has are touched; what else is in the program
 * never runs, for nothing leads there.  Needs a symbol table (not stripped).
 * The same is done to a library that the program opens by a path (a module of
 * Python).  Its constructors have run by then, so those that register kernels,
 * which nvcc writes and which do nothing else, are called once more.
 * Libraries that cannot do without the vendor's driver (cuBLAS) keep their
 * code, but what they show of it leads to teg's library of those names, or to
 * one that says what is not implemented.
 * Runs in every process of the run, so it depends on nothing and returns at
 * once where there is nothing to do.
 */
#define _GNU_SOURCE /* dladdr, dl_iterate_phdr, MAP_FIXED_NOREPLACE */
#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    JUMP_BYTES = 5,     /* jmp rel32 */
    STUB_BYTES = 32,    /* mov rdi, name; jmp *[rip + 0]; address */
    LIBRARIES_MAX = 16, /* of one opening */
    EXIT_STATUS = 126,
};

/* Stubs are looked for a room within reach of a 32-bit displacement. */
#define REACH UINT64_C(0x70000000)
#define STEP  UINT64_C(0x100000)

/* An executable file's symbols. */
struct image {
    const uint8_t *data; /* mapped */
    size_t bytes;
    const Elf64_Sym *symbol;
    size_t symbols;
    const char *names;
    size_t name_bytes; /* the last is 0 */
    uint64_t names_at; /* address of the names as the file is loaded, or 0 */
};

struct patcher {
    struct image image;
    uint64_t bias;   /* from addresses of the file to those of the process */
    void *runtime;   /* teg's */
    void *otherwise; /* in place of what teg's has not, which gets the name as
                        its argument; NULL: that stays as it is */
    const char *begins; /* names of the entry points; may begin with "__" */
    const char *keeps;  /* names that begin so stay as they are; NULL: none */
    uint8_t *stub;      /* the next free one */
    uint64_t first;     /* bytes of the program that change: pages */
    uint64_t end;
};

/* ---- the program's symbols ---------------------------------------------------- */

static int within(const struct image *m, uint64_t offset, uint64_t bytes)
{
    return offset <= m->bytes && bytes <= m->bytes - offset;
}

static int has_kernels(const struct image *m)
{
    const Elf64_Ehdr *e = (const void *)m->data;
    const Elf64_Shdr *s = (const void *)(m->data + e->e_shoff);
    const Elf64_Shdr *names = &s[e->e_shstrndx];

    for (unsigned i = 0; i < e->e_shnum && e->e_shstrndx < e->e_shnum; i++) {
        uint64_t at = names->sh_offset + s[i].sh_name;

        if (within(m, at, sizeof ".nv_fatbin") &&
            memcmp(m->data + at, ".nv_fatbin", sizeof ".nv_fatbin") == 0)
            return 1;
    }
    return 0;
}

/* 0 if the file is none with symbols of this kind: all, or those it shows. */
static int find_symbols(struct image *m, unsigned kind)
{
    const Elf64_Ehdr *e = (const void *)m->data;
    const Elf64_Shdr *s;

    if (m->bytes < sizeof *e || memcmp(e->e_ident, ELFMAG, SELFMAG) != 0 ||
        e->e_ident[EI_CLASS] != ELFCLASS64 || e->e_shentsize != sizeof *s ||
        !within(m, e->e_shoff, (uint64_t)e->e_shnum * sizeof *s))
        return 0;
    s = (const void *)(m->data + e->e_shoff);
    for (unsigned i = 0; i < e->e_shnum; i++) {
        const Elf64_Shdr *names;

        if (s[i].sh_type != kind || s[i].sh_link >= e->e_shnum)
            continue;
        names = &s[s[i].sh_link];
        if (!within(m, s[i].sh_offset, s[i].sh_size) ||
            !within(m, names->sh_offset, names->sh_size) || names->sh_size == 0)
            return 0;
        m->symbol = (const void *)(m->data + s[i].sh_offset);
        m->symbols = s[i].sh_size / sizeof *m->symbol;
        m->names = (const char *)m->data + names->sh_offset;
        m->name_bytes = names->sh_size;
        m->names_at = names->sh_addr;
        return m->names[m->name_bytes - 1] == '\0';
    }
    return 0;
}

static int image_open(struct image *m, const char *path, unsigned kind)
{
    int file = open(path, O_RDONLY | O_CLOEXEC);
    struct stat s;
    void *data = MAP_FAILED;

    *m = (struct image){0};
    if (file >= 0 && fstat(file, &s) == 0 && s.st_size > 0)
        data = mmap(NULL, (size_t)s.st_size, PROT_READ, MAP_PRIVATE, file, 0);
    if (file >= 0)
        close(file);
    if (data == MAP_FAILED)
        return 0;
    m->data = data;
    m->bytes = (size_t)s.st_size;
    return find_symbols(m, kind);
}

static void image_close(struct image *m)
{
    if (m->data != NULL)
        munmap((void *)m->data, m->bytes);
}

/* Name of a function that the file defines and that may be an entry point;
 * NULL otherwise. */
static const char *entry_name(const struct image *m, const Elf64_Sym *s,
                              const char *begins)
{
    const char *name = m->names + s->st_name, *bare;

    if (ELF64_ST_TYPE(s->st_info) != STT_FUNC || s->st_shndx == SHN_UNDEF ||
        s->st_name >= m->name_bytes)
        return NULL;
    bare = strncmp(name, "__", 2) == 0 ? name + 2 : name;
    return strncmp(bare, begins, strlen(begins)) == 0 ? name : NULL;
}

/* Those without a size lead to a shared runtime that is opened later (JAX). */
static int defines(const struct image *m, const char *wanted)
{
    for (size_t i = 0; i < m->symbols; i++) {
        const char *name = entry_name(m, &m->symbol[i], "cuda");

        if (name != NULL && m->symbol[i].st_size >= JUMP_BYTES &&
            strcmp(name, wanted) == 0)
            return 1;
    }
    return 0;
}

/* Which runtime it carries: CUDA 12 calls the properties by a second name,
 * 11 has a call that 13 has no more. */
static int generation(const struct image *m)
{
    if (defines(m, "cudaGetDeviceProperties_v2"))
        return 12;
    return defines(m, "cudaLaunchCooperativeKernelMultiDevice") ? 11 : 13;
}

/* ---- jumps -------------------------------------------------------------------- */

static void say(const char *who, const char *what)
{
    fprintf(stderr, "teg: %s: %s\n", who, what);
}

static void fail(const char *what)
{
    say(program_invocation_short_name, what);
    _exit(EXIT_STATUS);
}

static int note_bias(struct dl_phdr_info *info, size_t size, void *bias)
{
    (void)size;
    *(uint64_t *)bias = info->dlpi_addr;
    return 1; /* the first is the program */
}

static const char here; /* an address in this library */

/* The C library's, behind the one of this file. */
static void *real_dlopen(const char *file, int mode)
{
    void *(*real)(const char *, int);

    *(void **)&real = dlsym(RTLD_NEXT, "dlopen");
    return real(file, mode);
}

/* A library of teg's, which lies beside this one. */
static void *open_beside(const char *name, int mode)
{
    char path[PATH_MAX];
    Dl_info self;
    char *slash;

    if (dladdr(&here, &self) == 0)
        return NULL;
    snprintf(path, sizeof path - 32, "%s", self.dli_fname);
    slash = strrchr(path, '/');
    snprintf(slash != NULL ? slash + 1 : path, 32, "%s", name);
    return real_dlopen(path, mode);
}

/* Memory near the program's code, the closest that is free. */
static uint8_t *room_near(uint64_t at, size_t bytes)
{
    at &= ~(STEP - 1);
    for (uint64_t away = STEP; away < REACH; away += STEP) {
        const uint64_t wanted[] = {at - away, at + away};

        for (int i = 0; i < 2; i++) {
            void *got =
                mmap((void *)wanted[i], bytes, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);

            if (got == (void *)wanted[i])
                return got;
            if (got != MAP_FAILED)
                munmap(got, bytes);
        }
    }
    return NULL;
}

/* `name`: the target's only argument; NULL: those of the call. */
static void write_stub(uint8_t *stub, const void *target, const char *name)
{
    static const uint8_t move[] = {0x48, 0xbf},
                         jump[] = {0xff, 0x25, 0, 0, 0, 0};

    if (name != NULL) {
        memcpy(stub, move, sizeof move);
        memcpy(stub + sizeof move, &name, sizeof name);
        stub += sizeof move + sizeof name;
    }
    memcpy(stub, jump, sizeof jump);
    memcpy(stub + sizeof jump, &target, sizeof target);
}

static void write_jump(uint8_t *at, const uint8_t *stub)
{
    int32_t distance = (int32_t)(stub - (at + JUMP_BYTES));

    at[0] = 0xe9;
    memcpy(at + 1, &distance, sizeof distance);
}

/* What symbol `s` leads to instead; NULL: it stays as it is. */
static void *target_of(const struct patcher *p, const Elf64_Sym *s)
{
    const char *name = entry_name(&p->image, s, p->begins);
    void *ours;

    if (name == NULL || s->st_size < JUMP_BYTES ||
        (p->keeps != NULL && strncmp(name, p->keeps, strlen(p->keeps)) == 0))
        return NULL;
    ours = dlsym(p->runtime, name);
    return ours != NULL ? ours : p->otherwise;
}

/* Returns how many functions will change. */
static size_t survey(struct patcher *p)
{
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    size_t count = 0;

    p->first = UINT64_MAX;
    for (size_t i = 0; i < p->image.symbols; i++) {
        const Elf64_Sym *s = &p->image.symbol[i];
        uint64_t at = p->bias + s->st_value;

        if (target_of(p, s) == NULL)
            continue;
        count++;
        if (at < p->first)
            p->first = at;
        if (at + JUMP_BYTES > p->end)
            p->end = at + JUMP_BYTES;
    }
    p->first &= ~(page - 1);
    p->end = (p->end + page - 1) & ~(page - 1);
    return count;
}

/* A name that stays when the file is closed. */
static const char *loaded_name(const struct patcher *p, const Elf64_Sym *s)
{
    return (const char *)(p->bias + p->image.names_at + s->st_name);
}

/* 0 if memory does not allow it. */
static int patch(struct patcher *p)
{
    size_t count = survey(p), bytes = count * STUB_BYTES;
    uint8_t *stubs = count > 0 ? room_near(p->first, bytes) : NULL;

    p->stub = stubs;
    if (stubs == NULL || mprotect((void *)p->first, p->end - p->first,
                                  PROT_READ | PROT_WRITE) != 0)
        return 0;
    for (size_t i = 0; i < p->image.symbols; i++) {
        const Elf64_Sym *s = &p->image.symbol[i];
        const void *target = target_of(p, s);

        if (target == NULL)
            continue;
        write_stub(p->stub, target,
                   target == p->otherwise ? loaded_name(p, s) : NULL);
        write_jump((uint8_t *)(p->bias + s->st_value), p->stub);
        p->stub += STUB_BYTES;
    }
    return mprotect(stubs, bytes, PROT_READ | PROT_EXEC) == 0 &&
           mprotect((void *)p->first, p->end - p->first,
                    PROT_READ | PROT_EXEC) == 0;
}

/* Returns how many constructors there are that register kernels. */
static size_t register_again(const struct patcher *p)
{
    const struct image *m = &p->image;
    size_t count = 0;

    for (size_t i = 0; i < m->symbols; i++) {
        const Elf64_Sym *s = &m->symbol[i];
        void (*registers)(void);
        uint64_t at = p->bias + s->st_value;

        if (ELF64_ST_TYPE(s->st_info) != STT_FUNC || s->st_shndx == SHN_UNDEF ||
            s->st_name >= m->name_bytes ||
            strstr(m->names + s->st_name, "__sti____cudaRegisterAll") == NULL)
            continue;
        memcpy(&registers, &at, sizeof registers);
        registers();
        count++;
    }
    return count;
}

/* In what lies at `bias` of the process and at `path` as a file. */
static void replace_runtime(const char *path, uint64_t bias, int is_library)
{
    struct patcher p = {.bias = bias, .begins = "cuda"};

    if (image_open(&p.image, path, SHT_SYMTAB) &&
        defines(&p.image, "__cudaRegisterFatBinary")) {
        int version = generation(&p.image);

#ifndef __x86_64__
        fail("carries its CUDA runtime, which is replaced on x86-64 only: link "
             "it with nvcc -cudart shared");
#endif
        if (version < 12)
            fail("carries the runtime of CUDA 11 or older; teg has that of 12 "
                 "and 13");
        p.runtime =
            open_beside(version == 12 ? "libcudart.so.12" : "libcudart.so.13",
                        RTLD_NOW | RTLD_GLOBAL);
        if (p.runtime == NULL)
            fail(dlerror());
        if (!patch(&p))
            fail("the CUDA runtime linked into the program cannot be replaced: "
                 "link it with nvcc -cudart shared");
        if (is_library && has_kernels(&p.image) && register_again(&p) == 0)
            say(path, "carries the CUDA runtime and kernels, which cannot be "
                      "launched: link it with nvcc -cudart shared");
    }
    image_close(&p.image);
}

/* ---- libraries of the vendor's ------------------------------------------------- */

/* Whose names lead to teg's library of them. */
static const struct vendor {
    const char *file; /* its name begins so */
    const char *begins, *keeps, *ours, *otherwise;
} vendors[] = {
    {"libcublas.so.", "cublas", NULL, "libteg_cublas.so", "teg_cublas_lacks"},
    {"libcublasLt.so.", "cublas", NULL, "libteg_cublas.so", "teg_cublas_lacks"},
    {"libcudnn.so.", "cudnn", "cudnnGetVersion", "libteg_cudnn.so",
     "teg_cudnn_lacks"}, /* PyTorch compares it */
    {"libcufft.so.", "cufft", NULL, "libteg_cufft.so", "teg_cufft_lacks"},
    /* curandGet...: the version and tables, which need no driver */
    {"libcurand.so.", "curand", "curandGet", "libteg_curand.so",
     "teg_curand_lacks"},
    {"libcusolver.so.", "cusolver", NULL, "libteg_cusolver.so",
     "teg_cusolver_lacks"},
    {"libcusparse.so.", "cusparse", NULL, "libteg_cusparse.so",
     "teg_cusparse_lacks"},
};

static const struct vendor *vendor_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *file = slash != NULL ? slash + 1 : path;

    for (size_t i = 0; i < sizeof vendors / sizeof vendors[0]; i++) {
        if (strncmp(file, vendors[i].file, strlen(vendors[i].file)) == 0)
            return &vendors[i];
    }
    return NULL;
}

/* Those in the process. */
struct libraries {
    int count;
    struct library {
        char path[PATH_MAX];
        uint64_t bias;
    } of[LIBRARIES_MAX];
};

/* How many libraries have been loaded until now. */
static int note_adds(struct dl_phdr_info *info, size_t size, void *adds)
{
    (void)size;
    *(unsigned long long *)adds = info->dlpi_adds;
    return 1;
}

static int note_library(struct dl_phdr_info *info, size_t size, void *self)
{
    struct libraries *l = self;

    (void)size;
    if (vendor_of(info->dlpi_name) != NULL && l->count < LIBRARIES_MAX) {
        snprintf(l->of[l->count].path, PATH_MAX, "%s", info->dlpi_name);
        l->of[l->count++].bias = info->dlpi_addr;
    }
    return 0;
}

static int is_patched(const struct patcher *p)
{
    for (size_t i = 0; i < p->image.symbols; i++) {
        const Elf64_Sym *s = &p->image.symbol[i];

        if (target_of(p, s) != NULL)
            return *(const uint8_t *)(p->bias + s->st_value) == 0xe9;
    }
    return 1;
}

static void replace_vendor(const struct library *l)
{
    const struct vendor *v = vendor_of(l->path);
    struct patcher p = {.bias = l->bias, .begins = v->begins, .keeps = v->keeps};

    if (image_open(&p.image, l->path, SHT_DYNSYM)) {
        p.runtime = open_beside(v->ours, RTLD_NOW | RTLD_LOCAL);
        if (p.runtime == NULL)
            fail(dlerror());
        p.otherwise = dlsym(p.runtime, v->otherwise);
        if (!is_patched(&p) && !patch(&p))
            say(l->path, "cannot be replaced: what it computes will not work");
    }
    image_close(&p.image);
}

static void replace_vendors(void)
{
    static unsigned long long adds;
    unsigned long long now = 0;
    struct libraries *found;

#ifndef __x86_64__
    return;
#endif
    dl_iterate_phdr(note_adds, &now);
    found = now != adds ? calloc(1, sizeof *found) : NULL;
    if (found == NULL)
        return;
    adds = now;
    dl_iterate_phdr(note_library, found);
    for (int i = 0; i < found->count; i++)
        replace_vendor(&found->of[i]);
    free(found);
}

__attribute__((constructor)) static void replace_in_program(void)
{
    uint64_t bias = 0;

    dl_iterate_phdr(note_bias, &bias);
    replace_runtime("/proc/self/exe", bias, 0);
    replace_vendors();
}

/* ---- libraries that are opened later ------------------------------------------ */

/* The file that a plain name stands for to code at `caller`: in the folders
 * that its object's search path has.  Empty: none there. */
static void find_plain(char path[PATH_MAX], const char *name,
                       const void *caller)
{
    struct link_map *map;
    Dl_serinfo head, *all;
    Dl_info self;

    path[0] = '\0';
    if (dladdr1(caller, &self, (void **)&map, RTLD_DL_LINKMAP) == 0 ||
        dlinfo(map, RTLD_DI_SERINFOSIZE, &head) != 0 ||
        (all = malloc(head.dls_size)) == NULL)
        return;
    memcpy(all, &head, sizeof head);
    if (dlinfo(map, RTLD_DI_SERINFO, all) == 0) {
        for (unsigned i = 0; i < all->dls_cnt; i++) {
            if (snprintf(path, PATH_MAX, "%s/%s", all->dls_serpath[i].dls_name,
                         name) < PATH_MAX &&
                access(path, R_OK) == 0)
                break;
            path[0] = '\0';
        }
    }
    free(all);
}

/* A plain name is looked for in the caller's own search path, so it is left to
 * the real function by a jump, unless it is that of a library of the vendor's.
 * Shared runtimes are left alone. */
__attribute__((visibility("default"))) void *dlopen(const char *file, int mode)
{
    void *(*real)(const char *, int);
    char path[PATH_MAX];
    struct link_map *map;
    void *handle;
    int is_new;

    *(void **)&real = dlsym(RTLD_NEXT, "dlopen");
    if (file == NULL || (mode & RTLD_NOLOAD) ||
        (strchr(file, '/') == NULL && vendor_of(file) == NULL))
        return real(file, mode);
    handle = real(file, mode | RTLD_NOLOAD);
    is_new = handle == NULL;
    if (handle != NULL)
        dlclose(handle);
    else if (strchr(file, '/') == NULL) {
        find_plain(path, file, __builtin_return_address(0));
        file = path[0] != '\0' ? path : file;
    }
    handle = real(file, mode);
    if (is_new && handle != NULL &&
        dlsym(handle, "__cudaRegisterFatBinary") == NULL &&
        dlinfo(handle, RTLD_DI_LINKMAP, &map) == 0 && map->l_name != NULL)
        replace_runtime(map->l_name, map->l_addr, 1);
    if (handle != NULL) {
        replace_vendors();
        dlerror(); /* of the questions above */
    }
    return handle;
}
