/*
 * Reads a description with libconfig, family first: what the chip's own file
 * says then replaces what its family says.
 */
#include "config/load.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/text.h"

enum {
    FAMILIES_LIMIT = 6 /* a family may have a family */
};

static teg_status read_name(const struct load_file *a, load_setting s)
{
    const char *text = "";

    TRY(load_string(a, s, "name", sizeof a->l->gpu->name, &text));
    snprintf(a->l->gpu->name, sizeof a->l->gpu->name, "%s", text);
    return TEG_OK;
}

static teg_status read_title(const struct load_file *a, load_setting s)
{
    const char *text = "";

    TRY(load_string(a, s, "title", sizeof a->l->gpu->title, &text));
    snprintf(a->l->gpu->title, sizeof a->l->gpu->title, "%s", text);
    return TEG_OK;
}

static teg_status read_compared(const struct load_file *a, load_setting s)
{
    const char *text = "";

    TRY(load_string(a, s, "compared", sizeof a->l->gpu->compared, &text));
    snprintf(a->l->gpu->compared, sizeof a->l->gpu->compared, "%s", text);
    return TEG_OK;
}

static teg_status read_default_for(const struct load_file *a, load_setting s)
{
    struct teg_fact *f = &a->l->default_fact;

    TRY(load_check_list(a, s, "default_for", 2, "compute capability x10"));
    TRY(load_whole(a, config_setting_get_elem(s, 0), "default_for", 10, 999,
                   &a->l->gpu->default_for));
    TRY(load_source(a, config_setting_get_elem(s, 1), "default_for", f));
    snprintf(f->key, sizeof f->key, "default_for");
    snprintf(f->value, sizeof f->value, "%u", a->l->gpu->default_for);
    return TEG_OK;
}

/* carveouts = ( "0 8 16 32 64 96", "V ..." );  kilobytes, rising */
static teg_status read_carveouts(const struct load_file *a, load_setting s)
{
    struct teg_fact *f = &a->l->carveout_fact;
    struct teg_gpu *gpu = a->l->gpu;
    const char *text = "";
    char *end;

    TRY(load_check_list(a, s, "carveouts", 2, "\"kilobytes ...\""));
    TRY(load_string(a, config_setting_get_elem(s, 0), "carveouts",
                    sizeof f->value, &text));
    gpu->carveout_count = 0;
    for (const char *at = text; *at != '\0'; at = end + strspn(end, " ")) {
        unsigned long kilobytes = strtoul(at, &end, 10);
        uint32_t n = gpu->carveout_count;

        if (end == at || *at == '-' || (*end != '\0' && *end != ' ') ||
            n == TEG_MAX_CARVEOUTS || kilobytes > 1024 ||
            (n != 0 && kilobytes * 1024 <= gpu->carveout[n - 1]))
            return load_fail(a, s,
                             "carveouts: expected at most %d rising numbers of "
                             "kilobytes up to 1024, found \"%s\"",
                             TEG_MAX_CARVEOUTS, text);
        gpu->carveout[gpu->carveout_count++] = (uint32_t)kilobytes * 1024;
    }
    TRY(load_source(a, config_setting_get_elem(s, 1), "carveouts", f));
    snprintf(f->key, sizeof f->key, "carveouts");
    snprintf(f->value, sizeof f->value, "%s", text);
    snprintf(f->unit, sizeof f->unit, "KB");
    return TEG_OK;
}

static teg_status read_operand_unit(const struct load_file *a, load_setting s)
{
    return load_unit_names(a, s, "operand_unit", 1, &a->l->operand);
}

static teg_status read_tag_unit(const struct load_file *a, load_setting s)
{
    return load_unit_names(a, s, "tag_unit", 1, &a->l->tags);
}

/* Read before all others, see read_layer. */
static teg_status read_nothing(const struct load_file *a, load_setting s)
{
    (void)a;
    (void)s;
    return TEG_OK;
}

static const struct top {
    const char *key;
    teg_status (*read)(const struct load_file *, load_setting);
} tops[] = {
    {"family", read_nothing},
    {"name", read_name},
    {"title", read_title},
    {"compared", read_compared},
    {"default_for", read_default_for},
    {"operand_unit", read_operand_unit},
    {"tag_unit", read_tag_unit},
    {"carveouts", read_carveouts},
    {"units", load_units},
    {"timing", load_timing},
    {"m_factor", load_m_factor},
    {"power_unit", load_power_unit},
    {"power_use", load_power_use},
#define GROUP(group) {#group, load_group},
#define END(group)
#define NUMBER(group, field, type, min, max, fallback, unit, help)
#define CHOICE(group, field, choice, fallback, help)
#include "config/params.def"
#undef GROUP
#undef END
#undef NUMBER
#undef CHOICE
};

static teg_status read_top(const struct load_file *a, load_setting s)
{
    struct teg_nearest nearest;

    for (size_t i = 0; i < sizeof tops / sizeof tops[0]; i++) {
        if (strcmp(tops[i].key, load_name(s)) == 0)
            return tops[i].read(a, s);
    }
    teg_nearest_init(&nearest, load_name(s));
    for (size_t i = 0; i < sizeof tops / sizeof tops[0]; i++)
        teg_nearest_offer(&nearest, tops[i].key);
    return load_unknown(a, s, "key", &nearest);
}

/* ---- files -------------------------------------------------------------- */

static teg_status read_layer(struct load *l, const char *path);

static teg_status read_family(const struct load_file *a, load_setting s)
{
    char path[LOAD_PATH_SIZE];
    const char *text = "";

    TRY(load_string(a, s, "family", 256, &text));
    if (++a->l->opened > FAMILIES_LIMIT)
        return load_fail(a, s,
                         "family: expected at most %d families of families",
                         FAMILIES_LIMIT);
    if (snprintf(path, sizeof path, "%s%s%s",
                 text[0] == '/' ? "" : a->directory, text[0] == '/' ? "" : "/",
                 text) >= (int)sizeof path)
        return load_fail(a, s, "family: the path is too long");
    return read_layer(a->l, path);
}

static teg_status read_settings(const struct load_file *a)
{
    load_setting root = config_root_setting(&a->config);
    load_setting family = config_setting_get_member(root, "family");

    if (family != NULL) {
        TRY(read_family(a, family));
        /* a chip's own, which siblings that are described by it do not have */
        a->l->gpu->compared[0] = '\0';
        a->l->gpu->default_for = 0;
        memset(&a->l->default_fact, 0, sizeof a->l->default_fact);
    }
    a->l->depth++;
    for (int i = 0; i < config_setting_length(root); i++)
        TRY(read_top(a, config_setting_get_elem(root, (unsigned)i)));
    return TEG_OK;
}

/* Where @include and `family` look: beside the file, unless told. */
static teg_status find_directory(struct load_file *a)
{
    const char *given = a->l->opened == 0 ? a->l->directory : NULL;
    const char *slash = strrchr(a->path, '/');
    size_t length = slash != NULL ? (size_t)(slash - a->path) : 0;

    if (given != NULL)
        length = strlen(given);
    if (length >= sizeof a->directory)
        return teg_fail(a->l->d, TEG_CONFIG, "", "the path is too long");
    memcpy(a->directory, given != NULL ? given : a->path, length);
    a->directory[length] = '\0';
    if (length == 0)
        snprintf(a->directory, sizeof a->directory, "%s",
                 slash != NULL ? "/" : ".");
    return TEG_OK;
}

static teg_status parse(struct load_file *a)
{
    const char *file;

    config_set_include_dir(&a->config, a->directory);
    if (config_read_file(&a->config, a->path))
        return TEG_OK;
    if (config_error_type(&a->config) == CONFIG_ERR_FILE_IO)
        return teg_fail_errno(a->l->d, a->path, "read");
    file = config_error_file(&a->config);
    return teg_fail_line(a->l->d, TEG_CONFIG, file != NULL ? file : a->path,
                         (uint64_t)config_error_line(&a->config), "%s",
                         config_error_text(&a->config));
}

static teg_status read_layer(struct load *l, const char *path)
{
    struct load_file *a = calloc(1, sizeof *a);
    teg_status status;

    if (a == NULL)
        return teg_fail_memory(l->d);
    a->l = l;
    a->path = path;
    config_init(&a->config);
    status = find_directory(a);
    if (status == TEG_OK)
        status = config_text_check(path, a->directory, l->d);
    if (status == TEG_OK)
        status = parse(a);
    if (status == TEG_OK)
        status = read_settings(a);
    config_destroy(&a->config);
    free(a);
    return status;
}

teg_status teg_gpu_load(const char *path, struct teg_gpu **gpu,
                        struct teg_diag *d)
{
    return teg_gpu_load_beside(path, NULL, gpu, d);
}

teg_status teg_gpu_load_beside(const char *path, const char *directory,
                               struct teg_gpu **gpu, struct teg_diag *d)
{
    struct load *l = calloc(1, sizeof *l);
    teg_status status = TEG_MEMORY;
    uint32_t count;

    *gpu = NULL;
    params(&count);
    if (l != NULL) {
        l->d = d;
        l->directory = directory;
        l->gpu = calloc(1, sizeof *l->gpu);
        l->param_fact = calloc(count, sizeof *l->param_fact);
    }
    if (l == NULL || l->gpu == NULL || l->param_fact == NULL) {
        teg_fail_memory(d);
        goto out;
    }
    for (enum teg_op_class c = 0; c < TEG_CLASSES; c++)
        l->gpu->m_factor[c] = 1;
    status = read_layer(l, path);
    if (status == TEG_OK)
        status = load_finish(l, path);
out:
    if (l != NULL) {
        if (status == TEG_OK)
            *gpu = l->gpu;
        else
            teg_gpu_free(l->gpu);
        free(l->param_fact);
    }
    free(l);
    return status;
}
