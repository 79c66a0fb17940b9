/* Which of the program's streams a launch is of. */
#include "tools/teg/profile/profile.h"

#include <inttypes.h>
#include <stdlib.h>

/* Of each kernel of the trace, [kernels]; those of graphs, and what is
 * launched in more than one, have none. */
static void find(const struct teg_score *score, uint32_t kernels,
                 uint32_t *stream)
{
    const uint32_t unseen = PROFILE_NO_STREAM - 1;

    for (uint32_t i = 0; i < kernels; i++)
        stream[i] = unseen;
    for (size_t i = 0; i < score->entries; i++) {
        const struct teg_score_entry *e = &score->entry[i];

        if (e->kind != TEG_SCORE_LAUNCH || e->number >= kernels)
            continue;
        if (stream[e->number] == unseen)
            stream[e->number] = e->stream;
        else if (stream[e->number] != e->stream)
            stream[e->number] = PROFILE_NO_STREAM;
    }
    for (uint32_t i = 0; i < kernels; i++) {
        if (stream[i] == unseen)
            stream[i] = PROFILE_NO_STREAM;
    }
}

int profile_find_streams(struct profile *p)
{
    const struct teg_score *score = teg_trace_score(p->job.trace);
    uint32_t kernels = teg_trace_kernels(p->job.trace), *stream;

    for (uint32_t i = 0; i < p->steps; i++)
        p->step[i].stream = PROFILE_NO_STREAM;
    if (score == NULL || score->streams == 0)
        return EXIT_DONE;
    stream = calloc((size_t)kernels + 1, sizeof *stream);
    if (stream == NULL)
        return say_memory();
    find(score, kernels, stream);
    for (uint32_t i = 0; i < p->steps; i++)
        p->step[i].stream = stream[p->step[i].kernel];
    p->streams = score->streams;
    free(stream);
    return EXIT_DONE;
}

void profile_stream_name(const struct profile *p, uint32_t stream, char *out,
                         size_t size)
{
    const struct teg_score *score = teg_trace_score(p->job.trace);

    if (stream == PROFILE_NO_STREAM || score == NULL)
        snprintf(out, size, "of a graph, or of several");
    else if (stream == 0)
        snprintf(out, size, "default stream");
    else
        snprintf(out, size, "stream %" PRId64, score->stream[stream].name);
}
