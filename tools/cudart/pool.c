/* Memory in the order of a stream: pools, and what nodes of graphs allocate. */
#include "tools/cudart/capture.h"
#include "tools/cudart/memory.h"
#include "tools/cudart/say.h"

#include <stdlib.h>
#include <string.h>

/* enum cudaMemPoolAttr */
enum {
    ATTRIBUTE_LAST_INT = 3,
    ATTRIBUTE_RESERVED = 5, /* now, and the most so far */
    ATTRIBUTE_RESERVED_HIGH,
    ATTRIBUTE_USED,
    ATTRIBUTE_USED_HIGH,
    ATTRIBUTES = 16,
    LOCATION_DEVICE = 1, /* enum cudaMemLocationType */
    ACCESS_BOTH = 3,     /* enum cudaMemAccessFlags: read and write */
};

/* A pool keeps no memory of its own: what is reserved is what is used. */
struct pool {
    uint64_t attribute[ATTRIBUTES];
};

static struct pool standard = {.attribute = {0, 1, 1, 1}};
static struct pool *current = &standard;

/* What came from a pool; or is a graph's, whose address stays. */
struct pooled {
    void *address;
    size_t bytes;
    struct pool *pool; /* NULL: a graph's */
    int used;
    struct pooled *next;
};

static struct pool *pool_of(void *handle)
{
    return handle != NULL ? handle : &standard;
}

static void count_used(struct pool *p, int64_t bytes)
{
    static const int pairs[] = {ATTRIBUTE_RESERVED, ATTRIBUTE_USED};

    for (int i = 0; i < 2; i++) {
        uint64_t *now = &p->attribute[pairs[i]], *most = now + 1;

        *now += (uint64_t)bytes;
        if (*now > *most)
            *most = *now;
    }
}

static int allocate(struct runtime *r, void **address, size_t bytes,
                    struct pool *p)
{
    struct pooled *m = calloc(1, sizeof *m);
    int error = m != NULL ? memory_allocate(r, address, bytes)
                          : cudaErrorMemoryAllocation;

    if (error != cudaSuccess || *address == NULL) {
        free(m);
        return error;
    }
    *m = (struct pooled){*address, bytes, p, 1, r->pooled};
    r->pooled = m;
    if (p != NULL)
        count_used(p, (int64_t)bytes);
    return cudaSuccess;
}

void memory_forget_pooled(struct runtime *r, const void *address)
{
    struct pooled **at = &r->pooled, *m;

    while (*at != NULL && (*at)->address != address)
        at = &(*at)->next;
    m = *at;
    if (m == NULL || m->pool == NULL)
        return;
    count_used(m->pool, -(int64_t)m->bytes);
    *at = m->next;
    free(m);
}

/* ---- graphs ------------------------------------------------------------------- */

int memory_graph_allocate(struct runtime *r, void **address, size_t bytes)
{
    int error = allocate(r, address, bytes, NULL);

    if (error == cudaSuccess && r->pooled != NULL)
        r->pooled->used = 0;
    return error;
}

int memory_graph_use(struct runtime *r, void *address, int used)
{
    for (struct pooled *m = r->pooled; m != NULL; m = m->next) {
        if (m->address != address || m->pool != NULL)
            continue;
        m->used = used;
        return cudaSuccess;
    }
    /* A node may free what the program allocated. */
    return used ? cudaErrorInvalidValue : memory_free(r, address);
}

int memory_is_graph(const struct runtime *r, const void *address)
{
    for (const struct pooled *m = r->pooled; m != NULL; m = m->next) {
        if (m->address == address && m->pool == NULL)
            return 1;
    }
    return 0;
}

/* enum cudaGraphMemAttributeType: used, most used, reserved, most reserved.
 * What a graph has allocated is never given back, so the most is what there
 * is. */
CALL(cudaDeviceGetGraphMemAttribute, int device, int attribute, uint64_t *value)
{
    BEGIN(r);
    if (device != 0 || attribute < 0 || attribute > 3 || value == NULL)
        return runtime_end(r, cudaErrorInvalidValue);
    *value = 0;
    for (const struct pooled *m = r->pooled; m != NULL; m = m->next) {
        if (m->pool == NULL && (attribute != 0 || m->used))
            *value += m->bytes;
    }
    return runtime_end(r, cudaSuccess);
}

CALL(cudaDeviceSetGraphMemAttribute, int device, int attribute, uint64_t *value)
{
    BEGIN(r);
    (void)attribute, (void)value;
    return runtime_end(r, device == 0 ? cudaSuccess : cudaErrorInvalidDevice);
}

CALL(cudaDeviceGraphMemTrim, int device)
{
    BEGIN(r);
    return runtime_end(r, device == 0 ? cudaSuccess : cudaErrorInvalidDevice);
}

/* ---- in a stream -------------------------------------------------------------- */

CALL(cudaMallocFromPoolAsync, void **address, size_t bytes, void *pool,
     void *stream)
{
    BEGIN(r);
    struct stream *s = stream_of(r, stream);
    struct operation o = {.kind = OPERATION_ALLOCATE};
    int error;

    if (address == NULL)
        return runtime_end(r, cudaErrorInvalidValue);
    if (capture_of(r, &s->frontier) == NULL)
        return runtime_end(r, allocate(r, address, bytes, pool_of(pool)));
    error = memory_graph_allocate(r, address, bytes);
    o.memory.address = *address;
    o.memory.bytes = bytes;
    return runtime_end(r, error != cudaSuccess ? error : capture_add(r, s, &o));
}
ALSO(cudaMallocFromPoolAsync, cudaMallocFromPoolAsync_ptsz);

CALL(cudaMallocAsync, void **address, size_t bytes, void *stream)
{
    return cudaMallocFromPoolAsync(address, bytes, current, stream);
}
ALSO(cudaMallocAsync, cudaMallocAsync_ptsz);

CALL(cudaFreeAsync, void *address, void *stream)
{
    BEGIN(r);
    if (address == NULL)
        return runtime_end(r, cudaSuccess);
    SUBMIT(r, stream, {.kind = OPERATION_FREE, .memory = {address, 0}});
}
ALSO(cudaFreeAsync, cudaFreeAsync_ptsz);

/* ---- pools -------------------------------------------------------------------- */

static int give_pool(struct pool **to, struct pool *pool)
{
    BEGIN(r);
    if (to == NULL)
        return runtime_end(r, cudaErrorInvalidValue);
    *to = pool;
    return runtime_end(r, cudaSuccess);
}

CALL(cudaDeviceGetDefaultMemPool, struct pool **pool, int device)
{
    return device == 0 ? give_pool(pool, &standard) : cudaErrorInvalidDevice;
}

CALL(cudaDeviceGetMemPool, struct pool **pool, int device)
{
    return device == 0 ? give_pool(pool, current) : cudaErrorInvalidDevice;
}

CALL(cudaDeviceSetMemPool, int device, struct pool *pool)
{
    return device == 0 ? give_pool(&current, pool_of(pool))
                       : cudaErrorInvalidDevice;
}

/* How much: nothing of it is kept anyway. */
CALL(cudaMemPoolTrimTo, struct pool *pool, size_t bytes)
{
    BEGIN(r);
    (void)bytes;
    return runtime_end(r, pool != NULL ? cudaSuccess : cudaErrorInvalidValue);
}

struct pool_properties {
    int allocation, handles; /* 0: not to be given to other processes */
    int location, device;
};

CALL(cudaMemPoolCreate, struct pool **made, const struct pool_properties *p)
{
    BEGIN(r);
    struct pool *pool;

    if (made == NULL || p == NULL || p->location != LOCATION_DEVICE ||
        p->device != 0)
        return runtime_end(r, cudaErrorInvalidValue);
    if (p->handles != 0) {
        runtime_say("", "memory pools shared between processes are not "
                        "implemented");
        return runtime_end(r, cudaErrorNotSupported);
    }
    pool = calloc(1, sizeof *pool);
    if (pool != NULL)
        memcpy(pool, &(struct pool){.attribute = {0, 1, 1, 1}}, sizeof *pool);
    *made = pool;
    return runtime_end(r,
                       pool != NULL ? cudaSuccess : cudaErrorMemoryAllocation);
}

/* What came from it stays valid: its memory then counts for the default one. */
CALL(cudaMemPoolDestroy, struct pool *pool)
{
    BEGIN(r);
    if (pool == NULL || pool == &standard)
        return runtime_end(r, cudaErrorInvalidValue);
    for (struct pooled *m = r->pooled; m != NULL; m = m->next) {
        if (m->pool != pool)
            continue;
        m->pool = &standard;
        count_used(&standard, (int64_t)m->bytes);
    }
    if (current == pool)
        current = &standard;
    free(pool);
    return runtime_end(r, cudaSuccess);
}

/* The first three attributes are ints, the rest 64 bits wide. */
static int pool_access(struct pool *p, int attribute, void *value, int set)
{
    BEGIN(r);
    size_t bytes =
        attribute <= ATTRIBUTE_LAST_INT ? sizeof(int) : sizeof(uint64_t);

    if (p == NULL || value == NULL || attribute < 1 || attribute >= ATTRIBUTES)
        return runtime_end(r, cudaErrorInvalidValue);
    if (!set)
        memcpy(value, &p->attribute[attribute], bytes);
    else if (attribute == ATTRIBUTE_RESERVED_HIGH ||
             attribute == ATTRIBUTE_USED_HIGH)
        p->attribute[attribute] = p->attribute[attribute - 1];
    else
        memcpy(&p->attribute[attribute], value, bytes);
    return runtime_end(r, cudaSuccess);
}

CALL(cudaMemPoolSetAttribute, struct pool *pool, int attribute, void *value)
{
    return pool_access(pool, attribute, value, 1);
}

CALL(cudaMemPoolGetAttribute, struct pool *pool, int attribute, void *value)
{
    return pool_access(pool, attribute, value, 0);
}

CALL(cudaMemPoolSetAccess, struct pool *pool, const void *who, size_t count)
{
    BEGIN(r);
    return runtime_end(r, pool != NULL && (who != NULL || count == 0)
                              ? cudaSuccess
                              : cudaErrorInvalidValue);
}

CALL(cudaMemPoolGetAccess, int *access, struct pool *pool, const void *where)
{
    BEGIN(r);
    if (access == NULL || pool == NULL || where == NULL)
        return runtime_end(r, cudaErrorInvalidValue);
    *access = ACCESS_BOTH;
    return runtime_end(r, cudaSuccess);
}
