#include "tests/sim/engine/help_naive_state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* "R4" of "R4.reuse" or "-R4" in the text's place; -1. */
static int text_register(const char *text, int place, int *reuse)
{
    char part[64];
    const char *at = strchr(text, ' ');

    for (; at != NULL && place > 0; place--) {
        at = strchr(at + 1, ',');
    }
    if (at == NULL)
        return -1;
    snprintf(part, sizeof part, "%.40s", at + 1);
    part[strcspn(part, ",")] = '\0';
    *reuse = strstr(part, ".reuse") != NULL;
    at = strchr(part, 'R');
    return at != NULL && at[1] >= '0' && at[1] <= '9' ? atoi(at + 1) : -1;
}

/* Slots that `reads` of a bank take: of the banks' cycles a product in its midst
 * takes its sums, half at most. */
static uint32_t slots_of(const struct naive *n, const struct sums *s,
                         uint32_t reads, uint32_t banks)
{
    uint64_t all = s->cycles * banks, free;
    uint32_t slots = 0;

    if (n->now >= s->until)
        return reads;
    free = all - (2 * s->sums < all ? s->sums : all / 2);
    /* The price of a read in 256ths, of which a slot has as many. */
    while ((slots + 1) * 256ull <= 256 * all / free * reads)
        slots++;
    return slots;
}

void naive_read(const struct naive *n, struct sm *sm, uint32_t scheduler,
                const struct warp *w)
{
    const struct teg_inst *inst = naive_head(n, w), *before = inst - 1;
    int four = n->gpu->sm.register_banks == REGISTER_BANKS_KEPLER;
    int seen[TEG_REG_P] = {0};
    uint32_t reads[4] = {0};
    int follows = sm->last[scheduler] == (int)(w - sm->warp) &&
                  w->cursor.inst != 0 && w->issued_any &&
                  w->last_inst == w->cursor.inst - 1;

    if (n->gpu->sm.register_banks == REGISTER_BANKS_NONE ||
        teg_op_class_facts(inst->op_class)->kind != RESULT_FIXED ||
        inst->op_class == CLASS_GMMA ||
        (inst->op_class >= CLASS_HMMA && inst->op_class < CLASS_GMMA &&
         !n->gpu->sm.register_products) ||
        teg_inst_has_addresses(inst) ||
        (n->gpu->sm.register_reuse && !inst->control.known))
        return;
    for (uint8_t i = 0; i < inst->src_count; i++) {
        int kept = 0;

        for (int place = 0; place < 8; place++) {
            int reuse = 0, r, unused;

            r = follows && n->gpu->sm.register_reuse && before->control.known
                    ? text_register(teg_program_text(w->of->program, before),
                                    place, &reuse)
                    : -1;
            kept |= r == inst->src[i].first && reuse &&
                    text_register(teg_program_text(w->of->program, inst), place,
                                  &unused) == r;
        }
        for (int r = inst->src[i].first;
             !kept && r < TEG_REG_P &&
             r < inst->src[i].first + inst->src[i].count;
             r++) {
            if (!seen[r]++)
                reads[four ? (r & 1) | (r & 4) >> 1 : r & 1]++;
        }
    }
    if ((inst->op_class == CLASS_IMAD_HIGH ||
         inst->op_class == CLASS_IMAD_WIDE) &&
        n->gpu->timing[CLASS_IMAD].interval != 0) {
        uint32_t pass = n->gpu->timing[CLASS_IMAD].interval;
        uint32_t times = n->gpu->timing[inst->op_class].interval / pass;
        uint64_t kept;

        times = times < 1 ? 1 : times > 4 ? 4 : times;
        kept = (uint64_t)times * pass;
        if (inst->op_class == CLASS_IMAD_WIDE)
            kept -= pass - 1; /* until the last pass has begun */
        for (int b = 0; b < 4; b++) {
            reads[b] *= times;
            if (times > 1 && reads[b] < kept)
                reads[b] = kept < 255 ? (uint32_t)kept : 255;
        }
    }
    for (int b = 0; b < 4; b++)
        sm->left[scheduler][b] +=
            slots_of(n, &sm->sums[scheduler], reads[b], four ? 4 : 2);
}

int naive_reads_fit(const struct naive *n, const struct sm *sm,
                    uint32_t scheduler)
{
    for (int b = 0; b < 4; b++) {
        if (sm->left[scheduler][b] >= n->gpu->sm.register_window)
            return 0;
    }
    return 1;
}

uint32_t naive_slots_late(const struct naive *n, const struct sm *sm,
                          uint32_t scheduler)
{
    uint32_t window = n->gpu->sm.register_window, most = window;

    for (int b = 0; b < 4; b++) {
        if (sm->left[scheduler][b] > most)
            most = sm->left[scheduler][b];
    }
    return most - window;
}

void naive_read_on(struct sm *sm)
{
    for (uint32_t s = 0; s < 4; s++) {
        for (int b = 0; b < 4; b++)
            sm->left[s][b] -= sm->left[s][b] != 0;
    }
}
