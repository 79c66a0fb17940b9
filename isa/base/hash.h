/* A 64-bit hash, for comparing what is too long to keep; not against those who
 * would make two things alike. */
#ifndef TEG_ISA_BASE_HASH_H
#define TEG_ISA_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define TEG_HASH_START 0xcbf29ce484222325u

/* One round (the multiplication of MurmurHash3's last step, and its shift), so that
 * every bit of `v` reaches every other. */
static inline void teg_hash_mix(uint64_t *hash, uint64_t v)
{
    uint64_t x = (*hash ^ v) * 0xff51afd7ed558ccdu;

    *hash = x ^ x >> 32;
}

static inline void teg_hash_bytes(uint64_t *hash, const void *bytes,
                                  size_t size)
{
    const uint8_t *at = bytes;
    uint64_t v = 0;

    teg_hash_mix(hash, size);
    for (; size >= sizeof v; size -= sizeof v, at += sizeof v) {
        memcpy(&v, at, sizeof v);
        teg_hash_mix(hash, v);
    }
    v = 0;
    if (size != 0)
        memcpy(&v, at, size);
    teg_hash_mix(hash, v);
}

#endif
