#include "sim/sample/facts.h"

#include <stdlib.h>

#include "sim/sample/lines.h"

enum {
    BLOCKS_PER_ASK = 256 /* while walking: to go on or not */
};

/* Share of the lines that blocks touch after another block did, beyond which
 * those that are left out are missed. */
static const double shared_most = 0.02;

static int grow(struct teg_sample_facts *f)
{
    uint64_t capacity = f->capacity != 0 ? 2 * f->capacity : 1024;
    uint64_t *work = realloc(f->work, capacity * sizeof *work);
    uint16_t *kind_of;
    float *first;

    if (work == NULL)
        return 0;
    f->work = work;
    first = realloc(f->first, capacity * sizeof *first);
    if (first == NULL)
        return 0;
    f->first = first;
    kind_of = realloc(f->kind_of, capacity * sizeof *kind_of);
    if (kind_of == NULL)
        return 0;
    f->kind_of = kind_of;
    f->capacity = capacity;
    return 1;
}

static teg_status note_block(struct teg_sample_facts *f,
                             const struct teg_block *block,
                             const struct sample_touched *touched,
                             struct teg_diag *d)
{
    uint64_t work;
    uint16_t kind = sample_kind_of(&f->kinds, block, &work);

    if (f->blocks == f->capacity && !grow(f))
        return teg_fail_memory(d);
    f->kind_of[f->blocks] = kind;
    f->first[f->blocks] = (float)touched->first;
    f->work[f->blocks++] = work;
    f->lines += touched->lines;
    f->first_lines += touched->first;
    f->written_lines += touched->written;
    return TEG_OK;
}

/* What the blocks of a launch are noted with. */
struct notes {
    struct teg_sample_facts *facts;
    struct sample_lines *lines;
    const struct teg_kernel *kernel;
    const struct teg_simulation_options *options;
};

static teg_status visit_block(void *self, struct teg_block *block,
                              struct teg_diag *d)
{
    const struct notes *n = self;
    const struct teg_simulation_options *o = n->options;
    struct sample_touched touched;

    sample_lines_block(n->lines, n->kernel, block, &touched);
    TRY(note_block(n->facts, block, &touched, d));
    if (n->facts->blocks % BLOCKS_PER_ASK == 0 && o->progress != NULL &&
        o->progress(o->progress_self, n->facts->blocks, 0) != 0)
        return teg_fail(d, TEG_INTERRUPTED, "", "interrupted");
    return TEG_OK;
}

void teg_sample_facts_free(struct teg_sample_facts *f)
{
    if (f == NULL)
        return;
    free(f->work);
    free(f->first);
    free(f->kind_of);
    free(f);
}

teg_status sample_facts_look(teg_sample_open *open, void *self,
                             const struct teg_simulation_options *options,
                             struct teg_sample_facts **facts,
                             struct teg_diag *d)
{
    struct sample_lines *lines = sample_lines_new();
    struct teg_launch launch;
    struct notes notes;
    teg_status status;

    *facts = calloc(1, sizeof **facts);
    status = *facts != NULL && lines != NULL ? open(self, &launch, d)
                                             : teg_fail_memory(d);
    if (status == TEG_OK) {
        notes = (struct notes){*facts, lines, launch.kernel, options};
        status = teg_launch_walk(&launch, visit_block, &notes, d);
        if (launch.close != NULL)
            launch.close(launch.self);
    }
    sample_lines_free(lines);
    if (status != TEG_OK) {
        teg_sample_facts_free(*facts);
        *facts = NULL;
    }
    return status;
}

int sample_facts_share_lines(const struct teg_sample_facts *f)
{
    return f->lines - f->first_lines > shared_most * f->lines;
}
