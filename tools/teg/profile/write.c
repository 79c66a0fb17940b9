/* The summary of a program in every format. */
#include "tools/teg/profile/profile.h"

#include <inttypes.h>

#include "tools/teg/cli/color.h"
#include "tools/teg/formats/writer.h"
#include "tools/teg/report/report.h"

enum {
    STEPS_MAX = 40,  /* of the text */
    GROUPS_MAX = 20, /* likewise */
    NAME_WIDTH = 32,
    TITLE_WIDTH = 76,
    INDENT = 4,
};

/* ---- text ----------------------------------------------------------------- */

static const char *plural(uint64_t count, const char *one, const char *many)
{
    return count == 1 ? one : many;
}

static void print_head(FILE *f, const struct profile *p)
{
    char text[1024], title[TEG_NAME_MAX];

    fprintf(f, "%s%s%s on %s\n", tint(f, TINT_STRONG),
            path_title(p->title, title), tint(f, TINT_OFF), p->job.gpu->name);
    snprintf(text, sizeof text,
             "%" PRIu64 " launch%s of %" PRIu32 " kernel%s: %.4g us in kernels "
             "(simulated; caches %s)",
             p->launches, plural(p->launches, "", "es"), p->groups,
             plural(p->groups, "", "s"), p->us, caches_names[p->job.caches]);
    print_wrapped(f, text, 0, 0);
    replay_recalled_text(p->recalled, p->launches, text, sizeof text);
    if (text[0] != '\0')
        print_wrapped(f, text, 0, 0);
    if (p->incomplete)
        fprintf(f, "%sINCOMPLETE%s: interrupted\n", tint(f, TINT_BAD),
                tint(f, TINT_OFF));
}

static void print_line(FILE *f, const char *text)
{
    fprintf(f, "%*s", INDENT, "");
    print_wrapped(f, text, INDENT, INDENT + 2);
}

/* The sentence of the first stands above. */
static void print_finding(FILE *f, const struct finding *finding)
{
    char text[640];

    snprintf(text, sizeof text, "%s: %s", finding->name, finding->text);
    fprintf(f, "%*s", 2 * INDENT, "");
    print_wrapped(f, text, 2 * INDENT, 2 * INDENT + 2);
    fprintf(f, "%*s%s", 2 * INDENT + 2, "", tint(f, TINT_DIM));
    print_wrapped(f, finding->advice, 2 * INDENT + 2, 2 * INDENT + 2);
    fputs(tint(f, TINT_OFF), f);
}

static void print_findings(FILE *f, const struct profile *p,
                           const struct profile_group *g)
{
    uint32_t told = g->findings != NULL ? findings_told(g->findings) : 0;
    uint32_t most = profile_findings(p, g), count = told < most ? told : most;

    print_line(f, count != 0 ? "would help most:"
                             : "nothing that was tried would help");
    for (uint32_t i = 0; i < count; i++)
        print_finding(f, &g->findings->item[i]);
}

static void print_explained(FILE *f, const struct profile *p,
                            const struct profile_group *g)
{
    char text[512];

    if (g->waiting[0] != '\0') {
        snprintf(text, sizeof text, "most waiting: before %s", g->waiting);
        print_line(f, text);
    }
    print_findings(f, p, g);
    if (g->page[0] != '\0') {
        snprintf(text, sizeof text, "page: %.400s/%s", p->directory, g->page);
        print_line(f, text);
    } else if (profile_too_long(p, g)) {
        print_line(f, "simulated in part, which is long: --exact for its page");
    }
}

static void print_group(FILE *f, const struct profile *p, uint32_t i)
{
    const struct profile_group *g = &p->group[p->rank[i]];
    const struct profile_step *step = &p->step[g->heaviest];
    char name[TEG_NAME_MAX], text[720], shape[96];

    profile_shape(step, shape, sizeof shape);
    fprintf(f, "%s%5.1f %%%s  %10.4g us  %s%s%s, %" PRIu64 " launch%s\n",
            tint(f, TINT_STRONG), 100 * profile_share(p, g->us),
            tint(f, TINT_OFF), g->us, tint(f, TINT_STRONG),
            kernel_title_in(g->name, TITLE_WIDTH, name), tint(f, TINT_OFF),
            g->launches, plural(g->launches, "", "es"));
    if (i >= p->top)
        return;
    snprintf(text, sizeof text, "%s: bound by %s", shape,
             g->findings != NULL ? findings_first(g->findings)
                                 : step->verdict.text);
    print_line(f, text);
    if (stands_in(g->name) != NULL)
        print_line(f, stands_in(g->name));
    if (g->explained)
        print_explained(f, p, g);
}

static void print_steps(FILE *f, const struct profile *p)
{
    char name[TEG_NAME_MAX];

    fprintf(f, "\n%s%-*s%8s %10s %8s  %s%s\n", tint(f, TINT_STRONG), NAME_WIDTH,
            "in order", "launches", "us each", "share", "bound by",
            tint(f, TINT_OFF));
    for (uint32_t i = 0; i < p->steps && i < STEPS_MAX; i++) {
        const struct profile_step *s = &p->step[i];

        fprintf(f, "%-*s%8" PRIu32 " %10.4g %6.1f %%  %s\n", NAME_WIDTH,
                kernel_title_in(p->group[s->group].name, NAME_WIDTH - 1, name),
                s->launches, s->us, 100 * profile_share(p, s->launches * s->us),
                s->verdict.bound);
    }
    if (p->steps > STEPS_MAX)
        fprintf(f, "... and %" PRIu32 " more: -f csv has all of them\n",
                p->steps - STEPS_MAX);
}

static int print_profile(FILE *f, const void *part)
{
    const struct profile *p = part;

    print_head(f, p);
    fputc('\n', f);
    for (uint32_t i = 0; i < p->groups && i < GROUPS_MAX; i++)
        print_group(f, p, i);
    if (p->groups > GROUPS_MAX)
        fprintf(f, "... and %" PRIu32 " kernels more\n",
                p->groups - GROUPS_MAX);
    print_steps(f, p);
    if (p->directory != NULL)
        fprintf(f, "\npage of the program: %s/index.html\n", p->directory);
    return EXIT_DONE;
}

/* ---- values --------------------------------------------------------------- */

static json_t *shape_json(const uint32_t shape[3])
{
    return json_pack("[i, i, i]", (int)shape[0], (int)shape[1], (int)shape[2]);
}

static json_t *step_json(const struct profile *p, const struct profile_step *s)
{
    const char *name = p->group[s->group].name;

    return json_pack(
        "{s:o, s:o, s:i, s:o, s:i, s:b, s:o, s:o, s:I, s:I, s:f, s:o, s:s, "
        "s:o}",
        "name", json_text(name), "demangled", demangled_json(name), "number",
        (int)s->kernel + 1, "stream",
        s->stream != PROFILE_NO_STREAM ? json_integer(s->stream) : json_null(),
        "launches", (int)s->launches, "later", s->later, "grid",
        shape_json(s->grid), "block", shape_json(s->block), "cycles",
        (json_int_t)s->cycles, "warp_instructions",
        (json_int_t)s->warp_instructions, "time_us", s->us, "share",
        json_ratio(s->launches * s->us, p->us), "bound", s->verdict.bound,
        "error_bound_percent",
        s->sampled ? json_real(100 * s->error_bound) : json_null());
}

static json_t *hints_json(const struct hints *h)
{
    json_t *hints = json_array();

    for (uint32_t i = 0; i < h->count; i++) {
        const struct hint *hint = &h->hint[i];

        json_array_append_new(
            hints, json_pack("{s:s, s:f, s:o}", "name", hint->what_if,
                             "speedup", hint->speedup, "where",
                             hint->where[0] != '\0' ? json_text(hint->where)
                                                    : json_null()));
    }
    return hints;
}

static json_t *group_json(const struct profile *p,
                          const struct profile_group *g)
{
    return json_pack(
        "{s:o, s:o, s:I, s:f, s:o, s:i, s:s, s:b, s:o, s:o, s:o, s:o}", "name",
        json_text(g->name), "demangled", demangled_json(g->name), "launches",
        (json_int_t)g->launches, "time_us", g->us, "share",
        json_ratio(g->us, p->us), "heaviest", (int)g->heaviest + 1, "verdict",
        p->step[g->heaviest].verdict.text, "explained", g->explained, "waiting",
        g->waiting[0] != '\0' ? json_text(g->waiting) : json_null(), "hints",
        hints_json(&g->hints), "findings",
        g->findings != NULL ? findings_json(g->findings, NULL) : json_array(),
        "page", g->page[0] != '\0' ? json_string(g->page) : json_null());
}

static json_t *steps_json(const struct profile *p)
{
    json_t *steps = json_array();

    for (uint32_t i = 0; i < p->steps; i++)
        json_array_append_new(steps, step_json(p, &p->step[i]));
    return steps;
}

static json_t *values(const void *part)
{
    const struct profile *p = part;
    json_t *kernels = json_array();

    for (uint32_t i = 0; i < p->groups; i++)
        json_array_append_new(kernels, group_json(p, &p->group[p->rank[i]]));
    return json_pack("{s:o, s:o, s:o, s:s, s:I, s:I, s:f, s:b, s:o, s:o}",
                     "teg", teg_json(), "gpu", gpu_json(p->job.gpu), "program",
                     json_text(p->title), "caches", caches_names[p->job.caches],
                     "launches", (json_int_t)p->launches, "recalled",
                     (json_int_t)p->recalled, "time_us", p->us, "incomplete",
                     p->incomplete, "kernels", kernels, "steps", steps_json(p));
}

int profile_write(const struct profile *p, uint32_t format, const char *path)
{
    static const struct view view = {
        .text = print_profile,
        .values = values,
        .table = "steps",
        .columns = "name,launches,time_us",
    };

    return view_write(&view, p, format, path);
}
