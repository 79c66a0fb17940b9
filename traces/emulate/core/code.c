#include "traces/emulate/core/code.h"

#include <stdlib.h>
#include <string.h>

#include "isa/sass/sass.h"

/* R_CUDA_*: what a relocation of code puts where.  (nvlink and nvdisasm 13.0:
 * "32@lo(symbol)", "32@hi(symbol)", a call's target) */
enum {
    RELOC_LOW = 0x38, /* 32 bits into an instruction's immediate */
    RELOC_HIGH = 0x39,
    RELOC_TARGET = 0x3a,
    RELOC_POINTER_LOW = 0x3e, /* to a function, of a kernel too */
    RELOC_POINTER_HIGH = 0x3f,
    RELOC_TARGET_90 = 0x4b,
    IMMEDIATE_BYTE = 4,   /* bits 63:32 */
    NOWHERE = 0x3ffffff0, /* no code is there: a call ends the launch */
    INSTS_MAX = 1 << 22,  /* sections of a damaged file may be one many times */
};

static uint32_t insts_of(const struct teg_cubin_kernel *k)
{
    return k->code.data != NULL ? (uint32_t)(k->code.size / TEG_SASS_BYTES) : 0;
}

/* Whether it calls an address, which only functions of other sections and the
 * system's have. */
static int calls_addresses(const struct teg_cubin *c,
                           const struct teg_cubin_kernel *k)
{
    for (uint32_t i = 0; i < insts_of(k); i++) {
        struct teg_sass s;

        if (teg_sass_decode(&s, k->code.data + (size_t)i * TEG_SASS_BYTES, 0,
                            c->sm) &&
            strcmp(s.name, "CALL.ABS") == 0)
            return 1;
    }
    return 0;
}

static void add_section(struct emu_code *c, const struct emu_module *m,
                        uint32_t kernel, uint64_t first)
{
    const struct teg_cubin_kernel *k = &m->cubin->kernel[kernel];
    uint32_t insts = insts_of(k);

    if (c->first[kernel] == UINT32_MAX)
        c->first[kernel] = c->insts;
    if (insts == 0)
        return;
    memcpy(c->bytes + (size_t)c->insts * TEG_SASS_BYTES, k->code.data,
           (size_t)insts * TEG_SASS_BYTES);
    for (uint32_t i = 0; i < insts; i++, c->insts++) {
        c->section[c->insts] = kernel;
        c->pc[c->insts] = first + (uint64_t)i * TEG_SASS_BYTES;
    }
}

/* The bytes that a relocation is about; NULL: code that is not here. */
static uint8_t *bytes_of(const struct emu_code *c,
                         const struct teg_cubin_reloc *r)
{
    uint64_t inst = r->offset / TEG_SASS_BYTES;
    uint32_t first;

    if (r->region != CUBIN_CODE || r->offset % TEG_SASS_BYTES != 0)
        return NULL;
    first = c->first[r->kernel];
    if (first >= c->insts || inst >= c->insts - first ||
        c->section[first + inst] != r->kernel)
        return NULL;
    return c->bytes + (first + inst) * TEG_SASS_BYTES;
}

static void relocate(struct emu_code *c, const struct emu_module *m,
                     uint32_t kernel, const struct teg_cubin_reloc *r)
{
    uint8_t *bytes = bytes_of(c, r);
    int is_target = r->type == RELOC_TARGET || r->type == RELOC_TARGET_90;
    int is_pointer =
        r->type == RELOC_POINTER_LOW || r->type == RELOC_POINTER_HIGH;
    int is_low = r->type == RELOC_LOW || r->type == RELOC_POINTER_LOW;
    uint64_t address;

    if (bytes == NULL)
        return;
    address = is_pointer ? emu_module_pointer(m, r->symbol)
                         : emu_code_address(m, r->symbol, kernel);
    if (address == 0 && m->cubin->symbol[r->symbol].kernel != (int)kernel) {
        if (is_target)
            teg_sass_set_target(bytes, NOWHERE, m->cubin->sm);
        return;
    }
    address += (uint64_t)r->addend;
    if (is_target) {
        teg_sass_set_target(bytes, address, m->cubin->sm);
    } else if (is_pointer || is_low || r->type == RELOC_HIGH) {
        uint32_t half = (uint32_t)(is_low ? address : address >> 32);

        memcpy(bytes + IMMEDIATE_BYTE, &half, sizeof half);
    }
}

uint64_t emu_code_address(const struct emu_module *m, uint32_t symbol,
                          uint32_t kernel)
{
    const struct teg_cubin_symbol *s = &m->cubin->symbol[symbol];

    if (s->is_defined && s->region == CUBIN_CODE && s->kernel == (int)kernel)
        return s->value;
    return emu_module_address(m, symbol);
}

teg_status emu_code_init(struct emu_code *c, const struct emu_module *m,
                         uint32_t kernel, struct teg_diag *d)
{
    const struct teg_cubin *cubin = m->cubin;
    int calls = calls_addresses(cubin, &cubin->kernel[kernel]);
    size_t insts = insts_of(&cubin->kernel[kernel]);

    for (uint32_t i = 0; i < cubin->kernel_count && calls; i++) {
        if (cubin->kernel[i].is_entry)
            continue;
        if (cubin->kernel[i].constant2.size != 0)
            return teg_fail(d, TEG_LIMIT, cubin->path,
                            "function %s has constants of its own, which is "
                            "not emulated",
                            cubin->kernel[i].name);
        insts += insts_of(&cubin->kernel[i]);
    }
    if (insts > INSTS_MAX)
        return teg_fail(d, TEG_LIMIT, cubin->path,
                        "expected at most %d instructions in a kernel and its "
                        "functions, found %zu",
                        INSTS_MAX, insts);
    c->bytes = malloc(insts * TEG_SASS_BYTES + 1);
    c->section = malloc((insts + 1) * sizeof *c->section);
    c->pc = malloc((insts + 1) * sizeof *c->pc);
    c->first = malloc((cubin->kernel_count + (size_t)1) * sizeof *c->first);
    if (c->bytes == NULL || c->section == NULL || c->pc == NULL ||
        c->first == NULL)
        return teg_fail_memory(d);
    for (uint32_t i = 0; i < cubin->kernel_count; i++)
        c->first[i] = UINT32_MAX;
    add_section(c, m, kernel, 0);
    c->own = c->insts;
    for (uint32_t i = 0; i < cubin->kernel_count && calls; i++) {
        if (!cubin->kernel[i].is_entry)
            add_section(c, m, i, emu_module_function(m, i));
    }
    for (uint32_t i = 0; i < cubin->reloc_count; i++)
        relocate(c, m, kernel, &cubin->reloc[i]);
    return TEG_OK;
}

void emu_code_release(struct emu_code *c)
{
    free(c->bytes);
    free(c->section);
    free(c->pc);
    free(c->first);
    *c = (struct emu_code){0};
}
