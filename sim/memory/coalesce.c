#include "sim/memory/coalesce.h"

#include <assert.h>

enum {
    WINDOW_BYTES = 1 << 24, /* of shared and local memory in generic space */
    HALF = TEG_LANES / 2,
    LINE_BYTES = 128,
    ALL_SECTORS = 15,
    WORD_BYTES = 4,
    BANKS_MAX = 128,
    WORDS_MAX = 4,             /* of 4 bytes that a lane asks for at once */
    FIRST_OF_WHOLE_WARPS = 20, /* compute capability that coalesces those */
};

static uint32_t first_lane(uint32_t mask)
{
    return (uint32_t)__builtin_ctz(mask);
}

static uint32_t count_lanes(uint32_t mask)
{
    return mask == UINT32_MAX ? TEG_LANES : (uint32_t)__builtin_popcount(mask);
}

/* ---- spaces -------------------------------------------------------------- */

enum teg_space sim_resolve_space(const struct teg_inst *inst,
                                 const struct teg_access *a,
                                 const struct sim_windows *windows)
{
    uint64_t address;

    if (inst->space != SPACE_GENERIC)
        return inst->space;
    address = teg_access_lane(a, first_lane(a->mask));
    if (windows->shared_base != 0 &&
        address - windows->shared_base < WINDOW_BYTES)
        return SPACE_SHARED;
    if (windows->local_base != 0 &&
        address - windows->local_base < WINDOW_BYTES)
        return SPACE_LOCAL;
    return SPACE_GLOBAL;
}

/* ---- shared memory -------------------------------------------------------
 *
 * Banks are bank_bytes wide, successive words in successive banks.  A group
 * of lanes needs as many passes as its busiest bank has different words
 * (Lai 2013, 3.2.3.3).  Lanes that ask for more than one word are served in
 * smaller groups where the whole warp is the group (compute capability 2.0
 * on: 64-bit per half warp, 128-bit per quarter), and word after word where
 * it is the half warp.
 */

enum {
    GROUP_WORDS_MAX = TEG_LANES * (WORDS_MAX + 1),
    NONE = 255
};

/* Returns 1 if no bank has two different words.  The common case, without the
 * chains. */
static int no_conflict(const uint64_t *word, uint32_t n, uint32_t banks)
{
    uint64_t held[64], used = 0;

    if (banks > 64)
        return 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t b = (uint32_t)word[i] & (banks - 1);

        if ((used >> b & 1) && held[b] != word[i])
            return 0;
        held[b] = word[i];
        used |= 1ull << b;
    }
    return 1;
}

/* How many different words the busiest bank has.  Each bank's words form a
 * chain. */
static uint32_t busiest_bank(const uint64_t *word, uint32_t n, uint32_t banks)
{
    uint8_t head[BANKS_MAX], next[GROUP_WORDS_MAX], length[BANKS_MAX];
    uint32_t most = 0;

    if (no_conflict(word, n, banks))
        return 1;
    for (uint32_t b = 0; b < banks; b++) {
        head[b] = NONE;
        length[b] = 0;
    }
    for (uint32_t i = 0; i < n; i++) {
        uint32_t b = (uint32_t)(word[i] % banks);
        uint8_t k = head[b];

        while (k != NONE && word[k] != word[i])
            k = next[k];
        if (k != NONE)
            continue;
        next[i] = head[b];
        head[b] = (uint8_t)i;
        if (++length[b] > most)
            most = length[b];
    }
    return most;
}

/* Any word of a pass reaches every lane that wants it: a bank needs as many
 * passes as it has different words. */
static uint32_t passes_any(const uint64_t *word, uint32_t n,
                           const struct teg_gpu *gpu)
{
    return busiest_bank(word, n, gpu->shared.banks);
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
    uint64_t word[GROUP_WORDS_MAX];
    uint32_t passes = 0;

    for (uint32_t i = 0; i < n; i++)
        word[i] = wanted[i];
    for (; n != 0; passes++) {
        uint64_t broadcast = most_wanted(word, n);
        uint64_t used[BANKS_MAX / 64] = {0};
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

/* Lanes served together. */
static uint32_t group_lanes(const struct teg_gpu *gpu, uint32_t words)
{
    uint32_t lanes = gpu->shared.group;

    if (lanes == TEG_LANES && words > 1)
        lanes /= words == 2 ? 2 : 4;
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
            teg_access_lane(a, first_lane(mask)) / gpu->shared.bank_bytes;

        if (!every && n >= words && word[n - words] == first)
            continue;
        for (uint32_t w = 0; w < words; w++)
            word[n++] = first + w;
    }
    return n;
}

static void plan_shared(struct sim_plan *plan, const struct teg_gpu *gpu,
                        const struct teg_inst *inst, const struct teg_access *a)
{
    passes_rule rule = passes_rules[gpu->shared.broadcast];
    uint32_t words = words_of(inst, gpu);
    uint32_t lanes = group_lanes(gpu, words);
    uint32_t group_mask = lanes == 32 ? UINT32_MAX : (1u << lanes) - 1;
    int plain = plain_shared(a, inst, gpu) && gpu->shared.banks >= lanes;

    uint32_t wide = inst->width == 16 ? gpu->shared.passes_128 : 1;

    for (uint32_t at = 0; at < TEG_LANES; at += lanes) {
        uint32_t mask = a->mask & group_mask << at;
        uint64_t word[GROUP_WORDS_MAX];
        uint32_t n;

        if (mask == 0)
            continue;
        plan->request.groups++;
        if (plain) {
            plan->request.passes++;
            continue;
        }
        n = gather_words(a, mask, words, gpu, word);
        plan->request.passes += wide * rule(word, n, gpu);
    }
}

/* ---- global memory ------------------------------------------------------- */

static void add(struct sim_plan *plan, uint64_t address, uint32_t bytes,
                uint32_t sectors)
{
    assert(plan->count < SIM_TRANSACTIONS_MAX);
    plan->transaction[plan->count++] =
        (struct sim_transaction){address, bytes, (uint8_t)sectors, 0};
    plan->request.bytes += bytes;
}

/* Compute capability 1.0 and 1.1: a half warp is one access only if thread k
 * takes element k of a row aligned to 16 elements; else one transaction of
 * at least 32 bytes per active thread.  (CUDA programming guide 1.x) */
static int in_order(const struct teg_access *a, uint32_t mask, uint32_t first,
                    uint32_t width, uint64_t *base)
{
    uint32_t lane = first_lane(mask);

    if (width != 4 && width != 8 && width != 16)
        return 0;
    *base = teg_access_lane(a, lane) - (uint64_t)(lane - first) * width;
    if (*base % (HALF * width) != 0)
        return 0;
    for (; mask != 0; mask &= mask - 1) {
        lane = first_lane(mask);
        if (teg_access_lane(a, lane) !=
            *base + (uint64_t)(lane - first) * width)
            return 0;
    }
    return 1;
}

static void coalesce_cc10(struct sim_plan *plan, const struct teg_inst *inst,
                          const struct teg_access *a)
{
    uint32_t width = inst->width != 0 ? inst->width : 4;
    uint32_t alone = width > SIM_SECTOR_BYTES ? width : SIM_SECTOR_BYTES;

    for (uint32_t first = 0; first < TEG_LANES; first += HALF) {
        uint32_t mask = a->mask & 0xffffu << first;
        uint64_t base;

        if (mask == 0)
            continue;
        if (in_order(a, mask, first, width, &base)) {
            for (uint32_t at = 0; at < HALF * width; at += LINE_BYTES)
                add(plan, base + at,
                    HALF * width < LINE_BYTES ? HALF * width : LINE_BYTES, 0);
            continue;
        }
        for (; mask != 0; mask &= mask - 1) {
            uint64_t address = teg_access_lane(a, first_lane(mask));

            add(plan, address - address % alone, alone, 0);
        }
    }
}

/* Compute capability 1.2 and 1.3: the segment of the lowest active thread
 * (32, 64 or 128 bytes for elements of 1, 2 or more) takes all threads whose
 * elements lie in it, then shrinks to the half that is used, twice at most;
 * and so on for the rest.  (CUDA programming guide 2.x, 5.1.2.1) */
static void one_segment(struct sim_plan *plan, const struct teg_access *a,
                        uint32_t width, uint32_t *mask)
{
    uint64_t lowest = UINT64_MAX, highest = 0, start;
    uint64_t address = teg_access_lane(a, first_lane(*mask));
    uint32_t size = width == 1 ? 32 : width == 2 ? 64 : 128;
    uint32_t taken = 0;

    start = address - address % size;
    for (uint32_t rest = *mask; rest != 0; rest &= rest - 1) {
        uint32_t lane = first_lane(rest);

        address = teg_access_lane(a, lane);
        if (address - start >= size)
            continue;
        taken |= 1u << lane;
        if (address < lowest)
            lowest = address;
        if (address + width - 1 > highest)
            highest = address + width - 1;
    }
    while (size > 32 && lowest / (size / 2) == highest / (size / 2)) {
        size /= 2;
        start = lowest - lowest % size;
    }
    add(plan, start, size, 0);
    *mask &= ~taken;
}

static void coalesce_cc12(struct sim_plan *plan, const struct teg_inst *inst,
                          const struct teg_access *a)
{
    uint32_t width = inst->width != 0 ? inst->width : 4;

    for (uint32_t first = 0; first < TEG_LANES; first += HALF) {
        uint32_t mask = a->mask & 0xffffu << first;

        while (mask != 0)
            one_segment(plan, a, width, &mask);
    }
}

/* The words of each transaction's line that lanes want. */
struct wanted {
    struct sim_plan *plan;
    int rising; /* so far each line was above the one before */
    uint32_t words[SIM_TRANSACTIONS_MAX];
};

/* Marks words of `line`, a new transaction if need be.  Lines mostly come in
 * rising order, and then a line above the last is new without a search. */
static void mark(struct wanted *w, uint64_t line, uint32_t words)
{
    struct sim_plan *plan = w->plan;
    uint32_t i = plan->count;

    if (i != 0 && (!w->rising || plan->transaction[i - 1].address >= line)) {
        while (i-- > 0) {
            if (plan->transaction[i].address == line) {
                w->words[i] |= words;
                return;
            }
        }
        w->rising = 0;
    }
    assert(plan->count < SIM_TRANSACTIONS_MAX);
    w->words[plan->count] = words;
    plan->transaction[plan->count++] =
        (struct sim_transaction){.address = line};
}

static uint32_t word_mask(uint64_t from, uint64_t to)
{
    uint32_t first = (uint32_t)(from % LINE_BYTES / WORD_BYTES);
    uint32_t last = (uint32_t)(to % LINE_BYTES / WORD_BYTES);

    return (2u << last) - (1u << first);
}

static void mark_bytes(struct wanted *w, uint64_t from, uint64_t bytes)
{
    uint64_t to = from + bytes - 1;

    while (from / LINE_BYTES != to / LINE_BYTES) {
        uint64_t line = from - from % LINE_BYTES;

        mark(w, line, word_mask(from, LINE_BYTES - 1));
        from = line + LINE_BYTES;
    }
    mark(w, from - from % LINE_BYTES, word_mask(from, to));
}

/* Bits 0, 8, 16 and 24 side by side. */
static uint32_t every_eighth(uint32_t bits)
{
    return (bits & 0x01010101u) * 0x10204080u >> 28;
}

/* The sectors of eight words each that have any. */
static uint32_t sectors_with(uint32_t words)
{
    words |= words >> 4;
    words |= words >> 2;
    return every_eighth(words | words >> 1);
}

/* All lanes one behind the other without a gap. */
static int packed(const struct teg_access *a, uint32_t width)
{
    return a->shape == SHAPE_LINE && a->mask == UINT32_MAX &&
           a->stride == (int32_t)width;
}

/* Volta and later: distinct lines, of each the sectors that are wanted. */
static void coalesce_sectors(struct sim_plan *plan, const struct teg_inst *inst,
                             const struct teg_access *a)
{
    struct wanted w;
    uint32_t width = inst->width != 0 ? inst->width : 4;

    w.plan = plan;
    w.rising = 1;

    /* An element is aligned to its size and 16 bytes at most, so a lane
     * crosses a line only in a damaged trace. */
    if (width > 16)
        width = 16;
    if (packed(a, width)) {
        mark_bytes(&w, a->base, (uint64_t)width * TEG_LANES);
    } else {
        for (uint32_t rest = a->mask; rest != 0; rest &= rest - 1)
            mark_bytes(&w, teg_access_lane(a, first_lane(rest)), width);
    }
    for (uint32_t i = 0; i < plan->count; i++) {
        struct sim_transaction *t = &plan->transaction[i];

        t->sectors = (uint8_t)sectors_with(w.words[i]);
        t->partial = (uint8_t)(t->sectors & sectors_with(~w.words[i]));
        t->bytes = count_lanes(t->sectors) * SIM_SECTOR_BYTES;
        plan->request.bytes += t->bytes;
    }
}

/* Fermi with L1: whole lines. */
static void coalesce_lines(struct sim_plan *plan, const struct teg_inst *inst,
                           const struct teg_access *a)
{
    coalesce_sectors(plan, inst, a);
    if (inst->flags & INST_BYPASS_L1)
        return;
    plan->request.bytes = plan->count * LINE_BYTES;
    for (uint32_t i = 0; i < plan->count; i++) {
        plan->transaction[i].bytes = LINE_BYTES;
        plan->transaction[i].sectors = ALL_SECTORS;
        plan->transaction[i].partial = 0;
    }
}

/* What-if: the bytes the lanes ask for, side by side from where the first
 * lane's segment begins. */
static void coalesce_ideal(struct sim_plan *plan, const struct teg_inst *inst,
                           const struct teg_access *a)
{
    uint32_t width = inst->width != 0 ? inst->width : 4;
    uint64_t base = teg_access_lane(a, first_lane(a->mask));
    uint32_t left = count_lanes(a->mask) * (width < 16 ? width : 16);

    base -= base % LINE_BYTES;
    for (; left != 0; base += LINE_BYTES) {
        uint32_t bytes = left < LINE_BYTES ? left : LINE_BYTES;
        uint32_t sectors = (bytes + SIM_SECTOR_BYTES - 1) / SIM_SECTOR_BYTES;

        add(plan, base, sectors * SIM_SECTOR_BYTES, (1u << sectors) - 1);
        left -= bytes;
    }
}

typedef void (*coalescing_rule)(struct sim_plan *plan,
                                const struct teg_inst *inst,
                                const struct teg_access *a);

static const coalescing_rule coalescing_rules[] = {
    [COALESCING_CC10] = coalesce_cc10,
    [COALESCING_CC12] = coalesce_cc12,
    [COALESCING_LINES] = coalesce_lines,
    [COALESCING_SECTORS] = coalesce_sectors,
    [COALESCING_IDEAL] = coalesce_ideal,
};

/* Half warps are looked at one by one up to compute capability 1.3. */
static uint32_t coalescing_groups(const struct teg_gpu *gpu, uint32_t mask)
{
    uint32_t rule = gpu->memory.coalescing;
    int ideal_of_old = rule == COALESCING_IDEAL &&
                       gpu->chip.compute_capability < FIRST_OF_WHOLE_WARPS;

    if (rule != COALESCING_CC10 && rule != COALESCING_CC12 && !ideal_of_old)
        return 1;
    return (uint32_t)((mask & 0xffff) != 0) + (mask >> HALF != 0);
}

/* "Coalesced" in the sense of the analytical models: no more transactions
 * than one per half warp (where half warps coalesce) or than the bytes of a
 * full warp need.  (Hong 2012, 2.1.3) */
static int is_coalesced(const struct sim_plan *plan, const struct teg_gpu *gpu)
{
    uint32_t lines = (plan->request.useful_bytes + LINE_BYTES - 1) / LINE_BYTES;

    if (gpu->memory.coalescing == COALESCING_CC10 ||
        gpu->memory.coalescing == COALESCING_CC12)
        return plan->count <= plan->groups || plan->count <= lines;
    return plan->count <= lines;
}

/* ---- L1's data stage -------------------------------------------------------
 *
 * The data of L1 lie in the same banks as shared memory: a load needs as many
 * passes as its busiest bank has different words, in however many lines they
 * are.  (gpu-benches' strides on an A40: 2, 4, 8, 16 and 32 cycles for
 * strides of 2, 4, 8, 16 and 32 floats, 8 for 24, 16 for 48)
 */

enum {
    L1_WORD = 4,      /* bytes */
    L1_WORDS_MAX = 5, /* of a lane's 16 bytes, wherever they begin */
};

/* All lanes, a whole number of elements apart: i * stride falls on every
 * gcd(stride, banks)-th bank, that often. */
static uint32_t passes_of_stride(uint32_t words, uint32_t banks)
{
    while (banks != 0) {
        uint32_t rest = words % banks;

        words = banks;
        banks = rest;
    }
    return words;
}

static int plain_stride(const struct teg_access *a, uint32_t width,
                        const struct teg_gpu *gpu)
{
    return a->shape == SHAPE_LINE && a->mask == UINT32_MAX && a->stride > 0 &&
           width >= L1_WORD && (uint32_t)a->stride % width == 0 &&
           a->base % width == 0 && gpu->l1.banks == TEG_LANES;
}

static uint32_t l1_passes(const struct teg_gpu *gpu,
                          const struct teg_inst *inst,
                          const struct teg_access *a)
{
    uint32_t width = inst->width < 16 ? inst->width : 16, n = 0;
    uint64_t word[TEG_LANES * L1_WORDS_MAX];

    if (width == 0)
        width = L1_WORD;
    if (plain_stride(a, width, gpu))
        return passes_of_stride((uint32_t)a->stride / L1_WORD, gpu->l1.banks);
    for (uint32_t rest = a->mask; rest != 0; rest &= rest - 1) {
        uint64_t from = teg_access_lane(a, first_lane(rest));
        uint64_t last = (from + width - 1) / L1_WORD;

        for (uint64_t w = from / L1_WORD; w <= last; w++) {
            if (n == 0 || word[n - 1] != w)
                word[n++] = w;
        }
    }
    return busiest_bank(word, n, gpu->l1.banks);
}

/* ---- L1's tags -------------------------------------------------------------
 *
 * Each bank of tags looks up a line a cycle; the bank is the exclusive or of
 * the line number's digits to the base of their count.  (l1tex's counter of
 * tag wavefronts in gpu-benches' strides on an A40: over 64 strides and four
 * banks this is off by 2.2 % on average, by the line number's last digit alone
 * by 11 %, lines by four by 15 %)
 */

enum {
    TAG_BANKS_MAX = 32,
    TAG_BITS = 8, /* of the line number that choose */
};

static uint32_t busiest_tags(const struct sim_plan *plan,
                             const struct teg_gpu *gpu)
{
    uint32_t banks = gpu->l1.tag_banks, most = 0;
    uint32_t bits = (uint32_t)__builtin_ctz(banks);
    uint8_t lines[TAG_BANKS_MAX] = {0};

    for (uint32_t i = 0; i < plan->count; i++) {
        uint64_t line = plan->transaction[i].address / LINE_BYTES;
        uint64_t bank = line;

        for (uint32_t b = bits; bits != 0 && b < TAG_BITS; b += bits)
            bank ^= line >> b;
        if (++lines[bank & (banks - 1)] > most)
            most = lines[bank & (banks - 1)];
    }
    return most;
}

/* Whether the request is one that L1 answers. */
static int reads_l1(const struct teg_gpu *gpu, const struct teg_inst *inst,
                    const struct sim_request *r)
{
    return gpu->l1.bytes != 0 && r->space == SPACE_GLOBAL && !r->is_store &&
           !r->is_atomic && (inst->flags & INST_BYPASS_L1) == 0 &&
           gpu->memory.coalescing != COALESCING_IDEAL;
}

void sim_plan_make(struct sim_plan *plan, const struct teg_gpu *gpu,
                   const struct teg_inst *inst, const struct teg_access *a,
                   const struct sim_windows *windows)
{
    enum teg_space space = sim_resolve_space(inst, a, windows);

    plan->count = plan->groups = 0;
    plan->request = (struct sim_request){
        .space = (uint8_t)space,
        .is_store = (inst->flags & INST_STORE) != 0,
        .is_atomic = (inst->flags & INST_ATOMIC) != 0,
        .active = (uint16_t)count_lanes(a->mask),
    };
    if (space == SPACE_SHARED) {
        plan_shared(plan, gpu, inst, a);
        return;
    }
    plan->request.useful_bytes = count_lanes(a->mask) * inst->width;
    coalescing_rules[gpu->memory.coalescing](plan, inst, a);
    plan->request.transactions = plan->count;
    plan->groups = coalescing_groups(gpu, a->mask);
    plan->request.coalesced = (uint8_t)is_coalesced(plan, gpu);
    if (!reads_l1(gpu, inst, &plan->request))
        return;
    if (gpu->l1.banks != 0)
        plan->request.l1_passes = l1_passes(gpu, inst, a);
    if (gpu->l1.tag_banks != 0)
        plan->request.l1_lines = busiest_tags(plan, gpu);
}

void sim_plan_place(struct sim_plan *plan, uint32_t sm, uint32_t place)
{
    enum {
        PLACES = 32,          /* blocks of an SM, at most */
        PLACE_BYTES = 1 << 20 /* more than most blocks have */
    };
    uint64_t base = ((uint64_t)sm * PLACES + place % PLACES) * PLACE_BYTES;

    if (plan->request.space != SPACE_LOCAL)
        return;
    for (uint32_t i = 0; i < plan->count; i++)
        plan->transaction[i].address += base;
}
