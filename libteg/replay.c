#include "libteg/replay.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What the trace says of the launch, which has just been opened. */
static teg_status take_facts(struct teg_replay *r, struct teg_diag *d)
{
    const struct teg_kernel *k = r->source.first.kernel;

    r->name = strdup(k->name != NULL ? k->name : "");
    if (r->name == NULL)
        return teg_fail_memory(d);
    memcpy(r->grid, k->grid, sizeof r->grid);
    memcpy(r->block, k->block, sizeof r->block);
    r->registers = k->registers;
    r->shared_bytes = k->shared_bytes;
    r->isa = k->isa;
    return TEG_OK;
}

teg_status teg_replay_new(const struct teg_trace *trace, uint32_t kernel,
                          struct teg_replay **replay, struct teg_diag *d)
{
    struct teg_replay *r = calloc(1, sizeof *r);
    teg_status status;

    *replay = NULL;
    if (r == NULL)
        return teg_fail_memory(d);
    r->manner.what_ifs = "";
    status = source_init(&r->source, trace, kernel, TEG_STORE_BUDGET, d);
    if (status == TEG_OK)
        status = take_facts(r, d);
    if (status != TEG_OK) {
        teg_replay_free(r);
        return status;
    }
    r->launches = teg_trace_kernel_launches(trace, kernel);
    *replay = r;
    return TEG_OK;
}

void teg_replay_free(struct teg_replay *replay)
{
    if (replay == NULL)
        return;
    source_release(&replay->source);
    free(replay->what_ifs);
    free(replay->name);
    free(replay);
}

/* ---- what the trace says of the launch ------------------------------------ */

const char *teg_replay_kernel(const struct teg_replay *replay)
{
    return replay->name;
}

void teg_replay_grid(const struct teg_replay *replay, uint32_t blocks[3])
{
    memcpy(blocks, replay->grid, sizeof replay->grid);
}

void teg_replay_block(const struct teg_replay *replay, uint32_t threads[3])
{
    memcpy(threads, replay->block, sizeof replay->block);
}

uint32_t teg_replay_registers(const struct teg_replay *replay)
{
    return replay->registers;
}

uint32_t teg_replay_shared_bytes(const struct teg_replay *replay)
{
    return replay->shared_bytes;
}

uint32_t teg_replay_isa(const struct teg_replay *replay)
{
    return replay->isa;
}

uint32_t teg_replay_launches(const struct teg_replay *replay)
{
    return replay->launches;
}

/* ---- how it is replayed ---------------------------------------------------- */

void teg_replay_set_threads(struct teg_replay *replay, uint32_t threads)
{
    replay->manner.threads = threads;
}

void teg_replay_set_sms(struct teg_replay *replay, uint32_t sms)
{
    replay->manner.sms = sms;
}

void teg_replay_set_warps(struct teg_replay *replay, uint32_t warps)
{
    replay->manner.warps = warps;
}

void teg_replay_set_sampling(struct teg_replay *replay,
                             enum teg_sampling sampling)
{
    replay->manner.sampling = sampling;
}

void teg_replay_set_progress(struct teg_replay *replay, teg_progress *progress,
                             void *self)
{
    replay->manner.progress = progress;
    replay->manner.progress_self = self;
}

teg_status teg_replay_add_what_ifs(struct teg_replay *replay, const char *names,
                                   struct teg_diag *d)
{
    size_t used = strlen(replay->manner.what_ifs), length;
    char *joined = malloc(used + strlen(names) + 2);
    const char *name;

    if (joined == NULL)
        return teg_fail_memory(d);
    memcpy(joined, replay->manner.what_ifs, used + 1);
    while ((name = point_next_word(&names, &length)) != NULL) {
        joined[used++] = ',';
        memcpy(joined + used, name, length);
        used += length;
        joined[used] = '\0';
    }
    free(replay->what_ifs);
    replay->what_ifs = joined;
    replay->manner.what_ifs = joined;
    return TEG_OK;
}

void teg_replay_clear_what_ifs(struct teg_replay *replay)
{
    free(replay->what_ifs);
    replay->what_ifs = NULL;
    replay->manner.what_ifs = "";
}

/* The list of sim/whatif. */
static const struct teg_whatif *whatif(uint32_t i)
{
    uint32_t count;
    const struct teg_whatif *all = teg_whatifs(&count);

    return i < count ? &all[i] : NULL;
}

uint32_t teg_whatif_count(void)
{
    uint32_t count;

    teg_whatifs(&count);
    return count;
}

const char *teg_whatif_name(uint32_t i)
{
    return whatif(i) != NULL ? whatif(i)->name : NULL;
}

const char *teg_whatif_help(uint32_t i)
{
    return whatif(i) != NULL ? whatif(i)->help : NULL;
}

/* ---- replaying ------------------------------------------------------------- */

teg_status teg_replay_run(struct teg_replay *replay, const struct teg_gpu *gpu,
                          struct teg_result **result, struct teg_diag *d)
{
    return point_run(&replay->source, &replay->manner, gpu, "", result, d);
}

teg_status teg_replay_walk(struct teg_replay *replay, const struct teg_gpu *gpu,
                           struct teg_result **result, struct teg_diag *d)
{
    struct manner manner = replay->manner;

    manner.walk = 1;
    return point_run(&replay->source, &manner, gpu, "", result, d);
}
