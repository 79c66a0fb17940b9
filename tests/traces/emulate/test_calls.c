/* Functions a kernel calls outside its cubin, modules that outlive a launch,
 * device memory that comes and goes: tests/fixtures/exec.cu, compiled for four
 * generations. */
#include "traces/emulate/core/emulate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/help_suite.h"

enum {
    GENERATIONS = 5
};

static const unsigned generation[GENERATIONS] = {75, 80, 86, 90, 120};

struct run {
    struct teg_cubin cubin;
    struct emu_device *device;
    struct emu_module module;
    struct emu_launch_facts facts;
    struct teg_diag d;
    char printed[512];
    uint64_t blocks; /* handed out */
};

static void keep_text(void *self, const char *text, size_t length)
{
    strncat(self, text, length);
}

static void open_code(struct run *r, const char *name, unsigned sm)
{
    char path[64];

    memset(r, 0, sizeof *r);
    snprintf(path, sizeof path, "tests/fixtures/%s.sm_%u.cubin", name, sm);
    ck_assert_msg(teg_cubin_open(&r->cubin, path, &r->d) == TEG_OK, "%s",
                  r->d.what);
    ck_assert(emu_device_new(&r->device, &r->d) == TEG_OK);
    ck_assert(emu_module_init(&r->module, &r->cubin, r->device, &r->d) ==
              TEG_OK);
    r->facts = (struct emu_launch_facts){.grid = {1, 1, 1},
                                         .block = {4, 1, 1},
                                         .module = &r->module,
                                         .outlet = {keep_text, r->printed}};
}

static void open_run(struct run *r, unsigned sm)
{
    open_code(r, "exec", sm);
}

static void close_run(struct run *r)
{
    emu_module_release(&r->module);
    emu_device_free(r->device);
    teg_cubin_release(&r->cubin);
}

static teg_status launch(struct run *r, const char *name, const void *params,
                         size_t bytes)
{
    const struct teg_cubin_kernel *k = teg_cubin_find(&r->cubin, name);
    struct teg_launch launch;
    struct teg_block *block = NULL;
    teg_status status;

    ck_assert_ptr_nonnull(k);
    r->facts.params = params;
    r->facts.param_bytes = bytes;
    r->blocks = 0;
    status = emu_launch(&r->cubin, k, r->device, &r->facts, &launch, &r->d);
    if (status != TEG_OK)
        return status;
    do {
        status = launch.next(launch.self, &block, &r->d);
        r->blocks += status == TEG_OK && block != NULL;
        if (status == TEG_OK && block != NULL)
            teg_block_free(block);
    } while (status == TEG_OK && block != NULL);
    launch.close(launch.self);
    return status;
}

START_TEST(printf_prints_what_c_would)
{
    struct {
        int n;
        float x;
    } params = {2, 3.14159f};
    char want[256];
    struct run r;
    int used = 0;

    for (int l = 0; l < 2; l++)
        used += snprintf(want + used, sizeof want - (size_t)used,
                         "lane %d of %s: %5.2f %-4x|%lld%%\n", l, "greet",
                         (double)params.x, l + 254, 1234567890123ll);
    open_run(&r, generation[_i]);
    ck_assert(launch(&r, "greet", &params, sizeof params) == TEG_OK);
    ck_assert_str_eq(r.printed, want);
    /* in the order of the blocks, each once, for any number of threads */
    r.facts.grid[0] = 3;
    r.facts.jobs = 3;
    ck_assert(launch(&r, "greet", &params, sizeof params) == TEG_OK);
    ck_assert_uint_eq(strlen(r.printed), 4 * strlen(want));
    for (int i = 0; i < 4; i++)
        ck_assert(strncmp(r.printed + i * used, want, (size_t)used) == 0);
    close_run(&r);
}
END_TEST

START_TEST(a_kernel_may_allocate_and_free)
{
    struct {
        uint64_t out;
        int n;
        int pad;
    } params = {.n = 5};
    const int *out;
    struct run r;

    open_run(&r, generation[_i]);
    ck_assert(emu_device_alloc(r.device, 16, &params.out, &r.d) == TEG_OK);
    ck_assert(launch(&r, "heap", &params, sizeof params) == TEG_OK);
    out = emu_device_at(r.device, params.out, 16);
    for (int l = 0; l < 4; l++)
        ck_assert_int_eq(out[l], l * (0 + 1 + 2 + 3 + 4));
    r.facts.grid[0] = 40;
    r.facts.jobs = 5;
    ck_assert(launch(&r, "heap", &params, sizeof params) == TEG_OK);
    out = emu_device_at(r.device, params.out, 16);
    for (int l = 0; l < 4; l++)
        ck_assert_int_eq(out[l], l * (0 + 1 + 2 + 3 + 4));
    /* a heap as large as the program says */
    r.facts.heap_bytes = 2 * 4 * 5;
    ck_assert(launch(&r, "heap", &params, sizeof params) == TEG_OK);
    out = emu_device_at(r.device, params.out, 16);
    ck_assert_int_eq(out[1], 0 + 1 + 2 + 3 + 4);
    ck_assert_int_eq(out[2], 0);
    r.facts.heap_bytes = 0;
    /* more than the heap has: malloc returns NULL, as on a GPU */
    params.n = 64 << 20;
    ck_assert(launch(&r, "heap", &params, sizeof params) == TEG_OK);
    ck_assert_int_eq(out[3], 0);
    close_run(&r);
}
END_TEST

/* Each call of deep.cu's keeps 16 bytes. */
START_TEST(a_stack_is_as_large_as_said)
{
    struct {
        uint64_t out;
        int n;
        int pad;
    } params = {.n = 1000};
    const struct teg_cubin_kernel *k;
    const int *out;
    struct run r;

    open_code(&r, "deep", _i == 0 ? 80 : 90);
    k = teg_cubin_find(&r.cubin, "deep");
    ck_assert(k->stack_is_open && k->local_bytes == 0);
    ck_assert(emu_device_alloc(r.device, 16, &params.out, &r.d) == TEG_OK);
    ck_assert(launch(&r, "deep", &params, sizeof params) != TEG_OK);
    ck_assert_msg(strstr(r.d.what, "of local memory are out of bounds"), "%s",
                  r.d.what);
    r.facts.stack_bytes = 16 * 1005;
    ck_assert(launch(&r, "deep", &params, sizeof params) == TEG_OK);
    out = emu_device_at(r.device, params.out, 16);
    for (int l = 0; l < 4; l++)
        ck_assert_int_eq(out[l], (1000 + l) * (1001 + l) / 2);
    close_run(&r);
}
END_TEST

START_TEST(a_failed_assert_names_its_place)
{
    int n = 3;
    struct run r;

    open_run(&r, generation[_i]);
    ck_assert(launch(&r, "claim", &n, sizeof n) != TEG_OK);
    ck_assert_msg(strstr(r.d.where, "kernel claim block 0,0,0 warp 0 lane 3"),
                  "%s", r.d.where);
    ck_assert_msg(strstr(r.d.what, "assertion `(int)threadIdx.x < n' failed"),
                  "%s", r.d.what);
    n = 4;
    ck_assert(launch(&r, "claim", &n, sizeof n) == TEG_OK);
    close_run(&r);
}
END_TEST

/* counter 0, start 40, chosen points to start, where is NULL; the kernel adds
 * one to start. */
START_TEST(variables_stay_from_launch_to_launch)
{
    uint64_t out, bytes = 0, start;
    const int *value;
    struct run r;

    open_run(&r, generation[_i]);
    ck_assert(emu_device_alloc(r.device, 16, &out, &r.d) == TEG_OK);
    value = emu_device_at(r.device, out, 16);
    r.facts.block[0] = 1;
    for (int i = 0; i < 3; i++) {
        ck_assert(launch(&r, "variables", &out, sizeof out) == TEG_OK);
        ck_assert_int_eq(value[0], 0);
        ck_assert_int_eq(value[1], 40 + i);
        ck_assert_int_eq(value[2], 40 + i);
        ck_assert_int_eq(value[3], 0);
    }
    start = emu_module_variable(&r.module, "start", &bytes);
    ck_assert_uint_eq(bytes, 4);
    ck_assert_int_eq(*(int *)emu_device_at(r.device, start, 4), 43);
    ck_assert_uint_eq(emu_module_variable(&r.module, "nothing", &bytes), 0);
    /* a launch with variables of its own begins anew */
    r.facts.module = NULL;
    ck_assert(launch(&r, "variables", &out, sizeof out) == TEG_OK);
    ck_assert_int_eq(value[1], 40);
    close_run(&r);
}
END_TEST

/* A module keeps a kernel's decoded code for its next launch: constants are the
 * launch's own all the same, also while another of the kernel is under way, and
 * with and without vectors in turns. */
START_TEST(launches_of_a_kernel_share_its_code)
{
    struct {
        int n;
        float x;
    } params = {1, 1};
    const struct teg_cubin_kernel *k;
    struct teg_launch open;
    struct teg_block *block;
    struct run r;

    open_run(&r, generation[_i]);
    k = teg_cubin_find(&r.cubin, "greet");
    ck_assert_ptr_nonnull(k);
    for (int i = 1; i <= 4; i++) {
        char want[64];

        params.x = (float)i;
        r.facts.params = (const uint8_t *)&params;
        r.facts.param_bytes = sizeof params;
        ck_assert(emu_launch(&r.cubin, k, r.device, &r.facts, &open, &r.d) ==
                  TEG_OK);
        /* then without room for it */
        if (i == 3)
            ck_assert(emu_device_keep(r.device, 1 << 17));
        for (int inner = 0; inner < 2; inner++) {
            params.x = (float)(10 * i + inner);
            r.facts.plain = inner;
            r.printed[0] = '\0';
            ck_assert(launch(&r, "greet", &params, sizeof params) == TEG_OK);
            snprintf(want, sizeof want, "lane 0 of greet: %5.2f ",
                     (double)params.x);
            ck_assert_msg(strncmp(r.printed, want, strlen(want)) == 0, "%s",
                          r.printed);
        }
        r.facts.plain = 0;
        r.printed[0] = '\0';
        ck_assert(open.next(open.self, &block, &r.d) == TEG_OK);
        ck_assert_ptr_nonnull(block);
        ck_assert_uint_gt(open.kernel->program.count, 0);
        teg_block_free(block);
        open.close(open.self);
        snprintf(want, sizeof want, "lane 0 of greet: %5.2f ", (double)i);
        ck_assert_msg(strncmp(r.printed, want, strlen(want)) == 0, "%s",
                      r.printed);
    }
    ck_assert(!emu_device_keep(r.device, 1));
    emu_device_forget(r.device, 1 << 17);
    ck_assert(emu_device_keep(r.device, 1));
    ck_assert(!emu_device_keep(r.device, 1 << 17));
    emu_device_forget(r.device, 1);
    close_run(&r);
}
END_TEST

START_TEST(all_blocks_run_and_the_chosen_are_handed_out)
{
    struct {
        uint64_t x, y;
        int n, pad;
    } params = {.n = 400};
    uint64_t bytes, insts = 0, counter;
    struct run r;

    open_run(&r, generation[_i]);
    ck_assert(emu_device_alloc(r.device, 1600, &params.x, &r.d) == TEG_OK);
    ck_assert(emu_device_alloc(r.device, 1600, &params.y, &r.d) == TEG_OK);
    counter = emu_module_variable(&r.module, "counter", &bytes);
    r.facts.grid[0] = 100;
    r.facts.from = 10;
    r.facts.to = 13;
    r.facts.warp_insts = &insts;
    ck_assert(launch(&r, "scale", &params, sizeof params) == TEG_OK);
    ck_assert_uint_eq(r.blocks, 3);
    ck_assert_int_eq(*(int *)emu_device_at(r.device, counter, 4), 400);
    ck_assert_uint_ge(insts, 100 * 8);
    close_run(&r);
}
END_TEST

/* Lane l leaves the loop at the first multiple of `step` not below l. */
START_TEST(votes_go_among_the_lanes_of_their_mask)
{
    struct {
        uint64_t out;
        int step, pad;
    } params = {.step = 5};
    const uint32_t *out;
    struct run r;

    open_run(&r, generation[_i]);
    ck_assert(emu_device_alloc(r.device, 128, &params.out, &r.d) == TEG_OK);
    r.facts.block[0] = 32;
    ck_assert_msg(launch(&r, "ballots", &params, sizeof params) == TEG_OK,
                  "%s: %s", r.d.where, r.d.what);
    out = emu_device_at(r.device, params.out, 128);
    for (int l = 0; l < 32; l++) {
        uint32_t sum = 0, half = l < 16 ? 0xffffu : 0xffff0000u;

        for (int i = 0;; i += params.step) {
            sum = sum * 3 + (half & (i < 31 ? 0xffffffffu << (i + 1) : 0));
            if (l <= i)
                break;
        }
        ck_assert_uint_eq(out[l], sum);
    }
    close_run(&r);
}
END_TEST

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t most(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* Half `h` of a word, with or without sign. */
static int64_t half(int v, int h, int with_sign)
{
    uint16_t bits = (uint16_t)((uint32_t)v >> 16 * h);

    return with_sign ? (int16_t)bits : bits;
}

static void extremes(int a, int b, int c, int n, int out[10])
{
    uint32_t ua = (uint32_t)a, ub = (uint32_t)b, uc = (uint32_t)c;
    uint32_t halves[3] = {0};

    for (int h = 0; h < 2; h++) {
        int64_t s = most(half(a, h, 1), most(half(b, h, 1), half(c, h, 1)));
        int64_t u = least(half(a, h, 0), least(half(b, h, 0), half(c, h, 0)));

        halves[0] |= (uint32_t)(uint16_t)s << 16 * h;
        halves[1] |= (uint32_t)(uint16_t)u << 16 * h;
        halves[2] |= (uint32_t)(uint16_t)most(s, 0) << 16 * h;
    }
    out[0] = (int)least(a, least(b, c));
    out[1] = (int)most(a, most(b, c));
    out[2] = (int)(uint32_t)least(ua, least(ub, uc));
    out[3] = (int)(uint32_t)most(ua, most(ub, uc));
    out[4] = (int)most(0, least(a, least(b, n)));
    for (int i = 0; i < 3; i++)
        out[5 + i] = (int)halves[i];
    out[8] = (int)most(a, most(b, 1000000));
    out[9] = (int)most(0, least((int)(ua + ub), c));
}

START_TEST(extremes_of_three_are_exact)
{
    struct {
        uint64_t x, out;
        int n, pad;
    } params = {.n = 70000};
    uint32_t state = 1;
    int want[10];
    const int *out;
    struct run r;
    int *x;

    open_run(&r, generation[_i]);
    ck_assert(emu_device_alloc(r.device, 34 * 4, &params.x, &r.d) == TEG_OK);
    ck_assert(emu_device_alloc(r.device, 1280, &params.out, &r.d) == TEG_OK);
    x = emu_device_at(r.device, params.x, 34 * 4);
    for (int i = 0; i < 34; i++) {
        state = state * 1664525u + 1013904223u;
        x[i] = (int)(i % 3 == 0 ? state >> 12 : state);
    }
    r.facts.block[0] = 32;
    ck_assert_msg(launch(&r, "extremes", &params, sizeof params) == TEG_OK,
                  "%s: %s", r.d.where, r.d.what);
    out = emu_device_at(r.device, params.out, 1280);
    for (int l = 0; l < 32; l++) {
        extremes(x[l], x[l + 1], x[l + 2], params.n, want);
        for (int i = 0; i < 10; i++)
            ck_assert_msg(out[10 * l + i] == want[i], "lane %d, %d: %d, not %d",
                          l, i, out[10 * l + i], want[i]);
    }
    close_run(&r);
}
END_TEST

/* How many buffers the launch used, SIZE_MAX if it cannot be repeated. */
static size_t watched(struct run *r, const char *name, uint64_t out,
                      struct emu_state *state)
{
    emu_device_watch(r->device);
    ck_assert(launch(r, name, &out, sizeof out) == TEG_OK);
    return emu_device_settle(r->device, state, 4);
}

START_TEST(who_may_be_repeated_is_known_by_its_buffers)
{
    struct emu_state state[4], later[4];
    uint64_t out, other;
    struct run r;
    int at;

    open_run(&r, generation[_i]);
    ck_assert(emu_device_alloc(r.device, 16, &out, &r.d) == TEG_OK);
    ck_assert(emu_device_alloc(r.device, 64, &other, &r.d) == TEG_OK);
    r.facts.block[0] = 1;
    /* it changes one of the variables it reads */
    ck_assert_uint_eq(watched(&r, "variables", out, state), SIZE_MAX);
    for (unsigned jobs = 1; jobs <= 3; jobs += 2) {
        struct {
            char a;
            double tag, value;
            short b;
            long long c;
            uint64_t out;
        } params = {.out = out};

        r.facts.jobs = jobs;
        r.facts.grid[0] = 4;
        emu_device_watch(r.device);
        ck_assert(launch(&r, "mixed", &params, sizeof params) == TEG_OK);
        /* the constants and what is written */
        ck_assert_uint_eq(emu_device_settle(r.device, state, 4), 2);
        at = state[1].address == out;
        ck_assert_uint_eq(state[at].address, out);
        ck_assert(emu_device_is_in(r.device, &state[at]));
        /* who reads leaves it so, a write elsewhere too; a write does not */
        ck_assert_ptr_nonnull(emu_device_peek(r.device, out, 16));
        ck_assert_ptr_nonnull(emu_device_at(r.device, other, 64));
        ck_assert(emu_device_is_in(r.device, &state[at]));
        ck_assert_ptr_nonnull(emu_device_at(r.device, out, 16));
        ck_assert(!emu_device_is_in(r.device, &state[at]));
        /* nor does another launch */
        emu_device_watch(r.device);
        ck_assert(launch(&r, "mixed", &params, sizeof params) == TEG_OK);
        ck_assert_uint_eq(emu_device_settle(r.device, later, 4), 2);
        ck_assert_uint_ne(later[at].state, state[at].state);
    }
    /* the host may write there without a word */
    emu_device_open(r.device, out);
    r.facts.jobs = 1;
    ck_assert_uint_eq(watched(&r, "variables", out, state), SIZE_MAX);
    close_run(&r);
}
END_TEST

START_TEST(device_memory_comes_and_goes)
{
    struct emu_device *device;
    struct teg_diag d;
    uint64_t a, b, c, left;
    char host[64] = "mapped";

    ck_assert(emu_device_new(&device, &d) == TEG_OK);
    ck_assert_ptr_null(emu_device_find(device, 1, &left));
    ck_assert(!emu_device_remove(device, 0));
    ck_assert(emu_device_alloc(device, 100, &a, &d) == TEG_OK);
    ck_assert(emu_device_alloc(device, 100, &b, &d) == TEG_OK);
    ck_assert(emu_device_map(device, 0x1000, host, 64, &d) == TEG_OK);
    ck_assert_ptr_eq(emu_device_at(device, 0x1000, 64), host);
    ck_assert_ptr_null(emu_device_at(device, 0x1000, 65));
    ck_assert_ptr_null(emu_device_at(device, 0xfff, 1));
    ck_assert_ptr_eq(emu_device_find(device, 0x1010, &left), host + 16);
    ck_assert_uint_eq(left, 48);
    /* what overlaps is refused: behind, before, around, inside */
    ck_assert(emu_device_map(device, 0x103f, host, 64, &d) == TEG_LIMIT);
    ck_assert(emu_device_map(device, 0xfc1, host, 64, &d) == TEG_LIMIT);
    ck_assert(emu_device_map(device, 0xff0, host, 128, &d) == TEG_LIMIT);
    ck_assert(emu_device_map(device, 0x1004, host, 4, &d) == TEG_LIMIT);
    ck_assert(emu_device_map(device, UINT64_MAX - 8, host, 64, &d) ==
              TEG_LIMIT);
    ck_assert(emu_device_map(device, 0x1040, host, 64, &d) == TEG_OK);
    ck_assert(emu_device_remove(device, a));
    ck_assert(!emu_device_remove(device, a));
    ck_assert(!emu_device_remove(device, b + 4));
    ck_assert_ptr_null(emu_device_at(device, a, 1));
    ck_assert_ptr_nonnull(emu_device_at(device, b, 100));
    ck_assert(emu_device_alloc(device, 8, &c, &d) == TEG_OK);
    ck_assert_uint_gt(c, b);
    ck_assert(emu_device_remove(device, 0x1000));
    ck_assert_ptr_null(emu_device_at(device, 0x1000, 1));
    ck_assert_ptr_eq(emu_device_at(device, 0x1040, 1), host);
    emu_device_free(device);
}
END_TEST

HELP_MAIN("traces/emulate/calls", 60, {printf_prints_what_c_would, GENERATIONS},
          {a_kernel_may_allocate_and_free, GENERATIONS},
          {a_stack_is_as_large_as_said, 2},
          {a_failed_assert_names_its_place, GENERATIONS},
          {variables_stay_from_launch_to_launch, GENERATIONS},
          {launches_of_a_kernel_share_its_code, GENERATIONS},
          {all_blocks_run_and_the_chosen_are_handed_out, GENERATIONS},
          {extremes_of_three_are_exact, GENERATIONS},
          {votes_go_among_the_lanes_of_their_mask, GENERATIONS},
          {who_may_be_repeated_is_known_by_its_buffers, GENERATIONS},
          {device_memory_comes_and_goes, 0})
