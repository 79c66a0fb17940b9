#include "isa/base/notes.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/base/printable.h"

static struct teg_note *find(const struct teg_notes *notes, const char *kind)
{
    for (size_t i = 0; i < notes->count; i++) {
        if (strcmp(notes->note[i].kind, kind) == 0)
            return &notes->note[i];
    }
    return NULL;
}

void teg_notes_add(struct teg_notes *notes, const char *kind, const char *where,
                   const char *format, ...)
{
    struct teg_note *note = find(notes, kind);
    char what[sizeof note->what];
    va_list arguments;

    if (note != NULL) {
        note->count++;
        return;
    }
    note = realloc(notes->note, (notes->count + 1) * sizeof *note);
    if (note == NULL) {
        notes->failed = 1;
        return;
    }
    notes->note = note;
    note += notes->count++;
    note->count = 1;
    teg_printable(note->kind, sizeof note->kind, kind);
    teg_printable(note->where, sizeof note->where, where);
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    teg_printable(note->what, sizeof note->what, what);
}

uint64_t teg_notes_count(const struct teg_notes *notes, const char *kind)
{
    const struct teg_note *note = find(notes, kind);

    return note != NULL ? note->count : 0;
}

void teg_notes_release(struct teg_notes *notes)
{
    free(notes->note);
    *notes = (struct teg_notes){0};
}
