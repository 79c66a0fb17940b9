/*
 * How the host's memory is asked for: what the engine walks through, window after
 * window, is tens of megabytes in small pieces.
 */
#ifndef TEG_TOOLS_TEG_CLI_HEAP_H
#define TEG_TOOLS_TEG_CLI_HEAP_H

/* Before anything else; without glibc, or Linux, nothing. */
void heap_prepare(void);
/* In a process that was forked off from a large one: what was free is memory of its
 * own, not the parent's that is copied page by page. */
void heap_renew(void);

#endif
