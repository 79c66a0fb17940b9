#include "tests/sim/memory/help_naive_coalesce.h"

#include <string.h>

#include "isa/inst/atomic.h"

enum {
    HALF = 16,
    LINE = 128,
    WORD = 4,
    LINE_WORDS = LINE / WORD,
    SECTOR_WORDS = TEG_SECTOR_BYTES / WORD,
    WIDEST = 32,          /* bytes of a lane that are looked at */
    NEARBY = 32,          /* bytes on either side */
    WIDEST_IN_BANKS = 16, /* by L1's banks, and in a slice */
    WORDS_MAX = 32 * 9,   /* of a warp, wherever they begin */
    WINDOW = 1 << 24,     /* bytes */
    OLD = 20,             /* compute capabilities below coalesce half warps */
    TAG_BITS = 8,
};

/* One active lane. */
struct want {
    uint32_t lane;
    uint64_t address;
};

struct wants {
    struct want want[TEG_LANES];
    uint32_t count;
    uint32_t width;  /* bytes of each */
    uint64_t nearby; /* bit i: byte i - NEARBY from each comes from others */
};

/* The active ones of `lanes` lanes from `first` on. */
static struct wants wants_of(const struct teg_access *a, uint32_t first,
                             uint32_t lanes)
{
    struct wants w = {.count = 0};

    for (uint32_t l = first; l < first + lanes; l++) {
        if (a->mask >> l & 1)
            w.want[w.count++] = (struct want){l, teg_access_lane(a, l)};
    }
    return w;
}

static uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static void add(struct sim_plan *plan, uint64_t address, uint32_t bytes,
                uint32_t sectors)
{
    plan->transaction[plan->count++] =
        (struct sim_transaction){.address = address,
                                 .bytes = (uint16_t)bytes,
                                 .sectors = (uint8_t)sectors};
}

/* ---- half warps ----------------------------------------------------------- */

static int is_row(const struct wants *w, uint64_t row)
{
    for (uint32_t i = 0; i < w->count; i++) {
        if (w->want[i].address !=
            row + (uint64_t)(w->want[i].lane % HALF) * w->width)
            return 0;
    }
    return row % (HALF * w->width) == 0;
}

static void cc10(struct sim_plan *plan, const struct wants *w)
{
    uint64_t row =
        w->want[0].address - (uint64_t)(w->want[0].lane % HALF) * w->width;
    uint32_t row_bytes = HALF * w->width;

    if (w->width >= 4 && is_row(w, row)) {
        for (uint32_t at = 0; at < row_bytes; at += LINE)
            add(plan, row + at, least(row_bytes, LINE), 0);
        return;
    }
    for (uint32_t i = 0; i < w->count; i++)
        add(plan, w->want[i].address / 32 * 32, 32, 0);
}

/* Whether all that were taken lie in the `size` bytes from `start` on. */
static int all_within(const struct wants *w, const int *taken, uint64_t start,
                      uint32_t size)
{
    for (uint32_t i = 0; i < w->count; i++) {
        uint64_t first = w->want[i].address - start;

        if (taken[i] && (first >= size || first + w->width > size))
            return 0;
    }
    return 1;
}

/* The lowest lane's segment takes whoever begins in it, and shrinks to the
 * half that holds all of it, if one does. */
static void cc12(struct sim_plan *plan, struct wants *w)
{
    while (w->count != 0) {
        uint32_t size = w->width == 1 ? 32 : w->width == 2 ? 64 : 128;
        uint64_t start = w->want[0].address / size * size;
        int taken[TEG_LANES];
        uint32_t left = 0;

        for (uint32_t i = 0; i < w->count; i++)
            taken[i] = w->want[i].address / size * size == start;
        while (size > 32) {
            if (all_within(w, taken, start + size / 2, size / 2))
                start += size / 2;
            else if (!all_within(w, taken, start, size / 2))
                break;
            size /= 2;
        }
        add(plan, start, size, 0);
        for (uint32_t i = 0; i < w->count; i++) {
            if (!taken[i])
                w->want[left++] = w->want[i];
        }
        w->count = left;
    }
}

/* ---- warps ---------------------------------------------------------------- */

static uint32_t transaction_of(struct sim_plan *plan, uint64_t line)
{
    for (uint32_t i = 0; i < plan->count; i++) {
        if (plan->transaction[i].address == line)
            return i;
    }
    add(plan, line, 0, 0);
    return plan->count - 1;
}

/* Lines in the order in which lanes come to want them, byte after byte. */
static void sectors(struct sim_plan *plan, const struct wants *w)
{
    int wanted[SIM_TRANSACTIONS_MAX][LINE_WORDS] = {0};
    int besides[SIM_TRANSACTIONS_MAX][LINE_WORDS] = {0};

    for (uint32_t i = 0; i < w->count; i++) {
        for (uint32_t b = 0; b < w->width; b++) {
            uint64_t byte = w->want[i].address + b;

            wanted[transaction_of(plan, byte / LINE * LINE)]
                  [byte % LINE / WORD] = 1;
        }
    }
    for (uint32_t i = 0; i < plan->count; i++) {
        for (uint32_t l = 0; l < w->count; l++) {
            for (int b = 0; b < 2 * NEARBY; b++) {
                uint64_t byte = w->want[l].address - NEARBY + (uint64_t)b;

                if (w->nearby >> b & 1 &&
                    byte / LINE * LINE == plan->transaction[i].address)
                    besides[i][byte % LINE / WORD] = 1;
            }
        }
    }
    for (uint32_t i = 0; i < plan->count; i++) {
        struct sim_transaction *t = &plan->transaction[i];

        for (int s = 0; s < LINE_WORDS / SECTOR_WORDS; s++) {
            int words = 0, filled = 0;

            for (int k = 0; k < SECTOR_WORDS; k++) {
                words += wanted[i][s * SECTOR_WORDS + k];
                filled += wanted[i][s * SECTOR_WORDS + k] ||
                          besides[i][s * SECTOR_WORDS + k];
            }
            if (words == 0)
                continue;
            t->bytes += TEG_SECTOR_BYTES;
            t->sectors |= (uint8_t)(1 << s);
            if (words != SECTOR_WORDS)
                t->parts |= (uint8_t)(1 << s);
            if (filled != SECTOR_WORDS)
                t->partial |= (uint8_t)(1 << s);
        }
    }
}

/* Fermi's L1 is for what is read, and for local memory. */
static int past_l1(const struct teg_inst *inst)
{
    int reads = (inst->flags & INST_LOAD) != 0;

    return (inst->flags & INST_BYPASS_L1) != 0 ||
           !(reads || inst->space == SPACE_LOCAL);
}

static void lines(struct sim_plan *plan, const struct wants *w, int past)
{
    sectors(plan, w);
    for (uint32_t i = 0; i < plan->count && !past; i++)
        plan->transaction[i] =
            (struct sim_transaction){.address = plan->transaction[i].address,
                                     .bytes = LINE,
                                     .sectors = 15};
}

/* Different words of all lanes. */
static uint32_t words_of(const struct wants *w)
{
    uint64_t seen[WORDS_MAX];
    uint32_t count = 0;

    for (uint32_t i = 0; i < w->count; i++) {
        for (uint32_t b = 0; b < w->width; b++) {
            uint64_t word = (w->want[i].address + b) / WORD;
            uint32_t k = 0;

            while (k < count && seen[k] != word)
                k++;
            if (k == count)
                seen[count++] = word;
        }
    }
    return count;
}

/* The bytes wanted, in as few of the lines as hold them: those from the one
 * on whose number is that of the first lane's element in its line. */
static void ideal(struct sim_plan *plan, const struct wants *w)
{
    uint32_t bytes = least(words_of(w) * WORD, w->count * w->width);
    uint32_t needed = (bytes + LINE - 1) / LINE;
    uint32_t element = (uint32_t)(w->want[0].address % LINE) / w->width;
    struct sim_plan as_it_is = {0};

    sectors(&as_it_is, w);
    for (uint32_t i = 0; i < needed; i++) {
        struct sim_transaction *from =
            &as_it_is.transaction[(element * needed + i) % as_it_is.count];
        uint32_t here = least(bytes - i * LINE, LINE), s = 0;
        uint32_t wanted = (here + TEG_SECTOR_BYTES - 1) / TEG_SECTOR_BYTES;

        while (!(from->sectors >> s & 1))
            s++;
        while (s + wanted > 4)
            s--;
        add(plan, from->address, wanted * TEG_SECTOR_BYTES, 0);
        for (uint32_t k = 0; k < wanted; k++)
            plan->transaction[i].sectors |= (uint8_t)(1 << (s + k));
    }
}

static void coalesce(struct sim_plan *plan, const struct teg_gpu *gpu,
                     const struct teg_inst *inst, const struct teg_access *a)
{
    uint32_t rule = gpu->memory.coalescing;
    int halves = rule == COALESCING_CC10 || rule == COALESCING_CC12;
    uint32_t lanes = halves ? HALF : TEG_LANES;

    for (uint32_t first = 0; first < TEG_LANES; first += lanes) {
        struct wants w = wants_of(a, first, lanes);

        w.width = inst->width == 0 ? 4 : least(inst->width, WIDEST);
        w.nearby = inst->nearby;
        if (w.count == 0)
            continue;
        if (rule == COALESCING_CC10)
            cc10(plan, &w);
        else if (rule == COALESCING_CC12)
            cc12(plan, &w);
        else if (rule == COALESCING_IDEAL)
            ideal(plan, &w);
        else if (rule == COALESCING_LINES)
            lines(plan, &w, past_l1(inst));
        else
            sectors(plan, &w);
    }
    for (uint32_t i = 0; i < plan->count; i++)
        plan->request.bytes += plan->transaction[i].bytes;
    if (rule == COALESCING_IDEAL)
        halves = gpu->chip.compute_capability < OLD;
    plan->groups = 1;
    if (halves)
        plan->groups = (wants_of(a, 0, HALF).count != 0) +
                       (wants_of(a, HALF, HALF).count != 0);
}

/* ---- banks ---------------------------------------------------------------- */

/* Different words in the busiest bank. */
static uint32_t busiest(const uint64_t *word, uint32_t n, uint32_t banks)
{
    uint32_t most = 0;

    for (uint32_t b = 0; b < banks; b++) {
        uint32_t different = 0;

        for (uint32_t i = 0; i < n; i++) {
            uint32_t before = 0;

            while (word[before] != word[i])
                before++;
            different += word[i] % banks == b && before == i;
        }
        most = different > most ? different : most;
    }
    return most;
}

/* The word that most want; of equals the one wanted first. */
static uint64_t favorite(const uint64_t *word, uint32_t n)
{
    uint32_t best = 0, most = 0;

    for (uint32_t i = 0; i < n; i++) {
        uint32_t same = 0;

        for (uint32_t j = 0; j < n; j++)
            same += word[j] == word[i];
        if (same > most) {
            most = same;
            best = i;
        }
    }
    return word[best];
}

/* Pass after pass: one word for all who want it, of each other bank the first
 * word that waits, for one. */
static uint32_t one_broadcast(uint64_t *word, uint32_t n, uint32_t banks)
{
    uint32_t passes = 0;

    while (n != 0) {
        uint64_t shared = favorite(word, n), served[WORDS_MAX];
        uint32_t left = 0, taken = 0;

        served[taken++] = shared;
        for (uint32_t i = 0; i < n; i++) {
            int waits = 0;

            if (word[i] == shared)
                continue;
            for (uint32_t k = 0; k < taken; k++)
                waits |= served[k] % banks == word[i] % banks;
            if (waits)
                word[left++] = word[i];
            else
                served[taken++] = word[i];
        }
        n = left;
        passes++;
    }
    return passes;
}

static uint32_t group_passes(const struct teg_gpu *gpu, const struct wants *w,
                             uint32_t words)
{
    uint64_t word[WORDS_MAX];
    uint32_t n = 0;

    for (uint32_t i = 0; i < w->count; i++) {
        for (uint32_t k = 0; k < words; k++)
            word[n++] = w->want[i].address / gpu->shared.bank_bytes + k;
    }
    if (gpu->shared.broadcast == BROADCAST_IDEAL)
        return 1;
    return gpu->shared.broadcast == BROADCAST_ANY
               ? busiest(word, n, gpu->shared.banks)
               : one_broadcast(word, n, gpu->shared.banks);
}

/* The address of an active lane. */
static const uint64_t *asked(const struct wants *w, uint32_t lane)
{
    for (uint32_t i = 0; i < w->count; i++) {
        if (w->want[i].lane == lane)
            return &w->want[i].address;
    }
    return NULL;
}

/* Lanes 0 and 1, 2 and 3, ... or 0 and 2, 1 and 3, ... ask for the same, as
 * far as both ask. */
static int two_by_two(const struct teg_access *a, int crosswise)
{
    static const uint8_t first[2][2] = {{0, 2}, {0, 1}};
    struct wants w = wants_of(a, 0, TEG_LANES);

    for (uint32_t four = 0; four < TEG_LANES; four += 4) {
        for (int i = 0; i < 2; i++) {
            uint32_t lane = four + first[crosswise][i];
            const uint64_t *x = asked(&w, lane);
            const uint64_t *y = asked(&w, lane + (crosswise ? 2 : 1));

            if (x != NULL && y != NULL && *x != *y)
                return 0;
        }
    }
    return 1;
}

/* One lane after the other: each takes a pass of every bank it wants a word
 * of, or, where banks do not matter, of its word. */
static uint32_t serial_passes(const struct teg_gpu *gpu, const struct wants *w,
                              uint32_t words)
{
    uint32_t most = 0;

    for (uint32_t b = 0; b < gpu->shared.banks; b++) {
        uint32_t passes = 0;

        for (uint32_t i = 0; i < w->count * words; i++) {
            uint64_t word = w->want[i / words].address / gpu->shared.bank_bytes;

            passes += (word + i % words) % gpu->shared.banks == b;
        }
        most = passes > most ? passes : most;
    }
    if (gpu->shared.broadcast != BROADCAST_IDEAL)
        return most;
    most = 0;
    for (uint32_t i = 0; i < w->count; i++) {
        uint32_t same = 0;

        for (uint32_t k = 0; k < w->count; k++)
            same += w->want[k].address / gpu->shared.bank_bytes ==
                    w->want[i].address / gpu->shared.bank_bytes;
        most = same > most ? same : most;
    }
    return most;
}

static void shared_memory(struct sim_plan *plan, const struct teg_gpu *gpu,
                          const struct teg_inst *inst,
                          const struct teg_access *a)
{
    uint32_t bank = gpu->shared.bank_bytes, lanes = gpu->shared.group;
    uint32_t words = (inst->width + bank - 1) / bank;

    words = words == 0 ? 1 : least(words, 4);
    if (lanes == TEG_LANES && words == 2)
        lanes = TEG_LANES / 2;
    else if (lanes == TEG_LANES && words > 2)
        lanes = TEG_LANES / 4;
    if (gpu->shared.packs_pairs && gpu->shared.group == TEG_LANES &&
        words > 1 && (inst->flags & INST_LOAD) &&
        !(inst->flags & INST_ATOMIC) && inst->op_class != CLASS_LDSM &&
        (two_by_two(a, 0) || two_by_two(a, 1)))
        lanes *= 2;
    for (uint32_t first = 0; first < TEG_LANES; first += lanes) {
        struct wants w = wants_of(a, first, lanes);
        uint32_t passes;

        if (w.count == 0)
            continue;
        if ((inst->flags & INST_ATOMIC) && inst->atomic != ATOMIC_COUNT &&
            gpu->shared.atomic_interval > 0 && gpu->memory.atomic_conflicts)
            passes = serial_passes(gpu, &w, words);
        else
            passes = group_passes(gpu, &w, words);
        plan->request.groups++;
        plan->request.passes +=
            inst->width == 16 ? passes * gpu->shared.passes_128 : passes;
    }
}

/* Every word that a byte of a lane lies in. */
static uint32_t l1_passes(const struct teg_gpu *gpu, const struct wants *w)
{
    uint64_t word[WORDS_MAX + 1];
    uint32_t n = 0;

    for (uint32_t i = 0; i < w->count; i++) {
        for (uint32_t b = 0; b < w->width; b++) {
            word[n] = (w->want[i].address + b) / WORD;
            n += n == 0 || word[n] != word[n - 1];
        }
    }
    return busiest(word, n, gpu->l1.banks);
}

/* The exclusive or of the digits, to the base of the banks, that begin in the
 * last eight bits of the line's number. */
static uint32_t tag_bank(uint64_t line, uint32_t banks)
{
    uint32_t bank = (uint32_t)(line % banks);
    uint32_t below = banks; /* what the next digit counts */

    while (banks > 1 && below < 1u << TAG_BITS) {
        bank ^= (uint32_t)(line / below % banks);
        below *= banks;
    }
    return bank;
}

static uint32_t l1_lines(const struct sim_plan *plan, uint32_t banks)
{
    uint32_t most = 0;

    for (uint32_t b = 0; b < banks; b++) {
        uint32_t n = 0;

        for (uint32_t i = 0; i < plan->count; i++)
            n += tag_bank(plan->transaction[i].address / LINE, banks) == b;
        most = n > most ? n : most;
    }
    return most;
}

/* ---- atomics -------------------------------------------------------------- */

/* Lanes that begin in the word; one, if they do not wait for each other. */
static uint32_t lanes_at(const struct teg_gpu *gpu, const struct wants *w,
                         uint64_t word)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < w->count; i++)
        n += w->want[i].address / WORD == word;
    return gpu->memory.atomic_conflicts ? n : least(n, 1);
}

static uint32_t later_lanes(const struct wants *w)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < w->count; i++) {
        uint32_t before = 0;

        while (w->want[before].address / WORD != w->want[i].address / WORD)
            before++;
        n += before != i;
    }
    return n;
}

/* How often its slice has to begin with a sector of `wanted` words, each for one
 * lane. */
static uint32_t updates_of(const struct teg_gpu *gpu, uint32_t atomic,
                           uint32_t wanted)
{
    uint32_t units = 0, n = 0;

    if (atomic == ATOMIC_DOUBLE)
        units = 2 * gpu->l2.atomic_doubles;
    else if (atomic == ATOMIC_FLOAT)
        units = gpu->l2.atomic_units;
    while (wanted != 0 && (n == 0 || (units != 0 && n * units < wanted)))
        n++;
    return n;
}

/* How often its slice has to begin for a transaction of so many words, of
 * which so many lanes want the same. */
static uint8_t beginnings(const struct teg_gpu *gpu, uint32_t words,
                          uint32_t most)
{
    uint32_t n = 1;

    while (n < most ||
           (gpu->l2.atomic_units != 0 && n * gpu->l2.atomic_units < words))
        n++;
    return (uint8_t)n;
}

static void steps(struct sim_plan *plan, const struct teg_gpu *gpu,
                  const struct teg_inst *inst, const struct wants *w)
{
    uint32_t each = least(inst->width, WIDEST_IN_BANKS) / WORD, all = 0,
             most = 0;
    uint32_t rule = gpu->memory.coalescing;
    int lines = rule == COALESCING_SECTORS || rule == COALESCING_LINES;

    each = each == 0 ? 1 : each;
    for (uint32_t i = 0; i < w->count; i++) {
        uint64_t word = w->want[i].address / WORD;
        uint32_t n = lanes_at(gpu, w, word), before = 0;

        while (w->want[before].address / WORD != word)
            before++;
        all += before == i ? n * each : 0;
        most = n > most ? n : most;
    }
    for (uint32_t t = 0; t < plan->count; t++) {
        uint64_t first = plan->transaction[t].address / WORD;
        uint32_t words = 0, busiest = 0, of_sector[4] = {0}, updates = 0;
        uint32_t again[4] = {0};

        for (uint32_t k = 0; lines && k < LINE_WORDS; k++) {
            uint32_t n = lanes_at(gpu, w, first + k);

            if (n > again[k / 8])
                again[k / 8] = n;
            words += n * each;
            of_sector[k / 8] += n * each;
            busiest = n > busiest ? n : busiest;
        }
        if (rule == COALESCING_IDEAL) {
            words = t + 1 < plan->count ? least(all, LINE_WORDS) : all;
            busiest = t == 0 ? most : 0;
            all -= words;
            for (uint32_t s = 0, left = words; s < 4; s++) {
                of_sector[s] = s < 3 ? least(left, 8) : left;
                left -= of_sector[s];
                again[s] = of_sector[s] != 0;
            }
            if (t == 0)
                again[0] = most;
        }
        plan->transaction[t].packets =
            gpu->l2.atomic_interval > 0
                ? (uint8_t)(again[0] + again[1] + again[2] + again[3])
                : 1;
        if (gpu->l2.atomic_sector_interval > 0) {
            for (uint32_t s = 0; s < 4; s++)
                updates += updates_of(gpu, inst->atomic, of_sector[s]);
            if (each == 4)
                updates = (updates + gpu->l2.atomic_vector_sectors - 1) /
                          gpu->l2.atomic_vector_sectors;
            updates = updates == 1 ? 0 : updates;
            busiest += updates == 0 && busiest == 0;
            plan->transaction[t].updates = (uint8_t)updates;
            plan->transaction[t].steps =
                (uint8_t)(busiest > updates ? busiest - updates : 0);
        } else {
            plan->transaction[t].steps = beginnings(gpu, words, busiest);
        }
        words = plan->transaction[t].updates + plan->transaction[t].steps;
        plan->request.atomic_steps += words;
        if (words > plan->request.most_updates + plan->request.most_steps) {
            plan->request.most_updates = plan->transaction[t].updates;
            plan->request.most_steps = plan->transaction[t].steps;
        }
    }
}

/* ---- a request ------------------------------------------------------------ */

static enum teg_space space_of(const struct teg_inst *inst,
                               const struct wants *w,
                               const struct sim_windows *windows)
{
    uint64_t address = w->want[0].address;

    if (inst->space != SPACE_GENERIC)
        return inst->space;
    if (windows->shared_base != 0 && address >= windows->shared_base &&
        address < windows->shared_base + WINDOW)
        return SPACE_SHARED;
    if (windows->local_base != 0 && address >= windows->local_base &&
        address < windows->local_base + WINDOW)
        return SPACE_LOCAL;
    return SPACE_GLOBAL;
}

static void l1_conflicts(struct sim_plan *plan, const struct teg_gpu *gpu,
                         const struct teg_inst *inst, struct wants *w)
{
    struct sim_request *r = &plan->request;

    if (gpu->l1.bytes == 0 || r->space != SPACE_GLOBAL || r->is_store ||
        r->is_atomic || (inst->flags & INST_BYPASS_L1) ||
        gpu->memory.coalescing == COALESCING_IDEAL)
        return;
    w->width = inst->width == 0 ? 4 : least(inst->width, WIDEST_IN_BANKS);
    if (gpu->l1.banks != 0)
        r->l1_passes = l1_passes(gpu, w);
    r->l1_lines = l1_lines(plan, gpu->l1.tag_banks);
}

/* Turn by turn, whoever wants what the first of those left wants is served. */
static uint32_t turns_of_constants(const struct wants *w)
{
    int served[TEG_LANES] = {0};
    uint32_t turns = 0;

    for (uint32_t i = 0; i < w->count; i++) {
        if (served[i])
            continue;
        turns++;
        for (uint32_t j = i; j < w->count; j++)
            served[j] |= w->want[j].address == w->want[i].address;
    }
    return turns;
}

void naive_plan_make(struct sim_plan *plan, const struct teg_gpu *gpu,
                     const struct teg_inst *inst, const struct teg_access *a,
                     const struct sim_windows *windows)
{
    struct wants w = wants_of(a, 0, TEG_LANES);
    struct sim_request *r = &plan->request;
    uint32_t rule = gpu->memory.coalescing, lines_full;

    memset(plan, 0, sizeof *plan);
    r->space = (uint8_t)space_of(inst, &w, windows);
    r->is_store = (inst->flags & INST_STORE) != 0;
    r->is_atomic = (inst->flags & INST_ATOMIC) != 0;
    r->is_float = inst->atomic == ATOMIC_FLOAT || inst->atomic == ATOMIC_DOUBLE;
    r->active = (uint16_t)w.count;
    if (r->is_atomic && inst->atomic != ATOMIC_COUNT)
        r->atomic_conflicts = (uint16_t)later_lanes(&w);
    if (r->space == SPACE_SHARED) {
        shared_memory(plan, gpu, inst, a);
        return;
    }
    if (r->space == SPACE_CONST) {
        r->groups = 1;
        r->passes = turns_of_constants(&w);
        return;
    }
    coalesce(plan, gpu, inst, a);
    if (r->is_atomic)
        steps(plan, gpu, inst, &w);
    r->transactions = plan->count;
    r->useful_bytes = w.count * inst->width;
    lines_full = r->useful_bytes / LINE + (r->useful_bytes % LINE != 0);
    r->coalesced = plan->count <= lines_full;
    if (rule == COALESCING_CC10 || rule == COALESCING_CC12)
        r->coalesced |= plan->count <= plan->groups;
    l1_conflicts(plan, gpu, inst, &w);
}
