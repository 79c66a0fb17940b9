#include "isa/inst/op_class.h"

#include <assert.h>
#include <string.h>

static const struct teg_op_class_facts facts[TEG_CLASSES] = {
#define CLASS(name, key, fallback, kind, help) \
    [CLASS_##name] = {key, help, CLASS_##fallback, RESULT_##kind},
#include "isa/inst/op_class.def"
#undef CLASS
};

const struct teg_op_class_facts *teg_op_class_facts(enum teg_op_class c)
{
    assert(c < TEG_CLASSES);
    return &facts[c];
}

enum teg_op_class teg_op_class_find(const char *key)
{
    for (enum teg_op_class c = 0; c < TEG_CLASSES; c++) {
        if (strcmp(facts[c].key, key) == 0)
            return c;
    }
    return TEG_CLASSES;
}
