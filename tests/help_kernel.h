/*
 * A kernel of tests/fixtures/kernels/ on the emulator: its arguments as C
 * values, its buffers as C arrays.
 *
 *     struct help_kernel k;
 *     help_kernel_open(&k, 80, "k01_vecadd", "vecadd");
 *     float *a = help_buffer(&k, n * sizeof *a);   (argument after argument)
 *     help_int(&k, n);
 *     help_run_kernel(&k, 4, 1, 256, 1);
 *
 * Each runs five times: without this machine's vectors, with them, on two and
 * seven threads, and with its warps interleaved; all must leave the same bytes,
 * and the threads' traces be those of one.
 */
#ifndef TEG_TESTS_HELP_KERNEL_H
#define TEG_TESTS_HELP_KERNEL_H

#include "tests/help_suite.h"
#include "traces/emulate/core/emulate.h"

/* The sanitizers have three: they look at the same code, ten times as long. */
enum {
#ifdef HELP_SANITIZED
    HELP_GENERATIONS = 3,
#else
    HELP_GENERATIONS = 5,
#endif
    HELP_BUFFERS = 16
};

extern const unsigned help_generation[HELP_GENERATIONS];
/* Those that have what sm_90 brought; a test of n cases runs 2 n times. */
extern const unsigned help_clustered[2];
#define HELP_CLUSTERED help_clustered[_i % 2]
#define HELP_CASE      (_i / 2)

struct help_kernel {
    struct teg_cubin cubin;
    const struct teg_cubin_kernel *code;
    struct emu_device *device;
    struct emu_launch_facts facts;
    struct teg_diag d;
    uint8_t params[4096];
    uint32_t argument;
    int ordered; /* what the kernel leaves depends on the order of warps */
    struct {
        uint64_t address;
        uint8_t *data;
        size_t bytes;
    } buffer[HELP_BUFFERS];
    uint32_t buffers;
};

/* Whether the file has the kernel for sm_`sm`. */
int help_kernel_has(unsigned sm, const char *file, const char *kernel);
void help_kernel_open(struct help_kernel *k, unsigned sm, const char *file,
                      const char *kernel);
void help_kernel_close(struct help_kernel *k);

/* The next argument: the address of a buffer of zeros, which is returned. */
void *help_buffer(struct help_kernel *k, size_t bytes);
/* Its address instead of that of its beginning. */
void *help_buffer_at(struct help_kernel *k, size_t bytes, size_t offset);
void help_value(struct help_kernel *k, const void *value, size_t bytes);
void help_int(struct help_kernel *k, int v);
void help_float(struct help_kernel *k, float v);
void help_double(struct help_kernel *k, double v);

/* Runs all blocks; a fault fails the test. */
void help_run_kernel(struct help_kernel *k, uint32_t grid_x, uint32_t grid_y,
                     uint32_t block_x, uint32_t block_y);
/* Runs once; the status. */
teg_status help_try_kernel(struct help_kernel *k);

/* The launch's trace says `text` of its blocks' turns; NULL: nothing. */
void help_expect_turns(struct help_kernel *k, const char *text);

/* Numbers that are always the same. */
uint32_t help_draw(void);
float help_draw_float(void); /* in [0, 1) */
void help_draw_seed(uint32_t seed);

#endif
