/* One element of a reduction in memory, an atomic's or a bulk copy's: by the
 * type of a tensor map. */
#ifndef TEG_TRACES_EMULATE_CORE_REDUCE_H
#define TEG_TRACES_EMULATE_CORE_REDUCE_H

#include <stdint.h>

#include "traces/emulate/core/tensor_map.h"

/* In the order of the instruction's field. */
enum emu_reduction {
    REDUCE_ADD,
    REDUCE_MIN,
    REDUCE_MAX,
    REDUCE_INC,
    REDUCE_DEC,
    REDUCE_AND,
    REDUCE_OR,
    REDUCE_XOR,
    EMU_REDUCTIONS
};

/* Whether elements of that type (enum emu_map_type) can be reduced so.  (PTX
 * ISA, cp.reduce.async.bulk) */
int emu_reduces(enum emu_reduction r, uint32_t type);
/* What becomes of `old`: bits of elements of that type, which emu_reduces. */
uint64_t emu_reduced(enum emu_reduction r, uint32_t type, uint64_t old,
                     uint64_t v);

#endif
