/*
 * Line tables of a cubin: .debug_line, as nvcc -lineinfo and -G have ptxas
 * write it (DWARF Debugging Information Format, version 2 to 4, section 6.2).
 *
 * Every function begins at address 0, so it takes the relocations to tell
 * whose code a sequence of rows is.  Calls that were inlined are told by an
 * opcode of NVIDIA's, DW_LNE_NVIDIA_inlined_call (0x90): the number of the
 * call's row in its sequence, from 1, and the function's name in .debug_str.
 *
 * Where that has no rows, as of PTX that was written by hand or by a compiler
 * that says no lines, .nv_debug_line_sass has those of the PTX: a table of the
 * same form without names of files.  Its file is called "ptx".
 *
 * elfutils' libdw reads such tables too, but neither relocates a linked file
 * nor keeps the rows' numbers: it sorts the rows of all functions, which lie
 * on each other, by address.
 */
#ifndef TEG_ISA_BINARY_DWARF_H
#define TEG_ISA_BINARY_DWARF_H

#include "isa/binary/cubin.h"

/* Adds the positions of all kernels of `c`, none if it has no table.  Tables
 * of other versions are passed over. */
teg_status teg_dwarf_lines(struct teg_lines *l, const struct teg_cubin *c,
                           struct teg_diag *d);

#endif
