/* What the rows of findings.def ask of a kernel. */
#include "tools/teg/report/findings_rules.h"

#include <math.h>

#include "sim/models/peak.h"
#include "tools/teg/report/verdict.h"

#define CONVERSIONS_MIN 0.25 /* of their unit's time */
#define SCATTERED_MIN   1.5 /* of the bytes asked for: lanes go their own ways */

static double ratio(double part, double whole)
{
    return whole > 0 ? part / whole : 0;
}

static double at_least_0(double v)
{
    return v > 0 ? v : 0;
}

/* Of the SMs that had work. */
static double of_sm_time(const struct evidence *e, double cycles)
{
    return ratio(cycles, (double)e->s->cycles * e->s->active_sms);
}

static double stalled(const struct evidence *e, enum teg_stall r)
{
    return ratio((double)e->s->stall[r], (double)e->s->resident_warp_cycles);
}

double share_never(const struct evidence *e)
{
    (void)e;
    return 0;
}

/* ---- waits, by their stall ------------------------------------------------ */

#define STALLED(name, reason)                      \
    double share_##name(const struct evidence *e)  \
    {                                              \
        return stalled(e, reason);                 \
    }                                              \
    double figure_##name(const struct evidence *e) \
    {                                              \
        return 100 * stalled(e, reason);           \
    }
STALLED(no_instruction, STALL_NO_INSTRUCTION)
STALLED(constant_misses, STALL_IMC_MISS)
STALLED(fences, STALL_MEMBAR)
STALLED(sleep, STALL_SLEEPING)
STALLED(long_scoreboard, STALL_LONG)
STALLED(short_scoreboard, STALL_SHORT)
STALLED(dependences, STALL_WAIT)
STALLED(barriers, STALL_BARRIER)
STALLED(tensor, STALL_GMMA)
STALLED(branches, STALL_BRANCHING)
STALLED(same_warp, STALL_SAME_WARP)
#undef STALLED

/* Blocks that all find a place at once are not too many. */
double share_dispatch(const struct evidence *e)
{
    return e->s->occupancy.limit != OCCUPANCY_GRID ? stalled(e, STALL_DISPATCH)
                                                   : 0;
}

double figure_dispatch(const struct evidence *e)
{
    return 100 * stalled(e, STALL_DISPATCH);
}

/* ---- accesses ------------------------------------------------------------- */

/* What their passes hold the unit beyond what the accesses hold it without: an
 * instruction of two cycles hides a pass of one. */
double share_bank_conflicts(const struct evidence *e)
{
    const struct teg_memory_statistics *m = &e->s->memory;
    double pass = e->gpu->shared.pass_interval;
    double passes =
        (double)m->shared_passes - (double)m->shared_atomic_conflicts;
    double without = fmax((double)m->shared_groups * pass,
                          (double)(m->shared_requests - m->shared_atomics) *
                              e->gpu->timing[CLASS_LDS].interval);

    return of_sm_time(e, at_least_0(passes * pass - without));
}

double figure_conflict_degree(const struct evidence *e)
{
    return ratio((double)e->s->memory.shared_passes,
                 (double)e->s->memory.shared_groups);
}

static double wasted(const struct evidence *e)
{
    return at_least_0(1 - ratio((double)e->s->memory.useful_bytes,
                                (double)e->s->memory.bytes));
}

/* Of the warps' time: for loads, or for room to send them. */
static double waits_for_memory(const struct evidence *e)
{
    return fmin(stalled(e, STALL_LONG) + stalled(e, STALL_LG_THROTTLE), 1);
}

/* Of the time that memory takes: what it moves in vain. */
double share_uncoalesced(const struct evidence *e)
{
    return e->s->memory.bytes > 0 ? wasted(e) * waits_for_memory(e) : 0;
}

double figure_wasted_percent(const struct evidence *e)
{
    return 100 * wasted(e);
}

double share_shared_atomic_conflicts(const struct evidence *e)
{
    double each =
        fmax(e->gpu->shared.atomic_interval, e->gpu->shared.pass_interval);

    /* Behind what takes as long without the conflicts. */
    return 0.99 *
           of_sm_time(e, (double)e->s->memory.shared_atomic_conflicts * each);
}

double figure_shared_conflict_lanes(const struct evidence *e)
{
    return ratio((double)e->s->memory.shared_atomic_conflicts,
                 (double)e->s->memory.shared_atomics);
}

/* Updates of a word by one block, if each block has all words. */
double figure_lanes_of_a_word(const struct evidence *e)
{
    const struct teg_memory_statistics *m = &e->s->memory;

    return ratio((double)m->atomic_lanes,
                 (double)m->atomic_words * (double)e->s->blocks);
}

double share_atomic_conflicts(const struct evidence *e)
{
    double updates = figure_lanes_of_a_word(e);

    if (updates <= 1)
        return 0;
    return 0.99 * (1 - 1 / updates) *
           fmin(ratio(peak_atomic_cycles(e->s, e->gpu), (double)e->s->cycles),
                1);
}

/* Of the time of their unit, which they share with others. */
static double converting(const struct evidence *e, enum teg_op_class c)
{
    uint8_t unit = e->gpu->timing[c].unit[0];
    double busy =
        ratio((double)e->s->unit[unit].busy_cycles,
              (double)e->s->unit[unit].instances * (double)e->s->cycles);
    double share = fmin(busy, 0.99) * ratio((double)e->s->class_[c].issued,
                                            (double)e->s->unit[unit].issued);

    return share > CONVERSIONS_MIN ? share : 0;
}

#define CONVERTED(name, c)                                   \
    double share_##name(const struct evidence *e)            \
    {                                                        \
        return converting(e, c);                             \
    }                                                        \
    double figure_##name(const struct evidence *e)           \
    {                                                        \
        return 100 * ratio((double)e->s->class_[c].issued,   \
                           (double)e->s->warp_instructions); \
    }
CONVERTED(conversions, CLASS_CONVERT64)
CONVERTED(narrow_conversions, CLASS_CONVERT)
#undef CONVERTED

/* Of what DRAM can move. */
static double dram_used(const struct evidence *e)
{
    return ratio(dram_gbs(e->s, e->gpu), e->gpu->dram.bandwidth_gbs);
}

double figure_channel_skew(const struct evidence *e)
{
    return ratio((double)e->s->channel_bytes_max * e->s->channels,
                 (double)e->s->channel_bytes_sum);
}

/* Few transactions are never even. */
double share_channel_skew(const struct evidence *e)
{
    double skew = figure_channel_skew(e);

    return skew > 1 ? fmin(dram_used(e) * (skew - 1), 1) : 0;
}

double share_constant_conflicts(const struct evidence *e)
{
    const struct teg_memory_statistics *m = &e->s->memory;
    double more = (double)m->constant_addresses - (double)m->constant_requests;

    return of_sm_time(e, at_least_0(more) * e->gpu->constant.distinct_interval);
}

double figure_constant_addresses(const struct evidence *e)
{
    return ratio((double)e->s->memory.constant_addresses,
                 (double)e->s->memory.constant_requests);
}

static double local_bytes(const struct evidence *e)
{
    double bytes = 0;

    for (uint32_t i = 0; e->by_pc != NULL && i < e->by_pc->count; i++) {
        if (e->by_pc->program->inst[i].space == SPACE_LOCAL)
            bytes += (double)e->by_pc->row[i].bytes;
    }
    return ratio(bytes, (double)e->s->memory.bytes);
}

/* Whether lanes access different elements, which no registers can hold: those
 * of one element lie side by side. */
static bool scatters(const struct evidence *e)
{
    double bytes = 0, useful = 0;

    for (uint32_t i = 0; e->by_pc != NULL && i < e->by_pc->count; i++) {
        if (e->by_pc->program->inst[i].space != SPACE_LOCAL)
            continue;
        bytes += (double)e->by_pc->row[i].bytes;
        useful += (double)e->by_pc->row[i].useful_bytes;
    }
    return bytes > SCATTERED_MIN * useful;
}

double share_spills(const struct evidence *e)
{
    return scatters(e) ? 0 : local_bytes(e) * waits_for_memory(e);
}

double share_scattered_locals(const struct evidence *e)
{
    return scatters(e) ? local_bytes(e) * waits_for_memory(e) : 0;
}

double figure_local_percent(const struct evidence *e)
{
    return 100 * local_bytes(e);
}

/* ---- warps ---------------------------------------------------------------- */

/* What they cost is only measured: most are hidden, or stand by for reuse. */
double share_register_banks(const struct evidence *e)
{
    return figure_register_banks(e) > 5 ? 0.02 : 0;
}

double figure_register_banks(const struct evidence *e)
{
    return 100 * ratio((double)e->s->register_conflicts_2 +
                           (double)e->s->register_conflicts_3,
                       (double)e->s->warp_instructions);
}

double figure_mean_lanes(const struct evidence *e)
{
    return ratio((double)e->s->thread_instructions,
                 (double)e->s->warp_instructions);
}

/* Of the issue slots that are used. */
double share_divergence(const struct evidence *e)
{
    double used = ratio((double)e->s->warp_instructions,
                        (double)e->s->cycles * issue_slots(e->s, e->gpu));

    return (1 - figure_mean_lanes(e) / TEG_LANES) * fmin(used, 1);
}

double figure_resident_warps(const struct evidence *e)
{
    return e->s->occupancy.warps_per_sm;
}

/* What more warps would gain is not supposed, only measured. */
double share_occupancy(const struct evidence *e)
{
    enum teg_occupancy_limit limit = e->s->occupancy.limit;
    bool limited = limit == OCCUPANCY_REGISTERS || limit == OCCUPANCY_SHARED ||
                   limit == OCCUPANCY_BLOCKS;

    return limited && e->s->occupancy.warps_per_sm < e->gpu->sm.warps_max ? 0.02
                                                                          : 0;
}

/* Who waits at barriers for warps that execute more than the others; whose
 * blocks differ is another matter, and where warps wait for phases they have
 * work of their own: one copies, one multiplies. */
double share_uneven_warps(const struct evidence *e)
{
    double mean = ratio((double)e->s->warp_instructions, (double)e->s->warps);
    double uneven = 1 - ratio(mean, (double)e->s->warp_instructions_most);

    return e->part || e->s->phases != 0
               ? 0
               : fmin(stalled(e, STALL_BARRIER), uneven);
}

double figure_uneven_warps(const struct evidence *e)
{
    return ratio((double)e->s->warp_instructions_most * (double)e->s->warps,
                 (double)e->s->warp_instructions);
}

/* ---- SMs ------------------------------------------------------------------ */

double figure_active_sms(const struct evidence *e)
{
    return e->s->active_sms;
}

double figure_late_sms(const struct evidence *e)
{
    return e->s->late_sms;
}

/* Of what all SMs share, which more of them would not make faster. */
static double chip_used(const struct evidence *e)
{
    double cycles = (double)e->s->cycles;
    double l2 =
        ratio(l2_work(e->s, e->gpu), cycles * e->gpu->l2.bytes_per_cycle);

    return fmax(fmax(dram_used(e), l2),
                ratio(peak_atomic_cycles(e->s, e->gpu), cycles));
}

/* Of the SMs' time: after their last block. */
static double after_last(const struct evidence *e)
{
    double all = (double)e->s->cycles * e->s->sms;

    return e->part || all <= 0
               ? 0
               : at_least_0(1 - (double)e->s->sm_busy_cycles / all);
}

/* Of it what all SMs together could use. */
static double idle(const struct evidence *e)
{
    return fmin(after_last(e), at_least_0(1 - chip_used(e)));
}

double share_small_launch(const struct evidence *e)
{
    return e->s->blocks < e->s->sms ? idle(e) : 0;
}

/* Of `parts` that are taken a whole one at a time, what the last one leaves. */
static double rest_of(double parts)
{
    return 1 - ratio(parts, ceil(parts));
}

/* The same of a launch whose blocks take equally long: as many on each SM as the
 * fullest has, but for the last, or, where those that are resident wait rather
 * than compute, in waves of as many as the chip holds. */
static double idle_of_equal(const struct evidence *e)
{
    double each = (double)e->s->blocks / e->s->sms;
    double resident = fmax(e->s->occupancy.blocks_per_sm, 1);

    return each <= resident ? rest_of(each)
                            : fmax(rest_of(each), rest_of(each / resident));
}

/* No warp executes so much more than the mean that its block would: not even as
 * in a triangle, where the longest is twice the mean. */
static bool are_alike(const struct evidence *e)
{
    return (double)e->s->warp_instructions_most * (double)e->s->warps <=
           1.75 * (double)e->s->warp_instructions;
}

/* Above what equal blocks differ by. */
static bool is_uneven(const struct evidence *e)
{
    double each = (double)e->s->blocks / e->s->sms;
    double equal = are_alike(e) ? idle_of_equal(e) : rest_of(each);

    return after_last(e) > 1.5 * equal + 0.1;
}

double share_imbalance(const struct evidence *e)
{
    return e->s->blocks >= e->s->sms && is_uneven(e) ? idle(e) : 0;
}

double share_tail(const struct evidence *e)
{
    return e->s->blocks >= e->s->sms && !is_uneven(e) ? idle(e) : 0;
}
