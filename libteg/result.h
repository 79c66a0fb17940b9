/* What a replay found out (include/teg/result.h). */
#ifndef TEG_LIBTEG_RESULT_H
#define TEG_LIBTEG_RESULT_H

#include "include/teg/result.h"
#include "isa/base/notes.h"
#include "sim/sample/sample.h"

struct teg_result {
    struct teg_gpu *gpu;      /* owned: as simulated, what-ifs applied */
    struct teg_notes notes;   /* owned: of the launch */
    struct teg_sample sample; /* `used` if `s` is of a part, scaled */
    int incomplete;
    struct teg_statistics s;
};

/* Of the launch, which may be closed then. */
teg_status teg_result_keep_notes(struct teg_result *result,
                                 const struct teg_notes *from,
                                 struct teg_diag *d);

#endif
