/*
 * Whoever asks the loader for the CUDA runtime or driver gets teg's: by a
 * library's own search path (DT_RPATH, DT_RUNPATH), by an absolute path as
 * Python packages do, or where no library of the name is installed.  An
 * auditing library of the loader (rtld-audit(7)); it lies beside the others.
 */
#define _GNU_SOURCE /* dladdr, la_* */
#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <string.h>

/* File names that begin so become `ours`. */
static const struct {
    const char *begins;
    const char *ours;
} replaced[] = {
    {"libcudart.so.13", "libcudart.so.13"},
    {"libcudart.so.12", "libcudart.so.12"},
    {"libcuda.so", "libcuda.so.1"},
};

enum {
    REPLACED = sizeof replaced / sizeof replaced[0]
};

static char path[REPLACED][PATH_MAX];

__attribute__((visibility("default"))) unsigned la_version(unsigned version)
{
    Dl_info self;
    int length;

    if (dladdr(path, &self) == 0 || strrchr(self.dli_fname, '/') == NULL)
        return 0; /* the loader leaves us out */
    length = (int)(strrchr(self.dli_fname, '/') - self.dli_fname);
    for (int i = 0; i < REPLACED; i++)
        snprintf(path[i], sizeof path[i], "%.*s/%s", length, self.dli_fname,
                 replaced[i].ours);
    return version < LAV_CURRENT ? version : LAV_CURRENT;
}

__attribute__((visibility("default"))) char *la_objsearch(const char *name,
                                                          uintptr_t *cookie,
                                                          unsigned flag)
{
    const char *slash = strrchr(name, '/');
    const char *file = slash != NULL ? slash + 1 : name;

    (void)cookie;
    for (int i = 0; i < REPLACED && flag == LA_SER_ORIG; i++) {
        if (strncmp(file, replaced[i].begins, strlen(replaced[i].begins)) == 0)
            return path[i];
    }
    return (char *)name;
}
