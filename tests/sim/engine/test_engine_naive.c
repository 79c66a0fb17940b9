/* The engine that skips and lets SMs run ahead, on one or more host threads,
 * against the one that does neither: random chips, random kernels, every issue
 * of every warp in the same cycle, every stall cycle under the same name. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/inst/atomic.h"
#include "isa/inst/values.h"
#include "sim/engine/engine.h"
#include "tests/help_gpu.h"
#include "tests/help_launch.h"
#include "tests/help_suite.h"
#include "tests/sim/engine/help_naive.h"
#include "tests/sim/engine/help_naive_tensor.h"
#include "tests/sim/engine/help_ring.h"
#include "tests/sim/memory/help_naive_memory.h"

enum {
    PER_TEST = HELP_ROUNDS(320),
    KERNELS = 8 * PER_TEST,
    BESIDE_PER_TEST = HELP_ROUNDS(40),
    BESIDE = 4 * BESIDE_PER_TEST, /* sets of launches */
    WARPS = NAIVE_WARPS_MAX,
    STEPS_MAX = HELP_RING_STEPS,
    LIMIT = 1000000,
    BLOCKS_MAX = 6,
};

/* Instructions that every random program begins with. */
enum {
    INST_AT_BARRIER,
    INST_AT_EXIT,
    INST_AT_CLUSTER_ARRIVE,
    INST_AT_CLUSTER_WAIT,
    INST_AT_LETS_GRIDS,
    INST_AT_WAITS_FOR_GRID,
    /* What a block's warps do together: meet, multiply. */
    INST_AT_MEETS,
    INST_AT_PRODUCTS,
    INSTS_FIXED = INST_AT_PRODUCTS + 3,
};

struct kernel {
    struct help_launch launch;
    struct help_warp warp[WARPS];
    struct help_step step[WARPS][STEPS_MAX];
    uint64_t scatter[16][TEG_LANES];
    uint64_t apart[16][TEG_LANES]; /* over the cluster's shared memories */
    uint64_t texels[16][TEG_LANES * (1 + TEG_VALUES_MAX)];
    uint64_t asleep[16][2 * TEG_LANES]; /* the second half: nanoseconds */
    uint64_t awaited[BLOCKS_MAX][16][TEG_LANES + 1]; /* by block, `before` */
    uint32_t before; /* blocks that a load of the one being made may await */
    uint32_t plain;  /* instructions that random steps are of */
    uint32_t words;  /* of memory that they touch */
    struct help_ring ring;
};

static uint32_t pick_reg(uint64_t *state)
{
    return help_below(state, 4) == 0 ? 255 : help_below(state, 6);
}

/* Copies, products, their groups and who waits for them, now and then for a
 * dependence barrier that nobody sets; fences. */
static void random_async(struct teg_program *p, uint64_t *state)
{
    uint16_t reg = (uint16_t)help_below(state, 6);
    struct teg_inst copy = {.op_class = CLASS_LDGSTS,
                            .space = SPACE_GLOBAL,
                            .flags = INST_LOAD,
                            .width = (uint16_t)(4u << help_below(state, 3)),
                            .src_count = 1,
                            .src = {{reg, 1}}};
    struct teg_inst plain = {.op_class = CLASS_MEMBAR};
    static const char *const fence[] = {"MEMBAR.SC.CTA", "MEMBAR.SC.GPU",
                                        "MEMBAR.ALL.SYS", "FENCE.VIEW.ASYNC.S"};
    uint32_t a = help_below(state, 6), b = help_below(state, 6);
    uint32_t n = help_below(state, 4);
    char text[64] = "LDGDEPBAR";

    switch (help_below(state, 12)) {
    case 0:
    case 1:
    case 2:
        help_inst(p, copy, "LDGSTS.E [R1], [R2]");
        return;
    case 10:
        help_inst(p, copy,
                  a < 3 ? "UTMASTG.2D [UR4], [UR8]"
                        : "UBLKCP.G.S [UR4], [UR8], UR2");
        return;
    case 11:
        snprintf(text, sizeof text, "UTMACMDFLUSH");
        break;
    case 3:
    case 4:
    case 5:
        snprintf(text, sizeof text, "WARPGROUP.DEPBAR.LE gsb%u, 0x%x", a % 2,
                 n);
        break;
    case 6:
        snprintf(text, sizeof text, "%s", fence[a % 4]);
        break;
    case 7:
        snprintf(text, sizeof text, "DEPBAR {%u,%u}", a, b);
        break;
    case 8:
        snprintf(text, sizeof text, "DEPBAR.LE SB%u, 0x%x%s", a % 3, n,
                 b == 0 ? ", {4,2}" : "");
        break;
    default:
        break;
    }
    help_inst(p, plain, text);
}

/* What warp groups do. */
static void random_products(struct teg_program *p, uint64_t *state)
{
    static const char *const text[] = {
        "HGMMA.64x8x16.F32 R1, gdesc[UR4], R1",
        "QGMMA.64x8x16.F32 R1, R1, gsb0",
        "HGMMA.64x8x16.F32 R1, gdesc[UR4], R1, gsb1"};

    help_inst(p, (struct teg_inst){.op_class = CLASS_MEMBAR},
              "WARPGROUP.ARRIVE");
    for (int i = 0; i < 3; i++) {
        uint16_t reg = (uint16_t)help_below(state, 6);
        const struct teg_inst product = {.op_class = CLASS_GMMA,
                                         .dst_count = 1,
                                         .dst = {{reg, 2}},
                                         .src_count = 2,
                                         .src = {{reg, 2}, {3, 1}}};

        help_inst(p, product, text[i]);
    }
}

/* The compiler's codes, on most instructions of some programs. */
static void random_control(struct teg_program *p, uint64_t *state, int async)
{
    /* 0: none; 2: short stall counts, of which a yield can be seen */
    uint32_t control = help_below(state, 3);

    for (uint32_t i = 0; control != 0 && i < p->count; i++) {
        if (help_below(state, 5) != 0)
            p->inst[i].control = (struct teg_control){
                .known = 1,
                .stall = (uint8_t)help_below(state, control == 1 ? 16 : 2),
                .yield = (uint8_t)help_below(state, 2),
                .write_barrier = (uint8_t)help_below(state, async ? 4 : 8),
                .read_barrier = (uint8_t)help_below(state, 8),
                .wait_mask = (uint8_t)help_below(state, 64),
            };
    }
}

/* Constants that instructions name: operands, and loads among them. */
static void random_constants(struct teg_program *p, uint64_t seed)
{
    uint64_t *state = &seed;
    struct teg_diag d;

    for (uint32_t i = INSTS_FIXED; i < p->count; i++) {
        char text[128];

        if (teg_inst_has_addresses(&p->inst[i]) || p->inst[i].group.does != 0 ||
            p->inst[i].space == SPACE_TEXTURE ||
            p->inst[i].fence != FENCE_NONE || help_below(state, 2) == 0)
            continue;
        if (help_below(state, 4) == 0) { /* which multiplies nothing */
            p->inst[i].op_class = CLASS_LDC;
            p->inst[i].tensor = (struct teg_tensor){0};
        }
        snprintf(text, sizeof text, "%s, c[0x%x][0x%x]",
                 teg_program_text(p, &p->inst[i]), help_below(state, 3),
                 4 * help_below(state, 64));
        ck_assert(teg_program_set_text(p, i, text, &d) == TEG_OK);
    }
}

/* Fetches from textures, of which some have their texels, and surfaces. */
static void random_texture(struct teg_program *p, uint64_t *state)
{
    int stores = help_below(state, 4) == 0;
    int surface = stores || help_below(state, 4) == 0;
    struct teg_regs reg = {(uint16_t)help_below(state, 6), 1};
    struct teg_inst inst = {
        .op_class = surface ? CLASS_SURFACE : CLASS_TEX,
        .space = SPACE_TEXTURE,
        .flags = stores ? INST_STORE : INST_LOAD,
        .values = help_below(state, 4) != 0 ? VALUES_TEXELS : VALUES_NONE,
    };

    if (stores)
        inst.src[inst.src_count++] = reg;
    else
        inst.dst[inst.dst_count++] = reg;
    help_inst(p, inst, stores ? "SUST.D.BA.2D.32" : "TEX");
}

/* A load past L1 that sees what another block writes. */
static void random_awaiting(struct teg_program *p, uint64_t *state)
{
    struct teg_inst inst = {.op_class = CLASS_LDG,
                            .space = SPACE_GLOBAL,
                            .flags = INST_LOAD | INST_BYPASS_L1,
                            .width = 4,
                            .values = VALUES_AWAITED};

    inst.dst[inst.dst_count++] =
        (struct teg_regs){(uint16_t)pick_reg(state), 1};
    help_inst(p, inst, "LDG.E.STRONG.GPU");
}

/* As long as its text says, or its lanes. */
static void random_sleeping(struct teg_program *p, uint64_t *state)
{
    struct teg_inst inst = {.op_class = CLASS_NOP};
    char text[32] = "NANOSLEEP R4";

    if (help_below(state, 2) == 0)
        inst.values = VALUES_SLEEP;
    else
        snprintf(text, sizeof text, "NANOSLEEP 0x%x", help_below(state, 300));
    help_inst(p, inst, text);
}

/* Returns whether there are copies and their groups. */
static int random_program(struct teg_program *p, uint64_t *state)
{
    static const struct {
        enum teg_op_class class_;
        enum teg_space space;
        uint16_t flags;
    } memory[] = {
        {CLASS_LDG, SPACE_GLOBAL, INST_LOAD},
        {CLASS_LDG, SPACE_GLOBAL, INST_LOAD | INST_BYPASS_L1},
        {CLASS_LDL, SPACE_LOCAL, INST_LOAD},
        {CLASS_STG, SPACE_GLOBAL, INST_STORE},
        {CLASS_ATOMG, SPACE_GLOBAL, INST_ATOMIC},
        {CLASS_RED, SPACE_GENERIC, INST_ATOMIC | INST_BYPASS_L1},
        {CLASS_ATOMS, SPACE_SHARED, INST_ATOMIC},
        {CLASS_LDS, SPACE_SHARED, INST_LOAD},
        {CLASS_STS, SPACE_SHARED, INST_STORE},
        {CLASS_LD, SPACE_GENERIC, INST_LOAD},
        {CLASS_ST, SPACE_GENERIC, INST_STORE},
        {CLASS_FADD, SPACE_SHARED, INST_OPERAND},
        {CLASS_LDC, SPACE_CONST, INST_LOAD | INST_INDEXED},
    };

    int async = help_below(state, 3) == 0;

    help_barrier(p);
    help_exit(p);
    help_cluster_arrive(p);
    help_cluster_wait(p);
    help_lets_grids(p);
    help_waits_for_grid(p);
    random_products(p, state);
    for (int i = 0; i < 12; i++) {
        if (async && help_below(state, 3) != 0) {
            random_async(p, state);
        } else if (help_below(state, 6) == 0) {
            random_texture(p, state);
        } else if (help_below(state, 12) == 0) {
            random_awaiting(p, state);
        } else if (help_below(state, 16) == 0) {
            random_sleeping(p, state);
        } else if (help_below(state, 2) == 0) {
            uint16_t dst = (uint16_t)pick_reg(state);
            const uint16_t src[3] = {(uint16_t)pick_reg(state),
                                     (uint16_t)pick_reg(state),
                                     (uint16_t)pick_reg(state)};

            enum teg_op_class any = help_below(state, TEG_CLASSES);

            help_arith_reuse(p, any == CLASS_GMMA ? CLASS_HMMA : any, dst, src,
                             help_below(state, 8));
        } else {
            uint32_t m = help_below(state, sizeof memory / sizeof memory[0]);

            help_memory(p, memory[m].class_, memory[m].space, memory[m].flags,
                        (uint16_t)(1u << help_below(state, 5)),
                        (uint16_t)help_below(state, 6),
                        (uint16_t)pick_reg(state));
            p->inst[p->count - 1].atomic =
                (uint8_t)help_below(state, ATOMIC_COUNT + 1);
        }
    }
    for (uint32_t i = 0; i < p->count; i++) {
        if (teg_op_class_is_tensor(p->inst[i].op_class))
            p->inst[i].tensor = help_tensor_random(state);
    }
    random_constants(p, *state);
    return async;
}

static uint32_t random_mask(uint64_t *state)
{
    switch (help_below(state, 6)) {
    case 0:
        return 0;
    case 1:
        return (uint32_t)help_random(state);
    default:
        return UINT32_MAX;
    }
}

/* What goes to shared memory may go to that of other blocks, lanes to several:
 * as many as the blocks of a cluster, and then some. */
static void reach_others(struct kernel *k, struct help_step *s, uint64_t *state)
{
    uint32_t blocks = k->launch.kernel.cluster[0] + 1;

    if (k->launch.kernel.shared_base == 0 || blocks < 3)
        return;
    if (help_below(state, 4) == 0)
        s->lane = k->apart[help_below(state, 16)];
    else if (s->lane == NULL)
        s->base += (uint64_t)TEG_WINDOW_BYTES * help_below(state, blocks);
}

static struct help_step random_step(struct kernel *k, uint64_t *state)
{
    static const int32_t strides[] = {0, 4, 8, 4, 12, 64, 128, -4};
    struct help_step s = {
        .inst = INSTS_FIXED + help_below(state, k->plain - INSTS_FIXED),
        .mask = random_mask(state),
        /* far enough from 0 for a falling stride */
        .base = 4 * (TEG_LANES + help_below(state, k->words)),
        .stride = strides[help_below(state, 8)],
    };

    if (help_below(state, 4) == 0)
        s.lane = k->scatter[help_below(state, 16)];
    if (k->launch.kernel.program.inst[s.inst].space == SPACE_GENERIC)
        reach_others(k, &s, state);
    if (k->launch.kernel.program.inst[s.inst].values == VALUES_TEXELS)
        s.lane = k->texels[help_below(state, 16)];
    if (k->launch.kernel.program.inst[s.inst].values == VALUES_AWAITED) {
        s.lane = k->awaited[k->before][help_below(state, 16)];
        s.stride = 0;
    }
    if (k->launch.kernel.program.inst[s.inst].values == VALUES_SLEEP)
        s.lane = k->asleep[help_below(state, 16)];
    return s;
}

static uint32_t add_fixed(struct kernel *k, uint32_t warp, uint32_t n,
                          uint32_t inst, uint32_t mask)
{
    k->step[warp][n] = (struct help_step){inst, mask, 0, 0, NULL};
    return n + 1;
}

/* Rounds of coming to the cluster's barrier, at times half of the lanes after
 * the others, some work, and waiting there; a warp may end anywhere between,
 * for nobody waits for those. */
static uint32_t add_cluster_rounds(struct kernel *k, uint32_t warp, uint32_t n,
                                   uint64_t *state)
{
    for (uint32_t round = help_below(state, 3); round != 0; round--) {
        int apart = help_below(state, 4) == 0;

        n = add_fixed(k, warp, n, INST_AT_CLUSTER_ARRIVE,
                      apart ? 0xffff : UINT32_MAX);
        for (uint32_t j = help_below(state, 3); j != 0; j--)
            k->step[warp][n++] = random_step(k, state);
        if (apart)
            n = add_fixed(k, warp, n, INST_AT_CLUSTER_ARRIVE, 0xffff0000);
        if (round == 1 && help_below(state, 4) == 0)
            return n;
        n = add_fixed(k, warp, n, INST_AT_CLUSTER_WAIT, UINT32_MAX);
    }
    return n;
}

/* Blocks of a cluster, as many as the chip has places for in each group. */
static uint32_t random_cluster(const struct teg_gpu *gpu, uint32_t warps,
                               uint32_t blocks_per_sm, uint64_t *state)
{
    uint32_t blocks = gpu->sm.warps_max / warps;
    uint32_t places = gpu->chip.sms / gpu->chip.gpcs *
                      (blocks < blocks_per_sm ? blocks : blocks_per_sm);
    uint32_t cluster = help_below(state, 5);

    return cluster < places ? cluster : places;
}

static struct help_step ring_filler(void *self)
{
    struct kernel *k = self;

    return random_step(k, k->ring.state);
}

/* Warps of a block that wait for each other by mbarriers. */
static void random_ring(struct kernel *k, uint32_t block)
{
    uint32_t warps = k->launch.warps_per_block, at = block * warps;
    uint32_t count[WARPS];

    uint32_t cluster = k->launch.kernel.cluster[0];

    /* A cluster that is not whole has no neighbors to count on. */
    if (cluster > 1 && warps > 1 && k->launch.blocks % cluster == 0)
        help_ring_cluster_block(&k->ring, warps, block % cluster, cluster,
                                &k->step[at], count);
    else
        help_ring_block(&k->ring, warps, &k->step[at], count);
    for (uint32_t w = 0; w < warps; w++) {
        k->step[at + w][count[w]] =
            (struct help_step){INST_AT_EXIT, UINT32_MAX, 0, 0, NULL};
        k->warp[at + w] = (struct help_warp){k->step[at + w], count[w] + 1};
    }
}

/* Products that all warps of a block have, one behind the other, between what
 * each does alone; `round` says which. */
static uint32_t add_products(struct kernel *k, uint32_t warp, uint32_t n,
                             uint64_t round, uint64_t *state)
{
    for (; round != 0; round >>= 2) {
        struct help_step own = random_step(k, state);

        /* Whom another block lets wait would let its own group wait. */
        if (help_below(state, 2) &&
            k->launch.kernel.program.inst[own.inst].values != VALUES_AWAITED)
            k->step[warp][n++] = own;
        n = add_fixed(k, warp, n, INST_AT_MEETS + (round & 3), UINT32_MAX);
    }
    return n;
}

/* Warps that do what they like between the block's barriers. */
static void random_block(struct kernel *k, uint32_t block, uint64_t *state)
{
    uint32_t warps = k->launch.warps_per_block;
    uint32_t barriers = help_below(state, 3);
    /* They meet first: until then one may wait for another block. */
    uint64_t round = help_below(state, 2) ? 4 * help_below(state, 1 << 12) : 0;

    for (uint32_t w = 0; w < warps; w++) {
        uint32_t at = block * warps + w, n = 0;

        for (uint32_t i = 0; i <= barriers; i++) {
            for (uint32_t j = help_below(state, 8); j != 0; j--)
                k->step[at][n++] = random_step(k, state);
            if (help_below(state, 6) == 0)
                n = add_fixed(k, at, n, INST_AT_LETS_GRIDS, random_mask(state));
            if (help_below(state, 6) == 0)
                n = add_fixed(k, at, n, INST_AT_WAITS_FOR_GRID,
                              random_mask(state));
            if (i != barriers)
                k->step[at][n++] =
                    (struct help_step){INST_AT_BARRIER, UINT32_MAX, 0, 0, NULL};
        }
        n = add_products(k, at, n, round, state);
        n = add_cluster_rounds(k, at, n, state);
        /* A few end without EXIT, where nobody waits for them. */
        if (barriers != 0 || help_below(state, 8) != 0)
            k->step[at][n++] =
                (struct help_step){INST_AT_EXIT, UINT32_MAX, 0, 0, NULL};
        k->warp[at] = (struct help_warp){k->step[at], n};
    }
}

/* What lanes touch of a texture: neighbors, or texels far apart; some nothing,
 * some formats that there are not. */
static void random_texels(struct kernel *k, uint64_t *value, uint64_t *state)
{
    uint32_t texels = 1u << help_below(state, 4),
             pitch = help_below(state, 999);
    uint64_t bytes = 1u << help_below(state, 5);
    int scattered = help_below(state, 4) == 0;

    for (uint32_t l = 0; l < TEG_LANES; l++) {
        uint64_t *of = value + TEG_LANES + l;
        uint64_t at = scattered ? help_below(state, 4 * k->words) : l;

        of[0] = bytes | help_below(state, 2) << TEG_TEXEL_FILTER_BIT;
        if (help_below(state, 99) == 0)
            of[0] = help_below(state, 600);
        for (uint32_t i = 0; i < TEG_TEXELS_MAX; i++)
            of[TEG_LANES * (i + 1)] =
                i < texels && help_below(state, 16) != 0
                    ? bytes * (at + i % 2 + i / 2 * (uint64_t)pitch)
                    : UINT64_MAX;
    }
}

/* What a block writes that stands before those that wait for it: else nobody
 * might go on.  Some warps do not write as often. */
static void random_awaited(const struct kernel *k, uint64_t *value,
                           uint64_t *state)
{
    uint64_t at = 4 * help_below(state, k->words);

    for (uint32_t l = 0; l < TEG_LANES; l++)
        value[l] = at + 4 * l;
    value[TEG_LANES] =
        k->before == 0 || help_below(state, 8) == 0
            ? 0
            : teg_awaited(help_below(state, k->before),
                          help_below(state, k->launch.warps_per_block),
                          1 + help_below(state, 6));
}

static void random_kernel(struct kernel *k, const struct teg_gpu *gpu,
                          uint32_t blocks_per_sm, uint64_t *state)
{
    uint32_t warps = 1 + help_below(state, 4);
    int rings = help_below(state, 3) == 0, async;

    memset(k, 0, sizeof *k - sizeof k->ring);
    if (warps > gpu->sm.warps_max)
        warps = gpu->sm.warps_max;
    /* Few lines, which warps have in common, or many. */
    k->words = help_below(state, 2) ? 4096 : 256;
    async = random_program(&k->launch.kernel.program, state);
    k->plain = k->launch.kernel.program.count;
    k->ring.state = state;
    k->ring.filler = ring_filler;
    k->ring.self = k;
    k->ring.block_barrier = INST_AT_BARRIER;
    k->ring.cluster_arrive = INST_AT_CLUSTER_ARRIVE;
    k->ring.cluster_wait = INST_AT_CLUSTER_WAIT;
    help_ring_program(&k->ring, &k->launch.kernel.program);
    random_control(&k->launch.kernel.program, state, async);
    k->launch.kernel.shared_base = help_below(state, 2) ? 1 : 0;
    k->launch.warp = k->warp;
    k->launch.warps_per_block = warps;
    k->launch.blocks = 1 + help_below(state, BLOCKS_MAX);
    k->launch.kernel.cluster[0] =
        random_cluster(gpu, warps, blocks_per_sm, state);
    k->launch.kernel.cluster[1] = k->launch.kernel.cluster[2] = 1;
    for (int i = 0; i < 16; i++) {
        for (int l = 0; l < TEG_LANES; l++)
            k->scatter[i][l] = 4 * help_below(state, k->words / 2);
    }
    for (int i = 0; i < 16; i++) {
        for (int l = 0; l < TEG_LANES; l++)
            k->apart[i][l] =
                4 * help_below(state, 64) + 4 +
                (uint64_t)TEG_WINDOW_BYTES *
                    help_below(state, k->launch.kernel.cluster[0] + 1);
    }
    for (int i = 0; i < 16; i++)
        random_texels(k, k->texels[i], state);
    for (int i = 0; i < 16; i++) {
        for (int l = 0; l < TEG_LANES; l++)
            k->asleep[i][TEG_LANES + l] = help_below(state, 200);
    }
    for (uint32_t b = 0; b < k->launch.blocks; b++) {
        uint32_t cluster = k->launch.kernel.cluster[0];

        k->before = cluster > 1 ? b - b % cluster : b;
        for (int i = 0; i < 16; i++)
            random_awaited(k, k->awaited[k->before][i], state);
        if (rings)
            random_ring(k, b);
        else
            random_block(k, b, state);
    }
}

struct heard {
    struct naive_result result;
    uint32_t warps_per_block;
    uint64_t next[WARPS]; /* cycle the warp's accounting goes on from */
};

static void on_issue(void *self, const struct sim_issue *e)
{
    struct heard *h = self;
    uint32_t at = (uint32_t)e->block * h->warps_per_block + e->stream;
    struct naive_warp *w = &h->result.warp[at];
    uint64_t sum = 0;

    for (int r = 0; r < TEG_STALLS; r++) {
        w->stall[r] += e->stall[r];
        sum += e->stall[r];
    }
    /* issued + stalled = resident */
    ck_assert_uint_eq(sum, e->cycle - e->arrived);
    if (w->issues != 0)
        ck_assert_uint_eq(e->arrived, h->next[at]);
    h->next[at] = e->cycle + 1;
    ck_assert_uint_gt(e->done, e->cycle);
    w->issue[w->issues++] = (struct naive_issue){e->cycle, e->inst, e->sm};
}

static void compare(const struct naive_result *naive, uint32_t first_warp,
                    const struct heard *heard, uint32_t warps, uint64_t seed)
{
    for (uint32_t w = 0; w < warps; w++) {
        const struct naive_warp *a = &naive->warp[first_warp + w];
        const struct naive_warp *b = &heard->result.warp[w];

        ck_assert_msg(a->issues == b->issues,
                      "seed %lu warp %u: %u issues, engine has %u",
                      (unsigned long)seed, w, a->issues, b->issues);
        for (uint32_t i = 0; i < a->issues; i++)
            ck_assert_msg(a->issue[i].cycle == b->issue[i].cycle &&
                              a->issue[i].inst == b->issue[i].inst &&
                              a->issue[i].sm == b->issue[i].sm,
                          "seed %lu warp %u issue %u: cycle %lu on SM %u, "
                          "engine has %lu on SM %u",
                          (unsigned long)seed, w, i,
                          (unsigned long)a->issue[i].cycle, a->issue[i].sm,
                          (unsigned long)b->issue[i].cycle, b->issue[i].sm);
        for (int r = 0; r < TEG_STALLS; r++)
            ck_assert_msg(a->stall[r] == b->stall[r],
                          "seed %lu warp %u: %lu cycles of %s, engine has %lu",
                          (unsigned long)seed, w, (unsigned long)a->stall[r],
                          teg_stall_label(r), (unsigned long)b->stall[r]);
    }
}

/* A warp is of one SM: parts can use what the whole has. */
static void *split(void *self)
{
    return self;
}

static void join(void *self, void *part)
{
    (void)self;
    (void)part;
}

/* `threads` 0: the listener wants everything in order.  `*memory` is what the
 * launch before left, and becomes what this one leaves.  Returns the windows in
 * which SMs ran ahead. */
static uint64_t run_engine(struct kernel *k, const struct teg_gpu *gpu,
                           uint32_t blocks_per_sm, uint32_t threads,
                           struct sim_memory **memory,
                           const struct naive_result *naive, uint64_t seed)
{
    static struct heard heard;
    struct teg_launch launch;
    struct sim_engine_outcome outcome;
    struct teg_diag d;
    struct sim_memory *after = NULL;
    struct sim_listener listener = {
        .self = &heard,
        .on_issue = on_issue,
        .split = threads != 0 ? split : NULL,
        .join = threads != 0 ? join : NULL,
    };
    struct sim_engine_setup setup = {
        .gpu = gpu,
        .sms = gpu->chip.sms,
        .blocks_per_sm = blocks_per_sm,
        .threads = threads,
        .listener = &listener,
        .listeners = 1,
        .before = *memory,
        .after = &after,
    };

    heard = (struct heard){.warps_per_block = k->launch.warps_per_block};
    help_launch_open(&k->launch, &launch);
    ck_assert_msg(sim_engine_run(&launch, &setup, &outcome, &d) == TEG_OK,
                  "seed %lu: %s", (unsigned long)seed, d.what);
    ck_assert_uint_eq(outcome.blocks, k->launch.blocks);
    compare(naive, 0, &heard, k->launch.blocks * k->launch.warps_per_block,
            seed);
    ck_assert_uint_eq(naive->cycles, outcome.cycles);
    sim_memory_free(*memory);
    *memory = after;
    return outcome.windows;
}

/* As many cycles go by where nobody listens. */
static void run_unheard(struct kernel *k, const struct teg_gpu *gpu,
                        uint32_t blocks_per_sm, const struct sim_memory *before,
                        const struct naive_result *naive, uint64_t seed)
{
    struct teg_launch launch;
    struct sim_engine_outcome outcome;
    struct teg_diag d;
    struct sim_engine_setup setup = {
        .gpu = gpu,
        .sms = gpu->chip.sms,
        .blocks_per_sm = blocks_per_sm,
        .threads = 1,
        .before = before,
    };

    help_launch_open(&k->launch, &launch);
    ck_assert_msg(sim_engine_run(&launch, &setup, &outcome, &d) == TEG_OK,
                  "seed %lu: %s", (unsigned long)seed, d.what);
    ck_assert_msg(naive->cycles == outcome.cycles, "seed %lu: unheard",
                  (unsigned long)seed);
}

/* Threads cost more to make than these kernels to run: only now and then. */
static uint32_t choose_threads(uint64_t seed)
{
    return seed % 16 == 0 ? 3 : 1;
}

/* A chip on which SMs can run ahead, and L1s keep what is on its way. */
static void loosen(struct teg_gpu *gpu, uint64_t *state)
{
    for (uint32_t u = 0; u < gpu->unit_count; u++)
        gpu->unit[u].capacity = 0;
    gpu->memory.in_flight_bytes = 0;
    gpu->chip.dispatch_latency = 10 + help_below(state, 20);
    gpu->l1.bytes = 128 * 4 * (1 + help_below(state, 2));
    gpu->l1.ways = 1 + help_below(state, 2);
    gpu->l1.hash = help_below(state, 2);
    gpu->l1.latency = 5 + help_below(state, 20);
}

/* Returns whether SMs ran ahead. */
static int run_all(uint64_t seed)
{
    static struct kernel k;
    static struct naive_result naive;
    uint64_t state = seed * 2654435761u + 1;
    struct teg_gpu gpu;
    struct teg_launch launch;
    struct naive_memory *left = NULL;
    struct sim_memory *in_order = NULL, *in_windows = NULL;
    uint32_t blocks_per_sm;
    uint64_t windows = 0;

    help_gpu_random(&gpu, &state);
    if (seed % 3 == 0)
        help_tensor_rates_random(&gpu, &state);
    if (seed % 2 == 0)
        loosen(&gpu, &state);
    blocks_per_sm = 1 + help_below(&state, 4);
    random_kernel(&k, &gpu, blocks_per_sm, &state);
    /* Some kernels find what they themselves have left in caches. */
    for (uint32_t round = 0; round < (seed % 4 == 0 ? 2 : 1); round++) {
        help_launch_open(&k.launch, &launch);
        ck_assert(naive_run(
            &(struct naive_launch){.launch = &launch,
                                   .blocks_per_sm = blocks_per_sm,
                                   .warps_per_block = k.launch.warps_per_block,
                                   .after = -1},
            1, &gpu, LIMIT, &left, &naive));
        ck_assert_uint_eq(
            run_engine(&k, &gpu, blocks_per_sm, 0, &in_order, &naive, seed), 0);
        run_unheard(&k, &gpu, blocks_per_sm, in_windows, &naive, seed);
        windows = run_engine(&k, &gpu, blocks_per_sm, choose_threads(seed),
                             &in_windows, &naive, seed);
    }
    naive_memory_free(left);
    sim_memory_free(in_order);
    sim_memory_free(in_windows);
    help_launch_release(&k.launch);
    return windows != 0;
}

START_TEST(engines_agree_on_every_cycle_of_every_warp)
{
    int ahead = 0;

    for (uint64_t i = 0; i < PER_TEST; i++)
        ahead += run_all((uint64_t)_i * PER_TEST + i + 1);
    /* The chips and kernels are not all of the kind in which nothing can. */
    ck_assert_int_ge(ahead, PER_TEST / 3);
}
END_TEST

/* A seed that had the engine charge a throttle for slots in which nobody is
 * asked. */
START_TEST(nobody_is_refused_while_operands_are_read)
{
    run_all(5291);
}
END_TEST

/* ---- several beside each other --------------------------------------------- */

struct beside {
    struct kernel kernel[NAIVE_LAUNCHES_MAX];
    struct naive_launch how[NAIVE_LAUNCHES_MAX];
    struct teg_launch launch[NAIVE_LAUNCHES_MAX];
    struct heard heard[NAIVE_LAUNCHES_MAX];
    struct sim_listener listener[NAIVE_LAUNCHES_MAX];
    uint32_t launches;
    /* As the engine counts them, and the other way. */
    uint32_t number[NAIVE_LAUNCHES_MAX], engines[NAIVE_LAUNCHES_MAX], added;
    uint64_t begun[NAIVE_LAUNCHES_MAX], ended[NAIVE_LAUNCHES_MAX];
    struct sim_engine *engine;
};

/* Of a cluster's launch only warp slots may keep blocks away: those that wait
 * have to find room some time. */
static void random_launch(struct beside *b, uint32_t i,
                          const struct teg_gpu *gpu, uint64_t *state)
{
    struct kernel *k = &b->kernel[i];
    struct naive_launch *how = &b->how[i];
    uint32_t blocks_per_sm = 1 + help_below(state, 4);

    random_kernel(k, gpu, blocks_per_sm, state);
    *how = (struct naive_launch){
        .launch = &b->launch[i],
        .blocks_per_sm = blocks_per_sm,
        .warps_per_block = k->launch.warps_per_block,
        .code = i,
        .priority = (int32_t)help_below(state, 3) - 1,
        .from = help_below(state, 3) != 0 ? help_below(state, 400) : 0,
        .after = help_below(state, 2) == 0 ? (int)i - 1 : -1,
    };
    how->early = how->after >= 0 && help_below(state, 3) != 0;
    if (i != 0)
        how->first_warp =
            b->how[i - 1].first_warp +
            b->kernel[i - 1].launch.blocks * b->how[i - 1].warps_per_block;
    if (k->launch.kernel.cluster[0] > 1)
        return;
    how->registers = gpu->sm.registers / (1 + help_below(state, 6));
    how->shared_bytes = gpu->sm.shared_bytes / (1 + help_below(state, 6));
}

/* And those that depend on it programmatically. */
static void add(struct beside *b, uint32_t i, uint64_t from)
{
    const struct naive_launch *how = &b->how[i];
    struct teg_diag d;
    const struct sim_engine_launch launch = {
        .launch = &b->launch[i],
        .listener = &b->listener[i],
        .listeners = 1,
        .blocks_per_sm = how->blocks_per_sm,
        .needs = {.registers = how->registers,
                  .shared_bytes = how->shared_bytes},
        .code = how->code,
        .priority = how->priority,
        .from = from,
        .primary = how->early ? b->engines[how->after] : SIM_NO_LAUNCH,
        .gap = how->early ? how->from : 0,
    };

    b->engines[i] = b->added;
    b->number[b->added++] = i;
    ck_assert(sim_engine_add(b->engine, &launch, &d) == TEG_OK);
    for (uint32_t k = 0; k < b->launches; k++) {
        if (b->how[k].early && b->how[k].after == (int)i)
            add(b, k, from);
    }
}

static void on_begun(void *self, uint32_t number, uint64_t cycle)
{
    struct beside *b = self;

    b->begun[b->number[number]] = cycle;
}

static void on_ended(void *self, uint32_t number, uint64_t cycle)
{
    struct beside *b = self;
    uint32_t ended = b->number[number];

    b->ended[ended] = cycle;
    for (uint32_t i = 0; i < b->launches; i++) {
        if (b->how[i].after == (int)ended && !b->how[i].early)
            add(b, i, cycle + b->how[i].from);
    }
}

/* Some launches are added when they come, others before; time goes on in steps
 * of at most `step` cycles. */
static void run_beside(struct beside *b, const struct teg_gpu *gpu,
                       uint32_t threads, uint64_t step,
                       const struct naive_result *naive, uint64_t seed)
{
    const struct sim_engine_news news = {b, on_begun, on_ended};
    const struct sim_engine_setup setup = {
        .gpu = gpu,
        .sms = gpu->chip.sms,
        .threads = threads,
    };
    struct sim_engine_outcome outcome = {0};
    struct teg_diag d;
    uint64_t now = 0;

    b->added = 0;
    ck_assert(sim_engine_new(&setup, &news, &b->engine, &d) == TEG_OK);
    for (uint32_t i = 0; i < b->launches; i++) {
        help_launch_open(&b->kernel[i].launch, &b->launch[i]);
        b->heard[i] =
            (struct heard){.warps_per_block = b->how[i].warps_per_block};
        b->listener[i] = (struct sim_listener){
            .self = &b->heard[i],
            .on_issue = on_issue,
            .split = threads != 0 ? split : NULL,
            .join = threads != 0 ? join : NULL,
        };
    }
    for (uint32_t i = 0; i < b->launches; i++) {
        if (b->how[i].after < 0)
            add(b, i, b->how[i].from);
    }
    while (now != UINT64_MAX) {
        uint64_t until = now < LIMIT ? now + step : UINT64_MAX;

        ck_assert_msg(sim_engine_advance(b->engine, until, &now, &d) == TEG_OK,
                      "seed %lu: %s", (unsigned long)seed, d.what);
    }
    sim_engine_finish(b->engine, &outcome);
    ck_assert_uint_eq(naive->cycles, outcome.cycles);
    for (uint32_t i = 0; i < b->launches; i++) {
        compare(naive, b->how[i].first_warp, &b->heard[i],
                b->kernel[i].launch.blocks * b->how[i].warps_per_block, seed);
        ck_assert_msg(b->begun[i] == naive->begun[i] &&
                          b->ended[i] == naive->ended[i],
                      "seed %lu launch %u: cycles %lu to %lu, engine has %lu "
                      "to %lu",
                      (unsigned long)seed, i, (unsigned long)naive->begun[i],
                      (unsigned long)naive->ended[i],
                      (unsigned long)b->begun[i], (unsigned long)b->ended[i]);
    }
    sim_engine_free(b->engine);
}

/* Issued and stalled cycles of the warps of all launches are those for which
 * the chip has warps. */
static void conserve(const struct beside *b, const struct naive_result *naive)
{
    uint64_t sum = 0;

    for (uint32_t i = 0; i < b->launches; i++) {
        uint32_t warps = b->kernel[i].launch.blocks * b->how[i].warps_per_block;

        for (uint32_t w = 0; w < warps; w++) {
            const struct naive_warp *of = &b->heard[i].result.warp[w];

            sum += of->issues;
            for (int r = 0; r < TEG_STALLS; r++)
                sum += of->stall[r];
        }
    }
    ck_assert_uint_eq(sum, naive->resident);
}

/* Returns whether two launches were on the chip at the same time. */
static int overlap(const struct beside *b)
{
    for (uint32_t i = 0; i < b->launches; i++) {
        for (uint32_t k = 0; k < i; k++) {
            if (b->begun[i] < b->ended[k] && b->begun[k] < b->ended[i])
                return 1;
        }
    }
    return 0;
}

static int run_several(uint64_t seed)
{
    static struct beside b;
    static struct naive_result naive;
    uint64_t state = seed * 2654435761u + 7;
    struct teg_gpu gpu;
    struct naive_memory *left = NULL;
    int beside;

    help_gpu_random(&gpu, &state);
    if (seed % 2 == 0)
        loosen(&gpu, &state);
    gpu.launch.grids_max = 1 + help_below(&state, 4);
    b.launches = 2 + help_below(&state, 2);
    for (uint32_t i = 0; i < b.launches; i++) {
        random_launch(&b, i, &gpu, &state);
        help_launch_open(&b.kernel[i].launch, &b.launch[i]);
    }
    ck_assert_msg(naive_run(b.how, b.launches, &gpu, LIMIT, &left, &naive),
                  "seed %lu", (unsigned long)seed);
    run_beside(&b, &gpu, 0, 1 + help_below(&state, 500), &naive, seed);
    run_beside(&b, &gpu, choose_threads(seed), UINT64_MAX / 2, &naive, seed);
    run_beside(&b, &gpu, 1, 1 + help_below(&state, 500), &naive, seed);
    conserve(&b, &naive);
    beside = overlap(&b);
    naive_memory_free(left);
    for (uint32_t i = 0; i < b.launches; i++)
        help_launch_release(&b.kernel[i].launch);
    return beside;
}

START_TEST(launches_beside_each_other_are_the_naive_engines)
{
    int beside = 0;

    for (uint64_t i = 0; i < BESIDE_PER_TEST; i++)
        beside += run_several((uint64_t)_i * BESIDE_PER_TEST + i + 1);
    ck_assert_int_ge(beside, BESIDE_PER_TEST / 4);
}
END_TEST

HELP_MAIN("sim/engine against the naive engine", 600,
          {engines_agree_on_every_cycle_of_every_warp, KERNELS / PER_TEST},
          {nobody_is_refused_while_operands_are_read, 1},
          {launches_beside_each_other_are_the_naive_engines,
           (BESIDE + BESIDE_PER_TEST - 1) / BESIDE_PER_TEST})
