/*
 * What the threads of a launch put into the device's streams (dynamic
 * parallelism): launches, copies and sets, which are done when the grid has
 * ended.
 *
 * A program cannot tell: since CUDA 12 a kernel cannot wait for what it
 * launches.  In order of the parent's blocks, each with all that it launches
 * itself; what is for the end of the grid ("tail launch") comes behind the rest.
 * In the list of the program they and the launch are nodes of a graph, each
 * behind what is before it in its stream, the first ones behind the launch.
 */
#ifndef TEG_TOOLS_CUDART_CHILDREN_H
#define TEG_TOOLS_CUDART_CHILDREN_H

#include "tools/cudart/registry.h"

struct child;

struct children {
    struct runtime *runtime; /* borrowed */
    struct module *module;   /* borrowed: of the launch's kernel */
    struct child *child;     /* owned, [count] */
    size_t count, capacity;
    int opened;      /* the graph in the program's list */
    json_t *nothing; /* owned: what its first node comes after */
};

/* What the emulator is to ask; `c` with its runtime and module outlives the
 * launch. */
struct emu_requests children_requests(struct children *c);
/* Before the launch's line is written: if there are children, a node begins. */
void children_open(struct children *c);
/* When the launch has ended, well or not: runs them all, ends the graph. */
void children_run(struct children *c);
void children_release(struct children *c);

#endif
