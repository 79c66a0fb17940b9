/*
 * An allocator that refuses once: a library for LD_PRELOAD (tests/cli/oom.sh).
 *
 *   TEG_OOM_FAIL    which allocation of the process fails, from 1; 0: none
 *   TEG_OOM_REPORT  a file to which, at the end, goes how many allocations
 *                   there were and how many were never freed: "1234 2"
 *
 * Left alone is libconfig, whose version 1.5 looks at none of its pointers.
 */
#define _GNU_SOURCE /* dl_iterate_phdr */
#include <errno.h>
#include <link.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* glibc's own, below the names that are taken over here. */
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *p, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
void __libc_free(void *p);

static atomic_ulong asked, live;
static unsigned long failing;
static uintptr_t spared_from, spared_to; /* libconfig's code */

static int find_spared(struct dl_phdr_info *info, size_t size, void *self)
{
    (void)size;
    (void)self;
    if (strstr(info->dlpi_name, "libconfig") == NULL)
        return 0;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *h = &info->dlpi_phdr[i];

        if (h->p_type == PT_LOAD && (h->p_flags & PF_X) != 0) {
            spared_from = info->dlpi_addr + h->p_vaddr;
            spared_to = spared_from + h->p_memsz;
        }
    }
    return 1;
}

__attribute__((constructor)) static void begin(void)
{
    const char *number = getenv("TEG_OOM_FAIL");

    dl_iterate_phdr(find_spared, NULL);
    failing = number != NULL ? strtoul(number, NULL, 10) : 0;
    asked = live = 0;
}

__attribute__((destructor)) static void end(void)
{
    const char *path = getenv("TEG_OOM_REPORT");
    unsigned long count = asked, left = live;
    FILE *f = path != NULL ? fopen(path, "w") : NULL;

    if (f != NULL) {
        fprintf(f, "%lu %lu\n", count, left);
        fclose(f);
    }
}

/* Whether this one fails. */
static int refuses(const void *caller)
{
    uintptr_t at = (uintptr_t)caller;

    if (at >= spared_from && at < spared_to)
        return 0;
    if (++asked != failing)
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
