#include "tools/teg/program/measured.h"

#include <stdlib.h>
#include <string.h>

#include "sim/alone.h"

static bool ends_in(const char *path, const char *what)
{
    size_t length = strlen(path), end = strlen(what);

    return length > end && strcmp(path + length - end, what) == 0;
}

bool timed_is_measured(const char *path)
{
    return ends_in(path, ".csv") || ends_in(path, ".sqlite");
}

int timed_import(struct timed *p, const char *path)
{
    return ends_in(path, ".sqlite") ? timed_import_sqlite(p, path)
                                    : timed_import_csv(p, path);
}

/* ---- kernels -------------------------------------------------------------- */

static bool is_same(const struct timed_kernel *k,
                    const struct measured_facts *f)
{
    return strcmp(k->name, f->name) == 0 &&
           memcmp(k->grid, f->grid, sizeof f->grid) == 0 &&
           memcmp(k->block, f->block, sizeof f->block) == 0;
}

/* What its blocks take of an SM; false: they fit none. */
static bool find_needs(const struct timed *p, const struct measured_facts *f,
                       struct sim_program_kernel *k)
{
    const struct teg_gpu *gpu = p->job.gpu;
    uint64_t threads = (uint64_t)f->block[0] * f->block[1] * f->block[2];
    struct teg_occupancy occupancy;
    struct teg_diag d;

    *k = (struct sim_program_kernel){0};
    if (f->grid[0] == 0)
        return true;
    if (threads > gpu->sm.threads_per_block_max ||
        teg_occupancy(gpu,
                      &(struct teg_block_asks){.threads = (uint32_t)threads,
                                               .registers = f->registers,
                                               .shared_bytes = f->shared_bytes},
                      &occupancy, &d) != TEG_OK)
        return false;
    k->blocks = (uint64_t)f->grid[0] * f->grid[1] * f->grid[2];
    k->blocks_per_sm = occupancy.places;
    sim_alone_needs(gpu, (uint32_t)threads, f->registers, f->shared_bytes, k);
    return true;
}

/* Makes room for one more kernel, the two states of which are the same. */
static int grow(struct timed *p)
{
    uint32_t room = 2 * p->kernel_room + 64;
    struct timed_kernel *kernel;
    struct sim_program_kernel *alone;

    if (p->kernels + 2 <= p->kernel_room)
        return EXIT_DONE;
    kernel = realloc(p->kernel, room * sizeof *kernel);
    if (kernel == NULL)
        return say_memory();
    p->kernel = kernel;
    alone = realloc(p->alone, room * sizeof *alone);
    if (alone == NULL)
        return say_memory();
    p->alone = alone;
    p->kernel_room = room;
    return EXIT_DONE;
}

int measured_kernel(struct timed *p, const struct measured_facts *f,
                    uint32_t *number, bool *fits)
{
    int status;

    *fits = true;
    for (uint32_t i = 0; i < p->kernels; i += 2) {
        *number = i / 2;
        if (is_same(&p->kernel[i], f))
            return EXIT_DONE;
    }
    status = grow(p);
    *number = p->kernels / 2;
    for (uint32_t i = 0; status == EXIT_DONE && i < 2; i++) {
        struct timed_kernel *k = &p->kernel[p->kernels];

        *fits = find_needs(p, f, &p->alone[p->kernels]);
        if (!*fits)
            break;
        *k = (struct timed_kernel){.name = strdup(f->name), .later = i};
        memcpy(k->grid, f->grid, sizeof k->grid);
        memcpy(k->block, f->block, sizeof k->block);
        p->kernels++;
        if (k->name == NULL)
            status = say_memory();
    }
    return status;
}

/* ---- their times ---------------------------------------------------------- */

struct sum {
    double us;
    uint64_t launches;
};

static void add_launches(const struct teg_score_entry *entry, size_t entries,
                         uint32_t kernel, struct sum *sum)
{
    for (size_t i = 0; i < entries; i++) {
        if (entry[i].kind != TEG_SCORE_LAUNCH || entry[i].number != kernel)
            continue;
        sum->us += entry[i].us;
        sum->launches++;
    }
}

/* What a launch takes alone is not known; the mean of what they took. */
void measured_means(struct timed *p)
{
    for (uint32_t k = 0; k < p->kernels; k += 2) {
        struct sum sum = {0};

        add_launches(p->own.entry, p->own.entries, k / 2, &sum);
        for (uint32_t g = 0; g < p->own.graphs; g++)
            add_launches(p->own.graph[g].node, p->own.graph[g].nodes, k / 2,
                         &sum);
        for (uint32_t i = k; i < k + 2; i++) {
            p->alone[i].us =
                sum.launches != 0 ? sum.us / (double)sum.launches : 0;
            p->kernel[i].cycles =
                p->alone[i].us * p->job.gpu->chip.sm_clock_mhz;
        }
    }
}
