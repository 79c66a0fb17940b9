#include "tools/teg/cli/teg.h"

#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void say(const char *where, const char *format, ...)
{
    va_list arguments;

    fputs("teg: ", stderr);
    if (where[0] != '\0')
        fprintf(stderr, "%s: ", where);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
}

int say_fault(const struct teg_diag *d)
{
    if (d->status == TEG_INTERRUPTED)
        return EXIT_INTERRUPTED;
    say(d->where, "%s", d->what);
    return EXIT_FAULT;
}

int say_usage(const char *command, const char *format, ...)
{
    const char *space = command[0] != '\0' ? " " : "";
    va_list arguments;

    fprintf(stderr, "teg%s%s: ", space, command);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fprintf(stderr, "\nTry 'teg%s%s --help'.\n", space, command);
    return EXIT_USAGE;
}

int say_memory(void)
{
    say("", "out of memory");
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
