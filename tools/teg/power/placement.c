#include "tools/teg/power/placement.h"

#include "sim/models/power_model.h"
#include "tools/teg/report/report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    SETS_MAX = 64
};

struct place {
    const char *text; /* as given, [length] */
    int length;
    uint32_t sms, tpcs, fewest;
};

struct places {
    struct place place[SETS_MAX];
    uint32_t count;
};

static json_t *place_json(const struct place *p)
{
    return json_pack("{s:s#, s:i, s:i}", "sms", p->text, p->length, "tpcs",
                     (int)p->tpcs, "fewest", (int)p->fewest);
}

static json_t *values(const void *part)
{
    const struct places *places = part;
    json_t *array = json_array();

    for (uint32_t i = 0; i < places->count; i++)
        json_array_append_new(array, place_json(&places->place[i]));
    return json_pack("{s:o, s:o}", "teg", teg_json(), "placements", array);
}

static int text(FILE *f, const void *part)
{
    const struct places *places = part;
    int wide = 3;

    for (uint32_t i = 0; i < places->count; i++)
        if (places->place[i].length > wide)
            wide = places->place[i].length;
    fprintf(f, "  %-*s  %5s  %6s\n", wide, "SMs", "TPCs", "fewest");
    for (uint32_t i = 0; i < places->count; i++) {
        const struct place *p = &places->place[i];

        fprintf(f, "  %-*.*s  %5" PRIu32 "  %6" PRIu32 "\n", wide, p->length,
                p->text, p->tpcs, p->fewest);
    }
    return EXIT_DONE;
}

/* The SMs of "0-7-1-8", each once; false if that is not what it says. */
static bool read_set(const struct place *p, uint32_t chip,
                     uint32_t sm[THERMAL_SMS_MAX], uint32_t *count)
{
    const char *at = p->text, *end = p->text + p->length;
    bool seen[THERMAL_SMS_MAX] = {false};

    for (*count = 0; at < end; at++) {
        uint32_t n = 0;
        const char *start = at;

        for (; at < end && *at >= '0' && *at <= '9' && n < chip; at++)
            n = 10 * n + (uint32_t)(*at - '0');
        if (at == start || n >= chip || seen[n] || (at < end && *at != '-') ||
            at + 1 == end)
            return false;
        seen[n] = true;
        sm[(*count)++] = n;
    }
    return *count > 0;
}

static int judge(const struct teg_gpu *gpu, struct place *p)
{
    uint32_t sm[THERMAL_SMS_MAX], best[THERMAL_SMS_MAX];
    bool open[THERMAL_SMS_MAX] = {false};
    struct teg_diag d;

    if (gpu->chip.sms > THERMAL_SMS_MAX ||
        !read_set(p, gpu->chip.sms, sm, &p->sms))
        return say_usage("power",
                         "--placement: expected SMs from 0 to %" PRIu32
                         ", each once, like 0-7-1-8, found '%.*s'",
                         gpu->chip.sms - 1, p->length, p->text);
    for (uint32_t i = 0; i < p->sms; i++) {
        uint32_t tpc = teg_gpu_cluster_of(gpu, sm[i]);

        p->tpcs += !open[tpc];
        open[tpc] = true;
    }
    if (power_place(gpu, p->sms, best, &p->fewest, &d) != TEG_OK)
        return say_usage("power", "--placement: %s: %s", d.where, d.what);
    return EXIT_DONE;
}

/* Fewest TPCs first, else as given. */
static void insert(struct places *places, const struct place *p)
{
    uint32_t i = places->count++;

    for (; i > 0 && places->place[i - 1].tpcs > p->tpcs; i--)
        places->place[i] = places->place[i - 1];
    places->place[i] = *p;
}

int placement(const struct job *job, const struct opt_list *sets)
{
    static const struct view view = {
        .text = text,
        .values = values,
        .table = "placements",
    };
    struct places places = {.count = 0};

    for (uint32_t i = 0; i < sets->count; i++)
        for (const char *at = sets->item[i], *end; at != NULL; at = end) {
            struct place p = {.text = at};
            int status;

            end = strchr(at, ',');
            p.length = (int)(end != NULL ? (size_t)(end++ - at) : strlen(at));
            if (places.count == SETS_MAX)
                return say_usage("power", "--placement: at most %d sets",
                                 SETS_MAX);
            status = judge(job->gpu, &p);
            if (status != EXIT_DONE)
                return status;
            insert(&places, &p);
        }
    return view_write(&view, &places, job->format, job->out);
}
