#include "traces/emulate/device.h"

#include <stdlib.h>

enum {
    ALIGNMENT = 512,
    GAP = 4096
};

#define FIRST_ADDRESS 0x7f0000000000u

struct buffer {
    uint64_t address, bytes;
    uint8_t *data; /* owned */
};

struct emu_device {
    struct buffer *buffer; /* owned, by rising address */
    size_t count, capacity;
    size_t last; /* the one found last: the next access is near */
    uint64_t next;
};

teg_status emu_device_new(struct emu_device **device, struct teg_diag *d)
{
    *device = calloc(1, sizeof **device);
    if (*device == NULL)
        return teg_fail_memory(d);
    (*device)->next = FIRST_ADDRESS;
    return TEG_OK;
}

void emu_device_free(struct emu_device *device)
{
    if (device == NULL)
        return;
    for (size_t i = 0; i < device->count; i++)
        free(device->buffer[i].data);
    free(device->buffer);
    free(device);
}

static int grow(struct emu_device *device)
{
    size_t capacity = device->capacity * 2 + 8;
    struct buffer *buffer = realloc(device->buffer, capacity * sizeof *buffer);

    if (buffer == NULL)
        return 0;
    device->buffer = buffer;
    device->capacity = capacity;
    return 1;
}

teg_status emu_device_alloc(struct emu_device *device, uint64_t bytes,
                            uint64_t *address, struct teg_diag *d)
{
    struct buffer b = {.address = device->next, .bytes = bytes};

    if (device->count == device->capacity && !grow(device))
        return teg_fail_memory(d);
    b.data = calloc(1, bytes != 0 ? (size_t)bytes : 1);
    if (b.data == NULL)
        return teg_fail_memory(d);
    device->buffer[device->count++] = b;
    device->next +=
        (bytes + GAP + ALIGNMENT - 1) / ALIGNMENT * (uint64_t)ALIGNMENT;
    *address = b.address;
    return TEG_OK;
}

static void *within(const struct buffer *b, uint64_t address, uint64_t bytes)
{
    uint64_t offset = address - b->address;

    if (offset >= b->bytes || b->bytes - offset < bytes)
        return NULL;
    return b->data + offset;
}

void *emu_device_at(struct emu_device *device, uint64_t address, uint64_t bytes)
{
    size_t low = 0, high = device->count;
    void *found;

    if (device->count == 0)
        return NULL;
    found = within(&device->buffer[device->last], address, bytes);
    if (found != NULL)
        return found;
    while (high - low > 1) {
        size_t middle = (low + high) / 2;

        if (device->buffer[middle].address <= address)
            low = middle;
        else
            high = middle;
    }
    device->last = low;
    return within(&device->buffer[low], address, bytes);
}
