#define _DEFAULT_SOURCE /* sbrk, madvise */
#include "tools/teg/cli/heap.h"

#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

enum {
    TABLE_BYTES = 256 << 10,
    HEAP_BYTES = 64 << 20,       /* that most runs do with */
    HEAP_SPARE_BYTES = 32 << 20, /* that are kept although nobody uses them */
    HUGE_PAGE_BYTES = 2 << 20,   /* of most hosts: a hint needs no more */
    COPIED_BYTES = 16 << 20,     /* of a process: less is copied sooner */
};

#if defined(__GLIBC__) && defined(MADV_HUGEPAGE)

/* Tables of a chip are large, and most of one is never touched: they are to be
 * memory that is zero already, of each replay anew, not the last replay's which
 * has to be cleared.  glibc would take the latter once one has been freed. */
static void keep_tables_apart(void)
{
    mallopt(M_MMAP_THRESHOLD, TABLE_BYTES);
    mallopt(M_TRIM_THRESHOLD, HEAP_BYTES + HEAP_SPARE_BYTES);
}

/* All else is the heap, of which a window touches more than the host has places for
 * translations of small pages: it grows at once, and is to be of huge ones. */
static void ask_for_huge_pages(void)
{
    char *first, *end;

    mallopt(M_TOP_PAD, HEAP_BYTES);
    first = malloc(TABLE_BYTES - 1); /* more than there is so far */
    end = sbrk(0);
    if (first != NULL && end != (void *)-1) {
        uintptr_t from = ((uintptr_t)first + HUGE_PAGE_BYTES - 1) /
                         HUGE_PAGE_BYTES * HUGE_PAGE_BYTES;

        if (from < (uintptr_t)end)
            madvise((void *)from, (uintptr_t)end - from, MADV_HUGEPAGE);
    }
    free(first);
}

void heap_prepare(void)
{
    keep_tables_apart();
    ask_for_huge_pages();
}

void heap_renew(void)
{
    struct rusage use;

    if (getrusage(RUSAGE_SELF, &use) != 0 ||
        use.ru_maxrss < COPIED_BYTES / 1024)
        return;
    malloc_trim(0);
    heap_prepare();
}

#else

void heap_prepare(void)
{
}

void heap_renew(void)
{
}

#endif
