#include "traces/emulate/core/values.h"

#include <string.h>

/* All threads at barrier 0 is what a barrier is without a word. */
static enum teg_values of_barrier(const struct emu_op *op)
{
    unsigned code = emu_bits(op, 11, 0), mode = emu_bits(op, 79, 77);
    int is_plain =
        code == 0xb1d && emu_bits(op, 57, 54) == 0 && emu_bits(op, 53, 42) == 0;

    return is_plain || mode == 4 ? VALUES_NONE : VALUES_BARRIER;
}

static enum teg_values of_syncs(const struct emu_op *op)
{
    switch (emu_bits(op, 11, 0)) {
    case 0x5b2:
        return VALUES_INIT;
    case 0x5a7:
        return VALUES_TEST;
    case 0x9a7:
        return VALUES_ARRIVE;
    default:
        return VALUES_NONE; /* .CCTL.IV */
    }
}

/* What its text does not tell; with .SYNCS (84) the time means nothing. */
static enum teg_values of_sleep(const struct emu_op *op)
{
    return emu_bits(op, 11, 0) == 0x95d || emu_bits(op, 84, 84) != 0
               ? VALUES_NONE
               : VALUES_SLEEP;
}

/* Copies of whole ranges: a bulk copy's word tells which way it goes, and a
 * reduction in another block's shared memory is a copy that goes there. */
static const struct {
    const char *name;
    uint8_t values;
    uint16_t flags;
} copies[] = {
    {"UBLKCP", VALUES_BULK, 0},
    {"UBLKRED", VALUES_BULK, 0},
    {"UTMALDG", VALUES_TENSOR, INST_LOAD},
    {"UTMAPF", VALUES_TENSOR, INST_LOAD},
    {"UTMASTG", VALUES_TENSOR, INST_STORE},
    {"UTMAREDG", VALUES_REDUCED, INST_ATOMIC},
    {"UTCHMMA", VALUES_PRODUCT, 0},
    {"UTCIMMA", VALUES_PRODUCT, 0},
    {"UTCQMMA", VALUES_PRODUCT, 0},
    {"UTCOMMA", VALUES_PRODUCT, 0},
    {"UTCBAR", VALUES_ARRIVE, 0},
    {"UGETNEXTWORKID", VALUES_BULK, 0}, /* its answer */
};

static int touches_texels(const char *name)
{
    static const char *const names[] = {"TEX", "TLD",  "TLD4",
                                        "TXD", "SULD", "SUST"};
    size_t i = 0;

    while (i < sizeof names / sizeof names[0] && strcmp(name, names[i]) != 0)
        i++;
    return i < sizeof names / sizeof names[0];
}

void emu_values_set(const struct emu_op *op, struct teg_inst *inst)
{
    const char *name = op->sass.name != NULL ? op->sass.name : "";

    if (strcmp(name, "LDGSTS") == 0)
        inst->values = VALUES_SHARED;
    else if (strcmp(name, "BAR") == 0)
        inst->values = (uint8_t)of_barrier(op);
    else if (strcmp(name, "SYNCS") == 0)
        inst->values = (uint8_t)of_syncs(op);
    else if (strcmp(name, "NANOSLEEP") == 0)
        inst->values = (uint8_t)of_sleep(op);
    else if (strcmp(name, "STAS") == 0)
        inst->values = VALUES_SENT;
    else if (strcmp(name, "REDAS") == 0) {
        inst->values = VALUES_SENT;
        inst->flags |= INST_ATOMIC;
    } else if (strcmp(name, "ARRIVES") == 0 && op->cc >= 90)
        inst->values = VALUES_ARRIVE;
    else if (touches_texels(name))
        inst->values = VALUES_TEXELS;
    for (size_t i = 0; i < sizeof copies / sizeof copies[0]; i++) {
        if (strcmp(name, copies[i].name) != 0)
            continue;
        inst->values = copies[i].values;
        inst->flags |= copies[i].flags;
    }
    if (inst->values == VALUES_BULK && strcmp(name, "UBLKRED") == 0 &&
        emu_bits(op, 75, 73) == 2) {
        inst->values = VALUES_REDUCED;
        inst->flags |= INST_ATOMIC;
    }
    if (inst->values == VALUES_BULK)
        inst->flags |= emu_bits(op, 75, 73) == 2 ? INST_STORE : INST_LOAD;
}
