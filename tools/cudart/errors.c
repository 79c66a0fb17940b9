/* Names and texts of errors, and the thread's last. */
#include "tools/cudart/runtime.h"

static const struct {
    int number;
    const char *name, *text;
} errors[] = {
#define ERROR(name, number, text) {number, #name, text},
#include "tools/cudart/errors.def"
#undef ERROR
};

ENTRY(const char *, cudaGetErrorString, int error)
{
    for (size_t i = 0; i < sizeof errors / sizeof errors[0]; i++) {
        if (errors[i].number == error)
            return errors[i].text;
    }
    return "unrecognized error code";
}

ENTRY(const char *, cudaGetErrorName, int error)
{
    for (size_t i = 0; i < sizeof errors / sizeof errors[0]; i++) {
        if (errors[i].number == error)
            return errors[i].name;
    }
    return "unrecognized error code";
}

static int last_error_of(int forget)
{
    struct runtime *r = runtime_lock();
    int error = runtime_last_error(forget);

    return runtime_unlock(r, r->error != cudaSuccess ? r->error : error);
}

CALL(cudaGetLastError, void)
{
    return last_error_of(1);
}

CALL(cudaPeekAtLastError, void)
{
    return last_error_of(0);
}
