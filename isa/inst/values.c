#include "isa/inst/values.h"

#include <string.h>

/* Mnemonics, with all their modifiers, and what is said of them. */
static const struct lack {
    const char *mnemonic, *kind, *what;
} lacks[] = {
    {"LDGSTS", "copy-shared-side",
     "where LDGSTS writes in shared memory is not known: it conflicts with "
     "nothing there"},
    {"UBLKCP", "bulk-copy",
     "what bulk copies move is not known: they take no "
     "bandwidth"},
    {"UBLKRED", "bulk-copy",
     "what bulk reductions move is not known: they "
     "take no bandwidth"},
    {"UTMALDG", "tensor-copy",
     "what tensor copies move is not known: they "
     "take no bandwidth"},
    {"UTMASTG", "tensor-copy",
     "what tensor copies move is not known: they "
     "take no bandwidth"},
    {"UTMAREDG", "tensor-copy",
     "what tensor copies move is not known: they "
     "take no bandwidth"},
    {"SYNCS", "mbarrier",
     "which mbarriers SYNCS uses is not known, or other "
     "blocks use them: nobody waits there"},
};

static int is_of(const char *text, const char *mnemonic)
{
    size_t length, own = strlen(mnemonic);
    const char *at = teg_text_mnemonic(text, &length);

    return length >= own && memcmp(at, mnemonic, own) == 0 &&
           (length == own || at[own] == '.');
}

void teg_values_note(struct teg_notes *notes, const struct teg_inst *inst,
                     const char *text, const char *where)
{
    for (size_t i = 0; i < sizeof lacks / sizeof lacks[0]; i++) {
        if (inst->values == VALUES_NONE && is_of(text, lacks[i].mnemonic))
            teg_notes_add(notes, lacks[i].kind, where, "%s", lacks[i].what);
    }
}
