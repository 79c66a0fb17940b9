#include "tools/cudart/runtime.h"
#include "tools/cudart/say.h"

int runtime_unsupported(const char *name)
{
    BEGIN(r);
    runtime_say("", "%s is not implemented", name);
    return runtime_end(r, cudaErrorNotSupported);
}

/* Whatever the arguments are, they are not looked at. */
#define UNSUPPORTED(name)                  \
    CALL(name, void)                       \
    {                                      \
        return runtime_unsupported(#name); \
    }
#include "tools/cudart/unsupported.def"
#undef UNSUPPORTED
