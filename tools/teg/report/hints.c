#include "tools/teg/report/hints.h"

#include <string.h>

#include "tools/teg/report/subjects.h"

int hints_find(struct hints *h, const struct whatif *w, const struct by_pc *b,
               uint64_t resident)
{
    const struct toggle *best[HINTS_MAX];
    struct subjects subjects;
    int status = subjects_init(&subjects, b, w->job.gpu, resident);

    if (status != EXIT_DONE)
        return status;
    h->count = whatif_best(w, HINTS_MAX, best);
    for (uint32_t i = 0; i < h->count; i++) {
        struct hint *hint = &h->hint[i];

        memcpy(hint->what_if, best[i]->name, sizeof hint->what_if);
        hint->speedup = (double)w->baseline_cycles / (double)best[i]->cycles;
        subject_find(&subjects, hint->what_if, hint->where, sizeof hint->where);
    }
    subjects_release(&subjects);
    return EXIT_DONE;
}
