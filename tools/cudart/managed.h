/*
 * Where pages of managed memory are, as far as the program shows it.
 *
 * Models: a page is on the host when the host has written it since the device
 * had it last, which is seen before each launch by what is in it; it moves to
 * the device with the first launch that touches it, or by a prefetch, and back
 * by one.  Pages that are preferred on the host stay; those read mostly are on
 * both sides until one writes.  (CUDA C++ Programming Guide: Unified Memory)
 * Leaves out: what the host only reads moves nothing; pages that the device
 * touches first of all are made there, in no time; launches of graphs.
 */
#ifndef TEG_TOOLS_CUDART_MANAGED_H
#define TEG_TOOLS_CUDART_MANAGED_H

#include "tools/cudart/runtime.h"

struct managed;
struct shared_memory;

void managed_free(struct managed *m); /* NULL: nothing */
/* Around a launch that is traced: what the host has written since the one
 * before, and which pages the launch has moved, for the list. */
void managed_before_launch(struct runtime *r);
void managed_after_launch(struct runtime *r);
/* Moves pages of the range, for the list; 0: it is not managed memory. */
int managed_prefetch(struct runtime *r, const void *address, size_t bytes,
                     int to_device);
int managed_advise(struct runtime *r, const void *address, size_t bytes,
                   int advice, int of_host);

#endif
