#include "traces/tegt/tegt.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "traces/block/block.h"
#include "traces/tegt/chunk.h"
#include "traces/tegt/kernel.h"
#include "traces/tegt/layout.h"

struct teg_tegt {
    struct tegt_file file;
    struct tegt_codec unpacker;
    uint32_t version;
    struct tegt_entry *entry; /* owned */
    uint32_t entries;
};

/* One open launch: its own place in the file, so that several may be open. */
struct tegt_launch {
    struct teg_tegt *t; /* borrowed */
    struct teg_kernel kernel;
    struct teg_buffer index, raw;
    struct teg_buffer dictionary; /* the first block */
    struct teg_walk next;         /* in `index` */
    uint64_t offset;              /* of the block before */
    uint64_t left;
};

int teg_tegt_recognise(const uint8_t *bytes, size_t size)
{
    /* The first byte after "TEGT" shows a file mangled by text mode too. */
    return size >= 5 && memcmp(bytes, tegt_magic, 5) == 0;
}

static teg_status read_chunk(struct teg_tegt *t, uint64_t offset,
                             enum tegt_tag tag,
                             const struct teg_buffer *dictionary,
                             struct teg_buffer *raw, struct teg_diag *d)
{
    return tegt_unpack(&t->unpacker, &t->file, offset, tag, dictionary, raw, d);
}

static uint64_t get_u64(const uint8_t *p)
{
    uint64_t v = 0;

    for (int i = 7; i >= 0; i--)
        v = v << 8 | p[i];
    return v;
}

static teg_status read_directory(struct teg_tegt *t, struct teg_buffer *raw,
                                 struct teg_diag *d)
{
    uint8_t head[TEGT_HEADER_SIZE], tail[TEGT_TRAILER_SIZE];
    struct teg_walk w;
    uint64_t n, at;

    TRY(tegt_read(&t->file, 0, head, sizeof head, d));
    if (memcmp(head, tegt_magic, sizeof tegt_magic) != 0)
        return teg_fail_byte(d, TEG_FORMAT, t->file.path, 0,
                             "expected a .tegt, found other bytes");
    for (int i = 3; i >= 0; i--)
        t->version = t->version << 8 | head[TEGT_MAGIC_SIZE + i];
    if (t->version < TEGT_VERSION_OLDEST || t->version > TEGT_VERSION)
        return teg_fail_byte(d, TEG_FORMAT, t->file.path, TEGT_MAGIC_SIZE,
                             "expected container version %d to %d, found %u",
                             TEGT_VERSION_OLDEST, TEGT_VERSION, t->version);
    if (t->file.size < TEGT_HEADER_SIZE + TEGT_TRAILER_SIZE)
        return teg_fail_byte(d, TEG_FORMAT, t->file.path, t->file.size,
                             "expected a directory at the end, found the file "
                             "cut");
    TRY(tegt_read(&t->file, t->file.size - TEGT_TRAILER_SIZE, tail, sizeof tail,
                  d));
    if (memcmp(tail + 8, tegt_end_magic, sizeof tegt_end_magic) != 0)
        return teg_fail_byte(d, TEG_FORMAT, t->file.path,
                             t->file.size - TEGT_MAGIC_SIZE,
                             "expected the end mark, found other bytes: the "
                             "file is cut or was not finished");
    at = get_u64(tail);
    TRY(read_chunk(t, at, TEGT_DIRECTORY, NULL, raw, d));
    teg_walk_init(&w, raw->data, raw->size, t->file.path, at);
    TRY(teg_walk_bounded(&w, TEGT_KERNELS_MAX, "number of kernels", &n, d));
    if (n == 0 || n > teg_walk_left(&w) / 5)
        return teg_fail_byte(d, TEG_FORMAT, t->file.path, at,
                             "expected at least one kernel, found %llu",
                             (unsigned long long)(n == 0 ? 0 : n));
    t->entry = calloc((size_t)n, sizeof *t->entry);
    if (t->entry == NULL)
        return teg_fail_memory(d);
    for (uint64_t i = 0; i < n; i++) {
        struct tegt_entry *e = &t->entry[i];
        char name[TEGT_TEXT_MAX];

        TRY(teg_walk_string(&w, name, sizeof name, d));
        e->name = strdup(name);
        if (e->name == NULL)
            return teg_fail_memory(d);
        t->entries++;
        TRY(teg_walk_varint(&w, &e->kernel, d));
        TRY(teg_walk_varint(&w, &e->index, d));
        TRY(teg_walk_varint(&w, &e->blocks, d));
        TRY(teg_walk_varint(&w, &e->insts, d));
    }
    return TEG_OK;
}

teg_status teg_tegt_open(const char *path, struct teg_tegt **out,
                         struct teg_diag *d)
{
    struct teg_tegt *t = calloc(1, sizeof *t);
    struct teg_buffer raw = {0};
    teg_status status;
    struct stat facts;

    *out = NULL;
    if (t == NULL || (t->file.path = strdup(path)) == NULL) {
        free(t);
        return teg_fail_memory(d);
    }
    t->file.fd = open(path, O_RDONLY);
    if (t->file.fd < 0 || fstat(t->file.fd, &facts) != 0) {
        status = teg_fail_errno(d, path, "open");
    } else {
        t->file.size = (uint64_t)facts.st_size;
        status = read_directory(t, &raw, d);
    }
    teg_buffer_release(&raw);
    if (status != TEG_OK) {
        teg_tegt_close(t);
        return status;
    }
    *out = t;
    return TEG_OK;
}

void teg_tegt_close(struct teg_tegt *t)
{
    if (t == NULL)
        return;
    if (t->file.fd >= 0)
        close(t->file.fd);
    tegt_unpacker_release(&t->unpacker);
    for (uint32_t i = 0; i < t->entries; i++)
        free(t->entry[i].name);
    free(t->entry);
    free(t->file.path);
    free(t);
}

uint32_t teg_tegt_kernels(const struct teg_tegt *t)
{
    return t->entries;
}

const char *teg_tegt_kernel_name(const struct teg_tegt *t, uint32_t i)
{
    return t->entry[i].name;
}

static void launch_close(void *self)
{
    struct tegt_launch *l = self;

    teg_kernel_release(&l->kernel);
    teg_buffer_release(&l->index);
    teg_buffer_release(&l->raw);
    teg_buffer_release(&l->dictionary);
    free(l);
}

static teg_status launch_next(void *self, struct teg_block **block,
                              struct teg_diag *d)
{
    struct tegt_launch *l = self;
    uint64_t distance;

    *block = NULL;
    if (l->left == 0)
        return TEG_OK;
    TRY(teg_walk_varint(&l->next, &distance, d));
    l->offset += distance;
    TRY(read_chunk(l->t, l->offset, TEGT_BLOCK, &l->dictionary, &l->raw, d));
    if (l->dictionary.size == 0) {
        teg_buffer_bytes(&l->dictionary, l->raw.data,
                         tegt_dictionary_size(l->raw.size));
        if (l->dictionary.failed)
            return teg_fail_memory(d);
    }
    TRY(teg_block_open(&l->kernel.program, l->raw.data, l->raw.size,
                       l->t->file.path, l->offset, block, d));
    l->left--;
    return TEG_OK;
}

static teg_status launch_open(struct tegt_launch *l, const struct tegt_entry *e,
                              struct teg_diag *d)
{
    struct teg_walk w;

    TRY(read_chunk(l->t, e->kernel, TEGT_KERNEL, NULL, &l->raw, d));
    teg_walk_init(&w, l->raw.data, l->raw.size, l->t->file.path, e->kernel);
    TRY(tegt_walk_kernel(&w, l->t->version, &l->kernel, d));
    TRY(read_chunk(l->t, e->index, TEGT_INDEX, NULL, &l->index, d));
    teg_walk_init(&l->next, l->index.data, l->index.size, l->t->file.path,
                  e->index);
    if (e->blocks > l->index.size)
        return teg_fail_byte(
            d, TEG_FORMAT, l->t->file.path, e->index,
            "expected an index of %llu blocks, found %zu bytes",
            (unsigned long long)e->blocks, l->index.size);
    l->left = e->blocks;
    return TEG_OK;
}

teg_status teg_tegt_launch(struct teg_tegt *t, uint32_t i,
                           struct teg_launch *launch, struct teg_diag *d)
{
    struct tegt_launch *l = calloc(1, sizeof *l);
    teg_status status;

    if (l == NULL)
        return teg_fail_memory(d);
    l->t = t;
    status = launch_open(l, &t->entry[i], d);
    if (status != TEG_OK) {
        launch_close(l);
        return status;
    }
    *launch = (struct teg_launch){
        .kernel = &l->kernel,
        .self = l,
        .next = launch_next,
        .close = launch_close,
    };
    return TEG_OK;
}
