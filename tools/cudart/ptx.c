#define _GNU_SOURCE /* dl_iterate_phdr */
#include "tools/cudart/ptx.h"
#include "tools/cudart/say.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

int ptx_recognise(const uint8_t *text, size_t bytes)
{
    static const char *const begins[] = {".version", "//", "/*"};

    while (bytes > 0 && strchr(" \t\r\n", *text) != NULL && *text != '\0') {
        text++;
        bytes--;
    }
    for (size_t i = 0; i < sizeof begins / sizeof begins[0]; i++) {
        if (bytes >= strlen(begins[i]) &&
            memcmp(text, begins[i], strlen(begins[i])) == 0)
            return 1;
    }
    return 0;
}

/* ---- which ptxas --------------------------------------------------------------------- */

enum {
    COMPILERS = 4,
};

/* Where it may be, in this order. */
struct compilers {
    char path[COMPILERS][PATH_MAX];
    int count;
};

static void add_compiler(struct compilers *c, const char *folder,
                         const char *rest)
{
    if (c->count < COMPILERS &&
        snprintf(c->path[c->count], PATH_MAX, "%s%s", folder, rest) < PATH_MAX)
        c->count++;
}

/* Beside the NVRTC that is in the process: in the vendor's wheels for CUDA 13 and
 * for CUDA 12. */
static int note_nvrtc(struct dl_phdr_info *info, size_t size, void *self)
{
    const char *slash = strrchr(info->dlpi_name, '/');
    char folder[PATH_MAX];

    (void)size;
    if (slash != NULL && strncmp(slash, "/libnvrtc.so", 12) == 0) {
        snprintf(folder, sizeof folder, "%.*s", (int)(slash - info->dlpi_name),
                 info->dlpi_name);
        add_compiler(self, folder, "/../bin/ptxas");
        add_compiler(self, folder, "/../../cuda_nvcc/bin/ptxas");
    }
    return 0;
}

/* Its exit status; 127: it is not there. */
static int run(const char *ptxas, const char *arch, const char *in,
               const char *out, const char *said)
{
    pid_t child = fork();
    int how = 0;

    if (child == 0) {
        int fd = open(said, O_WRONLY | O_CREAT | O_TRUNC, 0600);

        /* The tool is none of the programs that are run on teg. */
        unsetenv("LD_PRELOAD");
        unsetenv("LD_AUDIT");
        if (fd >= 0)
            dup2(fd, STDERR_FILENO);
        execlp(ptxas, "ptxas", arch, "-o", out, in, (char *)NULL);
        _exit(127);
    }
    while (child > 0 && waitpid(child, &how, 0) < 0) {
        if (errno != EINTR)
            return 1;
    }
    return child > 0 && WIFEXITED(how) ? WEXITSTATUS(how) : 1;
}

static void copy_to_stderr(const char *path)
{
    char text[4096];
    FILE *f = fopen(path, "r");
    size_t bytes = f != NULL ? fread(text, 1, sizeof text, f) : 0;

    fwrite(text, 1, bytes, stderr);
    if (f != NULL)
        fclose(f);
}

/* Tries one after the other: PTX may be newer than what is on $PATH.  What the
 * first one said is passed on if none compiles it. */
static int compile(const char *folder, const char *arch, const char *in,
                   const char *out)
{
    struct compilers c = {.count = 0};
    char said[PATH_MAX], first[PATH_MAX] = "";
    int error = cudaErrorJitCompilerNotFound;

    add_compiler(&c, "ptxas", "");
    add_compiler(&c, "/usr/local/cuda/bin/ptxas", "");
    dl_iterate_phdr(note_nvrtc, &c);
    for (int i = 0; i < c.count && error != cudaSuccess; i++) {
        int status;

        snprintf(said, sizeof said, "%s/said%d", folder, i);
        status = run(c.path[i], arch, in, out, said);
        if (status == 0)
            error = cudaSuccess;
        else if (status != 127)
            error = cudaErrorInvalidPtx;
        if (status != 0 && status != 127 && first[0] == '\0')
            snprintf(first, sizeof first, "%s", said);
    }
    if (error == cudaErrorJitCompilerNotFound)
        runtime_say("", "the program brings PTX, which needs ptxas to be "
                        "compiled: install it or put it on $PATH");
    if (error == cudaErrorInvalidPtx) {
        copy_to_stderr(first);
        runtime_say("", "ptxas did not compile the program's PTX for %s",
                    arch + strlen("-arch="));
    }
    for (int i = 0; i < c.count; i++) {
        snprintf(said, sizeof said, "%s/said%d", folder, i);
        unlink(said);
    }
    return error;
}

/* ---- files ----------------------------------------------------------------------------- */

static int write_file(const char *path, const char *text, size_t bytes)
{
    FILE *f = fopen(path, "wb");
    int well = f != NULL && fwrite(text, 1, bytes, f) == bytes;

    if (f != NULL && fclose(f) != 0)
        well = 0;
    return well ? cudaSuccess : cudaErrorOperatingSystem;
}

int ptx_compile(const struct runtime *r, const char *text, size_t bytes,
                struct teg_buffer *cubin)
{
    const char *temporary = getenv("TMPDIR");
    char folder[PATH_MAX - 16], in[PATH_MAX], out[PATH_MAX], arch[32];
    int error;

    /* A text that comes as a string may count its end. */
    while (bytes > 0 && text[bytes - 1] == '\0')
        bytes--;
    snprintf(folder, sizeof folder, "%s/teg-XXXXXX",
             temporary != NULL && temporary[0] != '\0' ? temporary : "/tmp");
    if (mkdtemp(folder) == NULL)
        return cudaErrorOperatingSystem;
    snprintf(in, sizeof in, "%s/a.ptx", folder);
    snprintf(out, sizeof out, "%s/a.cubin", folder);
    snprintf(arch, sizeof arch, "-arch=sm_%u%s",
             r->gpu->chip.compute_capability,
             strstr(text, "sm_90a") != NULL ? "a" : "");
    error = write_file(in, text, bytes);
    if (error == cudaSuccess)
        error = compile(folder, arch, in, out);
    if (error == cudaSuccess && teg_buffer_file(cubin, out, NULL) != TEG_OK)
        error = cudaErrorOperatingSystem;
    unlink(in);
    unlink(out);
    rmdir(folder);
    return error;
}
