/*
 * `--set KEY=VALUE[,KEY=VALUE]...` cut apart.
 */
#ifndef TEG_TOOLS_TEG_CLI_SETTINGS_H
#define TEG_TOOLS_TEG_CLI_SETTINGS_H

#include "sim/models/parameter.h"
#include "tools/teg/cli/options.h"

enum {
    SETTINGS_MAX = 64,
    SETTING_BYTES = 128
};

struct settings {
    char text[SETTINGS_MAX][SETTING_BYTES]; /* "key\0value" */
    /* into `text`; NULL: the item is one of the GPU description */
    const char *value[SETTINGS_MAX];
    uint32_t count;
};

/*
 * Adds the items of option `option` of `command`.  Keys with a dot belong to
 * the GPU description: they go to `gpu_set` as KEY=VALUE, or are refused if
 * it is NULL.  Says what is wrong and returns an exit status.
 */
int settings_split(struct settings *s, const struct opt_list *list,
                   const char *command, const char *option,
                   struct opt_list *gpu_set);
/* Sets them in the struct that `p` is the table of. */
int settings_apply(const struct settings *s, void *inputs,
                   const struct teg_parameter *p, uint32_t count,
                   const char *command, const char *option);
/* True if `key` was set; with NULL, if any key was that is not the GPU's. */
bool settings_has(const struct settings *s, const char *key);

#endif
