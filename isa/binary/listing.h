/*
 * Listings: what `cuobjdump -sass` and `nvdisasm` print, where someone has
 * only that.
 *
 * A listing becomes cubins, one for each "code for sm_XX", that hold what the
 * text says: functions and their code, registers and barriers where nvdisasm
 * names them.  Parameters, shared and local memory and constants are not in
 * it, so nothing of it can be run.
 *
 * With the encodings as comments (cuobjdump, nvdisasm -hex) the code is that
 * of the words.  Without them each instruction's text is read (isa/sass/sass.h);
 * control codes are unknown then.
 */
#ifndef TEG_ISA_BINARY_LISTING_H
#define TEG_ISA_BINARY_LISTING_H

#include "isa/binary/cubin.h"

/* An instruction whose text nobody knows; its word is 0. */
struct teg_listing_unread {
    uint32_t cubin, kernel; /* indices */
    uint64_t pc;
    uint64_t line; /* of the file */
    char *text;    /* owned */
};

struct teg_listing {
    char *path;              /* owned */
    struct teg_cubin *cubin; /* owned, in the file's order */
    uint32_t count;
    struct teg_listing_unread *unread; /* owned, in the file's order */
    uint32_t unread_count;
};

/* True if `bytes`, the beginning of a file (some KB), look like a listing. */
int teg_listing_recognise(const uint8_t *bytes, size_t size);

teg_status teg_listing_open(struct teg_listing *l, const char *path,
                            struct teg_diag *d);
teg_status teg_listing_open_memory(struct teg_listing *l, const char *path,
                                   const uint8_t *bytes, size_t size,
                                   struct teg_diag *d);
void teg_listing_release(struct teg_listing *l);

/* What the file has at that place, if it could not be read; else NULL. */
const struct teg_listing_unread *teg_listing_unread_at(
    const struct teg_listing *l, uint32_t cubin, uint32_t kernel, uint64_t pc);

#endif
