/* Warps that wait for each other: phases of mbarriers, bulk copies, named
 * barriers; and where an asynchronous copy writes. */
#include "tests/sim/engine/runs.h"

enum {
    BAR = 0x100, /* where the mbarrier lies */
    SYNCS_LATENCY = 23,
    ANSWER = 11, /* cycles from the end of a phase to who has asked for it */
    STEPS = 16,
};

static uint32_t init, arrive, test, load, sync_, block, exit_, alu;
static struct help_step step[2][STEPS];
static struct help_warp warp[2];
static uint64_t value[2 * STEPS][TEG_LANES + TEG_VALUES_MAX];
static uint32_t values;

static void setup_program(void)
{
    struct teg_program *p = &launch.kernel.program;

    setup();
    set_timing(CLASS_ATOMS, SYNCS_LATENCY, 1, 1);
    set_timing(CLASS_PHASE, ANSWER, 1, 1);
    set_timing(CLASS_BULK, 5, 1, 1);
    init = help_values(p, CLASS_ATOMS, SPACE_NONE, 0, VALUES_INIT);
    arrive = help_values(p, CLASS_ATOMS, SPACE_NONE, 0, VALUES_ARRIVE);
    test = help_values(p, CLASS_PHASE, SPACE_NONE, 0, VALUES_TEST);
    load = help_values(p, CLASS_BULK, SPACE_NONE, INST_LOAD, VALUES_BULK);
    sync_ =
        help_values(p, CLASS_BARRIER, SPACE_NONE, INST_BARRIER, VALUES_BARRIER);
    block = help_barrier(p);
    alu = help_arith(p, CLASS_FADD, 1, 2, 3, 255);
    exit_ = help_exit(p);
    memset(warp, 0, sizeof warp);
    values = 0;
    for (int w = 0; w < 2; w++)
        warp[w].step = step[w];
    launch.warp = warp;
    launch.blocks = 1;
    launch.warps_per_block = 2;
}

static void put(int w, uint32_t inst, uint32_t mask)
{
    step[w][warp[w].steps++] = (struct help_step){.inst = inst, .mask = mask};
}

static void put_values(int w, uint32_t inst, uint32_t mask, uint64_t a,
                       uint64_t b, uint64_t c, uint64_t d)
{
    uint64_t *v = value[values++];

    v[TEG_LANES] = a;
    v[TEG_LANES + 1] = b;
    v[TEG_LANES + 2] = c;
    v[TEG_LANES + 3] = d;
    put(w, inst, mask);
    step[w][warp[w].steps - 1].lane = v;
}

static void run_two(void)
{
    ck_assert_msg(run_on(1) == TEG_OK, "%s", diag.what);
}

/* The first issue of `inst` by warp `w`. */
static const struct sim_issue *issue_of(uint32_t w, uint32_t inst)
{
    for (uint32_t i = 0; i < heard.issues; i++) {
        if (heard.issue[i].stream == w && heard.issue[i].inst == inst)
            return &heard.issue[i];
    }
    ck_abort_msg("warp %u has not issued %u", w, inst);
    return NULL;
}

/* Warp 0 makes an mbarrier of `count` arrivals; then all meet. */
static void begin(uint64_t count)
{
    put_values(0, init, 1, BAR, count, 0, 0);
    put(0, block, UINT32_MAX);
    put(1, block, UINT32_MAX);
}

static void end(void)
{
    put(0, exit_, UINT32_MAX);
    put(1, exit_, UINT32_MAX);
}

START_TEST(a_phase_ends_when_its_last_arrival_has_come)
{
    const struct sim_issue *last, *after;

    setup_program();
    begin(33);
    put_values(0, arrive, UINT32_MAX, BAR, 1, 0, 0);
    put(0, alu, UINT32_MAX);
    put_values(0, arrive, 1, BAR, 1, 0, 0);
    put_values(1, test, 1, BAR, 0, 0, 0);
    put(1, alu, UINT32_MAX);
    end();
    run_two();
    last = issue_of(0, arrive) + 1;
    while (last->stream != 0 || last->inst != arrive)
        last++;
    after = issue_of(1, alu);
    ck_assert_uint_eq(after->cycle, last->cycle + SYNCS_LATENCY + ANSWER);
    /* all of the wait has one name */
    ck_assert_uint_eq(after->stall[STALL_LONG], after->cycle - after->arrived);
}
END_TEST

START_TEST(a_phase_that_was_over_holds_nobody)
{
    setup_program();
    begin(1);
    put_values(1, test, 1, BAR, 1, 0, 0);
    put(1, alu, UINT32_MAX);
    end();
    run_two();
    ck_assert_uint_eq(issue_of(1, alu)->stall[STALL_LONG], 0);
}
END_TEST

START_TEST(a_poll_that_failed_holds_nobody)
{
    setup_program();
    begin(1);
    put_values(1, test, 1, BAR, 2, 0, 0);
    put(1, alu, UINT32_MAX);
    end();
    run_two();
    ck_assert_uint_eq(issue_of(1, alu)->stall[STALL_LONG], 0);
}
END_TEST

/* 100 lines and a half from the middle of one on: more than a plan holds. */
START_TEST(a_phase_ends_when_its_bytes_have_come)
{
    const struct sim_issue *copy, *after;
    uint32_t bytes = 100 * 128 + 64;

    setup_program();
    begin(1);
    put_values(0, arrive, 1, BAR, 1, bytes, 0);
    put_values(0, load, 1, 0, 0x10040, bytes, BAR);
    put_values(1, test, 1, BAR, 0, 0, 0);
    put(1, alu, UINT32_MAX);
    end();
    run_two();
    copy = issue_of(0, load);
    after = issue_of(1, alu);
    ck_assert_uint_eq(after->cycle, copy->done + ANSWER);
    ck_assert_uint_gt(copy->done, copy->cycle + SYNCS_LATENCY);
    ck_assert_uint_eq(copy->busy, 1);
}
END_TEST

static struct sim_request copied;

static void on_copy(void *self, const struct sim_issue *e)
{
    (void)self;
    if (e->op_class == CLASS_BULK && e->request != NULL)
        copied = *e->request;
}

static void run_copy(void)
{
    struct teg_launch l;
    struct sim_listener listener = {.on_issue = on_copy};
    struct sim_engine_setup s = {.gpu = &gpu,
                                 .sms = gpu.chip.sms,
                                 .blocks_per_sm = 1,
                                 .listener = &listener,
                                 .listeners = 1};

    help_launch_open(&launch, &l);
    copied = (struct sim_request){0};
    ck_assert_msg(sim_engine_run(&l, &s, &outcome, &diag) == TEG_OK, "%s",
                  diag.what);
    help_launch_release(&launch);
}

START_TEST(a_copy_counts_what_it_moves)
{
    setup_program();
    put_values(0, load, 1, 0, 0x10040, 100 * 128 + 16, UINT64_MAX);
    end();
    run_copy();
    ck_assert_uint_eq(copied.transactions, 101);
    ck_assert_uint_eq(copied.useful_bytes, 100 * 128 + 16);
    /* the last sector is taken whole */
    ck_assert_uint_eq(copied.bytes, 100 * 128 + 32);
}
END_TEST

START_TEST(a_phase_that_never_ends_is_told)
{
    setup_program();
    begin(2);
    put_values(0, arrive, 1, BAR, 1, 64, 0);
    put_values(1, test, 1, BAR, 0, 0, 0);
    put(1, alu, UINT32_MAX);
    end();
    ck_assert(run_on(1) == TEG_DEADLOCK);
    ck_assert_str_eq(diag.where, "block 0,0,0");
    ck_assert_str_eq(diag.what,
                     "deadlock: warp 1 waits before pc 0x30 for phase 0 of the "
                     "mbarrier at 0x100 of shared memory, to which 1 arrivals "
                     "and 64 bytes never come");
}
END_TEST

/* Each of two warps by itself at a barrier of its own, of 32 threads. */
START_TEST(named_barriers_are_told_apart)
{
    setup_program();
    put_values(0, sync_, UINT32_MAX, 1, 32, 0, 0);
    put(0, alu, UINT32_MAX);
    for (int i = 0; i < 9; i++)
        put(1, alu, UINT32_MAX);
    put_values(1, sync_, UINT32_MAX, 2, 32, 0, 0);
    end();
    gpu.sm.barrier_latency = 7;
    run_two();
    ck_assert_uint_eq(issue_of(0, alu)->cycle, issue_of(0, sync_)->cycle + 7);
}
END_TEST

START_TEST(a_barrier_of_too_many_threads_is_told)
{
    setup_program();
    put_values(0, sync_, UINT32_MAX, 1, 96, 0, 0);
    put_values(1, sync_, UINT32_MAX, 1, 96, 0, 0);
    end();
    ck_assert(run_on(1) == TEG_DEADLOCK);
    ck_assert_str_eq(diag.what,
                     "deadlock: warp 0 waits at barrier 1 before pc 0x38 for "
                     "96 threads, but only 64 come");
}
END_TEST

/* Returns how long the unit is kept by a copy that writes lanes `stride` bytes
 * apart. */
static uint32_t busy_of_copy(int32_t stride)
{
    uint32_t copy;

    setup_program();
    gpu.shared.pass_interval = 2;
    copy = help_values(&launch.kernel.program, CLASS_LDGSTS, SPACE_GLOBAL,
                       INST_LOAD, VALUES_SHARED);
    launch.kernel.program.inst[copy].width = 4;
    put_values(0, copy, UINT32_MAX, 0, 0, 0, 0);
    step[0][0].stride = stride;
    for (uint32_t l = 0; l < TEG_LANES; l++)
        value[0][l] = 0x10000 + 4 * l;
    end();
    run_two();
    return issue_of(0, copy)->busy;
}

/* One pass of 2 cycles; lanes 128 bytes apart take 32. */
START_TEST(an_asynchronous_copy_conflicts_where_it_writes)
{
    ck_assert_uint_eq(busy_of_copy(4), 2);
    ck_assert_uint_eq(busy_of_copy(128), 64);
}
END_TEST

/* ---- of other blocks of the cluster ---------------------------------------- */

enum {
    NEXT = 1 << 24, /* of the block of the next rank */
    REMOTE_LATENCY = 100,
};

static uint32_t cluster_arrive, cluster_wait;

static void meet(int block_)
{
    put(block_, cluster_arrive, UINT32_MAX);
    put(block_, cluster_wait, UINT32_MAX);
}

/* Two blocks of a warp, on an SM each; the second makes an mbarrier of `count`
 * arrivals. */
static void begin_cluster(uint64_t count)
{
    setup_program();
    gpu.chip.sms = 2;
    gpu.chip.gpcs = gpu.chip.sms_per_tpc = 1;
    gpu.shared.remote_latency = REMOTE_LATENCY;
    cluster_arrive = help_cluster_arrive(&launch.kernel.program);
    cluster_wait = help_cluster_wait(&launch.kernel.program);
    for (int i = 0; i < 3; i++)
        launch.kernel.cluster[i] = i == 0 ? 2 : 1;
    launch.blocks = 2;
    launch.warps_per_block = 1;
    put_values(1, init, 1, BAR, count, 0, 0);
    meet(0);
    meet(1);
}

static const struct sim_issue *issue_of_block(uint64_t number, uint32_t inst)
{
    for (uint32_t i = 0; i < heard.issues; i++) {
        if (heard.issue[i].block == number && heard.issue[i].inst == inst)
            return &heard.issue[i];
    }
    ck_abort_msg("block %lu has not issued %u", (unsigned long)number, inst);
    return NULL;
}

START_TEST(an_arrival_from_another_block_crosses_the_network)
{
    begin_cluster(1);
    put_values(0, arrive, 1, NEXT + BAR, 1, 0, 0);
    put_values(1, test, 1, BAR, 0, 0, 0);
    put(1, alu, UINT32_MAX);
    end();
    ck_assert_msg(run_on(1) == TEG_OK, "%s", diag.what);
    ck_assert_uint_eq(issue_of_block(1, alu)->cycle,
                      issue_of_block(0, arrive)->cycle + REMOTE_LATENCY +
                          ANSWER);
}
END_TEST

/* Into both blocks at once: both may go on in the same cycle. */
START_TEST(a_copy_to_several_blocks_tells_each)
{
    begin_cluster(1);
    put_values(0, init, 1, BAR, 1, 0, 0);
    for (int w = 0; w < 2; w++) {
        put_values(w, arrive, 1, BAR, 1, 256, 0);
        if (w == 0)
            put_values(0, load, 1, 0x400, 0x10000, 256,
                       BAR | (uint64_t)3 << 32);
        put_values(w, test, 1, BAR, 0, 0, 0);
        put(w, alu, UINT32_MAX);
    }
    end();
    ck_assert_msg(run_on(1) == TEG_OK, "%s", diag.what);
    ck_assert_uint_eq(issue_of_block(0, alu)->cycle,
                      issue_of_block(1, alu)->cycle);
    ck_assert_uint_ge(issue_of_block(1, alu)->cycle,
                      issue_of_block(0, load)->cycle + REMOTE_LATENCY + ANSWER);
}
END_TEST

/* Of a pair one hears of what comes to both: it goes on, the other does not wait. */
START_TEST(one_of_a_pair_hears_of_both_copies)
{
    begin_cluster(1);
    put_values(0, init, 1, BAR, 1, 0, 0);
    put_values(0, arrive, 1, BAR, 1, 512, 0);
    put_values(0, load, 1, 0x400, 0x10000, 256,
               BAR | (uint64_t)1 << 32 | (uint64_t)1 << 48);
    put_values(0, test, 1, BAR, 0, 0, 0);
    put(0, alu, UINT32_MAX);
    put(1, alu, UINT32_MAX);
    end();
    ck_assert_msg(run_on(1) == TEG_OK, "%s", diag.what);
    ck_assert_uint_ge(issue_of_block(0, alu)->cycle,
                      issue_of_block(0, load)->cycle + REMOTE_LATENCY + ANSWER);
}
END_TEST

/* 4 lanes of 4 bytes, which the other block waits for. */
START_TEST(an_asynchronous_store_comes_with_its_bytes)
{
    uint32_t send;

    begin_cluster(1);
    send = help_values(&launch.kernel.program, CLASS_STS, SPACE_NONE, 0,
                       VALUES_SENT);
    put_values(0, send, 0xf, NEXT + 0x400, 4, NEXT + BAR, 0);
    put_values(1, arrive, 1, BAR, 1, 16, 0);
    put_values(1, test, 1, BAR, 0, 0, 0);
    put(1, alu, UINT32_MAX);
    end();
    ck_assert_msg(run_on(1) == TEG_OK, "%s", diag.what);
    ck_assert_uint_eq(issue_of_block(1, alu)->cycle,
                      issue_of_block(0, send)->cycle + REMOTE_LATENCY + ANSWER);
}
END_TEST

/* The first SM's block only waits for the second's, which waits for nobody. */
START_TEST(who_hangs_in_a_cluster_is_told)
{
    begin_cluster(2);
    put_values(0, arrive, 1, NEXT + BAR, 1, 0, 0);
    meet(0);
    put_values(1, test, 1, BAR, 0, 0, 0);
    meet(1);
    end();
    ck_assert(run_on(1) == TEG_DEADLOCK);
    ck_assert_str_eq(diag.where, "block 1,0,0");
    ck_assert_ptr_nonnull(strstr(diag.what, "to which 1 arrivals and 0 bytes"));
}
END_TEST

HELP_MAIN("sim/engine mbarriers", 60,
          {a_phase_ends_when_its_last_arrival_has_come, 0},
          {a_phase_that_was_over_holds_nobody, 0},
          {a_poll_that_failed_holds_nobody, 0},
          {a_phase_ends_when_its_bytes_have_come, 0},
          {a_copy_counts_what_it_moves, 0},
          {a_phase_that_never_ends_is_told, 0},
          {named_barriers_are_told_apart, 0},
          {a_barrier_of_too_many_threads_is_told, 0},
          {an_asynchronous_copy_conflicts_where_it_writes, 0},
          {an_arrival_from_another_block_crosses_the_network, 0},
          {a_copy_to_several_blocks_tells_each, 0},
          {one_of_a_pair_hears_of_both_copies, 0},
          {an_asynchronous_store_comes_with_its_bytes, 0},
          {who_hangs_in_a_cluster_is_told, 0})
