/*
 * Clusters of SMs (TPCs): the memory pipeline that their SMs share.
 *
 * Models: the pipeline moves so many bytes a cycle, but a transaction takes it a
 * least time however few they are; a cluster may have
 * only so many bytes outstanding (Lai 2013, Eq. 3.2: C_mem transactions, here
 * bytes), each transaction until it is back.
 * Leaves out: the network behind it.
 */
#ifndef TEG_SIM_MEMORY_CLUSTER_H
#define TEG_SIM_MEMORY_CLUSTER_H

#include "config/gpu.h"
#include "sim/memory/way.h"

/* Bytes outstanding of one cluster, the earliest to be done on top. */
struct sim_outstanding {
    uint64_t done; /* cycle */
    uint32_t bytes;
};

struct sim_cluster {
    struct sim_queue port;
    struct sim_outstanding *heap; /* owned, [capacity] */
    uint32_t count, capacity;
    uint64_t bytes;
};

struct sim_clusters {
    const struct teg_gpu *gpu;   /* borrowed; outlives it */
    struct sim_cluster *cluster; /* owned, [count] */
    uint32_t count;
    uint32_t *of;           /* owned, [sms]: an SM's cluster */
    uint64_t rate;          /* of a port */
    uint64_t request_ticks; /* that it is held at least */
};

/* Those of `sms` SMs.  Returns 0 out of memory. */
int sim_clusters_init(struct sim_clusters *c, const struct teg_gpu *gpu,
                      uint32_t sms);
void sim_clusters_release(struct sim_clusters *c);

/* The first cycle, as far as can be told, at or after `now` at which SM `sm`
 * may have `bytes` more outstanding. */
uint64_t sim_clusters_ready_at(struct sim_clusters *c, uint32_t sm,
                               uint64_t now, uint32_t bytes);
/* `bytes` more are outstanding until cycle `done`.  Out of memory forgets
 * them: the limit is then a little wider, which the caller cannot act on any
 * better. */
void sim_cluster_push(struct sim_cluster *c, uint64_t done, uint32_t bytes);

/* The same of SM `sm`'s, if there is a limit. */
static inline void sim_clusters_remember(struct sim_clusters *c, uint32_t sm,
                                         uint64_t done, uint32_t bytes)
{
    if (c->gpu->memory.in_flight_bytes != 0)
        sim_cluster_push(&c->cluster[c->of[sm]], done, bytes);
}

/* Takes `bytes` through SM `sm`'s pipeline. */
static inline void sim_clusters_pass(struct sim_clusters *c, uint32_t sm,
                                     struct sim_way *w, uint32_t bytes)
{
    struct sim_cluster *own = &c->cluster[c->of[sm]];

    /* From when it left the SM: it does not wait for its translation there. */
    w->waited += sim_queue_wait(
        &own->port, w->start,
        teg_max(sim_bytes_ticks(c->rate, bytes), c->request_ticks));
}

#endif
