/*
 * The compact form of one thread block: building it, opening it.
 *
 * The same bytes are what a .tegt chunk holds (docs/trace-format.md) and what
 * stays in memory while the block is resident.
 *
 *   block := streams paths { path } slots { slot } { stream }
 *   path  := runs { run }             a walk through the program, shared by
 *   run   := start length mask        all warps that take it
 *   slot  := how one memory instruction's addresses begin
 *   stream:= warp path records { record }   one record per executed access,
 *                                           and one per further value
 *
 * A record says how far the access lies from where it was expected: the same
 * instruction's last address plus its last step.
 */
#ifndef TEG_TRACES_BLOCK_BLOCK_H
#define TEG_TRACES_BLOCK_BLOCK_H

#include "isa/base/buffer.h"
#include "traces/block/cursor.h"

struct teg_block_builder;

/* `program` is borrowed and may grow while the builder is used. */
teg_status teg_block_builder_new(const struct teg_program *program,
                                 struct teg_block_builder **b,
                                 struct teg_diag *d);
void teg_block_builder_free(struct teg_block_builder *b);

/* Forgets everything and begins the block at `position` of the grid. */
void teg_block_builder_begin(struct teg_block_builder *b,
                             const uint32_t position[3]);
/* Begins a warp's stream. */
void teg_block_builder_warp(struct teg_block_builder *b, uint32_t warp_id);
/* What follows is added to the stream that was begun as number `stream`. */
void teg_block_builder_turn(struct teg_block_builder *b, uint32_t stream);
/* Adds an executed instruction to the stream.  `lane` holds the addresses of
 * the active lanes and must be given when the instruction carries addresses
 * and `mask` is not 0; otherwise it is ignored. */
void teg_block_builder_inst(struct teg_block_builder *b, uint32_t inst,
                            uint32_t mask, const uint64_t lane[TEG_LANES]);
/* The same, taking the addresses as decoded by a cursor. */
void teg_block_builder_access(struct teg_block_builder *b, uint32_t inst,
                              const struct teg_access *access);
/* Adds the next of the further values of the instruction added last
 * (isa/inst/values.def), of the lanes of its mask: all of them before the next
 * instruction, if it has an active lane. */
void teg_block_builder_value(struct teg_block_builder *b,
                             const uint64_t lane[TEG_LANES]);
/* Adds instruction `inst` with all that the cursor, on its current one, has. */
void teg_block_builder_copy(struct teg_block_builder *b, uint32_t inst,
                            struct teg_cursor *c);
/* The same of all lanes, whose addresses are `stride` apart from `base` on. */
void teg_block_builder_line(struct teg_block_builder *b, uint32_t inst,
                            uint64_t base, int32_t stride);
/* Ends the block; `*bytes` stays the builder's until the next begin. */
teg_status teg_block_builder_end(struct teg_block_builder *b,
                                 const uint8_t **bytes, size_t *size,
                                 struct teg_diag *d);
uint64_t teg_block_builder_insts(const struct teg_block_builder *b);

/*
 * Opens a block from its bytes, which are copied and checked: every index,
 * length and record, so that cursors need not.  `path` and `origin` name the
 * file and the chunk's offset in diagnostics.
 */
teg_status teg_block_open(const struct teg_program *program,
                          const uint8_t *bytes, size_t size, const char *path,
                          uint64_t origin, struct teg_block **block,
                          struct teg_diag *d);

/* Ends the builder's block and opens it; `path` names it in diagnostics. */
teg_status teg_block_builder_open(struct teg_block_builder *b, const char *path,
                                  struct teg_block **block, struct teg_diag *d);
/* The block's bytes if teg_block_builder_open made them for `program`, so that
 * building it anew would make the same; NULL if not. */
const uint8_t *teg_block_built(const struct teg_block *block,
                               const struct teg_program *program, size_t *size);

/* From now on teg_block_free leaves the block alone, so that it can be handed
 * out again, to one user at a time; teg_block_drop ends it. */
void teg_block_keep(struct teg_block *block);
void teg_block_drop(struct teg_block *block);
/* Bytes it takes in memory, about. */
size_t teg_block_memory(const struct teg_block *block);

#endif
