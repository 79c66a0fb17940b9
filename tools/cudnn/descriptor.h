/*
 * Descriptors of cuDNN's graphs: each is a list of attributes, whose values the
 * program sets; descriptors among them are held as long as that is there.
 */
#ifndef TEG_TOOLS_CUDNN_DESCRIPTOR_H
#define TEG_TOOLS_CUDNN_DESCRIPTOR_H

#include <stdint.h>

#include "tools/cudnn/dnn.h"

/* cudnnBackendDescriptorType_t: those that mean something here. */
enum graph_descriptor {
    GRAPH_POINTWISE = 0,
    GRAPH_CONVOLUTION = 1,
    GRAPH_ENGINE = 2,
    GRAPH_CONFIG = 3,
    GRAPH_HEURISTICS = 4,
    GRAPH_PLAN = 5,
    GRAPH_OP_FPROP = 10,
    GRAPH_OP_WGRAD = 11,
    GRAPH_OP_DGRAD = 12,
    GRAPH_OP_POINTWISE = 13,
    GRAPH_OPERATIONS = 15,
    GRAPH_VARIANT_PACK = 16,
    GRAPH_TENSOR = 17,
    GRAPH_DESCRIPTORS = 64, /* no more than these */
};

/* cudnnBackendAttributeType_t */
enum graph_type {
    GRAPH_TYPE_INT64 = 3,
    GRAPH_TYPE_NOTE = 11,
    GRAPH_TYPE_DESCRIPTOR = 15,
    GRAPH_TYPE_BEHAVIOR = 19,
    GRAPH_TYPES = 27,
};

struct descriptor;

struct descriptor *descriptor_new(int type);
void descriptor_hold(struct descriptor *d);
void descriptor_drop(struct descriptor *d); /* NULL is none */

int descriptor_type(const struct descriptor *d);
/* Its attributes become those of `from`, of the same type. */
enum dnn_status descriptor_copy(struct descriptor *d,
                                const struct descriptor *from);

/* Bytes of a value; 0: no such type. */
size_t graph_type_bytes(int type);

enum dnn_status descriptor_set(struct descriptor *d, int name, int type,
                               int64_t count, const void *values);
/* NULL: it was not set. */
const void *descriptor_get(const struct descriptor *d, int name, int *type,
                           int64_t *count);

/* Of an attribute's first value: `otherwise` if it was not set. */
int descriptor_int(const struct descriptor *d, int name, int otherwise);
int64_t descriptor_int64(const struct descriptor *d, int name,
                         int64_t otherwise);
/* A float or a double. */
double descriptor_number(const struct descriptor *d, int name,
                         double otherwise);
struct descriptor *descriptor_of(const struct descriptor *d, int name);

/* What finalizing made of it, freed with it. */
void descriptor_finish(struct descriptor *d, void *made);
int descriptor_is_final(const struct descriptor *d);
void *descriptor_made(const struct descriptor *d);

#endif
