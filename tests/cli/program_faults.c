/*
 * When a program learns of a kernel's fault: from the first call that waits for
 * the device, as NVIDIA's documentation of the runtime says of "error codes
 * from previous, asynchronous launches"; until then all goes well and nothing
 * is done.  From there on the error stays.
 */
#include "tests/cli/program.h"

#include <stdlib.h>
#include <string.h>

int cudaMemcpyAsync(void *to, const void *from, size_t bytes, int kind,
                    void *stream);
int cudaMemsetAsync(void *to, int value, size_t bytes, void *stream);
int cudaLaunchHostFunc(void *stream, void (*call)(void *), void *data);
int cudaStreamAddCallback(void *stream, void (*call)(void *, int, void *),
                          void *data, unsigned flags);
int cudaStreamQuery(void *stream);
int cudaEventQuery(void *event);
int cudaDeviceReset(void);
int cuCtxSynchronize(void);

static int *data, *pinned;

/* Stores beyond the end of `data`, which nobody hears of. */
static void go_beyond(void)
{
    int n = 100;
    void *args[] = {&data, &n};

    CHECK(cudaMalloc((void **)&data, 400) == 0);
    CHECK(cudaMallocHost((void **)&pinned, 400) == 0);
    memset(pinned, 7, 400);
    CHECK(launch(beyond, 1, 32, 0, args) == 0);
    CHECK(cudaGetLastError() == 0);
    CHECK(cudaPeekAtLastError() == 0);
}

static void count(void *calls)
{
    ++*(int *)calls;
}

static void note_error(void *stream, int error, void *to)
{
    (void)stream;
    *(int *)to = error;
}

/* What does not wait goes well, and does nothing. */
static void check_silence(void)
{
    int calls = 0, error = 0;
    void *event, *stream, *more;

    CHECK(cudaStreamCreate(&stream) == 0);
    CHECK(cudaEventCreate(&event) == 0);
    CHECK(launch(greet, 1, 4, 0, (void *[]){&(int){2}, &(float){1}}) == 0);
    /* what can be seen without the device still is */
    CHECK(launch(greet, 1, 1025, 0, (void *[]){&(int){2}, &(float){1}}) == 9);
    CHECK(cudaGetLastError() == 9);
    CHECK(cudaMemsetAsync(data, 0, 400, NULL) == 0);
    CHECK(cudaMemset(data, 0, 400) == 0);
    CHECK(cudaMemcpyAsync(pinned, data, 400, TO_HOST, NULL) == 0);
    CHECK(pinned[0] == 0x07070707);
    CHECK(cudaLaunchHostFunc(stream, count, &calls) == 0 && calls == 0);
    CHECK(cudaStreamAddCallback(stream, note_error, &error, 0) == 0);
    CHECK(error == ILLEGAL_ADDRESS);
    CHECK(cudaEventRecord(event, stream) == 0);
    CHECK(cudaMalloc(&more, 4) == 0);
    CHECK(cudaGetLastError() == 0);
}

void test_fault(void)
{
    int *more;

    go_beyond();
    check_silence();
    CHECK(cudaDeviceSynchronize() == ILLEGAL_ADDRESS);
    CHECK(cudaMalloc((void **)&more, 4) == ILLEGAL_ADDRESS);
    CHECK(cudaGetLastError() == ILLEGAL_ADDRESS);
    CHECK(cudaGetLastError() == ILLEGAL_ADDRESS);
}

/* One of the calls that wait; what it returns. */
static int wait_by(int call, void *stream, void *event)
{
    char pageable[400];
    float ms;

    switch (call) {
    case 0:
        return cudaStreamSynchronize(NULL);
    case 1:
        return cudaStreamQuery(NULL);
    case 2:
        return cudaEventSynchronize(event);
    case 3:
        return cudaEventQuery(event);
    case 4:
        return cudaEventElapsedTime(&ms, event, event);
    case 5:
        return cudaMemcpy(pageable, data, 400, TO_HOST);
    case 6:
        return cudaMemcpy(data, pinned, 400, TO_DEVICE);
    case 7:
        return cudaMemcpyAsync(pageable, data, 400, TO_HOST, stream);
    case 8:
        return cudaFree(data);
    case 9:
        return cudaFreeHost(pinned);
    case 10:
        return cudaDeviceReset();
    case 11:
        return cuCtxSynchronize();
    default:
        return cuMemcpyDtoH_v2(pageable, (uint64_t)data, 400);
    }
}

/* A process has one fault. */
void test_fault_heard(int by)
{
    void *stream, *event;

    CHECK(cudaStreamCreate(&stream) == 0);
    CHECK(cudaEventCreate(&event) == 0);
    CHECK(cudaEventRecord(event, stream) == 0);
    go_beyond();
    CHECK(wait_by(by, stream, event) == ILLEGAL_ADDRESS);
    CHECK(cudaStreamSynchronize(stream) == ILLEGAL_ADDRESS);
}

/* With CUDA_LAUNCH_BLOCKING=1 the launch itself waits. */
void test_fault_blocking(void)
{
    int n = 3;

    CHECK(launch(claim, 1, 2, 0, (void *[]){&n}) == 0);
    CHECK(launch(claim, 1, 4, 0, (void *[]){&n}) == 710);
    CHECK(cudaGetLastError() == 710);
}

void test_assert(void)
{
    int n = 3;

    CHECK(launch(claim, 1, 4, 0, (void *[]){&n}) == 0);
    CHECK(cudaGetLastError() == 0);
    CHECK(cudaDeviceSynchronize() == 710);
}

/* A step of 0 gets nowhere. */
void test_forever(void)
{
    int step = 0;
    void *out = NULL;

    CHECK(cudaMalloc(&out, 128) == 0);
    CHECK(launch(ballots, 1, 32, 0, (void *[]){&out, &step}) == 0);
    CHECK(cudaDeviceSynchronize() == 702);
}

/* The host's memory is none of the device's, whichever it is. */
static void try_host_memory(int *memory)
{
    int n = 0;
    void *args[] = {&memory, &n};

    memset(memory, 0, 32 * sizeof *memory);
    CHECK(launch(beyond, 1, 32, 0, args) == 0);
    CHECK(cudaDeviceSynchronize() == ILLEGAL_ADDRESS);
    for (int i = 0; i < 32; i++)
        CHECK(memory[i] == 0);
}

void test_host_stack(void)
{
    int memory[32];

    try_host_memory(memory);
}

void test_host_heap(void)
{
    int *memory = malloc(32 * sizeof *memory);

    if (memory != NULL)
        try_host_memory(memory);
    free(memory);
}

void test_host_static(void)
{
    static int memory[32];

    try_host_memory(memory);
}
