/* Variables of the program by name: copies to and from them. */
#include "tools/cudart/memory.h"
#include "tools/cudart/registry.h"
#include "tools/cudart/stream.h"

/* Device address of `bytes` of a variable from `offset` on, or 0. */
static uint64_t part_of(struct runtime *r, const void *symbol, size_t bytes,
                        size_t offset, int *error)
{
    size_t size = 0;
    uint64_t address = variable_find(r, symbol, &size, error);

    if (address != 0 && (offset > size || size - offset < bytes)) {
        *error = cudaErrorInvalidValue;
        return 0;
    }
    return address != 0 ? address + offset : 0;
}

CALL(cudaMemcpyToSymbol, const void *symbol, const void *from, size_t bytes,
     size_t offset, int kind)
{
    BEGIN(r);
    int error = cudaSuccess;
    uint64_t to = part_of(r, symbol, bytes, offset, &error);

    return runtime_end(
        r,
        to != 0 ? memory_copy_alone(r, (void *)to, from, bytes, kind) : error);
}
ALSO(cudaMemcpyToSymbol, cudaMemcpyToSymbol_ptds);

CALL(cudaMemcpyToSymbolAsync, const void *symbol, const void *from,
     size_t bytes, size_t offset, int kind, void *stream)
{
    BEGIN(r);
    int error = cudaSuccess;
    uint64_t to = part_of(r, symbol, bytes, offset, &error);

    if (to == 0)
        return runtime_end(r, error);
    SUBMIT(r, stream, operation_copy((void *)to, from, bytes, kind));
}
ALSO(cudaMemcpyToSymbolAsync, cudaMemcpyToSymbolAsync_ptsz);

CALL(cudaMemcpyFromSymbol, void *to, const void *symbol, size_t bytes,
     size_t offset, int kind)
{
    BEGIN(r);
    int error = cudaSuccess;
    uint64_t from = part_of(r, symbol, bytes, offset, &error);

    return runtime_end(
        r, from != 0 ? memory_copy_alone(r, to, (void *)from, bytes, kind)
                     : error);
}
ALSO(cudaMemcpyFromSymbol, cudaMemcpyFromSymbol_ptds);

CALL(cudaMemcpyFromSymbolAsync, void *to, const void *symbol, size_t bytes,
     size_t offset, int kind, void *stream)
{
    BEGIN(r);
    int error = cudaSuccess;
    uint64_t from = part_of(r, symbol, bytes, offset, &error);

    if (from == 0)
        return runtime_end(r, error);
    SUBMIT(r, stream, operation_copy(to, (void *)from, bytes, kind));
}
ALSO(cudaMemcpyFromSymbolAsync, cudaMemcpyFromSymbolAsync_ptsz);

CALL(cudaGetSymbolAddress, void **address, const void *symbol)
{
    BEGIN(r);
    int error = cudaSuccess;
    size_t bytes;
    uint64_t found = variable_find(r, symbol, &bytes, &error);

    if (address != NULL)
        *address = (void *)found;
    return runtime_end(r, error);
}

CALL(cudaGetSymbolSize, size_t *bytes, const void *symbol)
{
    BEGIN(r);
    int error = cudaSuccess;

    if (bytes == NULL)
        return runtime_end(r, cudaErrorInvalidValue);
    variable_find(r, symbol, bytes, &error);
    return runtime_end(r, error);
}
