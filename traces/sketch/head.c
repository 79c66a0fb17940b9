/* Statements of a kernel sketch's head: launch shape and resources. */
#include "traces/sketch/parse.h"

#include "isa/base/printable.h"
#include "isa/inst/opcode.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    GRID_X_MAX = 0x7fffffff, /* CUDA's limits */
    CLUSTER_MAX = 16,
    GRID_YZ_MAX = 65535,
    BLOCK_Z_MAX = 64,
    SHARED_MAX = 1 << 20, /* far above any chip's */
    NAME_MAX_BYTES = 1024,
};

teg_status sketch_parse_kernel(struct sketch_parser *p)
{
    const struct sketch_token *t = sketch_peek(p);
    char *name;
    size_t length;

    if (t->kind != TOKEN_STRING || t->length - 2 > NAME_MAX_BYTES)
        return sketch_expected(p, "the kernel's name in quotes");
    length = t->length - 2;
    name = teg_printable_copy_of(p->text + t->at + 1, length);
    if (name == NULL)
        return teg_fail_memory(p->d);
    free(p->plan->kernel.name);
    p->plan->kernel.name = name;
    sketch_advance(p);
    return TEG_OK;
}

static const struct {
    const char *name;
    uint32_t isa;
} FAMILIES[] = {
    {"g80", 10},     {"gt200", 13},  {"fermi", 20},  {"kepler", 35},
    {"maxwell", 52}, {"pascal", 60}, {"volta", 70},  {"turing", 75},
    {"ampere", 80},  {"ada", 89},    {"hopper", 90},
};

/* The NN of "sm_NN", 0 if `word` is no such name. */
static uint32_t sm_version(const char *word)
{
    uint32_t version = 0;

    if (strncmp(word, "sm_", 3) != 0 || strlen(word) > 6)
        return 0;
    for (const char *c = word + 3; *c != '\0'; c++) {
        if (*c < '0' || *c > '9')
            return 0;
        version = 10 * version + (uint32_t)(*c - '0');
    }
    return version >= 10 && version <= 130 ? version : 0;
}

teg_status sketch_parse_isa(struct sketch_parser *p)
{
    char word[SKETCH_WORD_MAX + 1];
    uint32_t isa;

    if (sketch_peek(p)->kind != TOKEN_WORD)
        return sketch_expected(p, "gt200, volta, sm_70 or the like");
    isa = sm_version(sketch_word(p, sketch_peek(p), word));
    for (size_t i = 0; i < sizeof FAMILIES / sizeof *FAMILIES; i++)
        if (strcmp(word, FAMILIES[i].name) == 0)
            isa = FAMILIES[i].isa;
    if (isa == 0)
        return sketch_expected(p, "sm_10 to sm_130 or a family (g80, gt200, "
                                  "fermi, kepler, maxwell, pascal, volta, "
                                  "turing, ampere, ada, hopper)");
    p->plan->kernel.isa = isa;
    sketch_advance(p);
    return TEG_OK;
}

static teg_status parse_shape(struct sketch_parser *p, const char *what,
                              const int64_t max[3], uint32_t shape[3])
{
    int64_t value;
    uint32_t n = 0;

    while (n < 3 && (n == 0 || sketch_peek(p)->kind != TOKEN_LINE)) {
        TRY(sketch_parse_const(p, what, 1, max[n], &value));
        shape[n++] = (uint32_t)value;
        sketch_take_sign(p, ',');
    }
    while (n < 3)
        shape[n++] = 1;
    return TEG_OK;
}

teg_status sketch_parse_grid(struct sketch_parser *p)
{
    static const int64_t MAX[3] = {GRID_X_MAX, GRID_YZ_MAX, GRID_YZ_MAX};

    return parse_shape(p, "the grid", MAX, p->plan->kernel.grid);
}

/* Blocks come in grid order, so clusters lie along x. */
teg_status sketch_parse_cluster(struct sketch_parser *p)
{
    struct teg_kernel *kernel = &p->plan->kernel;
    int64_t value;

    TRY(sketch_parse_const(p, "the blocks of a cluster", 1, CLUSTER_MAX,
                           &value));
    kernel->cluster[0] = (uint32_t)value;
    kernel->cluster[1] = kernel->cluster[2] = 1;
    return TEG_OK;
}

teg_status sketch_parse_threads(struct sketch_parser *p)
{
    static const int64_t MAX[3] = {SKETCH_THREADS_MAX, SKETCH_THREADS_MAX,
                                   BLOCK_Z_MAX};
    struct teg_kernel *kernel = &p->plan->kernel;
    uint32_t line = sketch_peek(p)->line;

    TRY(parse_shape(p, "the block", MAX, kernel->block));
    if (teg_kernel_threads_per_block(kernel) > SKETCH_THREADS_MAX)
        return sketch_fail(
            p, line, "expected at most %d threads in a block, found %u",
            SKETCH_THREADS_MAX, teg_kernel_threads_per_block(kernel));
    return TEG_OK;
}

teg_status sketch_parse_registers(struct sketch_parser *p)
{
    int64_t value;

    TRY(sketch_parse_const(p, "the registers of a thread", 1,
                           SKETCH_REGISTERS_MAX, &value));
    p->plan->kernel.registers = (uint32_t)value;
    return TEG_OK;
}

teg_status sketch_parse_shared(struct sketch_parser *p)
{
    int64_t value;

    TRY(sketch_parse_const(p, "the shared memory of a block, in bytes", 0,
                           SHARED_MAX, &value));
    p->plan->kernel.shared_bytes = (uint32_t)value;
    return TEG_OK;
}

static teg_status parse_window(struct sketch_parser *p, uint64_t *base)
{
    int64_t value;

    TRY(sketch_parse_const(p, "the window's first address", 0, INT64_MAX,
                           &value));
    *base = (uint64_t)value;
    return TEG_OK;
}

teg_status sketch_parse_shared_base(struct sketch_parser *p)
{
    return parse_window(p, &p->plan->kernel.shared_base);
}

teg_status sketch_parse_local_base(struct sketch_parser *p)
{
    return parse_window(p, &p->plan->kernel.local_base);
}
