#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/base/hash.h"
#include "isa/base/outfile.h"
#include "traces/block/block.h"
#include "traces/block/likeness.h"
#include "traces/tegt/chunk.h"
#include "traces/tegt/kernel.h"
#include "traces/tegt/layout.h"
#include "traces/tegt/tegt.h"

struct teg_tegt_writer {
    struct teg_outfile out;
    uint64_t offset;
    struct tegt_entry *entry; /* owned */
    size_t entries;
    struct tegt_codec packer;
    struct teg_buffer chunk;
    struct teg_buffer dictionary; /* of the kernel being written */
    uint64_t *likeness;           /* borrowed: of the launch; or NULL */
};

static void writer_free(struct teg_tegt_writer *w)
{
    teg_outfile_abandon(&w->out);
    for (size_t i = 0; i < w->entries; i++)
        free(w->entry[i].name);
    free(w->entry);
    tegt_packer_release(&w->packer);
    teg_buffer_release(&w->chunk);
    teg_buffer_release(&w->dictionary);
    free(w);
}

void teg_tegt_writer_abandon(struct teg_tegt_writer *w)
{
    if (w != NULL)
        writer_free(w);
}

static teg_status put(struct teg_tegt_writer *w, const void *data, size_t size,
                      struct teg_diag *d)
{
    if (size != 0 && fwrite(data, 1, size, w->out.file) != size)
        return teg_fail_errno(d, w->out.path, "write");
    w->offset += size;
    return TEG_OK;
}

teg_status teg_tegt_writer_new(const char *path,
                               struct teg_tegt_writer **writer,
                               struct teg_diag *d)
{
    struct teg_tegt_writer *w = calloc(1, sizeof *w);
    uint8_t version[4] = {TEGT_VERSION, 0, 0, 0};
    teg_status status;

    *writer = NULL;
    if (w == NULL)
        return teg_fail_memory(d);
    status = teg_outfile_open(&w->out, path, d);
    if (status == TEG_OK)
        status = put(w, tegt_magic, sizeof tegt_magic, d);
    if (status == TEG_OK)
        status = put(w, version, sizeof version, d);
    if (status != TEG_OK) {
        teg_tegt_writer_abandon(w);
        return status;
    }
    *writer = w;
    return TEG_OK;
}

static teg_status put_chunk(struct teg_tegt_writer *w, enum tegt_tag tag,
                            const uint8_t *data, size_t size,
                            const struct teg_buffer *dictionary,
                            struct teg_diag *d)
{
    TRY(tegt_pack(&w->packer, tag, data, size, dictionary, &w->chunk,
                  w->out.path, d));
    return put(w, w->chunk.data, w->chunk.size, d);
}

static teg_status put_block(struct teg_tegt_writer *w, const uint8_t *bytes,
                            size_t size, struct teg_diag *d)
{
    TRY(put_chunk(w, TEGT_BLOCK, bytes, size, &w->dictionary, d));
    if (w->dictionary.size == 0)
        teg_buffer_bytes(&w->dictionary, bytes, tegt_dictionary_size(size));
    return w->dictionary.failed ? teg_fail_memory(d) : TEG_OK;
}

/* Re-encodes a block: what was handed out may come from any reader. */
static void rebuild(struct teg_block_builder *b, struct teg_block *block)
{
    struct teg_cursor c;

    teg_block_builder_begin(b, teg_block_position(block));
    for (uint32_t s = 0; s < teg_block_warps(block); s++) {
        teg_block_builder_warp(b, teg_block_warp_id(block, s));
        teg_cursor_init(&c, block, s);
        while (teg_cursor_next(&c))
            teg_block_builder_copy(b, c.inst, &c);
    }
}

static uint64_t count_insts(const struct teg_block *block)
{
    uint64_t insts = 0;

    for (uint32_t i = 0; i < teg_block_warps(block); i++)
        insts += teg_block_warp_insts(block, i);
    return insts;
}

/* Writes the block, as it is if a builder of ours made it. */
static teg_status put_any_block(struct teg_tegt_writer *w,
                                struct teg_block *block,
                                const struct teg_program *program,
                                struct teg_block_builder *b, struct teg_diag *d)
{
    size_t size;
    const uint8_t *bytes = teg_block_built(block, program, &size);

    if (bytes == NULL) {
        rebuild(b, block);
        TRY(teg_block_builder_end(b, &bytes, &size, d));
    }
    return put_block(w, bytes, size, d);
}

static teg_status put_blocks(struct teg_tegt_writer *w,
                             struct teg_launch *launch,
                             struct teg_block_builder *b,
                             struct teg_likeness *likeness,
                             struct teg_buffer *index, struct tegt_entry *entry,
                             struct teg_diag *d)
{
    uint64_t before = 0;

    for (;;) {
        struct teg_block *block;
        teg_status status;

        TRY(launch->next(launch->self, &block, d));
        if (block == NULL)
            return TEG_OK;
        teg_buffer_varint(index, w->offset - before);
        before = w->offset;
        entry->blocks++;
        entry->insts += count_insts(block);
        status = put_any_block(w, block, &launch->kernel->program, b, d);
        if (status == TEG_OK && likeness != NULL)
            status = teg_likeness_add(likeness, block, d);
        teg_block_free(block);
        TRY(status);
    }
}

/* Of the blocks and of what is said of the kernel. */
static void sign(const struct teg_tegt_writer *w, struct teg_likeness *blocks,
                 const struct teg_buffer *kernel)
{
    if (w->likeness == NULL)
        return;
    *w->likeness = teg_likeness_digest(blocks);
    teg_hash_bytes(w->likeness, kernel->data, kernel->size);
}

static teg_status put_launch(struct teg_tegt_writer *w,
                             struct teg_launch *launch,
                             struct tegt_entry *entry, struct teg_diag *d)
{
    struct teg_block_builder *b;
    struct teg_likeness *likeness = NULL;
    struct teg_buffer index = {0}, kernel = {0};
    teg_status status = teg_block_builder_new(&launch->kernel->program, &b, d);

    if (status != TEG_OK)
        return status;
    if (w->likeness != NULL) {
        likeness = teg_likeness_new(launch->kernel);
        status = likeness != NULL ? TEG_OK : teg_fail_memory(d);
    }
    w->dictionary.size = 0;
    if (status == TEG_OK)
        status = put_blocks(w, launch, b, likeness, &index, entry, d);
    if (status == TEG_OK) {
        entry->index = w->offset;
        status = put_chunk(w, TEGT_INDEX, index.data, index.size, NULL, d);
    }
    if (status == TEG_OK) {
        tegt_put_kernel(&kernel, launch->kernel);
        entry->kernel = w->offset;
        status =
            kernel.failed || index.failed
                ? teg_fail_memory(d)
                : put_chunk(w, TEGT_KERNEL, kernel.data, kernel.size, NULL, d);
    }
    if (status == TEG_OK)
        sign(w, likeness, &kernel);
    teg_likeness_free(likeness);
    teg_buffer_release(&index);
    teg_buffer_release(&kernel);
    teg_block_builder_free(b);
    return status;
}

teg_status teg_tegt_writer_launch(struct teg_tegt_writer *w,
                                  struct teg_launch *launch, struct teg_diag *d)
{
    struct tegt_entry *entry =
        realloc(w->entry, (w->entries + 1) * sizeof *entry);

    if (entry == NULL)
        return teg_fail_memory(d);
    w->entry = entry;
    entry += w->entries;
    *entry = (struct tegt_entry){.name = strdup(launch->kernel->name)};
    if (entry->name == NULL)
        return teg_fail_memory(d);
    w->entries++;
    return put_launch(w, launch, entry, d);
}

static teg_status put_end(struct teg_tegt_writer *w, struct teg_diag *d)
{
    struct teg_buffer b = {0};
    uint64_t directory = w->offset;
    teg_status status;

    teg_buffer_varint(&b, w->entries);
    for (size_t i = 0; i < w->entries; i++) {
        teg_buffer_string(&b, w->entry[i].name);
        teg_buffer_varint(&b, w->entry[i].kernel);
        teg_buffer_varint(&b, w->entry[i].index);
        teg_buffer_varint(&b, w->entry[i].blocks);
        teg_buffer_varint(&b, w->entry[i].insts);
    }
    status = b.failed ? teg_fail_memory(d)
                      : put_chunk(w, TEGT_DIRECTORY, b.data, b.size, NULL, d);
    b.size = 0;
    teg_buffer_u64(&b, directory);
    teg_buffer_bytes(&b, tegt_end_magic, sizeof tegt_end_magic);
    if (status == TEG_OK)
        status = b.failed ? teg_fail_memory(d) : put(w, b.data, b.size, d);
    teg_buffer_release(&b);
    return status;
}

teg_status teg_tegt_writer_finish(struct teg_tegt_writer *w, struct teg_diag *d)
{
    teg_status status = put_end(w, d);

    if (status == TEG_OK)
        status = teg_outfile_finish(&w->out, d);
    writer_free(w);
    return status;
}

teg_status teg_tegt_write(const char *path, struct teg_launch *launch,
                          uint64_t *likeness, struct teg_diag *d)
{
    struct teg_tegt_writer *w;
    teg_status status;

    TRY(teg_tegt_writer_new(path, &w, d));
    w->likeness = likeness;
    status = teg_tegt_writer_launch(w, launch, d);
    if (status == TEG_OK)
        return teg_tegt_writer_finish(w, d);
    teg_tegt_writer_abandon(w);
    return status;
}
