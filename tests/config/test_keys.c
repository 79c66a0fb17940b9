/*
 * No key of a description is dead: for each there is a kernel, a chip and a
 * value that changes what comes out.
 *
 * A scene is a chip, made small and with mechanisms that few chips have
 * switched on, and a kernel that uses them.  For each key of `teg gpus --keys`
 * values all over its range are tried in one scene after the other until the
 * outcome differs: the cycles, or what the models and the power model say.
 */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/occupancy.h"
#include "config/param.h"
#include "config/start.h"
#include "sim/models/power_model.h"
#include "sim/program/program.h"
#include "sim/teg.h"
#include "tests/help_launch.h"
#include "tests/help_suite.h"
#include "traces/sketch/sketch.h"

enum {
#define GROUP(group)
#define NUMBER(group, field, type, min, max, fallback, unit, help) \
    KEY_##group##_##field,
#define CHOICE(group, field, table, fallback, help) KEY_##group##_##field,
#define END(group)
#include "config/params.def"
#undef GROUP
#undef NUMBER
#undef CHOICE
#undef END
    KEYS,
    VALUES_MAX = 48,
    VALUES_NEAR = 5, /* of them, those that come first */
};

struct scene {
    const char *gpu;
    const char *settings; /* "KEY=VALUE KEY=VALUE" */
    const char *sketch;   /* NULL: fetches from textures, which none can say */
};

/* A bit of everything, for chips with caches. */
static const char mixed[] =
    "sketch 1\nisa sm_70\ngrid 6\nblock 288\nregisters 40\nshared 4096\n"
    "let a = 0x7f0000000000\n"
    "loop k 3\n"
    "  LDG.E R4, [R2 : a + 4*gtid + 65536*k]\n"
    "  LDG.E R5, [R2 : a + 0x8000000 + 516*lane + 8192*k]\n"
    "  LDG.E.128 R8, [R2 : a + 0x4000000*k + 16*tid]\n"
    "  LDS.128 R12, [R3 : 16*lane]\n"
    "  LDS.64 R16, [R3 : 24*lane]\n"
    "  LDS.128 R12, [R3 : 64*ctaid]\n"
    "  LDS R18, [R3 : 128*lane % 4096]\n"
    "  FFMA R20, R4, R6, R8\n"
    "  FMUL R21, R20, R5\n"
    "  MUFU.RCP R22, R21\n"
    "  ATOMG.E.ADD.STRONG.GPU PT, R23, [R2 : a + 128*lane], R22\n"
    "  ATOMS.ADD R24, [R3 : 4*(lane/4)], R22\n"
    "  RED.E.ADD.F32.FTZ.RN.STRONG.GPU [R2 : a + 4*(lane/8)], R22\n"
    "  STG.E [R2 : a + 0x2000000 + 8*gtid], R22\n"
    "  STG.E.128 [R2 : a + 0x20000000*k + 16*gtid], R8\n"
    "  BSYNC B0\n"
    "  BAR.SYNC 0x0\n"
    "  @P0 BRA 0x0\n"
    "end\n"
    "EXIT\n";

/* Words again and again, each waiting for the one before, in one warp. */
static const char chase[] =
    "sketch 1\nisa sm_80\ngrid 1\nblock 32\nlet a = 0x7f0000000000\n"
    "loop k 192\n  LDG.E R2, [R2 : a + (k*37 % 96)*2097152]\nend\nEXIT\n";
static const char reread[] =
    "sketch 1\nisa sm_80\ngrid 16\nblock 128\nlet a = 0x7f0000000000\n"
    "loop k 8\n"
    "  LDG.E.128 R4, [R2 : a + (k + 3*ctaid) % 8*4096 + 16*tid]\n"
    "  FADD R8, R4, R8\nend\nEXIT\n";

/* More than L2 holds is written. */
static const char copy[] =
    "sketch 1\nisa sm_80\ngrid 2\nblock 256\nlet a = 0x7f0000000000\n"
    "loop k 16\n"
    "  LDG.E.128 R4, [R2 : a + (k*2 + ctaid)*4096 + 16*tid]\n"
    "  STG.E.128 [R2 : a + 0x8000000 + (k*2 + ctaid)*4096 + 16*tid], R4\nend\n"
    "EXIT\n";

/* Registers of one bank, marked for reuse, and the compiler's waits. */
static const char control[] =
    "sketch 1\nisa sm_70\ngrid 1\nblock 128\nlet a = 0x7f0000000000\n"
    "loop k 8\n"
    "  LDG.E R2, [R4 : a + 4*tid] {stall=1 wr=0}\n"
    "  FFMA R8, R10.reuse, R12.reuse, R14 {stall=4}\n"
    "  FFMA R8, R10, R12, R16 {stall=4}\n"
    "  MOV R18, R19 {stall=1 yield}\n"
    "  MOV R20, R21 {stall=0 yield}\n"
    "  FADD R9, R2, R2 {stall=2 wait=0}\nend\nEXIT\n";

/* Three registers of one bank and two of the other, in turn. */
static const char banks[] = "sketch 1\nisa sm_70\ngrid 1\nblock 32\nloop k 8\n"
                            "  FFMA R8, R10, R12, R14 {stall=1}\n"
                            "  FADD R9, R11, R13 {stall=1}\nend\nEXIT\n";

/* Integers and doubles that blocks add to lines side by side. */
static const char sums[] =
    "sketch 1\nisa sm_70\ngrid 8\nblock 128\nlet a = 0x7f0000000000\n"
    "loop k 4\n"
    "  RED.E.ADD [R4 : a + 4*tid], R2\n"
    "  RED.E.ADD.F64.RN [R4 : a + 8*tid], R2\n"
    "  LDG.E R3, [R4 : a + 4*tid]\n"
    "  FADD R2, R3, R3\nend\nEXIT\n";

/* The same of vectors. */
static const char vectors[] =
    "sketch 1\nisa sm_90\ngrid 8\nblock 128\nlet a = 0x7f0000000000\n"
    "loop k 4\n"
    "  REDG.E.ADD.F32x4.FTZ.RN.STRONG.GPU [R4 : a + 16*tid], R8\n"
    "  LDG.E R3, [R4 : a + 4*tid]\n"
    "  FADD R2, R3, R3\nend\nEXIT\n";

/* Words that fill sectors in part, and loads behind them. */
static const char parts[] =
    "sketch 1\nisa sm_70\ngrid 8\nblock 128\nlet a = 0x7f0000000000\n"
    "loop k 4\n"
    "  STG.E [R4 : a + 32*gtid + 32768*k], R2\n"
    "  STG.E [R4 : a + 4 + 32*gtid + 32768*k], R2\n"
    "  LDG.E R3, [R4 : a + 0x100000 + 32*gtid + 32768*k]\n"
    "  FADD R2, R3, R3\nend\nEXIT\n";

/* Products of a warp, whose registers others ask the banks for, too. */
static const char bank_products[] =
    "sketch 1\nisa sm_80\ngrid 1\nblock 32\nloop k 8\n"
    "  HMMA.16816.F32 R8, R12, R16, R8 {stall=1}\n"
    "  FADD R20, R22, R24 {stall=1}\n  FADD R21, R22, R24 {stall=1}\n"
    "end\nEXIT\n";

/* What is stored to shared memory, for copies and products. */
static const char proxies[] =
    "sketch 1\nisa sm_90\ngrid 1\nblock 32\nshared 1024\nloop k 4\n"
    "  STS.128 [R2 : 16*lane], R4\n  FENCE.VIEW.ASYNC.S\n"
    "  FADD R8, R8, R9\nend\nEXIT\n";

/* Fences of each scope behind stores. */
static const char fences[] =
    "sketch 1\nisa sm_80\ngrid 1\nblock 32\nlet a = 0x7f0000000000\n"
    "STG.E [R2 : a + 4*tid], R4\nMEMBAR.SC.CTA\n"
    "STG.E [R2 : a + 4*tid], R4\nMEMBAR.SC.GPU\n"
    "STG.E [R2 : a + 4*tid], R4\nMEMBAR.SC.SYS\nEXIT\n";

/* Straight code of many lines, gone through twice. */
static const char straight[] =
    "sketch 1\nisa sm_70\ngrid 4\nblock 64\nloop j 2\n"
    "  repeat i 96\n    FADD R{8+i%8}, R1, R2\n  end\nend\nEXIT\n";

/* Constants by index, each load waiting for the one before. */
static const char constants[] =
    "sketch 1\nisa sm_70\ngrid 2\nblock 64\nloop k 8\n"
    "  LDC R2, c[0x3][R2 : 4*lane + 128*k]\nend\nEXIT\n";

/* Constants that instructions name, more than a small cache holds, of the
 * launch and of the program. */
static const char named_constants[] =
    "sketch 1\nisa sm_70\ngrid 4\nblock 64\nloop k 4\n"
    "  FADD R2, R2, c[0x0][0x160]\n  FADD R2, R2, c[0x3][0x0]\n"
    "  FADD R2, R2, c[0x3][0x40]\n  FADD R2, R2, c[0x3][0x200]\n"
    "  FADD R2, R2, c[0x3][0x400]\n"
    "  LDC R3, c[0x3][R2 : 4*lane]\n  FADD R2, R2, R3\nend\nEXIT\n";

/* A product of each type, small and sparse ones, and of a warp group. */
static const char products[] = "sketch 1\nisa sm_90\ngrid 1\nblock 128\n"
                               "repeat 4\n"
                               "  HMMA.16816.F16 R4, R8, R12, R4\n"
                               "  HMMA.16816.F32 R4, R8, R12, R4\n"
                               "  HMMA.1684.F32.TF32 R4, R8, R12, R4\n"
                               "  HMMA.SP.16816.F32 R4, R8, R12, R4, R16\n"
                               "  QMMA.16832.F16.E4M3.E4M3 R4, R8, R12, R4\n"
                               "  QMMA.16832.F32.E4M3.E4M3 R4, R8, R12, R4\n"
                               "  QMMA.16832.F32.E3M2.E2M1 R4, R8, R12, R4\n"
                               "  QMMA.SF.16832.F32.E4M3.E4M3.E8 R4, R8, R12, "
                               "R4\n"
                               "  OMMA.SF.16864.F32.E2M1.E2M1.E8 R4, R8, R12, "
                               "R4\n"
                               "  IMMA.8816.S8.S8 R4, R8, R12, R4\n"
                               "  IMMA.16864.S4.S4 R4, R8, R12, R4\n"
                               "  BMMA.168256.AND.POPC R4, R8, R12, R4\n"
                               "  DMMA.8x8x4 R4, R8, R12, R4\n"
                               "  HGMMA.64x64x16.F32 R24, gdesc[UR8], R24\n"
                               "end\nEXIT\n";

static const char gt200[] =
    "sketch 1\nisa gt200\ngrid 8\nblock 128\nregisters 16\nshared 1024\n"
    "let a = 0x1000000\n"
    "loop k 2\n"
    "  GLD.U32 R2, global14[R3 : a + 4*gtid + 65536*k]\n"
    "  GLD.U32 R4, global14[R3 : a + 0x100000 + 132*gtid]\n"
    "  GLD.S64 R8, global14[R3 : a + 0x40000 + 8*gtid]\n"
    "  FMUL32 R5, R2, R4\n"
    "  DFMA R8, R8, R2, R8\n"
    "  FADD32 R6, g[A1+0xb : 64*lane % 1024], R5\n"
    "  GST.U32 global14[R3 : a + 0x200000 + 4*gtid], R6\nend\n";

/* Clusters of blocks that meet. */
static const char together[] =
    "sketch 1\nisa sm_90\ngrid 12\nblock 64\ncluster 3\n"
    "loop k 2\n  FADD R2, R2, R3\n  UCGABAR_ARV\n  FADD R4, R4, R5\n"
    "  UCGABAR_WAIT\nend\nEXIT\n";

/* They read each other's shared memory. */
static const char each_other[] =
    "sketch 1\nisa sm_90\ngrid 6\nblock 64\ncluster 3\nshared 4096\n"
    "shared_base 0x7e0000000000\n"
    "loop k 4\n  LD.E R2, [R2 : 0x7e0001000000 + 4*tid]\nend\nEXIT\n";

#define SMALL "chip.sms=2 l2.ways=16 l2.slices=4 l2.bytes=262144 "

static const struct scene scenes[] = {
    {"v100",
     SMALL
     "chip.dispatch_interval=40 chip.sms_per_cluster=2 "
     "memory.in_flight_bytes=4096 memory.cluster_bytes_per_cycle=32 "
     "memory.warp_bytes_per_cycle=24 "
     "memory.request_interval=9 "
     "memory.transaction_latency=8 dram.turnaround=40 "
     "dram.write_batch_bytes=2048 l2.partial_interval=20 l2.partial_joined=256 "
     "l2.sector_interval=3 l2.repeat_interval=2 l2.fetch_bytes=64 "
     "l1.merged_sectors=16 l2.completes_sectors=1 l2.fill_interval=3 "
     "l2.dirty_share=0.5 l1.banks=32 "
     "l1.tag_banks=4 l1.in_order=1 sm.taken_interval=30 "
     "sm.converge_interval=20 sm.register_stall=1 "
     "sm.shared_reserved=1024",
     mixed},
    {"h100",
     "chip.sms=16 l2.ways=16 l2.slices=4 l2.bytes=524288 "
     "l2.far_bytes_per_cycle=16",
     reread},
    {"v100", SMALL, chase},
    {"v100", SMALL "sm.dependences=control", control},
    {"v100", SMALL "sm.dependences=control", banks},
    {"v100",
     SMALL "fetch.l0_bytes=512 fetch.l1_bytes=1024 fetch.l1_latency=30 "
           "fetch.miss_latency=200 fetch.ways=1",
     straight},
    {"v100",
     SMALL "fetch.l0_bytes=512 fetch.l1_bytes=4096 fetch.l1_latency=30 "
           "fetch.miss_latency=200 fetch.cold=1",
     straight},
    {"v100", SMALL, constants},
    {"v100",
     SMALL "constant.l1_bytes=256 constant.ways=2 constant.l15_bytes=1024 "
           "constant.l15_ways=2",
     named_constants},
    {"gtx280", "chip.sms=6", gt200},
    {"gtx280",
     "chip.sms=12 memory.coalescing=ideal memory.transaction_interval=60",
     gt200},
    {"v100",
     SMALL "l2.bytes=32768 dram.turnaround=40 dram.write_batch_bytes=2048",
     copy},
    {"v100",
     SMALL "l2.bytes=32768 dram.channels=2 dram.row_bytes=256 dram.banks=4 "
           "dram.row_ns=40",
     mixed},
    {"v100",
     SMALL "l2.bytes=32768 dram.channels=2 dram.row_bytes=256 dram.banks=1 "
           "dram.row_ns=40 dram.queue=8",
     mixed},
    {"v100", SMALL, mixed},
    {"v100", SMALL "l2.bytes_per_cycle=32", parts},
    {"v100",
     SMALL "l2.atomic_bytes=512 l2.atomic_doubles=1 "
           "l2.atomic_sector_interval=8",
     sums},
    {"v100", SMALL "l2.atomic_bytes=512 l2.atomic_sector_interval=8", vectors},
    {"v100", SMALL "l2.bytes=32768 l1.merged_sectors=16", parts},
    {"v100", SMALL "l1.banks=32 l1.bank_interval=64", mixed},
    {"a100", SMALL, fences},
    {"a100", SMALL, bank_products},
    {"h100", "chip.sms=6 chip.gpcs=1", proxies},
    {"h100", "tensor.s4=2048", products},
    {"rtx5090", "", products},
    {"gtx580", "chip.sms=2", mixed},
    {"h100", "chip.sms=6 chip.gpcs=1 sm.blocks_max=1", together},
    {"h100", "chip.sms=6 chip.gpcs=1", each_other},
    {"h100", "chip.sms=6 chip.gpcs=2 sm.blocks_max=1", each_other},
    {"v100", SMALL, NULL},
    {"v100", SMALL "texture.l1_bytes=32768", NULL},
};

/* ---- an outcome ------------------------------------------------------------ */

static uint64_t mix(uint64_t h, const void *bytes, size_t size)
{
    const uint8_t *b = bytes;

    for (size_t i = 0; i < size; i++)
        h = (h ^ b[i]) * 0x100000001b3u;
    return h;
}

static uint64_t mix_estimates(uint64_t h, const struct teg_statistics *s,
                              const struct teg_gpu *gpu)
{
    uint32_t count;
    const struct teg_model *const *model = teg_models(&count);

    for (uint32_t m = 0; m < count; m++) {
        static struct teg_estimate e;

        e = (struct teg_estimate){0};
        model[m]->estimate(s, gpu, &e);
        h = mix(h, &e.cycles, sizeof e.cycles);
        for (uint32_t t = 0; t < e.term_count; t++)
            h = mix(h, &e.term[t].value, sizeof e.term[t].value);
    }
    return h;
}

static uint64_t mix_power(uint64_t h, const struct teg_statistics *s,
                          const struct teg_gpu *gpu, double start_temp)
{
    struct power_inputs in;
    struct power_estimate e = {0};
    struct teg_diag d;
    uint32_t sm[8], tpcs;

    power_inputs_init(&in);
    in.run.t_s = 10;
    in.run.start_temp = start_temp;
    if (power_inputs_machine(&in, gpu, &d) != TEG_OK ||
        power_inputs_measure(&in, s, gpu, &d) != TEG_OK ||
        power_evaluate(&in, &e, &d) != TEG_OK)
        return mix(h, d.what, strlen(d.what));
    h = mix(h, &e.energy_j, sizeof e.energy_j);
    h = mix(h, &e.power, sizeof e.power);
    h = mix(h, &e.thermal, sizeof e.thermal);
    if (power_place(gpu, 3, sm, &tpcs, &d) == TEG_OK)
        h = mix(h, sm, 3 * sizeof *sm);
    return h;
}

/* Returns 0 if the chip cannot be, else sets `*outcome`. */
/* What each tool sees besides the kernel. */
static uint64_t mix_starts(uint64_t outcome, const struct teg_gpu *gpu)
{
    for (int by = TEG_MEASURED_BY_NCU; by <= TEG_MEASURED_BY_EVENTS; by++) {
        for (int first = 0; first < 2; first++) {
            double us = teg_start_us(gpu, (enum teg_measured_by)by, first);

            outcome = mix(outcome, &us, sizeof us);
        }
    }
    return outcome;
}

/* ---- programs ---------------------------------------------------------------- */

enum {
    PROGRAM_STREAMS = 10,
};

static struct teg_score_entry *ask(struct teg_score *s, int kind,
                                   uint32_t stream)
{
    struct teg_diag d;

    ck_assert(teg_score_add(s,
                            (struct teg_score_entry){.kind = (uint8_t)kind,
                                                     .async = 1,
                                                     .pinned = 1,
                                                     .stream = stream,
                                                     .bytes = 100000,
                                                     .times = 1,
                                                     .us = -1},
                            &d) == TEG_OK);
    return &s->entry[s->entries - 1];
}

/* Launches in more streams than queues, copies of all kinds, a graph, the
 * host waits. */
static void fill_score(struct teg_score *s)
{
    static const uint8_t copies[] = {
        TEG_SCORE_COPY_TO_DEVICE,   TEG_SCORE_COPY_TO_DEVICE,
        TEG_SCORE_COPY_FROM_DEVICE, TEG_SCORE_COPY_FROM_DEVICE,
        TEG_SCORE_COPY_PEER,        TEG_SCORE_SET,
        TEG_SCORE_PAGES_TO_DEVICE};
    struct teg_diag d;
    uint32_t stream;

    for (uint32_t i = 0; i < PROGRAM_STREAMS; i++)
        ck_assert(teg_score_stream(s, 0, i, &stream, &d) == TEG_OK);
    s->graph = calloc(1, sizeof *s->graph);
    s->graph[0].node = calloc(2, sizeof *s->graph[0].node);
    s->graph[0].edge = calloc(1, sizeof *s->graph[0].edge);
    s->graph[0].nodes = 2;
    s->graphs = 1;
    for (uint32_t i = 0; i < 2; i++)
        s->graph[0].node[i] = (struct teg_score_entry){
            .kind = TEG_SCORE_LAUNCH, .times = 1, .us = -1, .afters = i};
    for (uint32_t i = 1; i < PROGRAM_STREAMS; i++) {
        ask(s, TEG_SCORE_LAUNCH, i);
        ask(s, TEG_SCORE_LAUNCH, i);
    }
    ask(s, TEG_SCORE_RECORD, 1);
    ask(s, TEG_SCORE_LAUNCH, 1);
    ask(s, TEG_SCORE_LAUNCH, 1)->dependent = 1;
    ask(s, TEG_SCORE_SYNCHRONIZE, TEG_SCORE_NONE)->number = TEG_SCORE_NONE;
    ask(s, TEG_SCORE_GRAPH, 2);
    ask(s, TEG_SCORE_SYNCHRONIZE, TEG_SCORE_NONE)->number = TEG_SCORE_NONE;
    for (uint32_t i = 0; i < sizeof copies; i++)
        ask(s, copies[i], i + 1);
    ask(s, TEG_SCORE_SYNCHRONIZE, TEG_SCORE_NONE)->number = TEG_SCORE_NONE;
    ask(s, TEG_SCORE_COPY_TO_DEVICE, 1)->pinned = 0;
}

/* When the launches and copies of a program begin and end. */
static uint64_t mix_program(uint64_t outcome, const struct teg_gpu *gpu)
{
    const struct sim_program_options options = sim_program_plain();
    const struct sim_program_kernel kernel = {
        .us = 3, .blocks = 1, .blocks_per_sm = 1, .needs = {1, 1, 0}};
    struct sim_program_result result;
    struct teg_score score = {0};
    struct sim_program tasks;
    struct teg_diag d;

    fill_score(&score);
    ck_assert(sim_program_init(&tasks, &score, gpu, &options, &d) == TEG_OK);
    ck_assert_msg(sim_program_play(&tasks, &score, &kernel, gpu, &options,
                                   &result, &d) == TEG_OK,
                  "%s", d.what);
    for (uint32_t i = 0; i < tasks.tasks; i++) {
        outcome = mix(outcome, &tasks.task[i].start, sizeof(double));
        outcome = mix(outcome, &tasks.task[i].end, sizeof(double));
    }
    sim_program_release(&tasks);
    teg_score_release(&score);
    return outcome;
}

/* ---- fetches from textures --------------------------------------------------- */

enum {
    FETCHES = 64,
    TEXTURE_WARPS = 4,
};

static struct fetches {
    struct help_launch launch;
    struct help_warp warp[TEXTURE_WARPS];
    struct help_step step[FETCHES + 1];
    uint64_t value[FETCHES][TEG_LANES * (1 + TEG_VALUES_MAX)];
} fetches;

/* Filtered texels of 16 bytes in a picture that a small cache does not hold,
 * gone through twice. */
static void fill_fetches(struct fetches *f)
{
    struct teg_program *p = &f->launch.kernel.program;
    uint32_t exit = help_exit(p), fetch;
    struct teg_inst inst = {.op_class = CLASS_TEX,
                            .space = SPACE_TEXTURE,
                            .flags = INST_LOAD,
                            .values = VALUES_TEXELS};

    fetch = help_inst(p, inst, "TEX R4, R2, 2D");
    for (uint64_t i = 0; i < FETCHES; i++) {
        for (uint64_t l = 0; l < TEG_LANES; l++) {
            uint64_t *of = &f->value[i][TEG_LANES + l];

            of[0] = 16 + (1 << TEG_TEXEL_FILTER_BIT);
            for (uint64_t t = 0; t < TEG_TEXELS_MAX; t++)
                of[TEG_LANES * (t + 1)] =
                    t < 4 ? 16 * (l + t % 2 + 40 * (t / 2) + 80 * (i % 32))
                          : UINT64_MAX;
        }
        f->step[i] = (struct help_step){fetch, UINT32_MAX, 0, 0, f->value[i]};
    }
    f->step[FETCHES] = (struct help_step){exit, UINT32_MAX, 0, 0, NULL};
    for (uint32_t w = 0; w < TEXTURE_WARPS; w++)
        f->warp[w] = (struct help_warp){f->step, FETCHES + 1};
    f->launch.warp = f->warp;
    f->launch.blocks = 1;
    f->launch.warps_per_block = TEXTURE_WARPS;
    for (int i = 0; i < 3; i++)
        f->launch.kernel.grid[i] = f->launch.kernel.block[i] = 1;
    f->launch.kernel.block[0] = TEXTURE_WARPS * TEG_LANES;
}

static void open_launch(const struct teg_sketch *sketch,
                        struct teg_launch *launch)
{
    struct teg_diag d;

    if (sketch == NULL && fetches.launch.blocks == 0)
        fill_fetches(&fetches);
    if (sketch == NULL)
        help_launch_open(&fetches.launch, launch);
    else
        ck_assert_msg(teg_sketch_launch(sketch, launch, &d) == TEG_OK, "%s",
                      d.what);
}

static void close_launch(struct teg_launch *launch)
{
    if (launch->close != NULL)
        launch->close(launch->self);
}

static int outcome_of(const struct teg_sketch *sketch,
                      const struct teg_gpu *gpu, uint64_t *outcome)
{
    static struct teg_statistics s;
    struct teg_launch launch;
    struct teg_diag d;

    s = (struct teg_statistics){0};
    if (teg_gpu_check(gpu, &d) != TEG_OK)
        return 0;
    open_launch(sketch, &launch);
    switch (teg_simulate(&launch, gpu, NULL, &s, &d)) {
    case TEG_OK:
        *outcome = mix(1, &s.cycles, sizeof s.cycles);
        break;
    case TEG_LIMIT: /* a block fits no SM */
        *outcome = 0;
        close_launch(&launch);
        return 1;
    default:
        close_launch(&launch);
        return 0;
    }
    *outcome = mix_estimates(*outcome, &s, gpu);
    *outcome = mix_power(*outcome, &s, gpu, 20);  /* heats up */
    *outcome = mix_power(*outcome, &s, gpu, 200); /* cools down */
    *outcome = mix_starts(*outcome, gpu);
    *outcome = mix_program(*outcome, gpu);
    close_launch(&launch);
    return 1;
}

/* ---- values of a key -------------------------------------------------------- */

static uint32_t add_value(char value[VALUES_MAX][32], uint32_t n, double v,
                          const struct param *p)
{
    if (n < VALUES_MAX && v >= p->min && v <= p->max) {
        snprintf(value[n], sizeof value[n],
                 p->kind == PARAM_WHOLE ? "%.0f" : "%.9g", v);
        n++;
    }
    return n;
}

/* Around what it is, then all over its range. */
static uint32_t values_of(const struct param *p, const struct teg_gpu *gpu,
                          char value[VALUES_MAX][32])
{
    double now = param_get(p, gpu);
    uint32_t n = 0;

    for (uint32_t c = 0; c < p->choice_count; c++)
        snprintf(value[n++], sizeof value[0], "%s", p->choice[c]);
    if (p->choice_count != 0)
        return n;
    n = add_value(value, n, now * 2, p);
    n = add_value(value, n, now / 2, p);
    n = add_value(value, n, now + 1, p);
    n = add_value(value, n, now - 1, p);
    n = add_value(value, n, p->min, p);
    for (double v = 1; v <= 1 << 22; v *= 2)
        n = add_value(value, n, v, p);
    for (double v = 10; v <= 1e4; v *= 10)
        n = add_value(value, n, v, p);
    return n;
}

/* ---- scenes ------------------------------------------------------------------ */

static struct teg_gpu *chip_of(const struct scene *scene)
{
    struct teg_gpu *gpu;
    struct teg_diag d;
    char path[64], settings[1024];

    snprintf(path, sizeof path, "config/%s.cfg", scene->gpu);
    ck_assert_msg(teg_gpu_load(path, &gpu, &d) == TEG_OK, "%s", d.what);
    snprintf(settings, sizeof settings, "%s", scene->settings);
    for (char *key = strtok(settings, " "); key != NULL;
         key = strtok(NULL, " ")) {
        char *value = strchr(key, '=');

        *value++ = '\0';
        ck_assert_msg(teg_gpu_set(gpu, key, value, &d) == TEG_OK, "%s", d.what);
    }
    ck_assert_msg(teg_gpu_check(gpu, &d) == TEG_OK, "%s", d.what);
    return gpu;
}

/* Whether one of the values numbered `from` to `to` - 1 does. */
static int changes_scene(const struct scene *scene, const struct param *p,
                         uint32_t from, uint32_t to)
{
    char value[VALUES_MAX][32];
    struct teg_gpu *gpu = chip_of(scene), *changed;
    struct teg_sketch *sketch = NULL;
    struct teg_diag d;
    uint64_t before, after;
    int changes = 0;
    uint32_t n = values_of(p, gpu, value);

    n = n < to ? n : to;
    if (scene->sketch != NULL)
        ck_assert_msg(teg_sketch_parse("scene", scene->sketch,
                                       strlen(scene->sketch), NULL, &sketch,
                                       &d) == TEG_OK,
                      "%s: %s", scene->gpu, d.what);
    ck_assert_msg(outcome_of(sketch, gpu, &before), "%s does not run",
                  scene->gpu);
    for (uint32_t i = from; i < n && !changes; i++) {
        ck_assert(teg_gpu_copy(gpu, &changed, &d) == TEG_OK);
        changes = teg_gpu_set(changed, p->key, value[i], &d) == TEG_OK &&
                  outcome_of(sketch, changed, &after) && after != before;
        teg_gpu_free(changed);
    }
    teg_sketch_close(sketch);
    teg_gpu_free(gpu);
    return changes;
}

/* Keys that no run can show: what is only said (tests/cli/power.sh, tensor.sh),
 * what a sketch cannot say (tcgen.sh, ring.sh), what lies between launches
 * (caches.sh, test_l2.c),
 * and warps that have to hold the threads of an SM and so never limit blocks
 * before those do. */
static const int exempt[] = {KEY_power_calibrated,
                             KEY_power_error_percent,
                             KEY_tensor_clock_mhz,
                             KEY_tensor_pair_latency,
                             KEY_memory_copy_latency,
                             KEY_memory_copy_out_bytes_per_cycle,
                             KEY_memory_copy_line_interval,
                             KEY_l2_join_lines,
                             KEY_l1_carveout_preferred,
                             KEY_l2_writes_resting,
                             KEY_sm_warps_max,
                             KEY_dram_size_gb};

/* Keys apart that are looked at. */
#define STRIDE (KEYS / HELP_ROUNDS(KEYS))

static int changes_some(const struct param *p, uint32_t from, uint32_t to)
{
    int changes = 0;

    for (size_t s = 0; s < sizeof scenes / sizeof scenes[0] && !changes; s++)
        changes = changes_scene(&scenes[s], p, from, to);
    return changes;
}

/* Most keys show in some scene by a value that is near: all scenes come first, and
 * then all values. */
START_TEST(every_key_changes_some_run)
{
    int key = _i * STRIDE;
    uint32_t count;
    const struct param *p = params(&count);
    int changes = 0;

    ck_assert_uint_eq(count, KEYS);
    for (size_t e = 0; e < sizeof exempt / sizeof exempt[0]; e++)
        changes |= key == exempt[e];
    changes = changes || changes_some(&p[key], 0, VALUES_NEAR) ||
              changes_some(&p[key], VALUES_NEAR, VALUES_MAX);
    ck_assert_msg(changes, "%s changes nothing anywhere", p[key].key);
}
END_TEST

HELP_MAIN("config/keys", 120,
          {every_key_changes_some_run, (KEYS + STRIDE - 1) / STRIDE})
