#include "traces/base/kernel.h"

#include <stdlib.h>

void teg_kernel_release(struct teg_kernel *k)
{
    free(k->name);
    teg_program_release(&k->program);
    teg_notes_release(&k->notes);
    *k = (struct teg_kernel){0};
}
