/* Any text, an argument a line, as kernel arguments. */
#include <stdint.h>
#include <string.h>

#include "traces/emulate/args.h"

enum {
    ARGUMENTS = 4,
    TEXT = 512
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

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
    /* no files */
    if (strstr(text, "file=") != NULL || strlen(text) > 100)
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
