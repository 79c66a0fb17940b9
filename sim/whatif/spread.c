#include "sim/whatif/spread.h"

#include "isa/base/minmax.h"
#include "sim/teg.h"
#include "sim/whatif/deal.h"

#include <stdlib.h>

enum {
    PIECES_MAX = 256 /* of a block: each is a walk through all of it */
};

struct spread {
    struct teg_launch from;            /* owned: closed with this one */
    struct teg_kernel kernel;          /* everything is borrowed from `from` */
    struct teg_block_builder *builder; /* owned */
    struct teg_block *block;           /* owned; NULL: all of it handed out */
    struct deal *deal;                 /* owned; of the block */
    uint32_t piece, pieces;
};

/* The kernel's program and remarks grow while the trace is read. */
static void follow(struct spread *s)
{
    s->kernel = *s->from.kernel;
    s->kernel.grid[0] *= s->pieces;
}

static teg_status write_piece(struct spread *s, struct teg_block **block,
                              struct teg_diag *d)
{
    const uint32_t *at = teg_block_position(s->block);
    const uint32_t position[3] = {at[0] * s->pieces + s->piece, at[1], at[2]};

    teg_block_builder_begin(s->builder, position);
    deal_piece(s->deal, s->piece, s->pieces, s->builder);
    return teg_block_builder_open(s->builder, "what-if", block, d);
}

static void end_block(struct spread *s)
{
    deal_free(s->deal);
    s->deal = NULL;
    teg_block_free(s->block);
    s->block = NULL;
    s->piece = 0;
}

static teg_status begin_block(struct spread *s, struct teg_diag *d)
{
    TRY(s->from.next(s->from.self, &s->block, d));
    follow(s);
    return s->block != NULL
               ? deal_new(s->block, &s->kernel.program, &s->deal, d)
               : TEG_OK;
}

static teg_status next(void *self, struct teg_block **block, struct teg_diag *d)
{
    struct spread *s = self;
    teg_status status;

    *block = NULL;
    if (s->block == NULL)
        TRY(begin_block(s, d));
    if (s->block == NULL)
        return TEG_OK;
    status = write_piece(s, block, d);
    if (++s->piece == s->pieces)
        end_block(s);
    return status;
}

static void close_spread(void *self)
{
    struct spread *s = self;

    end_block(s);
    teg_block_builder_free(s->builder);
    if (s->from.close != NULL)
        s->from.close(s->from.self);
    free(s);
}

uint32_t spread_pieces(const struct teg_gpu *gpu, const struct teg_kernel *k)
{
    uint64_t blocks = (uint64_t)k->grid[0] * k->grid[1] * k->grid[2];
    uint64_t threads = (uint64_t)k->block[0] * k->block[1] * k->block[2];
    struct teg_occupancy o;

    if (blocks == 0 || threads == 0 || threads > UINT32_MAX ||
        teg_kernel_cluster(k) > 1 || deal_meets_elsewhere(&k->program) ||
        teg_kernel_occupancy(k, gpu, &o, NULL) != TEG_OK)
        return 1;
    return (uint32_t)teg_min(
        teg_max((uint64_t)gpu->chip.sms * o.places / blocks, 1), PIECES_MAX);
}

teg_status spread_wrap(const struct teg_gpu *gpu, struct teg_launch *launch,
                       struct teg_diag *d)
{
    uint32_t pieces = spread_pieces(gpu, launch->kernel);
    struct spread *s;
    teg_status status;

    if (pieces == 1)
        return TEG_OK;
    s = calloc(1, sizeof *s);
    if (s == NULL)
        return teg_fail_memory(d);
    *s = (struct spread){.from = *launch, .pieces = pieces};
    status = teg_block_builder_new(&launch->kernel->program, &s->builder, d);
    if (status != TEG_OK) {
        free(s);
        return status;
    }
    follow(s);
    *launch = (struct teg_launch){
        .kernel = &s->kernel, .self = s, .next = next, .close = close_spread};
    return TEG_OK;
}
