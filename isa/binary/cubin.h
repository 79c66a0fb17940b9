/*
 * A cubin: the ELF file ptxas writes for one generation, read with libelf.
 *
 * Both layouts are read, told apart by the OS/ABI byte of the ELF header:
 *   0x33  CUDA 11 and 12: SM number in bits 7:0 of e_flags
 *   0x41  CUDA 13:        SM number in bits 15:8
 * Linked files and relocatable ones (nvcc -rdc=true), several kernels, and
 * files whose symbols were stripped.  A damaged file is refused with one
 * sentence; nothing in it is trusted.
 */
#ifndef TEG_ISA_BINARY_CUBIN_H
#define TEG_ISA_BINARY_CUBIN_H

#include "isa/base/status.h"
#include "isa/binary/lines.h"

struct teg_cubin_param {
    uint32_t ordinal;
    uint32_t offset; /* from the kernel's param_base */
    uint32_t size;   /* bytes */
};

/* Bytes of a section.  `data` NULL: reserved but not in the file. */
struct teg_cubin_bytes {
    const uint8_t *data; /* borrowed from the cubin */
    uint64_t size;
};

/* One .text section: a kernel, or a device function of a relocatable file. */
struct teg_cubin_kernel {
    char *name; /* owned */
    int is_entry;
    uint32_t registers;       /* per thread; 0: the file does not say */
    uint64_t shared_bytes;    /* static */
    uint64_t shared_reserved; /* before them: 1024 on sm_90, where used */
    uint64_t local_bytes;     /* stack of a thread, its calls' too */
    int stack_is_open; /* nobody knows how deep its calls go (recursion, calls by
                          pointer): `local_bytes` is its own frame */
    uint32_t barriers;
    uint32_t param_base;           /* offset of parameters in constant bank 0 */
    uint32_t param_bytes;          /* of all parameters */
    uint32_t max_threads[3];       /* __launch_bounds__, 0: none */
    uint32_t required_threads[3];  /* 0: none */
    uint32_t cluster[3];           /* __cluster_dims__, blocks; 0: none */
    struct teg_cubin_param *param; /* owned, by ordinal */
    uint32_t param_count;
    int has_params; /* the file describes parameters */
    struct teg_cubin_bytes code;
    struct teg_cubin_bytes constant0; /* image of bank 0 */
    struct teg_cubin_bytes constant2; /* compiler's constants, jump tables */
    uint32_t section;                 /* index of its .text */
};

enum teg_cubin_region {
    CUBIN_CODE,      /* into the code of `kernel` */
    CUBIN_CONSTANT3, /* __constant__ variables */
    CUBIN_CONSTANT4, /* addresses */
    CUBIN_GLOBAL,    /* initialised __device__ variables */
    CUBIN_ZEROED,    /* __device__ variables that begin as zero */
    CUBIN_CONSTANT2, /* of `kernel` */
    CUBIN_LINES,     /* the table of source lines */
    CUBIN_PTX_LINES, /* that of lines of PTX */
    CUBIN_ELSEWHERE, /* other debug information */
};

/* Store S + addend at `offset`, S being the address of the symbol. */
struct teg_cubin_reloc {
    enum teg_cubin_region region;
    uint32_t kernel; /* index, for CUBIN_CODE and CUBIN_CONSTANT2 */
    uint64_t offset; /* into the region, checked */
    uint32_t type;   /* R_CUDA_*: 2 a 64-bit word, 4 a global address */
    uint32_t symbol; /* index into the symbols */
    int64_t addend;
};

struct teg_cubin_symbol {
    const char *name; /* borrowed from the cubin, "" if it has none */
    uint64_t value, size;
    enum teg_cubin_region region; /* CUBIN_ELSEWHERE: undefined or other */
    int is_defined;
    int kernel; /* index, -1: none */
};

/* Where a cubin was read from; a listing (isa/binary/listing.h) has code alone. */
enum teg_cubin_origin {
    CUBIN_FROM_ELF,
    CUBIN_FROM_WORDS, /* a listing with encodings */
    CUBIN_FROM_TEXT,  /* one without: no control codes */
};

struct teg_cubin {
    enum teg_cubin_origin origin;
    char *path;    /* owned */
    uint32_t sm;   /* 75, 90 */
    int is_cuda13; /* layout of CUDA 13, else the older one */
    int is_relocatable;
    struct teg_cubin_kernel *kernel; /* owned, in the file's order */
    uint32_t kernel_count;
    struct teg_cubin_reloc *reloc; /* owned */
    uint32_t reloc_count;
    struct teg_cubin_symbol *symbol; /* owned */
    uint32_t symbol_count;
    struct teg_cubin_bytes constant3, constant4, global_init, global_zero;
    struct teg_cubin_bytes lines_table;     /* .debug_line */
    struct teg_cubin_bytes ptx_lines_table; /* .nv_debug_line_sass */
    struct teg_lines lines;                 /* what it says */
    uint8_t *file;                          /* owned */
    size_t file_size;
    void *elf; /* owned; libelf's */
};

/* True if `bytes` begin like a cubin of any kind. */
int teg_cubin_recognise(const uint8_t *bytes, size_t size);

/* Opens the file at `path`, or a copy of the bytes with `path` for messages. */
teg_status teg_cubin_open(struct teg_cubin *c, const char *path,
                          struct teg_diag *d);
teg_status teg_cubin_open_memory(struct teg_cubin *c, const char *path,
                                 const uint8_t *bytes, size_t size,
                                 struct teg_diag *d);
void teg_cubin_release(struct teg_cubin *c);

/* The kernel of that name, or NULL. */
const struct teg_cubin_kernel *teg_cubin_find(const struct teg_cubin *c,
                                              const char *name);

#endif
