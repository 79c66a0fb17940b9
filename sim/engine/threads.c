#include "sim/engine/threads.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

enum {
    SPINS = 4000, /* before a thread goes to sleep: some microseconds */
};

struct hand {
    struct sim_threads *threads; /* borrowed */
    pthread_t thread;
    uint32_t number;
};

/*
 * In a round the hands take items until there are none; it ends when all items
 * are done, whether or not a hand slept through it.  Both sides spin a while
 * before they sleep, for a round takes microseconds and so does waking up.
 */
struct sim_threads {
    uint32_t hands, items;
    struct hand *hand; /* owned, [hands - 1] */
    pthread_mutex_t mutex;
    pthread_cond_t begun, ended;
    atomic_uint round;
    atomic_uint next; /* item nobody has taken; `items` and more: none */
    atomic_uint done; /* items */
    atomic_int over;
    /* Of the round; unchanged while an item is taken and not done. */
    void (*work)(void *self, uint32_t item, uint32_t hand);
    void *self;
};

static void pause_a_little(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
}

static void announce(struct sim_threads *c, pthread_cond_t *what)
{
    pthread_mutex_lock(&c->mutex);
    pthread_cond_broadcast(what);
    pthread_mutex_unlock(&c->mutex);
}

static void take_items(struct sim_threads *c, uint32_t hand)
{
    for (;;) {
        uint32_t item = atomic_fetch_add(&c->next, 1);

        if (item >= c->items)
            return;
        c->work(c->self, item, hand);
        if (atomic_fetch_add(&c->done, 1) + 1 == c->items)
            announce(c, &c->ended);
    }
}

/* Waits until *counter is no longer `old`. */
static void wait_change(struct sim_threads *c, atomic_uint *counter,
                        uint32_t old, pthread_cond_t *changed)
{
    for (int i = 0; i < SPINS; i++) {
        if (atomic_load(counter) != old)
            return;
        pause_a_little();
    }
    pthread_mutex_lock(&c->mutex);
    while (atomic_load(counter) == old)
        pthread_cond_wait(changed, &c->mutex);
    pthread_mutex_unlock(&c->mutex);
}

static void *serve(void *self)
{
    struct hand *h = self;
    struct sim_threads *c = h->threads;

    for (;;) {
        uint32_t round = atomic_load(&c->round);

        if (atomic_load(&c->over))
            return NULL;
        take_items(c, h->number);
        wait_change(c, &c->round, round, &c->begun);
    }
}

static void begin_round(struct sim_threads *c)
{
    atomic_fetch_add(&c->round, 1);
    announce(c, &c->begun);
}

teg_status sim_threads_new(uint32_t hands, uint32_t items,
                           struct sim_threads **threads, struct teg_diag *d)
{
    struct sim_threads *c = calloc(1, sizeof *c);

    *threads = NULL;
    if (c == NULL)
        return teg_fail_memory(d);
    c->hand = calloc(hands, sizeof *c->hand);
    if (c->hand == NULL) {
        free(c);
        return teg_fail_memory(d);
    }
    c->items = items;
    atomic_store(&c->next, items);
    pthread_mutex_init(&c->mutex, NULL);
    pthread_cond_init(&c->begun, NULL);
    pthread_cond_init(&c->ended, NULL);
    for (c->hands = 1; c->hands < hands; c->hands++) {
        struct hand *h = &c->hand[c->hands - 1];

        *h = (struct hand){.threads = c, .number = c->hands};
        if (pthread_create(&h->thread, NULL, serve, h) != 0)
            break;
    }
    *threads = c;
    return TEG_OK;
}

void sim_threads_free(struct sim_threads *c)
{
    if (c == NULL)
        return;
    atomic_store(&c->over, 1);
    begin_round(c);
    for (uint32_t i = 0; i + 1 < c->hands; i++)
        pthread_join(c->hand[i].thread, NULL);
    pthread_cond_destroy(&c->begun);
    pthread_cond_destroy(&c->ended);
    pthread_mutex_destroy(&c->mutex);
    free(c->hand);
    free(c);
}

uint32_t sim_threads_hands(const struct sim_threads *c)
{
    return c->hands;
}

void sim_threads_share(struct sim_threads *c,
                       void (*work)(void *self, uint32_t item, uint32_t hand),
                       void *self)
{
    c->work = work;
    c->self = self;
    atomic_store(&c->done, 0);
    atomic_store(&c->next, 0);
    if (c->hands > 1)
        begin_round(c);
    take_items(c, 0);
    for (uint32_t done = atomic_load(&c->done); done != c->items;
         done = atomic_load(&c->done))
        wait_change(c, &c->done, done, &c->ended);
}
