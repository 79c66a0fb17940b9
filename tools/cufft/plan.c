#include "tools/cufft/plan.h"

#include <stdlib.h>

/* Made by tools/make_kernels.sh. */
VENDOR_FATBIN(fft, "tools/cufft/kernels/fft.fatbin")

enum fft_status plan_make(struct plan *p, const struct fft_shape *shape)
{
    enum fft_status status = FFT_SUCCESS;

    if (p->shape.rank != 0)
        return FFT_INVALID_PLAN;
    for (int way = 0; way < PLAN_WAYS && status == FFT_SUCCESS; way++)
        status = passes_make(&p->passes[way], shape, way == PLAN_IN_PLACE,
                             &p->tables);
    if (status == FFT_SUCCESS && !p->no_allocation && plan_work_bytes(p) > 0 &&
        cudaMalloc(&p->own_work, plan_work_bytes(p)) != 0)
        status = FFT_ALLOC_FAILED;
    if (status == FFT_SUCCESS) {
        if (p->own_work != NULL)
            p->work = p->own_work;
        p->shape = *shape;
    } else {
        plan_clear(p);
    }
    return status;
}

void plan_clear(struct plan *p)
{
    for (int way = 0; way < PLAN_WAYS; way++)
        passes_free(&p->passes[way]);
    tables_free(p->tables);
    if (p->own_work != NULL)
        cudaFree(p->own_work);
    p->tables = NULL;
    p->own_work = NULL;
    p->shape.rank = 0;
}

size_t plan_work_bytes(const struct plan *p)
{
    size_t apart = p->passes[PLAN_APART].work_bytes;
    size_t in_place = p->passes[PLAN_IN_PLACE].work_bytes;

    return apart > in_place ? apart : in_place;
}

enum fft_status plan_run(const struct plan *p, const void *in, void *out,
                         int direction)
{
    static const char whose[] =
        "teg's own kernels (teg_cufft_...) stand for the library's; their "
        "times "
        "are their own, within a third of its published ones for most lengths "
        "that were compared, up to twice for some (docs/exec.md)";
    static struct vendor_file file = {.library = "cuFFT", .fatbin = fft_fatbin};
    const struct fft_passes *passes = &p->passes[in == out];
    const char *base[PLACES] = {in, out, p->work};
    size_t pair = (p->shape.type & FFT_DOUBLE) != 0 ? 16 : 8;

    if (in == NULL || out == NULL ||
        (passes->work_bytes > 0 && p->work == NULL))
        return FFT_INVALID_VALUE;
    for (int i = 0; i < passes->count; i++) {
        const struct fft_launch *l = &passes->launch[i];
        struct fft_pass pass = l->pass;

        pass.from = base[l->from] + l->from_offset;
        pass.to = (char *)base[l->to] + l->to_offset;
        if (direction == FFT_BACKWARD)
            pass.flags ^= FFT_INVERSE;
        if (((uintptr_t)pass.from | (uintptr_t)pass.to) % pair != 0)
            pass.flags &= ~FFT_ALIGNED;
        switch (vendor_launch(&file, whose, l->kernel, &l->grid, p->stream,
                              &pass)) {
        case VENDOR_OK:
            break;
        case VENDOR_NO_CODE:
            return FFT_NOT_SUPPORTED;
        default:
            return FFT_EXEC_FAILED;
        }
    }
    return FFT_SUCCESS;
}
