#include "tools/teg/report/page/make.h"

#include "tools/teg/pool/pool.h"
#include "tools/teg/report/instructions.h"
#include "tools/teg/report/viewers.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum {
    POINTS_MAX = 200000 /* what viewers take in with ease */
};

/* ---- the page -------------------------------------------------------------------- */

static int digest(const char *path, struct page *page)
{
    unsigned char buffer[1 << 14];
    uLong crc = crc32(0, NULL, 0);
    FILE *f = fopen(path, "rb");
    struct teg_diag d;
    size_t got;

    if (f == NULL) {
        teg_fail_errno(&d, path, "open");
        return say_fault(&d);
    }
    while ((got = fread(buffer, 1, sizeof buffer, f)) > 0) {
        crc = crc32(crc, buffer, (uInt)got);
        page->trace_bytes += got;
    }
    fclose(f);
    page->crc = (uint32_t)crc;
    return EXIT_DONE;
}

static int write_page(struct page_request *r, const struct replay *replay)
{
    struct result result = {
        .number = r->job.kernel[0] + 1,
        .what_ifs = &r->what_ifs,
        .trace_notes = teg_trace_notes(r->job.trace),
        .by_pc = &r->by_pc,
        .places = &r->by_pc,
        .ranking = r->ranking ? &r->rank : NULL,
    };
    struct page page = {
        .result = &result,
        .chip = r->chip,
        .one = r->one,
        .sub = r->sub,
        .sub_cores = r->sub_cores,
        .sms = &r->sms,
        .ranking = r->ranking ? &r->rank : NULL,
        .critical = r->sequenced ? &r->sequence : NULL,
        .trace = r->job.path,
        .script = r->library->script,
        .style = r->library->style,
    };
    struct output out;
    bool whole = !replay->sample.used;
    int status = whole ? digest(r->job.path, &page) : EXIT_DONE;

    if (status == EXIT_DONE && (r->by_pc.failed || r->sms.failed))
        status = say_memory();
    if (status == EXIT_DONE)
        status = result_init(&result, replay);
    if (status == EXIT_DONE && whole)
        status = output_open(&out, r->job.out);
    if (status == EXIT_DONE && whole) {
        status = page_write(out.file, &page);
        if (status == EXIT_DONE)
            status = output_close(&out);
        else
            output_abandon(&out);
    }
    r->verdict = result.verdict;
    r->findings = result.findings;
    result.findings = NULL;
    result_release(&result);
    return status;
}

/* A viewer's file alone needs no page. */
static bool wants_page(const struct page_request *r)
{
    return r->job.out != NULL || (r->perfetto == NULL && r->konata == NULL);
}

static int write_all(struct page_request *r, const struct replay *replay)
{
    int status = EXIT_DONE;

    if (r->perfetto != NULL)
        status = write_perfetto(r->perfetto, replay, r->chip, r->one, &r->sms,
                                &r->points);
    if (status == EXIT_DONE && r->konata != NULL)
        status = write_konata(r->konata, &r->points);
    if (status == EXIT_DONE && wants_page(r))
        status = write_page(r, replay);
    return status;
}

static int rank(struct page_request *r, const struct replay *replay)
{
    const struct evidence evidence = {
        .s = replay->s,
        .gpu = replay->gpu,
        .part = replay->sample.used,
        .by_pc = &r->by_pc,
    };
    struct trials first = {0};
    int status;

    if (!r->ranking || !wants_page(r))
        return EXIT_DONE;
    status = verdict_trials(&evidence, &first);
    if (status != EXIT_DONE)
        return status;
    first.only = r->promising;
    r->rank.job = r->job;
    r->rank.always = &r->what_ifs;
    r->rank.first = &first;
    whatif_follow(&r->rank, replay, r->sampling);
    status = whatif_measure_one(&r->rank, r->job.kernel[0], replay->before);
    r->rank.first = NULL;
    return status;
}

static int follow(struct page_request *r)
{
    int status;

    if (!r->critical || !wants_page(r))
        return EXIT_DONE;
    status = critical_measure(&r->sequence, &r->job, &r->what_ifs);
    r->sequenced = status == EXIT_DONE;
    /* Why there is none has been said; the page has more. */
    return status == EXIT_FAULT ? EXIT_DONE : status;
}

enum {
    EARS = 4
};

/* Instructions only for those who look at them: they come last. */
static uint32_t listen(struct page_request *r, struct sim_listener *listener)
{
    uint32_t count = 0;

    listener[count++] = by_pc_listener(&r->by_pc);
    listener[count++] = timeline_listener(r->chip);
    listener[count++] = sm_load_listener(&r->sms);
    timeline_add_part(r->chip, r->one);
    for (uint32_t i = 0; i < r->sub_cores && wants_page(r); i++)
        timeline_add_part(r->one, &r->sub[i]);
    if (r->perfetto != NULL || r->konata != NULL)
        listener[count++] = pc_trace_listener(&r->points);
    return count;
}

static int replay_and_write(struct page_request *r)
{
    struct sim_listener listener[EARS];
    struct replay_options options = {
        .what_ifs = &r->what_ifs,
        .threads = r->rank.jobs != 0 ? r->rank.jobs : pool_cores(),
        .label = "report",
        .sampling = r->sampling,
        .listener = listener,
        .carried = r->carried,
        .keep_before = r->ranking,
        .keep_after = r->ranking};
    struct replay replay;
    int status, ranked, written;

    options.listeners = listen(r, listener);
    status = replay_init(&replay, &r->job, r->job.kernel[0], &options);
    if (status != EXIT_DONE && status != EXIT_INTERRUPTED)
        return status;
    by_pc_scale(&r->by_pc, teg_sample_scale(&replay.sample));
    ranked = status == EXIT_DONE ? rank(r, &replay) : EXIT_INTERRUPTED;
    if (ranked == EXIT_DONE && r->ranking)
        ranked = hints_find(&r->hints, &r->rank, &r->by_pc,
                            replay.s->resident_warp_cycles);
    most_waiting(&r->by_pc, replay.s->resident_warp_cycles, r->waiting,
                 sizeof r->waiting);
    if (ranked == EXIT_DONE)
        ranked = follow(r);
    written = ranked == EXIT_DONE || ranked == EXIT_INTERRUPTED
                  ? write_all(r, &replay)
                  : ranked;
    replay_release(&replay);
    return written != EXIT_DONE ? written : ranked;
}

static void open_timeline(const struct page_request *r, struct timeline *t,
                          uint32_t sm, uint32_t scheduler)
{
    timeline_init(t, sm);
    t->choice.scheduler = scheduler;
    t->choice.from = r->window.from;
    t->choice.to = r->window.to;
}

int page_make(struct page_request *r)
{
    struct pc_trace_choice choice = window_choice(&r->window, POINTS_MAX);
    int status = EXIT_DONE;

    by_pc_init(&r->by_pc);
    sm_load_init(&r->sms);
    pc_trace_init(&r->points, &choice);
    r->sub_cores = r->job.gpu->sm.schedulers;
    r->chip = malloc(sizeof *r->chip);
    r->one = malloc(sizeof *r->one);
    r->sub = calloc(r->sub_cores, sizeof *r->sub);
    if (r->chip == NULL || r->one == NULL || r->sub == NULL)
        status = say_memory();
    if (status == EXIT_DONE) {
        open_timeline(r, r->chip, TIMELINE_ALL, TIMELINE_ALL);
        open_timeline(r, r->one, r->window.sm, TIMELINE_ALL);
        for (uint32_t i = 0; i < r->sub_cores; i++)
            open_timeline(r, &r->sub[i], r->window.sm, i);
        if (wants_page(r))
            status = dygraphs_find(r->library);
        if (status == EXIT_DONE)
            status = replay_and_write(r);
    }
    return status;
}

void page_release(struct page_request *r)
{
    by_pc_release(&r->by_pc);
    sm_load_release(&r->sms);
    pc_trace_release(&r->points);
    free(r->chip);
    free(r->one);
    free(r->sub);
    free(r->rank.toggle);
    free(r->findings);
    if (r->sequenced)
        critical_sequence_release(&r->sequence);
    *r = (struct page_request){0};
}
