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

enum code_kind {
    CODE_NONE, /* or a file that cannot be read */
    CODE_BINARY,
    CODE_LISTING,
};

struct code {
    enum code_kind kind;
    const char *path;           /* borrowed; outlives this */
    struct teg_fatbin fatbin;   /* CODE_BINARY */
    struct teg_listing listing; /* CODE_LISTING */
    uint32_t count;             /* pieces */
};

/* What the beginning of the file looks like. */
enum code_kind code_recognise(const char *path);

/* Opens the file; says what is wrong and returns an exit status. */
int code_open(struct code *c, const char *path);
void code_release(struct code *c);

/* Piece `i`: whether it is a cubin, not PTX, and for sm_`sm` (0: for any). */
bool code_is_cubin(const struct code *c, uint32_t i, uint32_t sm);
/* Takes piece `i`, a cubin, once; it is the caller's then. */
int code_cubin(struct code *c, uint32_t i, struct teg_cubin *cubin);

/* "sm_86" or "86" of an --arch option. */
bool code_read_arch(const char *text, uint32_t *sm);

#endif
