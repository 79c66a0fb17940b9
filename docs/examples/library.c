/*
 * What a kernel waits for, and what fewer or more of something costs it:
 *
 *     cc library.c $(pkg-config --cflags --libs teg) -o library
 *     ./library v100 kernel.tegt sm.warps_max 16,32,64
 *
 * prints the cycles of the first launch, the five what-ifs that gain most, and
 * the cycles with each value of the key.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <teg/teg.h>

enum {
    POINTS_MAX = 64,
    POINT_SIZE = 128
};

static int fault(const struct teg_diag *d)
{
    fprintf(stderr, "library: %s%s%s\n", d->where,
            d->where[0] != '\0' ? ": " : "", d->what);
    return 1;
}

static teg_status print_replay(struct teg_replay *replay,
                               const struct teg_gpu *gpu, struct teg_diag *d)
{
    struct teg_result *result;
    teg_status status = teg_replay_run(replay, gpu, &result, d);

    if (status == TEG_OK)
        printf("cycles %" PRIu64 ", %.2f us, %s of %s\n",
               teg_result_cycles(result), teg_result_time_us(result),
               teg_replay_kernel(replay), teg_gpu_name(gpu));
    teg_result_free(result);
    return status;
}

static teg_status print_ranking(struct teg_replay *replay,
                                const struct teg_gpu *gpu, struct teg_diag *d)
{
    struct teg_ranking *ranking;
    teg_status status = teg_replay_rank(replay, gpu, 2, &ranking, d);

    for (uint32_t i = 0;
         status == TEG_OK && i < 5 && i < teg_ranking_count(ranking); i++)
        printf("what-if %s %" PRIu64 "\n", teg_ranking_name(ranking, i),
               teg_ranking_cycles(ranking, i));
    teg_ranking_free(ranking);
    return status;
}

struct table {
    char point[POINTS_MAX][POINT_SIZE]; /* "sm.warps_max=16" */
    const char *text[POINTS_MAX];
    uint64_t cycles[POINTS_MAX]; /* 0: could not be */
    uint32_t points;
};

static int on_point(void *self, uint32_t point, const struct teg_result *result,
                    const struct teg_diag *why)
{
    struct table *t = self;

    if (result == NULL)
        fault(why);
    t->cycles[point] = result != NULL ? teg_result_cycles(result) : 0;
    return 0;
}

static teg_status print_sweep(struct teg_replay *replay,
                              const struct teg_gpu *gpu, const char *key,
                              const char *values, struct teg_diag *d)
{
    static struct table t;
    teg_status status;

    while (*values != '\0' && t.points < POINTS_MAX) {
        size_t length = strcspn(values, ",");

        snprintf(t.point[t.points], POINT_SIZE, "%s=%.*s", key, (int)length,
                 values);
        t.text[t.points] = t.point[t.points];
        t.points++;
        values += length + (values[length] == ',');
    }
    status =
        teg_replay_sweep(replay, gpu, t.text, t.points, 2, on_point, &t, d);
    for (uint32_t i = 0; status == TEG_OK && i < t.points; i++)
        printf("%s %" PRIu64 "\n", t.point[i], t.cycles[i]);
    return status;
}

int main(int argc, char **argv)
{
    struct teg_gpu *gpu = NULL;
    struct teg_trace *trace = NULL;
    struct teg_replay *replay = NULL;
    struct teg_diag d;
    teg_status status;

    if (argc != 5) {
        fprintf(stderr, "usage: library GPU TRACE KEY VALUE,VALUE...\n");
        return 2;
    }
    status = teg_gpu_open(argv[1], NULL, &gpu, &d);
    if (status == TEG_OK)
        status = teg_trace_open(argv[2], NULL, &trace, &d);
    if (status == TEG_OK)
        status = teg_replay_new(trace, 0, &replay, &d);
    if (status == TEG_OK)
        status = print_replay(replay, gpu, &d);
    if (status == TEG_OK)
        status = print_ranking(replay, gpu, &d);
    if (status == TEG_OK)
        status = print_sweep(replay, gpu, argv[3], argv[4], &d);
    teg_replay_free(replay);
    teg_trace_close(trace);
    teg_gpu_free(gpu);
    return status == TEG_OK ? 0 : fault(&d);
}
