#include "traces/nvbit/feed.h"

#include "traces/nvbit/note.h"

#include <inttypes.h>
#include <string.h>

teg_status nvbit_feed_init(struct nvbit_feed *f, struct teg_kernel *kernel,
                           const char *path, struct teg_diag *d)
{
    *f = (struct nvbit_feed){.kernel = kernel, .path = path};
    return teg_block_builder_new(&kernel->program, &f->builder, d);
}

void nvbit_feed_release(struct nvbit_feed *f)
{
    teg_block_builder_free(f->builder);
    *f = (struct nvbit_feed){0};
}

void nvbit_feed_block(struct nvbit_feed *f, const uint32_t position[3])
{
    memcpy(f->position, position, sizeof f->position);
    memset(f->warp_seen, 0, sizeof f->warp_seen);
    f->streams = 0;
    f->warp_last = 0;
    f->warp_empty = 0;
    f->held = 0;
    teg_block_builder_begin(f->builder, position);
}

static void add(struct nvbit_feed *f, const struct nvbit_inst *inst)
{
    teg_block_builder_inst(f->builder, inst->inst, inst->mask, inst->lane);
}

static void release_held(struct nvbit_feed *f)
{
    if (f->held)
        add(f, &f->pending);
    f->held = 0;
}

static void end_warp(struct nvbit_feed *f, uint64_t line)
{
    release_held(f);
    if (f->warp_empty)
        nvbit_note(f->kernel, "empty-warp", f->path, line,
                   "block (%u,%u,%u) warp %u has no instructions and is left "
                   "out",
                   f->position[0], f->position[1], f->position[2], f->warp);
    f->warp_empty = 0;
}

static teg_status fail(const struct nvbit_feed *f, uint64_t line,
                       struct teg_diag *d, const char *wanted, uint32_t found)
{
    if (line != 0)
        return teg_fail_line(d, TEG_FORMAT, f->path, line,
                             "expected %s %d, found %u", wanted,
                             NVBIT_WARPS_MAX, found);
    return teg_fail(d, TEG_FORMAT, f->path,
                    "expected %s %d in block (%u,%u,%u), found %u", wanted,
                    NVBIT_WARPS_MAX, f->position[0], f->position[1],
                    f->position[2], found);
}

teg_status nvbit_feed_warp(struct nvbit_feed *f, uint32_t warp, uint64_t line,
                           struct teg_diag *d)
{
    uint32_t warps = teg_kernel_warps_per_block(f->kernel);

    end_warp(f, line);
    if (warp >= NVBIT_WARPS_MAX)
        return fail(f, line, d, "a warp number below", warp);
    if (f->streams == NVBIT_WARPS_MAX)
        return fail(f, line, d, "a number of warps in the block of at most",
                    f->streams + 1);
    if (warps != 0 && warp >= warps)
        nvbit_note(f->kernel, "warp-outside-block", f->path, line,
                   "expected a warp number below %u, found %u", warps, warp);
    if (f->warp_seen[warp / 32] >> warp % 32 & 1)
        nvbit_note(f->kernel, "warp-repeated", f->path, line,
                   "block (%u,%u,%u) has warp %u more than once",
                   f->position[0], f->position[1], f->position[2], warp);
    f->warp_seen[warp / 32] |= 1u << warp % 32;
    if (warp > f->warp_last)
        f->warp_last = warp;
    f->streams++;
    f->warp = warp;
    f->warp_empty = 1;
    f->exited = 0;
    f->groups = (struct nvbit_groups){0};
    return TEG_OK;
}

/* The two lines of one LDGSTS have the same pc and follow each other; no loop
 * is that short.  Of the two addresses the global one is the larger: shared
 * memory's count from 0. */
static int same_ldgsts(struct nvbit_feed *f, const struct nvbit_inst *inst)
{
    const struct teg_inst *program = f->kernel->program.inst;
    uint32_t lane;

    if (!f->held || program[f->pending.inst].pc != program[inst->inst].pc ||
        f->pending.mask != inst->mask)
        return 0;
    lane = inst->mask != 0 ? (uint32_t)__builtin_ctz(inst->mask) : 0;
    if (inst->mask == 0 ||
        (inst->addresses && inst->lane[lane] > f->pending.lane[lane]))
        f->pending = *inst;
    return 1;
}

static void hold(struct nvbit_feed *f, const struct nvbit_inst *inst,
                 uint64_t line)
{
    if (same_ldgsts(f, inst)) {
        nvbit_note(f->kernel, "ldgsts-twice", f->path, line,
                   "LDGSTS is written with its shared and its global address: "
                   "taken as one instruction with the global one");
        release_held(f);
        return;
    }
    release_held(f);
    f->pending = *inst;
    f->held = 1;
}

/* In groups of asynchronous work, of which the trace may say too little. */
static int takes_part(const struct teg_inst *inst)
{
    return inst->op_class == CLASS_MEMBAR || inst->op_class == CLASS_GMMA;
}

void nvbit_feed_inst(struct nvbit_feed *f, const struct nvbit_inst *inst,
                     uint64_t line)
{
    const struct teg_inst *program = &f->kernel->program.inst[inst->inst];

    if (f->warp_empty) {
        teg_block_builder_warp(f->builder, f->warp);
        f->warp_empty = 0;
    }
    if (inst->mask & f->exited)
        nvbit_note(f->kernel, "after-exit", f->path, line,
                   "block (%u,%u,%u) warp %u goes on after its lanes have "
                   "exited",
                   f->position[0], f->position[1], f->position[2], f->warp);
    if (program->flags & INST_EXIT)
        f->exited |= inst->mask;
    if (program->op_class == CLASS_LDGSTS) {
        hold(f, inst, line);
        return;
    }
    release_held(f);
    add(f, inst);
    if (f->failed == TEG_OK && takes_part(program))
        f->failed = nvbit_groups_inst(&f->groups, f->kernel, inst->inst,
                                      f->path, line, &f->diag);
}

static void check_warps(struct nvbit_feed *f, uint64_t line)
{
    uint32_t warps = teg_kernel_warps_per_block(f->kernel);

    if (f->streams < warps)
        nvbit_note(f->kernel, "partial-block", f->path, line,
                   "expected %u warps in block (%u,%u,%u), found %u", warps,
                   f->position[0], f->position[1], f->position[2], f->streams);
}

static void check_position(struct nvbit_feed *f, uint64_t line)
{
    const uint32_t *grid = f->kernel->grid, *at = f->position;

    if (grid[0] != 0 &&
        (at[0] >= grid[0] || at[1] >= grid[1] || at[2] >= grid[2]))
        nvbit_note(f->kernel, "block-outside-grid", f->path, line,
                   "expected a block inside the grid (%u,%u,%u), found "
                   "(%u,%u,%u)",
                   grid[0], grid[1], grid[2], at[0], at[1], at[2]);
}

teg_status nvbit_feed_end(struct nvbit_feed *f, uint64_t line,
                          struct teg_block **block, struct teg_diag *d)
{
    *block = NULL;
    if (f->failed != TEG_OK) {
        *d = f->diag;
        return f->failed;
    }
    end_warp(f, line);
    check_position(f, line);
    check_warps(f, line);
    if (teg_block_builder_insts(f->builder) == 0) {
        nvbit_note(f->kernel, "empty-block", f->path, line,
                   "block (%u,%u,%u) has no instructions and is left out",
                   f->position[0], f->position[1], f->position[2]);
        return TEG_OK;
    }
    TRY(teg_block_builder_open(f->builder, f->path, block, d));
    f->blocks++;
    return TEG_OK;
}

teg_status nvbit_feed_finish(struct nvbit_feed *f, struct teg_diag *d)
{
    uint64_t declared = teg_kernel_blocks(f->kernel);

    if (f->blocks == 0)
        return teg_fail(d, TEG_FORMAT, f->path,
                        "expected at least one thread block with "
                        "instructions, found none");
    if (f->blocks != declared &&
        teg_notes_count(&f->kernel->notes, "partial-grid") == 0)
        teg_notes_add(&f->kernel->notes, "partial-grid", f->path,
                      "expected the %" PRIu64 " blocks of the grid, found "
                      "%" PRIu64,
                      declared, f->blocks);
    return TEG_OK;
}
