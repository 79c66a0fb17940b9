/*
 * A file with device code, whatever kind it is of: a cubin, a fatbin, a
 * program that holds one, or a listing.  It is in pieces, each for one
 * architecture.
 */
#ifndef TEG_TOOLS_TEG_CLI_DEVICE_CODE_H
#define TEG_TOOLS_TEG_CLI_DEVICE_CODE_H

#include <stdbool.h>
#include <stdint.h>

#include "isa/binary/fatbin.h"
#include "isa/binary/listing.h"

enum device_code_kind {
    CODE_NONE, /* or a file that cannot be read */
    CODE_BINARY,
    CODE_LISTING,
};

struct device_code {
    enum device_code_kind kind;
    const char *path;           /* borrowed; outlives this */
    struct teg_fatbin fatbin;   /* CODE_BINARY */
    struct teg_listing listing; /* CODE_LISTING */
    uint32_t count;             /* pieces */
};

/* What the beginning of the file looks like. */
enum device_code_kind device_code_recognise(const char *path);

/* Opens the file; says what is wrong and returns an exit status. */
int device_code_open(struct device_code *c, const char *path);
void device_code_release(struct device_code *c);

/* Piece `i`: whether it is a cubin, not PTX, and for sm_`sm` (0: for any). */
bool device_code_is_cubin(const struct device_code *c, uint32_t i, uint32_t sm);
/* Takes piece `i`, a cubin, once; it is the caller's then. */
int device_code_cubin(struct device_code *c, uint32_t i,
                      struct teg_cubin *cubin);

/* "sm_86" or "86" of an --arch option. */
bool device_code_read_arch(const char *text, uint32_t *sm);

#endif
