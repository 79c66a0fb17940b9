#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "traces/emulate/core/device.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum {
    ALIGNMENT = 512,
    GAP = 4096,
    PIECE = 256,        /* that a GPU allocates in */
    WORD = 4,           /* bytes */
    KEPT_MAX = 1 << 17, /* instructions: some 150 MB */
    LARGE = 1 << 24,    /* bytes: a mapping of its own */
};

#define FIRST_ADDRESS 0x7f0000000000u

struct buffer {
    uint64_t address, bytes;
    uint8_t *data; /* owned, unless mapped */
    int mapped;
    struct emu_usage *usage; /* owned */
};

struct emu_device {
    struct buffer *buffer; /* owned, by rising address */
    size_t count, capacity;
    size_t last; /* the one found last: the next access is near */
    uint64_t next;
    uint64_t states; /* that buffers have been in */
    uint32_t kept;   /* instructions of kernels, decoded */
    bool loose, strict;
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

void emu_device_loosen(struct emu_device *device)
{
    device->loose = true;
}

bool emu_device_keep(struct emu_device *device, uint32_t insts)
{
    if (insts > KEPT_MAX - device->kept)
        return false;
    device->kept += insts;
    return true;
}

void emu_device_forget(struct emu_device *device, uint32_t insts)
{
    device->kept -= insts;
}

bool emu_device_is_loose(const struct emu_device *device)
{
    return device->loose;
}

void emu_device_make_strict(struct emu_device *device)
{
    device->strict = true;
}

static uint64_t in_pieces(uint64_t bytes, uint64_t piece)
{
    return (bytes + piece - 1) / piece * piece;
}

/* Zeros, NULL if there is no room.  Of large buffers only what is touched takes
 * memory: a program may have more of them than this machine could hold. */
static uint8_t *data_new(uint64_t bytes)
{
    uint64_t whole = bytes != 0 ? in_pieces(bytes, PIECE) : 1;
    void *data;

    if (whole < bytes || whole > SIZE_MAX)
        return NULL;
    if (whole < LARGE)
        return calloc(1, (size_t)whole);
    data = mmap(NULL, (size_t)whole, PROT_READ | PROT_WRITE,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return data == MAP_FAILED ? NULL : data;
}

static void data_free(uint8_t *data, uint64_t bytes)
{
    uint64_t whole = bytes != 0 ? in_pieces(bytes, PIECE) : 1;

    if (whole < LARGE)
        free(data);
    else if (data != NULL)
        munmap(data, (size_t)whole);
}

static void release_buffer(struct buffer *b)
{
    if (!b->mapped)
        data_free(b->data, b->bytes);
    if (b->usage != NULL)
        free(b->usage->page);
    free(b->usage);
}

void emu_device_free(struct emu_device *device)
{
    if (device == NULL)
        return;
    for (size_t i = 0; i < device->count; i++)
        release_buffer(&device->buffer[i]);
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

/* Puts `b` in its place by address; there is room in the list.  0: no
 * memory. */
static int insert(struct emu_device *device, struct buffer *b)
{
    size_t at = index_of(device, b->address);

    b->usage = calloc(1, sizeof *b->usage);
    if (b->usage == NULL)
        return 0;
    b->usage->state = ++device->states;
    b->usage->open = b->mapped != 0;
    b->usage->first = b->address;
    at = at == device->count ? 0 : at + 1;
    memmove(&device->buffer[at + 1], &device->buffer[at],
            (device->count - at) * sizeof *b);
    device->buffer[at] = *b;
    device->count++;
    device->last = at;
    return 1;
}

teg_status emu_device_alloc(struct emu_device *device, uint64_t bytes,
                            uint64_t *address, struct teg_diag *d)
{
    struct buffer b = {.address = device->next, .bytes = bytes};

    if (device->count == device->capacity && !grow(device))
        return teg_fail_memory(d);
    b.data = data_new(bytes);
    if (b.data == NULL || !insert(device, &b)) {
        data_free(b.data, bytes);
        return teg_fail_memory(d);
    }
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
    if ((device->count == device->capacity && !grow(device)) ||
        !insert(device, &b))
        return teg_fail_memory(d);
    return TEG_OK;
}

int emu_device_remove(struct emu_device *device, uint64_t address)
{
    size_t at = index_of(device, address);

    if (at == device->count || device->buffer[at].address != address)
        return 0;
    release_buffer(&device->buffer[at]);
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

/* The buffer that has all of them, NULL if there is none. */
static struct buffer *find(const struct emu_device *device, uint64_t address,
                           uint64_t bytes)
{
    size_t at = device->last;

    if (device->count == 0)
        return NULL;
    if (within(&device->buffer[at], address, bytes) == NULL)
        at = index_of(device, address);
    return at != device->count &&
                   within(&device->buffer[at], address, bytes) != NULL
               ? &device->buffer[at]
               : NULL;
}

void *emu_device_at(struct emu_device *device, uint64_t address, uint64_t bytes)
{
    struct buffer *b = find(device, address, bytes);

    if (b == NULL)
        return NULL;
    device->last = (size_t)(b - device->buffer);
    b->usage->state = ++device->states;
    return b->data + (address - b->address);
}

const void *emu_device_peek(const struct emu_device *device, uint64_t address,
                            uint64_t bytes)
{
    const struct buffer *b = find(device, address, bytes);

    return b != NULL ? b->data + (address - b->address) : NULL;
}

/* The whole of a buffer.  Code for a half alone reads, compares and swaps the
 * word it is in, so the last word can be written, too. */
static struct emu_span span_of(const struct emu_device *device,
                               const struct buffer *b)
{
    int exact = device->strict || b->mapped;

    return (struct emu_span){
        b->address,
        b->bytes,
        exact ? b->bytes : in_pieces(b->bytes, PIECE),
        exact ? b->bytes : in_pieces(b->bytes, WORD),
        b->data,
        b->usage,
    };
}

int emu_device_span(const struct emu_device *device, uint64_t address,
                    struct emu_span *span)
{
    size_t low = 0, high = device->count;
    struct emu_span found;

    if (device->count == 0)
        return 0;
    while (high - low > 1) {
        size_t middle = (low + high) / 2;

        if (device->buffer[middle].address <= address)
            low = middle;
        else
            high = middle;
    }
    found = span_of(device, &device->buffer[low]);
    if (address - found.address >= found.readable)
        return 0;
    *span = found;
    return 1;
}

/* ---- what a launch uses ---------------------------------------------------- */

void emu_device_watch(struct emu_device *device)
{
    for (size_t i = 0; i < device->count; i++)
        device->buffer[i].usage->read = device->buffer[i].usage->written = 0;
}

uint8_t *emu_device_pages(struct emu_device *device, uint64_t address,
                          size_t *pages)
{
    struct emu_span s;

    if (!emu_device_span(device, address, &s))
        return NULL;
    *pages = (s.bytes + EMU_PAGE - 1) / EMU_PAGE;
    if (s.usage->page == NULL)
        s.usage->page = calloc(*pages, 1);
    return s.usage->page;
}

void emu_device_note_read(struct emu_device *device, uint64_t address)
{
    struct emu_span s;

    if (emu_device_span(device, address, &s))
        s.usage->read = 1;
}

void emu_device_open(struct emu_device *device, uint64_t address)
{
    struct emu_span s;

    if (emu_device_span(device, address, &s))
        s.usage->open = 1;
}

size_t emu_device_settle(struct emu_device *device, struct emu_state *state,
                         size_t room)
{
    size_t used = 0;
    int repeats = 1;

    for (size_t i = 0; i < device->count; i++) {
        const struct buffer *b = &device->buffer[i];
        struct emu_usage *u = b->usage;

        if (!u->read && !u->written)
            continue;
        if (u->written)
            u->state = ++device->states;
        repeats &= !u->open && !(u->read && u->written);
        if (used < room)
            state[used] = (struct emu_state){b->address, u->state};
        used++;
    }
    return repeats ? used : SIZE_MAX;
}

int emu_device_is_in(const struct emu_device *device,
                     const struct emu_state *state)
{
    struct emu_span s;

    return emu_device_span(device, state->address, &s) &&
           s.usage->state == state->state;
}
