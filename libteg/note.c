#include "include/teg/note.h"

#include "libteg/result.h"
#include "traces/trace.h"

static const struct teg_note *note_of(const struct teg_notes *notes, uint32_t i)
{
    return i < notes->count ? &notes->note[i] : NULL;
}

const struct teg_note *teg_trace_note(const struct teg_trace *trace, uint32_t i)
{
    return note_of(teg_trace_notes(trace), i);
}

const struct teg_note *teg_result_note(const struct teg_result *result,
                                       uint32_t i)
{
    return note_of(&result->notes, i);
}

const char *teg_note_kind(const struct teg_note *note)
{
    return note->kind;
}

const char *teg_note_where(const struct teg_note *note)
{
    return note->where;
}

const char *teg_note_what(const struct teg_note *note)
{
    return note->what;
}

uint64_t teg_note_count(const struct teg_note *note)
{
    return note->count;
}
