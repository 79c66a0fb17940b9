/* Traces as users of the library see them: what traces/trace.h does not. */
#include "traces/trace.h"

#include <stdlib.h>
#include <string.h>

#include "isa/base/array.h"

/* What users hold; the plain options come first, so that teg_trace_open takes
 * either. */
struct held_options {
    struct teg_trace_options plain;
    char *spill; /* owned */
    char **set;  /* owned, and so is each, [plain.set_count] */
    size_t room;
};

static struct held_options *held(struct teg_trace_options *options)
{
    return (struct held_options *)(void *)options;
}

teg_status teg_trace_options_new(struct teg_trace_options **options,
                                 struct teg_diag *d)
{
    struct held_options *h = calloc(1, sizeof *h);

    *options = h != NULL ? &h->plain : NULL;
    return h != NULL ? TEG_OK : teg_fail_memory(d);
}

void teg_trace_options_free(struct teg_trace_options *options)
{
    struct held_options *h = held(options);

    if (h == NULL)
        return;
    for (uint32_t i = 0; i < h->plain.set_count; i++)
        free(h->set[i]);
    free(h->set);
    free(h->spill);
    free(h);
}

void teg_trace_options_isa(struct teg_trace_options *options, uint32_t isa)
{
    options->isa = isa;
}

void teg_trace_options_registers(struct teg_trace_options *options,
                                 uint32_t registers)
{
    options->registers = registers;
}

teg_status teg_trace_options_spill(struct teg_trace_options *options,
                                   const char *directory, struct teg_diag *d)
{
    struct held_options *h = held(options);
    char *copy = directory != NULL ? strdup(directory) : NULL;

    if (directory != NULL && copy == NULL)
        return teg_fail_memory(d);
    free(h->spill);
    h->spill = copy;
    h->plain.spill_directory = copy;
    return TEG_OK;
}

teg_status teg_trace_options_param(struct teg_trace_options *options,
                                   const char *setting, struct teg_diag *d)
{
    struct held_options *h = held(options);
    char *copy = strdup(setting);
    char **grown = copy != NULL ? teg_array_room(h->set, h->plain.set_count,
                                                 &h->room, sizeof *h->set)
                                : NULL;

    if (grown == NULL) {
        free(copy);
        return teg_fail_memory(d);
    }
    h->set = grown;
    h->set[h->plain.set_count++] = copy;
    h->plain.set = (const char *const *)h->set;
    return TEG_OK;
}

const char *teg_trace_format_text(const struct teg_trace *trace)
{
    return teg_trace_format_name(teg_trace_format(trace));
}
