#define _GNU_SOURCE /* dlopen's RTLD_NOLOAD */
#include "tools/curand/sobol.h"

#include <dlfcn.h>

#include "tools/cudart/say.h"

/* curandGetDirectionVectors.., curandGetScrambleConstants..  `set`:
 * curandDirectionVectorSet. */
static const struct source {
    enum rand_type type;
    int set;
    const char *vectors, *scramble;
} sources[] = {
    {RAND_SOBOL_32, 101, "curandGetDirectionVectors32", NULL},
    {RAND_SCRAMBLED_SOBOL_32, 102, "curandGetDirectionVectors32",
     "curandGetScrambleConstants32"},
    {RAND_SOBOL_64, 103, "curandGetDirectionVectors64", NULL},
    {RAND_SCRAMBLED_SOBOL_64, 104, "curandGetDirectionVectors64",
     "curandGetScrambleConstants64"},
};

static const struct source *source_of(enum rand_type type)
{
    const struct source *s = sources;

    while (s->type != type)
        s++;
    return s;
}

int sobol_find(struct sobol *s, enum rand_type type)
{
    const struct source *from = source_of(type);
    void *library = dlopen("libcurand.so.10", RTLD_LAZY | RTLD_NOLOAD);
    int (*get_vectors)(const void **, int) = NULL;
    int (*get_scramble)(const void **) = NULL;
    int found = 0;

    *s = (struct sobol){NULL, NULL};
    if (library != NULL) {
        *(void **)&get_vectors = dlsym(library, from->vectors);
        if (from->scramble != NULL)
            *(void **)&get_scramble = dlsym(library, from->scramble);
        found = get_vectors != NULL &&
                get_vectors(&s->vectors, from->set) == RAND_SUCCESS &&
                (from->scramble == NULL ||
                 (get_scramble != NULL &&
                  get_scramble(&s->scramble) == RAND_SUCCESS));
        dlclose(library);
    }
    if (!found)
        runtime_say("", "cuRAND: there are no direction vectors for a "
                        "quasirandom generator in the library");
    return found;
}
