#include "traces/study/waits.h"

enum {
    DEPENDENCE_BARRIERS = 6,
    COPIES = 1 << GROUP_COPIES | 1 << GROUP_BULK, /* which DEPBAR waits for */
};

static uint32_t barrier_bit(uint8_t barrier)
{
    return barrier < DEPENDENCE_BARRIERS ? 1u << barrier : 0;
}

/* Whether a DEPBAR may mean what sets the barrier of that number. */
static int means_barrier(const struct teg_waits *w, const struct teg_inst *inst)
{
    return inst->group.kind != GROUP_PRODUCTS &&
           (barrier_bit(inst->group.number) & w->barriers) != 0;
}

static enum teg_wait_fault fault_of(const struct teg_waits *w,
                                    const struct teg_inst *inst)
{
    uint8_t kinds =
        inst->group.kind == GROUP_PRODUCTS ? 1 << GROUP_PRODUCTS : COPIES;

    if ((w->committed & kinds) != 0 || means_barrier(w, inst))
        return WAIT_FAULT_NONE;
    if ((w->joined & kinds) != 0)
        return WAIT_FAULT_UNCOMMITTED;
    return WAIT_FAULT_NOTHING;
}

enum teg_wait_fault teg_waits_step(struct teg_waits *w,
                                   const struct teg_inst *inst)
{
    const struct teg_group *g = &inst->group;
    /* A text without operands does not say which barrier, or who commits. */
    int says = inst->control.known || g->kind != GROUP_PRODUCTS;
    enum teg_wait_fault fault = WAIT_FAULT_NONE;

    if ((g->does & GROUP_WAITS) != 0 && says)
        fault = fault_of(w, inst);
    if (fault == WAIT_FAULT_NOTHING && !inst->control.known)
        fault = WAIT_FAULT_NONE;
    if ((g->does & GROUP_JOINS) != 0)
        w->joined |= (uint8_t)(1u << g->kind);
    if ((g->does & GROUP_COMMITS) != 0)
        w->committed |= (uint8_t)(1u << g->kind);
    if (inst->control.known)
        w->barriers |= (uint8_t)(barrier_bit(inst->control.read_barrier) |
                                 barrier_bit(inst->control.write_barrier));
    return fault;
}
