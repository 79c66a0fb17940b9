#include "tools/teg/cli/emulator.h"

#include "tools/teg/cli/options.h"
#include "tools/teg/cli/teg.h"

int limit_parse(const char *command, const char *text, struct emu_limit *limit)
{
    *limit = (struct emu_limit){0};
    if (text == NULL || emu_limit_parse(limit, text))
        return EXIT_DONE;
    return say_usage(command,
                     "--limit: expected millions of instructions (100), "
                     "seconds (30s) or both (100,30s), found '%s'",
                     text);
}

int interleave_parse(const char *command, const char *text,
                     struct emu_order *order)
{
    *order = (struct emu_order){0};
    if (text == NULL || emu_order_parse(order, text))
        return EXIT_DONE;
    return say_usage(command,
                     "--interleave: expected steps, grid, blocks or a "
                     "number of at most 19 digits, found '%s'",
                     text);
}
