/*
 * An allocator that refuses once: a library for LD_PRELOAD (tests/cli/oom.sh).
 *
 *   TEG_OOM_FAIL    which allocation of the process fails, from 1; 0: none.
 *                   Of those that it forks into one, whichever comes first
 *   TEG_OOM_REPORT  a file to which, at the end, goes how many allocations
 *                   there were and how many were never freed: "1234 2"
 *   TEG_OOM_PROGRAM in which program that is; without it: teg
 *
 * Left alone is libconfig, whose version 1.5 looks at none of its pointers, and
 * the code of a program that is not teg: what fails there is the runtime.
 */
#define _GNU_SOURCE /* dl_iterate_phdr */
#include <errno.h>
#include <link.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* glibc's own, below the names that are taken over here. */
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *p, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
void __libc_free(void *p);

static atomic_ulong asked, live;
static unsigned long failing;
static int here;           /* this is the program */
static atomic_int *failed; /* shared with what is forked */

/* Code whose allocations do not fail. */
static struct {
    uintptr_t from, to;
} spared[2];
static int spareds;

static int find_spared(struct dl_phdr_info *info, size_t size, void *self)
{
    const int *is_teg = self;

    (void)size;
    if (strstr(info->dlpi_name, "libconfig") == NULL &&
        (*is_teg || info->dlpi_name[0] != '\0'))
        return 0;
    for (int i = 0; i < info->dlpi_phnum && spareds < 2; i++) {
        const ElfW(Phdr) *h = &info->dlpi_phdr[i];

        if (h->p_type == PT_LOAD && (h->p_flags & PF_X) != 0) {
            spared[spareds].from = info->dlpi_addr + h->p_vaddr;
            spared[spareds].to = spared[spareds].from + h->p_memsz;
            spareds++;
            break;
        }
    }
    return 0;
}

__attribute__((constructor)) static void begin(void)
{
    const char *number = getenv("TEG_OOM_FAIL");
    const char *program = getenv("TEG_OOM_PROGRAM");
    int is_teg = program == NULL || strcmp(program, "teg") == 0;

    here = strcmp(program_invocation_short_name, is_teg ? "teg" : program) == 0;
    if (!here)
        return;
    failed = mmap(NULL, sizeof *failed, PROT_READ | PROT_WRITE,
                  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    here = failed != MAP_FAILED;
    dl_iterate_phdr(find_spared, &is_teg);
    failing = number != NULL ? strtoul(number, NULL, 10) : 0;
    asked = live = 0;
}

__attribute__((destructor)) static void end(void)
{
    const char *path = getenv("TEG_OOM_REPORT");
    unsigned long count = asked, left = live;
    FILE *f = here && path != NULL ? fopen(path, "w") : NULL;

    if (f != NULL) {
        fprintf(f, "%lu %lu\n", count, left);
        fclose(f);
    }
}

/* Whether this one fails. */
static int refuses(const void *caller)
{
    uintptr_t at = (uintptr_t)caller;

    for (int i = 0; i < spareds; i++) {
        if (at >= spared[i].from && at < spared[i].to)
            return 0;
    }
    if (++asked != failing || !here || atomic_fetch_add(failed, 1) != 0)
        return 0;
    errno = ENOMEM;
    return 1;
}

static void *given(void *p)
{
    live += p != NULL;
    return p;
}

void *malloc(size_t size)
{
    return refuses(__builtin_return_address(0)) ? NULL
                                                : given(__libc_malloc(size));
}

void *calloc(size_t count, size_t size)
{
    return refuses(__builtin_return_address(0))
               ? NULL
               : given(__libc_calloc(count, size));
}

void *realloc(void *p, size_t size)
{
    void *q;

    if (refuses(__builtin_return_address(0)))
        return NULL;
    q = __libc_realloc(p, size);
    live += p == NULL && q != NULL;
    return q;
}

void *memalign(size_t alignment, size_t size);
void *memalign(size_t alignment, size_t size)
{
    return refuses(__builtin_return_address(0))
               ? NULL
               : given(__libc_memalign(alignment, size));
}

void *aligned_alloc(size_t alignment, size_t size)
{
    return memalign(alignment, size);
}

int posix_memalign(void **p, size_t alignment, size_t size)
{
    *p = memalign(alignment, size);
    return *p != NULL ? 0 : ENOMEM;
}

void free(void *p)
{
    int error = errno;

    live -= p != NULL;
    __libc_free(p);
    errno = error;
}

/* libc's would ask in its own name. */
static char *copied(const char *text, const void *caller)
{
    size_t size = strlen(text) + 1;
    char *copy = refuses(caller) ? NULL : given(__libc_malloc(size));

    return copy != NULL ? memcpy(copy, text, size) : NULL;
}

char *strdup(const char *text)
{
    return copied(text, __builtin_return_address(0));
}

/* As older headers call it. */
char *__strdup(const char *text);
char *__strdup(const char *text)
{
    return copied(text, __builtin_return_address(0));
}
