/*
 * What a program's launches take of this machine's processors, for `teg exec
 * --timing`: a line each in a file that all processes of the program append to,
 *
 *     emulation US THREAD_INSTRUCTIONS
 *     replay US 0
 *
 * so that one that is killed has counted, too.
 */
#ifndef TEG_TOOLS_CUDART_SPENT_H
#define TEG_TOOLS_CUDART_SPENT_H

#include <stdint.h>

/* The file of that name, which `teg exec` has made; -1: nobody wants them. */
int spent_open(const char *path);

/* Processor time of this process, all its threads, in us. */
uint64_t spent_now(void);

/* The launch has taken from `before` until now, for `what`. */
void spent_add(int file, const char *what, uint64_t before,
               uint64_t thread_insts);

/* Seconds of a clock that shows the machine's time also under --time. */
double spent_clock(void);

#endif
