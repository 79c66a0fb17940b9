/* Votes, control flow, local memory and calls of tests/fixtures/kernels/
 * against the same in C. */
#include <stdlib.h>
#include <string.h>

#include "tests/help_kernel.h"
#include "tests/help_suite.h"

#define SM help_generation[_i]

/* ---- votes ------------------------------------------------------------------------- */

START_TEST(vote)
{
    enum {
        N = 50
    };
    struct help_kernel k;
    int *in;
    uint32_t *out;

    help_kernel_open(&k, SM, "k21_vote", "vote");
    in = help_buffer(&k, 4 * 64);
    out = help_buffer(&k, 48 * 64);
    help_int(&k, N);
    for (int i = 0; i < N; i++)
        in[i] = (int)(help_draw() % 9);
    help_run_kernel(&k, 2, 1, 32, 1);
    for (int i = 0; i < 64; i++) {
        uint32_t ballot = 0, same = 0, odd = 0, *o = out + 12 * i;
        int v[32], lane = i % 32, any = 0, first = 0;

        for (int l = 0; l < 32; l++) {
            int from = i / 32 * 32 + l;

            v[l] = from < N ? in[from] : 0;
        }
        for (int l = 0; l < 32; l++) {
            ballot |= (uint32_t)(v[l] > 3) << l;
            same |= (uint32_t)(v[l] == v[lane]) << l;
            odd |= (uint32_t)(v[l] & 1) << l;
            any |= v[l] == 7;
        }
        first = odd ? __builtin_ctz(odd) : 0;
        ck_assert_uint_eq(o[0], ballot);
        ck_assert_uint_eq(o[1], (uint32_t)any);
        ck_assert_uint_eq(o[2], 1);
        ck_assert_uint_eq(o[3], same);
        ck_assert_uint_eq(o[4], same == 0xffffffff ? same : 0);
        ck_assert_uint_eq(o[5], same == 0xffffffff);
        if (v[lane] & 1) {
            ck_assert_uint_eq(o[6], odd);
            ck_assert_uint_eq(o[7], (uint32_t)v[first]);
        }
        /* in groups of 8 lanes */
        ck_assert_uint_eq(o[8], (uint32_t)v[lane ^ 3] << 1);
        ck_assert_uint_eq(
            o[9], (uint32_t)__builtin_popcount(ballot & ((1u << lane) - 1)));
        ck_assert_uint_eq(o[10], ~((1u << lane) - 1));
        ck_assert_uint_eq(o[11], (uint32_t)v[(lane & 16) | (v[lane] & 15)]);
    }
    help_kernel_close(&k);
}
END_TEST

START_TEST(redux)
{
    struct help_kernel k;
    uint32_t *in, *out,
        want[8] = {0, UINT32_MAX, 0, UINT32_MAX, 0, 0, INT32_MAX, 0x80000000};

    if (SM < 80)
        return;
    help_kernel_open(&k, SM, "k21_vote", "redux");
    in = help_buffer(&k, 128);
    out = help_buffer(&k, 1024);
    for (int i = 0; i < 32; i++) {
        uint32_t v = in[i] = help_draw();

        want[0] += v;
        want[1] = v < want[1] ? v : want[1];
        want[2] = v > want[2] ? v : want[2];
        want[3] &= v;
        want[4] |= v;
        want[5] ^= v;
        want[6] = (int32_t)v < (int32_t)want[6] ? v : want[6];
        want[7] = (int32_t)v > (int32_t)want[7] ? v : want[7];
    }
    help_run_kernel(&k, 1, 1, 32, 1);
    for (int i = 0; i < 32; i++)
        ck_assert_mem_eq(out + 8 * i, want, sizeof want);
    help_kernel_close(&k);
}
END_TEST

/* ---- control flow, local memory, calls ---------------------------------------------- */

static int divergent_want(int v)
{
    int s = 0;

    for (int a = 0; a < (v & 15); a++) {
        if (a == 7)
            continue;
        for (int b = 0; b < a; b++) {
            if ((v >> b & 3) == 3)
                break;
            s += a * b;
            if (s > 1000)
                return s;
        }
        while (s & 1) {
            s = (int)((uint32_t)s * 5 + 3);
            if (s < 0)
                s = (int)-(uint32_t)s;
            if ((s & 0xff) == 0x11)
                s++;
            s >>= 1;
        }
    }
    return s;
}

START_TEST(divergent)
{
    enum {
        N = 500
    };
    struct help_kernel k;
    int *in, *out;

    help_kernel_open(&k, SM, "k24_control", "divergent");
    in = help_buffer(&k, 4 * N);
    out = help_buffer(&k, 4 * N);
    help_int(&k, N);
    for (int i = 0; i < N; i++)
        in[i] = (int)(help_draw() >> 1);
    help_run_kernel(&k, 4, 1, 128, 1);
    for (int i = 0; i < N; i++)
        ck_assert_int_eq(out[i], divergent_want(in[i]));
    help_kernel_close(&k);
}
END_TEST

START_TEST(switches)
{
    enum {
        N = 100
    };
    struct help_kernel k;
    int *in, *out;

    help_kernel_open(&k, SM, "k24_control", "sw");
    in = help_buffer(&k, 4 * N + 8);
    out = help_buffer(&k, 4 * N);
    help_int(&k, N);
    for (int i = 0; i < N; i++) {
        in[i] = (int)(help_draw() % 13);
        out[i] = i;
    }
    help_run_kernel(&k, 1, 1, 128, 1);
    for (int i = 0; i < N; i++) {
        const int v = in[i];
        const int want[] = {
            in[i + 1] * 3, in[i + 2] - 7,  v ^ in[0],
            v / 3,         in[3] << 2,     i,
            77 + in[7],    in[9] | 1,      __builtin_popcount((unsigned)in[2]),
            in[5] % 5,     in[11] + in[12]};

        ck_assert_int_eq(out[i], v > 10 ? -1 : want[v]);
    }
    help_kernel_close(&k);
}
END_TEST

START_TEST(collatz)
{
    enum {
        N = 300
    };
    struct help_kernel k;
    uint32_t *in;
    int *out;

    help_kernel_open(&k, SM, "k24_control", "collatz");
    in = help_buffer(&k, 4 * N);
    out = help_buffer(&k, 4 * N);
    help_int(&k, N);
    for (int i = 0; i < N; i++)
        in[i] = help_draw() >> i % 24;
    help_run_kernel(&k, 3, 1, 128, 1);
    for (int i = 0; i < N; i++) {
        int n = 0;

        for (uint64_t x = in[i]; x > 1; n++)
            x = x & 1 ? 3 * x + 1 : x >> 1;
        ck_assert_int_eq(out[i], n);
    }
    help_kernel_close(&k);
}
END_TEST

START_TEST(spinlock)
{
    enum {
        BLOCKS = HELP_ROUNDS(3)
    };
    struct help_kernel k;
    int *data;

    help_kernel_open(&k, SM, "k24_control", "spinlock");
    help_buffer(&k, 4);
    data = help_buffer(&k, 4);
    help_run_kernel(&k, BLOCKS, 1, 96, 1);
    ck_assert_int_eq(*data, BLOCKS * 96);
    help_kernel_close(&k);
}
END_TEST

START_TEST(local_arrays)
{
    enum {
        N = 100
    };
    struct help_kernel k;
    int *in, *out;
    char *bytes, *sums, v[64];
    int16_t w[16];
    double d[8];

    help_kernel_open(&k, SM, "k23_local_call", "local_array");
    in = help_buffer(&k, 4 * N);
    out = help_buffer(&k, 4 * N);
    help_int(&k, N);
    for (int i = 0; i < N; i++)
        in[i] = (int)(help_draw() % 1000);
    help_run_kernel(&k, 2, 1, 64, 1);
    for (int i = 0; i < N; i++) {
        int32_t a[32];
        uint32_t s = 0;

        for (int j = 0; j < 32; j++)
            a[j] = in[(i + j) % N];
        for (int j = 0; j < 32; j++) {
            int at = in[j] & 31, t = a[at];

            a[at] = a[31 - at];
            a[31 - at] = t + 1;
        }
        for (int j = 0; j < 32; j++)
            s = s * 3 + (uint32_t)a[j];
        ck_assert_uint_eq((uint32_t)out[i], s);
    }
    help_kernel_close(&k);

    help_kernel_open(&k, SM, "k23_local_call", "local_bytes");
    bytes = help_buffer(&k, 200);
    sums = help_buffer(&k, 64);
    help_int(&k, 150);
    for (int i = 0; i < 200; i++)
        bytes[i] = (char)(help_draw() % 100);
    help_run_kernel(&k, 1, 1, 64, 1);
    for (int i = 0; i < 64; i++)
        v[i] = bytes[i];
    for (int i = 0; i < 16; i++)
        w[i] = (int16_t)(bytes[i] * 3);
    for (int i = 0; i < 8; i++)
        d[i] = bytes[i];
    for (int i = 0; i < 150; i++) {
        v[bytes[i] & 63] = (char)(v[bytes[i] & 63] ^ bytes[i + 1]);
        w[bytes[i] & 15] = (int16_t)(w[bytes[i] & 15] + 1);
        d[bytes[i] & 7] += 1.5;
    }
    for (int i = 0; i < 64; i++)
        ck_assert_int_eq(sums[i], (char)(v[i] + w[i & 15] + (int)d[i & 7]));
    help_kernel_close(&k);
}
END_TEST

/* Lane l has place l of 32 in a row, whose places are as wide as the access:
 * STL.64 of a warp fills two lines. */
START_TEST(wide_local_accesses_lie_side_by_side)
{
    struct help_kernel k;
    struct teg_launch launch;
    struct teg_block *block;
    struct teg_cursor c;
    struct teg_access a;
    uint32_t seen = 0;

    help_kernel_open(&k, SM, "k23_local_call", "local_bytes");
    help_buffer(&k, 200);
    help_buffer(&k, 64);
    help_int(&k, 150);
    k.facts.block[0] = 64;
    k.facts.from = 0;
    ck_assert(emu_launch(&k.cubin, k.code, k.device, &k.facts, &launch, &k.d) ==
              TEG_OK);
    ck_assert(launch.next(launch.self, &block, &k.d) == TEG_OK);
    teg_cursor_init(&c, block, 1);
    while (teg_cursor_next(&c)) {
        const struct teg_inst *inst = &launch.kernel->program.inst[c.inst];
        uint32_t wide = inst->width > 4 ? inst->width : 4;

        if (inst->space != SPACE_LOCAL || !teg_cursor_access(&c, &a))
            continue;
        seen |= inst->width;
        for (uint32_t l = 0; l < TEG_LANES; l++)
            if (a.mask >> l & 1)
                ck_assert_uint_eq(teg_access_lane(&a, l) / wide % TEG_LANES, l);
    }
    ck_assert_uint_eq(seen, 1 | 2 | 8 | 16);
    teg_block_free(block);
    launch.close(launch.self);
    help_kernel_close(&k);
}
END_TEST

static int fib(int n)
{
    return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

START_TEST(calls)
{
    enum {
        N = 60
    };
    struct help_kernel k;
    int *in, *out;

    help_kernel_open(&k, SM, "k23_local_call", "calls");
    in = help_buffer(&k, 4 * N);
    out = help_buffer(&k, 4 * N);
    help_int(&k, N);
    for (int i = 0; i < N; i++)
        in[i] = (int)(help_draw() % 1000);
    help_run_kernel(&k, 1, 1, 64, 1);
    for (int i = 0; i < N; i++)
        ck_assert_int_eq(out[i], in[i] + i * 3 + i * in[i] + 1 +
                                     fib(in[i] & 7) +
                                     (in[i] & 1 ? in[i] * 2 + 1 : in[i] + 6));
    help_kernel_close(&k);
}
END_TEST

HELP_MAIN("traces/kernels_flow", 60, {vote, HELP_GENERATIONS},
          {redux, HELP_GENERATIONS}, {divergent, HELP_GENERATIONS},
          {switches, HELP_GENERATIONS}, {collatz, HELP_GENERATIONS},
          {spinlock, HELP_GENERATIONS}, {local_arrays, HELP_GENERATIONS},
          {wide_local_accesses_lie_side_by_side, HELP_GENERATIONS},
          {calls, HELP_GENERATIONS})
