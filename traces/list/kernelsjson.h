/*
 * kernels.json: the launches of a program, as `teg exec` writes them.
 *
 *   {"teg": {"schema": 3},
 *    "kernels": [{"trace": "k0.tegt", "launches": 3, "name": "saxpy"}, ...],
 *    "order": [{"what": "host-to-device", "address": "0x7f...", "bytes": 4096},
 *              {"kernel": 0, "launches": 3}, ...]}
 *
 * `trace` is a file, relative to the list; `launches` (default 1) says how
 * many identical launches the entry stands for; `alike` which earlier entry it differs
 * from in nothing but where its buffers are.  `order`, which schema 1 does
 * not have, is the program's score (score.h): each kernel by its place in
 * `kernels`, as often in all as its entry says, and between them what was
 * copied, set, recorded, waited for and launched as a graph of "graphs", in
 * which of the "streams" (schema 3).  What of it changes caches becomes the
 * list's steps.  Everything else is for whoever reads the file and is ignored
 * here.
 */
#ifndef TEG_TRACES_LIST_KERNELSJSON_H
#define TEG_TRACES_LIST_KERNELSJSON_H

#include "traces/list/kernelslist.h"

enum {
    TEG_KERNELSJSON_SCHEMA = 3, /* and those before */
    TEG_KERNELSJSON_BYTES_MAX = 256 << 20,
};

/* True if the first bytes begin a JSON object. */
int teg_kernelsjson_recognise(const uint8_t *bytes, size_t size);

/* A list without a kernel, or with one whose file is missing, is an error that
 * names the entry ("app.json: kernels[2]"). */
teg_status teg_kernelsjson_read(const struct teg_source *source,
                                struct teg_kernelslist *list,
                                struct teg_diag *d);

#endif
