/*
 * Drafts a GPU description from measurements (tools/measure).
 *
 *     name   = "mychip";
 *     family = "family/ampere.cfg";
 *     chip: {
 *         sm_clock_mhz = ( 1410, "M tools/measure on NVIDIA A100, driver 12.4: clock sm" );
 *         ...
 *     # From family/ampere.cfg, not measured:
 *     # sm.register_unit = 256: V CUDA occupancy calculator, cc 8.0
 *
 * Measured values are marked M, what the driver reports V, what is taken over
 * from the most similar known chip I with that chip's source behind it; the
 * rest is that chip's family's and listed as a comment.
 */
#ifndef TEG_TOOLS_TEG_GPU_DRAFT_DRAFT_H
#define TEG_TOOLS_TEG_GPU_DRAFT_DRAFT_H

/* Writes the draft of `measurements` to `out` (NULL: standard output) and,
 * where it is a file, loads it.  Says what is wrong; returns an exit
 * status. */
int draft_write(const char *measurements, const char *config_dir,
                const char *out);

#endif
