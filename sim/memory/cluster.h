/*
 * Clusters of SMs (TPCs): the memory pipeline that their SMs share.
 *
 * Models: the pipeline moves so many bytes a cycle, but a transaction takes it a
 * least time however few they are, an atomic for each packet that it is sent in;
 * warps' own accesses, bulk copies and what these write each have a rate; what is written has a way of its own where it is known
 * what a line takes there (memory.store_interval), and places to wait before
 * it (memory.store_lines), each until L2 has taken its line; a cluster may have
 * only so many bytes outstanding (Lai 2013, Eq. 3.2: C_mem transactions, here
 * bytes), each transaction until it is back.
 * Leaves out: the network behind it; that loads wait behind stores that find no
 * place.
 */
#ifndef TEG_SIM_MEMORY_CLUSTER_H
#define TEG_SIM_MEMORY_CLUSTER_H

#include "config/gpu.h"
#include "sim/events.h"
#include "sim/memory/way.h"

/* Who sends bytes through a pipeline. */
enum sim_sender {
    SENDER_WARP,     /* loads of a warp's lanes */
    SENDER_WARP_OUT, /* their stores and atomics */
    SENDER_COPY,     /* bulk and tensor copies to shared memory */
    SENDER_COPY_OUT, /* the same from there, reductions with them */
    SENDERS
};

/* Bytes outstanding of one cluster, the earliest to be done on top. */
struct sim_outstanding {
    uint64_t done; /* cycle */
    uint32_t bytes;
};

struct sim_cluster {
    struct sim_queue port, out;
    struct sim_outstanding *heap; /* owned, [capacity] */
    uint32_t count, capacity;
    uint64_t bytes;
    uint64_t *left; /* owned, [memory.store_lines]: a ring of the ticks at which
                       L2 took the latest lines stored */
    uint32_t newest;
};

struct sim_clusters {
    const struct teg_gpu *gpu;   /* borrowed; outlives it */
    struct sim_cluster *cluster; /* owned, [count] */
    uint32_t count;
    uint32_t *of; /* owned, [sms]: an SM's cluster */
    struct {
        uint64_t rate;
        uint64_t least_ticks;  /* that a transaction holds it */
        uint64_t packet_ticks; /* and each packet of an atomic */
        int is_apart;          /* it is the way out, not what loads come by */
    } port[SENDERS];
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

static inline enum sim_sender sim_sender_of(const struct sim_request *r)
{
    int out = r->is_store || r->is_atomic;

    return r->is_bulk ? (out ? SENDER_COPY_OUT : SENDER_COPY)
                      : (out ? SENDER_WARP_OUT : SENDER_WARP);
}

/* A line that a warp stores begins at tick `came` and L2 takes it at tick
 * `left`: when it finds a place to wait for that. */
static inline uint64_t sim_clusters_keep(struct sim_clusters *c, uint32_t sm,
                                         uint64_t came, uint64_t left)
{
    struct sim_cluster *own = &c->cluster[c->of[sm]];
    uint64_t free_from;

    if (own->left == NULL)
        return left;
    own->newest++;
    if (own->newest == c->gpu->memory.store_lines)
        own->newest = 0;
    free_from = own->left[own->newest];
    own->left[own->newest] = left;
    return teg_min(teg_max(came, free_from), left);
}

/* Takes `bytes` of that sender through SM `sm`'s pipeline.  Returns the ticks that
 * they wait on a way of their own: what lies beyond takes them in the order of
 * issue, so it is asked beside and not behind, lest those who come later by
 * the other way wait for them. */
static inline uint64_t sim_clusters_pass(struct sim_clusters *c, uint32_t sm,
                                         struct sim_way *w, uint32_t bytes,
                                         enum sim_sender sender)
{
    struct sim_cluster *own = &c->cluster[c->of[sm]];
    int apart = c->port[sender].is_apart;
    /* From when it left the SM: it does not wait for its translation there. */
    uint64_t ticks = teg_max(sim_bytes_ticks(c->port[sender].rate, bytes),
                             c->port[sender].least_ticks);
    uint64_t waits;

    ticks = teg_max(ticks, w->packets * c->port[sender].packet_ticks);
    waits = sim_queue_wait(apart ? &own->out : &own->port, w->start, ticks);
    if (apart)
        return waits;
    w->waited += waits;
    return 0;
}

#endif
