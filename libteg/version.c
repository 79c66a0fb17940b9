#include "include/teg/version.h"
#include "include/teg/status.h"

const char *teg_version(void)
{
    return TEG_VERSION;
}

const char *teg_status_name(teg_status status)
{
    static const char *const names[] = {
        [TEG_OK] = "ok",
        [TEG_IO] = "io",
        [TEG_FORMAT] = "format",
        [TEG_CONFIG] = "config",
        [TEG_LIMIT] = "limit",
        [TEG_DEADLOCK] = "deadlock",
        [TEG_UNKNOWN] = "unknown",
        [TEG_MEMORY] = "memory",
        [TEG_INTERRUPTED] = "interrupted",
    };

    return (size_t)status < sizeof names / sizeof *names ? names[status]
                                                         : "unknown status";
}
