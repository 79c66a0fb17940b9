/* Kernels of tests/fixtures/run.cu, compiled for five generations, against the
 * same computations in C; and what must be refused, with its place. */
#include "traces/emulate/core/emulate.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/help_launch.h"
#include "tests/help_suite.h"
#include "traces/block/block.h"
#include "traces/emulate/core/args.h"

enum {
    GENERATIONS = 5,
    ARGS_MAX = 8
};

static const unsigned generation[GENERATIONS] = {75, 80, 86, 90, 120};

struct run {
    struct teg_cubin cubin;
    const struct teg_cubin_kernel *kernel;
    struct emu_device *device;
    struct emu_args args;
    struct emu_launch_facts facts;
    struct teg_diag d;
    uint64_t blocks, insts;
};

static void open_run_of(struct run *r, const char *file, unsigned sm,
                        const char *kernel)
{
    char path[64];

    memset(r, 0, sizeof *r);
    snprintf(path, sizeof path, "tests/fixtures/%s.sm_%u.cubin", file, sm);
    ck_assert_msg(teg_cubin_open(&r->cubin, path, &r->d) == TEG_OK, "%s: %s",
                  r->d.where, r->d.what);
    r->kernel = teg_cubin_find(&r->cubin, kernel);
    ck_assert_ptr_nonnull(r->kernel);
    ck_assert(emu_device_new(&r->device, &r->d) == TEG_OK);
    for (int i = 0; i < 3; i++)
        r->facts.grid[i] = r->facts.block[i] = 1;
}

static void open_run(struct run *r, unsigned sm, const char *kernel)
{
    open_run_of(r, "run", sm, kernel);
}

static void close_run(struct run *r)
{
    emu_args_release(&r->args);
    emu_device_free(r->device);
    teg_cubin_release(&r->cubin);
}

static teg_status set_args(struct run *r, const char *const *text, uint32_t n)
{
    teg_status status =
        emu_args_parse(&r->args, r->kernel, r->device, text, n, &r->d);

    r->facts.params = r->args.params;
    r->facts.param_bytes = r->args.param_bytes;
    return status;
}

/* Runs all blocks; counts what their trace holds. */
static teg_status run_all(struct run *r)
{
    struct teg_launch launch;
    struct teg_block *block;
    teg_status status =
        emu_launch(&r->cubin, r->kernel, r->device, &r->facts, &launch, &r->d);

    if (status != TEG_OK)
        return status;
    for (;;) {
        status = launch.next(launch.self, &block, &r->d);
        if (status != TEG_OK || block == NULL)
            break;
        r->blocks++;
        for (uint32_t s = 0; s < teg_block_warps(block); s++)
            r->insts += teg_block_warp_insts(block, s);
        teg_block_free(block);
    }
    launch.close(launch.self);
    return status;
}

static void must_run(struct run *r, const char *const *text, uint32_t n)
{
    teg_status status = set_args(r, text, n);

    if (status == TEG_OK)
        status = run_all(r);
    ck_assert_msg(status == TEG_OK, "%s: %s", r->d.where, r->d.what);
}

static void *buffer(struct run *r, uint32_t argument)
{
    return emu_device_at(r->device, r->args.buffer[argument].address,
                         r->args.buffer[argument].bytes);
}

/* The same contents as a buffer, before a run. */
static void *copy_of(const char *spec)
{
    struct teg_cubin_param p = {.size = 8};
    struct teg_cubin_kernel k = {
        .has_params = 1, .param_count = 1, .param = &p, .param_bytes = 8};
    struct emu_device *device;
    struct emu_args args = {0};
    struct teg_diag d;
    void *copy;

    ck_assert(emu_device_new(&device, &d) == TEG_OK);
    ck_assert(emu_args_parse(&args, &k, device, &spec, 1, &d) == TEG_OK);
    copy = malloc((size_t)args.buffer[0].bytes);
    memcpy(copy,
           emu_device_at(device, args.buffer[0].address, args.buffer[0].bytes),
           (size_t)args.buffer[0].bytes);
    emu_args_release(&args);
    emu_device_free(device);
    return copy;
}

START_TEST(saxpy_is_bit_exact)
{
    const char *args[] = {"i32:1000", "f32:1.75", "buf:f32:1000:random",
                          "buf:f32:1000:random,seed=2"};
    struct run r;
    float *x = copy_of(args[2]), *y = copy_of(args[3]), *got;

    open_run(&r, generation[_i], "saxpy");
    r.facts.grid[0] = 3;
    r.facts.block[0] = 96;
    must_run(&r, args, 4);
    got = buffer(&r, 3);
    for (int i = 0; i < 1000; i++)
        ck_assert(got[i] == fmaf(1.75f, x[i], y[i]));
    ck_assert_uint_eq(r.blocks, 3);
    free(x);
    free(y);
    close_run(&r);
}
END_TEST

START_TEST(shuffles_shared_memory_and_atomics_add_up)
{
    const char *args[] = {"buf:i32:1000:iota", "buf:i32:1000:random",
                          "buf:i32:1:zeros", "i32:1000"};
    struct run r;
    uint32_t *y = copy_of(args[1]), sum = 0;

    for (uint32_t i = 0; i < 1000; i++)
        sum += i * y[i];
    open_run(&r, generation[_i], "dot");
    r.facts.grid[0] = 8;
    r.facts.block[0] = 128;
    must_run(&r, args, 4);
    ck_assert_uint_eq(*(uint32_t *)buffer(&r, 2), sum);
    free(y);
    close_run(&r);
}
END_TEST

START_TEST(tiled_products_are_bit_exact)
{
    enum {
        M = 19,
        N = 21,
        K = 27
    };
    const char *args[] = {"buf:f32:513:random",
                          "buf:f32:567:random,seed=3",
                          "buf:f32:399:zeros",
                          "i32:19",
                          "i32:21",
                          "i32:27"};
    struct run r;
    float *a = copy_of(args[0]), *b = copy_of(args[1]), *c;

    open_run(&r, generation[_i], "matmul");
    r.facts.grid[0] = r.facts.grid[1] = 3;
    r.facts.block[0] = r.facts.block[1] = 8;
    must_run(&r, args, 6);
    c = buffer(&r, 2);
    for (int i = 0; i < M; i++) {
        for (int j = 0; j < N; j++) {
            float sum = 0;

            for (int k = 0; k < K; k++)
                sum = fmaf(a[i * K + k], b[k * N + j], sum);
            ck_assert(c[i * N + j] == sum);
        }
    }
    free(a);
    free(b);
    close_run(&r);
}
END_TEST

START_TEST(lanes_leave_a_loop_one_by_one)
{
    const char *args[] = {"buf:u32:200:iota", "buf:i32:200:zeros", "i32:200"};
    struct run r;
    int32_t *steps;

    open_run(&r, generation[_i], "collatz");
    r.facts.grid[0] = 4;
    r.facts.block[0] = 64;
    must_run(&r, args, 3);
    steps = buffer(&r, 1);
    for (uint32_t i = 0; i < 200; i++) {
        int32_t count = 0;

        for (uint32_t v = i; v > 1; count++)
            v = v & 1 ? 3 * v + 1 : v / 2;
        ck_assert_int_eq(steps[i], count);
    }
    close_run(&r);
}
END_TEST

START_TEST(histograms_count_every_byte)
{
    const char *args[] = {"buf:u8:3000:random", "buf:u32:256:zeros",
                          "i32:3000"};
    struct run r;
    uint8_t *in = copy_of(args[0]);
    uint32_t want[256] = {0};

    for (int i = 0; i < 3000; i++)
        want[in[i]]++;
    open_run(&r, generation[_i], "histogram");
    r.facts.grid[0] = 2;
    r.facts.block[0] = 256;
    must_run(&r, args, 3);
    ck_assert_mem_eq(buffer(&r, 1), want, sizeof want);
    free(in);
    close_run(&r);
}
END_TEST

static uint32_t reversed(uint32_t v)
{
    uint32_t out = 0;

    for (int i = 0; i < 32; i++)
        out |= (v >> i & 1) << (31 - i);
    return out;
}

START_TEST(integer_operations_are_exact)
{
    const char *args[] = {"buf:u32:100:random", "buf:u32:100:random,seed=5",
                          "buf:u32:1200:zeros", "i32:100"};
    struct run r;
    uint32_t *a = copy_of(args[0]), *b = copy_of(args[1]), *out;

    open_run(&r, generation[_i], "integers");
    r.facts.grid[0] = 2;
    r.facts.block[0] = 64;
    must_run(&r, args, 4);
    out = buffer(&r, 2);
    for (int i = 0; i < 100; i++) {
        uint32_t x = a[i], y = b[i], *o = out + 12 * i;
        int32_t sx = (int32_t)x, sy = (int32_t)y;
        uint64_t wide = (uint64_t)x * y;

        ck_assert_uint_eq(o[0], x / (y | 1));
        ck_assert_uint_eq(o[1], x % (y | 1));
        ck_assert_uint_eq(o[2], (uint32_t)(sx / (sy | 1)));
        ck_assert_uint_eq(o[3], (uint32_t)(wide >> 32));
        ck_assert_uint_eq(
            o[4], (uint32_t)(__builtin_popcount(x) + 100 * __builtin_clz(y)));
        ck_assert_uint_eq(o[5], reversed(x));
        ck_assert_uint_eq(o[6], x << (y & 31));
        ck_assert_uint_eq(o[7], (uint32_t)(sx >> (y & 31)));
        ck_assert_uint_eq(o[8],
                          (uint32_t)(sx < sy ? sx : sy) ^ (x > y ? x : y));
        ck_assert_uint_eq(o[9], (x & 255) | (y & 255) << 8 |
                                    (x >> 8 & 255) << 16 |
                                    (y >> 8 & 255) << 24);
        ck_assert_uint_eq(o[10], (uint32_t)((wide + x) >> 20));
        ck_assert_uint_eq(o[11],
                          (uint32_t)((x < y) + 2 * (sx < sy) + 4 * (x == y)));
    }
    free(a);
    free(b);
    close_run(&r);
}
END_TEST

/* Division and square root are sequences around an approximation; IEEE says
 * what must come out. */
START_TEST(double_precision_is_bit_exact)
{
    const char *args[] = {"buf:f64:100:random", "buf:f64:100:random,seed=7",
                          "buf:f64:500:zeros", "i32:100"};
    struct run r;
    double *a = copy_of(args[0]), *b = copy_of(args[1]), *out;

    open_run(&r, generation[_i], "doubles");
    r.facts.grid[0] = 2;
    r.facts.block[0] = 64;
    must_run(&r, args, 4);
    out = buffer(&r, 2);
    for (int i = 0; i < 100; i++) {
        const double *o = out + 5 * i;

        ck_assert_double_eq(o[0], a[i] / b[i]);
        ck_assert_double_eq(o[1], sqrt(a[i]));
        ck_assert_double_eq(o[2], fma(a[i], b[i], 0.1));
        ck_assert_double_eq(o[3], fmax(a[i], b[i]) - fmin(a[i], b[i]));
        ck_assert_double_eq(o[4], (double)(float)a[i] +
                                      (double)(long long)(b[i] * 1e6));
    }
    free(a);
    free(b);
    close_run(&r);
}
END_TEST

START_TEST(dynamic_shared_memory_and_barriers_scan)
{
    const char *args[] = {"buf:i32:256:random", "buf:i32:256:zeros"};
    struct run r;
    uint32_t *in = copy_of(args[0]), *out, sum = 0;

    open_run(&r, generation[_i], "scan");
    r.facts.block[0] = 256;
    r.facts.dynamic_shared = 1024;
    must_run(&r, args, 2);
    out = buffer(&r, 1);
    for (int i = 0; i < 256; i++)
        ck_assert_uint_eq(out[i], sum += in[i]);
    free(in);
    close_run(&r);
}
END_TEST

START_TEST(stacks_and_calls_work)
{
    const char *args[] = {"buf:i32:64:iota", "buf:u32:64:zeros"};
    struct run r;
    uint32_t *out;

    open_run(&r, generation[_i], "local");
    r.facts.block[0] = 64;
    must_run(&r, args, 2);
    out = buffer(&r, 1);
    for (uint32_t t = 0; t < 64; t++) {
        uint32_t f = 1, i = t & 15;

        for (uint32_t k = 2; k <= t % 7; k++)
            f *= k;
        ck_assert_uint_eq(out[t], t + i * i + f);
    }
    close_run(&r);
}
END_TEST

START_TEST(the_modules_variables_are_there)
{
    static const int32_t weights[4] = {3, 5, 7, 11};
    const char *args[] = {"buf:i32:40:zeros"};
    struct run r;
    int32_t *out;

    open_run(&r, generation[_i], "variables");
    r.facts.block[0] = 32;
    must_run(&r, args, 1);
    out = buffer(&r, 0);
    for (int t = 0; t < 32; t++)
        ck_assert_int_eq(out[t], weights[t & 3]);
    ck_assert_int_eq(out[32], 132);
    close_run(&r);
}
END_TEST

/* ---- refusals --------------------------------------------------------------- */

static void must_fail(const char *kernel, unsigned sm, const char *argument,
                      teg_status want, const char *where, const char *what)
{
    struct run r;

    open_run(&r, sm, kernel);
    r.facts.block[0] = 32;
    r.facts.limit.insts = 10000;
    ck_assert(set_args(&r, &argument, 1) == TEG_OK);
    ck_assert_int_eq(run_all(&r), want);
    ck_assert_msg(strstr(r.d.where, where) != NULL, "%s", r.d.where);
    ck_assert_msg(strstr(r.d.what, what) != NULL, "%s", r.d.what);
    close_run(&r);
}

START_TEST(an_access_out_of_bounds_is_named)
{
    /* lane 10 writes element 100 of 100 */
    must_fail("beyond", generation[_i], "buf:i32:100:zeros", TEG_LIMIT,
              "kernel beyond block 0,0,0 warp 0 lane 10 pc 0x",
              "4 bytes at 0x7f0000000190 of global memory are out of bounds");
}
END_TEST

START_TEST(a_misaligned_access_is_named)
{
    must_fail("misaligned", generation[_i], "buf:i8:200:zeros", TEG_LIMIT,
              "lane 0 pc 0x", "multiple of 4, found 0x7f0000000001");
}
END_TEST

START_TEST(an_endless_loop_ends)
{
    must_fail("endless", generation[_i], "buf:i32:1:zeros", TEG_LIMIT,
              "kernel endless", "more than 10000 instructions");
}
END_TEST

/* A second goes by whenever somebody asks. */
static double quick_clock(void)
{
    static _Atomic unsigned asked;

    return asked++;
}

static double standing_clock(void)
{
    return 1e6;
}

/* One warp without end, or many that are short. */
START_TEST(a_launch_gets_so_many_seconds)
{
    static const struct {
        const char *kernel, *argument[4];
        uint32_t arguments, grid, block;
    } runs[] = {
        {"endless", {"buf:i32:1:zeros"}, 1, 1, 32},
        {"saxpy",
         {"i32:4194304", "f32:1", "buf:f32:4194304:zeros",
          "buf:f32:4194304:zeros"},
         4,
         16384,
         256},
    };

    for (unsigned i = 0; i < 4; i++) {
        const char *kernel = runs[i / 2].kernel;
        struct run r;

        open_run(&r, generation[_i], kernel);
        r.facts.grid[0] = runs[i / 2].grid;
        r.facts.block[0] = runs[i / 2].block;
        r.facts.jobs = i % 2 == 0 ? 1 : 3;
        r.facts.limit.seconds = 3;
        r.facts.clock = quick_clock;
        ck_assert(set_args(&r, runs[i / 2].argument, runs[i / 2].arguments) ==
                  TEG_OK);
        ck_assert_int_eq(run_all(&r), TEG_LIMIT);
        ck_assert_msg(strstr(r.d.where, kernel) != NULL &&
                          strstr(r.d.where, " pc 0x") != NULL,
                      "%s", r.d.where);
        ck_assert_msg(strstr(r.d.what, "more than 3 seconds in one launch") !=
                          NULL,
                      "%s", r.d.what);
        close_run(&r);
    }
}
END_TEST

START_TEST(seconds_that_do_not_pass_end_nothing)
{
    static const char *const arguments[] = {"i32:1048576", "f32:1",
                                            "buf:f32:1048576:zeros",
                                            "buf:f32:1048576:zeros"};
    struct run r;

    open_run(&r, generation[_i], "saxpy");
    r.facts.grid[0] = 4096;
    r.facts.block[0] = 256;
    r.facts.limit.seconds = 1;
    r.facts.clock = standing_clock;
    must_run(&r, arguments, 4);
    close_run(&r);
}
END_TEST

START_TEST(a_limit_is_of_instructions_or_seconds)
{
    static const char *const bad[] = {
        "",    "0",     "0s",     "s",    "-1",         "1m", "30ss", "30s,",
        "1,2", "1s,2s", "1,2s,3", "1.5s", "1234567890", " 1", "1 "};
    static const struct {
        const char *text;
        struct emu_limit limit;
    } good[] = {{"100", {100000000, 0}},
                {"30s", {0, 30}},
                {"1,999999999s", {1000000, 999999999}},
                {"5s,2", {2000000, 5}}};
    struct emu_limit limit;

    for (unsigned i = 0; i < sizeof bad / sizeof bad[0]; i++)
        ck_assert_msg(!emu_limit_parse(&limit, bad[i]), "%s", bad[i]);
    for (unsigned i = 0; i < sizeof good / sizeof good[0]; i++) {
        ck_assert(emu_limit_parse(&limit, good[i].text));
        ck_assert_uint_eq(limit.insts, good[i].limit.insts);
        ck_assert_uint_eq(limit.seconds, good[i].limit.seconds);
    }
}
END_TEST

START_TEST(a_barrier_some_never_reach_is_named)
{
    must_fail("stuck", generation[_i], "buf:i32:32:zeros", TEG_DEADLOCK,
              "kernel stuck block 0,0,0 warp 0", "never come");
}
END_TEST

START_TEST(arguments_must_fit)
{
    static const struct {
        const char *text[ARGS_MAX];
        uint32_t count;
        const char *what;
    } bad[] = {
        {{"i32:1"}, 1, "expected 4 arguments, found 1"},
        {{"i64:1", "f32:1", "buf:f32:1:zeros", "buf:f32:1:zeros"},
         4,
         "expected 4 bytes for argument 0, found 8"},
        {{"i32:x", "f32:1", "buf:f32:1:zeros", "buf:f32:1:zeros"},
         4,
         "expected a value of type i32, found 'x'"},
        {{"i32:1", "f32:1", "buf:f32:0:zeros", "buf:f32:1:zeros"},
         4,
         "expected buf:TYPE:COUNT:FILL"},
        {{"i32:1", "f32:1", "buf:f32:1:ones", "buf:f32:1:zeros"},
         4,
         "found 'ones'"},
        {{"7", "f32:1", "buf:f32:1:zeros", "buf:f32:1:zeros"},
         4,
         "expected TYPE:VALUE"},
        {{"i32:1", "f32:1", "buf:f32:4:file=/nonexistent", "buf:f32:1:zeros"},
         4,
         "cannot open"},
    };

    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct run r;

        open_run(&r, 80, "saxpy");
        ck_assert(set_args(&r, bad[i].text, bad[i].count) != TEG_OK);
        ck_assert_msg(strstr(r.d.what, bad[i].what) != NULL, "%zu: %s", i,
                      r.d.what);
        close_run(&r);
    }
}
END_TEST

/* exec.cu: mixed(char, struct {char; double}, short, long long, double *) adds
 * them all up. */
START_TEST(members_of_a_struct_lie_as_in_c)
{
    const char *args[] = {"i8:1",  "i8:2",  "+f64:0.5",
                          "i16:3", "i64:4", "buf:f64:1:zeros"};
    struct run r;

    open_run_of(&r, "exec", generation[_i], "mixed");
    must_run(&r, args, 6);
    ck_assert(*(double *)buffer(&r, 5) == 10.5);
    close_run(&r);
}
END_TEST

START_TEST(members_of_a_struct_must_fill_it)
{
    static const struct {
        const char *pair[3];
        uint32_t count;
        const char *what;
    } bad[] = {
        {{"i8:2", "+f32:0.5"},
         2,
         "expected a struct of 16 bytes, found "
         "members of 8"},
        {{"i8:2", "+f64:0.5", "+i8:1"},
         3,
         "expected a struct of 16 bytes, found more with 'i8:1' at byte 16"},
        {{"i8:2", "i8:2", "+f64:0.5"}, 3, "expected 5 arguments, found 6"},
        {{"i8:2", "+map:f16:8x8:8x8:zeros"}, 2, "a tensor map inside"},
    };

    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        const char *args[8] = {"i8:1"};
        uint32_t n = 1;
        struct run r;

        for (uint32_t k = 0; k < bad[i].count; k++)
            args[n++] = bad[i].pair[k];
        args[n++] = "i16:3";
        args[n++] = "i64:4";
        args[n++] = "buf:f64:1:zeros";
        open_run_of(&r, "exec", 80, "mixed");
        ck_assert(set_args(&r, args, n) != TEG_OK);
        ck_assert_msg(strstr(r.d.what, bad[i].what) != NULL, "%zu: %s", i,
                      r.d.what);
        close_run(&r);
    }
}
END_TEST

START_TEST(shapes_must_be_possible)
{
    static const uint32_t shapes[][2] = {{0, 32}, {1, 0}, {1, 1025}};
    const char *args[] = {"i32:1", "f32:1", "buf:f32:1:zeros",
                          "buf:f32:1:zeros"};

    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        struct run r;

        open_run(&r, 80, "saxpy");
        r.facts.grid[0] = shapes[i][0];
        r.facts.block[0] = shapes[i][1];
        ck_assert(set_args(&r, args, 4) == TEG_OK);
        ck_assert_int_eq(run_all(&r), TEG_LIMIT);
        close_run(&r);
    }
}
END_TEST

/* What the hardware would trace: masks shrink as lanes leave, addresses are
 * the lanes', control codes are the compiler's. */
START_TEST(the_trace_shows_what_ran)
{
    const char *args[] = {"buf:u32:200:iota", "buf:i32:200:zeros", "i32:40"};
    struct run r;
    struct teg_launch launch;
    struct teg_block *block;
    struct teg_cursor c;
    struct teg_access a;
    int loads = 0, narrow = 0;

    open_run(&r, generation[_i], "collatz");
    r.facts.block[0] = 64;
    ck_assert(set_args(&r, args, 3) == TEG_OK);
    ck_assert(emu_launch(&r.cubin, r.kernel, r.device, &r.facts, &launch,
                         &r.d) == TEG_OK);
    ck_assert(launch.next(launch.self, &block, &r.d) == TEG_OK);
    ck_assert_uint_eq(launch.kernel->isa, generation[_i]);
    ck_assert_uint_gt(launch.kernel->registers, 0);
    ck_assert_uint_eq(teg_block_warps(block), 2);
    teg_cursor_init(&c, block, 1);
    while (teg_cursor_next(&c)) {
        const struct teg_inst *inst = &launch.kernel->program.inst[c.inst];

        ck_assert(inst->control.known);
        narrow |= c.mask != 0 && (c.mask & (c.mask - 1)) == 0;
        if (!teg_cursor_access(&c, &a) || (inst->flags & INST_LOAD) == 0)
            continue;
        /* threads 32 to 39 load elements 32 to 39 */
        loads++;
        ck_assert_uint_eq(a.mask, 0xff);
        ck_assert_uint_eq(teg_access_lane(&a, 7),
                          r.args.buffer[0].address + 4 * 39);
    }
    ck_assert_int_eq(loads, 1);
    ck_assert(narrow);
    teg_block_free(block);
    launch.close(launch.self);
    close_run(&r);
}
END_TEST

HELP_MAIN("traces/emulate", 60, {saxpy_is_bit_exact, GENERATIONS},
          {shuffles_shared_memory_and_atomics_add_up, GENERATIONS},
          {tiled_products_are_bit_exact, GENERATIONS},
          {lanes_leave_a_loop_one_by_one, GENERATIONS},
          {histograms_count_every_byte, GENERATIONS},
          {integer_operations_are_exact, GENERATIONS},
          {double_precision_is_bit_exact, GENERATIONS},
          {dynamic_shared_memory_and_barriers_scan, GENERATIONS},
          {stacks_and_calls_work, GENERATIONS},
          {the_modules_variables_are_there, GENERATIONS},
          {an_access_out_of_bounds_is_named, GENERATIONS},
          {a_misaligned_access_is_named, GENERATIONS},
          {an_endless_loop_ends, GENERATIONS},
          {a_launch_gets_so_many_seconds, HELP_ROUNDS(GENERATIONS)},
          {seconds_that_do_not_pass_end_nothing, HELP_ROUNDS(GENERATIONS)},
          {a_limit_is_of_instructions_or_seconds, 0},
          {a_barrier_some_never_reach_is_named, GENERATIONS},
          {arguments_must_fit, 0},
          {members_of_a_struct_lie_as_in_c, GENERATIONS},
          {members_of_a_struct_must_fill_it, 0}, {shapes_must_be_possible, 0},
          {the_trace_shows_what_ran, GENERATIONS})
