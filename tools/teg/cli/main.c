#include "tools/teg/cli/heap.h"
#include "tools/teg/cli/output.h"
#include "tools/teg/cli/teg.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Headings are rows without a name until they are handed on. */
static const struct command command_rows[] = {
#define GROUP(title)                  {title, NULL, NULL, NULL, NULL},
#define COMMAND(name, operands, help) {NULL, #name, operands, help, cmd_##name},
#include "tools/teg/cli/commands.def"
};

const struct command *commands(size_t *count)
{
    enum {
        ROWS = sizeof command_rows / sizeof command_rows[0]
    };
    static struct command table[ROWS];
    const char *group = "";

    *count = 0;
    for (size_t i = 0; i < ROWS; i++) {
        if (command_rows[i].name == NULL) {
            group = command_rows[i].group;
            continue;
        }
        table[*count] = command_rows[i];
        table[(*count)++].group = group;
    }
    return table;
}

static const struct command *find(const char *name)
{
    size_t count;
    const struct command *c = commands(&count);

    for (size_t i = 0; i < count; i++) {
        if (strcmp(c[i].name, name) == 0)
            return &c[i];
    }
    return NULL;
}

static void print_help(FILE *f)
{
    size_t count;
    const struct command *c = commands(&count);

    fprintf(f, "Usage: teg COMMAND [OPTION]... [ARGUMENT]...\n\n"
               "Estimates how many cycles a GPU kernel takes, and why, "
               "without a GPU.\n\nCommands:\n");
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || c[i].group != c[i - 1].group)
            fprintf(f, "%s:\n", c[i].group);
        fprintf(f, "  %-8s %-16s %s\n", c[i].name, c[i].operands, c[i].help);
    }
    fprintf(f, "\nTRACE is a .tegt container, an NVBit trace (.traceg, .trace, "
               ".tracez, plain or\ncompressed, or a kernelslist.g), a "
               "kernels.json that lists what `teg exec` ran,\na folder with "
               "such a list, or a kernel sketch: recognised by content. \"-\" "
               "is standard\ninput.\n\n"
               "  teg COMMAND --help   options of a command\n"
               "  teg --version        print the version\n\n"
               "Exit status: 0 done, 1 input or simulation error, 2 usage.\n");
}

static int unknown_command(const char *name)
{
    struct teg_nearest nearest;
    char hint[96];
    size_t count;
    const struct command *c = commands(&count);

    teg_nearest_init(&nearest, name);
    for (size_t i = 0; i < count; i++)
        teg_nearest_offer(&nearest, c[i].name);
    return say_usage("", "unknown %s '%s'%s",
                     name[0] == '-' ? "option" : "command", name,
                     name[0] == '-' ? "" : did_you_mean(&nearest, "", hint));
}

static int is_any(const char *word, const char *a, const char *b, const char *c)
{
    return strcmp(word, a) == 0 || strcmp(word, b) == 0 || strcmp(word, c) == 0;
}

static int dispatch(int argc, char **argv)
{
    static char help[] = "--help";
    char *help_argv[3] = {NULL, help, NULL};
    const struct command *c;

    if (argc < 2) {
        print_help(stderr);
        return EXIT_USAGE;
    }
    if (is_any(argv[1], "--version", "-V", "version")) {
        printf("teg %s\n", TEG_VERSION);
        return EXIT_DONE;
    }
    if (is_any(argv[1], "--help", "-h", "help")) {
        if (argc < 3) {
            print_help(stdout);
            return EXIT_DONE;
        }
        help_argv[0] = argv[2];
        c = find(argv[2]);
        return c != NULL ? c->run(2, help_argv) : unknown_command(argv[2]);
    }
    c = find(argv[1]);
    return c != NULL ? c->run(argc - 1, argv + 1) : unknown_command(argv[1]);
}

/* By the time that is asked, the error itself is long forgotten. */
static bool is_pipe_without_reader(void)
{
    struct pollfd out = {.fd = STDOUT_FILENO, .events = POLLOUT};

    return errno == EPIPE || (poll(&out, 1, 0) == 1 && (out.revents & POLLERR));
}

/* A stream that was closed would be the next file that is opened: a line on
 * standard error in the middle of a page. What stands in its place refuses as
 * it did. */
static void hold_streams(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
        if (fcntl(fd, F_GETFD) < 0)
            open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
    }
}

int main(int argc, char **argv)
{
    int status;

    heap_prepare();
    hold_streams();
    /* A reader that goes away is no reason to leave half a file: the command
     * ends by itself, without a word. */
    signal(SIGPIPE, SIG_IGN);
    watch_json();
    status = dispatch(argc, argv);
    errno = 0;
    if ((fflush(stdout) != 0 || ferror(stdout)) && is_pipe_without_reader())
        return EXIT_NO_READER;
    if (ferror(stdout)) {
        say("standard output", "cannot write: %s",
            strerror(errno != 0 ? errno : EIO));
        if (status == EXIT_DONE)
            status = EXIT_FAULT;
    }
    return status;
}
