/* Any text, an argument a line, as kernel arguments. */
#include <stdint.h>
#include <string.h>

#include "traces/emulate/core/args.h"

enum {
    ARGUMENTS = 4,
    TEXT = 512
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static size_t longest_number(const char *text)
{
    size_t longest = 0;

    for (; *text != '\0'; text++) {
        size_t digits = strspn(text, "0123456789abcdefxABCDEFX");

        longest = digits > longest ? digits : longest;
    }
    return longest;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct teg_cubin_param param[ARGUMENTS] = {
        {0, 0, 8}, {1, 8, 4}, {2, 12, 1}, {3, 16, 8}};
    char name[] = "fuzz", text[TEXT];
    struct teg_cubin_kernel kernel = {.name = name,
                                      .has_params = 1,
                                      .param = param,
                                      .param_count = ARGUMENTS,
                                      .param_bytes = 24};
    const char *argument[ARGUMENTS];
    struct emu_args args = {0};
    struct emu_device *device;
    struct teg_diag d = {0};
    char *at = text;
    uint32_t count = 0;

    if (size >= TEXT)
        return 0;
    memcpy(text, data, size);
    text[size] = '\0';
    /* no files, and no buffers that are only large */
    if (strstr(text, "file=") != NULL || longest_number(text) > 5)
        return 0;
    while (count < ARGUMENTS && at != NULL) {
        argument[count++] = at;
        at = strchr(at, '\n');
        if (at != NULL)
            *at++ = '\0';
    }
    if (emu_device_new(&device, &d) != TEG_OK)
        return 0;
    emu_args_parse(&args, &kernel, device, argument, count, &d);
    emu_args_release(&args);
    emu_device_free(device);
    return 0;
}
