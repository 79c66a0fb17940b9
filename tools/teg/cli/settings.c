#include "tools/teg/cli/settings.h"

#include "tools/teg/cli/teg.h"

#include <string.h>

/* The value may have dots, too. */
static bool is_gpu_key(const char *text)
{
    return memchr(text, '.', strcspn(text, "=")) != NULL;
}

static int add(struct settings *s, const char *text, size_t length,
               const char *command, const char *option,
               struct opt_list *gpu_set)
{
    char *to = s->text[s->count];
    char *equals;

    if (s->count == SETTINGS_MAX)
        return say_usage(command, "--%s: more than %d values", option,
                         SETTINGS_MAX);
    if (length >= SETTING_BYTES || memchr(text, '=', length) == NULL)
        return say_usage(command, "--%s: expected KEY=VALUE, found '%.*s'",
                         option, (int)length, text);
    memcpy(to, text, length);
    to[length] = '\0';
    if (gpu_set != NULL && is_gpu_key(to)) {
        if (gpu_set->count == OPT_LIST_MAX)
            return say_usage(command, "--%s: more than %d values", option,
                             OPT_LIST_MAX);
        gpu_set->item[gpu_set->count++] = to;
        s->value[s->count++] = NULL;
        return EXIT_DONE;
    }
    equals = strchr(to, '=');
    *equals = '\0';
    s->value[s->count++] = equals + 1;
    return EXIT_DONE;
}

int settings_split(struct settings *s, const struct opt_list *list,
                   const char *command, const char *option,
                   struct opt_list *gpu_set)
{
    for (uint32_t i = 0; i < list->count; i++) {
        const char *at = list->item[i];

        while (*at != '\0') {
            size_t length = strcspn(at, ",");
            int status = add(s, at, length, command, option, gpu_set);

            if (status != EXIT_DONE)
                return status;
            at += length + (at[length] == ',');
        }
    }
    return EXIT_DONE;
}

int settings_apply(const struct settings *s, void *inputs,
                   const struct teg_parameter *p, uint32_t count,
                   const char *command, const char *option)
{
    for (uint32_t i = 0; i < s->count; i++) {
        struct teg_diag d;

        if (s->value[i] != NULL &&
            model_inputs_set(inputs, p, count, s->text[i], s->value[i], &d) !=
                TEG_OK)
            return say_usage(command, "--%s: %s%s%s", option, d.where,
                             d.where[0] != '\0' ? ": " : "", d.what);
    }
    return EXIT_DONE;
}

bool settings_has(const struct settings *s, const char *key)
{
    for (uint32_t i = 0; i < s->count; i++) {
        if (s->value[i] != NULL &&
            (key == NULL || strcmp(s->text[i], key) == 0))
            return true;
    }
    return false;
}
