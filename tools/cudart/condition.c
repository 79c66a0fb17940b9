#include "tools/cudart/condition.h"

#include <stdlib.h>

enum {
    FLAG_ASSIGN = 1, /* each launch of the graph begins with the default */
};

struct condition {
    uint64_t handle;
    uint32_t value, initial;
    unsigned flags;
    struct condition *next;
};

static struct condition *find(const struct runtime *r, uint64_t handle)
{
    struct condition *c = r->conditions;

    while (c != NULL && c->handle != handle)
        c = c->next;
    return c;
}

int condition_set(struct runtime *r, uint64_t handle, uint32_t value)
{
    struct condition *c = find(r, handle);

    if (c != NULL)
        c->value = value;
    return c != NULL;
}

uint32_t condition_value(const struct runtime *r, uint64_t handle)
{
    const struct condition *c = find(r, handle);

    return c != NULL ? c->value : 0;
}

void condition_begin(struct runtime *r, uint64_t handle)
{
    struct condition *c = find(r, handle);

    if (c != NULL && (c->flags & FLAG_ASSIGN))
        c->value = c->initial;
}

/* They last as long as the program: which graph one belongs to is of no
 * account. */
CALL(cudaGraphConditionalHandleCreate, uint64_t *handle, const void *graph,
     unsigned initial, unsigned flags)
{
    BEGIN(r);
    struct condition *c = calloc(1, sizeof *c);

    if (handle == NULL || graph == NULL || c == NULL) {
        free(c);
        return runtime_end(r, c == NULL ? cudaErrorMemoryAllocation
                                        : cudaErrorInvalidValue);
    }
    *c = (struct condition){
        .handle = r->conditions != NULL ? r->conditions->handle + 1 : 1,
        .initial = initial,
        .value = initial,
        .flags = flags,
        .next = r->conditions};
    r->conditions = c;
    *handle = c->handle;
    return runtime_end(r, cudaSuccess);
}

/* Contexts share one memory. */
CALL(cuGraphConditionalHandleCreate, uint64_t *handle, const void *graph,
     const void *context, unsigned initial, unsigned flags)
{
    (void)context;
    return cudaGraphConditionalHandleCreate(handle, graph, initial, flags);
}
