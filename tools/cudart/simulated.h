/*
 * What launches take by the simulator, as the program goes (teg exec --time):
 * each is replayed from its trace, long ones sampled, in L2 and TLBs as the
 * launches and copies before it left them.
 */
#ifndef TEG_TOOLS_CUDART_SIMULATED_H
#define TEG_TOOLS_CUDART_SIMULATED_H

#include "config/gpu.h"
#include "sim/program/program.h"

struct simulated;

/* `gpu` is borrowed and outlives it; `jobs`: host threads.  NULL: no memory. */
struct simulated *simulated_new(const struct teg_gpu *gpu, unsigned jobs);
/* Something other than a kernel has written these bytes of device memory. */
void simulated_write(struct simulated *s, uint64_t address, uint64_t bytes);
/* The host waits until the device has nothing to do. */
void simulated_rest(struct simulated *s);
/* The launch whose trace the file is, alone on the chip, or what an earlier one of that
 * likeness takes that finds as much in L2 (sim/sample/recall.h). */
teg_status simulated_launch(struct simulated *s, const char *path,
                            uint64_t likeness, struct sim_program_kernel *alone,
                            struct teg_diag *d);

#endif
