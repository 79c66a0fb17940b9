/*
 * Device memory of the emulator: buffers at device addresses, every access
 * checked.
 *
 * Buffers lie 512 bytes aligned with a gap behind each, so that running over
 * the end of one is noticed and not found in the next.  A GPU allocates in
 * pieces of 256 bytes: what reads the rest of the last one finds 0 here, unless
 * the device is strict.
 */
#ifndef TEG_TRACES_EMULATE_CORE_DEVICE_H
#define TEG_TRACES_EMULATE_CORE_DEVICE_H

#include <stdbool.h>

#include "isa/base/status.h"

struct emu_device;

teg_status emu_device_new(struct emu_device **device, struct teg_diag *d);
void emu_device_free(struct emu_device *device);
/* Buffers are allocated from `address` on; before the first. */
void emu_device_begin(struct emu_device *device, uint64_t address);
/* From now on what a block of a cluster leaves behind can be touched until the
 * whole cluster has ended, which is an error otherwise. */
void emu_device_loosen(struct emu_device *device);
bool emu_device_is_loose(const struct emu_device *device);
/* Whether so many more instructions may be kept decoded (prepared.h), some
 * kilobyte each, by all modules together; they count until they are forgotten. */
bool emu_device_keep(struct emu_device *device, uint32_t insts);
void emu_device_forget(struct emu_device *device, uint32_t insts);
/* From now on a buffer ends with its last byte, for reads too. */
void emu_device_make_strict(struct emu_device *device);
/* Returns `bytes` zeroed ones at `*address`. */
teg_status emu_device_alloc(struct emu_device *device, uint64_t bytes,
                            uint64_t *address, struct teg_diag *d);
/* Makes `bytes` of the host's at `data` (borrowed) device memory at `address`.
 * TEG_LIMIT where something lies already. */
teg_status emu_device_map(struct emu_device *device, uint64_t address,
                          void *data, uint64_t bytes, struct teg_diag *d);
/* Takes away the buffer that begins at `address`; 0 if there is none. */
int emu_device_remove(struct emu_device *device, uint64_t address);
/* The buffer that `address` lies in, or NULL; `*bytes` from there to its
 * end. */
void *emu_device_find(struct emu_device *device, uint64_t address,
                      uint64_t *bytes);
/* Host pointer of `bytes` at `address`; NULL if they do not lie in one
 * buffer. */
void *emu_device_at(struct emu_device *device, uint64_t address,
                    uint64_t bytes);
/* The same for who only reads: the buffer is in the state it was in. */
const void *emu_device_peek(const struct emu_device *device, uint64_t address,
                            uint64_t bytes);

enum {
    EMU_PAGE = 1 << 16, /* bytes that move together between host and device */
    EMU_PAGE_READ = 1,
    EMU_PAGE_WRITTEN = 2,
};

/* What a launch did with a buffer. */
struct emu_usage {
    uint64_t first; /* address of the buffer */
    uint8_t *page;  /* owned by the device: what was done with each EMU_PAGE
                       bytes from there on; NULL: nobody wants to know */
    uint64_t state; /* a number that stands for what is in it, never used
                       again for anything else */
    uint8_t read, written; /* by the launch that is watched */
    uint8_t open;          /* the host may write there at any time */
};

/* A buffer as a whole. */
struct emu_span {
    uint64_t address, bytes;
    uint64_t readable, writable; /* bytes from `address` on, `bytes` or more */
    uint8_t *data;               /* borrowed from the device */
    struct emu_usage *usage;     /* the same */
};

/* Finds the buffer that `address` lies in; 0 if there is none.  Changes
 * nothing, so that many may ask at once. */
int emu_device_span(const struct emu_device *device, uint64_t address,
                    struct emu_span *span);

/* ---- what a launch uses ----------------------------------------------------
 *
 * A launch that read nothing it wrote, in the same states of the buffers it
 * used, does nothing any more that is not done.
 */

/* A buffer in a state. */
struct emu_state {
    uint64_t address, state;
};

/* From here on is watched who reads and writes. */
void emu_device_watch(struct emu_device *device);
/* From here on what is done with each page of the buffer at `address` is kept,
 * until the caller clears it; NULL: out of memory. */
uint8_t *emu_device_pages(struct emu_device *device, uint64_t address,
                          size_t *pages);
/* The buffer at `address` is read by other ways than accesses of lanes. */
void emu_device_note_read(struct emu_device *device, uint64_t address);
/* The host writes in the buffer at `address` without asking. */
void emu_device_open(struct emu_device *device, uint64_t address);
/* The launch has ended: what it wrote is in a new state.  Returns how many
 * buffers it used, with the first `room` of them in `state`; SIZE_MAX if it
 * read what it wrote, or used what is open. */
size_t emu_device_settle(struct emu_device *device, struct emu_state *state,
                         size_t room);
/* Whether the buffer is in that state. */
int emu_device_is_in(const struct emu_device *device,
                     const struct emu_state *state);

#endif
