#include "tools/teg/cli/device_code.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/teg/cli/teg.h"

enum {
    LOOK_INTO = 4096 /* bytes */
};

enum device_code_kind device_code_recognise(const char *path)
{
    uint8_t head[LOOK_INTO];
    FILE *f = fopen(path, "rb");
    size_t got;

    if (f == NULL)
        return CODE_NONE;
    got = fread(head, 1, sizeof head, f);
    fclose(f);
    return teg_fatbin_recognise(head, got)    ? CODE_BINARY
           : teg_listing_recognise(head, got) ? CODE_LISTING
                                              : CODE_NONE;
}

int device_code_open(struct device_code *c, const char *path)
{
    struct teg_diag d;
    teg_status status;

    *c =
        (struct device_code){.kind = device_code_recognise(path), .path = path};
    if (c->kind == CODE_LISTING) {
        status = teg_listing_open(&c->listing, path, &d);
        c->count = c->listing.count;
    } else {
        c->kind = CODE_BINARY; /* whose reader says why it is none */
        status = teg_fatbin_open(&c->fatbin, path, &d);
        c->count = c->fatbin.count;
    }
    return status == TEG_OK ? EXIT_DONE : say_fault(&d);
}

void device_code_release(struct device_code *c)
{
    teg_fatbin_release(&c->fatbin);
    teg_listing_release(&c->listing);
    *c = (struct device_code){0};
}

bool device_code_is_cubin(const struct device_code *c, uint32_t i, uint32_t sm)
{
    if (c->kind == CODE_LISTING)
        return sm == 0 || c->listing.cubin[i].sm == sm;
    return !c->fatbin.entry[i].is_ptx &&
           (sm == 0 || c->fatbin.entry[i].sm == sm);
}

int device_code_cubin(struct device_code *c, uint32_t i,
                      struct teg_cubin *cubin)
{
    struct teg_diag d;

    if (c->kind == CODE_LISTING) {
        *cubin = c->listing.cubin[i];
        c->listing.cubin[i] = (struct teg_cubin){0};
        return EXIT_DONE;
    }
    return teg_fatbin_cubin(&c->fatbin, i, cubin, &d) == TEG_OK ? EXIT_DONE
                                                                : say_fault(&d);
}

bool device_code_read_arch(const char *text, uint32_t *sm)
{
    char *end;
    unsigned long v;

    if (strncmp(text, "sm_", 3) == 0)
        text += 3;
    v = strtoul(text, &end, 10);
    *sm = (uint32_t)v;
    return end != text && *end == '\0' && v > 0 && v < 1000;
}
