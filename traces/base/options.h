/* What a user may say about a trace when it is opened.  Borrowed until then;
 * the trace keeps a copy. */
#ifndef TEG_TRACES_BASE_OPTIONS_H
#define TEG_TRACES_BASE_OPTIONS_H

#include <stdint.h>

struct teg_trace_options {
    uint32_t isa;                /* overrides the header's; 0 = keep */
    uint32_t registers;          /* overrides; 0 = keep */
    const char *spill_directory; /* for raw traces; NULL: $TMPDIR of tools,
                                    else /tmp */
    /* [set_count] "NAME=VALUE": parameters of a kernel sketch, which other
     * formats do not have. */
    const char *const *set;
    uint32_t set_count;
};

#endif
