#include "tools/cudart/repeat.h"

#include <stdlib.h>
#include <string.h>

enum {
    KEPT = 256,  /* launches; the oldest is forgotten */
    STATES = 32, /* buffers a launch may use */
};

struct entry {
    struct launch_key key; /* parameters owned */
    struct emu_state state[STATES];
    size_t states;
    struct launch_done done;
};

struct repeats {
    struct entry entry[KEPT];
    size_t next; /* to be overwritten */
};

struct repeats *repeats_new(void)
{
    return calloc(1, sizeof(struct repeats));
}

static int same_extent(const struct cuda_dim3 *a, const struct cuda_dim3 *b)
{
    return a->x == b->x && a->y == b->y && a->z == b->z;
}

static int same_launch(const struct launch_key *a, const struct launch_key *b)
{
    return a->function == b->function && a->settings == b->settings &&
           same_extent(&a->shape.grid, &b->shape.grid) &&
           same_extent(&a->shape.block, &b->shape.block) &&
           same_extent(&a->shape.cluster, &b->shape.cluster) &&
           a->shape.shared == b->shape.shared &&
           a->shape.carveout == b->shape.carveout &&
           a->shape.cooperative == b->shape.cooperative &&
           a->param_bytes == b->param_bytes &&
           (a->param_bytes == 0 ||
            memcmp(a->params, b->params, a->param_bytes) == 0);
}

static int states_hold(const struct entry *e, const struct emu_device *device)
{
    for (size_t i = 0; i < e->states; i++) {
        if (!emu_device_is_in(device, &e->state[i]))
            return 0;
    }
    return 1;
}

struct launch_done *repeats_find(struct repeats *r,
                                 const struct emu_device *device,
                                 const struct launch_key *key)
{
    for (size_t i = 0; r != NULL && i < KEPT; i++) {
        struct entry *e = &r->entry[i];

        if (e->key.function != NULL && same_launch(&e->key, key) &&
            states_hold(e, device))
            return &e->done;
    }
    return NULL;
}

/* The place of a launch like it, which will not be found any more, or of the
 * oldest. */
static struct entry *place_for(struct repeats *r, const struct launch_key *key)
{
    struct entry *e;

    for (size_t i = 0; i < KEPT; i++) {
        e = &r->entry[i];
        if (e->key.function != NULL && same_launch(&e->key, key))
            return e;
    }
    e = &r->entry[r->next];
    r->next = (r->next + 1) % KEPT;
    return e;
}

void repeats_note(struct repeats *r, struct emu_device *device,
                  const struct launch_key *key, const struct launch_done *done)
{
    struct emu_state state[STATES];
    size_t states = emu_device_settle(device, state, STATES);
    uint8_t *params;
    struct entry *e;

    if (r == NULL || states > STATES)
        return;
    params = malloc(key->param_bytes + 1);
    if (params == NULL)
        return;
    if (key->param_bytes != 0)
        memcpy(params, key->params, key->param_bytes);
    e = place_for(r, key);
    free((void *)(uintptr_t)e->key.params);
    e->key = *key;
    e->key.params = params;
    memcpy(e->state, state, states * sizeof *state);
    e->states = states;
    e->done = *done;
}
