/* Which teg this is. */
#ifndef TEG_PUBLIC_VERSION_H
#define TEG_PUBLIC_VERSION_H

#include "api.h"

/* Of these headers; semver.org. */
#define TEG_VERSION_MAJOR 0
#define TEG_VERSION_MINOR 1
#define TEG_VERSION_PATCH 0
#define TEG_VERSION       "0.1.0"

TEG_BEGIN

/* Of the library that runs, "0.1.0"; static. */
TEG_API const char *teg_version(void);

TEG_END

#endif
