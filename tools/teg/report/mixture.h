/*
 * What a part of the chip is busy with: the opcode that has most of its work,
 * and the line of the source that has most of that.
 *
 *     mixture_find(by_pc, gpu, "unit sfu", text, sizeof text);
 *         "50 % of its instructions are F2F.F64.F32, most at t.cu:9"
 */
#ifndef TEG_TOOLS_TEG_REPORT_MIXTURE_H
#define TEG_TOOLS_TEG_REPORT_MIXTURE_H

#include "config/gpu.h"
#include "sim/collect/by_pc.h"

/* `part`: "issue", "dram", "l2" or "unit NAME"; "" in `out` for others and
 * where nothing is known.  Returns the index in the program of the instruction
 * with the most work, UINT32_MAX if there is none. */
uint32_t mixture_find(const struct by_pc *b, const struct teg_gpu *gpu,
                      const char *part, char *out, size_t size);

#endif
