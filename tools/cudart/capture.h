/*
 * Stream capture: a graph being built from what is put into streams.  A stream
 * of a capture knows the nodes its next one comes after (its frontier); an
 * event recorded there takes them along, and a stream that waits for the event
 * comes after them too, and so joins the capture.
 */
#ifndef TEG_TOOLS_CUDART_CAPTURE_H
#define TEG_TOOLS_CUDART_CAPTURE_H

#include "tools/cudart/stream.h"

/* The capture under way that the frontier belongs to; NULL if there is none. */
struct capture *capture_of(struct runtime *r, const struct frontier *f);
/* Keeps the operation as a node behind the stream's frontier. */
int capture_add(struct runtime *r, struct stream *s, const struct operation *o);
int capture_copy(struct frontier *to, const struct frontier *from);
/* What comes behind `to` comes behind `from` as well. */
int capture_join(struct runtime *r, struct frontier *to,
                 const struct frontier *from);
void capture_forget(struct frontier *f);

#endif
