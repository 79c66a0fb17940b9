#include "tools/cudart/ptx.h"
#include "tools/cudart/say.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Where it is when it is not on $PATH. */
#define USUAL_PLACE "/usr/local/cuda/bin/ptxas"

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

static int run(const char *arch, const char *in, const char *out)
{
    pid_t child = fork();
    int how = 0;

    if (child == 0) {
        /* The tool is none of the programs that are run on teg. */
        unsetenv("LD_PRELOAD");
        unsetenv("LD_AUDIT");
        execlp("ptxas", "ptxas", arch, "-o", out, in, (char *)NULL);
        execl(USUAL_PLACE, "ptxas", arch, "-o", out, in, (char *)NULL);
        _exit(127);
    }
    while (child > 0 && waitpid(child, &how, 0) < 0) {
        if (errno != EINTR)
            return cudaErrorOperatingSystem;
    }
    if (child < 0)
        return cudaErrorOperatingSystem;
    if (WIFEXITED(how) && WEXITSTATUS(how) == 127) {
        runtime_say("", "the program brings PTX, which needs ptxas to be "
                        "compiled: install it or put it on $PATH");
        return cudaErrorJitCompilerNotFound;
    }
    if (!WIFEXITED(how) || WEXITSTATUS(how) != 0) {
        runtime_say("", "ptxas did not compile the program's PTX for %s",
                    arch + strlen("-arch="));
        return cudaErrorInvalidPtx;
    }
    return cudaSuccess;
}

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
        error = run(arch, in, out);
    if (error == cudaSuccess && teg_buffer_file(cubin, out, NULL) != TEG_OK)
        error = cudaErrorOperatingSystem;
    unlink(in);
    unlink(out);
    rmdir(folder);
    return error;
}
