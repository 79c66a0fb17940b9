#include "sim/engine/operands.h"

#include <string.h>

#include "isa/base/minmax.h"

enum {
    NONE = UINT16_MAX,
    REGISTERS = TEG_REG_P - TEG_REG_R,
};

const struct sim_kept sim_kept_none = {
    {NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE}};

/* ---- the operands of a text ---------------------------------------------- */

/* The register that an operand begins with ("R4.reuse", "-R4", "|R4|"), or
 * NONE. */
static uint16_t register_of(const char *operand, size_t length)
{
    size_t i = strspn(operand, " -|~");
    uint16_t reg = 0;

    if (i + 1 >= length || operand[i] != 'R' || operand[i + 1] < '0' ||
        operand[i + 1] > '9')
        return NONE;
    for (i++; i < length && operand[i] >= '0' && operand[i] <= '9'; i++)
        reg = (uint16_t)(reg * 10 + (operand[i] - '0')) % 1000;
    return reg;
}

static int is_kept(const char *operand, size_t length)
{
    static const char mark[] = ".reuse";

    for (size_t i = 0; i + sizeof mark - 1 <= length; i++) {
        if (memcmp(operand + i, mark, sizeof mark - 1) == 0)
            return 1;
    }
    return 0;
}

/* Fills the register of each operand, or with `kept` only of those marked. */
static struct sim_kept operands_of(const char *text, int kept)
{
    struct sim_kept k = sim_kept_none;
    size_t length;
    const char *at = teg_text_mnemonic(text, &length) + length;

    for (int i = 0; i < SIM_OPERANDS_MAX && *at != '\0'; i++) {
        length = strcspn(at, ",");
        if (!kept || is_kept(at, length))
            k.reg[i] = register_of(at, length);
        at += length + (at[length] == ',');
    }
    return k;
}

struct sim_kept sim_kept_after(const char *text)
{
    return operands_of(text, 1);
}

/* ---- banks --------------------------------------------------------------- */

static int reads_at_once(const struct teg_gpu *gpu, const struct teg_inst *inst)
{
    switch (inst->op_class) {
    case CLASS_HMMA:
    case CLASS_IMMA:
    case CLASS_DMMA:
        return gpu->sm.register_products != 0;
    case CLASS_GMMA:
        return 0;
    default:
        return teg_op_class_facts(inst->op_class)->kind == RESULT_FIXED &&
               !teg_inst_has_addresses(inst);
    }
}

static int stands_by(const struct sim_kept *now, const struct sim_kept *before,
                     uint16_t reg)
{
    for (int i = 0; i < SIM_OPERANDS_MAX; i++) {
        if (now->reg[i] == reg && before->reg[i] == reg)
            return 1;
    }
    return 0;
}

/* How often an instruction goes through the multiplier that others go through
 * once, and reads its operands. */
static uint8_t passes_of(const struct teg_gpu *gpu, const struct teg_inst *inst)
{
    uint32_t once = gpu->timing[CLASS_IMAD].interval,
             all = gpu->timing[inst->op_class].interval;

    if ((inst->op_class != CLASS_IMAD_HIGH &&
         inst->op_class != CLASS_IMAD_WIDE) ||
        once == 0 || all < once)
        return 1;
    return all / once < 4 ? (uint8_t)(all / once) : 4;
}

/* What goes through it more than once keeps the way there to itself, however
 * few registers it reads: a high half as long as it goes through, a whole
 * product until its last pass has begun. */
static void keep_the_way(const struct teg_gpu *gpu, enum teg_op_class op_class,
                         uint8_t passes, uint8_t reads[SIM_BANKS_MAX])
{
    uint64_t pass = gpu->timing[CLASS_IMAD].interval;
    uint64_t slots =
        op_class == CLASS_IMAD_HIGH ? passes * pass : (passes - 1) * pass + 1;

    for (int b = 0; passes > 1 && b < SIM_BANKS_MAX; b++)
        reads[b] = (uint8_t)teg_min(teg_max(reads[b], slots), UINT8_MAX);
}

void sim_operand_reads(const struct teg_gpu *gpu, const struct teg_inst *inst,
                       const char *text, const struct sim_kept *before,
                       uint8_t reads[SIM_BANKS_MAX])
{
    uint64_t read[REGISTERS / 64] = {0};
    struct sim_kept now;
    uint8_t passes;

    memset(reads, 0, SIM_BANKS_MAX);
    if (gpu->sm.register_banks == REGISTER_BANKS_NONE ||
        !reads_at_once(gpu, inst) ||
        (gpu->sm.register_reuse && !inst->control.known))
        return;
    now = operands_of(text, 0);
    passes = passes_of(gpu, inst);
    for (uint8_t i = 0; i < inst->src_count; i++) {
        uint32_t first = inst->src[i].first, end = first + inst->src[i].count;

        if (stands_by(&now, before, inst->src[i].first))
            continue;
        for (uint32_t r = first; r < end && r < REGISTERS; r++) {
            if (read[r / 64] >> (r % 64) & 1)
                continue;
            read[r / 64] |= 1ull << (r % 64);
            reads[teg_register_bank(gpu->sm.register_banks, r)] += passes;
        }
    }
    keep_the_way(gpu, inst->op_class, passes, reads);
}

uint32_t sim_sums_price(enum teg_register_banks rule, uint32_t sums,
                        uint64_t cycles)
{
    static const uint32_t banks[] = {
        [REGISTER_BANKS_NONE] = 1,
        [REGISTER_BANKS_PARITY] = 2,
        [REGISTER_BANKS_KEPLER] = 4,
    };
    uint64_t slots = cycles * banks[rule];
    uint64_t taken = sums < slots / 2 ? sums : slots / 2;

    return (uint32_t)(SIM_FRACTION * slots / (slots - taken));
}
