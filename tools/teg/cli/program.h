/* What an executable file says of itself before it is run: whether it carries
 * device code, and how it gets at the CUDA runtime. */
#ifndef TEG_TOOLS_TEG_CLI_PROGRAM_H
#define TEG_TOOLS_TEG_CLI_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>

enum {
    PROGRAM_CUBINS_MAX = 32
};

struct program {
    char *path;       /* owned; the file that would run */
    bool is_elf;      /* else a script */
    bool has_code;    /* sections of device code */
    bool has_loader;  /* uses shared libraries, so others can be put in */
    bool has_symbols; /* not stripped */
    bool has_driver;  /* is linked with libcuda.so.1 */
    char runtime[64]; /* "libcudart.so.13" it is linked with, or "" */
    uint32_t inside;  /* CUDA's version of a runtime linked into it; 0: none */
    uint32_t cubin_sm[PROGRAM_CUBINS_MAX];   /* 75, 80: cubins, each once */
    uint32_t cubin_many[PROGRAM_CUBINS_MAX]; /* how many there are of each */
    uint32_t cubins;
    /* The newest of those there are most of that are emulated: a library
     * linked in may have code for more generations than the program.  0:
     * none. */
    uint32_t newest;
    uint32_t newest_ptx; /* of the PTX texts; 0: none */
};

/* Finds `name` as a shell would and looks into it; says what is wrong. */
int program_open(struct program *p, const char *name);
void program_release(struct program *p);
/* The newest code that can be emulated of those that are not newer than compute
 * capability `cc`, or the oldest; 0: none. */
uint32_t program_nearest(const struct program *p, uint32_t cc);
/* True if it has a cubin that runs on compute capability `cc`. */
bool program_runs_on(const struct program *p, uint32_t cc);

#endif
