/* Entry points of the driver that say their name. */
#include "tools/cudart/runtime.h"

/* Whatever the arguments are, they are not looked at. */
#define UNSUPPORTED(name)                  \
    CALL(name, void)                       \
    {                                      \
        return runtime_unsupported(#name); \
    }
#include "tools/cudart/driver/unsupported.def"
#undef UNSUPPORTED
