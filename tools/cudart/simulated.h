/*
 * What launches take by the simulator, as the program goes (teg exec --time):
 * each is replayed from its trace, long ones sampled, in L2 and TLBs as the
 * launches and copies before it left them.
 *
 * A launch of a trace behind the same as before, launches, copies, sets and waits since
 * the trace's launch before it, takes what it took then, and what caches hold
 * afterwards is found out when somebody asks (sim/sample/skipped.h).
 * What-ifs (sim/teg.h) hold for every launch.
 */
#ifndef TEG_TOOLS_CUDART_SIMULATED_H
#define TEG_TOOLS_CUDART_SIMULATED_H

#include "config/gpu.h"
#include "tools/cudart/timeline.h"

struct simulated;

/* `gpu` and `what_ifs` (names joined by commas, known ones; NULL: none) are borrowed
 * and outlive it; `jobs`: host threads.  NULL: no memory. */
struct simulated *simulated_new(const struct teg_gpu *gpu, const char *what_ifs,
                                unsigned jobs);
/* Something other than a kernel has written these bytes of device memory. */
void simulated_write(struct simulated *s, uint64_t address, uint64_t bytes);
/* The host waits until the device has nothing to do. */
void simulated_rest(struct simulated *s);
/* A trace, which stays as it is; launches of the same likeness differ in nothing but
 * where their buffers are.  Its number, or UINT32_MAX: no memory. */
uint32_t simulated_trace(struct simulated *s, const char *path,
                         uint64_t likeness);
/* A launch of the trace, alone on the chip, or what an earlier one takes: behind the
 * same as this one, or of its likeness, finding as much in L2 (sim/sample/recall.h).
 * `*took` is the module's. */
teg_status simulated_launch(struct simulated *s, uint32_t trace,
                            struct timeline_launch **took, struct teg_diag *d);

#endif
