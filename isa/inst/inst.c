#include "isa/inst/inst.h"

#include <stdlib.h>
#include <string.h>

#include "isa/base/printable.h"
#include "isa/inst/atomic.h"
#include "isa/inst/sleep.h"

enum {
    FIRST_CAPACITY = 64
};

/* Returns a capacity of at least `need`, doubling from `have`. */
static uint32_t grown(uint32_t have, uint64_t need)
{
    uint64_t capacity = have != 0 ? have : FIRST_CAPACITY;

    while (capacity < need)
        capacity *= 2;
    return capacity <= UINT32_MAX ? (uint32_t)capacity : 0;
}

static teg_status reserve_text(struct teg_program *p, size_t bytes,
                               struct teg_diag *d)
{
    uint32_t capacity;
    char *text;

    if (p->text_capacity - p->text_size >= bytes)
        return TEG_OK;
    capacity = grown(p->text_capacity, p->text_size + bytes);
    text = capacity != 0 ? realloc(p->text, capacity) : NULL;
    if (text == NULL)
        return teg_fail_memory(d);
    p->text = text;
    p->text_capacity = capacity;
    return TEG_OK;
}

static teg_status reserve(struct teg_program *p, size_t text_bytes,
                          struct teg_diag *d)
{
    if (p->count == p->capacity) {
        uint32_t capacity = grown(p->capacity, (uint64_t)p->count + 1);
        struct teg_inst *inst =
            capacity != 0 ? realloc(p->inst, capacity * sizeof *inst) : NULL;

        if (inst == NULL)
            return teg_fail_memory(d);
        p->inst = inst;
        p->capacity = capacity;
    }
    return reserve_text(p, text_bytes, d);
}

/* Room for `length` bytes has been reserved. */
static uint32_t put_text(struct teg_program *p, const char *text, size_t length)
{
    uint32_t at = p->text_size;

    memcpy(p->text + at, text, length);
    p->text_size += (uint32_t)length;
    return at;
}

/* A has registers of its own where one is read that is not of the sums. */
static int reads_beyond_sums(const struct teg_inst *inst)
{
    for (uint8_t i = 0; i < inst->src_count; i++) {
        const struct teg_regs *r = &inst->src[i];
        int inside = r->first >= TEG_REG_P;

        for (uint8_t j = 0; j < inst->dst_count; j++)
            inside |=
                inst->dst[j].first <= r->first &&
                r->first + r->count <= inst->dst[j].first + inst->dst[j].count;
        if (!inside)
            return 1;
    }
    return 0;
}

static struct teg_tensor tensor_of(const struct teg_inst *inst,
                                   const char *text)
{
    struct teg_tensor t = {0};
    const char *opcode;
    size_t length;

    if (!teg_op_class_is_tensor(inst->op_class))
        return t;
    opcode = teg_text_mnemonic(text, &length);
    t = teg_tensor_parse(opcode, length);
    if ((t.flags & TENSOR_GROUP) != 0 && reads_beyond_sums(inst))
        t.flags |= TENSOR_REGISTERS;
    return t;
}

static teg_status add(struct teg_program *p, const struct teg_inst *inst,
                      const char *text, uint32_t *index, struct teg_diag *d)
{
    size_t length = strlen(text) + 1;

    TRY(reserve(p, length + 1, d));
    if (p->text_size == 0)
        p->text[p->text_size++] = '\0';
    *index = p->count;
    p->inst[p->count] = *inst;
    p->inst[p->count].file = p->inst[p->count].call = 0;
    p->inst[p->count].tensor = tensor_of(inst, text);
    p->inst[p->count].group = teg_group_of(text);
    p->inst[p->count].fence = (uint8_t)teg_fence_of(text);
    (void)teg_sleep_told(text, &p->inst[p->count].sleep_ns);
    if ((inst->flags & INST_ATOMIC) != 0 && inst->atomic == ATOMIC_UNKNOWN)
        p->inst[p->count].atomic = (uint8_t)teg_atomic_of(text);
    p->inst[p->count].text = length > 1 ? put_text(p, text, length) : 0;
    p->inst[p->count].record_index = p->record_count;
    p->inst[p->count].records =
        (uint8_t)((teg_inst_has_addresses(inst) != 0) + teg_inst_values(inst));
    p->record_count += p->inst[p->count].records;
    p->count++;
    return TEG_OK;
}

teg_status teg_program_add(struct teg_program *p, const struct teg_inst *inst,
                           const char *text, uint32_t *index,
                           struct teg_diag *d)
{
    teg_status status;
    char *copy;

    if (teg_is_printable(text))
        return add(p, inst, text, index, d);
    copy = teg_printable_copy(text);
    status = copy != NULL ? add(p, inst, copy, index, d) : teg_fail_memory(d);
    free(copy);
    return status;
}

teg_status teg_program_set_text(struct teg_program *p, uint32_t index,
                                const char *text, struct teg_diag *d)
{
    size_t length = strlen(text) + 1;

    TRY(reserve_text(p, length, d));
    p->inst[index].text = put_text(p, text, length);
    p->inst[index].group = teg_group_of(text);
    p->inst[index].fence = (uint8_t)teg_fence_of(text);
    return TEG_OK;
}

/* Names are few; the last one is asked for most.  `*of` is where the name is,
 * one of the `*count` of `*table`. */
static teg_status set_name(struct teg_program *p, uint32_t **table,
                           uint32_t *count, uint32_t *of, const char *name,
                           struct teg_diag *d)
{
    size_t length = strlen(name) + 1;
    uint32_t *more;

    if (length == 1)
        return TEG_OK;
    for (uint32_t i = *count; i > 0; i--) {
        if (strcmp(p->text + (*table)[i - 1], name) == 0) {
            *of = (*table)[i - 1];
            return TEG_OK;
        }
    }
    if (*count == TEG_PROGRAM_FILES)
        return TEG_OK;
    TRY(reserve_text(p, length, d));
    more = realloc(*table, (*count + (size_t)1) * sizeof *more);
    if (more == NULL)
        return teg_fail_memory(d);
    *table = more;
    more[*count] = put_text(p, name, length);
    *of = more[(*count)++];
    return TEG_OK;
}

static teg_status set_printable(struct teg_program *p, uint32_t **table,
                                uint32_t *count, uint32_t *of, const char *name,
                                struct teg_diag *d)
{
    teg_status status;
    char *copy;

    if (teg_is_printable(name))
        return set_name(p, table, count, of, name, d);
    copy = teg_printable_copy(name);
    status = copy != NULL ? set_name(p, table, count, of, copy, d)
                          : teg_fail_memory(d);
    free(copy);
    return status;
}

teg_status teg_program_set_file(struct teg_program *p, uint32_t index,
                                const char *name, struct teg_diag *d)
{
    return set_printable(p, &p->file, &p->file_count, &p->inst[index].file,
                         name, d);
}

teg_status teg_program_set_call(struct teg_program *p, uint32_t index,
                                const char *chain, struct teg_diag *d)
{
    return set_printable(p, &p->call, &p->call_count, &p->inst[index].call,
                         chain, d);
}

const char *teg_program_call(const struct teg_program *p,
                             const struct teg_inst *inst)
{
    return p->text != NULL ? p->text + inst->call : "";
}

const char *teg_program_file(const struct teg_program *p,
                             const struct teg_inst *inst)
{
    return p->text != NULL ? p->text + inst->file : "";
}

const char *teg_program_text(const struct teg_program *p,
                             const struct teg_inst *inst)
{
    return p->text != NULL ? p->text + inst->text : "";
}

const char *teg_text_mnemonic(const char *text, size_t *length)
{
    if (*text == '@') {
        text += strcspn(text, " ");
        text += strspn(text, " ");
    }
    *length = strcspn(text, " ");
    return text;
}

int teg_text_is(const char *text, const char *mnemonic)
{
    size_t length, own = strlen(mnemonic);
    const char *at = teg_text_mnemonic(text, &length);

    return length >= own && memcmp(at, mnemonic, own) == 0 &&
           (length == own || at[own] == '.');
}

int teg_program_has(const struct teg_program *p, enum teg_values values)
{
    for (uint32_t i = 0; i < p->count; i++) {
        if (p->inst[i].values == values)
            return 1;
    }
    return 0;
}

teg_status teg_program_copy(struct teg_program *to,
                            const struct teg_program *from, struct teg_diag *d)
{
    uint32_t index;

    *to = (struct teg_program){0};
    for (uint32_t i = 0; i < from->count; i++) {
        const struct teg_inst *inst = &from->inst[i];
        teg_status status =
            teg_program_add(to, inst, teg_program_text(from, inst), &index, d);

        if (status == TEG_OK)
            status = teg_program_set_file(to, index,
                                          teg_program_file(from, inst), d);
        if (status == TEG_OK)
            status = teg_program_set_call(to, index,
                                          teg_program_call(from, inst), d);
        if (status != TEG_OK) {
            teg_program_release(to);
            return status;
        }
    }
    return TEG_OK;
}

void teg_program_release(struct teg_program *p)
{
    free(p->inst);
    free(p->text);
    free(p->file);
    free(p->call);
    *p = (struct teg_program){0};
}
