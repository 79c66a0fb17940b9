#include "traces/emulate/core/module.h"

#include <stdlib.h>
#include <string.h>

#include "traces/emulate/core/calls.h"
#include "traces/emulate/core/prepared.h"

static teg_status allocate(const struct emu_module *m,
                           const struct teg_cubin_bytes *from,
                           uint64_t *address, struct teg_diag *d)
{
    if (from->size == 0)
        return TEG_OK;
    TRY(emu_device_alloc(m->device, from->size, address, d));
    if (from->data != NULL)
        memcpy(emu_device_at(m->device, *address, from->size), from->data,
               from->size);
    return TEG_OK;
}

/* Where the bytes of a region lie in host memory, [*bytes] of them. */
static uint8_t *bytes_at(const struct emu_module *m,
                         enum teg_cubin_region region, uint64_t *bytes)
{
    const struct teg_cubin *c = m->cubin;

    switch (region) {
    case CUBIN_GLOBAL:
        *bytes = c->global_init.size;
        return emu_device_at(m->device, m->initialised, *bytes);
    case CUBIN_CONSTANT3:
        *bytes = c->constant3.size;
        return emu_device_at(m->device, m->constants, *bytes);
    case CUBIN_CONSTANT4:
        *bytes = c->constant4.size;
        return m->bank4;
    default:
        return NULL;
    }
}

/* One behind the other; the order in memory is that of the code. */
uint64_t emu_module_function(const struct emu_module *m, uint32_t kernel)
{
    const struct teg_cubin_kernel *k = m->cubin->kernel;
    uint64_t at = EMU_FUNCTIONS;

    for (uint32_t i = 0; i < kernel; i++)
        at += k[i].is_entry || k[i].code.data == NULL
                  ? 0
                  : k[i].code.size / 16 * 16;
    return k[kernel].is_entry ? 0 : at;
}

/* The device runtime of a program is linked into its cubin, and asks a driver
 * that is not there. */
static int is_outside(const struct teg_cubin_symbol *s)
{
    return s->region == CUBIN_CODE || !s->is_defined
               ? !s->is_defined || emu_call_stands_in(s->name)
               : 0;
}

uint64_t emu_module_address(const struct emu_module *m, uint32_t symbol)
{
    const struct teg_cubin_symbol *s = &m->cubin->symbol[symbol];

    if (is_outside(s))
        return EMU_CALL_WINDOW + (uint64_t)symbol * EMU_CALL_BYTES;
    switch (s->region) {
    case CUBIN_GLOBAL:
        return m->initialised != 0 ? m->initialised + s->value : 0;
    case CUBIN_ZEROED:
        return m->zeroed != 0 ? m->zeroed + s->value : 0;
    case CUBIN_CONSTANT3:
        return m->constants != 0 ? m->constants + s->value : 0;
    case CUBIN_CODE:
        if (!s->is_defined || s->kernel < 0 ||
            m->cubin->kernel[s->kernel].is_entry)
            return 0;
        return emu_module_function(m, (uint32_t)s->kernel) + s->value;
    default:
        return 0;
    }
}

uint64_t emu_module_pointer(const struct emu_module *m, uint32_t symbol)
{
    const struct teg_cubin_symbol *s = &m->cubin->symbol[symbol];

    if (s->is_defined && s->region == CUBIN_CODE && s->kernel >= 0 &&
        m->cubin->kernel[s->kernel].is_entry)
        return EMU_KERNEL_WINDOW + (uint64_t)s->kernel * EMU_CALL_BYTES;
    return emu_module_address(m, symbol);
}

const struct teg_cubin_kernel *emu_module_kernel(const struct emu_module *m,
                                                 uint64_t pointer)
{
    uint64_t kernel = (pointer - EMU_KERNEL_WINDOW) / EMU_CALL_BYTES;

    if (pointer < EMU_KERNEL_WINDOW || pointer % EMU_CALL_BYTES != 0 ||
        kernel >= m->cubin->kernel_count || !m->cubin->kernel[kernel].is_entry)
        return NULL;
    return &m->cubin->kernel[kernel];
}

/* Stores S + A, A standing in the record or in the bytes themselves. */
static void relocate(const struct emu_module *m,
                     const struct teg_cubin_reloc *r)
{
    uint64_t size = 0, value, address = emu_module_address(m, r->symbol);
    uint8_t *bytes = bytes_at(m, r->region, &size);

    if (bytes == NULL || address == 0 || r->offset > size ||
        size - r->offset < sizeof value)
        return;
    memcpy(&value, bytes + r->offset, sizeof value);
    value += address + (uint64_t)r->addend;
    memcpy(bytes + r->offset, &value, sizeof value);
}

teg_status emu_module_init(struct emu_module *m, const struct teg_cubin *cubin,
                           struct emu_device *device, struct teg_diag *d)
{
    m->cubin = cubin;
    m->device = device;
    TRY(allocate(m, &cubin->global_init, &m->initialised, d));
    TRY(allocate(m, &cubin->global_zero, &m->zeroed, d));
    TRY(allocate(m, &cubin->constant3, &m->constants, d));
    if (cubin->constant4.size != 0) {
        m->bank4 = calloc(1, cubin->constant4.size + 16);
        if (m->bank4 == NULL)
            return teg_fail_memory(d);
        if (cubin->constant4.data != NULL)
            memcpy(m->bank4, cubin->constant4.data, cubin->constant4.size);
    }
    m->prepared = calloc(cubin->kernel_count + (size_t)1, sizeof *m->prepared);
    if (m->prepared == NULL)
        return teg_fail_memory(d);
    for (uint32_t i = 0; i < cubin->reloc_count; i++)
        relocate(m, &cubin->reloc[i]);
    return TEG_OK;
}

void emu_module_release(struct emu_module *m)
{
    emu_prepared_forget(m);
    if (m->device != NULL) {
        emu_device_remove(m->device, m->initialised);
        emu_device_remove(m->device, m->zeroed);
        emu_device_remove(m->device, m->constants);
    }
    free(m->bank4);
    *m = (struct emu_module){0};
}

uint64_t emu_module_variable(const struct emu_module *m, const char *name,
                             uint64_t *bytes)
{
    for (uint32_t i = 0; i < m->cubin->symbol_count; i++) {
        const struct teg_cubin_symbol *s = &m->cubin->symbol[i];

        if (strcmp(s->name, name) != 0 ||
            (s->region != CUBIN_GLOBAL && s->region != CUBIN_ZEROED &&
             s->region != CUBIN_CONSTANT3))
            continue;
        *bytes = s->size;
        return emu_module_address(m, i);
    }
    return 0;
}

const uint8_t *emu_module_bank(const struct emu_module *m, unsigned bank,
                               uint64_t *bytes)
{
    *bytes = 0;
    if (bank == 4)
        return bytes_at(m, CUBIN_CONSTANT4, bytes);
    if (bank != 3 || m->constants == 0)
        return NULL;
    *bytes = m->cubin->constant3.size;
    emu_device_note_read(m->device, m->constants);
    return emu_device_peek(m->device, m->constants, *bytes);
}

const char *emu_module_outside(const struct emu_module *m, uint64_t address)
{
    uint64_t symbol = (address - EMU_CALL_WINDOW) / EMU_CALL_BYTES;

    if (address < EMU_CALL_WINDOW || symbol >= m->cubin->symbol_count ||
        !is_outside(&m->cubin->symbol[symbol]))
        return NULL;
    return m->cubin->symbol[symbol].name;
}
