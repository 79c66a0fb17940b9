/*
 * libteg: how many cycles a GPU kernel takes, and why, without a GPU.
 *
 *     cc program.c $(pkg-config --cflags --libs teg)
 *
 * docs/library.md tells how to link it and shows a whole program; what each
 * call means stands in the headers below.  Handles (struct teg_gpu, teg_trace,
 * teg_replay ...) are opaque: made by a call, freed by another.
 */
#ifndef TEG_PUBLIC_TEG_H
#define TEG_PUBLIC_TEG_H

#include "emulate.h"
#include "gpu.h"
#include "model.h"
#include "note.h"
#include "replay.h"
#include "result.h"
#include "status.h"
#include "trace.h"
#include "version.h"

#endif
