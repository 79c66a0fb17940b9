/*
 * Device memory of the emulator: buffers at device addresses, every access
 * checked.
 *
 * Buffers lie 512 bytes aligned with a gap behind each, so that running over
 * the end of one is noticed and not found in the next.
 */
#ifndef TEG_TRACES_EMULATE_DEVICE_H
#define TEG_TRACES_EMULATE_DEVICE_H

#include "isa/base/status.h"

struct emu_device;

teg_status emu_device_new(struct emu_device **device, struct teg_diag *d);
void emu_device_free(struct emu_device *device);
/* Returns `bytes` zeroed ones at `*address`. */
teg_status emu_device_alloc(struct emu_device *device, uint64_t bytes,
                            uint64_t *address, struct teg_diag *d);
/* Host pointer of `bytes` at `address`; NULL if they do not lie in one
 * buffer. */
void *emu_device_at(struct emu_device *device, uint64_t address,
                    uint64_t bytes);

#endif
