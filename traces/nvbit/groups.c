#include "traces/nvbit/groups.h"

#include <stdio.h>

#include "traces/nvbit/note.h"

/* The text of the instruction with one more operand. */
static teg_status say(struct teg_program *p, uint32_t index,
                      const char *operand, struct teg_diag *d)
{
    const char *text = teg_program_text(p, &p->inst[index]);
    size_t length;
    const char *mnemonic = teg_text_mnemonic(text, &length);
    char longer[640];

    snprintf(longer, sizeof longer, "%.600s%s %s", text,
             mnemonic[length] != '\0' ? "," : "", operand);
    return teg_program_set_text(p, index, longer, d);
}

static teg_status say_open(const struct nvbit_groups *g,
                           struct teg_kernel *kernel, uint32_t index,
                           const char *path, uint64_t line, struct teg_diag *d)
{
    uint32_t left = g->committed - g->waited;
    uint32_t open = g->fresh != 0 && left != 0 ? left - 1 : 0;
    char operand[16];

    if (open > TEG_GROUP_OPEN_MAX)
        open = TEG_GROUP_OPEN_MAX;
    nvbit_note(kernel, "depbar-count", path, line,
               "DEPBAR is written without the number of groups that may stay "
               "open: taken to wait for the oldest that none has waited for "
               "(here: 0x%x may)",
               open);
    snprintf(operand, sizeof operand, "0x%x", open);
    return say(&kernel->program, index, operand, d);
}

static teg_status follow_copies(struct nvbit_groups *g,
                                struct teg_kernel *kernel, uint32_t index,
                                const char *path, uint64_t line,
                                struct teg_diag *d)
{
    const struct teg_group *group = &kernel->program.inst[index].group;
    uint32_t open;

    if ((group->does & GROUP_COMMITS) != 0) {
        g->committed++;
        g->fresh++;
    }
    if ((group->does & GROUP_WAITS) == 0)
        return TEG_OK;
    if (group->open == TEG_GROUP_OPEN_UNSAID) {
        TRY(say_open(g, kernel, index, path, line, d));
        group = &kernel->program.inst[index].group;
    }
    open = group->open < g->committed ? group->open : g->committed;
    if (g->committed - open > g->waited)
        g->waited = g->committed - open;
    g->fresh = 0;
    return TEG_OK;
}

static teg_status follow_products(struct nvbit_groups *g,
                                  struct teg_kernel *kernel, uint32_t index,
                                  const char *path, uint64_t line,
                                  struct teg_diag *d)
{
    uint8_t does = kernel->program.inst[index].group.does;
    uint32_t last = g->product;

    if ((does & GROUP_JOINS) != 0) {
        g->product = (does & GROUP_COMMITS) == 0 ? index + 1 : 0;
        return TEG_OK;
    }
    g->product = 0;
    if (last == 0)
        return TEG_OK;
    nvbit_note(kernel, "gmma-groups", path, line,
               "products of warp groups are written without the group they "
               "commit: the last before WARPGROUP.ARRIVE or .DEPBAR is taken "
               "to");
    return say(&kernel->program, last - 1, "gsb0", d);
}

teg_status nvbit_groups_inst(struct nvbit_groups *g, struct teg_kernel *kernel,
                             uint32_t index, const char *path, uint64_t line,
                             struct teg_diag *d)
{
    if (kernel->program.inst[index].group.kind == GROUP_PRODUCTS)
        return follow_products(g, kernel, index, path, line, d);
    return follow_copies(g, kernel, index, path, line, d);
}
