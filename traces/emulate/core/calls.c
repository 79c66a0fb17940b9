#include "traces/emulate/core/calls.h"

#include <stdio.h>
#include <string.h>

enum {
    FIRST = 4, /* register of the first argument */
    STRING_MAX = 4096,
    SPEC_MAX = 32,
};

typedef void call(struct emu_warp *w, const struct emu_op *op, int lane);

static uint64_t get64(const struct emu_warp *w, int lane, unsigned r)
{
    return (uint64_t)w->r[r + 1][lane] << 32 | w->r[r][lane];
}

static void put64(struct emu_warp *w, int lane, unsigned r, uint64_t value)
{
    w->r[r][lane] = (uint32_t)value;
    w->r[r + 1][lane] = (uint32_t)(value >> 32);
}

/* The text at a generic address, cut to the room; 0 after a fault. */
static int get_string(struct emu_warp *w, const struct emu_op *op, int lane,
                      uint64_t at, char room[STRING_MAX])
{
    for (size_t i = 0; i + 1 < STRING_MAX; i++) {
        const char *c = emu_generic(w, op, lane, at + i, 1, EMU_READ);

        if (c == NULL)
            return 0;
        room[i] = *c;
        if (*c == '\0')
            return 1;
    }
    room[STRING_MAX - 1] = '\0';
    return 1;
}

/* ---- printf --------------------------------------------------------------- */

struct output {
    struct emu_warp *w;
    const struct emu_op *op;
    int lane;
    uint64_t argument; /* generic address of the next one */
    char text[STRING_MAX];
    size_t used;
};

/* The next argument, aligned to its own size: 4 or 8 bytes. */
static int next_argument(struct output *o, unsigned bytes, uint64_t *value)
{
    const void *from;

    o->argument = (o->argument + bytes - 1) / bytes * bytes;
    from = emu_generic(o->w, o->op, o->lane, o->argument, bytes, EMU_READ);
    if (from == NULL)
        return 0;
    *value = 0;
    memcpy(value, from, bytes);
    o->argument += bytes;
    return 1;
}

static void advance(struct output *o, int printed)
{
    size_t left = sizeof o->text - 1 - o->used;

    if (printed > 0)
        o->used += (size_t)printed < left ? (size_t)printed : left;
}

/* "%-*.3" as given, then what this machine calls the argument's type. */
static void print_value(struct output *o, char *spec, char kind, uint64_t value,
                        int wide)
{
    char *end = spec + strlen(spec), *to = o->text + o->used;
    size_t left = sizeof o->text - o->used;
    char string[STRING_MAX];
    double real;

    if (strchr("diouxX", kind) != NULL)
        snprintf(end, SPEC_MAX / 2, "%s%c", wide ? "ll" : "", kind);
    else
        snprintf(end, SPEC_MAX / 2, "%c", kind);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    switch (kind) {
    case 'd':
    case 'i':
        advance(o, wide ? snprintf(to, left, spec, (long long)value)
                        : snprintf(to, left, spec, (int)(uint32_t)value));
        break;
    case 's':
        if (get_string(o->w, o->op, o->lane, value, string))
            advance(o, snprintf(to, left, spec, string));
        break;
    case 'p':
        advance(o, snprintf(to, left, spec, (void *)(uintptr_t)value));
        break;
    case 'c':
        advance(o, snprintf(to, left, spec, (int)(uint32_t)value));
        break;
    default:
        if (strchr("eEfFgGaA", kind) != NULL) {
            memcpy(&real, &value, sizeof real);
            advance(o, snprintf(to, left, spec, real));
        } else if (wide) {
            advance(o, snprintf(to, left, spec, (unsigned long long)value));
        } else {
            advance(o, snprintf(to, left, spec, (unsigned)value));
        }
    }
#pragma GCC diagnostic pop
}

/* One conversion at `f`, behind its '%'; returns what follows it, NULL after
 * a fault. */
static const char *convert(struct output *o, const char *f)
{
    char spec[2 * SPEC_MAX] = "%";
    size_t used = 1;
    int wide = 0, is_wide;
    uint64_t value;

    for (; *f != '\0' && strchr("-+ #0123456789.*", *f) != NULL; f++) {
        if (*f == '*') {
            if (!next_argument(o, 4, &value))
                return NULL;
            used += (size_t)snprintf(spec + used, SPEC_MAX - used, "%d",
                                     (int)(uint32_t)value % 1000);
        } else {
            spec[used++] = *f;
        }
        if (used >= SPEC_MAX - 12)
            return f;
        spec[used] = '\0';
    }
    for (; *f != '\0' && strchr("hlLjztq", *f) != NULL; f++)
        wide |= *f != 'h';
    if (*f == '\0' || strchr("diouxXcsp%eEfFgGaAn", *f) == NULL)
        return f;
    if (*f == '%' || *f == 'n') {
        if (*f == '%')
            advance(
                o, snprintf(o->text + o->used, sizeof o->text - o->used, "%%"));
        return f + 1;
    }
    is_wide = wide || strchr("speEfFgGaA", *f) != NULL;
    if (!next_argument(o, is_wide ? 8 : 4, &value))
        return NULL;
    print_value(o, spec, *f, value, wide);
    return f + 1;
}

/* int vprintf(const char *format, void *arguments) */
static void call_vprintf(struct emu_warp *w, const struct emu_op *op, int lane)
{
    struct output o = {
        .w = w, .op = op, .lane = lane, .argument = get64(w, lane, FIRST + 2)};
    char format[STRING_MAX];
    const char *f = format;

    if (!get_string(w, op, lane, get64(w, lane, FIRST), format))
        return;
    while (f != NULL && *f != '\0' && o.used + 1 < sizeof o.text) {
        if (*f == '%')
            f = convert(&o, f + 1);
        else
            o.text[o.used++] = *f++;
    }
    if (f != NULL && w->block->outlet.print != NULL)
        w->block->outlet.print(w->block->outlet.self, o.text, o.used);
    w->r[FIRST][lane] = (uint32_t)o.used;
}

/* ---- the rest ----------------------------------------------------------------- */

/* Of the launch's heap; 0 if it has no such room. */
static uint64_t take_of_heap(struct emu_warp *w, uint64_t bytes)
{
    uint64_t address = 0;

    if (bytes == 0 ||
        bytes > w->block->heap_bytes - *w->block->gang->heap_used ||
        emu_device_alloc(w->block->device, bytes, &address, NULL) != TEG_OK)
        return 0;
    *w->block->gang->heap_used += bytes;
    return address;
}

/* void *malloc(size_t) */
static void call_malloc(struct emu_warp *w, const struct emu_op *op, int lane)
{
    (void)op;
    put64(w, lane, FIRST, take_of_heap(w, get64(w, lane, FIRST)));
}

/* void free(void *) */
static void call_free(struct emu_warp *w, const struct emu_op *op, int lane)
{
    uint64_t address = get64(w, lane, FIRST), bytes = 0;
    uint64_t *used = w->block->gang->heap_used;

    if (address == 0)
        return;
    emu_device_find(w->block->device, address, &bytes);
    if (!emu_device_remove(w->block->device, address))
        emu_fault(w, op, lane, TEG_LIMIT,
                  "free of 0x%llx, which malloc did not return",
                  (unsigned long long)address);
    else
        *used -= bytes < *used ? bytes : *used;
}

/* void __assertfail(const char *message, const char *file, unsigned line,
 *                   const char *function, size_t char_size) */
static void call_assertfail(struct emu_warp *w, const struct emu_op *op,
                            int lane)
{
    char message[STRING_MAX], file[STRING_MAX];

    if (get_string(w, op, lane, get64(w, lane, FIRST), message) &&
        get_string(w, op, lane, get64(w, lane, FIRST + 2), file))
        emu_fault(w, op, lane, TEG_LIMIT, "%.80s:%u: assertion `%.100s' failed",
                  file, w->r[FIRST + 4][lane], message);
}

/* ---- what the host's side does ------------------------------------------------ */

enum {
    /* Of the runtime. */
    NO_ERROR = 0,
    ERROR_INVALID_VALUE = 1,
    ERROR_MEMORY_ALLOCATION = 2,
    ERROR_INVALID_DEVICE = 101,
    MAGIC = 0x6c696863, /* before the parameters of a launch to come */
};

/* void cudaGraphSetConditional(cudaGraphConditionalHandle, unsigned) */
static void call_set_condition(struct emu_warp *w, const struct emu_op *op,
                               int lane)
{
    const struct emu_requests *r = &w->block->requests;
    uint64_t handle = get64(w, lane, FIRST);

    if (r->set_condition == NULL ||
        !r->set_condition(r->self, handle, w->r[FIRST + 2][lane]))
        emu_fault(w, op, lane, TEG_LIMIT,
                  "0x%llx is no condition of a graph that is launched",
                  (unsigned long long)handle);
}

/* A launch whose parameters are being stored, and the room for them behind it.
 * What the second version of the call says with the room, the first says with
 * the launch. */
struct launch_to_come {
    uint32_t magic, param_bytes;
    uint64_t kernel; /* 0: not said yet */
    uint32_t grid[3], block[3], shared, pad[5];
};

enum {
    LAUNCH_BYTES = 64, /* so that parameters are aligned */
};

_Static_assert(sizeof(struct launch_to_come) == LAUNCH_BYTES, "keeps them so");

/* A kernel of the cubin by its address in the device; a fault if it is none. */
static const struct teg_cubin_kernel *kernel_at(struct emu_warp *w,
                                                const struct emu_op *op,
                                                int lane, uint64_t pointer)
{
    const struct teg_cubin_kernel *k =
        emu_module_kernel(w->block->module, pointer);

    if (k == NULL)
        emu_fault(w, op, lane, TEG_LIMIT, "a launch of 0x%llx, no kernel",
                  (unsigned long long)pointer);
    return k;
}

/* The shape of a launch as arguments have it from register `r` on. */
static void get_shape(const struct emu_warp *w, int lane, unsigned r,
                      struct launch_to_come *l)
{
    for (unsigned i = 0; i < 3; i++) {
        l->grid[i] = w->r[r + i][lane];
        l->block[i] = w->r[r + 3 + i][lane];
    }
    l->shared = w->r[r + 6][lane];
}

/* Room for that many bytes of parameters; returns where they go, or 0. */
static void make_room(struct emu_warp *w, int lane,
                      const struct launch_to_come *like, uint64_t bytes)
{
    struct emu_block *b = w->block;
    struct launch_to_come *l;
    uint64_t address = 0;

    if (bytes > UINT32_MAX || emu_device_alloc(b->device, sizeof *l + bytes,
                                               &address, NULL) != TEG_OK) {
        put64(w, lane, FIRST, 0);
        return;
    }
    l = emu_device_at(b->device, address, sizeof *l);
    *l = *like;
    l->magic = MAGIC;
    l->param_bytes = (uint32_t)bytes;
    put64(w, lane, FIRST, address + sizeof *l);
}

/* void *cudaGetParameterBuffer(size_t alignment, size_t bytes) */
static void call_room(struct emu_warp *w, const struct emu_op *op, int lane)
{
    uint64_t alignment = get64(w, lane, FIRST);

    if (alignment > LAUNCH_BYTES)
        emu_fault(w, op, lane, TEG_LIMIT,
                  "parameters aligned to %llu bytes are not emulated",
                  (unsigned long long)alignment);
    else
        make_room(w, lane, &(struct launch_to_come){0},
                  get64(w, lane, FIRST + 2));
}

/* void *cudaGetParameterBufferV2(void *kernel, dim3 grid, dim3 block,
 *                                unsigned shared) */
static void call_parameters(struct emu_warp *w, const struct emu_op *op,
                            int lane)
{
    uint64_t pointer = get64(w, lane, FIRST);
    const struct teg_cubin_kernel *k = kernel_at(w, op, lane, pointer);
    struct launch_to_come l = {.kernel = pointer};

    get_shape(w, lane, FIRST + 2, &l);
    if (k != NULL)
        make_room(w, lane, &l, k->param_bytes);
}

/* Returns an error of the runtime's, which is none: what cannot be done is a
 * fault. */
static void add_child(struct emu_warp *w, const struct emu_op *op, int lane,
                      struct emu_child *child)
{
    const struct emu_block *b = w->block;

    child->parent = teg_grid_number(b->grid, b->position);
    if (b->requests.add_child == NULL)
        emu_fault(w, op, lane, TEG_LIMIT,
                  "kernels that launch kernels run under teg exec alone");
    else if (!b->requests.add_child(b->requests.self, child))
        emu_fault(w, op, lane, TEG_MEMORY, "out of memory");
    w->r[FIRST][lane] = NO_ERROR;
}

/* What a call of cudaGetParameterBuffer has returned, or a fault and NULL. */
static const struct launch_to_come *launch_at(struct emu_warp *w,
                                              const struct emu_op *op, int lane,
                                              uint64_t parameters)
{
    const struct launch_to_come *l =
        emu_device_at(w->block->device, parameters - sizeof *l, sizeof *l);

    if (l != NULL && l->magic == MAGIC)
        return l;
    emu_fault(w, op, lane, TEG_LIMIT,
              "a launch with parameters at 0x%llx, which "
              "cudaGetParameterBuffer did not return",
              (unsigned long long)parameters);
    return NULL;
}

static void launch(struct emu_warp *w, const struct emu_op *op, int lane,
                   uint64_t parameters, const struct launch_to_come *l,
                   uint64_t stream)
{
    struct emu_child child = {.kernel = kernel_at(w, op, lane, l->kernel),
                              .shared = l->shared,
                              .stream = stream};

    if (child.kernel == NULL)
        return;
    if (child.kernel->param_bytes > l->param_bytes) {
        emu_fault(w, op, lane, TEG_LIMIT,
                  "a launch with %u bytes of parameters, of %u", l->param_bytes,
                  (unsigned)child.kernel->param_bytes);
        return;
    }
    memcpy(child.grid, l->grid, sizeof child.grid);
    memcpy(child.block, l->block, sizeof child.block);
    child.params = emu_device_at(w->block->device, parameters, l->param_bytes);
    add_child(w, op, lane, &child);
    emu_device_remove(w->block->device, parameters - sizeof *l);
}

/* cudaError_t cudaLaunchDevice(void *kernel, void *parameters, dim3 grid,
 *                              dim3 block, unsigned shared,
 *                              cudaStream_t stream) */
static void call_launch_shape(struct emu_warp *w, const struct emu_op *op,
                              int lane)
{
    uint64_t parameters = get64(w, lane, FIRST + 2);
    const struct launch_to_come *room = launch_at(w, op, lane, parameters);
    struct launch_to_come l;

    if (room == NULL)
        return;
    l = *room;
    l.kernel = get64(w, lane, FIRST);
    get_shape(w, lane, FIRST + 4, &l);
    launch(w, op, lane, parameters, &l, get64(w, lane, FIRST + 12));
}

/* cudaError_t cudaLaunchDeviceV2(void *parameters, cudaStream_t stream) */
static void call_launch(struct emu_warp *w, const struct emu_op *op, int lane)
{
    uint64_t parameters = get64(w, lane, FIRST);
    const struct launch_to_come *l = launch_at(w, op, lane, parameters);

    if (l != NULL)
        launch(w, op, lane, parameters, l, get64(w, lane, FIRST + 2));
}

/* cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes,
 *                             enum cudaMemcpyKind kind, cudaStream_t stream) */
static void call_copy(struct emu_warp *w, const struct emu_op *op, int lane)
{
    struct emu_child child = {.to = get64(w, lane, FIRST),
                              .from = get64(w, lane, FIRST + 2),
                              .bytes = get64(w, lane, FIRST + 4),
                              .stream = get64(w, lane, FIRST + 8)};

    add_child(w, op, lane, &child);
}

/* cudaError_t cudaMemsetAsync(void *to, int value, size_t bytes,
 *                             cudaStream_t stream) */
static void call_set(struct emu_warp *w, const struct emu_op *op, int lane)
{
    struct emu_child child = {.to = get64(w, lane, FIRST),
                              .value = (uint8_t)w->r[FIRST + 2][lane],
                              .bytes = get64(w, lane, FIRST + 4),
                              .stream = get64(w, lane, FIRST + 6)};

    add_child(w, op, lane, &child);
}

/* cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags):
 * a name that no other stream of the launch has. */
static void call_make_stream(struct emu_warp *w, const struct emu_op *op,
                             int lane)
{
    struct emu_block *b = w->block;
    uint64_t name =
        (teg_grid_number(b->grid, b->position) + 1) << 20 | ++b->gang->streams;
    void *to =
        emu_generic(w, op, lane, get64(w, lane, FIRST), sizeof name, EMU_WRITE);

    if (to != NULL)
        memcpy(to, &name, sizeof name);
    w->r[FIRST][lane] = NO_ERROR;
}

/* ---- what device code asks of the device --------------------------------------- */

/* Writes to where the first argument points and returns the error. */
static void give(struct emu_warp *w, const struct emu_op *op, int lane,
                 const void *value, unsigned bytes, uint32_t error)
{
    void *to =
        emu_generic(w, op, lane, get64(w, lane, FIRST), bytes, EMU_WRITE);

    if (to != NULL)
        memcpy(to, value, bytes);
    w->r[FIRST][lane] = error;
}

/* cudaError_t cudaGetDevice(int *device): there is one. */
static void call_device(struct emu_warp *w, const struct emu_op *op, int lane)
{
    give(w, op, lane, &(int){0}, sizeof(int), NO_ERROR);
}

/* cudaError_t cudaGetDeviceCount(int *count) */
static void call_devices(struct emu_warp *w, const struct emu_op *op, int lane)
{
    give(w, op, lane, &(int){1}, sizeof(int), NO_ERROR);
}

/* cudaError_t cudaDeviceGetAttribute(int *value, int number, int device) */
static void call_attribute(struct emu_warp *w, const struct emu_op *op,
                           int lane)
{
    const struct emu_requests *r = &w->block->requests;
    int number = (int)w->r[FIRST + 2][lane], value = 0;

    if (w->r[FIRST + 3][lane] != 0)
        w->r[FIRST][lane] = ERROR_INVALID_DEVICE;
    else if (r->attribute == NULL || !r->attribute(r->self, number, &value))
        emu_fault(w, op, lane, TEG_LIMIT,
                  "attribute %d of the device is not known", number);
    else
        give(w, op, lane, &value, sizeof value, NO_ERROR);
}

/* cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(
 *     int *blocks, const void *kernel, int threads, size_t dynamic) */
static void call_occupancy(struct emu_warp *w, const struct emu_op *op,
                           int lane)
{
    const struct emu_requests *r = &w->block->requests;
    const struct teg_cubin_kernel *k =
        kernel_at(w, op, lane, get64(w, lane, FIRST + 2));
    int threads = (int)w->r[FIRST + 4][lane], blocks = 0;

    if (k == NULL)
        return;
    if (threads <= 0)
        w->r[FIRST][lane] = ERROR_INVALID_VALUE;
    else if (r->occupancy == NULL ||
             !r->occupancy(r->self, k, (uint32_t)threads,
                           get64(w, lane, FIRST + 6), &blocks))
        emu_fault(w, op, lane, TEG_LIMIT, "its occupancy is not known here");
    else
        give(w, op, lane, &blocks, sizeof blocks, NO_ERROR);
}

/* cudaError_t cudaMalloc(void **to, size_t bytes): of the same heap as malloc. */
static void call_allocate(struct emu_warp *w, const struct emu_op *op, int lane)
{
    uint64_t bytes = get64(w, lane, FIRST + 2);
    uint64_t address = take_of_heap(w, bytes);

    give(w, op, lane, &address, sizeof address,
         address != 0 || bytes == 0 ? NO_ERROR : ERROR_MEMORY_ALLOCATION);
}

/* cudaError_t cudaFree(void *) */
static void call_release(struct emu_warp *w, const struct emu_op *op, int lane)
{
    call_free(w, op, lane);
    w->r[FIRST][lane] = NO_ERROR;
}

/* What there is nothing to do for: cudaError_t f(...) */
static void call_good(struct emu_warp *w, const struct emu_op *op, int lane)
{
    (void)op;
    w->r[FIRST][lane] = NO_ERROR;
}

#define DEVICE_RUNTIME "__cudaCDP2"

static const struct {
    const char *name;
    call *call;
    int in_turn; /* others hear of it, so it waits for the block's turn */
} known[] = {
    {"vprintf", call_vprintf, 1},
    {"malloc", call_malloc, 1},
    {"free", call_free, 1},
    {"__assertfail", call_assertfail, 0},
    {"cudaGraphSetConditional", call_set_condition, 1},
    {DEVICE_RUNTIME "GetParameterBuffer", call_room, 1},
    {DEVICE_RUNTIME "GetParameterBufferV2", call_parameters, 1},
    {DEVICE_RUNTIME "LaunchDevice", call_launch_shape, 1},
    {DEVICE_RUNTIME "LaunchDevice_ptsz", call_launch_shape, 1},
    {DEVICE_RUNTIME "LaunchDeviceV2", call_launch, 1},
    {DEVICE_RUNTIME "LaunchDeviceV2_ptsz", call_launch, 1},
    {DEVICE_RUNTIME "MemcpyAsync", call_copy, 1},
    {DEVICE_RUNTIME "MemcpyAsync_ptsz", call_copy, 1},
    {DEVICE_RUNTIME "MemsetAsync", call_set, 1},
    {DEVICE_RUNTIME "MemsetAsync_ptsz", call_set, 1},
    {DEVICE_RUNTIME "StreamCreateWithFlags", call_make_stream, 1},
    {DEVICE_RUNTIME "StreamDestroy", call_good, 0},
    {DEVICE_RUNTIME "GetDevice", call_device, 0},
    {DEVICE_RUNTIME "GetDeviceCount", call_devices, 0},
    {DEVICE_RUNTIME "DeviceGetAttribute", call_attribute, 1},
    {DEVICE_RUNTIME "OccupancyMaxActiveBlocksPerMultiprocessor", call_occupancy,
     1},
    {DEVICE_RUNTIME "OccupancyMaxActiveBlocksPerMultiprocessorWithFlags",
     call_occupancy, 1},
    {DEVICE_RUNTIME "Malloc", call_allocate, 1},
    {DEVICE_RUNTIME "Free", call_release, 1},
    {DEVICE_RUNTIME "GetLastError", call_good, 0},
    {DEVICE_RUNTIME "PeekAtLastError", call_good, 0},
};

int emu_call_stands_in(const char *name)
{
    if (strncmp(name, DEVICE_RUNTIME, strlen(DEVICE_RUNTIME)) != 0)
        return 0;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (strcmp(known[i].name, name) == 0)
            return 1;
    }
    return 0;
}

/* A block ahead of its turn ends here and runs again. */
static int waits_for_turn(struct emu_warp *w, const struct emu_op *op, int lane)
{
    struct emu_block *b = w->block;

    b->gang->called = 1;
    if (b->view == NULL)
        return 0;
    emu_view_give_up(b->view);
    emu_fault(w, op, lane, TEG_LIMIT, "comes before its turn");
    return 1;
}

void emu_call(struct emu_warp *w, const struct emu_op *op, int lane,
              const char *name)
{
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (strcmp(known[i].name, name) != 0)
            continue;
        if (!known[i].in_turn || !waits_for_turn(w, op, lane))
            known[i].call(w, op, lane);
        return;
    }
    emu_fault(w, op, lane, TEG_LIMIT, "a call of %.80s is not emulated", name);
}
