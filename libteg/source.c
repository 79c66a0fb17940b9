#include "libteg/source.h"

void launch_end(struct teg_launch *launch)
{
    if (launch->close != NULL)
        launch->close(launch->self);
    *launch = (struct teg_launch){0};
}

teg_status source_init(struct source *s, const struct teg_trace *trace,
                       uint32_t kernel, uint64_t budget, struct teg_diag *d)
{
    teg_status status;

    *s = (struct source){.budget = budget};
    TRY(teg_trace_reopen(trace, kernel, &s->trace, &s->number, d));
    status = teg_trace_launch(s->trace, s->number, &s->first, d);
    if (status != TEG_OK)
        source_release(s);
    return status;
}

void source_release(struct source *s)
{
    launch_end(&s->first);
    teg_store_free(s->store);
    teg_sample_facts_free(s->facts);
    teg_trace_close(s->trace);
    *s = (struct source){0};
}

teg_status source_open(struct source *s, struct teg_launch *launch,
                       struct teg_diag *d)
{
    if (s->first.kernel != NULL) {
        *launch = s->first;
        s->first = (struct teg_launch){0};
        return TEG_OK;
    }
    *launch = (struct teg_launch){0};
    if (s->store == NULL)
        TRY(teg_store_new(s->trace, s->number, s->budget, &s->store, d));
    return teg_store_launch(s->store, launch, d);
}
