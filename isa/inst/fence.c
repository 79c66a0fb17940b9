#include "isa/inst/fence.h"

#include <string.h>

#include "isa/inst/inst.h"

/* Scopes as listings of any generation name them.  (NVIDIA PTX ISA, membar:
 * .gl is what .gpu was called first) */
static const struct {
    const char *modifier;
    enum teg_fence fence;
} scopes[] = {
    {".CTA", FENCE_BLOCK}, {".SM", FENCE_BLOCK},   {".GPU", FENCE_GPU},
    {".GL", FENCE_GPU},    {".SYS", FENCE_SYSTEM}, {".VC", FENCE_SYSTEM},
};

static int has_modifier(const char *mnemonic, size_t length,
                        const char *modifier)
{
    size_t n = strlen(modifier);

    for (size_t i = 0; i + n <= length; i++) {
        if (memcmp(mnemonic + i, modifier, n) == 0 &&
            (i + n == length || mnemonic[i + n] == '.'))
            return 1;
    }
    return 0;
}

enum teg_fence teg_fence_of(const char *text)
{
    size_t length;
    const char *mnemonic = teg_text_mnemonic(text, &length);

    if (teg_text_is(text, "FENCE"))
        return has_modifier(mnemonic, length, ".VIEW.ASYNC.S") ? FENCE_ASYNC
                                                               : FENCE_NONE;
    if (!teg_text_is(text, "MEMBAR"))
        return FENCE_NONE;
    for (size_t i = 0; i < sizeof scopes / sizeof scopes[0]; i++) {
        if (has_modifier(mnemonic, length, scopes[i].modifier))
            return scopes[i].fence;
    }
    return FENCE_GPU;
}
