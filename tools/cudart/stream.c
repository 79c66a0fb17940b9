#include "tools/cudart/stream.h"
#include "tools/cudart/capture.h"
#include "tools/cudart/say.h"

#include <stdlib.h>
#include <string.h>

/* The default streams: NULL, and the handles 1 and 2 of the headers. */
static struct stream standard;

enum {
    HANDLE_PER_THREAD = 2,
    HANDLES_STANDARD = 2,
    NUMBER_PER_THREAD = 1, /* those of the program's follow */
    FLAG_NONBLOCKING = 1,
};

struct stream *stream_of(struct runtime *r, void *handle)
{
    (void)r;
    return (uintptr_t)handle > HANDLES_STANDARD ? handle : &standard;
}

/* As traces number them: the default stream is 0. */
static uint64_t number_of(struct runtime *r, void *handle)
{
    return (uintptr_t)handle == HANDLE_PER_THREAD ? NUMBER_PER_THREAD
                                                  : stream_of(r, handle)->id;
}

void stream_enter(struct runtime *r, void *handle)
{
    tracer_in(&r->tracer, number_of(r, handle), 1);
}

int stream_submit(struct runtime *r, void *handle, const struct operation *o)
{
    struct stream *s = stream_of(r, handle);

    if (capture_of(r, &s->frontier) != NULL)
        return capture_add(r, s, o);
    tracer_in(&r->tracer, number_of(r, handle), 1);
    return operation_run(r, o);
}

int stream_wait(struct runtime *r, void *handle)
{
    if (capture_of(r, &stream_of(r, handle)->frontier) != NULL)
        return cudaSuccess;
    tracer_say_stream(&r->tracer, number_of(r, handle));
    return runtime_wait(r);
}

int stream_is_captured(struct runtime *r, void *handle, const char *name)
{
    if (capture_of(r, &stream_of(r, handle)->frontier) == NULL)
        return 0;
    runtime_say("", "%s in a stream that is being captured is not implemented",
                name);
    return 1;
}

/* ---- streams -------------------------------------------------------------- */

/* Two of them from compute capability 3.5 on, six from 7.0 on (what the
 * runtime says on Kepler, Pascal, Volta and later). */
int stream_priority_greatest(const struct runtime *r)
{
    uint32_t cc = r->gpu->chip.compute_capability;

    return cc >= 70 ? -5 : cc >= 35 ? -1 : 0;
}

/* One out of the range is the nearest in it. */
static int in_range(const struct runtime *r, int priority)
{
    int greatest = stream_priority_greatest(r);

    return priority > 0 ? 0 : priority < greatest ? greatest : priority;
}

CALL(cudaStreamCreateWithPriority, void **stream, unsigned flags, int priority)
{
    BEGIN(r);
    static uint64_t made = NUMBER_PER_THREAD;
    struct stream *s = calloc(1, sizeof *s);

    if (stream == NULL || s == NULL) {
        free(s);
        return runtime_end(r, stream == NULL ? cudaErrorInvalidValue
                                             : cudaErrorMemoryAllocation);
    }
    *s = (struct stream){
        .flags = flags, .priority = in_range(r, priority), .id = ++made};
    *stream = s;
    r->context = 1;
    tracer_stream(&r->tracer, s->id, s->priority, flags & FLAG_NONBLOCKING);
    return runtime_end(r, cudaSuccess);
}

CALL(cudaStreamCreateWithFlags, void **stream, unsigned flags)
{
    return cudaStreamCreateWithPriority(stream, flags, 0);
}

CALL(cudaStreamCreate, void **stream)
{
    return cudaStreamCreateWithPriority(stream, 0, 0);
}

CALL(cudaStreamDestroy, void *stream)
{
    BEGIN(r);
    struct stream *s = stream_of(r, stream);

    if (s == &standard)
        return runtime_end(r, cudaErrorInvalidResourceHandle);
    capture_forget(&s->frontier);
    free(s);
    return runtime_end(r, cudaSuccess);
}

static int reach_end(struct runtime *r, void *stream)
{
    return capture_of(r, &stream_of(r, stream)->frontier) == NULL
               ? cudaSuccess
               : cudaErrorStreamCaptureUnsupported;
}

CALL(cudaStreamSynchronize, void *stream)
{
    BEGIN_WAITING(r);
    int error = reach_end(r, stream);

    if (error == cudaSuccess)
        tracer_say_stream(&r->tracer, number_of(r, stream));
    return runtime_end(r, error);
}
ALSO(cudaStreamSynchronize, cudaStreamSynchronize_ptsz);

CALL(cudaStreamQuery, void *stream)
{
    BEGIN_WAITING(r);
    tracer_ask_stream(&r->tracer, number_of(r, stream));
    return runtime_end(r, reach_end(r, stream));
}
ALSO(cudaStreamQuery, cudaStreamQuery_ptsz);

/* What the stream does from here on comes after what the event has seen. */
CALL(cudaStreamWaitEvent, void *stream, struct event *event, unsigned flags)
{
    BEGIN(r);
    (void)flags;
    if (event == NULL)
        return runtime_end(r, cudaErrorInvalidResourceHandle);
    if (event->recorded && capture_of(r, &event->frontier) == NULL &&
        capture_of(r, &stream_of(r, stream)->frontier) == NULL) {
        tracer_in(&r->tracer, number_of(r, stream), 1);
        tracer_say(&r->tracer, "wait", event->number);
    }
    return runtime_end(
        r, capture_join(r, &stream_of(r, stream)->frontier, &event->frontier));
}
ALSO(cudaStreamWaitEvent, cudaStreamWaitEvent_ptsz);

CALL(cudaStreamGetFlags, void *stream, unsigned *flags)
{
    BEGIN(r);
    if (flags == NULL)
        return runtime_end(r, cudaErrorInvalidValue);
    *flags = stream_of(r, stream)->flags;
    return runtime_end(r, cudaSuccess);
}
ALSO(cudaStreamGetFlags, cudaStreamGetFlags_ptsz);

CALL(cudaStreamGetPriority, void *stream, int *priority)
{
    BEGIN(r);
    if (priority == NULL)
        return runtime_end(r, cudaErrorInvalidValue);
    *priority = stream_of(r, stream)->priority;
    return runtime_end(r, cudaSuccess);
}
ALSO(cudaStreamGetPriority, cudaStreamGetPriority_ptsz);

CALL(cudaStreamGetId, void *stream, uint64_t *id)
{
    BEGIN(r);
    if (id == NULL)
        return runtime_end(r, cudaErrorInvalidValue);
    *id = stream_of(r, stream)->id;
    return runtime_end(r, cudaSuccess);
}
ALSO(cudaStreamGetId, cudaStreamGetId_ptsz);

CALL(cudaStreamGetDevice, void *stream, int *device)
{
    BEGIN(r);
    (void)stream;
    if (device == NULL)
        return runtime_end(r, cudaErrorInvalidValue);
    *device = 0;
    return runtime_end(r, cudaSuccess);
}
ALSO(cudaStreamGetDevice, cudaStreamGetDevice_ptsz);

/* Attributes are hints (windows of L2, how to wait); what is asked for is what
 * a stream has without. */
CALL(cudaStreamSetAttribute, void *stream, int id, const void *value)
{
    BEGIN(r);
    (void)stream, (void)id;
    return runtime_end(r, value != NULL ? cudaSuccess : cudaErrorInvalidValue);
}
ALSO(cudaStreamSetAttribute, cudaStreamSetAttribute_ptsz);

CALL(cudaStreamGetAttribute, void *stream, int id, void *value)
{
    BEGIN(r);
    (void)stream, (void)id;
    if (value == NULL)
        return runtime_end(r, cudaErrorInvalidValue);
    memset(value, 0, sizeof((struct cuda_launch_attribute *)NULL)->value);
    return runtime_end(r, cudaSuccess);
}
ALSO(cudaStreamGetAttribute, cudaStreamGetAttribute_ptsz);

CALL(cudaStreamCopyAttributes, void *to, void *from)
{
    BEGIN(r);
    (void)to, (void)from;
    return runtime_end(r, cudaSuccess);
}
ALSO(cudaStreamCopyAttributes, cudaStreamCopyAttributes_ptsz);

CALL(cudaStreamAttachMemAsync, void *stream, void *address, size_t bytes,
     unsigned flags)
{
    BEGIN(r);
    (void)stream, (void)address, (void)bytes, (void)flags;
    return runtime_end(r, cudaSuccess);
}
ALSO(cudaStreamAttachMemAsync, cudaStreamAttachMemAsync_ptsz);

CALL(cudaStreamAddCallback, void *stream,
     void (*call)(void *stream, int error, void *data), void *data,
     unsigned flags)
{
    BEGIN(r);
    (void)flags;
    if (capture_of(r, &stream_of(r, stream)->frontier) != NULL)
        return runtime_end(r, cudaErrorStreamCaptureUnsupported);
    tracer_in(&r->tracer, number_of(r, stream), 1);
    tracer_say(&r->tracer, "host", 0);
    call(stream, r->fault, data);
    return runtime_end(r, cudaSuccess);
}
ALSO(cudaStreamAddCallback, cudaStreamAddCallback_ptsz);

CALL(cudaLaunchHostFunc, void *stream, void (*call)(void *data), void *data)
{
    BEGIN(r);
    SUBMIT(r, stream, {.kind = OPERATION_HOST, .host = {call, data}});
}
ALSO(cudaLaunchHostFunc, cudaLaunchHostFunc_ptsz);

/* ---- events -------------------------------------------------------------------- */

enum {
    EVENT_UNTIMED = 2
};

CALL(cudaEventCreateWithFlags, void **event, unsigned flags)
{
    BEGIN(r);
    static uint64_t made;
    struct event *e = calloc(1, sizeof *e);

    if (event == NULL || e == NULL) {
        free(e);
        return runtime_end(r, event == NULL ? cudaErrorInvalidValue
                                            : cudaErrorMemoryAllocation);
    }
    e->number = ++made;
    e->untimed = (flags & EVENT_UNTIMED) != 0;
    *event = e;
    r->context = 1;
    return runtime_end(r, cudaSuccess);
}

CALL(cudaEventCreate, void **event)
{
    return cudaEventCreateWithFlags(event, 0);
}

CALL(cudaEventDestroy, void *event)
{
    BEGIN(r);
    if (event == NULL)
        return runtime_end(r, cudaErrorInvalidResourceHandle);
    capture_forget(&((struct event *)event)->frontier);
    free(event);
    return runtime_end(r, cudaSuccess);
}

int event_record(struct runtime *r, struct event *e)
{
    tracer_record(&r->tracer, e->number, e->untimed);
    e->recorded = 1;
    e->at_us = r->nominal_us;
    return cudaSuccess;
}

enum {
    RECORD_EXTERNAL = 1, /* flag: in a graph, a node of its own */
};

int stream_record(struct runtime *r, void *handle, struct event *e)
{
    struct operation o = {.kind = OPERATION_RECORD, .event = e};
    const struct frontier *f = &stream_of(r, handle)->frontier;

    return capture_of(r, f) != NULL ? capture_copy(&e->frontier, f)
                                    : stream_submit(r, handle, &o);
}

/* While the stream is captured, the event stands for what has been so far. */
CALL(cudaEventRecordWithFlags, struct event *e, void *stream, unsigned flags)
{
    BEGIN(r);

    if (e == NULL)
        return runtime_end(r, cudaErrorInvalidResourceHandle);
    if (!(flags & RECORD_EXTERNAL))
        return runtime_end(r, stream_record(r, stream, e));
    SUBMIT(r, stream, {.kind = OPERATION_RECORD, .event = e});
}
ALSO(cudaEventRecordWithFlags, cudaEventRecordWithFlags_ptsz);

CALL(cudaEventRecord, struct event *event, void *stream)
{
    return cudaEventRecordWithFlags(event, stream, 0);
}
ALSO(cudaEventRecord, cudaEventRecord_ptsz);

CALL(cudaEventSynchronize, struct event *event)
{
    BEGIN_WAITING(r);
    if (event == NULL)
        return runtime_end(r, cudaErrorInvalidResourceHandle);
    if (event->recorded)
        tracer_say(&r->tracer, "synchronize", event->number);
    return runtime_end(r, cudaSuccess);
}

/* Who asks for an event has waited for it. */
static void reach(struct runtime *r, const struct event *e)
{
    if (e->recorded)
        tracer_ask(&r->tracer, e->number);
}

CALL(cudaEventQuery, struct event *event)
{
    BEGIN_WAITING(r);
    if (event != NULL)
        reach(r, event);
    return runtime_end(r, event != NULL ? cudaSuccess
                                        : cudaErrorInvalidResourceHandle);
}

/* Once for a program. */
static void say_estimated(struct runtime *r)
{
    if (!r->beside_said && timeline_beside(r->tracer.timeline) != 0) {
        r->beside_said = 1;
        runtime_say("", "elapsed times of launches beside each other are "
                        "estimated, as by teg program --estimate; without "
                        "that it simulates them together");
    }
}

/* Once for a program. */
static void say_times(struct runtime *r)
{
    if (!r->times_said && r->tracer.clock == NULL)
        runtime_say("", "elapsed times are nominal: they count copied bytes "
                        "and executed instructions and are no estimate; teg "
                        "exec --time simulates each launch");
    r->times_said = 1;
}

static double event_us(const struct runtime *r, const struct event *e)
{
    return r->tracer.timeline != NULL
               ? timeline_event(r->tracer.timeline, e->number)
               : e->at_us;
}

CALL(cudaEventElapsedTime, float *ms, void *from, void *to)
{
    BEGIN_WAITING(r);
    const struct event *a = from, *b = to;

    if (ms == NULL)
        return runtime_end(r, cudaErrorInvalidValue);
    if (a == NULL || b == NULL || !a->recorded || !b->recorded)
        return runtime_end(r, cudaErrorInvalidResourceHandle);
    say_times(r);
    reach(r, a);
    reach(r, b);
    say_estimated(r);
    *ms = (float)((event_us(r, b) - event_us(r, a)) / 1e3);
    return runtime_end(r, cudaSuccess);
}
