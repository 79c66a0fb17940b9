#include "tools/teg/cli/teg.h"

#include "isa/base/printable.h"
#include "tools/teg/cli/pipes.h"

#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum {
    LINE_MAX_BYTES = 4096, /* of a message; nothing that is said is longer */
};

/* One line, whatever a name or a path in it holds: it stands in memory, not
 * on the heap, for it may say that there is none. */
__attribute__((format(printf, 1, 0))) static void say_line(const char *format,
                                                           va_list arguments)
{
    char raw[LINE_MAX_BYTES], line[LINE_MAX_BYTES];

    vsnprintf(raw, sizeof raw, format, arguments);
    fprintf(stderr, "%s\n", teg_printable(line, sizeof line, raw));
}

void say(const char *where, const char *format, ...)
{
    char raw[LINE_MAX_BYTES], place[LINE_MAX_BYTES];
    va_list arguments;

    where = pipe_title(where, raw, sizeof raw);
    fprintf(stderr, "teg: %s%s", teg_printable(place, sizeof place, where),
            where[0] != '\0' ? ": " : "");
    va_start(arguments, format);
    say_line(format, arguments);
    va_end(arguments);
}

int say_fault(const struct teg_diag *d)
{
    if (d->status == TEG_INTERRUPTED)
        return EXIT_INTERRUPTED;
    if (d->status == TEG_MEMORY && d->where[0] == '\0')
        return say_memory();
    say(d->where, "%s", d->what);
    return EXIT_FAULT;
}

int say_usage(const char *command, const char *format, ...)
{
    const char *space = command[0] != '\0' ? " " : "";
    va_list arguments;

    fprintf(stderr, "teg%s%s: ", space, command);
    va_start(arguments, format);
    say_line(format, arguments);
    va_end(arguments);
    fprintf(stderr, "Try 'teg%s%s --help'.\n", space, command);
    return EXIT_USAGE;
}

int say_memory(void)
{
    static bool said; /* whoever comes upon it next has nothing to add */

    if (!said)
        say("", "out of memory");
    said = true;
    return EXIT_FAULT;
}

/* A suggestion must share about half of its letters with what was typed. */
const char *did_you_mean(const struct teg_nearest *n, const char *prefix,
                         char out[96])
{
    out[0] = '\0';
    if (n->best != NULL && n->distance <= 1 + strlen(n->typed) / 2)
        snprintf(out, 96, "; did you mean '%s%.64s'?", prefix, n->best);
    return out;
}

static volatile sig_atomic_t stop_asked;

static void on_interrupt(int signal)
{
    (void)signal;
    stop_asked = 1;
}

void catch_interrupt(void)
{
    /* A second Ctrl-C ends the program at once. */
    struct sigaction action = {.sa_handler = on_interrupt,
                               .sa_flags = (int)SA_RESETHAND};

    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
}

bool interrupted(void)
{
    return stop_asked != 0;
}
