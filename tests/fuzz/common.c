#define _GNU_SOURCE /* memfd_create */
#include "tests/fuzz/common.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "config/gpu.h"

const char *fuzz_file(const uint8_t *data, size_t size)
{
    static char path[32];
    static int fd = -1;

    if (fd < 0)
        fd = memfd_create("fuzz", MFD_CLOEXEC);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    if (fd < 0 || ftruncate(fd, 0) != 0 ||
        pwrite(fd, data, size, 0) != (ssize_t)size)
        abort();
    return path;
}

const struct teg_gpu *fuzz_chip(void)
{
    static struct teg_gpu *gpu;
    struct teg_diag d;

    if (gpu == NULL && teg_gpu_load("config/v100.cfg", &gpu, &d) != TEG_OK)
        abort();
    return gpu;
}

struct fuzz_voices fuzz_hush(void)
{
    struct fuzz_voices voices;
    int nowhere = open("/dev/null", O_WRONLY);

    fflush(stdout);
    voices.out = dup(STDOUT_FILENO);
    voices.err = dup(STDERR_FILENO);
    dup2(nowhere, STDOUT_FILENO);
    dup2(nowhere, STDERR_FILENO);
    close(nowhere);
    return voices;
}

void fuzz_unhush(struct fuzz_voices voices)
{
    fflush(stdout);
    dup2(voices.out, STDOUT_FILENO);
    dup2(voices.err, STDERR_FILENO);
    close(voices.out);
    close(voices.err);
}

int fuzz_is_short(struct teg_launch *launch, uint64_t max)
{
    struct teg_block *block;
    struct teg_diag d;
    uint64_t insts = 0;

    while (launch->next(launch->self, &block, &d) == TEG_OK && block != NULL) {
        for (uint32_t i = 0; i < teg_block_warps(block); i++)
            insts += teg_block_warp_insts(block, i);
        teg_block_free(block);
        if (insts > max)
            return 0;
    }
    return 1;
}

void fuzz_walk_block(struct teg_block *block)
{
    struct teg_access access;
    struct teg_cursor c;
    uint64_t left = FUZZ_INSTS_MAX;

    for (uint32_t i = 0; i < teg_block_warps(block); i++) {
        teg_cursor_init(&c, block, i);
        while (left > 0 && teg_cursor_next(&c)) {
            teg_cursor_access(&c, &access);
            while (teg_cursor_value(&c, &access)) {
            }
            left--;
        }
    }
}

static void walk_launch(struct teg_launch *launch)
{
    struct teg_block *block;
    struct teg_diag d;

    for (uint32_t n = 0; n < 1024; n++) {
        if (launch->next(launch->self, &block, &d) != TEG_OK || block == NULL)
            break;
        fuzz_walk_block(block);
        teg_block_free(block);
    }
}

void fuzz_walk(const uint8_t *data, size_t size, unsigned formats)
{
    struct teg_trace_options options = {0};
    struct teg_launch launch;
    struct teg_trace *trace;
    struct teg_diag d;
    uint32_t kernels;

    if (teg_trace_open(fuzz_file(data, size), &options, &trace, &d) != TEG_OK)
        return;
    kernels = teg_trace_kernels(trace);
    if ((formats >> teg_trace_format(trace) & 1) == 0)
        kernels = 0;
    for (uint32_t i = 0; i < kernels && i < 4; i++) {
        if (teg_trace_launch(trace, i, &launch, &d) != TEG_OK)
            continue;
        walk_launch(&launch);
        if (launch.close != NULL)
            launch.close(launch.self);
    }
    teg_trace_close(trace);
}

/* ---- Check ---------------------------------------------------------------- */

/* What the tests' helpers say when something is wrong, without the library. */
void _mark_point(const char *file, int line);
TEG_PRINTF(4, 5)
void _ck_assert_failed(const char *file, int line, const char *expression,
                       const char *message, ...);

void _mark_point(const char *file, int line)
{
    (void)file;
    (void)line;
}

void _ck_assert_failed(const char *file, int line, const char *expression,
                       const char *message, ...)
{
    va_list arguments;

    fprintf(stderr, "%s:%d: %s: ", file, line, expression);
    va_start(arguments, message);
    if (message != NULL)
        vfprintf(stderr, message, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    abort();
}
