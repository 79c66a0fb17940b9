#include "tests/help_kernel.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/binary/fatbin.h"
#include "tests/help_dump.h"
#include "traces/block/block.h"

#ifdef HELP_SANITIZED
const unsigned help_generation[HELP_GENERATIONS] = {75, 90, 120};
#else
const unsigned help_generation[HELP_GENERATIONS] = {75, 80, 86, 90, 120};
#endif
const unsigned help_clustered[2] = {90, 120};

static uint32_t state = 1;

void help_draw_seed(uint32_t seed)
{
    state = seed * 2654435761u | 1;
}

uint32_t help_draw(void)
{
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    return state * 2654435761u;
}

float help_draw_float(void)
{
    return (float)(help_draw() >> 8) / 16777216.0f;
}

static void open_cubin(struct teg_cubin *c, unsigned sm, const char *file)
{
    struct teg_fatbin f;
    struct teg_diag d;
    char path[128];

    snprintf(path, sizeof path, "tests/fixtures/kernels/%s.fatbin", file);
    ck_assert_msg(teg_fatbin_open(&f, path, &d) == TEG_OK, "%s: %s", d.where,
                  d.what);
    for (uint32_t i = 0; i < f.count; i++) {
        if (f.entry[i].is_ptx || f.entry[i].sm != sm)
            continue;
        ck_assert_msg(teg_fatbin_cubin(&f, i, c, &d) == TEG_OK, "%s: %s",
                      d.where, d.what);
        teg_fatbin_release(&f);
        return;
    }
    ck_abort_msg("%s: no code for sm_%u", path, sm);
}

int help_kernel_has(unsigned sm, const char *file, const char *kernel)
{
    struct teg_cubin c;
    int has;

    open_cubin(&c, sm, file);
    has = teg_cubin_find(&c, kernel) != NULL;
    teg_cubin_release(&c);
    return has;
}

void help_kernel_open(struct help_kernel *k, unsigned sm, const char *file,
                      const char *kernel)
{
    memset(k, 0, sizeof *k);
    open_cubin(&k->cubin, sm, file);
    k->code = teg_cubin_find(&k->cubin, kernel);
    ck_assert_msg(k->code != NULL, "%s has no kernel %s", file, kernel);
    ck_assert(emu_device_new(&k->device, &k->d) == TEG_OK);
    for (int i = 0; i < 3; i++)
        k->facts.grid[i] = k->facts.block[i] = 1;
    k->facts.params = k->params;
    k->facts.param_bytes = k->code->param_bytes;
    k->facts.from = UINT64_MAX;
    help_draw_seed(1);
}

void help_kernel_close(struct help_kernel *k)
{
    emu_device_free(k->device);
    teg_cubin_release(&k->cubin);
}

void help_value(struct help_kernel *k, const void *value, size_t bytes)
{
    const struct teg_cubin_param *p = &k->code->param[k->argument];

    ck_assert_uint_lt(k->argument, k->code->param_count);
    ck_assert_uint_eq(p->size, bytes);
    memcpy(k->params + p->offset, value, bytes);
    k->argument++;
}

void *help_buffer_at(struct help_kernel *k, size_t bytes, size_t offset)
{
    uint64_t address, at;

    ck_assert_uint_lt(k->buffers, HELP_BUFFERS);
    ck_assert(emu_device_alloc(k->device, bytes, &address, &k->d) == TEG_OK);
    k->buffer[k->buffers].address = address;
    k->buffer[k->buffers].data = emu_device_at(k->device, address, bytes);
    k->buffer[k->buffers].bytes = bytes;
    at = address + offset;
    help_value(k, &at, sizeof at);
    return k->buffer[k->buffers++].data;
}

void *help_buffer(struct help_kernel *k, size_t bytes)
{
    return help_buffer_at(k, bytes, 0);
}

void help_int(struct help_kernel *k, int v)
{
    help_value(k, &v, sizeof v);
}

void help_float(struct help_kernel *k, float v)
{
    help_value(k, &v, sizeof v);
}

void help_double(struct help_kernel *k, double v)
{
    help_value(k, &v, sizeof v);
}

teg_status help_try_kernel(struct help_kernel *k)
{
    struct teg_launch launch;
    struct teg_block *block;
    teg_status status =
        emu_launch(&k->cubin, k->code, k->device, &k->facts, &launch, &k->d);

    if (status != TEG_OK)
        return status;
    status = launch.next(launch.self, &block, &k->d);
    ck_assert(status != TEG_OK || block == NULL);
    launch.close(launch.self);
    return status;
}

/* A sum over the bytes of all blocks' traces, in their order. */
static uint64_t trace_kernel(struct help_kernel *k)
{
    struct teg_launch launch;
    struct teg_block *block;
    const uint8_t *bytes;
    size_t size;
    uint64_t sum = 0xcbf29ce484222325u; /* FNV-1a */

    k->facts.from = 0;
    ck_assert_msg(emu_launch(&k->cubin, k->code, k->device, &k->facts, &launch,
                             &k->d) == TEG_OK,
                  "%s: %s", k->d.where, k->d.what);
    for (;;) {
        ck_assert_msg(launch.next(launch.self, &block, &k->d) == TEG_OK,
                      "%s: %s", k->d.where, k->d.what);
        if (block == NULL)
            break;
        bytes = teg_block_built(block, &launch.kernel->program, &size);
        ck_assert_ptr_nonnull(bytes);
        for (size_t i = 0; i < size; i++)
            sum = (sum ^ bytes[i]) * 0x100000001b3u;
        teg_block_free(block);
    }
    launch.close(launch.self);
    k->facts.from = UINT64_MAX;
    /* Every launch here has variables of its own, elsewhere. */
    return k->cubin.global_init.size + k->cubin.global_zero.size == 0 ? sum : 0;
}

/* Runs from the bytes of `before` and compares with those of `want`; returns
 * the trace's sum. */
static uint64_t run_again(struct help_kernel *k, uint8_t *const before[],
                          uint8_t *const want[], const char *what)
{
    uint64_t sum;

    for (uint32_t i = 0; i < k->buffers; i++)
        memcpy(k->buffer[i].data, before[i], k->buffer[i].bytes);
    sum = trace_kernel(k);
    for (uint32_t i = 0; i < k->buffers; i++)
        ck_assert_msg(memcmp(want[i], k->buffer[i].data, k->buffer[i].bytes) ==
                          0,
                      "%s: %s changes buffer %u", k->code->name, what, i);
    return sum;
}

void help_run_kernel(struct help_kernel *k, uint32_t grid_x, uint32_t grid_y,
                     uint32_t block_x, uint32_t block_y)
{
    uint8_t *before[HELP_BUFFERS], *plain[HELP_BUFFERS];
    uint64_t sum;

    k->facts.grid[0] = grid_x;
    k->facts.grid[1] = grid_y;
    k->facts.block[0] = block_x;
    k->facts.block[1] = block_y;
    for (uint32_t i = 0; i < k->buffers; i++) {
        before[i] = malloc(k->buffer[i].bytes);
        plain[i] = malloc(k->buffer[i].bytes);
        memcpy(before[i], k->buffer[i].data, k->buffer[i].bytes);
    }
    k->facts.plain = 1;
    ck_assert_msg(help_try_kernel(k) == TEG_OK, "%s: %s", k->d.where,
                  k->d.what);
    for (uint32_t i = 0; i < k->buffers; i++)
        memcpy(plain[i], k->buffer[i].data, k->buffer[i].bytes);
    k->facts.plain = 0;
    sum = run_again(k, before, plain, "vector code");
    k->facts.jobs = 2;
    ck_assert_msg(run_again(k, before, plain, "a second thread") == sum,
                  "%s: two threads change the trace", k->code->name);
    k->facts.jobs = 7;
    ck_assert_msg(run_again(k, before, plain, "a seventh thread") == sum,
                  "%s: seven threads change the trace", k->code->name);
    k->facts.jobs = 0;
    if (!k->ordered) {
        k->facts.order = (struct emu_order){.turns = EMU_BY_SEED, .seed = 1};
        run_again(k, before, plain, "another order of warps");
        k->facts.order = (struct emu_order){0};
    }
    for (uint32_t i = 0; i < k->buffers; i++) {
        free(before[i]);
        free(plain[i]);
    }
}

void help_expect_turns(struct help_kernel *k, const char *text)
{
    struct teg_launch launch;
    const char *found;

    ck_assert(emu_launch(&k->cubin, k->code, k->device, &k->facts, &launch,
                         &k->d) == TEG_OK);
    found = help_note(&launch.kernel->notes, EMU_NOTE_TURNS);
    ck_assert_msg((*found != '\0') == (text != NULL) &&
                      (text == NULL || strstr(found, text) != NULL),
                  "found '%s'", found);
    launch.close(launch.self);
}
