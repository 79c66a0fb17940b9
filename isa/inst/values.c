#include "isa/inst/values.h"

#include "isa/inst/sleep.h"

/* Mnemonics, with all their modifiers, and what is said of them; the first row
 * has it.  NULL: nothing lacks. */
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
    {"UTMAPF", "tensor-copy",
     "what tensor copies move is not known: they "
     "take no bandwidth"},
    {"UTCHMMA", "tensor-memory",
     "the shapes of products of tensor memory are not known: they are timed "
     "by class"},
    {"UTCIMMA", "tensor-memory",
     "the shapes of products of tensor memory are not known: they are timed "
     "by class"},
    {"UTCQMMA", "tensor-memory",
     "the shapes of products of tensor memory are not known: they are timed "
     "by class"},
    {"UTCOMMA", "tensor-memory",
     "the shapes of products of tensor memory are not known: they are timed "
     "by class"},
    {"UTCBAR", "mbarrier",
     "which mbarriers UTCBAR uses is not known: nobody waits there"},
    {"UGETNEXTWORKID", "mbarrier",
     "which mbarriers UGETNEXTWORKID uses is not known: nobody waits there"},
    {"SYNCS.CCTL", "", NULL}, /* ends an mbarrier: nobody waits */
    {"SYNCS", "mbarrier",
     "which mbarriers SYNCS uses is not known: nobody waits there"},
    {"ARRIVES", "mbarrier",
     "which mbarriers ARRIVES uses is not known: nobody waits there"},
    {"REDAS", "remote-store",
     "where REDAS adds is not known: it takes no bandwidth between SMs, and "
     "nobody hears of it"},
    {"STAS", "remote-store",
     "where STAS stores is not known: it takes no bandwidth between SMs, and "
     "nobody hears of it"},
};

#define LACKS (sizeof lacks / sizeof lacks[0])

void teg_values_note(struct teg_notes *notes, const struct teg_inst *inst,
                     const char *text, const char *where)
{
    uint32_t ns;
    size_t i = 0;

    if (inst->values != VALUES_NONE)
        return;
    if (teg_sleep_is_timed(text) && !teg_sleep_told(text, &ns))
        teg_notes_add(notes, "sleep", where,
                      "how long NANOSLEEP sleeps is not known: nobody waits "
                      "there");
    while (i < LACKS && !teg_text_is(text, lacks[i].mnemonic))
        i++;
    if (i < LACKS && lacks[i].what != NULL)
        teg_notes_add(notes, lacks[i].kind, where, "%s", lacks[i].what);
}

int teg_program_awaits(const struct teg_program *program)
{
    for (uint32_t i = 0; i < program->count; i++) {
        if (program->inst[i].values == VALUES_AWAITED)
            return 1;
    }
    return 0;
}
