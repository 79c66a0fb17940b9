#include "sim/memory/shared.h"

#include "sim/memory/atomic.h"
#include "sim/memory/banks.h"
#include "sim/memory/lanes.h"

enum {
    WORDS_MAX = 4, /* of 4 bytes that a lane asks for at once */
};

/* Any word of a pass reaches every lane that wants it: a bank needs as many
 * passes as it has different words. */
static uint32_t passes_any(const uint64_t *word, uint32_t n,
                           const struct teg_gpu *gpu)
{
    return sim_busiest_bank(word, n, gpu->shared.banks);
}

/* The word most of the lanes still want; the first such. */
static uint64_t most_wanted(const uint64_t *word, uint32_t n)
{
    uint64_t best = word[0];
    uint32_t best_count = 0;

    for (uint32_t i = 0; i < n; i++) {
        uint32_t count = 0;

        for (uint32_t j = i; j < n; j++)
            count += word[j] == word[i];
        if (count > best_count) {
            best_count = count;
            best = word[i];
        }
    }
    return best;
}

/* One word per pass goes to all lanes that want it, every other bank serves
 * one lane.  The guide leaves open which word is chosen; the most wanted one
 * here.  (CUDA programming guide 2.x, 5.1.2.5) */
static uint32_t passes_one(const uint64_t *wanted, uint32_t n,
                           const struct teg_gpu *gpu)
{
    uint64_t word[SIM_BANK_WORDS_MAX];
    uint32_t passes = 0;

    for (uint32_t i = 0; i < n; i++)
        word[i] = wanted[i];
    for (; n != 0; passes++) {
        uint64_t broadcast = most_wanted(word, n);
        uint64_t used[SIM_BANKS_MAX / 64] = {0};
        uint32_t left = 0;

        used[broadcast % gpu->shared.banks / 64] |=
            1ull << (broadcast % gpu->shared.banks % 64);
        for (uint32_t i = 0; i < n; i++) {
            uint32_t b = (uint32_t)(word[i] % gpu->shared.banks);

            if (word[i] == broadcast)
                continue;
            if (used[b / 64] >> (b % 64) & 1)
                word[left++] = word[i];
            used[b / 64] |= 1ull << (b % 64);
        }
        n = left;
    }
    return passes;
}

static uint32_t passes_ideal(const uint64_t *word, uint32_t n,
                             const struct teg_gpu *gpu)
{
    (void)word, (void)n, (void)gpu;
    return 1;
}

typedef uint32_t (*passes_rule)(const uint64_t *word, uint32_t n,
                                const struct teg_gpu *gpu);

static const passes_rule passes_rules[] = {
    [BROADCAST_ANY] = passes_any,
    [BROADCAST_ONE] = passes_one,
    [BROADCAST_IDEAL] = passes_ideal,
};

static uint32_t words_of(const struct teg_inst *inst, const struct teg_gpu *gpu)
{
    uint32_t words =
        (inst->width + gpu->shared.bank_bytes - 1) / gpu->shared.bank_bytes;

    if (words < 1)
        return 1;
    return words < WORDS_MAX ? words : WORDS_MAX;
}

/* Whether every active lane asks for what the lane `apart` from it in the
 * number's bit does, if that is active. */
static int in_pairs(const struct teg_access *a, uint32_t apart)
{
    for (uint32_t rest = a->mask; rest != 0; rest &= rest - 1) {
        uint32_t lane = sim_first_lane(rest), other = lane ^ apart;

        if ((a->mask >> other & 1) &&
            teg_access_lane(a, lane) != teg_access_lane(a, other))
            return 0;
    }
    return 1;
}

/* What comes back takes a register of a warp a cycle, or two where pairs of
 * lanes get the same.  (developer forum 77228) */
static int packs(const struct teg_gpu *gpu, const struct teg_inst *inst,
                 const struct teg_access *a)
{
    return gpu->shared.packs_pairs && inst->op_class != CLASS_LDSM &&
           (inst->flags & (INST_LOAD | INST_ATOMIC)) == INST_LOAD &&
           (in_pairs(a, 1) || in_pairs(a, 2));
}

/* Lanes served together. */
static uint32_t group_lanes(const struct teg_gpu *gpu,
                            const struct teg_inst *inst,
                            const struct teg_access *a, uint32_t words)
{
    uint32_t lanes = gpu->shared.group;

    if (lanes == TEG_LANES && words > 1) {
        lanes /= words == 2 ? 2 : 4;
        lanes <<= packs(gpu, inst, a);
    }
    return lanes;
}

/* Every lane its own bank, or all lanes one word: what most accesses are. */
static int plain_line(const struct teg_access *a)
{
    return a->shape == SHAPE_LINE && (a->stride == 4 || a->stride == 0);
}

/* Two rows of 16 lanes, as in tiles, over 32 banks: a row is 16 words side by
 * side or one word for all.  Free of conflicts if the rows are the same, or if
 * the second keeps clear of the first's banks. */
static int plain_rows(const struct teg_access *a, const struct teg_gpu *gpu)
{
    uint32_t apart = (uint32_t)a->pitch / 4 % 32;

    if (a->shape != SHAPE_GRID || a->group_log2 != 4 || a->pitch % 4 != 0 ||
        gpu->shared.banks != 32 || gpu->shared.broadcast != BROADCAST_ANY)
        return 0;
    if (a->stride == 4)
        return a->pitch == 0 || apart == 16;
    return a->stride == 0 && (a->pitch == 0 || apart != 0);
}

static int plain_shared(const struct teg_access *a, const struct teg_inst *inst,
                        const struct teg_gpu *gpu)
{
    return inst->width == 4 && a->base % 4 == 0 &&
           gpu->shared.bank_bytes == 4 && (plain_line(a) || plain_rows(a, gpu));
}

/* The words wanted by the lanes of `mask`, in the order of the lanes; a word
 * that the lane before wants too is left out where it makes no difference. */
static uint32_t gather_words(const struct teg_access *a, uint32_t mask,
                             uint32_t words, const struct teg_gpu *gpu,
                             uint64_t *word)
{
    int every = gpu->shared.broadcast == BROADCAST_ONE;
    uint32_t n = 0;

    for (; mask != 0; mask &= mask - 1) {
        uint64_t first =
            teg_access_lane(a, sim_first_lane(mask)) / gpu->shared.bank_bytes;

        if (!every && n >= words && word[n - words] == first)
            continue;
        for (uint32_t w = 0; w < words; w++)
            word[n++] = first + w;
    }
    return n;
}

static struct sim_known_pattern work_out(const struct teg_gpu *gpu,
                                         const struct teg_inst *inst,
                                         const struct teg_access *a)
{
    struct sim_known_pattern p = {.passes = 0};
    passes_rule rule = passes_rules[gpu->shared.broadcast];
    uint32_t words = words_of(inst, gpu);
    uint32_t lanes = group_lanes(gpu, inst, a, words);
    uint32_t group_mask = lanes == 32 ? UINT32_MAX : (1u << lanes) - 1;
    int serial = sim_atomic_serializes(gpu, inst);
    int plain =
        !serial && plain_shared(a, inst, gpu) && gpu->shared.banks >= lanes;
    uint32_t wide = inst->width == 16 ? gpu->shared.passes_128 : 1;

    for (uint32_t at = 0; at < TEG_LANES; at += lanes) {
        uint32_t mask = a->mask & group_mask << at;
        uint64_t word[SIM_BANK_WORDS_MAX];
        uint32_t n;

        if (mask == 0)
            continue;
        p.groups++;
        if (plain) {
            p.passes++;
            continue;
        }
        if (serial) {
            p.passes += wide * sim_atomic_passes(gpu, a, mask, words);
            continue;
        }
        n = gather_words(a, mask, words, gpu, word);
        p.passes += wide * rule(word, n, gpu);
    }
    return p;
}

/* What group_lanes and words_of look at besides the access. */
static uint32_t kind_of(const struct teg_inst *inst)
{
    return inst->op_class | (uint32_t)(inst->flags & INST_LOAD) << 8;
}

void sim_shared_passes(struct sim_plan *plan, const struct teg_gpu *gpu,
                       const struct teg_inst *inst, const struct teg_access *a,
                       struct sim_known *known)
{
    struct sim_known_pattern fresh, *p = &fresh;
    int is_known = 0;

    if (known != NULL && a->shape != SHAPE_LIST &&
        (inst->flags & INST_ATOMIC) == 0)
        p = sim_known_passes(known,
                             sim_known_key_of(SIM_KNOWN_SHARED, a, inst->width,
                                              gpu->shared.bank_bytes,
                                              kind_of(inst)),
                             &is_known);
    if (!is_known) {
        fresh = work_out(gpu, inst, a);
        p->passes = fresh.passes;
        p->groups = fresh.groups;
    }
    plan->request.passes += p->passes;
    plan->request.groups += p->groups;
}
