/* The device as the GPU description has it. */
#ifndef TEG_TOOLS_CUDART_PROPERTIES_H
#define TEG_TOOLS_CUDART_PROPERTIES_H

#include "tools/cudart/runtime.h"

/* Value of a device attribute; 0 if the number is unknown. */
int device_attribute(struct runtime *r, int number, int *value);

enum {
    UUID_BYTES = 16
};

/* Identifies the device: teg and the description's name. */
const uint8_t *device_uuid(const struct runtime *r);

#endif
