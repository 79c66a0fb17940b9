#include "traces/nvbit/header.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/base/printable.h"

enum {
    GRID_X_MAX = INT32_MAX, /* CUDA: 2^31 - 1, 65535, 65535 blocks */
    GRID_YZ_MAX = 65535,
    BLOCK_XY_MAX = 1024, /* CUDA: 1024 x 1024 x 64, at most 1024 threads */
    BLOCK_Z_MAX = 64,
    BLOCK_THREADS_MAX = 1024,
    REGISTERS_MAX = 255,        /* CUDA, since compute capability 3.5 */
    SHARED_BYTES_MAX = 1 << 18, /* above every chip's, 228 KiB on Hopper */
    ISA_MIN = 10,
    ISA_MAX = 200,
};

/* Returns 1 and the number, decimal or 0x hexadecimal, that makes up `text`
 * up to blanks. */
static int number(const char *text, uint64_t *v)
{
    char *end;

    while (*text == ' ')
        text++;
    if (*text == '-' || *text == '+' || *text == '\0')
        return 0;
    *v = strtoull(text, &end, strncmp(text, "0x", 2) == 0 ? 16 : 10);
    while (*end == ' ' || *end == '\t')
        end++;
    return *end == '\0';
}

/* Returns 1 and the numbers of "(x,y,z)", each from 1 to `max`. */
static int triple(const char *text, const uint32_t max[3], uint32_t v[3])
{
    while (*text == ' ')
        text++;
    if (*text++ != '(')
        return 0;
    for (int i = 0; i < 3; i++) {
        char *end;
        unsigned long long n;

        if (*text == '-')
            return 0;
        n = strtoull(text, &end, 10);
        if (end == text || *end != (i < 2 ? ',' : ')') || n == 0 || n > max[i])
            return 0;
        v[i] = (uint32_t)n;
        text = end + 1;
    }
    return 1;
}

static void note(struct nvbit_header *h, const char *kind, const char *expected,
                 const char *found)
{
    char where[256];

    snprintf(where, sizeof where, "%.200s:%" PRIu64, h->path, h->line);
    teg_notes_add(&h->kernel->notes, kind, where, "expected %s, found '%.80s'",
                  expected, found);
}

static teg_status take_name(struct nvbit_header *h, const char *value,
                            struct teg_diag *d)
{
    char *name = teg_printable_copy(value);

    if (name == NULL)
        return teg_fail_memory(d);
    free(h->kernel->name);
    h->kernel->name = name;
    return TEG_OK;
}

static teg_status take_grid(struct nvbit_header *h, const char *value,
                            struct teg_diag *d)
{
    static const uint32_t max[3] = {GRID_X_MAX, GRID_YZ_MAX, GRID_YZ_MAX};

    (void)d;
    if (!triple(value, max, h->kernel->grid)) {
        memset(h->kernel->grid, 0, sizeof h->kernel->grid);
        note(h, "header-grid", "a grid '(x,y,z)' that CUDA allows", value);
    }
    return TEG_OK;
}

static teg_status take_block(struct nvbit_header *h, const char *value,
                             struct teg_diag *d)
{
    static const uint32_t max[3] = {BLOCK_XY_MAX, BLOCK_XY_MAX, BLOCK_Z_MAX};

    (void)d;
    if (!triple(value, max, h->kernel->block) ||
        teg_kernel_threads_per_block(h->kernel) > BLOCK_THREADS_MAX) {
        memset(h->kernel->block, 0, sizeof h->kernel->block);
        note(h, "header-block", "a block '(x,y,z)' of 1 to 1024 threads",
             value);
    }
    return TEG_OK;
}

static teg_status take_shared(struct nvbit_header *h, const char *value,
                              struct teg_diag *d)
{
    uint64_t v;

    (void)d;
    if (number(value, &v) && v <= SHARED_BYTES_MAX)
        h->kernel->shared_bytes = (uint32_t)v;
    else
        note(h, "header-shared", "0 to 262144 bytes of shared memory", value);
    return TEG_OK;
}

static teg_status take_registers(struct nvbit_header *h, const char *value,
                                 struct teg_diag *d)
{
    uint64_t v;

    (void)d;
    if (number(value, &v) && v >= 1 && v <= REGISTERS_MAX)
        h->kernel->registers = (uint32_t)v;
    else
        note(h, "header-registers", "1 to 255 registers", value);
    return TEG_OK;
}

static teg_status take_isa(struct nvbit_header *h, const char *value,
                           struct teg_diag *d)
{
    uint64_t v;

    (void)d;
    if (number(value, &v) && v >= ISA_MIN && v <= ISA_MAX)
        h->kernel->isa = (uint32_t)v;
    else
        note(h, "header-isa", "an SM version such as 70 or 86", value);
    return TEG_OK;
}

static void take_base(struct nvbit_header *h, const char *kind,
                      const char *value, uint64_t *base)
{
    if (!number(value, base)) {
        *base = 0;
        note(h, kind, "an address", value);
    }
}

static teg_status take_shared_base(struct nvbit_header *h, const char *value,
                                   struct teg_diag *d)
{
    (void)d;
    take_base(h, "header-shared-base", value, &h->kernel->shared_base);
    return TEG_OK;
}

static teg_status take_local_base(struct nvbit_header *h, const char *value,
                                  struct teg_diag *d)
{
    (void)d;
    take_base(h, "header-local-base", value, &h->kernel->local_base);
    return TEG_OK;
}

/* The keys that matter.  missing: kind of the note if the line is not there,
 * NULL where older tracers do not write it. */
static const struct key {
    const char *key;
    teg_status (*take)(struct nvbit_header *h, const char *value,
                       struct teg_diag *d);
    const char *missing;
} keys[] = {
    {"kernel name", take_name, NULL},
    {"grid dim", take_grid, "header-grid"},
    {"block dim", take_block, "header-block"},
    {"shmem", take_shared, "header-shared"},
    {"nregs", take_registers, "header-registers"},
    {"binary version", take_isa, "header-isa"},
    {"shmem base_addr", take_shared_base, NULL},
    {"local mem base_addr", take_local_base, NULL},
};

enum {
    KEYS = sizeof keys / sizeof keys[0]
};

/* Finds the key of "-key = value", and the value; -1 if it is not known. */
static int find_key(const char *text, size_t length, size_t *value)
{
    for (int i = 0; i < KEYS; i++) {
        size_t n = strlen(keys[i].key), at = 1 + n;

        if (length < at || memcmp(text + 1, keys[i].key, n) != 0)
            continue;
        while (at < length && text[at] == ' ')
            at++;
        if (at == length || text[at] != '=')
            continue;
        at++;
        while (at < length && text[at] == ' ')
            at++;
        *value = at;
        return i;
    }
    return -1;
}

void nvbit_header_init(struct nvbit_header *h, struct teg_kernel *kernel,
                       const char *path)
{
    *h = (struct nvbit_header){.kernel = kernel, .path = path};
}

teg_status nvbit_header_line(struct nvbit_header *h, const char *text,
                             uint64_t line, struct teg_diag *d)
{
    size_t value;
    int i = find_key(text, strlen(text), &value);

    h->line = line;
    if (i < 0)
        return TEG_OK;
    h->seen |= 1u << i;
    return keys[i].take(h, text + value, d);
}

void nvbit_header_finish(struct nvbit_header *h,
                         const struct teg_trace_options *options)
{
    for (int i = 0; i < KEYS; i++) {
        if (!(h->seen & 1u << i) && keys[i].missing != NULL)
            teg_notes_add(&h->kernel->notes, keys[i].missing, h->path,
                          "expected a header line '-%s = ...', found none",
                          keys[i].key);
    }
    if (options != NULL && options->isa != 0)
        h->kernel->isa = options->isa;
    if (options != NULL && options->registers != 0)
        h->kernel->registers = options->registers;
}

int nvbit_header_recognise(const uint8_t *bytes, size_t size)
{
    const uint8_t *end = bytes + size;

    while (bytes < end) {
        const uint8_t *eol = memchr(bytes, '\n', (size_t)(end - bytes));
        size_t value;

        if (eol == NULL)
            eol = end;
        if (*bytes == '-' &&
            find_key((const char *)bytes, (size_t)(eol - bytes), &value) >= 0)
            return 1;
        bytes = eol < end ? eol + 1 : end;
    }
    return 0;
}
