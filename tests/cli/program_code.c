/* The program's device code, tests/fixtures/exec.fatbin, as nvcc registers it. */
#include "tests/cli/program.h"

#include <stdlib.h>

__asm__(".pushsection .nv_fatbin, \"a\"\n"
        ".balign 8\n"
        ".globl program_fatbin\n"
        ".hidden program_fatbin\n"
        "program_fatbin: .incbin \"tests/fixtures/exec.fatbin\"\n"
        ".popsection\n");

static struct {
    uint32_t magic, version;
    const void *fatbin;
    void *rest;
} wrapper __attribute__((section(".nvFatBinSegment"))) = {0x466243B1, 1,
                                                          program_fatbin, NULL};

#define KERNEL(name) const char name[] = #name;
KERNEL(scale)
KERNEL(variables)
KERNEL(mixed)
KERNEL(greet)
KERNEL(heap)
KERNEL(claim)
KERNEL(beyond)
KERNEL(reverse)
KERNEL(ballots)
KERNEL(absent)

int counter, start;
float factor[2];
static void **handle;

static void unregister(void)
{
    __cudaUnregisterFatBinary(handle);
}

static void add_variable(void *host, const char *name, size_t bytes,
                         int constant)
{
    char copy[16];

    snprintf(copy, sizeof copy, "%s", name);
    __cudaRegisterVar(handle, host, copy, name, 0, bytes, constant, 0);
}

__attribute__((constructor)) static void register_all(void)
{
    static const char *const kernels[] = {scale,   variables, mixed,  greet,
                                          heap,    claim,     beyond, reverse,
                                          ballots, absent};
    char name[16];

    handle = __cudaRegisterFatBinary(&wrapper);
    for (size_t i = 0; i < sizeof kernels / sizeof kernels[0]; i++) {
        snprintf(name, sizeof name, "%s", kernels[i]);
        __cudaRegisterFunction(handle, kernels[i], name, kernels[i], -1, NULL,
                               NULL, NULL, NULL, NULL);
    }
    add_variable(&counter, "counter", sizeof counter, 0);
    add_variable(&start, "start", sizeof start, 0);
    add_variable(factor, "factor", sizeof factor, 1);
    __cudaRegisterFatBinaryEnd(handle);
    atexit(unregister);
}

int launch(const char *kernel, uint32_t grid, uint32_t block, size_t shared,
           void **args)
{
    struct dim3 g = {grid, 1, 1}, b = {block, 1, 1};
    void *made, *stream;

    if (__cudaPushCallConfiguration(g, b, shared, NULL) != 0)
        return 1;
    if (__cudaGetKernel(&made, kernel) != 0)
        return cudaPeekAtLastError();
    if (__cudaPopCallConfiguration(&g, &b, &shared, (void *)&stream) != 0)
        return 1;
    return __cudaLaunchKernel(made, g, b, args, shared, stream);
}
