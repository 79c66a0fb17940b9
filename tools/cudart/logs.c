/*
 * The log of errors that a driver of CUDA 12.9 and newer keeps.  Ours is
 * empty: what teg has to say goes to standard error as it happens.
 */
#include "tools/cudart/runtime.h"

#include <stdio.h>

/* Nothing is ever logged, so the program's function is never called. */
CALL(cudaLogsRegisterCallback, void *function, void *user, void **handle)
{
    static char registered;

    (void)user;
    if (function == NULL)
        return cudaErrorInvalidValue;
    if (handle != NULL)
        *handle = &registered;
    return cudaSuccess;
}

CALL(cudaLogsUnregisterCallback, const void *handle)
{
    return handle != NULL ? cudaSuccess : cudaErrorInvalidValue;
}

CALL(cudaLogsCurrent, uint32_t *entry, unsigned flags)
{
    if (entry == NULL || flags != 0)
        return cudaErrorInvalidValue;
    *entry = 0;
    return cudaSuccess;
}

CALL(cudaLogsDumpToFile, uint32_t *entry, const char *path, unsigned flags)
{
    FILE *file;

    (void)entry;
    if (path == NULL || flags != 0)
        return cudaErrorInvalidValue;
    file = fopen(path, "w");
    if (file == NULL || fclose(file) != 0)
        return cudaErrorOperatingSystem;
    return cudaSuccess;
}

CALL(cudaLogsDumpToMemory, uint32_t *entry, char *text, size_t *bytes,
     unsigned flags)
{
    (void)entry;
    if (text == NULL || bytes == NULL || *bytes == 0 || flags != 0)
        return cudaErrorInvalidValue;
    text[0] = '\0';
    *bytes = 0;
    return cudaSuccess;
}
