#include "sim/sample/portrait.h"

#include <stdlib.h>
#include <string.h>

#include "config/gpu.h"
#include "isa/base/hash.h"
#include "sim/memory/plan.h"
#include "sim/sample/lines.h"
#include "sim/teg.h"

enum {
    BANKS = 32, /* of shared memory, since compute capability 2.0 */
    BANK_BYTES = 4,
    BLOCKS_PER_ASK = 256, /* while walking: to go on or not */
};

enum teg_portrait_kind teg_portrait_kind(enum teg_portrait_part part)
{
    static const uint8_t kind[PORTRAIT_PARTS] = {
#define PART(name, kind, of, help) [PORTRAIT_##name] = PORTRAIT_##kind,
#include "sim/sample/portrait.def"
#undef PART
    };

    return kind[part];
}

/* ---- digests --------------------------------------------------------------- */

uint64_t teg_portrait_outline(const struct teg_kernel *k)
{
    uint64_t hash = TEG_HASH_START;

    teg_hash_bytes(&hash, k->name, strlen(k->name));
    for (int i = 0; i < 3; i++)
        teg_hash_mix(&hash, k->block[i]);
    teg_hash_mix(&hash, k->registers);
    teg_hash_mix(&hash, k->shared_bytes);
    teg_hash_mix(&hash, k->carveout);
    teg_hash_mix(&hash, k->isa);
    return hash;
}

static void mix_regs(uint64_t *hash, const struct teg_regs *r, uint32_t count)
{
    teg_hash_mix(hash, count);
    for (uint32_t i = 0; i < count; i++)
        teg_hash_mix(hash, (uint64_t)r[i].first << 16 | r[i].count);
}

/* What the engine knows of an instruction: not its line, nor where in a trace
 * it came up first. */
static uint64_t digest_of(const struct teg_program *p,
                          const struct teg_inst *inst)
{
    const struct teg_control *c = &inst->control;
    const char *text = teg_program_text(p, inst);
    uint64_t hash = TEG_HASH_START;
    size_t length;

    text = teg_text_mnemonic(text, &length);
    teg_hash_bytes(&hash, text, length);
    teg_hash_mix(&hash, inst->pc);
    teg_hash_mix(&hash, (uint64_t)inst->op_class << 48 |
                            (uint64_t)inst->space << 40 |
                            (uint64_t)inst->width << 16 | inst->flags);
    mix_regs(&hash, inst->dst, inst->dst_count);
    mix_regs(&hash, inst->src, inst->src_count);
    teg_hash_mix(&hash, (uint64_t)c->known << 40 | (uint64_t)c->stall << 32 |
                            (uint64_t)c->yield << 24 |
                            (uint64_t)c->write_barrier << 16 |
                            (uint64_t)c->read_barrier << 8 | c->wait_mask);
    return hash;
}

static void mix_access(uint64_t *hash, const struct teg_access *a)
{
    teg_hash_mix(hash, a->shape);
    if (a->shape == SHAPE_LIST) {
        for (uint32_t rest = a->mask; rest != 0; rest &= rest - 1)
            teg_hash_mix(hash, a->lane[__builtin_ctz(rest)]);
        return;
    }
    teg_hash_mix(hash, a->base);
    teg_hash_mix(hash,
                 (uint64_t)(uint32_t)a->stride << 32 | (uint32_t)a->pitch);
    teg_hash_mix(hash, a->group_log2);
}

/* ---- accesses -------------------------------------------------------------- */

/* Distinct multiples of `unit` bytes that the lanes touch. */
static uint32_t distinct(const struct teg_access *a, uint32_t width,
                         uint32_t unit)
{
    uint64_t seen[2 * TEG_LANES];
    uint32_t n = 0;

    for (uint32_t rest = a->mask; rest != 0; rest &= rest - 1) {
        uint64_t at = teg_access_lane(a, __builtin_ctz(rest));
        uint64_t last = (at + (width != 0 ? width - 1 : 0)) / unit;

        for (uint64_t u = at / unit; u <= last && n < 2 * TEG_LANES; u++) {
            uint32_t i = n;

            /* the lane before most likely touched it */
            while (i > 0 && seen[i - 1] != u)
                i--;
            if (i == 0)
                seen[n++] = u;
        }
    }
    return n;
}

/* Words of the busiest bank; wide accesses take a pass for each word. */
static uint32_t shared_passes(const struct teg_access *a, uint32_t width)
{
    uint64_t word[TEG_LANES];
    uint8_t in_bank[BANKS] = {0};
    uint32_t n = 0, most = 1;
    uint32_t words = width > BANK_BYTES ? width / BANK_BYTES : 1;

    for (uint32_t rest = a->mask; rest != 0; rest &= rest - 1) {
        uint64_t w = teg_access_lane(a, __builtin_ctz(rest)) / BANK_BYTES;
        uint32_t i = n;

        while (i > 0 && word[i - 1] != w)
            i--;
        if (i > 0)
            continue;
        word[n++] = w;
        i = ++in_bank[w / words % BANKS];
        most = i > most ? i : most;
    }
    return most * words;
}

/* ---- the walk -------------------------------------------------------------- */

struct painter {
    const struct teg_kernel *kernel; /* borrowed */
    struct sample_lines *lines;      /* owned */
    struct teg_portrait *portrait;
    double block_squares, warp_squares; /* of their instructions, summed */
    uint64_t blocks;
    int (*progress)(void *self, uint64_t blocks, uint64_t cycle);
    void *self;
};

static void add_access(struct painter *p, const struct teg_inst *inst,
                       const struct teg_access *a, uint64_t *requests)
{
    const struct sim_windows windows = {
        p->kernel->shared_base, p->kernel->local_base,
        (uint32_t)teg_kernel_cluster(p->kernel)};
    double *part = p->portrait->part;

    if (inst->space == SPACE_CONST)
        return;
    if (sim_resolve_space(inst, a, &windows) == SPACE_SHARED) {
        part[PORTRAIT_SHARED_PASSES] += shared_passes(a, inst->width);
        return;
    }
    (*requests)++;
    part[PORTRAIT_USEFUL_SECTORS] +=
        (double)__builtin_popcount(a->mask) * inst->width / TEG_SECTOR_BYTES;
    part[PORTRAIT_SECTORS] += distinct(a, inst->width, TEG_SECTOR_BYTES);
}

static void raise(double *most, double v)
{
    *most = v > *most ? v : *most;
}

static uint64_t walk_warp(struct painter *p, struct teg_block *block,
                          uint32_t stream)
{
    struct teg_portrait *portrait = p->portrait;
    uint64_t instructions = 0, requests = 0, *digest = &portrait->digest;
    double *part = portrait->part;
    struct teg_cursor c;
    struct teg_access a;

    teg_hash_mix(digest, teg_block_warp_id(block, stream));
    teg_cursor_init(&c, block, stream);
    while (teg_cursor_next(&c)) {
        const struct teg_inst *inst = &p->kernel->program.inst[c.inst];

        instructions++;
        portrait->thread_instructions += __builtin_popcount(c.mask);
        part[PORTRAIT_CLASSES + inst->op_class]++;
        teg_hash_mix(digest, inst->pc << 32 | c.mask);
        if (teg_inst_has_addresses(inst) && teg_cursor_access(&c, &a)) {
            mix_access(digest, &a);
            add_access(p, inst, &a, &requests);
        }
        while (teg_cursor_value(&c, &a))
            mix_access(digest, &a);
    }
    raise(&part[PORTRAIT_LONGEST_WARP], (double)instructions);
    p->warp_squares += (double)instructions * (double)instructions;
    raise(&part[PORTRAIT_WARP_REQUESTS], (double)requests);
    part[PORTRAIT_REQUESTS] += (double)requests;
    return instructions;
}

static teg_status walk_block(void *self, struct teg_block *block,
                             struct teg_diag *d)
{
    struct painter *p = self;
    double *part = p->portrait->part, instructions = 0;
    const uint32_t *position = teg_block_position(block);
    struct sample_touched touched;

    for (int i = 0; i < 3; i++)
        teg_hash_mix(&p->portrait->digest, position[i]);
    for (uint32_t i = 0; i < teg_block_warps(block); i++)
        instructions += (double)walk_warp(p, block, i);
    p->portrait->warps += teg_block_warps(block);
    part[PORTRAIT_INSTRUCTIONS] += instructions;
    raise(&part[PORTRAIT_LARGEST_BLOCK], instructions);
    p->block_squares += instructions * instructions;
    sample_lines_block(p->lines, p->kernel, block, &touched);
    part[PORTRAIT_LINES] += touched.lines;
    part[PORTRAIT_FIRST_LINES] += touched.first;
    part[PORTRAIT_WRITTEN_LINES] += touched.written;
    if (++p->blocks % BLOCKS_PER_ASK == 0 && p->progress != NULL &&
        p->progress(p->self, p->blocks, 0) != 0)
        return teg_fail(d, TEG_INTERRUPTED, "", "interrupted");
    return TEG_OK;
}

/* The program is known when the last block has been read; the order in which
 * its instructions came up does not count. */
static uint64_t program_digest(const struct teg_program *p)
{
    uint64_t sum = p->count;

    for (uint32_t i = 0; i < p->count; i++)
        sum += digest_of(p, &p->inst[i]);
    return sum;
}

static void sign(struct painter *p)
{
    const struct teg_kernel *k = p->kernel;
    struct teg_portrait *portrait = p->portrait;
    double instructions = portrait->part[PORTRAIT_INSTRUCTIONS];

    portrait->kernel = teg_portrait_outline(k);
    teg_hash_mix(&portrait->kernel, program_digest(&k->program));
    teg_hash_mix(&portrait->digest, portrait->kernel);
    for (int i = 0; i < 3; i++)
        teg_hash_mix(&portrait->digest, k->grid[i]);
    teg_hash_mix(&portrait->digest, k->shared_base);
    teg_hash_mix(&portrait->digest, k->local_base);
    portrait->blocks = p->blocks;
    portrait->asks = teg_kernel_asks(k);
    if (instructions > 0) {
        portrait->part[PORTRAIT_USUAL_BLOCK] = p->block_squares / instructions;
        portrait->part[PORTRAIT_USUAL_WARP] = p->warp_squares / instructions;
    }
}

teg_status teg_portrait_take(struct teg_launch *launch,
                             int (*progress)(void *self, uint64_t blocks,
                                             uint64_t cycle),
                             void *self, struct teg_portrait *portrait,
                             struct teg_diag *d)
{
    struct painter p = {.kernel = launch->kernel,
                        .lines = sample_lines_new(),
                        .portrait = portrait,
                        .progress = progress,
                        .self = self};
    teg_status status;

    *portrait = (struct teg_portrait){0};
    status = p.lines != NULL ? teg_launch_walk(launch, walk_block, &p, d)
                             : teg_fail_memory(d);
    if (status == TEG_OK)
        sign(&p);
    sample_lines_free(p.lines);
    return status;
}
