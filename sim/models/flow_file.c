/*
 * Reads a data-flow file with libconfig.  Every number passes through
 * value_of, which knows the flow_setting and so the line.
 */
#include "sim/models/flow_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/text.h"
#include "isa/base/nearest.h"
#include "sim/models/flow_value.h"
#include "sim/models/peak.h"

enum {
    THREADS = 256 /* of an SM, whose share of it a thread has (Lai 2.4.2) */
};

/* A description under construction. */
struct builder {
    struct flow_file *f;
    const struct flow_machine *m;
    struct dataflow *out;
    struct teg_diag *d;
    uint32_t groups;
};

/* ---- parameters --------------------------------------------------------------- */

static teg_status read_parameter(struct flow_file *f, flow_setting s,
                                 struct teg_diag *d)
{
    static const char *const keys[] = {"name", "value", "help", NULL};
    struct flow_parameter *p = &f->parameter[f->parameters];
    flow_setting value = flow_member(s, "value");

    TRY(flow_check_keys(f, s, keys, d));
    TRY(flow_text(f, s, "name", NULL, &p->name, d));
    TRY(flow_text(f, s, "help", "", &p->help, d));
    if (value == NULL)
        return FLOW_FAIL(
            f, s, d, "%s: expected 'value', or value = \"unknown\"", p->name);
    if (config_setting_type(value) == CONFIG_TYPE_STRING &&
        strcmp(config_setting_get_string(value), "unknown") == 0)
        p->value = nan("");
    else
        TRY(flow_value(f, value, -HUGE_VAL, &p->value, d));
    f->parameters++;
    return TEG_OK;
}

static teg_status read_parameters(struct flow_file *f, struct teg_diag *d)
{
    flow_setting list;

    TRY(flow_list(f, flow_root(f), "parameters", FLOW_PARAMETERS_MAX, &list,
                  d));
    for (int i = 0; i < flow_length(list); i++)
        TRY(read_parameter(f, config_setting_get_elem(list, (unsigned)i), d));
    return TEG_OK;
}

const struct flow_parameter *flow_file_parameters(const struct flow_file *f,
                                                  uint32_t *count)
{
    *count = f->parameters;
    return f->parameter;
}

teg_status flow_file_set(struct flow_file *f, const char *text,
                         struct teg_diag *d)
{
    size_t length = strcspn(text, "=");
    struct teg_nearest nearest;
    char name[FLOW_NAME_SIZE];

    snprintf(name, sizeof name, "%.*s", (int)length, text);
    if (text[length] != '=')
        return teg_fail(d, TEG_FORMAT, "",
                        "expected NAME=NUMBER, found '%.60s'", text);
    teg_nearest_init(&nearest, name);
    for (uint32_t i = 0; i < f->parameters; i++) {
        struct flow_parameter *p = &f->parameter[i];
        char *end;

        teg_nearest_offer(&nearest, p->name);
        if (strcmp(p->name, name) != 0)
            continue;
        p->value = strtod(text + length + 1, &end);
        if (strcmp(text + length + 1, "unknown") == 0)
            p->value = nan("");
        else if (end == text + length + 1 || *end != '\0' ||
                 !isfinite(p->value))
            return teg_fail(d, TEG_FORMAT, name,
                            "expected a number, found '%.60s'",
                            text + length + 1);
        return TEG_OK;
    }
    return teg_fail(d, TEG_UNKNOWN, "", "unknown parameter '%s'%s%s%s", name,
                    nearest.best != NULL ? "; did you mean '" : "",
                    nearest.best != NULL ? nearest.best : "",
                    nearest.best != NULL ? "'?" : "");
}

/* ---- machines -------------------------------------------------------------------- */

static const struct {
    const char *key;
    size_t offset;
} machine_numbers[] = {
    {"peak_half", offsetof(struct flow_machine, peak_half)},
    {"peak_single", offsetof(struct flow_machine, peak_single)},
    {"peak_double", offsetof(struct flow_machine, peak_double)},
    {"shared_gbs", offsetof(struct flow_machine, shared_gbs)},
    {"sm_gbs", offsetof(struct flow_machine, sm_gbs)},
    {"l2_gbs", offsetof(struct flow_machine, l2_gbs)},
    {"dram_gbs", offsetof(struct flow_machine, dram_gbs)},
    {"thread_bytes", offsetof(struct flow_machine, thread_bytes)},
};

teg_status flow_file_machine(const struct flow_file *f, struct flow_machine *m,
                             struct teg_diag *d)
{
    static const char *const keys[] = {
        "name",       "title",     "peak_half", "peak_single", "peak_double",
        "shared_gbs", "sm_gbs",    "l2_gbs",    "dram_gbs",    "thread_bytes",
        "core_path",  "device_io", "spare_arithmetic", NULL};
    flow_setting s = flow_member(flow_root(f), "machine");

    if (s == NULL)
        return teg_fail(d, TEG_UNKNOWN, f->path,
                        "describes no machine; a GPU is needed");
    TRY(flow_check_keys(f, s, keys, d));
    *m = (struct flow_machine){0};
    TRY(flow_text(f, s, "name", NULL, &m->name, d));
    TRY(flow_text(f, s, "title", m->name, &m->title, d));
    for (size_t i = 0; i < sizeof machine_numbers / sizeof *machine_numbers;
         i++)
        TRY(flow_number(f, s, machine_numbers[i].key, 0, 0,
                        (double *)((char *)m + machine_numbers[i].offset), d));
    TRY(flow_flag(f, s, "core_path", &m->core_path, d));
    TRY(flow_flag(f, s, "spare_arithmetic", &m->spare_arithmetic, d));
    return flow_flag(f, s, "device_io", &m->device_io, d);
}

void flow_machine_of(struct flow_machine *m, const struct teg_gpu *gpu)
{
    double ghz = gpu->chip.sm_clock_mhz / 1000;
    double lanes = 2.0 * TEG_LANES * gpu->chip.sms * ghz;

    *m = (struct flow_machine){
        .name = gpu->name,
        .title = gpu->title,
        .peak_half = 2 * lanes * peak_class(gpu, CLASS_HALF),
        .peak_single = 2 * peak_stated_lanes(gpu) * gpu->chip.sms * ghz,
        .peak_double = lanes * peak_class(gpu, CLASS_DFMA),
        .shared_gbs = peak_shared_bytes(gpu) * gpu->chip.sms * ghz,
        .sm_gbs = peak_link_bytes(gpu) * gpu->chip.sms * ghz,
        .l2_gbs = peak_l2_bytes(gpu) * ghz,
        .dram_gbs = peak_dram_bytes(gpu) * ghz,
        .thread_bytes =
            (4.0 * gpu->sm.registers + gpu->sm.shared_bytes) / THREADS,
        /* Clusters of blocks with distributed shared memory, since Hopper. */
        .core_path = gpu->chip.compute_capability >= 90,
        .spare_arithmetic = 1, /* "a lot of computation power" (2.4.2) */
    };
}

/* ---- links ------------------------------------------------------------------------- */

/* Adds it; gbs 0: there is no such link here, and what crosses it does not. */
static int add_link(struct builder *b, const char *name, double gbs,
                    double efficiency)
{
    b->out->link[b->out->links] = (struct dataflow_link){name, gbs, efficiency};
    return (int)b->out->links++;
}

static teg_status find_own(struct builder *b, const char *name, double *gbs,
                           double *efficiency, int *found)
{
    static const char *const keys[] = {"name", "gbs", "efficiency", NULL};
    flow_setting list;

    *found = 0;
    TRY(flow_list(b->f, flow_root(b->f), "links", DATAFLOW_LINKS_MAX, &list,
                  b->d));
    for (int i = 0; i < flow_length(list); i++) {
        flow_setting s = config_setting_get_elem(list, (unsigned)i);
        const char *own;

        TRY(flow_check_keys(b->f, s, keys, b->d));
        TRY(flow_text(b->f, s, "name", NULL, &own, b->d));
        if (strcmp(own, name) != 0)
            continue;
        *found = 1;
        TRY(flow_number(b->f, s, "gbs", (double)NAN, 0, gbs, b->d));
        TRY(flow_number(b->f, s, "efficiency", 1, 0, efficiency, b->d));
        if (isnan(*gbs) || isnan(*efficiency))
            return FLOW_FAIL(b->f, s, b->d,
                             "%s: an unknown parameter is needed", name);
    }
    return TEG_OK;
}

static teg_status find_link(struct builder *b, flow_setting s, const char *name,
                            int *link)
{
    const struct {
        const char *name;
        double gbs;
    } known[] = {{"dram", b->m->dram_gbs},
                 {"l2", b->m->l2_gbs},
                 {"sm", b->m->sm_gbs},
                 {"shared", b->m->shared_gbs}};
    double gbs = 0, efficiency = 1;
    int own;

    for (uint32_t i = 0; i < b->out->links; i++) {
        if (strcmp(b->out->link[i].name, name) == 0) {
            *link = (int)i;
            return TEG_OK;
        }
    }
    TRY(find_own(b, name, &gbs, &efficiency, &own));
    for (size_t i = 0; !own && i < sizeof known / sizeof *known; i++) {
        if (strcmp(known[i].name, name) != 0)
            continue;
        if (known[i].gbs <= 0)
            return FLOW_FAIL(b->f, s, b->d, "link: %s has no '%s'", b->m->name,
                             name);
        gbs = known[i].gbs;
        own = 1;
    }
    if (!own)
        return FLOW_FAIL(
            b->f, s, b->d,
            "link: expected dram, l2, sm, shared or one of 'links', "
            "found '%s'",
            name);
    if (b->out->links == DATAFLOW_LINKS_MAX)
        return FLOW_FAIL(b->f, s, b->d, "link: more than %d",
                         DATAFLOW_LINKS_MAX);
    *link = gbs > 0 ? add_link(b, name, gbs, efficiency) : -1;
    return TEG_OK;
}

/* ---- data -------------------------------------------------------------------------- */

static teg_status add_flow(struct builder *b, flow_setting s, const char *name,
                           const char *part, int link, double bytes,
                           uint32_t group)
{
    struct dataflow *out = b->out;
    char *full;

    if (link < 0)
        return TEG_OK;
    if (out->flows == DATAFLOW_FLOWS_MAX)
        return FLOW_FAIL(b->f, s, b->d, "data: more than %d flows",
                         DATAFLOW_FLOWS_MAX);
    full = b->f->flow_name[out->flows];
    snprintf(full, sizeof b->f->flow_name[0], "%.80s%s%.40s", name,
             part[0] != '\0' ? "/" : "", part);
    out->flow[out->flows++] =
        (struct dataflow_flow){full, (uint32_t)link, bytes, group};
    return TEG_OK;
}

/* A datum cut into shares; the one without a share is what the others leave. */
static teg_status add_parts(struct builder *b, flow_setting list,
                            const char *name, int link, double bytes)
{
    static const char *const keys[] = {"name", "share", NULL};
    double known = 0, share[DATAFLOW_FLOWS_MAX];
    int rests = 0, count = flow_length(list);

    b->out->group_bytes[++b->groups] = bytes;
    for (int i = 0; i < count; i++) {
        flow_setting s = config_setting_get_elem(list, (unsigned)i);

        TRY(flow_check_keys(b->f, s, keys, b->d));
        TRY(flow_number(b->f, s, "share", -1, 0, &share[i], b->d));
        rests += share[i] < 0;
        known += share[i] < 0 ? 0 : share[i];
    }
    if (rests != 1 || known > 1 + 1e-9)
        return FLOW_FAIL(
            b->f, list, b->d,
            "%s: expected shares of at most 1 together, and one part "
            "without",
            name);
    for (int i = 0; i < count; i++) {
        flow_setting s = config_setting_get_elem(list, (unsigned)i);
        const char *part;

        TRY(flow_text(b->f, s, "name", NULL, &part, b->d));
        TRY(add_flow(b, s, name, part, link,
                     bytes * (share[i] < 0 ? 1 - known : share[i]), b->groups));
    }
    return TEG_OK;
}

static teg_status add_datum(struct builder *b, flow_setting s)
{
    static const char *const keys[] = {"name", "bytes", "uses",
                                       "link", "parts", NULL};
    const char *name, *link_name;
    double bytes, uses;
    flow_setting parts;
    int link;

    TRY(flow_check_keys(b->f, s, keys, b->d));
    TRY(flow_text(b->f, s, "name", NULL, &name, b->d));
    TRY(flow_text(b->f, s, "link", "dram", &link_name, b->d));
    TRY(flow_number(b->f, s, "bytes", (double)NAN, 0, &bytes, b->d));
    TRY(flow_number(b->f, s, "uses", 1, 0, &uses, b->d));
    TRY(flow_list(b->f, s, "parts", DATAFLOW_FLOWS_MAX, &parts, b->d));
    TRY(find_link(b, s, link_name, &link));
    if (parts != NULL && isnan(bytes * uses))
        return FLOW_FAIL(b->f, s, b->d,
                         "%s: its parts need known bytes and uses", name);
    return parts != NULL ? add_parts(b, parts, name, link, bytes * uses)
                         : add_flow(b, s, name, "", link, bytes * uses, 0);
}

static teg_status add_data(struct builder *b)
{
    flow_setting list;

    TRY(flow_list(b->f, flow_root(b->f), "data", DATAFLOW_FLOWS_MAX, &list,
                  b->d));
    if (flow_length(list) == 0)
        return teg_fail(b->d, TEG_FORMAT, b->f->path, "expected 'data'");
    for (int i = 0; i < flow_length(list); i++)
        TRY(add_datum(b, config_setting_get_elem(list, (unsigned)i)));
    return TEG_OK;
}

/* ---- patterns ------------------------------------------------------------------------- */

/* "gauge" is the datum and all its parts, "gauge/inside" one of them. */
static int is_named(const char *flow, const char *name)
{
    size_t length = strlen(name);

    return strncmp(flow, name, length) == 0 &&
           (flow[length] == '\0' || flow[length] == '/');
}

/* A datum of a link that is not there has no flow, and that is no fault. */
static int is_datum(const struct flow_file *f, const char *name)
{
    flow_setting list = flow_member(flow_root(f), "data");
    char own[FLOW_NAME_SIZE + 16];
    const char *text;

    snprintf(own, sizeof own, "%.*s", (int)strcspn(name, "/"), name);
    for (int i = 0; i < flow_length(list); i++) {
        flow_setting s = config_setting_get_elem(list, (unsigned)i);

        if (flow_text(f, s, "name", NULL, &text, NULL) == TEG_OK &&
            (strcmp(text, own) == 0 || strcmp(text, name) == 0))
            return 1;
    }
    return 0;
}

static teg_status add_edit(struct builder *b, flow_setting s,
                           struct dataflow_pattern *p)
{
    static const char *const keys[] = {"data", "factor", NULL};
    const char *name;
    uint32_t before = p->edits;
    double by;

    TRY(flow_check_keys(b->f, s, keys, b->d));
    TRY(flow_text(b->f, s, "data", NULL, &name, b->d));
    TRY(flow_number(b->f, s, "factor", (double)NAN, 0, &by, b->d));
    if (isnan(by))
        return FLOW_FAIL(b->f, s, b->d,
                         "factor: an unknown parameter is needed");
    for (uint32_t i = 0; i < b->out->flows; i++) {
        if (!is_named(b->out->flow[i].name, name))
            continue;
        if (p->edits == DATAFLOW_EDITS_MAX)
            return FLOW_FAIL(b->f, s, b->d, "edits: more than %d flows",
                             DATAFLOW_EDITS_MAX);
        p->edit[p->edits].flow = i;
        p->edit[p->edits++].factor = by;
    }
    if (p->edits == before &&
        (strchr(name, '/') != NULL || !is_datum(b->f, name)))
        return FLOW_FAIL(b->f, s, b->d, "data: nothing is called '%s'", name);
    return TEG_OK;
}

static teg_status add_needs(struct builder *b, flow_setting s,
                            struct dataflow_pattern *p, char *why, size_t size)
{
    static const char *const keys[] = {"thread_bytes", "core_path", "device_io",
                                       "spare_arithmetic", NULL};
    double bytes;
    int path, io, spare;

    p->feasible = 1;
    p->why = why;
    why[0] = '\0';
    if (s == NULL)
        return TEG_OK;
    TRY(flow_check_keys(b->f, s, keys, b->d));
    TRY(flow_number(b->f, s, "thread_bytes", 0, 0, &bytes, b->d));
    TRY(flow_flag(b->f, s, "core_path", &path, b->d));
    TRY(flow_flag(b->f, s, "device_io", &io, b->d));
    TRY(flow_flag(b->f, s, "spare_arithmetic", &spare, b->d));
    if (isnan(bytes))
        return FLOW_FAIL(b->f, s, b->d,
                         "thread_bytes: an unknown parameter is needed");
    if (bytes > b->m->thread_bytes)
        snprintf(why, size,
                 "needs %.4g bytes a thread on the chip, has %.4g (%d threads)",
                 bytes, b->m->thread_bytes, THREADS);
    else if (path && !b->m->core_path)
        snprintf(why, size, "no path between the cores");
    else if (io && !b->m->device_io)
        snprintf(why, size, "no I/O of its own");
    else if (spare && !b->m->spare_arithmetic)
        snprintf(why, size, "no arithmetic to spare");
    p->feasible = why[0] == '\0';
    return TEG_OK;
}

static teg_status add_pattern(struct builder *b, flow_setting s)
{
    static const char *const keys[] = {"name", "help", "edits", "needs", NULL};
    struct dataflow_pattern *p = &b->out->pattern[b->out->patterns];
    char *why = b->f->why[b->out->patterns];
    flow_setting edits;

    TRY(flow_check_keys(b->f, s, keys, b->d));
    TRY(flow_text(b->f, s, "name", NULL, &p->name, b->d));
    TRY(flow_text(b->f, s, "help", "", &p->help, b->d));
    TRY(flow_list(b->f, s, "edits", DATAFLOW_EDITS_MAX, &edits, b->d));
    if (flow_length(edits) == 0)
        return FLOW_FAIL(b->f, s, b->d, "%s: expected 'edits'", p->name);
    for (int i = 0; i < flow_length(edits); i++)
        TRY(add_edit(b, config_setting_get_elem(edits, (unsigned)i), p));
    TRY(add_needs(b, flow_member(s, "needs"), p, why, sizeof b->f->why[0]));
    b->out->patterns++;
    return TEG_OK;
}

static teg_status add_patterns(struct builder *b)
{
    flow_setting list;

    TRY(flow_list(b->f, flow_root(b->f), "patterns", DATAFLOW_PATTERNS_MAX,
                  &list, b->d));
    for (int i = 0; i < flow_length(list); i++)
        TRY(add_pattern(b, config_setting_get_elem(list, (unsigned)i)));
    return TEG_OK;
}

/* ---- the whole -------------------------------------------------------------------------- */

static teg_status take_peak(struct builder *b)
{
    const struct {
        const char *name;
        double peak;
    } precisions[] = {{"single", b->m->peak_single},
                      {"double", b->m->peak_double},
                      {"half", b->m->peak_half}};
    flow_setting root = flow_root(b->f);
    const char *name;

    TRY(flow_text(b->f, root, "precision", "single", &name, b->d));
    for (size_t i = 0; i < sizeof precisions / sizeof *precisions; i++) {
        if (strcmp(precisions[i].name, name) != 0)
            continue;
        b->out->peak_gflops = precisions[i].peak;
        if (precisions[i].peak > 0)
            return TEG_OK;
        return teg_fail(b->d, TEG_LIMIT, b->f->path,
                        "%s has no known arithmetic of %s precision",
                        b->m->name, name);
    }
    return FLOW_FAIL(b->f, flow_member(root, "precision"), b->d,
                     "precision: expected single, double or half, found '%s'",
                     name);
}

teg_status flow_file_describe(struct flow_file *f, const struct flow_machine *m,
                              struct dataflow *out, struct teg_diag *d)
{
    static const char *const keys[] = {
        "name",    "unit",  "precision", "ops",      "parameters",
        "machine", "links", "data",      "patterns", NULL};
    struct builder b = {f, m, out, d, 0};
    flow_setting root = flow_root(f);

    *out = (struct dataflow){0};
    TRY(flow_check_keys(f, root, keys, d));
    TRY(flow_text(f, root, "name", NULL, &out->name, d));
    TRY(flow_text(f, root, "unit", "unit", &out->unit, d));
    TRY(flow_number(f, root, "ops", (double)NAN, 0, &out->ops, d));
    if (!(out->ops > 0))
        return FLOW_FAIL(f, flow_member(root, "ops"), d,
                         "ops: expected more than 0 operations");
    TRY(take_peak(&b));
    TRY(add_data(&b));
    return add_patterns(&b);
}

static teg_status read_file(struct flow_file *f, struct teg_diag *d)
{
    char directory[FLOW_PATH_SIZE];
    char *slash;

    snprintf(directory, sizeof directory, "%s", f->path);
    slash = strrchr(directory, '/');
    snprintf(slash != NULL ? slash : directory, 2, "%s",
             slash != NULL ? "" : ".");
    TRY(config_text_check(f->path, directory, d));
    config_set_include_dir(&f->config, directory);
    if (config_read_file(&f->config, f->path) == CONFIG_TRUE)
        return TEG_OK;
    return teg_fail_line(d, TEG_FORMAT, f->path,
                         (uint64_t)config_error_line(&f->config), "%s",
                         config_error_text(&f->config));
}

/* Whatever is wrong with it on any machine. */
static teg_status check(struct flow_file *f, struct teg_diag *d)
{
    const struct flow_machine any = {.name = "any machine",
                                     .title = "",
                                     .peak_half = 1,
                                     .peak_single = 1,
                                     .peak_double = 1,
                                     .shared_gbs = 1,
                                     .sm_gbs = 1,
                                     .l2_gbs = 1,
                                     .dram_gbs = 1};
    struct flow_machine own;
    struct dataflow out;

    TRY(read_parameters(f, d));
    if (flow_member(flow_root(f), "machine") != NULL)
        TRY(flow_file_machine(f, &own, d));
    return flow_file_describe(f, &any, &out, d);
}

teg_status flow_file_open(const char *path, struct flow_file **out,
                          struct teg_diag *d)
{
    struct flow_file *f = calloc(1, sizeof *f);
    teg_status status;

    *out = NULL;
    if (f == NULL)
        return teg_fail_memory(d);
    snprintf(f->path, sizeof f->path, "%s", path);
    config_init(&f->config);
    status = read_file(f, d);
    if (status == TEG_OK)
        status = check(f, d);
    if (status != TEG_OK) {
        flow_file_free(f);
        return status;
    }
    *out = f;
    return TEG_OK;
}

void flow_file_free(struct flow_file *f)
{
    if (f == NULL)
        return;
    config_destroy(&f->config);
    free(f);
}
