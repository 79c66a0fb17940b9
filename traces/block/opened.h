/* A block once opened: what the check made sure of and cursors rely on. */
#ifndef TEG_TRACES_BLOCK_OPENED_H
#define TEG_TRACES_BLOCK_OPENED_H

#include "traces/block/block.h"
#include "traces/block/predictor.h"

struct block_path {
    const uint8_t *at, *end;
    uint64_t insts;
    uint64_t records; /* of instructions with an active lane */
};

struct block_stream {
    const uint8_t *address;
    uint32_t warp_id, path;
};

struct teg_block {
    const struct teg_program *program; /* borrowed */
    uint8_t *bytes;                    /* owned, [size] */
    size_t size;
    int kept;  /* teg_block_free leaves it alone */
    int built; /* by teg_block_builder_open */
    uint32_t position[3];
    uint32_t paths, streams, slots;
    struct block_path *path;     /* owned, [paths] */
    struct block_stream *stream; /* owned, [streams] */
    struct block_slot *slot;     /* owned, [slots] */
    uint32_t records;            /* of the program when it was opened */
    uint32_t *slot_of; /* owned, [records], by the record's number in the
                          program; `slots` for one without a slot */
    struct teg_predictor *predictor; /* owned, [streams][slots + 1] */
};

/* As teg_block_open, of bytes that teg_block_builder_end has just made: records are
 * taken as they are. */
teg_status block_open_built(const struct teg_program *program,
                            const uint8_t *bytes, size_t size, const char *path,
                            struct teg_block **block, struct teg_diag *d);

#endif
