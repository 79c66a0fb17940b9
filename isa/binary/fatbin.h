/*
 * Fatbins: the cubins and PTX texts of several generations in one piece, as
 * nvcc embeds them in host programs, plain or compressed (LZ4, zstd).
 *
 * Opens a host executable, object or library (sections .nv_fatbin and
 * __nv_relfatbin), a fatbin by itself, and, so that a reader of code needs one
 * way only, a bare cubin as a single entry.
 */
#ifndef TEG_ISA_BINARY_FATBIN_H
#define TEG_ISA_BINARY_FATBIN_H

#include "isa/base/buffer.h"
#include "isa/binary/cubin.h"

enum teg_fatbin_packing {
    FATBIN_PLAIN,
    FATBIN_LZ4,
    FATBIN_ZSTD,
};

struct teg_fatbin_entry {
    int is_ptx;  /* a text; otherwise a cubin */
    uint32_t sm; /* 75, 90 */
    enum teg_fatbin_packing packing;
    const uint8_t *payload; /* borrowed from the file */
    uint64_t packed_size;   /* bytes of `payload` */
    uint64_t size;          /* unpacked */
    uint64_t origin;        /* where the payload stands in the file */
};

struct teg_fatbin {
    char *path;                     /* owned */
    struct teg_fatbin_entry *entry; /* owned, in the file's order */
    uint32_t count;
    int is_cubin;  /* the file is a cubin, not a fatbin */
    uint8_t *file; /* owned */
    size_t file_size;
};

teg_status teg_fatbin_open(struct teg_fatbin *f, const char *path,
                           struct teg_diag *d);
teg_status teg_fatbin_open_memory(struct teg_fatbin *f, const char *path,
                                  const uint8_t *bytes, size_t size,
                                  struct teg_diag *d);
void teg_fatbin_release(struct teg_fatbin *f);

/* True if `bytes`, the beginning of a file, are a cubin, a fatbin, or an ELF
 * file that may have one. */
int teg_fatbin_recognise(const uint8_t *bytes, size_t size);

/* Appends what entry `i` holds, unpacked. */
teg_status teg_fatbin_unpack(const struct teg_fatbin *f, uint32_t i,
                             struct teg_buffer *b, struct teg_diag *d);
/* Unpacks entry `i`, a cubin, and opens it; independent of `f` then. */
teg_status teg_fatbin_cubin(const struct teg_fatbin *f, uint32_t i,
                            struct teg_cubin *c, struct teg_diag *d);

#endif
