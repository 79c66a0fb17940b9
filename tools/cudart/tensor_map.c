/*
 * Tensor maps, made by the host: the driver's rules for what goes in, the
 * emulator's object (traces/emulate/core/tensor_map.h).
 */
#include "traces/emulate/core/tensor_map.h"
#include "tools/cudart/runtime.h"
#include "tools/cudart/say.h"

enum {
    FIRST_CC = 90,   /* that knows tensor maps */
    PACKED_CC = 100, /* and those of numbers of 4 and 6 bits, and swizzles by
                        larger pieces (PTX ISA) */
    PROMOTIONS = 4,
};

static int refuse(struct runtime *r, const struct teg_diag *d)
{
    runtime_say_fault(d);
    return runtime_end(r, cudaErrorInvalidValue);
}

static int is_aligned(const void *object)
{
    return object != NULL && (uintptr_t)object % EMU_MAP_ALIGNMENT == 0;
}

static int is_known(struct runtime *r)
{
    if (r->gpu->chip.compute_capability >= FIRST_CC)
        return 1;
    runtime_say("tensor map", "there are none before sm_%d", FIRST_CC);
    return 0;
}

/* The rules, and what the device knows of them. */
static teg_status check(const struct runtime *r, const struct emu_tensor_map *m,
                        struct teg_diag *d)
{
    uint32_t cc = r->gpu->chip.compute_capability;
    int is_later =
        (m->type >= MAP_U4_16 && m->type < EMU_MAP_TYPES) ||
        (m->swizzle > EMU_SWIZZLE_WHOLE && m->swizzle < EMU_SWIZZLES);

    if (is_later && cc < PACKED_CC)
        return teg_fail(d, TEG_LIMIT, "tensor map",
                        "type %u with swizzle %u is of sm_%d and later",
                        m->type, m->swizzle, PACKED_CC);
    return emu_map_check(m, d);
}

static void put_tensor(struct emu_tensor_map *m, const uint64_t *size,
                       const uint64_t *stride, const uint32_t *step)
{
    for (uint32_t i = 0; i < m->rank && i < EMU_MAP_RANKS; i++) {
        m->size[i] = size[i];
        m->stride[i] = i != 0 ? stride[i - 1] : 0;
        /* The innermost step means nothing unless tensors are interleaved. */
        m->step[i] = i == 0 && m->interleave == 0 ? 1 : step[i];
    }
}

CALL(cuTensorMapEncodeTiled, void *object, int type, uint32_t rank,
     void *address, const uint64_t *size, const uint64_t *stride,
     const uint32_t *box, const uint32_t *step, int interleave, int swizzle,
     int promotion, int fill)
{
    BEGIN(r);
    struct emu_tensor_map m = {
        .address = (uint64_t)(uintptr_t)address,
        .rank = rank,
        .type = (uint32_t)type,
        .interleave = (uint32_t)interleave,
        .swizzle = (uint32_t)swizzle,
        .fills_nan = (uint32_t)fill,
    };
    struct teg_diag d = {0};

    if (!is_known(r))
        return runtime_end(r, cudaErrorNotSupported);
    if (!is_aligned(object) || size == NULL || box == NULL || step == NULL ||
        (rank > 1 && stride == NULL) || promotion < 0 ||
        promotion >= PROMOTIONS)
        return runtime_end(r, cudaErrorInvalidValue);
    put_tensor(&m, size, stride, step);
    for (uint32_t i = 0; i < rank && i < EMU_MAP_RANKS; i++)
        m.box[i] = box[i];
    if (check(r, &m, &d) != TEG_OK)
        return refuse(r, &d);
    emu_map_write(&m, object);
    return runtime_end(r, cudaSuccess);
}

CALL(cuTensorMapReplaceAddress, void *object, void *address)
{
    BEGIN(r);
    struct emu_tensor_map m;
    struct teg_diag d = {0};

    if (!is_known(r))
        return runtime_end(r, cudaErrorNotSupported);
    if (!is_aligned(object))
        return runtime_end(r, cudaErrorInvalidValue);
    if (emu_map_read(&m, object, &d) != TEG_OK)
        return refuse(r, &d);
    m.address = (uint64_t)(uintptr_t)address;
    if (check(r, &m, &d) != TEG_OK)
        return refuse(r, &d);
    emu_map_write(&m, object);
    return runtime_end(r, cudaSuccess);
}

CALL(cuTensorMapEncodeIm2col, void *object, int type, uint32_t rank,
     void *address, const uint64_t *size, const uint64_t *stride,
     const int *lower, const int *upper, uint32_t channels, uint32_t pixels,
     const uint32_t *step, int interleave, int swizzle, int promotion, int fill)
{
    BEGIN(r);
    struct emu_tensor_map m = {
        .address = (uint64_t)(uintptr_t)address,
        .rank = rank,
        .type = (uint32_t)type,
        .interleave = (uint32_t)interleave,
        .swizzle = (uint32_t)swizzle,
        .fills_nan = (uint32_t)fill,
        .pixels = pixels,
        .box = {channels, 1, 1, 1, 1},
    };
    struct teg_diag d = {0};

    if (!is_known(r))
        return runtime_end(r, cudaErrorNotSupported);
    if (!is_aligned(object) || size == NULL || stride == NULL || step == NULL ||
        lower == NULL || upper == NULL || pixels == 0 || promotion < 0 ||
        promotion >= PROMOTIONS)
        return runtime_end(r, cudaErrorInvalidValue);
    put_tensor(&m, size, stride, step);
    for (uint32_t i = 0; i < EMU_MAP_SPACES && i + 2 < rank; i++) {
        m.lower[i] = lower[i];
        m.upper[i] = upper[i];
    }
    if (check(r, &m, &d) != TEG_OK)
        return refuse(r, &d);
    emu_map_write(&m, object);
    return runtime_end(r, cudaSuccess);
}

CALL(cuTensorMapEncodeIm2colWide, void *object)
{
    BEGIN(r);
    (void)object;
    runtime_say("", "cuTensorMapEncodeIm2colWide is not implemented");
    return runtime_end(r, cudaErrorNotSupported);
}
