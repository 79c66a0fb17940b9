#include "sim/models/sgemm_bound.h"

#include <stdio.h>
#include <string.h>

#include "isa/base/gcd.h"
#include "sim/models/peak.h"

static const struct teg_parameter parameters[] = {
#define MACHINE(field, rule, fallback, unit, help) \
    MODEL_ROW(field, rule, fallback, unit, help,   \
              offsetof(struct sgemm_machine, field)),
#include "sim/models/sgemm_bound.def"
};

enum {
    PARAMETERS = sizeof parameters / sizeof *parameters,
    MEASURED_B_R = 6, /* blocking factor of the measured mixes */
    USUAL_T_B = 256,
};

const struct teg_term_facts sgemm_terms[SGEMM_TERMS] = {
#define RESULT(field, symbol, unit, equation, help) \
    {symbol, unit, equation, help},
#include "sim/models/sgemm_bound.def"
};

const struct teg_model_inputs sgemm_inputs_kind = {
    .size = sizeof(struct sgemm_machine),
    .parameter = parameters,
    .count = PARAMETERS,
};

/* ---- machines ------------------------------------------------------------ */

/*
 * Lai 2013, Table 1.1, 4.2 to 4.3; resident threads and blocks from the CUDA
 * occupancy calculator.  30.8 is what the published 82.5 % was computed with
 * (4.3.5); 4.3.2 says 30.4.  GTX 680 issues 132 of the 192 lanes; its LDS
 * moves half the bytes of LDS.64 and its mix was not measured.
 */
static const struct sgemm_published published[] = {
    {"gtx580",
     "GeForce GTX 580 (GF110)",
     "Lai 2013, Table 1.1 and 4.3",
     {.p_theoretical = 1581,
      .bandwidth_gbs = 192.4,
      .sp_tp = 32,
      .issue_tp = 32,
      .lds_tp = 16,
      .lds64_tp = 8,
      .lds128_tp = 2,
      .mix_lds = 31.3,
      .mix_lds64 = 30.8,
      .mix_lds128 = 24.5,
      .r_max = 63,
      .r_sm = 32768,
      .sh_sm = 49152,
      .threads_sm = 1536,
      .blocks_sm = 8,
      .threads_block = 1024,
      .r_index = 7}},
    {"gtx680",
     "GeForce GTX 680 (GK104)",
     "Lai 2013, Table 1.1 and 4.2 to 4.3",
     {.p_theoretical = 3090,
      .bandwidth_gbs = 192.26,
      .sp_tp = 192,
      .issue_tp = 132,
      .lds_tp = 33.1,
      .lds64_tp = 33.1,
      .lds128_tp = 16.55,
      .mix_lds64 = 122.4,
      .mix_lds128 = 119.9,
      .r_max = 63,
      .r_sm = 65536,
      .sh_sm = 49152,
      .threads_sm = 2048,
      .blocks_sm = 16,
      .threads_block = 1024,
      .r_index = 7}},
};

const struct sgemm_published *sgemm_published(const char *name)
{
    for (size_t i = 0; i < sizeof published / sizeof *published; i++) {
        if (strcmp(published[i].name, name) == 0)
            return &published[i];
    }
    return NULL;
}

/* A load of `words` words takes that many passes of the shared memory. */
static double load_throughput(const struct teg_gpu *gpu, double words)
{
    double bytes = peak_shared_bytes(gpu);

    return fmin(TEG_LANES * peak_class(gpu, CLASS_LDS), bytes / (4 * words));
}

void sgemm_machine_of(struct sgemm_machine *m, const struct teg_gpu *gpu)
{
    double lanes = peak_stated_lanes(gpu);

    model_inputs_init(m, parameters, PARAMETERS);
    m->p_theoretical =
        2 * lanes * gpu->chip.sms * gpu->chip.sm_clock_mhz / 1000;
    m->bandwidth_gbs =
        gpu->dram.bandwidth_gbs > 0 ? gpu->dram.bandwidth_gbs : HUGE_VAL;
    m->sp_tp = lanes;
    m->issue_tp = TEG_LANES * peak_issue(gpu);
    m->lds_tp = load_throughput(gpu, 1);
    m->lds64_tp = load_throughput(gpu, 2);
    m->lds128_tp = load_throughput(gpu, 4);
    m->r_max = gpu->sm.registers_per_thread_max;
    m->r_sm = gpu->sm.registers;
    m->sh_sm = gpu->sm.shared_bytes;
    m->threads_sm = gpu->sm.threads_max;
    m->blocks_sm = gpu->sm.blocks_max;
    m->threads_block = gpu->sm.threads_per_block_max;
}

/* ---- throughput of the mix ------------------------------------------------ */

static double load_rate(const struct sgemm_machine *m, enum sgemm_load load)
{
    const double rate[SGEMM_LOADS] = {m->lds_tp, m->lds64_tp, m->lds128_tp};

    return rate[load];
}

static double measured_mix(const struct sgemm_machine *m, enum sgemm_load load)
{
    const double mix[SGEMM_LOADS] = {m->mix_lds, m->mix_lds64, m->mix_lds128};

    return mix[load];
}

static double loads_per_operand(enum sgemm_load load)
{
    return 1 / (double)(1 << load);
}

/* Issue, multiply-adds and loads overlap perfectly. */
static double ideal_mix(const struct sgemm_machine *m, double b_r,
                        enum sgemm_load load)
{
    double ffma = b_r * b_r, lds = 2 * b_r * loads_per_operand(load);
    double time = fmax((ffma + lds) / m->issue_tp,
                       fmax(ffma / m->sp_tp, lds / load_rate(m, load)));

    return (ffma + lds) / time;
}

/* What a measurement fell short of the ideal at B_R 6 it does elsewhere. */
static double mix(const struct sgemm_machine *m, double b_r,
                  enum sgemm_load load)
{
    double measured = measured_mix(m, load);
    double shortfall =
        measured > 0 ? measured / ideal_mix(m, MEASURED_B_R, load) : 1;

    return ideal_mix(m, b_r, load) * shortfall;
}

/* ---- one choice of blocking factors --------------------------------------- */

static uint32_t root_of(uint32_t t_b)
{
    return (uint32_t)(sqrt(t_b) + 0.5);
}

uint32_t sgemm_stride_step(uint32_t t_b, uint32_t b_r)
{
    return t_b / teg_gcd(t_b, root_of(t_b) * b_r);
}

static void register_terms(const struct sgemm_machine *m,
                           struct sgemm_result *r)
{
    double root = sqrt(r->t_b);

    r->prefetch = 2 * root * r->b_r * r->l / r->t_b;
    r->r_t =
        r->b_r * r->b_r + r->prefetch + r->b_r + r->width / 32 + m->r_index;
}

static void residence_terms(const struct sgemm_machine *m,
                            struct sgemm_result *r)
{
    double block_bytes = 4 * 2 * sqrt(r->t_b) * r->b_r * r->l;

    r->blk = floor(fmin(m->r_sm / (r->r_t * r->t_b), m->threads_sm / r->t_b));
    r->blk = fmin(r->blk, fmin(floor(m->sh_sm / block_bytes), m->blocks_sm));
    r->t_sm = r->blk * r->t_b;
    r->shared = r->blk * block_bytes;
}

static void bound_terms(const struct sgemm_machine *m, enum sgemm_load load,
                        struct sgemm_result *r)
{
    double ffma = r->b_r * r->b_r;

    r->b_sh = sqrt(r->t_b) * r->b_r;
    r->f_i = loads_per_operand(load);
    r->fraction = ffma / (ffma + 2 * r->b_r * r->f_i);
    r->ideal_tp = ideal_mix(m, r->b_r, load);
    r->mix_tp = mix(m, r->b_r, load);
    r->f_t = m->given_f_t > 0 ? m->given_f_t : r->mix_tp / m->sp_tp;
    r->p_sm = r->fraction * r->f_t * m->p_theoretical;
    r->p_mem = m->bandwidth_gbs * r->b_sh / 4;
    r->p = fmin(r->p_sm, r->p_mem);
    r->percent = 100 * r->p / m->p_theoretical;
}

teg_status sgemm_evaluate(const struct sgemm_machine *m, uint32_t t_b,
                          uint32_t b_r, uint32_t l, enum sgemm_load load,
                          struct sgemm_result *r, struct teg_diag *d)
{
    uint32_t root = root_of(t_b);

    *r = (struct sgemm_result){
        .t_b = t_b, .b_r = b_r, .l = l, .width = 32 << load};
    if (t_b == 0 || root * root != t_b || t_b % TEG_LANES != 0 ||
        t_b > m->threads_block)
        return teg_fail(d, TEG_LIMIT, "T_B",
                        "expected a multiple of 32 with an integer root, at "
                        "most %.0f, found %u",
                        m->threads_block, t_b);
    if (b_r == 0 || l == 0 || root * b_r * l % t_b != 0)
        return teg_fail(d, TEG_LIMIT, "L",
                        "expected a multiple of %u (4.4), found %u",
                        b_r != 0 ? sgemm_stride_step(t_b, b_r) : 0, l);
    register_terms(m, r);
    if (r->r_t > m->r_max)
        return teg_fail(d, TEG_LIMIT, "R_T",
                        "expected at most %.0f registers (4.5), found %.0f",
                        m->r_max, r->r_t);
    residence_terms(m, r);
    if (r->blk < 1)
        return teg_fail(d, TEG_LIMIT, "Blk",
                        "not one block fits the registers, the threads and "
                        "the shared memory of an SM (4.2, 4.6)");
    bound_terms(m, load, r);
    return TEG_OK;
}

/* ---- search ---------------------------------------------------------------- */

/* Bounds that differ by rounding only are equal. */
static int is_better(const struct sgemm_result *a, const struct sgemm_result *b)
{
    double from_usual = fabs(a->t_b - USUAL_T_B) - fabs(b->t_b - USUAL_T_B);

    if (b->t_b == 0)
        return 1;
    if (fabs(a->p - b->p) > 1e-9 * b->p)
        return a->p > b->p;
    if (from_usual != 0)
        return from_usual < 0;
    if (a->t_sm != b->t_sm)
        return a->t_sm > b->t_sm;
    return a->l > b->l;
}

static void search_strides(const struct sgemm_machine *m, uint32_t t_b,
                           uint32_t b_r, enum sgemm_load load,
                           struct sgemm_result *best)
{
    uint32_t step = sgemm_stride_step(t_b, b_r);
    struct sgemm_result r;

    /* Registers grow with L, so the first that does not fit ends it. */
    for (uint32_t l = step; l <= m->r_max * t_b; l += step) {
        if (sgemm_evaluate(m, t_b, b_r, l, load, &r, NULL) == TEG_OK &&
            is_better(&r, best))
            *best = r;
        if (r.r_t > m->r_max)
            break;
    }
}

static void search_load(const struct sgemm_machine *m, enum sgemm_load load,
                        struct sgemm_result *best)
{
    for (uint32_t root = 8; root * root <= m->threads_block; root += 8) {
        for (uint32_t b_r = 1; b_r * b_r + b_r + 1 < m->r_max; b_r++) {
            if (m->only_b_r == 0 || m->only_b_r == b_r)
                search_strides(m, root * root, b_r, load, best);
        }
    }
}

teg_status sgemm_search(const struct sgemm_machine *m, enum sgemm_load load,
                        struct sgemm_result *best, struct teg_diag *d)
{
    TRY(model_inputs_check(m, parameters, PARAMETERS, d));
    *best = (struct sgemm_result){0};
    for (enum sgemm_load x = SGEMM_LDS; x < SGEMM_LOADS; x++) {
        if (load == SGEMM_LOADS || load == x)
            search_load(m, x, best);
    }
    if (best->t_b == 0)
        return teg_fail(d, TEG_LIMIT, "",
                        "no blocking factors fit this machine's registers "
                        "and shared memory");
    return TEG_OK;
}

/* ---- register banks -------------------------------------------------------- */

uint32_t kepler_register_bank(uint32_t reg)
{
    return 2 * (reg % 2) + (reg % 8 >= 4);
}

static int is_among(uint32_t reg, const uint32_t *source, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (source[i] == reg)
            return 1;
    }
    return 0;
}

uint32_t kepler_register_ways(const uint32_t *source, uint32_t count)
{
    uint32_t in_bank[4] = {0}, most = 1;

    for (uint32_t i = 0; i < count; i++) {
        uint32_t bank = kepler_register_bank(source[i]);

        if (is_among(source[i], source, i))
            continue;
        if (++in_bank[bank] > most)
            most = in_bank[bank];
    }
    return most;
}
