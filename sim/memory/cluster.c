#include "sim/memory/cluster.h"

#include <math.h>
#include <stdlib.h>

/* Where lines that are stored wait. */
static int make_places(struct sim_clusters *c)
{
    uint32_t lines = c->gpu->memory.store_lines;

    for (uint32_t i = 0; lines != 0 && i < c->count; i++) {
        c->cluster[i].left = calloc(lines, sizeof *c->cluster[i].left);
        if (c->cluster[i].left == NULL)
            return 0;
    }
    return 1;
}

int sim_clusters_init(struct sim_clusters *c, const struct teg_gpu *gpu,
                      uint32_t sms)
{
    double all = gpu->memory.cluster_bytes_per_cycle;
    const struct {
        double rate, least;
    } own[SENDERS] = {
        [SENDER_WARP] = {gpu->memory.warp_bytes_per_cycle, 0},
        [SENDER_WARP_OUT] = {gpu->memory.warp_bytes_per_cycle,
                             gpu->memory.store_interval},
        [SENDER_COPY] = {0, gpu->memory.copy_line_interval},
        [SENDER_COPY_OUT] = {gpu->memory.copy_out_bytes_per_cycle,
                             gpu->memory.copy_line_interval},
    };

    *c = (struct sim_clusters){.gpu = gpu};
    for (int s = 0; s < SENDERS; s++) {
        c->port[s].rate = sim_rate_of(own[s].rate > 0 ? own[s].rate : all);
        c->port[s].least_ticks =
            sim_ticks_of(fmax(own[s].least, gpu->memory.request_interval));
        c->port[s].packet_ticks =
            s == SENDER_WARP_OUT ? sim_ticks_of(own[s].least) : 0;
        c->port[s].is_apart = gpu->memory.store_interval > 0 &&
                              (s == SENDER_WARP_OUT || s == SENDER_COPY_OUT);
    }
    c->of = calloc(sms, sizeof *c->of);
    if (c->of == NULL)
        return 0;
    for (uint32_t sm = 0; sm < sms; sm++) {
        c->of[sm] = teg_gpu_cluster_of(gpu, sm);
        if (c->of[sm] >= c->count)
            c->count = c->of[sm] + 1;
    }
    c->cluster = calloc(c->count, sizeof *c->cluster);
    return c->cluster != NULL && make_places(c);
}

void sim_clusters_release(struct sim_clusters *c)
{
    for (uint32_t i = 0; c->cluster != NULL && i < c->count; i++) {
        free(c->cluster[i].heap);
        free(c->cluster[i].left);
    }
    free(c->cluster);
    free(c->of);
    *c = (struct sim_clusters){0};
}

static void sift_down(struct sim_outstanding *heap, uint32_t count, uint32_t i)
{
    struct sim_outstanding moved = heap[i];

    for (uint32_t child = 2 * i + 1; child < count; child = 2 * i + 1) {
        if (child + 1 < count && heap[child + 1].done < heap[child].done)
            child++;
        if (heap[child].done >= moved.done)
            break;
        heap[i] = heap[child];
        i = child;
    }
    heap[i] = moved;
}

static void retire(struct sim_cluster *c, uint64_t now)
{
    while (c->count != 0 && c->heap[0].done <= now) {
        c->bytes -= c->heap[0].bytes;
        c->heap[0] = c->heap[--c->count];
        if (c->count != 0)
            sift_down(c->heap, c->count, 0);
    }
}

uint64_t sim_clusters_ready_at(struct sim_clusters *c, uint32_t sm,
                               uint64_t now, uint32_t bytes)
{
    struct sim_cluster *own = &c->cluster[c->of[sm]];

    if (c->gpu->memory.in_flight_bytes == 0)
        return now;
    retire(own, now);
    /* A request larger than the limit goes alone. */
    if (own->count == 0 || own->bytes + bytes <= c->gpu->memory.in_flight_bytes)
        return now;
    return own->heap[0].done;
}

void sim_cluster_push(struct sim_cluster *c, uint64_t done, uint32_t bytes)
{
    uint32_t i;

    if (c->count == c->capacity) {
        uint32_t capacity = c->capacity * 2 + 64;
        struct sim_outstanding *heap =
            realloc(c->heap, capacity * sizeof *heap);

        if (heap == NULL)
            return;
        c->heap = heap;
        c->capacity = capacity;
    }
    for (i = c->count++; i != 0 && c->heap[(i - 1) / 2].done > done;
         i = (i - 1) / 2)
        c->heap[i] = c->heap[(i - 1) / 2];
    c->heap[i] = (struct sim_outstanding){done, bytes};
    c->bytes += bytes;
}
