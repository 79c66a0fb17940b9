/*
 * How the host's memory is asked for: what the engine walks through, window after
 * window, is tens of megabytes in small pieces.
 */
#ifndef TEG_TOOLS_TEG_CLI_HEAP_H
#define TEG_TOOLS_TEG_CLI_HEAP_H

/* Before anything else; without glibc, or Linux, nothing. */
void heap_prepare(void);

#endif
