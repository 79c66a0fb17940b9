/* The JSON of docs/json.md.  What is not modelled is null, never 0. */
#include "tools/teg/report/report.h"

#include "tools/teg/report/counters.h"
#include "tools/teg/report/instructions.h"
#include "tools/teg/report/ranking.h"

#include <math.h>

json_t *number_json(double v)
{
    return isfinite(v) ? json_real(v) : json_null();
}

static json_t *count_json(uint64_t v)
{
    return json_integer((json_int_t)v);
}

static json_t *percent(uint64_t part, uint64_t whole)
{
    return json_ratio(100 * (double)part, (double)whole);
}

json_t *kernels_json(json_t *kernels, uint32_t chosen, json_t *total)
{
    if (chosen == 1) {
        json_decref(total);
        return json_incref(json_array_get(kernels, 0));
    }
    return json_pack("{s:o, s:O, s:o*}", "teg", teg_json(), "kernels", kernels,
                     "total", total);
}

static json_t *triple_json(const uint32_t v[3])
{
    return json_pack("[i, i, i]", (int)v[0], (int)v[1], (int)v[2]);
}

static json_t *known_or_null(uint32_t v)
{
    return v != 0 ? count_json(v) : json_null();
}

json_t *kernel_json(const struct result *r)
{
    const struct teg_statistics *s = r->replay->s;
    struct counter_rows counters = {.s = s, .kind = COUNTER_KERNEL};
    json_t *o = json_pack(
        "{s:s, s:o, s:i, s:o, s:o, s:o, s:o, s:i, s:o}", "name", s->name,
        "demangled", demangled_json(s->name), "number", (int)r->number,
        "launches", count_json(replay_launches(r->replay)), "grid",
        triple_json(s->grid), "block", triple_json(s->block), "registers",
        known_or_null(s->registers), "shared_bytes", (int)s->shared_bytes,
        "isa", known_or_null(s->isa));

    put_counters(o, &counters, NULL);
    return o;
}

/* What was simulated of the launch and how far off the cycles may be; null:
 * all of it, and they are exact. */
static json_t *sample_json(const struct teg_sample *s)
{
    if (!s->used)
        return json_null();
    return json_pack(
        "{s:f, s:f, s:I, s:I, s:I, s:I, s:i, s:f, s:i, s:i}",
        "error_bound_percent", 100 * s->error_bound, "simulated_percent",
        100 * (double)s->instructions_simulated / (double)s->instructions,
        "simulated_instructions", (json_int_t)s->instructions_simulated,
        "represented_instructions", (json_int_t)s->instructions,
        "simulated_blocks", (json_int_t)s->blocks_simulated,
        "represented_blocks", (json_int_t)s->blocks, "sms",
        (int)s->sms_simulated, "waves", s->waves, "waves_simulated",
        (int)s->waves_simulated, "block_kinds", (int)s->kinds);
}

/* Which launch was simulated instead; null: this one was. */
static json_t *represented_json(const struct replay_represented *r)
{
    if (!r->used)
        return json_null();
    return json_pack("{s:s, s:i, s:b, s:f, s:f}", "trace", r->trace, "kernel",
                     (int)r->kernel, "identical", r->identical,
                     "similarity_percent", 100 * r->similarity,
                     "error_bound_percent", 100 * r->error_bound);
}

static json_t *occupancy_json(const struct teg_occupancy *o)
{
    return json_pack(
        "{s:i, s:i, s:s, s:i, s:i, s:i}", "blocks_per_sm",
        (int)o->blocks_per_sm, "warps_per_sm", (int)o->warps_per_sm, "limiter",
        teg_occupancy_limit_name(o->limit), "places", (int)o->places,
        "carveout_bytes", (int)o->carveout_bytes, "l1_bytes", (int)o->l1_bytes);
}

static json_t *unit_json(const struct teg_statistics *s, uint32_t i,
                         const char *name)
{
    const struct teg_unit_statistics *u = &s->unit[i];
    struct counter_rows counters = {
        .s = s, .kind = COUNTER_PER_UNIT, .item = i};
    json_t *o = json_pack("{s:s}", "name", name);

    put_counters(o, &counters, "busy_cycles");
    json_object_set_new(o, "active_percent",
                        percent(u->busy_cycles, s->cycles * u->instances));
    json_object_set_new(
        o, "mean_load",
        json_ratio((double)u->load_cycles, (double)(s->cycles * s->sms)));
    put_counters(o, &counters, NULL);
    return o;
}

static json_t *units_json(const struct result *r)
{
    json_t *array = json_array();

    for (uint32_t i = 0; i < r->replay->s->unit_count; i++)
        json_array_append_new(
            array, unit_json(r->replay->s, i, r->replay->gpu->unit[i].name));
    return array;
}

static json_t *stalls_json(const struct teg_statistics *s)
{
    json_t *array = json_array();

    for (uint32_t i = 0; i < TEG_STALLS; i++) {
        struct counter_rows counters = {
            .s = s, .kind = COUNTER_PER_STALL, .item = i};
        json_t *o = json_pack("{s:s}", "reason", teg_stall_label(i));

        put_counters(o, &counters, "warp_cycles");
        json_object_set_new(o, "percent",
                            percent(s->stall[i], s->resident_warp_cycles));
        put_counters(o, &counters, NULL);
        json_array_append_new(array, o);
    }
    return array;
}

static json_t *cache_percent(uint32_t bytes, uint64_t hits, uint64_t sectors)
{
    return bytes != 0 ? percent(hits, sectors) : json_null();
}

static json_t *memory_json(const struct teg_statistics *s,
                           const struct teg_gpu *gpu)
{
    const struct teg_memory_statistics *m = &s->memory;
    struct counter_rows counters = {.s = s, .kind = COUNTER_MEMORY};
    json_t *o = json_object();

    put_counters(o, &counters, "transactions");
    json_object_set_new(
        o, "transactions_per_request",
        json_ratio((double)m->transactions, (double)m->global_requests));
    put_counters(o, &counters, "shared_requests");
    json_object_set_new(
        o, "shared_conflict_degree",
        json_ratio((double)m->shared_passes, (double)m->shared_groups));
    put_counters(o, &counters, "constant_l15_hits");
    json_object_set_new(
        o, "l1_hit_percent",
        cache_percent(gpu->l1.bytes, m->l1_hits, m->l1_sectors));
    json_object_set_new(
        o, "l2_hit_percent",
        cache_percent(gpu->l2.bytes, m->l2_hits, m->l2_sectors));
    put_counters(o, &counters, "dram_bytes");
    json_object_set_new(o, "dram_gbs",
                        s->cycles > 0 ? number_json(dram_gbs(s, gpu))
                                      : json_null());
    json_object_set_new(o, "channel_skew",
                        json_ratio((double)s->channel_bytes_max * s->channels,
                                   (double)s->channel_bytes_sum));
    put_counters(o, &counters, NULL);
    return o;
}

static json_t *terms_json(const struct teg_estimate *e)
{
    json_t *o = json_object();

    for (uint32_t i = 0; i < e->term_count; i++)
        json_object_set_new(o, e->term[i].name, number_json(e->term[i].value));
    return o;
}

json_t *model_json(const struct teg_estimate *e, double simulated)
{
    if (!e->applicable)
        return json_pack("{s:s, s:n, s:n, s:n, s:s, s:o}", "name", e->model,
                         "cycles", "ratio_to_simulated", "limiter", "why",
                         e->why, "terms", terms_json(e));
    return json_pack(
        "{s:s, s:o, s:o, s:s, s:s, s:o}", "name", e->model, "cycles",
        number_json(e->cycles), "ratio_to_simulated",
        isfinite(e->cycles) ? json_ratio(e->cycles, simulated) : json_null(),
        "limiter", e->limiter, "advice", e->advice, "terms", terms_json(e));
}

static json_t *models_json(const struct result *r)
{
    json_t *array = json_array();

    for (uint32_t i = 0; i < r->estimate_count; i++)
        json_array_append_new(
            array, model_json(&r->estimate[i], (double)r->replay->s->cycles));
    return array;
}

static json_t *verdict_json(const struct verdict *v)
{
    json_t *shares = json_object();

    for (uint32_t i = 0; i < v->share_count; i++)
        json_object_set_new(shares, v->share[i].name,
                            number_json(100 * v->share[i].share));
    return json_pack("{s:s, s:s, s:o}", "bound", v->bound, "text", v->text,
                     "used_percent", shares);
}

static void append_notes(json_t *array, const struct teg_notes *notes)
{
    for (size_t i = 0; notes != NULL && i < notes->count; i++) {
        const struct teg_note *n = &notes->note[i];

        json_array_append_new(array,
                              json_pack("{s:s, s:s, s:s, s:o}", "kind", n->kind,
                                        "where", n->where, "what", n->what,
                                        "count", count_json(n->count)));
    }
}

static json_t *notes_json(const struct result *r)
{
    json_t *array = json_array();
    uint32_t count;
    const struct result_remark *remark = result_remarks(&count);
    char text[256];

    for (uint32_t i = 0; i < count; i++) {
        if (remark[i].say(r, text, sizeof text))
            json_array_append_new(
                array,
                json_pack("{s:s, s:s, s:s, s:o}", "kind", remark[i].kind,
                          "where", r->replay->s->name, "what", text, "count",
                          count_json(remark[i].count != NULL
                                         ? remark[i].count(r)
                                         : 1)));
    }
    append_notes(array, r->trace_notes);
    append_notes(array, &r->replay->launch.kernel->notes);
    return array;
}

static json_t *what_ifs_json(const struct opt_list *list)
{
    json_t *array = json_array();

    for (uint32_t i = 0; list != NULL && i < list->count; i++)
        json_array_append_new(array, json_text(list->item[i]));
    return array;
}

/* Null: not asked for. */
static json_t *as_measured_json(const struct replay *r)
{
    return r->measured_by != TEG_MEASURED_BY_NOBODY
               ? number_json(replay_as_measured_us(r))
               : json_null();
}

json_t *result_json(const struct result *r)
{
    const struct teg_statistics *s = r->replay->s;
    const struct teg_gpu *gpu = r->replay->gpu;
    struct counter_rows counters = {.s = s, .kind = COUNTER_RUN};
    json_t *o = json_object();

    json_object_set_new(o, "teg", teg_json());
    json_object_set_new(o, "gpu", gpu_json(gpu));
    json_object_set_new(o, "kernel", kernel_json(r));
    json_object_set_new(o, "what_if", what_ifs_json(r->what_ifs));
    json_object_set_new(o, "caches",
                        json_text(caches_names[r->replay->caches]));
    json_object_set_new(o, "incomplete", json_boolean(r->replay->incomplete));
    json_object_set_new(o, "sampled", sample_json(&r->replay->sample));
    json_object_set_new(o, "represented",
                        represented_json(&r->replay->represented));
    json_object_set_new(o, "cluster_kernels",
                        count_json(r->replay->cluster_kernels != 0
                                       ? r->replay->cluster_kernels
                                       : 1));
    json_object_set_new(o, "occupancy", occupancy_json(&s->occupancy));
    put_counters(o, &counters, "cycles");
    json_object_set_new(
        o, "time_us", number_json((double)s->cycles / gpu->chip.sm_clock_mhz));
    json_object_set_new(
        o, "ipc", json_ratio((double)s->warp_instructions, (double)s->cycles));
    json_object_set_new(o, "as_measured_us", as_measured_json(r->replay));
    json_object_set_new(o, "units", units_json(r));
    put_counters(o, &counters, NULL);
    json_object_set_new(o, "stalls", stalls_json(s));
    json_object_set_new(o, "memory", memory_json(s, gpu));
    json_object_set_new(o, "models", models_json(r));
    json_object_set_new(o, "verdict", verdict_json(&r->verdict));
    json_object_set_new(o, "findings", findings_json(r->findings, r->places));
    if (r->by_pc != NULL)
        json_object_set_new(o, "instructions", instructions_json(r->by_pc));
    if (r->ranked && r->ranking != NULL)
        json_object_set_new(o, "ranking", ranking_json(r->ranking));
    json_object_set_new(o, "notes", notes_json(r));
    return o;
}

json_t *totals_json(const struct totals *t)
{
    return json_pack(
        "{s:i, s:o, s:o, s:o, s:o, s:o, s:o, s:i, s:i, s:o, s:o, s:o, s:b}",
        "kernels", (int)t->kernels, "launches", count_json(t->launches),
        "cycles", count_json(t->cycles), "time_us", number_json(t->time_us),
        "as_measured_us",
        t->as_measured_us > 0 ? number_json(t->as_measured_us) : json_null(),
        "warp_instructions", count_json(t->warp_instructions), "ipc",
        json_ratio((double)t->warp_instructions, (double)t->cycles),
        "simulated_kernels", (int)(t->kernels - t->represented_kernels),
        "represented_kernels", (int)t->represented_kernels,
        "simulated_instructions", count_json(t->simulated_instructions),
        "simulated_percent",
        percent(t->simulated_instructions, t->warp_instructions),
        "error_bound_percent",
        json_ratio(100 * t->error_cycles, (double)t->cycles), "incomplete",
        t->incomplete);
}
