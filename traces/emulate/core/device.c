#include "traces/emulate/core/device.h"

#include <stdlib.h>
#include <string.h>

enum {
    ALIGNMENT = 512,
    GAP = 4096
};

#define FIRST_ADDRESS 0x7f0000000000u

struct buffer {
    uint64_t address, bytes;
    uint8_t *data; /* owned, unless mapped */
    int mapped;
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

void emu_device_begin(struct emu_device *device, uint64_t address)
{
    device->next = address;
}

void emu_device_free(struct emu_device *device)
{
    if (device == NULL)
        return;
    for (size_t i = 0; i < device->count; i++) {
        if (!device->buffer[i].mapped)
            free(device->buffer[i].data);
    }
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

/* The last buffer that begins at or before `address`, [count] if none. */
static size_t index_of(const struct emu_device *device, uint64_t address)
{
    size_t low = 0, high = device->count;

    while (high - low > 1) {
        size_t middle = (low + high) / 2;

        if (device->buffer[middle].address <= address)
            low = middle;
        else
            high = middle;
    }
    return high > 0 && device->buffer[low].address <= address ? low
                                                              : device->count;
}

/* Puts `b` in its place by address; there is room in the list. */
static void insert(struct emu_device *device, const struct buffer *b)
{
    size_t at = index_of(device, b->address);

    at = at == device->count ? 0 : at + 1;
    memmove(&device->buffer[at + 1], &device->buffer[at],
            (device->count - at) * sizeof *b);
    device->buffer[at] = *b;
    device->count++;
    device->last = at;
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
    insert(device, &b);
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

static int is_free(const struct emu_device *device, uint64_t address,
                   uint64_t bytes)
{
    size_t before = index_of(device, address);
    size_t after = before == device->count ? 0 : before + 1;

    if (before != device->count &&
        address - device->buffer[before].address < device->buffer[before].bytes)
        return 0;
    return after == device->count ||
           device->buffer[after].address - address >= bytes;
}

teg_status emu_device_map(struct emu_device *device, uint64_t address,
                          void *data, uint64_t bytes, struct teg_diag *d)
{
    struct buffer b = {
        .address = address, .bytes = bytes, .data = data, .mapped = 1};

    if (bytes == 0 || address + bytes < address ||
        !is_free(device, address, bytes))
        return teg_fail(d, TEG_LIMIT, "",
                        "%llu bytes at 0x%llx are device memory already",
                        (unsigned long long)bytes, (unsigned long long)address);
    if (device->count == device->capacity && !grow(device))
        return teg_fail_memory(d);
    insert(device, &b);
    return TEG_OK;
}

int emu_device_remove(struct emu_device *device, uint64_t address)
{
    size_t at = index_of(device, address);

    if (at == device->count || device->buffer[at].address != address)
        return 0;
    if (!device->buffer[at].mapped)
        free(device->buffer[at].data);
    device->count--;
    memmove(&device->buffer[at], &device->buffer[at + 1],
            (device->count - at) * sizeof device->buffer[at]);
    device->last = 0;
    return 1;
}

void *emu_device_find(struct emu_device *device, uint64_t address,
                      uint64_t *bytes)
{
    size_t at = index_of(device, address);
    uint64_t offset;

    if (at == device->count)
        return NULL;
    offset = address - device->buffer[at].address;
    if (offset >= device->buffer[at].bytes)
        return NULL;
    *bytes = device->buffer[at].bytes - offset;
    return device->buffer[at].data + offset;
}

void *emu_device_at(struct emu_device *device, uint64_t address, uint64_t bytes)
{
    void *found;
    size_t at;

    if (device->count == 0)
        return NULL;
    found = within(&device->buffer[device->last], address, bytes);
    if (found != NULL)
        return found;
    at = index_of(device, address);
    if (at == device->count)
        return NULL;
    device->last = at;
    return within(&device->buffer[at], address, bytes);
}

int emu_device_span(const struct emu_device *device, uint64_t address,
                    struct emu_span *span)
{
    size_t low = 0, high = device->count;
    const struct buffer *b;

    if (device->count == 0)
        return 0;
    while (high - low > 1) {
        size_t middle = (low + high) / 2;

        if (device->buffer[middle].address <= address)
            low = middle;
        else
            high = middle;
    }
    b = &device->buffer[low];
    if (address - b->address >= b->bytes)
        return 0;
    *span = (struct emu_span){b->address, b->bytes, b->data};
    return 1;
}
