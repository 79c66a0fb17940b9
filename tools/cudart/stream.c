/* Streams, events, errors: everything is done when its call returns. */
#include "tools/cudart/runtime.h"

#include <stdlib.h>
#include <string.h>

struct stream {
    unsigned flags;
    int priority;
};

struct event {
    int recorded;
    double at_us; /* nominal */
};

/* ---- streams -------------------------------------------------------------- */

CALL(cudaStreamCreateWithPriority, void **stream, unsigned flags, int priority)
{
    BEGIN(r);
    struct stream *s = calloc(1, sizeof *s);

    if (stream == NULL || s == NULL) {
        free(s);
        return runtime_end(r, stream == NULL ? cudaErrorInvalidValue
                                             : cudaErrorMemoryAllocation);
    }
    *s = (struct stream){flags, priority};
    *stream = s;
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

/* NULL, 1 and 2 are the default streams. */
static int is_made(const void *stream)
{
    return (uintptr_t)stream > 2;
}

CALL(cudaStreamDestroy, void *stream)
{
    BEGIN(r);
    if (!is_made(stream))
        return runtime_end(r, cudaErrorInvalidResourceHandle);
    free(stream);
    return runtime_end(r, cudaSuccess);
}

CALL(cudaStreamSynchronize, void *stream)
{
    BEGIN(r);
    (void)stream;
    return runtime_end(r, cudaSuccess);
}
ALSO(cudaStreamSynchronize, cudaStreamSynchronize_ptsz);
ALSO(cudaStreamSynchronize, cudaStreamQuery);
ALSO(cudaStreamSynchronize, cudaStreamQuery_ptsz);

CALL(cudaStreamWaitEvent, void *stream, void *event, unsigned flags)
{
    BEGIN(r);
    (void)stream, (void)event, (void)flags;
    return runtime_end(r, cudaSuccess);
}
ALSO(cudaStreamWaitEvent, cudaStreamWaitEvent_ptsz);

CALL(cudaStreamGetFlags, void *stream, unsigned *flags)
{
    BEGIN(r);
    if (flags == NULL)
        return runtime_end(r, cudaErrorInvalidValue);
    *flags = is_made(stream) ? ((struct stream *)stream)->flags : 0;
    return runtime_end(r, cudaSuccess);
}
ALSO(cudaStreamGetFlags, cudaStreamGetFlags_ptsz);

CALL(cudaStreamGetPriority, void *stream, int *priority)
{
    BEGIN(r);
    if (priority == NULL)
        return runtime_end(r, cudaErrorInvalidValue);
    *priority = is_made(stream) ? ((struct stream *)stream)->priority : 0;
    return runtime_end(r, cudaSuccess);
}
ALSO(cudaStreamGetPriority, cudaStreamGetPriority_ptsz);

CALL(cudaStreamIsCapturing, void *stream, int *status)
{
    BEGIN(r);
    (void)stream;
    if (status == NULL)
        return runtime_end(r, cudaErrorInvalidValue);
    *status = 0;
    return runtime_end(r, cudaSuccess);
}
ALSO(cudaStreamIsCapturing, cudaStreamIsCapturing_ptsz);

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
    call(stream, cudaSuccess, data);
    return runtime_end(r, cudaSuccess);
}
ALSO(cudaStreamAddCallback, cudaStreamAddCallback_ptsz);

CALL(cudaLaunchHostFunc, void *stream, void (*call)(void *data), void *data)
{
    BEGIN(r);
    (void)stream;
    call(data);
    return runtime_end(r, cudaSuccess);
}
ALSO(cudaLaunchHostFunc, cudaLaunchHostFunc_ptsz);

/* ---- events -------------------------------------------------------------------- */

CALL(cudaEventCreateWithFlags, void **event, unsigned flags)
{
    BEGIN(r);
    struct event *e = calloc(1, sizeof *e);

    (void)flags;
    if (event == NULL || e == NULL) {
        free(e);
        return runtime_end(r, event == NULL ? cudaErrorInvalidValue
                                            : cudaErrorMemoryAllocation);
    }
    *event = e;
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
    free(event);
    return runtime_end(r, cudaSuccess);
}

CALL(cudaEventRecord, void *event, void *stream)
{
    BEGIN(r);
    struct event *e = event;

    (void)stream;
    if (e == NULL)
        return runtime_end(r, cudaErrorInvalidResourceHandle);
    *e = (struct event){1, r->nominal_us};
    return runtime_end(r, cudaSuccess);
}
ALSO(cudaEventRecord, cudaEventRecord_ptsz);

CALL(cudaEventRecordWithFlags, void *event, void *stream, unsigned flags)
{
    (void)flags;
    return cudaEventRecord(event, stream);
}
ALSO(cudaEventRecordWithFlags, cudaEventRecordWithFlags_ptsz);

CALL(cudaEventSynchronize, void *event)
{
    BEGIN(r);
    return runtime_end(r, event != NULL ? cudaSuccess
                                        : cudaErrorInvalidResourceHandle);
}
ALSO(cudaEventSynchronize, cudaEventQuery);

CALL(cudaEventElapsedTime, float *ms, void *from, void *to)
{
    BEGIN(r);
    const struct event *a = from, *b = to;

    if (ms == NULL)
        return runtime_end(r, cudaErrorInvalidValue);
    if (a == NULL || b == NULL || !a->recorded || !b->recorded)
        return runtime_end(r, cudaErrorInvalidResourceHandle);
    *ms = (float)((b->at_us - a->at_us) / 1e3);
    return runtime_end(r, cudaSuccess);
}

/* ---- errors ----------------------------------------------------------------------- */

static const struct {
    int number;
    const char *name, *text;
} errors[] = {
#define ERROR(name, number, text) {number, #name, text},
#include "tools/cudart/errors.def"
#undef ERROR
};

ENTRY(const char *, cudaGetErrorString, int error)
{
    for (size_t i = 0; i < sizeof errors / sizeof errors[0]; i++) {
        if (errors[i].number == error)
            return errors[i].text;
    }
    return "unrecognized error code";
}

ENTRY(const char *, cudaGetErrorName, int error)
{
    for (size_t i = 0; i < sizeof errors / sizeof errors[0]; i++) {
        if (errors[i].number == error)
            return errors[i].name;
    }
    return "unrecognized error code";
}

static int last_error_of(int forget)
{
    struct runtime *r = runtime_lock();
    int error = runtime_last_error(forget);

    return runtime_unlock(r, r->error != cudaSuccess ? r->error : error);
}

CALL(cudaGetLastError, void)
{
    return last_error_of(1);
}

CALL(cudaPeekAtLastError, void)
{
    return last_error_of(0);
}
