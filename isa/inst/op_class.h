/* Operation classes as an enumeration with names; see op_class.def. */
#ifndef TEG_ISA_INST_OP_CLASS_H
#define TEG_ISA_INST_OP_CLASS_H

#include <stddef.h>
#include <stdint.h>

enum teg_op_class {
#define CLASS(name, key, fallback, kind, help) CLASS_##name,
#include "isa/inst/op_class.def"
#undef CLASS
    TEG_CLASSES
};

enum teg_result_kind {
    RESULT_FIXED,
    RESULT_SHORT,
    RESULT_LONG,
};

struct teg_op_class_facts {
    const char *key;
    const char *help;
    enum teg_op_class fallback;
    enum teg_result_kind kind;
};

/* Never NULL; `c` must be below TEG_CLASSES. */
const struct teg_op_class_facts *teg_op_class_facts(enum teg_op_class c);
/* Returns the class with that key, or TEG_CLASSES. */
enum teg_op_class teg_op_class_find(const char *key);

/* Classes that say where a warp goes on. */
static inline int teg_op_class_is_branch(enum teg_op_class c)
{
    return c == CLASS_BRANCH || c == CLASS_CONVERGE;
}

/* Classes of products that tensor cores make. */
static inline int teg_op_class_is_tensor(enum teg_op_class c)
{
    return c == CLASS_HMMA || c == CLASS_IMMA || c == CLASS_DMMA ||
           c == CLASS_GMMA || c == CLASS_TCMMA;
}

#endif
