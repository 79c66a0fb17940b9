/*
 * Data-flow model: the bytes an algorithm moves over each link per unit of
 * work bound its speed.
 *
 * Assumes: parallelism without end, full arithmetic pipelines, communication
 * hidden behind computation, caches that hold nothing.
 *
 * J. Lai, PhD thesis, 2013, chapter 2.
 */
#ifndef TEG_SIM_MODELS_DATAFLOW_H
#define TEG_SIM_MODELS_DATAFLOW_H

#include "sim/models/model.h"

enum {
    DATAFLOW_LINKS_MAX = 8,
    DATAFLOW_FLOWS_MAX = 16,
    DATAFLOW_PATTERNS_MAX = 8,
    DATAFLOW_EDITS_MAX = 8,
};

struct dataflow_link {
    const char *name; /* borrowed, as all names here; outlive the algorithm */
    double bandwidth_gbs;
    double efficiency; /* share of it that carries data */
};

/* Bytes per unit of work over one link: bytes x uses, reads and writes both
 * counted. */
struct dataflow_flow {
    const char *name;
    uint32_t link;
    double bytes;   /* NAN: unknown, and so is what depends on it */
    uint32_t group; /* flows of one, from 1, are together `group_bytes`, which
                       is known even if a member is not; 0: none */
};

/* A way to move less: factors of some flows. */
struct dataflow_pattern {
    const char *name, *help;
    struct {
        uint32_t flow;
        double factor; /* 0: stays local */
    } edit[DATAFLOW_EDITS_MAX];
    uint32_t edits;
    int feasible;    /* on this machine */
    const char *why; /* if it is not */
    double moved;    /* bytes that leave the cores otherwise than by memory */
};

struct dataflow {
    const char *name, *unit; /* of work: "site" */
    double ops;              /* operations per unit of work */
    double peak_gflops;      /* of the machine */
    struct dataflow_link link[DATAFLOW_LINKS_MAX];
    struct dataflow_flow flow[DATAFLOW_FLOWS_MAX];
    double group_bytes[DATAFLOW_FLOWS_MAX + 1];
    struct dataflow_pattern pattern[DATAFLOW_PATTERNS_MAX];
    uint32_t links, flows, patterns;
    int has_cores; /* R_A/C is defined */
    int direct;    /* cores reach others than memory: what patterns move counts,
                      else all that goes over the first link */
};

enum {
    DATAFLOW_PEAK = -1 /* arithmetic, not a link */
};

struct dataflow_result {
    uint32_t set;                      /* bit i: pattern[i] is used */
    double bytes[DATAFLOW_LINKS_MAX];  /* per unit of work */
    double ratio[DATAFLOW_LINKS_MAX];  /* operations per byte */
    double gflops[DATAFLOW_LINKS_MAX]; /* the link allows */
    double core_bytes, core_ratio;     /* R_A/C, 2.3; NAN: not defined */
    double potential;                  /* Gflop/s; NAN if a flow is unknown */
    int bottleneck;                    /* link, or DATAFLOW_PEAK */
    double gap; /* next limit / potential; infinite if there is none */
};

/* With the patterns of `set`. */
void dataflow_evaluate(const struct dataflow *d, uint32_t set,
                       struct dataflow_result *r);
/* All sets of patterns (feasible ones only, if asked for), fastest first,
 * then with fewest patterns; unknown ones last.  `r` holds 2^patterns. */
uint32_t dataflow_rank(const struct dataflow *d, int feasible_only,
                       struct dataflow_result *r);

/* ---- Lattice QCD's Hopping_Matrix (Lai 2013, 2.3 to 2.4) ---- */

enum lattice_pattern {
    LATTICE_P1 = 1 << 0, /* rebuild gauge matrices from 8 of 18 numbers */
    LATTICE_P2 = 1 << 1, /* share each between its two sites */
    LATTICE_P3 = 1 << 2, /* intermediate half spinors stay local */
    LATTICE_P4 = 1 << 3, /* those at processor boundaries too */
    LATTICE_P5 = 1 << 4, /* those at core boundaries too */
    LATTICE_PATTERNS = 5,
    LATTICE_SETS = 1 << LATTICE_PATTERNS
};

/* Why a pattern is not for a machine (2.4.2). */
#define LATTICE_NO_GAUGE   "no room for gauge matrices on the chip"
#define LATTICE_NO_SPINORS "no room for half spinors on the chip"
#define LATTICE_NO_IO      "no I/O of its own"
#define LATTICE_NO_PATH    "no path between the cores"

struct lattice_machine {
    const char *name, *title;
    double peak_gflops; /* double precision */
    double memory_gbs;
    double io_gbs, io_efficiency; /* 0: one node, no I/O */
    int direct; /* local stores reach each other and I/O, not by memory */
    const char *why_not[LATTICE_PATTERNS]; /* P1 to P5; NULL: feasible */
};

/* "cell" and "gtx280" as in the source; NULL for others. */
const struct lattice_machine *lattice_machine(const char *name);
/* `alpha`: half spinors at processor boundaries, `beta`: at core boundaries,
 * as shares of all; NAN where unknown. */
void lattice_qcd(struct dataflow *d, const struct lattice_machine *m,
                 double alpha, double beta);

/* ---- as a model of a trace ---- */

#endif
