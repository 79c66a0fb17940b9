#include "traces/list/score.h"

#include <stdlib.h>

const char *teg_score_word(enum teg_score_kind kind)
{
    static const char *const words[] = {
#define KIND(NAME, word) [TEG_SCORE_##NAME] = word,
#include "traces/list/score.def"
#undef KIND
    };

    return words[kind];
}

teg_status teg_score_add(struct teg_score *s, struct teg_score_entry entry,
                         struct teg_diag *d)
{
    if (s->entries == s->entry_capacity) {
        size_t capacity = s->entries != 0 ? 2 * s->entries : 64;
        struct teg_score_entry *more =
            realloc(s->entry, capacity * sizeof *more);

        if (more == NULL)
            return teg_fail_memory(d);
        s->entry = more;
        s->entry_capacity = capacity;
    }
    s->entry[s->entries++] = entry;
    return TEG_OK;
}

teg_status teg_score_stream(struct teg_score *s, uint32_t host, int64_t name,
                            uint32_t *stream, struct teg_diag *d)
{
    struct teg_score_stream *more;

    for (*stream = 0; *stream < s->streams; ++*stream) {
        const struct teg_score_stream *known = &s->stream[*stream];

        if (known->name == name && known->host == host)
            return TEG_OK;
    }
    if (s->streams == TEG_SCORE_STREAMS_MAX)
        return teg_fail(d, TEG_LIMIT, "",
                        "expected at most %d streams, found more",
                        TEG_SCORE_STREAMS_MAX);
    more = realloc(s->stream, (s->streams + 1) * sizeof *more);
    if (more == NULL)
        return teg_fail_memory(d);
    s->stream = more;
    s->stream[s->streams++] =
        (struct teg_score_stream){.name = name, .host = host};
    return TEG_OK;
}

void teg_score_release(struct teg_score *s)
{
    for (uint32_t i = 0; i < s->graphs; i++) {
        free(s->graph[i].node);
        free(s->graph[i].edge);
        free(s->graph[i].early);
    }
    free(s->graph);
    free(s->entry);
    free(s->stream);
    *s = (struct teg_score){0};
}
