/* What every header here needs: C linkage, and the mark of what libteg.so
 * exports.  A user includes teg/teg.h. */
#ifndef TEG_PUBLIC_API_H
#define TEG_PUBLIC_API_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define TEG_API __attribute__((visibility("default")))
#else
#define TEG_API
#endif

#ifdef __cplusplus
#define TEG_BEGIN extern "C" {
#define TEG_END   }
#else
#define TEG_BEGIN
#define TEG_END
#endif

#endif
