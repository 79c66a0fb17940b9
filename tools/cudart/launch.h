/* Launches of kernels. */
#ifndef TEG_TOOLS_CUDART_LAUNCH_H
#define TEG_TOOLS_CUDART_LAUNCH_H

#include "tools/cudart/registry.h"

struct event;

struct launch_shape {
    struct cuda_dim3 grid, block;
    size_t shared;
    struct cuda_dim3 cluster; /* blocks; 0: as the kernel says, else none */
    uint32_t carveout; /* as of a struct teg_kernel; 0: as the kernel says */
    int cooperative;
    int dependent;       /* may start before the launch before it has ended */
    struct event *event; /* borrowed: recorded behind it; NULL: none */
};

/* Reads the attributes of a launch into its shape; one that is not known
 * changes nothing. */
void launch_read_attributes(struct launch_shape *shape,
                            const struct cuda_launch_attribute *attribute,
                            uint32_t count);

/* The other way round; zeros for one that is not known. */
void launch_write_attribute(const struct launch_shape *shape, int id,
                            struct cuda_launch_attribute *a);

/* In a stream: run, or kept where it is being captured. */
int launch_submit(struct runtime *r, struct function *f,
                  const struct launch_shape *shape, void **args, void *stream);

/* Checks, runs, traces.  `args[i]` points to the value of parameter i. */
int function_launch(struct runtime *r, struct function *f,
                    const struct launch_shape *shape, void **args);

#endif
