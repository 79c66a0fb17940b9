#include "sim/engine/ears.h"

#include <stdlib.h>

static teg_status split(struct sim_listener *ear,
                        const struct sim_listener *whole, struct teg_diag *d)
{
    if (ear->on_issue == NULL || ear->split == NULL)
        return TEG_OK;
    ear->self = ear->split(whole->self);
    return ear->self != NULL ? TEG_OK : teg_fail_memory(d);
}

teg_status sim_ears_split(struct sim_ears *e,
                          const struct sim_listener *listener,
                          uint32_t listeners, uint32_t hands,
                          struct teg_diag *d)
{
    *e = (struct sim_ears){
        .listener = listener,
        .listeners = listeners,
        .hands = hands,
        .ear = calloc((size_t)hands * listeners + 1, sizeof *e->ear),
    };
    if (e->ear == NULL)
        return teg_fail_memory(d);
    for (uint32_t h = 0; h < hands; h++) {
        for (uint32_t i = 0; i < listeners; i++) {
            struct sim_listener *ear = &e->ear[(size_t)h * listeners + i];

            *ear = listener[i];
            if (h != 0)
                TRY(split(ear, &listener[i], d));
        }
    }
    return TEG_OK;
}

/* Those there are: after a failure some are not. */
void sim_ears_join(struct sim_ears *e)
{
    for (size_t i = e->listeners;
         e->ear != NULL && i < (size_t)e->hands * e->listeners; i++) {
        struct sim_listener *ear = &e->ear[i];
        const struct sim_listener *whole = &e->listener[i % e->listeners];

        if (ear->join != NULL && ear->self != NULL && ear->self != whole->self)
            ear->join(whole->self, ear->self);
    }
}

void sim_ears_release(struct sim_ears *e)
{
    free(e->ear);
    *e = (struct sim_ears){0};
}

void sim_announce_start(const struct sim_listener *listener, uint32_t listeners,
                        const struct teg_gpu *gpu,
                        const struct teg_program *program, uint32_t sms)
{
    for (uint32_t i = 0; i < listeners; i++) {
        if (listener[i].on_start != NULL)
            listener[i].on_start(listener[i].self, gpu, program, sms);
    }
}

void sim_announce_finish(const struct sim_listener *listener,
                         uint32_t listeners, uint64_t cycles)
{
    for (uint32_t i = 0; i < listeners; i++) {
        if (listener[i].on_finish != NULL)
            listener[i].on_finish(listener[i].self, cycles);
    }
}
