/* Teg's own kernels in place of a vendor's library, on the device. */
#ifndef TEG_TOOLS_VENDOR_LAUNCH_H
#define TEG_TOOLS_VENDOR_LAUNCH_H

#include <stddef.h>

/* A file of code by nvcc (tools/make_kernels.sh), as a symbol NAME_fatbin. */
#define VENDOR_FATBIN(name, path)                                         \
    extern const unsigned char name##_fatbin[];                           \
    __asm__(".pushsection .rodata\n"                                      \
            ".balign 16\n"                                                \
            ".globl " #name "_fatbin\n"                                   \
            ".hidden " #name "_fatbin\n" #name "_fatbin: .incbin \"" path \
            "\"\n"                                                        \
            ".popsection\n");

/* Code, loaded once something of it is wanted: not every file has some for
 * every device. */
struct vendor_file {
    const char *library; /* as users call it */
    const unsigned char *fatbin;
    int tried;
    void *module;
};

struct vendor_grid {
    unsigned x, y, z, threads;
    unsigned shared;  /* bytes besides the kernel's own */
    unsigned cluster; /* blocks along z that are one; 0: none */
};

enum vendor_status {
    VENDOR_OK,
    VENDOR_NO_CODE, /* for this device, which is said */
    VENDOR_FAILED,
};

/* Launches a kernel by its name; `args` is its one parameter.  The first time,
 * `whose` is said. */
enum vendor_status vendor_launch(struct vendor_file *file, const char *whose,
                                 const char *name,
                                 const struct vendor_grid *grid, void *stream,
                                 void *args);

/* The device's; all 0: there is none. */
struct vendor_device {
    int sms;
    int generation; /* 80: compute capability 8.0 */
    int shared;     /* bytes, that a block may have */
};
const struct vendor_device *vendor_device(void);

/* A library's version: major, minor, patch, in the order of libraryPropertyType. */
enum {
    VENDOR_PARTS = 3,
};
/* That of CUDA 13 or, where `file_of_12` is in the process, 12. */
const int *vendor_version(const char *file_of_12, const int of_12[VENDOR_PARTS],
                          const int of_13[VENDOR_PARTS]);

#endif
