#include "sim/program/live.h"

#include <stdlib.h>

#include "isa/base/array.h"
#include "sim/program/play.h"
#include "sim/program/tasks.h"

struct sim_live {
    struct teg_score score;
    struct sim_program program;
    struct sim_program_options options;
    struct sim_program_result result;
    struct sim_tasks *tasks; /* owned */
    struct play play;
    struct sim_program_kernel *kernel; /* owned, [kernels] */
    uint32_t kernels;
    size_t kernel_capacity;
    uint32_t host;  /* that calls; TEG_SCORE_NONE: nobody has */
    uint32_t *last; /* owned, [streams]: the latest task of each, or NONE */
    uint32_t streams;
    size_t last_capacity;
    uint32_t seen; /* tasks */
};

void sim_live_free(struct sim_live *l)
{
    if (l == NULL)
        return;
    play_release(&l->play);
    sim_tasks_free(l->tasks);
    sim_program_release(&l->program);
    teg_score_release(&l->score);
    free(l->kernel);
    free(l->last);
    free(l);
}

static teg_status init(struct sim_live *l, const struct teg_gpu *gpu,
                       struct teg_diag *d)
{
    uint32_t standard;

    l->options = sim_program_plain();
    l->host = TEG_SCORE_NONE;
    l->play = (struct play){.p = &l->program,
                            .score = &l->score,
                            .gpu = gpu,
                            .options = &l->options,
                            .live = 1,
                            .result = &l->result,
                            .d = d};
    TRY(play_init(&l->play));
    TRY(teg_score_stream(&l->score, 0, 0, &standard, d));
    return sim_tasks_new(&l->program, &l->score, gpu, &l->options, &l->tasks,
                         d);
}

teg_status sim_live_new(const struct teg_gpu *gpu, struct sim_live **live,
                        struct teg_diag *d)
{
    struct sim_live *l = calloc(1, sizeof *l);
    teg_status status;

    *live = NULL;
    if (l == NULL)
        return teg_fail_memory(d);
    status = init(l, gpu, d);
    if (status != TEG_OK)
        sim_live_free(l);
    else
        *live = l;
    return status;
}

struct teg_score *sim_live_score(struct sim_live *l)
{
    return &l->score;
}

teg_status sim_live_kernel(struct sim_live *l,
                           const struct sim_program_kernel *kernel,
                           uint32_t *number, struct teg_diag *d)
{
    struct sim_program_kernel *room = teg_array_room(
        l->kernel, l->kernels, &l->kernel_capacity, sizeof *room);

    if (room == NULL)
        return teg_fail_memory(d);
    l->kernel = room;
    *number = l->kernels++;
    l->kernel[*number] = *kernel;
    return TEG_OK;
}

/* The streams that the new tasks are the latest of. */
static teg_status note_last(struct sim_live *l, struct teg_diag *d)
{
    for (; l->streams < l->score.streams; l->streams++) {
        uint32_t *room = teg_array_room(l->last, l->streams, &l->last_capacity,
                                        sizeof *room);

        if (room == NULL)
            return teg_fail_memory(d);
        l->last = room;
        l->last[l->streams] = TEG_SCORE_NONE;
    }
    for (; l->seen < l->program.tasks; l->seen++)
        l->last[l->program.task[l->seen].stream] = l->seen;
    return TEG_OK;
}

/* Of a call that is several the host makes one after the other. */
static teg_status make_calls(struct sim_live *l, uint32_t host)
{
    struct play_host *h = &l->play.host[host];

    if (l->host == TEG_SCORE_NONE) {
        l->host = host;
        TRY(play_begin_host(&l->play, host));
        TRY(play_run(&l->play));
    } else {
        TRY(play_go_on(&l->play, host));
    }
    if (!l->play.starved || h->next < h->calls)
        return play_fail_deadlock(&l->play);
    return TEG_OK;
}

teg_status sim_live_add(struct sim_live *l, const struct teg_score_entry *entry,
                        struct teg_diag *d)
{
    uint32_t calls = l->program.calls;

    l->play.d = d;
    l->play.kernel = l->kernel;
    TRY(sim_tasks_add(l->tasks, entry, d));
    TRY(note_last(l, d));
    TRY(play_take(&l->play));
    return l->program.calls != calls ? make_calls(l, entry->host) : TEG_OK;
}

uint64_t sim_live_beside(const struct sim_live *l)
{
    return l->result.beside;
}

double sim_live_host(const struct sim_live *l)
{
    return l->host != TEG_SCORE_NONE ? l->play.host[l->host].now : 0;
}

int sim_live_event(const struct sim_live *l, uint32_t event, double *us)
{
    uint32_t task = sim_tasks_event(l->tasks, event);

    *us = task != TEG_SCORE_NONE ? l->program.task[task].end : -1;
    return task == TEG_SCORE_NONE || l->play.task[task].done;
}

int sim_live_idle(const struct sim_live *l, uint32_t stream)
{
    for (uint32_t i = 0; i < l->streams; i++) {
        if ((stream == TEG_SCORE_NONE || i == stream) &&
            l->last[i] != TEG_SCORE_NONE && !l->play.task[l->last[i]].done)
            return 0;
    }
    return 1;
}
