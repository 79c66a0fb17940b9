/* PTX, compiled by the ptxas that is installed. */
#ifndef TEG_TOOLS_CUDART_PTX_H
#define TEG_TOOLS_CUDART_PTX_H

#include "tools/cudart/runtime.h"

#include "isa/base/buffer.h"

/* True if the text begins as PTX does. */
int ptx_recognise(const uint8_t *text, size_t bytes);
/* Appends the cubin for our GPU; says what is wrong. */
int ptx_compile(const struct runtime *r, const char *text, size_t bytes,
                struct teg_buffer *cubin);

#endif
