/*
 * Instruction caches as a list of what happened to each line: who looks for
 * one walks it backwards.  A second reading of sim/engine/fetch.h's rules.
 */
#ifndef TEG_TESTS_SIM_ENGINE_HELP_NAIVE_FETCH_H
#define TEG_TESTS_SIM_ENGINE_HELP_NAIVE_FETCH_H

#include "config/gpu.h"
#include "isa/inst/inst.h"

struct naive_fetch;

/* A program, of that number on the chip, of so many bytes. */
struct naive_code {
    uint64_t number, bytes;
};

struct naive_code naive_code_of(const struct teg_gpu *gpu, uint32_t number,
                                const struct teg_program *program);

/* The caches of an SM of `gpu`, borrowed; NULL without any. */
struct naive_fetch *naive_fetch_new(const struct teg_gpu *gpu);
void naive_fetch_free(struct naive_fetch *f);

/* A warp of `scheduler` comes to the line of `pc` of `code` in cycle `now`: the
 * cycle that line is there. */
uint64_t naive_fetch_at(struct naive_fetch *f, uint32_t scheduler,
                        const struct naive_code *code, uint64_t pc,
                        uint64_t now);

#endif
