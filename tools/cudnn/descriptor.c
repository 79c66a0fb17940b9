#include "tools/cudnn/descriptor.h"

#include <stdlib.h>
#include <string.h>

enum {
    TYPE_FLOAT = 4,
};

struct attribute {
    int name, type;
    int64_t count;
    void *values;
};

struct descriptor {
    int type, holders, final;
    int count;
    struct attribute *attribute;
    void *made;
};

static const struct {
    unsigned char bytes;
} types[GRAPH_TYPES] = {
    {8}, {4}, {1}, {8}, {4}, {8}, {8}, {4}, {4}, {4}, {4}, {4}, {4},  {4},
    {4}, {8}, {4}, {4}, {4}, {4}, {4}, {4}, {4}, {4}, {1}, {4}, {16},
};

size_t graph_type_bytes(int type)
{
    return type >= 0 && type < GRAPH_TYPES ? types[type].bytes : 0;
}

struct descriptor *descriptor_new(int type)
{
    struct descriptor *d = calloc(1, sizeof *d);

    if (d != NULL) {
        d->type = type;
        d->holders = 1;
    }
    return d;
}

static void clear(struct attribute *a)
{
    struct descriptor **held = a->values;

    for (int64_t i = 0; a->type == GRAPH_TYPE_DESCRIPTOR && i < a->count; i++)
        descriptor_drop(held[i]);
    free(a->values);
    a->values = NULL;
    a->count = 0;
}

void descriptor_hold(struct descriptor *d)
{
    if (d != NULL)
        __atomic_add_fetch(&d->holders, 1, __ATOMIC_RELAXED);
}

void descriptor_drop(struct descriptor *d)
{
    if (d == NULL || __atomic_sub_fetch(&d->holders, 1, __ATOMIC_ACQ_REL) > 0)
        return;
    for (int i = 0; i < d->count; i++)
        clear(&d->attribute[i]);
    free(d->attribute);
    free(d->made);
    free(d);
}

int descriptor_type(const struct descriptor *d)
{
    return d->type;
}

static struct attribute *find(const struct descriptor *d, int name)
{
    for (int i = 0; i < d->count; i++) {
        if (d->attribute[i].name == name)
            return &d->attribute[i];
    }
    return NULL;
}

static struct attribute *add(struct descriptor *d, int name)
{
    struct attribute *more =
        realloc(d->attribute, (size_t)(d->count + 1) * sizeof *more);

    if (more == NULL)
        return NULL;
    d->attribute = more;
    more[d->count] = (struct attribute){.name = name};
    return &more[d->count++];
}

enum dnn_status descriptor_set(struct descriptor *d, int name, int type,
                               int64_t count, const void *values)
{
    const size_t bytes = graph_type_bytes(type) * (size_t)count;
    struct descriptor *const *held = values;
    struct attribute *a = find(d, name);
    void *copy;

    if (bytes == 0 && count > 0)
        return DNN_BAD_PARAM_ATTRIBUTE_TYPE;
    if (count < 0 || (values == NULL && count > 0))
        return DNN_BAD_PARAM;
    copy = malloc(bytes > 0 ? bytes : 1);
    if (copy != NULL && a == NULL)
        a = add(d, name);
    if (copy == NULL || a == NULL) {
        free(copy);
        return DNN_INTERNAL_ERROR_HOST_ALLOCATION_FAILED;
    }
    for (int64_t i = 0; type == GRAPH_TYPE_DESCRIPTOR && i < count; i++)
        descriptor_hold(held[i]);
    if (bytes > 0)
        memcpy(copy, values, bytes);
    clear(a);
    a->type = type;
    a->count = count;
    a->values = copy;
    return DNN_SUCCESS;
}

enum dnn_status descriptor_copy(struct descriptor *d,
                                const struct descriptor *from)
{
    enum dnn_status status = DNN_SUCCESS;

    if (d->type != from->type)
        return DNN_BAD_PARAM_DESCRIPTOR_TYPE;
    for (int i = 0; i < from->count && status == DNN_SUCCESS; i++) {
        const struct attribute *a = &from->attribute[i];

        status = descriptor_set(d, a->name, a->type, a->count, a->values);
    }
    d->final = from->final;
    return status;
}

const void *descriptor_get(const struct descriptor *d, int name, int *type,
                           int64_t *count)
{
    const struct attribute *a = find(d, name);

    if (a == NULL)
        return NULL;
    *type = a->type;
    *count = a->count;
    return a->values;
}

/* The first of an attribute's values; NULL: there is none of so many bytes. */
static const void *first_of(const struct descriptor *d, int name, size_t bytes)
{
    const struct attribute *a = d != NULL ? find(d, name) : NULL;

    return a != NULL && a->count > 0 && graph_type_bytes(a->type) == bytes
               ? a->values
               : NULL;
}

int descriptor_int(const struct descriptor *d, int name, int otherwise)
{
    const int *value = first_of(d, name, sizeof *value);

    return value != NULL ? *value : otherwise;
}

int64_t descriptor_int64(const struct descriptor *d, int name,
                         int64_t otherwise)
{
    const int64_t *value = first_of(d, name, sizeof *value);

    return value != NULL ? *value : otherwise;
}

double descriptor_number(const struct descriptor *d, int name, double otherwise)
{
    const struct attribute *a = d != NULL ? find(d, name) : NULL;

    if (a == NULL || a->count < 1)
        return otherwise;
    return a->type == TYPE_FLOAT ? (double)*(const float *)a->values
                                 : *(const double *)a->values;
}

struct descriptor *descriptor_of(const struct descriptor *d, int name)
{
    struct descriptor *const *value = first_of(d, name, sizeof *value);

    return value != NULL ? *value : NULL;
}

void descriptor_finish(struct descriptor *d, void *made)
{
    free(d->made);
    d->made = made;
    d->final = 1;
}

int descriptor_is_final(const struct descriptor *d)
{
    return d->final;
}

void *descriptor_made(const struct descriptor *d)
{
    return d->made;
}
