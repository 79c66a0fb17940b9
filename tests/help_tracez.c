#include "tests/help_tracez.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

static void put_piece(struct teg_buffer *out, const char *text,
                      const char *dictionary)
{
    size_t size = strlen(text), bound = ZSTD_compressBound(size), made;
    uint8_t *packed = malloc(bound);
    ZSTD_CCtx *context = ZSTD_createCCtx();

    ck_assert(packed != NULL && context != NULL);
    made =
        ZSTD_compress_usingDict(context, packed, bound, text, size, dictionary,
                                dictionary != NULL ? strlen(dictionary) : 0, 3);
    ck_assert(!ZSTD_isError(made));
    teg_buffer_u32(out, (uint32_t)made);
    teg_buffer_bytes(out, packed, made);
    ZSTD_freeCCtx(context);
    free(packed);
}

/* The warp's data; returns where they begin. */
static uint64_t put_warp(struct teg_buffer *out,
                         const struct help_tracez_warp *w,
                         const char *dictionary)
{
    uint64_t at = out->size;

    teg_buffer_u32(out, w->insts);
    teg_buffer_u32(out, w->pieces);
    for (uint32_t i = 0; i < w->pieces; i++)
        put_piece(out, w->piece[i], dictionary);
    return at;
}

static void put_index_warp(struct teg_buffer *index,
                           const struct help_tracez_warp *w, uint64_t at)
{
    teg_buffer_u32(index, w->insts);
    teg_buffer_u32(index, w->pieces);
    teg_buffer_u64(index, at);
    for (uint32_t i = 0; i < w->pieces; i++)
        teg_buffer_u32(index, w->insts / w->pieces);
}

void help_tracez(struct teg_buffer *out, const char *header,
                 const char *dictionary, const struct help_tracez_warp *warp,
                 uint32_t warps)
{
    struct teg_buffer index = {0};
    uint32_t blocks = 0;
    uint64_t index_at;

    teg_buffer_bytes(out, header, strlen(header) + 1);
    teg_buffer_u32(out, dictionary != NULL ? (uint32_t)strlen(dictionary) : 0);
    teg_buffer_u32(out, 4096);
    if (dictionary != NULL)
        teg_buffer_bytes(out, dictionary, strlen(dictionary));
    for (uint32_t i = 0, n; i < warps; i += n) {
        for (n = 1; i + n < warps && warp[i + n].block == warp[i].block;)
            n++;
        blocks++;
        teg_buffer_u32(&index, warp[i].block);
        for (int zero = 0; zero < 9; zero++)
            teg_buffer_u32(&index, 0);
        teg_buffer_u32(&index, n);
        for (uint32_t k = i; k < i + n; k++)
            put_index_warp(&index, &warp[k],
                           put_warp(out, &warp[k], dictionary));
    }
    index_at = out->size;
    teg_buffer_u32(out, blocks);
    teg_buffer_bytes(out, index.data, index.size);
    teg_buffer_u64(out, index_at);
    teg_buffer_release(&index);
}
