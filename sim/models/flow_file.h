/*
 * A data-flow model written by a user: an algorithm's operations, the data it
 * moves, the links they cross, and the ways to move less (docs/flow.md).
 *
 *     struct flow_file *f;
 *     TRY(flow_file_open("stencil.flow", &f, d));
 *     TRY(flow_file_set(f, "tile=32", d));
 *     TRY(flow_file_describe(f, &machine, &dataflow, d));
 *     dataflow_rank(&dataflow, 0, results);
 *     flow_file_free(f);
 *
 * The model itself is dataflow.h's; numbers in a file may be expressions of
 * its parameters.
 */
#ifndef TEG_SIM_MODELS_FLOW_FILE_H
#define TEG_SIM_MODELS_FLOW_FILE_H

#include "sim/models/dataflow.h"

struct flow_file;

enum {
    FLOW_PARAMETERS_MAX = 16,
};

struct flow_parameter {
    const char *name, *help; /* borrowed from the file */
    double value;            /* NAN: unknown */
};

/* What the algorithm runs on. */
struct flow_machine {
    const char *name, *title; /* borrowed */
    /* Gflop/s of multiply-adds by precision; 0: it has none */
    double peak_half, peak_single, peak_double;
    double shared_gbs, sm_gbs, l2_gbs, dram_gbs; /* 0: no such link */
    double thread_bytes; /* registers and shared memory, each thread's part */
    int core_path;       /* SMs reach each other's shared memory */
    int device_io;       /* the chip talks to other nodes by itself */
    int spare_arithmetic; /* for patterns that compute instead of moving */
};

/* Reads and checks the file.  TEG_IO, TEG_FORMAT with file and line. */
teg_status flow_file_open(const char *path, struct flow_file **out,
                          struct teg_diag *d);
void flow_file_free(struct flow_file *f);

const struct flow_parameter *flow_file_parameters(const struct flow_file *f,
                                                  uint32_t *count);
/* "NAME=NUMBER" or "NAME=unknown".  TEG_UNKNOWN with the nearest name. */
teg_status flow_file_set(struct flow_file *f, const char *text,
                         struct teg_diag *d);

/* The machine that the file itself describes; TEG_UNKNOWN if it does not. */
teg_status flow_file_machine(const struct flow_file *f, struct flow_machine *m,
                             struct teg_diag *d);
/* A GPU that 256 threads share an SM of (Lai 2013, 2.4.2). */
void flow_machine_of(struct flow_machine *m, const struct teg_gpu *gpu);

/*
 * The model of the algorithm on `m`; `out` borrows names from the file and is
 * valid until a parameter changes.  TEG_FORMAT with file and line where a
 * number makes no sense.
 */
teg_status flow_file_describe(struct flow_file *f, const struct flow_machine *m,
                              struct dataflow *out, struct teg_diag *d);

#endif
