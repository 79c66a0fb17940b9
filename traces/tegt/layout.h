/* What the writer and the reader of a .tegt agree on. */
#ifndef TEG_TRACES_TEGT_LAYOUT_H
#define TEG_TRACES_TEGT_LAYOUT_H

#include <stddef.h>
#include <stdint.h>

/*
 *   file    := magic version { block chunks, index chunk, kernel chunk }
 *              directory chunk  trailer
 *   trailer := u64 offset of the directory, end magic
 *
 * A kernel's program is complete only when its last block has been read, so
 * it stands after the blocks; the directory finds everything.  The bytes of a
 * kernel's first block are the dictionary of all its others.
 */
enum {
    TEGT_VERSION = 2,        /* that is written */
    TEGT_VERSION_OLDEST = 1, /* that is read */
    TEGT_VERSION_VALUES =
        2, /* instructions have values (isa/inst/values.def) */
    TEGT_MAGIC_SIZE = 8,
    TEGT_HEADER_SIZE = TEGT_MAGIC_SIZE + 4,
    TEGT_TRAILER_SIZE = 8 + TEGT_MAGIC_SIZE,
    TEGT_KERNELS_MAX = 1 << 24,
    TEGT_DICTIONARY_MAX = 1 << 15, /* more does not help deflate */
};

static const uint8_t tegt_magic[TEGT_MAGIC_SIZE] = {0x89, 'T',  'E',  'G',
                                                    'T',  '\r', '\n', 0x1a};
static const uint8_t tegt_end_magic[TEGT_MAGIC_SIZE] = {'T', 'E', 'G', 'T',
                                                        'E', 'N', 'D', '\n'};

/* Bytes of the first block that serve as dictionary. */
static inline size_t tegt_dictionary_size(size_t first_block)
{
    return first_block < TEGT_DICTIONARY_MAX ? first_block
                                             : TEGT_DICTIONARY_MAX;
}

/* A kernel, as the directory lists it. */
struct tegt_entry {
    char *name;      /* owned */
    uint64_t kernel; /* offset of its chunk */
    uint64_t index;  /* offset of its index chunk */
    uint64_t blocks, insts;
};

#endif
