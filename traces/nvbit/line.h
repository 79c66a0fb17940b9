/*
 * One instruction line of an NVBit trace, of any tracer version:
 *
 *   [x y z warp [7 cluster numbers]] [line] pc mask ndst {dst} opcode
 *   nsrc {src} width [mode addresses] [anything]
 *
 * The shape of the line decides, not the version the header claims: `mask` is
 * the first field after the first that has exactly eight hexadecimal digits.
 *
 * A static instruction is known by its pc and by the text from `ndst` to
 * `width`.  A line costs little when it repeats a known one: its pc leads to
 * the candidates, one comparison of text confirms.
 */
#ifndef TEG_TRACES_NVBIT_LINE_H
#define TEG_TRACES_NVBIT_LINE_H

#include "traces/base/kernel.h"

enum {
    NVBIT_LEAD_MAX = 12, /* x y z warp, cluster x 7, line */
    NVBIT_LEAD_RAW = 4,  /* from here on: x y z warp come first */
    NVBIT_STATIC_MAX = 1 << 20,
};

struct nvbit_static;

struct nvbit_lines {
    struct teg_kernel *kernel; /* borrowed; its program grows */
    const char *path;          /* borrowed; for diagnostics */
    uint64_t line;             /* likewise; set by the caller */

    struct nvbit_static *entry; /* owned */
    uint32_t entries, entry_capacity;
    uint32_t *bucket; /* owned, by hash of the pc: 1 + first entry */
    uint32_t bucket_bits;
    uint32_t last; /* entry of the line before */
    char *text;    /* owned pool of the entries' texts */
    size_t text_size, text_capacity;
    uint32_t lead; /* fields before the pc in the line before */
};

struct nvbit_inst {
    uint32_t inst; /* index in the kernel's program */
    uint32_t mask;
    int addresses; /* `lane` holds those of the active lanes */
    uint32_t leads;
    uint32_t lead[NVBIT_LEAD_MAX];
    uint64_t lane[TEG_LANES];
};

void nvbit_lines_init(struct nvbit_lines *l, struct teg_kernel *kernel,
                      const char *path);
void nvbit_lines_release(struct nvbit_lines *l);

/* Parses `text`, which ends with a NUL.  A line that is no instruction is
 * TEG_FORMAT with what was expected and found. */
teg_status nvbit_lines_parse(struct nvbit_lines *l, const char *text,
                             struct nvbit_inst *out, struct teg_diag *d);

/* True if `text`, up to a NUL or line end, begins like an instruction line;
 * `*leads` is then the number of fields before the pc. */
int nvbit_line_shape(const char *text, uint32_t *leads);

#endif
