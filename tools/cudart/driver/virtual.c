/*
 * Virtual memory of the driver: addresses are reserved, memory is created, and
 * one is mapped to the other.  A reservation is a piece of the process's
 * address space at the same address; memory is a file without a name, so that
 * it may be mapped in several places and what lies side by side is one buffer.
 */
#define _GNU_SOURCE /* memfd_create */
#include "tools/cudart/memory.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
    LOCATION_DEVICE = 1, /* enum CUmemLocationType */
    HANDLES_NONE = 0,    /* enum CUmemAllocationHandleType */
    ACCESS_BOTH = 3,
};

/* What memory and addresses come in, as on GPUs. */
#define GRANULARITY UINT64_C(0x200000)

struct properties {
    int type, handles;
    int location, device;
    void *windows;
    uint8_t flags[8];
};

struct memory {
    struct properties properties;
    size_t bytes;
    int file;
    unsigned references; /* of the program, and mappings */
};

struct mapping {
    uint64_t address;
    size_t bytes;
    struct memory *memory; /* owned: one reference */
    int accessible;
    struct mapping *next; /* of higher address */
};

struct reservation {
    uint64_t address;
    size_t bytes;
    struct mapping *mappings; /* owned, by address */
    struct reservation *next;
};

static struct reservation *reservations;

static struct reservation *find(uint64_t address, size_t bytes)
{
    for (struct reservation *v = reservations; v != NULL; v = v->next) {
        if (address - v->address < v->bytes &&
            bytes <= v->bytes - (address - v->address))
            return v;
    }
    return NULL;
}

/* ---- addresses ---------------------------------------------------------------- */

CALL(cuMemGetAllocationGranularity, size_t *bytes,
     const struct properties *properties, int option)
{
    BEGIN(r);
    (void)option;
    if (bytes == NULL || properties == NULL)
        return runtime_end(r, cudaErrorInvalidValue);
    *bytes = GRANULARITY;
    return runtime_end(r, cudaSuccess);
}

CALL(cuMemAddressReserve, uint64_t *address, size_t bytes, size_t alignment,
     uint64_t wanted, uint64_t flags)
{
    BEGIN(r);
    struct reservation *v = calloc(1, sizeof *v);
    uint64_t step = alignment > GRANULARITY ? alignment : GRANULARITY;
    void *got = MAP_FAILED;

    (void)wanted; /* a hint */
    r->next_shared = (r->next_shared + step - 1) / step * step;
    if (v != NULL && address != NULL && bytes != 0 && flags == 0 &&
        bytes % GRANULARITY == 0)
        got = mmap((void *)r->next_shared, bytes, PROT_NONE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (got == MAP_FAILED) {
        free(v);
        return runtime_end(r, cudaErrorInvalidValue);
    }
    r->next_shared += bytes + GRANULARITY;
    *v = (struct reservation){(uint64_t)got, bytes, NULL, reservations};
    reservations = v;
    *address = v->address;
    return runtime_end(r, cudaSuccess);
}

CALL(cuMemAddressFree, uint64_t address, size_t bytes)
{
    BEGIN(r);
    struct reservation *v = find(address, bytes), **at = &reservations;

    if (v == NULL || v->address != address || v->bytes != bytes ||
        v->mappings != NULL)
        return runtime_end(r, cudaErrorInvalidValue);
    while (*at != v)
        at = &(*at)->next;
    *at = v->next;
    munmap((void *)address, bytes);
    free(v);
    return runtime_end(r, cudaSuccess);
}

/* ---- memory ------------------------------------------------------------------- */

static void drop(struct runtime *r, struct memory *m)
{
    if (--m->references > 0)
        return;
    r->allocated -= m->bytes;
    close(m->file);
    free(m);
}

CALL(cuMemCreate, struct memory **made, size_t bytes,
     const struct properties *p, uint64_t flags)
{
    BEGIN(r);
    struct memory *m;
    size_t left, total;

    if (made == NULL || p == NULL || flags != 0 || bytes == 0 ||
        bytes % GRANULARITY != 0 || p->location != LOCATION_DEVICE ||
        p->device != 0)
        return runtime_end(r, cudaErrorInvalidValue);
    if (p->handles != HANDLES_NONE)
        return runtime_end(r, cudaErrorNotSupported);
    memory_left(r, &left, &total);
    m = bytes <= left ? calloc(1, sizeof *m) : NULL;
    if (m == NULL)
        return runtime_end(r, cudaErrorMemoryAllocation);
    *m = (struct memory){*p, bytes, memfd_create("teg", MFD_CLOEXEC), 1};
    if (m->file < 0 || ftruncate(m->file, (off_t)bytes) != 0) {
        if (m->file >= 0)
            close(m->file);
        free(m);
        return runtime_end(r, cudaErrorMemoryAllocation);
    }
    r->allocated += bytes;
    *made = m;
    return runtime_end(r, cudaSuccess);
}

CALL(cuMemRelease, struct memory *m)
{
    BEGIN(r);
    if (m == NULL)
        return runtime_end(r, cudaErrorInvalidValue);
    drop(r, m);
    return runtime_end(r, cudaSuccess);
}

CALL(cuMemGetAllocationPropertiesFromHandle, struct properties *p,
     const struct memory *m)
{
    BEGIN(r);
    if (p == NULL || m == NULL)
        return runtime_end(r, cudaErrorInvalidValue);
    *p = m->properties;
    return runtime_end(r, cudaSuccess);
}

/* ---- mapping ------------------------------------------------------------------ */

/* The emulator sees one buffer where mappings lie side by side. */
static int show(struct runtime *r, const struct reservation *v)
{
    for (const struct mapping *m = v->mappings; m != NULL; m = m->next)
        emu_device_remove(r->device, m->address);
    for (const struct mapping *m = v->mappings; m != NULL;) {
        uint64_t first = m->address, end = first;
        int accessible = m->accessible;

        while (m != NULL && m->address == end && m->accessible == accessible) {
            end += m->bytes;
            m = m->next;
        }
        if (accessible && emu_device_map(r->device, first, (void *)first,
                                         end - first, NULL) != TEG_OK)
            return cudaErrorMemoryAllocation;
    }
    return cudaSuccess;
}

CALL(cuMemMap, uint64_t address, size_t bytes, size_t offset,
     struct memory *memory, uint64_t flags)
{
    BEGIN(r);
    struct reservation *v = find(address, bytes);
    struct mapping *m, **at;

    if (v == NULL || memory == NULL || flags != 0 || bytes == 0 ||
        offset > memory->bytes || bytes > memory->bytes - offset ||
        address % GRANULARITY != 0 || bytes % GRANULARITY != 0)
        return runtime_end(r, cudaErrorInvalidValue);
    for (at = &v->mappings; *at != NULL && (*at)->address < address;)
        at = &(*at)->next;
    m = *at != NULL && (*at)->address < address + bytes ? NULL
                                                        : calloc(1, sizeof *m);
    if (m == NULL ||
        mmap((void *)address, bytes, PROT_NONE, MAP_SHARED | MAP_FIXED,
             memory->file, (off_t)offset) == MAP_FAILED) {
        free(m);
        return runtime_end(r, cudaErrorInvalidValue);
    }
    *m = (struct mapping){address, bytes, memory, 0, *at};
    *at = m;
    memory->references++;
    return runtime_end(r, cudaSuccess);
}

CALL(cuMemUnmap, uint64_t address, size_t bytes)
{
    BEGIN(r);
    struct reservation *v = find(address, bytes);
    int some = 0;

    if (v == NULL)
        return runtime_end(r, cudaErrorInvalidValue);
    for (struct mapping **at = &v->mappings; *at != NULL;) {
        struct mapping *m = *at;

        if (m->address < address || m->address + m->bytes > address + bytes) {
            at = &m->next;
            continue;
        }
        emu_device_remove(r->device, m->address);
        *at = m->next;
        drop(r, m->memory);
        free(m);
        some = 1;
    }
    mmap((void *)address, bytes, PROT_NONE,
         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
    if (!some)
        return runtime_end(r, cudaErrorInvalidValue);
    return runtime_end(r, show(r, v));
}

struct access {
    int location, device;
    int flags;
};

CALL(cuMemSetAccess, uint64_t address, size_t bytes, const struct access *who,
     size_t count)
{
    BEGIN(r);
    struct reservation *v = find(address, bytes);

    if (v == NULL || (who == NULL && count > 0))
        return runtime_end(r, cudaErrorInvalidValue);
    for (struct mapping *m = v->mappings; m != NULL; m = m->next) {
        if (m->address < address || m->address + m->bytes > address + bytes)
            continue;
        for (size_t i = 0; i < count; i++)
            m->accessible = who[i].flags != 0;
        mprotect((void *)m->address, m->bytes,
                 m->accessible ? PROT_READ | PROT_WRITE : PROT_NONE);
    }
    return runtime_end(r, show(r, v));
}

CALL(cuMemGetAccess, uint64_t *flags, const struct access *where,
     uint64_t address)
{
    BEGIN(r);
    const struct reservation *v = find(address, 1);

    if (flags == NULL || where == NULL || v == NULL)
        return runtime_end(r, cudaErrorInvalidValue);
    *flags = 0;
    for (const struct mapping *m = v->mappings; m != NULL; m = m->next) {
        if (address - m->address < m->bytes && m->accessible)
            *flags = ACCESS_BOTH;
    }
    return runtime_end(r, cudaSuccess);
}

CALL(cuMemRetainAllocationHandle, struct memory **found, uint64_t address)
{
    BEGIN(r);
    const struct reservation *v = find(address, 1);

    for (struct mapping *m = v != NULL ? v->mappings : NULL; m != NULL;
         m = m->next) {
        if (address - m->address >= m->bytes || found == NULL)
            continue;
        m->memory->references++;
        *found = m->memory;
        return runtime_end(r, cudaSuccess);
    }
    return runtime_end(r, cudaErrorInvalidValue);
}
